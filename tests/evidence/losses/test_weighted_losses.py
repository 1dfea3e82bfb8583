"""Losses with a weight for each role."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skcompare.evidence import PairedLosses
from skcompare.evidence.losses._loss_moments import LossMoments

RNG = np.random.default_rng(0)
OLD = RNG.gamma(2.0, 3.0, 60)
NEW = 0.5 * OLD + RNG.gamma(1.0, 3.0, 60)
GROUPS = np.arange(60) // 4
NAMES = [
    name for name in LossMoments.__dataclass_fields__ if name not in ("rests", "extremes")
]


def moments_of(losses):
    return [getattr(losses.moments, name) for name in NAMES]


@pytest.mark.parametrize("weights", [(1.02, 1.0), (0.98, 1.0), (3.0, 0.25), (1.0, 1.0)])
@pytest.mark.parametrize("groups", [None, GROUPS])
def test_weights_are_products(weights, groups):
    """Weighted losses are losses that were multiplied before."""
    losses = PairedLosses.from_losses(OLD, NEW, groups).weighted(*weights)
    expected = PairedLosses.from_losses(weights[0] * OLD, weights[1] * NEW, groups)

    assert_allclose(losses.values, expected.values, rtol=1e-15)
    assert_allclose(moments_of(losses), moments_of(expected), rtol=1e-12)
    if groups is not None:
        assert_allclose(losses.groups.gains, expected.groups.gains, rtol=1e-12)
        assert "grouped holdout" == losses.design.name
    moments = PairedLosses.from_losses(OLD, NEW, keep_values=False).weighted(*weights)
    assert_allclose(moments_of(moments), moments_of(expected), rtol=1e-11)


def test_shards_of_weighted_losses():
    """Parts with equal weights add up, and other losses do not."""
    whole = PairedLosses.from_losses(OLD, NEW).weighted(1.02)
    parts = [PairedLosses.from_losses(OLD[k::2], NEW[k::2]) for k in (0, 1)]
    merged = parts[0].weighted(1.02) + parts[1].weighted(1.02)

    assert_allclose(moments_of(merged), moments_of(whole), rtol=1e-12)
    with pytest.raises(ValueError, match="of one kind can be merged"):
        parts[0] + parts[1].weighted(1.02)
    assert "losses(weights=1.02:1)" == whole.loss


def test_nearly_equal_losses_keep_their_digits():
    """Moments of losses that hardly differ do not cancel."""
    new = OLD * (1 + 1e-9 * RNG.normal(size=60))
    moments = PairedLosses.from_losses(OLD, new, keep_values=False).weighted(1.0 + 1e-9)
    values = PairedLosses.from_losses(OLD, new).weighted(1.0 + 1e-9)

    assert_allclose(moments.gain, values.gain, rtol=1e-6)
    assert_allclose(
        moments.moments.gain_deviation, values.moments.gain_deviation, rtol=1e-5
    )


def test_names_of_weighted_losses():
    """The name says which loss it is, with its options, and whether it is of numbers."""
    losses = PairedLosses.from_losses(OLD, NEW, loss="absolute_error")
    weighted = losses.weighted(1.02)

    assert "absolute_error(weights=1.02:1)" == weighted.loss
    assert weighted.of_numbers
    options = PairedLosses.from_losses(OLD, NEW, loss="log_loss(eps=0.01)").weighted(0.5, 2)
    assert "log_loss(eps=0.01, weights=0.5:2)" == options.loss
    assert not options.of_numbers


def test_no_bound_is_declared():
    """A bound of the unweighted losses does not hold for the weighted ones."""
    losses = PairedLosses.from_predictions([0, 1, 1], [0.2, 0.6, 0.9], [0.1, 0.7, 0.8])

    assert 1.0 == losses.difference_bound
    assert losses.weighted(1.5).difference_bound is None


@pytest.mark.parametrize("weight", [0, -1, np.nan, np.inf, "2", None, True])
def test_bad_weights(weight):
    """A weight is a number above 0."""
    losses = PairedLosses.from_losses(OLD, NEW)
    for weights in ((weight, 1.0), (1.0, weight)):
        with pytest.raises(ValueError, match="must be a number above 0"):
            losses.weighted(*weights)


def test_sums_of_groups_have_no_weights():
    """Sums of differences do not tell what the champion's losses were."""
    losses = PairedLosses.from_losses(OLD, NEW, GROUPS, keep_values=False)
    with pytest.raises(ValueError, match="weights need every record"):
        losses.weighted(1.02)
