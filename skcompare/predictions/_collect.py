"""Collection of the predictions of several classifiers on shared splits, in parallel."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from skcompare._core.design import HOLDOUT, Design
from skcompare._core.labels import check_labels, class_codes, classes_of, group_codes
from skcompare._core.validation import are_probabilities
from skcompare._typing import IntArray
from skcompare.exceptions import EstimatorFailedError
from skcompare.predictions._estimator_repr import describe, describe_all
from skcompare.predictions._fit_predict import (
    Outcome,
    Task,
    is_seed,
    predict,
    run_task,
    set_seeds,
)
from skcompare.predictions._indexing import fingerprint, n_rows
from skcompare.predictions._predictions import EstimatorPredictions, Predictions
from skcompare.predictions._worker_memory import blas_within, run_shipped, shipped

NOT_REPRODUCIBLE = "not-reproducible"


def takes_no_seed(estimator: Any) -> bool:
    """Whether an estimator has a `random_state` that setting seeds does not change.

    It may accept no number, or belong to an estimator in the grid of a search.
    """
    try:
        seeded = clone(estimator)
        set_seeds(seeded, 0)
    # The first fit reports any problem of an estimator, with its name.
    except Exception:
        return False
    return any(not _is_set(value) for value in _random_states(seeded))


def _is_set(random_state: Any) -> bool:
    return isinstance(random_state, Integral | np.random.RandomState | np.random.Generator)


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


def are_alike(first: Outcome, second: Outcome) -> bool:
    """Whether predictions are equal up to the order of summation."""
    pairs = [(getattr(first, n), getattr(second, n)) for n in ("proba", "decision")]
    return bool(np.all(first.labels == second.labels)) and all(
        a is None or np.allclose(a, b, atol=1e-6) for a, b in pairs
    )


Split = tuple[IntArray, IntArray]


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
    progress: Callable[[Iterable[Outcome]], Iterable[Outcome]] | None = None,
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
        As in joblib.
    progress : callable, optional
        Wraps the iterable of outcomes, which come in order.
    twice : collection of str
        Names of estimators that are fitted twice on the first split, to check whether
        their predictions are the same.
    flags : tuple of str
        Caveats to add.
    """
    classes = classes_of(y_labels)
    params = fit_params or [{}] * len(estimators)
    tasks = [
        Task(name, estimator, k, train, test, seeds[k], required, task_params)
        for k, (train, test) in enumerate(splits)
        for (name, estimator), task_params in zip(estimators, params, strict=True)
    ]
    refitted = [k for k, (name, _) in enumerate(estimators) if name in twice]
    tasks = [*(tasks[k] for k in refitted), *tasks]
    streams = {"return_as": "generator"} if progress else {}
    parallel = Parallel(n_jobs=n_jobs, verbose=verbose, **streams)
    with shipped((X, y), tasks, n_jobs) as calls, blas_within(n_jobs):
        outcomes = parallel(
            delayed(run_shipped)(run_task, *call, classes) for call in calls
        )
        outcomes = list(progress(outcomes) if progress else outcomes)
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
    )


def predictions_of(
    estimators: Sequence[tuple[str, Any]],
    outcomes: Sequence[Sequence[Outcome]],
    X: Any,
    y_labels: np.ndarray,
    *,
    splits: Sequence[Split],
    design: Design,
    groups: np.ndarray | None = None,
    flags: tuple[str, ...] = (),
) -> Predictions:
    """Combine the outcomes of all estimators on all splits into one set of predictions."""
    classes = classes_of(y_labels)
    tests = [test for _, test in splits]
    descriptions = describe_all([estimator for _, estimator in estimators])
    return Predictions(
        classes=classes,
        y=class_codes("y", y_labels, classes),
        estimators=tuple(
            joined(name, description, own_outcomes)
            for (name, _), description, own_outcomes in zip(
                estimators, descriptions, outcomes, strict=True
            )
        ),
        design=design,
        records=np.concatenate(tests),
        bounds=np.cumsum([0, *map(len, tests)]),
        n_train=np.array([len(train) for train, _ in splits]),
        groups=_group_codes(groups),
        fingerprint=fingerprint(X, y_labels, *tests),
        flags=flags,
    )


def collect_fitted(
    estimators: Sequence[tuple[str, Any]],
    X: Any,
    y_labels: np.ndarray,
    *,
    required: frozenset[str],
    groups: np.ndarray | None = None,
    guarded: bool = True,
) -> Predictions:
    """Predict a hold-out set with fitted classifiers, without cloning or fitting.

    Unless `guarded` against classifiers that change the records, there is no fingerprint.
    """
    # Classes of strings are objects if the training labels were a column of a frame.
    trained = {n: check_labels(n, e.classes_) for n, e in estimators if _has_classes(e)}
    classes = classes_of(y_labels, **trained)
    outcomes, before = [], fingerprint(X, y_labels) if guarded else ""
    for name, estimator in estimators:
        try:
            predicted = predict(estimator, lambda: X, n_rows(X), classes, required)
            outcomes.append(Outcome(*predicted, 0.0, 0.0))
        # Any exception of an estimator is raised again with its name.
        except (Exception, SystemExit) as error:
            message = (
                f"{name} ({describe(estimator)}) failed to predict the hold-out set of "
                f"{n_rows(X)} records: {type(error).__name__}: {error}"
            )
            raise EstimatorFailedError.of(message, error) from error
        if guarded and fingerprint(X, y_labels) != before:
            raise ValueError(
                f"{name} ({describe(estimator)}) changed the records while predicting, so "
                "others would predict different ones. Set copy=True in its transformers."
            )
    descriptions = describe_all([estimator for _, estimator in estimators])
    return Predictions(
        classes=classes,
        y=class_codes("y", y_labels, classes),
        estimators=tuple(
            joined(name, description, [outcome])
            for (name, _), description, outcome in zip(
                estimators, descriptions, outcomes, strict=True
            )
        ),
        design=Design(HOLDOUT.kind, grouped=groups is not None),
        groups=_group_codes(groups),
        fingerprint=before,
    )


def _has_classes(estimator: Any) -> bool:
    return getattr(estimator, "classes_", None) is not None


def joined(
    name: str, description: str, outcomes: Sequence[Outcome]
) -> EstimatorPredictions:
    """Join the predictions of one classifier for all splits.

    Probabilities of two classes that do not sum to 1, which only a ranking accepts, become
    decision scores, so that nothing else uses them as probabilities.
    """

    def column(field: str) -> Any:
        parts = [getattr(outcome, field) for outcome in outcomes]
        return None if parts[0] is None else np.concatenate(parts)

    proba, decision = column("proba"), column("decision")
    if proba is not None and not are_probabilities(proba):
        decision, proba = proba[:, 1], None
    return EstimatorPredictions(
        name=name,
        description=description,
        labels=column("labels"),
        proba=proba,
        decision=decision,
        fit_times=np.array([outcome.fit_time for outcome in outcomes]),
        predict_times=np.array([outcome.predict_time for outcome in outcomes]),
    )


def _group_codes(groups: np.ndarray | None) -> IntArray | None:
    return None if groups is None else group_codes(groups)
