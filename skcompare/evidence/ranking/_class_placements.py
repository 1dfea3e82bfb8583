"""Scores of every class by both classifiers, and the ranks of the records."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from skcompare._core.arrays import AS_DESIGN, array_of
from skcompare._core.design import HOLDOUT, Design
from skcompare._core.validation import (
    check_labels,
    check_probabilities,
    check_same_length,
    class_codes,
    group_codes,
    some_of,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._counting import check_classes, groups_of
from skcompare.evidence.core._storage import GROUPS, Mergeable, joined
from skcompare.evidence.ranking._cells import scores_of
from skcompare.evidence.ranking._placements import ROLES, PlacementValues, bessel_root
from skcompare.predictions import SCORES, PairedPredictions


class PairRanks(NamedTuple):
    """Ranks of records by the scores of one class, against each other class.

    Counts are doubled, so that half of a tied record is a whole number.
    """

    own: IntArray
    """Positions of the records of the class, in ascending order of their scores."""

    below: IntArray
    """Of each of these, twice the records of every class below it, ties counted half."""

    above: IntArray
    """Of every record, twice the records of the class above it, ties counted half."""

    distinct: int
    """Number of different scores."""


def pair_ranks(scores: FloatArray, codes: IntArray, own: int, n_classes: int) -> PairRanks:
    """Compare the records of one class with those of all others by a column of scores.

    Runs of equal scores that hold a record of the class cut the sorted records into
    stretches: before the first run, the first run, between it and the second one, and so
    on. The records of every class in every stretch are counted once; sums of these counts
    are all that the K - 1 comparisons with single classes need, so that after the sort
    the time is proportional to the records and to `n_classes` times those of the class.
    """
    order = np.argsort(scores)
    values, labels = scores[order], codes[order]
    is_own = labels == own
    begins = np.empty(len(values), dtype=bool)
    begins[:1] = True
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    if begins.all():
        held = is_own
        runs_before = np.cumsum(is_own) - is_own
    else:
        run = np.cumsum(begins) - 1
        run_held = np.zeros(run[-1] + 1, dtype=bool)
        run_held[run[is_own]] = True
        before = np.cumsum(run_held) - run_held
        held, runs_before = run_held[run], before[run]
    stretch = 2 * runs_before + held
    n_stretches = int(stretch[-1]) + 2
    within = np.bincount(stretch * n_classes + labels, minlength=n_stretches * n_classes)
    # Row 0 is empty, so that row s holds the records before stretch s.
    before_stretch = np.zeros((len(within) // n_classes + 1, n_classes), dtype=np.int64)
    np.cumsum(within.reshape(-1, n_classes), axis=0, out=before_stretch[1:])
    own_stretch = stretch[is_own]
    below = before_stretch[own_stretch] + before_stretch[own_stretch + 1]
    own_before = np.ascontiguousarray(before_stretch[:, own])
    above = np.empty(len(values), dtype=np.int64)
    above[order] = 2 * own_before[-1] - own_before[stretch] - own_before[stretch + 1]
    return PairRanks(order[is_own], below, above, int(np.count_nonzero(begins)))


@dataclass(frozen=True, slots=True)
class ClassAreas:
    """AUCs of classes and influence of records, for one classifier.

    Attributes
    ----------
    aucs : ndarray of shape (n_classes,) or (n_classes, n_classes)
        Of each class against the rest; NaN for a class without records, or without others.
        Or, in row j and column k, the probability that a record of class j has a higher
        score of class j than a record of class k; NaN in the diagonal and for absent
        classes.
    influence : ndarray of shape (n_samples, n_classes)
        Scaled so that ``influence.T @ influence`` is the covariance of one-vs-rest `aucs`
        for independent records; for grouped ones its sums per group take its place. NaN for
        a class whose variance is undefined. Of one class against one, that of the record's
        own class c against class k on the mean of both areas of these two classes; 0 for
        its own class.
    distinct : int
        The fewest different scores of a class.
    """

    aucs: FloatArray
    influence: FloatArray
    distinct: int

    @property
    def pair_aucs(self) -> FloatArray:
        """Mean of both AUCs of each pair of classes, a symmetric matrix."""
        return (self.aucs + self.aucs.T) / 2


def one_vs_rest(values: "ClassPlacementValues") -> tuple[ClassAreas, ClassAreas]:
    """Compute AUCs and influence of each class against the rest, for both classifiers.

    They are those of the two classes "this one" and "any other one". Of two classes the
    second column decides, and the first area is the same.
    """
    aucs = np.full((2, values.n_classes), np.nan)
    influence = np.full((2, values.n_classes, values.n), np.nan)
    distinct = [values.n, values.n]
    units, first = values.units, 1 if values.n_classes == 2 else 0
    for k in range(first, values.n_classes):
        if not 0 < values.counts[k] < values.n:
            continue
        placements = values.against_rest(k)
        distinct = list(map(min, distinct, placements.n_distinct))
        aucs[:, k] = placements.aucs
        influence[:, k] = placements.influence(units[k])
    if first:
        aucs[:, 0], influence[:, 0] = aucs[:, 1], influence[:, 1]
    champion, challenger = map(ClassAreas, aucs, np.swapaxes(influence, 1, 2), distinct)
    return champion, challenger


def one_vs_one(values: "ClassPlacementValues") -> tuple[ClassAreas, ClassAreas]:
    """Compute AUCs and influence of each pair of classes, for both classifiers.

    The area of a pair is the mean of that of either class's scores among the records of
    both (Hand and Till 2001). The influence of a record of class c is the mean of its two
    placement values minus their mean over the class, divided as for one class against the
    rest.
    """
    champion, challenger = (
        _of_pairs(scores, values.codes, values.units)
        for scores in (values.champion, values.challenger)
    )
    return champion, challenger


def _of_pairs(scores: FloatArray, codes: IntArray, units: IntArray) -> ClassAreas:
    n, n_classes = scores.shape
    counts = np.bincount(codes, minlength=n_classes)
    aucs = np.full((n_classes, n_classes), np.nan)
    # One row per class, so that values that are added together are contiguous.
    influence = np.zeros((n_classes, n))
    present = np.flatnonzero(counts)
    distinct = n
    first = 1 if n_classes == 2 else 0
    for j in present[present >= first].tolist():
        ranks = pair_ranks(scores[:, j], codes, j, n_classes)
        distinct = min(distinct, ranks.distinct)
        others = present[present != j]
        for k in others.tolist():
            below = ranks.below[:, k]
            aucs[j, k] = below.sum() / (2 * counts[j] * counts[k])
            influence[k, ranks.own] += below / (2 * counts[k]) - aucs[j, k]
        expected = aucs[j, codes]
        # The class against itself is no pair.
        expected[ranks.own] = ranks.above[ranks.own] / (2 * counts[j])
        influence[j] += ranks.above / (2 * counts[j]) - expected
    if first:
        aucs[0, 1] = aucs[1, 0]
        influence *= 2
    factors = [bessel_root(n_units) for n_units in units[:, 0].tolist()]
    with np.errstate(divide="ignore", invalid="ignore"):
        influence *= (np.array(factors) / (2 * counts))[codes]
    return ClassAreas(aucs, influence.T, distinct)


def _check_positions(name: str, values: Any) -> IntArray:
    array = np.array(values)
    if array.dtype.kind not in "iu":
        raise ValueError(
            f"`{name}` must be positions in `classes`. Got {values!r:.60}. Make them from "
            "labels by from_predictions."
        )
    return array


def _check_two_classes(name: str, classes: Any) -> np.ndarray:
    array = check_classes(name, classes)
    if len(array) < 2:
        raise ValueError(
            f"An area under a curve needs two classes. Got {some_of(array)}. Name the "
            "classes that do not occur by `labels`."
        )
    return array


def _check_columns(name: str, values: Any) -> FloatArray:
    try:
        # Columns are contiguous, because they are sorted one by one.
        scores = np.array(values, dtype=np.float64, order="F")
    except (TypeError, ValueError):
        raise ValueError(
            f"`{name}` must be scores, one column per class. Got {values!r:.60}."
        ) from None
    if not np.isfinite(scores).all():
        raise ValueError(f"`{name}` must be finite. Got NaN or infinity.")
    return scores


_COLUMNS = array_of(_check_columns, "n_samples", "n_classes") | {"merge": joined}


def _same_classes(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    if not np.array_equal(first, second):
        raise ValueError(
            "Only scores of the same classes can be merged. Got "
            f"{some_of(first)} and {some_of(second)}. Name all classes by `labels` when "
            "each shard is made."
        )
    return first


@dataclass(frozen=True, slots=True, eq=False)
class ClassPlacementValues(Mergeable):
    """Scores of each class by two classifiers, for multiclass AUCs.

    A record is a positive of its own class and a negative of all others, so that the areas
    of the classes are correlated. The influence of each record on each area is therefore
    kept: :meth:`one_vs_rest` has it for each class against all others, and
    :meth:`one_vs_one` for each two classes. Both are computed when they are first used.
    The scores are kept, so that evidence of shards is merged by ranking again.

    Parameters
    ----------
    codes : array-like of shape (n_samples,)
        True class of each record, as a position in `classes`.
    champion, challenger : array-like of shape (n_samples, n_classes)
        Probabilities or other scores, one column per class, greater for that class. Of two
        classes only the second column is ranked, as scikit-learn does.
    classes : array-like of shape (n_classes,)
        Class labels, sorted. Not all need occur.
    groups : array-like of shape (n_samples,), optional
        Group of each record, where records of one group belong together.
    design : Design or str, default="holdout"
        How the records were collected.

    Raises
    ------
    ValueError
        If shapes do not fit, a score is not finite, or there is only one class.

    Examples
    --------
    >>> from skcompare.evidence import ClassPlacementValues
    >>> values = ClassPlacementValues.from_predictions(
    ...     ["a", "a", "b", "b", "c", "c"],
    ...     [[0.6, 0.2, 0.2], [0.3, 0.4, 0.3], [0.2, 0.6, 0.2], [0.5, 0.3, 0.2],
    ...      [0.1, 0.2, 0.7], [0.3, 0.3, 0.4]],
    ...     [[0.7, 0.2, 0.1], [0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.3, 0.4, 0.3],
    ...      [0.1, 0.1, 0.8], [0.2, 0.3, 0.5]],
    ... )
    >>> values.n, values.classes.tolist(), values.counts.tolist()
    (6, ['a', 'b', 'c'], [2, 2, 2])
    >>> [values.one_vs_rest(role).aucs.round(3).tolist() for role in (0, 1)]
    [[0.812, 0.812, 1.0], [1.0, 1.0, 1.0]]
    """

    codes: IntArray = field(
        metadata=array_of(_check_positions, "n_samples") | {"merge": joined}
    )
    champion: FloatArray = field(metadata=_COLUMNS | {"swap": "challenger"})
    challenger: FloatArray = field(metadata=_COLUMNS | {"swap": "champion"})
    classes: np.ndarray = field(
        metadata=array_of(_check_two_classes, "n_classes") | {"merge": _same_classes}
    )
    groups: np.ndarray | None = field(default=None, metadata=GROUPS)
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)
    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    required: ClassVar[frozenset[str]] = frozenset({SCORES})
    least_per_class: ClassVar[int] = 2

    def _check_together(self) -> None:
        check_same_length(codes=self.codes)
        if self.codes.min() < 0 or self.codes.max() >= len(self.classes):
            raise ValueError(
                f"`codes` must be positions in {len(self.classes)} classes. Got values "
                f"from {self.codes.min()} to {self.codes.max()}."
            )

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f"n_groups={self.n_units}, "
        return (
            f"ClassPlacementValues(n={self.n}, {groups}classes=[{some_of(self.classes)}], "
            f"design={self.design.name!r})"
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        champion_proba: ArrayLike,
        challenger_proba: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> "ClassPlacementValues":
        """Construct from true labels and the probabilities of both classifiers.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        champion_proba, challenger_proba : array-like of shape (n_samples, n_classes)
            Probabilities, one column per class in sorted order; of two classes also those
            of the second one, of shape (n_samples,).
        labels : array-like of shape (n_classes,), optional
            All class labels, where `y_true` may lack some of them.
        groups : array-like of shape (n_samples,), optional
            Group of each record; the design is then that of grouped records.
        """
        truth = check_labels("y_true", y_true)
        all_labels = truth if labels is None else check_labels("labels", labels)
        classes = np.unique(all_labels)
        inputs = {"champion_proba": champion_proba, "challenger_proba": challenger_proba}
        champion, challenger = (
            check_probabilities(*item, len(classes)) for item in inputs.items()
        )
        check_same_length({"y_true": truth}, inputs)
        codes = class_codes("y_true", truth, classes)
        design = Design("holdout", grouped=groups is not None)
        return cls(codes, champion, challenger, classes, groups, design)  # type: ignore[arg-type]

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "ClassPlacementValues":
        """Construct from the probabilities for all test sets, or else from decision scores.

        Groups are positions in their sorted labels, and mean the same in shards of these
        predictions only.
        """
        predictions = pair.predictions
        codes = predictions.y_predicted()
        groups = groups_of(predictions)
        champion, challenger = map(scores_of, pair.roles)
        return cls(codes, champion, challenger, predictions.classes, groups, pair.design)

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def counts(self) -> IntArray:
        """Number of records of each class."""
        return np.bincount(self.codes, minlength=self.n_classes)

    @property
    def is_grouped(self) -> bool:
        """Whether records within a group are dependent, and the groups are known."""
        return self.groups is not None and self.design.grouped

    @property
    def n_units(self) -> int:
        """Number of groups, or of records if ungrouped."""
        return int(self.unit_codes.max()) + 1 if self.is_grouped else self.n

    @property
    def unit_codes(self) -> IntArray:
        """Position of each record's group, or of the record itself if ungrouped."""
        if "units" not in self._cache:
            self._cache["units"] = (
                group_codes(self.groups) if self.is_grouped else np.arange(self.n)
            )
        units: IntArray = self._cache["units"]
        return units

    @property
    def units(self) -> IntArray:
        """Number of groups with a record of each class, and with one of another class.

        Of independent records these are the records themselves; of shape (n_classes, 2).
        """
        counts = self.counts
        if not self.is_grouped:
            return np.column_stack([counts, self.n - counts])
        of_unit = np.zeros((self.n_units, self.n_classes), dtype=np.int64)
        np.add.at(of_unit, (self.unit_codes, self.codes), 1)
        others = of_unit.sum(axis=1, keepdims=True) - of_unit
        return np.column_stack([(of_unit > 0).sum(axis=0), (others > 0).sum(axis=0)])

    def against_rest(self, position: int) -> PlacementValues:
        """Return the evidence about one class against the rest: that of two classes.

        Parameters
        ----------
        position : int
            Position of the class in `classes`.

        Returns
        -------
        placements : PlacementValues
            Its records are positive, those of all other classes negative, and its column
            of either role has the scores.
        """
        return PlacementValues(
            self.codes == position,
            [self.champion[:, position], self.challenger[:, position]],  # type: ignore[arg-type]
            ROLES,
            self.groups,
            self.design,
            self.classes[position].item(),
        )

    def one_vs_rest(self, role: int) -> ClassAreas:
        """Return the one-vs-rest AUCs of the champion (0) or challenger (1)."""
        return self._once(one_vs_rest)[role]

    def one_vs_one(self, role: int) -> ClassAreas:
        """Return the one-vs-one AUCs of the champion (0) or challenger (1)."""
        return self._once(one_vs_one)[role]

    def _once(self, function: Any) -> tuple[ClassAreas, ClassAreas]:
        if function not in self._cache:
            both = function(self)
            for areas in both:
                areas.aucs.setflags(write=False)
                areas.influence.setflags(write=False)
            self._cache[function] = both
        areas_of_both: tuple[ClassAreas, ClassAreas] = self._cache[function]
        return areas_of_both

    def sums_by_unit(self, values: FloatArray) -> FloatArray:
        """Sum values over the records of each unit, along the first axis."""
        if not self.is_grouped:
            return values
        columns = values.reshape(self.n, -1).T
        sums = [np.bincount(self.unit_codes, column, self.n_units) for column in columns]
        totals: FloatArray = np.stack(sums, axis=1, dtype=np.float64)
        return totals.reshape(self.n_units, *values.shape[1:])
