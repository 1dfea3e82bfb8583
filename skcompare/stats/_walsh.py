"""Order statistics of Walsh averages, without making all of them.

The Walsh averages of n numbers are the n (n + 1) / 2 means of pairs, each number with
itself included. They are kept as sums of whole numbers, so that equal ones are equal.
"""

import math
from dataclasses import dataclass

import numpy as np

from skcompare._typing import FloatArray, IntArray

__all__ = ["WalshSums", "in_units"]

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
        # All ordered pairs, and once more those of a number with itself.
        pairs = int(np.searchsorted(self.values, bound - self.values, side="right").sum())
        alone = int(np.searchsorted(self.values, bound // 2, side="right"))
        return (pairs + alone) // 2

    def median(self) -> float:
        """Middle of the sums, or the mean of the middle two."""
        middle = self.at((self.number + 1) // 2)
        if self.number % 2 or self.count(middle) > self.number // 2:
            return float(middle)
        return (middle + self.at(self.number // 2 + 1)) / 2

    def at(self, position: int) -> int:
        """The sum at a position, from 1 for the smallest.

        The range (low, high] that holds it is narrowed between sums of a sample of those
        that are left, as in Floyd and Rivest's selection (1975, Communications of the
        ACM 18, 165-172), until few enough are left to be listed. Counting takes
        n searches, because a row of sums is sorted (Johnson and Mizoguchi 1978, SIAM
        Journal on Computing 7, 147-153).
        """
        low, high = 2 * int(self.values[0]) - 1, 2 * int(self.values[-1])
        below = 0
        while high - low > 1:
            starts, widths = self._rows(low, high)
            left = int(widths.sum())
            if left <= max(MOST_LISTED, 4 * len(self.values)):
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
                found = self.count(probe)
                if found >= position:
                    high = probe
                else:
                    low, below = probe, found
        return high

    def _rows(self, low: int, high: int) -> tuple[IntArray, IntArray]:
        """Where in each row the sums in (low, high] begin, and how many they are."""
        values = self.values
        starts = np.searchsorted(values, low - values, side="right")
        starts = np.maximum(starts, np.arange(len(values)))
        stops = np.searchsorted(values, high - values, side="right")
        return starts, np.maximum(stops - starts, 0)

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
        # Every so many of them, row after row.
        picked = (np.arange(SAMPLED) * (left / SAMPLED)).astype(np.int64)
        rows = np.searchsorted(ends, picked, side="right")
        columns = starts[rows] + picked - (ends[rows] - widths[rows])
        sample = np.sort(self.values[rows] + self.values[columns])
        reach = MARGIN * math.sqrt(share * (1 - share) * SAMPLED) + 1
        upper = min(SAMPLED - 1, math.ceil(share * SAMPLED + reach))
        lower = max(0, math.floor(share * SAMPLED - reach))
        return int(sample[upper]), int(sample[lower]) - 1
