"""Tables of many data sets, drawn in parts."""

import warnings
from contextlib import contextmanager

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.validity.splits.bcv_learners import Splits, fit
from benchmarks.validity.splits.bcv_measures import (
    MEASURES,
    Folds,
    Table,
    fold_table,
    measure,
    table,
)
from benchmarks.validity.splits.bcv_worlds import (
    draw_blocks,
    draw_classes,
    draw_features,
    draw_folds,
    halves_of,
)

PART, PILOT = 500, 100
"""Data sets that are drawn, and kept, together; and those that a strength is sought on."""
FAR = 2.4
"""Standard deviations that a mean difference is away from 0 where the published test finds
about half of the data sets."""


def simulate(pair, n_draws, rng, value=None, kfold=None):
    """Tables of data sets on which both learners have two records of a class to learn.

    `value` is the strength of the challenger's features where it is not that of the
    champion's; `kfold` has the folds and repetitions of a K-fold cross-validation.
    """
    batch = max(4, min(100, 40000 // pair.world.n))
    parts = [
        _batch(pair, min(batch, n_draws - start), rng, value, kfold)
        for start in range(0, n_draws, batch)
    ]
    return Table.joined(parts)


def _batch(pair, n_draws, rng, value, kfold):
    world = pair.world
    # Own streams, so that two learners meet the same records as two others.
    streams = rng.spawn(4)
    y = draw_classes(world, n_draws, streams[0])
    if kfold is None:
        blocks = draw_blocks(world, y, streams[0])
        fold, n_folds = halves_of(blocks, world.n_repeats), 2
    else:
        fold, n_folds = draw_folds(world, y, *kfold, streams[0]), kfold[0]
    splits = Splits(y, fold, n_folds, world.n_classes, streams[2])
    features = draw_features(world, value, y, streams[1])
    folds = Folds(splits)
    both = [
        measure(fit(learner, x, splits, {}), splits, folds)
        for learner, x in zip((pair.champion, pair.challenger), features)
    ]
    if kfold is None:
        found = table(*both, folds, blocks, y, world.group)
    else:
        found = fold_table(*both, folds)
    return found.keep(splits.usable)


def drawn_part(stage, pair, part, size, seed, words):
    """One part of the tables of a pair."""
    with quietly():
        return simulate(pair, size, rng_of(seed, part, stage + pair.name), **words)


def rng_of(seed, part, text):
    return np.random.default_rng(np.random.SeedSequence([seed, part, *map(ord, text)]))


def better(pair, seed):
    """A strength of the challenger at which accuracies are `FAR` apart."""
    low = pair.world.strength
    high = min(low + 4, 1.0) if pair.world.family == "predictions" else low + 4
    with quietly():
        for _ in range(7):
            value = (low + high) / 2
            rng = np.random.default_rng(np.random.SeedSequence([seed, 77]))
            mean = simulate(pair, PILOT, rng, value).mean[:, MEASURES.index("accuracy")]
            if np.nanmean(mean) < FAR * np.nanstd(mean):
                low = value
            else:
                high = value
    return (low + high) / 2


@contextmanager
def quietly():
    """Without warnings, and on one processor."""
    with warnings.catch_warnings(), threadpool_limits(1), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
