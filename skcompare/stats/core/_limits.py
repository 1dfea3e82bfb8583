"""Bounds, direction and confidence level of limits, and limits by inversion."""

import math
from collections.abc import Callable
from functools import cache, partial

from scipy.optimize import brentq

Pair = tuple[float, float]
Limits = Callable[[float, str], Pair]
"""Limits as a function of confidence level and direction."""

DIFFERENCE: Pair = (-1.0, 1.0)
"""Range of a difference of two shares."""

UNBOUNDED: Pair = (-math.inf, math.inf)

RATIO: Pair = (0.0, math.inf)
"""Range of a ratio."""


def each_tail(share: float, alternative: str) -> float:
    """Probability of each tail: all of `share` if one-sided, half of it if two-sided."""
    return share / (2 if alternative == "two-sided" else 1)


def outward(distance: float, alternative: str) -> float:
    """Distance in the direction of the alternative; its size if that is two-sided."""
    return {"greater": distance, "less": -distance}.get(alternative, abs(distance))


def whole_range(bounds: Pair, confidence_level: float, alternative: str) -> Pair:
    """All of a range, where limits are undefined."""
    return bounds


any_difference: Limits = partial(whole_range, DIFFERENCE)
any_ratio: Limits = partial(whole_range, RATIO)


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


def ratio_of(challenger: float, champion: float) -> float:
    """Ratio of two numbers of at least 0: infinite above 0 alone, and NaN for 0 / 0."""
    if champion == 0:
        return math.inf if challenger > 0 else math.nan
    return challenger / champion


def agreeing(low: float, high: float, null: float, rejected: bool, above: bool) -> Pair:
    """Move limits as little as possible so that they leave out a rejected null value.

    `above` says on which side of it the estimate is. Otherwise they hold it.
    """
    if not rejected:
        return min(low, null), max(high, null)
    if above:
        return max(low, math.nextafter(null, math.inf)), high
    return low, min(high, math.nextafter(null, -math.inf))


def interval_level(confidence_level: float, adjust: str, n_pairs: int) -> float:
    """Confidence level of each interval, Bonferroni-adjusted unless `adjust` is "none"."""
    if adjust == "none":
        return confidence_level
    return 1 - (1 - confidence_level) / n_pairs


def wilson_limits(successes: float, n: float, z: float) -> tuple[float, float]:
    """Wilson score limits of a share at a normal quantile.

    Both keep their digits near 0.
    """
    return _wilson_limit(successes, n, z), _wilson_limit(successes, n, -z)


def _wilson_limit(successes: float, n: float, z: float) -> float:
    """Lower Wilson limit, or the upper one if the quantile is negative."""
    middle = 2 * successes + z**2
    root = z * math.sqrt(z**2 + 4 * successes * (n - successes) / n)
    if root <= 0:
        return min(1.0, (middle - root) / (2 * (n + z**2)))
    # The product of both limits is successes² / (n (n + z²)).
    return 2 * successes**2 / (n * (middle + root))


def increasing_root(
    function: Callable[[float], float],
    guess: float,
    step: float,
    bounds: Pair = UNBOUNDED,
    *,
    precision: float,
) -> float:
    """Root of an increasing function, or the nearer bound if no root is in between."""
    cached = cache(function)
    low, high = bounds
    here = min(max(guess, low), high)
    step = -step if cached(here) > 0 else step
    while True:
        there = min(max(here + step, low), high)
        if cached(there) * step >= 0:
            return float(brentq(cached, *sorted((here, there)), xtol=precision))
        if there in bounds:
            return there
        here, step = there, 3 * step
