"""Every output format is made of a report alone."""

from xml.etree import ElementTree

import pytest

from skcompare._core.formatting import without_empty_columns
from skcompare._core.report import (
    Check,
    Figure,
    Note,
    Report,
    Section,
    Table,
    report_html,
    report_html_fragment,
    report_junit,
    report_markdown,
    report_text,
)
from skcompare.exceptions import MissingDependencyError

CELLS = [["a", "1.00", "", "passed"], ["b_c", "10.00", "", "failed"]]
TABLE = Table(
    *without_empty_columns(["", "value", "empty", "status"], CELLS),
    ("", "status"),
    caption="Numbers",
    marked=[1],
)
VERDICT = Report(
    headline="b is better",
    facts={"design": "by_hand\nand eye"},
    tables=[TABLE],
    notes=[Note("*", "the better one", "\\* "), Note("flag", "@me <b>")],
    remarks={"Notes": ["<b>"], "None": []},
)
CHECKS = [
    Check("1", "a", "passed", ["p = 0.01"]),
    Check("2", "b or c", "failed", ["neither"], parts=[Check("2a", "b", "failed", ["no"])]),
    Check("3", "a", "inconclusive", ["too few"]),
]
DECISION = Report(headline="FAILED: a", outcome="failed", status="FAILED", checks=CHECKS)


def test_text():
    """Facts, tables and notes in columns, and the verdict last; a decision comes first."""
    assert report_text(VERDICT).splitlines() == [
        "design      by_hand and eye",
        "",
        "       value  status",
        "a       1.00  passed",
        "b_c *  10.00  failed",
        "",
        "*           the better one",
        "flag        @me <b>",
        "verdict     b is better",
    ]
    assert "FAILED: a" == report_text(DECISION).splitlines()[0]


def test_markdown():
    """All text is escaped, and a status has a symbol."""
    assert report_markdown(VERDICT).splitlines() == [
        "**Verdict:** b is better",
        "",
        "- design: by\\_hand and eye",
        "",
        "|  | value | status |",
        "| --- | ---: | --- |",
        "| a | 1.00 | ✓ passed |",
        "| b\\_c \\* | 10.00 | ✗ failed |",
        "",
        "- \\* the better one",
        "- flag: @&#8203;me &lt;b\\>",
    ]
    assert "### ✗ FAILED: a\n" == report_markdown(DECISION)


def test_html():
    """A page has the parts that are not empty, in one order."""
    page = report_html(
        Report(
            headline=VERDICT.headline,
            tables=[TABLE],
            remarks=VERDICT.remarks,
            assumptions=[Section("The design", ["By hand."])],
            steps=["Use b."],
            reader="skcompare.Comparison",
        )
    )

    links = ["verdict", "results", "assumed", "next", "data"]
    assert links == [part.partition('"')[0] for part in page.split('<a href="#')[1:]]
    assert "<h3>Notes</h3><ul><li>&lt;b&gt;</li></ul>" in page
    assert "<h3>None</h3>" not in page
    heads = page.partition("<thead>")[2].partition("</thead>")[0]
    assert heads.index("status") < heads.index("value")
    assert "<strong>2. any of these</strong>: failed" in report_html_fragment(DECISION)


def test_figures():
    """What cannot be drawn is left out, unless it must be there."""

    def draw():
        raise MissingDependencyError("No pencil.")

    drawn = Report(headline="", figures=[Figure("Title", "All of it", lambda: "<svg/>")])
    assert "<svg/></div><figcaption>All of it</figcaption>" in report_html(drawn)
    figures = [Figure("Title", "All of it", draw)]
    page = report_html(Report(headline="", figures=figures))
    assert "left out: all of them: No pencil.</p>" in page
    with pytest.raises(MissingDependencyError):
        report_html(Report(headline="", figures=figures, must_draw=True))


def test_junit():
    """One case per condition with its reasons, and unique names."""
    root = ElementTree.fromstring(report_junit(DECISION))
    cases = list(root.iter("testcase"))

    assert ["a", "b or c", "a (2)"] == [case.get("name") for case in cases]
    assert "2" == root.get("failures")
    assert "neither; b: failed, no" == cases[1].find("failure").get("message")
    error = ElementTree.fromstring(report_junit(Report(headline="no", outcome="error")))
    assert ("0", "1") == (error.get("failures"), error.get("errors"))
