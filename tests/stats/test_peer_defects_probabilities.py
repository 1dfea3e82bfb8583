"""Inputs on losses, calibration and resampling that other packages prediction wrongly."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from skcompare import compare
from skcompare.evidence import PairedCalibration, PairedLosses, ScoredPair
from skcompare.metrics import calibration_curve, expected_calibration_error
from skcompare.stats import (
    bootstrap_difference,
    calibration_cusum,
    loss_permutation,
    paired_t,
    permutation_difference,
    spiegelhalter,
)


def test_permutation_pvalue_is_not_zero():
    """AUC 1 against AUC 0 with 100 exchanges: p is at least 1 / 101 (MLstatkit: 0)."""
    y = np.repeat([0, 1], 20)
    scored = ScoredPair.from_predictions(y, -1.0 * y, 1.0 * y, score="roc_auc")
    result = permutation_difference(scored, n_resamples=100)

    assert (0, 1) == (result.champion, result.challenger)
    assert 1 / 101 == pytest.approx(result.pvalue, rel=1e-12)


@pytest.mark.parametrize("method", ["percentile", "bca", "basic"])
def test_bootstrap_of_equal_predictions(method):
    """Resamples that do not vary have an interval and p = 1 (SciPy's BCa: NaN)."""
    y = np.tile([0, 1], 20)
    proba = np.linspace(0, 1, 40)
    scored = ScoredPair.from_predictions(y, proba, proba, score="roc_auc")
    result = bootstrap_difference(scored, method=method, n_resamples=199)

    assert (0, 1) == (result.estimate, result.pvalue)
    assert (0, 0) == tuple(result.confidence_interval())
    assert result.degenerate


def test_paired_resampling_is_paired():
    """Small steady gains on very different records are found (deepsig: p = 0.45)."""
    rng = np.random.default_rng(0)
    hard = rng.gamma(2, size=30)
    losses = PairedLosses.from_losses(hard + 0.05 + 0.01 * rng.normal(size=30), hard)

    assert 2 * 0.0001 >= loss_permutation(losses).pvalue
    assert 0.001 > paired_t(losses).pvalue
    unpaired = abs(losses.means[0] - losses.means[1]) / (losses.champion.std() / 30**0.5)
    assert unpaired < 0.5


def test_t_test_of_equal_losses():
    """Equal losses have statistic 0 and p = 1 (SciPy: NaN)."""
    losses = PairedLosses.from_losses([0.1, 0.4, 0.2], [0.1, 0.4, 0.2])
    result = paired_t(losses)

    with np.errstate(all="ignore"):
        assert math.isnan(ttest_rel(losses.champion, losses.challenger).pvalue)
    assert (0, 1) == (result.statistic, result.pvalue)
    assert result.degenerate


def test_steady_difference_has_no_pvalue():
    """A difference that does not vary is no certainty: p is undefined, never 0."""
    result = paired_t(PairedLosses.from_losses([0.5, 0.5, 0.5], [0.25, 0.25, 0.25]))

    assert math.isinf(result.statistic)
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags


def test_probability_of_one_is_in_the_last_bin():
    """0.9 and 1.0 share the last of ten bins (torchmetrics, relplot: an eleventh)."""
    y, p = [0, 1], [1.0, 0.9]

    assert 0.45 == pytest.approx(expected_calibration_error(y, p, n_bins=10))
    assert [2] == [count for count in calibration_curve(y, p, n_bins=10).count if count]


def test_probabilities_on_the_edges():
    """0.3, 0.6 and 0.7 are the lower edges of their bins (relplot: one bin lower)."""
    p = np.array([0.3, 0.6, 0.7, 1.0])
    calibration = PairedCalibration.from_predictions([0, 1, 1, 1], p, p, n_bins=10)

    assert [3, 6, 7, 9] == calibration.codes[0].tolist()


def test_many_equal_probabilities():
    """Where 80 % are 0, bins that cannot be filled are flagged (scikit-learn: silence)."""
    rng = np.random.default_rng(0)
    p = np.where(np.arange(200) < 160, 0.0, rng.random(200))
    y = rng.integers(2, size=200)
    for strategy in ("equal_mass", "quantile"):
        calibration = PairedCalibration.from_predictions(
            y, p, p, n_bins=10, strategy=strategy
        )

        assert len(calibration.edges[0]) < 11
        assert "merged-bins" in calibration.flags
        assert 160 == max(calibration.bins("champion").count) - sum(
            calibration.codes[0][160:] == calibration.codes[0][0]
        )


@pytest.mark.parametrize("test", [spiegelhalter, calibration_cusum])
def test_perfect_forecasts_are_calibrated(test):
    """Probabilities of 0 and 1 that are right give p = 1 (model-diagnostics: 0)."""
    y = np.tile([0, 1], 10)
    result = test(y, y.astype(float))

    assert (0, 1) == (result.statistic, result.pvalue)


def test_calibrated_classifiers_do_not_differ():
    """The ECE of a calibrated classifier is above 0, and that is no evidence."""
    rng = np.random.default_rng(5)
    p = rng.uniform(0.05, 0.95, size=1000)
    y = (rng.random(1000) < p).astype(int)
    constant = np.full(1000, 0.5)
    words = {"scoring": ["squared_calibration_error", "expected_calibration_error"]}
    tested, plain = compare(y, {"constant": constant, "sharp": p}, **words).rows

    assert plain.champion + 0.01 < plain.challenger
    assert plain.pvalue is None
    assert tested.pvalue > 0.05
