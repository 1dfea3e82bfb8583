"""Predictions that exist already: two of them, without truth, and several."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skcompare import Comparison, MultipleComparison, PairedComparator, compare
from skcompare.evidence import (
    AgreementMatrix,
    ContingencyTable,
    CorrectnessPatterns,
    JointCounts,
    PairedLosses,
)
from skcompare.stats import (
    cochran_q,
    mcnemar,
    paired_tests,
    pairwise_mcnemar,
    score_difference,
    stuart_maxwell,
)

ANIMALS = np.array(["ant", "bee", "cow"])
ACCURACIES = {"old": 0.5, "new": 0.7, "newest": 0.72, "bad": 0.2}
KUNCHEVA = {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3}


def made_up(n=400, seed=0, names=("old", "new")):
    """True labels and predictions that are right about as often as their names say."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    predictions = {
        name: np.where(rng.random(n) < ACCURACIES[name], y, rng.integers(3, size=n))
        for name in names
    }
    return ANIMALS[y], {name: ANIMALS[codes] for name, codes in predictions.items()}


# ----------------------------------------------------------------- scores and choices


@pytest.mark.parametrize(
    ("score", "function"),
    [
        ("f1_macro", lambda y, p: f1_score(y, p, average="macro")),
        ("matthews_corrcoef", matthews_corrcoef),
    ],
)
def test_scores_of_labels_have_a_test(score, function):
    """A score that is a function of the counts is tested by default, by its own name."""
    y, predictions = made_up()

    row = compare(y, predictions, scoring=["accuracy", score]).results[score]
    expected = score_difference(
        JointCounts.from_predictions(y, *predictions.values()), score=score
    )

    assert "score_difference" == row.test
    assert expected.pvalue == row.pvalue
    assert function(y, predictions["old"]) == pytest.approx(row.champion)
    assert function(y, predictions["new"]) == pytest.approx(row.challenger)


def test_a_score_decides():
    """The verdict comes from the first score, and says what would settle it."""
    y, predictions = made_up()

    decided = compare(y, predictions, scoring="f1_macro")
    open_still = compare(
        y[:30], {k: v[:30] for k, v in predictions.items()}, scoring="f1_macro"
    )

    assert "challenger" == decided.verdict
    assert "inconclusive" == open_still.verdict
    assert open_still.conclusion.records_needed > 30


def test_positive_class_of_a_binary_score():
    """`pos_label` reaches the test, and scores without a positive class ignore it."""
    rng = np.random.default_rng(1)
    y, old, new = np.array(["no", "yes"])[rng.integers(2, size=(3, 200))]
    comparison = compare(
        y, {"old": old, "new": new}, scoring=["f1", "f1_macro"], pos_label="no"
    )

    assert f1_score(y, old, pos_label="no") == pytest.approx(comparison.rows[0].champion)
    assert "f1_macro" == comparison.rows[1].measure
    with pytest.raises(ValueError, match="Say which of 'no', 'yes' is the positive"):
        compare(y, {"old": old, "new": new}, scoring="f1")


def test_a_score_by_option():
    """The test of scores can be requested with a score of its own."""
    y, predictions = made_up()
    tests = {"score_difference": {"score": "f1_macro", "method": "permutation"}}

    comparison = compare(y, predictions, tests=tests)

    row = comparison.results["f1_macro", None, "score_difference"]
    assert "permutation" in row.result.method
    assert f1_score(y, predictions["old"], average="macro") == pytest.approx(row.champion)


@cache
@cache
def all_tests_of(probabilities):
    """Every test of predictions that are labels, or probabilities."""
    y, predictions = made_up(80)
    if probabilities:
        rng = np.random.default_rng(0)
        known = np.unique(y)
        predictions = {
            name: 0.7 * (labels[:, np.newaxis] == known)
            + 0.3 * rng.dirichlet(np.ones(len(known)), len(y))
            for name, labels in predictions.items()
        }
    return compare(y, predictions, tests="all")


@pytest.mark.parametrize(
    "probabilities", [False, pytest.param(True, marks=pytest.mark.slow)]
)
def test_all_tests(probabilities):
    """Every test that is valid and that the predictions suit has a row; the default
    decides.
    """
    comparison = all_tests_of(probabilities)

    entries = [e for e in paired_tests().values() if "holdout" in e.designs]
    entries = [e for e in entries if not e.caution and e.target != "numbers"]
    valid = {
        entry.name
        for entry in entries
        if (probabilities or "scores" not in getattr(entry.needs, "required", ()))
        and getattr(entry.needs, "max_classes", 3) >= 3
    }
    assert valid == {row.test for row in comparison.rows}
    assert probabilities == ("paired_t" in valid)
    assert "mcnemar" == comparison.rows[0].test
    kinds = {"difference", "ratio", "association", "omnibus", "combination"}
    expected = kinds | {"reduction"} if probabilities else kinds
    assert expected == {row.kind for row in comparison.rows}
    assert comparison.to_json() == Comparison.from_json(comparison.to_json()).to_json()


def test_report_of_all_kinds():
    """Each kind has a table of its own, with remarks, in every form of the report."""
    comparison = all_tests_of(probabilities=False)

    page = comparison.to_html(pictures=False)
    for text in (str(comparison), comparison.to_markdown(), page):
        for words in (
            "challenger over champion",
            "association",
            "without direction",
            "cohen_kappa: fair agreement beyond chance",
        ):
            assert words in text.replace("\\_", "_")
    for row in comparison.rows:
        if row.kind == "omnibus":
            assert row.champion is None
            assert row.low is None
    pytest.importorskip("pandas")
    assert len(comparison.rows) == len(comparison.to_frame())


def test_groups_allow_for_records_that_are_alike():
    """Copies of a record in one group do not fake significance."""
    y, predictions = made_up(60, seed=3)
    copies = 20
    repeated = {name: np.repeat(labels, copies) for name, labels in predictions.items()}
    groups = np.repeat(np.arange(60), copies)

    naive = compare(np.repeat(y, copies), repeated)
    grouped = compare(np.repeat(y, copies), repeated, groups=groups)

    assert naive.rows[0].pvalue < 1e-6
    assert "clustered_mcnemar" == grouped.rows[0].test
    once = mcnemar(
        ContingencyTable.from_predictions(y, *predictions.values()), method="asymptotic"
    )
    assert once.pvalue == pytest.approx(grouped.rows[0].pvalue, abs=0.03)


# --------------------------------------------------------------------- without truth


def test_without_truth_the_predictions_are_compared():
    """Label rates, symmetry and agreement are tested, and no winner is named."""
    _, predictions = made_up()

    comparison = compare(None, predictions)

    assert "inconclusive" == comparison.verdict
    assert comparison.conclusion.sentence.startswith("no winner can be named")
    assert ("no-truth",) == comparison.flags
    assert "stuart_maxwell" == comparison.rows[0].test
    assert comparison.rows[0].primary
    expected = stuart_maxwell(AgreementMatrix.from_predictions(*predictions.values()))
    assert expected.pvalue == comparison.rows[0].pvalue
    assert {"stuart_maxwell", "bowker", "cohen_kappa", "label_disagreement"} == {
        row.test for row in comparison.rows
    }
    assert 400 == comparison.n_records
    assert comparison.to_json() == Comparison.from_json(comparison.to_json()).to_json()
    assert "no-truth" in comparison.to_html(pictures=False)


def test_without_truth_rates_that_differ():
    """A challenger that gives one class more often is told, without a winner."""
    _, predictions = made_up()
    predictions["new"] = np.where(predictions["new"] == "ant", "bee", predictions["new"])

    comparison = compare(None, predictions)

    assert comparison.rows[0].pvalue < 1e-6
    assert "label rates differ at alpha 0.05" in comparison.conclusion.sentence
    assert "inconclusive" == comparison.verdict


def test_without_truth_equal_predictions():
    """Identical predictions have p = 1; kappa is undefined where all are one class."""
    comparison = compare(None, {"a": [1, 2, 1], "b": [1, 2, 1]})

    assert 1 == comparison.rows[0].pvalue
    assert "degenerate" in comparison.rows[0].flags
    constant = compare(None, {"a": ["x", "x"], "b": ["x", "x"]})
    assert 1 == constant.rows[0].pvalue
    assert np.isnan(constant.results["cohen_kappa"].pvalue)
    assert constant.results["cohen_kappa"].flags


def test_without_truth_probabilities_need_labels():
    """The classes of probabilities are named, because no truth names them."""
    proba = {"a": [[0.2, 0.8], [0.6, 0.4]], "b": [[0.7, 0.3], [0.6, 0.4]]}

    with pytest.raises(ValueError, match="Pass all class labels as `labels`"):
        compare(None, proba)
    assert 0.5 == compare(None, proba, labels=[0, 1]).results["label_disagreement"].estimate


def test_without_truth_nothing_is_measured():
    """Measures and tests that need the truth are refused, with what is possible."""
    _, predictions = made_up()

    with pytest.raises(ValueError, match=r"scoring='f1_macro' needs true labels\. Got"):
        compare(None, predictions, scoring="f1_macro")
    with pytest.raises(ValueError, match=r"mcnemar needs true labels.*stuart_maxwell"):
        compare(None, predictions, tests="mcnemar")
    assert ["bowker"] == [
        row.test for row in compare(None, predictions, tests="bowker").rows
    ]
    assert {e.name for e in paired_tests().values() if e.needs is AgreementMatrix} == {
        row.test for row in compare(None, predictions, tests="all").rows
    }


def test_truth_is_passed_once():
    """The truth comes first or by its name, and not both."""
    y, predictions = made_up()

    assert (
        compare(y, predictions).rows[0].pvalue
        == compare(y_true=y, predictions=predictions).rows[0].pvalue
    )
    with pytest.raises(ValueError, match="passed twice"):
        compare(y, predictions, y_true=y)
    with pytest.raises(ValueError, match="Columns can be named where the first"):
        compare(y, predictions, id="record")


@pytest.mark.parametrize("second", ["new.csv", Path("new.csv"), "frame"])
def test_two_files_need_columns_and_ids(second):
    """The error shows the call."""
    if second == "frame":
        second = pd.DataFrame({"p": [0, 1]})
    with pytest.raises(ValueError, match=r"\('new.csv', 'p'\)}, y_true='y', id='id'"):
        compare("old.csv", second)


def test_two_arrays_need_no_names():
    """Two arrays, or columns of a frame, are those of champion and challenger."""
    y, predictions = made_up()
    old, new = predictions.values()
    expected = compare(y, {"champion": old, "challenger": new})

    for result in (
        compare(y, old, new),
        compare(y, champion=old, challenger=new),
        compare(y_true=y, champion=old, challenger=new),
        compare(y, old, challenger=new),
    ):
        assert expected.to_dict()["rows"] == result.to_dict()["rows"]
        assert ("champion", "challenger") == (result.champion, result.challenger)
    frame = pd.DataFrame({"y": y, "old": old, "new": new, "fit": y})
    of_frame = compare(frame, "old", "new", y_true="y")
    assert expected.to_dict()["rows"] == of_frame.to_dict()["rows"]
    assert ("old", "new") == (of_frame.champion, of_frame.challenger)
    with pytest.raises(ValueError, match="The champion comes first"):
        compare(frame, "new", "old", y_true="y")


def test_probabilities_need_no_names():
    """Probabilities of every class are passed like labels."""
    y = np.arange(60) % 3
    rng = np.random.default_rng(0)
    old, new = rng.dirichlet(np.ones(3), size=60), rng.dirichlet(np.ones(3), size=60)

    named = compare(y, {"champion": old, "challenger": new}, scoring="neg_log_loss")
    unnamed = compare(y, old, new, scoring="neg_log_loss")
    assert named.rows[0].pvalue == unnamed.rows[0].pvalue


def test_other_calls_teach():
    """Calls that are no comparison of predictions say how to write one."""
    y, predictions = made_up()
    old, new = predictions.values()

    for wrong, match in (
        ((y, (old, new)), "Got tuple. Write .*two arrays need no names"),
        ((y, old), "Got ndarray. Write .*two arrays need no names"),
        ((y, old, new, old), "Got those of 3. Name them"),
        ((GaussianNB(), GaussianNB(), y, y), r"Use PairedComparator\(champion, challenger"),
    ):
        with pytest.raises((TypeError, ValueError), match=match):
            compare(*wrong)
    for options in (
        {"predictions": old, "champion": old, "challenger": new},
        {"predictions": predictions, "champion": new},
        {"challenger": new},
    ):
        with pytest.raises(TypeError, match="are passed together"):
            compare(y, **options)


# ------------------------------------------------------------------------- several


def kuncheva():
    """The table of three classifiers of Kuncheva (2004), as predictions."""
    rows = [[int(c) for c in key] for key, n in KUNCHEVA.items() for _ in range(n)]
    columns = np.array(rows).T
    return np.ones(100, dtype=int), dict(zip("ABC", columns))


def test_omnibus_rejects_and_no_pair_does():
    """Kuncheva's example: the report says both (worked example of source 003)."""
    y, predictions = kuncheva()

    tests = {"mcnemar": {"method": "asymptotic"}}
    result = compare(y, predictions, tests=tests, labels=[0, 1])

    assert 256 / 34 == pytest.approx(result.omnibus.statistic)
    assert 0.02317 == pytest.approx(result.omnibus.pvalue, abs=1e-5)
    assert [0.0628, 0.0910, 1.0] == pytest.approx(
        sorted(row.adjusted_pvalue for row in result.pairs), abs=1e-4
    )
    assert "inconclusive" == result.verdict
    assert "no pair does after the adjustment" in result.conclusion.sentence


def test_several_agree_with_the_tests():
    """Rows are those of the tests themselves, ordered by what they say."""
    y, predictions = made_up(names=tuple(ACCURACIES))
    patterns = CorrectnessPatterns.from_predictions(
        y, *predictions.values(), names=list(predictions)
    )

    result = compare(y, predictions)

    assert cochran_q(patterns).pvalue == result.omnibus.pvalue
    expected = pairwise_mcnemar(patterns)
    for champion, challenger, difference, adjusted in zip(
        expected.champion,
        expected.challenger,
        expected.estimate,
        expected.adjusted_pvalue,
    ):
        row = result.pair(champion, challenger)
        assert (difference, adjusted) == (row.difference, row.adjusted_pvalue)
    accuracies = [row.value for row in result.classifiers]
    assert sorted(accuracies, reverse=True) == accuracies
    adjusted = [row.adjusted_pvalue for row in result.pairs]
    assert sorted(adjusted) == adjusted


def test_winner_among_several():
    """A classifier that beats every other one wins, by its name."""
    y, predictions = made_up(names=("old", "bad"))
    predictions["truth itself"] = y

    assert "truth itself" == compare(y, predictions).verdict


@pytest.mark.parametrize("adjust", ["holm", "max-t", None])
def test_against_a_control(adjust):
    """With a control each other one is told to be better, worse or neither."""
    y, predictions = made_up(names=tuple(ACCURACIES))

    result = compare(y, predictions, control="old", adjust=adjust)

    assert {"old"} == {row.champion for row in result.pairs}
    assert 3 == len(result.pairs)
    assert result.verdict in ("new", "newest")
    assert "bad worse than old" in result.conclusion.sentence
    one_sided = compare(y, predictions, control="old", alternative="greater", adjust=adjust)
    assert one_sided.pair("old", "new").pvalue < result.pair("old", "new").pvalue


def test_control_that_nobody_beats():
    """The control wins where it beats all, and nobody where nothing is distinguished."""
    y, predictions = made_up(names=("old", "bad"))
    predictions["truth"] = y

    assert "truth" == compare(y, predictions, control="truth").verdict
    same = {"a": y, "b": y, "c": y}
    assert "inconclusive" == compare(y, same, control="a").verdict
    assert 1 == compare(y, same).omnibus.pvalue


def test_reports_of_several():
    """Text, Markdown, HTML, JSON and frame have every classifier and every pair."""
    y, predictions = made_up(names=tuple(ACCURACIES))
    result = compare(y, predictions)

    page = result.to_html(pictures=False)
    for text in (str(result), result.to_markdown(), page, result._repr_html_()):
        assert all(name in text for name in ACCURACIES)
        assert result.conclusion.sentence.split(":")[0] in text
        assert "cochran_q" in text.replace("\\_", "_")
    again = MultipleComparison.from_json(result.to_json())
    assert result.to_json() == again.to_json()
    assert str(result) == str(again)
    pytest.importorskip("pandas")
    assert 6 == len(result.to_frame())
    embedded = page.partition('id="skcompare-comparison">')[2].partition("</script>")[0]
    assert json.loads(embedded) == json.loads(result.to_json())


def test_names_are_shown_safely():
    """Names of classifiers are text, whatever is in them."""
    y, predictions = made_up(names=tuple(ACCURACIES))
    odd = dict(zip(("<script>", "a|b", "line\nbreak", "plain"), predictions.values()))

    result = compare(y, odd)

    page = result.to_html(pictures=False)
    assert "<script>" not in page.replace('<script type="application/json"', "")
    assert "a\\|b" in result.to_markdown()
    assert "line break" in str(result)


def test_what_several_cannot_do():
    """Options that are for two predictions only are refused, and so are unknown ones."""
    y, predictions = made_up(names=tuple(ACCURACIES))

    with pytest.raises(ValueError, match="bowker measures label symmetry, and several"):
        compare(y, predictions, tests="bowker")
    with pytest.raises(ValueError, match="relative_accuracy is not a test of a difference"):
        compare(y, predictions, tests="relative_accuracy")
    with pytest.raises(ValueError, match="cochran_q has no option 'interval'"):
        compare(y, predictions, tests={"cochran_q": {"interval": "score"}})
    with pytest.raises(ValueError, match=r"'max-t' is for accuracy, .* Got f1_macro"):
        compare(y, predictions, scoring="f1_macro", adjust="max-t")
    with pytest.raises(ValueError, match="Unknown control 'older'"):
        compare(y, predictions, control="older")
    with pytest.raises(ValueError, match="needs a control"):
        compare(y, predictions, alternative="greater")
    with pytest.raises(ValueError, match="which needs true labels"):
        compare(None, predictions)
    with pytest.raises(ValueError, match="`control` is for three or more predictions"):
        compare(y, {"a": y, "b": y}, control="a")
    with pytest.raises(ValueError, match="at least two entries"):
        compare(y, {"a": y})
    with pytest.raises(KeyError, match=r"No pair \(old, x\)"):
        compare(y, predictions).pair("old", "x")
    with pytest.raises(ValueError, match="is not complete"):
        MultipleComparison.from_json(
            '{"schema": "skcompare.multiple_comparison", "schema_version": 1}'
        )


# ------------------------------------------------------------- input that misleads


def test_columns_of_probabilities_are_found_by_name():
    """A frame with one column per class is read by the names, in whatever order."""
    pd = pytest.importorskip("pandas")
    y = np.array([0, 1] * 20)
    right = np.where(y == 1, 0.9, 0.1)

    for names in ([0, 1], ["0", "1"]):
        frame = pd.DataFrame({names[1]: right, names[0]: 1 - right})
        assert 1.0 == compare(y, {"a": frame, "b": right}).rows[0].champion
    unnamed = np.column_stack([1 - right, right])
    assert 1.0 == compare(y, {"a": unnamed, "b": right}).rows[0].champion


def test_certain_probabilities_beside_other_labels():
    """0.0 and 1.0 are probabilities where the labels are 1 and 2, labels where they fit."""
    y = np.array([1, 2, 2, 1])
    certain = np.array([0.0, 1.0, 1.0, 0.0])

    assert 1.0 == compare(y, {"a": certain, "b": y}).rows[0].champion
    assert 1.0 == compare(y - 1, {"a": certain, "b": y - 1}).rows[0].champion


def test_probabilities_in_an_array_of_objects():
    """Fractions are probabilities whatever the type of their array."""
    y, proba = [0, 1, 1], np.array([0.2, 0.7, 0.4], dtype=object)

    assert 2 / 3 == pytest.approx(compare(y, {"a": proba, "b": y}).rows[0].champion)


def test_series_in_different_orders():
    """Series of the same records in different orders are refused, others go by position."""
    pd = pytest.importorskip("pandas")
    y = pd.Series([0, 1, 1, 0], index=list("abcd"))

    with pytest.raises(ValueError, match="the same index in different orders"):
        compare(y, {"a": y.iloc[::-1], "b": y})
    assert 1.0 == compare(y, {"a": y.reset_index(drop=True), "b": y}).rows[0].champion


def test_predictions_outside_the_given_labels():
    """With `labels` all classes are named, and others are refused."""
    with pytest.raises(ValueError, match="`a` has labels that are not classes: 2"):
        compare([0, 1], {"a": [0, 2], "b": [0, 1]}, labels=[0, 1])


def test_names_that_would_confuse():
    """Classifiers have names that a report can show and a verdict can be."""
    for name in ["", " ", "inconclusive", 1, ("a", "b")]:
        with pytest.raises(ValueError, match="non-empty strings"):
            compare([0, 1], {name: [0, 1], "b": [0, 1]})


def test_names_like_arguments():
    """A classifier may be called what an argument is called."""
    predictions = {"y_true": [0, 1], "groups": [1, 1], "labels": [0, 0]}

    assert 3 == len(compare([0, 1], predictions).classifiers)
    two = {name: predictions[name] for name in ("y_true", "groups")}
    assert "y_true" == compare([0, 1], two, groups=["g", "h"]).champion


def test_labels_of_bytes_reach_every_report():
    """Labels may be bytes; JSON has them as text."""
    labels = np.array([b"ant", b"bee", b"ant", b"cow"])
    other = np.array([b"ant", b"ant", b"bee", b"cow"])

    comparison = compare(None, {"a": labels, "b": other})

    assert "ant" in comparison.to_json()
    assert comparison.to_html(pictures=False)


def test_one_sided_comparisons_say_so():
    """The verdict tells which way the test looked, for two and for several."""
    y, predictions = made_up(names=tuple(ACCURACIES))
    two = {name: predictions[name] for name in ("old", "new")}

    for alternative in ("greater", "less"):
        words = f"alpha 0.05, one-sided ({alternative})"
        assert words in compare(y, two, alternative=alternative).conclusion.sentence
        several = compare(y, predictions, control="old", alternative=alternative)
        assert words in several.conclusion.sentence


def test_what_is_no_prediction():
    """Whatever is no column of predictions is refused in one clear message."""
    for arguments, message in [
        ((3, {"a": [0], "b": [0]}), "`y_true` must be an array with one entry per record"),
        (([0, 1], {"a": None, "b": [0, 1]}), "Columns can be named where"),
        (([0, 1], {"a": "old", "b": "new"}), "Columns can be named where"),
        (([0, 1], {"a": {0, 1}, "b": [0, 1]}), "Columns can be named where"),
        (([0, 1], {"a": [0, 1]}), "at least two entries"),
        (([0, 1], [0, 1]), "at least two entries"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            compare(*arguments)


def test_null_values_are_for_the_tests_themselves():
    """A comparison asks whether both are equal, so no other null value is taken."""
    with pytest.raises(ValueError, match=r"Call skcompare\.stats\.mcnemar for"):
        compare([0, 1], {"a": [0, 1], "b": [1, 1]}, tests={"mcnemar": {"null_value": 0.1}})


def test_without_truth_there_is_no_direction_and_groups_count():
    """One-sided alternatives, and groups that no test allows for, are refused."""
    _, predictions = made_up()

    with pytest.raises(ValueError, match="alternative='greater' needs true labels"):
        compare(None, predictions, alternative="greater")
    with pytest.raises(ValueError, match="No test of the predictions alone is valid for"):
        compare(None, predictions, groups=np.arange(400) // 2)
    named = compare(None, predictions, groups=np.arange(400) // 2, tests="bowker")
    assert "invalid-design" in named.rows[0].flags


def test_flags_say_which_test_they_are_about():
    """With several rows a caveat names its tests; with one row there is no need."""
    y, predictions = made_up(30)

    one = compare(y, predictions)
    several = compare(y, predictions, tests=["mcnemar", "bowker", "disagreement"])

    assert all(not caveat.endswith(")") for caveat in one.caveats)
    assert any(caveat.endswith("(disagreement)") for caveat in several.caveats)


def test_predictions_choose_among_the_tests_of_a_measure():
    """DeLong's test takes decision scores; where it says nothing, the next test does."""
    X, y = make_classification(300, random_state=0)
    support = LinearSVC(random_state=0).fit(X[:150], y[:150])
    logistic = LogisticRegression().fit(X[:150], y[:150])
    pair = PairedComparator(support, logistic, cv="prefit", scoring="roc_auc")
    scored = pair.fit(X[150:], y[150:]).results_["roc_auc"]
    proba = {"a": np.linspace(0, 1, 20), "b": np.linspace(1, 0.3, 20) ** 2}
    rows = compare([1] + [0] * 19, proba, scoring="roc_auc").rows

    assert "delong" == scored.test
    expected = roc_auc_score(y[150:], support.decision_function(X[150:]))
    assert expected == pytest.approx(scored.champion)
    assert "permutation_difference" == rows[0].test


def test_all_leaves_out_what_needs_a_bound():
    """The log loss has no bound, so its anytime test runs only where one is passed."""
    y, predictions = [0, 1] * 20, {"old": [0.3, 0.6] * 20, "new": [0.2, 0.6, 0.3, 0.9] * 10}
    measures = ["neg_log_loss", "neg_brier_score"]
    rows = compare(y, predictions, scoring=measures, tests="all").rows

    assert {"neg_brier_score"} == {
        row.measure for row in rows if row.test == "anytime_losses"
    }


def test_another_loss_is_a_row_of_its_own():
    """A test that is requested with a loss leaves the row of the measure to its own."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    proba = {name: (0.5 * y + 0.5 * rng.random(60)).clip(0.01, 0.99) for name in "ab"}
    tests = {"paired_t": {"loss": "spherical_loss"}}
    results = compare(y, proba, scoring="neg_log_loss", tests=tests).results

    expected = compare(y, proba, scoring=["neg_log_loss", "spherical_loss"]).results
    for name in ("neg_log_loss", "spherical_loss"):
        row, other = results[name, None, "paired_t"], expected[name]
        assert (row.champion, row.pvalue) == (other.champion, other.pvalue)
    tests = {"paired_t": {"loss": "log_loss", "eps": 0.1}}
    comparison = compare(y, proba, scoring="neg_brier_score", tests=tests)
    assert "log_loss(eps=0.1)" == comparison.evidence(PairedLosses).loss
    assert "brier_score" == comparison.evidence(PairedLosses, loss="brier_score").loss


def test_advice_never_sends_the_winner_away():
    """The verdict is about recall, and who has the better accuracy is another question."""
    y = np.repeat([0, 1], 100)
    predictions = {"old": np.zeros(200, int), "new": np.ones(200, int)}
    predictions["old"][100:180], predictions["new"][:20] = 1, 0
    comparison = compare(y, predictions, scoring="recall")

    assert "challenger" == comparison.verdict
    assert comparison.advice is None
    assert "deploy" not in str(comparison)


def test_perfect_against_constant_ranking_has_a_permutation_p():
    """DeLong's variance is 0 there, so the next test that has a p-value decides."""
    y = np.repeat([0, 1], 10)
    comparison = compare(y, {"a": np.full(20, 0.5), "b": y * 0.8 + 0.1}, scoring="roc_auc")
    row = comparison.rows[0]

    assert "permutation_difference" == row.test
    assert 0 < row.pvalue < 0.001
    assert "delong has no p-value here, because its estimated variance is 0" == row.note
    assert "challenger" == comparison.verdict


def test_losses_that_differ_by_the_same_have_a_permutation_p():
    """The relative of the constant ranking: a loss that differs by the same everywhere."""
    y = np.array([0, 1] * 6)
    predictions = {"a": np.where(y, 0.6, 0.4), "b": np.where(y, 0.9, 0.1)}
    row = compare(y, predictions, scoring="neg_brier_score").rows[0]

    assert "paired_t has no p-value here" in row.note
    assert row.test in ("loss_permutation", "permutation_difference")
    assert 0 < row.pvalue < 0.05


def test_both_worse_than_without_skill_is_flagged():
    """Columns, classes or the direction may be reversed; a gate says the same."""
    for scoring, worse in [
        ("accuracy", True),
        ("roc_auc", True),
        ("neg_brier_score", True),
        ("neg_log_loss", True),
        ("average_precision", True),
        ("f1", False),  # what is without skill is not known of it
    ]:
        rng = np.random.default_rng(0)
        y = rng.integers(2, size=200)
        reversed_predictions = {
            name: 1 / (1 + np.exp((2 * y - 1) * 1.5 - rng.normal(size=200)))
            for name in "ab"
        }
        right_way = {name: 1 - each for name, each in reversed_predictions.items()}
        flagged = compare(y, reversed_predictions, scoring=scoring).rows[0].flags

        assert worse == ("worse-than-no-skill" in flagged)
        assert (
            "worse-than-no-skill"
            not in compare(y, right_way, scoring=scoring).rows[0].flags
        )


def test_average_precision_without_skill_is_the_share_of_the_positive_class():
    """Of the class that `pos_label` names, which need not be the last one."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 270])
    better = {name: 1 / (1 + np.exp(y - rng.normal(size=300))) for name in "ab"}
    worse = {name: 1 - each for name, each in better.items()}
    options = {"scoring": "average_precision", "pos_label": 0}
    rows = [compare(y, predictions, **options).rows[0] for predictions in (better, worse)]

    assert 0.1 < rows[0].champion < 0.9
    assert "worse-than-no-skill" not in rows[0].flags
    assert "worse-than-no-skill" in rows[1].flags


def test_one_that_is_worse_than_without_skill_is_no_reversal():
    """Where one of the two is better, columns are as they should be."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    good = 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(size=200)))
    row = compare(y, {"a": good, "b": 1 - good}, scoring="roc_auc").rows[0]

    assert "worse-than-no-skill" not in row.flags


def test_rankings_by_scores_that_are_not_calibrated_have_no_advice():
    """Accuracy at a threshold says nothing of a ranking; calibrated scores have advice."""
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.5).astype(int)
    logits = {name: 2 * (2 * y - 1) * 0.5 + rng.normal(size=600) for name in "ab"}
    calibrated = {name: 1 / (1 + np.exp(-2 * each)) for name, each in logits.items()}
    squeezed = {name: 0.9 + 0.1 * each for name, each in calibrated.items()}

    for scoring in ("roc_auc", "average_precision"):
        assert compare(y, squeezed, scoring=scoring).advice is None
        assert compare(y, calibrated, scoring=scoring).advice is not None
    assert compare(y, squeezed, scoring="accuracy").advice is not None


def test_several_trainings():
    """Predictions of several trainings are compared by another function, which is named."""
    y, several = np.arange(8) % 2, np.zeros((3, 8), dtype=int)
    for predictions in ({"a": several, "b": list(several)}, {"a": several + 0.5, "b": y}):
        with pytest.raises(ValueError, match=r"shape \(3, 8\), as of 3 .* compare_seeds"):
            compare(y, predictions)
    numbers = np.zeros((3, 8, 2)) + 0.5
    with pytest.raises(ValueError, match=r"shape \(3, 8, 2\).*compare_seeds"):
        compare(np.ones((8, 2)) / 3, {"a": numbers, "b": numbers})


def test_named_index_of_pandas():
    """The name of an index is read like that of a column, which ids and times often are."""
    index = pd.MultiIndex.from_arrays([range(8), list("aabbccdd")], names=["id", "user"])
    frame = pd.DataFrame({"y": [0, 1] * 4, "a": [0, 1, 1, 1] * 2}, index=index)
    other = pd.DataFrame({"b": 1 - frame["y"]}, index=index)[::-1]
    plain = frame.reset_index()
    predictions = {"a": "a", "b": (other, "b")}

    joined = compare(frame, predictions, y_true="y", id="id")
    expected = compare(
        plain, {"a": "a", "b": (other.reset_index(), "b")}, y_true="y", id="id"
    )
    assert expected.rows[0].difference == joined.rows[0].difference != 0
    both = {"a": "a", "b": "y"}
    grouped = compare(frame, both, y_true="y", groups="user")
    expected = compare(plain, both, y_true="y", groups="user")
    assert expected.rows[0].pvalue == grouped.rows[0].pvalue
    with pytest.raises(ValueError, match="Unknown column 'idd'"):
        compare(frame, both, y_true="y", id="idd")
