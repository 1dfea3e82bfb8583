"""
Is the F1 of a rare class better?
=================================

Where one class is rare, accuracy says little: who never raises an alarm is right nearly
always. F1 looks at the rare class alone. But it then depends on few records, so how sure is
a difference of two F1 scores?
"""

# %%
# A rare class
# ------------
# Handwritten digits that ship with scikit-learn, one in ten of which is an eight. Those are
# what is looked for.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, digit = load_digits(return_X_y=True)
y = np.where(digit == 8, "eight", "other")
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=0.4, stratify=digit, random_state=0
)
wanted = int((y_test == "eight").sum())
print(f"{len(y_test)} records, {wanted} of them eights")

# %%
# The comparison
# --------------
# F1 is no mean over records, and both classifiers answer the same ones. The test allows for
# both. Precision and recall describe.
from skcompare import PairedComparator
from skcompare.plots import ForestDisplay

comparator = PairedComparator(
    champion=DecisionTreeClassifier(random_state=0).fit(X_train, y_train),
    challenger=make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train),
    cv="prefit",
    scoring=["f1", "precision", "recall", "accuracy"],
    pos_label="eight",
)
comparator.fit(X_test, y_test)
print(comparator.comparison_)
ForestDisplay.from_result(comparator)

# %%
# What a mistake costs
# --------------------
# Perhaps a missed eight is ten times as bad as a false alarm. Then that is the score, as a
# function of the confusion matrix, and F1 only stood in for it. Classes are in sorted
# order: eight, other.
from skcompare.evidence import JointCounts
from skcompare.stats import score_difference


def saving(confusion):
    """Costs of misses and false alarms a record, as a score: more is better."""
    return -(10 * confusion[0, 1] + confusion[1, 0]) / confusion.sum()


pair = (comparator.champion.predict(X_test), comparator.challenger.predict(X_test))
counts = JointCounts.from_predictions(y_test, *pair)
cost = score_difference(counts, score=saving, method="permutation")
print(cost)

# %%
# What follows
# ------------
for words, result in [("F1", comparator.results_["f1"].result), ("saving", cost)]:
    low, high = result.confidence_interval()
    judged = "differs" if result.pvalue < 0.05 else "does not differ"
    print(
        f"With {wanted} records of the rare class {words} {judged} significantly: "
        f"{result.estimate:+.2f} [{low:+.2f}, {high:+.2f}]."
    )
plt.show()
