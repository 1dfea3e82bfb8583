"""Designs of random hold-outs that come more than once, as scikit-learn splitters."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from skcompare._core.design import Design
from skcompare._core.validation import check_count
from skcompare._typing import IntArray
from skcompare.model_selection._shuffle_design import ShuffleDesign, ShuffleLayout, Split


class ReplicatedShuffleSplit(ShuffleDesign):
    """Repeat a repeated hold-out, to see how much its mean varies by the splits.

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
        trained on.
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
    ``ShuffleSplit`` without `stratify`: two test sets may share records, and nothing keeps
    repetitions apart.

    To stratify, each class needs two members, and training and test sets need a record for
    each class; otherwise a ValueError says so. Groups are refused.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). "Inference for the generalization error."
       Machine Learning 52(3), 239-281.

    .. versionadded:: 0.1

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
        """The design of the splits, by which tests know whether they are valid."""
        repeats = 1 + check_count("n_replicates", self.n_replicates, least=2)
        return Design("replicated holdout", repeats, check_count("n_splits", self.n_splits))

    def _training_sizes(self, n_records: int, n_test: int) -> tuple[int, int | None]:
        return n_records - n_test, None

    def _drawn(
        self, layout: ShuffleLayout, codes: IntArray, rng: np.random.RandomState
    ) -> Iterator[Split]:
        sizes = layout.n_train, layout.n_test
        return self.holdouts(self.get_n_splits(), *sizes, codes, rng)


class HalvesShuffleSplit(ShuffleDesign):
    """Hold out records of all of them, and of both halves of random bisections.

    Estimates from two halves share no record, so that their distance tells how much an
    estimate varies from one data set to another, if of half the size: the conservative Z
    test of [1]_ uses it.

    Parameters
    ----------
    n_splits : int, default=15
        Number J of hold-outs of all records, and of each half.
    n_bisections : int, default=10
        Number M of random bisections; there are ``(1 + 2 * M) * J`` splits.
    test_size : float or int, default=0.1
        Share of all records to test on, rounded up, or their number. Hold-outs of a half
        test on just as many.
    stratify : bool, default=True
        Whether halves, training and test sets have the class shares of `y`.
    random_state : int, RandomState instance or None, default=None
        Decides which records come where. Pass an int for the same splits at every call.

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
    test sets need a record for each class; otherwise a ValueError says so. Groups are
    refused.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). "Inference for the generalization error."
       Machine Learning 52(3), 239-281.

    .. versionadded:: 0.1

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
        """The design of the splits, by which tests know whether they are valid."""
        repeats = 1 + 2 * check_count("n_bisections", self.n_bisections)
        return Design("holdout in halves", repeats, check_count("n_splits", self.n_splits))

    def _training_sizes(self, n_records: int, n_test: int) -> tuple[int, int | None]:
        return n_records - n_test, n_records // 2 - n_test

    def _drawn(
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
