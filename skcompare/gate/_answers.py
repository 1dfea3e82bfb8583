"""What a gate is given, as what it judges."""

from collections.abc import Mapping, Sequence
from typing import Any

from skcompare._frames import source_of
from skcompare._validation import as_array, check_same_length
from skcompare.comparators import PairedComparator
from skcompare.comparators._compare import _checked_names, _is_table
from skcompare.evidence import Tally
from skcompare.gate._conditions import Condition
from skcompare.gate._counted import CountedSubject, tallied_subject
from skcompare.gate._items import ItemSubject
from skcompare.gate._subjects import PairSubject, Subject
from skcompare.gate._training import Training
from skcompare.predictions import (
    ItemScores,
    columns_on_engine,
    holdout_from_frame,
    predictions_from_arrays,
)

__all__ = ["subject_of"]


def subject_of(
    data: Any,
    answers: Mapping[str, Any] | None,
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
    """The answers to judge, from a comparator, scores, a tally, a frame, a file or arrays.

    `conditions` are all that will be asked; `keep_ids` is for a ledger, which needs every
    record.
    """
    known = {"answers": answers, "y_true": y_true, "id": id, "groups": groups}
    known |= {"labels": labels, "columns": columns, "train": train}
    if isinstance(data, PairedComparator | ItemScores | Tally):
        _check_alone(data, known)
    if isinstance(data, ItemScores):
        return ItemSubject(data)
    if isinstance(data, PairedComparator):
        return _of_comparator(data)
    if isinstance(data, Tally):
        return tallied_subject(data, conditions, pos_label)
    answers = _checked_names(answers)
    if len(answers) != 2:
        raise ValueError(
            f"A gate judges two, the champion first. Got {len(answers)} answers."
        )
    words = {"groups": groups, "labels": labels, "pos_label": pos_label}
    given = dict(columns or {})
    asked = dict.fromkeys(name for one in conditions for name in one.where or ())
    read: dict[str, Any] = {}
    ids = None
    if _is_table(data, answers) and y_true is not None:
        training = _training(train, id, features)
        others = [name for name in asked if name not in given]
        table = columns_on_engine(
            data, y_true, answers, id=id, groups=groups, others=others
        )
        if table is not None and not given and table.table.n_records() > collect:
            if training is not None:
                raise ValueError(
                    "Records are held against the training data one by one, and these "
                    "are counted where they are. Pass a greater `collect`, or leave "
                    "`train` out."
                )
            return CountedSubject(table, conditions, labels, pos_label)
        needed = [] if training is None else training.needed
        kept = [id] if keep_ids and id is not None else []
        predictions, read = holdout_from_frame(
            data,
            y_true,
            answers,
            id=id,
            others=list(dict.fromkeys([*others, *needed, *kept])),
            **words,
        )
        if training is not None:
            training.check(read, "the records to judge")
        ids = read[kept[0]] if kept else None
        read = {name: read[name] for name in others}
    else:
        if train is not None:
            raise ValueError(
                "Training records are recognised by columns of a frame or a file. Got "
                "arrays of answers. Pass a frame with `id` or `features`, or leave `train` "
                "out."
            )
        if id is not None:
            raise ValueError(
                "`id` names the column of a frame or a file by which records are told "
                f"apart, and these are arrays. Got id={id!r}. Pass a frame that has the "
                "column, with `y_true` and the answers as names of columns, or leave `id` "
                "out where the arrays are in one order."
            )
        truth = data if y_true is None else y_true
        predictions = predictions_from_arrays(truth, answers, **words)
    if predictions.y is None:
        raise ValueError(
            "A gate needs true labels: without them nobody can tell which classifier is "
            "better. Pass `y_true`."
        )
    arrays = {name: as_array(column) for name, column in given.items()}
    check_same_length({"y_true": predictions.y}, arrays)
    return PairSubject(predictions.pair(*answers), read | arrays, pos_label, ids=ids)


def _training(train: Any, id: str | None, features: Sequence[str]) -> Training | None:
    if train is None:
        return None
    return Training(source_of(train, "`train`"), id, None, features)


def _check_alone(data: Any, given: Mapping[str, Any]) -> None:
    known = [name for name, value in given.items() if value is not None]
    if known:
        raise ValueError(
            f"{type(data).__name__} has all answers in it. Got {', '.join(known)} as well. "
            "Pass it alone."
        )


def _of_comparator(comparator: PairedComparator) -> PairSubject:
    if not hasattr(comparator, "predictions_"):
        raise ValueError(
            "A gate judges a comparator that was fitted. Got one that was not. Call its "
            "`fit` first."
        )
    pair = comparator.predictions_.pair("champion", "challenger")
    return PairSubject(pair, pos_label=comparator.pos_label)
