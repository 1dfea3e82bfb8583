"""Scores of both roles on every test set."""

from numbers import Real
from typing import Any

import numpy as np

from skcompare._validation import check_pos_label
from skcompare.evidence import ScoreDifferences
from skcompare.metrics._measures import Measure
from skcompare.metrics._stored import StoredAnswers
from skcompare.metrics._undefined import Watch, watched
from skcompare.predictions import Answers, PairedPredictions

__all__ = ["score_differences"]


def score_differences(
    pair: PairedPredictions, measure: Measure, pos_label: Any = None
) -> ScoreDifferences:
    """Score both roles on every test set.

    A test set on which the score of either role is undefined (one class only, for
    example) gives NaN for both, so that their means are over the same test sets.
    """
    predictions = pair.predictions
    watch = Watch()
    scores = np.array(
        [_split_scores(pair, role, measure, pos_label, watch) for role in pair.roles]
    )
    undefined = ~np.isfinite(scores).all(axis=0)
    if undefined.all() and watch.error is not None:
        raise ValueError(
            f"scoring {measure.subject!r} is undefined on every test set: {watch.error}"
        ) from watch.error
    champion, challenger = np.where(undefined, np.nan, scores)
    flags = ("undefined-in-split",) if undefined.any() else ()
    if watch.warned:
        flags = (*flags, "scorer-warning")
    sign = 1 if measure.greater_is_better else -1
    design = pair.design
    shape = (design.n_repeats, design.n_folds) if design.n_repeats > 1 else (-1,)
    n_train = np.zeros(1, dtype=int) if predictions.n_train is None else predictions.n_train
    return ScoreDifferences(
        (sign * (challenger - champion)).reshape(shape),
        n_train,
        predictions.n_test,
        champion=champion.reshape(shape),
        challenger=challenger.reshape(shape),
        design=design,
        flags=flags,
    )


def _split_scores(
    pair: PairedPredictions,
    answers: Answers,
    measure: Measure,
    pos_label: Any,
    watch: Watch,
) -> list[float]:
    predictions = pair.predictions
    classes, order = _class_order(predictions.classes, pos_label)
    y_true = predictions.y_answered()
    records = predictions.records
    scores: list[float] = []
    for part in predictions.slices():
        stored = StoredAnswers(
            classes,
            None if answers.labels is None else classes[order[answers.labels[part]]],
            None if answers.proba is None else answers.proba[part][:, order],
            _ordered_decision(answers.decision, part, order),
        )
        rows = np.arange(part.start, part.stop) if records is None else records[part]
        try:
            with watched(watch):
                score = measure.scorer(
                    stored, rows.reshape(-1, 1), classes[order[y_true[part]]]
                )
        except ValueError as error:
            watch.error = error
            score = float("nan")
        except AttributeError as error:
            raise ValueError(
                f"scoring {measure.subject!r} needs answers that {answers.name} does not "
                "give. Choose a classifier with predict_proba, or a measure of labels."
            ) from error
        if not isinstance(score, Real):
            raise TypeError(
                f"scoring {measure.subject!r} must give one number. Got "
                f"{type(score).__name__}. Pass a dict of scorers for several."
            )
        scores.append(float("nan") if watch.undefined else float(score))
    return scores


def _class_order(classes: np.ndarray, pos_label: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes that scorers see and where each stored code goes among them.

    With a positive label they are 0 and 1, so that every binary scorer knows it.
    """
    positive = check_pos_label(pos_label, classes)
    if positive is None:
        return classes, np.arange(len(classes))
    return np.array([0, 1]), np.array([1, 0]) if positive == 0 else np.array([0, 1])


def _ordered_decision(
    decision: np.ndarray | None, part: slice, order: np.ndarray
) -> np.ndarray | None:
    if decision is None:
        return None
    if decision.ndim == 2:
        return decision[part][:, order]
    return decision[part] if order[0] == 0 else -decision[part]
