"""Metrics of predicted labels."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skcompare._core.arrays import is_foreign, on_host
from skcompare._core.validation import (
    check_labels,
    check_same_length,
    classes_of,
    positive_class,
    some_of,
)
from skcompare._registry.metrics import UndefinedRateError, metric
from skcompare._typing import ArrayLike
from skcompare.evidence import counted_rows, mean_loss


@metric("accuracy", response_method="predict", greater_is_better=True, array_api=True)
def accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Share of records whose predicted label is the true one.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    accuracy : float
        Between 0 and 1; greater is better.

    Examples
    --------
    >>> from skcompare.metrics import accuracy
    >>> accuracy([0, 1, 1, 2], [0, 1, 2, 2])
    0.75
    """
    y_true, y_pred, sample_weight = counted_rows(y_true, y_pred, sample_weight)
    truth, predicted = check_labels("y_true", y_true), check_labels("y_pred", y_pred)
    check_same_length(y_true=truth, y_pred=predicted)
    classes_of(truth, y_pred=predicted)
    return weighted_mean(truth == predicted, sample_weight)


@metric("sensitivity", response_method="predict", greater_is_better=True, array_api=True)
def sensitivity(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of the positive records that are predicted positive.

    It is also called recall or true positive rate.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels of two classes.
    pos_label : label, optional
        The positive class; 1 or True by default, as in scikit-learn.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    sensitivity : float
        Between 0 and 1; greater is better.

    Raises
    ------
    ValueError
        If no record is positive, or there are not two classes.

    Examples
    --------
    >>> from skcompare.metrics import sensitivity
    >>> sensitivity([1, 1, 1, 0], [1, 0, 1, 0])
    0.6666666666666666
    """
    return _rate_within("positive", y_true, y_pred, pos_label, sample_weight)


@metric("specificity", response_method="predict", greater_is_better=True, array_api=True)
def specificity(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of the negative records that are predicted negative.

    It is also called true negative rate.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels of two classes.
    pos_label : label, optional
        The positive class; 1 or True by default, as in scikit-learn.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    specificity : float
        Between 0 and 1; greater is better.

    Raises
    ------
    ValueError
        If no record is negative, or there are not two classes.

    Examples
    --------
    >>> from skcompare.metrics import specificity
    >>> specificity([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    return _rate_within("negative", y_true, y_pred, pos_label, sample_weight)


@metric(
    "negative_predictive_value",
    response_method="predict",
    greater_is_better=True,
    array_api=True,
)
def negative_predictive_value(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of the records predicted negative that are negative.

    It is the precision of the negative class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels of two classes.
    pos_label : label, optional
        The positive class; 1 or True by default, as in scikit-learn.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    negative_predictive_value : float
        Between 0 and 1; greater is better. 0 where no record is predicted negative.

    Raises
    ------
    ValueError
        If there are not two classes.

    Warns
    -----
    UndefinedMetricWarning
        If no record is predicted negative, as scikit-learn's precision warns.

    Examples
    --------
    >>> from skcompare.metrics import negative_predictive_value
    >>> negative_predictive_value([1, 1, 0, 0], [1, 0, 0, 0])
    0.6666666666666666
    """
    try:
        return _rate_within(
            "negative", y_true, y_pred, pos_label, sample_weight, of="y_pred"
        )
    except UndefinedRateError as error:
        warnings.warn(f"{error} It counts as 0.", UndefinedMetricWarning, stacklevel=2)
        return 0.0


def _rate_within(
    side: str,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    of: str = "y_true",
) -> float:
    """Share of correct predictions among the records of one true or predicted class."""
    y_true, y_pred, sample_weight = counted_rows(y_true, y_pred, sample_weight)
    truth, predicted = check_labels("y_true", y_true), check_labels("y_pred", y_pred)
    check_same_length(y_true=truth, y_pred=predicted)
    positive = positive_class(classes_of(truth, y_pred=predicted), pos_label)
    labels = truth if of == "y_true" else predicted
    inside = (labels == positive) == (side == "positive")
    if not inside.any():
        raise UndefinedRateError(
            f"A rate among the {side} records needs one of them. Got none: the positive "
            f"class is {positive!r}, and `{of}` has {some_of(np.unique(labels))}."
        )
    weights = inside.astype(np.float64)
    if sample_weight is not None:
        weights *= check_weights(truth, sample_weight)
    return weighted_mean(truth == predicted, weights)


def weighted_mean(values: np.ndarray, sample_weight: ArrayLike | None) -> float:
    """Weighted mean of one value per record."""
    if is_foreign(values):
        mean = mean_loss(values, sample_weight)
        if mean is not None:
            return mean
        values = on_host(values)
    if sample_weight is None:
        return float(np.mean(values))
    return float(np.average(values, weights=check_weights(values, sample_weight)))


def check_weights(values: np.ndarray, sample_weight: ArrayLike) -> np.ndarray:
    """Check that the weights of records are finite, at least 0, and not all 0."""
    weights = np.asarray(on_host(sample_weight), dtype=np.float64)
    check_same_length(y_true=values, sample_weight=weights)
    if not np.isfinite(weights).all() or (weights < 0).any() or weights.sum() == 0:
        raise ValueError(
            "`sample_weight` must hold finite weights of at least 0, not all 0. Got values "
            f"from {weights.min()} to {weights.max()}."
        )
    return weights
