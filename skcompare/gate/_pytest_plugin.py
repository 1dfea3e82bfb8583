"""Report of all gates of a test run, in one file."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from skcompare._core.atomic_write import check_writable, write_text
from skcompare._core.formatting import in_one_line, printable
from skcompare._core.report import (
    Report,
    html_page,
    junit_document,
    junit_suite,
    markdown_text,
    report_html_fragment,
    report_markdown,
    report_text,
)
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.gate._decision import NEEDED, PASSED, GateDecision, decision_report
from skcompare.gate._evaluate import Gate
from skcompare.gate._files import GateFiles, judge_files
from skcompare.gate._gate import GateNotPassed, assert_better, demand
from skcompare.gate._policy import PYPROJECT, Policy, load_policy

SCHEMA = "skcompare.gate.tests"
SCHEMA_VERSION = 1
ERROR = "error"
NONE = "No gate decided anything."

Entry = dict[str, Any]
"""Decision of one gate, as plain values that travel between processes."""


class RunReport:
    """Report of all gates of a test run, written to a file.

    Parameters
    ----------
    path : str
        Path as given; its suffix determines the format.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.format = FORMATS[suffix_of(path)]
        # A test may change the working directory.
        self.file = Path(os.path.abspath(path))
        # Checked before the tests run.
        try:
            check_writable(path)
        except OSError as error:
            raise pytest.UsageError(f"--skcompare-report: {error}") from error

    def write(self, by_test: Mapping[str, Sequence[Entry]]) -> None:
        """Write all decisions, or leave the file unchanged on error."""
        entries = [entry for gates in by_test.values() for entry in gates]
        write_text(self.file, self.format.whole(entries))


def suffix_of(path: str) -> str:
    """Return the suffix that determines the format of a report."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise pytest.UsageError(
            f"--skcompare-report must end in {', '.join(sorted(FORMATS))}. Got {path!r}."
        )
    return suffix


def body_of(suffix: str, test: str, text: str, decision: GateDecision | None) -> str:
    """Return the part of a report on one decision, or on the error that was raised.

    It is made where the test runs: another process may not know its measures.
    """
    if decision is None:
        report = Report(headline=text, outcome=ERROR)
    else:
        report = replace(decision_report(decision), data=decision.to_json(indent=None))
    return FORMATS[suffix].single(test, report)


class Format(NamedTuple):
    """Functions that format one decision, and the whole report."""

    single: Callable[[str, Report], str]
    whole: Callable[[Sequence[Entry]], str]


def _text(test: str, report: Report) -> str:
    return f"{test}\n{report_text(report).rstrip()}\n"


def _texts(entries: Sequence[Entry]) -> str:
    return "\n".join(entry["body"] for entry in entries) or f"{NONE}\n"


def _markdown(test: str, report: Report) -> str:
    return f"## {markdown_text(test)}\n\n{report_markdown(report)}"


def _html(test: str, report: Report) -> str:
    heading = f'<div class="skcompare"><h1>{escape(test)}</h1></div>'
    return heading + report_html_fragment(report)


def _html_page(entries: Sequence[Entry]) -> str:
    body = "\n".join(entry["body"] for entry in entries) or f"<p>{NONE}</p>"
    summaries = [
        {name: entry[name] for name in ("test", "status", "text")} for entry in entries
    ]
    return html_page("Gates", body, json.dumps(summaries))


def _json(test: str, report: Report) -> str:
    return report.data or "null"


def _json_document(entries: Sequence[Entry]) -> str:
    values = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "passed": bool(entries) and all(entry["status"] == PASSED for entry in entries),
        "gates": [
            {
                **{name: entry[name] for name in ("test", "status", "text")},
                "decision": json.loads(entry["body"]),
            }
            for entry in entries
        ],
    }
    return json.dumps(values, indent=2, allow_nan=False) + "\n"


def _junit(test: str, report: Report) -> str:
    return ElementTree.tostring(junit_suite(report, test), encoding="unicode")


def _junit_document(entries: Sequence[Entry]) -> str:
    suites = [ElementTree.fromstring(entry["body"]) for entry in entries]
    return junit_document(suites, "skcompare gates")


FORMATS = {
    ".html": Format(_html, _html_page),
    ".json": Format(_json, _json_document),
    ".md": Format(_markdown, _texts),
    ".txt": Format(_text, _texts),
    ".xml": Format(_junit, _junit_document),
}


class GateFixture:
    """Factory of gates that fail the test unless they pass, and appear in the summary.

    Parameters
    ----------
    request : pytest.FixtureRequest
        Request of the test.
    entries : list of dict
        List to which decisions are added.
    """

    def __init__(self, request: pytest.FixtureRequest, entries: list[Entry]) -> None:
        self.test = printable(request.node.nodeid)
        self.folder = request.config.rootpath
        self.entries = entries
        path = request.config.getoption("skcompare_report")
        self.suffix = None if path is None else suffix_of(path)

    def __call__(self, *conditions: Condition | AnyOf, **settings: Any) -> "CheckedGate":
        """Create a gate with the arguments of :class:`~skcompare.gate.Gate`."""
        return CheckedGate(Gate(*conditions, **settings), self)

    def policy(self, path: Any = PYPROJECT) -> "CheckedPolicy":
        """Load the gate of a policy file, with its columns and its ledger.

        Parameters
        ----------
        path : str or path-like, default="pyproject.toml"
            The file, relative to pytest's rootdir.
        """
        return CheckedPolicy(load_policy(os.path.join(self.folder, path)), self)

    def assert_better(self, *predictions: Any, **options: Any) -> GateDecision:
        """Call :func:`skcompare.gate.assert_better`, and record the decision."""
        __tracebackhide__ = True
        return self.checked(lambda: assert_better(*predictions, **options), True)

    def checked(self, decide: Callable[[], GateDecision], required: bool) -> GateDecision:
        """Make a decision, and record the decision or the error that was raised.

        If it is required, the test fails unless the gate passes.
        """
        __tracebackhide__ = True
        try:
            decision = decide()
        except GateNotPassed as error:
            decision = error.decision
        except Exception as error:
            self._tell("error", f"ERROR: {type(error).__name__}: {error}", None)
            raise
        self._tell(decision.status, one_line(decision), decision)
        return demand(decision) if required else decision

    def _tell(self, status: str, text: str, decision: GateDecision | None) -> None:
        text = in_one_line(text)
        body = self.suffix and body_of(self.suffix, self.test, text, decision)
        entry = {"test": self.test, "status": status, "text": text, "body": body}
        self.entries.append(entry)


class CheckedGate(NamedTuple):
    """Gate whose `check` fails the test unless the gate passes.

    Parameters
    ----------
    gate : Gate
        The gate.
    fixture : GateFixture
        The fixture that records the decision.
    """

    gate: Gate
    fixture: GateFixture

    def check(self, *data: Any, required: bool = True, **options: Any) -> GateDecision:
        """Judge predictions by :meth:`Gate.decide`, and fail the test unless they pass.

        Parameters
        ----------
        *data, **options
            As for :meth:`Gate.decide`.
        required : bool, default=True
            If False, the decision is only shown in the summary and in the report.
        """
        __tracebackhide__ = True
        return self.fixture.checked(lambda: self.gate.decide(*data, **options), required)


class CheckedPolicy(NamedTuple):
    """Gate of a policy, whose `check` judges files.

    Parameters
    ----------
    policy : Policy
        The policy.
    fixture : GateFixture
        The fixture that records the decision.
    """

    policy: Policy
    fixture: GateFixture

    def check(
        self,
        *files: Any,
        data: Any = None,
        trust: Sequence[str] = (),
        required: bool = True,
    ) -> GateDecision:
        """Judge files as ``skcompare gate`` does, and fail the test unless they pass.

        Parameters
        ----------
        *files : str or path-like
            The champion's file and the challenger's, one file with the predictions of
            both, or two saved estimators.
        data : str or path-like, optional
            The records that saved estimators predict for.
        trust : sequence of str, default=()
            Types of saved estimators that are trusted in addition to the reviewed ones.
        required : bool, default=True
            If False, the decision is only shown in the summary and in the report.
        """
        __tracebackhide__ = True
        paths = tuple(map(os.fspath, files))
        records = None if data is None else os.fspath(data)
        inputs = GateFiles.of_policy(self.policy, *paths, data=records, trust=tuple(trust))
        return self.fixture.checked(lambda: judge_files(inputs, self.policy), required)


def one_line(decision: GateDecision) -> str:
    """Format the verdict and the needs of open conditions in one line."""
    report = decision_report(decision)
    needs = [note.text for note in report.notes if note.name.startswith(NEEDED)]
    return "; ".join([report.headline, *dict.fromkeys(needs)])
