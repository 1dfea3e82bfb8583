"""Subjects of a gate from comparators, scores, tallies, frames, files and arrays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from skcompare._core.validation import as_array, check_same_length
from skcompare._io.columns import source_of
from skcompare.comparators import PairedComparator, checked_names, is_table
from skcompare.evidence import Tally
from skcompare.gate._conditions import Condition
from skcompare.gate._file_columns import check_no_predictions
from skcompare.gate._subjects import (
    CountedSubject,
    ItemSubject,
    PairSubject,
    Subject,
    tallied_subject,
)
from skcompare.gate._training import Training
from skcompare.predictions import (
    ItemScores,
    Predictions,
    columns_on_engine,
    holdout_from_frame,
    places_of,
    predictions_from_arrays,
)


def subject_of(
    data: Any,
    predictions: Mapping[str, Any] | None,
    *,
    y_true: Any,
    id: str | None,
    groups: Any,
    labels: Any,
    pos_label: Any,
    columns: Mapping[str, Any] | None,
    conditions: Sequence[Condition],
    collect: int,
    train: Any = None,
    features: Sequence[str] = (),
    keep_ids: bool = False,
) -> Subject:
    """Create the subject of a gate from data of any supported kind.

    `conditions` are all conditions of the gate; `keep_ids` is for a ledger, which needs
    the ids of all records.
    """
    beside = {"predictions": predictions, "y_true": y_true, "id": id, "groups": groups}
    beside |= {"labels": labels, "columns": columns, "train": train}
    features = _checked_features(features, train)
    if isinstance(data, PairedComparator | ItemScores | Tally):
        _check_alone(data, beside)
    if isinstance(data, ItemScores):
        return ItemSubject(data)
    if isinstance(data, PairedComparator):
        return _of_comparator(data)
    if isinstance(data, Tally):
        return tallied_subject(data, conditions, pos_label)
    predictions = checked_names(predictions)
    if len(predictions) != 2:
        raise ValueError(
            f"A gate judges two, the champion first. Got {len(predictions)} predictions."
        )
    slice_columns = dict(columns or {})
    options = Words(groups, labels, pos_label)
    if is_table(data, predictions) and y_true is not None:
        names = dict.fromkeys(n for condition in conditions for n in condition.where or ())
        others = [name for name in names if name not in slice_columns]
        training = _training(train, id, features)
        frame = PredictionFrame(data, y_true, predictions, id, options, others)
        frame.check_slices()
        counted = None if slice_columns else frame.counted(conditions, collect, training)
        if counted is not None:
            return counted
        subject = frame.read(training, keep_ids)
    else:
        _check_arrays(train, id)
        truth = data if y_true is None else y_true
        collected = predictions_from_arrays(truth, predictions, **options._asdict())
        subject = _paired(collected, predictions, pos_label)
    arrays = {name: as_array(column) for name, column in slice_columns.items()}
    check_same_length({"y_true": subject.pair.predictions.y}, arrays)
    return replace(subject, columns={**subject.columns, **arrays})


class Words(NamedTuple):
    """Groups, class labels and positive label of predictions."""

    groups: Any
    labels: Any
    pos_label: Any


class PredictionFrame(NamedTuple):
    """Frame or file with columns of true labels and predictions.

    Attributes
    ----------
    data, y_true, predictions, id
        As for :meth:`Gate.decide`.
    text : Words
    others : list of str
        The columns that define slices.
    """

    data: Any
    y_true: Any
    predictions: Mapping[str, Any]
    id: str | None
    text: Words
    others: list[str]

    def check_slices(self) -> None:
        """Raise an error if slices or groups are defined by predictions."""
        groups = self.text.groups
        names = [*self.others, *([groups] if isinstance(groups, str) else [])]
        places = places_of(source_of(self.data), None, self.predictions)
        own = [
            [column for place in places if place.name == name for column in place.columns]
            for name in self.predictions
        ]
        check_no_predictions(names, own)

    def counted(
        self, conditions: Sequence[Condition], collect: int, training: Training | None
    ) -> CountedSubject | None:
        """Return a subject that counts records in place, or None if few enough to read."""
        table = columns_on_engine(
            self.data,
            self.y_true,
            self.predictions,
            id=self.id,
            groups=self.text.groups,
            others=self.others,
        )
        if table is None or table.table.n_records() <= collect:
            return None
        if training is not None:
            raise ValueError(
                "Records are held against the training data one by one, and these are "
                "counted where they are. Pass a greater `collect`, or leave `train` out."
            )
        return CountedSubject(table, conditions, self.text.labels, self.text.pos_label)

    def read(self, training: Training | None, keep_ids: bool) -> PairSubject:
        """Read the records into memory, and check them against the training data."""
        needed = [] if training is None else training.needed
        kept = [self.id] if keep_ids and self.id is not None else []
        predictions, read = holdout_from_frame(
            self.data,
            self.y_true,
            self.predictions,
            id=self.id,
            others=list(dict.fromkeys([*self.others, *needed, *kept])),
            **self.text._asdict(),
        )
        unseen = ""
        if training is not None:
            unseen = training.check(read, "the records to judge")
        subject = _paired(
            predictions,
            self.predictions,
            self.text.pos_label,
            {name: read[name] for name in self.others},
            read[kept[0]] if kept else None,
        )
        return replace(subject, unseen=unseen)


def _paired(
    predictions: Predictions,
    names: Iterable[str],
    pos_label: Any,
    columns: Mapping[str, Any] | None = None,
    ids: Any = None,
) -> PairSubject:
    """Create the subject of a pair of predictions, which must have true labels."""
    if predictions.y is None:
        raise ValueError(
            "A gate needs true labels: without them nobody can tell which classifier is "
            "better. Pass `y_true`."
        )
    return PairSubject(predictions.pair(*names), columns or {}, pos_label, ids=ids)


def _checked_features(features: Any, train: Any) -> tuple[str, ...]:
    """Check the columns by which training records are recognised."""
    if isinstance(features, str):
        raise TypeError(
            f"`features` must be a sequence of names of columns. Got {features!r}. Pass "
            f"[{features!r}]."
        )
    names = tuple(features)
    if names and train is None:
        raise ValueError(
            "`features` are columns by which records of the training data are recognised, "
            f"and no training data is given. Got features={list(names)!r}. Pass `train`, "
            "or leave `features` out."
        )
    return names


def _training(train: Any, id: str | None, features: Sequence[str]) -> Training | None:
    if train is None:
        return None
    return Training(source_of(train, "`train`"), id, None, features)


def _check_arrays(train: Any, id: str | None) -> None:
    """Raise an error if `train` or `id` is passed with arrays of predictions."""
    if train is not None:
        raise ValueError(
            "Training records are recognised by columns of a frame or a file. Got "
            "arrays of predictions. Pass a frame with `id` or `features`, or leave `train` "
            "out."
        )
    if id is not None:
        raise ValueError(
            "`id` names the column of a frame or a file by which records are "
            f"identified, and these are arrays. Got id={id!r}. Pass a frame that has the "
            "column, with `y_true` and the predictions as names of columns, or leave `id` "
            "out where the arrays are in one order."
        )


def _check_alone(data: Any, arguments: Mapping[str, Any]) -> None:
    names = [name for name, value in arguments.items() if value is not None]
    if names:
        raise ValueError(
            f"{type(data).__name__} has all predictions in it. Got {', '.join(names)} as "
            "well. Pass it alone."
        )


def _of_comparator(comparator: PairedComparator) -> PairSubject:
    if not hasattr(comparator, "predictions_"):
        raise ValueError(
            "A gate judges a comparator that was fitted. Got one that was not. Call its "
            "`fit` first."
        )
    pair = comparator.predictions_.pair("champion", "challenger")
    return PairSubject(pair, pos_label=comparator.pos_label)
