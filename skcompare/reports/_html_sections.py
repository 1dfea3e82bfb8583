"""Sections of HTML reports on pictures and assumptions."""

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
    """Part of a page with the pictures, and the number of pictures."""

    part: Part
    n_pictures: int


def check_pictures(pictures: Any) -> None:
    """Check that `pictures` is "auto", True or False."""
    if isinstance(pictures, bool) or pictures == AUTO:
        return
    raise ValueError(
        f"`pictures` must be 'auto', True or False. Got {pictures!r}. 'auto' leaves out "
        "pictures that cannot be made, and says why."
    )


def gallery(find: Callable[[], "Pictures"], pictures: Any) -> Gallery:
    """Return the part of a page with the requested pictures.

    Parameters
    ----------
    find : callable
        Returns the pictures that belong to the page.
    pictures : {"auto", True, False}
        Whether there are any, and whether one that cannot be made is an error.
    """
    check_pictures(pictures)
    if pictures is False:
        return _gallery([], [])
    from skcompare.plots import drawn

    result = find()
    if pictures is True and result.left_out:
        raise ValueError(
            f"Not every picture can be made. {'; '.join(result.left_out)}. Leave those out "
            "by pictures='auto'."
        )
    try:
        figures = [
            html_figure(drawn(picture), picture.title, picture.display.summary)
            for picture in result.shown
        ]
    except MissingDependencyError as error:
        if pictures is True:
            raise
        return _gallery([], [f"all of them: {error}"])
    return _gallery(figures, list(result.left_out))


def _gallery(figures: list[str], left_out: list[str]) -> Gallery:
    body = "".join(figures)
    if left_out:
        listed = "; ".join(left_out)
        end = "" if listed.endswith(".") else "."
        body += f'<p class="soft">Pictures that are left out: {text(listed)}{end}</p>'
    return Gallery(Part("pictures", "Pictures", body), len(figures))


VALID = "yes, for {}"
CAUTION = "it was made for {}, but calls for caution: see the caveats"
NOT_VALID = "no: it is not valid for {}, and its error rate is not the stated one"


def assumed_part(design: Design | None, tests: Sequence[Assumed], intro: str = "") -> Part:
    """Return the part on the assumptions of the design and of each test, with sources."""
    body = f"<p>{text(intro)}</p>" if intro else ""
    if design is not None:
        body += f"<h3>The design: {text(design)}</h3><p>{text(design.assumption)}</p>"
    body += "".join(_test(test, design) for test in tests)
    return Part("assumed", "What was assumed", body)


def _test(test: Assumed, design: Design | None) -> str:
    paragraphs = "".join(f"<p>{text(paragraph)}</p>" for paragraph in test.text)
    facts = {"speaks of": test.about}
    if test.valid is not None:
        validity = (CAUTION if test.cautious else VALID) if test.valid else NOT_VALID
        facts["valid here"] = validity.format(design)
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
