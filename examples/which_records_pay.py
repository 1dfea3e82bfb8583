"""
Which records make the difference?
==================================

The mean loss of a challenger is lower. Does it gain a little on every record, or much on a
few? The mean does not show it, and it matters: a gain on three records may disappear with
the next three hundred.
"""

# %%
# Two models
# ----------
# The breast-cancer records of scikit-learn. Naive Bayes is nearly always very certain, even
# when it is wrong.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
naive = GaussianNB().fit(X_train, y_train)
logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
proba = [model.predict_proba(X_test)[:, 1] for model in (naive, logistic)]

# %%
# The gain of each record
# -----------------------
# Positive if the log loss of the logistic regression is lower.
from skcompare.evidence import PairedLosses
from skcompare.plots import LossDifferenceDisplay

losses = PairedLosses.from_predictions(y_test, *proba, loss="log_loss")
LossDifferenceDisplay.from_result(losses)

# %%
# How many records account for the gain?
# --------------------------------------
gains = losses.champion - losses.challenger
largest = np.sort(gains)[::-1]
few = int(np.ceil(0.05 * len(gains)))
share = largest[:few].sum() / gains.sum()
print(f"{np.mean(gains > 0):.0%} of the records gain; the mean gain is {gains.mean():.3f}")
print(f"the {few} largest gains are {share:.0%} of the sum")

# %%
# Which test to use?
# ------------------
# The t test is about the mean, and is inaccurate with such rare large values. Wilcoxon's
# test addresses another question: does a typical record have a lower loss? The Brier loss
# is bounded, so no record can have that much weight.
from skcompare.stats import paired_t, wilcoxon

brier = PairedLosses.from_predictions(y_test, *proba, loss="binary_brier_loss")
tests = {
    "mean log loss": paired_t(losses),
    "typical log loss": wilcoxon(losses),
    "mean Brier loss": paired_t(brier),
}
for name, result in tests.items():
    print(f"{name:16s}  gain {result.estimate:+.2g}, p = {result.pvalue:.2g}")

# %%
# Conclusion
# ----------
print(f"The {few} largest gains, of {len(gains)}, are {share:.0%} of the sum.")
for name, result in tests.items():
    ahead = "the logistic regression" if result.estimate > 0 else "naive Bayes"
    judged = (
        f"{ahead} is better" if result.pvalue < 0.05 else "neither is shown to be better"
    )
    print(f"By {name} {judged} (p = {result.pvalue:.2g}).")
plt.show()
