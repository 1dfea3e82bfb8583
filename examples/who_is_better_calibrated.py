"""
Which probabilities are better calibrated?
==========================================

Of all images that a model predicts to be "5 or more" with 70 % probability, seven in ten
should be. Naive Bayes is known to be overconfident, logistic regression to be well
calibrated. Is the difference significant on these records?
"""

# %%
# Two models
# ----------
# The handwritten digits of scikit-learn, 500 of them for training.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, digit = load_digits(return_X_y=True)
y = (digit >= 5).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=500, stratify=digit, random_state=0
)
naive = GaussianNB(var_smoothing=0.1).fit(X_train, y_train)
logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)

# %%
# The test
# --------
# The usual calibration error is positive even for a calibrated model, and larger for one
# whose probabilities vary more. So a difference of two such errors is shown without a
# p-value; the squared error has an unbiased estimate, and a test.
from skcompare import compare

predictions = {
    "naive Bayes": naive.predict_proba(X_test)[:, 1],
    "logistic": logistic.predict_proba(X_test)[:, 1],
}
scoring = ["squared_calibration_error", "expected_calibration_error", "binary_brier_loss"]
comparison = compare(y_test, predictions, scoring=scoring)
print(comparison)

# %%
# The figure
# ----------
# A point is a bin of records with similar probabilities: the predicted probability on the
# horizontal axis, the observed frequency on the vertical one. The bands show where the
# points of a calibrated model would be.
from skcompare.plots import CalibrationComparisonDisplay

CalibrationComparisonDisplay.from_result(comparison)

# %%
# Conclusion
# ----------
error = comparison.results["squared_calibration_error"]
brier = comparison.results["binary_brier_loss"]
judged = {
    "challenger": "The logistic regression is better calibrated",
    "champion": "Naive Bayes is better calibrated",
    "inconclusive": "Neither is shown to be better calibrated",
}[comparison.verdict]
print(f"{judged}.")
print(
    f"Squared calibration error: {error.champion:.4f} and {error.challenger:.4f}, gain "
    f"{error.difference:+.4f} [{error.low:+.4f}, {error.high:+.4f}]."
)
print(f"Brier loss: gain {brier.difference:+.4f} (p = {brier.pvalue:.2g}).")
plt.show()
