"""Check that names, docstrings and messages use the words of the glossary.

    python doc/check_words.py            # the package, and a line for each hit
    python doc/check_words.py --count    # hits by word

A name is called what it holds, and prose is that of scikit-learn and SciPy. Words that this
project once had of its own are listed here, with what takes their place.
"""

import argparse
import ast
import re
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "skcompare"

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
    r"told apart": "distinguished, significantly different",
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
"""Phrases of docstrings and messages, as patterns."""

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
    for path in sorted(PACKAGE.rglob("*.py")):
        for line, word, instead in hits(path):
            counts[word] += 1
            if not options.count:
                print(f"{path.relative_to(PACKAGE.parent)}:{line}: {word}: {instead}")
    if options.count:
        print(*(f"{n:>5} {word}" for word, n in counts.most_common()), sep="\n")
    return 1 if counts else 0


if __name__ == "__main__":
    raise SystemExit(main())
