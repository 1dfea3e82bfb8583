"""Interval of a paired difference that agrees with the exact and mid-p McNemar tests.

Its inversion tests any other difference by the same confidence distribution.
"""

import math
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import brentq
from scipy.special import betaincinv, logsumexp, ndtri

from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray
from skcompare.stats._binomial_tails import (
    Points,
    binomial_mass,
    inside_unit,
    log_binomial_mass,
    log_more,
    more,
)
from skcompare.stats._difference_limits import (
    lower_score_limit,
    one_sided,
    score_limits,
    score_root,
)
from skcompare.stats._tails import SMALLEST, normal_pvalue

NODES, WEIGHTS = leggauss(12)
LEVELS = np.array([1e-18, 1e-10, 1e-5, 1e-2, 0.15, 0.5])
PRECISION = 1e-12
"""Of a limit, in standard errors."""

FAR = 1e-6
"""Smaller probabilities are integrated as logarithms, about the peak of the integrand."""

ZOOMS = 8
HALVINGS = 40


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
        x = inside_unit(x)
        rise = (1 - self.upper) * k / x + self.upper * rest / (1 - x)
        return binomial_mass(k, self.trials, x) * rise

    def inside(self, x: Points) -> FloatArray:
        """Probability of being above 0 and at most x, for x in (0, 1)."""
        # A share is below x as often as Binomial(n, x) is at least k, or at least k + 1.
        k, n, x = self.successes, self.trials, inside_unit(x)
        found = more(k, n, x)
        if k > 0 and self.upper < 1:
            found = found + (1 - self.upper) * binomial_mass(k, n, x)
        return self.upper * found if k == 0 else found

    def cdf(self, x: Points) -> FloatArray:
        """Probability of being at most x, for x in (0, 1)."""
        return self.at_zero + self.inside(x)

    def sf(self, x: Points) -> FloatArray:
        """Probability of being at least x, for x in (0, 1)."""
        k, n, x = self.successes, self.trials, inside_unit(x)
        found = more(n - k, n, 1 - x)
        if self.upper > 0:
            found = found + self.upper * binomial_mass(k, n, x)
        return found

    def log_density(self, x: Points) -> FloatArray:
        """Logarithm of the density, without overflow at the ends."""
        k, rest = self.successes, self.trials - self.successes
        x = inside_unit(x)
        rise = np.logaddexp(
            _log((1 - self.upper) * k) - np.log(x), _log(self.upper * rest) - np.log1p(-x)
        )
        return log_binomial_mass(k, self.trials, x) + rise

    def log_cdf(self, x: Points) -> FloatArray:
        """Logarithm of the probability of being at most x, without underflow."""
        k, n = self.successes, self.trials
        if k == 0:
            return np.logaddexp(_log(1 - self.upper), _log(self.upper) + log_more(k, n, x))
        return np.logaddexp(
            log_more(k, n, x), _log(1 - self.upper) + log_binomial_mass(k, n, x)
        )

    def log_sf(self, x: Points) -> FloatArray:
        """Logarithm of the probability of being at least x, without underflow."""
        k, n = self.successes, self.trials
        fewer = log_more(n - k, n, 1 - inside_unit(x))
        return np.logaddexp(fewer, _log(self.upper) + log_binomial_mass(k, n, x))


def _log(weight: float) -> float:
    return math.log(weight) if weight > 0 else -math.inf


@lru_cache(maxsize=16)
def _edges(successes: int, trials: int) -> FloatArray:
    """Points between which a confidence distribution is smooth, increasing."""
    a, b = successes + 0.5, trials - successes + 0.5
    below, above = betaincinv(a, b, LEVELS), 1 - betaincinv(b, a, LEVELS[-2::-1])
    return np.maximum(np.concatenate([below, above]), np.finfo(float).tiny)


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
    tail = alpha_of(confidence_level)
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
    if tail <= 0.5:
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

    # Tango's limits are near, corrected ones if the test is exact.
    guess = lower_score_limit(against, favour, n, float(not mid), float(-ndtri(tail)))
    step = math.sqrt(discordant) / n
    bounds = (0.0, 1.0) if positive else (-1.0, 0.0)
    return _increasing_root(excess, guess, step / 20, bounds, PRECISION * step)


def _increasing_root(
    function: Callable[[float], float],
    guess: float,
    step: float,
    bounds: tuple[float, float],
    precision: float,
) -> float:
    """Where an increasing function is 0, or the bound that it does not reach 0 at."""
    remembered = cache(function)
    low, high = bounds
    here = min(max(guess, low), high)
    step = -step if remembered(here) > 0 else step
    while True:
        there = min(max(here + step, low), high)
        if remembered(there) * step >= 0:
            return float(brentq(remembered, *sorted((here, there)), xtol=precision))
        if there in bounds:
            return there
        here, step = there, 3 * step


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


def melded_pvalue(
    only_champion: int,
    only_challenger: int,
    n: int,
    mid: bool,
    null_value: float,
    alternative: str,
) -> tuple[float, float]:
    """P-value and its logarithm of a difference other than 0, by inverting the interval.

    One-sided it is the probability of the melded distribution beyond the null value, and
    two-sided twice the smaller of both, so that :func:`melded_limits` leave out exactly
    the differences that are rejected. On the far side of the estimate a one-sided p-value
    is at least 1/2, as the limits hold the estimate.
    """
    none_discordant = only_champion + only_challenger == 0
    if none_discordant and mid:
        return normal_pvalue(score_root(0, 0, n, 0.0, null_value), alternative)
    greater = _log_tail(only_champion, only_challenger, n, mid, null_value)
    less = _log_tail(only_challenger, only_champion, n, mid, -null_value)
    log_pvalue = {
        "two-sided": min(0.0, math.log(2) + min(greater, less)),
        "greater": greater,
        "less": less,
    }[alternative]
    return max(math.exp(log_pvalue), SMALLEST), log_pvalue


def _log_tail(against: int, favour: int, n: int, mid: bool, null: float) -> float:
    """Logarithm of the probability that the difference is at most `null`."""
    discordant = against + favour
    if discordant == 0:
        # The discordant share alone, as in the limits.
        return n * math.log1p(null) if null < 0 else 0.0
    share = Confidence(favour, discordant, 0.5 if mid else 0.0)
    part = Confidence(discordant, n, 0.5 if mid else float(null < 0))
    probability = _probability(null, share, part)
    log_tail = _log(probability)
    if probability < FAR:
        log_tail = _log_probability(null, share, part)
    if null * n >= favour - against:
        log_tail = max(log_tail, math.log(0.5))
    return min(0.0, log_tail)


def _log_probability(delta: float, share: Confidence, part: Confidence) -> float:
    """Logarithm of P(part (2 share - 1) <= delta), however small, for delta not 0."""
    size, sign = abs(delta), math.copysign(1.0, delta)
    if delta > 0:
        met = float(share.log_cdf((1 + size) / 2))
        point = _log(share.at_one) + float(part.log_cdf(size))
        log_tail = part.log_cdf
    else:
        met, point = -math.inf, _log(share.at_zero) + float(part.log_sf(size))
        log_tail = part.log_sf

    def integrand(logarithm: FloatArray) -> FloatArray:
        distance = np.exp(logarithm)
        mass = share.log_density((1 + sign * distance) / 2) + logarithm - math.log(2)
        return mass + log_tail(size / distance)

    return float(np.logaddexp(np.logaddexp(met, point), _log_integral(integrand, size)))


def _log_integral(integrand: Callable[[FloatArray], FloatArray], size: float) -> float:
    """Logarithm of the integral over [log(size), 0] of a function with one peak.

    `integrand` is the logarithm of the function. Panels grow by halves away from the
    peak, so that each width of it is met.
    """
    low, high = math.log(size), 0.0
    for _ in range(ZOOMS):
        points = np.linspace(low, high, 33)
        best = int(np.argmax(integrand(points)))
        low, high = points[max(best - 1, 0)], points[min(best + 1, 32)]
    peak = points[best]
    steps = 0.5 ** (np.arange(2 * HALVINGS + 1) / 2)
    left, right = peak + (math.log(size) - peak) * steps, peak - peak * steps
    edges = np.unique(np.concatenate([left, [peak], right]))
    half = np.diff(edges)[:, np.newaxis] / 2
    values = integrand(edges[:-1, np.newaxis] + half * (NODES + 1))
    return float(logsumexp(values, b=WEIGHTS * half))
