"""Predictions from named columns of data frames and files, joined by ids if necessary."""

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import columns_of, source_of
from skcompare._io.readers import Source
from skcompare._typing import ArrayLike, IntArray
from skcompare.predictions._from_arrays import LABELS, parts_of, predictions_from_arrays
from skcompare.predictions._ids import (
    KINDS,
    first_of,
    is_text,
    rows_by_id,
    value_of,
    written,
)
from skcompare.predictions._predictions import Predictions

Y_TRUE, GROUPS = "y_true", "groups"
"""Roles other than those of the predictions."""


@dataclass(frozen=True, slots=True)
class Place:
    """Columns of a role, with the name of the classifier for predictions.

    `kind` is that of the columns if a classifier has both labels and probabilities.
    """

    role: str
    source: Source
    columns: tuple[str, ...]
    is_list: bool
    as_written: bool
    name: str | None = None
    kind: str | None = None


def places_of(
    frame: Any,
    y_true: Any,
    predictions: Mapping[str, Any],
    groups: Any = None,
    lists: bool = True,
) -> list[Place]:
    """Return the columns of truth, predictions and groups, in this order, if specified."""
    if not isinstance(predictions, Mapping):
        raise TypeError(
            "`predictions` must be a dict of the classifiers' columns, such as "
            f'{{"old": "column", "new": "other column"}}. Got {type(predictions).__name__}.'
        )
    main = source_of(frame)
    parts = [part for name, value in predictions.items() for part in parts_of(name, value)]
    places = [
        replace(
            place_of(
                part.title, part.value, main, is_prediction=lists and part.kind != LABELS
            ),
            name=part.name,
            kind=part.kind,
        )
        for part in parts
    ]
    if y_true is not None:
        places.insert(0, place_of(Y_TRUE, y_true, main))
    if groups is not None:
        places.append(place_of(GROUPS, groups, main, as_written=True))
    return places


def place_of(
    role: str,
    value: Any,
    main: Source,
    *,
    is_prediction: bool = False,
    as_written: bool = False,
) -> Place:
    """Return the columns of one role."""
    source = main
    if isinstance(value, tuple) and len(value) == 2:
        if isinstance(value[0], str) and not os.path.exists(value[0]):
            raise FileNotFoundError(
                f"`{role}` is a pair, but there is no file {value[0]!r}. Pass another "
                "frame or file and its columns, or a list of columns of probabilities."
            )
        source = source_of(value[0], f"the frame of `{role}`")
        value = value[1]
    is_list = is_prediction and isinstance(value, list)
    columns = tuple(value) if is_list else (value,)
    if not columns or not all(isinstance(name, str) for name in columns):
        lists = (
            ", a list of names (probabilities, one column per class)"
            if is_prediction
            else ""
        )
        raise TypeError(
            f"`{role}` must be the name of a column{lists}, or a pair of another frame or "
            f"file and its column. Got {type(value).__name__}."
        )
    return Place(role, source, columns, is_list, as_written)


def check_id(places: Sequence[Place], id: Any) -> None:
    """Raise an error if there are several data frames and no `id` to join them by."""
    sources = {place.source.key: place.source for place in places}
    if id is None and len(sources) > 1:
        listed = " and ".join(source.text for source in sources.values())
        raise ValueError(
            f"Columns of {listed} can only be joined by a column that tells records apart, "
            "because the order of records may differ. Name it as `id`."
        )
    if id is not None and not isinstance(id, str):
        raise TypeError(f"`id` must be the name of a column. Got {type(id).__name__}.")


class Aligned(NamedTuple):
    """Values of each place, and ids of the records if any."""

    columns: list[NDArray[Any]]
    ids: NDArray[Any] | None


def aligned(places: Sequence[Place], id: str | None) -> Aligned:
    """Read the columns of each place, in the order of the records of the first place.

    Each frame is read once, because some engines return rows in another order each time.
    """
    sources = {place.source.key: place.source for place in places}
    check_id(places, id)
    tables = {}
    for key, source in sources.items():
        own_places = [place for place in places if place.source.key == key]
        names = [name for place in own_places for name in place.columns]
        tables[key] = columns_of(
            source,
            names if id is None else [*names, id],
            as_written=_text_columns(own_places)
            if id is None
            else _text_columns(own_places) | {id},
        )
    if id is None:
        return Aligned(
            [_values(place, tables[place.source.key], {}) for place in places], None
        )
    for key, table in tables.items():
        _check_single("id", id, table[id], sources[key])
    rows = rows_by_id(sources, tables, id)
    columns = [_values(place, tables[place.source.key], rows) for place in places]
    return Aligned(columns, next(iter(tables.values()))[id])


def _check_single(role: str, name: str, column: NDArray[Any], source: Source) -> None:
    """Check that a column other than of probabilities has one value per record."""
    if column.ndim > 1:
        raise ValueError(
            f"`{role}` must be a column with one value per record. Got {name!r} of "
            f"{source.text}, of shape {column.shape}. Columns of it are "
            f"'{name}[0]', '{name}[1]' and so on."
        )


def _text_columns(places: Sequence[Place]) -> set[str]:
    """Return columns of a file that stay text, unless another role needs numbers."""
    texts = {name for place in places if place.as_written for name in place.columns}
    return texts - {
        name for place in places if not place.as_written for name in place.columns
    }


def _values(
    place: Place, table: dict[str, NDArray[Any]], rows: Mapping[Hashable, IntArray]
) -> NDArray[Any]:
    columns = [table[name] for name in place.columns]
    is_proba = place.name is not None and place.kind != LABELS and not place.is_list
    if not is_proba:
        for name, column in zip(place.columns, columns):
            _check_single(place.role, name, column, place.source)
    if place.is_list:
        for name, column in zip(place.columns, columns):
            if column.dtype.kind not in "biuf":
                raise ValueError(
                    f"Column {name!r} of {place.source.text} must hold probabilities of a "
                    f"class, as `{place.role}` is a list of columns. Got "
                    f"{KINDS.get(column.dtype.kind, column.dtype)}."
                )
        values = np.column_stack(columns).astype(np.float64, copy=False)
    else:
        values = columns[0]
    if place.as_written and not place.source.typed:
        values = written(values)
    order = rows.get(place.source.key)
    return values if order is None else values[order]


def predictions_from_frame(
    frame: Any,
    y_true: Any,
    predictions: Mapping[str, Any],
    *,
    id: str | None = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
) -> Predictions:
    """Construct predictions for one hold-out set from columns of data frames or files.

    Parameters
    ----------
    frame : frame, str or path-like
        A frame of pandas, Polars, PyArrow or another library that narwhals knows, or the
        path of a file, such as CSV or Parquet. Columns that are not named are not read,
        as far as the format allows.
    y_true : str or None
        Column of true labels; None if they are unknown.
    predictions : mapping of str to str, list of str, or tuple
        For each classifier its column in `frame`: labels, or probabilities of
        `pos_label`, distinguished as in :func:`predictions_from_arrays`; or a list of
        columns, the probabilities of each class in sorted order, or the name of an array
        of these in an `.npz` file; or both labels and probabilities, as
        ``{"labels": column, "proba": column or columns}``. A pair
        `(other_frame, columns)` takes them from another frame or file.
    id : str, optional
        Column that identifies records, in every frame. Frames are joined by it, whatever
        the order of their records; each id must occur once in each of them. Text and
        numbers are compared as they are written. Required for more than one frame.
    groups : str, optional
        Column of the group of each record (patient, user).
    labels, pos_label
        As in :func:`predictions_from_arrays`.

    Returns
    -------
    predictions : Predictions
        In the order of the records in `frame`.

    Raises
    ------
    ValueError
        If there is no such column, a value is missing, or ids do not match.
    MissingDependencyError
        If the library that reads such frames or files is not installed.

    Notes
    -----
    Columns of CSV files have no types. A column has integers if all its fields are
    integers in their usual form ("01" and "1" are different labels), floats if all are
    numbers, and text otherwise. If labels are text, numbers are probabilities, unless
    they are written as these labels are. Ids and groups stay text.

    Examples
    --------
    >>> import pandas as pd
    >>> truth = pd.DataFrame({"id": [1, 2, 3], "y": ["no", "yes", "no"]})
    >>> predictions = pd.DataFrame({"id": [3, 1, 2], "p_no": [1, 0.9, 0.4]})
    >>> predictions = predictions_from_frame(
    ...     truth, "y", {"new": (predictions, "p_no")}, id="id", pos_label="no"
    ... )
    >>> predictions["new"].proba[:, 0].tolist()
    [0.9, 0.4, 1.0]
    """
    truth, arrays, group = arrays_from_frame(
        frame, y_true, predictions, id=id, groups=groups
    )
    return predictions_from_arrays(
        truth, arrays, labels=labels, pos_label=pos_label, groups=group
    )


def arrays_from_frame(
    frame: Any,
    y_true: Any,
    predictions: Mapping[str, Any],
    *,
    id: str | None = None,
    groups: Any = None,
) -> tuple[NDArray[Any] | None, dict[str, Any], NDArray[Any] | None]:
    """Return truth, predictions and groups for :func:`predictions_from_arrays`.

    Parameters are those of :func:`predictions_from_frame`.
    """
    places = places_of(frame, y_true, predictions, groups)
    return typed_columns(places, aligned(places, id).columns)


def typed_columns(
    requested: Sequence[Place], columns: Sequence[NDArray[Any]]
) -> tuple[NDArray[Any] | None, dict[str, Any], NDArray[Any] | None]:
    """Return truth, predictions and groups of aligned columns, with types for CSV files.

    Parameters
    ----------
    requested : sequence of Place
        Columns of truth, predictions and groups, from :func:`places_of`.
    columns : sequence of ndarray
        Values of each.
    """
    pairs = list(zip(requested, columns, strict=True))
    predicted = {place.role: column for place, column in pairs if place.name is not None}
    facts = {place.role: column for place, column in pairs if place.name is None}
    truth, group = facts.get(Y_TRUE), facts.get(GROUPS)
    if truth is not None and not requested[0].source.typed:
        truth = _written_if_text(truth, predicted.values())
    places = [place for place in requested if place.name is not None]
    untyped = [place for place in places if not place.source.typed]
    if untyped:
        base = predicted.values() if truth is None else [truth]
        texts = {label for array in base if is_text(array) for label in array.tolist()}
        predicted |= {
            place.role: _typed_predictions(place, predicted, texts) for place in untyped
        }
    arrays: dict[str, Any] = {}
    for place in places:
        values = predicted[place.role]
        if place.kind is None:
            arrays[str(place.name)] = values
        else:
            arrays.setdefault(str(place.name), {})[place.kind] = values
    return truth, arrays, group


def labels_from_frame(
    frame: Any, columns: Mapping[str, Any], *, id: str | None = None
) -> dict[str, NDArray[Any]]:
    """Read columns of labels, by their roles.

    Parameters
    ----------
    frame : frame, str or path-like
        As for :func:`predictions_from_frame`.
    columns : mapping of str to str or tuple
        Column of each role, or a pair of another frame and its column.
    id : str, optional
        As for :func:`predictions_from_frame`.
    """
    main = source_of(frame)
    places = [place_of(role, column, main) for role, column in columns.items()]
    arrays = aligned(places, id).columns
    return {
        place.role: array if place.source.typed else _written_if_text(array, arrays)
        for place, array in zip(places, arrays)
    }


def _written_if_text(labels: NDArray[Any], others: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Return labels of a CSV file, as text if any other labels are text."""
    return written(labels) if any(map(is_text, others)) else labels


def _typed_predictions(
    place: Place, predicted: Mapping[str, NDArray[Any]], text_labels: set[Any]
) -> NDArray[Any]:
    """Infer the type of predictions of a CSV file, whose columns have no types."""
    values = predicted[place.role]
    if place.kind == LABELS:
        return written(values) if text_labels else values
    return _labels_or_scores(values, text_labels) if place.kind is None else values


def _labels_or_scores(values: NDArray[Any], text_labels: set[Any]) -> NDArray[Any]:
    """Interpret numbers of a CSV file with text labels as labels or as probabilities."""
    if not text_labels or values.dtype.kind not in "if" or values.ndim > 1:
        return values
    distinct = np.unique(values)
    if len(distinct) <= len(text_labels) and text_labels.issuperset(
        written(distinct).tolist()
    ):
        return written(values)
    return values.astype(np.float64)


NUMBERS = "biuf"
"""Kinds of dtypes that are compared by value."""


def holdout_from_frame(
    frame: Any,
    y_true: Any,
    predictions: Mapping[str, Any],
    *,
    id: str | None = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    others: Sequence[str] | Mapping[str, Any] = (),
    same: Sequence[tuple[Any, str]] = (),
    same_others: Sequence[tuple[Any, str]] = (),
) -> tuple[Predictions, dict[str, NDArray[Any]]]:
    """Construct predictions for one hold-out set, with further columns of the records.

    All columns are read at once: some engines return records in another order each time.

    Parameters
    ----------
    frame, y_true, predictions, id, groups, labels, pos_label
        As in :func:`predictions_from_frame`.
    others : sequence of str, or mapping of str to str or tuple, optional
        Further columns of `frame`, such as those that define slices; or by name the
        column, or a pair of another frame and its column. Columns of CSV files are
        returned as they are written.
    same : sequence of tuple of (frame, str), optional
        Further columns of true labels, such as that of a second file, which must be equal
        to `y_true` record by record.
    same_others : sequence of tuple of (frame, str), optional
        Columns of other frames with the name of one of `others`, which must be equal to
        it record by record. Numbers may be written in several ways.

    Returns
    -------
    predictions : Predictions
        As from :func:`predictions_from_frame`.
    columns : dict of str to ndarray of shape (n_samples,)
        Columns of `others`, in the order of the records.

    Raises
    ------
    ValueError
        As from :func:`predictions_from_frame`, and if true labels, or `others`, differ
        between files.

    Examples
    --------
    >>> import pandas as pd
    >>> old = pd.DataFrame(
    ...     {"id": [1, 2], "y": ["no", "yes"], "said": ["no", "no"], "site": ["A", "B"]}
    ... )
    >>> new = pd.DataFrame({"id": [2, 1], "y": ["yes", "no"], "said": ["yes", "no"]})
    >>> predictions, columns = holdout_from_frame(
    ...     old,
    ...     "y",
    ...     {"old": "said", "new": (new, "said")},
    ...     id="id",
    ...     others=["site"],
    ...     same=[(new, "y")],
    ... )
    >>> predictions["new"].labels.tolist(), columns["site"].tolist()
    ([0, 1], ['A', 'B'])
    """
    further_columns = _columns_by_name(others)
    main = source_of(frame)
    places = places_of(main, y_true, predictions, groups)
    further = [
        place_of(f"column {name!r}", column, main, as_written=True)
        for name, column in further_columns.items()
    ]
    repeated_truth = [place_of(f"the second {Y_TRUE}", pair, main) for pair in same]
    repeated = _repeated_places(same_others, further_columns, main)
    if repeated_truth and y_true is None:
        raise ValueError(
            "`same` holds further columns of true labels, which are compared with "
            "`y_true`. Got no `y_true`. Name its column, too."
        )
    columns, ids = aligned([*places, *further, *repeated_truth, *repeated.values()], id)
    n, n_further = len(places), len(places) + len(further)
    n_truth = n_further + len(repeated_truth)
    for place, repeated_labels in zip(
        repeated_truth, columns[n_further:n_truth], strict=True
    ):
        _check_same(places[0], columns[0], place, repeated_labels, ids)
    further_values = dict(zip(further_columns, columns[n:n_further], strict=True))
    further_places = dict(zip(further_columns, further, strict=True))
    for (name, place), values in zip(repeated.items(), columns[n_truth:], strict=True):
        _check_same(further_places[name], further_values[name], place, values, ids)
    truth, arrays, group = typed_columns(places, columns[:n])
    collected = predictions_from_arrays(
        truth, arrays, labels=labels, pos_label=pos_label, groups=group
    )
    return collected, further_values


def check_same_truth(
    frame: Any, y_true: str, others: Sequence[Any], id: str | None
) -> None:
    """Raise an error if true labels differ between files.

    Parameters
    ----------
    frame : frame, str or path-like
        File of the true labels.
    y_true : str
        Their column, in all files.
    others : sequence of frame, str or path-like
        Further files that have the column.
    id : str or None
        Column that identifies records, in every file.
    """
    main = source_of(frame)
    first = place_of(Y_TRUE, y_true, main)
    repeated = [place_of(f"the second {Y_TRUE}", (other, y_true), main) for other in others]
    columns, ids = aligned([first, *repeated], id)
    for place, labels in zip(repeated, columns[1:], strict=True):
        _check_same(first, columns[0], place, labels, ids)


def _columns_by_name(others: Any) -> dict[str, Any]:
    """Return further columns by name."""
    names = [] if isinstance(others, str) else list(others)
    if isinstance(others, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"`others` must be a list of names of columns. Got {others!r:.60} instead."
        )
    return dict(others) if isinstance(others, Mapping) else {name: name for name in names}


def _repeated_places(
    same: Sequence[tuple[Any, str]], others: Mapping[str, Any], main: Source
) -> dict[str, Place]:
    """Return the places of further columns that occur a second time, by name."""
    places = {}
    for pair in same:
        place = place_of("a column of `same_others`", pair, main, as_written=True)
        (name,) = place.columns
        if name not in others or name in places:
            raise ValueError(
                "`same_others` must name each column once, and one of `others`. Got "
                f"{name!r}, and `others` are {', '.join(map(repr, others)) or 'none'}."
            )
        places[name] = place
    return places


def _check_same(
    place: Place,
    values: NDArray[Any],
    other_place: Place,
    other_values: NDArray[Any],
    ids: NDArray[Any] | None,
) -> None:
    """Raise an error if true labels or other values differ between two columns."""
    is_truth = place.role == Y_TRUE
    left, right = values, other_values
    if not {left.dtype.kind, right.dtype.kind} <= set(NUMBERS):
        left, right = written(left), written(right)
    different = np.not_equal(left, right)
    if not is_truth and is_text(left):
        # The types of columns of CSV files are unknown.
        rows = np.flatnonzero(different)
        different[rows] = [
            value_of(a) != value_of(b) for a, b in zip(left[rows], right[rows])
        ]
    if not different.any():
        return
    rows = np.flatnonzero(different)
    where = f"record {rows[0] + 1}" if ids is None else f"id {first_of(ids[rows], 1)}"
    listed = first_of(rows + 1) if ids is None else first_of(ids[rows])
    noun = "records" if ids is None else "ids"
    advice = "Correct one of them, or leave the column out of the second file."
    if is_truth:
        advice = "Both predictions must be about the same truth."
    raise ValueError(
        f"{'True labels' if is_truth else 'Facts about records'} differ between column "
        f"{place.columns[0]!r} of {place.source.text} and column "
        f"{other_place.columns[0]!r} of {other_place.source.text} in {len(rows):,} of "
        f"{len(values):,} records, {noun} {listed}: {where} has {values[rows[0]]!s:.40} "
        f"and {other_values[rows[0]]!s:.40}. {advice}"
    )
