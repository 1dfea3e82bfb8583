"""Predictions from frames and files: columns named, joined by ids where need be."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._frames import Source, columns_of, source_of
from skcompare._typing import ArrayLike, IntArray
from skcompare.predictions._from_arrays import LABELS, predictions_from_arrays
from skcompare.predictions._places import Place, check_id, place_of, places_of
from skcompare.predictions._predictions import Predictions

__all__ = ["arrays_from_frame", "labels_from_frame", "predictions_from_frame"]

SHOWN = 3
"""Ids that a message shows."""

KINDS = {"U": "text", "i": "whole numbers", "u": "whole numbers", "f": "fractions"} | {
    "M": "dates",
    "m": "durations",
}
"""Types of ids, by the kinds of numpy."""


def predictions_from_frame(
    frame: Any,
    y_true: Any,
    answers: Mapping[str, Any],
    *,
    id: str | None = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
) -> Predictions:
    """Answers of trained classifiers on one hold-out set, from columns of frames or files.

    Parameters
    ----------
    frame : frame, str or path-like
        A frame of pandas, Polars, PyArrow or another library that narwhals knows, or the
        path of a `.csv`, `.tsv` or `.parquet` file. Other columns than the named ones
        are not read, as far as the format allows.
    y_true : str or None
        Column of true labels; None where nobody knows them.
    answers : mapping of str to str, list of str, or tuple
        For each classifier its column in `frame`: labels, or probabilities of
        `pos_label`, told apart as in :func:`predictions_from_arrays`; or a list of
        columns, the probabilities of each class in sorted order; or both, as
        ``{"labels": column, "proba": column or columns}``. A pair
        `(other_frame, columns)` takes them from another frame or file.
    id : str, optional
        Column that tells records apart, in every frame. Frames are joined by it,
        whatever the order of their records; each id must be once in each of them. Text
        and numbers are compared as they are written. Needed for more than one frame.
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
    Columns of CSV files have no types. One is of whole numbers where all its fields are
    plainly written ones ("01" and "1" are different labels), of fractions where all are
    numbers, and of text otherwise. Beside labels of text, numbers are probabilities,
    unless they are written as these labels are. Ids and groups stay text.

    Examples
    --------
    >>> import pandas as pd
    >>> truth = pd.DataFrame({"id": [1, 2, 3], "y": ["no", "yes", "no"]})
    >>> answers = pd.DataFrame({"id": [3, 1, 2], "p_no": [1, 0.9, 0.4]})
    >>> predictions = predictions_from_frame(
    ...     truth, "y", {"new": (answers, "p_no")}, id="id", pos_label="no"
    ... )
    >>> predictions["new"].proba[:, 0].tolist()
    [0.9, 0.4, 1.0]

    .. versionadded:: 0.1
    """
    truth, arrays, group = arrays_from_frame(frame, y_true, answers, id=id, groups=groups)
    return predictions_from_arrays(
        truth, arrays, labels=labels, pos_label=pos_label, groups=group
    )


def arrays_from_frame(
    frame: Any,
    y_true: Any,
    answers: Mapping[str, Any],
    *,
    id: str | None = None,
    groups: Any = None,
) -> tuple[NDArray[Any] | None, dict[str, Any], NDArray[Any] | None]:
    """What :func:`predictions_from_arrays` takes: truth, answers and groups.

    Parameters are those of :func:`predictions_from_frame`.
    """
    asked = places_of(frame, y_true, answers, groups)
    places = [place for place in asked if place.name is not None]
    columns = _aligned(asked, id)
    group = columns.pop() if groups is not None else None
    truth = columns.pop(0) if y_true is not None else None
    found = {place.role: column for place, column in zip(places, columns, strict=True)}
    if truth is not None and not asked[0].source.typed:
        truth = _written_beside(truth, found.values())
    guessed = [place for place in places if not place.source.typed]
    if guessed:
        base = found.values() if truth is None else [truth]
        known = {label for array in base if _is_text(array) for label in array.tolist()}
        found |= {place.role: _as_guessed(place, found, known) for place in guessed}
    arrays: dict[str, Any] = {}
    for place in places:
        own = found[place.role]
        if place.kind is None:
            arrays[str(place.name)] = own
        else:
            arrays.setdefault(str(place.name), {})[place.kind] = own
    return truth, arrays, group


def labels_from_frame(
    frame: Any, columns: Mapping[str, Any], *, id: str | None = None
) -> dict[str, NDArray[Any]]:
    """Columns of labels by their roles.

    Parameters
    ----------
    frame : frame, str or path-like
        As for :func:`predictions_from_frame`.
    columns : mapping of str to str or tuple
        The column of each role, or a pair of another frame and its column.
    id : str, optional
        As for :func:`predictions_from_frame`.
    """
    main = source_of(frame)
    asked = [place_of(role, given, main) for role, given in columns.items()]
    arrays = _aligned(asked, id)
    return {
        place.role: array if place.source.typed else _written_beside(array, arrays)
        for place, array in zip(asked, arrays)
    }


def _aligned(places: Sequence[Place], id: str | None) -> list[NDArray[Any]]:
    """The columns of each place, all in the order of the first place's records."""
    sources = {place.source.key: place.source for place in places}
    check_id(places, id)
    tables = {}
    for key, source in sources.items():
        own = [place for place in places if place.source.key == key]
        names = [name for place in own for name in place.columns]
        text = {name for place in own if place.as_written for name in place.columns}
        tables[key] = columns_of(
            source,
            names if id is None else [*names, id],
            as_written=text if id is None else text | {id},
        )
    rows = {} if id is None else _rows(sources, tables, id)
    return [_values(place, tables[place.source.key], rows) for place in places]


def _values(
    place: Place, table: dict[str, NDArray[Any]], rows: Mapping[Hashable, IntArray]
) -> NDArray[Any]:
    columns = [table[name] for name in place.columns]
    if place.is_list:
        for name, column in zip(place.columns, columns):
            if column.dtype.kind not in "biuf":
                raise ValueError(
                    f"Column {name!r} of {place.source.words} must hold probabilities of a "
                    f"class, as `{place.role}` is a list of columns. Got "
                    f"{KINDS.get(column.dtype.kind, column.dtype)}."
                )
        values = np.column_stack(columns).astype(np.float64, copy=False)
    else:
        values = columns[0]
    order = rows.get(place.source.key)
    return values if order is None else values[order]


def _rows(
    sources: Mapping[Hashable, Source],
    tables: Mapping[Hashable, dict[str, NDArray[Any]]],
    id: str,
) -> dict[Hashable, IntArray]:
    """For every table but the first, where the records of the first are in it."""
    ids = _comparable({key: _whole(table[id]) for key, table in tables.items()}, sources)
    orders: dict[Hashable, IntArray] = {}
    rows: dict[Hashable, IntArray] = {}
    for key, own in ids.items():
        orders[key] = np.argsort(own, kind="stable")
        in_order = own[orders[key]]
        repeated = in_order[1:][in_order[1:] == in_order[:-1]]
        if len(repeated):
            raise ValueError(
                f"Ids must tell records apart. Column {id!r} of {sources[key].words} has "
                f"{_some(np.unique(repeated))} more than once. Keep one record of "
                "each."
            )
    first, *others = ids
    for key in others:
        if not np.array_equal(ids[first][orders[first]], ids[key][orders[key]]):
            raise ValueError(
                f"Column {id!r} of {sources[first].words} and of {sources[key].words} must "
                f"hold the same ids: {_difference(ids, sources, first, key)}. Keep the "
                "records that all have, so that none is left out in silence."
            )
        rows[key] = np.empty_like(orders[key])
        rows[key][orders[first]] = orders[key]
    return rows


def _whole(ids: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as such, also where a missing value once made fractions of them."""
    if ids.dtype.kind == "f" and (np.trunc(ids) == ids).all() and (abs(ids) < 2**63).all():
        return ids.astype(np.int64)
    return ids


def _comparable(
    ids: dict[Hashable, NDArray[Any]], sources: Mapping[Hashable, Source]
) -> dict[Hashable, NDArray[Any]]:
    """Ids of one type: numbers beside text are compared as they are written."""
    kinds = {key: _kind(array) for key, array in ids.items()}
    found = set(kinds.values())
    if found == {"text", "whole numbers"}:
        return {key: _written(array) for key, array in ids.items()}
    if len(found) > 1 or not found <= set(KINDS.values()):
        listed = ", ".join(
            f"{sources[key].words} has {kind} (such as {_shown(ids[key][:1])})"
            for key, kind in kinds.items()
        )
        raise ValueError(
            f"Ids must be of one type to be compared: {listed}. Convert them to text."
        )
    return ids


def _kind(ids: NDArray[Any]) -> str:
    if ids.dtype.kind == "O":
        types = sorted({type(one).__name__ for one in ids.tolist()})
        return KINDS["U"] if types == ["str"] else " and ".join(types)
    return KINDS.get(ids.dtype.kind, str(ids.dtype))


def _some(ids: NDArray[Any]) -> str:
    more = ", ..." if len(ids) > SHOWN else ""
    return f"{len(ids):,} of them ({_shown(ids[:SHOWN])}{more})"


def _shown(ids: NDArray[Any]) -> str:
    return ", ".join(repr(str(one)) if isinstance(one, str) else str(one) for one in ids)


def _difference(
    ids: Mapping[Hashable, NDArray[Any]],
    sources: Mapping[Hashable, Source],
    first: Hashable,
    other: Hashable,
) -> str:
    found = []
    for has, lacks in ((first, other), (other, first)):
        missing = np.setdiff1d(ids[has], ids[lacks])
        if len(missing):
            found.append(f"{sources[lacks].words} lacks {_some(missing)}")
    return " and ".join(found)


def _written_beside(labels: NDArray[Any], others: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Labels of a CSV file, which are text if any others are."""
    return _written(labels) if any(map(_is_text, others)) else labels


def _as_guessed(
    place: Place, found: Mapping[str, NDArray[Any]], known: set[Any]
) -> NDArray[Any]:
    """Answers of a CSV file, whose columns have no types."""
    own = found[place.role]
    if place.kind == LABELS:
        return _written(own) if known else own
    return _labels_or_scores(own, known) if place.kind is None else own


def _labels_or_scores(values: NDArray[Any], known: set[Any]) -> NDArray[Any]:
    """Numbers in a CSV file beside labels of text: these as written, or probabilities."""
    if not known or values.dtype.kind not in "if" or values.ndim > 1:
        return values
    distinct = np.unique(values)
    if len(distinct) <= len(known) and known.issuperset(_written(distinct).tolist()):
        return _written(values)
    return values.astype(np.float64)


def _is_text(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "OU"


def _written(array: NDArray[Any]) -> NDArray[Any]:
    return array if array.dtype.kind == "O" else array.astype(np.str_)
