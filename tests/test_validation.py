"""Checks of what users pass in."""

import datetime
import math

import numpy as np
import pytest

from skcompare._labels import check_labels, class_codes, classes_of
from skcompare._validation import (
    check_alpha,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_count,
    check_probabilities,
    check_same_length,
    integral,
    unknown_name,
)


def test_unknown_name():
    """The message has the nearest known name, and all of them sorted."""
    message = str(unknown_name("test", "mcnemr", ["mcnemar", "delong"]))

    assert (
        "Unknown test 'mcnemr'. Did you mean 'mcnemar'? Known: delong, mcnemar." == message
    )
    assert "Did you mean" not in str(unknown_name("test", "zzz", ["mcnemar"]))
    assert "Unknown test 3." in str(unknown_name("test", 3, ["mcnemar"]))


@pytest.mark.parametrize("wrong", ["Two-sided", "two_sided", "", None, 1, ["less"]])
def test_alternative(wrong):
    """Only scipy's three words are directions."""
    assert ["two-sided", "less", "greater"] == [
        check_alternative(word) for word in ("two-sided", "less", "greater")
    ]
    with pytest.raises(ValueError, match=r"Unknown alternative .* Known: greater, less"):
        check_alternative(wrong)


def test_choice():
    """A choice is one of the names given."""
    assert "b" == check_choice("letter", "b", ("a", "b"))
    with pytest.raises(ValueError, match="Unknown letter 'c'"):
        check_choice("letter", "c", ("a", "b"))


@pytest.mark.parametrize("alpha", [1e-12, 0.05, 0.5, np.float32(0.25), np.float64(0.1)])
def test_alpha(alpha):
    """A level in (0, 0.5] comes back as a float."""
    assert float(alpha) == check_alpha(alpha)
    assert type(check_alpha(alpha)) is float


@pytest.mark.parametrize("wrong", [0, -0.05, 0.500001, 5, math.nan, "0.05", None, True])
def test_no_alpha(wrong):
    """Anything else is refused with what was given and what is usual."""
    with pytest.raises(ValueError, match=r"`alpha` must be .* Got .*0.05 is usual"):
        check_alpha(wrong)


@pytest.mark.parametrize("wrong", [0, 1, 95, -0.95, math.nan, "0.95", None, True])
def test_no_confidence_level(wrong):
    """A percentage is refused with the fraction to pass."""
    with pytest.raises(ValueError, match=r"`confidence_level` must be .* Pass 0.95"):
        check_confidence_level(wrong)
    assert 0.9 == check_confidence_level(np.float64(0.9))


def test_count():
    """A count is an integer of at least the least."""
    assert 3 == check_count("n", np.int64(3))
    assert 0 == check_count("n", 0, least=0)
    for wrong in (0, -1, 2.0, "3", None, True):
        with pytest.raises(ValueError, match="`n` must be an integer of at least 1"):
            check_count("n", wrong)


def test_same_length():
    """Lengths must agree and not be 0; the message has each."""
    assert 2 == check_same_length(a=[1, 2], b=np.zeros((2, 5)))
    with pytest.raises(ValueError, match=r"a has 2, b has 3. Join the answers"):
        check_same_length(a=[1, 2], b=[1, 2, 3])
    with pytest.raises(ValueError, match=r"a, b: expected at least one record"):
        check_same_length(a=[], b=[])


# --------------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("given", "kind"),
    [
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
    ],
)
def test_labels(given, kind):
    """Labels come back one-dimensional, in a type that compares and sorts."""
    labels = check_labels("y", given)

    assert kind == labels.dtype.kind
    assert np.asarray(given).ravel().tolist() == labels.tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
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
    ],
)
def test_no_labels(given, message):
    """Whatever is no label is refused with where and what it is."""
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


def test_integral():
    """Whole numbers of any type are integral, fractions are not."""
    assert integral(np.array([1.0, -2.0, 0.0]))
    assert not integral(np.array([1.0, 0.5]))


# -------------------------------------------------------------------------- classes


def test_classes():
    """All labels that occur, sorted, also those never true."""
    y = np.array([2, 0, 2])

    assert [0, 2] == classes_of(y).tolist()
    assert [0, 1, 2] == classes_of(y, a=np.array([0, 1, 2])).tolist()


def test_constant_truth():
    """With one true class nothing can be told from labels that differ from it."""
    assert [0, 1] == classes_of(np.array([1, 1]), a=np.array([0, 0])).tolist()


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (np.array(["Cat", "dog"]), "'Cat' where `y_true` has 'cat'. Labels must match"),
        (np.array([" cat", "dog"]), "' cat' where `y_true` has 'cat'"),
        (np.array(["CAT", "DOG"]), "'CAT' where `y_true` has 'cat'"),
        (np.array(["mouse", "rat"]), "no label in common with `y_true`: 'mouse', 'rat'"),
        (np.array([0, 1]), r"`a` has numeric labels \(such as 0\) but `y_true` has string"),
    ],
)
def test_answers_about_something_else(answers, message):
    """Labels that cannot be about the same classes are refused."""
    with pytest.raises(ValueError, match=message):
        classes_of(np.array(["cat", "dog"]), a=answers)


def test_case_that_means_something():
    """Labels that differ in case only are fine where the truth has them both."""
    y = np.array(["a", "A"])

    assert ["A", "a"] == classes_of(y, a=np.array(["A", "A"])).tolist()


def test_long_lists_of_labels_are_cut():
    """A message shows five labels and an ellipsis."""
    with pytest.raises(ValueError, match=r"20, 21, 22, 23, 24, \.\.\. against 0, 1, 2"):
        classes_of(np.arange(10), a=np.arange(20, 30))


@pytest.mark.parametrize("n_classes", [1, 2, 128, 129, 40_000])
def test_codes(n_classes):
    """Codes lead back to the labels, in a signed type that is large enough."""
    classes = np.arange(n_classes) * 3
    labels = np.random.default_rng(0).permutation(classes)

    codes = class_codes("y", labels, classes)

    assert "i" == codes.dtype.kind
    assert labels.tolist() == classes[codes].tolist()
    assert codes.min() >= 0


def test_codes_of_unknown_labels():
    """Labels that are no class are named, below, between and above the known ones."""
    with pytest.raises(ValueError, match=r"`y` has labels that are no class: 0, 2, 9"):
        class_codes("y", np.array([1, 0, 2, 9, 3]), np.array([1, 3]))
    with pytest.raises(ValueError, match=r"no class: 'b'. Known classes: 'a'"):
        class_codes("y", np.array(["b"]), np.array(["a"]))


# -------------------------------------------------------------------- probabilities


def test_probabilities():
    """A column a class comes back as float64; of two classes the second will do."""
    expected = [[0.25, 0.75], [1.0, 0.0]]

    assert expected == check_probabilities("p", expected, 2).tolist()
    assert expected == check_probabilities("p", [0.75, 0.0], 2).tolist()
    assert np.float64 == check_probabilities("p", np.float32(expected), 2).dtype


def test_rounding_of_rows():
    """Rows of float32 that sum to 1 within 1e-6 are fine, and stay as they are."""
    rows = np.random.default_rng(0).dirichlet(np.ones(7), size=50).astype(np.float32)

    np.testing.assert_array_equal(rows, check_probabilities("p", rows, 7))


@pytest.mark.parametrize(
    ("given", "n_classes", "message"),
    [
        ([[0.5, 0.6]], 2, r"Each row of `p` must sum to 1. Row 0 sums to 1.1"),
        ([[0.5, 0.5], [0.2, 0.2]], 2, r"Row 1 sums to 0.4"),
        ([[1.5, -0.5]], 2, r"in \[0, 1\]. Got values from -0.5 to 1.5"),
        ([[math.nan, 1.0]], 2, r"missing values \(NaN\)"),
        ([math.nan], 2, r"missing values \(NaN\)"),
        ([[math.inf, 0.0]], 2, r"in \[0, 1\]"),
        ([1.2], 2, r"in \[0, 1\]"),
        ([0.2, 0.3], 3, r"shape \(n_samples, 3\)"),
        ([[0.2, 0.8]], 3, r"Got shape \(1, 2\)"),
        ([[[1.0]]], 1, r"Got shape \(1, 1, 1\)"),
    ],
)
def test_no_probabilities(given, n_classes, message):
    """Scores, NaN, wrong shapes and rows that do not sum to 1 are refused."""
    with pytest.raises(ValueError, match=message):
        check_probabilities("p", given, n_classes)
