"""What bins add to a squared calibration error, and the variance of a difference of two."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._typing import FloatArray

__all__ = ["NOISE", "Variance", "of_rows", "variance_from", "weigh"]

AnyNumbers = NDArray[Any]

NOISE = 1e-12
"""A variance that is a smaller share of its own terms is rounding."""

MOST_DEGREES = 1e6
"""More degrees of freedom are as good as normal."""


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
    """

    first: float
    second: float
    df: float

    @property
    def total(self) -> float:
        return self.first + self.second


def variance_from(
    square: float, fourth: float, sizes: float, second: float | None, n: int
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
    second : float or None
        The part of the pairs; None where it was not counted.
    n : int
        Number of units.
    """
    if square <= NOISE**2 * sizes:
        square = fourth = 0.0
    jackknife = square * (n - 1) / n
    if second is None:
        return Variance(jackknife, 0.0, _degrees(square, fourth, 1.0, n))
    first = max(jackknife - 2 * second, 0.0)
    if jackknife == 0:
        return Variance(first, second, 1.0)
    scale = (first + second) / jackknife
    return Variance(first, second, _degrees(square, fourth, scale, n))


def _degrees(square: float, fourth: float, scale: float, n: int) -> float:
    """Degrees of freedom by Satterthwaite, from how unequal the influences are.

    ``2 v**2 / var(v)`` for ``v`` the jackknife variance; where the variance in use is
    `scale` times as large with the same variation, these are `scale`² times as many.
    """
    spread = fourth - square**2 / n
    most = min(max(1.0, n - 1.0), MOST_DEGREES)
    if spread <= NOISE * fourth:
        return most
    return min(max(1.0, 2 * square**2 / spread * scale**2), most)
