"""Estimates that are tested by t, and by Hall's transformation of t."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import t as student

from skcompare.stats.core._limits import SkewedWald, Wald

SKEWNESSES = (-0.5, -1e-12, 0.0, 0.2)


def hall(t, skewness):
    """Hall's third-order polynomial, which increases everywhere."""
    s = skewness / 3
    return ((1 + s * t) ** 3 - 1) / (3 * s) + s / 2


@pytest.mark.parametrize("skewness", [-0.6, 0.3])
@pytest.mark.parametrize("estimate", [-4.0, -0.02, 0.05, 2.5])
def test_the_larger_p_value(skewness, estimate):
    """One-sided it is the larger of both, and two-sided twice the smaller of those."""
    skewed = SkewedWald(Wald(estimate, 1.0, 12.0), skewness)
    both = np.array([estimate, hall(estimate, skewness)])
    above, below = student.sf(both, 12).max(), student.cdf(both, 12).max()

    for alternative, expected in {
        "greater": above,
        "less": below,
        "two-sided": min(1.0, 2 * min(above, below)),
    }.items():
        statistic, (pvalue, log_pvalue), flags = skewed.tested(alternative)
        assert (estimate, ()) == (statistic, flags)
        assert expected == pytest.approx(pvalue, rel=1e-12)
        assert np.log(expected) == pytest.approx(log_pvalue, abs=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_limits_are_where_the_p_value_is_the_level(alternative):
    """Null values beyond the limits are rejected, and no others."""
    for skewness, level in product(SKEWNESSES, (0.5, 0.95, 0.999)):
        skewed = SkewedWald(Wald(0.7, 0.2, 9.0), skewness)
        low, high = skewed.limits(level, alternative)

        def excess(null, skewed=skewed, level=level):
            return skewed.tested(alternative, null)[1][0] - (1 - level)

        assert np.isinf([low, high]).tolist() == [
            alternative == "less",
            alternative == "greater",
        ]
        if alternative != "less":
            assert low == pytest.approx(brentq(excess, -99, 0.7), abs=1e-9)
        if alternative != "greater":
            assert high == pytest.approx(brentq(excess, 0.7, 99), abs=1e-9)


def test_without_skewness_it_is_t():
    """No skewness, and one that is rounding, leave Student's interval and p-value."""
    wald = Wald(0.3, 0.1, 20.0)
    for skewness in (0.0, 1e-15):
        skewed = SkewedWald(wald, skewness)
        assert skewed.limits(0.9, "two-sided") == pytest.approx(
            wald.limits(0.9, "two-sided")
        )
        expected = wald.fields("less")["tested"]
        assert skewed.tested("less")[1] == pytest.approx(expected[1], rel=1e-12)


def test_exchanged_roles():
    """Estimate and skewness with the other sign have the mirror image."""
    first, second = (SkewedWald(Wald(s * 0.4, 0.3, 7.0), s * 0.4) for s in (1, -1))
    low, high = first.limits(0.95, "two-sided")

    assert (-high, -low) == pytest.approx(second.limits(0.95, "two-sided"), rel=1e-12)
    assert first.tested("two-sided")[1] == second.tested("two-sided")[1]
    assert first.tested("greater")[1] == second.tested("less")[1]


def test_no_error():
    """Without a standard error it is what t is."""
    assert 1.0 == SkewedWald(Wald(0.0, 0.0), 0.0).tested("two-sided")[1][0]
    assert ("zero-variance",) == SkewedWald(Wald(1.0, 0.0), 0.0).tested("two-sided")[2]
