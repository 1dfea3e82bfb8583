"""Cells: records of one class and equal scores, counted instead of listed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._typing import FloatArray, IntArray

BoolArray = NDArray[np.bool_]

MOST_RECORDS = 1 << 61
"""Records whose doubled counts still fit into eight bytes."""

MOST_KEYS = 1 << 62

TABLE = 1 << 20
"""Whole scores below this are found in a table."""


def check_repeats(repeats: Any, n: int) -> IntArray:
    """Records of each cell, in an own array of int64."""
    array = np.asarray(repeats)
    if array.shape != (n,) or array.dtype.kind not in "iu" or (array < 0).any():
        raise ValueError(
            f"`repeats` must be whole numbers of records of shape ({n},), one a row of "
            f"scores. Got {array.dtype} of shape {array.shape}"
            f"{', some below 0' if array.dtype.kind == 'i' and (array < 0).any() else ''}. "
            "Round weights, or compare records one by one."
        )
    total = sum(array.tolist())
    if not 0 < total < MOST_RECORDS:
        raise ValueError(
            f"`repeats` must add up to 1 record at least, and fewer than 2**61. Got "
            f"{total}."
        )
    return array.astype(np.int64)


def combined_cells(
    positive: BoolArray, scores: FloatArray, repeats: IntArray
) -> tuple[BoolArray, FloatArray, IntArray]:
    """One cell for all of equal class and scores, sorted by these; none of no record."""
    some = repeats > 0
    if not some.all():
        positive, scores, repeats = positive[some], scores[:, some], repeats[some]
    key: IntArray = positive.astype(np.int64)
    n_keys = 2
    for score in scores:
        codes, n_values = _positions(score)
        if n_keys * n_values >= MOST_KEYS:
            found, key = np.unique(key, return_inverse=True)
            n_keys = len(found)
        key = key * n_values + codes
        n_keys *= n_values
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    totals = np.zeros(len(first), dtype=np.int64)
    np.add.at(totals, which, repeats)
    return positive[first], scores[:, first], totals


def totals_of_scores(
    score: FloatArray, positive: BoolArray, repeats: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Which of the different scores each cell has, and the records of each by class.

    Returns
    -------
    codes : ndarray of shape (n_cells,)
        Position among the different scores, which increase.
    positives, negatives : ndarray of shape (n_distinct,)
    """
    codes, n_values = _positions(score)
    totals = np.zeros(2 * n_values, dtype=np.int64)
    np.add.at(totals, codes + n_values * positive, repeats)
    return codes, totals[n_values:], totals[:n_values]


def _positions(score: FloatArray) -> tuple[IntArray, int]:
    """The position of each score among the different ones, and the number of these."""
    if score.min() >= 0 and score.max() < TABLE:
        whole = score.astype(np.int64)
        if (whole == score).all():
            # Levels are found in a table, which is quicker than sorting them.
            present = np.zeros(int(whole.max()) + 1, dtype=bool)
            present[whole] = True
            return (np.cumsum(present) - 1)[whole], int(np.count_nonzero(present))
    values, codes = np.unique(score, return_inverse=True)
    return codes, len(values)


def cell_counts(
    scores: FloatArray, positive: BoolArray, repeats: IntArray
) -> tuple[IntArray, list[int]]:
    """What ``placement_counts_of`` finds for a record of each cell.

    Twice the records of the other class that it outranks, a tie being 1, a row a score;
    and the number of different scores in each row.
    """
    counts = np.empty(scores.shape, dtype=np.int64)
    distinct = []
    for row, score in zip(counts, scores, strict=True):
        codes, p, q = totals_of_scores(score, positive, repeats)
        distinct.append(len(p))
        below, above = np.cumsum(q) - q, p.sum() - np.cumsum(p)
        row[:] = np.where(positive, (2 * below + q)[codes], (2 * above + p)[codes])
    return counts, distinct
