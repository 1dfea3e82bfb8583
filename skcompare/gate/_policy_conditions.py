"""The conditions of a policy, from tables of plain values."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from skcompare.gate import _policy_values as values_
from skcompare.gate._conditions import AnyOf, Condition, Equivalent, NonInferior, Superior

Made = TypeVar("Made")

KINDS: dict[str, type[Condition]] = {
    kind.name: kind for kind in (Superior, NonInferior, Equivalent)
}

OF_CONDITION: dict[str, values_.Check] = {
    **dict.fromkeys(KINDS, values_.text),
    "margin": values_.number,
    "where": values_.values_of_columns,
    "test": values_.text,
    "options": values_.options,
    "exact": values_.switch,
    "anytime": values_.switch,
    "min_records": values_.count,
    "min_discordant": values_.count,
}

ANY_OF: dict[str, values_.Check] = {AnyOf.name: values_.one_of_tables}


def conditions(values: Any, words: str) -> list[Condition | AnyOf]:
    """The conditions of an array of tables."""
    tables = values_.one_of_tables(values, "[[condition]]")
    return [_condition(one, f"Condition {k}") for k, one in enumerate(tables, start=1)]


def _condition(values: Any, words: str) -> Condition | AnyOf:
    if not isinstance(values, Mapping) or AnyOf.name not in values:
        return _single(values, words, {**OF_CONDITION, **ANY_OF})
    parts = values_.table(values, ANY_OF, words)[AnyOf.name]
    made = [
        _single(one, f"{words}, part {k} of any_of", OF_CONDITION)
        for k, one in enumerate(parts, start=1)
    ]
    return _named(lambda: AnyOf(*made), words)


def _single(values: Any, words: str, known: Mapping[str, values_.Check]) -> Condition:
    found = values_.table(values, known, words)
    kinds = [kind for kind in KINDS if kind in found]
    if len(kinds) != 1:
        raise ValueError(
            f"{words} must have one of {', '.join(KINDS)}. Got "
            f"{' and '.join(kinds) or 'none'}."
        )
    kind = KINDS[kinds[0]]
    measure = found.pop(kind.name)
    if "margin" not in found and kind is not Superior:
        raise ValueError(f"{words}: {kind.name} needs a margin. Got none.")
    return _named(lambda: kind(measure, **found), words)


def _named(make: Callable[[], Made], words: str) -> Made:
    """What is made, or the error with the words of its place."""
    try:
        return make()
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{words}: {error}") from error
