"""Tests of equal precision across all classes, and combinations of p-values."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.polynomial import chebyshev
from numpy.polynomial.legendre import leggauss
from scipy.interpolate import CubicSpline
from scipy.sparse import csr_array
from scipy.special import erf, erfc, gammainccinv, gammaincinv, log_ndtr, ndtr
from sklearn.utils import check_random_state

from skcompare._core.arrays import plain_values
from skcompare._core.formatting import format_pvalue
from skcompare._core.validation import check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ClassMoments, ClassScore, JointCounts, sums_of
from skcompare.stats.core._adjust import Adjustment, adjust_pvalues, defined_pvalues
from skcompare.stats.core._limits import chi2_tested
from skcompare.stats.core._result import UNDEFINED, Flagged, PairedResult, tested_result
from skcompare.stats.core._tails import SMALLEST, blocks_of, chi2_pvalue
from skcompare.stats.core._target_class import FEW_INFORMATIVE, NO_PREDICTIONS, SCORE_TEXT
from skcompare.stats.precision._precision_classes import LEFT_OUT, class_test
from skcompare.stats.precision._precision_statistics import (
    CLASS_TESTS,
    link_values,
    wald_contrast,
)
from skcompare.stats.precision._precision_tests import ClassTests
from skcompare.stats.scores._permutation import Exchange

N_NODES = 24
"""Number of angles at which the covariance is integrated; others are interpolated."""

N_ANGLES, REACH = 61, 3.2
N_RADII, FARTHEST = 40, 9.5
"""Points of the quadrature; a normal statistic is beyond 9.5 with probability 1e-21."""

GRID = np.linspace(np.log(1e-16), np.log(20.0), 1200)
SMALLEST_SHARE = 1e-300


def transformed_covariance(correlation: FloatArray, weights: FloatArray) -> FloatArray:
    """Covariances of chi-squared quantiles of two-sided p-values under the null.

    Normal statistics Z with these correlations have p-values ``p = 2 Phi(-|Z|)``, and
    Lancaster's sum adds up the quantiles of chi-squared distributions at 1 - p, with the
    weights as degrees of freedom. The covariance of two of them is a smooth function of
    their correlation, the same for both signs, and never negative.

    With ``Z1 = R sin(a)`` and ``Z2 = R sin(a + b)``, where cos(b) is the correlation, R a
    Rayleigh variable and a uniform, the expectation of a product is an integral over R and
    a that is smooth except at the ends of the range of a, where one statistic is 0; there
    tanh-sinh quadrature is used. It is interpolated as a function of the square root of b.

    Parameters
    ----------
    correlation : ndarray of shape (n, n)
        Symmetric.
    weights : ndarray of shape (n,)
        Degrees of freedom, positive.

    Returns
    -------
    covariance : ndarray of shape (n, n)
        Accurate to 1e-7; the diagonal is twice the weights.
    """
    kinds, kind = np.unique(weights, return_inverse=True)
    coefficients = _coefficients(tuple(kinds.tolist()))
    angle = np.arccos(np.minimum(np.abs(correlation), 1.0))
    at = 2 * np.sqrt(angle * 2 / np.pi) - 1
    if len(kinds) == 1:
        covariance = chebyshev.chebval(at, coefficients[0, 0])
    else:
        pair_coefficients = np.moveaxis(coefficients[kind[:, np.newaxis], kind], -1, 0)
        covariance = chebyshev.chebval(at, pair_coefficients, tensor=False)
    covariance = np.where(correlation == 0, 0.0, np.maximum(covariance, 0.0))
    # Where both statistics are the same, so are the quantiles, with a known variance.
    equal = (angle == 0) & (weights[:, np.newaxis] == weights)
    covariance = np.where(equal, 2 * weights, covariance)
    np.fill_diagonal(covariance, 2 * weights)
    return np.asarray(covariance)


@lru_cache(maxsize=8)
def _coefficients(kinds: tuple[float, ...]) -> FloatArray:
    """Chebyshev coefficients of the covariance, for each pair of weights."""
    order = np.arange(N_NODES)
    nodes = np.cos(np.pi * (order + 0.5) / N_NODES)
    transforms = [_transform(weight) for weight in kinds]
    expectation = np.outer(kinds, kinds)
    values = np.array(
        [
            _products(transforms, np.pi / 2 * ((node + 1) / 2) ** 2) - expectation
            for node in nodes
        ]
    )
    # Interpolation at Chebyshev's nodes is a cosine transform.
    basis = np.cos(np.outer(order, np.arccos(nodes)))
    coefficients: FloatArray = np.tensordot(basis, values, axes=1) * 2 / N_NODES
    coefficients[0] /= 2
    return np.moveaxis(coefficients, 0, -1)


Transform = Callable[[FloatArray], FloatArray]


def _transform(weight: float) -> Transform:
    """Return the chi-squared quantile at 1 - p as a function of |Z|."""
    if weight == 2:
        return lambda x: -2 * (np.log(2) + log_ndtr(-x))
    x = np.exp(GRID)
    inner, outer = erf(x / np.sqrt(2)), erfc(x / np.sqrt(2))
    # The smaller tail is used, which keeps its digits.
    quantile = np.where(
        inner < 0.5, gammaincinv(weight / 2, inner), gammainccinv(weight / 2, outer)
    )
    kept = quantile > SMALLEST_SHARE
    spline = CubicSpline(GRID[kept], np.log(2 * quantile[kept]))
    least = GRID[kept][0]
    return lambda x: np.exp(spline(np.maximum(np.log(x), least)))


def _products(transforms: list[Transform], angle: float) -> FloatArray:
    """Expectations of the products of all pairs of transforms at one correlation."""
    t = np.linspace(-REACH, REACH, N_ANGLES)
    near = 1 / (1 + np.exp(np.pi * np.sinh(t)))
    far = near[::-1]
    weight = np.cosh(t) / np.cosh(np.pi / 2 * np.sinh(t)) ** 2 * np.pi / 4 * (t[1] - t[0])
    s, node_weights = leggauss(N_RADII)
    s = (s + 1) / 2
    radius = FARTHEST * s**2
    # Of dR = 2 * 9.5 s ds, by the density R exp(-R² / 2).
    density = node_weights * FARTHEST * s * radius * np.exp(-(radius**2) / 2)
    total = np.zeros((len(transforms), len(transforms)))
    # A statistic is 0 only at the ends of these two ranges.
    for length in (angle, np.pi - angle):
        first = np.outer(radius, np.sin(length * far)).ravel()
        second = np.outer(radius, np.sin(length * near)).ravel()
        product = np.outer(density, weight * length / np.pi).ravel()
        left = np.array([transform(first) for transform in transforms])
        right = np.array([transform(second) for transform in transforms])
        total += (left * product) @ right.T
    return (total + total.T) / 2


LEAST_PVALUE = 1e-300
"""Smaller p-values are raised to this one, so that their quantile is finite."""

ROUNDING = 1e-8
"""Tolerance of correlations beyond 1 and of asymmetry of a matrix."""

FEWEST_DRAWS = 2


@dataclass(frozen=True, slots=True)
class CombinedPvalue(Flagged):
    """Combined p-value of several tests; unpacks to `(statistic, pvalue)`.

    Attributes
    ----------
    statistic, pvalue, log_pvalue : float
        The natural logarithm stays exact where the p-value is below the smallest double.
    df : float or None
        Degrees of freedom of a chi-squared statistic.
    method : str
        Method by which the p-values were combined.
    n : int
        Number of p-values.
    flags : tuple of str
        Codes of caveats; `caveats` has their text.
    details : mapping of str to float
        Further numbers.
    """

    statistic: float
    pvalue: float
    log_pvalue: float
    df: float | None
    method: str
    n: int
    flags: tuple[str, ...] = ()
    details: Mapping[str, float] = field(default_factory=dict)

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dictionary of built-in types."""
        return plain_values(self)

    def __str__(self) -> str:
        degrees = "" if self.df is None else f", df {self.df:.4g}"
        lines = [
            f"{self.method} of {self.n} p-value{'' if self.n == 1 else 's'}",
            f"statistic {self.statistic:.4g}{degrees}, p {format_pvalue(self.pvalue)} for "
            "the hypothesis that all null hypotheses are true",
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])


def simes(pvalues: Sequence[float]) -> CombinedPvalue:
    """Combine the p-values of several tests by Simes' method.

    The null hypothesis is that all are true. With L ordered p-values, p is the least of
    ``L p(i) / i`` [1]_: never more than Bonferroni's ``L p(1)``. It is exact for
    independent p-values and not too small for positively dependent ones [2]_, which those
    of two-sided tests of normal statistics nearly always are; where that is in doubt,
    use the smallest p-value adjusted by "holm".

    Parameters
    ----------
    pvalues : array-like of shape (n_tests,)
        An undefined one (NaN) counts as a test with p = 1, so that it weakens no
        correction, and is flagged.

    Returns
    -------
    result : CombinedPvalue
        `statistic` is the least of ``L p(i) / i``, which is the p-value.

    Raises
    ------
    ValueError
        If there is no p-value, or one is outside [0, 1].

    References
    ----------
    .. [1] Simes, R. J. (1986). "An improved Bonferroni procedure for multiple tests of
       significance." Biometrika 73(3), 751-754.
    .. [2] Sarkar, S. K. and Chang, C.-K. (1997). "The Simes method for multiple hypothesis
       testing with positively dependent test statistics." Journal of the American
       Statistical Association 92(440), 1601-1608.

    Examples
    --------
    >>> from skcompare.stats import simes
    >>> result = simes([0.012, 0.03, 0.5])
    >>> print(f"{result.pvalue:.3f}")
    0.036
    """
    values, flags = _checked(pvalues)
    n = len(values)
    least = float((np.sort(values) * (n / np.arange(1, n + 1))).min())
    pvalue = min(1.0, max(least, SMALLEST))
    return CombinedPvalue(least, pvalue, math.log(pvalue), None, "Simes", n, flags)


def lancaster_correlated(
    pvalues: Sequence[float],
    *,
    correlation: Any = None,
    covariance: Any = None,
    null_draws: Any = None,
    weights: Any = 2.0,
) -> CombinedPvalue:
    """Combine the p-values of several tests, which may be correlated, by Lancaster's sum.

    The null hypothesis is that all are true. Each p-value is turned into the quantile of a
    chi-squared distribution whose degrees of freedom are its weight [1]_; equal weights of
    2 give Fisher's ``-2 log p``. Their sum is scaled so that its mean and variance, with
    the covariances of correlated tests, are those of a chi-squared distribution [2]_.
    Weak evidence of many tests adds up, which Simes' method ignores.

    Parameters
    ----------
    pvalues : array-like of shape (n_tests,)
        An undefined one (NaN) counts as p = 1 and is flagged. Smaller ones than 1e-300
        count as 1e-300.
    correlation : array-like of shape (n_tests, n_tests), optional
        Correlations, under the null hypothesis, of the normal statistics whose two-sided
        p-values these are. Covariances of the quantiles follow from it by quadrature.
    covariance : array-like of shape (n_tests, n_tests), optional
        Instead, covariances of the quantiles under the null hypothesis, p_ij in [2]_.
    null_draws : array-like of shape (n_draws, n_tests), optional
        Instead, p-values of all tests in data for which the null hypothesis was made true,
        as by exchanging the two classifiers' predictions of records: 1,000 or more. Not
        those of bootstrap samples, which are draws under the alternative.
    weights : float or array-like of shape (n_tests,), default=2.0
        Positive; a larger one makes its test count more.

    Returns
    -------
    result : CombinedPvalue
        `statistic` is the scaled sum and `df` its degrees of freedom, ``nu = 2 E² /
        Var``. `details` has the `sum` itself, its `variance` under the null hypothesis and
        the `scale`, ``nu / E``.

    Raises
    ------
    ValueError
        If a p-value is outside [0, 1], if more than one of `correlation`, `covariance` and
        `null_draws` is given, or if one is invalid.

    Notes
    -----
    Without any of the three the tests are taken as independent. Variances are ``2 w``, and
    the diagonals of the arguments are ignored. Two-sided p-values cannot have a negative
    covariance, whatever the sign of the correlation of their statistics, so that p is never
    smaller than for independent tests as long as it is small. For one test, and for tests
    that are perfectly correlated and have equal p-values and weights, the combined p-value
    is that of each.

    The chi-squared distribution is an approximation where tests are correlated: for 3 tests
    with correlations of 0.6 it rejects a true null hypothesis in 4 % at the level 0.05, for
    20 in 5 %, and Fisher's method, which takes them as independent, in 8 and in 20 %
    (``benchmarks/validity/precision/precision_global.py``). The smaller the level, the more
    often it rejects relative to it [3]_, so that a very small p is too small.

    References
    ----------
    .. [1] Lancaster, H. O. (1961). "The combination of probabilities: an application of
       orthonormal functions." Australian Journal of Statistics 3(1), 20-33.
    .. [2] Dai, H., Leeder, J. S. and Cui, Y. (2014). "A modified generalized Fisher method
       for combining probabilities from dependent tests." Frontiers in Genetics 5, 32.
    .. [3] Zhang, H. and Wu, Z. (2020). "Accurate p-value calculation for generalized
       Fisher's combination tests under dependence." arXiv:2003.01286.

    Examples
    --------
    >>> from skcompare.stats import lancaster_correlated
    >>> print(f"{lancaster_correlated([0.04, 0.06, 0.1]).pvalue:.4f}")
    0.0106
    >>> correlation = [[1, 0.6, 0.6], [0.6, 1, 0.6], [0.6, 0.6, 1]]
    >>> result = lancaster_correlated([0.04, 0.06, 0.1], correlation=correlation)
    >>> print(f"{result.pvalue:.4f}, df {result.df:.2f}")
    0.0314, df 3.51
    """
    values, flags = _checked(pvalues)
    n = len(values)
    w = _weights(weights, n)
    options = {
        "correlation": correlation,
        "covariance": covariance,
        "null_draws": null_draws,
    }
    names = [name for name, value in options.items() if value is not None]
    if len(names) > 1:
        raise ValueError(
            "Pass one of `correlation`, `covariance` and `null_draws`, or none for "
            f"independent tests. Got {' and '.join(names)}."
        )
    off_diagonal, source = 0.0, "independent"
    if names:
        covariance_of, source = _SOURCES[names[0]]
        matrix = covariance_of(options[names[0]], n, w)
        off_diagonal = float(matrix.sum() - matrix.trace())
    expectation = float(w.sum())
    variance = 2 * expectation + off_diagonal
    if not variance > 0:
        raise ValueError(
            f"The variance of the sum must be positive. Got {variance:g} from "
            f"`{names[0]}`, whose covariances are too negative to be those of p-values. "
            "Pass `correlation` instead."
        )
    total = float(chi2_quantiles(values, w).sum())
    df = 2 * expectation**2 / variance
    scale = df / expectation
    pvalue, log_pvalue = chi2_pvalue(scale * total, df)
    return CombinedPvalue(
        statistic=scale * total,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=df,
        method=f"Lancaster, {source}",
        n=n,
        flags=flags,
        details={"sum": total, "variance": variance, "scale": scale},
    )


def chi2_quantiles(pvalues: Any, weights: Any) -> FloatArray:
    """Upper quantiles of chi-squared distributions; Fisher's -2 log p for a weight of 2."""
    p = np.maximum(pvalues, LEAST_PVALUE)
    fisher = -2 * np.log(p)
    if np.all(weights == 2):
        return np.asarray(fisher)
    return np.where(weights == 2, fisher, 2 * gammainccinv(weights / 2, p))


def _checked(pvalues: Any) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the p-values, with 1 where undefined, and a flag if any is undefined."""
    values = np.asarray(pvalues, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(
            "`pvalues` must be of shape (n_tests,), with one test at least. Got shape "
            f"{values.shape}."
        )
    flags = ("undefined-pvalue",) * bool(np.isnan(values).any())
    return defined_pvalues("pvalues", values), flags


def _weights(weights: Any, n: int) -> FloatArray:
    values = np.asarray(weights, dtype=np.float64)
    if values.shape not in ((), (n,)):
        raise ValueError(
            f"`weights` must be a number, or of shape ({n},). Got shape {values.shape}."
        )
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise ValueError(
            f"`weights` must be positive and finite. Got {weights!r}. Leave out tests that "
            "are not to count."
        )
    return np.broadcast_to(values, n).copy()


def _matrix(name: str, values: Any, n: int) -> FloatArray:
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.shape != (n, n) or not np.isfinite(matrix).all():
        raise ValueError(
            f"`{name}` must be of shape ({n}, {n}), without missing values, for {n} "
            f"p-values. Got shape {matrix.shape}."
        )
    largest = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > ROUNDING * largest:
        raise ValueError(
            f"`{name}` must be symmetric. Got a matrix that is not; check the order of its "
            "rows and columns."
        )
    return matrix


def _of_correlation(values: Any, n: int, weights: FloatArray) -> FloatArray:
    matrix = _matrix("correlation", values, n)
    beyond = matrix[np.abs(matrix) > 1 + ROUNDING]
    if len(beyond):
        raise ValueError(
            f"`correlation` must be in [-1, 1]. Got {beyond[0]}. For covariances of chi-"
            "squared quantiles pass `covariance`."
        )
    return transformed_covariance(matrix, weights)


def _of_draws(values: Any, n: int, weights: FloatArray) -> FloatArray:
    draws = np.asarray(values, dtype=np.float64)
    if draws.ndim != 2 or draws.shape[1] != n or len(draws) < FEWEST_DRAWS:
        raise ValueError(
            f"`null_draws` must be of shape (n_draws, {n}), with {FEWEST_DRAWS} draws at "
            f"least, for {n} p-values. Got shape {draws.shape}."
        )
    quantiles = chi2_quantiles(defined_pvalues("null_draws", draws), weights)
    return np.atleast_2d(np.cov(quantiles, rowvar=False))


_SOURCES: dict[str, tuple[Callable[[Any, int, FloatArray], FloatArray], str]] = {
    "correlation": (_of_correlation, "correlated tests"),
    "covariance": (lambda x, n, _: _matrix("covariance", x, n), "covariance given"),
    "null_draws": (_of_draws, "covariance of draws"),
}
"""Functions that compute the covariance from an argument, and texts of it."""


RANK_TOLERANCE = 1e-9
"""Eigenvalues of the correlation matrix below this share of the largest one are 0."""

CONSISTENT = 1e-6
"""Share of the standardised differences without variance that counts as rounding."""

FEW_PREDICTIONS = "few-predictions-of-a-class"


class AllClasses:
    """Tests of every class of two classifiers, and their combined results.

    Attributes
    ----------
    moments : ClassMoments
    tests : ClassTests
        Tests of each class.
    pvalue : ndarray of shape (n_classes,)
        Their p-values.
    known : ndarray of shape (n_classes,)
        Whether both classifiers have a prediction that counts.
    alike : ndarray of shape (n_classes,)
        Whether both have the same predictions.
    """

    def __init__(self, counts: JointCounts, score: str, test: str, adjust: str) -> None:
        self.counts, self.score, self.adjust = counts, score, adjust
        self.rows = counts.class_rows()
        self.test = test = class_test(test, self.rows)
        self.moments = self.rows.moments(score)
        self.tests = ClassTests(self.moments, test)
        self.pvalue, _ = np.array(self.tests.tails("two-sided")).T
        self.known, self.alike = self.tests.known, self.tests.alike

    def covariance(self) -> FloatArray:
        """Covariance of the effects of the classes, on the scale of the test.

        Under the null hypothesis the scale of the score tests is that of the difference.
        """
        slopes = np.nan_to_num(link_values(self.moments, self.tests.link)[1])
        slopes = np.where(self.known[:, np.newaxis], slopes, 0.0)
        covariance = self.rows.influence_covariance(self.score, slopes * (-1.0, 1.0))
        # Exactly 0 where nothing varies, without rounding.
        varies = wald_contrast(self.moments).variance > 0
        return np.where(varies[:, np.newaxis] & varies, covariance, 0.0)

    def correlation(self) -> FloatArray:
        """Correlation of the statistics of the classes under the null hypothesis."""
        covariance = self.covariance()
        deviations = np.sqrt(covariance.diagonal())
        deviations = np.where(deviations > 0, deviations, np.inf)
        correlation = covariance / deviations[:, np.newaxis] / deviations
        correlation = np.clip((correlation + correlation.T) / 2, -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        return np.asarray(correlation)

    def combined(
        self, combined: CombinedPvalue, details: Mapping[str, float] | None = None
    ) -> PairedResult:
        """Return the result of a combination of p-values.

        It is undefined if no class has predictions of both classifiers.
        """
        if not self.known.any():
            return self.undefined(combined.method, (NO_PREDICTIONS,))
        without_result = self.tests.degenerate | ~self.known
        # Classes without predictions are counted in the details.
        undefined = np.isnan(self.pvalue) & self.known
        flags = combined.flags if undefined.any() else ()
        tail = combined.pvalue, combined.log_pvalue
        degenerate = ("degenerate",) * bool(without_result.all())
        return self.result(
            combined.method,
            (combined.statistic, tail, degenerate + flags),
            combined.df,
            details={**combined.details, **(details or {})},
        )

    def undefined(self, method: str, flags: tuple[str, ...]) -> PairedResult:
        """Return the result where the test is undefined for every class."""
        return self.result(method, (math.nan, UNDEFINED, flags), None)

    def result(
        self,
        method: str,
        tested: Any,
        df: float | None,
        flags: tuple[str, ...] = (),
        details: Mapping[str, float] | None = None,
    ) -> PairedResult:
        """Return a result with all classes as its parts."""
        known = self.known
        sizes = np.abs(np.diff(self.moments.shares))[:, 0]
        if not known.all() and known.any():
            flags += (LEFT_OUT,)
        few = self.rows.informative_clusters(self.score) < FEW_INFORMATIVE
        if (few & known & ~self.alike).any():
            flags += (FEW_PREDICTIONS,)
        counts = {
            "n_classes": len(known),
            "n_left_out": int((~known).sum()),
            "n_alike": int((known & self.alike).sum()),
        }
        return tested_result(
            tested,
            df=df,
            estimate=float(sizes[known].max()) if known.any() else math.nan,
            estimate_name=f"greatest difference of {SCORE_TEXT[self.score]}",
            method=method,
            flags=flags,
            details={**counts, **(details or {})},
            parts=self.parts(),
        )

    def parts(self) -> tuple[dict[str, Any], ...]:
        """Return a mapping for each class, in order of increasing p-value."""
        shares = self.moments.shares
        pvalue = self.pvalue
        columns = {
            "label": self.rows.classes.tolist(),
            "n_champion": self.moments.rows[:, 0].tolist(),
            "n_challenger": self.moments.rows[:, 1].tolist(),
            "champion": _plain(shares[:, 0]),
            "challenger": _plain(shares[:, 1]),
            "difference": _plain(shares[:, 1] - shares[:, 0]),
            "pvalue": _plain(pvalue),
            "adjusted_pvalue": _plain(adjust_pvalues(pvalue.tolist(), self.adjust)),
        }
        rows = list(zip(*columns.values(), strict=True))
        order = np.argsort(np.nan_to_num(pvalue, nan=2.0), kind="stable")
        return tuple(dict(zip(columns, rows[i], strict=True)) for i in order)


def _plain(values: FloatArray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def quadratic_form(
    covariance: FloatArray, differences: FloatArray
) -> tuple[float, int, bool]:
    """Quadratic form in the inverse of a covariance matrix, with the rank of the matrix.

    Returns
    -------
    value : float
        Quadratic form of the part of the differences that has a variance.
    rank : int
        Number of eigenvalues of the correlation matrix that are not 0.
    consistent : bool
        Whether the other part of the differences is 0.
    """
    deviation = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    varies = deviation > 0
    fixed_zero = not (differences[~varies] != 0).any()
    if not varies.any():
        return 0.0, 0, fixed_zero
    varying = covariance[np.ix_(varies, varies)]
    deviation, differences = deviation[varies], differences[varies]
    standardised = differences / deviation
    correlation = varying / deviation[:, np.newaxis] / deviation
    values, vectors = np.linalg.eigh((correlation + correlation.T) / 2)
    parts = vectors.T @ standardised
    positive = values > RANK_TOLERANCE * values[-1]
    remainder = float(np.linalg.norm(parts[~positive]))
    consistent = remainder <= CONSISTENT * max(1.0, float(np.linalg.norm(standardised)))
    value = float((parts[positive] ** 2 / values[positive]).sum())
    return value, int(positive.sum()), fixed_zero and consistent


VALUES_AT_ONCE = 1 << 21
"""Largest number of values that are drawn at a time."""


def exchanged_pvalues(
    counts: JointCounts, score: str, test: str, n_draws: int, rng: np.random.RandomState
) -> FloatArray:
    """Two-sided p-values of all classes after random exchanges of predictions.

    Returns
    -------
    pvalues : ndarray of shape (n_draws, n_classes)
        1 where undefined.
    """
    parts = []
    for moments in exchanged_moments(counts, score, n_draws, rng):
        root = CLASS_TESTS[test](moments).root
        parts.append(np.where(np.isfinite(root), 2 * ndtr(-np.abs(root)), 1.0))
    return np.concatenate(parts)


def exchanged_moments(
    counts: JointCounts, score: str, n_draws: int, rng: np.random.RandomState
) -> Iterator[ClassMoments]:
    """Yield moments after random exchanges, with draws and classes along the first axes.

    The two predictions of each record are exchanged with probability 1/2, so that of the
    records of one true class with the same two predictions a binomial number is exchanged.
    Sums over both classifiers, and what both have in common, stay the same.
    """
    exchange, k = Exchange.from_counts(counts), counts.n_classes
    size = counts.n, sums_of(counts.cells[:, 0], counts.counts, k)[:, np.newaxis]
    base = counts.class_rows().moments(score)
    truth, *predictions = exchange.cells.T
    incidence = [
        (_incidence(label, np.ones(len(label)), k), _incidence(label, label == truth, k))
        for label in predictions
    ]
    batch = max(1, VALUES_AT_ONCE // max(len(truth), 8 * k))
    for n_drawn in blocks_of(n_draws, batch):
        kept = rng.binomial(exchange.totals, 0.5, size=(n_drawn, len(exchange.totals)))
        drawn = exchange.counts_of(kept, np.int64)
        predicted, hits = (
            np.stack([drawn @ parts[i] for parts in incidence], -1) for i in (0, 1)
        )
        yield _moments(score, predicted, hits, size, base)


def _moments(
    score: str,
    predicted: IntArray,
    hits: IntArray,
    size: tuple[int, IntArray],
    base: ClassMoments,
) -> ClassMoments:
    """Moments of each draw, with every record as a cluster."""
    n, truth = size
    if score in ("specificity", "negative_predictive_value"):
        # Of the records that are not of the class.
        hits = n - predicted - truth + hits
        predicted = n - predicted
    by_prediction = score in ("precision", "negative_predictive_value")
    rows = predicted if by_prediction else np.broadcast_to(base.rows, predicted.shape)
    # Exchanges do not change what both have in common.
    rr, rh, hh = (
        np.repeat(part[np.newaxis], len(rows), axis=0)
        for part in (base.rr, base.rh, base.hh)
    )
    for role in (0, 1):
        rr[..., role, role] = rows[..., role]
        hh[..., role, role] = rh[..., role, role] = hits[..., role]
        if not by_prediction:
            # Both have the same rows.
            rh[..., 1 - role, role] = hits[..., role]
    return ClassMoments(rows, hits, rr, rh, hh)


def _incidence(label: IntArray, kept: Any, k: int) -> Any:
    """Incidence matrix of cells and their classes, 0 for cells that do not count."""
    values = np.asarray(kept).astype(np.int64)
    return csr_array((values, (np.arange(len(label)), label)), shape=(len(label), k))


MEASURE = "precision_by_class"
Method = Literal["influence", "permutation"]
SCALES = {
    "both scores": ("both scores", "joint both scores"),
    "difference": ("difference", "joint Wald, difference"),
    "log-odds": ("wald", "joint Wald, log-odds"),
}
"""Test of each class, and name of the joint test, by scale."""

UNDEFINED_ODDS = "undefined-odds"


@paired_test(
    title="Simes' test of the precisions of all classes",
    kind="combination",
    measures=MEASURE,
    references=("Simes1986", "Kosinski2013"),
    preferred=True,
)
def precision_simes(
    counts: JointCounts,
    *,
    score: ClassScore = "precision",
    test: str = "auto",
    adjust: Adjustment = "holm",
) -> PairedResult:
    """Test whether the precision of any class differs, by Simes' combination.

    The null hypothesis is that for each class both trained classifiers have the same
    precision, over new records. The p-values of all L classes are combined by Simes' method
    [1]_: the least of ``L p(i) / i``, which detects differences of a few classes among
    many.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of each class against the rest.
    test : {"auto", "both scores", "weighted score", "score", "wald", "difference", \
"relative"}, default="auto"
        The test of each class [2]_, as of :func:`precision_by_class`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of the classes in `parts` are adjusted.

    Returns
    -------
    result : PairedResult
        `statistic` is the combined p-value. `estimate` is the greatest difference of a
        class, without its sign; it has no interval. `parts` has a mapping for each class,
        that with the smallest p first: `label`, predictions that count (`n_champion`,
        `n_challenger`), scores of `champion` and `challenger`, their `difference`, `pvalue`
        and `adjusted_pvalue`, None where undefined. `details` has the number of classes
        (`n_classes`), of those that a classifier never predicts (`n_left_out`), and of
        those with equal predictions of both (`n_alike`).

    Notes
    -----
    Simes' method is exact for independent p-values and not too small for positively
    dependent ones; two-sided p-values of normal statistics nearly always are, however the
    classes depend on each other.

    A class that a classifier never predicts has no p-value and counts as p = 1, so that it
    weakens no correction; `details` has their number. Where nothing differs and nothing
    varies, as for equal predictions, p is 1, flagged "degenerate".

    References
    ----------
    .. [1] Simes, R. J. (1986). "An improved Bonferroni procedure for multiple tests of
       significance." Biometrika 73(3), 751-754.
    .. [2] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison of
       predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_simes
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=800)
    >>> def predict(accuracy):
    ...     return np.where(rng.random(800) < accuracy, y, rng.integers(4, size=800))
    >>> counts = JointCounts.from_predictions(y, predict(0.6), predict(0.7))
    >>> result = precision_simes(counts)
    >>> print(f"p = {result.pvalue:.4f}, most of class {result.parts[0]['label']}")
    p = 0.0004, most of class 3
    """
    classes = AllClasses(counts, score, test, adjust)
    return classes.combined(simes(classes.pvalue.tolist()))


@paired_test(
    title="Lancaster's test of the precisions of all classes",
    kind="combination",
    measures=MEASURE,
    references=("Lancaster1961", "Dai2014", "Kosinski2013"),
)
def precision_lancaster(
    counts: JointCounts,
    *,
    score: ClassScore = "precision",
    test: str = "auto",
    method: Method = "influence",
    adjust: Adjustment = "holm",
    n_resamples: int = 2000,
    random_state: Any = 0,
) -> PairedResult:
    """Test whether the precision of any class differs, by Lancaster's combination.

    The null hypothesis is that for each class both trained classifiers have the same
    precision, over new records. The p-values of all classes are combined by the sum of
    Lancaster [1]_ with the correction of Dai, Leeder and Cui for correlated tests [2]_,
    which detects small differences of many classes.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of each class against the rest.
    test : {"auto", "both scores", "weighted score", "score", "wald", "difference", \
"relative"}, default="auto"
        The test of each class [3]_, as of :func:`precision_by_class`.
    method : {"influence", "permutation"}, default="influence"
        How the covariance of the p-values is computed. "influence" takes the correlations
        of the classes' statistics from the influence of each record on them; "permutation"
        exchanges the two predictions of records at random, which makes the classifiers
        equal, and computes the p-values of all classes again.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of the classes in `parts` are adjusted.
    n_resamples : int, default=2000
        Random exchanges for "permutation"; 1,000 or more are advised.
    random_state : int, RandomState instance or None, default=0
        Seed of these exchanges.

    Returns
    -------
    result : PairedResult
        `statistic` is the scaled sum, chi-squared with `df` degrees of freedom. `estimate`
        and `parts` are those of :func:`precision_simes`. `details` has also the `sum`, its
        `variance` under the null hypothesis and the `scale`.

    Notes
    -----
    Each class has weight 2, as in Fisher's method. A class that a classifier never predicts
    is left out, and so is a class with equal predictions of both, which has no information;
    `details` counts both. Where no class is left p is 1, flagged "degenerate".

    A class whose p-value is undefined for another reason, or which does not vary because
    all its predictions are correct, counts as p = 1.

    References
    ----------
    .. [1] Lancaster, H. O. (1961). "The combination of probabilities: an application of
       orthonormal functions." Australian Journal of Statistics 3(1), 20-33.
    .. [2] Dai, H., Leeder, J. S. and Cui, Y. (2014). "A modified generalized Fisher method
       for combining probabilities from dependent tests." Frontiers in Genetics 5, 32.
    .. [3] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison of
       predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_lancaster
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=800)
    >>> def predict(accuracy):
    ...     return np.where(rng.random(800) < accuracy, y, rng.integers(4, size=800))
    >>> counts = JointCounts.from_predictions(y, predict(0.6), predict(0.7))
    >>> result = precision_lancaster(counts)
    >>> print(f"{result.statistic:.2f}, df {result.df:.2f}, p = {result.pvalue:.5f}")
    37.56, df 7.67, p = 0.00001
    """
    n_resamples = check_count("n_resamples", n_resamples, least=2)
    rng = check_random_state(random_state)
    classes = AllClasses(counts, score, test, adjust)
    kept = classes.known & ~classes.alike
    if not kept.any():
        return classes.combined(CombinedPvalue(0.0, 1.0, 0.0, 0.0, "Lancaster", 0))
    pvalues = classes.pvalue[kept].tolist()
    if method == "influence":
        correlation = classes.correlation()[np.ix_(kept, kept)]
        return classes.combined(lancaster_correlated(pvalues, correlation=correlation))
    draws = exchanged_pvalues(counts, score, classes.test, n_resamples, rng)[:, kept]
    combined = lancaster_correlated(pvalues, null_draws=draws)
    return classes.combined(combined, {"resamples": float(n_resamples)})


@paired_test(
    title="Joint test of the precisions of all classes",
    kind="omnibus",
    measures=MEASURE,
    references=("Leisenring2000", "Kosinski2013"),
)
def precision_joint(
    counts: JointCounts,
    *,
    score: ClassScore = "precision",
    scale: Literal["both scores", "difference", "log-odds"] = "both scores",
    adjust: Adjustment = "holm",
) -> PairedResult:
    """Test jointly whether two classifiers differ in the precision of any class.

    The null hypothesis is that for each class both trained classifiers have the same
    precision, over new records. The statistic is the quadratic form of the differences of
    all classes with their joint covariance, in which a record counts for every class that
    is its prediction [1]_ [2]_; under the null hypothesis it is chi-squared with the rank
    of the covariance. By default the variance of a class is at least that of both score
    tests of it, which small classes need.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of each class against the rest.
    scale : {"both scores", "difference", "log-odds"}, default="both scores"
        "difference" is Wald's test of the differences and "log-odds" that of the log odds
        of a marginal logistic model, which do not exist for a score of 0 or 1. "both
        scores" compares the differences too, with the larger variance of each class: of
        "difference", or of :func:`precision_both_scores`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of the classes in `parts` are adjusted.

    Returns
    -------
    result : PairedResult
        `statistic` is chi-squared with `df` degrees of freedom. `estimate` is the greatest
        difference of a class, without its sign; it has no interval. `parts` is as of
        :func:`precision_simes`, with the test of each class that `scale` names: both score
        tests, or Wald's test of the difference or of the log odds.

    Notes
    -----
    A class that a classifier never predicts is left out, and so is one whose log odds are
    undefined; `details` has their number. Classes whose differences depend on others add
    nothing: the covariance is inverted where its correlation matrix has eigenvalues above
    1e-9 of the largest one, and their number is `df`. Where all predictions are equal the
    statistic is 0 and p is 1, flagged "degenerate". If a combination of the differences is
    not 0 but cannot vary, as for a class that one classifier predicts once, correctly, and
    the other once, incorrectly, the Wald statistics are infinite and p undefined, flagged
    "zero-variance"; "both scores" has a variance for each class that differs.

    The two Wald tests need records: "difference" rejects equal precisions too often where
    classes are small, and far too often where one classifier also predicts them less often
    than the other, and "log-odds" where hardly a prediction is incorrect and nearly all
    predictions of one classifier are among those of the other. "both scores" has a
    statistic of at most that of "difference", and rejects too rarely where records are few
    (``benchmarks/validity/precision/precision_global.py``).

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison of
       predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_joint
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=800)
    >>> def predict(accuracy):
    ...     return np.where(rng.random(800) < accuracy, y, rng.integers(4, size=800))
    >>> counts = JointCounts.from_predictions(y, predict(0.6), predict(0.7))
    >>> result = precision_joint(counts)
    >>> print(f"{result.statistic:.2f}, df {result.df}, p = {result.pvalue:.5f}")
    23.66, df 4, p = 0.00009
    """
    test, method = SCALES[scale]
    classes = AllClasses(counts, score, test, adjust)
    contrast = classes.tests.contrast
    defined = classes.known & np.isfinite(contrast.estimate)
    flags = () if (defined == classes.known).all() else (UNDEFINED_ODDS,)
    if not defined.any():
        return classes.undefined(method, flags or (NO_PREDICTIONS,))
    covariance = classes.covariance()
    if scale == "both scores":
        # A larger variance of a class makes every quadratic form smaller.
        diagonal = np.maximum(covariance.diagonal(), contrast.variance)
        np.fill_diagonal(covariance, diagonal)
    value, rank, consistent = quadratic_form(
        covariance[np.ix_(defined, defined)], contrast.estimate[defined]
    )
    details = {"n_undefined": int((classes.known & ~defined).sum())}
    infinite = not consistent and scale != "both scores"
    tested = chi2_tested(math.inf if infinite else value, rank)
    return classes.result(method, tested, rank, flags, details)
