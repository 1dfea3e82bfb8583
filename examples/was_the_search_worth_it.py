"""
Was the search worth it?
========================

A grid search over the depth of a tree has chosen one. Is it really better than the simplest
candidate, or than the next best? The search has kept the scores of all candidates on the
same splits, so that nothing has to be fitted again.
"""

# %%
# The search
# ----------
# Ten-fold cross-validation of five depths, on scikit-learn's breast-cancer records.
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
# The flag says that the best candidate was chosen on these very scores, so that part of its
# lead is luck.
from skcompare.evidence import ScoreDifferences
from skcompare.stats import corrected_repeated_kfold_t

simple = {"complexity": "max_depth"}
for champion, options in (("simplest", simple), ("runner-up", {})):
    scores = ScoreDifferences.from_cv_results(
        champion, "best", X, y, search=search, **options
    )
    result = corrected_repeated_kfold_t(scores)
    print(f"best less {champion}: {result.estimate:+.3f}, p = {result.pvalue:.2g}")
    print(f"    flags: {', '.join(result.flags)}")

# %%
# The whole search against one tree
# ---------------------------------
# Without that luck: the search is a part of the learning algorithm, and is cross-validated
# as a whole. Every test set judges a depth that was chosen without it.
from skcompare import PairedComparator

comparator = PairedComparator(
    champion=DecisionTreeClassifier(max_depth=1),
    challenger=GridSearchCV(DecisionTreeClassifier(), grid, cv=5),
    cv=10,
    random_state=0,
)
print(comparator.fit(X, y).comparison_)
row = comparator.comparison_.rows[0]
print(f"The search is worth {row.difference:+.3f}, from {row.low:+.3f} to {row.high:+.3f}.")
