"""Columns of true labels in the files of a gate, and the file that they come from."""

from collections.abc import Sequence

from skcompare._io.columns import check_column
from skcompare._io.readers import Source
from skcompare.gate._policy import Columns
from skcompare.predictions import CHALLENGER

Y = "y"
"""Column of true labels where none is named."""


def true_columns(columns: Columns) -> tuple[str, ...]:
    """Return the columns of true labels: one, or several of the numbers of outputs."""
    if columns.y is None:
        return (Y,)
    return (columns.y,) if isinstance(columns.y, str) else tuple(columns.y)


def has_truth(source: Source, y: Sequence[str]) -> bool:
    """Whether a file has the columns of true labels, all of them or none."""
    there = [name for name in y if name in source.names]
    if 0 < len(there) < len(y):
        missing = next(name for name in y if name not in source.names)
        raise ValueError(
            f"{source.text} must have all columns of the true numbers, or none. Got "
            f"{there[0]!r} without {missing!r}. Add it, or leave the others out."
        )
    return bool(there)


def truth_of(
    champion: Source,
    challenger: Source,
    y: Sequence[str],
    y_from: str | None,
    is_counted: bool,
) -> Source:
    """Return the file of the true labels, by default the champion's.

    Where looks are counted, true labels in the challenger's file are not even read: the
    differences would reveal the labels of the records, one query after the other.
    """
    two_files, allowed = champion.key != challenger.key, y_from == CHALLENGER
    theirs = [name for name in y if name in challenger.names]
    alone = [name for name in theirs if name not in champion.names]
    if two_files and theirs and is_counted:
        raise ValueError(
            f"Column {theirs[0]!r} of {challenger.text}, the challenger's file, has true "
            "labels. Where a ledger counts looks they come from the champion's file alone, "
            "and others are not read, because differences would reveal the true labels. "
            "Leave the column out."
        )
    if alone and not allowed:
        raise ValueError(
            f"True labels (column {alone[0]!r}) are in {challenger.text}, the challenger's "
            "file, alone. A challenger must not bring the true labels. Add the "
            f"column to {champion.text}, the champion's file, or allow it by y_from = "
            '"challenger" in [data] of the policy.'
        )
    main = challenger if two_files and allowed and theirs else champion
    for name in y:
        check_column(main, name, " Name the true labels by `y`.")
    return main
