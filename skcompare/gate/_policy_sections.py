"""The tables of a policy that say where data are: columns, ledger, training records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from skcompare.gate import _policy_values as values_
from skcompare.gate.ledger._ledger import Ledger


def _answers(value: Any, words: str) -> Any:
    """Columns of a classifier's answers: one, several, or labels and probabilities."""
    if not isinstance(value, Mapping):
        return values_.column_or_columns(value, words)
    known = {"labels": values_.text, "proba": values_.column_or_columns}
    found = values_.table(value, known, words)
    if set(found) != set(known):
        raise ValueError(
            f"{words} must have 'labels' and 'proba' where it is a table. Name one of "
            "them without a table."
        )
    return found


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of the files are what.

    Attributes
    ----------
    id : str or None
        Tells records apart; files are joined by it.
    y : str
        True labels.
    y_from : {"champion", "challenger"} or None
        Whose file may have them alone; by default the champion's.
    label, proba : str, or tuple of str, or None
        The answers, where champion and challenger have files of their own.
    champion, challenger : str, tuple of str, dict or None
        The answers of each: a column of labels or of probabilities, probabilities a class,
        or a dict with "labels" and "proba".
    groups : str or None
        Group of each record.
    features : tuple of str or None
        What saved estimators answer, and what training records are recognised by.
    labels : tuple or None
        All class labels.
    pos_label : label or None
        The positive one of two classes.
    score : str, tuple of str or None
        Scores item by item: one column that two files have, or the champion's and the
        challenger's.
    item, attempt : str or None
        Tell items apart, and attempts at one item.
    bounds : tuple of float or None
        Least and greatest score that there can be.
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

    def check_without(self, names: Sequence[str], words: str) -> None:
        """Refuse columns that are about something else than what is judged."""
        for name in names:
            if getattr(self, name) is not None:
                raise ValueError(f"`{name}` {words}. Leave it out.")


OF_COLUMNS: dict[str, values_.Check] = {
    "id": values_.text,
    "y": values_.text,
    "y_from": values_.choice("champion", "challenger"),
    "label": values_.text,
    "proba": values_.column_or_columns,
    "champion": _answers,
    "challenger": _answers,
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
    """The file that counts looks at a hold-out set, and how it spends alpha."""

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
    """The file of training records, none of which may be among those that are judged."""

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
    """The settings of a table of a policy.

    Parameters
    ----------
    name : {"data", "ledger", "train"}
        Which table.
    value : object
        What the policy has.
    """
    kind, known = KINDS[name]
    found = values_.table(value, known, f"[{name}]")
    if name in NEEDED and NEEDED[name] not in found:
        raise ValueError(f"[{name}] needs {NEEDED[name]!r}. Got none.")
    settings = kind(**found)
    if isinstance(settings, LedgerSettings):
        # Says what is wrong with the rule.
        Ledger(settings.path, rule=settings.rule, looks=settings.looks)
    return settings


def plain_section(section: Any) -> dict[str, Any]:
    """The values that are not those by default."""
    found = {}
    for one in fields(section):
        value = getattr(section, one.name)
        if value is not None and value is not False:
            found[one.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [*value] if isinstance(value, tuple) else value
