"""
Which model forecasts better, and how far ahead?
================================================

The sea off Peru is warm in some years and cold in others. A random forest forecasts its
temperature, and a linear model could replace it. Consecutive months are correlated, and so
are the errors of forecasts: they carry less information than their number suggests.
"""

# %%
# Temperatures of 61 years
# ------------------------
# Monthly means from 1950 to 2010, by the National Oceanic and Atmospheric Administration.
# They are in the public domain; ``examples/data/README.md`` has the source.
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

file = Path(sys.argv[0]).parent / "data" / "sea_temperature.csv"
table = np.loadtxt(file, delimiter=",", skiprows=1)
temperature = table[:, 1:].ravel()
print(f"{len(temperature)} months, {temperature.min():.1f} to {temperature.max():.1f} °C")

# %%
# What is known beforehand
# ------------------------
# A forecast several months ahead may use the twelve months up to the one in which it is
# made, and the season. The months to be forecast begin in January 1952.
months = np.arange(24, len(temperature))
angle = 2 * np.pi * months / 12
season = [f(k * angle) for k in (1, 2) for f in (np.sin, np.cos)]
y = temperature[months]


def known(ahead):
    """The last twelve months that are known a number of months ahead, and the season."""
    past = [temperature[months - ahead - k] for k in range(12)]
    return np.column_stack(past + season)


# %%
# Ten origins
# -----------
# ``TimeSeriesSplit`` trains both models ten times, each time on all earlier months, and
# they forecast the next five years. ``gap`` omits the months that are not yet known when a
# forecast is made. All test months are one series, and the default test of such splits is
# Diebold and Mariano's, which allows for dependence.
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import TimeSeriesSplit

from skcompare import PairedComparator

forest = RandomForestRegressor(n_estimators=60, min_samples_leaf=3, random_state=0)
linear = RidgeCV(alphas=np.logspace(-3, 3, 13))
comparisons = {}
for ahead in (1, 3, 6):
    comparator = PairedComparator(
        forest,
        linear,
        cv=TimeSeriesSplit(10, gap=ahead - 1),
        scoring="neg_mean_absolute_error",
    ).fit(known(ahead), y)
    comparisons[ahead] = comparator.comparison_
print(comparisons[3])

# %%
# How far ahead?
# --------------
# The gain is the mean absolute error of the forest minus that of the linear model. Three
# horizons are three tests, so the p-values are adjusted. The last number is the variance of
# the gain relative to that of independent months, which other tests assume.
from skcompare.stats import adjust_pvalues

rows = {ahead: comparison.rows[0] for ahead, comparison in comparisons.items()}
adjusted = adjust_pvalues([row.pvalue for row in rows.values()])
for (ahead, row), pvalue in zip(rows.items(), adjusted, strict=True):
    inflation = row.result.details["variance_inflation"]
    print(
        f"months ahead {ahead}: {row.difference:+.3f} °C, in [{row.low:+.3f}, "
        f"{row.high:+.3f}], adjusted p = {pvalue:.3f}, variance times {inflation:.1f}"
    )

# %%
# Is it always so?
# ----------------
# The gain three months ahead, in a window of sixteen years that moves over time. Where the
# band excludes 0, one of the models is better at that time.
from skcompare.evidence import OrderedDifferences
from skcompare.plots import GainOverTimeDisplay
from skcompare.stats import fluctuation

date = np.datetime64("1950-01") + months
GainOverTimeDisplay.from_result(comparisons[3], time=date, name="Month")
turns = fluctuation(comparisons[3].evidence(OrderedDifferences))

# %%
# Conclusion
# ----------
names = {1: "the linear model is better", -1: "the forest is better"}
for (ahead, row), pvalue in zip(rows.items(), adjusted, strict=True):
    better = names[int(np.sign(row.difference))]
    shown = better if pvalue < 0.05 else "neither is shown to be better"
    months_ahead = "One month" if ahead == 1 else f"{ahead} months"
    print(f"{months_ahead} ahead {shown} (adjusted p = {pvalue:.3f}).")
found = "some differ" if turns.pvalue < 0.05 else "none differs"
print(f"Of the gains in sixteen years, {found} from 0 by itself (p = {turns.pvalue:.2f}).")
plt.show()
