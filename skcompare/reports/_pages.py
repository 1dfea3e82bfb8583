"""Parts of pages: assumptions of tests, read from their docstrings, and figures."""

import inspect
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.formatting import inference_text
from skcompare._core.report import Figure, Section
from skcompare._registry.tests import PairedTestEntry, paired_tests
from skcompare.reports._sources import docstring_parts, sources_in

ROLE = re.compile(r":[a-z]+:`~?(?:[\w.]*\.)?(\w+)(?: <[^>]+>)?`")
QUOTED = re.compile(r"``?([^`]+)``?")
STRESSED = re.compile(r"\*([A-Za-z]+)\*")
CITATION = re.compile(r"\[(\d+)\]_")

VALID = "yes, for {}"
CAUTION = "it was designed for {}, but requires caution: see the caveats"
NOT_VALID = "no: it is not valid for {}, and its error rate is not the stated one"


def assumptions_of(
    tests: Iterable[tuple[str | None, Iterable[str]]],
    design: Design | None,
    subject: str = "two",
) -> list[Section]:
    """Return the assumptions of a design and of each test, in the order of appearance.

    Parameters
    ----------
    tests : iterable of (str or None, iterable of str)
        The name of a row's test, if it has one, and the row's flags.
    design : Design or None
        How the evidence was collected, if that is known.
    subject : str, default="two"
        "the" where some tests are of all classifiers, and others of each pair of them.
    """
    flags: dict[str, dict[str, None]] = {}
    for name, codes in tests:
        if name is not None:
            flags.setdefault(name, {}).update(dict.fromkeys(codes))
    registered = paired_tests()
    sections = []
    if design is not None:
        sections.append(Section(f"The design: {design}", [design.assumption]))
    # A stored comparison may have a test that is not registered here.
    return sections + [
        _section(registered[name], design, flags[name], subject)
        for name in flags
        if name in registered
    ]


def _section(
    entry: PairedTestEntry, design: Design | None, flags: Iterable[str], subject: str
) -> Section:
    """Return the assumptions of one test, read from its docstring."""
    question, paragraphs, sources = _read_docstring(inspect.getdoc(entry.function) or "")
    inference = entry.inference_for(design)
    about = inference_text(inference, "" if design is None else str(design))
    facts = {"about": about.replace("two", subject, 1)}
    if design is not None:
        validity = CAUTION if entry.caution else VALID
        facts["valid here"] = (validity if entry.valid_for(design) else NOT_VALID).format(
            design
        )
    caveats = explain(dict.fromkeys((*flags, *filter(None, [entry.caution]))))
    if caveats:
        facts["caveats"] = "; ".join(caveats)
    return Section(
        title=f"{entry.title} ({entry.name})",
        question=question,
        text=paragraphs,
        facts=facts,
        sources=sources or entry.references,
    )


@lru_cache(maxsize=256)
def _read_docstring(doc: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Split a docstring into its question, the following paragraphs and the sources."""
    question, _, rest = docstring_parts(doc)[""].partition("\n\n")
    return (
        _plain(question),
        tuple(_plain(part) for part in rest.split("\n\n") if _is_prose(part)),
        sources_in(doc),
    )


def _is_prose(paragraph: str) -> bool:
    return bool(paragraph.strip()) and not paragraph.startswith((" ", "..", "="))


def _plain(text: str) -> str:
    """Remove Sphinx markup."""
    plain = ROLE.sub(r"\1", " ".join(text.split()))
    return CITATION.sub(r"[\1]", STRESSED.sub(r"\1", QUOTED.sub(r"\1", plain)))


def figures_of(comparison: Any, pictures: Any) -> dict[str, Any]:
    """Return the requested figures of a comparison, as values of its report.

    Parameters
    ----------
    comparison : Comparison or MultipleComparison
        The comparison.
    pictures : {"auto", True, False}
        Whether there are any, and whether one that cannot be made is an error.
    """
    if not isinstance(pictures, bool) and pictures != "auto":
        raise ValueError(
            f"`pictures` must be 'auto', True or False. Got {pictures!r}. 'auto' leaves "
            "out pictures that cannot be made, and says why."
        )
    if pictures is False:
        return {}
    from skcompare.plots import pictures_among, pictures_of

    several = hasattr(comparison, "comparisons")
    made = (pictures_among if several else pictures_of)(comparison)
    if pictures is True and made.left_out:
        raise ValueError(
            f"Not every picture can be made. {'; '.join(made.left_out)}. Leave those out "
            "by pictures='auto'."
        )
    return {
        "figures": [
            Figure(picture.title, picture.display.summary, picture.svg)
            for picture in made.shown
        ],
        "left_out": made.left_out,
        "must_draw": pictures is True,
    }
