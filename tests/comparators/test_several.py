"""Several classifiers: what the report and the verdict say, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB

from skcompare import MultipleComparator, compare
from skcompare._registry import tests
from skcompare.evidence import CorrectnessPatterns, ScoreDifferences
from skcompare.metrics import resolve_scoring, score_differences
from skcompare.reports import (
    ClassifierRow,
    MultipleComparison,
    PairRow,
    PairwiseComparison,
    decide_among,
)
from skcompare.stats import cochran_q

FITS = []


class Noting(ClassifierMixin, BaseEstimator):
    """Predictions the first column from a draw on, and notes its fits."""

    def __init__(self, least=0.5):
        self.least = least

    def fit(self, X, y):
        FITS.append(self.least)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        truth, draw = X[:, 0].astype(int), X[:, 1]
        return np.where(draw < self.least, truth, 1 - truth)


class SilentOnSome(Noting):
    """Never names class 1 in test sets that begin with a small draw."""

    def predict(self, X):
        labels = super().predict(X)
        return labels if X[0, 1] > 0.5 else np.zeros_like(labels)


def problem(n=200, seed=0):
    """Records that hold their label and a draw."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return np.column_stack([y, rng.random(n)]), y


def predictions(*shares, n=300):
    """True labels, and predictions of which these shares are right, by name."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    right = [rng.random(n) < share for share in shares]
    named = {f"m{k}": np.where(one, y, 1 - y) for k, one in enumerate(right)}
    return y, named


def comparison_of(values, pairs, **words):
    """A comparison of accuracies, with a difference and an adjusted p-value a pair."""
    return PairwiseComparison(
        measure="accuracy",
        label=None,
        test="mcnemar",
        classifiers=tuple(ClassifierRow(name, value) for name, value in values.items()),
        pairs=tuple(
            PairRow(*names, difference, pvalue=p, adjusted_pvalue=p)
            for names, (difference, p) in pairs.items()
        ),
        alpha=0.05,
        interval_level=0.95,
        alternative="two-sided",
        adjust="holm",
        **words,
    )


# ------------------------------------------------------------------ what is said


@pytest.mark.parametrize(
    ("shared", "sentence"),
    [
        (("m0", "m1"), "m0 and m1 share the first place by accuracy"),
        (("m0", "m1", "m2"), "m0, m1 and m2 share the first place by accuracy"),
    ],
)
def test_nobody_of_equals_is_the_most_accurate(shared, sentence):
    """Classifiers with one value share a place, and none of them is called the best."""
    y, named = predictions(0.9, 0.5, 0.5)
    comparison = compare(y, named | dict.fromkeys(shared, named["m0"]))

    assert f"inconclusive at alpha 0.05: {sentence}" == str(comparison.conclusion)


def test_equals_and_one_that_is_not_told_from_them():
    """Of those that share the first place, the first one stands for the pairs."""
    y = np.tile([0, 1], 20)
    a, b = y.copy(), y.copy()
    a[0], b[:3] = 1, 1 - b[:3]
    comparison = compare(y, {"a": a, "b": b, "c": a})

    assert str(comparison.conclusion) == (
        "inconclusive at alpha 0.05: a and c share the first place by accuracy, and these "
        "records do not distinguish a from b"
    )


@pytest.mark.parametrize(
    ("alternative", "said"),
    [
        ("greater", "inconclusive at alpha 0.05, one-sided (greater): m1, m2 not found "
         "better than m0"),
        ("less", "at alpha 0.05, one-sided (less): m1, m2 worse than m0; about"),
    ],
)  # fmt: skip
def test_one_sided_tests_say_nothing_of_the_other_side(alternative, said):
    """Much worse classifiers are told from the control, though not found better."""
    y, named = predictions(0.95, 0.7, 0.6)
    comparison = compare(y, named, control="m0", alternative=alternative)

    assert str(comparison.conclusion).startswith(said)
    assert ("m0" if alternative == "less" else "inconclusive") == comparison.verdict


def test_undefined_scores_are_not_called_alike():
    """A classifier without a value is named as such, and not as one that may be as good."""
    y, named = predictions(0.9, 0.7)
    comparison = compare(y, named | {"never": np.zeros(len(y), int)}, scoring="precision")

    assert "inconclusive" == comparison.verdict
    assert str(comparison.conclusion).endswith(
        "m0 is ahead by precision; it is undefined for never"
    )


def test_a_control_and_one_without_a_value():
    """It is neither better nor worse, nor "not told" from the control."""
    y, named = predictions(0.9, 0.6)
    named |= {"never": np.zeros(len(y), int)}
    comparison = compare(y, named, scoring="precision", control="m0")

    assert str(comparison.conclusion) == (
        "inconclusive at alpha 0.05: m1 worse than m0; never without a value of precision"
    )


def test_the_leader_is_nobody_whom_another_beats():
    """Where pairs leave splits out, the first one may be worse than another."""
    pairs = {("a", "b"): (0.1, 0.01), ("a", "c"): (-0.2, 0.01), ("b", "c"): (-0.3, 0.01)}
    primary = comparison_of({"a": 0.9, "b": 0.8, "c": 0.5}, pairs)

    assert "b" == primary.leader
    assert "b" == decide_among(primary, "models").winner


def test_every_pair_says_its_test():
    """The reader of any form of the report can see which test a p-value is of."""
    y, named = predictions(0.9, 0.8, 0.6)
    comparison = compare(y, named, tests=["mcnemar", "proportional_z"])

    page = comparison.to_html(pictures=False)
    for text in (str(comparison), comparison.to_markdown(), page):
        for test in ("mcnemar", "proportional"):
            assert 3 <= text.count(test)


def test_remarks_about_all_together():
    """One line a measure that has a test of all, and one for those that have none."""
    y, named = predictions(0.9, 0.8, 0.6)
    text = str(compare(y, named, scoring=["accuracy", "matthews_corrcoef", "f1"]))

    assert "together    accuracy: cochran_q" in text
    assert "no joint test by matthews_corrcoef, f1 is known to be valid" in text


def test_a_test_of_all_together_that_is_requested_for_is_shown():
    """Also where no test of the pairs was requested."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 200)
    scores = {name: y * lift + rng.random(200) for name, lift in zip("abc", (0.2, 0.4, 1))}
    named = {name: np.clip(one / 2, 0, 1) for name, one in scores.items()}
    comparison = compare(y, named, scoring=["accuracy", "roc_auc"], tests=["delong_joint"])

    assert "delong_joint" == comparison.comparisons[1].omnibus.test
    assert comparison.comparisons[1].test is None
    assert "together    roc_auc: delong_joint" in str(comparison)
    assert "no test     no test of roc_auc was requested" in str(comparison)


def test_caveats_say_which_pairs_they_are_about():
    """Of four classifiers two are the same: nothing varies between these only."""
    X, y = problem()
    models = [(name, Noting(least)) for name, least in zip("abcd", (0.9, 0.9, 0.7, 0.5))]
    comparison = MultipleComparator(models, random_state=0).fit(X, y).comparison_

    (caveat,) = [words for words in comparison.caveats if words.startswith("degenerate")]
    assert caveat.endswith("(for a and b)")


def test_an_invalid_test_of_all_says_nothing_in_the_verdict():
    """It is shown because it was requested; its caveat names it."""
    X, y = problem()
    models = [(name, Noting(least)) for name, least in zip("abc", (0.9, 0.88, 0.83))]
    comparison = (
        MultipleComparator(models, tests="cochran_q", random_state=0).fit(X, y).comparison_
    )

    assert comparison.omnibus.pvalue < 0.05
    assert "cochran_q" not in str(comparison.conclusion)
    assert any(words.endswith("(of cochran_q)") for words in comparison.caveats)


def test_tested_records_are_counted():
    """A split that tests some records says how many, and one fit is one fit."""
    X, y = problem()
    models = [(name, Noting(least)) for name, least in zip("abc", (0.9, 0.8, 0.7))]
    cv = ShuffleSplit(1, test_size=50, random_state=0)
    comparison = MultipleComparator(models, cv=cv).fit(X, y).comparison_

    assert (200, 50) == (comparison.n_records, comparison.n_tested)
    assert "50 of 200 records tested, 1 fit each" in str(comparison)
    assert comparison == MultipleComparison.from_json(comparison.to_json())


def test_a_classifier_may_be_named_like_a_fact():
    """The page describes each classifier, and still has its own facts."""
    X, y = problem()
    models = [(n, Noting(k)) for n, k in (("design", 0.9), ("level", 0.8), ("<b>", 0.7))]
    page = MultipleComparator(models, random_state=0).fit(X, y).comparison_
    page = page.to_html(pictures=False)

    for fact in ("model design", "model level", "design", "level"):
        assert 1 == page.count(f"<dt>{fact}</dt>")
    assert "<b>" not in page


def test_what_frozen_classifiers_are_about_is_not_claimed():
    """A trained model among learning algorithms: the caveat says so, the verdict less."""
    X, y = problem()
    frozen = FrozenEstimator(Noting(0.99).fit(X, y))
    models = [("a", frozen), ("b", Noting(0.6)), ("c", Noting(0.5))]
    comparator = MultipleComparator(models, allow_mixed=True, random_state=0).fit(X, y)

    assert "a is better than every other model at alpha 0.05" == str(
        comparator.comparison_.conclusion
    )


# --------------------------------------------------------------- undefined scores


def test_a_ranking_is_of_splits_that_all_predicted():
    """Nobody is first for having scores on some splits only."""
    X, y = problem(400)
    models = [("a", Noting(0.9)), ("some", SilentOnSome(0.9)), ("b", Noting(0.7))]
    comparator = MultipleComparator(models, scoring="precision", random_state=0).fit(X, y)
    values = {row.name: row.value for row in comparator.comparison_.classifiers}

    assert "pooled-over-splits" in comparator.comparison_.comparisons[0].flags
    assert values["a"] == values["some"] > values["b"]


# ------------------------------------------------------------------- what it costs


@pytest.mark.filterwarnings("ignore:There will be no")
def test_a_classifier_is_scored_once():
    """A score of k classifiers costs k calls a test set, however many pairs there are."""
    calls = []

    def counted(y_true, y_pred):
        calls.append(len(y_true))
        return accuracy_score(y_true, y_pred)

    X, y = problem()
    models = [(f"m{k}", Noting(0.5 + k / 20)) for k in range(4)]
    for cv in (None, 5):
        comparator = MultipleComparator(
            models, cv=cv, scoring={"mine": make_scorer(counted)}, random_state=0
        )
        calls.clear()
        n_splits = comparator.fit(X, y).predictions_.n_splits

        # Besides the calls that find out what the scorer asks for.
        on_splits = [n for n in calls if n in (40, 100)]
        assert 4 * n_splits == len(on_splits)


def test_shared_scores_are_those_of_each_pair():
    """A pair by itself has the same scores, variances and flags."""
    X, y = problem()
    models = [("a", Noting(0.9)), ("some", SilentOnSome(0.9)), ("b", Noting(0.7))]
    comparator = MultipleComparator(models, scoring="precision", random_state=0).fit(X, y)
    (measure,), known = resolve_scoring("precision"), {}
    for names in (("a", "some"), ("a", "b"), ("some", "b")):
        pair = comparator.predictions_.pair(*names)
        alone = score_differences(pair, measure)
        shared = score_differences(pair, measure, known=known)

        assert isinstance(shared, ScoreDifferences)
        np.testing.assert_array_equal(alone.values, shared.values)
        np.testing.assert_array_equal(alone.variances, shared.variances)
        assert alone.flags == shared.flags


# ---------------------------------------------------------------- what is refused


def test_max_t_is_refused_before_anything_is_fitted():
    """Where it is not known, and where another test would be ignored."""
    X, y = problem()
    models = [(name, Noting(least)) for name, least in zip("abc", (0.9, 0.8, 0.7))]
    for settings, message in [
        ({}, "on a hold-out. Got accuracy and 5×2"),
        ({"scoring": ["accuracy", "f1"]}, "on a hold-out. Got f1"),
        ({"tests": "all"}, "tested by mcnemar. Got tests='all'"),
        ({"tests": "proportional_z"}, "tested by mcnemar. Got tests='proportional_z'"),
        ({"tests": {"mcnemar": {"interval": "wald"}}}, "mcnemar takes method, .* interval"),
        ({"tests": "delong_joint"}, "delong_joint measures roc_auc"),
    ]:
        FITS.clear()
        with pytest.raises(ValueError, match=message):
            MultipleComparator(models, adjust="max-t", **settings).fit(X, y)

        assert [] == FITS


def test_draws_of_max_t_can_be_set_for_every_measure():
    """Their number and seed, and nowhere else."""
    y, named = predictions(0.9, 0.8, 0.7)
    draws = {"n_resamples": 99, "random_state": 1}
    comparison = compare(
        y, named, scoring="precision", adjust="max-t", tests={"gee_precision": draws}
    )
    rounded = [row.adjusted_pvalue * 100 for row in comparison.pairs]

    assert [round(p) for p in rounded] == pytest.approx(rounded)
    with pytest.raises(ValueError, match="delong has no option 'n_resamples'"):
        compare(y, named, scoring="roc_auc", tests={"delong": draws})


@pytest.mark.slow
def test_all_tests_of_one_class_are_those_of_two_classes():
    """ "all" takes what suits the class against the rest, as for two classifiers."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 24)
    proba = {name: rng.dirichlet(np.ones(3), 24) for name in "abc"}
    several = compare(y, proba, scoring="roc_auc[1]", tests="all")
    pair = compare(y, {n: proba[n] for n in "ab"}, scoring="roc_auc[1]", tests="all")
    of_pair = {row.test for row in pair.rows if row.measure == "roc_auc"}

    assert "delong" in of_pair
    assert of_pair - {"delong_joint"} == {
        one.test for one in several.comparisons if one.measure == "roc_auc"
    }


def test_who_gives_no_scores_is_named():
    """Of several, the one whose predictions do not suffice for a measure."""
    y, named = predictions(0.9, 0.8, 0.7)
    proba = {name: 0.1 + 0.8 * one for name, one in named.items()}
    with pytest.raises(ValueError, match="needs predictions that m2 does not give"):
        compare(y, proba | {"m2": named["m2"]}, scoring="roc_auc")


def test_selection_is_that_of_the_fit():
    """Parameters that are set afterwards change nothing before the next fit."""
    X, y = problem()
    models = [("a", Noting(0.9)), ("b", Noting(0.8)), ("c", Noting(0.5))]
    comparator = MultipleComparator(models, refit=True, random_state=0).fit(X, y)
    before = comparator._selected_name()
    comparator.set_params(estimators=[("z", GaussianNB()), *models])

    assert "a" == before == comparator._selected_name()


def test_joint_test_of_another_package():
    """A registered test of all together is found, whatever its parts say."""

    @tests.paired_test(
        "toy_joint",
        title="Toy joint test",
        needs=CorrectnessPatterns,
        kind="omnibus",
        measures="balanced_accuracy",
        designs=("holdout",),
        references=("Toy2020",),
    )
    def toy_joint(patterns):
        """Do the toys differ?"""
        parts = tuple({"name": name, "toys": 1} for name in patterns.names)
        return replace(cochran_q(patterns), parts=parts)

    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    predictions = {name: np.where(rng.random(80) < 0.8, y, 1 - y) for name in "abc"}
    comparison = compare(y, predictions, scoring="balanced_accuracy")

    assert "toy_joint" == comparison.omnibus.test
    assert {(None, None)} == {(row.low, row.high) for row in comparison.classifiers}
