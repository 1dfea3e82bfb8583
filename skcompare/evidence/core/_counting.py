"""Exact counts of records by code: their checks, and exact sums."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from skcompare._core.validation import check_labels, some_of
from skcompare._typing import IntArray

MOST_RECORDS = 2.0**62
"""Sums of fewer records stay whole numbers of 64 bits."""

LARGEST_TABLE = 1 << 24
"""Number of cells of the largest table that is held, and returned, as a whole."""


LARGEST_CODE = 1 << 62
"""Limit of the cells that are numbered; more are sorted column by column."""


class CountedCells(NamedTuple):
    """Sorted cells that occur, and the number of records in each.

    A cell is a row of codes, such as the positions of a cluster (0 for all where each
    record is its own), of the true class, and of the prediction of each classifier.
    """

    cells: IntArray
    counts: IntArray


def count_codes(codes: Any, k: int) -> tuple[IntArray, IntArray]:
    """Return the cells that occur and their counts, from aligned codes below `k`.

    A cell is the number whose digits to the base `k` are the codes.
    """
    n_cells, cell = k ** len(codes), cell_numbers(codes, [k] * len(codes))
    if n_cells <= min(LARGEST_TABLE, max(4 * len(cell), 1 << 16)):
        counts = np.bincount(cell, minlength=n_cells)
        occurring = np.flatnonzero(counts)
        return occurring, counts[occurring]
    return np.unique(cell, return_counts=True)


def cell_numbers(codes: Sequence[IntArray], shape: Sequence[int]) -> IntArray:
    """Return the position of each row of codes in a table of a shape, in a short type."""
    number: IntArray = codes[0].astype(np.min_scalar_type(-1 - math.prod(shape)))
    for column, size in zip(codes[1:], shape[1:], strict=True):
        number *= size
        number += column
    return number


def cell_digits(numbers: IntArray, shape: Sequence[int]) -> IntArray:
    return np.stack(np.unravel_index(numbers, tuple(shape)), axis=1)


def added_cells(first: CountedCells, second: CountedCells) -> CountedCells:
    """Merge cells, adding the counts of equal ones."""
    cells = np.concatenate([first.cells, second.cells])
    counts = np.concatenate([first.counts, second.counts])
    shape = (cells.max(axis=0) + 1).tolist()
    if np.prod([float(size) for size in shape]) > LARGEST_CODE:
        unique, positions = np.unique(cells, axis=0, return_inverse=True)
        return CountedCells(unique, sums_of(positions.ravel(), counts, len(unique)))
    numbers, positions = np.unique(cell_numbers(list(cells.T), shape), return_inverse=True)
    totals = sums_of(positions, counts, len(numbers))
    return CountedCells(cell_digits(numbers, shape), totals)


def ordered_cells(cells: IntArray, counts: IntArray, shape: Sequence[int]) -> CountedCells:
    """Sort cells, whose codes are below `shape`; raise an error if one occurs twice."""
    if np.prod([float(size) for size in shape]) > LARGEST_CODE:
        order = np.lexsort(cells.T[::-1])
        repeated = (np.diff(cells[order], axis=0) == 0).all(axis=1).any()
    else:
        # Cells are mostly in order already, where a stable sort of numbers takes no time.
        numbers = cell_numbers(list(cells.T), shape)
        order = np.argsort(numbers, kind="stable")
        repeated = (np.diff(numbers[order]) == 0).any()
    if repeated:
        raise ValueError("Each of `cells` must occur once. Add the counts of equal cells.")
    return CountedCells(cells[order], counts[order])


@contextmanager
def located(check: Callable[[], object]) -> Iterator[None]:
    """Check all records if some are refused, so that the message locates the fault.

    Parameters
    ----------
    check : callable
        Raises the error about all records, in which positions are those among all.
    """
    try:
        yield
    except ValueError:
        check()
        raise


def groups_of(predictions: Any) -> IntArray | None:
    """Return the group of each prediction, or None if the records have none."""
    groups, records = predictions.groups, predictions.records
    return groups if groups is None or records is None else groups[records]


def sums_of(position: IntArray, counts: IntArray, n: int) -> IntArray:
    """Sum integer counts by position, without rounding."""
    totals = np.zeros(n, dtype=np.int64)
    np.add.at(totals, position, counts)
    return totals


def check_classes(name: str, classes: Any) -> np.ndarray:
    """Check that class labels are sorted and distinct; return a copy."""
    array = check_labels(name, classes)
    if not len(array) or (array[:-1] >= array[1:]).any():
        raise ValueError(
            f"`{name}` must be different labels in sorted order. Got {some_of(array)}. "
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
