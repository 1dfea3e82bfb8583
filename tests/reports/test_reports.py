"""The report in its forms."""

import json
import math
import pickle
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from skcompare import Comparison, compare
from skcompare._analysis._comparison import ComparisonRow, decimals_of
from skcompare._core.formatting import format_pvalue, round_up

Y = ["spam", "ham"] * 30
OLD = ["spam", "spam", "spam", "ham", "spam", "ham"] * 10
NEW = ["spam", "ham"] * 30


@pytest.fixture(scope="module")
def comparison():
    """A challenger that is always right, and a measure of which no test is requested."""
    scoring = ["accuracy", "rand_score"]
    return compare(Y, {"old": OLD, "new": NEW}, scoring=scoring, tests=["mcnemar"])


def test_text(comparison):
    """Roles, design, table and verdict are in the text; words wrap at 96 characters."""
    text = str(comparison)

    assert "champion    old" in text
    assert "challenger  new" in text
    assert "design      hold-out, 60 records" in text
    assert "the challenger is better at alpha 0.05" in " ".join(text.split())
    lines = text.splitlines()
    assert max(len(line) for line in lines if not line.startswith(" ")) <= 96
    assert "flag" not in text


def test_losses_have_a_table_of_their_own():
    """The difference of a loss is a gain, and its table says that lower is better."""
    proba = {"a": [0.1, 0.9, 0.2], "b": [0.4, 0.6, 0.4]}
    result = compare([0, 1, 0], proba, scoring=["accuracy", "multiclass_brier_loss"])
    row = result.results["multiclass_brier_loss"]

    assert not row.greater_is_better
    assert row.difference == pytest.approx(row.champion - row.challenger)
    assert row.difference < 0
    assert "lower is better" in str(result)
    assert "gain" in str(result)
    stored = next(r for r in result.to_dict()["rows"] if r["measure"] == row.measure)
    assert stored["greater_is_better"] is False


def test_loss_that_decides_comes_first():
    """The table of the deciding row is the first one, whatever its direction."""
    proba = {"a": [0.1, 0.9, 0.2], "b": [0.4, 0.6, 0.4]}
    scoring = ["multiclass_brier_loss", "accuracy"]
    text = str(compare([0, 1, 0], proba, scoring=scoring))

    assert text.index("multiclass_brier_loss *") < text.index("accuracy ")
    assert text.index("lower is better") < text.index("difference ")


def test_markdown(comparison):
    """The verdict comes first, and every row has as many cells as the header."""
    lines = comparison.to_markdown().splitlines()
    table = [line for line in lines if line.startswith("|")]

    assert lines[0].startswith("**Verdict:** the challenger is better")
    assert 4 == len(table)
    assert 1 == len({line.count("|") for line in table})


class Page(HTMLParser):
    """Notes tags, addresses and embedded data."""

    def __init__(self):
        super().__init__()
        self.tags, self.addresses, self.data, self.opened = [], [], "", None

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.opened = tag
        self.addresses += [value for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data):
        if self.opened == "script":
            self.data += data


def test_html_is_self_contained(comparison):
    """The page loads nothing, escapes names and embeds the JSON."""
    named = compare(Y, {"<old>": OLD, "</script>": NEW})
    html = named.to_html(pictures=False)
    page = Page()
    page.feed(html)

    assert all(one.startswith(("#", "data:")) for one in page.addresses)
    assert ["html", "h1", "table", "svg"] == [
        tag for tag in dict.fromkeys(page.tags) if tag in ("html", "h1", "table", "svg")
    ]
    assert "<old>" not in html
    assert json.loads(page.data)["champion"] == "<old>"
    assert "<html" not in named._repr_html_()


def test_json_is_standard_and_round(comparison):
    """The JSON has its schema and comes back the same, undefined numbers included."""
    stored = json.loads(comparison.to_json())
    restored = Comparison.from_json(comparison.to_json())

    assert ("skcompare.comparison", 1) == (stored["schema"], stored["schema_version"])
    assert comparison.to_json() == restored.to_json()
    assert comparison.verdict == restored.verdict
    assert comparison.to_html(pictures=False) == restored.to_html(pictures=False)
    row, old = restored.results["mcnemar"], comparison.results["mcnemar"]
    assert old.confidence_interval(0.95) == row.confidence_interval(0.95)
    with pytest.raises(ValueError, match=r"0\.95"):
        row.confidence_interval(0.5)


def test_other_json_is_refused():
    """What is not the JSON of a comparison is refused in words."""
    for text, message in [
        ("{", "not JSON"),
        ("[]", "Expected skcompare"),
        ('{"schema": "else", "schema_version": 1}', "Got 'else'"),
        ('{"schema": "skcompare.comparison", "schema_version": 99}', "version 99"),
    ]:
        with pytest.raises(ValueError, match=message):
            Comparison.from_json(text)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frame(comparison, backend):
    """The frame has one row per measure, in the library that is requested."""
    pytest.importorskip(backend)
    frame = comparison.to_frame(backend)

    assert backend in type(frame).__module__
    assert 2 == len(frame)


def test_results_find_rows(comparison):
    """Rows are found by key, by test and by measure; a miss says what there is."""
    results = comparison.results

    assert results["accuracy", None, "mcnemar"] is results["mcnemar"]
    assert results["rand_score"] is results["rand_score", None, None]
    with pytest.raises(KeyError, match=r"No row for 'delong'.*mcnemar"):
        results["delong"]
    with pytest.raises(ValueError, match="No test of rand_score ran"):
        results["rand_score"].confidence_interval()


def test_other_rows_are_adjusted():
    """The primary row is tested at alpha; the others carry an adjusted p."""
    tests = {"score_difference": {"method": "delta"}, "mcnemar": {"method": "exact"}}
    comparison = compare(Y, {"a": OLD, "b": NEW}, scoring=["f1_macro"], tests=tests)
    row = comparison.results["mcnemar"]

    primary = comparison.rows[0]
    assert ("f1_macro", "score_difference") == (primary.measure, primary.test)
    assert primary.adjusted_pvalue is None
    assert row.pvalue == row.adjusted_pvalue
    assert "challenger" == comparison.verdict


def test_undefined_numbers_are_shown_as_such():
    """NaN prints as undefined, in text and HTML, and survives JSON."""
    from dataclasses import replace

    comparison = compare(Y, {"a": OLD, "b": NEW})
    row = replace(comparison.rows[0], pvalue=math.nan, difference=math.nan)
    odd = replace(comparison, rows=(row,))

    assert "undefined" in str(odd)
    assert "undefined" in odd.to_html(pictures=False)
    assert math.isnan(Comparison.from_json(odd.to_json()).rows[0].pvalue)


def test_record_counts_are_rounded_up():
    """Two significant digits, never fewer records than are needed."""
    for n, expected in [(7.2, 8), (100, 100), (101, 110), (1234.5, 1300), (56789, 57000)]:
        assert expected == round_up(n)


def test_needed_records_are_named():
    """A report says how many records would settle it, and the verdict does not."""
    old = Y[:10] + NEW[:0] + Y[10:]
    old[0], old[1], old[2] = "ham", "spam", "ham"
    comparison = compare(Y, {"old": old, "new": NEW})

    assert "inconclusive" == comparison.verdict
    assert comparison.conclusion.records_needed > 60
    assert "records     80 % power requires about" in str(comparison)
    assert "power" not in comparison.conclusion.sentence


def test_nothing_is_needed_where_nothing_differs():
    """Equal predictions need no further records; the sentence says why p is 1."""
    comparison = compare(Y, {"old": OLD, "new": OLD})

    assert comparison.conclusion.records_needed is None
    assert "both are correct on the same records, p = 1" in comparison.conclusion.sentence


def test_markdown_shows_names_as_they_are():
    """Line breaks, tags and table signs in names do not break out of the report."""
    odd = "<b>|a`\n# heading\x1b[31m"
    comparison = compare(Y, {odd: OLD, "new": NEW})
    lines = comparison.to_markdown().splitlines()

    assert "<b>" not in comparison.to_markdown()
    assert not any(line.startswith("#") for line in lines)
    assert "\x1b" not in str(comparison)
    assert 3 == len([line for line in lines if line.startswith("|")])


def test_names_like_numbers_survive_json():
    """A classifier named NaN is a name, and NaN is a number."""
    comparison = compare(Y, {"NaN": OLD, "Infinity": NEW}, scoring="precision_macro")
    restored = Comparison.from_json(comparison.to_json())

    assert ("NaN", "Infinity") == (restored.champion, restored.challenger)
    assert str(comparison) == str(restored)


def test_restored_comparison_is_picklable(comparison):
    """What was read from JSON can be pickled."""
    restored = Comparison.from_json(comparison.to_json())

    assert str(restored) == str(pickle.loads(pickle.dumps(restored)))


def test_incomplete_json_is_refused(comparison):
    """A comparison that lacks a part is refused in words."""
    stored = json.loads(comparison.to_json())
    for name in ("rows", "verdict", "alpha"):
        less = {key: value for key, value in stored.items() if key != name}
        with pytest.raises(ValueError, match="not complete"):
            Comparison.from_json(json.dumps(less))


def test_pvalues_stay_on_their_side_of_alpha():
    """Rounding does not carry a p-value to the other side of alpha."""
    for pvalue, expected in [
        (0.0496, "0.0496"),
        (0.0504, "0.05"),
        (0.041, "0.041"),
        (0.05, "0.05"),
        (0.3, "0.3"),
    ]:
        assert expected == format_pvalue(pvalue, 0.05)


def test_limits_show_on_which_side_of_no_difference_they_are():
    """One that rounds to 0, or a ratio's to 1, has more digits; an exact one has not."""
    row = ComparisonRow("accuracy", None, "mcnemar", 0.8, 0.7, -0.1, -0.2, -0.0002)

    assert 3 == decimals_of(replace(row, high=0.1))
    assert 4 == decimals_of(row) == decimals_of(replace(row, high=0.0002))
    assert 3 == decimals_of(replace(row, high=0.0))
    ratio = replace(row, kind="ratio", difference=math.nan, low=0.8, high=1.0003)
    assert 4 == decimals_of(ratio)
