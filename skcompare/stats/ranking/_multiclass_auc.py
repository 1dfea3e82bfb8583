"""What the tests of areas under the curves of many classes share."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from skcompare._core.satterthwaite import degrees_of_freedom
from skcompare._core.validation import check_choice, some_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ClassPlacementValues
from skcompare.stats.core._adjust import adjust_pvalues
from skcompare.stats.core._limits import (
    NO_DIFFERENCE,
    no_critical,
    normal_critical,
    score_range,
)
from skcompare.stats.core._result import FEW, FEW_GROUPS, PairedResult
from skcompare.stats.core._tails import chi2_pvalue, normal_pvalue
from skcompare.stats.ranking._placement_moments import FEW_DEGREES, VARIANCE_OF_FEW

RARE = ("raise", "drop")
BOUNDS = (-1.0, 1.0)
EQUAL_DIGITS = 12
EXTRACTIONS = 2
PART_LEVEL = 0.95

ROUNDING = 1e-12
"""Deviations that cancel to this share of what they are made of are 0."""

INDEPENDENT = 1e-12
"""Eigenvalues of a correlation matrix up to this times its size are 0."""

INCONSISTENT = 1e-6
"""A difference of so many standard errors where there is no variation is one."""

ZERO_VARIANCE = "zero-variance"
CLASSES_LEFT_OUT = "classes-left-out"
FEW_DISTINCT = "few-distinct-scores"
UNKNOWN_GROUPS = "unknown-groups"


@dataclass(frozen=True, slots=True)
class Contrast:
    """The difference of a weighted mean of areas, and what each unit adds to it.

    Attributes
    ----------
    champion, challenger : float
        The means.
    deviations : ndarray of shape (n_units,)
        Their squares add up to the variance of the difference.
    variance : float
        Their sum of squares; 0 where it is nothing but rounding.
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
        """Challenger less champion."""
        return self.challenger - self.champion

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return math.sqrt(self.variance)

    @property
    def statistic(self) -> float:
        """Distance from the null value in standard errors; infinite if it cannot vary."""
        distance = self.difference - self.null_value
        if self.variance > 0:
            return distance / self.error
        return 0.0 if abs(distance) <= NO_DIFFERENCE else math.copysign(math.inf, distance)

    @property
    def flags(self) -> tuple[str, ...]:
        """Caveats of a difference that cannot vary, or whose variance is hardly known."""
        if self.variance > 0:
            squares = np.square(self.deviations)
            fourth = float((squares**2).sum())
            df = degrees_of_freedom(self.variance, fourth, len(squares))
            return (VARIANCE_OF_FEW,) * (df < FEW_DEGREES)
        return (ZERO_VARIANCE,) if math.isinf(self.statistic) else ("degenerate",)

    def pvalue(self, alternative: str) -> tuple[float, float]:
        """P-value and its logarithm, NaN where undefined."""
        if self.variance > 0:
            return normal_pvalue(self.statistic, alternative)
        return (math.nan, math.nan) if math.isinf(self.statistic) else (1.0, 0.0)

    @property
    def limits(self) -> Callable[[float, str], tuple[float, float]]:
        """The interval of the difference, as a function of level and direction."""
        critical = no_critical if math.isinf(self.statistic) else normal_critical
        return partial(score_range, self.difference, self.error, critical, BOUNDS)


def contrast(areas: tuple[float, float], first: FloatArray, second: FloatArray) -> Contrast:
    """The contrast of two areas, or means of areas, with their influence a unit."""
    deviations = second - first
    variance = _sum_of_squares(deviations)
    size = _sum_of_squares(first) + _sum_of_squares(second)
    if variance <= ROUNDING**2 * size:
        variance = 0.0
    return Contrast(areas[0], areas[1], deviations, variance)


def _sum_of_squares(values: FloatArray) -> float:
    """The same to the last bit whatever the order of the values.

    Adding and taking away a power of two above the sum leaves of each square what lies on
    a grid, on which every sum is exact; what is cut off is added up likewise (Rump, Ogita
    and Oishi 2008, SIAM Journal on Scientific Computing 31(1), algorithm 3.2).
    """
    rest, total = np.square(values), 0.0
    for _ in range(EXTRACTIONS):
        bound = len(rest) * float(np.abs(rest).max(initial=0.0))
        if not math.isfinite(bound) or bound == 0:
            return total + bound
        unit = 2.0 ** math.frexp(bound)[1]
        on_grid = (rest + unit) - unit
        total += float(on_grid.sum())
        rest -= on_grid
    return total


def kept_classes(values: ClassPlacementValues, rare: str, others: bool) -> IntArray:
    """Positions of the classes that have a variance.

    `others` asks for two records, or groups, of the rest as well.
    """
    check_choice("rare", rare, RARE)
    sides = np.column_stack([values.counts, values.n - values.counts, values.units])
    asked = sides if others else sides[:, [0, 2]]
    enough = np.asarray((asked >= 2).all(axis=1))
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
    """Classes with their records, in words."""
    pairs = zip(values.classes[chosen].tolist(), values.counts[chosen].tolist())
    words = [f"{n} of class {label!r}" for label, n in pairs]
    return ", ".join(words[:5]) + (", ..." if len(words) > 5 else "")


def joint_statistic(
    differences: FloatArray, parts: Sequence[Contrast]
) -> tuple[float, int]:
    """Chi-squared statistic of all differences together, and its degrees of freedom.

    That is ``d' S^- d`` with the joint covariance S and its rank; infinite where a
    combination of the differences is not 0 but cannot vary.
    """
    varies = np.array([one.variance > 0 for one in parts])
    if (np.abs(differences[~varies]) > NO_DIFFERENCE).any():
        return math.inf, int(varies.sum())
    if not varies.any():
        return 0.0, 0
    active = [one for one in parts if one.variance > 0]
    scaled = np.stack([one.deviations / one.error for one in active])
    values, vectors = np.linalg.eigh(scaled @ scaled.T)
    along = vectors.T @ [one.statistic for one in active]
    free = values > INDEPENDENT * len(values)
    if (np.abs(along[~free]) > INCONSISTENT).any():
        return math.inf, int(free.sum())
    return float((along[free] ** 2 / values[free]).sum()), int(free.sum())


def joint_details(differences: FloatArray, parts: Sequence[Contrast]) -> dict[str, float]:
    """The joint statistic with its p-value, where that is defined."""
    statistic, df = joint_statistic(differences, parts)
    if math.isinf(statistic):
        return {}
    return {
        "joint_statistic": statistic,
        "joint_df": df,
        "joint_pvalue": chi2_pvalue(statistic, df)[0],
    }


def part_of(one: Contrast, alternative: str) -> dict[str, Any]:
    """Areas, difference, interval and p-value of a class, or a pair; None if undefined."""
    pvalue, _ = one.pvalue(alternative)
    low, high = one.limits(PART_LEVEL, alternative)
    return {
        "champion": one.champion,
        "challenger": one.challenger,
        "difference": one.difference,
        "standard_error": one.error,
        "low": low,
        "high": high,
        "pvalue": None if math.isnan(pvalue) else pvalue,
    }


def with_adjusted(
    parts: Sequence[Mapping[str, Any]], adjust: str
) -> tuple[dict[str, Any], ...]:
    """The parts with their adjusted p-values, those with the smallest p first."""
    raw = [math.nan if one["pvalue"] is None else one["pvalue"] for one in parts]
    adjusted = adjust_pvalues(raw, adjust)
    # Undefined p-values come last, and equal ones keep the order of the classes.
    order = np.argsort(np.round(raw, EQUAL_DIGITS), kind="stable").tolist()
    return tuple(
        {
            **parts[at],
            "adjusted_pvalue": None if np.isnan(adjusted[at]) else float(adjusted[at]),
        }
        for at in order
    )


def area_result(
    values: ClassPlacementValues,
    found: Contrast,
    kept: IntArray,
    *,
    alternative: str,
    name: str,
    method: str,
    distinct: int,
    details: Mapping[str, float],
    parts: tuple[dict[str, Any], ...],
) -> PairedResult:
    """The result of a difference of mean areas."""
    pvalue, log_pvalue = found.pvalue(alternative)
    return PairedResult(
        statistic=found.statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=None,
        estimate=found.difference,
        estimate_name=f"difference of {name}",
        champion=found.champion,
        challenger=found.challenger,
        alternative=alternative,
        method=method,
        n=values.n,
        limits=found.limits,
        null_value=found.null_value,
        flags=found.flags + evidence_flags(values, kept, distinct),
        details={"standard_error": found.error, "n_classes": len(kept), **details},
        parts=parts,
        remark=left_out(values, kept),
    )


def evidence_flags(
    values: ClassPlacementValues, kept: IntArray, distinct: int
) -> tuple[str, ...]:
    """Caveats about classes, groups, and how many different scores a class has."""
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
    """Which classes are left out, in words."""
    dropped = np.delete(values.classes, kept)
    return f"without the classes {some_of(dropped)}" if len(dropped) else ""


def records_for(found: Contrast, n: int, alpha: float, power: float, side: str) -> float:
    """Records at which a difference of the observed size is so many standard errors."""
    outward = {"greater": found.statistic, "less": -found.statistic}.get(
        side, abs(found.statistic)
    )
    if outward <= 0:
        return math.inf
    tail = alpha / 2 if side == "two-sided" else alpha
    wanted = float(ndtri(power)) - float(ndtri(tail))
    # These records did not settle it, so the answer is never that they are enough.
    return max(n * (wanted / outward) ** 2, n + 1.0)
