"""Test of the difference of two calibration errors on one test set."""

import math
from functools import partial
from typing import Any, Literal, NamedTuple

from scipy.special import ndtri

from skcompare._core.validation import alpha_of, check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ROLES, CalibrationBins, Forecasts, PairedCalibration
from skcompare.stats.calibration._calibration_tests import (
    cusum_of,
    spiegelhalter_from,
    spiegelhalter_of,
)
from skcompare.stats.calibration._influence import (
    BothSums,
    role_sums,
    squared_errors,
    variance_of,
)
from skcompare.stats.calibration._resampling import (
    ExchangedDifferences,
    bootstrap_error,
    exchanged_differences,
)
from skcompare.stats.calibration._squared_errors import Variance, spiegelhalter_sums
from skcompare.stats.core._limits import one_sided, outward
from skcompare.stats.core._power import planned, tail_of
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import normal_pvalue, student_pvalue
from skcompare.stats.core._wald import Wald

DIGITS = 12
MOST_SORTED = 1_000_000
"""Largest number of records for each role's own tests, which sort them."""


def parts_of(
    calibration: PairedCalibration,
    sums: BothSums,
    errors: tuple[float, float],
) -> tuple[dict[str, Any], ...]:
    """Further calibration errors of each role, with tests of perfect calibration.

    The plug-in errors are biased and not tested. The role's own tests assume independent
    records with one event each, so that groups and classwise events have none.
    """
    has_own_tests = (
        calibration.groups is None
        and calibration.rows_per_record == 1
        and (calibration.n <= MOST_SORTED or calibration.cells is not None)
    )
    parts: list[dict[str, Any]] = []
    for role, name in enumerate(ROLES):
        count, events, excess = sums[role].totals[:3]
        bins = CalibrationBins(count, events - excess, events)
        values = {
            "squared_calibration_error": errors[role],
            "root_calibration_error": math.sqrt(max(errors[role], 0.0)),
            "expected_calibration_error": bins.error("l1"),
            "debiased_expected_calibration_error": bins.error("l1", debiased=True),
            "maximum_calibration_error": bins.error("max"),
        }
        # Further digits depend on the order of the records.
        part = {"role": name, **{k: round(v, DIGITS) for k, v in values.items()}}
        parts.append(part | _own_tests(calibration, role) if has_own_tests else part)
    return tuple(parts)


def _own_tests(calibration: PairedCalibration, role: int) -> dict[str, float]:
    """P-values of the hypothesis that the probabilities of one role are correct."""
    kind = calibration.kind
    if calibration.cells is not None:
        sums = spiegelhalter_sums(calibration.cells, role)
        result = spiegelhalter_from(*sums, kind, calibration.n)
        return {"spiegelhalter_pvalue": result.pvalue}
    forecasts = Forecasts(calibration.proba[role], calibration.outcomes[role])
    return {
        "spiegelhalter_pvalue": spiegelhalter_of(forecasts, kind).pvalue,
        # Simulations would take longer than everything else.
        "calibration_cusum_pvalue": cusum_of(forecasts, kind, method="asymptotic").pvalue,
    }


Method = Literal["analytic", "bootstrap", "exchangeability"]
NOISE = 1e-15
"""A difference that is a smaller share of the two errors is 0."""

ROUNDING = 1e-13
"""A standard error that is a smaller share of the two errors is only rounding error, as for
identical records."""

FEW_DEGREES, FEW_GROUPS, MUCH_GROWTH = 15, 10, 0.15
DECIDED_BY_FEW = "decided-by-few-records"
GROUPS_ARE_FEW = "few-groups"
NO_VARIANCE = "zero-variance"


class _Tail(NamedTuple):
    """Outcome of one method: statistic, p-value, limits and flags."""

    statistic: float
    pvalue: float
    log_pvalue: float
    limits: Any
    method: str
    details: dict[str, float]
    df: float | None = None
    flags: tuple[str, ...] = ()


class _Effect(NamedTuple):
    """Difference of two calibration errors, with the parts of its variance."""

    difference: float
    variance: Variance

    def sample_size(
        self, n: float, *, alpha: float, power: float, alternative: str
    ) -> float:
        """Return the number of records with the requested power."""
        size = outward(self.difference, alternative)
        if size <= 0:
            return math.inf
        # With s times as many records the first part of the variance is s and the second
        # s² times smaller, so 1 / s solves a quadratic equation.
        quantiles = float(ndtri(power) - ndtri(tail_of(alpha, alternative)))
        target = (size / quantiles) ** 2
        root = math.sqrt(self.variance.first**2 + 4 * self.variance.second * target)
        return n * (self.variance.first + root) / (2 * target)


@planned
def _sample_size(calibration: PairedCalibration, **options: object) -> _Effect:
    sums = role_sums(calibration, 0), role_sums(calibration, 1)
    champion, challenger = squared_errors(sums)
    return _Effect(champion - challenger, variance_of(sums))


@paired_test(
    "calibration_difference",
    title="Difference of calibration errors",
    measures="squared_calibration_error",
    designs=("holdout", "grouped holdout"),
    references=("Efron1981", "Kumar2019", "Satterthwaite1946"),
    sample_size=_sample_size,
    plug_in=False,
)
def calibration_difference(
    calibration: PairedCalibration,
    *,
    method: Method = "analytic",
    n_resamples: int = 2000,
    random_state: Any = 0,
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two calibration errors on one test set.

    The null hypothesis is that the squared calibration errors of the two trained
    classifiers are equal, over new records: whether both are calibrated, both are
    miscalibrated in the same way, or each in a different way. The squared calibration error
    is the mean over the records of the squared distance between mean probability and share
    of events in the record's bin. It is estimated without the bias of the usual plug-in
    estimates [1]_, which grows with the variety of a classifier's probabilities; a test of
    plug-in estimates rejects for calibrated classifiers.

    Parameters
    ----------
    calibration : PairedCalibration
        Probabilities, events and bins of both, with equal numbers of bins, from a hold-out
        set.
    method : {"analytic", "bootstrap", "exchangeability"}, default="analytic"
        "analytic" takes the difference in standard errors as Student's t; see the notes.
        "bootstrap" takes it as normal, with the standard deviation over resampled records
        as standard error; it is conservative, especially where both classifiers are
        nearly calibrated. For ungrouped records of one event each, only the numbers of
        records from each pair of bins are drawn, because the rest of that deviation has a
        formula. "exchangeability" exchanges the two predictions for random records. It is
        exact for the hypothesis that the two are exchangeable, which is stronger than
        equality of their errors, and is not a test of equal calibration errors.
    n_resamples : int, default=2000
        Number of resamples of "bootstrap" and "exchangeability", at least 2.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the resamples.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better calibrated.

    Returns
    -------
    result : PairedResult
        `estimate` is the squared error of the champion minus that of the challenger, so
        that positive favours the challenger. `champion` and `challenger` are the squared
        errors; chance can make them negative. `statistic` is the estimate in standard
        errors, and for "exchangeability" the estimate. The interval is the estimate minus
        and plus a multiple of the standard error, and excludes 0 exactly when the test
        rejects; for "exchangeability" it is of differences by which the estimate could be
        shifted without being rejected. `details` has the standard error, and `parts`
        further errors of each role, which are not tested. For up to 1,000,000 records
        without groups, and not for classwise events, `parts` also has the p-values of
        each role's own tests of perfect calibration: :func:`spiegelhalter`, and
        :func:`calibration_cusum` with method="asymptotic". For evidence reduced to sums
        there is only the former, for any number of records.

    Raises
    ------
    ValueError
        If the numbers of bins differ, there are fewer than 2 records or groups, or
        "exchangeability" is requested for evidence without its records.

    Notes
    -----
    A squared error is a sum over pairs of records in a bin. Where both classifiers are
    calibrated, single records have no influence to first order, and the variance is that
    of pairs, which falls with the square of the number of records; else it falls with the
    number. The jackknife variance counts that of pairs twice [2]_, and a bootstrap three
    times. "analytic" is the jackknife variance minus that of pairs,
    estimated from the products of residuals of both classifiers in their joint bins.

    That variance collapses where few records have the other outcome: a bin with no such
    record, or one, has none, and a gap that is small by chance gives little. So its lower
    bound is the variance under the null hypothesis with one more error. For that, one event
    and one record without are added to each bin (Laplace's rule), the gaps of both
    classifiers are scaled so that both errors are the mean of the two, and one record is
    added to which the two give opposite probabilities, as the sample may lack such a
    record. For many records of either outcome in each bin this has no effect.

    The degrees of freedom are Satterthwaite's [3]_, from the second and fourth powers of
    the influences of the records. Where they are fewer than 15, or the added records raise
    the null variance by more than 15 %, the result is flagged "decided-by-few-records".

    For grouped records, groups replace records: only pairs of different groups count, in
    estimate and variance, and groups are resampled. Fewer than 10 groups are flagged
    "few-groups". For classwise events, all classes of a record are one record. Where the
    classes are too many to compute the pairs of their bins, the variance is the
    jackknife's, which is conservative.

    Evidence that was reduced to sums gives the same to 12 digits, except for the draws of
    "bootstrap", which differ, and for nearly equal classifiers, whose standard error keeps
    3 digits where probabilities are 1e-6 apart. Degrees of freedom from sums without the
    higher powers take influences as linear within bins.

    ``benchmarks/validity/calibration/calibration.py`` measures error rates, power and
    coverage: level and coverage are nominal where the error is spread over the records, and
    deviate somewhat where a bin with few of them has most of it. Bins of equal mass or of
    quantiles are treated as fixed in advance.

    Two classifiers with the same probabilities have statistic 0 and p = 1, flagged
    "degenerate". With "bootstrap", a difference without variance has an infinite statistic
    and no p-value.

    References
    ----------
    .. [1] Kumar, A., Liang, P. and Ma, T. (2019). "Verified uncertainty calibration."
       Advances in Neural Information Processing Systems 32.
    .. [2] Efron, B. and Stein, C. (1981). "The jackknife estimate of variance." Annals of
       Statistics 9(3), 586-596.
    .. [3] Satterthwaite, F. E. (1946). "An approximate distribution of estimates of
       variance components." Biometrics Bulletin 2(6), 110-114.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PairedCalibration
    >>> from skcompare.stats import calibration_difference
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(0.1, 0.9, size=2000)
    >>> y = rng.uniform(size=2000) < p
    >>> overconfident = p**2 / (p**2 + (1 - p) ** 2)
    >>> calibration = PairedCalibration.from_predictions(y, overconfident, p, n_bins=10)
    >>> result = calibration_difference(calibration)
    >>> print(f"{result.champion:.4f} to {result.challenger:.4f}, p = {result.pvalue:.1e}")
    0.0153 to -0.0001, p = 6.4e-12
    """
    n_resamples = check_count("n_resamples", n_resamples, least=2)
    _check_bins(calibration)
    if method == "exchangeability":
        calibration.check_kept('method="exchangeability"')
    sums = role_sums(calibration, 0), role_sums(calibration, 1)
    _check_units(calibration, sums[0].n_units)
    champion, challenger = squared_errors(sums)
    estimate = champion - challenger
    if abs(estimate) <= NOISE * (abs(champion) + abs(challenger)):
        estimate = 0.0
    noise = ROUNDING * (abs(champion) + abs(challenger))
    if method == "analytic":
        tail = _analytic(estimate, sums, alternative, noise)
    elif method == "bootstrap":
        error = bootstrap_error(calibration, n_resamples, random_state)
        error = error if error > max(noise, NOISE) else 0.0
        tail = _bootstrap(estimate, error, n_resamples, alternative)
    else:
        exchanged = exchanged_differences(calibration, n_resamples, random_state)
        tail = _exchangeability(estimate, exchanged, alternative)
    few = calibration.groups is not None and sums[0].n_units < FEW_GROUPS
    flags = (*calibration.flags, *tail.flags, *((GROUPS_ARE_FEW,) if few else ()))
    return PairedResult(
        statistic=tail.statistic,
        pvalue=tail.pvalue,
        log_pvalue=tail.log_pvalue,
        df=tail.df,
        estimate=estimate,
        estimate_name="gain in squared calibration error",
        champion=champion,
        challenger=challenger,
        method=tail.method,
        limits=tail.limits,
        flags=tuple(dict.fromkeys(flags)),
        details={**tail.details, "n_bins": float(calibration.n_bins[0])},
        parts=parts_of(calibration, sums, (champion, challenger)),
        greater_is_better=False,
    )


def _check_bins(calibration: PairedCalibration) -> None:
    n_champion, n_challenger = calibration.n_bins
    if n_champion != n_challenger:
        raise ValueError(
            "calibration_difference needs as many bins for both classifiers. Got "
            f"{n_champion} and {n_challenger}: equal probabilities stay in one bin. Use "
            "strategy='uniform', or pass the same `edges` for both."
        )


def _check_units(calibration: PairedCalibration, n_units: int) -> None:
    if n_units < 2:
        units, unit = ("records", "record")
        if calibration.groups is not None:
            units, unit = ("groups", "group")
        raise ValueError(
            f"calibration_difference needs at least 2 {units}. Got {n_units}. One {unit} "
            "says nothing of how much the difference varies."
        )


def _analytic(estimate: float, sums: BothSums, alternative: str, noise: float) -> _Tail:
    variance = variance_of(sums)
    error = math.sqrt(variance.total)
    details = {
        "standard_error": error,
        "standard_error_of_pairs": math.sqrt(variance.second),
    }
    if error <= noise or (estimate == 0 and variance.observed <= noise**2):
        return _without_error(estimate, "analytic", dict.fromkeys(details, 0.0))
    df = variance.df
    few = df < FEW_DEGREES or variance.growth > MUCH_GROWTH
    return _Tail(
        estimate / error,
        *student_pvalue(estimate / error, df, alternative),
        Wald(estimate, error, df, _bounds(estimate)).limits,
        "analytic",
        details,
        df,
        (DECIDED_BY_FEW,) if few else (),
    )


def _bootstrap(estimate: float, error: float, n_resamples: int, alternative: str) -> _Tail:
    method = f"bootstrap, {n_resamples} resamples"
    details = {"standard_error": error, "resamples": float(n_resamples)}
    if error == 0:
        return _without_error(estimate, method, details)
    return _Tail(
        estimate / error,
        *normal_pvalue(estimate / error, alternative),
        Wald(estimate, error, bounds=_bounds(estimate)).limits,
        method,
        details,
    )


def _without_error(estimate: float, method: str, details: dict[str, float]) -> _Tail:
    """Return the outcome for a difference with a standard error of 0."""
    if estimate == 0:
        limits = partial(_cut_off_limits, 0.0, 0.0)
        return _Tail(0.0, 1.0, 0.0, limits, method, details, None, ("degenerate",))
    statistic = math.copysign(math.inf, estimate)
    limits = partial(_cut_off_limits, estimate, math.inf)
    return _Tail(
        statistic, math.nan, math.nan, limits, method, details, None, (NO_VARIANCE,)
    )


def _exchangeability(
    estimate: float, exchanged: ExchangedDifferences, alternative: str
) -> _Tail:
    n_resamples = len(exchanged.sizes)
    method = f"exchangeability, {n_resamples} Monte-Carlo resamples"
    details = {"resamples": float(n_resamples)}
    if estimate == 0 and exchanged.sizes[-1] <= NOISE:
        return _without_error(estimate, method, details)
    return _Tail(
        estimate,
        *exchanged.pvalue(estimate, alternative),
        partial(_exchanged_limits, estimate, exchanged),
        method,
        details,
    )


def _exchanged_limits(
    estimate: float,
    exchanged: ExchangedDifferences,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    reach = exchanged.critical(alpha_of(confidence_level), alternative)
    return _cut_off_limits(estimate, reach, confidence_level, alternative)


def _cut_off_limits(
    estimate: float, reach: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Limits at a distance from the estimate, clipped to the possible differences."""
    low, high = estimate - reach, estimate + reach
    return one_sided(low, high, alternative, _bounds(estimate))


def _bounds(estimate: float) -> tuple[float, float]:
    """Range of differences of squared errors between 0 and 1, extended to the estimate.

    Only their estimates may be outside.
    """
    return min(-1.0, estimate), max(1.0, estimate)
