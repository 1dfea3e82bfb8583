"""Equal answers within a cluster, counted in one pass over any number of repetitions."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from skcompare._core.labels import united_classes
from skcompare._typing import IntArray
from skcompare.evidence._agreement import MOST_RECORDS
from skcompare.evidence._counting import LARGEST_TABLE, sums_of

AT_ONCE = 1 << 20
"""Answers that are counted at once, so that memory does not grow with repetitions."""

LARGEST_CODE = 1 << 62
"""Cells are numbered below it; more of them are sorted column by column."""


class ClusterCells(NamedTuple):
    """Cells that occur, sorted, and their records.

    A cell has a cluster (0 for all where each record is its own), the true class, and the
    answer of each classifier.
    """

    cells: IntArray
    counts: IntArray


def count_cells(
    parts: Iterable[Sequence[IntArray]],
    shape: Sequence[int],
    repeats: IntArray | None = None,
) -> ClusterCells:
    """Count the cells of parts, each of aligned codes below the numbers in `shape`.

    With `repeats`, how many records there are of each row, there is one part, and no row of
    it occurs twice.
    """
    if repeats is not None:
        (codes,) = parts
        return ClusterCells(np.stack(codes, axis=1).astype(np.int64), repeats)
    n_cells = int(np.prod([float(size) for size in shape]))
    if n_cells > LARGEST_CODE:
        return _reduced(ClusterCells(*_counted_rows(part)) for part in parts)
    dense = np.zeros(n_cells, dtype=np.int64) if n_cells <= LARGEST_TABLE else None
    found: list[ClusterCells] = []
    for part in parts:
        for start in range(0, len(part[0]), AT_ONCE):
            codes = [column[start : start + AT_ONCE] for column in part]
            number = _numbers(codes, shape)
            if dense is not None and n_cells <= 16 * len(number):
                dense += np.bincount(number, minlength=n_cells)
            elif dense is not None:
                np.add.at(dense, number, 1)
            else:
                unique, counts = np.unique(number, return_counts=True)
                found.append(ClusterCells(_digits(unique, shape), counts))
    if dense is not None:
        unique = np.flatnonzero(dense)
        return ClusterCells(_digits(unique, shape), dense[unique])
    return _reduced(found)


def _numbers(codes: Sequence[IntArray], shape: Sequence[int]) -> IntArray:
    number = codes[0].astype(np.int64)
    for column, size in zip(codes[1:], shape[1:], strict=True):
        number *= size
        number += column
    return number


def _digits(numbers: IntArray, shape: Sequence[int]) -> IntArray:
    return np.stack(np.unravel_index(numbers, tuple(shape)), axis=1)


def _counted_rows(part: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    rows = np.stack([column.astype(np.int64) for column in part], axis=1)
    return np.unique(rows, axis=0, return_counts=True)


def _reduced(found: Iterable[ClusterCells]) -> ClusterCells:
    """Counts of equal cells added, two lists at a time."""
    total: ClusterCells | None = None
    for one in found:
        total = one if total is None else _added(total, one)
    if total is None:
        raise ValueError("There must be at least one set of answers. Got none.")
    return total


def _added(one: ClusterCells, other: ClusterCells) -> ClusterCells:
    cells = np.concatenate([one.cells, other.cells])
    counts = np.concatenate([one.counts, other.counts])
    shape = (cells.max(axis=0) + 1).tolist()
    if np.prod([float(size) for size in shape]) > LARGEST_CODE:
        unique, where = np.unique(cells, axis=0, return_inverse=True)
        return ClusterCells(unique, sums_of(where.ravel(), counts, len(unique)))
    numbers, where = np.unique(_numbers(list(cells.T), shape), return_inverse=True)
    return ClusterCells(_digits(numbers, shape), sums_of(where, counts, len(numbers)))


def merged_cells(
    one: ClusterCells,
    other: ClusterCells,
    classes: tuple[np.ndarray, np.ndarray],
    groups: tuple[np.ndarray, np.ndarray] | None,
) -> tuple[ClusterCells, np.ndarray]:
    """The cells of two shards, among the classes and groups of both."""
    united = united_classes(*classes)
    known = None if groups is None else np.union1d(*groups)
    moved = []
    for k, part in enumerate((one, other)):
        group, labels = part.cells[:, 0], part.cells[:, 1:]
        if known is not None and groups is not None:
            group = np.searchsorted(known, groups[k])[group]
        labels = np.searchsorted(united, classes[k])[labels]
        moved.append(ClusterCells(np.column_stack([group, labels]), part.counts))
    return _added(*moved), united


def check_cells(cells: object, counts: object, shape: Sequence[int]) -> ClusterCells:
    """Cells and counts as a constructor takes them, sorted, without empty cells."""
    rows, often = np.asarray(cells), np.asarray(counts)
    whole = rows.ndim == 2 and rows.dtype.kind in "iu" and often.dtype.kind in "iu"
    if not whole or rows.shape != (len(often), len(shape)) or len(shape) < 4:
        raise ValueError(
            "`cells` must be positions of shape (n_cells, 2 + n_classifiers), and `counts` "
            f"whole numbers of shape (n_cells,). Got {rows.shape} of {rows.dtype} and "
            f"{often.shape} of {often.dtype}."
        )
    kept = often != 0
    rows, often = rows[kept].astype(np.int64), often[kept].astype(np.int64)
    if float(often.sum(dtype=float)) >= MOST_RECORDS:
        raise ValueError(
            f"`counts` must add up to less than {MOST_RECORDS:.3g} answers. Got more."
        )
    if not len(rows) or often.min() < 0 or rows.min() < 0 or (rows >= shape).any():
        raise ValueError(
            "`cells` must be positions below the numbers of groups and classes, "
            f"{list(shape)}, and `counts` at least 0, one of them above 0. Got others."
        )
    order, twice = _in_order(rows, shape)
    rows, often = rows[order], often[order]
    if twice:
        raise ValueError("Each of `cells` must occur once. Add the counts of equal cells.")
    return ClusterCells(rows, often)


def _in_order(rows: IntArray, shape: Sequence[int]) -> tuple[IntArray, bool]:
    """The order of sorted cells, and whether a cell occurs twice."""
    if np.prod([float(size) for size in shape]) > LARGEST_CODE:
        order = np.lexsort(rows.T[::-1])
        return order, bool((np.diff(rows[order], axis=0) == 0).all(axis=1).any())
    # Cells are mostly in order already, which a stable sort of numbers takes no time for.
    numbers = _numbers(list(rows.T), shape)
    order = np.argsort(numbers, kind="stable")
    return order, bool((np.diff(numbers[order]) == 0).any())


def tables_of(found: ClusterCells, n_groups: int) -> IntArray:
    """Right and wrong of two classifiers, group by group."""
    group, truth, first, second = found.cells.T
    kind = 3 - 2 * (first == truth).astype(np.int64) - (second == truth)
    return sums_of(group * 4 + kind, found.counts, 4 * n_groups).reshape(n_groups, 4)
