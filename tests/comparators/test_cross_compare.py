"""cross_compare: cross_validate for several classifiers on shared splits."""

import pickle
from functools import partial

import joblib
import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning, UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score, get_scorer, make_scorer
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skcompare import (
    BlockRegularized5x2CV,
    PairedComparator,
    compare_cv_results,
    cross_compare,
)
from skcompare.evidence import ScoreDifferences
from skcompare.exceptions import EstimatorFailedError
from skcompare.metrics import get_scorer as get_own_scorer
from tests.common.optional import made

X, Y = make_classification(n_samples=120, n_features=5, flip_y=0.1, random_state=0)
TIMES = ("fit_time", "score_time")


def tree(depth=2, random_state=0):
    return DecisionTreeClassifier(max_depth=depth, random_state=random_state)


def models():
    return {"tree": tree(), "bayes": GaussianNB()}


class Recorder(ClassifierMixin, BaseEstimator):
    """Notes seed, first record and weights of each fit in a list that clones share."""

    fits: list = []

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.fits.append((self.random_state, X[0, 0], sample_weight))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.fixture
def fits():
    Recorder.fits.clear()
    return Recorder.fits


class Picky(GaussianNB):
    """Fails to fit on an odd number of positive records."""

    def fit(self, X, y):
        if y.sum() % 2:
            raise ZeroDivisionError("no luck")
        return super().fit(X, y)


class Failing(GaussianNB):
    """Fails to fit."""

    def fit(self, X, y):
        raise ZeroDivisionError("no luck")


def assert_same_output(expected, actual):
    """Keys in their order, and all arrays but the times, are the same."""
    assert list(expected) == list(actual)
    for key in expected.keys() - {*TIMES, "estimator", "indices"}:
        np.testing.assert_array_equal(actual[key], expected[key], err_msg=key)
        assert expected[key].dtype == actual[key].dtype
    for key in TIMES:
        assert expected[key].shape == actual[key].shape
        assert (actual[key] >= 0).all()
    for part in ("train", "test") if "indices" in expected else ():
        for one, other in zip(expected["indices"][part], actual["indices"][part]):
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    "several",
    [
        pytest.param(
            [
                (None, True),
                (["accuracy", "neg_log_loss", "f1"], False),
                (lambda estimator, X, y: {"a": estimator.score(X, y), "b": len(y)}, True),
            ],
            id="few",
        ),
        pytest.param(
            [
                ("roc_auc", True),
                ({"own": make_scorer(f1_score, average="macro"), "auc": "roc_auc"}, True),
                (lambda estimator, X, y: estimator.score(X, y) / 2, False),
            ],
            id="others",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_of_one_is_what_cross_validate_gives(several):
    """`of(name)` has the keys and arrays of cross_validate on the same splits."""
    kept = ("train_score", "estimator", "indices")
    for scoring, everything in several:
        cv = StratifiedKFold(2, shuffle=True, random_state=0)
        settings = {"scoring": scoring, "cv": cv}
        settings |= {f"return_{what}": everything for what in kept}
        results = cross_compare(models(), X, Y, **settings)
        alone = {
            name: cross_validate(model, X, Y, **settings)
            for name, model in models().items()
        }

        assert ("tree", "bayes") == results.names
        for name, expected in alone.items():
            assert_same_output(expected, results.of(name))
        if everything:
            shared = results.of("tree")["indices"]
            assert shared is results["indices"] is results.of("bayes")["indices"]
            fitted, expected = results["estimator_bayes"][0], alone["bayes"]["estimator"][0]
            assert expected.theta_.tolist() == fitted.theta_.tolist()


def test_flat_keys():
    """The name of the classifier stands behind each key, indices are shared."""
    results = cross_compare(models(), X, Y, cv=3, scoring=["f1"], return_indices=True)

    assert [
        "fit_time_tree",
        "fit_time_bayes",
        "score_time_tree",
        "score_time_bayes",
        "indices",
        "test_f1_tree",
        "test_f1_bayes",
    ] == list(results)
    assert isinstance(results, dict)
    with pytest.raises(ValueError, match="Unknown classifier 'forest'"):
        results.of("forest")


def test_fits_are_counted(fits):
    """Three classifiers under the default splits make exactly thirty fits."""
    estimators = [(name, Recorder()) for name in "abc"]
    results = cross_compare(estimators, X, Y, random_state=0)

    assert 30 == len(fits)
    assert (10,) == results["test_score_c"].shape
    assert isinstance(results.cv, BlockRegularized5x2CV)


def test_splits_and_seeds_are_shared(fits):
    """The classifiers of a split have one training set and one seed."""
    cross_compare({"a": Recorder(), "b": Recorder(), "c": Recorder(7)}, X, Y)
    of_a, of_b, of_c = (fits[k::3] for k in range(3))

    assert of_a == of_b
    assert 10 == len({seed for seed, _, _ in of_a})
    assert {7} == {seed for seed, _, _ in of_c}
    assert [record for _, record, _ in of_a] == [record for _, record, _ in of_c]


def test_same_prediction_however_it_runs():
    """Forests without a seed give the same for every number of workers."""
    forests = {"one": RandomForestClassifier(3), "other": RandomForestClassifier(3)}
    expected = cross_compare(forests, X, Y, cv=3, random_state=0)
    for n_jobs in (1, 2):
        with joblib.parallel_config(backend="threading"):
            results = cross_compare(forests, X, Y, cv=3, random_state=0, n_jobs=n_jobs)

        assert expected["test_score_one"].tolist() == results["test_score_one"].tolist()
        assert results["test_score_other"].tolist() == results["test_score_one"].tolist()


@pytest.mark.slow
def test_worker_processes():
    """Frames and scorers reach worker processes."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcde"))
    scoring = ["accuracy", "neg_binary_brier_loss", "precision[1]"]
    settings = {"scoring": scoring, "cv": 3, "return_train_score": True}
    expected = cross_compare(models(), frame, Y, **settings)
    actual = cross_compare(models(), frame, Y, n_jobs=2, **settings)

    for name in expected.names:
        assert_same_output(expected.of(name), actual.of(name))


def test_same_as_the_comparator():
    """Predictions, scores and verdict are those of a PairedComparator with the same
    seed.
    """
    forest, bayes = RandomForestClassifier(1), GaussianNB()
    results = cross_compare(
        {"champion": forest, "challenger": bayes},
        X,
        Y,
        random_state=3,
        scoring="accuracy",
        return_estimator=True,
        return_indices=True,
        return_predictions=True,
    )
    comparator = PairedComparator(forest, bayes, random_state=3).fit(X, Y)
    comparison = compare_cv_results(
        results.of("champion"), results.of("challenger"), X, Y, cv=results.cv
    )
    scores = ScoreDifferences.from_cv_results(
        results.of("champion"), results.of("challenger"), X, Y, cv=results.cv
    )

    expected, actual = comparator.predictions_, results.predictions
    assert expected.fingerprint == actual.fingerprint
    assert expected.design == actual.design == scores.design
    for name in expected.names:
        assert expected[name].labels.tolist() == actual[name].labels.tolist()
        assert actual[name].proba.shape == (600, 2)
    row = comparator.results_["accuracy"]
    assert row.pvalue == comparison.results["accuracy"].pvalue
    assert row.difference == pytest.approx(scores.mean)


def test_predictions_are_kept_on_request():
    """Labels, and scores where there are any; otherwise it is said how to get them."""
    estimators = {"ridge": RidgeClassifier(), "labels": Recorder(0), "tree": tree()}
    weights = np.ones(120)
    results = cross_compare({"a": tree().fit(X, Y), "b": tree()}, X, Y, cv=3)
    predictions = cross_compare(estimators, X, Y, cv=3, return_predictions=True).predictions

    assert predictions["ridge"].proba is None
    assert (120,) == predictions["ridge"].decision.shape
    assert predictions["labels"].decision is None
    assert (120, 2) == predictions["tree"].proba.shape
    assert "3-fold cross-validation" == str(predictions.design)
    with pytest.raises(AttributeError, match="return_predictions=True"):
        results.predictions  # noqa: B018
    flagged = cross_compare(
        {"a": tree().fit(X, Y), "b": tree()},
        X,
        Y,
        cv=3,
        params={"sample_weight": weights},
        return_predictions=True,
    ).predictions
    assert ("refitted", "weighted-fit") == flagged.flags


def test_metrics_of_this_package():
    """Our scorers and a class in brackets are known by name; greater is better."""
    names = ["neg_binary_brier_loss", "neg_expected_calibration_error", "recall[1]"]
    results = cross_compare(models(), X, Y, cv=3, scoring=names, return_estimator=True)
    train_test = list(StratifiedKFold(3).split(X, Y))
    for k, (_, test) in enumerate(train_test):
        fitted = results["estimator_tree"][k]
        for name in names[:2]:
            expected = get_own_scorer(name)(fitted, X[test], Y[test])
            assert expected == results[f"test_{name}_tree"][k]
        expected = get_scorer("recall")(fitted, X[test], Y[test])
        assert expected == results["test_recall[1]_tree"][k]


def test_string_classes():
    """A class in brackets serves where binary scorers do not know the positive class."""
    words = np.where(Y == 1, "bad", "good").astype(object)
    plain = cross_compare(models(), X, Y, cv=3, scoring="f1")
    named = cross_compare(models(), X, words, cv=3, scoring="f1[bad]")

    np.testing.assert_allclose(named["test_score_tree"], plain["test_score_tree"])
    with pytest.raises(
        ValueError, match=r"'f1' does not suit .*in brackets, such as 'prec"
    ):
        cross_compare(models(), X, words, cv=3, scoring="f1")


def test_to_frame():
    """A row for each classifier and split; scores that one has not are NaN."""
    pytest.importorskip("pandas")

    def some(estimator, X, y):
        scores = {"accuracy": estimator.score(X, y)}
        return scores | {"more": 1.0} if isinstance(estimator, GaussianNB) else scores

    results = cross_compare(models(), X, Y, cv=3, return_train_score=True)
    frame = results.to_frame()
    uneven = cross_compare(models(), X, Y, cv=3, scoring=some).to_frame()

    assert ["tree"] * 3 + ["bayes"] * 3 == frame["estimator"].tolist()
    assert [0, 1, 2, 0, 1, 2] == frame["split"].tolist()
    columns = ["estimator", "split", *TIMES, "test_score", "train_score"]
    assert columns == list(frame.columns)
    expected = [*results["test_score_tree"], *results["test_score_bayes"]]
    assert expected == frame["test_score"].tolist()
    assert [True] * 3 + [False] * 3 == uneven["test_more"].isna().tolist()


@pytest.mark.newest
@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_other_frames(backend):
    """The table comes as a frame of other libraries too."""
    frame = cross_compare(models(), X, Y, cv=2).to_frame(backend=backend)

    assert (4, 5) == frame.shape


def test_pickling():
    """Arrays, splitter and predictions survive."""
    results = cross_compare(models(), X, Y, return_predictions=True, random_state=0)
    restored = pickle.loads(pickle.dumps(results))

    assert list(results) == list(restored)
    assert_same_output(results.of("tree"), restored.of("tree"))
    assert repr(results.cv) == repr(restored.cv)
    assert results.predictions.fingerprint == restored.predictions.fingerprint


@pytest.mark.parametrize("scoring", [None, "accuracy", ["accuracy", "f1"]])
def test_failed_fits(scoring):
    """A fit that failed has the error score, as in cross_validate, and a warning."""
    settings = {"cv": KFold(6), "scoring": scoring, "return_train_score": True}
    settings |= {"error_score": -1, "return_estimator": True}
    with pytest.warns(FitFailedWarning):
        expected = cross_validate(Picky(), X, Y, **settings)
    with pytest.warns(FitFailedWarning, match=r"of 12 fits failed.* -1.*\n.*\npicky, "):
        results = cross_compare({"picky": Picky(), "tree": tree()}, X, Y, **settings)

    assert_same_output(expected, results.of("picky"))
    assert -1 in expected[f"test_{'score' if scoring != ['accuracy', 'f1'] else 'f1'}"]
    assert [hasattr(one, "theta_") for one in expected["estimator"]] == [
        hasattr(one, "theta_") for one in results["estimator_picky"]
    ]


def of_several(estimator, X, y):
    """Two scores, which only the result names."""
    return {"accuracy": estimator.score(X, y), "f1": 0.5}


@pytest.mark.parametrize("scoring", [None, ["accuracy", "f1"], of_several])
def test_one_that_always_fails_leaves_the_others(scoring):
    """Scores of the others are kept; only where nothing was fitted there is an error."""
    named = {"failing": Failing(), "tree": tree()}
    with pytest.warns(FitFailedWarning, match="2 of 4 fits failed"):
        results = cross_compare(named, X, Y, cv=2, scoring=scoring)
    key = "test_f1" if scoring else "test_score"

    assert np.isnan(results[f"{key}_failing"]).all()
    assert (results[f"{key}_tree"] > 0).all()
    with pytest.raises(ValueError, match=r"All 2 fits failed.*(.|\n)*no luck"):
        cross_compare({"failing": Failing()}, X, Y, cv=2, scoring=scoring)


def test_failures_as_errors():
    """With error_score="raise", or where predictions are kept, a failed fit is an error."""
    named = {"tree": tree(), "picky": Picky()}
    message = r"picky \(Picky\) failed to fit on split \d.*ZeroDivisionError: no luck"

    with pytest.raises(EstimatorFailedError, match=message):
        cross_compare(named, X, Y, cv=KFold(6), error_score="raise")
    with pytest.raises(EstimatorFailedError, match=message):
        cross_compare(named, X, Y, cv=KFold(6), return_predictions=True)


def test_failed_scoring():
    """A scorer that fails has the error score, as in cross_validate, and a warning."""

    def failing(estimator, X, y):
        raise KeyError("no score")

    settings = {"cv": 2, "scoring": {"bad": failing, "good": "accuracy"}}
    with pytest.warns(UserWarning, match="Scoring failed"):
        expected = cross_validate(tree(), X, Y, **settings)
    with pytest.warns(UserWarning, match=r"Scoring failed 2 times.*nan"):
        results = cross_compare({"tree": tree()}, X, Y, **settings)
    with pytest.warns(UserWarning, match=r"Scoring failed 2 times.*0"):
        single = cross_compare({"tree": tree()}, X, Y, cv=2, scoring=failing, error_score=0)
    with pytest.raises(EstimatorFailedError, match="failed to be scored on split 0"):
        cross_compare({"tree": tree()}, X, Y, error_score="raise", **settings)

    assert_same_output(expected, results.of("tree"))
    assert [0, 0] == single["test_score_tree"].tolist()


def test_predictions_that_a_classifier_does_not_have():
    """Two scorers of probabilities share predictions, and fail together, as NaN."""
    names = ["neg_log_loss", "neg_brier_score"]
    with pytest.warns(UserWarning, match="Scoring failed"):
        results = cross_compare({"svm": SVC(), "tree": tree()}, X, Y, cv=2, scoring=names)

    assert np.isnan(results["test_neg_log_loss_svm"]).all()
    assert np.isnan(results["test_neg_brier_score_svm"]).all()
    assert not np.isnan(results["test_neg_log_loss_tree"]).any()


def test_score_must_be_a_number():
    """Text or arrays are no score, whatever error_score."""
    with pytest.raises(ValueError, match="Scoring must give a number"):
        cross_compare(models(), X, Y, scoring=lambda e, X, y: [1, 2])


def test_groups_and_weights(fits):
    """With routing off groups go to the splitter, and params to every fit."""
    groups, weights = np.arange(120) // 10, np.arange(120.0)
    estimators = {"a": Recorder(), "b": Recorder()}
    results = cross_compare(
        estimators,
        X,
        Y,
        groups=groups,
        cv=GroupKFold(3),
        params={"sample_weight": weights},
        return_indices=True,
        return_predictions=True,
    )

    for k, train in enumerate(results["indices"]["train"]):
        for _, _, given in fits[2 * k : 2 * k + 2]:
            assert weights[train].tolist() == given.tolist()
    assert results.predictions.design.grouped
    assert 12 == len(set(results.predictions.groups.tolist()))


def test_routing(fits):
    """With routing on metadata go where they are requested, as in cross_validate."""
    groups, weights = np.arange(120) // 10, np.linspace(0, 1, 120)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = Recorder().set_fit_request(sample_weight=True)
        not_asking = Recorder().set_fit_request(sample_weight=False)
        weighted = get_scorer("accuracy").set_score_request(sample_weight=True)
        plain = get_scorer("f1_macro").set_score_request(sample_weight=False)
        settings = {
            "cv": GroupKFold(3),
            "scoring": {"weighted": weighted, "plain": plain},
            "params": {"sample_weight": weights, "groups": groups},
        }
        results = cross_compare({"a": asking, "b": not_asking}, X, Y, **settings)
        for name, model in (("a", asking), ("b", not_asking)):
            assert_same_output(cross_validate(model, X, Y, **settings), results.of(name))
        by_itself = cross_compare(
            {"a": asking}, X, Y, groups=groups, cv=GroupKFold(3), scoring="accuracy"
        )
        with pytest.raises(UnsetMetadataPassedError):
            cross_compare({"a": Recorder()}, X, Y, **settings)

    assert [False, True] * 3 == [given is None for _, _, given in fits[:6]]
    assert (3,) == by_itself["test_score_a"].shape


@pytest.mark.newest  # scikit-learn 1.6 ignores it
def test_scorer_that_does_not_say_what_it_takes():
    """It is an error in the call, as in cross_validate, and no failed score."""
    with sklearn.config_context(enable_metadata_routing=True):
        asking = GaussianNB().set_fit_request(sample_weight=True)
        weighted = get_scorer("accuracy").set_score_request(sample_weight=True)
        settings = {
            "cv": 2,
            "scoring": {"weighted": weighted, "plain": "f1_macro"},
            "params": {"sample_weight": np.ones(120)},
        }
        with pytest.raises(UnsetMetadataPassedError):
            cross_validate(asking, X, Y, **settings)
        with pytest.raises(UnsetMetadataPassedError):
            cross_compare({"a": asking}, X, Y, **settings)


def as_pandas(X):
    return pytest.importorskip("pandas").DataFrame(X, columns=list("abcde"))


def as_polars(X):
    return pytest.importorskip("polars").DataFrame(X, schema=list("abcde"))


def test_containers():
    """Every container of X gives the scores of the array."""
    exact = X.astype(np.float32).astype(np.float64)
    estimators = {"tree": tree(3), "dummy": DummyClassifier()}
    scoring = ["accuracy", "recall[0]"]
    settings = {"cv": 2, "scoring": scoring, "return_predictions": True}
    expected = cross_compare(estimators, exact, Y, **settings)
    containers = {
        make.__name__: partial(make, exact)
        for make in (as_pandas, as_polars, sparse.csr_matrix, np.ndarray.tolist)
    }
    for _, records in made(containers):
        actual = cross_compare(estimators, records, Y.tolist(), **settings)

        assert_same_output(expected.of("tree"), actual.of("tree"))


def test_categorical_frame():
    """Pipelines encode categories of a frame; labels are a column."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(["red", "blue"], 60)}, dtype="category")
    labels = frame["colour"].astype(object).rename("label")
    encoding = make_pipeline(OneHotEncoder(), LogisticRegression())
    results = cross_compare({"a": encoding, "b": DummyClassifier()}, frame, labels, cv=3)

    assert [1, 1, 1] == results["test_score_a"].tolist()


def test_bad_estimators():
    """Names must tell classifiers apart, and classifiers be some."""
    for estimators, error, message in [
        ({}, ValueError, "at least one classifier"),
        ([("a", tree()), ("a", tree())], ValueError, "each under another name"),
        ([tree(), tree()], TypeError, "dict of names to classifiers"),
        (tree(), TypeError, "dict of names to classifiers"),
        ({"": tree()}, ValueError, "non-empty"),
        ({1: tree()}, ValueError, "non-empty strings"),
        ({"a": LinearRegression(), "b": tree()}, ValueError, "Got the regressor LinearReg"),
        ({"a": GaussianNB}, TypeError, "Add parentheses"),
        ({"a": FrozenEstimator(tree().fit(X, Y))}, ValueError, "Got frozen ones only"),
    ]:
        with pytest.raises(error, match=message):
            cross_compare(estimators, X, Y)


def test_bad_settings(fits):
    """A bad setting is refused before anything is fitted."""
    for settings, message in [
        ({"scoring": "acuracy"}, "Did you mean 'accuracy'"),
        ({"scoring": "binary_brier_loss"}, "Pass 'neg_binary_brier_loss'"),
        ({"scoring": ["f1", "f1"]}, "each once"),
        ({"scoring": []}, "at least one name"),
        ({"scoring": [len]}, "must hold names"),
        ({"scoring": 3}, "must be a name, a scorer"),
        ({"scoring": "precision[7]"}, "class that does not occur"),
        ({"cv": "prefit"}, "'cv' parameter of cross_compare must be"),
        ({"cv": 1}, "an int in the range .2, inf"),
        ({"error_score": "nan"}, "'error_score' parameter of cross_compare must"),
        ({"return_indices": "yes"}, "'return_indices' parameter of cross_compare must"),
        ({"groups": np.arange(120), "params": {"groups": 1}}, "passed twice"),
        ({"cv": [(np.arange(120), np.arange(5))]}, "tests 5 records that it trains on"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            cross_compare({"a": Recorder()}, X, Y, **settings)
        assert [] == fits


def test_three_classes():
    """A binary score of three classes is refused before anything is fitted."""
    records, labels = load_iris(return_X_y=True)

    with pytest.raises(ValueError, match=r"'f1' does not suit the 3 classes 0, 1, 2"):
        cross_compare(models(), records, labels, scoring=["accuracy", "f1"])


def test_names_that_make_one_key(fits):
    """Two arrays must not have one key."""
    scorer = make_scorer(f1_score)
    with pytest.raises(ValueError, match=r"same key 'test_f1_b_c'"):
        cross_compare(
            {"c": Recorder(), "b_c": Recorder()},
            X,
            Y,
            scoring={"f1_b": scorer, "f1": scorer},
        )
    assert [] == fits


def test_own_score_is_needed_without_scoring():
    """A classifier without a score method needs `scoring`."""

    class Scoreless(BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    with pytest.raises(TypeError, match=r"Scoreless.* has none. Pass `scoring`"):
        cross_compare({"a": Scoreless()}, X, Y)


def test_estimators_are_not_touched():
    """The given estimators are neither fitted nor changed."""
    forest = RandomForestClassifier(3)
    before = clone(forest).get_params()
    cross_compare({"forest": forest}, X, Y, cv=2, random_state=0)

    assert before == forest.get_params()
    assert not hasattr(forest, "estimators_")
