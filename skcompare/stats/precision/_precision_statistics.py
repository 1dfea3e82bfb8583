"""Statistics of two shares of clustered predictions, for any number of classes at once.

All functions of moments take those of two classifiers, champion first; the leading axes of
the moments, if there are any, are classes, and so are those of all results. Undefined
values are NaN, and nothing warns.

The Wald statistics are those of marginal models, GEE in closed form. With a parameter for
each classifier and independence as the working correlation, the estimating equations are
solved by the observed shares, and their sandwich by sums over clusters of products. No
iteration is needed, and no table with one row per prediction.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from skcompare._typing import FloatArray
from skcompare.evidence import ClassMoments, ClusterSums, JointCounts, OutcomeRows
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
    moments: ClassMoments, champion: Any, challenger: Any, weighted: bool
) -> Contrast:
    """Contrast of the observed shares with given ones, which residuals are taken from.

    Parameters
    ----------
    moments : ClassMoments
        Moments of two classifiers.
    champion, challenger : ndarray of shape (...)
        The given shares; their difference is taken from the observed one.
    weighted : bool
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
        term = p * (1 - p) * total if weighted else squares - linear + square
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


def joint_covariance(moments: ClassMoments, link: str) -> FloatArray:
    """Sandwich covariance of the parameters of all classifiers.

    ``U'U``, where U has one row per cluster and one column per classifier: the sum of the
    residuals of its predictions, times the slope over their number [1]_.

    References
    ----------
    .. [1] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    """
    slopes = link_values(moments, link)[1]
    return slopes[..., :, np.newaxis] * slopes[..., np.newaxis, :] * moments.covariance()


def ratio_of_shares(moments: ClassMoments, link: str) -> FloatArray:
    """Odds ratio or ratio of the scores, challenger over champion; NaN if undefined."""
    hits = moments.hits.astype(np.float64)
    others = moments.rows - hits if link == "logit" else moments.rows
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = hits[..., 1] * others[..., 0] / (hits[..., 0] * others[..., 1])
    same = predicted_alike(moments) & has_predictions(moments) & (link == "logit")
    return np.where(same, 1.0, ratio)
