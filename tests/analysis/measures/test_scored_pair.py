"""Evidence of a measure: every weighting has the score that its scorer gives."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.metrics import make_scorer, roc_auc_score

from skcompare._analysis.measures._measures import StoredPredictions
from skcompare.evidence import JointCounts
from skcompare.evidence.scores._scored_pair import LoopedScore
from skcompare.metrics import resolve_scoring, scored_pair
from skcompare.predictions import predictions_from_arrays
from skcompare.stats import bootstrap_difference, permutation_difference, score_difference

QUICK = (
    "accuracy",
    "roc_auc",
    "average_precision",
    "sensitivity_at_specificity",
    "specificity_at_sensitivity",
    "f1",
    "precision",
    "recall",
    "balanced_accuracy",
    "matthews_corrcoef",
    "f1_macro",
    "sensitivity",
)
MULTICLASS = ("accuracy", "balanced_accuracy", "matthews_corrcoef", "f1_macro")
PROBABILITIES = ("neg_log_loss", "multiclass_brier_loss", "neg_multiclass_brier_loss")


def random_pair(seed=0, n=60, n_classes=2, classes=None, groups=None):
    """Probabilities of two classifiers of random records."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    y[:n_classes] = np.arange(n_classes)
    towards = 2.0 * np.eye(n_classes)[y]
    predictions = {}
    for name in ("champion", "challenger"):
        odds = np.exp(towards * rng.random() + rng.normal(size=(n, n_classes)))
        predictions[name] = odds / odds.sum(axis=1, keepdims=True)
    labels = y if classes is None else np.array(classes)[y]
    if classes is not None:
        # Columns are in the order of the sorted classes.
        predictions = {
            name: proba[:, np.argsort(classes)] for name, proba in predictions.items()
        }
    collected = predictions_from_arrays(labels, predictions, groups=groups)
    return collected.pair("champion", "challenger")


def by_scorer(pair, measure, weights, pos_label=None):
    """What the measure's scorer gives for repeated records, a role a row."""
    predictions = pair.predictions
    found = np.empty((2, len(weights)))
    for k, role in enumerate(pair.roles):
        for r, counts in enumerate(weights):
            taken = np.repeat(np.arange(predictions.n_records), counts)
            labels = predictions.classes[role.labels[taken]]
            stored = StoredPredictions(
                predictions.classes, labels, role.proba[taken], role.decision
            )
            y = predictions.classes[predictions.y[taken]]
            found[k, r] = measure.scorer(stored, taken.reshape(-1, 1), y)
    return found


def weights_for(pair, seed=0, size=2):
    n = pair.predictions.n_records
    rng = np.random.default_rng(seed)
    return rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.int32)


def values_of(scored, weights):
    """The evidence's own scores, whose records are in an order of their own."""
    return np.array([one.values(weights[:, scored.rows]) for one in scored.prepared()])


def test_two_classes():
    """A score that is known equals its scorer on resampled records."""
    pair = random_pair()
    weights = weights_for(pair)
    for name in QUICK + PROBABILITIES:
        measure = resolve_scoring(name)[0]

        scored = scored_pair(pair, measure)

        assert by_scorer(pair, measure, weights) == pytest.approx(
            values_of(scored, weights), rel=1e-12
        )
        assert measure.greater_is_better == scored.greater_is_better
        if name in QUICK:
            assert not scored.score.looped


def test_more_classes():
    """So does one of three classes, whatever they are called."""
    pair = random_pair(1, n_classes=3, classes=["ant", "bee", "cow"])
    weights = weights_for(pair)
    for name in [*MULTICLASS, *PROBABILITIES, "roc_auc_ovr"]:
        measure = resolve_scoring(name)[0]

        scored = scored_pair(pair, measure)

        assert by_scorer(pair, measure, weights) == pytest.approx(
            values_of(scored, weights), rel=1e-12
        )


def test_any_scorer():
    """A scorer that nobody knows is called, here for a part of the ROC curve."""
    scorer = make_scorer(roc_auc_score, response_method="predict_proba", max_fpr=0.2)
    pair = random_pair(2)
    measure, weights = resolve_scoring(scorer)[0], weights_for(pair)

    scored = scored_pair(pair, measure)

    assert by_scorer(pair, measure, weights) == pytest.approx(values_of(scored, weights))
    assert scored.score.looped


def profit(estimator, X, y):
    """Earn what a record is worth for a correct prediction."""
    worth = 1.0 + np.asarray(X)[:, 0] % 7
    return float(np.sum(worth * (estimator.predict(X) == y)) / len(y))


def test_scorer_knows_the_records():
    """X has the position of each record, so that records can be worth different sums.

    Tests that draw records call the scorer for each draw.
    """
    pair = random_pair(3)
    measure, weights = resolve_scoring({"profit": profit})[0], weights_for(pair)

    scored = pickle.loads(pickle.dumps(scored_pair(pair, measure)))

    assert by_scorer(pair, measure, weights) == pytest.approx(values_of(scored, weights))
    assert "profit" == scored.score.name
    assert 0 < bootstrap_difference(scored, n_resamples=99).pvalue <= 1
    assert 0 < permutation_difference(scored, n_resamples=99).pvalue <= 1


def test_positive_class():
    """With strings the positive class is the one that is named."""
    numbers, words = random_pair(4), random_pair(4, classes=["no", "yes"])
    other = random_pair(4, classes=["z", "a"])
    for name in ["roc_auc", "average_precision", "f1", "sensitivity"]:
        measure = resolve_scoring(name)[0]
        expected = scored_pair(numbers, measure).values

        assert expected == pytest.approx(scored_pair(words, measure, "yes").values)
        assert expected == pytest.approx(scored_pair(other, measure, "a").values)
        # The area is the same for either class, with the chances of that class.
        same = expected == pytest.approx(scored_pair(words, measure, "no").values)
        assert same == (name == "roc_auc")


def test_decision_scores():
    """A ranking may be of decision scores, of both classifiers or of one."""
    pair = random_pair(5)
    measure = resolve_scoring("roc_auc")[0]
    expected = scored_pair(pair, measure)
    odds = np.log(pair.champion.proba[:, 1] / pair.champion.proba[:, 0])
    ranked = type(pair.champion)("champion", "ranks", None, None, odds)
    mixed = type(pair)(pair.predictions, ranked, pair.challenger)

    for name in ("roc_auc", "average_precision"):
        one, other = (scored_pair(p, resolve_scoring(name)[0]) for p in (pair, mixed))
        assert one.values == pytest.approx(other.values)
        results = [bootstrap_difference(p, n_resamples=99) for p in (one, other)]
        assert tuple(results[0]) == pytest.approx(tuple(results[1]))
    both = type(pair)(pair.predictions, ranked, ranked)
    scored = scored_pair(both, measure)

    assert expected.values[0] == pytest.approx(scored.values[0])
    assert not scored.score.looped


def area(y, scores):
    """Share of pairs of a positive and a negative record in the right order."""
    return float(np.mean(scores[y == 1][:, np.newaxis] > scores[y == 0]))


def test_predictions_of_different_kinds():
    """A scorer takes what each classifier gives; an exchange of these has no meaning."""
    pair = random_pair(5)
    odds = np.log(pair.champion.proba[:, 1] / pair.champion.proba[:, 0])
    ranked = type(pair.champion)("champion", "ranks", None, None, odds)
    mixed = type(pair)(pair.predictions, ranked, pair.challenger)
    scorer = make_scorer(area, response_method=["decision_function", "predict_proba"])
    measure = resolve_scoring(scorer)[0]

    scored = scored_pair(mixed, measure)

    assert scored_pair(pair, measure).values == pytest.approx(scored.values)
    assert 0 < bootstrap_difference(scored, n_resamples=99).pvalue <= 1
    exchanged = permutation_difference(scored, n_resamples=99)
    assert np.isnan(exchanged.pvalue)
    assert "exchanges-undefined" in exchanged.flags
    assert "monte_carlo_error" not in exchanged.details


def test_predictions_that_are_missing():
    """A measure of probabilities needs probabilities."""
    predictions = predictions_from_arrays(
        [0, 1, 1, 0], {"champion": [0, 1, 0, 0], "challenger": [0, 1, 1, 1]}
    )
    pair = predictions.pair("champion", "challenger")

    with pytest.raises(ValueError, match="'roc_auc' needs predictions"):
        scored_pair(pair, resolve_scoring("roc_auc")[0])


def test_a_known_name_with_another_meaning():
    """Where the scorer of a name gives another number, the scorer is believed."""
    pair = random_pair(6)
    measure = resolve_scoring("roc_auc")[0]
    other = type(measure)(
        "roc_auc", True, measure.required, lambda *a: measure.scorer(*a) / 2, "roc_auc"
    )

    scored = scored_pair(pair, other)

    assert isinstance(scored.score, LoopedScore)
    expected = np.array(scored_pair(pair, measure).values) / 2
    assert expected == pytest.approx(scored.values)


def test_groups_go_along():
    """Groups of the predictions are groups of the evidence, for every kind of score."""
    groups = np.random.default_rng(0).integers(8, size=60)
    pair = random_pair(7, groups=groups)
    for name in ("accuracy", "roc_auc", "f1", "neg_log_loss", "roc_auc_ovr"):
        scored = scored_pair(pair, resolve_scoring(name)[0])

        assert np.array_equal(groups[scored.rows], scored.groups)
        assert "grouped holdout" == scored.design.name


@pytest.mark.parametrize("name", ["f1", "balanced_accuracy", "matthews_corrcoef"])
def test_scores_of_counts_are_permuted_as_counts(name):
    """An exchange of labels is that of `score_difference`, which has them as counts."""
    rng = np.random.default_rng(8)
    y = np.tile([0, 1], 30)
    first = np.where(rng.random(60) < 0.85, y, 1 - y)
    second = first.copy()
    second[:11] = 1 - second[:11]
    counts = JointCounts.from_predictions(y, first, second)
    predictions = predictions_from_arrays(y, {"a": first, "b": second})

    for alternative in ("two-sided", "greater"):
        expected = score_difference(
            counts, score=name, method="permutation", alternative=alternative
        )
        result = permutation_difference(
            scored_pair(predictions.pair("a", "b"), resolve_scoring(name)[0]),
            alternative=alternative,
        )

        assert "permutation, exact" == result.method == expected.method
        assert expected.statistic == pytest.approx(result.statistic, rel=1e-9)
        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-9)
        assert expected.confidence_interval() == pytest.approx(
            result.confidence_interval(), rel=1e-6
        )


def test_bounds():
    """The range of a difference follows from that of the score."""
    pair = random_pair(9)
    bounds = {
        name: scored_pair(pair, resolve_scoring(name)[0]).bounds
        for name in ("f1", "matthews_corrcoef", "roc_auc", "roc_auc_ovr")
    }

    assert (-1, 1) == bounds["f1"] == bounds["roc_auc"]
    assert (-2, 2) == bounds["matthews_corrcoef"]
    assert (-np.inf, np.inf) == bounds["roc_auc_ovr"]


def test_warnings_of_a_scorer_are_said():
    """A scorer that warns of anything but an undefined score is flagged."""

    def warns(estimator, X, y):
        warnings.warn("Careful.", stacklevel=1)
        return float(np.mean(estimator.predict(X) == y))

    def silent(estimator, X, y):
        return float(np.mean(estimator.predict(X) == y))

    pair = random_pair(10)
    for scorer, flagged in ((warns, True), (silent, False)):
        scored = scored_pair(pair, resolve_scoring(scorer)[0])
        for test in (bootstrap_difference, permutation_difference):
            flags = test(scored, n_resamples=99).flags
            assert flagged == ("scorer-warning" in flags)


@pytest.mark.parametrize("value", [None, {"a": 1.0}])
def test_a_scorer_that_gives_no_number(value):
    """It is refused with what it gave."""
    with pytest.raises(TypeError, match=f"one number. Got {type(value).__name__}"):
        scored_pair(random_pair(10), resolve_scoring(lambda *args: value)[0])


def test_why_a_score_is_undefined():
    """The scorer's own words are in the message."""

    def refuses(estimator, X, y):
        raise ValueError("Nothing fits.")

    scored = scored_pair(random_pair(10), resolve_scoring(refuses)[0])
    for test in (bootstrap_difference, permutation_difference):
        with pytest.raises(ValueError, match=r"Reason: Nothing fits\. Choose another"):
            test(scored, n_resamples=99)
