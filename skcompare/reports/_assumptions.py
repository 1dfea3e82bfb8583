"""Assumptions of tests, read from their docstrings."""

import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.formatting import INFERENCE_TEXT
from skcompare._registry.tests import PairedTestEntry, paired_tests

SECTION = re.compile(r"\n([A-Z][A-Za-z ]+)\n-{3,}\n")
ROLE = re.compile(r":[a-z]+:`~?(?:[\w.]*\.)?(\w+)(?: <[^>]+>)?`")
QUOTED = re.compile(r"``?([^`]+)``?")
STRESSED = re.compile(r"\*([A-Za-z]+)\*")
CITATION = re.compile(r"\[(\d+)\]_")
SOURCE = re.compile(r"\.\. \[(\d+)\] ")


@dataclass(frozen=True, slots=True)
class Assumed:
    """Question and assumptions of a test.

    Attributes
    ----------
    test, title : str
        Its name, and its title in the literature.
    question : str
        The question that it answers.
    text : tuple of str
        Its null hypothesis and assumptions, one paragraph each.
    about : str
        Subject of its conclusion.
    valid : bool or None
        Whether it is valid for the design of the comparison; None if that is not known.
    cautious : bool
        Whether it calls for caution even then, as a caveat says.
    caveats : tuple of str
        Caveats of its results.
    sources : tuple of str
        Publications about it.
    """

    test: str
    title: str
    question: str
    text: tuple[str, ...]
    about: str
    valid: bool | None
    cautious: bool
    caveats: tuple[str, ...]
    sources: tuple[str, ...]


def assumed_of_tests(
    tests: Iterable[tuple[str | None, Iterable[str]]], design: Design | None
) -> list[Assumed]:
    """Return the assumptions of each test, in the order of first appearance.

    Parameters
    ----------
    tests : iterable of (str or None, iterable of str)
        The name of a row's test, if it has one, and the row's flags.
    design : Design or None
        How the evidence was collected, if that is known.
    """
    flags: dict[str, dict[str, None]] = {}
    for name, codes in tests:
        if name is not None:
            flags.setdefault(name, {}).update(dict.fromkeys(codes))
    registered = paired_tests()
    # A stored comparison may have a test that is not registered here.
    return [
        assumed_by(registered[name], design, tuple(flags[name]))
        for name in flags
        if name in registered
    ]


def assumed_by(
    entry: PairedTestEntry, design: Design | None, flags: Iterable[str]
) -> Assumed:
    """Return the assumptions of one test, read from its docstring."""
    question, paragraphs, sources = _read_docstring(inspect.getdoc(entry.function) or "")
    return Assumed(
        test=entry.name,
        title=entry.title,
        question=question,
        text=paragraphs,
        about=INFERENCE_TEXT[entry.inference],
        valid=None if design is None else entry.valid_for(design),
        cautious=bool(entry.caution),
        caveats=tuple(explain(dict.fromkeys((*flags, *filter(None, [entry.caution]))))),
        sources=sources or entry.references,
    )


@lru_cache(maxsize=256)
def _read_docstring(doc: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Split a docstring into its question, the following paragraphs and the sources."""
    parts = _parts_of(doc)
    question, _, rest = parts[""].partition("\n\n")
    sources = SOURCE.split(parts.get("References", ""))[2::2]
    return (
        _plain(question),
        tuple(_plain(part) for part in rest.split("\n\n") if _is_prose(part)),
        tuple(" ".join(source.split()) for source in sources),
    )


def _parts_of(doc: str) -> dict[str, str]:
    """Return the sections of a docstring by heading, the leading text without heading."""
    summary, *rest = SECTION.split(f"\n{doc}")
    return {"": summary.strip()} | {
        heading: body.strip() for heading, body in zip(rest[::2], rest[1::2])
    }


def _is_prose(paragraph: str) -> bool:
    return bool(paragraph.strip()) and not paragraph.startswith((" ", "..", "="))


def _plain(text: str) -> str:
    """Remove Sphinx markup."""
    plain = ROLE.sub(r"\1", " ".join(text.split()))
    return CITATION.sub(r"[\1]", STRESSED.sub(r"\1", QUOTED.sub(r"\1", plain)))
