"""
Which model predicts a rate better?
===================================

Counts, such as rentals per hour, are predicted by their rates. The Poisson deviance
compares two models of a rate; the squared error would mostly compare them where rates are
large.
"""

# %%
# Rentals per hour
# ----------------
# The counts are drawn here, so that the true rates are known. They depend on the
# temperature and on the hour, with one curve on working days and another at the weekend.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import PoissonRegressor
from sklearn.metrics import mean_poisson_deviance
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.default_rng(0)
n = 2000
hour, weekend = rng.integers(24, size=n), rng.random(n) < 2 / 7
temperature = rng.normal(15, 8, size=n)
commuting = np.exp(-(((hour - 8) / 1.5) ** 2)) + np.exp(-(((hour - 17.5) / 2) ** 2))
leisure = np.exp(-(((hour - 14) / 4) ** 2))
rate = np.exp(-0.5 + 2 * np.where(weekend, leisure, commuting) + 0.04 * (temperature - 15))
y = rng.poisson(rate)
X = np.column_stack([hour, weekend, temperature])
X_train, X_test, y_train, y_test, _, rate_test = train_test_split(
    X, y, rate, test_size=0.5, random_state=0
)

# %%
# A log-linear model and boosting
# -------------------------------
# The log-linear model has an effect of each hour, one of the weekend and one of the
# temperature. Boosting also minimises the Poisson deviance, and may combine them.
effects = make_column_transformer((OneHotEncoder(), [0]), (StandardScaler(), [1, 2]))
loglinear = make_pipeline(effects, PoissonRegressor(alpha=1e-3)).fit(X_train, y_train)
boosting = HistGradientBoostingRegressor(
    loss="poisson", learning_rate=0.05, max_leaf_nodes=8, random_state=0
).fit(X_train, y_train)
rates = {"log-linear": loglinear.predict(X_test), "boosting": boosting.predict(X_test)}

# %%
# The comparison
# --------------
# The verdict comes from the Poisson deviance. The share of the deviance that a model
# explains is also shown.
from skcompare import compare

comparison = compare(
    y_test, rates, scoring=["neg_mean_poisson_deviance", "d2_poisson_score"]
)
print(comparison)

# %%
# At which hours does boosting gain?
# ----------------------------------
# At the hours where working days differ from weekends.
from skcompare.plots import GainByRangeDisplay

hours = X_test[:, 0]
display = GainByRangeDisplay.from_predictions(
    y_test,
    *rates.values(),
    loss="poisson_deviance",
    by=hours,
    ranges=[6, 10, 15, 19],
    quantity="hour",
)

# %%
# A better log-linear model
# -------------------------
# With an effect of each hour on working days, and another at weekends, the log-linear model
# can represent the true rates, and nearly attains their deviance.
day_and_hour = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), [0]), (StandardScaler(), [1])
)


def with_own_hours(X):
    own = np.where(X[:, 1] == 1, X[:, 0] + 24, X[:, 0])
    return np.column_stack([own, X[:, 2]])


improved = make_pipeline(day_and_hour, PoissonRegressor(alpha=1e-3))
improved.fit(with_own_hours(X_train), y_train)
second = {
    "boosting": rates["boosting"],
    "improved": improved.predict(with_own_hours(X_test)),
}
again = compare(y_test, second, scoring="neg_mean_poisson_deviance")
for name, predicted in {**rates, **second, "true rates": rate_test}.items():
    print(f"{name:10s}  Poisson deviance {mean_poisson_deviance(y_test, predicted):.3f}")

# %%
# Conclusion
# ----------
for result in (comparison, again):
    row = result.rows[0]
    names = {"champion": result.champion, "challenger": result.challenger}
    judged = (
        f"{names[result.verdict]} is better"
        if result.verdict in names
        else "neither is shown to be better"
    )
    print(
        f"Of {result.champion} and {result.challenger}, {judged}: the deviance gains "
        f"{row.difference:+.3f} [{row.low:.3f}, {row.high:.3f}], p = {row.pvalue:.2g}."
    )
plt.show()
