"""What was assumed: by the design, and by each test, in the words of its own docstring."""

import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.formatting import INFERENCE_WORDS
from skcompare._registry.tests import PairedTestEntry, paired_tests

SECTION = re.compile(r"\n([A-Z][A-Za-z ]+)\n-{3,}\n")
ROLE = re.compile(r":[a-z]+:`~?(?:[\w.]*\.)?(\w+)(?: <[^>]+>)?`")
QUOTED = re.compile(r"``?([^`]+)``?")
STRESSED = re.compile(r"\*([A-Za-z]+)\*")
CITATION = re.compile(r"\[(\d+)\]_")
SOURCE = re.compile(r"\.\. \[(\d+)\] ")


@dataclass(frozen=True, slots=True)
class Assumed:
    """What a test asks and takes for granted.

    Attributes
    ----------
    test, title : str
        Its name, and what the literature calls it.
    question : str
        What it answers.
    words : tuple of str
        Its null hypothesis and assumptions, a paragraph each.
    about : str
        What its conclusion speaks of.
    valid : bool or None
        Whether it is valid for the design of the comparison; None where that is not known.
    cautious : bool
        Whether it calls for caution even there, as a caveat says.
    caveats : tuple of str
        What is to be known of its results here.
    sources : tuple of str
        The publications behind it.
    """

    test: str
    title: str
    question: str
    words: tuple[str, ...]
    about: str
    valid: bool | None
    cautious: bool
    caveats: tuple[str, ...]
    sources: tuple[str, ...]


def assumed_of_tests(
    tests: Iterable[tuple[str | None, Iterable[str]]], design: Design | None
) -> list[Assumed]:
    """What each test assumes, in the order of their first appearance.

    Parameters
    ----------
    tests : iterable of (str or None, iterable of str)
        The name of a row's test, if it has one, and the row's flags.
    design : Design or None
        How the evidence was collected, where that is known.
    """
    flags: dict[str, dict[str, None]] = {}
    for name, codes in tests:
        if name is not None:
            flags.setdefault(name, {}).update(dict.fromkeys(codes))
    known = paired_tests()
    # A stored comparison may have a test that was registered by somebody else.
    return [
        assumed_by(known[name], design, tuple(flags[name]))
        for name in flags
        if name in known
    ]


def assumed_by(
    entry: PairedTestEntry, design: Design | None, flags: Iterable[str]
) -> Assumed:
    """What one test assumes, read from its docstring."""
    question, words, sources = _said_in(inspect.getdoc(entry.function) or "")
    return Assumed(
        test=entry.name,
        title=entry.title,
        question=question,
        words=words,
        about=INFERENCE_WORDS[entry.inference],
        valid=None if design is None else entry.valid_for(design),
        cautious=bool(entry.caution),
        caveats=tuple(explain(dict.fromkeys((*flags, *filter(None, [entry.caution]))))),
        sources=sources or entry.references,
    )


@lru_cache(maxsize=256)
def _said_in(doc: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The question, the paragraphs after it, and the sources of a docstring."""
    parts = _parts_of(doc)
    question, _, rest = parts[""].partition("\n\n")
    found = SOURCE.split(parts.get("References", ""))[2::2]
    return (
        _plain(question),
        tuple(_plain(one) for one in rest.split("\n\n") if _is_prose(one)),
        tuple(" ".join(source.split()) for source in found),
    )


def _parts_of(doc: str) -> dict[str, str]:
    """The sections of a docstring by their headings; what stands before them has none."""
    first, *rest = SECTION.split(f"\n{doc}")
    return {"": first.strip()} | {
        heading: body.strip() for heading, body in zip(rest[::2], rest[1::2])
    }


def _is_prose(paragraph: str) -> bool:
    return bool(paragraph.strip()) and not paragraph.startswith((" ", "..", "="))


def _plain(words: str) -> str:
    """Words without the marks that Sphinx reads."""
    plain = ROLE.sub(r"\1", " ".join(words.split()))
    return CITATION.sub(r"[\1]", STRESSED.sub(r"\1", QUOTED.sub(r"\1", plain)))
