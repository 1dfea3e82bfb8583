"""Searches for the smallest number of records with a required power."""

import itertools
import math
from collections.abc import Callable, Iterable

MOST = 1e15
"""Number of records above which no number is taken to be enough."""

SEARCHED = 2000
"""Number of records up to which numbers are searched one by one."""

STEPS = 1000
"""Inverse precision of larger numbers of records."""

LASTING = 10
"""Number of further records that must keep the power, which is not monotonic."""

TRIES = 8
"""Largest number of numbers of records whose power takes long to compute."""


def smallest(
    enough: Callable[[float], bool],
    high: float,
    *,
    low: float = 0,
    most: float = MOST,
    whole: bool = True,
    precision: float = 0.0,
) -> float:
    """Smallest number above `low` that is enough, by doubling of `high` and bisection.

    For power that increases with the number. It is infinite if `most` is not enough, and a
    whole number if the bounds are and it is to be `whole`. `precision` is relative.
    """
    while not enough(high):
        if high >= most:
            return math.inf
        low, high = high, min(2 * high, most)
    while high - low > max(float(whole), precision * high):
        middle = (low + high) // 2 if whole else (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def first_lasting(powers: Iterable[float], start: int, power: float) -> float:
    """First number of records, from `start` on, whose power lasts for the next ten."""
    n_kept = 0
    for n, reached in enumerate(powers, start):
        n_kept = n_kept + 1 if reached >= power else 0
        if n_kept > LASTING:
            return float(n - LASTING)
    return math.inf


def fewest_near(power_at: Callable[[int], float], near: int, power: float) -> float:
    """Smallest number of records with the power, searched near the number of a formula.

    Power goes up and down a little from record to record: up to 2000 records the next ten
    must have it too. Above that, the number is accurate to a thousandth.
    """
    if near > SEARCHED:
        step = max(1, near // STEPS)
        while power_at(near) < power:
            near += step
        while near > step and power_at(near - step) >= power:
            near -= step
        return float(near)
    start = max(1, int(near * 0.8))
    while start > 1 and all(power_at(start + i) >= power for i in range(LASTING + 1)):
        start = max(1, int(start * 0.8))
    return first_lasting(map(power_at, itertools.count(start)), start, power)


def nearest_tried(
    power_at: Callable[[int], float],
    following: Callable[[int, float], int],
    n: int,
    power: float,
    near_enough: float,
) -> float:
    """Number of records, of a few that are tried, with the power nearest to the required.

    `following` returns the number to try next, from the last one and its power.
    """
    tried: list[tuple[float, int]] = []
    for _ in range(TRIES):
        reached = power_at(n)
        tried.append((abs(reached - power), n))
        if tried[-1][0] < near_enough:
            break
        n = following(n, reached)
    return float(min(tried)[1])
