"""Sensitivity at a specificity and the reverse: points of the empirical ROC curve."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import roc_curve

from skcompare.metrics import sensitivity_at_specificity, specificity_at_sensitivity


def random_scores(seed, n=50, tied=True):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    y[:2] = 0, 1
    scores = y + rng.normal(size=n)
    return y, np.round(scores * 2) / 2 if tied else scores


def by_thresholds(y, scores, required):
    """The best rates of all rules `score >= threshold`, and of the one that is never."""
    best = {"sensitivity": 0.0, "specificity": 0.0}
    for threshold in [*np.unique(scores), np.inf]:
        called = scores >= threshold
        sensitivity, specificity = called[y == 1].mean(), (~called)[y == 0].mean()
        if specificity >= required - 1e-12:
            best["sensitivity"] = max(best["sensitivity"], sensitivity)
        if sensitivity >= required - 1e-12:
            best["specificity"] = max(best["specificity"], specificity)
    return best


def test_best_of_all_thresholds():
    """Trying every threshold finds the same rates."""
    for required, tied in itertools.product([0.1, 0.5, 0.8, 0.9, 1.0], [False, True]):
        for seed in range(10):
            y, scores = random_scores(seed, tied=tied)
            best = by_thresholds(y, scores, required)

            sensitivity = sensitivity_at_specificity(y, scores, specificity=required)
            specificity = specificity_at_sensitivity(y, scores, sensitivity=required)

            assert best["sensitivity"] == pytest.approx(sensitivity, abs=1e-12)
            assert best["specificity"] == pytest.approx(specificity, abs=1e-12)


def test_points_of_the_roc_curve():
    """They are points of scikit-learn's curve, without interpolation."""
    y, scores = random_scores(11, n=200)
    fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)

    sensitivity = sensitivity_at_specificity(y, scores, specificity=0.85)
    specificity = specificity_at_sensitivity(y, scores, sensitivity=0.85)

    assert tpr[fpr <= 0.15 + 1e-12].max() == pytest.approx(sensitivity)
    assert 1 - fpr[tpr >= 0.85 - 1e-12].min() == pytest.approx(specificity)


def test_unreachable_but_for_an_extreme_threshold():
    """Where no threshold among the scores does, all records are called alike."""
    y, scores = [0, 0, 1, 1], [0.5, 0.9, 0.1, 0.9]

    assert 0 == sensitivity_at_specificity(y, scores, specificity=1.0)
    assert 0 == specificity_at_sensitivity(y, [0.5, 0.9, 0.1, 0.9], sensitivity=1.0)
    assert 1 == sensitivity_at_specificity(y, [0, 0, 1, 1], specificity=1.0)
    constant = [0.3, 0.3, 0.3, 0.3]
    assert 0 == sensitivity_at_specificity(y, constant, specificity=0.01)


def test_required_rate_is_reached_in_spite_of_rounding():
    """Nine of ten negative records are a specificity of 0.9."""
    y = np.repeat([0, 1], 10)
    scores = np.concatenate([np.arange(10), np.full(10, 8.5)])

    for tenths in range(1, 10):
        shifted = np.where(y == 1, tenths - 0.5, scores)
        rate = sensitivity_at_specificity(y, shifted, specificity=tenths / 10)
        assert 1 == rate
        if tenths < 9:
            above = tenths / 10 + 0.01
            assert 0 == sensitivity_at_specificity(y, shifted, specificity=above)


@pytest.mark.parametrize("rate", [sensitivity_at_specificity, specificity_at_sensitivity])
def test_weights(rate):
    """Integer weights are repetition, their scale changes nothing, order neither."""
    y, scores = random_scores(12, n=80)
    weights = np.random.default_rng(0).integers(4, size=80)
    order = np.random.default_rng(1).permutation(80)
    expected = rate(y.repeat(weights), scores.repeat(weights))

    assert expected == pytest.approx(rate(y, scores, sample_weight=weights))
    assert expected == pytest.approx(rate(y, scores, sample_weight=0.3 * weights))
    assert expected == pytest.approx(
        rate(y[order], scores[order], sample_weight=weights[order])
    )
    assert expected != pytest.approx(rate(y, scores))


@pytest.mark.parametrize("rate", [sensitivity_at_specificity, specificity_at_sensitivity])
def test_columns_and_positive_class(rate):
    """One score, two columns and a named positive class say the same."""
    y, scores = random_scores(13)
    chance = 1 / (1 + np.exp(-scores))
    both = np.column_stack([1 - chance, chance])
    names = np.array(["ill", "well"])
    expected = rate(y, scores)

    assert expected == rate(y, both)
    assert expected == rate(y, chance.reshape(-1, 1))
    assert expected == rate(y, both, labels=[0, 1])
    assert expected == rate(names[1 - y], both[:, ::-1], pos_label="ill")
    assert expected == rate(names[1 - y], chance, pos_label="ill")
    assert expected != rate(1 - y, chance)


@pytest.mark.parametrize("rate", [sensitivity_at_specificity, specificity_at_sensitivity])
def test_named_columns_and_unsorted_labels(rate):
    """Columns that are named by the classes are found; labels must be in sorted order."""
    frames = pytest.importorskip("pandas")
    y, scores = random_scores(14)
    chance = 1 / (1 + np.exp(-scores))
    frame = frames.DataFrame({1: chance, 0: 1 - chance})

    assert rate(y, scores) == rate(y, frame)
    assert rate(y, scores) != rate(y, frame.to_numpy())
    with pytest.raises(ValueError, match="`labels` must be different and sorted"):
        rate(y, frame, labels=[1, 0])


@pytest.mark.parametrize(
    ("rate", "option"),
    [
        (sensitivity_at_specificity, "specificity"),
        (specificity_at_sensitivity, "sensitivity"),
    ],
)
def test_bad_input(rate, option):
    """What is no rate, no score and no pair of classes is refused."""
    for wrong in (0, -0.1, 1.1, "0.9", None, True):
        with pytest.raises(ValueError, match=f"`{option}` must be a number above 0"):
            rate([0, 1], [0.1, 0.2], **{option: wrong})
    for settings, message in (
        (([0, 1, 2], [0.1, 0.2, 0.3]), "needs two classes"),
        (([1, 1], [0.1, 0.2]), "needs records of both classes"),
        ((["a", "b"], [0.1, 0.2]), "pass `pos_label`"),
        (([0, 1], [0.1, np.nan]), "must be finite"),
        (([0, 1], np.ones((2, 3))), r"Got \(2, 3\)"),
        (([0, 1], [0.1]), "y_true has 2, y_score has 1"),
    ):
        with pytest.raises(ValueError, match=message):
            rate(*settings)
    with pytest.raises(ValueError, match="must not all have weight 0"):
        rate([0, 0, 1], [0.1, 0.2, 0.3], sample_weight=[1, 1, 0])
