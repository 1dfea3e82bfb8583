"""Squared calibration errors as sums over independent units, and their variances.

A unit is a record, or a group of dependent records. The rows of a unit (a record has one
row per class for classwise events) are summed bin by bin.

Of evidence reduced to cells, a polynomial of each cell is an array of shape (k + 1, k + 1,
n_cells): entry (i, j) is the coefficient of ``x**i * y**j``, where x and y are the
deviations of the mean and of the difference of both probabilities from their means in the
cell.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from skcompare._core.arrays import slices_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import (
    POWERS,
    SUMS,
    CalibrationCells,
    PairedCalibration,
    degrees_of_freedom,
)

ROUNDING = 2.0**-52
"""Relative rounding error of a double."""

FEW_TERMS = 16
"""Number of terms that is added to that of a sum in the bound of its rounding error."""


class CellMoments(NamedTuple):
    """Mean probabilities of both roles and their central moments in each cell.

    `central` has shape (degree + 1, degree + 1, n_cells).
    """

    size: FloatArray
    mean: tuple[FloatArray, FloatArray]
    central: FloatArray

    @property
    def degree(self) -> int:
        return len(self.central) - 1

    def mean_of(self, polynomial: FloatArray) -> FloatArray:
        """Mean of a polynomial over the records of each cell."""
        k = len(polynomial)
        means: FloatArray = np.einsum("ijc,ijc->c", polynomial, self.central[:k, :k])
        return means

    def sum_of(self, polynomial: FloatArray) -> float:
        """Sum of a polynomial over all records."""
        return float(self.size @ self.mean_of(polynomial))


def moments_of(cells: CalibrationCells) -> CellMoments:
    """Central moments of the probabilities in each cell, from sums of their powers."""
    count = cells.counts.astype(np.float64)
    champion, challenger = (cells[name] / count for name in SUMS[:2])
    raw = np.zeros((cells.degree + 1, cells.degree + 1, len(count)))
    raw[0, 0], raw[1, 0] = 1.0, (champion + challenger) / 2
    for name, powers in POWERS.items():
        if sum(powers) <= cells.degree:
            raw[powers] = cells[name] / count
    central = _central(_central(raw).swapaxes(0, 1)).swapaxes(0, 1)
    central[1, 0] = central[0, 1] = 0.0
    # Many equal terms have no variance, but their sums have rounding errors.
    tolerance = ROUNDING * (FEW_TERMS + count)
    for powers, rows in (((2, 0), np.s_[1:]), ((0, 2), np.s_[:, 1:])):
        central[rows] *= central[powers] > tolerance * raw[powers]
    return CellMoments(count, (champion, challenger), central)


def _central(raw: FloatArray) -> FloatArray:
    """Moments about the mean of the first variable, for each power of the second."""
    moments = np.zeros_like(raw)
    for i in range(len(raw)):
        for k in range(i + 1):
            moments[i] += comb(i, k) * (-raw[1, 0]) ** (i - k) * raw[k]
    # Orders without a raw moment have no central one.
    for i in range(len(raw)):
        moments[i, len(raw) - i :] = 0.0
    return moments


def of_role(role: int, coefficients: list[FloatArray]) -> FloatArray:
    """Express a polynomial in the deviation of one role as a polynomial of the cell."""
    half = (-0.5, 0.5)[role]
    degree = len(coefficients) - 1
    polynomial = np.zeros((degree + 1, degree + 1, len(coefficients[0])))
    for k, values in enumerate(coefficients):
        for j in range(k + 1):
            polynomial[k - j, j] += comb(k, j) * half**j * values
    return polynomial


def product(left: FloatArray, right: FloatArray) -> FloatArray:
    """Product of two polynomials."""
    k, m = len(left), len(right)
    coefficients = np.zeros((k + m - 1, k + m - 1, left.shape[2]))
    for i in range(k):
        for j in range(k - i):
            if left[i, j].any():
                coefficients[i : i + m, j : j + m] += left[i, j] * right
    return coefficients


AnyNumbers = NDArray[Any]

NOISE = 1e-12
"""A variance that is a smaller share of its own terms is rounding error."""

MOST_DEGREES = 1e6
"""Upper bound of degrees of freedom; Student's t is normal there."""

ONE_MORE = 1.0
"""Number of events, and of records without one, added to a bin for the share of events
in a variance (Laplace's rule)."""


def of_rows(n: AnyNumbers, y: AnyNumbers, excess: AnyNumbers) -> FloatArray:
    """Six sums of bins whose entries are single rows, with events of 0 or 1."""
    return np.stack([n, y, excess, y, y, n]).astype(np.float64, copy=False)


def weigh(totals: FloatArray) -> FloatArray:
    """Term of each bin in the squared error, times the number of rows; 0 if undefined.

    The term is the squared gap minus the variance of the share of events, estimated between
    units. For single records that is ``share * (1 - share) / (n - 1)`` (Kumar, Liang and Ma
    2019, definition 4.2); for groups, whose records depend on each other, sums over pairs
    of different groups replace it.
    """
    n, y, excess, y_y, n_y, n_n = totals
    pairs = n * n - n_n
    at_least_one, several = np.maximum(n, 1), pairs > 0
    share = y / at_least_one
    spread = y_y - 2 * share * n_y + share**2 * n_n
    spread = spread / np.where(several, pairs, 1)
    return np.where(several, n * ((excess / at_least_one) ** 2 - spread), 0.0)


def without_one_row(totals: AnyNumbers) -> tuple[FloatArray, FloatArray]:
    """Change in each bin's term without a row of excess x, as a polynomial in x.

    Returns
    -------
    constant : ndarray of shape (2, n_bins)
        Change for x = 0, by whether the row's event happened.
    square : ndarray of shape (n_bins,)
        1 / (n - 1), which multiplies ``(2 * excess - x) * x`` in the rest of the fall.
    """
    n, y, excess = totals[:3]
    terms = weigh(totals)
    others = [weigh(of_rows(n - 1, y - event, excess)) for event in (0, 1)]
    constant = np.stack([np.where(n > 1, other, 0.0) - terms for other in others])
    return constant, np.where(n > 2, 1 / np.maximum(n - 1, 1), 0.0)


class BinProducts(NamedTuple):
    """Sums over units of the products of residuals in two bins.

    Bins of the challenger are numbered after those of the champion. Each pair of bins of
    the two occurs in both orders.

    Attributes
    ----------
    row, col : ndarray of shape (n_products,)
        The two bins.
    value : ndarray of shape (n_products,)
        Sum of the products. The residual of a row is its event minus its probability,
        minus the mean of the bin, scaled up because the row is part of that mean.
    rows : ndarray of shape (n_products,)
        Rows in both bins whose two events are equal: all rows of a bin with itself, and
        none of two bins of one classifier.
    own : float
        Sum over pairs of a unit with itself in :func:`pair_variance`.
    weight : ndarray of shape (n_bins,)
        Weight of the pairs of each bin, negative for the challenger's.
    """

    row: IntArray
    col: IntArray
    value: FloatArray
    rows: FloatArray
    own: float
    weight: FloatArray


def joint_products(
    sums: "BothSums",
    values: Sequence[AnyNumbers],
    equal: AnyNumbers,
    own: float,
    weight: FloatArray,
) -> BinProducts:
    """Combine products of each bin with itself and of all pairs, if units are single rows.

    `values` are the products of the residuals of each entry: of the champion's, of the
    challenger's, and of both; `equal` is the number of its rows with equal events.
    """
    champion, challenger = sums
    n_bins = len(champion.totals[0]), len(challenger.totals[0])
    joint, n_cells = champion.bin * n_bins[1] + challenger.bin, n_bins[0] * n_bins[1]
    cross, rows = (np.bincount(joint, each, n_cells) for each in (values[2], equal))
    squares = [np.bincount(s.bin, v, n) for s, v, n in zip(sums, values, n_bins)]
    bins = np.arange(sum(n_bins))
    row, col = np.divmod(np.arange(n_cells), n_bins[1])
    col = col + n_bins[0]
    return BinProducts(
        np.concatenate([bins, row, col]),
        np.concatenate([bins, col, row]),
        np.concatenate([*squares, cross, cross]),
        np.concatenate([champion.totals[0], challenger.totals[0], rows, rows]),
        own,
        weight,
    )


def pair_variance(products: BinProducts, n_rows: float) -> float:
    """Variance of the difference due to pairs of units; 0 if only rounding error."""
    terms = _pair_terms(products, products.value)
    total = float(terms.sum()) - products.own
    if total <= NOISE * float(np.abs(terms).sum()):
        return 0.0
    return 2 * total / n_rows**2


def _pair_terms(products: BinProducts, value: FloatArray) -> FloatArray:
    weight = products.weight
    terms: FloatArray = np.square(value) * weight[products.row] * weight[products.col]
    return terms


def under_equal_errors(
    products: BinProducts, sums: "BothSums", second: float
) -> tuple[float, float, float]:
    """Variance of the difference under equal errors, smoothed by additional records.

    A bin in which no record, or one, had the other outcome has no variance, and a
    classifier whose gaps are small by chance has little. So one event and one record
    without are added to each bin for its share of events, the gaps are scaled so that both
    errors are the mean of the two, as under the null hypothesis, and one unit is added to
    which the two give opposite probabilities, because the sample may lack such units.

    Parameters
    ----------
    products : BinProducts
        Products of residuals.
    sums : tuple of two sums
        Sums of both roles.
    second : float
        Observed part of the variance from pairs.

    Returns
    -------
    shift : float
        Difference of the first part, which includes that of pairs twice, from the first
        part by the observed gaps and shares of events.
    pairs : float
        The part of the pairs.
    plain : float
        Shift without the added records.
    """
    totals, errors = [s.totals for s in sums], squared_errors(sums)
    n_rows = sums[0].n_rows
    n, y, excess = np.concatenate([each[:3] for each in totals], axis=1)
    n_n = np.concatenate([each[5] for each in totals])
    at_least_one = np.maximum(n, 1)
    # Identical rows of a group count as one.
    per_group = np.maximum(n_n / at_least_one, 1)
    added = ONE_MORE * per_group
    share = y / at_least_one
    smoothed = (y + added) / (n + 2 * added)
    increase = np.maximum(smoothed * (1 - smoothed) - share * (1 - share), 0) * per_group
    # For rows in two bins, the smaller of the increases of both variances.
    pair_increase = (
        np.minimum(increase[products.row], increase[products.col]) * products.rows
    )
    value = products.value + pair_increase

    pooled = max(sum(errors) / 2, 0.0)
    size = np.array([len(each[0]) for each in totals])
    deficit = np.maximum(pooled - np.array(errors), 0)
    factor = [min(1.0, pooled / error) if error > 0 else 1.0 for error in errors]
    gap = excess / at_least_one
    null_gap = gap + smoothed - share
    null_gap = np.copysign(np.sqrt(null_gap**2 + deficit.repeat(size)), null_gap)
    null_gap *= np.sqrt(factor).repeat(size)
    sign = np.array([1.0, -1.0]).repeat(size)

    def first_part(value: FloatArray, gap: FloatArray) -> float:
        slope = sign * gap
        return 4 * float(value @ (slope[products.row] * slope[products.col]))

    mean_gaps = np.sqrt(np.bincount(sign < 0, n * null_gap**2) / n_rows)
    unseen = ONE_MORE * (2 * float(mean_gaps.sum()) * float(n_n.sum() / n.sum())) ** 2
    terms = _pair_terms(products, value) - _pair_terms(products, products.value)
    pairs = max(second + 2 * float(terms.sum()) / n_rows**2, 0.0)
    observed = first_part(products.value, gap)
    shift = (first_part(value, null_gap) + unseen - observed) / n_rows**2
    plain = (first_part(products.value, null_gap) - observed) / n_rows**2
    return shift, pairs, plain


@dataclass(frozen=True, slots=True)
class Variance:
    """Variance of a difference of squared errors, split into two parts.

    Attributes
    ----------
    first : float
        The part that falls with the number of units; 0 where both are calibrated.
    second : float
        The part that falls with its square, from pairs of units.
    df : float
        Degrees of freedom of the estimate of their sum.
    observed : float
        The sum with gaps and shares of events as observed.
    growth : float
        Relative increase by the added records.
    """

    first: float
    second: float
    df: float
    observed: float
    growth: float = 0.0

    @property
    def total(self) -> float:
        return self.first + self.second


def variance_from(
    influences: tuple[float, float, float, int],
    products: BinProducts | None,
    sums: "BothSums",
) -> Variance:
    """Variance of the difference from influences of units and the contribution of pairs.

    A squared error is a sum over pairs of units. Its jackknife variance counts the part
    of the pairs twice (Efron and Stein 1981), so that part is estimated separately and
    subtracted once. The rest is at least 0.
    Without products the part of the pairs is not known, and remains counted twice.

    Parameters
    ----------
    influences : tuple
        Sums of the second and fourth powers of the influences of the units on the
        difference, the sum of the squares of those on both errors, which is the scale of
        the rounding error, and the number of units.
    products : BinProducts or None
        Products of residuals.
    sums : tuple of two sums
        Sums of both roles.
    """
    square, fourth, sizes, n = influences
    if square <= NOISE**2 * sizes:
        square = fourth = 0.0
    jackknife = square * (n - 1) / n
    if products is None:
        return Variance(jackknife, 0.0, _degrees(square, fourth, n), jackknife)
    second = pair_variance(products, sums[0].n_rows)
    shift, pairs, plain = under_equal_errors(products, sums, second)
    observed, unsmoothed, total = (
        max(jackknife + change - 2 * part, 0.0) + part
        for change, part in ((0.0, second), (plain, second), (shift, pairs))
    )
    # The larger one: gaps may be small by chance, and so may their mean.
    unsmoothed = max(unsmoothed, observed)
    total = max(total, observed)
    scale = total / jackknife if jackknife else np.inf
    df = _degrees(square, fourth, n, scale)
    growth = total / unsmoothed - 1 if unsmoothed > NOISE * total else np.inf
    # The observed variance may be less than the part of pairs under the null hypothesis.
    pairs = min(pairs, total)
    return Variance(total - pairs, pairs, df, observed, growth)


def _degrees(square: float, fourth: float, n: int, scale: float = 1.0) -> float:
    return min(degrees_of_freedom(square, fourth, n, scale), MOST_DEGREES)


HIDDEN = 1e-14
"""Variance of a record, by its probability, that may be only rounding error of the sums."""


class ReducedSums(NamedTuple):
    """Sums of one classifier's records in each bin, for evidence reduced to sums.

    `totals` has the six sums of each bin, of shape (6, n_bins), as for records; `bin` and
    `event` are those of each cell.
    """

    cells: CalibrationCells
    role: int
    totals: FloatArray
    bin: IntArray
    event: IntArray
    n_units: int
    n_rows: float

    @classmethod
    def of(cls, cells: CalibrationCells, role: int) -> "ReducedSums":
        """Sum the records of the champion (0) or the challenger (1) in each bin."""
        bins = cells.bins(role)
        totals = of_rows(bins.count, bins.outcome, bins.outcome - bins.proba)
        own = cells.bin(role), cells.event(role)
        return cls(cells, role, totals, *own, cells.n, float(cells.n))


Both = tuple[ReducedSums, ReducedSums]


def variance_of_reduced(sums: Both) -> Variance:
    """Variance of the difference of the squared errors, champion minus challenger."""
    moments = moments_of(sums[0].cells)
    values = [_influence(each, moments) for each in sums]
    sizes = sum(moments.sum_of(product(each, each)) for each in values)
    influence = _centred(values[0] - values[1], moments)
    squared = product(influence, influence)
    square = moments.sum_of(squared)
    if moments.degree >= 2 * (len(squared) - 1):
        fourth = moments.sum_of(product(squared, squared))
    else:
        fourth = _linear_fourth(influence, moments)
    influences = square, fourth, sizes, sums[0].n_units
    return variance_from(influences, _reduced_products(sums, moments), sums)


def _influence(sums: ReducedSums, moments: CellMoments) -> FloatArray:
    """Change in the squared error when a record is left out, minus the mean change.

    A bin's term is a square of the excess; without a record of excess x it changes by
    ``constant - (2 * excess - x) * x / (n - 1)``.
    """
    code, event = sums.bin, sums.event
    constant, square = without_one_row(sums.totals)
    square = square[code]
    x = event - moments.mean[sums.role]
    twice = 2 * sums.totals[2, code]
    # The record's excess is x minus the deviation of its probability from the cell's mean.
    terms = [
        constant[event, code] - (twice - x) * x * square,
        (twice - 2 * x) * square,
        square,
    ]
    scale = 1 / max(sums.n_rows - 1, 1)
    return _centred(of_role(sums.role, terms) * scale, moments)


def _centred(polynomial: FloatArray, moments: CellMoments) -> FloatArray:
    centred = polynomial.copy()
    centred[0, 0] -= moments.sum_of(polynomial) / moments.size.sum()
    return centred


def _linear_fourth(influence: FloatArray, moments: CellMoments) -> float:
    """Sum of fourth powers of influences, linearized within cells."""
    linear = influence[:2, :2].copy()
    linear[1, 1] = 0.0
    linear[0, 0] = moments.mean_of(influence)
    squared = product(linear, linear)
    return moments.sum_of(product(squared, squared))


def _reduced_products(sums: Both, moments: CellMoments) -> BinProducts:
    """Products of the residuals of all records in pairs of bins."""
    residuals, weights = zip(*(_residuals(s, moments) for s in sums), strict=True)
    size = moments.size
    own = np.zeros((3, 3, len(size)))
    values = []
    for s, residual, weight, sign in zip(sums, residuals, weights, (1, -1), strict=True):
        squared = product(residual, residual)
        own += sign * squared * weight[s.bin]
        values.append(size * moments.mean_of(squared))
    values.append(size * moments.mean_of(product(*residuals)))
    equal = size * (sums[0].event == sums[1].event)
    signed = np.concatenate([weights[0], -weights[1]])
    return joint_products(sums, values, equal, moments.sum_of(product(own, own)), signed)


def _residuals(sums: ReducedSums, moments: CellMoments) -> tuple[FloatArray, FloatArray]:
    """Residual of a record from its bin's mean, and the weight of the bin's pairs."""
    n, _, excess = sums.totals[:3]
    several, less = n > 1, np.maximum(n - 1, 1)
    # A record is part of its mean, which removes 1 / n of its variance.
    scale = np.sqrt(np.where(several, n / less, 0.0))[sums.bin]
    mean = (excess / np.maximum(n, 1))[sums.bin]
    x = sums.event - moments.mean[sums.role] - mean
    residual = of_role(sums.role, [x * scale, -scale])
    return residual, np.where(several, 1 / less, 0.0)


def spiegelhalter_sums(cells: CalibrationCells, role: int) -> tuple[float, float, bool]:
    """Excess Brier score, its standard deviation, and whether an impossible event occurred.

    The deviation is that under the stated probabilities. Where it is only rounding error
    it is 0 or, if the excess is not, the greatest that rounding may hide.
    """
    moments = moments_of(cells)
    p, y, ones = moments.mean[role], cells.event(role), np.ones(len(moments.size))
    rise = of_role(role, [p, ones])
    slope = of_role(role, [1 - 2 * p, -2 * ones])
    excess = moments.sum_of(product(of_role(role, [y - p, -ones]), slope))
    spread = product(rise, of_role(role, [1 - p, -ones]))
    variance = moments.sum_of(product(product(slope, slope), spread))
    tolerance = HIDDEN * cells.n
    if variance <= tolerance:
        variance = tolerance if abs(excess) > tolerance else 0.0
    sd = math.sqrt(variance)
    return excess, sd, bool(cells[SUMS[2 + role]].any())


MOST_PRODUCTS = 500_000_000
"""Largest number of pairs of bins, summed over the units, that are computed."""

CHUNK = 1 << 14
"""Entries whose terms are computed at a time."""

MOST_CELLS = 1 << 20
"""Largest number of pairs of bins in one table."""


@dataclass(frozen=True, slots=True)
class RoleSums:
    """Sums of one classifier's rows for each unit and bin.

    Every entry is a unit and a bin with rows of it: the number of rows, the number of
    events, and their excess over the probabilities. `rows` is the number of rows of each
    unit, where every entry is one row; None for groups. `codes` and `happened` are the bins
    and events of all rows, which are those of the entries except for groups. `totals` has
    the six sums of each bin, of shape (6, n_bins).
    """

    unit: IntArray
    bin: IntArray
    count: FloatArray
    events: FloatArray
    excess: FloatArray
    n_bins: int
    n_units: int
    rows: int | None
    codes: IntArray
    happened: NDArray[np.bool_]
    totals: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "totals", self._totals())

    @property
    def n_rows(self) -> float:
        """Total number of rows."""
        return float(self.count.sum())

    @property
    def columns(self) -> FloatArray:
        """Terms of the six sums of each bin, of shape (6, n_entries)."""
        n, y = self.count, self.events
        return np.stack([n, y, self.excess, y * y, n * y, n * n])

    def _totals(self) -> FloatArray:
        if self.rows is None:
            columns = self.columns
            return np.stack([np.bincount(self.bin, each, self.n_bins) for each in columns])
        y, excess = (
            np.bincount(self.bin, each, self.n_bins) for each in (self.events, self.excess)
        )
        return of_rows(np.bincount(self.bin, minlength=self.n_bins), y, excess)


BothSums = tuple[RoleSums | ReducedSums, RoleSums | ReducedSums]


def role_sums(calibration: PairedCalibration, role: int) -> RoleSums | ReducedSums:
    """Return the sums of the champion (0) or the challenger (1)."""
    if calibration.cells is not None:
        return ReducedSums.of(calibration.cells, role)
    return row_sums(calibration, role)


def row_sums(calibration: PairedCalibration, role: int) -> RoleSums:
    """Compute the sums of the champion (0) or the challenger (1) from the records."""
    proba = calibration.proba[role]
    happened = calibration.outcomes[role]
    events = happened.astype(np.float64)
    codes, n_bins = calibration.codes[role], calibration.n_bins[role]
    rows = calibration.rows_per_record
    unit = np.arange(calibration.n)
    if rows > 1:
        unit = unit.repeat(rows)
    count, excess = np.ones(len(proba)), events - proba
    sizes: tuple[int, int, int | None] = n_bins, calibration.n, rows
    if calibration.groups is None:
        return RoleSums(unit, codes, count, events, excess, *sizes, codes, happened)
    groups = calibration.groups[unit]
    cells, entry = np.unique(groups * n_bins + codes, return_inverse=True)
    count, events, excess = (
        np.bincount(entry, each, len(cells)).astype(np.float64)
        for each in (count, events, excess)
    )
    unit, bins = np.divmod(cells, n_bins)
    sizes = n_bins, len(calibration.group_labels), None
    return RoleSums(unit, bins, count, events, excess, *sizes, codes, happened)


def squared_errors(sums: BothSums) -> tuple[float, float]:
    """Debiased squared calibration errors of both roles, which may be negative."""
    champion, challenger = (float(weigh(s.totals).sum()) / s.n_rows for s in sums)
    return champion, challenger


def variance_of(sums: BothSums) -> Variance:
    """Variance of the difference of the squared errors, champion minus challenger."""
    champion, challenger = sums
    if isinstance(champion, ReducedSums) or isinstance(challenger, ReducedSums):
        assert isinstance(champion, ReducedSums) and isinstance(challenger, ReducedSums)
        return variance_of_reduced((champion, challenger))
    values = [_leave_one_out_errors(s) for s in (champion, challenger)]
    influence = values[0] - values[1]
    influence = influence - influence.mean()
    squares = influence * influence
    sizes = sum(float(((errors - errors.mean()) ** 2).sum()) for errors in values)
    square, fourth = float(influence @ influence), float(squares @ squares)
    influences = square, fourth, sizes, len(influence)
    return variance_from(influences, _products((champion, challenger)), sums)


def record_influences(sums: BothSums) -> FloatArray:
    """Influence of each record on the challenger's squared error minus the champion's.

    The influence is the decrease of the difference without the record, times the number of
    the other records, and has mean 0.
    """
    champion, challenger = (
        _leave_one_out_errors(s) for s in sums if isinstance(s, RoleSums)
    )
    without = challenger - champion
    return (len(without) - 1) * (without.mean() - without)


def _leave_one_out_errors(sums: RoleSums) -> FloatArray:
    """Leave-one-out squared errors, of shape (n_units,)."""
    totals = sums.totals
    terms = weigh(totals)
    if sums.rows is None:
        change = weigh(totals[:, sums.bin] - sums.columns) - terms[sums.bin]
        rows = sums.n_rows - np.bincount(sums.unit, sums.count, sums.n_units)
    else:
        change = _without_rows(sums, totals)
        rows = np.full(1, sums.n_rows - sums.rows)
    if sums.rows != 1:
        change = np.bincount(sums.unit, change, sums.n_units).astype(np.float64)
    return (terms.sum() + change) / np.maximum(rows, 1)


def _without_rows(sums: RoleSums, totals: FloatArray) -> FloatArray:
    """Change in a bin's term of the squared error when each of its rows is left out.

    The term is a square of the excess, so that all rows with the same bin and event share
    one polynomial in their own excess.
    """
    constant, square = without_one_row(totals)
    constant, square = constant.T.ravel(), square.repeat(2)
    twice, change = (2 * totals[2]).repeat(2), np.empty(len(sums.bin))
    for rows in slices_of(len(sums.bin), CHUNK):
        code, excess = 2 * sums.bin[rows] + (sums.events[rows] > 0), sums.excess[rows]
        change[rows] = constant[code] - (twice[code] - excess) * excess * square[code]
    return change


def _products(sums: tuple[RoleSums, RoleSums]) -> BinProducts | None:
    """Products of residuals in pairs of bins; None if there are too many.

    The difference has the term ``r[u] @ (weight * r[v])`` of units u and v, where r[u]
    has the residuals of the unit in the bins of both roles.
    """
    (champion, challenger), weight = zip(*map(_beyond_means, sums), strict=True)
    signed = np.concatenate([weight[0], -weight[1]])
    if all(s.rows == 1 for s in sums) and sums[0].n_bins * sums[1].n_bins <= MOST_CELLS:
        own = champion * champion * weight[0][sums[0].bin]
        own -= challenger * challenger * weight[1][sums[1].bin]
        values = champion * champion, challenger * challenger, champion * challenger
        equal = sums[0].events == sums[1].events
        return joint_products(sums, values, equal, float(own @ own), signed)
    column = np.concatenate([sums[0].bin, sums[1].bin + sums[0].n_bins])
    unit = np.concatenate([sums[0].unit, sums[1].unit])
    entries = np.bincount(unit).astype(np.float64)
    if float(entries @ entries) > MOST_PRODUCTS:
        return None
    residuals = np.concatenate([champion, challenger])
    r = csr_matrix((residuals, (unit, column)), shape=(sums[0].n_units, len(signed)))
    product, rows = (r.T @ r).tocsr(), _rows_together(sums)
    # Bins without variation have products of 0, but still have rows.
    row, col = ((product != 0) + (rows != 0)).nonzero()
    own = np.bincount(unit, residuals**2 * signed[column], sums[0].n_units)
    value, n_together = (np.asarray(each[row, col]).reshape(-1) for each in (product, rows))
    return BinProducts(row, col, value, n_together, float(own @ own), signed)


def _rows_together(sums: tuple[RoleSums, RoleSums]) -> csr_matrix:
    """Number of rows in each bin, and of rows with equal events in each pair of bins."""
    champion, challenger = sums
    equal_events = champion.happened == challenger.happened
    row = champion.codes[equal_events]
    col = challenger.codes[equal_events] + champion.n_bins
    bins = np.arange(champion.n_bins + challenger.n_bins)
    counts = np.concatenate([champion.totals[0], challenger.totals[0]])
    values = np.concatenate([counts, np.ones(2 * len(row))])
    places = np.concatenate([bins, row, col]), np.concatenate([bins, col, row])
    return csr_matrix((values, places), shape=(len(bins), len(bins)))


def _beyond_means(sums: RoleSums) -> tuple[FloatArray, FloatArray]:
    """Residual of each entry from its bin's mean, and the weight of the bin's pairs."""
    n, excess, n_n = (sums.totals[k] for k in (0, 2, 5))
    pairs = n * n - n_n
    has_pairs = pairs > 0
    weight = np.where(has_pairs, n / np.where(has_pairs, pairs, 1), 0.0)
    mean = excess / np.maximum(n, 1)
    # A record is part of its mean, which removes 1 / n of its variance.
    scale = np.sqrt(np.where(has_pairs, n * n / np.where(has_pairs, pairs, 1), 0.0))
    residuals = np.empty(len(sums.bin))
    for rows in slices_of(len(sums.bin), CHUNK):
        code, own = sums.bin[rows], sums.excess[rows]
        residual: Any = own - sums.count[rows] * mean[code]
        # Equal probabilities and events equal their mean, up to rounding.
        residual[np.abs(residual) <= NOISE * np.abs(own)] = 0.0
        residuals[rows] = residual * scale[code]
    return residuals, weight
