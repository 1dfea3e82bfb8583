"""Error rates and power of Giacomini's tests with White and Rossi, of differences in time.

Two models are equally good at all times, or take turns to be better. Run

    python -m benchmarks.validity.time.conditional

or with ``--help`` for the options.
"""

import numpy as np

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.time.diebold_mariano import drawn, in_order
from benchmarks.validity.time.time_worlds import garch, moving_average, normal, zero_one
from skcompare.stats import diebold_mariano, fluctuation, giacomini_white

ALPHA = 0.05
TURNS = (
    (normal, 60, 0.0, 0.0),
    (normal, 120, 0.3, 0.0),
    (normal, 120, 0.5, 0.0),
    (normal, 500, 0.0, 0.0),
    (normal, 500, 0.5, 0.0),
    (normal, 500, 0.8, 0.0),
    (zero_one, 500, 0.5, 0.0),
    (zero_one, 500, 0.8, 0.0),
    (zero_one, 500, 0.95, 0.0),
    (normal, 400, 0.0, 0.3),
    (normal, 400, 0.0, 0.5),
    (normal, 400, 0.5, 0.5),
)
"""World, records, autocorrelation, and the gain of the better of two that take turns."""

KNOWN = [(world, n, 1) for world in (normal, garch) for n in (60, 120, 500)]
KNOWN += [(moving_average, n, 4) for n in (60, 120, 500)]


def turns_row(world, n, dependence, gain, draws, seed):
    """Share of rejections of the fluctuation test, and of the test of the mean."""
    rejected = np.zeros(2)
    turns = gain * np.where(np.arange(n) < n / 2, 1, -1)
    for series in drawn(world, n, dependence, draws, seed):
        ordered = in_order(series + turns)
        results = fluctuation(ordered, n_resamples=1999), diebold_mariano(ordered)
        rejected += [result.pvalue < ALPHA for result in results]
    return rejected / draws


def turns_table(args):
    """Two models that are equal, or of which one is better in each half."""
    table = Table(
        f"Equal models, and ones that take turns: rejections at {ALPHA}",
        ("differences", "autocorrelation", "records", "gain", "fluctuation", "mean"),
    )
    rows = each_row(turns_row, TURNS, args, 1)
    for (world, n, dependence, gain), shares in zip(TURNS, rows):
        name = "0/1" if world is zero_one else "normal"
        shares = (with_error(each, args.draws) for each in shares)
        table.add(name, dependence, n, gain, *shares)
    return table


def known_row(world, n, horizon, draws, seed):
    """Share of rejections given the last difference, and given one of three regimes."""
    rejected, regimes = np.zeros(2), np.arange(n) % 3
    dependence = horizon if world is moving_average else 0.0
    for series in drawn(world, n, dependence, draws, seed):
        ordered = in_order(series, horizon)
        results = giacomini_white(ordered), giacomini_white(ordered, regimes=regimes)
        rejected += [result.pvalue < ALPHA for result in results]
    return rejected / draws


def known_table(args):
    """Type I error given what is known beforehand."""
    table = Table(
        f"Equal models given what is known: type I error at {ALPHA}",
        ("differences", "records", "horizon", "last difference", "three regimes"),
    )
    names = {normal: "normal", garch: "bursts", moving_average: "moving average"}
    rows = each_row(known_row, KNOWN, args, 2)
    for (world, n, horizon), shares in zip(KNOWN, rows):
        shares = (with_error(each, args.draws) for each in shares)
        table.add(names[world], n, horizon, *shares)
    return table


def smaller(part):
    """A part of the study with fewer draws for ``--quick``."""

    def run(args):
        if args.quick:
            args.draws = min(args.draws, 100)
        return part(args)

    return run


if __name__ == "__main__":
    main(
        __doc__,
        {"turns": smaller(turns_table), "known": smaller(known_table)},
        draws=2000,
        of="series a setting",
        quick=(False, "100 series a setting"),
    )
