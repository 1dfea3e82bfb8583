"""Subjects of a gate from files: of predictions, of scores, or of saved estimators."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from skcompare._io.columns import check_column, columns_of, frame_from_columns
from skcompare._io.readers import Source
from skcompare.comparators import MEAN_SCORE
from skcompare.gate._conditions import AnyOf
from skcompare.gate._file_columns import (
    ABOUT_SCORES,
    ID,
    GateFiles,
    Y,
    are_one_file,
    check_each_once,
    check_not_chosen,
    check_not_pickled,
    checked_source,
    chosen_columns,
    hold_the_same,
    names_of_roles,
    training_of,
    whole_names,
    with_label,
    wrong_kind,
)
from skcompare.gate._gate import Gate
from skcompare.gate._policy_sections import Columns
from skcompare.gate._skops import load_estimators
from skcompare.gate._subjects import ItemSubject, PairSubject, Subject, fitted_subject
from skcompare.predictions import (
    ROLES,
    ColumnRoles,
    ItemScores,
    Predictions,
    check_role_names,
)

SUFFIX = ".skops"


def is_saved(path: str) -> bool:
    """Whether the suffix of a path is that of a saved estimator."""
    return path.lower().endswith(SUFFIX)


def estimators_subject(
    files: GateFiles, columns: Columns, gate: Gate, pos_label_text: str | None
) -> PairSubject:
    """Collect the predictions of two saved estimators for the records of a file.

    Parameters
    ----------
    files : GateFiles
        The estimators and their records.
    columns : Columns
        The columns that the policy names; by default features are all others.
    gate : Gate
        The gate.
    pos_label_text : str, optional
        The positive label as text.
    """
    data = _checked_data(files, columns)
    y = Y if columns.y is None else columns.y
    id = columns.id or (ID if ID in data.names else None)
    facts = [name for name in (y, id, columns.groups, *gate.columns) if name is not None]
    for name in facts:
        check_column(data, name)
    loaded = load_estimators(files.predictions, trust=files.trust)
    free = columns.features or [name for name in whole_names(data) if name not in facts]
    secret = {y: "the true labels", id: "ids", columns.groups: "groups"}
    _check_features(columns.features or (), "`features` in [data]", secret, None)
    for estimator, path in zip(loaded, files.predictions, strict=True):
        _check_features(_names_of(estimator), repr(path), secret, columns.features)
    own = [_features_of(estimator, free) for estimator in loaded]
    features = list(dict.fromkeys(name for names in own for name in names))
    for name in features:
        check_column(data, name, " An estimator was trained with it.")
    columns = with_label(columns, pos_label_text, data, y)
    training = training_of(files, id, columns.features or features)
    needed = [] if training is None else training.needed
    names = dict.fromkeys([*facts, *features, *needed])
    read = columns_of(data, list(names), as_written={*facts[1:]} - set(features))
    if id is not None:
        check_each_once(read[id], id, data)
    unseen = "" if training is None else training.check(read, data.text)
    records = _records(read, features, as_frame=any(map(_names_of, loaded)))
    subject = fitted_subject(
        gate.conditions,
        dict(
            zip(_report_names(files.predictions), map(partial(_cut, records), loaded, own))
        ),
        records,
        read[y],
        groups=None if columns.groups is None else read[columns.groups],
        pos_label=columns.pos_label,
        columns={name: read[name] for name in gate.columns},
    )
    return replace(subject, ids=None if id is None else read[id], unseen=unseen)


def _checked_data(files: GateFiles, columns: Columns) -> Source:
    """Check files and columns, and return the source of the records."""
    unsaved = [path for path in files.predictions if not is_saved(path)]
    for path in unsaved:
        check_not_pickled(path)
    if unsaved or len(files.predictions) != 2:
        raise ValueError(
            "Saved estimators are compared with each other: pass two .skops files and "
            f"--data FILE. Got {', '.join(map(repr, files.predictions))}."
        )
    if files.data is None:
        raise ValueError(
            "Saved estimators need records to predict. Pass --data FILE, which has the "
            "true labels and all features."
        )
    columns.check_without(
        ("y_from", "label", "proba", *ROLES, "labels", *ABOUT_SCORES),
        "is about files of predictions, and saved estimators give their own",
    )
    champion, challenger = files.predictions
    if are_one_file(champion, challenger):
        raise ValueError(
            f"Champion and challenger are the same file {challenger!r}. Pass two."
        )
    if hold_the_same(champion, challenger):
        raise ValueError(
            f"Champion and challenger are the same: {challenger!r} is a copy of "
            f"{champion!r}. Pass two models."
        )
    check_role_names(*(Path(path).name for path in files.predictions))
    return checked_source(files.data)


def _names_of(estimator: Any) -> list[str]:
    """Names of the features seen by an estimator during fit, if stored."""
    return [str(name) for name in getattr(estimator, "feature_names_in_", ())]


def _check_features(
    names: Sequence[str],
    label: str,
    secret: Mapping[str | None, str],
    allowed: Sequence[str] | None,
) -> None:
    """Raise an error if features are true labels, ids, groups or columns not allowed.

    The file itself names its features, and must not get true labels in this way.
    """
    for name in names:
        if name in secret:
            raise ValueError(
                f"{label} names column {name!r}, which has {secret[name]} of the records "
                "to judge. No estimator is given it: train without the column."
            )
    further = [name for name in names if allowed is not None and name not in allowed]
    if further:
        raise ValueError(
            f"{label} was trained with {', '.join(map(repr, further[:5]))}, and `features` "
            "in [data] does not name it. Name all features of both estimators, or leave "
            "`features` out."
        )


def _features_of(estimator: Any, free: Sequence[str]) -> list[str]:
    return _names_of(estimator) or list(free)


def _records(read: Mapping[str, Any], features: Sequence[str], as_frame: bool) -> Any:
    """Return the features as a data frame or as an array."""
    if not features:
        raise ValueError(
            "The records have no column beside true labels, ids and groups. Pass a file "
            "with the features."
        )
    if as_frame:
        return frame_from_columns({name: read[name] for name in features}, "pandas")
    return np.column_stack([read[name] for name in features])


def _cut(records: Any, estimator: Any, names: Sequence[str]) -> Any:
    """Return an estimator that selects its own features from the records."""
    if not hasattr(records, "columns") or (
        _names_of(estimator) and list(records.columns) == list(names)
    ):
        return estimator
    keep = _Columns(tuple(names), bool(_names_of(estimator)))
    return Pipeline([("columns", FunctionTransformer(keep)), ("classifier", estimator)])


class _Columns(NamedTuple):
    """Function that selects columns of a frame, as a frame or as an array."""

    names: tuple[str, ...]
    as_frame: bool

    def __call__(self, frame: Any) -> Any:
        columns = frame[[*self.names]]
        return columns if self.as_frame else columns.to_numpy()


def _report_names(paths: Sequence[str]) -> list[str]:
    """Names of the estimators in reports, from their file names."""
    stems = [Path(path).name[: -len(SUFFIX)] for path in paths]
    return stems if all(stems) and stems[0] != stems[1] else list(paths)


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
    names = names_of_roles(roles, score_columns)
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
        names=names,
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
    roles = chosen_columns(sources, columns, gate.columns, is_counted=keep_ids)
    columns = with_label(columns, pos_label_text, roles.frame, roles.y_true)
    training = training_of(files, roles.id, columns.features or ())
    extra = [] if training is None else training.needed
    if keep_ids and roles.id is not None:
        extra = [*extra, roles.id]
    roles = replace(roles, others={**dict(zip(extra, extra)), **roles.others})
    try:
        values = roles.read()
        predictions = values.collected(columns.labels, columns.pos_label)
    except ValueError as error:
        explained = wrong_kind(roles, columns)
        if explained is None:
            raise
        raise ValueError(explained) from error
    _check_kinds(predictions, roles, columns)
    read = values.others
    unseen = "" if training is None else training.check(read, roles.frame.text)
    slices = {name: read[name] for name in gate.columns}
    return PairSubject(
        predictions.pair(*roles.predictions),
        slices,
        columns.pos_label,
        ids=read.get(str(roles.id)) if keep_ids else None,
        unseen=unseen,
    )


def _check_kinds(predictions: Predictions, roles: ColumnRoles, columns: Columns) -> None:
    """Raise an error if labels are passed as probabilities, or vice versa."""
    for role, place in zip(predictions.estimators, roles.predictions.values()):
        if isinstance(place, Mapping) or place[1] not in (columns.label, columns.proba):
            continue
        source, column = place
        if column == columns.label and role.has_proba:
            expected, got = "labels", "fractions, which are probabilities"
        elif column == columns.proba and not role.has_proba:
            expected, got = "probabilities", "labels"
        else:
            continue
        raise ValueError(
            wrong_kind(roles, columns)
            or f"Column {column!r} of {source.text} must hold {expected}. Got {got}. "
            "Name it as what it is."
        )
