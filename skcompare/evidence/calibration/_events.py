"""Probabilities and outcomes of events."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import on_host
from skcompare._core.validation import (
    check_labels,
    check_probabilities,
    check_same_length,
    class_codes,
    classes_of,
    positive_class,
    some_of,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._bins import resolve_kind
from skcompare.evidence.core._device import device_probabilities, space_at, space_of
from skcompare.evidence.labels._class_order import (
    class_positions,
    device_column,
    sorted_labels,
)


class Forecasts(NamedTuple):
    """Probabilities and outcomes of events, in numpy or on a device.

    There is one row per record, or, for classwise events, one row per record and class:
    all classes of the first record, then all of the second.
    """

    proba: FloatArray
    occurred: NDArray[np.bool_]


def collapse(codes: IntArray, proba: FloatArray, kind: str, positive: int) -> Forecasts:
    """Extract the events of a kind from true classes and one probability column per class.

    Of equally probable top labels the first is taken.
    """
    space = space_at(proba)
    xp, (n, n_classes) = space.xp, proba.shape
    if kind == "binary":
        return Forecasts(space.packed(proba[:, positive]), codes == positive)
    if kind == "top_label":
        top = xp.argmax(proba, axis=1)
        return Forecasts(proba[space.up_to(n), top], codes == top)
    occurred = codes[:, None] == space.up_to(n_classes)[None, :]
    return Forecasts(xp.reshape(proba, (-1,)), xp.reshape(occurred, (-1,)))


class Events(NamedTuple):
    """Kind of the events, classes, and position of the positive class."""

    kind: str
    classes: NDArray[Any]
    positive: int
    named: bool

    @classmethod
    def of(
        cls,
        truth: NDArray[Any],
        vectors: Sequence[bool],
        kind: object,
        pos_label: Any,
        labels: ArrayLike | None,
    ) -> "Events":
        """Construct from true labels; `vectors` marks one-dimensional predictions."""
        classes, positive = _classes(truth, labels, pos_label, vectors)
        return cls(resolve_kind(kind, len(classes)), classes, positive, labels is not None)

    def forecasts(
        self, truth: NDArray[Any], by_name: Mapping[str, NDArray[Any]]
    ) -> list[Forecasts]:
        """Return the forecasts of each classifier, from one or n_classes columns each."""
        codes = class_codes("y_true", truth, self.classes)
        return [self._forecasts(codes, name, proba) for name, proba in by_name.items()]

    def _forecasts(self, codes: IntArray, name: str, proba: NDArray[Any]) -> Forecasts:
        values = np.asarray(proba, dtype=np.float64)
        n_classes = len(self.classes)
        if values.ndim == 1 and self.kind == "binary":
            return Forecasts(_vector(name, values), codes == self.positive)
        if values.ndim == 1:
            values = _two_columns(name, values, n_classes, self.positive)
        elif values.ndim == 2 and not self.named and values.shape[1] > n_classes:
            raise ValueError(
                f"`{name}` has {values.shape[1]} columns, and `y_true` only the classes "
                f"{some_of(self.classes)}. Pass `labels`, the class of each column."
            )
        else:
            values = check_probabilities(name, values, n_classes)
        return collapse(codes, values, self.kind, self.positive)


def collapse_predictions(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    *,
    kind: object = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
) -> tuple[str, int, list[Forecasts]]:
    """Return the kind of event, the number of classes, and the forecasts by classifier.

    Each entry of `predictions` is an array of shape (n_samples,), the probabilities of the
    positive class, or of shape (n_samples, n_classes), one column per class.
    """
    truth = check_labels("y_true", y_true)
    arrays = {
        name: np.asarray(on_host(values), dtype=np.float64)
        for name, values in predictions.items()
    }
    check_same_length({"y_true": truth}, arrays)
    vectors = [values.ndim == 1 for values in arrays.values()]
    events = Events.of(truth, vectors, kind, pos_label, labels)
    return events.kind, len(events.classes), events.forecasts(truth, arrays)


def device_forecasts(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    *,
    kind: object = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
) -> tuple[str, int, list[Forecasts]] | None:
    """Return the same as :func:`collapse_predictions`, on the device of the predictions.

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
    events = Events.of(distinct, vectors, kind, pos_label, on_host(labels))
    codes = class_positions(space, column, "y_true", events.classes)
    n_classes, of_second = len(events.classes), bool(events.positive)
    forecasts = []
    for values in arrays:
        proba = device_probabilities(space, values, n_classes, of_second=of_second)
        if proba is None:
            return None
        forecasts.append(collapse(codes, proba, events.kind, events.positive))
    return events.kind, n_classes, forecasts


def _classes(
    truth: NDArray[Any], labels: ArrayLike | None, pos_label: Any, vectors: Sequence[bool]
) -> tuple[NDArray[Any], int]:
    """Return the sorted classes and the position of the positive class."""
    declared = labels is not None
    classes = classes_of(truth) if labels is None else sorted_labels(labels)
    if len(classes) > 2 and pos_label is None and not any(vectors):
        return classes, 0
    if len(classes) == 2 and (declared or not any(vectors)) and pos_label is None:
        # The columns give the class of each probability.
        return classes, 0 if classes.tolist()[0] == 1 else 1
    if len(classes) == 1 and not declared and pos_label is None:
        label = classes.tolist()[0]
        positive = 1 if label in (0, -1) else positive_class(classes, None)
    else:
        positive = positive_class(classes, pos_label)
    classes = _two_classes(classes, positive)
    return classes, int(np.flatnonzero(classes == positive)[0])


def _two_classes(classes: NDArray[Any], positive: Any) -> NDArray[Any]:
    """Return both classes, even if only one of them occurs."""
    if len(classes) == 2:
        return classes
    only = classes.tolist()[0]
    if only != positive:
        return np.unique(np.array([only, positive]))
    if isinstance(positive, str):
        # Any other label will do, because no record has it.
        return np.array(["" if positive else "-", positive])
    return np.array([min(0, int(positive) - 1), int(positive)])


def _vector(name: str, proba: FloatArray) -> FloatArray:
    """Check probabilities of the positive class, without making two columns."""
    if proba.min() >= 0 and proba.max() <= 1:
        return proba
    # This raises the error.
    return check_probabilities(name, proba, 2)[:, 1]


def _two_columns(name: str, proba: FloatArray, n_classes: int, positive: int) -> FloatArray:
    if n_classes != 2:
        raise ValueError(
            f"`{name}` must have one column per class, shape (n_samples, {n_classes}). Got "
            "one column, which stands for two classes only."
        )
    columns = check_probabilities(name, proba, 2)
    return columns if positive else columns[:, ::-1]


def check_unit(proba: Any) -> FloatArray:
    """Check that probabilities lie in [0, 1], and return them as a new array."""
    values = np.array(proba, dtype=np.float64)
    # A missing value is not in [0, 1] either.
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            "`proba` must be two arrays of shape (n_rows,) with probabilities in [0, 1]. "
            f"Got shape {values.shape}, values from {values.min(initial=np.inf):.6g} to "
            f"{values.max(initial=-np.inf):.6g}."
        )
    return values


def check_events(outcomes: Any) -> np.ndarray:
    """Check that outcomes are boolean, or 0 and 1; return them as a new array of bool."""
    values = np.array(outcomes)
    plain = values.dtype == np.bool_ or bool(((values == 0) | (values == 1)).all())
    if values.ndim != 1 or not plain:
        raise ValueError(
            "`outcomes` must be two arrays of shape (n_rows,) of True and False, or 1 and "
            f"0. Got {values.ravel()[:3].tolist()!r:.60} and so on, shape {values.shape}."
        )
    return values.astype(np.bool_)
