"""
Do copies make a result more certain?
=====================================

A test set is often enlarged by shifted copies of each record, or has many records of each
patient. How significant does a difference seem then, and how significant is it really?
"""

# %%
# Five views of each image
# ------------------------
# The handwritten digits of scikit-learn. Each is used as it is, and shifted by one pixel in
# each direction; both in training, which is good practice, and in the test set.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)


def views(records):
    """Five records for each image: the image and its four shifts."""
    images = records.reshape(-1, 8, 8)
    shifts = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
    shifted = [np.roll(images, shift, axis=(1, 2)) for shift in shifts]
    return np.stack(shifted, axis=1).reshape(-1, 64)


X_train, y_train = views(X[:600]), np.repeat(y[:600], 5)
image = np.repeat(np.arange(1000, len(y)), 5)
X_test, y_test = views(X[1000:]), y[image]
models = {"neighbours": KNeighborsClassifier(n_neighbors=5), "SVM": SVC()}
predictions = {
    name: model.fit(X_train, y_train).predict(X_test) for name, model in models.items()
}
print(f"{len(y_test)} records of {len(np.unique(image))} images")

# %%
# As if all records were independent
# ----------------------------------
from skcompare import compare

naive = compare(y_test, predictions)
print(naive.conclusion)

# %%
# With the groups
# ---------------
# ``groups`` names the group of each record. The sampling units are then images, not
# records.
grouped = compare(y_test, predictions, groups=image)
print(grouped)

# %%
# The figure
# ----------
from skcompare.plots import ForestDisplay

ForestDisplay.from_result({"as if independent": naive, "by image": grouped})

# %%
# Conclusion
# ----------
# The design effect is the number of records that carry as much information as one
# independent record.
row = grouped.results["clustered_mcnemar"]
effect = row.result.details["design_effect"]
judged = "is" if row.pvalue < 0.05 else "is not"
print(f"{effect:.1f} records carry as much information as one independent record.")
print(
    f"p is {row.pvalue:.2g}, not {naive.results['mcnemar'].pvalue:.2g}: the difference "
    f"{judged} significant."
)
plt.show()
