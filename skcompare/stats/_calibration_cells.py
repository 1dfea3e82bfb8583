"""Bootstrap variance of a difference of calibration errors, from cells of joint bins.

A resample of records is a draw of how many come from each cell (the bins and events of
both classifiers), and then of records in each cell. Given the first draw, mean and
variance over the second are known, so that only the first is drawn: the variance over
resamples is the variance of the means, and the mean of the variances.
"""

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PairedCalibration
from skcompare.evidence._calibration_cells import CalibrationCells
from skcompare.stats._calibration_moments import CellMoments, moments_of, of_role, product
from skcompare.stats._calibration_variance import of_rows, weigh

MOST_NUMBERS = 1 << 21
"""Numbers of a block of draws, which bounds the memory."""

RECORDS_A_CELL = 12
"""As many records of a cell take as long to draw as its number of records."""

LOST = 1e-8
"""A variance that is a smaller share of its terms has lost its digits."""

SHARED = ((1, 1), (2, 1), (1, 2), (2, 2))

Moment = Callable[[int, int], FloatArray]
"""Mean of powers of both excesses beyond their means, in each cell."""


class Cells(NamedTuple):
    """Numbers of records, and what a record adds to the sums of bins and joint bins.

    `own` of each role adds, bin after bin, records, events, excess, and the second, third
    and fourth cumulant of the excess; `shared` joint cumulants of the excesses of both.
    """

    size: IntArray
    own: tuple[csr_matrix, csr_matrix]
    shared: csr_matrix
    first: IntArray
    second: IntArray


def variance_over_resamples(
    calibration: PairedCalibration, n_resamples: int, rng: np.random.Generator
) -> float | None:
    """Variance of the difference over resamples of records; None where digits are lost.

    The order of the records does not matter.
    """
    cells = _cells_of(calibration)
    n_rows = sum(each.shape[0] for each in (*cells.own, cells.shared)) + len(cells.size)
    block = max(1, min(n_resamples, MOST_NUMBERS // n_rows))
    means, within, terms = [], 0.0, 0.0
    for start in range(0, n_resamples, block):
        drawn = _drawn(cells.size, min(block, n_resamples - start), rng)
        mean, variance, size = _moments(cells, drawn.T.astype(np.float64))
        means.append(mean)
        within += float(variance.sum())
        terms += float(size.sum())
    total = float(np.concatenate(means).var(ddof=1)) + within / n_resamples
    return None if total < LOST * terms / n_resamples else total


def _drawn(size: IntArray, n_draws: int, rng: np.random.Generator) -> IntArray:
    """How many records come from each cell, of shape (n_draws, n_cells)."""
    n = int(size.sum())
    if n > RECORDS_A_CELL * len(size):
        return rng.multinomial(n, size / n, size=n_draws)
    cell = np.arange(len(size)).repeat(size)
    rows = (cell[rng.integers(n, size=n)] for _ in range(n_draws))
    return np.stack([np.bincount(each, minlength=len(size)) for each in rows])


def _cells_of(calibration: PairedCalibration) -> Cells:
    if calibration.cells is not None:
        return _of_sums(calibration.cells)
    (first, second), (one, other) = calibration.codes, calibration.outcomes
    n_bins = calibration.n_bins
    code = 4 * (first * n_bins[1] + second) + 2 * one + other
    found, cell, size = np.unique(code, return_inverse=True, return_counts=True)
    excess = [
        events - proba
        for events, proba in zip(calibration.outcomes, calibration.proba, strict=True)
    ]
    means = [np.bincount(cell, each, len(found)) / size for each in excess]
    beyond = [each - mean[cell] for each, mean in zip(excess, means, strict=True)]

    def moment(i: int, j: int) -> FloatArray:
        """Mean of powers of the excesses of a record drawn from each cell."""
        values = np.ones(len(beyond[0]))
        for each in (beyond[0],) * i + (beyond[1],) * j:
            values *= each
        return np.bincount(cell, values, len(size)) / size

    return _with_moments(found, size, means, moment, n_bins)


def _of_sums(cells: CalibrationCells) -> Cells:
    """The same from sums that were kept."""
    moments = moments_of(cells)
    means = [cells.event(role) - moments.mean[role] for role in (0, 1)]
    none, one = np.zeros(len(cells.code)), np.ones(len(cells.code))
    # The excess is less by what the probability is more.
    excess = [of_role(role, [none, -one]) for role in (0, 1)]

    def moment(i: int, j: int) -> FloatArray:
        return _mean_of_powers(moments, [excess[0]] * i + [excess[1]] * j)

    return _with_moments(cells.code, cells.counts, means, moment, cells.n_bins)


def _mean_of_powers(moments: CellMoments, factors: list[FloatArray]) -> FloatArray:
    return moments.mean_of(reduce(product, factors))


def _with_moments(
    code: IntArray,
    size: IntArray,
    means: list[FloatArray],
    moment: Moment,
    n_bins: tuple[int, int],
) -> Cells:
    joint, events = code // 4, (code // 2 % 2, code % 2)
    bins = joint // n_bins[1], joint % n_bins[1]
    own = []
    for role in (0, 1):
        cumulants = _own_cumulants(moment, role)
        happened = events[role].astype(np.float64)
        rows = [np.ones(len(code)), happened, means[role], *cumulants]
        own.append(_adding(rows, bins[role], n_bins[role]))
    pairs, pair = np.unique(joint, return_inverse=True)
    shared = _adding(_shared_cumulants(moment), pair, len(pairs))
    return Cells(size, (own[0], own[1]), shared, pairs // n_bins[1], pairs % n_bins[1])


def _own_cumulants(moment: Moment, role: int) -> list[FloatArray]:
    """Second to fourth cumulant of the excess of one role, of a record of each cell."""
    second, third, fourth = (moment(0, k) if role else moment(k, 0) for k in (2, 3, 4))
    # Beyond the third order, cumulants are less than moments by products of second ones.
    return [second, third, fourth - 3 * second**2]


def _shared_cumulants(moment: Moment) -> list[FloatArray]:
    """Joint cumulants of both excesses, of orders (1, 1), (2, 1), (1, 2) and (2, 2)."""
    one, *others, both = (moment(*each) for each in SHARED)
    return [one, *others, both - moment(2, 0) * moment(0, 2) - 2 * one**2]


def _adding(rows: list[FloatArray], column: IntArray, n_columns: int) -> csr_matrix:
    """The matrix that adds rows of numbers a cell up, bin by bin, one row after another."""
    values = np.stack(rows)
    kind = np.arange(len(rows))[:, np.newaxis]
    at = (kind * n_columns + column).ravel()
    cell = np.broadcast_to(np.arange(len(column)), values.shape).ravel()
    shape = len(rows) * n_columns, len(column)
    return csr_matrix((values.ravel(), (at, cell)), shape=shape)


def _moments(cells: Cells, counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean and variance of the difference given numbers of records a cell, draw by draw.

    The difference is a sum over the bins of both of a (m + d)², of fixed a and m, and d
    the excess beyond its mean m; the third array has the size of the variance's terms.
    """
    n_draws = counts.shape[1]
    mean, variance = np.zeros(n_draws), np.zeros(n_draws)
    scale, centre = [], []
    for matrix, sign in zip(cells.own, (1, -1), strict=True):
        n, y, m, v, third, fourth = (matrix @ counts).reshape(6, -1, n_draws)
        a = np.where(n > 1, sign / np.maximum(n, 1), 0.0) / float(cells.size.sum())
        mean += sign * weigh(of_rows(n, y, m)).sum(axis=0) / float(cells.size.sum())
        mean += (a * v).sum(axis=0)
        added = 4 * m * (m * v + third) + fourth + 2 * v * v
        variance += (a * a * added).sum(axis=0)
        scale.append(a)
        centre.append(m)
    terms = variance.copy()
    v, one, other, both = (cells.shared @ counts).reshape(4, -1, n_draws)
    m, k = centre[0][cells.first], centre[1][cells.second]
    added = 4 * m * k * v + 2 * m * other + 2 * k * one + both + 2 * v * v
    a = scale[0][cells.first] * scale[1][cells.second]
    variance += 2 * (a * added).sum(axis=0)
    return mean, np.maximum(variance, 0.0), terms
