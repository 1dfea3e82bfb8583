"""A comparator that selects a classifier is one: alone, in pipelines, in searches."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    GroupKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from skcompare import PairedComparator
from skcompare.exceptions import EstimatorFailedError

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score")


@pytest.fixture(scope="module")
def data():
    """Two classes that a linear model tells apart, more or less."""
    return make_classification(120, n_features=5, flip_y=0.1, random_state=0)


@pytest.fixture
def routing():
    """Metadata routing, on for a test."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def comparator(champion=None, challenger=None, **settings):
    """One that keeps a dummy, and finds that logistic regression is better.

    Four folds take less than half of the time of the default splits.
    """
    champion = DummyClassifier() if champion is None else champion
    challenger = LogisticRegression() if challenger is None else challenger
    settings = {"cv": 4, "refit": True, "random_state": 0} | settings
    return PairedComparator(champion, challenger, **settings)


def in_pipeline(last, scaler=None):
    return Pipeline([("scaler", scaler or StandardScaler()), ("comparator", last)])


def test_predictions_are_those_of_the_selected_classifier(data):
    """Every method predictions as the challenger would that is fitted on all records."""
    X, y = data
    fitted, alone = comparator(cv=None).fit(X, y), LogisticRegression().fit(X, y)

    assert "challenger" == fitted.verdict_
    for method in METHODS:
        arguments = (X, y) if method == "score" else (X,)
        np.testing.assert_array_equal(
            getattr(alone, method)(*arguments), getattr(fitted, method)(*arguments)
        )


def test_weighted_score(data):
    """`score` counts records by their weights, as the selected classifier does."""
    X, y = data
    fitted, weights = comparator().fit(X, y), np.arange(len(y))
    expected = LogisticRegression().fit(X, y).score(X, y, sample_weight=weights)

    assert expected == fitted.score(X, y, sample_weight=weights)
    assert expected != fitted.score(X, y)


def test_nothing_is_predicted_without_refit(data):
    """A comparison alone has no method of a classifier, and says when it would."""
    fitted = comparator(refit=False).fit(*data)
    for method in METHODS:
        assert not hasattr(fitted, method)
        with pytest.raises(AttributeError) as error:
            getattr(fitted, method)
        assert f"has {method} with refit=True only" in str(error.value.__cause__)


def test_only_what_all_classifiers_have_is_promised(data):
    """Before it is known which one is selected, both must have a method; then that one."""
    X, y = data
    unfitted = comparator(challenger=LinearSVC())
    with pytest.raises(AttributeError) as error:
        _ = unfitted.predict_proba
    selected = clone(unfitted).fit(X, y)
    kept = comparator(DummyClassifier(), RidgeClassifier(), alpha=1e-12).fit(X, y)

    assert "`challenger` (LinearSVC) has none" in str(error.value.__cause__)
    assert not hasattr(unfitted, "decision_function")
    assert hasattr(selected, "decision_function")
    assert not hasattr(selected, "predict_proba")
    assert "inconclusive" == kept.verdict_
    assert hasattr(kept, "predict_proba")


def test_no_method_of_other_estimators(data):
    """It neither transforms nor names features of an output."""
    fitted = comparator().fit(*data)

    assert [] == [
        name
        for name in ("transform", "get_feature_names_out", "fit_predict", "set_output")
        if hasattr(fitted, name)
    ]


def test_unfitted_comparator(data):
    """Before fitting, the methods are there and say that there was no fit."""
    unfitted = comparator()

    with pytest.raises(NotFittedError, match="PairedComparator"):
        unfitted.predict(data[0])
    with pytest.raises(NotFittedError):
        check_is_fitted(unfitted)


class Failing(ClassifierMixin, BaseEstimator):
    """Fails to fit on many records, as a selected classifier may."""

    def __init__(self, most=0):
        self.most = most

    def fit(self, X, y):
        if len(y) > self.most:
            raise MemoryError("too many records")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize(
    ("most", "message"),
    [
        (0, r"champion .Failing. failed to fit on split 0 .60 training records.: Memory"),
        (
            100,
            r"champion .Failing. was selected, and failed to fit on all 120 records: Mem",
        ),
    ],
)
def test_failed_fit_leaves_it_unfitted(data, most, message):
    """A fit that failed on a split, or on all records, leaves no fitted comparator."""
    X, y = data
    failing = comparator(Failing(most), Failing(most), cv=None)
    with pytest.raises(EstimatorFailedError, match=message):
        failing.fit(X, y)

    with pytest.raises(NotFittedError):
        check_is_fitted(failing)


def test_nothing_is_left_of_an_earlier_selection(data):
    """After a fit without refit there is no classifier, also if an earlier fit had one."""
    X, y = data
    fitted = comparator().fit(X, y).set_params(refit=False).fit(X, y)

    assert not hasattr(fitted, "selected_estimator_")
    with pytest.raises(NotFittedError):
        fitted.set_params(refit=True).predict(X)


def test_classes_are_those_of_the_selected_classifier(data):
    """Columns of probabilities are about `classes_`, also where a hold-out has more."""
    X, y = make_classification(
        300, 5, n_informative=3, n_redundant=0, n_classes=3, random_state=0
    )
    two = GaussianNB().fit(X[y < 2], y[y < 2])
    three = GaussianNB().fit(X, y)
    fitted = PairedComparator(two, three, cv="prefit", refit=True)
    fitted.fit(X[y < 2][:40], y[y < 2][:40])

    assert [0, 1, 2] == fitted.predictions_.classes.tolist()
    assert two is fitted.selected_estimator_
    assert [0, 1] == fitted.classes_.tolist()
    assert (len(X), 2) == fitted.predict_proba(X).shape


def test_types_of_classes(data):
    """`classes_` and the predictions have the type that the selected classifier gives."""
    X, y = data
    words, score = np.where(y == 1, "yes", "no"), get_scorer("neg_log_loss")
    for labels in (words, words.astype(object), y == 1, y.astype(float)):
        fitted, alone = comparator().fit(X, labels), LogisticRegression().fit(X, labels)

        assert alone.classes_.dtype == fitted.classes_.dtype
        assert alone.classes_.tolist() == fitted.classes_.tolist()
        assert set(fitted.predict(X)) <= set(fitted.classes_)
        assert score(fitted, X, labels) == pytest.approx(score(alone, X, labels))


def test_features_are_checked_by_the_selected_classifier(data):
    """Names and number of features are those of the fit, and others are refused."""
    X, y = data
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcde"))
    fitted = comparator().fit(frame, y)

    assert ["a", "b", "c", "d", "e"] == fitted.feature_names_in_.tolist()
    assert 5 == fitted.n_features_in_
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame[["e", "d", "c", "b", "a"]])
    with pytest.raises(ValueError, match="X has 2 features"):
        comparator().fit(X, y).predict(X[:, :2])


def test_tags():
    """It claims what both classifiers can, and several labels a record never."""
    tree = DecisionTreeClassifier()

    class Binary(DecisionTreeClassifier):
        """For two classes only."""

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.classifier_tags.multi_class = False
            return tags

    both, one = get_tags(comparator(tree, tree)), get_tags(comparator(tree, Binary()))

    assert (True, False) == (
        both.classifier_tags.multi_class,
        one.classifier_tags.multi_class,
    )
    assert get_tags(tree).classifier_tags.multi_label
    assert not both.classifier_tags.multi_label
    assert get_tags(comparator(SVC(kernel="precomputed"), tree)).input_tags.pairwise


@pytest.mark.parametrize("refit", [False, True])
def test_pickle_and_clone(data, refit):
    """A fitted comparator predicts the same after pickling, and a clone is unfitted."""
    X, y = data
    fitted = comparator(refit=refit).fit(X, y)
    restored, copy = pickle.loads(pickle.dumps(fitted)), clone(fitted)

    assert str(fitted.comparison_) == str(restored.comparison_)
    assert fitted.results_["accuracy"].confidence_interval(0.9) == (
        restored.results_["accuracy"].confidence_interval(0.9)
    )
    assert not hasattr(copy, "comparison_")
    assert repr(fitted) == repr(copy)
    if refit:
        np.testing.assert_array_equal(fitted.predict_proba(X), restored.predict_proba(X))


def test_nested_parameters():
    """Parameters of the classifiers are set by their roles."""
    nested = comparator(challenger=in_pipeline(LogisticRegression()))
    nested.set_params(challenger__comparator__C=3.0, champion__strategy="uniform")

    assert 3.0 == nested.challenger.named_steps["comparator"].C
    assert "uniform" == nested.champion.strategy
    assert 3.0 == nested.get_params()["challenger__comparator__C"]


def test_last_step_of_a_pipeline(data):
    """The steps before it prepare the records, and it predicts for the pipeline."""
    X, y = data
    pipeline = in_pipeline(comparator()).fit(X, y)
    alone = in_pipeline(LogisticRegression()).fit(X, y)

    assert "challenger" == pipeline[-1].verdict_
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_array_equal(
            getattr(alone, method)(X), getattr(pipeline, method)(X)
        )
    assert alone.score(X, y) == pipeline.score(X, y)
    assert [0, 1] == pipeline.classes_.tolist()
    assert 5 == pipeline.n_features_in_
    np.testing.assert_array_equal(alone[:-1].transform(X), pipeline[:-1].transform(X))
    np.testing.assert_array_equal(
        pipeline.predict(X), pipeline[-1].predict(pipeline[:-1].transform(X))
    )


def test_pipeline_of_frames(data):
    """Transformers that give frames leave their names with the comparator."""
    X, y = data
    pytest.importorskip("pandas")
    pipeline = in_pipeline(comparator()).set_output(transform="pandas").fit(X, y)

    assert ["x0", "x1", "x2", "x3", "x4"] == pipeline[-1].feature_names_in_.tolist()
    assert ["x0", "x1"] == pipeline[:-1].get_feature_names_out()[:2].tolist()


@pytest.mark.filterwarnings("ignore:There will be no")
def test_groups_and_weights_of_a_step(data):
    """A pipeline passes groups and weights to the comparator by the name of its step."""
    X, y = data
    groups, weights = np.arange(len(y)) // 4, np.arange(len(y)) + 1.0
    pair = comparator(GaussianNB(), GaussianNB(), cv=GroupKFold(5))
    pipeline = in_pipeline(pair)
    pipeline.fit(X, y, comparator__groups=groups, comparator__sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    alone = GaussianNB().fit(scaled, y, sample_weight=weights)

    assert pipeline[-1].predictions_.design.grouped
    np.testing.assert_array_equal(alone.theta_, pipeline[-1].selected_estimator_.theta_)
    assert alone.score(scaled, y, weights) == pipeline.score(X, y, sample_weight=weights)


def test_in_a_search(data):
    """A grid over a parameter of the challenger is searched by the selected one's score."""
    X, y = data
    grid = {"challenger__max_depth": [1, 3]}
    pair = comparator(challenger=DecisionTreeClassifier(), cv=2)
    search = GridSearchCV(pair, grid, cv=2).fit(X, y)
    expected = [
        cross_val_score(clone(pair).set_params(challenger__max_depth=d), X, y, cv=2)
        for d in (1, 3)
    ]

    np.testing.assert_allclose(
        np.mean(expected, axis=1), search.cv_results_["mean_test_score"]
    )
    assert search.best_estimator_.verdict_
    assert (len(y), 2) == search.predict_proba(X).shape


def test_cross_validated_score_is_of_selected_classifiers(data):
    """cross_val_score compares, selects and scores again on every split."""
    X, y = data
    scores = cross_validate(comparator(), X, y, cv=2, return_estimator=True)
    folds = [
        one.score(X[test], y[test])
        for one, (_, test) in zip(
            scores["estimator"],
            sklearn.model_selection.StratifiedKFold(2).split(X, y),
            strict=True,
        )
    ]

    assert folds == scores["test_score"].tolist()
    assert (len(y), 2) == cross_val_predict(
        comparator(), X, y, cv=2, method="predict_proba"
    ).shape


META = {
    "stacking": lambda c: StackingClassifier([("c", c), ("t", GaussianNB())], cv=2),
    "vote": lambda c: VotingClassifier([("c", c), ("t", GaussianNB())], voting="soft"),
    "bagging": lambda c: BaggingClassifier(c, n_estimators=2, random_state=0),
    "calibrated": lambda c: CalibratedClassifierCV(c, cv=2),
    "tuned": lambda c: TunedThresholdClassifierCV(c, cv=2),
    "fixed": lambda c: FixedThresholdClassifier(c, threshold=0.3),
    "one versus rest": OneVsRestClassifier,
    "another comparator": lambda c: comparator(GaussianNB(), c),
}


@pytest.mark.parametrize(
    ("names", "cv"),
    [
        pytest.param(["vote", "another comparator"], 3, id="few"),
        pytest.param(META, None, id="all", marks=pytest.mark.slow),
    ],
)
def test_within_other_estimators(data, names, cv):
    """Whatever takes a classifier takes a comparator, also where classes are strings."""
    X, y = data
    y = np.where(y == 1, "yes", "no")
    for name in names:
        fitted = META[name](comparator(cv=cv)).fit(X, y)

        assert np.mean(fitted.predict(X) == y) > 0.75
        assert (len(y), 2) == fitted.predict_proba(X).shape


def test_frozen_comparator(data):
    """A fitted comparator can be frozen, calibrated and compared like any classifier."""
    X, y = data
    frozen = FrozenEstimator(comparator().fit(X[:60], y[:60]))
    calibrated = CalibratedClassifierCV(frozen).fit(X[60:], y[60:])
    again = PairedComparator(frozen, FrozenEstimator(GaussianNB().fit(X[:60], y[:60])))

    assert (len(y), 2) == calibrated.predict_proba(X).shape
    assert frozen.score(X[60:], y[60:]) == pytest.approx(
        again.fit(X[60:], y[60:]).results_["accuracy"].champion
    )


def asking(classifier, weights=True):
    """A classifier that asks for weights to fit and to score, as routing wants it."""
    classifier.set_fit_request(sample_weight=weights)
    return classifier.set_score_request(sample_weight=weights)


def test_routed_weights(data, routing):
    """With routing on, weights reach the fit and the score of those that ask for them."""
    X, y = data
    weights = np.arange(len(y)) + 1.0
    pair = asking(DummyClassifier(), False), asking(GaussianNB())
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    pipeline = in_pipeline(comparator(*pair), scaler).fit(X, y, sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    alone = GaussianNB().fit(scaled, y, sample_weight=weights)

    np.testing.assert_array_equal(alone.theta_, pipeline[-1].selected_estimator_.theta_)
    assert alone.score(scaled, y, weights) == pipeline.score(X, y, sample_weight=weights)
    assert alone.score(scaled, y) == pipeline.score(X, y)


@pytest.mark.newest  # scikit-learn 1.6 passes no weights to the score of any router
def test_routed_weights_in_cross_validation(data, routing):
    """Cross-validation routes weights through the comparator to fit and to score."""
    X, y = data
    weights = np.arange(len(y)) + 1.0
    weighted = comparator(asking(DummyClassifier()), asking(GaussianNB()))
    scores = cross_validate(
        weighted, X, y, cv=2, params={"sample_weight": weights}, return_indices=True
    )
    expected = []
    for train, test in zip(*scores["indices"].values(), strict=True):
        alone = GaussianNB().fit(X[train], y[train], weights[train])
        expected.append(alone.score(X[test], y[test], weights[test]))

    np.testing.assert_allclose(expected, scores["test_score"])


def test_routed_weights_in_a_search(data, routing):
    """A search routes weights through the comparator to the fit of the selected one."""
    X, y = data
    weights = np.arange(len(y)) + 1.0
    weighted = comparator(asking(DummyClassifier()), asking(GaussianNB()))
    search = GridSearchCV(weighted, {"challenger__var_smoothing": [1e-9]}, cv=2)
    best = search.fit(X, y, sample_weight=weights).best_estimator_
    alone = GaussianNB().fit(X, y, weights)

    assert "challenger" == best.verdict_
    np.testing.assert_array_equal(alone.theta_, best.selected_estimator_.theta_)


@pytest.mark.filterwarnings("ignore:There will be no")
def test_routed_groups(data, routing):
    """Groups go to a splitter that asks for them, without a prefix."""
    X, y = data
    pipeline = in_pipeline(comparator(cv=GroupKFold(5)))
    pipeline.fit(X, y, groups=np.arange(len(y)) // 4)

    assert pipeline[-1].predictions_.design.grouped


def test_unrequested_weights_of_a_score(data, routing):
    """Weights that no classifier said anything about are refused, not ignored."""
    X, y = data
    fitted = comparator().fit(X, y)
    with pytest.raises(UnsetMetadataPassedError, match="set_score_request"):
        fitted.score(X, y, sample_weight=np.ones(len(y)))


def test_other_metadata_of_a_score_needs_routing(data):
    """With routing off, `score` takes weights and refuses what it could not pass on."""
    X, y = data
    with pytest.raises(ValueError, match="price can be passed with metadata routing"):
        comparator().fit(X, y).score(X, y, price=np.ones(len(y)))
