"""SVG pictures of a report, chosen by the rows of its tables."""

import io
import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any, NamedTuple
from warnings import catch_warnings, filterwarnings

from skcompare._core.design import HOLDOUT, IN_TIME, TIME_ORDERED_HOLDOUT, TRAININGS
from skcompare._core.formatting import in_one_line
from skcompare._registry.metrics import NUMBERS, keywords_of, loss_of
from skcompare._registry.tests import paired_tests
from skcompare.exceptions import MissingDependencyError
from skcompare.plots._annotation import show_row
from skcompare.plots._bland_altman import BlandAltmanDisplay
from skcompare.plots._gain_by_range import GainByRangeDisplay
from skcompare.plots._losses import LossDifferenceDisplay
from skcompare.plots._residual_quantiles import ResidualQuantilesDisplay
from skcompare.plots._training_variance import TrainingVarianceDisplay
from skcompare.plots.drawing._base import OF_LABELS, ONCE, Display, Place, placed_displays
from skcompare.plots.drawing._layout import new_figure
from skcompare.plots.drawing._style import (
    CHALLENGER,
    CHAMPION,
    INK,
    LINE,
    LOSS_COLOUR,
    SOFT,
    WIN_COLOUR,
)
from skcompare.plots.forest._forest import ForestDisplay, RelativePrecisionDisplay
from skcompare.plots.several._critical_difference import CriticalDifferenceDisplay
from skcompare.plots.several._pairwise import PairwiseDisplay
from skcompare.predictions import why_no_series

VARIABLES = {
    CHAMPION: "--champion",
    CHALLENGER: "--challenger",
    INK: "--ink",
    SOFT: "--soft",
    LINE: "--line",
    WIN_COLOUR: "--win",
    LOSS_COLOUR: "--loss",
}
"""Variables of colours that a page may change, such as for a dark theme."""

TAG = re.compile(r"<[^>]*>")
FAMILY = re.compile(r"(?:'[^']*'|&apos;[^;]*&apos;)(?:, *(?:'[^']*'|[\w -]+))*sans-serif")
LETTERS = "font-family: system-ui, sans-serif"
"""Font of all text of a picture, stated once."""

RECTANGLE = re.compile(
    r"M (\S+) (\S+) L (\S+) \2 L \3 (\S+) L \1 \4 L \1 \2",
)
"""Path of a rectangle, two of whose numbers are repeated."""

STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "skcompare"}

PIXELS = 4 / 3
"""Pixels per point, so that text keeps its size."""
SMALLEST = 0.9
"""Share of its size to which a picture may shrink before its box scrolls."""


def svg_of(display: Display, name: str) -> str:
    """Render a display as an SVG element, with colours that the page can change.

    Parameters
    ----------
    display : Display
        The display to draw.
    name : str
        Prefix of the ids, a different one for each picture of a page.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context, style
    except ImportError as error:
        raise MissingDependencyError(
            "Pictures need matplotlib. Install it: pip install matplotlib."
        ) from error
    file = io.StringIO()
    # Text stays text, which can be searched, read out and scaled. A constant salt gives
    # equal pictures equal files, and so does ignoring the user's own style.
    with style.context("default"), rc_context(STYLE), catch_warnings():
        # A glyph that the fonts of matplotlib lack is drawn by the browser.
        filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure, axes = new_figure(display._room())
        display.plot(ax=axes)
        figure.patch.set_alpha(0.0)
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        # Without the empty margins that squares and legends of odd sizes leave.
        tight = {"bbox_inches": "tight", "pad_inches": 0.05}
        figure.savefig(file, format="svg", metadata=metadata, **tight)
    return _for_page(file.getvalue(), name, display.summary)


def _for_page(svg: str, name: str, summary: str) -> str:
    """Extract the SVG element, and set its ids, description and flexible size."""
    body = svg[svg.index("<svg") :]
    box = re.search(r'viewBox="([^"]+)"', body)
    size = box.group(1) if box else "0 0 400 300"
    content = body[body.index(">") + 1 :]
    for hidden in ("metadata", "style"):
        # A style sheet within the picture would apply to the whole page.
        content = re.sub(rf"<{hidden}.*?</{hidden}>", "", content, flags=re.DOTALL)
    content = re.sub(r"<!--.*?-->", "", content, flags=re.DOTALL)
    # Only tags are changed, never the text between them.
    content = TAG.sub(lambda tag: _tag_for_page(tag.group(0), name), content)
    content = re.sub(r">\s+<", "><", content)
    label = escape(in_one_line(summary))
    width = float(size.split()[2]) * PIXELS
    least = round(width * SMALLEST)
    return (
        f'<svg class="picture" viewBox="{size}" width="{width:.0f}" role="img" '
        f'aria-label="{label}" style="min-width: {least}px; --natural: {width:.0f}px; '
        'font-family: system-ui, sans-serif" '
        f'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"{content.strip()}"
    )


def _tag_for_page(tag: str, name: str) -> str:
    """Return a tag with unique ids, and with colours that the page can change."""
    tag = re.sub(r'( id=")', rf"\1{name}-", tag)
    tag = re.sub(r'((?:xlink:)?href="#)', rf"\1{name}-", tag)
    tag = tag.replace("url(#", f"url(#{name}-")
    for colour, variable in VARIABLES.items():
        tag = tag.replace(colour, f"var({variable}, {colour})")
    return _short(FAMILY.sub("system-ui, sans-serif", tag))


def _short(tag: str) -> str:
    """Shorten a tag, because a large table has a thousand tags."""
    # Hundredths of a point are invisible.
    tag = re.sub(r"(\d\.\d\d)\d+", r"\1", tag)
    tag = re.sub(r' transform="rotate\(-?0(?:\.0*)? [^)]*\)"', "", tag)
    tag = tag.replace(f"{LETTERS}; ", "")
    tag = re.sub(r'<g id="[^"]*-(?:text|patch|line2d|[xy]tick)_\d+"', "<g", tag)
    tag = re.sub(r"\s+", " ", tag)
    return RECTANGLE.sub(r"M \1 \2 H \3 V \4 H \1 V \2", tag)


POINTS = 100
"""Largest number of points of a picture, so that the page stays small."""

REPEATED = "records are predicted more than once in this design"
OPEN = "it is unknown whether predictions for these splits may be pooled"
UNRELATED = "its limits assume independent records, and these are in time order"
TRAINED_AGAIN = "it shows one training of each, but there are several"
POOLED = (
    "the pooled predictions have another error than the mean of the splits in the table"
)


class Picture(NamedTuple):
    """Display with a heading and a prefix for its ids."""

    name: str
    title: str
    display: Display

    def svg(self) -> str:
        """Render the picture as an SVG element."""
        return svg_of(self.display, f"picture-{self.name}")


class Pictures:
    """Pictures of a comparison, made one by one, with reasons for those left out."""

    def __init__(self, comparison: Any) -> None:
        self.comparison = comparison
        self.shown: list[Picture] = []
        self._reasons: dict[str, list[str]] = {}

    @property
    def left_out(self) -> tuple[str, ...]:
        """Titles of the pictures that are left out, by reason."""
        reasons = self._reasons.items()
        return tuple(f"{', '.join(titles)}: {reason}" for reason, titles in reasons)

    def add(
        self, kind: type[Display], make: Callable[[], Display], title: str, name: str = ""
    ) -> None:
        """Make a picture, or note the reason why it cannot be made."""
        name = name or kind.__name__.removesuffix("Display").lower()
        try:
            self.shown.append(Picture(name, title, make()))
        except (ValueError, TypeError, MissingDependencyError) as error:
            self.leave_out(title, str(error).partition(". ")[0].rstrip("."))

    def add_evidence(
        self, kind: Any, place: Place, title: str = "", name: str = "", **options: Any
    ) -> None:
        """Add a picture of predictions, with the numbers of the matching row."""
        comparison, title = self.comparison, title or kind.title
        design, alpha = comparison.design.kind, comparison.alpha
        if design in TRAININGS and kind is not TrainingVarianceDisplay:
            self.leave_out(title, TRAINED_AGAIN)
            return
        if place.designs and design not in place.designs:
            in_time = (IN_TIME, TIME_ORDERED_HOLDOUT.kind)
            reasons = dict.fromkeys(in_time, UNRELATED) | {"unknown": OPEN}
            self.leave_out(title, reasons.get(design, REPEATED))
            return
        pair = getattr(comparison.source, "pair", None)
        predictions = None if pair is None or design != IN_TIME else pair.predictions
        if place.designs and predictions is not None and why_no_series(predictions):
            # Windows that overlap test records twice.
            self.leave_out(title, REPEATED)
            return
        measures = {row.measure for row in comparison.rows}
        if place.pooled and design != HOLDOUT.name and measures & set(place.same):
            self.leave_out(title, POOLED)
            return
        if not place.averaged or design == HOLDOUT.name:
            settings = {
                "alpha": alpha,
                "confidence_level": 1 - alpha,
                "alternative": comparison.alternative,
            }
            accepted = keywords_of(kind._of)
            options |= {key: value for key, value in settings.items() if key in accepted}

        def make() -> Display:
            display = kind.of_result(comparison, **options)
            show_row(display, comparison.rows, place.same, place.test, alpha)
            return display

        self.add(kind, make, title, name)

    def leave_out(self, title: str, reason: str) -> None:
        """Note the reason why there is no picture."""
        self._reasons.setdefault(reason, []).append(title)


def pictures_of(comparison: Any) -> Pictures:
    """Create the pictures for a comparison of two classifiers.

    Parameters
    ----------
    comparison : Comparison
        The comparison: its rows, and their predictions.
    """
    pictures = Pictures(comparison)
    kinds = {row.kind for row in comparison.rows if row.low is not None}
    for display in (ForestDisplay, RelativePrecisionDisplay):
        if display.kind in kinds:
            make = partial(display.of_result, comparison)
            pictures.add(display, make, display.title)
    # A row of one class is about the predictions of that class only.
    rows = [row for row in comparison.rows if row.label is None]
    for place, display in placed_displays():
        if any(_is_about(place, row) for row in rows):
            pictures.add_evidence(display, place)
    losses = {
        row.measure: entry.name
        for row in rows
        if (entry := loss_of(row.measure)) is not None and row.measure not in OF_LABELS
    }
    _add_numbers(pictures, rows)
    for number, (measure, loss) in enumerate(losses.items(), start=1):
        place = Place(same=(measure,), designs=ONCE)
        title = f"{LossDifferenceDisplay.title}: {measure}"
        name = f"losses-{number}"
        pictures.add_evidence(LossDifferenceDisplay, place, title, name, loss=loss)
    return pictures


def _add_numbers(pictures: Pictures, rows: list[Any]) -> None:
    """Add the pictures of predicted numbers: gains over the range, residuals, agreement."""
    losses = {row.measure: loss_of(row.measure) for row in rows}
    of_numbers = {
        measure: loss.name
        for measure, loss in losses.items()
        if loss is not None and loss.target == NUMBERS
    }
    pair = getattr(pictures.comparison.source, "pair", None)
    if not of_numbers and (pair is None or not pair.predictions.is_numeric):
        return
    measure, loss = next(iter(of_numbers.items()), ("", None))
    place = Place(same=(measure,), designs=ONCE)
    pictures.add_evidence(GainByRangeDisplay, place, loss=loss)
    pictures.add_evidence(ResidualQuantilesDisplay, place)
    pictures.add_evidence(BlandAltmanDisplay, place, most=POINTS)


def pictures_among(comparison: Any) -> Pictures:
    """Create the pictures for a comparison of several classifiers.

    Significant differences and their sizes, by each measure; the table of all pairs, which
    is large, by the primary one.

    Parameters
    ----------
    comparison : MultipleComparison
        The comparison.
    """
    pictures = Pictures(comparison)
    several = len(comparison.comparisons) > 1
    for number, part in enumerate(comparison.comparisons, start=1):
        if part.test is None:
            continue
        by = f" by {part.subject}" if several else ""
        kinds: list[Any] = [ForestDisplay]
        # With a control there are no groups, and its few pairs are the differences.
        if part.control is None:
            table = [PairwiseDisplay] * (number == 1)
            kinds = [CriticalDifferenceDisplay, *table, *kinds]
        for kind in kinds:
            name = f"{kind.__name__.removesuffix('Display').lower()}-{number}"
            pictures.add(kind, partial(kind.of_result, part), f"{kind.title}{by}", name)
    return pictures


def _is_about(place: Place, row: Any) -> bool:
    if row.measure in place.measures:
        return True
    entries = paired_tests()
    return row.test in entries and entries[row.test].needs.__name__ in place.needs
