"""Bounds, direction and confidence level of limits."""

from collections.abc import Callable

Pair = tuple[float, float]
Limits = Callable[[float, str], Pair]
"""Limits as a function of confidence level and direction."""

DIFFERENCE: Pair = (-1.0, 1.0)
"""Range of a difference of two shares."""

UNBOUNDED: Pair = (-float("inf"), float("inf"))

RATIO: Pair = (0.0, float("inf"))
"""Range of a ratio."""


def each_tail(share: float, alternative: str) -> float:
    """Probability of each tail: all of `share` if one-sided, half of it if two-sided."""
    return share / (2 if alternative == "two-sided" else 1)


def outward(distance: float, alternative: str) -> float:
    """Distance in the direction of the alternative; its size if that is two-sided."""
    return {"greater": distance, "less": -distance}.get(alternative, abs(distance))


def any_difference(confidence_level: float, alternative: str) -> Pair:
    """Range of all differences, where limits are undefined."""
    return DIFFERENCE


def any_ratio(confidence_level: float, alternative: str) -> Pair:
    """Range of all ratios, where limits are undefined."""
    return RATIO


def one_sided(low: float, high: float, alternative: str, bounds: Pair = DIFFERENCE) -> Pair:
    """Clip limits to bounds, and extend one-sided limits to the bound on the open side."""
    least, greatest = bounds
    # One-sided limits of levels below 1/2 are on the other side of the estimate.
    low = least if alternative == "less" else min(max(low, least), greatest)
    high = greatest if alternative == "greater" else max(min(high, greatest), least)
    return low, high


def one_sided_ratio(low: float, high: float, alternative: str) -> Pair:
    """Limits of a ratio, extended to 0 or infinity if the test is one-sided."""
    return one_sided(low, high, alternative, RATIO)


def interval_level(confidence_level: float, adjust: str, n_pairs: int) -> float:
    """Confidence level of each interval, Bonferroni-adjusted unless `adjust` is "none"."""
    if adjust == "none":
        return confidence_level
    return 1 - (1 - confidence_level) / n_pairs
