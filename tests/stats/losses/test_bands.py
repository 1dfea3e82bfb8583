"""Simultaneous limits of means over ranges, and of quantiles."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstwo, multivariate_normal, norm, t

from skcompare.stats.losses import means_by_range, quantile_band, range_limits
from skcompare.stats.losses._bands import largest_of_normal

RNG = np.random.default_rng(0)
SYMMETRIC = np.concatenate([RNG.normal(size=30), [0.0]])
SYMMETRIC = np.concatenate([SYMMETRIC, -SYMMETRIC])
"""Values without skewness, whose limits are Student's alone."""


def test_limits_of_symmetric_values():
    """They are Student's, at the level that K independent statistics take."""
    values = np.concatenate([SYMMETRIC, 2 * SYMMETRIC + 1, SYMMETRIC - 3])
    n = len(SYMMETRIC)
    means = means_by_range(values, np.repeat(np.arange(3), n), 3, confidence_level=0.9)
    error = SYMMETRIC.std(ddof=1) / np.sqrt(n) * np.array([1, 2, 1])
    reach = t.ppf((1 + 0.9 ** (1 / 3)) / 2, n - 1) * error

    assert_allclose(means.mean, [0, 1, -3], atol=1e-14)
    assert_allclose(means.error, error, rtol=1e-12)
    assert_allclose(means.high - means.mean, reach, rtol=1e-9)
    assert_allclose(means.mean - means.low, reach, rtol=1e-9)
    assert_array_equal(means.records, [n] * 3)
    assert 0.9 == pytest.approx(means.level**3)


def test_skewed_values():
    """The side of the long tail has Hall's wider limit, and the other Student's."""
    values = RNG.exponential(size=50)
    means = means_by_range(values, np.zeros(50, dtype=int), 1)
    error = values.std(ddof=1) / np.sqrt(50)
    deviations = values - values.mean()
    # Hall (1992): the statistic T has the normal transformation
    # T + a T² / 3 + a² T³ / 27 + a / 6, where a is the skewness of the mean.
    a = (deviations**3).sum() / (deviations**2).sum() ** 1.5
    limit = (values.mean() - means.high[0]) / error
    quantile = t.ppf(0.975, 49)

    assert -quantile == pytest.approx(
        limit + a * limit**2 / 3 + a**2 * limit**3 / 27 + a / 6
    )
    assert quantile * error == pytest.approx(values.mean() - means.low[0])
    reverse = means_by_range(-values, np.zeros(50, dtype=int), 1)
    assert_allclose([reverse.low[0], reverse.high[0]], [-means.high[0], -means.low[0]])


def test_groups_of_one_record():
    """They are as single records, but for the draws of the level."""
    values, ranges = RNG.normal(size=200), np.arange(200) % 4
    alone = means_by_range(values, ranges, 4)
    grouped = means_by_range(values, ranges, 4, groups=np.arange(200))

    assert_allclose(grouped.error, alone.error, rtol=1e-12)
    assert grouped.level == pytest.approx(alone.level, abs=2e-3)
    assert grouped.level <= alone.level
    assert_allclose(grouped.low, alone.low, rtol=0.05)


def test_groups_in_several_ranges():
    """Errors are those of sums of groups, and dependence makes the level less strict."""
    shared = RNG.normal(size=60)
    values = np.repeat(shared, 4) + 0.1 * RNG.normal(size=240)
    ranges, groups = np.tile(np.arange(4), 60), np.repeat(np.arange(60), 4)
    means = means_by_range(values, ranges, 4, groups=groups)
    alone = means_by_range(values, ranges, 4)

    # One record of each group is in each range, so that errors are those of records.
    assert_allclose(means.error, alone.error, rtol=1e-12)
    assert 0.95 < means.level < alone.level - 0.01
    doubled = means_by_range(
        np.repeat(values, 2), np.repeat(ranges, 2), 4, groups=np.repeat(groups, 2)
    )
    assert_allclose(doubled.error, means.error, rtol=1e-12)
    assert_array_equal(doubled.units, means.units)


def test_largest_of_correlated_numbers():
    """The quantile is that of the multivariate normal distribution, by integration."""
    influence = RNG.normal(size=(50, 3)) + RNG.normal(size=(50, 1))
    influence /= np.sqrt((influence**2).sum(axis=0))
    correlation = influence.T @ influence
    critical = largest_of_normal(influence, 0.95)
    inside = multivariate_normal(np.zeros(3), correlation).cdf(
        np.full(3, critical), lower_limit=np.full(3, -critical)
    )

    assert 0.95 == pytest.approx(inside, abs=4e-3)
    assert largest_of_normal(np.eye(1), 0.95) == pytest.approx(norm.ppf(0.975), abs=0.03)


def test_nothing_is_known_of_constant_values():
    """Equal values other than 0, and single ones, have no limits; those of 0 are 0."""
    values = np.array([0.0, 0, 0.1, 0.1, 0.1, 2, 1, 3, 2])
    ranges = np.array([0, 0, 1, 1, 1, 2, 3, 3, 3])
    means = means_by_range(values, ranges, 4)

    assert_array_equal(means.low[:3], [0, -np.inf, -np.inf])
    assert_array_equal(means.high[:3], [0, np.inf, np.inf])
    assert means.low[3] == means_by_range(values[6:], np.zeros(3, dtype=int), 1).low[0]


def test_order_of_records():
    """It does not matter, with groups or without."""
    values, ranges, groups = RNG.normal(size=90), np.arange(90) % 3, np.arange(90) // 4
    order = RNG.permutation(90)
    for own in (None, groups):
        there = means_by_range(values, ranges, 3, groups=own)
        shuffled = None if own is None else own[order]
        back = means_by_range(values[order], ranges[order], 3, groups=shuffled)
        assert_allclose(there.low, back.low, rtol=1e-12)
        assert_allclose(there.high, back.high, rtol=1e-12)


def test_limits_of_ranges():
    """They are quantiles that occur; ties are not divided, nor are few records apart."""
    assert_array_equal(range_limits(np.arange(1, 101.0), 4), [25, 50, 75])
    assert_array_equal(range_limits(np.arange(1, 101.0)), [50])
    assert 7 == len(range_limits(np.arange(1000.0)))
    assert 2 == len(range_limits(np.arange(1000.0), groups=np.arange(1000) % 120))
    assert_array_equal(range_limits(np.array([0.0] * 99 + [1.0]), 5), [])
    assert_array_equal(range_limits(np.repeat([0.0, 1.0, 2.0], 40), 8), [0, 1])
    assert 0 == len(range_limits(np.array([1.0]), 3))


def test_quantiles():
    """They are numpy's inverted distribution function, with Kolmogorov's distance."""
    values, shares = RNG.normal(size=250), np.array([0.004, 0.1, 0.5, 0.95, 1.0])
    quantiles, low, high = quantile_band(values, shares, confidence_level=0.9)
    error = kstwo.ppf(0.9, 250)

    assert_array_equal(quantiles, np.quantile(values, shares, method="inverted_cdf"))
    assert_array_equal(
        low[1:], np.quantile(values, shares[1:] - error, method="inverted_cdf")
    )
    assert -np.inf == low[0]
    assert_array_equal(high[-2:], [np.inf, np.inf])
    at = np.searchsorted(np.sort(values), high[2])
    assert at / 250 <= 0.5 + error < (at + 1) / 250


def test_quantiles_of_groups():
    """Groups of one have nearly Kolmogorov's distance, and larger ones a wider band."""
    values, shares = RNG.normal(size=600), np.array([0.3, 0.5, 0.7])
    alone, single, large = (
        np.subtract(*quantile_band(values, shares, groups=groups)[1:])
        for groups in (None, np.arange(600), np.searchsorted(np.sort(values), values) // 6)
    )

    assert_allclose(single, alone, rtol=0.15)
    assert (np.abs(large) > 1.5 * np.abs(alone)).all()
    band = quantile_band(values, shares, groups=np.zeros(600, dtype=int))
    assert np.isinf(band[1:]).all()


@pytest.mark.slow
def test_simultaneous_coverage():
    """All means of skewed gains of ranges are held at once about as often as stated."""
    held = []
    for _ in range(2000):
        values = np.abs(RNG.normal(size=320)) - 0.7 * np.abs(RNG.normal(size=320))
        means = means_by_range(values, np.repeat(np.arange(8), 40), 8)
        truth = 0.3 * np.sqrt(2 / np.pi)
        held.append(((means.low <= truth) & (truth <= means.high)).all())

    assert 0.935 <= np.mean(held) <= 0.97
