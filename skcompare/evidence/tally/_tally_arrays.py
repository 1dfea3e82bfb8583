"""Tallies of arrays, part by part."""

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
"""Records that levels are chosen by, as on an engine."""

MOST_PENDING = 1 << 20
"""Cells that wait for being added up."""


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
        As for :func:`skcompare.predictions.predictions_from_arrays`, with the answers of
        champion and challenger.
    asked : Asked
        What is needed.

    Returns
    -------
    tally : Tally
        Tallies of batches add up where classes, bins and levels are the same: pass
        `labels`, and `levels` of `asked`.
    """
    predictions = predictions_from_arrays(
        y_true, answers, labels=labels, pos_label=asked.pos_label, groups=groups
    )
    own = None if groups is None else np.unique(check_groups(groups))
    return tally_predictions(predictions, asked, own)


def tally_predictions(
    predictions: Predictions, asked: Asked, groups: np.ndarray | None = None
) -> Tally:
    """Count and sum the predictions of two classifiers.

    Parameters
    ----------
    predictions : Predictions
        Of a hold-out set.
    asked : Asked
        What is needed.
    groups : ndarray of shape (n_groups,), optional
        Labels of the groups, sorted.
    """
    pair = check_two(predictions)
    classes = predictions.classes
    own = predictions.groups
    if own is not None and predictions.records is not None:
        own = own[predictions.records]
    grouped = own is not None
    plan = asked.plan(classes, None, grouped)
    if asked.needs_proba or asked.ranking:
        for one in pair:
            _check_proba(one)
    if asked.ranking:
        plan = asked.plan(classes, _levels(pair, plan.ranked, asked), grouped)
    y = predictions.y_answered()
    pending: list[list[Cells]] = []
    for start in range(0, len(y), CHUNK):
        rows = slice(start, start + CHUNK)
        pending.append(_counted(plan, y[rows], pair, rows, own))
        if sum(len(one.counts) for tables in pending for one in tables) > MOST_PENDING:
            pending = [_merged(pending)]
    labels = groups
    if own is not None and labels is None:
        labels = np.unique(own)
    return Tally(plan, tuple(_merged(pending)), labels, tuple(one.name for one in pair))


def check_two(predictions: Predictions) -> tuple[Answers, Answers]:
    """Champion and challenger; refuses more."""
    if len(predictions.answers) != 2:
        raise ValueError(
            "A tally is about two classifiers, champion and challenger. Got "
            f"{len(predictions.answers)}: {', '.join(predictions.names)}. Make one for "
            "each pair."
        )
    first, second = predictions.answers
    return first, second


def _merged(pending: list[list[Cells]]) -> list[Cells]:
    """The tables of several parts added up."""
    return [
        merged(parts, list(parts[0].keys), list(parts[0].sums))
        for parts in zip(*pending, strict=True)
    ]


def _check_proba(answers: Answers) -> None:
    if answers.proba is None:
        raise ValueError(
            f"{answers.name} has no probabilities, and losses, calibration and ranking are "
            "made of them. Name columns of probabilities, or ask for labels only."
        )


def _levels(
    pair: tuple[Answers, Answers], ranked: int, asked: Asked
) -> tuple[Levels, Levels]:
    """Levels as they were given; or exact ones where values are few, else suitable."""
    fixed = asked.fixed_levels()
    if fixed is not None:
        return fixed
    found = []
    for one in pair:
        score = one.proba[:, ranked]  # type: ignore[index]
        few = len(np.unique(score[:FIRST])) <= asked.n_levels
        if few and len(np.unique(score)) <= asked.n_levels:
            found.append(Levels.distinct())
            continue
        levels = Levels.choose(score[:FIRST], asked.n_levels)
        if levels.is_distinct and len(score) > FIRST:
            # The first records may lack most values.
            levels = Levels.choose(score, asked.n_levels)
        found.append(levels)
    return found[0], found[1]


def _counted(
    plan: TallyPlan, y: Any, pair: tuple[Answers, Answers], rows: slice, own: Any
) -> list[Cells]:
    ops = ArrayOperations()
    given = [
        Given(
            None if one.labels is None else one.labels[rows],
            None if one.proba is None else list(one.proba[rows].T),
        )
        for one in pair
    ]
    groups = {} if own is None else {"group": own[rows]}
    return [
        cells_of_codes(part.digits, part.raw | groups, part.sums, len(y))
        for part in parts_of(plan, derived(ops, plan, y, given))
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
    large Parquet files are counted by one group-by of their engine, after a look at the
    labels that there are and at the first records. Frames in memory and smaller files are
    counted here, with the same numbers.

    Parameters
    ----------
    frame, y_true, answers, id, groups
        As for :func:`skcompare.predictions.predictions_from_frame`, with the answers of
        champion and challenger.
    asked : Asked
        What tests need.
    labels : array-like of shape (n_classes,), optional
        All class labels. They save the engine a look at the labels.

    Raises
    ------
    ValueError
        If there is no such column; if values are missing, are no class or no
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
