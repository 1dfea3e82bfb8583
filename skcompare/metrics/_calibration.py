"""How far probabilities are from the shares that are observed."""

from typing import Any

from skcompare._core.validation import check_choice
from skcompare._registry.metrics import metric
from skcompare._typing import ArrayLike
from skcompare.evidence._calibration_errors import NORMS
from skcompare.evidence._calibration_layout import Bins
from skcompare.metrics._calibration_curve import binned_answers


@metric(
    "expected_calibration_error",
    response_method="predict_proba",
    greater_is_better=False,
    instead="squared_calibration_error",
    array_api=True,
)
def expected_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    norm: str = "l1",
    kind: str = "auto",
    debiased: bool = False,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean distance of probabilities from observed shares, bin by bin [1]_.

    It is above 0 even for perfectly calibrated probabilities, the more so the fewer
    records a bin has, so that two classifiers with different distributions of
    probabilities differ by chance alone. Compare them by the test calibration_difference,
    which allows for it, and not by this number.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or a column a class in sorted order.
    n_bins : int, default=15
        Number of bins. A bin holds its lower edge, the last one both edges.
    strategy : {"uniform", "equal_mass", "quantile"}, default="uniform"
        Bins of equal width; of as many records each, cut midway between neighbours; or
        with edges at interpolated quantiles. Equal probabilities stay together, which may
        leave fewer bins.
    norm : {"l1", "l2", "max"}, default="l1"
        Mean distance, root of the mean squared distance, or greatest distance; bins
        count by their records.
    kind : {"auto", "binary", "top_label", "classwise"}, default="auto"
        What the probabilities are of: the positive class, the predicted class being the
        true one (the first one of equally probable classes), or every class in turn, each
        with bins of its own. "auto" is binary for two classes, and top-label for more.
    debiased : bool, default=False
        Whether to correct for what chance adds [2]_; the result may be below 0, or 0 for
        norm="l2". Bins of one record are left out of the corrected "l2".
    pos_label : label, optional
        The positive one of two classes; 1 by default, else the second column.
    labels : array-like of shape (n_classes,), optional
        The classes, sorted, where `y_true` may lack some.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; goes with strategy="uniform". With `debiased`, how often
        each record counts, a whole number.

    Returns
    -------
    error : float
        Between 0 and 1 unless debiased; lower is better.

    Raises
    ------
    ValueError
        If probabilities or labels are refused, or an option is unknown or does not go
        with another.

    References
    ----------
    .. [1] Naeini, M. P., Cooper, G. F. and Hauskrecht, M. (2015). "Obtaining well
       calibrated probabilities using Bayesian binning." AAAI 29, 2901-2907.
    .. [2] Kumar, A., Liang, P. S. and Ma, T. (2019). "Verified uncertainty calibration."
       NeurIPS 32.

    Examples
    --------
    >>> from skcompare.metrics import expected_calibration_error
    >>> y_true = [1, 0, 1, 0, 1, 0]
    >>> y_proba = [0.9, 0.2, 0.7, 0.3, 0.6, 0.15]
    >>> round(expected_calibration_error(y_true, y_proba, n_bins=2), 4)
    0.2417

    .. versionadded:: 0.1
    """
    check_choice("norm", norm, NORMS)
    bins, _ = binned_answers(
        y_true,
        y_proba,
        Bins(n_bins, strategy, None, 1),
        kind,
        pos_label,
        labels,
        sample_weight,
        debiased,
    )
    return bins.error(norm, debiased=debiased)


@metric(
    "squared_calibration_error",
    response_method="predict_proba",
    greater_is_better=False,
    array_api=True,
)
def squared_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    kind: str = "auto",
    debiased: bool = True,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean squared distance of probabilities from observed shares, bin by bin [1]_.

    What chance adds is subtracted [2]_, so that it is 0 on average for probabilities that
    are calibrated within bins, and may be negative. This is what the test
    calibration_difference compares, and what a margin is about. Without the correction it
    is the reliability of the decomposed Brier score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or a column a class in sorted order.
    n_bins, strategy, kind, pos_label, labels
        See :func:`expected_calibration_error`.
    debiased : bool, default=True
        Whether to subtract what chance adds. Bins of one record then count as 0.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; goes with strategy="uniform". With `debiased`, how often
        each record counts, a whole number.

    Returns
    -------
    error : float
        Lower is better. Classwise, the mean over classes.

    References
    ----------
    .. [1] Murphy, A. H. (1973). "A new vector partition of the probability score."
       Journal of Applied Meteorology 12(4), 595-600.
    .. [2] Kumar, A., Liang, P. S. and Ma, T. (2019). "Verified uncertainty calibration."
       NeurIPS 32.

    Examples
    --------
    >>> from skcompare.metrics import squared_calibration_error
    >>> y_true = [0, 0, 1, 0, 1, 1]
    >>> y_proba = [0.1, 0.2, 0.3, 0.6, 0.7, 0.8]
    >>> round(squared_calibration_error(y_true, y_proba, n_bins=2), 4)
    -0.1017
    >>> round(squared_calibration_error(y_true, y_proba, n_bins=2, debiased=False), 4)
    0.0094

    .. versionadded:: 0.1
    """
    bins, _ = binned_answers(
        y_true,
        y_proba,
        Bins(n_bins, strategy, None, 1),
        kind,
        pos_label,
        labels,
        sample_weight,
        debiased,
    )
    return bins.error("l2", squared=True, debiased=debiased)


@metric(
    "maximum_calibration_error",
    response_method="predict_proba",
    greater_is_better=False,
    instead="squared_calibration_error",
    array_api=True,
)
def maximum_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    kind: str = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Greatest distance of probabilities from observed shares in a bin.

    It is mostly that of a bin with few records.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or a column a class in sorted order.
    n_bins, strategy, kind, pos_label, labels
        See :func:`expected_calibration_error`.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; goes with strategy="uniform".

    Returns
    -------
    error : float
        Between 0 and 1; lower is better.

    Examples
    --------
    >>> from skcompare.metrics import maximum_calibration_error
    >>> y_true = [1, 0, 1, 0, 1, 0]
    >>> y_proba = [0.9, 0.2, 0.7, 0.3, 0.6, 0.15]
    >>> round(maximum_calibration_error(y_true, y_proba, n_bins=2), 4)
    0.2667

    .. versionadded:: 0.1
    """
    bins, _ = binned_answers(
        y_true,
        y_proba,
        Bins(n_bins, strategy, None, 1),
        kind,
        pos_label,
        labels,
        sample_weight,
    )
    return bins.error("max")


@metric(
    "classwise_calibration_error",
    response_method="predict_proba",
    greater_is_better=False,
    instead="squared_calibration_error",
    array_api=True,
)
def classwise_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    norm: str = "l1",
    debiased: bool = False,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean over the classes of the calibration error of their probabilities [1]_.

    Each class has bins of its own, and a class counts though no record is of it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        A column a class in sorted order, or the probabilities of the positive one.
    n_bins, strategy, norm, debiased, labels, sample_weight
        See :func:`expected_calibration_error`. For norm="l2" the root is taken of the
        mean over classes, and for "max" the greatest distance in any of them.

    Returns
    -------
    error : float
        Between 0 and 1 unless debiased; lower is better.

    References
    ----------
    .. [1] Kull, M. et al. (2019). "Beyond temperature scaling: obtaining well-calibrated
       multi-class probabilities with Dirichlet calibration." NeurIPS 32.

    Examples
    --------
    >>> from skcompare.metrics import classwise_calibration_error
    >>> round(classwise_calibration_error([0, 1, 2, 2], [[0.8, 0.1, 0.1], [0.1, 0.7, 0.2],
    ...     [0.2, 0.2, 0.6], [0.3, 0.5, 0.2]], n_bins=2), 4)
    0.1833

    .. versionadded:: 0.1
    """
    check_choice("norm", norm, NORMS)
    bins, _ = binned_answers(
        y_true,
        y_proba,
        Bins(n_bins, strategy, None, 1),
        "classwise",
        None,
        labels,
        sample_weight,
        debiased,
    )
    return bins.error(norm, debiased=debiased)
