"""Covariance of transformed p-values of correlated normal statistics, by quadrature."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev
from numpy.polynomial.legendre import leggauss
from scipy.interpolate import CubicSpline
from scipy.special import erf, erfc, gammainccinv, gammaincinv, log_ndtr

from skcompare._typing import FloatArray

N_NODES = 24
"""Angles at which the covariance is integrated; others are interpolated."""

N_ANGLES, REACH = 61, 3.2
N_RADII, FARTHEST = 40, 9.5
"""Points of the quadrature: a normal statistic beyond 9.5 has a chance of 1e-21."""

GRID = np.linspace(np.log(1e-16), np.log(20.0), 1200)
SMALLEST_SHARE = 1e-300


def transformed_covariance(correlation: FloatArray, weights: FloatArray) -> FloatArray:
    """Covariances of chi-squared quantiles of two-sided p-values under the null.

    Normal statistics Z with these correlations have p-values ``p = 2 Phi(-|Z|)``, and the
    sum of Lancaster adds up the quantiles of chi-squared distributions at 1 - p, with the
    weights as degrees of freedom. The covariance of two of them is a smooth function of
    their correlation, alike for both its signs, and never negative.

    With ``Z1 = R sin(a)`` and ``Z2 = R sin(a + b)``, where cos(b) is the correlation, R a
    Rayleigh variable and a uniform, the expectation of a product is an integral over R
    and a that is smooth but at the ends of the range of a, where one statistic is 0; there
    tanh-sinh quadrature is used. As a function of the square root of b it is interpolated.

    Parameters
    ----------
    correlation : ndarray of shape (n, n)
        Symmetric.
    weights : ndarray of shape (n,)
        Degrees of freedom, positive.

    Returns
    -------
    covariance : ndarray of shape (n, n)
        Good to 1e-7; the diagonal is that of weights alone, twice each.
    """
    kinds, kind = np.unique(weights, return_inverse=True)
    coefficients = _coefficients(tuple(kinds.tolist()))
    angle = np.arccos(np.minimum(np.abs(correlation), 1.0))
    at = 2 * np.sqrt(angle * 2 / np.pi) - 1
    if len(kinds) == 1:
        covariance = chebyshev.chebval(at, coefficients[0, 0])
    else:
        each = np.moveaxis(coefficients[kind[:, np.newaxis], kind], -1, 0)
        covariance = chebyshev.chebval(at, each, tensor=False)
    covariance = np.where(correlation == 0, 0.0, np.maximum(covariance, 0.0))
    # Where both statistics are one so are the quantiles, and the variance is known.
    alike = (angle == 0) & (weights[:, np.newaxis] == weights)
    covariance = np.where(alike, 2 * weights, covariance)
    np.fill_diagonal(covariance, 2 * weights)
    return np.asarray(covariance)


@lru_cache(maxsize=8)
def _coefficients(kinds: tuple[float, ...]) -> FloatArray:
    """Coefficients of Chebyshev polynomials, for each pair of weights."""
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
    found: FloatArray = np.tensordot(basis, values, axes=1) * 2 / N_NODES
    found[0] /= 2
    return np.moveaxis(found, 0, -1)


Transform = Callable[[FloatArray], FloatArray]


def _transform(weight: float) -> Transform:
    """The chi-squared quantile at 1 - p as a function of |Z|."""
    if weight == 2:
        return lambda x: -2 * (np.log(2) + log_ndtr(-x))
    x = np.exp(GRID)
    inner, outer = erf(x / np.sqrt(2)), erfc(x / np.sqrt(2))
    # Each tail keeps its digits where it is the smaller one.
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
    s, share = leggauss(N_RADII)
    s = (s + 1) / 2
    radius = FARTHEST * s**2
    # Of dR = 2 * 9.5 s ds, by the density R exp(-R² / 2).
    density = share * FARTHEST * s * radius * np.exp(-(radius**2) / 2)
    total = np.zeros((len(transforms), len(transforms)))
    # Both statistics are 0 at the ends of these two ranges and nowhere else.
    for length in (angle, np.pi - angle):
        first = np.outer(radius, np.sin(length * far)).ravel()
        second = np.outer(radius, np.sin(length * near)).ravel()
        product = np.outer(density, weight * length / np.pi).ravel()
        left = np.array([transform(first) for transform in transforms])
        right = np.array([transform(second) for transform in transforms])
        total += (left * product) @ right.T
    return (total + total.T) / 2
