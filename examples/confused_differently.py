"""
Do two models confuse the same classes?
=======================================

Two models are wrong on some of the digits. If one says "8" where the other says "1", and
hardly ever the reverse, they do not only make errors of their own: they lean towards
different classes. Which pairs of digits is it about?
"""

# %%
# Two models
# ----------
# Handwritten digits that ship with scikit-learn. Naive Bayes looks at each pixel by itself,
# linear discriminant analysis at all of them together.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=600, stratify=y, random_state=0
)
answers = {
    "naive Bayes": GaussianNB().fit(X_train, y_train).predict(X_test),
    "discriminant": LinearDiscriminantAnalysis().fit(X_train, y_train).predict(X_test),
}

# %%
# What they call the same images
# ------------------------------
# On the diagonal they agree. Off it, Bowker's test compares each cell with its mirror
# image; the pairs that drive it are marked.
from skcompare.evidence import AgreementMatrix
from skcompare.plots import AgreementDisplay
from skcompare.stats import bowker, symmetry_permutation

matrix = AgreementMatrix.from_predictions(*answers.values())
AgreementDisplay.from_result(matrix)

# %%
# The test of all pairs, and its pairs
# ------------------------------------
# Many cells are nearly empty, so the p-value is also found without chi-squared, by
# exchanging the two answers of a record at random. Those of the pairs are adjusted for
# their number.
symmetry, exact = bowker(matrix, max_pairs=45), symmetry_permutation(matrix)
print(f"bowker p = {symmetry.pvalue:.2g}, symmetry_permutation p = {exact.pvalue:.2g}")
for pair in symmetry.parts[:5]:
    print(
        f"naive Bayes {pair['champion']}, discriminant {pair['challenger']}: "
        f"{pair['count']} images, the reverse: {pair['reverse_count']}, "
        f"adjusted p = {pair['adjusted_pvalue']:.2g}"
    )

# %%
# And what were they?
# -------------------
# So far the truth was not needed. It says who of the two was right on the first pair.
first = symmetry.parts[0]
one, other = answers.values()
these = (one == first["champion"]) & (other == first["challenger"])
these |= (other == first["champion"]) & (one == first["challenger"])
right = {name: int((said == y_test)[these].sum()) for name, said in answers.items()}

# %%
# What follows
# ------------
clear = [pair for pair in symmetry.parts if pair["adjusted_pvalue"] < 0.05]
print(
    f"The two {'lean' if exact.pvalue < 0.05 else 'are not shown to lean'} towards "
    f"different digits (p = {exact.pvalue:.2g})."
)
print(
    f"{len(clear)} pairs are significant by themselves; {first['champion']} and "
    f"{first['challenger']} add most to the test."
)
print(
    f"Of these {these.sum()} images naive Bayes is right on {right['naive Bayes']}, the "
    f"discriminant on {right['discriminant']}."
)
plt.show()
