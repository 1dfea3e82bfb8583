"""Variance of a mean difference under block-regularized cross-validation."""

from typing import NamedTuple

import numpy as np

from skcompare._typing import FloatArray, IntArray

CUT = 0.8
"""Share of the variance of `P` that is left where `P` is cut at its floor. A variable with
mean 0 keeps a third of it, one far above the floor all. Chosen between them in
`benchmarks/validity/bcv_catalogue.py`."""

CHANCE = 1.5
"""How often chance in the training is counted. Once leaves equal learners whose threshold
is a matter of chance, such as stumps of many records, found to differ a little too often
by recall: it has few degrees of freedom, and is no normal variable."""


class BlockContrasts(NamedTuple):
    """Contrasts of the two sides of each repetition; arrays over data sets.

    Attributes
    ----------
    test : ndarray of shape (..., n_repeats)
        What the sides differ by as test data, from the other repetitions.
    training : ndarray of shape (..., n_repeats)
        What they differ by as training data.
    """

    test: FloatArray
    training: FloatArray


class BlockVariance(NamedTuple):
    """Variance of the mean difference, in its parts; arrays over data sets.

    Attributes
    ----------
    total : ndarray
        Estimated variance of the mean difference.
    chance : ndarray
        The part that chance in the training is counted for, by the repetitions' means.
    df : ndarray
        Degrees of freedom of `total`, by Satterthwaite's rule.
    """

    total: FloatArray
    chance: FloatArray
    df: FloatArray


def block_contrasts(
    values: FloatArray, sides: IntArray, sizes: IntArray | None = None
) -> BlockContrasts:
    """Contrasts of test and of training data, from differences by repetition and block.

    Parameters
    ----------
    values : ndarray of shape (..., n_repeats, n_blocks)
        Mean difference of each block in each repetition.
    sides : ndarray of shape (n_repeats, n_blocks)
        1 and -1: columns of an orthogonal array.
    sizes : ndarray of shape (n_blocks,), optional
        Records of each block; equal ones by default.

    Notes
    -----
    Let ``Z[r, s]`` be the contrast of the two sides of repetition r in the means of
    repetition s. In repetition r itself it has the difference of the sides as test data
    less that as training data. In every other one training is balanced, so that the mean
    over them, E, has the test part alone, and F = E - Z[r, r] the training part.
    """
    n_repeats, n_blocks = sides.shape
    weights = np.full(n_blocks, 1.0) if sizes is None else np.asarray(sizes, dtype=float)
    weights = weights / weights.sum()
    centred = (values - (values @ weights)[..., np.newaxis]) * weights
    contrasts = np.swapaxes(centred @ sides.T, -1, -2)
    same = np.diagonal(contrasts, axis1=-2, axis2=-1)
    test = (contrasts.sum(axis=-1) - same) / (n_repeats - 1)
    return BlockContrasts(test, test - same)


def block_variance(
    values: FloatArray,
    sides: IntArray,
    own: FloatArray,
    variance: FloatArray | float,
    df: FloatArray | float,
    sizes: IntArray | None = None,
    *,
    cut: float = CUT,
    times: float = CHANCE,
) -> BlockVariance:
    """Variance of the mean of differences by repetition and block.

    Parameters
    ----------
    values, sides, sizes
        As for :func:`block_contrasts`.
    own : ndarray of shape (..., n_repeats, n_repeats)
        Covariance of the repetitions' means that comes of single records.
    variance, df : ndarray of shape (...,) or float
        Variance of the mean where records tested are all that varies, and its degrees of
        freedom.
    cut, times : float
        Constants of the rule, for studies of it.

    Returns
    -------
    variance : BlockVariance
        Each of shape (...,). See :func:`~skcompare.stats.bcv_jackknife_t`.
    """
    n_repeats, n_blocks = sides.shape
    test, training = block_contrasts(values, sides, sizes)
    # The same contrasts as weights of the repetitions: what a record's own deviations do.
    others = (1 - np.eye(n_repeats)) / (n_repeats - 1)
    alone = others - np.eye(n_repeats)

    def of_records(first: FloatArray, second: FloatArray) -> FloatArray:
        found = np.einsum("ir,...rs,is->...", first, own, second) / n_repeats
        return np.asarray(found)

    squares = (training**2).mean(axis=-1)
    covariance = 2 * (test * training).mean(axis=-1) - 2 * of_records(others, alone)
    training_only = squares - of_records(alone, alone)
    weights = np.full(n_blocks, 1.0) if sizes is None else np.asarray(sizes, dtype=float)
    between = (values @ (weights / weights.sum())).var(axis=-1, ddof=1)
    centred = np.eye(n_repeats) - 1 / n_repeats
    between = between - np.einsum("rs,...rs->...", centred, own) / (n_repeats - 1)

    counted = times / n_repeats
    chance = counted * np.maximum(between, 0)
    beyond = covariance + training_only - (1 - counted) * between
    total = variance + np.maximum(chance, beyond)

    # Variance of F² + 2 E F = (E + F)² - E² of normal contrasts, over the repetitions.
    known, together = np.asarray(variance), np.maximum(covariance, 0)
    noise = together**2 + 4 * together * squares + 4 * known * squares + 2 * squares**2
    noise = noise / n_repeats + 2 * chance**2 / (n_repeats - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = 2 * total**2 / (2 * known**2 / df + cut * noise)
    return BlockVariance(total, chance, np.fmax(degrees, n_repeats - 1.0))
