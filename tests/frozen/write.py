"""Writes what no move may change: numbers, texts, messages and names of the package.

    python -m tests.frozen.write            # all sections
    python -m tests.frozen.write errors     # one of them

A change that moves code leaves the files as they are. One that changes words changes
nothing else in them, and its difference is read line by line. The numbers are those of the
newest dependencies.
"""

import re
import sys
from pathlib import Path

from tests.frozen import displays, errors, gates, names, reports, results, shell

SECTIONS = {
    "displays": displays.lines,
    "errors": errors.lines,
    "gates": gates.lines,
    "names": names.lines,
    "reports": reports.lines,
    "results": results.lines,
    "shell": shell.lines,
}

FOLDER = Path(__file__).parent

PASSING = (
    # Seconds, versions and addresses are others each time.
    (re.compile(r"\b\d+(\.\d+)?(e-\d+)? (s|ms)\b"), "... s"),
    (re.compile(r'"seconds": [\d.e-]+'), '"seconds": ...'),
    (re.compile(r'time="[\d.e-]+"'), 'time="..."'),
    (re.compile(r"\b0x[0-9a-f]{6,}\b(?!p)"), "0x..."),
    (
        re.compile(
            r"\b(python|skcompare|scikit-learn|numpy|scipy|joblib|pandas|polars|narwhals"
            r'|pyarrow|matplotlib)(": "| )\d[\w.+]*'
        ),
        r"\1\2...",
    ),
)


SET = re.compile(r"\{('[\w-]+'(?:, '[\w-]+')+)\}")
"""Of strings, in an order that differs between processes."""


def in_order(found):
    """A set with its strings in the order of the alphabet."""
    return "{" + ", ".join(sorted(found.group(1).split(", "))) + "}"


def path_of(section):
    """Where a section is kept."""
    return FOLDER / f"{section}.txt"


def text_of(section):
    """What a section is now, without what passes."""
    text = "\n".join(str(line) for line in SECTIONS[section]()) + "\n"
    for pattern, steady in PASSING:
        text = pattern.sub(steady, text)
    return SET.sub(in_order, text)


def main(sections):
    for section in sections or SECTIONS:
        path_of(section).write_text(text_of(section), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
