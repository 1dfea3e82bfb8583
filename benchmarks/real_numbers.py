"""Ridge regression and boosting on numeric columns of real data sets.

    python -m benchmarks.real_numbers --data DATA    # a minute

DATA is a folder with `NAME.csv.gz` files of data sets of UCI: features first, and a class
in the column `target`, which is left out. Each of some numeric columns is predicted from
the others; diabetes ships with scikit-learn. Half of the records train both models, which
are compared on the other half by R² and by the mean absolute error, and in a gate; and
both ways of training are compared on all records.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.validity._lib.tables import Table
from skcompare import PairedComparator, compare
from skcompare.gate import Gate, Superior

TARGETS = {
    "magic": ("fdist", "fm3long"),
    "page_blocks": ("blackand", "wb_trans", "height"),
    "wilt": ("sd_pan", "mean_nir", "mean_green"),
}
FEW = "decided-by-few-records"
COLUMNS = (
    "data set and target",
    "tested records",
    "R² of both",
    "p of R²",
    "p of MAE",
    "largest share",
    "gate",
    "algorithms (p)",
)


def ridge():
    return make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13)))


def boosting():
    return HistGradientBoostingRegressor(random_state=0)


def problems(folder):
    """Yield the names of the targets, with records and numbers to predict."""
    for name, targets in TARGETS.items():
        frame = pd.read_csv(folder / f"{name}.csv.gz").drop(columns="target")
        for target in targets:
            X = frame.drop(columns=target).to_numpy(float)
            yield f"{name}: {target}", X, frame[target].to_numpy(float)
    yield ("diabetes: progress", *load_diabetes(return_X_y=True))


def cells(name, X, y):
    """Yield the cells of a row of the table."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    predicted = {
        "ridge": ridge().fit(X_train, y_train).predict(X_test),
        "boosting": boosting().fit(X_train, y_train).predict(X_test),
    }
    comparison = compare(y_test, predicted)
    r2, mae = (comparison.results[key] for key in ("r2", "neg_mean_absolute_error"))
    gate = Gate(Superior("neg_mean_absolute_error"))
    algorithms = PairedComparator(ridge(), boosting(), random_state=0).fit(X, y)
    row = algorithms.comparison_.rows[0]
    yield from (name, len(y_test), f"{r2.champion:.3f} and {r2.challenger:.3f}")
    yield from (marked(result) for result in (r2, mae))
    yield f"{r2.result.details['largest_share']:.2f}"
    yield gate.decide(y_test, predicted).status
    yield f"{algorithms.verdict_} ({shown(row.pvalue)})"


def marked(row):
    """Return the p-value of a row, with a star where few records decide."""
    return shown(row.pvalue) + "*" * (FEW in row.flags)


def shown(p):
    return "< 1e-16" if p < 1e-16 else f"{p:.1e}" if p < 1e-3 else f"{p:.3f}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--rst", action="store_true", help="print reStructuredText")
    args = parser.parse_args(arguments)
    table = Table("Ridge regression (champion) and boosting", COLUMNS)
    for problem in problems(args.data):
        table.add(*cells(*problem))
    table.show(rst=args.rst)


if __name__ == "__main__":
    main()
