"""Storage of evidence in npz or JSON files, and checkpoints of a stream."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from skcompare._core.arrays import ArrayValues, array_of, plain_values
from skcompare._core.store import FileFormat, know_class, writer_for
from skcompare._core.validation import check_groups, some_of

S = TypeVar("S", bound="Storable")


def added(first: Any, second: Any) -> Any:
    """Add the counts or sums of two shards, unless one of them has none."""
    return None if first is None or second is None else first + second


def joined(first: Any, second: Any, axis: int = 0) -> Any:
    """Concatenate the records of two shards, unless one of them has none."""
    if first is None or second is None:
        return None
    both = np.concatenate([first, second], axis=axis)
    both.setflags(write=False)
    return both


def negated(values: Any) -> Any:
    """Return differences of exchanged roles; those of 0 keep their sign."""
    return 0.0 - values


def reversed_(values: Any) -> Any:
    """Return the values of champion and challenger in the opposite order."""
    return values[::-1]


class Storable(ArrayValues):
    """Base class of evidence that can be saved to a file.

    A derived class of another package needs only fields, or a `__reduce__` that returns the
    class and the arguments that make it. Fields that change when the roles are exchanged
    say how in their metadata: ``{"swap": rule}`` with a function of the value, or with the
    name of the field whose value it takes.
    """

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        know_class(cls)

    def swap(self) -> Self:
        """Return the evidence with the roles exchanged."""
        own: Any = self
        changed = {}
        for name, rule in _rules(self, "swap"):
            value = getattr(self, name)
            if isinstance(rule, str):
                changed[name] = getattr(self, rule)
            elif value is not None:
                changed[name] = rule(value)
        return replace(own, **changed)

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
        FILE.write(path, {"evidence": self})

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


def _rules(evidence: Any, kind: str) -> list[tuple[str, Any]]:
    """Return the declared fields of evidence, with a rule of the kind for each."""
    rules = [
        (each.name, each.metadata[kind])
        for each in fields(evidence)
        if kind in each.metadata
    ]
    if not rules:
        name = type(evidence).__name__
        raise NotImplementedError(f"No field of {name} says what to do to {kind} it.")
    return rules


def _checked_content(content: Any) -> dict[str, Any]:
    """Return the content of a file, which must be evidence or a checkpoint."""
    names = content.keys() if isinstance(content, dict) else set()
    if names not in ({"evidence"}, {"checkpoint", "position"}):
        raise ValueError("it holds neither evidence nor a checkpoint")
    for name, value in dict(content.get("checkpoint", content)).items():
        if not isinstance(name, str) or not isinstance(value, Storable):
            raise ValueError(f"it holds {value!r} under the name {name!r} of evidence")
    return dict(content)


FILE = FileFormat(
    "skcompare.evidence",
    "evidence",
    "`save` and `save_checkpoint` write",
    "Of a pair with a score of its own, save the predictions: Predictions.save.",
)


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
    content = FILE.read(path, _checked_content)
    if "evidence" not in content:
        raise ValueError(
            f"{str(path)!r} is a checkpoint. Read it by "
            "skcompare.evidence.load_checkpoint, which tells the position too."
        )
    return content["evidence"]


def save_checkpoint(path: Any, evidence: Mapping[str, Any], position: Any) -> None:
    """Save the evidence and the position of a stream to one file atomically.

    A stream that is restarted must neither read a batch twice nor skip one, so the position
    is in the same file as the evidence, and several pieces of evidence in one file are
    always of the same batches. The file is replaced when the new one is complete and on
    disk: whenever the process or the machine stops, the last complete checkpoint is there.

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
        If `evidence` is not a mapping of evidence by name, or a file cannot hold something
        in it or in `position`.
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
    FILE.write(path, {"checkpoint": dict(evidence), "position": position})


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
        content = FILE.read(path, _checked_content)
    except FileNotFoundError:
        if start is _REQUIRED:
            raise
        writer_for(path)  # refuses another ending now, and not after the first batches
        return Checkpoint({}, start)
    if "checkpoint" not in content:
        raise ValueError(
            f"{str(path)!r} holds evidence without a position, so it cannot tell what is "
            "in it. Read it by skcompare.evidence.load_evidence, and write checkpoints by "
            "save_checkpoint."
        )
    return Checkpoint(content["checkpoint"], content["position"])


E = TypeVar("E", bound="Mergeable")

SAME_CLASSIFIERS = "Only predictions of the same classifiers can be merged."
"""Rule of merging evidence of named classifiers."""


class Mergeable(Storable):
    """Evidence that can be merged: `sum(shards)` is the evidence of all records.

    It can be saved, so that a sum can be continued later. Fields say in their metadata how
    they are merged: ``{"merge": rule}`` with a function of both values, or with the rule
    by which they must be equal; other fields are those of the first shard. Where fields
    depend on each other, `_merged` does it.
    """

    __slots__ = ()

    def __add__(self: E, other: object) -> E:
        if not isinstance(other, type(self)):
            return NotImplemented
        self._check_same("design", other, "Only evidence of one design can be merged.")
        return self._merged(other)

    def _merged(self: E, other: E) -> E:
        """Evidence of the records of both, which have one design."""
        own: Any = self
        merged = {}
        for name, rule in _rules(self, "merge"):
            if isinstance(rule, str):
                self._check_same(name, other, rule)
            else:
                first, second = getattr(self, name), getattr(other, name)
                merged[name] = rule(first, second)
        return replace(own, **merged)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return plain_values(self)

    def _check_same(self: E, field: str, other: E, rule: str) -> None:
        """Raise an error if a field differs, that says which rule it breaks."""
        first, second = getattr(self, field), getattr(other, field)
        is_array = isinstance(first, np.ndarray)
        if not np.array_equal(first, second) if is_array else first != second:
            texts = [
                ", ".join(value)
                if isinstance(value, tuple)
                else f"{value!r}"
                if isinstance(value, str)
                else f"{value}"
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


GROUPS = array_of(lambda name, value: check_groups(value).copy(), "n_samples")
GROUPS |= {"merge": joined_groups}
"""Metadata of a field that holds the group of each record."""


def merge_evidence(shards: Iterable[E]) -> E:
    """Merge the evidence of shards into the evidence of all records.

    It is the sum of the shards. Evidence that keeps its records copies them for each `+`,
    so that ``sum(shards)`` of many shards takes time that grows with the square of their
    number. Here shards of similar size are added first, and no record is copied more than
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
