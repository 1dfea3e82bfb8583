"""
Is another threshold worth it?
==============================

A classifier predicts that a tumour is malignant if the probability is at least one half. If
a missed tumour is ten times as bad as a false positive, the threshold should be lower.
Scikit-learn finds one by cross-validation. Is it really better on new records, and at what
price?
"""

# %%
# The cost, as a score
# --------------------
# A false positive costs 1, a missed tumour 10. A score must be greater if it is better, so
# it is the negative mean cost.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import make_scorer


def saving(y_true, y_pred):
    """Negative mean cost of false positives and false negatives: greater is better."""
    alarms, misses = y_pred > y_true, y_pred < y_true
    return -np.mean(alarms + 10 * misses)


# %%
# Two thresholds
# --------------
# The breast-cancer records of scikit-learn, with four measurements that are easily made,
# and 1 for malignant. The challenger is the same model, with a threshold that was tuned on
# the training records.
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

data = load_breast_cancer(as_frame=False)
easy = ["mean texture", "mean smoothness", "mean symmetry", "texture error"]
X = data.data[:, [list(data.feature_names).index(name) for name in easy]]
y = 1 - data.target
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
model = make_pipeline(StandardScaler(), LogisticRegression())
half = model.fit(X_train, y_train)
score = make_scorer(saving)
tuned = TunedThresholdClassifierCV(model, scoring=score).fit(X_train, y_train)

# %%
# What changes
# ------------
# The tuned classifier finds malignant tumours that the other misses, and has more false
# positives. The saving shows which weighs more. (The advice on an ensemble is based on
# accuracy, which treats both kinds of error equally, so it does not apply here.)
from skcompare import compare
from skcompare.plots import ForestDisplay

predictions = {"one half": half.predict(X_test), "tuned": tuned.predict(X_test)}
scoring = {"saving": score, "recall": "recall", "precision": "precision"}
comparison = compare(y_test, predictions, scoring=scoring)
print(comparison)
ForestDisplay.from_result(comparison)

# %%
# Conclusion
# ----------
row, recall, precision = (comparison.results[name] for name in scoring)
judged = {
    "challenger": "The tuned threshold is better",
    "champion": "The threshold of one half is better",
    "inconclusive": "Neither threshold is shown to be better",
}[comparison.verdict]
print(
    f"{judged}: the mean saving differs by {row.difference:+.2f} "
    f"[{row.low:+.2f}, {row.high:+.2f}]."
)
print(
    f"Recall of malignant tumours goes from {recall.champion:.2f} to "
    f"{recall.challenger:.2f}, precision from {precision.champion:.2f} to "
    f"{precision.challenger:.2f}."
)
plt.show()
