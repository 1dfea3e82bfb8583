"""Calibration errors and curves, from sums over bins."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from skcompare._core.arrays import plain_values
from skcompare._core.validation import check_choice, check_confidence_level, check_switches
from skcompare._io.columns import frame_from_columns
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence.core._bins import equal_mass_starts
from skcompare.evidence.core._device import space_at

NORMS = ("l1", "l2", "max")


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationBins:
    """Sums of probabilities and events by bin.

    Parameters
    ----------
    count : ndarray of shape (n_bins,)
        Records in each bin, or their weight.
    proba : ndarray of shape (n_bins,)
        Sum of their probabilities.
    outcome : ndarray of shape (n_bins,)
        Number of them whose event happened, or its weight.

    Attributes
    ----------
    mean_proba, mean_outcome : ndarray of shape (n_bins,)
        Mean probability, and share of the records whose event happened; NaN in empty
        bins.
    gap : ndarray of shape (n_bins,)
        Distance of the two; NaN in empty bins.
    weight : ndarray of shape (n_bins,)
        Share of the records in each bin.
    """

    count: FloatArray
    proba: FloatArray
    outcome: FloatArray

    @classmethod
    def of(
        cls,
        proba: FloatArray,
        outcomes: NDArray[np.bool_],
        codes: IntArray,
        n_bins: int,
        weights: FloatArray | None = None,
    ) -> "CalibrationBins":
        """Sum probabilities and events of records by bin code, on their device."""
        space = space_at(proba)
        if weights is None:
            sums = (
                space.counted(codes, n_bins),
                space.counted(codes, n_bins, proba),
                space.counted(codes[outcomes], n_bins),
            )
        else:
            sums = (
                space.counted(codes, n_bins, weights),
                space.counted(codes, n_bins, weights * proba),
                space.counted(codes, n_bins, weights * space.floats(outcomes)),
            )
        return cls(*(np.asarray(each, dtype=np.float64) for each in sums))

    @property
    def n_occupied(self) -> int:
        """Number of non-empty bins."""
        return int(np.count_nonzero(self.count))

    @property
    def weight(self) -> FloatArray:
        """Share of the records in each bin."""
        return self.count / self.count.sum()

    @property
    def mean_proba(self) -> FloatArray:
        """Mean probability of each bin; NaN for empty bins."""
        return _ratio(self.proba, self.count)

    @property
    def mean_outcome(self) -> FloatArray:
        """Share of events among the records of each bin; NaN for empty bins."""
        return _ratio(self.outcome, self.count)

    @property
    def gap(self) -> FloatArray:
        """Absolute difference of mean probability and share; NaN for empty bins."""
        return np.abs(self.mean_outcome - self.mean_proba)

    def error(
        self, norm: str = "l1", *, squared: bool = False, debiased: bool = False
    ) -> float:
        """Compute the calibration error, a norm of the gaps.

        Parameters
        ----------
        norm : {"l1", "l2", "max"}, default="l1"
            Mean gap, root of the mean squared gap, or greatest gap; means weigh bins by
            their records.
        squared : bool, default=False
            The mean squared gap instead of its root.
        debiased : bool, default=False
            Corrected for what chance adds to the gaps. A squared error may then be
            negative, and its root is 0 there.
        """
        check_choice("norm", norm, NORMS)
        check_switches(squared=squared, debiased=debiased)
        if squared and norm != "l2":
            raise ValueError(
                f"squared=True goes with norm='l2'. Got {norm!r}. Leave `squared` out."
            )
        if norm == "max":
            if debiased:
                raise ValueError(
                    "debiased=True goes with norm='l1' and 'l2'. Got 'max', for which no "
                    "correction is known. Leave `debiased` out."
                )
            return float(self.gap[self.count > 0].max())
        if norm == "l1":
            return self._debiased_mean_gap() if debiased else self._mean(self.gap)
        square = self._mean(self._squares(debiased))
        return square if squared else math.sqrt(max(square, 0.0))

    def _mean(self, values: FloatArray) -> float:
        """Average one value per bin over the records."""
        return float(np.dot(self.weight, np.where(self.count > 0, values, 0.0)))

    def _squares(self, debiased: bool) -> FloatArray:
        squares = self.gap**2
        if not debiased:
            return squares
        # The variance of a share of n records is estimated with n - 1 (Kumar, Liang and
        # Ma 2019, definition 4.2). A bin of one record has no such estimate.
        share, several = self.mean_outcome, self.count > 1
        spread = _ratio(share * (1 - share), np.where(several, self.count - 1, 0.0))
        return np.where(several, squares - spread, 0.0)

    def _debiased_mean_gap(self) -> float:
        # Kumar, Liang and Ma (2019, section 5) draw shares from their normal distribution
        # and subtract what that adds to the mean gap. The mean of the distance of a normal
        # variable from a point has a closed form, so nothing is drawn.
        share = self.mean_outcome
        sd = np.sqrt(_ratio(share * (1 - share), self.count))
        gap = self.gap
        with np.errstate(divide="ignore", invalid="ignore"):
            z = gap / sd
            chord = sd * math.sqrt(2 / math.pi) * np.exp(-(z**2) / 2)
            drawn = chord + gap * (1 - 2 * ndtr(-z))
        return self._mean(2 * gap - np.where(sd > 0, drawn, gap))

    def curve(
        self,
        left: FloatArray,
        right: FloatArray,
        confidence_level: float = 0.95,
        effective: FloatArray | None = None,
    ) -> "CalibrationCurve":
        """Return the calibration curve, with an interval for each bin.

        `effective` has the effective number of records of each bin, where records have
        weights.
        """
        n = self.count if effective is None else effective
        low, high = _wilson(self.mean_outcome, n, confidence_level)
        return CalibrationCurve(
            left,
            right,
            self.count,
            self.mean_proba,
            self.mean_outcome,
            low,
            high,
            float(confidence_level),
        )


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationCurve:
    """Calibration curve: observed share against mean probability, by bin.

    Attributes
    ----------
    left, right : ndarray of shape (n_bins,)
        Edges of the bins, which hold `left` <= probability < `right`; the last is closed.
    count : ndarray of shape (n_bins,)
        Records in each bin, or their weight.
    mean_proba, mean_outcome : ndarray of shape (n_bins,)
        Mean probability, and share of the records whose event happened; NaN in empty
        bins.
    low, high : ndarray of shape (n_bins,)
        Wilson's limits of the share; NaN in empty bins.
    confidence_level : float
        Level of each interval by itself.
    """

    left: FloatArray
    right: FloatArray
    count: FloatArray
    mean_proba: FloatArray
    mean_outcome: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays as lists."""
        return plain_values(self)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the curve as a data frame, one row per bin.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.
        """
        columns = {name: getattr(self, name).tolist() for name in _COLUMNS}
        return frame_from_columns(columns, backend)


_COLUMNS = ("left", "right", "count", "mean_proba", "mean_outcome", "low", "high")


def _wilson(
    share: FloatArray, count: FloatArray, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    """Compute Wilson score limits of shares, within [0, 1] and of positive width."""
    z = float(ndtri((1 + check_confidence_level(confidence_level)) / 2))
    shrunk = 1 + _ratio(np.full_like(count, z * z), count)
    middle = (share + (shrunk - 1) / 2) / shrunk
    inside = _ratio(share * (1 - share), count) + _ratio(shrunk - 1, 4 * count)
    half = z * np.sqrt(inside) / shrunk
    low = np.where(share == 0, 0.0, np.maximum(middle - half, 0.0))
    return low, np.where(share == 1, 1.0, np.minimum(middle + half, 1.0))


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Divide elementwise, with NaN where the denominator is 0."""
    quotients = np.full(bottom.shape, np.nan)
    return np.divide(top, bottom, out=quotients, where=bottom > 0)


def monotone_bins(proba: FloatArray, occurred: NDArray[np.bool_]) -> CalibrationBins:
    """Compute equal-mass bins, adding bins while the observed shares do not decrease.

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
    if _rising(finest.outcome, finest.count):
        # Coarser bins join neighbours, which keeps the order.
        return finest
    n_bins, mixed = 1, _Mixed.of(ordered, happened)
    while mixed.in_order(n_bins + 1):
        n_bins += 1
    return binned(n_bins)


class _Mixed(NamedTuple):
    """Range of sorted records from the first event to the last non-event.

    Bins before it have share 0 and bins after it share 1, so that only bins that overlap
    it can be out of order. It is short in nearly separated data, where bins are many.
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
        """Whether the shares of `n_bins` equal-mass bins do not decrease."""
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


def _rising(happened: NDArray[Any], count: NDArray[Any]) -> bool:
    """Whether shares do not decrease, compared without division."""
    return bool((happened[1:] * count[:-1] >= happened[:-1] * count[1:]).all())
