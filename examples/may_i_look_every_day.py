"""
May I test every day?
=====================

A challenger runs in parallel with the current model. Labels arrive daily, and every day
somebody checks whether it is better yet. The usual p-value is valid for a single test. What
happens to it, and which test may be repeated any number of times?
"""

# %%
# Twenty-five days
# ----------------
# The handwritten digits of scikit-learn in their original order: both models were trained
# on the first 300, and sixty more arrive each day.
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
    """Counts of correct and incorrect predictions of some of the records."""
    some = slice(first, last)
    return ContingencyTable.from_predictions(y[some], champion[some], challenger[some])


# %%
# Every evening
# -------------
# McNemar's test of all records so far, and a monitor that is updated with the new ones.
monitor = AnytimeMonitor()
usual = []
for first in range(start, len(y), daily):
    last = min(first + daily, len(y))
    usual.append(mcnemar(table(start, last)).pvalue)
    monitor.update(table(first, last))
    print(f"day {len(usual):2d}: usual p {usual[-1]:.3f}, anytime p {monitor.pvalue:.3f}")
print(monitor)

# %%
# The figure
# ----------
# The interval that holds simultaneously at all interim looks.
from skcompare.plots import AnytimeDisplay

AnytimeDisplay.from_result(monitor)

# %%
# Conclusion
# ----------
days = [str(day) for day, pvalue in enumerate(usual, start=1) if pvalue < 0.05]
if not days:
    usually = "The usual p-value was never below 0.05"
elif usual[-1] < 0.05:
    usually = f"The usual p-value was below 0.05 on {len(days)} of {len(usual)} evenings"
else:
    usually = (
        f"The usual p-value was below 0.05 on day {' and '.join(days)}, and is "
        f"{usual[-1]:.2f} at the end"
    )
end = "has decided" if monitor.decided else "has not decided"
print(f"{usually}.")
print(
    f"The monitor, which may be checked every day, {end} after {monitor.n} records "
    f"(p = {monitor.pvalue:.2g})."
)
plt.show()
