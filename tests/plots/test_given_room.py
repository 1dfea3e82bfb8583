"""Pictures in axes that were given, and the names of models in them."""

import warnings

import numpy as np
import pytest
from matplotlib import pyplot as plt

from skcompare import compare, compare_seeds
from skcompare.plots import (
    ContingencyDisplay,
    ForestDisplay,
    PairwiseDisplay,
    TrainingVarianceDisplay,
)
from tests.plots.cases import CASES

Y = np.arange(200) % 2
OLD, NEW = (np.where(np.arange(200) < n, 1 - Y, Y) for n in (60, 20))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(4, 3), (6, 4)])
@pytest.mark.parametrize("name", sorted(CASES))
def test_small_axes(name, size):
    """The layout does not collapse, the figure keeps its size, text is within it."""
    figure, ax = plt.subplots(figsize=size, layout="constrained")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = CASES[name]().plot(ax=ax)
        figure.draw_without_rendering()

    assert size == tuple(figure.get_size_inches())
    for panel in display.axes_:
        box = panel.get_window_extent()
        assert box.width > 0.15 * figure.bbox.width
        title = panel.title.get_window_extent()
        if panel.title.get_text():
            assert title.width < 1.02 * figure.bbox.width
    plt.close(figure)


def test_columns_are_left_out_of_narrow_axes(text_of):
    """A forest plot keeps names and intervals, and leaves out tests and p-values."""
    display = ForestDisplay.of_result(compare(Y, {"old": OLD, "new": NEW}))
    _, ax = plt.subplots(figsize=(4, 3), layout="constrained")
    narrow = set(text_of(display.plot(ax=ax).figure_))
    wide = set(text_of(display.plot().figure_))

    assert "mcnemar" in wide - narrow
    assert any(words.startswith("accuracy") for words in wide & narrow)
    plt.close("all")


def test_one_of_many_axes():
    """In a grid of axes, text is scaled to a cell, and other cells stay empty."""
    figure, axes = plt.subplots(2, 2, figsize=(8, 6), layout="constrained")
    ContingencyDisplay.from_predictions(Y, OLD, NEW, ax=axes[0, 1])

    usual = ContingencyDisplay.from_predictions(Y, OLD, NEW).ax_
    assert axes[0, 1].title.get_fontsize() < usual.title.get_fontsize()
    assert not axes[0, 0].has_data()
    plt.close(figure)


def test_names_of_models(text_of):
    """Names stand for the roles where the user gave some, long ones shortened."""
    comparison = compare(Y, {"old": OLD, "new": NEW})
    words = " ".join(text_of(ForestDisplay.from_result(comparison).figure_))
    assert "← old better" in words
    assert "new better →" in words
    assert "champion" not in words

    words = " ".join(text_of(ContingencyDisplay.from_result(comparison).figure_))
    assert "old was" in words
    assert "new was" in words

    trained = {name: [own, np.roll(own, 2)] for name, own in (("old", OLD), ("new", NEW))}
    display = TrainingVarianceDisplay.from_result(compare_seeds(Y, trained))
    assert ["new", "old"] == sorted(t.get_text() for t in display.ax_.get_yticklabels())

    named = compare(Y, {"o" * 40: OLD, "new": NEW})
    words = " ".join(text_of(ForestDisplay.from_result(named).figure_))
    assert "← oooo" in words
    assert "champion" not in words
    plt.close("all")


def test_muted_cells():
    """A pair that does not differ has no colour, and grey text."""
    near = np.where(np.arange(200) < 21, 1 - Y, Y)
    display = PairwiseDisplay.from_predictions(Y, {"old": OLD, "new": NEW, "near": near})
    colours = {text.get_text(): text.get_color() for text in display.ax_.texts[:9]}

    assert "#56616e" == colours["+0.005"]
    assert colours["+0.200*"] != "#56616e" != colours["-0.200*"]
    plt.close("all")
