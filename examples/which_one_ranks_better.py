"""
Which one ranks better?
=======================

If records are processed from the top of a ranking, only the order of the scores matters,
and the area under the ROC curve (AUC) measures it. Several classifiers that rank the same
records are compared jointly, and with many classes each has its own curve.
"""

# %%
# Three classifiers, one hold-out set
# -----------------------------------
# The wines of scikit-learn, with three of their measurements.
import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X[:, [1, 2, 7]], y, train_size=0.4, stratify=y, random_state=0
)
models = {
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}
proba = {
    name: model.fit(X_train, y_train).predict_proba(X_test)
    for name, model in models.items()
}

# %%
# All classes at once
# -------------------
# The mean of the three one-vs-rest areas. The classes are not independent, and the test
# accounts for that. To the right of zero the logistic regression is better than the tree.
from skcompare import compare
from skcompare.plots import ForestDisplay

pair = {name: proba[name] for name in ("tree", "logistic")}
comparison = compare(y_test, pair, scoring=["roc_auc_ovr", "roc_auc_ovo", "accuracy"])
print(comparison)
ForestDisplay.from_result(comparison)

# %%
# Class by class
# --------------
# With p-values adjusted for the number of classes.
for part in comparison.results["roc_auc_ovr"].result.parts:
    print(
        f"class {part['label']}: {part['champion']:.3f} to {part['challenger']:.3f}, "
        f"p = {part['pvalue']:.2g}, adjusted {part['adjusted_pvalue']:.2g}"
    )

# %%
# Several classifiers, one class
# ------------------------------
# All pairs, adjusted by max-T, which accounts for the dependence of the pairs.
from skcompare.evidence import PlacementValues
from skcompare.stats import pairwise_delong

scores = [prediction[:, 1] for prediction in proba.values()]
placements = PlacementValues.from_predictions(y_test == 1, *scores, names=list(proba))
pairwise = pairwise_delong(placements, adjust="max-t")
print(pairwise)

# %%
# Conclusion
# ----------
row = comparison.rows[0]
judged = {
    "challenger": "The logistic regression ranks better than the tree",
    "champion": "The tree ranks better than the logistic regression",
    "inconclusive": "Neither the tree nor the logistic regression is shown to rank better",
}[comparison.verdict]
print(f"{judged}.")
print(
    f"Mean AUC {row.champion:.3f} and {row.challenger:.3f}, difference "
    f"{row.difference:+.3f} [{row.low:+.3f}, {row.high:+.3f}]."
)
plt.show()
