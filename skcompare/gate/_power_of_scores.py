"""How often a score of the counts is shown to be beyond its boundaries, by simulation."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri

from skcompare.evidence import JointCounts
from skcompare.gate._caution import FLOORS, Cautious, cautious_passes
from skcompare.gate._moves import count_moves
from skcompare.gate._sides import Side

MOST_CELLS = 2_000_000
"""Counts of all simulated data sets together."""

FEWEST_SETS, MOST_SETS = 200, 4_000
TRIES = 8
NEAR_ENOUGH = 0.01


def records_of_scores(
    counts: JointCounts,
    options: Mapping[str, Any],
    sides: Sequence[Side],
    near: float,
    alpha: float,
    power: float,
) -> float:
    """Records with the power, if the shares of the cells are true.

    Data sets with these shares are drawn and decided as the gate decides them, because the
    normal approximation is poor where few records have different answers. The search starts
    `near` what it says.
    """
    if not math.isfinite(near):
        return near
    shares = counts.counts / counts.counts.sum()
    n_sets = int(min(MOST_SETS, max(FEWEST_SETS, MOST_CELLS // len(shares))))
    tried: list[tuple[float, int]] = []
    n = max(2, math.ceil(near))
    for _ in range(TRIES):
        drawn = np.random.default_rng(0).multinomial(n, shares, size=n_sets)
        found = _power(counts, drawn, options, sides, alpha)
        tried.append((abs(found - power), n))
        if tried[-1][0] < NEAR_ENOUGH:
            break
        n = _next(n, found, power, alpha)
    return float(min(tried)[1])


def _next(n: int, found: float, power: float, alpha: float) -> int:
    """As many records as give the power, if the distance grows with the root of them."""
    needed = float(ndtri(power) - ndtri(alpha))
    reached = float(ndtri(min(max(found, 0.01), 0.999)) - ndtri(alpha))
    return max(2, math.ceil(n * min(4.0, (needed / max(reached, 0.3)) ** 2)))


def _power(
    counts: JointCounts,
    drawn: Any,
    options: Mapping[str, Any],
    sides: Sequence[Side],
    alpha: float,
) -> float:
    """Share of simulated data sets in which all sides are shown."""
    found = count_moves(counts.classes, counts.cells, drawn, options)
    if found is None:
        return math.nan
    difference, error, skewness, units = found
    shown = np.ones(len(drawn), dtype=bool)
    for side in sides:
        basis = side.basis
        assert isinstance(basis, Cautious)
        sign = 1 if side.direction == "greater" else -1
        shown &= cautious_passes(
            sign * (difference - side.boundary),
            error,
            sign * skewness,
            units,
            FLOORS["records with different answers"],
            float(-ndtri(alpha)),
        )
    return float(shown.mean())
