"""The odds ratio of discordant pairs, against other packages and scipy."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ContingencyTable
from skcompare.stats import discordant_odds_ratio, mcnemar, paired_tests
from skcompare.stats.accuracy._ratios import odds_limits, odds_pvalue
from tests.common.golden import golden

GOLDEN = golden("paired_differences")
REGULAR = [case for case in GOLDEN["odds"] if not case.get("degenerate")]
DEGENERATE = [case for case in GOLDEN["odds"] if case.get("degenerate")]
PUBLISHED = [case for case in GOLDEN["published"] if "odds" in case]
METHODS = ("mid-p", "exact")
NAMES = ("exact", "mid-p", "wilson", "wald")
ALTERNATIVES = ("two-sided", "less", "greater")
OPPOSITE = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
COUNTS = [(25, 15), (0, 1), (1, 1), (3, 9), (6, 6), (0, 7), (1, 40), (999, 1001)]


def result_of(table, name, **options):
    """The test whose interval has this name elsewhere."""
    option = {"method": name} if name in METHODS else {"interval": name}
    return discordant_odds_ratio(table, **option, **options)


def table_of(b, c):
    """A table with these discordant counts."""
    return ContingencyTable(5, b, c, 4)


# ------------------------------------------------------- other people's numbers


def test_interval_of_independent_packages():
    """R and Python packages agree on four intervals of the odds only A : only B."""
    for name, case in itertools.product(NAMES, REGULAR):
        known = case[name]

        result = result_of(ContingencyTable(*case["table"]), name)

        inverted = [
            math.inf if limit == 0 else 1 / limit for limit in known["limits"][::-1]
        ]
        assert pytest.approx(inverted, rel=known.get("rtol", 1e-10)) == list(
            result.confidence_interval()
        )
        assert 1 / case["odds"] == pytest.approx(result.estimate, rel=1e-12)
        assert (name if name in METHODS else "mid-p") == result.method


def test_golden_without_discordant_pairs():
    """There is nothing to tell: NaN, from 0 to infinity, p = 1, and flagged."""
    for name, case in itertools.product(NAMES, DEGENERATE):
        result = result_of(ContingencyTable(*case["table"]), name)

        assert math.isnan(result.estimate)
        assert (0.0, 1.0) == tuple(result)
        assert 0 == result.log_pvalue
        assert (0, math.inf) == result.confidence_interval()
        assert ("degenerate", "no-discordant-pairs") == result.flags


def test_published_interval():
    """What manuals and tests of other packages print comes out to their digits."""
    for case in PUBLISHED:
        # With the roles exchanged their odds are the ones here.
        table = ContingencyTable(*case["table"]).swap()
        for name, limits in case["odds"].items():
            result = result_of(table, name)

            assert pytest.approx(limits, abs=case["abs"]) == list(
                result.confidence_interval()
            )
            if "estimate" in case:
                assert case["estimate"] == result.estimate


# --------------------------------------------------------------------- definitions


def test_pvalue_is_binomial():
    """scipy's binomial test of the share, one-sided; two-sided twice the smaller tail."""
    for odds, (b, c) in itertools.product([0.2, 0.9, 1.0, 3.0], COUNTS):
        share, m = odds / (1 + odds), b + c
        tails = {}
        for alternative in ("less", "greater"):
            exact = stats.binomtest(c, m, share, alternative=alternative).pvalue
            tails[alternative] = exact, exact - stats.binom.pmf(c, m, share) / 2
        tails["two-sided"] = [
            min(1, 2 * min(one, two)) for one, two in zip(tails["less"], tails["greater"])
        ]
        for alternative, (exact, mid) in tails.items():
            options = {"alternative": alternative, "null_value": odds}
            assert exact == pytest.approx(
                discordant_odds_ratio(table_of(b, c), method="exact", **options).pvalue,
                rel=1e-9,
            )
            # Of equal counts and odds Fagerland's mid-p counts what is observed once.
            if not (odds == 1 and b == c and alternative == "two-sided"):
                assert mid == pytest.approx(
                    discordant_odds_ratio(table_of(b, c), **options).pvalue, rel=1e-9
                )


def test_pvalue_is_that_of_mcnemar():
    """For a ratio of 1 it is McNemar's test."""
    for method, alternative, (b, c) in itertools.product(
        METHODS, ALTERNATIVES, [*COUNTS, (0, 0), (100_000, 90_000)]
    ):
        expected = mcnemar(table_of(b, c), method=method, alternative=alternative)

        result = discordant_odds_ratio(
            table_of(b, c), method=method, alternative=alternative
        )

        assert tuple(expected) == tuple(result)
        assert expected.log_pvalue == result.log_pvalue
        assert expected.details == result.details


def test_exact_limits_are_those_of_clopper_and_pearson():
    """They are scipy's for the share, as odds."""
    for b, c in COUNTS:
        for alternative in ALTERNATIVES:
            shares = stats.binomtest(c, b + c, alternative=alternative).proportion_ci(0.9)
            expected = [share / (1 - share) if share < 1 else math.inf for share in shares]

            limits = odds_limits(b, c, False, 0.9, alternative)

            assert pytest.approx(expected, rel=1e-9) == list(limits)


def test_limits_have_pvalue_alpha():
    """Tested at its limits, each ratio has a p-value of alpha."""
    for mid, (b, c) in itertools.product([True, False], COUNTS):
        for alternative in ALTERNATIVES:
            for limit in odds_limits(b, c, mid, 0.95, alternative):
                if 0 < limit < math.inf:
                    pvalue, _ = odds_pvalue(b, c, mid, limit, alternative)
                    assert 0.05 == pytest.approx(pvalue, rel=1e-8)


# -------------------------------------------------------------------- what must hold


@pytest.mark.slow
def test_interval_excludes_the_null_value_when_rejected():
    """For any ratio under the null hypothesis, at all counts up to 12."""
    for method, null, alternative in itertools.product(
        METHODS, [0.1, 0.8, 1.0, 2.5], ALTERNATIVES
    ):
        seen = set()
        for m in (0, 1, 2, 5, 12):
            for c in range(m + 1):
                result = discordant_odds_ratio(
                    table_of(m - c, c),
                    method=method,
                    null_value=null,
                    alternative=alternative,
                )
                assert null == result.null_value
                for alpha in (0.01, 0.05, 0.3, 0.5):
                    low, high = result.confidence_interval(1 - alpha)
                    rejected = result.pvalue < 1 - (1 - alpha)
                    assert 0 <= low <= high
                    assert rejected == (not low <= null <= high), (result, alpha)
                    seen.add(rejected)

        assert {True, False} == seen


def test_limits_are_inverted_with_the_roles():
    """Limits are in order and hold the ratio; exchanged roles invert them."""
    for name, (b, c) in itertools.product(NAMES, [*COUNTS, (0, 0), (10**6, 0), (10**6, 3)]):
        result, other = (result_of(table_of(*counts), name) for counts in ((b, c), (c, b)))
        for level in (0.05, 0.5, 0.95, 0.9999):
            for alternative in ALTERNATIVES:
                low, high = result.limits(level, alternative)
                inverses = other.limits(level, OPPOSITE[alternative])[::-1]

                assert 0 <= low <= high
                assert [math.inf if limit == 0 else 1 / limit for limit in inverses] == (
                    pytest.approx([low, high], rel=1e-9)
                )
                if level > 0.5 and b + c:
                    assert low * (1 - 1e-12) <= result.estimate <= high * (1 + 1e-12)


def test_limits_go_with_the_level():
    """One-sided limits move with the level, from below 1/2 on."""
    for name, (b, c) in itertools.product(NAMES, COUNTS):
        result = result_of(table_of(b, c), name)
        levels = np.linspace(0.02, 0.98, 17)
        lows = [result.limits(level, "greater")[0] for level in levels]
        highs = [result.limits(level, "less")[1] for level in levels]

        assert sorted(lows, reverse=True) == lows
        assert sorted(highs) == highs


def test_mid_p_limits_are_inside_the_exact_ones():
    """Half the probability of what is observed makes them shorter."""
    for b, c in COUNTS:
        low, high = odds_limits(b, c, True, 0.95, "two-sided")
        lower, higher = odds_limits(b, c, False, 0.95, "two-sided")

        assert lower <= low
        assert high <= higher


# ----------------------------------------------------------------------------- edges


def test_all_for_the_challenger():
    """The ratio is infinite and has a lower limit; nothing bounds it from above."""
    table = table_of(0, 10)
    result = discordant_odds_ratio(table, method="exact")
    share = 0.025**0.1

    assert math.inf == result.estimate
    assert (share / (1 - share), math.inf) == pytest.approx(result.confidence_interval())
    assert 2.0**-9 == pytest.approx(result.pvalue)
    z2 = stats.norm.isf(0.025) ** 2
    wilson = discordant_odds_ratio(table, interval="wilson").confidence_interval()
    assert (10 / z2, math.inf) == pytest.approx(wilson)
    wald = discordant_odds_ratio(table, interval="wald").confidence_interval()
    assert (0, math.inf) == wald


def test_all_for_the_champion():
    """The ratio is 0, and so is the lower limit."""
    result = discordant_odds_ratio(table_of(10, 0), method="mid-p")
    share = 1 - 0.05**0.1

    assert 0 == result.estimate
    assert (0, share / (1 - share)) == pytest.approx(result.confidence_interval())


def test_small_odds_keep_their_digits():
    """Of a million against nothing the upper limit is that of a rare event."""
    for mid, tail in ((False, 0.025), (True, 0.05)):
        _, high = odds_limits(10**6, 0, mid, 0.95, "two-sided")
        assert math.expm1(-math.log(tail) / 10**6) == pytest.approx(high, rel=1e-9)
        _, high = odds_limits(10**6, 2, mid, 0.95, "two-sided")
        share = high / (1 + high)
        below = stats.binom.cdf(2, 10**6 + 2, share)
        if mid:
            below -= stats.binom.pmf(2, 10**6 + 2, share) / 2
        assert 0.025 == pytest.approx(below, rel=1e-7)


def test_far_tail():
    """Where doubles end the p-value is the smallest one, and its logarithm goes on."""
    for odds in (0.5, 1.0):
        pvalue, log_pvalue = odds_pvalue(0, 3000, False, odds, "greater")
        assert 2.2250738585072014e-308 == pvalue
        assert 3000 * math.log(odds / (1 + odds)) == pytest.approx(log_pvalue)
        _, halved = odds_pvalue(0, 3000, True, odds, "greater")
        assert log_pvalue - math.log(2) == pytest.approx(halved)


def test_counts_are_shown_and_no_accuracies():
    """The ratio is of counts, so no number of each role stands beside it."""
    result = discordant_odds_ratio(ContingencyTable(150, 25, 15, 10))

    assert (None, None) == (result.champion, result.challenger)
    assert {"only_champion": 25, "only_challenger": 15} == result.details
    assert 15 == result.statistic
    assert result.df is None


def test_mcnemar_stays_the_default_test_of_accuracies():
    """It is registered before the two ratios, so that a report's verdict is its own."""
    names = [name for name, entry in paired_tests().items() if "accuracy" in entry.measures]

    assert names.index("mcnemar") < names.index("relative_accuracy")
    assert names.index("mcnemar") < names.index("discordant_odds_ratio")


def test_fractional_counts_are_refused():
    """Averaged tables have no binomial test, and the error says what takes them."""
    with pytest.raises(ValueError, match=r"needs whole counts.*relative_accuracy"):
        discordant_odds_ratio(ContingencyTable(7.5, 1.5, 2.5, 3.5))


def test_wrong_null_value():
    """A ratio is a positive number."""
    for wrong in [0, -1, math.nan, math.inf, "1", None, True]:
        with pytest.raises(ValueError, match="must be a number above 0"):
            discordant_odds_ratio(table_of(1, 2), null_value=wrong)
