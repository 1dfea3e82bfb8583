"""Policies: files with the conditions of a gate and the locations of its data.

Every value of a file is checked, with messages that name its place.
"""

import hashlib
import json
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import partial
from typing import Annotated, Any, TypeVar, get_args

from skcompare._core.validation import is_number, is_whole, unknown_name
from skcompare.gate._conditions import KINDS, AnyOf, Condition, Superior, fields_set
from skcompare.gate._decision import plain_values
from skcompare.gate._evaluate import Gate
from skcompare.gate._ledger import Ledger

LARGEST_COUNT = 2**53
"""Largest integer up to which all integers are exact as floats."""

Check = Callable[[Any, str], Any]
"""Check of a value, whose second argument is the name of the value in messages."""


def checked_table(values: Any, known: Mapping[str, Check], title: str) -> dict[str, Any]:
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


def checked_tables(values: Any, title: str) -> list[Any]:
    """Check that a value is a non-empty array, and return a list of its tables."""
    is_array = isinstance(values, list | tuple) and values
    _check(is_array, values, title, "an array of one or more tables")
    return list(values)


def checked_text(value: Any, title: str) -> str:
    """Check that a value is printable text that is not blank, and return it."""
    _check(isinstance(value, str), value, title, "text")
    is_printable = value.strip() and value.isprintable()
    _check(is_printable, value, title, "text that can be printed", ValueError)
    return value


def checked_number(value: Any, title: str) -> float:
    """Check that a value is a finite number, and return it as a float."""
    _check(is_number(value), value, title, "a number")
    _check(abs(value) <= LARGEST_COUNT, value, title, "a finite number", ValueError)
    return float(value)


def checked_count(value: Any, title: str) -> int:
    """Check that a value is a positive integer, and return it."""
    _check(is_whole(value), value, title, "a whole number")
    expected = f"a whole number from 1 to {LARGEST_COUNT:,}"
    _check(1 <= value <= LARGEST_COUNT, value, title, expected, ValueError)
    return value


def checked_switch(value: Any, title: str) -> bool:
    """Check that a value is True or False, and return it."""
    _check(isinstance(value, bool), value, title, "true or false")
    return value


def number_or_text(value: Any, title: str) -> float | str:
    """Check that a value is a finite number or text, and return it."""
    if isinstance(value, str):
        return checked_text(value, title)
    return checked_number(value, title)


def one_of(*known: str) -> Check:
    """Create a check that a value is one of the known texts."""

    def check(value: Any, title: str) -> str:
        expected = f"one of {', '.join(map(repr, known))}"
        _check(checked_text(value, title) in known, value, title, expected, ValueError)
        return value

    return check


def checked_label(value: Any, title: str) -> Any:
    """Check that a value is a label (text, number or boolean), and return it."""
    is_label = isinstance(value, str | bool) or (is_number(value) and abs(value) < math.inf)
    _check(is_label, value, title, "a label: text, a number, true or false")
    return value


def checked_labels(value: Any, title: str) -> tuple[Any, ...]:
    """Check an array of two or more different labels, and return a tuple."""
    _check(isinstance(value, list | tuple), value, title, "an array of labels")
    checked = tuple(checked_label(element, title) for element in value)
    if len(checked) < 2 or len(set(map(str, checked))) < len(checked):
        raise ValueError(
            f"{title} must be an array of two or more different labels. Got {len(checked)}."
        )
    return checked


def checked_bounds(value: Any, title: str) -> tuple[float, float]:
    """Check an array of a lower and an upper bound, and return both as floats."""
    is_array = isinstance(value, list | tuple) and len(value) == 2
    _check(is_array, value, title, "an array of two numbers")
    low, high = (checked_number(limit, title) for limit in value)
    if not low < high:
        raise ValueError(f"{title} must be a least and a greater number. Got {value!r}.")
    return low, high


def checked_columns(value: Any, title: str) -> tuple[str, ...]:
    """Check an array of different column names, and return a tuple."""
    is_array = isinstance(value, list | tuple) and value
    _check(is_array, value, title, "an array of names of columns")
    names = tuple(checked_text(name, title) for name in value)
    if len(set(names)) < len(names):
        raise ValueError(f"{title} must be an array of different names. Got one twice.")
    return names


def column_or_columns(value: Any, title: str) -> str | tuple[str, ...]:
    """Check the name of a column, or an array of names, such as one per class."""
    if isinstance(value, str):
        return checked_text(value, title)
    is_array = isinstance(value, list | tuple)
    _check(is_array, value, title, "the name of a column or an array of names")
    return checked_columns(value, title)


def columns_of_outputs(value: Any, title: str, *, n_columns: int | None = None) -> Any:
    """Check an array of `n_columns` names, or one such array for each of several outputs.

    With any number of columns a name may also be that of a two-dimensional array.

    Parameters
    ----------
    value : object
        Value in the policy.
    title : str
        Name of the value in messages.
    n_columns : int, optional
        Number of names; by default any, the same for all outputs.
    """
    if isinstance(value, str) and n_columns is None:
        return checked_text(value, title)
    is_array = isinstance(value, list | tuple) and value
    is_nested = is_array and all(isinstance(own, list | tuple) for own in value)
    outputs = [checked_columns(own, title) for own in (value if is_nested else [value])]
    expected = f"an array of {n_columns} columns, or one such array for each output"
    if n_columns is None:
        n_columns, expected = len(outputs[0]), "arrays of one length for all outputs"
    for own in outputs:
        _check(len(own) == n_columns, own, title, expected, ValueError)
    checked_columns([name for own in outputs for name in own], title)
    return tuple(outputs) if is_nested else outputs[0]


def values_of_columns(value: Any, title: str) -> dict[str, Any]:
    """Check the slice of a condition: columns, each with a value or several values."""
    is_table = isinstance(value, Mapping) and value
    _check(is_table, value, title, "a table of columns and values")
    for name, allowed in value.items():
        if isinstance(allowed, list | tuple) and not allowed:
            column = f"{_short(repr(name))} in {title}"
            raise ValueError(f"{column} must have a value. Got an empty array.")
    return checked_options(value, title, "a column")


def checked_options(value: Any, title: str, kind: str = "an option") -> dict[str, Any]:
    """Check the options of a test: names with plain values, or arrays of such values."""
    _check(isinstance(value, Mapping), value, title, "a table of options")
    checked: dict[str, Any] = {}
    for name, setting in value.items():
        option = f"{_short(repr(name))} in {title}"
        checked_text(name, f"{kind} in {title}")
        if isinstance(setting, list | tuple):
            checked[name] = [checked_label(element, option) for element in setting]
        else:
            checked[name] = checked_label(setting, option)
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


def columns_by_share(
    value: Any, title: str, check: Check = column_or_columns
) -> dict[str, Any]:
    """Check columns by level or coverage, the keys of which are numbers as text.

    Numbers get their usual form, so that equal policies have equal digests.
    """
    is_table = isinstance(value, Mapping) and value
    _check(is_table, value, title, "a table of columns by level")
    checked: dict[str, Any] = {}
    for key, columns in value.items():
        place = f"{_short(repr(key))} in {title}"
        share = share_in(key)
        if share is None or share in checked:
            raise ValueError(
                f"Keys of {title} must be different numbers between 0 and 1, such as "
                f'"0.9". Got {_got(key)}.'
            )
        checked[share] = check(columns, place)
    return checked


def share_in(key: Any) -> str | None:
    """Return a number between 0 and 1 in its usual form, or None for any other text."""
    try:
        share = float(key) if isinstance(key, str) and key.isascii() else math.nan
    except ValueError:
        return None
    return f"{share:.12g}" if 0 < share < 1 else None


def names_in(columns: Any) -> list[str]:
    """List the names of columns: one, those of an array, or of each kind of predictions."""
    if isinstance(columns, str):
        return [columns]
    parts = columns.values() if isinstance(columns, Mapping) else columns
    return [name for own in parts for name in names_in(own)]


columns_of_intervals = partial(
    columns_by_share, check=partial(columns_of_outputs, n_columns=2)
)
OF_FORECASTS: dict[str, Check] = {
    "values": column_or_columns,
    "std": column_or_columns,
    "quantiles": columns_by_share,
    "intervals": columns_of_intervals,
    "samples": columns_of_outputs,
}
"""Checks of the columns of each kind of a forecast."""


def _predictions(value: Any, place: str) -> Any:
    """Check columns of predictions: one, several, or those of each kind by its name."""
    if not isinstance(value, Mapping):
        return column_or_columns(value, place)
    if not OF_FORECASTS.keys().isdisjoint(value):
        return checked_table(value, OF_FORECASTS, place)
    checks = {"labels": checked_text, "proba": column_or_columns}
    columns = checked_table(value, checks, place)
    if set(columns) != set(checks):
        raise ValueError(
            f"{place} must have 'labels' and 'proba' where it is a table. Name one of "
            "them without a table."
        )
    return columns


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of the files of a gate.

    Attributes
    ----------
    id : str or None
        Ids of records; files are joined by it.
    y : str, or tuple of str
        True labels; the true numbers of several outputs are several columns.
    y_from : {"champion", "challenger"} or None
        The role whose file alone may have the true labels; by default the champion.
    label, proba : str, or tuple of str, or None
        The predictions, where champion and challenger have files of their own.
    value : str, tuple of str or None
        The predicted numbers there, where the measures are of numbers; one column per
        output, in the order of `y`.
    std, quantiles, intervals, samples : str, dict, dict, tuple of str, or None
        Beside them there: standard deviations, quantiles by level, low and high limits of
        intervals by coverage, and draws; of several outputs a tuple of each of these.
    champion, challenger : str, tuple of str, dict or None
        The predictions of each: a column of labels or of probabilities, one column of
        probabilities per class, or a dict with "labels" and "proba"; a column of numbers,
        one per output, or a dict with "values", "std", "quantiles", "intervals" or
        "samples".
    groups : str or None
        Group of each record; with `time` its series.
    time : str or None
        Time of each record, whose order then counts.
    horizon : int or None
        Time points by which forecasts are ahead; 1 by default.
    features : tuple of str or None
        The features of saved estimators, by which training records are also recognised.
    labels : tuple or None
        All class labels.
    pos_label : label or None
        The positive class of two.
    score : str, tuple of str or None
        Scores item by item: one column that two files have, or the champion's and the
        challenger's.
    item, attempt : str or None
        Ids of items, and of attempts at one item.
    bounds : tuple of float or None
        Least and greatest possible score.
    """

    id: Annotated[str | None, checked_text] = None
    y: Annotated[Any, column_or_columns] = None
    y_from: Annotated[str | None, one_of("champion", "challenger")] = None
    label: Annotated[str | None, checked_text] = None
    proba: Annotated[Any, column_or_columns] = None
    value: Annotated[Any, column_or_columns] = None
    std: Annotated[Any, column_or_columns] = None
    quantiles: Annotated[Any, columns_by_share] = None
    intervals: Annotated[Any, columns_of_intervals] = None
    samples: Annotated[Any, columns_of_outputs] = None
    champion: Annotated[Any, _predictions] = None
    challenger: Annotated[Any, _predictions] = None
    groups: Annotated[str | None, checked_text] = None
    time: Annotated[str | None, checked_text] = None
    horizon: Annotated[int | None, checked_count] = None
    features: Annotated[tuple[str, ...] | None, checked_columns] = None
    labels: Annotated[tuple[Any, ...] | None, checked_labels] = None
    pos_label: Annotated[Any, checked_label] = None
    score: Annotated[Any, column_or_columns] = None
    item: Annotated[str | None, checked_text] = None
    attempt: Annotated[str | None, checked_text] = None
    bounds: Annotated[tuple[float, float] | None, checked_bounds] = None


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """Settings of the ledger: its file, and its rule for spending alpha."""

    path: Annotated[str, checked_text]
    rule: Annotated[str | None, checked_text] = None
    looks: Annotated[int | None, checked_count] = None
    blind: Annotated[bool, checked_switch] = False


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """Settings of the training records: their file and their column of ids."""

    file: Annotated[str, checked_text]
    id: Annotated[str | None, checked_text] = None


SECTIONS = {"data": Columns, "ledger": LedgerSettings, "train": TrainSettings}


def section(name: str, value: Any, place: str = "") -> Any:
    """Create the settings of a section of a policy.

    Parameters
    ----------
    name : {"data", "ledger", "train"}
        Name of the table.
    value : object
        Value in the policy.
    place : str
        Not used: the place is the name of the table.
    """
    kind = SECTIONS[name]
    keys = fields(kind)
    # Each key is annotated with its type and the check of its value.
    checks = {key.name: get_args(key.type)[1] for key in keys}
    entries = checked_table(value, checks, f"[{name}]")
    for key in keys:
        if key.default is MISSING and key.name not in entries:
            raise ValueError(f"[{name}] needs {key.name!r}. Got none.")
    settings = kind(**entries)
    if isinstance(settings, LedgerSettings):
        # Raises if the rule is invalid.
        Ledger(settings.path, rule=settings.rule, looks=settings.looks)
    return settings


Made = TypeVar("Made")


OF_CONDITION: dict[str, Check] = {
    **dict.fromkeys(KINDS, checked_text),
    "margin": number_or_text,
    "where": values_of_columns,
    "test": checked_text,
    "options": checked_options,
    "exact": checked_switch,
    "anytime": checked_switch,
    "min_records": checked_count,
    "min_discordant": checked_count,
}

ANY_OF: dict[str, Check] = {AnyOf.name: checked_tables}


def conditions(values: Any, text: str) -> list[Condition | AnyOf]:
    """Create conditions from an array of tables."""
    tables = checked_tables(values, "[[condition]]")
    return [_condition(table, f"Condition {k}") for k, table in enumerate(tables, start=1)]


def _condition(values: Any, place: str) -> Condition | AnyOf:
    if not isinstance(values, Mapping) or AnyOf.name not in values:
        return _single(values, place, {**OF_CONDITION, **ANY_OF})
    parts = checked_table(values, ANY_OF, place)[AnyOf.name]
    made = [
        _single(part, f"{place}, part {k} of any_of", OF_CONDITION)
        for k, part in enumerate(parts, start=1)
    ]
    return _with_place(lambda: AnyOf(*made), place)


def _single(values: Any, place: str, checks: Mapping[str, Check]) -> Condition:
    options = checked_table(values, checks, place)
    kinds = [kind for kind in KINDS if kind in options]
    if len(kinds) != 1:
        raise ValueError(
            f"{place} must have one of {', '.join(KINDS)}. Got "
            f"{' and '.join(kinds) or 'none'}."
        )
    kind = KINDS[kinds[0]]
    measure = options.pop(kind.name)
    if "margin" not in options and kind is not Superior:
        raise ValueError(f"{place}: {kind.name} needs a margin. Got none.")
    return _with_place(lambda: kind(measure, **options), place)


def _with_place(make: Callable[[], Made], place: str) -> Made:
    """Call `make`, and add the place in the policy to the message of an error."""
    try:
        return make()
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{place}: {error}") from error


PYPROJECT = "pyproject.toml"
TABLE = ("tool", "skcompare", "gate")
HEADER = "[tool.skcompare.gate]"

LARGEST = 1 << 20
"""Largest number of bytes of a policy file."""

LONGEST_LINE = 10_000
"""Largest number of characters of a line; keys of many parts take quadratic time."""

OF_GATE: dict[str, Check] = {
    "alpha": checked_number,
    "min_records": checked_count,
    "min_discordant": checked_count,
    "tell_inconclusive": checked_switch,
    "ignore_order": checked_switch,
}


@dataclass(frozen=True)
class Policy:
    """Conditions of a gate, and the locations of its data.

    Made by :func:`load_policy` from a file, and by :meth:`from_dict` from plain values.

    Attributes
    ----------
    gate : Gate
        The conditions, with their level.
    data : Columns
        The columns of the files.
    ledger : LedgerSettings or None
        The file that counts looks at a hold-out set.
    train : TrainSettings or None
        The file of training records.
    folder : str
        Folder of the policy file, to which paths of the ledger and of training records
        are relative.

    Examples
    --------
    >>> from skcompare.gate import Policy
    >>> policy = Policy.from_dict(
    ...     {"condition": [{"superior": "accuracy"}], "data": {"id": "message"}}
    ... )
    >>> [condition.text for condition in policy.gate.conditions]
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
        """Create a policy from plain values, as in a policy file.

        Parameters
        ----------
        values : mapping
            Keys as in a policy file.
        folder : str or path-like, default="."
            Folder to which paths are relative.

        Returns
        -------
        policy : Policy
            The policy.

        Raises
        ------
        ValueError, TypeError
            If a key is unknown, or a value does not suit its key.
        """
        checks: dict[str, Check] = {
            **OF_GATE,
            "condition": conditions,
            **{name: partial(section, name) for name in SECTIONS},
        }
        entries = checked_table(values, checks, "a policy")
        if "condition" not in entries:
            raise ValueError(
                'A policy needs a [[condition]] at least, such as superior = "accuracy". '
                "Got none."
            )
        sections = {name: entries.pop(name) for name in SECTIONS if name in entries}
        gate = Gate(*entries.pop("condition"), **entries)
        return cls(gate, **sections, folder=os.fspath(folder))

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as a dict of plain values, as in a policy file.

        Returns
        -------
        values : dict
            Keys as in a policy file, which :meth:`from_dict` takes.
        """
        values = self.gate.to_dict()
        for name in SECTIONS:
            section = getattr(self, name)
            if section is not None and section != Columns():
                values[name] = plain_values(fields_set(section))
        return values

    @property
    def digest(self) -> str:
        """Digest of the policy, equal for policies with the same content."""
        written = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(written.encode()).hexdigest()

    def path_of(self, path: str) -> str:
        """Return the path of a file that the policy names.

        Parameters
        ----------
        path : str
            Path as the policy has it, relative to `folder` or absolute.

        Returns
        -------
        path : str
            The path relative to the working directory.
        """
        return os.path.normpath(os.path.join(self.folder, path))


def load_policy(path: Any) -> Policy:
    """Load a policy from a TOML file, or from its table in a `pyproject.toml`.

    A policy is data: nothing in it is evaluated.

    Parameters
    ----------
    path : str or path-like
        A TOML file. In one that is named `pyproject.toml` the policy is the table
        `[tool.skcompare.gate]`, in any other the whole content.

    Returns
    -------
    policy : Policy
        The policy; paths in it are relative to the folder of the file.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError, TypeError
        If it is no TOML, has an unknown key, or a value does not suit its key. The message
        names the file and the place.

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
    >>> [condition.text for condition in policy.gate.conditions]
    ['accuracy is better', 'recall[spam] is worse by less than 0.02']
    """
    path = os.fspath(path)
    values: Any = _parsed(path)
    label = repr(path)
    if os.path.basename(path) == PYPROJECT:
        values = _own_table(values)
        if values is None:
            raise ValueError(f"Policy {label} must have a table {HEADER}. Got none.")
        label += f" {HEADER}"
    elif TABLE[0] in values:
        raise ValueError(
            f"Policy {label} must have its keys without the prefix tool.skcompare.gate, "
            f"which is for {PYPROJECT} only: [data] and [[condition]], not "
            "[tool.skcompare.gate.data] and [[tool.skcompare.gate.condition]]. Leave it "
            "out."
        )
    folder = os.path.dirname(path) or "."
    return _with_place(lambda: Policy.from_dict(values, folder=folder), f"Policy {label}")


def find_policy() -> Policy:
    """Load the policy from the `pyproject.toml` in the working directory."""
    if os.path.isfile(PYPROJECT) and _own_table(_parsed(PYPROJECT)) is not None:
        return load_policy(PYPROJECT)
    raise FileNotFoundError(
        f"No policy: there is no pyproject.toml with a table {HEADER} in this folder. "
        "Pass --policy FILE, or conditions such as --superior accuracy; "
        "`skcompare init champion.csv challenger.csv` writes a policy."
    )


def _parsed(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        kind = type(error) if isinstance(error, OSError) else ValueError
        hint = ""
        if isinstance(error, FileNotFoundError):
            hint = " `skcompare init champion.csv challenger.csv` writes one, gate.toml."
        raise kind(f"Cannot read policy {path!r}: {reason}.{hint}") from error
    if len(content) > LARGEST or max(map(len, content.split(b"\n"))) > LONGEST_LINE:
        raise ValueError(
            f"Policy {path!r} must have at most {LARGEST:,} bytes, and at most "
            f"{LONGEST_LINE:,} in a line. Is it the right file?"
        )
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"Policy {path!r} must be UTF-8 text. Save it as UTF-8."
        ) from error
    except RecursionError as error:
        raise ValueError(f"Policy {path!r} is nested too deeply to be read.") from error
    except ValueError as error:
        raise ValueError(f"Policy {path!r} is not TOML: {error}.") from error


def _own_table(values: Any) -> Any:
    """Return the policy table of a pyproject file, or None if there is none."""
    for key in TABLE:
        if not isinstance(values, Mapping) or key not in values:
            return None
        values = values[key]
    return values
