"""Display of trainings and of the parts of the variance."""

import numpy as np
import pytest

from skcompare import compare, compare_seeds
from skcompare.evidence import CrossedDifferences
from skcompare.plots import TrainingVarianceDisplay, pictures_of
from skcompare.stats import crossed_t

pytest.importorskip("matplotlib")


def losses(s=4, n=60, other=None, of_trainings=0.05):
    rng = np.random.default_rng(0)
    return [
        rng.random((count, n)) + of_trainings * rng.normal(size=(count, 1))
        for count in (s, other or s)
    ]


def test_parts_are_the_components():
    """Of crossed_t, over the numbers of records and of trainings."""
    crossed = CrossedDifferences.from_losses(*losses())
    details = crossed_t(crossed).details
    display = TrainingVarianceDisplay.of_result(crossed)
    expected = np.array(
        [
            max(0, details["sigma2_records"]) / 60,
            details["sigma2_interaction"] / 240,
            max(0, details["sigma2_trainings"]) / 4,
        ]
    )

    assert expected / expected.sum() == pytest.approx(display.parts[0], rel=1e-9)
    halves = np.array([[0.5, 0.5, 1], [1, 0.5, 0.5]])
    assert halves * display.parts[0] == pytest.approx(display.parts[1:], rel=1e-12)
    assert crossed_t(crossed).pvalue == display.finding.pvalue
    assert crossed.champion.mean(axis=1) == pytest.approx(display.champion)


def test_from_a_comparison_and_from_predictions():
    """Both have the numbers of the evidence; reports show the picture."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=200)
    old, new = rng.random((2, 3, 200))
    comparison = compare_seeds(y, old, new, scoring="neg_brier_score")
    display = TrainingVarianceDisplay.of_result(comparison)
    drawn = TrainingVarianceDisplay.from_predictions(y, old, new)

    assert display.champion == pytest.approx(drawn.champion, rel=1e-12)
    assert 2 == len(drawn.axes_)
    pictures = pictures_of(comparison)
    titles = [picture.title for picture in pictures.shown]
    assert TrainingVarianceDisplay.title in titles
    assert any("shows one training of each" in text for text in pictures.left_out)
    # Three trainings of each, and three parts of three variances.
    assert 6 + 9 == len(drawn.frame())


def test_separate_and_constant_trainings():
    """Numbers that differ, and gains that do not vary."""
    separate = TrainingVarianceDisplay.of_result(
        CrossedDifferences.from_losses(*losses(other=6))
    )
    values = np.tile(np.arange(10.0), (3, 1))
    constant = TrainingVarianceDisplay.of_result(
        CrossedDifferences.from_losses(values, values)
    )

    assert "4 trainings of the champion and 6 of the challenger" in separate.summary
    assert not constant.parts.any()
    assert "nothing varies" in constant.summary
    constant.plot()


def test_one_training_is_refused():
    """Predictions of a hold-out set have one."""
    y, proba = np.arange(20) % 2, np.linspace(0.1, 0.9, 20)
    predictions = {"old": proba, "new": proba[::-1]}
    comparison = compare(y, predictions, scoring="neg_brier_score")
    with pytest.raises(ValueError, match="one test set, which all of them predict"):
        TrainingVarianceDisplay.of_result(comparison)
