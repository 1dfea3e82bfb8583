"""
Is the cheap model good enough?
===============================

A challenger needs fewer inputs. It need not be better, but it must not be much worse. That
"no significant difference" was found proves nothing of the kind: too few records find none
either. What does prove it?
"""

# %%
# All of the image, or the middle
# -------------------------------
# Handwritten digits that ship with scikit-learn, of eight by eight pixels. The challenger
# sees the six rows in the middle.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=600, stratify=y, random_state=0
)
middle = slice(8, 56)
answers = {
    "all rows": SVC().fit(X_train, y_train).predict(X_test),
    "six rows": SVC().fit(X_train[:, middle], y_train).predict(X_test[:, middle]),
}

# %%
# The margin comes first
# ----------------------
# Two points of accuracy are what we would give for a quarter of the inputs, and no more.
# That is decided before the answers are seen. The gate asks whether the challenger is
# *shown* to be less than that worse.
from skcompare.gate import Gate, NonInferior

gate = Gate(NonInferior("accuracy", margin=0.02))
decision = gate.decide(y_test, answers)
print(decision)

# %%
# The picture
# -----------
# It is good enough if the whole interval lies to the right of the margin. Whether it
# includes zero does not matter.
from skcompare.plots import ForestDisplay

ForestDisplay.from_result(decision)

# %%
# With fewer records
# ------------------
# The same gate, on the first hundred records.
few = gate.decide(y_test[:100], {name: said[:100] for name, said in answers.items()})
print(few)

# %%
# What follows
# ------------
words = {
    "passed": "the cheap one is shown to be good enough",
    "failed": "the cheap one is shown to be too bad",
    "inconclusive": "nothing is shown",
}
(outcome,) = decision.outcomes
print(
    f"With {len(y_test)} records {words[decision.status]}: the difference is at least "
    f"{outcome.low:+.3f}."
)
print(f"With the first 100 {words[few.status]}.")
plt.show()
