"""
Whose probabilities are better?
===============================

Two classifiers may be equally accurate and yet predict probabilities of different quality.
The Brier loss and the log loss measure this quality, and their decomposition shows why they
differ.
"""

# %%
# Naive Bayes before and after calibration
# ----------------------------------------
# The handwritten digits of scikit-learn: is the digit odd? Naive Bayes treats correlated
# pixels as independent, and is overconfident. The challenger is the same classifier with
# its probabilities recalibrated by cross-validation.
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
# Each measure has its own test. The verdict comes from the first. In the figure all
# differences are gains: to the right of zero the recalibrated classifier is better.
from skcompare import compare
from skcompare.plots import ForestDisplay

predictions = {
    "naive": naive.predict_proba(X_test),
    "calibrated": calibrated.predict_proba(X_test),
}
scoring = [
    "binary_brier_loss",
    "neg_log_loss",
    "squared_calibration_error",
    "roc_auc",
    "accuracy",
]
comparison = compare(y_test, predictions, scoring=scoring)
print(comparison)
ForestDisplay.from_result(comparison)

# %%
# Decomposition of the loss
# -------------------------
# Miscalibration is what recalibration would remove, discrimination is the information
# beyond the base rate.
from skcompare.metrics import score_decomposition

parts = {
    name: score_decomposition(y_test, proba[:, 1], loss="brier_score")
    for name, proba in predictions.items()
}
for name, part in parts.items():
    print(
        f"{name:10s}  Brier loss {part.score:.3f} = "
        f"miscalibration {part.miscalibration:.3f} "
        f"- discrimination {part.discrimination:.3f} + uncertainty {part.uncertainty:.3f}"
    )

# %%
# Conclusion
# ----------
row, ranking = comparison.results["binary_brier_loss"], comparison.results["roc_auc"]
gained = parts["naive"].miscalibration - parts["calibrated"].miscalibration
judged = {
    "challenger": "The calibrated probabilities are better",
    "champion": "The naive probabilities are better",
    "inconclusive": "Neither is shown to have better probabilities",
}[comparison.verdict]
print(
    f"{judged}: the Brier loss gains {row.difference:+.3f} [{row.low:.3f}, {row.high:.3f}]."
)
print(
    f"Better calibration accounts for {gained:+.3f}; the ranking differs by "
    f"{ranking.difference:+.3f} in AUC (p = {ranking.pvalue:.2g})."
)
plt.show()
