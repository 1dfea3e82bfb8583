"""Which pictures belong to a report: those of what the rows of its tables are about."""

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
"""Colours that a page may set for dark readers."""

TAG = re.compile(r"<[^>]*>")
FAMILY = re.compile(r"(?:'[^']*'|&apos;[^;]*&apos;)(?:, *(?:'[^']*'|[\w -]+))*sans-serif")
LETTERS = "font-family: system-ui, sans-serif"
"""Said once for all words of a picture."""

RECTANGLE = re.compile(
    r"M (\S+) (\S+) L (\S+) \2 L \3 (\S+) L \1 \4 L \1 \2",
)
"""A path with four corners, two of whose numbers are said twice or more."""

STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "skcompare"}

PIXELS = 4 / 3
"""Pixels of a point, so that words have the size that was drawn."""
SMALLEST = 0.9
"""Share of its size to which a picture may shrink; then its box scrolls."""


def svg_of(display: Display, name: str) -> str:
    """The picture as an element of a page, with colours that the page can change.

    Parameters
    ----------
    display : Display
        What is drawn.
    name : str
        A word that begins the ids, another one for each picture of a page.

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
    # Words stay words, which can be found, read out and scaled. A constant salt gives equal
    # pictures equal files, and so does leaving the reader's own style aside.
    with style.context("default"), rc_context(STYLE), catch_warnings():
        # A letter that the fonts of matplotlib lack is drawn by the browser.
        filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure, axes = new_figure(display._room())
        display.plot(ax=axes)
        figure.patch.set_alpha(0.0)
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        # Without the empty strips that squares and legends of odd sizes leave.
        tight = {"bbox_inches": "tight", "pad_inches": 0.05}
        figure.savefig(file, format="svg", metadata=nothing, **tight)
    return _for_page(file.getvalue(), name, display.summary)


def _for_page(svg: str, name: str, summary: str) -> str:
    """The element alone, named, described, and of flexible size."""
    body = svg[svg.index("<svg") :]
    box = re.search(r'viewBox="([^"]+)"', body)
    size = box.group(1) if box else "0 0 400 300"
    inside = body[body.index(">") + 1 :]
    for hidden in ("metadata", "style"):
        # A style sheet within the picture would be one of the whole page.
        inside = re.sub(rf"<{hidden}.*?</{hidden}>", "", inside, flags=re.DOTALL)
    inside = re.sub(r"<!--.*?-->", "", inside, flags=re.DOTALL)
    # Only what stands in tags is changed, never the words between them.
    inside = TAG.sub(lambda tag: _tag_for_page(tag.group(0), name), inside)
    inside = re.sub(r">\s+<", "><", inside)
    words = escape(in_one_line(summary))
    width, least = _widths(float(size.split()[2]))
    return (
        f'<svg class="picture" viewBox="{size}" width="{width}" role="img" '
        f'aria-label="{words}" style="min-width: {least}px; --natural: {width}px; '
        'font-family: system-ui, sans-serif" '
        f'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"{inside.strip()}"
    )


def _tag_for_page(tag: str, name: str) -> str:
    """A tag with ids of its own and colours that the page can change."""
    tag = re.sub(r'( id=")', rf"\1{name}-", tag)
    tag = re.sub(r'((?:xlink:)?href="#)', rf"\1{name}-", tag)
    tag = tag.replace("url(#", f"url(#{name}-")
    for colour, variable in VARIABLES.items():
        tag = tag.replace(colour, f"var({variable}, {colour})")
    return _short(FAMILY.sub("system-ui, sans-serif", tag))


def _short(tag: str) -> str:
    """The same tag in fewer letters: a large table has a thousand of them."""
    # Hundredths of a point are seen by nobody.
    tag = re.sub(r"(\d\.\d\d)\d+", r"\1", tag)
    tag = re.sub(r' transform="rotate\(-?0(?:\.0*)? [^)]*\)"', "", tag)
    tag = tag.replace(f"{LETTERS}; ", "")
    tag = re.sub(r'<g id="[^"]*-(?:text|patch|line2d|[xy]tick)_\d+"', "<g", tag)
    tag = re.sub(r"\s+", " ", tag)
    return RECTANGLE.sub(r"M \1 \2 H \3 V \4 H \1 V \2", tag)


def _widths(points: float) -> tuple[int, int]:
    """The width in pixels, and the least one at which its words can be read."""
    pixels = points * PIXELS
    return round(pixels), round(pixels * SMALLEST)


HOLDOUT = "holdout"
REPEATED = "records are answered more than once in this design"
OPEN = "it is not known that answers to these splits may be counted together"
POOLED = "all answers together have another error than the mean of the splits, in the table"
ONCE = (HOLDOUT, "kfold")
"""Designs in which no record is answered twice, so that answers can be counted together."""

LABELS = ("accuracy", "zero_one_loss")
"""Losses of labels, of which the right/wrong table says all."""


class Picture(NamedTuple):
    """A display with the word for its ids and its heading."""

    name: str
    title: str
    display: Display


class Pictures(NamedTuple):
    """What a report can show, and why it cannot show the rest."""

    shown: tuple[Picture, ...]
    left_out: tuple[str, ...]


class Subject(NamedTuple):
    """A kind of picture: its display, its heading, and the rows that it belongs to.

    A row belongs by its measure, or by the name of the evidence that its test needs. The
    picture has the numbers of a row that is about the same: of one of the measures `same`,
    or of the test `test`. Without `designs` there is one for every design. Of several
    splits a picture that is `averaged` has the mean of theirs, without limits of its own,
    and one that is `pooled` is of all answers together, which no row is about: it is left
    out where a row has the mean, which is another number of the same name.
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
        measures=("brier_loss", "brier_score", "multiclass_brier_loss"),
        needs=("PairedCalibration",),
        same=("squared_calibration_error",),
        designs=ONCE,
        pooled=True,
    ),
    Subject(
        "AgreementDisplay",
        "Answers of both",
        needs=("AgreementMatrix",),
        test="bowker",
        designs=ONCE,
    ),
)
LOSSES = Subject("LossDifferenceDisplay", "Losses record by record", designs=ONCE)
AMONG = {
    "CriticalDifferenceDisplay": "Who is told apart",
    "PairwiseDisplay": "All pairs",
    "ForestDisplay": "Differences with intervals",
}
"""Pictures of several classifiers."""


def pictures_of(comparison: Any) -> Pictures:
    """The pictures of a comparison of two classifiers.

    Parameters
    ----------
    comparison : Comparison
        What is shown: its rows, and the answers that they are about.
    """
    return _made([*_of_rows(comparison), *_of_evidence(comparison)])


def pictures_among(comparison: Any) -> Pictures:
    """The pictures of a comparison of several classifiers.

    Who is told apart and by how much, by each measure; the table of all pairs, which is
    large, by the primary one.

    Parameters
    ----------
    comparison : MultipleComparison
        What is shown.
    """
    several = len(comparison.comparisons) > 1
    wanted: list[Wanted] = []
    for number, one in enumerate(comparison.comparisons, start=1):
        if one.test is None:
            continue
        by = f" by {one.subject}" if several else ""
        kinds = dict(AMONG)
        if one.control is not None:
            # There are no groups, and the few pairs are those of the differences.
            kinds = {"ForestDisplay": kinds["ForestDisplay"]}
        elif number > 1:
            del kinds["PairwiseDisplay"]
        for display, title in kinds.items():
            name = f"{display.removesuffix('Display').lower()}-{number}"
            wanted.append(_wanted(display, f"{title}{by}", one, name))
    return _made(wanted)


def drawn(picture: Picture) -> str:
    """The picture as an element of a page."""
    return svg_of(picture.display, f"picture-{picture.name}")


class Wanted(NamedTuple):
    """A picture that belongs to a report, not made yet."""

    name: str
    title: str
    make: Callable[[], Display]


def _wanted(
    display: str,
    title: str,
    result: Any,
    name: str = "",
    settings: Mapping[str, Any] = MappingProxyType({}),
    **options: Any,
) -> Wanted:
    """A picture to be made of a result by the display of this name.

    Of the settings it is given those that it knows.
    """

    def make() -> Display:
        home = _display_class(display)
        taken = keywords_of(home._of) if settings else ()
        known = {key: value for key, value in settings.items() if key in taken}
        found: Display = home.of_result(result, **known, **options)
        return found

    return Wanted(name or display.removesuffix("Display").lower(), title, make)


def _display_class(name: str) -> Any:
    """The class of a display, loaded with the others when the first figure is drawn."""
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
    return {each.__name__: each for each in classes}[name]


def _of_rows(comparison: Any) -> Iterator[Wanted]:
    """Pictures of the numbers of the tables."""
    kinds = {row.kind for row in comparison.rows if row.low is not None}
    if "difference" in kinds:
        yield _wanted("ForestDisplay", "Differences with intervals", comparison)
    if "ratio" in kinds:
        yield _wanted("RelativePrecisionDisplay", "Ratios with intervals", comparison)


def _of_evidence(comparison: Any) -> Iterator[Wanted]:
    """Pictures of the answers that the rows are about."""
    kind = comparison.design.kind
    # A row of one class is about the answers that name it, not about all.
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
    """A picture of answers, with the numbers of the row that is about the same."""
    if subject.designs and kind not in subject.designs:
        known = OPEN if kind in ("time ordered", "unknown") else REPEATED
        return _refused(subject.title, known)
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
    wanted = _wanted(subject.display, subject.title, comparison, name, settings, **options)

    def make() -> Display:
        display = wanted.make()
        show_row(display, comparison.rows, subject.same, subject.test, alpha)
        return display

    return wanted._replace(make=make)


def _refused(title: str, reason: str) -> Wanted:
    """A picture that would not be true for the design."""

    def make() -> Display:
        raise ValueError(reason)

    return Wanted(title, title, make)


def _is_about(subject: Subject, row: Any) -> bool:
    if row.measure in subject.measures:
        return True
    known = paired_tests()
    return row.test in known and known[row.test].needs.__name__ in subject.needs


def _made(wanted: Sequence[Wanted]) -> Pictures:
    """Those that can be made, and in words why the others cannot."""
    shown: list[Picture] = []
    reasons: dict[str, list[str]] = {}
    for one in wanted:
        try:
            shown.append(Picture(one.name, one.title, one.make()))
        except (ValueError, TypeError, MissingDependencyError) as error:
            reason = str(error).partition(". ")[0].rstrip(".")
            reasons.setdefault(reason, []).append(one.title)
    return Pictures(
        tuple(shown),
        tuple(f"{', '.join(titles)}: {reason}" for reason, titles in reasons.items()),
    )
