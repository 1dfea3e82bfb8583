"""Scores that a formula finds are those of the scorer, on every test set."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import get_scorer_names as get_sklearn_scorer_names

from skcompare._analysis.measures import RoleScores
from skcompare._analysis.measures._measures import Watch
from skcompare._core.design import Design
from skcompare.metrics import get_scorer_names, resolve_scoring
from skcompare.predictions import EstimatorPredictions, PairedPredictions, Predictions

BOUNDS = np.arange(0, 61, 12)
"""Five test sets, some of which lack a rare class."""

# Scorers warn of classes that are not there, which is what is compared here.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


def measures(n_classes):
    """Every measure that scores so many classes."""
    for name in sorted({*get_scorer_names(), *get_sklearn_scorer_names()}):
        try:
            (measure,) = resolve_scoring(name)
            measure.check_classes(np.arange(n_classes))
        except ValueError:
            continue
        if not measure.is_numeric:
            yield measure


def predictions(n_classes, seed):
    """Predictions of a classifier that names one class only on the first test set."""
    rng = np.random.default_rng(seed)
    shares = [0.6, 0.4] if n_classes == 2 else [0.6, 0.36, 0.04]
    y = rng.choice(n_classes, size=BOUNDS[-1], p=shares)
    y[rng.integers(12, 60, size=n_classes)] = np.arange(n_classes)
    if seed % 2:
        y[:n_classes] = np.arange(n_classes)
    odds = np.exp(rng.normal(size=(len(y), n_classes)) + np.eye(n_classes)[y])
    labels = odds.argmax(axis=1)
    labels[:12] = 0 if seed % 3 == 0 else labels[:12]
    predictions = EstimatorPredictions(
        "a", "a", labels, odds / odds.sum(axis=1, keepdims=True)
    )
    made = Predictions(
        np.arange(n_classes),
        y,
        (predictions,),
        Design("kfold"),
        np.arange(len(y)),
        BOUNDS,
        np.full(5, 48),
    )
    return PairedPredictions(made, predictions, predictions)


def test_scores_are_those_of_the_scorer():
    """Undefined where it is, whichever test set comes first, and with its warnings."""
    for n_classes, seed in itertools.product([2, 3], range(8)):
        pair = predictions(n_classes, seed)
        for measure in measures(n_classes):
            role = RoleScores(pair.predictions, pair.champion, measure)
            watch, expected = Watch(), Watch()
            scores = role.of_splits(watch)
            by_scorer = [role.of_part(part, expected) for part in pair.predictions.slices()]

            assert scores == pytest.approx(by_scorer, rel=1e-9, abs=1e-12, nan_ok=True), (
                measure
            )
            assert watch.warned == expected.warned, measure
