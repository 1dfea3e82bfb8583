"""Which class a test of precision is about, and how that is said."""

from typing import Any

import numpy as np

from skcompare._core.validation import some_of

SCORE_WORDS = {
    "precision": "precisions",
    "recall": "recalls",
    "specificity": "specificities",
    "negative_predictive_value": "negative predictive values",
}
"""The scores of one class against the rest, of two classifiers."""

OF_CLASS = "against the rest"

FEW_INFORMATIVE = 40
"""Clusters with an answer that counts; below it the normal approximation is poor."""

NO_ANSWERS = "no-answers"
FEW_CLUSTERS = "few-informative-clusters"


def class_label(classes: np.ndarray, label: Any = None) -> Any:
    """The class that a test is about.

    By default 1 or True where it is one of two classes, as in scikit-learn, and the last
    class otherwise.
    """
    known = classes.tolist()
    if label is None:
        return known[known.index(1)] if len(known) == 2 and 1 in known else known[-1]
    found = np.flatnonzero(classes == label) if np.ndim(label) == 0 else np.empty(0)
    if len(found) != 1:
        raise ValueError(
            f"`label` must be one of the classes {some_of(classes)}. Got {label!r}."
        )
    return known[int(found[0])]


def class_words(label: Any) -> str:
    """The class, as a remark of a result."""
    return f"class {label!r} {OF_CLASS}"
