"""Predictions by cluster, for grouped or repeatedly predicted records."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, ClassVar

import numpy as np

from skcompare._core.arrays import AS_DESIGN
from skcompare._core.design import GROUPED_HOLDOUT, HOLDOUT, Design, as_design
from skcompare._core.validation import (
    check_groups,
    check_labels,
    check_same_length,
    class_codes,
    encode_labels,
    some_of,
    united_classes,
)
from skcompare._typing import ArrayLike, IntArray
from skcompare.evidence.core._counting import (
    LARGEST_CODE,
    LARGEST_TABLE,
    MOST_RECORDS,
    CountedCells,
    added_cells,
    cell_digits,
    cell_numbers,
    check_classes,
    check_whole,
    groups_of,
    ordered_cells,
    sums_of,
)
from skcompare.evidence.core._storage import SAME_CLASSIFIERS, Mergeable, joined_groups
from skcompare.evidence.labels._class_moments import ClassRows
from skcompare.evidence.labels._class_order import counted_labels
from skcompare.evidence.labels._contingency import CELLS, ContingencyTable
from skcompare.evidence.labels._patterns import check_classifier_names
from skcompare.evidence.tally._tally import Tally, TallyRequest
from skcompare.evidence.tally._tally_engine import engine_tally
from skcompare.predictions import LABELS, ROLES, ColumnRoles, PairedPredictions, Predictions

AT_ONCE = 1 << 20
"""Predictions counted at once, so that memory does not grow with repetitions."""


def count_cells(
    parts: Iterable[Sequence[IntArray]],
    shape: Sequence[int],
    repeats: IntArray | None = None,
) -> CountedCells:
    """Count the cells of parts, which hold aligned codes below the numbers in `shape`.

    With `repeats`, the number of records of each row, there is one part, whose rows all
    differ.
    """
    if repeats is not None:
        (codes,) = parts
        return CountedCells(np.stack(codes, axis=1).astype(np.int64), repeats)
    n_cells = int(np.prod([float(size) for size in shape]))
    if n_cells > LARGEST_CODE:
        return _reduced(CountedCells(*_counted_rows(part)) for part in parts)
    dense = np.zeros(n_cells, dtype=np.int64) if n_cells <= LARGEST_TABLE else None
    pieces: list[CountedCells] = []
    for part in parts:
        for start in range(0, len(part[0]), AT_ONCE):
            codes = [column[start : start + AT_ONCE] for column in part]
            number = cell_numbers(codes, shape)
            if dense is not None and n_cells <= 16 * len(number):
                dense += np.bincount(number, minlength=n_cells)
            elif dense is not None:
                np.add.at(dense, number, 1)
            else:
                unique, counts = np.unique(number, return_counts=True)
                pieces.append(CountedCells(cell_digits(unique, shape), counts))
    if dense is not None:
        unique = np.flatnonzero(dense)
        return CountedCells(cell_digits(unique, shape), dense[unique])
    return _reduced(pieces)


def _counted_rows(part: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    rows = np.stack([column.astype(np.int64) for column in part], axis=1)
    return np.unique(rows, axis=0, return_counts=True)


def _reduced(pieces: Iterable[CountedCells]) -> CountedCells:
    """Merge pieces, adding the counts of equal cells."""
    total: CountedCells | None = None
    for piece in pieces:
        total = piece if total is None else added_cells(total, piece)
    if total is None:
        raise ValueError("There must be at least one set of predictions. Got none.")
    return total


def check_cells(cells: object, counts: object, shape: Sequence[int]) -> CountedCells:
    """Check cells and counts; return them sorted and without empty cells."""
    rows, records = np.asarray(cells), np.asarray(counts)
    whole = rows.ndim == 2 and rows.dtype.kind in "iu" and records.dtype.kind in "iu"
    if not whole or rows.shape != (len(records), len(shape)) or len(shape) < 4:
        raise ValueError(
            "`cells` must be positions of shape (n_cells, 2 + n_classifiers), and `counts` "
            f"whole numbers of shape (n_cells,). Got {rows.shape} of {rows.dtype} and "
            f"{records.shape} of {records.dtype}."
        )
    kept = records != 0
    rows, records = rows[kept].astype(np.int64), records[kept].astype(np.int64)
    if float(records.sum(dtype=float)) >= MOST_RECORDS:
        raise ValueError(
            f"`counts` must add up to less than {MOST_RECORDS:.3g} predictions. Got more."
        )
    if not len(rows) or records.min() < 0 or rows.min() < 0 or (rows >= shape).any():
        raise ValueError(
            "`cells` must be positions below the numbers of groups and classes, "
            f"{list(shape)}, and `counts` at least 0, one of them above 0. Got others."
        )
    return ordered_cells(rows, records, shape)


def tables_of(counted: CountedCells, n_groups: int) -> IntArray:
    """Return contingency tables of two classifiers, one row per group."""
    group, truth, first, second = counted.cells.T
    kind = 3 - 2 * (first == truth).astype(np.int64) - (second == truth)
    return sums_of(group * 4 + kind, counted.counts, 4 * n_groups).reshape(n_groups, 4)


def check_classifier_count(names: Iterable[str] | None, k: int) -> tuple[str, ...]:
    if k < 2:
        raise ValueError(
            f"Cluster sums need predictions of at least two classifiers. Got {k}. Pass one "
            "array of labels per classifier after `y_true`."
        )
    return check_classifier_names(ROLES if names is None and k == 2 else names, k)


def group_positions(groups: Any, n: int) -> tuple[np.ndarray | None, IntArray]:
    """Return the sorted distinct groups, and the position of each record's group or 0."""
    if groups is None:
        return None, np.zeros(n, dtype=np.int64)
    labels, codes = np.unique(groups, return_inverse=True)
    return labels, codes


def check_two(sums: "ClusterSums", name: str) -> None:
    if sums.n_classifiers != 2:
        raise ValueError(
            f"{name} needs predictions of two classifiers. Got {sums.n_classifiers}: "
            f"{', '.join(sums.names)}. Make sums of two of them."
        )


def plain_list(values: np.ndarray | None) -> list[Any] | None:
    """Convert an array to a list for JSON; dates become text."""
    if values is None:
        return None
    return (values.astype(str) if values.dtype.kind in "mMS" else values).tolist()


def checked_tables(sums: "ClusterSums", n_groups: int) -> IntArray:
    if sums.counts is not None or sums.classes is not None:
        raise ValueError(
            "`classes` and `counts` are about `cells`. Got None for `cells`. Pass all "
            "three, or `tables` and `groups` alone."
        )
    values = check_whole("tables", sums.tables)
    if values.ndim != 2 or values.shape[1] != 4 or values.shape[0] != n_groups:
        raise ValueError(
            f"`tables` must have shape (n_groups, 4) with one row per group. Got "
            f"{values.shape} and {n_groups} groups. The four counts are "
            f"{', '.join(CELLS)}."
        )
    empty = int((values.sum(axis=1) == 0).sum())
    if not n_groups or empty:
        raise ValueError(
            "Each group must have at least one record, and there must be a group. Got "
            f"{n_groups} groups, {empty} of them empty. Leave empty groups out."
        )
    return values


def check_each_once(groups: np.ndarray) -> None:
    repeated = groups[1:][groups[1:] == groups[:-1]]
    if len(repeated):
        raise ValueError(
            f"Each of `groups` must occur once. Got {some_of(np.unique(repeated))} more "
            "often. Add the tables of one group."
        )


def group_labels(groups: Any) -> np.ndarray:
    """Check groups; return them as an array of numbers or of strings."""
    if groups is None:
        raise ValueError(
            "`groups` must be the group of each record. Got None. Without groups, count "
            "with ContingencyTable and use a test of independent records."
        )
    return check_groups(groups).copy()


def checked_labels(sums: "ClusterSums", order: IntArray) -> dict[str, Any]:
    """Check cells, and return them with the fields derived from them, groups in order."""
    classes = check_classes("classes", sums.classes)
    width = np.shape(sums.cells)[-1] if np.ndim(sums.cells) == 2 else 0
    shape = [len(order), *[len(classes)] * max(0, width - 1)]
    cells, counts = check_cells(sums.cells, sums.counts, shape)
    if sums.groups is not None:
        new_positions = np.empty_like(order)
        new_positions[order] = np.arange(len(order))
        cells = np.column_stack([new_positions[cells[:, 0]], cells[:, 1:]])
        cells, counts = check_cells(cells, counts, shape)
        if len(np.unique(cells[:, 0])) < len(order):
            raise ValueError(
                "Each group must have at least one record. Got groups without one. Leave "
                "empty groups out."
            )
    tables = None
    if sums.groups is not None and width == 4:
        tables = tables_of(CountedCells(cells, counts), len(order))
    by_default = sums.names is None or (tuple(sums.names) == ROLES and width != 4)
    return {
        "classes": classes,
        "cells": cells,
        "counts": counts,
        "tables": tables,
        "names": check_classifier_count(None if by_default else sums.names, width - 2),
    }


def check_alike(left: "ClusterSums", right: "ClusterSums") -> None:
    """Raise an error unless sums have the same classifiers and are of one kind."""
    if (left.cells is None) != (right.cells is None) or (left.groups is None) != (
        right.groups is None
    ):
        raise ValueError(
            "Only sums of one kind can be merged: both with labels or both of tables, both "
            "with groups or both without. Make both in the same way."
        )
    left._check_same("names", right, SAME_CLASSIFIERS)


SWAPPED = [0, 2, 1, 3]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSums(Mergeable):
    """Predictions of two or more classifiers, counted by cluster.

    Records of one group (a patient's images, a user's messages, a document's sentences)
    tend to be predicted alike, as are the predictions for one record in the repetitions of
    a cross-validation. Such a cluster adds less information than the same number of
    independent records, and a test only needs the counts of each cluster to allow for it.

    Parameters
    ----------
    tables : array-like of shape (n_groups, 4), optional
        Records of each group that both, only the champion, only the challenger, or
        neither predicted correctly. Follows from `cells` where these are passed.
    groups : array-like of shape (n_groups,), optional
        Labels of the groups: numbers or strings, each once. None, with `cells` only,
        where every record is a cluster of its own.
    design : Design or str, default="grouped holdout"
        How the records were collected.
    classes : array-like of shape (n_classes,), optional
        Class labels, sorted, that `cells` are about.
    cells : array-like of shape (n_cells, 2 + n_classifiers), optional
        Positions of group (0 where there are none), of the true class and of each
        classifier's prediction. Each cell occurs once.
    counts : array-like of shape (n_cells,), optional
        Records in each cell, each as often as it was predicted.
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
        Counts of labels, sorted; None where only tables were passed.

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
    """

    tables: IntArray = None  # type: ignore[assignment]
    groups: np.ndarray = None  # type: ignore[assignment]
    design: Design = field(default=GROUPED_HOLDOUT, metadata=AS_DESIGN)
    classes: np.ndarray = None  # type: ignore[assignment]
    cells: IntArray = None  # type: ignore[assignment]
    counts: IntArray = None  # type: ignore[assignment]
    names: tuple[str, ...] = ROLES

    required: ClassVar[frozenset[str]] = frozenset({LABELS})

    def _check_together(self) -> None:
        with_labels = self.cells is not None
        groups, order = self.groups, np.zeros(1, dtype=np.int64)
        if groups is not None or not with_labels:
            groups = group_labels(groups)
            order = np.argsort(groups, kind="stable")
            groups = groups[order]
            check_each_once(groups)
        values: dict[str, Any] = {"groups": groups}
        if with_labels:
            values |= checked_labels(self, order)
        else:
            values |= {"tables": checked_tables(self, len(groups))[order]}
            values |= {"names": ROLES}
        self._set(**values)

    @classmethod
    def from_tally(cls, tally: Tally) -> "ClusterSums":
        """Construct from a tally of labels; records without groups are clusters of one."""
        names = ["y", "label_0", "label_1"]
        grouped = tally.groups is not None
        tallied = tally.cells(["group", *names] if grouped else names)
        codes = [tallied.keys[name] for name in names]
        group = tallied.keys["group"] if grouped else np.zeros_like(codes[0])
        cells = np.column_stack([group, *codes])
        return cls(
            groups=tally.groups,  # type: ignore[arg-type]
            design=tally.plan.design,
            classes=tally.classes,
            cells=cells,
            counts=tallied.counts,
            names=tally.names,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        groups: Any,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        id: str | None = None,
    ) -> "ClusterSums":
        """Count the records of a hold-out set by group, from data frames or files.

        An engine counts its own records, by one group-by: one cell for each group and
        pair of predictions comes back. See :doc:`/user_guide/large_data`.

        Parameters
        ----------
        frame, y_true, champion, challenger, id
            As for :meth:`JointCounts.from_frame`.
        groups : str or tuple
            Column of the group (patient, user) of each record.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import ClusterSums
        >>> frame = pd.DataFrame({
        ...     "y": [0, 1, 1, 0],
        ...     "a": [0, 0, 1, 1],
        ...     "b": [0, 1, 1, 1],
        ...     "user": ["ann", "ann", "bob", "bob"],
        ... })
        >>> ClusterSums.from_frame(frame, groups="user").tables.tolist()
        [[1, 0, 1, 0], [1, 0, 0, 1]]
        """
        columns = {"champion": champion, "challenger": challenger}
        roles = ColumnRoles(frame, y_true, columns, id, groups, kind=LABELS)
        tally = engine_tally(roles, TallyRequest(labels=True))
        if tally is not None:
            return cls.from_tally(tally)
        truth, arrays, group, *_ = roles.read()
        return cls.from_predictions(truth, *arrays.values(), groups=group)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f"groups=[{some_of(self.groups)}], "
        names = "" if self.n_classifiers == 2 else f"names={list(self.names)}, "
        return (
            f"ClusterSums(n_groups={self.n_groups}, n={self.n}, {groups}{names}"
            f"design={self.design.name!r})"
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        *predictions: ArrayLike,
        groups: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> "ClusterSums":
        """Count the records of a hold-out set by group and by predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        *predictions : array-like of shape (n_samples,)
            Predicted labels, one array per classifier; champion and challenger first.
        groups : array-like of shape (n_samples,), optional
            Group of each record: numbers or strings. By default every record is a
            cluster of its own.
        names : iterable of str, optional
            Names of the classifiers.
        """
        classifiers = check_classifier_count(names, len(predictions))
        titles = [
            f"predictions of {name}" if len(classifiers) > 2 else name
            for name in classifiers
        ]
        by_title = dict(zip(titles, predictions, strict=True))
        (truth, *rows), counts = counted_labels({"y_true": y_true}, by_title, groups=groups)
        clusters = None if groups is None else rows.pop()
        classes, codes = encode_labels(truth, dict(zip(titles, rows, strict=True)))
        group_names, positions = group_positions(clusters, len(truth))
        return cls._counted(
            classes, [[positions, *codes]], group_names, classifiers, None, counts
        )

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
        """Count the predictions of several repetitions, one repetition at a time.

        Each repetition predicts every record, as repeated cross-validation does. The
        repetitions may come from a generator: only their counts are kept.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        repeats : iterable of sequences of array-like of shape (n_samples,)
            For each repetition the predicted labels of each classifier.
        groups : array-like of shape (n_samples,), optional
            Clusters of records. By default the predictions of a record are a cluster.
        names : iterable of str, optional
            Names of the classifiers.
        classes : array-like of shape (n_classes,), optional
            All classes, where `y_true` may lack some that are predicted.
        design : Design or str, default="repeated kfold"
            How the records were split.

        Examples
        --------
        >>> from skcompare.evidence import ClusterSums
        >>> repeats = [([0, 1, 1], [0, 1, 0]), ([0, 0, 1], [0, 1, 1])]
        >>> sums = ClusterSums.from_repeats([0, 1, 1], repeats)
        >>> sums.n, sums.n_groups, sums.tables.tolist()
        (6, 3, [[2, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]])
        """
        truth = check_labels("y_true", y_true)
        clusters = np.arange(len(truth)) if groups is None else group_labels(groups)
        check_same_length(y_true=truth, groups=clusters)
        all_classes = (
            np.unique(truth) if classes is None else check_classes("classes", classes)
        )
        group_names, positions = group_positions(clusters, len(truth))
        y = class_codes("y_true", truth, all_classes)
        remaining = iter(repeats)
        first = list(islice(remaining, 1))
        classifiers = check_classifier_count(names, len(first[0]) if first else 0)

        def parts() -> Iterator[list[IntArray]]:
            for repetition in chain(first, remaining):
                if len(repetition) != len(classifiers):
                    raise ValueError(
                        f"Each repetition must have predictions of {len(classifiers)} "
                        f"classifiers: {', '.join(classifiers)}. Got {len(repetition)}."
                    )
                predictions = dict(zip(classifiers, repetition, strict=True))
                labels = {
                    name: check_labels(name, values) for name, values in predictions.items()
                }
                check_same_length({"y_true": truth} | labels)
                yield [
                    positions,
                    y,
                    *(class_codes(*pair, all_classes) for pair in labels.items()),
                ]

        return cls._counted(
            all_classes, parts(), group_names, classifiers, as_design(design)
        )

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "ClusterSums":
        """Count the predictions of a pair, as :meth:`from_predictions_of` does."""
        return cls.from_predictions_of(pair.alone)

    @classmethod
    def from_predictions_of(cls, predictions: Predictions) -> "ClusterSums":
        """Count the pooled predictions of all test sets, by cluster.

        The clusters are the groups of the predictions, as positions in their sorted
        labels. Without groups they are the records, as positions, where some record is
        predicted more than once, and otherwise every record is one of its own. Positions
        mean the same in shards of these predictions only; shards that were collected
        apart are merged by their labels, see :meth:`from_predictions`.
        """
        records, clusters = predictions.records, groups_of(predictions)
        if clusters is None and records is not None and np.bincount(records).max() > 1:
            clusters = records
        codes = [classifier.known_labels() for classifier in predictions.estimators]
        codes.insert(0, predictions.y_predicted())
        group_names, positions = group_positions(clusters, len(codes[0]))
        part = [positions, *codes]
        names = predictions.names
        return cls._counted(
            predictions.classes, [part], group_names, names, predictions.design
        )

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
        """Number of records, each counted once per prediction."""
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
        """Number of records that exactly one of the classifiers predicted correctly."""
        self.check_tables("n_discordant")
        return int(self.tables[:, 1:3].sum())

    @property
    def sizes(self) -> IntArray:
        """Number of records in each group."""
        self.check_tables("sizes")
        return self.tables.sum(axis=1)

    @property
    def differences(self) -> IntArray:
        """Correct predictions of the challenger minus those of the champion, by group."""
        self.check_tables("differences")
        return self.tables[:, 2] - self.tables[:, 1]

    def check_tables(self, test: str) -> None:
        """Raise an error unless each group has a table of two classifiers."""
        check_two(self, test)
        if self.tables is None:
            raise ValueError(
                "The predictions have no groups. Pass `groups`, the group of each record, "
                "or use a test of independent records, such as mcnemar."
            )

    def class_rows(self) -> ClassRows:
        """Return the predictions by class, for tests of precision."""
        if self.cells is None:
            raise ValueError(
                "Tables of correct and incorrect predictions do not say which class was "
                "predicted. Make the sums by ClusterSums.from_predictions(y_true, "
                "*predictions)."
            )
        cluster = None if self.groups is None else self.cells[:, 0]
        return ClassRows.from_cells(self.classes, self.cells[:, 1:], self.counts, cluster)

    def contingency_table(self) -> ContingencyTable:
        """Return the contingency table of the records of all groups together."""
        check_two(self, "contingency_table")
        tables = self.tables
        if tables is None:
            tables = tables_of(CountedCells(self.cells, self.counts), 1)
        both, first, second, neither = tables.sum(axis=0).tolist()
        return ContingencyTable(both, first, second, neither, self.design)

    def swap(self) -> "ClusterSums":
        """Reverse the order of the classifiers; exchange the roles if there are two."""
        if self.cells is None:
            return replace(self, tables=self.tables[:, SWAPPED])
        order = [0, 1, *range(self.cells.shape[1] - 1, 1, -1)]
        return replace(self, cells=self.cells[:, order], names=self.names[::-1])

    def _merged(self, other: "ClusterSums") -> "ClusterSums":
        check_alike(self, other)
        together = joined_groups(self.groups, other.groups)
        groups: Any = None if together is None else np.unique(together)
        if self.cells is None:
            tables = np.zeros((len(groups), 4), dtype=np.int64)
            for sums in (self, other):
                tables[np.searchsorted(groups, sums.groups)] += sums.tables
            return replace(self, tables=tables, groups=groups)
        classes = united_classes(self.classes, other.classes)
        shards = []
        for sums in (self, other):
            group, codes = sums.cells[:, 0], sums.cells[:, 1:]
            if groups is not None:
                group = np.searchsorted(groups, sums.groups)[group]
            codes = np.searchsorted(classes, sums.classes)[codes]
            shards.append(CountedCells(np.column_stack([group, codes]), sums.counts))
        cells, counts = added_cells(*shards)
        return replace(self, groups=groups, classes=classes, cells=cells, counts=counts)

    def to_dict(self) -> dict[str, Any]:
        """Return counts, groups and design as plain values, with dates as text."""
        if self.cells is None:
            kept: tuple[str, ...] = ("tables", "groups")
        else:
            kept = ("groups", "classes", "cells", "counts")
        values = {name: plain_list(getattr(self, name)) for name in kept}
        if self.cells is not None:
            values["names"] = list(self.names)
        return values | {"design": self.design.name}
