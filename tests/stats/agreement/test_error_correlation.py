"""Correlation of losses: other people's numbers, ranks, intervals, edges."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import PairedLosses
from skcompare.stats import error_correlation
from skcompare.stats.agreement._association import PEARSON, SPEARMAN
from tests.common.golden import golden

GOLDEN = golden("losses")
METHODS = ("pearson", "spearman")


def losses_of(case):
    return PairedLosses.from_predictions(
        case["y"], case["A"], case["B"], loss=case.get("loss", "brier_score")
    )


def related_losses(seed, n=20, share=0.5):
    rng = np.random.default_rng(seed)
    common, first, second = rng.normal(size=(3, n))
    return PairedLosses.from_losses(share * common + first + 9, share * common + second + 9)


# ------------------------------------------------------- other people's numbers


def test_worked_examples():
    """The textbook's examples; it prints the rank correlation where r is positive."""
    for case in GOLDEN["worked"]:
        losses = losses_of(case)
        pearson, spearman = (error_correlation(losses, method=method) for method in METHODS)

        assert case["pearson"] == pytest.approx(pearson.estimate, rel=1e-10)
        assert case["spearman"] == pytest.approx(spearman.estimate, rel=1e-10)
        if "pearson_pvalue_3" in case:
            assert case["pearson_pvalue_3"] == pytest.approx(pearson.pvalue, abs=5e-4)
            assert case["printed"]["spearman"] == pytest.approx(spearman.estimate, abs=5e-3)
            assert case["printed"]["pearson"] != pytest.approx(pearson.estimate, abs=0.2)


def test_figures_of_independent_packages():
    """SciPy's pearsonr and spearmanr and R's cor.test, with Fisher's interval."""
    for case in GOLDEN["cases"]:
        expected = {name: figure.get("value") for name, figure in case["paired"].items()}
        losses = losses_of(case)
        pearson = error_correlation(losses, interval="fisher", method="pearson")
        spearman = error_correlation(losses, method="spearman")

        assert expected["pearson"] == pytest.approx(pearson.estimate, rel=1e-10)
        assert expected["spearman"] == pytest.approx(spearman.estimate, rel=1e-10)
        low, high = pearson.confidence_interval()
        assert (expected["pearson_low"], expected["pearson_high"]) == pytest.approx(
            (low, high), rel=1e-10
        )
        if expected["pearson"] < 1:
            assert expected["pearson_pvalue"] == pytest.approx(pearson.pvalue, rel=1e-9)
            assert expected["spearman_pvalue"] == pytest.approx(spearman.pvalue, rel=1e-9)


def test_ties_get_mean_ranks():
    """SciPy's rank correlation of losses that are often equal."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        first, second = rng.integers(5, size=(2, 30)) / 4
        expected = stats.spearmanr(first, second)

        result = error_correlation(
            PairedLosses.from_losses(first, second), method="spearman"
        )

        assert tuple(expected) == pytest.approx((result.estimate, result.pvalue), rel=1e-10)


def test_rounding_does_not_break_ties():
    """(0.7 - 1)² and 0.3² have one rank, though their floating-point numbers differ."""
    first = [0.01, 0.04, (0.7 - 1) ** 2, 0.3**2, 0.16, 0.0225]
    second = [0.0625, 0.01, 0.0225, 0.16, 0.04, 0.0625]

    result = error_correlation(PairedLosses.from_losses(first, second), method="spearman")

    assert -3 / 17 == pytest.approx(result.estimate, rel=1e-12)


# ------------------------------------------------------- intervals


def test_agreeing_limits_by_their_equation():
    """A limit is as far from r as the critical correlation is from 0, on the z scale."""
    for method, n in itertools.product(METHODS, [3, 5, 20, 500]):
        result = error_correlation(related_losses(n, n), method=method)
        r = result.estimate
        if abs(r) == 1:
            continue
        for level in (0.5, 0.9, 0.99):
            t = stats.t.isf((1 - level) / 2, n - 2)
            reach = math.atanh(t / math.sqrt(t * t + n - 2))
            for limit, sign in zip(result.confidence_interval(level), (1, -1), strict=True):
                scale = math.sqrt(1 + limit**2 / 2) if method == "spearman" else 1.0
                distance = sign * (math.atanh(r) - math.atanh(limit))

                assert reach * scale == pytest.approx(distance, rel=1e-6)


def test_published_limits():
    """Fisher's z with standard error 1 / sqrt(n - 3), times sqrt(1 + r² / 2) for ranks."""
    losses = related_losses(1, 50)
    for method in METHODS:
        result = error_correlation(losses, method=method, interval="fisher")
        r = result.estimate
        scale = math.sqrt(1 + r * r / 2) if method == "spearman" else 1.0
        reach = stats.norm.isf(0.05) * scale / math.sqrt(47)
        expected = [math.tanh(math.atanh(r) + sign * reach) for sign in (-1, 1)]

        assert expected == pytest.approx(tuple(result.confidence_interval(0.9)), rel=1e-12)
        agreeing = error_correlation(losses, method=method).confidence_interval(0.9)
        assert expected == pytest.approx(tuple(agreeing), abs=0.02)


def test_published_limits_of_three_records():
    """Fisher's interval needs four records: of three nothing is excluded."""
    result = error_correlation(
        PairedLosses.from_losses([1, 2, 4], [1, 5, 2]), interval="fisher", method="pearson"
    )

    assert (-1, 1) == result.confidence_interval()


def test_robust_limits_by_the_jackknife():
    """The standard error of z is that of leaving out one record after another."""
    rng = np.random.default_rng(10)
    x = rng.exponential(size=60)
    losses = PairedLosses.from_losses(x, x + rng.exponential(size=60) ** 2)
    result = error_correlation(losses, interval="robust", method="pearson")
    z = np.array(
        [
            math.atanh(np.corrcoef(losses.values[:, kept])[0, 1])
            for kept in ~np.eye(60, dtype=bool)
        ]
    )
    error = math.sqrt(59 / 60 * ((z - z.mean()) ** 2).sum())
    reach = stats.t.isf(0.05, 58) * error
    expected = [math.tanh(math.atanh(result.estimate) + s * reach) for s in (-1, 1)]

    assert expected == pytest.approx(tuple(result.confidence_interval(0.9)), rel=1e-9)
    assert error_correlation(losses, method="pearson").pvalue == result.pvalue
    normal = error_correlation(losses, method="pearson").confidence_interval(0.9)
    assert np.diff(expected) > 1.2 * np.diff(normal)


def test_robust_limits_at_the_edges():
    """Ranks and moments have none; a perfect correlation is its own interval."""
    losses = related_losses(11)
    moments = PairedLosses.from_losses(*losses.values, keep_values=False)
    x = np.arange(9.0)
    perfect = error_correlation(
        PairedLosses.from_losses(x, 2 * x), interval="robust", method="pearson"
    )

    assert (1, 1) == perfect.confidence_interval()
    # Without the last record the others lie on a line, or do not vary.
    for first, second in (([1, 2, 3, 4], [1, 2, 3, 9]), ([1, 1, 1, 4], [1, 2, 3, 5])):
        one = error_correlation(
            PairedLosses.from_losses(first, second), interval="robust", method="pearson"
        )
        assert (-1, 1) == one.confidence_interval()
    with pytest.raises(ValueError, match='"robust" is for method="pearson"'):
        error_correlation(losses, method="spearman", interval="robust")
    with pytest.raises(ValueError, match="Keep them by keep_values=True"):
        error_correlation(moments, interval="robust", method="pearson")


def brier_losses(rng, n):
    """Losses of two classifiers of a rare class, whose correlation is about 0.936."""
    logit = rng.normal(-3, 1, n)
    y = rng.random(n) < 1 / (1 + np.exp(-logit))
    proba = 1 / (1 + np.exp(-logit - 0.8 * rng.normal(size=(2, n))))
    return PairedLosses.from_losses(*(proba - y) ** 2)


@pytest.mark.slow
def test_robust_coverage_of_brier_losses():
    """The robust interval of level 0.9 holds their correlation, the other one does not."""
    rng = np.random.default_rng(12)
    true = error_correlation(brier_losses(rng, 10**6), method="pearson").estimate
    held = {"robust": 0, "agreeing": 0}
    for _ in range(300):
        losses = brier_losses(rng, 1000)
        for interval in held:
            result = error_correlation(losses, interval=interval, method="pearson")
            low, high = result.confidence_interval(0.9)
            held[interval] += low <= true <= high

    assert 0.82 < held["robust"] / 300 < 0.95
    assert held["agreeing"] / 300 < 0.6


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_coverage(method):
    """The agreeing interval of level 0.9 holds the true correlation about that often."""
    rng = np.random.default_rng(2)
    n, true = 40, 0.5
    # The rank correlation of normal losses (Pearson 1907).
    target = true if method == "pearson" else 6 / math.pi * math.asin(true / 2)
    held = 0
    for _ in range(600):
        x, y = rng.normal(size=(2, n))
        losses = PairedLosses.from_losses(x, true * x + math.sqrt(1 - true**2) * y)
        low, high = error_correlation(losses, method=method).confidence_interval(0.9)
        held += low <= target <= high

    assert 0.87 < held / 600 < 0.94


# ------------------------------------------------------- edges


def test_perfect_correlation():
    """|r| = 1: p is twice the share of the orders that give it, and limits are r itself."""
    x = np.random.default_rng(3).permutation([0.1, 0.2, 0.2, 0.4, 0.4, 0.4, 0.7, 0.9])
    for method, sign in itertools.product(METHODS, [-1, 1]):
        result = error_correlation(PairedLosses.from_losses(x, 1 + sign * x), method=method)

        assert sign == result.estimate
        assert sign * math.inf == result.statistic
        assert 2 * 2 * 6 / math.factorial(8) == pytest.approx(result.pvalue, rel=1e-12)
        assert (sign, sign) == result.confidence_interval()
        assert ("perfect-correlation",) == result.flags


def test_perfect_correlation_of_few_or_many():
    """Of three records it is often chance; of very many p stays above 0."""
    for method in METHODS:
        few = error_correlation(
            PairedLosses.from_losses([1, 2, 3], [2, 4, 6]), method=method
        )
        x = np.arange(300.0)
        many = error_correlation(PairedLosses.from_losses(x, x), method=method)

        assert 1 / 3 == pytest.approx(few.pvalue)
        assert (-1, 1) == few.confidence_interval()
        assert (1, 1) == few.confidence_interval(0.6)
        assert 0 < many.pvalue < 1e-300
        assert math.log(2) - math.lgamma(301) == pytest.approx(many.log_pvalue)
        fisher = error_correlation(
            PairedLosses.from_losses([1, 2, 3, 4], [2, 4, 6, 8]),
            method=method,
            interval="fisher",
        )
        assert (1, 1) == fisher.confidence_interval()


def test_constant_losses():
    """With constant losses nothing can go together, also where they differ by rounding."""
    x = np.random.default_rng(4).random(8)
    for method in METHODS:
        for constant in (
            np.full(8, 0.3),
            0.1 + 0.2 * (1 + np.arange(8) % 2 * 2e-16),
            1e-160 * np.arange(8),
        ):
            for pair in ((x, constant), (constant, x)):
                result = error_correlation(PairedLosses.from_losses(*pair), method=method)

                assert math.isnan(result.estimate)
                assert math.isnan(result.pvalue)
                assert ("constant-losses",) == result.flags
                assert all(map(math.isnan, result.confidence_interval()))
                assert "" == result.remark


def test_two_records():
    """Two records always lie on a line, so that p is undefined and nothing excluded."""
    for method in METHODS:
        result = error_correlation(PairedLosses.from_losses([1, 2], [2, 1]), method=method)

        assert -1 == result.estimate
        assert math.isnan(result.pvalue)
        assert ("too-few-records",) == result.flags
        assert (-1, 1) == result.confidence_interval()
        one = error_correlation(PairedLosses.from_losses([1], [2]), method=method)
        assert ("constant-losses", "too-few-records") == one.flags


def test_moments_are_enough_for_pearson():
    """Moments give r and p; |r| = 1 has no p then, and ranks need the losses."""
    losses = related_losses(5)
    a, b = losses.values
    given = {"means": losses.means, "variances": (a.var(ddof=1), b.var(ddof=1))}
    reduced = PairedLosses.from_moments(20, covariance=np.cov(a, b)[0, 1], **given)
    perfect = PairedLosses.from_moments(
        20, covariance=math.sqrt(a.var(ddof=1) * b.var(ddof=1)), **given
    )
    one, other = (
        error_correlation(losses, method="pearson"),
        error_correlation(reduced, method="pearson"),
    )

    assert (one.estimate, one.pvalue) == pytest.approx((other.estimate, other.pvalue))
    assert one.confidence_interval() == pytest.approx(other.confidence_interval())
    assert math.isnan(error_correlation(perfect, method="pearson").pvalue)
    assert ("perfect-correlation",) == error_correlation(perfect, method="pearson").flags
    with pytest.raises(ValueError, match="Keep them by keep_values=True"):
        error_correlation(reduced, method="spearman")


def test_large_losses():
    """Losses of 1e8 and a little are correlated by the little."""
    little = related_losses(6)
    values = np.round(little.values * 1024) / 1024
    expected = error_correlation(PairedLosses.from_losses(*values), method="pearson")

    actual = error_correlation(
        PairedLosses.from_losses(*(values + 2.0**27)), method="pearson"
    )

    assert expected.estimate == pytest.approx(actual.estimate, rel=1e-10)


def test_scale_and_order_of_the_losses():
    """Other units of the losses leave the correlation, and so do exchanged roles."""
    losses = related_losses(7)
    a, b = losses.values
    for method in METHODS:
        expected = error_correlation(losses, method=method).estimate
        scaled = PairedLosses.from_losses(1e-3 * a + 5, 1e6 * b)

        assert expected == pytest.approx(error_correlation(scaled, method=method).estimate)
        assert expected == error_correlation(losses.swap(), method=method).estimate


def test_reading():
    """The correlation in words, on the scale of the textbook's Table 14.5."""
    x = np.random.default_rng(8).normal(size=2000)
    rest = np.random.default_rng(9).normal(size=2000)
    for method in METHODS:
        scale = PEARSON if method == "pearson" else SPEARMAN
        for share, words in zip((-1.0, 0.0, 0.5, 3.0), scale, strict=True):
            losses = PairedLosses.from_losses(x, share * x + rest)

            assert words[1] == error_correlation(losses, method=method).remark


def test_default_method():
    """Ranks by default; values for moments, which have no ranks, and a robust interval."""
    rng = np.random.default_rng(0)
    values = rng.exponential(size=(2, 40))
    kept = PairedLosses.from_losses(*values)
    moments = PairedLosses.from_losses(*values, keep_values=False)

    assert "spearman" == error_correlation(kept).method
    assert "pearson" == error_correlation(moments).method
    assert "pearson" == error_correlation(kept, interval="robust").method
