"""Files of values: npz or JSON, restored exactly, where nothing in a file is run."""

import datetime as dt
import inspect
import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np

from skcompare._core.atomic_write import replaced_on_success
from skcompare._core.design import Design

KINDS = "biufcUSMm"
"""Kinds of arrays that are stored as they are."""

_classes: dict[str, type] = {}

Tree = Any
"""None, a bool, an int, a finite float, a str, or a dict of a kind to its content."""


class NotStorableError(TypeError):
    """Exception for a value that cannot be stored in a file."""


def know_class(cls: type) -> None:
    """Register a class whose instances can be stored in files."""
    # Not by the module, which may be another one in a later version.
    _classes[name_of(cls)] = cls


def name_of(cls: type) -> str:
    """Return the name of a class in files, prefixed with the top-level package."""
    return f"{cls.__module__.partition('.')[0]}.{cls.__qualname__}"


def known_class(name: Any, holder: type | None = None) -> type:
    """Return the class with this name, registered or in the annotations of `holder`."""
    cls = _classes.get(name)
    if cls is None and holder is not None:
        cls = {name_of(kind): kind for kind in _dataclasses_in_fields(holder)}.get(name)
    if cls is None:
        raise ValueError(
            f"it holds a {name!r}, unknown here; import the package that defines it"
        )
    return cls


@cache
def _dataclasses_in_fields(cls: type) -> frozenset[type]:
    """Return the dataclasses in the annotations of a class."""
    try:
        pending = list(get_type_hints(cls).values())
    except NameError as error:
        raise NotStorableError(f"what {cls.__name__} has as {error.name}") from error
    classes = set()
    while pending:
        hint = pending.pop()
        pending.extend(get_args(hint))
        if isinstance(hint, type) and is_dataclass(hint):
            classes.add(hint)
    return frozenset(classes)


def encoded(value: Any, put: Callable[[np.ndarray], Tree], holder: Any = None) -> Tree:
    """Encode a value as a tree; `put` stores an array and returns its replacement."""

    def nested(item: Any) -> Tree:
        return encoded(item, put, holder)

    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": struct.pack(">d", value).hex()}
    if kind in (list, tuple, set, frozenset):
        return {kind.__name__: [nested(item) for item in value]}
    if kind is dict:
        return {"dict": [[nested(key), nested(item)] for key, item in value.items()]}
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
            "objects": [
                list(array.shape),
                [nested(item) for item in array.ravel().tolist()],
            ]
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
    """Encode a value as its class and the constructor arguments by name."""
    cls = type(value)
    if _classes.get(name_of(cls)) is not cls and not (
        holder is not None and cls in _dataclasses_in_fields(holder)
    ):
        raise NotStorableError(f"an object of the type {cls.__name__}")
    arguments = {}
    for name, argument in _arguments(value).items():
        try:
            arguments[name] = encoded(argument, put, cls)
        except NotStorableError as error:
            raise NotStorableError(f"{error}, as `{name}` of {cls.__name__}") from None
    return {"value": [name_of(cls), arguments]}


def _arguments(value: Any) -> Mapping[str, Any]:
    """Return the constructor arguments of a value, from its `__reduce__` or its fields."""
    cls = type(value)
    if getattr(cls, "__reduce__") is object.__reduce__:  # noqa: B009
        if not is_dataclass(cls):
            raise NotStorableError(f"{cls.__name__}, which has no fields and no __reduce__")
        return {f.name: getattr(value, f.name) for f in fields(cls) if f.init}
    constructor, positional, *state = value.__reduce__()
    signature = inspect.signature(cls)
    by_name = all(
        parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        for parameter in signature.parameters.values()
    )
    if constructor is not cls or any(state) or not by_name:
        raise NotStorableError(
            f"{cls.__name__}, whose __reduce__ does not return the class and arguments "
            "that have names"
        )
    return signature.bind(*positional).arguments


def decoded(tree: Tree, get: Callable[[Any], np.ndarray], holder: Any = None) -> Any:
    """Decode a tree into a value; `get` returns the arrays."""
    if not isinstance(tree, dict):
        if tree is None or type(tree) in (bool, int, float, str):
            return tree
        raise ValueError(f"it has {tree!r} where a value belongs")
    [(kind, content)] = tree.items()

    def nested(item: Tree) -> Any:
        return decoded(item, get, holder)

    if kind in _COLLECTIONS:
        return _COLLECTIONS[kind](nested(item) for item in content)
    if kind == "dict":
        return {nested(key): nested(item) for key, item in content}
    if kind == "array":
        return get(content)
    if kind == "scalar":
        return get(content)[()]
    if kind == "objects":
        shape, values = content
        array = np.empty(len(values), dtype=object)
        array[:] = [nested(item) for item in values]
        return array.reshape(shape)
    if kind == "value":
        name, arguments = content
        cls = known_class(name, holder)
        return cls(**{name: decoded(item, get, cls) for name, item in arguments.items()})
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
    """Describe an array by readable numbers if these are exact, and by bytes otherwise."""
    description = {"dtype": array.dtype.str, "shape": list(array.shape)}
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind in "biuU" or (kind == "f" and size <= 8 and np.isfinite(array).all()):
        return description | {"values": array.ravel().tolist()}
    return description | {"bytes": array.tobytes().hex()}


def array_from_text(described: dict[str, Any]) -> np.ndarray:
    """Restore an array from the output of :func:`array_as_text`."""
    dtype = np.dtype(str(described["dtype"]))
    if dtype.kind not in KINDS:
        raise ValueError(f"it has an array of {dtype}")
    if "bytes" in described:
        array = np.frombuffer(bytes.fromhex(described["bytes"]), dtype)
    else:
        array = np.array(described["values"], dtype=dtype)
        # numpy cuts off what a type cannot hold, such as the fraction of a count.
        if array.tolist() != described["values"]:
            raise ValueError(f"it has an array of {dtype} with values of another type")
    shaped = array.reshape(described["shape"])
    if list(shaped.shape) != described["shape"]:
        raise ValueError(f"it has an array of the shape {described['shape']}")
    return shaped


know_class(Design)

T = TypeVar("T")

VERSION = 1
HEADER = "header"


@dataclass(frozen=True)
class FileFormat:
    """Format of npz and JSON files with values of one kind.

    Parameters
    ----------
    name : str
        Name of the format in files.
    kind : str
        What such a file holds, in messages.
    written_by : str
        The functions that write such files, in messages.
    advice : str
        Advice where a value cannot be stored, in messages.
    """

    name: str
    kind: str
    written_by: str
    advice: str = ""

    def write(self, path: Any, content: Any) -> None:
        """Write a file atomically, and wait until it is on disk."""
        write = writer_for(path)
        head = {"format": self.name, "version": VERSION}
        try:
            with replaced_on_success(path, synced=True) as unfinished:
                write(head, content, unfinished)
        except NotStorableError as error:
            raise TypeError(
                f"A file cannot hold {error}. It holds numbers, text, times, arrays, "
                f"collections of these, and {self.kind} made of them. {self.advice}"
            ) from error

    def read(self, path: Any, restored: Callable[[Any], T]) -> T:
        """Read a file; raise a ValueError for any invalid content.

        `restored` returns the value of the content, or raises an error.
        """
        source = Path(path)
        with source.open("rb") as file:  # a file that cannot be opened is not damaged
            try:
                if source.suffix == ".json":
                    text = json.load(file, object_pairs_hook=_each_once)
                    return restored(self._content(text, array_from_text))
                if file.read(2) != b"PK":
                    raise ValueError("it does not begin as an npz file does")
                file.seek(0)
                with np.load(file, allow_pickle=False) as stored:
                    text = json.loads(stored[HEADER].tobytes())
                    return restored(self._content(text, stored.__getitem__))
            except MemoryError:
                raise
            except Exception as error:  # foreign or damaged bytes can fail anywhere
                reason = str(error).rstrip(".")
                raise ValueError(
                    f"{str(path)!r} cannot be read as {self.kind}: {reason}. Expected a "
                    f"complete file in format {VERSION} of {self.name}, such as "
                    f"{self.written_by}."
                ) from error

    def _content(self, stored: dict[str, Any], get: Callable[[Any], np.ndarray]) -> Any:
        if stored["format"] != self.name:
            raise ValueError(f"it is in the format {stored['format']!r}")
        if stored["version"] != VERSION:
            raise ValueError(
                f"it has version {stored['version']!r} of the format, and this version of "
                "skcompare knows others; install the one that wrote it, or a later one"
            )

        def read_only(node: Any) -> np.ndarray:
            array = get(node)
            array.setflags(write=False)
            return array

        return decoded(stored["content"], read_only)


Writer = Callable[[dict[str, Any], Any, Path], None]
"""Function that writes the content of a file after its format and version."""


def writer_for(path: Any) -> Writer:
    """Return the function that writes a file, by the ending of its name."""
    write = {".npz": _write_npz, ".json": _write_json}.get(Path(path).suffix)
    if write is None:
        raise ValueError(f"`path` must end in .npz or .json. Got {str(path)!r}.")
    return write


def _write_npz(head: dict[str, Any], content: Any, path: Path) -> None:
    arrays: dict[str, np.ndarray] = {}

    def put(array: np.ndarray) -> str:
        name = f"array{len(arrays)}"
        arrays[name] = array
        return name

    header = _as_text(head, encoded(content, put)).encode("ascii")
    with path.open("wb") as file:
        np.savez(file, **{HEADER: np.frombuffer(header, np.uint8)}, **arrays)  # type: ignore[arg-type]


def _write_json(head: dict[str, Any], content: Any, path: Path) -> None:
    text = _as_text(head, encoded(content, array_as_text))
    path.write_text(text + "\n", encoding="ascii")


def _as_text(head: dict[str, Any], tree: Tree) -> str:
    return json.dumps(head | {"content": tree}, allow_nan=False)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("it says one thing twice")
    return mapping
