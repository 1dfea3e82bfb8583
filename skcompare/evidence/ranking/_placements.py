"""Placement values of the records of two classes, by the scores of classifiers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import AS_DESIGN, array_of
from skcompare._core.design import GROUPED_HOLDOUT, HOLDOUT, Design
from skcompare._core.score_bins import ScoreBins
from skcompare._core.validation import (
    check_count,
    check_labels,
    check_pos_label,
    check_same_length,
    encode_labels,
    group_codes,
    positive_class,
    some_of,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._counting import groups_of
from skcompare.evidence.core._storage import GROUPS, Mergeable, joined_groups
from skcompare.evidence.ranking._cells import (
    cell_counts,
    check_mask,
    check_names,
    check_repeats,
    checked_scores,
    counted_parts,
    plain_score_bins,
    scores_of,
    totals_of_scores,
)
from skcompare.evidence.ranking._ranks import (
    PlacementSums,
    cell_sums,
    device_ranks,
    placement_counts_of,
    placement_sums,
    same_ranking,
)
from skcompare.evidence.tally._tally import Tally, TallyRequest
from skcompare.evidence.tally._tally_engine import EngineTally
from skcompare.predictions import SCORES, ColumnRoles, PairedPredictions, Predictions

ROUNDED_UP = 1 + 1e-9
"""Factor that makes up for the rounding of sums, so that bounds stay bounds."""

ROUNDING = 4 * float(np.finfo(np.float64).eps)


class ContrastBounds(NamedTuple):
    """Bounds of the error of a weighted sum of AUCs due to score bins."""

    estimate: float
    """Of the weighted sum."""

    variance: float
    """Of its variance."""

    standard_error: float
    """Of the root of its variance."""

    expected: float
    """Error of the weighted sum to expect, as a root of a mean square; not a bound."""


class BinErrors(NamedTuple):
    """Placement values of cells, bounds of their errors, and weights."""

    values: FloatArray
    """Minus their mean, of shape (n_scores, n_cells)."""

    errors: FloatArray
    """Greatest distance from the placement values by the scores, of the same shape."""

    weights: FloatArray
    """Records over m (m - 1) or n (n - 1), of shape (n_cells,)."""

    shares: FloatArray
    """Records over n_positives for positive cells and 0 for others."""

    @property
    def aucs(self) -> FloatArray:
        """Error bounds of the AUCs."""
        bounds: FloatArray = self.errors @ self.shares * ROUNDED_UP
        return bounds

    @property
    def covariance(self) -> FloatArray:
        """Error bounds of the covariances, of shape (n_scores, n_scores)."""
        weighted = self.errors * self.weights
        linear = (np.abs(self.values) + ROUNDING) @ weighted.T
        squares = (weighted * self.errors).sum(axis=1)
        quadratic = np.sqrt(np.outer(squares, squares))
        bounds: FloatArray = (linear + linear.T + quadratic) * ROUNDED_UP
        # Scores that are not binned add no error, not even by rounding.
        bounds[np.ix_(squares == 0, squares == 0)] = 0.0
        return bounds

    def contrast(
        self, weights: FloatArray, variance: float, expected: float
    ) -> ContrastBounds:
        """Compute error bounds of a weighted sum of AUCs, given its variance."""
        errors = np.abs(weights) @ self.errors
        if not errors.any():
            return ContrastBounds(0.0, 0.0, 0.0, 0.0)
        estimate = float(errors @ self.shares) * ROUNDED_UP
        # It may exceed the bound where bins nearly separate the classes, and half of the
        # bins do not.
        expected = min(expected, estimate)
        if math.isnan(variance):
            return ContrastBounds(estimate, math.nan, math.nan, expected)
        weighted = errors * self.weights
        size = float(np.abs(weights).sum())
        linear = 2 * float((np.abs(weights @ self.values) + size * ROUNDING) @ weighted)
        squares = float(weighted @ errors)
        standard_error, root = math.sqrt(max(0.0, variance)), math.sqrt(squares)
        upper = min(standard_error + root, math.sqrt(max(0.0, variance) + linear + squares))
        lower = max(0.0, standard_error - root, math.sqrt(max(0.0, variance - linear)))
        return ContrastBounds(
            estimate,
            (linear + squares) * ROUNDED_UP,
            max(upper - standard_error, standard_error - lower) * ROUNDED_UP,
            expected,
        )


def auc_of(positives: IntArray, negatives: IntArray) -> float:
    """AUC from the records of each class at each score, by increasing score."""
    outranked = 2 * (np.cumsum(negatives) - negatives) + negatives
    p, q = positives.tolist(), negatives.tolist()
    pairs = sum(a * b for a, b in zip(p, outranked.tolist(), strict=True))
    return float(pairs / (2 * sum(p) * sum(q)))


def bessel_root(n_units: int) -> float:
    """Square root of Bessel's correction, n / (n - 1); NaN for one unit."""
    return float(np.sqrt(n_units / (n_units - 1))) if n_units > 1 else math.nan


def _repeats(placements: "PlacementValues") -> IntArray:
    if placements.repeats is None:
        return np.ones(len(placements.positive), dtype=np.int64)
    return placements.repeats


def _common_score_bins(
    own: Sequence[ScoreBins], others: Sequence[ScoreBins], names: Sequence[str]
) -> tuple[ScoreBins, ...]:
    """Return common bins of two shards; unbinned scores take those of the other shard."""
    common = []
    for first, second, name in zip(own, others, names, strict=True):
        if first != second and not first.is_distinct and not second.is_distinct:
            raise ValueError(
                f"Only scores with equal bins can be merged. Got {first.n_score_bins} and "
                f"{second.n_score_bins} bins of {name} that differ. Make ScoreBins once "
                "and pass them as `score_bins` for every shard."
            )
        common.append(second if first.is_distinct else first)
    return tuple(common)


def _coded(
    scores: FloatArray, own: Sequence[ScoreBins], score_bins: Sequence[ScoreBins]
) -> NDArray[np.float64]:
    rows = [
        # Scores that are binned already stay as they are.
        score if not current.is_distinct else common.codes(score)
        for score, current, common in zip(scores, own, score_bins, strict=True)
    ]
    return np.array(rows, dtype=np.float64)


ROLES = ("champion", "challenger")

COLLECTED = 10_000_000
"""Most records whose scores are collected in order to be sorted."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlacementValues(Mergeable):
    """Placement values of the records of two classes by the scores of classifiers.

    The placement value of a positive record is the share of the negative records that it
    outranks, that of a negative record the share of the positive ones that outrank it, and
    a tie counts a half. Their mean is the area under the ROC curve (AUC), and their
    covariance over records is all that a comparison of AUCs needs [1]_. They are counted
    by one sort per score [2]_ when they are first used; the scores are kept, so that
    shards can be merged and ranked again.

    Of more records than fit, *cells* are kept: rows of equal class and scores with the
    number of their records, `repeats`. Results from cells are exactly those from the
    records. Cells are few where scores have few different values, or are binned by
    :class:`ScoreBins`; the error of binning is then bounded by `auc_bounds`,
    `covariance_bounds` and :meth:`contrast_bounds`.

    Parameters
    ----------
    positive : array-like of shape (n_samples,)
        True for the records of the positive class.
    scores : array-like of shape (n_scores, n_samples)
        Scores, one row per classifier, greater for the positive class. The direction is
        never guessed: a classifier that ranks the wrong way round has an AUC below 0.5.
    names : iterable of str, optional
        Names of the classifiers, all different; by default "classifier 1" and so on.
    groups : array-like of shape (n_samples,), optional
        Group of each record, where records come in groups that belong together.
    design : Design or str, optional
        How the records were collected; "holdout" or "grouped holdout" by default.
    pos_label : label, default=1
        Label of the positive class. Shards must agree on it.
    repeats : array-like of shape (n_samples,), optional
        Number of records of each row. Rows of equal class and scores are merged, and are
        sorted. Cells have no groups.
    score_bins : ScoreBins, or one for each classifier, optional
        Bins of the scores, where `scores` are numbers of bins from 0; one record per row
        without `repeats`.

    Attributes
    ----------
    positive : ndarray of shape (n_samples,), dtype bool
    scores : ndarray of shape (n_scores, n_samples), dtype float64
    repeats : ndarray of shape (n_samples,), dtype int64, or None
    score_bins : tuple of ScoreBins, or None where scores are not binned

    Raises
    ------
    ValueError
        If a score is missing, infinite, or a number that float64 rounds; if lengths
        differ; if cells have groups, or scores that are not bin numbers. One class only
        is an error where an AUC is requested, because a shard may lack the other.

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
    """

    positive: NDArray[np.bool_] = field(metadata=array_of(check_mask, "n_samples"))
    scores: FloatArray
    names: tuple[str, ...] = None  # type: ignore[assignment]
    groups: NDArray[Any] | None = field(default=None, metadata=GROUPS)
    design: Design = field(default=None, metadata=AS_DESIGN)  # type: ignore[assignment]
    pos_label: Any = 1
    repeats: IntArray | None = field(
        default=None, metadata=array_of(check_repeats, "n_samples")
    )
    score_bins: tuple[ScoreBins, ...] | None = None
    # Ranking and summation take longer than any test, and several tests need the same.
    _ranks: tuple[IntArray, list[int]] | None = field(default=None, init=False)
    _sums: PlacementSums | None = field(default=None, init=False)

    required: ClassVar[frozenset[str]] = frozenset({SCORES})
    counted: ClassVar[str] = "ranking"
    difference_bound: ClassVar[float] = 1.0
    takes_decision: ClassVar[bool] = True
    max_classes: ClassVar[int] = 2
    least_per_class: ClassVar[int] = 2

    def _check_together(self) -> None:
        self._set(**checked_scores(self))
        if self.design is None:
            self._set(design=HOLDOUT if self.groups is None else GROUPED_HOLDOUT)

    @classmethod
    def from_tally(cls, tally: Tally) -> "PlacementValues":
        """Construct from a tally of rankings."""
        tallied = tally.cells(["y", "level_0", "level_1"])
        scores = [tallied.keys["level_0"], tallied.keys["level_1"]]
        plan = tally.plan
        label = tally.classes[plan.ranked]
        return cls(
            tallied.keys["y"] == plan.ranked,
            np.array(scores, dtype=np.float64),
            tally.names,
            None,
            plan.design,
            label.item(),
            tallied.counts,
            plan.score_bins,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        pos_label: Any = None,
        n_score_bins: int = ScoreBins.default,
        score_bins: Any = None,
        collect: int = COLLECTED,
        id: str | None = None,
        groups: Any = None,
    ) -> "PlacementValues":
        """Rank the records of a hold-out set, from columns of data frames or files.

        Records in memory are ranked as they are, and those of an engine as well where
        there are at most `collect`: labels and scores are collected and sorted. Of more
        records an engine counts the bins of their scores, by one group-by; areas under
        the curve then have a stated bound on their error, see
        :doc:`/user_guide/large_auc`.

        Parameters
        ----------
        frame, id
            As for :meth:`JointCounts.from_frame`.
        y_true : str or tuple
            Column of true labels, of two classes.
        champion, challenger : str or tuple
            Columns of probabilities of the positive class, or of any scores that are
            greater for it.
        pos_label : label, optional
            The positive class; 1 or True by default.
        n_score_bins : int, default=512
            Bins of the scores of each classifier. Scores with no more different values
            are ranked exactly.
        score_bins : ScoreBins or pair of ScoreBins, optional
            The bins, where they are fixed; records are then counted, however few.
        collect : int, default=10_000_000
            Most records of an engine that are collected. With 0 none are.
        groups : str or tuple, optional
            Column of the group of each record; such records are not counted by bins.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import PlacementValues
        >>> frame = pd.DataFrame({
        ...     "y": [0, 0, 1, 1], "a": [0.1, 0.4, 0.35, 0.8], "b": [0.2, 0.3, 0.3, 0.9]
        ... })
        >>> PlacementValues.from_frame(frame).aucs.tolist()
        [0.75, 0.875]
        """
        check_count("collect", collect, least=0)
        scores = {"champion": champion, "challenger": challenger}
        roles = ColumnRoles(frame, y_true, scores, id, groups, kind=SCORES)
        columns = roles.on_engine()
        if columns is None or (score_bins is None and columns.table.n_records() <= collect):
            truth, arrays, group, *_ = roles.read()
            return cls.from_predictions(
                truth,  # type: ignore[arg-type]
                *arrays.values(),
                pos_label=pos_label,
                groups=group,
                score_bins=score_bins,
                names=ROLES,
            )
        request = TallyRequest(
            ranking=True,
            n_score_bins=n_score_bins,
            score_bins=score_bins,
            pos_label=pos_label,
        )
        request.check_groups(groups is not None)
        return cls.from_tally(EngineTally(columns, request).tally())

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.positive) if self.repeats is None else int(self.repeats.sum())

    @property
    def n_scores(self) -> int:
        """Number of classifiers."""
        return len(self.scores)

    @property
    def n_independent(self) -> int | None:
        """Number of disjoint pairs of a positive and a negative record.

        They are independent, and the difference of two AUCs is the mean difference of one.
        """
        return min(self.n_positives, self.n_negatives) if self.n_scores == 2 else None

    @property
    def constant_difference(self) -> float | None:
        """Difference of all pairs of records, or None if they vary."""
        champion, challenger = self.aucs.tolist()
        all_alike = champion == challenger and champion in (0.0, 1.0)
        equal = all_alike or same_ranking(self.scores[0], self.scores[1])
        return 0.0 if equal else None

    @property
    def n_positives(self) -> int:
        """Number of records of the positive class."""
        if self.repeats is not None:
            return int(self.repeats[self.positive].sum())
        return int(np.count_nonzero(self.positive))

    @property
    def n_negatives(self) -> int:
        """Number of records of the negative class."""
        return self.n - self.n_positives

    @property
    def aucs(self) -> FloatArray:
        """Area under the ROC curve of each classifier."""
        if self._sums is None and self.repeats is None:
            # Counts alone do, and products take longer.
            totals = self.counts.sum(axis=1, dtype=np.int64).tolist()
            pairs = self.n_positives * self.n_negatives
            return np.array([total / (4 * pairs) for total in totals])
        sums = self.sums
        return np.array([total / sums.total_of_one for total in sums.totals])

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix of the AUCs, of shape (n_scores, n_scores).

        NaN where a class has one record, which gives no information on its variation.
        """
        sums = self.sums
        if not sums.scale:
            return np.full((self.n_scores, self.n_scores), np.nan)
        return np.array([[value / sums.scale for value in row] for row in sums.covariance])

    @property
    def counts(self) -> IntArray:
        """Twice the number of other-class records that each record outranks; ties count 1.

        For negative records, that outrank it. Of shape (n_scores, n_samples), in the order
        of the records; of cells, for a record of each.
        """
        return self._ranked()[0]

    @property
    def n_distinct(self) -> list[int]:
        """Number of distinct scores of each classifier."""
        return self._ranked()[1]

    @property
    def sums(self) -> PlacementSums:
        """Exact sums of the counts and of their products, as integers."""
        if self._sums is None:
            if self.repeats is None:
                sums = placement_sums(self.counts, self.positive)
            else:
                sums = cell_sums(self.counts, self.positive, self.repeats)
            object.__setattr__(self, "_sums", sums)
        return self._sums  # type: ignore[return-value]

    @property
    def is_exact(self) -> bool:
        """Whether records are ranked by the scores themselves, not by binned scores."""
        return self.score_bins is None

    @property
    def auc_bounds(self) -> FloatArray:
        """Bounds of the error of each AUC due to score bins.

        All pairs of a positive and a negative record in one bin count a half, and might
        count 0 or 1: the bound is half their share of all pairs. 0 without bins.
        """
        return self._bin_errors().aucs

    @property
    def covariance_bounds(self) -> FloatArray:
        """Bounds of the error of `covariance` due to score bins.

        NaN where the covariance is, and 0 without bins.
        """
        return self._bin_errors().covariance

    @property
    def expected_auc_errors(self) -> FloatArray:
        """Expected error of each AUC due to score bins.

        Bounds are for the worst possible scores. This is for scores in no particular order
        within a bin, apart from the trend that AUCs by half of the bins show: the root of
        the mean square of both, never more than the bound, but not a bound itself. 0
        without bins.
        """
        deviations, changes = self._order_errors()
        return np.minimum(np.hypot(deviations, changes / 3), self.auc_bounds)

    @property
    def halved_aucs(self) -> FloatArray:
        """AUCs from half of the bins, with every two neighbours merged."""
        return self.aucs - self._order_errors()[1]

    def contrast_bounds(self, weights: Sequence[float] = (-1.0, 1.0)) -> ContrastBounds:
        """Compute bounds of the error of a weighted sum of AUCs due to score bins.

        Parameters
        ----------
        weights : sequence of float of length n_scores, default=(-1, 1)
            Weight of each classifier; by default of the difference of two.

        Returns
        -------
        bounds : ContrastBounds
            Of the sum (`estimate`), of its `variance` and of its `standard_error`, NaN
            where a variance is; and the error that is `expected` of the sum, for which the
            orders of different classifiers within bins are assumed to be independent.
        """
        factors = np.asarray(weights, dtype=np.float64)
        if factors.shape != (self.n_scores,) or not np.isfinite(factors).all():
            raise ValueError(
                f"`weights` must have {self.n_scores} finite numbers, one per classifier. "
                f"Got {weights!r}."
            )
        deviations, changes = self._order_errors()
        expected = float(
            np.hypot(np.linalg.norm(factors * deviations), factors @ changes / 3)
        )
        variance = float(factors @ self.covariance @ factors)
        return self._bin_errors().contrast(factors, variance, expected)

    def values(self, i: int) -> tuple[FloatArray, FloatArray]:
        """Return the placement values of positive and negative records by one score."""
        self._check_single("Placement values of single records are")
        counts = self.counts[i]
        positives, negatives = counts[self.positive], counts[~self.positive]
        return positives / (2 * self.n_negatives), negatives / (2 * self.n_positives)

    def influence(self, units: Sequence[int] | None = None) -> FloatArray:
        """Influence of each record on each AUC, of shape (n_scores, n_samples).

        A positive record adds ``(V10 - AUC) / n_positives`` and a negative one
        ``(V01 - AUC) / n_negatives``, with its placement value (DeLong et al. 1988). The
        divisor of a sample covariance makes these ``sqrt(m (m - 1))`` and
        ``sqrt(n (n - 1))``, so that ``influence @ influence.T`` is `covariance`.

        Parameters
        ----------
        units : pair of int, optional
            Independent units with a positive record, and with a negative one; by default
            the records themselves. Of groups their numbers take the place of those of
            records in the ratio of the two divisors. NaN for one unit.
        """
        self._check_single("The influence of single records is")
        m, n = self.n_positives, self.n_negatives
        counts, positive = self.counts, self.positive
        own, others = map(bessel_root, (m, n) if units is None else units)
        shares = np.where(positive, 1 / (2 * n), 1 / (2 * m))
        values: FloatArray = np.multiply(counts, shares, dtype=np.float64)
        values -= self.aucs[:, np.newaxis]
        values *= np.where(positive, own / m, others / n)
        return values

    def _check_single(self, what: str) -> None:
        """Raise an error that names what cells do not have."""
        if self.repeats is not None:
            raise ValueError(
                f"{what} not known, because records were counted in cells (`repeats`). "
                "Make PlacementValues of the records, without `n_score_bins` and "
                "`score_bins`, or use delong, which needs cells only."
            )

    def _bin_errors(self) -> BinErrors:
        """Compute errors of placement values, from the counts and the bins of cells."""
        counts, positive, repeats = self.counts, self.positive, _repeats(self)
        m, n = self.n_positives, self.n_negatives
        others = np.where(positive, n, m)
        values = counts / (2.0 * others)
        errors = np.zeros(self.scores.shape)
        for row, score, bins in zip(errors, self.scores, self._own_bins, strict=True):
            if not bins.is_distinct:
                codes, p, q = totals_of_scores(score, positive, repeats)
                row[:] = np.where(positive, q[codes], p[codes]) / (2.0 * others)
        shares = np.where(positive, repeats / m, 0.0)
        values -= (values @ shares)[:, np.newaxis]
        # A class of one record has no variance, and no bound of it.
        divisors = np.where(positive, m * (m - 1.0), n * (n - 1.0))
        weights = np.divide(
            repeats, divisors, out=np.full(len(divisors), np.nan), where=divisors > 0
        )
        return BinErrors(values, errors, weights, shares)

    def _ranked(self) -> tuple[IntArray, list[int]]:
        if not 0 < self.n_positives < self.n:
            present = "positive" if self.n_positives else "negative"
            raise ValueError(
                "An AUC needs records of both classes. Got "
                f"{self.n} {present} ones and no other (pos_label={self.pos_label!r}). "
                "Collect records of the other class, or merge shards before testing."
            )
        if self._ranks is None:
            if self.repeats is None:
                counts, distinct = placement_counts_of(self.scores, self.positive)
            else:
                counts, distinct = cell_counts(self.scores, self.positive, self.repeats)
            counts.setflags(write=False)
            object.__setattr__(self, "_ranks", (counts, distinct))
        return self._ranks  # type: ignore[return-value]

    def _order_errors(self) -> tuple[FloatArray, FloatArray]:
        """Compute the expected errors of AUCs, apart from their bounds.

        Returns
        -------
        deviations : ndarray of shape (n_scores,)
            Standard deviations, if records within a bin come in any order.
        changes : ndarray of shape (n_scores,)
            Changes of the AUCs if every two neighbouring bins were one.
        """
        deviations, changes = np.zeros(self.n_scores), np.zeros(self.n_scores)
        for i, (score, bins) in enumerate(zip(self.scores, self._own_bins, strict=True)):
            if bins.is_distinct:
                continue
            _, *halves = totals_of_scores(score // 2, self.positive, _repeats(self))
            changes[i] = self.aucs[i] - auc_of(*halves)
            _, *totals = totals_of_scores(score, self.positive, _repeats(self))
            positives, negatives = (total.astype(np.float64) for total in totals)
            products = positives * negatives * (positives + negatives + 1)
            variance = float(products.sum()) / 12
            deviations[i] = math.sqrt(variance) / (positives.sum() * negatives.sum())
        return deviations, changes

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f", n_groups={self.n_groups}"
        if self.repeats is not None:
            groups = f", n_cells={len(self.repeats)}"
        return (
            f"PlacementValues(n_positives={self.n_positives}, "
            f"n_negatives={self.n_negatives}, names={list(self.names)}{groups}, "
            f"design={self.design.name!r})"
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        *scores: ArrayLike,
        pos_label: Any = None,
        groups: ArrayLike | None = None,
        names: Iterable[str] | None = None,
        n_score_bins: int | None = None,
        score_bins: ScoreBins | Sequence[ScoreBins] | None = None,
    ) -> "PlacementValues":
        """Rank the records of a hold-out set by the scores of classifiers.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels, of two classes.
        *scores : array-like of shape (n_samples,)
            One array per classifier: probabilities of the positive class, decision scores,
            or any numbers that are greater for it. The first is the champion, the second
            the challenger.
        pos_label : label, optional
            The positive class; 1 or True by default.
        groups : array-like of shape (n_samples,), optional
            Group of each record: numbers or strings.
        names : iterable of str, optional
            Names of the classifiers.
        n_score_bins : int, optional
            Count the records in cells, a block of them at a time, so that little memory is
            used beyond that of the arrays: by the scores of a classifier themselves where
            they have at most `n_score_bins` different values, else by `n_score_bins` bins
            that are chosen for a sample of them (:meth:`ScoreBins.quantised`). By default
            all records are kept.
        score_bins : ScoreBins, or one for each classifier, optional
            Count the records in cells of these bins. Shards that are made with the same
            bins add up to exactly the cells of all records.
        """
        classifiers = check_names(names, len(scores))
        if n_score_bins is not None or score_bins is not None:
            if groups is not None or (n_score_bins is not None and score_bins is not None):
                raise ValueError(
                    "Of `groups`, `n_score_bins` and `score_bins` only one can be used. "
                    "Records of groups are kept one by one, and `score_bins` says how many "
                    "there are."
                )
            parts = counted_parts(
                y_true, scores, classifiers, pos_label, n_score_bins, score_bins
            )
            return cls(*parts)
        truth = check_labels("y_true", y_true)
        titles = [f"scores of {name}" for name in classifiers]
        check_same_length({"y_true": truth}, dict(zip(titles, scores, strict=True)))
        classes, (codes,) = encode_labels(truth, {})
        label = positive_class(classes, pos_label)
        positions = np.flatnonzero(classes == label)
        positive = (
            codes == positions[0] if len(positions) else np.zeros(len(truth), dtype=bool)
        )
        label = label.item() if isinstance(label, np.generic) else label
        placements = cls(positive, scores, classifiers, groups, None, label)  # type: ignore[arg-type]
        on_device = device_ranks(scores, placements.positive)
        if on_device is not None:
            ranks, sums = on_device
            placements._set(_ranks=ranks, _sums=sums)
        return placements

    @classmethod
    def from_pair(
        cls, pair: PairedPredictions, *, pos_label: Any = None
    ) -> "PlacementValues":
        """Rank the records by both scores, as :meth:`from_predictions_of` does."""
        return cls.from_predictions_of(pair.alone, pos_label=pos_label)

    @classmethod
    def from_predictions_of(
        cls, predictions: Predictions, *, pos_label: Any = None
    ) -> "PlacementValues":
        """Rank the pooled records of all test sets by the scores of all classifiers.

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
        return cls(
            predictions.y_predicted() == column,
            [scores_of(classifier)[:, column] for classifier in predictions.estimators],  # type: ignore[arg-type]
            predictions.names,
            groups_of(predictions),
            predictions.design,
            classes[column].item(),
        )

    @property
    def n_groups(self) -> int | None:
        """Number of groups, or None if the records have none."""
        return None if self.groups is None else len(np.unique(self.groups))

    def group_codes(self) -> IntArray:
        """Return the group of each record as a position among the sorted groups."""
        if self.groups is None:
            raise ValueError(
                "The records have no groups. Pass `groups`, the group of each record, or "
                "use a test of independent records, such as delong."
            )
        return group_codes(self.groups)

    def swap(self) -> "PlacementValues":
        """Reverse the order of the classifiers; exchange the roles if there are two."""
        score_bins = None if self.score_bins is None else self.score_bins[::-1]
        return replace(
            self, scores=self.scores[::-1], names=self.names[::-1], score_bins=score_bins
        )

    def _merged(self, other: "PlacementValues") -> "PlacementValues":
        rule = "Only scores of the same classifiers can be merged."
        self._check_same("names", other, rule)
        if self.pos_label != other.pos_label:
            raise ValueError(
                "Only scores for the same positive class can be merged. Got "
                f"{self.pos_label!r} and {other.pos_label!r}."
            )
        score_bins, repeats = None, None
        first, second = self.scores, other.scores
        if self.repeats is not None or other.repeats is not None:
            own, others = self._own_bins, other._own_bins
            score_bins = _common_score_bins(own, others, self.names)
            repeats = np.concatenate([_repeats(self), _repeats(other)])
            first, second = (
                _coded(first, own, score_bins),
                _coded(second, others, score_bins),
            )
        return replace(
            self,
            positive=np.concatenate([self.positive, other.positive]),
            scores=np.concatenate([first, second], axis=1),
            groups=joined_groups(self.groups, other.groups),
            repeats=repeats,
            score_bins=score_bins,
        )

    @property
    def _own_bins(self) -> tuple[ScoreBins, ...]:
        """Score bins of each classifier."""
        return plain_score_bins(self.score_bins, self.n_scores)
