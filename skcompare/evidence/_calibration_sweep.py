"""As many bins of equal mass as leave the observed shares in order."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence._calibration_bins import equal_mass_starts
from skcompare.evidence._calibration_errors import CalibrationBins


def monotone_bins(proba: FloatArray, occurred: NDArray[np.bool_]) -> CalibrationBins:
    """Bins of equal mass, one more as long as no share falls below that of the bin before.

    Roelofs et al. (2022), algorithm 1.
    """
    order = np.argsort(proba)
    ordered = proba[order]
    happened = np.concatenate([[0], np.cumsum(occurred[order])])
    probable = np.concatenate([[0.0], np.cumsum(ordered)])

    def binned(n_bins: int) -> CalibrationBins:
        ends = np.concatenate([[0], equal_mass_starts(ordered, n_bins), [len(ordered)]])
        sizes = np.diff(ends).astype(np.float64)
        return CalibrationBins(sizes, np.diff(probable[ends]), np.diff(happened[ends]))

    finest = binned(len(ordered))
    if _in_order(finest):
        # Coarser bins join neighbours, which keeps the order.
        return finest
    n_bins, mixed = 1, _Mixed.of(ordered, happened)
    while mixed.in_order(n_bins + 1):
        n_bins += 1
    return binned(n_bins)


class _Mixed(NamedTuple):
    """The stretch of sorted records from the first event to the last record without one.

    Bins before it have share 0 and bins after it share 1, so that only those that touch
    it can be out of order. In data that are nearly separated, where bins become many, it
    is short.
    """

    happened: IntArray
    first_of_equal: IntArray
    start: int
    stop: int

    @classmethod
    def of(cls, ordered: FloatArray, happened: IntArray) -> "_Mixed":
        events = np.diff(happened)
        last = ordered[len(events) - 1 - int(np.argmin(events[::-1]))]
        return cls(
            happened,
            np.searchsorted(ordered, ordered),
            int(np.argmax(events)),
            int(np.searchsorted(ordered, last, side="right")),
        )

    def in_order(self, n_bins: int) -> bool:
        """Whether shares of so many bins of equal mass do not decrease."""
        n = len(self.first_of_equal)
        base, longer = divmod(n, n_bins)

        def group_of(record: int) -> int:
            of_longer = record // (base + 1)
            return of_longer if of_longer < longer else (record - longer) // base

        low = max(1, group_of(self.start))
        high = min(n_bins - 1, group_of(self.stop) + 1)
        g = np.arange(low, high + 1)
        ends = self.first_of_equal[g * base + np.minimum(g, longer)]
        if low == 1:
            ends = np.append(0, ends)
        if high == n_bins - 1:
            ends = np.append(ends, n)
        ends = ends[np.append(True, ends[1:] > ends[:-1])]
        count, happened = np.diff(ends), np.diff(self.happened[ends])
        return _rising(happened, count)


def _in_order(bins: CalibrationBins) -> bool:
    """Whether observed shares do not decrease."""
    return _rising(bins.outcome, bins.count)


def _rising(happened: NDArray[Any], count: NDArray[Any]) -> bool:
    """Whether shares do not decrease; compared without division."""
    return bool((happened[1:] * count[:-1] >= happened[:-1] * count[1:]).all())
