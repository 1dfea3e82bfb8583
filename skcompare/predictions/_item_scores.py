"""Scores of two systems for each item, such as a question, a task or a prompt."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import ArrayValues
from skcompare._core.design import (
    GROUPED_HOLDOUT,
    GROUPED_TIME_ORDERED,
    HOLDOUT,
    TIME_ORDERED_HOLDOUT,
    Design,
)
from skcompare._core.times import check_horizon, check_times
from skcompare._core.validation import (
    as_array,
    check_switches,
    is_number,
    missing_in,
    some_of,
)
from skcompare._io.columns import columns_of, source_of
from skcompare._io.readers import Source
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.predictions._from_frames import rows_by_id, some_ids, written
from skcompare.predictions._predictions import ROLES, fingerprint

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


def checked_facts(name: str, values: Any, n: int) -> NDArray[Any]:
    """Check ids, groups or other columns of `n` rows, by the name of the argument."""
    array = checked_labels(f"`{name}`", values)
    check_length(f"`{name}`", array, n)
    return array


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


GROUPS, TIME = "groups", "time"
"""Names of groups and times in arrays, which have no column."""


class Rows(NamedTuple):
    """Scores of one system; `text` is its name in messages."""

    text: str
    scores: FloatArray
    items: NDArray[Any]
    attempts: NDArray[Any] | None
    columns: dict[str, NDArray[Any]]


def rows_of_arrays(
    scores: Sequence[Any],
    items: Any,
    own_items: Sequence[Any],
    groups: Any,
    time: Any = None,
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
        ids, source = (
            (items, "items") if role_items is None else (role_items, f"{role}_items")
        )
        if role_items is None:
            check_length(f"`{role}`", numbers, n)
        labels = np.arange(n) if ids is None else checked_facts(source, ids, len(numbers))
        columns = {}
        for name, facts in ((GROUPS, groups), (TIME, time)):
            if facts is not None and role == ROLES[0]:
                columns[name] = checked_facts(name, facts, len(numbers))
        rows.append(Rows(f"`{role}`", numbers, labels, None, columns))
    return rows


def rows_of_frames(
    frames: Sequence[Any],
    score: Any,
    item: str,
    columns: Iterable[str],
    attempt: str | None,
    time: str | None = None,
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
        rows.append(_rows_of(source, name, item, own_columns, attempt, time))
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
    source: Source,
    score: str,
    item: str,
    columns: list[str],
    attempt: str | None,
    time: str | None = None,
) -> Rows:
    labels = dict.fromkeys([item, *columns, *([] if attempt is None else [attempt])])
    if score in labels:
        raise ValueError(
            f"The scores must be in a column of their own. Got {score!r} of "
            f"{source.text} for scores and for something else."
        )
    try:
        arrays = columns_of(source, [score, *labels], as_written=set(labels) - {time})
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


def _joined_columns(
    champion: _ByItem, challenger: _ByItem, order: Any, item: str
) -> dict[str, NDArray[Any]]:
    """Return all columns about the items, in the order of the champion's."""
    columns = dict(champion.columns)
    for name, values in challenger.columns.items():
        if name in columns:
            _check_same(name, item, champion, columns[name], challenger.text, values[order])
        else:
            columns[name] = values[order]
    return columns


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
            f"Each attempt at an item must occur once. {rows.text} has one more often for "
            f"{some_ids(items[repeated_items])}. Drop duplicate rows, or number the "
            "attempts."
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
            f"{some_of(values[at : at + 1])}. Correct it, or distinguish the items in "
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemScores(ArrayValues):
    """Scores of a champion and a challenger on the same items, such as questions.

    The systems need not be classifiers: language models, agents, translators, anything
    whose predictions are scored item by item, as correct or incorrect, in grades, or by a
    loss such as the absolute error of a number. Each item counts once, by the mean score of
    its attempts: several attempts at a question are not several questions.

    Constructed by :meth:`from_frames` from frames and files, such as JSON lines, and by
    :meth:`from_scores` from arrays.

    Parameters
    ----------
    items : array-like of shape (n_items,)
        Ids of the items, each once.
    champion, challenger : array-like of shape (n_items,)
        Mean score of the attempts at each item.
    attempts : array-like of shape (n_items, 2), optional
        Numbers of attempts of champion and challenger at each item; one each by default.
    groups : array-like of shape (n_items,), optional
        Group of each item: a document with several questions, a topic, a task that was
        written in several variants. Groups are independent, items of one group need not
        be.
    columns : mapping of str to array-like of shape (n_items,), optional
        Further facts about each item, for slices.
    names : pair of str, default=("champion", "challenger")
        Names of the two systems in reports.
    bounds : pair of float, optional
        Least and greatest possible score.
    greater_is_better : bool, default=True
        False for losses.
    time : array-like of shape (n_items,), optional
        Number or timestamp of each item, whose order then counts.
    horizon : int, default=1
        Time points by which forecasts are ahead.

    Raises
    ------
    ValueError
        If an id occurs twice, a score is not a finite number or is out of bounds, or
        lengths differ.

    Examples
    --------
    >>> from skcompare.predictions import ItemScores
    >>> scores = ItemScores.from_scores(
    ...     champion=[1, 0, 0, 1],
    ...     challenger=[1, 1, 0, 1, 1, 1],
    ...     champion_items=["q1", "q1", "q2", "q2"],
    ...     challenger_items=["q2", "q1", "q1", "q1", "q2", "q1"],
    ... )
    >>> scores
    ItemScores(n=2, attempts=(2, 2 to 4), champion=0.5, challenger=0.875)
    >>> scores.items.tolist(), scores.differences.tolist()
    (['q1', 'q2'], [0.25, 0.5])
    """

    items: np.ndarray
    champion: FloatArray
    challenger: FloatArray
    attempts: IntArray = None  # type: ignore[assignment]
    groups: np.ndarray | None = None
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)
    names: tuple[str, str] = ROLES
    bounds: tuple[float, float] | None = None
    greater_is_better: bool = True
    time: np.ndarray | None = None
    horizon: int = 1

    def __post_init__(self) -> None:
        items = checked_labels("`items`", self.items)
        check_each_once(items)
        bounds = check_bounds(self.bounds)
        values: dict[str, Any] = {"items": items}
        for role in ROLES:
            values[role] = checked_scores(f"`{role}`", getattr(self, role))
            check_length(f"`{role}`", values[role], len(items))
            check_within(f"`{role}`", values[role], bounds)
        values["attempts"] = checked_attempts(self.attempts, len(items))
        if self.groups is not None:
            values["groups"] = checked_facts(GROUPS, self.groups, len(items))
        if self.time is not None:
            values[TIME] = check_times(TIME, self.time)
            check_length("`time`", values[TIME], len(items))
        horizon = check_horizon(self.horizon, self.time)
        values = {name: _frozen(value) for name, value in values.items()}
        columns = {k: checked_facts(k, v, len(items)) for k, v in self.columns.items()}
        values["columns"] = {name: _frozen(value) for name, value in columns.items()}
        check_switches(greater_is_better=self.greater_is_better)
        values |= {"names": check_names(self.names), "bounds": bounds, "horizon": horizon}
        self._set(**values)

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f", n_groups={self.n_groups}"
        attempts = ", ".join(map(_range, self.attempts.T))
        tried = "" if self.attempts.max() == 1 else f", attempts=({attempts})"
        champion, challenger = self.means
        return (
            f"ItemScores(n={self.n}{tried}{groups}, champion={champion:.4g}, "
            f"challenger={challenger:.4g})"
        )

    @classmethod
    def from_scores(
        cls,
        champion: ArrayLike,
        challenger: ArrayLike,
        *,
        items: ArrayLike | None = None,
        champion_items: ArrayLike | None = None,
        challenger_items: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        bounds: tuple[float, float] | None = None,
        names: Iterable[str] = ROLES,
        greater_is_better: bool = True,
        time: ArrayLike | None = None,
        horizon: int = 1,
    ) -> "ItemScores":
        """Construct from arrays of scores, one entry per attempt.

        Parameters
        ----------
        champion : array-like of shape (n_champion,)
            Scores of the champion: numbers, or True and False.
        challenger : array-like of shape (n_challenger,)
            Scores of the challenger.
        items : array-like of shape (n_champion,), optional
            Item of each score, if both systems have their scores in the same order.
        champion_items : array-like of shape (n_champion,), optional
            Item of each score of the champion. Scores with the same item are attempts at
            it, of which each system may have any number.
        challenger_items : array-like of shape (n_challenger,), optional
            Item of each score of the challenger, in any order. Both systems must have the
            same items. Without items, each pair of scores is one item.
        groups : array-like of shape (n_champion,), optional
            Group of the item of each score of the champion.
        bounds : pair of float, optional
            Least and greatest possible score.
        names : pair of str, default=("champion", "challenger")
            Names of the two systems in reports.
        greater_is_better : bool, default=True
            False for losses, such as absolute errors.
        time : array-like of shape (n_champion,), optional
            Number or timestamp of the item of each score of the champion.
        horizon : int, default=1
            Time points by which forecasts are ahead.

        Returns
        -------
        scores : ItemScores
            In the order of the sorted ids.

        Raises
        ------
        ValueError
            If a score is not a finite number, an item is missing for one of the systems, or
            an item is in two groups, or at two times.
        """
        rows = rows_of_arrays(
            (champion, challenger), items, (champion_items, challenger_items), groups, time
        )
        group = None if groups is None else GROUPS
        order = (None if time is None else TIME, horizon)
        return cls._of(rows, "items", group, (), bounds, names, greater_is_better, order)

    @classmethod
    def from_frames(
        cls,
        champion: Any,
        challenger: Any = None,
        *,
        score: Any = "score",
        item: str = "item",
        group: str | None = None,
        attempt: str | None = None,
        columns: Iterable[str] = (),
        bounds: tuple[float, float] | None = None,
        names: Iterable[str] | None = None,
        greater_is_better: bool = True,
        time: str | None = None,
        horizon: int = 1,
    ) -> "ItemScores":
        """Construct from data frames or files of scores, one row per attempt.

        Parameters
        ----------
        champion : frame, str or path-like
            Rows of the champion: a frame of pandas, Polars, pyarrow or another library that
            narwhals knows, or the path of a file, such as JSON lines, CSV or Parquet.
        challenger : frame, str or path-like, optional
            Rows of the challenger, in any order. Left out if `score` names two columns of
            one frame.
        score : str or pair of str, default="score"
            Column of the scores; or that of the champion and that of the challenger.
        item : str, default="item"
            Column that identifies items. Rows with the same item are attempts at it.
        group : str, optional
            Column of the groups of items. One of two frames may lack it.
        attempt : str, optional
            Column that distinguishes attempts at one item, such as a number or a seed. A
            row that occurs twice by accident is then refused instead of counting as another
            attempt.
        columns : iterable of str, optional
            Further columns with facts about each item, for slices.
        bounds : pair of float, optional
            Least and greatest possible score.
        names : pair of str, optional
            Names of the two systems in reports; by default the paths of files, or the
            columns of one frame.
        greater_is_better : bool, default=True
            False for losses, such as absolute errors.
        time : str, optional
            Column of the time of items: numbers, timestamps, or text of ISO 8601. One of
            two frames may lack it.
        horizon : int, default=1
            Time points by which forecasts are ahead.

        Returns
        -------
        scores : ItemScores
            In the order of the sorted ids.

        Raises
        ------
        ValueError
            If there is no such column, a score is not a finite number, an item is missing
            for one of the systems, or group and time are not one for all rows of an item.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.predictions import ItemScores
        >>> old = pd.DataFrame({"item": ["a", "b", "c"], "score": [0.5, 0, 1]})
        >>> new = pd.DataFrame({"item": ["c", "b", "a"], "score": [1, 0.5, 1]})
        >>> ItemScores.from_frames(old, new).differences.tolist()
        [0.5, 0.5, 0.0]
        """
        frames, kept = (champion, challenger), tuple(columns)
        requested = (*(name for name in (group, time) if name is not None), *kept)
        rows = rows_of_frames(frames, score, item, requested, attempt, time)
        labels, order = names_of(frames, score) if names is None else names, (time, horizon)
        return cls._of(rows, item, group, kept, bounds, labels, greater_is_better, order)

    @classmethod
    def _of(
        cls,
        rows: list[Rows],
        item: str,
        group: str | None,
        kept: tuple[str, ...],
        bounds: Any,
        names: Iterable[str],
        greater_is_better: bool,
        order: tuple[str | None, int],
    ) -> "ItemScores":
        """Join rows by item; `order` has the column of times and the horizon."""
        bounds = check_bounds(bounds)
        for system_rows in rows:
            check_within(system_rows.text, system_rows.scores, bounds)
        champion, challenger = (_by_item(system_rows, item) for system_rows in rows)
        by_key: Any = {0: champion, 1: challenger}
        ids = {key: {item: by_item.items} for key, by_item in by_key.items()}
        places = rows_by_id(by_key, ids, item).get(1, slice(None))
        all_columns = _joined_columns(champion, challenger, places, item)
        time, horizon = order
        return cls(
            champion.items,
            champion.means,
            challenger.means[places],
            np.column_stack([champion.counts, challenger.counts[places]]),
            None if group is None else all_columns[group],
            {name: all_columns[name] for name in kept},
            check_names(names),
            bounds,
            greater_is_better,
            None if time is None else all_columns[time],
            horizon,
        )

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def n_attempts(self) -> tuple[int, int]:
        """Total numbers of attempts of champion and challenger."""
        champion, challenger = self.attempts.sum(axis=0).tolist()
        return champion, challenger

    @property
    def n_groups(self) -> int:
        """Number of groups, or of items if ungrouped."""
        return self.n if self.groups is None else len(np.unique(self.groups))

    @property
    def n_times(self) -> int | None:
        """Number of time points; None if the time of the items is unknown."""
        return None if self.time is None else len(np.unique(self.time))

    @property
    def means(self) -> tuple[float, float]:
        """Mean scores of champion and challenger over the items."""
        return float(self.champion.mean()), float(self.challenger.mean())

    @property
    def differences(self) -> FloatArray:
        """Score of the challenger minus the champion's for each item; of losses negated."""
        gains = self.challenger - self.champion
        return gains if self.greater_is_better else 0.0 - gains

    @property
    def right_or_wrong(self) -> bool:
        """Whether each system has one score per item, 1 (correct) or 0 (incorrect)."""
        once = self.greater_is_better and bool((self.attempts == 1).all())
        scores = (self.champion, self.challenger)
        return once and all(
            bool(np.isin(role_scores, (0.0, 1.0)).all()) for role_scores in scores
        )

    @property
    def design(self) -> Design:
        """Design of the items: a hold-out set, in the order of time, or grouped."""
        if self.time is not None:
            return TIME_ORDERED_HOLDOUT if self.groups is None else GROUPED_TIME_ORDERED
        return HOLDOUT if self.groups is None else GROUPED_HOLDOUT

    @property
    def fingerprint(self) -> str:
        """Digest of the items, groups and times, independent of the scores."""
        times = () if self.time is None else (self.time,)
        return fingerprint(self.items, self.groups, *times)

    def subset(self, keep: ArrayLike) -> "ItemScores":
        """Select items, such as those of one topic.

        Parameters
        ----------
        keep : array-like of bool of shape (n_items,)
            Mask of the items to keep.

        Returns
        -------
        scores : ItemScores
            The items of the mask, which :func:`~skcompare.compare_scores` compares.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.predictions import ItemScores
        >>> frame = pd.DataFrame({
        ...     "item": ["a", "b", "c"],
        ...     "topic": ["law", "law", "art"],
        ...     "old": [0, 1, 0],
        ...     "new": [1, 1, 0],
        ... })
        >>> scores = ItemScores.from_frames(frame, score=("old", "new"), columns=["topic"])
        >>> scores.subset(scores.columns["topic"] == "law").items.tolist()
        ['a', 'b']
        """
        kept = np.asarray(keep)
        if kept.shape != (self.n,) or kept.dtype != bool:
            raise ValueError(
                f"`keep` must be True or False for each of {self.n} items. Got "
                f"{kept.dtype} of shape {kept.shape}."
            )
        if not kept.any():
            raise ValueError(
                f"At least one of {self.n} items must be kept. Got none. Check the "
                "condition that selects them."
            )
        arrays = ("items", *ROLES, "attempts")
        return replace(
            self,
            **{name: getattr(self, name)[kept] for name in arrays},
            groups=None if self.groups is None else self.groups[kept],
            time=None if self.time is None else self.time[kept],
            columns={name: values[kept] for name, values in self.columns.items()},
        )

    def swap(self) -> "ItemScores":
        """Return the scores with the roles exchanged."""
        return replace(
            self,
            champion=self.challenger,
            challenger=self.champion,
            attempts=self.attempts[:, ::-1],
            names=self.names[::-1],
        )


def _frozen(array: np.ndarray) -> np.ndarray:
    if array.flags.writeable:
        array = array.copy()
        array.setflags(write=False)
    return array


def _range(counts: IntArray) -> str:
    least, most = int(counts.min()), int(counts.max())
    return f"{least}" if least == most else f"{least} to {most}"
