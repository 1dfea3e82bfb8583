"""The intervals of McNemar's test that can be requested."""

import itertools

import pytest
from scipy import stats

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar

METHODS = ("mid-p", "exact", "asymptotic", "corrected")
TABLES = [ContingencyTable(5, b, c, 4) for b, c in [(0, 1), (1, 1), (3, 9), (9, 3), (6, 6)]]


def test_conditional_interval_is_that_of_clopper_and_pearson():
    """Its limits are scipy's for the share, times the discordant part of the records."""
    for table, alternative in itertools.product(TABLES, ["two-sided", "less", "greater"]):
        m = table.n_discordant
        share = stats.binomtest(
            table.only_challenger, m, alternative=alternative
        ).proportion_ci(0.9)
        part = m / table.n
        expected = [(2 * limit - 1) * part for limit in share]
        # A one-sided interval of a difference reaches to the end of the scale.
        if alternative == "less":
            expected[0] = -1.0
        if alternative == "greater":
            expected[1] = 1.0

        result = mcnemar(
            table, method="exact", interval="conditional", alternative=alternative
        )

        assert pytest.approx(expected, abs=1e-9) == list(result.confidence_interval(0.9))


def test_score_interval_of_any_method():
    """TallyRequest for, Tango's interval is the same whatever the p-value."""
    for table, method in itertools.product(TABLES, METHODS):
        expected = mcnemar(table, method="asymptotic").confidence_interval(0.9)

        result = mcnemar(table, method=method, interval="score")

        assert expected == pytest.approx(result.confidence_interval(0.9), abs=1e-12)
        assert mcnemar(table, method=method).pvalue == result.pvalue


def test_conditional_interval_agrees_with_the_pvalue():
    """The conditional interval too excludes 0 exactly when the test rejects."""
    for method, alternative in itertools.product(
        ["exact", "mid-p"], ["two-sided", "less", "greater"]
    ):
        for b, c in [(0, 5), (0, 6), (1, 8), (2, 9), (9, 2), (8, 1), (4, 4)]:
            table = ContingencyTable(3, b, c, 2)
            result = mcnemar(
                table, method=method, interval="conditional", alternative=alternative
            )
            for alpha in (0.01, 0.05, 0.1, 0.3):
                low, high = result.confidence_interval(1 - alpha)
                assert (result.pvalue < alpha) == (not low <= 0 <= high)


def test_conditional_interval_needs_a_binomial_method():
    """Chi-squared has no conditional interval, and the error says what to take."""
    table = ContingencyTable(5, 1, 2, 3)
    for method in ("asymptotic", "corrected"):
        with pytest.raises(ValueError, match=r"with method='exact' or 'mid-p'.*'score'"):
            mcnemar(table, method=method, interval="conditional")


def test_default_interval_covers_where_the_conditional_one_does_not():
    """All of five discordant pairs for one side: the difference may be twice as large."""
    for method in METHODS:
        table = ContingencyTable(95, 0, 5, 0)
        low, high = mcnemar(table, method=method).confidence_interval()

        assert low < 0.05 < 0.1 < high
        if method in ("mid-p", "exact"):
            other = mcnemar(table, method=method, interval="conditional")
            assert 0.05 == pytest.approx(other.confidence_interval().high)
