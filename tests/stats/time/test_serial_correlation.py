"""By how much the order of records inflates the variance of a mean difference."""

import numpy as np
import pytest

from skcompare.evidence import OrderedDifferences
from skcompare.stats import serial_correlation
from tests.stats.time.test_diebold_mariano import drift


def found(values):
    return serial_correlation(OrderedDifferences.from_differences(values))


def test_factor_of_an_autoregression():
    """(1 + rho) / (1 - rho) in long series, and found in each."""
    correlations = [found(drift(5000, 0.6, seed)) for seed in range(10)]

    assert 4.0 == pytest.approx(np.mean([each.inflation for each in correlations]), rel=0.1)
    assert all(each.matters for each in correlations)


def test_drifting_disagreement_is_found():
    """Half a thousand records of which a fifth differ, and drift, are not unrelated."""
    rng = np.random.default_rng(0)
    series = [
        np.where(rng.random(500) < 0.2, np.sign(drift(500, 0.95, seed)), 0.0)
        for seed in range(20)
    ]
    shuffled = [rng.permutation(values) for values in series]

    assert sum(found(values).matters for values in series) >= 17
    assert sum(found(values).matters for values in shuffled) <= 1


def test_pvalue_is_uniform_in_random_order():
    """Rejections are as many as the level says, of skewed differences too."""
    rng = np.random.default_rng(1)
    pvalues = [found(rng.exponential(size=80) ** 2).pvalue for _ in range(400)]

    assert 0.1 == pytest.approx(np.mean(np.array(pvalues) < 0.1), abs=0.045)


def test_an_effect_must_be_large():
    """Many records make a small correlation significant, but it does not matter."""
    correlation = found(drift(200_000, 0.04, 0))

    assert correlation.pvalue < 0.01
    assert correlation.inflation == pytest.approx(1.08, abs=0.05)
    assert not correlation.matters


def test_no_variation():
    """Equal forecasts and constant differences have no serial correlation."""
    for value in (0.0, 0.3):
        correlation = found(np.full(50, value))

        assert (1, 1) == (correlation.inflation, correlation.pvalue)
        assert not correlation.matters
