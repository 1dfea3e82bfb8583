"""Simulate the data sets of a world, split them, and decide all tests."""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from benchmarks.validity.splits.resampling.resampling_decisions import TESTS, decide, gains
from benchmarks.validity.splits.resampling.resampling_designs import (
    COSTLY,
    N_SPLITS,
    SIZES,
    draw_splits,
    parts_of,
)
from benchmarks.validity.splits.resampling.resampling_epsilon import (
    EPSILON,
    N_RECORDS,
    epsilon_tables,
)
from benchmarks.validity.splits.resampling.resampling_settings import strengths_of
from benchmarks.validity.splits.resampling.resampling_store import Store

CHUNK = {"epsilon": 2500, "exp6": 10, "simple": 10, "letter": 10}
"""Data sets that are simulated, and stored, together."""

WORLDS = tuple(CHUNK)

MEASURED = {"n/2": "5x2", "2n/3": "repeated holdout", "9n/10": "10x10"}
"""Splits on which the mean gain is measured, by number of training records."""


class Epsilon:
    """Fixed losses: nothing is trained, and there is no strength."""

    name, n, strength = "epsilon", N_RECORDS, "epsilon"


class Outcome(NamedTuple):
    """P-values of all tests, (data sets, strengths, tests), and mean gains by SIZES.

    P-values of costly tests are NaN where their splits were not made; `n_costly` data sets
    have them.
    """

    world: object
    pvalues: np.ndarray
    gains: np.ndarray
    n_costly: int

    def rejections(self, test, strength, alpha=0.05):
        """Share of data sets on which a test rejects, and their number."""
        column = TESTS.index(test)
        count = self.n_costly if test.costly else len(self.pvalues)
        found = self.pvalues[:count, strength, column]
        # A test without p-value does not reject.
        return float(np.mean(found < alpha)) if count else np.nan, count

    def undefined(self, test, strength):
        count = self.n_costly if test.costly else len(self.pvalues)
        if not count:
            return 0.0
        return float(np.isnan(self.pvalues[:count, strength, TESTS.index(test)]).mean())


def simulate(world, seed, number, costly):
    """Tables of a chunk of data sets, of shape (data sets, strengths, splits, 4)."""
    label = [seed, WORLDS.index(world.name), number]
    if world.name == "epsilon":
        rng = np.random.default_rng(np.random.SeedSequence(label))
        size = CHUNK["epsilon"]
        return epsilon_tables(size, rng, costly=costly)[:, np.newaxis]
    seeds = np.random.SeedSequence(label).spawn(CHUNK[world.name])
    return np.stack([simulate_dataset(world, each, costly) for each in seeds])


def simulate_dataset(world, seed, costly):
    """Tables of one data set, (strengths, splits, 4)."""
    for_data, for_splits, for_fits = map(np.random.default_rng, seed.spawn(3))
    data = world.draw(world.n, for_data)
    splits = draw_splits(world.n, for_splits, costly=costly)
    seeds = for_fits.integers(2**31, size=len(splits.test))
    champion = world.champion_right(data, splits, seeds)
    challengers = world.challengers_right(data, splits, strengths_of(world.name))
    return np.stack([splits.tables(champion, challenger) for challenger in challengers])


def decide_chunk(world, seed, number, costly, store):
    """P-values of all tests on a chunk, and the mean gain by number of training records.

    Of shapes (data sets, strengths, tests) and (data sets, strengths, 3).
    """
    tables = store.load(number, costly=costly)
    if tables is None:
        tables = simulate(world, seed, number, costly)
        store.save(number, tables, costly=costly)
    if not costly:
        tables = tables[..., : sum(N_SPLITS.values()), :]
    flat = tables.reshape(-1, *tables.shape[2:])
    pvalues = np.full((len(flat), len(TESTS)), np.nan)
    for column, test in enumerate(TESTS):
        if costly or not test.costly:
            pvalues[:, column] = decide(test, flat)
    parts = parts_of(tables)
    means = [gains(parts[MEASURED[size]]).mean(axis=-1) for size in SIZES]
    return pvalues.reshape(*tables.shape[:2], -1), np.stack(means, axis=-1)


def open_store(folder, world, seed):
    settings = {
        "n": world.n,
        "seed": seed,
        "chunk": CHUNK[world.name],
        "strengths": list(strengths_of(world.name)),
        "splits": N_SPLITS | COSTLY,
    }
    if world.name == "epsilon":
        settings["epsilon"] = EPSILON
    return Store(folder, world.name, settings)


def run(world, n_datasets, n_costly, seed, n_jobs, folder):
    """Simulate or load `n_datasets`, of which the first `n_costly` have all splits."""
    store = open_store(folder, world, seed)
    size = CHUNK[world.name]
    n_chunks, n_full = -(-n_datasets // size), -(-n_costly // size)
    chunks = Parallel(n_jobs=n_jobs)(
        delayed(decide_chunk)(world, seed, number, number < n_full, store)
        for number in range(max(n_chunks, n_full))
    )
    pvalues, means = map(np.concatenate, zip(*chunks))
    return Outcome(world, pvalues, means, n_full * size)
