"""What data scientists pass: any floats, any containers, any version of scikit-learn."""

import itertools
import random
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    hinge_loss,
    log_loss,
    make_scorer,
    precision_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import TargetEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import check_param_validation

from skcompare import MultipleComparator, PairedComparator, PairedEstimator, cross_compare
from skcompare._core.validation import check_probabilities
from skcompare.evidence import PairedLosses
from skcompare.exceptions import (
    ChampionMismatchError,
    EstimatorFailedError,
    EstimatorValueError,
)
from skcompare.gate import Gate, NonInferior, Superior
from skcompare.metrics import (
    DeLongScorer,
    McNemarScorer,
    PrecisionScorer,
    get_scorer,
    get_scorer_names,
    negative_predictive_value,
)
from skcompare.predictions import collect_predictions

# 13. Floats of four bytes.


def small_floats(seed, dtype=np.float32):
    """Records of which a naive Bayes classifier is very sure."""
    X, y = make_classification(300, 10, random_state=seed)
    return (3 * X).astype(dtype), y


def test_probabilities_of_float32_records():
    """Rows sum to 1 as closely as such floats can, and are compared as those of float64."""
    measures = ["accuracy", "roc_auc", "neg_log_loss", "binary_brier_loss"]
    pair = GaussianNB(), LogisticRegression(max_iter=500)
    for seed in range(2):
        X, y = small_floats(seed)
        found, exact = (
            PairedComparator(*pair, cv=3, scoring=measures, random_state=0)
            .fit(records, y)
            .comparison_.rows
            for records in (X, X.astype(np.float64))
        )

        assert measures == [row.measure for row in found]
        for row, other in zip(found, exact, strict=True):
            assert row.pvalue == pytest.approx(other.pvalue, abs=0.05)
            assert row.difference == pytest.approx(other.difference, abs=1e-3)


def test_scorer_of_float32_records():
    """It gives a number, and not NaN."""
    X, y = small_floats(0)
    champion = GaussianNB().fit(X[:150], y[:150])
    challenger = LogisticRegression().fit(X[:150], y[:150])

    assert np.isfinite(DeLongScorer(champion)(challenger, X[150:], y[150:]))


class Scaled(GaussianNB):
    """Probabilities that add up to less than 1."""

    def predict_proba(self, X):
        return 0.7 * super().predict_proba(X)


def test_a_ranking_asks_for_no_sums():
    """The same order has the same AUC; a loss of such scores is refused, also by a gate."""
    X, y = small_floats(1, np.float64)
    plain, scaled = (
        PairedComparator(one, LogisticRegression(), cv=5, scoring="roc_auc").fit(X, y)
        for one in (GaussianNB(), Scaled())
    )

    assert plain.comparison_.rows[0].pvalue == scaled.comparison_.rows[0].pvalue
    assert Gate(Superior("roc_auc")).decide(scaled).outcomes[0].row is not None
    decision = Gate(NonInferior("binary_brier_loss", margin=0.1)).decide(scaled)
    assert "inconclusive" == decision.status
    assert "a classifier with predict_proba" in decision.outcomes[0].reasons[0]
    with pytest.raises(
        EstimatorValueError, match=r"sums to 0\.7, and float64 is near enough within 1e-06"
    ):
        PairedComparator(
            Scaled(), LogisticRegression(), scoring="neg_log_loss", random_state=0
        ).fit(X, y)


def test_sums_by_the_type_that_came_in():
    """What is near enough is brought to 1, and what is not shows its digits."""
    for dtype, off, fits in [
        (np.float64, 5e-7, True),
        (np.float64, 1e-5, False),
        (np.float32, 5e-4, True),
        (np.float32, 5e-3, False),
        (np.float16, 0.02, True),
        (np.float16, 0.1, False),
    ]:
        proba = np.array([[0.5 + off, 0.5], [1.0, 0.0]]).astype(dtype)
        if not fits:
            with pytest.raises(
                ValueError, match=rf"Row 0 sums to 1\..*{np.dtype(dtype)} is near"
            ):
                check_probabilities("p", proba, 2)
            continue
        found = check_probabilities("p", proba, 2)

        assert found.dtype == np.float64
        assert found.sum(axis=1) == pytest.approx(1, abs=1e-6)
        if dtype is not np.float64:
            column = np.array([1 + off / 2, 0.5]).astype(dtype)
            assert 1 == check_probabilities("p", column, 2).max()


# 17. Scorers.


def test_negative_predictive_value_warns_as_precision_does():
    """Without a negative prediction it is 0, and the warning is scikit-learn's."""
    y, said = np.array([0, 1, 1, 0]), np.ones(4, dtype=int)
    with pytest.warns(UndefinedMetricWarning, match="counts as 0"):
        assert 0.0 == negative_predictive_value(y, said)
    with pytest.warns(UndefinedMetricWarning):
        assert 0.0 == precision_score(y, 1 - said)


@pytest.fixture
def routing():
    """Metadata routing of scikit-learn is on."""
    with config_context(enable_metadata_routing=True):
        yield


NAMED = {
    "mcnemar": (McNemarScorer, "champion_predictions"),
    "delong": (DeLongScorer, "champion_scores"),
    "gee_precision": (PrecisionScorer, "champion_predictions"),
}


@cache
def records():
    """Records with the out-of-sample predictions of a champion."""
    X, y = make_classification(300, 10, flip_y=0.2, random_state=0)
    words = {"cv": 3, "method": "predict_proba", "params": {}}
    proba = cross_val_predict(GaussianNB(), X, y, **words)
    return X, y, {"champion_predictions": proba.argmax(axis=1), "champion_scores": proba}


@pytest.mark.parametrize("name", NAMED)
def test_champion_scorers_by_name(name, routing):
    """The same scores as by the object, with the champion's predictions as metadata."""
    X, y, stored = records()
    kind, needs = NAMED[name]
    words = {"cv": 3, "params": {needs: stored[needs]}}
    model = LogisticRegression()
    by_name = cross_val_score(model, X, y, scoring=name, **words)

    assert (
        by_name.tolist() == cross_val_score(model, X, y, scoring=kind(), **words).tolist()
    )
    assert np.isfinite(by_name).all()
    assert name in get_scorer_names()
    assert isinstance(get_scorer(name, returns="statistic"), kind)


def test_a_champion_that_is_not_routed():
    """The error shows the call that routes it."""
    X, y, _ = records()
    fitted = LogisticRegression().fit(X, y)
    for name, on in itertools.product(NAMED, [False, True]):
        with config_context(enable_metadata_routing=on):
            with pytest.raises(ValueError, match=r"needs a champion.*params=\{") as caught:
                get_scorer(name)(fitted, X, y)
            assert NAMED[name][1] in str(caught.value)
            with pytest.raises(ValueError, match="scores a classifier against a champion"):
                PairedComparator(GaussianNB(), LogisticRegression(), scoring=name).fit(X, y)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_selectors_of_features_do_not_go_on(n_jobs):
    """A champion that knows other features ends them, and selects nothing."""
    X, y, _ = records()
    for scorer in (McNemarScorer, DeLongScorer):
        champion = scorer(GaussianNB().fit(X, y))
        words = {"scoring": champion, "cv": 3, "n_jobs": n_jobs}
        selectors = (
            SequentialFeatureSelector(
                LogisticRegression(), n_features_to_select=2, **words
            ),
            RFECV(LogisticRegression(), step=5, **words),
        )
        for selector in selectors:
            with pytest.raises(
                ChampionMismatchError, match=r"knows 10 features.*Route stored"
            ):
                selector.fit(X, y)
            assert not hasattr(selector, "support_")
        # A search gives the scorer all features, whatever its pipeline does with them.
        search = GridSearchCV(
            make_pipeline(PCA(2), GaussianNB()), {"pca__n_components": [1]}, **words
        )
        assert np.isfinite(search.fit(X, y).best_score_)


def test_scorers_have_names():
    """As functions have; that of a statistic says so."""
    X, y, _ = records()
    champion = GaussianNB().fit(X, y)

    assert "mcnemar" == McNemarScorer(champion).__name__
    assert McNemarScorer(champion, returns="statistic").__name__.endswith("_statistic")
    assert "delong" == get_scorer("delong").__name__
    assert get_scorer("sensitivity").__name__


# 16. Files of skops.


def in_a_file_of_skops(comparator, X, y):
    """A fitted comparator beside what loads of it, after its report is compared."""
    skops_io = pytest.importorskip("skops.io")
    fitted = comparator.fit(X, y)
    data = skops_io.dumps(fitted)
    types = skops_io.get_untrusted_types(data=data)
    loaded = skops_io.loads(data, trusted=types)

    assert str(fitted.comparison_) == str(loaded.comparison_)
    assert fitted.comparison_.to_json() == loaded.comparison_.to_json()
    assert fitted.verdict_ == loaded.verdict_
    assert [*fitted.results_] == [*loaded.results_]
    return fitted, loaded


def test_a_fitted_comparator_in_a_file_of_skops():
    """It loads back with its report and its predictions."""
    X, y, _ = records()
    pair = PairedComparator(GaussianNB(), LogisticRegression(), cv=3, refit=True)
    fitted, loaded = in_a_file_of_skops(pair, X, y)

    assert fitted.predict(X).tolist() == loaded.predict(X).tolist()


@pytest.mark.slow
def test_default_splits_in_a_file_of_skops():
    """They load back with the report, of two and of several."""
    X, y, _ = records()
    three = [("a", GaussianNB()), ("b", LogisticRegression()), ("c", DummyClassifier())]
    pair = PairedComparator(GaussianNB(), LogisticRegression(), random_state=0)
    in_a_file_of_skops(pair, X, y)
    in_a_file_of_skops(MultipleComparator(three, random_state=0), X, y)


# 15. Before the fits.


class Counting(LinearSVC):
    """Counts its fits."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counting.fits += 1
        return super().fit(X, y, sample_weight)


@pytest.fixture
def counting():
    """A classifier that counts from 0, without probabilities."""
    Counting.fits = 0
    return Counting()


OF_PROBABILITIES = [
    {"scoring": "binary_brier_loss"},
    {"scoring": ["accuracy", "neg_log_loss"]},
    {"scoring": "neg_brier_score"},
    {"scoring": "roc_auc_ovr"},
    {"scoring": make_scorer(log_loss, response_method="predict_proba")},
    {"tests": "calibration_difference", "cv": 5},
    {"tests": "paired_t", "cv": 5},
]


@pytest.mark.filterwarnings("ignore:There will be no")
def test_measures_that_a_classifier_cannot_prediction(counting):
    """Its first fit says so, and what would help."""
    X, y, _ = records()
    for settings in OF_PROBABILITIES:
        Counting.fits = 0
        with pytest.raises(EstimatorValueError, match="has no predict_proba") as caught:
            PairedComparator(GaussianNB(), counting, random_state=0, **settings).fit(X, y)

        assert 1 == Counting.fits
        assert "challenger (Counting)" in str(caught.value)
        assert "CalibratedClassifierCV" in str(caught.value)


def test_probabilities_that_come_with_the_fit():
    """A stacking classifier has them, though it says so only once it is fitted."""
    X, y, _ = records()
    stacking = StackingClassifier([("bayes", GaussianNB())], cv=2)
    fitted = PairedComparator(GaussianNB(), stacking, cv=3, scoring="binary_brier_loss")

    assert fitted.fit(X, y).comparison_.rows[0].pvalue <= 1


def test_decision_scores_do_for_the_rest(counting):
    """Measures of labels, of rankings, and a scorer that asks for decision scores."""
    hinge = make_scorer(
        hinge_loss, greater_is_better=False, response_method="decision_function"
    )
    X, y, _ = records()
    for scoring in ("accuracy", "roc_auc", "f1", {"hinge": hinge}):
        fitted = PairedComparator(
            counting, LinearSVC(C=0.1), cv=StratifiedKFold(3), scoring=scoring,
            random_state=0,
        )  # fmt: skip

        assert fitted.fit(X, y).comparison_.rows[0].pvalue <= 1


def few_positives(n, at_the_end=False):
    """Records of which few are positive."""
    X, _, _ = records()
    y = np.zeros(len(X), dtype=int)
    y[: n if n else None] = 1
    return X, y[::-1] if at_the_end else y


def test_class_too_small_for_the_default_splits(counting):
    """It is refused by name before the first fit, with a way out."""
    three = [("a", GaussianNB()), ("b", counting), ("c", DummyClassifier())]
    for n, comparator in itertools.product(
        [1, 2], [PairedComparator(GaussianNB(), counting), MultipleComparator(three)]
    ):
        with pytest.raises(
            ValueError, match=f"class 1 has {n} members, and 3 would do.*leave"
        ):
            comparator.fit(*few_positives(n))

        assert 0 == Counting.fits


@pytest.mark.filterwarnings("ignore:There will be no", "ignore:The training set of")
def test_measure_that_lacks_a_class_everywhere(counting):
    """Positive records that no test set has are named before the first fit."""
    for scoring, cv in itertools.product(
        ["roc_auc", "sensitivity", "average_precision"],
        [TimeSeriesSplit(4), [(np.arange(150), np.arange(150, 300))]],
    ):
        X, y = few_positives(3)
        for about in (scoring, f"{scoring}[1]"):
            words = r"undefined on every test set.*rarest class, 1, has 3 records"
            with pytest.raises(ValueError, match=words):
                PairedComparator(GaussianNB(), counting, cv=cv, scoring=about).fit(X, y)

        assert 0 == Counting.fits


def test_measure_that_lacks_a_class_somewhere(counting):
    """One test set with both classes is enough."""
    X, y = few_positives(4)
    y = y[np.random.default_rng(0).permutation(len(y))]
    cv = StratifiedKFold(5)
    with pytest.warns(UserWarning, match="least populated class in y has only 4 members"):
        fitted = PairedComparator(GaussianNB(), counting, cv=cv, scoring="roc_auc").fit(
            X, y
        )

    assert "undefined-in-split" in fitted.comparison_.rows[0].flags


def test_training_set_of_one_class(counting):
    """It is named before the first fit, which may fail on it."""
    X, y = few_positives(150, at_the_end=True)
    cv = [(np.arange(200), np.arange(200, 300)), (np.arange(100), np.arange(100, 200))]
    words = "training set of split 1 has class 0 alone"
    with pytest.warns(UserWarning, match=words), pytest.raises(EstimatorValueError):
        PairedComparator(GaussianNB(), counting, cv=cv, tests="mcnemar").fit(X, y)


NO_TEST = {
    "measure": {"scoring": "average_precision"},
    "second": {"scoring": ["accuracy", "average_precision"]},
    "custom": {"scoring": make_scorer(accuracy_score)},
}


def test_design_without_test():
    """A warning says so before the first fit, and which design has one."""
    X, y, _ = records()
    unfit = FailedFit()
    for name, settings in NO_TEST.items():
        lacks = "p-value" if name == "second" else "verdict"
        words = f"There will be no {lacks}: no test of .* is valid for"
        with pytest.warns(UserWarning, match=words), pytest.raises(EstimatorValueError):
            PairedComparator(unfit, unfit, random_state=0, **settings).fit(X, y)


class FailedFit(DummyClassifier):
    """Cannot be fitted."""

    def fit(self, X, y, sample_weight=None):
        raise ValueError("no")


# 14. Seeds.


class Dice(ClassifierMixin, BaseEstimator):
    """Predictions that numpy's global generator makes, or Python's."""

    def __init__(self, python=False):
        self.python = python

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.coef_ = np.array([random.gauss(0, 1) for _ in range(X.shape[1])])
        if not self.python:
            self.coef_ = check_random_state(None).normal(size=X.shape[1])
        return self

    def predict(self, X):
        return self.classes_[(X @ self.coef_ > 0).astype(int)]


class LateDice(Dice):
    """Predictions that are drawn when they are asked for."""

    def predict(self, X):
        return self.classes_[check_random_state(None).randint(2, size=len(X))]


def unseeded():
    """Estimators whose random numbers no parameter of theirs sets."""
    grid = {"estimator": [DecisionTreeClassifier(max_features=1, splitter="random")]}
    search = GridSearchCV(BaggingClassifier(n_estimators=1), grid, cv=2)
    encoder = make_pipeline(
        TargetEncoder(categories=[np.arange(5)] * 4, cv=2), LogisticRegression()
    )
    dice = {"dice": Dice(), "python": Dice(python=True), "late": LateDice()}
    return dice | {"grid": search, "encoder": encoder}


def test_equal_classifiers_are_equal_and_repeat():
    """Whatever generator they use, both begin alike, and again with each run."""
    X = np.random.default_rng(0).integers(5, size=(200, 4)).astype(float)
    y = (X.sum(axis=1) + np.random.default_rng(1).normal(size=200) > 8).astype(int)
    for name in unseeded():
        before = check_random_state(None).get_state()[1].tolist(), random.getstate()
        split = ShuffleSplit(1, test_size=0.5)
        runs = [
            PairedComparator(unseeded()[name], unseeded()[name], cv=split, random_state=0)
            for _ in range(2)
        ]

        for run in runs:
            predictions = run.fit(X, y).predictions_
            one, two = (predictions[role].labels for role in ("champion", "challenger"))
            assert one.tolist() == two.tolist()
            assert 1.0 == run.comparison_.rows[0].pvalue
        first, second = (run.predictions_["champion"].labels.tolist() for run in runs)
        assert first == second
        assert before == (
            check_random_state(None).get_state()[1].tolist(),
            random.getstate(),
        )


def test_a_failed_fit_leaves_the_generators():
    """Their states are those from before the first fit, whichever fit fails."""
    X, y, _ = records()
    before = check_random_state(None).get_state()[1].tolist(), random.getstate()
    with pytest.raises(EstimatorValueError, match="no"):
        PairedComparator(Dice(), FailedFit(), cv=2, random_state=0).fit(X, y)
    after = check_random_state(None).get_state()[1].tolist(), random.getstate()

    assert before == after


class Unseeded(DecisionTreeClassifier):
    """Takes its random numbers from the computer, whatever seed it has."""

    def predict(self, X):
        return np.random.default_rng().integers(2, size=len(X))


class NoSeed(Dice):
    """Its `random_state` is one in name only."""

    def __init__(self, random_state="deprecated"):
        self.random_state = random_state

    @property
    def python(self):
        return False


def in_a_grid(estimator):
    """A search that no deep parameter leads through."""
    return GridSearchCV(BaggingClassifier(n_estimators=2), {"estimator": [estimator]}, cv=2)


@pytest.mark.parametrize("several", [False, True])
def test_classifiers_that_do_not_repeat(several):
    """They are found by a second fit on the first split, where that is requested."""
    X, y, _ = records()
    kind, roles = PairedComparator, (DecisionTreeClassifier(), Unseeded())
    if several:
        kind, roles = MultipleComparator, ([*zip("abc", (*roles, GaussianNB()))],)
    for requested in (False, True):
        fitted = kind(*roles, cv=3, check_reproducible=requested, random_state=0).fit(X, y)

        assert requested == ("not-reproducible" in fitted.comparison_.flags)
        assert not requested or "not-reproducible" in str(fitted.comparison_)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_classifiers_that_repeat(n_jobs):
    """Whatever generator they use, a second fit is the same, and nothing is flagged."""
    X, y, _ = records()
    for estimator in (DecisionTreeClassifier(max_features=1), Dice()):
        fitted = PairedComparator(
            estimator, GaussianNB(), cv=3, check_reproducible=True, random_state=0,
            n_jobs=n_jobs,
        ).fit(X, y)  # fmt: skip

        assert "not-reproducible" not in fitted.comparison_.flags


REACHED = {
    "tree": (DecisionTreeClassifier(), True),
    "pipeline": (make_pipeline(TruncatedSVD(2), DecisionTreeClassifier()), True),
    "vote": (VotingClassifier([("tree", DecisionTreeClassifier())]), True),
    "generator": (DecisionTreeClassifier(random_state=np.random.RandomState(0)), True),
    "frozen": (FrozenEstimator(DecisionTreeClassifier().fit([[0], [1]], [0, 1])), True),
    "no seed": (NoSeed(), False),
    "inside": (make_pipeline(NoSeed()), False),
    "grid": (in_a_grid(DecisionTreeClassifier()), False),
    "seeded grid": (in_a_grid(DecisionTreeClassifier(random_state=0)), True),
}


@pytest.mark.slow
def test_random_states_that_no_seed_reaches(monkeypatch):
    """Where one is, a second fit tells whether it matters."""
    X, y, _ = records()
    seen = []
    monkeypatch.setattr(
        "skcompare.comparators._comparators.collect_predictions",
        lambda *args, twice, **words: (
            seen.extend(twice) or collect_predictions(*args, twice=twice, **words)
        ),
    )
    for name, (estimator, reached) in REACHED.items():
        seen.clear()
        fitted = PairedComparator(
            GaussianNB(), estimator, cv=2, allow_mixed=True, random_state=0
        ).fit(X[:, :1] if name == "frozen" else X, y)

        assert ([] if reached else ["challenger"]) == seen
        assert "not-reproducible" not in fitted.comparison_.flags


class Unclonable(Dice):
    """Changes its parameter, which no estimator may."""

    def __init__(self, python=()):
        self.python = [*python]


def test_a_classifier_that_cannot_be_cloned_is_named():
    """Looking for its seeds does not hide who it is."""
    X, y, _ = records()
    with pytest.raises(EstimatorFailedError, match=r"challenger .*split 0.*Cannot clone"):
        PairedComparator(GaussianNB(), Unclonable([1])).fit(X, y)


# 18. Parameters and callbacks.


@pytest.mark.parametrize(
    "estimator",
    [
        PairedComparator(GaussianNB(), DummyClassifier()),
        MultipleComparator([(name, DummyClassifier(strategy="uniform")) for name in "abc"]),
        PairedEstimator(GaussianNB(), DummyClassifier()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_parameters_are_checked_as_scikit_learns_are(estimator):
    """By the check that its own estimators pass; nothing is fitted."""
    check_param_validation(type(estimator).__name__, estimator)
    for name, value in (("n_jobs", "two"), ("n_jobs", 1.5), ("verbose", "much")):
        if name in estimator.get_params(deep=False):
            with pytest.raises(InvalidParameterError, match=f"'{name}' parameter"):
                clone(estimator).set_params(**{name: value}).fit([[0], [1]], [0, 1])


def test_parameters_of_cross_compare():
    """As those of cross_validate."""
    X, y, _ = records()
    for name, value in [
        ("n_jobs", "two"),
        ("verbose", "much"),
        ("error_score", "rais"),
        ("return_estimator", 1),
        ("random_state", "zero"),
        ("params", [1]),
    ]:
        with pytest.raises(
            InvalidParameterError, match=f"'{name}' parameter of cross_compare must be"
        ):
            cross_compare({"bayes": GaussianNB()}, X, y, **{name: value})


def test_parameters_are_not_checked_where_scikit_learn_skips_it():
    """The configuration holds for these estimators, too."""
    X, y, _ = records()
    with config_context(skip_parameter_validation=True):
        fitted = PairedComparator(GaussianNB(), DummyClassifier(), refit=0).fit(X, y)

    assert not hasattr(fitted, "selected_estimator_")


@pytest.mark.newest
@pytest.mark.skipif(
    find_spec("rich") is None or find_spec("sklearn.callback") is None,
    reason="needs sklearn.callback",
)
def test_a_pair_has_callbacks(capsys):
    """scikit-learn's progress bar follows its two fits, and nothing else changes."""
    from sklearn.callback import ProgressBar

    X, y, _ = records()
    pair = PairedEstimator(GaussianNB(), DummyClassifier()).set_callbacks(ProgressBar())

    assert pair.fit(X, y).champion_.predict(X).tolist() == (
        GaussianNB().fit(X, y).predict(X).tolist()
    )
    assert "PairedEstimator" in capsys.readouterr().out


def test_masked_probabilities_are_missing():
    """What a mask hides is no probability."""
    proba = np.ma.masked_array([[0.5, 0.5], [0.2, 0.8]], mask=[[0, 0], [0, 1]])

    with pytest.raises(ValueError, match="must not have missing values"):
        check_probabilities("p", proba, 2)


def test_masked_losses_are_missing():
    """Nor is it a loss."""
    hidden = np.ma.masked_array([0.5, 0.2, 0.1], mask=[0, 1, 0])

    with pytest.raises(ValueError, match="1 others, the first at position 1"):
        PairedLosses.from_losses(hidden, [0.1, 0.2, 0.3])
