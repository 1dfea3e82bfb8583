"""Measures of one class against the rest, and rows of every class."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, precision_score, roc_auc_score
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB

from skcompare import PairedComparator, compare
from skcompare.evidence import JointCounts
from skcompare.metrics import negative_predictive_value
from skcompare.predictions import one_class, predictions_from_arrays
from skcompare.reports import Comparison
from skcompare.stats import precision_weighted_score

NAMES = np.array(["ant", "bee", "cow"])


@pytest.fixture(scope="module")
def predictions():
    """True classes of 600 records, with labels and probabilities of two classifiers."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=600)
    proba = []
    for quality in (1.0, 1.6):
        score = rng.normal(size=(600, 3))
        score[np.arange(600), y] += quality
        weight = np.exp(score)
        proba.append(weight / weight.sum(axis=1, keepdims=True))
    return y, proba


def labels_of(predictions):
    y, proba = predictions
    return NAMES[y], {
        name: NAMES[one.argmax(axis=1)]
        for name, one in zip(("old", "new"), proba, strict=True)
    }


@pytest.mark.parametrize("label", NAMES.tolist())
def test_precision_of_a_class(predictions, label):
    """A class in brackets is that class against the rest, by the test of the measure."""
    y, labels = labels_of(predictions)

    comparison = compare(y, labels, scoring=f"precision[{label}]")

    row = comparison.rows[0]
    assert ("precision", label) == row.key[:2]
    assert row is comparison.results[f"precision[{label}]"]
    expected = [
        precision_score(y == label, labels[name] == label) for name in ("old", "new")
    ]
    assert expected == pytest.approx([row.champion, row.challenger], rel=1e-12)
    assert row.primary
    assert 0 < row.pvalue < 1
    assert f"precision[{label}]" in str(comparison)
    assert f"class {label!r} against the rest" == row.result.remark
    assert "note" not in str(comparison)
    assert f"precision[{label}]" in comparison.to_html(pictures=False)


def test_any_measure_of_two_classes(predictions):
    """Every measure of two classes can be asked of one class, as if the rest were one."""
    for measure in ["f1", "recall", "specificity", "roc_auc"]:
        y, proba = predictions
        binary = [np.column_stack([1 - one[:, 1], one[:, 1]]) for one in proba]
        given = dict(zip(("old", "new"), proba, strict=True))
        if measure != "roc_auc":
            given = labels_of(predictions)[1]
            binary = [given[name] == "bee" for name in ("old", "new")]
        expected = compare(
            NAMES[y] == "bee",
            dict(zip(("old", "new"), binary, strict=True)),
            scoring=measure,
        ).rows[0]

        row = compare(NAMES[y], given, scoring=f"{measure}[bee]").rows[0]

        assert expected.test == row.test
        assert (expected.champion, expected.challenger, expected.pvalue) == pytest.approx(
            (row.champion, row.challenger, row.pvalue), rel=1e-10
        )


def test_values_of_scikit_learn(predictions):
    """The values are those of scikit-learn's metrics of one class."""
    y, proba = predictions
    labels = labels_of(predictions)[1]

    f1 = compare(NAMES[y], labels, scoring="f1[cow]").rows[0]
    auc = compare(
        NAMES[y], dict(zip(("old", "new"), proba, strict=True)), scoring="roc_auc[cow]"
    ).rows[0]

    assert f1_score(NAMES[y] == "cow", labels["new"] == "cow") == f1.challenger
    assert roc_auc_score(y == 2, proba[0][:, 2]) == pytest.approx(auc.champion, rel=1e-12)


def test_rows_of_every_class(predictions):
    """A test of one class that is requested by name has a row for each, adjusted."""
    y, labels = labels_of(predictions)

    comparison = compare(y, labels, tests=["precision_weighted_score"])

    rows = [row for row in comparison.rows if row.test == "precision_weighted_score"]
    assert NAMES.tolist() == [row.label for row in rows]
    joint = JointCounts.from_predictions(y, labels["old"], labels["new"])
    for row in rows:
        expected = precision_weighted_score(joint, label=row.label)
        assert expected.pvalue == row.pvalue
        assert row.pvalue <= row.adjusted_pvalue <= 1
        assert row is comparison.results["precision", row.label, row.test]
    again = Comparison.from_json(comparison.to_json())
    assert [row.key for row in comparison.rows] == [row.key for row in again.rows]


def test_one_class_that_was_requested_for(predictions):
    """An option names the class; the measure with that class takes the test's own row."""
    y, labels = labels_of(predictions)

    by_option = compare(y, labels, tests={"precision_score": {"label": "bee"}})
    by_measure = compare(
        y, labels, scoring="precision[bee]", tests=["precision_score", "relative_precision"]
    )

    assert ("precision", "bee", "precision_score") == by_option.rows[1].key
    assert {"bee"} == {row.label for row in by_measure.rows}
    assert {"precision_score", "relative_precision"} < {row.test for row in by_measure.rows}
    results = (by_option.results, by_measure.results)
    assert 1 == len({one["precision_score"].pvalue for one in results})


def test_positive_class_of_two():
    """Of two classes the measure without brackets is about the positive one."""
    rng = np.random.default_rng(1)
    y = rng.choice(["no", "yes"], size=300)
    labels = {
        name: np.where(rng.random(300) < share, y, rng.choice(["no", "yes"], size=300))
        for name, share in (("old", 0.4), ("new", 0.7))
    }

    plain = compare(
        y, labels, scoring="precision", pos_label="no", tests=["precision_score"]
    )
    bracketed = compare(y, labels, scoring="precision[no]", tests=["precision_score"])

    assert plain.results["precision_score"].label is None
    assert "no" == bracketed.results["precision_score"].label
    assert (
        plain.results["precision_score"].pvalue
        == bracketed.results["precision_score"].pvalue
    )
    assert plain.verdict == bracketed.verdict == "challenger"


def test_class_measure_in_cross_validation():
    """Under cross-validation a measure of one class is scored split by split."""
    X, y = make_classification(
        200, n_classes=3, n_informative=5, flip_y=0.2, random_state=0
    )
    comparator = PairedComparator(
        GaussianNB(),
        LogisticRegression(),
        cv=5,
        scoring=["accuracy", "precision[2]"],
    ).fit(X, y)

    row = comparator.results_["precision[2]"]

    assert ("precision", 2) == row.key[:2]
    pair = comparator.predictions_.pair(*comparator.predictions_.names)
    predictions = pair.predictions
    scores = [
        precision_score(
            predictions.y_predicted()[part] == 2, pair.champion.labels[part] == 2
        )
        for part in predictions.slices()
    ]
    assert np.mean(scores) == pytest.approx(row.champion, rel=1e-12)


@pytest.mark.parametrize("other", ["ant", "cow"])
def test_class_of_an_option_is_not_that_of_the_measure(predictions, other):
    """An option that names another class leaves the measure's row, and has its own."""
    y, labels = labels_of(predictions)
    test = compare(y, labels, scoring="precision[bee]").rows[0].test

    rows = compare(y, labels, scoring="precision[bee]", tests={test: {"label": other}}).rows

    assert [("precision", name, test) for name in ("bee", other)] == [r.key for r in rows]
    for row in rows:
        expected = precision_score(y == row.label, labels["old"] == row.label)
        assert expected == pytest.approx(row.champion, rel=1e-12)


@pytest.mark.parametrize("pos_label", [None, 0, 1])
def test_class_of_an_option_beside_the_positive_one(pos_label):
    """Numbers for classes too, where 0 could be taken for the rest, and 1 for the class."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=300)
    labels = {
        name: np.where(rng.random(300) < share, y, 1 - y)
        for name, share in (("old", 0.6), ("new", 0.8))
    }
    positive = 1 if pos_label is None else pos_label
    test = compare(y, labels, scoring="precision", pos_label=pos_label).rows[0].test

    own, other = compare(
        y, labels, scoring="precision", pos_label=pos_label,
        tests={test: {"label": 1 - positive}},
    ).rows  # fmt: skip

    for row, about in ((own, positive), (other, 1 - positive)):
        expected = precision_score(y, labels["new"], pos_label=about)
        assert expected == pytest.approx(row.challenger, rel=1e-12)
    assert (None, 1 - positive) == (own.label, other.label)


def test_class_that_is_named_twice(predictions):
    """A test that is requested with the measure's class has one row, adjusted once."""
    y, labels = labels_of(predictions)
    codes = {name: np.searchsorted(NAMES, given) for name, given in labels.items()}
    test = compare(y, labels, scoring="precision[bee]").rows[0].test

    rows = compare(
        np.searchsorted(NAMES, y), codes, scoring="precision[1]",
        tests={test: {"label": np.int64(1)}, "precision_score": {"label": 1}},
    ).rows  # fmt: skip

    assert [("precision", 1, test), ("precision", 1, "precision_score")] == [
        row.key for row in rows
    ]
    assert rows[1].pvalue == rows[1].adjusted_pvalue


def test_positive_class_beside_brackets(predictions):
    """Brackets say which class is positive; an option that says so too is refused."""
    y, labels = labels_of(predictions)

    with pytest.raises(
        ValueError, match=r"'f1\[bee\]' says which class.*Got pos_label='ant'"
    ):
        compare(
            y, labels, scoring="f1[bee]", tests={"score_difference": {"pos_label": "ant"}}
        )


def test_measures_with_one_name(predictions):
    """Two measures that a report could not tell apart are refused."""
    y, labels = labels_of(predictions)

    for other in ("precision[bee]", "accuracy"):
        with pytest.raises(ValueError, match=r"each measure once.*\['precision\[bee\]'"):
            compare(
                y, labels, scoring={"precision": "precision[bee]", "precision[bee]": other}
            )
    rows = compare(
        y, labels, scoring={"ppv": "precision[bee]", "precision": "precision[bee]"}
    ).rows
    assert [("ppv", "bee"), ("precision", "bee")] == [row.key[:2] for row in rows]


def test_accuracy_of_one_class_is_not_accuracy(predictions):
    """Predictions without truth are not compared by it; several are, as class and rest."""
    y, labels = labels_of(predictions)

    with pytest.raises(ValueError, match=r"accuracy\[bee\].*needs true labels"):
        compare(None, labels, scoring="accuracy[bee]")
    several = compare(y, labels | {"third": labels["new"]}, scoring="accuracy[bee]")
    about = {name: one == "bee" for name, one in labels.items()}
    about["third"] = about["new"]
    binary = compare(np.asarray(y) == "bee", about)
    assert "accuracy[bee]" == several.comparisons[0].subject
    assert binary.pairs == several.pairs
    assert binary.omnibus == several.omnibus


def test_all_tests_are_those_of_the_class(predictions):
    """ "all" has the tests that suit one class against the rest, as that of its AUC."""
    y, proba = predictions[0][:40], [one[:40] for one in predictions[1]]
    given = dict(zip(("old", "new"), proba, strict=True))

    comparison = compare(NAMES[y], given, scoring=["accuracy", "roc_auc[bee]"], tests="all")

    binary = [np.column_stack([1 - one[:, 1], one[:, 1]]) for one in proba]
    expected = compare(
        y == 1, dict(zip(("old", "new"), binary, strict=True)), scoring="roc_auc",
        tests=["delong"],
    ).rows[0]  # fmt: skip
    row = comparison.results["roc_auc", "bee", "delong"]
    assert expected.pvalue == pytest.approx(row.pvalue, rel=1e-10)
    assert len(comparison.rows) == len(comparison.results)


def test_class_of_a_ratio(predictions):
    """Rows of ratios say which class they are of."""
    y, labels = labels_of(predictions)

    report = str(compare(y, labels, tests=["relative_precision"]))

    for name in NAMES:
        assert f"ratio of precisions[{name}]" in report


def test_tests_of_a_class_under_one_split():
    """What is tried before anything is fitted are predictions for the class of a
    measure.
    """
    X, y = make_classification(
        300, n_classes=3, n_informative=5, flip_y=0.2, random_state=0
    )
    split = ShuffleSplit(1, test_size=0.5, random_state=0)

    def compared(tests, **settings):
        return PairedComparator(
            GaussianNB(), LogisticRegression(), cv=split, tests=tests, random_state=0,
            **settings,
        ).fit(X, NAMES[y]).results_  # fmt: skip

    row = compared(["delong"], scoring="roc_auc[bee]")["roc_auc[bee]"]
    assert ("roc_auc", "bee", "delong") == row.key
    options = {"calibration_difference": {"n_bins": 7}}
    assert "calibration_difference" in {key[2] for key in compared(options)}
    with pytest.raises(ValueError, match=r"`label` must be one of the classes 'ant'"):
        compared({"precision_score": {"label": "dog"}}, scoring="precision[bee]")


def test_labels_of_all_kinds():
    """Brackets, commas and spaces are part of a label; a label keeps its type in JSON."""
    for label in [False, True, 0, 1, "1", "1.0", "a[1]", "b, c", " d"]:
        rng = np.random.default_rng(2)
        other = "e" if isinstance(label, str) else type(label)(1 - label)
        y, *found = rng.choice(np.array([label, other]), size=(3, 60))

        comparison = compare(
            y, dict(zip(("old", "new"), found, strict=True)), scoring=f"precision[{label}]"
        )

        row = comparison.rows[0]
        assert (label, type(label)) == (row.label, type(row.label))
        assert precision_score(y == label, found[0] == label) == pytest.approx(row.champion)
        again = Comparison.from_json(comparison.to_json()).rows[0]
        assert (label, type(label)) == (again.label, type(again.label))
        assert row is comparison.results[f"precision[{label}]"]


def test_unknown_class(predictions):
    """A class that does not occur is refused with those that do, before anything runs."""
    y, labels = labels_of(predictions)

    with pytest.raises(
        ValueError, match=r"'precision\[dog\]'.*Classes: 'ant', 'bee', 'cow'"
    ):
        compare(y, labels, scoring="precision[dog]")
    with pytest.raises(ValueError, match=r"Unknown scoring 'precison'"):
        compare(y, labels, scoring="precison[ant]")


def test_one_class_against_the_rest():
    """Labels, probabilities and decision scores become those of two classes."""
    y = np.array([0, 1, 2])
    proba = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]])
    predictions = predictions_from_arrays(y, {"a": proba, "b": proba})

    found = one_class(predictions.pair("a", "b"), 1)

    assert [False, True] == found.predictions.classes.tolist()
    assert [0, 1, 0] == found.predictions.y.tolist()
    assert [0, 1, 0] == found.champion.labels.tolist()
    assert [0.2, 0.6, 0.3] == found.champion.proba[:, 1].tolist()


def test_negative_predictive_value():
    """It is the precision of the other class, and undefined without such a prediction."""
    y, predicted = [1, 1, 0, 0, 0], [1, 0, 0, 0, 1]

    assert precision_score(y, predicted, pos_label=0) == negative_predictive_value(
        y, predicted
    )
    assert 0.5 == negative_predictive_value(y, predicted, pos_label=0)
    with pytest.warns(UndefinedMetricWarning, match=r"negative records.*`y_pred` has 1"):
        assert 0.0 == negative_predictive_value([0, 1], [1, 1])


def test_notes_of_all_classes_together(predictions):
    """What is said of every class of a test alike is said once."""
    y, labels = labels_of(predictions)

    text = str(compare(y, labels, tests=["updated_precision"]))

    assert 3 == text.count("ratio of updated precisions[")
    assert 1 == text.count("at the prevalence of the sample")
    assert "note        updated_precision: at the prevalence" in text
