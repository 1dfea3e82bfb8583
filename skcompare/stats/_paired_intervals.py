"""Intervals of a paired difference of accuracies in closed form, of the literature.

None of them is the inversion of a test in use here, so none need agree with a p-value. They
end at -1 or 1 where a formula would go beyond.
"""

import math

from skcompare.stats._difference_limits import one_sided, quantile


def wald_limits(
    only_champion: float,
    only_challenger: float,
    n: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """The observed difference and its standard errors; too short for few records.

    It has no width where no record is discordant, or where all favour one classifier.
    """
    return _around(only_champion, only_challenger, n, confidence_level, alternative)


def agresti_min_limits(
    only_champion: float,
    only_challenger: float,
    n: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Wald's interval after half a record is added to each of the four counts [1]_.

    References
    ----------
    .. [1] Agresti, A. and Min, Y. (2005). "Simple improved confidence intervals for
       comparing matched proportions." Statistics in Medicine 24(5), 729-740.
    """
    counts = only_champion + 0.5, only_challenger + 0.5, n + 2
    return _around(*counts, confidence_level, alternative)


def bonett_price_limits(
    only_champion: float,
    only_challenger: float,
    n: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Wald's interval after a record is added to each discordant count [1]_.

    References
    ----------
    .. [1] Bonett, D. G. and Price, R. M. (2012). "Adjusted Wald confidence interval for a
       difference of binomial proportions based on paired data." Journal of Educational and
       Behavioral Statistics 37(4), 479-488.
    """
    counts = only_champion + 1, only_challenger + 1, n + 2
    return _around(*counts, confidence_level, alternative)


def _around(
    against: float, favour: float, n: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    difference = (favour - against) / n
    variance = max(0.0, (against + favour) / n - difference**2)
    half = quantile(confidence_level, alternative) * math.sqrt(variance / n)
    return _clipped(difference - half, difference + half, alternative)


def _clipped(low: float, high: float, alternative: str) -> tuple[float, float]:
    low, high = (min(1.0, max(-1.0, limit)) for limit in (low, high))
    return one_sided(low, high, alternative)


def newcombe_limits(
    both_correct: float,
    only_champion: float,
    only_challenger: float,
    both_wrong: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Newcombe's method 10: Wilson's limits of both accuracies, squared and added [1]_.

    The correlation of right answers has the product of the agreeing counts less that of the
    discordant ones as its numerator, taken towards 0 by n / 2 where it is positive.

    References
    ----------
    .. [1] Newcombe, R. G. (1998). "Improved confidence intervals for the difference between
       binomial proportions based on paired data." Statistics in Medicine 17(22), 2635-2650.
    """
    n = both_correct + only_champion + only_challenger + both_wrong
    z = quantile(confidence_level, alternative)
    champion, challenger = both_correct + only_champion, both_correct + only_challenger
    covariance = both_correct * both_wrong - only_champion * only_challenger
    if covariance > 0:
        covariance = max(0.0, covariance - n / 2)
    spread = champion * (n - champion) * challenger * (n - challenger)
    correlation = covariance / math.sqrt(spread) if spread > 0 else 0.0
    first_low, first_high = wilson_limits(champion, n, z)
    second_low, second_high = wilson_limits(challenger, n, z)
    first, second = champion / n, challenger / n
    below = _added(second - second_low, first_high - first, correlation)
    above = _added(second_high - second, first - first_low, correlation)
    # A quantile below 0 belongs to a one-sided level below 1/2.
    below, above = math.copysign(below, z), math.copysign(above, z)
    difference = (only_challenger - only_champion) / n
    return _clipped(difference - below, difference + above, alternative)


def _added(one: float, other: float, correlation: float) -> float:
    """Length of the sum of two distances with a correlation."""
    squared = one**2 - 2 * correlation * one * other + other**2
    return math.sqrt(max(0.0, squared))


def wilson_limits(successes: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's score limits of a share, at a normal quantile.

    Neither loses digits near 0.
    """
    return _wilson_limit(successes, n, z), _wilson_limit(successes, n, -z)


def _wilson_limit(successes: float, n: float, z: float) -> float:
    """The lower limit, or the upper one if the quantile is negative."""
    middle = 2 * successes + z**2
    root = z * math.sqrt(z**2 + 4 * successes * (n - successes) / n)
    if root <= 0:
        return (middle - root) / (2 * (n + z**2))
    # The product of both limits is successes² / (n (n + z²)).
    return 2 * successes**2 / (n * (middle + root))
