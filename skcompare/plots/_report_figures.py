"""SVG pictures of a report, chosen by the rows of its tables."""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any, NamedTuple
from warnings import catch_warnings, filterwarnings

from skcompare._core.formatting import in_one_line
from skcompare._registry.entries import keywords_of
from skcompare._registry.losses import loss_of
from skcompare._registry.tests import paired_tests
from skcompare.exceptions import MissingDependencyError
from skcompare.plots._annotation import show_row
from skcompare.plots._base import Display
from skcompare.plots.drawing._layout import new_figure
from skcompare.plots.drawing._style import CHALLENGER, CHAMPION, INK, LINE, SOFT

VARIABLES = {
    CHAMPION: "--champion",
    CHALLENGER: "--challenger",
    INK: "--ink",
    SOFT: "--soft",
    LINE: "--line",
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
            "Pictures need matplotlib. Install it: pip install 'skcompare[plot]'."
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
    width, least = _widths(float(size.split()[2]))
    return (
        f'<svg class="picture" viewBox="{size}" width="{width}" role="img" '
        f'aria-label="{label}" style="min-width: {least}px; --natural: {width}px; '
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


def _widths(points: float) -> tuple[int, int]:
    """Return the width in pixels, and the minimum width for readable text."""
    pixels = points * PIXELS
    return round(pixels), round(pixels * SMALLEST)


HOLDOUT = "holdout"
REPEATED = "records are predicted more than once in this design"
OPEN = "it is not known that predictions for these splits may be counted together"
POOLED = (
    "all predictions together have another error than the mean of the splits, in the table"
)
ONCE = (HOLDOUT, "kfold")
"""Designs with one prediction per record, so that predictions can be pooled."""

LABELS = ("accuracy", "zero_one_loss")
"""Losses of labels, which the contingency table determines."""


class Picture(NamedTuple):
    """Display with a heading and a prefix for its ids."""

    name: str
    title: str
    display: Display


class Pictures(NamedTuple):
    """Pictures of a report, and the reasons why others are left out."""

    shown: tuple[Picture, ...]
    left_out: tuple[str, ...]


class Subject(NamedTuple):
    """Kind of picture, with its display, its heading and the rows that it belongs to.

    A row belongs by its measure, or by the name of the evidence that its test needs. The
    picture has the numbers of a row on the same quantity: of one of the measures `same`, or
    of the test `test`. Without `designs` there is a picture for every design. With several
    splits a picture that is `averaged` has their mean, without limits of its own, and one
    that is `pooled` is of all predictions together, which no row is about: it is left out
    where a row has the mean, which is another number of the same name.
    """

    display: str
    title: str
    measures: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    test: str | None = None
    designs: tuple[str, ...] = ()
    averaged: bool = False
    pooled: bool = False


SUBJECTS = (
    Subject(
        "ContingencyDisplay",
        "Who was right",
        measures=LABELS,
        needs=("ContingencyTable",),
        same=LABELS,
        designs=ONCE,
    ),
    Subject(
        "RocComparisonDisplay",
        "ROC curves",
        measures=("roc_auc",),
        same=("roc_auc",),
        averaged=True,
    ),
    Subject(
        "CalibrationComparisonDisplay",
        "Reliability",
        measures=("binary_brier_loss", "brier_score", "multiclass_brier_loss"),
        needs=("PairedCalibration",),
        same=("squared_calibration_error",),
        designs=ONCE,
        pooled=True,
    ),
    Subject(
        "AgreementDisplay",
        "Predictions of both",
        needs=("AgreementMatrix",),
        test="bowker",
        designs=ONCE,
    ),
)
LOSSES = Subject("LossDifferenceDisplay", "Losses record by record", designs=ONCE)
AMONG = {
    "CriticalDifferenceDisplay": "Who is distinguished",
    "PairwiseDisplay": "All pairs",
    "ForestDisplay": "Differences with intervals",
}
"""Headings of the pictures of several classifiers."""


def pictures_of(comparison: Any) -> Pictures:
    """Create the pictures for a comparison of two classifiers.

    Parameters
    ----------
    comparison : Comparison
        The comparison: its rows, and their predictions.
    """
    return _made([*_of_rows(comparison), *_of_evidence(comparison)])


def pictures_among(comparison: Any) -> Pictures:
    """Create the pictures for a comparison of several classifiers.

    Significant differences and their sizes, by each measure; the table of all pairs, which
    is large, by the primary one.

    Parameters
    ----------
    comparison : MultipleComparison
        The comparison.
    """
    several = len(comparison.comparisons) > 1
    pictures: list[Wanted] = []
    for number, part in enumerate(comparison.comparisons, start=1):
        if part.test is None:
            continue
        by = f" by {part.subject}" if several else ""
        kinds = dict(AMONG)
        if part.control is not None:
            # There are no groups, and the few pairs are those of the differences.
            kinds = {"ForestDisplay": kinds["ForestDisplay"]}
        elif number > 1:
            del kinds["PairwiseDisplay"]
        for display, title in kinds.items():
            name = f"{display.removesuffix('Display').lower()}-{number}"
            pictures.append(_picture_of(display, f"{title}{by}", part, name))
    return _made(pictures)


def drawn(picture: Picture) -> str:
    """Render a picture as an SVG element."""
    return svg_of(picture.display, f"picture-{picture.name}")


class Wanted(NamedTuple):
    """Deferred picture, with a function that makes the display."""

    name: str
    title: str
    make: Callable[[], Display]


def _picture_of(
    display: str,
    title: str,
    result: Any,
    name: str = "",
    settings: Mapping[str, Any] = MappingProxyType({}),
    **options: Any,
) -> Wanted:
    """Return a deferred picture of a result, by the name of its display.

    Settings that the display does not accept are ignored.
    """

    def make() -> Display:
        display_class = _display_class(display)
        accepted = keywords_of(display_class._of) if settings else ()
        chosen = {key: value for key, value in settings.items() if key in accepted}
        made: Display = display_class.of_result(result, **chosen, **options)
        return made

    return Wanted(name or display.removesuffix("Display").lower(), title, make)


def _display_class(name: str) -> Any:
    """Return a display class by name, importing all display classes on first use."""
    from skcompare.plots._accuracy import AgreementDisplay, ContingencyDisplay
    from skcompare.plots._calibration import CalibrationComparisonDisplay
    from skcompare.plots._losses import LossDifferenceDisplay
    from skcompare.plots._ranking import RocComparisonDisplay
    from skcompare.plots.forest._forest import ForestDisplay
    from skcompare.plots.forest._relative_precision import RelativePrecisionDisplay
    from skcompare.plots.several._critical_difference import CriticalDifferenceDisplay
    from skcompare.plots.several._pairwise import PairwiseDisplay

    classes = (
        AgreementDisplay,
        CalibrationComparisonDisplay,
        ContingencyDisplay,
        CriticalDifferenceDisplay,
        ForestDisplay,
        LossDifferenceDisplay,
        PairwiseDisplay,
        RelativePrecisionDisplay,
        RocComparisonDisplay,
    )
    return {cls.__name__: cls for cls in classes}[name]


def _of_rows(comparison: Any) -> Iterator[Wanted]:
    """Yield deferred pictures of the numbers in the tables."""
    kinds = {row.kind for row in comparison.rows if row.low is not None}
    if "difference" in kinds:
        yield _picture_of("ForestDisplay", "Differences with intervals", comparison)
    if "ratio" in kinds:
        yield _picture_of("RelativePrecisionDisplay", "Ratios with intervals", comparison)


def _of_evidence(comparison: Any) -> Iterator[Wanted]:
    """Yield deferred pictures of the predictions behind the rows."""
    kind = comparison.design.kind
    # A row of one class is about the predictions of that class only.
    rows = [row for row in comparison.rows if row.label is None]
    for subject in SUBJECTS:
        if any(_is_about(subject, row) for row in rows):
            yield _about(comparison, subject, kind)
    losses = {
        row.measure: entry.name
        for row in rows
        if (entry := loss_of(row.measure)) is not None and row.measure not in LABELS
    }
    for number, (measure, loss) in enumerate(losses.items(), start=1):
        title = f"{LOSSES.title}: {measure}"
        subject = LOSSES._replace(title=title, same=(measure,))
        yield _about(comparison, subject, kind, f"losses-{number}", loss=loss)


def _about(
    comparison: Any, subject: Subject, kind: str, name: str = "", **options: Any
) -> Wanted:
    """Return a deferred picture of predictions, with the numbers of the matching row."""
    if subject.designs and kind not in subject.designs:
        reason = OPEN if kind in ("time ordered", "unknown") else REPEATED
        return _refused(subject.title, reason)
    measures = [row.measure for row in comparison.rows]
    if subject.pooled and kind != HOLDOUT and set(measures) & set(subject.same):
        return _refused(subject.title, POOLED)
    alpha = comparison.alpha
    settings = {
        "alpha": alpha,
        "confidence_level": 1 - alpha,
        "alternative": comparison.alternative,
    }
    if subject.averaged and kind != HOLDOUT:
        settings = {}
    picture = _picture_of(
        subject.display, subject.title, comparison, name, settings, **options
    )

    def make() -> Display:
        display = picture.make()
        show_row(display, comparison.rows, subject.same, subject.test, alpha)
        return display

    return picture._replace(make=make)


def _refused(title: str, reason: str) -> Wanted:
    """Return a deferred picture that raises an error with the reason."""

    def make() -> Display:
        raise ValueError(reason)

    return Wanted(title, title, make)


def _is_about(subject: Subject, row: Any) -> bool:
    if row.measure in subject.measures:
        return True
    entries = paired_tests()
    return row.test in entries and entries[row.test].needs.__name__ in subject.needs


def _made(pictures: Sequence[Wanted]) -> Pictures:
    """Make the pictures, and collect the reasons for those that cannot be made."""
    shown: list[Picture] = []
    reasons: dict[str, list[str]] = {}
    for picture in pictures:
        try:
            shown.append(Picture(picture.name, picture.title, picture.make()))
        except (ValueError, TypeError, MissingDependencyError) as error:
            reason = str(error).partition(". ")[0].rstrip(".")
            reasons.setdefault(reason, []).append(picture.title)
    return Pictures(
        tuple(shown),
        tuple(f"{', '.join(titles)}: {reason}" for reason, titles in reasons.items()),
    )
