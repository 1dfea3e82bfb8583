"""Tables of all splits of the epsilon data, without records.

The losses are fixed: no algorithm is trained. Then the table of a random test set depends
on the numbers of records of each kind alone, and is multivariate hypergeometric. It is
drawn here for many data sets at once.
"""

import numpy as np

from benchmarks.validity.splits.resampling.resampling_designs import (
    COSTLY,
    FOLDS,
    HALVINGS,
    HOLDOUTS,
    REPEATS,
    layout,
    n_train,
)
from skcompare.model_selection import BlockRegularizedMx2CV

N_RECORDS = 300
EPSILON = 0.1


def epsilon_tables(n_datasets, rng, *, costly=False):
    """Tables of all splits, of shape (n_datasets, splits, 4)."""
    n = N_RECORDS
    kinds = _draw_kinds(n, n_datasets, rng)
    where = layout(costly)
    tables = np.empty((n_datasets, max(s.stop for s in where.values()), 4), dtype=np.int16)
    small, large = n - n_train(n, "9n/10"), n - n_train(n, "2n/3")
    tables[:, where["repeated holdout"]] = _holdouts(kinds, large, HOLDOUTS, rng)
    tables[:, where["small holdout"]] = _holdouts(kinds, small, HOLDOUTS, rng)
    tables[:, where["10x10"]] = _folds(kinds, FOLDS, REPEATS, rng)
    tables[:, where["random 5x2"]] = _folds(kinds, 2, 5, rng)
    tables[:, where["3x2"]] = _blocked(kinds, 3, rng)
    tables[:, where["5x2"]] = _blocked(kinds, 5, rng)
    if costly:
        tables[:, where["replicates"]] = _holdouts(kinds, small, COSTLY["replicates"], rng)
        tables[:, where["halves"]] = _halves(kinds, small, rng)
    return tables


def _draw_kinds(n, n_datasets, rng):
    """Records that both, only the champion, only the challenger and neither answer."""
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


def _holdouts(kinds, n_test, number, rng):
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


def _folds(kinds, folds, repeats, rng):
    """Tables of repeated K-fold cross-validation, by repetition."""
    sizes = np.bincount(np.arange(kinds[0].sum()) % folds)
    sizes = np.broadcast_to(sizes, (len(kinds), folds))
    return np.concatenate([_deal(kinds, sizes, rng) for _ in range(repeats)], axis=1)


def _blocked(kinds, m, rng):
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


def _halves(kinds, n_test, rng):
    """Tables of the hold-outs of random halves, for the conservative Z."""
    n = int(kinds[0].sum())
    tables = []
    for _ in range(HALVINGS):
        first = _take(kinds, np.full(len(kinds), n // 2), rng)
        second = _take(kinds - first, np.full(len(kinds), n // 2), rng)
        tables += [_holdouts(half, n_test, HOLDOUTS, rng) for half in (first, second)]
    return np.concatenate(tables, axis=1)
