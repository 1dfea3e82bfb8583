"""Scores of two systems for each item, such as a question, a task or a prompt."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from skcompare._core.array_values import ArrayValues
from skcompare._core.design import HOLDOUT, Design
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.predictions._frozen_rules import ROLES
from skcompare.predictions._indexing import fingerprint
from skcompare.predictions.items._item_rows import (
    GROUPS,
    Rows,
    check_bounds,
    check_each_once,
    check_length,
    check_names,
    check_within,
    checked_attempts,
    checked_labels,
    checked_scores,
    joined,
    names_of,
    rows_of_arrays,
    rows_of_frames,
)

GROUPED_HOLDOUT = Design("holdout", grouped=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemScores(ArrayValues):
    """Scores of a champion and a challenger on the same items, such as questions.

    The systems need not be classifiers: language models, agents, translators, anything
    whose predictions are scored item by item, as correct or incorrect or in grades. A
    greater score is better. Each item counts once, by the mean score of its attempts:
    several attempts at a question are not several questions.

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

    Raises
    ------
    ValueError
        If an id occurs twice, a score is no finite number or is out of bounds, or lengths
        differ.

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
            values["groups"] = self._check_facts("groups", self.groups, len(items))
        values = {name: _frozen(value) for name, value in values.items()}
        columns = {k: self._check_facts(k, v, len(items)) for k, v in self.columns.items()}
        values["columns"] = {name: _frozen(value) for name, value in columns.items()}
        values |= {"names": check_names(self.names), "bounds": bounds}
        self._set(**values)

    @staticmethod
    def _check_facts(name: str, values: Any, n: int) -> np.ndarray:
        array = checked_labels(f"`{name}`", values)
        check_length(f"`{name}`", array, n)
        return array

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

        Returns
        -------
        scores : ItemScores
            In the order of the sorted ids.

        Raises
        ------
        ValueError
            If a score is no finite number, an item is missing for one of the systems, or
            an item is in two groups.
        """
        rows = rows_of_arrays(
            (champion, challenger), items, (champion_items, challenger_items), groups
        )
        group = None if groups is None else GROUPS
        return cls._of(rows, "items", group, (), bounds, names)

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

        Returns
        -------
        scores : ItemScores
            In the order of the sorted ids.

        Raises
        ------
        ValueError
            If there is no such column, a score is no finite number, an item is missing for
            one of the systems, or a group is not one for all rows of an item.

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
        requested = kept if group is None else (group, *kept)
        rows = rows_of_frames(frames, score, item, requested, attempt)
        labels = names_of(frames, score) if names is None else names
        return cls._of(rows, item, group, kept, bounds, labels)

    @classmethod
    def _of(
        cls,
        rows: list[Rows],
        item: str,
        group: str | None,
        kept: tuple[str, ...],
        bounds: Any,
        names: Iterable[str],
    ) -> "ItemScores":
        """Join rows by item."""
        bounds = check_bounds(bounds)
        for system_rows in rows:
            check_within(system_rows.text, system_rows.scores, bounds)
        items = joined(rows[0], rows[1], item)
        return cls(
            items.items,
            items.champion,
            items.challenger,
            items.attempts,
            None if group is None else items.columns[group],
            {name: items.columns[name] for name in kept},
            check_names(names),
            bounds,
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
    def means(self) -> tuple[float, float]:
        """Mean scores of champion and challenger over the items."""
        return float(self.champion.mean()), float(self.challenger.mean())

    @property
    def differences(self) -> FloatArray:
        """Score of the challenger minus that of the champion, for each item."""
        return self.challenger - self.champion

    @property
    def right_or_wrong(self) -> bool:
        """Whether each system has one score per item, 1 (correct) or 0 (incorrect)."""
        once = bool((self.attempts == 1).all())
        scores = (self.champion, self.challenger)
        return once and all(
            bool(np.isin(role_scores, (0.0, 1.0)).all()) for role_scores in scores
        )

    @property
    def design(self) -> Design:
        """Design of the items: a hold-out set, grouped if there are groups."""
        return HOLDOUT if self.groups is None else GROUPED_HOLDOUT

    @property
    def fingerprint(self) -> str:
        """Digest of the items and their groups, independent of the scores."""
        return fingerprint(self.items, self.groups)

    def subset(self, keep: ArrayLike) -> "ItemScores":
        """Select items, such as those of one topic.

        Parameters
        ----------
        keep : array-like of bool of shape (n_items,)
            Mask of the items to keep.
        """
        kept = np.asarray(keep)
        if kept.shape != (self.n,) or kept.dtype != bool:
            raise ValueError(
                f"`keep` must be True or False for each of {self.n} items. Got "
                f"{kept.dtype} of shape {kept.shape}."
            )
        if not kept.any():
            raise ValueError(
                f"At least one of {self.n} items must be kept. Got none. Look at the "
                "condition that chooses them."
            )
        return replace(
            self,
            items=self.items[kept],
            champion=self.champion[kept],
            challenger=self.challenger[kept],
            attempts=self.attempts[kept],
            groups=None if self.groups is None else self.groups[kept],
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
