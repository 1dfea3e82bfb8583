"""The part of a page that says what was assumed."""

from collections.abc import Sequence

from skcompare._core.design import Design
from skcompare.reports._assumed import Assumed
from skcompare.reports._html_page import Part
from skcompare.reports._html_parts import html_facts, text

VALID = "yes, for {}"
CAUTION = "it was made for {}, but calls for caution: see the caveats"
NOT_VALID = "no: it is not valid for {}, and its error rate is not the stated one"


def assumed_part(design: Design | None, tests: Sequence[Assumed], intro: str = "") -> Part:
    """The design first, then each test with its sources."""
    body = f"<p>{text(intro)}</p>" if intro else ""
    if design is not None:
        body += f"<h3>The design: {text(design)}</h3><p>{text(design.assumption)}</p>"
    body += "".join(_test(test, design) for test in tests)
    return Part("assumed", "What was assumed", body)


def _test(test: Assumed, design: Design | None) -> str:
    paragraphs = "".join(f"<p>{text(words)}</p>" for words in test.words)
    facts = {"speaks of": test.about}
    if test.valid is not None:
        words = (CAUTION if test.cautious else VALID) if test.valid else NOT_VALID
        facts["valid here"] = words.format(design)
    if test.caveats:
        facts["caveats"] = "; ".join(test.caveats)
    sources = "".join(
        f"<li>[{number}] {text(source)}</li>"
        for number, source in enumerate(test.sources, start=1)
    )
    listed = f'<ul class="sources" aria-label="Sources">{sources}</ul>' if sources else ""
    return (
        f'<div class="test"><h3>{text(test.title)} ({text(test.test)})</h3>'
        f"<p><em>{text(test.question)}</em></p>{paragraphs}{html_facts(facts)}{listed}</div>"
    )
