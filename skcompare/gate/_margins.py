"""Margins so wide that they ask for nothing."""

import math
from typing import Any

from skcompare.gate._conditions import Condition
from skcompare.gate._measure_ranges import bounds_of
from skcompare.metrics._no_skill import (
    WORSE_THAN_NO_SKILL,
    are_worse_than_no_skill,
    value_without_skill,
)
from skcompare.stats import PairedResult

ADMITS_NO_SKILL = "margin-admits-no-skill"


def admits_everything(condition: Condition, result: PairedResult) -> str:
    """Why no challenger, however bad, could fail a condition; empty where one could.

    The worst value that a measure can have, beside the champion's observed one, is within
    the margin.
    """
    if not _below_zero(condition) or result.champion is None:
        return ""
    least, most = bounds_of(condition.scored)
    if not (math.isfinite(least) and math.isfinite(most)):
        return ""
    larger = result.greater_is_better
    worst = least if larger else most
    farthest = abs(result.champion - worst)
    if not farthest < condition.margin:
        return ""
    words = f"{condition.measure} of {worst:g}"
    return (
        f"nothing could fail: {words}, the worst there is, would be worse by "
        f"{farthest:.4g} only than the champion's {result.champion:.4g}, and the margin is "
        f"{condition.margin:g}"
    )


def skill_flag(
    condition: Condition, result: PairedResult, pair: Any, pos_label: Any = None
) -> str | None:
    """What is to be said of a classifier without skill; None where nothing is.

    Either one of the two is worse, or such a challenger would be within the margin.

    Parameters
    ----------
    condition : Condition
        What is to be shown.
    result : PairedResult
        With the values of both.
    pair : PairedPredictions or None
        The answers, of which the true classes are looked at.
    pos_label : label, optional
        The positive one of two classes.
    """
    if result.champion is None or pair is None:
        return None
    value = value_without_skill(condition.scored, pair.predictions, pos_label)
    if value is None:
        return None
    values = result.champion, result.challenger
    if any(
        are_worse_than_no_skill(
            condition.scored, pair, values, result.greater_is_better, pos_label
        )
    ):
        return WORSE_THAN_NO_SKILL
    worse = result.champion - value if result.greater_is_better else value - result.champion
    within = _below_zero(condition) and worse < condition.margin
    return ADMITS_NO_SKILL if within else None


def _below_zero(condition: Condition) -> bool:
    """Whether a challenger that is worse may pass."""
    return any(
        boundary < 0 and direction == "greater"
        for boundary, direction in condition.boundaries
    )
