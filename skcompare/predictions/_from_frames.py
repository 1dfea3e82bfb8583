"""Predictions from frames and files: columns named, joined by ids where need be."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import source_of
from skcompare._typing import ArrayLike
from skcompare.predictions._aligned import aligned
from skcompare.predictions._from_arrays import LABELS, predictions_from_arrays
from skcompare.predictions._ids import is_text, written
from skcompare.predictions._places import GROUPS, Y_TRUE, Place, place_of, places_of
from skcompare.predictions._predictions import Predictions


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
        path of a `.csv`, `.tsv`, `.jsonl`, `.npz` or `.parquet` file. Other columns than
        the named ones are not read, as far as the format allows.
    y_true : str or None
        Column of true labels; None where nobody knows them.
    answers : mapping of str to str, list of str, or tuple
        For each classifier its column in `frame`: labels, or probabilities of
        `pos_label`, told apart as in :func:`predictions_from_arrays`; or a list of
        columns, the probabilities of each class in sorted order, or the name of an array
        of these in an `.npz` file; or both labels and probabilities, as
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
    return typed_columns(asked, aligned(asked, id).columns)


def typed_columns(
    asked: Sequence[Place], columns: Sequence[NDArray[Any]]
) -> tuple[NDArray[Any] | None, dict[str, Any], NDArray[Any] | None]:
    """Truth, answers and groups of aligned columns; those of CSV files get their types.

    Parameters
    ----------
    asked : sequence of Place
        Where truth, answers and groups are, as :func:`places_of` gives them.
    columns : sequence of ndarray
        The values of each.
    """
    pairs = list(zip(asked, columns, strict=True))
    found = {place.role: column for place, column in pairs if place.name is not None}
    known = {place.role: column for place, column in pairs if place.name is None}
    truth, group = known.get(Y_TRUE), known.get(GROUPS)
    if truth is not None and not asked[0].source.typed:
        truth = _written_beside(truth, found.values())
    places = [place for place in asked if place.name is not None]
    guessed = [place for place in places if not place.source.typed]
    if guessed:
        base = found.values() if truth is None else [truth]
        texts = {label for array in base if is_text(array) for label in array.tolist()}
        found |= {place.role: _as_guessed(place, found, texts) for place in guessed}
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
    arrays = aligned(asked, id).columns
    return {
        place.role: array if place.source.typed else _written_beside(array, arrays)
        for place, array in zip(asked, arrays)
    }


def _written_beside(labels: NDArray[Any], others: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Labels of a CSV file, which are text if any others are."""
    return written(labels) if any(map(is_text, others)) else labels


def _as_guessed(
    place: Place, found: Mapping[str, NDArray[Any]], known: set[Any]
) -> NDArray[Any]:
    """Answers of a CSV file, whose columns have no types."""
    own = found[place.role]
    if place.kind == LABELS:
        return written(own) if known else own
    return _labels_or_scores(own, known) if place.kind is None else own


def _labels_or_scores(values: NDArray[Any], known: set[Any]) -> NDArray[Any]:
    """Numbers in a CSV file beside labels of text: these as written, or probabilities."""
    if not known or values.dtype.kind not in "if" or values.ndim > 1:
        return values
    distinct = np.unique(values)
    if len(distinct) <= len(known) and known.issuperset(written(distinct).tolist()):
        return written(values)
    return values.astype(np.float64)
