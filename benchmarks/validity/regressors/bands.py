"""How often the bands of the displays of regressors hold everything that is true.

The band of the mean gain over the range of the target must hold the true mean gain of every
range at once, and the band of the quantiles of residuals all true quantiles. Errors are
drawn whose scale may depend on the target, so that the true values are known. Run

    python -m benchmarks.validity.regressors.bands

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.stats.losses import means_by_range, quantile_band, range_limits

SIZES = (80, 200, 400, 2000)
"""Records of a sample, in 2, 5, 8 and 8 ranges."""

GROUPS, GROUP_SIZE = (80, 320), 5
"""Groups, and records of each, whose targets are anywhere in the range."""

SHARED = 0.5
"""Variance of an error that the records of a group share."""

CORRELATION = 0.5
"""Of the errors of both regressors."""

HEAVY = 5
"""Degrees of freedom of heavy tails; squares of them have no fourth moment."""

CASES = {
    "exchangeable": (1.0, 1.0, 0.0),
    "crossing": (1.0, 0.6, 0.8),
    "better": (1.0, 0.7, 0.0),
}
"""Scale of the champion's errors, and of the challenger's at the least target and how much
it grows to the largest one."""

TAILS = {"normal": norm, "t, 5 df": student(HEAVY)}
LOSSES = ("absolute", "squared")
SIZES_OF_ERRORS = {
    (tails, loss): law.expect(np.abs) if loss == "absolute" else law.var()
    for tails, law in TAILS.items()
    for loss in LOSSES
}
"""Mean loss of an error of scale 1."""

SETTINGS = [
    (case, tails, loss, size)
    for loss, tails, case, size in product(LOSSES, TAILS, CASES, SIZES)
]


FUNCTIONS = {"absolute": np.abs, "squared": np.square}


def noise(size, n_groups, tails, rng):
    """Errors of both regressors of scale 1, correlated between them and in groups."""
    if tails == "normal":
        own = np.sqrt(CORRELATION) * rng.normal(size=size)
        both = own + np.sqrt(1 - CORRELATION) * rng.normal(size=(2, size))
    else:
        # A common divisor makes them dependent, and each has heavy tails.
        divisor = np.sqrt(rng.chisquare(HEAVY, size=size) / HEAVY)
        both = rng.normal(size=(2, size)) / divisor
    if n_groups is None:
        return both, None
    groups = np.repeat(np.arange(n_groups), size // n_groups)
    together = rng.normal(size=(2, n_groups))[:, groups]
    return np.sqrt(1 - SHARED) * both + np.sqrt(SHARED) * together, groups


def drawn(case, tails, size, n_groups, rng):
    """Targets, which are uniform on [0, 1], and the errors of both."""
    champion, least, growth = CASES[case]
    y = rng.random(size)
    errors, groups = noise(size, n_groups, tails, rng)
    return y, champion * errors[0], (least + growth * y) * errors[1], groups


def true_gains(case, tails, loss, edges):
    """Mean gain of further records of each range."""
    champion, least, growth = CASES[case]
    low, high = edges[:-1], edges[1:]
    size = SIZES_OF_ERRORS[tails, loss]
    if loss == "absolute":
        return size * (champion - least - growth * (low + high) / 2)
    squares = (low**2 + low * high + high**2) / 3
    linear = 2 * least * growth * (low + high) / 2
    return size * (champion**2 - least**2 - linear - growth**2 * squares)


def coverage(case, tails, loss, size, n_groups, n_draws, seed):
    """Whether each draw's band holds all, whether a sign is wrong, whether one is found."""
    rng = np.random.default_rng(seed)
    held, wrong, found, single, n_ranges = [], [], [], [], []
    for _ in range(n_draws):
        y, *errors, groups = drawn(case, tails, size, n_groups, rng)
        champion, challenger = map(FUNCTIONS[loss], errors)
        limits = range_limits(y, groups=groups)
        ranges = np.searchsorted(limits, y, "left")
        means = means_by_range(
            champion - challenger, ranges, len(limits) + 1, groups=groups
        )
        edges = np.concatenate([[0.0], limits, [1.0]])
        truth = true_gains(case, tails, loss, edges)
        inside = (means.low <= truth) & (truth <= means.high)
        better = (means.low > 0).astype(int) - (means.high < 0)
        held.append(inside.all())
        single.append(inside.mean())
        wrong.append((better != 0)[np.sign(truth) != better].any())
        found.append(better.any())
        n_ranges.append(len(truth))
    return tuple(map(np.mean, (held, single, wrong, found, n_ranges)))


GAIN_COLUMNS = (
    "errors",
    "tails",
    "loss",
    "records",
    "ranges",
    "all ranges held",
    "mean over ranges",
    "a sign is wrong",
    "a difference is found",
)


def add_gains(table, settings, found, n):
    for (case, tails, loss, size, *_), rates in zip(settings, found):
        held, single, wrong, any_found, ranges = rates
        table.add(
            *(case, tails, loss, size, f"{ranges:.3g}"),
            with_error(held, n),
            f"{single:.4f}",
            with_error(wrong, n),
            f"{any_found:.3f}",
        )
    return table


def record_tables(args):
    """Coverage of the band of gains for independent records."""
    settings = [(*setting, None) for setting in SETTINGS if setting[-1] in args.sizes]
    found = each_row(coverage, settings, args, 1)
    title = "95 % band of the mean gain over the range of the target"
    return add_gains(Table(title, GAIN_COLUMNS), settings, found, args.draws)


def group_tables(args):
    """The same for records in groups, with targets in several ranges."""
    settings = [
        (case, "normal", loss, n_groups * GROUP_SIZE, n_groups)
        for loss, case, n_groups in product(LOSSES, CASES, GROUPS)
    ]
    found = each_row(coverage, settings, args, 2)
    title = f"The same for groups of {GROUP_SIZE} records that share half of their variance"
    return add_gains(Table(title, GAIN_COLUMNS), settings, found, args.draws)


def quantile_coverage(size, n_groups, n_draws, seed):
    """Whether each draw's bands have all true quantiles of the champion's residuals."""
    rng = np.random.default_rng(seed)
    shares = np.arange(1, 100) / 100
    held = []
    for _ in range(n_draws):
        _, residuals, _, groups = drawn("exchangeable", "normal", size, n_groups, rng)
        inside = []
        for values, levels in ((residuals, shares), (abs(residuals), (1 + shares) / 2)):
            _, low, high = quantile_band(values, shares, groups=groups)
            truth = norm.ppf(levels)
            inside.append(((low <= truth) & (truth <= high)).all())
        everywhere = np.zeros(size, dtype=int)
        bias = means_by_range(residuals, everywhere, 1, groups=groups)
        held.append((*inside, bias.low[0] <= 0 <= bias.high[0]))
    return np.mean(held, axis=0)


def quantile_tables(args):
    """Coverage of the bands of quantiles, and of the interval of the bias."""
    settings = [(size, None) for size in SIZES if size in args.sizes]
    settings += [(n * GROUP_SIZE, n) for n in (20, *GROUPS)]
    found = each_row(quantile_coverage, settings, args, 3)
    columns = ("records", "groups", "residuals", "absolute errors", "bias")
    table = Table("95 % bands of all quantiles of normal residuals", columns)
    for (size, n_groups), rates in zip(settings, found):
        shares = (with_error(rate, args.draws) for rate in rates)
        table.add(size, n_groups or "none", *shares)
    return table


PARTS = {"gains": record_tables, "groups": group_tables, "quantiles": quantile_tables}


if __name__ == "__main__":
    main(__doc__, PARTS, draws=2000, sizes=(SIZES, "records of a sample"))
