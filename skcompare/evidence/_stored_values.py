"""Values as plain trees for files, and back: nothing in a file is ever run.

A value is stored as the arguments that make it. What is restored is a class that is known
to hold evidence, or one that such a class names in the annotations of its fields; the file
chooses among them, and cannot bring others.
"""

import datetime as dt
import inspect
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

import numpy as np

KINDS = "biufcUSMm"
"""Kinds of arrays that are stored as they are."""

_known: dict[str, type] = {}

Tree = Any
"""None, a bool, an int, a finite float, a str, or a dict of a kind and what it is of."""


class NotStorableError(TypeError):
    """A value that a file cannot hold."""


def know_class(cls: type) -> None:
    """Let files hold values of a class."""
    # Not by the module, which may be another one in a later version.
    _known[name_of(cls)] = cls


def name_of(cls: type) -> str:
    """What a class is called in files: its package and its own name."""
    return f"{cls.__module__.partition('.')[0]}.{cls.__qualname__}"


def known_class(name: Any, holder: type | None = None) -> type:
    """The class of a name in a file, among those known and those that the holder names."""
    found = _known.get(name)
    if found is None and holder is not None:
        found = {name_of(one): one for one in _named_in_fields(holder)}.get(name)
    if found is None:
        raise ValueError(
            f"it holds a {name!r}, unknown here; import the package that defines it"
        )
    return found


@cache
def _named_in_fields(cls: type) -> frozenset[type]:
    """Classes with fields in the annotations of a class."""
    try:
        pending = list(get_type_hints(cls).values())
    except NameError as error:
        raise NotStorableError(f"what {cls.__name__} has as {error.name}") from error
    found = set()
    while pending:
        one = pending.pop()
        pending.extend(get_args(one))
        if isinstance(one, type) and is_dataclass(one):
            found.add(one)
    return frozenset(found)


def encoded(value: Any, put: Callable[[np.ndarray], Tree], holder: Any = None) -> Tree:
    """A value as a tree; arrays are stored by `put`, which says what stands for them."""

    def nested(one: Any) -> Tree:
        return encoded(one, put, holder)

    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": struct.pack(">d", value).hex()}
    if kind in (list, tuple, set, frozenset):
        return {kind.__name__: [nested(one) for one in value]}
    if kind is dict:
        return {"dict": [[nested(key), nested(one)] for key, one in value.items()]}
    if kind in (np.ndarray, np.memmap) or isinstance(value, np.generic):
        return _encoded_array(np.asarray(value), put, nested, kind)
    if kind in (dt.date, dt.datetime, dt.timedelta):
        return _encoded_time(value)
    return _encoded_object(value, put, holder)


def _encoded_array(
    array: np.ndarray, put: Callable[[np.ndarray], Tree], nested: Any, kind: type
) -> Tree:
    if array.dtype.kind == "O":
        return {
            "objects": [list(array.shape), [nested(one) for one in array.ravel().tolist()]]
        }
    if array.dtype.kind not in KINDS:
        raise NotStorableError(f"an array of {array.dtype}")
    return {"scalar" if issubclass(kind, np.generic) else "array": put(array)}


def _encoded_time(value: Any) -> Tree:
    if isinstance(value, dt.timedelta):
        return {"timedelta": [value.days, value.seconds, value.microseconds]}
    zone = getattr(value, "tzinfo", None)
    if zone is not None and (
        type(zone) is not dt.timezone or zone.tzname(None)[:3] != "UTC"
    ):
        raise NotStorableError(f"a time in the zone {zone}")
    return {type(value).__name__: value.isoformat()}


def _encoded_object(value: Any, put: Callable[[np.ndarray], Tree], holder: Any) -> Tree:
    """The class of a value, and the arguments that make it, by name."""
    cls = type(value)
    if _known.get(name_of(cls)) is not cls and not (
        holder is not None and cls in _named_in_fields(holder)
    ):
        raise NotStorableError(f"an object of the type {cls.__name__}")
    given = {}
    for name, argument in _arguments(value).items():
        try:
            given[name] = encoded(argument, put, cls)
        except NotStorableError as error:
            raise NotStorableError(f"{error}, as `{name}` of {cls.__name__}") from None
    return {"value": [name_of(cls), given]}


def _arguments(value: Any) -> Mapping[str, Any]:
    """What a value is made from again: as its `__reduce__` says, or else its fields."""
    cls = type(value)
    if getattr(cls, "__reduce__") is object.__reduce__:  # noqa: B009
        if not is_dataclass(cls):
            raise NotStorableError(f"{cls.__name__}, which has no fields and no __reduce__")
        return {f.name: getattr(value, f.name) for f in fields(cls) if f.init}
    made_by, positional, *more = value.__reduce__()
    signature = inspect.signature(cls)
    by_name = all(
        one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        for one in signature.parameters.values()
    )
    if made_by is not cls or any(more) or not by_name:
        raise NotStorableError(
            f"{cls.__name__}, whose __reduce__ does not return the class and arguments "
            "that have names"
        )
    return signature.bind(*positional).arguments


def decoded(tree: Tree, get: Callable[[Any], np.ndarray], holder: Any = None) -> Any:
    """The value of a tree; arrays are brought by `get`."""
    if not isinstance(tree, dict):
        if tree is None or type(tree) in (bool, int, float, str):
            return tree
        raise ValueError(f"it has {tree!r} where a value belongs")
    [(kind, content)] = tree.items()

    def nested(one: Tree) -> Any:
        return decoded(one, get, holder)

    if kind in _COLLECTIONS:
        return _COLLECTIONS[kind](nested(one) for one in content)
    if kind == "dict":
        return {nested(key): nested(one) for key, one in content}
    if kind == "array":
        return get(content)
    if kind == "scalar":
        return get(content)[()]
    if kind == "objects":
        shape, values = content
        array = np.empty(len(values), dtype=object)
        array[:] = [nested(one) for one in values]
        return array.reshape(shape)
    if kind == "value":
        name, given = content
        cls = known_class(name, holder)
        return cls(**{name: decoded(one, get, cls) for name, one in given.items()})
    return _PLAIN[kind](content)


_COLLECTIONS: dict[str, Callable[..., Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
}
_PLAIN: dict[str, Callable[[Any], Any]] = {
    "float": lambda bits: struct.unpack(">d", bytes.fromhex(bits))[0],
    "date": dt.date.fromisoformat,
    "datetime": dt.datetime.fromisoformat,
    "timedelta": lambda parts: dt.timedelta(*parts),
}


def array_as_text(array: np.ndarray) -> dict[str, Any]:
    """An array with numbers to be read where they tell all of it, and else its bytes."""
    told = {"dtype": array.dtype.str, "shape": list(array.shape)}
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind in "biuU" or (kind == "f" and size <= 8 and np.isfinite(array).all()):
        return told | {"values": array.ravel().tolist()}
    return told | {"bytes": array.tobytes().hex()}


def array_from_text(told: dict[str, Any]) -> np.ndarray:
    """The array of such numbers or bytes."""
    dtype = np.dtype(str(told["dtype"]))
    if dtype.kind not in KINDS:
        raise ValueError(f"it has an array of {dtype}")
    if "bytes" in told:
        array = np.frombuffer(bytes.fromhex(told["bytes"]), dtype)
    else:
        array = np.array(told["values"], dtype=dtype)
        # numpy cuts off what a type cannot hold, such as the fraction of a count.
        if array.tolist() != told["values"]:
            raise ValueError(f"it has an array of {dtype} with values of another type")
    shaped = array.reshape(told["shape"])
    if list(shaped.shape) != told["shape"]:
        raise ValueError(f"it has an array of the shape {told['shape']}")
    return shaped
