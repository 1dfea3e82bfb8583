"""Power and size of McNemar's test, by enumeration of all outcomes."""

import itertools

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar, mcnemar_power
from tests.common.golden import golden

METHODS = ("mid-p", "exact", "asymptotic", "corrected")
PLAN = golden("mcnemar")["sample_size"]


def pvalues_by_enumeration(method):
    """P-values of all outcomes of 469 records that are not hopelessly unlikely."""
    return {
        m: np.array(
            [
                mcnemar(ContingencyTable(469 - m, b, m - b, 0), method=method).pvalue
                for b in range(m // 2 + 1)
            ]
        )
        for m in range(25, 126)
    }


def rejection_rate(pvalues, p10, p01, n, alpha):
    """Probability of p <= alpha, over all outcomes."""
    rate = 0.0
    for m, half in pvalues.items():
        whole = np.concatenate([half, half[: m - m // 2][::-1]])
        likely = stats.binom.pmf(np.arange(m + 1), m, p10 / (p10 + p01))
        rate += stats.binom.pmf(m, n, p10 + p01) * likely[whole <= alpha].sum()
    return rate


@pytest.mark.slow
def test_power_and_size_by_enumeration():
    """The p-values of all outcomes give the published power and size."""
    n, alpha, share = PLAN["n"], PLAN["alpha"], PLAN["shares_of_size"]
    for method in METHODS:
        pvalues = pvalues_by_enumeration(method)
        power = rejection_rate(
            pvalues, PLAN["only_challenger"], PLAN["only_champion"], n, alpha
        )
        size = rejection_rate(pvalues, share, share, n, alpha)

        assert PLAN["power_at_n"][method] == pytest.approx(power, abs=1e-6)
        assert PLAN["size_at_n"][method] == pytest.approx(size, abs=5e-5)


def test_published_power():
    """The library's own sum gives the same numbers."""
    for method in METHODS:
        p10, p01 = PLAN["only_challenger"], PLAN["only_champion"]
        share = PLAN["shares_of_size"]

        power = mcnemar_power(PLAN["n"], p10 - p01, p10 + p01, method=method)
        size = mcnemar_power(PLAN["n"], 0, 2 * share, method=method)

        assert PLAN["power_at_n"][method] == pytest.approx(power, abs=1e-7)
        assert PLAN["size_at_n"][method] == pytest.approx(size, abs=5e-5)


@pytest.mark.parametrize("sizes", [[1, 6], pytest.param([2, 13], marks=pytest.mark.slow)])
def test_power_is_the_probability_of_significant_tables(sizes):
    """It adds the probabilities of exactly the tables that the test finds significant."""
    for n, method, alternative in itertools.product(
        sizes, METHODS, ["two-sided", "less", "greater"]
    ):
        tables = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
        pvalues = [
            mcnemar(
                ContingencyTable(n - b - c, b, c, 0), method=method, alternative=alternative
            ).pvalue
            for b, c in tables
        ]
        b, c = np.transpose(tables)
        for difference, disagreement in [
            (0, 0.3),
            (0.1, 0.3),
            (-0.3, 0.3),
            (0.4, 1),
            (-1, 1),
        ]:
            share = (1 + difference / disagreement) / 2
            likely = stats.binom.pmf(b + c, n, disagreement) * stats.binom.pmf(
                c, b + c, share
            )
            for alpha in (0.001, 0.05, 0.3):
                expected = likely[np.array(pvalues) < alpha].sum()

                power = mcnemar_power(
                    n,
                    difference,
                    disagreement,
                    alpha=alpha,
                    alternative=alternative,
                    method=method,
                )

                assert expected == pytest.approx(power, abs=1e-12)


def test_power_cannot_be_had_from_few_records():
    """Four records cannot convince an exact test, and six can."""
    for method in METHODS:
        assert 0 == mcnemar_power(3, 1, 1, method=method)
        assert (method == "asymptotic") == mcnemar_power(4, 1, 1, method=method)
        assert 1 == mcnemar_power(6, 1, 1, method=method)


def test_power_of_many_records():
    """A billion records and tiny shares work, and power is a probability."""
    assert 1 == pytest.approx(mcnemar_power(10**9, 0.0001, 0.1))
    assert 0.05 == pytest.approx(mcnemar_power(10**9, 0, 0.1), abs=1e-5)
    assert 0 < mcnemar_power(10**6, 1e-6, 1e-6) < 0.01


def test_power_of_swapped_roles():
    """A difference is found as often as its opposite in the opposite direction."""
    one = mcnemar_power(80, 0.1, 0.3, alternative="greater")

    assert one == pytest.approx(mcnemar_power(80, -0.1, 0.3, alternative="less"))
    assert one > mcnemar_power(80, 0.1, 0.3) > mcnemar_power(80, 0.1, 0.3, method="exact")
    assert mcnemar_power(80, 0.1, 0.3, alternative="less") < 1e-3


def test_impossible_power():
    """What is no number of records, share, level, method or direction is refused."""
    for n in (0, -1, 20.0, True, None):
        with pytest.raises(ValueError, match="`n` must be an integer of at least 1"):
            mcnemar_power(n, 0.1, 0.3)
    for shares in [(0.3, 0.2), (0, 0), (0.1, 1.1), (float("nan"), 0.1), ("a", 0.1)]:
        with pytest.raises(ValueError, match="The disagreement must be more than 0"):
            mcnemar_power(20, *shares)
    with pytest.raises(ValueError, match="`alpha` must be a number"):
        mcnemar_power(20, 0.1, 0.3, alpha=0.9)
    with pytest.raises(ValueError, match="Unknown method 'midp'"):
        mcnemar_power(20, 0.1, 0.3, method="midp")
    with pytest.raises(ValueError, match="Unknown alternative 'bigger'"):
        mcnemar_power(20, 0.1, 0.3, alternative="bigger")
