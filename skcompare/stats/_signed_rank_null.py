"""The null distribution of a signed-rank sum, with ties: exact tail probabilities.

Each rank is counted with probability 1/2. Ranks are given doubled, so that the mean of
tied ranks is a whole number.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len, rfft
from scipy.optimize import brentq
from scipy.special import expit

from skcompare._typing import FloatArray, IntArray

MOST_RANKED = 5000
"""Up to so many ranked differences a tail probability takes less than about a second,
or a few where nearly all are tied."""

LOG_2 = math.log(2)

MOST_ADDED = 10_000_000
"""Sums are counted where it takes so many additions, a hundredth of a second."""

MOST_HALVED = 1000
"""Above so many ranks a probability of 2**-m would underflow."""

REACH = 9.5
"""Standard deviations that are kept on either side. By Hoeffding's inequality less than
exp(-REACH**2 / 2) = 3e-20 lies beyond."""

LOG_VANISHED = math.log(1e-22)
"""A frequency whose share in a transform is below this is lost beside the others."""

FEW_KEPT = 200
"""So few frequencies are followed without looking closer."""

TURN_COST = 30
"""Additions that take as long as one angle."""

TURNED_AT_ONCE = 1 << 20
"""Angles that are held at a time."""


def rank_sum_chance(doubled: IntArray, room: int) -> tuple[float, float]:
    """Probability of a rank sum of at most `room`, and its logarithm.

    Both the ranks and `room` are doubled. The logarithm keeps its digits however small
    the probability is; the distribution is symmetric, so that this is either tail.
    """
    sizes, number = np.unique(doubled, return_counts=True)
    unit = int(np.gcd.reduce(sizes)) if len(sizes) else 1
    sizes, most, room = sizes // unit, int(doubled.sum()) // unit, room // unit
    if room < 0:
        return 0.0, -math.inf
    if room >= most:
        return 1.0, 0.0
    if 2 * room < most:
        return _lower_tail(sizes, number, room)
    # The other tail is the smaller one, and known to more digits than its complement.
    other, _ = _lower_tail(sizes, number, most - room - 1)
    return 1 - other, math.log1p(-other)


def _lower_tail(sizes: IntArray, number: IntArray, room: int) -> tuple[float, float]:
    """Probability of at most `room`, which is below the mean, and its logarithm."""
    m = int(number.sum())
    if room < sizes[0]:
        return math.ldexp(1.0, -m), -m * LOG_2
    if m <= MOST_HALVED and m * room <= MOST_ADDED:
        chance = _added(sizes, number, room, 0.0)
        return chance, math.log(chance)
    tilt = _tilt(sizes, number, room)
    turns = _turns(sizes, number)
    kept = _frequencies(sizes, number, tilt, turns)
    # Far in the tail hardly a coin is fair, and all frequencies matter; but then there is
    # little room.
    if m * room <= TURN_COST * len(kept) * len(sizes):
        tail = _added(sizes, number, room, tilt)
    else:
        tail = _turned(sizes, number, room, tilt, turns, kept)
    # What was loaded is taken back in the logarithm.
    log_moment = float(number @ np.log1p(np.exp(-tilt * sizes))) - m * LOG_2
    log_chance = log_moment + tilt * room + math.log(tail)
    return math.exp(log_chance), log_chance


def _tilt(sizes: IntArray, number: IntArray, room: int) -> float:
    """How the coins are loaded so that `room` is the expected sum (exponential tilting)."""

    def excess(tilt: float) -> float:
        return float((number * sizes) @ expit(-tilt * sizes)) - room

    high = 1.0 / float(sizes[-1])
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-300))


def _added(sizes: IntArray, number: IntArray, room: int, tilt: float) -> float:
    """The tail under loaded coins, by adding one rank after the other.

    Sums beyond `room` never come back. Without tilt only halves are taken and added, so
    that the probabilities of up to some fifty ranks are exact.
    """
    chances = np.zeros(room + 1)
    chances[0] = 1.0
    reached = 1
    for size, count in zip(sizes.tolist(), number.tolist(), strict=True):
        share = float(expit(-tilt * size))
        for _ in range(count):
            grown = min(room + 1, reached + size)
            added = chances[: max(0, grown - size)] * share
            chances[:reached] *= 1 - share
            chances[size:grown] += added
            reached = max(reached, grown)
    # From the smallest on, and each as far from `room` as it is.
    return float(np.sum(chances * np.exp(-tilt * np.arange(room, -1.0, -1.0))))


def _turns(sizes: IntArray, number: IntArray) -> int:
    """Sums on a circle that holds the distribution, all of it or all but 1e-19."""
    spread = math.sqrt(float(number @ (sizes.astype(float) ** 2))) / 2
    enough = next_fast_len(2 * math.ceil(REACH * spread), real=True)
    return min(int(number @ sizes) + 1, int(enough))


def _turned(
    sizes: IntArray,
    number: IntArray,
    room: int,
    tilt: float,
    turns: int,
    kept: IntArray,
) -> float:
    """The tail under loaded coins, from their characteristic function.

    Loaded, the sum has the mean `room`, around which the circle of sums is cut open. Of
    the frequencies only those are followed that matter.
    """
    loaded = expit(-tilt * sizes)
    n_sums = min(room + 1, (turns + 1) // 2)
    at_once = max(1, TURNED_AT_ONCE // len(sizes))
    total = 0.0
    for start in range(0, len(kept), at_once):
        steps = kept[start : start + at_once]
        transform = _transform(steps, sizes, number, loaded, turns)
        # The sums room, room - 1, ... with weights exp(-tilt u), a geometric series.
        turn = 2j * math.pi / turns
        series = np.expm1(_whole(steps, n_sums, turns) * turn - tilt * n_sums)
        series /= np.expm1(steps * turn - tilt)
        back = np.exp(-_whole(steps, room, turns) * turn)
        # A frequency and its negative are conjugates; 0 and a half turn are their own.
        alone = (steps == 0) | (2 * steps == turns)
        terms = (transform * back * series).real
        total += float(np.sum(np.where(alone, 1.0, 2.0) * terms))
    return total / turns


def _whole(steps: IntArray, factor: int, turns: int) -> IntArray:
    """Products as whole numbers without whole turns, so that angles keep their digits."""
    return steps * (factor % turns) % turns


def _frequencies(sizes: IntArray, number: IntArray, tilt: float, turns: int) -> IntArray:
    """The frequencies at which the characteristic function has not vanished.

    The squared modulus of a loaded coin's is 1 - x with x = w sin²(q t / 2), where
    w = 4 p (1 - p), and at most exp(-x - x² / 2). A transform of the weights, and one of
    their squares where that is not enough, bounds the products at all frequencies t.
    """
    loaded = expit(-tilt * sizes)
    weights = 4 * loaded * (1 - loaded)
    spots = sizes % turns
    # sin²(v) = (1 - cos 2v) / 2
    first = rfft(np.bincount(spots, number * weights, turns)).real
    bound = (first - first[0]) / 4
    kept = np.flatnonzero(bound > LOG_VANISHED)
    if len(kept) <= FEW_KEPT:
        return kept
    # sin⁴(v) = (3 - 4 cos 2v + cos 4v) / 8
    second = rfft(np.bincount(spots, number * weights**2, turns)).real
    twice = np.minimum(2 * kept, turns - 2 * kept)
    finer = bound[kept] - (3 * second[0] - 4 * second[kept] + second[twice]) / 32
    return kept[finer > LOG_VANISHED]


def _transform(
    steps: IntArray, sizes: IntArray, number: IntArray, loaded: FloatArray, turns: int
) -> NDArray[np.complex128]:
    """Characteristic function at some frequencies."""
    angle = (np.multiply.outer(steps, sizes % turns) % turns) * (2 * math.pi / turns)
    phase = np.arctan2(loaded * np.sin(angle), 1 - loaded + loaded * np.cos(angle))
    lost = 4 * loaded * (1 - loaded) * np.sin(angle / 2) ** 2
    with np.errstate(divide="ignore"):
        # A fair coin turned by half is 0.
        log_modulus = np.log1p(-np.minimum(lost, 1.0)) / 2
    return np.exp(log_modulus @ number + 1j * (phase @ number))
