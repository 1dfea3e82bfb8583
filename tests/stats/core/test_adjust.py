"""Adjusted p-values."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from skcompare.stats import adjust_pvalues
from skcompare.stats.core._adjust import ADJUSTMENTS
from tests.common.golden import golden

CASES = golden("adjust")["cases"]


def test_golden():
    """statsmodels and R agree."""
    for case in CASES:
        expected = pytest.approx(case["value"], rel=case.get("rtol", 1e-12))

        assert expected == adjust_pvalues(case["pvalues"], case["method"]).tolist()


def test_false_discovery_rate_of_scipy():
    """Benjamini and Hochberg's is scipy's, with ties and ends."""
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 30):
        pvalues = rng.random(n).round(1)
        expected = stats.false_discovery_control(pvalues, method="bh")

        actual = adjust_pvalues(pvalues, "benjamini-hochberg")

        np.testing.assert_allclose(expected, actual, rtol=1e-12)


def test_holm_by_its_definition():
    """Holm's p is the largest level-wise product up to it, at most 1."""
    pvalues = np.random.default_rng(1).random(12) ** 3
    ordered = np.sort(pvalues)
    for p, adjusted in zip(pvalues, adjust_pvalues(pvalues)):
        rank = int(np.searchsorted(ordered, p))
        expected = max(min(1, (12 - j) * ordered[j]) for j in range(rank + 1))

        assert expected == pytest.approx(adjusted)


def test_undefined_counts_as_one():
    """An undefined p weakens no correction and stays undefined."""
    for method in [m for m in ADJUSTMENTS if m != "none"]:
        expected = adjust_pvalues([0.01, 0.02, 1.0, 0.03], method)

        actual = adjust_pvalues([0.01, 0.02, math.nan, 0.03], method)

        assert math.isnan(actual[2])
        np.testing.assert_array_equal(expected[[0, 1, 3]], actual[[0, 1, 3]])
        assert actual[0] > adjust_pvalues([0.01, 0.02, 0.03], method)[0]


def test_order_and_bounds():
    """Adjusted values keep the order, are no smaller, and at most 1."""
    for method in ADJUSTMENTS:
        pvalues = np.random.default_rng(2).random(40)
        adjusted = adjust_pvalues(pvalues, method)
        order = np.argsort(pvalues)

        assert (np.diff(adjusted[order]) >= 0).all()
        assert (adjusted >= pvalues).all()
        assert (adjusted <= 1).all()
        shuffled = np.random.default_rng(3).permutation(40)
        np.testing.assert_allclose(
            adjusted[shuffled], adjust_pvalues(pvalues[shuffled], method)
        )


def test_one_test_needs_no_adjustment():
    """A single p-value stays as it is; no p-values stay none."""
    for method in ADJUSTMENTS:
        assert [0.03] == adjust_pvalues([0.03], method).tolist()
        assert [] == adjust_pvalues([], method).tolist()


def test_strength_is_ordered():
    """Bonferroni is at least Holm, Holm at least Hochberg, that at least the FDR."""
    pvalues = np.random.default_rng(4).random(25) ** 2
    chain = ("bonferroni", "holm", "hochberg", "benjamini-hochberg", "none")
    columns = [adjust_pvalues(pvalues, method) for method in chain]
    for stronger, weaker in pairwise(columns):
        assert (stronger >= weaker - 1e-15).all()


def test_the_input_is_left_alone():
    """The caller's array is not sorted, scaled or filled."""
    pvalues = np.array([0.04, np.nan, 0.01])
    adjust_pvalues(pvalues)

    np.testing.assert_array_equal([0.04, np.nan, 0.01], pvalues)


def test_no_probabilities():
    """Values outside [0, 1] are refused."""
    for wrong in [[-0.1, 0.5], [0.2, 1.1], [math.inf]]:
        with pytest.raises(ValueError, match=r"`pvalues` must be in \[0, 1\]"):
            adjust_pvalues(wrong)


def test_no_probabilities_beside_an_undefined_one():
    """The message names the value that is wrong, not NaN."""
    with pytest.raises(ValueError, match=r"or NaN where undefined. Got 1.5"):
        adjust_pvalues([0.2, math.nan, 1.5])


def test_one_dimension():
    """A table of p-values is several families, or needs flattening."""
    for wrong in [[[0.1, 0.2]], 0.05, np.ones((2, 2)) / 2]:
        with pytest.raises(ValueError, match=r"of shape \(n_tests,\). Got shape \("):
            adjust_pvalues(wrong)


def test_unknown_method():
    """A misspelt method is refused with the nearest known one."""
    with pytest.raises(
        ValueError, match=r"Unknown adjustment 'holms'. Did you mean 'holm'"
    ):
        adjust_pvalues([0.1], "holms")
