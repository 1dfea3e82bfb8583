"""Metrics of labels and probabilities."""

import inspect
import itertools

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import accuracy_score, brier_score_loss, recall_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skcompare import PairedComparator
from skcompare._registry.metrics import metrics
from skcompare.gate import NonInferior
from skcompare.metrics import (
    accuracy,
    metric,
    multiclass_brier_loss,
    sensitivity,
    specificity,
)
from skcompare.plots.forest._interval_rows import unit_of


def random_labels(seed, n=40, n_classes=3):
    """True labels with predicted ones and probabilities."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    y[:n_classes] = np.arange(n_classes)
    proba = rng.dirichlet(np.ones(n_classes), size=n)
    return y, proba.argmax(axis=1), proba


def predictions_of(entry, seed=0, **settings):
    """What a registered metric takes, and its keywords."""
    if "pos_label" in inspect.signature(entry.function).parameters:
        settings["n_classes"] = 2
    y, labels, proba = random_labels(seed, **settings)
    if entry.target == "numbers":
        y = np.random.default_rng(seed).gamma(3, size=len(y))
        return y, y * proba.sum(axis=1) + proba[:, 0], {}
    if entry.response_method == "predict":
        return y, labels, {}
    return y, proba, {"labels": np.unique(y)}


ENTRIES = list(metrics().values())
# A correction for bias needs to know how many records there are.
COUNTING = ("squared_calibration_error",)


def test_integer_weights_are_repetition():
    """A record of weight 3 counts as three records, one of weight 0 not at all."""
    for entry in ENTRIES:
        y, predictions, keywords = predictions_of(entry, n=120)
        weights = np.random.default_rng(1).integers(4, size=len(y))
        expected = entry.function(
            y.repeat(weights), predictions.repeat(weights, axis=0), **keywords
        )

        actual = entry.function(y, predictions, sample_weight=weights, **keywords)

        assert expected == pytest.approx(actual, rel=1e-12)
        assert entry.function(y, predictions, **keywords) != pytest.approx(actual, rel=1e-6)


def test_scale_of_weights():
    """Weights are relative: their scale changes nothing, equal ones are none."""
    for entry in [entry for entry in ENTRIES if entry.name not in COUNTING]:
        y, predictions, keywords = predictions_of(entry)
        weights = np.random.default_rng(1).random(len(y))
        expected = entry.function(y, predictions, sample_weight=weights, **keywords)

        scaled = entry.function(y, predictions, sample_weight=1e6 * weights, **keywords)
        equal = entry.function(
            y, predictions, sample_weight=np.full(len(y), 0.3), **keywords
        )

        assert expected == pytest.approx(scaled, rel=1e-12)
        assert entry.function(y, predictions, **keywords) == pytest.approx(equal, rel=1e-12)


def test_record_order():
    """The order of the records does not matter."""
    for entry in ENTRIES:
        y, predictions, keywords = predictions_of(entry)
        order = np.random.default_rng(2).permutation(len(y))

        assert entry.function(y, predictions, **keywords) == pytest.approx(
            entry.function(y[order], predictions[order], **keywords), rel=1e-12
        )


def test_perfect_predictions_are_best():
    """No predictions are better than the truth, in the direction that the entry says."""
    for entry in ENTRIES:
        y, predictions, keywords = predictions_of(entry)
        perfect = y if entry.response_method == "predict" else np.eye(len(np.unique(y)))[y]
        sign = 1 if entry.greater_is_better else -1

        best = entry.function(y, perfect, **keywords)

        assert sign * best > sign * entry.function(y, predictions, **keywords)
        assert best in (0, 1)


def test_bounds_hold():
    """No predictions, right, wrong or random, have a value beyond the bounds."""
    for entry, seed in itertools.product(ENTRIES, range(4)):
        y, predictions, keywords = predictions_of(entry, seed=seed)
        for order in (slice(None), slice(None, None, -1)):
            value = entry.function(y, predictions[order], **keywords)
            # The correction of a squared error for its bias can exceed the error.
            slack = 0.1 if entry.name in COUNTING else 0.0
            assert entry.bounds[0] - slack <= value <= entry.bounds[1] + slack


def test_bounds_of_a_users_metric():
    """A display and a gate read the bounds where the metric is registered."""

    @metric("halved", response_method="predict", greater_is_better=True, bounds=(0, 0.5))
    def halved(y_true, y_pred):
        """Half of the accuracy."""
        return accuracy(y_true, y_pred) / 2

    assert unit_of("halved", True) == unit_of("accuracy", True)
    with pytest.raises(ValueError, match=r"must be below 0.5, the largest difference"):
        NonInferior("halved", margin=0.5)


def test_bad_weights():
    """Weights that are no weights are refused."""
    cases = [
        ([1.0] * 39, "y_true has 40, sample_weight has 39"),
        ([-1.0] + [1.0] * 39, "`sample_weight` must hold finite weights of at least 0"),
        ([np.nan] + [1.0] * 39, "`sample_weight` must hold finite weights"),
        ([np.inf] + [1.0] * 39, "`sample_weight` must hold finite weights"),
        ([0.0] * 40, "not all 0"),
    ]
    for entry, (weights, message) in itertools.product(ENTRIES, cases):
        y, predictions, keywords = predictions_of(entry)
        with pytest.raises(ValueError, match=message):
            entry.function(y, predictions, sample_weight=weights, **keywords)


def test_metric_is_described():
    """A metric says what it measures, in a complete docstring, and its scorer's name."""
    for entry in ENTRIES:
        doc = inspect.getdoc(entry.function)

        assert entry.question.endswith(".") or "[1]_" in entry.question
        for section in ("Parameters", "Returns", "Examples"):
            assert f"\n{section}\n---" in doc
        assert entry.greater_is_better == (entry.name == entry.scorer_name)
    assert "neg_multiclass_brier_loss" == metrics()["multiclass_brier_loss"].scorer_name


def test_accuracy_is_that_of_scikit_learn():
    """Names and numbers give scikit-learn's accuracy."""
    names = np.array(["ant", "bee", "cow"])
    for seed in range(3):
        y, labels, _ = random_labels(seed)
        weights = np.random.default_rng(seed).random(len(y))

        assert accuracy_score(y, labels) == pytest.approx(accuracy(y, labels))
        assert accuracy_score(y, labels) == pytest.approx(accuracy(names[y], names[labels]))
        assert accuracy_score(y, labels, sample_weight=weights) == pytest.approx(
            accuracy(y, labels, sample_weight=weights)
        )


def test_accuracy_of_bad_labels():
    """Lengths, types and spelling are checked."""
    with pytest.raises(ValueError, match="y_true has 2, y_pred has 1"):
        accuracy([0, 1], [0])
    with pytest.raises(ValueError, match="'Cat' where `y_true` has 'cat'"):
        accuracy(["cat", "dog"], ["Cat", "dog"])
    with pytest.raises(ValueError, match="at least one record"):
        accuracy([], [])


def test_brier_by_its_definition():
    """The mean squared distance from the indicator of the true class."""
    y, _, proba = random_labels(4)
    expected = np.mean(np.sum((proba - np.eye(len(np.unique(y)))[y]) ** 2, axis=1))

    assert expected == pytest.approx(multiclass_brier_loss(y, proba))


def test_brier_of_two_classes():
    """It is twice the binary Brier score, from one column or two."""
    y, _, proba = random_labels(5, n_classes=2)
    expected = 2 * brier_score_loss(y, proba[:, 1])

    assert expected == pytest.approx(multiclass_brier_loss(y, proba))
    assert expected == pytest.approx(multiclass_brier_loss(y, proba[:, 1]))


def test_brier_bounds():
    """Certain and right is 0, certain and wrong is 2, rounding never below 0."""
    assert 0 == multiclass_brier_loss([0, 1], np.eye(2))
    assert 2 == multiclass_brier_loss([0, 1], np.eye(2)[::-1])
    nearly = np.array([[1 - 1e-9, 1e-9]] * 2)
    assert multiclass_brier_loss([0, 0], nearly, labels=[0, 1]) >= 0


def test_brier_of_absent_classes():
    """With `labels`, sorted as the columns are, a class may be missing from the records."""
    proba = [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    expected = np.mean([0.2**2 + 0.5**2 + 0.3**2, 0.1**2 + 0.1**2 + 0.2**2])

    actual = multiclass_brier_loss(["b", "c"], proba, labels=["a", "b", "c"])

    assert expected == pytest.approx(actual)
    with pytest.raises(ValueError, match="at least 3 classes, but `y_true` has only 'b'"):
        multiclass_brier_loss(["b", "c"], proba)
    with pytest.raises(ValueError, match="`labels` must be different and sorted"):
        multiclass_brier_loss(["b", "c"], proba, labels=["c", "a", "b"])
    with pytest.raises(ValueError, match="`y_true` has labels that are not classes: 'd'"):
        multiclass_brier_loss(["d", "c"], proba, labels=["a", "b", "c"])


def test_brier_of_bad_probabilities():
    """Scores, NaN and other lengths are refused."""
    with pytest.raises(ValueError, match="must sum to 1"):
        multiclass_brier_loss([0, 1], [[0.5, 0.6], [0.5, 0.5]])
    with pytest.raises(ValueError, match="NaN"):
        multiclass_brier_loss([0, 1], [0.5, np.nan])
    with pytest.raises(ValueError, match="y_true has 2, y_proba has 3"):
        multiclass_brier_loss([0, 1], [0.5, 0.5, 0.5])


# ------------------------------------------------------- sensitivity and specificity


@pytest.mark.parametrize("pos_label", [None, 0, 1])
def test_rates_agree_with_scikit_learn(pos_label):
    """Sensitivity is the recall of the positive class, specificity of the other one."""
    rng = np.random.default_rng(4)
    y, predicted, weights = *rng.integers(2, size=(2, 50)), rng.random(50)
    positive = 1 if pos_label is None else pos_label

    for sample_weight in (None, weights):
        words = {"sample_weight": sample_weight}
        assert recall_score(y, predicted, pos_label=positive, **words) == pytest.approx(
            sensitivity(y, predicted, pos_label=pos_label, **words)
        )
        assert recall_score(y, predicted, pos_label=1 - positive, **words) == pytest.approx(
            specificity(y, predicted, pos_label=pos_label, **words)
        )


def test_rates_of_strings():
    """Of two strings the positive one must be named."""
    y, predicted = ["no", "no", "yes", "yes"], ["no", "yes", "yes", "yes"]

    assert 0.5 == specificity(y, predicted, pos_label="yes")
    assert 1.0 == sensitivity(y, predicted, pos_label="yes")
    with pytest.raises(ValueError, match=r"Say which of 'no', 'yes' is the positive class"):
        sensitivity(y, predicted)
    with pytest.raises(ValueError, match="`pos_label` must be one of two classes"):
        sensitivity(y, predicted, pos_label="maybe")


def test_rates_that_are_undefined():
    """Without a record on its side a rate is refused, and with three classes or one."""
    with pytest.raises(ValueError, match="positive records needs one of them"):
        sensitivity([0, 0], [0, 1])
    with pytest.raises(ValueError, match="negative records needs one of them"):
        specificity([1, 1], [0, 1])
    with pytest.raises(ValueError, match=r"needs two classes\. Got 3"):
        specificity([0, 1, 2], [0, 1, 2])
    with pytest.raises(ValueError, match="Say which of 0 is the positive class"):
        sensitivity([0, 0, 0], [0, 0, 0])
    with pytest.raises(ValueError, match="positive records needs one of them"):
        sensitivity([0, 0, 0], [0, 0, 0], pos_label=1)
    with pytest.raises(ValueError, match="Say which of 2, 3 is the positive class"):
        sensitivity([2, 3], [2, 3])


def test_default_positive_class_is_scikit_learns():
    """Of classes 1 and 2 the first is positive by default, as for scikit-learn's recall."""
    y, predicted = [1, 1, 2, 2, 2], [1, 2, 2, 2, 1]

    assert recall_score(y, predicted) == sensitivity(y, predicted)


@pytest.mark.parametrize("pos_label", [None, 1, 0])
def test_rates_within_a_cross_validation(pos_label):
    """Sensitivity is scikit-learn's recall on every split; without one it is undefined."""
    X, y = make_classification(60, 5, flip_y=0.3, random_state=0)
    classifiers = GaussianNB(), DecisionTreeClassifier(random_state=0)
    comparator = PairedComparator(
        *classifiers,
        cv=StratifiedKFold(5),
        scoring=["sensitivity", "recall", "specificity"],
        pos_label=pos_label,
    ).fit(X, y)
    # Test sets of records in the order of their classes: all but one lack per class.
    order = np.argsort(y, kind="stable")
    left_out = PairedComparator(
        *classifiers, cv=KFold(5), scoring="specificity", pos_label=pos_label
    ).fit(X[order], y[order])

    results = comparator.results_
    assert results["recall"].champion == pytest.approx(results["sensitivity"].champion)
    assert results["recall"].difference == pytest.approx(results["sensitivity"].difference)
    row = left_out.results_["specificity"]
    assert "undefined-in-split" in row.flags
    assert 0.5 < row.champion < 1
