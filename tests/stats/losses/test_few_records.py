"""Losses of numbers that a few records decide: their largest share, and what it changes."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from skcompare.evidence import PairedLosses
from skcompare.stats import (
    clustered_t,
    influence_moments,
    loss_permutation,
    margin_test,
    paired_t,
    wilcoxon,
)
from skcompare.stats.losses._paired_t import even_groups, few_records_df

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


def test_degrees_of_freedom_of_a_few_records():
    """0.4 over the share beyond that of normal differences; 1 at least."""
    normal = 2 * math.log(200) / 200

    assert 0.4 / (0.1 - normal) == pytest.approx(few_records_df(0.1, 200))
    assert 1 == few_records_df(0.9, 200)
    assert math.inf == few_records_df(normal, 200) == few_records_df(0.01, 200)


def test_the_p_value_that_allows_for_them():
    """It is Student's with these degrees of freedom, on the side of the alternative."""
    losses = losses_of([*np.resize([2.0, -1.0], 79), 9.0])
    for side, tails in (("two-sided", 2), ("greater", 1)):
        result = paired_t(losses, alternative=side)
        df = few_records_df(result.details["largest_share"], 80)
        expected = tails * student.sf(result.statistic, df)

        assert df < 20
        assert expected == pytest.approx(result.details["few_records_pvalue"], rel=1e-10)
    wrong_side = paired_t(losses, alternative="less")
    assert wrong_side.pvalue == wrong_side.details["few_records_pvalue"]


def test_flag_where_the_allowance_matters():
    """Both tests of the mean are flagged if only significant without it, and no others."""
    rng = np.random.default_rng(2)
    found = set()
    for shift in (0.0, 0.3, 0.4, 0.6, 1.5):
        losses = losses_of(rng.standard_t(3, size=80) + shift)
        for test in (paired_t, loss_permutation):
            result = test(losses, **few(test))
            allowed = result.details["few_records_pvalue"]
            found.add(flagged := FLAG in result.flags)
            assert result.pvalue <= allowed <= 1
            assert flagged == (result.pvalue < 0.05 <= allowed)
        assert FLAG not in wilcoxon(losses).flags
    assert {True, False} == found


def test_light_tails_have_no_allowance():
    """Student's p-value stands where no record has more than its part."""
    result = paired_t(losses_of(np.resize([2.0, -1.0, 1.0, 0.5], 60)))

    assert result.pvalue == result.details["few_records_pvalue"]


def few(test):
    return {"n_resamples": 199} if test is loss_permutation else {}


@pytest.mark.parametrize("test", [paired_t, loss_permutation, clustered_t])
def test_gates_allow_for_a_few_records(test):
    """One-sided tests at a margin have a limit that is as far as few records make it."""
    lower = [0.5, *np.resize([1.0, 2.0], 79)]
    near, far = lower, [*lower[:-1], 90.0]
    groups = np.arange(80) if test is clustered_t else None
    first, second = (losses_of(gains, groups) for gains in (near, far))

    assert margin_test(first, test.__name__, -0.1).pvalue < 0.001
    result = margin_test(second, test.__name__, -0.1)
    assert 0.05 < result.pvalue <= 1
    assert result.limit < -0.1
    assert 1 == influence_moments(second).df
    assert math.isinf(influence_moments(first).df)


def test_gates_allow_for_large_records_without_their_losses():
    """Moments with their extremes show the largest share as well."""
    gains = np.random.default_rng(0).standard_t(2, size=90)
    whole, moments = losses_of(gains), losses_of(gains, keep_values=False)

    assert influence_moments(whole).df < 10
    assert influence_moments(moments).df == pytest.approx(influence_moments(whole).df)


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
    gains = np.asarray([*np.resize([2.0, -1.0], 59), 8.0])
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
