"""Predictions of several classifiers on shared test sets, their parts, and from arrays."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skcompare._core.design import HOLDOUT, IN_TIME, TIME_ORDERED_HOLDOUT, Design
from skcompare._core.store import FileFormat, know_class
from skcompare._core.times import check_horizon, check_times
from skcompare._core.validation import (
    as_array,
    check_labels,
    check_no_decimal_comma,
    check_numbers,
    check_pos_label,
    check_probabilities,
    check_same_length,
    check_same_order,
    class_codes,
    classes_of,
    encode_labels,
    group_codes,
    in_class_order,
    integral,
    some_of,
    unknown_name,
)
from skcompare._registry.metrics import CLASSES, FORECASTS, NUMBERS, VALUES
from skcompare._registry.tests import PairedTestEntry
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.predictions._forecasts import (
    check_outputs,
    check_same_outputs,
    forecast_of,
    names_of_outputs,
)

ABOUT_ALL = ("name", "description", "levels", "chance", "n_trainings")
"""Fields of the predictions of an estimator that are not arrays over records or splits."""

LABELS, SCORES, DECISION = "labels", "scores", "decision"
"""Kinds of predictions; scores are probabilities if the classifier has them."""

RANKS = "ranks"
"""In addition to scores: they only rank records, and probabilities may have any sum."""

PROBA = "probabilities"
"""In addition to scores: decision scores are not enough."""

NO_CLASSES = np.empty(0)
"""Stands for the classes of a target of numbers."""

CHAMPION, CHALLENGER = ROLES = ("champion", "challenger")

CHUNK = 1 << 22
"""Number of values hashed at the same time, so that no whole array is copied."""


def n_rows(data: Any) -> int:
    """Number of records."""
    return data.shape[0] if hasattr(data, "shape") else len(data)


def take_rows(data: Any, index: np.ndarray) -> Any:
    """Select the records at `index`, in a container of the same type."""
    if hasattr(data, "iloc"):
        return data.iloc[index]
    if sparse.issparse(data):
        return data.tocsr()[index]
    if type(data).__module__.startswith("pyarrow."):
        return data.take(index)
    if isinstance(data, list | tuple):
        return [data[i] for i in index]
    if type(data) is np.ndarray and index.dtype.kind == "i":
        return data.take(index, axis=0)  # several times as fast
    return data[index]


def fingerprint(*parts: Any) -> str:
    """Compute a digest of data that does not depend on memory layout."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        for piece in _pieces(part):
            digest.update(piece)
    return digest.hexdigest()


def _pieces(data: Any) -> Iterable[Any]:
    if data is None:
        yield b"none"
    elif sparse.issparse(data):
        csr = data.tocsr()
        for part in (np.array(csr.shape), csr.indptr, csr.indices, csr.data):
            yield from _array_pieces(part)
    elif hasattr(data, "columns") and not isinstance(data, np.ndarray):
        names = getattr(data, "column_names", None) or list(data.columns)
        for name in names:
            yield str(name).encode()
            yield from _array_pieces(np.asarray(data[name]))
    elif isinstance(data, list | tuple):
        yield from _item_pieces(data)
    else:
        yield from _array_pieces(np.asarray(data))


def _item_pieces(items: Any) -> Iterable[bytes]:
    """Yield items one by one, because an array of long and short strings would be huge."""
    yield f"{len(items)} items".encode()
    for item in items:
        yield f"{type(item).__name__} {item!r}\0".encode()


def _array_pieces(array: np.ndarray) -> Iterable[Any]:
    yield f"{array.dtype.str}{array.shape}".encode()
    if array.dtype.kind == "O":
        yield from _item_pieces(array.ravel().tolist())
        return
    rows = max(1, CHUNK // max(1, array[:1].size))
    for start in range(0, len(array), rows) if array.ndim else ():
        yield np.ascontiguousarray(array[start : start + rows]).view(np.uint8).data


@dataclass(frozen=True, eq=False, slots=True)
class EstimatorPredictions:
    """Predictions of one classifier on successive test sets.

    Parameters
    ----------
    name : str
        Name of the classifier, such as "champion".
    description : str
        Description of it, such as "Pipeline(StandardScaler, LogisticRegression)".
    labels : ndarray of shape (n_predictions,) or None
        Predicted classes as positions in the classes of the predictions.
    proba : ndarray of shape (n_predictions, n_classes) or None
        Probabilities; a class that a training set lacked has probability 0.
    decision : ndarray of shape (n_predictions,) or (n_predictions, n_classes) or None
        Decision scores of a classifier without probabilities.
    values : ndarray of shape (n_predictions,) or (n_predictions, n_outputs) or None
        Predicted numbers of a regressor.
    fit_times, predict_times : ndarray of shape (n_splits,) or None
        Seconds.
    std : ndarray of the shape of `values` or None
        Standard deviations of the predicted distributions of numbers.
    quantiles : ndarray of shape (n_predictions, [n_outputs,] n_levels) or None
        Predicted quantiles.
    samples : ndarray of shape (n_predictions, [n_outputs,] n_draws) or None
        Draws from the predicted distributions.
    levels : tuple of float
        Levels of the quantiles, in increasing order.
    chance : bool
        Whether training again on the same records may give another model.
    n_trainings : int
        Number of trainings, of which each predicts one test set; later test sets have the
        predictions of these again. 0 if each test set has a training of its own.
    """

    name: str
    description: str
    labels: IntArray | None = None
    proba: FloatArray | None = None
    decision: FloatArray | None = None
    values: FloatArray | None = None
    fit_times: FloatArray | None = None
    predict_times: FloatArray | None = None
    std: FloatArray | None = None
    quantiles: FloatArray | None = None
    samples: FloatArray | None = None
    levels: tuple[float, ...] = ()
    chance: bool = True
    n_trainings: int = 0

    def part(self, which: Any) -> "EstimatorPredictions":
        """Return the predictions selected by a slice, a mask or positions."""
        names = LABELS, "proba", DECISION, *FORECASTS
        arrays = {name: getattr(self, name) for name in names}
        parts: dict[str, Any] = {
            name: None if array is None else array[which] for name, array in arrays.items()
        }
        return replace(self, **parts)

    @property
    def has_labels(self) -> bool:
        """Whether there are predicted classes."""
        return self.labels is not None

    @property
    def has_proba(self) -> bool:
        """Whether there are probabilities."""
        return self.proba is not None

    @property
    def has_decision(self) -> bool:
        """Whether there are decision scores."""
        return self.decision is not None

    def known_labels(self) -> IntArray:
        """Return the predicted classes; raise an error if there are only scores."""
        if self.labels is None:
            raise ValueError(
                f"The predictions of {self.name} have no labels. Pass predicted labels or "
                "probabilities, or use a test that needs scores only."
            )
        return self.labels


@dataclass(frozen=True, eq=False, slots=True)
class Predictions:
    """Predictions of several classifiers on shared test sets.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels, sorted; empty where the target is numbers.
    y : ndarray of shape (n_samples,) or None
        True classes of the records, as positions in `classes`, or true numbers, of shape
        (n_samples, n_outputs) for several outputs; None if they are unknown, as on a live
        stream.
    estimators : tuple of EstimatorPredictions
        One entry per classifier, in order, each with the predictions of all splits.
    design : Design
        Design of the splits.
    records : ndarray of shape (n_predictions,) or None
        Record of each prediction, split after split; None means every record once, in
        order.
    bounds : ndarray of shape (n_splits + 1,) or None
        Start of each split in `records`; None means one split.
    n_train : ndarray of shape (n_splits,) or None
        Number of training records of each split; None if the classifiers were fitted.
    groups : ndarray of shape (n_samples,) or None
        Group of each record, as a position in the sorted group labels.
    fingerprint : str
        Digest of data and splits; predictions with the same fingerprint can be joined.
    flags : tuple of str
        Caveats about how the predictions were made.
    outputs : tuple of str
        Names of several outputs; empty for classes and for one number per record.
    weights : ndarray of shape (n_outputs,) or None
        Weights of several outputs, with a sum of 1; None for equal ones.
    time : ndarray of shape (n_samples,) or None
        Number or timestamp of each record, if these are in the order of time.
    horizon : int
        Time points by which forecasts are ahead.
    """

    classes: np.ndarray
    y: NDArray[Any] | None
    estimators: tuple[EstimatorPredictions, ...]
    design: Design = HOLDOUT
    records: IntArray | None = None
    bounds: IntArray | None = None
    n_train: IntArray | None = None
    groups: IntArray | None = None
    fingerprint: str = ""
    flags: tuple[str, ...] = field(default=())
    outputs: tuple[str, ...] = ()
    weights: FloatArray | None = None
    time: NDArray[Any] | None = None
    horizon: int = 1

    @property
    def n_records(self) -> int:
        """Number of records."""
        if self.y is not None:
            return len(self.y)
        first = self.estimators[0]
        arrays = (first.labels, first.proba, first.values)
        return len(next(a for a in arrays if a is not None))

    @property
    def is_numeric(self) -> bool:
        """Whether the target is numbers, not classes."""
        return len(self.classes) == 0

    @property
    def n_times(self) -> int | None:
        """Number of time points of tested records; None if their time is unknown."""
        return None if self.time is None else len(np.unique(self.time[self.tested]))

    @property
    def tested(self) -> Any:
        """Positions of the predicted records, or a slice of all of them."""
        return slice(None) if self.records is None else self.records

    @property
    def n_tested(self) -> int:
        """Number of records that are in a test set."""
        if self.records is None:
            return self.n_records
        tested = np.zeros(self.n_records, dtype=bool)
        tested[self.records] = True
        return int(np.count_nonzero(tested))

    @property
    def tally(self) -> Any:
        """Tally in place of records, or None if the records are kept."""
        return None

    @property
    def n_splits(self) -> int:
        """Number of test sets."""
        return 1 if self.bounds is None else len(self.bounds) - 1

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classifiers."""
        return tuple(prediction.name for prediction in self.estimators)

    @property
    def n_test(self) -> IntArray:
        """Number of test records of each split."""
        if self.bounds is None:
            return np.array([self.n_records])
        return np.diff(self.bounds)

    def __getitem__(self, name: str) -> EstimatorPredictions:
        for prediction in self.estimators:
            if prediction.name == name:
                return prediction
        raise unknown_name("classifier", name, self.names)

    def class_counts(self) -> IntArray:
        """Number of predictions for each true class, of shape (n_classes,)."""
        if self.is_numeric:
            return np.zeros(0, dtype=np.intp)
        return np.bincount(self.y_predicted(), minlength=len(self.classes))

    def slices(self) -> Iterator[slice]:
        """Yield the slice of predictions of each split."""
        if self.bounds is None:
            yield slice(0, self.n_records)
            return
        for start, stop in zip(self.bounds[:-1], self.bounds[1:], strict=True):
            yield slice(int(start), int(stop))

    def y_predicted(self) -> NDArray[Any]:
        """Return the true class of each prediction, of shape (n_predictions,)."""
        if self.y is None:
            raise ValueError(
                "Without true labels it is unknown which predictions are correct. Pass "
                "`y_true`, or use a test of the predictions alone, such as stuart_maxwell."
            )
        return self.y if self.records is None else self.y[self.records]

    def pair(self, champion: str, challenger: str) -> "PairedPredictions":
        """Return the predictions of two classifiers in their roles."""
        return PairedPredictions(self, self[champion], self[challenger])

    def save(self, path: Any) -> None:
        """Save to `path`, a `.npz` or `.json` file, without pickle."""
        FILE.write(path, self)

    @classmethod
    def load(cls, path: Any) -> "Predictions":
        """Read a file written by :meth:`save`."""
        return FILE.read(path, _checked_content)


@dataclass(frozen=True, eq=False, slots=True)
class PairedPredictions:
    """Predictions of a champion and a challenger on shared test sets."""

    predictions: Predictions
    champion: EstimatorPredictions
    challenger: EstimatorPredictions

    required: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def from_pair(cls, pair: "PairedPredictions") -> "PairedPredictions":
        """Return the predictions, which are evidence as they are."""
        return pair

    @property
    def design(self) -> Design:
        """Design of the splits."""
        return self.predictions.design

    @property
    def roles(self) -> Sequence[EstimatorPredictions]:
        """Champion and challenger, in this order."""
        return self.champion, self.challenger

    @property
    def alone(self) -> Predictions:
        """Predictions of the two classifiers only, under distinct names."""
        champion, challenger = self.roles
        if challenger.name == champion.name:
            challenger = replace(challenger, name=f"{champion.name} again")
        return replace(self.predictions, estimators=(champion, challenger))


def part_of(pair: PairedPredictions, keep: NDArray[np.bool_]) -> PairedPredictions:
    """Select the predictions for some records; classes stay the same.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions for a hold-out set.
    keep : ndarray of bool of shape (n_samples,)
        Mask of the records to keep.
    """
    predictions = pair.predictions
    if predictions.records is not None or predictions.bounds is not None:
        raise ValueError(
            f"Slices are taken of a hold-out set. Got {pair.design}. Compare trained "
            "classifiers on records that neither has seen."
        )
    champion, challenger = (role.part(keep) for role in pair.roles)
    groups = predictions.groups
    if groups is not None:
        groups = np.unique(groups[keep], return_inverse=True)[1]
    kept = replace(
        predictions,
        y=None if predictions.y is None else predictions.y[keep],
        estimators=(champion, challenger),
        groups=groups,
        time=None if predictions.time is None else predictions.time[keep],
    )
    return PairedPredictions(kept, champion, challenger)


def one_class(pair: PairedPredictions, position: int) -> PairedPredictions:
    """Reduce the predictions of a pair to one class, as :func:`one_class_of` does."""
    of_class = one_class_of(
        replace(pair.predictions, estimators=tuple(pair.roles)), position
    )
    return PairedPredictions(of_class, *of_class.estimators)


def one_class_of(predictions: Predictions, position: int) -> Predictions:
    """Reduce predictions to one class against the rest, with the classes False and True.

    The probability of the class stays the same, and that of the rest is its complement; a
    predicted label is the class or not, whatever its probability.

    Parameters
    ----------
    predictions : Predictions
        Predictions of any number of classes.
    position : int
        Position of the class.
    """
    n_classes, y = len(predictions.classes), predictions.y
    return replace(
        predictions,
        classes=np.array([False, True]),
        y=None if y is None else (y == position).astype(np.int8),
        estimators=tuple(
            _of_one_class(role, position, n_classes) for role in predictions.estimators
        ),
    )


def _of_one_class(
    predictions: EstimatorPredictions, position: int, n_classes: int
) -> EstimatorPredictions:
    labels, proba, decision = predictions.labels, predictions.proba, predictions.decision
    if labels is not None:
        labels = (labels == position).astype(np.int8)
    if proba is not None:
        proba = np.column_stack([1 - proba[:, position], proba[:, position]])
    if decision is not None and decision.ndim == 2:
        decision = decision[:, position]
    elif decision is not None and position < n_classes - 1:
        decision = -decision
    return replace(predictions, labels=labels, proba=proba, decision=decision)


def what_lacks(entry: PairedTestEntry, predictions: Predictions) -> str:
    """Return the reason why a test cannot use the predictions, or an empty string."""
    needs: Any = entry.needs
    required: frozenset[str] = getattr(needs, "required", frozenset())
    if not len(predictions.classes):
        is_suited = entry.of_numbers
        return "" if is_suited else f"{entry.name} is for classes, and these are numbers"
    if entry.target == NUMBERS:
        return f"{entry.name} is for numbers, and these are classes"
    for role in predictions.estimators:
        has_scores = role.has_proba
        has_scores |= getattr(needs, "takes_decision", False) and role.has_decision
        if LABELS in required and not role.has_labels:
            return f"{entry.name} needs labels, and {role.name} gives none"
        if SCORES in required and not has_scores:
            return f"{entry.name} needs probabilities, and {role.name} gives none"
    n_classes = len(predictions.classes)
    if n_classes > getattr(needs, "max_classes", n_classes):
        return f"{entry.name} is for {needs.max_classes} classes, and there are {n_classes}"
    least = getattr(needs, "least_per_class", 0)
    if least and predictions.y is not None:
        counts = predictions.class_counts()
        if counts.min() < least:
            rare = predictions.classes[int(np.argmin(counts))]
            return (
                f"{entry.name} needs {least} records of every class, and class {rare} "
                f"has {counts.min()}"
            )
    return ""


def _checked_content(content: Any) -> Predictions:
    """Return the content of a file, which must be predictions."""
    if not isinstance(content, Predictions):
        raise ValueError(f"it holds {content!r:.60} in place of predictions")
    return content


know_class(Predictions)
FILE = FileFormat("skcompare.predictions", "predictions", "`Predictions.save` writes")


ROUNDING = 1e-9
"""Tolerance of means that count as equal."""

KINDS = {LABELS: "labels", "proba": "probabilities"}
"""Keys of both kinds of predictions of a classifier, and their names in messages."""


def predictions_from_arrays(
    y_true: ArrayLike | None,
    predictions: Mapping[str, Any],
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
    target: str = CLASSES,
    outputs: Sequence[str] | None = None,
    time: ArrayLike | None = None,
    horizon: int = 1,
) -> Predictions:
    """Construct predictions of trained classifiers for one hold-out set from arrays.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs), or None
        True labels; None if they are unknown. True numbers may be of several outputs.
    predictions : mapping of str to array-like or to mapping
        For each classifier its predicted labels of shape (n_samples,), its
        probabilities of shape (n_samples, n_classes), or for two classes its
        probabilities of `pos_label`, of shape (n_samples,). Fractions in [0, 1] that are
        no labels are read as probabilities. The predicted label is the class of the
        largest probability, the first one of ties. For a classifier that decides
        otherwise, for example by a threshold, pass both as
        ``{"labels": ..., "proba": ...}``.
    labels : array-like of shape (n_classes,), optional
        All class labels, if `y_true` lacks some that predictions have. Columns of
        probabilities are in their sorted order.
    pos_label : label, optional
        Class of a single column of probabilities. By default the greater of two numeric
        or boolean labels; strings have no default.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user); the design is then grouped.
    target : {"classes", "numbers"}, default="classes"
        What `y_true` and the predictions are; of numbers each predicts one per record and
        output. How uncertain they are is passed as
        ``{"values": ..., "std": ...}`` with standard deviations, as
        ``{"quantiles": {0.1: ..., 0.5: ..., 0.9: ...}}`` by level, as
        ``{"values": ..., "intervals": {0.9: (low, high)}}`` by coverage, which is the same
        as quantiles that leave out 5 % on either side, or as ``{"samples": ...}`` with
        draws of shape (n_samples, n_draws), whose means are the numbers if none are passed.
        Of several outputs each of these arrays has a column per output, and samples are of
        shape (n_samples, n_outputs, n_draws).
    outputs : sequence of str, optional
        Names of several outputs. By default the columns of `y_true`, if it is a frame, or
        else "0", "1" and so on.
    time : array-like of shape (n_samples,), optional
        Number or timestamp of each record, in any order; equal ones are one time point. The
        design is then a hold-out in time order, and `groups` are series (stores, sensors),
        whose records of one time may depend on each other. Text must be of ISO 8601, and
        timestamps with a time zone are converted to UTC.
    horizon : int, default=1
        Time points by which forecasts are ahead, or by which true labels are late.
    """
    horizon = check_horizon(horizon, time)
    if y_true is not None:
        _check_one_training(y_true, predictions)
    if target == NUMBERS:
        of_classes = {"labels": labels, "pos_label": pos_label}
        collected = _of_numbers(y_true, predictions, groups, outputs, of_classes)
    else:
        collected = _of_classes(y_true, predictions, labels, pos_label, groups)
    return collected if time is None else in_time(collected, time, horizon)


def _check_one_training(y_true: Any, predictions: Mapping[str, Any]) -> None:
    """Raise an error for predictions that have the shape of those of several trainings."""
    n = len(y_true) if hasattr(y_true, "__len__") else 0
    for name, values in predictions.items():
        shape: Any = getattr(values, "shape", ())
        if isinstance(values, list | tuple) and values:
            shape = len(values), *getattr(values[0], "shape", np.shape(values[0])[:1])
        if len(shape) > 1 and shape[0] != n == shape[1]:
            raise ValueError(
                "Predictions of one training have an entry per record, here "
                f"{n}. Got `{name}` of shape {tuple(map(int, shape))}, as of {shape[0]} "
                "trainings. Compare several trainings of each by compare_seeds."
            )


def in_time(predictions: Predictions, time: ArrayLike, horizon: int) -> Predictions:
    """Return predictions for a hold-out set, or splits, with the time of their records."""
    times = check_times("time", time)
    check_same_length(
        {"time": times}, {"predictions": np.broadcast_to(0, predictions.n_records)}
    )
    design = predictions.design
    if design.kind != IN_TIME:
        design = Design(TIME_ORDERED_HOLDOUT.kind, grouped=predictions.groups is not None)
    return replace(predictions, time=times, horizon=horizon, design=design)


def _of_classes(
    y_true: ArrayLike | None,
    predictions: Mapping[str, Any],
    labels: ArrayLike | None,
    pos_label: Any,
    groups: ArrayLike | None,
) -> Predictions:
    """Construct predictions of classes for one hold-out set."""
    parts = [part for name, value in predictions.items() for part in parts_of(name, value)]
    arrays = {part.title: _prediction_array(part.value) for part in parts}
    truth_by_name = {} if y_true is None else {"y_true": y_true}
    check_same_length(truth_by_name, arrays)
    check_same_order(truth_by_name, {part.title: part.value for part in parts})
    declared = [] if labels is None else [check_labels("labels", labels)]
    truth = None if y_true is None else check_labels("y_true", y_true)
    occurring = [*declared, *([] if truth is None else [truth])]
    predicted = {
        part.title: check_labels(part.title, arrays[part.title])
        for part in parts
        if part.kind == LABELS
        or (part.kind is None and _are_labels(arrays[part.title], occurring))
    }
    classes, true_codes, codes = _encode(truth, declared, predicted)
    positive = check_pos_label(pos_label, classes)
    fields: dict[str, dict[str, Any]] = {name: {} for name in predictions}
    for part in parts:
        own = fields[part.name]
        if part.title in predicted:
            own["labels"] = codes[part.title]
            continue
        ordered = in_class_order(arrays[part.title], part.value, classes)
        own["proba"] = _probabilities(part.title, ordered, classes, positive)
        if part.kind is None:
            best = own["proba"].argmax(axis=1)
            own["labels"] = best.astype(np.min_scalar_type(-len(classes)))
    for name, own in fields.items():
        if LABELS in fields[name] and any(p.kind for p in parts if p.name == name):
            _check_agreement(name, own["labels"], own["proba"], classes)
    collected = [EstimatorPredictions(name, name, **own) for name, own in fields.items()]
    return Predictions(
        classes=classes,
        y=true_codes,
        estimators=tuple(collected),
        design=Design(HOLDOUT.kind, grouped=groups is not None),
        groups=codes_of_groups(groups, {parts[0].title: collected[0].labels}),
        fingerprint="" if truth is None else fingerprint(truth),
        flags=("no-truth",) if truth is None else (),
    )


def _of_numbers(
    y_true: ArrayLike | None,
    predictions: Mapping[str, Any],
    groups: ArrayLike | None,
    outputs: Sequence[str] | None,
    of_classes: Mapping[str, Any],
) -> Predictions:
    """Construct predictions of numbers for one hold-out set."""
    for name, value in of_classes.items():
        if value is not None:
            raise ValueError(
                f"`{name}` is about classes, and the target is numbers. Got {value!r:.60}. "
                "Leave it out, or compare by a measure of classes."
            )
    truth, estimators = checked_numbers(y_true, predictions)
    target, source = truth, y_true
    if truth is None:
        # The outputs are those of the first predictions.
        target, source = estimators[0].values, next(iter(predictions.values()))
    assert target is not None
    names: tuple[str, ...] = ()
    if target.ndim == 2 or outputs is not None:
        n_outputs = 1 if target.ndim == 1 else target.shape[1]
        names = names_of_outputs(source, n_outputs, outputs)
    for name, own in predictions.items():
        check_same_outputs(name, own, names)
    return Predictions(
        classes=NO_CLASSES,
        y=truth,
        estimators=estimators,
        design=Design(HOLDOUT.kind, grouped=groups is not None),
        groups=codes_of_groups(groups, {estimators[0].name: estimators[0].values}),
        fingerprint="" if truth is None else fingerprint(truth),
        outputs=names if target.ndim == 2 else (),
        flags=("no-truth",) if truth is None else (),
    )


def checked_numbers(
    y_true: ArrayLike | None, predictions: Mapping[str, Any]
) -> tuple[np.ndarray | None, tuple[EstimatorPredictions, ...]]:
    """Return true and predicted numbers of one hold-out set, without a digest of them."""
    truth = None if y_true is None else check_numbers("y_true", y_true, several=True)
    passed: dict[str, Any] = {} if y_true is None else {"y_true": y_true}
    forecasts = {name: forecast_of(name, own, passed) for name, own in predictions.items()}
    values = {name: own[VALUES] for name, own in forecasts.items()}
    numbers = values if truth is None else {"y_true": truth, **values}
    check_same_length(numbers)
    check_same_order(passed, predictions)
    target = next(iter(numbers.values()))
    for name, own in values.items():
        check_outputs(name, own, target)
    roles = (EstimatorPredictions(name, name, **own) for name, own in forecasts.items())
    return truth, tuple(roles)


def codes_of_groups(groups: ArrayLike | None, records: Mapping[str, Any]) -> Any:
    """Return the group of each record as a position in the sorted groups, if there are any.

    `records` is an array with an entry per record, by its name in messages.
    """
    if groups is None:
        return None
    codes = group_codes(groups)
    check_same_length(records, groups=codes)
    return codes


def encoded_target(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return classes, and labels as positions among them; numbers are without classes."""
    if y.dtype.kind == "f":
        return NO_CLASSES, y
    classes = classes_of(y)
    return classes, class_codes("y", y, classes)


class Part(NamedTuple):
    """Labels or probabilities of a classifier; `kind` is None if not specified.

    Of columns with quantiles or intervals it is a pair, with the level or the coverage.
    """

    name: str
    title: str
    kind: str | tuple[str, float] | None
    value: Any


def parts_of(name: str, value: Any) -> list[Part]:
    """Return the parts of one classifier: one array, or labels and probabilities."""
    if not isinstance(value, Mapping):
        return [Part(name, name, None, value)]
    if set(value) != set(KINDS):
        raise ValueError(
            f"`{name}` must have 'labels' and 'proba' where it is a dict. Got "
            f"{', '.join(map(repr, value)) or 'nothing'}. Pass both, or one of them "
            "without a dict."
        )
    return [Part(name, f"{kind} of {name}", key, value[key]) for key, kind in KINDS.items()]


def _prediction_array(values: Any) -> np.ndarray:
    """Convert labels or probabilities to an array; numbers among objects become floats."""
    array = as_array(values)
    if array.dtype.kind == "O" and array.size:
        items = array.ravel().tolist()
        if any(isinstance(item, float | Decimal) for item in items[:1000]):
            with suppress(TypeError, ValueError):
                return array.astype(np.float64)
    return array


def _encode(
    truth: np.ndarray | None, declared: list[np.ndarray], predicted: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray | None, dict[str, np.ndarray]]:
    """Return the classes, and true and predicted labels as positions among them."""
    if truth is not None:
        # Declared labels are classes in addition to those that occur; they come first, so
        # that predictions are compared with them too.
        base = np.concatenate([*declared, truth]) if declared else truth
        classes, (base_codes, *predicted_codes) = encode_labels(
            base, predicted, closed=not declared
        )
        true_codes = base_codes[len(base) - len(truth) :]
        if declared:
            _check_among(declared[0], {"y_true": truth, **predicted})
        return classes, true_codes, dict(zip(predicted, predicted_codes, strict=True))
    if not declared and not predicted:
        raise ValueError(
            "Probabilities without true labels do not say which classes they are of. Pass "
            "all class labels as `labels`."
        )
    arrays = [*(("labels", labels) for labels in declared), *predicted.items()]
    (reference, base), *other_arrays = arrays
    classes, (base_codes, *predicted_codes) = encode_labels(
        base, dict(other_arrays), reference=reference
    )
    codes = predicted_codes if declared else [base_codes, *predicted_codes]
    return classes, None, dict(zip(predicted, codes, strict=True))


def _check_among(labels: np.ndarray, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise an error if labels are not among the declared ones."""
    all_labels = np.unique(labels)
    for name, values in arrays.items():
        class_codes(name, values, all_labels)


def _are_labels(values: np.ndarray, label_arrays: list[np.ndarray]) -> bool:
    if values.ndim == 2 and values.shape[1] > 1:
        return False
    if values.dtype.kind != "f":
        return True
    finite = values[np.isfinite(values)]
    # With string labels, numbers can only be probabilities; with numeric labels, numbers
    # are probabilities as soon as one of them is a fraction, or all are 0 or 1 and the
    # labels are not.
    if any(labels.dtype.kind in "US" for labels in label_arrays) or not integral(finite):
        return False
    certain = bool(((finite == 0) | (finite == 1)).all())
    return not (
        certain and label_arrays and not np.isin(finite, np.concatenate(label_arrays)).all()
    )


def _check_agreement(
    name: str, labels: np.ndarray, proba: np.ndarray, classes: np.ndarray
) -> None:
    """Raise an error if labels contradict probabilities, often those of the wrong class.

    Labels may be chosen by any threshold, but must not be rarer if the probability of
    their class is larger.
    """
    if not len(labels):
        return
    own_proba = np.take_along_axis(proba, labels[:, None].astype(np.intp), axis=1)[:, 0]
    shares = np.bincount(labels, minlength=len(classes)) / len(labels)
    if own_proba.mean() >= shares @ proba.mean(axis=0) - ROUNDING:
        return
    share = float((proba.argmax(axis=1) != labels).mean())
    if share <= 0.5 and not _is_reversed(proba, labels):
        return
    advice = "Are the columns in the order of the sorted classes?"
    if len(classes) == 2:
        advice = "Is `pos_label` right, of which a single column has the probabilities?"
    raise ValueError(
        f"Labels of `{name}` disagree with its probabilities in {share:.0%} of records: "
        f"the larger the probability of a label, the rarer the label. {advice}"
    )


def _is_reversed(proba: np.ndarray, labels: np.ndarray) -> bool:
    """Whether all records of a label have lower probabilities of the label than others."""
    is_first = labels == 0
    if proba.shape[1] != 2 or is_first.all() or not is_first.any():
        return False
    return bool(proba[is_first, 0].max() < proba[~is_first, 0].min())


def _probabilities(
    name: str, values: np.ndarray, classes: np.ndarray, positive: int | None
) -> np.ndarray:
    if values.dtype.kind in "US":
        check_no_decimal_comma(name, values)
        raise ValueError(
            f"`{name}` must be numbers in [0, 1]. Got texts, such as "
            f"{some_of(values.ravel(), 1)}. Name the column of probabilities."
        )
    if values.ndim == 2 and values.shape[1] > 1:
        if values.shape[1] != len(classes):
            raise ValueError(
                f"`{name}` has probabilities of {values.shape[1]} classes, but the labels "
                f"have {len(classes)}: {classes.tolist()[:10]}. Pass all class labels as "
                "`labels`."
            )
        return check_probabilities(name, values, len(classes))
    if len(classes) != 2:
        if values.size and (values.min() < 0 or values.max() > 1):
            raise ValueError(
                f"`{name}` must be class labels or probabilities. Got numbers from "
                f"{values.min():g} to {values.max():g}. Compare predicted and true numbers "
                "by a measure of numbers, such as 'r2'."
            )
        raise ValueError(
            f"`{name}` has one column of probabilities, which needs two classes. Got "
            f"{len(classes)}. Pass one column per class, or all class labels as `labels`."
        )
    proba = check_probabilities(name, values.reshape(len(values)), 2)
    if positive is None and classes.dtype.kind in "US":
        raise ValueError(
            f"`{name}` has probabilities of one of {classes.tolist()}. Say which: pass "
            "`pos_label`."
        )
    return proba[:, ::-1] if positive == 0 else proba
