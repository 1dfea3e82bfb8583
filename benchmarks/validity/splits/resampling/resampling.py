"""Type I error and power of the tests that resample the records.

All tests of Table V of the paper on the 5×2 BCV McNemar test (arXiv:2304.03990), and more,
on its epsilon, EXP6, simple and letter data, with its settings: how often a test finds a
difference between algorithms that are equally good, and between some that are not. Run

    python -m benchmarks.validity.splits.resampling.resampling --quick --data FOLDER

or with ``--help`` for the options. FOLDER holds ``letter.csv.gz``; without it the letter
data are left out.
"""

import argparse
from typing import NamedTuple

import numpy as np

from benchmarks.validity._lib.tables import Table
from benchmarks.validity.splits.resampling.resampling_calibration import calibrate
from benchmarks.validity.splits.resampling.resampling_designs import (
    HALVINGS,
    N_SPLITS,
    SIZES,
)
from benchmarks.validity.splits.resampling.resampling_library import (
    compare_with_library,
    compare_with_sklearn,
)
from benchmarks.validity.splits.resampling.resampling_settings import ALIKE, SHARES
from benchmarks.validity.splits.resampling.resampling_study import WORLDS, Epsilon, run
from benchmarks.validity.splits.resampling.resampling_tables import (
    calibration_table,
    curve_table,
    level_table,
    null_table,
    other_levels_table,
    power_table,
    undefined_table,
)
from benchmarks.validity.splits.resampling.resampling_worlds import Exp6, Letter, Simple


class Numbers(NamedTuple):
    """Data sets with fitted models and of fixed losses, and those with costly tests."""

    datasets: int
    repetitions: int
    costly: int
    costly_drawn: int


FULL = Numbers(1000, 100_000, 200, 20_000)
QUICK = Numbers(200, 20_000, 10, 2500)


def make_worlds(names, folder):
    makers = {"epsilon": Epsilon, "exp6": Exp6, "simple": Simple}
    for name in names:
        if name in makers:
            yield makers[name]()
        elif folder is not None:
            yield Letter(folder)
        else:
            print("The letter data are left out: --data names their folder.\n")


def calibration(worlds, n_sets, seed, n_jobs, rst):
    """Print tables, and the constants of `resampling_settings`."""
    for world in worlds:
        if world.name in ALIKE:
            continue
        sizes = {name: round(share * world.n) for name, share in SIZES.items()}
        inner = world.n // 2 - (world.n - sizes["9n/10"])
        found = {
            n: calibrate(world, n, n_sets, seed, n_jobs)
            for n in sorted({inner, *sizes.values(), world.n})
        }
        calibration_table(world, found.values()).show(rst=rst)
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


def show(outcomes, rst):
    summary(outcomes).show(rst=rst)
    for outcome in outcomes:
        level_table(outcome).show(rst=rst)
    null_table(outcomes).show(rst=rst)
    other_levels_table(outcomes).show(rst=rst)
    undefined_table(outcomes).show(rst=rst)
    for outcome in outcomes:
        name = outcome.world.name
        if name != "epsilon":
            power_table(outcome).show(rst=rst)
        if name not in ALIKE:
            curve_table(name, outcome.world.strength).show(rst=rst)


def numbers(args):
    """Data sets of each world, and how many of them have the splits of all tests."""
    usual = QUICK if args.quick else FULL
    fitted = usual.datasets if args.datasets is None else args.datasets
    drawn = usual.repetitions if args.repetitions is None else args.repetitions
    costly = usual.costly if args.costly is None else args.costly
    of_drawn = min(usual.costly_drawn, drawn) if costly else 0
    counts = {name: (fitted, min(costly, fitted)) for name in WORLDS}
    return counts | {"epsilon": (drawn, of_drawn)}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--only", nargs="+", choices=WORLDS, default=WORLDS, help="data to simulate")
    add("--data", metavar="FOLDER", help="folder with letter.csv.gz")
    add("--datasets", type=int, help="data sets with fitted models (1000, quick 200)")
    add("--repetitions", type=int, help="epsilon data sets (100000, quick 20000)")
    splits, more = sum(N_SPLITS.values()), f"225 and {30 * HALVINGS} more splits"
    add(
        "--costly",
        type=int,
        help="data sets with the pseudo bootstrap and the conservative Z, which take "
        f"{more} beside {splits} (200, quick 10); 0 for none",
    )
    add("--quick", action="store_true", help="fewer data sets, in minutes")
    add(
        "--calibrate", type=int, metavar="N", help="print the settings from N training sets"
    )
    add("--store", metavar="DIR", help="keep finished chunks, and go on from them")
    add("--figure", metavar="FILE", help="draw the power curves as SVG (needs matplotlib)")
    add("--csv", metavar="FILE", help="write all shares of rejections")
    add("--seed", type=int, default=0)
    add("--n-jobs", type=int, default=-1, help="processes")
    add("--rst", action="store_true", help="print reStructuredText")
    return parser.parse_args(arguments)


def main(arguments=None):
    args = parse(arguments)
    worlds = list(make_worlds(args.only, args.data))
    if args.calibrate:
        calibration(worlds, args.calibrate, args.seed, args.n_jobs, args.rst)
        return
    compare_with_sklearn(np.random.default_rng(args.seed))
    counts = numbers(args)
    outcomes = []
    for world in worlds:
        compare_with_library(world, args.seed)
        sizes = counts[world.name]
        outcomes.append(run(world, *sizes, args.seed, args.n_jobs, args.store))
    show(outcomes, args.rst)
    if args.csv:
        from benchmarks.validity.splits.resampling.resampling_figure import write_csv

        write_csv(outcomes, args.csv)
    if args.figure:
        from benchmarks.validity.splits.resampling.resampling_figure import draw

        draw(outcomes, args.figure)


if __name__ == "__main__":
    main()
