"""Contrasts and results shared by the tests of multiclass AUCs."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from skcompare._core.satterthwaite import degrees_of_freedom
from skcompare._core.validation import check_choice, some_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ClassPlacementValues
from skcompare.stats.core._adjust import adjust_pvalues
from skcompare.stats.core._result import FEW, FEW_GROUPS, PairedResult
from skcompare.stats.core._tails import chi2_pvalue, normal_pvalue
from skcompare.stats.core._wald import (
    NO_DIFFERENCE,
    ZERO_VARIANCE,
    no_critical,
    normal_critical,
    score_range,
)
from skcompare.stats.ranking._placement_moments import FEW_DEGREES, VARIANCE_OF_FEW

RARE = ("raise", "drop")
BOUNDS = (-1.0, 1.0)
EQUAL_DIGITS = 12
EXTRACTIONS = 2
PART_LEVEL = 0.95

ROUNDING = 1e-12
"""A sum of squared deviations below this share, squared, of its terms is 0."""

INDEPENDENT = 1e-12
"""Eigenvalues of a correlation matrix up to this times its size are 0."""

INCONSISTENT = 1e-6
"""Standard errors above which a difference along a direction without variance counts."""

CLASSES_LEFT_OUT = "classes-left-out"
FEW_DISTINCT = "few-distinct-scores"
UNKNOWN_GROUPS = "unknown-groups"


@dataclass(frozen=True, slots=True)
class Contrast:
    """Difference of weighted means of AUCs, with the contribution of each unit.

    Attributes
    ----------
    champion, challenger : float
        The means.
    deviations : ndarray of shape (n_units,)
        Their squares add up to the variance of the difference.
    variance : float
        Sum of squares of `deviations`; 0 where it is only rounding error.
    null_value : float
        The difference under the null hypothesis.
    """

    champion: float
    challenger: float
    deviations: FloatArray
    variance: float
    null_value: float = 0.0

    @property
    def difference(self) -> float:
        """Mean area of the challenger minus that of the champion."""
        return self.challenger - self.champion

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return math.sqrt(self.variance)

    @property
    def statistic(self) -> float:
        """Distance from the null value in standard errors; infinite without variance."""
        distance = self.difference - self.null_value
        if self.variance > 0:
            return distance / self.error
        return 0.0 if abs(distance) <= NO_DIFFERENCE else math.copysign(math.inf, distance)

    @property
    def flags(self) -> tuple[str, ...]:
        """Caveats about a variance that is 0 or has few degrees of freedom."""
        if self.variance > 0:
            squares = np.square(self.deviations)
            fourth = float((squares**2).sum())
            df = degrees_of_freedom(self.variance, fourth, len(squares))
            return (VARIANCE_OF_FEW,) * (df < FEW_DEGREES)
        return (ZERO_VARIANCE,) if math.isinf(self.statistic) else ("degenerate",)

    def pvalue(self, alternative: str) -> tuple[float, float]:
        """Return the p-value and its logarithm; NaN where undefined."""
        if self.variance > 0:
            return normal_pvalue(self.statistic, alternative)
        return (math.nan, math.nan) if math.isinf(self.statistic) else (1.0, 0.0)

    @property
    def limits(self) -> Callable[[float, str], tuple[float, float]]:
        """Limits of the difference as a function of confidence level and alternative."""
        critical = no_critical if math.isinf(self.statistic) else normal_critical
        return partial(score_range, self.difference, self.error, critical, BOUNDS)


def contrast(areas: tuple[float, float], first: FloatArray, second: FloatArray) -> Contrast:
    """Contrast of two areas, or means of areas, from the influences of their units."""
    deviations = second - first
    variance = _sum_of_squares(deviations)
    size = _sum_of_squares(first) + _sum_of_squares(second)
    if variance <= ROUNDING**2 * size:
        variance = 0.0
    return Contrast(areas[0], areas[1], deviations, variance)


def _sum_of_squares(values: FloatArray) -> float:
    """Sum of squares, identical to the last bit for any order of the values.

    Adding and subtracting a power of two above the sum rounds each square to a grid on
    which every sum is exact; the remainders are added up in the same way (Rump, Ogita
    and Oishi 2008, SIAM Journal on Scientific Computing 31(1), algorithm 3.2).
    """
    remainders, total = np.square(values), 0.0
    for _ in range(EXTRACTIONS):
        bound = len(remainders) * float(np.abs(remainders).max(initial=0.0))
        if not math.isfinite(bound) or bound == 0:
            return total + bound
        unit = 2.0 ** math.frexp(bound)[1]
        on_grid = (remainders + unit) - unit
        total += float(on_grid.sum())
        remainders -= on_grid
    return total


def kept_classes(values: ClassPlacementValues, rare: str, others: bool) -> IntArray:
    """Positions of the classes with enough records for a variance.

    With `others`, the rest of a class must have two records, or groups, as well.
    """
    check_choice("rare", rare, RARE)
    sides = np.column_stack([values.counts, values.n - values.counts, values.units])
    required = sides if others else sides[:, [0, 2]]
    enough = np.asarray((required >= 2).all(axis=1))
    if not enough.all() and rare == "raise":
        groups = ", and records in two groups" if values.is_grouped else ""
        raise ValueError(
            f"Every class and its rest must have two records{groups}. Got "
            f"{_listed(values, ~enough)}. Pass rare='drop' to leave such classes out, or "
            "collect records of them."
        )
    least = 1 if others else 2
    if enough.sum() < least:
        raise ValueError(
            f"The test needs {least} class{'es' * (least > 1)} with enough records. Got "
            f"{_listed(values, values.counts >= 0)}. Collect more records of each class."
        )
    return np.flatnonzero(enough)


def _listed(values: ClassPlacementValues, chosen: np.ndarray) -> str:
    """Text that lists classes with their numbers of records."""
    pairs = zip(values.classes[chosen].tolist(), values.counts[chosen].tolist())
    texts = [f"{n} of class {label!r}" for label, n in pairs]
    return ", ".join(texts[:5]) + (", ..." if len(texts) > 5 else "")


def joint_statistic(
    differences: FloatArray, parts: Sequence[Contrast]
) -> tuple[float, int]:
    """Joint chi-squared statistic of all differences, and its degrees of freedom.

    The statistic is ``d' S^- d`` with the joint covariance S and its rank; infinite where a
    combination of the differences is not 0 but cannot vary.
    """
    varies = np.array([part.variance > 0 for part in parts])
    if (np.abs(differences[~varies]) > NO_DIFFERENCE).any():
        return math.inf, int(varies.sum())
    if not varies.any():
        return 0.0, 0
    active = [part for part in parts if part.variance > 0]
    scaled = np.stack([part.deviations / part.error for part in active])
    values, vectors = np.linalg.eigh(scaled @ scaled.T)
    components = vectors.T @ [part.statistic for part in active]
    free = values > INDEPENDENT * len(values)
    if (np.abs(components[~free]) > INCONSISTENT).any():
        return math.inf, int(free.sum())
    return float((components[free] ** 2 / values[free]).sum()), int(free.sum())


def joint_details(differences: FloatArray, parts: Sequence[Contrast]) -> dict[str, float]:
    """Joint statistic, degrees of freedom and p-value; empty if undefined."""
    statistic, df = joint_statistic(differences, parts)
    if math.isinf(statistic):
        return {}
    return {
        "joint_statistic": statistic,
        "joint_df": df,
        "joint_pvalue": chi2_pvalue(statistic, df)[0],
    }


def part_of(contrast: Contrast, alternative: str) -> dict[str, Any]:
    """AUCs, difference, interval and p-value (None if undefined) of a class or a pair."""
    pvalue, _ = contrast.pvalue(alternative)
    low, high = contrast.limits(PART_LEVEL, alternative)
    return {
        "champion": contrast.champion,
        "challenger": contrast.challenger,
        "difference": contrast.difference,
        "standard_error": contrast.error,
        "low": low,
        "high": high,
        "pvalue": None if math.isnan(pvalue) else pvalue,
    }


def with_adjusted(
    parts: Sequence[Mapping[str, Any]], adjust: str
) -> tuple[dict[str, Any], ...]:
    """Return the parts in order of p-value, with adjusted p-values."""
    raw = [math.nan if part["pvalue"] is None else part["pvalue"] for part in parts]
    adjusted = adjust_pvalues(raw, adjust)
    # Undefined p-values come last, and equal ones keep the order of the classes.
    order = np.argsort(np.round(raw, EQUAL_DIGITS), kind="stable").tolist()
    return tuple(
        {
            **parts[i],
            "adjusted_pvalue": None if np.isnan(adjusted[i]) else float(adjusted[i]),
        }
        for i in order
    )


def area_result(
    values: ClassPlacementValues,
    contrast: Contrast,
    kept: IntArray,
    *,
    alternative: str,
    name: str,
    method: str,
    distinct: int,
    details: Mapping[str, float],
    parts: tuple[dict[str, Any], ...],
) -> PairedResult:
    """Return the result of a test of a difference of mean AUCs."""
    pvalue, log_pvalue = contrast.pvalue(alternative)
    return PairedResult(
        statistic=contrast.statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        estimate=contrast.difference,
        estimate_name=f"difference of {name}",
        champion=contrast.champion,
        challenger=contrast.challenger,
        method=method,
        limits=contrast.limits,
        null_value=contrast.null_value,
        flags=contrast.flags + evidence_flags(values, kept, distinct),
        details={"standard_error": contrast.error, "n_classes": len(kept), **details},
        parts=parts,
        remark=left_out(values, kept),
    )


def evidence_flags(
    values: ClassPlacementValues, kept: IntArray, distinct: int
) -> tuple[str, ...]:
    """Caveats about classes left out, groups, and few distinct scores of a class."""
    dropped = len(kept) < values.n_classes
    unknown = values.design.grouped and values.groups is None
    few = values.is_grouped and values.n_units < FEW
    return (
        (CLASSES_LEFT_OUT,) * dropped
        + (UNKNOWN_GROUPS,) * unknown
        + (FEW_GROUPS,) * few
        + (FEW_DISTINCT,) * (distinct < 3)
    )


def left_out(values: ClassPlacementValues, kept: IntArray) -> str:
    """Text that lists the classes left out; empty if there are none."""
    dropped = np.delete(values.classes, kept)
    return f"without the classes {some_of(dropped)}" if len(dropped) else ""
