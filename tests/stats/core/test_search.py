"""Searches for the smallest number of records."""

import itertools
import math

from skcompare.stats.core._power import fewest_near, first_lasting, nearest_tried, smallest


def test_smallest_whole_number():
    """It is enough and the one before is not, wherever the doubling starts."""
    for needed, start in itertools.product([1, 2, 3, 63, 64, 65, 1000], [1, 2, 10, 5000]):
        assert needed == smallest(lambda n, least=needed: n >= least, start)


def test_smallest_number_within_bounds():
    """Above the lower bound, and infinite where the upper one is not enough."""
    assert 7 == smallest(lambda n: n >= 3, 9, low=6)
    assert 20 == smallest(lambda n: n >= 20, 6, most=20)
    assert math.inf == smallest(lambda n: n >= 21, 6, most=20)
    assert math.inf == smallest(lambda n: False, 1)


def test_smallest_number_that_is_not_whole():
    """To the precision that is asked for, never too small."""
    for precision in (1e-3, 1e-15):
        found = smallest(lambda x: x >= math.pi, 1, whole=False, precision=precision)

        assert math.pi <= found <= math.pi * (1 + precision)


def test_power_must_last():
    """Numbers whose power is lost again within ten more do not count."""
    powers = {3: 0.9, 14: 0.9, 15: 0.9}

    def power_at(n):
        return powers.get(n, float(n > 15))

    assert 14 == first_lasting(map(power_at, itertools.count(1)), 1, 0.8)
    assert math.inf == first_lasting([0.9] * 10, 1, 0.8)
    for near in (2, 14, 30, 1900):
        assert 14 == fewest_near(power_at, near, 0.8)


def test_many_records_are_found_to_a_thousandth():
    """From either side of the number that is needed."""
    for near in (8_000, 10_000, 12_000):
        found = fewest_near(lambda n: n / 12_500, near, 0.8)

        assert 10_000 <= found <= 10_012


def test_nearest_of_those_tried():
    """It stops where the power is near enough, and else returns the best of a few."""
    tried = []

    def power_at(n):
        tried.append(n)
        return n / 100

    assert 80 == nearest_tried(power_at, lambda n, reached: n + 30, 20, 0.8, 0.01)
    assert [20, 50, 80] == tried
    assert 81 == nearest_tried(power_at, lambda n, reached: n + 30, 21, 0.8, 0.001)
