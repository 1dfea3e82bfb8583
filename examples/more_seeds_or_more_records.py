"""
More seeds, or more records?
============================

The difference of two recipes varies over the test records and over the trainings. More
records do not reduce the variation of training, and more trainings do not reduce that of
the records. A pilot shows how large each part is, and a plan shows what to spend on each.
"""

# %%
# A pilot
# -------
# Forests of 10 and of 20 trees read digits. Four trainings of each predict 250 records.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import shuffle

from skcompare import compare_seeds

X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
X_train, y_train = X[:500], y[:500]


def predictions(n_trees, seeds, records):
    """Predictions of a training with each seed, one row each."""
    forests = (ExtraTreesClassifier(n_trees, random_state=seed) for seed in seeds)
    return np.stack([each.fit(X_train, y_train).predict(X[records]) for each in forests])


first = slice(500, 750)
pilot = compare_seeds(
    y[first],
    {
        "10 trees": predictions(10, range(4), first),
        "20 trees": predictions(20, range(4), first),
    },
)
print(pilot)

# %%
# Where the variance comes from
# -----------------------------
# The upper panel shows the accuracy of each training, the lower one the components of the
# variance of the difference, and what would remain with twice the records or trainings.
from skcompare.plots import TrainingVarianceDisplay

TrainingVarianceDisplay.from_result(pilot)

# %%
# What to spend
# -------------
# Suppose that a training costs two minutes, and the label of a record a tenth of a minute.
# A difference of two points of accuracy should be detected, whatever the pilot's
# difference. With three or four trainings no number of records is enough: they show too
# little of how much trainings vary.
from skcompare.evidence import CrossedDifferences
from skcompare.stats import plan_trainings_from_pilot

plan = plan_trainings_from_pilot(
    pilot.evidence(CrossedDifferences),
    difference=0.02,
    training_cost=2.0,
    record_cost=0.1,
)
print(plan)
choices = [row for row in plan.choices if np.isfinite(row.records)]
for row in choices:
    print(f"{row.n_trainings:2} trainings, {row.records:4.0f} records: {row.cost:.0f} min")

# %%
# Cost by the number of trainings
# -------------------------------
_, ax = plt.subplots(figsize=(6, 3.2))
ax.plot([row.n_trainings for row in choices], [row.cost for row in choices], "o-")
ax.set_xlabel("Trainings of each recipe")
ax.set_ylabel("Cost in minutes")
ax.set_title("Trainings and records that find two points of accuracy", fontsize="medium")

# %%
# The comparison as planned
# -------------------------
# New seeds, and new records: the pilot's do not count.
new = slice(750, 750 + int(plan.records))
seeds = range(4, 4 + plan.n_trainings)
final = compare_seeds(
    y[new],
    {
        "10 trees": predictions(10, seeds, new),
        "20 trees": predictions(20, seeds, new),
    },
)
print(final)

# %%
# Conclusion
# ----------
row = final.results["accuracy"]
found = "are better" if row.pvalue < 0.05 and row.difference > 0 else "are not shown better"
print(f"{plan.n_trainings} trainings of each and {plan.records:.0f} records were planned.")
print(
    f"20 trees {found}: {row.difference:+.3f} in [{row.low:+.3f}, {row.high:+.3f}], "
    f"p = {row.pvalue:.3f}."
)
plt.show()
