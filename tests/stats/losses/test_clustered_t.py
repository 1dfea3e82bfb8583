"""The t test of losses in groups: other people's numbers, formulas, sign flips, edges."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare._core.validation import alpha_of
from skcompare.evidence import PairedLosses
from skcompare.stats import clustered_t, loss_permutation, paired_t, paired_tests
from tests.common.golden import golden

CASE = next(case for case in golden("losses")["cases"] if "groups" in case)
ALTERNATIVES = ("two-sided", "less", "greater")


def random_losses(seed, n_groups=15, largest=6, shift=0.1, spread=0.5):
    """Groups of different sizes whose records have a part in common."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), rng.integers(1, largest + 1, n_groups))
    common = rng.normal(0, spread, n_groups)[groups]
    first = rng.random(len(groups)) + shift + common
    return PairedLosses.from_losses(first, rng.random(len(groups)), groups)


# ------------------------------------------------------- other people's numbers


def test_figures_of_statsmodels():
    """A regression on a constant with cluster-robust variance and t of G - 1."""
    expected = CASE["clustered"]
    losses = PairedLosses.from_predictions(
        CASE["y"], CASE["A"], CASE["B"], groups=CASE["groups"]
    )
    result = clustered_t(losses, method="t")
    low, high = result.confidence_interval()

    assert expected["estimate"] == pytest.approx(result.estimate, rel=1e-10)
    assert expected["se"] == pytest.approx(result.details["se"], rel=1e-10)
    assert expected["t"] == pytest.approx(result.statistic, rel=1e-10)
    assert expected["pvalue"] == pytest.approx(result.pvalue, rel=1e-10)
    assert (expected["low"], expected["high"]) == pytest.approx((low, high), rel=1e-10)
    assert expected["df"] == result.df == result.details["n_groups"] - 1
    assert paired_t(losses).pvalue < result.pvalue


def test_formula_record_by_record():
    """The squared error is G / (G - 1) times the sum of squared group residuals over n²."""
    for seed in range(3):
        losses = random_losses(seed)
        d, codes = losses.differences, losses.groups.codes
        mean, n_groups = d.mean(), codes.max() + 1
        residuals = [sum(x - mean for x in d[codes == k]) for k in range(n_groups)]
        squares = n_groups / (n_groups - 1) * sum(r * r for r in residuals)
        error = math.sqrt(squares) / len(d)

        for alternative in ALTERNATIVES:
            statistic, pvalue = clustered_t(losses, method="t", alternative=alternative)

            assert mean / error == pytest.approx(statistic, rel=1e-12)
            tails = {
                "two-sided": 2 * stats.t.sf(abs(statistic), n_groups - 1),
                "greater": stats.t.sf(statistic, n_groups - 1),
                "less": stats.t.cdf(statistic, n_groups - 1),
            }
            assert tails[alternative] == pytest.approx(pvalue, rel=1e-11)


def test_groups_of_one_record():
    """They are independent records: the paired t test, and the permutation test."""
    rng = np.random.default_rng(1)
    first, second = rng.random((2, 30))
    grouped = PairedLosses.from_losses(first, second, rng.permutation(30))
    plain = PairedLosses.from_losses(first, second)
    tests = (("t", paired_t), ("sign-flip", loss_permutation))
    for alternative, (method, test) in itertools.product(ALTERNATIVES, tests):
        one = clustered_t(grouped, method=method, alternative=alternative)
        other = test(plain, alternative=alternative)

        assert tuple(other) == pytest.approx(tuple(one), rel=1e-12)
        assert tuple(other.confidence_interval()) == pytest.approx(
            tuple(one.confidence_interval()), rel=1e-12
        )


def test_sums_of_groups_are_enough():
    """Without the losses themselves both methods have the same results."""
    rng = np.random.default_rng(2)
    y, p, q, groups = (
        rng.integers(2, size=40),
        *rng.random((2, 40)),
        rng.integers(9, size=40),
    )
    kept = PairedLosses.from_predictions(y, p, q, groups=groups)
    reduced = PairedLosses.from_predictions(y, p, q, groups=groups, keep_values=False)

    for method in ("t", "sign-flip"):
        one, other = clustered_t(kept, method=method), clustered_t(reduced, method=method)
        assert tuple(one) == tuple(other)
        assert one.confidence_interval() == other.confidence_interval()


# ------------------------------------------------------- sign flips


def brute_force(losses, alternative, delta=0.0):
    """The p-value from all choices of the groups' signs."""
    values = losses.groups.gains - delta * losses.groups.sizes
    signs = np.array(list(itertools.product([1, -1], repeat=len(values))))
    sums, observed = signs @ values, values.sum()
    if alternative == "two-sided":
        return np.mean(np.abs(sums) >= abs(observed) - 1e-12)
    sign = 1 if alternative == "greater" else -1
    return np.mean(sign * sums >= sign * observed - 1e-12)


def test_sign_flips_are_enumerated():
    """p is that of all signs of whole groups, and the limits are where it crosses alpha."""
    for alternative, seed in itertools.product(ALTERNATIVES, range(3)):
        losses = random_losses(seed, n_groups=9)
        result = clustered_t(losses, method="sign-flip", alternative=alternative)

        assert "all signs of groups" == result.method
        assert brute_force(losses, alternative) == pytest.approx(result.pvalue, rel=1e-12)
        for level in (0.6, 0.9, 0.95):
            low, high = result.confidence_interval(level)
            for limit, outward in ((low, -1e-7), (high, 1e-7)):
                if math.isfinite(limit):
                    outside = brute_force(losses, alternative, limit + outward)
                    inside = brute_force(losses, alternative, limit - outward)
                    assert outside < alpha_of(level) <= inside


def test_random_sign_flips():
    """Of many groups random signs are drawn, and p is about that of t."""
    losses = random_losses(4, n_groups=150, shift=0.07)
    flipped, t = clustered_t(losses, method="sign-flip"), clustered_t(losses, method="t")

    assert "9999 Monte-Carlo signs of groups" == flipped.method
    assert t.pvalue == pytest.approx(flipped.pvalue, abs=0.02)
    assert tuple(t.confidence_interval()) == pytest.approx(
        tuple(flipped.confidence_interval()), abs=0.02
    )
    assert 0 < flipped.details["monte_carlo_error"] < 0.01


def test_shared_records_count_less():
    """Records that repeat others of their group add nothing."""
    rng = np.random.default_rng(5)
    first, second = rng.random((2, 25))
    once = PairedLosses.from_losses(first, second, range(25))
    thrice = PairedLosses.from_losses(
        *np.repeat([first, second], 3, axis=1), np.repeat(range(25), 3)
    )

    assert tuple(clustered_t(once)) == pytest.approx(tuple(clustered_t(thrice)), rel=1e-10)


# ------------------------------------------------------- edges


def test_few_groups():
    """Fewer than 10 groups are flagged, fewer than 2 refused, and so are none."""
    assert "few-groups" in clustered_t(random_losses(6, n_groups=9)).flags
    assert "few-groups" not in clustered_t(random_losses(6, n_groups=10)).flags
    with pytest.raises(ValueError, match=r"at least 2 groups\. Got 1 group\."):
        clustered_t(PairedLosses.from_losses([1, 2], [0, 0], ["a", "a"]))
    with pytest.raises(ValueError, match=r"Got no groups\. Pass `groups`"):
        clustered_t(PairedLosses.from_losses([1, 2], [0, 0]))


def test_no_difference_and_no_variance():
    """Equal losses have p = 1; a constant gain has an undefined p, but for sign flips."""
    x, groups = np.random.default_rng(7).random(24), np.repeat(range(12), 2)
    same, shifted = (PairedLosses.from_losses(x + gain, x, groups) for gain in (0.0, 0.25))

    for method in ("t", "sign-flip"):
        result = clustered_t(same, method=method)
        assert (0, 1) == tuple(result)
        assert ("degenerate",) == result.flags
    result = clustered_t(shifted, method="t")
    assert math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert ("zero-variance",) == result.flags
    assert 2 / 2**12 == clustered_t(shifted, method="sign-flip").pvalue


def test_differences_that_are_rounding():
    """Losses that differ in their last bits are equal, whichever way they are tested."""
    x, groups = np.random.default_rng(7).random(24), np.repeat(range(12), 2)
    losses = PairedLosses.from_losses(np.nextafter(x, 2), x, groups)

    for method in ("t", "sign-flip"):
        result = clustered_t(losses, method=method)
        assert (0, 1) == tuple(result)
        assert ("degenerate",) == result.flags
        assert float is type(result.pvalue)


def test_groups_that_cancel_within():
    """Groups without a difference of their own leave nothing to test."""
    losses = PairedLosses.from_losses([1, 0, 1, 0], [0, 1, 0, 1], ["a", "a", "b", "b"])

    for method in ("t", "sign-flip"):
        result = clustered_t(losses, method=method)
        assert (0, 1) == tuple(result)
        assert "degenerate" in result.flags


def test_sample_size():
    """Related records need more of them than independent ones."""
    losses = random_losses(8, n_groups=30, shift=0.05, spread=0.4)
    settings = {"alpha": 0.05, "power": 0.8, "alternative": "two-sided"}
    grouped, plain = (
        paired_tests()[name].sample_size(losses, **settings)
        for name in ("clustered_t", "paired_t")
    )
    ratio = clustered_t(losses).details["se"] / paired_t(losses).details["se"]

    assert ratio > 1
    assert grouped / plain == pytest.approx(ratio**2, rel=1e-9)


def test_signs_are_flipped_for_few_groups():
    """By default few groups have their signs flipped, and many are taken as normal."""
    for n_groups, method in ((49, "sign-flip"), (50, "t")):
        losses = random_losses(3, n_groups=n_groups)

        assert clustered_t(losses, method=method).to_dict() == clustered_t(losses).to_dict()
    assert clustered_t(losses, method="sign-flip").pvalue != clustered_t(losses).pvalue
