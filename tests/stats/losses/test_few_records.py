"""Losses of numbers that a few records decide: their largest share, and its flag."""

import math

import numpy as np
import pytest

from skcompare.evidence import PairedLosses
from skcompare.stats import clustered_t, loss_permutation, margin_test, paired_t, wilcoxon
from skcompare.stats.losses._paired_t import even_groups, most_of_one

FLAG = "decided-by-few-records"
OF_NUMBERS = "absolute_error"


def losses_of(gains, groups=None, loss=OF_NUMBERS, **words):
    gains = np.asarray(gains, dtype=float)
    return PairedLosses.from_losses(
        np.maximum(gains, 0), np.maximum(-gains, 0), groups, loss=loss, **words
    )


def one_far(n, distance):
    """Gains of 1 and -1, and one that is far away."""
    return [*np.resize([1.0, -1.0], n - 1), distance]


def test_share_by_hand():
    """Gains 0, 0, 1, 3 have the mean 1 and squared distances 1, 1, 0 and 4."""
    for test in (paired_t, loss_permutation):
        result = test(losses_of([0, 0, 1, 3]))

        assert 4 / 6 == pytest.approx(result.details["largest_share"], rel=1e-12)


def test_limits_of_a_share():
    """1.8 over the root of the records, and not below an eighth."""
    assert 1.8 / math.sqrt(50) == pytest.approx(most_of_one(50))
    assert (0.125, 0.125) == (most_of_one(400), most_of_one(10**9))


def test_flag_above_the_limit():
    """Both tests of the mean are flagged, and the signed ranks are not."""
    for n in (60, 900):
        flagged = set()
        for distance in (0.0, 2.0, 5.0, 9.0, 15.0, 40.0):
            losses = losses_of(one_far(n, distance))
            beyond = losses.moments.largest_share > most_of_one(n)
            flagged.add(beyond)
            for test in (paired_t, loss_permutation):
                assert (FLAG in test(losses, **few(test)).flags) == beyond
            assert FLAG not in wilcoxon(losses).flags
        assert {True, False} == flagged


def few(test):
    return {"n_resamples": 19} if test is loss_permutation else {}


def test_gates_conclude_nothing():
    """One-sided tests at a margin have no p-value where a few records decide."""
    lower = [0.5, *np.resize([1.0, 2.0], 79)]
    far = losses_of([*lower, 90.0])
    result = margin_test(far, "paired_t", -0.1)

    assert math.isnan(result.pvalue)
    assert FLAG in result.reason
    assert margin_test(losses_of(lower), "paired_t", -0.1).pvalue < 0.001


def test_only_losses_of_numbers():
    """Those of probabilities, and losses of no known kind, are as they were."""
    for loss in ("losses", "log_loss", "brier_score"):
        result = paired_t(losses_of(one_far(50, 40.0), loss=loss))

        assert FLAG not in result.flags
        assert "largest_share" not in result.details


def test_options_of_a_loss_are_no_part_of_its_name():
    """A loss of numbers with options is one of numbers."""
    assert losses_of([1, 2], loss=f"{OF_NUMBERS}(level=0.9)").of_numbers
    assert not losses_of([1, 2], loss="log_loss(eps=0.1)").of_numbers


def test_merged_and_swapped_shards():
    """Shards, moments alone and exchanged roles have the same share and flag."""
    gains = np.random.default_rng(0).standard_t(2, size=90)
    whole = losses_of(gains)
    merged = losses_of(gains[:20]) + losses_of(gains[20:])
    moments = losses_of(gains[:20], keep_values=False) + losses_of(gains[20:])
    expected = paired_t(whole)

    for losses in (merged, moments, whole.swap(), losses_of(gains[::-1])):
        result = paired_t(losses)
        share = pytest.approx(result.details["largest_share"], rel=1e-12)
        assert expected.details["largest_share"] == share
        assert expected.flags == result.flags


def test_sums_have_no_share():
    """Published moments do not say how large the largest difference was."""
    losses = PairedLosses.from_moments(
        40, (1.0, 0.9), variances=(1, 1), covariance=0.5, loss=OF_NUMBERS
    )

    for evidence in (losses, losses + losses_of(one_far(50, 40.0), keep_values=False)):
        result = paired_t(evidence)
        assert "largest_share" not in result.details
        assert FLAG not in result.flags


def test_gains_that_do_not_vary():
    """Equal predictions and equal gains have no largest record."""
    for gains in ([0.0] * 5, [1.0] * 5):
        losses = losses_of(gains, groups=[0, 0, 1, 2, 3])
        for test in (paired_t, loss_permutation, clustered_t):
            assert "largest_share" not in test(losses).details


def test_share_of_a_group():
    """Groups of one record each are as records are; larger ones count by their sums."""
    gains = np.asarray(one_far(60, 30.0))
    alone = clustered_t(losses_of(gains, groups=np.arange(60)), method="t")
    expected = paired_t(losses_of(gains))
    # Sums 6, 0, 0, 0 of two records each, with a mean of 3/4 a record.
    pairs = clustered_t(losses_of([3, 3, 1, -1, 2, -2, 0, 0], [0, 0, 1, 1, 2, 2, 3, 3]))

    assert expected.details["largest_share"] == pytest.approx(
        alone.details["largest_share"], rel=1e-12
    )
    assert FLAG in expected.flags
    assert FLAG in alone.flags
    assert 4.5**2 / (4.5**2 + 3 * 1.5**2) == pytest.approx(pairs.details["largest_share"])
    assert FLAG not in pairs.flags


def test_groups_of_even_size():
    """Kish's number: all groups if these are of one size, and fewer otherwise."""
    assert 4 == even_groups(np.array([3, 3, 3, 3]))
    assert 100 / 52 == pytest.approx(even_groups(np.array([7, 1, 1, 1])))
