"""Where the columns of truth, answers and groups are: in one frame or file, or several."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from skcompare._io.columns import Source, source_of
from skcompare.predictions._from_arrays import LABELS, parts_of

Y_TRUE, GROUPS = "y_true", "groups"
"""Roles beside those of the answers."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the columns of a role are; answers have the name of their classifier.

    `kind` says which they are where a classifier gives both labels and probabilities.
    """

    role: str
    source: Source
    columns: tuple[str, ...]
    is_list: bool
    as_written: bool
    name: str | None = None
    kind: str | None = None


def places_of(
    frame: Any,
    y_true: Any,
    answers: Mapping[str, Any],
    groups: Any = None,
    lists: bool = True,
) -> list[Place]:
    """Where truth, the answers and groups are, in this order, as far as they are named."""
    if not isinstance(answers, Mapping):
        raise TypeError(
            "`answers` must be a dict of the classifiers' columns, such as "
            f'{{"old": "column", "new": "other column"}}. Got {type(answers).__name__}.'
        )
    main = source_of(frame)
    parts = [part for name, given in answers.items() for part in parts_of(name, given)]
    asked = [
        replace(
            place_of(part.words, part.given, main, is_answer=lists and part.kind != LABELS),
            name=part.name,
            kind=part.kind,
        )
        for part in parts
    ]
    if y_true is not None:
        asked.insert(0, place_of(Y_TRUE, y_true, main))
    if groups is not None:
        asked.append(place_of(GROUPS, groups, main, as_written=True))
    return asked


def place_of(
    role: str,
    given: Any,
    main: Source,
    *,
    is_answer: bool = False,
    as_written: bool = False,
) -> Place:
    """Where one role's columns are."""
    source = main
    if isinstance(given, tuple) and len(given) == 2:
        if isinstance(given[0], str) and not os.path.exists(given[0]):
            raise FileNotFoundError(
                f"`{role}` is a pair, but there is no file {given[0]!r}. Pass another "
                "frame or file and its columns, or a list of columns of probabilities."
            )
        source = source_of(given[0], f"the frame of `{role}`")
        given = given[1]
    is_list = is_answer and isinstance(given, list)
    columns = tuple(given) if is_list else (given,)
    if not columns or not all(isinstance(name, str) for name in columns):
        lists = ", a list of names (probabilities, a column a class)" if is_answer else ""
        raise TypeError(
            f"`{role}` must be the name of a column{lists}, or a pair of another frame or "
            f"file and its column. Got {type(given).__name__}."
        )
    return Place(role, source, columns, is_list, as_written)


def check_id(places: Sequence[Place], id: Any) -> None:
    """Refuse several frames without the column to join them by."""
    sources = {place.source.key: place.source for place in places}
    if id is None and len(sources) > 1:
        listed = " and ".join(source.words for source in sources.values())
        raise ValueError(
            f"Columns of {listed} can only be joined by a column that tells records apart, "
            "because the order of records may differ. Name it as `id`."
        )
    if id is not None and not isinstance(id, str):
        raise TypeError(f"`id` must be the name of a column. Got {type(id).__name__}.")
