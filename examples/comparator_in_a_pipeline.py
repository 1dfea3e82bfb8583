"""
Can a pipeline select its own model?
====================================

A new model is proposed to replace one that has been used for years. With ``refit=True`` a
comparator is a classifier: it compares the two, keeps the old one unless the evidence
favours the new one, and predicts with the selected one. Is it worth leaving the decision to
it?
"""

# %%
# The pipeline
# ------------
# The breast-cancer records of scikit-learn; a quarter of them is kept for the final test.
# Steps before the comparator are the same for both classifiers. They are fitted once, on
# all records that are compared, so a step that learns from the classes, such as feature
# selection, belongs inside each classifier instead.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, cross_validate, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from skcompare import PairedComparator

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
comparator = PairedComparator(
    champion=GaussianNB(), challenger=LogisticRegression(), refit=True, random_state=0
)
pipeline = Pipeline([("scale", StandardScaler()), ("compare", comparator)])
pipeline.fit(X_train, y_train)
print(pipeline["compare"].comparison_)

# %%
# Predictions
# -----------
# The selected classifier has been fitted on all training records, and the pipeline predicts
# with it.
print(f"selected: {pipeline['compare'].selected_estimator_}")
print(f"accuracy on new records: {pipeline.score(X_test, y_test):.3f}")

# %%
# How good is this procedure?
# ---------------------------
# Cross-validation repeats everything on each training set: the comparison, the selection
# and the fit. Its score is about the whole procedure, and no scored record took part in the
# selection. Each fold also shows which classifier was selected, and the evidence for it.
from skcompare.plots import ForestDisplay

outcome = cross_validate(pipeline, X, y, cv=5, return_estimator=True)
fitted = [each["compare"] for each in outcome["estimator"]]
verdicts = [each.verdict_ for each in fitted]
print("verdicts:", ", ".join(verdicts))
scores = {
    "old": cross_val_score(pipeline.set_params(compare=GaussianNB()), X, y, cv=5),
    "chosen": outcome["test_score"],
}
for name, score in scores.items():
    print(f"{name:7} {score.mean():.3f}")
folds = {f"fold {k}": each.comparison_ for k, each in enumerate(fitted, start=1)}
ForestDisplay.from_result(folds)

# %%
# Conclusion
# ----------
changed = verdicts.count("challenger")
gain = scores["chosen"].mean() - scores["old"].mean()
print(f"The pipeline changed the model in {changed} of {len(verdicts)} folds.")
print(f"Leaving the selection to it changes the accuracy by {gain:+.3f} on these records.")
plt.show()
