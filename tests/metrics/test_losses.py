"""Metrics that are means of losses a record."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

from skcompare import compare
from skcompare._registry.metrics import loss_of, metrics
from skcompare.evidence import PairedLosses
from skcompare.metrics import (
    binary_brier_loss,
    brier_skill_score,
    cost_weighted_loss,
    multiclass_brier_loss,
    spherical_loss,
)

MEANS = [name for name in metrics() if loss_of(name) is not None]


def predictions(seed, n=40, n_classes=3):
    """True labels, probabilities and weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    return y, rng.dirichlet(np.ones(n_classes), size=n), rng.random(n)


def test_metric_is_the_mean_of_its_loss():
    """What tests compare is what the metric reports."""
    y, proba, _ = predictions(0, n_classes=2)
    for name in MEANS:
        losses = PairedLosses.from_predictions(y, proba, proba, loss=loss_of(name).name)

        assert metrics()[name].function(y, proba) == pytest.approx(
            losses.means[0], rel=1e-12
        )


def test_metrics_of_losses():
    """The metrics of this file are those that have a loss."""
    assert {
        "binary_brier_loss",
        "cost_weighted_loss",
        "multiclass_brier_loss",
        "spherical_loss",
    } == set(MEANS)


@pytest.mark.parametrize("pos_label", [None, 0, 1])
def test_binary_brier_loss_is_scikit_learns(pos_label):
    """For either positive class, with weights and without, from one column or two."""
    y, proba, weights = predictions(1, n_classes=2)
    column = proba[:, 1 if pos_label is None else pos_label]
    for sample_weight in (None, weights):
        words = {"pos_label": pos_label, "sample_weight": sample_weight}
        expected = brier_score_loss(y, column, **words)

        assert expected == pytest.approx(binary_brier_loss(y, column, **words), rel=1e-12)
        assert expected == pytest.approx(binary_brier_loss(y, proba, **words), rel=1e-12)
        assert expected == pytest.approx(
            multiclass_brier_loss(y, proba, sample_weight=sample_weight) / 2, rel=1e-12
        )


def test_binary_brier_loss_of_strings_and_of_many_classes():
    """Of two strings the positive one must be named; three classes have another loss."""
    y, proba, _ = predictions(2)

    assert 0.05 == pytest.approx(
        binary_brier_loss(["no", "yes"], [0.1, 0.7], pos_label="yes")
    )
    with pytest.raises(ValueError, match=r"one of 'no', 'yes'. Say which"):
        binary_brier_loss(["no", "yes"], [0.1, 0.7])
    with pytest.raises(ValueError, match="'multiclass_brier_loss'"):
        binary_brier_loss(y, proba)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_skill_of_the_base_rate_is_none(n_classes):
    """The base rate has skill 0, the truth 1, and anything else what it saves."""
    y, proba, weights = predictions(3, n_classes=n_classes)
    for sample_weight in (None, weights):
        shares = np.array(
            [np.average(y == k, weights=sample_weight) for k in range(n_classes)]
        )
        base = np.tile(shares, (len(y), 1))
        words = {"sample_weight": sample_weight}
        saved = 1 - multiclass_brier_loss(y, proba, **words) / multiclass_brier_loss(
            y, base, **words
        )

        assert 0 == pytest.approx(brier_skill_score(y, base, **words), abs=1e-12)
        assert 1 == brier_skill_score(y, np.eye(n_classes)[y], **words)
        assert saved == pytest.approx(brier_skill_score(y, proba, **words), rel=1e-12)


def test_skill_of_two_classes_in_either_convention():
    """The binary convention has the reference rate (1 - rate), and the same skill."""
    y, proba, _ = predictions(4, n_classes=2)
    rate = y.mean()
    expected = 1 - brier_score_loss(y, proba[:, 1]) / (rate * (1 - rate))

    assert expected == pytest.approx(brier_skill_score(y, proba), rel=1e-12)
    assert expected == pytest.approx(brier_skill_score(y, proba[:, 1]), rel=1e-12)


def test_skill_of_one_class():
    """One class only leaves nothing to save, also where others have weight 0."""
    with pytest.raises(ValueError, match=r"records of two classes\. Got only 1"):
        brier_skill_score([1, 1], [0.5, 0.6], labels=[0, 1])
    with pytest.raises(ValueError, match=r"records of two classes\. Got only 1"):
        brier_skill_score([1, 0], [0.5, 0.6], sample_weight=[1, 0])


def test_spherical_loss():
    """One less the cosine of the angle to the truth."""
    expected = 1 - (0.6 / np.hypot(0.6, 0.4) + 0.2 / np.hypot(0.8, 0.2)) / 2

    actual = spherical_loss([0, 1], [[0.6, 0.4], [0.8, 0.2]])

    assert expected == pytest.approx(actual, rel=1e-12)


def test_cost_weighted_loss():
    """Costs move the threshold: with c for a miss, 1 / (1 + c) is enough to raise alarm."""
    y, proba, weights = predictions(5, 400, 2)
    p = proba[:, 1]
    for miss in (1.0, 3.0, 9.0):
        alarm = p > 1 / (1 + miss)
        costs = np.where(y == 1, miss * ~alarm, alarm)
        matrix = [[0, 1], [miss, 0]]

        assert costs.mean() == pytest.approx(
            cost_weighted_loss(y, p, cost_matrix=matrix), rel=1e-12
        )
        assert np.average(costs, weights=weights) == pytest.approx(
            cost_weighted_loss(y, p, cost_matrix=matrix, sample_weight=weights), rel=1e-12
        )


def test_reports_test_the_loss_that_they_show():
    """A report's means are those of its scorer, and its test is the t test of them."""
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(120, 3)), rng.integers(2, size=120)
    models = [LogisticRegression(C=C).fit(X[:60], y[:60]) for C in (1e-3, 1e3)]
    proba = {str(i): model.predict_proba(X[60:]) for i, model in enumerate(models)}
    for scoring in [*MEANS, "neg_log_loss", "neg_brier_score"]:
        row = compare(y[60:], proba, scoring=scoring).results["paired_t"]

        sign = -1 if scoring.startswith("neg_") else 1
        loss = loss_of(scoring).name
        losses = PairedLosses.from_predictions(y[60:], *proba.values(), loss=loss)
        assert losses.means == pytest.approx((sign * row.champion, sign * row.challenger))
        assert losses.gain == pytest.approx(row.difference)
