"""
Is the narrow interval the better one?
======================================

Two models predict intervals that should cover nine of ten records. One has intervals that
are a fifth narrower. Are they better, or do they miss too many records?
"""

# %%
# Two models of quantiles
# -----------------------
# The progress of diabetes within a year. Linear and boosted models predict the quantiles of
# levels 0.05 and 0.95, the limits of the intervals, and the median. The levels are trained
# separately, so the quantiles may cross, and are sorted for each record.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import QuantileRegressor
from sklearn.model_selection import train_test_split

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
LEVELS = (0.05, 0.5, 0.95)


def linear(level):
    return QuantileRegressor(quantile=level, alpha=0)


def boosting(level):
    return HistGradientBoostingRegressor(loss="quantile", quantile=level, random_state=0)


def quantiles(model, X_fit, y_fit, X_new):
    fitted = [model(level).fit(X_fit, y_fit) for level in LEVELS]
    return np.sort([each.predict(X_new) for each in fitted], axis=0)


def forecast(low, median, high):
    return {"values": median, "intervals": {0.9: (low, high)}}


forecasts = {
    "linear": forecast(*quantiles(linear, X_train, y_train, X_test)),
    "boosting": forecast(*quantiles(boosting, X_train, y_train, X_test)),
}

# %%
# Width, coverage and score
# -------------------------
# Coverage alone prefers the widest interval, and width alone the narrowest. The interval
# score adds to the width a penalty for each record that is missed, 20 times its distance
# from a 90 % interval. The true quantiles have the lowest expected score, so the verdict is
# based on it.
from skcompare import compare

measures = ["neg_interval_score", "neg_miscoverage_loss"]
comparison = compare(y_test, forecasts, scoring=measures)
print(comparison)

# %%
# The gain of each record
# -----------------------
# Most records gain a little from the narrower interval, and some that are missed lose much.
from skcompare.plots import LossDifferenceDisplay

LossDifferenceDisplay.from_predictions(y_test, *forecasts.values(), loss="interval_score")

# %%
# Wider by calibration
# --------------------
# Boosting can be calibrated: train on a part of the training records, and widen all
# intervals by the distance that covers nine of ten of the others [1]_.
X_fit, X_left, y_fit, y_left = train_test_split(
    X_train, y_train, test_size=0.4, random_state=0
)
low, _, high = quantiles(boosting, X_fit, y_fit, X_left)
outside = np.sort(np.maximum(low - y_left, y_left - high))
wider = outside[int(np.ceil(0.9 * (len(outside) + 1))) - 1]
low, median, high = quantiles(boosting, X_fit, y_fit, X_test)
forecasts["calibrated"] = forecast(low - wider, median, high + wider)

calibrated = {name: forecasts[name] for name in ("linear", "calibrated")}
after = compare(y_test, calibrated, scoring=measures)
for name, own in forecasts.items():
    low, high = own["intervals"][0.9]
    covered = np.mean((low <= y_test) & (y_test <= high))
    print(f"{name:10s}  mean width {np.mean(high - low):3.0f}, coverage {covered:.0%}")

# %%
# Conclusion
# ----------
judged = {
    "champion": "worse than the linear one",
    "challenger": "better than the linear one",
    "inconclusive": "not shown to differ from the linear one",
}
for name, result in (("boosted", comparison), ("calibrated", after)):
    row = result.rows[0]
    print(
        f"By interval score the {name} interval is {judged[result.verdict]}: "
        f"{row.difference:+.0f} [{row.low:.0f}, {row.high:.0f}], p = {row.pvalue:.2g}."
    )
plt.show()

# %%
# .. [1] Romano, Y., Patterson, E. and Candès, E. (2019). "Conformalized quantile
#    regression." Advances in Neural Information Processing Systems 32.
