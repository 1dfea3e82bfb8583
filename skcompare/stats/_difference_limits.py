"""Intervals of a paired difference of accuracies, each the inversion of its test."""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, ndtri

from skcompare._core.validation import alpha_of

EPSILON = float(np.finfo(float).eps)

PRECISION = 1e-12
"""Of a limit, in records."""

BESIDE = 1e-9
"""How far beside the estimate its own root is left behind, in records."""


def score_limits(
    only_champion: float,
    only_challenger: float,
    n: float,
    correction: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Tango's score interval of the difference [1]_, with continuity correction.

    Without correction it holds the differences that the asymptotic McNemar test does
    not reject, and with a correction of 1 those that the corrected one does not.

    Parameters
    ----------
    only_champion, only_challenger : float
        Discordant counts; fractional ones are allowed.
    n : float
        Number of records.
    correction : float
        What is taken from the distance of the counts, at most to 0.
    confidence_level : float
        Between 0 and 1.
    alternative : {"two-sided", "less", "greater"}
        One-sided intervals reach to -1 or 1.

    References
    ----------
    .. [1] Tango, T. (1998). "Equivalence test and confidence interval for the
       difference in proportions for the paired-sample design." Statistics in Medicine
       17(8), 891-908.
    """
    z = quantile(confidence_level, alternative)
    low = lower_score_limit(only_champion, only_challenger, n, correction, z)
    high = _upper_score_limit(only_champion, only_challenger, n, correction, z)
    return one_sided(low, high, alternative)


def lower_score_limit(
    only_champion: float, only_challenger: float, n: float, correction: float, z: float
) -> float:
    """Smallest difference whose corrected score is not above z."""
    return -_upper_score_limit(only_challenger, only_champion, n, correction, z)


def score_root(
    only_champion: float,
    only_challenger: float,
    n: float,
    correction: float,
    null_value: float,
) -> float:
    """Tango's score of a difference, which :func:`score_limits` invert.

    Positive, it says that the observed difference is above `null_value`. At 0 its square is
    McNemar's chi-squared. Any other difference has a positive variance.
    """
    distance = only_challenger - only_champion - n * null_value
    size = max(0.0, abs(distance) - correction)
    variance = n * record_variance(null_value, only_champion, only_challenger, n)
    return math.copysign(size, distance) / math.sqrt(variance) if size else 0.0


def quantile(confidence_level: float, alternative: str) -> float:
    """Standard normal quantile of a two-sided or one-sided level."""
    share = alpha_of(confidence_level)
    return float(-ndtri(share / 2 if alternative == "two-sided" else share))


def one_sided(low: float, high: float, alternative: str) -> tuple[float, float]:
    """The limits of an interval that reaches to -1 or 1 where the test is one-sided."""
    if alternative == "greater":
        return low, 1.0
    if alternative == "less":
        return -1.0, high
    return low, high


def _upper_score_limit(
    against: float, favour: float, n: float, correction: float, z: float
) -> float:
    """Largest difference whose corrected score is not below -z."""
    if z < 0:
        # Below the estimate it is the other side that the correction is taken from.
        correction = -correction

    def excess(delta: float) -> float:
        distance = n * delta - (favour - against) - correction
        return distance - z * math.sqrt(n * record_variance(delta, against, favour, n))

    # The estimate itself can be a root, where its variance is 0 (no discordant pairs, or
    # nothing else); the limit is the root beyond it.
    start = (favour - against + correction) / n
    start += BESIDE / n + 4 * EPSILON * abs(start)
    # At a difference of 1 the variance is 0, so the sign is that of the distance.
    if start >= 1 or excess(1.0) <= 0:
        return 1.0
    if z <= 0:
        return _limit_of_negativequantile(excess, start, PRECISION / n)
    # A tiny quantile puts the limit beside the estimate.
    if excess(start) >= 0:
        return start
    return float(brentq(excess, start, 1.0, xtol=PRECISION / n))


def _limit_of_negativequantile(
    excess: Callable[[float], float], start: float, precision: float
) -> float:
    """The limit of a one-sided interval of level 1/2 or less, below the estimate."""
    if excess(-1.0) >= 0:
        return -1.0
    if excess(start) <= 0:
        return start
    return float(brentq(excess, -1.0, start, xtol=precision))


def record_variance(delta: float, against: float, favour: float, n: float) -> float:
    """N times the variance of the difference, with nuisance estimated under `delta`."""
    # Maximum-likelihood share of records that favour the champion when the difference
    # is `delta`: the positive root of a quadratic. Where the difference is negative the
    # roles are exchanged, so that no term cancels another.
    if delta < 0:
        delta, against, favour = -delta, favour, against
    a = 2 * n
    b = -favour - against + (2 * n - favour + against) * delta
    c = -against * delta * (1 - delta)
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    share = -2 * c / (b + root) if b > 0 else (root - b) / (2 * a)
    return max(0.0, 2 * share + delta * (1 - delta))


def conditional_limits(
    only_champion: int,
    only_challenger: int,
    n: int,
    mid: bool,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Interval of the difference given the number of discordant pairs.

    The exact (Clopper-Pearson) or mid-p limits of the share of discordant pairs that
    favours the challenger, mapped to the difference: (2 share - 1) times the discordant
    part of the records. It inverts the exact or mid-p McNemar test.

    Without discordant pairs there is nothing to condition on, and Tango's score
    interval is returned.
    """
    discordant = only_champion + only_challenger
    if discordant == 0:
        return score_limits(0, 0, n, 0, confidence_level, alternative)
    tail = alpha_of(confidence_level)
    if alternative == "two-sided":
        tail /= 2
    share_limit = _mid_limit if mid else _exact_limit
    low = 1 - share_limit(only_champion, discordant, tail)
    high = share_limit(only_challenger, discordant, tail)
    part = discordant / n
    return one_sided((2 * low - 1) * part, (2 * high - 1) * part, alternative)


def _exact_limit(successes: int, trials: int, tail: float) -> float:
    """Largest share under which so few successes have at least this probability."""
    if successes == trials:
        return 1.0
    return float(1 - betaincinv(trials - successes, successes + 1, tail))


def _mid_limit(successes: int, trials: int, tail: float) -> float:
    if successes == trials:
        # Only the observed number itself is as small, so half of share**trials counts.
        if tail >= 0.5:
            return float((2 * (1 - tail)) ** (1 / trials))
        return 1.0

    def excess(share: float) -> float:
        # Half of P(X <= k) and half of P(X < k), each an incomplete beta function.
        at_most = betainc(trials - successes, successes + 1, 1 - share)
        below = betainc(trials - successes + 1, successes, 1 - share) if successes else 0.0
        return float((at_most + below) / 2 - tail)

    if excess(0.0) <= 0:
        return 0.0
    return float(brentq(excess, 0.0, 1.0, xtol=EPSILON, rtol=4 * EPSILON))
