"""Metrics of predicted labels."""

import numpy as np

from skcompare._labels import check_labels, classes_of
from skcompare._registry import metric
from skcompare._typing import ArrayLike
from skcompare._validation import check_same_length

__all__ = ["accuracy"]


@metric("accuracy", response_method="predict", greater_is_better=True)
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

    .. versionadded:: 0.1
    """
    truth, predicted = check_labels("y_true", y_true), check_labels("y_pred", y_pred)
    check_same_length(y_true=truth, y_pred=predicted)
    classes_of(truth, y_pred=predicted)
    return weighted_mean(truth == predicted, sample_weight)


def weighted_mean(values: np.ndarray, sample_weight: ArrayLike | None) -> float:
    """Mean of one value a record."""
    if sample_weight is None:
        return float(np.mean(values))
    weights = np.asarray(sample_weight, dtype=np.float64)
    check_same_length(y_true=values, sample_weight=weights)
    if not np.isfinite(weights).all() or (weights < 0).any() or weights.sum() == 0:
        raise ValueError(
            "`sample_weight` must hold finite weights of at least 0, not all 0. Got values "
            f"from {weights.min()} to {weights.max()}."
        )
    return float(np.average(values, weights=weights))
