"""Splitters for block-regularized m × 2 cross-validation and repeated random hold-outs."""

import math
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import permutations
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator, ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_array, check_random_state, column_or_1d, indexable
from sklearn.utils.multiclass import type_of_target

from skcompare._core.design import Design
from skcompare._core.validation import check_count, check_numbers, is_number, is_whole
from skcompare._typing import IntArray
from skcompare.model_selection._hadamard import orthogonal_array

Positions = NDArray[np.intp]

TRIED_ORDERS = 500
"""Number of random orders of the blocks that are tried for small classes."""

MOST_PERMUTED = 8
"""Largest number of blocks of which all orders are tried."""

UNHALVED = 2
"""Members of a class that never are in both halves of three repetitions or more."""

QUANTILE = "quantile"
"""Value of `stratify` for a target of numbers, which are dealt in their order."""


class SmallClass(NamedTuple):
    """Class with fewer members than blocks, or with members in fewer groups than blocks."""

    label: Any
    members: int
    is_halved: bool
    """Whether both halves of every repetition have a member."""


def deal_records(
    codes: Positions, first_halves: NDArray[np.bool_], rng: np.random.RandomState
) -> Positions:
    """Deal shuffled records to blocks class by class, in one continuing round.

    Continuing the round from class to class keeps the block sizes within one.
    """
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    blocks = np.empty(len(codes), dtype=np.intp)
    round_ = _order_of_blocks(np.bincount(codes), first_halves, rng)
    blocks[by_class] = np.resize(round_, len(codes))
    return blocks


def _order_of_blocks(
    sizes: Positions, first_halves: NDArray[np.bool_], rng: np.random.RandomState
) -> Positions:
    """Draw an order of the blocks that puts every class in both halves, if possible.

    Four of eight blocks are a half, so three or four members of a class may all be in one.
    Three are in both halves of each repetition if the only column that does not separate
    them is unused, as two of seven columns are in 5 × 2.
    """
    n_blocks = len(first_halves)
    order: Positions = rng.permutation(n_blocks)
    starts = np.cumsum(sizes) - sizes
    members = [
        (start + np.arange(size)) % n_blocks
        for start, size in zip(starts, sizes)
        if 1 < size < n_blocks
    ]

    def halved(orders: Positions) -> NDArray[np.bool_]:
        """Mask of classes (columns) with members in both halves of every repetition."""
        mask = np.ones((len(orders), len(members)), dtype=bool)
        for column, places in zip(mask.T, members):
            column &= _are_halved(orders[:, places], first_halves)
        return mask

    if halved(order[np.newaxis]).all():
        return order
    orders = np.argsort(rng.random_sample((TRIED_ORDERS, n_blocks)), axis=1)
    # Leave out classes that no order halves.
    attainable: list[bool] = halved(orders).max(axis=0, initial=False).tolist()
    members = [positions for positions, ok in zip(members, attainable) if ok]
    if n_blocks <= MOST_PERMUTED and not halved(orders).all(axis=1).any():
        orders = np.array(list(permutations(rng.permutation(n_blocks))))
    best_order: Positions = orders[int(halved(orders).sum(axis=1).argmax())]
    return best_order


def _are_halved(blocks: Positions, first_halves: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether members in `blocks` (last axis) are in both halves of all repetitions."""
    in_first = first_halves[blocks]
    halved: NDArray[np.bool_] = (in_first.min(axis=-2) != in_first.max(axis=-2)).all(
        axis=-1
    )
    return halved


def deal_groups(counts: Positions, n_blocks: int, rng: np.random.RandomState) -> Positions:
    """Deal groups to blocks, largest first, balancing classes and then sizes.

    With one class this is the longest-processing-time-first rule.
    """
    shares = counts / counts.sum(axis=0)
    # A group g put into block b adds sum_k g_k (g_k + 2 b_k) to the sum of squared
    # shares. Only the second part depends on the block.
    squares = (shares**2).sum(axis=1)
    sizes = counts.sum(axis=1)
    shuffled = rng.permutation(len(counts))
    largest_first = shuffled[np.lexsort([-sizes[shuffled], -squares[shuffled]])]

    block_of = np.empty(len(counts), dtype=np.intp)
    block_shares = np.zeros((n_blocks, counts.shape[1]))
    block_sizes = np.zeros(n_blocks, dtype=np.intp)
    for group, draw in zip(largest_first, rng.random_sample(len(counts)), strict=True):
        growth = block_shares @ shares[group]
        # Equal sums may differ in the last bits.
        best = np.flatnonzero(growth <= growth.min() * (1 + 1e-9))
        best = best[block_sizes[best] == block_sizes[best].min()]
        block = best[int(draw * len(best))]
        block_of[group] = block
        block_shares[block] += shares[group]
        block_sizes[block] += sizes[group]
    return block_of


def code_runs(
    numbers: NDArray[np.float64], length: int, rng: np.random.RandomState
) -> Positions:
    """Encode which run of `length` successive numbers, in their order, each one is in.

    Equal numbers stand in random order. If a run has to be shorter it is the one in the
    middle, whose records are the least extreme.
    """
    n = len(numbers)
    n_below, rest = n // length // 2, n % length
    place = np.arange(n)
    after = n_below * length + rest
    runs = np.where(place < after, place, place + (length - rest) % length) // length
    shuffled = rng.permutation(n)
    codes = np.empty(n, dtype=np.intp)
    codes[shuffled[np.argsort(numbers[shuffled], kind="stable")]] = runs
    return codes


def count_groups(codes: Positions, groups: Any) -> tuple[Positions, Positions]:
    """Count the records of classes (columns) in groups (rows), and encode the groups."""
    groups = check_array(groups, ensure_2d=False, dtype=None, input_name="groups")
    names, members = np.unique(column_or_1d(groups), return_inverse=True)
    shape = len(names), int(codes.max()) + 1
    cells = np.bincount(members * shape[1] + codes, minlength=shape[0] * shape[1])
    return cells.reshape(shape), members


def small_classes_of(
    classes: NDArray[Any],
    codes: Positions,
    reach: Positions,
    blocks: Positions,
    first_halves: NDArray[np.bool_],
) -> list[SmallClass]:
    """Return the classes that cannot reach every block."""
    small = np.flatnonzero(reach < len(first_halves))
    halved = [bool(_are_halved(blocks[codes == code], first_halves)) for code in small]
    return [
        SmallClass(*values)
        for values in zip(
            classes[small].tolist(), reach[small].tolist(), halved, strict=True
        )
    ]


def check_small_classes(
    small_classes: Sequence[SmallClass], n_blocks: int, grouped: bool
) -> None:
    """Raise an error if a half must lack a class; warn if a block must lack one."""
    if not small_classes:
        return
    key = attrgetter("is_halved", "members")
    label, members, is_halved = min(small_classes, key=key)
    has = f"class {label!r} has {members} {'groups' if grouped else 'members'}"
    if not is_halved and members <= UNHALVED:
        raise ValueError(
            "Both halves of every repetition must have members of each class. Got too "
            f"few: {has}, and {UNHALVED + 1} would do. Collect more, leave it "
            "out, join it with another class, or use stratify=False."
        )
    halves = "few" if is_halved else "none"
    warnings.warn(
        f"The least populated {has}, fewer than the {n_blocks} blocks, so that some "
        f"training or test sets have {halves} of it.",
        stacklevel=3,
    )


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """Layout of the block-regularized splits of some records.

    Parameters
    ----------
    block_sizes : tuple of int
        Number of records in each block.
    min_overlap, max_overlap : int or None
        Fewest and most records that two training sets of different repetitions share;
        a quarter of all records is ideal. None with a single repetition.
    small_classes : tuple
        Labels of the classes that cannot reach every block, having fewer members (with
        groups: members in fewer groups) than there are blocks. Some training sets may
        hold few of them, or none. Empty without stratification.
    """

    block_sizes: tuple[int, ...]
    min_overlap: int | None
    max_overlap: int | None
    small_classes: tuple[Any, ...] = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of the flags for a report: "small-class", or none."""
        return ("small-class",) if self.small_classes else ()


class BlockRegularizedMx2CV(BaseCrossValidator):
    """Block-regularized m × 2 cross-validator with evenly overlapping training sets.

    Each of m repetitions halves the records and trains on either half in turn. With
    random halves the numbers of records shared by training sets of different
    repetitions vary, and with them the variance of an estimate. Here the records
    are dealt once to blocks, and a two-level orthogonal array says which blocks make up
    the first half of a repetition, so that two training sets of different repetitions
    always share a quarter of the records [1]_.

    Parameters
    ----------
    n_repeats : int, default=5
        Number m of repetitions; there are `2 * n_repeats` splits.
    stratify : bool or "quantile", default=True
        Whether to spread every class of `y` evenly over the blocks. "quantile" is for a
        `y` of numbers: each run of B records in the order of `y`, for B blocks, gives one
        to each block.
    random_state : int, RandomState instance or None, default=None
        Decides which records go to which block. Pass an int for the same splits at
        every call.

    See Also
    --------
    BlockRegularized5x2CV : The case of five repetitions.
    sklearn.model_selection.RepeatedStratifiedKFold : Random halves, with `n_splits=2`.

    Notes
    -----
    There are B blocks, the order of the smallest Hadamard matrix with more than m
    columns: 4 for m ≤ 3, 8 for m ≤ 7, 12 for m ≤ 11, and so on. With B = 8 the
    repetitions are those of Table III of [2]_. Splits come by repetition, first
    training on S and testing on its complement T, then the reverse.

    Without groups, block sizes differ by at most one, and so do the numbers of a class
    in them; which blocks are the larger ones is random. Let n be the number of records,
    r = n mod B, and s = min(r, B − r). Then

    * a training set has n/2 records to within s/2 ≤ B/4, and
    * two of different repetitions share n/4 to within min(3s, B − s)/4 ≤ 3B/16.

    If B divides n, both are exact; with B = 8 they are within 2 and 3/2. For a training
    set holds B/2 blocks, and two share B/4, because the array has strength 2. Of c blocks,
    k are among the r larger ones, max(0, r + c − B) ≤ k ≤ min(r, c), and their records
    exceed c n/B by k − c r/B. All choices of larger blocks occur, so the bounds are tight.

    The bounds hold for the members of one class too. The blocks are ordered so that both
    halves of every repetition have a member of each class, wherever there is such an
    order: in 5 × 2, for classes of three members or more. Two members are in one half of
    some repetition, and a single one always is, so that such a class is refused. A class
    with fewer members than blocks is warned of, and :meth:`describe` flags it.

    With ``stratify="quantile"`` the records are sorted by `y`, equal ones in random order,
    and cut into runs of B, whose records go to the B blocks in random order. If B does not
    divide n, the run in the middle has n mod B records, so that sizes and overlaps are as
    above. Of the records up to any value of `y`, two halves of a repetition have equal
    numbers to within B/2 = 4, or B = 8 if B does not divide n; without it they differ by
    about the square root of their number. Only the order of `y` matters. Of 200 records,
    the means of the halves then differ by 0.02 standard deviations and not by 0.14
    (``benchmarks/validity/regressors/resampled.py``).

    With `groups`, all records of a group go to one block, the largest group first. With
    `stratify` a group goes where it least increases the spread of the class shares, as
    in :class:`~sklearn.model_selection.StratifiedGroupKFold`; among equals, and without
    `stratify`, to the smallest block. For "quantile" the classes are at most B runs of `y`
    of equal length. Sizes and overlaps are then only as even as the groups allow;
    :meth:`describe` reports how even.

    References
    ----------
    .. [1] Wang, R., Wang, Y., Li, J., Yang, X. and Yang, J. (2017). "Block-regularized
       m × 2 cross-validated estimator of the generalization error". Neural Computation
       29 (2), 519-554.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms".
       arXiv:2304.03990.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.model_selection import BlockRegularizedMx2CV
    >>> X, y = np.zeros((16, 1)), np.repeat([0, 1], 8)
    >>> cv = BlockRegularizedMx2CV(n_repeats=3, random_state=0)
    >>> cv.get_n_splits()
    6
    >>> train_sets = [set(train) for train, test in cv.split(X, y)]
    >>> [len(train_sets[0] & other) for other in train_sets]
    [8, 0, 4, 4, 4, 4]
    """

    # `split` receives groups without a request, as scikit-learn's group splitters do.
    __metadata_request__split = {"groups": True}

    def __init__(
        self,
        n_repeats: int = 5,
        *,
        stratify: bool | str = True,
        random_state: Any = None,
    ) -> None:
        self.n_repeats = n_repeats
        self.stratify = stratify
        self.random_state = random_state

    @property
    def skcompare_design(self) -> Design:
        """Design of the splits, which determines the valid tests."""
        return Design("bcv", n_repeats=self._check_n_repeats(), n_folds=2)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored, exist for compatibility.

        Returns
        -------
        n_splits : int
            Two for each repetition.
        """
        return 2 * self._check_n_repeats()

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[Positions, Positions]]:
        """Generate training and test indices, two splits per repetition.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Records. Only their number is used.
        y : array-like of shape (n_samples,), default=None
            Class labels, or numbers. Needed to stratify, ignored otherwise.
        groups : array-like of shape (n_samples,), default=None
            Groups of records that stay together, such as patients.

        Returns
        -------
        splits : iterator of (train, test)
            Sorted indices, ndarrays of shape (n_train,) and (n_test,).

        Raises
        ------
        ValueError
            If there are fewer records, or groups, than blocks, if a class to stratify by
            has so few members that a half must lack it, or if `y` is not what `stratify`
            needs: one class label per record, or one finite number for "quantile".

        Warns
        -----
        UserWarning
            If a class to stratify by has fewer members than there are blocks.
        """
        rng = check_random_state(self.random_state)
        first_halves, blocks, small_classes = self._deal(X, y, groups, rng)
        check_small_classes(small_classes, len(first_halves), groups is not None)
        return _splits_of_blocks(blocks, first_halves)

    def describe(self, X: Any, y: Any = None, groups: Any = None) -> BlockLayout:
        """Describe the splits that the next call of `split` would make.

        No random numbers are consumed: a `RandomState`, even the global one, stays as it
        was.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        layout : BlockLayout
            Sizes of the blocks, overlaps of the training sets, and small classes.

        Examples
        --------
        >>> import numpy as np
        >>> from skcompare.model_selection import BlockRegularized5x2CV
        >>> y = np.repeat(["common", "rare"], [61, 5])
        >>> layout = BlockRegularized5x2CV(random_state=0).describe(y, y)
        >>> layout.min_overlap, layout.max_overlap
        (16, 18)
        >>> layout.small_classes, layout.flags
        (('rare',), ('small-class',))
        """
        rng = deepcopy(check_random_state(self.random_state))
        first_halves, blocks, small_classes = self._deal(X, y, groups, rng)
        sizes = np.bincount(blocks)
        overlaps = _overlaps(sizes, first_halves)
        return BlockLayout(
            tuple(sizes.tolist()),
            min(overlaps, default=None),
            max(overlaps, default=None),
            tuple(small.label for small in small_classes),
        )

    def _deal(
        self, X: Any, y: Any, groups: Any, rng: np.random.RandomState
    ) -> tuple[NDArray[np.bool_], Positions, list[SmallClass]]:
        """Return which blocks are first halves, each record's block, and small classes."""
        first_halves = orthogonal_array(self._check_n_repeats())
        n_blocks = len(first_halves)
        X, y, groups = indexable(X, y, groups)
        n_records = X.shape[0] if hasattr(X, "shape") else len(X)
        self._check_enough(n_records, n_blocks, "records")
        classes, codes = None, np.zeros(n_records, dtype=np.intp)
        if isinstance(self.stratify, str) and self.stratify == QUANTILE:
            # Groups cannot be dealt one by one: they balance as many runs as blocks.
            length = n_blocks if groups is None else math.ceil(n_records / n_blocks)
            codes = code_runs(numbers_of(y), length, rng)
        elif is_stratified(self, QUANTILE):
            classes, codes = encode_classes(y, "'quantile' for numbers")
        if groups is None:
            blocks = deal_records(codes, first_halves, rng)
            reach = np.bincount(codes)
        else:
            counts, members = count_groups(codes, groups)
            self._check_enough(len(counts), n_blocks, "groups")
            blocks = deal_groups(counts, n_blocks, rng)[members]
            reach = (counts > 0).sum(axis=0)
        if classes is None:
            return first_halves, blocks, []
        small_classes = small_classes_of(classes, codes, reach, blocks, first_halves)
        return first_halves, blocks, small_classes

    def _check_n_repeats(self) -> int:
        if is_whole(self.n_repeats) and self.n_repeats >= 1:
            return int(self.n_repeats)
        raise ValueError(
            f"`n_repeats` must be an integer of at least 1. Got {self.n_repeats!r} "
            "instead. A repetition makes two splits; 5 repetitions are usual."
        )

    def _check_enough(self, n: int, n_blocks: int, what: str) -> None:
        if n < n_blocks:
            raise ValueError(
                f"There must be at least {n_blocks} {what}, one for each block of "
                f"{self.n_repeats} repetitions. Got {n} instead. Collect more, or use "
                f"fewer repetitions in BlockRegularizedMx2CV: up to 3 need 4 {what}."
            )


class BlockRegularized5x2CV(BlockRegularizedMx2CV):
    """Block-regularized 5 × 2 cross-validator with evenly overlapping training sets.

    The splits of the block-regularized 5×2 cross-validated McNemar's test [1]_, equal to
    those of `BlockRegularizedMx2CV(5)`: four of 8 blocks make up a training set, and two
    training sets of different repetitions share two blocks. The Notes there say how even
    the splits are, and what happens to small classes and groups.

    Parameters
    ----------
    stratify : bool or "quantile", default=True
        As for :class:`BlockRegularizedMx2CV`.
    random_state : int, RandomState instance or None, default=None
        As for :class:`BlockRegularizedMx2CV`.

    References
    ----------
    .. [1] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms".
       arXiv:2304.03990.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from skcompare.model_selection import BlockRegularized5x2CV
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = BlockRegularized5x2CV(random_state=0)
    >>> cv
    BlockRegularized5x2CV(random_state=0, stratify=True)
    >>> len(cross_val_score(LogisticRegression(max_iter=1000), X, y, cv=cv))
    10
    """

    def __init__(self, *, stratify: bool | str = True, random_state: Any = None) -> None:
        super().__init__(5, stratify=stratify, random_state=random_state)


def _splits_of_blocks(
    blocks: Positions, first_halves: NDArray[np.bool_]
) -> Iterator[tuple[Positions, Positions]]:
    """Yield training and test indices, from the blocks (rows) of S of each repetition."""
    for first_half in first_halves.T:
        in_first = first_half[blocks]
        first, second = np.flatnonzero(in_first), np.flatnonzero(~in_first)
        yield first, second
        yield second.copy(), first.copy()


def _overlaps(sizes: Positions, first_halves: NDArray[np.bool_]) -> list[int]:
    """Count the records shared by each pair of training sets of different repetitions."""
    training = np.hstack([first_halves, ~first_halves]).astype(np.intp)
    repetition = np.tile(np.arange(first_halves.shape[1]), 2)
    shared = training.T @ (sizes[:, np.newaxis] * training)
    return shared[repetition[:, np.newaxis] != repetition].tolist()


def is_stratified(splitter: Any, other: str | None = None) -> bool:
    """Check the parameter `stratify` of a splitter, and return whether classes are spread.

    `other` is a further value that the splitter has, for an error message.
    """
    value = splitter.stratify
    if isinstance(value, bool | np.bool_):
        return bool(value)
    known = "True or False" if other is None else f"True, False or {other!r}"
    raise ValueError(
        f"`stratify` must be {known}. Got {type(value).__name__} instead. The labels to "
        "stratify by are the `y` of `split`."
    )


def numbers_of(y: Any) -> NDArray[np.float64]:
    """Check the target of numbers whose quantiles are balanced, and return it."""
    if y is None:
        raise ValueError(
            "`y` must hold one number per record for stratify='quantile'. Got None "
            "instead. Use stratify=False, or pass one column of numbers."
        )
    return check_numbers("y", y)


def encode_classes(
    y: Any, of_numbers: str = "bin `y` first"
) -> tuple[NDArray[Any], Positions]:
    """Return the classes of labels and the codes of these; `of_numbers` is advice."""
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biuUS":
        # These are labels whatever they are, and checking them takes longer than dealing.
        return np.unique(y, return_inverse=True)
    kind = "None" if y is None else type_of_target(y, input_name="y")
    if kind not in ("binary", "multiclass"):
        advice = of_numbers if kind == "continuous" else "pass one column of labels"
        got = kind if y is None else f"a target of type {kind!r}"
        raise ValueError(
            "`y` must hold one class label per record to stratify by. "
            f"Got {got} instead. Use stratify=False, or {advice}."
        )
    labels = column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"))
    return np.unique(labels, return_inverse=True)


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
