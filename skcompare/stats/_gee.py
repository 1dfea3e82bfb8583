"""Marginal models of shares of clustered answers: GEE in closed form.

With a parameter for each classifier and independence as the working correlation, the
estimating equations are solved by the observed shares, and their sandwich by sums over
clusters of products. No iteration is needed, and no row an answer.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from skcompare._core.validation import check_choice
from skcompare._typing import FloatArray
from skcompare.evidence import ClusterSums
from skcompare.evidence._class_rows import ClassMoments, OutcomeRows
from skcompare.stats._class_label import (
    FEW_CLUSTERS,
    FEW_INFORMATIVE,
    NO_ANSWERS,
    class_label,
)
from skcompare.stats._precision_statistics import answered_alike, has_answers
from skcompare.stats._relative_accuracy import ZERO_VARIANCE

LINKS = ("identity", "logit", "log")
CORRECTIONS = ("none", "small-sample", "mancl-derouen")

BOUNDARY = "share-of-0-or-1"
ONE_CLUSTER = "one-cluster"


class ClassFit(NamedTuple):
    """The answers to one class, ready for marginal models.

    Attributes
    ----------
    label : object
        The class.
    raw : ClassMoments
        Sums over the clusters.
    moments : ClassMoments
        The same, with what the correction of the sandwich makes of the products.
    n_clusters : int
        Clusters with an answer that counts.
    """

    label: Any
    raw: ClassMoments
    moments: ClassMoments
    n_clusters: int

    @property
    def alike(self) -> bool:
        """Whether two classifiers have the same answers that count in every cluster."""
        return bool(answered_alike(self.raw))

    @property
    def known(self) -> bool:
        """Whether every classifier has an answer that counts."""
        return bool(has_answers(self.raw))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Flags of what is known beforehand."""
        few = self.n_clusters < FEW_INFORMATIVE
        return (NO_ANSWERS,) * (not self.known) + (FEW_CLUSTERS,) * few


def check_two_classifiers(sums: ClusterSums, test: str) -> None:
    """Refuse answers of three and more classifiers."""
    if sums.n_classifiers != 2:
        raise ValueError(
            f"{test} compares two classifiers. Got {sums.n_classifiers}: "
            f"{', '.join(sums.names)}. Use precision_several and pairwise_precision for "
            "more, or make sums of two of them."
        )


def class_fit(
    sums: ClusterSums, label: Any = None, score: str = "precision", correction: str = "none"
) -> ClassFit:
    """The answers to one class; the default one where `label` is None."""
    check_choice("correction", correction, CORRECTIONS)
    rows = sums.class_rows()
    label = class_label(sums.classes, label)
    moments = rows.moments(score, label)
    outcomes = rows.of_class(label, score)
    n_clusters = informative_clusters(outcomes)
    corrected = corrected_moments(moments, outcomes, n_clusters, correction)
    return ClassFit(label, moments, corrected, n_clusters)


def informative_clusters(outcomes: OutcomeRows, chosen: Any = slice(None)) -> int:
    """Clusters with an answer of one of the chosen classifiers that counts."""
    counts = (outcomes.rows[:, chosen] > 0).any(axis=1)
    return int(outcomes.weights[counts].sum())


def corrected_moments(
    moments: ClassMoments, outcomes: OutcomeRows, n_clusters: int, correction: str
) -> ClassMoments:
    """Moments of which a sandwich comes out corrected for few clusters.

    "small-sample" multiplies it by N / (N - 1), of N clusters. "mancl-derouen" divides the
    residuals of a cluster, for each classifier, by 1 less its part of the answers that
    count [1]_: the leverage of the cluster in a model with a share for each classifier.

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
        left = moments.rows - outcomes.rows
        # A cluster that holds all answers has no residual, and leaves none to learn from.
        left = np.where((left > 0) | (outcomes.rows == 0), left, np.nan)
        scale = moments.rows / np.where(outcomes.rows > 0, left, 1)
        rows, hits = scale * outcomes.rows, scale * outcomes.hits
        weights = outcomes.weights
        products = [_products(weights, *pair) for pair in ((rows, rows), (rows, hits))]
        products.append(_products(weights, hits, hits))
    return replace(moments, rr=products[0], rh=products[1], hh=products[2])


def _products(weights: Any, first: FloatArray, second: FloatArray) -> FloatArray:
    """Sums of products over clusters; numpy's sums, so that equal columns agree exactly."""
    k = first.shape[1]
    pairs = [
        [float(np.sum(weights * first[:, i] * second[:, j])) for j in range(k)]
        for i in range(k)
    ]
    return np.array(pairs)


def link_values(moments: ClassMoments, link: str) -> tuple[FloatArray, FloatArray]:
    """Parameters of the marginal model on its scale, and their slopes in the shares.

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

    ``U'U``, where U has a row a cluster and a column a classifier: the sum of the residuals
    of its answers, times the slope over their number [1]_.

    References
    ----------
    .. [1] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    """
    slopes = link_values(moments, link)[1]
    covariance = moments.covariance(at)
    return slopes[..., :, np.newaxis] * slopes[..., np.newaxis, :] * covariance


def undecided(fit: ClassFit, root: float) -> tuple[str, ...]:
    """Why there is no p-value; nothing where there is one."""
    if not fit.known:
        return ()  # "no-answers" says so.
    if np.isinf(root):
        return (ZERO_VARIANCE,)
    if not np.isnan(root):
        return ()
    known = np.isfinite(fit.moments.covariance()).all()
    return (BOUNDARY if known else ONE_CLUSTER,)
