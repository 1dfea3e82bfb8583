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
    _check(isinstance(values, Mapping), values, title, "a table of keys and values")
    for key in values:
        if key not in known:
            raise unknown_name(f"key in {title}:", _short(key), known)
    return {key: known[key](value, f"{key!r} in {title}") for key, value in values.items()}


def one_of_tables(values: Any, title: str) -> list[Any]:
    """Check that a value is a non-empty array, and return a list of its tables."""
    is_array = isinstance(values, list | tuple) and values
    _check(is_array, values, title, "an array of one or more tables")
    return list(values)


def text(value: Any, title: str) -> str:
    """Check that a value is printable text that is not blank, and return it."""
    _check(isinstance(value, str), value, title, "text")
    is_printable = value.strip() and value.isprintable()
    _check(is_printable, value, title, "text that can be printed", ValueError)
    return value


def number(value: Any, title: str) -> float:
    """Check that a value is a finite number, and return it as a float."""
    _check(is_number(value), value, title, "a number")
    _check(abs(value) <= LARGEST_COUNT, value, title, "a finite number", ValueError)
    return float(value)


def count(value: Any, title: str) -> int:
    """Check that a value is a positive integer, and return it."""
    _check(is_whole(value), value, title, "a whole number")
    expected = f"a whole number from 1 to {LARGEST_COUNT:,}"
    _check(1 <= value <= LARGEST_COUNT, value, title, expected, ValueError)
    return value


def switch(value: Any, title: str) -> bool:
    """Check that a value is True or False, and return it."""
    _check(isinstance(value, bool), value, title, "true or false")
    return value


def choice(*known: str) -> Check:
    """Create a check that a value is one of the known texts."""

    def check(value: Any, title: str) -> str:
        expected = f"one of {', '.join(map(repr, known))}"
        _check(text(value, title) in known, value, title, expected, ValueError)
        return value

    return check


def label(value: Any, title: str) -> Any:
    """Check that a value is a label (text, number or boolean), and return it."""
    is_label = isinstance(value, str | bool) or (is_number(value) and abs(value) < math.inf)
    _check(is_label, value, title, "a label: text, a number, true or false")
    return value


def labels(value: Any, title: str) -> tuple[Any, ...]:
    """Check an array of two or more different labels, and return a tuple."""
    _check(isinstance(value, list | tuple), value, title, "an array of labels")
    checked = tuple(label(element, title) for element in value)
    if len(checked) < 2 or len(set(map(str, checked))) < len(checked):
        raise ValueError(
            f"{title} must be an array of two or more different labels. Got {len(checked)}."
        )
    return checked


def bounds(value: Any, title: str) -> tuple[float, float]:
    """Check an array of a lower and an upper bound, and return both as floats."""
    is_array = isinstance(value, list | tuple) and len(value) == 2
    _check(is_array, value, title, "an array of two numbers")
    low, high = (number(limit, title) for limit in value)
    if not low < high:
        raise ValueError(f"{title} must be a least and a greater number. Got {value!r}.")
    return low, high


def column_names(value: Any, title: str) -> tuple[str, ...]:
    """Check an array of different column names, and return a tuple."""
    is_array = isinstance(value, list | tuple) and value
    _check(is_array, value, title, "an array of names of columns")
    names = tuple(text(name, title) for name in value)
    if len(set(names)) < len(names):
        raise ValueError(f"{title} must be an array of different names. Got one twice.")
    return names


def column_or_columns(value: Any, title: str) -> str | tuple[str, ...]:
    """Check the name of a column, or an array of names, such as one per class."""
    if isinstance(value, str):
        return text(value, title)
    is_array = isinstance(value, list | tuple)
    _check(is_array, value, title, "the name of a column or an array of names")
    return column_names(value, title)


def values_of_columns(value: Any, title: str) -> dict[str, Any]:
    """Check the slice of a condition: columns, each with a value or several values."""
    is_table = isinstance(value, Mapping) and value
    _check(is_table, value, title, "a table of columns and values")
    for name, allowed in value.items():
        if isinstance(allowed, list | tuple) and not allowed:
            column = f"{_short(repr(name))} in {title}"
            raise ValueError(f"{column} must have a value. Got an empty array.")
    return options(value, title, "a column")


def options(value: Any, title: str, kind: str = "an option") -> dict[str, Any]:
    """Check the options of a test: names with plain values, or arrays of such values."""
    _check(isinstance(value, Mapping), value, title, "a table of options")
    checked: dict[str, Any] = {}
    for name, setting in value.items():
        option = f"{_short(repr(name))} in {title}"
        text(name, f"{kind} in {title}")
        if isinstance(setting, list | tuple):
            checked[name] = [label(element, option) for element in setting]
        else:
            checked[name] = label(setting, option)
    return checked


def _check(
    holds: Any, value: Any, title: str, expected: str, error: type[Exception] = TypeError
) -> None:
    """Raise an error unless a value is as expected."""
    if not holds:
        raise error(f"{title} must be {expected}. Got {_got(value)}.")


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
