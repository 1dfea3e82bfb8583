"""Type I error of both tests of several series: these series, and series like them.

Two models are equally good over all series and times; they may differ in each series, at
each time, and in the records of each series, which are autoregressions. Run

    python -m benchmarks.validity.time.panels

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.time.time_worlds import drift
from skcompare.evidence import OrderedDifferences, PairedLosses
from skcompare.stats import clustered_t, diebold_mariano, two_way_t

ALPHA = 0.05
SHAPES = ((5, 100), (10, 100), (30, 100), (50, 60))
WORLDS = {
    "independent records": (0.0, 0.0, 0.0),
    "series drift alone": (0.0, 0.0, 0.7),
    "series differ": (0.3, 0.0, 0.5),
    "times differ": (0.0, 0.5, 0.0),
    "both differ": (0.3, 0.5, 0.5),
    "both differ by much": (1.0, 1.0, 0.5),
}
"""Deviations between series and over time, and autocorrelation within series."""

COMMON = 0.7
"""Autocorrelation of what all series have in common."""


def panel_row(world, n_series, n_times, draws, seed):
    """Share of rejections: these series, such series, and groups without time."""
    rng = np.random.default_rng(seed)
    between, common, within = WORLDS[world]
    groups = np.repeat(np.arange(n_series), n_times)
    time = np.tile(np.arange(n_times), n_series)
    rejected = np.zeros(3)
    for _ in range(draws):
        values = drift((n_series, n_times), within, rng)
        values += between * rng.standard_normal((n_series, 1))
        values += common * drift((1, n_times), COMMON, rng)
        flat = values.ravel()
        ordered = OrderedDifferences.from_differences(flat, time=time, groups=groups)
        losses = PairedLosses.from_losses(flat, np.zeros(flat.size), groups)
        results = (
            diebold_mariano(ordered),
            two_way_t(ordered),
            clustered_t(losses, method="t"),
        )
        rejected += [result.pvalue < ALPHA for result in results]
    return rejected / draws


def panel_table(args):
    """Type I error by world and size."""
    table = Table(
        f"Equal models in several series: type I error at {ALPHA}",
        ("differences", "series", "times", "diebold_mariano", "two_way_t", "clustered_t"),
    )
    draws = min(args.draws, 100) if args.quick else args.draws
    settings = [
        (world, *shape)
        for world, shape in product(WORLDS, SHAPES[1:2] if args.quick else SHAPES)
    ]
    for setting, shares in zip(settings, each_row(panel_row, settings, args, 1, draws)):
        table.add(*setting, *(with_error(each, draws) for each in shares))
    return table


if __name__ == "__main__":
    main(
        __doc__,
        panel_table,
        draws=2000,
        of="panels a setting",
        quick=(False, "100 panels of one size"),
    )
