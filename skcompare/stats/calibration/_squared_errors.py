"""Moments of two probabilities within cells, and means of polynomials in them.

A polynomial of each cell is an array of shape (k + 1, k + 1, n_cells): entry (i, j) is the
coefficient of ``x**i * y**j``, of what middle and difference of both probabilities are
beyond their means in the cell.
"""

import math
from dataclasses import dataclass, field
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.satterthwaite import degrees_of_freedom
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import POWERS, SUMS, CalibrationCells

ROUNDING = 2.0**-52
"""Share of a term that its double may be off."""

FEW_TERMS = 16
"""Sums of so few terms are off as sums of none."""


class CellMoments(NamedTuple):
    """Mean probabilities of both roles in each cell, and moments beyond them.

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
        found: FloatArray = np.einsum("ijc,ijc->c", polynomial, self.central[:k, :k])
        return found

    def sum_of(self, polynomial: FloatArray) -> float:
        """Sum of a polynomial over all records."""
        return float(self.size @ self.mean_of(polynomial))


def moments_of(cells: CalibrationCells) -> CellMoments:
    """The moments behind sums over cells."""
    count = cells.counts.astype(np.float64)
    one, other = (cells[name] / count for name in SUMS[:2])
    raw = np.zeros((cells.degree + 1, cells.degree + 1, len(count)))
    raw[0, 0], raw[1, 0] = 1.0, (one + other) / 2
    for name, at in POWERS.items():
        if sum(at) <= cells.degree:
            raw[at] = cells[name] / count
    central = _beyond(_beyond(raw).swapaxes(0, 1)).swapaxes(0, 1)
    central[1, 0] = central[0, 1] = 0.0
    # Sums of many equal terms are off by rounding, and these have no variance.
    tolerance = ROUNDING * (FEW_TERMS + count)
    for at, rows in (((2, 0), np.s_[1:]), ((0, 2), np.s_[:, 1:])):
        central[rows] *= central[at] > tolerance * raw[at]
    return CellMoments(count, (one, other), central)


def _beyond(raw: FloatArray) -> FloatArray:
    """Moments of the first variable beyond its mean, of whatever power of the second."""
    found = np.zeros_like(raw)
    for i in range(len(raw)):
        for k in range(i + 1):
            found[i] += comb(i, k) * (-raw[1, 0]) ** (i - k) * raw[k]
    # What has no raw moment has no central one.
    for i in range(len(raw)):
        found[i, len(raw) - i :] = 0.0
    return found


def of_role(role: int, coefficients: list[FloatArray]) -> FloatArray:
    """A polynomial in what a role's probability is beyond its mean, as one of the cell."""
    half = (-0.5, 0.5)[role]
    degree = len(coefficients) - 1
    found = np.zeros((degree + 1, degree + 1, len(coefficients[0])))
    for k, values in enumerate(coefficients):
        for j in range(k + 1):
            found[k - j, j] += comb(k, j) * half**j * values
    return found


def product(one: FloatArray, other: FloatArray) -> FloatArray:
    """The product of two polynomials."""
    k, m = len(one), len(other)
    found = np.zeros((k + m - 1, k + m - 1, one.shape[2]))
    for i in range(k):
        for j in range(k - i):
            if one[i, j].any():
                found[i : i + m, j : j + m] += one[i, j] * other
    return found


AnyNumbers = NDArray[Any]

NOISE = 1e-12
"""A variance that is a smaller share of its own terms is rounding."""

MOST_DEGREES = 1e6
"""More degrees of freedom are as good as normal."""

ONE_MORE = 1.0
"""Events, and records without one, that are added to a bin where its share of events is
what the variance depends on (Laplace's rule)."""


def of_rows(n: AnyNumbers, y: AnyNumbers, excess: AnyNumbers) -> FloatArray:
    """The six sums of bins whose entries are single rows: events are 0 or 1."""
    return np.stack([n, y, excess, y, y, n]).astype(np.float64, copy=False)


def weigh(totals: FloatArray) -> FloatArray:
    """What each bin adds to the squared error, times all rows; 0 where it says nothing.

    The squared gap less the variance of the share of events, estimated between units.
    For single records that is ``share * (1 - share) / (n - 1)`` (Kumar, Liang and Ma 2019,
    definition 4.2); sums over pairs of different groups take its place for groups, whose
    records depend on each other.
    """
    n, y, excess, y_y, n_y, n_n = totals
    pairs = n * n - n_n
    some, several = np.maximum(n, 1), pairs > 0
    share = y / some
    spread = y_y - 2 * share * n_y + share**2 * n_n
    spread = spread / np.where(several, pairs, 1)
    return np.where(several, n * ((excess / some) ** 2 - spread), 0.0)


class BinProducts(NamedTuple):
    """Sums over units of the products of residuals in two bins.

    Bins of the challenger are counted on from those of the champion. Each pair of bins of
    the two is there in both orders.

    Attributes
    ----------
    row, col : ndarray of shape (n_products,)
        The two bins.
    value : ndarray of shape (n_products,)
        The sum of the products. The residual of a row is its event less its probability,
        beyond the mean of the bin, and made larger as far as that mean is its own.
    rows : ndarray of shape (n_products,)
        Rows in both bins whose two events are one: all rows of a bin with itself, and none
        of two bins of one classifier.
    own : float
        What pairs of a unit with itself are in :func:`pair_variance`.
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
    n_bins: tuple[int, int],
    values: tuple[AnyNumbers, ...],
    rows: tuple[AnyNumbers, ...],
    own: float,
    weight: FloatArray,
) -> BinProducts:
    """Products where a unit is a row: in each bin with itself, and in all pairs of both.

    `values` and `rows` are of the champion's bins, of the challenger's, and of the pairs,
    one bin of the champion after the other.
    """
    bins = np.arange(sum(n_bins))
    first, second = np.divmod(np.arange(n_bins[0] * n_bins[1]), n_bins[1])
    second = second + n_bins[0]
    return BinProducts(
        np.concatenate([bins, first, second]),
        np.concatenate([bins, second, first]),
        np.concatenate([*values, values[-1]]),
        np.concatenate([*rows, rows[-1]]),
        own,
        weight,
    )


def pair_variance(products: BinProducts, n_rows: float) -> float:
    """Variance of the difference that the pairs of units add; 0 where it is rounding."""
    terms = _pair_terms(products, products.value)
    found = float(terms.sum()) - products.own
    if found <= NOISE * float(np.abs(terms).sum()):
        return 0.0
    return 2 * found / n_rows**2


def _pair_terms(products: BinProducts, value: FloatArray) -> FloatArray:
    weight = products.weight
    terms: FloatArray = np.square(value) * weight[products.row] * weight[products.col]
    return terms


class UnderEqualErrors(NamedTuple):
    """What the variance of the difference would be if the errors were equal.

    Attributes
    ----------
    shift : float
        By how much its first part, twice that of pairs included, differs from what the
        gaps and shares of events as observed give.
    second : float
        The part of the pairs.
    plain : float
        The shift without the records that are added.
    """

    shift: float
    second: float
    plain: float


def under_equal_errors(
    products: BinProducts,
    totals: tuple[FloatArray, FloatArray],
    errors: tuple[float, float],
    second: float,
    n_rows: float,
) -> UnderEqualErrors:
    """How the variance changes where the errors are equal, and few events not believed.

    A bin in which no record, or one, had the other outcome shows no variance, and a
    classifier whose gaps are small by chance little. So one event and one record without
    are added to each bin for its share of events, the gaps are such that both errors
    are the mean of the two, as under the null hypothesis, and one unit is added to which
    the two give opposite probabilities, because none of these may have been seen.

    Parameters
    ----------
    products : BinProducts
        Products of residuals.
    totals : tuple of two ndarray of shape (6, n_bins)
        Sums over the bins of both roles.
    errors : tuple of two float
        Squared errors of both roles.
    second : float
        The variance that pairs add, as observed.
    n_rows : float
        Number of rows.
    """
    n, y, excess = np.concatenate([each[:3] for each in totals], axis=1)
    n_n = np.concatenate([each[5] for each in totals])
    some = np.maximum(n, 1)
    # Rows of a group are worth one where they are alike.
    together = np.maximum(n_n / some, 1)
    added = ONE_MORE * together
    share = y / some
    cautious = (y + added) / (n + 2 * added)
    more = np.maximum(cautious * (1 - cautious) - share * (1 - share), 0) * together
    # Of rows in two bins, as much as the variance of both grows by.
    grown = np.minimum(more[products.row], more[products.col]) * products.rows
    value = products.value + grown

    pooled = max(sum(errors) / 2, 0.0)
    size = np.array([len(each[0]) for each in totals])
    raised = np.maximum(pooled - np.array(errors), 0)
    lowered = [min(1.0, pooled / error) if error > 0 else 1.0 for error in errors]
    gap = excess / some
    equal = gap + cautious - share
    equal = np.copysign(np.sqrt(equal**2 + raised.repeat(size)), equal)
    equal *= np.sqrt(lowered).repeat(size)
    sign = np.array([1.0, -1.0]).repeat(size)

    def first(value: FloatArray, gap: FloatArray) -> float:
        slope = sign * gap
        return 4 * float(value @ (slope[products.row] * slope[products.col]))

    typical = np.sqrt(np.bincount(sign < 0, n * equal**2) / n_rows)
    unseen = ONE_MORE * (2 * float(typical.sum()) * float(n_n.sum() / n.sum())) ** 2
    terms = _pair_terms(products, value) - _pair_terms(products, products.value)
    pairs = max(second + 2 * float(terms.sum()) / n_rows**2, 0.0)
    observed = first(products.value, gap)
    shift = (first(value, equal) + unseen - observed) / n_rows**2
    plain = (first(products.value, equal) - observed) / n_rows**2
    return UnderEqualErrors(shift, pairs, plain)


@dataclass(frozen=True, slots=True)
class Variance:
    """Variance of a difference of squared errors, in its two parts.

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
        By what share records that may not have been seen raise it.
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
    square: float,
    fourth: float,
    sizes: float,
    n: int,
    second: float | None,
    null: UnderEqualErrors | None,
) -> Variance:
    """Variance of the difference, from the influences of units and the part of pairs.

    A squared error is a sum over pairs of units. Its jackknife variance counts the part
    of the pairs twice (Efron and Stein 1981), so that part is estimated by
    itself and taken off once. The rest is not less than 0.

    Parameters
    ----------
    square, fourth : float
        Sums of the second and fourth powers of the units' influences on the difference.
    sizes : float
        Sum of the squares of those on both errors, of which `square` may be rounding.
    n : int
        Number of units.
    second : float or None
        The part of the pairs, as observed; None where it was not counted.
    null : UnderEqualErrors or None
        What the variance is under the null hypothesis; None where pairs were not counted.
    """
    if square <= NOISE**2 * sizes:
        square = fourth = 0.0
    jackknife = square * (n - 1) / n
    if second is None or null is None:
        return Variance(jackknife, 0.0, _degrees(square, fourth, n), jackknife)
    observed, plain, total = (
        max(jackknife + shift - 2 * pairs, 0.0) + pairs
        for shift, pairs in (
            (0.0, second),
            (null.plain, second),
            (null.shift, null.second),
        )
    )
    # Whichever is larger: gaps may be small by chance, or their mean may be.
    plain = max(plain, observed)
    total = max(total, observed)
    scale = total / jackknife if jackknife else np.inf
    df = _degrees(square, fourth, n, scale)
    growth = total / plain - 1 if plain > NOISE * total else np.inf
    # Of what is observed, pairs may have been more.
    pairs = min(null.second, total)
    return Variance(total - pairs, pairs, df, observed, growth)


def _degrees(square: float, fourth: float, n: int, scale: float = 1.0) -> float:
    return min(degrees_of_freedom(square, fourth, n, scale), MOST_DEGREES)


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
