"""Variances, interval limits and flags shared by DeLong's tests."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from skcompare._core.satterthwaite import degrees_of_freedom
from skcompare.evidence import PlacementValues
from skcompare.stats.core._limits import one_sided
from skcompare.stats.core._tails import reference_quantile
from skcompare.stats.core._wald import critical_value

NEAREST = 1e-15
"""Absolute accuracy of a root of Newcombe's equation."""


def wald_auc_limits(auc: float, deviation: float, z: float) -> tuple[float, float]:
    """Wald limits of an AUC at `z` standard errors, clipped to [0, 1]."""
    return max(0.0, auc - z * deviation), min(1.0, auc + z * deviation)


def logit_limits(auc: float, deviation: float, z: float) -> tuple[float, float]:
    """Limits of an AUC strictly between 0 and 1, at `z` standard errors of its log odds."""
    centre, reach = float(logit(auc)), z * deviation / (auc * (1 - auc))
    return float(expit(centre - reach)), float(expit(centre + reach))


def newcombe_limits(
    auc: float, n_positives: int, n_negatives: int, z: float
) -> tuple[float, float]:
    """Newcombe's limits: AUCs `z` of their own standard errors from the observed AUC.

    The variance of an AUC of t is Newcombe's (method 5 of [1]_), in which the mean class
    size replaces both sizes. It depends on the number of records only, so the interval has
    a width where all placement values are equal.

    References
    ----------
    .. [1] Newcombe, R. G. (2006). "Confidence intervals for an effect size measure based
       on the Mann-Whitney statistic. Part 2: asymptotic methods and evaluation."
       Statistics in Medicine 25(4), 559-573.
    """
    if z <= 0:
        return auc, auc
    low = _newcombe_low(auc, n_positives, n_negatives, z)
    # The variances of t and of 1 - t are equal.
    return low, 1 - _newcombe_low(1 - auc, n_positives, n_negatives, z)


def _newcombe_low(auc: float, m: int, n: int, z: float) -> float:
    if auc == 0:
        return 0.0
    factor = (m + n) / 2 - 1

    def distance(t: float) -> float:
        variance = t * (1 - t) / (m * n)
        variance *= 1 + factor * (1 - t) / (2 - t) + factor * t / (1 + t)
        return auc - t - z * math.sqrt(max(0.0, variance))

    # At an AUC of 1 the equation has a root there, which is no limit.
    top = min(auc, 1 - NEAREST)
    if distance(top) >= 0:
        return top
    return float(brentq(distance, 0.0, top, xtol=NEAREST))


def role_limits(
    auc: float, variance: float, n_positives: int, n_negatives: int, z: float
) -> tuple[float, float]:
    """Logit limits of an AUC, or Newcombe's where the placement values do not vary."""
    if 0 < auc < 1 and variance > 0:
        return logit_limits(auc, math.sqrt(variance), z)
    return newcombe_limits(auc, n_positives, n_negatives, z)


def arctanh_limits(
    estimate: float,
    deviation: float,
    df: float | None,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Limits of a difference strictly between -1 and 1, on Fisher's arctanh scale.

    The method is that of Newson for differences of Somers' D = 2 AUC - 1 [1]_.

    References
    ----------
    .. [1] Newson, R. (2002). "Parameters behind "nonparametric" statistics: Kendall's
       tau, Somers' D and median differences." The Stata Journal 2(1), 45-64.
    """
    z = critical_value(confidence_level, alternative, df)
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
    """MOVER limits of a difference, from the limits of both AUCs [1]_.

    The AUCs are taken as uncorrelated. With their correlation, differences are significant
    too often, because logit limits are skewed. These limits are for differences that do
    not vary, which have no others.

    References
    ----------
    .. [1] Zou, G. Y. and Donner, A. (2008). "Construction of confidence limits about
       effect measures: a general approach." Statistics in Medicine 27(10), 1693-1702.
    """
    z = max(0.0, critical_value(confidence_level, alternative))
    sizes = n_positives, n_negatives
    (low1, high1), (low2, high2) = (
        role_limits(auc, variance, *sizes, z)
        for auc, variance in zip(aucs, variances, strict=True)
    )
    auc1, auc2 = aucs
    down = math.hypot(auc2 - low2, high1 - auc1)
    up = math.hypot(high2 - auc2, auc1 - low1)
    low, high = max(-1.0, auc2 - auc1 - down), min(1.0, auc2 - auc1 + up)
    return one_sided(low, high, alternative)


FEW_OF_A_CLASS = "few-records-of-a-class"
FEW_DISTINCT = "few-distinct-scores"

VARIANCE_OF_FEW = "variance-of-few-records"
BINNED = "binned-scores"

FEW = 10
"""Records of a class below which DeLong's test was measured to be liberal."""

FEW_DEGREES = 30
"""Degrees of freedom of the variance below which Student's t and the normal distribution
differ so much that a level of 0.05 becomes 0.06."""

LEVEL = 0.95
"""Confidence level of the interval of each AUC in the parts of a result."""


def check_members(placements: PlacementValues, name: str) -> None:
    """Raise an error if a class has only one record and therefore no variance."""
    m, n = placements.n_positives, placements.n_negatives
    if m and n and min(m, n) < 2:
        raise ValueError(
            f"{name} needs at least two records of each class. Got {m} positive and {n} "
            "negative. The AUC is defined (`placements.aucs`), its variance is not: "
            "collect records."
        )


def contrast(
    placements: PlacementValues, weights: Sequence[int | Fraction]
) -> tuple[Fraction, Fraction]:
    """Weighted sum of AUCs and its variance, w' S w."""
    sums = placements.sums
    if len(weights) != len(sums.totals):
        raise ValueError(f"Expected {len(sums.totals)} weights. Got {len(weights)}.")
    # A pair among many classifiers has two weights that are not 0.
    nonzero = [(i, Fraction(w)) for i, w in enumerate(weights) if w]
    total = sum((w * sums.totals[i] for i, w in nonzero), Fraction(0))
    products = (w * v * sums.covariance[i][j] for i, w in nonzero for j, v in nonzero)
    return total / sums.total_of_one, sum(products, Fraction(0)) / sums.scale


def score_flags(placements: PlacementValues) -> tuple[str, ...]:
    """Flags for few records of a class, few distinct scores and binned scores."""
    few = min(placements.n_positives, placements.n_negatives) < FEW
    distinct = min(placements.n_distinct) < 3
    binned = not placements.is_exact
    return (FEW_OF_A_CLASS,) * few + (FEW_DISTINCT,) * distinct + (BINNED,) * binned


def variance_flags(
    placements: PlacementValues, weights: Sequence[int | Fraction]
) -> tuple[str, ...]:
    """Flag for a weighted sum of AUCs whose variance has few degrees of freedom.

    The variances of the two classes add up, with degrees of freedom by Welch's rule.
    """
    nonzero = [i for i, weight in enumerate(weights) if weight]
    influence = np.array([float(weights[i]) for i in nonzero]) @ placements.counts[nonzero]
    repeats = placements.repeats
    variances, degrees = [], []
    for members in (placements.positive, ~placements.positive):
        times = np.ones(members.sum()) if repeats is None else repeats[members]
        n = int(times.sum())
        deviations = influence[members] - np.average(influence[members], weights=times)
        squares, fourth = (float(times @ deviations**power) for power in (2, 4))
        # Counts of one class are in records of the other.
        variances.append(squares / (n - 1) / n / (placements.n - n) ** 2)
        degrees.append(degrees_of_freedom(squares, fourth, n))
    by_degree = sum(v**2 / df for v, df in zip(variances, degrees))
    few = sum(variances) ** 2 < FEW_DEGREES * by_degree
    return (VARIANCE_OF_FEW,) * few


def level_details(
    placements: PlacementValues, weights: Sequence[int | Fraction]
) -> dict[str, float]:
    """Error bounds of a weighted sum of AUCs of binned scores; empty for exact scores."""
    if placements.is_exact:
        return {}
    values = [float(weight) for weight in weights]
    bounds = placements.contrast_bounds(values)
    return {
        "auc_error_bound": bounds.estimate,
        "auc_error_expected": bounds.expected,
        "standard_error_bound": bounds.standard_error,
    }


def role_parts(
    placements: PlacementValues, variances: Sequence[float]
) -> tuple[dict[str, Any], ...]:
    """AUC of each classifier with its variance and its logit interval."""
    sizes = placements.n_positives, placements.n_negatives
    z = reference_quantile((1 - LEVEL) / 2, None)
    parts = []
    for name, auc, variance in zip(
        placements.names, placements.aucs.tolist(), variances, strict=True
    ):
        low, high = role_limits(auc, variance, *sizes, z)
        parts.append(
            {
                "name": name,
                "auc": auc,
                "variance": variance,
                "low": low,
                "high": high,
                "confidence_level": LEVEL,
            }
        )
    return tuple(parts)


def quadratic_form(
    matrix: Sequence[Sequence[int]], vector: Sequence[int]
) -> tuple[Fraction, int, bool]:
    """Exact quadratic form v' M⁻ v of a positive semidefinite integer matrix.

    Bareiss's elimination of the bordered matrix (M v; v' 0), which divides without
    remainder. A diagonal element that is 0 has a row of zeros, so the rank is the number
    of pivots and needs no tolerance; v lies in the range of M, where any generalised
    inverse gives the same value, when its remainder is 0 in the rows that are left.

    Returns
    -------
    value : Fraction
    rank : int
    consistent : bool
        Whether v lies in the range of M.
    """
    q = len(vector)
    rows = [[*row, v] for row, v in zip(matrix, vector, strict=True)] + [[*vector, 0]]
    remaining, previous, rank = list(range(q)), 1, 0
    while True:
        pivot = next((i for i in remaining if rows[i][i]), None)
        if pivot is None:
            break
        remaining.remove(pivot)
        value, pivot_row = rows[pivot][pivot], rows[pivot]
        for i in (*remaining, q):
            factor = rows[i][pivot]
            for j in (*remaining, q):
                rows[i][j] = (rows[i][j] * value - factor * pivot_row[j]) // previous
        previous, rank = value, rank + 1
    consistent = not any(rows[i][q] for i in remaining)
    return Fraction(-rows[q][q], previous), rank, consistent
