"""
Is the cheap model good enough?
===============================

A challenger needs fewer inputs. It need not be better, but it must not be much worse. "No
significant difference" does not prove that: with too few records there is none either. What
does prove it?
"""

# %%
# The whole image, or the middle
# ------------------------------
# The handwritten digits of scikit-learn, of eight by eight pixels. The challenger sees the
# six rows in the middle.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=600, stratify=y, random_state=0
)
middle = slice(8, 56)
predictions = {
    "all rows": SVC().fit(X_train, y_train).predict(X_test),
    "six rows": SVC().fit(X_train[:, middle], y_train).predict(X_test[:, middle]),
}

# %%
# The margin comes first
# ----------------------
# Saving a quarter of the inputs is worth two points of accuracy, and no more. That is
# decided before the predictions are seen. The gate tests whether the challenger is *shown*
# to be worse by less than that.
from skcompare.gate import Gate, NonInferior

gate = Gate(NonInferior("accuracy", margin=0.02))
decision = gate.decide(y_test, predictions)
print(decision)

# %%
# The figure
# ----------
# The challenger is good enough if the whole interval is to the right of the margin. Whether
# it includes zero does not matter.
from skcompare.plots import ForestDisplay

ForestDisplay.from_result(decision)

# %%
# With fewer records
# ------------------
# The same gate, on the first hundred records.
few = gate.decide(
    y_test[:100], {name: y_pred[:100] for name, y_pred in predictions.items()}
)
print(few)

# %%
# Conclusion
# ----------
conclusions = {
    "passed": "the cheap model is shown to be good enough",
    "failed": "the cheap model is shown not to be good enough",
    "inconclusive": "nothing is shown",
}
(outcome,) = decision.outcomes
print(
    f"With {len(y_test)} records {conclusions[decision.status]}: the difference is at "
    f"least {outcome.low:+.3f}."
)
print(f"With the first 100 records {conclusions[few.status]}.")
plt.show()
