"""
Does repeating a cross-validation prove more?
=============================================

Ten-fold cross-validation gives ten differences of scores; repeated ten times, it gives a
hundred. A t test of a hundred numbers has more power than one of ten, but all of them come
from the same records. How much more information do they really contain?
"""

# %%
# A hundred differences
# ---------------------
# Two classifiers on the breast-cancer records of scikit-learn, with the same splits.
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
# More repetitions
# ----------------
# The common t test treats the differences as those of independent hold-outs; it is provided
# to reproduce published results, and is flagged. The corrected test accounts for the
# records that the splits share.
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
# The figure
# ----------
# Repeating makes the mean less dependent on the random splits. It does not add new records,
# but the naive interval shrinks as if it did.
from skcompare.plots import ForestDisplay

ForestDisplay.from_result(
    {
        f"{10 * repeats} differences, {name}": results[repeats]
        for name, results in [("naive", naive), ("corrected", corrected)]
        for repeats in results
    }
)

# %%
# Conclusion
# ----------


def width(result):
    """Width of the 95 % interval."""
    low, high = result.confidence_interval()
    return high - low


for name, results in [("naive", naive), ("corrected", corrected)]:
    once, tenfold = results[1], results[10]
    found = "finds a difference" if tenfold.pvalue < 0.05 else "does not find a difference"
    share = width(tenfold) / width(once)
    print(f"With a hundred differences the {name} test {found} (p = {tenfold.pvalue:.2g}).")
    print(f"Its interval has {share:.0%} of the width with ten differences.")
plt.show()
