"""Relative reductions of mean losses as a forest plot."""

import math

import numpy as np
import pytest

from skcompare import Comparison, PairedComparator, compare
from skcompare.evidence import PairedLosses
from skcompare.plots import LossReductionDisplay
from skcompare.plots.drawing._layout import new_figure
from skcompare.stats import clustered_relative_loss, paired_t, relative_loss

RNG = np.random.default_rng(0)
Y = RNG.normal(size=240)
OLD, NEW = Y + RNG.normal(size=240), Y + 0.9 * RNG.normal(size=240)
BOTH = {"old": OLD, "new": NEW}
GROUPS = np.repeat(np.arange(80), 3)


def losses_of(loss, scale=1.0):
    return PairedLosses.from_predictions(Y * scale, OLD * scale, NEW * scale, loss=loss)


def assert_is(result, row):
    """A row has the numbers of a test."""
    low, high = result.confidence_interval()
    assert [result.estimate, low, high, result.pvalue] == pytest.approx(
        [row.estimate, row.low, row.high, row.pvalue]
    )
    assert result.test == row.test


def test_rows_are_tests_of_the_measures():
    """Of a comparison the losses behind its measures, of predictions two errors."""
    squared, absolute = map(
        relative_loss, map(losses_of, ("squared_error", "absolute_error"))
    )
    comparison = compare(Y, BOTH)
    for display in (
        LossReductionDisplay.of_result(comparison),
        LossReductionDisplay.of_result(comparison.source.pair),
        LossReductionDisplay.from_predictions(Y, OLD, NEW),
    ):
        assert ["mean squared error", "mean absolute error"] == [
            r.name for r in display.rows
        ]
        assert_is(squared, display.rows[0])
        assert_is(absolute, display.rows[1])
    grouped = LossReductionDisplay.of_result(compare(Y, BOTH, groups=GROUPS))
    losses = PairedLosses.from_predictions(Y, OLD, NEW, loss="squared_error", groups=GROUPS)
    assert_is(clustered_relative_loss(losses), grouped.rows[0])


def test_tested_reductions_are_taken():
    """Those that a comparison has, also one that was read from JSON."""
    options = {"scoring": "neg_mean_absolute_error", "tests": ["relative_loss"]}
    comparison = compare(Y, BOTH, **options)
    (row,) = LossReductionDisplay.of_result(comparison).rows
    stored = Comparison.from_json(comparison.to_json())
    (again,) = LossReductionDisplay.of_result(stored).rows

    assert_is(relative_loss(losses_of("absolute_error")), row)
    assert row.estimate == again.estimate


def test_names_and_units():
    """Results in a dict have its names, and losses their unit."""
    result = relative_loss(losses_of("squared_error", 1e-5))
    display = LossReductionDisplay.of_result({"early": result, "late": result}, alpha=0.1)
    panel = display._panel(display.rows, display.rows[0].unit)

    assert ["early", "late"] == [row.name for row in display.rows]
    assert 0.9 == display.rows[0].level
    assert "0.000 →" not in panel.columns["from → to"][0]


def test_a_loss_of_zero():
    """Its reduction is all, or minus infinity, and is drawn."""
    y = [1.0, 2.0, 0.5]
    both = [y, [1.5, 2.2, 0.1]]
    for predictions, expected in ((both[::-1], 1.0), (both, -math.inf)):
        display = LossReductionDisplay.of_result(
            relative_loss(y, *predictions, loss="squared_error")
        )

        assert expected == display.rows[0].estimate
        display.plot(ax=new_figure(display._room())[1])


def test_refusals():
    """Other results, measures and designs have no reduction of losses."""
    with pytest.raises(ValueError, match="no reduction of a mean loss, but: gain"):
        LossReductionDisplay.of_result(paired_t(losses_of("squared_error")))
    with pytest.raises(ValueError, match="no measure of the comparison is a mean"):
        LossReductionDisplay.of_result(compare(Y, BOTH, scoring="pearson_correlation"))
    with pytest.raises(TypeError, match="Got str"):
        LossReductionDisplay.of_result("ratio")
    labels = (Y > 0).astype(int)
    with pytest.raises(ValueError, match="shows predictions of numbers"):
        LossReductionDisplay.of_result(compare(labels, {"a": labels, "b": 1 - labels}))
    with pytest.raises(TypeError, match="no option tests"):
        LossReductionDisplay.of_result(compare(Y, BOTH), tests="relative_loss")


def test_cross_validation_has_no_reduction():
    """The test is for hold-outs."""
    from sklearn.linear_model import BayesianRidge, Ridge

    X = np.column_stack([OLD, NEW])
    folds = PairedComparator(Ridge(), BayesianRidge(), random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="on a hold-out"):
        LossReductionDisplay.of_result(folds)
