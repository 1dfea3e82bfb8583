"""Metrics at an operating point: one rate where the other reaches a wanted value."""

from typing import Any

import numpy as np

from skcompare._core.array_api import on_host
from skcompare._core.labels import check_labels, classes_of, in_class_order
from skcompare._core.validation import (
    check_probabilities,
    check_same_length,
    is_number,
    positive_class,
    some_of,
)
from skcompare._registry.metrics import metric
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence._class_columns import sorted_labels
from skcompare.metrics._labels import check_weights

RATE = 0.9
"""The rate to reach by default."""

SLACK = 1e-12
"""A rate this close below the wanted one reaches it, because of rounding."""


@metric(
    "sensitivity_at_specificity", response_method="predict_proba", greater_is_better=True
)
def sensitivity_at_specificity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    specificity: float = RATE,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Sensitivity at the best threshold that reaches a wanted specificity.

    Of all thresholds that call at least the share `specificity` of the negative records
    negative, it is the greatest share of positive records that one calls positive [1]_.
    Records of equal score are called alike, so that only points of the empirical ROC curve
    count; nothing is interpolated between them. A threshold above all scores calls every
    record negative, so that every specificity can be reached, if need be with a
    sensitivity of 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,) or (n_samples, 2)
        Scores of the positive class, of any scale; or probabilities, a column a class.
    specificity : float, default=0.9
        The wanted specificity, above 0 and at most 1.
    pos_label : label, optional
        The positive class; 1 or True by default, as in scikit-learn.
    labels : array-like of shape (2,), optional
        Class labels, sorted, which the columns of `y_score` are of; those of `y_true` by
        default.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    sensitivity : float
        Between 0 and 1; greater is better.

    Raises
    ------
    ValueError
        If there are not two classes, or one of them has no record.

    References
    ----------
    .. [1] Pepe, M. S. (2003). "The statistical evaluation of medical tests for
       classification and prediction." Oxford University Press, chapter 4.

    Examples
    --------
    >>> from skcompare.metrics import sensitivity_at_specificity
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.6, 0.2, 0.5, 0.7, 0.9]
    >>> sensitivity_at_specificity(y_true, y_score, specificity=0.75)
    0.75
    >>> sensitivity_at_specificity(y_true, y_score, specificity=0.9)
    0.5

    .. versionadded:: 0.1
    """
    wanted = _check_rate("specificity", specificity)
    positive, scores, weights = _checked(y_true, y_score, pos_label, labels, sample_weight)
    return _rate_at(positive, scores, weights, wanted)


@metric(
    "specificity_at_sensitivity", response_method="predict_proba", greater_is_better=True
)
def specificity_at_sensitivity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitivity: float = RATE,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Specificity at the best threshold that reaches a wanted sensitivity.

    Of all thresholds that call at least the share `sensitivity` of the positive records
    positive, it is the greatest share of negative records that one calls negative [1]_.
    Records of equal score are called alike, so that only points of the empirical ROC curve
    count; nothing is interpolated between them. A threshold below all scores calls every
    record positive, so that every sensitivity can be reached, if need be with a
    specificity of 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,) or (n_samples, 2)
        Scores of the positive class, of any scale; or probabilities, a column a class.
    sensitivity : float, default=0.9
        The wanted sensitivity, above 0 and at most 1.
    pos_label : label, optional
        The positive class; 1 or True by default, as in scikit-learn.
    labels : array-like of shape (2,), optional
        Class labels, sorted, which the columns of `y_score` are of; those of `y_true` by
        default.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    specificity : float
        Between 0 and 1; greater is better.

    Raises
    ------
    ValueError
        If there are not two classes, or one of them has no record.

    References
    ----------
    .. [1] Pepe, M. S. (2003). "The statistical evaluation of medical tests for
       classification and prediction." Oxford University Press, chapter 4.

    Examples
    --------
    >>> from skcompare.metrics import specificity_at_sensitivity
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.6, 0.2, 0.5, 0.7, 0.9]
    >>> specificity_at_sensitivity(y_true, y_score, sensitivity=0.75)
    0.75
    >>> specificity_at_sensitivity(y_true, y_score, sensitivity=0.9)
    0.25

    .. versionadded:: 0.1
    """
    wanted = _check_rate("sensitivity", sensitivity)
    positive, scores, weights = _checked(y_true, y_score, pos_label, labels, sample_weight)
    # Looked at from the other side, the classes change places.
    return _rate_at(~positive, -scores, weights, wanted)


def _check_rate(name: str, value: object) -> float:
    if is_number(value) and 0 < value <= 1:
        return float(value)
    raise ValueError(
        f"`{name}` must be a number above 0 and at most 1. Got {value!r}. Pass 0.9 for a "
        f"{name} of 90 %."
    )


def _checked(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Any,
    labels: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> tuple[np.ndarray, FloatArray, FloatArray]:
    """Whether each record is positive, its score, and its weight."""
    truth = check_labels("y_true", y_true)
    classes = classes_of(truth) if labels is None else sorted_labels(labels)
    label = positive_class(classes, pos_label)
    given = np.asarray(on_host(y_score), dtype=np.float64)
    if given.ndim == 2 and given.shape[1] == 2:
        column = int(len(classes) == 2 and classes[1] == label)
        given = in_class_order(given, y_score, classes)
        scores = check_probabilities("y_score", given, 2)[:, column]
    else:
        scores = _one_column(given)
    check_same_length(y_true=truth, y_score=scores)
    positive = truth == label
    if positive.all() or not positive.any():
        raise ValueError(
            "A rate at an operating point needs records of both classes. Got only "
            f"{some_of(np.unique(truth))} in `y_true`; the positive class is {label!r}."
        )
    weights = np.ones(len(truth))
    if sample_weight is not None:
        weights = check_weights(truth, sample_weight)
    for name, inside in (("positive", positive), ("negative", ~positive)):
        if weights[inside].sum() == 0:
            raise ValueError(
                f"The {name} records must not all have weight 0 in `sample_weight`."
            )
    return positive, scores, weights


def _one_column(given: FloatArray) -> FloatArray:
    if given.ndim != 1 and given.shape[1:] != (1,):
        raise ValueError(
            "`y_score` must be scores of the positive class, of shape (n_samples,), or "
            f"probabilities of two classes, of shape (n_samples, 2). Got {given.shape}."
        )
    if not np.isfinite(given).all():
        raise ValueError("`y_score` must be finite. Got NaN or infinity.")
    return given.reshape(-1)


def _rate_at(
    inside: np.ndarray, scores: FloatArray, weights: FloatArray, wanted: float
) -> float:
    """Greatest share of `inside` that a threshold is at most above, where few others are.

    At most 1 - `wanted` of the others may be at the threshold or above.
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.diff(scores[order], append=-np.inf))
    caught = np.cumsum(np.where(inside, weights, 0.0)[order])
    missed = np.cumsum(np.where(inside, 0.0, weights)[order])
    fits = missed[ends] <= missed[-1] * (1 - wanted + SLACK)
    return float(caught[ends][fits].max(initial=0.0) / caught[-1])
