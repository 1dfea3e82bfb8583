"""One task of cross_compare: fit a classifier on a split, score it, and let it answer."""

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

from skcompare._core.validation import some_of
from skcompare._typing import IntArray
from skcompare.comparators._score_on_data import ClassScorer
from skcompare.metrics import get_scorer, named_scoring, resolve_scoring
from skcompare.predictions import (
    Outcome,
    Task,
    answer,
    askable,
    cut,
    failure_of,
    fitted_clone,
    n_rows,
    rows_of,
    take_rows,
)

RAISE = "raise"


@dataclass(frozen=True, slots=True)
class CrossTask:
    """A classifier, a split, and what is to be found there.

    Parameters
    ----------
    task : Task
        With what is `wanted` of answers; nothing where these are not kept.
    scorer : callable
        Gives a number or a dict of numbers.
    metrics : tuple of str or None
        Names of several metrics, where they are known before they are scored.
    score_params : mapping
        Metadata of the scorer; what has one value a record is cut to the scored ones.
    error_score : number or "raise"
        Stands for a score that could not be found.
    train_score, keep_estimator : bool
        What is found or given back besides.
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
    """What a task gives back; scores are None where the fit failed."""

    fit_time: float
    score_time: float
    test_score: Any = None
    train_score: Any = None
    estimator: Any = None
    answers: Outcome | None = None
    fit_error: str | None = None
    score_errors: tuple[str, ...] = ()


def run_cross_task(cross: CrossTask, X: Any, y: Any, classes: np.ndarray) -> CrossOutcome:
    """Fit a clone on the training records, and score it on the test records."""
    task, start = cross.task, perf_counter()
    try:
        estimator, columns, fit_time = fitted_clone(task, X, y)
    # Whatever an estimator raises is passed on with its name, or noted.
    except (Exception, SystemExit) as error:
        if cross.error_score == RAISE or task.wanted:
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
    answers = None
    if task.wanted:
        answers = _answers(task, estimator, X, columns, classes, fit_time)
    return CrossOutcome(
        fit_time,
        score_time,
        test_score,
        train_score,
        estimator if cross.keep_estimator else None,
        answers,
        None,
        tuple(errors),
    )


def _answers(
    task: Task,
    estimator: Any,
    X: Any,
    columns: IntArray | None,
    classes: np.ndarray,
    fit_time: float,
) -> Outcome:
    start = perf_counter()
    try:
        answers = answer(
            estimator,
            lambda: cut(X, task.test, columns),
            len(task.test),
            classes,
            askable(estimator, task.wanted),
        )
    except (Exception, SystemExit) as error:
        raise failure_of(task, "predict", error) from error
    return Outcome(*answers, fit_time, perf_counter() - start)


def _scores(
    cross: CrossTask,
    estimator: Any,
    X: Any,
    y: Any,
    rows: IntArray,
    columns: IntArray | None,
    errors: list[str],
) -> Any:
    """A number or a dict of numbers; those that failed are the error score."""
    params = rows_of(cross.score_params, rows, n_rows(y))
    try:
        scores = cross.scorer(
            estimator, cut(X, rows, columns), take_rows(y, rows), **params
        )
    except UnsetMetadataPassedError:
        # The call is wrong, and not the score.
        raise
    # Whatever a scorer raises is passed on with the name of the classifier, or noted.
    except (Exception, SystemExit) as error:
        if cross.error_score == RAISE:
            raise failure_of(cross.task, "be scored", error) from error
        errors.append(format_exc())
        failed = cross.error_score
        return failed if cross.metrics is None else dict.fromkeys(cross.metrics, failed)
    if not isinstance(scores, dict):
        return _number(scores, "the score")
    # Of several scorers each failure comes as text in the place of its score.
    failures = [text for text in scores.values() if isinstance(text, str)]
    errors.extend(failures)
    return {
        name: cross.error_score if isinstance(score, str) else _number(score, name)
        for name, score in scores.items()
    }


def _number(score: Any, name: str) -> Any:
    """A plain number, as scikit-learn makes it of what a scorer returns."""
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
    """A scorer for each estimator; they differ where each has its own `score` only."""
    given = _as_scorers(scoring, classes)
    scorers = []
    for name, estimator in estimators:
        if given is None and not hasattr(estimator, "score"):
            raise TypeError(
                f"Without `scoring` each classifier needs a `score` method. {name} "
                f"({type(estimator).__name__}) has none. Pass `scoring`, such as "
                "'accuracy'."
            )
        scorers.append(check_scoring(estimator, given, raise_exc=raise_exc))
    return scorers


def metric_names(scoring: Any) -> tuple[str, ...] | None:
    """Names of several metrics; None where there is one, or a callable that names them."""
    if scoring is None or isinstance(scoring, str) or callable(scoring):
        return None
    return tuple(str(name) for name in scoring)


def _as_scorers(scoring: Any, classes: np.ndarray) -> Any:
    """The same in what scikit-learn takes; metrics of this package become scorers."""
    if scoring is None or callable(scoring):
        return scoring
    if isinstance(scoring, str):
        return _scorer_of(scoring, classes)
    named = named_scoring(scoring)
    if not isinstance(scoring, Mapping) and any(name is not one for name, one in named):
        raise TypeError(
            f"A list of `scoring` must hold names. Got {[one for _, one in named]!r:.100}. "
            "Pass a dict to name scorers."
        )
    return {
        name: _scorer_of(value, classes) if isinstance(value, str) else value
        for name, value in named
    }


def _scorer_of(name: str, classes: np.ndarray) -> Any:
    """A named scorer, which must suit the classes before anything is fitted."""
    (measure,) = resolve_scoring(name)
    try:
        measure.check_classes(classes)
    except ValueError as error:
        why = error.__cause__ or error
        raise ValueError(
            f"scoring {name!r} does not suit the {len(classes)} classes "
            f"{some_of(classes)}: {why} Name the class in brackets, such as "
            f"'precision[{classes[-1]}]', or choose a multi-class scorer, such as "
            "'f1_macro'."
        ) from error
    if not measure.greater_is_better:
        raise ValueError(
            f"cross_compare scores as scikit-learn does, so that greater is better. Got "
            f"the loss {name!r}. Pass 'neg_{name}'."
        )
    return get_scorer(name) if measure.label is None else ClassScorer(measure)
