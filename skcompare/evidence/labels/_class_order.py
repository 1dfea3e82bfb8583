"""Classes of labels and of the columns of probabilities, in numpy or on a device.

Labels are counted on the device of the predictions. Different records are found there, and
one of each kind is checked by the same code as arrays of numpy. Labels that are not whole
numbers come back unchanged, so that they are refused with the same messages.
"""

from collections.abc import Callable, Mapping, Sequence
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
    check_pos_label,
    check_probabilities,
    check_same_length,
    check_unit_interval,
    class_codes,
    classes_of,
    encode_labels,
    in_class_order,
    some_of,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._counting import LARGEST_CODE, LARGEST_TABLE
from skcompare.evidence.core._device import (
    Space,
    check_weights,
    device_probabilities,
    space_of,
)


class ClassColumns:
    """Classes of probability columns, and true labels encoded as positions among them.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    labels : array-like of shape (n_classes,), optional
        All class labels, sorted, where `y_true` lacks some of them. Columns are in this
        order, except those of a frame, which are named by the labels.
    pos_label : label, optional
        The class that a single column is of; the greater of two numbers by default.
    second : bool, default=False
        Whether a single column is of the second class where labels are strings, too.
    there : Space, optional
        Device of the probabilities. Codes and probabilities then stay there, unless they
        have to be refused.
    """

    def __init__(
        self,
        y_true: ArrayLike,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        *,
        second: bool = False,
        there: Space | None = None,
    ) -> None:
        column = None if there is None else device_column(there, "y_true", y_true)
        self._space = None if column is None else there
        if column is None or there is None:
            truth = check_labels("y_true", y_true)
        else:
            truth = column.occurring(there)
        check_same_length(y_true=truth)
        self.classes = classes_of(truth) if labels is None else sorted_labels(labels)
        self.codes: IntArray = class_codes("y_true", truth, self.classes)
        if column is not None and there is not None:
            self.codes = column.among(there, self.classes)
        self._has_labels = labels is not None
        self._single_is_second = second
        self._positive_column = check_pos_label(pos_label, self.classes)

    def probabilities(self, name: str, values: ArrayLike) -> FloatArray:
        """Return checked probabilities, one column per class."""
        if self._space is not None:
            proba = self._on_device(self._space, name, values)
            if proba is not None:
                return proba
            self.codes, self._space = on_host(self.codes), None
        return self.reader(name, values)(slice(None))

    def reader(
        self, name: str, values: ArrayLike, *, of_second: bool = False
    ) -> Callable[[slice], FloatArray]:
        """Return a function of some records that checks their probabilities.

        With `of_second`, a single column of the second of two classes stays as it is.
        """
        array = np.asarray(on_host(values))
        check_same_length({"y_true": self.codes, name: array})
        if array.dtype.kind in "US":
            raise ValueError(
                f"`{name}` must be probabilities. Got text, such as "
                f"{str(array.flat[0])!r:.40}. Convert it to numbers; predicted labels are "
                "compared by tests of labels."
            )
        single = array.ndim == 1 or array.shape[1:] == (1,)
        if single and len(self.classes) == 2:
            array = array.reshape(-1)
            self._check_named(name)
        else:
            self._check_all_occur(name, array)
            array = in_class_order(array, values, self.classes)
        n_classes = len(self.classes)
        step = -1 if single and self._positive_column == 0 else 1
        as_it_is = of_second and single and n_classes == 2 and step == 1

        def read(records: slice) -> FloatArray:
            own = np.asarray(array[records], dtype=np.float64)
            if as_it_is:
                check_unit_interval(name, own)
                return own
            return check_probabilities(name, own, n_classes)[:, ::step]

        return read

    def _on_device(self, space: Space, name: str, values: ArrayLike) -> Any:
        """Return probabilities on their device, or None if numpy has to check them."""
        if hasattr(values, "columns") or hasattr(values, "column_names"):
            return None
        array = space.own(values, "float64")
        if array.ndim not in (1, 2) or array.shape[0] != self.codes.shape[0]:
            return None
        single = array.ndim == 1 or array.shape[1] == 1
        if single and len(self.classes) == 2:
            array = space.xp.reshape(array, (-1,))
            self._check_named(name)
        of_second = self._positive_column != 0
        return device_probabilities(space, array, len(self.classes), of_second=of_second)

    def _check_named(self, name: str) -> None:
        is_stated = self._single_is_second or self._positive_column is not None
        if not is_stated and self.classes.dtype.kind in "US":
            raise ValueError(
                f"`{name}` has probabilities of one of {some_of(self.classes)}. Say which: "
                "pass `pos_label`."
            )

    def _check_all_occur(self, name: str, array: np.ndarray) -> None:
        """Raise an error if there are more columns than classes and no `labels`."""
        n_columns = 2 if array.ndim == 1 else array.shape[1]
        if array.ndim <= 2 and not self._has_labels and n_columns > len(self.classes):
            raise ValueError(
                f"`{name}` has probabilities of at least {n_columns} classes, but `y_true` "
                f"has only {some_of(self.classes)}. Pass all class labels as `labels`."
            )


def sorted_labels(labels: ArrayLike) -> np.ndarray:
    """Check that class labels are distinct and sorted, and return them as an array."""
    array = check_labels("labels", labels)
    if not np.array_equal(array, np.unique(array)):
        raise ValueError(
            f"`labels` must be different and sorted, as the columns are. Got "
            f"{some_of(array)}. Sort them, and the columns with them."
        )
    return array


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
