"""Classifiers that return stored predictions, so that any scorer can score them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metaestimators import available_if

from skcompare._core.validation import check_pos_label
from skcompare.predictions import DECISION, LABELS, SCORES


def _has(name: str) -> Any:
    return lambda stored: getattr(stored, name) is not None


class StoredPredictions(ClassifierMixin, BaseEstimator):
    """Fitted classifier that returns stored predictions for any X.

    It has only the methods whose predictions are stored, because scorers check by hasattr.
    """

    def __init__(
        self,
        classes: np.ndarray,
        labels: np.ndarray | None,
        proba: np.ndarray | None,
        decision: np.ndarray | None,
    ) -> None:
        self.classes = self.classes_ = classes
        self.labels = labels
        self.proba = proba
        self.decision = decision

    @available_if(_has("labels"))
    def predict(self, X: Any) -> Any:
        """Return the stored labels."""
        return self.labels

    @available_if(_has("proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the stored probabilities."""
        return self.proba

    @available_if(_has("decision"))
    def decision_function(self, X: Any) -> Any:
        """Return the stored decision scores."""
        return self.decision


class Probe(ClassifierMixin, BaseEstimator):
    """A classifier that records the calls of a scorer, with or without decision scores."""

    def __init__(self, with_decision: bool) -> None:
        self.classes_ = np.array([0, 1])
        self.with_decision = with_decision or None
        self.requested: set[str] = set()

    def predict(self, X: Any) -> Any:
        """Return four fixed labels."""
        self.requested.add(LABELS)
        return np.array([0, 1, 1, 0])

    def predict_proba(self, X: Any) -> Any:
        """Return four fixed pairs of probabilities."""
        self.requested.add(SCORES)
        return np.array([[0.7, 0.3], [0.4, 0.6], [0.6, 0.4], [0.8, 0.2]])

    @available_if(_has("with_decision"))
    def decision_function(self, X: Any) -> Any:
        """Return four fixed decision scores."""
        self.requested.add(DECISION)
        return np.array([-1.0, 1.0, -0.5, -2.0])


def class_order(classes: np.ndarray, pos_label: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes for scorers, and the position of each stored code among them.

    With a positive label they are 0 and 1, so that every binary scorer recognises it.
    """
    positive = check_pos_label(pos_label, classes)
    if positive is None:
        return classes, np.arange(len(classes))
    return np.array([0, 1]), np.array([1, 0]) if positive == 0 else np.array([0, 1])


def ordered_decision(
    decision: np.ndarray | None, part: slice, order: np.ndarray
) -> np.ndarray | None:
    if decision is None:
        return None
    if decision.ndim == 2:
        return decision[part][:, order]
    return decision[part] if order[0] == 0 else -decision[part]


@dataclass
class Watch:
    """Record of the warnings and errors of scorers.

    `undefined` is about the last call; `warned` and `error` about all of them.
    """

    undefined: bool = False
    warned: bool = False
    error: ValueError | None = None


@contextmanager
def watched(watch: Watch | None = None) -> Iterator[None]:
    """Record the warnings of a scorer instead of passing them on.

    Metrics that are undefined warn and return 0 or NaN, depending on the metric; such a
    score must not count as a number. Other warnings are caveats about the data.
    """
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        yield
    if watch is not None:
        kinds = [issubclass(warning.category, UndefinedMetricWarning) for warning in caught]
        watch.undefined = any(kinds)
        watch.warned |= not all(kinds)
