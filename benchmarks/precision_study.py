"""The study of Gondara's "Classifier comparison using precision", run again.

    python benchmarks/precision_study.py --data DATA    # five minutes
    python benchmarks/precision_study.py --data DATA --only ranges --repeats 20
    python benchmarks/precision_study.py --data DATA --only figure-3 --repeats 50

DATA is a folder with `NAME.csv.gz` files, features first and the class in the column
`target`. Tables 5 to 11 of the paper are printed beside the paper's values. "NB" is
GaussianNB of scikit-learn and "NB, R" naive Bayes by the rules of R's e1071, which the
paper used; other columns with and without "R" differ by the naive Bayes only. With
`--repeats`, the table of ranges says how much the values depend on forests and on splits.
"""

import argparse
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from precision_study_fits import Study
from precision_study_paper import NAMES
from precision_study_tables import (
    figure_3,
    phishing_table,
    range_tables,
    table_5,
    table_6,
    table_7,
    table_8,
    table_9,
    table_10,
    table_11,
)

TABLES = {
    "5": table_5,
    "6": table_6,
    "7": table_7,
    "8": table_8,
    "9": table_9,
    "10": table_10,
    "11": table_11,
}
FIGURE = "figure-3"
RANGES = "ranges"


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of the data sets")
    add("--only", nargs="+", choices=(*TABLES, RANGES, FIGURE), help="print these only")
    add("--seed", type=int, default=0, help="of forests and folds")
    add("--trees", type=int, default=1000, help="of a random forest")
    add("--repeats", type=int, default=0, help="forests and splits of the ranges")
    add("--repeat-trees", type=int, default=100, help="of these forests, and of figure-3")
    add(
        "--names",
        nargs="+",
        choices=tuple(NAMES),
        default=tuple(NAMES),
        help="data sets of ranges",
    )
    add("--n-jobs", type=int, default=1, help="trees or folds at a time; -1 for all cores")
    add("--cache", type=Path, help="folder that keeps predictions for the next run")
    add("--rst", action="store_true", help="print reStructuredText")
    args = parser.parse_args(arguments)
    required = args.only or (*TABLES, *[RANGES] * (args.repeats > 0))
    if args.repeats < 2 and {RANGES, FIGURE} & set(required):
        parser.error("ranges and figure-3 need --repeats 2 or more")
    return args, required


def main(arguments=None):
    args, required = parsed(arguments)
    trees = {"RF1": args.trees, "RF2": 50}
    with TemporaryDirectory() as folder:
        cache = args.cache or Path(folder)
        study = Study(args.data, cache, args.seed, trees, args.n_jobs)
        repeated = {
            FIGURE: [partial(figure_3, study, args.repeats, args.repeat_trees)],
            RANGES: [
                partial(phishing_table, study, args.repeats),
                partial(range_tables, study, args.repeats, args.repeat_trees, args.names),
            ],
        }
        for name in required:
            for step in repeated.get(name) or [partial(TABLES[name], study)]:
                made = step()
                for table in made if isinstance(made, tuple) else [made]:
                    table.show(rst=args.rst)


if __name__ == "__main__":
    main()
