"""Right predictions counted without a look at the labels of all records."""

import itertools

import numpy as np
import pytest

from skcompare._core.validation import classes_of
from skcompare.evidence import ContingencyTable
from skcompare.evidence.labels import _contingency as module
from skcompare.evidence.labels._contingency import right_cells

TEXT = np.array(["ant", "bee", "caterpillar", "dog", ""])


def drawn(seed, n=3000, n_labels=5):
    """Truth and two predictions, which are right more often than not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_labels, size=n)
    return y, *(
        np.where(rng.random(n) < 0.7, y, rng.integers(n_labels, size=n)) for _ in range(2)
    )


def by_hand(truth, first, second):
    one, two = first == truth, second == truth
    kinds = one & two, one & ~two, two & ~one, ~(one | two)
    return tuple(kind.sum() for kind in kinds)


def test_as_by_hand(monkeypatch):
    """Counts are those of three comparisons, for parts of any size and all kinds."""
    for part, dtype in itertools.product(
        [100, 1000, 10**5], ["int64", "int8", "bool", "U", "U20", "S", "S11"]
    ):
        monkeypatch.setattr(module, "PART", part)
        codes = drawn(0)
        given = [
            TEXT[c].astype(dtype) if dtype[0] in "US" else c.astype(dtype) for c in codes
        ]

        assert by_hand(*given) == right_cells(*given)


def test_texts_of_different_width():
    """An array that lacks the longest label is narrower, and compared all the same."""
    truth, first, second = (TEXT[codes] for codes in drawn(1))
    second = np.where(second == "caterpillar", "ant", second).astype("U3")

    assert by_hand(truth, first, second) == right_cells(truth, first, second)


def test_labels_are_not_sorted_where_they_are_shared(monkeypatch):
    """The labels of all records are not looked at as long as nothing is strange."""

    def refuse(*args, **kwargs):
        raise AssertionError("looked at")

    monkeypatch.setattr(module, "classes_of", refuse)
    codes = drawn(2)
    right_cells(*codes)
    right_cells(*(TEXT[c] for c in codes))


def test_strange_labels_are_refused():
    """Labels that cannot be about the truth are refused as by the check of all labels."""
    for (prediction, message), role in itertools.product(
        [
            ("Ant", "Labels must match exactly"),
            ("bee ", "Labels must match exactly"),
            (None, "no label in common"),
            (3, "numeric labels"),
        ],
        [0, 1],
    ):
        predictions = [TEXT[:3].repeat(2000), TEXT[:3].repeat(2000)]
        truth = predictions[0].copy()
        if prediction is None:
            predictions[role][:] = "zebra"
        elif isinstance(prediction, str):
            predictions[role][-1] = prediction
        else:
            predictions[role] = np.full(len(truth), prediction)

        with pytest.raises(ValueError, match=message) as found:
            ContingencyTable.from_predictions(truth, *predictions)
        with pytest.raises(ValueError, match=message) as expected:
            classes_of(truth, champion=predictions[0], challenger=predictions[1])
        assert str(expected.value) == str(found.value)


@pytest.mark.parametrize("n_labels", [3, 100])
def test_labels_beyond_the_first_records(n_labels):
    """Labels that the truth has late, or many of them, are found by the other way."""
    names = np.array([f"class {k}" for k in range(n_labels)])
    truth = np.sort(names[np.arange(20_000) % n_labels])
    first, second = truth[::-1].copy(), truth.copy()
    second[0] = names[-1]

    assert by_hand(truth, first, second) == right_cells(truth, first, second)


def test_one_number_is_never_right():
    """A prediction without a label in common is refused, unless the truth has one label."""
    truth = np.zeros(10, dtype=np.int64)

    assert (0, 0, 10, 0) == right_cells(truth, truth + 1, truth)
    truth[0] = 5
    with pytest.raises(ValueError, match="no label in common"):
        right_cells(truth, np.full(10, 7), truth)
