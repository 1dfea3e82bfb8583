"""How the scores of classifiers rank the records of two classes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skcompare._core.design import HOLDOUT, Design, as_design
from skcompare._core.labels import check_labels, encode_labels, group_codes
from skcompare._core.score_bins import Levels
from skcompare._core.validation import (
    check_pos_label,
    check_same_length,
    positive_class,
    some_of,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence._device_placements import device_ranks
from skcompare.evidence._frame_placements import PlacementFrames
from skcompare.evidence._placement_areas import PlacementAreas
from skcompare.evidence._placement_cells import check_repeats, combined_cells
from skcompare.evidence._placement_checks import (
    check_mask,
    check_names,
    check_record_groups,
    check_scores,
    score_of,
)
from skcompare.evidence._placement_merge import merged_parts
from skcompare.evidence._placement_sums import PlacementSums
from skcompare.evidence._placement_tally import (
    check_level_codes,
    check_levels,
    counted_parts,
)
from skcompare.predictions import SCORES, PairedPredictions, Predictions

GROUPED_HOLDOUT = Design("holdout", grouped=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlacementValues(PlacementFrames, PlacementAreas):
    """Where the scores of classifiers place the records of two classes.

    The placement value of a positive record is the share of the negative records that it
    outranks, that of a negative record the share of the positive ones that outrank it, and
    a tie counts a half. Their mean is the area under the ROC curve (AUC), and how they
    vary together from record to record is all that a comparison of AUCs needs [1]_. They
    are counted by one sort a score [2]_ when they are first asked for; the scores are
    kept, so that shards can be merged and ranked anew.

    Of more records than fit, *cells* are kept: rows of equal class and scores with the
    number of their records, `repeats`. All that is found of them is exactly what the
    records would give. Cells are few where scores have few different values, or are made
    few by :class:`Levels`; what levels may change is then bounded by `auc_bounds`,
    `covariance_bounds` and :meth:`contrast_bounds`.

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
    repeats : array-like of shape (n_samples,), optional
        Records that each row stands for, in whole numbers. Rows of equal class and scores
        become one, and are sorted. Cells have no groups.
    levels : Levels, or one for each classifier, optional
        What made levels of the scores, where `scores` are levels from 0; one record a
        row without `repeats`.

    Attributes
    ----------
    positive : ndarray of shape (n_samples,), dtype bool
    scores : ndarray of shape (n_scores, n_samples), dtype float64
    repeats : ndarray of shape (n_samples,), dtype int64, or None
    levels : tuple of Levels, or None where scores are themselves

    Raises
    ------
    ValueError
        If a score is missing, infinite, or a number that float64 rounds; if lengths
        differ; if cells have groups, or levels that are none. One class only is an error
        where an AUC is asked for, because a shard may lack the other.

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

    Three million records in four cells:

    >>> millions = 10**6
    >>> cells = PlacementValues(
    ...     [False, False, True, True], [[0, 1, 0, 1]],
    ...     repeats=[millions, millions // 2, millions // 2, millions],
    ... )
    >>> cells.n, cells.aucs.round(4).tolist()
    (3000000, [0.6667])

    .. versionadded:: 0.1
    """

    positive: NDArray[np.bool_]
    scores: FloatArray
    names: tuple[str, ...] = None  # type: ignore[assignment]
    groups: NDArray[Any] | None = None
    design: Design = None  # type: ignore[assignment]
    pos_label: Any = 1
    repeats: IntArray | None = None
    levels: tuple[Levels, ...] | None = None
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
        levels, repeats = check_levels(self.levels, len(names)), self.repeats
        if levels is not None:
            check_level_codes(scores, names, levels)
            repeats = np.ones(len(positive), np.int64) if repeats is None else repeats
        if repeats is not None:
            repeats = check_repeats(repeats, len(positive))
            positive, scores, repeats = combined_cells(positive, scores, repeats)
            repeats.setflags(write=False)
        for array in (positive, scores):
            array.setflags(write=False)
        object.__setattr__(self, "repeats", repeats)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "positive", positive)
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "names", names)
        if repeats is not None and self.groups is not None:
            raise ValueError(
                "Records that are counted in cells have no groups. Got `groups`. Leave out "
                "`repeats`, `levels` and `n_levels`, so that records stay apart."
            )
        groups = check_record_groups(self.groups, len(positive))
        object.__setattr__(self, "groups", groups)
        design = self.design
        if design is None:
            design = HOLDOUT if groups is None else GROUPED_HOLDOUT
        object.__setattr__(self, "design", as_design(design))

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f", n_groups={self.n_groups}"
        if self.repeats is not None:
            groups = f", n_cells={len(self.repeats)}"
        return (
            f"PlacementValues(n_positives={self.n_positives}, "
            f"n_negatives={self.n_negatives}, names={list(self.names)}{groups}, "
            f"design={self.design.name!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlacementValues):
            return NotImplemented
        return (
            (self.design, self.names, self.pos_label, self.levels)
            == (other.design, other.names, other.pos_label, other.levels)
            and np.array_equal(self.positive, other.positive)
            and np.array_equal(self.scores, other.scores)
            and _alike(self.groups, other.groups)
            and _alike(self.repeats, other.repeats)
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
            self.repeats,
            self.levels,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        *scores: ArrayLike,
        pos_label: Any = None,
        groups: ArrayLike | None = None,
        names: Iterable[str] | None = None,
        n_levels: int | None = None,
        levels: Levels | Sequence[Levels] | None = None,
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
        n_levels : int, optional
            Count the records in cells, a block of them at a time, so that little memory is
            used beyond that of the arrays: by the scores of a classifier themselves where
            they have at most so many different values, else by so many levels that are
            chosen for a sample of them (:meth:`Levels.quantised`). By default all records
            are kept.
        levels : Levels, or one for each classifier, optional
            Count the records in cells of these levels. Shards that are made with the same
            levels add up to exactly the cells of all records.
        """
        known = check_names(names, len(scores))
        if n_levels is not None or levels is not None:
            if groups is not None or (n_levels is not None and levels is not None):
                raise ValueError(
                    "Of `groups`, `n_levels` and `levels` only one can be used. Records of "
                    "groups are kept one by one, and `levels` says how many there are."
                )
            parts = counted_parts(y_true, scores, known, pos_label, n_levels, levels)
            return cls(*parts)
        truth = check_labels("y_true", y_true)
        whose = [f"scores of {name}" for name in known]
        check_same_length({"y_true": truth}, dict(zip(whose, scores, strict=True)))
        classes, (codes,) = encode_labels(truth, {})
        label = positive_class(classes, pos_label)
        at = np.flatnonzero(classes == label)
        positive = codes == at[0] if len(at) else np.zeros(len(truth), dtype=bool)
        label = label.item() if isinstance(label, np.generic) else label
        made = cls(positive, scores, known, groups, None, label)  # type: ignore[arg-type]
        there = device_ranks(scores, made.positive)
        if there is not None:
            object.__setattr__(made, "_ranks", (there.counts, there.n_distinct))
            object.__setattr__(made, "_sums", there.sums)
        return made

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
            [score_of(one, column) for one in predictions.answers],  # type: ignore[arg-type]
            predictions.names,
            groups,
            predictions.design,
            classes[column].item(),
        )

    @property
    def n_groups(self) -> int | None:
        """Number of groups; None where the records come in none."""
        return None if self.groups is None else len(np.unique(self.groups))

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
        levels = None if self.levels is None else self.levels[::-1]
        return replace(
            self, scores=self.scores[::-1], names=self.names[::-1], levels=levels
        )

    def __add__(self, other: object) -> "PlacementValues":
        if not isinstance(other, PlacementValues):
            return NotImplemented
        return PlacementValues(*merged_parts(self, other))


def _alike(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
