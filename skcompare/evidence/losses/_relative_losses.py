"""Losses of numbers relative to that of the best constant prediction: 1 - R², 1 - D²."""

import numpy as np

from skcompare._registry.metrics import NUMBERS, record_loss
from skcompare._typing import FloatArray


@record_loss(
    "relative_squared_error",
    title="squared error over the variance of the targets",
    measures="r2",
    target=NUMBERS,
    relative=True,
)
def relative_squared_error(y_true: FloatArray, y_pred: FloatArray) -> FloatArray:
    """How far is a predicted number from the true one, squared and relative to a mean's?

    Its mean is 1 - R² [1]_: the mean squared error over that of the mean of the targets.
    Two predictions for the same targets share the divisor, so that a test of their R² given
    these targets is the test of their mean squared errors.

    Parameters
    ----------
    y_true, y_pred : ndarray of shape (n_samples,)
        True and predicted numbers.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        Without units, at least 0.

    Raises
    ------
    ValueError
        If all targets are equal.

    References
    ----------
    .. [1] Kvålseth, T. O. (1985). "Cautionary note about R²." The American Statistician
       39(4), 279-285. Equation 1.
    """
    return (y_true - y_pred) ** 2 / _spread(float(np.var(y_true)), "R²")


@record_loss(
    "relative_absolute_error",
    title="absolute error over that of the median of the targets",
    measures="d2_absolute_error_score",
    target=NUMBERS,
    relative=True,
)
def relative_absolute_error(y_true: FloatArray, y_pred: FloatArray) -> FloatArray:
    """How far is a predicted number from the true one, relative to a median's distance?

    Its mean is 1 - D² of the absolute error [1]_: the mean absolute error over that of the
    median of the targets.

    Parameters
    ----------
    y_true, y_pred : ndarray of shape (n_samples,)
        True and predicted numbers.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        Without units, at least 0.

    Raises
    ------
    ValueError
        If all targets are equal.

    References
    ----------
    .. [1] Koenker, R. and Machado, J. A. F. (1999). "Goodness of fit and related inference
       processes for quantile regression." Journal of the American Statistical Association
       94(448), 1296-1310. Equation 7.
    """
    of_median = np.abs(y_true - np.median(y_true)).mean()
    return np.abs(y_true - y_pred) / _spread(float(of_median), "D² of the absolute error")


def _spread(loss: float, measure: str) -> float:
    """Return the mean loss of the best constant prediction, unless it is 0."""
    if not loss > 0:
        raise ValueError(
            f"{measure} compares with the best constant prediction, which is right for "
            "targets that are all equal. Collect targets that differ, or choose "
            "'neg_mean_squared_error' or 'neg_mean_absolute_error'."
        )
    return loss
