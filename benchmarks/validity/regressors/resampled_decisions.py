"""Decisions of the tests of resampled regressors, for many data sets at once.

The variance from the blocks and that from the splits are those of `skcompare.stats`. The
evidence from the blocks is added up here; the study stops if the library has another
p-value.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import t as t_distribution

from skcompare.evidence import BlockDifferences, ScoreDifferences
from skcompare.stats import bcv_jackknife_t, corrected_repeated_kfold_t
from skcompare.stats.splits._resampled_t import block_variance, t_of_splits

ALPHA = 0.05
MEASURES = ("squared error", "absolute error", "RMSE", "R²")
BY_SPLIT = ("RMSE by split", "R² by split")
"""Means of the scores of the splits, instead of scores of all their predictions."""

TESTS = {
    "5×2 block jackknife": ("5×2", None),
    "the same, by quantile": ("5×2 by quantile", None),
    "10 folds": ("10 folds", 1.0),
    "5×5 folds, doubled": ("5×5 folds", 2.0),
    "5×5 folds as 25 records": ("5×5 folds", 0.0),
    "15 hold-outs, doubled": ("hold-outs", 2.0),
}
"""Splits of each test, and the weight of n2 / n1 in its variance."""


class Estimate(NamedTuple):
    """Mean differences of many data sets, their standard errors and degrees of freedom."""

    mean: np.ndarray
    error: np.ndarray
    df: np.ndarray

    def is_within(self, value):
        """Whether the interval of level 1 - ALPHA has a value."""
        critical = t_distribution.ppf(1 - ALPHA / 2, self.df)
        return np.abs(self.mean - value) <= critical * self.error


def contributions(measure, y, first, second):
    """What each prediction adds to the gain of the challenger, (draws, M, n); NaN untested.

    Of RMSE and R² it is the difference of the scores of all predictions together, plus the
    influence of the one: the derivative of the score by its weight.
    """
    target = np.broadcast_to(y[:, None], first.shape)
    if measure == "absolute error":
        return np.abs(first - target) - np.abs(second - target)
    losses = [(role - target) ** 2 for role in (first, second)]
    if measure == "squared error":
        return losses[0] - losses[1]
    parts = [_influence(measure, loss, target) for loss in losses]
    return parts[1] - parts[0]


def _influence(measure, loss, target):
    """Score of all predictions, greater being better, plus the influence of each."""
    mean = np.nanmean(loss, axis=(1, 2), keepdims=True)
    if measure == "RMSE":
        return -(np.sqrt(mean) + (loss - mean) / (2 * np.sqrt(mean)))
    tested = np.where(np.isnan(loss), np.nan, target)
    spread = (tested - np.nanmean(tested, axis=(1, 2), keepdims=True)) ** 2
    variance = np.nanmean(spread, axis=(1, 2), keepdims=True)
    return 1 - mean / variance - (loss - mean * spread / variance) / variance


def split_means(values, fold, n_models):
    """Means of the predictions of each test set, (draws, splits)."""
    found = [
        np.nanmean(np.where(fold == model, values, np.nan), axis=2)
        for model in range(n_models)
    ]
    return np.stack(found, axis=2).reshape(len(values), -1)


def of_splits(measure, y, first, second, fold, n_models):
    """Differences on the test sets, (draws, splits)."""
    if measure not in BY_SPLIT:
        return split_means(contributions(measure, y, first, second), fold, n_models)
    target = np.broadcast_to(y[:, None], fold.shape)
    losses = [split_means((p - target) ** 2, fold, n_models) for p in (first, second)]
    if measure == "RMSE by split":
        return np.sqrt(losses[0]) - np.sqrt(losses[1])
    means, squares = (split_means(target**k, fold, n_models) for k in (1, 2))
    return (losses[0] - losses[1]) / (squares - means**2)


def estimate(test, weight, measure, y, first, second, fold, n_models):
    """Estimate of one test for all data sets."""
    if weight is not None:
        values = of_splits(measure, y, first, second, fold, n_models)
        tested = (fold[0] < n_models).sum()
        n_test = tested / values.shape[1]
        ratio = weight * n_test / (fold.shape[2] - n_test)
        if weight:
            _check_splits(values[0], ratio, fold.shape[2], n_test, test)
        moments = t_of_splits(values, 0.0, ratio)
        return Estimate(moments.estimate, moments.error, np.full(len(y), moments.df))
    d = contributions(measure, y, first, second)
    found = _of_blocks(d, fold == 0)
    _check_blocks(d[0], fold[0] == 0, [part[0] for part in found])
    return found


def _of_blocks(d, in_first):
    """Estimates by the block jackknife, data sets with equal block sizes together."""
    codes = (in_first * (2 ** np.arange(in_first.shape[1])[:, None])).sum(axis=1)
    blocks = np.array([np.unique(own, return_inverse=True)[1].ravel() for own in codes])
    sizes = np.array([np.bincount(own, minlength=8) for own in blocks])
    mean, error, df = np.empty((3, len(d)))
    patterns, which = np.unique(sizes, axis=0, return_inverse=True)
    for at, pattern in enumerate(patterns):
        chosen = np.flatnonzero(which.ravel() == at)
        own = blocks[chosen]
        one_of_block = np.array([np.unique(row, return_index=True)[1] for row in own])
        sides = np.take_along_axis(in_first[chosen], one_of_block[:, None], axis=2)
        sides = np.where(sides, 1, -1)
        # The codes of the blocks are those of their halves, so that all have one array.
        assert (sides == sides[0]).all()
        values, covariance, variance, degrees = _moments(d[chosen], own)
        found = block_variance(values, sides[0], covariance, variance, degrees, pattern)
        mean[chosen] = d[chosen].mean(axis=(1, 2))
        error[chosen], df[chosen] = np.sqrt(found.total), found.df
    return Estimate(mean, error, df)


def _moments(d, blocks):
    """Means of blocks, own covariance, and the variance with its degrees of freedom."""
    n = d.shape[2]
    onehot = (blocks[..., None] == np.arange(8)).astype(float)
    values = d @ onehot / onehot.sum(axis=1)[:, None]
    own = d - np.take_along_axis(values, blocks[:, None], axis=2)
    own = n / (n - 8) * (own @ own.swapaxes(1, 2)) / n**2
    deviations = d.mean(axis=1) - d.mean(axis=(1, 2))[:, None]
    total, fourth = (deviations**2).sum(axis=1), (deviations**4).sum(axis=1)
    df = np.clip(2 * total**2 / (fourth - total**2 / n), 1, n - 1)
    return values, own, total / (n * (n - 1)), df


def _check_blocks(d, in_first, found):
    mean, error, df = found
    result = bcv_jackknife_t(BlockDifferences.from_records(d, in_first))
    _check_pvalue(result.pvalue, mean / error, df)


def _check_splits(values, ratio, n, n_test, test):
    design = "kfold" if test == "10 folds" else "repeated kfold"
    shape = (1, -1) if test == "10 folds" else (5, -1)
    scores = ScoreDifferences(
        values.reshape(shape), round(n - n_test), round(n_test), design=design
    )
    result = corrected_repeated_kfold_t(scores)
    moments = t_of_splits(values, 0.0, ratio)
    _check_pvalue(result.pvalue, moments.estimate / moments.error, moments.df)


def _check_pvalue(pvalue, statistic, df):
    own = 2 * t_distribution.sf(abs(statistic), df)
    if not np.isclose(own, pvalue, rtol=1e-6, atol=1e-12):
        raise RuntimeError(f"The library has p = {pvalue}, and the study {own}.")
