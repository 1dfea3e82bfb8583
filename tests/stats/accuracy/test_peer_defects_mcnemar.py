"""Faults of other libraries' tests of two classifiers' accuracies, on the same inputs.

Each test names what is wrong elsewhere; the right answer is asserted here.
"""

import itertools
import math

import pytest

from skcompare.evidence import ContingencyTable
from skcompare.stats import discordant_odds_ratio, mcnemar, relative_accuracy

METHODS = (
    "mid-p",
    "exact",
    "asymptotic",
    "corrected",
    "exact-unconditional",
    "permutation",
)
IDENTICAL = [
    ContingencyTable(*cells) for cells in [(7, 0, 0, 3), (1, 0, 0, 0), (0, 0, 0, 9)]
]


def test_identical_models():
    """Elsewhere b = c = 0 is an infinite statistic and p 0, NaN, 0.5, or an exception."""
    for method, alternative, table in itertools.product(
        METHODS, ["two-sided", "less", "greater"], IDENTICAL
    ):
        result = mcnemar(table, method=method, alternative=alternative)

        assert (0.0, 1.0) == tuple(result)
        assert ("degenerate", "no-discordant-pairs") == result.flags
        low, high = result.confidence_interval()
        assert low < 0 < high


def test_identical_models_as_a_ratio():
    """Elsewhere the p-value of a ratio of equal accuracies is NaN."""
    for test, table in itertools.product(
        [relative_accuracy, discordant_odds_ratio], IDENTICAL
    ):
        result = test(table)

        assert (0.0, 1.0) == tuple(result)
        assert result.degenerate
        low, high = result.confidence_interval()
        assert 0 <= low < 1 < high


def test_correction_stops_at_zero():
    """Elsewhere b = c = 10 has chi-squared 0.05 and p 0.823 with correction."""
    for n in (1, 3, 10):
        result = mcnemar(ContingencyTable(5, n, n, 5), method="corrected")

        assert (0.0, 1.0) == tuple(result)
        # Nor does it push the distance to another null value below 0.
        near = mcnemar(ContingencyTable(5, n, n, 5), method="corrected", null_value=0.01)
        assert (0.0, 1.0) == tuple(near)


def test_all_methods_agree_where_nothing_differs():
    """b = c: p is 1 but for the mid-p, which takes half of what is observed."""
    table = ContingencyTable(5, 10, 10, 5)
    pvalues = {method: mcnemar(table, method=method).pvalue for method in METHODS}

    observed = math.comb(20, 10) / 2**20
    assert 1 - observed / 2 == pytest.approx(pvalues.pop("mid-p"))
    assert {1.0} == set(pvalues.values())


def test_grid_does_not_miss_the_worst_case():
    """Elsewhere the nuisance is searched in steps, and only near its estimate."""
    table = ContingencyTable(59, 6, 16, 80)
    pvalue = mcnemar(table, method="exact-unconditional").pvalue

    assert 0.034053 < pvalue
    assert 0.0342041 == pytest.approx(pvalue, abs=1e-7)


def test_intervals_are_centred_at_the_adjusted_difference():
    """Elsewhere adjusted intervals lie about the plain difference, and leave [-1, 1]."""
    table = ContingencyTable(3, 2, 0, 2)
    for interval, shrunk in (("agresti-min", -2 / 9), ("bonett-price", -2 / 9)):
        low, high = mcnemar(table, interval=interval).confidence_interval()
        assert shrunk == pytest.approx((low + high) / 2)
    low, high = mcnemar(ContingencyTable(0, 0, 2, 0), interval="wald").confidence_interval()
    assert (1, 1) == (low, high)
    for interval in ("agresti-min", "bonett-price", "newcombe", "score"):
        low, high = mcnemar(
            ContingencyTable(0, 0, 2, 0), interval=interval
        ).confidence_interval()
        assert -1 <= low < high <= 1
