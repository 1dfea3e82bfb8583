"""Pseudo bootstrap tests: the reconstruction by loops, its variance ratio, edges."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from skcompare._registry.tests import tests_for as fitting_tests
from skcompare.evidence import ScoreDifferences
from skcompare.model_selection import ReplicatedShuffleSplit
from skcompare.stats import corrected_pseudo_bootstrap_t, paired_tests, pseudo_bootstrap_t

TESTS = (pseudo_bootstrap_t, corrected_pseudo_bootstrap_t)
NAMES = ("pseudo_bootstrap_t", "corrected_pseudo_bootstrap_t")
ALTERNATIVES = ("two-sided", "less", "greater")


def differences(values, n_train=90, n_test=10):
    return ScoreDifferences(values, n_train, n_test, design="replicated holdout")


def random_values(seed, n_replicates=5, n_splits=3):
    """Differences in hundredths, so that fractions of them are exact."""
    rng = np.random.default_rng(seed)
    return rng.integers(-5, 9, size=(1 + n_replicates, n_splits)) / 100


def test_formula_in_exact_fractions():
    """The first mean over the spread of the others, with 1 + J n2 / n1 if corrected."""
    for seed in range(10):
        values = random_values(seed, n_replicates=2 + seed)
        exact = [[Fraction(round(100 * v), 100) for v in row] for row in values.tolist()]
        estimate, *means = (sum(row) / len(row) for row in exact)
        center = sum(means) / len(means)
        square = sum((mean - center) ** 2 for mean in means) / (len(means) - 1)
        for run, factor in zip(TESTS, (1, 1 + 3 * Fraction(10, 90)), strict=True):
            result = run(differences(values), experimental=True)
            t = float(estimate) / math.sqrt(factor * square)

            assert float(estimate) == pytest.approx(result.estimate, rel=1e-12)
            assert t == pytest.approx(result.statistic, rel=1e-10)
            assert 1 + seed == result.df
            assert 2 * stats.t.sf(abs(t), 1 + seed) == pytest.approx(
                result.pvalue, rel=1e-10
            )


def test_mean_ratio_of_unequal_sizes():
    """Where sizes differ, the correction has the mean of n2 / n1."""
    values = random_values(0)
    n_test = np.resize([10, 20, 15], values.size)
    result = corrected_pseudo_bootstrap_t(
        differences(values, 100 - n_test, n_test), experimental=True
    )

    expected = 1 + 3 * np.mean([10 / 90, 20 / 80, 15 / 85])
    assert expected == pytest.approx(result.details["variance_factor"])


def test_factor_is_that_of_a_correlation():
    """Var(mean) over E(s²) of replicates that share what their splits have in common."""
    for rho in (Fraction(1, 10), Fraction(1, 2)):
        values = random_values(3, n_splits=6)
        n_test = round(100 * rho)
        of_mean, between_means = rho + (1 - rho) / 6, (1 - rho) / 6

        result = corrected_pseudo_bootstrap_t(
            differences(values, 100 - n_test, n_test), experimental=True
        )

        assert float(of_mean / between_means) == pytest.approx(
            result.details["variance_factor"], rel=1e-12
        )


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.1, 0.5])
def test_factor_is_the_ratio_of_variances(rho):
    """It makes up for the correlation rho = n2 / (n1 + n2) of splits of one data set.

    Of normal differences with that correlation, the variance of the mean is what the
    corrected test estimates, on average.
    """
    rng = np.random.default_rng(1)
    n_sets, n_replicates, n_splits = 4000, 4, 6
    common = rng.normal(scale=math.sqrt(rho), size=(n_sets, 1, 1))
    own = rng.normal(scale=math.sqrt(1 - rho), size=(n_sets, 1 + n_replicates, n_splits))
    n_test = round(100 * rho)
    errors = [
        corrected_pseudo_bootstrap_t(
            differences(values, 100 - n_test, n_test), experimental=True
        ).details["se"]
        for values in common + own
    ]
    variance = (common + own)[:, 0].mean(axis=1).var()

    assert variance == pytest.approx(np.mean(np.square(errors)), rel=0.06)
    assert rho + (1 - rho) / n_splits == pytest.approx(variance, rel=0.06)


def test_interval():
    """A limit is where t with R - 1 degrees of freedom has the tail of the level."""
    for run, alternative in itertools.product(TESTS, ALTERNATIVES):
        result = run(
            differences(random_values(1)), alternative=alternative, experimental=True
        )
        tail = 0.025 if alternative == "two-sided" else 0.05
        low, high = result.confidence_interval()
        distances = {"less": [high], "greater": [low], "two-sided": [low, high]}[
            alternative
        ]
        reaches = [abs(limit - result.estimate) for limit in distances]

        assert [tail] * len(reaches) == pytest.approx(
            stats.t.sf(np.array(reaches) / result.details["se"], 4), rel=1e-9
        )
        assert (-math.inf == low) == (alternative == "less")
        assert (math.inf == high) == (alternative == "greater")


@pytest.mark.parametrize(("run", "name"), list(zip(TESTS, NAMES, strict=True)))
def test_must_be_requested_for_twice(run, name):
    """Without experimental=True it is refused, and why is said."""
    scores = differences(random_values(1))
    message = rf"{name} needs experimental=True. Got False. .* by name only"
    with pytest.raises(ValueError, match=message):
        run(scores)
    with pytest.raises(ValueError, match=message):
        run(scores, experimental=False)
    with pytest.raises(TypeError, match=r"`experimental` must be True or False. Got 1"):
        run(scores, experimental=1)


def test_caution():
    """Neither runs unasked, and every result is flagged."""
    design = ReplicatedShuffleSplit().skcompare_design
    scores = differences(random_values(1))
    first, second = (run(scores, experimental=True) for run in TESTS)

    assert {"liberal", "experimental"} == set(first.flags)
    assert {"experimental"} == set(second.flags)
    assert not set(NAMES) & {entry.name for entry in fitting_tests("roc_auc", design)}
    assert all(paired_tests()[name].valid_for(design) for name in NAMES)


def test_shapes():
    """An estimate and two replicates make three rows."""
    for run, shape in itertools.product(TESTS, [(9,), (1, 9), (2, 9)]):
        scores = ScoreDifferences(np.full(shape, 0.1), 90, 10)
        with pytest.raises(ValueError, match=r"shape \(1 \+ n_replicates, n_splits\). Got"):
            run(scores, experimental=True)


def test_unknown_training_sizes():
    """Only the correction needs them."""
    scores = differences(random_values(0), n_train=0)

    assert math.isfinite(pseudo_bootstrap_t(scores, experimental=True).statistic)
    with pytest.raises(ValueError, match=r"corrected_pseudo_bootstrap_t needs .*n_train=0"):
        corrected_pseudo_bootstrap_t(scores, experimental=True)


def test_replicates_that_agree():
    """No spread but a difference: p is undefined, not 0, also up to rounding."""
    for run, sign in itertools.product(TESTS, [1, -1]):
        values = sign * np.array([[0.3, 0.3], [0.1 + 0.2, 0.3], [0.3, 0.3], [0.2, 0.4]])
        result = run(differences(values), experimental=True)

        assert sign * math.inf == result.statistic
        assert math.isnan(result.pvalue)
        assert "zero-variance" in result.flags


@pytest.mark.parametrize("run", TESTS)
def test_estimate_of_rounding(run):
    """Differences whose mean is 0 but for rounding have no difference."""
    values = random_values(1)
    values[0] = [0.1, 0.2, -0.3]
    result = run(differences(values), experimental=True)

    assert (0, 1) == tuple(result)
    assert not result.degenerate


def test_undefined_split():
    """NaN in any row: p is undefined, and the estimate is that of the first row."""
    for run, row in itertools.product(TESTS, [0, 2]):
        values = random_values(2)
        values[row, 0] = math.nan
        result = run(differences(values), experimental=True)

        assert np.nanmean(values[0]) == pytest.approx(result.estimate)
        assert all(map(math.isnan, (result.statistic, result.pvalue, result.log_pvalue)))
        assert all(map(math.isnan, result.confidence_interval()))
        assert "undefined-in-split" in result.flags


@pytest.mark.parametrize("run", TESTS)
def test_scores_of_both_roles(run):
    """They are those of the first row, whose difference is the estimate."""
    champion = np.array([[0.8, 0.7], [0.1, 0.2], [0.3, 0.2]])
    scores = ScoreDifferences.from_scores(
        champion, champion + [[0.1], [0.2], [0.3]], 90, 10, design="replicated holdout"
    )
    result = run(scores, experimental=True)

    assert (0.75, 0.85) == pytest.approx((result.champion, result.challenger))
    assert 0.1 == pytest.approx(result.estimate)
