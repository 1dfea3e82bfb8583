"""Intervals of a difference of scores, in standard errors, and their levels."""

import math
import sys
from collections.abc import Callable

from scipy.special import ndtri

from skcompare._core.validation import alpha_of

Pair = tuple[float, float]


def normal_critical(alpha: float, alternative: str) -> float:
    """Critical value of a normal statistic."""
    return -float(ndtri(alpha / 2 if alternative == "two-sided" else alpha))


def no_critical(alpha: float, alternative: str) -> float:
    """Critical value of a test that never rejects."""
    return math.inf


def score_range(
    estimate: float,
    error: float,
    critical: Callable[[float, str], float],
    bounds: Pair,
    confidence_level: float,
    alternative: str,
) -> Pair:
    """Limits of the differences within the critical number of standard errors.

    Parameters
    ----------
    estimate, error : float
        The difference and its standard error. If that is 0, so is the difference, or it is
        infinite in standard errors.
    critical : callable
        Least statistic, in the direction of the alternative, that is significant at a
        level: infinity where none is, and the largest number where only an infinite one is.
    bounds : tuple of two floats
        The range of the difference.
    confidence_level, alternative
        As of the interval.
    """
    threshold = critical(alpha_of(confidence_level), alternative)
    if error > 0:
        # No difference is infinitely many standard errors away.
        threshold = math.inf if threshold == sys.float_info.max else threshold
        low, high = estimate - threshold * error, estimate + threshold * error
    elif abs(estimate) <= NO_DIFFERENCE:
        low = high = 0.0
    else:
        low, high = _range_by_sign(estimate, math.isfinite(threshold), alternative)
    if alternative == "greater":
        high = math.inf
    elif alternative == "less":
        low = -math.inf
    least, greatest = bounds
    # One-sided limits of levels below 1/2 are on the other side of the estimate.
    return min(max(low, least), greatest), max(min(high, greatest), least)


def _range_by_sign(estimate: float, significant: bool, alternative: str) -> Pair:
    """Range of a difference without variance, which is infinite in standard errors."""
    if significant and estimate > 0 and alternative != "less":
        return 0.0, math.inf
    if significant and estimate < 0 and alternative != "greater":
        return -math.inf, 0.0
    return -math.inf, math.inf


NO_DIFFERENCE = 1e-12
"""Largest difference that is rounding where there is no variance."""


def interval_level(confidence_level: float, adjust: str, n_pairs: int) -> float:
    """Confidence level of each interval, so that all hold together unless unadjusted."""
    if adjust == "none":
        return confidence_level
    return 1 - (1 - confidence_level) / n_pairs
