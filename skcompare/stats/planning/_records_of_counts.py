"""Numbers of records for differences of accuracies, by enumeration of all tables."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from skcompare._typing import IntArray
from skcompare.evidence import ContingencyTable
from skcompare.stats.accuracy._limits import record_variance
from skcompare.stats.accuracy._unconditional import fewest_in_favour, worst
from skcompare.stats.planning._records_at_boundary import fewest_for

MOST_SUMMED = 20_000
"""Number of records above which the difference is taken for normal."""

NEGLIGIBLE = 1e-14
TRIES = 6
ROWS, WIDEST = 3, 0.8
"""Range of numbers against, and of scores, that includes the critical one."""
NEAR_ENOUGH = 0.005
"""Distance from the required power at which the search stops."""


class Boundary(NamedTuple):
    """Difference to be excluded, with the direction to be shown."""

    difference: float
    direction: str


def records_of_counts(
    table: ContingencyTable,
    boundaries: Sequence[Boundary],
    method: str | None,
    exact: bool,
    alpha: float,
    power: float,
) -> float:
    """Number of records with the power to exclude all boundaries, if the table is typical.

    `method` is the requested one; by default it follows from the number of records.
    """
    against, favour = table.only_champion / table.n, table.only_challenger / table.n
    for boundary in boundaries:
        distance = favour - against - boundary.difference
        if not (distance if boundary.direction == "greater" else -distance) > 0:
            return math.inf
    shares = against, favour
    margin = abs(boundaries[0].difference)

    def name_at(n: float) -> str:
        return method or method_for(n, margin, exact)

    def normal(n: float) -> float:
        return _normal_power(n, shares, boundaries, name_at(n), alpha)

    n = math.ceil(fewest_for(normal, 10.0, power))
    if n > MOST_SUMMED:
        return float(n)
    # The power of all tables goes up and down a little from record to record: the number
    # is found on the normal scale, where it grows with the root of n.
    shift = 0.0
    tried: list[tuple[float, int]] = []
    for _ in range(TRIES):
        reached = power_of_counts(n, shares, boundaries, name_at(n), alpha)
        tried.append((abs(reached - power), n))
        if tried[-1][0] < NEAR_ENOUGH:
            break
        shift += float(ndtri(power) - ndtri(min(max(reached, 1e-6), 1 - 1e-6)))
        target = float(ndtr(ndtri(power) + shift))
        n = max(2, math.ceil(fewest_for(normal, 10.0, min(target, 1 - 1e-9))))
        if n > MOST_SUMMED:
            return float(n)
    return float(min(tried)[1])


def power_of_counts(
    n: int,
    shares: tuple[float, float],
    boundaries: Sequence[Boundary],
    method: str,
    alpha: float,
) -> float:
    """Probability that all boundaries are excluded with n records.

    `shares` are the probabilities that the champion alone, and that the challenger alone,
    predicts a record correctly.
    """
    against, favour = shares
    b = np.arange(n + 1)
    least, most = np.zeros(n + 1, np.int64), n - b
    for boundary in boundaries:
        score = _critical(n, shares, boundary, method, alpha)
        if boundary.direction == "greater":
            correction = _correction(method, boundary.difference)
            fewest = fewest_in_favour(n, boundary.difference, score)
            least = np.maximum(least, fewest + correction)
        else:
            # With the roles exchanged, as many against are enough.
            fewest = fewest_in_favour(n, -boundary.difference, score)
            most = np.minimum(most, _most_in_favour(fewest, n))
    window = slice(
        int(max(0, binom.ppf(NEGLIGIBLE, n, against))),
        int(binom.isf(NEGLIGIBLE, n, against)) + 1,
    )
    b, least, most = b[window], least[window], most[window]
    share = favour / (1 - against) if against < 1 else 0.0
    inside = binom.cdf(most, n - b, share) - binom.cdf(least - 1, n - b, share)
    return float(binom.pmf(b, n, against) @ np.where(least <= most, inside, 0.0))


def _most_in_favour(fewest: IntArray, n: int) -> IntArray:
    """Largest c with b >= fewest[c] for each b; -1 if there is none.

    `fewest` does not decrease with c but where no number is enough.
    """
    c = np.arange(n + 1)
    reached = np.where(fewest <= n - c, fewest, n + 1)
    reached = np.maximum.accumulate(reached)
    return np.searchsorted(reached, c, side="right") - 1


def _correction(method: str, difference: float) -> int:
    """Additional number in favour required by tests conditional on discordant pairs."""
    return 1 if method in ("exact", "corrected") else 0


def _critical(
    n: int,
    shares: tuple[float, float],
    boundary: Boundary,
    method: str,
    alpha: float,
) -> float:
    """Smallest Tango score with which the test excludes the boundary."""
    z = float(-ndtri(alpha))
    if method != "exact-unconditional":
        return z
    against, delta = shares[0], boundary.difference
    if boundary.direction == "less":
        against, delta = shares[1], -delta
    return _unconditional_critical(n, against, delta, alpha, z)


def _unconditional_critical(
    n: int, against: float, delta: float, alpha: float, z: float
) -> float:
    """Critical score of the exact unconditional test, among likely outcomes."""
    rows = range(max(0, round(n * against) - ROWS), min(n, round(n * against) + ROWS) + 1)
    outcomes = {}
    for b in rows:
        start = b + math.ceil(n * delta)
        for c in range(max(0, start), n - b + 1):
            score = _score(b, c, n, delta)
            if score > z + WIDEST:
                break
            if score > z - WIDEST / 2:
                outcomes[round(score, 9)] = (b, c)
    scores = sorted(outcomes)
    low, high = -1, len(scores)
    log_alpha = math.log(alpha)
    while high - low > 1:
        middle = (low + high) // 2
        b, c = outcomes[scores[middle]]
        rejected = worst(b, c, n, delta, False).log_probability < log_alpha
        low, high = (low, middle) if rejected else (middle, high)
    if high == len(scores):
        return z + WIDEST
    return scores[high] - 1e-9


def _score(b: int, c: int, n: int, delta: float) -> float:
    variance = n * record_variance(delta, b, c, n)
    return (c - b - n * delta) / math.sqrt(variance) if variance > 0 else 0.0


def _normal_power(
    n: float,
    shares: tuple[float, float],
    boundaries: Sequence[Boundary],
    method: str,
    alpha: float,
) -> float:
    """Power by a normal approximation, as in Nam (1997), Biometrics 53, 1422-1430."""
    against, favour = shares
    difference = favour - against
    deviation = math.sqrt(max((against + favour - difference**2) / n, 1e-300))
    z, powers = float(-ndtri(alpha)), []
    for boundary in boundaries:
        null = math.sqrt(record_variance(boundary.difference, against, favour, 1.0) / n)
        distance = abs(difference - boundary.difference) - _correction(method, 0.0) / n
        powers.append(float(ndtr((distance - z * null) / deviation)))
    return sum(powers) - (len(powers) - 1)


MOST_EXACT = 5_000
"""Number of records up to which the unconditional test takes less than a second."""


FEW_RECORDS = 100
"""Records below which mid-p passes with a probability of up to 0.073 at a level of 0.05."""


ENOUGH_AT_MARGIN = 100
"""Margin times records from which on Tango's score keeps its level.

At a margin the least number of discordant pairs has this mean. Where it is small, the score
passes with a probability of up to 0.09 at a level of 0.05, whatever the number of records;
from 100 on with 0.06 at most.
"""


def method_for(n: float, margin: float, exact: bool) -> str:
    """Choose the method of McNemar's test for `n` records."""
    if not (margin or exact or n < FEW_RECORDS):
        return "mid-p"
    if n <= MOST_EXACT:
        return "exact-unconditional"
    if exact or margin * n < ENOUGH_AT_MARGIN:
        return "exact"
    return "asymptotic"
