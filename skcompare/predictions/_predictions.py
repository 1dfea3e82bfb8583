"""What classifiers answered on shared test sets, with how those were made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from skcompare._core.design import HOLDOUT, Design
from skcompare._core.validation import unknown_name
from skcompare._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Answers:
    """What one classifier answered, test set after test set.

    Parameters
    ----------
    name : str
        Name of the classifier, such as "champion".
    description : str
        Words for it, such as "Pipeline(StandardScaler, LogisticRegression)".
    labels : ndarray of shape (n_answers,) or None
        Predicted classes as positions in the classes of the predictions.
    proba : ndarray of shape (n_answers, n_classes) or None
        Probabilities; a class that a training set lacked has probability 0.
    decision : ndarray of shape (n_answers,) or (n_answers, n_classes) or None
        Decision scores of a classifier without probabilities.
    fit_times, predict_times : ndarray of shape (n_splits,) or None
        Seconds.

    .. versionadded:: 0.1
    """

    name: str
    description: str
    labels: IntArray | None = None
    proba: FloatArray | None = None
    decision: FloatArray | None = None
    fit_times: FloatArray | None = None
    predict_times: FloatArray | None = None

    def part(self, which: Any) -> "Answers":
        """Those of its predictions that a slice, a mask or positions take."""
        labels, proba, decision = (
            None if array is None else array[which]
            for array in (self.labels, self.proba, self.decision)
        )
        return replace(self, labels=labels, proba=proba, decision=decision)

    @property
    def has_labels(self) -> bool:
        """Whether there are predicted classes."""
        return self.labels is not None

    @property
    def has_proba(self) -> bool:
        """Whether there are probabilities."""
        return self.proba is not None

    @property
    def has_decision(self) -> bool:
        """Whether there are decision scores."""
        return self.decision is not None

    def known_labels(self) -> IntArray:
        """The predicted classes; refused where there are scores only."""
        if self.labels is None:
            raise ValueError(
                f"The predictions of {self.name} have no labels. Pass predicted labels or "
                "probabilities, or use a test that needs scores only."
            )
        return self.labels


@dataclass(frozen=True, eq=False, slots=True)
class Predictions:
    """Answers of several classifiers on shared test sets.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels, sorted.
    y : ndarray of shape (n_samples,) or None
        True classes of the records, as positions in `classes`; None where nobody knows
        them, as on a live stream.
    answers : tuple of Answers
        One entry a classifier, in order; each holds the answers of all splits.
    design : Design
        How the records were split.
    records : ndarray of shape (n_answers,) or None
        The record behind each answer, split after split; None means every record
        once, in order.
    bounds : ndarray of shape (n_splits + 1,) or None
        Where each split begins in `records`; None means one split.
    n_train : ndarray of shape (n_splits,) or None
        Training records a split; None where the classifiers came trained.
    groups : ndarray of shape (n_samples,) or None
        Group of each record, as a position in the sorted group labels.
    fingerprint : str
        Digest of data and splits; two sets of predictions with one fingerprint can
        be joined.
    flags : tuple of str
        Caveats about how the predictions were made.

    .. versionadded:: 0.1
    """

    classes: np.ndarray
    y: IntArray | None
    answers: tuple[Answers, ...]
    design: Design = HOLDOUT
    records: IntArray | None = None
    bounds: IntArray | None = None
    n_train: IntArray | None = None
    groups: IntArray | None = None
    fingerprint: str = ""
    flags: tuple[str, ...] = field(default=())

    @property
    def n_records(self) -> int:
        """Number of records."""
        if self.y is not None:
            return len(self.y)
        first = self.answers[0]
        return len(next(a for a in (first.labels, first.proba) if a is not None))

    @property
    def n_tested(self) -> int:
        """Number of records that are in some test set."""
        if self.records is None:
            return self.n_records
        tested = np.zeros(self.n_records, dtype=bool)
        tested[self.records] = True
        return int(np.count_nonzero(tested))

    @property
    def tally(self) -> Any:
        """Counts and sums that stand for the records; None where these are here."""
        return None

    @property
    def n_splits(self) -> int:
        """Number of test sets."""
        return 1 if self.bounds is None else len(self.bounds) - 1

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classifiers."""
        return tuple(answer.name for answer in self.answers)

    @property
    def n_test(self) -> IntArray:
        """Test records a split."""
        if self.bounds is None:
            return np.array([self.n_records])
        return np.diff(self.bounds)

    def __getitem__(self, name: str) -> Answers:
        for answer in self.answers:
            if answer.name == name:
                return answer
        raise unknown_name("classifier", name, self.names)

    def class_counts(self) -> IntArray:
        """Answers to records of each true class, of shape (n_classes,)."""
        return np.bincount(self.y_answered(), minlength=len(self.classes))

    def slices(self) -> Iterator[slice]:
        """Where the answers of each split are."""
        if self.bounds is None:
            yield slice(0, self.n_records)
            return
        for start, stop in zip(self.bounds[:-1], self.bounds[1:], strict=True):
            yield slice(int(start), int(stop))

    def y_answered(self) -> IntArray:
        """True class behind each answer, of shape (n_answers,)."""
        if self.y is None:
            raise ValueError(
                "Without true labels nobody can tell which answers are right. Pass "
                "`y_true`, or use a test of the answers alone, such as stuart_maxwell."
            )
        return self.y if self.records is None else self.y[self.records]

    def pair(self, champion: str, challenger: str) -> "PairedPredictions":
        """Two of the classifiers, in their roles."""
        return PairedPredictions(self, self[champion], self[challenger])

    def save(self, path: Any) -> None:
        """Write to `path`, a `.npz` or `.json` file, without pickle."""
        from skcompare.predictions._storage import save_predictions

        save_predictions(self, path)

    @classmethod
    def load(cls, path: Any) -> "Predictions":
        """Read what :meth:`save` wrote."""
        from skcompare.predictions._storage import load_predictions

        return load_predictions(path)


@dataclass(frozen=True, eq=False, slots=True)
class PairedPredictions:
    """Answers of a champion and a challenger on shared test sets.

    .. versionadded:: 0.1
    """

    predictions: Predictions
    champion: Answers
    challenger: Answers

    @property
    def design(self) -> Design:
        """How the records were split."""
        return self.predictions.design

    @property
    def roles(self) -> Sequence[Answers]:
        """Champion and challenger, in this order."""
        return self.champion, self.challenger

    @property
    def alone(self) -> Predictions:
        """The predictions of these two, under two names even if they are the same."""
        champion, challenger = self.roles
        if challenger.name == champion.name:
            challenger = replace(challenger, name=f"{champion.name} again")
        return replace(self.predictions, answers=(champion, challenger))
