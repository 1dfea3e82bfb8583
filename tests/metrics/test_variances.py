"""Variances of differences within test sets: the jackknife, DeLong, and what has none."""

import math

import numpy as np
import pytest
from sklearn.metrics import f1_score, make_scorer

from skcompare._design import HOLDOUT, Design
from skcompare.evidence import PlacementValues
from skcompare.metrics import resolve_scoring, score_differences
from skcompare.predictions import Answers, PairedPredictions, Predictions, one_class
from skcompare.stats import delong

# Numbers that take long; one set of dependencies is enough for them.
pytestmark = pytest.mark.slow

N = 150
FEW = 75  # enough for the jackknife, whose time rises with the square
MEANS = ("accuracy", "neg_brier_score", "neg_log_loss")
COUNTS = ("precision", "recall", "f1", "specificity", "balanced_accuracy")


def answers(n_classes, seed=0, n=N):
    """True codes, and probabilities of two classifiers, the second one better."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.2, 0, rng.permutation(np.arange(n) % n_classes))
    both = []
    for skill in (0.8, 1.3):
        odds = np.exp(rng.normal(size=(n, n_classes)) + skill * (np.eye(n_classes)[y]))
        both.append(odds / odds.sum(axis=1, keepdims=True))
    return y, both


def pair_of(y, both, kept=slice(None), bounds=None):
    """Both classifiers on some records, in test sets that end at `bounds`."""
    y, both = y[kept], [proba[kept] for proba in both]
    classes = np.arange(both[0].shape[1])
    roles = tuple(
        Answers(name, name, proba.argmax(axis=1).astype(np.int8), proba)
        for name, proba in zip(("champion", "challenger"), both, strict=True)
    )
    folds = {}
    if bounds is not None:
        folds = {
            "design": Design("kfold", n_folds=len(bounds) - 1),
            "records": np.arange(len(y)),
            "bounds": np.asarray(bounds),
            "n_train": np.full(len(bounds) - 1, len(y)),
        }
    settings = {"design": HOLDOUT} | folds
    return Predictions(classes, y.astype(np.int8), roles, **settings).pair(
        "champion", "challenger"
    )


def scored(pair: PairedPredictions, scoring):
    """The differences of a score by name."""
    (measure,) = resolve_scoring(scoring)
    if measure.label is None:
        return score_differences(pair, measure)
    position = measure.position(pair.predictions.classes)
    return score_differences(one_class(pair, position), measure, True)


def jackknife(y, both, scoring):
    """Variance of a difference by leaving out every record once."""
    n = len(y)
    kept = [np.delete(np.arange(n), i) for i in range(n)]
    left = np.array([scored(pair_of(y, both, some), scoring).mean for some in kept])
    return (n - 1) / n * ((left - left.mean()) ** 2).sum()


@pytest.mark.parametrize(
    ("scoring", "n_classes"),
    [*((mean, 2) for mean in MEANS), ("accuracy", 3), ("neg_log_loss", 3)],
)
def test_means_over_records(scoring, n_classes):
    """For a mean the jackknife is the sample variance over n, and so is ours."""
    y, both = answers(n_classes, n=FEW)
    scores = scored(pair_of(y, both), scoring)

    assert jackknife(y, both, scoring) == pytest.approx(scores.variances.item(), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("scoring", [*COUNTS, "roc_auc", "matthews_corrcoef"])
def test_scores_of_two_classes(scoring):
    """Influences to first order are as good as the jackknife, but for a few percent."""
    y, both = answers(2, n=FEW)
    scores = scored(pair_of(y, both), scoring)

    assert jackknife(y, both, scoring) == pytest.approx(scores.variances.item(), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["precision[2]", "f1[1]", "recall[0]", "f1_macro"])
def test_scores_of_three_classes(scoring):
    """The same holds for one class of several, and for all of them."""
    y, both = answers(3, n=FEW)
    scores = scored(pair_of(y, both), scoring)

    assert jackknife(y, both, scoring) == pytest.approx(scores.variances.item(), rel=0.1)


def test_roc_auc_has_the_variance_of_delong():
    """The difference over the root of the variance is DeLong's z."""
    y, both = answers(2)
    pair = pair_of(y, both)
    scores = scored(pair, "roc_auc")

    z = scores.values.item() / math.sqrt(scores.variances.item())

    assert z == pytest.approx(delong(PlacementValues.from_pair(pair)).statistic, rel=1e-9)


def test_each_test_set_has_its_own():
    """Variances of folds are those of the folds as hold-out sets."""
    y, both = answers(2)
    folds = scored(pair_of(y, both, bounds=[0, 40, 90, N]), "roc_auc")

    for k, part in enumerate((slice(0, 40), slice(40, 90), slice(90, N))):
        alone = scored(pair_of(y, both, part), "roc_auc")
        assert alone.values.item() == pytest.approx(folds.values[k], rel=1e-12)
        assert alone.variances.item() == pytest.approx(folds.variances[k], rel=1e-12)


def test_undefined_on_one_test_set():
    """NaN there, and known for the others."""
    y, both = answers(2)
    y = y.copy()
    y[:60] = 0
    folds = scored(pair_of(y, both, bounds=[0, 60, N]), "roc_auc")

    assert [True, False] == np.isnan(folds.values).tolist()
    assert [True, False] == np.isnan(folds.variances).tolist()


def test_one_record_of_a_class():
    """A single positive says nothing of how others vary."""
    y, both = answers(2)
    y = np.zeros_like(y)
    y[5] = 1
    scores = scored(pair_of(y, both), "roc_auc")

    assert np.isfinite(scores.values).all()
    assert np.isnan(scores.variances).all()


def test_unknown_scores_have_none():
    """A scorer of one's own has no formula, even if it is one that has."""
    y, both = answers(2)

    assert scored(pair_of(y, both), make_scorer(f1_score)).variances is None
    assert scored(pair_of(y, both), lambda m, X, t: 0.5).variances is None
