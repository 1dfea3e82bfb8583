"""Parts of predictions: those for some records, and those of one class against the rest."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skcompare.predictions._predictions import (
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
)


def part_of(pair: PairedPredictions, keep: NDArray[np.bool_]) -> PairedPredictions:
    """Select the predictions for some records; classes stay the same.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions for a hold-out set.
    keep : ndarray of bool of shape (n_samples,)
        Mask of the records to keep.
    """
    predictions = pair.predictions
    if predictions.records is not None or predictions.bounds is not None:
        raise ValueError(
            f"Slices are taken of a hold-out set. Got {pair.design}. Compare trained "
            "classifiers on records that neither has seen."
        )
    champion, challenger = (role.part(keep) for role in pair.roles)
    groups = predictions.groups
    if groups is not None:
        groups = np.unique(groups[keep], return_inverse=True)[1]
    kept = replace(
        predictions,
        y=None if predictions.y is None else predictions.y[keep],
        estimators=(champion, challenger),
        groups=groups,
    )
    return PairedPredictions(kept, champion, challenger)


def one_class(pair: PairedPredictions, position: int) -> PairedPredictions:
    """Reduce the predictions of a pair to one class, as :func:`one_class_of` does."""
    of_class = one_class_of(
        replace(pair.predictions, estimators=tuple(pair.roles)), position
    )
    return PairedPredictions(of_class, *of_class.estimators)


def one_class_of(predictions: Predictions, position: int) -> Predictions:
    """Reduce predictions to one class against the rest, with the classes False and True.

    The probability of the class stays the same, and that of the rest is its complement; a
    predicted label is the class or not, whatever its probability.

    Parameters
    ----------
    predictions : Predictions
        Predictions of any number of classes.
    position : int
        Position of the class.
    """
    n_classes, y = len(predictions.classes), predictions.y
    return replace(
        predictions,
        classes=np.array([False, True]),
        y=None if y is None else (y == position).astype(np.int8),
        estimators=tuple(
            _of_one_class(role, position, n_classes) for role in predictions.estimators
        ),
    )


def _of_one_class(
    predictions: EstimatorPredictions, position: int, n_classes: int
) -> EstimatorPredictions:
    labels, proba, decision = predictions.labels, predictions.proba, predictions.decision
    if labels is not None:
        labels = (labels == position).astype(np.int8)
    if proba is not None:
        proba = np.column_stack([1 - proba[:, position], proba[:, position]])
    if decision is not None and decision.ndim == 2:
        decision = decision[:, position]
    elif decision is not None and position < n_classes - 1:
        decision = -decision
    return replace(predictions, labels=labels, proba=proba, decision=decision)
