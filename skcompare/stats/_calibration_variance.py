"""What bins add to a squared calibration error, and the variance of a difference of two."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.satterthwaite import degrees_of_freedom
from skcompare._typing import FloatArray, IntArray

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
