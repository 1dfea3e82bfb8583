"""The null distribution of a signed-rank sum, with ties: exact tail probabilities.

Each rank is counted with probability 1/2. Ranks are given doubled, so that the mean of
tied ranks is a whole number.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len, rfft
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._tails import SMALLEST, normal_pvalue

MOST_RANKED = 5000
"""Up to so many ranked differences a tail probability takes less than about a second,
or a few where nearly all are tied."""

LOG_2 = math.log(2)

MOST_ADDED = 10_000_000
"""Sums are counted where it takes so many additions, a hundredth of a second."""

MOST_HALVED = 1000
"""Above so many ranks a probability of 2**-m would underflow."""

REACH = 9.5
"""Standard deviations that are kept on either side. By Hoeffding's inequality less than
exp(-REACH**2 / 2) = 3e-20 lies beyond."""

LOG_VANISHED = math.log(1e-22)
"""A frequency whose share in a transform is below this is lost beside the others."""

FEW_KEPT = 200
"""So few frequencies are followed without looking closer."""

TURN_COST = 30
"""Additions that take as long as one angle."""

TURNED_AT_ONCE = 1 << 20
"""Angles that are held at a time."""


def rank_sum_chance(doubled: IntArray, room: int) -> tuple[float, float]:
    """Probability of a rank sum of at most `room`, and its logarithm.

    Both the ranks and `room` are doubled. The logarithm keeps its digits however small
    the probability is; the distribution is symmetric, so that this is either tail.
    """
    sizes, number = np.unique(doubled, return_counts=True)
    unit = int(np.gcd.reduce(sizes)) if len(sizes) else 1
    sizes, most, room = sizes // unit, int(doubled.sum()) // unit, room // unit
    if room < 0:
        return 0.0, -math.inf
    if room >= most:
        return 1.0, 0.0
    if 2 * room < most:
        return _lower_tail(sizes, number, room)
    # The other tail is the smaller one, and known to more digits than its complement.
    other, _ = _lower_tail(sizes, number, most - room - 1)
    return 1 - other, math.log1p(-other)


def _lower_tail(sizes: IntArray, number: IntArray, room: int) -> tuple[float, float]:
    """Probability of at most `room`, which is below the mean, and its logarithm."""
    m = int(number.sum())
    if room < sizes[0]:
        return math.ldexp(1.0, -m), -m * LOG_2
    if m <= MOST_HALVED and m * room <= MOST_ADDED:
        chance = _added(sizes, number, room, 0.0)
        return chance, math.log(chance)
    tilt = _tilt(sizes, number, room)
    turns = _turns(sizes, number)
    kept = _frequencies(sizes, number, tilt, turns)
    # Far in the tail hardly a coin is fair, and all frequencies matter; but then there is
    # little room.
    if m * room <= TURN_COST * len(kept) * len(sizes):
        tail = _added(sizes, number, room, tilt)
    else:
        tail = _turned(sizes, number, room, tilt, turns, kept)
    # What was loaded is taken back in the logarithm.
    log_moment = float(number @ np.log1p(np.exp(-tilt * sizes))) - m * LOG_2
    log_chance = log_moment + tilt * room + math.log(tail)
    return math.exp(log_chance), log_chance


def _tilt(sizes: IntArray, number: IntArray, room: int) -> float:
    """How the coins are loaded so that `room` is the expected sum (exponential tilting)."""

    def excess(tilt: float) -> float:
        return float((number * sizes) @ expit(-tilt * sizes)) - room

    high = 1.0 / float(sizes[-1])
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-300))


def _added(sizes: IntArray, number: IntArray, room: int, tilt: float) -> float:
    """The tail under loaded coins, by adding one rank after the other.

    Sums beyond `room` never come back. Without tilt only halves are taken and added, so
    that the probabilities of up to some fifty ranks are exact.
    """
    chances = np.zeros(room + 1)
    chances[0] = 1.0
    reached = 1
    for size, count in zip(sizes.tolist(), number.tolist(), strict=True):
        share = float(expit(-tilt * size))
        for _ in range(count):
            grown = min(room + 1, reached + size)
            added = chances[: max(0, grown - size)] * share
            chances[:reached] *= 1 - share
            chances[size:grown] += added
            reached = max(reached, grown)
    # From the smallest on, and each as far from `room` as it is.
    return float(np.sum(chances * np.exp(-tilt * np.arange(room, -1.0, -1.0))))


def _turns(sizes: IntArray, number: IntArray) -> int:
    """Sums on a circle that holds the distribution, all of it or all but 1e-19."""
    spread = math.sqrt(float(number @ (sizes.astype(float) ** 2))) / 2
    enough = next_fast_len(2 * math.ceil(REACH * spread), real=True)
    return min(int(number @ sizes) + 1, int(enough))


def _turned(
    sizes: IntArray,
    number: IntArray,
    room: int,
    tilt: float,
    turns: int,
    kept: IntArray,
) -> float:
    """The tail under loaded coins, from their characteristic function.

    Loaded, the sum has the mean `room`, around which the circle of sums is cut open. Of
    the frequencies only those are followed that matter.
    """
    loaded = expit(-tilt * sizes)
    n_sums = min(room + 1, (turns + 1) // 2)
    at_once = max(1, TURNED_AT_ONCE // len(sizes))
    total = 0.0
    for start in range(0, len(kept), at_once):
        steps = kept[start : start + at_once]
        transform = _transform(steps, sizes, number, loaded, turns)
        # The sums room, room - 1, ... with weights exp(-tilt u), a geometric series.
        turn = 2j * math.pi / turns
        series = np.expm1(_whole(steps, n_sums, turns) * turn - tilt * n_sums)
        series /= np.expm1(steps * turn - tilt)
        back = np.exp(-_whole(steps, room, turns) * turn)
        # A frequency and its negative are conjugates; 0 and a half turn are their own.
        alone = (steps == 0) | (2 * steps == turns)
        terms = (transform * back * series).real
        total += float(np.sum(np.where(alone, 1.0, 2.0) * terms))
    return total / turns


def _whole(steps: IntArray, factor: int, turns: int) -> IntArray:
    """Products as whole numbers without whole turns, so that angles keep their digits."""
    return steps * (factor % turns) % turns


def _frequencies(sizes: IntArray, number: IntArray, tilt: float, turns: int) -> IntArray:
    """The frequencies at which the characteristic function has not vanished.

    The squared modulus of a loaded coin's is 1 - x with x = w sin²(q t / 2), where
    w = 4 p (1 - p), and at most exp(-x - x² / 2). A transform of the weights, and one of
    their squares where that is not enough, bounds the products at all frequencies t.
    """
    loaded = expit(-tilt * sizes)
    weights = 4 * loaded * (1 - loaded)
    spots = sizes % turns
    # sin²(v) = (1 - cos 2v) / 2
    first = rfft(np.bincount(spots, number * weights, turns)).real
    bound = (first - first[0]) / 4
    kept = np.flatnonzero(bound > LOG_VANISHED)
    if len(kept) <= FEW_KEPT:
        return kept
    # sin⁴(v) = (3 - 4 cos 2v + cos 4v) / 8
    second = rfft(np.bincount(spots, number * weights**2, turns)).real
    twice = np.minimum(2 * kept, turns - 2 * kept)
    finer = bound[kept] - (3 * second[0] - 4 * second[kept] + second[twice]) / 32
    return kept[finer > LOG_VANISHED]


def _transform(
    steps: IntArray, sizes: IntArray, number: IntArray, loaded: FloatArray, turns: int
) -> NDArray[np.complex128]:
    """Characteristic function at some frequencies."""
    angle = (np.multiply.outer(steps, sizes % turns) % turns) * (2 * math.pi / turns)
    phase = np.arctan2(loaded * np.sin(angle), 1 - loaded + loaded * np.cos(angle))
    lost = 4 * loaded * (1 - loaded) * np.sin(angle / 2) ** 2
    with np.errstate(divide="ignore"):
        # A fair coin turned by half is 0.
        log_modulus = np.log1p(-np.minimum(lost, 1.0)) / 2
    return np.exp(log_modulus @ number + 1j * (phase @ number))


DECIMALS = 12
LARGEST = 1 << 59
"""Sums of two, and differences of these, stay below the largest integer."""

MOST_LISTED = 1 << 17
"""So many sums are listed, or four a number."""

SAMPLED = 4096
MARGIN = 3.0
"""Sums that are looked at to come closer, and standard deviations on either side."""


def in_units(values: FloatArray) -> tuple[IntArray, float]:
    """Values as whole multiples of 1e-12, and how many of these make 1.

    What differs in later decimals is noise of the arithmetic, which would make zeros and
    ties into ranks. Of values above some 500 000 fewer decimals are kept.
    """
    largest = float(np.abs(values).max(initial=0.0))
    scale = 10.0**DECIMALS
    while largest * scale >= LARGEST:
        scale /= 10
    return np.rint(values * scale).astype(np.int64), scale


@dataclass(frozen=True, eq=False)
class WalshSums:
    """The sums of all pairs i <= j of sorted whole numbers."""

    values: IntArray

    @property
    def number(self) -> int:
        """How many sums there are."""
        n = len(self.values)
        return n * (n + 1) // 2

    def count(self, bound: int) -> int:
        """How many sums are at most `bound`."""
        return self._number(bound, self._stops(bound))

    def median(self) -> float:
        """Middle of the sums, or the mean of the middle two."""
        middle = self.at((self.number + 1) // 2)
        if self.number % 2:
            return float(middle)
        stops = self._stops(middle)
        if self._number(middle, stops) > self.number // 2:
            return float(middle)
        # The next one is the least of what comes next in each row.
        more = stops < len(stops)
        following = int((self.values[more] + self.values[stops[more]]).min())
        return (middle + following) / 2

    def at(self, position: int) -> int:
        """The sum at a position, from 1 for the smallest.

        The range (low, high] that holds it is narrowed between sums of a sample of those
        that are left, as in Floyd and Rivest's selection (1975, Communications of the
        ACM 18, 165-172), until few enough are left to be listed. Counting takes
        n searches, because a row of sums is sorted (Johnson and Mizoguchi 1978, SIAM
        Journal on Computing 7, 147-153).
        """
        n = len(self.values)
        low, high = 2 * int(self.values[0]) - 1, 2 * int(self.values[-1])
        below = 0
        after_low: IntArray = np.zeros(n, dtype=np.intp)
        after_high: IntArray = np.full(n, n, dtype=np.intp)
        while high - low > 1:
            starts = np.maximum(after_low, np.arange(n))
            widths = np.maximum(after_high - starts, 0)
            left = int(widths.sum())
            if left <= max(MOST_LISTED, 4 * n):
                sums = self._listed(starts, widths)
                k = position - below - 1
                return int(np.partition(sums, k)[k])
            before = low, high
            probes = self._probes(starts, widths, (position - below) / left)
            for probe in (*probes, None):
                if probe is None:
                    # A sample that came no closer is made up for by halving the range.
                    if (low, high) != before:
                        break
                    probe = (low + high) // 2
                if not low < probe < high:
                    continue
                stops = self._stops(probe)
                found = self._number(probe, stops)
                if found >= position:
                    high, after_high = probe, stops
                else:
                    low, below, after_low = probe, found, stops
        return high

    def _stops(self, bound: int) -> IntArray:
        """Where in each row the sums that are at most `bound` end."""
        return np.searchsorted(self.values, bound - self.values, side="right")

    def _number(self, bound: int, stops: IntArray) -> int:
        """How many sums are at most `bound`, by where they end."""
        # All ordered pairs, and once more those of a number with itself.
        alone = int(np.searchsorted(self.values, bound // 2, side="right"))
        return (int(stops.sum()) + alone) // 2

    def _listed(self, starts: IntArray, widths: IntArray) -> IntArray:
        """All sums of the parts of rows."""
        rows = np.repeat(np.arange(len(widths)), widths)
        first = np.cumsum(widths) - widths
        columns = np.arange(len(rows)) - np.repeat(first - starts, widths)
        return self.values[rows] + self.values[columns]

    def _probes(self, starts: IntArray, widths: IntArray, share: float) -> tuple[int, int]:
        """Two sums between which a share of the sums in the parts of rows lies, likely."""
        ends = np.cumsum(widths)
        left = int(ends[-1])
        # Of many numbers a sample is sorted sooner than one sum is counted.
        size = max(SAMPLED, len(self.values) // 16)
        # Every so many of them, row after row.
        picked = (np.arange(size) * (left / size)).astype(np.int64)
        rows = np.searchsorted(ends, picked, side="right")
        columns = starts[rows] + picked - (ends[rows] - widths[rows])
        sample = np.sort(self.values[rows] + self.values[columns])
        reach = MARGIN * math.sqrt(share * (1 - share) * size) + 1
        upper = min(size - 1, math.ceil(share * size + reach))
        lower = max(0, math.floor(share * size - reach))
        return int(sample[upper]), int(sample[lower]) - 1


MOST_AIMED = 6
"""After so many steps a search only halves."""


@dataclass(frozen=True, eq=False)
class SignedRanks:
    """Ranks of the sizes of numbers, by sign.

    Zeros have the lowest ranks, which count for neither sign (Pratt 1959). Without zeros
    these are Wilcoxon's ranks. Sums of ranks are doubled, and whole numbers even with ties.

    Attributes
    ----------
    positive, negative : ndarray
        Doubled ranks of the positive and of the negative numbers.
    n_zeros : int
    """

    positive: IntArray
    negative: IntArray
    n_zeros: int

    @classmethod
    def of(cls, values: IntArray) -> "SignedRanks":
        """The signed ranks of numbers; equal sizes share the mean of their ranks."""
        sizes = np.abs(values)
        _, group, number = np.unique(sizes, return_inverse=True, return_counts=True)
        doubled = (2 * np.cumsum(number) - number + 1)[group]
        return cls(doubled[values > 0], doubled[values < 0], int((values == 0).sum()))

    @property
    def n_ranked(self) -> int:
        """Numbers other than 0."""
        return len(self.positive) + len(self.negative)

    @property
    def w_plus(self) -> float:
        """Sum of the ranks of positive numbers."""
        return int(self.positive.sum()) / 2

    @property
    def w_minus(self) -> float:
        """Sum of the ranks of negative numbers."""
        return int(self.negative.sum()) / 2

    def swap(self) -> "SignedRanks":
        """The ranks of the numbers with opposite signs."""
        return SignedRanks(self.negative, self.positive, self.n_zeros)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of either sum when signs are chosen by coins.

        Half the root of the sum of squared ranks, which is Wilcoxon's formula with its
        corrections for ties and, of Pratt, for zeros.
        """
        squares = sum(
            float(np.square(side, dtype=float).sum())
            for side in (self.positive, self.negative)
        )
        return math.sqrt(squares) / 4

    def deviate(self, correction: float) -> float:
        """Distance of the sum of positive ranks from its mean, in standard deviations.

        The distance is shortened by the continuity correction, but not below 0.
        """
        if self.n_ranked == 0:
            return 0.0
        distance = (self.w_plus - self.w_minus) / 2
        shortened = max(0.0, abs(distance) - correction)
        return math.copysign(shortened, distance) / self.spread

    def chance(self, exact: bool, correction: float) -> tuple[float, float]:
        """Probability of so large a sum of positive ranks, and its logarithm."""
        if self.n_ranked == 0:
            return 1.0, 0.0
        if exact:
            # As likely as so small a sum of negative ranks.
            ranks = np.concatenate([self.positive, self.negative])
            return rank_sum_chance(ranks, int(self.negative.sum()))
        return _upper(self.w_plus - self.w_minus, self.spread, correction)

    def pvalue(
        self, alternative: str, exact: bool, correction: float
    ) -> tuple[float, float]:
        """P-value and its logarithm; two-sided it is twice the smaller tail."""
        smaller = self.swap()
        if alternative == "greater" or (
            alternative == "two-sided" and self.w_plus >= self.w_minus
        ):
            smaller = self
        pvalue, log_pvalue = smaller.chance(exact, correction)
        if alternative == "two-sided":
            pvalue, log_pvalue = 2 * pvalue, LOG_2 + log_pvalue
        return min(1.0, max(pvalue, SMALLEST)), min(0.0, log_pvalue)


def _upper(difference: float, spread: float, correction: float) -> tuple[float, float]:
    """Normal probability of so large a difference of both sums, and its logarithm."""
    return normal_pvalue((difference / 2 - correction) / spread, "greater")


def lower_shift(values: IntArray, tail: float, exact: bool, correction: float) -> float:
    """Where the shifts begin that the test does not reject for being too small.

    The sum of positive ranks of ``values - shift`` is the number of Walsh averages above
    the shift, one that is equal counting half (Tukey 1949). The larger the shift, the
    lower each rank of a positive number and the higher each of a negative one, for one and
    the same choice of signs: so the probability of a sum as large as the observed one can
    only grow with the shift, also through ties and, with zeros ranked, through zeros.
    Hence the shifts whose probability is at least `tail` are all from one Walsh average
    on, which is found by bisection.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Sorted whole numbers.
    tail : float
    exact : bool
    correction : float

    Returns
    -------
    low : float
        Twice the shift; infinite where no sum is rare enough.
    """
    sums = WalshSums(values)
    spread = _spread(values)
    deviate = float(ndtri(tail))
    position = _first(
        _prober(sums, spread, tail, exact, correction),
        tail,
        guess=sums.number / 2 + deviate * spread,
        slope=math.exp(-(deviate**2) / 2) / math.sqrt(2 * math.pi) / spread,
        last=sums.number,
    )
    return float(sums.at(position)) if position else -math.inf


def _spread(values: IntArray) -> float:
    """Standard deviation of a rank sum where only equal numbers are tied, and none is 0."""
    n = len(values)
    _, tied = np.unique(values, return_counts=True)
    cubes = float((tied.astype(float) ** 3 - tied).sum())
    return math.sqrt((n * (n + 1) * (2 * n + 1) - cubes / 2) / 24)


@dataclass(frozen=True)
class _Probe:
    """The probability for shifts from one position among the Walsh averages to another."""

    first: int
    last: int
    chance: float


def _chance_or_bound(ranks: SignedRanks, tail: float) -> float:
    """The exact probability, or what bounds it where that decides about `tail`."""
    deviate = ranks.deviate(0.0)
    if deviate <= 0 and tail <= 0.5:
        # At or below the mean of a symmetric distribution.
        return 0.5
    # Hoeffding (1963), theorem 2
    bound = math.exp(-(max(0.0, deviate) ** 2) / 2)
    return bound if bound < tail else ranks.chance(True, 0.0)[0]


def _prober(
    sums: WalshSums, spread: float, tail: float, exact: bool, correction: float
) -> Callable[[int], _Probe]:
    """The probability for a shift just above the Walsh average at a position.

    No shifted number is then 0, and only equal numbers are tied.
    """
    values, n = sums.values, len(sums.values)
    untied = np.arange(2, 2 * n + 1, 2)
    is_tied = bool((np.diff(values) == 0).any())

    def probe(position: int) -> _Probe:
        if not exact:
            chance = _upper(sums.number - 2 * position, spread, correction)[0]
            return _Probe(position, position, chance)
        if position == 0 or not is_tied:
            chance = rank_sum_chance(untied, 2 * position)[0]
            return _Probe(position, position, chance)
        at = sums.at(position)
        # Halfway to the next whole number; quarters of numbers are whole.
        chance = _chance_or_bound(SignedRanks.of(4 * values - 2 * at - 1), tail)
        return _Probe(sums.count(at - 1) + 1, sums.count(at), chance)

    return probe


def _first(
    probe: Callable[[int], _Probe], tail: float, guess: float, slope: float, last: int
) -> int:
    """The first position from 0 to `last` at which a chance that grows reaches `tail`.

    The slope near the guess leads there in two or three steps; halving what is left
    bounds their number.
    """
    low, high = -1, last
    aim = guess
    for steps in itertools.count():
        if high - low <= 1:
            return high
        if steps >= MOST_AIMED or not math.isfinite(aim):
            aim = (low + high) / 2
        position = min(high - 1, max(low + 1, math.floor(aim)))
        seen = probe(position)
        gap = (tail - seen.chance) / slope if slope else math.inf
        if seen.chance >= tail:
            high = seen.first
            aim = min(high - 1.0, seen.last + gap)
        else:
            low = seen.last
            aim = low + max(1.0, math.ceil(gap))
    raise AssertionError("unreachable")
