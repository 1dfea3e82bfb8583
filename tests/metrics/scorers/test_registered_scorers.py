"""Scorers of our metrics by name, in scikit-learn and by our own get_scorer."""

import copy
import importlib.util
import inspect
import itertools
import pickle
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import UndefinedMetricWarning, UnsetMetadataPassedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegressionCV, Ridge, RidgeClassifierCV
from sklearn.metrics import brier_score_loss, check_scoring, f1_score, make_scorer
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_scorer_names
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skcompare import PairedComparator
from skcompare._analysis.measures._measures import DirectScorer
from skcompare._core import sklearn_private
from skcompare._registry.metrics import MetricEntry
from skcompare.metrics import (
    expected_calibration_error,
    get_scorer,
    get_scorer_names,
    metric,
    metrics,
    multiclass_brier_loss,
    negative_predictive_value,
    register_scorers,
    resolve_scoring,
    sensitivity,
)

X, Y = make_classification(80, n_features=2, n_redundant=0, flip_y=0.2, random_state=0)
ENTRIES = [entry for entry in metrics().values() if entry.target == "classes"]
NAMES = [entry.scorer_name for entry in ENTRIES]
TWO_CLASSES = {
    "sensitivity",
    "specificity",
    "negative_predictive_value",
    "sensitivity_at_specificity",
    "specificity_at_sensitivity",
    "neg_binary_brier_loss",
}
ECE = "neg_expected_calibration_error"
GRID = {"var_smoothing": [1e-9, 0.5]}
SCORER_MODULE = sys.modules[type(make_scorer(brier_score_loss)).__module__]


def sklearn_name(name):
    """The name that scikit-learn knows."""
    return "skcompare_accuracy" if name == "accuracy" else name


def plainly(entry):
    """A scorer written by hand, to compare with."""

    def score(estimator, X, y):
        if entry.response_method == "predict":
            value = entry.function(y, estimator.predict(X))
        else:
            proba = estimator.predict_proba(X)
            value = entry.function(y, proba, labels=estimator.classes_)
        return value if entry.greater_is_better else -value

    return score


def run_cross_validate(scoring):
    return cross_validate(GaussianNB(), X, Y, scoring=scoring, cv=2)["test_score"]


def run_list_and_dict(scoring):
    listed = [scoring, "f1"] if isinstance(scoring, str) else {"scored": scoring}
    named = {"again": scoring, "f1": "f1"}
    first, second = (
        cross_validate(GaussianNB(), X, Y, scoring=several, cv=2)
        for several in (listed, named)
    )
    key = scoring if isinstance(scoring, str) else "scored"
    return [*first[f"test_{key}"], *second["test_again"]]


def run_cross_val_score(scoring):
    return cross_val_score(GaussianNB(), X, Y, scoring=scoring, cv=2)


def run_grid_search(scoring):
    search = GridSearchCV(GaussianNB(), GRID, scoring=scoring, cv=2).fit(X, Y)
    return [*search.cv_results_["mean_test_score"], search.score(X, Y)]


def run_halving(scoring):
    search = HalvingGridSearchCV(
        GaussianNB(), GRID, scoring=scoring, cv=2, min_resources=40, random_state=0
    )
    return search.fit(X, Y).cv_results_["mean_test_score"]


def run_learning_curve(scoring):
    return learning_curve(
        GaussianNB(), X, Y, scoring=scoring, cv=2, train_sizes=[0.5, 1.0]
    )[2].ravel()


def run_permutation_importance(scoring):
    fitted = GaussianNB().fit(X, Y)
    found = permutation_importance(
        fitted, X, Y, scoring=scoring, n_repeats=1, random_state=0
    )
    return found.importances_mean


def run_logistic_regression(scoring):
    new = {"l1_ratios": (0.0,), "use_legacy_attributes": False}
    known = inspect.signature(LogisticRegressionCV).parameters
    new = new if "use_legacy_attributes" in known else {}
    model = LogisticRegressionCV(Cs=[0.01, 1.0], scoring=scoring, cv=2, tol=0.1, **new)
    model.fit(X, Y)
    scores = model.scores_ if new else model.scores_[1]
    return [*np.ravel(scores), model.score(X, Y)]


def run_sequential_selector(scoring):
    selector = SequentialFeatureSelector(
        GaussianNB(), n_features_to_select=1, scoring=scoring, cv=2
    )
    return selector.fit(X, Y).get_support()


def run_tuned_threshold(scoring):
    tuned = TunedThresholdClassifierCV(
        GaussianNB(), scoring=scoring, thresholds=8, cv=2, store_cv_results=True
    ).fit(X, Y)
    return [*tuned.cv_results_["scores"], tuned.best_threshold_]


FITTED = GaussianNB().fit(X, Y)


def run_check_scoring(scoring):
    return [check_scoring(FITTED, scoring=scoring)(FITTED, X, Y)]


ENTRY_POINTS = [
    run_cross_validate,
    run_list_and_dict,
    run_cross_val_score,
    run_grid_search,
    run_halving,
    run_learning_curve,
    run_permutation_importance,
    run_logistic_regression,
    run_sequential_selector,
    run_check_scoring,
]


def assert_takes_name_and_object(run, entry):
    """Hold that an entry point has the numbers of a metric by hand for its scorer."""
    by_hand = run(plainly(entry))

    assert by_hand == pytest.approx(run(sklearn_name(entry.scorer_name)))
    assert by_hand == pytest.approx(run(get_scorer(entry.scorer_name)))
    assert np.isfinite(by_hand).all()


def test_entry_point_takes_name_and_object():
    """By name and as an object a scorer gives what the metric gives by hand."""
    for run in ENTRY_POINTS:
        assert_takes_name_and_object(run, metrics()["expected_calibration_error"])


def test_every_metric_scores_by_name_and_object():
    """So it is for each metric, and for one whose name scikit-learn has itself."""
    for entry in ENTRIES:
        assert_takes_name_and_object(run_check_scoring, entry)
    for run in (run_cross_val_score, run_list_and_dict, run_grid_search):
        assert_takes_name_and_object(run, metrics()["accuracy"])


def test_metrics_of_numbers_score_regressors():
    """A metric of numbers scores a regressor by name and as an object."""
    regressor, y = Ridge(), X @ [1.0, 2.0] + Y + 20
    fitted = regressor.fit(X, y)
    entries = [entry for entry in metrics().values() if entry.target == "numbers"]
    assert {"pearson_correlation", "d2_gamma_score"} <= {entry.name for entry in entries}
    for entry in entries:
        expected = entry.function(y, fitted.predict(X))
        for scorer in (get_scorer(entry.scorer_name), get_sklearn_scorer(entry.name)):
            assert expected == scorer(fitted, X, y)
        by_name = cross_val_score(regressor, X, y, scoring=entry.scorer_name)
        as_object = cross_val_score(regressor, X, y, scoring=scorer)
        np.testing.assert_allclose(by_name, as_object)


@pytest.mark.slow
def test_entry_point_takes_every_metric():
    """So it is for each metric in each entry point."""
    for run, entry in itertools.product(ENTRY_POINTS, ENTRIES):
        assert_takes_name_and_object(run, entry)


def zero_if_undefined(function):
    """A metric by hand that has a value at every threshold."""

    def score(y_true, y_pred):
        undefined = function is negative_predictive_value and (y_pred == 1).all()
        return 0.0 if undefined else function(y_true, y_pred)

    return score


# The lowest threshold calls no record negative.
@pytest.mark.filterwarnings(
    "ignore:A rate among the negative:sklearn.exceptions.UndefinedMetricWarning"
)
@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(ENTRIES[::3], id="few"),
        pytest.param([*ENTRIES[1::3], *ENTRIES[2::3]], id="others", marks=pytest.mark.slow),
    ],
)
def test_threshold_is_tuned_by_metrics_of_labels_only(entries):
    """A metric of labels tunes a threshold, one of probabilities says that it cannot."""
    for entry in entries:
        if entry.response_method == "predict":
            by_hand = run_tuned_threshold(make_scorer(zero_if_undefined(entry.function)))
            assert by_hand == pytest.approx(
                run_tuned_threshold(sklearn_name(entry.scorer_name))
            )
            assert by_hand == pytest.approx(
                run_tuned_threshold(get_scorer(entry.scorer_name))
            )
            continue
        for scoring in (entry.scorer_name, get_scorer(entry.scorer_name)):
            with pytest.raises(
                ValueError, match=f"{entry.scorer_name} scores probabilities"
            ):
                run_tuned_threshold(scoring)


def test_undefined_rate_at_a_threshold():
    """A threshold where a rate has no value warns, counts as 0, and is not chosen."""
    settings = {"thresholds": [0.0, 0.5], "cv": 2, "store_cv_results": True}
    tuned = TunedThresholdClassifierCV(
        GaussianNB(), scoring="negative_predictive_value", **settings
    )

    with pytest.warns(UndefinedMetricWarning, match=r"negative records.*It counts as 0\."):
        tuned.fit(X, Y)

    assert 0 == tuned.cv_results_["scores"][0]
    assert 0.5 == tuned.best_threshold_


def test_threshold_is_tuned_for_a_named_class():
    """With string classes the positive one is an option of the scorer."""
    y = np.array(["healthy", "sick"])[Y]
    scorer = get_scorer("sensitivity", pos_label="sick")
    settings = {"thresholds": [0.001, 0.999], "cv": 2}

    tuned = TunedThresholdClassifierCV(GaussianNB(), scoring=scorer, **settings).fit(X, y)

    assert 0.001 == tuned.best_threshold_
    with pytest.raises(ValueError, match="pass `pos_label`"):
        TunedThresholdClassifierCV(GaussianNB(), scoring="sensitivity", cv=2).fit(X, y)


def test_every_other_place_takes_a_name():
    """Places that checked names when they were imported know ours, too."""
    for run in [
        lambda name: validation_curve(
            GaussianNB(), X, Y, param_name="var_smoothing", param_range=[0.1], scoring=name
        )[1],
        lambda name: permutation_test_score(
            GaussianNB(), X, Y, scoring=name, cv=2, n_permutations=2, random_state=0
        )[0],
        lambda name: (
            RandomizedSearchCV(GaussianNB(), GRID, n_iter=1, scoring=name, random_state=0)
            .fit(X, Y)
            .best_score_
        ),
        lambda name: (
            RFECV(DecisionTreeClassifier(random_state=0), scoring=name)
            .fit(X, Y)
            .cv_results_["mean_test_score"]
        ),
        # Of two classes it passes on only one.
        lambda name: RidgeClassifierCV(scoring=name).fit(X, np.arange(80) % 3).best_score_,
    ]:
        assert run("skcompare_accuracy") == pytest.approx(run(get_scorer("accuracy")))


@pytest.mark.parametrize("scoring", ["specificity", ECE])
def test_boosting_stops_early_by_a_name(scoring):
    """Early stopping looks names up in a list of its own."""
    settings = {"early_stopping": True, "max_iter": 3, "random_state": 0}
    X, y = make_classification(120, random_state=0)

    by_name, by_object = (
        HistGradientBoostingClassifier(scoring=one, **settings).fit(X, y)
        for one in (scoring, get_scorer(scoring))
    )

    assert 4 == len(by_name.validation_score_)
    assert list(by_name.validation_score_) == list(by_object.validation_score_)


KINDS = {
    "integers": np.array([0, 1]),
    "strings": np.array(["no", "yes"]),
    "booleans": np.array([False, True]),
    "three": np.array([2, 5, 7]),
    "three strings": np.array(["a", "b", "c"]),
}


def test_classes_of_every_kind():
    """A scorer takes every kind of classes that its metric takes, or says why not."""
    pandas = pytest.importorskip("pandas")
    known = {}
    for (kind, classes), name in itertools.product(KINDS.items(), NAMES):
        y = classes[np.arange(80) % len(classes)]
        fitted = known[kind] = known.get(kind) or GaussianNB().fit(X, y)
        scorer = get_scorer(name)
        one_class = y == classes[0]
        needs_two = len(classes) > 2 and name in TWO_CLASSES
        labels = metrics()[name.removeprefix("neg_")].response_method == "predict"
        named = labels or name.endswith(("_at_specificity", "_at_sensitivity"))

        if needs_two:
            with pytest.raises(ValueError, match=r"two classes|2\)|two columns"):
                scorer(fitted, X, y)
        elif kind == "strings" and named and name in TWO_CLASSES:
            with pytest.raises(ValueError, match="pass `pos_label`"):
                scorer(fitted, X, y)
            told = get_scorer(name, pos_label="yes")
            as_numbers = GaussianNB().fit(X, y == "yes")
            assert scorer(as_numbers, X, y == "yes") == told(fitted, X, y)
        else:
            expected = scorer(fitted, X, y)
            assert np.isfinite(expected)
            series = pandas.Series(y, index=np.arange(80)[::-1])
            assert expected == scorer(fitted, X, series)
            if name in ("neg_multiclass_brier_loss", ECE, "accuracy", "specificity"):
                assert np.isfinite(scorer(fitted, X[one_class], y[one_class]))


def test_test_records_may_lack_a_class():
    """The classifier's classes count, whatever classes the test records have."""
    y = np.array(["a", "b", "c"])[np.arange(80) % 3]
    fitted, rows = GaussianNB().fit(X, y), y != "a"
    proba = fitted.predict_proba(X[rows])
    expected = -multiclass_brier_loss(y[rows], proba, labels=["a", "b", "c"])

    for scorer in (
        get_scorer("neg_multiclass_brier_loss"),
        get_sklearn_scorer("neg_multiclass_brier_loss"),
        resolve_scoring("neg_multiclass_brier_loss")[0].scorer,
    ):
        assert expected == pytest.approx(scorer(fitted, X[rows], y[rows]))
    one_label = get_scorer("specificity")
    binary = GaussianNB().fit(X, Y)
    negative = Y == 0
    assert one_label(binary, X[negative], Y[negative]) == pytest.approx(
        np.mean(binary.predict(X[negative]) == 0)
    )
    with pytest.raises(ValueError, match="needs one of them"):
        get_scorer("sensitivity")(binary, X[negative], Y[negative])


def test_a_class_is_one_of_two():
    """A named class of three is refused, even where a test set has two of them."""
    y = np.array(["a", "b", "c"])[np.arange(80) % 3]
    fitted, rows = GaussianNB().fit(X, y), y != "c"

    with pytest.raises(ValueError, match="needs two classes"):
        get_scorer("sensitivity", pos_label="a")(fitted, X[rows], y[rows])


def test_classifier_without_probabilities():
    """scikit-learn says that the classifier has no probabilities."""
    fitted = LinearSVC().fit(X, Y)

    with pytest.raises(AttributeError, match=r"LinearSVC has none of the .*predict_proba"):
        get_scorer(ECE)(fitted, X, Y)
    with pytest.raises(ValueError, match="classifier with two classes"):
        get_scorer(ECE)(GaussianNB().fit(X, np.zeros(80, dtype=int)), X, Y)


def test_weights_equal_repetition():
    """Every scorer takes weights, which count as records that are there several times."""
    weights = np.arange(80) % 3 + 1
    fitted = GaussianNB().fit(X, Y)
    many_X, many_y = np.repeat(X, weights, axis=0), np.repeat(Y, weights)
    for name in NAMES:
        scorer = get_scorer(name)

        weighted = scorer(fitted, X, Y, sample_weight=weights)

        assert scorer(fitted, many_X, many_y) == pytest.approx(weighted), name
        # The greatest of all distances may be that of the same bin.
        if name != "neg_maximum_calibration_error":
            assert weighted != pytest.approx(scorer(fitted, X, Y))


def test_weights_are_routed():
    """Weights that are requested reach the metric, others are refused by scikit-learn."""
    weights = np.arange(80) % 3 + 1.0
    with sklearn.config_context(enable_metadata_routing=True):
        requested = get_scorer("neg_binary_brier_loss").set_score_request(
            sample_weight=True
        )
        classifier = GaussianNB().set_fit_request(sample_weight=False)
        settings = {"cv": 2, "params": {"sample_weight": weights}}
        scores = cross_val_score(classifier, X, Y, scoring=requested, **settings)
        several = cross_validate(
            classifier,
            X,
            Y,
            scoring={"ours": get_scorer("neg_binary_brier_loss")},
            cv=2,
            params={},
        )
        # scikit-learn 1.6 says it in another way.
        with pytest.raises((UnsetMetadataPassedError, TypeError), match="sample_weight"):
            cross_val_score(classifier, X, Y, scoring="specificity", **settings)

    assert (scores != several["test_ours"]).all()


def test_a_metric_without_weights_gets_none():
    """Weights for a metric that takes none are an error, as for scikit-learn's."""

    def unweighted(y_true, y_pred):
        """Share of twos."""
        return float(np.mean(y_pred == 2))

    entry = MetricEntry("twos", "twos", unweighted, "predict", True)
    from skcompare._analysis.measures._measures import scorer_of

    scorer = scorer_of(entry, {})
    with pytest.raises(TypeError, match="sample_weight"):
        scorer(GaussianNB().fit(X, Y), X, Y, sample_weight=np.ones(80))


class Counting(GaussianNB):
    """Counts how often it is requested probabilities."""

    def predict_proba(self, X):
        self.n_requested_ = getattr(self, "n_asked_", 0) + 1
        return super().predict_proba(X)


def test_several_scorers_share_predictions():
    """Among several scorers, ours ask a classifier for probabilities once."""
    names = [name for name in NAMES if name.startswith("neg_")]
    fitted = Counting().fit(X, Y)
    three = Counting().fit(X, np.arange(80) % 3)

    scores = check_scoring(fitted, scoring=names)(fitted, X, Y)

    assert 1 == fitted.n_requested_
    assert {name: get_scorer(name)(fitted, X, Y) for name in names} == scores
    check_scoring(three, scoring=["neg_multiclass_brier_loss", "neg_spherical_loss", ECE])(
        three, X, np.arange(80) % 3
    )
    assert 1 == three.n_requested_


@pytest.mark.parametrize("theirs_first", [False, True])
def test_predictions_for_another_class_are_not_ours(theirs_first):
    """A scorer that keeps the probabilities of class 0 does not turn ours around."""
    fitted = GaussianNB().fit(X, Y)
    theirs = make_scorer(brier_score_loss, response_method="predict_proba", pos_label=0)
    scorers = {"ours": ECE, "again": "neg_binary_brier_loss", "theirs": theirs}
    order = sorted(scorers, reverse=theirs_first)

    scores = check_scoring(fitted, scoring={name: scorers[name] for name in order})(
        fitted, X, Y
    )

    assert get_scorer(ECE)(fitted, X, Y) == scores["ours"]
    assert theirs(fitted, X, Y) == scores["theirs"]


def test_scorer_is_an_object_like_scikit_learns():
    """It prints like make_scorer's, and copies and pickles of it score alike."""
    fitted = GaussianNB().fit(X, Y)
    for name in NAMES:
        scorer = get_scorer(name)
        entry = metrics()[name.removeprefix("neg_")]
        sign = "" if entry.greater_is_better else ", greater_is_better=False"

        shown = (
            f"make_scorer({entry.name}{sign}, response_method='{entry.response_method}')"
        )
        assert shown == repr(scorer)
        assert isinstance(scorer, type(make_scorer(brier_score_loss)))
        for other in (
            copy.deepcopy(scorer),
            pickle.loads(pickle.dumps(scorer)),
            clone(GridSearchCV(GaussianNB(), GRID, scoring=scorer)).scoring,
        ):
            assert scorer(fitted, X, Y) == other(fitted, X, Y)


def test_options_are_passed_on():
    """Options reach the metric, are shown, and unknown ones are refused."""
    fitted = GaussianNB().fit(X, Y)
    scorer = get_scorer(ECE, n_bins=3, norm="max")
    proba = fitted.predict_proba(X)

    expected = -expected_calibration_error(Y, proba, n_bins=3, norm="max")
    assert expected == pytest.approx(scorer(fitted, X, Y))
    assert "n_bins=3, norm=max" in repr(scorer)
    assert scorer(fitted, X, Y) != get_scorer(ECE)(fitted, X, Y)
    with pytest.raises(ValueError, match=r"option .* 'bins'.*Did you mean 'n_bins'"):
        get_scorer(ECE, bins=3)
    for name in ("labels", "sample_weight"):
        with pytest.raises(ValueError, match=f"Unknown option .*'{name}'"):
            get_scorer(ECE, **{name: [0, 1]})


def test_get_scorer_finds_all():
    """Ours come first, by both forms of the name; then scikit-learn's, then callables."""
    fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
    theirs = get_sklearn_scorer("f1")

    for name in get_scorer_names():
        assert repr(get_scorer(name)) == repr(get_scorer(f"skcompare_{name}"))
    assert "accuracy_score" not in repr(get_scorer("accuracy"))
    assert theirs(fitted, X, Y) == get_scorer("f1")(fitted, X, Y)
    assert theirs is get_scorer(theirs)
    with pytest.raises(ValueError, match="Options go with the names of our metrics"):
        get_scorer("f1", pos_label=0)
    with pytest.raises(ValueError, match="Options go with the names of our metrics"):
        get_scorer(theirs, pos_label=0)
    with pytest.raises(TypeError, match=r"a name or a scorer\. Got 3"):
        get_scorer(3)


def test_unknown_scorer():
    """The error names the nearest scorer, and where all names are."""
    for wrong, near in [
        ("expected_calibration_error", ECE),
        ("neg_expected_callibration_error", ECE),
        ("neg_sensitivity", "sensitivity"),
        ("skcompare_f1", "."),
    ]:
        with pytest.raises(ValueError, match=f"Unknown scorer '{wrong}'.*{near}") as raised:
            get_scorer(wrong)
        known = "Known: see get_scorer_names() of skcompare.metrics and of sklearn.metrics."
        assert str(raised.value).endswith(known)
    assert not any(name.startswith("skcompare_") for name in get_scorer_names())
    assert ECE in get_scorer_names()


def test_names_are_known():
    """Our names are sorted, and scikit-learn has them or their longer form."""
    names = get_scorer_names()

    assert sorted(names) == names
    assert set(NAMES) <= set(names)
    known = register_scorers()
    assert sorted(map(sklearn_name, names)) == known
    assert set(known) <= set(get_sklearn_scorer_names())
    assert "accuracy_score" in repr(get_sklearn_scorer("accuracy"))


def test_the_engine_prefers_our_entry():
    """A loss by its own name is the loss; with a prefix it is the same measure."""
    loss, negated, prefixed = (
        resolve_scoring(name)[0]
        for name in (ECE.removeprefix("neg_"), ECE, f"skcompare_{ECE}")
    )
    fitted = GaussianNB().fit(X, Y)

    assert not loss.greater_is_better
    assert negated.greater_is_better
    assert loss.scorer(fitted, X, Y) == -negated.scorer(fitted, X, Y)
    assert (ECE, ECE) == (negated.metric, prefixed.metric)
    assert "accuracy" == resolve_scoring("skcompare_accuracy")[0].metric
    with pytest.raises(ValueError, match="Did you mean 'accuracy'"):
        resolve_scoring("acuracy")


def test_comparator_takes_a_scorer():
    """A comparison scores by the object as it scores by the name."""
    settings = {"cv": 2, "random_state": 0}
    models = GaussianNB(), DecisionTreeClassifier(max_depth=2)

    by_object, by_name = (
        PairedComparator(*models, scoring=scoring, **settings).fit(X, Y).comparison_.rows[0]
        for scoring in (get_scorer("neg_spherical_loss"), "neg_spherical_loss")
    )

    assert by_name.difference == pytest.approx(by_object.difference)


def test_a_metric_of_another_package_is_known_at_once():
    """A metric that is registered after the import can be named everywhere."""

    @metric("toy_share", response_method="predict", greater_is_better=False)
    def toy_share(y_true, y_pred, *, pos_label=None):
        """Share of positive predictions."""
        return float(np.mean(y_pred == pos_label))

    scores = cross_val_score(GaussianNB(), X, Y, scoring="neg_toy_share", cv=2)

    assert ((-1 < scores) & (scores < 0)).all()
    assert "neg_toy_share" in get_scorer_names()
    assert scores == pytest.approx(run_cross_val_score(get_scorer("neg_toy_share")))


def test_a_cell_that_runs_again_defines_its_metric_again():
    """The same function of the same place takes the place of what it was; no other does."""

    def cell(prediction):
        @metric("toy_constant", response_method="predict", greater_is_better=True)
        def toy_constant(y_true, y_pred):
            """Always the same."""
            return prediction

    cell(0.25)
    cell(0.75)

    assert 0.75 == cross_val_score(GaussianNB(), X, Y, scoring="toy_constant").mean()
    with pytest.raises(ValueError, match="metric named 'toy_constant' is registered"):
        metric("toy_constant", response_method="predict", greater_is_better=True)(len)


def test_a_name_of_others_is_left_alone():
    """A name that scikit-learn has is not overwritten, and ours gets a longer one."""
    theirs = get_sklearn_scorer("f1")
    SCORER_MODULE._SCORERS["neg_toy_loss"] = theirs
    SCORER_MODULE._SCORERS["toy_hits"] = theirs

    @metric("toy_loss", response_method="predict", greater_is_better=False)
    def toy_loss(y_true, y_pred):
        """Share of errors."""
        return float(np.mean(y_true != y_pred))

    fitted = GaussianNB().fit(X, Y)
    assert theirs is SCORER_MODULE._SCORERS["neg_toy_loss"]
    assert {"skcompare_neg_toy_loss"} == {n for n in register_scorers() if "toy" in n}
    expected = fitted.score(X, Y) - 1
    assert expected == pytest.approx(get_scorer("neg_toy_loss")(fitted, X, Y))
    long_name = "skcompare_neg_toy_loss"
    assert run_cross_val_score(long_name) == pytest.approx(
        run_cross_val_score("accuracy") - 1
    )
    assert expected == pytest.approx(
        resolve_scoring("neg_toy_loss")[0].scorer(fitted, X, Y)
    )


def private_copy():
    """The guarded file, run again as it is on import."""
    spec = importlib.util.spec_from_file_location(
        "skcompare._copied", Path(sklearn_private.__file__)
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_registering_again_does_no_harm():
    """Two calls, or a second import, leave the same names, none of them longer."""
    once = register_scorers()
    names = set(SCORER_MODULE._SCORERS)
    scorers = {name: get_scorer(name) for name in get_scorer_names()}

    assert once == register_scorers() == private_copy().make_known(scorers, "skcompare_")
    assert names == set(SCORER_MODULE._SCORERS)
    assert scorers[ECE] is SCORER_MODULE._SCORERS[ECE]


def test_without_the_list_of_scorers(monkeypatch):
    """Nothing is extended, nothing raises, and objects are the way."""
    monkeypatch.delattr(SCORER_MODULE, "_SCORERS")
    module = private_copy()

    assert [] == module.make_known({"toy": get_scorer(ECE)}, "skcompare_")
    monkeypatch.undo()
    with pytest.raises(ValueError, match="'scoring' parameter of cross_val_score must be"):
        run_cross_val_score("toy")
    assert np.isfinite(run_cross_val_score(get_scorer(ECE))).all()


def test_lists_of_names_in_other_shapes(monkeypatch):
    """Only complete lists of scorers are extended, and what has no list is passed over."""
    listed = types.SimpleNamespace(options=set(get_sklearn_scorer_names()))
    frozen = types.SimpleNamespace(options=frozenset(get_sklearn_scorer_names()))
    hidden = types.SimpleNamespace(constraint=listed)
    short = types.SimpleNamespace(options={"accuracy", "f1"})

    class Chooser:
        """A class of a module that checked names when it was imported."""

        _parameter_constraints = {
            "scoring": [hidden, callable, None],
            "gone": [frozen],
            "criterion": [short],
            "cv": "no_validation",
        }

    module = types.ModuleType("another_package")
    module.Chooser, module.odd = Chooser, types.SimpleNamespace(_parameter_constraints=3)
    module.get_scorer_names = get_sklearn_scorer_names
    monkeypatch.setitem(sys.modules, "another_package", module)

    sklearn_private.make_known({"neg_toy": get_scorer(ECE)}, "skcompare_")

    assert "neg_toy" in listed.options
    assert {"accuracy", "f1"} == short.options


@pytest.mark.parametrize("missing", ["gone", "changed", "renamed", "slots"])
def test_without_scorers_that_can_be_told(monkeypatch, missing):
    """Where scikit-learn's scorers are others, one by public names takes over."""
    plain = type(make_scorer(brier_score_loss))
    if missing == "gone":
        monkeypatch.delattr(plain, "_score")
    elif missing == "changed":
        monkeypatch.setattr(plain, "_score", lambda self, estimator, X, y: 0.0)
    elif missing == "renamed":

        def renamed(*args, **kwargs):
            scorer = make_scorer(*args, **kwargs)
            scorer._metric = scorer.__dict__.pop("_score_func")
            return scorer

        monkeypatch.setattr(sklearn_private, "make_scorer", renamed)
    else:
        slotted = type("Slotted", (), {"__slots__": ("_score_func",)})

        def with_slots(metric, **kwargs):
            scorer = slotted()
            scorer._score_func = metric
            return scorer

        monkeypatch.setattr(sklearn_private, "make_scorer", with_slots)
    y = np.array(["a", "b", "c"])[np.arange(80) % 3]
    fitted, rows = GaussianNB().fit(X, y), y != "a"
    weights = np.arange(rows.sum()) % 2 + 1

    scorer = get_scorer(ECE, n_bins=4)

    assert isinstance(scorer, DirectScorer)
    monkeypatch.undo()
    told = get_scorer(ECE, n_bins=4)
    assert told(fitted, X[rows], y[rows]) == scorer(fitted, X[rows], y[rows])
    assert told(fitted, X[rows], y[rows], sample_weight=weights) == scorer(
        fitted, X[rows], y[rows], sample_weight=weights
    )
    assert run_cross_val_score(told) == pytest.approx(run_cross_val_score(scorer))
    search = GridSearchCV(GaussianNB(), GRID, scoring={"a": scorer}, refit="a", cv=2)
    search.fit(X, Y, sample_weight=np.arange(80) % 2 + 1)
    assert "expected_calibration_error" in repr(pickle.loads(pickle.dumps(scorer)))


def run_alone(code):
    """Run lines in a process of their own."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_import_works_where_private_names_are_gone():
    """A scikit-learn that keeps its scorers elsewhere can be imported beside us."""
    told = run_alone(
        "import sklearn.model_selection\n"
        "from sklearn.metrics import _scorer\n"
        "kept = _scorer.__dict__.pop('_SCORERS')\n"
        "import skcompare.metrics as metrics\n"
        "_scorer._SCORERS = kept\n"
        "from sklearn.model_selection import cross_val_score\n"
        "from sklearn.datasets import load_iris\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "print(metrics.register_scorers())\n"
        f"print('{ECE}' in kept)\n"
        f"scorer = metrics.get_scorer('{ECE}')\n"
        "X, y = load_iris(return_X_y=True)\n"
        "print(cross_val_score(GaussianNB(), X, y, scoring=scorer, cv=2).max() < 0)\n"
    )

    assert ["[]", "False", "True"] == told


@pytest.mark.slow
def test_a_process_without_us():
    """A process that gets a search knows no name until it gets an object, as a worker."""
    by_name, by_object = (
        pickle.dumps(GridSearchCV(GaussianNB(), GRID, scoring=scoring, cv=2))
        for scoring in (ECE, get_scorer(ECE))
    )
    told = run_alone(
        "import pickle, sys\n"
        "import numpy as np\n"
        "X, y = np.random.default_rng(0).random((40, 2)), np.arange(40) % 2\n"
        f"search = pickle.loads({by_name!r})\n"
        "try:\n"
        "    search.fit(X, y)\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, 'skcompare' in sys.modules)\n"
        f"best = pickle.loads({by_object!r}).fit(X, y).best_score_\n"
        "print(best == search.fit(X, y).best_score_ < 0)\n"
        "print('sklearn.feature_selection' in sys.modules)\n"
        "from sklearn.feature_selection import SequentialFeatureSelector\n"
        f"selector = SequentialFeatureSelector(search.estimator, scoring='{ECE}', cv=2)\n"
        "print(selector.fit(X, y).get_support().sum())\n"
    )

    # Modules that are imported after us make their lists of names with ours.
    assert ["InvalidParameterError", "False", "True", "False", "1"] == told


def test_metrics_of_every_shape():
    """A metric of others may take classes or not, by any way, and be a callable object."""

    class MeanOfClass:
        """Mean probability of the last class."""

        def __call__(self, y_true, y_proba):
            return float(y_proba[:, -1].mean())

    metric("toy_mean", response_method="predict_proba", greater_is_better=True)(
        MeanOfClass()
    )

    @metric("toy_words", response_method="predict_proba", greater_is_better=True)
    def toy_text(y_true, y_proba, power=1.0, **words):
        """Mean probability of the last class, and how many are told."""
        return len(words["labels"]) + float((y_proba[:, -1] ** power).mean())

    fitted = GaussianNB().fit(X, Y)
    mean = fitted.predict_proba(X)[:, 1].mean()
    square = (fitted.predict_proba(X)[:, 1] ** 2).mean()

    assert mean == pytest.approx(get_sklearn_scorer("toy_mean")(fitted, X, Y))
    assert mean == pytest.approx(resolve_scoring("toy_mean")[0].scorer(fitted, X, Y))
    assert "make_scorer(toy_mean, response_method='predict_proba')" == repr(
        get_scorer("toy_mean")
    )
    assert 2 + mean == pytest.approx(get_scorer("toy_words")(fitted, X, Y))
    assert 2 + square == pytest.approx(get_scorer("toy_words", power=2)(fitted, X, Y))
    with pytest.raises(ValueError, match=r"toy_mean has no options\. Got power"):
        get_scorer("toy_mean", power=2)
    with pytest.raises(TypeError, match="sample_weight"):
        get_scorer("toy_mean")(fitted, X, Y, sample_weight=np.ones(80))


def test_metrics_that_have_their_place_already():
    """A function of another library, and one without a name, can be pickled as before.

    Another one of a name that is taken is refused, also without a name of its own.
    """
    register = metric("toy_macro", response_method="predict", greater_is_better=True)
    metric("toy_f1", response_method="predict", greater_is_better=True)(f1_score)
    register(partial(f1_score, average="macro"))
    predictions = Y[::-1]

    for name, average in (("toy_f1", "binary"), ("toy_macro", "macro")):
        scorer = pickle.loads(pickle.dumps(get_scorer(name)))
        expected = f1_score(Y, predictions, average=average)
        assert expected == scorer._score_func.entry.function(Y, y_pred=predictions)
    assert inspect.signature(f1_score) == inspect.signature(metrics()["toy_f1"].function)
    with pytest.raises(ValueError, match="metric named 'toy_macro' is registered"):
        register(partial(f1_score, average="micro"))


def test_threads_register_at_the_same_time():
    """Metrics that threads register while others read the list are all known."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def register(k):
        register_scorers()
        metric(f"toy_{k}", response_method="predict", greater_is_better=True)(
            lambda y_true, y_pred: 0.0
        )
        return get_scorer_names()

    try:
        with ThreadPoolExecutor(6) as threads:
            found = list(threads.map(register, range(12)))
    finally:
        sys.setswitchinterval(interval)

    assert all(f"toy_{k}" in names for k, names in enumerate(found))
    assert {f"toy_{k}" for k in range(12)} <= set(SCORER_MODULE._SCORERS)


def test_sensitivity_knows_the_positive_class():
    """With numbers the positive class is 1, whatever the other one is."""
    for classes in ([0, 1], [-1, 1], [1, 2]):
        y = np.array(classes)[Y]
        fitted = GaussianNB().fit(X, y)

        expected = sensitivity(y, fitted.predict(X), pos_label=1)
        assert expected == get_sklearn_scorer("sensitivity")(fitted, X, y)
