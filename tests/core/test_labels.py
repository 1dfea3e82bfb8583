"""Class labels: what is taken for one, and how they are encoded."""

import datetime
import math

import numpy as np
import pytest

from skcompare._core import validation
from skcompare._core.validation import check_labels, class_codes, classes_of, encode_labels


def test_labels():
    """Labels come back one-dimensional, in a type that compares and sorts."""
    for given, kind in [
        ([1, 2, 3], "i"),
        (np.array([1, 2], dtype=np.uint8), "u"),
        ([1.0, -2.0], "i"),
        ([True, False], "b"),
        (["a", "bcd"], "U"),
        (np.array(["a", "b"], dtype=object), "U"),
        (np.array([1, 2], dtype=object), "i"),
        (np.array([True, False], dtype=object), "b"),
        (np.array([b"a", b"b"]), "S"),
        (np.array([[1], [2]]), "i"),
        (np.array([-(2**40), 2**40], dtype=float), "i"),
    ]:
        labels = check_labels("y", given)

        assert kind == labels.dtype.kind
        assert np.asarray(given).ravel().tolist() == labels.tolist()


def test_no_labels():
    """Whatever is no label is refused with where and what it is."""
    for given, message in [
        (3, "class labels of shape"),
        ([[1, 2], [3, 4]], r"shape \(2, 2\). Multilabel"),
        ([1.0, math.nan, 2.0, math.nan], r"missing labels. Got 2, the first at position 1"),
        ([1.0, math.inf], "missing labels. Got 1, the first at position 1"),
        (np.array([1, None], dtype=object), r"missing labels. .* position 1"),
        (np.array(["a", math.nan], dtype=object), r"missing labels. .* position 1"),
        (np.array(["a", 1], dtype=object), "Got strings and numbers mixed"),
        ([0.5, 1.0], "not whole, for example 0.5"),
        ([1j], "dtype complex128"),
        (np.array(["2020-01-01", "NaT"], dtype="M8[D]"), "missing labels"),
    ]:
        with pytest.raises(ValueError, match=message):
            check_labels("y", given)


@pytest.mark.parametrize("given", [["a", math.nan], ["a", 1], ["a", True]])
def test_lists_that_numpy_would_make_strings(given):
    """A missing value or a number among strings is seen in a list as well."""
    with pytest.raises(ValueError, match=r"missing labels|labels of one type"):
        check_labels("y", given)


def test_dates_are_no_labels():
    """Dates are refused by their type, not counted."""
    with pytest.raises(ValueError, match="must be integer, boolean or string labels"):
        check_labels("y", np.array(["2020-01-01"], dtype="M8[D]"))
    with pytest.raises(ValueError, match="`y` must"):
        check_labels("y", [datetime.date(2020, 1, 1)])


def test_labels_are_not_copied_needlessly():
    """An integer array comes back as it is."""
    y = np.array([1, 2, 3])

    assert check_labels("y", y) is y


# -------------------------------------------------------------------------- classes


def test_classes():
    """All labels that occur, sorted, also those never true."""
    y = np.array([2, 0, 2])

    assert [0, 2] == classes_of(y).tolist()
    assert [0, 1, 2] == classes_of(y, a=np.array([0, 1, 2])).tolist()


def test_constant_truth():
    """With one true class nothing can be told from labels that differ from it."""
    assert [0, 1] == classes_of(np.array([1, 1]), a=np.array([0, 0])).tolist()


def test_predictions_about_something_else():
    """Labels that cannot be about the same classes are refused."""
    for predictions, message in [
        (np.array(["Cat", "dog"]), "'Cat' where `y_true` has 'cat'. Labels must match"),
        (np.array([" cat", "dog"]), "' cat' where `y_true` has 'cat'"),
        (np.array(["CAT", "DOG"]), "'CAT' where `y_true` has 'cat'"),
        (np.array(["mouse", "rat"]), "no label in common with `y_true`: 'mouse', 'rat'"),
        (np.array([0, 1]), r"`a` has numeric labels \(such as 0\) but `y_true` has string"),
    ]:
        with pytest.raises(ValueError, match=message):
            classes_of(np.array(["cat", "dog"]), a=predictions)


def test_case_that_means_something():
    """Labels that differ in case only are fine where the truth has them both."""
    y = np.array(["a", "A"])

    assert ["A", "a"] == classes_of(y, a=np.array(["A", "A"])).tolist()


def test_long_lists_of_labels_are_cut():
    """A message shows five labels and an ellipsis."""
    with pytest.raises(ValueError, match=r"20, 21, 22, 23, 24, \.\.\. against 0, 1, 2"):
        classes_of(np.arange(10), a=np.arange(20, 30))


def test_codes():
    """Codes lead back to the labels, in a signed type that is large enough."""
    for n_classes in [1, 2, 128, 129, 40_000]:
        classes = np.arange(n_classes) * 3
        labels = np.random.default_rng(0).permutation(classes)

        codes = class_codes("y", labels, classes)

        assert "i" == codes.dtype.kind
        assert labels.tolist() == classes[codes].tolist()
        assert codes.min() >= 0


def test_codes_of_unknown_labels():
    """Labels that are no class are named, below, between and above the known ones."""
    with pytest.raises(ValueError, match=r"`y` has labels that are not classes: 0, 2, 9"):
        class_codes("y", np.array([1, 0, 2, 9, 3]), np.array([1, 3]))
    with pytest.raises(ValueError, match=r"not classes: 'b'. Known classes: 'a'"):
        class_codes("y", np.array(["b"]), np.array(["a"]))


# ------------------------------------------------------------------------- encoding

STRINGS = np.array(["ant", "bee", "cow", "", "a much longer label than the others", "Ant"])
LABELS = {
    "small integers": np.array([0, 1, 2, 5]),
    "negative integers": np.array([-7, 0, 3]),
    "far apart": np.array([-(2**62), 0, 2**62]),
    "at the end of their type": np.array([-128, 127, 3], dtype=np.int8),
    "unsigned": np.array([2**64 - 1, 2**64 - 3], dtype=np.uint64),
    "one": np.array([9]),
    "bool": np.array([False, True]),
    "only true": np.array([True]),
    "strings": STRINGS,
    "bytes": np.array([b"a", b"bc", b""]),
    "empty strings": np.array([""]),
    "many": np.arange(1000) * 7,
    "many strings": np.array([f"class {i}" for i in range(3000)]),
}


def test_encoding_agrees_with_numpy():
    """Classes and codes are those of numpy's sorting, for any kind of label."""
    for name in LABELS:
        rng = np.random.default_rng(3)
        labels = LABELS[name]
        y = rng.choice(labels, 4000)
        predictions = rng.choice(y, 4000)
        expected, codes = np.unique(np.concatenate([y, predictions]), return_inverse=True)

        classes, (y_codes, prediction_codes) = encode_labels(y, {"answers": predictions})

        assert expected.tolist() == classes.tolist()
        assert codes.tolist() == [*y_codes.tolist(), *prediction_codes.tolist()]
        assert "i" == y_codes.dtype.kind


def test_encoding_of_different_types():
    """Integers of several types, and strings of several lengths, are the same labels."""
    classes, codes = encode_labels(
        np.array([1, 200], dtype=np.uint8),
        {"a": np.array([200, -1]), "b": np.array([True, True])},
    )

    assert [-1, 1, 200] == classes.tolist()
    assert [[1, 2], [2, 0], [1, 1]] == [list(c) for c in codes]

    classes, codes = encode_labels(np.array(["a", "bcd"]), {"a": np.array(["a", "a"])})
    assert [[0, 1], [0, 0]] == [list(c) for c in codes]


@pytest.mark.parametrize("slots", [1, 4])
def test_strings_that_share_a_slot(slots, monkeypatch):
    """Labels that hash alike are distinguished, by the whole hash and by sorting."""
    y = np.random.default_rng(0).choice(STRINGS, 500)
    expected = np.unique(y, return_inverse=True)[1].tolist()
    monkeypatch.setattr(validation, "SLOTS", slots)

    assert expected == encode_labels(y, {})[1][0].tolist()

    monkeypatch.setattr(
        validation, "_hashes", lambda array: np.zeros(len(array), np.uint64)
    )
    assert expected == encode_labels(y, {})[1][0].tolist()


def test_strings_that_are_not_contiguous():
    """A column of a table of strings is encoded like any other array."""
    table = np.array([["a", "x"], ["b", "y"], ["a", "z"]])

    assert [0, 1, 0] == encode_labels(table[:, 0], {})[1][0].tolist()
    assert [0, 1, 0] == encode_labels(table[::-1, 0], {})[1][0].tolist()


def test_messages_name_the_reference():
    """Without a truth, a message names the array that the other is held against."""
    with pytest.raises(ValueError, match="`b` has no label in common with `a`"):
        encode_labels(np.array([0, 1]), {"b": np.array([5, 6])}, reference="a")


def late_label(n=5000):
    """A label that only the last record has."""
    return np.append(np.tile([0, 3, 1], n), 2)


def test_classes_of_integers_of_any_type():
    """Few small integers take a short way, with the same classes and codes."""
    for labels in [
        np.tile([0, 1, 2], 9),
        np.array([5, 0, 5]),
        np.array([-1, 0, 3], dtype=np.int8),
        np.array([0, 127], dtype=np.int8),
        np.array([0, 200, 255, 4], dtype=np.uint8),
        np.array([255, 256, 0], dtype=np.uint16),
        np.array([2, 0, 1], dtype=">i4"),
        np.arange(12)[::-3],
        late_label(),
        np.array([0, 2**63], dtype=np.uint64),
    ]:
        classes, codes = encode_labels(labels, {"a": labels[:1], "b": labels[::-1]})

        assert sorted(set(labels.tolist())) == classes.tolist()
        assert classes.tolist() == classes_of(labels, a=labels[:1], b=labels).tolist()
        assert labels.tolist() == classes[codes[0]].tolist()
        assert labels[:1].tolist() == classes[codes[1]].tolist()
        assert labels[::-1].tolist() == classes[codes[2]].tolist()


def test_labels_of_short_floats():
    """Floats of two bytes are compared with a limit that they cannot hold."""
    labels = check_labels("y", np.array([0, 1, 65504], dtype=np.float16))

    assert [0, 1, 65504] == labels.tolist()
