"""Ratios of two mean losses."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.stats import t, ttest_rel

from skcompare import compare
from skcompare.evidence import PairedLosses
from skcompare.plots import RelativePrecisionDisplay
from skcompare.stats import clustered_relative_loss, clustered_t, paired_t, relative_loss

RNG = np.random.default_rng(0)
ERRORS = RNG.normal(size=(2, 90)) * [[1.0], [0.7]] + 0.4 * RNG.normal(size=90)
A, B = ERRORS**2
LOSSES = PairedLosses.from_losses(A, B)


def test_the_test_is_that_of_the_difference():
    """For a ratio of 1 the p-value is scipy's of the paired t test."""
    result = relative_loss(LOSSES)

    assert_allclose(result.estimate, A.mean() / B.mean(), rtol=1e-14)
    assert_allclose(result.pvalue, ttest_rel(A, B).pvalue, rtol=1e-12)
    assert_allclose(result.statistic, ttest_rel(A, B).statistic, rtol=1e-12)
    assert 89 == result.df


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_limits_are_where_scipys_test_rejects(alternative, level):
    """At its limits the ratio has the p-value of the level, by scipy."""
    result = relative_loss(LOSSES, alternative=alternative)
    low, high = result.confidence_interval(level)

    def excess(ratio):
        return ttest_rel(A, ratio * B, alternative=alternative).pvalue - (1 - level)

    if alternative != "less":
        assert_allclose(low, brentq(excess, 0.01, result.estimate), rtol=1e-10)
    if alternative != "greater":
        assert_allclose(high, brentq(excess, result.estimate, 100), rtol=1e-10)
    assert (0 == low) == (alternative == "less")
    assert math.isinf(high) == (alternative == "greater")


def test_another_null_value():
    """At a margin it is the t test of the weighted difference."""
    result = relative_loss(LOSSES, null_value=1.3, alternative="greater")
    expected = ttest_rel(A, 1.3 * B, alternative="greater")

    assert_allclose(result.pvalue, expected.pvalue, rtol=1e-12)


def test_logarithm():
    """The standard error of the logarithm is that of relative deviations."""
    result = relative_loss(LOSSES, method="log")
    error = (A / A.mean() - B / B.mean()).std(ddof=1) / math.sqrt(90)
    ratio = A.mean() / B.mean()

    assert_allclose(result.statistic, math.log(ratio) / error, rtol=1e-12)
    limits = ratio * np.exp(np.array([-1, 1]) * t.ppf(0.975, 89) * error)
    assert_allclose(result.confidence_interval(), limits, rtol=1e-10)


def test_moments_and_shards():
    """Moments alone are enough, and those of shards add up."""
    few = PairedLosses.from_losses(A[:30], B[:30], keep_values=False)
    rest = PairedLosses.from_losses(A[30:], B[30:], keep_values=False)
    expected, merged = relative_loss(LOSSES), relative_loss(rest + few)

    assert_allclose(merged.pvalue, expected.pvalue, rtol=1e-10)
    assert_allclose(merged.confidence_interval(), expected.confidence_interval(), 1e-10)


def test_change_in_words():
    """The remark has the change of the loss, with the limits of its interval."""
    result = relative_loss(LOSSES)
    low, high = result.confidence_interval()
    change, least, most = (100 * (1 - 1 / each) for each in (result.estimate, low, high))

    assert result.remark == (
        f"the challenger's mean loss is {change:.1f} % lower, 95 % interval {least:.1f} to "
        f"{most:.1f} %"
    )
    assert "% higher, 95 % interval" in relative_loss(LOSSES.swap()).remark


def test_losses_of_zero():
    """A model without losses has no ratio in silence."""
    none = np.zeros(90)
    best = relative_loss(PairedLosses.from_losses(A, none))
    worst = relative_loss(PairedLosses.from_losses(none, B))
    both = relative_loss(PairedLosses.from_losses(none, none))

    assert (math.inf, 0) == (best.estimate, worst.estimate)
    assert math.isnan(both.estimate)
    assert_allclose(best.pvalue, ttest_rel(A, none).pvalue, rtol=1e-12)
    assert best.confidence_interval() == (np.nextafter(1, 2), math.inf)
    assert worst.confidence_interval() == (0, np.nextafter(1, 0))
    assert (0, math.inf) == both.confidence_interval()
    assert all("zero-loss" in result.flags for result in (best, worst, both))
    assert "degenerate" in both.flags


def test_losses_below_zero():
    """A ratio of losses of both signs has no meaning."""
    result = relative_loss(PairedLosses.from_losses(A - 1, B))

    assert "negative-loss" in result.flags
    assert math.isnan(result.estimate)
    assert math.isnan(result.pvalue)
    assert (0, math.inf) == result.confidence_interval()


def test_mean_that_may_be_zero():
    """A mean that is not significantly above 0 leaves the ratio without an end."""
    first, second = [2.0, 1.0, 3.0, 2.0], [0.0, 0.0, 0.0, 5.0]
    losses = PairedLosses.from_losses(first, second)
    low, high = relative_loss(losses).confidence_interval()
    back = relative_loss(losses.swap()).confidence_interval()

    assert (0 < low < 1, math.inf) == (True, high)
    assert 0.05 == pytest.approx(ttest_rel(first, np.multiply(low, second)).pvalue)
    assert_allclose(back, (0, 1 / low), rtol=1e-12)


def test_groups():
    """Groups of one record are records; for a ratio of 1 it is the test of groups."""
    alone = PairedLosses.from_losses(A, B, groups=np.arange(90))
    result, expected = clustered_relative_loss(alone), relative_loss(LOSSES)
    assert_allclose(result.pvalue, expected.pvalue, rtol=1e-10)
    assert_allclose(result.confidence_interval(), expected.confidence_interval(), 1e-10)

    grouped = PairedLosses.from_losses(A, B, groups=np.arange(90) % 17)
    result = clustered_relative_loss(grouped)
    assert_allclose(result.pvalue, clustered_t(grouped, method="t").pvalue, rtol=1e-10)
    low, _ = result.confidence_interval()
    at_limit = PairedLosses.from_losses(A, low * B, groups=np.arange(90) % 17)
    assert_allclose(clustered_t(at_limit, method="t").pvalue, 0.05, rtol=1e-9)
    moments = PairedLosses.from_losses(A, B, groups=np.arange(90) % 17, keep_values=False)
    with pytest.raises(ValueError, match="reduced to their moments"):
        clustered_relative_loss(moments)
    with pytest.raises(ValueError, match=r"at least 2 groups\. Got no groups"):
        clustered_relative_loss(LOSSES)


def test_row_of_a_comparison():
    """A comparison has the ratio beside the default test, for records and groups."""
    y = RNG.normal(size=90)
    both = {"old": y + ERRORS[0], "new": y + ERRORS[1]}
    settings = {"scoring": "neg_mean_squared_error"}
    comparison = compare(y, both, tests="relative_loss", **settings)
    _, row = comparison.rows
    (first,) = compare(y, both, **settings).rows

    assert ("paired_t", "ratio") == (first.test, row.kind)
    assert_allclose(row.pvalue, paired_t(LOSSES).pvalue, rtol=1e-8)
    assert_allclose((row.low, row.high), relative_loss(LOSSES).confidence_interval())
    assert row.note.startswith("the challenger's mean squared error is ")
    assert "losses, champion over challenger" in comparison.to_markdown()
    assert "challenger over champion" not in comparison.to_html(pictures=False)
    plain = compare(y, both, scoring="mean_squared_error", tests="relative_loss")
    assert "losses, champion over challenger" in plain.to_markdown()


def test_losses_stand_beside_their_ratio():
    """A row has mean losses, not negated scores, and displays of scores refuse it."""
    pytest.importorskip("matplotlib")
    y = np.linspace(0, 9, 90) + 0.5
    both = {"old": y + A, "new": y - B}
    comparison = compare(
        y, both, scoring="neg_mean_absolute_error", tests=["relative_loss"]
    )
    row = comparison.results["relative_loss"]

    assert_allclose((row.champion, row.challenger), (A.mean(), B.mean()))
    assert_allclose(row.estimate, row.champion / row.challenger)
    with pytest.raises(ValueError, match="no ratio of scores, but: ratio of mean"):
        RelativePrecisionDisplay.from_result(row.result)
