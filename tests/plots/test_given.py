"""What constructors of displays are given by mistake."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError

from skcompare import MultipleComparator, PairedComparator
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
