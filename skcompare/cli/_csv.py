"""Columns of a CSV file: true labels and two columns of answers."""

import csv
import io
from pathlib import Path
from typing import Any

from skcompare._validation import unknown_name

__all__ = ["Column", "read_columns"]

Column = list[Any]
DEFAULT_NAMES = ("y", "champion", "challenger")


def read_columns(
    path: str, names: tuple[str | None, ...], delimiter: str
) -> dict[str, Column]:
    """The columns of truth, champion and challenger, in this order, by their names.

    Without names they are "y", "champion" and "challenger" where the file has these,
    or its three columns in order where it has just three. Columns of numbers come back
    as numbers.
    """
    header, rows = _read(path, delimiter)
    chosen = _chosen(header, names)
    columns = {name: _typed([row[header.index(name)] for row in rows]) for name in chosen}
    truth, *answers = chosen
    for name in answers:
        if isinstance(columns[truth][0], str) and not isinstance(columns[name][0], str):
            # Beside labels of text, numbers are probabilities, unless they are written
            # as these labels are.
            written = [str(value) for value in columns[name]]
            is_label = set(written) <= set(columns[truth])
            columns[name] = written if is_label else [float(v) for v in columns[name]]
    return columns


def _read(path: str, delimiter: str) -> tuple[list[str], list[list[str]]]:
    delimiter = "\t" if delimiter in ("\\t", "tab") else delimiter
    if len(delimiter) != 1:
        raise ValueError(f"--delimiter must be one character. Got {delimiter!r}.")
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except OSError as error:
        raise ValueError(f"Cannot read {path!r}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path!r} must be UTF-8 text. Save it as UTF-8 CSV.") from error
    try:
        # Not line by line: a quoted field may hold line breaks.
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        lines = [line for line in reader if line]
    except csv.Error as error:
        raise ValueError(f"{path!r} is not a CSV file: {error}.") from error
    if not lines or not any(lines[0]):
        raise ValueError(
            f"{path!r} must start with a line of column names. Got an empty file."
        )
    header = [name.strip() for name in lines[0]]
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise ValueError(f"{path!r} has several columns named {', '.join(repeated)}.")
    rows = lines[1:]
    if not rows:
        raise ValueError(f"{path!r} must have at least one record. Got column names only.")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise ValueError(
                f"Record {number - 1} of {path!r} has {len(row)} fields. Expected "
                f"{len(header)}, one for each of {', '.join(header)}."
            )
    return header, rows


def _chosen(header: list[str], names: tuple[str | None, ...]) -> list[str]:
    if not any(names):
        if set(DEFAULT_NAMES) <= set(header):
            return list(DEFAULT_NAMES)
        if len(header) == 3:
            return header
    chosen = [name or default for name, default in zip(names, DEFAULT_NAMES, strict=True)]
    for name in chosen:
        if name not in header:
            hint = "" if len(header) > 1 else " Is --delimiter right?"
            raise ValueError(
                f"{unknown_name('column', name, header)} Name the columns by --y, "
                f"--champion and --challenger.{hint}"
            )
    if len(set(chosen)) < 3:
        raise ValueError(
            "--y, --champion and --challenger must be three columns. Got "
            f"{', '.join(chosen)}."
        )
    return chosen


def _typed(cells: list[str]) -> Column:
    stripped = [cell.strip() for cell in cells]
    if "" in stripped:
        raise ValueError(
            f"Record {stripped.index('') + 1} has an empty field. Drop records with "
            "missing values, or fill them."
        )
    try:
        whole = [int(cell) for cell in stripped]
        # "01" and "1" are different labels, so only plainly written numbers count.
        if [str(number) for number in whole] == stripped:
            return whole
        return stripped
    except ValueError:
        pass
    try:
        return [float(cell) for cell in stripped]
    except ValueError:
        return stripped
