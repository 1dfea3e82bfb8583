"""Files of a gate, and their columns of true labels, predictions and ids."""

import filecmp
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.validation import integral, some_of
from skcompare._io.columns import check_column, columns_of, source_of
from skcompare._io.readers import Source, all_suffixes, list_formats
from skcompare.gate._policy_sections import Columns, TrainSettings
from skcompare.gate._training import Training
from skcompare.predictions import (
    CHALLENGER,
    ROLES,
    ColumnRoles,
    check_role_names,
    is_text,
    repeated_ids,
)

PICKLES = (".pkl", ".pickle", ".joblib", ".jbl", ".dill", ".cloudpickle", ".pt", ".pth")

OTHERWISE = "Rename it if it is one of these, or write it again as one."
ADVICE = {
    (".json",): "Rename it to .jsonl if each line has one record, or write it so.",
    (".xlsx", ".xls", ".ods"): "Export the sheet as CSV.",
    (".zip", ".bz2", ".xz", ".zst", ".7z", ".tar"): "Unpack it.",
}
"""Advice for files of other formats, by the endings of their names."""

NUMBERS: dict[str, Callable[[str], float]] = {"i": int, "u": int, "f": float}
"""Conversions of text to a label, by the kind of NumPy dtype."""


class GateFiles(NamedTuple):
    """Input files of a gate.

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
    """

    predictions: tuple[str, ...]
    data: str | None = None
    train: TrainSettings | None = None
    trust: tuple[str, ...] = ()

    @property
    def inputs(self) -> list[str]:
        """Paths of all input files."""
        train = [] if self.train is None else [self.train.file]
        return [*self.predictions, *([] if self.data is None else [self.data]), *train]


def checked_source(path: str) -> Source:
    """Return the source of a file's columns, after checks of the file's format."""
    check_not_pickled(path)
    _check_ending(path)
    return source_of(path)


def _check_ending(path: str) -> None:
    """Check that the suffix of a file is that of a supported format."""
    name = os.path.basename(path.lower().rstrip(os.sep))
    ending = os.path.splitext(name)[1]
    if ending == ".gz":
        ending = os.path.splitext(name.removesuffix(".gz"))[1]
    if ending in ("", *all_suffixes()):
        return
    advice = next((text for ends, text in ADVICE.items() if ending in ends), OTHERWISE)
    raise ValueError(
        f"{path!r} must be {list_formats(suffixes=True)} by its name. Got {ending!r}. "
        f"{advice}"
    )


def check_not_pickled(path: str) -> None:
    """Raise an error if the suffix of a file is that of a pickle."""
    if path.lower().removesuffix(".gz").endswith(PICKLES):
        raise ValueError(
            f"{path!r} is a pickle by its name, and whoever wrote a pickle can run any "
            "code where it is loaded. Save the estimator by skops.io.dump as .skops, or "
            f"its predictions as {list_formats()}."
        )


def check_each_once(ids: NDArray[Any], name: str, source: Source) -> None:
    """Raise an error if ids are repeated."""
    values, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        raise repeated_ids(name, source, values[counts > 1])


def training_of(
    files: GateFiles, id: str | None, features: Sequence[str]
) -> Training | None:
    """Return the training records, or None if the gate has none."""
    if files.train is None:
        return None
    source = checked_source(files.train.file)
    return Training(source, id, files.train.id, features)


def with_label(columns: Columns, text: str | None, source: Source, y: str) -> Columns:
    """Set the positive label from text, converted to the type of the true labels."""
    if text is None:
        return columns
    kind = columns_of(source, [y])[y].dtype.kind
    label: Any = text
    if kind == "b":
        label = {"true": True, "false": False}.get(text.lower(), text)
    elif kind in NUMBERS:
        with suppress(ValueError):
            label = NUMBERS[kind](text)
    return replace(columns, pos_label=label)


def are_one_file(left: str, right: str) -> bool:
    """Whether two paths lead to the same file, possibly through links."""
    if os.path.realpath(left) == os.path.realpath(right):
        return True
    try:
        return os.path.samefile(left, right)
    except OSError:
        return False


def hold_the_same(left: str, right: str) -> bool:
    """Whether two files hold the same bytes.

    Different files differ in their size or early on, so that only copies take time. What
    is no regular file can be read only once, and is not read here.
    """
    are_files = os.path.isfile(left) and os.path.isfile(right)
    return are_files and filecmp.cmp(left, right, shallow=False)


ID, Y = "id", "y"
ABOUT_SCORES = ("item", "attempt", "bounds")
"""Keys about scores item by item."""
INDEX = re.compile(r"__index_level_\d+__")
"""Name by pandas of an index without name in a Parquet file."""

Answer = str | list[str] | dict[str, Any]
"""A column, one column per class, or both of labels and probabilities."""


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
    columns.check_without(ABOUT_SCORES, "is about scores, and no `score` is named")
    two_files = len(sources) > 1
    if not two_files and (columns.label is not None or columns.proba is not None):
        raise ValueError(
            "`label` and `proba` name columns that two files have. Got one file. Name the "
            "columns of both predictions by `champion` and `challenger`."
        )
    both = columns.champion is not None and columns.challenger is not None
    if both and (columns.label is not None or columns.proba is not None):
        raise ValueError(
            "Predictions are named by `label` and `proba`, or by `champion` and "
            "`challenger`. Got both. Leave one of them out."
        )
    id = _id(sources, columns)
    y = Y if columns.y is None else columns.y
    roles = [sources[0], sources[-1]]
    main = _truth_of(roles[0], roles[1], y, columns.y_from, is_counted)
    predictions = [
        _prediction(role, source, columns, {id, y, columns.groups, *required}, two_files)
        for role, source in zip(ROLES, roles)
    ]
    for role, source, prediction in zip(ROLES, roles, predictions):
        _check_own_role(role, source, prediction, {ID: id, Y: y})
    names = names_of_roles(roles, predictions)
    others = [source for source in sources if source.key != main.key]
    groups = columns.groups
    named_by = dict.fromkeys(required, "`where`")
    if groups is not None:
        named_by[groups] = "`groups`"
    check_no_predictions(named_by, [_own_columns(prediction) for prediction in predictions])
    facts = {
        name: (_fact_at(name, sources, main, by), name) for name, by in named_by.items()
    }
    return ColumnRoles(
        main,
        y,
        dict(zip(names, map(_at, roles, predictions))),
        id,
        None if groups is None else facts[groups],
        facts,
        same=[(source, y) for source in others if y in source.names],
        same_others=[
            (sources[-1], name)
            for name, (at, _) in facts.items()
            if at.key != sources[-1].key
            and name in sources[-1].names
            and name != id
            # True labels are compared as such.
            and not (name == y and y in at.names)
        ],
    )


def _at(source: Source, prediction: Answer) -> Any:
    """Return the file with the columns of predictions, or with those of each kind."""
    if isinstance(prediction, Mapping):
        return {kind: (source, columns) for kind, columns in prediction.items()}
    return source, prediction


def _truth_of(
    champion: Source, challenger: Source, y: str, y_from: str | None, is_counted: bool
) -> Source:
    """Return the file of the true labels, by default the champion's.

    Where looks are counted, true labels in the challenger's file are not even read: the
    differences would reveal the labels of the records, one query after the other.
    """
    allowed = y_from == CHALLENGER
    if champion.key == challenger.key:
        check_column(champion, y, " Name the true labels by `y`.")
        return champion
    if y in challenger.names and is_counted:
        raise ValueError(
            f"Column {y!r} of {challenger.text}, the challenger's file, has true labels. "
            "Where a ledger counts looks they come from the champion's file alone, and "
            "others are not read, because what differs would tell what is right. Leave the "
            "column out."
        )
    if y not in champion.names and y in challenger.names and not allowed:
        raise ValueError(
            f"True labels (column {y!r}) are in {challenger.text}, the challenger's file, "
            "alone. Whoever submits a challenger must not say what is right. Add the "
            f"column to {champion.text}, the champion's file, or allow it by y_from = "
            '"challenger" in [data] of the policy.'
        )
    main = challenger if allowed and y in challenger.names else champion
    check_column(main, y, " Name the true labels by `y`.")
    return main


def _own_columns(prediction: Answer) -> list[str]:
    """List the columns of one classifier's predictions."""
    if isinstance(prediction, Mapping):
        return [name for part in prediction.values() for name in _own_columns(part)]
    return [prediction] if isinstance(prediction, str) else list(prediction)


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
            "challenger's file. Whoever submits a challenger must not choose by which "
            f"records it is judged. Add the column to {champion.text}, the champion's "
            "file."
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


def check_no_predictions(names: Iterable[str], columns: Sequence[Sequence[str]]) -> None:
    """Raise an error if slices or groups are defined by the predictions of a classifier.

    Parameters
    ----------
    names : iterable of str
        The columns of slices and groups.
    columns : pair of sequence of str
        The columns of the champion's and of the challenger's predictions.
    """
    for role, own in zip(ROLES, columns):
        for name in names:
            if name in own or (name.endswith("]") and name.rpartition("[")[0] in own):
                raise ValueError(
                    f"Column {name!r} has the {role}'s predictions, and records are not "
                    "sliced or grouped by predictions, because each classifier would "
                    "choose which records it is judged by. Name a column that is known "
                    "beforehand."
                )


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
                f"labels and groups, or say which it is. Got {listed}. Name it by `label` "
                "or `proba`."
            )
    advice = f" Name the predictions by `{'label` or `proba' if own_file else role}`."
    for name in _own_columns(prediction):
        check_column(source, name, advice)
    return _as_lists(prediction)


def _shared(columns: Columns) -> Any:
    """Return the columns of predictions that have the same name in both files."""
    if columns.label is not None and columns.proba is not None:
        return {"labels": columns.label, "proba": columns.proba}
    return columns.proba if columns.label is None else columns.label


def _as_lists(prediction: Any) -> Answer:
    if isinstance(prediction, Mapping):
        return {kind: _as_lists(part) for kind, part in prediction.items()}
    return prediction if isinstance(prediction, str) else list(prediction)


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
    role: str, source: Source, prediction: Answer, roles: Mapping[str, str | None]
) -> None:
    """Raise an error if a column of predictions is also that of ids or true labels."""
    for name in _own_columns(prediction):
        for option, column in roles.items():
            if name == column:
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
    columns = [_own_columns(prediction) for prediction in predictions]
    is_one_file = are_one_file(*paths)
    if predictions[0] == predictions[1]:
        _check_two_files(sources, columns[0], is_one_file)
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
    sources: Sequence[Source], columns: Sequence[str], is_one_file: bool
) -> None:
    champion, challenger = sources
    if is_one_file:
        raise ValueError(
            f"Champion and challenger are the same file {challenger.text}, and the same "
            f"predictions {', '.join(map(repr, columns))}. Pass those of two models."
        )
    if hold_the_same(champion.path, challenger.path):  # type: ignore[attr-defined]
        raise ValueError(
            f"Champion and challenger are the same: {challenger.text} is a copy of "
            f"{champion.text}. Pass the predictions of two models."
        )


def wrong_kind(roles: ColumnRoles, columns: Columns) -> str | None:
    """Return a message about a column with the wrong kind of predictions, or None.

    Columns are read again, because this runs after predictions were refused.

    Parameters
    ----------
    roles : ColumnRoles
        The columns that were read.
    columns : Columns
        The columns that the policy names.
    """
    # A column that cannot be read was the reason itself.
    with suppress(ValueError, OSError):
        for source, name, kind in _columns_with_kinds(roles, columns):
            values = columns_of(source, [name])[name]
            subject = f"Column {name!r} of {source.text}"
            if kind == "proba" and is_text(values):
                return (
                    f"{subject} must hold probabilities. Got {_non_number(values)!r:.60}. "
                    "Write them as numbers in [0, 1], such as 0.12."
                )
            if kind == "labels" and values.ndim == 1 and values.dtype.kind in "iuf":
                truth = columns_of(roles.frame, [roles.y_true])[roles.y_true]
                if is_text(truth):
                    return f"{subject} must hold labels. {_why_no_labels(values, truth)}"
    return None


def _columns_with_kinds(
    roles: ColumnRoles, columns: Columns
) -> Iterator[tuple[Source, str, str]]:
    """Yield each column that was named as labels or as probabilities."""
    for place in roles.predictions.values():
        if isinstance(place, Mapping):
            yield from (
                (source, column, kind)
                for kind, (source, part) in place.items()
                for column in _own_columns(part)
            )
            continue
        source, prediction = place
        if isinstance(prediction, list) or prediction == columns.proba != columns.label:
            yield from ((source, column, "proba") for column in _own_columns(prediction))
        elif prediction == columns.label:
            yield source, prediction, "labels"


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
