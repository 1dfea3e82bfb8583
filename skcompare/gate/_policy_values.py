"""Validation of single values of a policy, with messages that name their places."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from skcompare._core.validation import is_number, is_whole, unknown_name

LARGEST_COUNT = 2**53
"""Largest integer up to which all integers are exact as floats."""

Check = Callable[[Any, str], Any]
"""Check of a value, whose second argument is the name of the value in messages."""


def table(values: Any, known: Mapping[str, Check], title: str) -> dict[str, Any]:
    """Check the keys and values of a table, and return the checked values.

    Parameters
    ----------
    values : object
        Value in the policy.
    known : mapping of str to callable
        Check of the value of each key, called with the value and its name in messages.
    title : str
        Name of the table in messages, such as "[data]".
    """
    if not isinstance(values, Mapping):
        raise TypeError(_message(title, "a table of keys and values", values))
    for key in values:
        if key not in known:
            raise unknown_name(f"key in {title}:", _short(key), known)
    return {key: known[key](value, f"{key!r} in {title}") for key, value in values.items()}


def one_of_tables(values: Any, title: str) -> list[Any]:
    """Check that a value is a non-empty array, and return a list of its tables."""
    if not isinstance(values, list | tuple) or not values:
        raise TypeError(_message(title, "an array of one or more tables", values))
    return list(values)


def text(value: Any, title: str) -> str:
    """Check that a value is printable text that is not blank, and return it."""
    if not isinstance(value, str):
        raise TypeError(_message(title, "text", value))
    if not value.strip() or not value.isprintable():
        raise ValueError(_message(title, "text that can be printed", value))
    return value


def number(value: Any, title: str) -> float:
    """Check that a value is a finite number, and return it as a float."""
    if not is_number(value):
        raise TypeError(_message(title, "a number", value))
    if not abs(value) < math.inf or abs(value) > LARGEST_COUNT:
        raise ValueError(_message(title, "a finite number", value))
    return float(value)


def count(value: Any, title: str) -> int:
    """Check that a value is a positive integer, and return it."""
    if not is_whole(value):
        raise TypeError(_message(title, "a whole number", value))
    if not 1 <= value <= LARGEST_COUNT:
        expected = f"a whole number from 1 to {LARGEST_COUNT:,}"
        raise ValueError(_message(title, expected, value))
    return value


def switch(value: Any, title: str) -> bool:
    """Check that a value is True or False, and return it."""
    if not isinstance(value, bool):
        raise TypeError(_message(title, "true or false", value))
    return value


def choice(*known: str) -> Check:
    """Create a check that a value is one of the known texts."""

    def check(value: Any, title: str) -> str:
        chosen = text(value, title)
        if chosen not in known:
            expected = f"one of {', '.join(map(repr, known))}"
            raise ValueError(_message(title, expected, value))
        return chosen

    return check


def label(value: Any, title: str) -> Any:
    """Check that a value is a label (text, number or boolean), and return it."""
    if isinstance(value, str | bool):
        return value
    if not is_number(value) or not abs(value) < math.inf:
        raise TypeError(_message(title, "a label: text, a number, true or false", value))
    return value


def labels(value: Any, title: str) -> tuple[Any, ...]:
    """Check an array of two or more different labels, and return a tuple."""
    if not isinstance(value, list | tuple):
        raise TypeError(_message(title, "an array of labels", value))
    checked = tuple(label(element, title) for element in value)
    if len(checked) < 2 or len(set(map(str, checked))) < len(checked):
        raise ValueError(
            f"{title} must be an array of two or more different labels. Got {len(checked)}."
        )
    return checked


def bounds(value: Any, title: str) -> tuple[float, float]:
    """Check an array of a lower and an upper bound, and return both as floats."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise TypeError(_message(title, "an array of two numbers", value))
    low, high = (number(limit, title) for limit in value)
    if not low < high:
        raise ValueError(f"{title} must be a least and a greater number. Got {value!r}.")
    return low, high


def column_names(value: Any, title: str) -> tuple[str, ...]:
    """Check an array of different column names, and return a tuple."""
    if not isinstance(value, list | tuple) or not value:
        raise TypeError(_message(title, "an array of names of columns", value))
    names = tuple(text(name, title) for name in value)
    if len(set(names)) < len(names):
        raise ValueError(f"{title} must be an array of different names. Got one twice.")
    return names


def column_or_columns(value: Any, title: str) -> str | tuple[str, ...]:
    """Check the name of a column, or an array of names, such as one per class."""
    if isinstance(value, str):
        return text(value, title)
    if not isinstance(value, list | tuple):
        raise TypeError(_message(title, "the name of a column or an array of names", value))
    return column_names(value, title)


def values_of_columns(value: Any, title: str) -> dict[str, Any]:
    """Check the slice of a condition: columns, each with a value or several values."""
    if not isinstance(value, Mapping) or not value:
        raise TypeError(_message(title, "a table of columns and values", value))
    for name, allowed in value.items():
        text(name, f"a column in {title}")
        if isinstance(allowed, list | tuple) and not allowed:
            column = f"{_short(repr(name))} in {title}"
            raise ValueError(f"{column} must have a value. Got an empty array.")
    return options(value, title, "a column")


def options(value: Any, title: str, kind: str = "an option") -> dict[str, Any]:
    """Check the options of a test: names with plain values, or arrays of such values."""
    if not isinstance(value, Mapping):
        raise TypeError(_message(title, "a table of options", value))
    checked: dict[str, Any] = {}
    for name, setting in value.items():
        option = f"{_short(repr(name))} in {title}"
        text(name, f"{kind} in {title}")
        if isinstance(setting, list | tuple):
            checked[name] = [label(element, option) for element in setting]
        else:
            checked[name] = label(setting, option)
    return checked


def _message(title: str, expected: str, value: Any) -> str:
    return f"{title} must be {expected}. Got {_got(value)}."


def _got(value: Any) -> str:
    """Describe a value briefly, without the content of nested values."""
    if isinstance(value, Mapping):
        return "a table" if value else "an empty table"
    if isinstance(value, list | tuple):
        return f"an array of {len(value)}" if value else "an empty array"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**20:
        return "a whole number of more than 20 digits"
    if isinstance(value, str):
        return _short(repr(value))
    if isinstance(value, bool | int | float):
        return str(value).lower() if isinstance(value, bool) else repr(value)
    return f"a {type(value).__name__}"


def _short(key: Any) -> str:
    text = str(key)
    return text if len(text) <= 60 else f"{text[:60]}..."
