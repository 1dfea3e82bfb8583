"""Squared calibration errors and their variance, from sums over cells.

Each influence of a record is a polynomial in its probabilities whose coefficients depend
on its cell alone, so that moments of the cells tell the same as the records.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence._calibration_cells import CalibrationCells
from skcompare.evidence._calibration_sums import SUMS
from skcompare.stats._calibration_moments import CellMoments, moments_of, of_role, product
from skcompare.stats._calibration_variance import (
    BinProducts,
    Variance,
    joint_products,
    of_rows,
    pair_variance,
    under_equal_errors,
    variance_from,
    weigh,
)

HIDDEN = 1e-14
"""Promised variance a record that may be nothing but rounding of the sums."""


@dataclass(frozen=True, slots=True)
class ReducedSums:
    """What one classifier's records add to each bin, where only their sums were kept.

    `totals` has the six sums of each bin, of shape (6, n_bins), as those of records do.
    """

    cells: CalibrationCells
    role: int
    totals: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        bins = self.cells.bins(self.role)
        totals = of_rows(bins.count, bins.outcome, bins.outcome - bins.proba)
        object.__setattr__(self, "totals", totals)

    @property
    def rows(self) -> int:
        return 1

    @property
    def n_units(self) -> int:
        return self.cells.n

    @property
    def n_rows(self) -> float:
        return float(self.cells.n)

    @property
    def bin(self) -> IntArray:
        return self.cells.bin(self.role)

    @property
    def event(self) -> IntArray:
        return self.cells.event(self.role)


Both = tuple[ReducedSums, ReducedSums]


def variance_of_reduced(sums: Both, errors: tuple[float, float]) -> Variance:
    """Variance of the difference of the squared errors, champion less challenger."""
    moments, n = moments_of(sums[0].cells), sums[0].n_units
    values = [_influence(each, moments) for each in sums]
    sizes = sum(moments.sum_of(product(each, each)) for each in values)
    influence = _less_mean(values[0] - values[1], moments)
    squared = product(influence, influence)
    square = moments.sum_of(squared)
    if moments.degree >= 2 * (len(squared) - 1):
        fourth = moments.sum_of(product(squared, squared))
    else:
        fourth = _fourth_without_curve(influence, moments)
    products = _products(sums, moments)
    pairs = pair_variance(products, n)
    totals = sums[0].totals, sums[1].totals
    null = under_equal_errors(products, totals, errors, pairs, n)
    return variance_from(square, fourth, sizes, n, pairs, null)


def _influence(sums: ReducedSums, moments: CellMoments) -> FloatArray:
    """By how much the squared error changes without a record, less the mean change.

    A bin's part is a square of the excess, of which a record of excess x takes
    ``constant - (2 * excess - x) * x / (n - 1)``.
    """
    n, y, excess = sums.totals[:3]
    whole, code, event = weigh(sums.totals), sums.bin, sums.event
    constant = np.empty((2, len(n)))
    for happened in (0, 1):
        others = of_rows(n - 1, y - happened, excess)
        constant[happened] = np.where(n > 1, weigh(others), 0.0) - whole
    square = np.where(n > 2, 1 / np.maximum(n - 1, 1), 0.0)[code]
    x = event - moments.mean[sums.role]
    twice = 2 * excess[code]
    # The record's excess is x less what its probability is beyond the cell's mean.
    terms = [
        constant[event, code] - (twice - x) * x * square,
        (twice - 2 * x) * square,
        square,
    ]
    scale = 1 / max(sums.n_rows - 1, 1)
    return _less_mean(of_role(sums.role, terms) * scale, moments)


def _less_mean(polynomial: FloatArray, moments: CellMoments) -> FloatArray:
    found = polynomial.copy()
    found[0, 0] -= moments.sum_of(polynomial) / moments.size.sum()
    return found


def _fourth_without_curve(influence: FloatArray, moments: CellMoments) -> float:
    """Sum of fourth powers, as if influences did not curve within cells."""
    straight = influence[:2, :2].copy()
    straight[1, 1] = 0.0
    straight[0, 0] = moments.mean_of(influence)
    squared = product(straight, straight)
    return moments.sum_of(product(squared, squared))


def _products(sums: Both, moments: CellMoments) -> BinProducts:
    """Products of the residuals of all records in pairs of bins."""
    residuals, weights = zip(*(_beyond_means(s, moments) for s in sums), strict=True)
    size = moments.size
    own = np.zeros((3, 3, len(size)))
    squares = []
    for s, r, weight, sign in zip(sums, residuals, weights, (1, -1), strict=True):
        squared = product(r, r)
        own += sign * squared * weight[s.bin]
        squares.append(np.bincount(s.bin, size * moments.mean_of(squared), len(weight)))
    n_bins = len(weights[0]), len(weights[1])
    joint, n_cells = sums[0].cells.code // 4, n_bins[0] * n_bins[1]
    cross = np.bincount(joint, size * moments.mean_of(product(*residuals)), n_cells)
    alike = np.bincount(joint, size * (sums[0].event == sums[1].event), n_cells)
    signed = np.concatenate([weights[0], -weights[1]])
    rows = sums[0].totals[0], sums[1].totals[0], alike
    of_itself = moments.sum_of(product(own, own))
    return joint_products(n_bins, (*squares, cross), rows, of_itself, signed)


def _beyond_means(sums: ReducedSums, moments: CellMoments) -> tuple[FloatArray, FloatArray]:
    """A record's excess beyond its bin's mean, and the weight of the bin's pairs."""
    n, _, excess = sums.totals[:3]
    several, less = n > 1, np.maximum(n - 1, 1)
    # The mean is one of these very records, which takes 1 / n of their variance.
    scale = np.sqrt(np.where(several, n / less, 0.0))[sums.bin]
    mean = (excess / np.maximum(n, 1))[sums.bin]
    x = sums.event - moments.mean[sums.role] - mean
    residual = of_role(sums.role, [x * scale, -scale])
    return residual, np.where(several, 1 / less, 0.0)


def spiegelhalter_sums(cells: CalibrationCells, role: int) -> tuple[float, float, bool]:
    """Excess of the Brier score, its standard deviation, and whether a record refutes it.

    The deviation is that which the probabilities promise. Where that is rounding it is 0,
    or, if the excess is not, the greatest that rounding hides.
    """
    moments = moments_of(cells)
    p, y, one = moments.mean[role], cells.event(role), np.ones(len(moments.size))
    rise = of_role(role, [p, one])
    slope = of_role(role, [1 - 2 * p, -2 * one])
    excess = moments.sum_of(product(of_role(role, [y - p, -one]), slope))
    spread = product(rise, of_role(role, [1 - p, -one]))
    variance = moments.sum_of(product(product(slope, slope), spread))
    hidden = HIDDEN * cells.n
    if variance <= hidden:
        variance = hidden if abs(excess) > hidden else 0.0
    sd = math.sqrt(variance)
    return excess, sd, bool(cells[SUMS[2 + role]].any())
