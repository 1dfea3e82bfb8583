"""
Is gradient boosting worth it?
==============================

A logistic regression runs today and is easy to explain. Gradient boosting might be better
on these records, but is it really, or does it only look so on one split?
"""

# %%
# The records
# -----------
# The handwritten digits that ship with scikit-learn: 1,797 records of ten classes.
from sklearn.datasets import load_digits

X, y = load_digits(return_X_y=True)
print(f"{len(y)} records, {len(set(y.tolist()))} classes")

# %%
# The comparison
# --------------
# Both are fitted ten times, on the halves of a 5×2 block-regularized cross-validation, and
# answer the other halves.
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skcompare import PairedComparator

comparator = PairedComparator(
    champion=make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    challenger=HistGradientBoostingClassifier(max_iter=20),
    random_state=0,
)
comparator.fit(X, y)
print(comparator.comparison_)

# %%
# What follows
# ------------
# The verdict is about the two ways of training. The interval says how much better or worse
# boosting may be; positive numbers would favour it.
row = comparator.results_["accuracy"]
low, high = row.confidence_interval()
if comparator.verdict_ == "challenger":
    print(f"Boosting is better, by {low:.3f} to {high:.3f}.")
elif comparator.verdict_ == "champion":
    print(f"Keep the linear model: boosting is worse, by {-high:.3f} to {-low:.3f}.")
else:
    print(f"Not settled: boosting may be from {low:.3f} to {high:+.3f} better.")
