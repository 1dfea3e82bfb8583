"""
Should the two be combined?
===========================

Two classifiers that make errors on different records can be better together. Whether this
is likely can be seen before an ensemble is built; whether it is true needs another
comparison.
"""

# %%
# Two classifiers that see different things
# -----------------------------------------
# The handwritten digits of scikit-learn. One classifier sees the left half of each image,
# the other the right half, as two cameras would. They learn from 30 % of the records; half
# of the others are used to decide whether to combine them, and the rest to check the
# decision.
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
# Every comparison on a hold-out set gives advice: both must be useful, neither far ahead,
# and their errors must not be redundant. The framed cells of the table are what an ensemble
# can gain: records that exactly one of the two predicts correctly.
from skcompare import compare
from skcompare.plots import ContingencyDisplay

predictions = {"left": left.predict_proba(X_advice), "right": right.predict_proba(X_advice)}
comparison = compare(y_advice, predictions)
print(comparison.advice)
ContingencyDisplay.from_result(comparison)

# %%
# Check of the advice
# -------------------
# The ensemble is another classifier, so it is compared with the better one of the two, on
# records that were not used for the advice.
better = right if comparison.results["mcnemar"].difference > 0 else left
both = (left.predict_proba(X_proof) + right.predict_proba(X_proof)) / 2
proof = compare(y_proof, {"alone": better.predict_proba(X_proof), "both": both})
print(proof)

# %%
# Conclusion
# ----------
row = proof.results["mcnemar"]
judged = {
    "challenger": "the ensemble is better than the better classifier alone",
    "champion": "the better classifier alone is better than the ensemble",
    "inconclusive": "neither is shown to be better",
}[proof.verdict]
print(f"The advice was to {comparison.advice.sentence}.")
print(f"On new records {judged}: accuracy {row.champion:.3f} and {row.challenger:.3f}.")
plt.show()
