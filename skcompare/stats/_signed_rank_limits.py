"""The signed-rank test of whole numbers, and the shifts that it does not reject."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
from scipy.special import ndtri

from skcompare._typing import IntArray
from skcompare.stats._signed_rank_null import rank_sum_chance
from skcompare.stats._tails import SMALLEST, normal_pvalue
from skcompare.stats._walsh import WalshSums

LOG_2 = math.log(2)

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
    for steps in count():
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
