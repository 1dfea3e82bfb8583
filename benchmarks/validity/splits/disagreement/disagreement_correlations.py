"""Correlation of the disagreement between the halves of 5×2 cross-validation.

The 5×2 BCV McNemar test takes correlations rho1 and rho2 of 1/2 of the disagreement of two
classifiers for granted. The paper that introduced it (arXiv:2304.03990, section 5.1, Figure
1) measured them for seven classifiers on 29 data sets; this script does so again:

    python -m benchmarks.validity.splits.disagreement.disagreement_correlations DATA --store
    DRAWS

DATA is a folder with `NAME.csv.gz` files, features first and the class in the column
`target`, and a `columns.json` that names the categorical columns of each. ``--help`` lists
the options.
"""

import argparse
import csv
import io
import re
from collections import defaultdict
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.validity._lib.tables import Table
from benchmarks.validity.splits.disagreement.disagreement_classifiers import CLASSIFIERS
from benchmarks.validity.splits.disagreement.disagreement_draws import (
    CHUNK,
    N_SPLITS,
    TABLE_IV,
    available,
    draws_of,
    load,
)
from benchmarks.validity.splits.disagreement.disagreement_estimates import ASSUMED, cases_of

N_PAIRS = len(CLASSIFIERS) * (len(CLASSIFIERS) - 1) // 2


HOW = {"drawn": "as drawn", "independent": "independent"}
"""Draws from the records of a file, as in the paper, and from endless data."""

RATIOS = (
    "disagreement_ratio",
    "disagreement_ratio_error",
    "difference_ratio",
    "difference_ratio_error",
)


class Estimates:
    """Estimates of many cases as arrays."""

    def __init__(self, cases, how):
        self.rho1, self.rho2, self.total, self.error1, self.error2, self.total_error = (
            np.array([getattr(case, how) for case in cases]).T
        )
        self.room = (1 + self.rho1) / 2 - self.rho2

    @property
    def recommended(self):
        """Whether the bounds that the test relies on hold."""
        return (self.rho1 <= 0.5) & (self.rho2 >= 0) & (self.rho2 <= 0.5)

    @property
    def covered(self):
        """Whether the effective table is no larger than it should be."""
        return self.total <= ASSUMED


def counts_table(all_records, there):
    table = Table(
        "Data sets whose counts are not those of Table IV",
        ("data set", "", "records", "predictors", "classes"),
    )
    for name, listed in TABLE_IV.items():
        if name not in there:
            table.add(name, "paper", *listed[:3])
            table.add("", "here", "not there", "", "")
        elif name in all_records and listed[:3] != all_records[name].counts:
            table.add(name, "paper", *listed[:3])
            table.add("", "here", *all_records[name].counts)
    return table


def overall_table(cases):
    table = Table(f"All {len(cases)} cases", ("", *HOW.values()))
    drawn, independent = (Estimates(cases, how) for how in HOW)
    rows = {
        "rho1 at most 1/2": lambda e: _share(e.rho1 <= 0.5),
        "rho2 from 0 to 1/2": lambda e: _share((e.rho2 >= 0) & (e.rho2 <= 0.5)),
        "both": lambda e: _share(e.recommended),
        "rho1 above 1/2 by 2 errors": lambda e: _share(e.rho1 > 0.5 + 2 * e.error1),
        "rho2 above 1/2 by 2 errors": lambda e: _share(e.rho2 > 0.5 + 2 * e.error2),
        "rho2 below 0": lambda e: _share(e.rho2 < 0),
        "rho2 below (1 + rho1) / 2": lambda e: _share(e.room > 0),
        "least (1 + rho1) / 2 - rho2": lambda e: f"{e.room.min():.2f}",
        "rho2 at least rho1": lambda e: _share(e.rho2 >= e.rho1),
        "rho1 below rho2 + 2 errors": lambda e: _share(
            e.rho1 < e.rho2 + 2 * np.hypot(e.error1, e.error2)
        ),
        "rho1: quartiles": lambda e: _quartiles(e.rho1),
        "rho2: quartiles": lambda e: _quartiles(e.rho2),
        "1 + rho1 + 8 rho2: quartiles": lambda e: _quartiles(e.total),
        "1 + rho1 + 8 rho2 at most 5.5": lambda e: _share(e.covered),
        "more than 5.5 by 2 errors": lambda e: _share(
            e.total > ASSUMED + 2 * e.total_error
        ),
        "multiplier 10 / (1 + rho1 + 8 rho2): quartiles": lambda e: _quartiles(
            10 / e.total
        ),
        "standard error of rho1: median": lambda e: f"{np.median(e.error1):.3f}",
        "standard error of rho2: median": lambda e: f"{np.median(e.error2):.3f}",
    }
    for words, row in rows.items():
        table.add(words, row(drawn), row(independent))
    return table


def pair_table(cases):
    table = Table(
        "By pair of classifiers, independent draws: medians over data sets; the ratio is "
        "of the variance of the difference to that assumed",
        ("pair", "discordant", "rho1", "rho2", "1 + rho1 + 8 rho2", "5.5 enough", "ratio"),
    )
    grouped = defaultdict(list)
    for case in cases:
        grouped[f"{case.first} / {case.second}"].append(case)
    rows = []
    for pair, of_one in grouped.items():
        found = Estimates(of_one, "independent")
        shares = [case.disagreement for case in of_one]
        variances = [case.difference_ratio[0] for case in of_one]
        middle = [np.median(each) for each in (found.rho1, found.rho2, found.total)]
        cells = [f"{each:.2f}" for each in (np.median(shares), *middle)]
        variance = f"{np.median(variances):.2f}"
        rows.append((middle[2], pair, *cells, _count(found.covered), variance))
    for _, *cells in sorted(rows, reverse=True):
        table.add(*cells)
    return table


def greatest_table(cases, how, *, by_ratio=False, n=12):
    """Cases of the greatest 1 + rho1 + 8 rho2, or ratio of the variance."""
    what = "ratio of the variance of the difference to that assumed"
    table = Table(
        f"The greatest {what if by_ratio else '1 + rho1 + 8 rho2'}, {HOW[how]}",
        ("data set", "pair", "discordant", "rho1", "rho2", "total", "multiplier", "ratio"),
    )

    def size(case):
        return case.difference_ratio[0] if by_ratio else getattr(case, how).total

    for case in sorted(cases, key=size, reverse=True)[:n]:
        found, (ratio, error) = getattr(case, how), case.difference_ratio
        table.add(
            case.dataset,
            f"{case.first} / {case.second}",
            f"{case.disagreement:.3f}",
            f"{found.rho1:.2f} ± {found.rho1_error:.2f}",
            f"{found.rho2:.2f} ± {found.rho2_error:.2f}",
            f"{found.total:.1f} ± {found.total_error:.1f}",
            f"{10 / found.total:.2f}",
            f"{ratio:.2f} ± {error:.2f}",
        )
    return table


def variance_table(cases):
    """The variances that the correlations stand for, of which the second is tested."""
    table = Table(
        "Ratio of the variances to those assumed by the test, independent draws",
        ("", "disagreement", "difference of accuracies"),
    )
    columns = [
        np.transpose([getattr(case, name) for case in cases])
        for name in ("disagreement_ratio", "difference_ratio")
    ]
    table.add("quartiles", *(_quartiles(ratios) for ratios, _ in columns))
    table.add("at most 1", *(_share(ratios <= 1) for ratios, _ in columns))
    table.add(
        "more than 1 by 2 errors",
        *(_share(ratios > 1 + 2 * errors) for ratios, errors in columns),
    )
    errors = (f"{np.median(errors):.3f}" for _, errors in columns)
    table.add("standard error: median", *errors)
    # The test would allow for less, were it told rho1 and rho2 of each case.
    factors = ASSUMED / Estimates(cases, "independent").total
    known = [ratios * factors for ratios, _ in columns]
    table.add("with the measured rho1 and rho2: quartiles", *map(_quartiles, known))
    table.add("with them at most 1", *(_share(ratios <= 1) for ratios in known))
    return table


def _count(holds):
    return f"{np.sum(holds)} of {len(holds)}"


def _share(holds):
    return f"{np.mean(holds):.1%} ({np.sum(holds)})"


def _quartiles(values):
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return f"{low:.2f}, {middle:.2f}, {high:.2f}"


def write_csv(cases, path):
    """All cases, a line each."""
    names = ("rho1", "rho2", "total", "rho1_error", "rho2_error", "total_error")
    head = [f"{name}_{how}" for how in HOW for name in names]
    with open(path, "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["data_set", "first", "second", "disagreement", *head, *RATIOS])
        for case in cases:
            numbers = [case.disagreement, *chain.from_iterable(case[4:])]
            lines.writerow([*case[:3], *(f"{number:.4f}" for number in numbers)])


def draw_figure(cases, path):
    """Scatter of rho1 and rho2 with the bounds, as Figure 1 of the paper."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "disagreement"})
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4.6), sharex=True, sharey=True)
    titles = "Draws from the records of a file", "Independent draws"
    for ax, how, title in zip(axes, HOW, titles):
        found = Estimates(cases, how)
        ax.fill_between([-1, 0.5], 0, 0.5, color="0.92", zorder=0, label="bounds of use")
        ax.plot(found.rho1, found.rho2, "o", markersize=2.5, color="#1f6fb4", alpha=0.6)
        ax.plot([-1, 1], [0, 1], color="#c0392b", label="ρ2 = (1 + ρ1) / 2")
        ax.plot([-1, 1], [-1, 1], color="0.5", linestyle=":", label="ρ2 = ρ1")
        ax.plot(0, 0.5, "k+", markersize=9, label="no effect of training")
        ax.set(xlim=(-0.6, 1), ylim=(-0.2, 1), title=title, xlabel="ρ1")
    axes[0].set_ylabel("ρ2")
    axes[1].legend(loc="lower right", fontsize="small")
    figure.tight_layout()
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    # Hundredths of a point are enough.
    drawn = re.sub(r"(\d\.\d\d)\d+", r"\1", buffer.getvalue())
    path.write_text(drawn, encoding="utf-8")


def whole_chunks(text):
    """A number of repetitions."""
    number = int(text)
    # Standard errors leave out two repetitions at a time.
    if number < 2 * CHUNK or number % CHUNK:
        raise argparse.ArgumentTypeError(
            f"must be a multiple of {CHUNK} and at least {2 * CHUNK}. Got {text} instead."
        )
    return number


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("data", type=Path, help="folder of the data sets")
    add("--datasets", nargs="+", choices=sorted(TABLE_IV), metavar="NAME", help="a part")
    add("--repetitions", type=whole_chunks, default=1000, help="draws of 300 records")
    add("--store", type=Path, help="folder that keeps the draws; a later run goes on there")
    add("--seed", type=int, default=0)
    add("--n-jobs", type=int, default=-1, help="chunks of draws at a time")
    add("--csv", type=Path, metavar="FILE", help="write all cases")
    add("--figure", type=Path, metavar="FILE.svg", help="draw all cases")
    add("--rst", action="store_true", help="print reStructuredText")
    return parser.parse_args(arguments)


def main(arguments=None):
    args = parse(arguments)
    there = available(args.data)
    names = [name for name in args.datasets or there if name in there]
    if not names:
        raise SystemExit(f"{args.data} has none of the data sets. Name another folder.")

    all_records, cases, never = {}, [], []
    one_class, seconds = 0, 0.0
    for name in names:
        all_records[name] = records = load(args.data, name)
        draws = draws_of(
            records,
            name,
            args.repetitions,
            seed=args.seed,
            store=args.store,
            n_jobs=args.n_jobs,
        )
        found, without = cases_of(name, draws)
        cases += found
        never += without
        one_class += draws.one_class
        seconds += draws.seconds

    print(
        f"{len(names)} of {len(TABLE_IV)} data sets, {N_PAIRS} pairs of classifiers each, "
        f"{args.repetitions} repetitions\nof {N_SPLITS} splits: "
        f"{len(cases)} cases, and {len(never)} of classifiers that never differed.\n"
        f"All repetitions took {seconds / 60:.0f} minutes of processor time, "
        f"and {one_class} of their\ntraining sets have a single class.\n"
    )
    for table in (
        counts_table(all_records, there),
        overall_table(cases),
        pair_table(cases),
        greatest_table(cases, "drawn"),
        greatest_table(cases, "independent"),
        variance_table(cases),
        greatest_table(cases, "independent", by_ratio=True),
    ):
        table.show(rst=args.rst)
    if args.csv:
        write_csv(cases, args.csv)
    if args.figure:
        draw_figure(cases, args.figure)


if __name__ == "__main__":
    main()
