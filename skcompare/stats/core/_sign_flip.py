"""Distributions of sums of random subsets, and of sums under sign flips.

They are exact, enumerated or sampled. With random signs half of what the sum is below its
largest value is the sum of a random subset.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len, rfft
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.utils import check_random_state

from skcompare._core.progress import tracked
from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._limits import Limits
from skcompare.stats.core._tails import symmetric_pvalue

LOG_2 = math.log(2)

MOST_PAIRED = 40
MOST_CHOICES = 1 << 20
"""Number of values up to which all sums of either half are listed, a million of each,
where their distribution is longer."""

MOST_ALIKE, LONGEST, MOST_ADDED = 1000, 1 << 22, 250_000_000
LONGEST_TURNED, MOST_TURNED = 1 << 20, 20_000_000
"""Largest number of values up to which their sum, and its product with their number, bound
the work; for more values it is the product with the number of different sizes."""

MOST_ADDITIONS = 10_000_000
"""Largest number of additions for counting sums, about a hundredth of a second."""

MOST_UNTILTED = 1000
"""Largest number of numbers m at which 2**-m does not underflow."""

REACH = 9.5
"""Standard deviations on either side that the distribution is kept for. By Hoeffding's
inequality less than exp(-REACH**2 / 2) = 3e-20 of it is beyond."""

LOG_NEGLIGIBLE = math.log(1e-22)
"""Logarithm of the modulus of a transform below which a frequency is negligible."""

FEW_FREQUENCIES = 200
"""Number of frequencies up to which the first bound is not refined."""

ANGLE_COST = 30
"""Number of additions that take as long as one angle."""

ANGLES_AT_ONCE = 1 << 20
"""Number of angles in memory at a time."""


def can_flip_signs(values: IntArray) -> bool:
    """Whether tail probabilities take less than about a second and 200 MB to compute.

    Up to 40 numbers other than 0 always do. Of more, the sum of their sizes, as multiples
    of their greatest common divisor, must not be above some millions, and less for many
    numbers: 500 000 for 500 of them.
    """
    sizes, _ = _in_units(values)
    return _is_paired(sizes) or _is_quick(sizes)


def sign_flip_pvalue(values: IntArray, alternative: str) -> tuple[float, float]:
    """P-value of the sum of `values` under random signs, and its logarithm.

    Two-sided it is the probability of a sum at least as far from 0. It is never 0, because
    the observed signs are one of the choices.
    """
    total = int(np.sum(values))
    return symmetric_pvalue(partial(sign_flip_tail, values), total, alternative)


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
    # The sum is at least `total` where what is flipped adds to at most half of the rest.
    room = (_sum_of(sizes) - total) // 2
    if room >= _sum_of(sizes):
        return 1.0, 0.0
    if _is_paired(sizes):
        return _paired_tail(sizes, room)
    return subset_sum_chance(sizes, room)


def _sum_of(sizes: IntArray) -> int:
    """Sum of Python integers, which does not overflow."""
    return sum(sizes.tolist())


def _is_paired(sizes: IntArray) -> bool:
    """Whether the numbers are few and large, so that their choices are counted."""
    return len(sizes) <= MOST_PAIRED and _sum_of(sizes) > MOST_CHOICES


def _is_quick(sizes: IntArray) -> bool:
    """Whether the distribution of the sum takes bounded time and memory."""
    m, largest = len(sizes), _sum_of(sizes)
    if m <= MOST_ALIKE and largest < LONGEST and m * largest <= MOST_ADDED:
        return True
    return largest < LONGEST_TURNED and len(np.unique(sizes)) * largest <= MOST_TURNED


def _paired_tail(sizes: IntArray, room: int) -> tuple[float, float]:
    """Probability of a sum of at most `room` of few numbers, by counting all choices.

    Each sum of one half of the numbers goes with those of the other half that leave room
    for it (Horowitz and Sahni 1974, Journal of the ACM 21, 277-292).
    """
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


def subset_sum_chance(numbers: IntArray, room: int) -> tuple[float, float]:
    """Probability that a random subset has a sum of at most `room`, and its logarithm.

    The numbers are whole and above 0. The logarithm is precise for any small probability;
    the distribution is symmetric, so that this is either tail.
    """
    sizes, counts = np.unique(numbers, return_counts=True)
    unit = int(np.gcd.reduce(sizes)) if len(sizes) else 1
    sizes, total, room = sizes // unit, int(numbers.sum()) // unit, room // unit
    if room < 0:
        return 0.0, -math.inf
    if room >= total:
        return 1.0, 0.0
    if 2 * room < total:
        return _lower_tail(sizes, counts, room)
    # The other tail is the smaller one, and more precise than its complement.
    upper, _ = _lower_tail(sizes, counts, total - room - 1)
    return 1 - upper, math.log1p(-upper)


def _lower_tail(sizes: IntArray, counts: IntArray, bound: int) -> tuple[float, float]:
    """Probability of a sum of at most `bound`, below the mean, and its logarithm."""
    m = int(counts.sum())
    if bound < sizes[0]:
        return math.ldexp(1.0, -m), -m * LOG_2
    if m <= MOST_UNTILTED and m * bound <= MOST_ADDITIONS:
        probability = _summed_tail(sizes, counts, bound, 0.0)
        return probability, math.log(probability)
    tilt = _tilt(sizes, counts, bound)
    n_points = _n_points(sizes, counts)
    frequencies = _frequencies(sizes, counts, tilt, n_points)
    # Far in the tail the tilt is strong and all frequencies matter, but then the bound is
    # small.
    if m * bound <= ANGLE_COST * len(frequencies) * len(sizes):
        tail = _summed_tail(sizes, counts, bound, tilt)
    else:
        tail = _inverted_tail(sizes, counts, bound, tilt, n_points, frequencies)
    # The tilt is undone in the logarithm.
    log_moment = float(counts @ np.log1p(np.exp(-tilt * sizes))) - m * LOG_2
    log_probability = log_moment + tilt * bound + math.log(tail)
    return math.exp(log_probability), log_probability


def _tilt(sizes: IntArray, counts: IntArray, bound: int) -> float:
    """Parameter of the exponential tilting under which `bound` is the expected sum."""

    def excess(tilt: float) -> float:
        return float((counts * sizes) @ expit(-tilt * sizes)) - bound

    high = 1.0 / float(sizes[-1])
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-300))


def _summed_tail(sizes: IntArray, counts: IntArray, bound: int, tilt: float) -> float:
    """Tail under exponential tilting, by adding one number after the other.

    Sums beyond `bound` are dropped. Without tilt all operations are halvings and additions,
    so that the probabilities of up to about fifty numbers are exact.
    """
    probabilities = np.zeros(bound + 1)
    probabilities[0] = 1.0
    end = 1
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        share = float(expit(-tilt * size))
        for _ in range(count):
            new_end = min(bound + 1, end + size)
            with_number = probabilities[: max(0, new_end - size)] * share
            probabilities[:end] *= 1 - share
            probabilities[size:new_end] += with_number
            end = max(end, new_end)
    # From the smallest on, each weighted by its distance from `bound`.
    return float(np.sum(probabilities * np.exp(-tilt * np.arange(bound, -1.0, -1.0))))


def _n_points(sizes: IntArray, counts: IntArray) -> int:
    """Number of points of a Fourier transform that covers all but 1e-19 of the sums."""
    spread = math.sqrt(float(counts @ (sizes.astype(float) ** 2))) / 2
    n_covering = next_fast_len(2 * math.ceil(REACH * spread), real=True)
    return min(int(counts @ sizes) + 1, int(n_covering))


def _inverted_tail(
    sizes: IntArray,
    counts: IntArray,
    bound: int,
    tilt: float,
    n_points: int,
    frequencies: IntArray,
) -> float:
    """Tail under exponential tilting, from the characteristic function.

    The tilted sum has the mean `bound`, around which the periodic sums are unwrapped. Only
    the frequencies that matter are summed.
    """
    tilted = expit(-tilt * sizes)
    n_sums = min(bound + 1, (n_points + 1) // 2)
    block = max(1, ANGLES_AT_ONCE // len(sizes))
    total = 0.0
    for start in range(0, len(frequencies), block):
        steps = frequencies[start : start + block]
        transform = _transform(steps, sizes, counts, tilted, n_points)
        # The sums bound, bound - 1, ... with weights exp(-tilt u), a geometric series.
        angle = 2j * math.pi / n_points
        series = np.expm1(_modular(steps, n_sums, n_points) * angle - tilt * n_sums)
        series /= np.expm1(steps * angle - tilt)
        shift = np.exp(-_modular(steps, bound, n_points) * angle)
        # A frequency and its negative are conjugates; 0 and half the points are their own.
        self_conjugate = (steps == 0) | (2 * steps == n_points)
        terms = (transform * shift * series).real
        total += float(np.sum(np.where(self_conjugate, 1.0, 2.0) * terms))
    return total / n_points


def _modular(steps: IntArray, factor: int, n_points: int) -> IntArray:
    """Products of whole numbers modulo `n_points`, so that angles keep their precision."""
    return steps * (factor % n_points) % n_points


def _frequencies(sizes: IntArray, counts: IntArray, tilt: float, n_points: int) -> IntArray:
    """Frequencies at which the characteristic function is not negligible.

    The squared modulus of a tilted number's factor is 1 - x with x = w sin²(q t / 2),
    where w = 4 p (1 - p), and at most exp(-x - x² / 2). A transform of the weights, and one
    of their squares where that is not enough, bounds the products at all frequencies t.
    """
    tilted = expit(-tilt * sizes)
    weights = 4 * tilted * (1 - tilted)
    positions = sizes % n_points
    # sin²(v) = (1 - cos 2v) / 2
    transform = rfft(np.bincount(positions, counts * weights, n_points)).real
    bound = (transform - transform[0]) / 4
    frequencies = np.flatnonzero(bound > LOG_NEGLIGIBLE)
    if len(frequencies) <= FEW_FREQUENCIES:
        return frequencies
    # sin⁴(v) = (3 - 4 cos 2v + cos 4v) / 8
    squares = rfft(np.bincount(positions, counts * weights**2, n_points)).real
    doubled = np.minimum(2 * frequencies, n_points - 2 * frequencies)
    squares = (3 * squares[0] - 4 * squares[frequencies] + squares[doubled]) / 32
    refined = bound[frequencies] - squares
    return frequencies[refined > LOG_NEGLIGIBLE]


def _transform(
    steps: IntArray, sizes: IntArray, counts: IntArray, tilted: FloatArray, n_points: int
) -> NDArray[np.complex128]:
    """Characteristic function of the tilted sum at some frequencies."""
    angle = (np.multiply.outer(steps, sizes % n_points) % n_points) * (
        2 * math.pi / n_points
    )
    phase = np.arctan2(tilted * np.sin(angle), 1 - tilted + tilted * np.cos(angle))
    reduction = 4 * tilted * (1 - tilted) * np.sin(angle / 2) ** 2
    with np.errstate(divide="ignore"):
        # The factor of an untilted number at half a turn is 0.
        log_modulus = np.log1p(-np.minimum(reduction, 1.0)) / 2
    return np.exp(log_modulus @ counts + 1j * (phase @ counts))


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
            opposite = replace(self, total=-self.total, sums=-self.sums)
            high = -opposite._lower(alpha, mirrored)
        return low, high

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
    starts = range(0, n_bytes, BLOCK)
    for start in tracked(starts, "Resampling", len(starts)):
        tables = [eight[start : start + BLOCK] @ BITS for eight in eights]
        for i in range(len(tables[0])):
            states = bits.random_raw(-(-n_resamples // 8)).view(np.uint8)[:n_resamples]
            index = states.astype(np.intp)
            for total, table in zip(sums, tables, strict=True):
                total += table[i].take(index)
    return [sums[0].real, sums[0].imag, *sums[1:]]
