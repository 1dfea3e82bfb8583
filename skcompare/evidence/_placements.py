"""How the scores of classifiers rank the records of two classes."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skcompare._design import HOLDOUT, Design, as_design
from skcompare._labels import check_labels, encode_labels, group_codes
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare._validation import (
    check_pos_label,
    check_same_length,
    positive_class,
    some_of,
)
from skcompare.evidence._contingency import check_same_design
from skcompare.evidence._merge import Mergeable
from skcompare.evidence._placement_checks import (
    check_mask,
    check_names,
    check_record_groups,
    check_scores,
    joined_groups,
)
from skcompare.evidence._placement_ranks import placement_counts_of
from skcompare.evidence._placement_sums import PlacementSums, placement_sums
from skcompare.predictions import SCORES, Answers, PairedPredictions, Predictions

__all__ = ["PlacementValues"]

GROUPED_HOLDOUT = Design("holdout", grouped=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlacementValues(Mergeable):
    """Where the scores of classifiers place the records of two classes.

    The placement value of a positive record is the share of the negative records that it
    outranks, that of a negative record the share of the positive ones that outrank it, and
    a tie counts a half. Their mean is the area under the ROC curve (AUC), and how they
    vary together from record to record is all that a comparison of AUCs needs [1]_. They
    are counted by one sort a score [2]_ when they are first asked for; the scores are
    kept, so that shards can be merged and ranked anew.

    Parameters
    ----------
    positive : array-like of shape (n_samples,)
        True for the records of the positive class.
    scores : array-like of shape (n_scores, n_samples)
        A row of scores a classifier, greater for the positive class. The direction is
        never guessed: a classifier that ranks the wrong way round has an AUC below 0.5.
    names : iterable of str, optional
        Names of the classifiers, each another; "classifier 1" and so on by default.
    groups : array-like of shape (n_samples,), optional
        Group of each record, where records come in groups that belong together.
    design : Design or str, optional
        How the records were collected; "holdout" or "grouped holdout" by default.
    pos_label : label, default=1
        Label of the positive class. Shards must agree on it.

    Attributes
    ----------
    positive : ndarray of shape (n_samples,), dtype bool
    scores : ndarray of shape (n_scores, n_samples), dtype float64

    Raises
    ------
    ValueError
        If a score is missing, infinite, or a number that float64 rounds; if lengths
        differ. One class only is an error where an AUC is asked for, because a shard may
        lack the other.

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.
    .. [2] Sun, X. and Xu, W. (2014). "Fast implementation of DeLong's algorithm for
       comparing the areas under correlated receiver operating characteristic curves."
       IEEE Signal Processing Letters 21(11), 1389-1393.

    Examples
    --------
    >>> from skcompare.evidence import PlacementValues
    >>> placements = PlacementValues.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.3, 0.9]
    ... )
    >>> placements.aucs.tolist()
    [0.75, 0.875]
    >>> positives, negatives = placements.values(0)
    >>> positives.tolist(), negatives.tolist()
    ([0.5, 1.0], [1.0, 0.5])

    .. versionadded:: 0.1
    """

    positive: NDArray[np.bool_]
    scores: FloatArray
    names: tuple[str, ...] = None  # type: ignore[assignment]
    groups: NDArray[Any] | None = None
    design: Design = None  # type: ignore[assignment]
    pos_label: Any = 1
    # Ranking and adding up take longer than any test, and several tests need the same.
    _ranks: tuple[IntArray, list[int]] | None = field(default=None, init=False)
    _sums: PlacementSums | None = field(default=None, init=False)

    wanted: ClassVar[frozenset[str]] = frozenset({SCORES})
    takes_decision: ClassVar[bool] = True
    max_classes: ClassVar[int] = 2
    least_per_class: ClassVar[int] = 2

    def __post_init__(self) -> None:
        positive = check_mask(self.positive)
        names = check_names(self.names, len(self.scores))
        scores = check_scores(self.scores, names, len(positive))
        for array in (positive, scores):
            array.setflags(write=False)
        object.__setattr__(self, "positive", positive)
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "names", names)
        groups = check_record_groups(self.groups, len(positive))
        object.__setattr__(self, "groups", groups)
        design = self.design
        if design is None:
            design = HOLDOUT if groups is None else GROUPED_HOLDOUT
        object.__setattr__(self, "design", as_design(design))

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f", n_groups={self.n_groups}"
        return (
            f"PlacementValues(n_positives={self.n_positives}, "
            f"n_negatives={self.n_negatives}, names={list(self.names)}{groups}, "
            f"design={self.design.name!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlacementValues):
            return NotImplemented
        own, others = self.groups, other.groups
        return (
            (self.design, self.names, self.pos_label)
            == (other.design, other.names, other.pos_label)
            and np.array_equal(self.positive, other.positive)
            and np.array_equal(self.scores, other.scores)
            and (own is None) == (others is None)
            and (own is None or np.array_equal(own, others))  # type: ignore[arg-type]
        )

    def __hash__(self) -> int:
        # Adding 0.0 makes -0.0 of the scores 0.0, which equals it.
        return hash((self.design, self.names, (self.scores + 0.0).tobytes()))

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        return PlacementValues, (
            self.positive,
            self.scores,
            self.names,
            self.groups,
            self.design,
            self.pos_label,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        *scores: ArrayLike,
        pos_label: Any = None,
        groups: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> "PlacementValues":
        """Rank the records of a hold-out set by the scores of classifiers.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels, of two classes.
        *scores : array-like of shape (n_samples,)
            An array a classifier: probabilities of the positive class, decision scores,
            or any numbers that are greater for it. The first is the champion, the second
            the challenger.
        pos_label : label, optional
            The positive class; 1 or True by default.
        groups : array-like of shape (n_samples,), optional
            Group of each record: numbers or strings.
        names : iterable of str, optional
            Names of the classifiers.
        """
        truth = check_labels("y_true", y_true)
        known = check_names(names, len(scores))
        whose = [f"scores of {name}" for name in known]
        check_same_length({"y_true": truth}, dict(zip(whose, scores, strict=True)))
        classes, (codes,) = encode_labels(truth, {})
        label = positive_class(classes, pos_label)
        at = np.flatnonzero(classes == label)
        positive = codes == at[0] if len(at) else np.zeros(len(truth), dtype=bool)
        label = label.item() if isinstance(label, np.generic) else label
        return cls(positive, scores, known, groups, None, label)  # type: ignore[arg-type]

    @classmethod
    def from_pair(
        cls, pair: PairedPredictions, *, pos_label: Any = None
    ) -> "PlacementValues":
        """Rank the answers of both, as :meth:`from_predictions_of` does."""
        return cls.from_predictions_of(pair.alone, pos_label=pos_label)

    @classmethod
    def from_predictions_of(
        cls, predictions: Predictions, *, pos_label: Any = None
    ) -> "PlacementValues":
        """Rank the answers of all classifiers on all test sets together.

        By the probability of the positive class, or by decision scores where a classifier
        has no probabilities. Of two classes the second is positive unless `pos_label`
        names the first.
        """
        classes = predictions.classes
        if len(classes) != 2:
            raise ValueError(
                f"Placement values need two classes. Got {len(classes)}: "
                f"{some_of(classes)}. Use a test of the AUCs of several classes."
            )
        column = check_pos_label(pos_label, classes)
        column = 1 if column is None else column
        groups = predictions.groups
        if groups is not None and predictions.records is not None:
            groups = groups[predictions.records]
        return cls(
            predictions.y_answered() == column,
            [_score_of(one, column) for one in predictions.answers],  # type: ignore[arg-type]
            predictions.names,
            groups,
            predictions.design,
            classes[column].item(),
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.positive)

    @property
    def n_scores(self) -> int:
        """Number of classifiers."""
        return len(self.scores)

    @property
    def n_positives(self) -> int:
        """Records of the positive class."""
        return int(np.count_nonzero(self.positive))

    @property
    def n_negatives(self) -> int:
        """Records of the negative class."""
        return self.n - self.n_positives

    @property
    def n_groups(self) -> int | None:
        """Number of groups; None where the records come in none."""
        return None if self.groups is None else len(np.unique(self.groups))

    @property
    def aucs(self) -> FloatArray:
        """Area under the ROC curve of each classifier."""
        sums = self.sums
        return np.array([total / sums.total_of_one for total in sums.totals])

    @property
    def covariance(self) -> FloatArray:
        """Covariances of the AUCs, of shape (n_scores, n_scores).

        NaN where a class has one record, which says nothing of its variation.
        """
        sums = self.sums
        if not sums.scale:
            return np.full((self.n_scores, self.n_scores), np.nan)
        return np.array([[one / sums.scale for one in row] for row in sums.covariance])

    @property
    def counts(self) -> IntArray:
        """Twice the records of the other class that each record outranks, a tie being 1.

        For negative records, that outrank it. Of shape (n_scores, n_samples), in the order
        of the records.
        """
        return self._ranked()[0]

    @property
    def n_distinct(self) -> list[int]:
        """Number of different scores of each classifier."""
        return self._ranked()[1]

    @property
    def sums(self) -> PlacementSums:
        """Sums of the counts and of their products, in whole numbers."""
        if self._sums is None:
            sums = placement_sums(self.counts, self.positive)
            object.__setattr__(self, "_sums", sums)
        return self._sums  # type: ignore[return-value]

    def values(self, i: int) -> tuple[FloatArray, FloatArray]:
        """Placement values of the positive and of the negative records by one score."""
        counts = self.counts[i]
        positives, negatives = counts[self.positive], counts[~self.positive]
        return positives / (2 * self.n_negatives), negatives / (2 * self.n_positives)

    def group_codes(self) -> IntArray:
        """The group of each record as a position among the sorted groups."""
        if self.groups is None:
            raise ValueError(
                "The records have no groups. Pass `groups`, the group of each record, or "
                "use a test of independent records, such as delong."
            )
        return group_codes(self.groups)

    def swap(self) -> "PlacementValues":
        """The classifiers in reverse order; of two, the roles exchanged."""
        return replace(self, scores=self.scores[::-1], names=self.names[::-1])

    def __add__(self, other: object) -> "PlacementValues":
        if not isinstance(other, PlacementValues):
            return NotImplemented
        check_same_design(self, other)
        if self.names != other.names:
            raise ValueError(
                "Only scores of the same classifiers can be merged. Got "
                f"{', '.join(self.names)} and {', '.join(other.names)}."
            )
        if self.pos_label != other.pos_label:
            raise ValueError(
                "Only scores for the same positive class can be merged. Got "
                f"{self.pos_label!r} and {other.pos_label!r}."
            )
        return PlacementValues(
            np.concatenate([self.positive, other.positive]),
            np.concatenate([self.scores, other.scores], axis=1),
            self.names,
            joined_groups(self.groups, other.groups),
            self.design,
            self.pos_label,
        )

    def _ranked(self) -> tuple[IntArray, list[int]]:
        if not 0 < self.n_positives < self.n:
            what = "positive" if self.n_positives else "negative"
            raise ValueError(
                "An AUC needs records of both classes. Got "
                f"{self.n} {what} ones and no other (pos_label={self.pos_label!r}). "
                "Collect records of the other class, or merge shards before testing."
            )
        if self._ranks is None:
            counts, distinct = placement_counts_of(self.scores, self.positive)
            counts.setflags(write=False)
            object.__setattr__(self, "_ranks", (counts, distinct))
        return self._ranks  # type: ignore[return-value]


def _score_of(answers: Answers, column: int) -> FloatArray:
    """Scores of one of two classes, greater for it."""
    if answers.proba is not None:
        return answers.proba[:, column]
    if answers.decision is None:
        raise ValueError(
            f"The predictions of {answers.name} have no scores. Pass probabilities or "
            "decision scores, or use a test of labels, such as mcnemar."
        )
    if answers.decision.ndim == 2:
        return answers.decision[:, column]
    # One column of decision scores is greater for the second class.
    return answers.decision if column == 1 else -answers.decision
