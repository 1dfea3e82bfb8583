"""Score differences of two candidates of a search."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    GroupShuffleSplit,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedKFold,
)
from sklearn.tree import DecisionTreeClassifier

from skcompare._core.design import Design
from skcompare.evidence import ScoreDifferences
from skcompare.stats import corrected_repeated_kfold_t

X, Y = load_iris(return_X_y=True)
GROUPS = np.arange(150) // 2
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
from_cv = ScoreDifferences.from_cv_results

QUALITY = {(1, 1): 5, (1, 9): 4, (2, 1): 6, (2, 9): 3, (3, 1): 9, (3, 9): 8}


def quality(tree, X, y):
    """A score that is known for each tree, but for some noise a split."""
    key = tree.max_depth, tree.min_samples_leaf
    return QUALITY.get(key, 7) + float(np.sin(key[1] + X.sum()))


@pytest.fixture(scope="module")
def search():
    """A search over eight trees; candidate 4 is the best, 5 the next best."""
    grid = {"max_depth": [1, 2, 3, None], "min_samples_leaf": [1, 9]}
    tree = DecisionTreeClassifier(random_state=0)
    return GridSearchCV(tree, grid, scoring=quality, cv=5).fit(X, Y)


def by_hand(search, first, second, metric="score"):
    """Differences of two candidates, from the columns of the results."""
    columns = [
        search.cv_results_[f"split{k}_test_{metric}"] for k in range(search.n_splits_)
    ]
    return [float(column[second] - column[first]) for column in columns]


def test_named_candidates(search):
    """A candidate is named by its index, its parameters, or its rank."""
    for champion, challenger, expected in [
        (0, 2, (0, 2)),
        (np.int64(7), 1, (7, 1)),
        ({"max_depth": 2, "min_samples_leaf": 9}, 0, (3, 0)),
        ({"max_depth": None, "min_samples_leaf": 1}, 0, (6, 0)),
        ("best", 0, (4, 0)),
    ]:
        scores = from_cv(champion, challenger, X, Y, search=search)

        assert by_hand(search, *expected) == scores.values.tolist()
        assert Design("kfold", 1, 5) == scores.design
        assert [120] * 5 == scores.n_train.tolist()
        assert ("chosen-on-these-scores" in scores.flags) == (4 in expected)


def test_best_and_runner_up(search):
    """The runner-up has the highest mean of all but the best one."""
    scores = from_cv("runner-up", "best", y=Y, search=search)

    assert by_hand(search, 5, 4) == scores.values.tolist()
    assert ("chosen-on-these-scores",) == scores.flags
    assert set(scores.flags) <= set(corrected_repeated_kfold_t(scores).flags)
    named = from_cv("runner-up", 0, y=Y, search=search)
    assert ("chosen-on-these-scores",) == named.flags


def test_simplest(search):
    """The least value, the greatest, several in order, or a function; then the score."""
    for complexity, expected in [
        ("max_depth", 0),
        ("-max_depth", 6),
        (["-min_samples_leaf", "max_depth"], 1),
        (["-min_samples_leaf", "-max_depth"], 7),
        (lambda params: params["max_depth"] != 2, 2),
    ]:
        scores = from_cv("simplest", "best", y=Y, search=search, complexity=complexity)

        assert by_hand(search, expected, 4) == scores.values.tolist()
        assert ("chosen-on-these-scores",) == scores.flags


def test_several_measures():
    """The measure of `refit` is compared unless another one is named."""
    tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}
    settings = {"scoring": ["accuracy", "neg_log_loss"], "cv": 3}
    search = GridSearchCV(tree, grid, refit="neg_log_loss", **settings).fit(X, Y)
    scores = from_cv(0, 1, y=Y, search=search)

    assert ("neg_log_loss", by_hand(search, 0, 1, "neg_log_loss")) == (
        scores.score,
        scores.values.tolist(),
    )
    assert "accuracy" == from_cv(0, 1, y=Y, search=search, scoring="accuracy").score
    search = GridSearchCV(tree, grid, refit=False, **settings).fit(X, Y)
    with pytest.raises(ValueError, match=r"as `scoring`: accuracy, neg_log_loss"):
        from_cv(0, 1, y=Y, search=search)
    with pytest.raises(ValueError, match=r"Unknown scoring 'f1'"):
        from_cv(0, 1, y=Y, search=search, scoring="f1")
    best = from_cv(0, "best", y=Y, search=search, scoring="accuracy")
    assert search.cv_results_["mean_test_accuracy"].max() == pytest.approx(best.means[1])
    assert ("chosen-on-these-scores",) == best.flags


def test_name_of_the_score(search):
    """A name given to the search is kept; another one is refused."""
    named = GridSearchCV(TREE, {"max_depth": [1, 2]}, scoring="neg_log_loss").fit(X, Y)
    assert "neg_log_loss" == from_cv(0, 1, y=Y, search=named).score
    own = GridSearchCV(TREE, {"max_depth": [1, 2]}).fit(X, Y)
    assert "accuracy" == from_cv(0, 1, y=Y, search=own, scoring="accuracy").score
    assert "quality" == from_cv(0, 1, y=Y, search=search, scoring="quality").score
    for one in (named, own):
        with pytest.raises(ValueError, match="The search scored"):
            from_cv(0, 1, y=Y, search=one, scoring="roc_auc")


def test_search_that_shuffled():
    """Its candidates share the splits, of which only the sizes can be told."""
    cv = RepeatedKFold(n_splits=4, n_repeats=2)
    grid = {"max_depth": [1, 2, 3]}
    search = RandomizedSearchCV(TREE, grid, n_iter=2, cv=cv, random_state=0).fit(X, Y)
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    scores = from_cv(0, 1, y=Y, search=search)

    assert Design("repeated kfold", 2, 4) == scores.design
    assert {112, 113} == set(scores.n_train.tolist())
    assert state == np.random.get_state()[1].tolist()  # noqa: NPY002
    assert "splits-not-checked" not in scores.flags


def test_search_whose_sizes_are_lost():
    """Groups that were drawn again have sizes that must be told."""
    cv = GroupShuffleSplit(3)
    search = GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=cv).fit(X, Y, groups=GROUPS)

    with pytest.raises(ValueError, match="sizes of the training and test sets"):
        from_cv(0, 1, X, Y, search=search, groups=GROUPS)
    scores = from_cv(0, 1, search=search, n_train=120, n_test=30)
    assert "grouped repeated holdout" == scores.design.name


def test_search_over_a_list_of_splits():
    """A list tells its sizes without any records; a generator is used up."""
    splits = list(KFold(3).split(X))
    listed = GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=splits).fit(X, Y)
    used_up = GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=iter(splits)).fit(X, Y)

    assert "kfold" == from_cv(0, 1, search=listed).design.name
    assert from_cv(0, 1, search=listed) == from_cv(0, 1, search=used_up, cv=splits)
    with pytest.raises(ValueError, match="generator, which is exhausted"):
        from_cv(0, 1, search=used_up)


class SearchInRounds(GridSearchCV.__base__):
    """A search that runs its splitter once for each candidate."""

    def __init__(self, estimator, cv=None):
        super().__init__(estimator, cv=cv)

    def _run_search(self, evaluate_candidates):
        for depth in (1, 2):
            evaluate_candidates([{"max_depth": depth}])


def test_search_in_rounds():
    """Candidates of different rounds share the splits only of a splitter with a seed."""
    shuffled = SearchInRounds(TREE, cv=KFold(3, shuffle=True)).fit(X, Y)
    seeded = SearchInRounds(TREE, cv=KFold(3, shuffle=True, random_state=0)).fit(X, Y)

    assert "splits-not-checked" in from_cv(0, 1, y=Y, search=shuffled).flags
    assert "splits-not-checked" not in from_cv(0, 1, y=Y, search=seeded).flags


def test_halving_over_records():
    """Candidates of one iteration had as many records, of splits of no known design."""
    grid = {"max_depth": [1, 2, 3, 4, 5, None]}
    search = HalvingGridSearchCV(
        TREE, grid, cv=3, min_resources=48, factor=2, random_state=0
    )
    search.fit(X, Y)
    results = search.cv_results_
    first, second = np.flatnonzero(results["iter"] == 0)[:2].tolist()
    scores = from_cv(first, second, y=Y, search=search)

    assert [32, 32, 32] == scores.n_train.tolist()
    assert [16, 16, 16] == scores.n_test.tolist()
    assert by_hand(search, first, second) == scores.values.tolist()
    assert "unknown" == scores.design.name
    last = np.flatnonzero(results["iter"] == results["iter"].max()).tolist()
    named = from_cv("runner-up", "best", y=Y, search=search)
    pairs = [by_hand(search, one, search.best_index_) for one in last]
    assert named.values.tolist() in pairs
    with pytest.raises(ValueError, match="champion of iteration 0 and the challenger of"):
        from_cv(first, "best", y=Y, search=search)
    with pytest.raises(ValueError, match=r"share of the records. Pass `y`"):
        from_cv(first, second, search=search, cv=list(KFold(3).split(X)))


def test_halving_over_another_resource():
    """The splits are those of the splitter, in every iteration."""
    grid = {"min_samples_leaf": [1, 5, 9, 13]}
    search = HalvingGridSearchCV(
        TREE, grid, cv=3, resource="max_depth", max_resources=4, min_resources=2, factor=2
    ).fit(X, Y)
    scores = from_cv(0, 1, y=Y, search=search)

    assert Design("kfold", 1, 3) == scores.design
    assert [100] * 3 == scores.n_train.tolist()
    # The same parameters in several iterations mean those of the last one.
    named = {"min_samples_leaf": search.best_params_["min_samples_leaf"]}
    with pytest.raises(ValueError, match=rf"one candidate, {search.best_index_}:"):
        from_cv(named, "best", y=Y, search=search)


def test_candidate_that_failed(search):
    """It ranks last, and is refused by name of the split."""
    tree = DecisionTreeClassifier(random_state=0)
    broken = GridSearchCV(tree, {"max_depth": [1, 2, 3]}, cv=3).fit(X, Y)
    broken.cv_results_["split2_test_score"][1] = np.nan

    assert (
        by_hand(broken, 0, 2)
        == from_cv("runner-up", "best", y=Y, search=broken).values.tolist()
    )
    with pytest.raises(ValueError, match="champion has the score nan on split 2"):
        from_cv(1, 0, y=Y, search=broken)


def test_bad_candidates(search):
    """What is wrong is said, with what is known."""
    for champion, challenger, settings, message in [
        (1, 1, {}, r"one candidate, 1: .*Name two"),
        ("best", 4, {}, "one candidate, 4"),
        (8, 0, {}, r"its index, from 0 to 7.*Got 8"),
        (-1, 0, {}, r"its index, from 0 to 7.*Got -1"),
        (True, 0, {}, r"its index, from 0 to 7.*Got True"),
        (None, 0, {}, r"its index, from 0 to 7.*Got None"),
        ("runner_up", 0, {}, r"Did you mean 'runner-up'"),
        ("simplest", 0, {}, r"Pass `complexity`"),
        ("best", 0, {"complexity": "max_depth"}, r"name one candidate 'simplest'"),
        ("simplest", 0, {"complexity": "depth"}, r"Unknown parameter 'depth'"),
        ({"depth": 1}, 0, {}, r"Unknown parameter 'depth'.*'max_depth'"),
        ({"max_depth": 1}, 0, {}, r"which 2 have. Name all parameters"),
        ({"max_depth": 9}, 0, {}, r"which 0 have.*Known: \{'max_depth': 1"),
        (0, 1, {"y": None}, r"sizes of the training and test sets are not known"),
        (0, 1, {"n_train": 9, "n_test": 9}, r"Leave out `n_train`"),
        (0, 1, {"cv": 3}, r"scores on 5 test sets, but `cv` has 3"),
    ]:
        with pytest.raises(ValueError, match=message):
            from_cv(champion, challenger, search=search, **{"y": Y} | settings)


def test_complexity_of_text():
    """A parameter that is no number has no order; a function may have one."""
    grid = {"criterion": ["gini", "entropy"], "max_depth": [1, 2]}
    search = GridSearchCV(TREE, grid, cv=3).fit(X, Y)

    with pytest.raises(ValueError, match=r"numbers or None. criterion is 'gini'"):
        from_cv("simplest", "best", y=Y, search=search, complexity="criterion")


def test_search_without_results():
    """An unfitted search, and results without their search."""
    with pytest.raises(NotFittedError):
        from_cv(0, 1, y=Y, search=GridSearchCV(TREE, {"max_depth": [1, 2]}))
    with pytest.raises(TypeError, match=r"Got dict. Pass the search itself"):
        from_cv(0, 1, y=Y, search={"split0_test_score": [1]})
