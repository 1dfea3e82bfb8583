"""Limits of the difference, against slow and independent ways to the same numbers."""

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar
from skcompare.stats.accuracy._limits import conditional_limits, score_limits

TABLES = [
    (25, 15, 200),
    (5, 1, 15),
    (0, 3, 10),
    (7, 0, 9),
    (1, 1, 2),
    (0, 1, 1),
    (2, 4, 6),
    (10, 10, 1000),
    (3, 0, 3),
]
FRACTIONAL = [(4.5, 9.1, 45.45), (0.0, 1.8, 9.1), (0.3, 0.2, 40.0)]


def likeliest_shares(b, c, n, delta):
    """Most likely shares of discordant records when the difference is `delta`."""

    def minus_likelihood(share):
        other = share + delta
        rest = 1 - share - other
        parts = [(b, share), (c, other), (n - b - c, rest)]
        if any(count > 0 and value <= 0 for count, value in parts):
            return math.inf
        return -sum(count * math.log(value) for count, value in parts if count > 0)

    low, high = max(0.0, -delta), (1 - delta) / 2
    found = minimize_scalar(
        minus_likelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-13}
    ).x
    best = min((low, found, high), key=minus_likelihood)
    return best, best + delta


def brute_score(b, c, n, delta):
    """Distance of the counts from `delta` and its standard deviation under it."""
    share, other = likeliest_shares(b, c, n, delta)
    return c - b - n * delta, math.sqrt(max(0.0, n * (share + other - delta**2)))


def test_interval_holds_the_differences_that_are_not_rejected():
    """On a grid, and beside the limits, brute-force tests reject exactly those outside."""
    z = stats.norm.isf(0.025)
    for (b, c, n), correction in itertools.product([*TABLES, *FRACTIONAL], [0, 1]):
        low, high = score_limits(b, c, n, correction, 0.95, "two-sided")
        beside = [limit + step for limit in (low, high) for step in (-1e-4, 1e-4)]
        inside = 0
        for delta in [*np.linspace(-0.999, 0.999, 23), *beside]:
            if min(abs(delta - low), abs(delta - high)) < 1e-6 or abs(delta) > 0.999:
                continue
            distance, deviation = brute_score(b, c, n, delta)
            kept = max(0.0, abs(distance) - correction) <= z * deviation
            assert (low < delta < high) == kept, delta
            inside += kept

        assert 0 < inside
        assert -1 <= low < high <= 1


def test_score_at_the_limits_is_the_quantile():
    """At the limits the score by numeric maximum likelihood is ± z (Tango 1998)."""
    for (b, c, n), level in itertools.product(
        [*TABLES[:3], TABLES[7]], [0.5, 0.9, 0.95, 0.999]
    ):
        z = stats.norm.isf((1 - level) / 2)
        low, high = score_limits(b, c, n, 0, level, "two-sided")

        for limit, expected in ((low, z), (high, -z)):
            distance, deviation = brute_score(b, c, n, limit)
            assert expected == pytest.approx(distance / deviation, rel=1e-5)


def test_without_discordant_records():
    """The limits are ± z² / (n + z²), wide for one record."""
    for n, level in itertools.product([1, 2, 50, 10**7], [0.5, 0.95, 0.999999]):
        z = stats.norm.isf((1 - level) / 2)
        expected = z**2 / (n + z**2)

        limits = score_limits(0, 0, n, 0, level, "two-sided")

        assert (-expected, expected) == pytest.approx(limits, rel=1e-9)


def test_everything_favours_one():
    """If all records favour one side, its end of the scale is not excluded."""
    for n, correction in itertools.product([1, 2, 3, 20, 1000], [0, 1]):
        low, high = score_limits(n, 0, n, correction, 0.95, "two-sided")
        other_low, other_high = score_limits(0, n, n, correction, 0.95, "two-sided")

        assert -1 == low < high <= 1
        assert 1 == other_high
        assert (-high, -low) == pytest.approx((other_low, other_high), abs=1e-15)


def test_everything_favours_one_in_closed_form():
    """With b = n no record is concordant, so T² = n (1 + d) / (1 - d) is solved for d."""
    for n in [1, 4, 20, 5000]:
        z = stats.norm.isf(0.025)
        expected = (z**2 - n) / (z**2 + n)

        _, high = score_limits(n, 0, n, 0, 0.95, "two-sided")

        assert expected == pytest.approx(high, abs=1e-12)


def test_many_records():
    """At ten million records the limits solve the equation of 60 digits."""
    for (b, c, n), correction in itertools.product(
        [(900_000, 1_000_000, 10**7), (3, 11, 10**7), (5_000_000, 4_999_000, 10**7)], [0, 1]
    ):
        z = stats.norm.isf(0.025)
        low, high = score_limits(b, c, n, correction, 0.95, "two-sided")

        for limit, sign in ((low, 1), (high, -1)):
            outward = excess(b, c, n, correction, limit - sign * 1e-11, z)
            inward = excess(b, c, n, correction, limit + sign * 1e-11, z)
            assert inward < 0 < outward


def test_tiny_differences_of_many_records():
    """The limits solve the equation to a millionth of a record, however many there are."""
    for n, (b, c), correction in itertools.product(
        [10**7, 10**10, 10**12],
        [(100, 200), (0, 6), (3, 3), (0, 1), (10**5, 10**5 + 9)],
        [0, 1],
    ):
        z = stats.norm.isf(0.025)
        low, high = score_limits(b, c, n, correction, 0.95, "two-sided")

        assert low < (c - b) / n < high
        for limit, sign in ((low, 1), (high, -1)):
            outward = excess(b, c, n, correction, limit - sign * 1e-6 / n, z)
            inward = excess(b, c, n, correction, limit + sign * 1e-6 / n, z)
            assert inward < 0 < outward


def test_everything_favours_one_of_many_records():
    """Near the end of the scale the limit keeps its digits: 1 + d = 2 z² / (n + z²)."""
    for n in [100, 10**6, 10**10, 10**12]:
        z = stats.norm.isf(0.025)

        low, high = score_limits(n, 0, n, 0, 0.95, "two-sided")

        assert -1 == low
        assert 2 * z**2 / (n + z**2) == pytest.approx(1 + high, rel=1e-4)
        assert (-high, 1.0) == score_limits(0, n, n, 0, 0.95, "two-sided")


def excess(b, c, n, correction, delta, z):
    """How far `delta` is rejected, with the constrained estimate in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        b, c, n, delta, z = (Decimal(float(value)) for value in (b, c, n, delta, z))
        linear = -b - c + (2 * n - c + b) * delta
        root = (linear**2 + 8 * n * b * delta * (1 - delta)).sqrt()
        share = (root - linear) / (4 * n)
        deviation = (n * (2 * share + delta - delta**2)).sqrt()
        return float(abs(c - b - n * delta) - correction - z * deviation)


def test_limits_rise_with_the_evidence():
    """Each record that favours the challenger instead moves both limits up."""
    for correction in (0, 1):
        limits = np.array(
            [score_limits(12 - c, c, 30, correction, 0.9, "two-sided") for c in range(13)]
        )

        assert (np.diff(limits, axis=0) > 0).all()


def test_correction_widens():
    """The corrected interval holds the uncorrected one, by nearly one record a side."""
    for b, c, n in [*TABLES, *FRACTIONAL]:
        low, high = score_limits(b, c, n, 0, 0.95, "two-sided")
        lower, higher = score_limits(b, c, n, 1, 0.95, "two-sided")

        assert lower <= low
        assert high <= higher
        assert (lower, higher) != (low, high)


def test_one_sided_limits_are_those_of_twice_the_tail():
    """A one-sided 95 % limit is a two-sided 90 % limit; the other end is open."""
    for limits, (b, c, n) in itertools.product([score_limits, conditional_limits], TABLES):
        option = 0 if limits is score_limits else False
        low, high = limits(b, c, n, option, 0.9, "two-sided")

        one_sided_low, top = limits(b, c, n, option, 0.95, "greater")
        bottom, one_sided_high = limits(b, c, n, option, 0.95, "less")

        assert (-1.0, 1.0) == (bottom, top)
        assert (low, high) == pytest.approx((one_sided_low, one_sided_high), abs=1e-12)


def test_extreme_levels():
    """Nearly no and nearly full confidence give limits in order and on the scale."""
    for level, alternative, kind, (b, c, n) in itertools.product(
        [1e-9, 0.01, 1 - 1e-9, 1 - 1e-15],
        ["two-sided", "less", "greater"],
        ["score", "corrected", "exact", "mid-p"],
        TABLES,
    ):
        if kind in ("score", "corrected"):
            low, high = score_limits(
                b, c, n, float(kind == "corrected"), level, alternative
            )
        else:
            low, high = conditional_limits(b, c, n, kind == "mid-p", level, alternative)

        assert -1 <= low <= high <= 1
        if alternative == "two-sided" and level > 0.5:
            assert low <= (c - b) / n <= high


def test_one_sided_levels_around_one_half():
    """Quantiles of nearly 0 have limits too, just beside the estimate."""
    for n, level in itertools.product(
        [10, 1000, 10**6, 10**7], [0.5, 0.5000001, 0.5001, 0.51]
    ):
        for b, c in ((0, 0), (n, 0), (0, n), (1, 0), (n // 2, n // 2)):
            estimate = (c - b) / n
            low, _ = score_limits(b, c, n, 0, level, "greater")
            _, high = score_limits(b, c, n, 0, level, "less")

            assert estimate - 0.02 <= low <= estimate + 1e-11
            assert estimate - 1e-11 <= high <= estimate + 0.02


def test_conditional_limits_solve_their_equations():
    """At the limits of the share each tail has its probability, by scipy's binomial."""
    for b, c, n in TABLES:
        m, tail = b + c, 0.025
        for mid in (False, True):
            low, high = conditional_limits(b, c, n, mid, 0.95, "two-sided")
            low_share, high_share = ((1 + limit * n / m) / 2 for limit in (low, high))
            weight = 0.5 if mid else 0.0
            upper_tail = stats.binom.sf(c - 1, m, low_share) - weight * stats.binom.pmf(
                c, m, low_share
            )
            lower_tail = stats.binom.cdf(c, m, high_share) - weight * stats.binom.pmf(
                c, m, high_share
            )

            assert c == 0 or tail == pytest.approx(upper_tail, rel=1e-6)
            assert c == m or tail == pytest.approx(lower_tail, rel=1e-6)
            assert c > 0 or low_share == pytest.approx(0, abs=1e-12)
            assert c < m or high_share == pytest.approx(1, abs=1e-12)


def test_conditional_limits_without_discordant_records():
    """There is nothing to condition on, so the score interval stands in."""
    for mid in (False, True):
        expected = score_limits(0, 0, 40, 0, 0.9, "two-sided")
        assert expected == conditional_limits(0, 0, 40, mid, 0.9, "two-sided")


def test_mid_p_interval_is_inside_the_exact_one():
    """Half the probability of what is observed makes it shorter, never longer."""
    for b, c, n in TABLES:
        low, high = conditional_limits(b, c, n, True, 0.95, "two-sided")
        lower, higher = conditional_limits(b, c, n, False, 0.95, "two-sided")

        assert lower <= low + 1e-12
        assert high <= higher + 1e-12
        assert high - low < higher - lower


def test_conditional_limits_of_many_records():
    """A million discordant records give the limits of the normal approximation."""
    b, c, n = 499_000, 501_000, 10**7
    half = 1.959963985 * math.sqrt(b + c) / n
    for mid in (False, True):
        limits = conditional_limits(b, c, n, mid, 0.95, "two-sided")

        assert (2000 / n - half, 2000 / n + half) == pytest.approx(limits, abs=3e-7)


def test_corrected_limits_below_one_half():
    """One-sided intervals of small level agree with the corrected p-value too."""
    for alternative, counts in itertools.product(
        ["less", "greater"], [(12, 14), (14, 12), (3, 9), (30, 31), (8, 8), (0, 5)]
    ):
        table = ContingencyTable(80, *counts, 20)
        result = mcnemar(table, method="corrected", alternative=alternative)
        for alpha in (0.45, 0.55, 0.6, 0.7, 0.8, 0.95):
            low, high = result.confidence_interval(1 - alpha)

            assert (result.pvalue < alpha) == (not low <= 0 <= high), alpha
