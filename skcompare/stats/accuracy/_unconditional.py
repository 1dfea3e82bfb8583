"""Exact unconditional test of a paired difference of accuracies.

Records that only the champion predicts correctly are "against" and those that only the
challenger does "favour"; their counts b and c are trinomial of n records. Under a
difference delta their probabilities are (psi - delta) / 2 and (psi + delta) / 2, where the
share psi of discordant records is a nuisance. It is written psi = |delta| + (1 - |delta|)
sin(angle)², because the information about the angle is then nearly constant.
"""

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, gammaln, log_ndtr, logsumexp, ndtri, xlogy

from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.accuracy._limits import lower_score_limit, score_root
from skcompare.stats.core._tails import SMALLEST, bounded, log_more

MOST_RECORDS = 20_000
"""Number of records above which the maximum over the nuisance takes too long."""

SLACK = 1e-10
"""Distance from the observed score up to which outcomes count as equal."""

GRID = 4
"""Number of grid points of angles in a standard deviation of the discordant count."""

NEAR = 10
"""Halvings of the step at the ends of the grid."""

BLOCK = 32
"""Number of points of the grid that are evaluated together."""

REACH = 9.0
"""Standard deviations, beyond those of the p-value, within which outcomes are summed."""

REFINEMENTS = 8
"""Steps of false position to a peak, where the probability is flat."""

LOST = 1e-280
"""Probability below which logarithms are added."""


def unconditional_pvalue(
    b: int, c: int, n: int, null: float, alternative: str
) -> tuple[float, float]:
    """P-value maximized over the share of discordant records, and its logarithm.

    It is the probability, under a difference of `null_value`, of a score of Tango as far
    from 0 as the observed one, or farther in the direction of a one-sided alternative.
    """
    two_sided = alternative == "two-sided"
    # Exchanged roles are one problem, so that both give the same digits.
    if alternative == "less" or (two_sided and c - b < n * null):
        b, c, null = c, b, -null
    log_pvalue = worst(b, c, n, null, two_sided).log_probability
    return bounded(math.exp(log_pvalue), log_pvalue)


class Worst(NamedTuple):
    """Largest log probability over the nuisance parameter, and the angle of the maximum."""

    log_probability: float
    angle: float


@lru_cache(maxsize=1024)
def worst(b: int, c: int, n: int, delta: float, two_sided: bool) -> Worst:
    """Maximize the log p-value under `delta` over the angle of the nuisance parameter.

    Two-sided the score must not be negative.
    """
    score = score_root(b, c, n, 0.0, delta)
    if two_sided and score <= SLACK:
        return Worst(0.0, math.pi / 4)
    region = _region(n, delta, score, two_sided)
    angles = [0.0, math.pi / 2, *_peaks(region)]
    probabilities = [region.log_probability(angle) for angle in angles]
    best = int(np.argmax(probabilities))
    return Worst(probabilities[best], angles[best])


def log_pvalue_at_least(
    angles: Iterable[float], b: int, c: int, n: int, delta: float, two_sided: bool
) -> float:
    """Lower bound of the log p-value: the maximum over the given angles only."""
    region = _region(n, delta, score_root(b, c, n, 0.0, delta), two_sided)
    return max(region.log_probability(angle) for angle in angles)


class Tail(NamedTuple):
    """Tail of outcomes with at least `fewest` in favour, for each number against.

    For a given number against, the score rises with the number in favour. Numbers against
    are left out where they are more than `reach` standard deviations away.
    """

    n: int
    fewest: IntArray
    reach: float

    def log_probability(self, against: float, favour: float, other: float) -> float:
        """Logarithm of the probability of the tail; `other` is the concordant share."""
        n, not_against = self.n, favour + other
        width = self.reach * math.sqrt(n * against * not_against) + self.reach**2 / 3
        b = np.arange(
            max(0, int(n * against - width)), min(n, int(n * against + width)) + 1
        )
        b = b[self.fewest[b] <= n - b]
        if b.size == 0:
            return -math.inf
        rest, fewest = n - b, self.fewest[b]
        log_ways = _log_factorials(n)
        log_mass = log_ways[n] - log_ways[b] - log_ways[rest]
        log_mass += xlogy(b, against) + xlogy(rest, not_against)
        share = favour / not_against
        least = np.maximum(fewest, 1)
        above = np.where(fewest < 1, 1.0, betainc(least, rest - least + 1, share))
        probability = float(np.exp(log_mass) @ above)
        if probability > LOST:
            return math.log(probability)
        reached = fewest < 1 if share < 1 else np.ones(b.size, dtype=bool)
        if 0 < share < 1:
            far = [float(log_more(int(k) - 1, int(m), share)) for k, m in zip(least, rest)]
            return float(logsumexp(log_mass + np.where(reached, 0.0, far)))
        return float(logsumexp(log_mass[reached])) if reached.any() else -math.inf

    def border(self) -> tuple[IntArray, IntArray, IntArray]:
        """Outcomes of n - 1 records that another record moves in or out: counts and change.

        One more in favour enters the tail just below the fewest, and one more against
        leaves it from there up to the fewest of the next row.
        """
        n, fewest = self.n, self.fewest
        b = np.arange(n + 1)
        entering = (fewest >= 1) & (fewest <= n - b)
        top = np.minimum(np.append(fewest[1:], 0), n - b)
        n_leaving = np.maximum(0, top - fewest)
        row = np.repeat(b, n_leaving)
        offset = np.arange(len(row)) - np.repeat(
            np.cumsum(n_leaving) - n_leaving, n_leaving
        )
        against = np.append(b[entering], row)
        favour = np.append(fewest[entering] - 1, fewest[row] + offset)
        change = np.repeat([1, -1], [int(entering.sum()), len(row)])
        return against, favour, change


class Region(NamedTuple):
    """Region of outcomes at least as extreme as the observed one, under a difference.

    `lower` has the roles exchanged; it is None where the test is one-sided, and the same
    as `upper` where the difference is 0.
    """

    delta: float
    upper: Tail
    lower: Tail | None

    def shares(self, angles: Any) -> tuple[Any, Any, Any]:
        """Probabilities of records against, in favour and neither, without cancellation."""
        least, free = abs(self.delta), 1 - abs(self.delta)
        half = free * np.sin(angles) ** 2 / 2
        both = half, least + half
        against, favour = both if self.delta >= 0 else both[::-1]
        return against, favour, free * np.cos(angles) ** 2

    def log_probability(self, angle: float) -> float:
        """Logarithm of the probability of the region."""
        against, favour, other = map(float, self.shares(angle))
        upper = self.upper.log_probability(against, favour, other)
        if self.lower is None:
            return upper
        if self.lower is self.upper:
            return upper + math.log(2)
        lower = self.lower.log_probability(favour, against, other)
        return float(np.logaddexp(upper, lower))

    def border(self) -> "Border":
        """Border of the region, sorted by the number of discordant records."""
        against, favour, change = self.upper.border()
        if self.lower is not None and self.lower is not self.upper:
            other_favour, other_against, other_change = self.lower.border()
            against = np.append(against, other_against)
            favour = np.append(favour, other_favour)
            change = np.append(change, other_change)
        order = np.argsort(against + favour, kind="stable")
        against, favour, change = against[order], favour[order], change[order]
        n, log_ways = self.upper.n - 1, _log_factorials(self.upper.n)
        rest = n - against - favour
        log_orders = log_ways[n] - log_ways[against] - log_ways[favour] - log_ways[rest]
        return Border(against, favour, rest, log_orders, change)


class Border(NamedTuple):
    """Outcomes of n - 1 records that another record moves in or out of a region."""

    against: IntArray
    favour: IntArray
    rest: IntArray
    log_orders: FloatArray
    change: IntArray

    def slopes(self, region: Region, angles: FloatArray) -> FloatArray:
        """Derivatives of the probability with respect to the share of discordant records.

        Up to a positive factor, so that they have its sign. The derivative of the
        expectation of f(b, c) is n times that, over n - 1 records, of what one more record
        changes, f(b + 1, c) + f(b, c + 1) - 2 f(b, c), halved.
        """
        against, favour, other = region.shares(angles)
        n, reach, discordant = region.upper.n, region.upper.reach, against + favour
        width = reach * np.sqrt(n * discordant * other) + reach**2 / 3
        window = (n * discordant - width).min(), (n * discordant + width).max()
        part = slice(*np.searchsorted(self.against + self.favour, window))
        if part.start == part.stop:
            return np.zeros(len(angles))
        log_mass = self.log_orders[part] + (
            np.outer(np.log(against), self.against[part])
            + np.outer(np.log(favour), self.favour[part])
            + np.outer(np.log(other), self.rest[part])
        )
        log_mass -= log_mass.max(axis=1, keepdims=True)
        return np.exp(log_mass) @ self.change[part]


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> FloatArray:
    return gammaln(np.arange(n + 1) + 1.0)


def _region(n: int, delta: float, score: float, two_sided: bool) -> Region:
    # Outcomes beyond the quantile of the p-value itself can be left out.
    reach = REACH + math.sqrt(max(0.0, -2 * float(log_ndtr(-score))))
    upper = Tail(n, fewest_in_favour(n, delta, score), reach)
    if not two_sided:
        return Region(delta, upper, None)
    lower = upper if delta == 0 else Tail(n, fewest_in_favour(n, -delta, score), reach)
    return Region(delta, upper, lower)


def fewest_in_favour(
    n: int, delta: float, score: float, against: IntArray | None = None
) -> IntArray:
    """Smallest number in favour that reaches `score`, for each number against.

    It is one more than is possible where no number does. By default it is for all numbers
    against.
    """
    b = np.arange(n + 1) if against is None else against
    return _fewest_reaching(n, delta, score - SLACK * max(1.0, abs(score)), b)


def most_in_favour(n: int, delta: float, score: float, against: IntArray) -> IntArray:
    """Largest number in favour that does not exceed `score`, for each number against.

    It is -1 where every number does.
    """
    exceeding = math.nextafter(score + SLACK * max(1.0, abs(score)), math.inf)
    return _fewest_reaching(n, delta, exceeding, against) - 1


def _fewest_reaching(n: int, delta: float, target: float, b: IntArray) -> IntArray:
    too_few, enough = np.full(len(b), -1), n - b + 1
    while True:
        between = enough - too_few > 1
        if not between.any():
            return enough
        c = (too_few + enough) // 2
        reached = _scores(b, np.maximum(c, 0), n, delta) >= target
        enough = np.where(between & reached, c, enough)
        too_few = np.where(between & ~reached, c, too_few)


def _scores(b: IntArray, c: IntArray, n: int, delta: float) -> FloatArray:
    """Tango's score of each outcome, as in `score_root`."""
    if delta < 0:
        return -_scores(c, b, n, -delta)
    linear = (2 * n - c + b) * delta - (b + c)
    constant = b * (delta * (1 - delta))
    size = np.abs(linear) + np.sqrt(linear * linear + 8 * n * constant)
    share = np.where(linear > 0, 2 * constant / np.maximum(size, SMALLEST), size / (4 * n))
    variance = n * (2 * share + delta * (1 - delta))
    return (c - b - n * delta) / np.sqrt(np.maximum(variance, SMALLEST))


def _peaks(region: Region) -> FloatArray:
    """Angles of the local maxima of the probability in the interior of the range.

    The spread of the binomial smooths the probability: a wave as short as a standard
    deviation has less than 1e-8 of its height left. A grid of four points in each finds
    every change of sign of the slope that matters, and false position the peak.
    """
    border = region.border()
    grid = _grid(region.upper.n)
    slopes = _in_blocks(border, region, grid)
    falls = np.flatnonzero((slopes[:-1] > 0) & (slopes[1:] <= 0))
    left, right = grid[falls], grid[falls + 1]
    at_left, at_right = slopes[falls], slopes[falls + 1]
    middle = left
    for _ in range(REFINEMENTS if len(falls) else 0):
        middle = left + (right - left) * at_left / (at_left - at_right)
        slope = _in_blocks(border, region, middle)
        rising = slope > 0
        # The end that stays counts half (the Illinois rule), so that it moves in turn.
        at_left = np.where(rising, slope, at_left / 2)
        at_right = np.where(rising, at_right / 2, slope)
        left, right = np.where(rising, middle, left), np.where(rising, right, middle)
    return middle


def _grid(n: int) -> FloatArray:
    """Grid of angles in (0, pi / 2), evenly spaced and refined towards both ends.

    At an end outcomes are lost one by one, at a rate of the square of the angle.
    """
    n_points = GRID * math.ceil(math.pi * math.sqrt(n)) + BLOCK
    step = math.pi / 2 / n_points
    near = step * 0.5 ** np.arange(NEAR, 0, -1)
    even = step * np.arange(1, n_points)
    return np.concatenate([near, even, math.pi / 2 - near[::-1]])


def _in_blocks(border: Border, region: Region, angles: FloatArray) -> FloatArray:
    """Slopes at ascending angles, in blocks that need the same part of the border."""
    blocks = [angles[k : k + BLOCK] for k in range(0, len(angles), BLOCK)]
    return np.concatenate([border.slopes(region, block) for block in blocks])


SCALES = 2.0**14, 2.0**30
"""Inverse steps of a coarse and then a fine search for limits, the latter about 1e-9.

Where the p-value jumps across several levels, their limits are then the same.
"""

TINY = math.ulp(0.0)


def unconditional_limits(
    b: int, c: int, n: int, null: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Confidence limits of the difference by inverting the exact unconditional test.

    The search for a limit goes outwards from `null_value` where that is not rejected, and
    inwards from it where it is, so that the limits leave it out exactly when the test
    rejects it. The p-value jumps a little from difference to difference, because the order
    of the outcomes changes; where it crosses the level more than once, the limit is one of
    the crossings.
    """
    two_sided, alpha = alternative == "two-sided", alpha_of(confidence_level)
    low, high = -1.0, 1.0
    if alternative != "less":
        low = _lower_limit(b, c, n, null, alpha, two_sided)
    if alternative != "greater":
        high = -_lower_limit(c, b, n, -null, alpha, two_sided)
    return low, high


@lru_cache(maxsize=1024)
def _lower_limit(
    b: int, c: int, n: int, null: float, alpha: float, two_sided: bool
) -> float:
    """Smallest difference that is not rejected at level `alpha`."""
    search = Search(b, c, n, alpha, two_sided)
    kept, rejected = (c - b) / n, -1.0
    if b == n:
        return -1.0
    if null < kept and search.keeps(null):
        kept = null
    elif null < kept:
        rejected = null
    elif not two_sided and not search.keeps(kept):
        # A one-sided interval of a level below 1/2, which is beyond the estimate.
        kept, rejected = 1.0, kept
    quantile = float(-ndtri(alpha / 2 if two_sided else alpha))
    start = lower_score_limit(b, c, n, 0.0, quantile)
    return search.edge(min(max(start, rejected), kept), kept, rejected)


class Search:
    """Search for the smallest difference that a test does not reject.

    Parameters
    ----------
    b, c, n : int
        Records that favour the champion and the challenger, and all records.
    alpha : float
        Level of the test.
    two_sided : bool
        Whether the test is.

    Attributes
    ----------
    angles : set of float
        Angles with the largest p-value of some difference, and an initial one. They give a
        lower bound of the p-value quickly.
    """

    def __init__(self, b: int, c: int, n: int, alpha: float, two_sided: bool) -> None:
        self.counts = b, c, n
        self.alpha = alpha
        self.two_sided = two_sided
        self.angles = {math.pi / 4}

    def keeps(self, delta: float) -> bool:
        """Whether the test does not reject a difference."""
        alternative = "two-sided" if self.two_sided else "greater"
        self.angles.add(worst(*self.counts, delta, self.two_sided).angle)
        return not unconditional_pvalue(*self.counts, delta, alternative)[0] < self.alpha

    def excess(self, delta: float) -> float:
        """Lower bound of log(p / alpha), from the angles visited so far."""
        if abs(delta) >= 1:
            # At the ends of the scale there is no test, but its side is known.
            return math.copysign(1.0, delta)
        log_pvalue = log_pvalue_at_least(self.angles, *self.counts, delta, self.two_sided)
        return log_pvalue - math.log(self.alpha)

    def edge(self, start: float, kept: float, rejected: float) -> float:
        """Smallest difference between `rejected` and `kept` that is not rejected.

        `start` is a guess. Once the edge is found by the angles met so far, the
        difference just beyond it is tested, and if it is kept the search goes on there.
        """
        if rejected < start < kept:
            kept, rejected = (start, rejected) if self.keeps(start) else (kept, start)
        for scale in SCALES:
            while kept - rejected > 1 / scale:
                outside = self._outside(kept, rejected, scale)
                inside, outside = _narrowed(self.excess, kept, outside, scale)
                if outside == rejected or not self.keeps(outside):
                    kept, rejected = inside, outside
                    break
                kept = outside
        return kept

    def _outside(self, kept: float, rejected: float, scale: float) -> float:
        """Search outwards in growing steps for a difference with a negative excess."""
        b, c, n = self.counts
        step = math.sqrt(b + c + 1) / (10 * n)
        delta = kept
        while delta - rejected > 1 / scale:
            delta = max(delta - step, (delta + rejected) / 2)
            step *= 2
            if self.excess(delta) < 0:
                return delta
        return rejected


def _narrowed(
    excess: Callable[[float], float], inside: float, outside: float, scale: float
) -> tuple[float, float]:
    """Narrow a bracket to neighbours on a scale, with excess of opposite sign.

    Differences already kept or rejected stay so, whatever the angles.
    """
    values = {inside: max(excess(inside), TINY), outside: min(excess(outside), -TINY)}

    def on_scale(delta: float) -> float:
        if delta > outside:
            delta = min(inside, math.ceil(delta * scale) / scale)
        if delta not in values:
            values[delta] = excess(delta)
        return values[delta]

    brentq(on_scale, outside, inside, xtol=1 / (4 * scale))
    edge = min(delta for delta, value in values.items() if value >= 0)
    return edge, max(delta for delta, value in values.items() if value < 0 and delta < edge)
