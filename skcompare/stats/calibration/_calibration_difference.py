"""Test of the difference of two calibration errors, and its resampling."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import check_random_state

from skcompare._core.arrays import slices_of
from skcompare._core.validation import alpha_of, check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import (
    ROLES,
    CalibrationBins,
    CalibrationCells,
    Forecasts,
    PairedCalibration,
)
from skcompare.stats.calibration._calibration_tests import (
    cusum_of,
    spiegelhalter_from,
    spiegelhalter_of,
)
from skcompare.stats.calibration._squared_errors import (
    BothSums,
    Variance,
    moments_of,
    of_role,
    of_rows,
    product,
    role_sums,
    row_sums,
    spiegelhalter_sums,
    squared_errors,
    variance_of,
    weigh,
)
from skcompare.stats.core._limits import Limits, Wald, one_sided, studentised
from skcompare.stats.core._power import Aim, planned
from skcompare.stats.core._result import PairedResult, Tested, few_groups, tested_result
from skcompare.stats.core._tails import blocks_of, outward

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
    for n_draws in blocks_of(n_resamples, block):
        counts = _drawn_counts(cells.size, n_draws, rng)
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
    drawn = cell[rng.integers(n, size=(n_draws, n))]
    drawn += len(size) * np.arange(n_draws)[:, np.newaxis]
    counts = np.bincount(drawn.ravel(), minlength=n_draws * len(size))
    return counts.reshape(n_draws, len(size))


def _cells_of(calibration: PairedCalibration) -> Cells:
    if calibration.cells is not None:
        return _cells_of_sums(calibration.cells)
    bins, events, n_bins = calibration.codes, calibration.outcomes, calibration.n_bins
    code = 4 * (bins[0] * n_bins[1] + bins[1]) + 2 * events[0] + events[1]
    codes, cell, size = np.unique(code, return_inverse=True, return_counts=True)
    excess = [events[role] - calibration.proba[role] for role in (0, 1)]
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
        return moments.mean_of(reduce(product, [excess[0]] * i + [excess[1]] * j))

    return _cells_with_moments(cells.code, cells.counts, means, moment, cells.n_bins)


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
    if calibration.groups is None and calibration.rows_per_record == 1:
        pair = calibration.swap() if _is_reversed(calibration) else calibration
        variance = variance_over_resamples(pair, n_resamples, _generator(random_state))
        if variance is not None:
            return math.sqrt(variance)
        calibration.check_kept("A bootstrap of classifiers that are nearly the same")
    ordered = _canonical(calibration)
    columns = [_sparse_columns(ordered, role) for role in (0, 1)]

    def draw(rng: np.random.Generator, n_units: int) -> IntArray:
        chosen = rng.integers(n_units, size=n_units, dtype=np.uint32)
        return np.bincount(chosen, minlength=n_units)

    base = [np.zeros((1, 1))] * 2
    differences = _differences(ordered, columns, base, draw, n_resamples, random_state)
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
        size, sides = abs(difference), 1 if alternative == "two-sided" else 2
        if outward(difference, alternative) > 0 or sides == 1:
            n_as_large = 1 + int(np.count_nonzero(self.sizes >= size * (1 - TIES)))
            pvalue = n_as_large / (sides * n_exchanges)
        else:
            # All except those farther out on the other side.
            n_beyond = int(np.count_nonzero(self.sizes > size * (1 + TIES)))
            pvalue = 1 - n_beyond / (2 * n_exchanges)
        return pvalue, math.log(pvalue)

    def critical(self, alpha: float, alternative: str) -> float:
        """Critical difference at level `alpha`, in the direction of the alternative.

        Infinite where no difference is significant at this level.
        """
        n_exchanges = len(self.sizes) + 1
        share = alpha if alternative == "two-sided" else 2 * alpha
        n_larger = math.ceil(share * n_exchanges * (1 - TIES)) - 2
        if n_larger < 0:
            return math.inf
        if n_larger < len(self.sizes):
            return float(self.sizes[-1 - n_larger])
        # For a level above 1/2 the limit is on the other side.
        n_smaller = math.floor(2 * (1 - alpha) * n_exchanges)
        return -float(self.sizes[-1 - min(n_smaller, len(self.sizes) - 1)])


def exchanged_differences(
    calibration: PairedCalibration, n_resamples: int, random_state: Any
) -> ExchangedDifferences:
    """Draw differences with the roles exchanged in each unit with probability 1/2."""
    ordered = _canonical(calibration)
    # Predictions that change roles fall into the bins of their new role.
    crossed = replace(ordered, proba=ordered.proba[::-1], outcomes=ordered.outcomes[::-1])
    matrices = [_sparse_columns(ordered, role) for role in (0, 1)]
    crossed_matrices = [_sparse_columns(crossed, role) for role in (0, 1)]
    base = [np.asarray(matrix.sum(axis=1)) for matrix in matrices]
    changes = [(b - a).tocsr() for a, b in zip(matrices, crossed_matrices, strict=True)]

    def draw(rng: np.random.Generator, n_units: int) -> IntArray:
        return rng.integers(2, size=n_units, dtype=np.int8)

    differences = _differences(ordered, changes, base, draw, n_resamples, random_state)
    return ExchangedDifferences(np.sort(np.abs(differences)))


def _differences(
    calibration: PairedCalibration,
    columns: list[csr_matrix],
    base: list[FloatArray],
    draw: Callable[[np.random.Generator, int], IntArray],
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
    for rows in slices_of(n_resamples, block):
        draws = np.stack([draw(rng, n_units) for _ in differences[rows]])
        weights = np.ascontiguousarray(draws.T, dtype=np.float64)
        errors = []
        for matrix, base_sums in zip(columns, base, strict=True):
            totals = _totals(matrix @ weights + base_sums, calibration)
            errors.append(weigh(totals).sum(axis=0) / totals[0].sum(axis=0))
        differences[rows] = errors[0] - errors[1]
    return differences


def _totals(sums: FloatArray, calibration: PairedCalibration) -> FloatArray:
    """Six sums of each bin, of shape (6, n_bins, n_draws)."""
    if calibration.groups is not None:
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
    # Units are records, each with at most one row per bin, unless there are groups.
    if calibration.groups is None:
        kinds = np.stack([sums.events, np.full(len(sums.events), 2)]).astype(np.intp)
        values, n_kinds = np.stack([sums.count, sums.excess]), 3
    else:
        kinds, values, n_kinds = np.arange(6)[:, np.newaxis], sums.columns, 6
    row = sums.bin + sums.n_bins * kinds
    unit = np.broadcast_to(sums.unit, row.shape)
    shape = n_kinds * sums.n_bins, sums.n_units
    return csr_matrix((values.ravel(), (row.ravel(), unit.ravel())), shape=shape)


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


DIGITS = 12
MOST_SORTED = 1_000_000
"""Largest number of records for each role's own tests, which sort them."""


def parts_of(
    calibration: PairedCalibration, sums: BothSums, errors: tuple[float, float]
) -> tuple[dict[str, Any], ...]:
    """Further calibration errors of each role, with tests of perfect calibration.

    The plug-in errors are biased and not tested. The role's own tests assume independent
    records with one event each, so that groups and classwise events have none.
    """
    has_own_tests = (
        calibration.groups is None
        and calibration.rows_per_record == 1
        and (calibration.n <= MOST_SORTED or calibration.cells is not None)
    )
    parts: list[dict[str, Any]] = []
    for role, name in enumerate(ROLES):
        count, events, excess = sums[role].totals[:3]
        bins = CalibrationBins(count, events - excess, events)
        values = {
            "squared_calibration_error": errors[role],
            "root_calibration_error": math.sqrt(max(errors[role], 0.0)),
            "expected_calibration_error": bins.error("l1"),
            "debiased_expected_calibration_error": bins.error("l1", debiased=True),
            "maximum_calibration_error": bins.error("max"),
        }
        # Further digits depend on the order of the records.
        part = {"role": name, **{k: round(v, DIGITS) for k, v in values.items()}}
        parts.append(part | _own_tests(calibration, role) if has_own_tests else part)
    return tuple(parts)


def _own_tests(calibration: PairedCalibration, role: int) -> dict[str, float]:
    """P-values of the hypothesis that the probabilities of one role are correct."""
    kind = calibration.kind
    if calibration.cells is not None:
        sums = spiegelhalter_sums(calibration.cells, role)
        result = spiegelhalter_from(*sums, kind, calibration.n)
        return {"spiegelhalter_pvalue": result.pvalue}
    forecasts = Forecasts(calibration.proba[role], calibration.outcomes[role])
    return {
        "spiegelhalter_pvalue": spiegelhalter_of(forecasts, kind).pvalue,
        # Simulations would take longer than everything else.
        "calibration_cusum_pvalue": cusum_of(forecasts, kind, method="asymptotic").pvalue,
    }


Method = Literal["analytic", "bootstrap", "exchangeability"]
NOISE = 1e-15
"""A difference that is a smaller share of the two errors is 0."""

ROUNDING = 1e-13
"""A standard error that is a smaller share of the two errors is only rounding error, as for
identical records."""

FEW_DEGREES, MUCH_GROWTH = 15, 0.15


Outcome = tuple[Tested, Limits, float | None]
"""Test by one method, its limits, and degrees of freedom of its variance."""


class _Effect(NamedTuple):
    """Difference of two calibration errors, with the parts of its variance."""

    difference: float
    variance: Variance

    def sample_size(self, n: float, aim: Aim) -> float:
        """Return the number of records with the requested power."""
        size = outward(self.difference, aim.alternative)
        if size <= 0:
            return math.inf
        # With s times as many records the first part of the variance is s and the second
        # s² times smaller, so 1 / s solves a quadratic equation.
        target = (size / aim.reach) ** 2
        root = math.sqrt(self.variance.first**2 + 4 * self.variance.second * target)
        return n * (self.variance.first + root) / (2 * target)


def _effect(calibration: PairedCalibration, **options: object) -> _Effect:
    sums = role_sums(calibration, 0), role_sums(calibration, 1)
    champion, challenger = squared_errors(sums)
    return _Effect(champion - challenger, variance_of(sums))


@paired_test(
    title="Difference of calibration errors",
    measures="squared_calibration_error",
    designs=("holdout", "grouped holdout"),
    references=("Efron1981", "Kumar2019", "Satterthwaite1946"),
    sample_size=planned(_effect),
    plug_in=False,
)
def calibration_difference(
    calibration: PairedCalibration,
    *,
    method: Method = "analytic",
    n_resamples: int = 2000,
    random_state: Any = 0,
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two calibration errors on one test set.

    The null hypothesis is that the squared calibration errors of the two trained
    classifiers are equal, over new records: whether both are calibrated, both are
    miscalibrated in the same way, or each in a different way. The squared calibration error
    is the mean over the records of the squared distance between mean probability and share
    of events in the record's bin. It is estimated without the bias of the usual plug-in
    estimates [1]_, which grows with the variety of a classifier's probabilities; a test of
    plug-in estimates rejects for calibrated classifiers.

    Parameters
    ----------
    calibration : PairedCalibration
        Probabilities, events and bins of both, with equal numbers of bins, from a hold-out
        set.
    method : {"analytic", "bootstrap", "exchangeability"}, default="analytic"
        "analytic" takes the difference in standard errors as Student's t; see the notes.
        "bootstrap" takes it as normal, with the standard deviation over resampled records
        as standard error; it is conservative, especially where both classifiers are
        nearly calibrated. For ungrouped records of one event each, only the numbers of
        records from each pair of bins are drawn, because the rest of that deviation has a
        formula. "exchangeability" exchanges the two predictions for random records. It is
        exact for the hypothesis that the two are exchangeable, which is stronger than
        equality of their errors, and is not a test of equal calibration errors.
    n_resamples : int, default=2000
        Number of resamples of "bootstrap" and "exchangeability", at least 2.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the resamples.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better calibrated.

    Returns
    -------
    result : PairedResult
        `estimate` is the squared error of the champion minus that of the challenger, so
        that positive favours the challenger. `champion` and `challenger` are the squared
        errors; chance can make them negative. `statistic` is the estimate in standard
        errors, and for "exchangeability" the estimate. The interval is the estimate minus
        and plus a multiple of the standard error, and excludes 0 exactly when the test
        rejects; for "exchangeability" it is of differences by which the estimate could be
        shifted without being rejected. `details` has the standard error, and `parts`
        further errors of each role, which are not tested. For up to 1,000,000 records
        without groups, and not for classwise events, `parts` also has the p-values of
        each role's own tests of perfect calibration: :func:`spiegelhalter`, and
        :func:`calibration_cusum` with method="asymptotic". For evidence reduced to sums
        there is only the former, for any number of records.

    Raises
    ------
    ValueError
        If the numbers of bins differ, there are fewer than 2 records or groups, or
        "exchangeability" is requested for evidence without its records.

    Notes
    -----
    A squared error is a sum over pairs of records in a bin. Where both classifiers are
    calibrated, single records have no influence to first order, and the variance is that
    of pairs, which falls with the square of the number of records; else it falls with the
    number. The jackknife variance counts that of pairs twice [2]_, and a bootstrap three
    times. "analytic" is the jackknife variance minus that of pairs,
    estimated from the products of residuals of both classifiers in their joint bins.

    That variance collapses where few records have the other outcome: a bin with no such
    record, or one, has none, and a gap that is small by chance gives little. So its lower
    bound is the variance under the null hypothesis with one more error. For that, one event
    and one record without are added to each bin (Laplace's rule), the gaps of both
    classifiers are scaled so that both errors are the mean of the two, and one record is
    added to which the two give opposite probabilities, as the sample may lack such a
    record. For many records of either outcome in each bin this has no effect.

    The degrees of freedom are Satterthwaite's [3]_, from the second and fourth powers of
    the influences of the records. Where they are fewer than 15, or the added records raise
    the null variance by more than 15 %, the result is flagged "calibration-of-few-records".

    For grouped records, groups replace records: only pairs of different groups count, in
    estimate and variance, and groups are resampled. Fewer than 10 groups are flagged
    "few-groups". For classwise events, all classes of a record are one record. Where the
    classes are too many to compute the pairs of their bins, the variance is the
    jackknife's, which is conservative.

    Evidence that was reduced to sums gives the same to 12 digits, except for the draws of
    "bootstrap", which differ, and for nearly equal classifiers, whose standard error keeps
    3 digits where probabilities are 1e-6 apart. Degrees of freedom from sums without the
    higher powers take influences as linear within bins.

    ``benchmarks/validity/calibration/calibration.py`` measures error rates, power and
    coverage: level and coverage are nominal where the error is spread over the records, and
    deviate somewhat where a bin with few of them has most of it. Bins of equal mass or of
    quantiles are treated as fixed in advance.

    Two classifiers with the same probabilities have statistic 0 and p = 1, flagged
    "degenerate". With "bootstrap", a difference without variance has an infinite statistic
    and no p-value.

    References
    ----------
    .. [1] Kumar, A., Liang, P. and Ma, T. (2019). "Verified uncertainty calibration."
       Advances in Neural Information Processing Systems 32.
    .. [2] Efron, B. and Stein, C. (1981). "The jackknife estimate of variance." Annals of
       Statistics 9(3), 586-596.
    .. [3] Satterthwaite, F. E. (1946). "An approximate distribution of estimates of
       variance components." Biometrics Bulletin 2(6), 110-114.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PairedCalibration
    >>> from skcompare.stats import calibration_difference
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(0.1, 0.9, size=2000)
    >>> y = rng.uniform(size=2000) < p
    >>> overconfident = p**2 / (p**2 + (1 - p) ** 2)
    >>> calibration = PairedCalibration.from_predictions(y, overconfident, p, n_bins=10)
    >>> result = calibration_difference(calibration)
    >>> print(f"{result.champion:.4f} to {result.challenger:.4f}, p = {result.pvalue:.1e}")
    0.0153 to -0.0001, p = 6.4e-12
    """
    n_resamples = check_count("n_resamples", n_resamples, least=2)
    _check_bins(calibration)
    if method == "exchangeability":
        calibration.check_kept('method="exchangeability"')
    sums = role_sums(calibration, 0), role_sums(calibration, 1)
    _check_units(calibration, sums[0].n_units)
    champion, challenger = squared_errors(sums)
    estimate = champion - challenger
    if abs(estimate) <= NOISE * (abs(champion) + abs(challenger)):
        estimate = 0.0
    noise = ROUNDING * (abs(champion) + abs(challenger))
    if method == "analytic":
        outcome, details = _analytic(estimate, sums, alternative, noise)
        method_text = "analytic"
    elif method == "bootstrap":
        error = bootstrap_error(calibration, n_resamples, random_state)
        error = error if error > max(noise, NOISE) else 0.0
        details = {"standard_error": error, "resamples": float(n_resamples)}
        method_text = f"bootstrap, {n_resamples} resamples"
        outcome = _by_error(estimate, error, None, alternative)
    else:
        exchanged = exchanged_differences(calibration, n_resamples, random_state)
        outcome = _exchangeability(estimate, exchanged, alternative)
        details = {"resamples": float(n_resamples)}
        method_text = f"exchangeability, {n_resamples} Monte-Carlo resamples"
    few = () if calibration.groups is None else few_groups(sums[0].n_units)
    (statistic, tail, own_flags), limits, df = outcome
    return tested_result(
        (statistic, tail, (*calibration.flags, *own_flags)),
        roles=(champion, challenger),
        df=df,
        estimate=estimate,
        estimate_name="gain in squared calibration error",
        method=method_text,
        limits=limits,
        flags=few,
        details={**details, "n_bins": float(calibration.n_bins[0])},
        parts=parts_of(calibration, sums, (champion, challenger)),
        greater_is_better=False,
    )


def _check_bins(calibration: PairedCalibration) -> None:
    n_champion, n_challenger = calibration.n_bins
    if n_champion != n_challenger:
        raise ValueError(
            "calibration_difference needs as many bins for both classifiers. Got "
            f"{n_champion} and {n_challenger}: equal probabilities stay in one bin. Use "
            "strategy='uniform', or pass the same `edges` for both."
        )


def _check_units(calibration: PairedCalibration, n_units: int) -> None:
    if n_units < 2:
        unit = "record" if calibration.groups is None else "group"
        raise ValueError(
            f"calibration_difference needs at least 2 {unit}s. Got {n_units}. One {unit} "
            "says nothing about how much the difference varies."
        )


def _analytic(
    estimate: float, sums: BothSums, alternative: str, noise: float
) -> tuple[Outcome, dict[str, float]]:
    variance = variance_of(sums)
    error = math.sqrt(variance.total)
    details = {
        "standard_error": error,
        "standard_error_of_pairs": math.sqrt(variance.second),
    }
    if error <= noise or (estimate == 0 and variance.observed <= noise**2):
        details = dict.fromkeys(details, 0.0)
        return _by_error(estimate, 0.0, None, alternative), details
    (statistic, tail, _), limits, df = _by_error(estimate, error, variance.df, alternative)
    few = variance.df < FEW_DEGREES or variance.growth > MUCH_GROWTH
    tested = statistic, tail, ("calibration-of-few-records",) * few
    return (tested, limits, df), details


def _by_error(estimate: float, error: float, df: float | None, alternative: str) -> Outcome:
    """Return the outcome of a t or normal test, which an error of 0 leaves undefined."""
    limits = Wald(estimate, error, df, _bounds(estimate)).limits_beyond(0.0)
    return studentised(estimate, error, df, alternative), limits, df


def _exchangeability(
    estimate: float, exchanged: ExchangedDifferences, alternative: str
) -> Outcome:
    if estimate == 0 and exchanged.sizes[-1] <= NOISE:
        return _by_error(estimate, 0.0, None, alternative)
    tested = estimate, exchanged.pvalue(estimate, alternative), ()
    return tested, partial(_exchanged_limits, estimate, exchanged), None


def _exchanged_limits(
    estimate: float,
    exchanged: ExchangedDifferences,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Limits at the critical distance, clipped to the possible differences."""
    reach = exchanged.critical(alpha_of(confidence_level), alternative)
    low, high = estimate - reach, estimate + reach
    return one_sided(low, high, alternative, _bounds(estimate))


def _bounds(estimate: float) -> tuple[float, float]:
    """Range of differences of squared errors between 0 and 1, extended to the estimate.

    Only their estimates may be outside.
    """
    return min(-1.0, estimate), max(1.0, estimate)
