"""Limits of intervals: their bounds, their direction and their level."""

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
    """Probability of the tail in one direction, or of each of two."""
    return share / (2 if alternative == "two-sided" else 1)


def one_sided(low: float, high: float, alternative: str, bounds: Pair = DIFFERENCE) -> Pair:
    """Limits within bounds, which an interval reaches where the test is one-sided."""
    least, greatest = bounds
    # One-sided limits of levels below 1/2 are on the other side of the estimate.
    low = least if alternative == "less" else min(max(low, least), greatest)
    high = greatest if alternative == "greater" else max(min(high, greatest), least)
    return low, high


def one_sided_ratio(low: float, high: float, alternative: str) -> Pair:
    """Limits of a ratio, which reach to 0 or infinity where the test is one-sided."""
    return one_sided(low, high, alternative, RATIO)


def interval_level(confidence_level: float, adjust: str, n_pairs: int) -> float:
    """Confidence level of each interval, so that all hold together unless unadjusted."""
    if adjust == "none":
        return confidence_level
    return 1 - (1 - confidence_level) / n_pairs
