"""Boundaries of a condition: tests at them, limits beside them, and both as text."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skcompare._analysis import PreparedTest
from skcompare._core.formatting import (
    decimals_for,
    format_confidence,
    format_number,
    format_pvalue,
)
from skcompare.evidence import PairedLosses
from skcompare.gate._conditions import Condition
from skcompare.stats import MarginResult, PairedResult
from skcompare.stats.margins import (
    LossReduction,
    loss_reduction,
    margin_result,
    reduction_result,
)

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
        A difference, or with a relative margin a reduction as a share of the loss.
    result : MarginResult
        The result of the test.
    is_relative : bool
        Whether the boundary is a share of the champion's loss.
    """

    boundary: float
    result: MarginResult
    is_relative: bool


class Limits(NamedTuple):
    """One-sided limits of a difference, and of the reduction where the margin is relative.

    Attributes
    ----------
    result : PairedResult
        The result of the test of the difference.
    low, high : float
        Limits of the difference.
    reduction : LossReduction or None
        The relative reduction of the mean loss with its limits.
    """

    result: PairedResult
    low: float
    high: float
    reduction: LossReduction | None = None


def tested_sides(
    test: PreparedTest, condition: Condition, alpha: float, *, opposite: bool = False
) -> list[Side]:
    """Test a condition at its boundaries, in the directions to be shown or the opposite."""
    is_relative = condition.share is not None
    run = reduction_result if is_relative else margin_result
    return [
        Side(
            boundary,
            run(test, boundary, OPPOSITE[side] if opposite else side, alpha),
            is_relative,
        )
        for boundary, side in condition.boundaries
    ]


def limits_of(
    test: PreparedTest, sides: Sequence[Side], opposite: Sequence[Side], alpha: float
) -> Limits:
    """Return the limits of the difference, and of the reduction with a relative margin.

    They agree with the p-values of the sides: a limit is beyond a boundary exactly if that
    is shown.
    """
    if not sides[0].is_relative:
        limits = {s.result.alternative: s.result.limit for s in (*opposite, *sides)}
        return Limits(sides[0].result.result, limits[ABOVE], limits[BELOW])
    low, high = (margin_result(test, 0.0, side, alpha) for side in (ABOVE, BELOW))
    # The opposite of one of two sides has another level.
    at_level = [*sides, *opposite] if len(sides) == 1 else sides
    reduction = _reduction(test, at_level, alpha)
    return Limits(low.result, low.limit, high.limit, reduction)


def _reduction(test: PreparedTest, sides: Sequence[Side], alpha: float) -> LossReduction:
    """Return the reduction with limits that agree with p-values of sides of one level."""
    limits = loss_reduction(test, alpha)
    for side in sides:
        is_shown = side.result.pvalue < alpha
        if side.result.alternative == ABOVE:
            limits = limits._replace(low=_beside(side.boundary, limits.low, 1, is_shown))
        else:
            limits = limits._replace(high=_beside(side.boundary, limits.high, -1, is_shown))
    return limits


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
    bound, where, beyond = TERMS[side.result.alternative]
    limit = _limit_of(side, limits)
    text = f"{bound} {_number(limit, side.is_relative, decimals)}"
    if math.isinf(limit) or (side.is_relative and limit == 1):
        text = f"no limit {beyond} ({UNEVEN})"
    if not side.result.pvalue < alpha:
        text += f", must be {where} {_boundary_text(side)}"
    return f"{text} ({format_confidence(alpha)} confidence)"


def decisive_record_text(
    test: PreparedTest, condition: Condition, alpha: float
) -> str | None:
    """Describe the record without which a condition on losses would be shown, if one is.

    It is the one farthest from the mean difference.
    """
    losses = test.evidence
    kept = isinstance(losses, PairedLosses) and losses.values is not None
    if not kept or losses.groups is not None or not losses.moments.largest_share > 0:
        return None
    position = int(np.argmax(np.abs(losses.differences - losses.gain)))
    others = np.delete(losses.values, position, axis=1)
    without = PairedLosses.from_losses(*others, loss=losses.loss)
    again = PreparedTest(test.entry, without, test.options, test.row, test.bound)
    sides = tested_sides(again, condition, alpha)
    pvalue = max(side.result.pvalue for side in sides)
    if not pvalue < alpha or any(math.isnan(side.result.pvalue) for side in sides):
        return None
    return (
        f"the record at position {position} alone makes {losses.moments.largest_share:.0%} "
        "of the variance of the difference, and without it the condition would be shown, p "
        f"{pvalue_text(pvalue, alpha)}: look for an error in it. If it is right, collect "
        "more records, or choose a loss with lighter tails before you see new ones"
    )


def opposite_text(
    test: PreparedTest, opposite: Sequence[Side], limits: Limits, share: float
) -> str:
    """Describe the boundary beyond which the truth was shown to be."""
    if limits.reduction is not None:
        limits = limits._replace(reduction=_reduction(test, opposite, share))
    side = min(opposite, key=lambda side: side.result.pvalue)
    decimals = _decimals(limits, side)
    bound, where, _ = TERMS[side.result.alternative]
    limit = _number(_limit_of(side, limits), side.is_relative, decimals)
    return (
        f"{_observed(limits, decimals)}, {bound} {limit} ({format_confidence(share)} "
        f"confidence): shown to be {where} {_boundary_text(side)}, p of the opposite "
        f"{pvalue_text(side.result.pvalue, share)}"
    )


def _observed(limits: Limits, decimals: int) -> str:
    if limits.reduction is None:
        return f"difference {_number(limits.result.estimate, False, decimals)}"
    return f"loss reduced by {_number(limits.reduction.estimate, True, decimals)}"


def _number(value: float, is_relative: bool, decimals: int) -> str:
    """Format a difference, or a reduction in percent of the champion's loss."""
    if is_relative:
        return f"{format_number(100 * value, decimals, signed=True)} %"
    return format_number(value, decimals, signed=True)


def _limit_of(side: Side, limits: Limits) -> float:
    if limits.reduction is None:
        return side.result.limit
    above = side.result.alternative == ABOVE
    return limits.reduction.low if above else limits.reduction.high


def _boundary_text(side: Side) -> str:
    boundary = round(100 * side.boundary, 9) if side.is_relative else side.boundary
    text = f"{boundary:+g}" if boundary else "0"
    return f"{text} %" if side.is_relative else text


def _decimals(limits: Limits, side: Side) -> int:
    """Number of decimals needed to show on which side of a boundary limits are."""
    if limits.reduction is None:
        shown = limits.result.estimate, limits.low, limits.high
        return decimals_for(*shown, beside=(side.boundary,))
    shown = limits.reduction
    # Percent have two digits more before the point.
    return max(0, decimals_for(*shown, beside=(side.boundary,)) - 2)


def pvalue_text(pvalue: float, alpha: float) -> str:
    """Format a p-value after the letter p."""
    text = format_pvalue(pvalue, alpha)
    return text if text.startswith("<") else f"= {text}"
