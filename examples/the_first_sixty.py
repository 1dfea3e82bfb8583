"""
Who finds more in the first sixty?
==================================

Often only so many records can be looked at: the sixty that a classifier puts first. How
many of them are hits is no mean over records and has no formula for its error. On a
hold-out set it has a test all the same.
"""

# %%
# Digits that are easily confused
# -------------------------------
# Handwritten digits that ship with scikit-learn, in noise. Wanted are the nines.
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, digit = load_digits(return_X_y=True)
X = X + np.random.default_rng(0).normal(0, 6, X.shape)
y = (digit == 9).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=0.4, stratify=digit, random_state=0
)
models = {
    "naive Bayes": GaussianNB(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.01)),
}
proba = {
    name: model.fit(X_train, y_train).predict_proba(X_test)
    for name, model in models.items()
}

# %%
# The score
# ---------
# Any scorer of scikit-learn will do. Records are resampled with both answers to them, and
# both classifiers choose their sixty anew from each resample.
from sklearn.metrics import make_scorer


def hits(y_true, y_score):
    """Share of wanted records among the sixty with the highest scores."""
    first = np.argsort(-y_score, kind="stable")[:60]
    return np.asarray(y_true)[first].mean()


from skcompare import compare

scoring = {
    "hits": make_scorer(hits, response_method="predict_proba"),
    "average_precision": "average_precision",
    "sensitivity_at_specificity": "sensitivity_at_specificity",
}
comparison = compare(y_test, proba, scoring=scoring)
print(comparison)

# %%
# What follows
# ------------
row = comparison.rows[0]
judged = {
    "challenger": "The logistic regression finds more",
    "champion": "Naive Bayes finds more",
    "inconclusive": "Nobody can say which finds more",
}[comparison.verdict]
print(
    f"{judged} nines among its first sixty: {60 * row.champion:.0f} and "
    f"{60 * row.challenger:.0f}, difference {60 * row.difference:+.0f} "
    f"[{60 * row.low:+.1f}, {60 * row.high:+.1f}]."
)
