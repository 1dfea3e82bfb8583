"""Several classifiers: tests of all, adjusted pairs, groups, and how many fits it takes."""

import json
import pickle
from itertools import combinations

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skcompare import MultipleComparator, PairedComparator, compare
from skcompare.evidence import ClusterSums, PlacementValues
from skcompare.reports import MultipleComparison
from skcompare.stats import (
    adjust_pvalues,
    delong_joint,
    pairwise_delong,
    pairwise_precision,
    precision_several,
)

FITS = []


class Counting(ClassifierMixin, BaseEstimator):
    """A classifier that notes its fits, and predicts correctly with some probability."""

    def __init__(self, name="", accuracy=0.8):
        self.name = name
        self.accuracy = accuracy

    def fit(self, X, y):
        FITS.append((self.name, len(X)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        # The label is in the first column, so that it can be predicted correctly.
        truth, draw = X[:, 0].astype(int), X[:, 1]
        return np.where(draw < self.accuracy, truth, 1 - truth)


def problem(n=200, seed=0):
    """Records that hold their label and a draw."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return np.column_stack([y, rng.random(n)]), y


def named(*accuracies):
    """Counting classifiers with names."""
    return [(f"c{k}", Counting(f"c{k}", one)) for k, one in enumerate(accuracies)]


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2, :10], y[::2]


@pytest.fixture(scope="module")
def models():
    return [
        ("Bayes", GaussianNB()),
        ("linear", make_pipeline(StandardScaler(), LogisticRegression())),
        ("tree", DecisionTreeClassifier(max_depth=3)),
    ]


@pytest.fixture(scope="module")
def fitted(cancer, models):
    X, y = cancer
    return MultipleComparator(models, scoring=["accuracy", "roc_auc"], random_state=0).fit(
        X, y
    )


# ----------------------------------------------------------------------- fits


def test_fits_are_counted():
    """k classifiers under 5×2 BCV make exactly 10·k fits; refit adds one."""
    X, y = problem()
    for k, refit in ((3, False), (5, True)):
        FITS.clear()

        comparator = MultipleComparator(
            named(*np.linspace(0.6, 0.9, k)), refit=refit, random_state=0
        ).fit(X, y)

        assert 10 * k + refit == len(FITS)
        assert {10} == {
            [n for n, size in FITS if size == 100].count(f"c{j}") for j in range(k)
        }
        assert refit == (FITS[-1][1] == 200)
        assert 10 == comparator.comparison_.n_fits


@pytest.mark.parametrize("refit", [False, True])
def test_fits_of_a_pair_are_counted(refit):
    """Two classifiers make 20 fits, and one more with refit."""
    X, y = problem()
    FITS.clear()

    PairedComparator(Counting("a"), Counting("b"), refit=refit, random_state=0).fit(X, y)

    assert 20 + refit == len(FITS)


# ------------------------------------------------------------- pairs and adjustment


@pytest.mark.slow
def test_pairs_are_those_of_two_at_a_time(cancer, models, fitted):
    """Each pair has the p-value that the comparator of the two has, then adjusted."""
    X, y = cancer
    raw = {"accuracy": [], "roc_auc": []}
    for (one, first), (other, second) in combinations(models, 2):
        pair = PairedComparator(
            first, second, scoring=["accuracy", "roc_auc"], random_state=0
        ).fit(X, y)
        for measure, pvalues in raw.items():
            row = fitted.results_[measure].pair(one, other)
            expected = pair.results_[measure]
            pvalues.append(expected.pvalue)
            assert expected.pvalue == row.pvalue
            assert expected.difference == row.difference
            assert expected.confidence_interval(1 - 0.05 / 3) == (row.low, row.high)
    for measure, pvalues in raw.items():
        rows = [fitted.results_[measure].pair(*two) for two in combinations(
            [name for name, _ in models], 2)]  # fmt: skip
        assert adjust_pvalues(pvalues).tolist() == [row.adjusted_pvalue for row in rows]
    assert ("bcv_jackknife_t", "bcv_jackknife_t") == tuple(
        one.test for one in fitted.comparison_.comparisons
    )


def test_no_joint_test_is_claimed_for_splits(fitted):
    """Under BCV no joint test is known, and the report says so."""
    assert fitted.comparison_.omnibus is None
    assert "no joint test by accuracy, roc_auc is known to be" in str(fitted.comparison_)


def test_groups_follow_from_the_pairs(fitted):
    """Two classifiers are in a group unless the adjusted p-value tells them apart."""
    rows = fitted.comparison_.pairs
    together = {
        frozenset(pair) for group in fitted.groups_ for pair in combinations(group, 2)
    }

    for row in rows:
        alike = frozenset((row.champion, row.challenger)) in together
        assert alike == (row.adjusted_pvalue >= 0.05)
    assert "linear" == fitted.groups_[0][0]


def test_control(cancer, models):
    """With a control there are k - 1 pairs, adjusted for these, and no groups."""
    X, y = cancer
    settings = {"control": "linear", "cv": 3, "random_state": 0}
    comparator = MultipleComparator(models, **settings).fit(X, y)

    assert {"linear"} == {row.champion for row in comparator.comparison_.pairs}
    assert 2 == len(comparator.comparison_.pairs)
    assert () == comparator.groups_
    beaten = [row.adjusted_pvalue < 0.05 for row in comparator.comparison_.pairs]
    assert ("linear" if all(beaten) else "inconclusive") == comparator.verdict_
    one_sided = MultipleComparator(models, alternative="less", **settings).fit(X, y)
    for row in comparator.comparison_.pairs:
        other = one_sided.comparison_.pair(row.champion, row.challenger)
        assert row.pvalue / 2 == pytest.approx(other.pvalue)


def test_identical_classifiers(cancer):
    """Equal classifiers have difference 0 and p = 1, and are one group."""
    X, y = cancer
    models = [(name, DecisionTreeClassifier(max_features=3)) for name in "abc"]
    comparator = MultipleComparator(models, cv=5, random_state=0).fit(X, y)

    assert {(0.0, 1.0)} == {(r.difference, r.pvalue) for r in comparator.comparison_.pairs}
    assert (("a", "b", "c"),) == comparator.groups_
    assert "inconclusive" == comparator.verdict_


@pytest.mark.parametrize(
    ("cv", "test"),
    [
        (StratifiedKFold(3, shuffle=True, random_state=0), "corrected_repeated_kfold_t"),
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
         "corrected_repeated_kfold_t"),
    ],
)  # fmt: skip
def test_other_splits_have_their_test(cancer, models, cv, test):
    """The test of the pairs is the default one of the design."""
    X, y = cancer
    comparator = MultipleComparator(models, cv=cv, random_state=0).fit(X, y)

    assert test == comparator.comparison_.comparisons[0].test


@pytest.mark.filterwarnings("ignore:There will be no")
def test_design_without_valid_test(cancer, models):
    """Random 5×2 splits have no valid test: the differences are shown, and nobody wins."""
    X, y = cancer
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)
    dummies = [(name, DummyClassifier()) for name in "abc"]
    plain = MultipleComparator(dummies, cv=cv, random_state=0).fit(X, y)
    named = MultipleComparator(models, cv=cv, tests="mcnemar", random_state=0).fit(X, y)

    for comparator in (plain, named):
        assert comparator.comparison_.comparisons[0].test is None
        assert "inconclusive" == comparator.verdict_
        assert "no test of accuracy is valid" in comparator.comparison_.conclusion.sentence
        assert () == comparator.groups_
    assert "invalid-design" in named.results_["mcnemar"].flags


# ------------------------------------------------------------------ hold-outs


@pytest.fixture(scope="module")
def holdout():
    """Three trained classifiers, and the records of the hold-out."""
    X, y = make_classification(700, n_informative=3, flip_y=0.15, random_state=0)
    X, X_test, y, y_test = train_test_split(X, y, test_size=400, random_state=0)
    trained = [
        ("Bayes", GaussianNB().fit(X, y)),
        ("linear", LogisticRegression().fit(X, y)),
        ("near", KNeighborsClassifier().fit(X, y)),
        ("ridge", RidgeClassifier().fit(X, y)),
    ]
    return trained, X_test, y_test


def test_joint_tests_of_a_holdout(holdout):
    """Cochran's Q, joint DeLong and joint precision: those of the functions themselves."""
    trained, X, y = holdout
    scoring = ["accuracy", "roc_auc", "precision", "recall[1]"]
    comparator = MultipleComparator(trained, cv="prefit", scoring=scoring).fit(X, y)
    scores = [
        one.decision_function(X) if name == "ridge" else one.predict_proba(X)[:, 1]
        for name, one in trained
    ]
    placements = PlacementValues.from_predictions(
        y, *scores, names=[name for name, _ in trained]
    )
    sums = ClusterSums.from_predictions(
        y, *(one.predict(X) for _, one in trained), names=[name for name, _ in trained]
    )
    found = {one.subject: one for one in comparator.comparison_.comparisons}

    assert "cochran_q" == found["accuracy"].omnibus.test
    assert delong_joint(placements).pvalue == found["roc_auc"].omnibus.pvalue
    assert precision_several(sums).pvalue == found["precision"].omnibus.pvalue
    recall = precision_several(sums, score="recall")
    assert recall.pvalue == pytest.approx(found["recall[1]"].omnibus.pvalue)
    expected = pairwise_delong(placements)
    for champion, challenger, pvalue in zip(
        expected.champion, expected.challenger, expected.adjusted_pvalue
    ):
        row = found["roc_auc"].pair(champion, challenger)
        assert pvalue == row.adjusted_pvalue


def test_max_t_of_each_measure(holdout):
    """Accuracy, AUC and precision of a class have max-t; other measures are refused."""
    trained, X, y = holdout
    settings = {"cv": "prefit", "adjust": "max-t"}
    comparator = MultipleComparator(
        trained, scoring=["accuracy", "roc_auc", "precision"], **settings
    ).fit(X, y)
    sums = ClusterSums.from_predictions(
        y, *(one.predict(X) for _, one in trained), names=[name for name, _ in trained]
    )
    expected = pairwise_precision(sums, adjust="max-t")
    found = comparator.results_["precision"]

    assert sorted(expected.adjusted_pvalue) == [r.adjusted_pvalue for r in found.pairs]
    with pytest.raises(ValueError, match=r"'max-t' is for accuracy.*Got f1 and hold-out"):
        MultipleComparator(trained, scoring="f1", **settings).fit(X, y)
    with pytest.raises(ValueError, match=r"Got accuracy and 5×2 block"):
        MultipleComparator(trained, adjust="max-t", random_state=0).fit(X, y)


def test_prefit_and_compare_say_the_same(holdout):
    """The comparator on a hold-out and `compare` of the predictions have the same rows."""
    trained, X, y = holdout
    comparator = MultipleComparator(trained, cv="prefit").fit(X, y)
    comparison = compare(y, {name: one.predict(X) for name, one in trained})

    assert comparison.pairs == comparator.comparison_.pairs
    assert comparison.classifiers == comparator.comparison_.classifiers


def test_losses_are_compared_too(holdout):
    """A mean loss has pairs by its own test; less is better, and a gain is positive."""
    trained, X, y = holdout
    predictions = {name: one.predict_proba(X) for name, one in trained if name != "ridge"}
    comparison = compare(y, predictions, scoring="binary_brier_loss")
    one = comparison.results["binary_brier_loss"]
    values = {row.name: row.value for row in one.classifiers}

    assert "paired_t" == one.test
    assert sorted(values.values()) == list(values.values())
    for row in one.pairs:
        gain = values[row.champion] - values[row.challenger]
        assert gain == pytest.approx(row.difference)
    assert "gain" in str(comparison)


def test_grouped_records(holdout):
    """Groups lead to the clustered test of each pair."""
    trained, X, y = holdout
    groups = np.arange(len(y)) // 4
    comparison = compare(y, {name: one.predict(X) for name, one in trained}, groups=groups)
    pair = compare(
        y, {name: one.predict(X) for name, one in trained[:2]}, groups=groups
    ).rows[0]
    row = comparison.pair("Bayes", "linear")

    assert pair.test == comparison.comparisons[0].test
    assert pair.pvalue == row.pvalue


def test_named_tests(holdout):
    """Tests by name, with options, of pairs and of all together."""
    trained, X, y = holdout
    predictions = {name: one.predict(X) for name, one in trained}
    tests = {"mcnemar": {"method": "exact"}, "cochran_q": {"method": "permutation"}}
    comparison = compare(y, predictions, tests=tests)

    assert "exact" == comparison.comparisons[0].method
    assert "permutation" in comparison.omnibus.method
    with_interval = compare(y, predictions, tests={"mcnemar": {"interval": "wald"}})
    usual = compare(y, predictions)
    pair = ("Bayes", "linear")
    assert usual.pair(*pair).pvalue == with_interval.pair(*pair).pvalue
    assert usual.pair(*pair).low != with_interval.pair(*pair).low
    few = {name: predictions[name][:60] for name in ("Bayes", "linear", "near")}
    every = compare(y[:60], few, tests="all")
    assert {"mcnemar"} < {one.test for one in every.comparisons}


# ----------------------------------------------------------------- as an estimator


def test_order_of_classifiers_does_not_matter(cancer, models, fitted):
    """Names tell classifiers apart, not their order; differences turn their sign."""
    X, y = cancer
    other = MultipleComparator(
        models[::-1], scoring=["accuracy", "roc_auc"], random_state=0
    ).fit(X, y)

    assert fitted.groups_ == other.groups_
    for row in fitted.comparison_.pairs:
        turned = other.comparison_.pair(row.challenger, row.champion)
        assert -row.difference == turned.difference
        assert row.pvalue == pytest.approx(turned.pvalue)


def test_parameters_by_name(models):
    """Estimators are parameters by name, replaced and set like scikit-learn's."""
    comparator = MultipleComparator(models)
    params = comparator.get_params()

    assert params["tree"] is dict(models)["tree"]
    assert 3 == params["tree__max_depth"]
    again = clone(comparator).set_params(tree__max_depth=5, Bayes=DummyClassifier())
    assert 5 == dict(again.estimators)["tree"].max_depth
    assert isinstance(dict(again.estimators)["Bayes"], DummyClassifier)
    assert 3 == dict(models)["tree"].max_depth
    with pytest.raises(ValueError, match="Invalid parameter"):
        comparator.set_params(forest__max_depth=5)


def test_dict_of_estimators(models):
    """A dict is taken as a list of pairs is, and stays a dict."""
    X, y = load_iris(return_X_y=True)
    of_dict = MultipleComparator(dict(models), random_state=0)

    again = clone(of_dict).set_params(tree__max_depth=5, Bayes=DummyClassifier())
    assert [name for name, _ in models] == list(again.estimators)
    assert 5 == again.estimators["tree"].max_depth
    assert 3 == of_dict.get_params()["tree__max_depth"]
    expected = MultipleComparator(models, random_state=0).fit(X, y).comparison_
    assert expected.groups == of_dict.fit(X, y).comparison_.groups
    assert list(dict(models)) == list(of_dict.comparison_.descriptions)


def test_refit_keeps_what_comes_first():
    """The first classifier that the best one is not significantly better than."""
    X, y = problem(400)
    alike = named(0.9, 0.9, 0.6)
    better = named(0.6, 0.9, 0.95)

    for models, control, expected in (
        (alike, None, "c0"),
        (alike[::-1], None, "c1"),
        (better, None, "c2"),
        (better, "c0", "c2"),
        (alike, "c0", "c0"),
    ):
        comparator = MultipleComparator(
            models, control=control, cv=5, refit=True, random_state=0
        ).fit(X, y)

        assert expected == comparator.selected_estimator_.name


def test_it_predicts_like_a_classifier(cancer, models):
    """With refit=True it is a step of a pipeline, is cross-validated, and searched."""
    X, y = cancer
    comparator = MultipleComparator(models, cv=2, refit=True, random_state=0)
    pipe = make_pipeline(StandardScaler(), comparator).fit(X, y)
    search = GridSearchCV(comparator, {"tree__max_depth": [1, 2]}, cv=2).fit(X, y)

    assert y[:5].tolist() == pipe.predict(X[:5]).tolist()
    assert (5, 2) == pipe.predict_proba(X[:5]).shape
    assert 0.9 < pipe.score(X, y)
    assert [0, 1] == pipe.classes_.tolist()
    assert 0.8 < cross_val_score(comparator, X, y, cv=2).min()
    assert search.best_params_["tree__max_depth"] in (1, 2)
    with pytest.raises(AttributeError, match="no attribute 'predict'"):
        MultipleComparator(models).predict(X)
    with pytest.raises(NotFittedError):
        _ = MultipleComparator(models).groups_


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_parallel_fits_change_nothing(cancer, models, fitted, n_jobs):
    """The same seed gives the same comparison, whatever runs at a time."""
    X, y = cancer
    again = MultipleComparator(
        models, scoring=["accuracy", "roc_auc"], random_state=0, n_jobs=n_jobs
    ).fit(X, y)

    assert fitted.comparison_.comparisons == again.comparison_.comparisons


@pytest.mark.filterwarnings("ignore:There will be no")
def test_routing(cancer):
    """Groups go to the splitter, weights to the classifiers that ask for them."""
    X, y = cancer
    with sklearn.config_context(enable_metadata_routing=True):
        tree = DecisionTreeClassifier(max_depth=2)
        models = [
            ("asks", clone(tree).set_fit_request(sample_weight=True)),
            ("not", clone(tree).set_fit_request(sample_weight=False)),
            ("Bayes", GaussianNB().set_fit_request(sample_weight=False)),
        ]
        comparator = MultipleComparator(models, cv=GroupKFold(3), random_state=0).fit(
            X, y, groups=np.arange(len(y)) // 3, sample_weight=np.where(y == 1, 9.0, 1.0)
        )

    assert comparator.predictions_.design.grouped
    asks, does_not = (comparator.predictions_[name].labels for name in ("asks", "not"))
    assert (asks != does_not).any()


def test_reports(fitted):
    """Text, Markdown, HTML, JSON and frame have every classifier, measure and pair."""
    comparison = fitted.comparison_
    page = comparison.to_html(pictures=False)
    for text in (str(comparison), comparison.to_markdown(), page):
        for words in ("Bayes", "linear", "tree", "accuracy", "roc", "on half of them"):
            assert words in text
    again = MultipleComparison.from_json(comparison.to_json())

    assert again == comparison
    assert comparison == pickle.loads(pickle.dumps(comparison))
    assert 0 == json.loads(comparison.to_json())["random_state"]
    pytest.importorskip("pandas")
    frame = comparison.to_frame()
    assert 6 == len(frame)
    assert ["accuracy"] * 3 + ["roc_auc"] * 3 == frame["measure"].tolist()


def test_results_are_found(fitted):
    """By measure, by test, and by the whole key."""
    results = fitted.results_

    assert results["accuracy"] is results["accuracy", None, "bcv_jackknife_t"]
    with pytest.raises(KeyError, match="No comparison for 'f1'"):
        _ = results["f1"]


def test_bad_estimators():
    """What is no list of named classifiers is refused before anything is fitted."""
    X, y = load_iris(return_X_y=True)
    for estimators, error, message in [
        ("tree", TypeError, "must be a dict of names"),
        ([GaussianNB(), GaussianNB(), GaussianNB()], TypeError, "must be a dict of names"),
        ([("a", GaussianNB()), ("b", GaussianNB())], ValueError, "Use PairedComparator"),
        ([("a", GaussianNB())] * 3, ValueError, "must differ. Got a, a, a"),
        ([(n, GaussianNB()) for n in ("a", "b", "cv")], ValueError, "Got 'cv'"),
        ([(n, GaussianNB()) for n in ("a", "b", "c__d")], ValueError, "Got 'c__d'"),
        ([(n, GaussianNB()) for n in ("a", "b", "splitter")], ValueError, "Got 'splitter'"),
        (
            [("a", GaussianNB()), ("b", GaussianNB()), ("c", LinearRegression())],
            ValueError,
            "Got the regressor LinearRegression",
        ),
        (
            [("a", GaussianNB()), ("b", GaussianNB()), ("c", GaussianNB)],
            TypeError,
            "Add parentheses",
        ),
    ]:
        with pytest.raises(error, match=message):
            MultipleComparator(estimators).fit(X, y)


def test_bad_settings(models):
    """A control that nobody is, and a direction without one."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="Unknown control 'forest'"):
        MultipleComparator(models, control="forest").fit(X, y)
    with pytest.raises(ValueError, match="needs a control"):
        MultipleComparator(models, alternative="greater").fit(X, y)
    with pytest.raises(ValueError, match=r"must be a str among .*'max-t'.* Got 'tukey'"):
        MultipleComparator(models, adjust="tukey").fit(X, y)


def test_whatever_was_passed_is_printed():
    """A wrong list can be looked at; `fit` says what is wrong with it."""
    for estimators in [None, [GaussianNB()], "tree", [("a", GaussianNB)]]:
        comparator = MultipleComparator(estimators)

        assert "MultipleComparator" in repr(comparator)
        assert "MultipleComparator" in comparator._repr_html_()


def test_the_picture_shows_every_classifier(models):
    """In a notebook each classifier stands under its name."""
    page = MultipleComparator(models)._repr_html_()

    for name, _ in models:
        assert name in page
    assert "MultipleComparator.html" in page
