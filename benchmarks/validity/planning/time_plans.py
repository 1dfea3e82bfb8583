"""Whether planned comparisons in time order have the power that was asked.

The number of time points is planned from the true difference, and the true variance over
time of differences that drift; Diebold and Mariano's test is run at it. Then with the
variance that a pilot has. Run

    python -m benchmarks.validity.planning.time_plans

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.time.time_worlds import absolute, drift, squared, zero_one
from skcompare.evidence import OrderedDifferences
from skcompare.stats import diebold_mariano, plan_time_comparison, plan_time_from_pilot

ALPHA, POWER = 0.05, 0.8
WORLDS = {"normal": drift, "zero-one": zero_one, "absolute": absolute, "squared": squared}
CORRELATIONS = (0.0, 0.5, 0.8, 0.95)
EFFECTS = (0.7, 0.35, 0.15)
"""Differences, in standard deviations."""
LONG, ROWS = 20_000, 100
"""Length and number of the series that show the true variance over time."""
PILOTS = (120, 500, 2000)


def truth_of(world, correlation, rng):
    """Standard deviation of a difference, and the inflation of the variance of a mean."""
    gains = WORLDS[world]((ROWS, LONG), correlation, rng)
    deviation = float(gains.std())
    # Means over parts that are long beside the dependence.
    parts = gains.reshape(ROWS, -1, 1000).mean(axis=2)
    return deviation, max(1.0, 1000 * float(parts.var()) / deviation**2)


def planned(world, correlation, effect, rng):
    """Difference, and the plan for the true variance."""
    deviation, inflation = truth_of(world, correlation, rng)
    if world == "normal":
        deviation, inflation = 1.0, (1 + correlation) / (1 - correlation)
    difference = effect * deviation
    plan = plan_time_comparison(
        difference, deviation, variance_inflation=inflation, alpha=ALPHA, power=POWER
    )
    return difference, plan


def stated_row(world, correlation, effect, draws, seed):
    """Inflation, time points, cosines, and the share of series with a significant gain."""
    rng = np.random.default_rng(seed)
    difference, plan = planned(world, correlation, effect, rng)
    n, found, cosines = int(plan.times), 0, 0.0
    for _ in range(draws):
        (gains,) = WORLDS[world]((1, n), correlation, rng)
        ordered = OrderedDifferences.from_differences(gains + difference)
        result = diebold_mariano(ordered)
        found += result.pvalue < ALPHA
        # Equal differences, as of few 0/1 losses, have no test.
        cosines += (result.df or 0) / draws
    return plan.design_effect, n, plan.n_cosines, cosines, found / draws


def stated_table(args):
    """Plans from the true difference and variance over time."""
    table = Table(
        f"Power with the planned time points, target {POWER}",
        ("differences", "correlation", "inflation", "time points", "cosines", "power"),
    )
    draws = min(args.draws, 200) if args.quick else args.draws
    settings = list(product(WORLDS, CORRELATIONS, EFFECTS))
    settings = settings[:3] if args.quick else settings
    rows = each_row(stated_row, settings, args, 1, draws)
    for (world, correlation, _), row in zip(settings, rows, strict=True):
        inflation, n, supposed, cosines, power = row
        table.add(
            world,
            correlation,
            f"{inflation:.1f}",
            n,
            f"{supposed:.0f} planned, {cosines:.0f}",
            with_error(power, draws),
        )
    return table


def pilot_row(correlation, n_pilot, pilots, seed):
    """Quartiles of the planned time points, and the mean power at these."""
    rng = np.random.default_rng(seed)
    difference, right = planned("normal", correlation, EFFECTS[1], rng)
    options = {"variance_inflation": right.design_effect}
    times, powers = [], []
    for _ in range(pilots):
        (gains,) = drift((1, n_pilot), correlation, rng)
        pilot = gains - gains.mean() + difference
        plan = plan_time_from_pilot(OrderedDifferences.from_differences(pilot))
        times.append(plan.times)
        again = plan_time_comparison(difference, 1.0, n=int(plan.records), **options)
        powers.append(again.power)
    return right.times, np.percentile(times, [25, 75]), np.mean(powers)


def pilot_table(args):
    """Plans for the true difference, with the variance of a pilot."""
    table = Table(
        "The true difference, and the variance over time of a pilot: time points and mean "
        f"power, target {POWER}",
        ("correlation", "pilot", "true number", "quartiles of planned", "mean power"),
    )
    settings = list(product(CORRELATIONS, PILOTS))
    settings = settings[:1] if args.quick else settings
    rows = each_row(pilot_row, settings, args, 2, args.pilots)
    for setting, (true, (low, high), power) in zip(settings, rows, strict=True):
        table.add(*setting, int(true), f"{low:.0f} to {high:.0f}", f"{power:.3f}")
    return table


PARTS = {"stated": stated_table, "pilot": pilot_table}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        draws=2000,
        of="series a setting",
        pilots=(400, "pilots a setting"),
        quick=(False, "200 series of the first settings"),
    )
