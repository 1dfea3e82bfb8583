"""Agreement matrices: two classifiers against each other, without the truth."""

import pickle

import numpy as np
import pytest

from skcompare.evidence import AgreementMatrix
from tests.common.subjects import random_predictions

BOOK = [[70, 6, 4], [10, 55, 5], [8, 7, 35]]


def test_numbers_of_the_book():
    """ML & Signals Learning, Example 14.10: margins and agreements."""
    matrix = AgreementMatrix(BOOK, ["A", "B", "C"])

    assert 200 == matrix.n
    assert 160 == matrix.n_agreed
    champion, challenger = matrix.label_counts
    assert [80, 70, 50] == champion.tolist()
    assert [88, 68, 44] == challenger.tolist()


def test_rows_are_the_champion():
    """A record is in the row of the champion's and the column of the other's label."""
    matrix = AgreementMatrix.from_predictions(["a", "a", "b"], ["a", "b", "c"])

    assert ["a", "b", "c"] == matrix.classes.tolist()
    assert [[1, 1, 0], [0, 0, 1], [0, 0, 0]] == matrix.counts.tolist()
    assert matrix.counts.T.tolist() == matrix.swap().counts.tolist()


def test_labels_can_be_given():
    """With all labels named, classes that nobody gives are there, others refused."""
    matrix = AgreementMatrix.from_predictions([1, 2], [2, 2], labels=[3, 1, 2])

    assert [1, 2, 3] == matrix.classes.tolist()
    with pytest.raises(ValueError, match="`challenger` has labels that are not classes: 4"):
        AgreementMatrix.from_predictions([1, 2], [2, 4], labels=[1, 2])
    assert 0 == AgreementMatrix.from_predictions([0, 1], [2, 2], labels=[0, 1, 2]).n_agreed


def test_labels_with_nothing_in_common():
    """Predictions of two different problems are refused."""
    with pytest.raises(ValueError, match="`challenger` has no label in common with `cham"):
        AgreementMatrix.from_predictions([0, 1], [5, 6])
    with pytest.raises(ValueError, match="`challenger` has string labels"):
        AgreementMatrix.from_predictions([0, 1], ["0", "1"])


def test_from_pair_keeps_all_classes():
    """A class that nobody gives keeps its place among the known ones."""
    predictions = random_predictions("holdout", 30, 1, n_classes=3)

    matrix = AgreementMatrix.from_pair(predictions.pair("champion", "challenger"))

    assert predictions.classes.tolist() == matrix.classes.tolist()
    assert 30 == matrix.n


def test_classes_are_united():
    """Shards with different classes add up over all of them."""
    one = AgreementMatrix([[1]], ["b"])
    other = AgreementMatrix([[2, 3], [4, 5]], ["a", "b"])

    assert other + one == one + other
    assert [[2, 3], [4, 6]] == (one + other).counts.tolist()


def test_a_thousand_classes():
    """A thousand classes are one matrix."""
    labels = np.random.default_rng(0).integers(1000, size=(2, 50_000))

    matrix = AgreementMatrix.from_predictions(*labels)

    assert (1000, 1000) == matrix.counts.shape
    assert 50_000 == matrix.n
    assert (labels[0] == labels[1]).sum() == matrix.n_agreed


def test_no_agreement_matrix():
    """What cannot be counts is refused."""
    for counts, classes, message in [
        ([[1, 2]], [0], r"shape \(n_classes=1, n_classes=1\). Got \(1, 2\)"),
        (
            [[1, 0], [0, 1]],
            [0, 1, 2],
            r"`counts` must have shape \(n_classes=3, n_classes=3\)",
        ),
        ([[0, 0], [0, 0]], [0, 1], "at least one record"),
        ([[1, -1], [0, 0]], [0, 1], "whole counts"),
        ([[1, 0.5], [0, 0]], [0, 1], "whole counts"),
        ([[1, 0], [0, 0]], [1, 0], "sorted order"),
    ]:
        with pytest.raises(ValueError, match=message):
            AgreementMatrix(counts, classes)


def test_is_a_value():
    """Equal matrices are equal, hash alike, and survive pickling read-only."""
    matrix = AgreementMatrix(BOOK, ["A", "B", "C"])
    again = pickle.loads(pickle.dumps(matrix))

    assert matrix == again
    assert hash(matrix) == hash(again)
    assert not again.counts.flags.writeable
    assert matrix != matrix.swap()
    assert matrix != 3
    assert {"counts": BOOK, "classes": ["A", "B", "C"], "design": "holdout"} == (
        matrix.to_dict()
    )
    assert "AgreementMatrix([[1]], ['b'], n=1, design='holdout')" == repr(
        AgreementMatrix([[1]], ["b"])
    )
    large = AgreementMatrix(np.eye(11, dtype=int), range(11))
    assert "AgreementMatrix(..., [0, 1, 2, 3, 4, ...], n=11" in repr(large)
