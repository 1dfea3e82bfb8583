"""Scores of predicted numbers that scikit-learn has no scorer of."""

from functools import partial

import numpy as np

from skcompare._core.validation import check_numbers, check_same_length
from skcompare._registry.metrics import NUMBERS, metric
from skcompare._typing import ArrayLike
from skcompare.evidence import NUMBER_SCORES, check_weights, why_undefined

number_score = partial(
    metric, response_method="predict", greater_is_better=True, target=NUMBERS
)
"""Register a function of numbers of which greater is better."""


def score_of(
    name: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None
) -> float:
    """Return a score by its name; an error has the reason if it is undefined."""
    truth, predicted = check_numbers("y_true", y_true), check_numbers("y_pred", y_pred)
    check_same_length(y_true=truth, y_pred=predicted)
    weights = np.ones(len(truth))
    if sample_weight is not None:
        weights = np.asarray(check_weights(truth, sample_weight), dtype=np.float64)
        truth, predicted = truth[weights > 0], predicted[weights > 0]
        weights = weights[weights > 0]
    score = NUMBER_SCORES[name].prepared(truth, predicted, np.arange(len(truth)))
    value = float(score.values(weights[np.newaxis])[0])  # type: ignore[arg-type]
    if np.isfinite(value):
        return value
    reason = why_undefined(score) or "too few records"
    raise ValueError(f"{name} is undefined for these records: {reason}.")


@number_score("pearson_correlation", bounds=(-1, 1))
def pearson_correlation(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Linear correlation of predictions and target.

    It does not depend on the unit or the level of the predictions.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted numbers.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    correlation : float
        Between -1 and 1; greater is better.

    Raises
    ------
    ValueError
        If the target or the predictions are constant.

    Examples
    --------
    >>> from skcompare.metrics import pearson_correlation
    >>> round(pearson_correlation([1, 2, 3, 4], [1, 3, 2, 5]), 6)
    0.831522
    """
    return score_of("pearson_correlation", y_true, y_pred, sample_weight)


@number_score("concordance_correlation", bounds=(-1, 1))
def concordance_correlation(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Concordance correlation coefficient of predictions and target (Lin).

    Twice the covariance over the sum of both variances and of the squared difference of
    the means [1]_: the linear correlation, made smaller where the predictions are biased
    or vary more or less than the target. Variances have the divisor n.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted numbers.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    correlation : float
        Between -1 and 1; greater is better. 0 for constant predictions.

    Raises
    ------
    ValueError
        If target and predictions are one constant.

    References
    ----------
    .. [1] Lin, L. I.-K. (1989). "A concordance correlation coefficient to evaluate
       reproducibility." Biometrics 45(1), 255-268.

    Examples
    --------
    >>> from skcompare.metrics import concordance_correlation
    >>> round(concordance_correlation([1, 2, 3, 4], [1, 3, 2, 5]), 6)
    0.785714
    """
    return score_of("concordance_correlation", y_true, y_pred, sample_weight)


@number_score("spearman_correlation", bounds=(-1, 1))
def spearman_correlation(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Spearman's rank correlation of predictions and target.

    The linear correlation of their ranks; ties have the mean of their ranks.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted numbers.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    correlation : float
        Between -1 and 1; greater is better.

    Raises
    ------
    ValueError
        If the target or the predictions are constant.

    Examples
    --------
    >>> from skcompare.metrics import spearman_correlation
    >>> round(spearman_correlation([1, 2, 3, 4], [1, 3, 2, 50]), 6)
    0.8
    """
    return score_of("spearman_correlation", y_true, y_pred, sample_weight)


@number_score("kendall_tau", title="Kendall's tau-b", bounds=(-1, 1))
def kendall_tau(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Kendall's tau-b of predictions and target.

    Pairs of records in the same order by target and prediction, minus those in the opposite
    order, over the geometric mean of the pairs with unequal targets and of those with
    unequal predictions [1]_.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted numbers.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition, and copies of a record are
        pairs of equal numbers.

    Returns
    -------
    tau : float
        Between -1 and 1; greater is better.

    Raises
    ------
    ValueError
        If the target or the predictions are constant.

    References
    ----------
    .. [1] Kendall, M. G. (1945). "The treatment of ties in ranking problems." Biometrika
       33(3), 239-251.

    Examples
    --------
    >>> from skcompare.metrics import kendall_tau
    >>> round(kendall_tau([1, 2, 3, 4], [1, 3, 2, 5]), 6)
    0.666667
    """
    return score_of("kendall_tau", y_true, y_pred, sample_weight)


@number_score("concordance_index", bounds=(0, 1))
def concordance_index(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Share of pairs with unequal targets whose predictions are in the same order.

    Equal predictions count half [1]_. For a target of two values it is the area under the
    ROC curve.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted numbers.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    share : float
        Between 0 and 1; greater is better, and 1/2 is chance.

    Raises
    ------
    ValueError
        If the target is constant.

    References
    ----------
    .. [1] Harrell, F. E., Califf, R. M., Pryor, D. B., Lee, K. L. and Rosati, R. A. (1982).
       "Evaluating the yield of medical tests." JAMA 247(18), 2543-2546.

    Examples
    --------
    >>> from skcompare.metrics import concordance_index
    >>> round(concordance_index([1, 2, 3, 4], [1, 3, 2, 5]), 6)
    0.833333
    """
    return score_of("concordance_index", y_true, y_pred, sample_weight)


@number_score("d2_poisson_score", title="D² of the Poisson deviance", bounds=(-np.inf, 1))
def d2_poisson_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Share of the Poisson deviance of the mean that the predictions explain.

    1 - deviance / deviance of the (weighted) mean of the target as the prediction of every
    record [1]_; what R² is for squared errors.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True numbers of at least 0, such as counts.
    y_pred : array-like of shape (n_samples,)
        Predicted numbers above 0.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    share : float
        At most 1; greater is better.

    Raises
    ------
    ValueError
        If the target is constant, or a number is outside of its range.

    References
    ----------
    .. [1] Cameron, A. C. and Windmeijer, F. A. G. (1996). "R-squared measures for count
       data regression models." Journal of Business and Economic Statistics 14(2), 209-220.

    Examples
    --------
    >>> from skcompare.metrics import d2_poisson_score
    >>> round(d2_poisson_score([0, 1, 2, 5], [0.5, 1, 2.5, 4]), 6)
    0.827835
    """
    return score_of("d2_poisson_score", y_true, y_pred, sample_weight)


@number_score("d2_gamma_score", title="D² of the gamma deviance", bounds=(-np.inf, 1))
def d2_gamma_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Share of the gamma deviance of the mean that the predictions explain.

    1 - deviance / deviance of the (weighted) mean of the target as the prediction of every
    record [1]_. It does not depend on the unit of the numbers.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted numbers above 0.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    share : float
        At most 1; greater is better.

    Raises
    ------
    ValueError
        If the target is constant, or a number is outside of its range.

    References
    ----------
    .. [1] Cameron, A. C. and Windmeijer, F. A. G. (1997). "An R-squared measure of goodness
       of fit for some common nonlinear regression models." Journal of Econometrics 77(2),
       329-342.

    Examples
    --------
    >>> from skcompare.metrics import d2_gamma_score
    >>> round(d2_gamma_score([1, 2, 3, 8], [1.5, 2, 2.5, 6]), 6)
    0.881159
    """
    return score_of("d2_gamma_score", y_true, y_pred, sample_weight)
