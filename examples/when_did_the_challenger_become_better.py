"""
When did the challenger become better?
======================================

A model reads digits that arrive day by day. One day the scanner slips, and digits arrive
shifted. A challenger that has seen shifted digits runs in parallel. Is it better, since
when, and when is that conclusion justified?
"""

# %%
# A stream with a drift
# ---------------------
# The handwritten digits of scikit-learn in their original order, 24 a day. From day 16 on
# the scanner shifts three of five digits by one pixel. The current model was trained on the
# first 597 digits as they are, the challenger on these and on the same digits shifted.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

X, y = load_digits(return_X_y=True)
start, daily, slip = 597, 24, 16
day = 1 + np.arange(len(y) - start) // daily


def shifted(digits):
    """Digits that are moved to the right by one of eight pixels."""
    moved = np.roll(digits.reshape(-1, 8, 8), 1, axis=2)
    moved[:, :, 0] = 0
    return moved.reshape(-1, 64)


old, labels = X[:start], y[:start]
both, twice = np.concatenate([old, shifted(old)]), np.concatenate([labels, labels])
champion = LogisticRegression(max_iter=3000).fit(old, labels)
challenger = LogisticRegression(max_iter=3000).fit(both, twice)

slips = (day >= slip) & (np.random.default_rng(0).random(len(day)) < 0.6)
stream, truth = np.where(slips[:, np.newaxis], shifted(X[start:]), X[start:]), y[start:]
predictions = {"old": champion.predict(stream), "new": challenger.predict(stream)}

# %%
# Is it better?
# -------------
# In these 50 days it is. McNemar's test generalises this to other days, but flags that
# neighbouring records are correlated. With the day as ``time`` the conclusion is about the
# days to come, and one drift says little about how often scanners slip.
from skcompare import compare

unrelated = compare(truth, predictions).rows[0]
print(f"{unrelated.test}: p = {unrelated.pvalue:.0e}, {', '.join(unrelated.flags)}")
comparison = compare(truth, predictions, time=day)
print(comparison)

# %%
# Since when?
# -----------
# The mean gain in a window of ten days that moves over time. The band excludes 0 at times
# at which one model is better, with an error rate for all times together.
from skcompare.plots import GainOverTimeDisplay

display = GainOverTimeDisplay.from_result(comparison, window=0.2, name="Day")
windows = display.frame()
better = windows[windows["better"] == "challenger better"]
print(
    better[["first", "last", "gain", "low", "high"]].round(3).head(3).to_string(index=False)
)

# %%
# When may one say so?
# --------------------
# The figure was drawn at the end. A monitor is updated every evening, and its error rate
# holds for any number of analyses. Digits of a day are correlated, so the day is the unit.
from skcompare.evidence import ContingencyTable
from skcompare.plots import AnytimeDisplay
from skcompare.stats import AnytimeMonitor

monitor = AnytimeMonitor("anytime_losses", unit="batch", alternative="greater")
decided = None
for today in range(1, day.max() + 1):
    of_today = day == today
    table = ContingencyTable.from_predictions(
        truth[of_today], *(labels[of_today] for labels in predictions.values())
    )
    monitor.update(table, name=f"day {today}")
    if monitor.decided and decided is None:
        decided = today
print(monitor)
AnytimeDisplay.from_result(monitor)

# %%
# Conclusion
# ----------
if len(better):
    first, last = better.iloc[0][["first", "last"]]
    print(f"The challenger is first shown to be better in days {first:.0f} to {last:.0f};")
    print(f"the scanner slipped on day {slip}.")
else:
    print("At no time is the challenger shown to be better.")
shown = "is" if comparison.rows[0].pvalue < 0.05 else "is not"
print(f"That it is better in the long run {shown} shown.")
said = f"could say on day {decided}" if decided else "could never say"
print(f"Who looks every evening {said} that it was better in the days so far.")
plt.show()
