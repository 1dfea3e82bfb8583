"""Marginal models (GEE in closed form) of shares of clustered predictions.

With a parameter for each classifier and independence as the working correlation, the
estimating equations are solved by the observed shares, and their sandwich by sums over
clusters of products. No iteration is needed, and no table with one row per prediction.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from skcompare._core.validation import check_choice
from skcompare._typing import FloatArray
from skcompare.evidence import ClassMoments, ClusterSums, OutcomeRows
from skcompare.stats.core._limits import one_sided, one_sided_ratio
from skcompare.stats.core._target_class import (
    FEW_CLUSTERS,
    FEW_INFORMATIVE,
    NO_PREDICTIONS,
    class_label,
)
from skcompare.stats.core._wald import ZERO_VARIANCE
from skcompare.stats.precision._precision_statistics import (
    contrast_variance,
    has_predictions,
    pooled_share,
    predicted_alike,
)

LINKS = ("identity", "logit", "log")
CORRECTIONS = ("none", "small-sample", "mancl-derouen")

BOUNDARY = "share-of-0-or-1"
ONE_CLUSTER = "one-cluster"


class ClassFit(NamedTuple):
    """Moments of the predictions of one class, for marginal models.

    Attributes
    ----------
    label : object
        The class.
    raw : ClassMoments
        Sums over the clusters.
    moments : ClassMoments
        The same sums, with the products corrected for few clusters.
    n_clusters : int
        Clusters with a prediction that counts.
    """

    label: Any
    raw: ClassMoments
    moments: ClassMoments
    n_clusters: int

    @property
    def alike(self) -> bool:
        """Whether both classifiers have the same rows and hits in every cluster."""
        return bool(predicted_alike(self.raw))

    @property
    def known(self) -> bool:
        """Whether the scores of all classifiers are defined."""
        return bool(has_predictions(self.raw))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Flags that do not depend on the test."""
        few = self.n_clusters < FEW_INFORMATIVE
        return (NO_PREDICTIONS,) * (not self.known) + (FEW_CLUSTERS,) * few


def check_two_classifiers(sums: ClusterSums, test: str) -> None:
    """Check that there are two classifiers."""
    if sums.n_classifiers != 2:
        raise ValueError(
            f"{test} compares two classifiers. Got {sums.n_classifiers}: "
            f"{', '.join(sums.names)}. Use precision_several and pairwise_precision for "
            "more, or make sums of two of them."
        )


def class_fit(
    sums: ClusterSums, label: Any = None, score: str = "precision", correction: str = "none"
) -> ClassFit:
    """Return the moments of one class, the default class if `label` is None."""
    check_choice("correction", correction, CORRECTIONS)
    rows = sums.class_rows()
    label = class_label(sums.classes, label)
    moments = rows.moments(score, label)
    outcomes = rows.of_class(label, score)
    n_clusters = informative_clusters(outcomes)
    corrected = corrected_moments(moments, outcomes, n_clusters, correction)
    return ClassFit(label, moments, corrected, n_clusters)


def informative_clusters(outcomes: OutcomeRows, chosen: Any = slice(None)) -> int:
    """Number of clusters that enter the score of any chosen classifier."""
    counts = (outcomes.rows[:, chosen] > 0).any(axis=1)
    return int(outcomes.weights[counts].sum())


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
    k = first.shape[1]
    pairs = [
        [float(np.sum(weights * first[:, i] * second[:, j])) for j in range(k)]
        for i in range(k)
    ]
    return np.array(pairs)


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
        slopes = 1 / (shares * (1 - shares)) if link == "logit" else 1 / shares
    return values, np.where(np.isfinite(values), slopes, np.nan)


def joint_covariance(
    moments: ClassMoments, link: str, at: FloatArray | None = None
) -> FloatArray:
    """Sandwich covariance of the parameters of all classifiers.

    ``U'U``, where U has one row per cluster and one column per classifier: the sum of the
    residuals of its predictions, times the slope over their number [1]_.

    References
    ----------
    .. [1] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    """
    slopes = link_values(moments, link)[1]
    covariance = moments.covariance(at)
    return slopes[..., :, np.newaxis] * slopes[..., np.newaxis, :] * covariance


def undecided(fit: ClassFit, root: float) -> tuple[str, ...]:
    """Flags for an undefined p-value; empty if the p-value is defined."""
    if not fit.known:
        return ()  # Flagged "no-predictions".
    if np.isinf(root):
        return (ZERO_VARIANCE,)
    if not np.isnan(root):
        return ()
    finite = np.isfinite(fit.moments.covariance()).all()
    return (BOUNDARY if finite else ONE_CLUSTER,)


FARTHEST = 80.0
"""Logarithm of a ratio beyond which scores no longer change."""

POINTS = 512
"""Number of grid points up to there at which the score is computed."""

NEAREST = 1e-9
"""Smallest distance of a grid point, in standard errors."""

PRECISION = 1e-14
"""Absolute precision of the logarithm of a limit."""


def restricted_shares(moments: ClassMoments, link: str, logarithm: Any) -> FloatArray:
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
    at = restricted_shares(moments, link, logarithm)
    parts = {name: getattr(moments, name)[np.newaxis] for name in ("rows", "hits")}
    parts |= {name: getattr(moments, name)[np.newaxis] for name in ("rr", "rh", "hh")}
    stacked = replace(moments, **parts)
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
    value = _logarithm(estimate)
    high = _upper_limit(moments, link, value, z)
    low = -_upper_limit(_exchanged(moments), link, -value, z)
    return one_sided_ratio(_exponential(low), _exponential(high), alternative)


def _upper_limit(moments: ClassMoments, link: str, observed: float, z: float) -> float:
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
    steps = np.geomspace(NEAREST, FARTHEST, POINTS)
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


def _exchanged(moments: ClassMoments) -> ClassMoments:
    return ClassMoments(
        moments.rows[::-1],
        moments.hits[::-1],
        *(part[::-1, ::-1] for part in (moments.rr, moments.rh, moments.hh)),
    )


def _logarithm(ratio: float) -> float:
    return math.log(ratio) if ratio > 0 else -math.inf


def _exponential(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


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
    unseen = _unseen(moments, n_clusters, z)
    if unseen is None:
        shares = moments.shares
        quadratic = Quadratic(float(shares[1] - shares[0]), *_polynomial(moments))
        variance = contrast_variance(moments, shares, np.ones(2), moments.covariance())
        if variance == 0 == quadratic.estimate:
            # The observed difference is 0, which is then always inside.
            z = max(z, 0.0)
        low, high = _lower_root(quadratic, z), -_lower_root(quadratic.mirrored(), z)
        if variance == 0 and z * z * quadratic.square < 1:
            # Both roots are the estimate; rounding would lose half of its digits.
            low = high = quadratic.estimate
    else:
        low, high = unseen
    return one_sided(low, high, alternative)


class Quadratic(NamedTuple):
    """Difference, and the variance of its score: constant + linear d + square d²."""

    estimate: float
    constant: float
    linear: float
    square: float

    def mirrored(self) -> "Quadratic":
        """Return the quadratic with the roles exchanged."""
        return self._replace(estimate=-self.estimate, linear=-self.linear)


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


def _unseen(moments: ClassMoments, n: int, z: float) -> tuple[float, float] | None:
    """Limits where predictions are equal, all correct or all incorrect; otherwise None."""
    pooled = float(pooled_share(moments))
    if not predicted_alike(moments) and 0 < pooled < 1:
        return None
    champion, challenger = (min(int(rows), n) for rows in moments.rows)
    # If all are correct, the challenger can only be worse by its own predictions, and
    # better by the champion's; if all are incorrect it is the other way round.
    worse, better = (champion, challenger) if pooled == 0 else (challenger, champion)
    square = max(0.0, z) ** 2
    if math.isinf(square):
        return -1.0, 1.0
    return -square / (worse + square), square / (better + square)


def _lower_root(at: Quadratic, z: float) -> float:
    """Least difference with a signed root of at most z, next to the estimate.

    It solves (1 - z² w) d² - 2 (D + z² v / 2) d + D² - z² u = 0, for the estimate D and the
    variance u + v d + w d².
    """
    if z < 0:
        return -_lower_root(at.mirrored(), -z)
    if math.isinf(z):
        return -1.0
    square = z * z
    a = 1 - square * at.square
    half = at.estimate + square * at.linear / 2
    c = at.estimate**2 - square * at.constant
    root = math.sqrt(max(0.0, half * half - a * c))
    if a > 0:
        # The form without cancellation, so that a limit beside 0 keeps its digits.
        return c / (half + root) if half > 0 else (half - root) / a
    numerator = half + math.copysign(root, half)
    if root == 0 or numerator == 0:
        return -1.0
    # Few clusters for the level: the rejected differences lie between two roots. Those
    # beyond them are kept only if 0 is among them, so that limits and p-value agree.
    ends = [c / numerator] if a == 0 else sorted((c / numerator, numerator / a))
    if ends[-1] > at.estimate or (a < 0 and ends[0] >= 0):
        return -1.0
    return ends[-1]
