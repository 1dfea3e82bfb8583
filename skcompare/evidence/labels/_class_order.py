"""Classes of the columns of predicted probabilities."""

from collections.abc import Callable
from typing import Any

import numpy as np

from skcompare._core.arrays import on_host
from skcompare._core.validation import (
    check_labels,
    check_pos_label,
    check_probabilities,
    check_same_length,
    check_unit_interval,
    class_codes,
    classes_of,
    in_class_order,
    some_of,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._device import Space, device_probabilities
from skcompare.evidence.labels._device_labels import device_column


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
                f"`{name}` has probabilities of one of {some_of(self.classes)}. Say of "
                "which: pass `pos_label`."
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
