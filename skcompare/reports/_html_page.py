"""Self-contained HTML pages of reports, without scripts and with embedded JSON."""

import base64
from collections.abc import Sequence
from typing import NamedTuple

from skcompare.reports._html_parts import text

# Text has a contrast of at least 4.5 to 1 on the page and on cards, lines and marks of
# pictures 3 to 1 (tested).
LIGHT = """--page: #ffffff; --card: #f5f7fa; --ink: #1d2733; --soft: #545f6c;
  --line: #d8dee6; --shade: #d8dee6; --mark: #0b57c2;
  --champion: #004e8a; --challenger: #b35c00;"""
DARK = """--page: #0f141b; --card: #1a212b; --ink: #e6edf3; --soft: #9aa7b4;
  --line: #36404c; --shade: #2a323c; --mark: #6cb0ff;
  --champion: #6cb0ff; --challenger: #f0a24a;"""
# The reader's palette: line style and mark still distinguish the two roles.
FORCED = """--page: Canvas; --card: Canvas; --ink: CanvasText; --soft: CanvasText;
  --line: GrayText; --shade: Canvas; --mark: LinkText;
  --champion: LinkText; --challenger: CanvasText;"""

STYLE = f"""
.skcompare {{ {LIGHT}
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }}
@media (prefers-color-scheme: dark) {{ .skcompare {{ {DARK} }} }}
@media (prefers-contrast: more) {{
  .skcompare {{ --soft: var(--ink); --line: var(--ink); }} }}
@media (forced-colors: active) {{ .skcompare {{ {FORCED} }}
  .skcompare svg {{ forced-color-adjust: none; }} }}
@media print {{ .skcompare {{ {LIGHT} }} }}
.skcompare h1 {{ font-size: 1.5em; line-height: 1.25; margin: 0 0 .5em; }}
.skcompare h2 {{ font-size: 1.2em; margin: 2em 0 .5em; }}
.skcompare h3 {{ font-size: 1em; margin: 1.4em 0 .3em; }}
.skcompare h1, .skcompare h2, .skcompare h3, .skcompare p, .skcompare li,
.skcompare figcaption, .skcompare caption {{ overflow-wrap: anywhere; }}
.skcompare .verdict {{ background: var(--card); border-left: .3em solid var(--mark);
  padding: .7em 1em; margin: 0 0 1em; }}
.skcompare .scroll {{ overflow-x: auto; margin: 0 0 1.2em; }}
.skcompare .scroll {{ background: linear-gradient(to right, var(--page) 40%, transparent),
  linear-gradient(to left, var(--page) 40%, transparent) right,
  linear-gradient(to right, var(--shade), transparent),
  linear-gradient(to left, var(--shade), transparent) right;
  background-attachment: local, local, scroll, scroll; background-repeat: no-repeat;
  background-size: 3em 100%, 3em 100%, 1em 100%, 1em 100%; }}
.skcompare table {{ border-collapse: collapse; background: none; color: inherit;
  font-size: .94em; }}
.skcompare caption {{ text-align: left; color: var(--soft); padding: 0 0 .3em; }}
.skcompare caption span {{ position: sticky; left: 0; display: inline-block;
  max-width: min(100%, calc(100vw - 2.2rem)); }}
.skcompare th, .skcompare td {{ padding: .3em .6em; text-align: right;
  white-space: nowrap; border-bottom: 1px solid var(--line); background: none;
  font-variant-numeric: tabular-nums; color: inherit; vertical-align: baseline; }}
.skcompare thead th {{ border-bottom: 2px solid var(--soft); vertical-align: bottom; }}
.skcompare .text, .skcompare tbody th {{ text-align: left; }}
.skcompare .long {{ white-space: normal; min-width: 12em; max-width: 22em;
  overflow-wrap: anywhere; }}
.skcompare .tall {{ max-height: 40em; overflow-y: auto; }}
.skcompare .tall thead th {{ position: sticky; top: 0; background: var(--card); }}
.skcompare tbody th {{ font-weight: inherit; }}
.skcompare tr.primary th, .skcompare tr.primary td {{ font-weight: 700; }}
.skcompare dl {{ display: grid; grid-template-columns: fit-content(11em) 1fr;
  gap: .2em 1em; margin: 0; }}
.skcompare dt, .skcompare .soft {{ color: var(--soft); }}
.skcompare dt, .skcompare dd {{ margin: 0; overflow-wrap: anywhere; }}
.skcompare svg {{ display: block; }}
""".strip()

PAGE_STYLE = """
html { scroll-padding-top: 1em; }
body { margin: 0 auto; padding: 1.2rem 1rem 3rem; max-width: 64rem;
  background: var(--page); box-sizing: border-box; }
a { color: var(--mark); }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
.skip { position: absolute; left: -99em; padding: .5em 1em; background: var(--page); }
.skip:focus { position: static; display: inline-block; }
.kind { color: var(--soft); margin: 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .2em 1.2em; list-style: none;
  margin: 0 0 1em; padding: .4em 0; border: solid var(--line); border-width: 1px 0; }
nav a { display: inline-block; padding: .2em 0; font-size: .94em; }
section > h2 { border-bottom: 1px solid var(--line); padding-bottom: .2em; }
.status { font-size: 1.35em; font-weight: 700; margin: 0 0 .3em; }
.sentence::first-letter { text-transform: uppercase; }
.verdict p { margin: 0 0 .5em; }
.verdict p:last-child { margin: 0; }
.figures { display: flex; flex-wrap: wrap; gap: .8em; margin: 0 0 1em; padding: 0; }
.skcompare .figures { display: flex; gap: .8em; }
.figures div { border: 1px solid var(--line); padding: .4em .9em; }
.figures dd { font-size: 1.15em; font-variant-numeric: tabular-nums; }
figure { margin: 0 0 2em; }
figcaption { color: var(--soft); max-width: 46em; }
.picture { max-width: 100%; height: auto; }
.picture * { stroke-linejoin: round; stroke-linecap: butt; }
.sources { font-size: .9em; color: var(--soft); padding-left: 0; list-style: none; }
.sources li { margin: .2em 0; }
.test { border-left: 2px solid var(--line); padding-left: 1em; }
code { overflow-wrap: anywhere; }
pre { background: var(--card); padding: .7em 1em; overflow-x: auto; margin: .4em 0; }
@page { margin: 14mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav, .skip, .screen { display: none; }
  h2, h3, caption, thead { break-after: avoid; }
  tr, figure, .verdict, .figures, .condition { break-inside: avoid; }
  thead { display: table-header-group; }
  .skcompare .scroll, pre { overflow: visible; max-height: none; }
  pre { white-space: pre-wrap; }
  .skcompare table { font-size: 8.5pt; }
  .skcompare th, .skcompare td { padding: .2em .5em; }
  .skcompare .text, .skcompare thead th { white-space: normal; }
  .skcompare .scroll { background: none; }
  .skcompare .picture { min-width: 0 !important; max-height: 24cm;
    width: min(100%, .75 * var(--natural)); }
  .verdict, .figures div { border: 1px solid var(--line); }
}
""".strip()


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
    """Part of a report: the id for links, the heading and the HTML."""

    name: str
    title: str
    body: str


def html_page(title: str, body: str, data: str, style: str = "") -> str:
    """Return the HTML page of a report, with embedded JSON."""
    styles = "\n".join(filter(None, (STYLE, PAGE_STYLE, style)))
    return PAGE.format(
        title=text(title), body=body, data=_within_page(data), data_id=DATA_ID, style=styles
    )


def html_report(kind: str, title: str, parts: Sequence[Part], status: str = "") -> str:
    """Return the body of a report page: heading, links and all parts that are not empty."""
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
    """Return the part on reading the numbers in Python, with a JSON download if small."""
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
            f"of one: no element of id {DATA_ID!r}. Read the file whole."
        )
    return data


def _within_page(data: str) -> str:
    """Escape JSON so that it can neither end its HTML element nor begin a comment."""
    for character in "<>&":
        data = data.replace(character, f"\\u{ord(character):04x}")
    return data
