"""Relative reductions of a mean loss."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.stats import t, ttest_rel

from skcompare import compare
from skcompare.evidence import PairedLosses
from skcompare.plots import RelativePrecisionDisplay
from skcompare.stats import clustered_relative_loss, clustered_t, relative_loss

RNG = np.random.default_rng(0)
ERRORS = RNG.normal(size=(2, 90)) * [[1.0], [0.7]] + 0.4 * RNG.normal(size=90)
A, B = ERRORS**2
LOSSES = PairedLosses.from_losses(A, B)


def test_the_test_is_that_of_the_difference():
    """By Fieller the p-value of no reduction is scipy's of the paired t test."""
    result = relative_loss(LOSSES, method="fieller")

    assert_allclose(result.estimate, 1 - B.mean() / A.mean(), rtol=1e-14)
    assert_allclose(result.pvalue, ttest_rel(A, B).pvalue, rtol=1e-12)
    assert_allclose(result.statistic, ttest_rel(A, B).statistic, rtol=1e-12)
    assert 89 == result.df


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_limits_are_where_scipys_test_rejects(alternative, level):
    """At Fieller's limits the reduction has the p-value of the level, by scipy."""
    result = relative_loss(LOSSES, alternative=alternative, method="fieller")
    low, high = result.confidence_interval(level)

    def excess(reduction):
        weighted = (1 - reduction) * A
        return ttest_rel(weighted, B, alternative=alternative).pvalue - (1 - level)

    if alternative != "less":
        assert_allclose(low, brentq(excess, -99, result.estimate), rtol=1e-9)
    if alternative != "greater":
        assert_allclose(high, brentq(excess, result.estimate, 0.999), rtol=1e-9)
    assert math.isinf(low) == (alternative == "less")
    assert (1 == high) == (alternative == "greater")


def test_another_null_value():
    """At a margin it is the t test of the weighted difference."""
    options = {"null_value": 0.2, "alternative": "greater"}
    result = relative_loss(LOSSES, method="fieller", **options)
    expected = ttest_rel(0.8 * A, B, alternative="greater")

    assert_allclose(result.pvalue, expected.pvalue, rtol=1e-10)
    with pytest.raises(ValueError, match=r"a number below 1\. Got 1 instead"):
        relative_loss(LOSSES, null_value=1)


def by_hand(champion, challenger):
    """Jackknife of the logarithm of a ratio, by leaving out one unit after the other."""
    k = len(champion)
    logs = np.array(
        [
            np.log(np.delete(champion, i).sum() / np.delete(challenger, i).sum())
            for i in range(k)
        ]
    )
    whole = np.log(champion.sum() / challenger.sum())
    error = math.sqrt((k - 1) / k * ((logs - logs.mean()) ** 2).sum())
    return k * whole - (k - 1) * logs.mean(), error, logs.mean() - logs


def test_jackknife():
    """Statistic, degrees of freedom and skewness are those of records left out."""
    result = relative_loss(LOSSES)
    estimate, error, moves = by_hand(A, B)
    squares = moves**2
    df = 2 * squares.sum() ** 2 / ((squares**2).sum() - squares.sum() ** 2 / 90)
    s = (squares * moves).sum() / squares.sum() ** 1.5 / 3
    statistic = estimate / error
    transformed = ((1 + s * statistic) ** 3 - 1) / (3 * s) + s / 2

    assert "jackknife t" == result.method
    assert_allclose(result.statistic, statistic, rtol=1e-9)
    assert_allclose(result.df, df, rtol=1e-9)
    expected = 2 * max(t.sf(statistic, df), t.sf(transformed, df))
    assert_allclose(result.pvalue, expected, rtol=1e-8)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_limits_of_the_jackknife(alternative):
    """At its limits the reduction has the p-value of the level."""
    result = relative_loss(LOSSES, alternative=alternative)
    for level in (0.8, 0.95):
        limits = result.confidence_interval(level)
        for limit in filter(lambda x: -math.inf < x < 1, limits):
            options = {"null_value": limit, "alternative": alternative}
            at_limit = relative_loss(LOSSES, **options)
            assert_allclose(at_limit.pvalue, 1 - level, rtol=1e-8)


def test_where_the_jackknife_is_undefined():
    """One loss that is all of a model's, and proportional losses, are Fieller's."""
    one = np.where(np.arange(90) == 7, 3.0, 0.0)
    for losses in ((A, one), (one, B), (A, 0.5 * A)):
        first, second = (
            relative_loss(PairedLosses.from_losses(*losses), method=method)
            for method in ("jackknife", "fieller")
        )
        assert "Fieller's t" == first.method == second.method
        assert first.pvalue == second.pvalue


def test_moments_and_shards():
    """Moments alone are enough, and those of shards add up."""
    few = PairedLosses.from_losses(A[:30], B[:30], keep_values=False)
    rest = PairedLosses.from_losses(A[30:], B[30:], keep_values=False)
    expected, merged = relative_loss(LOSSES, method="fieller"), relative_loss(rest + few)
    both = [
        PairedLosses.from_losses(A[part], B[part]) for part in (slice(30), slice(30, 90))
    ]

    assert_allclose(merged.pvalue, expected.pvalue, rtol=1e-10)
    assert_allclose(merged.confidence_interval(), expected.confidence_interval(), 1e-10)
    assert_allclose(relative_loss(both[1] + both[0]).pvalue, relative_loss(LOSSES).pvalue)


def test_change_in_words():
    """The remark has the change of the loss, with the limits of its interval."""
    result = relative_loss(LOSSES)
    low, high = result.confidence_interval()
    change, least, most = (100 * each for each in (result.estimate, low, high))

    assert result.remark == (
        f"the challenger's mean loss is {change:.1f} % lower, 95 % interval "
        f"[{least:.1f}, {most:.1f}] %"
    )
    assert "% higher, 95 % interval" in relative_loss(LOSSES.swap()).remark


def test_losses_of_zero():
    """A model without losses has no reduction in silence."""
    none = np.zeros(90)
    best = relative_loss(PairedLosses.from_losses(A, none))
    worst = relative_loss(PairedLosses.from_losses(none, B))
    both = relative_loss(PairedLosses.from_losses(none, none))

    assert (1, -math.inf) == (best.estimate, worst.estimate)
    assert math.isnan(both.estimate)
    assert_allclose(best.pvalue, ttest_rel(A, none).pvalue, rtol=1e-12)
    assert best.confidence_interval() == (pytest.approx(0, abs=1e-15), 1)
    assert best.confidence_interval().low > 0 > worst.confidence_interval().high
    assert worst.confidence_interval() == (-math.inf, pytest.approx(0, abs=1e-15))
    assert (-math.inf, 1) == both.confidence_interval()
    assert all("zero-loss" in result.flags for result in (best, worst, both))
    assert "degenerate" in both.flags


def test_losses_below_zero():
    """A share of losses of both signs has no meaning."""
    result = relative_loss(PairedLosses.from_losses(A - 1, B))

    assert "negative-loss" in result.flags
    assert math.isnan(result.estimate)
    assert math.isnan(result.pvalue)
    assert (-math.inf, 1) == result.confidence_interval()


def test_mean_that_may_be_zero():
    """A mean that is not significantly above 0 leaves the reduction without an end."""
    first, second = [2.0, 1.0, 3.0, 2.0], [0.0, 0.0, 0.0, 5.0]
    losses = PairedLosses.from_losses(first, second)
    low, high = relative_loss(losses).confidence_interval()
    back = relative_loss(losses.swap()).confidence_interval()

    assert (low < 0, 1) == (True, high)
    weighted = np.multiply(1 - low, first)
    assert 0.05 == pytest.approx(ttest_rel(weighted, second).pvalue)
    assert_allclose(back, (-math.inf, 1 - 1 / (1 - low)), rtol=1e-12)


def test_groups():
    """Groups of one record are records; without reduction it is the test of groups."""
    alone = PairedLosses.from_losses(A, B, groups=np.arange(90))
    result, expected = clustered_relative_loss(alone), relative_loss(LOSSES)
    assert_allclose(result.pvalue, expected.pvalue, rtol=1e-10)
    assert_allclose(result.confidence_interval(), expected.confidence_interval(), 1e-10)

    grouped = PairedLosses.from_losses(A, B, groups=np.arange(90) % 17)
    estimate, error, _ = by_hand(*(np.bincount(np.arange(90) % 17, own) for own in (A, B)))
    result = clustered_relative_loss(grouped)
    assert_allclose(result.statistic, estimate / error, rtol=1e-9)
    result = clustered_relative_loss(grouped, method="fieller")
    assert_allclose(result.pvalue, clustered_t(grouped, method="t").pvalue, rtol=1e-10)
    low, _ = result.confidence_interval()
    at_limit = PairedLosses.from_losses((1 - low) * A, B, groups=np.arange(90) % 17)
    assert_allclose(clustered_t(at_limit, method="t").pvalue, 0.05, rtol=1e-9)
    moments = PairedLosses.from_losses(A, B, groups=np.arange(90) % 17, keep_values=False)
    with pytest.raises(ValueError, match="reduced to their moments"):
        clustered_relative_loss(moments)
    with pytest.raises(ValueError, match=r"at least 2 groups\. Got no groups"):
        clustered_relative_loss(LOSSES)


def test_row_of_a_comparison():
    """A comparison has the reduction beside the default test, for records and groups."""
    y = RNG.normal(size=90)
    both = {"old": y + ERRORS[0], "new": y + ERRORS[1]}
    settings = {"scoring": "neg_mean_squared_error"}
    comparison = compare(y, both, tests="relative_loss", **settings)
    _, row = comparison.rows
    (first,) = compare(y, both, **settings).rows

    assert ("paired_t", "reduction") == (first.test, row.kind)
    assert_allclose(row.pvalue, relative_loss(LOSSES).pvalue, rtol=1e-8)
    assert_allclose((row.low, row.high), relative_loss(LOSSES).confidence_interval())
    assert row.note.startswith("the challenger's mean squared error is ")
    assert "| reduction |" in comparison.to_markdown()
    assert "Reduction of losses as a share of" in comparison.to_html(pictures=False)
    plain = compare(y, both, scoring="mean_squared_error", tests="relative_loss")
    assert "| reduction |" in plain.to_markdown()


def test_losses_stand_beside_their_reduction():
    """A row has mean losses, not negated scores, and displays of scores refuse it."""
    pytest.importorskip("matplotlib")
    y = np.linspace(0, 9, 90) + 0.5
    both = {"old": y + A, "new": y - B}
    comparison = compare(
        y, both, scoring="neg_mean_absolute_error", tests=["relative_loss"]
    )
    row = comparison.results["relative_loss"]

    assert_allclose((row.champion, row.challenger), (A.mean(), B.mean()))
    assert_allclose(row.estimate, 1 - row.challenger / row.champion)
    with pytest.raises(
        ValueError, match="no ratio of scores, but: relative reduction of mean"
    ):
        RelativePrecisionDisplay.from_result(row.result)
