"""
Is the F1 of a rare class better?
=================================

If one class is rare, accuracy is not informative: a classifier that never predicts it is
nearly always correct. F1 is about the rare class alone. But it then depends on few records,
so how certain is a difference of two F1 scores?
"""

# %%
# A rare class
# ------------
# The handwritten digits of scikit-learn, one in ten of which is an eight. The task is to
# find the eights.
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
required = int((y_test == "eight").sum())
print(f"{len(y_test)} records, {required} of them eights")

# %%
# The comparison
# --------------
# F1 is not a mean over records, and both classifiers predict the same ones. The test
# accounts for both. Precision and recall are reported as well.
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
# Costs of errors
# ---------------
# Perhaps a missed eight is ten times as bad as a false positive. Then use that cost as the
# score, a function of the confusion matrix, instead of F1. Classes are in sorted order:
# eight, other.
from skcompare.evidence import JointCounts
from skcompare.stats import score_difference


def saving(confusion):
    """Negative mean cost of false negatives and false positives: greater is better."""
    return -(10 * confusion[0, 1] + confusion[1, 0]) / confusion.sum()


pair = (comparator.champion.predict(X_test), comparator.challenger.predict(X_test))
counts = JointCounts.from_predictions(y_test, *pair)
cost = score_difference(counts, score=saving, method="permutation")
print(cost)

# %%
# Conclusion
# ----------
for name, result in [("F1", comparator.results_["f1"].result), ("saving", cost)]:
    low, high = result.confidence_interval()
    judged = "differs" if result.pvalue < 0.05 else "does not differ"
    print(
        f"With {required} records of the rare class {name} {judged} significantly: "
        f"{result.estimate:+.2f} [{low:+.2f}, {high:+.2f}]."
    )
plt.show()
