"""How often each answer of the champion met each answer of the challenger."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from skcompare._design import HOLDOUT, Design, as_design
from skcompare._labels import check_labels, class_codes, encode_labels
from skcompare._typing import ArrayLike, IntArray
from skcompare._validation import check_same_length, some_of
from skcompare.evidence._contingency import check_same_design, labels_of
from skcompare.predictions import LABELS, PairedPredictions

__all__ = ["AgreementMatrix", "check_classes", "check_whole"]


@dataclass(frozen=True, slots=True, eq=False)
class AgreementMatrix:
    """Answers of two classifiers against each other, without the truth.

    It says where two classifiers disagree, and whether they give the classes equally
    often; not which of them is right. It can be had without labels, from a live stream
    that both answer.

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_classes)
        Records with each champion's answer (rows) and challenger's answer (columns).
    classes : array-like of shape (n_classes,)
        Class labels, sorted. A class that neither gives adds nothing.
    design : Design or str, default="holdout"
        How the records were collected.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> matrix = AgreementMatrix.from_predictions(["a", "b", "b"], ["a", "c", "b"])
    >>> matrix.classes.tolist(), matrix.counts.tolist()
    (['a', 'b', 'c'], [[1, 0, 0], [0, 1, 1], [0, 0, 0]])

    .. versionadded:: 0.1
    """

    counts: IntArray
    classes: np.ndarray
    design: Design = HOLDOUT

    wanted: ClassVar[frozenset[str]] = frozenset({LABELS})

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
        for array in (counts, classes):
            array.setflags(write=False)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "design", as_design(self.design))

    def __repr__(self) -> str:
        return (
            f"AgreementMatrix({self.counts.tolist()}, [{some_of(self.classes)}], "
            f"design={self.design.name!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AgreementMatrix):
            return NotImplemented
        return (
            self.design == other.design
            and np.array_equal(self.classes, other.classes)
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((self.design, self.counts.tobytes()))

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        return AgreementMatrix, (self.counts, self.classes, self.design)

    @classmethod
    def from_predictions(
        cls,
        champion: ArrayLike,
        challenger: ArrayLike,
        *,
        labels: ArrayLike | None = None,
    ) -> "AgreementMatrix":
        """Count the records by their two answers.

        Parameters
        ----------
        champion, challenger : array-like of shape (n_samples,)
            Predicted labels.
        labels : array-like of shape (n_classes,), optional
            All class labels; by default those that either classifier gives.
        """
        first = check_labels("champion", champion)
        second = check_labels("challenger", challenger)
        check_same_length(champion=first, challenger=second)
        if labels is None:
            classes, codes = encode_labels(first, reference="champion", challenger=second)
        else:
            classes = np.unique(check_labels("labels", labels))
            codes = [
                class_codes("champion", first, classes),
                class_codes("challenger", second, classes),
            ]
        return cls(_square(codes, len(classes)), classes)

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "AgreementMatrix":
        """Count the answers of all test sets together, over the classes that are given."""
        first, second = labels_of(pair, 0), labels_of(pair, 1)
        classes = pair.predictions.classes
        table = _square([first, second], len(classes))
        given = np.flatnonzero(table.any(axis=0) | table.any(axis=1))
        return cls(table[np.ix_(given, given)], classes[given], pair.design)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def n_agreed(self) -> int:
        """Records that both gave the same label."""
        return int(np.trace(self.counts))

    @property
    def label_counts(self) -> tuple[IntArray, IntArray]:
        """How often champion and challenger gave each class."""
        return self.counts.sum(axis=1), self.counts.sum(axis=0)

    def swap(self) -> "AgreementMatrix":
        """The matrix with the roles exchanged."""
        return replace(self, counts=self.counts.T)

    def __add__(self, other: object) -> "AgreementMatrix":
        if not isinstance(other, AgreementMatrix):
            return NotImplemented
        check_same_design(self, other)
        classes = np.union1d(self.classes, other.classes)
        counts = np.zeros((len(classes),) * 2, dtype=np.int64)
        for one in (self, other):
            at = np.searchsorted(classes, one.classes)
            counts[np.ix_(at, at)] += one.counts
        return AgreementMatrix(counts, classes, self.design)

    def to_dict(self) -> dict[str, Any]:
        """Counts, classes and design as plain values."""
        return {
            "counts": self.counts.tolist(),
            "classes": self.classes.tolist(),
            "design": self.design.name,
        }


def _square(codes: Any, k: int) -> IntArray:
    first, second = codes
    cell = first.astype(np.min_scalar_type(-(k * k)))
    cell *= k
    cell += second
    return np.bincount(cell, minlength=k * k).reshape(k, k)


def check_classes(classes: Any) -> np.ndarray:
    """Class labels that are sorted and differ."""
    array = check_labels("classes", classes)
    if not len(array) or (array[:-1] >= array[1:]).any():
        raise ValueError(
            f"`classes` must be different labels in sorted order. Got {some_of(array)}. "
            "Sort them, and the counts with them."
        )
    return array.copy()


def check_whole(name: str, counts: Any) -> IntArray:
    """Whole counts of at least 0."""
    array = np.asarray(counts)
    numbers = array.dtype.kind in "iuf" and bool(np.isfinite(array).all())
    whole = array.astype(np.int64) if numbers else np.zeros(array.shape, dtype=np.int64)
    if not numbers or (whole != array).any() or (whole < 0).any():
        raise ValueError(f"`{name}` must hold whole counts of records, at least 0.")
    return whole
