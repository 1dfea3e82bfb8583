"""
Can a pipeline choose its model by itself?
==========================================

Somebody proposes a new model for one that has served for years. With ``refit=True`` a
comparator is a classifier: it compares the two, keeps the old one unless the evidence
favours the new one, and answers through what it chose. Is it worth leaving the choice to
it?
"""

# %%
# The pipeline
# ------------
# Scikit-learn's breast-cancer records, of which a quarter is left for the end. What comes
# before the comparator is the same for both classifiers. It is fitted once, on all records
# that are compared, so that a step that learns from the classes, such as a selection of
# features, would not belong there but into each classifier.
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
# What it answers
# ---------------
# The classifier that was selected has been fitted on all training records, and the pipeline
# answers through it.
print(f"selected: {pipeline['compare'].selected_estimator_}")
print(f"accuracy on new records: {pipeline.score(X_test, y_test):.3f}")

# %%
# How good is this way to choose?
# -------------------------------
# Cross-validation repeats everything on each training set: the comparison, the choice and
# the fit. Its score is about the whole procedure, and no record that it counts took part in
# the choice. Each fold also shows what was chosen there, and by what evidence.
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
# What follows
# ------------
changed = verdicts.count("challenger")
gain = scores["chosen"].mean() - scores["old"].mean()
print(f"The pipeline changed the model in {changed} of {len(verdicts)} folds.")
print(f"To leave the choice to it is worth {gain:+.3f} of accuracy on these records.")
plt.show()
