"""One task: fit a classifier on a training set and answer a test set."""

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
    """Begin the global generators alike, and leave them as they were.

    An estimator whose `random_state` is None deep inside, where it cannot be set, takes
    numpy's; nets take that of torch, of which only the one on the CPU is looked after, as
    it draws their first weights. Threads share them, so that fits in threads are as random
    as before.
    """
    shared = check_random_state(None)
    numpy_state, python_state = shared.get_state(), random.getstate()
    shared.seed(seed)
    random.seed(seed)
    # Whoever uses torch has imported it.
    of_torch = getattr(sys.modules.get("torch"), "default_generator", None)
    torch_state = None if of_torch is None else of_torch.get_state()
    if of_torch is not None:
        of_torch.manual_seed(seed)
    try:
        yield
    finally:
        shared.set_state(numpy_state)
        random.setstate(python_state)
        if of_torch is not None:
            of_torch.set_state(torch_state)


LABELS, SCORES, DECISION = "labels", "scores", "decision"
"""What can be asked of a classifier; scores are probabilities where it has them."""

RANKS = "ranks"
"""Beside scores: they only rank records, so that probabilities may have any sum."""

PROBA = "probabilities"
"""Beside scores: decision scores do not do."""

LARGEST_SEED = np.iinfo(np.int32).max
"""Of the seeds that are drawn for nested estimators."""


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


def run_task(task: Task, X: Any, y: Any, classes: np.ndarray) -> Outcome:
    """Fit a clone on the training records and answer the test records."""
    step = "fit"
    try:
        estimator, columns, fit_time = fitted_clone(task, X, y)
        step = "predict"
        start = perf_counter()
        answers = answer(
            estimator,
            lambda: cut(X, task.test, columns),
            len(task.test),
            classes,
            task.wanted,
        )
    # Whatever an estimator raises is passed on with its name and the split.
    except (Exception, SystemExit) as error:
        raise failure_of(task, step, error) from error
    return Outcome(*answers, fit_time, perf_counter() - start)


def fitted_clone(task: Task, X: Any, y: Any) -> tuple[Any, IntArray | None, float]:
    """A clone fitted on the training records, the columns to cut by, and seconds.

    Columns are cut of a precomputed kernel only.
    """
    estimator = clone(task.estimator)
    set_seeds(estimator, task.seed)
    params = rows_of(task.fit_params, task.train, n_rows(y))
    columns = task.train if get_tags(estimator).input_tags.pairwise else None
    # No name holds the training records, so that they are freed before the test records
    # are taken.
    start = perf_counter()
    with seeded_generators(task.seed):
        estimator.fit(cut(X, task.train, columns), take_rows(y, task.train), **params)
    return estimator, columns, perf_counter() - start


def failure_of(task: Task, step: str, error: BaseException) -> EstimatorFailedError:
    """The error that says which classifier failed at what, on which split."""
    message = (
        f"{task.name} ({describe(task.estimator)}) failed to {step} on split {task.split} "
        f"({len(task.train)} training records): {type(error).__name__}: {error}"
    )
    return EstimatorFailedError.of(message, error)


def rows_of(params: Mapping[str, Any], rows: IntArray, n: int) -> dict[str, Any]:
    """Metadata of some of `n` records: what has one value a record is cut to them."""
    return {
        key: take_rows(value, rows) if _is_aligned(value, n) else value
        for key, value in params.items()
    }


def cut(X: Any, rows: IntArray, columns: IntArray | None) -> Any:
    """Some records; of a precomputed kernel their values with the training records."""
    taken = take_rows(X, rows)
    return taken if columns is None else taken[:, columns]


def set_seeds(estimator: Any, seed: int) -> None:
    """Set every nested `random_state` that is None, in the order of their names.

    A splitter among the parameters is replaced by a seeded copy, because it would shuffle
    in another way for each classifier.
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
    """Whether a parameter, which may be a nested one, decides random numbers."""
    return parameter.rpartition("__")[2] == "random_state"


def seeded(splitter: Any, rng: np.random.RandomState) -> Any:
    """A copy of a splitter with a seed drawn for it."""
    splitter = copy(splitter)
    splitter.random_state = int(rng.randint(LARGEST_SEED))
    return splitter


def _is_aligned(value: Any, n: int) -> bool:
    has_rows = len(getattr(value, "shape", ())) > 0 or isinstance(value, list | tuple)
    return has_rows and n_rows(value) == n


def answer(
    estimator: Any,
    records: Callable[[], Any],
    n: int,
    classes: np.ndarray,
    wanted: frozenset[str],
) -> tuple[IntArray | None, FloatArray | None, FloatArray | None]:
    """Labels as codes, probabilities and decision scores, as far as they are wanted.

    `records` gives the test records afresh for each method, so that one that changes them
    does not spoil the next.
    """
    labels = proba = decision = None
    scored = SCORES in wanted
    has_proba = hasattr(estimator, "predict_proba")
    has_decision = hasattr(estimator, "decision_function")
    if PROBA in wanted and not has_proba:
        raise ValueError(
            "The measures or tests need probabilities, and it has no predict_proba. Wrap "
            "it in sklearn.calibration.CalibratedClassifierCV, or ask for measures of "
            "labels, such as 'accuracy', or of rankings, such as 'roc_auc'."
        )
    if LABELS in wanted:
        labels = _codes(_checked("predict", estimator.predict(records()), n), classes)
    if scored and has_proba:
        proba = _proba(estimator, records(), n, classes, sums=RANKS not in wanted)
    if DECISION in wanted or (scored and not has_proba and has_decision):
        if not has_decision:
            raise ValueError("The measures need decision_function, which it does not have.")
        decision = _decision(estimator, records(), n, classes)
    if scored and not has_proba and not has_decision:
        raise ValueError(
            "The measures need scores, but the classifier has neither predict_proba nor "
            "decision_function. Ask for measures of labels, such as 'accuracy'."
        )
    return labels, proba, decision


def askable(estimator: Any, wanted: frozenset[str]) -> frozenset[str]:
    """What a classifier can be asked for; one without any score has labels."""
    scored = any(hasattr(estimator, m) for m in ("predict_proba", "decision_function"))
    return wanted if scored or LABELS not in wanted else wanted - {SCORES}


def _checked(method: str, values: Any, n: int) -> Any:
    if n_rows(values) != n:
        raise ValueError(f"{method} must answer {n} records. Got {n_rows(values)} answers.")
    return values


def _codes(predicted: Any, classes: np.ndarray) -> IntArray:
    array = np.asarray(predicted)
    if array.dtype.kind == "O" and array.ndim == 1:
        # A dictionary is many times faster than sorting objects; what it does not know
        # is left to the checks, which say what is wrong.
        known = {label: code for code, label in enumerate(classes.tolist())}
        try:
            codes = np.array([known[label] for label in array.tolist()])
            return codes.astype(np.min_scalar_type(-len(classes)))
        except (KeyError, TypeError):
            pass
    return class_codes("predictions", check_labels("predictions", predicted), classes)


def _proba(estimator: Any, X: Any, n: int, classes: np.ndarray, sums: bool) -> FloatArray:
    own = np.asarray(getattr(estimator, "classes_", classes))
    values = _checked("predict_proba", estimator.predict_proba(X), n)
    proba = check_probabilities("predict_proba", values, len(own), sums=sums)
    return _aligned(proba, own, classes, missing=0.0)


def _decision(estimator: Any, X: Any, n: int, classes: np.ndarray) -> FloatArray:
    own = np.asarray(getattr(estimator, "classes_", classes))
    values = _checked("decision_function", estimator.decision_function(X), n)
    decision = np.asarray(values, dtype=np.float64)
    if not np.isfinite(decision).all():
        raise ValueError("`decision_function` must be finite. Got NaN or infinity.")
    if decision.ndim == 1 and len(own) == 2 < len(classes):
        decision = np.column_stack([-decision, decision])
    if decision.ndim == 1 and len(own) == 2:
        return decision
    if decision.ndim != 2 or decision.shape[1] != len(own):
        raise ValueError(
            f"`decision_function` must give a column for each of {len(own)} classes. Got "
            f"shape {decision.shape}."
        )
    return _aligned(decision, own, classes, missing=None)


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
