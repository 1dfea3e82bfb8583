"""Placement values of one score: what share of the other class a record outranks.

The placement of a positive record is the share of negative records with a lower score, and
that of a negative record the share of positive ones with a higher score; a tie counts a
half (DeLong, DeLong and Clarke-Pearson 1988, equations for V10 and V01). They are counted
from one sort, as the midranks of Sun and Xu (2014) are, and kept as whole numbers.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from skcompare._typing import FloatArray, IntArray

BoolArray = NDArray[np.bool_]
WordArray = NDArray[np.uint64]

SIDE_BY_SIDE = 1 << 16
"""Records from which scores are ranked two at a time; sorting leaves Python's lock."""

BLOCK = 1 << 15
"""Records that are handled at a time."""

COUNTED = 1 << 13
"""Records from which they are counted into steps before they are sorted."""

MOST_COUNTED = 1 << 31
MOST_BITS = 22
SAMPLE = 1 << 12

SMALLER_COUNTS = 1 << 30
"""Records below which the counts fit into four bytes."""


def placements(
    score: FloatArray, positive: BoolArray
) -> tuple[FloatArray, FloatArray, float]:
    """Placement values of the positive and of the negative records, and the AUC.

    Parameters
    ----------
    score : ndarray of shape (n_samples,), dtype float64
        Greater means more positive. Infinite scores are the greatest and the least; there
        must be no NaN.
    positive : ndarray of shape (n_samples,), dtype bool
        Whether a record is of the positive class.

    Returns
    -------
    v10, v01 : ndarray of shape (n_positives,) and (n_negatives,)
        In the order of the records.
    auc : float
        The mean of either; NaN, as the values are, where a class has no record.
    """
    values, auc = record_placements(score, positive)
    return values[positive], values[~positive], auc


def record_placements(score: FloatArray, positive: BoolArray) -> tuple[FloatArray, float]:
    """The placement value of every record in its class, and the AUC.

    As :func:`placements`, in an array of shape (n_samples,).
    """
    counts, _ = placement_counts(score, positive)
    m = int(np.count_nonzero(positive))
    n = len(positive) - m
    if not m or not n:
        return np.full(len(positive), np.nan), float("nan")
    auc = int(counts.sum(dtype=np.int64)) / (4 * m * n)
    values = np.multiply(counts, np.where(positive, 1 / (2 * n), 1 / (2 * m)))
    return np.asarray(values, dtype=np.float64), auc


def placement_counts(score: FloatArray, positive: BoolArray) -> tuple[IntArray, int]:
    """Twice the records of the other class that each record outranks, and the scores.

    A tie counts 1, so that the counts are whole and those of either class add up to
    ``2 * n_positives * n_negatives * AUC``. They depend on the order of the scores alone:
    an increasing function of the scores leaves every bit as it is. The second value is the
    number of different scores.
    """
    n = len(score)
    dtype: Any = np.int32 if n < SMALLER_COUNTS else np.int64
    packed, position = _packed(score)
    packed = _sorted(packed, score)
    is_positive, last = _in_order(packed, position, score, positive)
    n_below: IntArray = np.cumsum(is_positive, dtype=dtype)
    m = int(n_below[-1])
    # Without ties a positive record in place t (from 0) is above t + 1 less the positive
    # ones up to itself, and a negative one below the positive ones that are left.
    counts: IntArray = np.where(is_positive, np.arange(1, n + 1, dtype=dtype), dtype(m))
    counts -= n_below
    counts *= 2
    n_runs = int(np.count_nonzero(last))
    if n_runs < n:
        _share_ties(counts, is_positive, n_below, last)
    del n_below, is_positive
    result: IntArray = np.empty(n, dtype=dtype)
    for some in _blocks(n):
        result[_positions(packed[some], position)] = counts[some]
    return result, n_runs


def placement_counts_of(
    scores: FloatArray, positive: BoolArray
) -> tuple[IntArray, list[int]]:
    """:func:`placement_counts` of several scores, a row each; long ones two at a time."""
    alone = len(scores) == 1 or scores.shape[1] < SIDE_BY_SIDE or joblib.cpu_count() == 1
    if alone:
        found = [placement_counts(score, positive) for score in scores]
    else:
        with ThreadPoolExecutor(max_workers=2) as pool:
            found = list(pool.map(lambda score: placement_counts(score, positive), scores))
    return np.array([counts for counts, _ in found]), [distinct for _, distinct in found]


def _share_ties(
    counts: IntArray, is_positive: BoolArray, n_below: IntArray, last: BoolArray
) -> None:
    """Count ties of positive and negative records 1; all arrays by increasing score."""
    first = np.empty_like(last)
    first[0] = True
    first[1:] = last[:-1]
    starts, stops = np.flatnonzero(first & ~last), np.flatnonzero(last & ~first) + 1
    first &= last
    tied = np.logical_not(first, out=first)
    # So many runs at a time that their records are about a block.
    step = max(1, BLOCK * len(starts) // int(np.count_nonzero(tied)))
    for run in range(0, len(starts), step):
        start, stop = starts[run : run + step], stops[run : run + step]
        size = stop - start
        positives = n_below[stop - 1] - n_below[start] + is_positive[start]
        negatives = size - positives
        above = n_below[-1] - n_below[stop - 1]
        below = stop - n_below[stop - 1] - negatives
        some = slice(start[0], stop[-1])
        own, is_own = tied[some], is_positive[some]
        counts[some][own] = np.where(
            is_own[own],
            np.repeat(2 * below + negatives, size),
            np.repeat(2 * above + positives, size),
        )


def _packed(score: FloatArray) -> tuple[WordArray, np.uint64]:
    """Whole numbers that hold the leading bits of a score before the record's position.

    They are sorted faster than positions alone are. The second value has ones where the
    position is.
    """
    n = len(score)
    room = max(n - 1, 1).bit_length()
    low, high = (int(_keys(end)[0]) for end in (score.min()[None], score.max()[None]))
    dropped = np.uint64(max(0, (high - low).bit_length() + room - 64))
    packed = np.empty(n, dtype=np.uint64)
    for some in _blocks(n):
        words = _keys(score[some]).view(np.uint64)
        words -= np.uint64(low % (1 << 64))
        words >>= dropped
        words <<= np.uint64(room)
        words |= np.arange(some.start, some.stop, dtype=np.uint64)
        packed[some] = words
    return packed, np.uint64((1 << room) - 1)


def _sorted(packed: WordArray, score: FloatArray) -> WordArray:
    """Sort what :func:`_packed` made of the scores.

    Many of them are first put into about as many steps as there are records. That leaves
    little to Timsort, which is quick on what is nearly sorted and right on anything.
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
    """The number of the step that each score is in, in the order of the scores.

    Steps are even between the least and the greatest score, or even in the leading bits,
    which are nearly logarithms: whichever tells more of some scores apart.
    """
    n = len(score)
    bits = min(MOST_BITS, n.bit_length() - 1)
    dropped = np.uint64(max(0, int(packed.max()).bit_length() - bits))
    low, width = float(score.min()), float(score.max()) - float(score.min())
    per_unit = ((1 << bits) - 1) / width if width else np.inf
    ways: list[Callable[[slice], Any]] = [lambda some: packed[some] >> dropped]
    if width < np.inf and per_unit < np.inf:
        # Subtraction and multiplication by a positive number keep the order, if rounded.
        ways.append(lambda some: (score[some] - low) * per_unit)
    sample = slice(None, None, n // SAMPLE)
    way = max(ways, key=lambda way: len(np.unique(way(sample).astype(np.int32))))
    steps = np.empty(n, dtype=np.int32)
    for some in _blocks(n):
        steps[some] = way(some)
    return steps


def _keys(score: FloatArray) -> IntArray:
    """Whole numbers in the order of the scores; 0.0 and -0.0 are one."""
    # Floats of one sign are ordered as their bits are, which count up from 0 in size.
    bits = np.ascontiguousarray(score, dtype=np.float64).view(np.int64)
    sign = bits >> 63
    keys = bits & np.int64((1 << 63) - 1)
    keys ^= sign
    keys -= sign
    return keys


def _in_order(
    packed: WordArray, position: np.uint64, score: FloatArray, positive: BoolArray
) -> tuple[BoolArray, BoolArray]:
    """The classes by increasing score, and whether each record ends a run of ties.

    Sorts `packed` in place once more where bits of the scores that had no room matter.
    """
    n = len(packed)
    is_positive, last = np.empty(n, dtype=bool), np.empty(n, dtype=bool)
    falls, before = [], score[:0]
    for some in _blocks(n):
        order = _positions(packed[some], position)
        is_positive[some] = positive[order]
        # With the last score of the block before, so that neighbours are compared.
        ordered = np.concatenate([before, score[order]])
        start, before = some.stop - len(ordered), ordered[-1:]
        np.not_equal(ordered[1:], ordered[:-1], out=last[start : some.stop - 1])
        fallen = ordered[1:] < ordered[:-1]
        if fallen.any():
            falls.append(start + np.flatnonzero(fallen))
    last[-1] = True
    if falls:
        at, ordered = _sort_again(packed, position, score, np.concatenate(falls))
        is_positive[at] = positive[_positions(packed[at], position)]
        last[at[:-1]] = ordered[1:] != ordered[:-1]
    return is_positive, last


def _sort_again(
    packed: WordArray, position: np.uint64, score: FloatArray, falls: IntArray
) -> tuple[IntArray, FloatArray]:
    """Sort within the runs of equal leading bits in which a score falls.

    Returns where these runs are, and their scores, which differ between runs.
    """
    start = np.unique(np.searchsorted(packed, packed[falls] & ~position))
    stop = np.unique(np.searchsorted(packed, packed[falls] | position, side="right"))
    size = stop - start
    begin = np.cumsum(size) - size
    at = np.repeat(start - begin, size) + np.arange(size.sum())
    words = packed[at]
    ordered = score[_positions(words, position)]
    # Runs are in order, so that one sort serves all.
    again = np.argsort(ordered, kind="stable")
    packed[at] = words[again]
    return at, ordered[again]


def _positions(packed: WordArray, position: np.uint64) -> IntArray:
    return (packed & position).view(np.int64)


def _blocks(n: int) -> Iterator[slice]:
    """Slices of records whose scores stay in the processor's cache."""
    return (slice(start, min(n, start + BLOCK)) for start in range(0, n, BLOCK))
