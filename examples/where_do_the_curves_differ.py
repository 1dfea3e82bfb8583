"""
Where do two ROC curves differ?
===============================

Two models rank the same records. Their areas under the ROC curve (AUC) may differ, but
nobody uses a whole curve: a service operates at one false positive rate. Where along the
curve is the difference, and is it significant there?
"""

# %%
# Two models
# ----------
# The breast-cancer records of scikit-learn, with four measurements that are easily made.
# Malignant tumours are the positive class, 1.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

data = load_breast_cancer()
easy = ["mean texture", "mean smoothness", "mean symmetry", "texture error"]
columns = [list(data.feature_names).index(name) for name in easy]
X, y = data.data[:, columns], 1 - data.target
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=0.4, stratify=y, random_state=0
)
tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X_train, y_train)
logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)

# %%
# The areas
# ---------
# DeLong's test accounts for both models ranking the same records.
from skcompare import compare

predictions = {
    "tree": tree.predict_proba(X_test)[:, 1],
    "logistic": logistic.predict_proba(X_test)[:, 1],
}
comparison = compare(y_test, predictions, scoring="roc_auc")
print(comparison)

# %%
# The curves, and the band of their difference
# --------------------------------------------
# The second panel is the difference of the sensitivities at each false positive rate. The
# shaded band holds at all rates together, the narrower lines at one rate chosen in advance.
from skcompare.plots import RocComparisonDisplay

RocComparisonDisplay.from_result(comparison)

# %%
# At four rates
# -------------
# Differences with their limits, at rates at which a service might operate.
from skcompare.evidence import PlacementValues
from skcompare.stats import roc_difference_band

placements = comparison.evidence(PlacementValues)
rates = [0.05, 0.1, 0.2, 0.5]
band = roc_difference_band(placements, fpr=rates)
for rate, difference, low, high in zip(
    rates, band.difference, band.simultaneous_low, band.simultaneous_high
):
    print(
        f"false positive rate {rate:.0%}: sensitivity differs by {difference:+.2f} "
        f"[{low:+.2f}, {high:+.2f}]"
    )

# %%
# Conclusion
# ----------
everywhere = roc_difference_band(placements)
higher = {
    "logistic regression": everywhere.fpr[everywhere.simultaneous_low > 0],
    "tree": everywhere.fpr[everywhere.simultaneous_high < 0],
}
places = [
    f"the {name} is more sensitive at some rates from {at.min():.0%} to {at.max():.0%}"
    for name, at in higher.items()
    if at.size
]
row = comparison.rows[0]
print(f"The areas are {row.champion:.2f} and {row.challenger:.2f} (p = {row.pvalue:.2g}).")
print(f"By the band {' and '.join(places) or 'the curves differ nowhere significantly'}.")
plt.show()
