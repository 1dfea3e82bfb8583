"""One class against the rest: answers to two classes from those to several."""

from dataclasses import replace

import numpy as np

from skcompare._typing import FloatArray
from skcompare.predictions._predictions import Answers, PairedPredictions, Predictions


def one_class(pair: PairedPredictions, position: int) -> PairedPredictions:
    """The pair's answers about one class, as :func:`one_class_of` makes them."""
    of_class = one_class_of(replace(pair.predictions, answers=tuple(pair.roles)), position)
    return PairedPredictions(of_class, *of_class.answers)


def one_class_of(predictions: Predictions, position: int) -> Predictions:
    """The answers about one class, with the classes False and True.

    A probability of the class is what it was, and the rest has what remains; an answer
    names the class or it does not, whatever its probability.

    Parameters
    ----------
    predictions : Predictions
        Answers to any number of classes.
    position : int
        Position of the class.
    """
    n_classes, y = len(predictions.classes), predictions.y
    return replace(
        predictions,
        classes=np.array([False, True]),
        y=None if y is None else (y == position).astype(np.int8),
        answers=tuple(_about(one, position, n_classes) for one in predictions.answers),
    )


def _about(answers: Answers, position: int, n_classes: int) -> Answers:
    labels, proba = answers.labels, answers.proba
    return replace(
        answers,
        labels=None if labels is None else (labels == position).astype(np.int8),
        proba=None if proba is None else _binary(proba[:, position]),
        decision=_decision(answers.decision, position, n_classes),
    )


def _binary(proba: FloatArray) -> FloatArray:
    return np.column_stack([1 - proba, proba])


def _decision(
    decision: FloatArray | None, position: int, n_classes: int
) -> FloatArray | None:
    if decision is None:
        return None
    if decision.ndim == 2:
        return decision[:, position]
    return decision if position == n_classes - 1 else -decision
