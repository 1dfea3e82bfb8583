"""How far calibration errors vary together with their standard errors, by simulation."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skcompare._typing import IntArray
from skcompare.evidence import PairedCalibration
from skcompare.gate._power_of_means import Growing, records_of_means
from skcompare.gate._sides import Side
from skcompare.stats._calibration_units import (
    RoleSums,
    row_sums,
    squared_errors,
    variance_of,
)

MOST_SETS, MOST_ROWS = 600, 1_500_000
"""Resamples, and records of all of them together."""

MOST_DRAWN = 5_000
"""Of more records the two vary so little together that it changes nothing."""

LEAST = 0.5
"""No share is taken to be smaller, whatever few records seem to say."""


def can_resample(calibration: PairedCalibration, options: Mapping[str, Any]) -> bool:
    """Whether records were kept, each a row by itself, of which the test takes sums."""
    return (
        calibration.cells is None
        and calibration.groups is None
        and calibration.rows_per_record == 1
        and options.get("method", "analytic") == "analytic"
    )


def records_of_calibration(
    calibration: PairedCalibration,
    sides: Sequence[Side],
    near: float,
    alpha: float,
    power: float,
) -> float:
    """Records with the power, if the observed records are typical.

    A squared error that comes out large has a large standard error, too, so that limits
    vary less than the difference does. By how much is seen in resamples of `near` records,
    the number without it, which is near enough.
    """
    if not near <= MOST_DRAWN:
        return near
    n = max(2, math.ceil(near))
    spreads, error = _resampled(calibration, sides, n, alpha)
    # The standard error of n records is not what all of them make one expect, where the
    # errors of both seem equal for so few.
    expected = Growing(sides[0], alpha).error(sides[0].result.n / n)
    times = min(1.0, error / expected) if expected else 1.0
    return records_of_means(sides, alpha, power, spreads, times)


def _resampled(
    calibration: PairedCalibration, sides: Sequence[Side], n: int, alpha: float
) -> tuple[list[float], float]:
    """How much limits vary, as shares of how much the difference does, and its error."""
    rng = np.random.default_rng(0)
    whole = row_sums(calibration, 0), row_sums(calibration, 1)
    n_sets = min(MOST_SETS, MOST_ROWS // n)
    differences, errors = np.empty((2, n_sets))
    for k in range(n_sets):
        rows = rng.integers(calibration.n, size=n)
        sums = _of_rows(whole[0], rows), _of_rows(whole[1], rows)
        champion, challenger = squared_errors(sums)
        differences[k] = champion - challenger
        errors[k] = math.sqrt(variance_of(sums).total)
    varies = float(differences.std())
    if varies == 0:
        return [1.0] * len(sides), math.inf
    spreads = []
    for side in sides:
        critical = Growing(side, alpha).critical(side.result.n / n)
        sign = 1 if side.direction == "greater" else -1
        limits = sign * differences - critical * errors
        spreads.append(max(LEAST, float(limits.std()) / varies))
    return spreads, float(errors.mean())


def _of_rows(sums: RoleSums, rows: IntArray) -> RoleSums:
    """The sums of these rows, each of which is a record."""
    unit, count = np.arange(len(rows)), np.ones(len(rows))
    parts = sums.bin[rows], count, sums.events[rows], sums.excess[rows]
    return RoleSums(unit, *parts, sums.n_bins, len(rows), rows=1)
