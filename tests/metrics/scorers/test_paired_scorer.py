"""Scorers against a champion: what they return, and that scikit-learn can use them."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import precision_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skcompare.evidence import ContingencyTable, JointCounts, PlacementValues
from skcompare.exceptions import ChampionMismatchError
from skcompare.metrics import PrecisionScorer
from skcompare.metrics.scorers._scorers import PairedScorer
from skcompare.stats import delong, mcnemar, paired_tests, updated_precision

RETURNS = ("difference", "statistic", "confidence")
DEFAULT = paired_tests()["precision_both_scores"].function


@pytest.fixture(scope="module")
def data():
    """Records of the champion, and others."""
    X, y = make_classification(800, n_informative=3, flip_y=0.2, random_state=0)
    return X[:300], y[:300], X[300:], y[300:]


@pytest.fixture(scope="module")
def champion(data):
    X, y, _, _ = data
    return DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def challenger(data):
    X, y, _, _ = data
    return LogisticRegression().fit(X, y)


class Constant(ClassifierMixin, BaseEstimator):
    """Predictions one label, whatever it was trained on."""

    def __init__(self, prediction=0):
        self.prediction = prediction

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.prediction)


def by_fold(estimator, X, y, cv, score):
    """A score of each test set, by a loop of its own."""
    found = []
    for train, test in cv.split(X, y):
        fitted = clone(estimator).fit(X[train], y[train])
        found.append(score(fitted, X[test], y[test]))
    return found


# ------------------------------------------------------------ what it returns


def test_difference_is_that_of_precisions(data, champion, challenger):
    """scikit-learn's precision of the scored classifier less that of the champion."""
    _, _, X, y = data
    expected = precision_score(y, challenger.predict(X)) - precision_score(
        y, champion.predict(X)
    )

    assert expected == pytest.approx(PrecisionScorer(champion)(challenger, X, y))


@pytest.mark.parametrize("label", [None, 0, 1])
def test_returns_are_those_of_the_test(data, champion, challenger, label):
    """Difference, signed root and 1 - p of the one-sided test on these records."""
    _, _, X, y = data
    counts = JointCounts.from_predictions(y, champion.predict(X), challenger.predict(X))
    result = DEFAULT(counts, label=label)
    one_sided = DEFAULT(counts, label=label, alternative="greater")
    expected = {
        "difference": result.estimate,
        "statistic": math.copysign(math.sqrt(result.statistic), result.estimate),
        "confidence": 1 - one_sided.pvalue,
    }

    assert 0 < abs(result.estimate)
    for returns, value in expected.items():
        scorer = PrecisionScorer(champion, returns=returns, label=label)

        assert value == pytest.approx(scorer(challenger, X, y), rel=1e-12)
        assert isinstance(scorer(challenger, X, y), float)


def test_signed_root_goes_with_the_confidence(data, champion, challenger):
    """1 - p of the one-sided test is the normal distribution at the signed root."""
    _, _, X, y = data
    for first, second in ((champion, challenger), (challenger, champion)):
        root, confidence = (
            PrecisionScorer(first, returns=returns, test="precision_score")(second, X, y)
            for returns in ("statistic", "confidence")
        )

        assert (1 + math.erf(root / math.sqrt(2))) / 2 == pytest.approx(confidence)


def test_greater_is_better(data, champion):
    """A perfect classifier has the greatest scores, swapped roles the opposite."""
    _, _, X, y = data
    perfect = DecisionTreeClassifier().fit(X, y)

    for returns in RETURNS:
        better = PrecisionScorer(champion, returns=returns)(perfect, X, y)
        worse = PrecisionScorer(perfect, returns=returns)(champion, X, y)
        assert better > 0.1
        assert worse < better
        if returns != "confidence":
            assert -better == pytest.approx(worse)
        else:
            assert 0 <= worse < 0.01
            assert 0.99 < better <= 1


def test_other_tests_and_their_options(data, champion, challenger):
    """A ratio has the difference of the two precisions, options go to the test."""
    _, _, X, y = data
    counts = JointCounts.from_predictions(y, champion.predict(X), challenger.predict(X))
    options = {"prevalence": 0.05, "method": "delta"}
    result = updated_precision(counts, **options)
    one_sided = updated_precision(counts, **options, alternative="greater")
    for returns, expected in (
        ("difference", result.challenger - result.champion),
        ("statistic", result.statistic),
        ("confidence", 1 - one_sided.pvalue),
    ):
        scorer = PrecisionScorer(
            champion, returns=returns, test="updated_precision", **options
        )

        assert expected == pytest.approx(scorer(challenger, X, y))


def test_base_serves_other_tests(data, champion, challenger):
    """The base makes the evidence of any test of fitted classifiers."""
    _, _, X, y = data
    labels = [one.predict(X) for one in (champion, challenger)]
    scores = [one.predict_proba(X)[:, 1] for one in (champion, challenger)]
    right = mcnemar(ContingencyTable.from_predictions(y, *labels), method="asymptotic")
    ranked = delong(PlacementValues.from_predictions(y, *scores))
    root = math.copysign(math.sqrt(right.statistic), right.estimate)

    assert right.estimate == PairedScorer("mcnemar", champion)(challenger, X, y)
    assert root == pytest.approx(
        PairedScorer("mcnemar", champion, returns="statistic", method="asymptotic")(
            challenger, X, y
        )
    )
    assert ranked.estimate == pytest.approx(
        PairedScorer("delong", champion)(challenger, X, y)
    )
    assert ranked.estimate == pytest.approx(
        PairedScorer("delong")(challenger, X, y, champion_scores=champion.predict_proba(X))
    )
    assert ranked.statistic == pytest.approx(
        PairedScorer("delong", champion, returns="statistic")(challenger, X, y)
    )


@pytest.mark.parametrize("name", ["paired_t", "delong", "score_difference"])
def test_statistics_with_a_sign(data, champion, challenger, name):
    """Swapped roles turn the sign, whichever kind of statistic a test has."""
    _, _, X, y = data
    one, other = (
        PairedScorer(name, first, returns="statistic")(second, X, y)
        for first, second in ((champion, challenger), (challenger, champion))
    )

    assert 0 < abs(one)
    assert -one == pytest.approx(other, rel=1e-9)


@pytest.mark.parametrize("known", [True, False])
def test_statistics_without_a_sign_are_refused(data, champion, challenger, known):
    """A sum that is the same for swapped roles does not rank candidates."""
    _, _, X, y = data
    with pytest.raises(ValueError, match=r"statistic of wilcoxon .* has no sign"):
        PairedScorer("wilcoxon", champion if known else None, returns="statistic")

    assert 0 <= PairedScorer("wilcoxon", champion, returns="confidence")(challenger, X, y)


def test_no_number_of_each_role_is_refused(champion):
    """An odds ratio of discordant pairs has a sign and a confidence, but no difference."""
    with pytest.raises(ValueError, match="compares no number of each classifier"):
        PairedScorer("discordant_odds_ratio", champion)
    for returns in ("statistic", "confidence"):
        PairedScorer("discordant_odds_ratio", champion, returns=returns)


def test_tests_that_make_no_sense_are_refused(champion):
    """A test without direction, of several test sets or of groups scores no pair."""
    for name, why in [
        ("bowker", "bowker has no direction"),
        ("yule_q", "yule_q has no direction"),
        ("precision_simes", "precision_simes has no direction"),
        ("bcv_mcnemar", "valid for bcv.* only.*PairedComparator runs it"),
        ("clustered_delong", "valid for grouped holdout only.*without groups"),
    ]:
        with pytest.raises(
            ValueError, match=rf"{why}.*one of PairedScorer\.available_tests"
        ):
            PairedScorer(name, champion)
        assert name not in PairedScorer.available_tests()


# ---------------------------------------------------------------- labels


def test_string_classes(data):
    """String labels, as arrays and as a frame's columns; the last is the default."""
    X, y, X_new, y_new = data
    names = np.array(["ham", "spam"])
    old = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, names[y])
    new = LogisticRegression().fit(X, pd.Series(names[y], dtype=object))
    expected = PrecisionScorer(
        DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    )(LogisticRegression().fit(X, y), X_new, y_new)

    for truth in (names[y_new], pd.Series(names[y_new]), names[y_new].tolist()):
        assert expected == PrecisionScorer(old)(new, X_new, truth)
        assert expected == PrecisionScorer(old, label="spam")(new, X_new, truth)
    other = PrecisionScorer(old, label="ham")(new, X_new, names[y_new])
    assert other == pytest.approx(
        precision_score(names[y_new], new.predict(X_new), pos_label="ham")
        - precision_score(names[y_new], old.predict(X_new), pos_label="ham")
    )


def test_several_classes():
    """One class of three against the rest."""
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    old = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[::3], y[::3])
    new = LogisticRegression(max_iter=1000).fit(X[::3, :2], y[::3])
    frame = X[1::3]

    class FirstTwo(Constant):
        def predict(self, X):
            return new.predict(X[:, :2])

    narrow = FirstTwo().fit(frame, y[1::3])
    for label in np.unique(y):
        expected = np.subtract(
            *(
                precision_score(y[1::3], one.predict(frame), labels=[label], average=None)[
                    0
                ]
                for one in (narrow, old)
            )
        )
        assert expected == pytest.approx(
            PrecisionScorer(old, label=label)(narrow, frame, y[1::3])
        )


def test_class_that_a_test_set_lacks(data, champion, challenger):
    """The default class is one of those the classifiers know, in every test set alike."""
    _, _, X, y = data
    negatives = y == 0

    score = PrecisionScorer(champion)(challenger, X[negatives], y[negatives])

    # All predictions of class 1 are wrong, so that both precisions are 0.
    assert 0 == score


def test_unknown_label(data, champion, challenger):
    """A label that nobody knows is an error, with the classes."""
    _, _, X, y = data
    with pytest.raises(ValueError, match=r"`label` must be one of the classes 0, 1"):
        PrecisionScorer(champion, label="spam")(challenger, X, y)


# ------------------------------------------------------------- undefined scores


@pytest.mark.parametrize(
    ("returns", "expected"),
    [("difference", math.nan), ("statistic", math.nan), ("confidence", 0.0)],
)
def test_undefined(data, champion, returns, expected):
    """A classifier that never gives the class: NaN, or no confidence, and a warning."""
    X, y, X_new, y_new = data
    never = Constant(0).fit(X, y)
    scorer = PrecisionScorer(champion, returns=returns)

    with pytest.warns(
        UndefinedMetricWarning, match=rf"{returns} is set to .*never predicts"
    ):
        score = scorer(never, X_new, y_new)

    assert expected == pytest.approx(score, nan_ok=True)


def test_search_ranks_undefined_last(data, champion):
    """A candidate whose precision is undefined is never chosen."""
    _, _, X, y = data
    search = GridSearchCV(
        DummyClassifier(strategy="constant"),
        {"constant": [0, 1]},
        scoring=PrecisionScorer(champion),
        cv=3,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)

    assert {"constant": 1} == search.best_params_
    assert math.isnan(search.cv_results_["mean_test_score"][0])


# ------------------------------------------------------------------ champions


def test_unfitted_champion():
    """A champion that was never fitted is refused when the scorer is made."""
    for unfitted in (
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        FrozenEstimator(LogisticRegression()),
    ):
        with pytest.raises(ValueError, match=r"`champion` must be fitted.*is not\. Fit it"):
            PrecisionScorer(unfitted)


def test_no_champion_at_all():
    """Classes, names and stored predictions are no fitted classifier."""
    for wrong in [LogisticRegression, "champion", [0, 1], 3]:
        with pytest.raises(
            TypeError, match=r"`champion` must be a fitted classifier.*metadata"
        ):
            PrecisionScorer(wrong)


def test_regressor(data):
    """A regressor has no precision."""
    X, y, _, _ = data
    with pytest.raises(ValueError, match="precision_both_scores is for classes, and the"):
        PrecisionScorer(LinearRegression().fit(X, y))


def test_fitted_champions_of_all_kinds(data, challenger):
    """Pipelines, frozen estimators and objects that only predict are taken as they are."""
    X, y, X_new, y_new = data

    class Plain:
        def __init__(self, inner):
            self.inner = inner

        def predict(self, X):
            return self.inner.predict(X)

    class Foreign(Plain):
        """One of another package, which scikit-learn cannot ask whether it is fitted."""

        def fit(self, X, y):
            return self

    pipeline = make_pipeline(StandardScaler(), LogisticRegression(C=0.01)).fit(X, y)
    expected = PrecisionScorer(pipeline)(challenger, X_new, y_new)

    for same in (FrozenEstimator(pipeline), Plain(pipeline), Foreign(pipeline)):
        assert expected == PrecisionScorer(same)(challenger, X_new, y_new)


def test_stored_predictions(data, champion, challenger):
    """The champion's predictions for the same records stand for it."""
    _, _, X, y = data
    stored = champion.predict(X)
    for returns in RETURNS:
        expected = PrecisionScorer(champion, returns=returns)(challenger, X, y)
        scorer = PrecisionScorer(returns=returns)

        for predictions in (stored, stored.tolist(), pd.Series(stored)):
            assert expected == scorer(challenger, X, y, champion_predictions=predictions)


def test_stored_predictions_of_another_length(data, champion, challenger):
    """Predictions to other records are refused, with what to do."""
    _, _, X, y = data
    stored = champion.predict(X)
    for wrong, length in ((stored[:-1], "499"), (stored[:0], "0"), (7, "no array")):
        with pytest.raises(
            ValueError, match=rf"expected 500\. Got {length}\..*metadata routing"
        ):
            PrecisionScorer()(challenger, X, y, champion_predictions=wrong)


def test_one_champion(data, champion, challenger):
    """Neither a champion nor predictions, and both, are refused."""
    _, _, X, y = data
    with pytest.raises(ValueError, match=r"needs a champion.*Got neither"):
        PrecisionScorer()(challenger, X, y)
    with pytest.raises(ValueError, match=r"needs a champion.*Got both"):
        PrecisionScorer(champion)(challenger, X, y, champion_predictions=y)


def test_weights_are_refused(data, champion, challenger):
    """The test has no version for weights; the message says so."""
    _, _, X, y = data
    scorer = PrecisionScorer(champion)
    with pytest.raises(ValueError, match=r"counts every record once.*Got sample_weight"):
        scorer(challenger, X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match="Got sample_weight"):
        permutation_importance(
            challenger, X, y, scoring=scorer, sample_weight=np.ones(len(y)), n_repeats=1
        )
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(ValueError, match="Got sample_weight"):
            scorer.set_score_request(sample_weight=True)
        with pytest.raises(TypeError, match=r"takes champion_predictions.*Got groups"):
            scorer.set_score_request(groups=True)
    with pytest.raises(TypeError, match=r"takes champion_predictions.*Got groups"):
        scorer(challenger, X, y, groups=y)
    assert scorer(challenger, X, y) == scorer(challenger, X, y, sample_weight=None)


def test_wrong_settings(champion):
    """Unknown returns, tests and options are refused when the scorer is made."""
    with pytest.raises(ValueError, match=r"Unknown returns 'p'.*confidence"):
        PrecisionScorer(champion, returns="p")
    with pytest.raises(ValueError, match="Unknown test 'precision_wighted_score'"):
        PrecisionScorer(champion, test="precision_wighted_score")
    with pytest.raises(ValueError, match=r"needs a test of the precision.*'mcnemar'"):
        PrecisionScorer(champion, test="mcnemar")
    with pytest.raises(ValueError, match="Unknown option of precision_both_scores 'lab'"):
        PrecisionScorer(champion, lab=1)
    with pytest.raises(ValueError, match="chooses the alternative itself"):
        PrecisionScorer(champion, alternative="less")


def test_a_classifier_that_fails(data, champion):
    """Its own error is passed on with its role."""
    _, _, X, y = data
    with pytest.raises(ValueError, match=r"challenger .*failed to predict"):
        PrecisionScorer(champion)(LogisticRegression().fit(X[:, :3], y), X, y)
    with pytest.raises(ChampionMismatchError, match=r"champion .*failed to predict"):
        PrecisionScorer(champion)(LogisticRegression().fit(X[:, :3], y), X[:, :3], y)


# ---------------------------------------------------------------- scikit-learn


def test_text_for_a_scorer(champion):
    """The words make the scorer again, without what is as it is by default."""
    tree = "DecisionTreeClassifier(max_depth=2, random_state=0)"

    assert f"PrecisionScorer(champion={tree})" == repr(PrecisionScorer(champion))
    assert "PrecisionScorer()" == repr(PrecisionScorer())
    assert (
        f"PrecisionScorer(champion={tree}, returns='confidence', test='updated_precision', "
        "label=0, prevalence=0.1)"
    ) == repr(
        PrecisionScorer(
            champion,
            returns="confidence",
            test="updated_precision",
            label=0,
            prevalence=0.1,
        )
    )


def test_several_scorers(data, champion):
    """It goes beside others by name, with sample weights for the fit too."""
    _, _, X, y = data
    scoring = {"gain": PrecisionScorer(champion), "accuracy": "accuracy"}

    found = cross_validate(LogisticRegression(), X, y, scoring=scoring, cv=3)
    search = GridSearchCV(
        LogisticRegression(), {"C": [0.1, 1]}, scoring=scoring, refit="gain", cv=3
    )
    with warnings.catch_warnings():
        # Newer versions say that the scorer takes no weights.
        warnings.filterwarnings("ignore", message="The scoring gain=")
        search.fit(X, y, sample_weight=np.linspace(1, 2, len(y)))

    assert {"test_gain", "test_accuracy"} <= set(found)
    assert np.isfinite(search.cv_results_["mean_test_gain"]).all()


def test_searches(data, champion):
    """A search finds the candidate of the greatest mean score."""
    _, _, X, y = data
    scorer = PrecisionScorer(champion, returns="statistic")
    grid = {"max_depth": [1, 3, None]}
    tree = DecisionTreeClassifier(random_state=0)
    cv = StratifiedKFold(3)
    means = [
        np.mean(by_fold(clone(tree).set_params(max_depth=depth), X, y, cv, scorer))
        for depth in grid["max_depth"]
    ]

    search = GridSearchCV(tree, grid, scoring=scorer, cv=cv).fit(X, y)

    assert means == pytest.approx(search.cv_results_["mean_test_score"].tolist())
    assert grid["max_depth"][int(np.argmax(means))] == search.best_params_["max_depth"]
    assert scorer(search.best_estimator_, X, y) == pytest.approx(search.score(X, y))


# ------------------------------------------------------------- metadata routing


@pytest.fixture
def routing():
    """Metadata routing on."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_routed_predictions(data, champion):
    """Stored predictions are cut to each test set, and score as the champion itself
    would.
    """
    _, _, X, y = data
    stored, cv = champion.predict(X), StratifiedKFold(5)
    settings = {"X": X, "y": y, "cv": cv}
    metadata = {"champion_predictions": stored}
    expected = cross_val_score(
        LogisticRegression(), **settings, scoring=PrecisionScorer(champion), params={}
    )

    found = cross_val_score(
        LogisticRegression(), **settings, scoring=PrecisionScorer(), params=metadata
    )
    search = GridSearchCV(
        LogisticRegression(), {"C": [1.0]}, scoring=PrecisionScorer(), cv=cv
    ).fit(X, y, **metadata)
    _, _, curve = learning_curve(
        LogisticRegression(), **settings, scoring=PrecisionScorer(), train_sizes=[1.0],
        params=metadata,
    )  # fmt: skip

    assert expected == pytest.approx(found)
    assert expected.mean() == pytest.approx(search.best_score_)
    assert expected == pytest.approx(curve[0])


@pytest.mark.usefixtures("routing")
def test_routed_under_another_name(data, champion):
    """Predictions of two champions go to two scorers by names of their own."""
    _, _, X, y = data
    out_of_sample = cross_val_predict(LogisticRegression(C=0.001), X, y, cv=4, params={})
    scoring = {
        name: PrecisionScorer().set_score_request(champion_predictions=name)
        for name in ("tree", "model")
    }
    found = cross_validate(
        LogisticRegression(), X, y, scoring=scoring, cv=StratifiedKFold(3),
        params={"tree": champion.predict(X), "model": out_of_sample},
    )  # fmt: skip
    # The oldest versions route no metadata at all from None.
    expected = cross_val_score(
        LogisticRegression(), X, y, scoring=PrecisionScorer(champion), cv=3, params={}
    )

    assert expected == pytest.approx(found["test_tree"])
    assert not np.allclose(found["test_tree"], found["test_model"])


@pytest.mark.usefixtures("routing")
def test_weights_routed_to_the_fit_only(data, champion):
    """A classifier that asks for weights gets them, and the scorer does not."""
    _, _, X, y = data
    weights = np.where(y == 1, 3.0, 1.0)
    weighted = LogisticRegression().set_fit_request(sample_weight=True)

    plain, found = (
        cross_val_score(
            weighted, X, y, scoring=PrecisionScorer(champion), cv=3, params=params
        )
        for params in ({}, {"sample_weight": weights})
    )

    assert np.isfinite(found).all()
    assert not np.allclose(plain, found)


@pytest.mark.usefixtures("routing")
def test_predictions_that_nobody_requested_for(data, champion):
    """A scorer with a champion of its own does not take stored predictions in silence."""
    _, _, X, y = data
    with pytest.raises(Exception, match="champion_predictions"):
        cross_val_score(
            LogisticRegression(), X, y, scoring=PrecisionScorer(champion), cv=3,
            params={"champion_predictions": y},
        )  # fmt: skip


def test_routing_is_off(data, champion):
    """Without routing scikit-learn passes no metadata, and the request says so."""
    with pytest.raises(RuntimeError, match="set_score_request needs metadata routing"):
        PrecisionScorer().set_score_request(champion_predictions=True)
