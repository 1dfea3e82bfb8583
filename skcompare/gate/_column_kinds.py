"""What columns of answers hold, where it is not what they were named as."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.validation import integral, some_of
from skcompare._io.columns import Source, columns_of
from skcompare.gate._file_columns import Answer, ChosenColumns
from skcompare.gate._policy_sections import Columns
from skcompare.predictions._ids import is_text


def wrong_kind(chosen: ChosenColumns, columns: Columns) -> str | None:
    """Words for a column that does not hold what it was named as; None if all do.

    Columns are read anew, which is for answers that were refused already.

    Parameters
    ----------
    chosen : ChosenColumns
        Where everything is.
    columns : Columns
        What the policy names.
    """
    # What cannot be read was the reason itself.
    with suppress(ValueError, OSError):
        for source, name, kind in _named(chosen, columns):
            values = columns_of(source, [name])[name]
            said = f"Column {name!r} of {source.words}"
            if kind == "proba" and is_text(values):
                return (
                    f"{said} must hold probabilities. Got {_no_number(values)!r:.60}. "
                    "Write them as numbers in [0, 1], such as 0.12."
                )
            if kind == "labels" and values.ndim == 1 and values.dtype.kind in "iuf":
                truth = columns_of(chosen.main, [chosen.y])[chosen.y]
                if is_text(truth):
                    return f"{said} must hold labels. {_numbers_beside(values, truth)}"
    return None


def _named(chosen: ChosenColumns, columns: Columns) -> Iterator[tuple[Source, str, str]]:
    """Each column that was named as labels or as probabilities."""
    for source, answer in chosen.answers.values():
        if isinstance(answer, dict):
            yield from ((source, one, k) for k, v in answer.items() for one in _each(v))
        elif isinstance(answer, list) or answer == columns.proba != columns.label:
            yield from ((source, one, "proba") for one in _each(answer))
        elif answer == columns.label:
            yield source, answer, "labels"


def _each(answer: Answer) -> list[str]:
    return [answer] if isinstance(answer, str) else list(answer)


def _no_number(values: NDArray[Any]) -> str:
    """The first text that is no number."""
    texts = [str(value) for value in values.ravel().tolist()]
    for text in texts:
        try:
            float(text)
        except ValueError:
            return text
    return texts[0]


def _numbers_beside(values: NDArray[Any], truth: NDArray[Any]) -> str:
    """Why numbers are no labels where true labels are texts."""
    classes = some_of(np.unique(truth))
    finite = values[np.isfinite(values)]
    if not integral(finite):
        fraction = finite[np.trunc(finite) != finite][0]
        return (
            f"Got fractions, such as {fraction:g}, which are probabilities, and the "
            f"classes are {classes}. Name the column by `proba`."
        )
    found = some_of(np.unique(finite.astype(np.int64)))
    return (
        f"Got {found}, which are none of the classes {classes}. Write labels as the true "
        "labels are written."
    )
