"""Placement values, counted and summed on the device of the scores."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.array_api import is_foreign, on_host
from skcompare._typing import IntArray
from skcompare.evidence._device import Space, space_of
from skcompare.evidence.ranking._ranks import PlacementSums, as_fractions

MOST_RECORDS = 1 << 30
"""Counts of fewer records fit into four bytes, and sums of their products into eight."""


class DeviceRanks(NamedTuple):
    """Integer ranks computed on a device, identical to those of numpy."""

    counts: IntArray
    """Counts of each score, see :func:`placement_counts`."""

    n_distinct: list[int]
    """Number of different values of each score."""

    sums: PlacementSums


def device_ranks(scores: Sequence[Any], positive: NDArray[np.bool_]) -> DeviceRanks | None:
    """Rank checked scores on their device; return None for scores to be ranked in numpy.

    These are arrays of numpy, scores where a class has no record, and scores of too many
    records for the sums.
    """
    space = space_of(**{f"scores {k}": score for k, score in enumerate(scores, 1)})
    n, m = len(positive), int(np.count_nonzero(positive))
    if space is None or not 0 < m < n < MOST_RECORDS:
        return None
    mask = space.own(positive)
    ranked = [_ranked(space, _comparable(space, score), mask) for score in scores]
    counts = [counts for counts, _ in ranked]
    totals = [int(space.xp.sum(row)) // 2 for row in counts]
    sums = as_fractions(totals, *_products(space, counts, mask), m, n - m)
    rows = np.stack([on_host(space.xp.astype(row, space.xp.int32)) for row in counts])
    rows.setflags(write=False)
    return DeviceRanks(rows, [distinct for _, distinct in ranked], sums)


def _comparable(space: Space, values: Any) -> Any:
    """Return scores as a vector of a sortable type, in the order of float64."""
    xp = space.xp
    score = space.own(values, None if is_foreign(values) else "float64")
    score = xp.reshape(score, (-1,))
    return score if xp.isdtype(score.dtype, "real floating") else xp.astype(score, xp.int64)


def _ranked(space: Space, score: Any, positive: Any) -> tuple[Any, int]:
    """Twice the number of other-class records that each record outranks; ties count 1.

    The second value is the number of different scores. Records of each score are counted,
    because the records that a record outranks depend on its score alone.
    """
    xp = space.xp
    different, level = xp.unique_inverse(score)
    level, k = xp.reshape(level, (-1,)), different.shape[0]
    # Twice the level, and one more for the positive class.
    sides = space.count(2 * level + xp.astype(positive, xp.int64), 2 * k)
    negatives, positives = sides[0::2], sides[1::2]
    # Those of lower bins twice, and those of the own bin once.
    below = 2 * xp.cumulative_sum(negatives) - negatives
    above = 2 * (xp.sum(positives) - xp.cumulative_sum(positives)) + positives
    counts = xp.where(positive, space.take(below, level), space.take(above, level))
    return counts, k


def _products(
    space: Space, counts: Sequence[Any], positive: Any
) -> tuple[list[list[int]], list[list[int]]]:
    """Compute sums of products, each count split in two so that no sum overflows."""
    xp, k = space.xp, len(counts)
    shift = ((2 * positive.shape[0]).bit_length() + 1) // 2
    base = 1 << shift
    high = [row // base for row in counts]
    low = [row - part * base for row, part in zip(counts, high, strict=True)]
    inside = [[0] * k for _ in range(k)]
    outside = [[0] * k for _ in range(k)]
    zeros = xp.zeros_like(counts[0])

    def summed(products: Any) -> tuple[int, int]:
        total = int(xp.sum(products))
        own = int(xp.sum(xp.where(positive, products, zeros)))
        return own, total - own

    for i in range(k):
        for j in range(i, k):
            parts = (
                summed(high[i] * high[j]),
                summed(high[i] * low[j] + low[i] * high[j]),
                summed(low[i] * low[j]),
            )
            for sums, side in ((inside, 0), (outside, 1)):
                top, mixed, bottom = (part[side] for part in parts)
                total = (top << 2 * shift) + (mixed << shift) + bottom
                sums[i][j] = sums[j][i] = total
    return inside, outside
