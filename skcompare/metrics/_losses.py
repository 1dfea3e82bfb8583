"""Metrics that are means of a loss a record."""

from typing import Any

import numpy as np

from skcompare._core.array_api import is_foreign, on_host
from skcompare._core.validation import some_of
from skcompare._registry.metrics import metric
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence._class_columns import ClassColumns
from skcompare.evidence._device import space_of
from skcompare.evidence._device_losses import class_totals
from skcompare.evidence._record_losses import brier, cost, multiclass_brier, spherical
from skcompare.metrics._labels import check_weights, weighted_mean


@metric(
    "brier_loss",
    response_method="predict_proba",
    greater_is_better=False,
    title="Brier loss",
    array_api=True,
)
def brier_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean squared distance of the probability of one of two classes from the truth [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_proba : array-like of shape (n_samples, 2) or (n_samples,)
        Probabilities, a column a class in the order of `labels`; one column is that of
        `pos_label`.
    labels : array-like of shape (n_classes,), optional
        Class labels, sorted; those of `y_true` by default.
    pos_label : label, optional
        The class that one column is of. By default the greater of two numeric or boolean
        labels; strings have no default. With two columns it changes nothing.
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
    >>> from skcompare.metrics import brier_loss
    >>> round(brier_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.0375

    .. versionadded:: 0.1
    """
    truth = ClassColumns(y_true, labels, pos_label, there=space_of(y_proba=y_proba))
    proba = truth.probabilities("y_proba", y_proba)
    return weighted_mean(brier(truth.codes, proba), sample_weight)


@metric(
    "brier_skill_score",
    response_method="predict_proba",
    greater_is_better=True,
    title="Brier skill score",
    array_api=True,
)
def brier_skill_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of the base rate's Brier loss that the probabilities save [1]_.

    The base rate gives each record the shares of the classes among these records, so that
    its loss is one less the sum of their squares. For two classes both conventions of the
    Brier loss have the same skill.

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

    .. versionadded:: 0.1
    """
    there = space_of(y_proba=y_proba)
    truth = ClassColumns(y_true, labels, second=True, there=there)
    proba = truth.probabilities("y_proba", y_proba)
    losses = multiclass_brier(truth.codes, proba)
    totals = _class_totals(truth, losses, sample_weight)
    if np.count_nonzero(totals) < 2:
        raise ValueError(
            "The Brier skill score needs records of two classes. Got only "
            f"{some_of(truth.classes[totals > 0])}, which the base rate predicts without "
            "loss. Use brier_loss or multiclass_brier_loss."
        )
    shares = totals / totals.sum()
    return 1 - weighted_mean(losses, sample_weight) / float(1 - shares @ shares)


def _class_totals(
    truth: ClassColumns, losses: FloatArray, sample_weight: ArrayLike | None
) -> FloatArray:
    """Weight of the records of each class."""
    n_classes = len(truth.classes)
    if is_foreign(losses):
        totals = class_totals(truth.codes, sample_weight, n_classes)
        if totals is not None:
            return totals
    weights = np.ones(len(losses))
    if sample_weight is not None:
        weights = check_weights(losses, sample_weight)
    found = np.bincount(on_host(truth.codes), weights, minlength=n_classes)
    return found.astype(np.float64)


@metric(
    "spherical_loss",
    response_method="predict_proba",
    greater_is_better=False,
    array_api=True,
)
def spherical_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean of one less the true class's probability over the length of all of them [1]_.

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
        Between 0 and 1; lower is better. It is proper, as the Brier and the log loss are,
        and between them in how it takes confident errors.

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

    .. versionadded:: 0.1
    """
    there = space_of(y_proba=y_proba)
    truth = ClassColumns(y_true, labels, second=True, there=there)
    proba = truth.probabilities("y_proba", y_proba)
    return weighted_mean(spherical(truth.codes, proba), sample_weight)


@metric(
    "cost_weighted_loss",
    response_method="predict_proba",
    greater_is_better=False,
    title="cost of the best decisions",
    array_api=True,
)
def cost_weighted_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    cost_matrix: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean cost of the decisions that the probabilities make look cheapest [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities, a column a class in the order of `labels`; one column is that of
        the second of two classes.
    labels : array-like of shape (n_classes,), optional
        Class labels, sorted; those of `y_true` by default.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        What it costs to decide on the class of a column when that of the row is true, as
        in a confusion matrix. By default an error costs 1.
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

    .. versionadded:: 0.1
    """
    there = space_of(y_proba=y_proba)
    truth = ClassColumns(y_true, labels, second=True, there=there)
    proba = truth.probabilities("y_proba", y_proba)
    return weighted_mean(cost(truth.codes, proba, cost_matrix=cost_matrix), sample_weight)
