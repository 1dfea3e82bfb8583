"""Comparison of predictions in lazy data frames, by counts made in their engine."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from skcompare._analysis import (
    CountedSchema,
    Selection,
    check_holds,
    requested_by,
    schema_of,
    tallied_pair,
    with_classes,
)
from skcompare._typing import ArrayLike
from skcompare.comparators._settings import Settings
from skcompare.evidence import LABELS, EngineTally, Tally, TallyRequest, tally_predictions
from skcompare.predictions import (
    EngineColumns,
    PairedPredictions,
    Predictions,
    columns_on_engine,
    predictions_from_frame,
)

COLLECTED = 10_000_000
"""Default of the largest number of records that are read into memory."""


def counted_pair(
    frame: Any,
    y_true: Any,
    predictions: Mapping[str, Any],
    settings: Settings,
    collect: int,
    *,
    id: str | None,
    groups: Any,
    labels: ArrayLike | None,
) -> PairedPredictions | None:
    """Return the predictions of both roles in a data frame as counts and sums.

    None if there are no more than `collect` records, which are read into memory instead,
    where every test is available.
    """
    needed, pos_label = partial(_needed_counts, settings), settings.pos_label
    columns = columns_on_engine(frame, y_true, predictions, id=id, groups=groups)
    if columns is not None:
        if columns.table.n_records() <= collect:
            return None
        return pair_on_engine(columns, needed, labels, pos_label)
    if collect > 0:
        # The frame is in memory, or small.
        return None
    collected = predictions_from_frame(
        frame, y_true, predictions, id=id, groups=groups, labels=labels, pos_label=pos_label
    )
    return _in_memory(collected, needed)


def pair_on_engine(
    columns: EngineColumns,
    required: Callable[[CountedSchema], TallyRequest],
    labels: ArrayLike | None,
    pos_label: Any,
) -> PairedPredictions:
    """Return the predictions of both roles, counted and summed by the table's engine.

    `required` returns what to count for these classes and kinds of predictions.
    """
    grouped = columns.groups is not None
    engine = EngineTally(columns, TallyRequest(labels=True, pos_label=pos_label), labels)
    scored = {name: kind != LABELS for name, kind in engine.kinds.items()}
    if not any(scored.values()):
        # Counts of the labels show the classes as well.
        tally = engine.tally()
        schema = CountedSchema(tally.classes, scored, grouped)
        required(schema)
        return tallied_pair(tally, schema)
    schema = CountedSchema(engine.classes(), scored, grouped)
    request = required(schema)
    return tallied_pair(engine.asking(request, schema.classes).tally(), schema)


def _in_memory(predictions: Predictions, needed: Any) -> PairedPredictions:
    scored = {role.name: role.has_proba for role in predictions.estimators}
    grouped = predictions.groups is not None
    schema = CountedSchema(predictions.classes, scored, grouped)
    return tallied_pair(tally_predictions(predictions, needed(schema)), schema)


def tallied_comparison(tally: Tally, settings: Settings) -> PairedPredictions:
    """Return the predictions of both roles from a tally that suffices for a comparison."""
    schema = schema_of(tally)
    check_holds(tally, _needed_counts(settings, schema))
    return tallied_pair(tally, schema)


def _needed_counts(settings: Settings, schema: CountedSchema) -> TallyRequest:
    """Return the counts and sums that a comparison of such predictions needs."""
    requested = with_classes(settings.requested, schema.classes)
    selection = Selection(schema, requested, settings.alternative, settings.pos_label)
    return requested_by(selection, settings.measures)
