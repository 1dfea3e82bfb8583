"""Predictions of several classifiers on shared splits, fitted in parallel or before."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import copy
from dataclasses import dataclass, fields, replace
from numbers import Integral
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from skcompare._core.design import HOLDOUT, Design
from skcompare._core.sklearn_private import FitReports
from skcompare._core.validation import (
    are_probabilities,
    check_labels,
    check_numbers,
    check_positive,
    check_probabilities,
    class_codes,
    classes_of,
)
from skcompare._registry.metrics import STD, VALUES
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.exceptions import EstimatorFailedError
from skcompare.predictions._fit_cache import read_predictions, stored_predictions, with_keys
from skcompare.predictions._forecasts import check_outputs, outputs_of
from skcompare.predictions._predictions import (
    ABOUT_ALL,
    DECISION,
    LABELS,
    PROBA,
    RANKS,
    SCORES,
    EstimatorPredictions,
    Predictions,
    codes_of_groups,
    encoded_target,
    fingerprint,
    n_rows,
    take_rows,
)
from skcompare.predictions._worker_memory import (
    kept_generators,
    run_tasks,
    seed_generators,
    within_reach,
)


def describe(estimator: Any) -> str:
    """Return nested class names, such as "Pipeline(StandardScaler, LogisticRegression)"."""
    name = type(estimator).__name__
    if isinstance(estimator, Pipeline):
        steps = [
            describe(step)
            for _, step in estimator.steps
            if step not in (None, "passthrough")
        ]
        return f"{name}({', '.join(steps)})"
    # Only parameters are described; the default tree of a forest is not.
    inner = _params(estimator, deep=False).get("estimator")
    return f"{name}({describe(inner)})" if hasattr(inner, "fit") else name


def _params(estimator: Any, *, deep: bool = True) -> dict[str, Any]:
    """Return the parameters of an estimator, or none of another object."""
    return estimator.get_params(deep=deep) if hasattr(estimator, "get_params") else {}


def describe_all(estimators: Sequence[Any]) -> list[str]:
    """Return descriptions, with the parameters that differ if descriptions are equal."""
    descriptions = [describe(estimator) for estimator in estimators]
    if len(set(descriptions)) == len(descriptions):
        return descriptions
    parameters = list(map(_params, estimators))
    settings = [
        _differing(k, parameters) if descriptions.count(description) > 1 else ""
        for k, description in enumerate(descriptions)
    ]
    return [
        f"{description} with {differences}" if differences else description
        for description, differences in zip(descriptions, settings, strict=True)
    ]


def _differing(k: int, parameters: Sequence[Mapping[str, Any]], most: int = 3) -> str:
    """Return the plain parameters in which an estimator differs from others, as text."""
    shown = [
        f"{name}={value!r}"
        for name, value in parameters[k].items()
        if isinstance(value, str | int | float | bool | None)
        and any(name in params and _differ(params[name], value) for params in parameters)
    ]
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")


def _differ(a: Any, b: Any) -> bool:
    """Whether a value differs from a plain one; NaN is equal to NaN."""
    if isinstance(a, Iterable) and not isinstance(a, str):
        # An array, for example, would be compared element by element.
        return True
    return a != b and not (a != a and b != b)


Split = tuple[IntArray, IntArray]
"""Positions of training and of test records."""


def disjoint_split(where: str, train: Any, test: Any, n: int | None = None) -> Split:
    """Check that both parts are non-empty and disjoint, and return them as positions.

    Parameters
    ----------
    where : str
        Name of the split at the beginning of a message: "Split 3".
    train, test : array-like
        Indices, or masks of the records.
    n : int, optional
        Number of records that were split, if known.
    """
    train, test = (_positions(where, part, n) for part in (train, test))
    if train.size == 0 or test.size == 0:
        raise ValueError(
            f"Each split must train and test on at least one record. {where} has "
            f"{train.size} training and {test.size} test records."
        )
    trained = np.zeros(1 + max(train.max(), test.max()), dtype=bool)
    trained[train] = True
    shared = int(np.count_nonzero(trained[test]))
    if shared:
        raise ValueError(
            f"{where} tests {shared} records that it trains on, which favours the "
            "classifier that remembers. Pass splits with disjoint training and test sets."
        )
    return train, test


def _positions(where: str, indices: Any, n: int | None) -> IntArray:
    part = np.asarray(indices)
    if part.dtype == bool and part.ndim == 1 and n in (None, len(part)):
        return np.flatnonzero(part)
    if part.size == 0:
        return part.astype(np.intp)
    are_integers = part.ndim == 1 and part.dtype.kind in "iu"
    if are_integers and part.min() >= 0 and (n is None or part.max() < n):
        return part
    got = f"values of type {part.dtype} and shape {part.shape}"
    if are_integers:
        got = f"indices from {part.min()} to {part.max()}"
    expected = "positions, or masks of the records"
    if n is not None:
        expected = f"indices from 0 to {n - 1}, or masks of {n} records"
    raise ValueError(
        f"{where} must hold {expected}. Got {got}. Pass the records that were split."
    )


LARGEST_SEED = np.iinfo(np.int32).max
"""Upper bound of the seeds that are drawn for nested estimators."""

SEEDS, DRAWING = np.random.RandomState(0), Lock()
"""Generator of the seeds of nested estimators, for one thread at a time."""


@dataclass(frozen=True, slots=True)
class Task:
    """Classifier to fit and predict on one split.

    `seed` sets every nested `random_state` that is None, so that equal estimators make
    equal predictions; it is shared by all estimators of a split. `unseeded` are the
    parameters that it sets, if known, from :func:`unseeded_params`. Predictions are stored
    under the `key`, if there is a cache. `reports` are of all tasks, of which this has a
    `position`.
    """

    name: str
    estimator: Any
    split: int
    train: IntArray
    test: IntArray
    seed: int
    required: frozenset[str]
    fit_params: dict[str, Any]
    unseeded: Mapping[str, Any] | None = None
    key: str = ""
    position: int = 0
    reports: FitReports | None = None

    def reported(self, fitted: Any = None) -> AbstractContextManager[Any]:
        """Return a context that reports the task to callbacks, also those of `fitted`."""
        if self.reports is None:
            return nullcontext()
        label = f"{self.name}, split {self.split}"
        return self.reports.of(self.position, label, fitted)

    def failed_to(self, step: str) -> tuple[str, Any, str]:
        """Return name, classifier and the step that failed, for :func:`failure_of`."""
        failed = f"failed to {step} on split {self.split}"
        records = f"({len(self.train)} training records)"
        return self.name, self.estimator, f"{failed} {records}"


def run_task(
    task: Task, X: Any, y: Any, classes: np.ndarray, memory: Any = None
) -> EstimatorPredictions:
    """Return the predictions of a task, from the memory if they are there."""
    if memory is None or not task.key:
        return fitted_predictions(task, X, y, classes)
    predictions = read_predictions(memory, task.key)
    if predictions is None:
        arguments = task, X, y, classes
        return stored_predictions(memory, task.key, fitted_predictions, *arguments)
    with task.reported():
        return predictions


def fitted_predictions(
    task: Task, X: Any, y: Any, classes: np.ndarray
) -> EstimatorPredictions:
    """Fit a clone on the training records and predict the test records."""
    with naming(*task.failed_to("fit")):
        fitted = fitted_clone(task, X, y)
    return predictions_for(task, fitted, X, classes, task.required)


class Fitted(NamedTuple):
    """Fitted classifier, the seconds it took, and the columns that it predicts from.

    Columns are selected of a precomputed kernel only: those of the training records.
    """

    estimator: Any
    fit_time: float = 0.0
    columns: IntArray | None = None

    def select(self, X: Any, rows: IntArray | None) -> Any:
        """Return rows of the records, or all, with the columns of the classifier."""
        if rows is None:
            return X
        selected = take_rows(X, rows)
        return selected if self.columns is None else selected[:, self.columns]


def predictions_for(
    task: Task, fitted: Fitted, X: Any, classes: np.ndarray, required: frozenset[str]
) -> EstimatorPredictions:
    """Return the predictions of a fitted clone for the test records."""
    with naming(*task.failed_to("predict")):
        predicted = predict(fitted, X, task.test, classes, required)
    return predicted


def fitted_clone(task: Task, X: Any, y: Any) -> Fitted:
    """Fit a clone to the training records of a task."""
    estimator = clone(task.estimator)
    set_seeds(estimator, task.seed, task.unseeded)
    params = rows_of(task.fit_params, task.train, n_rows(y))
    fitted = Fitted(estimator, columns=kernel_columns(estimator, task.train))
    # No variable keeps the training records, so that they are freed before the test records
    # are selected.
    with task.reported(estimator):
        start = perf_counter()
        seed_generators(task.seed)
        estimator.fit(fitted.select(X, task.train), take_rows(y, task.train), **params)
        fit_time = perf_counter() - start
    return fitted._replace(fit_time=fit_time)


def kernel_columns(estimator: Any, train: IntArray) -> IntArray | None:
    """Return the columns of a precomputed kernel: one per training record, in order."""
    return train if get_tags(estimator).input_tags.pairwise else None


def failure_of(
    name: str, estimator: Any, failed: str, error: BaseException
) -> EstimatorFailedError:
    """Return an error that names the classifier and how it failed."""
    text = f"{name} ({describe(estimator)}) {failed}: {type(error).__name__}: {error}"
    return EstimatorFailedError.of(text, error)


class naming:
    """Raise any exception of a classifier again, with its name and how it failed."""

    # A generator would not raise StopIteration again.
    def __init__(self, name: str, estimator: Any, failed: str) -> None:
        self._what = name, estimator, failed

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, (Exception, SystemExit)):
            raise failure_of(*self._what, error) from error


def fit_seeded(
    name: str,
    estimator: Any,
    seed: int,
    X: Any,
    y: Any,
    params: Any,
    failed: str,
    reported: Callable[[Any], AbstractContextManager[Any]] = nullcontext,
) -> Any:
    """Return a fitted clone of a classifier; `failed` is for the message of an error.

    `reported` returns the context in which the clone is fitted, for callbacks.
    """
    fitted = clone(estimator)
    set_seeds(fitted, seed)
    with naming(name, fitted, failed), kept_generators(), reported(fitted):
        seed_generators(seed)
        fitted.fit(X, y, **params)
    return fitted


def rows_of(params: Mapping[str, Any], rows: IntArray, n: int) -> dict[str, Any]:
    """Select metadata of some of `n` records, for values with one entry per record."""
    return {
        key: take_rows(value, rows) if _is_aligned(value, n) else value
        for key, value in params.items()
    }


def unseeded_params(estimator: Any) -> dict[str, Any]:
    """Return every nested `random_state` that is None, and splitters with such a one."""
    return {
        key: value
        for key, value in sorted(_params(estimator).items())
        if (value is None and is_seed(key))
        or (hasattr(value, "split") and getattr(value, "random_state", 0) is None)
    }


def without_seeds(estimator: Any) -> Any:
    """Return a clone with every nested `random_state` None, to be seeded for each training.

    One that cannot be cloned is returned, and the first fit reports the problem.
    """
    with suppress(Exception):
        params = _params(estimator)
        seeds = {key: None for key, value in params.items() if is_seed(key)}
        if any(params[key] is not None for key in seeds):
            return clone(estimator).set_params(**seeds)
    return estimator


def set_seeds(estimator: Any, seed: int, unseeded: Mapping[str, Any] | None = None) -> None:
    """Set every nested `random_state` that is None, in the order of the parameter names.

    A splitter among the parameters is replaced by a seeded copy, because it would shuffle
    differently for each classifier. Reading the parameters takes as long as a small fit, so
    that those of an estimator of which this is a clone can be passed as `unseeded`.
    """
    if unseeded is None:
        unseeded = unseeded_params(estimator)
    if not unseeded:
        return
    # One generator that is seeded again, because making one takes as long as a small fit.
    with DRAWING:
        SEEDS.seed(seed)
        seeds = {
            key: int(SEEDS.randint(LARGEST_SEED)) if value is None else seeded(value, SEEDS)
            for key, value in unseeded.items()
        }
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
    fitted: Fitted,
    X: Any,
    rows: IntArray | None,
    classes: np.ndarray,
    required: frozenset[str],
) -> EstimatorPredictions:
    """Predict labels (as codes), probabilities, decision scores and numbers, as `required`.

    The test records are selected again for each method, so that a method that changes them
    does not affect the next. All records are predicted if `rows` is None.
    """
    labels = proba = decision = values = std = None
    estimator, n = fitted.estimator, n_rows(X if rows is None else rows)
    scored, start = SCORES in required, perf_counter()

    def predicted_by(method: str) -> Any:
        """Return the predictions of a method, which must be as many as the records."""
        return _check_length(method, getattr(estimator, method)(fitted.select(X, rows)), n)

    has_proba = hasattr(estimator, "predict_proba")
    has_decision = hasattr(estimator, "decision_function")
    if PROBA in required and not has_proba:
        raise ValueError(
            "The measures or tests need probabilities, and it has no predict_proba. Wrap "
            "it in sklearn.calibration.CalibratedClassifierCV, or use measures of "
            "labels, such as 'accuracy', or of rankings, such as 'roc_auc'."
        )
    if LABELS in required:
        labels = _codes(predicted_by("predict"), classes)
    if STD in required:
        values, std = _with_std(estimator, fitted.select(X, rows), n)
    elif VALUES in required:
        values = check_numbers("predict", predicted_by("predict"), several=True)
    if scored and has_proba:
        proba, sums = predicted_by("predict_proba"), RANKS not in required
        own_classes = np.asarray(getattr(estimator, "classes_", classes))
        proba = check_probabilities("predict_proba", proba, len(own_classes), sums=sums)
        proba = _aligned(proba, own_classes, classes, missing=0.0)
    if DECISION in required or (scored and not has_proba and has_decision):
        if not has_decision:
            raise ValueError("The measures need decision_function, which it does not have.")
        own_classes = np.asarray(getattr(estimator, "classes_", classes))
        decision = _decision(predicted_by("decision_function"), own_classes, classes)
    if scored and not has_proba and not has_decision:
        raise ValueError(
            "The measures need scores, but the classifier has neither predict_proba nor "
            "decision_function. Request measures of labels, such as 'accuracy'."
        )
    times = np.array([fitted.fit_time]), np.array([perf_counter() - start])
    return EstimatorPredictions("", "", labels, proba, decision, values, *times, std)


def _with_std(estimator: Any, X: Any, n: int) -> tuple[FloatArray, FloatArray]:
    """Predict numbers and their standard deviations, as Gaussian regressors do."""
    try:
        predicted, std = estimator.predict(X, return_std=True)
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeError(
            "a requested loss needs standard deviations, and predict(X, return_std=True) "
            f"does not return them: {error}"
        ) from error
    std = _check_length("standard deviations of predict", std, n)
    values = check_numbers("predict", _check_length("predict", predicted, n), several=True)
    std = check_positive("standard deviations of predict", std, several=True)
    check_outputs("standard deviations of predict", std, values, "predict")
    return values, std


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


def _decision(values: Any, own_classes: np.ndarray, classes: np.ndarray) -> FloatArray:
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


NOT_REPRODUCIBLE = "not-reproducible"


def _unseeded_if_known(estimator: Any) -> dict[str, Any] | None:
    # The first fit reports any problem of an estimator, with its name.
    with suppress(Exception):
        return unseeded_params(estimator)
    return None


DETERMINISTIC = {
    "solver": frozenset(
        ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "lbfgs", "newton-cg")
    ),
    "selection": frozenset(("cyclic",)),
}
"""Options of linear models of scikit-learn with which these have no use of a seed."""


def has_chance(estimator: Any) -> bool:
    """Whether training an estimator again on the same records may give another model.

    False where no part has a `random_state`, or has it for other options only.
    """
    try:
        params = estimator.get_params()
    except Exception:
        return True
    seeds = [name for name in params if name.rpartition("__")[2] == "random_state"]
    for name in seeds:
        owner, prefix = estimator, name.removesuffix("random_state")
        if prefix:
            owner = params[prefix.removesuffix("__")]
        is_linear = type(owner).__module__.startswith("sklearn.linear_model.")
        if not is_linear or not any(
            params.get(f"{prefix}{option}") in values
            for option, values in DETERMINISTIC.items()
        ):
            return True
    tags = getattr(estimator, "__sklearn_tags__", None)
    return tags is None or bool(getattr(tags(), "non_deterministic", False))


def takes_no_seed(estimator: Any) -> bool:
    """Whether an estimator has a `random_state` that setting seeds does not change.

    It may accept no number, or belong to an estimator in the grid of a search.
    """
    try:
        unseeded = unseeded_params(estimator)
        if unseeded:
            estimator = clone(estimator)
            set_seeds(estimator, 0, unseeded)
    # The first fit reports any problem of an estimator, with its name.
    except Exception:
        return False
    set_states = Integral | np.random.RandomState | np.random.Generator
    return any(not isinstance(value, set_states) for value in _random_states(estimator))


def _random_states(value: Any) -> Iterator[Any]:
    """Yield the random states of an estimator and of all nested estimators."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        for item in value:
            yield from _random_states(item)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        for key, parameter in value.get_params(deep=True).items():
            if is_seed(key):
                yield parameter
            elif isinstance(parameter, list | tuple | Mapping):
                yield from _random_states(parameter)


def are_alike(first: EstimatorPredictions, second: EstimatorPredictions) -> bool:
    """Whether predictions are equal up to the order of summation."""
    names = "proba", "decision", "values", "std"
    pairs = [(getattr(first, name), getattr(second, name)) for name in names]
    return bool(np.all(first.labels == second.labels)) and all(
        a is None or np.allclose(a, b, atol=1e-6) for a, b in pairs
    )


def collect_predictions(
    estimators: Sequence[tuple[str, Any]],
    X: Any,
    y: Any,
    y_labels: np.ndarray,
    *,
    splits: Sequence[Split],
    design: Design,
    required: frozenset[str],
    seeds: Sequence[int],
    groups: np.ndarray | None = None,
    fit_params: Sequence[dict[str, Any]] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    reports: FitReports | None = None,
    memory: Any = None,
    twice: Collection[str] = (),
    flags: tuple[str, ...] = (),
) -> Predictions:
    """Fit clones of every estimator on every training set, and predict every test set.

    Parameters
    ----------
    estimators : sequence of (name, estimator)
        k classifiers, which take k fits per split.
    X, y : array-like, sparse matrix or frame
        Records and labels, passed to the estimators as they are.
    y_labels : ndarray of shape (n_samples,)
        Checked labels.
    splits : sequence of (train, test)
        Index arrays.
    design : Design
        Design of the splits.
    required : frozenset of {"labels", "scores"}
        Kinds of predictions that the measures need.
    seeds : sequence of int
        One seed per split.
    groups : array-like of shape (n_samples,), optional
        Group labels.
    fit_params : sequence of dict, optional
        Keyword arguments of `fit`, one entry per estimator; those with one value per
        record are restricted to the training set.
    n_jobs, verbose : int
        As in joblib, but for `verbose` 1, which shows a progress bar.
    reports : FitReports, optional
        Reports to callbacks.
    memory : joblib.Memory, optional
        Where the predictions of each fit are stored, and read if they are there.
    twice : collection of str
        Names of estimators that are fitted twice on the first split, to check whether
        their predictions are the same.
    flags : tuple of str
        Caveats to add.
    """
    classes, _ = encoded_target(y_labels)
    params = fit_params or [{}] * len(estimators)
    unseeded = [_unseeded_if_known(estimator) for _, estimator in estimators]
    tasks = [
        Task(name, estimator, k, train, test, seeds[k], required, task_params, unset)
        for k, (train, test) in enumerate(splits)
        for (name, estimator), task_params, unset in zip(
            estimators, params, unseeded, strict=True
        )
    ]
    refitted = [k for k, (name, _) in enumerate(estimators) if name in twice]
    repeated_tasks = [tasks[k] for k in refitted]
    if memory is not None:
        # A repeated fit has no key, because it must be a fit.
        tasks = with_keys(memory, tasks, X, y)
    tasks, progress = [*repeated_tasks, *tasks], None
    if reports is not None:
        progress, verbose = reports.followed, reports.verbosity(verbose)
        reports.from_tasks = within_reach(n_jobs)
        if reports.from_tasks:
            tasks = [replace(t, reports=reports, position=k) for k, t in enumerate(tasks)]
    outcomes = run_tasks(
        run_task,
        tasks,
        (X, y),
        classes,
        memory,
        n_jobs=n_jobs,
        verbose=verbose,
        progress=progress,
    )
    repeated, outcomes = outcomes[: len(refitted)], outcomes[len(refitted) :]
    if not all(
        are_alike(outcomes[k], outcome)
        for k, outcome in zip(refitted, repeated, strict=True)
    ):
        flags = (*flags, NOT_REPRODUCIBLE)
    return predictions_of(
        estimators,
        [outcomes[position :: len(estimators)] for position in range(len(estimators))],
        X,
        y_labels,
        splits=splits,
        design=design,
        groups=groups,
        flags=flags,
        y_named=y,
    )


def predictions_of(
    estimators: Sequence[tuple[str, Any]],
    parts: Sequence[Sequence[EstimatorPredictions]],
    X: Any,
    y_labels: np.ndarray,
    *,
    splits: Sequence[Split],
    design: Design,
    groups: ArrayLike | None = None,
    flags: tuple[str, ...] = (),
    y_named: Any = None,
) -> Predictions:
    """Combine the predictions of each estimator for each split into one set.

    Several outputs have the names of the columns of `y_named`, if it is a frame.
    """
    classes, y = encoded_target(y_labels)
    tests = [test for _, test in splits]
    return Predictions(
        classes=classes,
        y=y,
        estimators=_joined(estimators, parts, y),
        design=design,
        records=np.concatenate(tests),
        bounds=np.cumsum([0, *map(len, tests)]),
        n_train=np.array([len(train) for train, _ in splits]),
        groups=codes_of_groups(groups, {"y": y_labels}),
        fingerprint=fingerprint(X, y_labels, *tests),
        flags=flags,
        outputs=outputs_of(y_named, y),
    )


def collect_fitted(
    estimators: Sequence[tuple[str, Any]],
    X: Any,
    y_labels: np.ndarray,
    *,
    required: frozenset[str],
    groups: np.ndarray | None = None,
    guarded: bool = True,
    y_named: Any = None,
) -> Predictions:
    """Predict a hold-out set with fitted classifiers, without cloning or fitting.

    Several outputs have the names of the columns of `y_named`, if it is a frame. Unless
    `guarded` against classifiers that change the records, there is no fingerprint.
    """
    # Classes of strings are objects if the training labels were a column of a frame.
    known = {name: getattr(estimator, "classes_", None) for name, estimator in estimators}
    trained = {n: check_labels(n, own) for n, own in known.items() if own is not None}
    classes, y = encoded_target(y_labels)
    if len(classes):
        classes = classes_of(y_labels, **trained)
        y = class_codes("y", y_labels, classes)
    predictions = []
    before = fingerprint(X, y_labels) if guarded else ""
    for name, estimator in estimators:
        failed = f"failed to predict the hold-out set of {n_rows(X)} records"
        with naming(name, estimator, failed):
            predicted = predict(Fitted(estimator), X, None, classes, required)
        predictions.append([predicted])
        if guarded and fingerprint(X, y_labels) != before:
            raise ValueError(
                f"{name} ({describe(estimator)}) changed the records while predicting, so "
                "other classifiers would predict different ones. Set copy=True in its "
                "transformers."
            )
    return Predictions(
        classes=classes,
        y=y,
        estimators=_joined(estimators, predictions, y),
        design=Design(HOLDOUT.kind, grouped=groups is not None),
        groups=codes_of_groups(groups, {"y": y_labels}),
        fingerprint=before,
        outputs=outputs_of(y_named, y),
    )


def _joined(
    estimators: Sequence[tuple[str, Any]],
    parts: Sequence[Sequence[EstimatorPredictions]],
    y: np.ndarray,
) -> tuple[EstimatorPredictions, ...]:
    """Join the predictions of each classifier for all splits."""
    descriptions = describe_all([estimator for _, estimator in estimators])
    names = [name for name, _ in estimators]
    joined = tuple(
        replace(role, chance=has_chance(estimator))
        for role, (_, estimator) in zip(
            map(_joined_parts, names, descriptions, parts), estimators, strict=True
        )
    )
    for role in joined:
        if role.values is not None:
            check_outputs(role.name, role.values, y)
    return joined


def _joined_parts(
    name: str, description: str, parts: Sequence[EstimatorPredictions]
) -> EstimatorPredictions:
    """Join the predictions of one classifier for all splits.

    Probabilities of two classes that do not sum to 1, which only a ranking accepts, become
    decision scores, so that nothing else uses them as probabilities.
    """
    joined: dict[str, Any] = {"name": name, "description": description}
    for field in fields(EstimatorPredictions):
        if field.name in ABOUT_ALL:
            continue
        arrays = [getattr(part, field.name) for part in parts]
        joined[field.name] = None if arrays[0] is None else np.concatenate(arrays)
    proba = joined["proba"]
    if proba is not None and not are_probabilities(proba):
        joined |= {"decision": proba[:, 1], "proba": None}
    return EstimatorPredictions(**joined)
