"""The evidence behind a finished comparison."""

import pickle

import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from skcompare import Comparison, PairedComparator, compare
from skcompare.evidence import (
    ContingencyTable,
    PairedBlocks,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
)

Y = [0, 1, 1, 0, 1, 0]
PREDICTIONS = {"old": [0.2, 0.4, 0.9, 0.1, 0.7, 0.6], "new": [0.1, 0.8, 0.9, 0.3, 0.6, 0.2]}


def test_evidence_is_that_of_the_predictions():
    """It is what the evidence's own constructor makes of the same predictions."""
    found = compare(Y, PREDICTIONS).evidence(PlacementValues)
    made = PlacementValues.from_predictions(Y, *PREDICTIONS.values())

    assert made.aucs.tolist() == found.aucs.tolist()


def test_options_reach_the_evidence():
    """The other class may be the positive one; scores then rank it."""
    comparison = compare(Y, PREDICTIONS)

    assert 0 == comparison.evidence(PlacementValues, pos_label=0).pos_label


def test_comparator_hands_on_its_predictions():
    """A 5×2 cross-validation has a pair of tables a repetition."""
    comparator = PairedComparator(DummyClassifier(), GaussianNB(), random_state=0)
    comparison = comparator.fit(*load_iris(return_X_y=True)).comparison_

    assert (5, 2, 4) == comparison.evidence(PairedBlocks).tables.shape


def test_copies_have_the_evidence_too():
    """A comparison that was pickled still makes its evidence."""
    copied = pickle.loads(pickle.dumps(compare(Y, PREDICTIONS)))

    assert 6 == copied.evidence(ContingencyTable).n


def test_json_has_no_predictions():
    """A comparison that was read says that its predictions are not there."""
    read = Comparison.from_json(compare(Y, PREDICTIONS).to_json())

    with pytest.raises(ValueError, match="has no predictions: it was read from JSON"):
        read.evidence(ContingencyTable)


def test_scores_that_nothing_requested_for_are_not_there():
    """Of labels alone no ranking can be made, and the message says what to pass."""
    labels = {"old": [0, 0, 1, 0, 1, 1], "new": [0, 1, 1, 0, 1, 0]}

    with pytest.raises(ValueError, match=r"scores|probabilities"):
        compare(Y, labels).evidence(PlacementValues)


@pytest.mark.parametrize("needs", [PairedLosses, PlacementValues])
def test_labels_only(needs):
    """Where nothing that was compared needs scores, the error says how to get them."""
    comparison = compare(Y, {"old": Y, "new": Y[::-1]})

    with pytest.raises(ValueError, match=r"This comparison has labels only.*'roc_auc'"):
        comparison.evidence(needs)
    with pytest.raises(ValueError, match=r"`pos_label`(?!.*labels only)"):
        compare(Y, PREDICTIONS).evidence(PlacementValues, pos_label=7)


def test_options_of_the_tests_are_those_of_the_evidence():
    """Bins as in the table; others where they are requested; also of a copy."""
    tests = {"calibration_difference": {"n_bins": 2}}
    comparison = compare(Y, PREDICTIONS, scoring="squared_calibration_error", tests=tests)

    for one in (comparison, pickle.loads(pickle.dumps(comparison))):
        assert (2, 2) == tuple(one.evidence(PairedCalibration).n_bins)
        assert (1, 1) == tuple(one.evidence(PairedCalibration, n_bins=1).n_bins)
