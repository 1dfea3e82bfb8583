"""Scores of both roles on every test set, and their differences by block."""

import math
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from skcompare._analysis.measures._measures import Measure
from skcompare._analysis.measures._scored_pair import SAME, formula_of, record_differences
from skcompare._analysis.measures._stored_classifier import (
    StoredPredictions,
    Watch,
    class_order,
    ordered_decision,
    watched,
)
from skcompare._registry.metrics import loss_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import (
    BlockDifferences,
    ScoreDifferences,
    halves_of,
    shape_of,
    variance_of_mean,
)
from skcompare.predictions import EstimatorPredictions, PairedPredictions, Predictions
from skcompare.stats.scores import COUNT_SCORES


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
    scores found there are not computed again, and missing ones are added.
    """
    predictions = pair.predictions
    known, scored = {} if known is None else known, []
    for role in pair.roles:
        key = role.name, measure.subject
        if key not in known:
            noted = Watch()
            known[key] = _split_scores(pair, role, measure, pos_label, noted), noted
        scored.append(known[key])
    scores, watch = np.array([role_scores for role_scores, _ in scored]), Watch()
    for _, noted in scored:
        watch.warned |= noted.warned
        watch.error = noted.error or watch.error
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
    """Variances of the mean differences within folds, or None if no test needs them."""
    is_mean = measure.metric == "accuracy" or loss_of(measure.metric) is not None
    if pair.design.kind != "kfold" or not is_mean:
        return None
    variances = []
    for part in pair.predictions.slices():
        differences = record_differences(pair, measure, pos_label, part)
        if differences is None:
            return None
        variances.append(variance_of_mean(differences))
    return np.reshape(variances, shape)


def _split_scores(
    pair: PairedPredictions,
    role: EstimatorPredictions,
    measure: Measure,
    pos_label: Any,
    watch: Watch,
) -> list[float]:
    """Return the score of a classifier on each test set.

    A formula that agrees with the scorer on the first test set that has a score replaces
    it on the others.
    """
    predictions = pair.predictions
    classes, y = predictions.classes, predictions.y_predicted()
    scores: list[float] = []
    agrees: bool | None = None
    for part in predictions.slices():
        quick = math.nan
        if agrees is not False:
            quick = _by_formula(classes, y[part], role.part(part), measure, pos_label)
        if agrees and math.isfinite(quick):
            scores.append(quick)
            continue
        score = score_of_part(predictions, role, measure, pos_label, part, watch)
        if agrees is None and math.isfinite(score):
            agrees = abs(quick - score) <= SAME * max(1.0, abs(score))
        scores.append(score)
    return scores


def _by_formula(
    classes: np.ndarray,
    y: IntArray,
    role: EstimatorPredictions,
    measure: Measure,
    pos_label: Any,
) -> float:
    """Compute a classifier's score by formula, or return NaN without a formula.

    It is also NaN where a class has no records, or is never predicted in a score of
    counts: the scorer, called instead, may report that the score is undefined, or warn.
    """
    counted = [y]
    if measure.metric == "accuracy":
        counted = []
    elif measure.metric in COUNT_SCORES and role.labels is not None:
        counted.append(role.labels)
    if not all(np.bincount(codes, minlength=len(classes)).all() for codes in counted):
        return math.nan
    try:
        formula = formula_of(measure, classes, y, pos_label)
        prepared = None if formula is None else formula.prepared(role)
    except ValueError:
        return math.nan
    if prepared is None:
        return math.nan
    return float(prepared.values(np.ones((1, len(y)), dtype=np.int32))[0])


def score_of_part(
    predictions: Predictions,
    role: EstimatorPredictions,
    measure: Measure,
    pos_label: Any,
    part: slice,
    watch: Watch,
) -> float:
    """Return the score of some of a classifier's predictions, or NaN if undefined."""
    classes, order = class_order(predictions.classes, pos_label)
    y_true = classes[order[predictions.y_predicted()[part]]]
    stored = stored_part(role, part, classes, order)
    records = predictions.records
    rows = np.arange(part.start, part.stop) if records is None else records[part]
    return one_score(measure, role.name, stored, rows.reshape(-1, 1), y_true, watch)


def stored_part(
    role: EstimatorPredictions, part: slice, classes: np.ndarray, order: np.ndarray
) -> StoredPredictions:
    """Return some predictions as a classifier; `order` has the position of each class."""
    return StoredPredictions(
        classes,
        None if role.labels is None else classes[order[role.labels[part]]],
        None if role.proba is None else role.proba[part][:, order],
        ordered_decision(role.decision, part, order),
    )


def one_score(
    measure: Measure, name: str, stored: StoredPredictions, X: Any, y: Any, watch: Watch
) -> float:
    """Return the score of the stored predictions of a classifier, or NaN if undefined."""
    try:
        with watched(watch):
            score = measure.scorer(stored, X, y)
    except ValueError as error:
        watch.error = error
        score = float("nan")
    except AttributeError as error:
        raise ValueError(
            f"scoring {measure.subject!r} needs predictions that {name} does not give. "
            "Choose a classifier with predict_proba, or a measure of labels."
        ) from error
    if not isinstance(score, Real):
        raise TypeError(
            f"scoring {measure.subject!r} must give one number. Got "
            f"{type(score).__name__}. Pass a dict of scorers for several."
        )
    return float("nan") if watch.undefined else float(score)


LEAST_OF_A_CLASS = 10

FEW_IN_A_HALF = "few-of-a-class-in-a-half"
POOLED = "pooled-over-splits"


def block_differences(
    pair: PairedPredictions,
    measure: Measure,
    pos_label: Any = None,
    *,
    known: dict[Any, Any] | None = None,
) -> BlockDifferences:
    """Score both roles on every half, and take the differences block by block.

    A score of counts that is undefined on a test set (precision where nothing is predicted
    positive) is that of the counts of all test sets together. Another one is NaN there, and
    its variance is unknown, as it is for a score without a formula.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions of a block-regularized cross-validation.
    measure : Measure
        The measure that is compared.
    pos_label : label, optional
        The positive one of two classes.
    known : dict, optional
        Scores of the same predictions, as for :func:`score_differences`.
    """
    splits = score_differences(pair, measure, pos_label, known=known)
    flags = list(splits.flags)
    if splits.n_undefined and measure.metric in COUNT_SCORES:
        differences, means, has_formula = _pooled(pair, measure, pos_label)
        if np.isfinite(means).all():
            flags = [POOLED if flag == "undefined-in-split" else flag for flag in flags]
    else:
        differences, means, has_formula = _of_splits(pair, measure, pos_label, splits)
    if _has_few_in_a_half(pair, measure):
        flags.append(FEW_IN_A_HALF)
    in_first, place = halves_of(pair)
    sign = 1 if measure.greater_is_better else -1
    blocks = BlockDifferences.from_records(
        sign * differences[place],
        in_first,
        strata=pair.predictions.y,
        groups=pair.predictions.groups,
        champion=means[0],
        challenger=means[1],
        flags=tuple(flags),
        score=measure.subject,
        greater_is_better=measure.greater_is_better,
    )
    return blocks if has_formula else replace(blocks, variance=math.nan)


def _of_splits(
    pair: PairedPredictions, measure: Measure, pos_label: Any, splits: ScoreDifferences
) -> tuple[FloatArray, tuple[float, ...], bool]:
    """Return contributions of predictions, mean scores, and whether a formula exists.

    Without a formula each prediction contributes the difference on its test set.
    """
    predictions = pair.predictions
    both = np.reshape([splits.champion, splits.challenger], (2, -1))
    defined = np.isfinite(both).all(axis=0)
    differences = np.repeat(both[1] - both[0], predictions.n_test)
    has_formula = True
    for part, scores in zip(predictions.slices(), both.T, strict=True):
        contributions = record_differences(pair, measure, pos_label, part, (*scores,))
        if contributions is None:
            has_formula = False
        else:
            differences[part] = contributions
    weights = predictions.n_test * defined
    means = np.where(defined, both, 0) @ weights / weights.sum()
    return differences, tuple(means.tolist()), has_formula


def _pooled(
    pair: PairedPredictions, measure: Measure, pos_label: Any
) -> tuple[FloatArray, tuple[float, ...], bool]:
    """Return the same as `_of_splits`, from the pooled counts of all test sets."""
    predictions = pair.predictions
    n = int(predictions.n_test.sum())
    means = tuple(
        score_of_part(predictions, role, measure, pos_label, slice(0, n), Watch())
        for role in pair.roles
    )
    contributions = record_differences(pair, measure, pos_label, slice(0, n), means)
    if contributions is None:
        return np.full(n, means[1] - means[0]), means, False
    return contributions, means, True


def _has_few_in_a_half(pair: PairedPredictions, measure: Measure) -> bool:
    """Whether a half has few records of a class, for a score that separates classes."""
    if measure.metric == "accuracy" or loss_of(measure.metric) is not None:
        return False
    predictions = pair.predictions
    y, n_classes = predictions.y_predicted(), len(predictions.classes)
    counts = [np.bincount(y[part], minlength=n_classes) for part in predictions.slices()]
    return int(np.min(counts)) < LEAST_OF_A_CLASS
