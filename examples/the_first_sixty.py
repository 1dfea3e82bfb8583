"""
Which one finds more in the first sixty?
========================================

Often only a limited number of records can be inspected: the sixty that a classifier ranks
first. The share of hits among them is not a mean over records and has no formula for its
standard error. On a hold-out set it can be tested nevertheless.
"""

# %%
# Half of each digit
# ------------------
# The handwritten digits of scikit-learn, of which the models see the left half. The task is
# to find the ones.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, digit = load_digits(return_X_y=True)
left = X.reshape(-1, 8, 8)[:, :, :4].reshape(-1, 32)
y = (digit == 1).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    left, y, train_size=0.4, stratify=digit, random_state=0
)
models = {
    "naive Bayes": GaussianNB(var_smoothing=0.01),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}
proba = {
    name: model.fit(X_train, y_train).predict_proba(X_test)
    for name, model in models.items()
}

# %%
# The score
# ---------
# Any scorer of scikit-learn can be used. Records are resampled with both of their
# predictions, and both classifiers select their first sixty again from each resample.
from sklearn.metrics import make_scorer


def hits(y_true, y_score):
    """Share of positive records among the sixty with the highest scores."""
    first = np.argsort(-y_score, kind="stable")[:60]
    return np.asarray(y_true)[first].mean()


from skcompare import compare
from skcompare.plots import ForestDisplay

scoring = {
    "hits": make_scorer(hits, response_method="predict_proba"),
    "average_precision": "average_precision",
    "sensitivity_at_specificity": "sensitivity_at_specificity",
}
comparison = compare(y_test, proba, scoring=scoring)
print(comparison)
ForestDisplay.from_result(comparison)

# %%
# Conclusion
# ----------
row = comparison.rows[0]
judged = {
    "challenger": "The logistic regression finds more",
    "champion": "Naive Bayes finds more",
    "inconclusive": "Neither is shown to find more",
}[comparison.verdict]
first, second = 60 * row.champion, 60 * row.challenger
print(f"{judged} ones among its first sixty: {first:.0f} and {second:.0f}.")
print(
    f"The difference is {second - first:+.0f} [{60 * row.low:+.1f}, {60 * row.high:+.1f}]."
)
plt.show()
