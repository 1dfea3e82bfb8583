"""Confidence limits of a paired difference of accuracies."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, logsumexp, ndtri

from skcompare._typing import FloatArray
from skcompare.evidence import ContingencyTable
from skcompare.stats.core._limits import (
    DIFFERENCE,
    Pair,
    Wald,
    critical_value,
    increasing_root,
    one_sided,
    tail_of,
    wilson_limits,
)
from skcompare.stats.core._tails import (
    NEARLY_ONE,
    TINY,
    Points,
    binomial_mass,
    bounded,
    inside_unit,
    log_binomial_mass,
    log_more,
    more,
    normal_pvalue,
)

EPSILON = float(np.finfo(float).eps)

PRECISION = 1e-12
"""Precision of a limit, in records."""

BESIDE = 1e-9
"""Distance from the estimate, which may be a root itself, in records."""


def score_limits(
    against: float,
    favour: float,
    n: float,
    correction: float,
    confidence_level: float,
    alternative: str,
) -> Pair:
    """Tango's score interval of the difference [1]_, with optional continuity correction.

    Without correction it holds the differences that the asymptotic McNemar test does
    not reject, and with a correction of 1 those that the corrected one does not.

    Parameters
    ----------
    against, favour : float
        Discordant counts; fractional ones are allowed.
    n : float
        Number of records.
    correction : float
        Reduction of the distance of the counts, at most to 0.
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
    z = critical_value(confidence_level, alternative)
    low = lower_score_limit(against, favour, n, correction, z)
    high = _upper_score_limit(against, favour, n, correction, z)
    return one_sided(low, high, alternative)


def lower_score_limit(
    against: float, favour: float, n: float, correction: float, z: float
) -> float:
    """Smallest difference whose continuity-corrected score is at most z."""
    return -_upper_score_limit(favour, against, n, correction, z)


def score_root(
    against: float, favour: float, n: float, correction: float, null_value: float
) -> float:
    """Tango's score statistic of a difference, inverted by :func:`score_limits`.

    It is positive where the observed difference is above `null_value`. At 0 its square is
    McNemar's chi-squared. Any other difference has a positive variance.
    """
    distance = favour - against - n * null_value
    size = max(0.0, abs(distance) - correction)
    variance = n * record_variance(null_value, against, favour, n)
    return math.copysign(size, distance) / math.sqrt(variance) if size else 0.0


def _upper_score_limit(
    against: float, favour: float, n: float, correction: float, z: float
) -> float:
    """Largest difference whose continuity-corrected score is at least -z."""
    if z < 0:
        # Below the estimate the correction has the opposite sign.
        correction = -correction

    def excess(delta: float) -> float:
        distance = n * delta - (favour - against) - correction
        return distance - z * math.sqrt(n * record_variance(delta, against, favour, n))

    # The estimate itself can be a root, where its variance is 0 (no discordant pairs, or
    # all records favour one); the limit is the root beyond it.
    start = (favour - against + correction) / n
    start += BESIDE / n + 4 * EPSILON * abs(start)
    # At a difference of 1 the variance is 0, so the sign is that of the distance.
    if start >= 1 or excess(1.0) <= 0:
        return 1.0
    # The limit of a one-sided interval of level at most 1/2 is below the estimate.
    low, high = (-1.0, start) if z <= 0 else (start, 1.0)
    # A tiny quantile puts the limit beside the estimate.
    if excess(low) >= 0:
        return low
    if z <= 0 and excess(high) <= 0:
        return high
    return float(brentq(excess, low, high, xtol=PRECISION / n))


def record_variance(delta: float, against: float, favour: float, n: float) -> float:
    """Variance of the difference times n, with nuisance share estimated under `delta`."""
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
    against: int, favour: int, n: int, mid: bool, confidence_level: float, alternative: str
) -> Pair:
    """Confidence interval of the difference given the number of discordant pairs.

    The exact (Clopper-Pearson) or mid-p limits of the share of discordant pairs that
    favours the challenger, mapped to the difference: (2 share - 1) times the discordant
    part of the records. It inverts the exact or mid-p McNemar test.

    Without discordant pairs there is nothing to condition on, and Tango's score
    interval is returned.
    """
    discordant = against + favour
    if discordant == 0:
        return score_limits(0, 0, n, 0, confidence_level, alternative)
    tail = tail_of(confidence_level, alternative)
    share_limit = _mid_limit if mid else _exact_limit
    low = 1 - share_limit(against, discordant, tail)
    high = share_limit(favour, discordant, tail)
    part = discordant / n
    return one_sided((2 * low - 1) * part, (2 * high - 1) * part, alternative)


def _exact_limit(successes: int, trials: int, tail: float) -> float:
    """Upper Clopper-Pearson limit of a share at tail probability `tail`."""
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


def lower_root(
    total: float, n: float, variance: tuple[float, float, float], z: float
) -> float:
    """Lower limit of a difference whose score has a variance quadratic in the difference.

    It is the least difference d next to the estimate, ``total / n``, that is not rejected:
    it solves (total - n d)² = z² (c + l d + s d²), with the coefficients of the variance.
    """
    constant, linear, square = variance
    if z < 0:
        return -lower_root(-total, n, (constant, -linear, square), -z)
    if math.isinf(z):
        return -1.0
    a = n**2 - z * z * square
    half = n * total + z * z * linear / 2
    c = total**2 - z * z * constant
    root = math.sqrt(max(0.0, half * half - a * c))
    if a > 0:
        # The form without cancellation, so that a limit beside 0 keeps its digits.
        return c / (half + root) if half > 0 else (half - root) / a
    turn = half + math.copysign(root, half)
    if root == 0 or turn == 0:
        return -1.0
    # Few groups for the level, or one that holds most records: the rejected differences lie
    # between two roots. Those beyond them are kept only if 0 is among them, so that limits
    # and p-value agree.
    ends = [c / turn] if a == 0 else sorted((c / turn, turn / a))
    if ends[-1] > total / n or (a < 0 and ends[0] >= 0):
        return -1.0
    return ends[-1]


ADDED = {"wald": (0.0, 0), "agresti-min": (0.5, 2), "bonett-price": (1.0, 2)}
"""Records added to each discordant count, and to all, in an interval of Wald's form.

Agresti, A. and Min, Y. (2005). "Simple improved confidence intervals for comparing matched
proportions." Statistics in Medicine 24(5), 729-740. Bonett, D. G. and Price, R. M. (2012).
"Adjusted Wald confidence interval for a difference of binomial proportions based on paired
data." Journal of Educational and Behavioral Statistics 37(4), 479-488.
"""


def wald_limits(
    against: float, favour: float, n: float, confidence_level: float, alternative: str
) -> Pair:
    """Wald interval of the difference; too short for few records.

    It has no width where no record is discordant, or where all favour one classifier.
    """
    difference = (favour - against) / n
    variance = max(0.0, (against + favour) / n - difference**2)
    wald = Wald(difference, math.sqrt(variance / n), bounds=DIFFERENCE)
    return wald.limits(confidence_level, alternative)


def newcombe_limits(
    table: ContingencyTable, confidence_level: float, alternative: str
) -> Pair:
    """Newcombe's method 10: square-and-add interval from both Wilson intervals [1]_.

    The numerator of the correlation of correct predictions is the product of the agreeing
    counts minus that of the discordant ones, moved towards 0 by n / 2 where it is positive.

    References
    ----------
    .. [1] Newcombe, R. G. (1998). "Improved confidence intervals for the difference between
       binomial proportions based on paired data." Statistics in Medicine 17(22), 2635-2650.
    """
    both, against, favour = table.both_correct, table.only_champion, table.only_challenger
    n = both + against + favour + table.both_wrong
    z = critical_value(confidence_level, alternative)
    champion, challenger = both + against, both + favour
    covariance = both * table.both_wrong - against * favour
    if covariance > 0:
        covariance = max(0.0, covariance - n / 2)
    spread = champion * (n - champion) * challenger * (n - challenger)
    correlation = covariance / math.sqrt(spread) if spread > 0 else 0.0
    champion_low, champion_high = wilson_limits(champion, n, z)
    low, high = wilson_limits(challenger, n, z)
    share, other = challenger / n, champion / n
    below = _length_of_sum(share - low, champion_high - other, correlation)
    above = _length_of_sum(high - share, other - champion_low, correlation)
    # A quantile below 0 belongs to a one-sided level below 1/2.
    below, above = math.copysign(below, z), math.copysign(above, z)
    difference = (favour - against) / n
    return one_sided(difference - below, difference + above, alternative)


def _length_of_sum(x: float, y: float, correlation: float) -> float:
    """Combine two correlated distances by the law of cosines."""
    squared = x**2 - 2 * correlation * x * y + y**2
    return math.sqrt(max(0.0, squared))


NODES, WEIGHTS = leggauss(12)
LEVELS = np.array([1e-18, 1e-10, 1e-5, 1e-2, 0.15, 0.5])
FAR = 1e-6
"""Probability below which logarithms are integrated, around the peak of the integrand."""

ZOOMS = 8
HALVINGS = 40


class Confidence(NamedTuple):
    """Confidence distribution of a share, from successes and trials.

    The lower one is Beta(k, n - k + 1) and the upper one Beta(k + 1, n - k); a parameter of
    0 makes it a point at 0 or 1. `upper` is the weight of the upper one in their mixture.
    """

    successes: int
    trials: int
    upper: float

    @property
    def at_zero(self) -> float:
        """Probability mass at 0."""
        return 1 - self.upper if self.successes == 0 else 0.0

    @property
    def at_one(self) -> float:
        """Probability mass at 1."""
        return self.upper if self.successes == self.trials else 0.0

    def density(self, x: Points) -> FloatArray:
        """Probability density at x, for x in (0, 1)."""
        k, rest = self.successes, self.trials - self.successes
        x = inside_unit(x)
        rise = (1 - self.upper) * k / x + self.upper * rest / (1 - x)
        return binomial_mass(k, self.trials, x) * rise

    def inside(self, x: Points) -> FloatArray:
        """Probability of the interval (0, x], for x in (0, 1)."""
        # A share is below x as often as Binomial(n, x) is at least k, or at least k + 1.
        k, n, x = self.successes, self.trials, inside_unit(x)
        probability = more(k, n, x)
        if k > 0 and self.upper < 1:
            probability = probability + (1 - self.upper) * binomial_mass(k, n, x)
        return self.upper * probability if k == 0 else probability

    def cdf(self, x: Points) -> FloatArray:
        """Probability of being at most x, for x in (0, 1)."""
        return self.at_zero + self.inside(x)

    def sf(self, x: Points) -> FloatArray:
        """Probability of being at least x, for x in (0, 1)."""
        k, n, x = self.successes, self.trials, inside_unit(x)
        probability = more(n - k, n, 1 - x)
        if self.upper > 0:
            probability = probability + self.upper * binomial_mass(k, n, x)
        return probability

    def log_density(self, x: Points) -> FloatArray:
        """Logarithm of :meth:`density`, without overflow near 0 and 1."""
        k, rest = self.successes, self.trials - self.successes
        x = inside_unit(x)
        rise = np.logaddexp(
            _log((1 - self.upper) * k) - np.log(x), _log(self.upper * rest) - np.log1p(-x)
        )
        return log_binomial_mass(k, self.trials, x) + rise

    def log_cdf(self, x: Points) -> FloatArray:
        """Logarithm of :meth:`cdf`, without underflow."""
        k, n, x = self.successes, self.trials, inside_unit(x)
        if k == 0:
            return np.logaddexp(_log(1 - self.upper), _log(self.upper) + log_more(k, n, x))
        return np.logaddexp(
            log_more(k, n, x), _log(1 - self.upper) + log_binomial_mass(k, n, x)
        )

    def log_sf(self, x: Points) -> FloatArray:
        """Logarithm of :meth:`sf`, without underflow."""
        k, n, x = self.successes, self.trials, inside_unit(x)
        fewer = log_more(n - k, n, 1 - x)
        return np.logaddexp(fewer, _log(self.upper) + log_binomial_mass(k, n, x))


def _log(weight: float) -> float:
    return math.log(weight) if weight > 0 else -math.inf


@lru_cache(maxsize=16)
def _edges(successes: int, trials: int) -> FloatArray:
    """Increasing breakpoints for the integration of a confidence distribution."""
    a, b = successes + 0.5, trials - successes + 0.5
    below, above = betaincinv(a, b, LEVELS), 1 - betaincinv(b, a, LEVELS[-2::-1])
    return np.maximum(np.concatenate([below, above]), np.finfo(float).tiny)


def melded_limits(
    against: int, favour: int, n: int, mid: bool, confidence_level: float, alternative: str
) -> Pair:
    """Fay and Lumbard's melded interval of the difference [1]_, exact or mid-p.

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
    none_discordant = against + favour == 0
    if none_discordant and mid:
        return score_limits(0, 0, n, 0, confidence_level, alternative)
    tail = tail_of(confidence_level, alternative)
    if none_discordant:
        largest_part = -math.expm1(math.log(tail) / n)
        return one_sided(-largest_part, largest_part, alternative)
    low, high = -1.0, 1.0
    if alternative != "less":
        low = _lower_limit(against, favour, n, mid, tail)
    if alternative != "greater":
        high = -_lower_limit(favour, against, n, mid, tail)
    if tail <= 0.5:
        # Without pairs against one classifier the mid-p limits of low levels are beyond it.
        estimate = (favour - against) / n
        low, high = min(low, estimate), max(high, estimate)
    return low, high


def _lower_limit(against: int, favour: int, n: int, mid: bool, tail: float) -> float:
    """Lower limit: the `tail` quantile of the melded distribution of the difference."""
    discordant = against + favour
    share = Confidence(favour, discordant, 0.5 if mid else 0.0)
    positive = share.cdf(0.5) < tail
    # Where the difference is positive, few discordant records are the least favourable,
    # and many where it is negative.
    part = Confidence(discordant, n, 0.5 if mid else float(not positive))

    normal_tail = float(ndtri(tail))

    def excess(delta: float) -> float:
        # On the scale of normal quantiles the root of a nearly straight line is near.
        probability = min(max(_probability(delta, share, part), TINY), NEARLY_ONE)
        return float(ndtri(probability)) - normal_tail

    # Tango's limits are near, corrected ones if the test is exact.
    guess = lower_score_limit(against, favour, n, float(not mid), -normal_tail)
    step = math.sqrt(discordant) / n
    bounds = (0.0, 1.0) if positive else (-1.0, 0.0)
    return increasing_root(excess, guess, step / 20, bounds, precision=PRECISION * step)


def _probability(delta: float, share: Confidence, part: Confidence) -> float:
    """P(part (2 share - 1) <= delta) for independent `part` and `share`."""
    if delta == 0:
        return float(share.cdf(0.5))
    size, sign = abs(delta), math.copysign(1.0, delta)
    parts, shares = _edges(*part[:2]), _edges(*share[:2])
    # Shares nearer to 1/2 than the largest part requires always have the product above a
    # negative delta and below a positive one.
    nearest, farthest = size / parts[-1], min(1.0, size / parts[0])
    if nearest >= 1:
        # At -1 there may be a point, where all records favour the champion.
        return 1.0 if delta > 0 else float(size == 1) * share.at_zero * part.at_one
    # Integrated over the logarithm of the distance |2 share - 1|, because the part that
    # just meets delta is its reciprocal.
    distances = np.concatenate([size / parts, sign * (2 * shares - 1)])
    inside = distances[(distances > nearest) & (distances < farthest)]
    edges = np.log(np.sort(np.concatenate([[nearest], inside, [farthest]])))
    half = np.diff(edges)[:, np.newaxis] / 2
    distance = np.exp(edges[:-1, np.newaxis] + half * (NODES + 1))
    mass = WEIGHTS * half * share.density((1 + sign * distance) / 2) * distance / 2
    bound = size / distance
    if delta > 0:
        certain = share.cdf((1 + nearest) / 2) + share.at_one * part.cdf(size)
        return float(certain + np.sum(mass * part.cdf(bound)))
    certain = share.inside((1 - farthest) / 2) + share.at_zero * part.sf(size)
    return float(certain + np.sum(mass * part.sf(bound)))


def melded_pvalue(
    against: int, favour: int, n: int, mid: bool, null_value: float, alternative: str
) -> Pair:
    """P-value of a nonzero null difference by inverting the interval, and its logarithm.

    One-sided it is the probability of the melded distribution beyond the null value, and
    two-sided twice the smaller of both, so that :func:`melded_limits` leave out exactly
    the differences that are rejected. On the far side of the estimate a one-sided p-value
    is at least 1/2, as the limits hold the estimate.
    """
    none_discordant = against + favour == 0
    if none_discordant and mid:
        return normal_pvalue(score_root(0, 0, n, 0.0, null_value), alternative)
    greater = _log_tail(against, favour, n, mid, null_value)
    less = _log_tail(favour, against, n, mid, -null_value)
    return pvalue_of_tails(greater, less, alternative)


def pvalue_of_tails(greater: float, less: float, alternative: str) -> Pair:
    """P-value and its logarithm, from the logarithms of both tail probabilities."""
    log_pvalue = {
        "two-sided": math.log(2) + min(greater, less),
        "greater": greater,
        "less": less,
    }[alternative]
    return bounded(math.exp(log_pvalue), log_pvalue)


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
    """Logarithm of P(part (2 share - 1) <= delta) for nonzero delta, without underflow."""
    size, sign = abs(delta), math.copysign(1.0, delta)
    if delta > 0:
        certain = float(share.log_cdf((1 + size) / 2))
        point = _log(share.at_one) + float(part.log_cdf(size))
        log_tail = part.log_cdf
    else:
        certain, point = -math.inf, _log(share.at_zero) + float(part.log_sf(size))
        log_tail = part.log_sf

    def integrand(logarithm: FloatArray) -> FloatArray:
        distance = np.exp(logarithm)
        mass = share.log_density((1 + sign * distance) / 2) + logarithm - math.log(2)
        return mass + log_tail(size / distance)

    return float(np.logaddexp(np.logaddexp(certain, point), _log_integral(integrand, size)))


def _log_integral(integrand: Callable[[FloatArray], FloatArray], size: float) -> float:
    """Logarithm of the integral of a unimodal function over [log(size), 0].

    `integrand` is the logarithm of the function. Panels grow by halves away from the peak,
    so that a peak of any width is resolved.
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
