"""
May I look every day?
=====================

A challenger answers beside the model that runs. Labels come in daily, and somebody looks
daily whether it is better by now. The usual p-value is made for one look. What happens to
it, and what may be looked at as often as one likes?
"""

# %%
# Twenty-five days
# ----------------
# The handwritten digits that ship with scikit-learn, in the order in which they come: both
# models were trained on the first 300, and sixty more arrive each day.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

X, y = load_digits(return_X_y=True)
start, daily = 300, 60
champion = LogisticRegression(max_iter=2000).fit(X[:start], y[:start]).predict(X)
challenger = KNeighborsClassifier(n_neighbors=1).fit(X[:start], y[:start]).predict(X)


from skcompare.evidence import ContingencyTable
from skcompare.stats import AnytimeMonitor, mcnemar


def table(first, last):
    """Who was right on some of the records."""
    some = slice(first, last)
    return ContingencyTable.from_predictions(y[some], champion[some], challenger[some])


# %%
# Every evening
# -------------
# McNemar's test of all records so far, and a monitor that gets the new ones.
monitor = AnytimeMonitor()
usual = []
for first in range(start, len(y), daily):
    last = min(first + daily, len(y))
    usual.append(mcnemar(table(start, last)).pvalue)
    monitor.update(table(first, last))
    print(f"day {len(usual):2d}: usual p {usual[-1]:.3f}, anytime p {monitor.pvalue:.3f}")
print(monitor)

# %%
# The picture
# -----------
# The interval that holds at all looks together.
from skcompare.plots import LooksDisplay

LooksDisplay.from_result(monitor)

# %%
# What follows
# ------------
days = [str(day) for day, pvalue in enumerate(usual, start=1) if pvalue < 0.05]
if not days:
    said = "The usual p-value was never below 0.05"
elif usual[-1] < 0.05:
    said = f"The usual p-value was below 0.05 on {len(days)} of {len(usual)} evenings"
else:
    said = (
        f"The usual p-value was below 0.05 on day {' and '.join(days)}, and is "
        f"{usual[-1]:.2f} in the end"
    )
end = "has decided" if monitor.decided else "has not decided"
print(f"{said}.")
print(
    f"The monitor, at which one may look every day, {end} after {monitor.n} records "
    f"(p = {monitor.pvalue:.2g})."
)
plt.show()
