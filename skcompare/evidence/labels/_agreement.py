"""Counts of records by both predicted labels, without the true labels."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from skcompare._core.design import HOLDOUT, Design, as_design
from skcompare._core.validation import (
    check_labels,
    class_codes,
    encode_labels,
    some_of,
    united_classes,
)
from skcompare._typing import ArrayLike, IntArray
from skcompare.evidence.core._counting import (
    cell_numbers,
    check_classes,
    check_whole,
    sums_of,
)
from skcompare.evidence.core._storage import Mergeable
from skcompare.evidence.labels._contingency import labels_of
from skcompare.evidence.labels._device_labels import counted_labels
from skcompare.evidence.tally._tally import Tally
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

    counts: IntArray = field(metadata={"swap": np.transpose})
    classes: np.ndarray
    design: Design = HOLDOUT

    required: ClassVar[frozenset[str]] = frozenset({LABELS})
    needs_truth: ClassVar[bool] = False

    def __post_init__(self) -> None:
        classes = check_classes(self.classes)
        counts = check_whole("counts", self.counts)
        if counts.shape != (len(classes),) * 2:
            raise ValueError(
                f"`counts` must have a row and a column for each of the {len(classes)} "
                f"classes. Got shape {counts.shape}."
            )
        if not counts.any():
            raise ValueError(
                "An agreement matrix needs at least one record. Got only zeros."
            )
        self._set(counts=counts, classes=classes, design=as_design(self.design))

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
