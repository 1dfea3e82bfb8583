"""
Does the challenger behave differently, before there are labels?
================================================================

A new model predicts the same traffic as the current one. The true labels will only be known
in weeks. Do its predictions differ today, and where?
"""

# %%
# The two models
# --------------
# Both classify the handwritten digits of scikit-learn. When the challenger's training set
# was collected, most of the eights were lost by mistake.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)
X_train, y_train, traffic = X[:800], y[:800], X[800:]
kept = np.flatnonzero((y_train != 8) | (np.arange(800) % 16 == 8))
champion = SVC().fit(X_train, y_train)
challenger = SVC().fit(X_train[kept], y_train[kept])
predictions = {
    "champion": champion.predict(traffic),
    "challenger": challenger.predict(traffic),
}

# %%
# A comparison without true labels
# --------------------------------
# Which of the two is better is unknown. But do they predict each digit equally often?
from skcompare import compare

comparison = compare(None, predictions)
print(comparison)

# %%
# Kappa is high: a dashboard of the agreement would raise no alarm. The test of the label
# rates does. Few records differ, which is flagged because chi-squared is an approximation;
# the permutation test avoids it.
from skcompare.evidence import AgreementMatrix
from skcompare.stats import bowker, stuart_maxwell, symmetry_permutation

matrix = AgreementMatrix.from_predictions(
    predictions["champion"], predictions["challenger"]
)
exact = symmetry_permutation(matrix)
print(f"asymmetry of {exact.statistic:g} records, p = {exact.pvalue:.1g}")

# %%
# Where they differ
# -----------------
# First the digits whose rates changed most, then the pairs that are swapped more often in
# one direction, with p-values adjusted for the number of pairs.
from skcompare.plots import AgreementDisplay

for part in stuart_maxwell(matrix, max_classes=3).parts:
    print(
        f"digit {part['label']}: {part['champion']:.3f} of the predictions became "
        f"{part['challenger']:.3f}, difference {part['difference']:+.3f} "
        f"[{part['low']:+.3f}, {part['high']:+.3f}]"
    )
for pair in bowker(matrix).parts:
    if pair["adjusted_pvalue"] < 0.05:
        print(
            f"champion {pair['champion']}, challenger {pair['challenger']}: "
            f"{pair['count']} records, the reverse: {pair['reverse_count']}, "
            f"adjusted p = {pair['adjusted_pvalue']:.2g}"
        )
AgreementDisplay.from_result(comparison)

# %%
# Conclusion
# ----------
# The records on which the two differ are the ones to label first: the predictions of all
# others are equal, and do not show which model is better.
rates = comparison.results["stuart_maxwell"]
differing = matrix.n - matrix.n_agreed
most = stuart_maxwell(matrix).parts[0]
direction = "less" if most["difference"] < 0 else "more"
if rates.pvalue < comparison.alpha:
    print(
        f"Investigate: the challenger predicts the digit {most['label']} {direction} often."
    )
    print(f"Label the {differing} records on which the two differ.")
else:
    print("The two are not shown to predict any digit more or less often.")
plt.show()
