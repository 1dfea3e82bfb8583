"""
Does repeating a cross-validation prove more?
=============================================

Ten-fold cross-validation gives ten differences of scores. Repeat it ten times, and there
are a hundred. A t test of a hundred numbers finds more than one of ten; but they all come
from the same records. How much more do they really tell?
"""

# %%
# A hundred differences
# ---------------------
# Two classifiers of the breast-cancer records of scikit-learn, on the same splits.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

X, y = load_breast_cancer(return_X_y=True)
cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
champion, challenger = (
    cross_val_score(model, X, y, cv=cv).reshape(10, 10)
    for model in (GaussianNB(), LinearDiscriminantAnalysis())
)
print(f"mean difference of accuracies {challenger.mean() - champion.mean():+.4f}")

# %%
# More and more repetitions
# -------------------------
# The t test that many people use takes the differences as those of unrelated hold-outs; it
# is here to reproduce published results, and says so in a flag. The corrected one knows
# that the splits share their records.
from skcompare.evidence import ScoreDifferences
from skcompare.stats import corrected_repeated_kfold_t, repeated_holdout_t

sizes = {"n_train": 512, "n_test": 57}
naive, corrected = {}, {}
for repeats in (1, 3, 10):
    some = champion[:repeats], challenger[:repeats]
    unrelated = (scores.ravel() for scores in some)
    naive[repeats] = repeated_holdout_t(
        ScoreDifferences.from_scores(*unrelated, design="repeated holdout", **sizes)
    )
    design = "kfold" if repeats == 1 else "repeated kfold"
    corrected[repeats] = corrected_repeated_kfold_t(
        ScoreDifferences.from_scores(*some, design=design, **sizes)
    )
    print(
        f"{10 * repeats:3d} differences: naive p = {naive[repeats].pvalue:.2g}, "
        f"corrected p = {corrected[repeats].pvalue:.2g}"
    )

# %%
# The picture
# -----------
# Repeating makes the mean less dependent on how the records happened to be split. It does
# not bring new records. The naive interval shrinks as if it did.
from skcompare.plots import ForestDisplay

ForestDisplay.from_result(
    {
        f"{10 * repeats} differences, {name}": results[repeats]
        for name, results in [("naive", naive), ("corrected", corrected)]
        for repeats in results
    }
)

# %%
# What follows
# ------------


def width(result):
    """Width of the 95 % interval."""
    low, high = result.confidence_interval()
    return high - low


for name, results in [("naive", naive), ("corrected", corrected)]:
    once, tenfold = results[1], results[10]
    says = "finds a difference" if tenfold.pvalue < 0.05 else "does not find a difference"
    share = width(tenfold) / width(once)
    print(f"From a hundred the {name} test {says} (p = {tenfold.pvalue:.2g}).")
    print(f"Its interval has {share:.0%} of the width that ten differences gave.")
plt.show()
