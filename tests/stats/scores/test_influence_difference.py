"""The test of a score by the influences of the records."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ttest_rel

from skcompare.evidence import NUMBER_SCORES, RecordMean, ScoredPair
from skcompare.stats import influence_difference, jackknife_difference


def pair_of(score, n=400, seed=0, groups=None, spread=0.3):
    """A champion and a better challenger."""
    rng = np.random.default_rng(seed)
    y = rng.gamma(4, 2, size=n)
    champion = y * rng.gamma(9, 1 / 9, size=n) + 0.1
    challenger = (champion + y + rng.normal(0, spread, n)).clip(0.1) / 2
    return ScoredPair.from_predictions(y, champion, challenger, score=score, groups=groups)


def test_a_mean_has_the_standard_error_of_the_paired_t_test():
    """Of a mean of losses all influences together are scipy's standard error."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 50))
    expected = ttest_rel(b, a)
    pair = ScoredPair(RecordMean(bounds=(-np.inf, np.inf)), np.zeros(50, int), a, b)

    result = influence_difference(pair)

    assert_allclose(result.statistic, expected.statistic, rtol=1e-12)
    assert_allclose(result.details["standard_error"], (b - a).std(ddof=1) / 50**0.5)
    assert 1 < result.df <= 49


@pytest.mark.parametrize("score", NUMBER_SCORES)
def test_standard_error_is_that_of_the_jackknife(score):
    """Leaving records out one by one gives nearly the same standard error."""
    pair = pair_of(score)
    result, other = influence_difference(pair), jackknife_difference(pair)

    assert result.estimate > 0
    assert result.estimate == other.estimate
    champion, challenger = pair.prepared()
    left_out = (np.ones((pair.n, pair.n)) - np.eye(pair.n)).astype(np.int32)
    without = challenger.values(left_out) - champion.values(left_out)
    expected = np.sqrt((pair.n - 1) / pair.n * ((without - without.mean()) ** 2).sum())
    assert_allclose(result.details["standard_error"], expected, rtol=0.02)


def test_groups_of_copies_are_records():
    """Copies of the records, each in the group of its record, change no result."""
    once = pair_of("r2", n=60)
    groups = np.tile(np.arange(60), 3)
    arrays = (np.tile(a, 3) for a in (once.y, once.champion, once.challenger))
    copied = ScoredPair.from_predictions(*arrays, score="r2", groups=groups)
    expected, actual = influence_difference(once), influence_difference(copied)

    assert_allclose(actual.pvalue, expected.pvalue, rtol=1e-9)
    assert_allclose(actual.confidence_interval(), expected.confidence_interval(), 1e-9)
    assert 60 == actual.details["groups"]


def test_few_records_that_decide_have_few_degrees_of_freedom():
    """One record with a huge error has nearly all of the influence."""
    pair = pair_of("neg_root_mean_squared_error")
    champion = pair.champion.copy()
    champion[7] += 1e4
    arrays = pair.y, champion, pair.challenger
    score = "neg_root_mean_squared_error"
    result = influence_difference(*arrays, score=score)

    assert influence_difference(pair).df > 10
    assert result.df < 3
    assert result.pvalue > 0.05


def test_constant_difference():
    """Without a record that varies, p is undefined."""
    y = np.arange(20.0)
    result = influence_difference(y, y + 1, y + 2, score="neg_root_mean_squared_error")

    assert "zero-variance" in result.flags
    assert np.isnan(result.pvalue)
    assert (-np.inf, np.inf) == result.confidence_interval()


def test_undefined_score():
    """A constant target has no R², and the error says so."""
    y = np.ones(20)
    with pytest.raises(ValueError, match="the target is constant"):
        influence_difference(y, y + 1, y + np.arange(20), score="r2")
