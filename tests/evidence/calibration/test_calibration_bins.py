"""Bins of probabilities: which records share one, whatever rounding does."""

import itertools
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from skcompare.evidence.core._bins import (
    STRATEGIES,
    bin_codes,
    bin_edges,
    check_edges,
    equal_mass_starts,
)

NONE = np.empty(0)


def partition(p, edges):
    """The groups of records that share a bin, each as sorted probabilities."""
    codes = bin_codes(p, edges)
    return [sorted(p[codes == b].tolist()) for b in np.unique(codes)]


def equal_mass_slowly(p, n_bins):
    """Groups as numpy.array_split cuts them; a value of two groups goes to the upper."""
    groups = [g for g in np.array_split(np.sort(p), n_bins) if len(g)]
    cuts = {Fraction(a[-1]) / 2 + Fraction(b[0]) / 2 for a, b in pairwise(groups)}
    bounds = [Fraction(-1), *sorted(cuts), Fraction(2)]
    inside = [
        sorted(x for x in p.tolist() if low <= Fraction(x) < high)
        for low, high in pairwise(bounds)
    ]
    return [group for group in inside if group]


def probabilities(seed, n):
    """Random probabilities: many equal, some 0 and 1, some on edges."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    kind = rng.integers(5, size=n)
    p[kind == 1] = np.round(p[kind == 1], 1)
    p[kind == 2] = rng.integers(2, size=(kind == 2).sum())
    return p


def test_probability_on_an_edge():
    """A bin holds its lower edge: 0.3, 0.6 and 0.7 too, and the last bin holds 1."""
    for probability, expected in [
        (0.0, 0),
        (0.1, 1),
        (0.3, 3),
        (0.5, 5),
        (0.6, 6),
        (0.7, 7),
        (0.9, 9),
        (1.0, 9),
    ]:
        edges = bin_edges(NONE, 10, "uniform")

        assert [expected] == bin_codes(np.array([probability]), edges).tolist()
        assert 10 == len(edges) - 1


def test_uniform_bins_are_searched_ones():
    """The quick way to a uniform bin is right at the edges and next to them."""
    for n_bins in [1, 2, 3, 7, 10, 15, 20, 49, 100, 1000]:
        edges = bin_edges(NONE, n_bins, "uniform")
        p = np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 2)])
        p = np.clip(np.concatenate([p, np.random.default_rng(0).random(2000)]), 0, 1)
        expected = np.minimum((edges[:, None] <= p).sum(axis=0) - 1, n_bins - 1)

        assert expected.tolist() == bin_codes(p, edges).tolist()


def test_uniform_edges_are_nearest_to_quotients():
    """An edge is the double nearest to b / n_bins, which linspace misses."""
    for n_bins in [1, 3, 10, 15, 20]:
        expected = [float(Fraction(b, n_bins)) for b in range(n_bins + 1)]

        assert expected == bin_edges(NONE, n_bins, "uniform").tolist()


def test_equal_mass_bins():
    """Bins of equal mass hold what the definition, followed step by step, puts in them."""
    for seed in range(8):
        p = probabilities(seed, n=5 + 17 * seed)
        for n_bins in (1, 2, 5, 10, 15, 200):
            edges = bin_edges(p, n_bins, "equal_mass")

            assert equal_mass_slowly(p, n_bins) == partition(p, edges)
            assert len(edges) - 1 == len(partition(p, edges)) <= n_bins


def test_quantile_bins():
    """Quantile bins hold what lies between the different quantiles."""
    for seed in range(10):
        p = probabilities(seed, n=40)
        for n_bins in (1, 4, 10, 15):
            bounds = np.unique(np.quantile(p, np.arange(n_bins + 1) / n_bins))
            bounds[-1] = 2
            inside = [
                sorted(p[(low <= p) & (p < high)].tolist())
                for low, high in pairwise(bounds)
            ]

            edges = bin_edges(p, n_bins, "quantile")

            assert [group for group in inside if group] == partition(p, edges)


def test_different_probabilities_make_equal_bins():
    """Without ties, sizes differ by at most one, and the first bins are the larger ones."""
    p = np.random.default_rng(0).permutation(17) / 17

    sizes = [len(group) for group in partition(p, bin_edges(p, 5, "equal_mass"))]

    assert [4, 4, 3, 3, 3] == sizes


def test_equal_probabilities_stay_together():
    """No strategy parts equal probabilities, and the order of records does not matter."""
    for strategy, seed in itertools.product(STRATEGIES, range(5)):
        p = probabilities(seed, n=60)
        edges = bin_edges(p, 8, strategy)
        shuffled = np.random.default_rng(seed).permutation(p)

        codes = bin_codes(p, edges)

        assert all(len(set(codes[p == value])) == 1 for value in p)
        assert np.array_equal(edges, bin_edges(shuffled, 8, strategy))
        assert (np.diff(edges) > 0).all()
        assert (0.0, 1.0) == (edges[0], edges[-1])


def test_one_value_is_one_bin():
    """Where all probabilities are equal there is one bin, not an error and not none."""
    for strategy, value in itertools.product(["equal_mass", "quantile"], [0.0, 0.4, 1.0]):
        assert [0, 1] == bin_edges(np.full(7, value), 10, strategy).tolist()


def test_zeros_and_ones_are_two_bins():
    """Certain predictions make two bins of equal mass; quantiles pool what they pool."""
    p = np.array([0.0, 1.0] * 5)

    assert [0, 0.5, 1] == bin_edges(p, 10, "equal_mass").tolist()


def test_mostly_zeros():
    """Of 80 % zeros the rest still has its own bins."""
    p = np.concatenate([np.zeros(80), np.linspace(0.1, 0.9, 20)])

    sizes = [len(group) for group in partition(p, bin_edges(p, 10, "equal_mass"))]

    assert [80, 10, 10] == sizes


def test_fewer_records_than_bins():
    """Each record gets a bin of its own, and no bin is empty."""
    p = np.array([0.2, 0.8, 0.4])

    assert [[0.2], [0.4], [0.8]] == partition(p, bin_edges(p, 10, "equal_mass"))


@pytest.mark.parametrize("value", [0.25, 0.5, 1.0])
def test_neighbouring_doubles(value):
    """Two doubles without one between them can still be distinguished, up to 1."""
    p = np.array([np.nextafter(value, 0), value])
    edges = bin_edges(p, 2, "equal_mass")

    assert [0, 1] == bin_codes(p, edges).tolist()
    assert np.array_equal(edges, check_edges(edges))


def test_starts_of_groups():
    """Groups begin where the first of equal probabilities is."""
    ordered = np.array([0.0, 0.0, 0.0, 0.2, 0.3, 0.3, 0.9])

    assert [3, 4] == equal_mass_starts(ordered, 3).tolist()
    assert [] == equal_mass_starts(ordered, 1).tolist()


def test_bad_number_of_bins():
    """There is at least one bin."""
    for n_bins in [0, -3, 2.5, True, None, "ten"]:
        with pytest.raises(ValueError, match="`n_bins` must be an integer of at least 1"):
            bin_edges(np.array([0.5]), n_bins, "uniform")


def test_unknown_strategy():
    """An unknown strategy is refused by its name."""
    with pytest.raises(ValueError, match="Unknown strategy 'width'"):
        bin_edges(np.array([0.5]), 10, "width")


def test_bad_edges():
    """Edges run from 0 to 1."""
    for edges, message in [
        ([0.0], "at least two numbers"),
        ([[0.0, 1.0]], "at least two numbers"),
        ([0.0, 0.5], "must increase from 0 to 1"),
        ([0.1, 1.0], "must increase from 0 to 1"),
        ([0.0, 0.6, 0.4, 1.0], "must increase from 0 to 1"),
        ([0.0, 0.5, 0.5, 1.0], "must increase from 0 to 1"),
        ([0.0, np.nan, 1.0], "must increase from 0 to 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            check_edges(edges)


def test_edges_are_an_own_array():
    """Edges cannot be changed afterwards, neither in place nor by whoever passed them."""
    given = np.array([0.0, 0.5, 1.0])
    edges = check_edges(given)
    given[1] = 0.9

    assert [0, 0.5, 1] == edges.tolist()
    with pytest.raises(ValueError, match="read-only"):
        edges[1] = 0.2
