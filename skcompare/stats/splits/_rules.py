"""Estimates, standard errors and degrees of freedom of the tests of splits.

Every rule takes the differences of one data set, or of many along leading axes. Single
differences within rounding error are 0 already; `noise` is the largest mean, or range of
values, that is rounding error.
"""

from typing import Any, NamedTuple

import numpy as np

from skcompare._core.validation import check_choice
from skcompare._typing import FloatArray, IntArray

NOISE = 1e-12
"""Share of the scores that is rounding error."""

N_REPEATS, N_SPLITS = 5, 10
"""Repetitions and splits of 5×2 cross-validation."""

CORRELATIONS = {"conservative": (0.5, 0.5), "validation": (0.0, 0.5)}
"""Values of rho1 and rho2 by variant; the published one has neither."""

VARIANTS = (*CORRELATIONS, "published")


class Moments(NamedTuple):
    """Estimated difference with its standard error; arrays over data sets.

    `df` is None for the normal distribution.
    """

    estimate: FloatArray
    error: FloatArray
    df: float | None


def mean_of(values: FloatArray, noise: float = NOISE) -> FloatArray:
    """Mean of the defined values on the last axis; 0 if only rounding error."""
    return weighted_mean(values, np.ones(values.shape[-1]), noise)


def weighted_mean(
    values: FloatArray, weights: FloatArray | IntArray, noise: float = NOISE
) -> FloatArray:
    """Weighted mean of the defined values on the last axis; NaN if there is none."""
    undefined = np.isnan(values)
    total = np.where(undefined, 0, weights).sum(axis=-1)
    mean = np.where(undefined, 0.0, values * weights).sum(axis=-1)
    mean = mean / np.where(total > 0, total, np.nan)
    return np.where(np.abs(mean) <= noise, 0.0, mean)


def variance_of(values: FloatArray, noise: float = NOISE) -> FloatArray:
    """Sample variance on the last axis; 0 where the values are equal up to rounding."""
    is_equal = values.max(axis=-1) - values.min(axis=-1) <= noise
    return np.where(is_equal, 0.0, values.var(axis=-1, ddof=1))


def squared_distances(pairs: FloatArray, noise: float = NOISE) -> FloatArray:
    """Squared distances of pairs on the last axis; 0 where equal up to rounding."""
    distances = pairs[..., 0] - pairs[..., 1]
    return np.square(np.where(np.abs(distances) <= noise, 0.0, distances))


def within_repetitions(halves: FloatArray, noise: float = NOISE) -> FloatArray:
    """Sum of the variances s² within repetitions, of halves of shape (..., M, 2)."""
    return np.asarray(squared_distances(halves, noise).sum(axis=-1) / 2)


def in_one_row(rows: FloatArray) -> FloatArray:
    """Differences of all splits on one axis, of shape (..., M, K) before."""
    return rows.reshape(*rows.shape[:-2], -1)


def t_of_splits(values: FloatArray, noise: float = NOISE, ratio: float = 0.0) -> Moments:
    """Mean of J splits with the variance (1 / J + ratio) s²; values of shape (..., J)."""
    n_splits = values.shape[-1]
    variance = (1 / n_splits + ratio) * variance_of(values, noise)
    return Moments(mean_of(values, noise), np.sqrt(variance), n_splits - 1)


def t_of_first_half(halves: FloatArray, noise: float = NOISE) -> Moments:
    """First difference of 5×2 cross-validation, with the mean of the five s²."""
    error = np.sqrt(within_repetitions(halves, noise) / N_REPEATS)
    return Moments(halves[..., 0, 0], error, N_REPEATS)


def t_of_halves(halves: FloatArray, noise: float = NOISE) -> Moments:
    """Mean of all ten differences of 5×2 cross-validation, taken as independent."""
    error = np.sqrt(within_repetitions(halves, noise) / N_REPEATS / N_SPLITS)
    return Moments(mean_of(in_one_row(halves), noise), error, N_REPEATS)


def blocked_halves(
    halves: FloatArray, noise: float = NOISE, variant: str = "conservative"
) -> Moments:
    """Mean of M × 2 halves with the standard error C sqrt(V)."""
    check_choice("variant", variant, VARIANTS)
    scale, df = blocked_scale(halves.shape[-2], variant)
    error = scale * np.sqrt(spread_of(halves, noise))
    return Moments(mean_of(in_one_row(halves), noise), error, df)


def blocked_scale(n_repeats: int, variant: str) -> tuple[float, float]:
    """Factor C and degrees of freedom f of a variant of the blocked t test."""
    if variant not in CORRELATIONS:
        return 1.0, 2 * n_repeats - 1.0
    rhos = CORRELATIONS[variant]
    return correlated_scale(n_repeats, *rhos), correlated_df(n_repeats, *rhos)


def spread_of(halves: FloatArray, noise: float = NOISE) -> FloatArray:
    """Variance V of the differences, with the divisor 2M."""
    values = in_one_row(halves)
    n_splits = values.shape[-1]
    return variance_of(values, noise) * (n_splits - 1) / n_splits


def correlated_scale(n_repeats: int, rho1: float, rho2: float) -> float:
    """Factor C: standard deviation of the mean over the root of the expected V."""
    shared = 1 + rho1 + 2 * (n_repeats - 1) * rho2
    return float(np.sqrt(shared / (2 * n_repeats - shared)))


def correlated_df(n_repeats: int, rho1: float, rho2: float) -> float:
    """Degrees of freedom f of a chi-squared variable matching mean and variance of V."""
    between = 1 + rho1 - 2 * rho2
    mean = 2 * n_repeats * (1 - rho2) - between
    variance = n_repeats * (1 - rho1) ** 2 + (n_repeats - 1) * between**2
    return mean**2 / variance


def z_of_bisections(rows: FloatArray, noise: float = NOISE) -> Moments:
    """Mean of row 0, with the distances of rows 1 and 2, 3 and 4, ... as its error."""
    means = rows[..., 1:, :].mean(axis=-1)
    pairs = means.reshape(*means.shape[:-1], -1, 2)
    error = np.sqrt(squared_distances(pairs, noise).mean(axis=-1) / 2)
    return _of_first_row(rows, error, None, noise)


def t_of_replicates(rows: FloatArray, noise: float = NOISE, ratio: float = 0.0) -> Moments:
    """Mean of row 0, with the variance (1 + J ratio) S² of the means of the others."""
    means = rows[..., 1:, :].mean(axis=-1)
    variance = (1 + rows.shape[-1] * ratio) * variance_of(means, noise)
    return _of_first_row(rows, np.sqrt(variance), means.shape[-1] - 1, noise)


def _of_first_row(
    rows: FloatArray, error: FloatArray, df: float | None, noise: float
) -> Moments:
    # The mean of the defined splits alone is another quantity.
    undefined = np.isnan(rows).any(axis=(-2, -1))
    return Moments(mean_of(rows[..., 0, :], noise), np.where(undefined, np.nan, error), df)


def deviation_of_records(
    values: FloatArray,
    within: FloatArray,
    n_test: IntArray,
    noise: float = NOISE,
    variance: str = "out",
) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of the differences of all records of K folds.

    `within` are the variances of the differences within the folds.
    """
    estimate = weighted_mean(values, n_test, noise)
    if variance == "in":
        spread = within.mean(axis=-1)
    else:
        squares = n_test * (values - estimate[..., np.newaxis]) ** 2
        squares = (n_test - 1) * within + squares
        spread = squares.sum(axis=-1) / n_test.sum(axis=-1)
    deviation = np.sqrt(spread)
    deviation = np.where(deviation <= noise, 0.0, deviation)
    return estimate, np.where(np.isnan(values).any(axis=-1), np.nan, deviation)


def f_of_halves(halves: FloatArray, noise: float = NOISE) -> tuple[Any, Any]:
    """Sum of all squared differences, and twice the sum of the five s²."""
    squares = np.square(in_one_row(halves)).sum(axis=-1)
    return squares, 2 * within_repetitions(halves, noise)
