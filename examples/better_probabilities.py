"""
Whose probabilities are better?
===============================

Two classifiers may be right equally often and give probabilities of different worth. The
Brier loss and the log loss tell, and their parts say why.
"""

# %%
# Naive Bayes before and after calibration
# ----------------------------------------
# Handwritten digits that ship with scikit-learn: is it an odd one? Naive Bayes counts
# correlated pixels as if each were new, and is too sure of itself. The challenger is the
# same classifier with its probabilities recalibrated by cross-validation.
import matplotlib.pyplot as plt
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

X, digit = load_digits(return_X_y=True)
y = digit % 2
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=0.4, stratify=digit, random_state=0
)
naive = GaussianNB(var_smoothing=0.1).fit(X_train, y_train)
calibrated = CalibratedClassifierCV(GaussianNB(var_smoothing=0.1), method="isotonic", cv=5)
calibrated.fit(X_train, y_train)

# %%
# The comparison
# --------------
# Each loss has a test of its own. The verdict comes from the first. In the picture all of
# them are gains: to the right of the line of zero the recalibrated one is better.
from skcompare import compare
from skcompare.plots import ForestDisplay

answers = {
    "naive": naive.predict_proba(X_test),
    "calibrated": calibrated.predict_proba(X_test),
}
scoring = ["brier_loss", "neg_log_loss", "squared_calibration_error", "roc_auc", "accuracy"]
comparison = compare(y_test, answers, scoring=scoring)
print(comparison)
ForestDisplay.from_result(comparison)

# %%
# What the losses are made of
# ---------------------------
# Miscalibration is what recalibrating would remove, discrimination what is known beyond the
# base rate.
from skcompare.metrics import score_decomposition

parts = {
    name: score_decomposition(y_test, proba[:, 1], loss="brier")
    for name, proba in answers.items()
}
for name, part in parts.items():
    print(
        f"{name:10s}  Brier loss {part.score:.3f} = "
        f"miscalibration {part.miscalibration:.3f} "
        f"- discrimination {part.discrimination:.3f} + uncertainty {part.uncertainty:.3f}"
    )

# %%
# What follows
# ------------
row, ranking = comparison.results["brier_loss"], comparison.results["roc_auc"]
gained = parts["naive"].miscalibration - parts["calibrated"].miscalibration
judged = {
    "challenger": "The calibrated probabilities are better",
    "champion": "The naive probabilities are better",
    "inconclusive": "Nobody can say whose probabilities are better",
}[comparison.verdict]
print(
    f"{judged}: the Brier loss gains {row.difference:+.3f} [{row.low:.3f}, {row.high:.3f}]."
)
print(
    f"Calibration gains {gained:+.3f}; the ranking differs by {ranking.difference:+.3f} in "
    f"AUC (p = {ranking.pvalue:.2g})."
)
plt.show()
