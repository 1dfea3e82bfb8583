"""Margins as a share of a loss: tests at a reduction, and limits by their inversion."""

import math

import numpy as np
import pytest
from scipy import stats

from skcompare._registry.tests import get_test
from skcompare.evidence import PairedLosses
from skcompare.stats import margin_test
from skcompare.stats.margins import (
    MarginTest,
    is_of_means,
    loss_reduction,
    reduction_result,
)

RNG = np.random.default_rng(1)


def drawn(n, ratio=1.0, shape=2.0):
    champion = RNG.gamma(shape, 1.0, n)
    return champion, ratio * (0.5 * champion + 0.5 * RNG.gamma(shape, 1.0, n))


def bound_test(champion, challenger):
    losses = PairedLosses.from_losses(champion, challenger)
    return MarginTest(losses, get_test("paired_t"), {})


def fieller(champion, challenger, alpha):
    """Limits of a reduction, from the roots of a quadratic equation for the ratio."""
    n, q = len(champion), stats.t.isf(alpha, len(champion) - 1)
    (vc, cov), (_, vm) = np.cov(champion, challenger) / n
    c, m = champion.mean(), challenger.mean()
    roots = np.roots([c**2 - q**2 * vc, 2 * (q**2 * cov - c * m), m**2 - q**2 * vm])
    return sorted(1 - roots)


@pytest.mark.parametrize("ratio", [0.6, 1.0, 1.7])
def test_permutations_of_many_records_have_fieller_limits(ratio):
    """By a test without allowance for skewness the limits are Fieller's, nearly."""
    champion, challenger = drawn(4000, ratio)
    found = loss_reduction(bound_test(champion, challenger), 0.05)

    # The allowance for skewness that no record shows is 2 / sqrt(n).
    assert fieller(champion, challenger, 0.05) == pytest.approx(found[1:], abs=2e-3)


def test_fieller_alone(monkeypatch):
    """Without the allowances the limits are Fieller's to all digits that are sought."""
    monkeypatch.setattr("skcompare.stats.margins._margin_test.NOT_SKEWED", ("paired_t",))
    for n in (40, 300):
        champion, challenger = drawn(n)
        found = loss_reduction(bound_test(champion, challenger), 0.025)
        assert fieller(champion, challenger, 0.025) == pytest.approx(found[1:], abs=1e-8)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_result_is_that_of_weighted_losses(alternative):
    """A test at a reduction is a margin test of weighted losses at 0."""
    champion, challenger = drawn(100)
    weighted = PairedLosses.from_losses(1.1 * champion, challenger)
    expected = margin_test(weighted, "paired_t", alternative=alternative)
    result = reduction_result(bound_test(champion, challenger), -0.1, alternative, 0.05)

    assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
    assert 0 == result.null_value


def test_limits_do_not_depend_on_the_unit():
    """Losses in another unit have the same reduction and limits."""
    champion, challenger = drawn(80)
    first = loss_reduction(bound_test(champion, challenger), 0.05)
    for unit in (1e-30, 1e30):
        scaled = loss_reduction(bound_test(unit * champion, unit * challenger), 0.05)
        assert first == pytest.approx(scaled, rel=1e-8)


def test_limits_widen_with_the_level():
    """Smaller levels have wider limits."""
    test = bound_test(*drawn(80))
    limits = [loss_reduction(test, alpha) for alpha in (0.2, 0.05, 0.01)]

    assert sorted(found.low for found in limits) == [found.low for found in limits[::-1]]
    assert sorted(found.high for found in limits) == [found.high for found in limits]


def test_one_ratio_in_all_records():
    """Identical ratios are known exactly; equal losses have no reduction."""
    champion, _ = drawn(50)
    for factor in (0.5, 1.0, 2.0):
        found = loss_reduction(bound_test(champion, factor * champion), 0.05)
        assert found == pytest.approx((1 - factor,) * 3, abs=1e-6)


@pytest.mark.parametrize("groups", [None, np.arange(300) // 4])
def test_limits_without_all_records_at_each_ratio(groups, monkeypatch):
    """Records are weighed once, and the tests at the limits have the level all the same."""
    champion, challenger = drawn(300, 0.9)
    losses = PairedLosses.from_losses(champion, challenger, groups, loss="squared_error")
    test = MarginTest(losses, get_test("paired_t" if groups is None else "clustered_t"), {})
    plain, weighed = PairedLosses.weighted, []

    def counted(self, *weights):
        weighed.append(self.values is not None)
        return plain(self, *weights)

    monkeypatch.setattr(PairedLosses, "weighted", counted)
    found = loss_reduction(test, 0.05)
    assert 1 == sum(weighed)
    for limit, side in ((found.low, "greater"), (found.high, "less")):
        result = reduction_result(test, limit, side, 0.05)
        assert 0.05 == pytest.approx(result.pvalue, rel=1e-8)


def test_no_limits():
    """Few records, and a champion whose mean may be 0, have no limits."""
    few = loss_reduction(bound_test(*drawn(10)), 0.05)
    assert (-math.inf, 1.0) == few[1:]
    champion = np.r_[50.0, np.zeros(99)]
    rare = loss_reduction(bound_test(champion, drawn(100)[0]), 0.05)
    assert math.isinf(rare.low)


@pytest.mark.parametrize("name", ["loss_permutation", "clustered_t"])
def test_other_tests_of_means(name):
    """Limits invert the test that is asked for, and lie around the reduction."""
    champion, challenger = drawn(60)
    losses = PairedLosses.from_losses(champion, challenger)
    options = {"n_resamples": 199}
    if name == "clustered_t":
        losses = PairedLosses.from_losses(champion, challenger, np.arange(60) // 2)
        options = {}
    found = loss_reduction(MarginTest(losses, get_test(name), options), 0.05)

    assert found.low < found.estimate < found.high


def test_losses_without_share():
    """A mean loss of 0, and losses below 0, have no share."""
    champion, challenger = drawn(40)
    for losses, words in (
        ((0 * champion, challenger), "a mean loss of 0"),
        ((champion, challenger - 5), "a loss of -"),
        ((-champion, challenger), "a loss of -"),
    ):
        with pytest.raises(ValueError, match=words):
            loss_reduction(bound_test(*losses), 0.05)
        with pytest.raises(ValueError, match=words):
            reduction_result(bound_test(*losses), 0.0, "greater", 0.05)
    moments = PairedLosses.from_losses(-champion, challenger, keep_values=False)
    with pytest.raises(ValueError, match="a mean loss of -"):
        loss_reduction(MarginTest(moments, get_test("paired_t"), {}), 0.05)


def test_which_tests_are_of_means():
    """Of losses of records, other than ranks and streams."""
    found = {
        name: is_of_means(get_test(name))
        for name in (
            "paired_t",
            "clustered_t",
            "loss_permutation",
            "wilcoxon",
            "anytime_losses",
            "mcnemar",
        )
    }
    assert [True] * 3 + [False] * 3 == list(found.values())
