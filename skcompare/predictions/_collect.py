"""The collector: answers of several classifiers on shared splits, in parallel."""

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
    answer,
    is_seed,
    run_task,
    set_seeds,
)
from skcompare.predictions._indexing import fingerprint, n_rows
from skcompare.predictions._predictions import Answers, Predictions
from skcompare.predictions._worker_memory import blas_within, run_shipped, shipped

NOT_REPRODUCIBLE = "not-reproducible"


def takes_no_seed(estimator: Any) -> bool:
    """Whether an estimator has a `random_state` that stays as it is when seeds are set.

    It may take no number, or belong to an estimator in a grid of a search.
    """
    try:
        seeded = clone(estimator)
        set_seeds(seeded, 0)
    # Whatever is wrong with an estimator is said by its first fit, with its name.
    except Exception:
        return False
    return any(not _is_set(value) for value in _random_states(seeded))


def _is_set(random_state: Any) -> bool:
    return isinstance(random_state, Integral | np.random.RandomState | np.random.Generator)


def _random_states(value: Any) -> Iterator[Any]:
    """The random states of an estimator and of all estimators that it holds."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        for one in value:
            yield from _random_states(one)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        for key, own in value.get_params(deep=True).items():
            if is_seed(key):
                yield own
            elif isinstance(own, list | tuple | Mapping):
                yield from _random_states(own)


def are_alike(first: Outcome, second: Outcome) -> bool:
    """Whether predictions are the same, but for the order in which sums were added up."""
    pairs = [(getattr(first, n), getattr(second, n)) for n in ("proba", "decision")]
    return bool(np.all(first.labels == second.labels)) and all(
        one is None or np.allclose(one, other, atol=1e-6) for one, other in pairs
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
    wanted: frozenset[str],
    seeds: Sequence[int],
    groups: np.ndarray | None = None,
    fit_params: Sequence[dict[str, Any]] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    progress: Callable[[Iterable[Outcome]], Iterable[Outcome]] | None = None,
    twice: Collection[str] = (),
    flags: tuple[str, ...] = (),
) -> Predictions:
    """Fit clones of every estimator on every training set and answer every test set.

    Parameters
    ----------
    estimators : sequence of (name, estimator)
        k classifiers; they cost k fits a split.
    X, y : array-like, sparse matrix or frame
        Records and labels, handed to the estimators as they are.
    y_labels : ndarray of shape (n_samples,)
        The checked labels.
    splits : sequence of (train, test)
        Index arrays.
    design : Design
        How the splits were made.
    wanted : frozenset of {"labels", "scores"}
        What the measures need.
    seeds : sequence of int
        A seed a split.
    groups : array-like of shape (n_samples,), optional
        Group labels.
    fit_params : sequence of dict, optional
        Keyword arguments of `fit`, an entry an estimator; those with one value a record
        are cut to the training set.
    n_jobs, verbose : int
        As in joblib.
    progress : callable, optional
        Wraps the iterable of outcomes, which come in order.
    twice : collection of str
        Names of estimators that are fitted twice on the first split, to see whether they
        answer the same.
    flags : tuple of str
        Caveats to carry.
    """
    classes = classes_of(y_labels)
    params = fit_params or [{}] * len(estimators)
    tasks = [
        Task(name, estimator, k, train, test, seeds[k], wanted, given)
        for k, (train, test) in enumerate(splits)
        for (name, estimator), given in zip(estimators, params, strict=True)
    ]
    again = [k for k, (name, _) in enumerate(estimators) if name in twice]
    tasks = [*(tasks[k] for k in again), *tasks]
    streams = {"return_as": "generator"} if progress else {}
    parallel = Parallel(n_jobs=n_jobs, verbose=verbose, **streams)
    with shipped((X, y), tasks, n_jobs) as calls, blas_within(n_jobs):
        outcomes = parallel(
            delayed(run_shipped)(run_task, *call, classes) for call in calls
        )
        outcomes = list(progress(outcomes) if progress else outcomes)
    repeated, outcomes = outcomes[: len(again)], outcomes[len(again) :]
    if not all(are_alike(outcomes[k], one) for k, one in zip(again, repeated, strict=True)):
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
    """What each estimator answered, split after split, as one set of predictions."""
    classes = classes_of(y_labels)
    tests = [test for _, test in splits]
    words = describe_all([estimator for _, estimator in estimators])
    return Predictions(
        classes=classes,
        y=class_codes("y", y_labels, classes),
        answers=tuple(
            joined(name, said, own)
            for (name, _), said, own in zip(estimators, words, outcomes, strict=True)
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
    wanted: frozenset[str],
    groups: np.ndarray | None = None,
    guarded: bool = True,
) -> Predictions:
    """Answers of fitted classifiers on a hold-out set; nothing is cloned or fitted.

    Without the guard against classifiers that change the records there is no fingerprint.
    """
    # Classes of strings come as objects where the training labels were a frame's column.
    trained = {n: check_labels(n, e.classes_) for n, e in estimators if _knows(e)}
    classes = classes_of(y_labels, **trained)
    outcomes, before = [], fingerprint(X, y_labels) if guarded else ""
    for name, estimator in estimators:
        try:
            answers = answer(estimator, lambda: X, n_rows(X), classes, wanted)
            outcomes.append(Outcome(*answers, 0.0, 0.0))
        # Whatever an estimator raises is passed on with its name.
        except (Exception, SystemExit) as error:
            message = (
                f"{name} ({describe(estimator)}) failed to predict the hold-out set of "
                f"{n_rows(X)} records: {type(error).__name__}: {error}"
            )
            raise EstimatorFailedError.of(message, error) from error
        if guarded and fingerprint(X, y_labels) != before:
            raise ValueError(
                f"{name} ({describe(estimator)}) changed the records while predicting, so "
                "others would answer different ones. Set copy=True in its transformers."
            )
    words = describe_all([estimator for _, estimator in estimators])
    return Predictions(
        classes=classes,
        y=class_codes("y", y_labels, classes),
        answers=tuple(
            joined(name, description, [outcome])
            for (name, _), description, outcome in zip(
                estimators, words, outcomes, strict=True
            )
        ),
        design=Design(HOLDOUT.kind, grouped=groups is not None),
        groups=_group_codes(groups),
        fingerprint=before,
    )


def _knows(estimator: Any) -> bool:
    return getattr(estimator, "classes_", None) is not None


def joined(name: str, description: str, outcomes: Sequence[Outcome]) -> Answers:
    """All answers of one classifier.

    Probabilities of two classes that do not sum to 1, which only a ranking takes, are
    decision scores, so that nothing else takes them for probabilities.
    """

    def column(field: str) -> Any:
        parts = [getattr(outcome, field) for outcome in outcomes]
        return None if parts[0] is None else np.concatenate(parts)

    proba, decision = column("proba"), column("decision")
    if proba is not None and not are_probabilities(proba):
        decision, proba = proba[:, 1], None
    return Answers(
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
