"""Every place of the installed scikit-learn that takes `scoring` or `cv`."""

import inspect
import itertools

import numpy as np
import pytest
import sklearn
from sklearn import calibration, ensemble, feature_selection, linear_model, multioutput
from sklearn import inspection as inspected
from sklearn import model_selection as selection
from sklearn.base import clone
from sklearn.covariance import GraphicalLassoCV
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import TargetEncoder
from sklearn.utils.discovery import all_displays, all_estimators, all_functions
from sklearn.utils.fixes import parse_version

from skcompare import BlockRegularized5x2CV, MultipleComparator, PairedComparator
from skcompare.metrics import DeLongScorer, McNemarScorer, get_scorer

X, Y = make_classification(120, n_features=3, n_redundant=0, flip_y=0.2, random_state=0)
SPLITTER = BlockRegularized5x2CV(random_state=0)
UNSTRATIFIED = BlockRegularized5x2CV(stratify=False, random_state=0)
GRID = {"var_smoothing": [1e-9, 0.5]}
NAIVE = GaussianNB()

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore:A rate among the"),
    pytest.mark.filterwarnings("ignore:The scoring .* does not support sample_weight"),
]


def regression(kind, **fixed):
    """A linear model that chooses its penalty by cross-validation."""

    def run(estimator=None, **words):
        return kind(**fixed, **words).fit(X, X[:, 0] + Y).coef_

    return run


def several_targets(kind):
    def run(estimator=None, **words):
        return kind(**words).fit(X, np.column_stack([X[:, 0], Y])).coef_

    return run


def stack(kind, base):
    def run(estimator=None, **words):
        parts = [("one", estimator or base), ("two", base)]
        return kind(parts, **words).fit(X, Y).predict(X)

    return run


def chain(kind, base):
    def run(estimator=None, **words):
        return kind(base, **words).fit(X, np.column_stack([Y, 1 - Y])).predict(X)

    return run


def search(kind, *grid, **fixed):
    def run(estimator=None, **words):
        # A comparator has no smoothing, and is searched over its level.
        space = grid if estimator is None else ({"alpha": [0.01, 0.05]},)
        found = kind(estimator or NAIVE, *space, **fixed, **words).fit(X, Y)
        return [*found.cv_results_["mean_test_score"], found.score(X, Y)]

    return run


def boosting(kind):
    def run(estimator=None, **words):
        settings = {"early_stopping": True, "max_iter": 3, "random_state": 0}
        return kind(**settings, **words).fit(X, Y).validation_score_

    return run


def selector(kind, read, base, **fixed):
    def run(estimator=None, **words):
        return read(kind(estimator or base, **fixed, **words).fit(X, Y))

    return run


def logistic(estimator=None, **words):
    model = linear_model.LogisticRegressionCV(Cs=[0.01, 1.0], tol=0.1, **words)
    return model.fit(X, Y).coef_


def ridge(estimator=None, **words):
    return linear_model.RidgeClassifierCV(**words).fit(X, Y).coef_


def function(called, *read, **fixed):
    """A function of an estimator and records."""

    def run(estimator=None, **words):
        found = called(estimator or NAIVE, X, Y, **fixed, **words)
        for key in read:
            found = found[key]
        return np.ravel(found)

    return run


def validation(called, read):
    def run(estimator=None, **words):
        name, values = ("alpha", [0.01, 0.05]) if estimator else ("var_smoothing", [0.1, 1])
        given = {"param_name": name, "param_range": values}
        return np.ravel(read(called(estimator or NAIVE, X, Y, **given, **words)))

    return run


def display(kind, read, **fixed):
    def run(estimator=None, **words):
        pyplot = pytest.importorskip("matplotlib.pyplot")
        try:
            drawn = getattr(selection, kind).from_estimator
            return read(drawn(estimator or NAIVE, X, Y, **fixed, **words))
        finally:
            pyplot.close("all")

    return run


def importance(estimator=None, **words):
    fitted = clone(estimator or NAIVE).fit(X, Y)
    words = {"n_repeats": 1, "random_state": 0, **words}
    return inspected.permutation_importance(fitted, X, Y, **words).importances_mean


def checked(scorer_of):
    def run(estimator=None, **words):
        fitted = clone(estimator or NAIVE).fit(X, Y)
        return [scorer_of(fitted, **words)(fitted, X, Y)]

    return run


SIZES = {"train_sizes": [0.7, 1.0]}
RUNS = {
    "CalibratedClassifierCV": selector(
        calibration.CalibratedClassifierCV, lambda one: one.predict_proba(X), NAIVE
    ),
    "ClassifierChain": chain(multioutput.ClassifierChain, NAIVE),
    "ElasticNetCV": regression(linear_model.ElasticNetCV),
    "GraphicalLassoCV": lambda estimator=None, **words: (
        GraphicalLassoCV(**words).fit(X).precision_
    ),
    "GridSearchCV": search(selection.GridSearchCV, GRID),
    "HalvingGridSearchCV": search(
        selection.HalvingGridSearchCV, GRID, min_resources=90, random_state=0
    ),
    "HalvingRandomSearchCV": search(
        selection.HalvingRandomSearchCV, GRID, min_resources=90, random_state=0
    ),
    "HistGradientBoostingClassifier": boosting(ensemble.HistGradientBoostingClassifier),
    "HistGradientBoostingRegressor": boosting(ensemble.HistGradientBoostingRegressor),
    "LarsCV": regression(linear_model.LarsCV),
    "LassoCV": regression(linear_model.LassoCV),
    "LassoLarsCV": regression(linear_model.LassoLarsCV),
    "LogisticRegressionCV": logistic,
    "MultiTaskElasticNetCV": several_targets(linear_model.MultiTaskElasticNetCV),
    "MultiTaskLassoCV": several_targets(linear_model.MultiTaskLassoCV),
    "OrthogonalMatchingPursuitCV": regression(linear_model.OrthogonalMatchingPursuitCV),
    "RFECV": selector(
        feature_selection.RFECV,
        lambda one: one.cv_results_["mean_test_score"],
        LogisticRegression(),
    ),
    "RandomizedSearchCV": search(
        selection.RandomizedSearchCV, GRID, n_iter=2, random_state=0
    ),
    "RegressorChain": chain(multioutput.RegressorChain, linear_model.LinearRegression()),
    "RidgeCV": regression(linear_model.RidgeCV),
    "RidgeClassifierCV": ridge,
    "SequentialFeatureSelector": selector(
        feature_selection.SequentialFeatureSelector,
        lambda one: one.get_support(),
        NAIVE,
        n_features_to_select=1,
    ),
    "StackingClassifier": stack(ensemble.StackingClassifier, NAIVE),
    "StackingRegressor": stack(ensemble.StackingRegressor, linear_model.LinearRegression()),
    "TargetEncoder": lambda estimator=None, **words: TargetEncoder(
        random_state=0, **words
    ).fit_transform(np.round(X), Y),
    "TunedThresholdClassifierCV": selector(
        selection.TunedThresholdClassifierCV,
        lambda one: [one.best_threshold_],
        NAIVE,
        thresholds=4,
    ),
    "check_cv": lambda estimator=None, **words: [
        len(test) for _, test in selection.check_cv(**words).split(X, Y)
    ],
    "check_scoring": checked(check_scoring),
    "cross_val_predict": function(selection.cross_val_predict),
    "cross_val_score": function(selection.cross_val_score, error_score="raise"),
    "cross_validate": function(selection.cross_validate, "test_score", error_score="raise"),
    "get_scorer": checked(lambda fitted, scoring: get_sklearn_scorer(scoring)),
    "learning_curve": function(selection.learning_curve, 2, **SIZES),
    "permutation_importance": importance,
    "permutation_test_score": function(
        selection.permutation_test_score, 0, n_permutations=2, random_state=0
    ),
    "validation_curve": validation(selection.validation_curve, lambda found: found[1]),
    "LearningCurveDisplay.from_estimator": display(
        "LearningCurveDisplay", lambda drawn: drawn.test_scores, **SIZES
    ),
    "ValidationCurveDisplay.from_estimator": validation(
        lambda *given, **words: display("ValidationCurveDisplay", lambda drawn: drawn)(
            given[0], **words
        ),
        lambda drawn: drawn.test_scores,
    ),
}
"""How each of them is run; a new one of a new version is to be added."""


def places(parameter):
    """What takes a parameter in the installed version of scikit-learn."""
    found = dict([*all_estimators(), *all_functions()])
    for name, kind in all_displays():
        makers = (maker for maker in dir(kind) if maker.startswith("from_"))
        found |= {f"{name}.{maker}": getattr(kind, maker) for maker in makers}
    taking = set()
    for name, thing in found.items():
        try:
            known = inspect.signature(thing).parameters
        except (TypeError, ValueError):
            continue
        if parameter in known:
            taking.add(name)
    return sorted(taking)


SCORED, SPLIT = places("scoring"), places("cv")
OF_NUMBERS = {
    "ElasticNetCV", "GraphicalLassoCV", "LarsCV", "LassoCV", "LassoLarsCV",
    "MultiTaskElasticNetCV", "MultiTaskLassoCV", "OrthogonalMatchingPursuitCV", "RidgeCV",
    "StackingRegressor", "RegressorChain", "ClassifierChain",
}  # fmt: skip
"""Targets that are no classes cannot be stratified."""


def test_every_place_is_known():
    """A version of scikit-learn that has another one fails here, and is then looked at."""
    assert {*SCORED, *SPLIT} <= {*RUNS}


QUICK = {"GridSearchCV", "LogisticRegressionCV", "check_cv", "check_scoring", "get_scorer"}
"""One or two of each kind, which take little time."""


def looked_at(places, *also):
    """Few of the places, or all of them in a slow run."""
    few = QUICK.union(*also)
    return pytest.mark.parametrize(
        "places",
        [
            pytest.param([name for name in places if name in few], id="few"),
            pytest.param(places, id="all", marks=pytest.mark.slow),
        ],
    )


IN_PARTS = (
    "cross_val_predict", "StackingClassifier", "StackingRegressor", "ClassifierChain",
    "RegressorChain",
)  # fmt: skip
"""They ask for one prediction per record, which five repetitions do not give."""


@looked_at(SPLIT, IN_PARTS, ["TargetEncoder"])
def test_splitter(places):
    """The splits are those of the list of them, or the place says what it needs."""
    for name in places:
        splitter = UNSTRATIFIED if name in OF_NUMBERS else SPLITTER
        if name in IN_PARTS:
            with pytest.raises(ValueError, match="only works for partitions"):
                RUNS[name](cv=splitter)
            continue
        if name == "TargetEncoder":
            # It takes a number of folds, and later versions any that are partitions.
            with pytest.raises(
                (ValueError, TypeError), match=r"'cv' parameter|exactly once"
            ):
                RUNS[name](cv=splitter)
            continue
        listed = list(splitter.split(X, Y))

        assert np.array_equal(RUNS[name](cv=splitter), RUNS[name](cv=listed))


NAMES = ("specificity", "neg_binary_brier_loss")
REFUSED = {
    ("HistGradientBoostingRegressor", "specificity"): "continuous",
    ("HistGradientBoostingRegressor", "neg_binary_brier_loss"): "predict_proba",
    ("RidgeCV", "specificity"): "must be class labels",
    ("RidgeCV", "neg_binary_brier_loss"): "predict_proba",
    ("RidgeClassifierCV", "neg_binary_brier_loss"): "predict_proba",
    ("TunedThresholdClassifierCV", "neg_binary_brier_loss"): "scores probabilities",
}
"""What cannot be scored by a measure, with what it says."""


def text_of(name):
    """Folds, where they are taken, so that all runs of a place score the same sets."""
    return {"cv": 3} if name in SPLIT else {}


@looked_at(SCORED, (name for name, _ in REFUSED))
def test_names_and_scorers(places):
    """A name gives what its scorer gives, or both say why there is no score."""
    for scoring, name in itertools.product(NAMES, places):
        words, refused = text_of(name), REFUSED.get((name, scoring))
        if refused:
            for one in (scoring, get_scorer(scoring)):
                # A warning where scikit-learn goes on with NaN, which has the error in it.
                errors = ValueError, AttributeError, UserWarning
                with pytest.raises(errors, match=refused):
                    RUNS[name](scoring=one, **words)
            continue
        by_name = np.asarray(RUNS[name](scoring=scoring, **words), dtype=float)

        assert np.isfinite(by_name).all()
        assert np.array_equal(by_name, RUNS[name](scoring=get_scorer(scoring), **words))


AGAINST_CHAMPION = {"McNemar": McNemarScorer, "DeLong": DeLongScorer}
NO_CHAMPION = {
    "HistGradientBoostingClassifier": "while it is fitted",
    "HistGradientBoostingRegressor": "while it is fitted",
    "RFECV": "knows 3 features",
    "RidgeCV": "must be class labels",
    "SequentialFeatureSelector": "knows 3 features",
    "TunedThresholdClassifierCV": "threshold",
}
"""Where a champion cannot be asked, with what is said."""
if parse_version(sklearn.__version__) < parse_version("1.7"):
    NO_CHAMPION["LogisticRegressionCV"] = "look like codes"


@looked_at(SCORED, NO_CHAMPION)
def test_scorers_against_a_champion(places):
    """A finite score, or an error that says what to do instead."""
    champion = LogisticRegression().fit(X, Y)
    for kind, name in itertools.product(AGAINST_CHAMPION, places):
        scorer = AGAINST_CHAMPION[kind](champion)
        if name in NO_CHAMPION:
            with pytest.raises(BaseException, match=NO_CHAMPION[name]) as caught:
                RUNS[name](scoring=scorer, **text_of(name))
            assert not isinstance(caught.value, KeyboardInterrupt)
            continue

        assert np.isfinite(np.asarray(RUNS[name](scoring=scorer, **text_of(name)))).all()


def comparators(cv):
    """What selects a classifier, as one estimator."""
    three = [("a", GaussianNB()), ("b", LogisticRegression()), ("c", GaussianNB())]
    settings = {"cv": cv, "refit": True, "random_state": 0}
    return [
        PairedComparator(*(one for _, one in three[:2]), **settings),
        MultipleComparator(three, **settings),
    ]


OWN_ESTIMATOR = {
    "ClassifierChain", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor",
    "LogisticRegressionCV", "RegressorChain", "RidgeCV", "RidgeClassifierCV",
    "StackingRegressor", "TargetEncoder", "check_cv", "RFECV", *OF_NUMBERS,
}  # fmt: skip
"""They hold none, or one of another kind: RFECV asks for coefficients."""


@pytest.mark.parametrize(
    ("places", "cv"),
    [
        pytest.param({"CalibratedClassifierCV", "cross_validate"}, 2, id="few"),
        pytest.param({*SCORED, *SPLIT}, None, id="all", marks=pytest.mark.slow),
    ],
)
def test_comparators_as_estimators(places, cv):
    """They are scored, searched, stacked and calibrated as any classifier."""
    for comparator, name in itertools.product(
        comparators(cv), sorted(places - OWN_ESTIMATOR)
    ):
        scoring = {"scoring": "accuracy"} if name in SCORED else {}
        words = text_of(name) | scoring
        found = np.asarray(RUNS[name](comparator, **words), dtype=float)

        assert found.size
        assert np.isfinite(found).all()
