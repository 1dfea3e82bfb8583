"""Type I error and power of the tests that resample the records.

All tests of Table V of the paper on the 5×2 BCV McNemar test (arXiv:2304.03990), and more,
on its epsilon, EXP6, simple and letter data, with its settings: how often a test finds a
difference between algorithms that are equally good, and between some that are not. Run

    python -m benchmarks.validity.splits.resampling.resampling --data FOLDER

or with ``--help`` for the options. FOLDER holds ``letter.csv.gz``; without it the letter
data are left out.
"""

from typing import NamedTuple

import numpy as np
from joblib import Memory, Parallel, delayed

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table
from benchmarks.validity.splits.resampling import resampling_tables as tables_of
from benchmarks.validity.splits.resampling.resampling_decisions import TESTS, decide, gains
from benchmarks.validity.splits.resampling.resampling_designs import SIZES, parts_of
from benchmarks.validity.splits.resampling.resampling_settings import (
    ALIKE,
    SHARES,
    strengths_of,
)
from benchmarks.validity.splits.resampling.resampling_worlds import (
    CHUNK,
    WORLDS,
    Epsilon,
    Exp6,
    Letter,
    Simple,
    calibrate,
    simulate,
)

MEASURED = {"n/2": "5x2", "2n/3": "repeated holdout", "9n/10": "10x10"}
"""Splits on which the mean gain is measured, by number of training records."""


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


def decide_chunk(simulated, world, seed, number, costly):
    """P-values of all tests on a chunk, and the mean gain by number of training records.

    Of shapes (data sets, strengths, tests) and (data sets, strengths, 3).
    """
    tables = simulated(world, strengths_of(world.name), seed, number, costly)
    flat = tables.reshape(-1, *tables.shape[2:])
    pvalues = np.full((len(flat), len(TESTS)), np.nan)
    for column, test in enumerate(TESTS):
        if costly or not test.costly:
            pvalues[:, column] = decide(test, flat)
    parts = parts_of(tables)
    means = [gains(parts[MEASURED[size]]).mean(axis=-1) for size in SIZES]
    return pvalues.reshape(*tables.shape[:2], -1), np.stack(means, axis=-1)


def run(world, n_datasets, n_costly, seed, n_jobs, folder):
    """Simulate `n_datasets`, of which the first `n_costly` have all splits.

    Chunks that are in the folder are not simulated again.
    """
    simulated = Memory(folder, verbose=0).cache(simulate)
    size = CHUNK[world.name]
    n_chunks, n_full = -(-n_datasets // size), -(-n_costly // size)
    chunks = Parallel(n_jobs=n_jobs)(
        delayed(decide_chunk)(simulated, world, seed, number, number < n_full)
        for number in range(max(n_chunks, n_full))
    )
    pvalues, means = map(np.concatenate, zip(*chunks))
    return Outcome(world, pvalues, means, n_full * size)


def make_worlds(names, folder):
    makers = {"epsilon": Epsilon, "exp6": Exp6, "simple": Simple}
    for name in names:
        if name in makers:
            yield makers[name]()
        elif folder:
            yield Letter(folder)
        else:
            print("The letter data are left out: --data names their folder.\n")


def calibration(worlds, n_sets, seed, n_jobs):
    """Tables, and in print the constants of `resampling_settings`."""
    for world in worlds:
        if world.name in ALIKE:
            continue
        sizes = {name: round(share * world.n) for name, share in SIZES.items()}
        inner = world.n // 2 - (world.n - sizes["9n/10"])
        found = {
            n: calibrate(world, n, n_sets, seed, n_jobs)
            for n in sorted({inner, *sizes.values(), world.n})
        }
        yield tables_of.calibration_table(world, found.values())
        for name, n in sizes.items():
            curve = [float(f"{found[n].strength(share):.4g}") for share in SHARES]
            print(f'"{world.name}" "{name}": {tuple(curve)}')
        print(f'"{world.name}" paper: {found[world.n].strength():.4g}\n', flush=True)


def summary(outcomes):
    """What was simulated."""
    table = Table(
        "Simulated data sets", ("data", "records", "data sets", "with all splits")
    )
    for outcome in outcomes:
        world = outcome.world
        table.add(world.name, world.n, len(outcome.pvalues), outcome.n_costly)
    return table


def tables(outcomes):
    yield summary(outcomes)
    yield from map(tables_of.level_table, outcomes)
    yield tables_of.null_table(outcomes)
    yield tables_of.other_levels_table(outcomes)
    yield tables_of.undefined_table(outcomes)
    for outcome in outcomes:
        name = outcome.world.name
        if name != "epsilon":
            yield tables_of.power_table(outcome)
        if name not in ALIKE:
            yield tables_of.curve_table(name, outcome.world.strength)


def sizes_of(world, args):
    """Data sets of a world, and how many of them have the splits of all tests."""
    if world.name == "epsilon":
        # They cost nothing.
        return args.repetitions, min(100 * args.costly, args.repetitions)
    return args.datasets, min(args.costly, args.datasets)


def study(args):
    worlds = list(make_worlds(args.only, args.data))
    if args.calibrate:
        yield from calibration(worlds, args.calibrate, args.seed, args.n_jobs)
        return
    outcomes = [
        run(world, *sizes_of(world, args), args.seed, args.n_jobs, args.store or None)
        for world in worlds
    ]
    yield from tables(outcomes)
    if args.figure:
        tables_of.draw(outcomes, args.figure)


if __name__ == "__main__":
    main(
        __doc__,
        study,
        draws=None,
        only=(WORLDS, "data to simulate"),
        data=("", "folder with letter.csv.gz"),
        datasets=(1000, "data sets with fitted models"),
        repetitions=(100_000, "epsilon data sets"),
        costly=(200, "data sets with all splits of the tests that need hundreds; or 0"),
        calibrate=(0, "print the settings from this number of training sets"),
        store=("", "folder that keeps finished chunks, from which the next run goes on"),
        figure=("", "file for the power curves, as SVG"),
    )
