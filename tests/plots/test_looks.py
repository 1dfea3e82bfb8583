"""Looks at a stream as a picture."""

import functools
import math

import numpy as np
import pytest

from skcompare.evidence import ContingencyTable, PairedLosses
from skcompare.plots import AnytimeDisplay
from skcompare.plots.drawing._layout import new_figure
from skcompare.stats import AnytimeMonitor
from tests.plots.cases import looks_by_the_thousand


def drawn(display):
    """On a figure that pyplot does not know."""
    return display.plot(ax=new_figure(display._room())[1])


@functools.cache
def monitor():
    """Three looks, of which the second decides."""
    watched = AnytimeMonitor(alternative="greater")
    for counts in [(80, 3, 9, 8), (84, 2, 10, 4), (79, 4, 12, 5)]:
        watched.update(ContingencyTable(*counts))
    return watched


def test_numbers_are_those_of_the_monitor():
    """Looks by themselves, and what they have in common."""
    watched = monitor()
    frame = AnytimeDisplay.of_result(watched).frame()

    assert watched.to_frame()["low"].tolist() == frame["low"].tolist()
    assert watched.pvalue == pytest.approx(frame["smallest_pvalue"].iloc[-1])
    together = frame["low_so_far"].iloc[-1], frame["high_so_far"].iloc[-1]
    assert watched.confidence_interval() == together


def test_decision_is_marked():
    """A vertical line of both panels stands where p fell below alpha."""
    display = drawn(AnytimeDisplay.of_result(monitor()))

    assert 200 == display.decided_at
    for ax in display.axes_:
        vertical = [line for line in ax.get_lines() if set(line.get_xdata()) == {200}]
        assert 1 == len(vertical)
    assert "Decided after 200 records" in display.ax_.get_title()


def test_alpha_and_the_smallest_p_are_drawn():
    """On a logarithmic scale, where the line never rises."""
    display = drawn(AnytimeDisplay.of_result(changing()))
    lines = display.axes_[1].get_lines()
    smallest = lines[0].get_ydata()
    level = [line for line in lines if set(line.get_ydata()) == {math.log10(display.alpha)}]

    assert 1 == len(level)
    assert (np.diff(smallest) <= 0).all()
    assert display.smallest[-1] / math.log(10) == pytest.approx(smallest[-1])


def test_undecided():
    """No vertical line is drawn, and words say that p was never below alpha."""
    display = drawn(looks_by_the_thousand())

    assert display.decided_at is None
    assert "Not decided" in display.summary
    assert 300 == len(display.axes_[1].get_lines()[0].get_xdata())
    low, high = display.ax_.get_ylim()
    assert -0.1 < low < 0 < high < 0.1


@functools.cache
def certain():
    """One look at records of which all favour one."""
    watched = AnytimeMonitor()
    watched.update(ContingencyTable(0, 0, 3000, 0))
    return watched


@functools.cache
def changing():
    """Looks at a difference that changes with time."""
    watched = AnytimeMonitor()
    for counts in [(0, 0, 100, 0)] * 3 + [(0, 100, 0, 0)] * 8:
        watched.update(ContingencyTable(*counts))
    return watched


def test_tiny_pvalues_stay_on_the_scale():
    """Below the smallest double too, as their logarithms are kept."""
    display = drawn(AnytimeDisplay.of_result(certain()))

    assert display.axes_[1].get_ylim()[0] < -800


def test_losses():
    """Their estimate is a gain, and has the name of the loss."""
    rng = np.random.default_rng(0)
    watched = AnytimeMonitor("anytime_losses")
    y = rng.integers(2, size=50)
    watched.update(PairedLosses.from_predictions(y, rng.random(50), rng.random(50)))
    display = drawn(AnytimeDisplay.from_result(watched))

    assert "mean gain in binary_brier_loss" in display.summary
    assert "Mean gain in binary_brier" in display.ax_.get_ylabel()


def test_nothing_to_draw():
    """Before the first look, and of what is no monitor."""
    with pytest.raises(ValueError, match="seen no records"):
        AnytimeDisplay.of_result(AnytimeMonitor())
    with pytest.raises(TypeError, match="AnytimeMonitor"):
        AnytimeDisplay.of_result([1, 2])


def test_intervals_without_a_common_value():
    """A difference that changed with time is no news of a decision alone."""
    display = drawn(AnytimeDisplay.of_result(changing()))

    assert ("empty-intersection",) == changing().flags
    assert "no value in common" in display.summary
    assert "no value in common" in display.ax_.get_title()
    assert "no value in common" not in AnytimeDisplay.of_result(monitor()).summary


@pytest.mark.slow
def test_text_fit(overlaps):
    """Also where there is nothing usual to say."""
    for watched in (certain(), changing()):
        display = drawn(AnytimeDisplay.of_result(watched))
        assert ([], []) == overlaps(display.figure_)


@pytest.mark.parametrize(
    ("alternative", "words"),
    [("greater", "95 % lower limit of the last"), ("less", "95 % upper limit of the last")],
)
def test_one_sided_looks(alternative, words):
    """One limit is told, and the null value that p is about where it is not 0."""
    watched = AnytimeMonitor(alternative=alternative, null_value=0.02)
    watched.update(ContingencyTable(90, 2, 5, 3))
    display = drawn(AnytimeDisplay.of_result(watched))

    assert "After 1 look at 100 records" in display.summary
    assert words in display.summary
    assert "p for a difference of 0.02 was never" in display.summary
    assert "p for a difference of 0.02 was never" in display.ax_.get_title()


def test_batches_as_units():
    """Axis and text count batches, also of predicted numbers."""
    rng = np.random.default_rng(0)
    monitor = AnytimeMonitor("anytime_losses", unit="batch", bound=1)
    for _ in range(60):
        old, new = np.abs(rng.normal(size=(2, 30)) * [[1.2], [0.6]])
        monitor.update(PairedLosses.from_losses(old, new, loss="absolute_error"))
    display = drawn(AnytimeDisplay.of_result(monitor))

    assert "After 60 looks at 60 batches the mean gain in absolute_error" in display.summary
    assert "Decided after" in display.summary
    assert "batches: p below 0.05" in display.summary
    assert "Batches" == display.axes_[1].get_xlabel()
    assert "record" not in display.summary
