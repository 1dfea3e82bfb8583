"""
Do two models confuse the same classes?
=======================================

Two models misclassify some of the digits. If one predicts "8" where the other predicts "1",
and hardly ever the reverse, their errors are not only different: they favour different
classes. Which pairs of digits are affected?
"""

# %%
# Two models
# ----------
# The handwritten digits of scikit-learn. Naive Bayes treats each pixel separately, linear
# discriminant analysis all of them jointly.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=600, stratify=y, random_state=0
)
predictions = {
    "naive Bayes": GaussianNB().fit(X_train, y_train).predict(X_test),
    "discriminant": LinearDiscriminantAnalysis().fit(X_train, y_train).predict(X_test),
}

# %%
# Predictions for the same images
# -------------------------------
# On the diagonal the two agree. Off the diagonal, Bowker's test compares each cell with its
# mirror image; the pairs that contribute most are marked.
from skcompare.evidence import AgreementMatrix
from skcompare.plots import AgreementDisplay
from skcompare.stats import bowker, symmetry_permutation

matrix = AgreementMatrix.from_predictions(*predictions.values())
AgreementDisplay.from_result(matrix)

# %%
# Tests of symmetry
# -----------------
# Many cells are nearly empty, so the p-value is also computed without chi-squared, by
# exchanging the two predictions of a record at random. The p-values of the pairs are
# adjusted for their number.
symmetry, exact = bowker(matrix, max_pairs=45), symmetry_permutation(matrix)
print(f"bowker p = {symmetry.pvalue:.2g}, symmetry_permutation p = {exact.pvalue:.2g}")
for pair in symmetry.parts[:5]:
    print(
        f"naive Bayes {pair['champion']}, discriminant {pair['challenger']}: "
        f"{pair['count']} images, the reverse: {pair['reverse_count']}, "
        f"adjusted p = {pair['adjusted_pvalue']:.2g}"
    )

# %%
# With true labels
# ----------------
# So far no true labels were needed. They show which model was correct on the first pair.
first = symmetry.parts[0]
one, other = predictions.values()
these = (one == first["champion"]) & (other == first["challenger"])
these |= (other == first["champion"]) & (one == first["challenger"])
correct = {
    name: int((y_pred == y_test)[these].sum()) for name, y_pred in predictions.items()
}

# %%
# Conclusion
# ----------
clear = [pair for pair in symmetry.parts if pair["adjusted_pvalue"] < 0.05]
print(
    f"The two {'favour' if exact.pvalue < 0.05 else 'are not shown to favour'} different "
    f"digits (p = {exact.pvalue:.2g})."
)
print(
    f"{len(clear)} pairs are significant by themselves; {first['champion']} and "
    f"{first['challenger']} contribute most to the test."
)
print(
    f"Of these {these.sum()} images naive Bayes is correct on {correct['naive Bayes']}, "
    f"the discriminant on {correct['discriminant']}."
)
plt.show()
