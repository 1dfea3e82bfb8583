"""
Which candidate most certainly beats the current model?
=======================================================

A grid search selects the candidate with the best mean score. But a model is already in use,
and will be replaced only by one that is clearly better. Can the search look for that?
"""

# %%
# The current model
# -----------------
# A shallow tree, trained on some of scikit-learn's breast-cancer records. Other records
# take no part in the search, and are kept for the final test.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
X_old, X_new, y_old, y_new = train_test_split(
    X, y, train_size=100, stratify=y, random_state=0
)
X_search, X_proof, y_search, y_proof = train_test_split(
    X_new, y_new, test_size=0.5, stratify=y_new, random_state=0
)
champion = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X_old, y_old)

# %%
# A scorer that knows the champion
# --------------------------------
# On each test set it runs McNemar's test against the champion, and returns the confidence
# in the candidate's lead: 1 minus the one-sided p-value. Any search of scikit-learn accepts
# it.
from skcompare.metrics import McNemarScorer

grid = {"logisticregression__C": [0.0001, 0.001, 0.01, 0.1, 1.0, 10.0]}
search = GridSearchCV(
    make_pipeline(StandardScaler(), LogisticRegression()),
    grid,
    scoring={
        "confidence": McNemarScorer(champion, returns="confidence"),
        "lead": McNemarScorer(champion),
    },
    refit="confidence",
    cv=3,
)
search.fit(X_search, y_search)
found = search.cv_results_
for candidate, sure, lead in zip(
    found["params"], found["mean_test_confidence"], found["mean_test_lead"]
):
    strength = candidate["logisticregression__C"]
    print(f"C = {strength:<6g}  confidence {sure:.2f}, lead {lead:+.3f}")

# %%
# The final test
# --------------
# The winner of a search was also lucky. So it is tested once more, on records that were not
# used in the search.
from skcompare import PairedComparator
from skcompare.plots import ForestDisplay

comparator = PairedComparator(
    champion,
    search.best_estimator_,
    cv="prefit",
    scoring=["accuracy", "roc_auc", "binary_brier_loss"],
)
comparator.fit(X_proof, y_proof)
print(comparator.comparison_)
ForestDisplay.from_result(comparator.comparison_)

# %%
# Conclusion
# ----------
row = comparator.comparison_.rows[0]
judged = {
    "challenger": "Replace the tree",
    "champion": "Keep the tree, which is better",
    "inconclusive": "Keep the tree, because no difference is shown",
}[comparator.verdict_]
print(
    f"{judged}: with C = {search.best_params_['logisticregression__C']:g} the accuracy on "
    f"new records differs by {row.difference:+.3f} [{row.low:+.3f}, {row.high:+.3f}]."
)
plt.show()
