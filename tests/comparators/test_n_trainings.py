"""Comparators that train several times on one split."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GroupShuffleSplit, KFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skcompare import MultipleComparator, PairedComparator
from skcompare.evidence import CrossedDifferences
from skcompare.stats import crossed_t

TREE = DecisionTreeClassifier(max_features=2)
FOREST = ExtraTreesClassifier(3)


@pytest.fixture(scope="module")
def data():
    return make_classification(200, 6, flip_y=0.2, random_state=0)


def test_trainings_are_those_of_scikit_learn(data):
    """One split, other seeds: the scores are means over trainings that differ."""
    X, y = data
    comparator = PairedComparator(TREE, FOREST, n_trainings=4, random_state=0).fit(X, y)
    predictions = comparator.predictions_

    tests = [predictions.records[part] for part in predictions.slices()]
    assert 4 == len(tests)
    assert all((test == tests[0]).all() for test in tests)
    assert (60, 140) == (len(tests[0]), predictions.n_train[0])
    labels = predictions["champion"].labels.reshape(4, 60)
    assert (labels != labels[0]).any()
    row = comparator.results_["accuracy"]
    assert row.champion == pytest.approx((labels == y[tests[0]]).mean(), rel=1e-12)
    evidence = comparator.comparison_.evidence(CrossedDifferences)
    assert (4, 60) == evidence.champion.shape
    assert "crossed_t" == row.test
    assert row.pvalue == pytest.approx(crossed_t(evidence).pvalue, rel=1e-12)
    assert "two recipes with these training records" in str(comparator.comparison_)
    assert "60 of 200 records tested, 4 fits each" in str(comparator.comparison_)


def test_same_recipe(data):
    """Both get the same seeds, and differ in nothing."""
    comparator = PairedComparator(FOREST, clone(FOREST), n_trainings=3, random_state=0)
    row = comparator.fit(*data).results_["accuracy"]

    assert (0.0, 1.0) == (row.difference, row.pvalue)


def test_seeds_that_are_set_are_replaced(data):
    """Also in a pipeline, without any change of what was passed."""
    own = make_pipeline(
        StandardScaler(), SGDClassifier(random_state=0, max_iter=5, tol=None)
    )
    fixed = ExtraTreesClassifier(3, random_state=1)
    comparator = PairedComparator(own, fixed, n_trainings=3, random_state=0).fit(*data)

    for role in comparator.predictions_.estimators:
        each = role.labels.reshape(3, -1)
        assert (each != each[0]).any(), role.name
    assert (0, 1) == (own[-1].random_state, fixed.random_state)


def test_same_comparison_at_every_call(data):
    """With a seed of its own, and another one with another."""
    pvalues = [
        PairedComparator(TREE, FOREST, n_trainings=3, random_state=seed)
        .fit(*data)
        .results_["accuracy"]
        .pvalue
        for seed in (0, 0, 1)
    ]
    assert pvalues[0] == pvalues[1] != pvalues[2]


def test_deterministic_recipe_is_flagged(data):
    """Its trainings are all the same."""
    comparator = PairedComparator(
        LogisticRegression(), FOREST, n_trainings=3, random_state=0
    )
    assert "deterministic-training" in comparator.fit(*data).results_["accuracy"].flags


def test_frozen_champion_is_one_training(data):
    """A trained model against a recipe, if mixing them is allowed."""
    X, y = data
    old, new, y_old, y_new = train_test_split(X, y, random_state=0)
    champion = FrozenEstimator(TREE.fit(old, y_old))
    comparator = PairedComparator(
        champion, FOREST, n_trainings=3, allow_mixed=True, random_state=0
    )
    comparison = comparator.fit(new, y_new).comparison_

    assert "one-training" in comparison.rows[0].flags
    assert (1, 3) == comparison.evidence(CrossedDifferences).n_trainings


def test_one_split_is_needed(data):
    """Several splits, groups, times and fitted classifiers are refused."""
    X, y = data
    with pytest.raises(ValueError, match=r"on one split\. Got 3 splits"):
        PairedComparator(TREE, FOREST, cv=KFold(3), n_trainings=3).fit(X, y)
    with pytest.raises(ValueError, match="dependence within groups"):
        PairedComparator(TREE, FOREST, cv=GroupShuffleSplit(1), n_trainings=3).fit(
            X, y, groups=np.arange(200) // 2
        )
    later = [(np.arange(150), np.arange(150, 200))]
    with pytest.raises(ValueError, match=r"order of time\. Got `time`"):
        PairedComparator(TREE, FOREST, cv=later, n_trainings=3).fit(
            X, y, time=np.arange(200)
        )
    fitted = [clone(part).fit(X, y) for part in (TREE, FOREST)]
    with pytest.raises(ValueError, match=r"not trained again\. Got n_trainings=3"):
        PairedComparator(*fitted, cv="prefit", n_trainings=3).fit(X, y)
    with pytest.raises(ValueError, match="n_trainings"):
        PairedComparator(TREE, FOREST, n_trainings=1).fit(X, y)


def test_given_split_is_used(data):
    """A list of one split is as good as a splitter."""
    X, y = data
    split = np.arange(150), np.arange(150, 200)
    comparator = PairedComparator(TREE, FOREST, cv=[split], n_trainings=3).fit(X, y)

    assert set(range(150, 200)) == set(comparator.predictions_.records)
    assert "crossed_t" == comparator.results_["accuracy"].test


def test_regressors():
    """Numbers, with the default measures of regressors."""
    X, y = make_regression(120, 5, noise=20, random_state=0)
    comparator = PairedComparator(
        ExtraTreesRegressor(2), ExtraTreesRegressor(10), n_trainings=3, random_state=0
    ).fit(X, y)

    assert {"crossed_t"} == {row.test for row in comparator.comparison_.rows}


def test_several_recipes_and_selection(data):
    """Pairs of three recipes; the selected one is trained on all records."""
    recipes = [("tree", TREE), ("small", FOREST), ("large", ExtraTreesClassifier(20))]
    comparator = MultipleComparator(recipes, n_trainings=3, refit=True, random_state=0)
    comparator.fit(*data)

    assert {"crossed_t"} == {each.test for each in comparator.comparison_.comparisons}
    assert 200 == len(comparator.predict(data[0]))
