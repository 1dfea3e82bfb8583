"""Reports of decisions as JUnit XML, which CI services show as test results."""

from collections.abc import Sequence
from xml.etree import ElementTree

from skcompare._core.formatting import in_one_line
from skcompare._core.report._report import STOPPED, Check, Report

SUITE = "skcompare gate"
CLASS = "skcompare.gate"
JUDGED = "the predictions can be evaluated"
WHOLE = "the gate passes"
PASSED, ERROR = "passed", "error"


def report_junit(report: Report) -> str:
    """Return a report as JUnit XML, with one test case per condition."""
    return junit_document([junit_suite(report)], SUITE, f"{report.seconds or 0.0:.3f}")


def junit_document(
    suites: Sequence[ElementTree.Element], name: str, time: str | None = None
) -> str:
    """Return a JUnit document of suites, with their total counts."""
    counts = {
        kind: str(sum(int(suite.get(kind, "0")) for suite in suites))
        for kind in ("tests", "failures", "errors")
    }
    times = {} if time is None else {"time": time}
    root = ElementTree.Element("testsuites", {"name": name, **counts, **times})
    root.extend(suites)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def junit_suite(report: Report, name: str = SUITE) -> ElementTree.Element:
    """Return the test suite of a report, with its facts and notes as properties."""
    cases = _cases(report)
    counts = {
        "name": name,
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
        "skipped": "0",
        "time": f"{report.seconds or 0.0:.3f}",
    }
    suite = ElementTree.Element("testsuite", counts)
    properties = ElementTree.SubElement(suite, "properties")
    values = [*report.facts.items(), ("verdict", report.headline)]
    values += [(note.name, note.text) for note in report.notes if not note.is_reason]
    for key, value in values:
        ElementTree.SubElement(
            properties, "property", {"name": key, "value": in_one_line(value)}
        )
    suite.extend(cases)
    return suite


def _cases(report: Report) -> list[ElementTree.Element]:
    names: dict[str, int] = {}
    cases = []
    for check in report.checks:
        name = in_one_line(check.name)
        names[name] = names.get(name, 0) + 1
        # Services merge cases of the same name.
        shown = name if names[name] == 1 else f"{name} ({names[name]})"
        cases.append(_case(shown, check.status, _reasons(check)))
    if stopped := [note.text for note in report.notes if note.name == STOPPED]:
        cases.append(_case(JUDGED, report.outcome, stopped))
    # A gate that did not pass always has a failure in its report.
    if not cases or (report.outcome != PASSED and not any(len(case) for case in cases)):
        cases.append(_case(WHOLE, report.outcome, [report.headline]))
    return cases


def _reasons(check: Check) -> list[str]:
    """Return the reasons of a condition, with one line per part."""
    parts = [
        f"{part.name}: {part.status}, {'; '.join(part.reasons)}" for part in check.parts
    ]
    return [*check.reasons, *parts]


def _case(name: str, status: str, reasons: Sequence[str]) -> ElementTree.Element:
    """Return a test case, with its reasons if it did not pass."""
    case = ElementTree.Element(
        "testcase", {"classname": CLASS, "name": name, "time": "0.000"}
    )
    if status != PASSED:
        lines = [in_one_line(reason) for reason in reasons]
        tag = ERROR if status == ERROR else "failure"
        values = {"type": status, "message": "; ".join(lines)}
        ElementTree.SubElement(case, tag, values).text = "\n".join(lines)
    return case
