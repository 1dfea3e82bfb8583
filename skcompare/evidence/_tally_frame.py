"""Tallies of frames: an engine counts, and only cells come back."""

from collections.abc import Mapping
from typing import Any

from skcompare._typing import ArrayLike
from skcompare.evidence._tally import Tally
from skcompare.evidence._tally_arrays import tally_arrays
from skcompare.evidence._tally_asked import Asked
from skcompare.evidence._tally_engine import EngineTally
from skcompare.predictions import (
    arrays_from_frame,
    columns_on_engine,
)


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

    .. versionadded:: 0.1
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
