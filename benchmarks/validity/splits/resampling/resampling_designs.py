"""All splits of one data set that the resampling tests ask for, and their tables.

The settings are those of Table V of the paper on the 5×2 BCV McNemar test
(arXiv:2304.03990, section 5). Its study does not stratify, nor do these splits.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skcompare.model_selection import BlockRegularized5x2CV, BlockRegularizedMx2CV

HOLDOUTS = 15
FOLDS = 10
REPEATS = 10
REPLICATES = 15
"""Replicates of the pseudo bootstrap."""
HALVINGS = 10
"""Random halvings of the conservative Z."""

N_RECORDS, EPSILON = 300, 0.1
"""Of the epsilon data."""

N_SPLITS = {
    "repeated holdout": HOLDOUTS,
    "small holdout": HOLDOUTS,
    "10x10": FOLDS * REPEATS,
    "random 5x2": 10,
    "3x2": 6,
    "5x2": 10,
}
"""Splits of each design: of n records, "repeated holdout" trains on 2n/3, and "small
holdout" on 9n/10. The single hold-out is the first of the former, the single 10-fold
cross-validation the first repetition of "10x10"."""

COSTLY = {
    "replicates": REPLICATES * HOLDOUTS,
    "halves": HALVINGS * 2 * HOLDOUTS,
}
"""More splits, of the pseudo bootstrap and of the conservative Z."""

SIZES = {"n/2": 1 / 2, "2n/3": 2 / 3, "9n/10": 9 / 10}
"""Numbers of training records at which the tests compare algorithms."""


def layout(costly):
    """Where the splits of each design stand among all splits."""
    numbers = N_SPLITS | (COSTLY if costly else {})
    ends = np.cumsum(list(numbers.values()))
    return {
        name: slice(int(end) - number, int(end))
        for (name, number), end in zip(numbers.items(), ends)
    }


def parts_of(tables):
    """The tables of each design, of tables of shape (..., splits, 4).

    The costly designs are those of a test: behind the small hold-outs of all records.
    """
    costly = tables.shape[-2] > sum(N_SPLITS.values())
    parts = {name: tables[..., where, :] for name, where in layout(costly).items()}
    for name in COSTLY if costly else ():
        whole = parts["small holdout"], parts[name]
        parts[name] = np.concatenate(whole, axis=-2)
    parts["holdout"] = parts["repeated holdout"][..., :1, :]
    parts["10 folds"] = parts["10x10"][..., :FOLDS, :]
    return parts


def n_train(n, size):
    """Training records that a size means, such as 200 of 300 for "2n/3"."""
    return round(SIZES[size] * n)


@dataclass(frozen=True)
class Splits:
    """Training and test records of every split, as masks of shape (splits, n)."""

    train: np.ndarray
    test: np.ndarray

    @cached_property
    def pairs(self):
        """Split and record of every prediction: two arrays."""
        return np.nonzero(self.test)

    def tables(self, champion_right, challenger_right):
        """Counts of each split by who was right, from the predictions of `pairs`.

        In the order of `skcompare.evidence.PairedBlocks`: both, only the champion, only
        the challenger, neither.
        """
        split = self.pairs[0]
        cell = 4 * split + 2 * ~champion_right + ~challenger_right
        counts = np.bincount(cell, minlength=4 * len(self.test))
        return counts.reshape(-1, 4).astype(np.int16)


def draw_splits(n, rng, *, costly=False):
    """Draw the splits of all designs, without regard to classes."""
    tests = [
        _holdouts(n, n - n_train(n, "2n/3"), HOLDOUTS, rng),
        _holdouts(n, n - n_train(n, "9n/10"), HOLDOUTS, rng),
        _folds(n, FOLDS, REPEATS, rng),
        _folds(n, 2, 5, rng),
        _blocked(BlockRegularizedMx2CV(3, **_plain(rng)), n),
        _blocked(BlockRegularized5x2CV(**_plain(rng)), n),
    ]
    if costly:
        tests.append(_holdouts(n, n - n_train(n, "9n/10"), COSTLY["replicates"], rng))
    test = np.concatenate(tests)
    train = ~test
    if costly:
        train_half, test_half = _holdouts_of_halves(n, rng)
        train = np.concatenate([train, train_half])
        test = np.concatenate([test, test_half])
    return Splits(train, test)


def _plain(rng):
    return {"stratify": False, "random_state": int(rng.integers(2**31))}


def _orders(n, number, rng):
    return rng.permuted(np.tile(np.arange(n), (number, 1)), axis=1)


def _holdouts(n, n_test, number, rng):
    """Masks of independent test sets."""
    return _orders(n, number, rng) < n_test


def _folds(n, folds, repeats, rng):
    """Masks of the test sets of repeated K-fold cross-validation, by repetition."""
    fold = _orders(n, repeats, rng) % folds
    return (fold[:, np.newaxis] == np.arange(folds)[:, np.newaxis]).reshape(-1, n)


def _blocked(cv, n):
    masks = np.zeros((cv.get_n_splits(), n), dtype=bool)
    for mask, (_, test) in zip(masks, cv.split(np.zeros(n))):
        mask[test] = True
    return masks


def _holdouts_of_halves(n, rng):
    """Hold-outs of random halves: by halving, then both halves, then hold-outs.

    Test sets are as large as those of the hold-outs of all records, so that training sets
    have floor(n/2) - n/10 records.
    """
    half = n // 2
    n_test = n - n_train(n, "9n/10")
    order = _orders(n, HALVINGS, rng)
    members = np.stack([order < half, (order >= half) & (order < 2 * half)], axis=1)
    members = np.repeat(members.reshape(-1, n), HOLDOUTS, axis=0)
    keys = np.where(members, rng.random(members.shape), 2.0)
    test = np.zeros_like(members)
    np.put_along_axis(test, np.argpartition(keys, n_test, axis=1)[:, :n_test], True, axis=1)
    return members & ~test, test


def epsilon_tables(n_datasets, rng, *, costly=False):
    """Tables of all splits of epsilon data, of shape (n_datasets, splits, 4).

    The losses are fixed: no algorithm is trained. Then the table of a random test set
    depends on the numbers of records of each kind alone, and is multivariate
    hypergeometric; no records are drawn.
    """
    n = N_RECORDS
    kinds = _draw_kinds(n, n_datasets, rng)
    small, large = n - n_train(n, "9n/10"), n - n_train(n, "2n/3")
    tables = [
        _holdout_tables(kinds, large, HOLDOUTS, rng),
        _holdout_tables(kinds, small, HOLDOUTS, rng),
        _fold_tables(kinds, FOLDS, REPEATS, rng),
        _fold_tables(kinds, 2, 5, rng),
        _block_tables(kinds, 3, rng),
        _block_tables(kinds, 5, rng),
    ]
    if costly:
        tables.append(_holdout_tables(kinds, small, COSTLY["replicates"], rng))
        tables.append(_half_tables(kinds, small, rng))
    return np.concatenate(tables, axis=1).astype(np.int16)


def _draw_kinds(n, n_datasets, rng):
    """Records that both, just the champion, just the challenger, and neither get right."""
    low, high = EPSILON / 2, 3 * EPSILON / 2
    halves = [
        [(1 - first) * (1 - second), (1 - first) * second, first * (1 - second)]
        for first, second in ((low, high), (high, low))
    ]
    return sum(
        rng.multinomial(n // 2, [*three, 1 - sum(three)], size=n_datasets)
        for three in halves
    )


def _take(kinds, n_taken, rng):
    """Records of each kind, on the last axis, among `n_taken` records at random."""
    taken = np.empty_like(kinds)
    left, rest = np.array(n_taken), kinds.sum(axis=-1)
    # The rare kinds first: the draws are then of small numbers.
    for kind in (3, 1, 2):
        rest = rest - kinds[..., kind]
        taken[..., kind] = rng.hypergeometric(kinds[..., kind], rest, left)
        left = left - taken[..., kind]
    taken[..., 0] = left
    return taken


def _holdout_tables(kinds, n_test, number, rng):
    shape = (len(kinds), number, 4)
    many = np.ascontiguousarray(np.broadcast_to(kinds[:, np.newaxis], shape))
    return _take(many, np.full(shape[:2], n_test), rng)


def _deal(kinds, sizes, rng):
    """Deal all records to sets of the given sizes, (data sets, sets)."""
    left = kinds.copy()
    parts = []
    for size in sizes.T[:-1]:
        parts.append(_take(left, size, rng))
        left = left - parts[-1]
    return np.stack([*parts, left], axis=1)


def _fold_tables(kinds, folds, repeats, rng):
    """Tables of repeated K-fold cross-validation, by repetition."""
    sizes = np.bincount(np.arange(kinds[0].sum()) % folds)
    sizes = np.broadcast_to(sizes, (len(kinds), folds))
    return np.concatenate([_deal(kinds, sizes, rng) for _ in range(repeats)], axis=1)


def _block_tables(kinds, m, rng):
    """Tables of an m × 2 block-regularized cross-validation."""
    first_halves, n_blocks = _plan(m)
    base = np.bincount(np.arange(kinds[0].sum()) % n_blocks)
    sizes = rng.permuted(np.tile(base, (len(kinds), 1)), axis=1)
    blocks = _deal(kinds, sizes, rng)
    trained = np.einsum("bm,dbk->dmk", first_halves, blocks)
    # Train on the first half and test on the other, then the reverse.
    tested = np.stack([kinds[:, np.newaxis] - trained, trained], axis=2)
    return tested.reshape(len(kinds), 2 * m, 4)


def _plan(m):
    """Which blocks make the first half of each repetition: one record a block."""
    n_blocks = 4 if m <= 3 else 8
    cv = BlockRegularizedMx2CV(m, stratify=False, random_state=0)
    plan = np.zeros((n_blocks, m), dtype=int)
    for j, (train, _) in enumerate(list(cv.split(np.zeros(n_blocks)))[::2]):
        plan[train, j] = 1
    return plan, n_blocks


def _half_tables(kinds, n_test, rng):
    """Tables of the hold-outs of random halves, for the conservative Z."""
    n = int(kinds[0].sum())
    tables = []
    for _ in range(HALVINGS):
        first = _take(kinds, np.full(len(kinds), n // 2), rng)
        second = _take(kinds - first, np.full(len(kinds), n // 2), rng)
        tables += [_holdout_tables(half, n_test, HOLDOUTS, rng) for half in (first, second)]
    return np.concatenate(tables, axis=1)
