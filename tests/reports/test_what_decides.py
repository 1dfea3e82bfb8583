"""Which row of a report decides, how often others are wrong, and what it would take."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from skcompare import MultipleComparator, PairedComparator, compare

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=300)
PREDICTIONS = {
    name: 1 / (1 + np.exp(-(2 * Y - 1) * 0.8 - RNG.normal(size=300))) for name in "ab"
}
SCORING = ["accuracy", "roc_auc", "binary_brier_loss"]


def lines_with(text, words):
    """Lines of a text that have these words."""
    return [line for line in text.splitlines() if words in line]


def test_primary_row_is_marked_in_every_output():
    """A star in text and Markdown, bold in HTML, a field in frame and JSON."""
    comparison = compare(Y, PREDICTIONS, scoring=SCORING)
    page = comparison.to_html(pictures=False)

    assert lines_with(str(comparison), "accuracy *")
    assert not lines_with(str(comparison), "roc_auc *")
    assert lines_with(comparison.to_markdown(), "| accuracy \\* |")
    assert "The verdict comes from the row in bold" in page
    assert [True, False, False] == [row["primary"] for row in comparison.to_dict()["rows"]]


def test_row_that_is_alone_needs_no_mark():
    """With one row nothing has to be distinguished."""
    comparison = compare(Y, PREDICTIONS)

    assert "*" not in str(comparison)
    assert "row in bold" not in comparison.to_html(pictures=False)


def test_false_findings_in_any_row_are_counted():
    """The primary row and the others each have their own alpha, which is said."""
    for adjust, words in [
        ("holm", "the probability of a false positive in any row is up to 0.1"),
        ("bonferroni", "the probability of a false positive in any row is up to 0.1"),
        ("benjamini-hochberg", "by their false discovery rate"),
        (None, "The p-values of the other rows are not adjusted"),
    ]:
        comparison = compare(Y, PREDICTIONS, scoring=SCORING, adjust=adjust)
        said = " ".join(str(comparison).split())

        assert words in said
        assert words in " ".join(comparison.to_markdown().split())
        assert words in " ".join(comparison.to_html(pictures=False).split())


def test_several_classifiers_say_which_measure_decides():
    """Each measure is adjusted for itself, so that two have up to twice the level."""
    models = [("a", GaussianNB()), ("b", DummyClassifier()), ("c", DummyClassifier())]
    X = np.column_stack([Y + RNG.normal(size=300), RNG.normal(size=300)])
    comparator = MultipleComparator(models, scoring=["accuracy", "roc_auc"], random_state=0)
    said = " ".join(str(comparator.fit(X, Y).comparison_).split())

    assert "decided by accuracy (bcv_jackknife_t), at alpha 0.05" in said
    assert "the probability of a false positive in any of the 2 is up to 0.1" in said


def test_halves_are_named():
    """Cross-validation in halves speaks of learners that had half of the records."""
    X = np.column_stack([Y + RNG.normal(size=300), RNG.normal(size=300)])
    comparator = PairedComparator(GaussianNB(), DummyClassifier(), random_state=0)
    comparison = comparator.fit(X, Y).comparison_
    folds = comparator.set_params(cv=5).fit(X, Y).comparison_

    for text in (str(comparison), comparison.to_markdown(), comparison.to_html()):
        assert "300 records, trained on half of them" in " ".join(text.split())
    assert "half of them" not in str(folds)


def test_records_needed_are_a_range():
    """From the far end of the interval to the observed difference, and no verdict."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=400)
    predictions = {name: np.where(rng.random(400) < 0.8, y, 1 - y) for name in "ab"}
    comparison = compare(y, predictions)
    conclusion, row = comparison.conclusion, comparison.rows[0]
    far = row.high if row.difference > 0 else row.low
    expected = conclusion.records_needed * (row.difference / far) ** 2

    assert "inconclusive" == comparison.verdict
    assert expected == pytest.approx(conclusion.least_records)
    assert "records" not in conclusion.sentence.replace("new records", "")
    said = " ".join(str(comparison).split())
    assert "the far end of its interval" in said
    assert "as observed; more if it is smaller" in said
