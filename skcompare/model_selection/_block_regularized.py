"""Splitters for block-regularized m × 2 cross-validation."""

import warnings
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import permutations
from numbers import Integral
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_array, check_random_state, column_or_1d, indexable
from sklearn.utils.multiclass import type_of_target

from skcompare._core.design import Design
from skcompare.model_selection._hadamard import orthogonal_array

IntArray = NDArray[np.intp]

TRIED_ORDERS = 500
"""Number of random orders of the blocks that are tried for small classes."""

MOST_PERMUTED = 8
"""Largest number of blocks of which all orders are tried."""

UNHALVED = 2
"""Members of a class that never are in both halves of three repetitions or more."""


class SmallClass(NamedTuple):
    """Class with fewer members than blocks, or with members in fewer groups than blocks."""

    label: Any
    members: int
    is_halved: bool
    """Whether both halves of every repetition have a member."""


def deal_records(
    codes: IntArray, first_halves: NDArray[np.bool_], rng: np.random.RandomState
) -> IntArray:
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
    sizes: IntArray, first_halves: NDArray[np.bool_], rng: np.random.RandomState
) -> IntArray:
    """Draw an order of the blocks that puts every class in both halves, if possible.

    Four of eight blocks are a half, so three or four members of a class may all be in one.
    Three are in both halves of each repetition if the only column that does not separate
    them is unused, as two of seven columns are in 5 × 2.
    """
    n_blocks = len(first_halves)
    order: IntArray = rng.permutation(n_blocks)
    starts = np.cumsum(sizes) - sizes
    members = [
        (start + np.arange(size)) % n_blocks
        for start, size in zip(starts, sizes)
        if 1 < size < n_blocks
    ]

    def halved(orders: IntArray) -> NDArray[np.bool_]:
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
    best_order: IntArray = orders[int(halved(orders).sum(axis=1).argmax())]
    return best_order


def _are_halved(blocks: IntArray, first_halves: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether members in `blocks` (last axis) are in both halves of all repetitions."""
    in_first = first_halves[blocks]
    halved: NDArray[np.bool_] = (in_first.min(axis=-2) != in_first.max(axis=-2)).all(
        axis=-1
    )
    return halved


def deal_groups(counts: IntArray, n_blocks: int, rng: np.random.RandomState) -> IntArray:
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


def count_groups(codes: IntArray, groups: Any) -> tuple[IntArray, IntArray]:
    """Count the records of classes (columns) in groups (rows), and encode the groups."""
    groups = check_array(groups, ensure_2d=False, dtype=None, input_name="groups")
    names, members = np.unique(column_or_1d(groups), return_inverse=True)
    shape = len(names), int(codes.max()) + 1
    cells = np.bincount(members * shape[1] + codes, minlength=shape[0] * shape[1])
    return cells.reshape(shape), members


def small_classes_of(
    classes: NDArray[Any],
    codes: IntArray,
    reach: IntArray,
    blocks: IntArray,
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
    stratify : bool, default=True
        Whether to spread every class of `y` evenly over the blocks.
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

    With `groups`, all records of a group go to one block, the largest group first. With
    `stratify` a group goes where it least increases the spread of the class shares, as
    in :class:`~sklearn.model_selection.StratifiedGroupKFold`; among equals, and without
    `stratify`, to the smallest block. Sizes and overlaps are then only as even as the
    groups allow; :meth:`describe` reports how even.

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
        self, n_repeats: int = 5, *, stratify: bool = True, random_state: Any = None
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
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Generate training and test indices, two splits per repetition.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Records. Only their number is used.
        y : array-like of shape (n_samples,), default=None
            Class labels. Needed to stratify, ignored otherwise.
        groups : array-like of shape (n_samples,), default=None
            Groups of records that stay together, such as patients.

        Returns
        -------
        splits : iterator of (train, test)
            Sorted indices, ndarrays of shape (n_train,) and (n_test,).

        Raises
        ------
        ValueError
            If there are fewer records, or groups, than blocks, or a class to stratify by
            has so few members that a half must lack it.

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
    ) -> tuple[NDArray[np.bool_], IntArray, list[SmallClass]]:
        """Return which blocks are first halves, each record's block, and small classes."""
        first_halves = orthogonal_array(self._check_n_repeats())
        n_blocks = len(first_halves)
        X, y, groups = indexable(X, y, groups)
        n_records = X.shape[0] if hasattr(X, "shape") else len(X)
        self._check_enough(n_records, n_blocks, "records")
        classes, codes = None, np.zeros(n_records, dtype=np.intp)
        if is_stratified(self):
            classes, codes = encode_classes(y)
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
        n_repeats = self.n_repeats
        is_integer = isinstance(n_repeats, Integral) and not isinstance(n_repeats, bool)
        if is_integer and n_repeats >= 1:
            return int(n_repeats)
        raise ValueError(
            f"`n_repeats` must be an integer of at least 1. Got {n_repeats!r} instead. "
            "A repetition makes two splits; 5 repetitions are usual."
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
    stratify : bool, default=True
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

    def __init__(self, *, stratify: bool = True, random_state: Any = None) -> None:
        super().__init__(5, stratify=stratify, random_state=random_state)


def _splits_of_blocks(
    blocks: IntArray, first_halves: NDArray[np.bool_]
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield training and test indices, from the blocks (rows) of S of each repetition."""
    for first_half in first_halves.T:
        in_first = first_half[blocks]
        first, second = np.flatnonzero(in_first), np.flatnonzero(~in_first)
        yield first, second
        yield second.copy(), first.copy()


def _overlaps(sizes: IntArray, first_halves: NDArray[np.bool_]) -> list[int]:
    """Count the records shared by each pair of training sets of different repetitions."""
    training = np.hstack([first_halves, ~first_halves]).astype(np.intp)
    repetition = np.tile(np.arange(first_halves.shape[1]), 2)
    shared = training.T @ (sizes[:, np.newaxis] * training)
    return shared[repetition[:, np.newaxis] != repetition].tolist()


def is_stratified(splitter: Any) -> bool:
    """Check the parameter `stratify` of a splitter, and return it."""
    if isinstance(splitter.stratify, bool | np.bool_):
        return bool(splitter.stratify)
    raise ValueError(
        f"`stratify` must be True or False. Got {type(splitter.stratify).__name__} "
        "instead. The labels to stratify by are the `y` of `split`."
    )


def encode_classes(y: Any) -> tuple[NDArray[Any], IntArray]:
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biuUS":
        # These are labels whatever they are, and checking them takes longer than dealing.
        return np.unique(y, return_inverse=True)
    kind = "None" if y is None else type_of_target(y, input_name="y")
    if kind not in ("binary", "multiclass"):
        advice = "bin `y` first" if kind == "continuous" else "pass one column of labels"
        got = kind if y is None else f"a target of type {kind!r}"
        raise ValueError(
            "`y` must hold one class label a record to stratify by. "
            f"Got {got} instead. Use stratify=False, or {advice}."
        )
    labels = column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"))
    return np.unique(labels, return_inverse=True)
