"""Scores of a confusion matrix, for many weightings of the records at once."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from skcompare._typing import FloatArray, IntArray
from skcompare.stats._count_scores import CellScores, CountScore


@dataclass(frozen=True, slots=True)
class ResampledCounts:
    """F1, balanced accuracy and others of predicted labels; 0 / 0 counts as 0.

    Parameters
    ----------
    score : CountScore
        The score.
    n_classes : int
        Answers are codes of that many classes.
    """

    score: CountScore
    n_classes: int

    looped: ClassVar[bool] = False
    studentised: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """What it is called."""
        return self.score.name

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value."""
        widest = self.score.bounds[1]
        return 1 - widest, 1.0

    def on_one_scale(self, answers: IntArray) -> IntArray:
        """The labels as they are."""
        return answers

    def prepared(self, y: IntArray, answers: IntArray, rows: IntArray) -> "_Cells":
        """The score of these records, as a function of their weights."""
        codes = y.astype(np.int64) * self.n_classes + answers
        cells, where = np.unique(codes, return_inverse=True)
        where = where.reshape(-1)
        order = np.argsort(where, kind="stable")
        starts = np.searchsorted(where[order], np.arange(len(cells)))
        return _Cells(self, cells, where, order, starts)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Records by truth and answer."""

    kind: ResampledCounts
    cells: IntArray
    where: IntArray
    order: IntArray
    starts: IntArray

    def _scored(self, weights: IntArray) -> CellScores:
        counts = np.add.reduceat(weights.take(self.order, axis=1), self.starts, axis=1)
        truth, answer = np.divmod(self.cells, self.kind.n_classes)
        n_classes = self.kind.n_classes
        records = counts.astype(np.float64)
        return self.kind.score.of_cells(truth, answer, records, n_classes)

    def values(self, weights: IntArray) -> FloatArray:
        """The score for each row of weights."""
        return self._scored(weights).values

    def slopes(self, weights: IntArray) -> FloatArray:
        """Derivatives by each weight, a row of weights."""
        return self._scored(weights).slopes.take(self.where, axis=1)
