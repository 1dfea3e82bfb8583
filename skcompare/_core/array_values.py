"""Equality, hashes and pickling of frozen dataclasses that hold arrays."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from skcompare._core.design import Design

HASHED = 16
"""Number of elements of an array that its hash depends on."""


class ArrayValues:
    """Base class of frozen dataclasses that hold arrays; decorate them with ``eq=False``.

    Two are equal if they are of one class with equal fields. They are pickled by the
    arguments of their constructor, so that arrays come back read-only.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(map(_are_equal, _arguments(self), _arguments(other)))

    def __hash__(self) -> int:
        return hash(tuple(map(_hashable, _arguments(self))))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), _arguments(self)

    def _set(self, **values: Any) -> None:
        """Set fields of a new object, with arrays made read-only."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)


def _arguments(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, field.name) for field in fields(value) if field.init)


def plain_values(value: Any) -> dict[str, Any]:
    """Fields of a dataclass as built-in types: lists for arrays, text for a design."""
    return {
        field.name: _plain(getattr(value, field.name))
        for field in fields(value)
        if field.init
    }


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Design):
        return value.name
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return plain_values(value) if is_dataclass(value) else value


def _are_equal(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        numbers = first.dtype.kind == second.dtype.kind == "f"
        return np.array_equal(first, second, equal_nan=numbers)
    if isinstance(first, dict) and isinstance(second, dict):
        same = first.keys() == second.keys()
        return same and all(_are_equal(first[name], second[name]) for name in first)
    # An array is unequal to anything else, whatever its elements.
    one_array = isinstance(first, np.ndarray) or isinstance(second, np.ndarray)
    return not one_array and bool(first == second)


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset(value)
    if not isinstance(value, np.ndarray):
        return value
    # Equal arrays of other types have equal elements, and NaN has many hashes.
    elements = value.ravel()[:HASHED].tolist()
    return value.shape, tuple(element for element in elements if element == element)
