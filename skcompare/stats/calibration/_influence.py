"""Squared calibration errors as sums over independent units, and their influences.

A unit is a record, or a group of dependent records. The rows of a unit (a record has one
row per class for classwise events) are summed bin by bin.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PairedCalibration
from skcompare.stats.calibration._squared_errors import (
    NOISE,
    BinProducts,
    ReducedSums,
    Variance,
    joint_products,
    of_rows,
    pair_variance,
    under_equal_errors,
    variance_from,
    variance_of_reduced,
    weigh,
)

MOST_PRODUCTS = 500_000_000
"""Largest number of pairs of bins, summed over the units, that are computed."""

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
    rows: int | None = None
    codes: IntArray = None  # type: ignore[assignment]
    happened: NDArray[np.bool_] = None  # type: ignore[assignment]
    totals: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.codes is None:
            object.__setattr__(self, "codes", self.bin)
            object.__setattr__(self, "happened", self.events > 0)
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
        return ReducedSums(calibration.cells, role)
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
    if calibration.groups is None:
        return RoleSums(unit, codes, count, events, excess, n_bins, calibration.n, rows)
    groups = calibration.groups[unit]
    cells, entry = np.unique(groups * n_bins + codes, return_inverse=True)
    entry_sums = [
        np.bincount(entry, each, len(cells)).astype(np.float64)
        for each in (count, events, excess)
    ]
    unit, bins = cells // n_bins, cells % n_bins
    n_groups = len(calibration.group_labels)
    row_events = {"codes": codes, "happened": happened}
    return RoleSums(
        unit,
        bins,
        entry_sums[0],
        entry_sums[1],
        entry_sums[2],
        n_bins,
        n_groups,
        **row_events,
    )


def squared_errors(sums: BothSums) -> tuple[float, float]:
    """Debiased squared calibration errors of both roles, which may be negative."""
    champion, challenger = (float(weigh(s.totals).sum()) / s.n_rows for s in sums)
    return champion, challenger


def variance_of(sums: BothSums) -> Variance:
    """Variance of the difference of the squared errors, champion minus challenger."""
    champion, challenger = sums
    if isinstance(champion, ReducedSums) or isinstance(challenger, ReducedSums):
        assert isinstance(champion, ReducedSums) and isinstance(challenger, ReducedSums)
        return variance_of_reduced((champion, challenger), squared_errors(sums))
    values = [_leave_one_out_errors(s) for s in (champion, challenger)]
    influence = values[0] - values[1]
    influence = influence - influence.mean()
    squares = influence * influence
    sizes = sum(float(((errors - errors.mean()) ** 2).sum()) for errors in values)
    products = _products((champion, challenger))
    pairs = null = None
    if products is not None:
        pairs, totals = (
            pair_variance(products, champion.n_rows),
            (champion.totals, challenger.totals),
        )
        null = under_equal_errors(
            products, totals, squared_errors(sums), pairs, champion.n_rows
        )
    return variance_from(
        float(influence @ influence),
        float(squares @ squares),
        sizes,
        len(influence),
        pairs,
        null,
    )


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
    n, y, excess = totals[:3]
    terms, n_others = weigh(totals), np.maximum(n - 1, 1)
    constant = np.empty((sums.n_bins, 2))
    for event in (0, 1):
        others = of_rows(n - 1, y - event, excess)
        constant[:, event] = np.where(n > 1, weigh(others), 0.0) - terms
    square = np.where(n > 2, 1 / n_others, 0.0)
    code = 2 * sums.bin + (sums.events > 0)
    twice = (2 * excess).repeat(2)[code] - sums.excess
    return constant.ravel()[code] - twice * sums.excess * square.repeat(2)[code]


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
        return _of_joint_bins(sums, (champion, challenger), signed, float(own @ own))
    column = np.concatenate([sums[0].bin, sums[1].bin + sums[0].n_bins])
    unit = np.concatenate([sums[0].unit, sums[1].unit])
    entries = np.bincount(unit).astype(np.float64)
    if float(entries @ entries) > MOST_PRODUCTS:
        return None
    values = np.concatenate([champion, challenger])
    r = csr_matrix((values, (unit, column)), shape=(sums[0].n_units, len(signed)))
    product, rows = (r.T @ r).tocsr(), _rows_together(sums)
    # Bins without variation have products of 0, but still have rows.
    row, col = ((product != 0) + (rows != 0)).nonzero()
    own = np.bincount(unit, values**2 * signed[column], sums[0].n_units)
    value, n_together = (np.asarray(each[row, col]).reshape(-1) for each in (product, rows))
    return BinProducts(row, col, value, n_together, float(own @ own), signed)


def _of_joint_bins(
    sums: tuple[RoleSums, RoleSums],
    values: tuple[FloatArray, FloatArray],
    signed: FloatArray,
    own: float,
) -> BinProducts:
    """Products of residuals in all pairs of bins, if each unit is in one bin per role."""
    champion, challenger = sums
    n_cells = champion.n_bins * challenger.n_bins
    joint = champion.bin * challenger.n_bins + challenger.bin
    cross = np.bincount(joint, values[0] * values[1], n_cells)
    equal_events = np.bincount(joint, champion.events == challenger.events, n_cells)
    squares = [
        np.bincount(s.bin, v * v, s.n_bins) for s, v in zip(sums, values, strict=True)
    ]
    rows = champion.totals[0], challenger.totals[0], equal_events
    return joint_products(
        (champion.n_bins, challenger.n_bins), (*squares, cross), rows, own, signed
    )


def _rows_together(sums: tuple[RoleSums, RoleSums]) -> csr_matrix:
    """Number of rows in each bin, and of rows with equal events in each pair of bins."""
    champion, challenger = sums
    equal_events = champion.happened == challenger.happened
    row, col = (
        champion.codes[equal_events],
        challenger.codes[equal_events] + champion.n_bins,
    )
    bins = np.arange(champion.n_bins + challenger.n_bins)
    counts = np.concatenate([champion.totals[0], challenger.totals[0]])
    ones = np.ones(len(row))
    return csr_matrix(
        (
            np.concatenate([counts, ones, ones]),
            (
                np.concatenate([bins, row, col]),
                np.concatenate([bins, col, row]),
            ),
        ),
        shape=(len(bins), len(bins)),
    )


def _beyond_means(sums: RoleSums) -> tuple[FloatArray, FloatArray]:
    """Residual of each entry from its bin's mean, and the weight of the bin's pairs."""
    n, excess, n_n = (sums.totals[k] for k in (0, 2, 5))
    pairs = n * n - n_n
    has_pairs = pairs > 0
    weight = np.where(has_pairs, n / np.where(has_pairs, pairs, 1), 0.0)
    mean = excess / np.maximum(n, 1)
    residual: Any = sums.excess - sums.count * mean[sums.bin]
    # Equal probabilities and events equal their mean, up to rounding.
    residual[np.abs(residual) <= NOISE * np.abs(sums.excess)] = 0.0
    # A record is part of its mean, which removes 1 / n of its variance.
    scale = np.sqrt(np.where(has_pairs, n * n / np.where(has_pairs, pairs, 1), 0.0))
    return residual * scale[sums.bin], weight
