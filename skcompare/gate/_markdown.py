"""A decision as Markdown, for job summaries and pull requests."""

from skcompare.gate._outcomes import DecisionData
from skcompare.gate._shown import TEXT_COLUMNS, facts, headline, notes, shown_part, table
from skcompare.reports._text import markdown_table, markdown_text

# What hosts add to Markdown: struck text, formulas, quotes, and links without brackets.
ALSO_ESCAPED = {"~": "\\~", "$": "\\$", ">": "\\>", "://": "\\://", "www.": "www\\."}
SYMBOLS = {"passed": "✓", "inconclusive": "?"}
OTHER = "✗"


def decision_markdown(decision: DecisionData) -> str:
    """The verdict first, then conditions, reasons and what would settle them."""
    decision = shown_part(decision)
    symbol = SYMBOLS.get(decision.status, OTHER)
    found = [f"### {symbol} {_words(headline(decision))}", ""]
    if decision.outcomes:
        header, cells = table(decision)
        status = header.index("status")
        for row in cells:
            row[status] = f"{SYMBOLS.get(row[status], OTHER)} {row[status]}"
        rows = markdown_table(header, cells, TEXT_COLUMNS)
        found += [*map(_also_escaped, rows), ""]
    listed = [*notes(decision), *facts(decision).items()]
    found += [f"- {name}: {_words(words)}" for name, words in listed]
    return "\n".join(found) + "\n"


def _words(words: str) -> str:
    """Text that Markdown shows as it is, also where hosts add to it."""
    return _also_escaped(markdown_text(words))


def _also_escaped(line: str) -> str:
    for mark, escaped in ALSO_ESCAPED.items():
        line = line.replace(mark, escaped)
    return line
