"""
Does the challenger behave differently, before there are labels?
================================================================

A new model answers the same traffic as the one that runs. The true labels will come in
weeks. Does the new one behave differently today, and where?
"""

# %%
# The two models
# --------------
# They read the handwritten digits of scikit-learn. Something went wrong when the
# challenger's training set was put together: most of the eights were lost on the way.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)
X_train, y_train, traffic = X[:800], y[:800], X[800:]
kept = np.flatnonzero((y_train != 8) | (np.arange(800) % 16 == 8))
champion = SVC().fit(X_train, y_train)
challenger = SVC().fit(X_train[kept], y_train[kept])
answers = {
    "champion": champion.predict(traffic),
    "challenger": challenger.predict(traffic),
}

# %%
# What can be said without the truth
# ----------------------------------
# Nobody knows which of the two is better. But do they give each digit equally often?
from skcompare import compare

comparison = compare(None, answers)
print(comparison)

# %%
# Kappa is high: a dashboard that shows how often the two agree would raise no alarm. The
# test of the label rates does. Few records differ, which is flagged because chi-squared is
# an approximation; the exact test does without it.
from skcompare.evidence import AgreementMatrix
from skcompare.stats import bowker, stuart_maxwell, symmetry_permutation

matrix = AgreementMatrix.from_predictions(answers["champion"], answers["challenger"])
exact = symmetry_permutation(matrix)
print(f"{exact.statistic:g} records in excess one way round, p = {exact.pvalue:.1g}")

# %%
# Where they differ
# -----------------
# First the digits whose rates changed most, then the pairs that are exchanged more often
# one way round, with p-values adjusted for the number of pairs.
from skcompare.plots import AgreementDisplay

for part in stuart_maxwell(matrix, max_classes=3).parts:
    print(
        f"digit {part['label']}: {part['champion']:.3f} of the answers became "
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
# What follows
# ------------
# The records on which the two differ are the ones worth labelling first: all others are
# answered alike, and do not tell which model is better.
rates = comparison.results["stuart_maxwell"]
differing = matrix.n - matrix.n_agreed
most = stuart_maxwell(matrix).parts[0]
direction = "less" if most["difference"] < 0 else "more"
if rates.pvalue < comparison.alpha:
    print(
        f"Stop and look: the challenger gives the digit {most['label']} {direction} often."
    )
    print(f"Label the {differing} records they differ on.")
else:
    print("The two are not shown to give any digit more or less often.")
plt.show()
