"""From a `cv` argument to one checked list of splits and its design."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from skcompare._design import Design, design_of
from skcompare._typing import IntArray
from skcompare._validation import check_count
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import n_rows, seeded

__all__ = ["PREFIT", "Splits", "make_splits", "resolve_cv"]

PREFIT = "prefit"


@dataclass(frozen=True, slots=True)
class Splits:
    """Train and test indices, their design, and caveats about them."""

    pairs: list[tuple[IntArray, IntArray]]
    design: Design
    flags: tuple[str, ...]


def resolve_cv(cv: Any, y: Any, random_state: Any) -> Any:
    """The splitter behind a `cv` argument; one without a seed gets one, if any is set."""
    if cv is None:
        return BlockRegularized5x2CV(random_state=random_state)
    if isinstance(cv, str):
        raise ValueError(
            f"`cv` must be None, 'prefit', a splitter, a number of folds or an iterable of "
            f"splits. Got {cv!r}."
        )
    if isinstance(cv, int) and not isinstance(cv, bool):
        check_count("cv", cv, least=2)
    splitter = check_cv(cv, y, classifier=True)
    if random_state is not None and getattr(splitter, "random_state", 0) is None:
        return seeded(splitter, check_random_state(random_state))
    return splitter


def make_splits(splitter: Any, X: Any, y: np.ndarray, groups: Any, params: Any) -> Splits:
    """All splits of a splitter, made once, so that every classifier sees the same."""
    flags: tuple[str, ...] = ()
    if hasattr(splitter, "describe"):
        flags = splitter.describe(X, y, **params).flags
    pairs = [
        (np.asarray(train), np.asarray(test))
        for train, test in splitter.split(X, y, **params)
    ]
    if not pairs:
        raise ValueError(f"`cv` must give at least one split. Got none from {splitter}.")
    n = n_rows(X)
    pairs = [_checked(k, train, test, n) for k, (train, test) in enumerate(pairs)]
    design = design_of(splitter, len(pairs), grouped=groups is not None)
    return Splits(pairs, design, flags)


def _checked(k: int, train: IntArray, test: IntArray, n: int) -> tuple[IntArray, IntArray]:
    train, test = (_as_indices(k, part, n) for part in (train, test))
    if train.size == 0 or test.size == 0:
        raise ValueError(
            f"Each split must train and test on at least one record. Split {k} has "
            f"{train.size} training and {test.size} test records."
        )
    trained = np.zeros(n, dtype=bool)
    trained[train] = True
    shared = int(np.count_nonzero(trained[test]))
    if shared:
        raise ValueError(
            f"Split {k} tests {shared} records that it trains on, which favours the "
            "classifier that remembers. Pass splits with disjoint training and test sets."
        )
    return train, test


def _as_indices(k: int, part: np.ndarray, n: int) -> IntArray:
    if part.dtype == bool and part.shape == (n,):
        return np.flatnonzero(part)
    if part.size == 0:
        return part.astype(np.intp)
    if part.ndim != 1 or part.dtype.kind not in "iu" or part.min() < 0 or part.max() >= n:
        raise ValueError(
            f"Split {k} must hold indices from 0 to {n - 1}, or masks of {n} records. Got "
            f"values of type {part.dtype} and shape {part.shape}."
        )
    return part
