"""Tests of two clustered precisions: their difference, ratio and odds ratio.

The models are marginal ones, GEE in closed form. With a parameter for each classifier and
independence as the working correlation, the estimating equations are solved by the observed
shares, and their sandwich by sums over clusters of products. No iteration is needed, and no
table with one row per prediction.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import ClassMoments, ClassScore, ClusterSums, OutcomeRows
from skcompare.stats.accuracy._limits import lower_root
from skcompare.stats.core._limits import DIFFERENCE, RATIO, Pair, one_sided, one_sided_ratio
from skcompare.stats.core._result import PairedResult, pvalue_of, result_of
from skcompare.stats.core._target_class import (
    BOUNDARY,
    FEW_CLUSTERS,
    FEW_INFORMATIVE,
    NO_PREDICTIONS,
    ONE_CLUSTER,
    SCORE_TEXT,
    class_label,
    class_text,
)
from skcompare.stats.core._wald import ZERO_VARIANCE, critical_value
from skcompare.stats.precision._precision_statistics import (
    Contrast,
    contrast_variance,
    generalized_score,
    has_predictions,
    log_odds_contrast,
    log_ratio_contrast,
    pooled_share,
    predicted_alike,
    share_contrast,
)

Method = Literal["score", "wald"]
Correction = Literal["none", "small-sample", "mancl-derouen"]


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

    def result(
        self,
        statistic: float,
        tail: tuple[float, float],
        *,
        effect: str,
        details: Mapping[str, float],
        **fields: Any,
    ) -> PairedResult:
        """Result of a test of the scores of two classifiers."""
        champion, challenger = self.raw.rows.tolist()
        predictions = {
            "champion_predictions": champion,
            "challenger_predictions": challenger,
        }
        return result_of(
            statistic,
            tail,
            roles=self.raw.shares.tolist(),
            estimate_name=f"{effect} of {SCORE_TEXT[self.score]}",
            details={**predictions, **details},
            remark=class_text(self.label),
            **fields,
        )


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
    rows = sums.class_rows()
    label = class_label(sums.classes, label)
    moments = rows.moments(score, label)
    outcomes = rows.of_class(label, score)
    n_clusters = informative_clusters(outcomes)
    corrected = corrected_moments(moments, outcomes, n_clusters, correction)
    return ClassFit(label, score, moments, corrected, n_clusters)


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


class ClassTest(NamedTuple):
    """Test of the scores of two classifiers on one scale.

    Attributes
    ----------
    fit : ClassFit
    link : {"identity", "logit", "log"}
        Difference, odds ratio or ratio.
    method : {"score", "wald"}
    estimate : float
        Challenger minus champion, or over champion.
    root : float
        Standard normal under the null hypothesis.
    error : float
        Standard error of the difference, or of the logarithm of the ratio.
    degenerate : bool
        Whether there is no difference and no variation.
    """

    fit: ClassFit
    link: str
    method: str
    estimate: float
    root: float
    error: float
    degenerate: bool

    @property
    def defined(self) -> bool:
        """Whether both the p-value and the estimate are defined."""
        has_pvalue = self.degenerate or math.isfinite(self.root)
        return has_pvalue and self.fit.known and not math.isnan(self.estimate)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Flags for a degenerate test or an undefined p-value; empty for others."""
        if self.degenerate:
            return ("degenerate",)
        if not self.fit.known:
            return ()  # Flagged "no-predictions".
        if np.isinf(self.root):
            return (ZERO_VARIANCE,)
        if not np.isnan(self.root):
            return ()
        finite = np.isfinite(self.fit.moments.covariance()).all()
        return (BOUNDARY if finite and self.link != "identity" else ONE_CLUSTER,)

    @property
    def flags(self) -> tuple[str, ...]:
        """All flags."""
        return self.undecided + self.fit.caveats

    def limits(self, critical: float, alternative: str) -> Pair:
        """Limits at a critical value; the whole range where the test is undefined."""
        bounds = DIFFERENCE if self.link == "identity" else RATIO
        if not self.defined:
            return bounds
        fit = self.fit
        moments = fit.raw if self.degenerate else fit.moments
        if self.method == "score" and self.link == "identity":
            return difference_score_limits(moments, fit.n_clusters, critical, alternative)
        if self.degenerate:
            return one_sided(self.estimate, self.estimate, alternative, bounds)
        if self.method == "score":
            return ratio_score_limits(
                moments, self.link, self.estimate, critical, alternative
            )
        reach = critical * self.error
        if self.link == "identity":
            low, high = self.estimate - reach, self.estimate + reach
        else:
            # A huge standard error gives limits beyond the largest double.
            with np.errstate(over="ignore"):
                low, high = (float(self.estimate * np.exp(by)) for by in (-reach, reach))
        return one_sided(low, high, alternative, bounds)


def class_test(fit: ClassFit, link: str, method: str) -> ClassTest:
    """Test the scores of two classifiers on a scale, with normal reference."""
    plain = corrected = _contrast(fit.raw, link, method)
    if fit.moments is not fit.raw:
        corrected = _contrast(fit.moments, link, method)
    no_variation = float(plain.root) == 0 and not float(plain.variance) > 0
    degenerate = fit.alike or no_variation
    champion, challenger = fit.raw.shares.tolist()
    if link != "identity":
        estimate = ratio_of_shares(fit, link)
    else:
        estimate = 0.0 if degenerate else challenger - champion
    if degenerate:
        return ClassTest(fit, link, method, estimate, 0.0, 0.0, True)
    variance = float(corrected.variance)
    error = math.sqrt(variance) if variance >= 0 else math.nan
    return ClassTest(fit, link, method, estimate, float(corrected.root), error, False)


def _contrast(moments: ClassMoments, link: str, method: str) -> Contrast:
    if method == "score":
        return generalized_score(moments)
    if link == "identity":
        return share_contrast(moments)
    # A share of 0 has no finite logarithm, and the contrast is undefined.
    with np.errstate(divide="ignore", invalid="ignore"):
        return (log_odds_contrast if link == "logit" else log_ratio_contrast)(moments)


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
    low = -_upper_limit(moments.swap(), link, -value, z)
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
    else:
        low, high = unseen
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


Distribution = Literal["t", "normal"]

ROUNDING = 1e-12
"""Relative tolerance at which a score equals its greatest value."""


@paired_test(
    "clustered_precision",
    title="Score test of precision for grouped records",
    measures="precision",
    designs=("grouped holdout",),
    references=("Leisenring2000", "LiangZeger1986", "ManclDeRouen2001", "Guo2005"),
)
def clustered_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    method: Method = "score",
    correction: Correction = "none",
    distribution: Distribution = "t",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two precisions on one test set whose records come in groups.

    The null hypothesis is that predictions that name the class are right as often for both
    trained classifiers, over the records of new groups. Records of one group may depend on
    each other in any way; groups are independent, and say themselves how much their sums
    vary: the marginal model with identity link and independence as working correlation.

    Parameters
    ----------
    sums : ClusterSums
        Predictions of two classifiers by group. Without groups every record is one, and the
        test, requested by name, is flagged "invalid-design"; for a plain hold-out use
        :func:`~skcompare.stats.precision_score`, the same score.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    method : {"score", "wald"}, default="score"
        The generalized score test [1]_, with residuals from the share of all predictions of
        both, or Wald's, with residuals from the share of each classifier [2]_.
    correction : {"none", "small-sample", "mancl-derouen"}, default="none"
        Correction of the variance for few groups: none; a factor N / (N - 1), of N groups
        with a prediction that counts [4]_; or residuals of a group over 1 minus its share
        of the predictions of the classifier [3]_.
    distribution : {"t", "normal"}, default="t"
        Reference distribution: Student's t with N - 1 degrees of freedom, or the normal
        distribution.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is precision(challenger) - precision(champion), over all predictions that
        count. `details` has their numbers, and `n_clusters`, the N above.

    Raises
    ------
    ValueError
        If there are not two classifiers, or no such class.

    Notes
    -----
    With the residuals e of a group over all predictions of the classifier, the variance is
    the sum over the groups of (e2 - e1)². For residuals from a common share the root S of
    the score test is at most √N, and S √((N - 1) / (N - S²)), which takes the mean out of
    the variance, is compared with t. The interval holds the differences that the test does
    not reject; for "score" with shares that have this difference and solve the estimating
    equation of their common level.

    For two equally precise classifiers, and groups of equal or unequal size whose records
    are correlated or not, ``benchmarks/validity/precision/precision_groups.py`` prints how
    often a level of 0.05 rejects. These are the means of its 8 designs, of 4,000 data sets
    each, and in brackets the greatest of them:

    ======================= =========== =========== =========== ===========
    groups                  10          20          50          100
    ======================= =========== =========== =========== ===========
    score, t                .042 (.053) .052 (.062) .051 (.055) .051 (.057)
    score, normal           .028 (.043) .046 (.058) .049 (.054) .050 (.056)
    wald, mancl-derouen, t  .051 (.067) .051 (.062) .050 (.059) .050 (.060)
    ======================= =========== =========== =========== ===========

    The bound of "score" makes it reject less with "normal" where groups are few. The
    corrections are meant for "wald"; N / (N - 1) lowers a score that is not too large.

    Fewer than 40 groups with a prediction that counts are flagged
    "few-informative-clusters". A classifier without one is flagged "no-predictions"; p is
    undefined then, and the interval from -1 to 1. Without difference and variance, as where
    all predictions are correct, the statistic is 0 and p is 1, flagged "degenerate". A
    difference without variance is flagged "zero-variance". Where a correction or a t
    distribution leaves no degree of freedom, because all predictions of a classifier are in
    one group, p is undefined, flagged "one-cluster".

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    .. [3] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.
    .. [4] Guo, X., Pan, W., Connett, J. E., Hannan, P. J. and French, S. A. (2005).
       "Small-sample performance of the robust score test and its modifications in
       generalized estimating equations." Statistics in Medicine 24(22), 3479-3495.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import clustered_precision
    >>> rng = np.random.default_rng(0)
    >>> patients = np.repeat(np.arange(60), 4)
    >>> y = rng.integers(2, size=240)
    >>> champion, challenger = (
    ...     np.where(rng.random(240) < accuracy, y, 1 - y) for accuracy in (0.7, 0.85)
    ... )
    >>> sums = ClusterSums.from_predictions(y, champion, challenger, groups=patients)
    >>> result = clustered_precision(sums)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.2g}")
    0.200, p = 7.1e-07
    """
    check_two_classifiers(sums, "clustered_precision")
    fit = class_fit(sums, label, score, correction)
    test = class_test(fit, "identity", method)
    df = float(max(1, fit.n_clusters - 1)) if distribution == "t" else None
    if df is not None and not test.degenerate:
        test = test._replace(root=_root_for_t(test))
    return fit.result(
        test.root,
        pvalue_of(test.root, df, alternative, degenerate=test.degenerate),
        df=df,
        estimate=test.estimate,
        effect="difference",
        method=method,
        limits=partial(_difference_limits, test, df),
        flags=test.flags,
        details={"n_clusters": fit.n_clusters},
    )


def _root_for_t(test: ClassTest) -> float:
    """Statistic of a difference for Student's t; NaN if one cluster has all predictions."""
    root, n_clusters = test.root, test.fit.n_clusters
    if n_clusters < 2 and test.fit.known:
        return math.nan
    if test.method == "wald" or math.isnan(root):
        return root
    # The mean is taken out of the variance.
    remainder = n_clusters - root**2
    bounded = remainder <= ROUNDING * n_clusters
    factor = math.inf if bounded else math.sqrt((n_clusters - 1) / remainder)
    return root * factor if root else 0.0


def _difference_limits(
    test: ClassTest, df: float | None, confidence_level: float, alternative: str
) -> Pair:
    """Limits of the differences that the test does not reject."""
    critical = critical_value(confidence_level, alternative, df)
    if test.method == "score" and df is not None and math.isfinite(critical):
        # The critical value of the statistic that has the mean in its variance.
        critical *= math.sqrt(test.fit.n_clusters / (df + critical**2))
    return test.limits(critical, alternative)


RatioLink = Literal["logit", "log"]
RATIO_NAMES = {"logit": "odds ratio", "log": "ratio"}


@paired_test(
    "gee_precision",
    title="Marginal logistic model (GEE) of precision",
    kind="ratio",
    measures="precision",
    designs=("holdout", "grouped holdout"),
    references=(
        "Leisenring2000",
        "LiangZeger1986",
        "MoskowitzPepe2006",
        "ManclDeRouen2001",
        "Guo2005",
    ),
)
def gee_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    link: RatioLink = "logit",
    method: Method = "wald",
    correction: Correction = "none",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """How many times the odds of the champion's being right are the challenger's?

    The null hypothesis is that predictions that name the class are right as often for both
    classifiers [1]_. The model is ``logit P = a + b [challenger]`` for the predictions that
    name the class, fitted by generalized estimating equations with independence as working
    correlation; predictions of one cluster may depend on each other in any way, and the
    sandwich covariance allows for it [2]_. Here it is computed in closed form.

    Parameters
    ----------
    sums : ClusterSums
        Predictions of two classifiers, cluster by cluster.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    link : {"logit", "log"}, default="logit"
        "logit" estimates the odds ratio ``exp(b)``, "log" the ratio of the precisions
        [3]_.
    method : {"wald", "score"}, default="wald"
        Wald's test of b, or the generalized score test, which needs no logarithm of a
        precision and so holds where one is 0 or 1. Its p-value is the same for both links.
    correction : {"none", "small-sample", "mancl-derouen"}, default="none"
        Correction of the sandwich for few clusters: none; a factor N / (N - 1), of N
        clusters with a prediction that counts [5]_; or residuals of a cluster over 1 minus
        its share of the predictions of the classifier [4]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is challenger over champion, `statistic` standard normal under the null
        hypothesis. `details` has the numbers of predictions and clusters, and for "wald"
        the standard error of the logarithm.

    Raises
    ------
    ValueError
        If there are not two classifiers, or no such class.

    Notes
    -----
    The clusters depend on the sums: groups of records; records with all their predictions,
    where they have more than one; otherwise records. Requested by name, the test runs on
    predictions of cross-validation, flagged "invalid-design". Clusters then make sure that
    a record that is predicted in ten repetitions does not count as ten. They do not account
    for classifiers of different folds being trained on shared records, nor for those of one
    fold predicting all its records: the conclusion is about these fitted models, and a test
    of learning algorithms needs a design made for it, such as 5x2 block-regularised
    cross-validation.

    An odds ratio is no ratio of probabilities: precisions of 0.8 and 0.9 have an odds ratio
    of 2.25 and a ratio of 1.125.

    The interval of "score" holds the ratios that the test does not reject. Its restricted
    precisions solve the estimating equation of the common level, for "log" with the working
    variance of counts. With few clusters use it, or a correction: of two equally precise
    classifiers "wald" rejects 13 % at a level of 5 % with 10 groups, 10 % with 20 and 6 %
    with 100, "mancl-derouen" 6 % with each of these, and "score" 3, 5 and 5 % (means of the
    designs that ``benchmarks/validity/precision/precision_groups.py`` prints; the p-value
    of "score" is that of :func:`~skcompare.stats.clustered_precision` with "normal").

    A classifier without predictions that count is flagged "no-predictions", and with
    precision 0 or 1 under "wald" "share-of-0-or-1"; p is undefined then, and the interval
    from 0 to infinity. Two classifiers with the same predictions have p = 1, flagged
    "degenerate", as have those without an error in a score test. Fewer than 40 clusters
    with a prediction that counts are flagged "few-informative-clusters", and a correction
    where all predictions of a classifier are in one cluster "one-cluster".

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    .. [3] Moskowitz, C. S. and Pepe, M. S. (2006). "Comparing the predictive values of
       diagnostic tests: sample size and analysis for paired study designs." Clinical
       Trials 3(3), 272-279.
    .. [4] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.
    .. [5] Guo, X., Pan, W., Connett, J. E., Hannan, P. J. and French, S. A. (2005).
       "Small-sample performance of the robust score test and its modifications in
       generalized estimating equations." Statistics in Medicine 24(22), 3479-3495.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import gee_precision
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> repeats = [
    ...     [np.where(rng.random(200) < accuracy, y, 1 - y) for accuracy in (0.75, 0.85)]
    ...     for _ in range(3)
    ... ]
    >>> sums = ClusterSums.from_repeats(y, repeats)
    >>> result = gee_precision(sums)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.2g}")
    2.211, p = 2.7e-05
    >>> result.flags
    ('invalid-design',)
    """
    check_two_classifiers(sums, "gee_precision")
    fit = class_fit(sums, label, score, correction)
    test = class_test(fit, link, method)
    details: dict[str, float] = {"n_clusters": fit.n_clusters}
    if method == "wald" and test.defined and not test.degenerate:
        details["standard_error"] = test.error
    return fit.result(
        test.root,
        pvalue_of(test.root, None, alternative, degenerate=test.degenerate),
        estimate=test.estimate,
        effect=RATIO_NAMES[link],
        method=method,
        null_value=1.0,
        limits=partial(_ratio_limits, test),
        flags=test.flags,
        details=details,
    )


def ratio_of_shares(fit: ClassFit, link: str) -> float:
    """Odds ratio or ratio of the scores, challenger over champion; NaN if undefined."""
    if not fit.known:
        return math.nan
    (champion_hits, challenger_hits), (champion_rows, challenger_rows) = (
        fit.raw.hits.tolist(),
        fit.raw.rows.tolist(),
    )
    if fit.alike and (link == "logit" or champion_hits):
        return 1.0
    if link == "logit":
        numerator, denominator = (
            challenger_hits * (champion_rows - champion_hits),
            champion_hits * (challenger_rows - challenger_hits),
        )
    else:
        numerator, denominator = (
            challenger_hits * champion_rows,
            champion_hits * challenger_rows,
        )
    if denominator == 0:
        return math.inf if numerator else math.nan
    return numerator / denominator


def _ratio_limits(test: ClassTest, confidence_level: float, alternative: str) -> Pair:
    return test.limits(critical_value(confidence_level, alternative), alternative)
