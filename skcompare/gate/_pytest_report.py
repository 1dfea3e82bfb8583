"""The report of what all gates of a test run decided, in one file."""

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from skcompare._core.atomic_write import write_text
from skcompare.gate._decision import GateDecision
from skcompare.gate._outcomes import PASSED
from skcompare.gate.report._html import decision_html_fragment
from skcompare.gate.report._junit import CLASS
from skcompare.reports import STYLE, html_page, markdown_text

SCHEMA = "skcompare.gate.tests"
SCHEMA_VERSION = 1
NONE = "No gate decided anything."

Told = dict[str, Any]
"""What one gate decided, as plain values: they travel between processes."""


class Report:
    """Where the report is written.

    Parameters
    ----------
    path : str
        The file as it was named; its suffix chooses the format.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.format = FORMATS[suffix_of(path)]
        # A test may change the folder.
        self.file = Path(os.path.abspath(path))
        self._check_file()

    def write(self, by_test: Mapping[str, Sequence[Told]]) -> None:
        """Write all, or leave the file as it was."""
        found = [one for told in by_test.values() for one in told]
        write_text(self.file, self.format.whole(found))

    def _check_file(self) -> None:
        """Refuse what cannot be written before the tests run rather than after them."""
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
    """What chooses the format of a report."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise pytest.UsageError(
            f"--skcompare-report must end in {', '.join(sorted(FORMATS))}. Got {path!r}."
        )
    return suffix


def body_of(suffix: str, test: str, words: str, decision: GateDecision | None) -> str:
    """The part of a report that tells one decision, or the error instead of it.

    It is made where the test runs: another process may not know the measures.
    """
    return FORMATS[suffix].one(test, words, decision)


class Format(NamedTuple):
    """How one decision is written, and all of them."""

    one: Callable[[str, str, GateDecision | None], str]
    whole: Callable[[Sequence[Told]], str]


def _text(test: str, words: str, decision: GateDecision | None) -> str:
    return f"{test}\n{words if decision is None else decision}\n"


def _texts(found: Sequence[Told]) -> str:
    return "\n".join(one["body"] for one in found) or f"{NONE}\n"


def _markdown(test: str, words: str, decision: GateDecision | None) -> str:
    told = f"### ✗ {markdown_text(words)}\n"
    if decision is not None:
        told = decision.to_markdown()
    return f"## {markdown_text(test)}\n\n{told}"


def _html(test: str, words: str, decision: GateDecision | None) -> str:
    heading = f'<div class="skcompare"><h1>{escape(test)}</h1></div>'
    if decision is not None:
        return heading + decision_html_fragment(decision)
    return (
        f'{heading}<div class="skcompare"><style>{STYLE}</style>'
        f'<p class="verdict">{escape(words)}</p></div>'
    )


def _html_page(found: Sequence[Told]) -> str:
    body = "\n".join(one["body"] for one in found) or f"<p>{NONE}</p>"
    known = [{name: one[name] for name in ("test", "status", "words")} for one in found]
    return html_page("Gates", body, json.dumps(known))


def _json(test: str, words: str, decision: GateDecision | None) -> str:
    return "null" if decision is None else decision.to_json(indent=None)


def _json_document(found: Sequence[Told]) -> str:
    values = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "passed": bool(found) and all(one["status"] == PASSED for one in found),
        "gates": [
            {
                **{name: one[name] for name in ("test", "status", "words")},
                "decision": json.loads(one["body"]),
            }
            for one in found
        ],
    }
    return json.dumps(values, indent=2, allow_nan=False) + "\n"


def _junit(test: str, words: str, decision: GateDecision | None) -> str:
    if decision is None:
        suite = ElementTree.Element("testsuite", tests="1", failures="0", errors="1")
        case = ElementTree.SubElement(suite, "testcase", classname=CLASS, name="the gate")
        ElementTree.SubElement(case, "error", message=words).text = words
    else:
        found = ElementTree.fromstring(decision.to_junit()).find("testsuite")
        assert found is not None
        suite = found
    suite.set("name", test)
    return ElementTree.tostring(suite, encoding="unicode")


def _junit_document(found: Sequence[Told]) -> str:
    suites = [ElementTree.fromstring(one["body"]) for one in found]
    totals = {
        name: str(sum(int(suite.get(name, "0")) for suite in suites))
        for name in ("tests", "failures", "errors")
    }
    root = ElementTree.Element("testsuites", {"name": "skcompare gates", **totals})
    root.extend(suites)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


FORMATS = {
    ".html": Format(_html, _html_page),
    ".json": Format(_json, _json_document),
    ".md": Format(_markdown, _texts),
    ".txt": Format(_text, _texts),
    ".xml": Format(_junit, _junit_document),
}
