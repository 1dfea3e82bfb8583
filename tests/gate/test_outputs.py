"""Every form of a decision says the same, and no name that it holds can break one."""

import copy
import itertools
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from xml.etree import ElementTree

import numpy as np
import pytest

from skcompare.gate import (
    AnyOf,
    Equivalent,
    Gate,
    GateDecision,
    GateNotPassed,
    NonInferior,
    Outcome,
    Superior,
)
from skcompare.predictions import ItemScores
from skcompare.reports import ComparisonRow
from tests.common.made_up import check_made_up

HOSTILE = "</script><b>|`\n\x00]]>&'\"~~x~~ $y$ ![i](http://a.b) www.c.d {0} \ud800\ufffe"
SCHEMA = json.loads(files("skcompare.gate").joinpath("decision.schema.json").read_text())
VOID = {"meta", "link", "circle", "line", "rect"}
FORMS = ("__str__", "to_json", "to_markdown", "to_junit", "to_html", "_repr_html_")


def row(difference=0.03, low=0.01, high=0.05, **changes):
    """A row of a report."""
    made = ComparisonRow("accuracy", None, "mcnemar", 0.8, 0.83, difference, low, high)
    return replace(made, **changes)


def outcome(condition, status="passed", reason="p = 0.01", **changes):
    """What became of a condition."""
    values = {"row": row(), "low": 0.01, "high": 0.05, "level": 0.05, "pvalue": 0.01}
    return Outcome(condition, status, (reason,), n_records=900, **values | changes)


def decision(*outcomes, status="passed", **changes):
    """A decision of these outcomes."""
    values = {"alpha": 0.05, "champion": "old", "challenger": "new", "design": "hold-out"}
    return GateDecision(status, outcomes, n_records=1200, **values | changes)


BETTER = outcome(Superior("accuracy"))
OPEN = outcome(
    NonInferior("accuracy", margin=0.02, where={"site": "north"}),
    "inconclusive",
    records_needed=2213.4,
)
EITHER = Outcome(
    AnyOf(Superior("accuracy", margin=0.1), Equivalent("accuracy", margin=0.01)),
    "inconclusive",
    ("none of the conditions was shown to hold",),
    n_records=900,
    parts=(
        outcome(
            Superior("accuracy", margin=0.1),
            "inconclusive",
            level=0.025,
            adjusted_pvalue=0.3,
            records_needed=math.inf,
        ),
        outcome(
            Equivalent("accuracy", margin=0.01),
            "failed",
            "shown to be above +0.010",
            row=row(-0.00004, -0.0003, 0.0002),
            low=-0.0003,
            high=0.0002,
            level=0.025,
            pvalue=math.nan,
            flags=("few-discordant-pairs",),
        ),
    ),
)
STRANGE = decision(
    outcome(
        Superior("accuracy", where={HOSTILE: HOSTILE}),
        "failed",
        HOSTILE,
        low=-math.inf,
        high=math.nan,
        flags=("few-discordant-pairs",),
    ),
    status="failed",
    champion=HOSTILE,
    challenger=HOSTILE,
    design=HOSTILE,
    reasons=(HOSTILE,),
    flags=("no-truth",),
    fingerprint=HOSTILE,
    look={HOSTILE: HOSTILE, "number": 3},
    versions={HOSTILE: HOSTILE},
    seconds=1.25,
)
MIXED = decision(BETTER, OPEN, EITHER, status="inconclusive")
BLIND = replace(STRANGE, status="not passed", blind=True, look={"number": 2})
ALL = [decision(BETTER), MIXED, STRANGE, BLIND]
NAMES = ["passed", "mixed", "strange", "blind"]


class Balance(HTMLParser):
    """Tags that are open, and every tag and text that was met."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))


def broken(value, schema):
    """Where a value breaks the part of JSON Schema that ours is written in."""
    if "$ref" in schema:
        return broken(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]])
    if "anyOf" in schema:
        found = [broken(value, one) for one in schema["anyOf"]]
        return "" if "" in found else "; ".join(found)
    if "enum" in schema and value not in schema["enum"]:
        return f"{value!r} is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        return f"{value!r} is not {schema['const']!r}"
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
    kind = schema.get("type")
    if kind == "null" and value is not None:
        return f"{value!r} is not null"
    if kind == "number" and (isinstance(value, bool) or not isinstance(value, int | float)):
        return f"{value!r} is no number"
    if kind in kinds and not isinstance(value, kinds[kind]):
        return f"{value!r} is no {kind}"
    children = []
    if isinstance(value, dict):
        known = schema.get("properties", {})
        missing = [name for name in schema.get("required", ()) if name not in value]
        if missing:
            return f"without {missing}"
        if schema.get("additionalProperties") is False and set(value) - set(known):
            return f"more than {set(known)}"
        children = [(value[name], known[name]) for name in known if name in value]
    if isinstance(value, list):
        children = [(one, schema.get("items", {})) for one in value]
    return "; ".join(filter(None, (broken(*child) for child in children)))


def check_all_forms(one):
    """Every form can be read, and is the same once written and read."""
    assert "" == broken(json.loads(one.to_json()), SCHEMA)
    again = GateDecision.from_json(one.to_json())
    for form in FORMS:
        assert getattr(one, form)() == getattr(again, form)()
    assert bool(one) is bool(again)
    suites = ElementTree.fromstring(one.to_junit())
    cases = list(suites.iter("testcase"))
    assert str(len(cases)) == suites[0].get("tests") == suites.get("tests")
    failing = [case for case in cases if case.find("failure") is not None]
    assert str(len(failing)) == suites[0].get("failures") == suites.get("failures")
    assert one.passed is not bool(failing)
    page = Balance(one.to_html())
    scripts = [attrs for tag, attrs in page.tags if tag == "script"]
    assert [{"type": "application/json", "id": "skcompare-comparison"}] == scripts
    embedded = "".join(text for tag, text in page.texts if tag == "script")
    assert json.loads(one.to_json()) == json.loads(embedded)
    assert not {"b", "img"} & {tag for tag, _ in page.tags}
    targets = [attrs["href"] for _, attrs in page.tags if "href" in attrs]
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    assert {one[1:] for one in targets if not one.startswith("data:")} <= ids
    assert one == GateDecision.from_html(one.to_html())
    Balance(one._repr_html_())
    first = str(one).splitlines()[0]
    assert first.startswith("PASSED: " if one.passed else "NOT PASSED")


def test_every_form_is_sound():
    """Hostile names break nothing, blind decisions and reasons have every form too."""
    for one in ALL:
        check_all_forms(one)


def test_schema_names_every_field():
    """What is written is described, and nothing else is."""
    for one in ALL:
        values = one.to_dict()
        assert set(values) == set(SCHEMA["properties"])
        for found in values["outcomes"]:
            assert set(found) == set(SCHEMA["$defs"]["outcome"]["properties"])
            row_names = set(SCHEMA["$defs"]["row"]["properties"])
            assert found["row"] is None or set(found["row"]) == row_names


@pytest.mark.slow
def test_schema_is_a_schema():
    """Where a validator is installed, it agrees."""
    jsonschema = pytest.importorskip("jsonschema")
    for one in ALL:
        jsonschema.validate(json.loads(one.to_json()), SCHEMA)


def test_other_json_is_refused():
    """What is no decision says so; a passing decision is never made of it."""
    for change, words in [
        ({"status": "maybe"}, "unknown status"),
        ({"alpha": None, "outcomes": [{}]}, "not complete"),
        ({"reasons": None}, "not complete"),
        ({"flags": 1}, "not complete"),
        ({"versions": None}, "not complete"),
        ({"look": "x"}, "not complete"),
        ({"passed": False}, "contradict each other"),
        ({"schema_version": 2}, "version 2"),
        ({"schema": "skcompare.comparison"}, "skcompare.comparison"),
    ]:
        values = json.loads(decision(BETTER).to_json()) | change

        with pytest.raises(ValueError, match=words):
            GateDecision.from_json(json.dumps(values))


def test_text_that_is_no_json():
    """The message names what was expected."""
    with pytest.raises(ValueError, match=r"skcompare\.gate\.decision as JSON"):
        GateDecision.from_json("{")


def test_text_says_why_and_what_would_settle_it():
    """Verdict first, then numbers, reasons, records needed and the correction."""
    lines = str(MIXED).splitlines()

    assert lines[0] == (
        "NOT PASSED (inconclusive): new against old, 2 of 3 conditions were not shown to "
        "hold at alpha 0.05"
    )
    text = " ".join(" ".join(lines).split())
    assert "needed 2 about 2,300 records of the slice would settle it (80 % power)" in text
    assert "no number of records would settle it if the observed difference is" in text
    assert "(Holm)" in text
    assert (
        "'at least' and 'at most' are one-sided limits of the difference, each with 95 % "
        "confidence, and with 97.5 % confidence where any of several conditions is enough"
    ) in text
    assert "undefined" in text


def test_small_numbers_keep_their_digits():
    """A small difference is not 0.000, and no zero has a sign."""
    assert "-0.000040" in str(MIXED)
    zero = outcome(Superior("accuracy"), row=row(-0.0, -0.01, 0.01), low=-1e-9, high=0.01)

    for form in set(FORMS) - {"to_json", "to_html"}:
        assert not re.search(r"[+-]0\.0+(?![0-9])", getattr(decision(zero), form)())


def test_text_for_what_would_settle():
    """Infinite and asked-for numbers of records are distinguished."""
    for changes, words in [
        ({"records_needed": math.inf}, "does not favour the challenger"),
        ({"records_needed": math.inf, "margin": 0.1}, "is not above the margin"),
        ({"records_needed": 90.0, "where": {"a": 1}}, "about 90 records of the slice"),
        ({"records_needed": 500.0, "blocked": True}, "requested needs about 500 records"),
        ({"records_needed": math.inf, "blocked": True}, "is unknown"),
    ]:
        requested = {name: changes[name] for name in ("margin", "where") if name in changes}
        rest = {name: value for name, value in changes.items() if name not in requested}
        one = outcome(Superior("accuracy", **requested), "inconclusive", **rest)

        assert words in str(decision(one, status="inconclusive"))


def test_items_are_called_items():
    """Predictions that come scored are counted in items."""
    one = outcome(Superior("mean_score"), "inconclusive", records_needed=400.0)
    text = str(decision(one, status="inconclusive"))

    assert "1,200 items" in text
    assert "about 400 items" in text
    assert "records" not in text
    assert "(1,200 items)" in str(GateNotPassed(decision(one, status="inconclusive")))


def test_flags_name_their_condition():
    """Each has the number of its condition; those of the data and of an only one none."""
    code = "few-discordant-pairs"
    several = decision(BETTER, OPEN, EITHER, status="failed", flags=("no-truth",))
    only = decision(replace(BETTER, flags=(code,)))
    junit = ElementTree.fromstring(several.to_junit()).iter("property")

    assert f"flag 3b     {code}: " in str(several)
    assert "flag        no-truth: " in str(several)
    assert f"- flag 3b: {code}: " in several.to_markdown()
    assert f"<li>flag 3b: {code}: " in several.to_html()
    assert {"flag", "flag 3b"} <= {one.get("name") for one in junit}
    assert f"  flag 3b: {code}: " in str(GateNotPassed(several))
    assert several.caveats[0].startswith("no-truth: ")
    assert several.caveats[1].endswith(" (condition 3b)")
    assert f"flag        {code}: " in str(only)
    assert "(condition" not in only.caveats[0]


def test_groups_and_attempts_are_counted():
    """It is said how many groups the records are in, or the items and their attempts."""
    y = np.arange(60) % 2
    predictions = {"old": np.where(np.arange(60) % 5, y, 1 - y), "new": y}
    grouped = Gate(Superior("accuracy")).decide(y, predictions, groups=np.arange(60) // 3)
    scores = ItemScores.from_scores(
        y,
        y + 0.5 * (np.arange(60) % 3),
        items=np.arange(60) // 2,
        groups=np.arange(60) // 6,
        bounds=(0, 2),
    )
    items = Gate(Superior("mean_score")).decide(scores)

    assert "60 records, in 20 groups" == grouped.size
    assert "hold-out by groups, 60 records, in 20 groups, " in str(grouped)
    assert "30 items, 2 attempts each, in 10 groups" == items.size
    assert f", {items.size}, " in str(items)
    assert "" == Gate(Superior("accuracy")).decide(y, predictions).size
    assert items.size == GateDecision.from_json(items.to_json()).size


def test_counts_in_groups_are_counted():
    """Also where the records stay on an engine."""
    pl = pytest.importorskip("polars")
    y = np.arange(60) % 2
    columns = {"y": y, "g": np.arange(60) // 3, "new": y}
    columns["old"] = np.where(np.arange(60) % 5, y, 1 - y)
    found = Gate(Superior("accuracy")).decide(
        pl.LazyFrame(columns),
        {"old": "old", "new": "new"},
        y_true="y",
        groups="g",
        collect=10,
    )

    assert "60 records, in 20 groups" == found.size


def test_equal_decisions():
    """A decision and its outcomes equal their copies and what is read of their JSON."""
    for one in ALL:
        for again in (copy.deepcopy(one), GateDecision.from_json(one.to_json())):
            assert one == again
            assert hash(one) == hash(again)
        twin = copy.deepcopy(one)
        assert [*one.outcomes] == [*twin.outcomes]
        assert {*one.outcomes} == {*twin.outcomes}
        assert one != replace(one, alpha=0.01)
        assert one != one.to_json()
        assert BETTER != replace(BETTER, pvalue=0.02)
        assert BETTER != "passed"


def test_losses_are_gains():
    """Of a loss, it is said which way the difference goes."""
    changed = row(greater_is_better=False, measure="binary_brier_loss")
    one = outcome(Superior("binary_brier_loss"), row=changed)

    assert "lower is better for binary_brier_loss" in str(decision(one))


def test_junit_tells_failed_from_inconclusive():
    """A case a condition; any-of is one case with its parts in the message."""
    cases = list(ElementTree.fromstring(MIXED.to_junit()).iter("testcase"))
    kinds = [[one.get("type") for one in case] for case in cases]

    assert kinds == [[], ["inconclusive"], ["inconclusive"]]
    message = cases[2].find("failure").get("message")
    assert "accuracy differs by less than 0.01: failed" in message


def test_junit_names_are_unique():
    """Conditions of the same words, by other tests, stay two cases."""
    other = outcome(Superior("accuracy", test="mcnemar", options={"method": "exact"}))
    cases = ElementTree.fromstring(decision(BETTER, other).to_junit()).iter("testcase")

    assert ["accuracy is better", "accuracy is better (2)"] == [
        c.get("name") for c in cases
    ]


def test_junit_of_reasons_that_stop_everything():
    """Reasons are a failing case of their own, beside conditions that passed."""
    stopped = decision(BETTER, status="inconclusive", reasons=("the same predictions",))
    *_, last = ElementTree.fromstring(stopped.to_junit()).iter("testcase")

    assert ("the predictions can be evaluated", "the same predictions") == (
        last.get("name"),
        last.find("failure").text,
    )
    assert "cannot pass whatever the conditions say" in str(stopped)


def test_blind_decisions_tell_nothing_else():
    """No outcomes, even where the decision holds some; not even the time it took."""
    for status, form in itertools.product(["passed", "not passed"], FORMS):
        blind = replace(MIXED, status=status, blind=True, seconds=7, fingerprint="secret")
        shown = getattr(blind, form)()

        for word in ("secret", "accuracy", "0.03", "2,3", "inconclusive)", "7.0"):
            assert word not in shown
        end = "</p>" if form == "_repr_html_" else ": new"
        assert ("NOT PASSED" if status != "passed" else "PASSED") + end in shown


def test_look_in_text():
    """A look of a ledger says its number, its level and what is left."""
    look = {"number": 3, "alpha": 0.0125, "total_alpha": 0.05, "rule": "decreasing"}
    look |= {"looks_left": None, "alpha_left": 0.02, "repeated": True}

    assert (
        "look 3 at these records, taken before, level 0.0125 of 0.05 for all looks, rule "
        "decreasing, alpha left 0.02"
    ) in " ".join(str(decision(BETTER, look=look)).split())


def test_markdown_shows_names_as_they_are():
    """Tables keep their columns, and nothing in a name is taken for Markdown or HTML."""
    text = STRANGE.to_markdown()
    heading, _, header, rule, cells, *_ = text.splitlines()

    assert heading.startswith("### ✗ NOT PASSED: ")
    columns = [len(re.findall(r"(?<!\\)\|", line)) for line in (header, rule, cells)]
    assert 1 == len(set(columns))
    for unsafe in ("<b>", "</script>", "http://", " www.c", "~~", "[i]("):
        assert unsafe not in text
    assert not re.search(r"(?<!\\)[$`]", text)


def test_pictures_have_text():
    """Each condition's picture says what it shows, and lies within its frame."""
    page = Balance(MIXED.to_html())
    pictures = [attrs for tag, attrs in page.tags if tag == "svg"]

    assert 4 == len(pictures)
    assert all(one["role"] == "img" for one in pictures)
    assert pictures[1]["aria-label"] == (
        "accuracy: difference +0.030, from +0.010 to +0.050, must be above -0.020"
    )
    places = [float(a[x]) for _, a in page.tags for x in ("x1", "x2", "cx", "x") if x in a]
    assert 0 <= min(places) <= max(places) <= 360


def test_pages_fetch_nothing():
    """No page names another one: links lead to its own parts, or to data within it."""
    page = decision(BETTER).to_html()

    assert not re.search(r"(src=|url\(|@import)", page)
    assert not re.search(r'href="(?!#|data:)', page)


def test_real_decision_round_trip():
    """A decision of data with an undefined and an empty slice, written and read."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    old = np.where(rng.random(300) < 0.8, y, 1 - y)
    new = np.where(rng.random(300) < 0.9, y, 1 - y)
    gate = Gate(
        AnyOf(Superior("accuracy"), NonInferior("recall[1]", margin=0.02)),
        Superior("accuracy", where={"site": "nowhere"}),
        NonInferior("accuracy", margin=0.02, min_records=1000),
    )
    site = np.where(y == 0, "a", "b")
    found = gate.decide(y, {"old": old, HOSTILE: new}, columns={"site": site})

    check_all_forms(found)
    assert found == copy.deepcopy(found) == GateDecision.from_json(found.to_json())


def made_up_outcome(st, draw, words):
    """A condition with numbers and names of any kind."""
    numbers = st.one_of(
        st.none(),
        st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-12]),
        st.floats(-1, 1),
    )
    margin = draw(st.sampled_from([0.01, 0.5]))
    kind = draw(st.sampled_from([Superior, NonInferior, Equivalent]))
    condition = kind("accuracy", margin=margin, where={draw(words): draw(words)})
    values = {
        name: draw(numbers)
        for name in ("low", "high", "pvalue", "adjusted_pvalue", "records_needed")
    }
    rows = draw(st.booleans())
    difference = draw(numbers.filter(lambda x: x is not None))
    return Outcome(
        condition,
        draw(st.sampled_from(["passed", "failed", "inconclusive"])),
        tuple(draw(st.lists(words, max_size=2))),
        row=row(difference, values["low"], values["high"]) if rows else None,
        level=draw(st.sampled_from([None, 0.05])),
        flags=tuple(draw(st.lists(words, max_size=1))),
        blocked=draw(st.booleans()),
        **values,
    )


def made_up_decision(st, draw):
    """A decision with one or two such outcomes, and names of any kind."""
    words = st.text(st.characters(), max_size=8)
    found = [made_up_outcome(st, draw, words) for _ in range(draw(st.integers(1, 2)))]
    blind, name = draw(st.booleans()), draw(words)
    reasons = draw(st.lists(words, max_size=1))
    passed = all(one.passed for one in found) and not reasons
    status = "passed" if passed else "not passed" if blind else "inconclusive"
    return decision(
        *found,
        status=status,
        blind=blind,
        champion=name,
        challenger=name[::-1],
        reasons=tuple(reasons),
        look={name: 1},
    )


@pytest.mark.slow
def test_any_decision_has_every_form():
    """Whatever the numbers and names: nothing breaks, and nothing is lost."""
    from hypothesis import strategies as st

    def check(data):
        check_all_forms(made_up_decision(st, data.draw))

    check_made_up(check, lambda st: st.data(), 100)
