"""Scores of predicted numbers as functions of the records' weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kendalltau, pearsonr, spearmanr
from sklearn import metrics

from skcompare.evidence import NUMBER_SCORES, ScoredPair, d2_pinball, d2_tweedie

SCORES = {
    **NUMBER_SCORES,
    "d2_tweedie_score": d2_tweedie(1.5),
    "d2_pinball_score": d2_pinball(0.8),
}


def lin(y, p):
    """Lin's coefficient, from variances and covariance with the divisor n."""
    distance = (y.mean() - p.mean()) ** 2
    return 2 * np.cov(y, p, ddof=0)[0, 1] / (y.var() + p.var() + distance)


def pairs_in_order(y, p):
    """Share of the pairs with unequal targets, one pair after the other."""
    signs = np.sign(np.subtract.outer(y, y)), np.sign(np.subtract.outer(p, p))
    unequal = signs[0] > 0
    return (1 + (signs[0] * signs[1])[unequal]).mean() / 2


def pinball_share(y, p):
    """The best constant is the one among the targets with the least loss."""
    losses = [metrics.mean_pinball_loss(y, np.full(len(y), c), alpha=0.8) for c in y]
    return 1 - metrics.mean_pinball_loss(y, p, alpha=0.8) / min(losses)


BY_OTHERS = {
    "neg_root_mean_squared_error": lambda y, p: -metrics.root_mean_squared_error(y, p),
    "neg_root_mean_squared_log_error": lambda y, p: (
        -metrics.root_mean_squared_log_error(y, p)
    ),
    "r2": metrics.r2_score,
    "explained_variance": metrics.explained_variance_score,
    "d2_absolute_error_score": metrics.d2_absolute_error_score,
    "d2_poisson_score": lambda y, p: metrics.d2_tweedie_score(y, p, power=1),
    "d2_gamma_score": lambda y, p: metrics.d2_tweedie_score(y, p, power=2),
    "d2_tweedie_score": lambda y, p: metrics.d2_tweedie_score(y, p, power=1.5),
    "d2_pinball_score": pinball_share,
    "pearson_correlation": lambda y, p: pearsonr(y, p)[0],
    "concordance_correlation": lin,
    "spearman_correlation": lambda y, p: spearmanr(y, p)[0],
    "kendall_tau": lambda y, p: kendalltau(y, p)[0],
    "concordance_index": pairs_in_order,
}


def records(seed=0, n=31, tied=False):
    """Positive targets and predictions; tied ones are small whole numbers."""
    rng = np.random.default_rng(seed)
    y = rng.gamma(3, 2, size=n) + 0.1
    p = y * rng.gamma(5, 0.2, size=n) + 0.1
    return (np.ceil(y / 2), np.ceil(p / 2)) if tied else (y, p)


def weightings(n, seed=1):
    """Every record once, and random numbers of times."""
    drawn = np.random.default_rng(seed).integers(0, 4, size=(4, n))
    return np.vstack([np.ones(n, dtype=int), drawn]).astype(np.int32)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", SCORES)
def test_values_are_those_of_repeated_records(name, tied):
    """A weighting has what other software gives for the records so often."""
    y, p = records(tied=tied)
    weights = weightings(len(y))
    expected = [BY_OTHERS[name](np.repeat(y, w), np.repeat(p, w)) for w in weights]

    assert_allclose(
        SCORES[name].prepared(y, p, np.arange(len(y))).values(weights), expected, rtol=1e-12
    )


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", SCORES)
def test_slopes_are_derivatives(name, tied):
    """Slopes are those of central differences, and weigh to 0."""
    y, p = records(tied=tied)
    prepared = SCORES[name].prepared(y, p, np.arange(len(y)))
    weights = weightings(len(y)).astype(float)
    # A level that the records reach exactly has two derivatives by their weights.
    weights += 0.01 * np.random.default_rng(2).random(weights.shape)
    slopes, step = prepared.slopes(weights), 1e-6
    for k in range(len(y)):
        moved = [weights.copy(), weights.copy()]
        moved[0][:, k] += step
        moved[1][:, k] -= step
        above, below = map(prepared.values, moved)
        assert_allclose(slopes[:, k], (above - below) / (2 * step), atol=2e-8)
    assert_allclose((weights * slopes).sum(axis=1), 0, atol=1e-12)


def test_slopes_at_a_median_between_two_records():
    """The derivative is the mean of those from both sides."""
    y, p = records(n=30)
    prepared = SCORES["d2_absolute_error_score"].prepared(y, p, np.arange(30))
    once, step = np.ones((1, 30)), 1e-7
    for k in range(5):
        moved = [once.copy(), once.copy()]
        moved[0][0, k] += step
        moved[1][0, k] -= step
        above, below = (prepared.values(each)[0] for each in moved)
        assert_allclose(prepared.slopes(once)[0, k], (above - below) / (2 * step), 1e-5)


@pytest.mark.parametrize("name", SCORES)
def test_scores_are_within_bounds(name):
    """The truth itself has the greatest score; opposite predictions are within bounds."""
    y, p = records()
    low, high = SCORES[name].bounds
    once = np.ones((1, len(y)), dtype=np.int32)
    for predictions in (p, p[::-1], p.max() + 1 - p):
        value = SCORES[name].prepared(y, predictions, None).values(once)[0]
        assert low <= value <= high
    perfect = SCORES[name].prepared(y, y, None)
    assert high == pytest.approx(perfect.values(once)[0], abs=1e-15)
    assert np.isfinite(perfect.slopes(once)).all()


def test_digits_far_from_zero():
    """Large levels, and small units, cost no digits."""
    y, p = records()
    once = np.ones((1, len(y)), dtype=np.int32)
    for name in ("r2", "explained_variance", "pearson_correlation", "spearman_correlation"):
        score = NUMBER_SCORES[name]
        expected = score.prepared(y, p, None).values(once)
        far = score.prepared(y + 2**30, p + 2**30, None).values(once)
        small = score.prepared(2.0**-200 * y, 2.0**-200 * p, None).values(once)
        assert_allclose(far, expected, rtol=1e-6)
        assert_allclose(small, expected, rtol=1e-12)


CONSTANT = np.full(31, 0.1)


@pytest.mark.parametrize(
    ("name", "y", "p", "reason"),
    [
        ("r2", CONSTANT, records()[1], "the target is constant"),
        ("explained_variance", CONSTANT, CONSTANT, "the target is constant"),
        ("d2_absolute_error_score", CONSTANT, records()[1], "the target is constant"),
        ("d2_poisson_score", CONSTANT, records()[1], "the target is constant"),
        ("d2_gamma_score", CONSTANT, records()[1], "the target is constant"),
        ("d2_poisson_score", records()[0] - 2, records()[1], "a target of at least 0"),
        ("d2_gamma_score", np.arange(31), records()[1], "a target above 0"),
        ("d2_poisson_score", records()[0], np.arange(31), "predictions above 0"),
        ("neg_root_mean_squared_log_error", -records()[0], CONSTANT, "above -1"),
        ("pearson_correlation", records()[0], CONSTANT, "are not constant"),
        ("spearman_correlation", CONSTANT, records()[1], "are not constant"),
        ("concordance_correlation", CONSTANT, CONSTANT, "are one constant"),
        ("kendall_tau", records()[0], CONSTANT, "no pair is in order"),
        ("concordance_index", CONSTANT, records()[1], "no pair is in order"),
    ],
)
def test_undefined_scores(name, y, p, reason):
    """What has no score says why."""
    pair = ScoredPair.from_predictions(y, p, p, score=name)

    assert np.isnan(pair.values).all()
    assert reason in pair.why_undefined


def test_resamples_without_variation():
    """A resample of equal records has no correlation, whatever its rounding errors."""
    y, p = records()
    weights = np.zeros((2, len(y)), dtype=np.int32)
    weights[0, 3], weights[1, 3:5] = 7, (3, 1)
    for name in ("r2", "pearson_correlation", "spearman_correlation", "kendall_tau"):
        values = SCORES[name].prepared(y, p, None).values(weights)
        assert np.isnan(values[0])
        assert np.isfinite(values[1])


def test_scores_of_a_pair():
    """Names of scores of numbers take numbers, in the order of the roles."""
    y, p = records()
    pair = ScoredPair.from_predictions(y, p, p + 0.5, score="r2")

    expected = metrics.r2_score(y, p), metrics.r2_score(y, p + 0.5)
    assert_allclose(pair.values, expected, rtol=1e-12)
    assert_allclose(pair.swap().values, expected[::-1], rtol=1e-12)
    with pytest.raises(ValueError, match="`champion` must be finite numbers"):
        ScoredPair.from_predictions(y, np.where(y > 3, np.nan, p), p, score="r2")
