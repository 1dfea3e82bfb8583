"""Giacomini and Rossi's fluctuation test: the difference over time, with a band."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from skcompare._core.validation import (
    alpha_of,
    check_confidence_level,
    check_count,
    is_number,
)
from skcompare._io.columns import frame_from_columns
from skcompare._registry.tests import takes_evidence
from skcompare._typing import FloatArray
from skcompare.evidence import OrderedDifferences
from skcompare.stats.core._result import Flagged
from skcompare.stats.time._diebold_mariano import centred_or_zero, check_length, span_of
from skcompare.stats.time._long_run_variance import (
    CAP,
    CAP_POWER,
    FEWEST_COSINES,
    bias_of_band,
    squared_cosines,
)
from skcompare.stats.time._turns import takes_few_turns

MOST_COSINES = 16
"""Largest number of cosines for the variance."""

LARGEST_BIAS, LARGEST_ALLOWANCE = 0.5, 0.6
"""Largest expected bias without a flag, and largest share that is allowed for.

Long series of models that take turns look as if they were alike for very long.
"""

STEPS = 400
"""Largest number of time points of the series that are drawn."""

AT_A_TIME = 500
"""Series that are drawn at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Fluctuation(Flagged):
    """Mean difference in a window that moves over time.

    Attributes
    ----------
    statistic, pvalue : float
        Largest distance of a mean from 0 in standard errors, and its p-value.
    starts, stops : ndarray of shape (n_windows,)
        First time point of each window, and the one after the last.
    gains : ndarray of shape (n_windows,)
        Mean difference in each window; positive favours the challenger.
    error : float
        Standard error of the mean of a window of average size.
    window : int
        Time points of a window.
    n : int
        Number of time points.
    flags : tuple of str
        Codes of caveats.
    """

    statistic: float
    pvalue: float
    starts: np.ndarray
    stops: np.ndarray
    gains: FloatArray
    error: float
    window: int
    n: int
    largest: FloatArray
    flags: tuple[str, ...] = ()

    def band(self, confidence_level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Limits that hold 0 at all times at once, if the models are always equal."""
        alpha = alpha_of(check_confidence_level(confidence_level))
        # The smallest value with a p-value of at most alpha.
        rank = math.floor(alpha * (len(self.largest) + 1))
        critical = math.inf if rank < 1 else float(self.largest[-rank])
        reach = critical * self.error if self.error else 0.0
        return self.gains - reach, self.gains + reach

    def frame(self, backend: str = "pandas", confidence_level: float = 0.95) -> Any:
        """Return one row per window: its time points, mean difference and limits."""
        low, high = self.band(confidence_level)
        columns: dict[str, Any] = {
            "start": self.starts,
            "stop": self.stops,
            "gain": self.gains,
            "low": low,
            "high": high,
        }
        return frame_from_columns(columns, backend)


@takes_evidence
def fluctuation(
    ordered: OrderedDifferences,
    *,
    window: float = 0.3,
    n_resamples: int = 9999,
    random_state: int = 0,
) -> Fluctuation:
    """Test whether two models are equal at all times, and show when they are not.

    The null hypothesis is that the expected losses of both models are equal at each time
    point [1]_. Two models of which one is better at first and the other later may be equal
    on average, and this test rejects their equality.

    Parameters
    ----------
    ordered : OrderedDifferences
        Differences in time order.
    window : float, default=0.3
        Share of the time points in a window, between 0 and 1.
    n_resamples : int, default=9999
        Number of random series for the p-value and the band.
    random_state : int, default=0
        Seed of these.

    Returns
    -------
    result : Fluctuation
        Mean difference in each window, a band, and the p-value.

    Raises
    ------
    ValueError
        If there are fewer than 8 time points for each step of the horizon, or a window has
        fewer than 2.

    Notes
    -----
    The means of windows of m time points are divided by the root of the long-run variance
    over m, and the statistic is the largest of them. Models that take turns to be better
    look like slow dependence, so that the variance is the mean of up to 16 squared cosine
    transforms whose half period is at most half of a window. It is divided by 1 minus an
    allowance for its bias, see :func:`diebold_mariano`, which these and faster transforms
    tell. Where the dependence lasts for more than a small part of a window, the test has
    little power, and is flagged "too-few-independent-times" if more than half of the
    variance is expected to be missing, if differences have few runs of signs, or if windows
    slide over fewer trainings than cosines. Equal models are rejected in 1 to 4 % of
    series, and in 6.7 % of 500 records with a disagreement in 0/1 losses whose
    autocorrelation is 0.95 (standard error 0.6 %), by
    ``benchmarks/validity/time/conditional.py``. The distribution of the statistic
    is that of random series whose variance is estimated in the same way; with a known
    variance the quantiles are those of table 1 of [1]_. Equal forecasts have p = 1,
    flagged "degenerate", and constant differences an undefined p, flagged "zero-variance".

    References
    ----------
    .. [1] Giacomini, R. and Rossi, B. (2010). "Forecast comparisons in unstable
       environments." Journal of Applied Econometrics 25(4), 595-620.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import OrderedDifferences
    >>> from skcompare.stats import diebold_mariano, fluctuation
    >>> rng = np.random.default_rng(0)
    >>> gains = np.repeat([0.5, -0.5], 200) + rng.normal(size=400)
    >>> ordered = OrderedDifferences.from_differences(gains)
    >>> result = fluctuation(ordered)
    >>> print(f"on average p = {diebold_mariano(ordered).pvalue:.2f}")
    on average p = 0.92
    >>> print(f"at all times p = {result.pvalue:.4f}")
    at all times p = 0.0003
    """
    check_length(ordered, "fluctuation")
    check_count("n_resamples", n_resamples)
    n = ordered.n_times
    if not is_number(window) or not 2 / n <= window < 1:
        raise ValueError(
            f"`window` must be a share of the {n} time points below 1, of at least 2. Got "
            f"{window!r}."
        )
    size = max(2, round(window * n))
    starts = np.arange(n - size + 1)
    scale = n / ordered.n
    gains = _sums(ordered.sums[np.newaxis] * scale, size)[0] / size
    fields = {"starts": starts, "stops": starts + size, "gains": gains, "window": size}
    values = centred_or_zero(ordered)
    if not values.any():
        equal = ordered.estimate == 0
        flag, none = "degenerate" if equal else "zero-variance", np.zeros(n_resamples)
        tested = (0.0, 1.0) if equal else (math.inf, math.nan)
        return Fluctuation(*tested, **fields, error=0.0, n=n, largest=none, flags=(flag,))
    squares = squared_cosines(values)
    first, number = _band(n, span_of(ordered), window)
    bias, allowance = bias_of_band(squares, first, number)
    variance = float(squares[first - 1 : first - 1 + number].mean())
    variance /= 1 - min(allowance, LARGEST_ALLOWANCE)
    error = scale * math.sqrt(variance / size)
    statistic = float(np.abs(gains).max()) / error
    steps = min(n, STEPS)
    width = max(2, round(window * steps))
    largest = _largest(steps, width, first, number, n_resamples, random_state)
    pvalue = (1 + int((largest >= statistic).sum())) / (1 + n_resamples)
    return Fluctuation(
        statistic,
        pvalue,
        **fields,
        error=error,
        n=n,
        largest=largest,
        flags=_flags(ordered, bias, first + number),
    )


def _flags(ordered: OrderedDifferences, bias: float, end: int) -> tuple[str, ...]:
    """Flag for records, or trainings on sliding windows, few of which are independent."""
    design = ordered.design
    few = design.window == "sliding" and design.n_splits < end - 1
    few = few or bias > LARGEST_BIAS or takes_few_turns(ordered.sums)
    return ("too-few-independent-times",) * few


def _band(n: int, horizon: int, window: float) -> tuple[int, int]:
    """First of the cosines for the variance, and their number."""
    first = min(math.ceil(2 / window), n // 2 - FEWEST_COSINES)
    number = min(MOST_COSINES, int(CAP * n**CAP_POWER), n // (2 * horizon) - first)
    return first, max(FEWEST_COSINES, number)


def _sums(values: FloatArray, size: int) -> FloatArray:
    """Sums of all windows of a size, in each row."""
    total = np.cumsum(values, axis=1)
    sums = total[:, size - 1 :].copy()
    sums[:, 1:] -= total[:, :-size]
    return sums


@lru_cache(maxsize=8)
def _largest(
    steps: int, size: int, first: int, number: int, draws: int, seed: int
) -> FloatArray:
    """Sorted largest means of windows of normal series, in estimated standard errors.

    0 cosines stand for a known variance.
    """
    rng = np.random.default_rng(seed)
    angles = np.pi / steps * (np.arange(steps) + 0.5)
    cosines = np.sqrt(2 / steps) * np.cos(
        np.arange(first, first + number) * angles[:, np.newaxis]
    )
    maxima = []
    for start in range(0, draws, AT_A_TIME):
        series = rng.standard_normal((min(AT_A_TIME, draws - start), steps))
        error = np.sqrt(np.mean((series @ cosines) ** 2, axis=1)) if number else 1.0
        largest = np.abs(_sums(series, size)).max(axis=1) / math.sqrt(size)
        maxima.append(largest / error)
    values = np.sort(np.concatenate(maxima))
    values.setflags(write=False)
    return values
