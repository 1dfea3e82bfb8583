"""
Copies are no evidence
======================

A test set is often made larger by noisy copies of each record, or has many records of each
patient. How significant does a difference get by that, and how significant is it?
"""

# %%
# Twelve noisy copies of each image
# ---------------------------------
# Two classifiers read 150 handwritten digits. Each digit was scanned twelve times, with a
# little noise; the copies of an image are much alike.
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

X, y = load_digits(return_X_y=True)
champion = LogisticRegression(max_iter=2000).fit(X[:400], y[:400])
challenger = KNeighborsClassifier(n_neighbors=5).fit(X[:400], y[:400])
rng = np.random.default_rng(0)
image = np.repeat(np.arange(1000, 1150), 12)
scans = X[image] + rng.normal(scale=1.0, size=(len(image), X.shape[1]))
answers = {"linear": champion.predict(scans), "neighbours": challenger.predict(scans)}
print(f"{len(scans)} scans of {len(np.unique(image))} images")

# %%
# As if all scans were unrelated
# ------------------------------
from skcompare import compare

naive = compare(y[image], answers)
print(naive.conclusion)

# %%
# With the groups
# ---------------
# `groups` says which records belong together. Whole images then vary, and not scans.
grouped = compare(y[image], answers, groups=image)
print(grouped)

# %%
# What follows
# ------------
# The design effect is the number of scans that are worth one unrelated record.
row = grouped.results["clustered_mcnemar"]
effect = row.result.details["design_effect"]
judged = "is" if row.pvalue < 0.05 else "is not"
print(
    f"{effect:.1f} scans are worth one unrelated record: p is {row.pvalue:.2g} and not "
    f"{naive.results['mcnemar'].pvalue:.2g}, so the difference {judged} significant."
)
