"""Power to show that a difference of accuracies is beyond its boundaries."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from skcompare.evidence import ContingencyTable
from skcompare.stats.accuracy._limits import record_variance, score_root
from skcompare.stats.accuracy._unconditional import fewest_in_favour, most_in_favour, worst
from skcompare.stats.core._limits import outward
from skcompare.stats.core._search import nearest_tried, smallest

MOST_SUMMED = 20_000
"""Number of records above which a gate takes the difference for normal."""

NEGLIGIBLE = 1e-14
CERTAIN = 1e-12
"""Smallest variance of a record; below it the outcome is certain."""
ROWS, WIDEST = 3, 0.8
"""Range of numbers against, and of scores, that includes the critical one."""
NEAR_ENOUGH = 0.005
"""Distance from the required power at which the search stops."""


class Boundary(NamedTuple):
    """Difference to be excluded, with the direction to be shown."""

    difference: float
    direction: str

    def distance(self, difference: float) -> float:
        """Distance of a difference from the boundary, in the direction to be shown."""
        return outward(difference - self.difference, self.direction)


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
    shares = table.only_champion / table.n, table.only_challenger / table.n
    difference = shares[1] - shares[0]
    if any(boundary.distance(difference) <= 0 for boundary in boundaries):
        return math.inf
    margin = abs(boundaries[0].difference)

    def name_at(n: float) -> str:
        return method or method_for(n, margin, exact)

    def by_formula(required: float) -> int:
        def enough(n: float) -> bool:
            return normal_power(n, shares, boundaries, name_at(n), alpha) >= required

        return max(2, math.ceil(smallest(enough, 10.0, low=1.0, precision=1e-6)))

    def power_at(n: int) -> float:
        if n > MOST_SUMMED:
            return power
        return power_of_counts(n, shares, boundaries, name_at(n), alpha)

    # The power of all tables goes up and down a little from record to record: the number
    # is found on the normal scale, where it grows with the root of n.
    target = float(ndtri(power))

    def following(n: int, reached: float) -> int:
        nonlocal target
        target += float(ndtri(power) - ndtri(min(max(reached, 1e-6), 1 - 1e-6)))
        return by_formula(min(float(ndtr(target)), 1 - 1e-9))

    return nearest_tried(power_at, following, by_formula(power), power, NEAR_ENOUGH)


def power_of_counts(
    n: int,
    shares: tuple[float, float],
    boundaries: Sequence[Boundary],
    method: str,
    alpha: float,
) -> float:
    """Probability that all boundaries are excluded with n records.

    `shares` are the probabilities that the champion alone, and that the challenger alone,
    predicts a record correctly. The probabilities of all tables that do are added.
    """
    against, favour = shares
    likely = binom.ppf(NEGLIGIBLE, n, against), binom.isf(NEGLIGIBLE, n, against)
    b = np.arange(int(max(0, likely[0])), int(likely[1]) + 1)
    least, most = np.zeros(len(b), np.int64), n - b
    correction = _correction(method)
    for boundary in boundaries:
        score = _critical(n, shares, boundary, method, alpha)
        if boundary.direction == "greater":
            fewest = fewest_in_favour(n, boundary.difference, score, b)
            least = np.maximum(least, fewest + correction)
        else:
            largest = most_in_favour(n, boundary.difference, -score, b)
            most = np.minimum(most, largest - correction)
    share = favour / (1 - against) if against < 1 else 0.0
    inside = binom.cdf(most, n - b, share) - binom.cdf(least - 1, n - b, share)
    power = binom.pmf(b, n, against) @ np.where(least <= most, inside, 0.0)
    return min(1.0, float(power))


def _correction(method: str) -> int:
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
            score = score_root(b, c, n, 0.0, delta)
            if score > z + WIDEST:
                break
            if score > z - WIDEST / 2:
                outcomes[round(score, 9)] = (b, c)

    def rejected(score: float) -> bool:
        return worst(*outcomes[score], n, delta, False).log_probability < math.log(alpha)

    scores = sorted(outcomes)
    first = bisect_left(scores, True, key=rejected)
    return scores[first] - 1e-9 if first < len(scores) else z + WIDEST


def normal_power(
    n: float,
    shares: tuple[float, float],
    boundaries: Sequence[Boundary],
    method: str,
    alpha: float,
) -> float:
    """Power by a normal approximation, as in Nam (1997), Biometrics 53, 1422-1430."""
    against, favour = shares
    difference = favour - against
    deviation = math.sqrt(max(against + favour - difference**2, CERTAIN))
    z, powers = float(-ndtri(alpha)), []
    for boundary in boundaries:
        null = math.sqrt(record_variance(boundary.difference, against, favour, 1.0))
        distance = boundary.distance(difference) - _correction(method) / n
        powers.append(float(ndtr((math.sqrt(n) * distance - z * null) / deviation)))
    return max(0.0, sum(powers) - (len(powers) - 1))


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
