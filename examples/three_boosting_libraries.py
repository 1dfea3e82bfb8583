"""
Is one boosting library better than the others?
===============================================

Scikit-learn, xgboost and lightgbm grow trees in much the same way, and each is said to be
the best. Is one of them really more accurate than the others? By default they are compared
on the breast-cancer records of scikit-learn; with a folder, on the 19,020 records of UCI's
MAGIC telescope, in which they distinguish gamma rays from hadrons::

    pip install ".[frames,models,plot]"
    python examples/three_boosting_libraries.py --data FOLDER

FOLDER contains ``magic04.data`` from https://archive.ics.uci.edu/dataset/159, or
``magic.csv.gz`` with a header: ten numeric columns, and then the class, g or h.
"""

# %%
# The data
# --------
# xgboost requires the labels 0 and 1.
import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer


def load(folder):
    """Features of each record, and whether it belongs to the positive class."""
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
# Each library uses its own defaults, on one processor, in 10 fits on halves of the records.
# The three pairs are compared, and their p-values adjusted for multiplicity.
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
# The figure
# ----------
# Libraries that are connected by a bar do not differ significantly.
from skcompare.plots import CriticalDifferenceDisplay

CriticalDifferenceDisplay.from_result(comparator)

# %%
# Conclusion
# ----------
groups = [" and ".join(group) for group in comparator.groups_ if len(group) > 1]
print(f"No significant difference: {'; '.join(groups) or 'none'}.")
plt.show()
