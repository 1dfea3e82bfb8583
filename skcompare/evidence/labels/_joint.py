"""Counts of records by both predicted labels, and by the true labels too."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from skcompare._core.arrays import AS_DESIGN, array_of
from skcompare._core.design import HOLDOUT, Design
from skcompare._core.validation import (
    check_labels,
    class_codes,
    encode_labels,
    some_of,
    united_classes,
)
from skcompare._typing import ArrayLike, IntArray
from skcompare.evidence.core._counting import (
    LARGEST_TABLE,
    CountedCells,
    added_cells,
    cell_numbers,
    check_classes,
    check_whole,
    count_codes,
    ordered_cells,
    sums_of,
)
from skcompare.evidence.core._storage import Mergeable
from skcompare.evidence.labels._class_moments import ClassRows
from skcompare.evidence.labels._class_order import counted_labels
from skcompare.evidence.labels._contingency import ContingencyTable, labels_of
from skcompare.evidence.tally._tally import Tally, TallyRequest
from skcompare.evidence.tally._tally_engine import engine_tally
from skcompare.predictions import LABELS, ColumnRoles, PairedPredictions

FEW_CLASSES, MOST_CLASSES = 10, 5000
"""Most classes of a matrix that is shown whole, and of any matrix."""


@dataclass(frozen=True, slots=True, eq=False)
class AgreementMatrix(Mergeable):
    """Agreement matrix: counts of records by the labels that two classifiers predict.

    It shows where two classifiers disagree, and whether they predict the classes equally
    often; not which of them is correct. It needs no true labels, so a live stream that
    both classifiers predict is enough.

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_classes)
        Records by the champion's (rows) and the challenger's (columns) prediction.
    classes : array-like of shape (n_classes,)
        Class labels, sorted. A class that neither predicts adds nothing.
    design : Design or str, default="holdout"
        How the records were collected.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> matrix = AgreementMatrix.from_predictions(["a", "b", "b"], ["a", "c", "b"])
    >>> matrix.classes.tolist(), matrix.counts.tolist()
    (['a', 'b', 'c'], [[1, 0, 0], [0, 1, 1], [0, 0, 0]])
    """

    counts: IntArray = field(
        metadata=array_of(check_whole, "n_classes", "n_classes") | {"swap": np.transpose}
    )
    classes: np.ndarray = field(metadata=array_of(check_classes, "n_classes"))
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)

    required: ClassVar[frozenset[str]] = frozenset({LABELS})
    needs_truth: ClassVar[bool] = False

    def _check_together(self) -> None:
        if not self.counts.any():
            raise ValueError(
                "An agreement matrix needs at least one record. Got only zeros."
            )

    def __repr__(self) -> str:
        counts = self.counts.tolist() if len(self.classes) <= FEW_CLASSES else "..."
        return (
            f"AgreementMatrix({counts}, [{some_of(self.classes)}], n={self.n}, "
            f"design={self.design.name!r})"
        )

    @classmethod
    def from_predictions(
        cls,
        champion: ArrayLike,
        challenger: ArrayLike,
        *,
        labels: ArrayLike | None = None,
    ) -> "AgreementMatrix":
        """Count the records by both predicted labels.

        Parameters
        ----------
        champion, challenger : array-like of shape (n_samples,)
            Predicted labels.
        labels : array-like of shape (n_classes,), optional
            All class labels; by default those that either classifier predicts.
        """
        (first, second), counts = counted_labels(
            {}, {"champion": champion, "challenger": challenger}
        )
        if labels is None:
            classes, codes = encode_labels(
                first, {"challenger": second}, reference="champion"
            )
        else:
            classes = np.unique(check_labels("labels", labels))
            codes = [
                class_codes("champion", first, classes),
                class_codes("challenger", second, classes),
            ]
        return cls(_square(codes, len(classes), counts), classes)

    @classmethod
    def from_frame(
        cls, frame: Any, *, champion: Any, challenger: Any, id: str | None = None
    ) -> "AgreementMatrix":
        """Count the records by both predicted labels, from data frames or files.

        Parameters
        ----------
        frame : frame, str or path-like
            A frame, or the path of a file, such as CSV or Parquet.
        champion, challenger : str or tuple
            Columns of predicted labels; a pair `(other_frame, column)` takes one from
            another frame or file.
        id : str, optional
            Column that identifies records, as in :meth:`JointCounts.from_frame`.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import AgreementMatrix
        >>> frame = pd.DataFrame({"old": [0, 1, 1], "new": [0, 1, 0]})
        >>> AgreementMatrix.from_frame(frame, champion="old", challenger="new")
        AgreementMatrix([[1, 0], [1, 1]], [0, 1], n=3, design='holdout')
        """
        columns = {"champion": champion, "challenger": challenger}
        roles = ColumnRoles(frame, None, columns, id, kind=LABELS)
        return cls.from_predictions(*roles.read().predictions.values())

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "AgreementMatrix":
        """Count the pooled predictions of all test sets, over all known classes."""
        codes = [labels_of(pair, 0), labels_of(pair, 1)]
        classes = pair.predictions.classes
        return cls(_square(codes, len(classes)), classes, pair.design)

    @classmethod
    def from_tally(cls, tally: Tally) -> "AgreementMatrix":
        """Construct from a tally of labels."""
        names = ["label_0", "label_1"]
        tallied = tally.cells(names)
        codes = [tallied.keys[name] for name in names]
        square = _square(codes, len(tally.classes), tallied.counts)
        return cls(square, tally.classes, tally.plan.design)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def n_agreed(self) -> int:
        """Number of records for which both classifiers predict the same label."""
        return int(np.trace(self.counts))

    @property
    def label_counts(self) -> tuple[IntArray, IntArray]:
        """Number of predictions of each class, by champion and by challenger."""
        return self.counts.sum(axis=1), self.counts.sum(axis=0)

    def _merged(self, other: "AgreementMatrix") -> "AgreementMatrix":
        classes = united_classes(self.classes, other.classes)
        counts = np.zeros((len(classes),) * 2, dtype=np.int64)
        for matrix in (self, other):
            positions = np.searchsorted(classes, matrix.classes)
            counts[np.ix_(positions, positions)] += matrix.counts
        return AgreementMatrix(counts, classes, self.design)


def _square(codes: Any, k: int, counts: IntArray | None = None) -> IntArray:
    check_few_classes(k)
    cell = cell_numbers(codes, (k, k))
    if counts is not None:
        return sums_of(cell, counts, k * k).reshape(k, k)
    return np.bincount(cell, minlength=k * k).reshape(k, k)


def check_few_classes(k: int) -> None:
    """Raise an error if there are more classes than an agreement matrix can have."""
    if k > MOST_CLASSES:
        raise ValueError(
            f"An agreement matrix can have {MOST_CLASSES:,} classes. Got {k:,} different "
            "labels. If these are ids or counts, pass the classes instead."
        )


def _swapped_cells(cells: IntArray) -> IntArray:
    return cells[:, [0, 2, 1]]


@dataclass(frozen=True, slots=True, eq=False)
class JointCounts(Mergeable):
    """Counts of records by true class and both predictions.

    Every test of labels is a function of these counts, so that records are counted once
    and all tests together take no longer for more records. Only cells that occur are
    kept, so that a thousand classes fit.

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_classes, n_classes) or (n_cells,)
        Records with each true class, champion's prediction and challenger's prediction, in
        this order of axes; or one count per cell.
    classes : array-like of shape (n_classes,)
        Class labels, sorted.
    cells : array-like of shape (n_cells, 3), optional
        Positions in `classes` of truth, champion's and challenger's prediction, where
        `counts` has one count per cell. Each cell occurs once.
    design : Design or str, default="holdout"
        How the records were collected.

    Attributes
    ----------
    cells : ndarray of shape (n_cells, 3)
        The cells that occur, sorted.
    counts : ndarray of shape (n_cells,)
        Their records.

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> joint = JointCounts.from_predictions(
    ...     ["a", "b", "b", "c"], ["a", "b", "c", "a"], ["a", "b", "b", "a"]
    ... )
    >>> joint.n, joint.classes.tolist(), joint.counts.tolist()
    (4, ['a', 'b', 'c'], [1, 1, 1, 1])
    >>> joint.contingency_table()
    ContingencyTable(both_correct=2, only_champion=0, only_challenger=1, both_wrong=1)
    """

    counts: IntArray = field(metadata={"check": check_whole})
    classes: np.ndarray = field(metadata={"check": check_classes})
    cells: IntArray = field(default=None, metadata={"swap": _swapped_cells})  # type: ignore[arg-type]
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)

    required: ClassVar[frozenset[str]] = frozenset({LABELS})

    def _check_together(self) -> None:
        counts, k = self.counts, len(self.classes)
        if self.cells is None:
            cells = _cells_of(counts, k)
            counts = counts[tuple(cells.T)]
        else:
            cells, counts = _sorted_cells(np.asarray(self.cells), counts, k)
        if not len(counts):
            raise ValueError("Joint counts need at least one record. Got only zeros.")
        self._set(cells=cells, counts=counts)

    @classmethod
    def from_tally(cls, tally: Tally) -> "JointCounts":
        """Construct from a tally of labels."""
        names = ["y", "label_0", "label_1"]
        tallied = tally.cells(names)
        cells = np.column_stack([tallied.keys[name] for name in names])
        return cls(tallied.counts, tally.classes, cells, tally.plan.design)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        id: str | None = None,
    ) -> "JointCounts":
        """Count the records of a hold-out set, from columns of data frames or files.

        An engine counts its own records, by one group-by; see
        :doc:`/user_guide/large_data`.

        Parameters
        ----------
        frame : frame, str or path-like
            A frame of pandas, Polars, PyArrow, DuckDB, Dask, PySpark or another library
            that narwhals supports, eager or lazy, a dataset of PyArrow, or the path of a
            file, such as CSV or Parquet. Only the named columns are read, as far as the
            format allows.
        y_true, champion, challenger : str or tuple
            Columns of true and predicted labels; a pair `(other_frame, column)` takes
            one from another frame or file.
        id : str, optional
            Column that identifies records, in every frame. Frames are joined by it,
            whatever the order of their records; needed for more than one.

        Raises
        ------
        ValueError
            If there is no such column, a value is missing, or ids do not match.
        MissingDependencyError
            If the library that reads such frames or files is not installed.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import JointCounts
        >>> truth = pd.DataFrame({"id": [1, 2, 3], "y": ["a", "b", "b"]})
        >>> old = pd.DataFrame({"id": [3, 2, 1], "label": ["b", "a", "a"]})
        >>> new = pd.DataFrame({"id": [2, 3, 1], "label": ["b", "b", "a"]})
        >>> joint = JointCounts.from_frame(
        ...     truth, champion=(old, "label"), challenger=(new, "label"), id="id"
        ... )
        >>> joint.contingency_table()
        ContingencyTable(both_correct=2, only_champion=0, only_challenger=1, both_wrong=0)
        """
        columns = {"champion": champion, "challenger": challenger}
        roles = ColumnRoles(frame, y_true, columns, id, kind=LABELS)
        tally = engine_tally(roles, TallyRequest(labels=True))
        if tally is not None:
            return cls.from_tally(tally)
        truth, arrays, *_ = roles.read()
        return cls.from_predictions(truth, *arrays.values())  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return (
            f"JointCounts(n={self.n}, classes=[{some_of(self.classes)}], "
            f"design={self.design.name!r})"
        )

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, champion: ArrayLike, challenger: ArrayLike
    ) -> "JointCounts":
        """Count the records of a hold-out set in one pass.

        Parameters
        ----------
        y_true, champion, challenger : array-like of shape (n_samples,)
            True and predicted labels. Classes that `y_true` lacks may be predicted.
        """
        (truth, first, second), counts = counted_labels(
            {"y_true": y_true}, {"champion": champion, "challenger": challenger}
        )
        classes, codes = encode_labels(truth, {"champion": first, "challenger": second})
        if counts is not None:
            return cls(counts, classes, np.stack(codes, axis=1))
        return cls._from_codes(classes, codes, HOLDOUT)

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "JointCounts":
        """Count the pooled predictions of all test sets."""
        predictions = pair.predictions
        codes = [predictions.y_predicted(), labels_of(pair, 0), labels_of(pair, 1)]
        return cls._from_codes(predictions.classes, codes, pair.design)

    @classmethod
    def _from_codes(cls, classes: np.ndarray, codes: Any, design: Design) -> "JointCounts":
        k = len(classes)
        cell, counts = count_codes(codes, k)
        cells = np.stack(np.unravel_index(cell, (k, k, k)), axis=1)
        return cls(counts, classes, cells, design)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def to_array(self) -> IntArray:
        """Return the counts as one array of shape (n_classes, n_classes, n_classes)."""
        k = self.n_classes
        if k**3 > LARGEST_TABLE:
            raise ValueError(
                f"{k} classes have {k**3:,} cells, too many for one array. Use `cells` and "
                "`counts`, the cells that occur."
            )
        table = np.zeros((k, k, k), dtype=np.int64)
        table[tuple(self.cells.T)] = self.counts
        return table

    def contingency_table(self) -> ContingencyTable:
        """Return the contingency table: counts by which classifiers are correct."""
        truth, first, second = self.cells.T
        kind = 2 * (first == truth) + (second == truth)
        neither, challenger, champion, both = sums_of(kind, self.counts, 4).tolist()
        return ContingencyTable(both, champion, challenger, neither, self.design)

    def agreement_matrix(self) -> AgreementMatrix:
        """Return the agreement matrix: counts by both predictions."""
        _, first, second = self.cells.T
        k = self.n_classes
        check_few_classes(k)
        table = sums_of(first * k + second, self.counts, k * k).reshape(k, k)
        return AgreementMatrix(table, self.classes, self.design)

    def confusion_matrices(self) -> tuple[IntArray, IntArray]:
        """Return the confusion matrices of champion and challenger.

        Returns
        -------
        champion, challenger : ndarray of shape (n_classes, n_classes)
            One row per true class, as in scikit-learn.
        """
        truth, *predictions = self.cells.T
        k = self.n_classes
        champion, challenger = (
            sums_of(truth * k + prediction, self.counts, k * k).reshape(k, k)
            for prediction in predictions
        )
        return champion, challenger

    def for_class(self, label: Any) -> "JointCounts":
        """Return the counts of one class against the rest, with classes False and True."""
        positions = np.flatnonzero(self.classes == label)
        if len(positions) != 1:
            raise ValueError(
                f"{label!r} is not a class of these counts. Classes: "
                f"{some_of(self.classes)}."
            )
        cell = (self.cells == positions[0]) @ np.array([4, 2, 1])
        counts = sums_of(cell, self.counts, 8).reshape(2, 2, 2)
        return JointCounts(counts, np.array([False, True]), design=self.design)

    def class_rows(self) -> ClassRows:
        """Return the predictions by class for tests of precision; records are clusters."""
        return ClassRows.from_cells(self.classes, self.cells, self.counts)

    def _merged(self, other: "JointCounts") -> "JointCounts":
        classes = united_classes(self.classes, other.classes)
        shards = (
            CountedCells(np.searchsorted(classes, shard.classes)[shard.cells], shard.counts)
            for shard in (self, other)
        )
        cells, counts = added_cells(*shards)
        return JointCounts(counts, classes, cells, self.design)


def _cells_of(counts: IntArray, k: int) -> IntArray:
    if counts.shape != (k, k, k):
        raise ValueError(
            f"`counts` must have shape ({k}, {k}, {k}), a true class by a champion's by a "
            f"challenger's prediction. Got {counts.shape} and {k} classes. Pass `cells` "
            "with one count per cell."
        )
    return np.argwhere(counts)


def _sorted_cells(cells: Any, counts: IntArray, k: int) -> CountedCells:
    whole = cells.ndim == 2 and cells.shape[1:] == (3,) and cells.dtype.kind in "iu"
    if not whole or counts.shape != cells.shape[:1]:
        raise ValueError(
            "`cells` must be positions of shape (n_cells, 3), and `counts` of shape "
            f"(n_cells,). Got {cells.shape} of {cells.dtype} and {counts.shape}."
        )
    if cells.size and (cells.min() < 0 or cells.max() >= k):
        raise ValueError(
            f"`cells` must be positions among the {k} classes. Got values from "
            f"{cells.min()} to {cells.max()}."
        )
    kept = counts > 0
    cells, counts = cells[kept].astype(np.int64), counts[kept]
    return ordered_cells(cells, counts, (k, k, k))
