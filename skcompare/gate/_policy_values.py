"""Values of a policy: checked one by one, with messages that say where each is."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from skcompare._core.validation import is_number, is_whole, unknown_name

LARGEST_COUNT = 2**53
"""Whole numbers up to here are equal to fractions."""

Check = Callable[[Any, str], Any]
"""What checks a value, which messages call by the words given."""


def table(values: Any, known: Mapping[str, Check], words: str) -> dict[str, Any]:
    """A table of which all keys are known, with its values checked.

    Parameters
    ----------
    values : object
        What the policy has.
    known : mapping of str to callable
        What checks the value of each key; it is given the value and its words.
    words : str
        What messages call the table, such as "[data]".
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"{words} must be a table of keys and values. Got {_got(values)}.")
    for key in values:
        if key not in known:
            raise unknown_name(f"key in {words}:", _short(key), known)
    return {key: known[key](value, f"{key!r} in {words}") for key, value in values.items()}


def one_of_tables(values: Any, words: str) -> list[Any]:
    """An array of tables, which is not empty."""
    if not isinstance(values, list | tuple) or not values:
        got = "an empty array" if isinstance(values, list | tuple) else _got(values)
        raise TypeError(f"{words} must be an array of one or more tables. Got {got}.")
    return list(values)


def text(value: Any, words: str) -> str:
    """A text with something in it, which can be shown in one line."""
    if not isinstance(value, str):
        raise TypeError(f"{words} must be text. Got {_got(value)}.")
    if not value.strip() or not value.isprintable():
        raise ValueError(f"{words} must be text that can be printed. Got {_got(value)}.")
    return value


def number(value: Any, words: str) -> float:
    """A finite number; whole ones are fractions too."""
    if not is_number(value):
        raise TypeError(f"{words} must be a number. Got {_got(value)}.")
    if not abs(value) < math.inf or abs(value) > LARGEST_COUNT:
        raise ValueError(f"{words} must be a finite number. Got {_got(value)}.")
    return float(value)


def count(value: Any, words: str) -> int:
    """A whole number of at least 1."""
    if not is_whole(value):
        raise TypeError(f"{words} must be a whole number. Got {_got(value)}.")
    if not 1 <= value <= LARGEST_COUNT:
        raise ValueError(
            f"{words} must be a whole number from 1 to {LARGEST_COUNT:,}. Got "
            f"{_got(value)}."
        )
    return value


def switch(value: Any, words: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{words} must be true or false. Got {_got(value)}.")
    return value


def choice(*known: str) -> Check:
    """What checks that a value is one of some."""

    def check(value: Any, words: str) -> str:
        found = text(value, words)
        if found not in known:
            raise ValueError(
                f"{words} must be one of {', '.join(map(repr, known))}. Got {_got(value)}."
            )
        return found

    return check


def label(value: Any, words: str) -> Any:
    """A label: text, a number, or true or false."""
    if isinstance(value, str | bool):
        return value
    if not is_number(value) or not abs(value) < math.inf:
        raise TypeError(
            f"{words} must be a label: text, a number, true or false. Got {_got(value)}."
        )
    return value


def labels(value: Any, words: str) -> tuple[Any, ...]:
    """Two different labels or more."""
    if not isinstance(value, list | tuple):
        raise TypeError(f"{words} must be an array of labels. Got {_got(value)}.")
    found = tuple(label(one, words) for one in value)
    if len(found) < 2 or len(set(map(str, found))) < len(found):
        raise ValueError(
            f"{words} must be an array of two or more different labels. Got {len(found)}."
        )
    return found


def bounds(value: Any, words: str) -> tuple[float, float]:
    """A least and a greatest number."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise TypeError(f"{words} must be an array of two numbers. Got {_got(value)}.")
    low, high = (number(one, words) for one in value)
    if not low < high:
        raise ValueError(f"{words} must be a least and a greater number. Got {value!r}.")
    return low, high


def column_names(value: Any, words: str) -> tuple[str, ...]:
    """Names of different columns."""
    if not isinstance(value, list | tuple) or not value:
        got = "an empty array" if isinstance(value, list | tuple) else _got(value)
        raise TypeError(f"{words} must be an array of names of columns. Got {got}.")
    found = tuple(text(one, words) for one in value)
    if len(set(found)) < len(found):
        raise ValueError(f"{words} must be an array of different names. Got one twice.")
    return found


def column_or_columns(value: Any, words: str) -> str | tuple[str, ...]:
    """The name of a column, or names of several, such as one a class."""
    if isinstance(value, str):
        return text(value, words)
    if not isinstance(value, list | tuple):
        raise TypeError(
            f"{words} must be the name of a column or an array of names. Got {_got(value)}."
        )
    return column_names(value, words)


def values_of_columns(value: Any, words: str) -> dict[str, Any]:
    """The slice of a condition: columns, each with a value or an array of values."""
    if not isinstance(value, Mapping) or not value:
        got = "an empty table" if isinstance(value, Mapping) else _got(value)
        raise TypeError(f"{words} must be a table of columns and values. Got {got}.")
    found: dict[str, Any] = {}
    for name, wanted in value.items():
        column = f"{_short(repr(name))} in {words}"
        text(name, f"a column in {words}")
        if isinstance(wanted, list | tuple):
            if not wanted:
                raise ValueError(f"{column} must have a value. Got an empty array.")
            found[name] = [label(one, column) for one in wanted]
        else:
            found[name] = label(wanted, column)
    return found


def options(value: Any, words: str) -> dict[str, Any]:
    """Options of a test: names with plain values, or arrays of them."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{words} must be a table of options. Got {_got(value)}.")
    found: dict[str, Any] = {}
    for name, given in value.items():
        option = f"{_short(repr(name))} in {words}"
        text(name, f"an option in {words}")
        is_array = isinstance(given, list | tuple)
        found[name] = (
            [label(one, option) for one in given] if is_array else label(given, option)
        )
    return found


def _got(value: Any) -> str:
    """A value in short words; what is nested is never written out."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return f"an array of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**20:
        return "a whole number of more than 20 digits"
    if isinstance(value, str):
        return _short(repr(value))
    if isinstance(value, bool | int | float):
        return str(value).lower() if isinstance(value, bool) else repr(value)
    return f"a {type(value).__name__}"


def _short(key: Any) -> str:
    words = str(key)
    return words if len(words) <= 60 else f"{words[:60]}..."
