"""Type I error and power of Diebold and Mariano's test of records in time order.

Two models are equally good, but which one is better drifts: differences are autoregressions
of several kinds. Run

    python -m benchmarks.validity.time.diebold_mariano

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from scipy.stats import norm, t

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.time.time_worlds import (
    LOSSES,
    OTHERS,
    moving_average,
    normal,
    squared,
    steps_ahead,
    zero_one,
)
from skcompare.evidence import OrderedDifferences
from skcompare.stats import diebold_mariano, serial_correlation

ALPHA = 0.05
METHODS = ("ewc", "wpe", "newey-west", "hln")
SIZES = {0.0: (60, 500), 0.3: (60,), 0.5: (60, 500), 0.8: (120, 500), 0.95: (510, 2000)}
"""Numbers of records by autocorrelation: from n (1 - rho) / (1 + rho) of 13 on."""

FEWEST = {rho: sizes[0] for rho, sizes in SIZES.items()}

TOO_FEW = {
    0.5: (20,),
    0.8: (30, 60),
    0.95: (60, 120, 250),
    0.98: (60, 120, 250, 500, 1000),
    0.99: (1000, 2000),
}
"""Numbers of records of which too few are independent."""

ALIKE = ("normal", "under noise", "0/1", "Brier", "log", "AUC")
"""Differences of records that are alike for long: seen, or hidden in part by noise."""

FORECASTS = {"moving average": moving_average, "squared": steps_ahead}
HORIZON_METHODS = ("ewc", "hln")
AT_A_TIME = 500
DETECTED = norm.isf(ALPHA / 2) + norm.isf(0.2)
"""Distance in true standard errors that is detected with a power of 80 %."""

FLAG = "too-few-independent-times"


def drawn(world, n, dependence, draws, seed):
    """Series of a world, a few at a time."""
    rng = np.random.default_rng(seed)
    for start in range(0, draws, AT_A_TIME):
        yield from world((min(AT_A_TIME, draws - start), n), dependence, rng)


def in_order(differences, horizon=1):
    """Evidence of the differences, one at each time point."""
    ones = np.ones(len(differences), dtype=np.int64)
    return OrderedDifferences(differences, ones, horizon=horizon)


def level_row(world, n, dependence, horizon, methods, draws, seed):
    """Share of rejections by each method, of flags, of rejections without the flag and
    without any, and the median number of cosines.
    """
    rejected, flagged, numbers = dict.fromkeys(methods, 0), 0, []
    unflagged = np.zeros(2)
    for series in drawn(world, n, dependence, draws, seed):
        ordered = in_order(series, horizon)
        for method in methods:
            try:
                result = diebold_mariano(ordered, method=method)
            except ValueError:  # the variance of "hln" may be negative
                continue
            rejected[method] += result.pvalue < ALPHA
            if method == "ewc":
                flagged += FLAG in result.flags
                if result.pvalue < ALPHA:
                    unflagged += FLAG not in result.flags, not result.flags
                numbers.append(result.details.get("n_cosines", np.nan))
    shares = [with_error(each / draws, draws) for each in rejected.values()]
    return (
        shares,
        flagged / draws,
        [with_error(each / draws, draws) for each in unflagged],
        np.nanmedian(numbers),
    )


def level_table(args):
    """Type I error by kind of differences, autocorrelation and number of records."""
    table = Table(
        f"Equal models: type I error at {ALPHA}",
        ("differences", "autocorrelation", "records", "type I error", "cosines"),
    )
    settings = [
        (name, n, rho)
        for name, rho in product((*LOSSES, *OTHERS), SIZES)
        for n in (SIZES[rho] if name in LOSSES and not args.quick else (FEWEST[rho],))
        if name != "seasonal" or rho >= 0.8
    ]
    worlds = [((LOSSES | OTHERS)[name], n, rho, 1, ("ewc",)) for name, n, rho in settings]
    for (name, n, rho), row in zip(settings, each_row(level_row, worlds, args, 1)):
        shares, _, _, number = row
        table.add(name, rho, n, *shares, f"{number:.0f}")
    return table


def method_table(args):
    """Type I error of all methods, with as few records as the test is meant for."""
    table = Table(
        f"Equal models, few records: type I error at {ALPHA} by method",
        ("differences", "autocorrelation", "records", *METHODS),
    )
    settings = [
        (world, n, rho, 1, METHODS)
        for world in (zero_one, squared, normal)
        for rho, n in FEWEST.items()
    ]
    names = {world: name for name, world in (LOSSES | OTHERS).items()}
    for (world, n, rho, *_), row in zip(settings, each_row(level_row, settings, args, 5)):
        table.add(names[world], rho, n, *row[0])
    return table


def horizon_table(args):
    """Type I error of forecasts some steps ahead."""
    table = Table(
        f"Equally good forecasts some steps ahead: type I error at {ALPHA}",
        ("differences", "records", "horizon", *HORIZON_METHODS, "cosines"),
    )
    records = (64,) if args.quick else (64, 120, 512)
    settings = [
        (FORECASTS[name], n, horizon, horizon, HORIZON_METHODS)
        for name, n in product(FORECASTS, records)
        for horizon in sorted({2, 5, n // 20, n // 8})
    ]
    names = {world: name for name, world in FORECASTS.items()}
    rows = each_row(level_row, settings, args, 2)
    for (world, n, horizon, *_), (shares, _, _, number) in zip(settings, rows):
        table.add(names[world], n, horizon, *shares, f"{number:.0f}")
    return table


def few_table(args):
    """Flags, and rejections without a flag, where too few records are independent."""
    table = Table(
        f"Records that are alike for long: type I error at {ALPHA}, and flags",
        ("differences", "autocorrelation", "records", "effective", "ewc", "flagged",
         "rejected without this flag", "without any"),
    )  # fmt: skip
    sizes = TOO_FEW | {rho: (*TOO_FEW.get(rho, ()), ns[0]) for rho, ns in SIZES.items()}
    named = list(product(ALIKE, sorted(sizes)))
    cells = [(name, n, rho) for name, rho in named for n in sizes[rho]]
    settings = [((LOSSES | OTHERS)[name], n, rho, 1, ("ewc",)) for name, n, rho in cells]
    rows = each_row(level_row, settings, args, 3)
    for (name, n, rho), (shares, flagged, unflagged, _) in zip(cells, rows):
        effective = n * (1 - rho) / (1 + rho)
        table.add(name, rho, n, f"{effective:.0f}", *shares, f"{flagged:.3f}", *unflagged)
    return table


def power_row(world, n, dependence, draws, seed):
    """Power of the test, of it with 4 cosines, and the number of cosines."""
    found = [
        (
            series.mean(),
            diebold_mariano(in_order(series)).details,
            diebold_mariano(in_order(series), n_cosines=4).details["se"],
        )
        for series in drawn(world, n, dependence, draws, seed)
    ]
    means = np.array([mean for mean, *_ in found])
    number = np.array([details["n_cosines"] for _, details, _ in found])
    errors = np.array([details["se"] for _, details, _ in found])
    four = np.array([error for *_, error in found])
    shifted = means + DETECTED * means.std()
    power = (shifted > t.isf(ALPHA / 2, number) * errors).mean()
    fixed = (shifted > t.isf(ALPHA / 2, 4) * four).mean()
    known = (shifted > norm.isf(ALPHA / 2) * means.std()).mean()
    return power, fixed, known, number


def power_table(args):
    """Power where the test with the known variance has 80 %."""
    table = Table(
        "Power against a difference that the known variance detects with 80 %",
        ("differences", "autocorrelation", "records", "chosen cosines", "4 cosines",
         "known variance", "cosines, 10 to 90 %"),
    )  # fmt: skip
    sizes = (60, 500) if args.quick else (60, 120, 250, 510, 2000)
    settings = [
        (world, n, rho)
        for world, rho, n in product((normal, zero_one), (0.0, 0.5, 0.8, 0.95), sizes)
        if n * (1 - rho) / (1 + rho) > 12.7
    ]
    for (world, n, rho), row in zip(settings, each_row(power_row, settings, args, 4)):
        *powers, number = row
        shares = (with_error(each, args.draws) for each in powers)
        low, high = np.quantile(number, (0.1, 0.9))
        name = "0/1" if world is zero_one else "normal"
        table.add(name, rho, n, *shares, f"{low:.0f} to {high:.0f}")
    return table


def guard_row(world, n, dependence, draws, seed):
    """How often the order of the records is found to matter, and the median inflation."""
    found = [
        serial_correlation(in_order(series))
        for series in drawn(world, n, dependence, draws, seed)
    ]
    inflation = np.median([each.inflation for each in found])
    return np.mean([each.matters for each in found]), inflation


def guard_table(args):
    """Serial correlation that is found in hold-out records."""
    table = Table(
        "Hold-out records in file order: serial correlation that matters, by the guard",
        ("differences", "autocorrelation", "records", "found", "median inflation"),
    )
    sizes = (60, 500) if args.quick else (60, 120, 500, 2000)
    settings = [
        (world, n, rho)
        for world, rho, n in product((normal, zero_one), (0.0, 0.5, 0.8, 0.95), sizes)
    ]
    for (world, n, rho), row in zip(settings, each_row(guard_row, settings, args, 6)):
        name = "0/1" if world is zero_one else "normal"
        table.add(name, rho, n, with_error(row[0], args.draws), f"{row[1]:.2f}")
    return table


def smaller(part):
    """A part of the study with fewer draws for ``--quick``."""

    def run(args):
        if args.quick:
            args.draws = min(args.draws, 100)
        return part(args)

    return run


PARTS = {
    "level": level_table,
    "methods": method_table,
    "horizon": horizon_table,
    "few": few_table,
    "power": power_table,
    "guard": guard_table,
}

if __name__ == "__main__":
    main(
        __doc__,
        {name: smaller(part) for name, part in PARTS.items()},
        draws=4000,
        of="series a setting",
        quick=(False, "100 series of fewer settings"),
    )
