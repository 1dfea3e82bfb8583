"""The blocked M × 2 t test: its constants derived again, exact arithmetic, edges."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from skcompare._core.design import Design
from skcompare._registry.tests import tests_for as fitting_tests
from skcompare.evidence import ScoreDifferences
from skcompare.stats import blocked_t, paired_tests
from skcompare.stats.splits._published import correlated_df, correlated_scale

VARIANTS = ("conservative", "validation", "published")
ALTERNATIVES = ("two-sided", "less", "greater")
CORRELATIONS = {"conservative": (0.5, 0.5), "validation": (0.0, 0.5)}


def differences(values, **words):
    return ScoreDifferences(values, 100, 100, design="bcv", **words)


def random_percents(seed, n_repeats=3):
    """Differences in whole percents, so that they can be fractions."""
    return np.random.default_rng(seed).integers(-8, 15, size=(n_repeats, 2))


def correlations_of(n_repeats, rho1, rho2):
    """Correlations of all halves: rho1 in a repetition, rho2 between repetitions."""
    matrix = np.full((2 * n_repeats, 2 * n_repeats), rho2)
    for j in range(n_repeats):
        matrix[2 * j : 2 * j + 2, 2 * j : 2 * j + 2] = [[1, rho1], [rho1, 1]]
    return matrix


def moments_of_v(n_repeats, rho1, rho2):
    """Variance of the mean, and mean and variance of V, a quadratic form."""
    size = 2 * n_repeats
    sigma = correlations_of(n_repeats, rho1, rho2)
    form = (np.eye(size) - np.full((size, size), 1 / size)) / size
    product = form @ sigma
    return sigma.mean(), np.trace(product), 2 * np.trace(product @ product)


# ------------------------------------------------------- constants


def test_constants_by_quadratic_forms():
    """C² is Var(mean) / E(V), and f is 2 E(V)² / Var(V), as for chi-squared / f."""
    for n_repeats, (rho1, rho2) in itertools.product(
        [2, 3, 5, 7, 20], [(0.5, 0.5), (0, 0.5), (0.2, 0.1), (0, 0)]
    ):
        of_mean, expected, variance = moments_of_v(n_repeats, rho1, rho2)

        assert of_mean / expected == pytest.approx(
            correlated_scale(n_repeats, rho1, rho2) ** 2, rel=1e-12
        )
        assert 2 * expected**2 / variance == pytest.approx(
            correlated_df(n_repeats, rho1, rho2), rel=1e-12
        )


def test_constants_of_the_variants():
    """Closed forms, and C² = 1.4 with f = 5 for the conservative test of M = 3."""
    for n_repeats in [2, 3, 5, 9]:
        scores = differences(random_percents(1, n_repeats))
        results = {variant: blocked_t(scores, variant=variant) for variant in VARIANTS}
        m = n_repeats

        assert (2 * m + 1) / (2 * m - 1) == pytest.approx(
            results["conservative"].details["C"] ** 2
        )
        assert 2 * m - 1 == pytest.approx(results["conservative"].df)
        assert 1 == pytest.approx(results["validation"].details["C"])
        assert m == pytest.approx(results["validation"].df)
        assert 1 == results["published"].details["C"]
        assert 2 * m - 1 == results["published"].df
        assert (1.4, 5) == pytest.approx(
            (correlated_scale(3, 0.5, 0.5) ** 2, correlated_df(3, 0.5, 0.5))
        )


def test_independent_differences_are_students():
    """With both correlations 0, the test is that of 2M independent differences."""
    for n_repeats in (2, 3, 6):
        assert 1 / (2 * n_repeats - 1) == pytest.approx(
            correlated_scale(n_repeats, 0, 0) ** 2
        )
        assert 2 * n_repeats - 1 == pytest.approx(correlated_df(n_repeats, 0, 0))


# ------------------------------------------------------- exact arithmetic


def test_statistic_by_exact_fractions():
    """V divides by 2M, and the p-value is SciPy's."""
    for variant, seed, alternative in itertools.product(VARIANTS, range(10), ALTERNATIVES):
        n_repeats = 2 + seed % 4
        percents = random_percents(seed, n_repeats)
        p = [Fraction(int(percent), 100) for percent in percents.ravel()]
        size = 2 * n_repeats
        mean = sum(p) / size
        spread = sum((x - mean) ** 2 for x in p) / size
        square, df = Fraction(1), size - 1
        if variant in CORRELATIONS:
            of_mean, expected, variance = moments_of_v(n_repeats, *CORRELATIONS[variant])
            square, df = of_mean / expected, 2 * expected**2 / variance
        t = float(mean) / math.sqrt(float(square) * float(spread))
        tail = {
            "two-sided": 2 * stats.t.sf(abs(t), df),
            "less": stats.t.cdf(t, df),
            "greater": stats.t.sf(t, df),
        }[alternative]

        result = blocked_t(
            differences(percents / 100), variant=variant, alternative=alternative
        )

        assert t == pytest.approx(result.statistic, rel=1e-12)
        assert tail == pytest.approx(result.pvalue, rel=1e-10)
        assert float(mean) == pytest.approx(result.estimate, abs=1e-15)


def test_limits_are_where_the_test_turns():
    """Differences less a limit of the interval have p = alpha."""
    for variant, alternative in itertools.product(VARIANTS, ALTERNATIVES):
        values = random_percents(5) / 100
        result = blocked_t(differences(values), variant=variant, alternative=alternative)

        for limit in result.confidence_interval(0.9):
            if math.isfinite(limit):
                moved = blocked_t(
                    differences(values - limit), variant=variant, alternative=alternative
                )
                assert 0.1 == pytest.approx(moved.pvalue, rel=1e-9)


def test_conservative_is_the_default():
    """Its p-value is the largest of the variants."""
    for seed in range(20):
        scores = differences(random_percents(seed) / 100)
        pvalues = {v: blocked_t(scores, variant=v).pvalue for v in VARIANTS}

        assert tuple(blocked_t(scores)) == tuple(blocked_t(scores, variant="conservative"))
        assert pvalues["published"] < pvalues["validation"]
        assert pvalues["published"] < pvalues["conservative"]


@pytest.mark.slow
def test_level_where_the_correlations_hold():
    """Normal differences with rho1 = 0 and rho2 = 1/2: "published" rejects too often."""
    rng = np.random.default_rng(6)
    factor = np.linalg.cholesky(correlations_of(3, 0.0, 0.5))
    draws = (rng.standard_normal((4000, 6)) @ factor.T).reshape(-1, 3, 2)
    level = {
        variant: np.mean(
            [blocked_t(differences(draw), variant=variant).pvalue < 0.05 for draw in draws]
        )
        for variant in VARIANTS
    }

    assert 0.04 < level["validation"] < 0.06
    assert 0.04 < level["conservative"] < 0.06
    assert 0.065 < level["published"] < 0.1


# ------------------------------------------------------- edges


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_difference(variant):
    """Zeros, and zeros but for rounding, have statistic 0 and p = 1."""
    for values in (np.zeros((3, 2)), np.full((3, 2), 1e-17)):
        result = blocked_t(differences(values), variant=variant)

        assert (0, 1) == tuple(result)
        assert 0 == result.estimate
        assert result.degenerate
        assert (0, 0) == tuple(result.confidence_interval())


@pytest.mark.parametrize("variant", VARIANTS)
def test_constant_difference(variant):
    """A difference without any variation has no p-value, also with rounding."""
    champion = np.array([[0.1, 0.2], [0.7, 0.6], [0.3, 0.4]])
    scores = ScoreDifferences.from_scores(champion, champion - 0.1, 50, 50, design="bcv")

    result = blocked_t(scores, variant=variant)

    assert -math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags
    assert (-0.1, -0.1) == pytest.approx(tuple(result.confidence_interval()))


def test_undefined_split():
    """A half without a score leaves statistic, p and interval undefined."""
    result = blocked_t(differences([[0.1, 0.2], [math.nan, 0.3]]))

    assert all(map(math.isnan, (*result, *result.confidence_interval())))
    assert 0.2 == pytest.approx(result.estimate)
    assert ("undefined-in-split", "liberal") == result.flags


def test_other_shapes_are_refused():
    """It takes both halves of at least two repetitions."""
    for shape in ((1, 2), (6,), (2, 3), (4, 1)):
        scores = ScoreDifferences(np.ones(shape), 10, 10)
        with pytest.raises(ValueError, match=r"blocked_t needs .* at least 2 rep.*Got \("):
            blocked_t(scores)


def test_pvalue_below_the_smallest_double():
    """p is never 0, and its logarithm stays exact."""
    values = 1 + np.tile([0, 1e-10], (200, 1))
    result = blocked_t(differences(values))

    assert np.finfo(float).tiny == result.pvalue
    assert result.log_pvalue < -3000


def test_whole_numbers_are_numbers():
    """Differences may come as integers, such as counts of errors."""
    values = random_percents(8)

    assert tuple(blocked_t(differences(values.astype(float)))) == tuple(
        blocked_t(differences(values))
    )


# ------------------------------------------------------- planning, and where it runs


@pytest.mark.parametrize("variant", VARIANTS)
def test_sample_size(variant):
    """At that many records the standard error is the difference over the quantiles."""
    scores = differences([[0.01, -0.02], [0.03, 0.0], [0.0, 0.01]])
    entry = paired_tests()["blocked_t"]
    result = blocked_t(scores, variant=variant)
    required = stats.norm.isf(0.05) + stats.norm.isf(0.1)

    needed = entry.sample_size(
        scores, alpha=0.05, power=0.9, alternative="greater", variant=variant
    )

    error = result.details["se"] * math.sqrt(result.n / needed)
    assert result.estimate / required == pytest.approx(error)
    with pytest.raises(ValueError, match="Unknown variant 'wrong'"):
        entry.sample_size(
            scores, alpha=0.05, power=0.9, alternative="greater", variant="wrong"
        )


def test_runs_by_name_only():
    """Of any number of repetitions, and never as the default test of a score."""
    entry = paired_tests()["blocked_t"]
    for n_repeats in (3, 5):
        design = Design("bcv", n_repeats, 2)

        assert entry.valid_for(design)
        assert entry not in fitting_tests("roc_auc", design)
    assert "liberal" == entry.caution
