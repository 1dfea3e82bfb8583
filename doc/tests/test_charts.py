"""Charts on the pages have the numbers of the tables below them."""

import csv
import importlib.util
import re
import subprocess
import sys

import pytest

from doc.tests.pages import DOC, GUIDE, PAGES, folded_tables, name_of

FOLDER = DOC / "sphinxext"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the pages are not here")

TABLE = [
    ["records", "test", "exact, two-sided", "mid-p"],
    ["20", "a", "0.012", "0.040 ± 0.002"],
    ["50", "a", "0.020 / 0.034", ""],
    ["50", "b", "0.031 over", "0.061 ± 0.003"],
]


@pytest.fixture(scope="module")
def charts():
    """The module that draws."""
    spec = importlib.util.spec_from_file_location(
        "table_charts", FOLDER / "table_charts.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["table_charts"] = module
    spec.loader.exec_module(module)
    return module


def test_cells_are_read(charts):
    """A number, its standard error, or the maximum behind a mean."""
    value, limits = charts.read_cell("0.040 ± 0.002")
    assert (0.04, 0.04 - 1.96 * 0.002, 0.04 + 1.96 * 0.002) == (value, *limits)
    assert (0.034, None) == charts.read_cell("0.020 / 0.034")
    assert (-0.5, None) == charts.read_cell("-.5 (of 7)")
    with pytest.raises(ValueError, match="does not begin with a number"):
        charts.read_cell("none")


def test_columns_are_lines_unless_rows_are_named(charts):
    """Without rows a column is a line; with rows it is a series."""
    options = charts.Options(values=("exact, two-sided", "mid-p"), series="records")
    dots = charts.dots_of(TABLE, options)
    assert [("exact, two-sided", "20", 0.012), ("mid-p", "20", 0.04)] == [
        (dot.row, dot.series, dot.value) for dot in dots[:2]
    ]
    assert 5 == len(dots)  # an empty cell is left out

    options = charts.Options(
        values=("mid-p",),
        rows=("test", "records"),
        where=(("test", "b | c"),),
        names=(("b", "second"),),
    )
    (dot,) = charts.dots_of(TABLE, options)
    assert ("second, 50", "mid-p", 0.061) == (dot.row, dot.series, dot.value)


def test_intervals_beside_a_column_are_its_bars(charts):
    """A column of numbers may have its limits in the next one, however often."""
    table = [
        ["x", "a", "95 % interval", "b", "95 % interval"],
        ["1", "0.02", "0.01 to 0.05", "0.04", "0.03 to 0.06"],
    ]
    dots = charts.dots_of(table, charts.Options(values=("a", "b")))

    assert [(0.01, 0.05), (0.03, 0.06)] == [dot.limits for dot in dots]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"values": ("none",)}, "no column 'none'"),
        ({"values": ("mid-p",), "where": (("test", "c"),)}, "no cell is left"),
        ({"values": ("test",)}, "does not begin with a number"),
    ],
)
def test_what_is_not_in_the_table_is_refused(charts, options, match):
    """A chart of a column, row or number that is not there ends the build."""
    with pytest.raises(ValueError, match=match):
        charts.dots_of(TABLE, charts.Options(**options))


def test_too_many_series_are_refused(charts):
    """A series has a mark of its own."""
    table = [["x", *"abcdefg"], ["1", *"1234567"]]

    with pytest.raises(ValueError, match="at most 6"):
        charts.draw(table, charts.Options(values=tuple("abcdefg"), rows=("x",)), "alt")


def test_greater_numbers_are_farther_right(charts):
    """Every cell is drawn with its text, in the order of the numbers."""
    table = [["x", "rate"], *(["a", f"{k / 100:.2f} ± 0.01"] for k in (3, 1, 2))]
    for scale in ("linear", "root"):
        options = charts.Options(values=("rate",), rows=("x",), level=0.05, scale=scale)
        svg = charts.draw(table, options, 'an "alternative"')

        found = re.findall(r'<circle class="mark s0" cx="([\d.]+)"', svg)
        places = [float(x) for x in found]
        assert places[1] < places[2] < places[0]
        assert ["a: rate: 0.03 ± 0.01"] == re.findall("a: rate: 0.03[^<]*", svg)
        assert 'aria-label="an &quot;alternative&quot;"' in svg
        level = float(re.search(r'class="level" x1="([\d.]+)"', svg)[1])
        assert level > places[0]


CHARTS = [
    (page, number, options, table)
    for page in PAGES
    if page.parent == GUIDE
    for number, options, table in folded_tables(page)
    if "values" in options
]


@pytest.mark.parametrize(
    ("page", "number", "options", "table"),
    CHARTS,
    ids=[f"{name_of(page)}:{number}" for page, number, _, _ in CHARTS],
)
def test_charts_of_the_pages_can_be_drawn(charts, page, number, options, table):
    """They name columns that their tables have, and say in words what they show."""

    def names(key):
        return tuple(part.strip() for part in options.get(key, "").split(";") if part)

    def pairs(key):
        return tuple(tuple(map(str.strip, pair.split("=", 1))) for pair in names(key))

    drawn = charts.Options(
        values=names("values"),
        rows=names("rows"),
        series=options.get("series"),
        where=pairs("where"),
        names=pairs("names"),
        level=float(options["level"]) if "level" in options else None,
        scale=options.get("scale", "linear"),
    )
    svg = charts.draw(list(csv.reader(table)), drawn, options["alt"])

    assert len(options["alt"].split()) > 8
    assert svg.count('class="mark') >= 2


def test_pages_have_charts():
    """The search for charts finds what is there."""
    assert len(CHARTS) > 40


def test_colours_are_seen_on_light_and_on_dark_pages():
    """Marks have a contrast of at least 3 to 1 on the page, as reports have."""
    style = (DOC / "_static" / "skcompare.css").read_text(encoding="utf-8")
    colours = re.findall(r"--series-(\d): (#[0-9a-f]{6});", style)
    light, dark = colours[: len(colours) // 2], colours[len(colours) // 2 :]

    assert list("012345") == [name for name, _ in light] == [name for name, _ in dark]
    for page, series in (("#ffffff", light), ("#14181e", dark)):
        for _, colour in series:
            brighter, darker = sorted((_luminance(page), _luminance(colour)), reverse=True)
            assert (brighter + 0.05) / (darker + 0.05) >= 3, (colour, page)


def _luminance(colour):
    """The relative luminance of WCAG."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear))


def test_pages_fold_their_tables(tmp_path):
    """HTML has a chart and a folded table, plain text the table alone."""
    pytest.importorskip("sphinx")
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(FOLDER)!r})\nextensions = ['folded_table']\n"
    )
    (tmp_path / "index.rst").write_text(
        "Title\n=====\n\n.. folded-table::\n   :values: rate\n   :rows: test\n"
        "   :level: 0.05\n   :alt: Exact has 0.03.\n\n   With a caption.\n\n"
        "   .. csv-table:: Rates\n      :header-rows: 1\n\n      test,rate\n"
        "      exact,0.03 ± 0.01\n\n.. folded-table::\n\n"
        "   .. csv-table:: Others\n\n      1,2\n",
        encoding="utf-8",
    )

    def build(name):
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", name]
        ran = subprocess.run(
            [*command, str(tmp_path), str(tmp_path / name)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert 0 == ran.returncode, ran.stderr
        suffix = {"html": "html", "text": "txt"}[name]
        return (tmp_path / name / f"index.{suffix}").read_text(encoding="utf-8")

    page = build("html")
    assert 'aria-label="Exact has 0.03."' in page
    assert re.search(r"<strong>Rates\.</strong> With a caption\. Bars are 95 %", page)
    assert re.findall(r"<summary>(.*?)</summary>", page) == [
        "Show the table", "Table: Others",
    ]  # fmt: skip
    text = build("text")
    assert "0.03 ± 0.01" in text
    assert "Exact has 0.03." not in text
