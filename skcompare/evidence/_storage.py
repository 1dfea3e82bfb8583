"""Evidence in files, npz or JSON, and checkpoints of a stream."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from skcompare._core.atomic_write import replaced_on_success
from skcompare._core.design import Design
from skcompare.evidence._stored_values import (
    NotStorableError,
    array_as_text,
    array_from_text,
    decoded,
    encoded,
    know_class,
)

FORMAT = "skcompare.evidence"
VERSION = 1
HEADER = "header"

S = TypeVar("S", bound="Storable")

know_class(Design)


class Storable:
    """Evidence that files can hold.

    A class of others that derives from it needs no more than fields, or a `__reduce__` that
    returns the class and the arguments that make it.
    """

    __slots__ = ()

    def __init_subclass__(cls, **words: Any) -> None:
        super().__init_subclass__(**words)
        know_class(cls)

    def save(self, path: Any) -> None:
        """Write this evidence to a file, whole or not at all.

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

        .. versionadded:: 0.1
        """
        _write(path, {"evidence": self})

    @classmethod
    def load(cls: type[S], path: Any) -> S:
        """Read evidence of this class from a file, exactly as it was saved.

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

        .. versionadded:: 0.1
        """
        value = load_evidence(path)
        if not isinstance(value, cls):
            raise ValueError(
                f"{str(path)!r} holds a {type(value).__name__}. Got asked for a "
                f"{cls.__name__}. Read it by {type(value).__name__}.load, or by "
                "skcompare.evidence.load_evidence."
            )
        return value


class Checkpoint(NamedTuple):
    """What a stream has given so far, and how far it was read.

    Parameters
    ----------
    evidence : dict of str to evidence
        The evidence of all that was read, each under its name.
    position : object
        Where to go on, such as the number of batches read.

    .. versionadded:: 0.1
    """

    evidence: dict[str, Any]
    position: Any


def load_evidence(path: Any) -> Any:
    """Read evidence of any class from a file, exactly as it was saved.

    Nothing in the file is run: it names a class of evidence, and has what that is made of.
    A class of another package is known once that package is imported.

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

    .. versionadded:: 0.1
    """
    content = _read(path)
    if "evidence" not in content:
        raise ValueError(
            f"{str(path)!r} is a checkpoint. Read it by "
            "skcompare.evidence.load_checkpoint, which tells the position too."
        )
    return content["evidence"]


def save_checkpoint(path: Any, evidence: Mapping[str, Any], position: Any) -> None:
    """Write the evidence of a stream and how far it was read, together or not at all.

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
        Where to go on, such as the number of batches read, or a dict of offsets. Numbers,
        text, times, and lists, tuples and dicts of them.

    Raises
    ------
    ValueError
        If the path has another ending.
    TypeError
        If `evidence` is no mapping of evidence by name, or something in it or in
        `position` is what a file cannot hold.
    OSError
        If the file cannot be written; the one before it stays.

    See Also
    --------
    load_checkpoint : Goes on from there.

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

    .. versionadded:: 0.1
    """
    if not isinstance(evidence, Mapping) or not all(
        isinstance(name, str) and isinstance(one, Storable)
        for name, one in evidence.items()
    ):
        raise TypeError(
            f"`evidence` must be a mapping of evidence by name. Got {evidence!r}. Pass "
            "{'joint': ...} with evidence of skcompare.evidence."
        )
    _write(path, {"checkpoint": dict(evidence), "position": position})


_REQUIRED: Any = object()


def load_checkpoint(path: Any, *, start: Any = _REQUIRED) -> Checkpoint:
    """Read how far a stream was read, and its evidence up to there.

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

    .. versionadded:: 0.1
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
    """What a file holds, or one error for all that can be wrong with it."""
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
    named = dict(pairs)
    if len(named) != len(pairs):
        raise ValueError("it says one thing twice")
    return named


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
    """Refuse what neither `save` nor `save_checkpoint` writes."""
    names = content.keys() if isinstance(content, dict) else set()
    if names not in ({"evidence"}, {"checkpoint", "position"}):
        raise ValueError("it holds neither evidence nor a checkpoint")
    for name, one in dict(content.get("checkpoint", content)).items():
        if not isinstance(name, str) or not isinstance(one, Storable):
            raise ValueError(f"it holds {one!r} under the name {name!r} of evidence")
