"""Reliability diagrams of two classifiers."""

import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from skcompare import compare
from skcompare.evidence import PairedCalibration
from skcompare.plots import CalibrationComparisonDisplay
from skcompare.stats import calibration_consistency, calibration_difference
from tests.plots.cases import scored

BOTH = ("champion", "challenger")


def evidence_of(n=300, **options):
    options.setdefault("n_bins", 8)
    return PairedCalibration.from_predictions(*scored(n), **options)


def test_what_is_drawn():
    """Shares are on the means, boxes where a calibrated classifier's would lie."""
    evidence = evidence_of()
    display = CalibrationComparisonDisplay.from_result(evidence)
    for ax, role in zip(display.axes_, BOTH):
        curve = evidence.curve(role)
        consistency = calibration_consistency(evidence, role)
        diagonal, shares = ax.get_lines()
        boxes = [patch.get_bbox() for patch in ax.patches]
        (bars,) = ax.collections

        assert [[0, 1], [0, 1]] == [list(each) for each in diagonal.get_data()]
        assert curve.mean_proba.tolist() == list(shares.get_xdata())
        assert curve.mean_outcome.tolist() == list(shares.get_ydata())
        assert consistency.low.tolist() == [box.y0 for box in boxes]
        assert consistency.high == pytest.approx([box.y1 for box in boxes])
        assert consistency.left == pytest.approx([box.x0 for box in boxes])
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        assert curve.low.tolist() == ends[:, 0].tolist()
        assert curve.high.tolist() == ends[:, 1].tolist()


def test_counts():
    """The panels below have the records of each bin, on one scale."""
    evidence = evidence_of()
    display = CalibrationComparisonDisplay.from_result(evidence)
    below = display.axes_[2:]
    for ax, role in zip(below, BOTH):
        heights = [patch.get_height() for patch in ax.patches]

        assert evidence.bins(role).count.tolist() == heights
    assert below[0].get_ylim() == below[1].get_ylim()


def test_text(text_of):
    """Both errors, their difference with its interval and p, as the test says."""
    evidence = evidence_of()
    result = calibration_difference(evidence)
    low, high = result.confidence_interval(0.9)
    display = CalibrationComparisonDisplay.from_result(evidence, confidence_level=0.9)
    words = "\n".join(text_of(display.figure_))

    assert f"Squared calibration error {result.champion:.4f}" in words
    assert f"Gain in squared calibration error {result.estimate:+.4f}" in words
    assert f"90 % interval [{low:.4f}, {high:.4f}]" in words
    assert "Test of the difference: p" in words
    assert "90 % of shares, if calibrated" in words
    assert "Share of positive records" in words
    assert "of 8 bins of the champion" in display.summary


def test_empty_bins_are_left_out():
    """Nor is a bin of one record, or of events alone, a problem."""
    evidence = PairedCalibration.from_predictions(
        [0, 0, 1, 1], [0.0, 0.05, 1.0, 0.95], [0.05, 0.45, 0.05, 0.45], n_bins=10
    )
    display = CalibrationComparisonDisplay.from_result(evidence)
    frame = display.frame()

    assert [2, 2, 2, 2] == frame["count"].tolist()
    assert not frame.isna().any().any()
    assert [0, 1, 0.5, 0.5] == frame["share"].tolist()


def test_other_numbers_of_bins():
    """Bins of equal mass that are not as many leave no test, and words say so."""
    evidence = PairedCalibration.from_predictions(
        [0, 1, 0, 1],
        [0.1, 0.6, 0.3, 0.8],
        [0.5, 0.5, 0.5, 0.7],
        n_bins=4,
        strategy="equal_mass",
    )
    display = CalibrationComparisonDisplay.of_result(evidence)

    assert "no p-value for different numbers of bins" in display.summary
    assert display.finding.low is None


def test_sums_only():
    """Evidence without its records has the same picture, nearly."""
    evidence = evidence_of(2000)
    known = CalibrationComparisonDisplay.of_result(evidence)
    found = CalibrationComparisonDisplay.of_result(evidence.reduced())

    assert known.finding.estimate == pytest.approx(found.finding.estimate)
    for one, other in zip(known.bins, found.bins):
        assert one[:7] == pytest.approx(other[:7])
        assert one[7:] == pytest.approx(other[7:], abs=0.03)


def test_of_counted_records():
    """Records that an engine counted have the picture of those that were read."""
    pl = pytest.importorskip("polars")
    y, champion, challenger = scored(200)
    frame = pl.DataFrame({"y": y, "a": champion, "b": challenger})
    predictions = {"old": "a", "new": "b"}
    settings = {"y_true": "y", "tests": "calibration_difference"}
    read, counted = (
        CalibrationComparisonDisplay.of_result(
            compare(each, predictions, collect=collect, **settings)
        )
        for each, collect in ((frame, 200), (frame.lazy(), 0))
    )

    assert ("old", "new") == counted.names == read.names
    assert read.finding.estimate == pytest.approx(counted.finding.estimate)
    assert read.bins[0][:5] == pytest.approx(counted.bins[0][:5])


def test_predicted_classes():
    """Of many classes the events are right predictions; options reach the evidence."""
    rng = np.random.default_rng(0)
    champion, challenger = rng.dirichlet([1, 1, 1], size=(2, 60))
    y = rng.integers(3, size=60)
    predictions = {"old": champion, "new": challenger}
    comparison = compare(y, predictions, scoring="neg_multiclass_brier_loss")
    display = CalibrationComparisonDisplay.from_result(comparison, n_bins=4)

    assert "top_label" == display.kind
    assert ("old", "new") == display.names
    assert display.axes_[0].get_title().startswith("old\n")
    assert "Share of right predictions" == display.axes_[0].get_ylabel()
    assert 60 == display.frame().query("role == 'champion'")["count"].sum()
    with pytest.raises(ValueError, match="top_label"):
        CalibrationComparisonDisplay.of_result(comparison, kind="classwise")


def grouped():
    """A picture of records in groups."""
    evidence = evidence_of(90, groups=np.arange(90) // 3)
    return CalibrationComparisonDisplay.from_result(evidence)


def test_groups():
    """Neither boxes nor bars for records that depend on each other, but a test."""
    display = grouped()

    assert [] == list(display.axes_[0].patches)
    assert [] == list(display.axes_[0].collections)
    assert "No bands: records of a group depend on each other" in display.summary
    assert display.finding.low is not None
    assert "low" not in display.frame()


ONCE = StratifiedKFold(3)
AGAIN = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)


def cross_validated(splitter):
    """A picture of predictions of all splits together."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    options = {"cv": splitter, "return_estimator": True, "return_indices": True}
    outputs = [
        cross_validate(one, X, y, **options) for one in (GaussianNB(), LogisticRegression())
    ]
    return CalibrationComparisonDisplay.from_cv_results(*outputs, X, y, cv=splitter)


def test_cross_validation():
    """There is no test, and there are no bands for repeated records."""
    for splitter, banded in ((ONCE, True), (AGAIN, False)):
        display = cross_validated(splitter)

        assert "no p-value for" in display.summary
        assert display.finding.low is None
        assert banded is bool(display.axes_[0].patches)
        assert banded is not bool(display.why_no_bands)


@pytest.mark.slow
def test_text_fit(overlaps):
    """Those that say why something is not there have room."""
    for display in (grouped(), cross_validated(ONCE), cross_validated(AGAIN)):
        assert ([], []) == overlaps(display.figure_)


@pytest.mark.parametrize("design", ["unknown", "time ordered"])
def test_other_designs_are_not_said_to_repeat_records(design):
    """Of splits that nothing is known about it is not said that records returned."""
    y, proba = [0, 1] * 10, np.linspace(0.1, 0.9, 20)
    made = PairedCalibration.from_predictions(y, proba, proba**2)
    display = CalibrationComparisonDisplay.of_result(
        dataclasses.replace(made, design=design)
    )

    assert "it is unknown whether records are independent" in display.summary
