"""Moments of two probabilities within cells, and means of polynomials in them.

A polynomial of each cell is an array of shape (k + 1, k + 1, n_cells): entry (i, j) is the
coefficient of ``x**i * y**j``, of what middle and difference of both probabilities are
beyond their means in the cell.
"""

from math import comb
from typing import NamedTuple

import numpy as np

from skcompare._typing import FloatArray
from skcompare.evidence._calibration_cells import CalibrationCells
from skcompare.evidence._calibration_sums import POWERS, SUMS

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
