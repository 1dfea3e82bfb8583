"""Placement values of one score: shares of the other class that records outrank.

The placement of a positive record is the share of negative records with a lower score, and
that of a negative record the share of positive ones with a higher score; a tie counts a
half (DeLong, DeLong and Clarke-Pearson 1988, equations for V10 and V01). They are counted
from one sort, as the midranks of Sun and Xu (2014) are, and kept as whole numbers. Scores
on a device are counted and summed there.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from skcompare._core.arrays import all_on_host, is_foreign, on_host, slices_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence.core._device import HOST, Space, space_at, space_of

BoolArray = NDArray[np.bool_]
WordArray = NDArray[np.uint64]

SIDE_BY_SIDE = 1 << 16
"""Records from which scores are ranked in two threads; sorting releases the GIL."""

BLOCK = 1 << 15
"""Number of records at a time, whose scores stay in the processor's cache."""

COUNTED = 1 << 13
"""Records from which scores are counted into steps before they are sorted."""

MOST_COUNTED = 1 << 31
MOST_BITS = 22
SAMPLE = 1 << 12

SMALLER_COUNTS = 1 << 30
"""Counts of fewer records fit into four bytes, and sums of their products into eight."""


def placement_counts(score: FloatArray, positive: BoolArray) -> tuple[IntArray, int]:
    """Twice the number of other-class records that each outranks, and number of scores.

    A tie counts 1, so that the counts are whole and those of either class add up to
    ``2 * n_positives * n_negatives * AUC``. They depend on the order of the scores alone:
    an increasing function of the scores leaves every bit as it is. Infinite scores are the
    greatest and the least; there must be no NaN. The second value is the number of
    different scores.
    """
    n = len(score)
    dtype: Any = np.int32 if n < SMALLER_COUNTS else np.int64
    packed, position = _packed(score)
    packed = _sorted(packed, score)
    is_positive, last = _in_order(packed, position, score, positive)
    n_below: IntArray = np.cumsum(is_positive, dtype=dtype)
    m = int(n_below[-1])
    # Without ties a positive record in place t (from 0) is above t + 1 minus the positive
    # ones up to itself, and a negative one below the positive ones that are left.
    counts: IntArray = np.where(is_positive, np.arange(1, n + 1, dtype=dtype), dtype(m))
    counts -= n_below
    counts *= 2
    n_runs = int(np.count_nonzero(last))
    if n_runs < n:
        _share_ties(counts, is_positive, n_below, last)
    del n_below, is_positive
    result: IntArray = np.empty(n, dtype=dtype)
    for block in slices_of(n, BLOCK):
        result[_positions(packed[block], position)] = counts[block]
    return result, n_runs


def placement_counts_of(
    scores: FloatArray, positive: BoolArray
) -> tuple[IntArray, list[int]]:
    """Compute :func:`placement_counts` of each score; long scores run in two threads."""
    alone = len(scores) == 1 or scores.shape[1] < SIDE_BY_SIDE or joblib.cpu_count() == 1
    if alone:
        results = [placement_counts(score, positive) for score in scores]
    else:
        with ThreadPoolExecutor(max_workers=2) as pool:
            results = list(pool.map(partial(placement_counts, positive=positive), scores))
    counts, distinct = zip(*results)
    return np.array(counts), list(distinct)


def _share_ties(
    counts: IntArray, is_positive: BoolArray, n_below: IntArray, last: BoolArray
) -> None:
    """Count ties of positive and negative records as 1; arrays are sorted by score."""
    untied = np.empty_like(last)
    untied[0] = True
    untied[1:] = last[:-1]
    starts, stops = np.flatnonzero(untied & ~last), np.flatnonzero(last & ~untied) + 1
    untied &= last
    tied = np.logical_not(untied, out=untied)
    # The number of runs at a time whose records are about a block.
    step = max(1, BLOCK * len(starts) // int(np.count_nonzero(tied)))
    for run in range(0, len(starts), step):
        start, stop = starts[run : run + step], stops[run : run + step]
        size = stop - start
        positives = n_below[stop - 1] - n_below[start] + is_positive[start]
        negatives = size - positives
        above = n_below[-1] - n_below[stop - 1]
        below = stop - n_below[stop - 1] - negatives
        span = slice(start[0], stop[-1])
        is_tied, span_positive = tied[span], is_positive[span]
        counts[span][is_tied] = np.where(
            span_positive[is_tied],
            np.repeat(2 * below + negatives, size),
            np.repeat(2 * above + positives, size),
        )


def _packed(score: FloatArray) -> tuple[WordArray, np.uint64]:
    """Pack the leading bits of each score and the record's position into integers.

    They are sorted faster than positions alone are. The second value has ones where the
    position is.
    """
    n = len(score)
    room = max(n - 1, 1).bit_length()
    low, high = (int(_keys(end)[0]) for end in (score.min()[None], score.max()[None]))
    dropped = np.uint64(max(0, (high - low).bit_length() + room - 64))
    packed = np.empty(n, dtype=np.uint64)
    for block in slices_of(n, BLOCK):
        keys = _keys(score[block]).view(np.uint64)
        keys -= np.uint64(low % (1 << 64))
        keys >>= dropped
        keys <<= np.uint64(room)
        keys |= np.arange(block.start, block.stop, dtype=np.uint64)
        packed[block] = keys
    return packed, np.uint64((1 << room) - 1)


def _sorted(packed: WordArray, score: FloatArray) -> WordArray:
    """Sort the integers that :func:`_packed` made of the scores.

    Many of them are first put into about as many steps as there are records. That leaves
    little to Timsort, which is fast on nearly sorted numbers and correct on any.
    """
    if not COUNTED <= len(score) < MOST_COUNTED:
        packed.sort()
        return packed
    steps = _steps(packed, score)
    # A column of a sparse matrix becomes rows by a counting sort of its row numbers. Both
    # kinds of indices are of four bytes, or scipy makes both of eight.
    ends = np.array([0, len(score)], dtype=np.int32)
    column = csc_array((packed, steps, ends), shape=(int(steps.max()) + 1, 1))
    near: WordArray = column.tocsr().data
    near.sort(kind="stable")
    return near


def _steps(packed: WordArray, score: FloatArray) -> IntArray:
    """Assign each score to a step; steps increase with the scores.

    Steps are even between the least and the greatest score, or even in the leading bits,
    which are nearly logarithms: whichever distinguishes more scores of a sample.
    """
    n = len(score)
    bits = min(MOST_BITS, n.bit_length() - 1)
    dropped = np.uint64(max(0, int(packed.max()).bit_length() - bits))
    low, width = float(score.min()), float(score.max()) - float(score.min())
    per_unit = ((1 << bits) - 1) / width if width else np.inf
    methods: list[Callable[[slice], Any]] = [lambda block: packed[block] >> dropped]
    if width < np.inf and per_unit < np.inf:
        # Subtraction and multiplication by a positive number keep the order, if rounded.
        methods.append(lambda block: (score[block] - low) * per_unit)
    sample = slice(None, None, n // SAMPLE)
    method = max(
        methods, key=lambda method: len(np.unique(method(sample).astype(np.int32)))
    )
    steps = np.empty(n, dtype=np.int32)
    for block in slices_of(n, BLOCK):
        steps[block] = method(block)
    return steps


def _keys(score: FloatArray) -> IntArray:
    """Map scores to integers of the same order, equal for 0.0 and -0.0."""
    # Floats of one sign are ordered as their bits are, which increase from 0 in size.
    bits = np.ascontiguousarray(score, dtype=np.float64).view(np.int64)
    sign = bits >> 63
    keys = bits & np.int64((1 << 63) - 1)
    keys ^= sign
    keys -= sign
    return keys


def _in_order(
    packed: WordArray, position: np.uint64, score: FloatArray, positive: BoolArray
) -> tuple[BoolArray, BoolArray]:
    """Return classes by increasing score, and whether each record ends a run of ties.

    Sorts `packed` again, in place, where the dropped bits of scores matter.
    """
    n = len(packed)
    is_positive, last = np.empty(n, dtype=bool), np.empty(n, dtype=bool)
    falls, previous = [], score[:0]
    for block in slices_of(n, BLOCK):
        order = _positions(packed[block], position)
        is_positive[block] = positive[order]
        # With the last score of the block before, so that neighbours are compared.
        ordered = np.concatenate([previous, score[order]])
        start, previous = block.stop - len(ordered), ordered[-1:]
        np.not_equal(ordered[1:], ordered[:-1], out=last[start : block.stop - 1])
        fallen = ordered[1:] < ordered[:-1]
        if fallen.any():
            falls.append(start + np.flatnonzero(fallen))
    last[-1] = True
    if falls:
        positions, ordered = _sort_again(packed, position, score, np.concatenate(falls))
        is_positive[positions] = positive[_positions(packed[positions], position)]
        last[positions[:-1]] = ordered[1:] != ordered[:-1]
    return is_positive, last


def _sort_again(
    packed: WordArray, position: np.uint64, score: FloatArray, falls: IntArray
) -> tuple[IntArray, FloatArray]:
    """Sort again within the runs of equal leading bits that are not in order.

    Returns the positions of these runs, and their scores, which differ between runs.
    """
    start = np.unique(np.searchsorted(packed, packed[falls] & ~position))
    stop = np.unique(np.searchsorted(packed, packed[falls] | position, side="right"))
    size = stop - start
    begin = np.cumsum(size) - size
    positions = np.repeat(start - begin, size) + np.arange(size.sum())
    numbers = packed[positions]
    ordered = score[_positions(numbers, position)]
    # Runs are in order, so that one sort serves all.
    again = np.argsort(ordered, kind="stable")
    packed[positions] = numbers[again]
    return positions, ordered[again]


def _positions(packed: WordArray, position: np.uint64) -> IntArray:
    return (packed & position).view(np.int64)


DEVICE_BLOCK = 1 << 20
"""Number of records on a device whose products are summed at a time.

Halves of the counts of fewer than 2**30 records are below 2**16, so that these sums are
below 2**53.
"""

LIMB = 19
"""Bits of the parts of long numbers: sums of a block's products stay below 2**53."""


class PlacementSums(NamedTuple):
    """AUCs and their covariances as fractions of integers.

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
    """0 where a class has one record only, so that its variance is unknown."""


def placement_sums(counts: IntArray, positive: NDArray[np.bool_]) -> PlacementSums:
    """Sum the counts of :func:`placement_counts_of`, of shape (n_scores, n_samples).

    With U the total of the counts c = 2 n V10 of the m positive records, the covariance
    of V10 between two scores is (m sum(c c') - U U') / (4 n² m (m - 1)), and that of V01
    likewise. Their shares of m and n (DeLong et al. 1988, equation for S) are brought to
    one denominator.
    """
    m = int(np.count_nonzero(positive))
    n = len(positive) - m
    xp = space_at(counts).xp
    totals = [
        int(xp.sum(counts[row, :], dtype=xp.int64)) // 2 for row in range(counts.shape[0])
    ]
    inside, outside = _products(counts, positive)
    return as_fractions(totals, inside, outside, m, n)


def cell_sums(
    counts: IntArray, positive: NDArray[np.bool_], repeats: IntArray
) -> PlacementSums:
    """Compute :func:`placement_sums` of cells, each of one or more records."""
    sides = [
        (int(repeats[side].sum()), *_weighted_products(counts[:, side], repeats[side]))
        for side in (positive, ~positive)
    ]
    (m, totals, inside), (n, _, outside) = sides
    return as_fractions(totals, inside, outside, m, n)


def as_fractions(
    totals: list[int], inside: list[list[int]], outside: list[list[int]], m: int, n: int
) -> PlacementSums:
    """Combine sums of counts, and of products by class, into fractions."""
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
    """Compute exact sums of products over the positive and over the negative records.

    Each count is split into a high and a low part, so short that the sums of a block are
    below 2**53, where matrix products of floats are exact.
    """
    (k, n), space = counts.shape, space_at(counts)
    shift = ((2 * n).bit_length() + 1) // 2
    mask = space.own(positive)
    sums = np.zeros((2, 2 * k, 2 * k), dtype=object)
    for block in slices_of(n, BLOCK if space is HOST else DEVICE_BLOCK):
        halves = _halves(counts[:, block], shift)
        of_positive = halves * space.floats(mask[block])
        inside, total = all_on_host(of_positive @ halves.T, halves @ halves.T)
        sums[0] += _whole(inside)
        sums[1] += _whole(total - inside)
    return _joined(sums[0], k, shift), _joined(sums[1], k, shift)


def _halves(block: Any, shift: int) -> Any:
    """Split counts into a high and a low part, as rows of floats."""
    low_bits = (1 << shift) - 1
    if is_foreign(block):
        space = space_at(block)
        return space.floats(space.xp.concat([block >> shift, block & low_bits]))
    k, n = block.shape
    halves = np.empty((2 * k, n))
    np.right_shift(block, shift, out=halves[:k], casting="unsafe")
    np.bitwise_and(block, block.dtype.type(low_bits), out=halves[k:], casting="unsafe")
    return halves


def _whole(values: Any) -> Any:
    return values.astype(np.int64).astype(object)


def _joined(sums: Any, k: int, shift: int) -> list[list[int]]:
    """Combine products of parts of counts into products of counts."""
    high, low, mixed = sums[:k, :k], sums[k:, k:], sums[:k, k:]
    return ((high << 2 * shift) + ((mixed + mixed.T) << shift) + low).tolist()


def _weighted_products(
    counts: IntArray, repeats: IntArray
) -> tuple[list[int], list[list[int]]]:
    """Compute exact sums of counts and of their products over cells.

    As :func:`_products`, but split into as many parts as the numbers need.
    """
    k, n = counts.shape
    width = int(counts.max(initial=1)).bit_length()
    heavy = width + int(repeats.max(initial=1)).bit_length()
    sums = np.zeros((k, k + 1), dtype=object)
    for rows in slices_of(n, BLOCK):
        block, weights = counts[:, rows], repeats[rows]
        weighted = (
            block * weights if heavy < 63 else block.astype(object) * weights.astype(object)
        )
        # A row of ones, so that the counts themselves are added as well.
        extended = np.vstack([block, np.ones_like(weights)])
        left, right = _limbs(weighted, heavy), _limbs(extended, width)
        for i, left_limb in enumerate(left):
            for j, right_limb in enumerate(right):
                sums += _whole(left_limb @ right_limb.T) << LIMB * (i + j)
    return sums[:, k].tolist(), sums[:, :k].tolist()


def _limbs(values: Any, width: int) -> list[NDArray[np.float64]]:
    """Split numbers of `width` bits into parts of `LIMB` bits, the lowest first."""
    mask = (1 << LIMB) - 1
    shifts = range(0, width, LIMB)
    return [((values >> shift) & mask).astype(np.float64) for shift in shifts]


def device_ranks(
    scores: Sequence[Any], positive: NDArray[np.bool_]
) -> tuple[tuple[IntArray, list[int]], PlacementSums] | None:
    """Rank checked scores on their device; return None for scores to be ranked in numpy.

    The values are those of :func:`placement_counts_of` and of :func:`placement_sums`.

    These are arrays of numpy, scores where a class has no record, and scores of too many
    records for the sums.
    """
    space = space_of(**{f"scores {k}": score for k, score in enumerate(scores, 1)})
    n, m = len(positive), int(np.count_nonzero(positive))
    if space is None or not 0 < m < n < SMALLER_COUNTS:
        return None
    mask = space.own(positive)
    ranked = [_ranked(space, _comparable(space, score), mask) for score in scores]
    counts = space.xp.stack([counts for counts, _ in ranked])
    rows = on_host(space.xp.astype(counts, space.xp.int32))
    rows.setflags(write=False)
    distinct = [distinct for _, distinct in ranked]
    return (rows, distinct), placement_sums(counts, positive)


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
    counts = xp.where(positive, below[level], above[level])
    return counts, k


def same_ranking(left: FloatArray, right: FloatArray) -> bool:
    """Whether two scores rank all rows in the same order, with the same ties."""
    if np.array_equal(left, right):
        return True
    order = np.lexsort((right, left))
    sorted_left, sorted_right = left[order], right[order]
    rises = sorted_right[1:] > sorted_right[:-1]
    falls = sorted_right[1:] < sorted_right[:-1]
    return bool(((sorted_left[1:] > sorted_left[:-1]) == rises).all() and not falls.any())
