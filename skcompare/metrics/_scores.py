"""Scores of both roles on every test set."""

from numbers import Real
from typing import Any

import numpy as np

from skcompare._flags import register_flag
from skcompare._registry import loss_of
from skcompare.evidence import ScoreDifferences
from skcompare.evidence._scores import shape_of
from skcompare.metrics._measures import Measure
from skcompare.metrics._stored import StoredAnswers, class_order, ordered_decision
from skcompare.metrics._undefined import Watch, watched
from skcompare.metrics._variances import difference_variances
from skcompare.predictions import Answers, PairedPredictions

__all__ = ["one_score", "score_differences", "stored_part"]

LEAST_OF_A_CLASS = 10

FEW_IN_A_HALF = register_flag(
    "few-of-a-class-in-a-half",
    "a test set has fewer than 10 records of a class, and the score is about classes: its "
    "differences are skewed, and the interval may be too short where they are large; "
    "collect more of that class",
)


def score_differences(
    pair: PairedPredictions,
    measure: Measure,
    pos_label: Any = None,
    *,
    known: dict[Any, Any] | None = None,
) -> ScoreDifferences:
    """Score both roles on every test set.

    A test set on which the score of either role is undefined (one class only, for
    example) gives NaN for both, so that their means are over the same test sets.

    `known` holds scores of the same predictions, by names of classifiers and measures:
    what is there is not scored again, and what is not is put there.
    """
    predictions = pair.predictions
    known, scored = {} if known is None else known, []
    for role in pair.roles:
        key = role.name, measure.subject
        if key not in known:
            own = Watch()
            known[key] = _split_scores(pair, role, measure, pos_label, own), own
        scored.append(known[key])
    scores, watch = np.array([found for found, _ in scored]), Watch()
    for _, own in scored:
        watch.warned |= own.warned
        watch.error = own.error or watch.error
    undefined = ~np.isfinite(scores).all(axis=0)
    if undefined.all() and watch.error is not None:
        raise ValueError(
            f"scoring {measure.subject!r} is undefined on every test set: {watch.error}"
        ) from watch.error
    champion, challenger = np.where(undefined, np.nan, scores)
    variances = difference_variances(pair, measure, pos_label, (champion, challenger))
    flags = ("undefined-in-split",) if undefined.any() else ()
    if watch.warned:
        flags = (*flags, "scorer-warning")
    if variances is not None and _has_few_in_a_half(pair, measure):
        flags = (*flags, FEW_IN_A_HALF)
    sign = 1 if measure.greater_is_better else -1
    shape = shape_of(pair.design)
    return ScoreDifferences(
        (sign * (challenger - champion)).reshape(shape),
        0 if predictions.n_train is None else predictions.n_train,  # type: ignore[arg-type]
        predictions.n_test,
        None if variances is None else variances.reshape(shape),
        champion.reshape(shape),
        challenger.reshape(shape),
        pair.design,
        flags,
        measure.subject,
        measure.greater_is_better,
    )


def _has_few_in_a_half(pair: PairedPredictions, measure: Measure) -> bool:
    """Whether a half has few records of a class, for a score that counts them apart."""
    predictions = pair.predictions
    if pair.design.kind != "bcv" or measure.metric == "accuracy":
        return False
    if loss_of(measure.metric) is not None:
        return False
    y, n_classes = predictions.y_answered(), len(predictions.classes)
    counts = [np.bincount(y[part], minlength=n_classes) for part in predictions.slices()]
    return int(np.min(counts)) < LEAST_OF_A_CLASS


def _split_scores(
    pair: PairedPredictions,
    answers: Answers,
    measure: Measure,
    pos_label: Any,
    watch: Watch,
) -> list[float]:
    predictions = pair.predictions
    classes, order = class_order(predictions.classes, pos_label)
    y_true = classes[order[predictions.y_answered()]]
    records = predictions.records
    scores: list[float] = []
    for part in predictions.slices():
        stored = stored_part(answers, part, classes, order)
        rows = np.arange(part.start, part.stop) if records is None else records[part]
        X = rows.reshape(-1, 1)
        scores.append(one_score(measure, answers.name, stored, X, y_true[part], watch))
    return scores


def stored_part(
    answers: Answers, part: slice, classes: np.ndarray, order: np.ndarray
) -> StoredAnswers:
    """Some answers as a classifier of these classes; `order` says where each code goes."""
    return StoredAnswers(
        classes,
        None if answers.labels is None else classes[order[answers.labels[part]]],
        None if answers.proba is None else answers.proba[part][:, order],
        ordered_decision(answers.decision, part, order),
    )


def one_score(
    measure: Measure, name: str, stored: StoredAnswers, X: Any, y: Any, watch: Watch
) -> float:
    """The score of the answers that a classifier of this name gave; NaN if undefined."""
    try:
        with watched(watch):
            score = measure.scorer(stored, X, y)
    except ValueError as error:
        watch.error = error
        score = float("nan")
    except AttributeError as error:
        raise ValueError(
            f"scoring {measure.subject!r} needs answers that {name} does not give. Choose "
            "a classifier with predict_proba, or a measure of labels."
        ) from error
    if not isinstance(score, Real):
        raise TypeError(
            f"scoring {measure.subject!r} must give one number. Got "
            f"{type(score).__name__}. Pass a dict of scorers for several."
        )
    return float("nan") if watch.undefined else float(score)
