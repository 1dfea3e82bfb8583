"""The null distribution of signed-rank sums: every way to it counts the same choices."""

import itertools
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from skcompare.stats.core import _sign_flip as null
from skcompare.stats.core._sign_flip import subset_sum_chance


def midranks(rng, m, n_values):
    """Doubled midranks of m numbers with up to so many values."""
    return np.rint(2 * stats.rankdata(rng.integers(0, n_values, m))).astype(int)


def counted(ranks, room):
    """Choices of ranks that add to at most `room`, by a table of whole numbers."""
    ways = [1] + [0] * room
    for rank in ranks.tolist():
        for total in range(room, rank - 1, -1):
            ways[total] += ways[total - rank]
    return Fraction(sum(ways), 2 ** len(ranks))


def log_of(fraction):
    return math.log(fraction.numerator) - math.log(fraction.denominator)


def test_all_choices_of_few_ranks():
    """The probability is the share of all 2**m choices, to the last bit."""
    for n_values in [1, 2, 4, 100]:
        rng = np.random.default_rng(n_values)
        for m in (1, 2, 3, 7, 10):
            ranks = midranks(rng, m, n_values)
            sums = np.array(list(product((0, 1), repeat=m))) @ ranks
            for room in range(-1, int(ranks.sum()) + 2):
                assert float(np.mean(sums <= room)) == subset_sum_chance(ranks, room)[0]


@pytest.mark.slow
def test_ways_keep_the_digits_of_the_tail(monkeypatch):
    """Each way equals counting in whole numbers, however small the probability is."""
    for (most_added, turn_cost), n_values in itertools.product(
        [(10**9, 30), (0, 0), (0, 10**9)], [3, 20, 1000]
    ):
        monkeypatch.setattr(null, "MOST_ADDITIONS", most_added)
        monkeypatch.setattr(null, "ANGLE_COST", turn_cost)
        rng = np.random.default_rng(n_values)
        for m in (1, 5, 40, 110):
            ranks = midranks(rng, m, n_values)
            for share in (0, 0.001, 0.02, 0.1, 0.3, 0.49, 0.5, 0.6):
                room = int(share * ranks.sum())

                expected = log_of(counted(ranks, room))

                assert expected == pytest.approx(
                    subset_sum_chance(ranks, room)[1], abs=1e-12
                )


@pytest.mark.parametrize("n_values", [5, 50, 10**6])
def test_transform_of_many_ranks_equals_adding_them(monkeypatch, n_values):
    """At some hundred ranks, where few frequencies are followed, both ways agree."""
    ranks = midranks(np.random.default_rng(7), 400, n_values)
    for share in (0.02, 0.2, 0.4, 0.4999):
        room = int(share * ranks.sum())
        found = []
        for most_added in (10**12, 0):
            monkeypatch.setattr(null, "MOST_ADDITIONS", most_added)
            found.append(subset_sum_chance(ranks, room)[1])

        assert found[0] == pytest.approx(found[1], abs=1e-11)


def test_least_probability():
    """All signs alike: 2**-m, whose logarithm does not underflow."""
    for m in [1, 54, 1074, 1075, 5000]:
        ranks = 2 * np.arange(1, m + 1)

        chance, log_chance = subset_sum_chance(ranks, 0)

        assert math.ldexp(1.0, -m) == pytest.approx(chance, rel=1e-11, abs=0)
        assert -m * math.log(2) == pytest.approx(log_chance)


def test_far_tail_of_very_many_ranks():
    """With little room the choices are the partitions into different parts."""
    ranks = 2 * np.arange(1, 1201)
    for room in [0, 2, 10, 30]:
        expected = math.log(counted(ranks[:20], room) * 2**20) - 1200 * math.log(2)

        assert expected == pytest.approx(subset_sum_chance(ranks, room)[1], rel=1e-13)


def test_both_tails_are_alike():
    """What is not in one tail is in the other."""
    for m in (9, 300, 1500):
        ranks = midranks(np.random.default_rng(m), m, m // 2)
        most = int(ranks.sum())
        for room in (most // 3, most // 2 - 1, most // 2, most // 2 + 3):
            both = (
                subset_sum_chance(ranks, room)[0]
                + subset_sum_chance(ranks, most - room - 1)[0]
            )

            assert 1 == pytest.approx(both, rel=1e-12)


def test_many_ranks_are_nearly_normal():
    """Of 4000 ranks the error of the normal approximation is of the order 1 / m."""
    m = 4000
    ranks = 2 * np.arange(1, m + 1)
    mean, spread = m * (m + 1) / 4, math.sqrt(m * (m + 1) * (2 * m + 1) / 24)
    for z in (-3, -1, 0.5):
        room = math.floor(mean + z * spread)

        expected = stats.norm.cdf((room + 0.5 - mean) / spread)

        assert expected == pytest.approx(subset_sum_chance(ranks, 2 * room)[0], rel=10 / m)
