"""Metrics of predicted labels and of class probabilities."""

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skcompare._analysis.measures import RATE
from skcompare._core.arrays import is_foreign, on_host
from skcompare._core.validation import (
    check_labels,
    check_probabilities,
    check_same_length,
    classes_of,
    in_class_order,
    is_number,
    positive_class,
    some_of,
)
from skcompare._registry.metrics import UndefinedRateError, metric
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence import (
    ClassColumns,
    brier,
    check_weights,
    cost,
    counted_rows,
    multiclass_brier,
    sorted_labels,
    space_at,
    space_of,
    spherical,
)

label_score = partial(
    metric, response_method="predict", greater_is_better=True, array_api=True
)
"""Register a function of labels, of any array library, of which greater is better."""
probability_score = partial(metric, response_method="predict_proba", greater_is_better=True)
"""Register a function of probabilities of which greater is better."""
probability_loss = partial(
    metric, response_method="predict_proba", greater_is_better=False, array_api=True
)
"""Register a function of probabilities, of any array library, as a loss."""


@label_score("accuracy")
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
    truth, predicted, _, sample_weight = _labels(y_true, y_pred, sample_weight)
    return weighted_mean(truth == predicted, sample_weight)


@label_score("sensitivity")
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


@label_score("specificity")
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


@label_score("negative_predictive_value", bounds=(0, 1))
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


def _labels(
    y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, ArrayLike | None]:
    """Return true and predicted labels, their classes and weights, in numpy."""
    if is_foreign(y_pred):
        y_true, y_pred, sample_weight = counted_rows(y_true, y_pred, sample_weight)
    truth, predicted = check_labels("y_true", y_true), check_labels("y_pred", y_pred)
    check_same_length(y_true=truth, y_pred=predicted)
    return truth, predicted, classes_of(truth, y_pred=predicted), sample_weight


def _rate_within(
    side: str,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    of: str = "y_true",
) -> float:
    """Share of correct predictions among the records of one true or predicted class."""
    truth, predicted, classes, sample_weight = _labels(y_true, y_pred, sample_weight)
    positive = positive_class(classes, pos_label)
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
    xp = space_at(values).xp
    if sample_weight is None:
        return float(xp.mean(values))
    weights = check_weights(values, sample_weight)
    return float(xp.sum(values * weights) / xp.sum(weights))


@probability_loss("multiclass_brier_loss", title="Brier loss, multi-class convention")
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
        Probabilities, one column per class in the order of `labels`; one column is that of
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
    """
    truth, proba = _probabilities(y_true, y_proba, labels)
    return weighted_mean(multiclass_brier(truth.codes, proba), sample_weight)


@probability_loss("binary_brier_loss", title="Brier loss")
def binary_brier_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean squared difference between probability and outcome for two classes [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_proba : array-like of shape (n_samples, 2) or (n_samples,)
        Probabilities, one column per class in the order of `labels`; one column is that of
        `pos_label`.
    labels : array-like of shape (n_classes,), optional
        Class labels, sorted; those of `y_true` by default.
    pos_label : label, optional
        The class of a single column. By default the greater of two numeric or boolean
        labels; strings have no default. It has no effect with two columns.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record.

    Returns
    -------
    loss : float
        Between 0 and 1; lower is better. Half of :func:`multiclass_brier_loss`.

    Raises
    ------
    ValueError
        If there are more than two classes.

    References
    ----------
    .. [1] Brier, G. W. (1950). "Verification of forecasts expressed in terms of
       probability." Monthly Weather Review 78(1), 1-3.

    Examples
    --------
    >>> from skcompare.metrics import binary_brier_loss
    >>> round(binary_brier_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.0375
    """
    truth = ClassColumns(y_true, labels, pos_label, there=space_of(y_proba=y_proba))
    proba = truth.probabilities("y_proba", y_proba)
    return weighted_mean(brier(truth.codes, proba), sample_weight)


@probability_score("brier_skill_score", title="Brier skill score", array_api=True)
def brier_skill_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Relative reduction of the Brier loss compared with the base rate [1]_.

    The base rate gives each record the shares of the classes among these records, so that
    its loss is one minus the sum of their squares. For two classes both conventions of the
    Brier loss have the same skill.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities, one column per class in the order of `labels`; one column is that of
        the second of two classes.
    labels : array-like of shape (n_classes,), optional
        Class labels, sorted; those of `y_true` by default.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record.

    Returns
    -------
    score : float
        1 for perfect probabilities, 0 for those of the base rate, negative for worse ones;
        greater is better.

    Raises
    ------
    ValueError
        If all records are of one class, whose base rate leaves no loss to save.

    References
    ----------
    .. [1] Murphy, A. H. (1973). "Hedging and skill scores for probability forecasts."
       Journal of Applied Meteorology 12(1), 215-223.

    Examples
    --------
    >>> from skcompare.metrics import brier_skill_score
    >>> round(brier_skill_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.85
    """
    truth, proba = _probabilities(y_true, y_proba, labels)
    losses = multiclass_brier(truth.codes, proba)
    weights = None if sample_weight is None else check_weights(losses, sample_weight)
    totals = space_at(losses).counted(truth.codes, len(truth.classes), weights)
    if np.count_nonzero(totals) < 2:
        raise ValueError(
            "The Brier skill score needs records of two classes. Got only "
            f"{some_of(truth.classes[totals > 0])}, which the base rate predicts without "
            "loss. Use binary_brier_loss or multiclass_brier_loss."
        )
    shares = totals.astype(np.float64) / totals.sum()
    return 1 - weighted_mean(losses, sample_weight) / float(1 - shares @ shares)


def _probabilities(
    y_true: ArrayLike, y_proba: ArrayLike, labels: ArrayLike | None
) -> tuple[ClassColumns, FloatArray]:
    """Check true labels and probabilities, of which one column is the second class's."""
    truth = ClassColumns(y_true, labels, second=True, there=space_of(y_proba=y_proba))
    return truth, truth.probabilities("y_proba", y_proba)


@probability_loss("spherical_loss")
def spherical_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean of one minus the L2-normalized probability of the true class [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities, one column per class in the order of `labels`; one column is that of
        the second of two classes.
    labels : array-like of shape (n_classes,), optional
        Class labels, sorted; those of `y_true` by default.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record.

    Returns
    -------
    loss : float
        Between 0 and 1; lower is better. It is proper, as the Brier and the log loss are,
        and between them in its penalty of confident errors.

    References
    ----------
    .. [1] Gneiting, T. and Raftery, A. E. (2007). "Strictly proper scoring rules,
       prediction, and estimation." Journal of the American Statistical Association
       102(477), 359-378.

    Examples
    --------
    >>> from skcompare.metrics import spherical_loss
    >>> round(spherical_loss([0, 1], [[0.6, 0.4], [0.8, 0.2]]), 4)
    0.4627
    """
    truth, proba = _probabilities(y_true, y_proba, labels)
    return weighted_mean(spherical(truth.codes, proba), sample_weight)


@probability_loss("cost_weighted_loss", title="cost of the best decisions")
def cost_weighted_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    cost_matrix: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean cost of the decisions with the lowest expected cost [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities, one column per class in the order of `labels`; one column is that of
        the second of two classes.
    labels : array-like of shape (n_classes,), optional
        Class labels, sorted; those of `y_true` by default.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Cost of deciding on the class of a column when that of the row is true, as in a
        confusion matrix. By default an error costs 1.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record.

    Returns
    -------
    loss : float
        In the unit of the costs; lower is better. By default it is the share of records
        whose most probable class is not the true one.

    References
    ----------
    .. [1] Elkan, C. (2001). "The foundations of cost-sensitive learning." Proceedings of
       the 17th International Joint Conference on Artificial Intelligence, 973-978.

    Examples
    --------
    A missed positive costs ten times as much as a false alarm, so that a probability of
    0.2 is enough to raise it.

    >>> from skcompare.metrics import cost_weighted_loss
    >>> costs = [[0, 1], [10, 0]]
    >>> y_true, y_proba = [0, 0, 1, 1, 1], [0.05, 0.2, 0.2, 0.3, 0.7]
    >>> cost_weighted_loss(y_true, y_proba, cost_matrix=costs)
    0.2
    >>> cost_weighted_loss(y_true, y_proba)
    0.4
    """
    truth, proba = _probabilities(y_true, y_proba, labels)
    return weighted_mean(cost(truth.codes, proba, cost_matrix=cost_matrix), sample_weight)


SLACK = 1e-12
"""A rate this close below the requested one reaches it, because of rounding."""


@probability_score("sensitivity_at_specificity", bounds=(0, 1))
def sensitivity_at_specificity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    specificity: float = RATE,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Sensitivity at the best threshold with at least the required specificity.

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
        Scores of the positive class, of any scale; or probabilities, one column per class.
    specificity : float, default=0.9
        The requested specificity, above 0 and at most 1.
    pos_label : label, optional
        The positive class; 1 or True by default, as in scikit-learn.
    labels : array-like of shape (2,), optional
        Class labels of the columns of `y_score`, sorted; those of `y_true` by default.
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
    """
    rate = _check_rate("specificity", specificity)
    positive, scores, weights = _checked(y_true, y_score, pos_label, labels, sample_weight)
    return _rate_at(positive, scores, weights, rate)


@probability_score("specificity_at_sensitivity", bounds=(0, 1))
def specificity_at_sensitivity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitivity: float = RATE,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Specificity at the best threshold with at least the required sensitivity.

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
        Scores of the positive class, of any scale; or probabilities, one column per class.
    sensitivity : float, default=0.9
        The requested sensitivity, above 0 and at most 1.
    pos_label : label, optional
        The positive class; 1 or True by default, as in scikit-learn.
    labels : array-like of shape (2,), optional
        Class labels of the columns of `y_score`, sorted; those of `y_true` by default.
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
    """
    rate = _check_rate("sensitivity", sensitivity)
    positive, scores, weights = _checked(y_true, y_score, pos_label, labels, sample_weight)
    # The classes change places.
    return _rate_at(~positive, -scores, weights, rate)


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
    """Check the arguments, and return the mask of positive records, scores and weights."""
    truth = check_labels("y_true", y_true)
    classes = classes_of(truth) if labels is None else sorted_labels(labels)
    label = positive_class(classes, pos_label)
    values = np.asarray(on_host(y_score), dtype=np.float64)
    if values.ndim == 2 and values.shape[1] == 2:
        column = int(len(classes) == 2 and classes[1] == label)
        values = in_class_order(values, y_score, classes)
        scores = check_probabilities("y_score", values, 2)[:, column]
    else:
        scores = _one_column(values)
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


def _one_column(values: FloatArray) -> FloatArray:
    if values.ndim != 1 and values.shape[1:] != (1,):
        raise ValueError(
            "`y_score` must be scores of the positive class, of shape (n_samples,), or "
            f"probabilities of two classes, of shape (n_samples, 2). Got {values.shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError("`y_score` must be finite. Got NaN or infinity.")
    return values.reshape(-1)


def _rate_at(
    inside: np.ndarray, scores: FloatArray, weights: FloatArray, rate: float
) -> float:
    """Greatest share of `inside` at or above a threshold, with a limit on the others.

    At most 1 - `rate` of the others may be at the threshold or above.
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.diff(scores[order], append=-np.inf))
    caught = np.cumsum(np.where(inside, weights, 0.0)[order])
    missed = np.cumsum(np.where(inside, 0.0, weights)[order])
    fits = missed[ends] <= missed[-1] * (1 - rate + SLACK)
    return float(caught[ends][fits].max(initial=0.0) / caught[-1])
