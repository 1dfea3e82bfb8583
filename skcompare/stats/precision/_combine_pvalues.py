"""Combination of the p-values of several tests, independent or correlated."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.polynomial.legendre import leggauss
from scipy.interpolate import CubicSpline
from scipy.special import erf, erfc, gammainccinv, gammaincinv, log_ndtr

from skcompare._core.arrays import plain_values
from skcompare._core.formatting import format_pvalue
from skcompare._typing import FloatArray
from skcompare.stats.core._result import Flagged
from skcompare.stats.core._tails import SMALLEST, chi2_pvalue

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
       testing with positively dependent test statistics." JASA 92(440), 1601-1608.

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
    Weak evidence of many tests adds up, which Simes' method does not see.

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
    off_diagonal = 0.0
    if names:
        matrix = _COVARIANCES[names[0]](options[names[0]], n, w)
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
        method="Lancaster, " + (_LABELS[names[0]] if names else "independent"),
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
    return _within_bounds("pvalues", values)


def _within_bounds(name: str, values: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    undefined = np.isnan(values)
    defined = np.where(undefined, 1.0, values)
    outside = defined[(defined < 0) | (defined > 1)]
    if len(outside):
        raise ValueError(
            f"`{name}` must be in [0, 1], or NaN where undefined. Got {outside[0]}."
        )
    return defined, ("undefined-pvalue",) if undefined.any() else ()


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
    draws, _ = _within_bounds("null_draws", draws)
    quantiles = chi2_quantiles(draws, weights)
    return np.atleast_2d(np.cov(quantiles, rowvar=False))


_COVARIANCES = {
    "correlation": _of_correlation,
    "covariance": lambda values, n, weights: _matrix("covariance", values, n),
    "null_draws": _of_draws,
}
_LABELS = {
    "correlation": "correlated tests",
    "covariance": "covariance given",
    "null_draws": "covariance of draws",
}
