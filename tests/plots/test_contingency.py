"""The right/wrong table as a picture."""

import pytest

from skcompare._core.design import Design
from skcompare.evidence import ContingencyTable
from skcompare.plots import ContingencyDisplay
from skcompare.plots._annotation import Finding
from skcompare.plots.drawing._labels import short_count
from skcompare.stats import mcnemar

TABLE = ContingencyTable(
    both_correct=60, only_champion=5, only_challenger=15, both_wrong=20
)


def test_cells_hold_the_counts(text_of):
    """Each count is written in its cell with its share, accuracies beside them."""
    display = ContingencyDisplay.from_result(TABLE)
    written = set(text_of(display.figure_))

    assert {"60\n60.0 %", "5\n5.0 %", "15\n15.0 %", "20\n20.0 %"} <= written
    assert {"right\n65.0 %", "right\n75.0 %"} <= written


def test_discordant_cells_are_framed():
    """Two frames stand on the cells in which exactly one was right."""
    display = ContingencyDisplay.from_result(TABLE)
    middles = {tuple(patch.get_center().round()) for patch in display.ax_.patches}

    assert {(1, 0), (0, 1)} == middles


@pytest.mark.parametrize(
    ("alternative", "words"),
    [
        ("two-sided", "90 % interval [0.025, 0.171]"),
        ("greater", "90 % lower limit 0.041"),
        ("less", "90 % upper limit 0.154"),
    ],
)
def test_finding_is_that_of_the_test(alternative, words):
    """Difference, interval and p-value are McNemar's at the level that was requested."""
    result = mcnemar(TABLE, alternative=alternative)
    finding = ContingencyDisplay.of_result(
        TABLE, confidence_level=0.9, alternative=alternative
    ).finding

    assert result.confidence_interval(0.9) == (finding.low, finding.high)
    assert (result.estimate, result.pvalue) == (finding.estimate, finding.pvalue)
    assert words == finding.interval_text


@pytest.mark.parametrize(
    "design", [Design("kfold", n_folds=5), Design("holdout", grouped=True)]
)
def test_related_records_have_no_pvalue(design):
    """The table is shown, and the title says why there is no test."""
    display = ContingencyDisplay.of_result(ContingencyTable(60, 5, 15, 20, design))

    assert display.finding.pvalue is None
    assert f"no p-value for {design}" in display.summary
    assert 0.1 == pytest.approx(display.finding.estimate)


def test_fractional_counts():
    """Those of an averaged table are written with a decimal, and tested asymptotically."""
    display = ContingencyDisplay.of_result(ContingencyTable(60.5, 5.0, 15.0, 19.5))

    assert "60.5" in display.summary
    assert 0 < display.finding.pvalue < 1


def test_short_counts():
    """At most four letters, rounded up into the next unit where three digits are."""
    for count, words in [
        (0, "0"),
        (2.5, "2.5"),
        (999, "999"),
        (1000, "1.0k"),
        (1234, "1.2k"),
        (9960, "10k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (48e9, "48G"),
    ]:
        assert words == short_count(count)


def test_caveats_of_the_test_are_told(text_of):
    """Without a discordant pair p is 1 by convention, which reader and listener learn."""
    display = ContingencyDisplay.from_result(ContingencyTable(50, 0, 0, 50))
    written = " ".join(" ".join(text_of(display.figure_)).split())

    assert "no-discordant-pairs" in display.finding.flags
    assert all(caveat in display.summary for caveat in display.finding.caveats)
    assert all(caveat in written for caveat in display.finding.caveats)


@pytest.mark.slow
def test_caveats_have_room(overlaps):
    """The words of a caveat overlap nothing."""
    display = ContingencyDisplay.from_result(ContingencyTable(50, 0, 0, 50))

    assert ([], []) == overlaps(display.figure_)


def test_limits_show_the_side_that_they_are_on():
    """An interval that just excludes 0 is not written as if it reached it."""
    finding = Finding(0.02, 0.0003, 0.0397, 0.047)

    assert "95 % interval [0.0003, 0.0397]" == finding.interval_text
