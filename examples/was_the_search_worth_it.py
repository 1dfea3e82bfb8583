"""
Was the search worth it?
========================

A grid search over the depth of a tree has selected one. Is it really better than the
simplest candidate, or than the second best? The search has stored the scores of all
candidates on the same splits, so nothing has to be fitted again.
"""

# %%
# The search
# ----------
# Ten-fold cross-validation of five depths, on scikit-learn's breast-cancer records.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
grid = {"max_depth": [1, 2, 3, 5, None]}
search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=10).fit(X, y)
print(f"best: {search.best_params_}, accuracy {search.best_score_:.3f}")

# %%
# Best against simplest, and against the runner-up
# ------------------------------------------------
# The flag says that the best candidate was chosen by the same scores, so part of its lead
# is due to chance.
from skcompare.evidence import ScoreDifferences
from skcompare.stats import corrected_repeated_kfold_t

found = {}
simple = {"complexity": "max_depth"}
for champion, options in (("simplest", simple), ("runner-up", {})):
    scores = ScoreDifferences.from_cv_results(
        champion, "best", X, y, search=search, **options
    )
    result = found[f"best minus {champion}"] = corrected_repeated_kfold_t(scores)
    print(f"best minus {champion}: {result.estimate:+.3f}, p = {result.pvalue:.2g}")
    print(f"    flags: {', '.join(result.flags)}")

# %%
# The whole search against one tree
# ---------------------------------
# Without that bias: the search is part of the learning algorithm, and is cross-validated as
# a whole. Every test set evaluates a depth that was chosen without it.
from skcompare import PairedComparator
from skcompare.plots import ForestDisplay

comparator = PairedComparator(
    champion=DecisionTreeClassifier(max_depth=1),
    challenger=GridSearchCV(DecisionTreeClassifier(), grid, cv=5),
    cv=10,
    random_state=0,
)
print(comparator.fit(X, y).comparison_)
row = comparator.comparison_.rows[0]
ForestDisplay.from_result({**found, "search minus simplest": row.result})

# %%
# Conclusion
# ----------
judged = {
    "challenger": "is worth it",
    "champion": "does harm",
    "inconclusive": "is not shown to be worth it",
}[comparator.verdict_]
print(f"The search {judged}.")
print(
    f"Compared with the simplest tree it changes the accuracy by {row.difference:+.3f} "
    f"[{row.low:+.3f}, {row.high:+.3f}]."
)
plt.show()
