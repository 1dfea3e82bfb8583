"""Who was right, group by group, where records come in groups that belong together."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from skcompare._design import Design, as_design
from skcompare._labels import check_groups, check_labels, classes_of
from skcompare._typing import ArrayLike, IntArray
from skcompare._validation import check_same_length, some_of
from skcompare.evidence._agreement import check_whole
from skcompare.evidence._contingency import (
    CELLS,
    ContingencyTable,
    check_same_design,
    labels_of,
)
from skcompare.evidence._merge import Mergeable
from skcompare.predictions import LABELS, PairedPredictions

__all__ = ["ClusterSums"]

GROUPED_HOLDOUT = Design("holdout", grouped=True)
SWAPPED = [0, 2, 1, 3]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSums(Mergeable):
    """Right and wrong answers of two classifiers, counted group by group.

    Records of one group (a patient's images, a user's messages, a document's sentences)
    tend to be answered alike, so a group adds less than as many unrelated records would.
    A table a group is all that a test needs in order to allow for it.

    Parameters
    ----------
    tables : array-like of shape (n_groups, 4)
        Records of each group that both, only the champion, only the challenger, or
        neither answered rightly.
    groups : array-like of shape (n_groups,)
        Labels of the groups: numbers or strings, each once.
    design : Design or str, default="grouped holdout"
        How the records were collected.

    Attributes
    ----------
    tables : ndarray of shape (n_groups, 4)
        The tables in the order of the sorted groups.
    groups : ndarray of shape (n_groups,)
        The labels, sorted.

    Raises
    ------
    ValueError
        If a count is negative or not whole, a group has no record, or a label occurs
        twice.

    Examples
    --------
    >>> from skcompare.evidence import ClusterSums
    >>> sums = ClusterSums.from_predictions(
    ...     y_true=[0, 1, 1, 0],
    ...     champion=[0, 0, 1, 1],
    ...     challenger=[0, 1, 1, 1],
    ...     groups=["ann", "ann", "bob", "bob"],
    ... )
    >>> sums.groups.tolist(), sums.tables.tolist()
    (['ann', 'bob'], [[1, 0, 1, 0], [1, 0, 0, 1]])
    >>> sums.differences.tolist(), sums.sizes.tolist()
    ([1, 0], [2, 2])

    .. versionadded:: 0.1
    """

    tables: IntArray
    groups: np.ndarray
    design: Design = GROUPED_HOLDOUT

    wanted: ClassVar[frozenset[str]] = frozenset({LABELS})

    def __post_init__(self) -> None:
        tables = check_whole("tables", self.tables)
        groups = _group_labels(self.groups)
        if tables.ndim != 2 or tables.shape[1] != 4 or tables.shape[0] != len(groups):
            raise ValueError(
                f"`tables` must have shape (n_groups, 4) with a row a group. Got "
                f"{tables.shape} and {len(groups)} groups. The four counts are "
                f"{', '.join(CELLS)}."
            )
        if not len(groups) or (tables.sum(axis=1) == 0).any():
            raise ValueError(
                "Each group must have at least one record, and there must be a group. Got "
                f"{len(groups)} groups, {int((tables.sum(axis=1) == 0).sum())} of them "
                "empty. Leave empty groups out."
            )
        order = np.argsort(groups, kind="stable")
        tables, groups = tables[order], groups[order]
        twice = groups[1:][groups[1:] == groups[:-1]]
        if len(twice):
            raise ValueError(
                f"Each of `groups` must occur once. Got {some_of(np.unique(twice))} more "
                "often. Add the tables of one group."
            )
        for array in (tables, groups):
            array.setflags(write=False)
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "design", as_design(self.design))

    def __repr__(self) -> str:
        return (
            f"ClusterSums(n_groups={self.n_groups}, n={self.n}, "
            f"groups=[{some_of(self.groups)}], design={self.design.name!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusterSums):
            return NotImplemented
        return (
            self.design == other.design
            and np.array_equal(self.groups, other.groups)
            and np.array_equal(self.tables, other.tables)
        )

    def __hash__(self) -> int:
        return hash((self.design, self.tables.tobytes()))

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        return ClusterSums, (self.tables, self.groups, self.design)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        champion: ArrayLike,
        challenger: ArrayLike,
        groups: ArrayLike,
    ) -> "ClusterSums":
        """Count the records of a hold-out set by group and by who was right.

        Parameters
        ----------
        y_true, champion, challenger : array-like of shape (n_samples,)
            True and predicted labels.
        groups : array-like of shape (n_samples,)
            Group of each record: numbers or strings.
        """
        truth = check_labels("y_true", y_true)
        first = check_labels("champion", champion)
        second = check_labels("challenger", challenger)
        own = _group_labels(groups)
        check_same_length(y_true=truth, champion=first, challenger=second, groups=own)
        classes_of(truth, champion=first, challenger=second)
        labels, codes = np.unique(own, return_inverse=True)
        return cls(_count(first == truth, second == truth, codes, len(labels)), labels)

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "ClusterSums":
        """Count the answers of all test sets together, group by group.

        The groups are those of the predictions, positions in their sorted labels. They
        mean the same in shards of these predictions only; shards that were collected
        apart are merged by their labels, see :meth:`from_predictions`.
        """
        predictions = pair.predictions
        if predictions.groups is None:
            raise ValueError(
                "The predictions have no groups. Pass `groups`, the group of each record, "
                "or use a test of independent records, such as mcnemar."
            )
        own = predictions.groups
        if predictions.records is not None:
            own = own[predictions.records]
        y_true = predictions.y_answered()
        first, second = (labels_of(pair, role) == y_true for role in (0, 1))
        labels, codes = np.unique(own, return_inverse=True)
        return cls(_count(first, second, codes, len(labels)), labels, pair.design)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.tables.sum())

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.groups)

    @property
    def n_discordant(self) -> int:
        """Records that exactly one of the two answered rightly."""
        return int(self.tables[:, 1:3].sum())

    @property
    def sizes(self) -> IntArray:
        """Records of each group."""
        return self.tables.sum(axis=1)

    @property
    def differences(self) -> IntArray:
        """Records of each group that only the challenger got right, less the reverse."""
        return self.tables[:, 2] - self.tables[:, 1]

    def contingency_table(self) -> ContingencyTable:
        """The records of all groups together."""
        both, first, second, neither = self.tables.sum(axis=0).tolist()
        return ContingencyTable(both, first, second, neither, self.design)

    def swap(self) -> "ClusterSums":
        """The counts with the roles exchanged."""
        return replace(self, tables=self.tables[:, SWAPPED])

    def __add__(self, other: object) -> "ClusterSums":
        if not isinstance(other, ClusterSums):
            return NotImplemented
        check_same_design(self, other)
        if _is_text(self.groups) != _is_text(other.groups):
            raise ValueError(
                "Only groups with labels of one type can be merged. Got "
                f"{some_of(self.groups)} and {some_of(other.groups)}. Convert one of them."
            )
        groups = np.union1d(self.groups, other.groups)
        tables = np.zeros((len(groups), 4), dtype=np.int64)
        for one in (self, other):
            tables[np.searchsorted(groups, one.groups)] += one.tables
        return ClusterSums(tables, groups, self.design)

    def to_dict(self) -> dict[str, Any]:
        """Counts, groups and design as plain values."""
        return {
            "tables": self.tables.tolist(),
            "groups": self.groups.tolist(),
            "design": self.design.name,
        }


def _count(first: Any, second: Any, codes: Any, n_groups: int) -> IntArray:
    kind = 3 - 2 * first.astype(np.int64) - second
    return np.bincount(codes * 4 + kind, minlength=4 * n_groups).reshape(n_groups, 4)


def _is_text(labels: np.ndarray) -> bool:
    return labels.dtype.kind in "US"


def _group_labels(groups: Any) -> np.ndarray:
    """Groups as an array of numbers or of strings."""
    if groups is None:
        raise ValueError(
            "`groups` must be the group of each record. Got None. Without groups, count "
            "with ContingencyTable and use a test of independent records."
        )
    return check_groups(groups).copy()
