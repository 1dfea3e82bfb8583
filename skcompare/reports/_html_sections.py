"""Pictures within a page: those that can be made, and why the others cannot."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from skcompare._core.design import Design
from skcompare.exceptions import MissingDependencyError
from skcompare.reports._assumptions import Assumed
from skcompare.reports._html_page import Part
from skcompare.reports._html_parts import html_facts, html_figure, text

if TYPE_CHECKING:
    from skcompare.plots import Pictures


AUTO = "auto"


class Gallery(NamedTuple):
    """The part of a page with the pictures, and how many there are."""

    part: Part
    n_pictures: int


def check_pictures(pictures: Any) -> None:
    """Refuse what is neither "auto" nor true or false."""
    if isinstance(pictures, bool) or pictures == AUTO:
        return
    raise ValueError(
        f"`pictures` must be 'auto', True or False. Got {pictures!r}. 'auto' leaves out "
        "pictures that cannot be made, and says why."
    )


def gallery(find: Callable[[], "Pictures"], pictures: Any) -> Gallery:
    """The pictures that were asked for.

    Parameters
    ----------
    find : callable
        Gives the pictures that belong to the page.
    pictures : {"auto", True, False}
        Whether there are any, and whether one that cannot be made is an error.
    """
    check_pictures(pictures)
    if pictures is False:
        return _gallery([], [])
    from skcompare.plots import drawn

    found = find()
    if pictures is True and found.left_out:
        raise ValueError(
            f"Not every picture can be made. {'; '.join(found.left_out)}. Leave those out "
            "by pictures='auto'."
        )
    try:
        figures = [
            html_figure(drawn(one), one.title, one.display.summary) for one in found.shown
        ]
    except MissingDependencyError as error:
        if pictures is True:
            raise
        return _gallery([], [f"all of them: {error}"])
    return _gallery(figures, list(found.left_out))


def _gallery(figures: list[str], left_out: list[str]) -> Gallery:
    body = "".join(figures)
    if left_out:
        words = "; ".join(left_out)
        end = "" if words.endswith(".") else "."
        body += f'<p class="soft">Pictures that are left out: {text(words)}{end}</p>'
    return Gallery(Part("pictures", "Pictures", body), len(figures))


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
