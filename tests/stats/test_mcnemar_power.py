"""Power and size of McNemar's test, by enumeration of all outcomes."""

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar
from tests.common.golden import golden

METHODS = ("mid-p", "exact", "asymptotic", "corrected")
PLAN = golden("mcnemar")["sample_size"]


@pytest.fixture(scope="module")
def pvalues_by_enumeration():
    """P-values of all outcomes of 469 records that are not hopelessly unlikely."""
    found = {}
    for method in METHODS:
        for m in range(25, 126):
            found[method, m] = np.array(
                [
                    mcnemar(ContingencyTable(469 - m, b, m - b, 0), method=method).pvalue
                    for b in range(m // 2 + 1)
                ]
            )
    return found


def rejection_rate(pvalues, method, p10, p01, n, alpha):
    """Probability of p <= alpha, over all outcomes."""
    rate = 0.0
    for m in range(25, 126):
        half = pvalues[method, m]
        whole = np.concatenate([half, half[: m - m // 2][::-1]])
        likely = stats.binom.pmf(np.arange(m + 1), m, p10 / (p10 + p01))
        rate += stats.binom.pmf(m, n, p10 + p01) * likely[whole <= alpha].sum()
    return rate


@pytest.mark.parametrize("method", METHODS)
def test_power_and_size_by_enumeration(method, pvalues_by_enumeration):
    """Mid-p is near its level, exact below it, and power is ordered accordingly."""
    power = rejection_rate(
        pvalues_by_enumeration,
        method,
        PLAN["only_challenger"],
        PLAN["only_champion"],
        PLAN["n"],
        PLAN["alpha"],
    )
    share = PLAN["shares_of_size"]
    size = rejection_rate(
        pvalues_by_enumeration, method, share, share, PLAN["n"], PLAN["alpha"]
    )

    assert PLAN["power_at_n"][method] == pytest.approx(power, abs=1e-6)
    assert PLAN["size_at_n"][method] == pytest.approx(size, abs=5e-5)
