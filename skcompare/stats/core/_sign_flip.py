"""Distributions of sums under sign flips: exact, enumerated or sampled."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.utils import check_random_state

from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._limits import Limits

LOG_2 = math.log(2)

MOST_HALVED = 1000
"""Number of values above which a probability of 2**-m would underflow."""

MOST_PAIRED = 40
MOST_CHOICES = 1 << 20
"""Number of values up to which all sums of either half are listed, a million of each,
where their distribution is longer."""

LONGEST = 1 << 22
MOST_ADDED = 250_000_000
"""Length and additions up to which a distribution is summed: half a second."""

LONGEST_TURNED = 1 << 20
MOST_TURNED = 20_000_000
"""Length and angles up to which a distribution is transformed, which takes as long."""

TURNED_AT_ONCE = 1 << 16
"""Number of angles that are evaluated at a time."""

VANISHED = 1e-30
"""Modulus below which a value of a transform is negligible."""

SMALLEST = float(np.finfo(float).tiny)
"""P-value in the place of one that underflows; its logarithm stays exact."""

CERTAIN = 50.0
"""Tilt at which signs are certain in double precision."""


def can_flip_signs(values: IntArray) -> bool:
    """Whether tail probabilities take less than about a second and 200 MB to compute.

    Up to 40 numbers other than 0 always do. Of more, the sum of their sizes, as multiples
    of their greatest common divisor, must not be above some millions, and less for many
    numbers: 500 000 for 500 of them.
    """
    return _tail_function(_in_units(values)[0]) is not None


def sign_flip_pvalue(values: IntArray, alternative: str) -> tuple[float, float]:
    """P-value of the sum of `values` under random signs, and its logarithm.

    Two-sided it is the probability of a sum at least as far from 0. It is never 0, because
    the observed signs are one of the choices.
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
    """Probability that the sum with random signs is at least `total`, and its logarithm.

    The values must be such that :func:`can_flip_signs` is true.
    """
    sizes, unit = _in_units(values)
    # All sums are multiples of the unit, so `total` is rounded up to one.
    return _tail(sizes.tobytes(), -(-total // unit))


def _in_units(values: IntArray) -> tuple[IntArray, int]:
    """Sorted absolute values in units of their greatest common divisor, and the divisor."""
    sizes = np.sort(np.abs(values[values != 0])).astype(np.int64)
    unit = int(np.gcd.reduce(sizes)) if len(sizes) else 1
    return sizes // unit, unit


@lru_cache(maxsize=16)
def _tail(key: bytes, total: int) -> tuple[float, float]:
    """Tail probability of sizes in units, and its logarithm, cached for the limits."""
    sizes = np.frombuffer(key, dtype=np.int64)
    largest = int(sizes.sum())
    # All sums have the parity of the largest one.
    total += (total + largest) % 2
    if total <= -largest:
        return 1.0, 0.0
    tail = _tail_function(sizes)
    if tail is None:
        raise ValueError(
            f"The signs of {len(sizes)} numbers that add to {largest} must not be flipped: "
            "it takes too long. Ask `can_flip_signs` first."
        )
    return tail(sizes, total)


def _tail_function(
    sizes: IntArray,
) -> Callable[[IntArray, int], tuple[float, float]] | None:
    """Choose a tail function with bounded time and memory; None if there is none."""
    # A sum of Python integers, which does not overflow.
    m, largest = len(sizes), sum(sizes.tolist())
    if m <= MOST_PAIRED and largest > MOST_CHOICES:
        return _paired_tail
    if m <= MOST_HALVED and largest < LONGEST and m * largest <= MOST_ADDED:
        return _halved_tail
    if largest < LONGEST_TURNED and len(np.unique(sizes)) * largest <= MOST_TURNED:
        return _transformed_tail
    return None


def _halved_tail(sizes: IntArray, total: int) -> tuple[float, float]:
    """Tail probability from the full distribution, and its logarithm."""
    largest = int(sizes.sum())
    tail = float(_distribution(sizes)[(total + largest) // 2 :].sum())
    return tail, math.log(tail)


def _distribution(sizes: IntArray) -> FloatArray:
    """Probabilities of all sums from the smallest to the largest, in steps of 2.

    Each number adds nothing or itself to half of the sum, counted from its least value.
    Only sums and halves are taken, so that no digit is lost in the tails.
    """
    probabilities = np.zeros(int(sizes.sum()) + 1)
    probabilities[0] = 1.0
    length = 1
    for size in sizes:
        new_length = length + int(size)
        half = probabilities[:length] / 2
        probabilities[:length] = half
        probabilities[size:new_length] += half
        length = new_length
    return probabilities


def _paired_tail(sizes: IntArray, total: int) -> tuple[float, float]:
    """Tail probability of few numbers of any size, by counting all choices of signs.

    The sum is at least `total` where what is flipped adds to at most half of what is
    missing. Each sum of flipped numbers of one half goes with those of the other half
    that leave room for it (Horowitz and Sahni 1974, Journal of the ACM 21, 277-292).
    """
    room = (sum(sizes.tolist()) - total) // 2
    first_sums, second_sums = _sums_of_choices(sizes[::2]), _sums_of_choices(sizes[1::2])
    choices = int(np.searchsorted(second_sums, room - first_sums, side="right").sum())
    tail = choices / 2 ** len(sizes)
    return tail, math.log(tail)


def _sums_of_choices(sizes: IntArray) -> IntArray:
    """Sorted sums of all subsets of the numbers."""
    sums = np.zeros(1, dtype=np.int64)
    for size in sizes:
        # Two sorted runs, which a stable sort only merges.
        sums = np.sort(np.concatenate([sums, sums + size]), kind="stable")
    return sums


def _transformed_tail(sizes: IntArray, total: int) -> tuple[float, float]:
    """Tail probability of very many numbers by Fourier transform, and its logarithm."""
    if total <= 0:
        # The other tail is smaller, and known to more digits than its complement.
        opposite = _transformed_tail(sizes, 2 - total)[0]
        return 1 - opposite, math.log1p(-opposite)
    certain = total == int(sizes.sum())
    log_tail = -len(sizes) * LOG_2 if certain else _tilted_tail(sizes, total)
    return math.exp(log_tail), log_tail


def _tilted_tail(sizes: IntArray, total: int) -> float:
    """Logarithm of the tail probability of very many numbers, for positive `total`.

    The signs are tilted so that `total` becomes the expected sum (exponential tilting),
    whose distribution is found from its characteristic function. The tilt is undone in the
    logarithm, so that the tail keeps its digits however small it is.
    """
    largest = int(sizes.sum())
    size, number = np.unique(sizes, return_counts=True)
    tilt = brentq(
        lambda h: float(number @ (size * np.tanh(h * size))) - total,
        0,
        CERTAIN,
        xtol=1e-300,
    )
    positive = expit(2 * tilt * size)
    transform = np.concatenate(
        [
            _transform(np.arange(start, stop), largest + 1, size, number, positive)
            for start, stop in _spans((largest + 1) // 2 + 1)
        ]
    )
    probabilities = np.fft.irfft(transform, n=largest + 1)[(total + largest) // 2 :]
    # The sums are 2 apart.
    tail = float(probabilities @ np.exp(-2 * tilt * np.arange(len(probabilities))))
    log_moment = (
        float(number @ np.logaddexp(tilt * size, -tilt * size)) - len(sizes) * LOG_2
    )
    return log_moment - tilt * total + math.log(tail)


def _transform(
    step: IntArray, turns: int, size: IntArray, number: IntArray, positive: FloatArray
) -> NDArray[np.complex128]:
    """Characteristic function of half of the sum at given frequencies.

    Most of it has vanished after a few numbers, and is not followed further.
    """
    transform = np.zeros(len(step), dtype=np.complex128)
    left = np.arange(len(step))
    modulus, phase = np.ones(len(step)), np.zeros(len(step))
    for value, count, probability in zip(size, number, positive, strict=True):
        # Whole turns are left out as whole numbers, so that the angle keeps its digits.
        angle = (step[left] * value % turns) * (2 * math.pi / turns)
        factor = 1 - probability + probability * np.exp(-1j * angle)
        modulus *= np.abs(factor) ** count
        phase += count * np.angle(factor)
        kept = modulus > VANISHED
        left, modulus, phase = left[kept], modulus[kept], phase[kept]
    transform[left] = modulus * np.exp(1j * phase)
    return transform


def _spans(length: int) -> list[tuple[int, int]]:
    """Start and stop of consecutive blocks of bounded length."""
    starts = range(0, length, TURNED_AT_ONCE)
    return [(start, min(length, start + TURNED_AT_ONCE)) for start in starts]


MOST_ENUMERATED = 20
"""Number of values up to which all choices of signs are enumerated: half a million."""

SLACK = 1e-12
"""Difference, as a share of the sum of sizes, up to which sums are equal."""

BLOCK = 1 << 9
"""Number of bytes whose tables are computed at a time."""

BITS = 1.0 - 2.0 * ((np.arange(256) >> np.arange(8)[:, np.newaxis]) & 1)
"""Signs that each byte encodes, of shape (8, 256)."""


@dataclass(frozen=True, slots=True, eq=False)
class FlippedSums:
    """Sums of values with flipped signs, each of which also represents its opposite.

    The observed sum is that of the values as they are. The test is inverted by the sum of
    the values minus delta times their weights, so the weights are summed with the same
    signs.

    Attributes
    ----------
    total, size : float
        Sum of the values, and of their sizes without signs.
    weight : float
        Sum of the weights.
    sums : ndarray of shape (n_draws,)
        Sums with flipped signs.
    balances : ndarray of shape (n_ways, n_draws)
        Sums of the weights with these signs. Where values are 0, or equal but for their
        sign, signs go to them in two ways, so that exchanged roles give the same limits.
    complete : bool
        Whether the observed signs are among the draws.
    """

    total: float
    size: float
    weight: float
    sums: FloatArray
    balances: FloatArray
    complete: bool

    @property
    def n_choices(self) -> int:
        """Number of choices of signs, including the observed one."""
        return len(self.sums) + (not self.complete)

    def pvalue(self, alternative: str) -> tuple[float, float]:
        """P-value of the observed sum, which is never 0, and its logarithm.

        A choice of signs counts with its opposite, so that one-sided p-values of
        exchanged roles mirror each other.
        """
        bound = SLACK * self.size
        observed = int(not self.complete)
        if alternative == "two-sided":
            far = int(np.count_nonzero(np.abs(self.sums) >= abs(self.total) - bound))
            share = (far + observed) / self.n_choices
        else:
            outward = self.total if alternative == "greater" else -self.total
            least = outward - bound
            far = int(np.count_nonzero(self.sums >= least))
            far += int(np.count_nonzero(-self.sums >= least))
            far += observed * (1 + (-outward >= least))
            share = far / (2 * self.n_choices)
        return share, math.log(share)

    def limits(self, confidence_level: float, alternative: str) -> tuple[float, float]:
        """Confidence limits of the difference by inverting the test with the same signs.

        For a difference delta, signs that flip some values give at least the observed sum
        exactly where these have a pooled difference of at most delta: sum of values over
        sum of weights. So the limits are quantiles of such pooled differences (Hartigan
        1969, Journal of the American Statistical Association 64, 1303-1317).
        """
        alpha = alpha_of(confidence_level)
        low = -math.inf if alternative == "less" else self._lower(alpha, alternative)
        high = math.inf
        if alternative != "greater":
            mirrored = {"less": "greater"}.get(alternative, alternative)
            high = -self._mirrored()._lower(alpha, mirrored)
        return low, high

    def _mirrored(self) -> "FlippedSums":
        return FlippedSums(
            -self.total,
            self.size,
            self.weight,
            -self.sums,
            self.balances,
            self.complete,
        )

    def _lower(self, alpha: float, alternative: str) -> float:
        """Smallest difference whose p-value is not below `alpha`."""
        flipped = _pooled(self.total - self.sums, self.weight - self.balances)
        opposite = _pooled(self.total + self.sums, self.weight + self.balances)
        n_ways = len(self.balances)
        none_flipped = [np.full(n_ways, -math.inf)] * (not self.complete)
        if alternative == "two-sided":
            points = [np.minimum(flipped, opposite).ravel(), *none_flipped]
        else:
            all_flipped = [np.full(n_ways, self.total / self.weight)] * len(none_flipped)
            points = [flipped.ravel(), opposite.ravel(), *none_flipped, *all_flipped]
        pooled = np.concatenate(points)
        index = _least_count(alpha, len(pooled)) - 1
        return float(np.partition(pooled, index)[index])


def _pooled(sums: FloatArray, weights: FloatArray) -> FloatArray:
    """Ratios of sums to weights; minus infinity, which rejects nothing, without weight."""
    empty = weights <= 0
    return np.where(empty, -math.inf, sums / np.where(empty, 1.0, weights))


def _least_count(alpha: float, total: int) -> int:
    """Smallest count that is a share of at least `alpha` in floating point."""
    count = max(1, math.ceil(alpha * total))
    while count > 1 and (count - 1) / total >= alpha:
        count -= 1
    while count / total < alpha:
        count += 1
    return count


def flipped_sums(
    values: FloatArray,
    weights: FloatArray | None = None,
    *,
    n_resamples: int,
    random_state: Any,
) -> FlippedSums:
    """Sums with all choices of signs for up to 20 values, and random signs for more.

    The order of the values does not matter: signs go to them from the smallest to the
    largest.
    """
    weights = np.ones(len(values)) if weights is None else weights
    columns = _columns(values, weights)
    size = float(columns[0].sum())
    total, weight = float((columns[0] * np.sign(columns[1])).sum()), float(weights.sum())
    if len(values) <= MOST_ENUMERATED:
        sums, *balances = _enumerated(columns)
    else:
        sums, *balances = _drawn(columns, n_resamples, _seed(random_state))
    complete = len(values) <= MOST_ENUMERATED
    return FlippedSums(total, size, weight, sums, np.stack(balances), complete)


def limits_of(
    flipped: FlippedSums, values: FloatArray, weights: FloatArray | None = None
) -> Limits:
    """Return the function of the limits, which stores random but not enumerated signs."""
    if flipped.complete:
        return partial(_enumerated_limits, values, weights)
    return flipped.limits


def _enumerated_limits(
    values: FloatArray,
    weights: FloatArray | None,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    flipped = flipped_sums(values, weights, n_resamples=0, random_state=0)
    return flipped.limits(confidence_level, alternative)


def _columns(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Absolute values, and the weights with the signs of the values.

    Where sizes are tied, the order of their signs is arbitrary. Both orders are used,
    because exchanged roles turn one into the other.
    """
    sizes = np.abs(values)
    signs = np.where(values < 0, -1.0, 1.0)
    order = np.lexsort((weights, signs, sizes))
    reverse_signs = np.where(values > 0, 1.0, -1.0)
    reverse_order = np.lexsort((weights, -reverse_signs, sizes))
    forward, backward = (signs * weights)[order], (reverse_signs * weights)[reverse_order]
    if np.array_equal(forward, backward):
        return np.stack([sizes[order], forward])
    return np.stack([sizes[order], forward, backward])


def _enumerated(columns: FloatArray) -> FloatArray:
    """Sums of the columns with all choices of signs, up to their opposites.

    The signs are those of the sizes, and half of all choices has the first one positive.
    """
    sums = columns[:, :1]
    for value in columns.T[1:, :, np.newaxis]:
        sums = np.concatenate([sums + value, sums - value], axis=1)
    return sums


def _seed(random_state: Any) -> IntArray:
    return check_random_state(random_state).randint(1 << 32, size=4, dtype=np.uint64)


def _drawn(columns: FloatArray, n_resamples: int, seed: IntArray) -> list[FloatArray]:
    """Sums of the columns with random signs.

    A byte holds the signs of eight values. The contribution of its 256 states to a sum is
    computed once and looked up for every draw, many times faster than a product with signs.
    Two columns are looked up at once as the parts of a complex number.
    """
    n = columns.shape[1]
    n_bytes = -(-n // 8)
    padded = np.zeros((len(columns), 8 * n_bytes))
    padded[:, :n] = columns
    parts = [padded[0] + 1j * padded[1], *padded[2:]]
    eights = [part.reshape(n_bytes, 8) for part in parts]
    sums = [np.zeros(n_resamples, dtype=part.dtype) for part in parts]
    # The generators of check_random_state are many times slower.
    bits = np.random.SFC64(seed.tolist())
    for start in range(0, n_bytes, BLOCK):
        tables = [eight[start : start + BLOCK] @ BITS for eight in eights]
        for i in range(len(tables[0])):
            states = bits.random_raw(-(-n_resamples // 8)).view(np.uint8)[:n_resamples]
            index = states.astype(np.intp)
            for total, table in zip(sums, tables, strict=True):
                total += table[i].take(index)
    return [sums[0].real, sums[0].imag, *sums[1:]]
