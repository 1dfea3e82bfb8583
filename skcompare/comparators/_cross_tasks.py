"""Tasks of `cross_compare`: fit a classifier on a split, score it and predict."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Number
from time import perf_counter
from traceback import format_exc
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import check_scoring

from skcompare._analysis.measures import named_scoring, resolve_scoring
from skcompare._core.validation import some_of
from skcompare._typing import IntArray
from skcompare.comparators._score_on_data import ClassScorer
from skcompare.metrics import get_scorer
from skcompare.predictions import (
    Outcome,
    Task,
    askable,
    cut,
    failure_of,
    fitted_clone,
    n_rows,
    predict,
    rows_of,
    take_rows,
)

RAISE = "raise"


@dataclass(frozen=True, slots=True)
class CrossTask:
    """Task of fitting a classifier on a split, with the outputs to compute.

    Parameters
    ----------
    task : Task
        Nothing is `required` of it if predictions are not kept.
    scorer : callable
        Returns a number or a dict of numbers.
    metrics : tuple of str or None
        Names of several metrics, if known before scoring.
    score_params : mapping
        Metadata of the scorer; values of each record are cut to the scored records.
    error_score : number or "raise"
        Value of a score that could not be computed.
    train_score, keep_estimator : bool
        Whether to compute train scores and to return the estimator.
    """

    task: Task
    scorer: Any
    metrics: tuple[str, ...] | None
    score_params: Mapping[str, Any]
    error_score: Any
    train_score: bool
    keep_estimator: bool


@dataclass(frozen=True, slots=True)
class CrossOutcome:
    """Result of a task; scores are None if the fit failed."""

    fit_time: float
    score_time: float
    test_score: Any = None
    train_score: Any = None
    estimator: Any = None
    predictions: Outcome | None = None
    fit_error: str | None = None
    score_errors: tuple[str, ...] = ()


def run_cross_task(cross: CrossTask, X: Any, y: Any, classes: np.ndarray) -> CrossOutcome:
    """Fit a clone on the training records, and score it on the test records."""
    task, start = cross.task, perf_counter()
    try:
        estimator, columns, fit_time = fitted_clone(task, X, y)
    # Any error of an estimator is raised again with its name, or recorded.
    except (Exception, SystemExit) as error:
        if cross.error_score == RAISE or task.required:
            raise failure_of(task, "fit", error) from error
        kept = clone(task.estimator) if cross.keep_estimator else None
        return CrossOutcome(
            perf_counter() - start, 0.0, estimator=kept, fit_error=format_exc()
        )
    start = perf_counter()
    errors: list[str] = []
    test_score = _scores(cross, estimator, X, y, task.test, columns, errors)
    score_time = perf_counter() - start
    train_score = None
    if cross.train_score:
        train_score = _scores(cross, estimator, X, y, task.train, columns, errors)
    predictions = None
    if task.required:
        predictions = _predict(task, estimator, X, columns, classes, fit_time)
    return CrossOutcome(
        fit_time,
        score_time,
        test_score,
        train_score,
        estimator if cross.keep_estimator else None,
        predictions,
        None,
        tuple(errors),
    )


def _predict(
    task: Task,
    estimator: Any,
    X: Any,
    columns: IntArray | None,
    classes: np.ndarray,
    fit_time: float,
) -> Outcome:
    start = perf_counter()
    try:
        predictions = predict(
            estimator,
            lambda: cut(X, task.test, columns),
            len(task.test),
            classes,
            askable(estimator, task.required),
        )
    except (Exception, SystemExit) as error:
        raise failure_of(task, "predict", error) from error
    return Outcome(*predictions, fit_time, perf_counter() - start)


def _scores(
    cross: CrossTask,
    estimator: Any,
    X: Any,
    y: Any,
    rows: IntArray,
    columns: IntArray | None,
    errors: list[str],
) -> Any:
    """Return a score or a dict of scores, with the error score in place of failed ones."""
    params = rows_of(cross.score_params, rows, n_rows(y))
    try:
        scores = cross.scorer(
            estimator, cut(X, rows, columns), take_rows(y, rows), **params
        )
    except UnsetMetadataPassedError:
        # The call is wrong, not the score.
        raise
    # Any error of a scorer is raised again with the name of the classifier, or recorded.
    except (Exception, SystemExit) as error:
        if cross.error_score == RAISE:
            raise failure_of(cross.task, "be scored", error) from error
        errors.append(format_exc())
        error_score = cross.error_score
        return (
            error_score
            if cross.metrics is None
            else dict.fromkeys(cross.metrics, error_score)
        )
    if not isinstance(scores, dict):
        return _number(scores, "the score")
    # With several scorers, a failure is text in the place of its score.
    failures = [text for text in scores.values() if isinstance(text, str)]
    errors.extend(failures)
    return {
        name: cross.error_score if isinstance(score, str) else _number(score, name)
        for name, score in scores.items()
    }


def _number(score: Any, name: str) -> Any:
    """Convert the score of a scorer to a plain number, as scikit-learn does."""
    if hasattr(score, "item"):
        with suppress(ValueError):
            score = score.item()
    if not isinstance(score, Number):
        raise ValueError(
            f"Scoring must give a number, or a dict of them. Got {score!r:.60} "
            f"({type(score).__name__}) as {name}."
        )
    return score


def scorers_of(
    estimators: Sequence[tuple[str, Any]],
    scoring: Any,
    classes: np.ndarray,
    *,
    raise_exc: bool,
) -> list[Any]:
    """Return a scorer for each estimator; the scorers differ only if `scoring` is None."""
    resolved = _as_scorers(scoring, classes)
    scorers = []
    for name, estimator in estimators:
        if resolved is None and not hasattr(estimator, "score"):
            raise TypeError(
                f"Without `scoring` each classifier needs a `score` method. {name} "
                f"({type(estimator).__name__}) has none. Pass `scoring`, such as "
                "'accuracy'."
            )
        scorers.append(check_scoring(estimator, resolved, raise_exc=raise_exc))
    return scorers


def metric_names(scoring: Any) -> tuple[str, ...] | None:
    """Names of several metrics, or None for a single metric or a callable."""
    if scoring is None or isinstance(scoring, str) or callable(scoring):
        return None
    return tuple(str(name) for name in scoring)


def _as_scorers(scoring: Any, classes: np.ndarray) -> Any:
    """Convert `scoring` for scikit-learn, with scorers in place of names of metrics."""
    if scoring is None or callable(scoring):
        return scoring
    if isinstance(scoring, str):
        return _scorer_of(scoring, classes)
    pairs = named_scoring(scoring)
    scorers = [scorer for _, scorer in pairs]
    if not isinstance(scoring, Mapping) and any(
        name is not scorer for name, scorer in pairs
    ):
        raise TypeError(
            f"A list of `scoring` must hold names. Got {scorers!r:.100}. "
            "Pass a dict to name scorers."
        )
    return {
        name: _scorer_of(value, classes) if isinstance(value, str) else value
        for name, value in pairs
    }


def _scorer_of(name: str, classes: np.ndarray) -> Any:
    """Return the scorer of a name, after checking that it suits the classes."""
    (measure,) = resolve_scoring(name)
    try:
        measure.check_classes(classes)
    except ValueError as error:
        reason = error.__cause__ or error
        raise ValueError(
            f"scoring {name!r} does not suit the {len(classes)} classes "
            f"{some_of(classes)}: {reason} Name the class in brackets, such as "
            f"'precision[{classes[-1]}]', or choose a multi-class scorer, such as "
            "'f1_macro'."
        ) from error
    if not measure.greater_is_better:
        raise ValueError(
            f"cross_compare scores as scikit-learn does, so that greater is better. Got "
            f"the loss {name!r}. Pass 'neg_{name}'."
        )
    return get_scorer(name) if measure.label is None else ClassScorer(measure)
