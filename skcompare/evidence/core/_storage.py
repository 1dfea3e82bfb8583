"""Storage of evidence in npz or JSON files, and checkpoints of a stream."""

import datetime as dt
import inspect
import json
import math
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np

from skcompare._core.arrays import ArrayValues
from skcompare._core.atomic_write import replaced_on_success
from skcompare._core.design import Design
from skcompare._core.validation import some_of

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


FORMAT = "skcompare.evidence"
VERSION = 1
HEADER = "header"

S = TypeVar("S", bound="Storable")

know_class(Design)


class Storable(ArrayValues):
    """Base class of evidence that can be saved to a file.

    A derived class of another package needs only fields, or a `__reduce__` that returns the
    class and the arguments that make it.
    """

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        know_class(cls)

    def save(self, path: Any) -> None:
        """Save this evidence to a file atomically.

        :func:`~skcompare.evidence.save_checkpoint` writes several pieces with the position
        of a stream.

        Parameters
        ----------
        path : str or path-like
            A file that ends in ``.npz``, or in ``.json`` to be read by people and other
            programs. One that exists is replaced when the new one is complete and on disk;
            on any error it stays as it is.

        Raises
        ------
        ValueError
            If the path has another ending.
        TypeError
            If the evidence holds what a file cannot hold, such as a function.
        OSError
            If the file cannot be written.
        """
        _write(path, {"evidence": self})

    @classmethod
    def load(cls: type[S], path: Any) -> S:
        """Load evidence of this class from a file, exactly as saved.

        Nothing in the file is run.

        Parameters
        ----------
        path : str or path-like
            A file that ``save`` wrote.

        Raises
        ------
        ValueError
            If the file is damaged, of a later version, of another class, or no file of
            evidence.
        FileNotFoundError
            If there is no such file.
        """
        value = load_evidence(path)
        if not isinstance(value, cls):
            raise ValueError(
                f"{str(path)!r} holds a {type(value).__name__}. Expected a "
                f"{cls.__name__}. Read it by {type(value).__name__}.load, or by "
                "skcompare.evidence.load_evidence."
            )
        return value


class Checkpoint(NamedTuple):
    """Evidence of a stream so far, and the position up to which the stream was read.

    Parameters
    ----------
    evidence : dict of str to evidence
        Evidence of all that was read, each piece under its name.
    position : object
        Where to continue, such as the number of batches read.
    """

    evidence: dict[str, Any]
    position: Any


def load_evidence(path: Any) -> Any:
    """Load evidence of any class from a file, exactly as saved.

    Nothing in the file is run: it names a class of evidence, and holds its arguments. A
    class of another package can be read once that package is imported.

    Parameters
    ----------
    path : str or path-like
        A file that the `save` of evidence wrote.

    Returns
    -------
    evidence : object
        Of the class that was saved.

    Raises
    ------
    ValueError
        If the file is damaged, of a later version, or no file of evidence.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skcompare.evidence import ContingencyTable, load_evidence
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.json"
    ...     ContingencyTable(150, 25, 15, 10).save(path)
    ...     load_evidence(path)
    ContingencyTable(both_correct=150, only_champion=25, only_challenger=15, both_wrong=10)
    """
    content = _read(path)
    if "evidence" not in content:
        raise ValueError(
            f"{str(path)!r} is a checkpoint. Read it by "
            "skcompare.evidence.load_checkpoint, which tells the position too."
        )
    return content["evidence"]


def save_checkpoint(path: Any, evidence: Mapping[str, Any], position: Any) -> None:
    """Save the evidence and the position of a stream to one file atomically.

    A stream that is started again must neither read a batch twice nor leave one out, so
    the position stands in the same file as the evidence, and several pieces of evidence
    in one file are always of the same batches. The file is replaced when the new one is
    complete and on disk: whenever the process or the machine stops, the last complete
    checkpoint is there.

    Parameters
    ----------
    path : str or path-like
        A file that ends in ``.npz`` or ``.json``. One process writes it; of several, each
        has a file of its own.
    evidence : mapping of str to evidence
        Evidence of all that was read so far, each under a name of your choice.
    position : object
        Where to continue, such as the number of batches read, or a dict of offsets.
        Numbers, text, times, and lists, tuples and dicts of them.

    Raises
    ------
    ValueError
        If the path has another ending.
    TypeError
        If `evidence` is no mapping of evidence by name, or a file cannot hold something in
        it or in `position`.
    OSError
        If the file cannot be written; the one before it stays.

    See Also
    --------
    load_checkpoint : Continues from there.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skcompare.evidence import JointCounts, load_checkpoint, save_checkpoint
    >>> batches = [([1, 0, 1], [1, 0, 0], [1, 1, 1]), ([0, 1, 0], [0, 1, 1], [0, 1, 0])]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "stream.npz"
    ...     evidence, position = load_checkpoint(path, start=0)
    ...     for batch in batches[position:]:
    ...         new = {"joint": JointCounts.from_predictions(*batch)}
    ...         evidence = {name: evidence.get(name, 0) + new[name] for name in new}
    ...         position += 1
    ...         save_checkpoint(path, evidence, position)
    ...     evidence, position = load_checkpoint(path)
    >>> evidence["joint"].n, position
    (6, 2)
    """
    if not isinstance(evidence, Mapping) or not all(
        isinstance(name, str) and isinstance(piece, Storable)
        for name, piece in evidence.items()
    ):
        raise TypeError(
            f"`evidence` must be a mapping of evidence by name. Got {evidence!r}. Pass "
            "{'joint': ...} with evidence of skcompare.evidence."
        )
    _write(path, {"checkpoint": dict(evidence), "position": position})


_REQUIRED: Any = object()


def load_checkpoint(path: Any, *, start: Any = _REQUIRED) -> Checkpoint:
    """Load the evidence of a stream, and the position up to which the stream was read.

    :func:`save_checkpoint` has an example with both.

    Parameters
    ----------
    path : str or path-like
        A file that :func:`save_checkpoint` wrote.
    start : object, optional
        The position to return, with no evidence, where there is no such file because the
        stream has not begun. By default that is an error. A file that is damaged is always
        one.

    Returns
    -------
    checkpoint : Checkpoint
        Unpacks to `evidence`, a dict by name, and `position`, both exactly as they were
        saved.

    Raises
    ------
    ValueError
        If the file is damaged, of a later version, or no checkpoint, or if there is none
        and the path has an ending that :func:`save_checkpoint` refuses.
    FileNotFoundError
        If there is no such file and no `start`.
    """
    try:
        content = _read(path)
    except FileNotFoundError:
        if start is _REQUIRED:
            raise
        _writer_for(path)  # refuses another ending now, and not after the first batches
        return Checkpoint({}, start)
    if "checkpoint" not in content:
        raise ValueError(
            f"{str(path)!r} holds evidence without a position, so it cannot tell what is "
            "in it. Read it by skcompare.evidence.load_evidence, and write checkpoints by "
            "save_checkpoint."
        )
    return Checkpoint(content["checkpoint"], content["position"])


def _write(path: Any, content: dict[str, Any]) -> None:
    write = _writer_for(path)
    try:
        with replaced_on_success(path, synced=True) as unfinished:
            write(content, unfinished)
    except NotStorableError as error:
        raise TypeError(
            f"A file cannot hold {error}. It holds numbers, text, times, arrays, "
            "collections of these, and evidence made of them. Of a pair with a score of "
            "its own, save the predictions: Predictions.save."
        ) from error


def _writer_for(path: Any) -> Callable[[dict[str, Any], Path], None]:
    write = {".npz": _write_npz, ".json": _write_json}.get(Path(path).suffix)
    if write is None:
        raise ValueError(f"`path` must end in .npz or .json. Got {str(path)!r}.")
    return write


def _write_npz(content: dict[str, Any], path: Path) -> None:
    arrays: dict[str, np.ndarray] = {}

    def put(array: np.ndarray) -> str:
        name = f"array{len(arrays)}"
        arrays[name] = array
        return name

    header = _as_text(encoded(content, put)).encode("ascii")
    with path.open("wb") as file:
        np.savez(file, **{HEADER: np.frombuffer(header, np.uint8)}, **arrays)  # type: ignore[arg-type]


def _write_json(content: dict[str, Any], path: Path) -> None:
    path.write_text(_as_text(encoded(content, array_as_text)) + "\n", encoding="ascii")


def _as_text(tree: Any) -> str:
    stored = {"format": FORMAT, "version": VERSION, "content": tree}
    return json.dumps(stored, allow_nan=False)


def _read(path: Any) -> dict[str, Any]:
    """Read the content of a file; raise a ValueError for any invalid content."""
    source = Path(path)
    with source.open("rb") as file:  # a file that cannot be opened is not a damaged one
        try:
            if source.suffix == ".json":
                text = json.load(file, object_pairs_hook=_each_once)
                return _content(text, array_from_text)
            if file.read(2) != b"PK":
                raise ValueError("it does not begin as an npz file does")
            file.seek(0)
            with np.load(file, allow_pickle=False) as stored:
                return _content(json.loads(stored[HEADER].tobytes()), stored.__getitem__)
        except MemoryError:
            raise
        except Exception as error:  # foreign or damaged bytes can fail anywhere
            reason = str(error).rstrip(".")
            raise ValueError(
                f"{str(path)!r} cannot be read as evidence: {reason}. Expected a complete "
                f"file in format {VERSION} of {FORMAT}, such as `save` and "
                "`save_checkpoint` write."
            ) from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("it says one thing twice")
    return mapping


def _content(stored: dict[str, Any], get: Callable[[Any], np.ndarray]) -> dict[str, Any]:
    if stored["format"] != FORMAT:
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

    content: dict[str, Any] = decoded(stored["content"], read_only)
    _check_content(content)
    return content


def _check_content(content: Any) -> None:
    """Raise an error unless the content is evidence or a checkpoint."""
    names = content.keys() if isinstance(content, dict) else set()
    if names not in ({"evidence"}, {"checkpoint", "position"}):
        raise ValueError("it holds neither evidence nor a checkpoint")
    for name, value in dict(content.get("checkpoint", content)).items():
        if not isinstance(name, str) or not isinstance(value, Storable):
            raise ValueError(f"it holds {value!r} under the name {name!r} of evidence")


E = TypeVar("E", bound="Mergeable")

SAME_CLASSIFIERS = "Only predictions of the same classifiers can be merged."
"""Rule of merging evidence of named classifiers."""


class Mergeable(Storable):
    """Evidence that can be merged: `sum(shards)` is the evidence of all records.

    It can be saved, so that a sum can be continued later.
    """

    __slots__ = ()

    def __add__(self: E, other: object) -> E:
        if not isinstance(other, type(self)):
            return NotImplemented
        self._check_same("design", other, "Only evidence of one design can be merged.")
        return self._merged(other)

    def _merged(self: E, other: E) -> E:
        """Evidence of the records of both, which have one design."""
        raise NotImplementedError

    def _check_same(self: E, field: str, other: E, rule: str) -> None:
        """Raise an error if a field differs, that says which rule it breaks."""
        first, second = getattr(self, field), getattr(other, field)
        if first != second:
            texts = [
                ", ".join(value) if isinstance(value, tuple) else f"{value}"
                for value in (first, second)
            ]
            raise ValueError(f"{rule} Got {' and '.join(texts)}.")

    def __radd__(self: E, other: object) -> E:
        # sum() starts with the number 0.
        if isinstance(other, int) and other == 0:
            return self
        return NotImplemented


def joined_groups(left: Any, right: Any) -> Any:
    """Concatenate the group labels of two shards; equal labels are one group."""
    if left is None and right is None:
        return None
    if left is None or right is None:
        raise ValueError(
            "Only one of the shards has groups. Pass `groups` for both, or for neither."
        )
    if (left.dtype.kind in "US") != (right.dtype.kind in "US"):
        raise ValueError(
            "Only groups with labels of one type can be merged. Got "
            f"{some_of(left)} and {some_of(right)}. Convert one of them."
        )
    return np.concatenate([left, right])


def merge_evidence(shards: Iterable[E]) -> E:
    """Merge the evidence of shards into the evidence of all records.

    It is the sum of the shards. Evidence that keeps its records copies them for each `+`,
    so that ``sum(shards)`` of many shards takes time that grows with the square of their
    number. Here shards of like size are added first, and no record is copied more than
    log2(n_shards) times.

    Parameters
    ----------
    shards : iterable of evidence
        Evidence of one class and of disjoint records. A generator is read one shard at a
        time, and only the sums so far are kept.

    Returns
    -------
    evidence : object
        Of the class of the shards, with records in the order of the shards. Sums of floats
        are those of `sum` up to rounding.

    Raises
    ------
    ValueError
        If there is no shard, or shards cannot be added.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses, merge_evidence
    >>> shards = [
    ...     PairedLosses.from_losses(champion=[k, 3], challenger=[2, k]) for k in range(5)
    ... ]
    >>> merge_evidence(shards)
    PairedLosses(n=10, loss='losses', champion=2.5, challenger=2, design='holdout')
    """
    # Sums of shards, each of half as many as the one before it or fewer.
    sums: list[tuple[int, E]] = []
    for shard in shards:
        number, merged = 1, shard
        while sums and sums[-1][0] == number:
            _, earlier = sums.pop()
            number, merged = 2 * number, earlier + merged
        sums.append((number, merged))
    if not sums:
        raise ValueError("There is no evidence to merge. Pass at least one shard.")
    _, total = sums.pop()
    while sums:
        total = sums.pop()[1] + total
    return total
