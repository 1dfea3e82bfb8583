"""Metrics of class probabilities."""

from skcompare._registry.metrics import metric
from skcompare._typing import ArrayLike
from skcompare.evidence._class_columns import ClassColumns
from skcompare.evidence._device import space_of
from skcompare.evidence._record_losses import multiclass_brier
from skcompare.metrics._labels import weighted_mean


@metric(
    "multiclass_brier_loss",
    response_method="predict_proba",
    greater_is_better=False,
    title="Brier loss, multi-class convention",
    array_api=True,
)
def multiclass_brier_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean squared distance of the class probabilities from the true class [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities, a column a class in the order of `labels`; one column is that of
        the second of two classes.
    labels : array-like of shape (n_classes,), optional
        Class labels, sorted; those of `y_true` by default.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record.

    Returns
    -------
    loss : float
        Between 0 and 2; lower is better. For two classes it is twice the binary Brier
        score.

    References
    ----------
    .. [1] Brier, G. W. (1950). "Verification of forecasts expressed in terms of
       probability." Monthly Weather Review 78(1), 1-3.

    Examples
    --------
    >>> from skcompare.metrics import multiclass_brier_loss
    >>> round(multiclass_brier_loss([0, 1, 2], [[0.8, 0.1, 0.1], [0.1, 0.7, 0.2],
    ...                                         [0.2, 0.2, 0.6]]), 4)
    0.1467

    .. versionadded:: 0.1
    """
    there = space_of(y_proba=y_proba)
    truth = ClassColumns(y_true, labels, second=True, there=there)
    proba = truth.probabilities("y_proba", y_proba)
    return weighted_mean(multiclass_brier(truth.codes, proba), sample_weight)
