"""The t test of any score under block-regularized cross-validation."""

import math

import numpy as np
import pytest
from scipy import stats

from skcompare._design import Design
from skcompare._registry import tests_for as fitting_tests
from skcompare.evidence import ScoreDifferences
from skcompare.stats import bcv_score_t, paired_tests

ALTERNATIVES = ("two-sided", "less", "greater")
NAN = float("nan")


def scores_of(values, variances, **words):
    """Differences of halves of 100 records."""
    return ScoreDifferences(values, 50, 50, variances, design="bcv", **words)


def random_scores(seed, scale):
    rng = np.random.default_rng(seed)
    values = rng.normal(0.01, 0.02, (5, 2))
    return scores_of(values, scale * rng.uniform(2e-4, 6e-4, (5, 2)))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("scale", [0.1, 10])
@pytest.mark.parametrize("seed", range(5))
def test_statistic_takes_the_larger_variance(seed, scale, alternative):
    """SciPy's t of the mean over the root of the larger variance, whichever it is."""
    scores = random_scores(seed, scale)
    within = sum(scores.variances.ravel().tolist()) / 10
    between = np.var(scores.values.ravel(), ddof=1)
    statistic = scores.values.mean() / math.sqrt(max(within, 1.25 * between))
    tails = {
        "greater": stats.t.sf(statistic, 9),
        "less": stats.t.cdf(statistic, 9),
        "two-sided": 2 * stats.t.sf(abs(statistic), 9),
    }

    result = bcv_score_t(scores, alternative=alternative)

    assert (within > between) == (scale == 10)
    assert statistic == pytest.approx(result.statistic, rel=1e-12)
    assert tails[alternative] == pytest.approx(result.pvalue, rel=1e-12)
    assert 9 == result.df
    assert math.sqrt(within) == pytest.approx(result.details["within"])
    assert math.sqrt(between) == pytest.approx(result.details["between"])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_limits_are_where_the_test_turns(alternative):
    """Differences less a limit of the interval have p = alpha."""
    scores = random_scores(3, 1)
    for limit in bcv_score_t(scores, alternative=alternative).confidence_interval(0.9):
        if math.isfinite(limit):
            moved = scores_of(scores.values - limit, scores.variances)
            assert 0.1 == pytest.approx(bcv_score_t(moved, alternative=alternative).pvalue)


def test_large_test_sets_without_training_noise():
    """The mean has half the variance within a half, so that equal ones hardly differ."""
    rng = np.random.default_rng(4)
    records = rng.standard_normal((2000, 40))
    order = np.array([1, 2, 3, 4, 5, 6, 7, 8]).repeat(5)
    rejected = 0
    for record in records:
        # The five columns of Table III: which blocks are in the first half.
        halves = [np.isin(order, first) for first in FIRST_HALVES]
        values = [[record[half].mean(), record[~half].mean()] for half in halves]
        variances = [
            [record[part].var(ddof=1) / 20 for part in (half, ~half)] for half in halves
        ]
        rejected += bcv_score_t(scores_of(values, variances)).pvalue < 0.05

    assert rejected <= stats.binom.ppf(0.999, 2000, 0.01)


FIRST_HALVES = ([1, 2, 3, 4], [1, 3, 5, 7], [1, 2, 5, 6], [1, 4, 5, 8], [1, 3, 6, 8])


def test_no_difference_is_degenerate():
    """Statistic 0 and p = 1, with variances within the test sets and without."""
    for variances in (None, np.zeros((5, 2)), np.full((5, 2), NAN)):
        result = bcv_score_t(scores_of(np.zeros((5, 2)), variances))

        assert (0, 1) == tuple(result)
        assert ("degenerate",) == result.flags
        assert (0, 0) == tuple(result.confidence_interval())


def test_equal_scores_that_vary_within_are_no_surprise():
    """A difference of 0 with some variance is tested as any other."""
    result = bcv_score_t(scores_of(np.zeros((5, 2)), np.full((5, 2), 1e-4)))

    assert (0, 1) == tuple(result)
    assert result.degenerate


def test_constant_difference_without_variance():
    """Nothing varies, so p is undefined and flagged."""
    result = bcv_score_t(scores_of(np.full((5, 2), 0.1), np.zeros((5, 2))))

    assert math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert ("zero-variance",) == result.flags


@pytest.mark.parametrize("variances", [None, [[1e-4, NAN]] + [[1e-4, 1e-4]] * 4])
def test_unknown_variance(variances):
    """Without a variance within every test set there is no p-value, and a flag says why."""
    values = np.random.default_rng(1).normal(size=(5, 2))
    result = bcv_score_t(scores_of(values, variances))

    assert all(map(math.isnan, (*result, *result.confidence_interval())))
    assert ("unknown-variance",) == result.flags
    assert values.mean() == pytest.approx(result.estimate)


def test_undefined_split():
    """A half without a score leaves statistic, p and interval undefined."""
    values = [[0.1, NAN]] + [[0.1, 0.2]] * 4
    result = bcv_score_t(scores_of(values, np.full((5, 2), 1e-4)))

    assert all(map(math.isnan, (*result, *result.confidence_interval())))
    assert ("undefined-in-split",) == result.flags


def test_other_shapes_are_refused():
    """Splits that do not come in halves have other tests."""
    scores = ScoreDifferences([0.1, 0.2, 0.3], 50, 50, [0.1, 0.1, 0.1], design="kfold")
    with pytest.raises(ValueError, match="bcv_score_t needs the differences of"):
        bcv_score_t(scores)


def test_default_of_scores_under_block_regularized_halves():
    """Of mean losses, AUC and scores of one class; accuracies have McNemar's."""
    design = Design("bcv", 5, 2)
    expected = {
        "brier_loss": "bcv_score_t",
        "neg_log_loss": "bcv_score_t",
        "roc_auc": "bcv_score_t",
        "precision": "bcv_score_t",
        "f1": "bcv_score_t",
        "accuracy": "bcv_mcnemar",
    }
    for measure, name in expected.items():
        assert name == fitting_tests(measure, design)[0].name, measure
    assert [] == fitting_tests("matthews_corrcoef", design)


def test_sample_size():
    """At as many records as it says, a difference of this size has the wanted power."""
    scores = random_scores(2, 1)
    needed = paired_tests()["bcv_score_t"].sample_size(
        scores, alpha=0.05, power=0.8, alternative="two-sided"
    )
    error = bcv_score_t(scores).details["se"]
    ratio = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) * error / scores.mean

    assert max(100 * ratio**2, 101) == pytest.approx(needed)
