"""Tallies of arrays, part by part, and of frames."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from skcompare._core.labels import check_groups
from skcompare._core.score_bins import Levels
from skcompare._typing import ArrayLike
from skcompare.evidence.tally._tally import Cells, Tally, TallyPlan, cells_of_codes, merged
from skcompare.evidence.tally._tally_engine import EngineTally
from skcompare.evidence.tally._tally_expressions import (
    ArrayOperations,
    Given,
    derived,
    parts_of,
)
from skcompare.evidence.tally._tally_request import Asked
from skcompare.predictions import (
    Answers,
    Predictions,
    arrays_from_frame,
    columns_on_engine,
    predictions_from_arrays,
)

CHUNK = 1 << 17
"""Records whose columns are in memory at a time."""

FIRST = 20_000
"""Records by which score bins are chosen, as on an engine."""

MOST_PENDING = 1 << 20
"""Cells that wait to be added up."""


def tally_arrays(
    y_true: ArrayLike,
    answers: Mapping[str, ArrayLike],
    asked: Asked,
    *,
    groups: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> Tally:
    """Count and sum the records of a hold-out set, or of a batch of it.

    Parameters
    ----------
    y_true, answers, groups, labels
        As for :func:`skcompare.predictions.predictions_from_arrays`, with the
        predictions of champion and challenger.
    asked : Asked
        The request.

    Returns
    -------
    tally : Tally
        Tallies of batches add up where classes, bins and `levels` are the same: pass
        `labels`, and `levels` of `asked`.
    """
    predictions = predictions_from_arrays(
        y_true, answers, labels=labels, pos_label=asked.pos_label, groups=groups
    )
    group_labels = None if groups is None else np.unique(check_groups(groups))
    return tally_predictions(predictions, asked, group_labels)


def tally_predictions(
    predictions: Predictions, asked: Asked, groups: np.ndarray | None = None
) -> Tally:
    """Count and sum the predictions of two classifiers.

    Parameters
    ----------
    predictions : Predictions
        Of a hold-out set.
    asked : Asked
        The request.
    groups : ndarray of shape (n_groups,), optional
        Labels of the groups, sorted.
    """
    pair = check_two(predictions)
    classes = predictions.classes
    record_groups = predictions.groups
    if record_groups is not None and predictions.records is not None:
        record_groups = record_groups[predictions.records]
    grouped = record_groups is not None
    plan = asked.plan(classes, None, grouped)
    if asked.needs_proba or asked.ranking:
        for role in pair:
            _check_proba(role)
    if asked.ranking:
        plan = asked.plan(classes, _levels(pair, plan.ranked, asked), grouped)
    y = predictions.y_answered()
    pending: list[list[Cells]] = []
    for start in range(0, len(y), CHUNK):
        rows = slice(start, start + CHUNK)
        pending.append(_counted(plan, y[rows], pair, rows, record_groups))
        if sum(len(table.counts) for tables in pending for table in tables) > MOST_PENDING:
            pending = [_merged(pending)]
    labels = groups
    if record_groups is not None and labels is None:
        labels = np.unique(record_groups)
    return Tally(plan, tuple(_merged(pending)), labels, tuple(role.name for role in pair))


def check_two(predictions: Predictions) -> tuple[Answers, Answers]:
    """Return champion and challenger; refuse more classifiers."""
    if len(predictions.answers) != 2:
        raise ValueError(
            "A tally is about two classifiers, champion and challenger. Got "
            f"{len(predictions.answers)}: {', '.join(predictions.names)}. Make one for "
            "each pair."
        )
    first, second = predictions.answers
    return first, second


def _merged(pending: list[list[Cells]]) -> list[Cells]:
    """Add up the tables of several parts."""
    return [
        merged(parts, list(parts[0].keys), list(parts[0].sums))
        for parts in zip(*pending, strict=True)
    ]


def _check_proba(predictions: Answers) -> None:
    if predictions.proba is None:
        raise ValueError(
            f"{predictions.name} has no probabilities, and losses, calibration and ranking "
            "are made of them. Name columns of probabilities, or ask for labels only."
        )


def _levels(
    pair: tuple[Answers, Answers], ranked: int, request: Asked
) -> tuple[Levels, Levels]:
    """Score bins as requested, or exact ones where values are few, else suitable ones."""
    fixed = request.fixed_levels()
    if fixed is not None:
        return fixed
    pair_levels = []
    for predictions in pair:
        score = predictions.proba[:, ranked]  # type: ignore[index]
        few = len(np.unique(score[:FIRST])) <= request.n_levels
        if few and len(np.unique(score)) <= request.n_levels:
            pair_levels.append(Levels.distinct())
            continue
        levels = Levels.choose(score[:FIRST], request.n_levels)
        if levels.is_distinct and len(score) > FIRST:
            # The first records may lack most values.
            levels = Levels.choose(score, request.n_levels)
        pair_levels.append(levels)
    return pair_levels[0], pair_levels[1]


def _counted(
    plan: TallyPlan, y: Any, pair: tuple[Answers, Answers], rows: slice, record_groups: Any
) -> list[Cells]:
    ops = ArrayOperations()
    columns = [
        Given(
            None if predictions.labels is None else predictions.labels[rows],
            None if predictions.proba is None else list(predictions.proba[rows].T),
        )
        for predictions in pair
    ]
    groups = {} if record_groups is None else {"group": record_groups[rows]}
    return [
        cells_of_codes(part.digits, part.raw | groups, part.sums, len(y))
        for part in parts_of(plan, derived(ops, plan, y, columns))
    ]


def tally_frame(
    frame: Any,
    y_true: Any,
    answers: Mapping[str, Any],
    asked: Asked,
    *,
    id: str | None = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
) -> Tally:
    """Count and sum the records of a frame where they are.

    Lazy frames of Polars, DuckDB, Dask, PySpark and other engines, datasets of pyarrow and
    large Parquet files are counted by one group-by of their engine, after a query of the
    labels and of the first records. Frames in memory and smaller files are counted here,
    with the same numbers.

    Parameters
    ----------
    frame, y_true, answers, id, groups
        As for :func:`skcompare.predictions.predictions_from_frame`, with the predictions of
        champion and challenger.
    asked : Asked
        The request.
    labels : array-like of shape (n_classes,), optional
        All class labels. They save the engine a query of the labels.

    Raises
    ------
    ValueError
        If there is no such column; if values are missing, are not classes or not
        probabilities, with the number of such records; if there is no record.

    Examples
    --------
    >>> import pandas as pd
    >>> from skcompare.evidence import Asked, JointCounts, tally_frame
    >>> frame = pd.DataFrame({"y": [0, 1, 1], "a": [0, 0, 1], "b": [0, 1, 1]})
    >>> tally = tally_frame(frame, "y", {"old": "a", "new": "b"}, Asked(labels=True))
    >>> tally
    Tally(n=3, names=['old', 'new'], n_cells=3)
    >>> JointCounts.from_tally(tally).contingency_table().only_challenger
    1
    """
    if len(answers) != 2:
        raise ValueError(
            "A tally is about two classifiers, champion and challenger. Got "
            f"{len(answers)}: {', '.join(map(str, answers))}. Make one for each pair."
        )
    asked.check_groups(groups is not None)
    columns = columns_on_engine(frame, y_true, answers, id=id, groups=groups)
    if columns is None:
        truth, arrays, group = arrays_from_frame(
            frame, y_true, answers, id=id, groups=groups
        )
        return tally_arrays(truth, arrays, asked, groups=group, labels=labels)  # type: ignore[arg-type]
    return EngineTally(columns, asked, labels).tally()
