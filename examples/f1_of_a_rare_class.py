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
# Tumours that ship with scikit-learn. All benign ones of the hold-out set stay, and one in
# four of the malignant ones, which are the positive class here.
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
y = np.where(y == 0, "malignant", "benign")
split = train_test_split(X, y, train_size=0.4, stratify=y, random_state=0)
X_train, X_test, y_train, y_test = split
malignant = np.flatnonzero(y_test == "malignant")
rows = np.sort(np.concatenate([np.flatnonzero(y_test == "benign"), malignant[::4]]))
X_test, y_test = X_test[rows], y_test[rows]
print(f"{len(y_test)} records, {np.mean(y_test == 'malignant'):.0%} of them malignant")

# %%
# The comparison
# --------------
# F1 is no mean over records, and both classifiers answer the same ones. The test allows for
# both. Precision and recall describe.
from skcompare import PairedComparator

comparator = PairedComparator(
    champion=DecisionTreeClassifier(max_depth=3, random_state=0).fit(X_train, y_train),
    challenger=make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train),
    cv="prefit",
    scoring=["f1", "precision", "recall", "accuracy"],
    pos_label="malignant",
)
comparator.fit(X_test, y_test)
print(comparator.comparison_)

# %%
# What a mistake costs
# --------------------
# Perhaps a missed tumour is ten times as bad as a false alarm. Then that is the score, as a
# function of the confusion matrix, and F1 only stood in for it. Classes are in sorted
# order: benign, malignant.
from skcompare.evidence import JointCounts
from skcompare.stats import score_difference


def saving(confusion):
    """Costs of false alarms and misses a record, as a score: more is better."""
    return -(confusion[0, 1] + 10 * confusion[1, 0]) / confusion.sum()


pair = (comparator.champion.predict(X_test), comparator.challenger.predict(X_test))
counts = JointCounts.from_predictions(y_test, *pair)
cost = score_difference(counts, score=saving, method="permutation")
print(cost)

# %%
# What follows
# ------------
found = []
for words, result in [("F1", comparator.results_["f1"].result), ("cost", cost)]:
    low, high = result.confidence_interval()
    judged = "differs" if result.pvalue < 0.05 else "does not differ"
    found.append(
        f"{words} {judged} significantly ({result.estimate:+.2f} [{low:.2f}, {high:.2f}])"
    )
print(f"With {len(malignant[::4])} malignant records, {', and '.join(found)}.")
