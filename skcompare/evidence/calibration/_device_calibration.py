"""Bins and cells of probabilities, summed on the device."""

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from skcompare._core.array_api import on_host
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence._device import Space, space_of
from skcompare.evidence.calibration._bins import ALL_SUMS, Bins, Layout, cell_sums
from skcompare.evidence.calibration._cells import CalibrationCells
from skcompare.evidence.calibration._errors import CalibrationBins
from skcompare.evidence.calibration._events import Events
from skcompare.evidence.labels._device_labels import (
    class_positions,
    device_column,
    device_weights,
)
from skcompare.evidence.losses._device_losses import device_probabilities

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
    if sample_weight is not None:
        weights = device_weights(space, sample_weight, n)
        by_number = requested.strategy != "uniform" and requested.edges is None
        if weights is None or by_number:
            return None
        if debiased and not bool(space.xp.all(space.xp.trunc(weights) == weights)):
            return None
    layout = _layout(requested, proba, columns, 0)
    codes = _bin_positions(space, proba, layout)
    sums = _sums(space, codes, proba, occurred, weights, sum(len(e) - 1 for e in layout))
    return CalibrationBins(*(each.astype(np.float64) for each in sums)), layout


def _layout(bins: Bins, proba: Any, columns: int, role: int) -> Layout:
    """Return the bin edges; edges that depend on the data are computed in numpy."""
    by_data = bins.edges is None and bins.strategy != "uniform"
    flat = on_host(proba).ravel() if by_data else np.empty(0)
    return Bins(bins.n_bins, bins.strategy, bins.edges, columns).layout(flat, role)


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
