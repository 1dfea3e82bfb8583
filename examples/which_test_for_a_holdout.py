"""
Two models and one hold-out set: which test?
============================================

Two models have answered the same records, and one got more of them right. Who tests that as
if each model had records of its own throws away what the records have in common. How much
does it matter?
"""

# %%
# The answers
# -----------
# Two ways to read the handwritten digits that ship with scikit-learn, trained on 400 and
# asked for the others.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=400, stratify=y, random_state=0
)
linear = LogisticRegression(max_iter=2000).fit(X_train, y_train)
neighbours = KNeighborsClassifier(n_neighbors=3).fit(X_train, y_train)
for name, model in [("linear", linear), ("neighbours", neighbours)]:
    print(f"{name:10s}  accuracy {model.score(X_test, y_test):.3f}")

# %%
# What the test looks at
# ----------------------
# Most records are answered rightly by both, or wrongly by both. They do not tell the two
# apart. What is left are the framed cells.
from skcompare.plots import ContingencyDisplay

ContingencyDisplay.from_estimators(linear, neighbours, X_test, y_test)

# %%
# McNemar's test asks whether the framed cells are alike: of two equally good models each is
# as likely as the other to be the one that is right. The test of two proportions, which is
# in every textbook, is told nothing about pairs.
from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar, proportional_z

table = ContingencyTable.from_predictions(
    y_test, linear.predict(X_test), neighbours.predict(X_test)
)
paired, unpaired = mcnemar(table), proportional_z(table)
for result in (paired, unpaired):
    low, high = result.confidence_interval()
    print(
        f"{result.test:15s} {result.estimate:+.3f} [{low:+.3f}, {high:+.3f}], "
        f"p = {result.pvalue:.2g}"
    )

# %%
# What follows
# ------------
widths = [high - low for low, high in (r.confidence_interval() for r in (paired, unpaired))]
better = "the neighbours are" if paired.estimate > 0 else "the linear model is"
judged = f"{better} better" if paired.pvalue < 0.05 else "neither is shown to be better"
print(
    f"By McNemar's test of the {table.n_discordant} records that tell {judged} "
    f"(p = {paired.pvalue:.2g})."
)
print(
    f"As if unpaired p is {unpaired.pvalue:.2g}, with an interval "
    f"{widths[1] / widths[0]:.1f} times as wide."
)
plt.show()
