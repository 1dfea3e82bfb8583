"""Scores of confusion matrices: scikit-learn's values, and their slopes."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn import config_context, metrics

from skcompare.evidence import JointCounts
from skcompare.stats.scores._confusion_scores import (
    BINARY_SCORES,
    COUNT_SCORES,
    OwnScore,
    count_score,
)
from tests.common.confusion import gradient_of, score_of
from tests.common.golden import golden

CASES = golden("count_scores")["cases"]
MANY_CLASSES = [name for name in COUNT_SCORES if name not in BINARY_SCORES]
LETTERS = np.array(["ant", "bee", "cow", "dog", "elk"])
OF_SKLEARN = {
    "f1": metrics.f1_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "jaccard": metrics.jaccard_score,
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "matthews_corrcoef": metrics.matthews_corrcoef,
}


def by_sklearn(name, y_true, y_pred, **options):
    """scikit-learn's value, which warns where it is 0 / 0."""
    stem, _, average = name.partition("_")
    if average in ("macro", "micro", "weighted"):
        name, options = stem, {"average": average}
    if average == "macro":  # over the same classes for each of two classifiers
        options["labels"] = np.unique(y_true)
    if name in ("f1", "precision", "recall", "jaccard"):
        options["zero_division"] = 0
    with warnings.catch_warnings(), config_context(skip_parameter_validation=True):
        warnings.simplefilter("ignore")
        return OF_SKLEARN[name](y_true, y_pred, **options)


def random_labels(seed, n_classes):
    """Labels and predictions, some of which lack a class, some of which have one only."""
    rng = np.random.default_rng([seed, n_classes])
    n = rng.integers(1, 40)
    y_true, y_pred = rng.integers(n_classes, size=(2, n))
    if seed % 3 == 0:
        y_true = np.minimum(y_true, rng.integers(n_classes))
    if seed % 4 == 0:
        y_pred = np.maximum(y_pred, rng.integers(n_classes))
    if seed % 5 == 0:
        y_pred = np.where(rng.random(n) < 0.9, y_true, y_pred)
    return y_true, y_pred


def confusion_of(y_true, y_pred, n_classes):
    table = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(table, (y_true, y_pred), 1)
    return table


def random_confusion(seed, n_classes, shape=()):
    rng = np.random.default_rng([seed, n_classes])
    return rng.integers(1, 30, size=(*shape, n_classes, n_classes)).astype(float)


# ------------------------------------------------------- other people's numbers


def test_golden_scores():
    """All scores that scikit-learn computed from the records come from their counts."""
    for case, role in itertools.product(CASES, ["A", "B"]):
        counts = np.array(case["counts"])
        confusion = counts.sum(axis=2 if role == "A" else 1)
        classes = np.arange(len(confusion))
        expected = case[f"scores_{role}"]
        of_all = {
            name: value for name, value in expected.items() if "per_class" not in name
        }

        actual = {
            name: float(score_of(count_score(name, classes), confusion)) for name in of_all
        }

        assert 12 == len(of_all)
        assert of_all == pytest.approx(actual, rel=1e-12)


def test_golden_scores_of_each_class():
    """A class against the rest has the score that scikit-learn gives for this class."""
    for case, name in itertools.product(CASES, ["f1", "precision", "recall"]):
        counts = JointCounts(case["counts"], np.arange(len(case["counts"])))
        expected = case["scores_A"][f"{name}_per_class"]
        tables = [
            counts.for_class(label).confusion_matrices()[0] for label in counts.classes
        ]
        score = count_score(name, np.array([False, True]))

        assert expected == pytest.approx([float(score_of(score, t)) for t in tables])


# Labels and predictions of every kind, and more of them in the slow tests.
SEEDS = pytest.mark.parametrize(
    "seeds", [(0, 4), pytest.param(range(30), marks=pytest.mark.slow)]
)


@SEEDS
def test_scikit_learn_for_many_classes(seeds):
    """The value is that of scikit-learn's scorer, also where classes are missing."""
    for name, n_classes in itertools.product(MANY_CLASSES, [2, 3, 5]):
        score = count_score(name, np.arange(n_classes))
        for seed in seeds:
            y_true, y_pred = random_labels(seed, n_classes)

            expected = by_sklearn(name, y_true, y_pred)

            actual = score_of(score, confusion_of(y_true, y_pred, n_classes))
            assert expected == pytest.approx(float(actual), rel=1e-12, abs=1e-14), seed


@SEEDS
def test_scikit_learn_for_two_classes(seeds):
    """The positive class is the named one; the specificity is the other one's recall."""
    for name, pos_label in itertools.product(sorted(BINARY_SCORES), ["ant", "bee"]):
        classes = LETTERS[:2]
        score = count_score(name, classes, pos_label)
        requested = {"sensitivity": "recall", "specificity": "recall"}.get(name, name)
        label = (
            {"ant": "bee", "bee": "ant"}[pos_label] if name == "specificity" else pos_label
        )
        for seed in seeds:
            y_true, y_pred = (classes[codes] for codes in random_labels(seed, 2))
            confusion = confusion_of(*random_labels(seed, 2), 2)

            # With `labels` it accepts a positive class that nobody predictions.
            expected = by_sklearn(
                requested, y_true, y_pred, labels=[label], average="macro"
            )

            assert expected == pytest.approx(float(score_of(score, confusion)), abs=1e-14)


def test_names_are_scikit_learns():
    """A score is called as the scorer; only two names are from medicine."""
    theirs = type(metrics.make_scorer(metrics.f1_score))
    # Ours are known to scikit-learn, too.
    known = {
        name
        for name in metrics.get_scorer_names()
        if type(metrics.get_scorer(name)) is theirs
    }

    assert {"sensitivity", "specificity"} == set(COUNT_SCORES) - known


# ----------------------------------------------------------------------- slopes


def scores_of_two():
    """All scores of two classes."""
    return [count_score(name, np.array([0, 1])) for name in COUNT_SCORES]


def test_gradient_of_two_classes():
    """The gradient is the limit of difference quotients."""
    for score in scores_of_two():
        for seed in range(5):
            assert_gradient(score, random_confusion(seed, 2))


def test_gradient_of_many_classes():
    """The gradient is the limit of difference quotients."""
    for name, n_classes in itertools.product(MANY_CLASSES, [3, 5]):
        score = count_score(name, LETTERS[:n_classes])
        for seed in range(3):
            assert_gradient(score, random_confusion(seed, n_classes))


def assert_gradient(score, confusion):
    """Five-point differences agree, and scores do not change with the size of the data."""
    steps = 0.01 * np.eye(confusion.size).reshape(-1, *confusion.shape)
    values = [score_of(score, confusion + step * steps) for step in (-2, -1, 1, 2)]
    expected = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / 0.12
    expected = expected.reshape(confusion.shape)

    actual = gradient_of(score, confusion)

    np.testing.assert_allclose(expected, actual, rtol=1e-7, atol=1e-10)
    assert 0 == pytest.approx(np.sum(confusion * actual), abs=1e-12)


def test_all_confusion_matrices_at_once():
    """Values and gradients of an array of matrices are those of each matrix."""
    for name in MANY_CLASSES:
        score = count_score(name, LETTERS[:3])
        many = random_confusion(0, 3, shape=(4, 2))
        many[0, 0, 1] = 0
        many[1, 1, :, 2] = 0
        values, gradients = score_of(score, many), gradient_of(score, many)

        assert (4, 2) == values.shape
        for k in np.ndindex(4, 2):
            assert float(score_of(score, many[k])) == pytest.approx(float(values[k]))
            np.testing.assert_allclose(
                gradient_of(score, many[k]), gradients[k], atol=1e-15
            )


def test_cells_in_any_order():
    """Values and slopes do not depend on the order of cells, nor on empty ones."""
    for name in MANY_CLASSES:
        score = count_score(name, LETTERS)
        rng = np.random.default_rng(3)
        confusion = rng.poisson(0.8, size=(2, 5, 5)).astype(float)
        confusion[:, 3, 1] = confusion[:, 0, 4] = 0
        counts = confusion.reshape(2, 25)
        kept = rng.permutation(np.flatnonzero(counts.any(axis=0)))

        found = score.of_cells(*np.divmod(kept, 5), counts[:, kept], 5)

        np.testing.assert_allclose(score_of(score, confusion), found.values, rtol=1e-14)
        expected = gradient_of(score, confusion).reshape(2, 25)[:, kept]
        np.testing.assert_allclose(expected, found.slopes, atol=1e-15)


def test_slopes_of_an_own_function():
    """Numerical slopes are those in closed form to 1e-7, 0 in cells without records."""
    confusion = random_confusion(1, 4)
    confusion[0, 1] = confusion[2, 3] = 0
    truth, prediction = np.divmod(np.arange(16), 4)
    counts = confusion.reshape(1, 16)
    for name in MANY_CLASSES:
        score = count_score(name, LETTERS[:4])
        own = OwnScore(lambda table, score=score: float(score_of(score, table)))

        expected = score.of_cells(truth, prediction, counts, 4)
        actual = own.of_cells(truth, prediction, counts, 4)

        np.testing.assert_allclose(expected.values, actual.values)
        slopes = np.where(counts > 0, expected.slopes, 0)
        np.testing.assert_allclose(slopes, actual.slopes, rtol=1e-7, atol=1e-10)


def test_very_many_classes():
    """No array over pairs of classes is made of counts in cells."""
    n_classes = 100_000
    truth = np.arange(n_classes)
    prediction = np.where(truth % 4 == 0, (truth + 1) % n_classes, truth)
    counts = np.full((1, n_classes), 2.0)
    for name in MANY_CLASSES:
        found = count_score(name, truth).of_cells(truth, prediction, counts, n_classes)

        assert (1, n_classes) == found.slopes.shape
        assert 0 == pytest.approx(np.sum(counts * found.slopes), abs=1e-9)


# ------------------------------------------------------------------------ edges


def test_undefined_scores():
    """A part that is 0 / 0 and counts is 0 without slopes, and known to be undefined."""
    for name, confusion, undefined in [
        ("precision", [[5, 0], [3, 0]], True),
        ("precision", [[5, 1], [3, 0]], False),
        ("recall", [[5, 1], [0, 0]], True),
        ("specificity", [[0, 0], [1, 2]], True),
        ("f1", [[5, 0], [0, 0]], True),
        ("f1", [[5, 1], [0, 0]], False),
        ("jaccard", [[5, 0], [0, 0]], True),
        ("precision_macro", [[5, 0], [3, 0]], True),
        ("recall_macro", [[5, 1], [0, 0]], False),
        ("recall_weighted", [[5, 1], [0, 0]], False),
        ("precision_micro", [[5, 0], [3, 0]], False),
        ("f1_macro", [[5, 0], [0, 0]], False),
        ("balanced_accuracy", [[5, 1], [0, 0]], False),
        ("matthews_corrcoef", [[5, 0], [3, 0]], True),
        ("matthews_corrcoef", [[5, 3], [0, 0]], True),
    ]:
        score = count_score(name, np.array([0, 1]))
        counts = np.array(confusion, dtype=float).reshape(1, 4)

        found = score.of_cells(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), counts, 2)

        assert undefined == bool(found.undefined[0])
        assert np.isfinite(found.slopes).all()
        if undefined and "macro" not in name:
            assert 0 == found.values[0]
            assert not found.slopes.any()


def test_positive_class_by_default():
    """The class 1 is positive, as in scikit-learn, and True of two truth values."""
    for classes in (np.array([-1, 1]), np.array([0, 1]), np.array([False, True])):
        assert 1 == count_score("f1", classes).positive
    assert 0 == count_score("f1", np.array([1, 2])).positive
    assert 1 == count_score("f1", np.array([1, 2]), pos_label=2).positive
    assert 1 == count_score("f1", LETTERS[:2], pos_label="bee").positive


@pytest.mark.parametrize("classes", [LETTERS[:2], np.array([2, 3])])
def test_no_positive_class_by_default(classes):
    """Strings, and numbers without 1, have no positive class by nature."""
    with pytest.raises(ValueError, match=r"Say which of .* is the positive class: pass"):
        count_score("f1", classes)


def test_two_classes_are_needed():
    """A score of two classes refuses more or fewer, and says what to use instead."""
    for name, n_classes in itertools.product(sorted(BINARY_SCORES), [1, 3]):
        with pytest.raises(
            ValueError, match=rf"two classes. Got {n_classes}.*f1_macro.*for_c"
        ):
            count_score(name, LETTERS[:n_classes], pos_label="ant")


@pytest.mark.parametrize("wrong", ["cat", 1, ["ant"]])
def test_pos_label_must_be_a_class(wrong):
    """A positive class that does not occur is refused."""
    with pytest.raises(ValueError, match=r"`pos_label` must be one of two classes"):
        count_score("f1", LETTERS[:2], pos_label=wrong)


def test_averages_have_no_positive_class():
    """`pos_label` is refused where it would do nothing."""
    with pytest.raises(ValueError, match=r"'f1_macro' has no positive class.*'bee'"):
        count_score("f1_macro", LETTERS[:2], pos_label="bee")


def test_unknown_score():
    """A misspelt score is refused with the nearest name."""
    with pytest.raises(
        ValueError, match=r"Unknown score 'f1_makro'. Did you mean 'f1_macro"
    ):
        count_score("f1_makro", LETTERS)
