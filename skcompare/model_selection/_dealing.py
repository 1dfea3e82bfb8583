"""Which block each record goes to, class by class or group by group."""

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d

__all__ = ["count_groups", "deal_groups", "deal_records"]

IntArray = NDArray[np.intp]

TRIED_ORDERS = 500
"""Orders of the blocks that are tried where small classes ask for one."""

MOST_PERMUTED = 8
"""Blocks of which all orders are tried then."""


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
            first = first_halves[orders[:, places]]
            column &= (first.min(axis=1) != first.max(axis=1)).all(axis=1)
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
