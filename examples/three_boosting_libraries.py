"""
Three gradient-boosting libraries on one data set
=================================================

Scikit-learn, xgboost and lightgbm grow trees in much the same way, and each is said to be
the best. Is one of them really more accurate than the others? Here they tell gamma rays
from hadrons in the 19,020 records of UCI's MAGIC telescope::

    pip install ".[frames,models]"
    python examples/three_boosting_libraries.py --data FOLDER

FOLDER holds ``magic04.data`` as it comes from https://archive.ics.uci.edu/dataset/159, or
``magic.csv.gz`` with a header: ten columns of numbers, and then the class, g or h.
"""

# %%
# The data
# --------
# xgboost wants the labels 0 and 1. The MAGIC records are public, but do not come with any
# library; without them, or without one of the libraries, there is nothing to compare.
import argparse
from importlib.util import find_spec
from pathlib import Path

LIBRARIES = ("pandas", "xgboost", "lightgbm")

parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("--data", type=Path, help="folder of magic04.data")
folder = parser.parse_known_args()[0].data
missing = [name for name in LIBRARIES if find_spec(name) is None]


def load(folder):
    """Ten features of each record, and whether it is a gamma ray."""
    import pandas as pd

    original = folder / "magic04.data"
    if original.exists():
        frame = pd.read_csv(original, header=None)
    else:
        frame = pd.read_csv(folder / "magic.csv.gz")
    frame.columns = [f"feature {k}" for k in range(10)] + ["kind"]
    return frame.drop(columns="kind"), (frame["kind"] == "g").astype(int)


# %%
# The comparison
# --------------
# Each library with its own defaults, in 10 fits on halves of the records. The three pairs
# are compared, and their p-values adjusted for being three.
def compare_libraries(X, y):
    """The fitted comparator of the three."""
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier
    from xgboost import XGBClassifier

    from skcompare import MultipleComparator

    return MultipleComparator(
        [
            ("scikit-learn", HistGradientBoostingClassifier()),
            ("xgboost", XGBClassifier()),
            ("lightgbm", LGBMClassifier(verbose=-1)),
        ],
        scoring=["accuracy", "roc_auc"],
        random_state=0,
    ).fit(X, y)


# %%
# What follows
# ------------
# Libraries in one group are not told apart.
if folder is None:
    print("Nothing is compared without the records: pass --data FOLDER.")
elif missing:
    print(f"Nothing is compared without {' and '.join(missing)}: install them first.")
else:
    comparator = compare_libraries(*load(folder))
    print(comparator.comparison_)
    groups = [" and ".join(group) for group in comparator.groups_]
    print(f"Not told apart: {'; '.join(groups)}.")
