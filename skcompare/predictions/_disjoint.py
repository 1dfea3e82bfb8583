"""One split as positions of training and test records, which share none."""

from typing import Any

import numpy as np

from skcompare._typing import IntArray

Split = tuple[IntArray, IntArray]


def disjoint_split(where: str, train: Any, test: Any, n: int | None = None) -> Split:
    """Positions of both parts; refuses empty parts, and records that are in both.

    Parameters
    ----------
    where : str
        Words for the split, at the beginning of a message: "Split 3".
    train, test : array-like
        Indices, or masks of the records.
    n : int, optional
        Number of records that were split, where it is known.
    """
    train, test = (_positions(where, part, n) for part in (train, test))
    if train.size == 0 or test.size == 0:
        raise ValueError(
            f"Each split must train and test on at least one record. {where} has "
            f"{train.size} training and {test.size} test records."
        )
    trained = np.zeros(1 + max(train.max(), test.max()), dtype=bool)
    trained[train] = True
    shared = int(np.count_nonzero(trained[test]))
    if shared:
        raise ValueError(
            f"{where} tests {shared} records that it trains on, which favours the "
            "classifier that remembers. Pass splits with disjoint training and test sets."
        )
    return train, test


def _positions(where: str, given: Any, n: int | None) -> IntArray:
    part = np.asarray(given)
    if part.dtype == bool and part.ndim == 1 and n in (None, len(part)):
        return np.flatnonzero(part)
    if part.size == 0:
        return part.astype(np.intp)
    whole = part.ndim == 1 and part.dtype.kind in "iu"
    if whole and part.min() >= 0 and (n is None or part.max() < n):
        return part
    found = (
        f"indices from {part.min()} to {part.max()}"
        if whole
        else f"values of type {part.dtype} and shape {part.shape}"
    )
    wanted = (
        "positions, or masks of the records"
        if n is None
        else f"indices from 0 to {n - 1}, or masks of {n} records"
    )
    raise ValueError(
        f"{where} must hold {wanted}. Got {found}. Pass the records that were split."
    )
