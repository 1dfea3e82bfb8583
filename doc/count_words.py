"""Count the words of prose on the pages of the user guide, or in public docstrings.

    python doc/count_words.py                           # words per page, and in all
    python doc/count_words.py --limit 1200 --total 50000
    python doc/count_words.py --docstrings              # words per package

Prose is what is read from the first line to the last: paragraphs, lists, titles, notes and
captions. Tables, code, doctests, formulas, comments, options and arguments of directives,
footnotes and tables of contents are counted apart, as "other". With limits the exit code is
1 where a page, or all of them together, have more. Public docstrings are those of public
packages, of what their ``__all__`` names, and of its public methods.
"""

import argparse
import ast
import re
from collections import defaultdict
from pathlib import Path

GUIDE = Path(__file__).parent / "user_guide"
PACKAGE = Path(__file__).parents[1] / "skcompare"

_DIRECTIVE = re.compile(r"\.\. (?:\|[^|]+\| )?([\w:-]+)::(.*)")
_OPTION = re.compile(r":[\w-]+:( |$)")
_RULED = re.compile(r"([=+-])[=+ -]*$")
"""The lines of simple and of grid tables; those below a title are a single word."""
_WORD = re.compile(r"\w")

READ = {
    "admonition", "caution", "container", "figure", "folded-table", "hint", "important",
    "note", "rubric", "seealso", "sidebar", "tip", "topic", "versionadded",
    "versionchanged", "warning",
}  # fmt: skip
"""Directives whose content is prose; what they hold is looked at in the same way."""
NAMED = {"container", "figure", "folded-table", "versionadded", "versionchanged"}
"""Those among them whose argument is no prose."""


def count(text):
    """The number of words of prose of a page, and that of all others."""
    lines = text.split("\n")
    words = sum(map(_words, _prose(lines)))
    return words, sum(map(_words, lines)) - words


def _words(line):
    return sum(bool(_WORD.search(word)) for word in line.split())


def _indent(line):
    return len(line) - len(line.lstrip())


def _end(lines, start, margin):
    """Where the lines end that are indented by more than `margin`, or are blank."""
    while start < len(lines):
        if lines[start].strip() and _indent(lines[start]) <= margin:
            break
        start += 1
    return start


def _prose(lines):
    """The lines of prose among some."""
    k = 0
    while k < len(lines):
        line, margin = lines[k].strip(), _indent(lines[k])
        if line.startswith(".."):
            end = _end(lines, k + 1, margin)
            directive = _DIRECTIVE.match(line)
            if directive and directive[1] in READ:
                if directive[1] not in NAMED:
                    yield directive[2]
                yield from _prose(_content(lines[k + 1 : end]))
            k = end
        elif line.startswith(">>>") or _is_table(line):
            while k < len(lines) and lines[k].strip():
                k += 1
        else:
            yield line
            k += 1
            if line.endswith("::"):
                # The text of a list begins after its mark, and code is indented farther.
                mark = re.match(r"(?:\d+\.|[*-]) +", line)
                k = _end(lines, k, margin + (mark.end() if mark else 0))


def _content(lines):
    """The content of a directive, without its options and their lines."""
    k = 0
    while k < len(lines) and lines[k].strip():
        if not _OPTION.match(lines[k].strip()) and not k:
            break  # text that begins on the line of the directive goes on
        k += 1
    return lines[k:]


def _is_table(line):
    """Whether a line begins a simple or a grid table."""
    return bool(_RULED.match(line)) and (" " in line or line.startswith("+"))


def docstrings(root):
    """Public docstrings below a package, in one list per file."""
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*.py"))
    }
    exported = {name for tree in trees.values() for name in _exported(tree)}
    found = defaultdict(list)
    for path, tree in trees.items():
        own = [tree] if path.name == "__init__.py" and _exported(tree) else []
        for node in tree.body:
            if isinstance(node, _DEFINED) and node.name in exported:
                public = (m for m in node.body if isinstance(m, _DEFINED))
                own += [node, *(m for m in public if not m.name.startswith("_"))]
        found[path] = [text for node in own if (text := ast.get_docstring(node))]
    return found


_DEFINED = ast.ClassDef | ast.FunctionDef


def _exported(tree):
    """The names of ``__all__``."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [ast.literal_eval(each) for each in getattr(node.value, "elts", [])
                    if isinstance(each, ast.Constant)]  # fmt: skip
    return []


def print_docstrings(root):
    """Words of public docstrings below a package: of each part of it, and in all."""
    counts = defaultdict(lambda: [0, 0, 0])
    for path, texts in docstrings(root).items():
        part = path.relative_to(root).parts[0]
        for text in texts:
            for name in (part, "in all"):
                counts[name] = [a + b for a, b in zip(counts[name], (*count(text), 1))]
    print("prose  other  docstrings  part")
    for name, (words, others, number) in sorted(counts.items(), key=lambda item: item[1]):
        print(f"{words:5}  {others:5}  {number:10}  {name}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("pages", nargs="*", type=Path, help="pages (default: those of the user guide)")
    add("--limit", type=int, metavar="N", help="words that a page may have")
    add("--total", type=int, metavar="N", help="words that all pages together may have")
    add("--docstrings", action="store_true", help="words of public docstrings")
    options = parser.parse_args(argv)
    if options.docstrings:
        print_docstrings(PACKAGE)
        return 0
    pages = options.pages or sorted(GUIDE.glob("*.rst"))
    counts = {page: count(page.read_text(encoding="utf-8")) for page in pages}
    print("prose  other  page")
    for page, (words, others) in sorted(counts.items(), key=lambda item: item[1][0]):
        print(f"{words:5}  {others:5}  {page.name}")
    total = sum(words for words, _ in counts.values())
    print(f"{total:5}  {sum(others for _, others in counts.values()):5}  in all")
    wrong = [
        f"{page.name} has {words} words, {words - options.limit} more than {options.limit}"
        for page, (words, _) in counts.items()
        if options.limit is not None and words > options.limit
    ]
    if options.total is not None and total > options.total:
        wrong.append(f"all pages have {total} words, more than {options.total}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
