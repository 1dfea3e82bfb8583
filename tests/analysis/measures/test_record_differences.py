"""What records add to a difference: against the jackknife, DeLong, and what has none."""

import math

import numpy as np
import pytest
from sklearn.metrics import f1_score, make_scorer

from skcompare._analysis.measures import PairScores
from skcompare._core.design import HOLDOUT
from skcompare.evidence import PlacementValues
from skcompare.metrics import resolve_scoring, score_differences
from skcompare.predictions import EstimatorPredictions, Predictions, one_class
from skcompare.stats import delong

N = 150
FEW = 75  # enough for the jackknife, whose time rises with the square
MEANS = ("accuracy", "neg_brier_score", "neg_log_loss")
COUNTS = ("precision", "recall", "f1", "specificity", "balanced_accuracy")


def predictions(n_classes, seed=0, n=N):
    """True codes, and probabilities of two classifiers, the second one better."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.2, 0, rng.permutation(np.arange(n) % n_classes))
    both = []
    for skill in (0.8, 1.3):
        odds = np.exp(rng.normal(size=(n, n_classes)) + skill * (np.eye(n_classes)[y]))
        both.append(odds / odds.sum(axis=1, keepdims=True))
    return y, both


def pair_of(y, both, kept=slice(None)):
    """Both classifiers on some records."""
    y, both = y[kept], [proba[kept] for proba in both]
    classes = np.arange(both[0].shape[1])
    roles = tuple(
        EstimatorPredictions(name, name, proba.argmax(axis=1).astype(np.int8), proba)
        for name, proba in zip(("champion", "challenger"), both, strict=True)
    )
    return Predictions(classes, y.astype(np.int8), roles, HOLDOUT).pair(
        "champion", "challenger"
    )


def measured(pair, scoring):
    """The pair and the measure that a name stands for, and its positive class."""
    (measure,) = resolve_scoring(scoring)
    if measure.label is None:
        return pair, measure, None
    return one_class(pair, measure.position(pair.predictions.classes)), measure, True


def differences(pair, scoring, part=None):
    """What each record adds to the difference of the scores."""
    part = slice(0, int(pair.predictions.n_test.sum())) if part is None else part
    return PairScores(*measured(pair, scoring)).contributions(part)


def variance(found):
    """That of the mean, by the differences of the records."""
    return found.var(ddof=1) / len(found)


def jackknife(y, both, scoring):
    """Variance of a difference by leaving out every record once."""
    n = len(y)
    kept = [np.delete(np.arange(n), i) for i in range(n)]
    pairs = (measured(pair_of(y, both, some), scoring) for some in kept)
    left = np.array([score_differences(*one).mean for one in pairs])
    return (n - 1) / n * ((left - left.mean()) ** 2).sum()


@pytest.mark.slow
def test_means_over_records():
    """For a mean the jackknife is the sample variance over n, and so is ours."""
    for scoring, n_classes in [
        *((mean, 2) for mean in MEANS),
        ("accuracy", 3),
        ("neg_log_loss", 3),
    ]:
        y, both = predictions(n_classes, n=FEW)
        found = variance(differences(pair_of(y, both), scoring))

        assert jackknife(y, both, scoring) == pytest.approx(found, rel=1e-9)


@pytest.mark.slow
def test_scores_of_two_classes():
    """Influences to first order are as good as the jackknife, but for a few percent."""
    for scoring in [*COUNTS, "roc_auc", "matthews_corrcoef"]:
        y, both = predictions(2, n=FEW)
        found = variance(differences(pair_of(y, both), scoring))

        assert jackknife(y, both, scoring) == pytest.approx(found, rel=0.1)


@pytest.mark.slow
def test_scores_of_three_classes():
    """The same holds for one class of several, and for all of them."""
    for scoring in ["precision[2]", "f1[1]", "recall[0]", "f1_macro"]:
        y, both = predictions(3, n=FEW)
        found = variance(differences(pair_of(y, both), scoring))

        assert jackknife(y, both, scoring) == pytest.approx(found, rel=0.1)


def test_mean_is_the_difference():
    """Of the scores of both classifiers, whatever the score."""
    for scoring in [*MEANS, *COUNTS, "roc_auc", "average_precision"]:
        y, both = predictions(2)
        pair, measure, pos_label = measured(pair_of(y, both), scoring)
        sign = 1 if measure.greater_is_better else -1

        expected = sign * score_differences(pair, measure, pos_label).mean
        assert differences(pair, scoring).mean() == pytest.approx(expected, rel=1e-9)


def test_roc_auc_has_the_variance_of_delong():
    """Its components are averages over each class, with divisors one less."""
    y, both = predictions(2)
    pair = pair_of(y, both)
    found = differences(pair, "roc_auc")

    moves = [found[y == code] - found.mean() for code in (0, 1)]
    squares = [(one**2).sum() * len(one) / (len(one) - 1) for one in moves]
    z = found.mean() / math.sqrt(sum(squares) / len(y) ** 2)

    assert z == pytest.approx(delong(PlacementValues.from_pair(pair)).statistic, rel=1e-9)


def test_each_test_set_has_its_own():
    """Differences in a test set are those of it as a hold-out set."""
    y, both = predictions(2)
    pair = pair_of(y, both)

    for part in (slice(0, 40), slice(40, 90), slice(90, N)):
        alone = differences(pair_of(y, both, part), "roc_auc")
        assert alone == pytest.approx(differences(pair, "roc_auc", part), rel=1e-12)


def test_undefined_scores_have_none():
    """One class, or the scorer says that it is undefined."""
    y, both = predictions(2)
    pair = pair_of(np.zeros_like(y), both)
    _, measure, _ = measured(pair, "roc_auc")

    assert differences(pair, "roc_auc") is None
    undefined = PairScores(pair, measure, None)
    assert undefined.contributions(slice(0, N), (np.nan, np.nan)) is None


def test_another_score_than_that_of_the_formula():
    """What the scorer says counts: a formula that says something else is not used."""
    y, both = predictions(2)
    pair, measure, pos_label = measured(pair_of(y, both), "f1")

    by_formula = PairScores(pair, measure, pos_label)
    assert by_formula.contributions(slice(0, N), (0.2, 0.3)) is None


def test_unknown_scores_have_none():
    """A scorer of one's own has no formula, even if it is one that has."""
    y, both = predictions(2)

    assert differences(pair_of(y, both), make_scorer(f1_score)) is None
    assert differences(pair_of(y, both), lambda m, X, t: 0.5) is None
