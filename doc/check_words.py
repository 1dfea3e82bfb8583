"""Check that names, docstrings, messages and pages use the words of the glossary.

    python doc/check_words.py            # package and pages, and a line for each hit
    python doc/check_words.py --count    # hits by word

A name is called what it holds, and prose is that of scikit-learn and SciPy. Words that this
project once had of its own are listed here, with what takes their place.
"""

import argparse
import ast
import re
from collections import Counter
from pathlib import Path

DOC = Path(__file__).parent
PACKAGE = DOC.parent / "skcompare"

NAMES = {
    "answers": "predictions",
    "asked": "requested, options",
    "found": "the thing itself: result, row, evidence",
    "given": "the thing itself: options, inputs",
    "one": "the thing itself",
    "said": "reported, declared",
    "told": "reported, declared",
    "wanted": "required",
    "words": "text, label, message",
}
"""Names of variables, parameters and attributes, and what takes their place."""

PHRASES = {
    r"(?:told|tell|tells|telling) (?:\w+ )?apart": "distinguished, significantly different",
    r"told from": "distinguished from",
    r"(?:lie|lies|lay) wholly|wholly where": "entirely above, favour",
    r"wholly": "entirely",
    r"speaks? (?:of|for)": "is about, refers to, favours",
    r"[Ww]ho(?:ever)? (?:knows|looks|wants|has|needs)": "if you know, ...",
    r"as often as (?:one|you) likes?": "any number of times",
    r"in unlike ways|unlike ways": "in different ways",
    r"[Ww]here to read on": "What next",
    r"takes? (?:chance|it|this|them) for": "assumes, mistakes",
    r"the same way round": "in the same direction",
    r"asked again": "run repeatedly",
    r"Not to be \w+": "a clause with a subject",
    r"asked for": "requested",
    r"so many": "the number",
    r"anew": "again",
    r"a (?:row|record|class|test|fold|split|line|pair) a \w+": "one ... per ...",
    r"losses? a record": "loss of each record",
    r"letters of": "characters of",
    r"lean(?:s|ing)?": "skewness, skewed",
    r"tests? of bets": "e-processes",
    r"is nothing else": "rewrite",
    r"(?:right|wrong) answers?": "correct or incorrect predictions",
    r"(?:the|its|these|stored|no|both) answers": "predictions",
}
"""Phrases of docstrings, messages and pages, as patterns."""

_COMMAND = re.compile(r"\s*(\$ |>>> |\.\.\. |:[\w-]+:)")
_TABLE = ".. csv-table::"

OPENINGS = ("What ", "Which ", "How ", "Where ")
"""Words that begin no docstring but a question: it names the thing or the act."""


def hits(path):
    """Lines that use a word of the list: number, word, what takes its place."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        for name in names_of(node):
            if name.strip("_") in NAMES:
                yield node.lineno, name, NAMES[name.strip("_")]
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for pattern, instead in PHRASES.items():
                for match in re.finditer(rf"\b(?:{pattern})\b", node.value):
                    yield node.lineno, match.group(), instead
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            if text.startswith(OPENINGS) and not text.partition("\n")[0].endswith("?"):
                line = getattr(node, "lineno", 1)
                yield line, text.partition(" ")[0], "a noun or a verb at the beginning"


def hits_of_page(path):
    """Lines of a page that use a phrase: number, phrase, what takes its place.

    Code and the tables that commands print are left out.
    """
    margin = None
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        indent = len(line) - len(line.lstrip())
        if margin is not None and (not line.strip() or indent > margin):
            continue
        margin = indent if line.lstrip().startswith(_TABLE) else None
        if margin is not None or _COMMAND.match(line):
            continue
        for pattern, instead in PHRASES.items():
            for match in re.finditer(rf"\b(?:{pattern})\b", line):
                yield number, match.group(), instead


def names_of(node):
    """Names that a node binds."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", action="store_true", help="hits by word")
    options = parser.parse_args()
    counts = Counter()
    pages = [*DOC.glob("*.rst"), *(DOC / "user_guide").glob("*.rst")]
    for path in sorted([*PACKAGE.rglob("*.py"), *pages]):
        for line, word, instead in (hits if path.suffix == ".py" else hits_of_page)(path):
            counts[word] += 1
            if not options.count:
                print(f"{path.relative_to(PACKAGE.parent)}:{line}: {word}: {instead}")
    if options.count:
        print(*(f"{n:>5} {word}" for word, n in counts.most_common()), sep="\n")
    return 1 if counts else 0


if __name__ == "__main__":
    raise SystemExit(main())
