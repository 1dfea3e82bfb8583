"""A user's own score of a confusion matrix, with slopes by numerical differentiation."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skcompare._core.validation import is_number
from skcompare._typing import FloatArray, IntArray
from skcompare.stats._count_scores import CellScores

STEP = 3e-5
"""Central differences change a count by this share of it.

The error of the formula is then about STEP² / 6 of the slope, and that of rounding 1e-16 /
STEP times the ratio of class size and count: together below 1e-7 unless a count is smaller
than one in 10 000 of its class.
"""


@dataclass(frozen=True, slots=True)
class OwnScore:
    """A function of a confusion matrix as a score.

    Parameters
    ----------
    function : callable
        `function(confusion)`, with an array of floats of shape (n_classes, n_classes), a
        row a true class, gives a number.
    """

    function: Callable[[FloatArray], float]

    rounding = 1e-6
    bounds = (-math.inf, math.inf)

    @property
    def name(self) -> str:
        """The name of the function; "score" where it has none."""
        name = getattr(self.function, "__name__", "score")
        return "score" if name == "<lambda>" else name

    def check(self, *confusions: IntArray) -> None:
        """Refuse a function that gives no finite number for the observed counts."""
        for confusion in confusions:
            with np.errstate(all="ignore"):
                value: Any = self.function(confusion.astype(np.float64))
            number = value[()] if isinstance(value, np.ndarray) else value
            if not is_number(number) or not math.isfinite(number):
                raise ValueError(
                    f"The score {self.name!r} must give a finite number for a confusion "
                    f"matrix. Got {value!r} for {confusion.tolist()}. Return a number "
                    "where a denominator is 0, too."
                )

    def of_cells(
        self, truth: IntArray, answer: IntArray, counts: FloatArray, n_classes: int
    ) -> CellScores:
        """The score of records in cells, with its slopes by their counts.

        The slope of a cell without records is 0, because nothing is made of it.
        """
        occurring, where = np.unique(truth * n_classes + answer, return_inverse=True)
        sets = counts.reshape(-1, counts.shape[-1])
        values: FloatArray = np.empty(len(sets))
        slopes: FloatArray = np.empty(sets.shape)
        with np.errstate(all="ignore"):
            for k, one in enumerate(sets):
                table = np.bincount(where, one).astype(np.float64)
                values[k], found = self._with_slopes(table, occurring, n_classes)
                slopes[k] = found[where]
        values = values.reshape(counts.shape[:-1])
        return CellScores(values, slopes.reshape(counts.shape), ~np.isfinite(values))

    def _with_slopes(
        self, table: FloatArray, occurring: IntArray, n_classes: int
    ) -> tuple[float, FloatArray]:
        confusion = np.zeros(n_classes * n_classes)
        confusion[occurring] = table
        square = confusion.reshape(n_classes, n_classes)
        value = self.function(square.copy())
        slopes = np.zeros(len(occurring))
        for k in np.flatnonzero(table):
            position, count = occurring[k], table[k]
            sides = []
            for moved in (count * (1 + STEP), count * (1 - STEP)):
                confusion[position] = moved
                sides.append(self.function(square.copy()))
            confusion[position] = count
            slopes[k] = (sides[0] - sides[1]) / (2 * STEP * count)
        return value, slopes
