"""Areas under ROC curves from placement values, and how far levels may move them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.score_bins import Levels
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence._merge import Mergeable
from skcompare.evidence._placement_bounds import (
    ContrastBounds,
    LevelErrors,
    level_errors,
    order_errors,
)
from skcompare.evidence._placement_cells import cell_counts
from skcompare.evidence._placement_ranks import placement_counts_of
from skcompare.evidence._placement_sums import PlacementSums, cell_sums, placement_sums
from skcompare.evidence._placement_tally import plain_levels


class PlacementAreas(Mergeable):
    """What placement values say of records and of cells of them alike."""

    __slots__ = ()

    positive: NDArray[np.bool_]
    scores: FloatArray
    pos_label: Any
    repeats: IntArray | None
    levels: tuple[Levels, ...] | None
    _ranks: tuple[IntArray, list[int]] | None
    _sums: PlacementSums | None

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.positive) if self.repeats is None else int(self.repeats.sum())

    @property
    def n_scores(self) -> int:
        """Number of classifiers."""
        return len(self.scores)

    @property
    def n_positives(self) -> int:
        """Records of the positive class."""
        if self.repeats is not None:
            return int(self.repeats[self.positive].sum())
        return int(np.count_nonzero(self.positive))

    @property
    def n_negatives(self) -> int:
        """Records of the negative class."""
        return self.n - self.n_positives

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
        of the records; of cells, for a record of each.
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
            if self.repeats is None:
                sums = placement_sums(self.counts, self.positive)
            else:
                sums = cell_sums(self.counts, self.positive, self.repeats)
            object.__setattr__(self, "_sums", sums)
        return self._sums  # type: ignore[return-value]

    @property
    def is_exact(self) -> bool:
        """Whether records are ranked by the scores themselves, not by levels of them."""
        return self.levels is None

    @property
    def auc_bounds(self) -> FloatArray:
        """How far each AUC may be from that of the scores themselves.

        All pairs of a positive and a negative record in one level count a half, and might
        count 0 or 1: the bound is half their share of all pairs. 0 without levels.
        """
        return self._level_errors().aucs

    @property
    def covariance_bounds(self) -> FloatArray:
        """How far each element of `covariance` may be from that of the scores themselves.

        NaN where the covariance is, and 0 without levels.
        """
        return self._level_errors().covariance

    @property
    def expected_auc_errors(self) -> FloatArray:
        """How far each AUC is to be expected from that of the scores themselves.

        Bounds are for the worst scores there may be. This is for scores that are in no
        particular order within a level, but for what AUCs by half of the levels tell: the
        root of the mean square of both, no more than the bound, and no bound itself. 0
        without levels.
        """
        deviations, changes = self._order_errors()
        return np.minimum(np.hypot(deviations, changes / 3), self.auc_bounds)

    @property
    def halved_aucs(self) -> FloatArray:
        """AUCs by half of the levels, every two neighbours being one."""
        return self.aucs - self._order_errors()[1]

    def contrast_bounds(self, weights: Sequence[float] = (-1.0, 1.0)) -> ContrastBounds:
        """How far a weighted sum of AUCs may be from that of the scores themselves.

        Parameters
        ----------
        weights : sequence of float of length n_scores, default=(-1, 1)
            Weight of each classifier; by default of the difference of two.

        Returns
        -------
        bounds : ContrastBounds
            Of the sum (`estimate`), of its `variance` and of its `standard_error`, NaN
            where a variance is; and the error that is `expected` of the sum, for which the
            orders of different classifiers within levels are taken to be unrelated.
        """
        used = np.asarray(weights, dtype=np.float64)
        if used.shape != (self.n_scores,) or not np.isfinite(used).all():
            raise ValueError(
                f"`weights` must have {self.n_scores} finite numbers, one a classifier. "
                f"Got {weights!r}."
            )
        deviations, changes = self._order_errors()
        expected = float(np.hypot(np.linalg.norm(used * deviations), used @ changes / 3))
        variance = float(used @ self.covariance @ used)
        return self._level_errors().contrast(used, variance, expected)

    def values(self, i: int) -> tuple[FloatArray, FloatArray]:
        """Placement values of the positive and of the negative records by one score."""
        if self.repeats is not None:
            raise ValueError(
                "Placement values of single records are not known, because records were "
                "counted in cells (`repeats`). Make PlacementValues of the records, "
                "without `n_levels` and `levels`, or use delong, which needs cells only."
            )
        counts = self.counts[i]
        positives, negatives = counts[self.positive], counts[~self.positive]
        return positives / (2 * self.n_negatives), negatives / (2 * self.n_positives)

    def _level_errors(self) -> LevelErrors:
        counts, _ = self._ranked()
        repeats = np.ones(self.n, np.int64) if self.repeats is None else self.repeats
        levels = plain_levels(self.levels, self.n_scores)
        return level_errors(counts, self.scores, self.positive, repeats, levels)

    def _ranked(self) -> tuple[IntArray, list[int]]:
        if not 0 < self.n_positives < self.n:
            what = "positive" if self.n_positives else "negative"
            raise ValueError(
                "An AUC needs records of both classes. Got "
                f"{self.n} {what} ones and no other (pos_label={self.pos_label!r}). "
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
        """Deviations of the order within levels, and changes from half of the levels."""
        aucs = self.aucs
        if self.levels is None or self.repeats is None:
            return np.zeros(self.n_scores), np.zeros(self.n_scores)
        deviations, halved = order_errors(
            self.scores, self.positive, self.repeats, self.levels
        )
        return deviations, aucs - halved
