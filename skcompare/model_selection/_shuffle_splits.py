"""Splitters for replicated random hold-outs, in the style of scikit-learn."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator, ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state, indexable

from skcompare._core.design import Design
from skcompare._core.validation import check_count, is_number, is_whole
from skcompare._typing import IntArray
from skcompare.model_selection._block_regularized import encode_classes, is_stratified

LEAST_TRAINING = 2

MAY_BE_MISSING = "class-may-be-missing"

Split = tuple[IntArray, IntArray]


@dataclass(frozen=True, slots=True)
class ShuffleLayout:
    """Layout of the random hold-outs of some records.

    Parameters
    ----------
    n_train, n_test : int
        Numbers of training and test records in a hold-out of all records.
    n_train_half : int or None
        Number of training records in a hold-out of a half; None without halves.
    small_classes : tuple
        Labels of the classes with so few members that some training sets may have none of
        them. Empty without stratification.
    """

    n_train: int
    n_test: int
    n_train_half: int | None = None
    small_classes: tuple[Any, ...] = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of the flags for a report: "class-may-be-missing", or none."""
        return (MAY_BE_MISSING,) if self.small_classes else ()


class ShuffleDesign(BaseCrossValidator):
    """Base class of splitters for random hold-outs, in rows of `n_splits`."""

    _n_parts = 1
    """Number of disjoint parts of the records that are split separately."""

    n_splits: int
    test_size: float
    stratify: bool
    random_state: Any

    @property
    @abstractmethod
    def skcompare_design(self) -> Design:
        """Design of the splits, which determines the valid tests."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored, exist for compatibility.

        Returns
        -------
        n_splits : int
            Number of hold-outs in all rows of the design.
        """
        return self.skcompare_design.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Generate training and test indices, row by row of the design.

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
        layout, codes = self._check_layout(X, y, groups)
        rng = check_random_state(self.random_state)
        return self._draw(layout, codes, rng)

    def describe(self, X: Any, y: Any = None, groups: Any = None) -> ShuffleLayout:
        """Describe the splits, independently of the random numbers.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        layout : ShuffleLayout
            Sizes of training and test sets, and small classes.
        """
        layout, _ = self._check_layout(X, y, groups)
        return layout

    @abstractmethod
    def _draw(
        self, layout: ShuffleLayout, codes: IntArray, rng: np.random.RandomState
    ) -> Iterator[Split]:
        """Draw the splits; without stratification, all codes are the same."""

    def _check_layout(self, X: Any, y: Any, groups: Any) -> tuple[ShuffleLayout, IntArray]:
        """Check the input, and return the layout and the codes of the classes."""
        if groups is not None:
            raise ValueError(
                f"{type(self).__name__} has no grouped form, because its test is about "
                "records that are drawn one by one. Got `groups`. Test a hold-out "
                "set of other groups (cv='prefit')."
            )
        self.get_n_splits()  # checks the number of splits
        X, y = indexable(X, y)
        n_records = X.shape[0] if hasattr(X, "shape") else len(X)
        n_test = self._test_count(n_records)
        smallest = n_records // self._n_parts - n_test
        n_train, n_train_half = n_records - n_test, smallest if self._n_parts > 1 else None
        if smallest < LEAST_TRAINING:
            raise ValueError(
                f"Each training set must have at least {LEAST_TRAINING} records. Got "
                f"{max(smallest, 0)} with test_size={self.test_size!r} of {n_records} "
                "records. Collect more records, or test on fewer of them."
            )
        if not is_stratified(self):
            layout = ShuffleLayout(n_train, n_test, n_train_half)
            return layout, np.zeros(n_records, dtype=np.intp)
        classes, codes = encode_classes(y)
        small_classes = self._small_classes(classes, np.bincount(codes), smallest, n_test)
        return ShuffleLayout(n_train, n_test, n_train_half, small_classes), codes

    def _small_classes(
        self, classes: Any, counts: IntArray, n_train: int, n_test: int
    ) -> tuple[Any, ...]:
        """Return classes that training sets may lack; raise an error for too small ones."""
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
        # A class has at least the integer part of its share of a training set.
        in_part = counts // n_parts
        guaranteed = in_part * n_train // (int(counts.sum()) // n_parts)
        return tuple(classes[guaranteed == 0].tolist())

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

    def holdouts(
        self, n_splits: int, n_train: int, n_test: int, codes: IntArray, rng: Any
    ) -> Iterator[Split]:
        """Draw random hold-outs with the splitters of scikit-learn."""
        kind = StratifiedShuffleSplit if self.stratify else ShuffleSplit
        splitter = kind(n_splits, train_size=n_train, test_size=n_test, random_state=rng)
        return splitter.split(codes, codes)


class ReplicatedShuffleSplit(ShuffleDesign):
    """Replications of a repeated hold-out, to estimate the variance of its mean.

    The first `n_splits` hold-outs are the estimate, and `n_replicates` times as many
    follow. The pseudo bootstrap of [1]_ takes its variance from the means of these.

    Parameters
    ----------
    n_splits : int, default=15
        Number J of hold-outs in a repetition.
    n_replicates : int, default=15
        Number R of further repetitions, at least 2; there are ``(1 + R) * J`` splits.
    test_size : float or int, default=0.1
        Share of the records to test on, rounded up, or their number. All others are
        training records.
    stratify : bool, default=True
        Whether training and test sets have the class shares of `y`.
    random_state : int, RandomState instance or None, default=None
        Decides which records are tested. Pass an int for the same splits at every call.

    See Also
    --------
    skcompare.stats.corrected_pseudo_bootstrap_t : The test of this design.
    sklearn.model_selection.StratifiedShuffleSplit : One repetition, which a corrected t
        test needs.

    Notes
    -----
    The splits are those of scikit-learn's ``StratifiedShuffleSplit((1 + R) * J)``, or of
    ``ShuffleSplit`` without `stratify`: two test sets may share records, and repetitions
    are not disjoint.

    To stratify, each class needs two members, and training and test sets need a record for
    each class; otherwise a ValueError is raised. Groups are refused.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). "Inference for the generalization error."
       Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.model_selection import ReplicatedShuffleSplit
    >>> X, y = np.zeros((40, 1)), np.repeat([0, 1], 20)
    >>> cv = ReplicatedShuffleSplit(n_splits=3, n_replicates=4, random_state=0)
    >>> cv.get_n_splits()
    15
    >>> {(len(train), len(test)) for train, test in cv.split(X, y)}
    {(36, 4)}
    """

    def __init__(
        self,
        n_splits: int = 15,
        *,
        n_replicates: int = 15,
        test_size: float = 0.1,
        stratify: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_splits = n_splits
        self.n_replicates = n_replicates
        self.test_size = test_size
        self.stratify = stratify
        self.random_state = random_state

    @property
    def skcompare_design(self) -> Design:
        """Design of the splits, which determines the valid tests."""
        repeats = 1 + check_count("n_replicates", self.n_replicates, least=2)
        return Design("replicated holdout", repeats, check_count("n_splits", self.n_splits))

    def _draw(
        self, layout: ShuffleLayout, codes: IntArray, rng: np.random.RandomState
    ) -> Iterator[Split]:
        sizes = layout.n_train, layout.n_test
        return self.holdouts(self.get_n_splits(), *sizes, codes, rng)


class HalvesShuffleSplit(ShuffleDesign):
    """Hold-outs of all records, and of both halves of random bisections.

    Estimates from two halves share no record, so that their distance shows how much an
    estimate varies between data sets of half the size: the conservative Z test of [1]_
    uses it.

    Parameters
    ----------
    n_splits : int, default=15
        Number J of hold-outs of all records, and of each half.
    n_bisections : int, default=10
        Number M of random bisections; there are ``(1 + 2 * M) * J`` splits.
    test_size : float or int, default=0.1
        Share of all records to test on, rounded up, or their number. Hold-outs of a half
        test on the same number.
    stratify : bool, default=True
        Whether halves, training and test sets have the class shares of `y`.
    random_state : int, RandomState instance or None, default=None
        Decides the sets of the records. Pass an int for the same splits at every call.

    See Also
    --------
    skcompare.stats.conservative_z : The test of this design.
    sklearn.model_selection.StratifiedShuffleSplit : One repetition, which a corrected t
        test needs, at much less cost.

    Notes
    -----
    The first J hold-outs are of all n records. For each bisection there follow J of its
    one half, then J of the other. A half has n // 2 records, so that one record is left
    out if n is odd. With n2 records to test on, hold-outs of all records train on n - n2
    of them, and those of a half on ``n // 2 - n2``, which must be 2 at least.

    To stratify, each class needs two members in each half, four in all, and training and
    test sets need a record for each class; otherwise a ValueError is raised. Groups are
    refused.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). "Inference for the generalization error."
       Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.model_selection import HalvesShuffleSplit
    >>> X, y = np.zeros((40, 1)), np.repeat([0, 1], 20)
    >>> cv = HalvesShuffleSplit(n_splits=2, n_bisections=1, random_state=0)
    >>> [(len(train), len(test)) for train, test in cv.split(X, y)]
    [(36, 4), (36, 4), (16, 4), (16, 4), (16, 4), (16, 4)]
    """

    _n_parts = 2

    def __init__(
        self,
        n_splits: int = 15,
        *,
        n_bisections: int = 10,
        test_size: float = 0.1,
        stratify: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_splits = n_splits
        self.n_bisections = n_bisections
        self.test_size = test_size
        self.stratify = stratify
        self.random_state = random_state

    @property
    def skcompare_design(self) -> Design:
        """Design of the splits, which determines the valid tests."""
        repeats = 1 + 2 * check_count("n_bisections", self.n_bisections)
        return Design("holdout in halves", repeats, check_count("n_splits", self.n_splits))

    def _draw(
        self, layout: ShuffleLayout, codes: IntArray, rng: np.random.RandomState
    ) -> Iterator[Split]:
        sizes = layout.n_train, layout.n_test
        yield from self.holdouts(self.n_splits, *sizes, codes, rng)
        half = len(codes) // 2
        sizes = half - layout.n_test, layout.n_test
        for halves in self.holdouts(self.n_bisections, half, half, codes, rng):
            for records in halves:
                splits = self.holdouts(self.n_splits, *sizes, codes[records], rng)
                for train, test in splits:
                    yield records[train], records[test]
