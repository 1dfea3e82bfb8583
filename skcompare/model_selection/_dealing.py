"""Which block each record goes to, class by class or group by group."""

import warnings
from collections.abc import Sequence
from itertools import permutations
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d

IntArray = NDArray[np.intp]

TRIED_ORDERS = 500
"""Orders of the blocks that are tried where small classes ask for one."""

MOST_PERMUTED = 8
"""Blocks of which all orders are tried then."""

UNHALVED = 2
"""Members of a class that no deal has in both halves of three repetitions or more."""


class SmallClass(NamedTuple):
    """A class with fewer members, or groups that have some, than there are blocks."""

    label: Any
    members: int
    is_halved: bool
    """Whether both halves of every repetition have a member."""


def deal_records(
    codes: IntArray, first_halves: NDArray[np.bool_], rng: np.random.RandomState
) -> IntArray:
    """Deal shuffled records class by class, in one round that goes on between classes.

    Going on, rather than starting again at each class, keeps the block sizes within one.
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
    """A random order by which each half has a member of every class, if there is one.

    Four of eight blocks are a half, so that three or four members of a class may all be in
    one. Three are in both halves of each repetition if the one column that would not tell
    them apart is none of those in use, as two of seven are not in 5 × 2.
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
        """Which classes (columns) have members in both halves of every repetition."""
        found = np.ones((len(orders), len(members)), dtype=bool)
        for column, places in zip(found.T, members):
            column &= _are_halved(orders[:, places], first_halves)
        return found

    if halved(order[np.newaxis]).all():
        return order
    orders = np.argsort(rng.random_sample((TRIED_ORDERS, n_blocks)), axis=1)
    # Nothing is to be found for a class that no order helps.
    can: list[bool] = halved(orders).max(axis=0, initial=False).tolist()
    members = [one for one, helped in zip(members, can) if helped]
    if n_blocks <= MOST_PERMUTED and not halved(orders).all(axis=1).any():
        orders = np.array(list(permutations(rng.permutation(n_blocks))))
    found: IntArray = orders[int(halved(orders).sum(axis=1).argmax())]
    return found


def _are_halved(blocks: IntArray, first_halves: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether members in these blocks (last axis) are in both halves of all repetitions."""
    first = first_halves[blocks]
    halved: NDArray[np.bool_] = (first.min(axis=-2) != first.max(axis=-2)).all(axis=-1)
    return halved


def deal_groups(counts: IntArray, n_blocks: int, rng: np.random.RandomState) -> IntArray:
    """Deal groups, largest first, so that classes and then sizes come out even.

    With one class this is the rule of the longest processing time first.
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
    """Count the classes (columns) in the groups (rows), and number the groups."""
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
    """The classes that cannot reach every block."""
    small = np.flatnonzero(reach < len(first_halves))
    halved = [bool(_are_halved(blocks[codes == code], first_halves)) for code in small]
    return [
        SmallClass(*one)
        for one in zip(classes[small].tolist(), reach[small].tolist(), halved, strict=True)
    ]


def check_small_classes(
    small_classes: Sequence[SmallClass], n_blocks: int, grouped: bool
) -> None:
    """Refuse a class that a half must lack; warn of one that a block must lack."""
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
