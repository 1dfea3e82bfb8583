"""Scores of both roles on every test set."""

import math
from numbers import Real
from typing import Any

import numpy as np

from skcompare._registry.losses import loss_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ScoreDifferences
from skcompare.evidence._scores import shape_of, variance_of_mean
from skcompare.metrics._measures import Measure
from skcompare.metrics._record_differences import record_differences
from skcompare.metrics._scored_pair import SAME, formula_of
from skcompare.metrics._stored import StoredAnswers, class_order, ordered_decision
from skcompare.metrics._undefined import Watch, watched
from skcompare.predictions import Answers, PairedPredictions, Predictions
from skcompare.stats._count_scores import COUNT_SCORES


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
    flags = ("undefined-in-split",) if undefined.any() else ()
    if watch.warned:
        flags = (*flags, "scorer-warning")
    sign = 1 if measure.greater_is_better else -1
    shape = shape_of(pair.design)
    return ScoreDifferences(
        (sign * (challenger - champion)).reshape(shape),
        0 if predictions.n_train is None else predictions.n_train,  # type: ignore[arg-type]
        predictions.n_test,
        _variances(pair, measure, pos_label, shape),
        champion.reshape(shape),
        challenger.reshape(shape),
        pair.design,
        flags,
        measure.subject,
        measure.greater_is_better,
    )


def _variances(
    pair: PairedPredictions, measure: Measure, pos_label: Any, shape: tuple[int, ...]
) -> FloatArray | None:
    """Variances of mean differences within the folds, where a test asks for them."""
    is_mean = measure.metric == "accuracy" or loss_of(measure.metric) is not None
    if pair.design.kind != "kfold" or not is_mean:
        return None
    variances = []
    for part in pair.predictions.slices():
        found = record_differences(pair, measure, pos_label, part)
        if found is None:
            return None
        variances.append(variance_of_mean(found))
    return np.reshape(variances, shape)


def _split_scores(
    pair: PairedPredictions,
    answers: Answers,
    measure: Measure,
    pos_label: Any,
    watch: Watch,
) -> list[float]:
    """The scores of a classifier on the test sets.

    A formula that gives what the scorer gives on the first test set that has a score stands
    for it on the others.
    """
    predictions = pair.predictions
    classes, y = predictions.classes, predictions.y_answered()
    scores: list[float] = []
    agrees: bool | None = None
    for part in predictions.slices():
        quick = math.nan
        if agrees is not False:
            quick = _by_formula(classes, y[part], answers.part(part), measure, pos_label)
        if agrees and math.isfinite(quick):
            scores.append(quick)
            continue
        score = score_of_part(predictions, answers, measure, pos_label, part, watch)
        if agrees is None and math.isfinite(score):
            agrees = abs(quick - score) <= SAME * max(1.0, abs(score))
        scores.append(score)
    return scores


def _by_formula(
    classes: np.ndarray, y: IntArray, answers: Answers, measure: Measure, pos_label: Any
) -> float:
    """The score of a classifier's predictions; NaN without a formula.

    Where a class is never true, or never predicted though its predictions are counted, the
    scorer is asked: it may say that the score is undefined, or warn.
    """
    counted = [y]
    if measure.metric == "accuracy":
        counted = []
    elif measure.metric in COUNT_SCORES and answers.labels is not None:
        counted.append(answers.labels)
    if not all(np.bincount(codes, minlength=len(classes)).all() for codes in counted):
        return math.nan
    try:
        formula = formula_of(measure, classes, y, pos_label)
        prepared = None if formula is None else formula.prepared(answers)
    except ValueError:
        return math.nan
    if prepared is None:
        return math.nan
    return float(prepared.values(np.ones((1, len(y)), dtype=np.int32))[0])


def score_of_part(
    predictions: Predictions,
    answers: Answers,
    measure: Measure,
    pos_label: Any,
    part: slice,
    watch: Watch,
) -> float:
    """The score of some of a classifier's predictions; NaN if undefined."""
    classes, order = class_order(predictions.classes, pos_label)
    y_true = classes[order[predictions.y_answered()[part]]]
    stored = stored_part(answers, part, classes, order)
    records = predictions.records
    rows = np.arange(part.start, part.stop) if records is None else records[part]
    return one_score(measure, answers.name, stored, rows.reshape(-1, 1), y_true, watch)


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
