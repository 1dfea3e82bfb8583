"""Tail probabilities, where they are easy and where doubles end."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats
from scipy.special import log_ndtr

from skcompare.stats.core._tails import binomial_pvalue, chi2_pvalue, normal_pvalue

TINY = float(np.finfo(float).tiny)
ALTERNATIVES = ("two-sided", "less", "greater")


@cache
def ways(k, n):
    """Choices of k, and of fewer, of n, in whole numbers."""
    of_k = term = math.comb(n, k)
    fewer = 0
    for j in range(k, 0, -1):
        term = term * j // (n - j + 1)
        fewer += term
        # Terms fall geometrically below the middle; what is left is below 1e-30 of all.
        if term * n * 10**30 < of_k + 2 * fewer:
            break
    return of_k, fewer


def log_lower_tail(k, n, mid):
    """Logarithm of P(X <= k), less half of P(X = k) for mid-p, in whole numbers."""
    of_k, fewer = ways(k, n)
    doubled = (of_k if mid else 2 * of_k) + 2 * fewer
    shift = doubled.bit_length()
    return math.log(Fraction(doubled, 2**shift)) + (shift - n - 1) * math.log(2)


def test_exact_agrees_with_scipy():
    """It is scipy's exact binomial test for every outcome."""
    for n, alternative in itertools.product([1, 2, 3, 7, 20, 101], ALTERNATIVES):
        for k in range(n + 1):
            expected = stats.binomtest(k, n, alternative=alternative).pvalue
            pvalue, log_pvalue = binomial_pvalue(k, n, alternative, mid=False)

            assert expected == pytest.approx(pvalue, rel=1e-12, abs=0)
            assert math.log(expected) == pytest.approx(log_pvalue, abs=1e-12)


def test_mid_p_counts_half_of_what_is_observed():
    """One-sided always; two-sided twice the smaller tail, and 1 - f/2 at the middle."""
    for n in [1, 2, 3, 7, 20, 101]:
        half = stats.binom(n, 0.5)
        for k in range(n + 1):
            less = half.cdf(k) - half.pmf(k) / 2
            greater = half.sf(k - 1) - half.pmf(k) / 2
            two_sided = 1 - half.pmf(k) / 2 if 2 * k == n else 2 * min(less, greater)

            for alternative, expected in zip(ALTERNATIVES, (two_sided, less, greater)):
                pvalue, log_pvalue = binomial_pvalue(k, n, alternative, mid=True)
                assert expected == pytest.approx(pvalue, rel=1e-11, abs=0)
                assert math.log(expected) == pytest.approx(log_pvalue, abs=1e-11)


def test_logarithm_in_the_tail():
    """Whole-number arithmetic gives the same, below the doubles as well."""
    for mid, (k, n) in itertools.product(
        [False, True],
        [
            (0, 900),
            (0, 1100),
            (0, 1021),
            (38, 1200),
            (39, 1200),
            (3, 1000),
            (10, 1100),
            (300, 2000),
            (0, 100_000),
            (1, 100_000),
            (30_000, 100_000),
            (9_000, 20_000),
            (9_800, 20_000),
        ],
    ):
        one_tail = log_lower_tail(k, n, mid)
        for alternative, count, expected in (
            ("less", k, one_tail),
            ("greater", n - k, one_tail),
            ("two-sided", k, one_tail + math.log(2)),
            ("two-sided", n - k, one_tail + math.log(2)),
        ):
            pvalue, log_pvalue = binomial_pvalue(count, n, alternative, mid=mid)

            assert expected == pytest.approx(log_pvalue, rel=1e-10)
            assert max(TINY, math.exp(expected)) == pytest.approx(pvalue, rel=1e-7, abs=0)


def test_binomial_pvalue_never_vanishes():
    """An underflowing p is the smallest normal double, whatever the alternative."""
    for mid, alternative in itertools.product([False, True], ALTERNATIVES):
        count = 10_000 if alternative == "greater" else 0
        pvalue, log_pvalue = binomial_pvalue(count, 10_000, alternative, mid=mid)

        assert TINY == pvalue
        assert -10_000 * math.log(2) == pytest.approx(log_pvalue, rel=1e-3)


def test_logarithm_where_the_computation_changes():
    """From far below the doubles to the middle, every logarithm is exact to 9 digits."""
    n = 1200
    for mid in (False, True):
        expected = [log_lower_tail(k, n, mid) for k in range(80)]

        actual = [binomial_pvalue(k, n, "less", mid=mid)[1] for k in range(80)]

        np.testing.assert_allclose(expected, actual, rtol=0, atol=1e-9)


def test_pvalues_rise_with_the_logarithm():
    """A smaller logarithm never comes with a larger p-value."""
    n = 1200
    for mid in (False, True):
        pvalues = [binomial_pvalue(k, n, "less", mid=mid)[0] for k in range(n + 1)]

        assert sorted(pvalues) == pvalues
        assert pvalues[-1] <= 1


def test_normal():
    """Two-sided it is chi-squared of z², one-sided a tail; logarithms go on."""
    for z in [-40, -8.3, -1, -0.2, 0.0, 0.2, 1.96, 8.3, 37, 38.5, 200, 1e4]:
        for alternative, expected, log_expected in (
            ("two-sided", stats.chi2.sf(z * z, 1), math.log(2) + log_ndtr(-abs(z))),
            ("greater", stats.norm.sf(z), log_ndtr(-z)),
            ("less", stats.norm.cdf(z), log_ndtr(z)),
        ):
            pvalue, log_pvalue = normal_pvalue(z, alternative)

            assert max(expected, TINY) == pytest.approx(pvalue, rel=1e-12, abs=0)
            assert log_expected == pytest.approx(log_pvalue, rel=1e-12, abs=1e-15)
            assert 0 < pvalue <= 1
            assert log_pvalue <= 0


def test_normal_at_zero():
    """No distance is p = 1 two-sided and 1/2 one-sided."""
    assert (1.0, 0.0) == normal_pvalue(0.0, "two-sided")
    assert 0.5 == normal_pvalue(0.0, "greater")[0]
    assert 0.5 == normal_pvalue(-0.0, "less")[0]


def test_chi_squared_agrees_with_scipy():
    """It is scipy's survival function, with its logarithm."""
    for df in [1, 2, 3, 9, 50, 1000]:
        for statistic in (0.1, 1.0, 2.5, 20.0, df / 2, df + 3.0, 2.0 * df):
            expected = stats.chi2.sf(statistic, df)
            pvalue, log_pvalue = chi2_pvalue(statistic, df)

            assert expected == pytest.approx(pvalue, rel=1e-12, abs=0)
            assert math.log(expected) == pytest.approx(log_pvalue, abs=1e-11)


def test_chi_squared_tail_where_doubles_end():
    """One degree of freedom is a normal tail, two an exponential one, four a sum."""
    for statistic in [1100.0, 1400.0, 1e4, 1e8]:
        pvalue, log_pvalue = chi2_pvalue(statistic, 1)
        half = statistic / 2

        assert normal_pvalue(math.sqrt(statistic), "two-sided")[1] == pytest.approx(
            log_pvalue
        )
        assert pvalue >= TINY
        assert -half == pytest.approx(chi2_pvalue(statistic, 2)[1], rel=1e-12)
        assert -half + math.log1p(half) == pytest.approx(chi2_pvalue(statistic, 4)[1])


def test_many_degrees_of_freedom_far_in_the_tail():
    """For whole halves the tail is a Poisson sum, which is added up in logarithms."""
    df, statistic = 2000, 8000.0
    k = np.arange(df // 2)
    log_factorials = np.concatenate([[0], np.cumsum(np.log(np.arange(1, df // 2)))])
    expected = np.logaddexp.reduce(k * math.log(statistic / 2) - log_factorials)

    assert expected - statistic / 2 == pytest.approx(chi2_pvalue(statistic, df)[1])


def test_chi_squared_without_degrees_of_freedom():
    """Nothing to test is p = 1, and so is a statistic of 0."""
    assert (1.0, 0.0) == chi2_pvalue(0.0, 0)
    assert (1.0, 0.0) == chi2_pvalue(0.0, 3)
