"""Report of a decision as JUnit XML, which CI services show as test results."""

from xml.etree import ElementTree

from skcompare._core.formatting import in_one_line
from skcompare.gate._outcomes import DecisionData, Outcome
from skcompare.gate.report._report import (
    facts,
    flags_told,
    headline,
    look_text,
    reasons_of,
    shown_part,
)

SUITE = "skcompare gate"
CLASS = "skcompare.gate"
JUDGED = "the predictions can be judged"
WHOLE = "the gate passes"


def decision_junit(decision: DecisionData) -> str:
    """Return JUnit XML with one test case per condition, and one for stopping reasons."""
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
    pairs = [*facts(decision).items(), ("verdict", headline(decision))]
    if decision.look:
        pairs.append(("look", look_text(decision.look)))
    for number, caveat in flags_told(decision):
        pairs.append((f"flag {number}".rstrip(), in_one_line(caveat)))
    for name, value in pairs:
        ElementTree.SubElement(properties, "property", {"name": name, "value": value})
    suite.extend(cases)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _cases(decision: DecisionData) -> list[ElementTree.Element]:
    names: dict[str, int] = {}
    cases = []
    for outcome in decision.outcomes:
        name = in_one_line(outcome.condition.text)
        names[name] = names.get(name, 0) + 1
        # Services merge cases of the same name.
        shown = name if names[name] == 1 else f"{name} ({names[name]})"
        failing = "" if outcome.passed else outcome.status
        cases.append(_case(shown, failing, _reasons(outcome)))
    if decision.reasons:
        reasons = [in_one_line(reason) for reason in decision.reasons]
        cases.append(_case(JUDGED, decision.status, reasons))
    # A gate that did not pass always has a failure in its report.
    if not cases or (not decision.passed and not any(len(case) for case in cases)):
        failing = "" if decision.passed else decision.status
        cases.append(_case(WHOLE, failing, [headline(decision)]))
    return cases


def _reasons(outcome: Outcome) -> list[str]:
    """Return the reasons of an outcome, with one line per part of an `AnyOf`."""
    reasons = reasons_of(outcome)
    for part in outcome.parts:
        text = "; ".join(reasons_of(part))
        reasons.append(f"{in_one_line(part.condition.text)}: {part.status}, {text}")
    return reasons


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
