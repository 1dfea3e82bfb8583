"""
Which classes are predicted with better precision?
==================================================

Two classifiers with nearly the same accuracy can differ in how reliable their predictions
are: if one predicts "9", how often is it a 9? This is the precision of each class.
"""

# %%
# Two digit classifiers
# ---------------------
# The handwritten digits of scikit-learn: the champion fits a normal distribution to each
# class, the challenger a linear boundary between each class and all others.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
predictions = {
    "discriminant": LinearDiscriminantAnalysis().fit(X_train, y_train).predict(X_test),
    "support vectors": LinearSVC(C=0.01, random_state=0)
    .fit(X_train, y_train)
    .predict(X_test),
}
for name, predicted in predictions.items():
    print(f"{name:16s} accuracy {np.mean(predicted == y_test):.3f}")

# %%
# All classes at once
# -------------------
# Both predict the same records, and each determines its own denominator. The tests account
# for both, and the p-values are adjusted for ten classes.
from skcompare.evidence import JointCounts
from skcompare.stats import precision_by_class

counts = JointCounts.from_predictions(y_test, *predictions.values())
classes = precision_by_class(counts)
print(classes)

# %%
# The figure
# ----------
# The precision of the challenger as a multiple of the champion's, for each class: to the
# right of one the challenger is more precise.
from skcompare.plots import RelativePrecisionDisplay

RelativePrecisionDisplay.from_result(classes)

# %%
# One test for all classes
# ------------------------
# Is there any difference in precision? The classes share records, so their p-values are
# dependent; each of these tests accounts for it in its own way.
from skcompare.stats import precision_joint, precision_lancaster, precision_simes

for test in (precision_simes, precision_lancaster, precision_joint):
    result = test(counts)
    print(f"{result.test:20s} p = {result.pvalue:.2g}")

# %%
# Conclusion
# ----------
rows = classes.forest("difference")["rows"]
different = [row["label"] for row in rows if row["significant"]]
most = max(rows, key=lambda row: abs(row["estimate"]))
print(f"The largest difference is that of digit {most['label']}, {most['estimate']:+.3f}.")
print(f"After the adjustment {len(different)} of {len(rows)} classes differ in precision.")
plt.show()
