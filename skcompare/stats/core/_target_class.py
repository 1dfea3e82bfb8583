"""Target class of a test of precision, and its label in results."""

from typing import Any

import numpy as np

from skcompare._core.validation import some_of

SCORE_TEXT = {
    "precision": "precisions",
    "recall": "recalls",
    "specificity": "specificities",
    "negative_predictive_value": "negative predictive values",
}
"""Names of the scores of one class against the rest, in the plural."""

OF_CLASS = "against the rest"

FEW_INFORMATIVE = 40
"""Clusters with a prediction that counts, below which the normal approximation is poor."""

NO_PREDICTIONS = "no-predictions"
FEW_CLUSTERS = "few-informative-clusters"
BOUNDARY = "share-of-0-or-1"
ONE_CLUSTER = "one-cluster"


def class_label(classes: np.ndarray, label: Any = None) -> Any:
    """Return the target class of a test.

    By default 1 or True where it is one of two classes, as in scikit-learn, and the last
    class otherwise.
    """
    labels = classes.tolist()
    if label is None:
        return labels[labels.index(1)] if len(labels) == 2 and 1 in labels else labels[-1]
    positions = np.flatnonzero(classes == label) if np.ndim(label) == 0 else np.empty(0)
    if len(positions) != 1:
        raise ValueError(
            f"`label` must be one of the classes {some_of(classes)}. Got {label!r}."
        )
    return labels[int(positions[0])]


def class_text(label: Any) -> str:
    """Text that names the target class in a result."""
    return f"class {label!r} {OF_CLASS}"
