"""Sums of placement counts and of their products, in whole numbers."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._typing import IntArray

BLOCK = 1 << 15
"""Records whose products are summed at a time; they stay in the processor's cache."""

LIMB = 19
"""Bits of the parts of long numbers: sums of a block's products stay below 2**53."""


class PlacementSums(NamedTuple):
    """AUCs and their covariances as fractions of whole numbers.

    Whole numbers do not depend on the order in which records were added, equal rankings
    differ by exactly 0, and a variance is 0 only where nothing varies.
    """

    totals: tuple[int, ...]
    """Sum of the counts of either class; the AUC times `total_of_one`."""

    total_of_one: int
    """Twice the pairs of a positive and a negative record."""

    covariance: tuple[tuple[int, ...], ...]
    """Covariances of the AUCs, times `scale`; all 0 where `scale` is."""

    scale: int
    """0 where a class has one record only, so that nothing is known of its variance."""


def placement_sums(counts: IntArray, positive: NDArray[np.bool_]) -> PlacementSums:
    """Add up the counts of :func:`placement_counts_of`, of shape (n_scores, n_samples).

    With U the total of the counts c = 2 n V10 of the m positive records, the covariance
    of V10 between two scores is (m sum(c c') - U U') / (4 n² m (m - 1)), and that of V01
    alike. Their shares of m and n (DeLong et al. 1988, equation for S) are brought to one
    denominator.
    """
    m = int(np.count_nonzero(positive))
    n = len(positive) - m
    totals = [int(row.sum(dtype=np.int64)) // 2 for row in counts]
    inside, outside = _products(counts, positive)
    return as_fractions(totals, inside, outside, m, n)


def cell_sums(
    counts: IntArray, positive: NDArray[np.bool_], repeats: IntArray
) -> PlacementSums:
    """:func:`placement_sums` of cells, each of which stands for some records."""
    sides = [
        (int(repeats[own].sum()), *_weighted_products(counts[:, own], repeats[own]))
        for own in (positive, ~positive)
    ]
    (m, totals, inside), (n, _, outside) = sides
    return as_fractions(totals, inside, outside, m, n)


def as_fractions(
    totals: list[int], inside: list[list[int]], outside: list[list[int]], m: int, n: int
) -> PlacementSums:
    """Sums of counts, and of products inside and outside the positive class, as one."""
    scale = 4 * m**2 * n**2 * (m - 1) * (n - 1)
    k = len(totals)
    covariance = [[0] * k for _ in range(k)]
    for i in range(k if scale else 0):
        for j in range(k):
            product = totals[i] * totals[j]
            covariance[i][j] = (m * inside[i][j] - product) * (n - 1)
            covariance[i][j] += (n * outside[i][j] - product) * (m - 1)
    return PlacementSums(
        tuple(totals), 2 * m * n, tuple(tuple(row) for row in covariance), scale
    )


def _products(
    counts: IntArray, positive: NDArray[np.bool_]
) -> tuple[list[list[int]], list[list[int]]]:
    """Sums of products over the positive and over the negative records, exactly.

    Each count is cut into a high and a low part, so short that the sums of a block are
    below 2**53, where matrix products of floats are exact.
    """
    k, n = counts.shape
    shift = ((2 * n).bit_length() + 1) // 2
    low_bits = counts.dtype.type((1 << shift) - 1)
    sums = np.zeros((2, 2 * k, 2 * k), dtype=object)
    for start in range(0, n, BLOCK):
        block = counts[:, start : start + BLOCK]
        halves = np.empty((2 * k, block.shape[1]))
        np.right_shift(block, shift, out=halves[:k], casting="unsafe")
        np.bitwise_and(block, low_bits, out=halves[k:], casting="unsafe")
        every = halves @ halves.T
        inside = (halves * positive[start : start + BLOCK]) @ halves.T
        sums[0] += _whole(inside)
        sums[1] += _whole(every - inside)
    return _joined(sums[0], k, shift), _joined(sums[1], k, shift)


def _whole(values: Any) -> Any:
    return values.astype(np.int64).astype(object)


def _joined(sums: Any, k: int, shift: int) -> list[list[int]]:
    """Products of whole counts from those of their parts."""
    high, low, mixed = sums[:k, :k], sums[k:, k:], sums[:k, k:]
    return ((high << 2 * shift) + ((mixed + mixed.T) << shift) + low).tolist()


def _weighted_products(
    counts: IntArray, repeats: IntArray
) -> tuple[list[int], list[list[int]]]:
    """Sums of counts and of their products over cells, exactly, however many records.

    As :func:`_products`, but cut into as many parts as the numbers need.
    """
    k, n = counts.shape
    width = int(counts.max(initial=1)).bit_length()
    heavy = width + int(repeats.max(initial=1)).bit_length()
    sums = np.zeros((k, k + 1), dtype=object)
    for start in range(0, n, BLOCK):
        block = counts[:, start : start + BLOCK]
        own = repeats[start : start + BLOCK]
        weighted = block * own if heavy < 63 else block.astype(object) * own.astype(object)
        # A row of ones, so that the counts themselves are added as well.
        others = np.vstack([block, np.ones_like(own)])
        left, right = _limbs(weighted, heavy), _limbs(others, width)
        for i, one in enumerate(left):
            for j, other in enumerate(right):
                sums += _whole(one @ other.T) << LIMB * (i + j)
    return sums[:, k].tolist(), sums[:, :k].tolist()


def _limbs(values: Any, width: int) -> list[NDArray[np.float64]]:
    """Numbers of so many bits as parts of a few, the lowest first."""
    mask = (1 << LIMB) - 1
    shifts = range(0, width, LIMB)
    return [((values >> shift) & mask).astype(np.float64) for shift in shifts]
