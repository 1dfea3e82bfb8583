"""A pair in scikit-learn's own cross_validate: PairedEstimator and make_paired_scorer."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from joblib import parallel_config
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning, UndefinedMetricWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

from skcompare import BlockRegularized5x2CV, PairedEstimator, make_paired_scorer
from skcompare.exceptions import EstimatorFailedError
from skcompare.metrics import binary_brier_loss
from tests.common.optional import made

X, Y = make_classification(n_samples=200, n_features=5, flip_y=0.1, random_state=0)
PARTS = ("champion", "challenger", "difference")
NO_PREDICT = "a pair has two predictions for every record, so no predict, which is called"
EXPECTED_FAILURES = {
    "check_classifier_data_not_an_array": NO_PREDICT,
    "check_classifiers_classes": NO_PREDICT,
    "check_classifiers_one_label_sample_weights": NO_PREDICT,
    "check_classifiers_train": NO_PREDICT,
    "check_supervised_y_2d": NO_PREDICT,
}


def tree(depth=2, random_state=0):
    return DecisionTreeClassifier(max_depth=depth, random_state=random_state)


def tree_and_bayes(**settings):
    return PairedEstimator(tree(), GaussianNB(), **settings)


class Answering(PairedEstimator):
    """A pair that predicts as its challenger, for checks that need a prediction."""

    def predict(self, X):
        check_is_fitted(self)
        return self.challenger_.predict(X)


class Recorder(ClassifierMixin, BaseEstimator):
    """Notes its fits and what it is requested, in a list that clones share."""

    calls: list = []

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.calls.append(("fit", self.random_state, sample_weight))
        return self

    def predict(self, X):
        self.calls.append(("predict",))
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        self.calls.append(("predict_proba",))
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


@pytest.fixture
def calls():
    Recorder.calls.clear()
    return Recorder.calls


def failed_checks(pair, **settings):
    """Names of the failed ones among scikit-learn's checks, of which there are many."""
    checks = check_estimator(pair, on_fail=None, on_skip=None, **settings)
    assert len(checks) > 40
    return {check["check_name"] for check in checks if check["status"] == "failed"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the checks provoke warnings of the classifiers
@pytest.mark.parametrize("routing", [False, True])
def test_check_estimator(routing):
    """All checks pass but those that call predict."""
    with sklearn.config_context(enable_metadata_routing=routing):
        parts = DecisionTreeClassifier(), LogisticRegression()
        if routing:
            parts = [part.set_fit_request(sample_weight=True) for part in parts]
        pair = PairedEstimator(*parts, random_state=0)

        assert set() == failed_checks(pair, expected_failed_checks=EXPECTED_FAILURES)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the checks provoke warnings of the classifiers
def test_check_estimator_with_an_prediction():
    """All checks pass where there is a predict."""
    parts = DecisionTreeClassifier(), LogisticRegression()

    assert set() == failed_checks(Answering(*parts, random_state=0))


def test_columns_are_those_of_each_classifier_alone():
    """In cross_validate a pair gives what each classifier gives alone, and differences."""
    cv, scoring = StratifiedKFold(3), ["accuracy", "roc_auc"]
    both = cross_validate(
        tree_and_bayes(), X, Y, cv=cv, scoring=make_paired_scorer(scoring)
    )
    alone = {
        role: cross_validate(model, X, Y, cv=cv, scoring=scoring)
        for role, model in (("champion", tree()), ("challenger", GaussianNB()))
    }

    for name in scoring:
        first, second, difference = (both[f"test_{name}_{part}"] for part in PARTS)
        assert alone["champion"][f"test_{name}"].tolist() == first.tolist()
        assert alone["challenger"][f"test_{name}"].tolist() == second.tolist()
        assert (second - first).tolist() == difference.tolist()
    assert 2 + 6 == len(both)


def test_fits_are_counted(calls):
    """Ten splits of two classifiers make twenty fits."""
    pair = PairedEstimator(Recorder(), Recorder())
    cross_validate(pair, X, Y, cv=BlockRegularized5x2CV(), scoring=make_paired_scorer())

    assert 20 == sum(call[0] == "fit" for call in calls)


def test_each_classifier_predicts_once(calls):
    """However many metrics there are, each method is asked once a classifier."""
    scoring = ["accuracy", "f1", "neg_log_loss", "binary_brier_loss", "precision[1]"]
    pair = PairedEstimator(Recorder(), Recorder()).fit(X, Y)
    calls.clear()
    with pytest.warns(UndefinedMetricWarning):
        make_paired_scorer(scoring)(pair, X, Y)

    assert [("predict",), ("predict_proba",)] * 2 == calls


def test_whole_numbers_of_folds_are_stratified():
    """cv=5 means what it means for a classifier."""
    assert is_classifier(tree_and_bayes())
    settings = {"scoring": make_paired_scorer(), "return_indices": True}
    whole = cross_validate(tree_and_bayes(), X, Y, cv=4, **settings)
    named = cross_validate(tree_and_bayes(), X, Y, cv=StratifiedKFold(4), **settings)

    for one, other in zip(whole["indices"]["test"], named["indices"]["test"]):
        assert one.tolist() == other.tolist()


def test_seeds_are_shared(calls):
    """Both classifiers get one seed where they have none, and keep what they have."""
    for random_state in (None, 0, np.random.RandomState(0)):
        PairedEstimator(Recorder(), Recorder(), random_state=random_state).fit(X, Y)
        PairedEstimator(Recorder(7), Recorder(), random_state=random_state).fit(X, Y)
    seeds = [call[1] for call in calls]

    assert seeds[0::4] == seeds[1::4]
    assert None not in seeds
    assert [7, 7, 7] == seeds[2::4]
    assert seeds[4] == seeds[7]
    assert len({seeds[0], seeds[4]}) == 2


def test_equal_forests_do_not_differ():
    """Two equal forests prediction alike on every split."""
    pair = PairedEstimator(RandomForestClassifier(5), RandomForestClassifier(5))
    results = cross_validate(pair, X, Y, scoring=make_paired_scorer("neg_log_loss"), cv=3)

    assert [0, 0, 0] == results["test_neg_log_loss_difference"].tolist()


def test_estimators_are_not_touched():
    """What is given is neither fitted nor changed; parameters have nested names."""
    champion, challenger = RandomForestClassifier(3), tree()
    pair = PairedEstimator(champion, challenger).set_params(challenger__max_depth=1)
    pair.fit(X, Y)

    assert champion.random_state is None
    assert not hasattr(champion, "estimators_")
    assert not hasattr(challenger, "tree_")
    assert 1 == challenger.max_depth == pair.challenger_.get_depth()
    assert [0, 1] == pair.classes_.tolist()
    assert 5 == pair.n_features_in_


def test_there_is_no_single_prediction():
    """A pair has no predictions of its own, and says whom to ask."""
    pair = tree_and_bayes().fit(X, Y)
    for method in ["predict", "predict_proba", "decision_function", "score"]:
        assert not hasattr(pair, method)
        with pytest.raises(
            AttributeError, match="`champion_` or `challenger_`, or score both"
        ):
            getattr(pair, method)
        with pytest.raises(AttributeError, match="nonsense"):
            pair.nonsense  # noqa: B018


def test_ordinary_scorers_do_not_mislead():
    """Without a scorer for pairs there is an error, and no score of anybody."""
    with pytest.raises(TypeError, match="score"):
        cross_validate(tree_and_bayes(), X, Y)
    with pytest.raises(AttributeError, match="predict"):
        cross_validate(tree_and_bayes(), X, Y, scoring="accuracy", error_score="raise")
    with pytest.warns(UserWarning, match="Scoring failed"):
        results = cross_validate(tree_and_bayes(), X, Y, scoring="accuracy", cv=2)
    assert np.isnan(results["test_score"]).all()


def test_picture_in_a_notebook():
    """Both classifiers stand side by side, under their roles, fitted or not."""
    for pair in (tree_and_bayes(), tree_and_bayes().fit(X, Y)):
        picture = pair._repr_html_()
        assert picture.index("champion: Decision") < picture.index("challenger: Gaussian")


def test_loss_has_its_own_sign_and_a_gain():
    """Columns of the roles are losses as they are; the difference is a gain."""
    pair = tree_and_bayes().fit(X[:100], Y[:100])
    scores = make_paired_scorer(["binary_brier_loss", "neg_binary_brier_loss"])(
        pair, X[100:], Y[100:]
    )
    losses = [
        binary_brier_loss(Y[100:], model.predict_proba(X[100:]))
        for model in (pair.champion_, pair.challenger_)
    ]

    assert losses == [
        scores["binary_brier_loss_champion"],
        scores["binary_brier_loss_challenger"],
    ]
    assert losses[0] - losses[1] == scores["binary_brier_loss_difference"]
    assert -losses[0] == scores["neg_binary_brier_loss_champion"]
    assert (
        scores["binary_brier_loss_difference"] == scores["neg_binary_brier_loss_difference"]
    )


def test_one_class_and_positive_label():
    """A class in brackets is scored against the rest; `pos_label` serves binary scorers."""
    names = np.where(Y == 1, "bad", "good")
    pair = tree_and_bayes().fit(X, names)
    expected = f1_score(names, pair.champion_.predict(X), pos_label="bad")
    named = make_scorer(f1_score, pos_label="bad")

    assert expected == make_paired_scorer("f1[bad]")(pair, X, names)["f1[bad]_champion"]
    assert (
        expected == make_paired_scorer("f1", pos_label="bad")(pair, X, names)["f1_champion"]
    )
    assert expected == make_paired_scorer({"f": named})(pair, X, names)["f_champion"]


def test_custom_scorer_sees_the_records():
    """A scorer gets X as it is, so that it may weigh records by a column of it."""

    def value(estimator, X, y):
        return float(np.abs(X[:, 0])[estimator.predict(X) == y].sum())

    pair = tree_and_bayes().fit(X, Y)
    scores = make_paired_scorer(value)(pair, X, Y)

    assert value(pair.champion_, X, Y) == pytest.approx(scores["value_champion"])
    assert value(pair.challenger_, X, Y) == pytest.approx(scores["value_challenger"])


def test_undefined_score_is_nan_with_a_warning():
    """Where a test set has one class its AUC is NaN, and other scores stay."""
    positive = np.flatnonzero(Y[100:] == 1) + 100
    cv = [(np.arange(100), positive), (np.arange(100, 200), np.arange(100))]
    scorer = make_paired_scorer(["roc_auc", "accuracy"])
    with pytest.warns(UndefinedMetricWarning, match="'roc_auc' is undefined"):
        results = cross_validate(tree_and_bayes(), X, Y, cv=cv, scoring=scorer)

    for part in PARTS:
        assert [True, False] == np.isnan(results[f"test_roc_auc_{part}"]).tolist()
        assert not np.isnan(results[f"test_accuracy_{part}"]).any()


def test_warning_of_a_scorer_is_told():
    """That a scorer warned is passed on."""

    def cautious(estimator, X, y):
        warnings.warn("careful", RuntimeWarning, stacklevel=2)
        return 1.0

    with pytest.warns(UserWarning, match="scorer of 'cautious' warned"):
        make_paired_scorer(cautious)(tree_and_bayes().fit(X, Y), X, Y)


def test_search_tunes_the_challenger():
    """A search takes the difference as what it maximises, and has all columns."""
    search = GridSearchCV(
        PairedEstimator(tree(1), tree()),
        {"challenger__max_depth": [1, 2]},
        scoring=make_paired_scorer(["accuracy", "f1"]),
        refit="accuracy_difference",
        cv=3,
    ).fit(X, Y)

    assert 0 == search.cv_results_["mean_test_accuracy_difference"][0]
    assert {"challenger__max_depth": 2} == search.best_params_
    assert 2 == search.best_estimator_.challenger_.get_depth()
    assert search.best_score_ > 0


def test_one_number_is_refused_by_scikit_learn():
    """cross_val_score and learning_curve take one number; a function of it will do."""
    scorer = make_paired_scorer()

    def difference(estimator, X, y):
        return scorer(estimator, X, y)["accuracy_difference"]

    with pytest.raises(ValueError, match="scoring must return a number"):
        cross_val_score(tree_and_bayes(), X, Y, scoring=scorer)
    with pytest.raises(AttributeError, match="'list' object"):
        learning_curve(tree_and_bayes(), X, Y, scoring=scorer, train_sizes=[0.5], cv=2)
    _, _, scores = learning_curve(
        tree_and_bayes(), X, Y, scoring=difference, train_sizes=[0.5], cv=2
    )
    assert (1, 2) == scores.shape


def test_pipeline_that_ends_in_a_pair():
    """Both classifiers share the steps before the pair."""
    pipeline = make_pipeline(StandardScaler(), PairedEstimator(SVC(), GaussianNB()))
    scorer = make_paired_scorer()
    results = cross_validate(pipeline, X, Y, cv=3, scoring=scorer)
    alone = cross_val_score(make_pipeline(StandardScaler(), SVC()), X, Y, cv=3)

    assert alone.tolist() == results["test_accuracy_champion"].tolist()


@pytest.mark.parametrize(
    "estimator", [tree(), make_pipeline(StandardScaler(), tree()), "unfitted"]
)
def test_what_is_no_pair_is_refused(estimator):
    """The scorer of a pair scores fitted pairs."""
    given = tree_and_bayes() if estimator == "unfitted" else estimator.fit(X, Y)

    with pytest.raises(TypeError, match="scores a fitted PairedEstimator"):
        make_paired_scorer()(given, X, Y)


def test_bad_scoring():
    """Unknown scores are refused when the scorer is made."""
    for scoring, message in [
        ("acuracy", "Did you mean 'accuracy'"),
        ([], "at least one name"),
        (["f1", "f1"], "each once"),
        (len("a"), "`scoring` must be a name"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            make_paired_scorer(scoring)


def test_scoring_that_does_not_suit_the_classes():
    """A binary score of three classes, and an unknown class, are errors and no NaN."""
    records, labels = load_iris(return_X_y=True)
    pair = tree_and_bayes().fit(records, labels)

    with pytest.raises(ValueError, match="'f1' does not suit the 3 classes"):
        make_paired_scorer("f1")(pair, records, labels)
    with pytest.raises(ValueError, match="about a class that does not occur"):
        make_paired_scorer("precision[7]")(pair, records, labels)
    with pytest.raises(ValueError, match="challenger does not give"):
        make_paired_scorer("neg_log_loss")(
            PairedEstimator(GaussianNB(), RidgeClassifier()).fit(X, Y), X, Y
        )


def test_scorer_survives_pickling():
    """A restored scorer gives the same scores, and says what it is."""
    scorer = make_paired_scorer(["accuracy", "neg_log_loss"], pos_label=1)
    pair = tree_and_bayes().fit(X, Y)

    assert scorer(pair, X, Y) == pickle.loads(pickle.dumps(scorer))(pair, X, Y)
    assert "make_paired_scorer(['accuracy', 'neg_log_loss'], pos_label=1)" == repr(scorer)


@pytest.mark.slow
def test_worker_processes():
    """Pair and scorer work in other processes."""
    settings = {"cv": 3, "scoring": make_paired_scorer(["accuracy", "neg_log_loss"])}
    expected = cross_validate(tree_and_bayes(), X, Y, **settings)
    with parallel_config(backend="loky"):
        actual = cross_validate(tree_and_bayes(), X, Y, n_jobs=2, **settings)

    assert set(expected) == set(actual)
    for name in expected.keys() - {"fit_time", "score_time"}:
        assert expected[name].tolist() == actual[name].tolist()


def test_weights_go_to_the_fits_only(calls):
    """Without routing weights go to both fits; scores count every record once."""
    weights = np.arange(200.0)
    pair = PairedEstimator(Recorder(), Recorder())
    results = cross_validate(
        pair, X, Y, cv=KFold(2), params={"sample_weight": weights},
        scoring=make_paired_scorer(),
    )  # fmt: skip

    fits = [call for call in calls if call[0] == "fit"]
    assert [100.0] * 2 + [0.0] * 2 == [call[2][0] for call in fits]
    assert (Y[:100] == 0).mean() == results["test_accuracy_champion"][0]
    with pytest.raises(ValueError, match="counts every record once"):
        make_paired_scorer()(pair.fit(X, Y), X, Y, sample_weight=weights)
    with pytest.raises(ValueError, match="colour can be passed with metadata routing"):
        pair.fit(X, Y, colour=weights)


def test_weights_are_routed(calls):
    """With routing weights go to the classifier that asks for them."""
    weights = np.arange(200.0)
    with sklearn.config_context(enable_metadata_routing=True):
        pair = PairedEstimator(
            Recorder().set_fit_request(sample_weight=True),
            Recorder().set_fit_request(sample_weight=False),
        )
        cross_validate(
            pair, X, Y, cv=KFold(2), params={"sample_weight": weights},
            scoring=make_paired_scorer(),
        )  # fmt: skip

    fits = [call[2] for call in calls if call[0] == "fit"]
    assert [False, True, False, True] == [weight is None for weight in fits]


def test_tags_are_those_of_both():
    """Sparse records and missing values are taken where both take them."""
    lenient, strict = tree(), GaussianNB()
    takes_sparse = get_tags(SVC()).input_tags.sparse  # not told by older scikit-learn

    assert takes_sparse == get_tags(PairedEstimator(SVC(), SVC())).input_tags.sparse
    assert get_tags(PairedEstimator(lenient, tree())).input_tags.allow_nan
    assert not get_tags(PairedEstimator(SVC(), strict)).input_tags.sparse
    assert not get_tags(PairedEstimator(lenient, strict)).input_tags.allow_nan
    kernel = SVC(kernel="precomputed")
    assert get_tags(PairedEstimator(SVC(), kernel)).input_tags.pairwise
    assert get_tags(PairedEstimator(lenient, strict)).target_tags.required


def test_containers():
    """Every container of X gives the scores of the array."""
    pair = PairedEstimator(tree(1), tree(3))
    settings = {"cv": 2, "scoring": make_paired_scorer(["accuracy", "neg_log_loss"])}
    expected = cross_validate(pair, X.astype(np.float32), Y, **settings)
    names = list("abcde")
    containers = {
        "csr": lambda: sparse.csr_matrix(X),
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(X, columns=names),
        "polars": lambda: pytest.importorskip("polars").DataFrame(X, schema=names),
    }
    for _, records in made(containers):
        actual = cross_validate(pair, records, Y, **settings)

        for name in expected.keys() - {"fit_time", "score_time"}:
            np.testing.assert_allclose(actual[name], expected[name])


def test_categorical_frame_and_string_classes():
    """Classifiers of the pair may encode columns of strings themselves."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(["red", "blue"], 120)}, dtype="category")
    labels = np.where(frame["colour"] == "red", "a", "b").astype(object)
    champion = make_pipeline(OneHotEncoder(), LogisticRegression())
    pair = PairedEstimator(champion, clone(champion))
    results = cross_validate(pair, frame, labels, scoring=make_paired_scorer(), cv=3)

    assert [1, 1, 1] == results["test_accuracy_challenger"].tolist()
    assert ["a", "b"] == pair.fit(frame, labels).classes_.tolist()
    assert ["colour"] == pair.feature_names_in_.tolist()


def test_what_is_no_classifier_is_refused():
    """Regressors, classes, other objects and pairs are refused by name."""
    for pair, error, message in [
        ((LinearRegression(), tree()), ValueError, "regressor LinearRegression"),
        ((GaussianNB, tree()), TypeError, "Add parentheses"),
        ((object(), tree()), TypeError, "without fit, get_params, predict"),
        ((tree_and_bayes(), tree()), TypeError, "PairedEstimator, without predict"),
    ]:
        with pytest.raises(error, match=message):
            PairedEstimator(*pair).fit(X, Y)


def test_frozen_classifiers():
    """One frozen classifier has to be allowed, and two leave nothing to fit."""
    frozen = FrozenEstimator(tree().fit(X, Y))

    with pytest.raises(ValueError, match="pass allow_mixed=True"):
        PairedEstimator(frozen, tree()).fit(X, Y)
    mixed = PairedEstimator(frozen, tree(), allow_mixed=True).fit(X, Y)
    assert mixed.champion_.predict(X).tolist() == frozen.predict(X).tolist()
    with pytest.raises(ValueError, match="Got frozen ones only"):
        PairedEstimator(frozen, frozen).fit(X, Y)
    with pytest.raises(TypeError, match="'allow_mixed' parameter of PairedEstimator must"):
        tree_and_bayes(allow_mixed="yes").fit(X, Y)


class Failing(ClassifierMixin, BaseEstimator):
    """Fails to fit where the first record is positive."""

    def fit(self, X, y):
        if y[0] == 1:
            raise ZeroDivisionError("no luck")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_failed_fits():
    """A failing fit says whose it was; in cross_validate all its scores are NaN."""
    pair = PairedEstimator(tree(), Failing())
    first = int(np.argmax(Y))
    with pytest.raises(EstimatorFailedError, match=r"challenger \(Failing\) failed to fit"):
        pair.fit(X[first:], Y[first:])
    test = np.arange(150, 200)
    cv = [(np.arange(start, 150), test) for start in (first, int(np.argmin(Y)))]
    with pytest.warns(FitFailedWarning):
        results = cross_validate(pair, X, Y, cv=cv, scoring=make_paired_scorer())

    for part in PARTS:
        assert [True, False] == np.isnan(results[f"test_accuracy_{part}"]).tolist()


def test_records_must_not_change_between_the_fits():
    """A champion that changes the records would make the challenger learn from others."""
    champion = make_pipeline(StandardScaler(copy=False), tree())

    with pytest.raises(ValueError, match=r"champion .* changed the records while fitting"):
        PairedEstimator(champion, tree()).fit(X.copy() + 1, Y)
