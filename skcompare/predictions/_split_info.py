"""User-declared information about the splits of scikit-learn's results."""

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
    """Check that both parts are non-empty and disjoint, and return them as positions.

    Parameters
    ----------
    where : str
        Name of the split at the beginning of a message: "Split 3".
    train, test : array-like
        Indices, or masks of the records.
    n : int, optional
        Number of records that were split, if known.
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


def _positions(where: str, indices: Any, n: int | None) -> IntArray:
    part = np.asarray(indices)
    if part.dtype == bool and part.ndim == 1 and n in (None, len(part)):
        return np.flatnonzero(part)
    if part.size == 0:
        return part.astype(np.intp)
    are_integers = part.ndim == 1 and part.dtype.kind in "iu"
    if are_integers and part.min() >= 0 and (n is None or part.max() < n):
        return part
    got = (
        f"indices from {part.min()} to {part.max()}"
        if are_integers
        else f"values of type {part.dtype} and shape {part.shape}"
    )
    expected = (
        "positions, or masks of the records"
        if n is None
        else f"indices from 0 to {n - 1}, or masks of {n} records"
    )
    raise ValueError(
        f"{where} must hold {expected}. Got {got}. Pass the records that were split."
    )


def recognised_design(splits: Sequence[Split], n: int, *, grouped: bool = False) -> Design:
    """Infer the design of splits of `n` records from the indices.

    One split is a hold-out. If each split trains on all records that it does not test, test
    sets with every record once are K-fold cross-validation, and several times a repeated
    one (5×2: with random halves); different test sets of the same size are a repeated
    hold-out. Everything else is "unknown", such as windows of a time series.

    Halves of a block-regularized cross-validation look like random ones: two halves of
    different repetitions share about n/4 records, as random halves of few records may,
    too. So "bcv" is never recognised and must be declared.
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
    n_folds = _folds_per_repetition(tests, n)
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
    """Whether training and test set together have every record once."""
    train, test = split
    if train.size + test.size != n:
        return False
    return bool((np.bincount(np.concatenate([train, test]), minlength=n) == 1).all())


def _folds_per_repetition(tests: Sequence[IntArray], n: int) -> int | None:
    """Return the number of folds per repetition, or None unless constant and complete."""
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
"""Designs whose number of repetitions does not follow from the number of splits."""


@dataclass(frozen=True, slots=True)
class SplitInfo:
    """User-declared information about splits; X, y and groups are the data."""

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
        """Whether both sizes are declared; raises an error if only one is declared."""
        if (self.n_train is None) != (self.n_test is None):
            raise ValueError("Pass both of `n_train` and `n_test`, or none. Got one.")
        return self.n_train is not None

    @property
    def n_records(self) -> int | None:
        """Number of records, or None if no data were passed."""
        data = self.X if self.y is None else self.y
        return None if data is None else n_rows(data)

    @property
    def can_split(self) -> bool:
        """Whether splits can be made: from a list always, from a number with `y`."""
        if self.y is not None:
            return True
        is_count = self.cv is None or isinstance(self.cv, Integral)
        has_split = hasattr(self.cv, "split")
        return not is_count and (not has_split or self.X is not None)

    def splitter(self) -> Any:
        """Return the splitter of `cv`, as scikit-learn's `check_cv` does."""
        if isinstance(self.cv, str):
            raise ValueError(
                "`cv` must be a splitter, a number of folds or an iterable of splits. Got "
                f"{self.cv!r}."
            )
        if isinstance(self.cv, Integral):
            check_count("cv", self.cv, least=2)
        return check_cv(self.cv, self.y, classifier=self.classifier)

    def split(self, splitter: Any) -> list[Any]:
        """Return the splits that a splitter makes of the records."""
        if self.groups is None and isinstance(splitter, _GROUPED):
            raise ValueError(
                f"{splitter} splits by groups. Got none. Pass the `groups` that the scores "
                "were made with."
            )
        X = self.X
        if X is None and self.y is not None:
            # Splitters use the number of records, and some use the labels.
            X = np.zeros((n_rows(self.y), 1))
        with warnings.catch_warnings():
            # Groups declare records as dependent, even if a splitter separates them.
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
            return list(splitter.split(X, self.y, groups=self.groups))

    def design_of(
        self, splitter: Any, n_splits: int, pairs: Sequence[Any] | None
    ) -> Design:
        """Return the design: declared, of the splitter, or inferred from indices."""
        grouped = self.groups is not None or isinstance(splitter, _GROUPED)
        if splitter is not None:
            self._check_n_splits(splitter, n_splits)
        recognised = Design("unknown", n_folds=n_splits, grouped=grouped)
        if pairs is not None:
            last = max(int(part.max()) for split in pairs for part in split)
            recognised = recognised_design(
                pairs, self.n_records or last + 1, grouped=grouped
            )
        if splitter is not None:
            splitter_design = design_of(splitter, n_splits, grouped=grouped)
            recognised = (
                recognised if splitter_design.kind == "unknown" else splitter_design
            )
        return (
            recognised
            if self.design is None
            else _declared_design(self.design, n_splits, recognised)
        )

    def _check_n_splits(self, splitter: Any, n_splits: int) -> None:
        """Raise an error if the splitter makes another number of splits."""
        try:
            count = splitter.get_n_splits(self.X, self.y, self.groups)
        except (AttributeError, TypeError, ValueError):
            # Some count records or groups, which were not passed.
            return
        if count != n_splits:
            raise ValueError(
                f"There are scores on {n_splits} test sets, but {splitter} makes {count} "
                "splits. Pass the `cv` that made the scores."
            )


def is_constant(splitter: Any) -> bool:
    """Whether a splitter makes the same splits each time."""
    # A splitter without `shuffle` shuffles if it has a random_state.
    seed = getattr(splitter, "random_state", 0)
    return isinstance(seed, Integral) or not getattr(splitter, "shuffle", True)


def sizes_are_constant(splitter: Any) -> bool:
    """Whether the sizes of a splitter's sets do not depend on shuffling."""
    return type(splitter) in _SAME_SIZES


def _declared_design(design: Design | str, n_splits: int, recognised: Design) -> Design:
    """Complete a declared design with the numbers of repetitions and folds."""
    declared = as_design(design)
    if isinstance(design, str):
        n_repeats, n_folds = 1, n_splits
        if declared.kind == "holdout":
            n_folds = 1
        elif declared.kind in HALVES:
            n_repeats, n_folds = n_splits // 2, 2
        elif declared.kind == "repeated holdout":
            n_repeats, n_folds = n_splits, 1
        elif declared.kind in _IN_ROWS:
            n_repeats, n_folds = recognised.n_repeats, recognised.n_folds
        declared = replace(declared, n_repeats=n_repeats, n_folds=n_folds)
    lacks_rows = declared.kind in _IN_ROWS and declared.n_repeats == 1
    if declared.n_splits != n_splits or lacks_rows:
        raise ValueError(
            f"The design {declared.kind!r} does not tell how {n_splits} splits are laid "
            "out. Pass the splitter that made them as `cv`."
        )
    return replace(declared, grouped=declared.grouped or recognised.grouped)
