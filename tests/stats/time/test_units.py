"""The unit of the losses does not matter to tests in the order of time."""

import numpy as np
import pytest

from skcompare.evidence import OrderedDifferences
from skcompare.stats import diebold_mariano, fluctuation, giacomini_white, two_way_t

RNG = np.random.default_rng(0)
OLD, NEW = np.exp(RNG.normal(size=(2, 60))) * [[1.0], [0.5]]
SERIES = {"time": np.tile(np.arange(15), 4), "groups": np.repeat(np.arange(4), 15)}
HORIZONS = (1, 2)


def pvalues(scale):
    """P-values of every test of losses in a unit."""
    losses = OLD * scale, NEW * scale
    for horizon in HORIZONS:
        ordered = OrderedDifferences.from_losses(*losses, horizon=horizon)
        for method in ("ewc", "wpe", "newey-west", "hln"):
            yield diebold_mariano(ordered, method=method).pvalue
        yield giacomini_white(ordered).pvalue
        yield fluctuation(ordered).pvalue
    yield two_way_t(OrderedDifferences.from_losses(*losses, **SERIES)).pvalue


@pytest.mark.parametrize("scale", [1e-120, 1e-14, 1e120])
def test_unit_does_not_matter(scale):
    """Neither a tiny nor a huge one."""
    expected = list(pvalues(1.0))

    assert 0 < min(expected) < 0.1
    assert expected == pytest.approx(list(pvalues(scale)), rel=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_sizes_whose_squares_are_lost(scale):
    """They would be equal losses, or a division by zero."""
    with pytest.raises(ValueError, match="Choose another unit of the losses"):
        OrderedDifferences.from_losses(OLD * scale, NEW * scale)
