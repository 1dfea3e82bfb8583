"""Boundaries of a condition: tests at them, limits beside them, and both as text."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from skcompare._analysis import PreparedTest
from skcompare._core.formatting import (
    decimals_for,
    format_confidence,
    format_number,
    format_pvalue,
)
from skcompare.gate._conditions import Condition
from skcompare.stats import MarginResult, PairedResult
from skcompare.stats.margins import LossRatio, loss_ratio, margin_result, ratio_result

ABOVE, BELOW = "greater", "less"
OPPOSITE = {ABOVE: BELOW, BELOW: ABOVE}
TERMS = {ABOVE: ("at least", "above", "below"), BELOW: ("at most", "below", "above")}
"""Terms for a limit in a direction, on the side that it shows, and on the other side."""
UNEVEN = "these records are too few, or a few of them decide the difference"


class Side(NamedTuple):
    """Test at one boundary of a condition, in the direction to be shown or the opposite.

    Attributes
    ----------
    boundary : float
        A difference, or with a relative margin a ratio of mean losses.
    result : MarginResult
        The result of the test.
    is_ratio : bool
        Whether the boundary is a ratio.
    """

    boundary: float
    result: MarginResult
    is_ratio: bool


class Limits(NamedTuple):
    """One-sided limits of a difference, and of the ratio where the margin is relative.

    Attributes
    ----------
    result : PairedResult
        The result of the test of the difference.
    low, high : float
        Limits of the difference.
    ratio : LossRatio or None
        The ratio of the mean losses with its limits.
    """

    result: PairedResult
    low: float
    high: float
    ratio: LossRatio | None = None


def tested_sides(
    test: PreparedTest, condition: Condition, alpha: float, *, opposite: bool = False
) -> list[Side]:
    """Test a condition at its boundaries, in the directions to be shown or the opposite."""
    is_ratio = condition.share is not None
    run = ratio_result if is_ratio else margin_result
    return [
        Side(
            boundary,
            run(test, boundary, OPPOSITE[side] if opposite else side, alpha),
            is_ratio,
        )
        for boundary, side in condition.boundaries
    ]


def limits_of(
    test: PreparedTest, sides: Sequence[Side], opposite: Sequence[Side], alpha: float
) -> Limits:
    """Return the limits of the difference, and of the ratio with a relative margin.

    They agree with the p-values of the sides: a limit is beyond a boundary exactly if that
    is shown.
    """
    if not sides[0].is_ratio:
        limits = {s.result.alternative: s.result.limit for s in (*opposite, *sides)}
        return Limits(sides[0].result.result, limits[ABOVE], limits[BELOW])
    low, high = (margin_result(test, 0.0, side, alpha) for side in (ABOVE, BELOW))
    # The opposite of one of two sides has another level.
    at_level = [*sides, *opposite] if len(sides) == 1 else sides
    ratio = _ratio_of(test, at_level, alpha)
    return Limits(low.result, low.limit, high.limit, ratio)


def _ratio_of(test: PreparedTest, sides: Sequence[Side], alpha: float) -> LossRatio:
    """Return the ratio with limits that agree with the p-values of sides of one level."""
    ratio = loss_ratio(test, alpha)
    for side in sides:
        is_shown = side.result.pvalue < alpha
        if side.result.alternative == ABOVE:
            ratio = ratio._replace(high=_beside(side.boundary, ratio.high, -1, is_shown))
        else:
            ratio = ratio._replace(low=_beside(side.boundary, ratio.low, 1, is_shown))
    return ratio


def _beside(boundary: float, limit: float, sign: int, is_shown: bool) -> float:
    """Return a limit on the side of the boundary that is shown, despite rounding."""
    if is_shown and not sign * limit > sign * boundary:
        return math.nextafter(boundary, sign * math.inf)
    return limit if is_shown or not sign * limit > sign * boundary else boundary


def limits_text(sides: Sequence[Side], limits: Limits, alpha: float) -> str:
    """Describe what was observed, its limits, and the boundaries to exclude."""
    pvalue = max(side.result.pvalue for side in sides)
    decimals = max(_decimals(limits, side) for side in sides)
    parts = [_observed(limits, decimals)]
    parts += [_limit_text(side, limits, decimals, alpha) for side in sides]
    return f"{', '.join(parts)}, p {pvalue_text(pvalue, alpha)}"


def _limit_text(side: Side, limits: Limits, decimals: int, alpha: float) -> str:
    bound, where, beyond = _terms(side)
    limit = _limit_of(side, limits)
    text = f"{bound} {format_number(limit, decimals, signed=not side.is_ratio)}"
    if math.isinf(limit) or (side.is_ratio and limit == 0):
        text = f"no limit {beyond} ({UNEVEN})"
    if not side.result.pvalue < alpha:
        text += f", must be {where} {_boundary_text(side)}"
    return f"{text} ({format_confidence(alpha)} confidence)"


def opposite_text(
    test: PreparedTest, opposite: Sequence[Side], limits: Limits, share: float
) -> str:
    """Describe the boundary beyond which the truth was shown to be."""
    if limits.ratio is not None:
        limits = limits._replace(ratio=_ratio_of(test, opposite, share))
    side = min(opposite, key=lambda side: side.result.pvalue)
    decimals = _decimals(limits, side)
    bound, where, _ = _terms(side)
    limit = format_number(_limit_of(side, limits), decimals, signed=not side.is_ratio)
    return (
        f"{_observed(limits, decimals)}, {bound} {limit} ({format_confidence(share)} "
        f"confidence): shown to be {where} {_boundary_text(side)}, p of the opposite "
        f"{pvalue_text(side.result.pvalue, share)}"
    )


def _observed(limits: Limits, decimals: int) -> str:
    if limits.ratio is None:
        estimate = format_number(limits.result.estimate, decimals, signed=True)
        return f"difference {estimate}"
    estimate = format_number(limits.ratio.estimate, decimals)
    return f"the challenger's loss is {estimate} of the champion's"


def _terms(side: Side) -> tuple[str, str, str]:
    """Terms for the limit of a side; a ratio is small where the difference is large."""
    alternative = side.result.alternative
    return TERMS[OPPOSITE[alternative] if side.is_ratio else alternative]


def _limit_of(side: Side, limits: Limits) -> float:
    if limits.ratio is None:
        return side.result.limit
    return limits.ratio.high if side.result.alternative == ABOVE else limits.ratio.low


def _boundary_text(side: Side) -> str:
    if side.is_ratio:
        return f"{side.boundary:g}"
    return f"{side.boundary:+g}" if side.boundary else "0"


def _decimals(limits: Limits, side: Side) -> int:
    """Number of decimals needed to show on which side of a boundary limits are."""
    if limits.ratio is None:
        shown = limits.result.estimate, limits.low, limits.high
    else:
        shown = limits.ratio
    return decimals_for(*shown, beside=(side.boundary,))


def pvalue_text(pvalue: float, alpha: float) -> str:
    """Format a p-value after the letter p."""
    text = format_pvalue(pvalue, alpha)
    return text if text.startswith("<") else f"= {text}"
