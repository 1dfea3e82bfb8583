"""Diebold and Mariano's test of two forecasts, with fixed-smoothing variances."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from skcompare._core.validation import alpha_of, check_count
from skcompare._registry.tests import ANY_LOSS, ANY_SCORE, paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import OrderedDifferences
from skcompare.stats.core._limits import Limits, Pair, Wald, one_sided, studentised
from skcompare.stats.core._power import Aim, planned, smallest, t_power
from skcompare.stats.core._result import PairedResult, tested_result
from skcompare.stats.core._tails import bounded, each_tail, outward
from skcompare.stats.losses._paired_t import loss_title
from skcompare.stats.time._long_run_variance import (
    FEWEST_COSINES,
    GROWTH,
    FixedBandwidth,
    Smoothing,
    autocovariance,
    bartlett_variance,
    chosen_smoothing,
    cosines_at,
    periodogram_variance,
    squared_cosines,
)
from skcompare.stats.time._turns import takes_few_turns

FEWEST_HORIZONS = 8
"""Smallest number of horizons in the series."""

LARGEST_BIAS_OF_FEWEST = 0.2
"""Expected share by which the variance by the fewest cosines may be too small.

Above it the records are alike for so long that hardly any are independent. Chosen by
``benchmarks/validity/time/diebold_mariano.py``.
"""

FEW_TIMES = 1000
"""Number of time points below which dependence may hide under noise.

A persistent part of a few per cent of the variance decides the error of the mean, but
hardly shows in the cosines, so that no rule by the data alone distinguishes it from
unrelated records (Pötscher, 2002, on spectra at frequency 0). From here on the losses of
``benchmarks/validity/time/diebold_mariano.py`` keep the level up to a correlation of 0.98.
"""

ROUNDING = 2.0**-44
"""Relative distance from the mean difference up to which it is a rounding error."""

NARROWEST_BARTLETT = 0.02
"""Smallest bandwidth of Bartlett weights, as a share of the time points."""

Method = Literal["ewc", "wpe", "newey-west", "hln"]


class LongRun(NamedTuple):
    """Long-run variance of a series, and the reference distribution of its mean.

    Attributes
    ----------
    variance : float
        The variance of the sum of the series over the number of time points.
    df : float or None
        Degrees of freedom of Student's t; None where `reference` is another one.
    details : dict of str to float
        How it was estimated.
    reference : FixedBandwidth or None
        Distribution for a bandwidth that is a share of the series.
    """

    variance: float
    df: float | None
    details: dict[str, float]
    reference: FixedBandwidth | None = None


def check_length(ordered: OrderedDifferences, test: str) -> None:
    """Raise an error if the time points are few for the horizon."""
    needed = FEWEST_HORIZONS * ordered.horizon
    if ordered.n_times < needed:
        raise ValueError(
            f"{test} needs at least {needed} time points, {FEWEST_HORIZONS} for each step "
            f"of the horizon of {ordered.horizon}. Got {ordered.n_times}. Collect records "
            "over a longer time, or compare forecasts fewer steps ahead."
        )


def centred_or_zero(ordered: OrderedDifferences) -> FloatArray:
    """Distances from the mean difference, or zeros if all are only rounding errors."""
    values = ordered.centred
    largest, size = _largest(values), _largest(ordered.sums)
    return np.zeros_like(values) if largest <= ROUNDING * size else values


def _largest(values: FloatArray) -> float:
    """Largest size of a value, without an array of the sizes."""
    return max(float(values.max()), -float(values.min()))


def by_cosines(
    values: FloatArray, horizon: int, number: int | None = None
) -> tuple[LongRun, Smoothing | None]:
    """Mean of squared cosine transforms, over 1 minus the allowance for its bias."""
    if number is not None:
        variance = float(squared_cosines(values)[:number].mean())
        return LongRun(variance, number, {"n_cosines": float(number)}), None
    squares = squared_cosines(values)
    smoothing = chosen_smoothing(squares, horizon)
    variance = float(squares[: smoothing.number].mean()) / (1 - smoothing.allowance)
    details = {"n_cosines": float(smoothing.number), "expected_bias": smoothing.bias}
    return LongRun(variance, smoothing.number, details), smoothing


def by_periodogram(
    values: FloatArray, horizon: int, number: int | None = None
) -> tuple[LongRun, Smoothing | None]:
    """Mean of the first ordinates of the periodogram, half as many as cosines."""
    smoothing = None
    if number is None:
        smoothing = chosen_smoothing(squared_cosines(values), horizon)
    allowance = smoothing.allowance if smoothing else 0.0
    m = (smoothing.number if smoothing else check_count("n_cosines", number)) // 2
    variance = periodogram_variance(values, m) / (1 - allowance)
    return LongRun(variance, 2 * m, {"n_frequencies": float(m)}), smoothing


def by_bartlett(
    values: FloatArray, horizon: int, number: int | None = None
) -> tuple[LongRun, Smoothing | None]:
    """Newey and West's variance, with about as many degrees of freedom as cosines.

    A bandwidth of a share b of all lags has about 3 / (2 b) degrees of freedom.
    """
    smoothing, n = None, len(values)
    if number is None:
        smoothing = chosen_smoothing(squared_cosines(values), horizon)
    share = 1.5 / (smoothing.number if smoothing else number or 1)
    bandwidth = max(horizon, math.ceil(max(share, NARROWEST_BARTLETT) * n))
    reference = FixedBandwidth.bartlett(min(1.0, bandwidth / n))
    variance = bartlett_variance(values, min(n, bandwidth))
    return LongRun(variance, None, {"bandwidth": float(bandwidth)}, reference), smoothing


def by_truncation(
    values: FloatArray, horizon: int, number: int | None = None
) -> tuple[LongRun, Smoothing | None]:
    """Autocovariances of lags below the horizon, with Harvey and others' correction.

    Equation (9) of Harvey, Leybourne and Newbold (1997): the statistic is multiplied by
    the root of (n + 1 - 2 h + h (h - 1) / n) / n, and compared with t of n - 1 degrees.
    """
    n, h = len(values), horizon
    smoothing = chosen_smoothing(squared_cosines(values), horizon)
    variance = autocovariance(values, 0)
    variance += 2 * sum(autocovariance(values, lag) for lag in range(1, h))
    if variance <= 0:
        raise ValueError(
            "The variance of method='hln' is the sum of the autocovariances of lags below "
            f"the horizon. Got {variance:.3g}, which is not positive. Use method='ewc'."
        )
    variance *= n / (n + 1 - 2 * h + h * (h - 1) / n)
    return LongRun(variance, n - 1, {"bandwidth": float(h)}), smoothing


ESTIMATES: dict[str, tuple[str, Callable[..., tuple[LongRun, Smoothing | None]]]] = {
    "ewc": ("Student's t, equal-weighted cosines", by_cosines),
    "wpe": ("Student's t, weighted periodogram", by_periodogram),
    "newey-west": ("fixed-b, Bartlett weights", by_bartlett),
    "hln": ("Student's t, Harvey-Leybourne-Newbold", by_truncation),
}
"""Description and variance of each method."""


@dataclass(frozen=True, slots=True)
class FixedWald:
    """Estimate with its standard error and the reference of a fixed bandwidth."""

    estimate: float
    error: float
    reference: FixedBandwidth = field(repr=False)

    def limits(self, confidence_level: float, alternative: str) -> Pair:
        """Confidence limits at a quantile of the reference times the standard error."""
        tail = each_tail(alpha_of(confidence_level), alternative)
        sign = 1 if tail <= 0.5 else -1
        reach = sign * self.reference.quantile(min(tail, 1 - tail)) * self.error
        low, high = self.estimate - reach, self.estimate + reach
        return one_sided(low, high, alternative, (-math.inf, math.inf))

    def fields(self, alternative: str) -> dict[str, Any]:
        """Arguments for the result of the test."""
        statistic = self.estimate / self.error
        log_pvalue = self.reference.log_pvalue(statistic)
        if alternative != "two-sided":
            # The reference is symmetric.
            half = log_pvalue - math.log(2)
            beyond = (statistic > 0) == (alternative == "greater")
            log_pvalue = half if beyond else math.log1p(-math.exp(half))
        limits: Limits = self.limits
        return {
            "tested": (statistic, bounded(math.exp(log_pvalue), log_pvalue), ()),
            "df": None,
            "estimate": self.estimate,
            "limits": limits,
        }


def span_of(ordered: OrderedDifferences) -> int:
    """Horizon for the number of cosines, of which each training allows at most one.

    Where training windows slide, differences within a test set have the chance of one
    training in common, and those of others do not. Windows that expand share it. All tests
    that average cosines count by it.
    """
    design, horizon = ordered.design, ordered.horizon
    if design.window != "sliding":
        return horizon
    most = max(FEWEST_COSINES, design.n_splits)
    return max(horizon, math.ceil(ordered.n_times / (2 * most)))


def mean_in_time(ordered: OrderedDifferences, **options: Any) -> Wald:
    """Mean difference with its standard error by cosines."""
    values = centred_or_zero(ordered)
    if not values.any():
        return Wald(ordered.estimate, 0.0, None)
    long_run, _ = by_cosines(values, span_of(ordered), options.get("n_cosines"))
    return Wald(ordered.estimate, _error(long_run, ordered), long_run.df)


ALLOWED = 0.1
"""Share by which the test takes the variance for larger, to allow for its bias.

It depends on the series; about this is the mean that
``benchmarks/validity/planning/time_plans.py`` finds.
"""


class TimeSpread(NamedTuple):
    """Variation of the mean differences of time points.

    Attributes
    ----------
    deviation : float
        Standard deviation from one time point to the next, of a point with the mean number
        of records.
    inflation : float
        Long-run variance over that of independent time points, at least 1.
    n_cosines : float
        Number of cosines, the degrees of freedom of the long-run variance.
    most_cosines : float
        Number of cosines per time point, if the dependence and not their largest number
        has decided it; else 1.
    """

    deviation: float
    inflation: float
    n_cosines: float
    most_cosines: float

    def worth(self, times: float) -> float:
        """Number of unrelated time points that some time points are worth."""
        return times * (1 - ALLOWED) / self.inflation

    def likely_cosines(self, times: float, horizon: int) -> float:
        """Number of cosines that the test is likely to choose for some time points."""
        likely = cosines_at(times, self.inflation, horizon)
        return max(min(likely, self.most_cosines * times), FEWEST_COSINES)


@dataclass(frozen=True, slots=True)
class GainInTime:
    """Mean difference of a series, of whose variance there are few degrees of freedom."""

    difference: float
    spread: TimeSpread
    horizon: int
    per_time: float

    def sample_size(self, n: float, aim: Aim) -> float:
        """Return the number of records required, as :func:`plan_time_comparison` does."""
        size, deviation = outward(self.difference, aim.alternative), self.spread.deviation
        if size <= 0 or deviation == 0:
            return math.inf if size <= 0 else 0.0

        def is_enough(times: float) -> bool:
            effect = size * math.sqrt(self.spread.worth(times)) / deviation
            df = self.spread.likely_cosines(times, self.horizon)
            return t_power(effect, df, aim.tail) >= aim.power

        return smallest(is_enough, 16) * self.per_time


def gain_in_time(ordered: OrderedDifferences, **options: Any) -> GainInTime | Wald:
    """Mean difference of the test with the number of cosines that it chooses itself."""
    if options.get("n_cosines") is not None or options.get("method", "ewc") != "ewc":
        return mean_in_time(ordered, **options)
    per_time = ordered.n / ordered.n_times
    return GainInTime(ordered.estimate, spread_in_time(ordered), span_of(ordered), per_time)


def spread_in_time(ordered: OrderedDifferences) -> TimeSpread:
    """Variation of the differences of a series, with an estimate in place of a safe limit.

    The test divides the variance by 1 minus an allowance for its bias and the uncertainty
    of it; here it is divided by 1 minus the expected bias alone.
    """
    values = centred_or_zero(ordered)
    n, per_time = len(values), ordered.n / ordered.n_times
    squares = float(values @ values)
    if squares == 0:
        return TimeSpread(0.0, 1.0, math.inf, 1.0)
    long_run, smoothing = by_cosines(values, span_of(ordered))
    variance = long_run.variance
    if smoothing is not None:
        variance *= (1 - smoothing.allowance) / (1 - smoothing.bias)
    deviation = math.sqrt(squares / (n - 1)) / per_time
    inflation, number = max(1.0, variance * n / squares), long_run.details["n_cosines"]
    # Numbers of cosines come in steps of a fifth.
    is_largest = GROWTH * number >= cosines_at(n, 1.0, span_of(ordered))
    return TimeSpread(deviation, inflation, number, 1.0 if is_largest else number / n)


def _error(long_run: LongRun, ordered: OrderedDifferences) -> float:
    return math.sqrt(long_run.variance * ordered.n_times) / ordered.n


def time_flags(ordered: OrderedDifferences, smoothing: Smoothing | None) -> tuple[str, ...]:
    """Flag for records that are alike for long, or whose number would not show it."""
    few = smoothing is not None and smoothing.bias_of_fewest > LARGEST_BIAS_OF_FEWEST
    if few or takes_few_turns(ordered.sums):
        return ("too-few-independent-times",)
    return ("few-times",) * (ordered.n_times < FEW_TIMES)


@paired_test(
    title="Diebold-Mariano test",
    measures=(ANY_LOSS, ANY_SCORE),
    designs=(
        "time-ordered holdout",
        "grouped time-ordered holdout",
        "time ordered",
        "grouped time ordered",
    ),
    inference="models",
    references=(
        "Diebold1995",
        "Giacomini2006",
        "Lazarus2018",
        "Coroneo2020",
        "Kiefer2005",
        "Harvey1997",
        "Driscoll1998",
    ),
    sample_size=planned(gain_in_time),
    preferred=True,
)
def diebold_mariano(
    ordered: OrderedDifferences,
    *,
    method: Method = "ewc",
    alternative: Alternative = "two-sided",
    n_cosines: int | None = None,
) -> PairedResult:
    """Compare two models on records in time order by Diebold and Mariano's test.

    The null hypothesis is that the two trained models have the same expected loss over the
    time that the records cover, whatever the dependence of records on earlier ones, as long
    as it fades [1]_. The variance of the mean difference is estimated from a few averages
    over long stretches of time, and the reference distribution allows for their number, so
    that the test also holds its level in short series.

    For splits in time order, such as those of
    :class:`~sklearn.model_selection.TimeSeriesSplit`, the null hypothesis is about two
    forecasting methods: that the models as they were trained along the series, including
    the randomness of their training, have the same expected loss [7]_.

    Parameters
    ----------
    ordered : OrderedDifferences
        Differences of a hold-out set in time order, or of a score by influences.
    method : {"ewc", "wpe", "newey-west", "hln"}, default="ewc"
        The variance. "ewc" is the mean of squared cosine transforms, with Student's t [2]_;
        "wpe" the mean of the first ordinates of the periodogram, with Student's t [3]_;
        "newey-west" has Bartlett weights, with Kiefer and Vogelsang's distribution [4]_;
        "hln" adds autocovariances below the horizon, with the correction of [5]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    n_cosines : int, optional
        Number of cosines, or degrees of freedom, at least 2. By default chosen from the
        data, see the notes.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, where positive favours the challenger, and
        `statistic` this over its standard error. `details` has the standard error, the
        number of time points, the number of cosines, the expected share by which these
        underestimate the variance (`expected_bias`), and the long-run variance over that
        of independent records (`variance_inflation`).

    Raises
    ------
    ValueError
        If there are fewer than 8 time points for each step of the horizon.

    Notes
    -----
    With d_t the sum of the distances from the mean difference over the records of time
    point t, T time points and n records, the transforms and the variance of the mean are::

        L_j = sqrt(2 / T)  sum over t of  d_t cos(pi j (t - 1/2) / T)
        variance = T / n²  mean over j = 1 ... B of  L_j²  /  (1 - allowance)

    Few cosines B hold the level under long-range dependence, and many have more power: t
    with 4 degrees of freedom has a power of 57 % if the known variance has 80 %. The usual
    rule of 0.4 T^(2/3) cosines rejects equal models in up to 21 % of series of 500 records
    with an autocorrelation of 0.95. Here B is the largest number, from 4 to 0.4 T^(2/3) and
    at most half of the horizons in the series, whose expected bias is at most 5 %. To
    estimate it, the squares of all transforms, in bins of neighbouring frequencies, are
    compared with spectra that are flat or have a peak at 0 like that of an autoregression
    plus noise, of any width and height; a flat one has half of the prior weight. Each is
    weighted by its Whittle likelihood, to the power of 0.4, and the bias is the weighted
    mean of theirs. The mean difference is independent of the other transforms in large
    samples, so the choice depends only on the denominator of t. Seasons are lines in the
    spectrum, which medians within bins ignore. The allowance is the expected bias plus its
    standard deviation over these spectra; a number that is given by `n_cosines` has none.

    Measured by ``benchmarks/validity/time/diebold_mariano.py`` at alpha 0.05 with 60 to
    2000 records, autocorrelations rho of 0 to 0.95 and n (1 - rho) / (1 + rho) of at least
    13: equal models are rejected in 2.6 to 6.0 % of series (standard error 0.4 %), of 0/1,
    Brier, log, absolute and squared losses and of AUCs. Series with a season, or with a
    weekly dependence, reach 6.3 %, and so do losses of which one is more skewed (standard
    error 0.1 %). With Bartlett weights it is up to 9 %, and by "hln" up to 76 %. For a
    difference with a power of 80 % at known variance, the power is 57 % in series of 60
    independent records, 66 % of 120, 68 % of 510 and 71 % of 2000; with rho of 0.8 it is
    55 % with 250 and 78 % with 2000. Where n (1 - rho) / (1 + rho) is smaller, the flag
    "too-few-independent-times" leaves at most 7 % of series of normal and 0/1 losses, up
    to a rho of 0.98, that are rejected without it (standard error 0.4 %). From 13 on it
    marks at most 9 % of normal series and 13 % of 0/1 losses. If a model is better in 19 of
    20 records that differ, which are independent, it marks 75 % of series of 24 such
    records, and 14 % of 100: these may be long runs.

    It is no help where noise hides the dependence: up to 16 % of series of Brier and log
    losses, and 27 % of AUCs, are rejected. No rule by the data can prevent this: a spectrum
    cannot be bounded at frequency 0 without limits to its slope [8]_. All other series of
    fewer than 1000 time points are therefore flagged "few-times". From 1000 on up to 7 %
    are rejected at a rho of 0.98, and 8 % if 3 % of the variance drift under normal noise;
    at 0.99, where 5 of 1000 records are independent, 8 % and 12 %.

    Records whose dependence lasts so long that even 4 cosines are expected to miss more
    than 20 % of the variance are flagged "too-few-independent-times". So are those whose
    differences have few runs of signs: fewer than 11 times are then probably independent,
    if the signs of equal models are a Markov chain of two states. Up to 5 records that
    differ are no evidence of either. "hln" rejects too often where dependence lasts longer
    than the horizon, and is flagged "correlated-beyond-horizon" where the variance by
    cosines is more than 1.2 times its own; with a variance that is not positive it is an
    error. Only the order of times counts, not their distances.

    Records of several series (stores, sensors) are added up at each time point, which
    allows for any dependence between the series [6]_. The conclusion is then about these
    series, at other times; :func:`two_way_t` is about such series.

    Models that are retrained along the series are compared by the predictions of all test
    sets, as one series. This tests methods with the windows that they were trained on, and
    not the models in the population: with windows of limited length, `max_train_size`, the
    randomness of training remains in the losses, as [7]_ assumes, while expanding windows
    reduce it over time, so that the test is an approximation (:func:`clark_west` is about
    the population). The horizon is by default 1 more than the gap between training and test
    sets, because records that are not yet known, or that overlap, are omitted there. With
    sliding windows each training affects only its own test set, so there are at most as
    many cosines as trainings, and at least 4. ``benchmarks/validity/time/splits.py``
    measures two equally good methods, trained 5 times: they are rejected in 1.2 to 4.8 % of
    series with expanding windows, and in 2.0 to 6.6 % with sliding ones (standard error 1.1
    %).

    Equal forecasts have the statistic 0 and p = 1, flagged "degenerate". A constant
    difference that is not 0 has no p-value, flagged "zero-variance".

    References
    ----------
    .. [1] Diebold, F. X. and Mariano, R. S. (1995). "Comparing predictive accuracy."
       Journal of Business & Economic Statistics 13(3), 253-263.
    .. [2] Lazarus, E., Lewis, D. J., Stock, J. H. and Watson, M. W. (2018). "HAR inference:
       recommendations for practice." Journal of Business & Economic Statistics 36(4),
       541-559, equations (3) and (4).
    .. [3] Coroneo, L. and Iacone, F. (2020). "Comparing predictive accuracy in small
       samples using fixed-smoothing asymptotics." Journal of Applied Econometrics 35(4),
       391-409.
    .. [4] Kiefer, N. M. and Vogelsang, T. J. (2005). "A new asymptotic theory for
       heteroskedasticity-autocorrelation robust tests." Econometric Theory 21(6),
       1130-1164.
    .. [5] Harvey, D., Leybourne, S. and Newbold, P. (1997). "Testing the equality of
       prediction mean squared errors." International Journal of Forecasting 13(2), 281-291.
    .. [6] Driscoll, J. C. and Kraay, A. C. (1998). "Consistent covariance matrix estimation
       with spatially dependent panel data." Review of Economics and Statistics 80(4),
       549-560.
    .. [7] Giacomini, R. and White, H. (2006). "Tests of conditional predictive ability."
       Econometrica 74(6), 1545-1578.
    .. [8] Pötscher, B. M. (2002). "Lower risk bounds and properties of confidence sets for
       ill-posed estimation problems with applications to spectral density and persistence
       estimation, unit roots, and long memory parameters." Econometrica 70(3), 1035-1065.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import OrderedDifferences
    >>> from skcompare.stats import diebold_mariano
    >>> rng = np.random.default_rng(0)
    >>> y = np.cumsum(rng.normal(size=200)) / 4
    >>> champion, challenger = np.roll(y, 2), np.roll(y, 1)
    >>> ordered = OrderedDifferences.from_losses(
    ...     np.abs(y - champion)[2:], np.abs(y - challenger)[2:], loss="absolute_error"
    ... )
    >>> result = diebold_mariano(ordered)
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.estimate:.3f} [{low:.3f}, {high:.3f}], p = {result.pvalue:.2g}")
    0.091 [0.068, 0.114], p = 9.9e-07
    """
    check_length(ordered, "diebold_mariano")
    if n_cosines is not None:
        check_count("n_cosines", n_cosines, least=2)
        if n_cosines >= ordered.n_times / 2:
            raise ValueError(
                "`n_cosines` must be below half of the time points, "
                f"{ordered.n_times / 2:g}. Got {n_cosines}. Leave it out to have it chosen."
            )
    values = centred_or_zero(ordered)
    title, estimate_variance = ESTIMATES[method]
    details = {"n_times": float(ordered.n_times)}
    if not values.any():
        tested = studentised(ordered.estimate, 0.0, None, alternative)
        limits = Wald(ordered.estimate, 0.0).limits_beyond(0.0)
        return time_result(
            ordered,
            tested=tested,
            estimate=ordered.estimate,
            limits=limits,
            method=title,
            details=details,
        )
    span = ordered.horizon if method == "hln" else span_of(ordered)
    long_run, smoothing = estimate_variance(values, span, n_cosines)
    error = _error(long_run, ordered)
    inflation = long_run.variance * len(values) / float(values @ values)
    flags = time_flags(ordered, smoothing)
    if method == "hln":
        wide, _ = by_cosines(values, ordered.horizon)
        flags += ("correlated-beyond-horizon",) * (wide.variance > 1.2 * long_run.variance)
    return time_result(
        ordered,
        **_wald(ordered, error, long_run).fields(alternative),
        method=title,
        flags=flags,
        details=details | long_run.details | {"se": error, "variance_inflation": inflation},
    )


def _wald(ordered: OrderedDifferences, error: float, long_run: LongRun) -> Wald | FixedWald:
    if long_run.reference is None:
        return Wald(ordered.estimate, error, long_run.df)
    return FixedWald(ordered.estimate, error, long_run.reference)


def time_result(
    ordered: OrderedDifferences,
    *,
    tested: Any,
    flags: tuple[str, ...] = (),
    **fields: Any,
) -> PairedResult:
    """Result of a test of differences in time order."""
    measure = ordered.measure
    name = f"gain in mean {loss_title(measure)}"
    if ordered.by_influence:
        name = f"difference of {measure}"
    return tested_result(
        tested,
        estimate_name=name,
        roles=ordered.means,
        greater_is_better=ordered.greater_is_better,
        flags=flags,
        **fields,
    )
