"""Resamples of the cells of one class, and what is concluded from them."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from skcompare._typing import FloatArray, IntArray
from skcompare.stats._bootstrap_limits import ResampledDifferences
from skcompare.stats._updated_precision_rates import ClassCells

Pair = tuple[float, float]


def drawn_cells(
    cells: ClassCells, n_resamples: int, stratify: bool, rng: np.random.Generator
) -> ClassCells:
    """Resamples of the records with both answers, as counts of the eight cells.

    Swapped roles have the same resamples, with the roles swapped.
    """
    counts = cells.counts
    if counts.ravel().tolist() < cells.swapped.counts.ravel().tolist():
        return drawn_cells(cells.swapped, n_resamples, stratify, rng).swapped
    if not stratify:
        drawn = _multinomial(counts.ravel(), n_resamples, rng)
        return ClassCells(drawn.reshape(-1, 2, 2, 2))
    parts = [_multinomial(part.ravel(), n_resamples, rng) for part in counts]
    return ClassCells(np.stack(parts, axis=1).reshape(-1, 2, 2, 2))


def _multinomial(counts: IntArray, size: int, rng: np.random.Generator) -> IntArray:
    """As many records again; a cell without records stays empty."""
    drawn = np.zeros((size, len(counts)), dtype=np.int64)
    occurring = np.flatnonzero(counts)
    if len(occurring):
        n = counts.sum()
        drawn[:, occurring] = rng.multinomial(n, counts[occurring] / n, size=size)
    return drawn


def acceleration_of(moves: FloatArray, counts: IntArray) -> float:
    """Efron's a (1987, equation 6.6) from the influence of the records of each cell."""
    variance = float((counts * moves**2).sum())
    if variance == 0:
        return 0.0
    return float((counts * moves**3).sum() / (6 * variance**1.5))


@dataclass(frozen=True, slots=True, eq=False)
class CautiousResamples:
    """Resampled values, some of them undefined, around an estimate.

    An undefined value counts as being beyond every limit, on either side, so that it
    widens the interval and raises p. No limit passes the estimate, as percentiles may
    where nearly all resampled values lie on one side of it; the p-value towards that side
    is at least 1/2 then.

    Parameters
    ----------
    values : ndarray of shape (n_defined,)
        Sorted.
    undefined : int
        Number of resamples without a value.
    estimate : float
        The observed value.
    shift, acceleration : float
        Efron's z0 and a.
    """

    values: FloatArray
    undefined: int
    estimate: float
    shift: float = 0.0
    acceleration: float = 0.0

    @classmethod
    def of(
        cls, values: FloatArray, estimate: float, acceleration: float | None
    ) -> "CautiousResamples":
        """Percentiles where there is no acceleration, else corrected ones."""
        known = np.sort(values[~np.isnan(values)])
        undefined = len(values) - len(known)
        if acceleration is None or not len(known):
            return cls(known, undefined, estimate)
        # Resamples equal to the estimate count half on either side.
        below = (np.mean(known < estimate) + np.mean(known <= estimate)) / 2
        bound = 1 / (len(known) + 1)
        shift = float(ndtri(min(max(below, bound), 1 - bound)))
        return cls(known, undefined, estimate, shift, acceleration)

    def _towards(self, alternative: str) -> ResampledDifferences:
        """The resamples with undefined ones where they count against an alternative."""
        unknown = np.full(self.undefined, math.inf)
        parts = (-unknown, self.values) if alternative == "greater" else (
            self.values, unknown,
        )  # fmt: skip
        return ResampledDifferences(np.concatenate(parts), self.shift, self.acceleration)

    def pvalue(self, alternative: str, null: float = 0.0) -> float:
        """Least level at which the limits exclude the null value."""
        if alternative == "two-sided":
            return min(1.0, *(2 * self.pvalue(way, null) for way in ("greater", "less")))
        pvalue = self._towards(alternative).pvalue(alternative, null)
        beyond = self.estimate > null if alternative == "greater" else self.estimate < null
        return pvalue if beyond else max(pvalue, 0.5)

    def error_of(self, alternative: str, null: float = 0.0) -> float:
        """Standard error of the p-value because resamples are drawn."""
        if alternative == "two-sided":
            ways = ("greater", "less")
            return 2 * self.error_of(min(ways, key=lambda way: self.pvalue(way, null)))
        resampled = self._towards(alternative)
        return resampled.error_of(self.pvalue(alternative, null), alternative, null)

    def limits(self, bounds: Pair, confidence_level: float, alternative: str) -> Pair:
        """All values that are not rejected."""
        low, _ = self._towards("greater").limits(bounds, confidence_level, alternative)
        _, high = self._towards("less").limits(bounds, confidence_level, alternative)
        return min(low, self.estimate), max(high, self.estimate)


def log_ratios(precisions: FloatArray) -> FloatArray:
    """Logarithms of challenger over champion; NaN where both are 0 or one undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms: Any = np.log(precisions)
        return np.asarray(logarithms[..., 1] - logarithms[..., 0])
