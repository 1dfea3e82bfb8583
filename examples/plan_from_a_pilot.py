"""
How many records do I need?
===========================

Labels cost money. A small pilot is labelled, and two classifiers have answered it. How many
more records does it take to find out which one is better?
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
    """Right and wrong answers to some of the records."""
    records, truth = X[start:stop], y[start:stop]
    return ContingencyTable.from_predictions(
        truth, champion.predict(records), challenger.predict(records)
    )


pilot = table(200, 350)
print(mcnemar(pilot))

# %%
# What the pilot says about the size
# ----------------------------------
# If the pilot's difference and disagreement were the true ones, this many new records would
# find it in eight of ten cases. The last lines say how little the pilot knows: they are the
# plans for the ends of its interval.
# The first picture has the power by the number of records, the second the records by the
# difference that is to be found.
from skcompare.plots import PowerDisplay, SampleSizeDisplay

as_seen = plan_from_pilot(pilot)
print(as_seen)
PowerDisplay.from_result(as_seen)
SampleSizeDisplay.from_result(as_seen)

# %%
# The least difference that matters
# ---------------------------------
# A pilot's difference may be large by luck. Say that less than two points of accuracy would
# not be worth a change. Then plan for two points, with the disagreement of the pilot, which
# is known better than the difference.
accuracy = pilot.accuracies[0]
plan = plan_comparison(accuracy, accuracy + 0.02, disagreement=pilot.n_discordant / pilot.n)
print(plan)
available = len(y) - 350
power = plan_comparison(
    accuracy, accuracy + 0.02, disagreement=plan.disagreement, n=available
).power
print(f"The {available} records that can be had find two points with power {power:.2f}.")

# %%
# The records are labelled
# ------------------------
# As many as for the difference that the pilot saw; the pilot's own records do not count.
n = int(as_seen.records)
final = mcnemar(table(350, 350 + n))
print(final)

# %%
# What follows
# ------------
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
    print(
        "The pilot's was luck, or this is the one case in five that the plan leaves open."
    )
plt.show()
