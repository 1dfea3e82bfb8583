"""Exact counts of records by code, and exact sums of counts."""

from typing import Any

import numpy as np

from skcompare._typing import IntArray

LARGEST_TABLE = 1 << 24
"""Number of cells of the largest table that is held, and returned, as a whole."""


def count_codes(codes: Any, k: int) -> tuple[IntArray, IntArray]:
    """Return the cells that occur and their counts, from aligned codes below `k`.

    A cell is the number whose digits to the base `k` are the codes.
    """
    n_cells = k ** len(codes)
    cell = codes[0].astype(np.min_scalar_type(-n_cells))
    for digits in codes[1:]:
        cell *= k
        cell += digits
    if n_cells <= min(LARGEST_TABLE, max(4 * len(cell), 1 << 16)):
        counts = np.bincount(cell, minlength=n_cells)
        occurring = np.flatnonzero(counts)
        return occurring, counts[occurring]
    return np.unique(cell, return_counts=True)


def groups_of(predictions: Any) -> IntArray | None:
    """Return the group of each prediction, or None if the records have none."""
    groups, records = predictions.groups, predictions.records
    return groups if groups is None or records is None else groups[records]


def sums_of(position: IntArray, counts: IntArray, n: int) -> IntArray:
    """Sum integer counts by position, without rounding."""
    totals = np.zeros(n, dtype=np.int64)
    np.add.at(totals, position, counts)
    return totals
