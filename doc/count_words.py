"""Count the words that pages of the user guide show, or those of public docstrings.

    python doc/count_words.py                           # words per page, and in all
    python doc/count_words.py --limit 1200 --total 50000
    python doc/count_words.py --docstrings              # words per package

A page shows its text, tables, code with its output, formulas and references. Apart, as
"other", are tables folded behind a line to click, contents, labels and comments, and the
options of directives, such as texts for those who cannot see a chart. With limits the exit
code is 1 where a page, or all of them together, show more. Public docstrings are those of
public packages, of what their ``__all__`` names, and of its public methods.
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
_WORD = re.compile(r"\w")

HIDDEN = {"toctree", "raw", "only", "include", "literalinclude"}
"""Directives whose words are not those of the page."""
NAMED = {
    "code-block", "container", "figure", "folded-table", "list-table", "math", "plot",
    "versionadded", "versionchanged",
}  # fmt: skip
"""Directives whose argument is not shown, or is a file."""
TABLES = {"csv-table", "list-table", "table"}


def count(text):
    """The number of words that a page shows, and that of all others."""
    lines = text.split("\n")
    words = sum(map(_words, _shown(lines)))
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


def _shown(lines):
    """The lines among some that a page shows."""
    k = 0
    while k < len(lines):
        line, margin = lines[k].strip(), _indent(lines[k])
        if line != ".." and not line.startswith(".. "):
            yield line
            k += 1
            continue
        end = _end(lines, k + 1, margin)
        directive = _DIRECTIVE.match(line)
        if directive and directive[1] not in HIDDEN:
            if directive[1] not in NAMED:
                yield directive[2]
            content = _content(lines[k + 1 : end])
            if directive[1] == "folded-table":
                content = _unfolded(content)
            yield from _shown(content)
        elif line.startswith(".. ["):
            yield line
            yield from lines[k + 1 : end]
        k = end


def _content(lines):
    """The content of a directive, without its options and their lines."""
    k = 0
    while k < len(lines) and lines[k].strip():
        if not _OPTION.match(lines[k].strip()) and not k:
            break  # text that begins on the line of the directive goes on
        k += 1
    return lines[k:]


def _unfolded(lines):
    """What stands above the tables that are folded: the caption of their chart."""
    for k, line in enumerate(lines):
        directive = _DIRECTIVE.match(line.strip())
        if directive and directive[1] in TABLES:
            return lines[:k]
    return lines


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
    print("words  other  docstrings  part")
    for name, (words, others, number) in sorted(counts.items(), key=lambda item: item[1]):
        print(f"{words:5}  {others:5}  {number:10}  {name}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("pages", nargs="*", type=Path, help="pages (default: those of the user guide)")
    add("--limit", type=int, metavar="N", help="words that a page may show")
    add("--total", type=int, metavar="N", help="words that all pages together may show")
    add("--docstrings", action="store_true", help="words of public docstrings")
    options = parser.parse_args(argv)
    if options.docstrings:
        print_docstrings(PACKAGE)
        return 0
    pages = options.pages or sorted(GUIDE.glob("*.rst"))
    counts = {page: count(page.read_text(encoding="utf-8")) for page in pages}
    print("words  other  page")
    for page, (words, others) in sorted(counts.items(), key=lambda item: item[1][0]):
        print(f"{words:5}  {others:5}  {page.name}")
    total = sum(words for words, _ in counts.values())
    print(f"{total:5}  {sum(others for _, others in counts.values()):5}  in all")
    wrong = [
        f"{page.name} shows {words} words, {words - options.limit} above {options.limit}"
        for page, (words, _) in counts.items()
        if options.limit is not None and words > options.limit
    ]
    if options.total is not None and total > options.total:
        wrong.append(f"all pages show {total} words, more than {options.total}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
