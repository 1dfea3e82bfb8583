"""Tests of two correlations with one target, by the joint normal distribution."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from skcompare._registry.metrics import NUMBERS
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import CorrelationMoments
from skcompare.stats.core._limits import (
    ZERO_VARIANCE,
    Limits,
    critical_value,
    fixed_limits,
    one_sided,
    studentised,
)
from skcompare.stats.core._result import UNDEFINED, PairedResult, Tested, tested_result
from skcompare.stats.core._tails import reference_pvalue

RANGE = (-2.0, 2.0)
"""Range of the difference of two correlations."""

COLLINEAR = 1e-13
"""Squared correlations this close to 1 are 1 up to rounding."""

NOISE = 1e-13
"""A difference of predictions up to this share of their size is rounding error."""

NEARLY_EQUAL = 0.9
"""Correlation of two predictions from which their difference has the digits."""

DIRECTIONS = 180
"""Number of directions in which the greatest difference in an ellipse is sought."""

FARTHEST = 18.0
"""Distance on the arctanh scale beyond which tanh is 1 up to rounding."""


@dataclass(frozen=True, slots=True)
class Correlations:
    """Two correlations with one target, and what their test depends on.

    Where predictions are nearly equal, the digits of the difference of both correlations,
    and of the distance of their own correlation from 1, would be lost in these.

    Attributes
    ----------
    n : int
        Number of records.
    champion, challenger : float
        Correlation of each prediction with the target.
    difference : float
        Correlation of the challenger minus that of the champion.
    apart, along : float
        1 minus and 1 plus the correlation of both predictions.
    """

    n: int
    champion: float
    challenger: float
    difference: float
    apart: float
    along: float

    @classmethod
    def of(cls, moments: CorrelationMoments) -> "Correlations":
        """Compute the correlations, exactly equal ones of collinear predictions."""
        # In units of each column, so that no product is too large.
        s = moments.products
        unit = np.sqrt(np.array([s[0, 0], s[1, 1], max(s[2, 2], 1e-300), s[3, 3]]))
        champion, challenger = np.clip(s[:2, 3] / unit[:2] / unit[3], -1.0, 1.0).tolist()
        difference = challenger - champion
        between = float(np.clip(s[0, 1] / unit[0] / unit[1], -1.0, 1.0))
        # 1 minus the square of the correlation of both predictions.
        free = (1 - between) * (1 + between)
        rounding = COLLINEAR
        if between > NEARLY_EQUAL and s[2, 2] <= min(s[0, 0], s[1, 1]):
            free, rounding, difference = _of_nearly_equal(moments, unit)
        if free <= rounding:
            free = 0.0
        if between < 0:
            apart, along = 1 - between, free / (1 - between)
        else:
            apart, along = free / (1 + between), 1 + between
        if apart == 0:
            champion = challenger = (champion + challenger) / 2
            difference = 0.0
        return cls(moments.n, champion, challenger, difference, apart, along)

    @property
    def _mean_square(self) -> float:
        """Square of the mean of both correlations."""
        return ((self.champion + self.challenger) / 2) ** 2

    def williams_variance(self) -> float:
        """Variance of the difference by Williams (1959), equation (7) of Steiger (1980).

        With d and s the difference and the sum of both correlations, and u and v 1 minus
        and plus the third one, the determinant of the three is u v - s² u / 2 - d² v / 2.
        """
        n, u, v = self.n, self.apart, self.along
        # Opposite predictions have opposite correlations, so that s² / v counts as 0.
        share = 4 * self._mean_square / v if v > COLLINEAR else 0.0
        determinant = u * (1 - share / 2) - self.difference**2 / 2
        if determinant <= COLLINEAR * u:
            determinant = 0.0
        return 2 * determinant / (n - 3) + share * u**3 / 4 / (n - 1)

    def steiger_variance(self) -> float:
        """Variance of the difference of both arctanh, equation (14) of Steiger (1980).

        1 minus the covariance of equal correlations, of their mean, in the same terms.
        """
        p, u = self._mean_square, self.apart
        return 2 * u * (1 - p - p * u / 2) / (1 - p) ** 2 / (self.n - 3)

    def arctanh_difference(self) -> float:
        """Difference of both arctanh; infinite where one of the correlations is 1 or -1."""
        ratio = self.difference / (1 - self.champion * self.challenger)
        return math.atanh(ratio) if abs(ratio) < 1 else math.copysign(math.inf, ratio)

    def steiger_limits(
        self, confidence_level: float, alternative: str
    ) -> tuple[float, float]:
        """Confidence limits of the difference that agree with Steiger's test."""
        z = critical_value(confidence_level, alternative)
        return one_sided(self._extreme(-z), self._extreme(z), alternative, RANGE)

    def _extreme(self, z: float) -> float:
        """Least difference in an ellipse on Fisher's scale if z is negative, else greatest.

        The difference and the mean of both arctanh are uncorrelated, because their
        variances are equal. The ellipse has all pairs of them up to `z` standard errors
        away, so that it projects to an interval of any function of both. A difference of
        0 is there exactly if one of the arctanh is.
        """
        deviation = self.arctanh_difference()
        middle = math.atanh(self.challenger) - deviation / 2
        share = (1 - self.champion**2) * (1 - self.challenger**2)
        by_difference = z * math.sqrt(self.steiger_variance())
        by_mean = z * math.sqrt((1 - self._rest / share / 2) / (self.n - 3))

        def difference(angle: Any) -> Any:
            # tanh(m + d / 2) - tanh(m - d / 2), without loss of digits.
            d = deviation + by_difference * np.cos(angle)
            twice = 2 * (middle + by_mean * np.sin(angle))
            return 2 * np.sinh(d) / (np.cosh(twice) + np.cosh(d))

        sign = -math.copysign(1.0, z)
        step = 2 * math.pi / DIRECTIONS
        start = step * int(np.argmin(sign * difference(step * np.arange(DIRECTIONS))))
        best = minimize_scalar(
            lambda angle: sign * difference(angle),
            bounds=(start - step, start + step),
            method="bounded",
            options={"xatol": 1e-9},
        )
        return sign * float(best.fun)

    def _zou_distance(self, z: float) -> float:
        """Distance of the limit of the difference from the difference, at a quantile.

        Of the lower limit if z is negative: the square root of a² + b² - 2 c a b, where a
        and b are the distances of both limits on Fisher's scale from their correlations,
        and c the correlation of both correlations (Zou 2007, equations 14 and 15).
        """
        t = math.tanh(abs(z) / math.sqrt(self.n - 3))
        return t * math.sqrt(self._squared_slope(t, lower=z < 0))

    def _squared_slope(self, t: float, *, lower: bool) -> float:
        """Squared distance over t², for the arctanh scale's tanh of z / sqrt(n - 3)."""
        larger, smaller = self.challenger, self.champion
        if not lower:
            larger, smaller = smaller, larger
        # A limit of r is (r - t) / (1 - r t), at the distance t (1 - r²) / (1 - r t).
        below, above = 1 - larger * t, 1 + smaller * t
        a, b = (1 - larger**2) / below, (1 - smaller**2) / above
        return (a - b) ** 2 + 2 * self._rest / (below * above)

    @property
    def _rest(self) -> float:
        """1 - c, times (1 - r²) of both correlations (Olkin and Siotani 1976)."""
        first, second, u = self.champion, self.challenger, self.apart
        p, q = first * second, first**2 + second**2
        rest = u * (1 - q + p * (1 - u / 2)) - p * self.difference**2 / 2
        return min(max(0.0, rest), 2 * (1 - first**2) * (1 - second**2))

    def zou_statistic(self) -> float:
        """Normal quantile at which a limit of Zou's interval is 0, with a sign."""
        d = abs(self.difference)
        if d == 0:
            return 0.0
        root = math.sqrt(self.n - 3)
        side = -math.copysign(root, self.difference)

        def beyond(w: float) -> float:
            return self._zou_distance(side * w) - d

        slope = self._squared_slope(0.0, lower=side < 0)
        high = min(FARTHEST, d / math.sqrt(slope)) if slope > 0 else FARTHEST
        while beyond(high) < 0:
            if high == FARTHEST:
                return math.copysign(math.inf, self.difference)
            high = min(FARTHEST, 2 * high)
        w = float(brentq(beyond, 0.0, high, xtol=1e-300, rtol=1e-15))
        return math.copysign(w * root, self.difference)

    def zou_limits(self, confidence_level: float, alternative: str) -> tuple[float, float]:
        """Confidence limits of the difference (Zou 2007)."""
        z = critical_value(confidence_level, alternative)
        # One-sided limits of levels below 1/2 are on the other side of the difference.
        low = self.difference - math.copysign(self._zou_distance(-z), z)
        high = self.difference + math.copysign(self._zou_distance(z), z)
        return one_sided(low, high, alternative, RANGE)


def _of_nearly_equal(
    moments: CorrelationMoments, unit: FloatArray
) -> tuple[float, float, float]:
    """Squared correlation's distance from 1, its rounding error, and the difference.

    Of nearly equal predictions, by their mean and their difference, in which nothing is
    subtracted that is much larger than the result.
    """
    mean, joint = moments.of_means
    first, second, apart, target = unit.tolist()
    own = mean / first / second
    by_mean = joint / first / second
    square = apart / first * (apart / second)
    rounding = (COLLINEAR * square + moments.n * _noise(moments, unit) ** 2) * own
    with_target = (moments.products[:3, 3] / target).tolist()
    of_scale = -by_mean / (first + second) * (with_target[0] + with_target[1])
    of_target = with_target[2] / first * (first + second) / second / 2
    return own * square - by_mean**2, rounding, of_scale + of_target


def _noise(moments: CorrelationMoments, unit: FloatArray) -> float:
    """Rounding error of a difference, in units of the predictions."""
    return NOISE * math.hypot(*moments.sizes[:2]) / math.sqrt(float(unit[0] * unit[1]))


Method = Literal["steiger", "williams", "zou"]


@paired_test(
    title="Test of two correlations with one target",
    measures="pearson_correlation",
    references=("Steiger1980", "Williams1959", "Zou2007"),
    target=NUMBERS,
    caution="assumes-normality",
)
def dependent_correlations(
    moments: CorrelationMoments,
    *,
    method: Method = "steiger",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two Pearson correlations with one target, for jointly normal numbers.

    The null hypothesis is that the predictions of both trained models have equal linear
    correlations with the target, over new records. Both are correlations with the same
    numbers, and the predictions are correlated as well, so that the three correlations and
    the number of records determine the test, if target and predictions have a joint normal
    distribution.

    Parameters
    ----------
    moments : CorrelationMoments
        Moments of the target and of both predictions, from a hold-out set; or three
        published correlations, by `CorrelationMoments.from_correlations`.
    method : {"steiger", "williams", "zou"}, default="steiger"
        "steiger" is Steiger's z of Fisher's arctanh, with the mean of both correlations in
        its variance. "williams" is Williams' t, which has no interval. "zou" is Zou's
        interval, with the p-value of its inversion.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the correlation of the challenger minus that of the champion.
        `statistic` is a normal one, or Student's t of "williams" with n - 3 degrees of
        freedom. `details` has the correlation of both predictions (`between`).

    Raises
    ------
    ValueError
        If there are fewer than 4 records, or the target or the predictions of a model are
        constant.

    See Also
    --------
    influence_difference : Valid without normal distributions; the default of reports.

    Notes
    -----
    With z_1 and z_2 the arctanh of both correlations and c the correlation of these, for
    two correlations of the size of their mean, the statistic is equation 14 of [1]_::

        z = (z_2 - z_1) sqrt(n - 3) / sqrt(2 - 2 c)

    The interval has all differences of which the arctanh are in an ellipse: z_2 - z_1 with
    the variance of the test, and their mean with its own variance, to which it is not
    correlated. So the interval excludes 0 exactly where the test does, and is as wide as
    unequal correlations take. Williams' t [2]_, equation 7 of [1]_, is the more accurate
    test of few records; an interval made of its standard error, which is that of equal
    correlations, would miss a difference far too often. Zou's interval [3]_ combines those
    of both correlations. It is accurate unless the predictions are highly correlated, as
    those of two models often are: then it is too wide, and its p-value too large.

    ``benchmarks/validity/regressors/correlations.py`` measures all three beside
    :func:`influence_difference`, in 4000 simulated test sets each of 20 to 2000 records
    (standard error 0.003). For normal numbers equal correlations were rejected in
    0.04 to 0.05 by Steiger's z and by Williams' t, and in 0.00 to 0.06 by Zou's interval,
    and 95 % intervals held the difference of unequal ones in 0.95 to 0.96 (Steiger) and
    0.95 to 1.00 (Zou). Normal distributions matter, however many records there are: with
    the tails of t with 3 degrees of freedom equal correlations were rejected in 0.19
    of the test sets with 20 records and in 0.52 of those with 2000, with a skewed target in
    0.11 and 0.16. By influences it was 0.03 to 0.07 with 20 records and 0.03 to 0.06 with
    more, in all of these cases. Hence the flag "assumes-normality" of all results: the test
    runs only if it is requested by name, and :func:`influence_difference` decides by
    default.

    Predictions that are equal up to their unit and level have an estimate of 0 and p = 1,
    flagged "degenerate". If the difference is not 0 and one of the correlations is 1 or -1
    (both, for "williams"), p is undefined, flagged "zero-variance".

    References
    ----------
    .. [1] Steiger, J. H. (1980). "Tests for comparing elements of a correlation matrix."
       Psychological Bulletin 87(2), 245-251.
    .. [2] Williams, E. J. (1959). "The comparison of regression variables." Journal of the
       Royal Statistical Society B 21(2), 396-399.
    .. [3] Zou, G. Y. (2007). "Toward using confidence intervals to compare correlations."
       Psychological Methods 12(4), 399-413.

    Examples
    --------
    Zou's example of overlapping correlations, and two predictions:

    >>> import numpy as np
    >>> from skcompare.evidence import CorrelationMoments
    >>> from skcompare.stats import dependent_correlations
    >>> moments = CorrelationMoments.from_correlations(0.179, 0.396, between=0.088, n=66)
    >>> low, high = dependent_correlations(moments, method="zou").confidence_interval()
    >>> print(f"[{low:.3f}, {high:.3f}]")
    [-0.093, 0.517]
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.normal(size=100)
    >>> champion, challenger = y_true + rng.normal(0, [[1.0], [0.5]], (2, 100))
    >>> result = dependent_correlations(y_true, champion, challenger)
    >>> print(f"{result.champion:.3f} to {result.challenger:.3f}, p = {result.pvalue:.1e}")
    0.729 to 0.863, p = 1.3e-03
    """
    _check(moments)
    own = Correlations.of(moments)
    tested = _tested(own, method, alternative)
    limits: Limits | None = None
    if method != "williams":
        limits = own.zou_limits if method == "zou" else own.steiger_limits
        if tested[2]:
            # Without variance there is no difference, or any one.
            limits = partial(fixed_limits, (0.0, 0.0) if own.apart == 0 else RANGE)
    return tested_result(
        tested,
        df=own.n - 3.0 if method == "williams" else None,
        estimate=own.difference,
        estimate_name="difference of pearson_correlation",
        roles=(own.champion, own.challenger),
        method=METHODS[method],
        limits=limits,
        details={"between": 1 - own.apart if own.apart < 1 else own.along - 1},
    )


METHODS = {
    "steiger": "Steiger's z",
    "williams": "Williams' t",
    "zou": "Zou's interval, inverted",
}


def _tested(own: Correlations, method: Method, alternative: str) -> Tested:
    """Statistic, p-value and flags."""
    if own.apart == 0:
        return 0.0, (1.0, 0.0), ("degenerate",)
    if method == "williams":
        error = math.sqrt(own.williams_variance())
        return studentised(own.difference, error, own.n - 3.0, alternative)
    if method == "zou":
        statistic = own.zou_statistic()
    else:
        statistic = own.arctanh_difference() / math.sqrt(own.steiger_variance())
    if math.isinf(statistic):
        return statistic, UNDEFINED, (ZERO_VARIANCE,)
    return statistic, reference_pvalue(statistic, None, alternative), ()


def _check(moments: CorrelationMoments) -> None:
    """Raise an error where a correlation or its variance is undefined."""
    if moments.n < moments.least_records:
        raise ValueError(
            "The variance of a correlation needs at least "
            f"{moments.least_records} records. Got {moments.n}. Collect more."
        )
    champion, challenger, _, target = moments.are_constant
    constant = {
        "the target": target,
        "the champion's predictions": champion,
        "the challenger's predictions": challenger,
    }
    if any(constant.values()):
        names = " and ".join(name for name in constant if constant[name])
        raise ValueError(
            "A correlation needs a target and predictions that are not constant. Got "
            f"constant numbers of {names}. Compare by an error, such as "
            "'neg_mean_squared_error'."
        )
