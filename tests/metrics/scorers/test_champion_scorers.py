"""Scorers against a champion in every entry point of scikit-learn, test by test."""

import inspect
import itertools
import math
import pickle
import warnings
from copy import copy

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib.externals.loky.backend import reduction
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifier,
    RidgeClassifierCV,
)
from sklearn.metrics import check_scoring, f1_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skcompare._registry import tests
from skcompare.evidence import (
    ClassPlacementValues,
    ContingencyTable,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
)
from skcompare.exceptions import ChampionMismatchError
from skcompare.metrics import (
    CalibrationScorer,
    DeLongScorer,
    McNemarScorer,
    PairedScorer,
    PrecisionScorer,
)
from skcompare.predictions import _collect
from skcompare.stats import (
    calibration_difference,
    delong,
    delong_ovr,
    mcnemar,
    paired_t,
    paired_tests,
)

RETURNS = ("difference", "statistic", "confidence")
CLASSES = (McNemarScorer, DeLongScorer, CalibrationScorer, PrecisionScorer)
CV = StratifiedKFold(2)
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


@pytest.fixture(scope="module")
def data():
    """Records that the champion has not seen; the last feature is without meaning."""
    X, y = make_classification(300, 5, n_redundant=0, flip_y=0.2, random_state=0)
    return np.column_stack([X, np.zeros(len(X))])[100:], y[100:]


@pytest.fixture(scope="module")
def champion():
    X, y = make_classification(300, 5, n_redundant=0, flip_y=0.2, random_state=0)
    X = np.column_stack([X, np.zeros(len(X))])
    return DecisionTreeClassifier(max_depth=1, random_state=0).fit(X[:100], y[:100])


@pytest.fixture(scope="module")
def challenger(data):
    X, y = data
    return LogisticRegression().fit(X[:50], y[:50])


@pytest.fixture
def routing():
    """Metadata routing on."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def by_fold(estimator, X, y, scorer, cv=CV):
    """A score of each test set, by a loop of its own."""
    return [
        scorer(clone(estimator).fit(X[train], y[train]), X[test], y[test])
        for train, test in cv.split(X, y)
    ]


def settings_of(name):
    """Few resamples, and the confidence where a test has no difference."""
    function = paired_tests()[name].function
    options = inspect.signature(function).parameters
    few = "n_resamples" in options and options["n_resamples"].default is not None
    settings = {"n_resamples": 99} if few else {}
    return settings | ({"returns": "confidence"} if name == "discordant_odds_ratio" else {})


EVERY = {
    **{each.__name__: each for each in CLASSES},
    **{
        name: lambda champion=None, name=name: PairedScorer(
            name, champion, **settings_of(name)
        )
        for name in PairedScorer.available_tests()
        if name not in {each.default_test for each in CLASSES}
    },
}

FEW = [each.__name__ for each in CLASSES]
few_and_others = pytest.mark.parametrize(
    "names",
    [
        pytest.param(FEW, id="one of each subject"),
        pytest.param(
            [name for name in EVERY if name not in FEW],
            id="all others",
            marks=pytest.mark.slow,
        ),
    ],
)


def scores_of_folds(entry, scorer, X, y):
    """Scores of the test sets of two folds by an entry point."""
    if entry == "cross_validate":
        return cross_validate(TREE, X, y, scoring=scorer, cv=CV)["test_score"]
    if entry == "cross_val_score":
        return cross_val_score(TREE, X, y, scoring=scorer, cv=CV)
    if entry == "learning_curve":
        return learning_curve(TREE, X, y, scoring=scorer, cv=CV, train_sizes=[1.0])[2][0]
    search = GridSearchCV(TREE, {"max_depth": [2]}, scoring=scorer, cv=CV).fit(X, y)
    assert scorer(search.best_estimator_, X, y) == pytest.approx(search.score(X, y))
    return [search.cv_results_[f"split{k}_test_score"][0] for k in range(2)]


# ------------------------------------------------- every scorer x every entry point


@few_and_others
def test_folds(data, champion, names):
    """Each entry point has the score of each test set."""
    for name in names:
        scorer = EVERY[name](champion)
        expected = by_fold(TREE, *data, scorer)

        assert np.isfinite(expected).all()
        assert scorer is check_scoring(TREE, scoring=scorer)
        for entry in (
            "cross_validate",
            "cross_val_score",
            "learning_curve",
            "GridSearchCV",
        ):
            found = scores_of_folds(entry, scorer, *data)
            assert expected == pytest.approx(list(found), rel=1e-12), entry


def test_scorers_of_one_subject(data, champion, challenger):
    """Each is the general scorer with its test, by both kinds of champions."""
    for returns, make in itertools.product(RETURNS, CLASSES):
        general = PairedScorer(make.default_test, champion, returns=returns)
        stored = requested_of(make(), champion, data[0])

        expected = general(challenger, *data)

        assert expected == make(champion, returns=returns)(challenger, *data)
        assert expected == pytest.approx(make(returns=returns)(challenger, *data, **stored))


@pytest.mark.slow
def test_every_test_takes_stored_predictions(data, champion, challenger):
    """Each scorer finds the same by the champion as by its predictions."""
    for name, make in EVERY.items():
        stored = requested_of(make(), champion, data[0])
        expected = make(champion)(challenger, *data)

        assert 1 == len(stored)
        assert expected == pytest.approx(make()(challenger, *data, **stored)), name


@few_and_others
def test_halving(data, champion, names):
    """A search by halving scores its candidates, and what it has chosen."""
    for name in names:
        scorer = EVERY[name](champion)
        grid = {"max_depth": [1, 3]}
        halving = HalvingGridSearchCV(TREE, grid, scoring=scorer, cv=CV, random_state=0)

        halving.fit(*data)

        assert np.isfinite(halving.cv_results_["mean_test_score"]).all()
        assert scorer(halving.best_estimator_, *data) == halving.score(*data)


@few_and_others
def test_importance(data, champion, challenger, names):
    """A feature without values has no importance, and others have."""
    for name in names:
        scorer = EVERY[name](champion)

        found = permutation_importance(
            challenger, *data, scoring=scorer, n_repeats=1, random_state=0
        )

        assert not found.importances[-1].any()
        assert found.importances[:-1].any()


@few_and_others
def test_logistic_regression_cv(data, champion, names):
    """It has a score of each fold, or a message where it encodes the labels."""
    X, y = data
    seen = []

    def spy(estimator, X, y):
        seen.append(y)
        return 0.0

    LogisticRegressionCV(**SMALL, scoring=spy).fit(X, y)
    for name in names:
        search = LogisticRegressionCV(**SMALL, scoring=EVERY[name](champion))
        if set(seen[0]) != set(y):
            with pytest.raises(ValueError, match=r"look like codes.*use GridSearchCV"):
                search.fit(X, y)
            continue
        expected = by_fold(LogisticRegression(), X, y, EVERY[name](champion))
        search.fit(X, y)

        found = np.ravel(search.scores_[1]).tolist()
        assert expected == pytest.approx(found, abs=1e-3), name


SMALL = {"Cs": [1.0], "cv": CV}
if "use_legacy_attributes" in inspect.signature(LogisticRegressionCV).parameters:
    # Newer versions ask for what is to become the default.
    SMALL |= {"use_legacy_attributes": True, "l1_ratios": (0.0,)}


@pytest.mark.usefixtures("routing")
@few_and_others
def test_feature_selection(data, champion, names):
    """A selector of features needs stored predictions, and finds what a loop finds."""
    X, y = data[0][:, :2], data[1]
    tree = clone(TREE).set_params(class_weight="balanced")
    # A column and a test set, with the tree that was fitted to the rest.
    fitted = [
        (column, test, clone(tree).fit(X[train][:, [column]], y[train]))
        for column in range(X.shape[1])
        for train, test in CV.split(X, y)
    ]
    for name in names:
        scorer = EVERY[name]()
        given = requested_of(scorer, champion, data[0])
        selector = SequentialFeatureSelector(
            tree, n_features_to_select=1, scoring=scorer, cv=CV
        )
        found = [[] for _ in range(X.shape[1])]
        for column, test, one in fitted:
            cut = {each: predictions[test] for each, predictions in given.items()}
            found[column].append(scorer(one, X[test][:, [column]], y[test], **cut))

        selector.fit(X, y, **given)

        scores = np.mean(found, axis=1)
        assert scores.max() == scores[selector.support_].item(), name


@few_and_others
def test_threshold_tuning_is_refused(data, champion, names):
    """Thresholds are applied to predictions that the scorer would ask for itself."""
    for name in names:
        tuned = TunedThresholdClassifierCV(TREE, scoring=EVERY[name](champion), cv=CV)

        with pytest.raises(
            AttributeError, match=r"calls both classifiers itself.*Tune by a"
        ):
            tuned.fit(*data)


@pytest.mark.usefixtures("own_test")
def test_scorers_are_sent_with_their_test(data, champion, challenger):
    """A scorer goes where nobody has registered its test, as to a worker."""
    scorer = PairedScorer("own_gain", champion, weight=2.0)
    sent = bytes(reduction.dumps(scorer))
    del tests._tests["own_gain"]

    assert scorer(challenger, *data) == pickle.loads(sent)(challenger, *data)


@pytest.mark.slow
@pytest.mark.usefixtures("own_test")
def test_other_processes(data, champion, challenger):
    """Two workers find what one process finds, for a test that they do not know too."""
    X, y = data
    scoring = {each.__name__: each(champion, returns="statistic") for each in CLASSES}
    scoring["own"] = PairedScorer("own_gain", champion, weight=2.0)
    one = scoring["McNemarScorer"]
    search = GridSearchCV(TREE, {"max_depth": [1, 3]}, scoring=one, cv=CV)
    importances, bests, routed = [], [], []

    found = cross_validate(TREE, X, y, scoring=scoring, cv=CV, n_jobs=2)
    for n_jobs in (None, 2):
        importances.append(
            permutation_importance(
                challenger, X, y, scoring=one, n_repeats=1, random_state=0, n_jobs=n_jobs
            ).importances
        )
        # A search within a search: the inner one is sent to a worker with its scorer.
        bests.append(cross_val_score(search, X, y, cv=CV, n_jobs=n_jobs).tolist())
        with sklearn.config_context(enable_metadata_routing=True):
            params = {"champion_predictions": champion.predict(X)}
            settings = {"cv": CV, "params": params, "n_jobs": n_jobs}
            routed.append(cross_val_score(TREE, X, y, scoring=McNemarScorer(), **settings))

    for name, scorer in scoring.items():
        assert by_fold(TREE, X, y, scorer) == pytest.approx(found[f"test_{name}"].tolist())
    for alone, with_others in (importances, bests, routed):
        assert np.array(alone) == pytest.approx(np.array(with_others))
    assert by_fold(TREE, X, y, McNemarScorer(champion)) == pytest.approx(routed[0].tolist())


@pytest.mark.slow
def test_all_scorers_at_once(data, champion):
    """Many scorers beside each other, by names, each have their own score."""
    cv = ShuffleSplit(1, test_size=0.5, random_state=0)
    scoring = {name: make(champion) for name, make in EVERY.items()}
    expected = {name: by_fold(TREE, *data, each, cv) for name, each in scoring.items()}

    found = cross_validate(TREE, *data, scoring={**scoring, "auc": "roc_auc"}, cv=cv)

    for name, scores in expected.items():
        assert scores == pytest.approx(found[f"test_{name}"].tolist()), name
    with pytest.raises(ValueError, match="Use a dict"):
        check_scoring(TREE, scoring=list(scoring.values()))


def test_weights_of_the_fit_do_not_reach_the_scorer(data, champion):
    """A search hands weights to the fit, and the scorer counts every record once."""
    X, y = data
    search = GridSearchCV(TREE, {}, scoring=McNemarScorer(champion), cv=CV)

    with warnings.catch_warnings():
        # Newer versions say that the scorer takes no weights.
        warnings.filterwarnings("ignore", message="The scoring McNemarScorer")
        found = search.fit(X, y, sample_weight=np.ones(len(y))).best_score_

    assert np.mean(by_fold(TREE, X, y, McNemarScorer(champion))) == pytest.approx(found)


# --------------------------------------------------------------- what they return


def test_mcnemar(data, champion, challenger):
    """Difference, signed root and confidence are those of McNemar's test."""
    X, y = data
    table = ContingencyTable.from_predictions(y, champion.predict(X), challenger.predict(X))
    gain = table.only_challenger - table.only_champion
    assert abs(gain) > 1
    for method in [
        "mid-p",
        "exact",
        "asymptotic",
        "corrected",
        "exact-unconditional",
        "permutation",
    ]:
        distance = max(0, abs(gain) - (method == "corrected"))
        one_sided = mcnemar(table, method=method, alternative="greater")
        expected = {
            "difference": gain / table.n,
            "statistic": math.copysign(distance, gain) / math.sqrt(table.n_discordant),
            "confidence": 1 - one_sided.pvalue,
        }

        for returns, value in expected.items():
            scorer = McNemarScorer(champion, returns=returns, method=method)
            assert value == pytest.approx(scorer(challenger, X, y))


@pytest.mark.parametrize(("right", "root"), [(0, 0.0), (4, 2.0)])
def test_mcnemar_without_records_on_one_side(right, root):
    """Only gains make the root their number's; no discordant record makes it 0."""
    X, y = np.arange(10.0).reshape(-1, 1), np.array([0, 1] * 5)
    perfect = DecisionTreeClassifier().fit(X, y)
    stored = np.where(np.arange(10) < right, 1 - y, y)

    score = McNemarScorer(returns="statistic")(perfect, X, y, champion_predictions=stored)

    assert root == pytest.approx(score)
    assert not math.copysign(1, score) < 0


def test_non_inferiority(data, champion, challenger):
    """A null value moves the confidence, and goes with nothing else."""
    X, y = data
    table = ContingencyTable.from_predictions(y, champion.predict(X), challenger.predict(X))
    result = mcnemar(table, null_value=-0.05, alternative="greater")
    scorer = McNemarScorer(champion, returns="confidence", null_value=-0.05)

    assert 1 - result.pvalue == scorer(challenger, X, y)
    with pytest.raises(ValueError, match="goes with returns='confidence'"):
        McNemarScorer(champion, null_value=-0.05)


@pytest.mark.parametrize("returns", RETURNS)
def test_delong(data, champion, challenger, returns):
    """Difference, standardized difference and confidence are those of DeLong's test."""
    X, y = data
    scores = [each.predict_proba(X)[:, 1] for each in (champion, challenger)]
    placements = PlacementValues.from_predictions(y, *scores)
    result, one_sided = delong(placements), delong(placements, alternative="greater")
    expected = {
        "difference": roc_auc_score(y, scores[1]) - roc_auc_score(y, scores[0]),
        "statistic": result.statistic,
        "confidence": 1 - one_sided.pvalue,
    }

    found = DeLongScorer(champion, returns=returns)(challenger, X, y)

    assert expected[returns] == pytest.approx(found)


def test_delong_of_decision_scores(data):
    """Neither classifier needs probabilities, and either class may be positive."""
    X, y = data
    names = np.array(["ham", "spam"])[y]
    old = RidgeClassifier().fit(X[:30, :2], names[:30])
    new = LinearSVC(random_state=0).fit(X[:60, :2], names[:60])
    expected = roc_auc_score(y, new.decision_function(X[:, :2])) - roc_auc_score(
        y, old.decision_function(X[:, :2])
    )
    scores = old.decision_function(X[:, :2])

    for pos_label, stored in ((None, scores), ("spam", scores), ("ham", -scores)):
        scorer = DeLongScorer(old, pos_label=pos_label)
        by_stored = DeLongScorer(pos_label=pos_label)(
            new, X[:, :2], names, champion_scores=stored
        )

        assert expected == pytest.approx(scorer(new, X[:, :2], names))
        assert expected == pytest.approx(by_stored)


def test_delong_of_several_classes():
    """Three classes are refused with the tests that take them, and these take them."""
    X, y = load_iris(return_X_y=True)
    old = DecisionTreeClassifier(max_depth=1).fit(X[::2], y[::2])
    new = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    X, y = X[1::2], y[1::2]
    values = ClassPlacementValues.from_predictions(
        y, old.predict_proba(X), new.predict_proba(X)
    )
    several = "test='delong_ovo' or test='delong_ovr'"

    with pytest.raises(ValueError, match=rf"is for 2 classes, and there are 3.*{several}"):
        DeLongScorer(old)
    for rare in (1, 20):
        kept = np.r_[np.flatnonzero(y != 2), np.flatnonzero(y == 2)[:rare]]
        with pytest.raises(ValueError, match=several):
            DeLongScorer()(
                new, X[kept], y[kept], champion_scores=old.predict_proba(X[kept])
            )
    assert delong_ovr(values).estimate == DeLongScorer(old, test="delong_ovr")(new, X, y)
    assert ["delong", "delong_ovo", "delong_ovr"] == DeLongScorer.available_tests()


def test_calibration(data, champion, challenger):
    """The champion's squared error less the other's, with the bins that were requested."""
    X, y = data
    probas = [each.predict_proba(X) for each in (champion, challenger)]
    for options in ({}, {"n_bins": 4}, {"edges": [0, 0.3, 1]}, {"kind": "classwise"}):
        evidence = PairedCalibration.from_predictions(y, *probas, **options)
        result = calibration_difference(evidence)
        one_sided = calibration_difference(evidence, alternative="greater")
        expected = {
            "difference": result.champion - result.challenger,
            "statistic": result.statistic,
            "confidence": 1 - one_sided.pvalue,
        }
        for returns in RETURNS:
            scorer = CalibrationScorer(champion, returns=returns, **options)
            assert expected[returns] == pytest.approx(scorer(challenger, X, y))


def test_options_of_the_evidence(data, champion, challenger):
    """The loss of a test of losses is an option beside those of the test."""
    X, y = data
    probas = [each.predict_proba(X) for each in (champion, challenger)]
    losses = PairedLosses.from_predictions(y, *probas, loss="log_loss")
    scorer = PairedScorer("paired_t", champion, returns="statistic", loss="log_loss")

    assert paired_t(losses).statistic == pytest.approx(scorer(challenger, X, y))
    with pytest.raises(ValueError, match="Unknown loss 'logg'"):
        PairedScorer("paired_t", champion, loss="logg")


def test_any_score(data, champion, challenger):
    """A test of any score compares what it is told to, accuracy by default."""
    X, y = data
    for scoring in ["f1", "roc_auc", "neg_log_loss", "precision[0]"]:
        scorer = PairedScorer(
            "permutation_difference", champion, scoring=scoring, n_resamples=99
        )
        if scoring == "precision[0]":
            expected = PrecisionScorer(champion, label=0)(challenger, X, y)
        else:
            score = sklearn.metrics.get_scorer(scoring)
            expected = score(challenger, X, y) - score(champion, X, y)

        assert expected == pytest.approx(scorer(challenger, X, y))


def test_any_score_of_a_positive_class(data, champion, challenger):
    """Without class 1, the positive class is named."""
    X, y = data
    labels = np.array(["ham", "spam"])[y]
    old, new = (clone(each).fit(X[:90], labels[:90]) for each in (champion, challenger))
    scorer = PairedScorer(
        "bootstrap_difference", old, scoring="f1", pos_label="ham", n_resamples=99
    )
    expected = f1_score(labels, new.predict(X), pos_label="ham") - f1_score(
        labels, old.predict(X), pos_label="ham"
    )

    assert expected == pytest.approx(scorer(new, X, labels))
    with pytest.raises(ValueError, match="must be one measure"):
        PairedScorer("bootstrap_difference", old, scoring=["f1", "accuracy"])


WITHOUT = {"wilcoxon": "statistic", "discordant_odds_ratio": "difference"}
"""What a test has none of."""


@pytest.mark.slow
def test_equal_classifiers(data, champion):
    """The champion itself has difference and statistic 0, and no confidence."""
    for returns, name in itertools.product(RETURNS, PairedScorer.available_tests()):
        if WITHOUT.get(name) == returns:
            with pytest.raises(ValueError, match=r"no sign|no difference"):
                PairedScorer(name, champion, returns=returns)
            continue
        settings = settings_of(name) | {"returns": returns}

        assert 0 == PairedScorer(name, champion, **settings)(champion, *data)


# ----------------------------------------------------------------- what is refused


def test_options_are_checked_when_made(champion):
    """A wrong option is refused at once, with or without a champion."""
    for known in (champion, None):
        with pytest.raises(ValueError, match="Unknown method 'exakt'"):
            McNemarScorer(known, method="exakt")
        with pytest.raises(ValueError, match=r"Unknown option of mcnemar 'n_bins'.*method"):
            McNemarScorer(known, n_bins=3)
        with pytest.raises(ValueError, match=r"n_bins.*integer of at least 1"):
            CalibrationScorer(known, n_bins=0)
        with pytest.raises(ValueError, match="has no interval"):
            DeLongScorer(known, interval="arctanh")
        with pytest.raises(TypeError, match=r"runs mcnemar, .* Got test='bowker'\. Choose"):
            McNemarScorer(known, test="bowker")
        with pytest.raises(ValueError, match=r"needs a test of AUCs\. Got 'mcnemar'"):
            DeLongScorer(known, test="mcnemar")
        with pytest.raises(ValueError, match=r"of the calibration of two.*Got 'delong'"):
            CalibrationScorer(known, test="delong")
    with pytest.raises(ValueError, match="`pos_label` must be one of two classes"):
        DeLongScorer(champion, pos_label="spam")


def test_champion_without_the_predictions(data):
    """A champion without probabilities is named, with what it lacks."""
    old = make_pipeline(StandardScaler(), LinearSVC(random_state=0)).fit(*data)
    message = r"must have predict_proba\. Got Pipeline\(StandardScaler, LinearSVC\)"
    for make in (CalibrationScorer, lambda each: PairedScorer("paired_t", each)):
        with pytest.raises(TypeError, match=message):
            make(old)
    assert np.isfinite(DeLongScorer(old)(old, *data))

    class Ranks:
        def decision_function(self, X):
            return X[:, 0]

    with pytest.raises(TypeError, match=r"must have predict .*Got Ranks"):
        McNemarScorer(Ranks())
    assert np.isfinite(DeLongScorer(Ranks())(old, *data))


def test_challenger_without_the_predictions(data, champion):
    """A candidate without probabilities fails as an estimator does."""
    search = GridSearchCV(
        LinearSVC(random_state=0), {}, scoring=CalibrationScorer(champion), cv=CV,
        error_score="raise",
    )  # fmt: skip

    with pytest.raises(ValueError, match="predictions of challenger have no probabilities"):
        search.fit(*data)


def test_selected_features_need_stored_predictions(data, champion, challenger):
    """A champion that is given some of its features says what to do."""
    X, y = data
    new = LogisticRegression().fit(X[:, :2], y)

    with pytest.raises(
        ChampionMismatchError, match=r"knows 6 features.*given 2.*Route stored"
    ):
        McNemarScorer(champion)(new, X[:, :2], y)
    with pytest.raises(ValueError, match=r"challenger .*failed to predict") as caught:
        McNemarScorer(challenger)(new, X, y)
    assert "Route" not in str(caught.value)


def test_scoring_within_a_fit_is_refused(data, champion):
    """Boosting that scores binned records, and a ridge with weights, say so."""
    boosting = HistGradientBoostingClassifier(
        max_iter=3, early_stopping=True, scoring=McNemarScorer(champion)
    )
    with pytest.raises(ValueError, match="scores itself while it is fitted"):
        boosting.fit(*data)
    boosting.set_params(scoring="loss").fit(*data)
    assert np.isfinite(McNemarScorer(champion)(boosting, *data))
    with pytest.raises(ValueError, match="counts every record once"):
        RidgeClassifierCV(scoring=McNemarScorer(champion)).fit(*data)


def test_encoded_labels_are_refused(data, champion):
    """Labels of other codes than the champion's are no incorrect predictions of it."""
    X, y = data
    new = LogisticRegression().fit(X, 2 * y - 1)

    with pytest.raises(ValueError, match="which look like codes"):
        McNemarScorer(champion)(new, X, 2 * y - 1)
    with pytest.raises(ValueError, match="which look like codes"):
        McNemarScorer()(new, X, 2 * y - 1, champion_predictions=y)


def test_champion_of_other_classes(data, champion):
    """A class that the champion never saw is one that it gets wrong."""
    X, y = data
    three = np.where(X[:, 0] > 1, 2, y)
    new = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, three)
    gains = new.score(X, three) - np.mean(champion.predict(X) == three)

    assert gains == pytest.approx(McNemarScorer(champion)(new, X, three))
    with pytest.raises(ValueError, match="`champion` has numeric labels"):
        McNemarScorer(champion)(new, X, three.astype(str))


def test_champion_of_one_class(data, challenger):
    """A champion that knows one class ranks nothing, and gives that class."""
    X, y = data
    old = DummyClassifier().fit(X, np.zeros(len(X), dtype=int))
    area = roc_auc_score(y, challenger.predict_proba(X)[:, 1])
    share = np.mean(challenger.predict(X) == y)

    assert area - 0.5 == pytest.approx(DeLongScorer(old)(challenger, X, y))
    assert share - np.mean(y == 0) == pytest.approx(McNemarScorer(old)(challenger, X, y))


@pytest.mark.parametrize(("returns", "expected"), list(zip(RETURNS, [np.nan] * 2 + [0])))
def test_test_set_of_one_class(data, champion, challenger, returns, expected):
    """An area needs two classes: NaN or no confidence, and a warning that says so."""
    X, y = data
    scorer = DeLongScorer(champion, returns=returns)

    for rare in (0, 1):
        kept = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:rare]]
        with pytest.warns(UndefinedMetricWarning, match=rf"{returns} is set to .*class"):
            score = scorer(challenger, X[kept], y[kept])
        assert expected == pytest.approx(score, nan_ok=True)
    in_order = np.argsort(y)
    found = cross_val_score(
        TREE, X[in_order], y[in_order], scoring=McNemarScorer(champion), cv=KFold(2)
    )
    assert np.isfinite(found).all()


# ----------------------------------------------------------------- stored predictions


def stored_for(champion, X):
    """All that a scorer may ask for."""
    return {
        "champion_predictions": champion.predict(X),
        "champion_scores": champion.predict_proba(X),
    }


def requested_of(scorer, champion, X):
    """What this scorer asks for."""
    requests = scorer.get_metadata_routing().score.requests
    return {name: stored_for(champion, X)[name] for name in requests}


@pytest.mark.usefixtures("routing")
@few_and_others
def test_routed_predictions(data, champion, names):
    """Stored predictions, cut by scikit-learn, score as the champion does."""
    X, y = data
    for name in names:
        scorer = EVERY[name]()
        stored = requested_of(scorer, champion, X)
        expected = by_fold(TREE, X, y, EVERY[name](champion))

        found = cross_val_score(TREE, X, y, scoring=scorer, cv=CV, params=stored)

        assert expected == pytest.approx(found.tolist()), name


@pytest.mark.usefixtures("routing")
def test_routed_to_scorers_of_both_kinds(data, champion):
    """Labels and scores have names of their own, so that each scorer gets its
    predictions.
    """
    X, y = data
    scoring = {make.__name__: make() for make in CLASSES}

    found = cross_validate(
        TREE, X, y, scoring=scoring, cv=CV, params=stored_for(champion, X)
    )

    for make in CLASSES:
        expected = by_fold(TREE, X, y, make(champion))
        assert expected == pytest.approx(found[f"test_{make.__name__}"].tolist())


@pytest.mark.usefixtures("routing")
def test_requests(data, champion):
    """Requests are those of scikit-learn's scorers, and refuse what would be ignored."""
    scorer = DeLongScorer()
    for requested in (False, None, "old_scores"):
        assert scorer is scorer.set_score_request(champion_scores=requested)
        request = scorer.get_metadata_routing().score
        assert {"champion_scores": requested} == request.requests
    asking = DeLongScorer().set_score_request(sample_weight=False)
    assert {"champion_scores": True, "sample_weight": False} == (
        asking.get_metadata_routing().score.requests
    )
    with pytest.raises(ValueError, match="Got sample_weight"):
        scorer.set_score_request(sample_weight=True)
    with pytest.raises(TypeError, match=r"takes champion_scores.*Got champion_predictions"):
        scorer.set_score_request(champion_predictions=True)
    with pytest.raises(ValueError, match="has a champion, and needs no stored predictions"):
        DeLongScorer(champion).set_score_request(champion_scores=True)


def test_stored_scores_in_all_forms(data, champion, challenger):
    """One column, two, and a frame with the classes as columns in any order."""
    X, y = data
    proba = champion.predict_proba(X)
    frame = pd.DataFrame(proba, columns=[0, 1])[[1, 0]]
    for make in (DeLongScorer, CalibrationScorer):
        expected = make(champion)(challenger, X, y)
        for stored in (proba, proba.tolist(), proba[:, 1], frame):
            assert expected == make()(challenger, X, y, champion_scores=stored)
    flipped = CalibrationScorer(pos_label=0)(challenger, X, y, champion_scores=proba[:, 0])
    assert CalibrationScorer(champion, pos_label=0)(challenger, X, y) == flipped
    with pytest.raises(ValueError, match=r"champion_scores.*probabilities in \[0, 1\]"):
        CalibrationScorer()(challenger, X, y, champion_scores=5 * proba[:, 1])
    with pytest.raises(ValueError, match=r"champion_scores.*shape \(n_samples, 2\)"):
        DeLongScorer()(challenger, X, y, champion_scores=np.ones((len(y), 3)) / 3)


def test_without_predictions_it_says_how(data):
    """With routing off nothing is passed, so the message tells to turn it on."""
    with pytest.raises(ValueError, match=r"enable_metadata_routing=True.*champion_scores"):
        cross_val_score(TREE, *data, scoring=DeLongScorer(), cv=CV, error_score="raise")
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(
            ValueError, match=r"Pass params=\{'champion_scores': predictions\} to cr"
        ),
    ):
        cross_val_score(
            TREE, *data, scoring=DeLongScorer(), cv=CV, error_score="raise", params={}
        )


@pytest.mark.usefixtures("routing")
def test_importance_needs_a_champion(data, challenger):
    """Nothing is routed by permutation_importance, and the message says so."""
    with pytest.raises(ValueError, match="permutation_importance, need a fitted champion"):
        permutation_importance(challenger, *data, scoring=McNemarScorer())


def test_stored_predictions_in_another_order(data, champion, challenger):
    """A Series whose index says that it is of the same records in another order."""
    X, labels = data[0], pd.Series(data[1])
    stored = pd.Series(champion.predict(X))
    expected = McNemarScorer(champion)(challenger, X, labels)

    for same in (stored, stored.to_numpy(), stored.set_axis(stored.index + 1000)):
        assert expected == McNemarScorer()(challenger, X, labels, champion_predictions=same)
    with pytest.raises(ValueError, match="same index in different orders"):
        McNemarScorer()(challenger, X, labels, champion_predictions=stored[::-1])


# ---------------------------------------------------------------- records and copies


@pytest.mark.parametrize("kind", ["pandas", "sparse", "list"])
def test_kinds_of_records(data, kind):
    """Frames, sparse matrices and lists, with labels in a series of strings."""
    X, y = data
    labels = pd.Series(np.array(["ham", "spam"])[y], dtype=object)
    made = {
        "pandas": lambda: pd.DataFrame(X, columns=list("abcdef")),
        "sparse": lambda: sparse.csr_matrix(X),
        "list": X.tolist,
    }[kind]()
    old = DecisionTreeClassifier(max_depth=1).fit(made, labels)
    new = CalibratedClassifierCV(LinearSVC(random_state=0), cv=2).fit(made, labels)
    plain_old, plain_new = clone(old).fit(X, labels), clone(new).fit(X, labels)
    for make in CLASSES:
        expected = make(plain_old)(plain_new, X, labels)

        assert expected == pytest.approx(make(old)(new, made, labels))


def test_classifiers_that_change_the_records(data, champion, challenger):
    """Either is named, since the other would predict other records."""
    X, y = data
    scaled = make_pipeline(StandardScaler(copy=False), LogisticRegression())
    changing = scaled.fit(X.copy(), y)

    for old, new, role in (
        (champion, changing, "challenger"),
        (changing, champion, "cham"),
    ):
        for _ in range(2):
            with pytest.raises(ValueError, match=rf"{role}.* changed the records"):
                McNemarScorer(old)(new, X.copy(), y)


def test_records_are_looked_at_once(data, champion, challenger, monkeypatch):
    """What left the records as they are is trusted after that, which is much faster."""
    looked = []

    class Slotted:
        """One that cannot be trusted by a weak reference."""

        __slots__ = ()

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    def count(*parts):
        looked.append(parts)
        return "the same"

    monkeypatch.setattr(_collect, "fingerprint", count)
    old, new = copy(champion), copy(challenger)
    scorer = McNemarScorer(old)
    for estimator, times in ((new, 3), (new, 0), (old, 0), (Slotted(), 3), (Slotted(), 3)):
        looked.clear()
        scorer(estimator, *data)
        assert times == len(looked)


def test_settings_that_are_arrays(data):
    """Classifiers of one kind, of which one has an array for a parameter."""
    X, y = data
    plain, told = (
        GaussianNB(priors=priors).fit(X, y) for priors in (None, np.array([0.9, 0.1]))
    )
    gain = told.score(X, y) - plain.score(X, y)

    assert gain == pytest.approx(McNemarScorer(plain)(told, X, y))
    assert -gain == pytest.approx(McNemarScorer(told)(plain, X, y))


@pytest.mark.newest
def test_polars(data):
    """Frames and labels of polars."""
    polars = pytest.importorskip("polars")
    X, y = data
    frame, labels = polars.DataFrame(X, schema=list("abcdef")), polars.Series(y)
    old = DecisionTreeClassifier(max_depth=1).fit(frame, labels)

    found = cross_val_score(TREE, frame, labels, scoring=McNemarScorer(old), cv=CV)

    expected = by_fold(TREE, X, y, McNemarScorer(clone(old).fit(X, y)))
    assert expected == pytest.approx(found.tolist())


def test_copies(data, champion, challenger):
    """A clone shares the champion and keeps its requests; a pickle scores the same."""
    for make in CLASSES:
        scorer = make(champion, returns="confidence")
        search = clone(GridSearchCV(TREE, {}, scoring=scorer))
        again = pickle.loads(pickle.dumps(scorer))

        assert champion is search.scoring.champion
        assert scorer is not search.scoring
        assert scorer(challenger, *data) == again(challenger, *data)
        assert repr(scorer) == repr(again) == repr(search.scoring)
        with sklearn.config_context(enable_metadata_routing=True):
            asking = make()
            (name,) = asking.get_metadata_routing().score.requests
            clone(GridSearchCV(TREE, {}, scoring=asking)).scoring.set_score_request(
                **{name: "other"}
            )
            assert {name: True} == asking.get_metadata_routing().score.requests


def test_text():
    """The words make the scorer again, without what is as it is by default."""
    assert "McNemarScorer()" == repr(McNemarScorer())
    assert ["mcnemar"] == McNemarScorer.available_tests()
    assert "McNemarScorer(method='exact')" == repr(McNemarScorer(method="exact"))
    assert "DeLongScorer(pos_label=1)" == repr(DeLongScorer(pos_label=1))
    assert "DeLongScorer(returns='confidence', test='delong_ovr', rare='drop')" == repr(
        DeLongScorer(returns="confidence", test="delong_ovr", rare="drop")
    )
    assert "CalibrationScorer(n_bins=5)" == repr(CalibrationScorer(n_bins=5))
    assert "PairedScorer(test='paired_t', loss='log_loss')" == repr(
        PairedScorer("paired_t", loss="log_loss")
    )


# ----------------------------------------------------------------- tests of others


@pytest.fixture
def own_test():
    """A test that somebody else registered."""

    @tests.paired_test(
        "own_gain",
        title="Own test",
        needs=ContingencyTable,
        kind="difference",
        measures="accuracy",
        designs=("holdout",),
        references=("Nobody2000",),
    )
    def own_gain(table, *, weight=1.0, alternative="two-sided"):
        return mcnemar(table, method="asymptotic", alternative=alternative)

    return own_gain


@pytest.mark.usefixtures("own_test")
def test_tests_of_others(data, champion, challenger):
    """A registered test is listed and scores."""
    scorer = PairedScorer("own_gain", champion, returns="statistic", weight=2.0)
    expected = McNemarScorer(champion, returns="statistic", method="asymptotic")

    assert "own_gain" in PairedScorer.available_tests()
    assert expected(challenger, *data) == scorer(challenger, *data)


def test_caution_is_named():
    """A test that calls for caution is not listed, and runs when it is named."""
    assert "proportional_z" not in PairedScorer.available_tests()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PairedScorer("proportional_z", returns="confidence")
