"""A decision as JUnit XML, which CI services show as test results."""

from xml.etree import ElementTree

from skcompare._core.formatting import in_one_line
from skcompare.gate._outcomes import DecisionData, Outcome
from skcompare.gate.report._report import (
    facts,
    flags_told,
    headline,
    look_words,
    shown_part,
    told,
)

SUITE = "skcompare gate"
CLASS = "skcompare.gate"
JUDGED = "the answers can be judged"
WHOLE = "the gate passes"


def decision_junit(decision: DecisionData) -> str:
    """A test case a condition, and one of what stops everything if something does."""
    decision = shown_part(decision)
    cases = _cases(decision)
    failures = sum(len(case) > 0 for case in cases)
    counts = {
        "name": SUITE,
        "tests": str(len(cases)),
        "failures": str(failures),
        "errors": "0",
        "skipped": "0",
        "time": f"{decision.seconds or 0.0:.3f}",
    }
    root = ElementTree.Element(
        "testsuites", {name: counts[name] for name in counts if name != "skipped"}
    )
    suite = ElementTree.SubElement(root, "testsuite", counts)
    properties = ElementTree.SubElement(suite, "properties")
    known = [*facts(decision).items(), ("verdict", headline(decision))]
    if decision.look:
        known.append(("look", look_words(decision.look)))
    for number, caveat in flags_told(decision):
        known.append((f"flag {number}".rstrip(), in_one_line(caveat)))
    for name, value in known:
        ElementTree.SubElement(properties, "property", {"name": name, "value": value})
    suite.extend(cases)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _cases(decision: DecisionData) -> list[ElementTree.Element]:
    names: dict[str, int] = {}
    cases = []
    for outcome in decision.outcomes:
        name = in_one_line(outcome.condition.words)
        names[name] = names.get(name, 0) + 1
        # Services take cases of one name for one case.
        shown = name if names[name] == 1 else f"{name} ({names[name]})"
        failing = "" if outcome.passed else outcome.status
        cases.append(_case(shown, failing, _story(outcome)))
    if decision.reasons:
        stopped = [in_one_line(reason) for reason in decision.reasons]
        cases.append(_case(JUDGED, decision.status, stopped))
    # Never a report without a failure of a gate that did not pass.
    if not cases or (not decision.passed and not any(len(case) for case in cases)):
        failing = "" if decision.passed else decision.status
        cases.append(_case(WHOLE, failing, [headline(decision)]))
    return cases


def _story(outcome: Outcome) -> list[str]:
    """Why, with the conditions of which any is enough each in a line."""
    found = told(outcome)
    for part in outcome.parts:
        words = "; ".join(told(part))
        found.append(f"{in_one_line(part.condition.words)}: {part.status}, {words}")
    return found


def _case(name: str, failing: str, story: list[str]) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", {"classname": CLASS, "name": name, "time": "0.000"}
    )
    if failing:
        message = "; ".join(story)
        failure = ElementTree.SubElement(
            case, "failure", {"type": failing, "message": message}
        )
        failure.text = "\n".join(story)
    return case
