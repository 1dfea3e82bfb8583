"""
Is one boosting library better than the others?
===============================================

Scikit-learn, xgboost and lightgbm grow trees in much the same way, and each is said to be
the best. Is one of them really more accurate than the others? Here they read the
breast-cancer records of scikit-learn; or, with a folder, they tell gamma rays from hadrons
in the 19,020 records of UCI's MAGIC telescope::

    pip install ".[frames,models,plot]"
    python examples/three_boosting_libraries.py --data FOLDER

FOLDER holds ``magic04.data`` as it comes from https://archive.ics.uci.edu/dataset/159, or
``magic.csv.gz`` with a header: ten columns of numbers, and then the class, g or h.
"""

# %%
# The data
# --------
# xgboost wants the labels 0 and 1.
import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer


def load(folder):
    """Features of each record, and whether it is of the positive class."""
    if folder is None:
        return load_breast_cancer(return_X_y=True)
    import pandas as pd

    original = folder / "magic04.data"
    if original.exists():
        frame = pd.read_csv(original, header=None)
    else:
        frame = pd.read_csv(folder / "magic.csv.gz")
    frame.columns = [f"feature {k}" for k in range(10)] + ["kind"]
    return frame.drop(columns="kind"), (frame["kind"] == "g").astype(int)


parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("--data", type=Path, help="folder of magic04.data")
X, y = load(parser.parse_known_args()[0].data)

# %%
# The comparison
# --------------
# Each library with its own defaults, on one processor, in 10 fits on halves of the records.
# The three pairs are compared, and their p-values adjusted for being three.
from lightgbm import LGBMClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from xgboost import XGBClassifier

from skcompare import MultipleComparator

libraries = [
    ("scikit-learn", HistGradientBoostingClassifier()),
    ("xgboost", XGBClassifier(n_jobs=1)),
    ("lightgbm", LGBMClassifier(n_jobs=1, verbose=-1)),
]
comparator = MultipleComparator(
    libraries, scoring=["accuracy", "roc_auc"], random_state=0
).fit(X, y)
print(comparator.comparison_)

# %%
# The picture
# -----------
# Libraries that a bar connects are not told apart.
from skcompare.plots import CriticalDifferenceDisplay

CriticalDifferenceDisplay.from_result(comparator)

# %%
# What follows
# ------------
groups = [" and ".join(group) for group in comparator.groups_ if len(group) > 1]
print(f"Not told apart: {'; '.join(groups) or 'none'}.")
plt.show()
