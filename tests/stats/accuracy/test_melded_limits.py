"""Fay and Lumbard's limits, against integrals, p-values and counted coverage."""

import itertools
import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import special, stats
from scipy.integrate import quad

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar
from skcompare.stats.accuracy._limits import (
    Confidence,
    _probability,
    melded_limits,
    score_limits,
)

# Numbers that take long; one set of dependencies is enough for them.
pytestmark = pytest.mark.slow

ALPHAS = (0.01, 0.05, 0.1, 0.3)
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
    (40, 60, 100),
]
COVERED_N = 20


# -------------------------------------------------- probabilities by other integrals


def betas(confidence):
    """The beta distributions of a confidence distribution, with weights."""
    k, n, upper = confidence
    return [(1 - upper, k, n - k + 1), (upper, k + 1, n - k)]


def brute_cdf(a, b, x):
    """P(X <= x) of a beta distribution, which may be a point."""
    if a == 0 or b == 0:
        return float(x >= (0 if a == 0 else 1))
    return special.betainc(a, b, min(1, max(0, x)))


def brute_probability(delta, share, part):
    """P(part (2 share - 1) <= delta), integrated over the part and not the share."""
    total = 0.0
    for part_weight, a, b in betas(part):
        for share_weight, c, d in betas(share):

            def met(x, c=c, d=d):
                return brute_cdf(c, d, (1 + delta / x) / 2)

            if b == 0:
                inner = met(1.0)
            else:

                def mass(x, a=a, b=b, met=met):
                    logarithm = special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x)
                    return math.exp(logarithm - special.betaln(a, b)) * met(x)

                edges = stats.beta(a, b).ppf([1e-15, 1e-4, 0.5, 1 - 1e-4, 1 - 1e-15])
                ends = sorted({*edges, min(edges[-1], max(edges[0], abs(delta)))})
                inner = sum(quad(mass, *pair, epsabs=1e-12)[0] for pair in pairwise(ends))
            total += part_weight * share_weight * inner
    return total


def test_probability_by_the_other_integral():
    """Integrating over the discordant part gives what integrating over the share does."""
    for (b, c, n), (upper_share, upper_part) in itertools.product(
        TABLES, [(0, 0), (0, 1), (1, 0), (0.5, 0.5)]
    ):
        m = b + c
        share, part = Confidence(c, m, upper_share), Confidence(m, n, upper_part)
        estimate, error = (c - b) / n, math.sqrt(m) / n
        for delta in (0.0, *(estimate + shift * error for shift in (-2, 0.1))):
            if -1 < delta < 1:
                expected = brute_probability(delta, share, part)

                assert expected == pytest.approx(
                    _probability(delta, share, part), abs=1e-10
                )


def test_confidence_is_the_mixture_of_betas():
    """Density and tails are those of scipy's beta distributions, points included."""
    for upper, (k, n) in itertools.product(
        [0, 0.5, 1], [(0, 3), (3, 3), (1, 2), (4, 9), (30, 200), (1, 1)]
    ):
        confidence = Confidence(k, n, upper)
        proper = [
            (weight, stats.beta(a, b)) for weight, a, b in betas(confidence) if a and b
        ]
        for x in (1e-8, 0.01, 0.3, 0.5, 0.9, 1 - 1e-8):
            density = sum(weight * beta.pdf(x) for weight, beta in proper)
            inside = sum(weight * beta.cdf(x) for weight, beta in proper)
            above = sum(weight * beta.sf(x) for weight, beta in proper)

            assert density == pytest.approx(confidence.density(np.array(x)))
            assert inside == pytest.approx(confidence.inside(x), rel=1e-10, abs=1e-300)
            assert confidence.at_zero + inside == pytest.approx(confidence.cdf(x))
            assert above + confidence.at_one == pytest.approx(confidence.sf(x), rel=1e-10)
        assert (upper if k == n else 0) == confidence.at_one
        assert (1 - upper if k == 0 else 0) == confidence.at_zero


# -------------------------------------------------------------------- what must hold


def all_tables(*sizes):
    """All discordant counts of so many records."""
    return [(b, c, n) for n in sizes for b in range(n + 1) for c in range(n + 1 - b)]


@pytest.mark.slow
def test_limits_agree_with_the_pvalue():
    """Raw limits leave 0 out exactly when p is below alpha, at all tables of a size."""
    for method, alternative, alpha in itertools.product(
        ["exact", "mid-p"], ["two-sided", "less", "greater"], ALPHAS
    ):
        seen = set()
        for b, c, n in all_tables(1, 2, 3, 4, 6, 9, 12):
            table = ContingencyTable(n - b - c, b, c, 0)
            pvalue = mcnemar(table, method=method, alternative=alternative).pvalue
            limits = melded_limits(b, c, n, method == "mid-p", 1 - alpha, alternative)

            assert (pvalue < alpha) == (not limits[0] <= 0 <= limits[1]), (b, c, n)
            assert -1 <= limits[0] <= (c - b) / n <= limits[1] <= 1
            seen.add(pvalue < alpha)

        assert {True, False} == seen


def test_limits_are_quantiles():
    """Below the lower limit the melded distribution has the probability of the tail."""
    for b, c, n in TABLES:
        m = b + c
        for mid in (False, True):
            low, _ = melded_limits(b, c, n, mid, 0.95, "two-sided")
            share = Confidence(c, m, 0.5 * mid)
            part = Confidence(m, n, 0.5 if mid else float(low < 0))
            if -1 < low < (c - b) / n:
                assert 0.025 == pytest.approx(brute_probability(low, share, part), rel=1e-6)


def test_mirrored_roles():
    """Exchanged roles mirror the interval, and the one-sided ones into each other."""
    for (b, c, n), mid in itertools.product(TABLES, [True, False]):
        for level in (0.5, 0.9, 0.999):
            low, high = melded_limits(b, c, n, mid, level, "two-sided")
            other_low, other_high = melded_limits(c, b, n, mid, level, "two-sided")
            assert (-high, -low) == pytest.approx((other_low, other_high), abs=1e-13)
            less = melded_limits(b, c, n, mid, level, "less")
            greater = melded_limits(c, b, n, mid, level, "greater")
            assert less == pytest.approx((-greater[1], -greater[0]), abs=1e-13)


def test_one_sided_limits_are_those_of_twice_the_tail():
    """A one-sided 95 % limit is a two-sided 90 % limit; the other end is open."""
    for (b, c, n), mid in itertools.product(TABLES, [True, False]):
        low, high = melded_limits(b, c, n, mid, 0.9, "two-sided")

        assert (low, 1.0) == pytest.approx(melded_limits(b, c, n, mid, 0.95, "greater"))
        assert (-1.0, high) == pytest.approx(melded_limits(b, c, n, mid, 0.95, "less"))


def test_exact_interval_contains_the_mid_p_one():
    """The mid-p interval is shorter on both sides, or ends at an end of the scale."""
    for level in [0.5, 0.8, 0.95, 0.999]:
        for b, c, n in [*all_tables(*range(1, 7)), *TABLES]:
            if b + c:
                low, high = melded_limits(b, c, n, True, level, "two-sided")
                lower, higher = melded_limits(b, c, n, False, level, "two-sided")
                assert lower <= low + 1e-12
                assert high <= higher + 1e-12


# -------------------------------------------------------------------------- coverage


@cache
def limits_of_all_tables(mid):
    """95 % limits by discordant counts, of 20 records."""
    low, high = np.full((2, COVERED_N + 1, COVERED_N + 1), np.nan)
    for b in range(COVERED_N + 1):
        for c in range(COVERED_N + 1 - b):
            low[b, c], high[b, c] = melded_limits(b, c, COVERED_N, mid, 0.95, "two-sided")
    return low, high


def coverage(mid, disagreement, share):
    """Probability that the limits hold the true difference, over all tables."""
    low, high = limits_of_all_tables(mid)
    b, c = np.indices(low.shape)
    m = np.minimum(b + c, COVERED_N)
    likely = stats.binom.pmf(m, COVERED_N, disagreement) * stats.binom.pmf(c, m, share)
    likely[b + c > COVERED_N] = 0
    difference = disagreement * (2 * share - 1)
    held = (low - 1e-9 <= difference) & (difference <= high + 1e-9)
    assert 1 == pytest.approx(likely.sum())
    return likely[held].sum()


GRID = [(e, s) for e in (0.05, 0.1, 0.2, 0.4) for s in (0.5, 0.6, 0.75, 0.9, 1.0)]


def test_exact_interval_covers():
    """At each true difference the exact interval holds it in at least 95 of 100 cases."""
    assert min(coverage(False, *truth) for truth in GRID) >= 0.95


def test_mid_p_interval_covers_on_average():
    """The mid-p interval does so on average, and never in fewer than 92."""
    covered = [coverage(True, *truth) for truth in GRID]

    assert min(covered) >= 0.92
    assert np.mean(covered) >= 0.95


def test_exact_interval_covers_with_hardly_any_records():
    """Even then, without discordant pairs included, where Tango's covers 4 of 5 times."""
    for n in [1, 2, 3, 5]:
        tables = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
        limits = [melded_limits(b, c, n, False, 0.95, "two-sided") for b, c in tables]
        for disagreement in np.linspace(0.05, 1, 20):
            for share in (0.5, 0.8, 1):
                difference = disagreement * (2 * share - 1)
                covered = sum(
                    stats.binom.pmf(b + c, n, disagreement)
                    * stats.binom.pmf(c, b + c, share)
                    for (b, c), (low, high) in zip(tables, limits)
                    if low - 1e-9 <= difference <= high + 1e-9
                )
                assert covered >= 0.95


# ----------------------------------------------------------------------------- edges


def test_without_discordant_records():
    """The mid-p interval is Tango's, and the exact one that of the discordant share."""
    for alternative, n in itertools.product(
        ["two-sided", "less", "greater"], [1, 40, 10**9]
    ):
        tail = 0.05 if alternative == "two-sided" else 0.1
        largest = stats.binomtest(0, min(n, 1000)).proportion_ci(1 - 2 * tail).high

        expected = score_limits(0, 0, n, 0, 0.9, alternative)
        assert expected == melded_limits(0, 0, n, True, 0.9, alternative)
        low, high = melded_limits(0, 0, n, False, 0.9, alternative)
        if n <= 1000:
            assert (-1 if alternative == "less" else -largest) == pytest.approx(low)
            assert (1 if alternative == "greater" else largest) == pytest.approx(high)


def test_everything_favours_one():
    """If all records favour one side, its end of the scale is not excluded."""
    for mid, n in itertools.product([True, False], [1, 2, 30, 5000]):
        low, high = melded_limits(n, 0, n, mid, 0.95, "two-sided")

        assert -1 == low < high < 1
        if not mid:
            # Both parts are beta distributed: the lower one of each, largest share first.
            share, part = Confidence(n, n, 0), Confidence(n, n, float(high > 0))
            assert 0.025 == pytest.approx(_probability(-high, share, part))


def test_one_discordant_record():
    """Of one record alone nothing is learnt about its champion, but of a hundred."""
    low, high = melded_limits(0, 1, 1, False, 0.95, "two-sided")

    # P(2 s - 1 <= low) is P(s <= (1 + low) / 2), with s uniform, for a part of 1.
    assert (2 * 0.025 - 1, 1.0) == pytest.approx((low, high))
    low, high = melded_limits(0, 1, 100, False, 0.95, "two-sided")
    assert -0.06 < low < 0 < 0.01 < high < 0.06


def test_extreme_levels():
    """Nearly no and nearly full confidence give limits in order and on the scale."""
    for level, alternative, mid in itertools.product(
        [1e-9, 0.01, 0.5, 1 - 1e-9, 1 - 1e-15, 1 - 2**-53],
        ["two-sided", "less", "greater"],
        [True, False],
    ):
        for b, c, n in [*TABLES, (0, 0, 5), (10**5, 10**5 + 7, 10**7)]:
            low, high = melded_limits(b, c, n, mid, level, alternative)

            assert -1 <= low <= high <= 1
            if alternative == "two-sided" or level > 0.5:
                assert low <= (c - b) / n <= high


def test_many_records():
    """Of very many records the limits are nearly Tango's, corrected for the exact ones."""
    for mid, (b, c, n) in itertools.product(
        [True, False],
        [
            (900_000, 1_000_000, 10**7),
            (9_000, 9_500, 10**7),
            (5_000_000, 4_999_000, 10**7),
            (90_000_000, 100_000_000, 10**9),
            (20_000, 20_500, 10**12),
        ],
    ):
        tango = score_limits(b, c, n, 0 if mid else 1, 0.95, "two-sided")
        error = math.sqrt(b + c) / n

        limits = melded_limits(b, c, n, mid, 0.95, "two-sided")

        for expected, limit in zip(tango, limits):
            assert abs(expected - limit) < 0.01 * error


def test_few_discordant_records_of_very_many():
    """Limits go with 1 / n when n grows, as the discordant share becomes Poisson's."""
    for b, c in ((0, 6), (3, 3), (1, 0), (100, 200)):
        for mid in (False, True):
            small = melded_limits(b, c, 10**7, mid, 0.95, "two-sided")
            large = melded_limits(b, c, 10**12, mid, 0.95, "two-sided")

            assert np.multiply(small, 1e7) == pytest.approx(
                np.multiply(large, 1e12), rel=1e-4
            )
