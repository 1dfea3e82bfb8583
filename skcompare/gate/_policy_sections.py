"""Sections of a policy about its data: columns, ledger and training records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from skcompare.gate import _policy_values as values_
from skcompare.gate.ledger._ledger import Ledger


def _predictions(value: Any, place: str) -> Any:
    """Check columns of predictions: one, several, or labels and probabilities."""
    if not isinstance(value, Mapping):
        return values_.column_or_columns(value, place)
    checks = {"labels": values_.text, "proba": values_.column_or_columns}
    columns = values_.table(value, checks, place)
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
    y : str
        True labels.
    y_from : {"champion", "challenger"} or None
        The role whose file alone may have the true labels; by default the champion.
    label, proba : str, or tuple of str, or None
        The predictions, where champion and challenger have files of their own.
    champion, challenger : str, tuple of str, dict or None
        The predictions of each: a column of labels or of probabilities, one column of
        probabilities per class, or a dict with "labels" and "proba".
    groups : str or None
        Group of each record.
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

    id: str | None = None
    y: str | None = None
    y_from: str | None = None
    label: str | None = None
    proba: Any = None
    champion: Any = None
    challenger: Any = None
    groups: str | None = None
    features: tuple[str, ...] | None = None
    labels: tuple[Any, ...] | None = None
    pos_label: Any = None
    score: Any = None
    item: str | None = None
    attempt: str | None = None
    bounds: tuple[float, float] | None = None

    def check_without(self, names: Sequence[str], text: str) -> None:
        """Raise an error if a column is set that does not apply to the judged data."""
        for name in names:
            if getattr(self, name) is not None:
                raise ValueError(f"`{name}` {text}. Leave it out.")


OF_COLUMNS: dict[str, values_.Check] = {
    "id": values_.text,
    "y": values_.text,
    "y_from": values_.choice("champion", "challenger"),
    "label": values_.text,
    "proba": values_.column_or_columns,
    "champion": _predictions,
    "challenger": _predictions,
    "groups": values_.text,
    "features": values_.column_names,
    "labels": values_.labels,
    "pos_label": values_.label,
    "score": values_.column_or_columns,
    "item": values_.text,
    "attempt": values_.text,
    "bounds": values_.bounds,
}


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """Settings of the ledger: its file, and its rule for spending alpha."""

    path: str
    rule: str | None = None
    looks: int | None = None
    blind: bool = False


OF_LEDGER: dict[str, values_.Check] = {
    "path": values_.text,
    "rule": values_.text,
    "looks": values_.count,
    "blind": values_.switch,
}


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """Settings of the training records: their file and their column of ids."""

    file: str
    id: str | None = None


OF_TRAIN: dict[str, values_.Check] = {"file": values_.text, "id": values_.text}


KINDS: dict[str, tuple[type, dict[str, values_.Check]]] = {
    "data": (Columns, OF_COLUMNS),
    "ledger": (LedgerSettings, OF_LEDGER),
    "train": (TrainSettings, OF_TRAIN),
}
NEEDED = {"ledger": "path", "train": "file"}


def section(name: str, value: Any) -> Any:
    """Create the settings of a section of a policy.

    Parameters
    ----------
    name : {"data", "ledger", "train"}
        Name of the table.
    value : object
        Value in the policy.
    """
    kind, checks = KINDS[name]
    entries = values_.table(value, checks, f"[{name}]")
    if name in NEEDED and NEEDED[name] not in entries:
        raise ValueError(f"[{name}] needs {NEEDED[name]!r}. Got none.")
    settings = kind(**entries)
    if isinstance(settings, LedgerSettings):
        # Raises if the rule is invalid.
        Ledger(settings.path, rule=settings.rule, looks=settings.looks)
    return settings


def plain_section(section: Any) -> dict[str, Any]:
    """Return the settings of a section that differ from their defaults."""
    values = {}
    for attribute in fields(section):
        value = getattr(section, attribute.name)
        if value is not None and value is not False:
            values[attribute.name] = _plain(value)
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [*value] if isinstance(value, tuple) else value
