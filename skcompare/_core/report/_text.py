"""Reports as plain text, Markdown and JSON, and the base classes of what has a report.

The JSON is standard, and preserves NaN and infinity.
"""

import csv
import io
import json
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import PurePath
from typing import Any, ClassVar, Self, overload

from skcompare._core.atomic_write import write_text
from skcompare._core.formatting import COMMAND, aligned, in_one_line
from skcompare._core.report._html import json_of_page, report_html_fragment
from skcompare._core.report._latex import report_latex
from skcompare._core.report._report import STATUS, Report, Table

WIDTH = 96
INDENT = 12
MARK = "*"
"""Mark of the line that the verdict comes from."""

SCHEMA_VERSION = 1

NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
NUMBER = "number"

SYMBOLS = {"passed": "✓", "inconclusive": "?"}
OTHER = "✗"
# Extensions of Markdown by hosts: struck text, formulas, quotes, and bare links.
ALSO_ESCAPED = {"~": "\\~", "$": "\\$", ">": "\\>", "://": "\\://", "www.": "www\\."}


FORMATS = {
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".csv": "csv",
    ".tex": "latex",
    ".xml": "junit",
    ".txt": "text",
}
"""Format of a file by its suffix."""


def text_or_file(text: str, path: str | PathLike[str] | None) -> str | None:
    """Write a text to a file, or return it if there is none."""
    if path is None:
        return text
    if not isinstance(path, str | PathLike):
        raise TypeError(
            f"`path` must be the path of a file, or None. Got {type(path).__name__}. Leave "
            "it out to get the text."
        )
    write_text(path, text)
    return None


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with the same columns as CSV, with flags separated by spaces."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        flags = row.get("flags", ())
        writer.writerow({**row, "flags": " ".join(flags)})
    return file.getvalue()


class Reported:
    """Base class of results that are shown by their report."""

    __slots__ = ()

    def _report(self) -> Report:
        """Return the report, without what only a page has."""
        raise NotImplementedError

    @overload
    def to_markdown(self, path: None = None, *, only_tables: bool = False) -> str: ...
    @overload
    def to_markdown(
        self, path: str | PathLike[str], *, only_tables: bool = False
    ) -> None: ...
    def to_markdown(
        self, path: str | PathLike[str] | None = None, *, only_tables: bool = False
    ) -> str | None:
        """Return the report as Markdown, for pull requests and job summaries.

        Parameters
        ----------
        path : str or path, optional
            File to write it to, and to return None.
        only_tables : bool, default=False
            Only the tables, each with its caption, for papers.

        Returns
        -------
        text : str or None
            The Markdown.
        """
        write = tables_markdown if only_tables else report_markdown
        return text_or_file(write(self._report()), path)

    @overload
    def to_latex(self, path: None = None, *, label: str | None = None) -> str: ...
    @overload
    def to_latex(self, path: str | PathLike[str], *, label: str | None = None) -> None: ...
    def to_latex(
        self, path: str | PathLike[str] | None = None, *, label: str | None = None
    ) -> str | None:
        """Return the tables of the report as LaTeX, with the rules of booktabs.

        They need the package booktabs. The row that decides is in bold.

        Parameters
        ----------
        path : str or path, optional
            File to write it to, and to return None.
        label : str, optional
            Label of the first table, such as "tab:models"; those of further ones end
            with their number, as in "tab:models-2".

        Returns
        -------
        text : str or None
            One ``table`` environment for each table.
        """
        return text_or_file(report_latex(self._report(), label), path)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the report to a file, in the format of its suffix.

        Parameters
        ----------
        path : str or path
            The file: ``.html`` for a page, ``.json`` for what `from_json` reads, ``.md``
            for Markdown, ``.tex`` for LaTeX tables, ``.txt`` for text; of comparisons
            ``.csv`` for the rows of the frame, of decisions ``.xml`` for JUnit XML.

        Raises
        ------
        ValueError
            If the suffix is another one.
        """
        writers = {
            suffix: getattr(self, f"to_{format}", None)
            for suffix, format in FORMATS.items()
        }
        writers[".txt"] = self.__str__
        write = writers.get(PurePath(fspath(path)).suffix.lower())
        if write is None:
            known = ", ".join(suffix for suffix, own in writers.items() if own)
            raise ValueError(
                f"A {type(self).__name__} is saved by the suffix of the file. Got "
                f"{fspath(path)!r}. Known: {known}."
            )
        text_or_file(write(), path)

    def _repr_html_(self) -> str:
        return report_html_fragment(self._report())

    def __str__(self) -> str:
        return report_text(self._report())


class Stored(Reported):
    """Base class of results that are stored as JSON, alone or in a page."""

    __slots__ = ()

    schema: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dict of plain values."""
        raise NotImplementedError

    @overload
    def to_json(self, path: None = None, *, indent: int | None = 2) -> str: ...
    @overload
    def to_json(self, path: str | PathLike[str], *, indent: int | None = 2) -> None: ...
    def to_json(
        self, path: str | PathLike[str] | None = None, *, indent: int | None = 2
    ) -> str | None:
        """Return the result as standard JSON, with NaN as {"number": "NaN"}.

        Parameters
        ----------
        path : str or path, optional
            File to write it to, and to return None.
        indent : int or None, default=2
            Spaces per level; None writes a single line.

        Returns
        -------
        text : str or None
            JSON that :meth:`from_json` reads.
        """
        return text_or_file(to_standard_json(self.to_dict(), indent=indent), path)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Create a result from the output of :meth:`to_json`.

        Parameters
        ----------
        text : str
            The JSON.

        Returns
        -------
        result : object of this class
            Equal to the one that was written. The result of a row has the interval of
            one level only.

        Raises
        ------
        ValueError
            If it is of another class, incomplete, or of another version.
        """
        try:
            stored = _from_standard(json.loads(text))
        except json.JSONDecodeError as error:
            raise ValueError(
                f"Expected {cls.schema} as JSON. Got text that is not JSON: {error}."
            ) from error
        head = stored if isinstance(stored, dict) else {}
        kind = head.get("schema"), head.get("schema_version")
        if kind != (cls.schema, SCHEMA_VERSION):
            raise ValueError(
                f"Expected {cls.schema} version {SCHEMA_VERSION}. Got {kind[0]!r} version "
                f"{kind[1]!r}. Write it again with this version of skcompare."
            )
        try:
            return cls._from_dict(stored)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            name = re.split("[._]", cls.schema)[-1]
            raise ValueError(
                f"The JSON of this {name} is not complete: {error}. Write it again."
            ) from error

    @classmethod
    def from_html(cls, page: str) -> Self:
        """Create a result from the output of `to_html`.

        Parameters
        ----------
        page : str
            The text of the page.

        Returns
        -------
        result : object of this class
            Equal to the one that was written.

        Raises
        ------
        ValueError
            If the text is not such a page.
        """
        return cls.from_json(json_of_page(page))

    @classmethod
    def _from_dict(cls, stored: dict[str, Any]) -> Self:
        """Create a result from the output of :meth:`to_dict`."""
        raise NotImplementedError


def report_text(report: Report) -> str:
    """Return a report as plain text: a decision first, or a verdict last."""
    if not report.has_verdict:
        return _result_text(report)
    facts = [entry(name, text) for name, text in report.facts.items()]
    tables = [line for table in report.tables for line in (*_text_table(table), "")]
    notes = [entry(note.name, note.text) for note in report.notes]
    if report.outcome:
        return "\n".join([in_one_line(report.headline), "", *tables, *notes, *facts])
    return "\n".join([*facts, "", *tables, *notes, entry("verdict", report.headline)])


def _result_text(report: Report) -> str:
    """Return the report of a test as plain text, without spaces between its parts."""
    facts = [f"{name}: {text}" for name, text in report.facts.items()]
    tables = [line for table in report.tables for line in _text_table(table)]
    notes = [f"{note.label}{note.text}" for note in report.notes]
    head, foot = ([in_one_line(text) for text in part] for part in (facts, notes))
    return "\n".join([report.headline, *head, *tables, *foot])


def report_markdown(report: Report) -> str:
    """Return a report as Markdown, for pull requests and job summaries."""
    facts = [f"- {markdown_text(f'{name}: {fact}')}" for name, fact in report.facts.items()]
    tables = [line for table in report.tables for line in (*_markdown_table(table), "")]
    notes = [_item(note.name, note.text, note.label) for note in report.notes]
    headline = markdown_text(report.headline)
    if report.outcome:
        symbol = SYMBOLS.get(report.outcome, OTHER)
        lines = [f"### {symbol} {headline}", "", *tables, *notes, *facts]
    else:
        verdict = f"**Verdict:** {headline}" if report.has_verdict else f"**{headline}**"
        lines = [verdict, "", *facts, *[""] * bool(facts), *tables, *notes]
    return "\n".join(lines).rstrip() + "\n"


def tables_markdown(report: Report) -> str:
    """Return the tables of a report as Markdown, each with its caption above it."""
    parts = []
    for table in report.tables:
        caption = [f"Table: {markdown_text(table.caption)}.", ""] if table.caption else []
        parts.append("\n".join([*caption, *_markdown_table(table), ""]))
    return "\n".join(parts)


def entry(name: str, text: str) -> str:
    """Format a named entry of the report, with wrapped text."""
    return textwrap.fill(
        in_one_line(text),
        WIDTH,
        initial_indent=name.ljust(INDENT),
        subsequent_indent=" " * INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def markdown_text(text: str) -> str:
    """Escape text for Markdown, with the extensions of hosts."""
    line = in_one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    escaped = "".join(f"\\{c}" if c in "\\|`[]*_#" else c for c in line)
    for mark, replacement in ALSO_ESCAPED.items():
        escaped = escaped.replace(mark, replacement)
    # Hosts notify the user whose name follows it.
    return escaped.replace("@", "@&#8203;")


def _item(name: str, text: str, label: str | None) -> str:
    return f"- {f'{name}: ' if label is None else label}{markdown_text(text)}"


def _text_table(table: Table) -> list[str]:
    cells = [[in_one_line(cell) for cell in line] for line in _marked(table)]
    return aligned(table.header, cells, table.text_columns)


def _markdown_table(table: Table) -> list[str]:
    cells = _marked(table)
    if STATUS in table.header:
        status = list(table.header).index(STATUS)
        for line in cells:
            line[status] = f"{SYMBOLS.get(line[status], OTHER)} {line[status]}"
    header, *lines = (
        f"| {' | '.join(map(markdown_text, line))} |" for line in (table.header, *cells)
    )
    rule = ["---" if name in table.text_columns else "---:" for name in table.header]
    return [header, f"| {' | '.join(rule)} |", *lines]


def _marked(table: Table) -> list[list[str]]:
    """Return the cells, with a mark on the lines that the verdict comes from."""
    return [
        [f"{name} {MARK}" if k in table.marked else name, *others]
        for k, (name, *others) in enumerate(table.cells)
    ]


def to_standard_json(values: Any, *, indent: int | None = 2) -> str:
    """Return standard JSON, with NaN as {"number": "NaN"} and likewise infinity.

    Text that a service would take for a command in its log is escaped, as JSON allows.
    """
    text = json.dumps(_to_standard(values), indent=indent, allow_nan=False)
    return COMMAND.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _to_standard(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _to_standard(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_standard(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return {NUMBER: name}
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value.item() if hasattr(value, "item") else value


def _from_standard(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {NUMBER} and value[NUMBER] in tuple(NOT_FINITE):
            return NOT_FINITE[value[NUMBER]]
        return {key: _from_standard(item) for key, item in value.items()}
    return [_from_standard(item) for item in value] if isinstance(value, list) else value
