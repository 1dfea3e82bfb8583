"""Probabilities and events of two classifiers, summed over cells of joint bins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import ArrayValues, on_host
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.calibration._errors import CalibrationBins
from skcompare.evidence.calibration._events import Events
from skcompare.evidence.core._bins import (
    ALL_SUMS,
    DEGREES,
    POWERS,
    SUMS,
    Bins,
    Layout,
    cell_sums,
)
from skcompare.evidence.core._counting import check_whole, sums_of
from skcompare.evidence.core._device import (
    Space,
    device_probabilities,
    device_weights,
    space_of,
)
from skcompare.evidence.labels._device_labels import class_positions, device_column

CHUNK = 1 << 14
"""Records that are summed at a time: few enough for the cache."""

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


def chunks(n: int) -> Iterable[slice]:
    """Return slices that split `n` records into chunks."""
    return (slice(start, start + CHUNK) for start in range(0, n, CHUNK))


def cells_of(parts: Iterable[Rows], n_bins: tuple[int, int]) -> CalibrationCells:
    """Sum records over cells, part by part."""
    pending: list[Part] = []
    waiting = 0
    for proba, outcomes, (champion, challenger) in parts:
        event, other_event = (each.astype(np.int64) for each in outcomes)
        terms = cell_sums(proba, (event, other_event))
        code = 4 * (champion * n_bins[1] + challenger) + 2 * event + other_event
        pending.append(_added(code, None, list(terms.values())))
        waiting += len(pending[-1][0])
        # Doubling the limit keeps repeated additions below twice the incoming cells.
        if waiting > max(MOST_PENDING, 2 * len(pending[0][0])):
            pending, waiting = [_merged(pending)], 0
    return CalibrationCells(n_bins, *_merged(pending))


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


AT_ONCE = 1 << 21
"""Records whose terms are computed at once; each has dozens of them."""

MOST_CELLS = 1 << 20
"""Cells of two classifiers' bins that are summed as one table."""


class DeviceForecasts(NamedTuple):
    """Probabilities of events on a device, and outcomes (0 or 1).

    Of shape (n_samples, n_columns), one column per class for classwise events, else one.
    """

    space: Space
    kind: str
    proba: list[Any]
    occurred: list[Any]


def device_forecasts(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    *,
    kind: object = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
) -> DeviceForecasts | None:
    """Return the events and their probabilities, as `collapse_predictions` does.

    None where the predictions are not on a device, or are left to numpy.
    """
    space = space_of(**predictions)
    if space is None:
        return None
    column = device_column(space, "y_true", y_true)
    arrays = [space.own(values, "float64") for values in predictions.values()]
    n = None if column is None else column.codes.shape[0]
    if column is None or any(
        values.ndim not in (1, 2) or values.shape[0] != n for values in arrays
    ):
        return None
    vectors = [values.ndim == 1 for values in arrays]
    distinct = column.occurring(space)
    chosen, classes, positive, _ = Events.of(
        distinct, vectors, kind, pos_label, on_host(labels)
    )
    codes = class_positions(space, column, "y_true", classes)
    forecasts = []
    for values in arrays:
        proba = device_probabilities(space, values, len(classes))
        if proba is None:
            return None
        if values.ndim == 1 and not positive:
            proba = space.xp.flip(proba, axis=1)
        forecasts.append(_events(space, codes, proba, chosen, positive))
    return DeviceForecasts(
        space, chosen, [p for p, _ in forecasts], [e for _, e in forecasts]
    )


def _events(
    space: Space, codes: Any, proba: Any, kind: str, positive: int
) -> tuple[Any, Any]:
    xp = space.xp
    if kind == "binary":
        column = proba[:, positive : positive + 1]
        return column, xp.astype(codes == positive, xp.int64)[:, None]
    if kind == "top_label":
        top = xp.argmax(proba, axis=1)
        # The greatest probability is that of the class where it is first.
        chance = xp.max(proba, axis=1)
        return chance[:, None], xp.astype(codes == top, xp.int64)[:, None]
    true = codes[:, None] == space.up_to(proba.shape[1])[None, :]
    return proba, xp.astype(true, xp.int64)


def _bin_positions(space: Space, proba: Any, layout: Layout) -> Any:
    """Return the bin of each probability, by row; bins are numbered class by class."""
    xp, offset, codes = space.xp, 0, []
    for k, edges in enumerate(layout):
        # All probabilities are at the first edge, 0, or above it.
        position = space.place(space.own(edges[:-1], "float64"), proba[:, k], "right")
        codes.append(xp.astype(position, xp.int64) + (offset - 1))
        offset += len(edges) - 1
    return xp.stack(codes, axis=1)


def device_bins(
    forecasts: DeviceForecasts, requested: Bins, sample_weight: Any, debiased: bool
) -> tuple[CalibrationBins, Layout] | None:
    """Compute sums over the requested bins, or return None if weights are invalid."""
    space, (proba,), (occurred,) = forecasts.space, forecasts.proba, forecasts.occurred
    n, columns = proba.shape
    weights = None
    by_data = requested.edges is None and requested.strategy != "uniform"
    if sample_weight is not None:
        weights = device_weights(space, sample_weight, n)
        if weights is None or by_data:
            return None
        if debiased and not bool(space.xp.all(space.xp.trunc(weights) == weights)):
            return None
    # Edges that depend on the data are computed in numpy.
    flat = on_host(proba).ravel() if by_data else np.empty(0)
    layout = replace(requested, columns=columns).layout(flat, 0)
    codes = _bin_positions(space, proba, layout)
    sums = _sums(space, codes, proba, occurred, weights, sum(len(e) - 1 for e in layout))
    return CalibrationBins(*(each.astype(np.float64) for each in sums)), layout


def _sums(
    space: Space, codes: Any, proba: Any, occurred: Any, weights: Any, n_bins: int
) -> list[IntArray]:
    xp = space.xp
    flat = [xp.reshape(each, (-1,)) for each in (codes, proba, occurred)]
    code, chance, event = flat
    if weights is None:
        both = space.counted(2 * code + event, 2 * n_bins).reshape(n_bins, 2)
        return [both.sum(axis=1), space.counted(code, n_bins, chance), both[:, 1]]
    weight = xp.reshape(xp.broadcast_to(weights[:, None], codes.shape), (-1,))
    return [
        space.counted(code, n_bins, weight),
        space.counted(code, n_bins, weight * chance),
        space.counted(code, n_bins, weight * xp.astype(event, weight.dtype)),
    ]


def device_cells(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    bins: Bins,
    options: Mapping[str, Any],
) -> tuple[CalibrationCells, tuple[Layout, Layout], str] | None:
    """Return counts and sums over the joint bins of both classifiers, and the edges.

    None where the predictions are not on a device, are left to numpy, or have too many
    cells for a table.
    """
    forecasts = device_forecasts(y_true, predictions, **options)
    if forecasts is None or forecasts.kind == "classwise":
        return None
    layouts = bins.layout(np.empty(0), 0), bins.layout(np.empty(0), 1)
    shape = (*(len(edges) - 1 for (edges,) in layouts), 2, 2)
    if prod(shape) > MOST_CELLS:
        return None
    counts = np.zeros(prod(shape), dtype=np.int64)
    sums = np.zeros((len(ALL_SUMS), prod(shape)))
    n = forecasts.proba[0].shape[0]
    for start in range(0, n, AT_ONCE):
        # The standard has no slices beyond the end.
        rows = slice(start, min(n, start + AT_ONCE))
        part_counts, part_sums = _cell_parts(forecasts, layouts, rows)
        counts += part_counts
        sums += part_sums
    occupied = np.flatnonzero(counts)
    cells = np.stack(np.unravel_index(occupied, shape), axis=1)
    named_sums = dict(zip(ALL_SUMS, sums[:, occupied], strict=True))
    table = CalibrationCells.of(cells, counts[occupied], named_sums, layouts)
    return table, layouts, forecasts.kind


def _cell_parts(
    forecasts: DeviceForecasts, layouts: tuple[Layout, Layout], rows: slice
) -> tuple[IntArray, FloatArray]:
    """Compute counts and sums of all cells over a slice of the records."""
    space, xp = forecasts.space, forecasts.space.xp
    proba, code, events = [], 0, []
    for values, occurred, layout in zip(
        forecasts.proba, forecasts.occurred, layouts, strict=True
    ):
        chance = values[rows, :]
        own = xp.reshape(_bin_positions(space, chance, layout), (-1,))
        code = code * (len(layout[0]) - 1) + own
        proba.append(xp.reshape(chance, (-1,)))
        events.append(xp.reshape(occurred[rows, :], (-1,)))
    code = 4 * code + 2 * events[0] + events[1]
    n_cells = 4 * prod(len(edges) - 1 for (edges,) in layouts)
    happened = tuple(xp.astype(each, xp.float64) for each in events)
    terms = cell_sums((proba[0], proba[1]), (happened[0], happened[1]))
    sums = [space.counted(code, n_cells, xp.astype(terms[k], xp.float64)) for k in ALL_SUMS]
    return space.counted(code, n_cells), np.array(sums)
