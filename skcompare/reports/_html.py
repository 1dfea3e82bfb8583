"""The report as one self-contained page: no script, no network, light and dark."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from skcompare.reports._rows import ComparisonRow
from skcompare.reports._text import (
    TEXT_COLUMNS,
    Section,
    design_words,
    notes,
    sections,
)

if TYPE_CHECKING:
    from skcompare.reports._comparison import Comparison

__all__ = [
    "comparison_html",
    "comparison_html_fragment",
    "html_page",
    "html_report",
    "html_table",
]

STYLE = """
.skcompare { --ink: #1d2733; --soft: #5b6775; --line: #d8dee6; --card: #f5f7fa;
  --mark: #1f6feb; color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .skcompare { --ink: #e6edf3; --soft: #9aa7b4;
  --line: #36404c; --card: #1a212b; --mark: #6cb0ff; } }
.skcompare h1 { font-size: 1.35em; margin: 0 0 .4em; }
.skcompare h2 { font-size: 1.05em; margin: 1.4em 0 .4em; }
.skcompare .verdict { background: var(--card); border-left: .3em solid var(--mark);
  padding: .7em 1em; margin: 0 0 1em; }
.skcompare .scroll { overflow-x: auto; }
.skcompare table { border-collapse: collapse; background: none; color: inherit; }
.skcompare th, .skcompare td { padding: .3em .7em; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums;
  background: none; color: inherit; }
.skcompare .text, .skcompare tbody th { text-align: left; }
.skcompare tr.primary th, .skcompare tr.primary td { font-weight: 600; }
.skcompare dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em;
  margin: 0; }
.skcompare dt, .skcompare .soft { color: var(--soft); }
.skcompare dd { margin: 0; overflow-wrap: anywhere; }
.skcompare svg { display: block; }
""".strip()

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
body {{ margin: 2em auto; max-width: 60em; padding: 0 1em; background: #fff; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #0f141b; }} }}
</style>
</head>
<body>
{body}
<script type="application/json" id="skcompare-comparison">{data}</script>
</body>
</html>
"""


def comparison_html(comparison: "Comparison") -> str:
    """A whole page; the comparison's JSON is embedded for machines."""
    title = f"{comparison.challenger} against {comparison.champion}"
    body = comparison_html_fragment(comparison, title)
    return html_page(title, body, comparison.to_json(indent=None))


def comparison_html_fragment(comparison: "Comparison", title: str = "") -> str:
    """The report without a page around it, for notebooks."""
    return html_report(
        title,
        comparison.conclusion.sentence,
        [_table(section) for section in sections(comparison)],
        [*notes(comparison), *comparison.caveats],
        _facts(comparison),
        _ensemble(comparison),
    )


def html_page(title: str, body: str, data: str) -> str:
    """A whole page around a report, with the JSON of it."""
    safe = data.replace("<", "\\u003c")
    return PAGE.format(title=escape(title), body=body, data=safe)


def html_report(
    title: str,
    sentence: str,
    tables: Sequence[str],
    remarks: Sequence[str],
    facts: Mapping[str, str],
    advice: str = "",
) -> str:
    """Verdict, tables, notes, advice and facts, in this order."""
    heading = f"<h1>{escape(title)}</h1>" if title else ""
    listed = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    notes_part = f"<h2>Notes</h2><ul>{listed}</ul>" if remarks else ""
    known = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(words)}</dd>" for name, words in facts.items()
    )
    return (
        f'<div class="skcompare"><style>{STYLE}</style>{heading}'
        f'<p class="verdict">{escape(sentence)}</p>'
        f"{''.join(tables)}{notes_part}{advice}<h2>How it was compared</h2>"
        f"<dl>{known}</dl></div>"
    )


def html_table(
    header: Sequence[str], cells: Sequence[Sequence[str]], text_columns: Sequence[str]
) -> str:
    """A table without pictures."""
    kinds = [' class="text"' if name in text_columns else "" for name in header]
    head = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(header, kinds)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(line, kinds))
        + "</tr>"
        for line in cells
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _ensemble(comparison: "Comparison") -> str:
    """The advice on combining both, with what each checkpoint found."""
    advice = comparison.advice
    if advice is None:
        return ""
    steps = "".join(f"<li>{escape(step.sentence)}</li>" for step in advice.steps)
    return f"<h2>Ensemble</h2><p>{escape(advice.sentence)}</p><ol>{steps}</ol>"


def _facts(comparison: "Comparison") -> dict[str, str]:
    return {
        "champion": comparison.champion,
        "challenger": comparison.challenger,
        "design": design_words(comparison),
        "level": f"alpha {comparison.alpha:g}, {comparison.alternative}",
        "random state": str(comparison.random_state),
        "versions": ", ".join(f"{name} {v}" for name, v in comparison.versions.items()),
    }


def _table(section: Section) -> str:
    limits = [(row.low, row.high, row.difference) for row in section.rows]
    reach = max((abs(value) for line in limits for value in line if value), default=0.0)
    head = "".join(
        f'<th scope="col"{_kind(name)}>{escape(name)}</th>' for name in section.header
    )
    body = "".join(
        _row(section, cells, row, reach)
        for cells, row in zip(section.cells, section.rows, strict=True)
    )
    picture = '<th scope="col">picture</th>' if _has_picture(section) else ""
    return (
        f'<div class="scroll"><table><thead><tr>{head}{picture}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def _has_picture(section: Section) -> bool:
    return section.kind == "difference"


def _row(section: Section, cells: list[str], row: ComparisonRow, reach: float) -> str:
    first, *others = cells
    names = section.header[1:]
    shown = "".join(
        f"<td{_kind(name)}>{escape(cell)}</td>"
        for name, cell in zip(names, others, strict=True)
    )
    primary = ' class="primary"' if row.primary else ""
    if _has_picture(section):
        shown += f"<td>{_picture(row, section.header[3], reach)}</td>"
    return f'<tr{primary}><th scope="row">{escape(first)}</th>{shown}</tr>'


def _kind(name: str) -> str:
    return ' class="text"' if name in TEXT_COLUMNS else ""


def _picture(row: ComparisonRow, difference: str, reach: float) -> str:
    """The difference and its interval on a line with a mark at 0."""
    if not reach or row.difference != row.difference:
        return ""

    def at(value: float) -> float:
        return round(60 + 55 * max(-1.0, min(1.0, value / reach)), 1)

    bar = ""
    if row.low is not None and row.high is not None:
        bar = (
            f'<line x1="{at(row.low)}" x2="{at(row.high)}" y1="9" y2="9" '
            'stroke="currentColor" stroke-width="2"/>'
        )
    label = f"{difference} {row.difference:+.3f}, 0 in the middle"
    return (
        f'<svg width="120" height="18" role="img" aria-label="{escape(label)}">'
        '<line x1="60" x2="60" y1="1" y2="17" stroke="currentColor" '
        'stroke-dasharray="2 2"/>'
        f'{bar}<circle cx="{at(row.difference)}" cy="9" r="4" fill="var(--mark)"/></svg>'
    )
