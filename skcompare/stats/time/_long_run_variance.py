"""Long-run variance of a series by cosines, periodogram and Bartlett weights."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.fft import dct
from scipy.optimize import brentq

from skcompare._typing import FloatArray

FEWEST_COSINES = 4
"""Smallest number of cosines, whatever the dependence."""

CAP, CAP_POWER = 0.4, 2 / 3
"""Largest number of cosines: the rule 0.4 n^(2/3) of Lazarus, Lewis, Stock and Watson."""

LARGEST_BIAS = 0.05
"""Expected share by which the variance may be too small, before there are fewer cosines.

Chosen with the numbers below by ``benchmarks/validity/time/diebold_mariano.py``.
"""

LARGEST_ALLOWANCE = 0.9
"""Largest share of the variance that is allowed for."""

GROWTH = 1.2
"""Ratio of the numbers of cosines that are considered, and of the edges of the bins."""

BY_MEDIAN = 7
"""Number of squared cosines of a bin from which their median counts, not their mean.

Seasons are lines in the spectrum, which a median leaves out.
"""

MOST_IN_MEDIAN = 1000
"""Number of squared cosines of a bin that are enough for its median, about."""

MEDIAN_OF_CHI2 = 0.454936
"""Median of chi-squared with one degree of freedom, whose mean is 1."""

TEMPER = 0.4
"""Power of the likelihood, because medians say less than half as much as means."""

HEIGHTS = (0.25, 1.0, 4.0, 16.0, 64.0, math.inf)
"""Heights of the peaks at frequency 0, over that of the noise."""

NARROWEST, WIDEST = 3.0, 1.0
"""Half widths of the peaks: of this number of cosines, to this frequency in radians."""


def squared_cosines(values: FloatArray) -> FloatArray:
    """Squares of the cosine transforms of a series, of which each estimates its variance.

    The transform j is ``sqrt(2 / n)`` times the sum of the values times
    ``cos(pi j (t - 1/2) / n)`` for t from 1 to n, so that a constant has none.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The series.
    """
    transforms = dct(values, type=2, norm="ortho")[1:]
    return np.square(transforms, out=transforms)


class Smoothing(NamedTuple):
    """Number of cosines for a series, and how far the variance may be too small.

    Attributes
    ----------
    number : int
        Number of cosines, the degrees of freedom of the variance.
    bias, bias_of_fewest : float
        Expected share by which the long-run variance is underestimated by this number of
        cosines, and by the fewest.
    allowance : float
        Share that is allowed for: the expected one plus its standard deviation.
    """

    number: int
    bias: float
    bias_of_fewest: float
    allowance: float


class _Spectra(NamedTuple):
    """Spectra that are considered for series of a length, in bins of frequencies.

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,)
        First cosine of each bin, and the number after the last one.
    inverse, log_sum : ndarray of shape (n_spectra, n_bins) and (n_spectra,)
        Inverse of each spectrum, and the sum of the logarithms over all cosines.
    log_prior : ndarray of shape (n_spectra,)
        Logarithm of the weight of each spectrum before anything is observed.
    bias : ndarray of shape (n_spectra, n_bins)
        Share by which the mean of the cosines up to the end of a bin is below the value
        at frequency 0.
    zeros : ndarray of shape (n_spectra,)
        This value.
    """

    edges: np.ndarray
    inverse: FloatArray
    log_sum: FloatArray
    log_prior: FloatArray
    bias: FloatArray
    zeros: FloatArray


@lru_cache(maxsize=32)
def _spectra(n: int) -> _Spectra:
    edges = [1]
    while edges[-1] < n:
        edges.append(min(n, max(edges[-1] + 1, int(edges[-1] * GROWTH))))
    first, last = np.array(edges[:-1]), np.array(edges[1:]) - 1
    narrowest = min(math.pi * NARROWEST / n, WIDEST)
    n_widths = math.ceil(2 * math.log2(WIDEST / narrowest)) + 1
    widths = np.geomspace(narrowest, WIDEST, n_widths)[:, np.newaxis]
    # Simpson's rule over the frequencies of each bin.
    peaks = sum(
        share / (1 + (1 - np.cos(np.pi / n * j)) / (1 - np.cos(widths)))
        for share, j in ((1 / 6, first), (4 / 6, (first + last) / 2), (1 / 6, last))
    )
    spectra, zeros = [np.ones((1, len(first)))], [1.0]
    for height in HEIGHTS:
        alone = math.isinf(height)
        spectra.append(peaks if alone else height * peaks + 1)
        zeros += [1.0 if alone else height + 1] * n_widths
    stacked = np.concatenate(spectra)
    prior = np.full(len(stacked), 0.5 / (n_widths * len(HEIGHTS)))
    prior[0] = 0.5
    sizes = last - first + 1
    means = np.cumsum(sizes * stacked, axis=1) / last
    bias = 1 - means / np.array(zeros)[:, np.newaxis]
    return _Spectra(
        np.array(edges),
        1 / stacked,
        np.log(stacked) @ sizes,
        np.log(prior),
        bias,
        np.array(zeros),
    )


def chosen_smoothing(squares: FloatArray, horizon: int) -> Smoothing:
    """Number of cosines that leaves little bias, by the shape of the spectrum.

    The spectra that are considered are flat, or have a peak at frequency 0 as that of an
    autoregression, of several widths and heights above noise. Each has the weight of its
    Whittle likelihood for the squared cosines, of bins of them, so that a number of cosines
    has an expected bias. The largest number whose bias is at most `LARGEST_BIAS` is taken,
    at least 4, and at most 0.4 n^(2/3) and half of the horizons in the series.

    Parameters
    ----------
    squares : ndarray of shape (n - 1,)
        Squared cosine transforms, not all 0.
    horizon : int
        Number of steps by which forecasts are ahead.
    """
    n = len(squares) + 1
    spectra = _spectra(n)
    weight = _weights(squares, spectra)
    bias = weight @ spectra.bias
    ends = spectra.edges[1:] - 1
    cap = max(FEWEST_COSINES, min(CAP * n**CAP_POWER, n / (2 * horizon)))
    allowed = (ends >= FEWEST_COSINES) & (ends <= cap)
    small = allowed & (np.cumsum(allowed & (bias > LARGEST_BIAS)) == 0)
    fewest = int(np.searchsorted(ends, FEWEST_COSINES))
    k = int(np.flatnonzero(small)[-1]) if small.any() else fewest
    spread = math.sqrt(float(weight @ (spectra.bias[:, k] - bias[k]) ** 2))
    allowance = min(LARGEST_ALLOWANCE, float(bias[k]) + spread)
    return Smoothing(int(ends[k]), float(bias[k]), float(bias[fewest]), allowance)


def _weights(squares: FloatArray, spectra: _Spectra, start: int = 1) -> FloatArray:
    """Weight of each spectrum by the squared cosines, of bins from a start on."""
    used = spectra.edges[:-1] >= start
    first, sizes = spectra.edges[:-1][used], np.diff(spectra.edges)[used]
    level = np.add.reduceat(squares, first - 1) / sizes
    for at in np.flatnonzero(sizes >= BY_MEDIAN):
        begin, size = int(first[at]) - 1, int(sizes[at])
        inside = squares[begin : begin + size : max(1, size // MOST_IN_MEDIAN)]
        level[at] = _median(inside) / MEDIAN_OF_CHI2
    inverse = spectra.inverse[:, used]
    fit = inverse @ (sizes * level)
    log_sum = spectra.log_sum if used.all() else -np.log(inverse) @ sizes
    with np.errstate(divide="ignore"):
        log_weight = -TEMPER / 2 * (sizes.sum() * np.log(fit) + log_sum)
    if not np.isfinite(log_weight).all():
        # All medians are 0, as of few records that differ: nothing is known of the shape.
        log_weight = np.zeros(len(fit))
    log_weight += spectra.log_prior
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())


def _median(values: FloatArray) -> float:
    """Median without the checks of numpy's, which take longer than it does."""
    middle = len(values) // 2
    ordered = np.partition(values, (middle - 1, middle))
    if len(values) % 2:
        return float(ordered[middle])
    return float(ordered[middle - 1] + ordered[middle]) / 2


def bias_of_band(squares: FloatArray, first: int, number: int) -> tuple[float, float]:
    """Expected bias of the mean of cosines from one on, and the share to allow for.

    The spectrum is judged by these cosines and later ones alone, as in
    :func:`chosen_smoothing`.

    Parameters
    ----------
    squares : ndarray of shape (n - 1,)
        Squared cosine transforms, not all 0.
    first, number : int
        First of the cosines, and their number.
    """
    spectra = _spectra(len(squares) + 1)
    weight = _weights(squares, spectra, first)
    begin, end = spectra.edges[:-1], spectra.edges[1:]
    inside = np.minimum(end, first + number) - np.maximum(begin, first)
    means = (1 / spectra.inverse) @ np.maximum(inside, 0) / number
    biases = 1 - means / spectra.zeros
    bias = float(weight @ biases)
    spread = math.sqrt(float(weight @ (biases - bias) ** 2))
    return bias, min(LARGEST_ALLOWANCE, bias + spread)


def cosines_at(n_times: float, inflation: float, horizon: int) -> float:
    """Number of cosines that are likely chosen for records alike as in an autoregression.

    With correlation rho, the variance is (1 + rho) / (1 - rho) times that of independent
    records, and the spectrum at frequency x is about 1 - rho x² / (1 - rho)² of that at 0.
    Its mean up to x is below by a third of the distance, which is `LARGEST_BIAS` for::

        x² = 3 bias (1 - rho)² / rho = 12 bias / (inflation² - 1)

    Parameters
    ----------
    n_times : float
        Number of time points.
    inflation : float
        Variance over that of independent time points.
    horizon : int
        Number of steps by which forecasts are ahead.
    """
    cap = min(CAP * n_times**CAP_POWER, n_times / (2 * horizon))
    if inflation > 1:
        width = math.sqrt(12 * LARGEST_BIAS / (inflation**2 - 1))
        cap = min(cap, n_times * width / math.pi)
    return max(float(FEWEST_COSINES), cap)


def periodogram_variance(values: FloatArray, number: int) -> float:
    """Mean of the periodogram at the first Fourier frequencies.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The series.
    number : int
        Number of Fourier frequencies.
    """
    ordinates = np.fft.rfft(values)[1 : number + 1]
    return float(np.mean(np.abs(ordinates) ** 2)) / len(values)


def autocovariance(values: FloatArray, lag: int) -> float:
    """Mean product of the values of a centred series that are some steps apart, over n."""
    n = len(values)
    return float(values[lag:] @ values[: n - lag]) / n


def bartlett_variance(values: FloatArray, bandwidth: int) -> float:
    """Newey and West's variance: autocovariances with weights 1 - lag / bandwidth.

    It is the mean square of the sums over windows of the bandwidth, at all positions that
    overlap the series, so that it takes as long for many lags as for few.
    """
    n, width = len(values), bandwidth
    total = np.concatenate([[0.0], np.cumsum(values), np.full(width - 1, values.sum())])
    windows = total[1:] - np.concatenate([np.zeros(width), total[1:n]])[: len(total) - 1]
    return float(windows @ windows) / (n * width)


@dataclass(frozen=True, slots=True)
class FixedBandwidth:
    """Student's ratio of a mean with a variance by a share of all lags.

    Kiefer and Vogelsang's limit: a normal number over the root of a weighted sum of
    independent squares. The weights are the eigenvalues of the kernel of a bridge.

    Attributes
    ----------
    weights : tuple of float
        The weights of the squares.
    """

    weights: tuple[float, ...]

    @classmethod
    def bartlett(cls, share: float) -> "FixedBandwidth":
        """Return the reference of Bartlett weights up to a share of all lags."""
        return cls(_bartlett_weights(round(share, 12)))

    def log_pvalue(self, statistic: float) -> float:
        """Logarithm of the two-sided p-value.

        With Craig's form of the normal tail, the mean over the squares is a product::

            p = 2 / pi  integral from 0 to pi / 2 of
                product of (1 + t² w_i / sin²(x)) ^ (-1/2)  dx
        """
        square = statistic**2
        if square == 0:
            return 0.0
        scale = square * sum(self.weights)
        least = min(math.pi / 4, math.atan(math.sqrt(scale))) / 8
        edges = least * 2.0 ** np.arange(math.ceil(math.log2(math.pi / 2 / least)))
        edges = np.concatenate([[0.0], edges, [math.pi / 2]])
        half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
        points = np.sin(middle + half * _NODES) ** 2
        ratios = square * np.array(self.weights) / points[..., np.newaxis]
        logs = -0.5 * np.log1p(ratios).sum(axis=-1)
        largest = float(logs.max())
        integral = float((half * _NODE_WEIGHTS * np.exp(logs - largest)).sum())
        return min(0.0, math.log(2 / math.pi * integral) + largest)

    def quantile(self, tail: float) -> float:
        """Upper quantile at a tail probability of at most 1/2."""
        if tail == 0.5:
            return 0.0
        goal, high = math.log(2 * tail), 2.0
        while self.log_pvalue(high) > goal:
            high *= 2
        return float(brentq(lambda t: self.log_pvalue(t) - goal, 0.0, high, xtol=1e-13))


_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(24)

GRID = 256
"""Number of points of the limit of a series in its eigenvalues."""


@lru_cache(maxsize=64)
def _bartlett_weights(share: float) -> tuple[float, ...]:
    """Eigenvalues of the Bartlett kernel, centred in both arguments, above rounding."""
    points = (np.arange(GRID) + 0.5) / GRID
    kernel = np.maximum(0, 1 - np.abs(points[:, None] - points) / share)
    kernel -= kernel.mean(axis=0)
    kernel -= kernel.mean(axis=1, keepdims=True)
    values = np.linalg.eigvalsh(kernel / GRID)
    return tuple(values[values > 1e-7 * values.max()].tolist())
