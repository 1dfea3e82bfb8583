"""Input files of a gate, and checks before reading."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import columns_of, source_of
from skcompare._io.readers import Source, all_suffixes, list_formats
from skcompare.gate._policy_sections import Columns, TrainSettings
from skcompare.gate._training import Training
from skcompare.predictions import some_ids

PICKLES = (".pkl", ".pickle", ".joblib", ".jbl", ".dill", ".cloudpickle", ".pt", ".pth")

OTHERWISE = "Rename it if it is one of these, or write it again as one."
ADVICE = {
    (".json",): "Rename it to .jsonl if each line has one record, or write it so.",
    (".xlsx", ".xls", ".ods"): "Export the sheet as CSV.",
    (".zip", ".bz2", ".xz", ".zst", ".7z", ".tar"): "Unpack it.",
}
"""Advice for files of other formats, by the endings of their names."""

NUMBERS: dict[str, Callable[[str], float]] = {"i": int, "u": int, "f": float}
"""Conversions of text to a label, by the kind of NumPy dtype."""


class GateFiles(NamedTuple):
    """Input files of a gate.

    Attributes
    ----------
    predictions : tuple of str
        One file with the predictions of both, or the champion's and the challenger's; or
        two saved estimators.
    data : str or None
        The records that saved estimators predict for.
    train : TrainSettings or None
        The training records, with the path to open.
    trust : tuple of str
        Types of saved estimators that are trusted in addition to the reviewed ones.
    """

    predictions: tuple[str, ...]
    data: str | None = None
    train: TrainSettings | None = None
    trust: tuple[str, ...] = ()

    @property
    def inputs(self) -> list[str]:
        """Paths of all input files."""
        train = [] if self.train is None else [self.train.file]
        return [*self.predictions, *([] if self.data is None else [self.data]), *train]


def checked_source(path: str) -> Source:
    """Return the source of a file's columns, after checks of the file's format."""
    check_not_pickled(path)
    _check_ending(path)
    return source_of(path)


def _check_ending(path: str) -> None:
    """Check that the suffix of a file is that of a supported format."""
    name = os.path.basename(path.lower().rstrip(os.sep))
    ending = os.path.splitext(name)[1]
    if ending == ".gz":
        ending = os.path.splitext(name.removesuffix(".gz"))[1]
    if ending in ("", *all_suffixes()):
        return
    advice = next((text for ends, text in ADVICE.items() if ending in ends), OTHERWISE)
    raise ValueError(
        f"{path!r} must be {list_formats(suffixes=True)} by its name. Got {ending!r}. "
        f"{advice}"
    )


def check_not_pickled(path: str) -> None:
    """Raise an error if the suffix of a file is that of a pickle."""
    if path.lower().removesuffix(".gz").endswith(PICKLES):
        raise ValueError(
            f"{path!r} is a pickle by its name, and whoever wrote a pickle can run any "
            "code where it is loaded. Save the estimator by skops.io.dump as .skops, or "
            f"its predictions as {list_formats()}."
        )


def check_each_once(ids: NDArray[Any], name: str, source: Source) -> None:
    """Raise an error if ids are repeated."""
    values, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        raise ValueError(
            f"Ids must tell records apart. Column {name!r} of {source.text} has "
            f"{some_ids(values[counts > 1])} more than once. Keep one record of each."
        )


def training_of(
    files: GateFiles, id: str | None, features: Sequence[str]
) -> Training | None:
    """Return the training records, or None if the gate has none."""
    if files.train is None:
        return None
    source = checked_source(files.train.file)
    return Training(source, id, files.train.id, features)


def with_label(columns: Columns, text: str | None, source: Source, y: str) -> Columns:
    """Set the positive label from text, converted to the type of the true labels."""
    if text is None:
        return columns
    kind = columns_of(source, [y])[y].dtype.kind
    label: Any = text
    if kind == "b":
        label = {"true": True, "false": False}.get(text.lower(), text)
    elif kind in NUMBERS:
        with suppress(ValueError):
            label = NUMBERS[kind](text)
    return replace(columns, pos_label=label)
