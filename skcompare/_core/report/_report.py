"""Report of a result: the one document from which all output formats are made."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Table:
    """Table of formatted cells.

    Attributes
    ----------
    header : sequence of str
        Names of the columns.
    cells : sequence of sequences of str
        The lines.
    text_columns : collection of str
        Names of the columns of text, which are aligned to the left.
    caption : str
        What the table shows.
    named_by : str
        Name of the column that names a line; the first column if it is empty.
    unnamed : str
        Name of the first column on pages, if it has none.
    marked : collection of int
        Lines that the verdict comes from.
    drawings : callable
        Returns an SVG element for each line, for pages without larger figures.
    outcomes : sequence of str
        Outcome of each line, shown on pages: "win", "loss", "inconclusive", or empty where
        the line has none; empty for a table without outcomes.
    """

    header: Sequence[str]
    cells: Sequence[Sequence[str]]
    text_columns: Collection[str] = ()
    caption: str = ""
    named_by: str = ""
    unnamed: str = "measure"
    marked: Collection[int] = ()
    drawings: Callable[[], Sequence[str]] | None = None
    outcomes: Sequence[str] = ()


WIN, LOSS, OPEN = "win", "loss", "inconclusive"
OUTCOMES = {
    WIN: ("▲", "challenger better"),
    LOSS: ("▼", "champion better"),
    OPEN: ("●", "inconclusive"),
}
"""Sign and words of each outcome, so that it is not told by its colour alone."""


def outcome_of(estimate: float, null: float, pvalue: float | None, alpha: float) -> str:
    """Outcome of a difference or ratio by its p-value; empty without a p-value."""
    if pvalue is None or math.isnan(pvalue):
        return ""
    if not pvalue < alpha or estimate == null or math.isnan(estimate):
        return OPEN
    return WIN if estimate > null else LOSS


class Figure(NamedTuple):
    """Title and text alternative of a figure, and a function that returns its SVG."""

    title: str
    summary: str
    svg: Callable[[], str]


LONGEST_NAME = 90
"""Largest number of characters of a name in the heading of a page."""

STATUS = "status"
"""Name of the column that has the status of each condition."""

STOPPED = "stopped"
"""Name of the notes on why a decision cannot pass, whatever its conditions say."""


class Note(NamedTuple):
    """Note beside the tables, with its name in text and its label in Markdown.

    `is_reason` marks notes on single conditions, which `Check.reasons` has too.
    """

    name: str
    text: str
    label: str | None = None
    is_reason: bool = False


class Check(NamedTuple):
    """Condition with its status and reasons; one that has parts holds if any of them does.

    `picture` returns an SVG element, or an empty text.
    """

    number: str
    name: str
    status: str
    reasons: Sequence[str]
    picture: Callable[[], str] = str
    parts: Sequence["Check"] = ()


class Section(NamedTuple):
    """Assumptions of a design or of a test, with sources."""

    title: str
    text: Sequence[str]
    question: str = ""
    facts: Mapping[str, str] = {}
    sources: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Report of a result: the one document from which all output formats are made.

    Texts are plain: each format escapes them, and joins them to one line.

    Attributes
    ----------
    headline : str
        The verdict in a sentence.
    facts : mapping of str to str
        What was compared, by name.
    tables : sequence of Table
        The numbers.
    notes : sequence of Note
        Notes on the numbers, for text and Markdown.
    outcome : str
        "passed", "failed" or the like for a decision, whose headline comes first; empty
        for a comparison, which ends with its verdict.
    finding : str
        Outcome of the verdict of a comparison: "win", "loss" or "inconclusive".
    has_verdict : bool
        Whether the headline is a verdict, and not the title of a test's result.
    checks : sequence of Check
        Conditions of a decision.
    seconds : float or None
        Time that the decision took.
    kind, title, status : str
        Headings of the page, and the verdict in a few words.
    has_names, is_capitalized : bool
        Whether the status contains names of any script, and whether the page capitalizes
        the headline.
    key_numbers : mapping of str to str
        The numbers of the verdict.
    remarks : mapping of str to sequence of str
        Notes for pages, by their heading.
    figures : sequence of Figure
        Larger figures.
    left_out : sequence of str
        Figures that are left out, with reasons.
    must_draw : bool
        Whether a missing package for drawing is an error.
    assumptions : sequence of Section
        Assumptions of the design and of the tests.
    about_assumptions : str
        Introduction of the assumptions.
    steps : sequence of str
        What to do next.
    advice : sequence of str
        Advice on an ensemble: what it is about, the advice, and its reasons.
    settings_title : str
        Heading of the settings.
    settings : mapping of str to str
        All settings by name, with the facts.
    data, reader, file : str
        JSON of the page, the class that reads it, and the name of a file for it.
    """

    headline: str
    facts: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    notes: Sequence[Note] = ()
    outcome: str = ""
    finding: str = ""
    has_verdict: bool = True
    checks: Sequence[Check] = ()
    seconds: float | None = None
    kind: str = ""
    title: str = ""
    status: str = ""
    has_names: bool = False
    is_capitalized: bool = True
    key_numbers: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    figures: Sequence[Figure] = ()
    left_out: Sequence[str] = ()
    must_draw: bool = False
    assumptions: Sequence[Section] = ()
    about_assumptions: str = ""
    steps: Sequence[str] = ()
    advice: Sequence[str] = ()
    settings_title: str = "How it was compared"
    settings: Mapping[str, str] = field(default_factory=dict)
    data: str = ""
    reader: str = ""
    file: str = "comparison.json"
