"""Calibration errors and curves, and decompositions of mean losses."""

import math
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.fft import dct, idct
from scipy.optimize import brentq
from scipy.special import xlogy
from sklearn.isotonic import isotonic_regression

from skcompare._core.arrays import on_host
from skcompare._core.validation import check_choice, check_count, check_switches
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence import (
    EPS,
    NORMS,
    STRATEGIES,
    Bins,
    CalibrationBins,
    CalibrationCurve,
    ClassColumns,
    Layout,
    bin_codes,
    bin_edges,
    check_weights,
    codes_in,
    collapse_predictions,
    device_forecasts,
    monotone_bins,
    space_at,
)
from skcompare.metrics._scores import probability_loss

biased_error = partial(probability_loss, instead="squared_calibration_error", bounds=(0, 1))
"""Register a calibration error with a bias that differs between classifiers."""


def sweep_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    norm: str = "l1",
    kind: str = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
) -> float:
    """Calibration error with a data-dependent number of bins.

    Bins of equal mass are made finer until an observed share falls below that of the bin
    before [1]_, which a score that ranks well does by chance only. This is less biased
    than a fixed number of bins.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or one column per class in sorted order.
    norm : {"l1", "l2", "max"}, default="l1"
        See :func:`expected_calibration_error`.
    kind : {"auto", "binary", "top_label"}, default="auto"
        Events of the probabilities; "auto" is binary for two classes, and top-label for
        more.
    pos_label, labels
        See :func:`expected_calibration_error`.

    Returns
    -------
    error : float
        Between 0 and 1; lower is better.

    References
    ----------
    .. [1] Roelofs, R., Cain, N., Shlens, J. and Mozer, M. C. (2022). "Mitigating bias in
       calibration error estimation." AISTATS 25, 4036-4054.

    Examples
    --------
    >>> from skcompare.metrics import sweep_calibration_error
    >>> round(sweep_calibration_error([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9]), 4)
    0.25
    """
    check_choice("norm", norm, NORMS)
    check_choice("kind", kind, ("auto", "binary", "top_label"))
    _, _, (forecasts,) = collapse_predictions(
        y_true, {"y_proba": y_proba}, kind=kind, pos_label=pos_label, labels=labels
    )
    return monotone_bins(*forecasts).error(norm)


def calibration_curve(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    edges: Any = None,
    kind: str = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> CalibrationCurve:
    """Compute observed shares and mean probabilities by bin, with confidence intervals.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or one column per class in sorted order.
    n_bins, strategy, pos_label, labels
        See :func:`expected_calibration_error`.
    edges : array-like of shape (n_bins + 1,), optional
        Edges from 0 to 1 in place of `n_bins` and `strategy`.
    kind : {"auto", "binary", "top_label"}, default="auto"
        Events of the probabilities; "auto" is binary for two classes, and top-label for
        more. For one of several classes pass `y_true == label` and its column.
    confidence_level : float, default=0.95
        Level of each interval by itself.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; goes with strategy="uniform" and with `edges`. `count` is
        then the weight of each bin, and its interval is that of the effective number of
        records, which has the variance of the weighted share [2]_ and is never more than
        the number in the bin.

    Returns
    -------
    curve : CalibrationCurve
        Edges, records, mean probability, observed share and Wilson's limits [1]_ of each
        bin; NaN where a bin is empty.

    References
    ----------
    .. [1] Wilson, E. B. (1927). "Probable inference, the law of succession, and
       statistical inference." Journal of the American Statistical Association 22, 209-212.
    .. [2] Kish, L. (1965). "Survey sampling." Wiley, New York.

    Examples
    --------
    >>> from skcompare.metrics import calibration_curve
    >>> y_true = [1, 0, 1, 0, 1, 0]
    >>> curve = calibration_curve(y_true, [0.9, 0.2, 0.7, 0.3, 0.6, 0.15], n_bins=2)
    >>> curve.mean_proba.round(4).tolist(), curve.mean_outcome.tolist()
    ([0.2167, 0.7333], [0.0, 1.0])
    >>> curve.low.round(4).tolist(), curve.high.round(4).tolist()
    ([0.0, 0.4385], [0.5615, 1.0])
    """
    check_choice("kind", kind, ("auto", "binary", "top_label"))
    requested = Bins(n_bins, strategy, edges, 1)
    arguments = y_true, y_proba, requested, kind, pos_label, labels
    bins, (limits,) = binned_predictions(*arguments, sample_weight)
    if sample_weight is None:
        return bins.curve(limits[:-1], limits[1:], confidence_level)
    squares, _ = binned_predictions(
        *arguments, np.square(on_host(sample_weight), dtype=np.float64)
    )
    effective = np.divide(
        bins.count**2, squares.count, out=np.zeros(len(limits) - 1), where=bins.count > 0
    )
    return bins.curve(limits[:-1], limits[1:], confidence_level, effective)


def binned_predictions(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    requested: Bins,
    kind: str,
    pos_label: Any,
    labels: ArrayLike | None,
    sample_weight: ArrayLike | None,
    debiased: bool = False,
) -> tuple[CalibrationBins, Layout]:
    """Return the sums over the requested bins and the edges of the bins."""
    check_switches(debiased=debiased)
    predictions = {"y_proba": y_proba}
    options = {"kind": kind, "pos_label": pos_label, "labels": labels}
    chosen, n_classes, (forecasts,) = device_forecasts(
        y_true, predictions, **options
    ) or collapse_predictions(y_true, predictions, **options)
    columns = n_classes if chosen == "classwise" else 1
    proba = forecasts.proba
    weights = None
    if sample_weight is not None:
        weights = _weights(proba[::columns], sample_weight, requested, debiased)
        weights = space_at(weights).repeated(weights, columns)
    by_data = requested.edges is None and requested.strategy != "uniform"
    # Edges that depend on the data are computed in numpy.
    layout = replace(requested, columns=columns).layout(
        on_host(proba) if by_data else np.empty(0), 0
    )
    codes = codes_in(proba, layout)
    n_bins = sum(len(edges) - 1 for edges in layout)
    return CalibrationBins.of(proba, forecasts.occurred, codes, n_bins, weights), layout


def _bins(
    y_true: ArrayLike, y_proba: ArrayLike, n_bins: int, strategy: str, *options: Any
) -> CalibrationBins:
    """Return the sums over bins of one number, with options of `binned_predictions`."""
    requested = Bins(n_bins, strategy, None, 1)
    return binned_predictions(y_true, y_proba, requested, *options)[0]


def _weights(
    proba: FloatArray, sample_weight: ArrayLike, bins: Bins, debiased: bool
) -> FloatArray:
    """Return the weights, after checking that they suit the bins and the correction."""
    weights = check_weights(proba, sample_weight)
    if bins.strategy != "uniform" and bins.edges is None:
        raise ValueError(
            f"`sample_weight` goes with strategy='uniform'. Got {bins.strategy!r}, whose "
            "bins hold equal numbers of records. Leave one of them out."
        )
    whole = space_at(weights).xp.trunc(weights) == weights
    if debiased and not bool(space_at(weights).xp.all(whole)):
        part = float(weights[~whole][0])
        raise ValueError(
            "With debiased=True `sample_weight` says how often each record counts, in "
            f"whole numbers. Got {part:.6g}. The correction needs the number of records; "
            "pass debiased=False for other weights."
        )
    return weights


@biased_error("expected_calibration_error")
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

    It is above 0 even for perfectly calibrated probabilities, especially with few records
    per bin, so that two classifiers with different distributions of probabilities differ by
    chance alone. Compare them by the test calibration_difference, which accounts for this,
    not by this number.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or one column per class in sorted order.
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
        Events of the probabilities: the positive class, the predicted class being the
        true one (the first one of equally probable classes), or every class in turn, each
        with bins of its own. "auto" is binary for two classes, and top-label for more.
    debiased : bool, default=False
        Whether to correct for the contribution of chance [2]_; the result may be below 0,
        or 0 for norm="l2". Bins of one record are left out of the corrected "l2".
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
    """
    check_choice("norm", norm, NORMS)
    options = kind, pos_label, labels, sample_weight, debiased
    bins = _bins(y_true, y_proba, n_bins, strategy, *options)
    return bins.error(norm, debiased=debiased)


@probability_loss("squared_calibration_error", bounds=(0, 1))
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

    The contribution of chance is subtracted [2]_, so that it is 0 on average for
    probabilities that are calibrated within bins, and may be negative. The test
    calibration_difference compares this error, and its margin refers to it. Without the
    correction it is the reliability of the decomposed Brier score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or one column per class in sorted order.
    n_bins, strategy, kind, pos_label, labels
        See :func:`expected_calibration_error`.
    debiased : bool, default=True
        Whether to subtract the contribution of chance. Bins of one record then count as 0.
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
    """
    options = kind, pos_label, labels, sample_weight, debiased
    bins = _bins(y_true, y_proba, n_bins, strategy, *options)
    return bins.error("l2", squared=True, debiased=debiased)


@biased_error("maximum_calibration_error")
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
        Probabilities of the positive class, or one column per class in sorted order.
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
    """
    options = kind, pos_label, labels, sample_weight
    return _bins(y_true, y_proba, n_bins, strategy, *options).error("max")


@biased_error("classwise_calibration_error")
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

    Each class has bins of its own, and a class counts even if it has no record.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        One column per class in sorted order, or the probabilities of the positive one.
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
    """
    check_choice("norm", norm, NORMS)
    options = "classwise", None, labels, sample_weight, debiased
    bins = _bins(y_true, y_proba, n_bins, strategy, *options)
    return bins.error(norm, debiased=debiased)


COARSE, FINE = 1 << 10, 1 << 13
"""Cells of grids on [0, 1]; an error below a fine cell is not distinguished from 0."""

WIDE = 0.02
"""Kernels as wide as this, many coarse cells, do not need the fine grid."""


@biased_error("smooth_calibration_error", array_api=False)
def smooth_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    kind: str = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Calibration error by kernel smoothing instead of binning [1]_.

    Events minus probabilities are smoothed along the probabilities by a Gaussian kernel,
    reflected at 0 and 1, and their absolute value is averaged. The width of the kernel is
    the error itself, so that nothing needs to be chosen, and small changes of the
    probabilities change the error only slightly.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or one column per class in sorted order.
    kind : {"auto", "binary", "top_label"}, default="auto"
        Events of the probabilities: the positive class, or the predicted class being the
        true one. "auto" is binary for two classes, and top-label for more.
    pos_label : label, optional
        The positive one of two classes; 1 by default, else the second column.
    labels : array-like of shape (n_classes,), optional
        The classes, sorted, where `y_true` may lack some.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record.

    Returns
    -------
    error : float
        Between 0 and 1; lower is better. An error below 1 / 8192 is not distinguished
        from 0.

    References
    ----------
    .. [1] Błasiok, J. and Nakkiran, P. (2024). "Smooth ECE: principled reliability
       diagrams via kernel smoothing." ICLR 2024.

    Examples
    --------
    >>> from skcompare.metrics import smooth_calibration_error
    >>> y_true = [1, 0, 1, 0, 1, 0]
    >>> y_proba = [0.9, 0.2, 0.7, 0.3, 0.6, 0.15]
    >>> round(smooth_calibration_error(y_true, y_proba), 3)
    0.179
    """
    check_choice("kind", kind, ("auto", "binary", "top_label"))
    _, _, (forecasts,) = collapse_predictions(
        y_true, {"y_proba": y_proba}, kind=kind, pos_label=pos_label, labels=labels
    )
    excess = forecasts.occurred - forecasts.proba
    if sample_weight is None:
        excess /= len(excess)
    else:
        weights = check_weights(excess, sample_weight)
        excess *= weights / weights.sum()
    error = _smoothed_error(forecasts.proba, excess, COARSE)
    return error if error >= WIDE else _smoothed_error(forecasts.proba, excess, FINE)


def _smoothed_error(proba: FloatArray, excess: FloatArray, cells: int) -> float:
    """Compute the smoothed error that equals the width of its kernel."""
    waves = dct(_on_grid(proba, excess, cells), type=1)

    def surplus(width: float) -> float:
        return _smoothed(waves, width) - width

    narrowest = 1 / cells
    if surplus(narrowest) <= 0:
        return _smoothed(waves, narrowest)
    return float(brentq(surplus, narrowest, 1.0, xtol=1e-15, rtol=1e-14))


def _on_grid(proba: FloatArray, excess: FloatArray, cells: int) -> FloatArray:
    """Density of the excess at grid nodes, with each record split between two nodes."""
    position = proba * cells
    below = np.minimum(position.astype(np.intp), cells - 1)
    above = excess * (position - below)
    density = np.zeros(cells + 1)
    density += np.bincount(below, excess - above, cells + 1)
    density += np.bincount(below + 1, above, cells + 1)
    # Only half a cell belongs to a node at the end.
    density[[0, -1]] *= 2
    return density * cells


def _smoothed(waves: FloatArray, width: float) -> float:
    """Mean absolute excess after smoothing with a kernel of this width.

    Cosines are the eigenfunctions of the reflected Gaussian kernel, whose eigenvalues are
    exp(-(m π width)² / 2).
    """
    m = np.arange(len(waves))
    smooth = np.abs(idct(waves * np.exp(-((m * math.pi * width) ** 2) / 2), type=1))
    smooth[[0, -1]] /= 2
    return float(smooth.sum() / (len(waves) - 1))


LOSSES = ("brier_score", "log_loss")
METHODS = ("corp", "murphy")


@dataclass(frozen=True, slots=True)
class ScoreDecomposition:
    """Decomposition of a mean loss, as returned by :func:`score_decomposition`.

    Attributes
    ----------
    score : float
        The mean loss. It is ``miscalibration - discrimination + uncertainty +
        within_bin_variance - within_bin_covariance``.
    miscalibration : float
        Reduction of the loss by recalibration; Murphy's reliability.
    discrimination : float
        Reduction of the loss by the recalibrated probabilities, relative to the shares of
        the classes; Murphy's resolution.
    uncertainty : float
        The mean loss of the shares of the classes, whatever the classifier.
    within_bin_variance, within_bin_covariance : float
        Of probabilities in one bin, and of these with the outcomes, twice; 0 without bins.
    loss, method : str
        As requested.
    n_bins : int or None
        Bins with records in them; None without bins and for a sum over classes.
    label : object
        The class of the decomposition; None for a sum over classes.
    classes : tuple of ScoreDecomposition
        Contributions of the classes, in their order, if there are more than two.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    within_bin_variance: float = 0.0
    within_bin_covariance: float = 0.0
    loss: str = "brier_score"
    method: str = "corp"
    n_bins: int | None = None
    label: Any = None
    classes: tuple["ScoreDecomposition", ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the parts as a dict of plain values."""
        return asdict(self) | {"classes": [part.to_dict() for part in self.classes]}


def score_decomposition(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    loss: str = "brier_score",
    method: str = "corp",
    n_bins: int = 10,
    strategy: str = "uniform",
    bias_corrected: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ScoreDecomposition:
    """Decompose a mean loss into miscalibration, discrimination and uncertainty.

    Two classifiers with equal Brier loss may need different remedies: miscalibration can be
    corrected by recalibration, lack of discrimination cannot.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities, one column per class in sorted order; one column is that of
        `pos_label`.
    loss : {"brier_score", "log_loss"}, default="brier_score"
        The loss. "brier_score" of two classes is the squared distance of the probability of
        one class from 0 or 1; of more it is the sum over the classes, each against the
        rest. "log_loss" is for two classes; probabilities below 2.2e-16 count as this much.
    method : {"corp", "murphy"}, default="corp"
        "corp" recalibrates by isotonic regression (the pool-adjacent-violators algorithm)
        and needs no bins [1]_. "murphy" compares means of bins [2]_, for the Brier loss.
    n_bins : int, default=10
        For "murphy": number of bins.
    strategy : {"uniform", "equal_mass", "quantile"}, default="uniform"
        For "murphy": placement of the bins; with `sample_weight`, "uniform" only.
    bias_corrected : bool, default=False
        For "murphy", without weights: whether to subtract the bias of the three parts
        that is due to few records per bin [4]_. Bins of one record are left as they are.
    labels : array-like of shape (n_classes,), optional
        All class labels, where `y_true` lacks some of them.
    pos_label : label, optional
        The class of a single column. By default the greater of two numeric or boolean
        labels; strings have no default.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    parts : ScoreDecomposition
        The score and its parts, which add up to it.

    Raises
    ------
    ValueError
        If "murphy" or more than two classes are requested with the log loss; if options
        are incompatible.

    Notes
    -----
    For "corp", with S the mean loss, C that of the recalibrated probabilities and U that
    of the share of the class, miscalibration is S - C and discrimination U - C. Neither is
    negative. Recalibrated probabilities of 0 and 1 are always correct and cost nothing.

    Murphy's three parts add up to the score only where all probabilities in a bin are
    equal. The variance of the probabilities within bins and twice their covariance with
    the outcomes, reported separately, make up the difference [3]_.

    If all records are of one class, uncertainty and discrimination are 0, and the score is
    all miscalibration.

    References
    ----------
    .. [1] Dimitriadis, T., Gneiting, T. and Jordan, A. I. (2021). "Stable reliability
       diagrams for probabilistic classifiers." Proceedings of the National Academy of
       Sciences 118(8), e2016191118.
    .. [2] Murphy, A. H. (1973). "A new vector partition of the probability score." Journal
       of Applied Meteorology 12(4), 595-600.
    .. [3] Stephenson, D. B., Coelho, C. A. S. and Jolliffe, I. T. (2008). "Two extra
       components in the Brier score decomposition." Weather and Forecasting 23(4),
       752-757.
    .. [4] Ferro, C. A. T. and Fricker, T. E. (2012). "A bias-corrected decomposition of
       the Brier score." Quarterly Journal of the Royal Meteorological Society 138,
       1954-1960.

    Examples
    --------
    >>> from skcompare.metrics import score_decomposition
    >>> y_true = [0, 0, 1, 0, 1, 1]
    >>> y_proba = [0.1, 0.2, 0.3, 0.6, 0.7, 0.9]
    >>> parts = score_decomposition(y_true, y_proba)
    >>> print(f"{parts.score:.4f} = {parts.miscalibration:.4f} "
    ...       f"- {parts.discrimination:.4f} + {parts.uncertainty:.4f}")
    0.1667 = 0.0833 - 0.1667 + 0.2500
    """
    check_choice("loss", loss, LOSSES)
    check_choice("method", method, METHODS)
    check_choice("strategy", strategy, STRATEGIES)
    check_count("n_bins", n_bins)
    check_switches(bias_corrected=bias_corrected)
    _check_together(loss, method, strategy, bias_corrected, sample_weight is not None)
    truth = ClassColumns(y_true, labels, pos_label)
    proba = truth.probabilities("y_proba", y_proba)
    weights = np.ones(len(proba))
    if sample_weight is not None:
        weights = check_weights(truth.codes, sample_weight)
    if loss == "log_loss" and len(truth.classes) > 2:
        raise ValueError(
            f"The log loss is decomposed for two classes. Got {len(truth.classes)}. Use "
            'loss="brier_score", a sum over classes, or decompose one class against '
            "the rest."
        )

    def of_class(position: int) -> ScoreDecomposition:
        # Records of weight 0 would have blocks and bins of their own.
        kept = weights > 0
        outcomes = (truth.codes[kept] == position).astype(np.float64)
        p, w = proba[kept, position], weights[kept] / weights.sum()
        label = truth.classes[position].item()
        if method == "corp":
            parts = _corp(outcomes, p, w, loss)
        else:
            codes = bin_codes(p, bin_edges(p, n_bins, strategy))
            parts = _murphy(outcomes, p, w, codes, bias_corrected)
        return ScoreDecomposition(**parts, loss=loss, method=method, label=label)

    if len(truth.classes) == 2:
        positive = 1
        if pos_label is not None:
            positive = int(np.argmax(truth.classes == pos_label))
        return of_class(positive)
    return _summed([of_class(position) for position in range(len(truth.classes))])


def _check_together(
    loss: str, method: str, strategy: str, bias_corrected: bool, weighted: bool
) -> None:
    """Raise an error if options are incompatible."""
    if method == "murphy" and loss == "log_loss":
        raise ValueError(
            'Murphy\'s decomposition is one of the Brier loss. Got loss="log_loss". Use '
            'method="corp", which is for both.'
        )
    if bias_corrected and (method == "corp" or weighted):
        raise ValueError(
            'The bias is known for method="murphy" without `sample_weight`. Got '
            f"method={method!r}{' and weights' if weighted else ''}. Leave out "
            "`bias_corrected`."
        )
    if weighted and method == "murphy" and strategy != "uniform":
        raise ValueError(
            '`sample_weight` goes with strategy="uniform". Got '
            f"strategy={strategy!r}, which places bins by the number of records."
        )


def _corp(outcomes: FloatArray, p: FloatArray, w: FloatArray, loss: str) -> dict[str, Any]:
    """Decompose a mean loss by isotonic regression; the weights must add up to 1."""
    # Equal probabilities stay equal: they are one point with the mean of their outcomes.
    _, group = np.unique(p, return_inverse=True)
    at_point = np.bincount(group, w)
    means = np.minimum(np.bincount(group, w * outcomes) / at_point, 1.0)
    recalibrated = np.clip(isotonic_regression(means, sample_weight=at_point), 0.0, 1.0)
    # With weights that differ by orders of magnitude a pooled mean can round to 0 or 1.
    inside = np.clip(recalibrated, EPS, 1 - EPS)
    recalibrated = np.where(recalibrated == means, recalibrated, inside)
    share = np.minimum(w @ outcomes, 1.0)
    cost = _brier_cost if loss == "brier_score" else _log_cost
    score = float(
        w @ cost(outcomes, p if loss == "brier_score" else np.clip(p, EPS, 1 - EPS))
    )
    calibrated = float(at_point @ cost(means, recalibrated))
    uncertainty = float(cost(share, share))
    return {
        "score": score,
        "miscalibration": max(0.0, score - calibrated),
        "discrimination": max(0.0, uncertainty - calibrated),
        "uncertainty": uncertainty,
    }


def _brier_cost(means: FloatArray, p: FloatArray) -> FloatArray:
    """Mean squared distance of a probability from outcomes with these means."""
    return (p - means) ** 2 + means * (1 - means)


def _log_cost(means: FloatArray, p: FloatArray) -> FloatArray:
    """Mean log loss of a probability for outcomes with these means."""
    # 0 log 0 is 0: certain events that happen cost nothing.
    return np.asarray(-xlogy(means, p) - xlogy(1 - means, 1 - p))


def _murphy(
    outcomes: FloatArray,
    p: FloatArray,
    w: FloatArray,
    codes: Any,
    bias_corrected: bool,
) -> dict[str, Any]:
    """Decompose the Brier loss by bins; the weights must add up to 1."""
    _, group = np.unique(codes, return_inverse=True)
    in_bin = np.bincount(group, w)
    mean_p = np.bincount(group, w * p) / in_bin
    share_in_bin = np.bincount(group, w * outcomes) / in_bin
    share = float(w @ outcomes)
    p_off, outcome_off = p - mean_p[group], outcomes - share_in_bin[group]
    reliability = float(in_bin @ (mean_p - share_in_bin) ** 2)
    resolution = float(in_bin @ (share_in_bin - share) ** 2)
    uncertainty = share * (1 - share)
    if bias_corrected:
        n, count = len(p), np.bincount(group)
        variances = share_in_bin * (1 - share_in_bin) / np.maximum(count - 1, 1)
        of_bins = float(count @ np.where(count > 1, variances, 0.0)) / n
        of_share = uncertainty / max(n - 1, 1)
        reliability -= of_bins
        resolution += of_share - of_bins
        uncertainty += of_share
    return {
        "score": float(w @ _brier_cost(outcomes, p)),
        "miscalibration": reliability,
        "discrimination": resolution,
        "uncertainty": uncertainty,
        "within_bin_variance": float(w @ p_off**2),
        "within_bin_covariance": 2 * float(w @ (outcome_off * p_off)),
        "n_bins": len(in_bin),
    }


def _summed(classes: list[ScoreDecomposition]) -> ScoreDecomposition:
    """Sum the decompositions of the classes."""
    names = [part.name for part in fields(ScoreDecomposition) if part.type is float]
    sums: dict[str, Any] = {name: sum(getattr(c, name) for c in classes) for name in names}
    return ScoreDecomposition(
        **sums, loss=classes[0].loss, method=classes[0].method, classes=tuple(classes)
    )
