"""Losses of single records: by their definitions, scikit-learn's and other people's."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from skcompare._registry.metrics import by_columns, loss_of, record_losses
from skcompare._registry.metrics import tested_loss as loss_behind
from skcompare.evidence import PairedLosses
from skcompare.evidence.core._named_losses import named_loss
from skcompare.evidence.losses import _record_losses
from skcompare.evidence.losses._record_losses import (
    brier,
    brier_score,
    cost,
    log,
    multiclass_brier,
    spherical,
)
from tests.common.golden import golden

GOLDEN = golden("losses")
ENTRIES = tuple(record_losses().values())


def predictions(seed, n=40, n_classes=3):
    """True classes and random probabilities."""
    rng = np.random.default_rng(seed)
    return rng.integers(n_classes, size=n), rng.dirichlet(np.ones(n_classes), size=n)


# ------------------------------------------------------- other people's numbers


def test_worked_examples():
    """The losses and means of the textbook's examples."""
    for case in GOLDEN["single"]:
        losses = PairedLosses.from_predictions(
            case["y"], case["proba"], case["proba"], loss=case["loss"]
        )

        assert case["per_sample"] == pytest.approx(losses.champion, rel=1e-12)
        assert case["mean"] == pytest.approx(losses.means[0], rel=1e-12)


def test_uniform_probabilities():
    """Equal probabilities of K classes have the loss 1 - 1 / K (example 14.11: 2 / 3)."""
    losses = multiclass_brier(np.array([0, 1, 2]), np.full((3, 3), 1 / 3))

    assert [GOLDEN["single"][1]["uniform"]] * 3 == pytest.approx(losses, rel=1e-12)


def test_means_of_independent_implementations():
    """Means by scikit-learn, numpy and R."""
    for case in GOLDEN["cases"]:
        for name in {name for role in case["losses"].values() for name in role}:
            losses = PairedLosses.from_predictions(
                case["y"], case["A"], case["B"], loss=name
            )
            expected = [case["losses"][role][name]["value"] for role in "AB"]

            assert expected == pytest.approx(losses.means, rel=1e-12)


# ------------------------------------------------------- definitions


def test_brier_by_definition():
    """The squared distance of the probability of the second class from 0 or 1."""
    y, proba = predictions(1, n_classes=2)

    assert (proba[:, 1] - y) ** 2 == pytest.approx(brier(y, proba), rel=1e-12)
    assert brier_score_loss(y, proba[:, 1]) == pytest.approx(brier(y, proba).mean())


def test_brier_is_for_two_classes():
    """Of three classes it names the loss that sums over them."""
    with pytest.raises(
        ValueError, match=r"for two classes\. Got 3.*'multiclass_brier_loss'"
    ):
        brier(*predictions(2))


def test_multiclass_brier_by_definition(monkeypatch):
    """The squared distance from the indicator of the true class, over any length."""
    monkeypatch.setattr(_record_losses, "CHUNK", 40)
    for n in [1, 39, 40, 41, 83]:
        y, proba = predictions(3, n)
        expected = np.sum((proba - np.eye(3)[y]) ** 2, axis=1)

        assert expected == pytest.approx(multiclass_brier(y, proba), rel=1e-12)


def test_small_losses_keep_their_digits():
    """A nearly certain prediction has a tiny loss, not what rounding leaves of large
    terms.
    """
    proba = np.array([[1 - 1e-9, 1e-9, 0.0]])

    assert [2e-18] == pytest.approx(multiclass_brier(np.array([0]), proba), rel=1e-6)


def test_brier_score_is_scikit_learns():
    """Binary for two classes, and the sum over the classes for more."""
    two, three = predictions(4, n_classes=2), predictions(4)

    assert brier(*two).tolist() == brier_score(*two).tolist()
    assert multiclass_brier(*three).tolist() == brier_score(*three).tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_log_loss_is_scikit_learns(n_classes):
    """Certain and impossible classes are clipped as there, record by record."""
    y, proba = predictions(5, n=12, n_classes=n_classes)
    proba[0] = np.eye(n_classes)[y[0]]
    proba[1] = np.eye(n_classes)[(y[1] + 1) % n_classes]
    labels = np.arange(n_classes)
    expected = [
        log_loss([label], row[np.newaxis], labels=labels)
        for label, row in zip(y, proba, strict=True)
    ]

    assert expected == pytest.approx(log(y, proba), rel=1e-12, abs=1e-12)
    assert 0 == log(y, proba)[0]


def test_log_loss_with_another_eps():
    """A smaller probability counts as `eps`, and with 0 the loss is infinite."""
    proba = np.array([[1.0, 0.0], [0.5, 0.5]])
    y = np.array([1, 1])

    assert [-np.log(1e-15), np.log(2)] == pytest.approx(log(y, proba, eps=1e-15))
    assert [np.inf, np.log(2)] == pytest.approx(log(y, proba, eps=0))
    for eps in (-0.1, 0.5, "small", None, True):
        with pytest.raises(ValueError, match=r"`eps` must be a number in \[0, 0\.5\)"):
            log(y, proba, eps=eps)


def test_spherical_by_definition():
    """One less the cosine of the angle between probabilities and truth."""
    y, proba = predictions(6)
    truth = np.eye(3)[y]
    expected = 1 - (proba * truth).sum(axis=1) / np.linalg.norm(proba, axis=1)

    assert expected == pytest.approx(spherical(y, proba), rel=1e-12, abs=1e-15)
    assert [0.0] * len(y) == spherical(y, truth).tolist()


def test_honesty_is_best():
    """Proper: for true shares q no other probabilities have a lower expected loss."""
    for name in ["brier_score", "log_loss", "spherical_loss", "multiclass_brier_loss"]:
        rng = np.random.default_rng(7)
        loss = record_losses()[name].function
        for n_classes in (2, 3):
            q = rng.dirichlet(np.ones(n_classes))
            y = np.arange(n_classes)
            honest = q @ loss(y, np.tile(q, (n_classes, 1)))
            for other in rng.dirichlet(np.ones(n_classes), size=50):
                assert honest < q @ loss(y, np.tile(other, (n_classes, 1)))


def test_cost_by_definition():
    """The cost of the decision whose expected cost is least, one record after another."""
    rng = np.random.default_rng(8)
    y, proba = predictions(8)
    costs = rng.integers(10, size=(3, 3)).astype(float)
    expected = []
    for label, row in zip(y, proba, strict=True):
        means = [sum(row[i] * costs[i, j] for i in range(3)) for j in range(3)]
        expected.append(costs[label, int(np.argmin(means))])

    assert expected == cost(y, proba, cost_matrix=costs).tolist()


def test_cost_of_errors():
    """Without costs it is 1 for each record whose most probable class is not the true one.

    Of equal probabilities the first class is decided on.
    """
    y, proba = predictions(9)

    assert (proba.argmax(axis=1) != y).tolist() == cost(y, proba).tolist()
    assert [0, 1] == cost(np.array([0, 1]), np.full((2, 2), 0.5)).tolist()


@pytest.mark.parametrize("costs", [np.eye(2), [1, 2, 3], np.full((3, 3), np.nan)])
def test_bad_costs(costs):
    """Costs must be finite, a row and one column per class."""
    with pytest.raises(
        ValueError, match=r"finite costs of shape \(3, 3\), one row per true"
    ):
        cost(*predictions(10), cost_matrix=costs)


# ------------------------------------------------------- the registry


def test_loss_is_described():
    """A loss has a question, a title, a docstring, and measures that lead back to it."""
    for entry in ENTRIES:
        assert entry.question.endswith("?")
        assert entry.title
        for measure in entry.measures:
            assert entry == loss_behind(measure) == loss_behind(f"neg_{measure}")
            assert (None if entry.relative else entry) == loss_of(measure)


def test_loss_is_one_number_a_record():
    """Finite, at least 0, 0 for the truth, of any order, and nothing is changed."""
    of_classes = [entry for entry in ENTRIES if entry.target == "classes"]
    for entry, n_classes in itertools.product(of_classes, [2, 3]):
        if (entry.name, n_classes) == ("binary_brier_loss", 3):
            continue
        y, proba = predictions(11, n_classes=n_classes)
        before, order = proba.copy(), np.random.default_rng(0).permutation(len(y))

        losses = entry.function(y, proba)

        assert y.shape == losses.shape
        assert np.float64 == losses.dtype
        assert np.isfinite(losses).all()
        assert (losses >= 0).all()
        assert not entry.function(y, np.eye(n_classes)[y]).any()
        assert losses[order].tolist() == entry.function(y[order], proba[order]).tolist()
        assert losses.tolist() == entry.function(y.astype(np.int8), proba[:, :]).tolist()
        assert before.tolist() == proba.tolist()


def test_loss_of_numbers_is_one_number_a_record():
    """Finite, at least 0, 0 for the truth alone, and nothing is changed."""
    y, predicted = np.random.default_rng(12).gamma(2, size=(2, 40))
    for entry in ENTRIES:
        if (entry.target, entry.needs) == ("numbers", "values"):
            before, losses = predicted.copy(), entry.function(y, predicted)

            assert (y.shape, np.float64) == (losses.shape, losses.dtype)
            assert (losses > 0).all()
            assert not entry.function(y, y).any()
            assert before.tolist() == predicted.tolist()


def test_functions_agree_with_their_expressions():
    """What numpy computes fast and what engines evaluate is one number of a record."""
    entries = [e for e in ENTRIES if e.expression and e.target == "classes"]
    assert 5 <= len(entries)
    for entry, n_classes in itertools.product(entries, (2, 3, 7)):
        if entry.name == "binary_brier_loss" and n_classes > 2:
            continue
        codes, proba = predictions(1, n_classes=n_classes)
        # The unlikely, the impossible and the certain are in both.
        proba[0], proba[1] = np.eye(n_classes)[codes[:2]]
        proba[2] = np.eye(n_classes)[codes[2] - 1]
        evaluated = by_columns(entry.expression)(codes, proba)
        assert evaluated == pytest.approx(entry.function(codes, proba), rel=4e-16)


def test_named_losses():
    """A name with options, or a function of one's own, which takes none."""
    name, function = named_loss("log_loss", eps=1e-3, cost_matrix=None)

    assert "log_loss(eps=0.001)" == name
    assert [-np.log(1e-3)] == pytest.approx(function(np.array([0]), np.array([[0.0, 1]])))
    assert "predictions" == named_loss(predictions)[0]
    with pytest.raises(
        ValueError, match=r"Unknown loss 'brier_scor'. Did you mean 'brier_score'"
    ):
        named_loss("brier_scor")
    with pytest.raises(
        ValueError, match=r"'binary_brier_loss' takes no option 'eps'. Its options: none"
    ):
        named_loss("binary_brier_loss", eps=0.1)
    with pytest.raises(ValueError, match=r"takes no options\. Got eps"):
        named_loss(predictions, eps=0.1)
