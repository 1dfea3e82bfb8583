"""Bootstrap and exchangeability resampling of the difference of calibration errors."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import check_random_state

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import CalibrationCells, PairedCalibration
from skcompare.stats.calibration._influence import row_sums
from skcompare.stats.calibration._squared_errors import (
    CellMoments,
    moments_of,
    of_role,
    of_rows,
    product,
    weigh,
)

MOST_NUMBERS = 1 << 21
"""Largest number of values in a block of draws, which bounds the memory."""

RECORDS_PER_CELL = 12
"""Mean records per cell above which drawing counts is faster than drawing records."""

LOST = 1e-8
"""A variance that is a smaller share of its terms has lost its significant digits."""

SHARED = ((1, 1), (2, 1), (1, 2), (2, 2))

Moment = Callable[[int, int], FloatArray]
"""Central moment of both excesses in each cell, of the orders of its arguments."""


class Cells(NamedTuple):
    """Sizes of the cells of records, and matrices that sum cells over bins and joint bins.

    `own` of each role adds, bin after bin, records, events, excess, and the second, third
    and fourth cumulant of the excess; `shared` adds joint cumulants of both excesses.
    """

    size: IntArray
    own: tuple[csr_matrix, csr_matrix]
    shared: csr_matrix
    first: IntArray
    second: IntArray


def variance_over_resamples(
    calibration: PairedCalibration, n_resamples: int, rng: np.random.Generator
) -> float | None:
    """Bootstrap variance of the difference over records; None if digits are lost.

    The order of the records does not matter.
    """
    cells = _cells_of(calibration)
    n_rows = sum(each.shape[0] for each in (*cells.own, cells.shared)) + len(cells.size)
    block = max(1, min(n_resamples, MOST_NUMBERS // n_rows))
    means, within, terms = [], 0.0, 0.0
    for start in range(0, n_resamples, block):
        counts = _drawn_counts(cells.size, min(block, n_resamples - start), rng)
        mean, variance, size = _moments(cells, counts.T.astype(np.float64))
        means.append(mean)
        within += float(variance.sum())
        terms += float(size.sum())
    total = float(np.concatenate(means).var(ddof=1)) + within / n_resamples
    return None if total < LOST * terms / n_resamples else total


def _drawn_counts(size: IntArray, n_draws: int, rng: np.random.Generator) -> IntArray:
    """Draw the number of records of each cell, of shape (n_draws, n_cells)."""
    n = int(size.sum())
    if n > RECORDS_PER_CELL * len(size):
        return rng.multinomial(n, size / n, size=n_draws)
    cell = np.arange(len(size)).repeat(size)
    rows = (cell[rng.integers(n, size=n)] for _ in range(n_draws))
    return np.stack([np.bincount(each, minlength=len(size)) for each in rows])


def _cells_of(calibration: PairedCalibration) -> Cells:
    if calibration.cells is not None:
        return _cells_of_sums(calibration.cells)
    (champion_bin, challenger_bin), (champion_event, challenger_event) = (
        calibration.codes,
        calibration.outcomes,
    )
    n_bins = calibration.n_bins
    code = (
        4 * (champion_bin * n_bins[1] + challenger_bin)
        + 2 * champion_event
        + challenger_event
    )
    codes, cell, size = np.unique(code, return_inverse=True, return_counts=True)
    excess = [
        events - proba
        for events, proba in zip(calibration.outcomes, calibration.proba, strict=True)
    ]
    means = [np.bincount(cell, each, len(codes)) / size for each in excess]
    deviations = [each - mean[cell] for each, mean in zip(excess, means, strict=True)]

    def moment(i: int, j: int) -> FloatArray:
        """Central moment of the excesses of the records of each cell."""
        values = np.ones(len(deviations[0]))
        for each in (deviations[0],) * i + (deviations[1],) * j:
            values *= each
        return np.bincount(cell, values, len(size)) / size

    return _cells_with_moments(codes, size, means, moment, n_bins)


def _cells_of_sums(cells: CalibrationCells) -> Cells:
    """Cells of evidence reduced to sums."""
    moments = moments_of(cells)
    means = [cells.event(role) - moments.mean[role] for role in (0, 1)]
    zeros, ones = np.zeros(len(cells.code)), np.ones(len(cells.code))
    # The excess decreases by as much as the probability increases.
    excess = [of_role(role, [zeros, -ones]) for role in (0, 1)]

    def moment(i: int, j: int) -> FloatArray:
        return _mean_of_powers(moments, [excess[0]] * i + [excess[1]] * j)

    return _cells_with_moments(cells.code, cells.counts, means, moment, cells.n_bins)


def _mean_of_powers(moments: CellMoments, factors: list[FloatArray]) -> FloatArray:
    return moments.mean_of(reduce(product, factors))


def _cells_with_moments(
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
        own.append(_summing_matrix(rows, bins[role], n_bins[role]))
    pairs, pair = np.unique(joint, return_inverse=True)
    shared = _summing_matrix(_shared_cumulants(moment), pair, len(pairs))
    return Cells(size, (own[0], own[1]), shared, pairs // n_bins[1], pairs % n_bins[1])


def _own_cumulants(moment: Moment, role: int) -> list[FloatArray]:
    """Second to fourth cumulants of one role's excess for a record of each cell."""
    second, third, fourth = (moment(0, k) if role else moment(k, 0) for k in (2, 3, 4))
    # Beyond the third order, cumulants are moments minus products of second moments.
    return [second, third, fourth - 3 * second**2]


def _shared_cumulants(moment: Moment) -> list[FloatArray]:
    """Joint cumulants of both excesses, of orders (1, 1), (2, 1), (1, 2) and (2, 2)."""
    covariance, *thirds, fourth = (moment(*each) for each in SHARED)
    return [covariance, *thirds, fourth - moment(2, 0) * moment(0, 2) - 2 * covariance**2]


def _summing_matrix(rows: list[FloatArray], column: IntArray, n_columns: int) -> csr_matrix:
    """Sparse matrix that sums each row of cell values over the cells of each bin."""
    values = np.stack(rows)
    kind = np.arange(len(rows))[:, np.newaxis]
    row = (kind * n_columns + column).ravel()
    cell = np.broadcast_to(np.arange(len(column)), values.shape).ravel()
    shape = len(rows) * n_columns, len(column)
    return csr_matrix((values.ravel(), (row, cell)), shape=shape)


def _moments(cells: Cells, counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Conditional mean and variance of the difference given the cell counts of each draw.

    The difference is a sum over the bins of both roles of a (m + d)², with fixed a and m,
    and d the deviation of the excess from its mean m; the third array has the size of the
    terms of the variance.
    """
    n_draws = counts.shape[1]
    mean, variance = np.zeros(n_draws), np.zeros(n_draws)
    scale, centre = [], []
    for matrix, sign in zip(cells.own, (1, -1), strict=True):
        n, y, m, v, third, fourth = (matrix @ counts).reshape(6, -1, n_draws)
        a = np.where(n > 1, sign / np.maximum(n, 1), 0.0) / float(cells.size.sum())
        mean += sign * weigh(of_rows(n, y, m)).sum(axis=0) / float(cells.size.sum())
        mean += (a * v).sum(axis=0)
        coefficient = 4 * m * (m * v + third) + fourth + 2 * v * v
        variance += (a * a * coefficient).sum(axis=0)
        scale.append(a)
        centre.append(m)
    terms = variance.copy()
    v, third21, third12, fourth22 = (cells.shared @ counts).reshape(4, -1, n_draws)
    m, k = centre[0][cells.first], centre[1][cells.second]
    coefficient = 4 * m * k * v + 2 * m * third12 + 2 * k * third21 + fourth22 + 2 * v * v
    a = scale[0][cells.first] * scale[1][cells.second]
    variance += 2 * (a * coefficient).sum(axis=0)
    return mean, np.maximum(variance, 0.0), terms


SMALL_BLOCK, MOST_DRAWS = 1 << 17, 512
"""Weights that fit the first cache, and largest number of draws of few units at a time."""

FEW_DRAWS, MOST_WEIGHTS = 16, 1 << 22
"""Draws of many units at a time, and largest number of weights, which bounds the memory."""

MEAN_DECIMALS = 9
"""Mean probabilities of a cell that agree to this number of decimals are equal."""

TIES = 1e-12
"""Relative tolerance within which the sizes of two differences are tied."""


def bootstrap_error(
    calibration: PairedCalibration, n_resamples: int, random_state: Any
) -> float:
    """Bootstrap standard error of the difference, over resampled records or groups."""
    if _are_equal(calibration):
        return 0.0
    if _is_single(calibration) and calibration.rows_per_record == 1:
        pair = calibration.swap() if _is_reversed(calibration) else calibration
        variance = variance_over_resamples(pair, n_resamples, _generator(random_state))
        if variance is not None:
            return math.sqrt(variance)
        calibration.check_kept("A bootstrap of classifiers that are nearly the same")
    ordered = _canonical(calibration)
    columns = [_sparse_columns(ordered, role) for role in (0, 1)]
    n_units = columns[0].shape[1]

    def draw(rng: np.random.Generator) -> IntArray:
        chosen = rng.integers(n_units, size=n_units, dtype=np.uint32)
        return np.bincount(chosen, minlength=n_units)

    base = [np.zeros((1, 1))] * 2
    single = _is_single(ordered)
    differences = _differences(columns, base, single, draw, n_resamples, random_state)
    return float(differences.std(ddof=1))


def _generator(random_state: Any) -> np.random.Generator:
    seed = check_random_state(random_state).randint(0, 2**31 - 1, size=4)
    return np.random.default_rng(seed.tolist())


def _are_equal(calibration: PairedCalibration) -> bool:
    """Whether both roles have the same probabilities in the same bins."""
    cells = calibration.cells
    if cells is not None:
        equal = (np.array_equal(f(0), f(1)) for f in (cells.bin, cells.event))
        return all(equal) and not cells["m0d2"].any()
    rows = calibration.proba, calibration.outcomes, calibration.codes
    return all(np.array_equal(*pair) for pair in rows)


@dataclass(frozen=True, slots=True)
class ExchangedDifferences:
    """Symmetric distribution of the difference with roles exchanged in random units.

    Attributes
    ----------
    sizes : ndarray of shape (n_resamples,)
        Absolute differences, ascending.
    """

    sizes: FloatArray

    def pvalue(self, difference: float, alternative: str) -> tuple[float, float]:
        """P-value and its logarithm, counting the observed roles as one more exchange."""
        n_exchanges = len(self.sizes) + 1
        size = abs(difference)
        n_as_large = self._at_least(size * (1 - TIES))
        if alternative == "two-sided":
            pvalue = (1 + n_as_large) / n_exchanges
        elif (difference > 0) == (alternative == "greater") and size > 0:
            pvalue = (1 + n_as_large) / (2 * n_exchanges)
        else:
            # All except those farther out on the other side.
            pvalue = 1 - self._at_least(size * (1 + TIES), strictly=True) / (
                2 * n_exchanges
            )
        return pvalue, math.log(pvalue)

    def critical(self, alpha: float, alternative: str) -> float:
        """Critical difference at level `alpha`, in the direction of the alternative.

        Infinite where no difference is significant at this level.
        """
        n_exchanges = len(self.sizes) + 1
        if alternative == "two-sided":
            n_larger = math.ceil(alpha * n_exchanges * (1 - TIES)) - 2
            return math.inf if n_larger < 0 else float(self.sizes[-1 - n_larger])
        n_larger = math.ceil(2 * alpha * n_exchanges * (1 - TIES)) - 2
        if n_larger < 0:
            return math.inf
        if n_larger < len(self.sizes):
            return float(self.sizes[-1 - n_larger])
        # For a level above 1/2 the limit is on the other side.
        n_smaller = math.floor(2 * (1 - alpha) * n_exchanges)
        return -float(self.sizes[-1 - min(n_smaller, len(self.sizes) - 1)])

    def _at_least(self, size: float, *, strictly: bool = False) -> int:
        is_reached = self.sizes > size if strictly else self.sizes >= size
        return int(np.count_nonzero(is_reached))


def exchanged_differences(
    calibration: PairedCalibration, n_resamples: int, random_state: Any
) -> ExchangedDifferences:
    """Draw differences with the roles exchanged in each unit with probability 1/2."""
    ordered = _canonical(calibration)
    # Predictions that change roles fall into the bins of their new role.
    crossed = replace(ordered, proba=ordered.proba[::-1], outcomes=ordered.outcomes[::-1])
    matrices = [_sparse_columns(ordered, role) for role in (0, 1)]
    crossed_matrices = [_sparse_columns(crossed, role) for role in (0, 1)]
    n_units = matrices[0].shape[1]
    base = [np.asarray(matrix.sum(axis=1)) for matrix in matrices]
    changes = [(b - a).tocsr() for a, b in zip(matrices, crossed_matrices, strict=True)]

    def draw(rng: np.random.Generator) -> IntArray:
        return rng.integers(2, size=n_units, dtype=np.int8)

    single = _is_single(ordered)
    differences = _differences(changes, base, single, draw, n_resamples, random_state)
    return ExchangedDifferences(np.sort(np.abs(differences)))


def _differences(
    columns: list[csr_matrix],
    base: list[FloatArray],
    single: bool,
    draw: Callable[[np.random.Generator], IntArray],
    n_resamples: int,
    random_state: Any,
) -> FloatArray:
    """Differences of the squared errors for drawn weights of the units.

    The sums of the bins are `base` plus those of the units times the weights, so a block of
    draws is one matrix product.
    """
    rng = _generator(random_state)
    n_units = columns[0].shape[1]
    block = max(FEW_DRAWS, min(MOST_DRAWS, SMALL_BLOCK // n_units))
    block = max(1, min(block, MOST_WEIGHTS // n_units))
    differences = np.empty(n_resamples)
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        draws = np.stack([draw(rng) for _ in range(size)])
        weights = np.ascontiguousarray(draws.T, dtype=np.float64)
        errors = []
        for matrix, base_sums in zip(columns, base, strict=True):
            totals = _totals(matrix @ weights + base_sums, single)
            errors.append(weigh(totals).sum(axis=0) / totals[0].sum(axis=0))
        differences[start : start + size] = errors[0] - errors[1]
    return differences


def _totals(sums: FloatArray, single: bool) -> FloatArray:
    """Six sums of each bin, of shape (6, n_bins, n_draws)."""
    if not single:
        return sums.reshape(6, -1, sums.shape[1])
    # Events are 0 or 1 and equal their squares.
    absent, events, excess = sums.reshape(3, -1, sums.shape[1])
    count = absent + events
    return np.stack([count, events, excess, events, events, count])


def _sparse_columns(calibration: PairedCalibration, role: int) -> csr_matrix:
    """Sparse matrix of the sums in each bin, with one column per unit.

    The rows are the six sums for groups; for single records they are the numbers of rows
    without and with an event, and the excess, bin after bin.
    """
    sums = row_sums(calibration, role)
    if _is_single(calibration):
        kinds = np.stack([sums.events, np.full(len(sums.events), 2)]).astype(np.intp)
        values, n_kinds = np.stack([sums.count, sums.excess]), 3
    else:
        kinds, values, n_kinds = np.arange(6)[:, np.newaxis], sums.columns, 6
    row = sums.bin + sums.n_bins * kinds
    unit = np.broadcast_to(sums.unit, row.shape)
    shape = n_kinds * sums.n_bins, sums.n_units
    return csr_matrix((values.ravel(), (row.ravel(), unit.ravel())), shape=shape)


def _is_single(calibration: PairedCalibration) -> bool:
    """Whether units are records, each with at most one row per bin."""
    return calibration.groups is None


def _canonical(calibration: PairedCalibration) -> PairedCalibration:
    """Return the evidence with records and roles in canonical order.

    A seed then gives the same draws for any original order, and swapped roles mirror the
    result exactly.
    """
    return _in_order(calibration.swap() if _is_reversed(calibration) else calibration)


def _is_reversed(calibration: PairedCalibration) -> bool:
    """Whether the roles are in the reverse of their canonical order."""
    if calibration.cells is not None:
        table, swapped_table = (
            _canonical_table(each) for each in (calibration.cells, calibration.cells.swap())
        )
        return swapped_table < table
    champion, challenger = (np.sort(each) for each in calibration.proba)
    unequal = np.flatnonzero(champion != challenger)
    if len(unequal):
        return bool(champion[unequal[0]] > challenger[unequal[0]])
    rows, swapped_rows = (
        _table(_in_order(each)) for each in (calibration, calibration.swap())
    )
    return swapped_rows < rows


def _canonical_table(cells: CalibrationCells) -> tuple[list[float], ...]:
    """Return the cells as comparable lists of numbers, without rounding errors."""
    means = cells["champion_proba"] / cells.counts
    return cells.code.tolist(), cells.counts.tolist(), means.round(MEAN_DECIMALS).tolist()


def _table(calibration: PairedCalibration) -> tuple[bytes, ...]:
    """Return all rows of the evidence as comparable bytes."""
    parts = (*calibration.proba, *calibration.outcomes, *calibration.codes)
    return tuple(each.tobytes() for each in parts)


def _in_order(calibration: PairedCalibration) -> PairedCalibration:
    """Return the evidence with records sorted by all of their values."""
    k = calibration.rows_per_record
    keys: list[NDArray[Any]] = []
    for values in (*calibration.outcomes, *calibration.proba):
        keys += [values[column::k] for column in range(k)]
    if calibration.groups is not None:
        keys.append(calibration.groups)
    order = np.lexsort(keys)
    rows = (order[:, np.newaxis] * k + np.arange(k)).ravel()
    groups = calibration.groups
    return replace(
        calibration,
        proba=tuple(each[rows] for each in calibration.proba),
        outcomes=tuple(each[rows] for each in calibration.outcomes),
        groups=None if groups is None else groups[order],
    )
