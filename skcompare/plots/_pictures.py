"""Which pictures belong to a report: those of what the rows of its tables are about."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from skcompare._registered_measures import keywords_of
from skcompare._registry import loss_of, paired_tests
from skcompare.exceptions import MissingDependencyError
from skcompare.plots._base import Display

__all__ = ["Picture", "Pictures", "drawn", "pictures_among", "pictures_of"]

ONCE = ("holdout", "kfold")
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

    A row belongs by its measure, or by the name of the evidence that its test needs.
    """

    display: str
    title: str
    measures: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    designs: tuple[str, ...] = ONCE


SUBJECTS = (
    Subject(
        "ContingencyDisplay",
        "Who was right",
        measures=LABELS,
        needs=("ContingencyTable",),
    ),
    # The scores of classifiers that were trained on different folds have no common scale.
    Subject("RocComparisonDisplay", "ROC curves", ("roc_auc",), designs=("holdout",)),
    Subject(
        "CalibrationComparisonDisplay",
        "Reliability",
        measures=("brier_loss", "brier_score", "multiclass_brier_loss"),
        needs=("PairedCalibration",),
    ),
    Subject("AgreementDisplay", "Answers of both", needs=("AgreementMatrix",)),
)
LOSSES = Subject("LossDifferenceDisplay", "Losses record by record")


def pictures_of(comparison: Any) -> Pictures:
    """The pictures of a comparison of two classifiers.

    Parameters
    ----------
    comparison : Comparison
        What is shown: its rows, and the answers that they are about.
    """
    return _made([*_of_rows(comparison), *_of_evidence(comparison)])


def pictures_among(comparison: Any) -> Pictures:
    """The pictures of a comparison of several classifiers, by its primary measure.

    Parameters
    ----------
    comparison : MultipleComparison
        What is shown.
    """
    primary = comparison.comparisons[0]
    wanted: list[Wanted] = []
    if primary.test is not None and primary.control is None:
        wanted.append(_wanted("CriticalDifferenceDisplay", "Who is told apart", primary))
    if primary.test is not None:
        wanted.append(_wanted("PairwiseDisplay", "All pairs", primary))
        wanted.append(_wanted("ForestDisplay", "Differences with intervals", comparison))
    return _made(wanted)


def drawn(picture: Picture) -> str:
    """The picture as an element of a page."""
    from skcompare.plots._svg import svg_of

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
        from skcompare import plots

        home: Any = getattr(plots, display)
        taken = keywords_of(home._of) if settings else ()
        known = {key: value for key, value in settings.items() if key in taken}
        found: Display = home.of_result(result, **known, **options)
        return found

    return Wanted(name or display.removesuffix("Display").lower(), title, make)


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
    settings = {
        "alpha": comparison.alpha,
        "confidence_level": 1 - comparison.alpha,
        "alternative": comparison.alternative,
    }
    # A row of one class is about the answers that name it, not about all.
    rows = [row for row in comparison.rows if row.label is None]
    for subject in SUBJECTS:
        if any(_is_about(subject, row) for row in rows):
            if kind in subject.designs:
                yield _wanted(subject.display, subject.title, comparison, settings=settings)
            else:
                yield _refused(subject.title, kind)
    losses = {
        row.measure: entry.name
        for row in rows
        if (entry := loss_of(row.measure)) is not None and row.measure not in LABELS
    }
    for number, (measure, loss) in enumerate(losses.items(), start=1):
        title = f"{LOSSES.title}: {measure}"
        name = f"losses-{number}"
        if kind in ONCE:
            yield _wanted(LOSSES.display, title, comparison, name, settings, loss=loss)
        else:
            yield _refused(title, kind)


def _refused(title: str, kind: str) -> Wanted:
    """A picture that the design has no answers for."""
    reason = "records are answered more than once in this design"
    if kind in ONCE:
        reason = "the scores of classifiers of different folds have no common scale"

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
