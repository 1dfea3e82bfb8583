"""Ratios of precisions as a picture."""

import math
from dataclasses import replace

import numpy as np
import pytest

from skcompare import Comparison, compare
from skcompare._core.design import Design
from skcompare.evidence import ContingencyTable, JointCounts
from skcompare.plots import ForestDisplay, RelativePrecisionDisplay
from skcompare.plots.forest._interval_rows import IntervalRow
from skcompare.stats import mcnemar, precision_by_class, relative_precision

RNG = np.random.default_rng(0)
LABELS = np.array(["cat", "dog", "owl"])
Y = RNG.integers(3, size=300)
OLD = np.where(RNG.random(300) < 0.6, Y, RNG.integers(3, size=300))
NEW = np.where(RNG.random(300) < 0.8, Y, RNG.integers(3, size=300))
GIVEN = (LABELS[Y], LABELS[OLD], LABELS[NEW])
COUNTS = JointCounts.from_predictions(*GIVEN)


def test_rows_are_ratios_of_the_classes():
    """Each class has the ratio and the interval of the test by itself."""
    display = RelativePrecisionDisplay.from_predictions(*GIVEN)
    expected = [relative_precision(COUNTS, label=label) for label in LABELS]

    assert [f"precision[{label}]" for label in LABELS] == [r.name for r in display.rows]
    assert [result.estimate for result in expected] == [r.estimate for r in display.rows]
    assert [result.confidence_interval() for result in expected] == [
        r.limits for r in display.rows
    ]
    assert [result.challenger for result in expected] == [
        r.challenger for r in display.rows
    ]


def test_all_p_values_are_adjusted():
    """No class is the primary one, so that all are adjusted together."""
    display = RelativePrecisionDisplay.from_predictions(*GIVEN, adjust="bonferroni")

    assert [min(1.0, 3 * row.pvalue) for row in display.rows] == pytest.approx(
        [row.adjusted_pvalue for row in display.rows]
    )


def test_axis_is_logarithmic_with_one(text_of):
    """The line of equal precisions is at 1, a tick too, and percentages are written."""
    display = RelativePrecisionDisplay.from_predictions(*GIVEN)
    ticks = {
        words.get_text(): words.get_position()[0] for words in display.ax_.get_xticklabels()
    }
    lines = [line.get_xdata() for line in display.ax_.get_lines()]
    words = text_of(display.figure_)

    assert "log" == display.ax_.get_xscale()
    assert 1.0 == ticks["1"]
    assert all(float(words) == pytest.approx(place) for words, place in ticks.items())
    assert [1.0, 1.0] in [list(x) for x in lines]
    assert {f"{100 * (row.estimate - 1):+.1f} %" for row in display.rows} <= set(words)


def test_ticks_are_few_and_right():
    """However wide the axis is, a few ticks are on it, each where it says."""
    for low, high in [(0.99, 1.01), (0.5, 1.3), (0.2, 8), (1e-4, 50)]:
        row = IntervalRow("a", "t", math.sqrt(low * high), low, high, unit="ratio")
        display = RelativePrecisionDisplay((row,)).plot()
        ticks = display.ax_.get_xticklabels()

        assert 2 <= len(ticks) <= 14
        for words in ticks:
            assert float(words.get_text()) == pytest.approx(
                words.get_position()[0], rel=1e-4
            )


def test_methods_of_a_class_stand_together():
    """A mark is of the outcome, and odds ratios have a panel of their own."""
    tests = ["relative_precision", "updated_precision", "gee_precision"]
    tests = {name: {} for name in tests} | {"updated_precision": {"n_resamples": 199}}
    display = RelativePrecisionDisplay.from_predictions(*GIVEN, tests=tests)
    ratios, odds = display.axes_
    marks = {line.get_marker() for line in ratios.get_lines()} - {"None", "<", ">"}

    assert ["cat", "cat", "cat"] == [
        row.name.split("[")[1][:-1] for row in display.rows[:3]
    ]
    assert 6 == len(ratios.get_yticklabels())
    assert 3 == len(odds.get_yticklabels())
    assert {"^", "o"} == marks


def test_silent_classifiers():
    """A class that the champion never gives is undefined, which is said in words."""
    old = np.where(OLD == 2, 0, OLD)
    counts = JointCounts.from_predictions(LABELS[Y], LABELS[old], LABELS[NEW])
    for made in (
        RelativePrecisionDisplay.from_result(precision_by_class(counts)),
        RelativePrecisionDisplay.from_predictions(LABELS[Y], LABELS[old], LABELS[NEW]),
    ):
        last = made.rows[-1]
        words = {words.get_text() for words in made.ax_.texts}

        assert math.isnan(last.estimate)
        assert "champion never gave this prediction" == last.note
        assert {"undefined", f"no prediction → {last.challenger:.3f}"} <= words


def test_infinite_ratios_are_arrows():
    """A champion that is never right about a class makes the ratio infinite."""
    old = np.where(OLD == 2, (Y == 2) * 0 + 1, OLD)
    old[np.flatnonzero(Y == 0)[:5]] = 2
    counts = JointCounts.from_predictions(LABELS[Y], LABELS[old], LABELS[NEW])
    display = RelativePrecisionDisplay.from_result(precision_by_class(counts))
    last = display.rows[-1]
    words = {words.get_text() for words in display.ax_.texts}
    arrows = [
        line.get_ydata()[0] for line in display.ax_.get_lines() if line.get_marker() == ">"
    ]

    assert math.inf == last.estimate == last.high
    assert any(word.startswith("∞ [") for word in words)
    assert 2 in arrows


def test_comparisons():
    """Ratios among the rows are drawn; without them those of the predictions behind it."""
    roles = dict(zip(("old", "new"), GIVEN[1:]))
    plain = compare(GIVEN[0], roles)
    requested = compare(GIVEN[0], roles, tests=["mcnemar", "relative_precision"])
    display = RelativePrecisionDisplay.of_result(requested)
    behind = RelativePrecisionDisplay.of_result(plain)

    assert {"relative_precision"} == {row.test for row in display.rows}
    assert [row.estimate for row in display.rows] == [row.estimate for row in behind.rows]
    stored = Comparison.from_json(requested.to_json())
    assert display.frame().equals(RelativePrecisionDisplay.of_result(stored).frame())
    with pytest.raises(ValueError, match="no predictions"):
        RelativePrecisionDisplay.of_result(Comparison.from_json(plain.to_json()))


def test_results():
    """Single results and dicts of them are rows; differences are refused."""
    one = relative_precision(COUNTS, label="dog")

    assert ["precision[dog]"] == [
        row.name for row in RelativePrecisionDisplay.of_result(one).rows
    ]
    assert ["here"] == [
        row.name for row in RelativePrecisionDisplay.of_result({"here": one}).rows
    ]
    with pytest.raises(ValueError, match="Use ForestDisplay"):
        RelativePrecisionDisplay.of_result(mcnemar(ContingencyTable(1, 2, 3, 4)))
    with pytest.raises(TypeError, match="Got str"):
        RelativePrecisionDisplay.of_result("precision")
    with pytest.raises(ValueError, match="kind 'difference'"):
        RelativePrecisionDisplay.from_predictions(*GIVEN, tests="mcnemar")
    with pytest.raises(TypeError, match="has no option margin"):
        RelativePrecisionDisplay.of_result(one, margin=1)


def test_probabilities_of_one_class():
    """One column of probabilities needs `pos_label`, which ratios do without."""
    y = (Y == 0).astype(int)
    scores = np.clip(0.3 * y + 0.6 * RNG.random((2, 300)), 0, 1)
    display = RelativePrecisionDisplay.from_predictions(y, *scores, pos_label=1)

    assert ["precision[0]", "precision[1]"] == [row.name for row in display.rows]


@pytest.mark.parametrize("requested", [{}, {"tests": ["relative_precision"]}])
def test_records_that_no_test_is_valid_for(requested):
    """By default they are not tested; a test that was requested by name is flagged."""
    rng = np.random.default_rng(0)
    y, old, new = rng.integers(2, size=(3, 60))
    groups = np.repeat(np.arange(20), 3)
    display = RelativePrecisionDisplay.from_predictions(
        y, old, new, groups=groups, **requested
    )
    frame = display.frame()

    assert not frame["estimate"].isna().any()
    for column in ("pvalue", "low"):
        assert [bool(requested)] * 2 == frame[column].notna().tolist()
    assert bool(requested) is ("invalid-design: " in display.summary)
    assert bool(requested) is not ("no valid test" in display.summary)


def test_classes_of_related_records_are_flagged():
    """Those that were tested all the same, and not those that a picture would test."""
    rng = np.random.default_rng(0)
    y, old, new = rng.integers(2, size=(3, 60))
    design = Design("kfold", n_folds=5)
    plain = JointCounts.from_predictions(y, old, new)
    classes = precision_by_class(replace(plain, design=design))
    for display in (RelativePrecisionDisplay, ForestDisplay):
        for tested, flag in ((classes, "invalid-design"), (precision_by_class(plain), "")):
            assert [flag] * 2 == display.of_result(tested).frame()["flags"].tolist()
