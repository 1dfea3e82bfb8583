"""Consistency intervals of the share of events in each bin of a calibrated classifier."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from skcompare._core.arrays import plain_values
from skcompare._core.flags import explain
from skcompare._core.validation import alpha_of, check_confidence_level
from skcompare._io.columns import frame_from_columns
from skcompare._typing import FloatArray
from skcompare.evidence import PairedCalibration

ONCE = ("holdout", "kfold")
"""Designs in which no record is predicted twice."""

REACH, MARGIN = 10.0, 40.0
"""Numbers of events farther from the mean than REACH standard deviations plus MARGIN have
a probability below 1e-20, by Bernstein's inequality."""

MOST_TERMS = 1 << 22
"""Largest number of terms of a distribution; beyond it, close probabilities are merged."""

FUZZ = 1e-12

COLUMNS = ("left", "right", "count", "mean_proba", "mean_outcome", "low", "high")


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationConsistency:
    """Intervals of the share of events consistent with calibration, for each bin.

    Attributes
    ----------
    left, right : ndarray of shape (n_bins,)
        Edges of the bins.
    count : ndarray of shape (n_bins,)
        Number of records in each bin.
    mean_proba, mean_outcome : ndarray of shape (n_bins,)
        Mean probability, and observed share of events; NaN in empty bins.
    low, high : ndarray of shape (n_bins,)
        Limits of the share of a calibrated classifier: it is below `low`, and above `high`,
        with probability (1 - `confidence_level`) / 2 at most; NaN in empty bins.
    confidence_level : float
        Confidence level of each bin separately.
    method : {"Poisson-binomial", "binomial"}
        The distribution of the number of events.
    flags : tuple of str
        Codes of caveats; `caveats` has their texts.
    """

    left: FloatArray
    right: FloatArray
    count: FloatArray
    mean_proba: FloatArray
    mean_outcome: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float
    method: str
    flags: tuple[str, ...] = ()

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Whether each observed share is outside its interval; False in empty bins."""
        # Comparisons with NaN are False.
        return (self.mean_outcome < self.low) | (self.mean_outcome > self.high)

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags."""
        return explain(self.flags)

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary, with arrays as lists."""
        return plain_values(self)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return a data frame with one row per bin.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.
        """
        columns = {name: getattr(self, name).tolist() for name in COLUMNS}
        return frame_from_columns(columns, backend)


def calibration_consistency(
    calibration: PairedCalibration,
    role: int | str = "challenger",
    *,
    confidence_level: float = 0.95,
) -> CalibrationConsistency:
    """Check the share of events in each bin against that of a calibrated classifier.

    An interval around an observed share, as Wilson's in
    :meth:`PairedCalibration.curve <skcompare.evidence.PairedCalibration.curve>`, is for the
    true share. These intervals, of Bröcker and Smith [1]_, are for the observed share if
    the probabilities of the records in the bin are correct. A share outside is evidence
    that they are not.

    Parameters
    ----------
    calibration : PairedCalibration
        Probabilities, events and bins.
    role : {"champion", "challenger"} or {0, 1}, default="challenger"
        Classifier to check.
    confidence_level : float, default=0.95
        Confidence level of each bin separately. At 95 %, at most one in 20 bins of a
        calibrated classifier is outside on average.

    Returns
    -------
    consistency : CalibrationConsistency
        `low` and `high` are quantiles of the share.

    Notes
    -----
    The number of events in a bin is a sum of events of different probabilities. Its
    distribution, called Poisson-binomial, is computed from its characteristic function
    [2]_. For very many records close probabilities are merged, which changes the
    variance by less than one part in a thousand. For evidence reduced to sums, the mean
    replaces the probabilities in a bin, and the distribution is binomial, which is
    slightly wider.

    Numbers of events are whole, so that a share lies inside with the confidence level or
    more. In a bin of one record the limits are 0 and 1 unless its probability is more
    extreme than the level. Records must not depend on each other: those of groups, and
    those that a resampling design predicts several times, are flagged "invalid-design".

    References
    ----------
    .. [1] Bröcker, J. and Smith, L. A. (2007). "Increasing the reliability of reliability
       diagrams." Weather and Forecasting 22(3), 651-661.
    .. [2] Hong, Y. (2013). "On computing the distribution function for the Poisson
       binomial distribution." Computational Statistics & Data Analysis 59, 41-51.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PairedCalibration
    >>> from skcompare.stats import calibration_consistency
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=1000)
    >>> y = rng.uniform(size=1000) < p
    >>> calibration = PairedCalibration.from_predictions(y, p**2, p, n_bins=5)
    >>> calibration_consistency(calibration, "champion").outside.tolist()
    [True, True, True, True, True]
    >>> calibration_consistency(calibration, "challenger").outside.tolist()
    [False, False, False, False, False]
    """
    level = check_confidence_level(confidence_level)
    curve = calibration.curve(role, level)
    low, high = np.full((2, len(curve.count)), np.nan)
    kept = calibration.cells is None
    if kept:
        index = ("champion", "challenger").index(role) if isinstance(role, str) else role
        order = np.argsort(calibration.codes[index], kind="stable")
        proba = calibration.proba[index][order]
        starts = np.cumsum(np.append(0, curve.count)).astype(np.int64)
    for b in np.flatnonzero(curve.count > 0):
        if kept:
            limits = event_limits(proba[starts[b] : starts[b + 1]], level)
        else:
            # The mean of probabilities of 1 may exceed 1 by rounding.
            mean = min(1.0, float(curve.mean_proba[b]))
            limits = _binomial_limits(int(curve.count[b]), mean, level)
        low[b], high[b] = np.array(limits) / curve.count[b]
    independent = calibration.groups is None and calibration.design.kind in ONCE
    return CalibrationConsistency(
        curve.left,
        curve.right,
        curve.count,
        curve.mean_proba,
        curve.mean_outcome,
        low,
        high,
        level,
        "Poisson-binomial" if kept else "binomial",
        () if independent else ("invalid-design",),
    )


def event_limits(proba: FloatArray, confidence_level: float) -> tuple[int, int]:
    """Equal-tailed quantiles of the number of events with given probabilities."""
    lowest, masses = _masses(proba)
    below = np.cumsum(np.maximum(masses, 0.0))
    tail = alpha_of(confidence_level) / 2
    index = np.searchsorted(below, np.array([tail, 1 - tail]) * below[-1] - FUZZ)
    low, high = np.minimum(index, len(masses) - 1) + lowest
    return int(low), int(high)


def _masses(proba: FloatArray) -> tuple[int, FloatArray]:
    """Smallest likely number of events, and probabilities of the numbers from there on."""
    n, mean = len(proba), math.fsum(proba)
    reach = REACH * math.sqrt(max(0.0, math.fsum(proba * (1 - proba)))) + MARGIN
    lowest = max(0, math.floor(mean - reach))
    size = min(n, math.ceil(mean + reach)) - lowest + 1
    p, times = _merged(np.sort(proba), max(16, 2 * MOST_TERMS // size))
    angles = 2 * np.pi * np.arange(size // 2 + 1) / size
    rotation = np.exp(1j * angles) - 1
    logs = np.zeros(len(angles), dtype=np.complex128)
    # At an angle of pi the factor of p = 1/2, and so the product, is 0.
    with np.errstate(divide="ignore"):
        step = max(1, MOST_TERMS // (4 * len(angles)))
        for start in range(0, len(p), step):
            block = slice(start, start + step)
            factors = 1 + p[block, np.newaxis] * rotation
            sizes = np.log(np.abs(factors))
            logs += times[block] @ sizes + 1j * (times[block] @ np.angle(factors))
    values = np.exp(logs - 1j * angles * lowest)
    return lowest, np.fft.irfft(np.conj(values), n=size)


def _merged(ordered: FloatArray, n_merged: int) -> tuple[FloatArray, FloatArray]:
    """Distinct probabilities with their counts, merged to at most `n_merged`."""
    p, times = np.unique(ordered, return_counts=True)
    if len(p) > n_merged:
        starts = np.unique(np.linspace(0, len(ordered), n_merged + 1).astype(np.int64))
        times = np.diff(starts)
        p = np.minimum(np.add.reduceat(ordered, starts[:-1]) / times, 1.0)
    return p, times.astype(np.float64)


def _binomial_limits(n: int, p: float, confidence_level: float) -> tuple[int, int]:
    tail = alpha_of(confidence_level) / 2
    low, high = binom.ppf([tail, 1 - tail], n, p)
    # The quantile of a certain number of events; scipy's may be one too low at p = 1.
    return (n, n) if p == 1 else (max(0, int(low)), int(high))
