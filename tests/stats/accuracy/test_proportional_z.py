"""The proportional test: statsmodels' figures, intervals, edges, and what it ignores."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from skcompare.datasets import make_epsilon
from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar, paired_tests, proportional_z
from tests.common.golden import golden

GOLDEN = golden("resampling_z")
CASES = GOLDEN["proportional"]["cases"]
ALTERNATIVES = ("two-sided", "less", "greater")


def test_other_implementation():
    """Statistic, p-values and unpooled limits are those of statsmodels, A the champion."""
    for case in CASES:
        table = ContingencyTable(*case["table"])
        result = proportional_z(table, interval="unpooled")
        low, high = case["unpooled"]

        assert -case["z"] == pytest.approx(result.statistic, rel=1e-10)
        assert case["p"] == pytest.approx(result.pvalue, rel=1e-10)
        assert case["p_smaller"] == pytest.approx(
            proportional_z(table, alternative="greater").pvalue, rel=1e-10
        )
        assert case["p_larger"] == pytest.approx(
            proportional_z(table, alternative="less").pvalue, rel=1e-10
        )
        assert (-high, -low) == pytest.approx(
            tuple(result.confidence_interval()), rel=1e-10
        )


def test_formula_in_exact_fractions():
    """The square of the statistic is d² n / (2 p (1 - p)) for the pooled error p."""
    for counts in [(150, 25, 15, 10), (5, 0, 4, 1), (0, 3, 9, 40)]:
        _, champion_only, challenger_only, neither = map(Fraction, counts)
        n = sum(counts)
        errors = (challenger_only + neither) / n, (champion_only + neither) / n
        pooled = sum(errors) / 2
        square = (errors[0] - errors[1]) ** 2 * n / (2 * pooled * (1 - pooled))

        result = proportional_z(ContingencyTable(*counts))

        assert float(errors[0] - errors[1]) == pytest.approx(result.estimate, rel=1e-14)
        assert float(square) == pytest.approx(result.statistic**2, rel=1e-13)
        assert float(pooled) == pytest.approx(result.details["pooled_error"], rel=1e-14)


def test_interval_inverts_the_test():
    """The pooled interval is the difference plus and minus z of the test's own error."""
    table = ContingencyTable(70, 3, 17, 10)
    for alternative in ALTERNATIVES:
        result = proportional_z(table, alternative=alternative)
        tail = 0.05 if alternative != "two-sided" else 0.025
        reach = stats.norm.isf(tail) * result.details["se"]
        low = -1 if alternative == "less" else 0.14 - reach
        high = 1 if alternative == "greater" else 0.14 + reach

        assert (low, high) == pytest.approx(tuple(result.confidence_interval()), rel=1e-12)
        assert result.details["se"] > result.details["se_unpooled"]


def test_unpooled_interval_may_disagree():
    """Its error is the smaller one, so that it may exclude 0 though p is above 0.05."""
    table = ContingencyTable(5, 0, 4, 1)
    low, _ = proportional_z(table, interval="unpooled").confidence_interval()
    agreeing, _ = proportional_z(table).confidence_interval()

    assert proportional_z(table).pvalue > 0.05
    assert agreeing <= 0
    assert low > 0


def test_right_against_wrong():
    """The champion always wrong and the challenger always right differ by 1."""
    table = ContingencyTable(0, 0, 12, 0)
    result = proportional_z(table)

    assert 1 == result.estimate
    assert math.sqrt(24) == pytest.approx(result.statistic)
    low, high = result.confidence_interval()
    assert 0 < low < high == 1
    assert (1, 1) == tuple(proportional_z(table, interval="unpooled").confidence_interval())


def test_no_variation():
    """All right or all wrong: statistic 0, p 1, and the interval is 0 alone."""
    for counts, alternative in itertools.product(
        [(9, 0, 0, 0), (0, 0, 0, 9)], ALTERNATIVES
    ):
        result = proportional_z(ContingencyTable(*counts), alternative=alternative)

        assert (0, 1, 0) == (result.statistic, result.pvalue, result.log_pvalue)
        assert result.degenerate
        low, high = result.confidence_interval()
        assert (0 if alternative != "less" else -1) == low
        assert (0 if alternative != "greater" else 1) == high


def test_ignores_pairing():
    """Margins alone count: tables that McNemar's test tells apart look the same."""
    alike, unlike = ContingencyTable(85, 0, 10, 5), ContingencyTable(80, 5, 15, 0)

    assert proportional_z(alike).pvalue == proportional_z(unlike).pvalue
    assert mcnemar(alike).pvalue < mcnemar(unlike).pvalue
    assert proportional_z(alike).pvalue > 10 * mcnemar(alike).pvalue


def test_both_tails_count():
    """90 against 80 right of 100: mlxtend 0.25.0 gives .977, the lower tail alone."""
    table = ContingencyTable(75, 5, 15, 5)
    two_sided = proportional_z(table).pvalue

    assert two_sided == pytest.approx(
        2 * proportional_z(table, alternative="greater").pvalue
    )
    assert two_sided == pytest.approx(0.0477, abs=1e-4)


def test_caution():
    """Every result says what it ignores, and the test never runs unasked."""
    result = proportional_z(ContingencyTable(70, 3, 17, 10))
    (caveat,) = result.caveats

    assert "ignores-pairing" == paired_tests()["proportional_z"].caution
    assert "mcnemar" in caveat
    assert "models" == result.inference


def test_far_tail():
    """p does not underflow to 0, and its logarithm stays exact."""
    result = proportional_z(ContingencyTable(0, 0, 10_000, 0))

    assert 0 < result.pvalue < 1e-300
    expected = math.log(2) + stats.norm.logsf(result.statistic)
    assert expected == pytest.approx(result.log_pvalue, rel=1e-12)


def test_fractional_counts():
    """Averaged tables are taken: twice the records at half the counts are the same."""
    halves = proportional_z(ContingencyTable(7.5, 2.5, 5.0, 5.0))
    whole = proportional_z(ContingencyTable(15, 5, 10, 10))

    assert whole.statistic == pytest.approx(halves.statistic * math.sqrt(2))


def test_published_error_rate():
    """On the epsilon data with n1 = 2n/3, it is wrong about as often as printed."""
    (rate,) = (r for r in GOLDEN["epsilon"]["rates"] if r["test"] == "proportional_z")
    repetitions, n = 1000, 300
    champion, challenger = make_epsilon(n, 0.1, n_repetitions=repetitions, random_state=0)
    test = np.random.default_rng(0).permuted(
        np.tile(np.arange(n), (repetitions, 1)), axis=1
    )[:, :100]
    wrong = np.take_along_axis(np.stack([champion, challenger]), test[None], axis=2) == 1
    rejected = [
        proportional_z(ContingencyTable.from_predictions(np.zeros(100, bool), a, b)).pvalue
        < 0.05
        for a, b in zip(*wrong, strict=True)
    ]

    assert rate["printed"] == pytest.approx(np.mean(rejected), abs=0.03)
