"""Predictions of saved estimators for the records of a file."""

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
from skcompare.gate._file_columns import (
    ABOUT_SCORES,
    ID,
    Y,
    are_one_file,
    hold_the_same,
    whole_names,
)
from skcompare.gate._gate import Gate
from skcompare.gate._given_files import (
    GateFiles,
    check_each_once,
    check_not_pickled,
    checked_source,
    training_of,
    with_label,
)
from skcompare.gate._policy_sections import Columns
from skcompare.gate._subjects import PairSubject, fitted_subject
from skcompare.gate.skops._estimators import load_estimators
from skcompare.predictions import ROLES, check_role_names

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
