"""Learners and splits of the studies of splits, against scikit-learn and the library."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss, precision_score, recall_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from skcompare._core.design import Design
from skcompare.evidence import PairedBlocks, PlacementValues
from skcompare.metrics import block_differences, resolve_scoring, squared_calibration_error
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import EstimatorPredictions, PairedPredictions, Predictions
from skcompare.stats import bcv_jackknife_t, bcv_mcnemar, delong, paired_tests

rules = pytest.importorskip("benchmarks.validity.splits.bcv_catalogue_rules")
pytestmark = pytest.mark.slow

from benchmarks.validity.splits import bcv_measures as measures  # noqa: E402
from benchmarks.validity.splits import bcv_worlds as worlds  # noqa: E402
from benchmarks.validity.splits import type1_bcv_mcnemar as type1  # noqa: E402
from benchmarks.validity.splits.bcv_learners import Splits, fit  # noqa: E402
from benchmarks.validity.splits.disagreement import disagreement_classifiers as classifiers  # noqa: E402
from benchmarks.validity.splits.resampling import resampling_decisions, resampling_worlds  # noqa: E402
from benchmarks.validity.splits.resampling import resampling_designs as designs  # noqa: E402

PEERS = {
    "lda": LinearDiscriminantAnalysis(solver="lsqr"),
    "nb": GaussianNB(var_smoothing=0.0),
    "logit": LogisticRegression(C=1.0, tol=1e-10, max_iter=1000),
    "knn1": KNeighborsClassifier(1),
    "knn15": KNeighborsClassifier(15),
}
SCORING = {
    "auc": "roc_auc",
    "brier": "multiclass_brier_loss",
    "log_loss": "neg_log_loss",
    "calibration": "squared_calibration_error",
}


def drawn(n, n_draws, n_folds=2):
    """Labels, blocks, splits and features of both roles."""
    world, rng = worlds.World("shift", n, 0.4), np.random.default_rng(0)
    y = worlds.draw_classes(world, n_draws, rng)
    blocks = worlds.draw_blocks(world, y, rng)
    fold = worlds.halves_of(blocks, 5)
    if n_folds > 2:
        fold = worlds.draw_folds(world, y, n_folds, 1, rng)
    features = worlds.draw_features(world, 2.5, y, rng)
    return y, blocks, Splits(y, fold, n_folds, 2, rng), features


@pytest.mark.parametrize(("name", "n_folds"), [*((name, 2) for name in PEERS), ("lda", 4)])
def test_learners_and_measures_are_those_of_scikit_learn(name, n_folds):
    """Probabilities of every split, measures of them, and variances within test sets."""
    y, _, splits, features = drawn(200, 1, n_folds)
    folds = measures.Folds(splits)
    ours = [fit(name, x, splits, {}) for x in features]
    found = [measures.measure(part, splits, folds) for part in ours]
    difference, variance = measures.compare(*found, folds)
    for repeat, k in np.ndindex(splits.fold.shape[1], n_folds):
        test = splits.fold[0, repeat] == k
        theirs = [by_peer(name, x[0], y[0], test) for x in features]
        for mine, other in zip(ours, theirs):
            assert mine[0, repeat, test] == pytest.approx(other, abs=1e-4)
        truth = y[0, test]
        values = [measures_of(truth, part) for part in theirs]
        expected = np.subtract(values[1], values[0])
        assert difference[0, repeat, k] == pytest.approx(expected, abs=1e-4)
        pair = PlacementValues.from_predictions(truth, *(part[:, 1] for part in theirs))
        error = delong(pair).details["standard_error"]
        assert variance[0, repeat, k, 0] == pytest.approx(error**2, rel=1e-2, abs=1e-7)


def by_peer(name, x, y, test):
    found = PEERS[name].fit(x[~test], y[~test]).predict_proba(x[test])
    if not name.startswith("knn"):
        return found
    k = PEERS[name].n_neighbors
    return (found * k + 1) / (k + 2)


def measures_of(y, probabilities):
    """In the order of the study."""
    labels = probabilities.argmax(axis=1)
    squares = ((probabilities - np.eye(2)[y]) ** 2).sum(axis=1)
    return (
        roc_auc_score(y, probabilities[:, 1]),
        squares.mean(),
        log_loss(y, probabilities),
        (labels == y).mean(),
        precision_score(y, labels),
        recall_score(y, labels),
        f1_score(y, labels),
        squared_calibration_error(y, probabilities),
    )


def test_tables_of_blocks_give_the_results_of_the_library():
    """Estimate, standard error and degrees of freedom of each measure."""
    y, blocks, splits, features = drawn(120, 3)
    folds = measures.Folds(splits)
    proba = [fit("knn5", x, splits, {}) for x in features]
    both = [measures.measure(p, splits, folds) for p in proba]
    table = measures.table(*both, folds, blocks, y)
    error, df = rules.squared_errors(table, 5)[rules.CHOSEN]
    rejected = rules.decisions(table, 5, 120)[rules.PUBLISHED]
    for draw, truth in enumerate(y):
        pair = pair_of(truth, splits.fold[draw], [p[draw] for p in proba])
        for k, name in enumerate(measures.MEASURES):
            (measure,) = resolve_scoring(SCORING.get(name, name))
            result = bcv_jackknife_t(block_differences(pair, measure))
            expected = result.estimate, result.details["se"] ** 2, result.df
            ours = table.mean[draw, k], error[draw, k], df[draw, k]
            assert expected == pytest.approx(ours, rel=1e-9)
        published = bcv_mcnemar(PairedBlocks.from_pair(pair)).pvalue < 0.05
        assert published == rejected[draw, rules.ACCURACY]


def pair_of(y, fold, proba):
    """Predictions of all ten splits, the one that trains on the first half first."""
    tests = [np.flatnonzero(of_record == k) for of_record in fold for k in (0, 1)]
    roles = []
    for name, p in zip(("champion", "challenger"), proba):
        rows = [p[split // 2, test] for split, test in enumerate(tests)]
        stacked = np.concatenate(rows)
        roles.append(EstimatorPredictions(name, name, stacked.argmax(axis=1), stacked))
    sizes = np.array([len(test) for test in tests])
    predictions = Predictions(
        np.array([0, 1]), y, tuple(roles), Design("bcv", len(fold), 2),
        np.concatenate(tests), np.cumsum([0, *sizes]), len(y) - sizes,
    )  # fmt: skip
    return PairedPredictions(predictions, *roles)


def test_halves_overlap_as_those_of_the_splitter():
    """By class, up to the records that blocks differ by."""
    y, _, splits, _ = drawn(203, 5)
    for labels, fold in zip(y, splits.fold):
        splitter = BlockRegularized5x2CV(random_state=0)
        theirs = np.zeros((5, 203), dtype=int)
        for half, (train, _) in zip(theirs, list(splitter.split(labels, labels))[::2]):
            half[train] = 1
        for label in (0, 1):
            ours = fold[:, labels == label]
            expected = theirs[:, labels == label]
            assert np.abs(ours @ ours.T - expected @ expected.T).max() <= 4


def test_resampling_learners_are_those_of_scikit_learn():
    """Logistic regression of every training set, and the nearest neighbours."""
    rng = np.random.default_rng(0)
    X, y = resampling_worlds.Simple().draw(300, rng)
    x = X[:, 0] + 0.3 * y
    splits = designs.draw_splits(300, rng)
    ours = resampling_worlds.logistic_coefficients(x, y, splits.train)
    world = resampling_worlds.Exp6()
    X2, y2 = world.draw(300, rng)
    distances = world.distances(world.squares(X2, X2), 0.37)
    nearest = resampling_worlds.nearest(distances, splits.train, splits.pairs)
    for k in range(0, len(splits.train), 20):
        train, here = splits.train[k], splits.pairs[0] == k
        # C = infinity is no penalty.
        model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
        model.fit(x[train, np.newaxis], y[train])
        theirs = [model.intercept_[0], model.coef_[0, 0]]
        assert theirs == pytest.approx(ours[:, k], abs=1e-4)

        peer = KNeighborsClassifier(1).fit(X2[train] * np.sqrt([0.37, 1 / 0.37]), y2[train])
        away, _ = peer.kneighbors(X2[splits.test[k]] * np.sqrt([0.37, 1 / 0.37]))
        found = distances[splits.pairs[1][here], nearest[here]]
        assert found == pytest.approx(away[:, 0] ** 2)


def test_every_test_of_the_resampling_study_is_in_the_library():
    """By its name, which comes first in its key."""
    for test in resampling_decisions.TESTS:
        name = test.key.split()[0]
        registered = name.replace("5x2_t", "repeated_kfold_t").replace(
            "corrected_kfold", "corrected_repeated_kfold"
        )
        assert name in paired_tests() or registered in paired_tests()


def test_classifiers_of_the_disagreement_are_those_of_scikit_learn():
    """Majority, class means and neighbours, where no distances are tied."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [60, 40, 50])
    X = rng.normal(size=(150, 3)) + y[:, np.newaxis]
    half = classifiers.Half(X[::2], y[::2], X[1::2], 0)
    X_train, X_test = half.standardized
    # A sixth neighbour has a weight of 0 and is the unit of the others.
    neighbours = KNeighborsClassifier(6, weights=triangular).fit(X_train, half.y)

    for model, ours in (
        (DummyClassifier(strategy="most_frequent"), classifiers.majority),
        (NearestCentroid(), classifiers.nearest_mean),
    ):
        expected = model.fit(half.X, half.y).predict(half.X_test)
        assert np.array_equal(expected, ours(half))
    assert np.array_equal(neighbours.predict(X_test), classifiers.neighbours(half))


def triangular(distances):
    weights = classifiers.triangular(distances)
    return np.column_stack([weights, np.zeros(len(distances))])


def test_counts_of_fixed_losses_give_the_results_of_the_library():
    """P-values of both tests of the epsilon data, after splitting."""
    rng = np.random.default_rng(0)
    champion, challenger = (rng.random((2, 5, type1.N_RECORDS)) < 0.1).astype(int)
    counts = (champion < challenger).sum(axis=1), (champion > challenger).sum(axis=1)
    by_counts = type1.bcv_pvalue(*counts), type1.jackknife_pvalue(*counts, type1.N_RECORDS)

    for k, losses in enumerate(zip(champion, challenger)):
        expected = [result.pvalue for result in type1.both_results(*losses, k)]
        assert expected == pytest.approx([each[k] for each in by_counts], abs=1e-12)
