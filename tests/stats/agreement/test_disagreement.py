"""Disagreement of correct and incorrect predictions, and of labels."""

import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import AgreementMatrix, ContingencyTable
from skcompare.stats import disagreement, label_disagreement
from tests.common.golden import golden

GOLDEN = golden("agreement")
LABELS = AgreementMatrix([[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"])


def test_worked_examples():
    """The textbook's examples: 40 of 200 records, both ways."""
    worked = GOLDEN["worked"]

    errors = disagreement(ContingencyTable(150, 25, 15, 10))
    labels = label_disagreement(LABELS)

    assert worked["14.1-dis"]["value"] == pytest.approx(errors.estimate, rel=1e-15)
    assert worked["14.10-dis"]["value"] == pytest.approx(labels.estimate, rel=1e-15)
    assert 0.2 == disagreement(ContingencyTable(80, 10, 10, 0)).estimate


def test_disagreement_of_golden_tables():
    """The share that was counted by others."""
    for case in GOLDEN["tables"]:
        result = disagreement(ContingencyTable(*case["table"]))

        assert case["disagreement"]["value"] == pytest.approx(result.estimate, abs=1e-15)


def test_wilson_interval_of_scipy():
    """scipy's Wilson interval of a share, at the ends too."""
    for differing, n in [(0, 7), (7, 7), (1, 1), (0, 1), (3, 20), (999, 1000), (12, 10**6)]:
        result = disagreement(ContingencyTable(n - differing, differing, 0, 0))

        for level in (0.5, 0.9, 0.95, 0.9999):
            theirs = stats.binomtest(differing, n).proportion_ci(level, method="wilson")
            low, high = result.confidence_interval(level)
            assert tuple(theirs) == pytest.approx((low, high), rel=1e-9, abs=1e-15)
            assert 0 <= low <= result.estimate <= high <= 1


def test_ends_of_the_interval_are_exact():
    """No record that differs gives a lower limit of 0, and all an upper one of 1."""
    none = disagreement(ContingencyTable(9, 0, 0, 4)).confidence_interval(0.9)
    every = disagreement(ContingencyTable(0, 9, 4, 0)).confidence_interval(0.9)

    z = stats.norm.isf(0.05)
    assert 0 == none.low
    assert z**2 / (13 + z**2) == pytest.approx(none.high)
    assert 1 == every.high


def test_it_tests_nothing():
    """No p-value is made up for a description."""
    for result in (disagreement(ContingencyTable(5, 3, 2, 1)), label_disagreement(LABELS)):
        assert all(math.isnan(value) for value in (*result, result.log_pvalue))
        assert ("descriptive",) == result.flags
        assert ["descriptive: a description: no hypothesis is tested"] == result.caveats


def test_labels_differ_at_least_as_often_as_correctness():
    """Two wrong labels can differ; with two classes they cannot."""
    rng = np.random.default_rng(0)
    for n_classes in (2, 3, 5):
        truth, first, second = rng.integers(n_classes, size=(3, 200))
        errors = disagreement(ContingencyTable.from_predictions(truth, first, second))
        labels = label_disagreement(AgreementMatrix.from_predictions(first, second))

        assert np.mean(first != second) == pytest.approx(labels.estimate)
        assert np.mean((first == truth) != (second == truth)) == pytest.approx(
            errors.estimate
        )
        assert (n_classes == 2) == (errors.estimate == labels.estimate)


def test_fractional_tables():
    """Averaged tables have a disagreement."""
    assert 0.2 == disagreement(ContingencyTable(75.0, 12.5, 7.5, 5.0)).estimate


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((99, 1, 0, 0), "the two behave nearly identically on these records"),
        ((95, 3, 2, 0), "the two differ on some of these records"),
        ((50, 25, 25, 0), "the two differ on many of these records"),
    ],
)
def test_disagreement_in_text(counts, words):
    """The ends of the textbook's scale, and the middle."""
    assert words == disagreement(ContingencyTable(*counts)).remark
