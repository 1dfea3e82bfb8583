"""Numbers of records."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.stats import (
    bcv_mcnemar,
    bcv_mcnemar_sample_size,
    mcnemar_power,
    mcnemar_sample_size,
    paired_tests,
)
from tests.common.golden import golden

METHODS = ("mid-p", "exact", "asymptotic", "corrected")
PLAN = golden("mcnemar")["sample_size"]


def test_connor():
    """Shares of 0.10 and 0.05 need 468.57 records for a power of 0.8."""
    n = mcnemar_sample_size(
        PLAN["only_challenger"] - PLAN["only_champion"],
        PLAN["only_challenger"] + PLAN["only_champion"],
        alpha=PLAN["alpha"],
        power=PLAN["power"],
    )

    assert PLAN["connor"] == pytest.approx(n, rel=1e-9)


@pytest.mark.parametrize("function", [mcnemar_sample_size, bcv_mcnemar_sample_size])
def test_what_needs_more_records(function):
    """Smaller differences, more power, lower levels, more disagreement: more records."""
    base = function(0.05, 0.15)

    assert base < function(0.04, 0.15)
    assert base < function(0.05, 0.2)
    assert base < function(0.05, 0.15, power=0.9)
    assert base < function(0.05, 0.15, alpha=0.01)
    assert base > function(0.05, 0.15, alternative="greater")
    assert base == function(-0.05, 0.15)
    one_sided = function(-0.05, 0.15, alpha=0.025, alternative="less")
    assert base == pytest.approx(one_sided)


def test_bcv_power_by_its_model():
    """At that n a normal difference is significant with the wanted probability."""
    for alternative, (d, e) in itertools.product(
        ["two-sided", "greater"], [(0.05, 0.15), (0.02, 0.03), (0.3, 0.4)]
    ):
        for rho1, rho2, m in [(0.5, 0.5, 5), (0, 0.5, 5), (0.2, 0.3, 3)]:
            n = bcv_mcnemar_sample_size(
                d, e, power=0.7, alternative=alternative, rho1=rho1, rho2=rho2, n_repeats=m
            )
            n_effective = n * m / (1 + rho1 + 2 * (m - 1) * rho2)
            z = stats.norm.isf(0.025 if alternative == "two-sided" else 0.05)
            threshold = (z * math.sqrt(n_effective * e) + 1) / n_effective
            deviation = math.sqrt((e - d * d) / n_effective)

            assert 0.7 == pytest.approx(stats.norm.sf(threshold, d, deviation))


def test_bcv_threshold_is_that_of_the_test():
    """With a power of one half, the expected tables themselves have p = alpha."""
    d, e = 0.01, 0.5
    half = bcv_mcnemar_sample_size(d, e, power=0.5) / 2
    cells = [round(half * share) for share in (0.25, (e - d) / 2, (e + d) / 2, 0.25)]

    pvalue = bcv_mcnemar(PairedBlocks([[cells, cells]] * 5)).pvalue

    assert 0.05 == pytest.approx(pvalue, abs=0.001)


def test_bcv_needs_more_than_one_test_set_of_all():
    """Its correction and the default correlations cost records; Lemma 3 only the first."""
    assert bcv_mcnemar_sample_size(0.05, 0.15) > mcnemar_sample_size(0.05, 0.15)
    assert bcv_mcnemar_sample_size(0.05, 0.15, rho1=0, rho2=0.5) > mcnemar_sample_size(
        0.05, 0.15
    )


def test_impossible_shares():
    """No difference, or more of it than disagreement, has no sample size."""
    for function, (d, e) in itertools.product(
        [mcnemar_sample_size, bcv_mcnemar_sample_size],
        [(0, 0.1), (0.2, 0.1), (-0.2, 0.1), (0.1, 1.1), (math.nan, 0.1), (0.1, math.nan)],
    ):
        with pytest.raises(
            ValueError, match="The difference must not be 0, and must be at most"
        ):
            function(d, e)


@pytest.mark.parametrize("function", [mcnemar_sample_size, bcv_mcnemar_sample_size])
def test_impossible_settings(function):
    """Power, level and direction are checked."""
    for power in (0, 1, -0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match="`power` must be between 0 and 1"):
            function(0.05, 0.15, power=power)
    for alpha in (0, 0.6, -0.1, math.nan, "0.05"):
        with pytest.raises(ValueError, match="`alpha` must be a number"):
            function(0.05, 0.15, alpha=alpha)
    with pytest.raises(ValueError, match="Unknown alternative"):
        function(0.05, 0.15, alternative="bigger")


@pytest.mark.parametrize("function", [mcnemar_sample_size, bcv_mcnemar_sample_size])
def test_no_number_of_records_finds_the_other_direction(function):
    """A one-sided test never finds a difference of the other sign."""
    for difference, alternative in ((-0.05, "greater"), (0.05, "less")):
        with pytest.raises(ValueError, match=r"never finds a difference of this sign"):
            function(difference, 0.15, alternative=alternative)
        assert function(-difference, 0.15, alternative=alternative) > 0


@pytest.mark.parametrize("function", [mcnemar_sample_size, bcv_mcnemar_sample_size])
def test_power_below_the_level(function):
    """A test without any use is significant with probability alpha."""
    for power, alpha in ((0.05, 0.05), (0.01, 0.05), (0.2, 0.3)):
        with pytest.raises(ValueError, match="`power` must be more than `alpha`"):
            function(0.05, 0.15, power=power, alpha=alpha)
    assert function(0.05, 0.15, power=0.06) > 0


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_registered_planner_of_cross_validation(alternative):
    """The registry's planner takes evidence and options and agrees with the function."""
    planner = paired_tests()["bcv_mcnemar"].sample_size
    blocks = PairedBlocks([[[75, 8, 12, 5], [76, 7, 13, 4]]] * 5)
    settings = {"alpha": 0.1, "power": 0.9, "alternative": alternative}

    expected = bcv_mcnemar_sample_size(0.05, 0.2, rho1=0, rho2=0.4, **settings)

    assert expected == pytest.approx(planner(blocks, rho1=0, rho2=0.4, **settings))


@pytest.mark.parametrize(
    "tables",
    [
        [(5, 0, 2, 5), (150, 15, 25, 10)],
        pytest.param([(0, 0, 3, 0), (100, 1, 5, 0), (0, 4, 9, 0)], marks=pytest.mark.slow),
    ],
)
def test_registered_planner_of_a_holdout(tables):
    """It is the fewest records with the power, lasting for ten more, and more than now."""
    for cells, alternative, method in itertools.product(
        tables,
        ["two-sided", "greater"],
        METHODS,
    ):
        table = ContingencyTable(*cells)
        settings = {"alpha": 0.05, "alternative": alternative}
        shares = table.difference, table.n_discordant / table.n

        needed = paired_tests()["mcnemar"].sample_size(
            table, method=method, power=0.8, **settings
        )

        before, *lasting = (
            mcnemar_power(n, *shares, method=method, **settings)
            for n in range(int(needed) - 1, int(needed) + 11)
        )
        assert table.n < needed == int(needed)
        assert min(lasting) >= 0.8
        assert needed == table.n + 1 or before < 0.8


def test_registered_planner_by_enumeration():
    """With three wins in three records, each method needs as many as it can reject with."""
    planner = paired_tests()["mcnemar"].sample_size
    settings = {"alpha": 0.05, "power": 0.8, "alternative": "two-sided"}
    needed = [
        planner(ContingencyTable(0, 0, 3, 0), method=method, **settings)
        for method in ("asymptotic", "mid-p", "exact", "corrected")
    ]

    # 4 wins of 4 have an exact p of .125, and 6 of 6 one of .031.
    assert [4, 5, 6, 6] == needed


def test_registered_planner_of_many_records():
    """Above two thousand records it is the formula, corrected for two of the methods."""
    for method in METHODS:
        table = ContingencyTable(800, 90, 110, 0)
        settings = {"alpha": 0.05, "power": 0.8, "alternative": "two-sided"}

        needed = paired_tests()["mcnemar"].sample_size(table, method=method, **settings)

        connor = mcnemar_sample_size(0.02, 0.2, **settings)
        corrected = method in ("exact", "corrected")
        assert (100 if corrected else 0) == pytest.approx(needed - connor, abs=1)
        power = mcnemar_power(math.ceil(needed), 0.02, 0.2, method=method)
        assert 0.8 == pytest.approx(power, abs=0.005)


def test_planners_never_say_that_these_records_are_enough():
    """A significant formula beside an undecided test: at least a record more."""
    settings = {"alpha": 0.05, "power": 0.06, "alternative": "two-sided"}
    table = ContingencyTable(150, 15, 25, 10)
    blocks = PairedBlocks([[[75, 8, 12, 5], [76, 7, 13, 4]]] * 5)

    assert 201 == paired_tests()["mcnemar"].sample_size(table, **settings)
    assert 201 == paired_tests()["bcv_mcnemar"].sample_size(blocks, **settings)


def test_half_the_difference_needs_four_times_the_records():
    """For rare differences the number goes with the inverse square."""
    small = np.array([mcnemar_sample_size(d, 0.1) for d in (0.002, 0.001)])

    assert 4 == pytest.approx(small[1] / small[0], rel=1e-3)
