"""Agreement of two predictions of numbers by Bland and Altman, without the truth."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import gammainc, gammaincc, ndtr, ndtri

from skcompare._core.arrays import plain_values
from skcompare._core.formatting import format_pvalue
from skcompare._core.validation import alpha_of, check_confidence_level
from skcompare._io.columns import frame_from_columns
from skcompare._registry.tests import takes_evidence
from skcompare.evidence import AgreementMoments
from skcompare.stats.core._limits import UNBOUNDED, Wald, critical_value, increasing_root
from skcompare.stats.core._result import Flagged

PLACES, WEIGHTS = np.polynomial.legendre.leggauss(400)
"""Nodes and weights of integrals."""

FARTHEST = 9.0
"""Normal numbers beyond have a probability below rounding."""

NEGLIGIBLE = 1e-13
"""Share of a sum of squares that is rounding."""

TWO_SIDED = "two-sided"

CONSTANT_MEAN = "constant-mean"


class AgreementEstimate(NamedTuple):
    """Estimate with its confidence limits, and the p-value of its being 0 if there is one.

    Limits are infinite, or those of the range, and the p-value is NaN where they are
    undefined.
    """

    estimate: float
    low: float
    high: float
    pvalue: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class BlandAltmanResult(Flagged):
    """Agreement of two predictions of the same numbers.

    Attributes
    ----------
    difference : AgreementEstimate
        Mean of the challenger's prediction minus the champion's.
    lower_limit, upper_limit : AgreementEstimate
        Limits of agreement: a share of `coverage` of the differences is between them.
    slope : AgreementEstimate
        Change of the difference with the mean of both predictions.
    concordance : AgreementEstimate
        Concordance correlation coefficient of both predictions.
    deviation : float
        Standard deviation of the differences.
    n : int
        Number of records.
    coverage, confidence_level : float
        Share of the differences between the limits of agreement, and level of all
        intervals, each of which is for its estimate alone.
    method : {"exact", "approximate"}
        How the intervals of the limits of agreement were computed.
    design : str
        How the records were collected.
    flags : tuple of str
        Codes of caveats; `caveats` explains them.
    """

    difference: AgreementEstimate
    lower_limit: AgreementEstimate
    upper_limit: AgreementEstimate
    slope: AgreementEstimate
    concordance: AgreementEstimate
    deviation: float
    n: int
    coverage: float
    confidence_level: float
    method: str
    design: str
    flags: tuple[str, ...] = ()

    @property
    def estimates(self) -> dict[str, AgreementEstimate]:
        """The estimates by name."""
        return {name: getattr(self, name) for name in ESTIMATES}

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, with a dictionary for each estimate."""
        values = plain_values(self)
        return values | {name: own._asdict() for name, own in self.estimates.items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "BlandAltmanResult":
        """Restore the result from the output of :meth:`to_dict`."""
        estimates = {name: AgreementEstimate(**values[name]) for name in ESTIMATES}
        return cls(**values | estimates | {"flags": tuple(values["flags"])})

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the estimates as a data frame with one row each."""
        rows = [(name, *own) for name, own in self.estimates.items()]
        columns = zip(("name", *AgreementEstimate._fields), zip(*rows))
        return frame_from_columns({name: list(values) for name, values in columns}, backend)

    def __str__(self) -> str:
        level = f"{100 * self.confidence_level:g} % interval"
        lines = [
            f"agreement of two predictions (Bland and Altman), n = {self.n}, {level}s",
            *(
                f"{ESTIMATES[name].format(f'{100 * self.coverage:g} %')} "
                f"{own.estimate:.4g} [{own.low:.4g}, {own.high:.4g}]{_pvalue_text(own)}"
                for name, own in self.estimates.items()
            ),
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])


ESTIMATES = {
    "difference": "mean difference, challenger - champion",
    "lower_limit": "lower limit of {} of the differences",
    "upper_limit": "upper limit of {} of the differences",
    "slope": "slope of the difference on the mean",
    "concordance": "concordance correlation",
}
"""Names of the estimates, with their texts."""


def _pvalue_text(own: AgreementEstimate) -> str:
    return "" if math.isnan(own.pvalue) else f", p {format_pvalue(own.pvalue)}"


@takes_evidence
def bland_altman(
    moments: AgreementMoments,
    *,
    coverage: float = 0.95,
    method: Literal["exact", "approximate"] = "exact",
    confidence_level: float = 0.95,
) -> BlandAltmanResult:
    r"""Estimate the agreement of two regressors' predictions, without true numbers.

    How different are both predictions of a record, on average and at most, and does the
    difference depend on the size of the number [1]_? A correlation does not show this: it
    is high for predictions that are twice as large. Nor does agreement show which of the
    two is right.

    Parameters
    ----------
    moments : AgreementMoments
        Moments of both predictions for records of a hold-out set, with or without known
        targets; or the predictions of champion and challenger themselves, of shape
        (n_samples,).
    coverage : float, default=0.95
        Share of the differences between the limits of agreement.
    method : {"exact", "approximate"}, default="exact"
        Intervals of the limits of agreement: exact ones for normal differences [2]_, or
        the approximate ones of [3]_.
    confidence_level : float, default=0.95
        Level of all intervals.

    Returns
    -------
    result : BlandAltmanResult
        Differences are challenger minus champion, in the unit of the predictions. The
        p-values are those of a mean difference of 0 and of a slope of 0.

    Raises
    ------
    ValueError
        If there are fewer than 2 records.

    Notes
    -----
    With mean d and standard deviation s of the differences of n records and the normal
    quantile z of the share (1.96 for 95 %), the limits of agreement are :math:`d \pm z s`.
    The exact interval of the upper one is from :math:`d + s t_{\alpha/2} / \sqrt{n}` to
    :math:`d + s t_{1-\alpha/2} / \sqrt{n}` with quantiles of the noncentral t distribution
    of n - 1 degrees of freedom and noncentrality :math:`z \sqrt{n}`; the approximate one
    has the standard error :math:`s \sqrt{1/n + z^2/(2(n-1))}`. Both, and the limits of
    agreement themselves, are for normal differences: where these have heavy tails, more
    of them than stated, or less, are beyond the limits, however many records there are.

    The slope is that of the least squares line of the differences on the means, with
    Student's t. It is 0 exactly if both predictions vary equally (the test is that of
    Pitman and Morgan), so that a slope shows that one of the two shrinks more, and not
    which one is biased. Where there is a slope, limits of agreement for all sizes are
    too wide for some numbers and too narrow for others.

    The concordance correlation coefficient is the linear correlation times a factor that
    is 1 for equal means and equal variances [4]_; its interval is that of its arctanh,
    for normal predictions, with the variance of [4]_ as corrected in 2000.

    Predictions for groups of records, and of several splits, are not independent
    differences: estimates hold, and intervals are as if they were, flagged
    "invalid-design".

    Without any difference all estimates of differences are 0, the p-values 1 and the
    concordance 1, flagged "degenerate". If all differences are equal and not 0, the
    interval of their mean contains every number and its p-value is undefined, flagged
    "zero-variance". If the mean of both predictions is constant, there is no slope,
    flagged "constant-mean".

    References
    ----------
    .. [1] Bland, J. M. and Altman, D. G. (1986). "Statistical methods for assessing
       agreement between two methods of clinical measurement." The Lancet 327(8476),
       307-310.
    .. [2] Carkeet, A. (2015). "Exact parametric confidence intervals for Bland-Altman
       limits of agreement." Optometry and Vision Science 92(3), e71-e80.
    .. [3] Bland, J. M. and Altman, D. G. (1999). "Measuring agreement in method comparison
       studies." Statistical Methods in Medical Research 8(2), 135-160.
    .. [4] Lin, L. I.-K. (1989). "A concordance correlation coefficient to evaluate
       reproducibility." Biometrics 45(1), 255-268. Corrected in Biometrics 56(1), 324-325.

    Examples
    --------
    Two peak flow meters, in litres per minute (table 1 of [1]_):

    >>> from skcompare.stats import bland_altman
    >>> mini = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259,
    ...         350, 451]
    >>> large = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178,
    ...          423, 427]
    >>> print(bland_altman(mini, large))
    agreement of two predictions (Bland and Altman), n = 17, 95 % intervals
    mean difference, challenger - champion -2.118 [-22.05, 17.81], p 0.82
    lower limit of 95 % of the differences -78.1 [-124.2, -53.09]
    upper limit of 95 % of the differences 73.86 [48.86, 119.9]
    slope of the difference on the mean 0.02869 [-0.1593, 0.2167], p 0.75
    concordance correlation 0.9427 [0.8505, 0.9787]
    """
    _check(moments, coverage, confidence_level)
    mean, error, n = float(moments.means[2]), moments.deviation, moments.n
    size = math.hypot(*moments.sizes[:2])
    if error == 0 and abs(mean) <= 1e-13 * size:
        mean = 0.0
    difference, flags = _estimate(Wald(mean, error / math.sqrt(n), n - 1), confidence_level)
    slope, of_slope = _slope(moments, confidence_level)
    limits = _limits(mean, error, n, coverage, method, confidence_level)
    invalid = ("invalid-design",) * (moments.design.name != "holdout")
    return BlandAltmanResult(
        difference=difference,
        lower_limit=limits[0],
        upper_limit=limits[1],
        slope=slope,
        concordance=_concordance(moments, mean, confidence_level),
        deviation=error,
        n=n,
        coverage=coverage,
        confidence_level=confidence_level,
        method=method,
        design=str(moments.design),
        flags=tuple(dict.fromkeys((*flags, *of_slope, *invalid))),
    )


def _check(moments: AgreementMoments, coverage: float, confidence_level: float) -> None:
    check_confidence_level(confidence_level)
    if not 0 < coverage < 1:
        raise ValueError(
            f"`coverage` must be a share between 0 and 1. Got {coverage!r}. It is that of "
            "the differences between the limits of agreement, such as 0.95."
        )
    if moments.n < 2:
        raise ValueError(
            "The differences of a single record show no variation. Got 1 record. Collect "
            "at least 2."
        )


def _estimate(wald: Wald, level: float) -> tuple[AgreementEstimate, tuple[str, ...]]:
    """Estimate with the limits and p-value of Student's t, and flags."""
    tested = wald.fields(TWO_SIDED)["tested"]
    low, high = wald.limits_beyond(0.0)(level, TWO_SIDED)
    return AgreementEstimate(wald.estimate, low, high, tested[1][0]), tested[2]


def _limits(
    mean: float, error: float, n: int, coverage: float, method: str, level: float
) -> tuple[AgreementEstimate, AgreementEstimate]:
    """Lower and upper limit of agreement with their intervals."""
    z = float(ndtri((1 + coverage) / 2))
    inner, outer = (-math.inf, math.inf) if mean else (0.0, 0.0)
    if error > 0 and method == "exact":
        tail = alpha_of(level) / 2
        inner, outer = (error * quantile_factor(n, z, p) for p in (tail, 1 - tail))
    elif error > 0:
        reach = critical_value(level, TWO_SIDED, n - 1)
        reach *= math.sqrt(1 / n + z**2 / (2 * (n - 1)))
        inner, outer = error * (z - reach), error * (z + reach)
    upper = AgreementEstimate(mean + z * error, mean + inner, mean + outer)
    return AgreementEstimate(mean - z * error, mean - outer, mean - inner), upper


@cache
def quantile_factor(n: int, z: float, share: float) -> float:
    """Number of sample standard deviations from the sample mean to a normal quantile.

    With the probability `share` the mean plus z standard deviations of the distribution is
    up to so far from the mean of n records. It is the quantile of the noncentral t
    distribution with n - 1 degrees of freedom and noncentrality z sqrt(n), over sqrt(n),
    by the integral over the normal numerator.
    """
    half, root = (n - 1) / 2, math.sqrt(n)
    zero = -z * root

    def beyond(factor: float) -> float:
        # Where the numerator has the sign of the factor, any deviation or none is enough.
        sign = 1 if factor > 0 else -1
        ends = np.clip([zero, sign * FARTHEST], -FARTHEST, FARTHEST)
        middle, reach = ends.mean(), abs(ends[1] - ends[0]) / 2
        x = middle + reach * PLACES
        least = half * ((x - zero) / (factor * root)) ** 2 if factor else np.inf + 0 * x
        inside = gammaincc(half, least) if factor > 0 else gammainc(half, least)
        density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
        outside = float(ndtr(zero)) if factor > 0 else 0.0
        return outside + reach * float(WEIGHTS @ (density * inside)) - share

    step = math.sqrt(1 / n + z**2 / (2 * n))
    return increasing_root(beyond, z, step, UNBOUNDED, precision=1e-13)


def _slope(
    moments: AgreementMoments, level: float
) -> tuple[AgreementEstimate, tuple[str, ...]]:
    """Slope of the differences on the means, by least squares."""
    squares, products = moments.of_means
    of_difference = float(moments.products[2, 2])
    size = math.hypot(*moments.sizes[:2])
    if math.sqrt(squares / moments.n) <= max(1e-13 * size, 1e-150):
        return AgreementEstimate(math.nan, -math.inf, math.inf), (CONSTANT_MEAN,)
    if moments.deviation == 0:
        return AgreementEstimate(0.0, 0.0, 0.0, 1.0), ()
    slope, df = products / squares, moments.n - 2
    if df == 0:
        return AgreementEstimate(slope, -math.inf, math.inf), ()
    rest = of_difference - slope * products
    rest = 0.0 if rest <= NEGLIGIBLE * of_difference else rest
    return _estimate(Wald(slope, math.sqrt(rest / df / squares), df), level)


def _concordance(moments: AgreementMoments, mean: float, level: float) -> AgreementEstimate:
    """Concordance correlation with the interval of its arctanh (Lin 1989, 2000)."""
    n, (first, second) = moments.n, np.diag(moments.products)[:2].tolist()
    product = math.sqrt(first) * math.sqrt(second)
    apart = n * mean**2
    if mean == 0 and all(moments.are_constant[:2]):
        return AgreementEstimate(math.nan, -1.0, 1.0)
    estimate = 2 * float(moments.products[0, 1]) / (first + second + apart)
    if moments.deviation == 0 and mean == 0:
        return AgreementEstimate(1.0, 1.0, 1.0)
    if product == 0 or n == 2:
        return AgreementEstimate(estimate, -1.0, 1.0)
    # The linear correlation r times the factor b; 1 - r² in terms of the variances.
    r = float(moments.products[0, 1]) / product
    b = 2 * product / (first + second + apart)
    u = apart / product
    p = estimate
    variance = (1 - r**2) * (1 - p**2) * b**2 + 2 * p**2 * b * (1 - p) * u
    variance = max(0.0, variance - p**2 * b**2 * u**2 / 2) / (n - 2)
    if abs(p) >= 1:
        return AgreementEstimate(p, p, p)
    reach = critical_value(level, TWO_SIDED) * math.sqrt(variance) / (1 - p**2)
    middle = math.atanh(p)
    return AgreementEstimate(p, math.tanh(middle - reach), math.tanh(middle + reach))
