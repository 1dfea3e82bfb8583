"""Subjects of a gate from comparators, scores, tallies, frames, files and arrays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from skcompare._core.validation import as_array, check_same_length
from skcompare._io.columns import source_of
from skcompare.comparators import PairedComparator, checked_names, is_table
from skcompare.evidence import Tally
from skcompare.gate._conditions import Condition
from skcompare.gate._file_columns import check_no_predictions
from skcompare.gate._subjects import (
    CountedTable,
    ItemSubject,
    PairSubject,
    Subject,
    tallied_subject,
)
from skcompare.gate._training import Training
from skcompare.predictions import (
    ColumnRoles,
    ItemScores,
    Predictions,
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
    if is_table(data, predictions) and y_true is not None:
        names = dict.fromkeys(n for condition in conditions for n in condition.where or ())
        others = {name: name for name in names if name not in slice_columns}
        training = _training(train, id, features)
        roles = ColumnRoles(source_of(data), y_true, predictions, id, groups, others)
        _check_slices(roles)
        columns_there = None if slice_columns else roles.on_engine()
        if columns_there is not None and columns_there.table.n_records() > collect:
            if training is not None:
                raise ValueError(
                    "Records are held against the training data one by one, and these are "
                    "counted where they are. Pass a greater `collect`, or leave `train` "
                    "out."
                )
            return CountedTable(columns_there, conditions, labels, pos_label).whole()
        subject = _read(roles, labels, pos_label, training, keep_ids)
    else:
        _check_arrays(train, id)
        truth = data if y_true is None else y_true
        collected = predictions_from_arrays(
            truth, predictions, labels=labels, pos_label=pos_label, groups=groups
        )
        subject = _paired(collected, predictions, pos_label)
    arrays = {name: as_array(column) for name, column in slice_columns.items()}
    check_same_length({"y_true": subject.pair.predictions.y}, arrays)
    return replace(subject, columns={**subject.columns, **arrays})


def _check_slices(roles: ColumnRoles) -> None:
    """Raise an error if slices or groups are defined by predictions."""
    groups = [roles.groups] if isinstance(roles.groups, str) else []
    places = replace(roles, y_true=None, groups=None).places(roles.frame)
    own = [
        [column for place in places if place.name == name for column in place.columns]
        for name in roles.predictions
    ]
    check_no_predictions([*roles.others, *groups], own)


def _read(
    roles: ColumnRoles,
    labels: Any,
    pos_label: Any,
    training: Training | None,
    keep_ids: bool,
) -> PairSubject:
    """Read the records into memory, and check them against the training data."""
    needed = [] if training is None else training.needed
    kept = [roles.id] if keep_ids and roles.id is not None else []
    names = [*roles.others, *needed, *kept]
    values = replace(roles, others=dict(zip(names, names))).read()
    unseen = ""
    if training is not None:
        unseen = training.check(values.others, "the records to judge")
    subject = _paired(
        values.collected(labels, pos_label),
        roles.predictions,
        pos_label,
        {name: values.others[name] for name in roles.others},
        values.others[kept[0]] if kept else None,
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
