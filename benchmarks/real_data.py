"""Comparisons on real data sets: numeric, with string classes, with categorical columns.

    python benchmarks/real_data.py DATA --n-jobs 2

DATA is a folder with `NAME.csv.gz` files, features first and the class in the column
`target`, and a `columns.json` that names the categorical columns of each. The report of
each comparison is printed, and the time that it took.
"""

import argparse
import json
import time
from pathlib import Path

import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skcompare import PairedComparator

NAMES = ("magic", "spambase", "letter", "adult", "car")


def load(folder, name):
    """Features with their categorical columns as categories, and the class labels."""
    frame = pd.read_csv(folder / f"{name}.csv.gz")
    described = json.loads((folder / "columns.json").read_text(encoding="utf-8"))[name]
    categorical = described["categorical_columns"]
    frame = frame.astype(dict.fromkeys(categorical, "category"))
    return frame.drop(columns="target"), frame["target"]


def encoded(classifier):
    """A classifier of scaled numbers and one-hot categories."""
    encoder = make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_include="category"),
        ),
        remainder=StandardScaler(),
    )
    return make_pipeline(encoder, classifier)


def pair_for(name):
    """A champion and a challenger that suit the data set."""
    if name == "letter":
        return encoded(GaussianNB()), RandomForestClassifier(100)
    if name in ("adult", "car"):
        boosting = HistGradientBoostingClassifier(categorical_features="from_dtype")
        return encoded(LogisticRegression(max_iter=1000)), boosting
    return encoded(LogisticRegression(max_iter=1000)), HistGradientBoostingClassifier()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder of the data sets")
    parser.add_argument("--names", nargs="*", default=NAMES)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--random-state", type=int, default=0)
    arguments = parser.parse_args()
    for name in arguments.names:
        X, y = load(arguments.data, name)
        start = time.perf_counter()
        comparator = PairedComparator(
            *pair_for(name),
            scoring=["accuracy", "balanced_accuracy", "multiclass_brier_loss"],
            n_jobs=arguments.n_jobs,
            random_state=arguments.random_state,
        ).fit(X, y)
        seconds = time.perf_counter() - start
        print(f"== {name}: {X.shape[1]} features, {y.nunique()} classes, {seconds:.1f} s")
        print(comparator.comparison_, end="\n\n", flush=True)


if __name__ == "__main__":
    main()
