"""
Can a test fail unless the new model is better?
===============================================

A build that asserts ``new_accuracy > old_accuracy`` passes if a single additional record is
correct, and tosses a coin between equal models. What should it assert instead?
"""

# %%
# The current model and three proposals
# -------------------------------------
# The handwritten digits of scikit-learn, 500 of them for training.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=500, stratify=y, random_state=0
)
old = LogisticRegression(max_iter=2000).fit(X_train, y_train)
proposals = {
    "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
    "neighbours": KNeighborsClassifier(n_neighbors=3),
    "SVM": SVC(),
}
for new in proposals.values():
    new.fit(X_train, y_train)

# %%
# The assertion
# -------------
# It holds only if the new model is shown to be better at the given level, and the recall of
# the eights is shown to be worse by less than five points. In a test module the call of
# ``assert_better`` is the whole test, and pytest shows the message.
from skcompare.gate import GateNotPassed, NonInferior, assert_better

decisions = {}
for name, new in proposals.items():
    try:
        decision = assert_better(
            y_test, old, new, NonInferior("recall[8]", margin=0.05), X=X_test, alpha=0.05
        )
    except GateNotPassed as failure:
        decision = failure.decision
    decisions[name] = decision
    print(f"{name}\n{'-' * len(name)}\n{decision}\n")

# %%
# The figure
# ----------
# The decision for the last proposal. The figure shows the conditions with their margins.
from skcompare.plots import ForestDisplay

ForestDisplay.from_result(decisions["SVM"])

# %%
# Conclusion
# ----------
before = old.score(X_test, y_test)
higher = [name for name, new in proposals.items() if new.score(X_test, y_test) > before]
passed = [name for name, decision in decisions.items() if decision.passed]
print(f"More accurate than the old model on these records: {', '.join(higher) or 'none'}.")
print(f"Shown to be good enough to replace it: {', '.join(passed) or 'none'}.")
plt.show()
