"""
Does a forest beat a linear model?
==================================

On one test set two regressors never have the same error. Is the difference real, would it
reappear with other training data, and in which part of the range does it arise?
"""

# %%
# Two regressors
# --------------
# The progress of diabetes within a year, from ten measurements. Both models are trained on
# half of the records and tested on the other half.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
ridge = RidgeCV(alphas=np.logspace(-3, 3, 13))
forest = RandomForestRegressor(min_samples_leaf=3, random_state=0)
predictions = {
    "ridge": ridge.fit(X_train, y_train).predict(X_test),
    "forest": forest.fit(X_train, y_train).predict(X_test),
}

# %%
# These two models
# ----------------
# The verdict comes from R², scikit-learn's score of a regressor. Its difference is that
# of the mean squared errors, over the variance of the targets. The mean absolute and root
# mean squared errors are in units of the target.
from skcompare import compare

comparison = compare(y_test, predictions)
print(comparison)

# %%
# Where does the forest gain or lose?
# -----------------------------------
# The absolute error of the ridge regression minus that of the forest, in four ranges of the
# true values. The limits are simultaneous, so a range is not called better only because
# there are several.
from skcompare.plots import GainByRangeDisplay

display = GainByRangeDisplay.from_predictions(
    y_test, *predictions.values(), by="target", ranges=4, quantity="progress"
)
ranges = display.frame()
print(ranges.round(1).to_string(index=False))

# %%
# Two ways of training
# --------------------
# Other training data give another ridge regression and another forest. Cross-validation
# with five pairs of halves shows which learning algorithm is better.
from skcompare import PairedComparator

algorithms = PairedComparator(ridge, forest, random_state=0).fit(X, y).comparison_

# %%
# Conclusion
# ----------
better = {
    "champion": "the ridge regression is better",
    "challenger": "the forest is better",
}
for question, result in (
    ("These two models", comparison),
    ("The ways of training", algorithms),
):
    row = result.rows[0]
    judged = better.get(result.verdict, "neither is shown to be better")
    print(
        f"{question}: {judged}; R² differs by {row.difference:+.3f} "
        f"[{row.low:.3f}, {row.high:.3f}], p = {row.pvalue:.2g}."
    )
called = int(((ranges["low"] > 0) | (ranges["high"] < 0)).sum())
print(f"The mean gain is shown to differ from 0 in {called} of {len(ranges)} ranges.")
plt.show()
