"""What is written beside and below intervals."""

from dataclasses import replace

from skcompare.evidence import ContingencyTable
from skcompare.plots import ForestDisplay, PairwiseDisplay
from skcompare.plots.drawing._style import percent
from skcompare.plots.forest._forest import interval_text
from skcompare.plots.forest._interval_rows import IntervalRow
from skcompare.stats import mcnemar
from tests.plots.cases import several


def remarks_of(display):
    """The words below the picture, in a line."""
    return " ".join(display._remarks(display._panels()))


def test_limits_show_the_side_that_they_are_on():
    """One that just excludes no difference, or a margin, does not look like it."""
    for row, signed, words in [
        (IntervalRow("a", "t", 0.02, 0.0003, 0.04), True, "+0.0200 [0.0003, 0.0400]"),
        (IntervalRow("a", "t", 0.02, 0.0, 0.04), True, "+0.020 [0.000, 0.040]"),
        (IntervalRow("a", "t", 1.2, 1.0002, 1.4), False, "1.2000 [1.0002, 1.4000]"),
        (
            IntervalRow("a", "t", 0.0, -0.01998, 0.02, excluded=((-9.0, -0.02),)),
            True,
            "0.00000 [-0.01998, 0.02000]",
        ),
    ]:
        assert words == interval_text(row, signed=signed)


def test_levels_in_percent():
    """No level is rounded to 100 percent."""
    for level, words in [
        (0.95, "95 %"),
        (0.9, "90 %"),
        (1 - 0.05 / 3, "98.33 %"),
        (1 - 5e-6, "99.9995 %"),
    ]:
        assert words == percent(level)


def test_intervals_that_disagree_with_adjusted_pvalues():
    """A reader who sees one exclude 0 and the other not is told why."""
    for level, low, adjusted, words in [
        (0.95, 0.01, 0.08, "An interval is of its row alone, as p is; p (holm) is of"),
        (0.95, 0.01, 0.04, ""),
        (0.99, -0.01, 0.03, "The intervals hold all together, which takes more than p"),
        (0.99, 0.01, 0.03, ""),
        (0.95, 0.01, float("nan"), ""),
    ]:
        row = IntervalRow("a", "t", 0.02, low, 0.03, 0.02, adjusted, level=level)
        remarks = remarks_of(ForestDisplay((row,), adjust="holm"))

        assert words in remarks
        assert bool(words) is ("interval" in remarks)


def test_levels_of_rows_are_named_where_they_differ():
    """The head of the column has no level then."""
    rows = [IntervalRow(f"{k}", "t", 0.1, 0.0, 0.2, level=0.9 + k / 100) for k in (0, 5, 5)]
    display = ForestDisplay(tuple(rows))

    assert "90 % of 0; 95 % of 5" in remarks_of(display)
    assert "ScoreBins" not in remarks_of(ForestDisplay(tuple(rows[1:])))


def test_unadjusted_pairs_are_called_so():
    """All pairs, each at the level, are a chance each to find what is not there."""
    predictions = several(4, records=100)
    adjusted = PairwiseDisplay.of_result(predictions, n_resamples=99).several
    single = ForestDisplay.of_result(replace(adjusted, adjust="none"))

    assert "not adjusted for 6 pairs" in remarks_of(single)
    assert ["p", "test"] == list(single._panels()[0].columns)[1:]
    assert "not adjusted" not in remarks_of(ForestDisplay.of_result(adjusted))


def test_single_results_have_one_pvalue():
    """Nothing is adjusted, so no column says so."""
    display = ForestDisplay.of_result(mcnemar(ContingencyTable(60, 5, 15, 20)))

    (lines,) = display._panels()
    assert ["p", "test"] == list(lines.columns)[1:]
