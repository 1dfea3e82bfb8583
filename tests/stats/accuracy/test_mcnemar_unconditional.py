"""The exact unconditional test, against enumerations of all tables."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln, logsumexp, xlogy

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar
from skcompare.stats.accuracy._limits import score_root
from skcompare.stats.accuracy._unconditional import (
    MOST_RECORDS,
    log_pvalue_at_least,
    unconditional_limits,
    unconditional_pvalue,
)
from tests.common.golden import golden

# Numbers that take long; one set of dependencies is enough for them.
pytestmark = pytest.mark.slow

PUBLISHED = golden("paired_differences")["published"]
ALTERNATIVES = ("two-sided", "less", "greater")
NULLS = (0.0, -0.3, -0.05, 0.02, 0.1, 0.7)


def all_tables(n):
    """All discordant counts of n records."""
    return [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]


def probabilities(n, null, shares):
    """Probability of each table, by the share of discordant records."""
    b, c = np.array(all_tables(n)).T
    rest = n - b - c
    against = np.maximum(0, (shares - null) / 2)[:, np.newaxis]
    favour = np.maximum(0, (shares + null) / 2)[:, np.newaxis]
    log_mass = gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - gammaln(rest + 1)
    log_mass = log_mass + xlogy(b, against) + xlogy(c, favour)
    return np.exp(log_mass + xlogy(rest, np.maximum(0, 1 - against - favour)))


@cache
def scores(n, null):
    """Tango's score of each table."""
    return np.array(
        [
            0.0 if null == 0 == b + c else score_root(b, c, n, 0, null)
            for b, c in all_tables(n)
        ]
    )


def shares_of_discordant(null, n_points=2001):
    """A fine grid of the nuisance, finer at both ends."""
    angles = np.linspace(0, math.pi / 2, n_points)
    return abs(null) + (1 - abs(null)) * np.sin(angles) ** 2


def as_extreme(n, null, score, alternative):
    """Which tables count for a p-value."""
    found = scores(n, null)
    if alternative == "two-sided":
        return np.abs(found) >= abs(score) - 1e-9
    return found >= score - 1e-9 if alternative == "greater" else found <= score + 1e-9


# ------------------------------------------------------- other people's numbers


def test_published_pvalue():
    """contingencytables searches a part of the shares, and adds what it may have missed."""
    cases = [case for case in PUBLISHED if "unconditional" in case]
    assert cases
    for case in cases:
        both, b, c, neither = case["table"]
        n, gamma = both + b + c + neither, case["unconditional"]["gamma"]
        searched = stats.binomtest(b + c, n).proportion_ci(1 - gamma)
        angles = np.arcsin(np.sqrt(np.linspace(*searched, 1000)))

        found = math.exp(log_pvalue_at_least(angles, min(b, c), max(b, c), n, 0.0, True))

        assert case["unconditional"]["pvalue"] - gamma == pytest.approx(found, abs=1e-6)
        p = mcnemar(ContingencyTable(*case["table"]), method="exact-unconditional").pvalue
        assert found <= p < found + 3e-4


# --------------------------------------------------------------- by enumeration


def test_pvalue_by_enumeration():
    """All tables as extreme are added, and the largest sum over a fine grid is met."""
    for n, null, alternative in itertools.product([1, 2, 3, 5, 9], NULLS, ALTERNATIVES):
        chances = probabilities(n, null, shares_of_discordant(null))
        for (b, c), score in zip(all_tables(n), scores(n, null)):
            extreme = as_extreme(n, null, score, alternative)
            expected = min(1, chances[:, extreme].sum(axis=1).max())

            pvalue, log_pvalue = unconditional_pvalue(b, c, n, null, alternative)

            # The grid misses the peak by a little; nothing is missed by the p-value.
            assert expected - 1e-9 <= pvalue <= expected + 2e-5
            assert math.log(pvalue) == pytest.approx(log_pvalue)


def test_no_share_has_a_larger_probability():
    """Of 2000 shares in all, no one is worse than the one that is found."""
    for (b, c, n), null in itertools.product(
        [(25, 15, 200), (6, 16, 161), (2, 1, 60)], [0.0, -0.1, 0.07]
    ):
        angles = np.linspace(0, math.pi / 2, 2001)
        for alternative in ("two-sided", "greater"):
            # Two-sided the roles are exchanged where the estimate is below the null value.
            against, favour, value = b, c, null
            if alternative == "two-sided" and c - b < n * null:
                against, favour, value = c, b, -null
            largest = log_pvalue_at_least(
                angles, against, favour, n, value, alternative == "two-sided"
            )

            pvalue, _ = unconditional_pvalue(b, c, n, null, alternative)

            assert math.exp(min(0, largest)) - 1e-9 <= pvalue
            assert pvalue < math.exp(min(0, largest)) + 1e-5


def test_score_is_ordered_within_rows():
    """More in favour, or fewer against, is a higher score: tails are staircases."""
    for n, null in itertools.product([1, 4, 7], NULLS):
        found = dict(zip(all_tables(n), scores(n, null)))
        for (b, c), score in found.items():
            if (b, c + 1) in found:
                assert found[b, c + 1] > score - 1e-12
            if (b + 1, c) in found:
                assert found[b + 1, c] < score + 1e-12


def test_level_is_kept():
    """At no share of discordant records are more than alpha of the tables rejected."""
    for n, alternative in itertools.product([8, 20], ALTERNATIVES):
        pvalues = np.array(
            [unconditional_pvalue(b, c, n, 0.0, alternative)[0] for b, c in all_tables(n)]
        )
        chances = probabilities(n, 0.0, shares_of_discordant(0.0))
        for alpha in (0.01, 0.05, 0.1, 0.3):
            size = chances[:, pvalues < alpha].sum(axis=1).max()

            assert size <= alpha


def test_more_is_found_than_given_the_discordant_pairs():
    """Of 20 records many more tables are significant than by the conditional test."""
    found = {"exact": 0, "exact-unconditional": 0}
    for b, c in all_tables(20):
        for method in found:
            table = ContingencyTable(20 - b - c, b, c, 0)
            found[method] += mcnemar(table, method=method).pvalue < 0.05

    assert found["exact"] + 5 < found["exact-unconditional"]


@pytest.mark.parametrize("n", [3, 6])
def test_interval_covers(n):
    """Each difference is held in at least 95 of 100 cases, whatever the nuisance."""
    limits = [
        unconditional_limits(b, c, n, 0.0, 0.95, "two-sided") for b, c in all_tables(n)
    ]
    low, high = np.array(limits).T
    for difference in np.linspace(-0.96, 0.96, 49):
        held = (low - 1e-9 <= difference) & (difference <= high + 1e-9)
        shares = shares_of_discordant(difference, 101)
        covered = probabilities(n, difference, shares)[:, held].sum(axis=1)

        assert covered.min() >= 0.95


# -------------------------------------------------------------------- what must hold


@pytest.mark.slow
def test_interval_agrees_with_the_pvalue():
    """The null value is outside exactly when p is below alpha, for raw limits too."""
    for null, alternative in itertools.product([0.0, -0.1, 0.05], ALTERNATIVES):
        seen = set()
        for n, some in ((1, 1), (3, 2), (20, 29)):
            for b, c in all_tables(n)[::some]:
                result = mcnemar(
                    ContingencyTable(n - b - c, b, c, 0),
                    method="exact-unconditional",
                    null_value=null,
                    alternative=alternative,
                )
                for alpha in (0.01, 0.05, 0.3, 0.5):
                    rejected = result.pvalue < 1 - (1 - alpha)
                    for low, high in (
                        result.limits(1 - alpha, alternative),
                        result.confidence_interval(1 - alpha),
                    ):
                        assert -1 <= low <= high <= 1
                        assert rejected == (not low <= null <= high), (result, alpha)
                    seen.add(rejected)

        assert {True, False} == seen


def test_intervals_nest():
    """A higher confidence has an interval around the lower one, also where p jumps."""
    for b, c, n in ((0, 1, 1), (0, 2, 2), (1, 2, 5), (0, 3, 10), (9, 4, 30)):
        for alternative in ALTERNATIVES:
            limits = [
                unconditional_limits(b, c, n, 0.0, level, alternative)
                for level in (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
            ]
            lows, highs = np.array(limits).T
            assert (np.diff(lows) <= 1e-12).all()
            assert (np.diff(highs) >= -1e-12).all()


def test_extreme_levels():
    """Nearly no and nearly full confidence give limits in order and on the scale."""
    for level, alternative in itertools.product(
        [1e-9, 0.01, 0.5, 1 - 1e-9, 1 - 2**-53], ALTERNATIVES
    ):
        for b, c, n in ((0, 0, 5), (0, 1, 1), (3, 0, 3), (1, 1, 2), (2, 4, 6), (9, 15, 60)):
            low, high = unconditional_limits(b, c, n, 0.0, level, alternative)

            assert -1 <= low <= high <= 1
            if alternative == "two-sided" or level > 0.5:
                assert low <= (c - b) / n <= high


def test_limits_are_near_tangos():
    """Of many records they are nearly those of the asymptotic test, and a little wider."""
    table = ContingencyTable(2000, 300, 360, 340)
    tango = mcnemar(table, method="asymptotic").confidence_interval()

    low, high = mcnemar(table, method="exact-unconditional").confidence_interval()

    width = tango.high - tango.low
    assert tango.low - 0.02 * width < low <= tango.low + 1e-6
    assert tango.high - 1e-6 <= high < tango.high + 0.02 * width


# ----------------------------------------------------------------------------- edges


def test_everything_favours_one():
    """Only one table, or two, are as extreme, and all records discordant the worst."""
    for n in [1, 2, 10, 60]:
        table = ContingencyTable(0, 0, n, 0)
        two_sided, greater, less = (
            mcnemar(table, method="exact-unconditional", alternative=alternative)
            for alternative in ("two-sided", "greater", "less")
        )

        assert 2.0 ** (1 - n) == pytest.approx(two_sided.pvalue)
        assert 2.0**-n == pytest.approx(greater.pvalue)
        assert 1 == less.pvalue
        assert 1 == two_sided.confidence_interval().high
        # Beyond 0 the probability of the table itself is ((1 + d) / 2)^n.
        assert 2 * 0.05 ** (1 / n) - 1 == pytest.approx(
            greater.confidence_interval().low, abs=2e-9
        )
        beyond = mcnemar(
            table, method="exact-unconditional", alternative="greater", null_value=0.2
        )
        assert 0.6**n == pytest.approx(beyond.pvalue)


def test_without_discordant_pairs():
    """Equal accuracies have p = 1 and an interval; another null value is tested."""
    table = ContingencyTable(30, 0, 0, 10)
    result = mcnemar(table, method="exact-unconditional")
    low, high = result.confidence_interval()

    assert (0.0, 1.0) == tuple(result)
    assert result.degenerate
    assert -low == pytest.approx(high)
    assert 0.05 < high < 0.12
    other = mcnemar(
        table, method="exact-unconditional", null_value=-0.2, alternative="greater"
    )
    # At the least 40 records are alike although 1 in 5 favours the champion.
    assert 0.8**40 <= other.pvalue < 0.01
    assert not other.degenerate


def test_statistic_is_the_squared_score():
    """At 0 it is McNemar's chi-squared without correction."""
    table = ContingencyTable(150, 25, 15, 10)

    assert 2.5 == mcnemar(table, method="exact-unconditional").statistic
    result = mcnemar(table, method="exact-unconditional", null_value=0.1)
    assert score_root(25, 15, 200, 0, 0.1) ** 2 == pytest.approx(result.statistic)
    assert result.df is None


def test_equal_counts():
    """b = c: every table is as extreme, so p is 1."""
    for n in (1, 7):
        table = ContingencyTable(3, n, n, 2)
        assert 1 == mcnemar(table, method="exact-unconditional").pvalue


@pytest.mark.parametrize(("b", "c", "n", "null"), [(3, 33, 330, 0.1), (1, 2, 30, 0.1 / 3)])
def test_rounding_of_the_null_value(b, c, n, null):
    """A null value that is the estimate, but for rounding, has p = 1 either way."""
    estimate = (c - b) / n
    assert estimate == pytest.approx(null, abs=0.01)
    for value in (estimate, np.nextafter(estimate, 1), np.nextafter(estimate, -1)):
        assert 1 == unconditional_pvalue(b, c, n, float(value), "two-sided")[0]
        greater, _ = unconditional_pvalue(b, c, n, float(value), "greater")
        expected, _ = unconditional_pvalue(b, c, n, estimate, "greater")
        assert expected == pytest.approx(greater, rel=1e-9)


def test_far_tail():
    """Where doubles end the p-value is the smallest one, and its logarithm goes on."""
    n = 3000
    pvalue, log_pvalue = unconditional_pvalue(0, n, n, 0.0, "two-sided")

    assert 2.2250738585072014e-308 == pvalue
    assert (1 - n) * math.log(2) == pytest.approx(log_pvalue)


def test_deep_tail_given_the_discordant_pairs():
    """At a difference of 0 it is a mixture of binomial tails, summed as logarithms."""
    b, c, n = 20, 900, 3000
    m = np.arange(n + 1)
    score = (c - b) / math.sqrt(b + c)
    fewest = np.ceil((m + score * np.sqrt(m)) / 2 - 1e-9)
    log_tails = stats.binom.logsf(fewest - 1, m, 0.5)
    log_tails[0] = -np.inf
    shares = shares_of_discordant(0.0, 2001)[200:, np.newaxis]
    mixture = logsumexp(stats.binom.logpmf(m, n, shares) + log_tails, axis=1)

    pvalue, log_pvalue = unconditional_pvalue(b, c, n, 0.0, "greater")

    assert mixture.max() == pytest.approx(log_pvalue, rel=1e-5)
    assert mixture.max() - 1e-9 <= log_pvalue
    assert max(math.exp(log_pvalue), 2.2250738585072014e-308) == pytest.approx(pvalue)


def test_ten_thousand_records():
    """So many take seconds, and the p-value is near that of chi-squared."""
    table = ContingencyTable(7000, 900, 1000, 1100)
    result = mcnemar(table, method="exact-unconditional", alternative="greater")
    asymptotic = mcnemar(table, method="asymptotic", alternative="greater")

    assert asymptotic.pvalue == pytest.approx(result.pvalue, rel=0.05)
    low, _ = result.confidence_interval()
    error = math.sqrt(1900) / 10_000
    assert asymptotic.confidence_interval().low == pytest.approx(low, abs=0.15 * error)


def test_too_many_records():
    """More are refused with the methods that take them."""
    with pytest.raises(ValueError, match=rf"at most {MOST_RECORDS} records.*'mid-p'"):
        mcnemar(ContingencyTable(MOST_RECORDS, 1, 0, 0), method="exact-unconditional")


def test_fractional_counts_are_refused():
    """Averaged tables have no exact test."""
    with pytest.raises(ValueError, match="needs whole counts"):
        mcnemar(ContingencyTable(7.5, 1.5, 2.5, 3.5), method="exact-unconditional")


def test_conditional_interval_does_not_go_with_it():
    """What conditions on the discordant pairs is refused."""
    with pytest.raises(ValueError, match=r"'conditional' goes with .*'score'"):
        mcnemar(
            ContingencyTable(5, 1, 2, 3),
            method="exact-unconditional",
            interval="conditional",
        )
