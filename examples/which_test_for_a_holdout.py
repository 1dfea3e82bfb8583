"""
Two models and one hold-out set: which test?
============================================

Two models have predicted the same records, and one predicted more of them correctly. A test
that treats the two as independent samples ignores that the predictions are paired. How much
does it matter?
"""

# %%
# The predictions
# ---------------
# Two classifiers of the handwritten digits of scikit-learn, trained on 400 records and
# tested on the others.
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
# The discordant records
# ----------------------
# Most records are predicted correctly by both, or incorrectly by both. They carry no
# information about the difference. The framed cells contain the others.
from skcompare.plots import ContingencyDisplay

ContingencyDisplay.from_estimators(linear, neighbours, X_test, y_test)

# %%
# McNemar's test compares the framed cells: of two equally good models each is equally
# likely to be the one that is correct. The test of two proportions, which is in every
# textbook, ignores the pairing.
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
# Conclusion
# ----------
widths = [high - low for low, high in (r.confidence_interval() for r in (paired, unpaired))]
better = "the neighbours are" if paired.estimate > 0 else "the linear model is"
judged = f"{better} better" if paired.pvalue < 0.05 else "neither is shown to be better"
print(
    f"By McNemar's test of the {table.n_discordant} discordant records {judged} "
    f"(p = {paired.pvalue:.2g})."
)
print(
    f"The unpaired test has p = {unpaired.pvalue:.2g}, with an interval "
    f"{widths[1] / widths[0]:.1f} times as wide."
)
plt.show()
