"""Several losses of numbers, computed in one pass over the predictions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skcompare.evidence import PairedLosses, record_losses
from skcompare.evidence.losses import _losses_at_once
from skcompare.evidence.losses._record_losses import PART
from skcompare.predictions import _forecasts, _predictions

N = 2 * PART + 100
RNG = np.random.default_rng(2)
Y = RNG.gamma(2, size=N) + 0.1
LEVELS = (0.1, 0.5, 0.9)
OPTIONS = {"tweedie_deviance": {"power": 1.5}, "pinball_loss": {"alpha": 0.8}}


def forecast(error):
    """Everything that a loss may need."""
    values = Y * np.exp(error * RNG.normal(size=N))
    quantiles = {level: values * (0.5 + level) for level in LEVELS}
    samples = values[:, np.newaxis] + RNG.normal(size=(N, 3))
    return {"values": values, "std": 0.1 + values, "quantiles": quantiles} | {
        "samples": samples
    }


OLD, NEW = forecast(0.3), forecast(0.25)
ALL = {
    name: OPTIONS.get(name, {})
    for name, entry in record_losses().items()
    if entry.target == "numbers" and not entry.relative
}


def test_all_losses_are_those_computed_alone():
    """Losses and moments are those of each loss by itself."""
    together = PairedLosses.by_loss(Y, OLD, NEW, ALL, keep_values=True)

    assert 17 <= len(together)
    for name, own in together.items():
        alone = PairedLosses.from_predictions(Y, OLD, NEW, loss=name, **ALL[name])
        assert alone.loss == own.loss
        assert_array_equal(alone.values, own.values)
        assert_allclose(own.gain, alone.gain, rtol=1e-10)
        assert_allclose(own.moments.gain_squares, alone.moments.gain_squares, rtol=1e-10)


def test_numbers_are_read_once_for_all_losses(monkeypatch):
    """Arrays are checked once, and read once in parts, however many losses there are."""
    checks, parts = [], []
    plain_check, plain_slices = _predictions.check_numbers, _losses_at_once.slices_of

    def check(name, values, **options):
        checks.append(name)
        return plain_check(name, values, **options)

    def slices(n, size):
        for rows in plain_slices(n, size):
            parts.append(rows)
            yield rows

    for module in (_predictions, _forecasts):
        monkeypatch.setattr(module, "check_numbers", check)
    monkeypatch.setattr(_losses_at_once, "slices_of", slices)
    names = [name for name in ALL if record_losses()[name].needs == "values"]
    PairedLosses.by_loss(Y, OLD["values"], NEW["values"], names)

    assert 10 <= len(names)
    assert ["y_true", "champion", "challenger"] == checks
    assert 3 == len(parts)
    assert N == sum(rows.stop - rows.start for rows in parts)


def test_groups_and_moments():
    """Groups are those of each loss alone, and losses are left out by default."""
    groups = np.arange(N) // 5
    (own,) = PairedLosses.by_loss(
        Y, OLD["values"], NEW["values"], ["squared_error"], groups=groups
    ).values()
    alone = PairedLosses.from_predictions(
        Y, OLD["values"], NEW["values"], loss="squared_error", groups=groups
    )

    assert own.values is None
    assert_allclose(own.groups.gains, alone.groups.gains)


def test_what_is_refused():
    """Unknown losses, those of classes and those relative to all targets are refused."""
    values = OLD["values"], NEW["values"]
    for name, message in (
        ("log_loss", "Unknown loss of numbers 'log_loss'"),
        ("squared", "Unknown loss of numbers 'squared'"),
        ("relative_squared_error", "depends on the others"),
    ):
        with pytest.raises(ValueError, match=message):
            PairedLosses.by_loss(Y, *values, [name])
    below = np.where(np.arange(N) == PART + 3, -1.0, values[0])
    with pytest.raises(ValueError, match=f"the first at position {PART + 3}"):
        PairedLosses.by_loss(Y, below, values[1], ["squared_error", "gamma_deviance"])
