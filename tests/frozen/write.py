"""Writes what no move may change: numbers, texts, messages and names of the package.

    python -m tests.frozen.write            # all sections
    python -m tests.frozen.write errors     # one of them

A change that moves code leaves the files as they are. One that changes words changes
nothing else in them, and its difference is read line by line. The numbers are those of the
newest dependencies. Processors differ in the last digits: lines that differ in these alone
stay as they are.
"""

import math
import re
import sys
from difflib import SequenceMatcher
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


NUMBER = re.compile(r"-?0x[01]\.[0-9a-f]+p[+-]\d+|-?\d+\.\d{9,}(?:e[+-]?\d+)?")
NEAR = 1e-9
"""Processors differ in the last digits; other digits are another number."""


def near(old, new):
    """Whether two lines are the same but for last digits."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    values = ((_value(one), _value(other)) for one, other in pairs)
    return all(
        math.isclose(one, other, rel_tol=NEAR, abs_tol=NEAR) for one, other in values
    )


def _value(text):
    return float.fromhex(text) if "0x" in text else float(text)


def with_old_digits(old, new):
    """New lines, but for old ones that are near them."""
    lines = [[NUMBER.sub("#", line) for line in each] for each in (old, new)]
    kept = list(new)
    # Opcodes of equal files would take as long as those of others.
    same = [("equal", 0, len(old), 0, len(new))]
    matched = SequenceMatcher(None, *lines, autojunk=False).get_opcodes
    for kind, i, end, j, _ in same if lines[0] == lines[1] else matched():
        if kind == "equal":
            pairs = zip(old[i:end], new[j:], strict=False)
            kept[j : j + end - i] = [a if near(a, b) else b for a, b in pairs]
    return kept


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
        path, new = path_of(section), text_of(section).splitlines()
        old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        text = "\n".join(with_old_digits(old, new)) + "\n"
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
