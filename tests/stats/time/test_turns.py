"""Records that differ in few runs, of which few may be independent."""

import numpy as np
import pytest

from skcompare.evidence import OrderedDifferences
from skcompare.stats import diebold_mariano
from tests.stats.time.test_diebold_mariano import drift

FLAG = "too-few-independent-times"


def series(n, signs):
    """Differences of 0/1 losses at times that are spread evenly, and zeros between them."""
    values = np.zeros(n)
    values[np.linspace(0, n - 1, len(signs)).astype(int)] = signs
    return values


def is_flagged(values):
    return FLAG in diebold_mariano(OrderedDifferences.from_differences(values)).flags


@pytest.mark.parametrize(
    ("n", "signs", "expected"),
    [
        (60, [1] * 12, True),  # which of both is better never changes
        (60, [1] * 6 + [-1] * 6, True),
        (60, [1, -1] * 6, False),
        (60, [1, 1, -1, 1, -1, -1, 1, -1, 1, -1, -1, 1], False),
        (60, [1] * 5, False),  # 5 of one sign are no evidence of anything
        (500, ([1] * 10 + [-1] * 10) * 2, True),
        (500, [1, -1, 1, 1, 1, -1, 1, 1] * 10, False),
    ],
)
def test_runs_of_records_that_differ(n, signs, expected):
    """Few runs are flagged where equal models would hardly take turns."""
    values = series(n, signs)

    flags = [is_flagged(each) for each in (values, -values, 1e-9 * values)]

    assert [expected] * 3 == flags


def test_a_better_model_is_not_flagged():
    """Losses of any size show their dependence, though all favour one model."""
    rng = np.random.default_rng(0)

    assert not is_flagged(3 + rng.normal(size=200))
    assert not is_flagged(-3 + rng.normal(size=200))


def test_short_series_are_flagged_and_long_ones_are_not():
    """Series of 0/1 losses by n (1 - rho) / (1 + rho): 1.5, and at least 13."""

    def share(n, rho):
        found = 0
        for seed in range(40):
            differ = np.random.default_rng([seed, 1]).random(n) < 0.2
            found += is_flagged(np.where(differ, np.sign(drift(n, rho, seed)), 0.0))
        return found / 40

    assert share(60, 0.95) > 0.5
    assert share(120, 0.8) < 0.25
    assert share(500, 0.8) < 0.05


def test_first_runs_of_a_long_series_are_enough():
    """Many runs in a part show that as many time points are independent."""
    values = np.sign(np.random.default_rng(1).normal(size=200_000))
    values[20_000:] = 1.0

    assert not is_flagged(values)
