"""The rules that every comparison obeys: what decides, what is refused, what is shown."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, hinge_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skcompare import BlockRegularized5x2CV, PairedComparator, compare
from skcompare._core.design import Design
from skcompare.evidence import ContingencyTable, PairedLosses, PlacementValues
from skcompare.exceptions import EstimatorFailedError
from skcompare.metrics import resolve_scoring, score_differences
from skcompare.model_selection import HalvesShuffleSplit, ReplicatedShuffleSplit
from skcompare.stats import paired_tests
from tests.common.classifiers import Centroids


@pytest.fixture(scope="module")
def data():
    """Two classes, 200 records."""
    return make_classification(n_samples=200, n_features=5, flip_y=0.1, random_state=0)


def pair(champion=None, challenger=None, **settings):
    """A comparator of two quick classifiers."""
    champion = champion or Centroids(n_features=2)
    challenger = challenger or Centroids()
    settings.setdefault("random_state", 0)
    return PairedComparator(champion, challenger, **settings)


class Fitted(ClassifierMixin, BaseEstimator):
    """Predictions 0 or 1 by the sign of the first feature; tests override a method."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


@pytest.mark.parametrize(
    ("cv", "test"),
    [
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0), "bcv_mcnemar"),
    ],
)
def test_invalid_test_decides_nothing(data, cv, test):
    """A test that is not valid for the design runs by name, and the verdict ignores it."""
    comparator = pair(DummyClassifier(), cv=cv, tests=test, refit=True).fit(*data)

    assert comparator.results_[test].pvalue < 0.001
    assert "invalid-design" in comparator.results_[test].flags
    assert "inconclusive" == comparator.verdict_
    assert "is valid for" in comparator.comparison_.conclusion.sentence
    assert isinstance(comparator.selected_estimator_, DummyClassifier)


def test_valid_default_decides_beside_an_invalid_test(data):
    """The design's own test decides, and one that is not valid stands beside it."""
    comparator = pair(DummyClassifier(), cv=5, tests="mcnemar").fit(*data)
    rows = comparator.comparison_.rows

    assert ["corrected_repeated_kfold_t", "mcnemar"] == [row.test for row in rows]
    assert rows[0].primary
    assert "invalid-design" in rows[1].flags


@pytest.mark.filterwarnings("ignore:There will be no")
def test_liberal_test_runs_by_name_and_decides_nothing(data):
    """Tests of the literature that call for caution run when requested, and say so."""
    for cv, tests in [
        (
            RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0),
            ["combined_5x2_f"],
        ),
        (ShuffleSplit(5, random_state=0), ["repeated_holdout_t"]),
        (StratifiedKFold(5), ["kfold_t", "cv_ci_z", "naive_kfold_mcnemar"]),
        (None, ["calibrated_5x2_f", "blocked_t"]),
    ]:
        rows = pair(DummyClassifier(), cv=cv, tests=tests).fit(*data).results_
        everything = pair(DummyClassifier(), cv=cv, tests="all").fit(*data).comparison_

        for test in tests:
            assert not rows[test].primary
            assert {"liberal", "naive"} & set(rows[test].flags)
            assert "invalid-design" not in rows[test].flags
            assert test not in [row.test for row in everything.rows]


OF_HALVES = ["roc_auc", "neg_brier_score", "precision[1]"]
REPEATED = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
HOLDOUTS = ShuffleSplit(5, random_state=0)
REPLICATED = ReplicatedShuffleSplit(3, n_replicates=2, random_state=0)
BISECTED = HalvesShuffleSplit(3, n_bisections=3, random_state=0)
DESIGNS = [
    ("two-sided", None, OF_HALVES, "bcv_jackknife_t"),
    ("greater", StratifiedKFold(4), ["average_precision"], "corrected_repeated_kfold_t"),
    ("two-sided", REPEATED, ["balanced_accuracy"], "corrected_repeated_kfold_t"),
    ("greater", HOLDOUTS, ["f1"], "corrected_repeated_holdout_t"),
    ("two-sided", REPLICATED, ["f1"], None),
    ("two-sided", BISECTED, ["f1"], "conservative_z"),
    ("greater", None, OF_HALVES, "bcv_jackknife_t"),
    ("two-sided", 3, ["roc_auc"], "corrected_repeated_kfold_t"),
    ("two-sided", HOLDOUTS, ["f1"], "corrected_repeated_holdout_t"),
    ("greater", BISECTED, ["f1"], "conservative_z"),
]


@pytest.mark.filterwarnings("ignore:There will be no")
@pytest.mark.parametrize(
    "designs",
    [
        pytest.param(DESIGNS[:6], id="few"),
        pytest.param(DESIGNS[6:], id="others", marks=pytest.mark.slow),
    ],
)
def test_splitter_brings_its_test(data, designs):
    """Any scorer is tested by what is valid for the splits; interval and p agree."""
    for alternative, cv, scoring, test in designs:
        comparator = pair(cv=cv, scoring=scoring, alternative=alternative).fit(*data)

        assert len(scoring) == len(comparator.comparison_.rows)
        for row in comparator.comparison_.rows:
            assert test == row.test
            if test is None:
                assert "cv=None" in row.note
                continue
            assert alternative == row.result.alternative
            assert (row.pvalue < 0.05) == (not row.low <= 0 <= row.high)
            assert row.difference == pytest.approx(row.challenger - row.champion)
            assert "algorithms" == row.result.inference


@pytest.mark.filterwarnings("ignore:There will be no")
def test_groups_are_not_advised_away(data):
    """With groups the advice names no design that ignores them."""
    X, y = data
    groups = np.arange(200) // 4
    comparison = pair(cv=GroupKFold(5)).fit(X, y, groups=groups).comparison_

    assert "(cv=None) with groups" in comparison.conclusion.sentence
    assert "cv=StratifiedKFold" not in str(comparison)


def test_groups_have_a_test_under_the_default_splits(data):
    """Blocks of whole groups, whose differences vary group by group."""
    X, y = data
    comparator = pair(scoring=["accuracy", "roc_auc"])
    comparator.fit(X, y, groups=np.arange(200) // 4)

    assert comparator.comparison_.design.grouped
    assert ["bcv_jackknife_t"] * 2 == [row.test for row in comparator.comparison_.rows]


def test_grouped_holdouts_have_a_test(data):
    """Groups of a hold-out set are allowed for, from classifiers and from arrays."""
    X, y = data
    fitted = [GaussianNB().fit(X, y), DummyClassifier().fit(X, y)]
    groups = np.arange(200) // 4
    by_classifiers = pair(*fitted, cv="prefit").fit(X, y, groups=groups).comparison_
    predictions = {"a": fitted[0].predict(X), "b": fitted[1].predict(X)}
    by_predictions = compare(y, predictions, groups=groups)

    for comparison in (by_classifiers, by_predictions):
        assert comparison.design.grouped
        assert "clustered_mcnemar" == comparison.rows[0].test
        assert by_predictions.rows[0].pvalue == comparison.rows[0].pvalue


@pytest.mark.filterwarnings("ignore:There will be no")
def test_time_order_is_not_advised_away(data):
    """With time-ordered splits no shuffled halves are advised, and no hold-out either."""
    scoring = "expected_calibration_error"
    in_time = pair(GaussianNB(), LogisticRegression(), cv=TimeSeriesSplit(3))
    sentence = str(in_time.set_params(scoring=scoring).fit(*data).comparison_.conclusion)

    assert "inconclusive: no test of expected_calibration_error is" in sentence
    assert "block-regularized" not in sentence


@pytest.mark.filterwarnings("ignore:There will be no")
def test_measures_are_known_by_what_they_measure(data):
    """A name for display neither gives a measure a test nor takes it away."""
    scoring = {"acc": "accuracy", "accuracy": make_scorer(f1_score), "f1": "f1"}
    rows = pair(scoring=scoring).fit(*data).results_

    assert "bcv_jackknife_t" == rows["acc"].test
    assert "bcv_jackknife_t" == rows["f1"].test
    assert rows["accuracy"].test is None
    assert rows["f1"].champion == pytest.approx(rows["accuracy"].champion, rel=1e-12)


@pytest.mark.filterwarnings("ignore:There will be no")
def test_custom_scorer_sees_the_row_numbers(data):
    """The X of a custom scorer holds the numbers of the records that were predicted."""
    X, y = data
    seen = []

    def scorer(estimator, rows, truth):
        seen.append((rows.ravel(), truth))
        return 0.0

    pair(scoring=scorer).fit(X, y)

    assert 20 <= len(seen)
    for rows, truth in seen[-20:]:
        np.testing.assert_array_equal(y[rows], truth)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
@pytest.mark.parametrize("cv", [None, "prefit"])
def test_predictions_of_the_wrong_length(data, method, cv):
    """A method that predicts too few records is refused, with its name."""
    X, y = data
    shape = {"predict": (1,), "predict_proba": (1, 2), "decision_function": (1,)}[method]

    class Short(Fitted):
        pass

    setattr(Short, method, lambda self, X: np.zeros(shape, dtype=int))
    scoring = "accuracy" if method == "predict" else "roc_auc"
    comparator = pair(Short().fit(X, y), GaussianNB().fit(X, y), cv=cv, scoring=scoring)
    with pytest.raises(EstimatorFailedError, match=rf"champion.*{method} must predict"):
        comparator.fit(X, y)


def test_undefined_for_one_is_left_out_for_both(data):
    """Means and difference are over the same test sets, so they agree."""
    X, y = data
    rng = np.random.default_rng(0)
    y = np.where(rng.random(200) < 0.06, 1, 0)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    comparator = pair(GaussianNB(), tree, cv=StratifiedKFold(5), scoring="precision")
    row = comparator.fit(X, y).results_["precision"]

    assert "undefined-in-split" in row.flags
    shown = row.challenger - row.champion
    assert np.isnan(shown) or row.difference == pytest.approx(shown)


def test_undefined_everywhere_is_shown_as_undefined(data):
    """A measure that is never defined is a flagged row; the others are there."""
    X, y = data
    y = np.where(np.arange(200) < 60, 1, 0)
    comparator = pair(DummyClassifier(), scoring=["accuracy", "precision"]).fit(X, y)
    row = comparator.results_["precision"]

    assert np.isnan(row.difference)
    assert "undefined-in-split" in row.flags
    assert "undefined" in str(comparator.comparison_)
    assert comparator.results_["accuracy"].pvalue < 1


@pytest.mark.filterwarnings("error")
def test_warnings_of_scorers_are_flags():
    """A scorer's warning about a test set becomes a flag, not a Python warning."""
    X, y = load_iris(return_X_y=True)
    comparator = pair(scoring=["accuracy", "balanced_accuracy"], cv=KFold(5)).fit(X, y)

    assert "scorer-warning" in comparator.results_["balanced_accuracy"].flags


@pytest.mark.filterwarnings("ignore:There will be no")
def test_decision_scores_on_request(data):
    """A scorer that takes decision scores only gets them."""
    scorer = make_scorer(
        hinge_loss, response_method="decision_function", greater_is_better=False
    )
    linear = LogisticRegression(), LogisticRegression(C=0.01)
    row = pair(*linear, cv=3, scoring={"hinge": scorer}).fit(*data).results_["hinge"]

    assert row.champion > row.challenger


@pytest.mark.filterwarnings("ignore:There will be no")
def test_decision_scores_of_two_among_three_classes():
    """Scores of a training set with two of three classes are aligned to three columns."""
    X, y = load_iris(return_X_y=True)
    svm = LinearSVC(), LinearSVC(C=0.1)
    comparator = pair(*svm, scoring=["accuracy", "roc_auc_ovr"])
    comparator.set_params(cv=BlockRegularized5x2CV(stratify=False, random_state=0))
    with pytest.raises(ValueError, match="has no predict_proba"):
        comparator.fit(X[:101], y[:101])
    comparator.set_params(scoring=["accuracy", "top_k_accuracy"]).fit(X[:101], y[:101])

    assert (505, 3) == comparator.predictions_["champion"].decision.shape


@pytest.mark.filterwarnings("ignore:There will be no")
def test_what_is_no_scorer(data):
    """What is no scorer is refused in words."""
    for scoring, error, message in [
        (accuracy_score, TypeError, "make_scorer"),
        ("neg_accuracy", ValueError, "Unknown scoring"),
        (lambda estimator, X, y: {"a": 1}, TypeError, "must give one number"),
        (3, TypeError, "'scoring' parameter of PairedComparator must be"),
        ({"a": 3}, TypeError, "name or callable"),
    ]:
        with pytest.raises(error, match=message):
            pair(scoring=scoring).fit(*data)


def test_refused_before_anything_is_fitted(data):
    """What can be known before fitting is refused before fitting."""
    for settings, labels, message in [
        ({"scoring": "f1"}, ["a", "b"], "pos_label"),
        ({"scoring": "f1"}, [0, 1, 2], "multi-class"),
        ({"scoring": "roc_auc"}, [0, 1, 2], "multi-class"),
        ({"pos_label": "zzz"}, ["a", "b"], "`pos_label` must be one of two"),
        ({"pos_label": 1}, [0, 1, 2], "`pos_label` must be one of two"),
        ({"pos_label": [0, 1]}, [0, 1], "`pos_label` must be one of two"),
        ({"cv": 5, "tests": "bcv_mcnemar"}, [0, 1], "n_repeats, 2, 4"),
        ({"tests": {"mcnemar": {"method": "zz"}}}, [0, 1], "Unknown method"),
        ({"tests": {"bcv_mcnemar": {"rho1": 5}}}, [0, 1], "`rho1` must be"),
        ({"cv": [([0, 1, 500], [2])]}, [0, 1], "indices from 0 to 199"),
        ({"cv": [(np.ones(7, bool), [9])]}, [0, 1], "masks of 200"),
    ]:

        class Untouched(Fitted):
            def fit(self, X, y):
                raise AssertionError("it was fitted")

        y = np.array(labels)[np.arange(200) % len(labels)]
        with pytest.raises(ValueError, match=message):
            pair(Untouched(), Untouched(), **settings).fit(data[0], y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tests": {"bcv_mcnemar": None}}, "must be a dict"),
        ({"refit": "yes"}, "'refit' parameter of PairedComparator must be an instance of"),
        ({"allow_mixed": 1}, "'allow_mixed' parameter of PairedComparator must be"),
    ],
)
def test_wrong_types(data, settings, message):
    """Settings of the wrong type are refused in words."""
    with pytest.raises(TypeError, match=message):
        pair(**settings).fit(*data)


@pytest.mark.parametrize("groups", [[None] + [1] * 199, np.ones((200, 2))])
def test_bad_groups(data, groups):
    """Groups are one column without missing values."""
    with pytest.raises(ValueError, match="groups"):
        pair().fit(*data, groups=groups)


def test_nothing_is_weighted_on_a_holdout(data):
    """Weights and metadata are refused where nothing is fitted, not ignored."""
    X, y = data
    fitted = pair(GaussianNB().fit(X, y), DummyClassifier().fit(X, y), cv="prefit")
    with pytest.raises(ValueError, match="sample_weight"):
        fitted.fit(X, y, sample_weight=np.ones(200))


def test_splitters_without_a_seed_get_one(data):
    """With random_state set, an unseeded splitter gives the same splits at every call."""
    comparators = [pair(cv=ShuffleSplit(n_splits=1)).fit(*data) for _ in range(3)]

    assert 1 == len({c.predictions_.fingerprint for c in comparators})


def test_equal_searches_do_not_differ(data):
    """Splitters within equal estimators shuffle alike."""
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 15]}, cv=KFold(2, shuffle=True)
    )
    row = pair(search, search, cv=2, random_state=None).fit(*data).results_["accuracy"]

    assert (0, 1) == (row.difference, row.pvalue)


def test_frozen_within_a_meta_estimator(data):
    """A frozen classifier within another one counts as frozen."""
    X, y = data
    frozen = FrozenEstimator(GaussianNB().fit(X, y))
    for wrapped in (
        make_pipeline(StandardScaler(), frozen),
        CalibratedClassifierCV(frozen),
    ):
        with pytest.raises(ValueError, match="also within a pipeline"):
            pair(wrapped).fit(X, y)
    flags = pair(make_pipeline(StandardScaler(), frozen), allow_mixed=True).fit(X, y)

    assert "mixed-frozen" in flags.comparison_.flags


def test_estimator_that_changes_the_records(data):
    """A fitted classifier that changes X would spoil the other's predictions."""
    X, y = data
    changing = make_pipeline(StandardScaler(copy=False), LogisticRegression())
    changing.fit(X * 3 + 5, y)
    comparator = pair(changing, GaussianNB().fit(X, y), cv="prefit")
    with pytest.raises(ValueError, match=r"champion .* changed the records"):
        comparator.fit(X * 3 + 5, y)


def test_equal_names_are_told_apart(data):
    """Two settings of one class are described by what differs."""
    comparison = (
        pair(LogisticRegression(), LogisticRegression(C=1e-4), cv=2).fit(*data).comparison_
    )

    assert "LogisticRegression with C=1.0" == comparison.champion
    assert "LogisticRegression with C=0.0001" == comparison.challenger


def test_partly_tested_records_are_counted(data):
    """A hold-out says how many of the records were tested."""
    comparator = pair(cv=ShuffleSplit(n_splits=1, test_size=0.1)).fit(*data)
    text = str(comparator.comparison_)

    assert "20 of 200 records tested, 1 fit each" in text
    assert (200, 20) == (comparator.comparison_.n_records, comparator.comparison_.n_tested)


def test_small_differences_keep_their_digits():
    """A difference of a few in a million is not shown as zero."""
    y = np.zeros(1_000_000, dtype=int)
    y[::2] = 1
    old = y.copy()
    old[:40] = 1 - old[:40]
    comparison = compare(y, {"old": old, "new": y})

    assert "differs by +0.000040" in comparison.conclusion.sentence
    assert "[0.000000" not in str(comparison)
    assert re.search(r"-0\.0+(?!\d)", str(compare(y, {"old": y, "new": y}))) is None


def test_missing_values_in_lists_of_strings():
    """NaN among strings is missing, and no class of that name."""
    predictions = {"x": ["a", float("nan"), "b"], "y": ["a", "b", "a"]}
    with pytest.raises(ValueError, match="missing"):
        compare(["a", "b", "a"], predictions)


def test_comparator_of_nothing_can_be_printed():
    """What is wrong is said by fit; printing works before that."""
    assert "PairedComparator" in repr(PairedComparator(None, GaussianNB()))
    with pytest.raises(TypeError, match="without fit"):
        PairedComparator(None, GaussianNB()).fit([[0], [1]], [0, 1])


def test_records_needed_count_those_that_no_split_uses(data):
    """Splits that leave records out need as many more of all records."""
    settings = {"train_size": 0.3, "test_size": 0.2, "random_state": 0}
    trees = [DecisionTreeClassifier(max_depth=k, random_state=0) for k in (1, 2)]
    fitted = pair(*trees, cv=ShuffleSplit(5, **settings))
    fitted.fit(*data)
    row, verdict = fitted.comparison_.rows[0], fitted.comparison_.conclusion
    scores = score_differences(
        fitted.predictions_.pair("champion", "challenger"), resolve_scoring("accuracy")[0]
    )
    entry = paired_tests()[row.test]
    of_used = entry.sample_size(scores, alpha=0.05, power=0.8, alternative="two-sided")

    assert "inconclusive" == verdict.winner
    assert scores.n_records < fitted.comparison_.n_records < verdict.records_needed
    share = scores.n_records / fitted.comparison_.n_records
    assert of_used / share == pytest.approx(verdict.records_needed)


@pytest.mark.filterwarnings("ignore:There will be no")
def test_verdict_names_the_class():
    """A measure of one class has the same name in the verdict as in its row."""
    X, y = load_iris(return_X_y=True)
    scoring = "average_precision[2]"
    comparison = pair(scoring=scoring).fit(X, y).comparison_

    assert "no test of average_precision[2] is valid" in comparison.conclusion.sentence


def test_few_records_of_a_class_in_a_half():
    """Scores of classes are skewed there, and the interval says so."""
    X = np.random.default_rng(0).normal(size=(120, 3))
    measures = ["roc_auc", "recall", "accuracy", "neg_brier_score"]
    flagged = {18: {"roc_auc", "recall"}, 40: set()}
    for n_positive, of_classes in flagged.items():
        y = (np.arange(120) < n_positive).astype(int)
        tree = DecisionTreeClassifier(max_depth=3, random_state=0)
        rows = pair(challenger=tree, scoring=measures).fit(X, y).comparison_.rows

        assert measures == [row.measure for row in rows]
        assert of_classes == {
            row.measure for row in rows if "few-of-a-class-in-a-half" in row.flags
        }


def test_stack_of_classifiers():
    """A stack has no `predict` before it is fitted, and is compared all the same."""
    X, y = load_iris(return_X_y=True)
    stack = StackingClassifier([("bayes", GaussianNB())], GaussianNB(), cv=2)
    comparator = PairedComparator(GaussianNB(), stack, cv=2).fit(X, y)

    assert 2 == comparator.comparison_.n_fits
    by_default = StackingClassifier([("bayes", GaussianNB())], cv=2)
    assert PairedComparator(GaussianNB(), by_default, cv=2).fit(X, y).verdict_


@pytest.mark.parametrize("name", ["mcnemar", "delong", "paired_t"])
def test_records_in_time_are_flagged(name):
    """A test of independent records on a hold-out that is said to be in time order."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    a, b = rng.random((2, 60))
    evidence = {
        "mcnemar": ContingencyTable(20, 12, 8, 20),
        "delong": PlacementValues.from_predictions(y, a, b),
        "paired_t": PairedLosses.from_losses(a, b),
    }[name]
    in_time = replace(evidence, design=Design("time ordered"))
    result = paired_tests()[name].function(in_time)

    assert {"invalid-design", "time-ordered"} <= set(result.flags)


def test_named_test_on_time_ordered_splits_is_flagged(data):
    """Beside the default test it runs as asked, and says how often it is wrong."""
    comparator = pair(cv=TimeSeriesSplit(3), tests=["naive_kfold_mcnemar"])
    comparison = comparator.fit(*data).comparison_

    assert "diebold_mariano" == comparison.rows[0].test
    assert "time-ordered" in comparison.rows[1].flags
    assert "8 to 43 % of series" in " ".join(str(comparison).split())
