"""Limits of the difference and of the ratio of two shares of predictions."""

import math
from typing import Any

import numpy as np
from scipy.optimize import brentq

from skcompare._typing import FloatArray
from skcompare.evidence import ClassMoments
from skcompare.stats.accuracy._limits import lower_root
from skcompare.stats.core._limits import one_sided, one_sided_ratio
from skcompare.stats.precision._precision_statistics import (
    contrast_variance,
    pooled_share,
    predicted_alike,
    score_contrast,
)

STEPS, PASSES = 128, 8
"""Numbers of parts that an interval with a limit is cut into, and of refinements."""

PARTS = np.arange(STEPS + 1) / STEPS

FARTHEST = 1e-18
"""Least distance from the ends of the path, where the multiplier is infinite."""


def range_of_test(
    moments: ClassMoments, test: str, z: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of the differences that a score test, by its name, or either of both keeps."""
    if test != "both scores":
        return score_range(moments, test == "weighted score", z)
    lows, highs = zip(*(score_range(moments, weighted, z) for weighted in (False, True)))
    return np.minimum(*lows), np.maximum(*highs)


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


def _sums_of(moments: ClassMoments) -> ClassMoments:
    """Moments with an axis for differences, and 1 in the place of no predictions."""
    rows, axis = np.maximum(moments.rows, 1), moments.rows.ndim - 1
    parts: Any = rows, moments.hits, moments.rr, moments.rh, moments.hh
    return ClassMoments(*(np.expand_dims(part.astype(np.float64), axis) for part in parts))


def _shares_along(sums: ClassMoments, position: Any) -> tuple[FloatArray, FloatArray]:
    """Maximum likelihood shares of independent predictions, on a path of differences.

    With Lagrange's multiplier m of the difference the champion's share solves ``hits - rows
    p = m p (1 - p)``, and the challenger's the same with -m. From m = 0, the observed
    shares, the difference rises to 1 as m does, so that no equation has to be solved for a
    difference. The path from -1 to 1 has m from minus infinity to infinity.
    """
    remainder = np.maximum(1 - np.abs(position), FARTHEST)
    rows, hits = np.moveaxis(sums.rows, -1, 0), np.moveaxis(sums.hits, -1, 0)
    m = (rows[0] + rows[1]) * position / remainder
    return _share_at(hits[0], rows[0], m), _share_at(hits[1], rows[1], -m)


def _share_at(hits: Any, rows: Any, m: FloatArray) -> FloatArray:
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
        kept = score_contrast(sums, *_shares_along(sums, points), weighted).root >= -z
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


def _null_between(sums: ClassMoments, weighted: bool, z: float) -> Any:
    """Whether a difference of 0 lies between the observed difference and the limit."""
    position = _null_position(sums)
    kept = score_contrast(sums, *_shares_along(sums, position), weighted).root >= -z
    return (kept == (z >= 0)) & ((position > 0) == (z >= 0)) & (position != 0)


def _null_position(sums: ClassMoments) -> FloatArray:
    """Position on the path at which the difference is 0."""
    rows = sums.rows[..., 0] + sums.rows[..., 1]
    pooled = (sums.hits[..., 0] + sums.hits[..., 1]) / rows
    spread = pooled * (1 - pooled)
    distance = sums.hits[..., 0] - sums.rows[..., 0] * pooled
    m = np.where(spread > 0, distance / np.where(spread > 0, spread, 1), 0.0)
    return np.asarray(m / (rows + np.abs(m)))


def _without_variance(moments: ClassMoments) -> Any:
    """Whether the predictions are equal, all correct, or all incorrect."""
    pooled = pooled_share(moments)
    return predicted_alike(moments) | (pooled == 0) | (pooled == 1)


def _unseen(moments: ClassMoments, z: float, n_clusters: float = math.inf) -> FloatArray:
    """Distances of the limits from 0 where the predictions have no variance."""
    square = max(0.0, z) ** 2
    if math.isinf(square):
        return np.ones(moments.rows.shape)
    rows = np.minimum(moments.rows, n_clusters)
    # If all are correct, the challenger can only be worse by its own predictions, and
    # better by the champion's; if all are incorrect it is the other way round.
    worse = np.where(pooled_share(moments) == 0, rows[..., 0], rows[..., 1])
    n_predictions = np.stack([worse, rows.sum(axis=-1) - worse], axis=-1)
    return square / (np.where(n_predictions > 0, n_predictions, 1) + square)


def difference_score_limits(
    moments: ClassMoments, n_clusters: int, z: float, alternative: str
) -> tuple[float, float]:
    """Limits of the differences of two shares whose generalized score is at most `z`.

    For a difference d the restricted shares p1 and p2 = p1 + d solve the estimating
    equation of their common level with identity link, T1 (P1 - p1) + T2 (P2 - p2) = 0. A
    cluster then adds x - d g to the score, with its residuals x from the share of all
    predictions, and g = (T1 r2 / T2 + T2 r1 / T1) / (T1 + T2) of its predictions r. The g
    add up to 1, and the limits are the roots of a quadratic equation, as Fieller's.

    Where nothing varies the limits are those of an outcome that none of the N clusters
    shows: ``z² / (N + z²)``.
    """
    if _without_variance(moments):
        worse, better = _unseen(moments, z, n_clusters).tolist()
        low, high = -worse, better
    else:
        shares = moments.shares
        estimate = float(shares[1] - shares[0])
        constant, linear, square = _polynomial(moments)
        variance = contrast_variance(moments, shares, np.ones(2), moments.covariance())
        if variance == 0 == estimate:
            # The observed difference is 0, which is then always inside.
            z = max(z, 0.0)
        low = lower_root(estimate, 1.0, (constant, linear, square), z)
        high = -lower_root(-estimate, 1.0, (constant, -linear, square), z)
        if variance == 0 and z * z * square < 1:
            # Both roots are the estimate; rounding would lose half of its digits.
            low = high = estimate
    return one_sided(low, high, alternative)


def _polynomial(moments: ClassMoments) -> tuple[float, float, float]:
    """Coefficients of the variance of the score, a polynomial in the difference."""
    rows = moments.rows.astype(np.float64)
    pooled = pooled_share(moments)
    both = np.array([pooled, pooled])
    constant = contrast_variance(moments, both, np.ones(2), moments.covariance(both))
    sign = np.array([-1.0, 1.0]) / rows
    part = rows[::-1] / rows / rows.sum()
    crossed = moments.rh.T - pooled * moments.rr
    return (
        float(constant),
        float(-2 * sign @ crossed @ part),
        float(part @ moments.rr @ part),
    )


FARTHEST_RATIO = 80.0
"""Logarithm of a ratio beyond which scores no longer change."""

POINTS = 512
"""Number of grid points up to there at which the score is computed."""

NEAREST = 1e-9
"""Smallest distance of a grid point, in standard errors."""

PRECISION = 1e-14
"""Absolute precision of the logarithm of a limit."""


def shares_at_ratio(moments: ClassMoments, link: str, logarithm: Any) -> FloatArray:
    """Shares with a given ratio (log link) or odds ratio (logit link).

    They solve the estimating equation of the common level of both classifiers: the expected
    hits of all predictions are the observed ones. With log link the working variance is
    that of counts, so that this holds there, too.

    Parameters
    ----------
    moments : ClassMoments
        Moments of two classifiers and one class.
    link : {"logit", "log"}
    logarithm : array-like of shape (n,)
        Logarithms of the ratio, challenger over champion.

    Returns
    -------
    shares : ndarray of shape (n, 2)
    """
    champion, challenger = (float(rows) for rows in moments.rows)
    hits = float(moments.hits.sum())
    logarithm = np.asarray(logarithm, dtype=np.float64)
    ratio = np.exp(np.abs(logarithm))
    swapped = logarithm < 0  # Roles exchanged, so that ratios are at least 1.
    rows_low = np.where(swapped, challenger, champion)
    rows_high = np.where(swapped, champion, challenger)
    if link == "log":
        low = hits / (rows_low + ratio * rows_high)
        high = ratio * low
    else:
        # (r - 1) rows_low p² + (rows_low + r rows_high - (r - 1) hits) p - hits = 0
        quadratic, linear = (
            (ratio - 1) * rows_low,
            rows_low + ratio * rows_high - (ratio - 1) * hits,
        )
        root = np.sqrt(linear**2 + 4 * quadratic * hits)
        low = np.where(
            linear > 0,
            2 * hits / np.where(linear > 0, linear + root, 1),
            (root - linear) / np.where(linear > 0, 1, 2 * quadratic),
        )
        high = ratio * low / (1 + (ratio - 1) * low)
    shares = [np.where(swapped, high, low), np.where(swapped, low, high)]
    return np.stack(shares, axis=-1)


def score_of_ratio(moments: ClassMoments, link: str, logarithm: Any) -> FloatArray:
    """Signed roots of the generalized score, as a function of the log ratio.

    The efficient score of the ratio, with its sandwich: at a ratio of 1 it is the score
    test of equal shares (Leisenring, Alonzo and Pepe 2000), and positive where the observed
    ratio is above. NaN where its variance could be rounding alone: near an observed ratio
    that all clusters share the variance is about the squared distance.
    """
    at = shares_at_ratio(moments, link, logarithm)
    stacked = moments[np.newaxis]
    variances = at * (1 - at) if link == "logit" else at
    # Slopes are reciprocals, here multiplied by both, so that nothing is divided by 0.
    slopes = variances[:, ::-1]
    covariance = stacked.covariance(at)
    variance = contrast_variance(stacked, at, slopes, covariance)
    excess = moments.hits[1] - moments.rows[1] * at[:, 1]
    distance = excess * (slopes / moments.rows).sum(axis=1)
    return np.asarray(distance / np.sqrt(np.where(variance > 0, variance, np.nan)))


def ratio_score_limits(
    moments: ClassMoments, link: str, estimate: float, z: float, alternative: str
) -> tuple[float, float]:
    """Limits of the ratios whose score is at most `z` in absolute value.

    The score of farther ratios may fall again, for few clusters. A limit is where it first
    passes `z`, starting from the estimate, or from 1 where the test does not reject 1, so
    that 1 is inside exactly when the test does not reject it.

    Parameters
    ----------
    moments : ClassMoments
        Moments of two classifiers and one class.
    link : {"logit", "log"}
    estimate : float
        The observed ratio.
    z : float
        Critical value of the score.
    alternative : {"two-sided", "less", "greater"}
    """
    if math.isnan(estimate):
        return 0.0, math.inf
    value = math.log(estimate) if estimate > 0 else -math.inf
    high = _upper_ratio(moments, link, value, z)
    low = -_upper_ratio(moments.swap(), link, -value, z)
    return one_sided_ratio(math.exp(low), math.exp(high), alternative)


def _upper_ratio(moments: ClassMoments, link: str, observed: float, z: float) -> float:
    """Logarithm of the greatest ratio that is not rejected."""

    def excess(logarithm: float) -> float:
        # A point without variance between two with variance ends the search.
        return float(np.nan_to_num(score_of_ratio(moments, link, [logarithm])[0] + z))

    upward = z >= 0
    if math.isinf(z) or (math.isinf(observed) and (observed > 0) == upward):
        return math.inf if z > 0 else observed
    null_kept, start = excess(0.0) >= 0, observed
    # From an infinite ratio the search starts at 1, upward or downward.
    from_null = math.isinf(observed)
    if from_null:
        upward = null_kept
    null_ahead = observed < 0 if upward else observed > 0
    if from_null or (null_ahead and null_kept == upward):
        start = 0.0
    steps = np.geomspace(NEAREST, FARTHEST_RATIO, POINTS)
    points = start + (steps if upward else -steps)
    if null_ahead and start:
        points = np.append(points[points < 0 if upward else points > 0], 0.0)
    scores = score_of_ratio(moments, link, points) + z
    defined = ~np.isnan(scores)
    points, scores = points[defined], scores[defined]
    beyond = np.flatnonzero((scores < 0) if upward else (scores >= 0))
    if not len(beyond):
        return math.inf if upward else -math.inf
    point = points[beyond[0]]
    before = points[beyond[0] - 1] if beyond[0] else start
    ends = sorted((float(before), float(point)))
    if excess(ends[0]) * excess(ends[1]) >= 0:
        return float(before)
    return float(brentq(excess, *ends, xtol=PRECISION, rtol=4 * PRECISION))
