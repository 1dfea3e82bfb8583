"""Faults that were seen in other libraries' AUCs, on the same inputs.

Each test names what is wrong elsewhere; the correct prediction is asserted here.
"""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from skcompare.evidence import PlacementValues
from skcompare.stats import auc_interval, delong, pairwise_delong, unpaired_delong


def sample(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    y[:4] = 0, 1, 0, 1
    return y, y + rng.normal(size=n), y + rng.normal(size=n)


def compared(y, first, second, **options):
    return delong(PlacementValues.from_predictions(y, first, second), **options)


@pytest.mark.parametrize("transform", [np.copy, np.exp, lambda s: 7 * s - 3])
def test_identical_and_monotone_scores(transform):
    """Elsewhere z is 0 and p 0.0 (MLstatkit), or NaN (roc_comparison)."""
    y, score, _ = sample()

    result = compared(y, score, transform(score))

    assert (0.0, 1.0) == tuple(result)
    assert result.degenerate


def test_two_perfect_models():
    """Elsewhere p is 0.0 (MLstatkit); two models without an error do not differ."""
    y = np.repeat([0, 1], 20)
    rng = np.random.default_rng(0)

    result = compared(y, y + rng.random(40) / 2, 3 * y + rng.random(40))

    assert (1.0, 1.0) == (result.champion, result.challenger)
    assert (0.0, 1.0) == tuple(result)
    low, high = result.confidence_interval()
    assert low < 0 < high


def test_pvalue_is_a_number():
    """Elsewhere it is a matrix of one logarithm to the base of 10 (roc_comparison)."""
    result = compared(*sample())

    assert isinstance(result.pvalue, float)
    assert 0 < result.pvalue <= 1
    assert math.log(result.pvalue) == pytest.approx(result.log_pvalue)


def test_boolean_labels():
    """Elsewhere boolean labels are a TypeError (roc_comparison)."""
    y, first, second = sample()

    assert tuple(compared(y, first, second)) == tuple(compared(y == 1, first, second))


def test_opposite_rankings():
    """Elsewhere a permutation p of AUC 1 against 0 is 0.0 (MLstatkit)."""
    y = np.repeat([0, 1], 30)
    score = np.arange(60)

    result = compared(y, -score, score)

    assert (0.0, 1.0) == (result.champion, result.challenger)
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags


def test_interval_of_separable_data():
    """Elsewhere the interval of a perfect AUC is [1.0, 1.0] (confidenceinterval)."""
    found = auc_interval([0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8])

    assert 1.0 == found.auc == found.high
    assert 0 < found.low < 0.9


def test_short_floats_do_not_exceed_one():
    """Elsewhere float32 sums give an AUC of 1.0000001 (confidenceinterval)."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [5000, 30_011])
    score = (y + 0.9 * rng.random(len(y))).astype(np.float32)

    found = auc_interval(y, score)

    assert 1.0 == found.auc
    assert found.high <= 1


def test_one_positive():
    """Elsewhere an interval of NaN without a word (confidenceinterval, pROC)."""
    y, score = [1, 0, 0, 0, 0], [3, 1, 2, 4, 0]

    found = auc_interval(y, score)

    assert 0.75 == found.auc
    assert math.isnan(found.low)
    assert "one-record-of-a-class" in found.flags
    assert all(map(math.isfinite, auc_interval(y, score, method="newcombe")))
    with pytest.raises(ValueError, match="at least two records of each class"):
        compared(y, score, score)


def test_one_class():
    """Elsewhere a division by zero, or NaN."""
    with pytest.raises(ValueError, match="needs records of both classes"):
        compared([1, 1, 1], [1, 2, 3], [3, 2, 1])


def test_products_of_class_sizes_do_not_overflow():
    """Elsewhere 145 000 records overflow an integer and the limits are "1-1" (pROC)."""
    n = 150_000
    rng = np.random.default_rng(0)
    y = np.repeat(np.array([0, 1], dtype=np.int8), n)
    score = y + rng.normal(size=2 * n).astype(np.float32)

    found = auc_interval(y, score)

    assert roc_auc_score(y, score) == pytest.approx(found.auc, rel=1e-12)
    assert found.low < found.auc < found.high < 0.8
    assert 0.0006 < found.standard_error < 0.0011


def test_memory_is_linear():
    """Elsewhere the matrix of all comparisons takes 0.8 GB for 20 000 records and more."""
    import tracemalloc

    n = 100_000
    rng = np.random.default_rng(0)
    y, first, second = rng.integers(2, size=n), rng.normal(size=n), rng.normal(size=n)
    tracemalloc.start()
    compared(y, first, second)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 15 * 8 * n


def test_scores_that_nearly_tie():
    """Elsewhere scores a unit in the last place apart crash (pROC)."""
    low = float.fromhex("0x1.1429ff1e5a61fp-2")
    near = np.nextafter(low, 1)
    y = [0, 1, 0, 1, 0, 1]

    result = compared(
        y, [low, near, low, near, low, near], [low, low, near, near, low, near]
    )

    assert (1.0, 6 / 9) == pytest.approx((result.champion, result.challenger))


def test_huge_and_tiny_scores():
    """Means of neighbouring thresholds overflow or vanish elsewhere; ranks do not."""
    for scale in [1e308, 5e-324, 1e-310, 1.0]:
        y = [0, 0, 1, 0, 1, 1]
        score = np.array([-1, 0, 0, 1, 1, 1]) * scale

        assert [13 / 18] == pytest.approx(
            PlacementValues.from_predictions(y, score).aucs.tolist()
        )


def test_direction_is_not_chosen_from_the_data():
    """Elsewhere AUCs below a half are turned round, which biases them (pROC)."""
    y, score, other = sample()

    result = compared(y, -score, other)

    assert result.champion < 0.5
    assert result.estimate == pytest.approx(result.challenger - result.champion)


def test_one_sided_test_knows_its_direction():
    """Elsewhere it is reversed for some directions of the score (pROC)."""
    y, score, _ = sample()
    noise = np.random.default_rng(1).normal(size=len(y))

    assert compared(y, noise, score, alternative="greater").pvalue < 0.01
    assert compared(y, noise, score, alternative="less").pvalue > 0.99


def test_sign_of_the_statistic():
    """Elsewhere z is always negative (MLstatkit); swapped models change its sign."""
    y, first, second = sample()

    assert compared(y, first, second).statistic == -compared(y, second, first).statistic


def test_missing_scores_are_refused():
    """A comparison with NaN is False, so that a missing score would rank lowest."""
    with pytest.raises(ValueError, match=r"must be finite. Got nan at position 2"):
        compared([0, 1, 0, 1], [1, 2, np.nan, 4], [1, 2, 3, 4])


def test_an_interval_of_the_difference():
    """Elsewhere only each model has one (MLstatkit), or paired curves only (pROC)."""
    y, first, second = sample()
    one, other = (PlacementValues.from_predictions(y, score) for score in (first, second))

    for result in (compared(y, first, second), unpaired_delong(one, other)):
        low, high = result.confidence_interval()
        assert low < result.estimate < high
        assert (low <= 0 <= high) == (result.pvalue >= 0.05)


def test_several_curves():
    """Elsewhere the covariances of k curves are computed and two are tested."""
    y, first, second = sample()
    placements = PlacementValues.from_predictions(y, first, second, first + second)

    result = pairwise_delong(placements)

    assert (2, 3) == (result.omnibus.df, len(result))
