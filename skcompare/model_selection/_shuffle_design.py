"""What designs of random hold-outs have in common: sizes, classes, and what they refuse."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import (
    BaseCrossValidator,
    ShuffleSplit,
    StratifiedShuffleSplit,
)
from sklearn.utils import check_random_state, indexable

from skcompare._core.design import Design
from skcompare._core.validation import is_number, is_whole
from skcompare._typing import IntArray
from skcompare.model_selection._block_regularized import encode_classes

LEAST_TRAINING = 2

MAY_BE_MISSING = "class-may-be-missing"

Split = tuple[IntArray, IntArray]


@dataclass(frozen=True, slots=True)
class ShuffleLayout:
    """What random hold-outs of some records look like.

    Parameters
    ----------
    n_train, n_test : int
        Records that a hold-out of all records trains and tests on.
    n_train_half : int or None
        Records that a hold-out of a half trains on; None without halves.
    small_classes : tuple
        Labels of the classes that have so few members that some training sets may hold
        none of them. Empty without stratification.

    .. versionadded:: 0.1
    """

    n_train: int
    n_test: int
    n_train_half: int | None = None
    small_classes: tuple[Any, ...] = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of what a report should mention: "class-may-be-missing", or nothing."""
        return (MAY_BE_MISSING,) if self.small_classes else ()


class ShuffleDesign(BaseCrossValidator):
    """Hold-outs of random records, in rows of `n_splits`."""

    _n_parts = 1
    """Disjoint parts of the records that are split on their own."""

    n_splits: int
    test_size: float
    stratify: bool
    random_state: Any

    @property
    @abstractmethod
    def skcompare_design(self) -> Design:
        """The design of the splits, by which tests know whether they are valid."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Count the splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored, exist for compatibility.

        Returns
        -------
        n_splits : int
            Hold-outs, over all rows of the design.
        """
        return self.skcompare_design.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Make the splits, row after row of the design.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Records. Only their number is used.
        y : array-like of shape (n_samples,), default=None
            Class labels. Needed to stratify, ignored otherwise.
        groups : None
            These designs have no grouped form, so that groups are refused.

        Returns
        -------
        splits : iterator of (train, test)
            Indices in random order, ndarrays of shape (n_train,) and (n_test,).
        """
        layout, codes = self._laid_out(X, y, groups)
        rng = check_random_state(self.random_state)
        return self._drawn(layout, codes, rng)

    def describe(self, X: Any, y: Any = None, groups: Any = None) -> ShuffleLayout:
        """Describe the splits, whatever the random numbers.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        layout : ShuffleLayout
            Sizes of training and test sets, and small classes.
        """
        layout, _ = self._laid_out(X, y, groups)
        return layout

    @abstractmethod
    def _drawn(
        self, layout: ShuffleLayout, codes: IntArray, rng: np.random.RandomState
    ) -> Iterator[Split]:
        """The splits of checked records; codes of one class without stratification."""

    @abstractmethod
    def _training_sizes(self, n_records: int, n_test: int) -> tuple[int, int | None]:
        """Records to train on, of all of them and of a half."""

    def _laid_out(self, X: Any, y: Any, groups: Any) -> tuple[ShuffleLayout, IntArray]:
        """Sizes of the splits and codes of the classes, checked."""
        if groups is not None:
            raise ValueError(
                f"{type(self).__name__} has no grouped form, because its test is about "
                "records that are drawn one by one. Got `groups`. Test a hold-out "
                "set of other groups (cv='prefit')."
            )
        self.get_n_splits()  # refuses numbers of splits that are none
        X, y = indexable(X, y)
        n_records = X.shape[0] if hasattr(X, "shape") else len(X)
        n_test = self._test_count(n_records)
        n_train, n_train_half = self._training_sizes(n_records, n_test)
        least = n_train if n_train_half is None else n_train_half
        if least < LEAST_TRAINING:
            raise ValueError(
                f"Each training set must have at least {LEAST_TRAINING} records. Got "
                f"{max(least, 0)} with test_size={self.test_size!r} of {n_records} "
                "records. Collect more records, or test on fewer of them."
            )
        if not self._check_stratify():
            layout = ShuffleLayout(n_train, n_test, n_train_half)
            return layout, np.zeros(n_records, dtype=np.intp)
        classes, codes = encode_classes(y)
        small = self._small_classes(classes, np.bincount(codes), least, n_test)
        return ShuffleLayout(n_train, n_test, n_train_half, small), codes

    def _small_classes(
        self, classes: Any, counts: IntArray, n_train: int, n_test: int
    ) -> tuple[Any, ...]:
        """Classes that training sets may lack; refuses what cannot be stratified."""
        n_parts = self._n_parts
        rare = classes[counts < 2 * n_parts]
        if rare.size:
            where = "in each half " if n_parts > 1 else ""
            raise ValueError(
                f"Each class must have at least 2 members {where}to stratify, "
                f"{2 * n_parts} in all. Got {int(counts.min())} of class "
                f"{classes[counts.argmin()].item()!r}. Merge rare classes, or use "
                "stratify=False."
            )
        if min(n_train, n_test) < len(classes):
            raise ValueError(
                f"Each training and test set must have a record for each of the "
                f"{len(classes)} classes to stratify. Got {n_train} training and "
                f"{n_test} test records. Change `test_size`, or use stratify=False."
            )
        # A class gets at least the whole part of its share of a training set.
        in_part = counts // n_parts
        certain = in_part * n_train // (int(counts.sum()) // n_parts)
        return tuple(classes[certain == 0].tolist())

    def _test_count(self, n_records: int) -> int:
        size = self.test_size
        if is_whole(size) and size >= 1:
            return int(size)
        if is_number(size) and 0 < size < 1:
            return math.ceil(size * n_records)
        raise ValueError(
            "`test_size` must be a number of records of at least 1, or a share between 0 "
            f"and 1. Got {size!r} instead."
        )

    def _check_stratify(self) -> bool:
        if isinstance(self.stratify, bool | np.bool_):
            return bool(self.stratify)
        raise ValueError(
            f"`stratify` must be True or False. Got {type(self.stratify).__name__} "
            "instead. The labels to stratify by are the `y` of `split`."
        )

    def holdouts(
        self, n_splits: int, n_train: int, n_test: int, codes: IntArray, rng: Any
    ) -> Iterator[Split]:
        """Random hold-outs, as scikit-learn draws them."""
        kind = StratifiedShuffleSplit if self.stratify else ShuffleSplit
        splitter = kind(n_splits, train_size=n_train, test_size=n_test, random_state=rng)
        return splitter.split(codes, codes)
