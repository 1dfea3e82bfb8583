"""Sums of whole numbers whose signs are chosen by fair coins: exact tail probabilities."""

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


Limits = Callable[[float, str], tuple[float, float]]

MOST_ENUMERATED = 20
"""Up to so many values all choices of signs are looked at: half a million."""

SLACK = 1e-12
"""Sums this close, as a part of all sizes, are equal."""

BLOCK = 1 << 9
"""Bytes whose tables are computed at a time."""

BITS = 1.0 - 2.0 * ((np.arange(256) >> np.arange(8)[:, np.newaxis]) & 1)
"""The eight signs that a byte stands for, of shape (8, 256)."""


@dataclass(frozen=True, slots=True, eq=False)
class FlippedSums:
    """Sums of values with flipped signs, each for itself and for all signs the other way.

    What is observed is the sum of the values as they are. The sum of the values less
    delta times their weights is used to invert the test, so that the weights are summed
    with the same signs.

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
        """Choices of signs, the observed one among them."""
        return len(self.sums) + (not self.complete)

    def pvalue(self, alternative: str) -> tuple[float, float]:
        """Probability of a sum at least as far out, and its logarithm; never 0.

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
        """The differences that the same choices of signs keep.

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
        """The least difference whose p-value is not below alpha."""
        flipped = _pooled(self.total - self.sums, self.weight - self.balances)
        others = _pooled(self.total + self.sums, self.weight + self.balances)
        n_ways = len(self.balances)
        never = [np.full(n_ways, -math.inf)] * (not self.complete)
        if alternative == "two-sided":
            points = [np.minimum(flipped, others).ravel(), *never]
        else:
            everything = [np.full(n_ways, self.total / self.weight)] * len(never)
            points = [flipped.ravel(), others.ravel(), *never, *everything]
        together = np.concatenate(points)
        place = _least_count(alpha, len(together)) - 1
        return float(np.partition(together, place)[place])


def _pooled(sums: FloatArray, weights: FloatArray) -> FloatArray:
    """Sums over weights; minus infinity for no value, which any difference allows."""
    empty = weights <= 0
    return np.where(empty, -math.inf, sums / np.where(empty, 1.0, weights))


def _least_count(alpha: float, total: int) -> int:
    """The least count that is a share of at least alpha, in floating point as elsewhere."""
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
    """All choices of signs for up to 20 values, and random ones for more.

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
    """The limits as a function, which keeps random signs but looks at all signs anew."""
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
    """Sizes of the values, and their weights with the sign of the values.

    Where sizes are tied, the order of their signs is not given. Both orders are looked
    at, because one goes into the other where roles are exchanged.
    """
    sizes = np.abs(values)
    signs = np.where(values < 0, -1.0, 1.0)
    order = np.lexsort((weights, signs, sizes))
    other_signs = np.where(values > 0, 1.0, -1.0)
    other = np.lexsort((weights, -other_signs, sizes))
    one_way, other_way = (signs * weights)[order], (other_signs * weights)[other]
    if np.array_equal(one_way, other_way):
        return np.stack([sizes[order], one_way])
    return np.stack([sizes[order], one_way, other_way])


def _enumerated(columns: FloatArray) -> FloatArray:
    """Sums over the columns with all signs, but for the opposite ones.

    The signs are those of the sizes, and half of all choices has the first one positive.
    """
    sums = columns[:, :1]
    for added in columns.T[1:, :, np.newaxis]:
        sums = np.concatenate([sums + added, sums - added], axis=1)
    return sums


def _seed(random_state: Any) -> IntArray:
    return check_random_state(random_state).randint(1 << 32, size=4, dtype=np.uint64)


def _drawn(columns: FloatArray, n_resamples: int, seed: IntArray) -> list[FloatArray]:
    """Sums over the columns with random signs.

    A byte holds the signs of eight values. What its 256 states add to a sum is computed
    once and looked up for every draw, many times faster than a product with signs. Two
    columns are looked up at once as the parts of a complex number.
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
        for place in range(len(tables[0])):
            states = bits.random_raw(-(-n_resamples // 8)).view(np.uint8)[:n_resamples]
            index = states.astype(np.intp)
            for total, table in zip(sums, tables, strict=True):
                total += table[place].take(index)
    return [sums[0].real, sums[0].imag, *sums[1:]]
