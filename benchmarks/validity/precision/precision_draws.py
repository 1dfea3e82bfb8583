"""Predictions of two classifiers with known precisions, and decisions for arrays of tables.

By the functions behind the tests of `skcompare.stats`, which take many tables at a time.
"""

from dataclasses import replace

import numpy as np
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from skcompare.evidence import ClassMoments
from skcompare.stats.precision import _precision_statistics
from skcompare.stats.precision._precision_statistics import CLASS_TESTS, score_contrast
from skcompare.stats.scores import count_score
from skcompare.stats.scores._permutation import score_pair

RESAMPLES = 999
ROUNDING = 1e-12
HALVINGS = 60


def corrected(test):
    """Wald's test with the correction of Mancl and DeRouen.

    Where every cluster is a record, the residuals of a classifier with T predictions that
    count are divided by 1 - 1 / T.
    """

    def contrast(moments):
        rows = np.where(moments.rows > 1, moments.rows, np.nan)
        scale = rows / (rows - 1)
        scale = scale[..., :, np.newaxis] * scale[..., np.newaxis, :]
        products = (scale * part for part in (moments.rr, moments.rh, moments.hh))
        return CLASS_TESTS[test](ClassMoments(moments.rows, moments.hits, *products))

    return contrast


FORMULAS = {
    "both scores": CLASS_TESTS["both scores"],
    "weighted score": CLASS_TESTS["weighted score"],
    "score": CLASS_TESTS["score"],
    "difference": CLASS_TESTS["difference"],
    "difference, Mancl-DeRouen": corrected("difference"),
    "odds ratio": CLASS_TESTS["wald"],
    "odds ratio, Mancl-DeRouen": corrected("wald"),
    "ratio": CLASS_TESTS["relative"],
    "ratio, Mancl-DeRouen": corrected("relative"),
}
CELLS = np.argwhere(np.ones((2, 2, 2)))
PRECISION = count_score("precision", np.arange(2), 1)


def joint_shares(prevalence, precisions, recalls, correlation):
    """Shares of records by truth, and by the predictions of champion and challenger."""
    latent = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
    rates = np.array(recalls)
    odds = (1 - np.array(precisions)) / np.array(precisions)
    false = prevalence * rates * odds / (1 - prevalence)
    shares = np.empty((2, 2, 2))
    for truth, (one, two) in enumerate((false, rates)):
        both = latent.cdf(ndtri([one, two]))
        shares[truth] = [[1 - one - two + both, two - both], [one - both, both]]
    shares = np.maximum(shares, 0.0)  # Of rounding, where one never predicts it alone.
    return shares * np.array([1 - prevalence, prevalence])[:, np.newaxis, np.newaxis]


def moments_of(tables):
    """Moments of positive predictions for tables of shape (..., 2, 2, 2)."""
    predicted = [tables[..., 1, :].sum(axis=-1), tables[..., 1].sum(axis=-1)]
    by_truth = np.stack(predicted, axis=-1)
    rows, hits = by_truth.sum(axis=-2), by_truth[..., 1, :]
    both = tables[..., 1, 1]
    return ClassMoments(
        rows,
        hits,
        _products(rows, both.sum(axis=-1)),
        _products(hits, both[..., 1]),
        _products(hits, both[..., 1]),
    )


def _products(own, common):
    found = np.empty((*own.shape, 2), dtype=own.dtype)
    found[..., 0, 1] = found[..., 1, 0] = common
    found[..., 0, 0], found[..., 1, 1] = own[..., 0], own[..., 1]
    return found


def formula_roots(tables):
    """Signed roots of the statistics of all formulas; NaN where p is undefined."""
    moments = moments_of(tables)
    roots = np.stack([contrast(moments).root for contrast in FORMULAS.values()])
    roots = np.where(np.isfinite(roots), roots, np.nan)
    return np.where(_precision_statistics.predicted_alike(moments), 0.0, roots)


def difference_in_errors(tables, truth=0.0):
    """Difference of precisions less `truth` in standard errors, as `score_difference`.

    The precision of a classifier without positive predictions is 0 there.
    """
    counts = tables.reshape(*tables.shape[:-3], -1).astype(float)
    pair = score_pair(PRECISION, CELLS, counts, 2)
    statistic = replace(pair, challenger=pair.challenger - truth).statistic
    # Equal shares may differ by rounding, which must not break ties with others.
    return np.where(np.abs(statistic) <= ROUNDING, 0.0, statistic)


def restricted_shares(moments, delta):
    """Most likely shares that differ by `delta`, for independent predictions.

    Differences are along the last axis. They rise along the path of the limits, on which
    they are found by bisection.
    """
    sums = _precision_statistics._sums_of(moments)
    delta = np.asarray(delta, dtype=float) + 0 * sums.rows[..., 0]
    low, high = np.full_like(delta, -1.0), np.ones_like(delta)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        champion, challenger = _precision_statistics._shares_along(sums, middle)
        below = challenger - champion < delta
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return _precision_statistics._shares_along(sums, (low + high) / 2)


def score_root(moments, delta, weighted):
    """Signed roots of the score, for differences along the last axis.

    Positive where the observed difference is greater. They are infinite where the variance
    is not positive, and the difference is rejected.
    """
    shares = restricted_shares(moments, delta)
    return score_contrast(_precision_statistics._sums_of(moments), *shares, weighted).root


def exchanged(table, outcomes):
    """Tables in which some records with different predictions have them exchanged.

    `outcomes` of shape (n_outcomes, 2) says how many of each class then are only the
    champion's positive predictions.
    """
    tables = np.broadcast_to(table, (len(outcomes), 2, 2, 2)).copy()
    tables[:, :, 1, 0] = outcomes
    tables[:, :, 0, 1] = table[:, 0, 1] + table[:, 1, 0] - outcomes
    return tables


def permutation_roots(tables, truth, rng):
    """Normal quantiles of p-values of permutation, with the sign of the difference.

    Of the difference less `truth`, compared with the distribution for no difference.
    """
    observed = difference_in_errors(tables, truth)
    totals = tables[..., 0, 1] + tables[..., 1, 0]
    tails = np.empty(len(tables))
    for i, (table, total, value) in enumerate(zip(tables, totals, np.abs(observed))):
        drawn = exchanged(table, rng.binomial(total, 0.5, (RESAMPLES, 2)))
        beyond = np.abs(difference_in_errors(drawn)) >= value * (1 - ROUNDING)
        tails[i] = (1 + beyond.sum()) / (RESAMPLES + 1)
    return -np.sign(observed) * ndtri(tails / 2)
