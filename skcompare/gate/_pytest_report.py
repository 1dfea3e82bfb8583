"""Report of all gates of a test run, in one file."""

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from skcompare._core.atomic_write import write_text
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
from skcompare.gate._decision import GateDecision
from skcompare.gate._outcomes import PASSED
from skcompare.gate.report._report import decision_report

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
        self._check_file()

    def write(self, by_test: Mapping[str, Sequence[Entry]]) -> None:
        """Write all decisions, or leave the file unchanged on error."""
        entries = [entry for gates in by_test.values() for entry in gates]
        write_text(self.file, self.format.whole(entries))

    def _check_file(self) -> None:
        """Raise an error if the file cannot be written, before the tests run."""
        if self.file.is_dir():
            raise pytest.UsageError(
                f"--skcompare-report must be a file. Got the folder {self.path!r}."
            )
        if self.file.exists() and not self.file.is_file():
            return
        try:
            with tempfile.TemporaryFile(dir=self.file.parent):
                pass
        except OSError as error:
            raise pytest.UsageError(
                f"--skcompare-report cannot be written: {error.strerror or error}, in "
                f"{str(self.file.parent)!r}. Name a file in a folder that is there."
            ) from error


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
