"""The design of a list of splits, as far as its indices show it."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from skcompare._core.design import HOLDOUT, Design
from skcompare._typing import IntArray
from skcompare.predictions._disjoint import Split


def recognised_design(splits: Sequence[Split], n: int, *, grouped: bool = False) -> Design:
    """The design of splits of `n` records that nobody named.

    One split is a hold-out. Where each split trains on all records that it does not test,
    test sets that hold every record once make K-fold cross-validation, and again and again
    a repeated one (5×2: with random halves); different test sets of one size make a
    repeated hold-out. Everything else is "unknown", such as windows of a time series.

    Halves of a block-regularized cross-validation look like random ones: two halves of
    different repetitions share n/4 records or nearly so, which random halves of few
    records may do as well. So "bcv" is never recognised, it has to be told.
    """
    kind, n_repeats, n_folds = _recognised(splits, n)
    return Design(kind, n_repeats, n_folds, grouped)


def _recognised(splits: Sequence[Split], n: int) -> tuple[str, int, int]:
    unknown = "unknown", 1, len(splits)
    if len(splits) == 1:
        return HOLDOUT.kind, 1, 1
    if not all(_is_complete(split, n) for split in splits):
        return unknown
    tests = [test for _, test in splits]
    n_folds = _folds_a_repetition(tests, n)
    if n_folds is not None:
        n_repeats = len(splits) // n_folds
        if n_repeats == 1:
            return "kfold", 1, n_folds
        halves = (n_repeats, n_folds) == (5, 2)
        return "random 5x2" if halves else "repeated kfold", n_repeats, n_folds
    different = len({np.sort(test).tobytes() for test in tests}) == len(tests)
    if different and len({test.size for test in tests}) == 1:
        return "repeated holdout", len(tests), 1
    return unknown


def _is_complete(split: Split, n: int) -> bool:
    """Whether training and test set hold every record once, together."""
    train, test = split
    if train.size + test.size != n:
        return False
    return bool((np.bincount(np.concatenate([train, test]), minlength=n) == 1).all())


def _folds_a_repetition(tests: Sequence[IntArray], n: int) -> int | None:
    """The number of test sets, always the same, that hold every record once."""
    tested, n_tested, ends = np.zeros(n, dtype=bool), 0, [0]
    for position, test in enumerate(tests, start=1):
        if tested[test].any():
            return None
        tested[test] = True
        n_tested += test.size
        if n_tested == n:
            ends.append(position)
            tested[:], n_tested = False, 0
    lengths = {stop - start for start, stop in pairwise(ends)}
    return lengths.pop() if n_tested == 0 and len(lengths) == 1 else None
