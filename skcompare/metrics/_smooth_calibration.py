"""Calibration error without bins, by a kernel whose width the error itself chooses."""

import math
from typing import Any

import numpy as np
from scipy.fft import dct, idct
from scipy.optimize import brentq

from skcompare._core.validation import check_choice
from skcompare._registry.metrics import metric
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence._calibration_outcomes import collapse_answers
from skcompare.metrics._labels import check_weights

COARSE, FINE = 1 << 10, 1 << 13
"""Cells of grids on [0, 1]; an error below a fine cell is not told from 0."""

WIDE = 0.02
"""Kernels as wide as this, many coarse cells, do not need the fine grid."""


@metric(
    "smooth_calibration_error",
    response_method="predict_proba",
    greater_is_better=False,
    instead="squared_calibration_error",
)
def smooth_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    kind: str = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Distance of probabilities from observed shares, smoothed instead of binned [1]_.

    Events less probabilities are smoothed along the probabilities by a Gaussian kernel,
    reflected at 0 and 1, and their absolute value is averaged. The width of the kernel is
    the error itself, so that there is nothing to choose, and small changes of the
    probabilities change the error a little only.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or a column a class in sorted order.
    kind : {"auto", "binary", "top_label"}, default="auto"
        What the probabilities are of: the positive class, or the predicted class being
        the true one. "auto" is binary for two classes, and top-label for more.
    pos_label : label, optional
        The positive one of two classes; 1 by default, else the second column.
    labels : array-like of shape (n_classes,), optional
        The classes, sorted, where `y_true` may lack some.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record.

    Returns
    -------
    error : float
        Between 0 and 1; lower is better. An error below 1 / 8192 is not told from 0.

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

    .. versionadded:: 0.1
    """
    check_choice("kind", kind, ("auto", "binary", "top_label"))
    _, _, (forecasts,) = collapse_answers(
        y_true, {"y_proba": y_proba}, kind=kind, pos_label=pos_label, labels=labels
    )
    excess = forecasts.occurred - forecasts.proba
    if sample_weight is None:
        excess /= len(excess)
    else:
        weights = check_weights(excess, sample_weight)
        excess *= weights / weights.sum()
    error = _own_width(forecasts.proba, excess, COARSE)
    return error if error >= WIDE else _own_width(forecasts.proba, excess, FINE)


def _own_width(proba: FloatArray, excess: FloatArray, cells: int) -> float:
    """The smoothed error that is as large as its kernel is wide."""
    waves = dct(_on_grid(proba, excess, cells), type=1)

    def surplus(width: float) -> float:
        return _smoothed(waves, width) - width

    narrowest = 1 / cells
    if surplus(narrowest) <= 0:
        return _smoothed(waves, narrowest)
    return float(brentq(surplus, narrowest, 1.0, xtol=1e-15, rtol=1e-14))


def _on_grid(proba: FloatArray, excess: FloatArray, cells: int) -> FloatArray:
    """Density of the excess at the nodes of the grid; each record is shared by two."""
    at = proba * cells
    below = np.minimum(at.astype(np.intp), cells - 1)
    above = excess * (at - below)
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
