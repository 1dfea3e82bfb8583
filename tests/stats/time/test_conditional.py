"""Tests given what is known beforehand, of nested models, and of each time."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, f

from skcompare._core.design import Design
from skcompare.evidence import OrderedDifferences
from skcompare.stats import (
    clark_west,
    diebold_mariano,
    fluctuation,
    giacomini_white,
    two_way_t,
)
from skcompare.stats.time._fluctuation import _largest
from tests.stats.time.test_diebold_mariano import drift


def in_order(values, **settings):
    return OrderedDifferences.from_differences(values, **settings)


def test_wald_statistic_of_one_step():
    """n R² of a regression of 1 on the products, as Giacomini and White compute it."""
    values = drift(90, 0.3, 0) + 0.2
    products = np.stack([values[1:], values[1:] * values[:-1]], axis=1)
    fitted = products @ np.linalg.lstsq(products, np.ones(89), rcond=None)[0]

    statistic, pvalue = giacomini_white(in_order(values))

    assert (fitted**2).sum() == pytest.approx(statistic, rel=1e-10)
    assert chi2.sf(statistic, 2) == pytest.approx(pvalue, rel=1e-10)


def test_one_constant_instrument_further_ahead():
    """With one regime F is the square of t by as many cosines."""
    values = drift(120, 0.6, 1) + 0.3
    result = giacomini_white(in_order(values, horizon=3), regimes=np.zeros(120))
    mean = diebold_mariano(in_order(values, horizon=3))

    assert (1, mean.df) == result.df
    assert mean.statistic**2 == pytest.approx(result.statistic, rel=1e-10)
    assert mean.pvalue == pytest.approx(result.pvalue, rel=1e-10)
    assert f.sf(result.statistic, *result.df) == pytest.approx(result.pvalue, rel=1e-10)


def test_regimes():
    """Each has its mean, and models that differ by regime are found out."""
    regimes = np.tile(["up", "down"], 60)
    values = np.tile([0.6, -0.6], 60) + drift(120, 0.0, 2)
    result = giacomini_white(in_order(values), regimes=regimes)

    assert result.pvalue < 0.001
    assert diebold_mariano(in_order(values)).pvalue > 0.05
    assert ["down", "up"] == [part["regime"] for part in result.parts]
    assert values[1::2].mean() == pytest.approx(result.parts[0]["difference"])


def test_units_and_roles_do_not_matter():
    """Instruments and losses in other units, and exchanged models, give the same p."""
    values, known = drift(100, 0.3, 3) + 0.1, drift(100, 0.5, 4)
    expected = giacomini_white(in_order(values), instruments=known).pvalue
    for unit in (1e-9, -1.0, 1e9):
        for scale in (1e-6, 1e6):
            evidence = in_order(unit * values)
            result = giacomini_white(evidence, instruments=scale * known)

            assert expected == pytest.approx(result.pvalue, rel=1e-6)


def test_equal_forecasts():
    """No difference has p = 1, in each test."""
    evidence = in_order(np.zeros(50))

    assert (0, 1) == tuple(giacomini_white(evidence))
    assert ("degenerate",) == giacomini_white(evidence, regimes=np.arange(50) % 2).flags
    assert (0, 1) == tuple(clark_west(np.arange(50.0), np.zeros(50), np.zeros(50)))
    assert 1 == fluctuation(evidence).pvalue
    assert ("zero-variance",) == fluctuation(in_order(np.full(50, 0.1))).flags


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"instruments": np.ones(40)}, "follows from others"),
        ({"regimes": [0] * 39 + [1]}, "at least 2 time points"),
        ({"regimes": [0, 1] * 20, "instruments": np.arange(40)}, "Got both"),
        ({"instruments": np.arange(39)}, "instruments has 39"),
    ],
)
def test_wrong_instruments(options, message):
    """What depends on each other, is too rare, or has another length."""
    with pytest.raises(ValueError, match=message):
        giacomini_white(in_order(drift(40, 0.0, 5)), **options)


def test_clark_and_west_adjust_for_estimation():
    """The squared distance of the forecasts is added to the gain."""
    y, small, large = drift(80, 0.0, 6), np.zeros(80), 0.2 * drift(80, 0.0, 7)
    gain = (y - small) ** 2 - (y - large) ** 2
    result = clark_west(y, small, large)

    assert (gain + (small - large) ** 2).mean() == pytest.approx(result.estimate)
    assert ("greater", "clark_west") == (result.alternative, result.test)


@pytest.mark.parametrize(("share", "published"), [(0.1, 3.393), (0.3, 3.012), (0.5, 2.779)])
def test_published_quantiles_of_the_fluctuation(share, published):
    """Giacomini and Rossi (2010), table 1, two-sided 5 %, with a known variance."""
    largest = _largest(400, int(400 * share), 1, 0, 5000, 1)

    assert published == pytest.approx(np.quantile(largest, 0.95), abs=0.07)


def test_turns_are_found():
    """One model is better in the first half, the other in the second."""
    values = np.repeat([0.5, -0.5], 200) + drift(400, 0.0, 9)
    result = fluctuation(in_order(values), n_resamples=999)
    low, high = result.band()

    assert diebold_mariano(in_order(values)).pvalue > 0.1
    assert result.pvalue <= 0.03
    assert low.max() > 0 > high.min()
    assert values[:120].mean() == pytest.approx(result.gains[0])
    assert 281 == len(result.gains)
    assert (0, 120) == (result.starts[0], result.stops[0])


def test_band_agrees_with_the_pvalue():
    """0 is outside of the band at some time exactly where p is at most alpha."""
    found = set()
    for seed in range(30):
        evidence = in_order(drift(100, 0.2, seed) + 0.02 * np.arange(100) - 1)
        result = fluctuation(evidence, n_resamples=199)
        for level in (0.5, 0.8, 0.9, 0.95):
            low, high = result.band(level)
            outside = bool((low > 0).any() or (high < 0).any())
            found.add(outside)

            assert outside == (result.pvalue <= 1 - level + 1e-12)
    assert {True, False} == found


def test_frame_of_windows():
    """One row per window."""
    pytest.importorskip("pandas")
    frame = fluctuation(in_order(drift(50, 0.0, 9)), n_resamples=99, window=0.2).frame()

    assert ["start", "stop", "gain", "low", "high"] == list(frame)
    assert 41 == len(frame)


@pytest.mark.parametrize("window", [0.01, 1, "a", math.nan])
def test_wrong_windows(window):
    """A share of the time points with at least 2 of them."""
    with pytest.raises(ValueError, match="`window` must be a share"):
        fluctuation(in_order(drift(50, 0.0, 9)), window=window)


FEW = "too-few-independent-times"


def of_windows(values, window, n_splits, **settings):
    """Differences of methods that were trained again along a series."""
    design = Design("time ordered", 1, n_splits, window=window)
    ordered = in_order(values, **settings)
    return replace(ordered, design=replace(design, grouped=ordered.groups is not None))


def test_trainings_limit_the_cosines_of_all_tests():
    """As many as trainings, where windows slide, and at least 4."""
    values, shops = drift(1200, 0.0, 5), np.tile(np.arange(4), 300)
    for window in ("sliding", "expanding"):
        slides = window == "sliding"
        ahead = of_windows(values, window, 5, horizon=2)
        panel = of_windows(values, window, 5, groups=shops, time=np.arange(1200) // 4)
        regimes = giacomini_white(ahead, regimes=np.zeros(1200))
        of_shops = two_way_t(panel).details["se_over_time"]

        assert (diebold_mariano(ahead).df <= 5) is (regimes.df[1] <= 5) is slides
        assert diebold_mariano(panel).details["se"] == pytest.approx(of_shops, rel=1e-12)
        assert (FEW in fluctuation(ahead, n_resamples=99).flags) is slides


def test_long_dependence_is_flagged_in_the_fluctuation():
    """Records that are alike for most of a window say nothing about turns."""
    alike = fluctuation(in_order(drift(500, 0.97, 1)), n_resamples=199)
    plain = fluctuation(in_order(drift(500, 0.3, 1)), n_resamples=199)

    assert FEW in alike.flags
    assert () == plain.flags
    assert plain.pvalue > 0.05


def test_skewed_products_have_few_cosines():
    """Given the last difference, at most 8, less 1 for the instruments and 1 more."""
    values = drift(1000, 0.5, 3)

    assert 6 >= giacomini_white(in_order(values, horizon=2)).df[1]
    assert 6 < giacomini_white(in_order(values, horizon=2), regimes=np.zeros(1000)).df[1]
