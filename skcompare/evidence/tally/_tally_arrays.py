"""Tallies of arrays, computed in chunks, and of data frames."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skcompare._core.arrays import ArrayOperations
from skcompare._core.score_bins import ScoreBins
from skcompare._core.validation import check_groups
from skcompare._typing import ArrayLike
from skcompare.evidence.core._counting import groups_of
from skcompare.evidence.tally._tally import Cells, Tally, TallyPlan, cells_of_codes, merged
from skcompare.evidence.tally._tally_engine import EngineTally
from skcompare.evidence.tally._tally_request import (
    Given,
    TallyRequest,
    check_proba,
    derived,
    parts_of,
)
from skcompare.predictions import (
    ColumnRoles,
    EstimatorPredictions,
    Predictions,
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
    predictions: Mapping[str, ArrayLike],
    requested: TallyRequest,
    *,
    groups: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> Tally:
    """Count and sum the records of a hold-out set, or of a batch of it.

    Parameters
    ----------
    y_true, predictions, groups, labels
        As for :func:`skcompare.predictions.predictions_from_arrays`, with the
        predictions of champion and challenger.
    requested : TallyRequest
        The request.

    Returns
    -------
    tally : Tally
        Tallies of batches add up where classes, bins and `score_bins` are the same: pass
        `labels`, and `score_bins` of `requested`.
    """
    collected = predictions_from_arrays(
        y_true, predictions, labels=labels, pos_label=requested.pos_label, groups=groups
    )
    group_labels = None if groups is None else np.unique(check_groups(groups))
    return tally_predictions(collected, requested, group_labels)


def tally_predictions(
    predictions: Predictions, requested: TallyRequest, groups: np.ndarray | None = None
) -> Tally:
    """Count and sum the predictions of two classifiers.

    Parameters
    ----------
    predictions : Predictions
        Of a hold-out set.
    requested : TallyRequest
        The request.
    groups : ndarray of shape (n_groups,), optional
        Labels of the groups, sorted.
    """
    _check_two_names(predictions.names)
    first, second = predictions.estimators
    pair = first, second
    classes = predictions.classes
    record_groups = groups_of(predictions)
    grouped = record_groups is not None
    plan = requested.plan(classes, None, grouped)
    check_proba(requested, [role.name for role in pair if role.proba is None])
    if requested.ranking:
        plan = requested.plan(classes, _score_bins(pair, plan.ranked, requested), grouped)
    y = predictions.y_predicted()
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


def _check_two_names(names: Sequence[Any]) -> None:
    if len(names) != 2:
        raise ValueError(
            "A tally is about two classifiers, champion and challenger. Got "
            f"{len(names)}: {', '.join(map(str, names))}. Make one for each pair."
        )


def _merged(pending: list[list[Cells]]) -> list[Cells]:
    """Add up the tables of several parts."""
    return list(map(merged, zip(*pending, strict=True)))


def _score_bins(
    pair: tuple[EstimatorPredictions, EstimatorPredictions],
    ranked: int,
    request: TallyRequest,
) -> tuple[ScoreBins, ScoreBins]:
    """Return score bins as requested, distinct for few values, or else chosen by values."""
    fixed = request.fixed_score_bins()
    if fixed is not None:
        return fixed
    pair_score_bins = []
    for predictions in pair:
        score = predictions.proba[:, ranked]  # type: ignore[index]
        few = len(np.unique(score[:FIRST])) <= request.n_score_bins
        if few and len(np.unique(score)) <= request.n_score_bins:
            pair_score_bins.append(ScoreBins.distinct())
            continue
        score_bins = ScoreBins.choose(score[:FIRST], request.n_score_bins)
        if score_bins.is_distinct and len(score) > FIRST:
            # The first records may lack most values.
            score_bins = ScoreBins.choose(score, request.n_score_bins)
        pair_score_bins.append(score_bins)
    return pair_score_bins[0], pair_score_bins[1]


def _counted(
    plan: TallyPlan,
    y: Any,
    pair: tuple[EstimatorPredictions, EstimatorPredictions],
    rows: slice,
    record_groups: Any,
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
    predictions: Mapping[str, Any],
    requested: TallyRequest,
    *,
    id: str | None = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
) -> Tally:
    """Count and sum the records of a data frame, by its engine if possible.

    Lazy frames of Polars, DuckDB, Dask, PySpark and other engines, datasets of pyarrow and
    large Parquet files are counted by one group-by of their engine, after a query of the
    labels and of the first records. Frames in memory and smaller files are counted here,
    with the same numbers.

    Parameters
    ----------
    frame, y_true, predictions, id, groups
        As for :func:`skcompare.predictions.predictions_from_frame`, with the predictions of
        champion and challenger.
    requested : TallyRequest
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
    >>> from skcompare.evidence import TallyRequest, JointCounts, tally_frame
    >>> frame = pd.DataFrame({"y": [0, 1, 1], "a": [0, 0, 1], "b": [0, 1, 1]})
    >>> tally = tally_frame(frame, "y", {"old": "a", "new": "b"}, TallyRequest(labels=True))
    >>> tally
    Tally(n=3, names=['old', 'new'], n_cells=3)
    >>> JointCounts.from_tally(tally).contingency_table().only_challenger
    1
    """
    _check_two_names(list(predictions))
    requested.check_groups(groups is not None)
    roles = ColumnRoles(frame, y_true, predictions, id, groups)
    tally = engine_tally(roles, requested, labels)
    if tally is not None:
        return tally
    truth, arrays, group, _ = roles.read()
    return tally_arrays(truth, arrays, requested, groups=group, labels=labels)  # type: ignore[arg-type]


def engine_tally(
    roles: ColumnRoles, requested: TallyRequest, labels: ArrayLike | None = None
) -> Tally | None:
    """Return the tally of columns on an engine, or None to read them into arrays."""
    columns = roles.on_engine()
    return None if columns is None else EngineTally(columns, requested, labels).tally()
