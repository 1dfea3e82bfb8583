"""Exact counts of records by code: their checks, and exact sums."""

from typing import Any

import numpy as np

from skcompare._core.validation import check_labels, some_of
from skcompare._typing import IntArray

MOST_RECORDS = 2.0**62
"""Sums of fewer records stay whole numbers of 64 bits."""

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


def check_classes(classes: Any) -> np.ndarray:
    """Check that class labels are sorted and distinct; return a copy."""
    array = check_labels("classes", classes)
    if not len(array) or (array[:-1] >= array[1:]).any():
        raise ValueError(
            f"`classes` must be different labels in sorted order. Got {some_of(array)}. "
            "Sort them, and the counts with them."
        )
    return array.copy()


def check_whole(name: str, counts: Any) -> IntArray:
    """Check that counts are non-negative whole numbers; return them as int64."""
    array = np.asarray(counts)
    numbers = array.dtype.kind in "iuf" and bool(np.isfinite(array).all())
    numbers = numbers and float(np.abs(array).sum(dtype=float)) < MOST_RECORDS
    whole = array.astype(np.int64) if numbers else np.zeros(array.shape, dtype=np.int64)
    if not numbers or (whole != array).any() or (whole < 0).any():
        raise ValueError(f"`{name}` must hold whole counts of records, at least 0.")
    return whole
