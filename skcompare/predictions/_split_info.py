"""What a caller says of the splits behind scikit-learn's own results."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeavePGroupsOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

from skcompare._core.design import HALVES, HOLDOUT, Design, as_design, design_of
from skcompare._core.validation import check_count
from skcompare._typing import IntArray
from skcompare.predictions._indexing import n_rows

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


_GROUPED = (
    GroupKFold,
    GroupShuffleSplit,
    LeaveOneGroupOut,
    LeavePGroupsOut,
    StratifiedGroupKFold,
)

_SAME_SIZES = (
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

_IN_ROWS = ("repeated kfold", "replicated holdout", "holdout in halves")
"""Designs whose repetitions do not follow from the number of splits."""


@dataclass(frozen=True, slots=True)
class ToldOfSplits:
    """What a caller says of the splits; X, y and groups are what was split."""

    X: Any = None
    y: Any = None
    cv: Any = None
    groups: Any = None
    n_train: Any = None
    n_test: Any = None
    design: Design | str | None = None
    classifier: bool = True

    @property
    def has_sizes(self) -> bool:
        """Whether both sizes are told; one alone is refused."""
        if (self.n_train is None) != (self.n_test is None):
            raise ValueError("Pass both of `n_train` and `n_test`, or none. Got one.")
        return self.n_train is not None

    @property
    def n_records(self) -> int | None:
        """Number of records, where they are given."""
        given = self.X if self.y is None else self.y
        return None if given is None else n_rows(given)

    @property
    def can_split(self) -> bool:
        """Whether splits can be made: of a list always, by a number of folds with `y`."""
        if self.y is not None:
            return True
        is_count = self.cv is None or isinstance(self.cv, Integral)
        has_split = hasattr(self.cv, "split")
        return not is_count and (not has_split or self.X is not None)

    def splitter(self) -> Any:
        """The splitter behind `cv`, as scikit-learn understands it."""
        if isinstance(self.cv, str):
            raise ValueError(
                "`cv` must be a splitter, a number of folds or an iterable of splits. Got "
                f"{self.cv!r}."
            )
        if isinstance(self.cv, Integral):
            check_count("cv", self.cv, least=2)
        return check_cv(self.cv, self.y, classifier=self.classifier)

    def split(self, splitter: Any) -> list[Any]:
        """The splits that a splitter makes of these records."""
        if self.groups is None and isinstance(splitter, _GROUPED):
            raise ValueError(
                f"{splitter} splits by groups. Got none. Pass the `groups` that the scores "
                "were made with."
            )
        X = self.X
        if X is None and self.y is not None:
            # Splitters look at the number of records, and some at the labels.
            X = np.zeros((n_rows(self.y), 1))
        with warnings.catch_warnings():
            # Groups say that records are dependent, even if a splitter parts them.
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
            return list(splitter.split(X, self.y, groups=self.groups))

    def design_of(
        self, splitter: Any, n_splits: int, pairs: Sequence[Any] | None
    ) -> Design:
        """The design as told, else that of the splitter, else as the indices show it."""
        grouped = self.groups is not None or isinstance(splitter, _GROUPED)
        if splitter is not None:
            self._check_n_splits(splitter, n_splits)
        shown = Design("unknown", n_folds=n_splits, grouped=grouped)
        if pairs is not None:
            last = max(int(part.max()) for split in pairs for part in split)
            shown = recognised_design(pairs, self.n_records or last + 1, grouped=grouped)
        if splitter is not None:
            own = design_of(splitter, n_splits, grouped=grouped)
            shown = shown if own.kind == "unknown" else own
        return shown if self.design is None else _as_told(self.design, n_splits, shown)

    def _check_n_splits(self, splitter: Any, n_splits: int) -> None:
        """Refuse a splitter of another number of splits, where it can tell."""
        try:
            own = splitter.get_n_splits(self.X, self.y, self.groups)
        except (AttributeError, TypeError, ValueError):
            # Some count records or groups, which are not given.
            return
        if own != n_splits:
            raise ValueError(
                f"There are scores on {n_splits} test sets, but {splitter} makes {own} "
                "splits. Pass the `cv` that made the scores."
            )


def is_constant(splitter: Any) -> bool:
    """Whether a splitter makes the same splits each time."""
    # One without `shuffle` shuffles if it has a random_state.
    seed = getattr(splitter, "random_state", 0)
    return isinstance(seed, Integral) or not getattr(splitter, "shuffle", True)


def sizes_are_constant(splitter: Any) -> bool:
    """Whether sizes of training and test sets are the same however it shuffles."""
    return type(splitter) in _SAME_SIZES


def _as_told(design: Design | str, n_splits: int, shown: Design) -> Design:
    """A design with its repetitions and folds, which a name does not tell."""
    told = as_design(design)
    if isinstance(design, str):
        n_repeats, n_folds = 1, n_splits
        if told.kind == "holdout":
            n_folds = 1
        elif told.kind in HALVES:
            n_repeats, n_folds = n_splits // 2, 2
        elif told.kind == "repeated holdout":
            n_repeats, n_folds = n_splits, 1
        elif told.kind in _IN_ROWS:
            n_repeats, n_folds = shown.n_repeats, shown.n_folds
        told = replace(told, n_repeats=n_repeats, n_folds=n_folds)
    lacks_rows = told.kind in _IN_ROWS and told.n_repeats == 1
    if told.n_splits != n_splits or lacks_rows:
        raise ValueError(
            f"The design {told.kind!r} does not tell how {n_splits} splits are laid out. "
            "Pass the splitter that made them as `cv`."
        )
    return replace(told, grouped=told.grouped or shown.grouped)
