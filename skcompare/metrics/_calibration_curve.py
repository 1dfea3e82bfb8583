"""Calibration curves, and errors with bins that the data choose."""

from typing import Any

import numpy as np

from skcompare._core.array_api import on_host
from skcompare._core.validation import check_choice, check_switches, integral
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence._calibration_errors import (
    NORMS,
    CalibrationBins,
    CalibrationCurve,
)
from skcompare.evidence._calibration_layout import Bins, Layout, codes_in
from skcompare.evidence._calibration_outcomes import collapse_answers
from skcompare.evidence._calibration_sweep import monotone_bins
from skcompare.evidence._device_calibration import device_bins, device_forecasts
from skcompare.metrics._labels import check_weights


def sweep_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    norm: str = "l1",
    kind: str = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
) -> float:
    """Calibration error with a number of bins that the data choose.

    Bins of equal mass are made finer until an observed share falls below that of the bin
    before [1]_, which a score that ranks well does by chance only. This is less biased
    than a fixed number of bins.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or a column a class in sorted order.
    norm : {"l1", "l2", "max"}, default="l1"
        See :func:`expected_calibration_error`.
    kind : {"auto", "binary", "top_label"}, default="auto"
        What the probabilities are of; "auto" is binary for two classes, and top-label for
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

    .. versionadded:: 0.1
    """
    check_choice("norm", norm, NORMS)
    check_choice("kind", kind, ("auto", "binary", "top_label"))
    _, _, (forecasts,) = collapse_answers(
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
    """Observed shares against mean probabilities, with an interval for each bin.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or a column a class in sorted order.
    n_bins, strategy, pos_label, labels
        See :func:`expected_calibration_error`.
    edges : array-like of shape (n_bins + 1,), optional
        Edges from 0 to 1 in place of `n_bins` and `strategy`.
    kind : {"auto", "binary", "top_label"}, default="auto"
        What the probabilities are of; "auto" is binary for two classes, and top-label for
        more. For one of several classes pass `y_true == label` and its column.
    confidence_level : float, default=0.95
        Level of each interval by itself.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; goes with strategy="uniform" and with `edges`. `count` is
        the weight of each bin then, and its interval is that of as many records as have
        the variance of the weighted share [2]_, which are never more than the bin has.

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

    .. versionadded:: 0.1
    """
    check_choice("kind", kind, ("auto", "binary", "top_label"))
    asked = Bins(n_bins, strategy, edges, 1)
    told = y_true, y_proba, asked, kind, pos_label, labels
    bins, (own,) = binned_answers(*told, sample_weight)
    if sample_weight is None:
        return bins.curve(own[:-1], own[1:], confidence_level)
    squares, _ = binned_answers(*told, np.square(on_host(sample_weight), dtype=np.float64))
    effective = np.divide(
        bins.count**2, squares.count, out=np.zeros(len(own) - 1), where=bins.count > 0
    )
    return bins.curve(own[:-1], own[1:], confidence_level, effective)


def binned_answers(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    asked: Bins,
    kind: str,
    pos_label: Any,
    labels: ArrayLike | None,
    sample_weight: ArrayLike | None,
    debiased: bool = False,
) -> tuple[CalibrationBins, Layout]:
    """Sums over the bins that are asked for, and their edges."""
    check_switches(debiased=debiased)
    there = device_forecasts(
        y_true, {"y_proba": y_proba}, kind=kind, pos_label=pos_label, labels=labels
    )
    found = None if there is None else device_bins(there, asked, sample_weight, debiased)
    if found is not None:
        return found
    chosen, n_classes, (forecasts,) = collapse_answers(
        y_true, {"y_proba": y_proba}, kind=kind, pos_label=pos_label, labels=labels
    )
    columns = n_classes if chosen == "classwise" else 1
    proba = forecasts.proba
    weights = None
    if sample_weight is not None:
        weights = np.repeat(
            _weights(proba[::columns], sample_weight, asked, debiased), columns
        )
    layout = Bins(asked.n_bins, asked.strategy, asked.edges, columns).layout(proba, 0)
    codes = codes_in(proba, layout)
    n_bins = sum(len(edges) - 1 for edges in layout)
    return CalibrationBins.of(proba, forecasts.occurred, codes, n_bins, weights), layout


def _weights(
    proba: FloatArray, sample_weight: ArrayLike, asked: Bins, debiased: bool
) -> FloatArray:
    """Weights of the records, where bins and correction do not need their number."""
    weights = check_weights(proba, sample_weight)
    if asked.strategy != "uniform" and asked.edges is None:
        raise ValueError(
            f"`sample_weight` goes with strategy='uniform'. Got {asked.strategy!r}, whose "
            "bins hold equal numbers of records. Leave one of them out."
        )
    if debiased and not integral(weights):
        part = weights[np.trunc(weights) != weights][0]
        raise ValueError(
            "With debiased=True `sample_weight` says how often each record counts, in "
            f"whole numbers. Got {part:.6g}. The correction needs the number of records; "
            "pass debiased=False for other weights."
        )
    return weights
