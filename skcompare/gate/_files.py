"""Subjects of a gate from files: of predictions, of scores, or of saved estimators."""

from typing import Any

from skcompare.comparators import MEAN_SCORE
from skcompare.gate._conditions import AnyOf
from skcompare.gate._file_columns import (
    ChosenColumns,
    called,
    check_different,
    check_not_chosen,
    check_roles,
    chosen_columns,
    wrong_kind,
)
from skcompare.gate._gate import Gate
from skcompare.gate._given_files import GateFiles, checked_source, training_of, with_label
from skcompare.gate._policy_sections import Columns
from skcompare.gate._subjects import ItemSubject, PairSubject, Subject
from skcompare.gate.skops._saved import estimators_subject, is_saved
from skcompare.predictions import ROLES, ItemScores, Predictions, holdout_from_frame

SCORE, ITEM = "score", "item"

OF_PREDICTIONS = ("id", "y", "y_from", "label", "proba", *ROLES, "labels", "pos_label")


def is_about_scores(columns: Columns, gate: Gate) -> bool:
    """Whether columns or conditions refer to scores instead of predictions."""
    leaves = [
        leaf
        for condition in gate.conditions
        for leaf in (condition.conditions if isinstance(condition, AnyOf) else (condition,))
    ]
    return columns.score is not None or any(leaf.measure == MEAN_SCORE for leaf in leaves)


def scores_subject(
    files: GateFiles, columns: Columns, gate: Gate, pos_label_text: str | None
) -> ItemSubject:
    """Read and check the scores to judge.

    Parameters
    ----------
    files : GateFiles
        One file with two columns of scores, or the champion's and the challenger's.
    columns : Columns
        The columns that the policy names.
    gate : Gate
        The gate, whose slices need columns.
    pos_label_text : str or None
        Refused: scores have no labels.
    """
    columns.check_without(
        OF_PREDICTIONS, "is about predictions for records, and these are scores"
    )
    if pos_label_text is not None:
        raise ValueError("--pos-label is about labels, and these are scores. Leave it out.")
    score: Any = SCORE if columns.score is None else columns.score
    sources = [checked_source(path) for path in files.predictions]
    score_columns = [score, score] if isinstance(score, str) else list(score)
    if len(score_columns) != 2:
        raise ValueError(
            "`score` must be the name of a column, or the champion's and the challenger's. "
            f"Got {len(score_columns)} names."
        )
    roles = [sources[0], sources[-1]]
    check_different(roles, score_columns)
    check_roles(roles, score_columns)
    named_by = dict.fromkeys(gate.columns, "`where`")
    if columns.groups is not None:
        named_by[columns.groups] = "`groups`"
    for name, by in named_by.items():
        check_not_chosen(name, by, *roles)
    item = ITEM if columns.item is None else columns.item
    training = training_of(files, item, columns.features or ())
    needed = [] if training is None else [n for n in training.needed if n != item]
    scores = ItemScores.from_frames(
        *sources,
        score=score if isinstance(score, str) else tuple(score),
        item=item,
        group=columns.groups,
        attempt=columns.attempt,
        columns=dict.fromkeys([*gate.columns, *needed]),
        bounds=columns.bounds,
        names=called(roles, score_columns),
    )
    unseen = ""
    if training is not None:
        judged = {item: scores.items, **scores.columns}
        unseen = training.check(judged, sources[0].text)
    return ItemSubject(scores, unseen)


def subject_from_files(
    files: GateFiles,
    columns: Columns,
    gate: Gate,
    *,
    pos_label_text: str | None = None,
    keep_ids: bool = False,
) -> Subject:
    """Read and check the predictions to judge.

    Parameters
    ----------
    files : GateFiles
        The files to read.
    columns : Columns
        The columns that the policy names.
    gate : Gate
        The gate, whose slices need columns.
    pos_label_text : str, optional
        The positive label as text, for labels of any type.
    keep_ids : bool, default=False
        Whether a ledger counts looks: ids are kept, by which it recognises records, and
        true labels in the challenger's file are refused.
    """
    if not 1 <= len(files.predictions) <= 2:
        raise ValueError(
            "A gate judges one file with the predictions of both, or the champion's file "
            f"and the challenger's. Got {len(files.predictions)} files."
        )
    if any(map(is_saved, files.predictions)):
        return estimators_subject(files, columns, gate, pos_label_text)
    if files.data is not None or files.trust:
        raise ValueError(
            "--data and --trust are for saved estimators (.skops). Got files of "
            f"predictions, {' and '.join(map(repr, files.predictions))}."
        )
    if is_about_scores(columns, gate):
        return scores_subject(files, columns, gate, pos_label_text)
    sources = [checked_source(path) for path in files.predictions]
    chosen = chosen_columns(sources, columns, gate.columns, is_counted=keep_ids)
    columns = with_label(columns, pos_label_text, chosen.main, chosen.y)
    training = training_of(files, chosen.id, columns.features or ())
    extra = [] if training is None else training.needed
    if keep_ids and chosen.id is not None:
        extra = [*extra, chosen.id]
    others: dict[str, Any] = {name: (chosen.main, name) for name in extra}
    try:
        predictions, read = holdout_from_frame(
            chosen.main,
            chosen.y,
            chosen.places,
            id=chosen.id,
            groups=chosen.groups,
            labels=columns.labels,
            pos_label=columns.pos_label,
            others=others | chosen.facts,
            same=chosen.again,
            same_others=chosen.facts_again,
        )
    except ValueError as error:
        explained = wrong_kind(chosen, columns)
        if explained is None:
            raise
        raise ValueError(explained) from error
    _check_kinds(predictions, chosen, columns)
    unseen = "" if training is None else training.check(read, chosen.main.text)
    slices = {name: read[name] for name in gate.columns}
    return PairSubject(
        predictions.pair(*chosen.predictions),
        slices,
        columns.pos_label,
        ids=read.get(str(chosen.id)) if keep_ids else None,
        unseen=unseen,
    )


def _check_kinds(predictions: Predictions, chosen: ChosenColumns, columns: Columns) -> None:
    """Raise an error if labels are passed as probabilities, or vice versa."""
    for role, (source, column) in zip(predictions.estimators, chosen.predictions.values()):
        if not isinstance(column, str) or {column} - {columns.label, columns.proba}:
            continue
        if column == columns.label and role.has_proba:
            expected, got = "labels", "fractions, which are probabilities"
        elif column == columns.proba and not role.has_proba:
            expected, got = "probabilities", "labels"
        else:
            continue
        raise ValueError(
            wrong_kind(chosen, columns)
            or f"Column {column!r} of {source.text} must hold {expected}. Got {got}. "
            "Name it as what it is."
        )
