"""The ratio of accuracies, against other packages and numeric maximum likelihood."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar, relative_accuracy
from skcompare.stats.accuracy._ratios import ratio_score, score_ratio_limits
from tests.common.golden import golden

GOLDEN = golden("paired_differences")
REGULAR = [case for case in GOLDEN["ratios"] if not case.get("degenerate")]
DEGENERATE = [case for case in GOLDEN["ratios"] if case.get("degenerate")]
PUBLISHED = [case for case in GOLDEN["published"] if "ratio" in case]
METHODS = ("score", "log-wald")
INTERVALS = ("score", "bonett-price", "log-wald")
ALTERNATIVES = ("two-sided", "less", "greater")
OPPOSITE = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
TABLES = [
    ContingencyTable(*cells)
    for cells in [
        (150, 25, 15, 10),
        (1, 1, 7, 12),
        (3, 2, 0, 2),
        (3, 0, 2, 2),
        (0, 4, 3, 2),
        (9, 0, 0, 4),
        (0, 3, 0, 4),
        (0, 0, 3, 4),
        (0, 0, 0, 4),
        (700_000, 99_000, 101_000, 100_000),
    ]
]


def inverted(limits):
    """Limits of A over B, as those of challenger over champion."""
    return [1 / limits[1], 1 / limits[0]]


# ------------------------------------------------------- other people's numbers


def test_wald_of_an_independent_package():
    """DTComPair has ratio, limits and p-value of a ratio of sensitivities."""
    for case in REGULAR:
        known = case["log-wald"]

        result = relative_accuracy(ContingencyTable(*case["table"]), method="log-wald")

        assert 1 / case["ratio"] == pytest.approx(result.estimate, rel=1e-10)
        assert (math.log(case["ratio"]) / case["error"]) ** 2 == pytest.approx(
            result.statistic, rel=1e-9
        )
        assert pytest.approx(inverted(known["limits"]), rel=1e-10) == list(
            result.confidence_interval()
        )
        assert known["pvalue"] == pytest.approx(result.pvalue, rel=1e-7, abs=1e-14)
        assert case["champion"] == pytest.approx(result.champion)
        assert case["challenger"] == pytest.approx(result.challenger)


def test_score_is_mcnemars_of_independent_packages():
    """statsmodels and DTComPair have McNemar's statistic; the score of 1 is that."""
    cases = [case for case in REGULAR if "score" in case]
    assert cases
    for case in cases:
        score = case["score"]

        result = relative_accuracy(ContingencyTable(*case["table"]))

        assert score["statistic"] == pytest.approx(result.statistic, rel=1e-10)
        assert score["pvalue"] == pytest.approx(result.pvalue, rel=1e-7, abs=1e-14)


def test_golden_without_discordant_pairs():
    """There a package gives NaN; the rule is a ratio of 1, statistic 0 and p = 1."""
    for case, method in itertools.product(DEGENERATE, METHODS):
        result = relative_accuracy(ContingencyTable(*case["table"]), method=method)

        assert (0.0, 1.0) == tuple(result)
        assert case["ratio"] == result.estimate == 1
        assert ("degenerate", "no-discordant-pairs") == result.flags


def test_published_interval():
    """contingencytables and ratesci print these limits of A over B."""
    for case in PUBLISHED:
        # With the roles exchanged their ratio is the one here.
        table = ContingencyTable(*case["table"]).swap()
        for interval, limits in case["ratio"].items():
            shown = relative_accuracy(table, interval=interval).confidence_interval()

            assert pytest.approx(limits, abs=case["abs"]) == list(shown)


# ----------------------------------------------------------- formulas by other ways


def brute_score(both, b, c, neither, ratio):
    """The score with shares by numeric maximum likelihood under the ratio."""
    n = both + b + c + neither

    def minus_likelihood(champion, agreeing):
        shares = (agreeing, champion - agreeing, ratio * champion - agreeing)
        parts = zip((both, b, c, neither), (*shares, 1 - sum(shares)))
        counted = [(count, share) for count, share in parts if count]
        if any(share <= 0 for _, share in counted):
            return math.inf
        return -sum(count * math.log(share) for count, share in counted)

    def best_agreeing(champion):
        ends = max(0, (1 + ratio) * champion - 1), min(1, ratio) * champion
        found = minimize_scalar(
            lambda share: minus_likelihood(champion, share),
            bounds=ends,
            method="bounded",
            options={"xatol": 1e-12},
        ).x
        return min((*ends, found), key=lambda share: minus_likelihood(champion, share))

    champion = minimize_scalar(
        lambda share: minus_likelihood(share, best_agreeing(share)),
        bounds=(1e-9, min(1, 1 / ratio) - 1e-12),
        method="bounded",
        options={"xatol": 1e-12},
    ).x
    discordant = (1 + ratio) * champion - 2 * best_agreeing(champion)
    return (both + c - ratio * (both + b)) / math.sqrt(n * ratio * discordant)


def test_score_by_brute_force():
    """The closed form has the most likely shares under the ratio."""
    for cells, ratio in itertools.product(
        [(7, 5, 1, 2), (150, 25, 15, 10), (3, 2, 0, 2), (1, 1, 7, 12)],
        [0.4, 0.8, 1.0, 1.3, 2.5],
    ):
        expected = brute_score(*cells, ratio)

        assert expected == pytest.approx(ratio_score(*cells[:3], ratio), rel=1e-6)
        result = relative_accuracy(ContingencyTable(*cells), null_value=ratio)
        assert expected**2 == pytest.approx(result.statistic, rel=1e-6)


def test_score_at_the_limits_is_the_quantile():
    """Tang's limits are where the score is ± z."""
    for level, table in itertools.product([0.5, 0.9, 0.999], [*TABLES[:4], TABLES[-1]]):
        z = stats.norm.isf((1 - level) / 2)
        counts = table.both_correct, table.only_champion, table.only_challenger
        low, high = score_ratio_limits(*counts, level, "two-sided")

        assert z == pytest.approx(ratio_score(*counts, low), rel=1e-9)
        assert -z == pytest.approx(ratio_score(*counts, high), rel=1e-9)


def test_score_falls_with_the_ratio():
    """The larger the ratio under the null hypothesis, the smaller the score."""
    ratios = np.exp(np.linspace(-3, 3, 61))
    for table in TABLES[:8]:
        counts = table.both_correct, table.only_champion, table.only_challenger
        scores = np.array([ratio_score(*counts, ratio) for ratio in ratios])

        assert (np.diff(scores) < 1e-12).all()


def test_bonett_price_by_wilson():
    """It is a quotient of scipy's Wilson limits at a level of its own."""
    both, b, c, z = 59, 6, 16, stats.norm.isf(0.025)
    n, first, second = both + b + c, both + b, both + c
    joint = math.sqrt((b + c + 2) / ((first + 1) * (second + 1)))
    alone = sum(math.sqrt((1 - (k + 1) / (n + 2)) / (k + 1)) for k in (first, second))
    level = 1 - 2 * stats.norm.sf(z * joint / alone)
    l1, u1 = stats.binomtest(first, n).proportion_ci(level, "wilson")
    l2, u2 = stats.binomtest(second, n).proportion_ci(level, "wilson")

    result = relative_accuracy(ContingencyTable(both, b, c, 80), interval="bonett-price")

    assert (l2 / u1, u2 / l1) == pytest.approx(result.confidence_interval(), rel=1e-9)


# -------------------------------------------------------------------- what must hold


def test_pvalue_is_that_of_mcnemar():
    """For a ratio of 1 it is the asymptotic McNemar test on another scale."""
    for alternative, table in itertools.product(ALTERNATIVES, TABLES):
        expected = mcnemar(table, method="asymptotic", alternative=alternative)

        result = relative_accuracy(table, alternative=alternative)

        assert tuple(expected) == pytest.approx(tuple(result), rel=1e-12)
        assert expected.log_pvalue == pytest.approx(result.log_pvalue, rel=1e-12)


def test_interval_excludes_the_null_value_when_rejected():
    """For any ratio under the null hypothesis, at all small tables."""
    for method, null, alternative in itertools.product(
        METHODS, [0.3, 1.0, 1.2, 4.0], ALTERNATIVES
    ):
        for n in (1, 4):
            for b in range(n + 1):
                for c in range(n + 1 - b):
                    for both in range(n + 1 - b - c):
                        result = relative_accuracy(
                            ContingencyTable(both, b, c, n - both - b - c),
                            method=method,
                            null_value=null,
                            alternative=alternative,
                        )
                        if math.isnan(result.pvalue):
                            assert result.flags
                            continue
                        for alpha in (0.01, 0.05, 0.3, 0.5):
                            low, high = result.confidence_interval(1 - alpha)
                            rejected = result.pvalue < 1 - (1 - alpha)
                            assert 0 <= low <= high
                            assert rejected == (not low <= null <= high), (result, alpha)


def test_limits_are_inverted_with_the_roles():
    """Limits are in order and hold the ratio; exchanged roles invert them."""
    for interval, table in itertools.product(INTERVALS, TABLES):
        for level in (0.5, 0.95, 0.9999):
            for alternative in ALTERNATIVES:
                low, high = relative_accuracy(table, interval=interval).limits(
                    level, alternative
                )
                other = relative_accuracy(table.swap(), interval=interval).limits(
                    level, OPPOSITE[alternative]
                )

                assert 0 <= low <= high
                assert [math.inf if limit == 0 else 1 / limit for limit in other[::-1]] == (
                    pytest.approx([low, high], rel=1e-9)
                )
                estimate = relative_accuracy(table).estimate
                if not math.isnan(estimate):
                    assert low * (1 - 1e-12) <= estimate <= high * (1 + 1e-12)


def test_score_interval_covers():
    """Of 25 records it holds the true ratio as often as it says, nearly."""
    n, shares = 25, (0.6, 0.1, 0.15, 0.15)
    truth, covered = 0.75 / 0.7, 0.0
    cells = np.indices((n + 1,) * 3).reshape(3, -1).T
    cells = cells[cells.sum(axis=1) <= n]
    counts = np.column_stack([cells, n - cells.sum(axis=1)])
    likely = stats.multinomial.pmf(counts, n, shares)
    for k in np.flatnonzero(likely > 1e-7):
        low, high = score_ratio_limits(*map(int, cells[k]), 0.95, "two-sided")
        covered += likely[k] * (low <= truth <= high)

    assert 0.95 == pytest.approx(covered, abs=0.012)


# ----------------------------------------------------------------------------- edges


def test_identical_classifiers():
    """The ratio is 1; the score interval knows how few were right, Wald's does not."""
    for n_right in (1, 9, 400):
        table = ContingencyTable(n_right, 0, 0, 7)
        z2 = stats.norm.isf(0.025) ** 2
        result = relative_accuracy(table)

        assert (0.0, 1.0, 1.0) == (*result, result.estimate)
        assert (1 / (1 + z2 / n_right), 1 + z2 / n_right) == pytest.approx(
            result.confidence_interval(), rel=1e-9
        )
        assert (1, 1) == relative_accuracy(table, interval="log-wald").confidence_interval()
        low, high = relative_accuracy(table, interval="bonett-price").confidence_interval()
        assert low < 1 < high


def test_champion_never_right():
    """The ratio is infinite, its lower limit c / z², and the p-value McNemar's."""
    table = ContingencyTable(0, 0, 30, 12)
    z2 = stats.norm.isf(0.025) ** 2
    result = relative_accuracy(table)

    assert math.inf == result.estimate
    assert (30 / z2, math.inf) == pytest.approx(result.confidence_interval())
    assert stats.chi2.sf(30, 1) == pytest.approx(result.pvalue)
    assert ("no-correct-predictions",) == result.flags
    swapped = relative_accuracy(table.swap())
    assert 0 == swapped.estimate
    assert (0, z2 / 30) == pytest.approx(swapped.confidence_interval())


def test_flag_of_few_discordant_pairs():
    """Fewer than 25 discordant pairs make it a poor approximation, which is flagged."""
    few, enough = (
        relative_accuracy(ContingencyTable(90, 10, c, 10)).flags for c in (14, 15)
    )

    assert ("approximate-ratio",) == few
    assert () == enough


def test_nobody_right():
    """0 / 0 is undefined and anything possible; p is 1, as for McNemar's test."""
    table = ContingencyTable(0, 0, 0, 12)
    for method in METHODS:
        for null in (1.0, 0.8):
            result = relative_accuracy(table, method=method, null_value=null)

            assert math.isnan(result.estimate)
            assert (0.0, 1.0) == tuple(result)
            assert {"degenerate", "no-correct-predictions"} <= set(result.flags)
            assert (0, math.inf) == result.confidence_interval()
    for interval in INTERVALS:
        result = relative_accuracy(table, interval=interval)
        assert (0, math.inf) == result.confidence_interval()


def test_wald_without_right_predictions():
    """The logarithm of 0 or infinity has no p-value, and the interval says nothing."""
    for cells in ((0, 0, 30, 12), (0, 30, 0, 12)):
        result = relative_accuracy(ContingencyTable(*cells), method="log-wald")

        assert math.isnan(result.pvalue)
        assert math.isnan(result.statistic)
        assert "no-correct-predictions" in result.flags
        assert (0, math.inf) == result.confidence_interval()


def test_wald_without_discordant_pairs_and_another_null_value():
    """The ratio is 1 without any variance, so no p-value can be had of 0.9."""
    result = relative_accuracy(
        ContingencyTable(40, 0, 0, 10), method="log-wald", null_value=0.9
    )

    assert math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert ("no-discordant-pairs", "zero-variance") == result.flags
    score = relative_accuracy(ContingencyTable(40, 0, 0, 10), null_value=0.9)
    assert 0 < score.pvalue < 0.05


def test_relative_noninferiority():
    """A champion of 0.875 and a challenger of 0.825: not shown to be within a twentieth."""
    table = ContingencyTable(150, 25, 15, 10)
    result = relative_accuracy(table, null_value=0.95, alternative="greater")

    assert 0.9 < 0.825 / 0.875 < 0.95
    assert 0.5 < result.pvalue
    wider = relative_accuracy(table, null_value=0.88, alternative="greater")
    assert wider.pvalue < 0.05
    assert wider.confidence_interval().low > 0.88


def test_fractional_tables():
    """Averaged tables have a score test."""
    result = relative_accuracy(ContingencyTable(7.5, 1.5, 2.5, 3.5))

    assert 0.25 == pytest.approx(result.statistic)
    assert 10 / 9 == pytest.approx(result.estimate)
    low, high = result.confidence_interval()
    assert low < 1 < high


def test_very_many_records():
    """Ten billion records have limits of nine digits beside the ratio."""
    table = ContingencyTable(8 * 10**9, 9 * 10**8, 10**9, 10**8)
    result = relative_accuracy(table)
    error = math.sqrt(1.9e9 / (8.9e9 * 9e9))
    expected = [9 / 8.9 * math.exp(sign * 1.959964 * error) for sign in (-1, 1)]

    assert pytest.approx(expected, rel=1e-9) == list(result.confidence_interval())


def test_wrong_null_value():
    """A ratio is a positive number."""
    for wrong in [0, -1, math.nan, math.inf, "1", None, True]:
        with pytest.raises(ValueError, match="must be a number above 0"):
            relative_accuracy(TABLES[0], null_value=wrong)
