"""Serial correlation of differences, as the factor by which it inflates their variance."""

from dataclasses import dataclass

import numpy as np

from skcompare._registry.tests import takes_evidence
from skcompare.evidence import OrderedDifferences
from skcompare.stats.core._tails import chi2_pvalue
from skcompare.stats.time._diebold_mariano import by_cosines, centred_or_zero, check_length
from skcompare.stats.time._long_run_variance import FEWEST_COSINES, squared_cosines

LEAST_INFLATION, LARGEST_PVALUE = 1.2, 0.01
"""Inflation of the variance, and p-value, from which serial correlation matters."""

BAND = 16
"""Records for each cosine whose square is compared with the variance."""

BLOCKS, BAND_OF_BLOCKS = 4096, 4
"""Blocks of a long series that are enough to see that it has no serial correlation that
matters, and blocks for each cosine."""

FEWEST_RECORDS = 50
"""Number of records from which those of a hold-out are searched for serial correlation."""


@dataclass(frozen=True, slots=True)
class SerialCorrelation:
    """Serial correlation of differences in the order of their records.

    Attributes
    ----------
    inflation : float
        Variance of the mean difference over that of independent records; 1 without
        variance.
    pvalue : float
        P-value of the hypothesis that the order of the records does not matter, against
        positive correlation of consecutive records.
    n : int
        Number of time points.
    """

    inflation: float
    pvalue: float
    n: int

    @property
    def matters(self) -> bool:
        """Whether the variance is more than 1.2 times as large, and p is below 0.01."""
        return self.inflation > LEAST_INFLATION and self.pvalue < LARGEST_PVALUE


@takes_evidence
def serial_correlation(ordered: OrderedDifferences) -> SerialCorrelation:
    """Estimate by how much serial correlation inflates the variance of a mean difference.

    Tests of a hold-out assume independent records. If consecutive records in a file are
    correlated, the variance of a mean is larger than they assume, and equal models are
    rejected too often. The result is the factor by which it is larger, and a p-value for
    whether that may be chance.

    Parameters
    ----------
    ordered : OrderedDifferences
        Differences of the records, in the order of the file or of time.

    Returns
    -------
    correlation : SerialCorrelation
        With `inflation`, `pvalue`, and `matters`: above 1.2 and below 0.01.

    Raises
    ------
    ValueError
        If there are fewer than 8 records for each step of the horizon.

    Notes
    -----
    The inflation is the long-run variance of :func:`diebold_mariano` over the variance.
    The p-value compares the mean of the squares of the first n / 16 cosine transforms
    (at least 4) with the variance, by the chi-squared distribution: for records in any
    order they are equal [1]_. Records in random order have an inflation about 1. Equal
    forecasts and constant differences have an inflation of 1 and p = 1.
    ``benchmarks/validity/time/diebold_mariano.py`` measures how often it is found, and
    ``benchmarks/validity/time/guard.py`` how often comparisons of hold-outs are flagged
    "serially-correlated" for it: in 1 % of independent records at most.

    References
    ----------
    .. [1] Müller, U. K. (2007). "A theory of robust long-run variance estimation." Journal
       of Econometrics 141(2), 1331-1352.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import OrderedDifferences
    >>> from skcompare.stats import serial_correlation
    >>> rng = np.random.default_rng(0)
    >>> drift = np.cumsum(rng.normal(size=400))
    >>> gains = np.sign(drift) * (rng.random(400) < 0.3)
    >>> found = serial_correlation(OrderedDifferences.from_differences(gains))
    >>> print(f"variance times {found.inflation:.1f}, p = {found.pvalue:.1e}")
    variance times 35.1, p = 4.7e-16
    """
    check_length(ordered, "serial_correlation")
    values, n = centred_or_zero(ordered), ordered.n_times
    if not values.any():
        return SerialCorrelation(1.0, 1.0, n)
    variance = float(values @ values) / n
    long_run, _ = by_cosines(values, ordered.horizon)
    number = max(FEWEST_COSINES, n // BAND)
    total = float(squared_cosines(values)[:number].sum()) / variance
    return SerialCorrelation(long_run.variance / variance, chi2_pvalue(total, number)[0], n)


def correlation_in_order(gains: np.ndarray) -> SerialCorrelation | None:
    """Return the serial correlation of gains if it matters, or None.

    It is that of :func:`serial_correlation`. Sums of blocks of a long series are compared
    with the variance first, which takes little time.

    Parameters
    ----------
    gains : ndarray of shape (n_samples,)
        Numbers in the order of the records; whole ones are -1, 0 or 1.
    """
    n = len(gains)
    if n < FEWEST_RECORDS:
        return None
    size = max(1, n // BLOCKS)
    whole = gains.dtype.kind != "f"
    in_blocks = gains[: n - n % size].reshape(-1, size)
    sums = in_blocks.sum(axis=1, dtype=np.int64 if whole else np.float64)
    square = np.count_nonzero(gains) if whole else float(gains @ gains)
    variance = square / n - (float(sums.sum()) / (n - n % size)) ** 2
    if not variance > 0:
        return None
    number = max(FEWEST_COSINES, min(n // BAND, len(sums) // BAND_OF_BLOCKS))
    total = float(squared_cosines(sums.astype(np.float64))[:number].sum())
    if chi2_pvalue(total / (size * variance), number)[0] >= LARGEST_PVALUE:
        return None
    correlation = serial_correlation(OrderedDifferences.from_differences(gains))
    return correlation if correlation.matters else None
