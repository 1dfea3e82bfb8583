"""A hold-out set from files, with what its records are besides, all from one reading."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import Source, source_of
from skcompare._typing import ArrayLike
from skcompare.predictions._aligned import aligned
from skcompare.predictions._from_arrays import predictions_from_arrays
from skcompare.predictions._from_frames import typed_columns
from skcompare.predictions._ids import first_of, is_text, value_of, written
from skcompare.predictions._places import Y_TRUE, Place, place_of, places_of
from skcompare.predictions._predictions import Predictions

NUMBERS = "biuf"
"""Kinds of numpy that are compared by value."""


def holdout_from_frame(
    frame: Any,
    y_true: Any,
    answers: Mapping[str, Any],
    *,
    id: str | None = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    others: Sequence[str] | Mapping[str, Any] = (),
    same: Sequence[tuple[Any, str]] = (),
    same_others: Sequence[tuple[Any, str]] = (),
) -> tuple[Predictions, dict[str, NDArray[Any]]]:
    """Answers on one hold-out set, and further columns of the same records.

    All columns are read at once: some engines give records in another order each time.

    Parameters
    ----------
    frame, y_true, answers, id, groups, labels, pos_label
        As in :func:`predictions_from_frame`.
    others : sequence of str, or mapping of str to str or tuple, optional
        Further columns of `frame`, such as those that make slices; or by name the column,
        or a pair of another frame and its column. Columns of CSV files come as they are
        written.
    same : sequence of tuple of (frame, str), optional
        Further columns of true labels, such as that of a second file, which must hold
        the same as `y_true` record by record.
    same_others : sequence of tuple of (frame, str), optional
        Columns of other frames, called like one of `others`, which must hold the same as
        this one record by record. Numbers may be written in several ways.

    Returns
    -------
    predictions : Predictions
        As from :func:`predictions_from_frame`.
    columns : dict of str to ndarray of shape (n_samples,)
        The columns of `others`, in the order of the records.

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

    .. versionadded:: 0.1
    """
    further_at = _by_name(others)
    main = source_of(frame)
    asked = places_of(main, y_true, answers, groups)
    further = [
        place_of(f"column {name!r}", given, main, as_written=True)
        for name, given in further_at.items()
    ]
    again = [place_of(f"the second {Y_TRUE}", pair, main) for pair in same]
    others_again = _others_again(same_others, further_at, main)
    if again and y_true is None:
        raise ValueError(
            "`same` holds further columns of true labels, which are compared with "
            "`y_true`. Got no `y_true`. Name its column, too."
        )
    columns, ids = aligned([*asked, *further, *again, *others_again.values()], id)
    n, n_further = len(asked), len(asked) + len(further)
    n_again = n_further + len(again)
    for place, labels_again in zip(again, columns[n_further:n_again], strict=True):
        _check_same(asked[0], columns[0], place, labels_again, ids)
    read = dict(zip(further_at, columns[n:n_further], strict=True))
    first = dict(zip(further_at, further, strict=True))
    for (name, place), values in zip(others_again.items(), columns[n_again:], strict=True):
        _check_same(first[name], read[name], place, values, ids)
    truth, arrays, group = typed_columns(asked, columns[:n])
    predictions = predictions_from_arrays(
        truth, arrays, labels=labels, pos_label=pos_label, groups=group
    )
    return predictions, read


def check_same_truth(
    frame: Any, y_true: str, others: Sequence[Any], id: str | None
) -> None:
    """Refuse true labels that differ between files.

    Parameters
    ----------
    frame : frame, str or path-like
        The file of the true labels.
    y_true : str
        Their column, in all files.
    others : sequence of frame, str or path-like
        Further files that have the column.
    id : str or None
        Column that tells records apart, in every file.
    """
    main = source_of(frame)
    first = place_of(Y_TRUE, y_true, main)
    again = [place_of(f"the second {Y_TRUE}", (other, y_true), main) for other in others]
    columns, ids = aligned([first, *again], id)
    for place, labels in zip(again, columns[1:], strict=True):
        _check_same(first, columns[0], place, labels, ids)


def _by_name(others: Any) -> dict[str, Any]:
    """Where further columns are, by their names."""
    names = [] if isinstance(others, str) else list(others)
    if isinstance(others, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"`others` must be a list of names of columns. Got {others!r:.60} instead."
        )
    return dict(others) if isinstance(others, Mapping) else {name: name for name in names}


def _others_again(
    same: Sequence[tuple[Any, str]], others: Mapping[str, Any], main: Source
) -> dict[str, Place]:
    """Where further columns are a second time."""
    found = {}
    for pair in same:
        place = place_of("a column of `same_others`", pair, main, as_written=True)
        (name,) = place.columns
        if name not in others or name in found:
            raise ValueError(
                "`same_others` must name each column once, and one of `others`. Got "
                f"{name!r}, and `others` are {', '.join(map(repr, others)) or 'none'}."
            )
        found[name] = place
    return found


def _check_same(
    first: Place,
    truth: NDArray[Any],
    other: Place,
    again: NDArray[Any],
    ids: NDArray[Any] | None,
) -> None:
    """Refuse true labels, or other facts, that differ between columns of one record."""
    is_truth = first.role == Y_TRUE
    one, two = truth, again
    if not {one.dtype.kind, two.dtype.kind} <= set(NUMBERS):
        one, two = written(one), written(two)
    different = np.not_equal(one, two)
    if not is_truth and is_text(one):
        # Of a column of a CSV file nobody knows the type.
        at = np.flatnonzero(different)
        different[at] = [value_of(a) != value_of(b) for a, b in zip(one[at], two[at])]
    if not different.any():
        return
    at = np.flatnonzero(different)
    where = f"record {at[0] + 1}" if ids is None else f"id {first_of(ids[at], 1)}"
    listed = first_of(at + 1) if ids is None else first_of(ids[at])
    called = "records" if ids is None else "ids"
    advice = "Correct one of them, or leave the column out of the second file."
    if is_truth:
        advice = "Both answers must be about the same truth."
    raise ValueError(
        f"{'True labels' if is_truth else 'Facts about records'} differ between column "
        f"{first.columns[0]!r} of {first.source.words} and column "
        f"{other.columns[0]!r} of {other.source.words} in {len(at):,} of {len(truth):,} "
        f"records, {called} {listed}: {where} has {truth[at[0]]!s:.40} and "
        f"{again[at[0]]!s:.40}. {advice}"
    )
