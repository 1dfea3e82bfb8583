"""Interval of a paired difference that agrees with the exact and mid-p McNemar tests."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, gammaln, ndtri

from skcompare._typing import FloatArray
from skcompare.stats._difference_limits import one_sided, score_limits

__all__ = ["melded_limits"]

Points = FloatArray | float

NODES, WEIGHTS = leggauss(12)
LEVELS = np.array([1e-18, 1e-10, 1e-5, 1e-2, 0.15, 0.5])
PRECISION = 1e-12
"""Of a limit, in standard errors."""


class Confidence(NamedTuple):
    """A confidence distribution of a share, after some successes in some trials.

    The lower one is Beta(k, n - k + 1) and the upper one Beta(k + 1, n - k); a parameter of
    0 makes it a point at 0 or 1. `upper` is the weight of the upper one in their mixture.
    """

    successes: int
    trials: int
    upper: float

    @property
    def at_zero(self) -> float:
        """Probability of the point 0."""
        return 1 - self.upper if self.successes == 0 else 0.0

    @property
    def at_one(self) -> float:
        """Probability of the point 1."""
        return self.upper if self.successes == self.trials else 0.0

    def density(self, x: Points) -> FloatArray:
        """Density inside (0, 1)."""
        k, rest = self.successes, self.trials - self.successes
        x = _within(x)
        rise = (1 - self.upper) * k / x + self.upper * rest / (1 - x)
        return _binomial_mass(k, self.trials, x) * rise

    def inside(self, x: Points) -> FloatArray:
        """Probability of being above 0 and at most x, for x in (0, 1)."""
        # A share is below x as often as Binomial(n, x) is at least k, or at least k + 1.
        k, n, x = self.successes, self.trials, _within(x)
        if k == n:
            return (1 - self.upper) * x**n
        more = betainc(k + 1, n - k, x)
        if k == 0:
            return self.upper * more
        return more + (1 - self.upper) * _binomial_mass(k, n, x)

    def cdf(self, x: Points) -> FloatArray:
        """Probability of being at most x, for x in (0, 1)."""
        return self.at_zero + self.inside(x)

    def sf(self, x: Points) -> FloatArray:
        """Probability of being at least x, for x in (0, 1)."""
        k, n, x = self.successes, self.trials, _within(x)
        fewer = betainc(n - k + 1, k, 1 - x) if k else 0.0
        return fewer + self.upper * _binomial_mass(k, n, x)


@lru_cache(maxsize=16)
def _edges(successes: int, trials: int) -> FloatArray:
    """Points between which a confidence distribution is smooth, increasing."""
    a, b = successes + 0.5, trials - successes + 0.5
    below, above = betaincinv(a, b, LEVELS), 1 - betaincinv(b, a, LEVELS[-2::-1])
    return np.maximum(np.concatenate([below, above]), np.finfo(float).tiny)


def _within(x: Points) -> FloatArray:
    """Points of (0, 1), of which rounding may have made 0 or 1."""
    return np.clip(x, np.finfo(float).tiny, 1 - np.finfo(float).epsneg)


def _binomial_mass(k: int, n: int, x: Points) -> FloatArray:
    """P(Binomial(n, x) = k), with all digits for large n too."""
    x = _within(x)
    if k in (0, n):
        return np.exp(n * (np.log(x) if k else np.log1p(-x)))
    # Relative to the largest value, because logarithms of n! have no digits left for it.
    p, q = k / n, (n - k) / n
    fall = k * _log_ratio(x, x - p, p) + (n - k) * _log_ratio(1 - x, p - x, q)
    return np.exp(_log_largest_mass(k, n) + fall)


def _log_ratio(x: FloatArray, distance: FloatArray, p: float) -> FloatArray:
    """Logarithm of x / p, where x is p plus the distance."""
    near = np.clip(distance / p, -0.5, 0.5)
    return np.where(np.abs(distance) < p / 2, np.log1p(near), np.log(x / p))


@lru_cache(maxsize=16)
def _log_largest_mass(k: int, n: int) -> float:
    """Logarithm of P(Binomial(n, k / n) = k), by Stirling's formula with its error."""
    errors = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    return errors - 0.5 * math.log(2 * math.pi * k * ((n - k) / n))


def _stirling_error(n: int) -> float:
    if n < 100:
        rest = (n + 0.5) * math.log(n) - n + 0.5 * math.log(2 * math.pi)
        return float(gammaln(n + 1)) - rest
    return 1 / (12 * n) - 1 / (360 * n**3) + 1 / (1260 * n**5)


def melded_limits(
    only_champion: int,
    only_challenger: int,
    n: int,
    mid: bool,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Fay and Lumbard's interval of the difference [1]_, exact or mid-p.

    The difference is the share of records that are discordant times (2 s - 1), where s is
    the share of the discordant ones that favours the challenger. The confidence
    distribution of s is the one behind the exact (or mid-p) McNemar test, and is melded
    with that of the discordant share; the sign of the difference depends on s alone, so
    the interval excludes 0 exactly when the test rejects. The mid-p version takes the
    even mixture of the lower and the upper confidence distribution of either share.

    Without discordant pairs s has no distribution. The exact limits are then those of the
    discordant share itself, and the mid-p ones those of Tango's score interval.

    References
    ----------
    .. [1] Fay, M. P. and Lumbard, K. (2021). "Confidence intervals for difference in
       proportions for matched pairs compatible with exact McNemar's or sign tests."
       Statistics in Medicine 40(5), 1147-1159.
    """
    none_discordant = only_champion + only_challenger == 0
    if none_discordant and mid:
        return score_limits(0, 0, n, 0, confidence_level, alternative)
    tail = 1 - confidence_level
    if alternative == "two-sided":
        tail /= 2
    if none_discordant:
        largest_part = -math.expm1(math.log(tail) / n)
        return one_sided(-largest_part, largest_part, alternative)
    low, high = -1.0, 1.0
    if alternative != "less":
        low = _lower_limit(only_champion, only_challenger, n, mid, tail)
    if alternative != "greater":
        high = -_lower_limit(only_challenger, only_champion, n, mid, tail)
    if tail < 0.5:
        # Without pairs against one classifier the mid-p limits of low levels are beyond it.
        estimate = (only_challenger - only_champion) / n
        low, high = min(low, estimate), max(high, estimate)
    return low, high


def _lower_limit(against: int, favour: int, n: int, mid: bool, tail: float) -> float:
    """The difference below which the melded distribution has a probability of `tail`."""
    discordant = against + favour
    share = Confidence(favour, discordant, 0.5 if mid else 0.0)
    positive = share.cdf(0.5) < tail
    # Where the difference is positive, few discordant records are the least favourable,
    # and many where it is negative.
    part = Confidence(discordant, n, 0.5 if mid else float(not positive))

    def excess(delta: float) -> float:
        return _probability(delta, share, part) - tail

    step = math.sqrt(discordant) / n
    guess = (favour - against) / n + step * ndtri(tail)
    bounds = (0.0, 1.0) if positive else (-1.0, 0.0)
    return _increasing_root(excess, guess, step / 4, bounds, PRECISION * step)


def _increasing_root(
    function: Callable[[float], float],
    guess: float,
    step: float,
    bounds: tuple[float, float],
    precision: float,
) -> float:
    """Where an increasing function is 0, or the bound that it does not reach 0 at."""
    low, high = bounds
    here = min(max(guess, low), high)
    step = -step if function(here) > 0 else step
    while True:
        there = min(max(here + step, low), high)
        if function(there) * step >= 0:
            return float(brentq(function, *sorted((here, there)), xtol=precision))
        if there in bounds:
            return there
        here, step = there, 2 * step


def _probability(delta: float, share: Confidence, part: Confidence) -> float:
    """P(part (2 share - 1) <= delta) for independent variables."""
    if delta == 0:
        return float(share.cdf(0.5))
    size, sign = abs(delta), math.copysign(1.0, delta)
    parts, shares = _edges(*part[:2]), _edges(*share[:2])
    # Shares nearer to 1/2 than the largest part asks for always have the product above a
    # negative delta and below a positive one.
    nearest, farthest = size / parts[-1], min(1.0, size / parts[0])
    if nearest >= 1:
        # At -1 there may be a point, where all records favour the champion.
        return 1.0 if delta > 0 else float(size == 1) * share.at_zero * part.at_one
    # Integrated over the logarithm of the distance |2 share - 1|, because the part that
    # just meets delta is its reciprocal.
    distances = np.concatenate([size / parts, sign * (2 * shares - 1)])
    inside = distances[(distances > nearest) & (distances < farthest)]
    edges = np.log(np.unique(np.concatenate([[nearest], inside, [farthest]])))
    half = np.diff(edges)[:, np.newaxis] / 2
    distance = np.exp(edges[:-1, np.newaxis] + half * (NODES + 1))
    mass = WEIGHTS * half * share.density((1 + sign * distance) / 2) * distance / 2
    bound = size / distance
    if delta > 0:
        met = share.cdf((1 + nearest) / 2) + share.at_one * part.cdf(size)
        return float(met + np.sum(mass * part.cdf(bound)))
    met = share.inside((1 - farthest) / 2) + share.at_zero * part.sf(size)
    return float(met + np.sum(mass * part.sf(bound)))
