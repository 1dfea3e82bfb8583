"""Simultaneous limits of means over ranges of a number, and of quantiles."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr
from scipy.stats import kstwo
from scipy.stats import t as student

from skcompare._typing import FloatArray, IntArray

LEAST_UNITS = 40
"""Records, or groups, of a range by default."""

MOST_RANGES = 8
"""Largest number of ranges by default."""

ROUNDING = 1e-12
"""Share of the largest value below which a variation is rounding."""

DRAWS = 20_000
"""Draws of correlated normal numbers."""

CHECKED = 100
"""Number of quantiles at which the shares of records in groups are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class RangeMeans:
    """Means over ranges, with simultaneous limits.

    Attributes
    ----------
    mean, error : ndarray of shape (n_ranges,)
        Mean of the values in each range, and its standard error; NaN for a single unit.
    low, high : ndarray of shape (n_ranges,)
        Limits that hold in all ranges together; infinite where nothing is known.
    records, units : ndarray of shape (n_ranges,)
        Records in each range, and the groups that they are from, or records again.
    level : float
        Confidence level of each range by itself.
    """

    mean: FloatArray
    error: FloatArray
    low: FloatArray
    high: FloatArray
    records: IntArray
    units: IntArray
    level: float


def range_limits(
    values: FloatArray, n_ranges: int | None = None, groups: IntArray | None = None
) -> FloatArray:
    """Return the limits between ranges with about equally many records.

    They are values that occur; a range has its upper limit and not its lower one. Where
    many records are equal there may be fewer ranges.

    Parameters
    ----------
    values : ndarray of shape (n_records,)
        The number whose range is divided.
    n_ranges : int or None, default=None
        By default as many as have 40 records each, or 40 of all groups, from 1 to 8.
    groups : ndarray of shape (n_records,) or None, default=None
        Group of each record.
    """
    n = len(values)
    if n_ranges is None:
        units = n if groups is None else len(np.unique(groups))
        n_ranges = min(max(1, units // LEAST_UNITS), MOST_RANGES)
    ordered = np.sort(values)
    places = np.ceil(n * np.arange(1, n_ranges) / n_ranges).astype(np.int64) - 1
    least = max(2, n // (2 * n_ranges))
    limits, before = [], 0
    for limit in np.unique(ordered[places]):
        until = int(np.searchsorted(ordered, limit, "right"))
        if min(until - before, n - until) >= least:
            limits.append(limit)
            before = until
    return np.array(limits, dtype=np.float64)


def means_by_range(
    values: FloatArray,
    ranges: IntArray,
    n_ranges: int,
    *,
    groups: IntArray | None = None,
    confidence_level: float = 0.95,
) -> RangeMeans:
    r"""Estimate the means of ranges, with limits that hold in all of them together.

    With probability `confidence_level` every range has the mean of further records of this
    range within its limits, so that any statement read off them, such as "the mean is
    above 0 here and below 0 there", is valid although the ranges were chosen by what they
    show. The ranges themselves must not depend on the values, given the number that they
    are ranges of: quantiles of that number do not.

    Parameters
    ----------
    values : ndarray of shape (n_records,)
        Value of each record, such as a gain.
    ranges : ndarray of shape (n_records,)
        Position of the range of each record.
    n_ranges : int
        Number of ranges.
    groups : ndarray of shape (n_records,) or None, default=None
        Group of each record; records of a group may depend on each other.
    confidence_level : float, default=0.95
        Probability that all limits hold.

    Returns
    -------
    means : RangeMeans
        A range whose values do not vary, or with one record or group, has infinite limits;
        if all its values are 0 both limits are 0.

    Notes
    -----
    The limits of a range are those of Student's t with as many degrees of freedom as it
    has units, less one, or those of Hall's transformation [1]_ for the observed skewness
    where they are wider. (Where they are narrower, the skewness of few records may be that
    of an outlier.) With q the quantile of t, s the standard error and a the skewness of the
    mean, Hall's are

    .. math:: m - s\,h(q), \quad m - s\,h(-q), \qquad
        h(z) = \frac{3}{a} \left( \sqrt[3]{1 + a (z - a / 6)} - 1 \right).

    All ranges have the same level by themselves. Those of independent records are
    independent, and the level of each of K is the K-th root of `confidence_level` (Sidak
    [2]_), which is what the largest of K independent statistics takes. Groups make ranges
    dependent: the level is then that at which the largest of K normal numbers with the
    observed correlations of the means is exceeded, by drawing 20,000 of them with a
    constant seed. It is never larger than that of independent ranges, whose band is
    conservative for any correlation [2]_.

    References
    ----------
    .. [1] Hall, P. (1992). "On the removal of skewness by transformation." Journal of the
       Royal Statistical Society B 54(1), 221-228.
    .. [2] Sidak, Z. (1967). "Rectangular confidence regions for the means of multivariate
       normal distributions." Journal of the American Statistical Association 62(318),
       626-633.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.stats.losses import means_by_range
    >>> gains = np.array([2.0, 1.0, 3.0, 2.0, 2.0, -1.0, -2.0, -1.0, -2.0, -1.5])
    >>> means = means_by_range(gains, np.repeat([0, 1], 5), 2)
    >>> means.mean.tolist()
    [2.0, -1.5]
    >>> bool(means.low[0] > 0 > means.high[1])
    True
    """
    records = np.bincount(ranges, minlength=n_ranges)
    mean = np.bincount(ranges, values, n_ranges) / np.maximum(records, 1)
    deviations = values - mean[ranges]
    if groups is None:
        influence: FloatArray = deviations / records[ranges]
        cells = ranges
    else:
        codes = np.unique(groups, return_inverse=True)[1].astype(np.int64)
        pairs, inverse = np.unique(codes * n_ranges + ranges, return_inverse=True)
        cells = pairs % n_ranges
        shares = deviations / records[ranges]
        influence = np.bincount(inverse, shares, len(pairs)).astype(np.float64)
    units = np.bincount(cells, minlength=n_ranges)
    largest = np.zeros(n_ranges)
    np.maximum.at(largest, ranges, np.abs(values))
    square, third = (np.bincount(cells, influence**k, n_ranges) for k in (2, 3))
    # The mean of n equal values has a rounding error, and so have their deviations.
    varied = np.sqrt(square * units) > ROUNDING * largest
    square = np.where(varied, square, 0.0)
    skewness = np.where(varied, third / np.where(varied, square, 1.0) ** 1.5, 0.0)
    error = np.where(units > 1, np.sqrt(square * units / np.maximum(units - 1, 1)), np.nan)
    varied &= units > 1
    if groups is None:
        level = confidence_level ** (1 / max(1, int(np.count_nonzero(varied))))
    else:
        rows = np.zeros((int(codes.max()) + 1, n_ranges))
        rows[pairs // n_ranges, cells] = influence
        level = _level_of_each(rows[:, varied], confidence_level)
    low, high = _limits(mean, error, skewness, units, level)
    constant = np.where((units > 1) & (mean == 0), 0.0, np.inf)
    low, high = np.where(varied, low, 0.0 - constant), np.where(varied, high, constant)
    return RangeMeans(mean, error, low, high, records, units, level)


def _limits(
    mean: FloatArray,
    error: FloatArray,
    skewness: FloatArray,
    units: IntArray,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the wider of Student's and of Hall's limits, on either side."""
    quantile = student.ppf((1 + level) / 2, np.maximum(units - 1, 1))
    is_skewed = np.abs(skewness) > ROUNDING
    a = np.where(is_skewed, skewness, 1.0)

    def transformed(z: FloatArray) -> FloatArray:
        return np.where(is_skewed, 3 / a * (np.cbrt(1 + a * (z - a / 6)) - 1), z)

    low = mean - error * np.maximum(quantile, transformed(quantile))
    high = mean + error * np.maximum(quantile, -transformed(-quantile))
    return low, high


def _level_of_each(influence: FloatArray, confidence_level: float) -> float:
    """Return the level of each mean at which all together have the confidence level."""
    n_means = influence.shape[1]
    if n_means < 2:
        return confidence_level
    scaled = influence / np.sqrt((influence**2).sum(axis=0))
    critical = largest_of_normal(scaled, confidence_level)
    independent = confidence_level ** (1 / n_means)
    level = 2 * float(ndtr(critical)) - 1
    return min(max(level, confidence_level), independent)


def largest_of_normal(influence: FloatArray, confidence_level: float) -> float:
    """Return a quantile of the largest of correlated normal numbers, in absolute value.

    Parameters
    ----------
    influence : ndarray of shape (n_units, n_numbers)
        Influence of each unit on each number: their covariance matrix is its product with
        itself. Sums of influences times independent normal multipliers have it.
    confidence_level : float
        Level of the quantile.
    """
    values, vectors = np.linalg.eigh(influence.T @ influence)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    kept = root[:, values > ROUNDING * max(values[-1], 0.0)]
    rng = np.random.default_rng(0)
    drawn = rng.standard_normal((DRAWS, kept.shape[1])) @ kept.T
    largest = np.abs(drawn).max(axis=1, initial=0.0)
    return float(np.quantile(largest, confidence_level))


def quantile_band(
    values: FloatArray,
    shares: FloatArray,
    *,
    groups: IntArray | None = None,
    confidence_level: float = 0.95,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Estimate quantiles, with a band that holds for all of them together.

    Parameters
    ----------
    values : ndarray of shape (n_records,)
        Values, such as residuals.
    shares : ndarray of shape (n_shares,)
        Levels of the quantiles, between 0 and 1.
    groups : ndarray of shape (n_records,) or None, default=None
        Group of each record; records of a group may depend on each other.
    confidence_level : float, default=0.95
        Probability that the band has all true quantiles.

    Returns
    -------
    quantiles, low, high : ndarray of shape (n_shares,)
        The least value that has at least this share of the values up to it, and its
        limits, which are infinite where the sample does not reach.

    Notes
    -----
    Where the true and the observed share of values up to x differ by at most e for each x,
    the true quantile of level p lies between the observed ones of p - e and p + e:
    :math:`x_{(\lceil n (p - e) \rceil)}` and :math:`x_{(\lfloor n (p + e) \rfloor + 1)}`.
    For independent records e is the quantile of Kolmogorov's statistic, whatever the
    distribution: exact if it is continuous, and conservative if it is not. For groups it
    is that of the largest of normal numbers with the observed covariances of the shares,
    for many groups.

    References
    ----------
    Kolmogorov, A. N. (1933). "Sulla determinazione empirica di una legge di
    distribuzione." Giornale dell'Istituto Italiano degli Attuari 4, 83-91.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.stats.losses import quantile_band
    >>> quantile_band(np.arange(100.0), np.array([0.05, 0.5]))
    (array([ 4., 49.]), array([-inf, 36.]), array([18., 63.]))
    """
    n, ordered = len(values), np.sort(values)
    if groups is None:
        error = float(kstwo.ppf(confidence_level, n))
    else:
        error = _error_of_shares(values, ordered, groups, confidence_level)
    # A level times n that should be whole must not be rounded beyond it.
    whole = ROUNDING * n
    at = np.ceil(shares * n - whole).astype(np.int64) - 1
    below = np.ceil((shares - error) * n - whole).astype(np.int64) - 1
    above = np.floor((shares + error) * n + whole).astype(np.int64)
    padded = np.concatenate([[-np.inf], ordered, [np.inf]])
    quantiles = ordered[np.clip(at, 0, n - 1)]
    return (
        quantiles,
        padded[np.clip(below + 1, 0, n + 1)],
        padded[np.clip(above + 1, 0, n + 1)],
    )


def _error_of_shares(
    values: FloatArray, ordered: FloatArray, groups: IntArray, confidence_level: float
) -> float:
    """Return the largest difference of shares of grouped records, at a level."""
    n = len(values)
    codes = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    n_groups = int(codes.max()) + 1
    if n_groups < 2:
        return 1.0
    points = np.unique(ordered[np.linspace(0, n - 1, CHECKED).astype(np.int64)])
    sizes = np.bincount(codes, minlength=n_groups)
    influence = np.empty((n_groups, len(points)))
    for k, point in enumerate(points):
        is_below = values <= point
        below = np.bincount(codes, is_below, n_groups)
        influence[:, k] = (below - sizes * is_below.mean()) / n
    return largest_of_normal(
        influence * math.sqrt(n_groups / (n_groups - 1)), confidence_level
    )
