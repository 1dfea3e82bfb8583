"""Tasks that fit a classifier on a training set and predict a test set."""

import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state, get_tags

from skcompare._core.labels import check_labels, class_codes
from skcompare._core.validation import check_probabilities
from skcompare._typing import FloatArray, IntArray
from skcompare.exceptions import EstimatorFailedError
from skcompare.predictions._estimator_repr import describe
from skcompare.predictions._indexing import n_rows, take_rows


@contextmanager
def seeded_generators(seed: int) -> Iterator[None]:
    """Seed the global random generators, and restore their states afterwards.

    An estimator with a nested `random_state` of None that cannot be set uses numpy's
    generator. Neural nets use that of torch; only the one on the CPU is seeded, as it draws
    their initial weights. Threads share the generators, so that fits in threads stay as
    random as before.
    """
    shared = check_random_state(None)
    numpy_state, python_state = shared.get_state(), random.getstate()
    shared.seed(seed)
    random.seed(seed)
    # An estimator that uses torch has imported it.
    torch_generator = getattr(sys.modules.get("torch"), "default_generator", None)
    torch_state = None if torch_generator is None else torch_generator.get_state()
    if torch_generator is not None:
        torch_generator.manual_seed(seed)
    try:
        yield
    finally:
        shared.set_state(numpy_state)
        random.setstate(python_state)
        if torch_generator is not None:
            torch_generator.set_state(torch_state)


LABELS, SCORES, DECISION = "labels", "scores", "decision"
"""Kinds of predictions; scores are probabilities if the classifier has them."""

RANKS = "ranks"
"""In addition to scores: they only rank records, and probabilities may have any sum."""

PROBA = "probabilities"
"""In addition to scores: decision scores are not enough."""

LARGEST_SEED = np.iinfo(np.int32).max
"""Upper bound of the seeds that are drawn for nested estimators."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Predictions of a task, in the smallest types, and the fit and predict times."""

    labels: IntArray | None
    proba: FloatArray | None
    decision: FloatArray | None
    fit_time: float
    predict_time: float


@dataclass(frozen=True, slots=True)
class Task:
    """Classifier to fit and predict on one split.

    `seed` sets every nested `random_state` that is None, so that equal estimators make
    equal predictions; it is shared by all estimators of a split.
    """

    name: str
    estimator: Any
    split: int
    train: IntArray
    test: IntArray
    seed: int
    required: frozenset[str]
    fit_params: dict[str, Any]


def run_task(task: Task, X: Any, y: Any, classes: np.ndarray) -> Outcome:
    """Fit a clone on the training records and predict the test records."""
    step = "fit"
    try:
        estimator, columns, fit_time = fitted_clone(task, X, y)
        step = "predict"
        start = perf_counter()
        predictions = predict(
            estimator,
            lambda: cut(X, task.test, columns),
            len(task.test),
            classes,
            task.required,
        )
    # Any exception of an estimator is raised again with its name and the split.
    except (Exception, SystemExit) as error:
        raise failure_of(task, step, error) from error
    return Outcome(*predictions, fit_time, perf_counter() - start)


def fitted_clone(task: Task, X: Any, y: Any) -> tuple[Any, IntArray | None, float]:
    """Return a fitted clone, the columns to select, and the fit time in seconds.

    Columns are selected of a precomputed kernel only.
    """
    estimator = clone(task.estimator)
    set_seeds(estimator, task.seed)
    params = rows_of(task.fit_params, task.train, n_rows(y))
    columns = task.train if get_tags(estimator).input_tags.pairwise else None
    # No variable keeps the training records, so that they are freed before the test records
    # are selected.
    start = perf_counter()
    with seeded_generators(task.seed):
        estimator.fit(cut(X, task.train, columns), take_rows(y, task.train), **params)
    return estimator, columns, perf_counter() - start


def failure_of(task: Task, step: str, error: BaseException) -> EstimatorFailedError:
    """Return an error that names the failed classifier, the step and the split."""
    message = (
        f"{task.name} ({describe(task.estimator)}) failed to {step} on split {task.split} "
        f"({len(task.train)} training records): {type(error).__name__}: {error}"
    )
    return EstimatorFailedError.of(message, error)


def rows_of(params: Mapping[str, Any], rows: IntArray, n: int) -> dict[str, Any]:
    """Select metadata of some of `n` records, for values with one entry per record."""
    return {
        key: take_rows(value, rows) if _is_aligned(value, n) else value
        for key, value in params.items()
    }


def cut(X: Any, rows: IntArray, columns: IntArray | None) -> Any:
    """Select records, and for a precomputed kernel the columns of training records."""
    selected = take_rows(X, rows)
    return selected if columns is None else selected[:, columns]


def set_seeds(estimator: Any, seed: int) -> None:
    """Set every nested `random_state` that is None, in the order of the parameter names.

    A splitter among the parameters is replaced by a seeded copy, because it would shuffle
    differently for each classifier.
    """
    if not hasattr(estimator, "get_params"):
        return
    rng = np.random.RandomState(seed)
    seeds: dict[str, Any] = {}
    for key, value in sorted(estimator.get_params(deep=True).items()):
        if value is None and is_seed(key):
            seeds[key] = int(rng.randint(LARGEST_SEED))
        elif hasattr(value, "split") and getattr(value, "random_state", 0) is None:
            seeds[key] = seeded(value, rng)
    if seeds:
        estimator.set_params(**seeds)


def is_seed(parameter: str) -> bool:
    """Whether a parameter, which may be nested, is a `random_state`."""
    return parameter.rpartition("__")[2] == "random_state"


def seeded(splitter: Any, rng: np.random.RandomState) -> Any:
    """Return a copy of a splitter with a random seed."""
    splitter = copy(splitter)
    splitter.random_state = int(rng.randint(LARGEST_SEED))
    return splitter


def _is_aligned(value: Any, n: int) -> bool:
    has_rows = len(getattr(value, "shape", ())) > 0 or isinstance(value, list | tuple)
    return has_rows and n_rows(value) == n


def predict(
    estimator: Any,
    records: Callable[[], Any],
    n: int,
    classes: np.ndarray,
    required: frozenset[str],
) -> tuple[IntArray | None, FloatArray | None, FloatArray | None]:
    """Predict labels (as codes), probabilities and decision scores, as `required`.

    `records` returns the test records again for each method, so that a method that changes
    them does not affect the next.
    """
    labels = proba = decision = None
    scored = SCORES in required
    has_proba = hasattr(estimator, "predict_proba")
    has_decision = hasattr(estimator, "decision_function")
    if PROBA in required and not has_proba:
        raise ValueError(
            "The measures or tests need probabilities, and it has no predict_proba. Wrap "
            "it in sklearn.calibration.CalibratedClassifierCV, or ask for measures of "
            "labels, such as 'accuracy', or of rankings, such as 'roc_auc'."
        )
    if LABELS in required:
        labels = _codes(_check_length("predict", estimator.predict(records()), n), classes)
    if scored and has_proba:
        proba = _proba(estimator, records(), n, classes, sums=RANKS not in required)
    if DECISION in required or (scored and not has_proba and has_decision):
        if not has_decision:
            raise ValueError("The measures need decision_function, which it does not have.")
        decision = _decision(estimator, records(), n, classes)
    if scored and not has_proba and not has_decision:
        raise ValueError(
            "The measures need scores, but the classifier has neither predict_proba nor "
            "decision_function. Ask for measures of labels, such as 'accuracy'."
        )
    return labels, proba, decision


def askable(estimator: Any, required: frozenset[str]) -> frozenset[str]:
    """Return the kinds of `required` predictions that a classifier can provide."""
    scored = any(hasattr(estimator, m) for m in ("predict_proba", "decision_function"))
    return required if scored or LABELS not in required else required - {SCORES}


def _check_length(method: str, values: Any, n: int) -> Any:
    if n_rows(values) != n:
        raise ValueError(
            f"{method} must predict {n} records. Got {n_rows(values)} predictions."
        )
    return values


def _codes(predicted: Any, classes: np.ndarray) -> IntArray:
    array = np.asarray(predicted)
    if array.dtype.kind == "O" and array.ndim == 1:
        # A dictionary is many times faster than sorting objects; unknown labels are left
        # to the checks, which report the problem.
        code_of = {label: code for code, label in enumerate(classes.tolist())}
        try:
            codes = np.array([code_of[label] for label in array.tolist()])
            return codes.astype(np.min_scalar_type(-len(classes)))
        except (KeyError, TypeError):
            pass
    return class_codes("predictions", check_labels("predictions", predicted), classes)


def _proba(estimator: Any, X: Any, n: int, classes: np.ndarray, sums: bool) -> FloatArray:
    own_classes = np.asarray(getattr(estimator, "classes_", classes))
    values = _check_length("predict_proba", estimator.predict_proba(X), n)
    proba = check_probabilities("predict_proba", values, len(own_classes), sums=sums)
    return _aligned(proba, own_classes, classes, missing=0.0)


def _decision(estimator: Any, X: Any, n: int, classes: np.ndarray) -> FloatArray:
    own_classes = np.asarray(getattr(estimator, "classes_", classes))
    values = _check_length("decision_function", estimator.decision_function(X), n)
    decision = np.asarray(values, dtype=np.float64)
    if not np.isfinite(decision).all():
        raise ValueError("`decision_function` must be finite. Got NaN or infinity.")
    if decision.ndim == 1 and len(own_classes) == 2 < len(classes):
        decision = np.column_stack([-decision, decision])
    if decision.ndim == 1 and len(own_classes) == 2:
        return decision
    if decision.ndim != 2 or decision.shape[1] != len(own_classes):
        raise ValueError(
            f"`decision_function` must give a column for each of {len(own_classes)} "
            f"classes. Got shape {decision.shape}."
        )
    return _aligned(decision, own_classes, classes, missing=None)


def _aligned(
    scores: FloatArray, own_classes: np.ndarray, classes: np.ndarray, missing: float | None
) -> FloatArray:
    """Return columns of all classes; classes absent from training score lowest."""
    if len(own_classes) == len(classes):
        return scores
    columns = class_codes("classes_", own_classes, classes)
    filler = scores.min(axis=1, keepdims=True) - 1 if missing is None else missing
    wide = np.empty((len(scores), len(classes)))
    wide[:] = filler
    wide[:, columns] = scores
    return wide
