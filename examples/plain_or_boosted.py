"""
Is boosting worth it?
=====================

A decision tree is in use, and can be drawn on a page. Gradient boosting grows fifty of
them. Is it really better, or does it only look better on one split? And would a plain
linear model have been enough?
"""

# %%
# The records
# -----------
# The breast-cancer records of scikit-learn.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

X, y = load_breast_cancer(return_X_y=True)
print(f"{len(y)} records, {y.mean():.0%} of them benign")

# %%
# The comparison
# --------------
# Both are fitted ten times, on the halves of a 5×2 block-regularized cross-validation, and
# predict the other halves. The verdict comes from the first measure; it is about the two
# learning algorithms, not about two models.
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skcompare import PairedComparator

boosting = GradientBoostingClassifier(n_estimators=50)
settings = {"scoring": ["accuracy", "roc_auc"], "random_state": 0}
tree = PairedComparator(DecisionTreeClassifier(max_depth=5), boosting, **settings)
print(tree.fit(X, y).comparison_)

# %%
# The linear model is compared on the same splits, because the seed is the same.
plain = make_pipeline(StandardScaler(), LogisticRegression())
linear = PairedComparator(plain, boosting, **settings)
print(linear.fit(X, y).comparison_)

# %%
# The figure
# ----------
# To the right of zero boosting is better. An interval that excludes zero is a significant
# difference.
from skcompare.plots import ForestDisplay

ForestDisplay.from_result({"tree": tree.comparison_, "linear model": linear.comparison_})

# %%
# Conclusion
# ----------
for name, comparator in [("the tree", tree), ("the linear model", linear)]:
    low, high = comparator.results_["accuracy"].confidence_interval()
    found = {
        "challenger": f"better than {name}, by {low:.3f} to {high:.3f}",
        "champion": f"worse than {name}, by {-high:.3f} to {-low:.3f}",
        "inconclusive": f"not shown to differ from {name} [{low:+.3f}, {high:+.3f}]",
    }[comparator.verdict_]
    print(f"In accuracy boosting is {found}.")
plt.show()
