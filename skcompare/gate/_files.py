"""Files of a gate, and their columns of true labels, predictions and ids."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from skcompare._core.validation import integral, some_of
from skcompare._io.columns import check_column, columns_of, frame_from_columns, source_of
from skcompare._io.readers import (
    Source,
    all_suffixes,
    are_one_file,
    hold_the_same,
    list_formats,
)
from skcompare._registry.metrics import CLASSES, NUMBERS, QUANTILES, SAMPLES, STD, VALUES
from skcompare.comparators import MEAN_SCORE, check_role_names
from skcompare.gate._decision import GateDecision
from skcompare.gate._evaluate import Gate, judge_subject
from skcompare.gate._ledger import Ledger, lock_of
from skcompare.gate._policy import Columns, Policy, TrainSettings, names_in, share_in
from skcompare.gate._skops import load_estimators
from skcompare.gate._subjects import (
    ItemSubject,
    PairSubject,
    Subject,
    check_slices,
    fitted_subject,
    subject_of_roles,
)
from skcompare.gate._training import Training
from skcompare.gate._truth import Y, has_truth, true_columns, truth_of
from skcompare.predictions import (
    INTERVALS,
    LABELS,
    ROLES,
    ColumnRoles,
    ColumnValues,
    ItemScores,
    Predictions,
    is_text,
    rows_by_id,
)

PICKLES = (".pkl", ".pickle", ".joblib", ".jbl", ".dill", ".cloudpickle", ".pt", ".pth")

OTHERWISE = "Rename it if it is one of these, or write it again as one."
ADVICE = {
    (".json",): "Rename it to .jsonl if each line has one record, or write it so.",
    (".xlsx", ".xls", ".ods"): "Export the sheet as CSV.",
    (".zip", ".bz2", ".xz", ".zst", ".7z", ".tar"): "Unpack it.",
}
"""Advice for files of other formats, by the endings of their names."""

PARSED_BY: dict[str, Callable[[str], float]] = {"i": int, "u": int, "f": float}
"""Conversions of text to a label, by the kind of NumPy dtype."""


class GateFiles(NamedTuple):
    """Input files of a gate, with what is named beside them and not by the policy.

    Attributes
    ----------
    predictions : tuple of str
        One file with the predictions of both, or the champion's and the challenger's; or
        two saved estimators.
    data : str or None
        The records that saved estimators predict for.
    train : TrainSettings or None
        The training records, with the path to open.
    trust : tuple of str
        Types of saved estimators that are trusted in addition to the reviewed ones.
    pos_label : str or None
        The positive label as text, for labels of any type.
    ledger : Ledger or None
        The ledger that counts looks at the records.
    blind : bool
        Whether only passed or not is revealed.
    """

    predictions: tuple[str, ...]
    data: str | None = None
    train: TrainSettings | None = None
    trust: tuple[str, ...] = ()
    pos_label: str | None = None
    ledger: Ledger | None = None
    blind: bool = False

    @classmethod
    def of_policy(
        cls,
        policy: Policy,
        *predictions: str,
        train: str | None = None,
        ledger: str | None = None,
        blind: bool = False,
        **named: Any,
    ) -> "GateFiles":
        """Take from a policy what is not named beside it; blind if either says so."""
        settings, own = policy.ledger, policy.train
        rule = looks = id = None
        if settings is not None:
            rule, looks, blind = settings.rule, settings.looks, blind or settings.blind
            ledger = ledger or policy.path_of(settings.path)
        if own is not None:
            train, id = train or policy.path_of(own.file), own.id
        training = None if train is None else TrainSettings(train, id)
        counted = None if ledger is None else Ledger(ledger, rule=rule, looks=looks)
        return cls(predictions, train=training, ledger=counted, blind=blind, **named)

    @property
    def used(self) -> list[str]:
        """Paths of all files that are read, and of the ledger and its lock."""
        paths = [*self.predictions, *([] if self.data is None else [self.data])]
        if self.train is not None:
            paths.append(self.train.file)
        if self.ledger is not None:
            path = os.fspath(self.ledger.path)
            paths += [path, str(lock_of(Path(path)))]
        return paths


def checked_source(path: str) -> Source:
    """Return the source of a file's columns, after checks of the file's format."""
    check_not_pickled(path)
    name = os.path.basename(path.lower().rstrip(os.sep))
    ending = os.path.splitext(name.removesuffix(".gz"))[1]
    if ending in ("", *all_suffixes()):
        return source_of(path)
    advice = next((text for ends, text in ADVICE.items() if ending in ends), OTHERWISE)
    raise ValueError(
        f"{path!r} must be {list_formats(suffixes=True)} by its name. Got {ending!r}. "
        f"{advice}"
    )


def check_not_pickled(path: str) -> None:
    """Raise an error if the suffix of a file is that of a pickle."""
    if path.lower().removesuffix(".gz").endswith(PICKLES):
        raise ValueError(
            f"{path!r} is a pickle by its name, and loading a pickle can run any code. "
            "Save the estimator by skops.io.dump as .skops, or its predictions as "
            f"{list_formats()}."
        )


def training_of(
    files: GateFiles, id: str | None, features: Sequence[str]
) -> Training | None:
    """Return the training records, or None if the gate has none."""
    if files.train is None:
        return None
    source = checked_source(files.train.file)
    return Training(source, id, files.train.id, features)


def positive_label(files: GateFiles, columns: Columns, truth: Any) -> Any:
    """Return the positive label; text is converted to the type of the true labels."""
    text = files.pos_label
    if text is None:
        return columns.pos_label
    if truth.dtype.kind == "b":
        return {"true": True, "false": False}.get(text.lower(), text)
    with suppress(KeyError, ValueError):
        return PARSED_BY[truth.dtype.kind](text)
    return text


ID = "id"
ABOUT_SCORES = ("item", "attempt", "bounds")
"""Keys about scores item by item."""
ONE_OF_THEM = "`label`, `proba` or `value`"
"""Keys of columns of predictions that have the same name in both files."""

OF_FORECASTS = {"value": VALUES, "std": STD, "quantiles": QUANTILES} | {
    "intervals": INTERVALS,
    "samples": SAMPLES,
}
"""Keys of columns of predicted numbers, with the kinds of these."""

ABOUT_CLASSES, ABOUT_NUMBERS = ("label", "proba", "labels", "pos_label"), (*OF_FORECASTS,)
"""Keys about one target."""

INDEX = re.compile(r"__index_level_\d+__")
"""Name by pandas of an index without name in a Parquet file."""

Answer = str | Sequence[str] | Mapping[str, Any]
"""A column, one column per class or output, or those of each kind of predictions."""


def chosen_columns(
    sources: Sequence[Source],
    columns: Columns,
    required: Sequence[str],
    *,
    is_counted: bool = False,
) -> ColumnRoles:
    """Choose the columns that a policy names, or that follow from the files.

    Parameters
    ----------
    sources : sequence of Source
        One file with both predictions, or the champion's and the challenger's.
    columns : Columns
        The columns that the policy names.
    required : sequence of str
        The columns that define slices.
    is_counted : bool, default=False
        Whether a ledger counts looks at the records.
    """
    _check_unset(columns, ABOUT_SCORES, "is about scores, and no `score` is named")
    two_files, is_shared = len(sources) > 1, _shared(columns) is not None
    in_two_files = "`label` and `proba`"
    if any(getattr(columns, key) is not None for key in OF_FORECASTS):
        in_two_files = "`label`, `proba`, `value` and what is beside it"
    if not two_files and is_shared:
        raise ValueError(
            f"{in_two_files} name columns that two files have. Got one file. Name the "
            "columns of both predictions by `champion` and `challenger`."
        )
    both = columns.champion is not None and columns.challenger is not None
    if both and is_shared:
        raise ValueError(
            f"Predictions are named by {in_two_files}, or by `champion` and "
            "`challenger`. Got both. Leave one of them out."
        )
    id = _id(sources, columns)
    y = true_columns(columns)
    roles = [sources[0], sources[-1]]
    main = truth_of(roles[0], roles[1], y, columns.y_from, is_counted)
    reserved = {id, *y, columns.groups, columns.time, *required}
    predictions = [
        _prediction(role, source, columns, reserved, two_files)
        for role, source in zip(ROLES, roles)
    ]
    for role, source, prediction in zip(ROLES, roles, predictions):
        _check_own_role(role, source, prediction, {ID: [id], Y: y})
    names = names_of_roles(roles, predictions)
    others = [source for source in sources if source.key != main.key]
    facts = {
        name: (_fact_at(name, sources, main, by), name)
        for name, by in _named_by(columns, required).items()
    }
    truth: Any = y[0] if len(y) == 1 else list(y)
    same_truth = [(None, (source, truth)) for source in others if has_truth(source, y)]
    same_facts = [
        (name, (sources[-1], name))
        for name, (at, _) in facts.items()
        if at.key != sources[-1].key
        and name in sources[-1].names
        and name != id
        # True labels are compared as such.
        and not (name in y and name in at.names)
    ]
    groups = None if columns.groups is None else facts[columns.groups]
    placed = dict(zip(names, map(placed_in, roles, predictions)))
    same = [*same_truth, *same_facts]
    chosen = ColumnRoles(
        main,
        truth,
        placed,
        id,
        groups,
        facts,
        same,
        time=None if columns.time is None else facts[columns.time],
        horizon=columns.horizon or 1,
    )
    check_slices(chosen)
    return chosen


def _named_by(columns: Columns, slices: Sequence[str]) -> dict[str, str]:
    """Return the columns of slices, groups and times with the keys that name them."""
    named = {columns.groups: "`groups`", columns.time: "`time`"}
    keys = {name: key for name, key in named.items() if name is not None}
    return dict.fromkeys(slices, "`where`") | keys


def _check_unset(columns: Columns, names: Sequence[str], text: str) -> None:
    """Raise an error if a column is set that does not apply to the judged data."""
    for name in names:
        if getattr(columns, name) is not None:
            raise ValueError(f"`{name}` {text}. Leave it out.")


def placed_in(source: Source, prediction: Answer) -> Any:
    """Return the file with the columns of predictions, or with those of each kind."""
    if isinstance(prediction, Mapping):
        # Levels and coverages are numbers, whose keys a policy writes as text.
        return {
            float(kind) if share_in(kind) else kind: placed_in(source, part)
            for kind, part in prediction.items()
        }
    return source, prediction if isinstance(prediction, str) else list(prediction)


def _id(sources: Sequence[Source], columns: Columns) -> str | None:
    """Return the column of ids: the named one, "id" if all files have it, or None."""
    if columns.id is not None:
        for source in sources:
            check_column(source, columns.id, " Name the column of ids by `id`.")
        return columns.id
    if all(ID in source.names for source in sources):
        return ID
    if len({source.key for source in sources}) > 1:
        listed = " and ".join(source.text for source in sources)
        raise ValueError(
            f"{listed} can only be joined by a column of ids that both have, because the "
            "order of records may differ. Name it by `id`."
        )
    return None


def check_not_chosen(name: str, by: str, champion: Source, challenger: Source) -> None:
    """Raise an error if only the challenger's file has a column of slices or groups."""
    if name not in champion.names and name in challenger.names:
        raise ValueError(
            f"Column {name!r}, which {by} names, is only in {challenger.text}, the "
            "challenger's file. A challenger must not choose the records on which it is "
            f"evaluated. Add the column to {champion.text}, the champion's file."
        )


def _fact_at(name: str, sources: Sequence[Source], main: Source, by: str) -> Source:
    """Return the file with a column of slices or groups, normally not the challenger's.

    That may have it only if it alone has the true labels, and is trusted with these too.
    """
    champion, challenger = sources[0], sources[-1]
    if name in champion.names:
        return champion
    if main.key != challenger.key:
        check_not_chosen(name, by, champion, challenger)
    check_column(main, name, f" It is named by {by}.")
    return main


def _prediction(
    role: str, source: Source, columns: Columns, reserved: set[str | None], own_file: bool
) -> Answer:
    """Choose the columns of one classifier's predictions."""
    prediction = getattr(columns, role)
    if prediction is None and own_file:
        prediction = _shared(columns)
    if prediction is None:
        free = [name for name in whole_names(source) if name not in reserved]
        if role in free or not own_file:
            prediction = role
        elif len(free) == 1:
            prediction = free[0]
        else:
            listed = ", ".join(map(repr, free[:10])) or "none"
            raise ValueError(
                f"{source.text} must have one column of predictions beside ids, true "
                f"labels and groups, or say which it is. Got {listed}. Name it by "
                f"{ONE_OF_THEM}."
            )
    advice = f" Name the predictions by {ONE_OF_THEM if own_file else f'`{role}`'}."
    for name in names_in(prediction):
        check_column(source, name, advice)
    return prediction


def _shared(columns: Columns) -> Any:
    """Return the columns of predictions that have the same name in both files."""
    if columns.label is not None and columns.proba is not None:
        return {"labels": columns.label, "proba": columns.proba}
    forecast = {
        kind: getattr(columns, key)
        for key, kind in OF_FORECASTS.items()
        if getattr(columns, key) is not None
    }
    if forecast:
        return forecast[VALUES] if set(forecast) == {VALUES} else forecast
    return columns.proba if columns.label is None else columns.label


def whole_names(source: Source) -> list[str]:
    """List the columns that are neither parts of arrays nor an index of pandas."""
    names = source.names
    return [
        name
        for name in names
        if not (name.endswith("]") and name.rpartition("[")[0] in names)
        and not INDEX.fullmatch(name)
    ]


def _check_own_role(
    role: str, source: Source, prediction: Answer, roles: Mapping[str, Sequence[Any]]
) -> None:
    """Raise an error if a column of predictions is also that of ids or true labels."""
    for name in names_in(prediction):
        for option, own in roles.items():
            if name in own:
                raise ValueError(
                    f"Column {name!r} of {source.text} cannot be both `{option}` and the "
                    f"{role}'s predictions. Name the right column."
                )


def names_of_roles(sources: Sequence[Source], predictions: Sequence[Answer]) -> list[str]:
    """Return the names of the classifiers in reports, from their columns or files.

    Raises an error if both roles name the same columns of one file, or of a copy, or if
    names contradict the order of the roles. A part may be shared: a new threshold for the
    same probabilities is a new model.
    """
    paths = [source.path for source in sources]  # type: ignore[attr-defined]
    columns = [names_in(prediction) for prediction in predictions]
    is_one_file = are_one_file(*paths)
    if predictions[0] == predictions[1]:
        part = f", and the same predictions {', '.join(map(repr, columns[0]))}"
        models = "those of two models", "the predictions of two models"
        _check_two_files(paths[0], paths[-1], part, *models)
    if is_one_file:
        check_role_names(*map(" ".join, columns))
    else:
        check_role_names(*(Path(path).name for path in paths))
    names = [prediction for prediction in predictions if isinstance(prediction, str)]
    if len(set(names)) == 2:
        return names
    if is_one_file:
        return [*ROLES]
    stems = [Path(path).name.partition(".")[0] or path for path in paths]
    if stems[0] == stems[1]:
        stems = [os.path.join(Path(path).parent.name, s) for path, s in zip(paths, stems)]
    return stems if stems[0] != stems[1] else paths


def _check_two_files(
    champion: str, challenger: str, part: str, models: str, copies: str
) -> None:
    """Raise an error if both roles are one file, or a file and its copy.

    `part` names the part of one file that both have, and the last two are to be passed.
    """
    if are_one_file(champion, challenger):
        raise ValueError(
            f"Champion and challenger are the same file {challenger!r}{part}. Pass "
            f"{models}."
        )
    if hold_the_same(champion, challenger):
        raise ValueError(
            f"Champion and challenger are the same: {challenger!r} is a copy of "
            f"{champion!r}. Pass {copies}."
        )


def check_kinds(values: ColumnValues, roles: ColumnRoles, columns: Columns) -> None:
    """Raise an error if a column cannot hold the kind of predictions that it is named as.

    Parameters
    ----------
    values : ColumnValues
        The values that were read.
    roles : ColumnRoles
        Their columns.
    columns : Columns
        The columns that the policy names.
    """
    for name, place in roles.predictions.items():
        arrays = values.predictions[name]
        if not isinstance(place, Mapping):
            kind = _kind_named(place, columns)
            place, arrays = {kind: place}, {kind: arrays}
        for kind, (source, column) in place.items():
            array, subject = arrays[kind], f"Column {column!r} of {source.text}"
            if kind == "proba" and is_text(array):
                raise ValueError(
                    f"{subject} must hold probabilities. Got {_non_number(array)!r:.60}. "
                    "Write them as numbers in [0, 1], such as 0.12."
                )
            are_numbers = array.ndim == 1 and array.dtype.kind in "iuf"
            truth: Any = values.truth
            if kind == LABELS and are_numbers and is_text(truth):
                raise ValueError(
                    f"{subject} must hold labels. {_why_no_labels(array, truth)}"
                )


def _kind_named(place: tuple[Source, Any], columns: Columns) -> str | None:
    """Return the kind of predictions that a column is named as, or None if it is not."""
    _, column = place
    if isinstance(column, list) or column == columns.proba != columns.label:
        return "proba"
    return LABELS if column == columns.label else None


def _non_number(values: NDArray[Any]) -> str:
    """Return the first text that is not a number."""
    texts = [str(value) for value in values.ravel().tolist()]
    for text in texts:
        try:
            float(text)
        except ValueError:
            return text
    return texts[0]


def _why_no_labels(values: NDArray[Any], truth: NDArray[Any]) -> str:
    """Explain why numbers cannot be labels if the true labels are text."""
    classes = some_of(np.unique(truth))
    finite = values[np.isfinite(values)]
    if not integral(finite):
        fraction = finite[np.trunc(finite) != finite][0]
        return (
            f"Got fractions, such as {fraction:g}, which are probabilities, and the "
            f"classes are {classes}. Name the column by `proba`."
        )
    numbers = some_of(np.unique(finite.astype(np.int64)))
    return (
        f"Got {numbers}, which are none of the classes {classes}. Write labels as the true "
        "labels are written."
    )


SUFFIX = ".skops"


def is_saved(path: str) -> bool:
    """Whether the suffix of a path is that of a saved estimator."""
    return path.lower().endswith(SUFFIX)


def estimators_subject(files: GateFiles, columns: Columns, gate: Gate) -> PairSubject:
    """Collect the predictions of two saved estimators for the records of a file.

    Parameters
    ----------
    files : GateFiles
        The estimators and their records.
    columns : Columns
        The columns that the policy names; by default features are all others.
    gate : Gate
        The gate.
    """
    data = _checked_data(files, columns)
    y = true_columns(columns)
    id = columns.id or (ID if ID in data.names else None)
    about = (*y, id, columns.groups, columns.time, *gate.columns)
    facts = [name for name in about if name is not None]
    for name in facts:
        check_column(data, name)
    loaded = load_estimators(files.predictions, trust=files.trust)
    free = columns.features or [name for name in whole_names(data) if name not in facts]
    secret = {id: "ids", columns.groups: "groups"} | dict.fromkeys(y, "the true labels")
    _check_features(columns.features or (), "`features` in [data]", secret, None)
    for estimator, path in zip(loaded, files.predictions, strict=True):
        _check_features(_names_of(estimator), repr(path), secret, columns.features)
    own = [_names_of(estimator) or list(free) for estimator in loaded]
    features = list(dict.fromkeys(name for names in own for name in names))
    for name in features:
        check_column(data, name, " An estimator was trained with it.")
    training = training_of(files, id, columns.features or features)
    needed = [] if training is None else training.needed
    names = dict.fromkeys([*facts, *features, *needed])
    as_written = {*facts[len(y) :]} - {*features, columns.time}
    read = columns_of(data, list(names), as_written=as_written)
    if id is not None:
        rows_by_id({data.key: data}, {data.key: read}, id)  # each of which must be once
    unseen = "" if training is None else training.check(read, data.text)
    records = _records(read, features, as_frame=any(map(_names_of, loaded)))
    classifiers = map(partial(_cut, records), loaded, own)
    truth: Any = read[y[0]]
    if len(y) > 1:
        truth = frame_from_columns({name: read[name].tolist() for name in y}, "pandas")
    subject = fitted_subject(
        gate.leaves,
        dict(zip(_report_names(files.predictions), classifiers)),
        records,
        truth,
        groups=None if columns.groups is None else read[columns.groups],
        time=None if columns.time is None else read[columns.time],
        horizon=columns.horizon or 1,
        pos_label=positive_label(files, columns, read[y[0]]),
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
    _check_unset(
        columns,
        ("y_from", "label", "proba", *ABOUT_NUMBERS, *ROLES, "labels", *ABOUT_SCORES),
        "is about files of predictions, and saved estimators give their own",
    )
    champion, challenger = files.predictions
    _check_two_files(champion, challenger, "", "two", "two models")
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
                "to evaluate. No estimator is given it: train without the column."
            )
    further = [name for name in names if allowed is not None and name not in allowed]
    if further:
        raise ValueError(
            f"{label} was trained with {', '.join(map(repr, further[:5]))}, and `features` "
            "in [data] does not name it. Name all features of both estimators, or leave "
            "`features` out."
        )


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
    keep = partial(_columns, names=[*names], as_frame=bool(_names_of(estimator)))
    return Pipeline([("columns", FunctionTransformer(keep)), ("classifier", estimator)])


def _columns(frame: Any, names: Sequence[str], as_frame: bool) -> Any:
    """Select columns of a frame, as a frame or as an array."""
    return frame[names] if as_frame else frame[names].to_numpy()


def _report_names(paths: Sequence[str]) -> list[str]:
    """Names of the estimators in reports, from their file names."""
    stems = [Path(path).name[: -len(SUFFIX)] for path in paths]
    return stems if all(stems) and stems[0] != stems[1] else list(paths)


OF_PREDICTIONS = ("id", "y", "y_from", *ABOUT_NUMBERS, *ROLES, *ABOUT_CLASSES)


def scores_subject(files: GateFiles, columns: Columns, gate: Gate) -> ItemSubject:
    """Read and check the scores to judge, which have no labels.

    Parameters
    ----------
    files : GateFiles
        One file with two columns of scores, or the champion's and the challenger's.
    columns : Columns
        The columns that the policy names.
    gate : Gate
        The gate, whose slices need columns.
    """
    _check_unset(
        columns, OF_PREDICTIONS, "is about predictions for records, and these are scores"
    )
    if files.pos_label is not None:
        raise ValueError("--pos-label is about labels, and these are scores. Leave it out.")
    score: Any = "score" if columns.score is None else columns.score
    sources = [checked_source(path) for path in files.predictions]
    score_columns = [score, score] if isinstance(score, str) else list(score)
    if len(score_columns) != 2:
        raise ValueError(
            "`score` must be the name of a column, or the champion's and the challenger's. "
            f"Got {len(score_columns)} names."
        )
    roles = [sources[0], sources[-1]]
    names = names_of_roles(roles, score_columns)
    for name, by in _named_by(columns, gate.columns).items():
        check_not_chosen(name, by, *roles)
    item = "item" if columns.item is None else columns.item
    training = training_of(files, item, columns.features or ())
    needed = [] if training is None else [n for n in training.needed if n != item]
    scores = ItemScores.from_frames(
        *sources,
        score=score if isinstance(score, str) else tuple(score),
        item=item,
        group=columns.groups,
        time=columns.time,
        horizon=columns.horizon or 1,
        attempt=columns.attempt,
        columns=dict.fromkeys([*gate.columns, *needed]),
        bounds=columns.bounds,
        names=names,
    )
    judged = {item: scores.items, **scores.columns}
    unseen = "" if training is None else training.check(judged, sources[0].text)
    return ItemSubject(scores, unseen)


def subject_from_files(
    files: GateFiles, columns: Columns, gate: Gate, *, keep_ids: bool = False
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
    keep_ids : bool, default=False
        Whether a ledger counts looks: ids are kept, by which it recognises records, and
        true labels in the challenger's file are refused.
    """
    if not 1 <= len(files.predictions) <= 2:
        raise ValueError(
            "A gate judges one file with the predictions of both, or the champion's file "
            f"and the challenger's. Got {len(files.predictions)} files."
        )
    _check_target(files, columns, gate.target)
    if any(map(is_saved, files.predictions)):
        return estimators_subject(files, columns, gate)
    if files.data is not None or files.trust:
        raise ValueError(
            "--data and --trust are for saved estimators (.skops). Got files of "
            f"predictions, {' and '.join(map(repr, files.predictions))}."
        )
    if columns.score is not None or any(leaf.measure == MEAN_SCORE for leaf in gate.leaves):
        return scores_subject(files, columns, gate)
    sources = [checked_source(path) for path in files.predictions]
    roles = chosen_columns(sources, columns, gate.columns, is_counted=keep_ids)
    training = training_of(files, roles.id, columns.features or ())

    is_numeric = gate.target == NUMBERS

    def positive(values: ColumnValues) -> Any:
        if is_numeric:
            return None
        check_kinds(values, roles, columns)
        return positive_label(files, columns, values.truth)

    subject = subject_of_roles(
        roles,
        columns.labels,
        positive,
        training,
        keep_ids=keep_ids,
        target=gate.target,
        text=roles.frame.text,
    )
    if not is_numeric:
        _check_kinds_collected(subject.data, roles, columns)
    return subject


def _check_target(files: GateFiles, columns: Columns, target: str) -> None:
    """Raise an error if columns or options are named that are about another target."""
    is_numeric = target == NUMBERS
    names, other = (ABOUT_CLASSES, CLASSES) if is_numeric else (ABOUT_NUMBERS, NUMBERS)
    _check_unset(columns, names, f"is about {other}, and the conditions are of {target}")
    if is_numeric and files.pos_label is not None:
        raise ValueError(
            "--pos-label is about classes, and the conditions are of numbers. Leave it out."
        )


def judge_files(
    files: GateFiles, policy: Policy, *, start: float | None = None
) -> GateDecision:
    """Evaluate files by a policy, as a look if there is a ledger."""
    gate, keep_ids = policy.gate, files.ledger is not None
    subject = subject_from_files(files, policy.data, gate, keep_ids=keep_ids)
    return judge_subject(gate, subject, files.ledger, files.blind, start=start)


def _check_kinds_collected(
    predictions: Predictions, roles: ColumnRoles, columns: Columns
) -> None:
    """Raise an error if labels were read as probabilities, or vice versa."""
    for role, place in zip(predictions.estimators, roles.predictions.values()):
        kind = None if isinstance(place, Mapping) else _kind_named(place, columns)
        expected, got = "labels", "fractions, which are probabilities"
        if kind == "proba":
            expected, got = "probabilities", "labels"
        if kind is not None and role.has_proba != (kind == "proba"):
            source, column = place
            raise ValueError(
                f"Column {column!r} of {source.text} must hold {expected}. Got {got}. "
                "Name it as what it is."
            )
