"""Sums of differences whose signs are flipped: all of them, or random ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray, IntArray

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
