"""Differences of losses, record by record, as a picture."""

import itertools

import numpy as np
import pytest

from skcompare._core.design import Design
from skcompare.evidence import PairedLosses
from skcompare.plots import LossDifferenceDisplay
from skcompare.plots.drawing._layout import new_figure
from skcompare.stats import clustered_t, paired_t
from tests.plots.cases import loss_difference, loss_difference_of_heavy_tails


def drawn(display):
    """On a figure that pyplot does not know."""
    return display.plot(ax=new_figure(display._room())[1])


@pytest.mark.parametrize("make", [loss_difference, loss_difference_of_heavy_tails])
def test_every_record_is_counted_once(make):
    """In a bin, at zero, or beyond the picture; zero is the limit of two bins."""
    display = make()
    frame = display.frame()

    assert display.n == frame["records"].sum()
    assert 1 == pytest.approx(frame["share"].sum())
    assert display.n == sum(display.balance)
    assert np.abs(display.edges).min() < 1e-12
    assert display.n == sum(display.records) + sum(display.beyond) + display.balance[1]


def test_bars_are_the_counts():
    """As high as the records are many, on the side of the classifier that is better."""
    display = drawn(loss_difference())
    bars = sorted(display.ax_.patches, key=lambda bar: bar.get_x())

    assert display.records.tolist() == [bar.get_height() for bar in bars]
    hatched = [bar.get_hatch() is not None for bar in bars]
    assert (display.edges[1:] <= 1e-12).tolist() == hatched


def test_curve_is_the_share_of_records():
    """At each of its points it is the share with at most this difference."""
    rng = np.random.default_rng(0)
    losses = PairedLosses.from_losses(*rng.integers(0, 9, size=(2, 300)) / 8)
    display = LossDifferenceDisplay.of_result(losses)
    x, y = display.curve

    assert [np.mean(losses.differences <= at) for at in x] == pytest.approx(y.tolist())


def test_finding_is_that_of_the_default_test():
    """The interval is the paired t test's, and the groups' where there are any."""
    rng = np.random.default_rng(0)
    old, new = rng.random((2, 60))
    single = PairedLosses.from_losses(old, new)
    grouped = PairedLosses.from_losses(old, new, np.repeat(np.arange(20), 3))
    for losses, test in ((single, paired_t), (grouped, clustered_t)):
        finding = LossDifferenceDisplay.of_result(losses).finding
        result = test(losses)
        assert result.confidence_interval() == (finding.low, finding.high)
        assert result.pvalue == finding.pvalue


def test_tails_are_cut_in_text(text_of):
    """The range is that of most records, and the number beyond it is written."""
    display = loss_difference_of_heavy_tails()
    below, above = display.beyond
    written = " ".join(text_of(drawn(display).figure_))

    assert 0.01 == pytest.approx(below / display.n, rel=0.1)
    assert f"{below:,} beyond" in written
    assert f"{above:,} beyond" in written


def test_moments_have_their_mean_alone():
    """Losses that were summed elsewhere have one panel, and words say why."""
    rng = np.random.default_rng(0)
    losses = PairedLosses.from_losses(*rng.random((2, 50)), keep_values=False)
    display = drawn(LossDifferenceDisplay.of_result(losses))

    assert 1 == len(display.axes_)
    assert [50] == display.frame()["records"].tolist()
    assert "only the moments were kept" in display.ax_.get_title()


def edge_cases():
    """All equal, all by the same difference, one always better."""
    for old, new in (
        ([0.5, 0.5], [0.5, 0.5]),
        ([0.5, 0.75], [0.25, 0.5]),
        ([0.1, 0.2, 0.3], [0.4, 0.6, 0.7]),
    ):
        yield LossDifferenceDisplay.of_result(PairedLosses.from_losses(old, new))


def one_sided():
    """A display of an interval with one limit."""
    rng = np.random.default_rng(0)
    losses = PairedLosses.from_losses(*rng.random((2, 50)))
    return LossDifferenceDisplay.of_result(losses, alternative="greater")


def test_edge_cases():
    """Each can be drawn, with all of its records."""
    shown = [drawn(display).frame()["records"].sum() for display in edge_cases()]

    assert [2, 2, 3] == shown


def test_one_sided_interval():
    """The side without a limit has no end within the picture."""
    display = drawn(one_sided())
    ends = [line for line in display.axes_[2].get_lines() if line.get_marker() == "|"]

    assert [1] == [len(line.get_xdata()) for line in ends]


@pytest.mark.slow
def test_text_fit(overlaps):
    """Also of what is hard to draw."""
    for display in (*edge_cases(), one_sided()):
        assert ([], []) == overlaps(drawn(display).figure_)


def test_cross_validated_losses_have_no_interval():
    """No t test is valid for them; the mean is shown alone."""
    rng = np.random.default_rng(0)
    losses = PairedLosses.from_losses(*rng.random((2, 50)))
    losses = PairedLosses(losses.moments, losses.values, design=Design("kfold", n_folds=5))
    display = drawn(LossDifferenceDisplay.of_result(losses))

    assert display.finding.low is None
    assert "no p-value for 5-fold cross-validation" in display.summary


def test_largest_differences_are_in_the_last_bin():
    """Rounding of the limits of bins does not leave records beyond the picture."""
    for most, sign in itertools.product(
        [0.093102100929, 0.771614158324, 0.443525994236], [1, -1]
    ):
        for others in (0.35, 0.6, 0.95):
            gains = sign * np.array([most, most, most / 3, -others * most])
            losses = PairedLosses.from_losses(1 + gains, np.ones(4))
            for bins in (2, 3, 7, 12, 20, 29, 40):
                display = LossDifferenceDisplay.of_result(losses, bins=bins)
                assert (0, 0) == display.beyond
                assert 4 == display.records.sum()


def test_caveats_of_the_test_are_told(text_of):
    """Gains that do not vary have an interval of no length, which proves nothing."""
    losses = PairedLosses.from_losses([0.5, 0.75], [0.25, 0.5])
    display = drawn(LossDifferenceDisplay.of_result(losses))
    written = " ".join(" ".join(text_of(display.figure_)).split())

    assert display.finding.caveats
    assert all(caveat in display.summary for caveat in display.finding.caveats)
    assert all(caveat in written for caveat in display.finding.caveats)
