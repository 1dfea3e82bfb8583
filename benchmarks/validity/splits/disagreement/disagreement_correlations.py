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
from pathlib import Path

from benchmarks.validity.splits.disagreement.disagreement_classifiers import CLASSIFIERS
from benchmarks.validity.splits.disagreement.disagreement_data import (
    TABLE_IV,
    available,
    load,
)
from benchmarks.validity.splits.disagreement.disagreement_draws import (
    CHUNK,
    N_SPLITS,
    check,
    draws_of,
)
from benchmarks.validity.splits.disagreement.disagreement_estimates import cases_of
from benchmarks.validity.splits.disagreement.disagreement_tables import (
    counts_table,
    dataset_table,
    draw_figure,
    overall_table,
    pair_table,
    variance_table,
    worst_differences,
    worst_table,
    write_csv,
)

N_PAIRS = len(CLASSIFIERS) * (len(CLASSIFIERS) - 1) // 2


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
        check(records, name, args.seed)
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
        f"All repetitions that are kept took {seconds / 60:.0f} minutes of processor time, "
        f"and {one_class} of their\ntraining sets have a single class.\n"
    )
    for table in (
        counts_table(all_records, there),
        overall_table(cases),
        dataset_table(cases, all_records),
        pair_table(cases),
        worst_table(cases, "drawn"),
        worst_table(cases, "independent"),
        variance_table(cases),
        worst_differences(cases),
    ):
        table.show(rst=args.rst)
    if args.csv:
        write_csv(cases, args.csv)
    if args.figure:
        draw_figure(cases, args.figure)


if __name__ == "__main__":
    main()
