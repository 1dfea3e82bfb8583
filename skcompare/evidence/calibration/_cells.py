"""Probabilities and events of two classifiers, summed over cells of joint bins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import ArrayValues, all_on_host, on_host
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.calibration._errors import CalibrationBins
from skcompare.evidence.core._bins import ALL_SUMS, DEGREES, POWERS, SUMS, Layout, cell_sums
from skcompare.evidence.core._counting import check_whole, sums_of
from skcompare.evidence.core._device import space_at

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
                "powers of m = (p_a + p_b) / 2 and d = p_b - p_a, challenger less champion."
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
                f"`sums[{name!r}]` must be a number a cell, of shape {counts.shape}. Got "
                f"shape {each.shape}."
            )
        # Each term is between -1 and 1; a missing value is not.
        if not (np.abs(each) <= counts * (1 + OUTSIDE)).all():
            raise ValueError(
                f"`sums[{name!r}]` must be sums over probabilities in [0, 1], no larger "
                "than the number of records. Got other values, or missing ones: check the "
                "probabilities."
            )
    return np.stack(values)
