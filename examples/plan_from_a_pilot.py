"""
How many records do I need?
===========================

Labels cost money. A small pilot set is labelled, and two classifiers have predicted it. How
many more records are needed to find out which one is better?
"""

# %%
# The pilot
# ---------
# 150 labelled digits, which neither classifier has seen. Do they settle the question?
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import shuffle

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar, plan_comparison, plan_from_pilot

X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
champion = LogisticRegression(max_iter=2000).fit(X[:200], y[:200])
challenger = KNeighborsClassifier(n_neighbors=3).fit(X[:200], y[:200])


def table(start, stop):
    """Counts of correct and incorrect predictions of some of the records."""
    records, truth = X[start:stop], y[start:stop]
    return ContingencyTable.from_predictions(
        truth, champion.predict(records), challenger.predict(records)
    )


pilot = table(200, 350)
print(mcnemar(pilot))

# %%
# Sample size from the pilot
# --------------------------
# If the pilot's difference and disagreement were the true ones, this many new records would
# detect it in eight of ten cases. The last lines show the uncertainty of the pilot: they
# are the plans for the limits of its interval. The first figure shows the power by the
# number of records, the second the number of records by the difference to be detected.
from skcompare.plots import PowerDisplay, SampleSizeDisplay

as_seen = plan_from_pilot(pilot)
print(as_seen)
PowerDisplay.from_result(as_seen)
SampleSizeDisplay.from_result(as_seen)

# %%
# The smallest relevant difference
# --------------------------------
# A pilot's difference may be large by chance. Suppose that less than two points of accuracy
# would not be worth a change. Then plan for two points, with the disagreement of the pilot,
# which is estimated better than the difference.
accuracy = pilot.accuracies[0]
plan = plan_comparison(accuracy, accuracy + 0.02, disagreement=pilot.n_discordant / pilot.n)
print(plan)
available = len(y) - 350
power = plan_comparison(
    accuracy, accuracy + 0.02, disagreement=plan.disagreement, n=available
).power
print(f"The {available} available records find two points with power {power:.2f}.")

# %%
# The final test
# --------------
# The number of records is that for the pilot's difference; the pilot's own records do not
# count.
n = int(as_seen.records)
final = mcnemar(table(350, 350 + n))
print(final)

# %%
# Conclusion
# ----------
low, high = final.confidence_interval()
if final.pvalue < 0.05:
    better = "challenger" if final.estimate > 0 else "champion"
    least, most = sorted([abs(low), abs(high)])
    print(
        f"{n} new records settle it: the {better} is better, by {least:.3f} to {most:.3f}."
    )
else:
    print(
        f"{n} new records do not settle it: the difference is in [{low:.3f}, {high:.3f}]."
    )
    print("The pilot's was due to chance, or this is the one case in five that is missed.")
plt.show()
