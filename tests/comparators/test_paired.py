"""PairedComparator: from two estimators to a verdict."""

from functools import partial
from importlib.util import find_spec

import joblib
import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skcompare import BlockRegularized5x2CV, Comparison, PairedComparator
from skcompare.evidence import BlockDifferences, PairedBlocks
from skcompare.exceptions import EstimatorFailedError
from skcompare.model_selection import BlockRegularizedMx2CV
from skcompare.stats import bcv_jackknife_t, bcv_mcnemar
from tests.common.optional import made


@pytest.fixture(scope="module")
def data():
    """Two classes that a linear model tells apart, more or less."""
    return make_classification(n_samples=200, n_features=5, flip_y=0.1, random_state=0)


def tree(depth=2):
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


class Recorder(ClassifierMixin, BaseEstimator):
    """Counts its fits in a list that clones share, and predicts the first class."""

    fits: list[int] = []

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.fits.append(self.random_state)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Failing(ClassifierMixin, BaseEstimator):
    """Fails to fit."""

    def fit(self, X, y):
        raise ZeroDivisionError("no luck")

    def predict(self, X):
        return X


def test_default_splits_tables_and_tests(data):
    """They are those of the 5×2 BCV; the published test is there by its name."""
    X, y = data
    champion, challenger = tree(1), make_pipeline(StandardScaler(), LogisticRegression())
    comparator = PairedComparator(
        champion, challenger, tests="bcv_mcnemar", random_state=3
    ).fit(X, y)
    tables, gains = [], []
    for train, test in BlockRegularized5x2CV(random_state=3).split(X, y):
        first = clone(champion).fit(X[train], y[train]).predict(X[test]) == y[test]
        second = clone(challenger).fit(X[train], y[train]).predict(X[test]) == y[test]
        cells = (first & second, first & ~second, ~first & second, ~first & ~second)
        tables.append([int(cell.sum()) for cell in cells])
        gains.append((test, second.astype(float) - first))
    expected = bcv_mcnemar(PairedBlocks(np.reshape(tables, (5, 2, 4))))
    in_first, differences = np.zeros((5, len(y)), dtype=bool), np.empty((5, len(y)))
    for split, (test, gain) in enumerate(gains):
        in_first[split // 2, test] = split % 2 == 0
        differences[split // 2, test] = gain
    blocks = BlockDifferences.from_records(differences, in_first, strata=y)
    for test, result in (
        ("bcv_mcnemar", expected),
        ("bcv_jackknife_t", bcv_jackknife_t(blocks)),
    ):
        row = comparator.results_["accuracy", None, test]
        assert result.pvalue == pytest.approx(row.pvalue, rel=1e-12)
        assert result.estimate == pytest.approx(row.difference, rel=1e-12)
        assert tuple(result.confidence_interval()) == pytest.approx((row.low, row.high))
        assert row.primary == (test == "bcv_jackknife_t")
    assert "bcv" == comparator.predictions_.design.kind
    assert 10 == comparator.comparison_.n_fits


def test_fits_are_counted(data):
    """Two classifiers under 5×2 BCV make twenty fits, and refit one more."""
    Recorder.fits.clear()
    PairedComparator(Recorder(), Recorder(), refit=True).fit(*data)

    assert 21 == len(Recorder.fits)


def test_seeds_are_shared_within_a_split(data):
    """Both classifiers of a split get one seed, and splits get different ones."""
    Recorder.fits.clear()
    PairedComparator(Recorder(), Recorder(), random_state=0).fit(*data)
    champion, challenger = Recorder.fits[::2], Recorder.fits[1::2]

    assert champion == challenger
    assert 10 == len(set(champion))


def test_given_seeds_stay(data):
    """A random_state that is set is left as it is."""
    Recorder.fits.clear()
    PairedComparator(Recorder(random_state=7), Recorder(random_state=7)).fit(*data)

    assert {7} == set(Recorder.fits)


@pytest.mark.parametrize("random_state", [None, 0, np.random.RandomState(0)])
def test_equal_forests_do_not_differ(data, random_state):
    """Two equal forests prediction alike, whatever the random state."""
    X, y = data
    forests = [RandomForestClassifier(3), RandomForestClassifier(3)]
    comparator = PairedComparator(*forests, cv=2, random_state=random_state).fit(X, y)
    row = comparator.results_["accuracy"]

    assert (0, 1, "inconclusive") == (row.difference, row.pvalue, comparator.verdict_)
    assert row.low <= 0 <= row.high


def test_forests_within_a_vote_stay_different(data):
    """Nested random states get seeds of their own."""
    vote = VotingClassifier(
        [("a", RandomForestClassifier(2)), ("b", RandomForestClassifier(2))]
    )
    comparator = PairedComparator(vote, vote, cv=2, refit=True, random_state=0).fit(*data)
    first, second = comparator.selected_estimator_.estimators_

    assert first.random_state != second.random_state


@pytest.mark.parametrize("n_samples", [16, 17, 40])
def test_equal_classifiers_on_few_records(n_samples):
    """Equal classifiers give 0 and p = 1 also on 16 records, without warning."""
    X, y = make_classification(n_samples=n_samples, random_state=0)
    row = PairedComparator(GaussianNB(), GaussianNB(), random_state=0).fit(X, y).results_
    row = row["accuracy"]

    assert (0, 1) == (row.difference, row.pvalue)


def test_perfect_predictions():
    """Two perfect classifiers are inconclusive, with p = 1."""
    y = np.repeat([0, 1], 40)
    comparator = PairedComparator(tree(), GaussianNB(), random_state=0)
    row = comparator.fit(y[:, np.newaxis] + 0.0, y).results_["accuracy"]

    assert (1, 1, 0, 1) == (row.champion, row.challenger, row.difference, row.pvalue)
    assert "degenerate" in row.flags


def test_verdict():
    """The verdict names the better classifier, where the alternative looks for it."""
    X, y = load_iris(return_X_y=True)
    for champion, challenger, alternative, expected in [
        (DummyClassifier(), GaussianNB(), "two-sided", "challenger"),
        (GaussianNB(), DummyClassifier(), "two-sided", "champion"),
        (DummyClassifier(), GaussianNB(), "greater", "challenger"),
        (GaussianNB(), DummyClassifier(), "greater", "inconclusive"),
        (GaussianNB(), DummyClassifier(), "less", "champion"),
    ]:
        comparator = PairedComparator(
            champion, challenger, cv=5, alternative=alternative, random_state=0
        ).fit(X, y)

        assert expected == comparator.verdict_ == comparator.comparison_.verdict


@pytest.mark.parametrize(
    "backends",
    [
        pytest.param(["threading", "sequential"], id="one process"),
        pytest.param(["loky"], id="processes", marks=pytest.mark.slow),
    ],
)
def test_same_prediction_for_every_backend(data, backends):
    """The comparison does not depend on how the fits are spread."""
    comparator = PairedComparator(
        RandomForestClassifier(3), tree(None), cv=3, random_state=5
    )
    expected = clone(comparator).fit(*data)
    for backend in backends:
        with joblib.parallel_config(backend=backend, n_jobs=2):
            actual = clone(comparator).set_params(n_jobs=2).fit(*data)

        for one, other in zip(
            expected.predictions_.estimators, actual.predictions_.estimators, strict=True
        ):
            np.testing.assert_array_equal(one.labels, other.labels)
        assert expected.results_["accuracy"].pvalue == actual.results_["accuracy"].pvalue


def test_estimators_are_not_touched(data):
    """The given estimators are neither fitted nor changed."""
    champion, challenger = RandomForestClassifier(3), tree()
    PairedComparator(champion, challenger, cv=3, refit=True, random_state=0).fit(*data)

    assert champion.random_state is None
    assert not hasattr(champion, "estimators_")
    assert not hasattr(challenger, "tree_")


def as_pandas(X):
    return pytest.importorskip("pandas").DataFrame(X, columns=list("abcde"))


def as_polars(X):
    return pytest.importorskip("polars").DataFrame(X, schema=list("abcde"))


CONTAINERS = {
    "pandas": as_pandas,
    "polars": as_polars,
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_matrix,
    "fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32).astype(np.float64),
    "list": lambda X: X.tolist(),
}


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_containers_of_records(data, n_jobs):
    """Every container of X gives the prediction of the array."""
    X, y = data
    X = X.astype(np.float32).astype(np.float64)
    comparator = PairedComparator(tree(1), tree(3), cv=2, random_state=1, n_jobs=n_jobs)
    expected = clone(comparator).fit(X, y).results_["accuracy"]
    containers = {name: partial(make, X) for name, make in CONTAINERS.items()}
    for _, records in made(containers):
        actual = clone(comparator).fit(records, y).results_["accuracy"]

        assert (expected.difference, expected.pvalue) == (actual.difference, actual.pvalue)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_categorical_pipeline(n_jobs):
    """A pipeline that encodes strings works on a frame, also in two processes."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"colour": rng.choice(["red", "blue"], 120), "x": rng.normal(size=120)}
    )
    y = np.where(X["colour"] == "red", "a", "b")
    champion = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    comparator = PairedComparator(
        champion, DummyClassifier(), cv=5, random_state=0, n_jobs=n_jobs
    )

    assert "champion" == comparator.fit(X, y).verdict_
    assert ["colour", "x"] == comparator.feature_names_in_.tolist()


def test_class_missing_from_a_training_set():
    """Probabilities are aligned to all classes where a training set lacks one."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1, 2], [30, 29, 1])
    comparator = PairedComparator(
        GaussianNB(),
        tree(),
        cv=BlockRegularized5x2CV(stratify=False),
        scoring=["accuracy", "multiclass_brier_loss"],
        random_state=0,
    ).fit(X, y)
    proba = comparator.predictions_["champion"].proba

    assert (300, 3) == proba.shape
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_class_with_fewer_members_than_blocks():
    """It is warned of before the fits, and flagged."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1, 2], [30, 25, 5])
    with pytest.warns(UserWarning, match="class 2 has 5 members, fewer than the 8 blocks"):
        comparator = PairedComparator(GaussianNB(), tree(), random_state=0).fit(X, y)

    assert "small-class" in comparator.comparison_.flags


def test_decision_scores_where_there_are_no_probabilities(data):
    """A classifier without probabilities gives its decision scores."""
    X, y = data
    comparator = PairedComparator(
        RidgeClassifier(), LogisticRegression(), cv=2, scoring="roc_auc", random_state=0
    ).fit(X, y)

    assert comparator.predictions_["champion"].proba is None
    assert comparator.predictions_["champion"].decision.shape == (200,)
    assert comparator.results_["roc_auc"].champion > 0.8


@pytest.mark.parametrize("classes", [["no", "yes"], ["yes", "no"], [1, 2]])
def test_the_auc_needs_no_positive_class(data, classes):
    """Its p-value is that of classes 0 and 1, whatever the two labels are."""
    X, y = data
    pair = partial(PairedComparator, tree(), GaussianNB(), scoring="roc_auc")
    positive, splits = classes[1], BlockRegularized5x2CV(stratify=False, random_state=0)
    expected = pair(cv=splits).fit(X, y).results_["roc_auc"]
    row = pair(cv=splits).fit(X, np.array(classes)[y]).results_["roc_auc"]
    declared = pair(cv=splits, pos_label=positive).fit(X, np.array(classes)[y])

    assert 0 < expected.pvalue < 1
    assert expected.pvalue == pytest.approx(row.pvalue)
    assert expected.difference == pytest.approx(row.difference)
    assert expected.pvalue == pytest.approx(declared.results_["roc_auc"].pvalue)
    assert () == row.flags


def test_only_needed_predictions_are_kept(data):
    """Accuracy needs labels only, and a ranking no labels."""
    X, y = data
    pair = {"champion": tree(), "challenger": tree(), "cv": 2}
    by_label = PairedComparator(**pair).fit(X, y).predictions_
    by_score = PairedComparator(**pair, scoring="roc_auc").fit(X, y).predictions_

    assert by_label["champion"].proba is None
    assert by_label["champion"].labels.dtype == np.int8
    assert by_score["champion"].labels is None
    assert by_score["champion"].proba.dtype == np.float64


@pytest.mark.parametrize("via", ["cv", "frozen"])
def test_prefit_is_a_holdout(data, via):
    """Fitted classifiers are used as they are, and McNemar's test compares them."""
    X, y = data
    fitted = [tree(1).fit(X[:100], y[:100]), GaussianNB().fit(X[:100], y[:100])]
    if via == "cv":
        comparator = PairedComparator(*fitted, cv="prefit")
    else:
        comparator = PairedComparator(*map(FrozenEstimator, fitted))
    comparator.fit(X[100:], y[100:])
    row = comparator.results_["mcnemar"]

    assert fitted[0].score(X[100:], y[100:]) == row.champion
    assert fitted[1].score(X[100:], y[100:]) == pytest.approx(row.challenger)
    assert "prefit" == comparator.cv_
    assert ("holdout", "models") == (
        comparator.comparison_.design.kind,
        row.result.inference,
    )


def test_prefit_with_classes_that_the_holdout_lacks():
    """A fitted classifier may know more classes than the hold-out set has."""
    X, y = load_iris(return_X_y=True)
    fitted = [tree().fit(X, y), GaussianNB().fit(X, y)]
    comparator = PairedComparator(
        *fitted, cv="prefit", scoring=["accuracy", "multiclass_brier_loss"]
    )
    comparator.fit(X[:100], y[:100])

    assert [0, 1, 2] == comparator.classes_.tolist()


def test_prefit_needs_fitted_classifiers(data):
    """cv="prefit" with an unfitted classifier names it."""
    with pytest.raises(NotFittedError, match=r"`challenger` .GaussianNB. is not fitted"):
        PairedComparator(tree().fit(*data), GaussianNB(), cv="prefit").fit(*data)


def test_one_frozen_classifier_is_refused(data):
    """Exactly one frozen classifier mixes two questions; allow_mixed runs and flags it."""
    X, y = data
    frozen = FrozenEstimator(tree().fit(X[:50], y[:50]))
    with pytest.raises(ValueError, match="allow_mixed=True"):
        PairedComparator(frozen, GaussianNB()).fit(X[50:], y[50:])
    comparator = PairedComparator(frozen, GaussianNB(), allow_mixed=True, random_state=0)

    assert "mixed-frozen" in comparator.fit(X[50:], y[50:]).comparison_.flags


def test_both_frozen_take_no_splitter(data):
    """Frozen classifiers cannot be refitted, so a splitter is refused, not ignored."""
    frozen = FrozenEstimator(tree().fit(*data))
    with pytest.raises(ValueError, match="`cv` must be None or 'prefit'"):
        PairedComparator(frozen, frozen, cv=5).fit(*data)


def test_fitted_classifiers_are_refitted_and_it_is_said(data):
    """A fitted classifier under cross-validation is cloned, and the report says so."""
    comparator = PairedComparator(tree().fit(*data), tree(), random_state=0).fit(*data)

    assert ("refitted",) == comparator.comparison_.flags
    assert "cloned and fitted again" in " ".join(str(comparator.comparison_).split())


@pytest.mark.filterwarnings("ignore:There will be no")
@pytest.mark.parametrize(
    ("cv", "kind"),
    [
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0), "random 5x2"),
        ([(np.arange(100), np.arange(100, 200))], "unknown"),
    ],
)
def test_no_valid_test_shows_the_difference(data, cv, kind):
    """Where no test is valid there is a difference, no p, and advice."""
    comparator = PairedComparator(tree(1), tree(3), cv=cv, random_state=0).fit(*data)
    row = comparator.results_["accuracy"]

    assert kind == comparator.comparison_.design.kind
    assert (None, None, None) == (row.test, row.pvalue, row.low)
    assert row.difference == pytest.approx(row.challenger - row.champion)
    assert "inconclusive" == comparator.verdict_
    assert "5×2 block-regularized" in row.note
    assert "cv=None" in str(comparator.comparison_)


def test_invalid_test_runs_by_name_and_is_flagged(data):
    """A test that is not valid for the design runs when requested, with its flag."""
    comparator = PairedComparator(tree(1), tree(3), cv=5, tests="mcnemar").fit(*data)
    row = comparator.results_["mcnemar"]

    assert 0 <= row.pvalue <= 1
    assert ("invalid-design",) == row.flags
    assert "corrected_repeated_kfold_t" == comparator.comparison_.rows[0].test


def test_verdict_comes_from_the_default_test(data):
    """A test requested by name does not replace the design's default one."""
    comparator = PairedComparator(tree(1), tree(3), tests=["mcnemar"], random_state=0)
    keys = list(comparator.fit(*data).results_)

    assert [("accuracy", None, "bcv_jackknife_t"), ("accuracy", None, "mcnemar")] == keys
    assert comparator.results_["bcv_jackknife_t"].primary
    assert comparator.results_["mcnemar"].adjusted_pvalue is not None


def test_options_of_a_test(data):
    """Options reach the test by its name."""
    comparator = PairedComparator(
        tree(1), tree(3), tests={"bcv_mcnemar": {"rho1": 0, "rho2": 0.5}}, random_state=0
    )
    result = comparator.fit(*data).results_["bcv_mcnemar"].result

    assert "rho1=0, rho2=0.5" == result.method


def test_groups_make_a_grouped_design(data):
    """With groups the test takes groups and not records for independent."""
    X, y = data
    comparator = PairedComparator(tree(1), tree(3), random_state=0)
    comparator.fit(X, y, groups=np.arange(200) // 4)

    assert comparator.comparison_.design.grouped
    assert "bcv_jackknife_t" == comparator.results_["accuracy"].test
    records = comparator.predictions_.records[comparator.predictions_.bounds[0] :][:100]
    assert 0 == len(records) % 4


@pytest.mark.filterwarnings("ignore:There will be no")
@pytest.mark.parametrize("routing", [False, True])
def test_groups_reach_the_splitter(data, routing):
    """Groups reach a group splitter with metadata routing on and off."""
    X, y = data
    groups = np.arange(200) // 20
    with sklearn.config_context(enable_metadata_routing=routing):
        comparator = PairedComparator(tree(), GaussianNB(), cv=GroupKFold(5))
        comparator.fit(X, y, groups=groups)

    for part in comparator.predictions_.slices():
        test = comparator.predictions_.records[part]
        assert 40 == len(test)
        assert 2 == len(np.unique(groups[test]))


def test_sample_weight_goes_to_the_fits(data):
    """Without routing weights go to both fits, and the report says so."""
    X, y = data
    weights = np.where(y == 0, 1e-9, 1.0)
    comparator = PairedComparator(DummyClassifier(), LogisticRegression(), cv=2)
    comparator.fit(X, y, sample_weight=weights)

    assert comparator.predictions_["champion"].labels.mean() > 0.9
    assert "weighted-fit" in comparator.comparison_.flags


def test_sample_weight_is_routed(data):
    """With routing weights go to the classifier that asks for them."""
    X, y = data
    weights = np.where(y == 0, 1e-9, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        comparator = PairedComparator(
            GaussianNB().set_fit_request(sample_weight=True),
            GaussianNB().set_fit_request(sample_weight=False),
            cv=2,
        ).fit(X, y, sample_weight=weights)

    assert comparator.predictions_["champion"].labels.mean() > 0.9
    assert comparator.predictions_["challenger"].labels.mean() < 0.9


def test_other_metadata_needs_routing(data):
    """What cannot be routed is refused, not ignored."""
    with pytest.raises(ValueError, match="metadata routing"):
        PairedComparator(tree(), tree()).fit(*data, colour=np.zeros(200))


def test_failing_fit_names_estimator_split_and_cause(data):
    """A failing fit says which classifier failed, where and why."""
    with pytest.raises(
        EstimatorFailedError,
        match=r"challenger \(Failing\) failed to fit on split 0 .*Error: no luck",
    ):
        PairedComparator(tree(), Failing()).fit(*data)


@pytest.mark.parametrize(
    ("pair", "error", "message"),
    [
        ((LinearRegression(), tree()), ValueError, "regressor LinearRegression"),
        ((GaussianNB, tree()), TypeError, "Add parentheses"),
        ((object(), tree()), TypeError, "without fit, get_params, predict"),
    ],
)
def test_what_is_no_classifier_is_refused(data, pair, error, message):
    """Regressors, classes and other objects are refused by name."""
    with pytest.raises(error, match=message):
        PairedComparator(*pair).fit(*data)


def test_bad_settings(data):
    """A bad setting is refused before anything is fitted, with what to do."""
    for settings, message in [
        ({"alpha": 0}, "'alpha' parameter of PairedComparator must be a float"),
        ({"alpha": "0.05"}, "must be a float in the range"),
        ({"alternative": "bigger"}, "must be a str among.*Got 'bigger' instead"),
        ({"adjust": "holms"}, "must be a str among.* or None. Got 'holms'"),
        ({"tests": "mcnemr"}, "Did you mean 'mcnemar'"),
        ({"tests": []}, "at least one name"),
        ({"tests": {"mcnemar": {"exakt": True}}}, "no option 'exakt'"),
        ({"tests": {"mcnemar": {"alternative": "less"}}}, "beside `tests`"),
        ({"scoring": "acuracy"}, "Did you mean 'accuracy'"),
        ({"scoring": []}, "at least one name"),
        ({"scoring": ["accuracy", "accuracy"]}, "each once"),
        ({"cv": "prefitted"}, "None or a str among.*Got 'prefitted'"),
        ({"cv": 1}, "an int in the range .2, inf"),
        ({"cv": []}, "at least one split"),
        ({"cv": [(np.arange(200), np.arange(5))]}, "tests 5 records that it trains on"),
        ({"cv": [(np.arange(200), [])]}, "at least one record"),
    ]:
        Recorder.fits.clear()
        with pytest.raises(ValueError, match=message):
            PairedComparator(Recorder(), Recorder(), **settings).fit(*data)
        assert [] == Recorder.fits


def test_bad_targets(data):
    """Targets that are no complete column of class labels are refused."""
    for y, message in [
        (np.linspace(0, 1, 200), "continuous"),
        (np.zeros((200, 2), dtype=int), "multilabel"),
        (np.zeros(200, dtype=int), "at least two classes"),
        (np.where(np.arange(200) == 7, np.nan, 1.0), "NaN|missing"),
        (np.array([None] + ["a", "b"] * 100)[:200], "missing|mixed"),
        (np.zeros(199, dtype=int), "inconsistent|two classes"),
    ]:
        with pytest.raises(ValueError, match=message):
            PairedComparator(tree(), tree()).fit(data[0], y)


def test_refit_selects_the_champion_unless_the_challenger_wins(data):
    """Without evidence the champion stays; with it the challenger predicts."""
    X, y = load_iris(return_X_y=True)
    kept = PairedComparator(tree(), GaussianNB(), cv=5, refit=True, random_state=0)
    changed = PairedComparator(DummyClassifier(), GaussianNB(), cv=5, refit=True)
    kept.fit(X, y)
    changed.fit(X, y)

    assert isinstance(kept.selected_estimator_, DecisionTreeClassifier)
    assert isinstance(changed.selected_estimator_, GaussianNB)
    expected = GaussianNB().fit(X, y)
    np.testing.assert_array_equal(expected.predict(X), changed.predict(X))
    np.testing.assert_array_equal(expected.predict_proba(X), changed.predict_proba(X))
    assert expected.score(X, y) == changed.score(X, y)
    assert not hasattr(changed, "decision_function")


def test_without_refit_there_is_nothing_to_predict_with(data):
    """predict exists with refit=True only, and says so."""
    comparator = PairedComparator(tree(), tree(), cv=2).fit(*data)
    assert not hasattr(comparator, "predict")
    with pytest.raises(AttributeError, match="predict"):
        comparator.predict(data[0])


SCORER = "average_precision"


@pytest.mark.filterwarnings("ignore:There will be no")
def test_other_measures_have_differences_only(data):
    """scikit-learn's scorers are measured on every test set, without p."""
    X, y = data
    cv = BlockRegularizedMx2CV(2, random_state=0)
    comparator = PairedComparator(
        tree(1), LogisticRegression(), cv=cv, scoring=["accuracy", SCORER], random_state=0
    ).fit(X, y)
    expected = []
    for train, test in cv.split(X, y):
        fitted = LogisticRegression().fit(X[train], y[train])
        expected.append(sklearn.metrics.get_scorer(SCORER)(fitted, X[test], y[test]))
    row = comparator.results_[SCORER]

    assert row.challenger == pytest.approx(np.mean(expected))
    assert (None, None) == (row.test, row.pvalue)


@pytest.mark.filterwarnings("ignore:There will be no")
def test_pos_label(data):
    """With string labels the positive class is named, and scorers know it."""
    X, y = data
    names = np.where(y == 1, "bad", "good")
    pair = tree(1), GaussianNB()
    named = {"f1": make_scorer(f1_score, pos_label="bad"), "roc_auc": "roc_auc"}
    expected = PairedComparator(*pair, cv=3, scoring=named).fit(X, names).results_
    comparator = PairedComparator(*pair, cv=3, scoring=["f1", "roc_auc"], pos_label="bad")
    actual = comparator.fit(X, names).results_

    for name in ("f1", "roc_auc"):
        assert expected[name].champion == pytest.approx(actual[name].champion)
        assert expected[name].difference == pytest.approx(actual[name].difference)


@pytest.mark.filterwarnings("ignore:There will be no")
def test_custom_scorer(data):
    """A scorer that only asks for predictions is scored on stored ones."""

    def missed(estimator, X, y):
        return -float(np.mean(estimator.predict(X) != y))

    comparator = PairedComparator(tree(1), GaussianNB(), cv=2, scoring=missed)
    row = comparator.fit(*data).results_["missed"]

    assert -0.5 < row.champion < 0


@pytest.mark.filterwarnings("ignore:There will be no")
def test_undefined_on_some_test_sets():
    """A score undefined on one test set is left out of the mean and flagged."""
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.repeat([0, 1], 20)
    cv = [
        (np.arange(1, 40, 2), np.arange(0, 20, 2)),
        (np.arange(0, 40, 2), np.arange(1, 40, 2)),
    ]
    row = (
        PairedComparator(tree(), GaussianNB(), scoring="roc_auc", cv=cv).fit(X, y).results_
    )

    assert ("undefined-in-split",) == row["roc_auc"].flags
    assert not np.isnan(row["roc_auc"].difference)


@pytest.mark.filterwarnings("ignore:There will be no")
def test_scorer_needs_predictions_that_are_not_there(data):
    """A measure of probabilities refuses a classifier without them, by name."""
    with pytest.raises(ValueError, match=r"champion .* has no predict_proba"):
        PairedComparator(SVC(), tree(), scoring="neg_log_loss").fit(*data)


def test_json_round_trip(data):
    """The comparison survives JSON, its report included."""
    comparison = (
        PairedComparator(tree(1), GaussianNB(), random_state=0).fit(*data).comparison_
    )

    assert str(comparison) == str(Comparison.from_json(comparison.to_json()))


@pytest.mark.newest
@pytest.mark.skipif(
    find_spec("rich") is None or sklearn.__version__ < "1.9",
    reason="needs sklearn.callback",
)
def test_progress_bar(data, capsys):
    """scikit-learn's progress bar follows the fits."""
    from sklearn.callback import ProgressBar

    comparator = PairedComparator(tree(), GaussianNB()).set_callbacks(ProgressBar())

    assert comparator.fit(*data).verdict_
    assert "PairedComparator" in capsys.readouterr().out


def test_fitted_on_labels_of_a_column():
    """Classes that are strings as objects, as after training on a frame's column."""
    X, y = make_classification(200, random_state=0)
    words = np.array(["no", "yes"])[y].astype(object)
    pair = [GaussianNB().fit(X[:100], words[:100]), tree(1).fit(X[:100], words[:100])]
    assert any(one.classes_.dtype == object for one in pair)

    comparator = PairedComparator(*pair, cv="prefit", scoring=["accuracy", "neg_log_loss"])
    rows = comparator.fit(X[100:], words[100:]).comparison_.rows

    assert ["mcnemar", "paired_t"] == [row.test for row in rows]
    assert pair[0].score(X[100:], words[100:]) == pytest.approx(rows[0].champion)


def test_names_of_roles(data):
    """Names replace descriptions in the report and in JSON; the verdict is of roles."""
    X, y = data
    comparator = PairedComparator(
        DummyClassifier(), GaussianNB(), names=("old", "new"), random_state=0
    )
    plain = clone(comparator).set_params(names=None).fit(X, y).comparison_

    comparison = clone(comparator).fit(X, y).comparison_

    assert ("old", "new") == comparator.get_params()["names"]
    assert ("old", "new") == (comparison.champion, comparison.challenger)
    assert plain.verdict == comparison.verdict == "challenger"
    assert plain.rows[0].pvalue == comparison.rows[0].pvalue
    assert plain.fingerprint == comparison.fingerprint
    assert "champion    old\nchallenger  new\n" in str(comparison)
    assert "new against old" in comparison.to_html(pictures=False)
    assert "old" == Comparison.from_json(comparison.to_json()).champion
    predictions = comparator.fit(X, y).predictions_
    assert ["old", "new"] == [role.description for role in predictions.estimators]


def test_bad_names_of_roles(data):
    """Names are two that differ, in the order of the roles, and not beside estimators."""
    X, y = data
    models = DummyClassifier(), GaussianNB()
    for names, message in (
        (("old",), "must be two names that differ"),
        (("old", "old"), "must be two names that differ"),
        (("new", "old"), "The champion comes first"),
        (("old", 1), "non-empty strings"),
        ("on", "'names' parameter"),
    ):
        with pytest.raises(ValueError, match=message):
            PairedComparator(*models, names=names).fit(X, y)
    with pytest.raises(TypeError, match=r"Got a tuple. .*names=\('old', 'new'\)"):
        PairedComparator(("old", models[0]), ("new", models[1])).fit(X, y)
