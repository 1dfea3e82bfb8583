"""Statistics of two shares of clustered predictions, and limits of what they compare.

All functions of moments take those of two classifiers, champion first; the leading axes of
the moments, if there are any, are classes, and so are those of all results. Undefined
values are NaN, and nothing warns.

The Wald statistics are those of marginal models, GEE in closed form. With a parameter for
each classifier and independence as the working correlation, the estimating equations are
solved by the observed shares, and their sandwich by sums over clusters of products. No
iteration is needed, and no table with one row per prediction. Limits of the difference and
of the ratio of two shares invert the score tests.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from skcompare._typing import FloatArray
from skcompare.evidence import ClassMoments, ClusterSums, JointCounts, OutcomeRows
from skcompare.stats.accuracy._limits import lower_root
from skcompare.stats.core._limits import RATIO, one_sided
from skcompare.stats.core._target_class import (
    FEW_CLUSTERS,
    FEW_INFORMATIVE,
    NO_PREDICTIONS,
    class_label,
)

NOISE = 64 * float(np.finfo(float).eps)
"""Variances below this share of the terms they are made of are 0 up to rounding."""


class Contrast(NamedTuple):
    """Comparison of two shares on some scale; positive favours the challenger.

    Attributes
    ----------
    estimate : ndarray
        Challenger minus champion.
    variance : ndarray
        Variance of the estimate, as the test computes it.
    root : ndarray
        Signed root of the chi-squared statistic with one degree of freedom, normal under
        the null hypothesis. 0 where there is no difference and no variance, infinite for
        a difference without variance, NaN where it is undefined.
    """

    estimate: FloatArray
    variance: FloatArray
    root: FloatArray


def wald_contrast(moments: ClassMoments, link: str = "identity") -> Contrast:
    """Wald contrast of the shares on the scale of a link.

    It is that of a marginal model, GEE with independence as the working correlation, with a
    parameter for each classifier. Its fit is the scale of the observed shares, and its
    sandwich has a closed form (Leisenring, Alonzo and Pepe 2000).

    With the identity it is Kosinski's (2013) for multinomial counts, equation (32) of
    Gondara: ``(P2 - P1)² / (Var P1 + Var P2 - 2 Cov)`` with the variances at the observed
    shares. It is 0 where both shares are 0 or both 1; a difference of 1 has no variance,
    and its root is infinite.

    With logits it is undefined where a share is 0 or 1, unless the classifiers predict the
    same. The denominator is equation (8) of Gondara with the variances at their own numbers
    of predictions: v2 / T1 + v1 / T2.

    With logarithms it is that of Moskowitz and Pepe (2006): the variance is the sum over
    clusters of ``(e2 / P2 - e1 / P1)²`` with the residuals ``e = (hits - P rows) / T``, for
    records equation (18) of Gondara in counts, not divided by their number. Where one share
    is 0 its logarithm is infinite and the root undefined; where both are, the estimate is
    undefined, and the root is 0.

    Parameters
    ----------
    moments : ClassMoments
        Moments of two classifiers.
    link : {"identity", "logit", "log"}, default="identity"
        Scale of the shares.
    """
    shares = moments.shares
    values, slopes = link_values(moments, link)
    variance = contrast_variance(moments, shares, slopes, moments.covariance(shares))
    with np.errstate(invalid="ignore"):
        contrast = _contrast(values[..., 1] - values[..., 0], variance)
    # Equal predictions do not differ, also where the scale is undefined at 0 or 1.
    same = predicted_alike(moments) & has_predictions(moments)
    contrast = Contrast(*(np.where(same, 0.0, part) for part in contrast))
    if link != "log":
        return contrast
    both_zero = (shares == 0).all(axis=-1)
    parts = zip(contrast, (np.nan, np.nan, 0.0), strict=True)
    return Contrast(*(np.where(both_zero, value, part) for part, value in parts))


def generalized_score(moments: ClassMoments) -> Contrast:
    """Generalized score: Leisenring, Alonzo and Pepe (2000), equation (9) of Gondara.

    ``(P2 - P1)²`` over the sum over clusters of ``(e2 - e1)²``, with residuals ``e = (hits
    - Pbar rows) / T`` at the share Pbar of all predictions of both. For scores that count
    the same records for both (recall, specificity) it is McNemar's statistic.
    """
    pooled = pooled_share(moments)
    return score_contrast(moments, pooled, pooled, weighted=False)


def weighted_generalized_score(moments: ClassMoments) -> Contrast:
    """Weighted generalized score: Kosinski (2013).

    As :func:`generalized_score`, but with the variances ``Pbar (1 - Pbar) / T`` of
    independent predictions; only their covariance is a sum over clusters. For two sets of
    predictions for different records it is Pearson's chi-squared. Where clusters hold
    several predictions of one classifier, their dependence is ignored; use the generalized
    score.
    """
    pooled = pooled_share(moments)
    return score_contrast(moments, pooled, pooled, weighted=True)


def both_scores(moments: ClassMoments, alternative: str = "two-sided") -> Contrast:
    """Generalized score or its weighted version, whichever has the greater p-value.

    The first has a small variance where the outcome is rare among the predictions of one
    classifier, the second where nearly all predictions are shared, so that each rejects too
    often where the other does not. The larger variance has the greater p-value, except for
    a one-sided alternative opposite to the observed difference.

    Parameters
    ----------
    moments : ClassMoments
        Moments of two classifiers.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Alternative of the p-value.
    """
    plain, weighted = generalized_score(moments), weighted_generalized_score(moments)
    towards = {"less": -plain.estimate, "greater": plain.estimate}
    opposite = towards[alternative] < 0 if alternative in towards else False
    use_plain = (plain.variance > weighted.variance) ^ opposite
    variance = np.where(use_plain, plain.variance, weighted.variance)
    return Contrast(
        plain.estimate, variance, np.where(use_plain, plain.root, weighted.root)
    )


def pooled_share(moments: ClassMoments) -> FloatArray:
    """Pooled hit rate of both classifiers; NaN without predictions."""
    total = moments.rows.sum(axis=-1)
    hits = moments.hits.sum(axis=-1)
    return np.where(total > 0, hits / np.where(total > 0, total, 1), np.nan)


def has_predictions(moments: ClassMoments) -> Any:
    """Whether the scores of all classifiers have a positive denominator."""
    return (moments.rows > 0).all(axis=-1)


def predicted_alike(moments: ClassMoments) -> Any:
    """Whether two classifiers have the same rows and the same hits in every cluster."""
    return (_squared_differences(moments.rr) == 0) & (_squared_differences(moments.hh) == 0)


def contrast_variance(
    moments: ClassMoments, at: FloatArray, slopes: FloatArray, covariance: FloatArray
) -> FloatArray:
    """Variance of the difference of two functions of the shares, second minus first.

    Parameters
    ----------
    moments : ClassMoments
        Moments of two classifiers.
    at : ndarray of shape (..., 2)
        Shares that residuals were taken from.
    slopes : ndarray of shape (..., 2)
        Derivatives of the functions there.
    covariance : ndarray of shape (..., 2, 2)
        Covariance of the shares.

    Returns
    -------
    variance : ndarray of shape (...)
        0 where it could be rounding alone; NaN where it is undefined.
    """
    champion, challenger = slopes[..., 0], slopes[..., 1]
    variance = (
        champion**2 * covariance[..., 0, 0]
        + challenger**2 * covariance[..., 1, 1]
        - 2 * champion * challenger * covariance[..., 0, 1]
    )
    hh, rh, rr = (
        np.diagonal(part, axis1=-2, axis2=-1)
        for part in (moments.hh, moments.rh, moments.rr)
    )
    magnitude = (hh + 2 * at * rh + at**2 * rr) * (slopes / _totals(moments)) ** 2
    return np.where(variance <= NOISE * magnitude.sum(axis=-1), 0.0, variance)


def score_contrast(
    moments: ClassMoments, champion: Any, challenger: Any, weighted: Any
) -> Contrast:
    """Contrast of the observed shares with given ones, which residuals are taken from.

    Parameters
    ----------
    moments : ClassMoments
        Moments of two classifiers.
    champion, challenger : ndarray of shape (...)
        The given shares; their difference is taken from the observed one.
    weighted : bool or ndarray of bool
        Whether variances are those of independent predictions.
    """
    hh, rh, rr = moments.hh, moments.rh, moments.rr
    rows = _totals(moments)
    crossed = hh[..., 0, 1] - champion * rh[..., 0, 1] - challenger * rh[..., 1, 0]
    crossed = crossed + champion * challenger * rr[..., 0, 1]
    variance = -2 * crossed / (rows[..., 0] * rows[..., 1])
    magnitude: Any = 0.0
    for k, p in enumerate((champion, challenger)):
        total, squares = rows[..., k], hh[..., k, k]
        linear, square = 2 * p * rh[..., k, k], p * p * rr[..., k, k]
        term = np.where(weighted, p * (1 - p) * total, squares - linear + square)
        variance = variance + term / total**2
        magnitude = magnitude + (squares + linear + square) / total**2
    shares = moments.hits / rows
    distance = shares[..., 1] - shares[..., 0] - (challenger - champion)
    return _contrast(distance, np.where(variance <= NOISE * magnitude, 0.0, variance))


def _contrast(estimate: FloatArray, variance: FloatArray) -> Contrast:
    varies = variance > 0
    root = np.asarray(estimate / np.sqrt(np.where(varies, variance, np.nan)))
    if not np.all(varies):
        certain = np.where(estimate == 0, 0.0, np.copysign(np.inf, estimate))
        root = np.where((variance == 0) & ~np.isnan(estimate), certain, root)
    return Contrast(estimate, variance, root)


def _totals(moments: ClassMoments) -> FloatArray:
    return np.where(moments.rows > 0, moments.rows, np.nan)


def _squared_differences(products: Any) -> Any:
    """Sum over clusters of the squared differences of the two classifiers."""
    return products[..., 0, 0] + products[..., 1, 1] - 2 * products[..., 0, 1]


CLASS_TESTS: dict[str, Callable[..., Contrast]] = {
    "both scores": both_scores,
    "weighted score": weighted_generalized_score,
    "score": generalized_score,
    "wald": partial(wald_contrast, link="logit"),
    "difference": wald_contrast,
    "relative": partial(wald_contrast, link="log"),
}
"""Tests of one class by name, two-sided."""

SCORE_TESTS = ("both scores", "weighted score", "score")
WALD_TESTS = {"identity": "difference", "logit": "wald", "log": "relative"}
"""Wald's test of each scale, by name."""


class ClassFit(NamedTuple):
    """Moments of the predictions of one class, for marginal models.

    Attributes
    ----------
    label : object
        The class.
    score : str
        The score of the class.
    raw : ClassMoments
        Sums over the clusters.
    moments : ClassMoments
        The same sums, with the products corrected for few clusters.
    n_clusters : int
        Clusters with a prediction that counts.
    """

    label: Any
    score: str
    raw: ClassMoments
    moments: ClassMoments
    n_clusters: int

    @property
    def caveats(self) -> tuple[str, ...]:
        """Flags that do not depend on the test."""
        few = self.n_clusters < FEW_INFORMATIVE
        return (NO_PREDICTIONS,) * (not has_predictions(self.raw)) + (FEW_CLUSTERS,) * few


def class_fit(
    counts: JointCounts | ClusterSums,
    label: Any = None,
    score: str = "precision",
    correction: str = "none",
) -> ClassFit:
    """Return the moments of one class, the default class if `label` is None."""
    rows = counts.class_rows()
    label = class_label(counts.classes, label)
    moments = rows.moments(score, label)
    outcomes = rows.of_class(label, score)
    n_clusters = int(informative_clusters(outcomes))
    corrected = corrected_moments(moments, outcomes, n_clusters, correction)
    return ClassFit(label, score, moments, corrected, n_clusters)


def informative_clusters(outcomes: OutcomeRows, chosen: Any = slice(None)) -> Any:
    """Number of clusters that enter the score of any chosen classifier.

    One for each row of chosen classifiers, if there are several.
    """
    return outcomes.weights @ (outcomes.rows[:, chosen] > 0).any(axis=-1)


def corrected_moments(
    moments: ClassMoments, outcomes: OutcomeRows, n_clusters: int, correction: str
) -> ClassMoments:
    """Moments whose sandwich covariance is corrected for few clusters.

    "small-sample" multiplies it by N / (N - 1), of N clusters. "mancl-derouen" divides the
    residuals of a cluster, for each classifier, by 1 minus its share of the predictions
    that count [1]_: the leverage of the cluster in a model with a share for each
    classifier.

    References
    ----------
    .. [1] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.
    """
    if correction == "none":
        return moments
    products: list[Any]
    if correction == "small-sample":
        factor = n_clusters / (n_clusters - 1) if n_clusters > 1 else np.nan
        products = [factor * part for part in (moments.rr, moments.rh, moments.hh)]
    else:
        remainder = moments.rows - outcomes.rows
        # Without the cluster that holds all predictions, none are left.
        remainder = np.where((remainder > 0) | (outcomes.rows == 0), remainder, np.nan)
        scale = moments.rows / np.where(outcomes.rows > 0, remainder, 1)
        rows, hits = scale * outcomes.rows, scale * outcomes.hits
        weights = outcomes.weights
        products = [_products(weights, *pair) for pair in ((rows, rows), (rows, hits))]
        products.append(_products(weights, hits, hits))
    return replace(moments, rr=products[0], rh=products[1], hh=products[2])


def _products(weights: Any, first: FloatArray, second: FloatArray) -> FloatArray:
    """Weighted sums of products over clusters, exactly equal for equal columns."""
    pairs = first[:, :, np.newaxis] * second[:, np.newaxis, :]
    return np.sum(weights[:, np.newaxis, np.newaxis] * pairs, axis=0)


def link_values(moments: ClassMoments, link: str) -> tuple[FloatArray, FloatArray]:
    """Parameters of the marginal model on the link scale, and slopes in the shares.

    The parameters are infinite, and slopes NaN, where a logarithm is.
    """
    shares = moments.shares
    if link == "identity":
        return shares, np.ones_like(shares)
    hits, misses = moments.hits, moments.rows - moments.hits
    others = misses if link == "logit" else moments.rows
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(hits / others)
        slopes = moments.rows / hits
        if link == "logit":
            slopes *= moments.rows / misses
    return values, np.where(np.isfinite(values), slopes, np.nan)


def ratio_of_shares(moments: ClassMoments, link: str) -> FloatArray:
    """Odds ratio or ratio of the scores, challenger over champion; NaN if undefined."""
    hits = moments.hits.astype(np.float64)
    others = moments.rows - hits if link == "logit" else moments.rows
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = hits[..., 1] * others[..., 0] / (hits[..., 0] * others[..., 1])
    same = predicted_alike(moments) & has_predictions(moments) & (link == "logit")
    return np.where(same, 1.0, ratio)


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
    weighted = np.array([False, True]).reshape(2, *[1] * (moments.rows.ndim - 1))
    low, high = score_range(_stacked(moments, moments), weighted, z)
    return low.min(axis=0), high.max(axis=0)


def _stacked(*moments: ClassMoments) -> ClassMoments:
    """Moments along a new first axis, where many cost hardly more than one."""
    parts = ([m.rows, m.hits, m.rr, m.rh, m.hh] for m in moments)
    return ClassMoments(*(np.stack(part) for part in zip(*parts, strict=True)))


def score_range(
    moments: ClassMoments, weighted: Any, z: float
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
    weighted : bool or ndarray of bool
        Whether variances are those of independent predictions.
    z : float
        A normal quantile. If negative, both limits are on the other side of the estimate.

    Returns
    -------
    low, high : ndarray of shape (...)
        -1 and 1 where a share is undefined.
    """
    reach, constant = _unseen(moments, z), _without_variance(moments)
    below, above = _upper_limit(_stacked(moments.swap(), moments), weighted, z)
    low = np.where(constant, -reach[..., 0], -below)
    high = np.where(constant, reach[..., 1], above)
    if z >= 0:
        shares = moments.shares
        observed = shares[..., 1] - shares[..., 0]
        low, high = np.minimum(low, observed), np.maximum(high, observed)
    low, high = np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)
    defined = has_predictions(moments)
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
    return _quadratic_share(-m, total, hits, np.sqrt(square))


def _quadratic_share(
    square: FloatArray, linear: FloatArray, hits: Any, root: FloatArray
) -> FloatArray:
    """Share with ``square p² + linear p = hits``, from the root of the discriminant."""
    above = linear > 0
    return np.where(
        above,
        2 * hits / np.where(above, linear + root, 1),
        (root - linear) / np.where(above, 1, 2 * square),
    )


def _upper_limit(moments: ClassMoments, weighted: Any, z: float) -> FloatArray:
    """Greatest difference that is not rejected."""
    sums, weighted = _sums_of(moments), np.expand_dims(weighted, -1)
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


def _null_between(sums: ClassMoments, weighted: Any, z: float) -> Any:
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
        square = (ratio - 1) * rows_low
        linear = rows_low + ratio * rows_high - (ratio - 1) * hits
        root = np.sqrt(linear**2 + 4 * square * hits)
        low = _quadratic_share(square, linear, hits, root)
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
    return one_sided(math.exp(low), math.exp(high), alternative, RATIO)


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
