"""Pictures within a page: those that can be made, and why the others cannot."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from skcompare.exceptions import MissingDependencyError
from skcompare.reports._html_page import Part
from skcompare.reports._html_parts import html_figure, text

if TYPE_CHECKING:
    from skcompare.plots._pictures import Pictures

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
    from skcompare.plots._pictures import drawn

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
