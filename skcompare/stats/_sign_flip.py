"""Sums of whole numbers whose signs are chosen by fair coins: exact tail probabilities."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from skcompare._typing import FloatArray, IntArray

LOG_2 = math.log(2)

MOST_HALVED = 1000
"""Above so many numbers a probability of 2**-m would underflow."""

MOST_PAIRED = 40
MOST_CHOICES = 1 << 20
"""Up to so many numbers all sums of either half are listed, a million of each, where
their distribution is longer."""

LONGEST = 1 << 22
MOST_ADDED = 250_000_000
"""Longest distribution that is added up, and additions to do so: half a second."""

LONGEST_TURNED = 1 << 20
MOST_TURNED = 20_000_000
"""Longest distribution that is transformed, and angles to do so, which take as long."""

TURNED_AT_ONCE = 1 << 16
"""Angles that are held at a time."""

VANISHED = 1e-30
"""A part of a transform this small is lost beside the others."""

SMALLEST = float(np.finfo(float).tiny)
"""What an underflowing p-value is returned as; its logarithm stays exact."""

CERTAIN = 50.0
"""Coins so loaded always fall on one side, in double precision."""


def can_flip_signs(values: IntArray) -> bool:
    """Whether the tail probabilities take less than about a second and 200 MB.

    Up to 40 numbers other than 0 always do. Of more, the sum of their sizes, as multiples
    of their greatest common divisor, must not be above some millions, and the less the
    more numbers there are: of 500 it is 500 000.
    """
    return _way(_in_units(values)[0]) is not None


def sign_flip_pvalue(values: IntArray, alternative: str) -> tuple[float, float]:
    """P-value and its logarithm of the sum of `values` if all signs were chosen by coins.

    Two-sided it is the probability of a sum at least as far from 0. It is never 0,
    because the signs as they are are one of the choices.
    """
    total = int(np.sum(values))
    if alternative == "two-sided":
        # By symmetry both tails are alike; around 0 they overlap, and p is 1.
        pvalue, log_pvalue = sign_flip_tail(values, abs(total))
        pvalue, log_pvalue = 2 * pvalue, LOG_2 + log_pvalue
    else:
        outward = total if alternative == "greater" else -total
        pvalue, log_pvalue = sign_flip_tail(values, outward)
    return min(1.0, max(pvalue, SMALLEST)), min(0.0, log_pvalue)


def sign_flip_tail(values: IntArray, total: int) -> tuple[float, float]:
    """Probability that the sum with coin signs is at least `total`, and its logarithm.

    The values must be some that :func:`can_flip_signs` allows.
    """
    sizes, unit = _in_units(values)
    # All sums are multiples of the unit, so that the least one from `total` on counts.
    return _tail(sizes.tobytes(), -(-total // unit))


def _in_units(values: IntArray) -> tuple[IntArray, int]:
    """Sorted sizes as multiples of their greatest common divisor, and that divisor."""
    sizes = np.sort(np.abs(values[values != 0])).astype(np.int64)
    unit = int(np.gcd.reduce(sizes)) if len(sizes) else 1
    return sizes // unit, unit


@lru_cache(maxsize=16)
def _tail(key: bytes, total: int) -> tuple[float, float]:
    """The tail of sizes in units. The limits ask again for what the p-value has asked."""
    sizes = np.frombuffer(key, dtype=np.int64)
    most = int(sizes.sum())
    # All sums have the parity of the largest one.
    total += (total + most) % 2
    if total <= -most:
        return 1.0, 0.0
    way = _way(sizes)
    if way is None:
        raise ValueError(
            f"The signs of {len(sizes)} numbers that add to {most} must not be flipped: it "
            "takes too long. Ask `can_flip_signs` first."
        )
    return way(sizes, total)


def _way(sizes: IntArray) -> Callable[[IntArray, int], tuple[float, float]] | None:
    """How the tail and its logarithm are found in bounded time and memory, if at all."""
    # As Python's numbers, which have no largest one.
    m, most = len(sizes), sum(sizes.tolist())
    if m <= MOST_PAIRED and most > MOST_CHOICES:
        return _paired_tail
    if m <= MOST_HALVED and most < LONGEST and m * most <= MOST_ADDED:
        return _halved_tail
    if most < LONGEST_TURNED and len(np.unique(sizes)) * most <= MOST_TURNED:
        return _transformed_tail
    return None


def _halved_tail(sizes: IntArray, total: int) -> tuple[float, float]:
    """The tail from the whole distribution."""
    most = int(sizes.sum())
    tail = float(_distribution(sizes)[(total + most) // 2 :].sum())
    return tail, math.log(tail)


def _distribution(sizes: IntArray) -> FloatArray:
    """Probabilities of -most, -most + 2, ..., most: the sum has the parity of `most`.

    Each number adds nothing or itself to half of the sum, counted from its least value.
    Only sums and halves are taken, so that no digit is lost in the tails.
    """
    chances = np.zeros(int(sizes.sum()) + 1)
    chances[0] = 1.0
    reached = 1
    for size in sizes:
        grown = reached + int(size)
        added = chances[:reached] / 2
        chances[:reached] = added
        chances[size:grown] += added
        reached = grown
    return chances


def _paired_tail(sizes: IntArray, total: int) -> tuple[float, float]:
    """The tail of few numbers, however large: all choices of signs are counted.

    The sum is at least `total` where what is flipped adds to at most half of what is
    missing. Each sum of flipped numbers of one half goes with those of the other half
    that leave room for it (Horowitz and Sahni 1974, Journal of the ACM 21, 277-292).
    """
    room = (sum(sizes.tolist()) - total) // 2
    first, second = _sums_of_choices(sizes[::2]), _sums_of_choices(sizes[1::2])
    choices = int(np.searchsorted(second, room - first, side="right").sum())
    tail = choices / 2 ** len(sizes)
    return tail, math.log(tail)


def _sums_of_choices(sizes: IntArray) -> IntArray:
    """Sorted sums of all choices of some of the numbers."""
    sums = np.zeros(1, dtype=np.int64)
    for size in sizes:
        # Two sorted runs, which a stable sort only merges.
        sums = np.sort(np.concatenate([sums, sums + size]), kind="stable")
    return sums


def _transformed_tail(sizes: IntArray, total: int) -> tuple[float, float]:
    """The tail of very many numbers."""
    if total <= 0:
        # The other tail is smaller, and known to more digits than its complement.
        other = _transformed_tail(sizes, 2 - total)[0]
        return 1 - other, math.log1p(-other)
    certain = total == int(sizes.sum())
    log_tail = -len(sizes) * LOG_2 if certain else _tilted_tail(sizes, total)
    return math.exp(log_tail), log_tail


def _tilted_tail(sizes: IntArray, total: int) -> float:
    """Logarithm of the tail probability for very many numbers; `total` is above 0.

    The coins are loaded so that `total` becomes the expected sum (exponential tilting),
    whose distribution is found from its characteristic function. What was loaded is
    taken back in the logarithm, so that the tail keeps its digits however small it is.
    """
    most = int(sizes.sum())
    size, number = np.unique(sizes, return_counts=True)
    tilt = brentq(
        lambda h: float(number @ (size * np.tanh(h * size))) - total,
        0,
        CERTAIN,
        xtol=1e-300,
    )
    loaded = expit(2 * tilt * size)
    transform = np.concatenate(
        [
            _transform(np.arange(start, stop), most + 1, size, number, loaded)
            for start, stop in _spans((most + 1) // 2 + 1)
        ]
    )
    chances = np.fft.irfft(transform, n=most + 1)[(total + most) // 2 :]
    # The sums are 2 apart.
    tail = float(chances @ np.exp(-2 * tilt * np.arange(len(chances))))
    log_moment = (
        float(number @ np.logaddexp(tilt * size, -tilt * size)) - len(sizes) * LOG_2
    )
    return log_moment - tilt * total + math.log(tail)


def _transform(
    step: IntArray, turns: int, size: IntArray, number: IntArray, loaded: FloatArray
) -> NDArray[np.complex128]:
    """Characteristic function of half of the sum at some frequencies.

    Most of it has vanished after a few numbers, and is not followed further.
    """
    transform = np.zeros(len(step), dtype=np.complex128)
    left = np.arange(len(step))
    modulus, phase = np.ones(len(step)), np.zeros(len(step))
    for one, count, share in zip(size, number, loaded, strict=True):
        # Whole turns are left out as whole numbers, so that the angle keeps its digits.
        angle = (step[left] * one % turns) * (2 * math.pi / turns)
        factor = 1 - share + share * np.exp(-1j * angle)
        modulus *= np.abs(factor) ** count
        phase += count * np.angle(factor)
        kept = modulus > VANISHED
        left, modulus, phase = left[kept], modulus[kept], phase[kept]
    transform[left] = modulus * np.exp(1j * phase)
    return transform


def _spans(length: int) -> list[tuple[int, int]]:
    """Where parts of bounded length begin and end."""
    starts = range(0, length, TURNED_AT_ONCE)
    return [(start, min(length, start + TURNED_AT_ONCE)) for start in starts]
