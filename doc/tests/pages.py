"""The pages of the documentation, and what stands in them."""

import csv
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from benchmarks.page_tables import read_page

ROOT = Path(__file__).parents[2]
DOC = ROOT / "doc"
GUIDE = DOC / "user_guide"
GENERATED = {"_build", "api", "auto_examples", "upcoming_changes"}

PAGES = [
    path
    for path in (
        ROOT / "README.rst",
        ROOT / "CONTRIBUTING.rst",
        *sorted(DOC.rglob("*.rst")),
    )
    if path.exists() and not GENERATED & set(path.relative_to(ROOT).parts)
]

_DIRECTIVE = re.compile(r"( *)\.\. (\S+)::\s*(.*)")
# The text of a list begins after its mark, and what belongs to it is indented as far.
_MARGIN = re.compile(r" *(?:(?:\d+\.|[*-]) +)?")


def name_of(path):
    """How a page is called in messages."""
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """A block of code: its language is that of the directive, or "" after `::`."""

    page: Path
    line: int
    language: str
    code: str

    def __str__(self):
        return f"{name_of(self.page)}:{self.line}"

    @property
    def is_doctest(self):
        """Whether pytest runs the block as a doctest already."""
        return self.code.startswith(">>>")


def blocks(path):
    """All blocks of code of a page that are written there."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, start=1):
        directive = _DIRECTIVE.match(line)
        if directive and directive[2] in ("code", "code-block", "sourcecode"):
            language = directive[3]
        elif line.endswith("::") and not directive:
            language = ""
        else:
            continue
        code = _indented(lines, number, _MARGIN.match(line).end())
        yield Block(path, number, language, code)


def tables(path):
    """The rows of each `csv-table` of a page by its title, those that follow included."""
    found = {}
    lines = read_page(path).split("\n")
    for number, line in enumerate(lines, start=1):
        directive = _DIRECTIVE.match(line)
        if directive and directive[2] == "csv-table":
            body = _indented(lines, number, len(directive[1]))
            found.setdefault(directive[3], []).extend(csv.reader(body.split("\n")))
    return found


def folded_tables(path):
    """The line, the options, and the lines of the first table of each `folded-table`."""
    lines = read_page(path).split("\n")
    for number, line in enumerate(lines, start=1):
        directive = _DIRECTIVE.match(line)
        if not directive or directive[2] != "folded-table":
            continue
        end = next(k for k in range(number, len(lines)) if not lines[k].strip())
        option = r":([\w-]+): ((?:.|\n(?! *:))*)"
        found = re.findall(option, "\n".join(lines[number:end]))
        options = {name: " ".join(text.split()) for name, text in found}
        for k, inner in enumerate(lines[end:], start=end + 1):
            table = _DIRECTIVE.match(inner)
            if table and table[2] == "csv-table":
                yield number, options, _indented(lines, k, len(table[1])).split("\n")
            if table or (inner and not inner.startswith(directive[1] + " ")):
                break


def sections(path):
    """The text of each section of a page by its title, subsections included."""
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = [
        number
        for number in range(len(lines) - 1)
        if lines[number].strip() and re.fullmatch(r"-{3,}", lines[number + 1])
    ]
    ends = [*starts[1:], len(lines)]
    return {
        lines[start]: "\n".join(lines[start + 2 : end]) for start, end in zip(starts, ends)
    }


def _indented(lines, start, margin):
    """What is indented by more than `margin`, without the options of the directive."""
    body = []
    for line in lines[start:]:
        if line.strip() and len(line) - len(line.lstrip()) <= margin:
            break
        body.append(line)
    text = textwrap.dedent("\n".join(body)).strip("\n")
    return re.sub(r"\A(:[\w-]+:.*\n)+\n?", "", text)
