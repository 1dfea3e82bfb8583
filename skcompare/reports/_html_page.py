"""A whole page around a report: no script, nothing to fetch, the numbers within it."""

import base64
from collections.abc import Sequence
from typing import NamedTuple

from skcompare.reports._html_parts import text
from skcompare.reports._html_style import PAGE_STYLE, STYLE

DATA_ID = "skcompare-comparison"
LARGEST_LINK = 60_000
"""Bytes of JSON up to which a page holds them again, as a file to save."""

# The policy makes the browser refuse whatever the page could fetch or run.
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
    """A part of the report: the word that links to it, its heading, and what is in it."""

    name: str
    title: str
    body: str


def html_page(title: str, body: str, data: str, style: str = "") -> str:
    """A whole page around a report, with the JSON of it."""
    styles = "\n".join(filter(None, (STYLE, PAGE_STYLE, style)))
    return PAGE.format(
        title=text(title), body=body, data=_within_page(data), data_id=DATA_ID, style=styles
    )


def html_report(kind: str, title: str, parts: Sequence[Part], status: str = "") -> str:
    """Heading, links to the parts, and the parts; those without anything are left out."""
    parts = [part for part in parts if part.body]
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
        f'<header><p class="kind">{text(kind)}</p>'
        f"<h1><bdi>{text(title)}</bdi></h1></header>\n"
        f'<nav aria-label="Parts of this page"><ul>{links}</ul></nav>\n'
        f'<main class="{status or "report"}">{sections}</main>'
    )


def data_part(data: str, reader: str, file_name: str) -> Part:
    """How to get at the numbers: in Python, and as a file where they are few."""
    package, _, name = reader.rpartition(".")
    body = (
        "<p>The numbers of this page are in it as JSON, all digits of them. In Python:</p>"
        '<pre tabindex="0" role="region" aria-label="Python code"><code>'
        f"from pathlib import Path\nfrom {package} import {name}\n\n"
        f'page = Path("report.html").read_text(encoding="utf-8")\n'
        f"result = {name}.from_html(page)</code></pre>"
    )
    raw = data.encode()
    if len(raw) <= LARGEST_LINK:
        coded = base64.b64encode(raw).decode()
        body += (
            f'<p class="screen"><a download="{text(file_name)}" '
            f'href="data:application/json;base64,{coded}">Save the JSON as a file</a></p>'
        )
    return Part("data", "For machines", body)


def json_of_page(page: str) -> str:
    """The JSON that a page holds.

    Parameters
    ----------
    page : str
        The text of a page.

    Returns
    -------
    data : str
        What `to_json` wrote.

    Raises
    ------
    ValueError
        If the text is no such page.
    """
    _, mark, rest = str(page).rpartition(f'<script type="application/json" id="{DATA_ID}">')
    data, end, _ = rest.partition("</script>")
    if not mark or not end:
        raise ValueError(
            "Expected the text of a page that `to_html` wrote. Got text without the JSON "
            f"of one: no element of id {DATA_ID!r}. Read the file whole."
        )
    return data


def _within_page(data: str) -> str:
    """JSON in which nothing ends the element or begins a comment."""
    for sign in "<>&":
        data = data.replace(sign, f"\\u{ord(sign):04x}")
    return data
