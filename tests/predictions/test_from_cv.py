"""Predictions from outputs of `cross_validate`."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skcompare import BlockRegularized5x2CV, PairedComparator
from skcompare.evidence import (
    BlockDifferences,
    ContingencyTable,
    PairedBlocks,
    ScoreDifferences,
)
from skcompare.exceptions import EstimatorFailedError
from skcompare.predictions import predictions_from_cv_results
from skcompare.stats import bcv_jackknife_t, naive_kfold_mcnemar

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
BAYES, TREE = GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)


def run(model, cv, X=X, y=Y, **settings):
    """What `cross_validate` gives with classifiers and indices."""
    return cross_validate(
        model, X, y, cv=cv, return_estimator=True, return_indices=True, **settings
    )


def both(cv, **settings):
    """The results of two classifiers on the same splits."""
    if cv == 3 and not settings:
        return {name: dict(results) for name, results in of_three_folds().items()}
    return {"bayes": run(BAYES, cv, **settings), "tree": run(TREE, cv, **settings)}


@cache
def of_three_folds():
    """The results of three folds, made once."""
    return {"bayes": run(BAYES, 3), "tree": run(TREE, 3)}


def test_predictions_are_those_of_scikit_learn():
    """Labels and probabilities are those that `cross_val_predict` gives."""
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    predictions = predictions_from_cv_results(X, Y, both(cv))

    for name, model in (("bayes", BAYES), ("tree", TREE)):
        labels = np.empty(150, dtype=int)
        proba = np.empty((150, 3))
        labels[predictions.records] = predictions[name].labels
        proba[predictions.records] = predictions[name].proba
        expected = cross_val_predict(model, X, Y, cv=cv)
        assert expected.tolist() == predictions.classes[labels].tolist()
        expected = cross_val_predict(model, X, Y, cv=cv, method="predict_proba")
        assert expected.tolist() == proba.tolist()
    assert ("bayes", "tree") == predictions.names
    assert "DecisionTreeClassifier" == predictions["tree"].description
    assert "5-fold cross-validation" == str(predictions.design)
    assert [120] * 5 == predictions.n_train.tolist()
    assert () == predictions.flags


def test_same_as_the_comparator():
    """The same splits and classifiers give the same tables and the same test."""
    cv = BlockRegularized5x2CV(random_state=0)
    comparator = PairedComparator(BAYES, TREE, cv=cv, random_state=0).fit(X, Y)
    predictions = predictions_from_cv_results(X, Y, both(cv), cv=cv)
    expected = PairedBlocks.from_pair(
        comparator.predictions_.pair(*comparator.predictions_.names)
    )
    blocks = PairedBlocks.from_pair(predictions.pair("bayes", "tree"))

    assert expected == blocks
    assert comparator.predictions_.fingerprint == predictions.fingerprint
    differences = BlockDifferences.from_pair(predictions.pair("bayes", "tree"))
    assert comparator.results_["accuracy"].pvalue == bcv_jackknife_t(differences).pvalue


def test_scores_are_those_of_scikit_learn():
    """Accuracies counted from the predictions are the ones that cross_validate returned."""
    results = both(KFold(4, shuffle=True, random_state=0))
    pair = predictions_from_cv_results(X, Y, results).pair("bayes", "tree")
    counted = ScoreDifferences.from_pair(pair)
    returned = ScoreDifferences.from_cv_results(results["bayes"], results["tree"])

    np.testing.assert_allclose(returned.champion, counted.champion)
    np.testing.assert_allclose(returned.challenger, counted.challenger)
    assert returned.design == counted.design
    assert returned.n_test.tolist() == counted.n_test.tolist()


def test_blocks():
    """Two outputs make the tables of every split, in rows where there are repetitions."""
    cv = BlockRegularized5x2CV(random_state=0)
    old, new = both(cv).values()
    blocks = PairedBlocks.from_cv_results(old, new, X, Y, cv=cv)
    difference = new["test_score"] - old["test_score"]
    tables = blocks.tables.reshape(-1, 4)

    assert (5, 2, 4) == blocks.tables.shape
    assert "bcv" == blocks.design.name
    np.testing.assert_allclose(
        difference, (tables[:, 2] - tables[:, 1]) / tables.sum(axis=1), atol=1e-15
    )
    assert blocks == PairedBlocks.from_cv_results(old, new, X, Y, design="bcv")
    assert "random 5x2" == PairedBlocks.from_cv_results(old, new, X, Y).design.name
    assert blocks.swap() == PairedBlocks.from_cv_results(new, old, X, Y, cv=cv)


def test_tests_of_kfold_tables():
    """Tables of ten folds are evidence for the test that adds them up."""
    X, y = load_breast_cancer(return_X_y=True)
    old, new = (run(model, 10, X, y) for model in (BAYES, TREE))
    blocks = PairedBlocks.from_cv_results(old, new, X, y)

    assert (10, 4) == blocks.tables.shape
    assert 569 == blocks.n_records
    result = naive_kfold_mcnemar(blocks)
    assert 10 == result.df
    assert "invalid-design" not in result.flags


def test_holdout():
    """One split makes the table of a hold-out."""
    cv = ShuffleSplit(1, test_size=0.4, random_state=0)
    pair = predictions_from_cv_results(X, Y, both(cv)).pair("bayes", "tree")

    assert 60 == ContingencyTable.from_pair(pair).n
    assert "holdout" == pair.design.name


def test_groups():
    """Groups make the design grouped and are kept as codes."""
    groups = np.array([f"g{k // 3}" for k in range(150)])
    cv = GroupKFold(3)
    results = both(cv, groups=groups)
    predictions = predictions_from_cv_results(X, Y, results, groups=groups, cv=cv)

    assert "grouped kfold" == predictions.design.name
    assert 50 == len(set(predictions.groups.tolist()))


def test_frames():
    """Frames and Series are cut by position, whatever their index."""
    index = np.arange(150)[::-1] + 7
    frame, labels = pd.DataFrame(X, index=index), pd.Series(Y, index=index)
    plain = predictions_from_cv_results(X, Y, both(3))
    results = {"bayes": run(BAYES, 3, frame, labels), "tree": run(TREE, 3, frame, labels)}
    framed = predictions_from_cv_results(frame, labels, results)

    assert plain["tree"].labels.tolist() == framed["tree"].labels.tolist()


class LabelsOnly(ClassifierMixin, BaseEstimator):
    """A classifier that gives labels and nothing else."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_decision_values_and_labels_only():
    """Without probabilities decision values are taken; without any score, labels."""
    results = {"svm": run(LinearSVC(), 3), "labels": run(LabelsOnly(), 3)}
    predictions = predictions_from_cv_results(X, Y, results)

    assert predictions["svm"].proba is None
    assert (150, 3) == predictions["svm"].decision.shape
    assert predictions["labels"].proba is None
    assert predictions["labels"].decision is None
    only = predictions_from_cv_results(X, Y, results, required=frozenset({"labels"}))
    assert only["svm"].decision is None


def test_precomputed_kernel():
    """Test records have a kernel value for each training record, in their order."""
    cv = ShuffleSplit(3, random_state=0)
    kernel = rbf_kernel(X, gamma=0.5)
    plain = predictions_from_cv_results(X, Y, {"svm": run(SVC(gamma=0.5), cv)})
    results = {"svm": run(SVC(kernel="precomputed"), cv, kernel)}
    computed = predictions_from_cv_results(kernel, Y, results)

    assert plain["svm"].labels.tolist() == computed["svm"].labels.tolist()


def test_search_inside():
    """A search that was cross-validated predictions by what it chose on each split."""
    tree = DecisionTreeClassifier(random_state=0)
    search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=2)
    results = {"tree": both(3)["tree"], "search": run(search, 3)}
    predictions = predictions_from_cv_results(X, Y, results)
    chosen = [found.best_params_["max_depth"] for found in results["search"]["estimator"]]

    assert [2, 2, 2] == chosen
    assert predictions["tree"].labels.tolist() == predictions["search"].labels.tolist()


def test_class_that_a_training_set_lacks():
    """It has probability 0 there."""
    results = {"bayes": run(BAYES, [(np.arange(100), np.arange(100, 150))])}
    predictions = predictions_from_cv_results(X, Y, results)

    assert (50, 3) == predictions["bayes"].proba.shape
    assert 0 == predictions["bayes"].proba[:, 2].max()


def test_times():
    """Times of the fits are those that were measured."""
    results = both(3)
    predictions = predictions_from_cv_results(X, Y, results)

    expected = results["tree"]["fit_time"].tolist()
    assert expected == predictions["tree"].fit_times.tolist()


@pytest.mark.parametrize(
    ("lacking", "message"),
    [
        (["estimator"], r"The results of tree .* without 'estimator'"),
        (["indices"], r"The results of tree .* without 'indices'"),
        (["estimator", "indices"], r"without 'estimator' and 'indices'"),
    ],
)
def test_what_is_needed(lacking, message):
    """Trained classifiers and the indices must have been returned."""
    results = both(3)
    for key in lacking:
        del results["tree"][key]

    with pytest.raises(ValueError, match=message):
        predictions_from_cv_results(X, Y, results)


def test_results_must_be_named():
    """Outputs come in a dict of names."""
    for results in [None, [], {}, "old"]:
        with pytest.raises(
            ValueError, match="`results` must be a dict of names to outputs"
        ):
            predictions_from_cv_results(X, Y, results)


def test_results_must_be_outputs():
    """Scores alone hold no predictions."""
    with pytest.raises(ValueError, match=r"The results of a .* Got list without"):
        predictions_from_cv_results(X, Y, {"a": [0.1, 0.2]})


def test_other_splits():
    """Predictions for different test sets do not go together."""
    results = {"bayes": run(BAYES, KFold(3)), "tree": run(TREE, StratifiedKFold(3))}

    with pytest.raises(ValueError, match=r"sets of split 0 differ: 100 records of bayes"):
        predictions_from_cv_results(X, Y, results)
    with pytest.raises(ValueError, match=r"sets of split 0 differ: .* of `cv`"):
        predictions_from_cv_results(X, Y, both(3), cv=KFold(3))
    fewer = {"bayes": both(3)["bayes"], "tree": run(TREE, 4)}
    with pytest.raises(ValueError, match=r"scores on 3 test sets, but tree has 4 splits"):
        predictions_from_cv_results(X, Y, fewer)


def test_other_records():
    """Fewer records than were split, and labels of other records, are refused."""
    with pytest.raises(ValueError, match=r"`X` and `y` must be the records.*150 and 140"):
        predictions_from_cv_results(X, Y[:140], both(3))
    with pytest.raises(ValueError, match=r"from 0 to 139.*Got indices from .* to 149"):
        predictions_from_cv_results(X[:140], Y[:140], both(3))
    with pytest.raises(ValueError, match="not classes"):
        predictions_from_cv_results(X, CODES, both(3))


class Picky(LabelsOnly):
    """A classifier that does not fit without one of the classes."""

    def fit(self, X, y):
        if "setosa" not in y:
            raise ValueError("no setosa")
        return super().fit(X, y)


class Exhausted(GaussianNB):
    """Its fit ends an iteration of nothing."""

    def fit(self, X, y):
        return next(iter([]))


class Ragged(GaussianNB):
    """Its classes are no array, as those of classifiers of several outputs."""

    classes_ = ([0, 1], [0, 1, 2])

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


def test_any_failure_has_a_name():
    """An exhausted iterator would stop generators; classes are read where needed only."""
    with pytest.raises(EstimatorFailedError, match=r"champion \(Exhausted\) failed to fit"):
        PairedComparator(Exhausted(), GaussianNB(), random_state=0).fit(X, Y)
    PairedComparator(Ragged(), GaussianNB(), random_state=0).fit(X, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_failed_fit():
    """A classifier whose fit failed cannot predict; the split is named."""
    results = {"picky": run(Picky(), KFold(3))}

    with pytest.raises(EstimatorFailedError, match=r"picky .* failed to predict split 0"):
        predictions_from_cv_results(X, Y, results)
