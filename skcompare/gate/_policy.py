"""Policies: what a gate asks, and where its data are, in a file that holds nothing else."""

import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from skcompare.gate import _policy_values as values_
from skcompare.gate._conditions import AnyOf, Condition, Equivalent, NonInferior, Superior
from skcompare.gate._gate import Gate
from skcompare.gate._policy_sections import (
    Columns,
    LedgerSettings,
    TrainSettings,
    plain_section,
    section,
)

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


PYPROJECT = "pyproject.toml"
TABLE = ("tool", "skcompare", "gate")
IN_WORDS = "[tool.skcompare.gate]"

LARGEST = 1 << 20
"""Bytes of a policy file."""

LONGEST_LINE = 10_000
"""Letters of a line; the time that a key of many parts takes grows with their square."""

SECTIONS = ("data", "ledger", "train")

OF_GATE: dict[str, values_.Check] = {
    "alpha": values_.number,
    "min_records": values_.count,
    "min_discordant": values_.count,
    "tell_inconclusive": values_.switch,
}


@dataclass(frozen=True)
class Policy:
    """What a gate asks, and where its data are.

    Made by :func:`load_policy` from a file, and by :meth:`from_dict` from plain values.

    Attributes
    ----------
    gate : Gate
        The conditions, with their level.
    data : Columns
        Which columns of the files are what.
    ledger : LedgerSettings or None
        Where looks at a hold-out set are counted.
    train : TrainSettings or None
        Where training records are.
    folder : str
        What paths of the ledger and the training records are relative to: the folder of
        the policy file.

    Examples
    --------
    >>> from skcompare.gate import Policy
    >>> policy = Policy.from_dict(
    ...     {"condition": [{"superior": "accuracy"}], "data": {"id": "message"}}
    ... )
    >>> [condition.words for condition in policy.gate.conditions]
    ['accuracy is better']
    >>> Policy.from_dict({"condition": [{"superior": "acuracy"}]})
    Traceback (most recent call last):
    ...
    ValueError: Condition 1: Unknown scoring 'acuracy'. Did you mean 'accuracy'? ...
    """

    gate: Gate
    data: Columns = field(default_factory=Columns)
    ledger: LedgerSettings | None = None
    train: TrainSettings | None = None
    folder: str = field(default=".", compare=False)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Any = ".") -> "Policy":
        """The policy of plain values, as a file has them.

        Parameters
        ----------
        values : mapping
            Keys as in a policy file.
        folder : str or path-like, default="."
            What paths are relative to.

        Returns
        -------
        policy : Policy
            What the gate asks.

        Raises
        ------
        ValueError, TypeError
            If a key is not known, or a value is not what its key needs.
        """
        known: dict[str, values_.Check] = {
            **OF_GATE,
            "condition": conditions,
            **{name: partial(_section, name) for name in SECTIONS},
        }
        found = values_.table(values, known, "a policy")
        if "condition" not in found:
            raise ValueError(
                'A policy needs a [[condition]] at least, such as superior = "accuracy". '
                "Got none."
            )
        settings = {name: found[name] for name in OF_GATE if name in found}
        sections = {k: found[k] for k in SECTIONS if k in found}
        gate = Gate(*found["condition"], **settings)
        return cls(gate, **sections, folder=os.fspath(folder))

    def to_dict(self) -> dict[str, Any]:
        """The policy as plain values, as a file has them.

        Returns
        -------
        values : dict
            Keys as in a policy file, which :meth:`from_dict` takes.
        """
        values = self.gate.to_dict()
        for name in SECTIONS:
            section = getattr(self, name)
            if section is not None and section != Columns():
                values[name] = plain_section(section)
        return values

    @property
    def digest(self) -> str:
        """A digest of what is asked: equal for policies that ask the same."""
        written = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(written.encode()).hexdigest()

    def path_of(self, path: str) -> str:
        """Where a file is that the policy names.

        Parameters
        ----------
        path : str
            Path as the policy has it, relative to `folder` or absolute.

        Returns
        -------
        path : str
            The path from where the program runs.
        """
        return os.path.normpath(os.path.join(self.folder, path))


def load_policy(path: Any) -> Policy:
    """The policy of a file: `gate.toml`, or the table of a `pyproject.toml`.

    A policy is data: nothing in it is evaluated.

    Parameters
    ----------
    path : str or path-like
        A TOML file. In one that is named `pyproject.toml` the policy is the table
        `[tool.skcompare.gate]`, in any other all that is in it.

    Returns
    -------
    policy : Policy
        What the gate asks; paths in it are relative to the folder of the file.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError, TypeError
        If it is no TOML, has an unknown key, or a value is not what its key needs. The
        message names the file and the place.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skcompare.gate import load_policy
    >>> text = '''
    ... alpha = 0.05
    ...
    ... [data]
    ... id = "message"
    ...
    ... [[condition]]
    ... superior = "accuracy"
    ...
    ... [[condition]]
    ... noninferior = "recall[spam]"
    ... margin = 0.02
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "gate.toml")
    ...     _ = path.write_text(text)
    ...     policy = load_policy(path)
    >>> [condition.words for condition in policy.gate.conditions]
    ['accuracy is better', 'recall[spam] is worse by less than 0.02']
    """
    path = os.fspath(path)
    values: Any = _parsed(path)
    words = repr(path)
    if os.path.basename(path) == PYPROJECT:
        values = _own_table(values)
        if values is None:
            raise ValueError(f"Policy {words} must have a table {IN_WORDS}. Got none.")
        words += f" {IN_WORDS}"
    elif TABLE[0] in values:
        raise ValueError(
            f"Policy {words} must have its keys without the prefix tool.skcompare.gate, "
            f"which is for {PYPROJECT} only: [data] and [[condition]], not "
            "[tool.skcompare.gate.data] and [[tool.skcompare.gate.condition]]. Leave it "
            "out."
        )
    try:
        return Policy.from_dict(values, folder=os.path.dirname(path) or ".")
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"Policy {words}: {error}") from error


def find_policy() -> Policy:
    """The policy of the `pyproject.toml` in this folder."""
    if os.path.isfile(PYPROJECT) and _own_table(_parsed(PYPROJECT)) is not None:
        return load_policy(PYPROJECT)
    raise FileNotFoundError(
        f"No policy: there is no pyproject.toml with a table {IN_WORDS} in this folder. "
        "Pass --policy FILE, or conditions such as --superior accuracy."
    )


def _parsed(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            read = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or error
        kind = type(error) if isinstance(error, OSError) else ValueError
        raise kind(f"Cannot read policy {path!r}: {words}.") from error
    if len(read) > LARGEST or max(map(len, read.split(b"\n"))) > LONGEST_LINE:
        raise ValueError(
            f"Policy {path!r} must have at most {LARGEST:,} bytes, and at most "
            f"{LONGEST_LINE:,} in a line. Is it the right file?"
        )
    try:
        return tomllib.loads(read.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"Policy {path!r} must be UTF-8 text. Save it as UTF-8."
        ) from error
    except RecursionError as error:
        raise ValueError(f"Policy {path!r} is nested too deeply to be read.") from error
    except ValueError as error:
        raise ValueError(f"Policy {path!r} is not TOML: {error}.") from error


def _own_table(values: Any) -> Any:
    """The table of a pyproject file; None where it has none."""
    for key in TABLE:
        if not isinstance(values, Mapping) or key not in values:
            return None
        values = values[key]
    return values


def _section(name: str, value: Any, words: str) -> Any:
    return section(name, value)
