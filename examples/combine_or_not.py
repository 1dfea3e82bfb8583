"""
Should the two be combined?
===========================

Two classifiers that err on different records can be worth more together. Whether that is so
can be seen before an ensemble is built; whether it came true is a comparison of its own.
"""

# %%
# Two classifiers that see different things
# -----------------------------------------
# Handwritten digits that ship with scikit-learn. One classifier sees the left half of each
# image, the other the right half, as two cameras would. They learn from 30 % of the
# records; half of the others say whether to combine them, and the rest whether that was
# right.
import matplotlib.pyplot as plt
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_digits(return_X_y=True)
X_train, X_rest, y_train, y_rest = train_test_split(
    X, y, train_size=0.3, stratify=y, random_state=0
)
X_advice, X_proof, y_advice, y_proof = train_test_split(
    X_rest, y_rest, train_size=0.5, stratify=y_rest, random_state=0
)


def camera(columns):
    """A classifier that sees some columns of the image."""
    pixels = [8 * row + column for row in range(8) for column in columns]
    seen = make_column_transformer((StandardScaler(), pixels))
    return make_pipeline(seen, LogisticRegression()).fit(X_train, y_train)


left, right = camera(range(4)), camera(range(4, 8))

# %%
# The advice
# ----------
# Every comparison on a hold-out set gives it: both must be useful, neither far ahead, and
# their errors must not be redundant. The framed cells of the table are what an ensemble can
# win: records that one of the two answers rightly.
from skcompare import compare
from skcompare.plots import ContingencyDisplay

answers = {"left": left.predict_proba(X_advice), "right": right.predict_proba(X_advice)}
comparison = compare(y_advice, answers)
print(comparison.advice)
ContingencyDisplay.from_result(comparison)

# %%
# Was it right?
# -------------
# The ensemble is another classifier, so it is compared like one, with the better one of the
# two, on records that took no part in the advice.
better = right if comparison.results["mcnemar"].difference > 0 else left
both = (left.predict_proba(X_proof) + right.predict_proba(X_proof)) / 2
proof = compare(y_proof, {"alone": better.predict_proba(X_proof), "both": both})
print(proof)

# %%
# What follows
# ------------
row = proof.results["mcnemar"]
judged = {
    "challenger": "the ensemble is better than the better one alone",
    "champion": "the better one alone is better than the ensemble",
    "inconclusive": "nobody can say which is better",
}[proof.verdict]
print(f"The advice was to {comparison.advice.sentence}.")
print(f"On new records {judged}: accuracy {row.champion:.3f} and {row.challenger:.3f}.")
plt.show()
