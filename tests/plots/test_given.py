"""What constructors of displays are given by mistake."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import NotFittedError

from skcompare import MultipleComparator, PairedComparator, compare
from skcompare.evidence import ContingencyTable
from skcompare.plots import (
    AgreementDisplay,
    CalibrationComparisonDisplay,
    ContingencyDisplay,
    CriticalDifferenceDisplay,
    ForestDisplay,
    LossDifferenceDisplay,
    PairwiseDisplay,
    PowerDisplay,
    RelativePrecisionDisplay,
    RocComparisonDisplay,
    SampleSizeDisplay,
)
from skcompare.stats import plan_comparison

Y = np.array([0, 1, 1, 0, 1, 0, 1, 1] * 4)
X = [[1.0]] * 32
REGRESSORS = DummyRegressor(), DummyRegressor(strategy="median")
PREDICTIONS = {"old": Y[::-1], "new": np.where(Y == 1, 1, Y[::-1])}
OF_PAIRS = [
    AgreementDisplay,
    CalibrationComparisonDisplay,
    ContingencyDisplay,
    ForestDisplay,
    LossDifferenceDisplay,
    PowerDisplay,
    RelativePrecisionDisplay,
    RocComparisonDisplay,
    SampleSizeDisplay,
]
OF_SEVERAL = [CriticalDifferenceDisplay, PairwiseDisplay]


def test_unfitted_comparators():
    """A comparator that is not fitted is distinguished from what is no result at all."""
    for display in [*OF_PAIRS, *OF_SEVERAL]:
        dummy = DummyClassifier()
        comparators = [PairedComparator(dummy, dummy), MultipleComparator([("A", dummy)])]
        for comparator in comparators:
            with pytest.raises(NotFittedError, match=r"not fitted yet.*Call `fit` first"):
                display.of_result(comparator)
        with pytest.raises(TypeError, match="Got DummyClassifier"):
            display.of_result(dummy)


def test_unknown_options_of_pairs():
    """An option that is not there is named, with those that are."""
    for display in OF_PAIRS:
        with pytest.raises(
            TypeError, match=rf"{display.__name__} has no option .*Known: [a-z]"
        ):
            display.from_predictions(Y, *PREDICTIONS.values(), colour="red")


@pytest.mark.parametrize("display", OF_SEVERAL)
def test_unknown_options_of_several(display):
    """An option that is not there is named, with those that are."""
    with pytest.raises(
        TypeError, match=rf"{display.__name__} has no option colour.*adjust"
    ):
        display.from_predictions(Y, PREDICTIONS, colour="red")


def test_options_of_another_plan():
    """The other display of plans has options that this one does not take."""
    plan = plan_comparison(0.80, 0.85, disagreement=0.15)
    for result in (plan, ContingencyTable(60, 5, 15, 20)):
        with pytest.raises(TypeError, match="PowerDisplay has no option powers"):
            PowerDisplay.of_result(result, powers=[0.8])
        with pytest.raises(TypeError, match="SampleSizeDisplay has no option differences"):
            SampleSizeDisplay.of_result(result, differences=[0.1])


@pytest.mark.parametrize("display", OF_SEVERAL)
def test_predictions_without_names(display):
    """Predictions of several classifiers come by their names."""
    with pytest.raises(TypeError, match=r"must be a mapping of names.*Got list"):
        display.from_predictions(Y, list(PREDICTIONS.values()))


@pytest.mark.parametrize("display", OF_SEVERAL)
def test_unknown_measure(display):
    """A measure that is no score and no loss is unknown, whatever the design."""
    with pytest.raises(ValueError, match=r"Unknown scoring 'acuracy'.*mean 'accuracy'"):
        display.from_predictions(Y, PREDICTIONS, measure="acuracy")


NUMBERS = {"old": Y + 0.5, "new": Y + 0.25 * np.arange(32) % 3, "odd": 1.5 - Y}
OF_CLASSES = [
    AgreementDisplay,
    CalibrationComparisonDisplay,
    ContingencyDisplay,
    RocComparisonDisplay,
]


@pytest.fixture(scope="module")
def comparison_of_numbers():
    """Two predictions of numbers."""
    both = {name: NUMBERS[name] for name in ("old", "new")}
    return compare(Y + 0.125, both, scoring="neg_mean_absolute_error")


def test_numbers_in_displays_of_classes(comparison_of_numbers):
    """They are refused in one line, which names the displays of numbers."""
    folds = PairedComparator(*REGRESSORS, scoring="neg_mean_absolute_error", cv=2)
    for display in OF_CLASSES:
        for result in (comparison_of_numbers, comparison_of_numbers.source.pair):
            with pytest.raises(ValueError, match=f"^{display.__name__} shows .*Forest"):
                display.of_result(result)
    folds.fit(np.arange(32.0).reshape(-1, 1), Y + 0.125)
    with pytest.raises(ValueError, match=r"^Roc.* shows predictions of classes"):
        RocComparisonDisplay.of_result(folds)
    with pytest.raises(ValueError, match="Use ForestDisplay for their differences"):
        RelativePrecisionDisplay.of_result(comparison_of_numbers)
    with pytest.raises(ValueError, match=r"must be a classifier\. Got the regressor"):
        ContingencyDisplay.from_estimators(*REGRESSORS, X, Y)


def test_numbers_in_displays_of_both(comparison_of_numbers):
    """True values with fractions, and regressors, are numbers; a loss may say so too."""
    y, (old, new) = Y + 0.125, (NUMBERS[name] for name in ("old", "new"))
    forest = ForestDisplay.from_predictions(y, old, new)
    expected = comparison_of_numbers.rows[0]
    losses = [
        LossDifferenceDisplay.from_predictions(y, old, new),
        LossDifferenceDisplay.from_predictions(Y, old, new, loss="absolute_error"),
    ]

    rows = {row.name: row for row in forest.rows}
    shown = rows["neg_mean_absolute_error"]
    assert [row.measure for row in compare(y, {"a": old, "b": new}).rows] == list(rows)
    assert (expected.low, expected.high) == (shown.low, shown.high)
    assert expected.pvalue == losses[0].finding.pvalue
    assert "absolute_error" == losses[1].loss
    fitted = [model.fit(X, Y) for model in REGRESSORS]
    shown = ForestDisplay.from_estimators(*fitted, X, Y)
    assert "r2" == shown.rows[0].name
    assert LossDifferenceDisplay.from_estimators(*fitted, X, Y).n == 32


@pytest.mark.parametrize("display", OF_SEVERAL)
def test_several_predictions_of_numbers(display):
    """They are compared by R² by default, or by another measure of numbers."""
    usual = display.from_predictions(Y + 0.125, NUMBERS)
    other = display.from_predictions(Y, NUMBERS, measure="neg_mean_absolute_error")
    models = {name: DummyRegressor(strategy=name).fit(X, Y) for name in ("mean", "median")}
    fitted = display.from_estimators(models, X, Y)

    assert ["r2", "neg_mean_absolute_error", "r2"] == [
        each.several.measure for each in (usual, other, fitted)
    ]
