"""One task: fit a classifier on a training set and answer a test set."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from skcompare._typing import FloatArray, IntArray
from skcompare._validation import check_labels, check_probabilities, class_codes
from skcompare.exceptions import EstimatorFailedError
from skcompare.predictions._describe import describe
from skcompare.predictions._rows import n_rows, take_rows
from skcompare.predictions._transport import Shipment

__all__ = ["LABELS", "SCORES", "Outcome", "Task", "answer", "run_task"]

LABELS, SCORES = "labels", "scores"
"""What can be asked of a classifier; scores are probabilities where it has them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task gives back, in the smallest types."""

    labels: IntArray | None
    proba: FloatArray | None
    decision: FloatArray | None
    fit_time: float
    predict_time: float


@dataclass(frozen=True, slots=True)
class Task:
    """A classifier and a split.

    `seed` sets every nested `random_state` that is None, so that equal estimators give
    equal answers; it is shared by all estimators of a split.
    """

    name: str
    estimator: Any
    split: int
    train: IntArray
    test: IntArray
    seed: int
    wanted: frozenset[str]
    fit_params: dict[str, Any]


def run_task(task: Task, shipment: Shipment, classes: np.ndarray) -> Outcome:
    """Fit a clone on the training records and answer the test records."""
    X, y = shipment.open()
    estimator = clone(task.estimator)
    set_seeds(estimator, task.seed)
    params = {
        key: take_rows(value, task.train) if _is_aligned(value, n_rows(y)) else value
        for key, value in task.fit_params.items()
    }
    columns = task.train if get_tags(estimator).input_tags.pairwise else None
    step = "fit"
    try:
        # No name holds the training records, so that they are freed before the test
        # records are taken.
        start = perf_counter()
        estimator.fit(_cut(X, task.train, columns), take_rows(y, task.train), **params)
        fitted = perf_counter()
        step = "predict"
        X_test = _cut(X, task.test, columns)
        labels, proba, decision = answer(estimator, X_test, classes, task.wanted)
    # Whatever an estimator raises is passed on with its name and the split.
    except Exception as error:
        message = (
            f"{task.name} ({describe(estimator)}) failed to {step} on split {task.split} "
            f"({len(task.train)} training records): {type(error).__name__}: {error}"
        )
        raise EstimatorFailedError.of(message, error) from error
    return Outcome(labels, proba, decision, fitted - start, perf_counter() - fitted)


def _cut(X: Any, rows: IntArray, columns: IntArray | None) -> Any:
    """Some records; of a precomputed kernel their values with the training records."""
    taken = take_rows(X, rows)
    return taken if columns is None else taken[:, columns]


def set_seeds(estimator: Any, seed: int) -> None:
    """Set every nested `random_state` that is None, in the order of their names."""
    if not hasattr(estimator, "get_params"):
        return
    rng = np.random.RandomState(seed)
    seeds = {}
    for key, value in sorted(estimator.get_params(deep=True).items()):
        if value is None and (key == "random_state" or key.endswith("__random_state")):
            seeds[key] = int(rng.randint(np.iinfo(np.int32).max))
    if seeds:
        estimator.set_params(**seeds)


def _is_aligned(value: Any, n: int) -> bool:
    has_rows = hasattr(value, "shape") or isinstance(value, list | tuple)
    return has_rows and n_rows(value) == n


def answer(
    estimator: Any, X: Any, classes: np.ndarray, wanted: frozenset[str]
) -> tuple[IntArray | None, FloatArray | None, FloatArray | None]:
    """Labels as codes, probabilities and decision scores, as far as they are wanted."""
    labels = proba = decision = None
    if LABELS in wanted:
        predicted = check_labels("predictions", estimator.predict(X))
        labels = class_codes("predictions", predicted, classes)
    if SCORES in wanted:
        own = np.asarray(getattr(estimator, "classes_", classes))
        if hasattr(estimator, "predict_proba"):
            proba = check_probabilities(
                "predict_proba", estimator.predict_proba(X), len(own)
            )
            proba = _aligned(proba, own, classes, missing=0.0)
        elif hasattr(estimator, "decision_function"):
            decision = np.asarray(estimator.decision_function(X), dtype=np.float64)
            if not np.isfinite(decision).all():
                raise ValueError("`decision_function` must be finite. Got NaN or infinity.")
            if decision.ndim == 2:
                decision = _aligned(decision, own, classes, missing=None)
        else:
            raise ValueError(
                "The measures need scores, but the classifier has neither predict_proba "
                "nor decision_function. Ask for measures of labels, such as 'accuracy'."
            )
    return labels, proba, decision


def _aligned(
    scores: FloatArray, own: np.ndarray, classes: np.ndarray, missing: float | None
) -> FloatArray:
    """Columns in the order of all classes; one that a training set lacked scores lowest."""
    if len(own) == len(classes):
        return scores
    columns = class_codes("classes_", own, classes)
    filler = scores.min(axis=1, keepdims=True) - 1 if missing is None else missing
    wide = np.empty((len(scores), len(classes)))
    wide[:] = filler
    wide[:, columns] = scores
    return wide
