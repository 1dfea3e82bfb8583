"""Faults that were seen in other libraries, on the same inputs.

Each test names what is wrong elsewhere; the correct prediction is asserted here.
"""

import math
from decimal import Decimal

import numpy as np
import pytest

from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.stats import bcv_mcnemar, mcnemar

METHODS = ("mid-p", "exact", "asymptotic", "corrected")


def test_identical_models():
    """Elsewhere chi-squared is infinite and p 0, or NaN, 0.5, or an exception."""
    for method in METHODS:
        y = np.array([0, 1, 2, 1, 0])
        predictions = np.array([0, 1, 1, 1, 0])

        result = mcnemar(
            ContingencyTable.from_predictions(y, predictions, predictions), method=method
        )

        assert (0.0, 1.0) == tuple(result)
        assert result.degenerate


@pytest.mark.parametrize("n", [1, 3, 10])
def test_correction_stops_at_zero(n):
    """Elsewhere equal counts b = c = 10 give chi-squared 0.05 and p 0.823."""
    result = mcnemar(ContingencyTable(5, n, n, 5), method="corrected")

    assert (0.0, 1.0) == tuple(result)


def test_correction_is_monotone():
    """Without the clamp the statistic rises again as the counts come together."""
    statistics = [
        mcnemar(
            ContingencyTable(0.0, 10 - d / 2, 10 + d / 2, 0.0), method="corrected"
        ).statistic
        for d in np.linspace(0, 4, 41)
    ]

    assert (np.diff(statistics) >= 0).all()
    assert 0 == statistics[10]


def test_exact_pvalue_is_at_most_one():
    """Elsewhere the documented formula, twice the tail, exceeds 1 at b = c."""
    for n in range(1, 30):
        for alternative in ("two-sided", "less", "greater"):
            table = ContingencyTable(0, n, n, 0)
            pvalue = mcnemar(table, method="exact", alternative=alternative).pvalue
            assert pvalue <= 1
        assert 1 == mcnemar(table, method="exact").pvalue


def test_mid_p_without_discordant_pairs():
    """Elsewhere the mid-p formula gives 0.5 for no discordant pairs."""
    for method in METHODS:
        assert 1 == mcnemar(ContingencyTable(10, 0, 0, 5), method=method).pvalue


def test_tail_is_not_one_less_the_distribution():
    """Elsewhere p is 1 - cdf and everything below 1e-16 is 0."""
    for method in METHODS:
        table = ContingencyTable(100, 20, 180, 100)
        result = mcnemar(table, method=method)

        assert 0 < result.pvalue < 1e-25
        tail = sum(math.comb(200, k) for k in range(21))
        expected = Decimal(2 * tail) / 2**200
        if method == "exact":
            assert float(expected) == pytest.approx(result.pvalue, rel=1e-12, abs=0)


def test_cells_are_not_swapped():
    """Elsewhere the off-diagonal cells were exchanged, or documented so."""
    y = [1, 1, 1, 1, 0, 0]
    champion = [1, 1, 0, 0, 0, 1]
    challenger = [1, 0, 1, 1, 0, 1]

    table = ContingencyTable.from_predictions(y, champion, challenger)

    assert ContingencyTable(2, 1, 2, 1) == table
    assert 1 / 6 == pytest.approx(mcnemar(table).estimate)


def test_larger_tables_are_not_cut():
    """Elsewhere a 3 × 3 table was read by its upper left corner; counts are four."""
    with pytest.raises(TypeError):
        mcnemar(np.ones((3, 3)))
    with pytest.raises(ValueError, match="`both_correct` must be a count"):
        ContingencyTable(np.ones((3, 3)), 1, 2, 3)


def test_table_of_the_caller_is_left_alone():
    """Elsewhere zero cells are replaced by 0.5 in the caller's own array."""
    tables = np.array([[[30, 0, 12, 3], [30, 0, 12, 3]]] * 5)
    before = tables.copy()
    blocks = PairedBlocks(tables)
    bcv_mcnemar(blocks)

    np.testing.assert_array_equal(before, tables)
    assert tables.flags.writeable
    tables[0, 0, 0] = 99
    assert 30 == blocks.tables[0, 0, 0]


def test_one_sided_is_not_one_tail_of_two():
    """Elsewhere a lower tail alone is given as the two-sided p: 0.977 for 0.9 and 0.8."""
    table = ContingencyTable(75, 5, 15, 5)
    two_sided, greater, less = (
        mcnemar(table, method="asymptotic", alternative=alternative).pvalue
        for alternative in ("two-sided", "greater", "less")
    )

    assert 0.0253 == pytest.approx(two_sided, abs=1e-4)
    assert two_sided / 2 == pytest.approx(greater)
    assert 1 - two_sided / 2 == pytest.approx(less)


def test_label_rates_are_not_accuracies():
    """Bowker's test of the labels sees nothing here; McNemar's sees 20 errors."""
    y = np.repeat([1, 0], 60)
    champion = y.copy()
    champion[:10], champion[60:70] = 0, 1

    result = mcnemar(ContingencyTable.from_predictions(y, champion, y), method="exact")

    assert np.bincount(champion).tolist() == np.bincount(y).tolist()
    assert 1.9073486328125e-06 == pytest.approx(result.pvalue)
    assert result.estimate > 0


def test_counts_do_not_overflow():
    """Elsewhere products of counts overflow at 145 000 records."""
    table = ContingencyTable(
        np.int32(2_000_000_000),
        np.int32(1_500_000_000),
        np.int32(1_500_100_000),
        np.int32(5),
    )
    result = mcnemar(table, method="asymptotic")

    assert 5_000_100_005 == table.n
    assert 100_000**2 / 3_000_100_000 == pytest.approx(result.statistic)
    assert result.confidence_interval().low < 0 < result.confidence_interval().high
    blocks = PairedBlocks(np.full((5, 2, 4), 2_000_000_000, dtype=np.int32))
    assert 16_000_000_000 == blocks.n_records


def test_boolean_and_list_predictions():
    """Elsewhere boolean labels are a TypeError."""
    y = [True, False, True]

    table = ContingencyTable.from_predictions(y, [True, True, True], np.array(y))

    assert ContingencyTable(2, 0, 1, 0) == table
