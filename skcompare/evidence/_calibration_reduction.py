"""Answers that become cells a few records at a time."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.array_api import on_host
from skcompare._core.design import HOLDOUT, Design
from skcompare._core.labels import check_labels, classes_of
from skcompare._core.validation import check_same_length
from skcompare._typing import ArrayLike
from skcompare.evidence._calibration_bins import bin_codes
from skcompare.evidence._calibration_cells import CalibrationCells, Rows, cells_of, chunks
from skcompare.evidence._calibration_layout import Bins, Layout
from skcompare.evidence._calibration_outcomes import Events, collapse_answers
from skcompare.evidence._device_calibration import device_cells


class Reduced(NamedTuple):
    """Cells, and the bins and the kind of event that they are of."""

    cells: CalibrationCells
    layouts: tuple[Layout, Layout]
    kind: str


def check_reducible(kind: str, groups: Any, design: Design = HOLDOUT) -> None:
    """Refuse what sums over cells do not tell."""
    if kind == "classwise":
        raise ValueError(
            "Classwise events have no sums over cells, because a record is in a bin of "
            "every class. Keep the records, or reduce kind='top_label', or kind='binary' "
            "for each class by itself."
        )
    if groups is not None or design.grouped:
        raise ValueError(
            "Groups are lost in sums over cells, so that records of one group would count "
            "as unrelated. Keep the records (keep_values=True), of a sample of the groups "
            "where they are too many."
        )


def reduced_rows(calibration: Any) -> CalibrationCells:
    """The cells of evidence that has its records."""
    fields = calibration.proba, calibration.outcomes, calibration.codes

    def part(rows: slice) -> Rows:
        proba, outcomes, codes = ((one[rows], other[rows]) for one, other in fields)
        return proba, outcomes, codes

    return cells_of(map(part, chunks(calibration.n)), calibration.n_bins)


def reduced_answers(
    y_true: ArrayLike,
    answers: Mapping[str, ArrayLike],
    bins: Bins,
    options: Mapping[str, Any],
) -> Reduced:
    """The cells of answers whose bins do not depend on the records.

    Beyond the answers themselves, memory is needed for a few records and the cells.
    """
    there = device_cells(y_true, answers, bins, options)
    if there is not None:
        return Reduced(*there)
    truth = check_labels("y_true", y_true)
    given = {name: np.asarray(on_host(values)) for name, values in answers.items()}
    n = check_same_length({"y_true": truth}, given)
    known = np.unique(np.concatenate([classes_of(truth[rows]) for rows in chunks(n)]))
    vectors = [values.ndim == 1 for values in given.values()]
    events = Events.of(known, vectors, **options)
    check_reducible(events.kind, None)
    nothing = np.empty(0)
    layouts = bins.layout(nothing, 0), bins.layout(nothing, 1)
    (first,), (second,) = layouts

    def parts() -> Iterator[Rows]:
        for rows in chunks(n):
            one, other = _forecasts(events, truth, given, rows, (y_true, answers, options))
            codes = bin_codes(one.proba, first), bin_codes(other.proba, second)
            yield (one.proba, other.proba), (one.occurred, other.occurred), codes

    cells = cells_of(parts(), (len(first) - 1, len(second) - 1))
    return Reduced(cells, layouts, events.kind)


def _forecasts(
    events: Events,
    truth: NDArray[Any],
    given: Mapping[str, NDArray[Any]],
    rows: slice,
    whole: tuple[Any, Any, Mapping[str, Any]],
) -> list[Any]:
    try:
        return events.forecasts(truth[rows], {k: each[rows] for k, each in given.items()})
    except ValueError:
        # All records together say where in them the fault is.
        collapse_answers(whole[0], whole[1], **whole[2])
        raise
