"""Order statistics of Walsh averages, without making all of them.

The Walsh averages of n numbers are the n (n + 1) / 2 means of pairs, each number with
itself included. They are kept as sums of whole numbers, so that equal ones are equal.
"""

import math
from dataclasses import dataclass

import numpy as np

from skcompare._typing import FloatArray, IntArray

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
