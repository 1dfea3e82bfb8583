"""Limits of an AUC and of the difference of two, that stay where an AUC can be."""

import math

from scipy.optimize import brentq
from scipy.special import expit, logit

from skcompare._core.validation import alpha_of
from skcompare.stats._auc_tails import reference_quantile
from skcompare.stats._difference_limits import one_sided, quantile

NEAREST = 1e-15
"""How near to a root of Newcombe's equation a limit is."""


def anywhere(confidence_level: float, alternative: str) -> tuple[float, float]:
    """All differences of two AUCs, where nothing is known of their variance."""
    return -1.0, 1.0


def wald_auc_limits(auc: float, deviation: float, z: float) -> tuple[float, float]:
    """The AUC plus and minus `z` standard errors, cut off at 0 and 1."""
    return max(0.0, auc - z * deviation), min(1.0, auc + z * deviation)


def logit_limits(auc: float, deviation: float, z: float) -> tuple[float, float]:
    """The same on the scale of log odds, for an AUC that is neither 0 nor 1."""
    centre, reach = float(logit(auc)), z * deviation / (auc * (1 - auc))
    return float(expit(centre - reach)), float(expit(centre + reach))


def newcombe_limits(
    auc: float, n_positives: int, n_negatives: int, z: float
) -> tuple[float, float]:
    """AUCs that lie `z` of their own standard errors from the observed one.

    With the variance that Newcombe gives an AUC of t (method 5 of [1]_), in which the
    mean class size stands for both. It knows the number of records only, so it has a width
    where all placement values are alike.

    References
    ----------
    .. [1] Newcombe, R. G. (2006). "Confidence intervals for an effect size measure based
       on the Mann-Whitney statistic. Part 2: asymptotic methods and evaluation."
       Statistics in Medicine 25(4), 559-573.
    """
    if z <= 0:
        return auc, auc
    low = _newcombe_low(auc, n_positives, n_negatives, z)
    # The variance of t and of 1 - t are one.
    return low, 1 - _newcombe_low(1 - auc, n_positives, n_negatives, z)


def _newcombe_low(auc: float, m: int, n: int, z: float) -> float:
    if auc == 0:
        return 0.0
    more = (m + n) / 2 - 1

    def distance(t: float) -> float:
        variance = t * (1 - t) / (m * n)
        variance *= 1 + more * (1 - t) / (2 - t) + more * t / (1 + t)
        return auc - t - z * math.sqrt(max(0.0, variance))

    # At an AUC of 1 the equation has a root there, which is no limit.
    top = min(auc, 1 - NEAREST)
    if distance(top) >= 0:
        return top
    return float(brentq(distance, 0.0, top, xtol=NEAREST))


def role_limits(
    auc: float, variance: float, n_positives: int, n_negatives: int, z: float
) -> tuple[float, float]:
    """Logit limits of an AUC; Newcombe's where its placement values do not vary."""
    if 0 < auc < 1 and variance > 0:
        return logit_limits(auc, math.sqrt(variance), z)
    return newcombe_limits(auc, n_positives, n_negatives, z)


def difference_limits(
    estimate: float,
    deviation: float,
    df: float | None,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """The difference plus and minus its standard errors, cut off at -1 and 1."""
    share = alpha_of(confidence_level)
    z = reference_quantile(share / 2 if alternative == "two-sided" else share, df)
    reach = z * deviation
    low, high = max(-1.0, estimate - reach), min(1.0, estimate + reach)
    return one_sided(low, high, alternative)


def arctanh_limits(
    estimate: float,
    deviation: float,
    df: float | None,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """The same on Fisher's scale, for a difference that is neither -1 nor 1.

    As Newson does for differences of Somers' D = 2 AUC - 1 [1]_.

    References
    ----------
    .. [1] Newson, R. (2002). "Parameters behind "nonparametric" statistics: Kendall's
       tau, Somers' D and median differences." The Stata Journal 2(1), 45-64.
    """
    share = alpha_of(confidence_level)
    z = reference_quantile(share / 2 if alternative == "two-sided" else share, df)
    centre, reach = math.atanh(estimate), z * deviation / (1 - estimate**2)
    return one_sided(math.tanh(centre - reach), math.tanh(centre + reach), alternative)


def mover_limits(
    aucs: tuple[float, float],
    variances: tuple[float, float],
    n_positives: int,
    n_negatives: int,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Limits of a difference from the limits of both AUCs, squared and added [1]_.

    As of unrelated AUCs. With their correlation it finds differences too often, because
    logit limits are skew: it is for differences that do not vary, which have no other.

    References
    ----------
    .. [1] Zou, G. Y. and Donner, A. (2008). "Construction of confidence limits about
       effect measures: a general approach." Statistics in Medicine 27(10), 1693-1702.
    """
    z = max(0.0, quantile(confidence_level, alternative))
    sizes = n_positives, n_negatives
    (low1, high1), (low2, high2) = (
        role_limits(auc, variance, *sizes, z)
        for auc, variance in zip(aucs, variances, strict=True)
    )
    first, second = aucs
    down = math.hypot(second - low2, high1 - first)
    up = math.hypot(high2 - second, first - low1)
    low, high = max(-1.0, second - first - down), min(1.0, second - first + up)
    return one_sided(low, high, alternative)
