"""Counts of labels, computed on the device of the predictions.

Different records are found there, and one of each kind is checked by the same code as
arrays of numpy. Labels that are not whole numbers come back unchanged, so that they are
refused with the same messages.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import all_on_host, is_foreign, on_host
from skcompare._core.validation import (
    LARGEST_WHOLE_FLOAT,
    WIDEST_RANGE,
    are_plain_labels,
    check_groups,
    check_labels,
    check_same_length,
    class_codes,
    encode_labels,
)
from skcompare._typing import ArrayLike, IntArray
from skcompare.evidence.core._counting import LARGEST_CODE, LARGEST_TABLE
from skcompare.evidence.core._device import Space, check_weights, space_of


class DeviceColumn(NamedTuple):
    """Labels encoded on a device, and the label of each code."""

    codes: Any
    labels: NDArray[Any]

    def occurring(self, space: Space) -> NDArray[Any]:
        """Return the sorted labels that occur."""
        return self.labels[np.flatnonzero(space.counted(self.codes, len(self.labels)))]

    def among(self, space: Space, classes: NDArray[Any]) -> Any:
        """Return positions of the labels among sorted classes that contain all labels."""
        positions = np.searchsorted(classes, self.labels)
        if np.array_equal(positions, np.arange(len(positions))):
            return self.codes
        return space.own(positions, "int64")[self.codes]


def device_column(space: Space, name: str, values: Any) -> DeviceColumn | None:
    """Encode labels on the device, or return None if numpy has to check the labels."""
    if not is_foreign(values):
        labels, (codes,) = encode_labels(check_labels(name, values), {})
        return DeviceColumn(space.own(codes, "int64"), labels)
    xp, array = space.xp, space.own(values)
    if array.ndim != 1 or not array.shape[0] or not _is_whole(space, array):
        return None
    kind = np.dtype(np.int64)
    if not xp.isdtype(array.dtype, "real floating"):
        kind = on_host(array[:1]).dtype
    numbers = xp.astype(array, xp.int64)
    if kind == np.bool_:
        return DeviceColumn(numbers, np.array([False, True]))
    low, high = int(xp.min(numbers)), int(xp.max(numbers))
    if high - low < WIDEST_RANGE:
        labels = np.arange(low, high + 1).astype(kind)
        return DeviceColumn(numbers - low if low else numbers, labels)
    labels, codes = xp.unique_inverse(numbers)
    return DeviceColumn(xp.reshape(codes, (-1,)), on_host(labels).astype(kind))


def _is_whole(space: Space, array: Any) -> bool:
    """Whether an array is boolean, or holds only integers within int64."""
    xp = space.xp
    if xp.isdtype(array.dtype, ("bool", "signed integer")):
        return True
    if xp.isdtype(array.dtype, "unsigned integer"):
        return array.dtype != xp.uint64
    if not xp.isdtype(array.dtype, "real floating"):
        return False
    # NaN is in no range, and infinity beyond any.
    size = xp.max(xp.abs(array))
    return bool(size <= LARGEST_WHOLE_FLOAT) and bool(xp.all(xp.trunc(array) == array))


def counted_labels(
    others: Mapping[str, Any], predictions: Mapping[str, Any], *, groups: Any = None
) -> tuple[list[Any], IntArray | None]:
    """Return distinct records and their counts, if the predictions are on a device.

    Labels of `others` come first, then the predictions, then the groups if there are any.
    For predictions in numpy, and labels that numpy has to check, the first value is all
    records, in numpy, and the second None.
    """
    labels = {**others, **predictions}
    if groups is None and are_plain_labels(labels.values()):
        return [*labels.values()], None
    group_arrays = [] if groups is None else [groups]
    arrays, counts = [*labels.values(), *group_arrays], None
    space = space_of(**predictions)
    if space is not None:
        columns = [device_column(space, *item) for item in labels.items()]
        columns += [_grouped(space, item) for item in group_arrays]
        counted = _counted(space, columns)
        if counted is not None:
            arrays, counts, _ = counted
    (*columns,) = map(on_host, arrays)
    checked = {name: check_labels(name, array) for name, array in zip(labels, columns)}
    checked_groups = {} if groups is None else {"groups": check_groups(columns[-1])}
    check_same_length(checked, checked_groups)
    return [*checked.values(), *checked_groups.values()], counts


def _grouped(space: Space, groups: Any) -> DeviceColumn | None:
    if not is_foreign(groups):
        labels, codes = np.unique(check_groups(groups), return_inverse=True)
        return DeviceColumn(space.own(codes, "int64"), labels)
    column = device_column(space, "groups", groups)
    if column is None:
        return None
    # Groups may be floats, and stay what they are.
    return column._replace(labels=column.labels.astype(on_host(groups[:1]).dtype))


def _alike(columns: Sequence[DeviceColumn | None]) -> list[DeviceColumn] | None:
    """Return the columns if all are present and of equal length, else None."""
    present = [column for column in columns if column is not None]
    lengths = {column.codes.shape[0] for column in present}
    return present if len(present) == len(columns) and len(lengths) == 1 else None


def _counted(
    space: Space, columns: Sequence[DeviceColumn | None], weights: Any = None
) -> tuple[list[NDArray[Any]], IntArray, NDArray[Any] | None] | None:
    """Return the distinct rows of columns, their counts, and their weights if any."""
    xp, present = space.xp, _alike(columns)
    if present is None:
        return None
    sizes = [len(column.labels) for column in present]
    n_cells, n = prod(sizes), present[0].codes.shape[0]
    if n_cells > LARGEST_CODE:
        return None
    cell = present[0].codes
    for column, size in zip(present[1:], sizes[1:], strict=True):
        cell = cell * size + column.codes
    if n_cells <= min(LARGEST_TABLE, max(4 * n, WIDEST_RANGE)):
        counts = space.counted(cell, n_cells)
        occurring = np.flatnonzero(counts)
        counts = counts[occurring]
    else:
        unique, frequencies = xp.unique_counts(cell)
        order = np.argsort(on_host(unique))
        occurring, counts = on_host(unique)[order], on_host(frequencies)[order]
        cell = xp.searchsorted(space.own(occurring), cell)
        n_cells = len(occurring)
    total = None
    if weights is not None:
        total = space.counted(cell, n_cells, weights)
        total = total if len(total) == len(counts) else total[occurring]
    positions = np.unravel_index(occurring, tuple(sizes))
    return (
        [column.labels[k] for column, k in zip(present, positions, strict=True)],
        counts,
        total,
    )


def counted_rows(
    y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Any, Any, Any]:
    """Return labels and weights for a metric in numpy, one row per distinct record.

    A metric of labels that takes weights has the same value for records of one kind as for
    one record of their weight together.
    """
    space = space_of(y_pred=y_pred)
    if space is None:
        return all_on_host(y_true, y_pred, sample_weight)
    columns = [device_column(space, "y_true", y_true)]
    columns.append(device_column(space, "y_pred", y_pred))
    weights = None
    if sample_weight is not None and columns[1] is not None:
        weights = check_weights(columns[1].codes, sample_weight)
    counted = _counted(space, columns, weights)
    if counted is None:
        return all_on_host(y_true, y_pred, sample_weight)
    (truth, predicted), counts, total = counted
    return truth, predicted, counts if total is None else total


def predictions_right(
    y_true: Any, predictions: Sequence[Any]
) -> tuple[NDArray[np.uint8], int] | None:
    """Return the packed bits of the correct predictions, and the number of records.

    None where the predictions are not on a device, there is only one classifier, or one is
    never correct, so that its labels have to be checked.
    """
    space = space_of(
        **{f"predictions {k}": values for k, values in enumerate(predictions, 1)}
    )
    if space is None or len(predictions) < 2:
        return None
    xp = space.xp
    columns = [device_column(space, "labels", values) for values in (y_true, *predictions)]
    present = _alike(columns)
    if present is None or len({column.labels.dtype.kind in "US" for column in present}) > 1:
        return None
    classes = np.unique(np.concatenate([column.labels for column in present]))
    truth, *predicted = (column.among(space, classes) for column in present)
    n = truth.shape[0]
    padding = xp.zeros(-n % 8, dtype=xp.int64, device=space.device)
    bit_values = space.own(1 << np.arange(7, -1, -1), "int64")
    rows = []
    for codes in predicted:
        correct = xp.concat([xp.astype(codes == truth, xp.int64), padding])
        octets = xp.sum(xp.reshape(correct, (-1, 8)) * bit_values, axis=1)
        rows.append(on_host(xp.astype(octets, xp.uint8)))
    bits = np.stack(rows)
    return (bits, n) if bits.any(axis=1).all() else None


def class_positions(
    space: Space, column: DeviceColumn, name: str, classes: NDArray[Any]
) -> Any:
    """Encode true labels as positions in sorted classes; raise an error for others."""
    class_codes(name, column.occurring(space), classes)
    return column.among(space, classes)
