"""
Which of several classifiers is the best?
=========================================

Five classifiers are trained on the same digits. One of them is the most accurate on new
records. Is it really better than the others, or was it lucky?
"""

# %%
# The classifiers
# ---------------
# All of them are trained on 600 images, and predict the other 1,197.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

X, y = load_digits(return_X_y=True)
split = train_test_split(X, y, train_size=600, stratify=y, random_state=0)
X_train, X_test, y_train, y_test = split
classifiers = {
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "linear": LogisticRegression(max_iter=2000),
    "neighbours": KNeighborsClassifier(n_neighbors=3),
    "SVM": SVC(),
}
predictions = {
    name: classifier.fit(X_train, y_train).predict(X_test)
    for name, classifier in classifiers.items()
}

# %%
# Joint test and pairs
# --------------------
# With three or more classifiers, ``compare`` tests all of them jointly by Cochran's Q and
# each pair by McNemar's test. Ten pairs are ten chances of a false positive, so their
# p-values are adjusted; "max-t" uses the dependence of the pairs, which share their
# records.
from skcompare import compare

comparison = compare(y_test, predictions, adjust="max-t")
print(comparison)

# %%
# The figures
# -----------
# Classifiers that are connected by a bar do not differ significantly.
from skcompare.plots import CriticalDifferenceDisplay, PairwiseDisplay

CriticalDifferenceDisplay.from_result(comparison)

# %%
# All pairs: which classifier is ahead, and by how much.
PairwiseDisplay.from_result(comparison)

# %%
# Comparisons with a control
# --------------------------
# Suppose that the linear model is in use. Then four comparisons are enough, and each has
# more power.
against_linear = compare(y_test, predictions, control="linear", adjust="max-t")
print(against_linear.conclusion)

# %%
# Conclusion
# ----------
best = comparison.classifiers[0].name
equals = [
    pair.champion if pair.challenger == best else pair.challenger
    for pair in comparison.pairs
    if best in (pair.champion, pair.challenger) and pair.adjusted_pvalue >= comparison.alpha
]
if not equals:
    print(f"The most accurate, {best}, is better than every other one.")
else:
    print(
        f"The most accurate, {best}, does not differ significantly from "
        f"{' and '.join(equals)}."
    )
plt.show()
