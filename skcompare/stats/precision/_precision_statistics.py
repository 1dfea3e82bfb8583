"""Statistics of two shares of clustered answers, for any number of classes at once.

All functions take the moments of two classifiers, champion first; the leading axes of the
moments, if there are any, are classes, and so are those of all results. What is undefined
is NaN, and nothing warns.
"""

from typing import Any, NamedTuple

import numpy as np

from skcompare._typing import FloatArray
from skcompare.evidence import ClassMoments

NOISE = 64 * float(np.finfo(float).eps)
"""Below this part of the terms that it balances, a variance is 0 but for rounding."""


class Contrast(NamedTuple):
    """Two shares compared on some scale; positive favours the challenger.

    Attributes
    ----------
    estimate : ndarray
        Challenger less champion.
    variance : ndarray
        Of the estimate, as the test has it.
    root : ndarray
        Signed root of the chi-squared statistic with one degree of freedom, normal under
        the null hypothesis. 0 where there is no difference and no variance, infinite for
        a difference without variance, NaN where it is undefined.
    """

    estimate: FloatArray
    variance: FloatArray
    root: FloatArray

    @property
    def statistic(self) -> FloatArray:
        """Chi-squared with one degree of freedom."""
        return np.square(self.root)


def share_contrast(moments: ClassMoments, covariance: Any = None) -> Contrast:
    """Wald contrast of the shares themselves: Kosinski (2013), of multinomial counts.

    Equation (32) of Gondara: ``(P2 - P1)² / (Var P1 + Var P2 - 2 Cov)`` with the variances
    at the observed shares. 0 where both shares are 0 or both 1; a difference of 1 has no
    variance, and its root is infinite.

    Parameters
    ----------
    moments : ClassMoments
        Of two classifiers.
    covariance : ndarray of shape (..., 2, 2), optional
        Of the shares, such as :func:`mancl_derouen` gives; by default that of the moments.
    """
    return _wald(moments, moments.shares, np.ones_like(moments.shares), covariance)


def log_odds_contrast(moments: ClassMoments, covariance: Any = None) -> Contrast:
    """Wald contrast of the log odds: marginal logistic GEE with independent working model.

    The model has a parameter for each classifier, so that its fit is ``logit P`` and its
    sandwich has a closed form (Leisenring, Alonzo and Pepe 2000). The denominator is
    equation (8) of Gondara with the variances at their own numbers of answers: v2 / T1 + v1
    / T2. Undefined where a share is 0 or 1, unless the classifiers answer alike.

    Parameters
    ----------
    moments, covariance
        As of :func:`share_contrast`.
    """
    hits, misses = moments.hits, moments.rows - moments.hits
    inside = (hits > 0) & (misses > 0)
    odds = np.where(inside, hits / np.where(inside, misses, 1), np.nan)
    return _wald(moments, np.log(odds), (1 + odds) ** 2 / odds, covariance)


def log_ratio_contrast(moments: ClassMoments, covariance: Any = None) -> Contrast:
    """Wald contrast of the logarithms of the shares: Moskowitz and Pepe (2006).

    The variance is the sum over clusters of ``(e2 / P2 - e1 / P1)²`` with the residuals
    ``e = (hits - P rows) / T``: for records equation (18) of Gondara in counts, not divided
    by their number. Where one share is 0 the logarithm is infinite and the root undefined;
    where both are, the estimate is undefined, and the root is 0.

    Parameters
    ----------
    moments, covariance
        As of :func:`share_contrast`.
    """
    shares = moments.shares
    positive = np.where(shares > 0, shares, np.nan)
    found = _wald(moments, np.log(positive), 1 / positive, covariance)
    first, second = shares[..., 0], shares[..., 1]
    beyond = np.select(
        [(first == 0) & (second > 0), (first > 0) & (second == 0)],
        [np.inf, -np.inf],
        found.estimate,
    )
    neither = (first == 0) & (second == 0)
    return Contrast(
        np.where(neither, np.nan, beyond),
        np.where(neither, np.nan, found.variance),
        np.where(neither, 0.0, found.root),
    )


def generalized_score(moments: ClassMoments) -> Contrast:
    """Generalized score: Leisenring, Alonzo and Pepe (2000), equation (9) of Gondara.

    ``(P2 - P1)²`` over the sum over clusters of ``(e2 - e1)²``, with residuals ``e = (hits
    - Pbar rows) / T`` at the share Pbar of all answers of both. For scores whose answers
    are those to the same records (recall, specificity) it is McNemar's statistic.
    """
    pooled = pooled_share(moments)
    return _score(moments, pooled, _covariance(moments, pooled))


def weighted_generalized_score(moments: ClassMoments) -> Contrast:
    """Weighted generalized score: Kosinski (2013).

    As :func:`generalized_score`, but with the variances ``Pbar (1 - Pbar) / T`` of
    independent answers; only their covariance is a sum over clusters. For two sets of
    answers to different records it is Pearson's chi-squared. Where clusters hold several
    answers of one classifier, their dependence is left out; use the generalized score.
    """
    pooled = pooled_share(moments)
    covariance = _covariance(moments, pooled)
    spread = (pooled * (1 - pooled))[..., np.newaxis] / _totals(moments)
    for k in range(2):
        covariance[..., k, k] = spread[..., k]
    return _score(moments, pooled, covariance)


def both_scores(moments: ClassMoments, alternative: str = "two-sided") -> Contrast:
    """The generalized score or the weighted one, whichever has the greater p-value.

    The first has a small variance where the outcome is rare among the answers of one
    classifier, the second where nearly all answers are shared, so that each rejects too
    often where the other does not. The larger variance has the greater p-value, but for a
    one-sided alternative that the difference goes against.

    Parameters
    ----------
    moments : ClassMoments
        Of two classifiers.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What the p-value is of.
    """
    plain, weighted = generalized_score(moments), weighted_generalized_score(moments)
    towards = {"less": -plain.estimate, "greater": plain.estimate}
    against = towards[alternative] < 0 if alternative in towards else False
    taken = (plain.variance > weighted.variance) ^ against
    variance = np.where(taken, plain.variance, weighted.variance)
    return Contrast(plain.estimate, variance, np.where(taken, plain.root, weighted.root))


def mancl_derouen(moments: ClassMoments, at: Any = None) -> FloatArray:
    """Covariance of the shares with Mancl and DeRouen's (2001) correction.

    Valid where every cluster is a record that each classifier answers once: the leverage
    of an answer is then 1 / T, and residuals are divided by 1 - 1 / T. NaN for a classifier
    with one answer that counts.

    Parameters
    ----------
    moments : ClassMoments
        Of any number of classifiers.
    at : ndarray of shape (..., n_classifiers), optional
        The shares that residuals are taken from; the observed ones by default.
    """
    left = 1 - 1 / _totals(moments)
    left = np.where(left > 0, left, np.nan)
    factors = left[..., :, np.newaxis] * left[..., np.newaxis, :]
    return moments.covariance(at) / factors


def pooled_share(moments: ClassMoments) -> FloatArray:
    """The share of all answers of both classifiers; NaN without answers."""
    total = moments.rows.sum(axis=-1)
    hits = moments.hits.sum(axis=-1)
    return np.where(total > 0, hits / np.where(total > 0, total, 1), np.nan)


def has_answers(moments: ClassMoments) -> Any:
    """Whether every classifier has an answer that counts."""
    return (moments.rows > 0).all(axis=-1)


def answered_alike(moments: ClassMoments) -> Any:
    """Whether two classifiers have the same rows and the same hits in every cluster."""
    return (_apart(moments.rr) == 0) & (_apart(moments.hh) == 0)


def contrast_variance(
    moments: ClassMoments, at: FloatArray, slopes: FloatArray, covariance: FloatArray
) -> FloatArray:
    """Variance of the second less the first of two functions of the shares.

    Parameters
    ----------
    moments : ClassMoments
        Of two classifiers.
    at : ndarray of shape (..., 2)
        The shares that residuals were taken from.
    slopes : ndarray of shape (..., 2)
        Derivatives of the functions there.
    covariance : ndarray of shape (..., 2, 2)
        Of the shares.

    Returns
    -------
    variance : ndarray of shape (...)
        0 where rounding alone could have made it; NaN where it is undefined.
    """
    first, second = slopes[..., 0], slopes[..., 1]
    variance = (
        first**2 * covariance[..., 0, 0]
        + second**2 * covariance[..., 1, 1]
        - 2 * first * second * covariance[..., 0, 1]
    )
    hh, rh, rr = (
        np.diagonal(part, axis1=-2, axis2=-1)
        for part in (moments.hh, moments.rh, moments.rr)
    )
    size = (hh + 2 * at * rh + at**2 * rr) * (slopes / _totals(moments)) ** 2
    return np.where(variance <= NOISE * size.sum(axis=-1), 0.0, variance)


def _wald(
    moments: ClassMoments, values: FloatArray, slopes: FloatArray, covariance: Any
) -> Contrast:
    shares = moments.shares
    if covariance is None:
        covariance = moments.covariance(shares)
    variance = contrast_variance(moments, shares, slopes, covariance)
    found = _contrast(values[..., 1] - values[..., 0], variance)
    # Equal answers do not differ, whatever the scale makes of a share of 0 or 1.
    alike = answered_alike(moments) & has_answers(moments)
    return Contrast(*(np.where(alike, 0.0, part) for part in found))


def _score(moments: ClassMoments, pooled: FloatArray, covariance: FloatArray) -> Contrast:
    shares = moments.shares
    at = np.stack([pooled, pooled], axis=-1)
    variance = contrast_variance(moments, at, np.ones_like(shares), covariance)
    return _contrast(shares[..., 1] - shares[..., 0], variance)


def _contrast(estimate: FloatArray, variance: FloatArray) -> Contrast:
    error = np.sqrt(np.where(variance > 0, variance, np.nan))
    without = np.where(estimate == 0, 0.0, np.copysign(np.inf, estimate))
    root = np.where((variance == 0) & ~np.isnan(estimate), without, estimate / error)
    return Contrast(estimate, variance, root)


def _covariance(moments: ClassMoments, pooled: FloatArray) -> FloatArray:
    return moments.covariance(np.stack([pooled, pooled], axis=-1))


def _totals(moments: ClassMoments) -> FloatArray:
    return np.where(moments.rows > 0, moments.rows, np.nan)


def _apart(products: Any) -> Any:
    """Sum over clusters of the squared differences of the two classifiers."""
    return products[..., 0, 0] + products[..., 1, 1] - 2 * products[..., 0, 1]
