"""Limits of the difference and of the ratio of two shares of predictions."""

import math
from typing import Any, NamedTuple

import numpy as np

from skcompare._typing import FloatArray
from skcompare.evidence import ClassMoments
from skcompare.stats.core._limits import one_sided, one_sided_ratio
from skcompare.stats.core._wald import critical_value
from skcompare.stats.precision._precision_statistics import (
    NOISE,
    pooled_share,
    predicted_alike,
)

STEPS, PASSES = 128, 8
"""Numbers of parts that an interval with a limit is cut into, and of refinements."""

PARTS = np.arange(STEPS + 1) / STEPS
HALVINGS = 60

FARTHEST = 1e-18
"""Least distance from the ends of the path, where the multiplier is infinite."""


def wald_limits(
    estimate: float, error: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Wald limits of a difference, clipped to [-1, 1].

    -1 and 1 where the standard error is unknown.
    """
    reach = critical_value(confidence_level, alternative) * error
    if math.isnan(reach):
        return -1.0, 1.0
    return one_sided(estimate - reach, estimate + reach, alternative)


def log_wald_limits(
    ratio: float, error: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Wald limits of a ratio, computed on the log scale.

    0 and infinity where the ratio or the standard error is unknown.
    """
    reach = critical_value(confidence_level, alternative) * error
    if math.isnan(reach) or math.isnan(ratio):
        return 0.0, math.inf
    # A huge standard error gives limits beyond the largest double.
    with np.errstate(over="ignore"):
        low, high = (float(ratio * np.exp(by)) for by in (-reach, reach))
    return one_sided_ratio(low, high, alternative)


def score_limits(
    moments: ClassMoments, weighted: bool, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Limits of the differences that a generalized score test does not reject."""
    low, high = score_range(
        moments, weighted, critical_value(confidence_level, alternative)
    )
    return one_sided(float(low), float(high), alternative)


def both_score_limits(
    moments: ClassMoments, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Limits of the differences that at least one of the score tests does not reject."""
    low, high = both_score_range(moments, critical_value(confidence_level, alternative))
    return one_sided(float(low), float(high), alternative)


def both_score_range(moments: ClassMoments, z: float) -> tuple[FloatArray, FloatArray]:
    """Outer limits of both tests, from :func:`score_range`."""
    (low, high), (other_low, other_high) = (
        score_range(moments, weighted, z) for weighted in (False, True)
    )
    return np.minimum(low, other_low), np.maximum(high, other_high)


def score_range(
    moments: ClassMoments, weighted: bool, z: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of the differences whose generalized score is at most `z`, by class.

    The score of a difference other than 0 takes residuals from the most likely shares with
    that difference, of predictions taken as independent (Farrington and Manning 1990). Its
    square need not increase with the distance from the observed difference: a limit is
    where it first passes z², starting from the observed difference, or from 0 where 0 is
    not rejected, so that 0 is inside exactly when the test does not reject it.

    Where both classifiers predict the same, or are always correct or always incorrect,
    there is no variance, and the limits are those of an outcome that T predictions do not
    show, ``z² / (T + z²)``: Tango's limits without discordant pairs, and the limits of the
    weighted score where all predictions are correct.

    Parameters
    ----------
    moments : ClassMoments
        Moments of two classifiers; leading axes are classes.
    weighted : bool
        Whether variances are those of independent predictions.
    z : float
        A normal quantile. If negative, both limits are on the other side of the estimate.

    Returns
    -------
    low, high : ndarray of shape (...)
        -1 and 1 where a share is undefined.
    """
    defined: Any = (moments.rows > 0).all(axis=-1)
    high = _upper_limit(moments, weighted, z)
    low = -_upper_limit(moments.swap(), weighted, z)
    reach = _unseen(moments, z)
    constant = _without_variance(moments)
    low, high = (
        np.where(constant, -reach[..., 0], low),
        np.where(constant, reach[..., 1], high),
    )
    if z >= 0:
        shares = moments.shares
        observed = shares[..., 1] - shares[..., 0]
        low, high = np.minimum(low, observed), np.maximum(high, observed)
    low, high = np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)
    return np.where(defined, low, -1.0), np.where(defined, high, 1.0)


def score_root(moments: ClassMoments, delta: Any, weighted: bool) -> FloatArray:
    """Signed roots of the score, for differences along the last axis.

    Positive where the observed difference is greater. They are infinite where the variance
    is not positive, and the difference is rejected.
    """
    sums = _sums_of(moments)
    return _root_at(sums, *restricted_shares(moments, delta), weighted)


def restricted_shares(moments: ClassMoments, delta: Any) -> tuple[FloatArray, FloatArray]:
    """Maximum likelihood shares that differ by `delta`, for independent predictions.

    Differences are along the last axis. The difference rises with the multiplier of
    :func:`_shares_along`, which is found by bisection.
    """
    sums = _sums_of(moments)
    delta = np.asarray(delta, dtype=np.float64) + 0 * sums.rows[0]
    low, high = np.full_like(delta, -1.0), np.ones_like(delta)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        champion, challenger = _shares_along(sums, middle)
        below = challenger - champion < delta
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return _shares_along(sums, (low + high) / 2)


class _Sums(NamedTuple):
    """Sums over the clusters, champion first, with a last axis for differences."""

    rows: tuple[FloatArray, FloatArray]
    hits: tuple[FloatArray, FloatArray]
    rr: tuple[FloatArray, FloatArray]
    rh: tuple[FloatArray, FloatArray]
    hh: tuple[FloatArray, FloatArray]
    crossed: tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def _sums_of(moments: ClassMoments) -> _Sums:
    def element(part: Any, *at: int) -> FloatArray:
        return np.asarray(part, dtype=np.float64)[(..., *at, np.newaxis)]

    def diagonal(part: Any) -> tuple[FloatArray, FloatArray]:
        return element(part, 0, 0), element(part, 1, 1)

    rows = np.maximum(moments.rows, 1)
    crossed = (
        element(moments.hh, 0, 1),
        element(moments.rh, 0, 1),
        element(moments.rh, 1, 0),
        element(moments.rr, 0, 1),
    )
    return _Sums(
        (element(rows, 0), element(rows, 1)),
        (element(moments.hits, 0), element(moments.hits, 1)),
        diagonal(moments.rr),
        diagonal(moments.rh),
        diagonal(moments.hh),
        crossed,
    )


def _shares_along(sums: _Sums, position: Any) -> tuple[FloatArray, FloatArray]:
    """Maximum likelihood shares of independent predictions, on a path of differences.

    With Lagrange's multiplier m of the difference the champion's share solves ``hits - rows
    p = m p (1 - p)``, and the challenger's the same with -m. From m = 0, the observed
    shares, the difference rises to 1 as m does, so that no equation has to be solved for a
    difference. The path from -1 to 1 has m from minus infinity to infinity.
    """
    remainder = np.maximum(1 - np.abs(position), FARTHEST)
    m = (sums.rows[0] + sums.rows[1]) * position / remainder
    champion = _share_at(sums.hits[0], sums.rows[0], m)
    return champion, _share_at(sums.hits[1], sums.rows[1], -m)


def _share_at(hits: FloatArray, rows: FloatArray, m: FloatArray) -> FloatArray:
    """Share that solves ``hits - rows p = m p (1 - p)``, without cancellation."""
    total = rows + m
    square = np.where(
        m > 0, (rows - m) ** 2 + 4 * m * (rows - hits), total**2 - 4 * m * hits
    )
    root = np.sqrt(square)
    above = total > 0
    return np.where(
        above,
        2 * hits / np.where(above, total + root, 1),
        (total - root) / np.where(above, 1, 2 * m),
    )


def _root_at(
    sums: _Sums, champion: FloatArray, challenger: FloatArray, weighted: bool
) -> FloatArray:
    """Signed root of the score, with residuals from the given shares."""
    both, rows_hits, hits_rows, rows = sums.crossed
    crossed = (
        both - champion * rows_hits - challenger * hits_rows + champion * challenger * rows
    )
    variance = -2 * crossed / (sums.rows[0] * sums.rows[1])
    magnitude: Any = 0.0
    for k, p in enumerate((champion, challenger)):
        linear, square = 2 * p * sums.rh[k], p * p * sums.rr[k]
        term = p * (1 - p) * sums.rows[k] if weighted else sums.hh[k] - linear + square
        variance = variance + term / sums.rows[k] ** 2
        magnitude = magnitude + (sums.hh[k] + linear + square) / sums.rows[k] ** 2
    shares = sums.hits[0] / sums.rows[0], sums.hits[1] / sums.rows[1]
    distance = shares[1] - shares[0] - (challenger - champion)
    varies = variance > NOISE * magnitude
    no_variance_root = np.where(distance == 0, 0.0, np.copysign(np.inf, distance))
    return np.where(
        varies, distance / np.sqrt(np.where(varies, variance, 1)), no_variance_root
    )


def _upper_limit(moments: ClassMoments, weighted: bool, z: float) -> FloatArray:
    """Greatest difference that is not rejected."""
    sums = _sums_of(moments)
    # The observed difference is kept exactly where z is not negative; the limit is then
    # above it, and otherwise below.
    inside = z >= 0
    start = np.where(_null_between(sums, weighted, z), _null_position(sums), 0.0)
    end = np.full_like(start, 1.0 if inside else -1.0)
    for _ in range(PASSES):
        points = start + (end - start) * PARTS
        points[..., -1:] = end
        kept = _root_at(sums, *_shares_along(sums, points), weighted) >= -z
        changed = kept != inside
        changed[..., 0] = False
        changed[..., -1] = True
        position = changed.argmax(axis=-1)[..., np.newaxis]
        # Without a change, the end of the path is the limit.
        unchanged = (position == STEPS) & (kept[..., -1:] == inside)
        end = np.take_along_axis(points, position, axis=-1)
        start = np.where(unchanged, end, np.take_along_axis(points, position - 1, axis=-1))
    lower, upper = _shares_along(sums, start)
    return np.asarray((upper - lower)[..., 0])


def _null_between(sums: _Sums, weighted: bool, z: float) -> Any:
    """Whether a difference of 0 lies between the observed difference and the limit."""
    position = _null_position(sums)
    kept = _root_at(sums, *_shares_along(sums, position), weighted) >= -z
    return (kept == (z >= 0)) & ((position > 0) == (z >= 0)) & (position != 0)


def _null_position(sums: _Sums) -> FloatArray:
    """Position on the path at which the difference is 0."""
    rows = sums.rows[0] + sums.rows[1]
    pooled = (sums.hits[0] + sums.hits[1]) / rows
    spread = pooled * (1 - pooled)
    distance = sums.hits[0] - sums.rows[0] * pooled
    m = np.where(spread > 0, distance / np.where(spread > 0, spread, 1), 0.0)
    return np.asarray(m / (rows + np.abs(m)))


def _without_variance(moments: ClassMoments) -> Any:
    """Whether the predictions are equal, all correct, or all incorrect."""
    pooled = pooled_share(moments)
    return predicted_alike(moments) | (pooled == 0) | (pooled == 1)


def _unseen(moments: ClassMoments, z: float) -> FloatArray:
    """Distances of the limits from 0 where the predictions have no variance."""
    square = max(0.0, z) ** 2
    # If all are correct, the challenger can only be worse by its own predictions, and
    # better by the champion's; if all are incorrect it is the other way round.
    worse = np.where(pooled_share(moments) == 0, moments.rows[..., 0], moments.rows[..., 1])
    better = moments.rows.sum(axis=-1) - worse
    n_predictions = np.stack([worse, better], axis=-1)
    return square / (np.where(n_predictions > 0, n_predictions, 1) + square)
