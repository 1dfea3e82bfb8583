"""T test of series of a population, with times that are alike."""

import math

import numpy as np
import pytest

from skcompare.evidence import OrderedDifferences
from skcompare.stats import diebold_mariano, two_way_t


def panel(seed, n_series=12, n_times=60, between=0.5):
    rng = np.random.default_rng(seed)
    time = np.tile(np.arange(n_times), n_series)
    groups = np.repeat(np.arange(n_series), n_times)
    values = (
        rng.normal(size=n_series * n_times) + between * rng.normal(size=n_series)[groups]
    )
    return OrderedDifferences.from_differences(values, time=time, groups=groups), values


def test_parts_of_the_variance():
    """Between the sums of the series, plus that of the test about these series."""
    evidence, values = panel(0)
    sums = (values - values.mean()).reshape(12, 60).sum(axis=1)
    between = 12 / 11 * (sums**2).sum() / 720**2
    over_time = diebold_mariano(evidence).details["se"] ** 2

    result = two_way_t(evidence)

    assert math.sqrt(between) == pytest.approx(result.details["se_of_series"], rel=1e-12)
    assert over_time == pytest.approx(result.details["se_over_time"] ** 2, rel=1e-12)
    assert between + over_time == pytest.approx(result.details["se"] ** 2, rel=1e-12)
    number = diebold_mariano(evidence).df
    df = (between + over_time) ** 2 / (between**2 / 11 + over_time**2 / number)
    assert df == pytest.approx(result.df, rel=1e-12)


def test_two_questions():
    """Series that differ say little of other series, and much of themselves."""
    wide = [two_way_t(panel(seed)[0]).details["se"] for seed in range(5)]
    narrow = [diebold_mariano(panel(seed)[0]).details["se"] for seed in range(5)]

    assert min(wide) > 2 * max(narrow)


def test_series_are_needed():
    """At least two of them."""
    plain = OrderedDifferences.from_differences(np.arange(40.0))
    one = OrderedDifferences.from_differences(np.arange(40.0), groups=np.zeros(40))
    for evidence, found in ((plain, "no series"), (one, "1 series")):
        with pytest.raises(ValueError, match=rf"Got {found}\. Pass `groups`"):
            two_way_t(evidence)


def test_series_without_variation_over_time():
    """Sums of the times that are all equal leave the variance between series."""
    values = np.repeat([1.0, 2.0, -1.0], 20)
    evidence = OrderedDifferences.from_differences(
        values, time=np.tile(np.arange(20), 3), groups=np.repeat(["a", "b", "c"], 20)
    )
    result = two_way_t(evidence)

    assert 0 == result.details["se_over_time"]
    assert 2 == pytest.approx(result.df)
    assert ("few-groups",) == result.flags


def test_shards_of_a_panel():
    """Series and times add up, wherever the records are."""
    whole, values = panel(1)
    time, groups = np.tile(np.arange(60), 12), np.repeat(np.arange(12), 60)
    shards = [
        OrderedDifferences.from_differences(
            values[part], time=time[part], groups=groups[part]
        )
        for part in (slice(0, 100), slice(100, 720))
    ]

    merged = two_way_t(shards[1] + shards[0])

    assert two_way_t(whole).statistic == pytest.approx(merged.statistic, rel=1e-12)
