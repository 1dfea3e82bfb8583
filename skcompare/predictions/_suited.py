"""Whether answers are such that a test can run."""

from typing import Any

import numpy as np

from skcompare._registry.tests import PairedTestEntry
from skcompare.predictions._answer import LABELS, SCORES
from skcompare.predictions._predictions import Predictions


def what_lacks(entry: PairedTestEntry, predictions: Predictions) -> str:
    """Why these answers are none for a test; empty where it can run."""
    needs: Any = entry.needs
    wanted: frozenset[str] = getattr(needs, "wanted", frozenset())
    for role in predictions.answers:
        has_scores = role.has_proba
        takes_decision = getattr(needs, "takes_decision", False)
        has_scores |= takes_decision and role.has_decision
        if LABELS in wanted and not role.has_labels:
            return f"{entry.name} needs labels, and {role.name} gives none"
        if SCORES in wanted and not has_scores:
            return f"{entry.name} needs probabilities, and {role.name} gives none"
    n_classes = len(predictions.classes)
    if n_classes > getattr(needs, "max_classes", n_classes):
        return f"{entry.name} is for {needs.max_classes} classes, and there are {n_classes}"
    least = getattr(needs, "least_per_class", 0)
    if least and predictions.y is not None:
        counts = predictions.class_counts()
        if counts.min() < least:
            rare = predictions.classes[int(np.argmin(counts))]
            return (
                f"{entry.name} needs {least} records of every class, and class {rare} "
                f"has {counts.min()}"
            )
    return ""
