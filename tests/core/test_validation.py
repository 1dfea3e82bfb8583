"""Checks of what users pass in."""

import math

import numpy as np
import pytest

from skcompare._core.validation import (
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


def test_many_known_names():
    """Of many names the nearest are listed, or where all are; the message is short."""
    many = [f"name_{k}" for k in range(100)]
    array = np.arange(1000)

    message = str(unknown_name("column", "name_7x", many))
    assert "Did you mean 'name_7'? Known: name_7, name_" in message
    assert message.endswith("and 95 more.")
    assert "see skcompare.stats.paired_tests()" in str(unknown_name("test", "t", many))
    for what, name in (("column", "zzz"), ("test", "zzz"), ("scoring", array)):
        message = str(unknown_name(what, name, many))
        assert len(message) < 3 * 92
        assert "\n" not in message


def test_abbreviations():
    """Initials, and a word that few names have, lead to these names."""
    known = ["neg_mean_absolute_error", "neg_root_mean_squared_error", "neg_crps_normal"]
    known += ["neg_crps_samples", "neg_max_error", "r2", "rand_score"]

    for short, names in (
        ("mae", "'neg_mean_absolute_error'"),
        ("RMSE", "'neg_root_mean_squared_error'"),
        ("r2_score", "'r2'"),
        ("crps", "'neg_crps_normal' or 'neg_crps_samples'"),
    ):
        assert f"Did you mean {names}?" in str(unknown_name("scoring", short, known))
    assert "Did you mean" not in str(unknown_name("scoring", "", [*known, "error"]))


def test_alternative():
    """Only scipy's three words are directions."""
    words = ["two-sided", "less", "greater"]
    assert words == [check_alternative(word) for word in words]
    for wrong in ["Two-sided", "two_sided", "", None, 1, ["less"]]:
        with pytest.raises(
            ValueError, match=r"Unknown alternative .* Known: greater, less"
        ):
            check_alternative(wrong)


def test_choice():
    """A choice is one of the names given."""
    assert "b" == check_choice("letter", "b", ("a", "b"))
    with pytest.raises(ValueError, match="Unknown letter 'c'"):
        check_choice("letter", "c", ("a", "b"))


def test_alpha():
    """A level in (0, 0.5] comes back as a float."""
    for alpha in [1e-12, 0.05, 0.5, np.float32(0.25), np.float64(0.1)]:
        assert float(alpha) == check_alpha(alpha)
        assert type(check_alpha(alpha)) is float


def test_no_alpha():
    """Anything else is refused with what was given and what is usual."""
    for wrong in [0, -0.05, 0.500001, 5, math.nan, "0.05", None, True]:
        with pytest.raises(ValueError, match=r"`alpha` must be .* Got .*0.05 is usual"):
            check_alpha(wrong)


def test_no_confidence_level():
    """A percentage is refused with the fraction to pass."""
    assert 0.9 == check_confidence_level(np.float64(0.9))
    for wrong in [0, 1, 95, -0.95, math.nan, "0.95", None, True]:
        with pytest.raises(ValueError, match=r"`confidence_level` must be .* Pass 0.95"):
            check_confidence_level(wrong)


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
    with pytest.raises(ValueError, match=r"a has 2, b has 3. Join the predictions"):
        check_same_length(a=[1, 2], b=[1, 2, 3])
    with pytest.raises(ValueError, match=r"a, b: expected at least one record"):
        check_same_length(a=[], b=[])


def test_integral():
    """Whole numbers of any type are integral, fractions are not."""
    assert integral(np.array([1.0, -2.0, 0.0]))
    assert not integral(np.array([1.0, 0.5]))


# -------------------------------------------------------------------- probabilities


def test_probabilities():
    """One column per class comes back as float64; of two classes the second will do."""
    expected = [[0.25, 0.75], [1.0, 0.0]]

    assert expected == check_probabilities("p", expected, 2).tolist()
    assert expected == check_probabilities("p", [0.75, 0.0], 2).tolist()
    assert np.float64 == check_probabilities("p", np.float32(expected), 2).dtype


def test_rounding_of_rows():
    """Rows of float32 that sum to 1 within 1e-6 are fine, and sum to it exactly then."""
    rows = np.random.default_rng(0).dirichlet(np.ones(7), size=50).astype(np.float32)

    found = check_probabilities("p", rows, 7)
    np.testing.assert_allclose(rows, found, rtol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-15)


def test_no_probabilities():
    """Scores, NaN, wrong shapes and rows that do not sum to 1 are refused."""
    for given, n_classes, message in [
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
    ]:
        with pytest.raises(ValueError, match=message):
            check_probabilities("p", given, n_classes)
