"""Limits of the difference and of the ratio of two shares of answers."""

import math
from typing import Any, NamedTuple

import numpy as np

from skcompare._typing import FloatArray
from skcompare.evidence import ClassMoments
from skcompare.stats.accuracy._limits import one_sided, quantile
from skcompare.stats.accuracy._relative_accuracy import one_sided_ratio
from skcompare.stats.precision._precision_statistics import (
    NOISE,
    answered_alike,
    pooled_share,
)

STEPS, PASSES = 128, 8
"""Parts that the way to a limit is cut into, and how often again."""

PARTS = np.arange(STEPS + 1) / STEPS
HALVINGS = 60

FARTHEST = 1e-18
"""What is left of the way where the multiplier is as good as infinite."""


def wald_limits(
    estimate: float, error: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """The estimate less and plus a multiple of its standard error, cut at -1 and 1.

    Everything where the standard error is unknown.
    """
    reach = quantile(confidence_level, alternative) * error
    if math.isnan(reach):
        return -1.0, 1.0
    low, high = (min(1.0, max(-1.0, estimate + by)) for by in (-reach, reach))
    return one_sided(low, high, alternative)


def log_wald_limits(
    ratio: float, error: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """The limits of a ratio whose logarithm has this standard error.

    Everything where the ratio or the standard error is unknown.
    """
    reach = quantile(confidence_level, alternative) * error
    if math.isnan(reach) or math.isnan(ratio):
        return 0.0, math.inf
    # A huge standard error has limits beyond the largest number.
    with np.errstate(over="ignore"):
        low, high = (float(ratio * np.exp(by)) for by in (-reach, reach))
    return one_sided_ratio(low, high, alternative)


def difference_range(confidence_level: float, alternative: str) -> tuple[float, float]:
    """Every difference there is."""
    return -1.0, 1.0


def ratio_range(confidence_level: float, alternative: str) -> tuple[float, float]:
    """Every ratio there is."""
    return 0.0, math.inf


def score_limits(
    moments: ClassMoments, weighted: bool, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """The differences that a generalized score test does not reject, of one class."""
    low, high = score_range(moments, weighted, quantile(confidence_level, alternative))
    return one_sided(float(low), float(high), alternative)


def both_score_limits(
    moments: ClassMoments, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """The differences that not both generalized score tests reject, of one class."""
    low, high = both_score_range(moments, quantile(confidence_level, alternative))
    return one_sided(float(low), float(high), alternative)


def both_score_range(moments: ClassMoments, z: float) -> tuple[FloatArray, FloatArray]:
    """The limits of :func:`score_range`, of either test, that are further apart."""
    (low, high), (other_low, other_high) = (
        score_range(moments, weighted, z) for weighted in (False, True)
    )
    return np.minimum(low, other_low), np.maximum(high, other_high)


def score_range(
    moments: ClassMoments, weighted: bool, z: float
) -> tuple[FloatArray, FloatArray]:
    """The differences whose generalized score is at most `z` in size, class by class.

    The score of a difference other than 0 takes residuals from the most likely shares with
    that difference, of answers taken as independent (Farrington and Manning 1990). Its
    square need not rise all the way from the observed difference: a limit is where it first
    passes z², as seen from the observed difference, or from 0 where 0 is not rejected, so
    that 0 is inside exactly when the test does not reject it.

    Where the classifiers answer alike, or are all right or all wrong, no variance is left
    to measure by, and the limits are those of differences that were not seen in T answers,
    ``z² / (T + z²)``: Tango's limits without discordant pairs, and the limits of the
    weighted score where all answers are right.

    Parameters
    ----------
    moments : ClassMoments
        Of two classifiers; leading axes are classes.
    weighted : bool
        Whether variances are those of independent answers.
    z : float
        A normal quantile. A negative one has limits on the other sides of the estimate.

    Returns
    -------
    low, high : ndarray of shape (...)
        -1 and 1 where a share is undefined.
    """
    known: Any = (moments.rows > 0).all(axis=-1)
    high = _upper_limit(moments, weighted, z)
    low = -_upper_limit(_swapped(moments), weighted, z)
    reach = _unseen(moments, z)
    still = _without_variance(moments)
    low, high = np.where(still, -reach[..., 0], low), np.where(still, reach[..., 1], high)
    if z >= 0:
        shares = moments.shares
        observed = shares[..., 1] - shares[..., 0]
        low, high = np.minimum(low, observed), np.maximum(high, observed)
    low, high = np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)
    return np.where(known, low, -1.0), np.where(known, high, 1.0)


def score_root(moments: ClassMoments, delta: Any, weighted: bool) -> FloatArray:
    """Signed root of the score of differences along the last axis.

    Positive where the observed difference is above. A variance that is not positive makes
    it infinite, and the difference is rejected.
    """
    sums = _sums_of(moments)
    return _root_at(sums, *restricted_shares(moments, delta), weighted)


def restricted_shares(moments: ClassMoments, delta: Any) -> tuple[FloatArray, FloatArray]:
    """The most likely shares of independent answers that differ by `delta`.

    Differences are along the last axis. The difference rises with the multiplier of
    :func:`_shares_along`, which is found by halving.
    """
    sums = _sums_of(moments)
    delta = np.asarray(delta, dtype=np.float64) + 0 * sums.rows[0]
    low, high = np.full_like(delta, -1.0), np.ones_like(delta)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        first, second = _shares_along(sums, middle)
        below = second - first < delta
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
    def one(part: Any, *at: int) -> FloatArray:
        return np.asarray(part, dtype=np.float64)[(..., *at, np.newaxis)]

    def own(part: Any) -> tuple[FloatArray, FloatArray]:
        return one(part, 0, 0), one(part, 1, 1)

    rows = np.maximum(moments.rows, 1)
    crossed = (
        one(moments.hh, 0, 1),
        one(moments.rh, 0, 1),
        one(moments.rh, 1, 0),
        one(moments.rr, 0, 1),
    )
    return _Sums(
        (one(rows, 0), one(rows, 1)),
        (one(moments.hits, 0), one(moments.hits, 1)),
        own(moments.rr),
        own(moments.rh),
        own(moments.hh),
        crossed,
    )


def _shares_along(sums: _Sums, way: Any) -> tuple[FloatArray, FloatArray]:
    """Most likely shares of independent answers under a difference, on the way to it.

    With Lagrange's multiplier m of the difference the first share solves ``hits - rows p =
    m p (1 - p)``, and the second one the same with -m. From m = 0, the observed shares, the
    difference rises to 1 as m does, so that no difference has to be solved for. The way
    from -1 to 1 has m from minus infinity to infinity.
    """
    away = np.maximum(1 - np.abs(way), FARTHEST)
    m = (sums.rows[0] + sums.rows[1]) * way / away
    first = _share_at(sums.hits[0], sums.rows[0], m)
    return first, _share_at(sums.hits[1], sums.rows[1], -m)


def _share_at(hits: FloatArray, rows: FloatArray, m: FloatArray) -> FloatArray:
    """The share that solves ``hits - rows p = m p (1 - p)``, without cancellation."""
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
    sums: _Sums, first: FloatArray, second: FloatArray, weighted: bool
) -> FloatArray:
    """Signed root of the score with residuals from these shares."""
    both, rows_hits, hits_rows, rows = sums.crossed
    crossed = both - first * rows_hits - second * hits_rows + first * second * rows
    variance = -2 * crossed / (sums.rows[0] * sums.rows[1])
    size: Any = 0.0
    for k, p in enumerate((first, second)):
        linear, square = 2 * p * sums.rh[k], p * p * sums.rr[k]
        own = p * (1 - p) * sums.rows[k] if weighted else sums.hh[k] - linear + square
        variance = variance + own / sums.rows[k] ** 2
        size = size + (sums.hh[k] + linear + square) / sums.rows[k] ** 2
    shares = sums.hits[0] / sums.rows[0], sums.hits[1] / sums.rows[1]
    distance = shares[1] - shares[0] - (second - first)
    varies = variance > NOISE * size
    without = np.where(distance == 0, 0.0, np.copysign(np.inf, distance))
    return np.where(varies, distance / np.sqrt(np.where(varies, variance, 1)), without)


def _upper_limit(moments: ClassMoments, weighted: bool, z: float) -> FloatArray:
    """The greatest difference that is not rejected."""
    sums = _sums_of(moments)
    # The observed difference is kept exactly where z is not negative; the limit lies
    # towards 1 then, and otherwise towards -1.
    inside = z >= 0
    start = np.where(_null_between(sums, weighted, z), _way_to_null(sums), 0.0)
    end = np.full_like(start, 1.0 if inside else -1.0)
    for _ in range(PASSES):
        points = start + (end - start) * PARTS
        points[..., -1:] = end
        kept = _root_at(sums, *_shares_along(sums, points), weighted) >= -z
        turned = kept != inside
        turned[..., 0] = False
        turned[..., -1] = True
        first = turned.argmax(axis=-1)[..., np.newaxis]
        # Where nothing turns, the end of the way is the limit.
        never = (first == STEPS) & (kept[..., -1:] == inside)
        end = np.take_along_axis(points, first, axis=-1)
        start = np.where(never, end, np.take_along_axis(points, first - 1, axis=-1))
    lower, upper = _shares_along(sums, start)
    return np.asarray((upper - lower)[..., 0])


def _null_between(sums: _Sums, weighted: bool, z: float) -> Any:
    """Whether a difference of 0 lies ahead, on the same side of z as the observed one."""
    way = _way_to_null(sums)
    kept = _root_at(sums, *_shares_along(sums, way), weighted) >= -z
    return (kept == (z >= 0)) & ((way > 0) == (z >= 0)) & (way != 0)


def _way_to_null(sums: _Sums) -> FloatArray:
    """Where on the way to it the difference is 0."""
    rows = sums.rows[0] + sums.rows[1]
    pooled = (sums.hits[0] + sums.hits[1]) / rows
    spread = pooled * (1 - pooled)
    distance = sums.hits[0] - sums.rows[0] * pooled
    m = np.where(spread > 0, distance / np.where(spread > 0, spread, 1), 0.0)
    return np.asarray(m / (rows + np.abs(m)))


def _swapped(moments: ClassMoments) -> ClassMoments:
    """The moments with the roles exchanged."""
    return ClassMoments(
        moments.rows[..., ::-1],
        moments.hits[..., ::-1],
        *(part[..., ::-1, ::-1] for part in (moments.rr, moments.rh, moments.hh)),
    )


def _without_variance(moments: ClassMoments) -> Any:
    """Whether nothing varies: answers alike, all of them right, or all of them wrong."""
    pooled = pooled_share(moments)
    return answered_alike(moments) | (pooled == 0) | (pooled == 1)


def _unseen(moments: ClassMoments, z: float) -> FloatArray:
    """How far down and up the difference may be, where nothing varies."""
    square = max(0.0, z) ** 2
    # All right, the challenger can only be worse by its own answers, and better by the
    # champion's; all wrong it is the other way round.
    worse = np.where(pooled_share(moments) == 0, moments.rows[..., 0], moments.rows[..., 1])
    better = moments.rows.sum(axis=-1) - worse
    answers = np.stack([worse, better], axis=-1)
    return square / (np.where(answers > 0, answers, 1) + square)
