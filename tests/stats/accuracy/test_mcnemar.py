"""McNemar's test: published numbers, edges, and its power by enumeration."""

import itertools
import math

import pytest
from scipy import stats

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar
from tests.common.golden import golden

METHODS = ("mid-p", "exact", "asymptotic", "corrected")
GOLDEN = golden("mcnemar")
REGULAR = [case for case in GOLDEN["cases"] if not case["degenerate"]]
DEGENERATE = [case for case in GOLDEN["cases"] if case["degenerate"]]
PUBLISHED = [case for case in GOLDEN["published"] if case["what"] == "mcnemar"]


def near(figure, rtol=1e-8):
    """The figure as closely as it is known."""
    return pytest.approx(
        figure["value"], rel=figure.get("rtol", rtol), abs=figure.get("atol", 1e-300)
    )


def difference_of_odds(odds, b, c, n):
    """Challenger less champion, from the odds of the discordant pairs (A : B)."""
    share = odds / (1 + odds) if math.isfinite(odds) else 1.0
    return -(2 * share - 1) * (b + c) / n


# ------------------------------------------------------- other people's numbers


def test_golden_cases_are_there():
    """The figures cover at least 20 tables, two of them without discordant pairs."""
    assert len(REGULAR) >= 18
    assert 2 == len(DEGENERATE)


def test_chi_squared_of_independent_packages():
    """R, statsmodels and mlxtend agree on statistic and p-value."""
    for method, case in itertools.product(["asymptotic", "corrected"], REGULAR):
        statistic, pvalue = mcnemar(ContingencyTable(*case["table"]), method=method)

        assert near(case[method]["statistic"]) == statistic
        assert near(case[method]["pvalue"]) == pvalue


def test_binomial_pvalue_of_independent_packages():
    """R, scipy, statsmodels agree on the exact p; exact2x2 and another on the mid-p."""
    for method, case in itertools.product(["exact", "mid-p"], REGULAR):
        result = mcnemar(ContingencyTable(*case["table"]), method=method)

        assert near(case[method]["pvalue"]) == result.pvalue


def test_conditional_interval_of_independent_packages():
    """The conditional interval is that of the discordant share, as a difference."""
    for method, case in itertools.product(["exact", "mid-p"], REGULAR):
        table = ContingencyTable(*case["table"])
        ends = [case[method][name] for name in ("odds_high", "odds_low")]
        tolerance = max(end.get("rtol", 1e-8) for end in ends)
        expected = [
            difference_of_odds(
                end["value"], table.only_champion, table.only_challenger, table.n
            )
            for end in ends
        ]

        interval = mcnemar(
            table, method=method, interval="conditional"
        ).confidence_interval()

        assert pytest.approx(expected, rel=tolerance, abs=tolerance) == list(interval)


def test_tango_interval_of_independent_packages():
    """ratesci and another implementation agree on the score interval, at all tables."""
    for case in GOLDEN["cases"]:
        tango = case["tango"]

        low, high = mcnemar(
            ContingencyTable(*case["table"]), method="asymptotic"
        ).confidence_interval()

        assert near(tango["high"]) == -low
        assert near(tango["low"]) == -high


def test_golden_without_discordant_pairs():
    """Packages give 0, 0.5, 1 and NaN there; the rule is statistic 0 and p = 1."""
    for method, case in itertools.product(METHODS, DEGENERATE):
        result = mcnemar(ContingencyTable(*case["table"]), method=method)

        assert (0.0, 1.0) == tuple(result)
        assert ("degenerate", "no-discordant-pairs") == result.flags


def test_published_example():
    """What books, papers and manuals print or imply is what comes out."""
    for case in PUBLISHED:
        table = ContingencyTable(*case["table"])
        rtol = case["rtol"]
        checked = 0
        for method in METHODS:
            if method not in case:
                continue
            result = mcnemar(table, method=method)
            if isinstance(case[method], list):
                assert pytest.approx(case[method], rel=rtol, abs=1e-12) == list(result)
            else:
                assert pytest.approx(case[method], rel=rtol) == result.pvalue
            checked += 1
        if "tango" in case:
            low, high = mcnemar(table, method="asymptotic").confidence_interval()
            assert pytest.approx(case["tango"], rel=rtol, abs=rtol) == [-high, -low]
            checked += 1
        if "odds_exact" in case:
            ends = [
                difference_of_odds(
                    odds, table.only_champion, table.only_challenger, table.n
                )
                for odds in case["odds_exact"][::-1]
            ]
            result = mcnemar(table, method="exact", interval="conditional")
            interval = result.confidence_interval()
            assert pytest.approx(ends, rel=rtol, abs=rtol) == list(interval)
            checked += 1
        if "printed_exact" in case:
            pvalue = mcnemar(table, method="exact").pvalue
            assert case["printed_exact"] == pytest.approx(pvalue, abs=5e-5)

        assert checked > 0


def test_direction_of_a_published_example():
    """12 of the airway pairs favour the column's and 7 the row's classifier."""
    result = mcnemar(ContingencyTable(1, 1, 7, 12), method="exact")

    assert 6 / 21 == pytest.approx(result.estimate)
    assert (2 / 21, 8 / 21) == pytest.approx((result.champion, result.challenger))
    assert 1.0 == result.statistic


# ------------------------------------------------------------------ definitions


TABLES = [ContingencyTable(5, b, c, 4) for b, c in [(0, 1), (1, 1), (3, 9), (9, 3), (6, 6)]]


def test_exact_is_the_binomial_test():
    """It is scipy's test of 1/2 for the discordant pairs that favour the challenger."""
    for table, alternative in itertools.product(TABLES, ["two-sided", "less", "greater"]):
        expected = stats.binomtest(
            table.only_challenger, table.n_discordant, alternative=alternative
        )

        result = mcnemar(table, method="exact", alternative=alternative)

        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)


def test_one_sided_pvalues():
    """One-sided p-values add to 1, plus what is observed where it counts in both."""
    for table in TABLES:
        observed = stats.binom.pmf(table.only_challenger, table.n_discordant, 0.5)
        for method, total in (("mid-p", 1), ("exact", 1 + observed), ("asymptotic", 1)):
            less, greater = (
                mcnemar(table, method=method, alternative=alternative).pvalue
                for alternative in ("less", "greater")
            )

            assert total == pytest.approx(less + greater)


def test_asymptotic_statistic_is_the_score_at_zero():
    """Half the p-value of the chi-squared test is the better one-sided p-value."""
    table = ContingencyTable(150, 15, 25, 10)
    two_sided, greater, less = (
        mcnemar(table, method="asymptotic", alternative=alternative)
        for alternative in ("two-sided", "greater", "less")
    )

    assert stats.chi2.sf(two_sided.statistic, 1) == pytest.approx(two_sided.pvalue)
    assert two_sided.pvalue / 2 == pytest.approx(greater.pvalue)
    assert 1 == pytest.approx(greater.pvalue + less.pvalue)


def test_default_is_mid_p():
    """Without a word the p-value is the mid-p, two-sided, of two trained models."""
    table = ContingencyTable(150, 25, 15, 10)
    result = mcnemar(table)

    assert mcnemar(table, method="mid-p").to_dict() == result.to_dict()
    assert ("mid-p", "two-sided") == (result.method, result.alternative)
    assert ("mcnemar", "models", "hold-out") == (
        result.test,
        result.inference,
        result.design,
    )


def test_statistic_of_a_one_sided_test_is_the_smaller_count():
    """The smaller discordant count is the statistic, whatever the alternative."""
    for method in ("exact", "mid-p"):
        for alternative in ("two-sided", "less", "greater"):
            for b, c in ((3, 9), (9, 3)):
                table = ContingencyTable(5, b, c, 4)
                result = mcnemar(table, method=method, alternative=alternative)
                assert 3 == result.statistic


def test_concordant_records_change_no_pvalue():
    """Records that both or neither predict correctly say nothing about the difference."""
    for method in METHODS:
        one = mcnemar(ContingencyTable(0, 9, 3, 0), method=method)
        other = mcnemar(ContingencyTable(700, 9, 3, 80), method=method)

        assert tuple(one) == tuple(other)
        assert one.estimate < other.estimate < 0


# ------------------------------------------------------------------------ edges


def test_without_discordant_pairs():
    """p is 1 and the estimate 0, but the interval shows how little is known."""
    for method, alternative, cells in itertools.product(
        METHODS,
        ["two-sided", "less", "greater"],
        [(7, 0, 0, 3), (1, 0, 0, 0), (0, 0, 0, 50)],
    ):
        n = sum(cells)
        result = mcnemar(ContingencyTable(*cells), method=method, alternative=alternative)
        low, high = result.confidence_interval(0.95)

        assert (0.0, 1.0, 0.0) == (result.statistic, result.pvalue, result.log_pvalue)
        assert result.degenerate
        assert 0 == result.estimate
        tail = 0.025 if alternative == "two-sided" else 0.05
        z = stats.norm.isf(tail)
        # The exact limit is Clopper and Pearson's of no discordant record among n.
        half = 1 - tail ** (1 / n) if method == "exact" else z**2 / (n + z**2)
        if method != "corrected":
            assert (-1 if alternative == "less" else -half) == pytest.approx(low)
            assert (1 if alternative == "greater" else half) == pytest.approx(high)


def test_one_discordant_pair():
    """A single discordant record never convinces; nor does a single record."""
    for method, pvalue in [
        ("exact", 1.0),
        ("mid-p", 0.5),
        ("asymptotic", stats.chi2.sf(1, 1)),
        ("corrected", 1.0),
    ]:
        for table in (ContingencyTable(3, 1, 0, 4), ContingencyTable(0, 0, 1, 0)):
            result = mcnemar(table, method=method)

            assert pvalue == pytest.approx(result.pvalue)
            assert not result.degenerate


def test_challenger_without_errors():
    """Against w errors of the champion the exact p is 2^(1 - w)."""
    for n_errors in [1, 2, 5, 30]:
        result = mcnemar(ContingencyTable(50, 0, n_errors, 0), method="exact")

        assert 2.0 ** (1 - n_errors) == pytest.approx(result.pvalue)
        assert 1 == result.challenger


def test_fractional_counts_have_no_exact_test():
    """Averaged tables are refused with the methods that take them."""
    table = ContingencyTable(7.5, 1.5, 2.5, 3.5)

    for method in ("exact", "mid-p"):
        with pytest.raises(ValueError, match=r"needs whole counts.*'asymptotic'"):
            mcnemar(table, method=method)
    assert 0.25 == pytest.approx(mcnemar(table, method="asymptotic").statistic)


def test_whole_floats_are_fractional_too():
    """A float is an average, whatever its value: exact tests refuse it."""
    with pytest.raises(ValueError, match="needs whole counts"):
        mcnemar(ContingencyTable(7.0, 1.0, 2.0, 3.0))


def test_flag_of_few_discordant_pairs():
    """The chi-squared methods are flagged below 25 discordant pairs, exact ones never."""
    for method in METHODS:
        chi_squared = method in ("asymptotic", "corrected")
        few = mcnemar(ContingencyTable(90, 10, 14, 10), method=method)
        enough = mcnemar(ContingencyTable(90, 11, 14, 10), method=method)

        assert chi_squared == ("few-discordant-pairs" in few.flags)
        assert () == enough.flags


def test_more_records_than_any_test_set():
    """Ten million records work, in the tail as well, with an exact logarithm."""
    for method in METHODS:
        result = mcnemar(
            ContingencyTable(8_000_000, 900_000, 1_000_000, 100_000), method=method
        )
        z = result.estimate * math.sqrt(result.n) / math.sqrt(0.19)

        assert 2.2250738585072014e-308 == result.pvalue
        assert -(z**2) / 2 == pytest.approx(result.log_pvalue, rel=0.01)
        low, high = result.confidence_interval()
        assert 0 < low < 0.01 < high < 0.0103
