"""One task of cross_compare: fit a classifier on a split, score it, and let it answer."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from numbers import Number
from time import perf_counter
from traceback import format_exc
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError

from skcompare._typing import IntArray
from skcompare.predictions import n_rows
from skcompare.predictions._answer import (
    Outcome,
    Task,
    answer,
    askable,
    cut,
    failure_of,
    fitted_clone,
    rows_of,
)
from skcompare.predictions._rows import take_rows

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
