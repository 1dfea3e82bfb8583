"""Differences with intervals as a picture."""

import functools

import numpy as np
import pytest
from sklearn.linear_model import Perceptron
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skcompare import BlockRegularized5x2CV, Comparison, compare
from skcompare.evidence import ContingencyTable, JointCounts
from skcompare.gate import Equivalent, Gate, GateDecision, NonInferior, Superior
from skcompare.plots import ForestDisplay
from skcompare.plots.forest._interval_rows import IntervalRow
from skcompare.stats import mcnemar, precision_by_class, relative_precision

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=300)
OLD = np.clip(0.3 + 0.4 * Y + RNG.normal(0, 0.3, 300), 0.01, 0.99)
NEW = np.clip(0.3 + 0.4 * Y + RNG.normal(0, 0.2, 300), 0.01, 0.99)
PREDICTIONS = {"old": OLD, "new": NEW}
TABLE = ContingencyTable(60, 5, 15, 20)


@functools.cache
def several(n=8, **options):
    """A comparison of several classifiers, the last one best."""
    rng = np.random.default_rng(1)
    predictions = {
        f"m{k}": np.where(rng.random(300) < 0.6 + 0.03 * k, Y, 1 - Y) for k in range(n)
    }
    return compare(Y, predictions, **options)


def lines_of(ax):
    """The horizontal lines of a panel: intervals, as their ends and heights."""
    lines = [line.get_xydata() for line in ax.get_lines()]
    return [
        tuple(xy.ravel().tolist()) for xy in lines if len(xy) == 2 and xy[0, 1] == xy[1, 1]
    ]


def test_rows_are_those_of_the_comparison():
    """Estimate, interval, p-values and flags are what the comparison has."""
    comparison = compare(Y, PREDICTIONS, scoring=["accuracy", "roc_auc", "neg_brier_score"])
    frame = ForestDisplay.of_result(comparison).frame()

    assert [row.subject for row in comparison.rows] == frame["name"].tolist()
    for column in ("low", "high", "pvalue"):
        expected = [getattr(row, column) for row in comparison.rows]
        assert expected == frame[column].tolist()
    assert [True, False, False] == frame["primary"].tolist()


def test_intervals_and_marks_are_drawn(text_of):
    """An interval is a line between its limits at its row, with the words beside it."""
    comparison = compare(Y, PREDICTIONS)
    row = comparison.rows[0]
    display = ForestDisplay.from_result(comparison)
    marks = [line for line in display.ax_.get_lines() if line.get_marker() == "^"]
    words = text_of(display.figure_)

    assert (row.low, 0.0, row.high, 0.0) in lines_of(display.ax_)
    assert [(row.difference, 0)] == [tuple(mark.get_xydata()[0]) for mark in marks]
    assert f"{row.difference:+.3f} [{row.low:.3f}, {row.high:.3f}]" in words
    assert {"accuracy", "mcnemar", "← old better", "new better →"} <= set(words)


def test_outcomes_have_marks_and_words(text_of):
    """Win, loss and neither differ by colour, by mark and in words, also on dark paper."""
    y = np.array([0, 1] * 100)
    bad, good = y.copy(), y.copy()
    bad[:60], good[:2] = 1 - bad[:60], 1 - good[:2]
    worse = np.where(np.arange(200) < 100, 1 - y, y)
    rows = [
        compare(y, {"a": bad, "b": challenger}).rows[0].result
        for challenger in (good, worse, np.roll(bad, 2))
    ]
    display = ForestDisplay.from_result(rows)
    marks = {
        line.get_marker(): line.get_color()
        for line in display.ax_.get_lines()
        if line.get_marker() in ("^", "v", "o")
    }

    assert 3 == len(marks) == len({*marks.values()})
    remark = "▲ challenger better, ▼ champion better, ● inconclusive at 0.05."
    assert any(remark in words.replace("\n", " ") for words in text_of(display.figure_))


def test_measures_without_bound_have_panels_of_their_own():
    """A log loss is on no axis of accuracies, whatever the order of the rows."""
    measures = ["neg_log_loss", "accuracy", "roc_auc"]
    display = ForestDisplay.from_result(compare(Y, PREDICTIONS, scoring=measures))

    assert [["neg_log_loss"], ["accuracy", "roc_auc"]] == [
        [words.get_text() for words in ax.get_yticklabels()] for ax in display.axes_
    ]
    assert ["bold", "normal"] == [
        ax.get_yticklabels()[0].get_fontweight() for ax in display.axes_
    ]


def test_untested_rows_are_hollow(text_of):
    """A difference without a valid test is a point, and says why."""
    scoring = ["accuracy", "expected_calibration_error"]
    display = ForestDisplay.from_result(compare(Y, PREDICTIONS, scoring=scoring))
    squares = [line for line in display.ax_.get_lines() if line.get_marker() in ("^", "s")]
    words = text_of(display.figure_)

    assert [False, True] == [mark.get_markerfacecolor() == "none" for mark in squares]
    assert "no valid test" in words
    assert any("its bias differs between" in word for word in words)


def test_flags_have_marks(text_of):
    """A flagged row has a small number, and the words stand below."""
    comparison = compare(
        [0, 1, 1, 0],
        {"old": [0, 1, 0, 1], "new": [0, 1, 1, 1]},
        tests={"mcnemar": {"method": "asymptotic"}},
    )
    display = ForestDisplay.from_result(comparison)
    words = text_of(display.figure_)

    assert "accuracy ¹" in words
    assert any("¹ few-discordant-pairs: " in word for word in words)


def test_one_sided_limits_are_arrows(text_of):
    """The limit that is not there is an arrow at the end of the axis, and no number."""
    comparison = compare(Y, PREDICTIONS, alternative="greater")
    display = ForestDisplay.from_result(comparison)
    low, high = display.ax_.get_xlim()
    row = comparison.rows[0]
    arrows = [line for line in display.ax_.get_lines() if line.get_marker() == ">"]

    assert (row.low, 0.0, high, 0.0) in lines_of(display.ax_)
    assert [(high, 0)] == [tuple(line.get_xydata()[0]) for line in arrows]
    assert low < 0 < high < 2 * row.difference
    assert f"{row.difference:+.3f} (≥ {row.low:.3f})" in text_of(display.figure_)


def test_gate_shows_what_must_be_excluded():
    """A decision has a hatched part a row, with one-sided limits, also from JSON."""
    conditions = (
        NonInferior("accuracy", margin=0.02),
        Superior("roc_auc"),
        Equivalent("binary_brier_loss", margin=0.1),
    )
    decision = Gate(*conditions).decide(Y, PREDICTIONS)
    display = ForestDisplay.from_result(GateDecision.from_json(decision.to_json()))
    hatched = [patch for patch in display.ax_.patches if patch.get_hatch()]
    left, right = display.ax_.get_xlim()

    assert [left, left, left, 0.1] == pytest.approx([patch.get_x() for patch in hatched])
    assert [-0.02, 0.0, -0.1, right] == pytest.approx(
        [patch.get_x() + patch.get_width() for patch in hatched]
    )
    assert ["greater", "greater", "two-sided"] == [row.alternative for row in display.rows]
    assert [0.95, 0.95, 0.9] == pytest.approx([row.level for row in display.rows])
    assert [outcome.low for outcome in decision.outcomes] == [
        row.low for row in display.rows
    ]


def test_blind_decisions_stay_blind():
    """Nothing of a blind decision is drawn."""
    with pytest.raises(ValueError, match="blind"):
        ForestDisplay.of_result(
            GateDecision("not passed", (), 0.05, "old", "new", "hold-out", 10, blind=True)
        )


def test_margins():
    """A number is a band; conditions exclude; a margin of nothing is an error."""
    comparison = compare(Y, PREDICTIONS, scoring=["accuracy", "neg_log_loss"])
    by_measure = ForestDisplay.of_result(comparison, margin={"accuracy": 0.02})
    claimed = ForestDisplay.of_result(
        comparison, margin=NonInferior("accuracy", margin=0.02)
    )

    assert [0.02, None] == [row.band for row in by_measure.rows]
    assert [((-np.inf, -0.02),), ()] == [row.excluded for row in claimed.rows]
    with pytest.raises(ValueError, match="units of a measure"):
        ForestDisplay.of_result(comparison, margin=0.02)
    with pytest.raises(ValueError, match="No row is about 'f1'"):
        ForestDisplay.of_result(comparison, margin={"f1": 0.02})
    with pytest.raises(ValueError, match="greater than 0"):
        ForestDisplay.of_result(compare(Y, PREDICTIONS), margin=-0.02)
    with pytest.raises(TypeError, match="conditions such"):
        ForestDisplay.of_result(comparison, margin="0.02")


def test_band_is_drawn_around_no_difference():
    """The band of a margin reaches as far to either side."""
    display = ForestDisplay.from_result(compare(Y, PREDICTIONS), margin=0.02)
    (band,) = display.ax_.patches

    assert [-0.02, 0.04] == pytest.approx([band.get_x(), band.get_width()])


def test_pairs_are_never_left_out_in_silence(text_of):
    """Of many pairs some are chosen, and the picture says which and how many."""
    comparison = several()
    leader = comparison.comparisons[0].leader
    auto = ForestDisplay.from_result(comparison)
    words = " ".join(text_of(auto.figure_))
    largest = ForestDisplay.of_result(comparison, pairs="different", most=3)
    sizes = sorted((abs(row.difference) for row in comparison.pairs), reverse=True)

    assert 7 == len(auto.rows)
    assert {f"− {leader}"} == {row.name[-4:] for row in auto.rows}
    assert "Shown are 7 of 28 pairs: those with the best classifier." in words
    assert sizes[:3] == pytest.approx([abs(row.estimate) for row in largest.rows])
    assert 28 == len(ForestDisplay.of_result(comparison, pairs="all").rows)
    with pytest.raises(ValueError, match="Unknown pairs"):
        ForestDisplay.of_result(comparison, pairs="best")


def test_summary_tells_level_adjustment_and_selection():
    """Who cannot see the picture learns the same about its numbers."""
    summary = ForestDisplay.of_result(several(), pairs="different", most=3).summary

    assert "3 differences [99.82 % interval]; that of" in summary
    assert ", by holm " in summary
    assert "3 of 28 pairs" in summary


def test_pairs_are_seen_from_the_leader():
    """With the leader as champion the difference and the limits change their signs."""
    comparison = several()
    leader = comparison.comparisons[0].leader
    (row,) = (
        row
        for row in ForestDisplay.of_result(comparison).rows
        if row.name == f"m0 − {leader}"
    )
    pair = comparison.pair("m0", leader)

    assert (-pair.difference, -pair.high, -pair.low) == (row.estimate, row.low, row.high)
    assert pair.adjusted_pvalue == row.adjusted_pvalue


def test_control_has_its_own_pairs():
    """With a control all of its pairs are drawn, in one direction."""
    comparison = several(control="m3", alternative="greater", adjust="bonferroni")
    display = ForestDisplay.of_result(comparison, most=2)

    assert 7 == len(display.rows)
    assert {"greater"} == {row.alternative for row in display.rows}


@pytest.mark.parametrize("result", [[mcnemar(TABLE)] * 2, {"a": TABLE, "b": TABLE}])
def test_lists_and_dicts(result):
    """Single results stand together under their names."""
    if isinstance(result, dict):
        result = {name: mcnemar(table, method="exact") for name, table in result.items()}
    display = ForestDisplay.of_result(result, alpha=0.1)
    names = list(result) if isinstance(result, dict) else ["1. mcnemar", "2. mcnemar"]

    assert names == [row.name for row in display.rows]
    assert {0.1} == {row.estimate for row in display.rows}
    assert [0.9, 0.9] == [row.level for row in display.rows]


def test_results_of_several_comparisons():
    """A dict of comparisons has the rows of each under its name."""
    comparison = compare(Y, PREDICTIONS, scoring=["accuracy", "roc_auc"])
    display = ForestDisplay.of_result({"EU": comparison, "US": comparison})

    assert ["EU: accuracy", "EU: roc_auc", "US: accuracy", "US: roc_auc"] == [
        row.name for row in display.rows
    ]


def test_classes():
    """The precisions of all classes are rows."""
    predictions = (np.where(score > 0.5, "yes", "no") for score in (OLD, NEW))
    counts = JointCounts.from_predictions(np.where(Y, "yes", "no"), *predictions)
    display = ForestDisplay.of_result(precision_by_class(counts))

    assert ["precision[no]", "precision[yes]"] == [row.name for row in display.rows]


def test_ratios_are_sent_elsewhere():
    """What has no difference is not drawn, and what is left out is said."""
    counts = JointCounts.from_predictions(Y, OLD > 0.5, NEW > 0.5)
    comparison = compare(Y, PREDICTIONS, tests=["mcnemar", "relative_accuracy"])
    display = ForestDisplay.of_result(comparison)

    assert ["mcnemar"] == [row.test for row in display.rows]
    assert "1 of kind ratio" in " ".join(display.remarks)
    with pytest.raises(ValueError, match="RelativePrecisionDisplay"):
        ForestDisplay.of_result(relative_precision(counts, label=True))
    with pytest.raises(TypeError, match="Got int"):
        ForestDisplay.of_result(3)


def test_from_predictions_runs_the_usual_tests():
    """By default those that the comparison would run, with the same numbers."""
    scoring = ["accuracy", "roc_auc", "binary_brier_loss"]
    expected = compare(Y, PREDICTIONS, scoring=scoring)
    display = ForestDisplay.from_predictions(Y, OLD, NEW)

    assert [row.test for row in expected.rows] == [row.test for row in display.rows]
    for column in ("low", "high", "pvalue", "adjusted_pvalue"):
        assert [getattr(row, column) for row in expected.rows] == pytest.approx(
            [getattr(row, column) for row in display.rows]
        )


def test_named_tests():
    """Tests by name with their options; one of per class is run for all classes."""
    tests = {"mcnemar": {"method": "exact"}, "precision_both_scores": {}}
    display = ForestDisplay.from_predictions(Y, OLD > 0.5, NEW > 0.5, tests=tests)

    assert ["accuracy", "precision[0]", "precision[1]"] == [
        row.name for row in display.rows
    ]
    with pytest.raises(ValueError, match="no option 'side'"):
        ForestDisplay.from_predictions(Y, OLD, NEW, tests={"mcnemar": {"side": 1}})
    with pytest.raises(ValueError, match="Use RelativePrecisionDisplay"):
        ForestDisplay.from_predictions(Y, OLD, NEW, tests="relative_precision")
    with pytest.raises(ValueError, match="delong needs probabilities"):
        ForestDisplay.from_predictions(Y, OLD > 0.5, NEW > 0.5, tests="delong")
    with pytest.raises(ValueError, match="have run already"):
        ForestDisplay.of_result(compare(Y, PREDICTIONS), tests="mcnemar")


def test_from_estimators_and_cv_results():
    """Classifiers without probabilities have labels; a design without test has none."""
    X = np.c_[OLD, NEW]
    fitted = [
        each.fit(X, Y) for each in (DecisionTreeClassifier(max_depth=1), Perceptron())
    ]
    display = ForestDisplay.from_estimators(*fitted, X, Y)
    cv = BlockRegularized5x2CV(random_state=0)
    keep = {"return_estimator": True, "return_indices": True}
    by_bcv, by_folds = (
        [cross_validate(each, X, Y, cv=way, **keep) for each in (fitted[0], GaussianNB())]
        for way in (cv, 3)
    )
    blocks = ForestDisplay.from_cv_results(*by_bcv, X, Y, cv=cv)
    folds = ForestDisplay.from_cv_results(*by_folds, X, Y)

    assert ["mcnemar", "delong"] == [row.test for row in display.rows][:2]
    assert "bcv_jackknife_t" == blocks.rows[0].test
    assert all(row.test != "mcnemar" for row in folds.rows)
    assert not np.isnan(folds.rows[0].estimate)


def test_far_intervals_leave_the_others_visible():
    """One interval that is a hundred times longer is cut with arrows at both ends."""
    rows = [IntervalRow(f"r{k}", "t", 0.01, 0.0, 0.02, 0.5) for k in range(4)]
    rows.append(IntervalRow("wide", "t", 0.01, -1.0, 1.0, 0.9))
    display = ForestDisplay(tuple(rows)).plot()
    low, high = display.ax_.get_xlim()

    assert -0.2 < low < high < 0.2
    assert [">", "<"] == sorted(
        (m for m in (line.get_marker() for line in display.ax_.get_lines()) if m in "<>"),
        reverse=True,
    )


def test_undefined_and_equal():
    """A difference that is NaN is a word, and equal ones have an axis all the same."""
    rows = (
        IntervalRow("a", "t", np.nan, pvalue=np.nan),
        IntervalRow("b", "t", 0.0, 0.0, 0.0, 1.0),
    )
    display = ForestDisplay(rows).plot()
    low, high = display.ax_.get_xlim()

    assert low < 0 < high
    assert "undefined" in display.summary
    assert "nan" not in display.summary


def test_stored_comparisons_are_as_good():
    """A comparison from JSON gives the same picture."""
    comparison = compare(Y, PREDICTIONS, scoring=["accuracy", "roc_auc"])
    stored = Comparison.from_json(comparison.to_json())

    assert ForestDisplay.of_result(comparison).rows == ForestDisplay.of_result(stored).rows


def test_long_names_stay_different():
    """Pairs of classifiers with long names are distinguished; the frame has all of them."""
    long = {f"{'a very long name of a pipeline ' * 2}{k}": k for k in range(6)}
    predictions = {
        name: np.where(RNG.random(300) < 0.9 - 0.1 * k, Y, 1 - Y)
        for name, k in long.items()
    }
    display = ForestDisplay.from_result(compare(Y, predictions))
    shown = [words.get_text() for words in display.ax_.get_yticklabels()]
    frame = display.frame()

    assert 15 == len(set(shown)) == len(shown)
    assert {name for pair in frame["name"] for name in pair.split(" − ")} == set(long)


def test_several_measures():
    """Another comparison than the primary one is chosen by its measure."""
    rng = np.random.default_rng(3)
    predictions = {
        f"m{k}": np.clip(0.5 * Y + 0.5 * rng.random(300), 0, 1) for k in range(3)
    }
    comparison = compare(Y, predictions, scoring=["accuracy", "roc_auc"])
    display = ForestDisplay.of_result(comparison, measure="roc_auc")

    assert {"roc_auc"} == set(display.frame()["measure"])
    assert {"delong"} == set(display.frame()["test"])
