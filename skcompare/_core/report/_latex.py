"""Tables of reports for papers: LaTeX with the rules of booktabs, and Markdown."""

import re

from skcompare._core.formatting import in_one_line
from skcompare._core.report._report import Report, Table

ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "×": r"$\times$",
    "²": r"$^2$",
    "±": r"$\pm$",
}
NUMBER = re.compile(r"([+-]?)(\d[\d.]*)(?:e([+-]?)0*(\d+))?")
"""A number by itself, perhaps with an exponent."""


def latex_text(text: str) -> str:
    """Escape text for LaTeX."""
    return "".join(ESCAPED.get(character, character) for character in in_one_line(text))


def report_latex(report: Report, label: str | None = None) -> str:
    """Return the tables of a report for LaTeX, which needs the package booktabs."""
    tables = []
    for k, table in enumerate(report.tables):
        name = label if label is None or k == 0 else f"{label}-{k + 1}"
        tables.append(_table(table, name))
    return "\n".join(tables)


def _table(table: Table, label: str | None) -> str:
    columns = "".join("l" if name in table.text_columns else "r" for name in table.header)
    head = [latex_text(name) for name in table.header]
    lines = []
    for k, cells in enumerate(table.cells):
        formatted = [_cell(cell) for cell in cells]
        if k in table.marked:
            formatted = [rf"\textbf{{{cell}}}" if cell else "" for cell in formatted]
        lines.append(f"{' & '.join(formatted)} \\\\")
    caption = latex_text(table.caption)
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            *([rf"\caption{{{caption}.}}"] if caption else []),
            *([rf"\label{{{label}}}"] if label else []),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            f"{' & '.join(head)} \\\\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _cell(text: str) -> str:
    """Format a cell; numbers have a minus sign, and powers of ten."""
    if not NUMBER.fullmatch(text):
        interval = re.fullmatch(r"\[(.+), (.+)\]", text)
        if interval is None or not all(map(NUMBER.fullmatch, interval.groups())):
            return latex_text(text)
        # Braces, because a line may not begin with an optional argument of the last one.
        return f"{{[{', '.join(map(_cell, interval.groups()))}]}}"
    return NUMBER.sub(_number, text)


def _number(match: re.Match[str]) -> str:
    # Digits stay text, which can be bold; a hyphen would be too short for a minus.
    sign, digits, minus, exponent = match.groups()
    number = f"${sign}${digits}" if sign else digits
    if exponent is None:
        return number
    return rf"{number}\,$\times$\,10$^{{{minus.replace('+', '')}{exponent}}}$"
