"""
Is it the recipe, or one lucky training?
========================================

A neural network that is trained again, with another seed, is a different model. If one
training of each recipe is compared, luck is part of the result. Here runs of the same two
recipes contradict each other, each with a small p-value.
"""

# %%
# Three recipes
# -------------
# Networks that read digits: with a hidden layer of 24, with two of them, and with one of
# 64. Each is trained with six seeds, on the same 898 records, for forty epochs.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

warnings.filterwarnings("ignore", category=ConvergenceWarning)
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X / 16, y, test_size=0.5, stratify=y, random_state=0
)
layers = {"one layer": (24,), "two layers": (24, 24), "a wide layer": (64,)}
predictions = {
    name: np.stack(
        [
            MLPClassifier(sizes, max_iter=40, random_state=seed)
            .fit(X_train, y_train)
            .predict(X_test)
            for seed in range(6)
        ]
    )
    for name, sizes in layers.items()
}
for name, labels in predictions.items():
    print(f"{name:12}", (labels == y_test).mean(axis=1).round(3))

# %%
# One training of each
# --------------------
# McNemar's test compares two trained models. It is right for these two models, and says
# nothing about another training.
from skcompare import compare, compare_seeds

names = "one layer", "two layers"
runs = []
for seed in range(6):
    pair = {name: predictions[name][seed] for name in names}
    row = compare(y_test, pair).results["accuracy"]
    runs.append(row)
    print(f"seed {seed}: {row.difference:+.3f}, p = {row.pvalue:.4f}")

# %%
# All trainings of each
# ---------------------
# ``compare_seeds`` takes all of them. Its standard error is that over new records and new
# trainings. The figure shows the accuracy of each training, and the share of the variance
# due to the trainings.
from skcompare.plots import TrainingVarianceDisplay

comparison = compare_seeds(y_test, {name: predictions[name] for name in names})
print(comparison)
TrainingVarianceDisplay.from_result(comparison)

# %%
# A recipe that is better
# -----------------------
# Three recipes are compared in pairs, using the joint distribution of all pairs.
three = compare_seeds(y_test, predictions, adjust="max-t")
print(three)

# %%
# Conclusion
# ----------
row = comparison.results["accuracy"]
sure = [run for run in runs if run.pvalue < 0.05]
better = [sum(sign * run.difference > 0 for run in sure) for sign in (1, -1)]
print(f"Runs that show two layers to be better: {better[0]}; one layer: {better[1]}.")
found = "differ" if row.pvalue < 0.05 else "are not shown to differ"
print(
    f"The recipes {found}: {row.difference:+.3f} in [{row.low:+.3f}, {row.high:+.3f}], "
    f"p = {row.pvalue:.2f}."
)
wide = [pair for pair in three.pairs if "a wide layer" in (pair.champion, pair.challenger)]
shown = sum(pair.adjusted_pvalue < 0.05 for pair in wide)
print(f"The wide layer is shown to be better than {shown} of the {len(wide)} others.")
plt.show()
