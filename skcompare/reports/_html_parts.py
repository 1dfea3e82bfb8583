"""What reports are made of: words, tables, pictures, lists of facts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape

from skcompare._core.formatting import in_one_line

LONG = 30
"""Letters from which the words of a cell may be broken into lines."""
LONGEST = 120
"""Letters of a cell; the JSON has all of them."""
MOST_LINES = 30
"""Lines of a table; one with more scrolls within its box, and is whole on paper."""


def text(words: object) -> str:
    """Words as they are shown: nothing in them is taken for a tag or a line break."""
    return escape(in_one_line(str(words)))


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
    """A table in a box that scrolls by itself.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    cells : sequence of sequences of str
        The lines.
    text_columns : sequence of str
        Names of the columns that are words, and stand on the left.
    caption : str
        What the table shows.
    named_by : int
        The column that names its line.
    first : str
        What the first column is called where it has no name.
    marked : collection of int
        Lines that are printed bold.
    drawings : sequence of str
        An element a line that stands in a further column, if there are any.
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


def _cell(words: str, is_text: bool, is_name: bool) -> str:
    """A cell; only long words may be broken, and very long ones are cut."""
    if len(words) > LONGEST:
        words = f"{words[: LONGEST - 1].rstrip()}…"
    kinds = ["text"] * (is_text and not is_name) + ["long"] * (len(words) > LONG)
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    tag, scope = ("th", ' scope="row"') if is_name else ("td", "")
    return f"<{tag}{scope}{kind}>{text(words)}</{tag}>"


def scrolling(body: str, label: str, kind: str = "") -> str:
    """A box that is wider inside than outside; the keyboard reaches it, to scroll."""
    return (
        f'<div class="scroll{kind}" role="region" aria-label="{text(label)}" tabindex="0">'
        f"{body}</div>"
    )


def html_figure(svg: str, title: str, summary: str) -> str:
    """A picture with what it shows in words."""
    return (
        f"<figure><h3>{text(title)}</h3>{scrolling(svg, title)}"
        f"<figcaption>{text(summary)}</figcaption></figure>"
    )


def html_figures(figures: Mapping[str, str]) -> str:
    """The few numbers that matter most, large."""
    shown = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(number)}</dd></div>"
        for name, number in figures.items()
    )
    return f'<dl class="figures">{shown}</dl>' if shown else ""


def html_facts(facts: Mapping[str, str]) -> str:
    """Names and what they are."""
    known = "".join(
        f"<dt>{text(name)}</dt><dd>{text(words)}</dd>" for name, words in facts.items()
    )
    return f"<dl>{known}</dl>"


def html_list(items: Iterable[str]) -> str:
    """Remarks, one a line; nothing where there are none."""
    listed = "".join(f"<li>{text(item)}</li>" for item in items)
    return f"<ul>{listed}</ul>" if listed else ""
