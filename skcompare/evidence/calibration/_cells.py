"""Calibration errors and curves from sums over bins, or over cells of joint bins."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from skcompare._core.arrays import ArrayValues, all_on_host, on_host, plain_values
from skcompare._core.validation import check_choice, check_confidence_level, check_switches
from skcompare._io.columns import frame_from_columns
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._bins import (
    ALL_SUMS,
    DEGREES,
    POWERS,
    SUMS,
    Layout,
    cell_sums,
    equal_mass_starts,
)
from skcompare.evidence.core._counting import check_whole, sums_of
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


MOST_PENDING = 1 << 16
"""Cells of parts that wait to be added up."""

OUTSIDE = 1e-6
"""Distance that the mean of many records may be outside the bin of their probabilities."""

Pair = tuple[Any, Any]
Rows = tuple[Pair, Pair, Pair]
"""Probabilities, events and bins of some records, each of champion and challenger."""


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationCells(ArrayValues):
    """Number of records in each cell, and sums over the records.

    A cell is a bin of the champion, one of the challenger, and whether the event of each
    happened. Only cells that occur are kept.

    Attributes
    ----------
    n_bins : tuple of two int
        Bins of champion and challenger.
    code : ndarray of shape (n_cells,)
        The cells, sorted: ``4 * (bin * n_bins[1] + other_bin) + 2 * event + other_event``.
    counts : ndarray of shape (n_cells,)
        Records of each.
    sums : ndarray of shape (n_sums, n_cells)
        Their sums, in the order of `SUMS` or `ALL_SUMS`.
    """

    n_bins: tuple[int, int]
    code: IntArray
    counts: IntArray
    sums: FloatArray

    def __post_init__(self) -> None:
        self._set(code=self.code, counts=self.counts, sums=self.sums)

    @classmethod
    def of(
        cls,
        cells: ArrayLike,
        counts: ArrayLike,
        sums: Mapping[str, ArrayLike],
        layouts: tuple[Layout, Layout],
    ) -> "CalibrationCells":
        """Construct from checked counts and sums of cells, adding up repeated cells."""
        size = check_whole("counts", counts)
        table = np.asarray(cells)
        if size.ndim != 1 or table.shape != (len(size), 4) or table.dtype.kind not in "iub":
            raise ValueError(
                "`cells` must be whole numbers of shape (n_cells, 4), one row per count: "
                "bin of champion and challenger, event of champion and challenger. Got "
                f"shape {table.shape}, dtype {table.dtype}, for counts of shape "
                f"{size.shape}."
            )
        first, second = (len(edges) - 1 for (edges,) in layouts)
        most = np.array([first, second, 2, 2])
        if ((table < 0) | (table >= most)).any():
            raise ValueError(
                f"`cells` must be below the numbers of bins and 2 for events, "
                f"{most.tolist()}. Got up to {table.max(axis=0).tolist()}, from "
                f"{table.min(axis=0).tolist()}."
            )
        if not size.any():
            raise ValueError("`counts` need at least one record. Got only zeros.")
        values = _checked_sums(sums, size)
        occupied = size > 0
        champion, challenger, event, other_event = table[occupied].T.astype(np.int64)
        code = 4 * (champion * second + challenger) + 2 * event + other_event
        merged = _added(code, size[occupied], values[:, occupied])
        result = cls((first, second), *merged)
        result.check_within(layouts)
        result.check_together()
        return result

    def check_within(self, layouts: tuple[Layout, Layout]) -> None:
        """Check that mean probabilities lie within their bins."""
        for role, (name, (edges,)) in enumerate(zip(SUMS[:2], layouts, strict=True)):
            mean, code = self[name] / self.counts, self.bin(role)
            low, high = edges[code] - OUTSIDE, edges[code + 1] + OUTSIDE
            wrong = ~((mean >= low) & (mean <= high))
            if wrong.any():
                at = int(np.argmax(wrong))
                raise ValueError(
                    f"`sums[{name!r}]` must be sums of probabilities in the bins that "
                    f"`cells` say. Got mean {mean[at]:.6g} in the bin from "
                    f"{edges[code[at]]:.6g} to {edges[code[at] + 1]:.6g}. Bins count from "
                    "0, and hold their lower edge."
                )

    def check_together(self) -> None:
        """Check that the sums are consistent with each other."""
        n = self.counts
        champion, challenger = (self[name] / n for name in SUMS[:2])
        gap = self["m0d1"] / n
        even = [name for name, powers in POWERS.items() if not any(k % 2 for k in powers)]
        least = {name: np.zeros(len(n)) for name in (*SUMS[2:4], *even)}
        # The mean of squares is no less than the square of the mean.
        least |= {"m2d0": ((champion + challenger) / 2) ** 2, "m0d2": gap**2}
        wrong = [
            name
            for name, bound in least.items()
            if name in self._names and (self[name] / n < bound - OUTSIDE).any()
        ]
        if (np.abs(gap - (challenger - champion)) > OUTSIDE).any():
            wrong.insert(0, "m0d1")
        if wrong:
            raise ValueError(
                f"`sums` must be of the same probabilities. Got {', '.join(wrong)} that "
                "contradict champion_proba and challenger_proba. Sum over records the "
                "powers of m = (p_a + p_b) / 2 and d = p_b - p_a, challenger minus "
                "champion."
            )

    def __getitem__(self, name: str) -> FloatArray:
        """Return the sums with this name, one per cell."""
        values: FloatArray = self.sums[ALL_SUMS.index(name)]
        return values

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def degree(self) -> int:
        """Greatest total power of the sums, 4 or 8."""
        return DEGREES[len(self.sums) > len(SUMS)]

    def bin(self, role: int) -> IntArray:
        """Return the bin of one role in each cell."""
        joint = self.code // 4
        code: IntArray = joint % self.n_bins[1] if role else joint // self.n_bins[1]
        return code

    def event(self, role: int) -> IntArray:
        """Return the event of one role in each cell: 1 if the event happened, else 0."""
        return self.code % 2 if role else self.code // 2 % 2

    def bins(self, role: int) -> CalibrationBins:
        """Return the sums of one role by bin."""
        code, n_bins = self.bin(role), self.n_bins[role]
        columns = self.counts, self[SUMS[role]], self.counts * self.event(role)
        sums = (np.bincount(code, each, n_bins) for each in columns)
        return CalibrationBins(*(np.asarray(each, dtype=np.float64) for each in sums))

    def swap(self) -> "CalibrationCells":
        """Return the cells with the roles exchanged."""
        code = 4 * (self.bin(1) * self.n_bins[0] + self.bin(0))
        code += 2 * self.event(1) + self.event(0)
        order = np.argsort(code)
        sums = self.sums[:, order]
        sums[[0, 1, 2, 3]] = sums[[1, 0, 3, 2]]
        for row, name in enumerate(self._names):
            # The difference of the probabilities changes its sign.
            if name in POWERS and POWERS[name][1] % 2:
                sums[row] *= -1
        return CalibrationCells(self.n_bins[::-1], code[order], self.counts[order], sums)

    def __add__(self, other: "CalibrationCells") -> "CalibrationCells":
        """Merge the cells of two shards, with the sums that both have."""
        n_sums = min(len(self.sums), len(other.sums))
        merged = _merged(
            [(each.code, each.counts, each.sums[:n_sums]) for each in (self, other)]
        )
        return CalibrationCells(self.n_bins, *merged)

    @property
    def _names(self) -> tuple[str, ...]:
        return ALL_SUMS[: len(self.sums)]


Part = tuple[IntArray, IntArray, FloatArray]


def cells_of(parts: Iterable[Rows], n_bins: tuple[int, int]) -> CalibrationCells:
    """Sum records over cells, part by part."""
    pending: list[Part] = []
    waiting = 0
    for proba, outcomes, (champion, challenger) in parts:
        space = space_at(champion)
        event, other_event = (space.own(each, "int64") for each in outcomes)
        terms = cell_sums(proba, (space.floats(event), space.floats(other_event)))
        code = 4 * (champion * n_bins[1] + challenger) + 2 * event + other_event
        pending.append(_counted(code, 4 * prod(n_bins), list(terms.values())))
        waiting += len(pending[-1][0])
        # Doubling the limit keeps repeated additions below twice the incoming cells.
        if waiting > max(MOST_PENDING, 2 * len(pending[0][0])):
            pending, waiting = [_merged(pending)], 0
    return CalibrationCells(n_bins, *_merged(pending))


def _counted(code: Any, n_cells: int, terms: list[Any]) -> Part:
    """Count records by cell and sum their terms, on their device where cells are few."""
    space = space_at(code)
    if n_cells > code.shape[0]:
        return _added(on_host(code), None, list(all_on_host(*terms)))
    counts = space.counted(code, n_cells)
    occupied = np.flatnonzero(counts)
    sums = (space.counted(code, n_cells, space.floats(term)) for term in terms)
    return occupied, counts[occupied], np.array([each[occupied] for each in sums])


def _merged(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    codes, counts, sums = zip(*parts, strict=True)
    return _added(
        np.concatenate(codes), np.concatenate(counts), np.concatenate(sums, axis=1)
    )


def _added(
    code: IntArray, counts: IntArray | None, values: list[NDArray[Any]] | FloatArray
) -> Part:
    """Add up repeated cells and sort them; `counts` are 1 by default."""
    cells, at = np.unique(code, return_inverse=True)
    n = len(cells)
    size = np.bincount(at, minlength=n) if counts is None else sums_of(at, counts, n)
    sums = np.array([np.bincount(at, each, len(cells)) for each in values], np.float64)
    return cells, np.asarray(size, dtype=np.int64), sums


def _checked_sums(sums: Mapping[str, ArrayLike], counts: IntArray) -> FloatArray:
    """Check the sums and return them as an array, one row per name."""
    if not isinstance(sums, Mapping):
        raise TypeError(
            f"`sums` must be a mapping of names to arrays. Got {type(sums).__name__}. Name "
            "them as in `from_cells`."
        )
    names = ALL_SUMS if set(sums) - set(SUMS) else SUMS
    if set(sums) != set(names):
        missing = [name for name in names if name not in sums]
        unknown = [name for name in sums if name not in ALL_SUMS]
        raise ValueError(
            f"`sums` must have the sums {', '.join(SUMS)}, and all or none of higher "
            f"powers, up to {ALL_SUMS[-1]}. Missing: {', '.join(missing) or 'none'}. "
            f"Unknown: {', '.join(map(str, unknown)) or 'none'}."
        )
    values = [np.asarray(sums[name], dtype=np.float64) for name in names]
    for name, each in zip(names, values, strict=True):
        if each.shape != counts.shape:
            raise ValueError(
                f"`sums[{name!r}]` must be one number per cell, of shape {counts.shape}. "
                f"Got shape {each.shape}."
            )
        # Each term is between -1 and 1; a missing value is not.
        if not (np.abs(each) <= counts * (1 + OUTSIDE)).all():
            raise ValueError(
                f"`sums[{name!r}]` must be sums over probabilities in [0, 1], no larger "
                "than the number of records. Got other values, or missing ones: check the "
                "probabilities."
            )
    return np.stack(values)
