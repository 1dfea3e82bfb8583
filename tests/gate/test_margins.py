"""Margins that ask for nothing are refused, or said to."""

import itertools

import numpy as np
import pytest

from skcompare.gate import Equivalent, Gate, NonInferior, Superior
from skcompare.gate._conditions import bounds_of
from skcompare.metrics import resolve_scoring


def test_margin_as_wide_as_the_range_is_an_error():
    """No two classifiers can differ by so much."""
    for (measure, margin), kind in itertools.product(
        [
            ("accuracy", 1.0),
            ("roc_auc", 1.5),
            ("f1_macro", 1),
            ("precision[spam]", 1.0),
            ("binary_brier_loss", 1.0),
            ("matthews_corrcoef", 2.0),
        ],
        [Superior, NonInferior, Equivalent],
    ):
        with pytest.raises(ValueError, match="largest difference that there can be"):
            kind(measure, margin)


def test_range_of_measures():
    """Ranges by definition; none where a measure has none."""
    for measure, bounds in [
        ("accuracy", (0, 1)),
        ("recall_weighted", (0, 1)),
        ("roc_auc_ovr_weighted", (0, 1)),
        ("matthews_corrcoef", (-1, 1)),
        ("multiclass_brier_loss", (0, 2)),
        ("neg_log_loss", (-np.inf, np.inf)),
    ]:
        assert bounds == bounds_of(resolve_scoring(measure)[0])


def predictions(y, rng, rates):
    return {
        name: np.where(rng.random(len(y)) < rate, y, 1 - y)
        for name, rate in zip(("old", "new"), rates, strict=True)
    }


def test_margin_beyond_a_bad_champion_concludes_nothing():
    """Not even a challenger that is always wrong could fail."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    gate = Gate(NonInferior("accuracy", margin=0.6))
    (outcome,) = gate.decide(y, predictions(y, rng, (0.5, 0.5))).outcomes

    assert "inconclusive" == outcome.status
    assert outcome.blocked
    assert "nothing could fail" in outcome.reasons[0]


def test_margin_beyond_the_worst_loss_concludes_nothing():
    """The champion's Brier loss and the margin together are more than a loss can be."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=300)
    p = np.clip(1 - y + rng.normal(0, 0.2, 300), 0, 1)
    q = np.clip(p + rng.normal(0, 0.1, 300), 0, 1)
    proba = {"old": np.stack([1 - p, p], 1), "new": np.stack([1 - q, q], 1)}
    (outcome,) = (
        Gate(NonInferior("binary_brier_loss", margin=0.5)).decide(y, proba).outcomes
    )

    assert "nothing could fail" in outcome.reasons[0]
    assert not outcome.passed


@pytest.mark.parametrize(("margin", "flagged"), [(0.05, False), (0.15, True)])
def test_margin_that_admits_no_skill_is_flagged(margin, flagged):
    """A majority of 80 % and a champion of 90 %: a margin of 0.15 admits constants."""
    rng = np.random.default_rng(2)
    y = (rng.random(500) < 0.2).astype(int)
    (outcome,) = (
        Gate(NonInferior("accuracy", margin))
        .decide(y, predictions(y, rng, (0.9, 0.9)))
        .outcomes
    )

    assert flagged == ("margin-admits-no-skill" in outcome.flags)
    # It is said, and does not decide.
    assert "passed" == outcome.status


def test_superiority_admits_nothing():
    """A challenger that must be better cannot be too bad."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=500)
    (outcome,) = (
        Gate(Superior("accuracy", 0.3)).decide(y, predictions(y, rng, (0.6, 0.98))).outcomes
    )

    assert "passed" == outcome.status
    assert "margin-admits-no-skill" not in outcome.flags
