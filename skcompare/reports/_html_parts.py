"""HTML elements of reports: text, tables, pictures and lists."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape

from skcompare._core.formatting import in_one_line

LONG = 30
"""Number of characters above which the text of a cell may be broken into lines."""
LONGEST = 120
"""Largest number of characters of a cell; the JSON has all of them."""
MOST_LINES = 30
"""Number of lines above which a table scrolls within its box; printed, it is whole."""


def text(content: object) -> str:
    """Escape text for HTML, and join it to one line."""
    return escape(in_one_line(str(content)))


def html_table(
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    text_columns: Sequence[str],
    *,
    caption: str = "",
    named_by: int = 0,
    first: str = "measure",
    marked: Collection[int] = (),
    drawings: Sequence[str] = (),
) -> str:
    """Return an HTML table in a scrollable box.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    cells : sequence of sequences of str
        The lines.
    text_columns : sequence of str
        Names of the columns of text, which are aligned to the left.
    caption : str
        What the table shows.
    named_by : int
        Index of the column that names the line.
    first : str
        Name of the first column if it has none.
    marked : collection of int
        Lines that are printed bold.
    drawings : sequence of str
        One HTML element per line for a further column, if there are any.
    """
    kinds = [' class="text"' if name in text_columns else "" for name in header]
    names = [name or first for name in header] + ["picture"] * bool(drawings)
    head = "".join(
        f'<th scope="col"{kind}>{text(name)}</th>'
        for name, kind in zip(names, [*kinds, ""], strict=False)
    )
    lines = []
    for k, line in enumerate(cells):
        shown = [
            _cell(cell, name in text_columns, column == named_by)
            for column, (cell, name) in enumerate(zip(line, header, strict=True))
        ]
        shown += [f"<td>{drawings[k]}</td>"] if drawings else []
        primary = ' class="primary"' if k in marked else ""
        lines.append(f"<tr{primary}>{''.join(shown)}</tr>")
    about = f"<caption><span>{text(caption)}</span></caption>" if caption else ""
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    tall = " tall" if len(lines) > MOST_LINES else ""
    return scrolling(f"<table>{about}{body}</table>", caption or "Table", tall)


def _cell(content: str, is_text: bool, is_name: bool) -> str:
    """Return a table cell; long text may wrap, and very long text is truncated."""
    if len(content) > LONGEST:
        content = f"{content[: LONGEST - 1].rstrip()}…"
    kinds = ["text"] * (is_text and not is_name) + ["long"] * (len(content) > LONG)
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    tag, scope = ("th", ' scope="row"') if is_name else ("td", "")
    return f"<{tag}{scope}{kind}>{text(content)}</{tag}>"


def scrolling(body: str, label: str, kind: str = "") -> str:
    """Return a scrollable box that is accessible by keyboard."""
    return (
        f'<div class="scroll{kind}" role="region" aria-label="{text(label)}" tabindex="0">'
        f"{body}</div>"
    )


def html_figure(svg: str, title: str, summary: str) -> str:
    """Return an HTML figure with its title and description."""
    return (
        f"<figure><h3>{text(title)}</h3>{scrolling(svg, title)}"
        f"<figcaption>{text(summary)}</figcaption></figure>"
    )


def html_figures(figures: Mapping[str, str]) -> str:
    """Return key numbers as a description list in large print."""
    shown = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(number)}</dd></div>"
        for name, number in figures.items()
    )
    return f'<dl class="figures">{shown}</dl>' if shown else ""


def html_facts(facts: Mapping[str, str]) -> str:
    """Return a description list of names and facts."""
    items = "".join(
        f"<dt>{text(name)}</dt><dd>{text(fact)}</dd>" for name, fact in facts.items()
    )
    return f"<dl>{items}</dl>"


def html_list(items: Iterable[str]) -> str:
    """Return an HTML list with one item per remark; empty if there are no remarks."""
    listed = "".join(f"<li>{text(item)}</li>" for item in items)
    return f"<ul>{listed}</ul>" if listed else ""
