"""How often Tango's score test shows non-inferiority or equivalence."""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from skcompare._typing import FloatArray, IntArray
from skcompare.stats._power import LASTING, SEARCHED, by_formula, likely_discordant

STEPS = 1000
"""A number of records above those that are searched one by one is right to such a part."""

DECIDED = 1e-12
"""Smallest variance a record; below it the outcome is certain."""


def margin_power(
    n: int,
    difference: float,
    disagreement: float,
    margin: float,
    *,
    alpha: float,
    both_sides: bool,
) -> float:
    """Probability that the difference is shown to be above -margin, and below margin.

    The test rejects a difference of -margin where Tango's score [1]_ exceeds the normal
    quantile of 1 - alpha; for equivalence (`both_sides`) it does so for both margins. The
    probabilities of all outcomes that do are added, as in :func:`mcnemar_power`; where
    the discordant pairs are too many, the difference is taken for normal as there.

    References
    ----------
    .. [1] Tango, T. (1998). "Equivalence test and confidence interval for the
       difference in proportions for the paired-sample design." Statistics in Medicine
       17(8), 891-908.
    """
    if by_formula(n, disagreement):
        z = float(-ndtri(alpha))
        return _normal_power(n, difference, disagreement, margin, z, both_sides)
    m = likely_discordant(n, n, disagreement)
    share = (1 + difference / disagreement) / 2 if disagreement else 0.5
    fewest = _fewest_in_favour(m, n, margin, -ndtri(alpha))
    shown = binom.sf(fewest - 1, m, share)
    if both_sides:
        # By symmetry as many must be against it, so the most in favour are m - fewest.
        shown = np.maximum(0.0, binom.cdf(m - fewest, m, share) - (1 - shown))
    return min(1.0, float(binom.pmf(m, n, disagreement) @ shown))


def margin_records(
    difference: float,
    disagreement: float,
    margin: float,
    *,
    alpha: float,
    power: float,
    both_sides: bool,
) -> float:
    """Fewest records with a power that the next ten keep, near enough if they are many."""

    def power_at(n: int) -> float:
        return margin_power(
            n, difference, disagreement, margin, alpha=alpha, both_sides=both_sides
        )

    def formula(n: int) -> float:
        return _normal_power(n, difference, disagreement, margin, -ndtri(alpha), both_sides)

    most = 1
    while formula(most) < power:
        most *= 2
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if formula(middle) >= power else (middle, most)
    return fewest_records(power_at, most, power)


def fewest_records(power_at: Callable[[int], float], near: int, power: float) -> float:
    """Fewest records with the power, looked for around what a formula says.

    Power goes up and down a little from record to record: up to 2000 records the next ten
    must have it too. Above that, the number is right to a thousandth.
    """
    if near > SEARCHED:
        step = max(1, near // STEPS)
        while power_at(near) < power:
            near += step
        while near > step and power_at(near - step) >= power:
            near -= step
        return float(near)
    first = max(1, int(near * 0.8))
    while first > 1 and all(power_at(first + i) >= power for i in range(LASTING + 1)):
        first = max(1, int(first * 0.8))
    lasted, n = 0, first
    while lasted <= LASTING:
        lasted = lasted + 1 if power_at(n) >= power else 0
        n += 1
    return float(n - 1 - LASTING)


def _fewest_in_favour(m: IntArray, n: int, margin: float, z: float) -> IntArray:
    """Fewest of m discordant pairs in favour with a score above z; m + 1 where none has.

    The more pairs favour the challenger, the larger the score.
    """
    least, most = np.full(len(m), -1), m + 1
    while (most - least > 1).any():
        middle = (least + most) // 2
        enough = _score(np.clip(middle, 0, m), m, n, margin) > z
        # Where the two have met already, the middle is `least` and stays so.
        inside = most - least > 1
        most = np.where(inside & enough, middle, most)
        least = np.where(inside & ~enough, middle, least)
    return most


def _score(favour: IntArray, m: IntArray, n: int, margin: float) -> FloatArray:
    """Tango's score of a difference of -margin, with `favour` of m discordant pairs."""
    variance = n * _null_variance((m - favour) / n, favour / n, margin)
    return (2 * favour - m + n * margin) / np.sqrt(variance)


def _null_variance(against: FloatArray, favour: FloatArray, margin: float) -> FloatArray:
    """Variance a record if the difference is -margin, from the shares of discordant pairs.

    The share in favour is estimated under the null hypothesis, as the positive root of a
    quadratic (Tango 1998); the other one is larger by the margin.
    """
    b = -against - favour + (2 - against + favour) * margin
    c = -favour * margin * (1 - margin)
    root = np.sqrt(b * b - 8 * c)
    # Each form where it does not cancel; a sum of 0 needs both to be 0.
    larger = np.where(b > 0, b + root, 1.0)
    share = np.where(b > 0, -2 * c / larger, (root - b) / 4)
    return 2 * share + margin * (1 - margin)


def _normal_power(
    n: int,
    difference: float,
    disagreement: float,
    margin: float,
    z: float,
    both_sides: bool,
) -> float:
    """Power if the estimated difference is normal, as in Connor's formula for a margin."""
    deviation = math.sqrt(max(disagreement - difference**2, DECIDED))
    against, favour = (disagreement - difference) / 2, (disagreement + difference) / 2
    powers = []
    for distance, first, second in (
        (margin + difference, against, favour),
        (margin - difference, favour, against),
    ):
        null = math.sqrt(_null_variance(np.array([first]), np.array([second]), margin)[0])
        powers.append(float(ndtr((math.sqrt(n) * distance - z * null) / deviation)))
    return max(0.0, powers[0] + powers[1] - 1) if both_sides else powers[0]
