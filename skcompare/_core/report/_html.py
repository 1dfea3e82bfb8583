"""Reports as HTML: self-contained pages without scripts, and fragments for notebooks."""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import NamedTuple

from skcompare._core.formatting import in_one_line, shortened
from skcompare._core.report._report import OUTCOMES, STATUS, Check, Report, Section, Table
from skcompare.exceptions import MissingDependencyError

LONG = 30
"""Number of characters above which the text of a cell may be broken into lines."""
LONGEST = 120
"""Largest number of characters of a cell; the JSON has all of them."""
MOST_LINES = 30
"""Number of lines above which a table scrolls within its box; printed, it is whole."""

OUTCOME_CLASSES = {"win": "found-win", "loss": "found-loss", "inconclusive": "found-open"}
"""Classes of CSS of outcomes, which share colours with no other part of a page."""
CLASSES = {"": "report", "passed": "gate-passed", "inconclusive": "gate-open"}
OTHER = "gate-failed"

DATA_ID = "skcompare-comparison"
LARGEST_LINK = 60_000
"""Largest number of bytes of JSON that a page also offers as a file to save."""

# By this policy the browser lets the page neither fetch nor run anything.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}
</style>
</head>
<body class="skcompare">
{body}
<script type="application/json" id="{data_id}">{data}</script>
</body>
</html>
"""


class Part(NamedTuple):
    """Part of a page: the id for links, the heading and the HTML."""

    name: str
    title: str
    body: str


SHOWN = ("verdict", "results", "conditions", "notes")
FOLDED = ("assumed", "next", "ensemble", "how")
"""Parts of a page that a fragment shows as well, and those that it shows on request."""

LIGHT = (
    'body[data-jp-theme-light="true"]',
    "body.vscode-light",
    "body.vscode-high-contrast-light",
)
DARK = (
    'body[data-jp-theme-light="false"]',
    "body.vscode-dark",
    # VS Code sets this class with that of light high contrast, too.
    "body.vscode-high-contrast:not(.vscode-high-contrast-light)",
)
"""Themes of JupyterLab, also as exported by nbconvert, and of VS Code."""
SCHEME = re.compile(r"\.skcompare \{ (--page: #.*?;)\s+(?:color:.*?)?\}", re.DOTALL)
"""Colours of a scheme in the style of a report, the light one first."""


def report_html(report: Report) -> str:
    """Return a report as an HTML page, with its JSON embedded."""
    return html_page(report.title, _body(report, _parts(report)), report.data)


def _parts(report: Report) -> list[Part]:
    """Return the parts of a page that are not empty."""
    figures, left_out = _figures(report)
    results, notes = _results(report, drawings=not figures)
    parts = [
        Part("verdict", "Verdict", _verdict(report)),
        Part("results", "Results", results),
        Part("conditions", "Conditions", "".join(map(_check, report.checks))),
        Part("notes", "Notes", notes),
        Part("pictures", "Pictures", f"{figures}{left_out}"),
        Part("assumed", "What was assumed", _assumptions(report)),
        Part("next", "What to do next", _list(report.steps)),
        Part("ensemble", "Ensemble", _advice(report.advice)),
        Part("how", report.settings_title, _facts(report.settings)),
        Part("data", "For machines", _data(report)),
    ]
    return [part for part in parts if part.body]


def report_html_fragment(report: Report) -> str:
    """Return a report as an HTML fragment for notebooks, without large figures."""
    shown, folded = "", ""
    for name, title, body in _parts(report):
        if name == "verdict" and not report.status:
            shown += f'<p class="verdict">{text(report.headline)}</p>'
        elif name in SHOWN:
            heading = "" if name in ("verdict", "results") else f"<h3>{title}</h3>"
            shown += f"{heading}{body}"
        elif name in FOLDED:
            folded += f"<details><summary>{title}</summary>{body}</details>"
    kind = f" {_class(report.outcome)}" if report.outcome else ""
    return (
        f'<div class="skcompare{kind}"><style>{_fragment_style()}</style>'
        f"{shown}{folded}</div>"
    )


@lru_cache(maxsize=1)
def _fragment_style() -> str:
    """Return the style of fragments, whose colours are those of the notebook's theme."""
    style = _style("report.css")
    light, dark, *_ = SCHEME.findall(style)
    # Without specificity of its own, so that the colour of an outcome stays.
    themes = "".join(
        f":where({', '.join(hosts)}) .skcompare {{ {colours} }}\n"
        for hosts, colours in ((LIGHT, light), (DARK, dark))
    )
    screen = f"@media screen and (forced-colors: none) {{\n{themes}}}\n"
    return f"{style}{_style('fragment.css')}{screen}"


def html_page(title: str, body: str, data: str) -> str:
    """Return an HTML page with embedded JSON."""
    # The JSON can neither end its element nor begin a comment.
    for character in "<>&":
        data = data.replace(character, f"\\u{ord(character):04x}")
    style = _style("report.css") + _style("page.css")
    return PAGE.format(
        title=text(title), body=body, data=data, data_id=DATA_ID, style=style.strip()
    )


def json_of_page(page: str) -> str:
    """Extract the JSON embedded in a page.

    Parameters
    ----------
    page : str
        The text of a page.

    Returns
    -------
    data : str
        The output of `to_json`.

    Raises
    ------
    ValueError
        If the text is not such a page.
    """
    _, mark, rest = str(page).rpartition(f'<script type="application/json" id="{DATA_ID}">')
    data, end, _ = rest.partition("</script>")
    if not mark or not end:
        raise ValueError(
            "Expected the text of a page that `to_html` wrote. Got text without the JSON "
            f"of one: no element of id {DATA_ID!r}. Read the whole file."
        )
    return data


def text(content: object) -> str:
    """Escape text for HTML, and join it to one line."""
    return escape(in_one_line(str(content)))


def _style(name: str) -> str:
    return files("skcompare._core.report").joinpath(name).read_text(encoding="utf-8")


def _class(outcome: str) -> str:
    return CLASSES.get(outcome, OTHER)


def _outcome_class(outcome: str) -> str:
    """Return the class of an outcome after another class."""
    return f" {OUTCOME_CLASSES[outcome]}" if outcome else ""


def _body(report: Report, parts: Sequence[Part]) -> str:
    """Return the body of a page: heading, links and all parts."""
    links = "".join(
        f'<li><a href="#{part.name}">{text(part.title)}</a></li>' for part in parts
    )
    sections = "\n".join(
        f'<section id="{part.name}" aria-labelledby="{part.name}-title">'
        f'<h2 id="{part.name}-title">{text(part.title)}</h2>\n{part.body}</section>'
        for part in parts
    )
    return (
        f'<a class="skip" href="#{parts[0].name}">Skip to the report</a>\n'
        f'<header><p class="kind">{text(report.kind)}</p>'
        f"<h1><bdi>{text(report.title)}</bdi></h1></header>\n"
        f'<nav aria-label="Parts of this page"><ul>{links}</ul></nav>\n'
        f'<main class="{_class(report.outcome)}">{sections}</main>'
    )


def _verdict(report: Report) -> str:
    """Return the verdict and its numbers."""
    status = text(report.status)
    if report.has_names:
        status = f"<bdi>{status}</bdi>"
    sentence = report.headline.removeprefix(f"{report.status}: ")
    kind = ' class="sentence"' if report.is_capitalized else ""
    numbers = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(number)}</dd></div>"
        for name, number in report.key_numbers.items()
    )
    if numbers:
        numbers = f'<dl class="figures">{numbers}</dl>'
    sign = ""
    if report.finding:
        sign = f'<span aria-hidden="true">{OUTCOMES[report.finding][0]}</span> '
    classes = f"verdict{_outcome_class(report.finding)}"
    return (
        f'<div class="{classes}"><p class="status">{sign}{status}</p>'
        f"<p{kind}>{text(sentence)}</p></div>{numbers}"
    )


def _results(report: Report, drawings: bool) -> tuple[str, str]:
    """Return the tables with the notes, which are a part of their own in a decision."""
    tables = "".join(_table(table, drawings) for table in report.tables)
    notes = "".join(
        f"{f'<h3>{heading}</h3>' if heading else ''}{_list(remarks)}"
        for heading, remarks in report.remarks.items()
        if remarks
    )
    return (tables, notes) if report.outcome else (f"{tables}{notes}", "")


def _table(table: Table, drawings: bool) -> str:
    """Return a table in a scrollable box."""
    header = list(table.header)
    named_by = header.index(table.named_by or header[0])
    order = list(range(len(header)))
    if STATUS in header:
        # The status is read first, even where the table has to be scrolled.
        order.insert(named_by + 1, order.pop(header.index(STATUS)))
    heads = [_head(header[k], table) for k in order]
    if any(table.outcomes):
        heads.insert(named_by + 1, '<th scope="col" class="text">outcome</th>')
    small = table.drawings() if drawings and table.drawings else ()
    lines = []
    for number, line in enumerate(table.cells):
        cells = [
            _cell(line[k], header[k] in table.text_columns, k == named_by) for k in order
        ]
        if any(table.outcomes):
            cells.insert(named_by + 1, _outcome(table.outcomes[number]))
        if small:
            cells.append(f"<td>{small[number]}</td>")
        kinds = ["primary"] * (number in table.marked)
        if any(table.outcomes):
            kinds += filter(None, [OUTCOME_CLASSES.get(table.outcomes[number])])
        kind = f' class="{" ".join(kinds)}"' if kinds else ""
        lines.append(f"<tr{kind}>{''.join(cells)}</tr>")
    if small:
        heads.append('<th scope="col">picture</th>')
    caption = f"<caption><span>{text(table.caption)}</span></caption>"
    body = f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(lines)}</tbody>"
    tall = " tall" if len(lines) > MOST_LINES else ""
    about = caption if table.caption else ""
    return _scrolling(f"<table>{about}{body}</table>", table.caption or "Table", tall)


def _outcome(outcome: str) -> str:
    """Return a table cell with the sign and the words of an outcome."""
    if not outcome:
        return '<td class="text"></td>'
    sign, label = OUTCOMES[outcome]
    content = f'<span aria-hidden="true">{sign}</span> {label}'
    return f'<td class="text outcome">{content}</td>'


def _head(name: str, table: Table) -> str:
    kind = ' class="text"' if name in table.text_columns else ""
    return f'<th scope="col"{kind}>{text(name or table.unnamed)}</th>'


def _cell(content: str, is_text: bool, is_name: bool) -> str:
    """Return a table cell; long text may wrap, and very long text is truncated."""
    content = shortened(content, LONGEST)
    kinds = ["text"] * (is_text and not is_name) + ["long"] * (len(content) > LONG)
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    tag, scope = ("th", ' scope="row"') if is_name else ("td", "")
    return f"<{tag}{scope}{kind}>{text(content)}</{tag}>"


def _scrolling(body: str, label: str, kind: str = "") -> str:
    """Return a scrollable box that is accessible by keyboard."""
    return (
        f'<div class="scroll{kind}" role="region" aria-label="{text(label)}" tabindex="0">'
        f"{body}</div>"
    )


def _check(check: Check, number: str | None = None) -> str:
    """Format a condition with its picture, reasons and parts."""
    name = "any of these" if check.parts else check.name
    number = f"{check.number}. " if number is None else number
    reasons = "".join(f"<li>{text(reason)}</li>" for reason in check.reasons)
    parts = "".join(_check(part, "") for part in check.parts)
    return (
        f'<div class="condition {_class(check.status)}"><p><strong>{number}'
        f"{text(name)}</strong>: {text(check.status)}</p>"
        f"{check.picture()}<ul>{reasons}</ul>{parts}</div>"
    )


def _figures(report: Report) -> tuple[str, str]:
    """Draw the figures; return them, and a paragraph on those that are left out."""
    left_out = list(report.left_out)
    try:
        drawn = "".join(
            f"<figure><h3>{text(figure.title)}</h3>"
            f"{_scrolling(figure.svg(), figure.title)}"
            f"<figcaption>{text(figure.summary)}</figcaption></figure>"
            for figure in report.figures
        )
    except MissingDependencyError as error:
        if report.must_draw:
            raise
        drawn, left_out = "", [f"all of them: {error}"]
    if not left_out:
        return drawn, ""
    listed = "; ".join(left_out)
    end = "" if listed.endswith(".") else "."
    about = f"Pictures that are left out: {text(listed)}{end}"
    return drawn, f'<p class="soft">{about}</p>'


def _assumptions(report: Report) -> str:
    about = report.about_assumptions
    sections = "".join(map(_section, report.assumptions))
    return f"<p>{text(about)}</p>{sections}" if about and sections else sections


def _section(section: Section) -> str:
    body = f"<h3>{text(section.title)}</h3>"
    body += f"<p><em>{text(section.question)}</em></p>" if section.question else ""
    body += "".join(f"<p>{text(paragraph)}</p>" for paragraph in section.text)
    body += _facts(section.facts)
    sources = "".join(
        f"<li>[{number}] {text(source)}</li>"
        for number, source in enumerate(section.sources, start=1)
    )
    if sources:
        body += f'<ul class="sources" aria-label="Sources">{sources}</ul>'
    return f'<div class="test">{body}</div>' if section.question else body


def _advice(advice: Sequence[str]) -> str:
    if not advice:
        return ""
    about, sentence, *reasons = map(text, advice)
    steps = "".join(f'<li class="sentence">{reason}</li>' for reason in reasons)
    return f'<p class="soft">{about}</p><p class="sentence">{sentence}</p><ol>{steps}</ol>'


def _facts(facts: Mapping[str, str]) -> str:
    """Return a description list of names and facts."""
    items = "".join(
        f"<dt>{text(name)}</dt><dd>{text(fact)}</dd>" for name, fact in facts.items()
    )
    return f"<dl>{items}</dl>" if items else ""


def _list(items: Iterable[str]) -> str:
    """Return an HTML list with one item per remark; empty if there are no remarks."""
    listed = "".join(f"<li>{text(item)}</li>" for item in items)
    return f"<ul>{listed}</ul>" if listed else ""


def _data(report: Report) -> str:
    """Return how to read the numbers in Python, with a JSON download if small."""
    package, _, name = report.reader.rpartition(".")
    body = (
        "<p>The numbers of this page are in it as JSON, all digits of them. In Python:</p>"
        '<pre tabindex="0" role="region" aria-label="Python code"><code>'
        f"from pathlib import Path\nfrom {package} import {name}\n\n"
        f'page = Path("report.html").read_text(encoding="utf-8")\n'
        f"result = {name}.from_html(page)</code></pre>"
    )
    raw = report.data.encode()
    if len(raw) <= LARGEST_LINK:
        coded = base64.b64encode(raw).decode()
        body += (
            f'<p class="screen"><a download="{text(report.file)}" '
            f'href="data:application/json;base64,{coded}">Save the JSON as a file</a></p>'
        )
    return body
