"""Predictions with a score: any weighting and any exchange is scored as scikit-learn
would.
"""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    log_loss,
    r2_score,
    roc_auc_score,
    roc_curve,
)

from skcompare.evidence import ScoredPair
from skcompare.evidence.scores._scored_pair import (
    AreaUnderCurve,
    AveragePrecision,
    OperatingPoint,
    RecordMean,
)
from skcompare.predictions import predictions_from_arrays

RANKINGS = {
    "roc_auc": (AreaUnderCurve(), roc_auc_score),
    "average_precision": (AveragePrecision(), average_precision_score),
}


def random_scores(seed, n=40, tied=True):
    """Truth with two scores of it, tied where that is wanted."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    y[:2] = 0, 1
    scores = y + rng.normal(size=(2, n))
    return y, *(np.round(scores, 0) if tied else scores)


def random_weights(seed, n, size=10):
    """How often n records are drawn, as in a bootstrap."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.int32)


def sensitivities_by_roc_curve(y, scores, limits):
    """The greatest sensitivities on scikit-learn's ROC curve that are specific enough."""
    fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)
    return [tpr[1 - fpr >= at_least - 1e-12].max() for at_least in limits]


# --------------------------------------------------------------- many weightings


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_weights_are_repetition(seed):
    """A record of weight 3 counts as three records, one of weight 0 not at all."""
    for tied, name in itertools.product([False, True], RANKINGS):
        score, metric = RANKINGS[name]
        y, scores, _ = random_scores(seed, tied=tied)
        weights = random_weights(seed, len(y))
        expected = [metric(y.repeat(w), scores.repeat(w)) for w in weights]

        actual = score.prepared(y, scores, np.arange(len(y))).values(weights)

        assert expected == pytest.approx(actual.tolist(), rel=1e-12, abs=1e-15)


def test_rates_at_a_threshold():
    """They are the best points of scikit-learn's ROC curve, for either class."""
    limits = [0.5, 0.8, 0.9, 1.0]
    for tied, seed, within in itertools.product(
        [False, True], range(3), ["positive", "negative"]
    ):
        y, scores, _ = random_scores(seed, tied=tied)
        weights = random_weights(seed, len(y))
        truth, ranks = (y, scores) if within == "positive" else (1 - y, -scores)
        rates = np.array(
            [
                sensitivities_by_roc_curve(truth.repeat(w), ranks.repeat(w), limits)
                for w in weights
            ]
        )

        for at_least, expected in zip(limits, rates.T, strict=True):
            score = OperatingPoint("rate", at_least, within)
            actual = score.prepared(y, scores, np.arange(len(y))).values(weights)

            assert expected == pytest.approx(actual, abs=1e-12)


def test_mean_of_records():
    """A mean is that of the repeated records."""
    rng = np.random.default_rng(0)
    records, weights = rng.normal(size=30), random_weights(0, 30)
    expected = [records.repeat(w).mean() for w in weights]

    actual = RecordMean().prepared(weights[0], records, weights[0]).values(weights)

    assert expected == pytest.approx(actual.tolist(), rel=1e-12)


def test_slopes():
    """They are the derivatives of the score by the weights."""
    for tied, score in itertools.product(
        [False, True], [AreaUnderCurve(), AveragePrecision(), RecordMean()]
    ):
        y, scores, _ = random_scores(3, tied=tied)
        prepared = score.prepared(y, scores, np.arange(len(y)))
        scale = 10**6
        weights = scale * (1 + random_weights(3, len(y), size=1).astype(np.int64))
        up, down = (weights + sign * np.eye(len(y), dtype=np.int64) for sign in (1, -1))
        expected = (prepared.values(up) - prepared.values(down)) / 2

        actual = prepared.slopes(weights)[0]

        assert expected * scale == pytest.approx(actual * scale, abs=1e-7)
        assert 0 == pytest.approx(float(weights[0] @ actual), abs=1e-12)


def test_slopes_have_the_variance_of_delong():
    """Squares of the area's slopes add to DeLong's variance with divisors m² and n²."""
    y, scores, _ = random_scores(4)
    positive, negative = scores[y == 1], scores[y == 0]
    wins = (positive[:, None] > negative) + (positive[:, None] == negative) / 2
    expected = wins.mean(axis=1).var() / len(positive) + wins.mean(axis=0).var() / len(
        negative
    )
    once = np.ones((1, len(y)), dtype=np.int32)

    slopes = AreaUnderCurve().prepared(y, scores, once[0]).slopes(once)

    assert expected == pytest.approx(float((slopes**2).sum()), rel=1e-12)


def test_a_class_without_weight_has_no_score():
    """A score that is undefined is NaN, never a number."""
    y, scores = np.array([0, 0, 1]), np.array([0.1, 0.5, 0.4])
    weights = np.array([[2, 1, 0], [0, 0, 3], [1, 1, 1]], dtype=np.int32)
    rate = OperatingPoint("rate", 0.5)

    area, precision, rates = (
        score.prepared(y, scores, y).values(weights)
        for score in (AreaUnderCurve(), AveragePrecision(), rate)
    )

    assert [True, True, False] == np.isnan(area).tolist()
    assert [True, False, False] == np.isnan(precision).tolist()
    assert [True, True, False] == np.isnan(rates).tolist()


# --------------------------------------------------------------- exchanges


@pytest.mark.parametrize("name", RANKINGS)
def test_exchange_of_predictions(name):
    """Ranks of both are exchanged within records, and scored as scikit-learn would."""
    metric = RANKINGS[name][1]
    y, first, second = random_scores(5)
    pair = ScoredPair.from_predictions(y, first, 7 * second + 3, score=name)
    first, second = (pair.score.on_one_scale(a) for a in (pair.champion, pair.challenger))
    swapped = np.random.default_rng(0).random((20, pair.n)) < 0.5
    weights = np.concatenate([~swapped, swapped], axis=1).astype(np.int32)
    mixed = [np.where(one, second, first) for one in swapped]

    actual = pair.prepared_for_exchange().values(weights)

    expected = [metric(pair.y, predictions) for predictions in mixed]
    assert expected == pytest.approx(actual.tolist(), rel=1e-12)


def test_records_that_differ():
    """An exchange matters where predictions differ, and of scores where their ranks do."""
    y, scores, _ = random_scores(6)
    other = scores.copy()
    other[3] += 100

    ranked = ScoredPair.from_predictions(y, scores, np.exp(scores), score="roc_auc")
    labels = ScoredPair.from_predictions(y, y, np.where(np.arange(len(y)) < 4, 1 - y, y))

    assert not ranked.differs.any()
    assert 4 == np.count_nonzero(labels.differs)
    assert ScoredPair.from_predictions(y, scores, other, score="roc_auc").differs.any()


# --------------------------------------------------------------- its own order


def test_own_order():
    """Neither the order of the records nor the roles change the order they are kept in."""
    for grouped, score in itertools.product([False, True], ["roc_auc", roc_auc_score]):
        y, first, second = random_scores(7)
        groups = np.arange(len(y)) % 6 if grouped else None
        order = np.random.default_rng(1).permutation(len(y))

        pair = ScoredPair.from_predictions(y, first, second, score=score, groups=groups)
        mixed = ScoredPair.from_predictions(
            y[order],
            first[order],
            second[order],
            score=score,
            groups=None if groups is None else groups[order],
        )
        swapped = ScoredPair.from_predictions(y, second, first, score=score, groups=groups)

        for other in (mixed, swapped.swap(), pair.swap().swap()):
            for name in ("y", "champion", "challenger"):
                assert np.array_equal(getattr(pair, name), getattr(other, name))
        assert np.array_equal(pair.champion, swapped.challenger)
        assert pair.values == swapped.values[::-1]
        assert order[mixed.rows].tolist() != mixed.rows.tolist()


def test_symmetric_pair():
    """Whether an exchange of the roles leaves the records as they are is known."""
    both_ways = [0, 0, 1, 1], [0, 1, 1, 0], [1, 0, 0, 1]
    one_way = [0, 0, 1, 1], [0, 1, 0, 0], [1, 0, 1, 0]

    assert ScoredPair.from_predictions(*both_ways).symmetric
    assert not ScoredPair.from_predictions(*one_way).symmetric
    grouped = ScoredPair.from_predictions(*both_ways, groups=[1, 2, 3, 4])
    assert not grouped.symmetric


def test_rows_follow_the_records():
    """Every record keeps the position that it came from."""
    y, first, second = random_scores(8, tied=False)

    pair = ScoredPair.from_predictions(y, first, second, score="roc_auc")

    assert np.array_equal(first[pair.rows], pair.champion)
    assert np.array_equal(y[pair.rows], pair.y)


# --------------------------------------------------------------- how it is made


def test_accuracy_is_the_default():
    """From predictions and from a pair, labels are compared by their accuracy."""
    y = np.array(["a", "b", "c", "b"])
    first, second = np.array(["a", "b", "b", "c"]), np.array(["a", "b", "c", "c"])
    predictions = predictions_from_arrays(y, {"old": first, "new": second})

    for pair in (
        ScoredPair.from_predictions(y, first, second),
        ScoredPair.from_pair(predictions.pair("old", "new")),
    ):
        assert (0.5, 0.75) == pair.values
        assert (-1, 1) == pair.bounds
        assert "accuracy" == pair.score.name


def test_positive_class():
    """The positive class is 1, or the one that is named."""
    y = np.array(["no", "yes", "yes", "no"])
    scores = [0.1, 0.2, 0.9, 0.3], [0.1, 0.7, 0.9, 0.3]

    pair = ScoredPair.from_predictions(y, *scores, score="roc_auc", pos_label="yes")
    other = ScoredPair.from_predictions(y, *scores, score="roc_auc", pos_label="no")

    assert (0.75, 1.0) == pair.values
    assert (0.25, 0.0) == other.values
    with pytest.raises(ValueError, match="pass `pos_label`"):
        ScoredPair.from_predictions(y, *scores, score="roc_auc")


def test_own_function():
    """A function gets the labels and the predictions as they were passed."""
    y = np.array(["a", "c", "b", "a"])
    proba = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 4))

    pair = ScoredPair.from_predictions(y, *proba, score=log_loss, greater_is_better=False)

    expected = [log_loss(y, one) for one in proba]
    assert expected == pytest.approx(pair.values, rel=1e-12)
    assert -1 == pair.sign
    assert "log_loss" == pair.score.name


def test_own_function_of_labels():
    """Labels that are strings reach the function, and have an order of their own."""
    y, first, second = (np.array(list(word)) for word in ("abab", "abba", "bbab"))

    def hits(truth, predictions):
        return np.mean(truth == predictions)

    pair = ScoredPair.from_predictions(y, first, second, score=hits)

    assert (0.5, 0.75) == pair.values
    assert pair.values == pair.swap().values[::-1]


def test_own_function_sees_the_order_of_the_records():
    """Of equal scores it may take those that come first, so they come as they came."""
    rng = np.random.default_rng(11)
    y = rng.integers(2, size=60)
    first, second = rng.integers(3, size=(2, 60)).astype(float)

    def hits(y_true, scores):
        return y_true[np.argsort(-scores, kind="stable")[:15]].mean()

    pair = ScoredPair.from_predictions(y, first, second, score=hits)

    assert (hits(y, first), hits(y, second)) == pair.values
    weights = random_weights(0, 60, size=5)
    assert len(np.unique(pair.y[:10])) == 1
    expected = []
    for one in weights:
        repeats = np.empty(60, dtype=int)
        repeats[pair.rows] = one
        expected.append(hits(y.repeat(repeats), first.repeat(repeats)))
    assert expected == pair.prepared()[0].values(weights).tolist()
    swapped = np.arange(60) % 3 == 0
    mixed = np.empty(60)
    mixed[pair.rows] = np.where(swapped, pair.challenger, pair.champion)
    exchange = np.concatenate([~swapped, swapped]).astype(np.int32)
    assert hits(y, mixed) == pair.prepared_for_exchange().values(exchange[np.newaxis])[0]


def scored_by(value):
    """A pair whose score is a value, whatever the predictions."""
    return ScoredPair.from_predictions([0, 1], [0, 1], [1, 1], score=lambda y, a: value)


def test_numbers_of_own_functions():
    """Numbers of NumPy are numbers, and an array of one is one, as in scikit-learn."""
    for value in [np.float32(0.5), np.array(0.5), np.array([0.5]), True]:
        pair = scored_by(value)

        assert (np.sum(value), np.sum(value)) == pair.values
        assert float is type(pair.values[0])


def test_own_functions_that_give_no_number():
    """Anything else is refused with what it was."""
    for value in [None, {"a": 1.0}, np.array([0.5, 0.6]), "0.5", 1j]:
        pair = scored_by(value)

        with pytest.raises(TypeError, match=f"one number. Got {type(value).__name__}"):
            _ = pair.values


def test_undefined_own_function():
    """An error or a warning that a score is undefined makes it NaN."""

    def refuses(y_true, predictions):
        raise ValueError("No.")

    y, first, second = random_scores(9)
    none = np.zeros(len(y), dtype=int)

    undefined = ScoredPair.from_predictions(y, first, second, score=refuses)
    warned = ScoredPair.from_predictions(none, first, second, score=roc_auc_score)

    assert np.isnan(undefined.values).all()
    assert np.isnan(warned.values).all()


def test_groups():
    """Records of one group are one unit."""
    pair = ScoredPair.from_predictions(
        [0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 0, 1], groups=["b", "a", "b", "c"]
    )

    assert 3 == pair.n_units
    assert [0, 1, 1, 2] == pair.units.tolist()
    assert "grouped holdout" == pair.design.name
    assert "n_units=3" in repr(pair)


def test_frozen():
    """Arrays are read-only, after pickling too, and the caller's own stay as they are."""
    y, first, second = random_scores(10)
    before = first.copy()
    pair = ScoredPair.from_predictions(y, first, second, score="roc_auc")

    again = pickle.loads(pickle.dumps(pair))

    assert np.array_equal(before, first)
    assert first.flags.writeable
    for one in (pair, again):
        for name in ("y", "champion", "challenger", "rows"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(one, name)[0] = 1
    assert pair.values == again.values
    assert pair.score == again.score


def test_bad_input():
    """Input that cannot be scored is refused with what was expected."""
    for settings, message in [
        ({"score": "f1"}, "Unknown score 'f1'.*accuracy, average_precision, .* more"),
        ({"champion": [0.1, 0.2]}, "y_true has 4, champion has 2"),
        ({"groups": [1, 2]}, "groups has 2"),
        ({"champion": [0.1, np.nan, 1, 2], "score": "roc_auc"}, "with NaN or infinity"),
        ({"champion": np.ones((4, 2)), "score": "roc_auc"}, r"Got shape \(4, 2\)"),
        ({"y_true": [0, 1, 2, 1], "score": "roc_auc"}, "needs two classes"),
    ]:
        given = {
            "y_true": [0, 1, 0, 1],
            "champion": [0, 1, 1, 1],
            "challenger": [0, 0, 0, 1],
        }
        with pytest.raises(ValueError, match=message):
            ScoredPair.from_predictions(**(given | settings))


def test_means_of_losses_are_not_scores():
    """The message names the test that compares them, before it reads the true values."""
    y, a, b = np.random.default_rng(0).normal(size=(3, 20))
    for score, loss in (
        ("neg_mean_absolute_error", "absolute_error"),
        ("neg_mean_pinball_loss", "pinball_loss"),
        ("neg_log_loss", "log_loss"),
    ):
        with pytest.raises(ValueError, match=rf"paired_t\(.*loss='{loss}'\)"):
            ScoredPair.from_predictions(y, a, b, score=score)
    with pytest.raises(ValueError, match="Unknown score 'neg_max_error'"):
        ScoredPair.from_predictions(y, a, b, score="neg_max_error")


def test_own_function_of_numbers():
    """True values with fractions are passed as they are."""
    y, a, b = np.random.default_rng(0).normal(size=(3, 20))
    pair = ScoredPair.from_predictions(y, a, b, score=r2_score)
    expected = [r2_score(y, a), r2_score(y, b)]
    named = ScoredPair.from_predictions(y, a, b, score="r2")

    for each in (pair, named):
        assert expected == pytest.approx(list(each.values))
