"""Tests of one classifier's calibration, and intervals of the events in each bin."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr
from scipy.stats import binom

from skcompare._core.arrays import plain_values, slices_of
from skcompare._core.formatting import format_pvalue
from skcompare._core.validation import (
    alpha_of,
    check_choice,
    check_confidence_level,
    check_count,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence import (
    CalibrationCurve,
    Forecasts,
    PairedCalibration,
    collapse_predictions,
)
from skcompare.stats.core._result import Flagged
from skcompare.stats.core._tails import SMALLEST, blocks_of, bounded, normal_pvalue

DECIMALS = 12
"""Probabilities that agree to this number of decimals are equal up to rounding."""

CHUNK = 1 << 14
"""Records whose terms are computed at a time, few enough for the cache."""

DRAWS_AT_ONCE = 1_000_000
"""Number of outcomes simulated at a time, which bounds the memory."""

SLACK = 1e-12
"""Statistics this close, relative to the greater of them and 1, are equal."""

LEAST_RANGE = 0.25
"""A Brownian motion stays in a smaller range with probability below 1e-33."""


class Walk(NamedTuple):
    """Sorted probabilities with their outcomes, and the ends of blocks of ties.

    `sd` is the standard deviation of the sum of all differences if the probabilities are
    correct.
    """

    proba: FloatArray
    happened: NDArray[np.bool_]
    ends: IntArray
    sd: float

    def statistic(self, outcomes: NDArray[np.bool_], name: str) -> FloatArray:
        """Statistic of each row of outcomes, sorted by probability."""
        sums = np.cumsum(outcomes - self.proba, axis=-1)[..., self.ends]
        # The walk starts at 0.
        high = np.maximum(sums.max(axis=-1), 0.0)
        low = np.minimum(sums.min(axis=-1), 0.0)
        distances = high - low if name == "kuiper" else np.maximum(high, -low)
        return distances / self.sd


def walk_of(proba: FloatArray, happened: NDArray[np.bool_]) -> Walk:
    """Create the walk over the records sorted by probability.

    Equal probabilities are one step, because their order is arbitrary.
    """
    # Doubles that are not negative are in the order of their bits. The outcome as last bit
    # sorts equal probabilities, so that sums do not depend on the order of the records.
    bits = np.sort((proba + 0.0).view(np.int64) * 2 + happened)
    ordered = (bits >> 1).view(np.float64)
    keys = np.round(ordered, DECIMALS)
    ends = np.append(np.flatnonzero(keys[1:] != keys[:-1]), len(keys) - 1)
    sd = math.sqrt(np.sum(ordered * (1 - ordered)))
    return Walk(ordered, (bits & 1).astype(np.bool_), ends, sd)


def simulated_pvalue(
    walk: Walk, name: str, observed: float, n_resamples: int, random_state: int
) -> tuple[float, float]:
    """Share of simulated statistics at least as large as the observed one, and its log."""
    rng = np.random.default_rng(random_state)
    n = len(walk.proba)
    least = observed - SLACK * max(1.0, observed)
    n_as_great = 0
    for rows in blocks_of(n_resamples, max(1, DRAWS_AT_ONCE // n)):
        outcomes = rng.random((rows, n)) < walk.proba
        n_as_great += int(np.count_nonzero(walk.statistic(outcomes, name) >= least))
    pvalue = (1 + n_as_great) / (n_resamples + 1)
    return pvalue, math.log(pvalue)


def brownian_pvalue(name: str, observed: float) -> tuple[float, float]:
    """Tail probability of Brownian motion on [0, 1], and its logarithm.

    It is that of its greatest distance from 0 ("kolmogorov"; the reflection principle) or
    of its range ("kuiper"; Feller 1951, equation 3.7, integrated).
    """
    if observed <= LEAST_RANGE:
        return 1.0, 0.0
    k = np.arange(1, 2 + int(40 / observed))
    if name == "kuiper":
        steps, factors = k, 8.0 * k * (-1.0) ** (k - 1)
    else:
        steps, factors = 2 * k - 1, 4.0 * (-1.0) ** (k - 1)
    # Relative to the first term, so that a far tail keeps its precision.
    logs = log_ndtr(-steps * observed)
    total = float(np.sum(factors * np.exp(logs - logs[0])))
    return bounded(total * ndtr(-observed), math.log(total) + logs[0])


@dataclass(frozen=True, slots=True)
class CalibrationTestResult(Flagged):
    """Result of a test of one classifier's calibration; unpacks to `(statistic, pvalue)`.

    Attributes
    ----------
    name : str
        Name of the test.
    statistic, pvalue, log_pvalue : float
        The natural logarithm stays exact where the p-value is below the smallest double.
    method : str
        Method of the p-value.
    kind : str
        The events that the probabilities are about: "binary", "top_label" or "classwise".
    n : int
        Number of records.
    flags : tuple of str
        Codes of caveats; `caveats` has their texts.
    details : mapping of str to float
        Further numbers.
    """

    name: str
    statistic: float
    pvalue: float
    log_pvalue: float
    method: str
    kind: str
    n: int
    flags: tuple[str, ...] = ()
    details: Mapping[str, float] = field(default_factory=dict)

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    @property
    def degenerate(self) -> bool:
        """Whether the data had no variation to test."""
        return "degenerate" in self.flags

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dictionary of plain values."""
        return plain_values(self)

    def __str__(self) -> str:
        lines = [
            f"{self.name} ({self.method}), {self.kind.replace('_', '-')} probabilities, "
            f"n = {self.n}",
            f"statistic {self.statistic:.4g}, p {format_pvalue(self.pvalue)} for the "
            "hypothesis that events happen as often as their probabilities say",
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])


MOST_SIMULATED = 2000
"""Largest number of records for which method="auto" simulates outcomes."""

Outcome = tuple[tuple[float, float], tuple[str, ...]]
IMPOSSIBLE: Outcome = (SMALLEST, -math.inf), ("impossible-outcome",)
CONSTANT: Outcome = (1.0, 0.0), ("degenerate",)
"""P-values with their flags, of events that cannot be and of sums that cannot vary."""


def spiegelhalter(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    kind: str = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
) -> CalibrationTestResult:
    """Test whether the Brier score equals its expectation under the probabilities.

    The null hypothesis is that each event happens with the stated probability, and
    independently of the others. The statistic is the Brier score minus its expectation,
    over its standard deviation under this hypothesis [1]_. It is also 0 on average for some
    errors: overconfidence where the event is likely can compensate for underconfidence
    elsewhere, which :func:`calibration_cusum` detects.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or one column per class in sorted order.
    kind : {"auto", "binary", "top_label", "classwise"}, default="auto"
        The events: the positive class, the predicted class being the true one, or all
        classes of a record together. "auto" is binary for two classes, and top-label for
        more. Classwise, the variance is that of one class drawn for each record.
    pos_label : label, optional
        The positive class of two; 1 by default, else the second column.
    labels : array-like of shape (n_classes,), optional
        The classes, sorted, where `y_true` may lack some.

    Returns
    -------
    result : CalibrationTestResult
        `statistic` is z; positive where the Brier score is worse than expected, as for
        overconfident classifiers. The p-value is two-sided, by the normal distribution.

    Raises
    ------
    ValueError
        If probabilities or labels are invalid, or an option is unknown.

    Notes
    -----
    Probabilities of 0, 1/2 and 1 imply a Brier score without variation. Where all are of
    this kind and none is refuted, the statistic is 0, p is 1, and the flag is "degenerate".
    A record of probability 0 or 1 with the other outcome refutes the hypothesis by
    itself: p is the smallest double, `log_pvalue` is -inf, and the flag is
    "impossible-outcome", for any statistic.

    References
    ----------
    .. [1] Spiegelhalter, D. J. (1986). "Probabilistic prediction in patient management
       and clinical trials." Statistics in Medicine 5(5), 421-433.

    Examples
    --------
    >>> from skcompare.stats import spiegelhalter
    >>> result = spiegelhalter([1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.7, 0.3, 0.6, 0.15])
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (-1.239, 0.2154)
    """
    event_kind, n_classes, (forecasts,) = collapse_predictions(
        y_true, {"y_proba": y_proba}, kind=kind, pos_label=pos_label, labels=labels
    )
    return spiegelhalter_of(forecasts, event_kind, n_classes)


def calibration_cusum(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    statistic: str = "kuiper",
    method: str = "auto",
    kind: str = "auto",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    n_resamples: int = 9999,
    random_state: int = 0,
) -> CalibrationTestResult:
    """Test calibration by cumulative differences, without bins.

    The null hypothesis is that each event happens with the stated probability, and
    independently of the others. Records are taken in the order of their probabilities,
    and outcomes minus probabilities are summed up: they are a random walk for a calibrated
    classifier, and drift for any other [1]_. Equal probabilities are one step of the walk,
    so that the order of the records does not matter.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities of the positive class, or one column per class in sorted order.
    statistic : {"kuiper", "kolmogorov"}, default="kuiper"
        The range of the walk, or its greatest distance from 0; both over the standard
        deviation of its end.
    method : {"auto", "simulation", "asymptotic"}, default="auto"
        "simulation" draws outcomes from the probabilities; its p-value is exact up to
        simulation error. "asymptotic" is the law of Brownian motion, which is conservative,
        because a walk of few steps has a smaller range. "auto" simulates up to 2000
        records.
    kind : {"auto", "binary", "top_label"}, default="auto"
        The events; "auto" is binary for two classes, and top-label for more. For a class
        among several, pass `y_true == label` and its column.
    pos_label : label, optional
        The positive class of two; 1 by default, else the second column.
    labels : array-like of shape (n_classes,), optional
        The classes, sorted, where `y_true` may lack some.
    n_resamples : int, default=9999
        Number of simulated sets of outcomes.
    random_state : int, default=0
        Seed of the simulation.

    Returns
    -------
    result : CalibrationTestResult
        `statistic` is the range or distance in standard deviations; `details` has
        "error", the same as a share of the records (ECCE-R or ECCE-MAD).

    Raises
    ------
    ValueError
        If probabilities or labels are invalid, or an option is unknown.

    Notes
    -----
    Where all probabilities are 0 or 1 and none is refuted, the statistic is 0, p is 1, and
    the flag is "degenerate". A record of probability 0 or 1 with the other outcome
    refutes the hypothesis by itself: p is the smallest double, `log_pvalue` is -inf, and
    the flag is "impossible-outcome", for any statistic.

    References
    ----------
    .. [1] Arrieta-Ibarra, I., Gujral, P., Tannen, J., Tygert, M. and Xu, C. (2022).
       "Metrics of calibration for probabilistic predictions." Journal of Machine Learning
       Research 23(351), 1-54.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.stats import calibration_cusum
    >>> rng = np.random.default_rng(0)
    >>> proba = rng.random(500)
    >>> calibrated, drifting = rng.random((2, 500)) < [proba, proba**2]
    >>> calibration_cusum(calibrated, proba).pvalue > 0.1
    True
    >>> calibration_cusum(drifting, proba).pvalue
    0.0001
    """
    check_choice("statistic", statistic, ("kuiper", "kolmogorov"))
    check_choice("method", method, ("auto", "simulation", "asymptotic"))
    check_choice("kind", kind, ("auto", "binary", "top_label"))
    check_count("n_resamples", n_resamples)
    event_kind, _, (forecasts,) = collapse_predictions(
        y_true, {"y_proba": y_proba}, kind=kind, pos_label=pos_label, labels=labels
    )
    return cusum_of(forecasts, event_kind, statistic, method, n_resamples, random_state)


def spiegelhalter_of(
    forecasts: Forecasts, kind: str, n_classes: int = 2
) -> CalibrationTestResult:
    """Run Spiegelhalter's test on the events of one classifier."""
    shape = (-1, n_classes if kind == "classwise" else 1)
    proba: FloatArray = forecasts.proba.reshape(shape)
    happened = forecasts.occurred.reshape(shape)
    excess = variance = 0.0
    for rows in slices_of(len(proba), CHUNK):
        own = proba[rows]
        slope: FloatArray = 1 - 2 * own
        excess += float(np.sum((happened[rows] - own) * slope))
        variance += float(np.sum(_variances(own, slope)))
    sd = math.sqrt(variance)
    return spiegelhalter_from(excess, sd, _impossible(forecasts), kind, len(proba))


def spiegelhalter_from(
    excess: float, sd: float, impossible: bool, kind: str, n: int
) -> CalibrationTestResult:
    """Run Spiegelhalter's test on an excess Brier score with its standard deviation."""
    name, method = "Spiegelhalter's test", "asymptotic"
    z = excess / sd if sd > 0 else 0.0
    outcome: Outcome = normal_pvalue(z, "two-sided"), ()
    if impossible:
        z = z if sd > 0 else math.copysign(math.inf, excess)
        outcome = IMPOSSIBLE
    elif sd == 0:
        outcome = CONSTANT
    return CalibrationTestResult(name, z, *outcome[0], method, kind, n, outcome[1])


def cusum_of(
    forecasts: Forecasts,
    kind: str,
    statistic: str = "kuiper",
    method: str = "auto",
    n_resamples: int = 9999,
    random_state: int = 0,
) -> CalibrationTestResult:
    """Run the test of cumulative differences on the events of one classifier."""
    name, n = f"cumulative differences, {statistic}", len(forecasts.proba)
    if method == "auto":
        method = "simulation" if n <= MOST_SIMULATED else "asymptotic"
    walk, impossible = walk_of(*forecasts), _impossible(forecasts)
    observed, details = math.inf if impossible else 0.0, {}
    if walk.sd > 0:
        observed = float(walk.statistic(walk.happened, statistic))
        details = {"error": observed * walk.sd / n}
    tail, flags = IMPOSSIBLE if impossible else CONSTANT
    if walk.sd > 0 and not impossible:
        flags = ()
        if method == "asymptotic":
            tail = brownian_pvalue(statistic, observed)
        else:
            tail = simulated_pvalue(walk, statistic, observed, n_resamples, random_state)
    return CalibrationTestResult(name, observed, *tail, method, kind, n, flags, details)


def _variances(proba: FloatArray, slope: FloatArray) -> FloatArray:
    """Variance of the Brier score of each record, if its probabilities are correct."""
    if proba.shape[1] == 1:
        return np.round(slope[:, 0], DECIMALS) ** 2 * proba[:, 0] * (1 - proba[:, 0])
    # One class of each record happens, so the sum over classes of slope · event takes
    # the value slope_k with probability p_k.
    mean = np.sum(slope * proba, axis=1, keepdims=True)
    # Equal probabilities of all classes imply a score without variation.
    return np.sum(np.round(slope - mean, DECIMALS) ** 2 * proba, axis=1)


def _impossible(forecasts: Forecasts) -> bool:
    """Whether an event of probability 0 occurred, or one of probability 1 did not."""
    proba, happened = forecasts
    if proba.min() > 0 and proba.max() < 1:
        return False
    return bool((np.where(happened, proba, 1 - proba) == 0).any())


ONCE = ("holdout", "kfold")
"""Designs in which no record is predicted twice."""

REACH, MARGIN = 10.0, 40.0
"""Numbers of events farther from the mean than REACH standard deviations plus MARGIN have
a probability below 1e-20, by Bernstein's inequality."""

MOST_TERMS = 1 << 22
"""Largest number of terms of a distribution; beyond it, close probabilities are merged."""

FUZZ = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationConsistency(CalibrationCurve, Flagged):
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

    method: str
    flags: tuple[str, ...] = ()

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Whether each observed share is outside its interval; False in empty bins."""
        # Comparisons with NaN are False.
        return (self.mean_outcome < self.low) | (self.mean_outcome > self.high)


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
    values = {column.name: getattr(curve, column.name) for column in fields(curve)}
    return CalibrationConsistency(
        **values | {"low": low, "high": high},
        method="Poisson-binomial" if kept else "binomial",
        flags=() if independent else ("invalid-design",),
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
        for block in slices_of(len(p), step):
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
