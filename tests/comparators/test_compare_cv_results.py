"""Every test from what cross_validate returned, for two classifiers or for a pair."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skcompare import (
    BlockRegularized5x2CV,
    PairedComparator,
    PairedEstimator,
    compare_cv_results,
    make_paired_scorer,
)
from skcompare.evidence import PairedBlocks, ScoreDifferences
from skcompare.predictions import predictions_from_cv_results

X, Y = make_classification(n_samples=160, n_features=5, flip_y=0.2, random_state=0)
GROUPS = np.arange(160) // 4
OLD, NEW = DecisionTreeClassifier(max_depth=2, random_state=0), GaussianNB()
BCV = BlockRegularized5x2CV(random_state=0)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=1)
KEEP = {"return_estimator": True, "return_indices": True}
from_cv = ScoreDifferences.from_cv_results


def run(model, cv=BCV, X=X, y=Y, **settings):
    """What `cross_validate` gives with classifiers and indices."""
    return cross_validate(model, X, y, cv=cv, **(KEEP | settings))


def run_pair(cv=BCV, scoring="accuracy", **settings):
    """What `cross_validate` gives for both in one."""
    pair = PairedEstimator(OLD, NEW)
    return run(pair, cv, scoring=make_paired_scorer(scoring), **settings)


@cache
def _once(of, cv):
    return run_pair(cv) if of == "pair" else run({"old": OLD, "new": NEW}[of], cv)


def given(*names, cv=BCV):
    """What `cross_validate` gives with a splitter of ours, to keep and to change."""
    return [dict(_once(name, cv)) for name in names]


def rows_of(comparison):
    """Everything that a comparison says of each test."""
    return [
        (row.measure, row.label, row.test, row.champion, row.challenger, row.difference)
        + (row.low, row.high, row.pvalue, row.adjusted_pvalue, row.flags, row.primary)
        for row in comparison.rows
    ]


SETTINGS = [
    (FOLDS, {"scoring": ["roc_auc", "binary_brier_loss", "f1", "precision[0]"]}),
    (FOLDS, {"scoring": ["accuracy", "f1"], "pos_label": 0, "adjust": "bonferroni"}),
    (GroupKFold(4), {"groups": GROUPS, "tests": ["mcnemar"]}),
    (ShuffleSplit(1, random_state=0), {"scoring": ["accuracy", "roc_auc"]}),
    (BCV, {"scoring": ["roc_auc", "binary_brier_loss", "f1", "precision[0]"]}),
    (BCV, {"tests": "all"}),
    (FOLDS, {"tests": "all"}),
    (FOLDS, {"scoring": "neg_log_loss", "alternative": "greater", "alpha": 0.1}),
    (BCV, {"groups": GROUPS}),
]


@pytest.mark.parametrize(
    "several",
    [
        pytest.param(SETTINGS[:2], id="few"),
        pytest.param(SETTINGS[2:], id="others", marks=pytest.mark.slow),
    ],
)
def test_same_as_the_comparator(several):
    """Two outputs, or one of a pair, give the rows of a PairedComparator."""
    for cv, settings in several:
        fitting = {"groups": settings.get("groups")}
        choices = {name: value for name, value in settings.items() if name != "groups"}
        expected = PairedComparator(OLD, NEW, cv=cv, **choices).fit(X, Y, **fitting)
        if fitting["groups"] is None:
            old, new, pair = given("old", "new", "pair", cv=cv)
        else:
            old, new = (run(model, cv, **fitting) for model in (OLD, NEW))
            pair = run_pair(cv, **fitting)
        of_two = compare_cv_results(old, new, X, Y, cv=cv, **settings)
        of_pair = compare_cv_results(pair, X=X, y=Y, cv=cv, **settings)

        for comparison in (of_two, of_pair):
            np.testing.assert_equal(rows_of(comparison), rows_of(expected.comparison_))
            assert expected.verdict_ == comparison.verdict
            assert expected.comparison_.flags == comparison.flags
            assert expected.comparison_.fingerprint == comparison.fingerprint
            assert expected.comparison_.n_fits == comparison.n_fits
            assert expected.comparison_.champion == comparison.champion
            assert expected.comparison_.challenger == comparison.challenger


@pytest.mark.filterwarnings("ignore:The least populated class 2 has 5 members")
def test_small_class_is_flagged():
    """What the splitter says of its splits is passed on."""
    records, labels = load_iris(return_X_y=True)
    records, labels = records[:105], labels[:105]
    scorer = make_paired_scorer()
    results = run(PairedEstimator(OLD, NEW), BCV, records, labels, scoring=scorer)
    comparison = compare_cv_results(results, X=records, y=labels, cv=BCV)

    assert "small-class" in comparison.flags


def test_design_may_be_told():
    """A name stands for the splitter where this is gone; indices show no BCV."""
    (results,) = given("pair")

    assert "bcv" == compare_cv_results(results, X=X, y=Y, design="bcv").design.kind
    assert "random 5x2" == compare_cv_results(results, X=X, y=Y).design.kind


def test_frames_and_string_classes():
    """Frames and columns are predicted again as they were cross-validated."""
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(160)[::-1])
    words = pd.Series(np.where(Y == 1, "ill", "fit"), index=frame.index)
    cv = StratifiedKFold(4)
    results = run_pair(cv, X=frame, y=words, scoring="f1[ill]")
    comparison = compare_cv_results(
        results, X=frame, y=words, cv=cv, scoring="roc_auc", pos_label="ill"
    )
    expected = PairedComparator(OLD, NEW, cv=cv, scoring="roc_auc").fit(X, Y)

    assert expected.results_["roc_auc"].pvalue == pytest.approx(comparison.rows[0].pvalue)


def test_pipeline_that_ends_in_a_pair():
    """Steps before the pair belong to both classifiers."""
    steps = StandardScaler(), PairedEstimator(LogisticRegression(), NEW)
    cv = KFold(3)
    results = run(make_pipeline(*steps), cv, scoring=make_paired_scorer())
    alone = make_pipeline(StandardScaler(), LogisticRegression())
    expected = PairedComparator(alone, make_pipeline(StandardScaler(), NEW), cv=cv)
    comparison = compare_cv_results(results, X=X, y=Y, cv=cv)

    np.testing.assert_equal(rows_of(comparison), rows_of(expected.fit(X, Y).comparison_))
    assert "Pipeline(StandardScaler, LogisticRegression)" in comparison.champion


def test_every_way_to_evidence():
    """Tables, scores and predictions of a pair are those of two outputs."""
    old, new, pair = given("old", "new", "pair")
    expected = predictions_from_cv_results(X, Y, {"a": old, "b": new}, cv=BCV)
    actual = predictions_from_cv_results(X, Y, pair, cv=BCV)

    assert ("champion", "challenger") == actual.names
    for one, other in zip(expected.estimators, actual.estimators, strict=True):
        assert one.labels.tolist() == other.labels.tolist()
        assert one.proba.tolist() == other.proba.tolist()
        assert one.description == other.description
    assert PairedBlocks.from_cv_results(
        old, new, X, Y, cv=BCV
    ) == PairedBlocks.from_cv_results(pair, X=X, y=Y, cv=BCV)
    scores = ["accuracy", "neg_log_loss"]
    old, new = (run(model, FOLDS, scoring=scores) for model in (OLD, NEW))
    pair = run_pair(FOLDS, scores)
    for score in scores:
        assert from_cv(old, new, cv=FOLDS, scoring=score) == from_cv(
            pair, cv=FOLDS, scoring=score
        )


def test_losses_of_a_pair():
    """A loss keeps its values, and its differences are gains."""
    cv = KFold(3)
    pair = run_pair(cv, scoring=["binary_brier_loss", "neg_binary_brier_loss"])
    loss, score = (
        from_cv(pair, cv=cv, scoring=f"{neg}binary_brier_loss") for neg in ("", "neg_")
    )

    assert (False, True) == (loss.greater_is_better, score.greater_is_better)
    assert loss.values.tolist() == score.values.tolist()
    assert (-loss.champion).tolist() == score.champion.tolist()
    assert (
        pair["test_binary_brier_loss_difference"].tolist() == loss.values.ravel().tolist()
    )


def test_equal_losses():
    """Equal classifiers do not differ, whichever way is better."""
    cv, scorer = KFold(3), make_paired_scorer("binary_brier_loss")
    pair = run(PairedEstimator(NEW, NEW), cv, scoring=scorer)

    assert not from_cv(pair, cv=cv).values.any()


def test_scores_of_a_pair_without_indices():
    """A pair shares its splits by nature; only their sizes must be known."""
    shown = run_pair(KFold(4), return_indices=False, return_estimator=False)
    shuffled = KFold(4, shuffle=True)

    assert () == from_cv(shown, X=X, y=Y, cv=KFold(4)).flags
    assert [120] * 4 == from_cv(shown, X=X, y=Y, cv=shuffled).n_train.tolist()
    assert [40] * 4 == from_cv(shown, n_train=120, n_test=40).n_test.tolist()
    assert "kfold" == from_cv(pd.DataFrame(shown), y=Y, cv=4).design.kind
    with pytest.raises(ValueError, match="sizes of the training and test sets"):
        from_cv(shown)
    with pytest.raises(ValueError, match="of the pair, 120 of `cv`"):
        from_cv(run_pair(KFold(4)), X=X, y=Y, cv=StratifiedKFold(4))


def test_which_score_of_a_pair():
    """One of several has to be named; a single output must be of a pair."""
    pair = run_pair(KFold(3), scoring=["accuracy", "f1"])

    assert "f1" == from_cv(pair, scoring="f1").score
    with pytest.raises(ValueError, match=r"several scores.*: accuracy, f1"):
        from_cv(pair)
    with pytest.raises(ValueError, match="Did you mean 'accuracy'"):
        from_cv(pair, scoring="acuracy")
    with pytest.raises(ValueError, match=r"as make_paired_scorer makes them\. Got score"):
        from_cv(run(OLD, KFold(3)))


def test_undefined_score_of_a_pair():
    """A score that is not there is named, as for two outputs."""
    pair = run_pair(KFold(3))
    pair["test_accuracy_champion"][1] = np.nan

    with pytest.raises(ValueError, match="champion has the score nan on split 1"):
        from_cv(pair)


@pytest.mark.parametrize("lacking", ["estimator", "indices"])
def test_what_is_needed(lacking):
    """Trained classifiers, indices, records and labels."""
    pair, old, new = given("pair", "old", "new")
    for output in (pair, new):
        del output[lacking]

    with pytest.raises(ValueError, match=f"of the pair must be .* without '{lacking}'"):
        compare_cv_results(pair, X=X, y=Y)
    with pytest.raises(ValueError, match=f"of challenger must be .* without '{lacking}'"):
        compare_cv_results(old, new, X, Y)
    with pytest.raises(ValueError, match=f"of the pair must be .* without '{lacking}'"):
        predictions_from_cv_results(X, Y, pair)


def test_records_are_needed():
    """Classifiers prediction again, so records and labels are needed."""
    (pair,) = given("pair")
    for settings in ({}, {"X": X}, {"y": Y}):
        with pytest.raises(ValueError, match="Pass the records and labels"):
            compare_cv_results(pair, **settings)
        with pytest.raises(ValueError, match="Pass the records and labels"):
            PairedBlocks.from_cv_results(pair, **settings)


def test_one_output_of_one_classifier():
    """What is no pair needs the other output, and a pair needs none."""
    old, new, pair = given("old", "new", "pair")
    with pytest.raises(ValueError, match=r"must be of a PairedEstimator.* GaussianNB on"):
        compare_cv_results(new, X=X, y=Y)
    with pytest.raises(ValueError, match="results of challenger are of a pair"):
        compare_cv_results(old, pair, X, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_failed_fits_of_a_pair():
    """A pair that was not fitted on a split cannot predict there."""

    class Picky(GaussianNB):
        def fit(self, X, y):
            if y[0] == 1:
                raise ZeroDivisionError("no luck")
            return super().fit(X, y)

    starts = [int(np.argmin(Y)), int(np.argmax(Y))]
    cv = [(np.arange(start, 120), np.arange(120, 160)) for start in starts]
    results = run(PairedEstimator(OLD, Picky()), cv, scoring=make_paired_scorer())

    with pytest.raises(ValueError, match=r"fitted on every split. Got .* on split 1.*'rai"):
        compare_cv_results(results, X=X, y=Y)


def test_other_records():
    """Fewer records, other splits, and what is no classifier, are refused."""
    pair, new = given("pair", "new")
    with pytest.raises(ValueError, match="`X` and `y` must be the records"):
        compare_cv_results(pair, X=X, y=Y[:150])
    with pytest.raises(ValueError, match="sets of split 0 differ"):
        compare_cv_results(run(OLD, KFold(3)), run(NEW, StratifiedKFold(3)), X, Y)
    with pytest.raises(ValueError, match="Got the regressor LinearRegression"):
        compare_cv_results(run(LinearRegression()), new, X, Y, cv=BCV)


def test_frozen_classifiers():
    """One that was not fitted on the splits has to be allowed, and two are refused."""
    frozen = FrozenEstimator(DummyClassifier().fit(X, Y))
    old, (new,) = run(frozen), given("new")

    with pytest.raises(ValueError, match="pass allow_mixed=True"):
        compare_cv_results(old, new, X, Y, cv=BCV)
    mixed = compare_cv_results(old, new, X, Y, cv=BCV, allow_mixed=True)
    assert ("mixed-frozen",) == mixed.flags
    with pytest.raises(ValueError, match="Got frozen ones only"):
        compare_cv_results(old, old, X, Y, cv=BCV)


def test_bad_settings():
    """Each says what is wrong."""
    (pair,) = given("pair")
    for settings, message in [
        ({"alpha": 0}, "`alpha` must be"),
        ({"adjust": "holms"}, "Did you mean 'holm'"),
        ({"tests": "mcnemr"}, "Did you mean 'mcnemar'"),
        ({"scoring": "acuracy"}, "Did you mean 'accuracy'"),
        ({"scoring": "f1[7]"}, "class that does not occur"),
        ({"pos_label": 7}, "`pos_label` must be one of two classes"),
        ({"cv": KFold(3)}, "scores on 10 test sets, but `cv` has 3 splits"),
        ({"groups": [1, 2]}, "inconsistent numbers of samples"),
    ]:
        with pytest.raises(ValueError, match=message):
            compare_cv_results(pair, X=X, y=Y, **({"cv": BCV} | settings))


def test_tuned_challenger_within_a_pair():
    """A search is a part of the learning algorithm, and is compared as one."""
    grid = {"max_depth": [1, 2]}
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=2)
    pair = PairedEstimator(NEW, search)
    results = run(pair, KFold(3), scoring=make_paired_scorer())
    comparison = compare_cv_results(results, X=X, y=Y, cv=KFold(3))

    expected = results["test_accuracy_difference"].mean()
    assert "corrected_repeated_kfold_t" == comparison.rows[0].test
    assert expected == pytest.approx(comparison.rows[0].difference, abs=0.01)
