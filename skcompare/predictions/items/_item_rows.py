"""Rows of scores, one per attempt at an item, and their means by item."""

import math
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.validation import as_array, is_number, missing_in, some_of
from skcompare._io.columns import check_column, columns_of, source_of
from skcompare._io.readers import Source
from skcompare._typing import FloatArray, IntArray
from skcompare.predictions._frozen_rules import ROLES
from skcompare.predictions._ids import rows_by_id, some_ids, written

LARGEST = 1e140
"""Largest score; the sum of the squares of larger ones overflows."""

UNSCORED = (
    "An item without a prediction is scored like a wrong one, or dropped for both systems; "
    "say in your report which."
)


def checked_scores(name: str, values: Any) -> FloatArray:
    """Check that scores are finite, one per row; return floats, also for booleans."""
    array = as_array(values)
    if array.ndim != 1 or not len(array):
        raise ValueError(
            f"{name} must have one score per row, in a column with at least one row. Got "
            f"an array of shape {array.shape}."
        )
    if array.dtype.kind == "O":
        _check_no_missing(name, array, UNSCORED)
    if array.dtype.kind not in "biuf":
        array = _numbers(name, array)
    scores = array.astype(np.float64)
    invalid = ~(np.abs(scores) <= LARGEST)
    if invalid.any():
        at = int(np.argmax(invalid))
        raise ValueError(
            f"{name} must have finite scores, of a size of at most {LARGEST:g}. Got "
            f"{int(invalid.sum())} others, the first at position {at} ({scores[at]}). "
            f"{UNSCORED}"
        )
    return scores


def _numbers(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Convert numbers such as decimals to floats; raise an error for text."""
    try:
        if array.dtype.kind == "O" and not any(
            isinstance(value, str) for value in array.tolist()
        ):
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(
        f"{name} must have scores that are numbers, or true and false. Got values such as "
        f"{some_of(array[:1])}. Write 1 for a correct prediction and 0 for a wrong one."
    )


def checked_labels(name: str, values: Any) -> NDArray[Any]:
    """Check that ids, groups or other columns are numbers, dates or text, none missing."""
    array = as_array(values)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must have one value per row. Got an array of shape {array.shape}."
        )
    _check_no_missing(name, array, "Fill them in, or drop these rows.")
    if array.dtype.kind in "OT":
        items = array.tolist()
        kinds = {isinstance(item, str) for item in items}
        if len(kinds) > 1:
            raise ValueError(
                f"{name} must have values of one type. Got text and others mixed. Write "
                "all of them as text."
            )
        # Objects that are not text become numbers if possible.
        array = np.asarray(items)
    if array.dtype.kind not in "biufUSmM":
        raise ValueError(
            f"{name} must have numbers, dates or text. Got {array.dtype} such as "
            f"{array[0]!r}. Write them as text."
        )
    return array


def _check_no_missing(name: str, array: NDArray[Any], advice: str) -> None:
    missing = missing_in(array)
    if missing.any():
        raise ValueError(
            f"{name} must have a value in every row. Got {int(missing.sum())} missing "
            f"ones, the first at position {int(np.argmax(missing))}. {advice}"
        )


def checked_attempts(values: Any, n: int) -> IntArray:
    """Check the numbers of attempts of each system at each item, of shape (n_items, 2)."""
    if values is None:
        return np.ones((n, 2), dtype=np.int64)
    array = np.asarray(values)
    if array.shape != (n, 2) or array.dtype.kind not in "iu" or (array < 1).any():
        raise ValueError(
            f"`attempts` must be whole numbers of at least 1, of shape ({n}, 2): those of "
            f"champion and challenger at each item. Got {array.dtype} of shape "
            f"{array.shape}."
        )
    return array.astype(np.int64)


def check_length(name: str, values: NDArray[Any], n: int) -> None:
    """Check that an array has length `n`."""
    if len(values) != n:
        raise ValueError(
            f"{name} must have one entry for each of {n} others. Got {len(values)}. Give "
            "the item of each score, where the two systems have other rows."
        )


def check_each_once(ids: NDArray[Any]) -> None:
    """Check that each item occurs once."""
    distinct, counts = np.unique(ids, return_counts=True)
    if len(distinct) < len(ids):
        raise ValueError(
            f"Each of `items` must occur once. Got {some_of(distinct[counts > 1])} more "
            "often. Scores of several attempts go through ItemScores.from_scores."
        )


def check_names(names: Iterable[str]) -> tuple[str, str]:
    """Check the names of the two systems, and return them."""
    pair = (names,) if isinstance(names, str) else tuple(names)
    if len(pair) != 2 or not all(isinstance(name, str) and name.strip() for name in pair):
        raise ValueError(f"`names` must be two names, the champion's first. Got {names!r}.")
    return pair[0], pair[1]


def check_bounds(bounds: Any) -> tuple[float, float] | None:
    """Check the least and greatest possible score, and return them."""
    if bounds is None:
        return None
    pair = tuple(bounds) if isinstance(bounds, list | tuple | np.ndarray) else ()
    if (
        len(pair) != 2
        or not all(is_number(end) and math.isfinite(end) for end in pair)
        or not pair[0] < pair[1]
    ):
        raise ValueError(
            "`bounds` must be two finite numbers, the least and the greatest score that "
            f"there can be, such as (0, 1). Got {bounds!r}."
        )
    return float(pair[0]), float(pair[1])


def check_within(name: str, scores: FloatArray, bounds: tuple[float, float] | None) -> None:
    """Check that scores are within bounds."""
    if bounds is None:
        return
    outside = (scores < bounds[0]) | (scores > bounds[1])
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(
            f"{name} must have scores from {bounds[0]:g} to {bounds[1]:g}, as `bounds` "
            f"says. Got {int(outside.sum())} others, the first at position {at} "
            f"({scores[at]:g}). Correct the scores or the bounds."
        )


GROUPS = "groups"
"""Name of groups in arrays, which have no column."""


class Rows(NamedTuple):
    """Scores of one system; `text` is its name in messages."""

    text: str
    scores: FloatArray
    items: NDArray[Any]
    attempts: NDArray[Any] | None
    columns: dict[str, NDArray[Any]]


class JoinedItems(NamedTuple):
    """Items with the mean score and the number of attempts of both systems."""

    items: NDArray[Any]
    champion: FloatArray
    challenger: FloatArray
    attempts: IntArray
    columns: dict[str, NDArray[Any]]


def rows_of_arrays(
    scores: Sequence[Any], items: Any, own_items: Sequence[Any], groups: Any
) -> list[Rows]:
    """Return rows of champion and challenger from arrays."""
    have_items = [each is not None for each in own_items]
    if any(have_items) and (items is not None or not all(have_items)):
        raise ValueError(
            "Pass `items` where both systems have their scores in the same order, or both "
            "`champion_items` and `challenger_items`. Got another choice of the three."
        )
    rows: list[Rows] = []
    for role, values, role_items in zip(ROLES, scores, own_items, strict=True):
        numbers = checked_scores(f"`{role}`", values)
        n = len(numbers) if not rows else len(rows[0].scores)
        ids, name = (
            (items, "items") if role_items is None else (role_items, f"{role}_items")
        )
        if role_items is None:
            check_length(f"`{role}`", numbers, n)
        labels = np.arange(n) if ids is None else checked_labels(f"`{name}`", ids)
        check_length(f"`{name}`", labels, len(numbers))
        columns = {}
        if groups is not None and role == ROLES[0]:
            columns[GROUPS] = checked_labels("`groups`", groups)
            check_length("`groups`", columns[GROUPS], len(numbers))
        rows.append(Rows(f"`{role}`", numbers, labels, None, columns))
    return rows


def rows_of_frames(
    frames: Sequence[Any],
    score: Any,
    item: str,
    columns: Iterable[str],
    attempt: str | None,
) -> list[Rows]:
    """Return rows of champion and challenger from data frames or files."""
    scores = (score, score) if isinstance(score, str) else tuple(score)
    if len(scores) != 2 or not all(isinstance(name, str) for name in scores):
        raise ValueError(
            f"`score` must be a column, or a pair of them. Got {score!r}. Name the "
            "champion's first."
        )
    champion, challenger = frames
    first = source_of(champion, "the champion's frame")
    second = first
    if challenger is not None:
        second = source_of(challenger, "the challenger's frame")
    if first.key == second.key and scores[0] == scores[1]:
        raise ValueError(
            f"Champion and challenger must be two columns of scores. Got {scores[0]!r} of "
            f"{first.text} for both. Pass another frame or file for the challenger, or "
            "score=(champion's column, challenger's column)."
        )
    requested = dict.fromkeys(columns)
    rows = []
    for source, other, name in ((first, second, scores[0]), (second, first, scores[1])):
        # A fact of an item may be in one of the two files only.
        own_columns = [
            column
            for column in requested
            if column in source.names or column not in other.names
        ]
        rows.append(_rows_of(source, name, item, own_columns, attempt))
    return rows


def names_of(frames: Sequence[Any], score: Any) -> tuple[str, str]:
    """Return the names of the systems: paths of files, or columns of one data frame."""
    champion, challenger = (score, score) if isinstance(score, str) else score
    if frames[1] is None:
        return str(champion), str(challenger)
    paths = [os.fspath(frame) for frame in frames if isinstance(frame, str | os.PathLike)]
    if len(paths) == 2 and paths[0] != paths[1]:
        return str(paths[0]), str(paths[1])
    return (str(champion), str(challenger)) if champion != challenger else ROLES


def _rows_of(
    source: Source, score: str, item: str, columns: list[str], attempt: str | None
) -> Rows:
    labels = dict.fromkeys([item, *columns, *([] if attempt is None else [attempt])])
    if score in labels:
        raise ValueError(
            f"The scores must be in a column of their own. Got {score!r} of "
            f"{source.text} for scores and for something else."
        )
    for name in (score, *labels):
        check_column(source, name)
    try:
        arrays = columns_of(source, [score, *labels], as_written=set(labels))
    except ValueError as error:
        # Both files may have columns of the same names.
        if source.text in str(error):
            raise
        raise ValueError(f"{source.text}: {error}") from error
    template = f"Column {{}} of {source.text}"
    checked = {
        column: checked_labels(template.format(repr(column)), arrays[column])
        for column in labels
    }
    return Rows(
        source.text,
        checked_scores(template.format(repr(score)), arrays[score]),
        checked[item],
        None if attempt is None else checked[attempt],
        {name: checked[name] for name in columns},
    )


class _ByItem(NamedTuple):
    """Rows of one system, aggregated by item."""

    text: str
    items: NDArray[Any]
    means: FloatArray
    counts: IntArray
    columns: dict[str, NDArray[Any]]


def joined(champion: Rows, challenger: Rows, item: str) -> JoinedItems:
    """Join the items of both systems, sorted, with all columns about the items.

    Parameters
    ----------
    champion, challenger : Rows
        Rows in any order.
    item : str
        Name of the ids in messages.
    """
    a, b = _by_item(champion, item), _by_item(challenger, item)
    by_key: Any = {0: a, 1: b}
    ids = {key: {item: rows.items} for key, rows in by_key.items()}
    order = rows_by_id(by_key, ids, item).get(1, slice(None))
    columns = dict(a.columns)
    for name, values in b.columns.items():
        if name in columns:
            _check_same(name, item, a, columns[name], b.text, values[order])
        else:
            columns[name] = values[order]
    attempts = np.column_stack([a.counts, b.counts[order]])
    return JoinedItems(a.items, a.means, b.means[order], attempts, columns)


def _by_item(rows: Rows, item: str) -> _ByItem:
    items, first_rows, codes, counts = np.unique(
        rows.items, return_index=True, return_inverse=True, return_counts=True
    )
    if rows.attempts is not None:
        _check_attempts(rows, items, codes)
    columns = {}
    for name, values in rows.columns.items():
        columns[name] = values[first_rows]
        _check_constant(name, rows, values, columns[name][codes], item)
    return _ByItem(rows.text, items, _means(rows.scores, codes, counts), counts, columns)


def _means(scores: FloatArray, codes: IntArray, counts: IntArray) -> FloatArray:
    """Mean score of each item, the same for any order of the rows."""
    order = np.lexsort((scores, codes))
    scores = scores[order]
    last = np.cumsum(counts) - 1
    means = np.bincount(codes[order], scores) / counts
    # The mean of equal scores is exactly this score, despite rounding.
    return np.clip(means, scores[last - counts + 1], scores[last])


def _check_attempts(rows: Rows, items: NDArray[Any], codes: IntArray) -> None:
    assert rows.attempts is not None
    attempt_codes = np.unique(rows.attempts, return_inverse=True)[1]
    order = np.lexsort((attempt_codes, codes))
    is_repeated = (np.diff(codes[order]) == 0) & (np.diff(attempt_codes[order]) == 0)
    if is_repeated.any():
        repeated_items = np.unique(codes[order][1:][is_repeated])
        raise ValueError(
            f"Each attempt at an item must be there once. {rows.text} has one more often "
            f"for {some_ids(items[repeated_items])}. Drop rows that are there "
            "twice, or number the attempts."
        )


def _check_constant(
    name: str, rows: Rows, values: NDArray[Any], firsts: NDArray[Any], item: str
) -> None:
    differs = values != firsts
    if differs.any():
        at = int(np.argmax(differs))
        raise ValueError(
            f"Rows of one item must agree in {name!r}. In {rows.text} item "
            f"{some_of(rows.items[at : at + 1])} has {some_of(firsts[at : at + 1])} and "
            f"{some_of(values[at : at + 1])}. Correct it, or tell the items apart in "
            f"{item!r}."
        )


def _check_same(
    name: str,
    item: str,
    champion: _ByItem,
    values: NDArray[Any],
    challenger_label: str,
    challenger_values: NDArray[Any],
) -> None:
    if (values.dtype.kind in "US") != (challenger_values.dtype.kind in "US"):
        values, challenger_values = written(values), written(challenger_values)
    differs = values != challenger_values
    if differs.any():
        at = int(np.argmax(differs))
        raise ValueError(
            f"Both systems must agree in {name!r} of each item. Got {int(differs.sum())} "
            f"items that differ: {some_of(champion.items[at : at + 1])} has "
            f"{some_of(values[at : at + 1])} in {champion.text} and "
            f"{some_of(challenger_values[at : at + 1])} in "
            f"{challenger_label}. Correct one of them, or drop the column "
            f"from one. Items are those of {item!r}."
        )
