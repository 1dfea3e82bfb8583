"""Answers cluster by cluster, where records come in groups or are answered repeatedly."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, islice
from typing import Any, ClassVar

import numpy as np

from skcompare._core.design import HOLDOUT, Design, as_design
from skcompare._core.labels import check_labels, class_codes, encode_labels
from skcompare._core.validation import check_same_length, some_of
from skcompare._typing import ArrayLike, IntArray
from skcompare.evidence._agreement import check_classes
from skcompare.evidence._class_rows import ClassRows
from skcompare.evidence._cluster_cells import (
    ClusterCells,
    count_cells,
    merged_cells,
    tables_of,
)
from skcompare.evidence._cluster_checks import (
    ROLES,
    check_alike,
    check_answerers,
    check_each_once,
    check_repetition,
    check_tables,
    check_two,
    checked_labels,
    checked_tables,
    group_labels,
    group_positions,
    plain_list,
)
from skcompare.evidence._contingency import ContingencyTable, check_same_design
from skcompare.evidence._device_labels import counted_labels
from skcompare.evidence._frame_labels import ClusterFrames
from skcompare.evidence._merge import Mergeable
from skcompare.predictions import LABELS, PairedPredictions, Predictions

GROUPED_HOLDOUT = Design("holdout", grouped=True)
SWAPPED = [0, 2, 1, 3]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSums(ClusterFrames, Mergeable):
    """Answers of two or more classifiers, counted cluster by cluster.

    Records of one group (a patient's images, a user's messages, a document's sentences)
    tend to be answered alike, and so is a record that is answered in every repetition of
    a cross-validation. Such a cluster adds less than as many unrelated records would, and
    counts a cluster are all that a test needs in order to allow for it.

    Parameters
    ----------
    tables : array-like of shape (n_groups, 4), optional
        Records of each group that both, only the champion, only the challenger, or
        neither answered rightly. Follows from `cells` where these are given.
    groups : array-like of shape (n_groups,), optional
        Labels of the groups: numbers or strings, each once. None, with `cells` only,
        where every record is a cluster of its own.
    design : Design or str, default="grouped holdout"
        How the records were collected.
    classes : array-like of shape (n_classes,), optional
        Class labels, sorted, that `cells` are about.
    cells : array-like of shape (n_cells, 2 + n_classifiers), optional
        Positions of group (0 where there are none), of the true class and of each
        classifier's answer. Each cell occurs once.
    counts : array-like of shape (n_cells,), optional
        Answers to records in each cell.
    names : iterable of str, optional
        Names of the classifiers of `cells`; champion and challenger for two.

    Attributes
    ----------
    tables : ndarray of shape (n_groups, 4) or None
        The tables in the order of the sorted groups; None for more than two classifiers
        and where there are no groups.
    groups : ndarray of shape (n_groups,) or None
        The labels, sorted.
    cells, counts, classes : ndarray or None
        What there is of labels, sorted; None where only tables were given.

    Raises
    ------
    ValueError
        If a count is negative or not whole, a group has no record, or a label occurs
        twice.

    Examples
    --------
    >>> from skcompare.evidence import ClusterSums
    >>> sums = ClusterSums.from_predictions(
    ...     [0, 1, 1, 0],
    ...     [0, 0, 1, 1],
    ...     [0, 1, 1, 1],
    ...     groups=["ann", "ann", "bob", "bob"],
    ... )
    >>> sums.groups.tolist(), sums.tables.tolist()
    (['ann', 'bob'], [[1, 0, 1, 0], [1, 0, 0, 1]])
    >>> sums.differences.tolist(), sums.sizes.tolist()
    ([1, 0], [2, 2])

    .. versionadded:: 0.1
    """

    tables: IntArray = None  # type: ignore[assignment]
    groups: np.ndarray = None  # type: ignore[assignment]
    design: Design = GROUPED_HOLDOUT
    classes: np.ndarray = None  # type: ignore[assignment]
    cells: IntArray = None  # type: ignore[assignment]
    counts: IntArray = None  # type: ignore[assignment]
    names: tuple[str, ...] = ROLES

    wanted: ClassVar[frozenset[str]] = frozenset({LABELS})

    def __post_init__(self) -> None:
        with_labels = self.cells is not None
        groups, order = self.groups, np.zeros(1, dtype=np.int64)
        if groups is not None or not with_labels:
            groups = group_labels(groups)
            order = np.argsort(groups, kind="stable")
            groups = groups[order]
            check_each_once(groups)
        values: dict[str, Any] = {"groups": groups, "design": as_design(self.design)}
        if with_labels:
            values |= checked_labels(self, order)
        else:
            values |= {"tables": checked_tables(self, len(groups))[order]}
            values |= {"names": ROLES}
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f"groups=[{some_of(self.groups)}], "
        names = "" if self.n_classifiers == 2 else f"names={list(self.names)}, "
        return (
            f"ClusterSums(n_groups={self.n_groups}, n={self.n}, {groups}{names}"
            f"design={self.design.name!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusterSums):
            return NotImplemented
        return (self.design, self.names) == (other.design, other.names) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("groups", "tables", "classes", "cells", "counts")
        )

    def __hash__(self) -> int:
        known = (self.tables, self.cells, self.counts)
        return hash((self.design, *(None if a is None else a.tobytes() for a in known)))

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        return ClusterSums, tuple(getattr(self, f.name) for f in fields(self))

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        *answers: ArrayLike,
        groups: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> "ClusterSums":
        """Count the records of a hold-out set by group and by answers.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        *answers : array-like of shape (n_samples,)
            Predicted labels, an array a classifier; champion and challenger first.
        groups : array-like of shape (n_samples,), optional
            Group of each record: numbers or strings. By default every record is a
            cluster of its own.
        names : iterable of str, optional
            Names of the classifiers.
        """
        known = check_answerers(names, len(answers))
        whose = [f"answers of {name}" if len(known) > 2 else name for name in known]
        given = dict(zip(whose, answers, strict=True))
        (y_true, *rows), counts = counted_labels({"y_true": y_true}, given, groups=groups)
        truth = check_labels("y_true", y_true)
        clusters = {} if groups is None else {"groups": group_labels(rows.pop())}
        labels = dict(zip(whose, map(check_labels, whose, rows), strict=True))
        check_same_length({"y_true": truth} | labels | clusters)
        classes, codes = encode_labels(truth, labels)
        own, at = group_positions(clusters.get("groups"), len(truth))
        return cls._counted(classes, [[at, *codes]], own, known, None, counts)

    @classmethod
    def from_repeats(
        cls,
        y_true: ArrayLike,
        repeats: Iterable[Sequence[ArrayLike]],
        *,
        groups: ArrayLike | None = None,
        names: Iterable[str] | None = None,
        classes: ArrayLike | None = None,
        design: Design | str = "repeated kfold",
    ) -> "ClusterSums":
        """Count the answers of several repetitions, one repetition at a time.

        Each repetition answers every record, as repeated cross-validation does. The
        repetitions may come from a generator: only their counts are kept.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        repeats : iterable of sequences of array-like of shape (n_samples,)
            For each repetition the predicted labels of each classifier.
        groups : array-like of shape (n_samples,), optional
            Clusters of records. By default the answers to a record are its cluster.
        names : iterable of str, optional
            Names of the classifiers.
        classes : array-like of shape (n_classes,), optional
            All classes, where answers may be some that `y_true` lacks.
        design : Design or str, default="repeated kfold"
            How the records were split.

        Examples
        --------
        >>> from skcompare.evidence import ClusterSums
        >>> repeats = [([0, 1, 1], [0, 1, 0]), ([0, 0, 1], [0, 1, 1])]
        >>> sums = ClusterSums.from_repeats([0, 1, 1], repeats)
        >>> sums.n, sums.n_groups, sums.tables.tolist()
        (6, 3, [[2, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]])

        .. versionadded:: 0.1
        """
        truth = check_labels("y_true", y_true)
        clusters = np.arange(len(truth)) if groups is None else group_labels(groups)
        check_same_length(y_true=truth, groups=clusters)
        known = np.unique(truth) if classes is None else check_classes(classes)
        own, at = group_positions(clusters, len(truth))
        y = class_codes("y_true", truth, known)
        coming = iter(repeats)
        first = list(islice(coming, 1))
        who = check_answerers(names, len(first[0]) if first else 0)

        def parts() -> Iterator[list[IntArray]]:
            for answers in chain(first, coming):
                check_repetition(answers, who)
                given = dict(zip(who, answers, strict=True))
                labels = {name: check_labels(name, one) for name, one in given.items()}
                check_same_length({"y_true": truth} | labels)
                yield [at, y, *(class_codes(*pair, known) for pair in labels.items())]

        return cls._counted(known, parts(), own, who, as_design(design))

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "ClusterSums":
        """Count the answers of both, as :meth:`from_predictions_of` does."""
        return cls.from_predictions_of(pair.alone)

    @classmethod
    def from_predictions_of(cls, predictions: Predictions) -> "ClusterSums":
        """Count the answers of all test sets together, cluster by cluster.

        The clusters are the groups of the predictions, as positions in their sorted
        labels. Without groups they are the records, as positions, where some record is
        answered more than once, and otherwise every record is one of its own. Positions
        mean the same in shards of these predictions only; shards that were collected
        apart are merged by their labels, see :meth:`from_predictions`.
        """
        records, clusters = predictions.records, predictions.groups
        if clusters is not None:
            clusters = clusters if records is None else clusters[records]
        elif records is not None and np.bincount(records).max(initial=0) > 1:
            clusters = records
        codes = [one.known_labels() for one in predictions.answers]
        codes.insert(0, predictions.y_answered())
        own, at = group_positions(clusters, len(codes[0]))
        part = [at, *codes]
        who = predictions.names
        return cls._counted(predictions.classes, [part], own, who, predictions.design)

    @classmethod
    def _counted(
        cls,
        classes: np.ndarray,
        parts: Iterable[Sequence[IntArray]],
        groups: np.ndarray | None,
        names: tuple[str, ...],
        design: Design | None = None,
        repeats: IntArray | None = None,
    ) -> "ClusterSums":
        n_groups = 1 if groups is None else len(groups)
        shape = [n_groups, *[len(classes)] * (1 + len(names))]
        cells, counts = count_cells(parts, shape, repeats)
        if design is None:
            design = HOLDOUT if groups is None else GROUPED_HOLDOUT
        return cls(None, groups, design, classes, cells, counts, names)  # type: ignore[arg-type]

    @property
    def n(self) -> int:
        """Number of records, each as often as it was answered."""
        return int((self.tables if self.counts is None else self.counts).sum())

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers."""
        return len(self.names)

    @property
    def n_groups(self) -> int:
        """Number of clusters."""
        return self.n if self.groups is None else len(self.groups)

    @property
    def n_discordant(self) -> int:
        """Records that exactly one of the two answered rightly."""
        check_tables(self, "n_discordant")
        return int(self.tables[:, 1:3].sum())

    @property
    def sizes(self) -> IntArray:
        """Records of each group."""
        check_tables(self, "sizes")
        return self.tables.sum(axis=1)

    @property
    def differences(self) -> IntArray:
        """Records of each group that only the challenger got right, less the reverse."""
        check_tables(self, "differences")
        return self.tables[:, 2] - self.tables[:, 1]

    def check_tables(self, test: str) -> None:
        """Refuse sums that have no table of two classifiers for each group."""
        check_tables(self, test)

    def class_rows(self) -> ClassRows:
        """The answers class by class, for tests of precision."""
        if self.cells is None:
            raise ValueError(
                "Tables of right and wrong answers do not say which class was answered. "
                "Make the sums by ClusterSums.from_predictions(y_true, *answers)."
            )
        cluster = None if self.groups is None else self.cells[:, 0]
        return ClassRows.from_cells(self.classes, self.cells[:, 1:], self.counts, cluster)

    def contingency_table(self) -> ContingencyTable:
        """The records of all groups together."""
        check_two(self, "contingency_table")
        tables = self.tables
        if tables is None:
            tables = tables_of(ClusterCells(self.cells, self.counts), 1)
        both, first, second, neither = tables.sum(axis=0).tolist()
        return ContingencyTable(both, first, second, neither, self.design)

    def swap(self) -> "ClusterSums":
        """The classifiers in reverse order; of two, the roles exchanged."""
        if self.cells is None:
            return replace(self, tables=self.tables[:, SWAPPED])
        order = [0, 1, *range(self.cells.shape[1] - 1, 1, -1)]
        return replace(self, cells=self.cells[:, order], names=self.names[::-1])

    def __add__(self, other: object) -> "ClusterSums":
        if not isinstance(other, ClusterSums):
            return NotImplemented
        check_same_design(self, other)
        check_alike(self, other)
        groups = None if self.groups is None else np.union1d(self.groups, other.groups)
        if self.cells is not None:
            merged, classes = merged_cells(
                ClusterCells(self.cells, self.counts),
                ClusterCells(other.cells, other.counts),
                (self.classes, other.classes),
                None if groups is None else (self.groups, other.groups),
            )
            return replace(
                self,
                groups=groups,
                classes=classes,
                cells=merged.cells,
                counts=merged.counts,
            )
        tables = np.zeros((len(groups), 4), dtype=np.int64)
        for one in (self, other):
            tables[np.searchsorted(groups, one.groups)] += one.tables
        return replace(self, tables=tables, groups=groups)

    def to_dict(self) -> dict[str, Any]:
        """Counts, groups and design as plain values; dates as text."""
        if self.cells is None:
            kept: tuple[str, ...] = ("tables", "groups")
        else:
            kept = ("groups", "classes", "cells", "counts")
        values = {name: getattr(self, name) for name in kept}
        plain = {name: plain_list(value) for name, value in values.items()}
        names = {} if self.cells is None else {"names": list(self.names)}
        return plain | names | {"design": self.design.name}
