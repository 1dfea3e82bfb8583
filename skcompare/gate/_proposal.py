"""Proposal of a policy for files of predictions, whose columns are recognised."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.validation import integral, is_continuous
from skcompare._io.readers import Source
from skcompare._registry.metrics import CLASSES, NUMBERS, loss_of
from skcompare.comparators import MEAN_SCORE
from skcompare.gate._conditions import Condition, NonInferior, Superior, target_of
from skcompare.gate._evaluate import Gate
from skcompare.gate._files import ID, checked_source, whole_names
from skcompare.gate._policy import Columns, Policy
from skcompare.gate._truth import Y
from skcompare.predictions import ROLES, rows_by_id

TRUTH_NAMES = (Y, "y_true", "truth", "true", "target", "actual", "true_label")
"""Usual names of a column of true labels."""

MARGINS = {
    "accuracy": 0.02,
    "recall": 0.02,
    "balanced_accuracy": 0.02,
    "binary_brier_loss": 0.005,
    "multiclass_brier_loss": 0.01,
    "roc_auc": 0.01,
}
"""Proposed margins of non-inferiority, by measure."""

OF_LOSSES, OF_SHARES = "5 %", 0.02
"""Proposed margins of other measures: of mean losses, and of any other."""

MOST_COLUMNS, MOST_SLICES, LEAST_RECORDS = 3, 8, 30
"""Most columns that are proposed for slices, and for groups; most values of a column of
slices, and fewest records of each."""

LABEL, PROBA, VALUE = "label", "proba", "value"
"""Kinds of columns of predictions, by their keys in a policy."""

Table = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Proposal:
    """Policy proposed for files, with what may be added to it.

    Attributes
    ----------
    policy : Policy
        The policy, which judges the files.
    slices : mapping of str to list
        Columns that may define slices, with their values.
    groups : list of str
        Columns that may tell groups, such as patients.
    """

    policy: Policy
    slices: Mapping[str, list[Any]] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)


def propose_policy(
    paths: Sequence[str],
    columns: Columns,
    conditions: Sequence[Condition] = (),
    pos_label: str | None = None,
) -> Proposal:
    """Propose a policy for one file of predictions, or the champion's and the challenger's.

    Columns that are not named are recognised by their names and their content: ids are
    unique and the same in both files, true labels are the champion's alone or the same in
    both, and predictions differ. What could be several columns is an error.

    Parameters
    ----------
    paths : sequence of str
        One file with the predictions of both, or the champion's and the challenger's.
    columns : Columns
        The columns that are named.
    conditions : sequence of Condition, optional
        Conditions; by default superiority in one measure, and non-inferiority in others.
    pos_label : str, optional
        The positive class of two, as text.

    Returns
    -------
    proposal : Proposal
        The policy, with columns that may define slices.
    """
    if not 1 <= len(paths) <= 2:
        raise ValueError(
            "A policy is proposed for one file with the predictions of both, or for the "
            f"champion's file and the challenger's. Got {len(paths)} files."
        )
    files = _Files.opened([checked_source(path) for path in paths], columns)
    if files.are_scores:
        own = conditions or [Superior(MEAN_SCORE)]
        return Proposal(Policy(Gate(*own), replace(columns, score=files.score)))
    y = files.true_column()
    target = target_of(conditions) if conditions else ""
    kinds = files.kinds(y, target)
    named = files.predictions(kinds, y)
    classes = [] if VALUE in kinds.values() else np.unique(files.tables[0][y]).tolist()
    shares = [name for name in _single_shares(named) if kinds.get(name) == PROBA]
    label = _positive(classes, shares, pos_label)
    chosen = replace(columns, id=files.id, y=y, pos_label=label, **named)
    own = conditions or _proposed(set(kinds.values()), files.tables[0][y], classes)
    policy = Policy(Gate(*own), chosen)
    return Proposal(policy, *files.facts({y, *kinds}))


class _Files(NamedTuple):
    """Files to judge: their readable columns, with the records in one order."""

    sources: list[Source]
    tables: list[dict[str, NDArray[Any]]]
    named: Columns
    id: str | None

    @classmethod
    def opened(cls, sources: list[Source], columns: Columns) -> "_Files":
        """Read files, and bring the challenger's records into the champion's order."""
        tables = [_readable(source) for source in sources]
        files = cls(sources, tables, columns, None)
        if files.are_scores:
            return files
        id = columns.id or files.unique_column()
        if len(sources) > 1 and id is None:
            listed = " and ".join(source.text for source in sources)
            raise ValueError(
                f"{listed} need a column of ids, which is unique and the same in both, by "
                "which they are joined. Got none. Name it by --id, or add one."
            )
        if id is not None and len(sources) > 1:
            for table, source in zip(tables, sources):
                _check_there(id, table, source, "--id")
            orders = rows_by_id(dict(enumerate(sources)), dict(enumerate(tables)), id)
            if (order := orders.get(1)) is not None:
                tables[1] = {name: values[order] for name, values in tables[1].items()}
        return files._replace(id=id)

    @property
    def are_scores(self) -> bool:
        """Whether the files have scores item by item."""
        names = (self.score, self.named.item or "item")
        return all(name in table for table in self.tables for name in names)

    @property
    def score(self) -> Any:
        """Column of scores."""
        return self.named.score if isinstance(self.named.score, str) else "score"

    def unique_column(self) -> str | None:
        """Return the column of ids: "id", or the first one that is unique and shared."""
        first, last = self.tables[0], self.tables[-1]
        names = [name for name in first if name in last and _is_unique(first[name])]
        if ID in names:
            return ID
        if len(self.tables) == 1:
            return next((name for name in names if name.lower().endswith("id")), None)
        return next((n for n in names if _hold_the_same(first[n], last[n])), None)

    def agreeing(self) -> set[str]:
        """Return the columns that both files have, and that agree in every record."""
        if len(self.tables) == 1:
            return set()
        first, last = self.tables
        return {n for n in first if n in last and np.array_equal(first[n], last[n])}

    def true_column(self) -> str:
        """Return the column of true labels of the champion's file."""
        table, columns = self.tables[0], self.named
        if columns.y is not None:
            if not isinstance(columns.y, str):
                raise ValueError(
                    "A policy is proposed for one column of true labels or numbers. Got "
                    f"{', '.join(columns.y)}. Write the policy of several outputs by hand."
                )
            _check_there(columns.y, table, self.sources[0], "--y")
            return columns.y
        usual = [n for n in table if n.lower() in TRUTH_NAMES]
        free = [n for n in table if n != self.id and n not in _names_in(columns)]
        if len(self.tables) == 1:
            others = [n for n in free if n not in ROLES]
            # Of three columns the first one, as for `skcompare compare`.
            candidates = usual or (others[:1] if len(free) == 3 else others)
        else:
            last, same = self.tables[1], self.agreeing()
            facts = [n for n in free if n not in last or n in same]
            candidates = usual or facts
            if len(candidates) > 1:
                guessed = [n for n in last if n not in same and n != self.id]
                labels = [n for n in candidates if _has_labels(table[n], last, guessed)]
                candidates = labels or candidates
        if len(candidates) == 1 or (usual and Y in candidates):
            return Y if Y in candidates else candidates[0]
        listed = ", ".join(map(repr, candidates[:10])) or "none"
        raise ValueError(
            f"One column of {self.sources[0].text} must have the true labels. Got "
            f"{listed}. Name it by --y.{_left_out(self.sources[0], table)}"
        )

    def kinds(self, y: str, target: str) -> dict[str, str]:
        """Return the columns that may be predictions, with their kinds.

        Of two files those that differ are taken; columns that only one file has, where
        none is shared.
        """
        same, named = self.agreeing(), _names_in(self.named)
        truth = self.tables[0][y]
        tables = [
            {
                n: values
                for n, values in table.items()
                if n not in (y, self.id, self.named.groups, self.named.time, *same)
                and (not named or n in named)
            }
            for table in self.tables
        ]
        if len(tables) > 1:
            both = tables[0].keys() & tables[1].keys()
            if both:
                tables = [{n: v for n, v in t.items() if n in both} for t in tables]
        read = {n: values for table in tables for n, values in table.items()}
        numeric = target == NUMBERS or (target != CLASSES and _are_numbers(truth, read))
        kinds = {
            n: VALUE if numeric else _kind(values, truth) for n, values in read.items()
        }
        if numeric:
            kinds = {n: k for n, k in kinds.items() if read[n].dtype.kind in "iuf"}
        return {n: kind for n, kind in kinds.items() if kind}

    def predictions(self, kinds: Mapping[str, str], y: str) -> dict[str, Any]:
        """Return the keys of the policy that name the columns of predictions."""
        if any(getattr(self.named, role) is not None for role in ROLES):
            return {role: getattr(self.named, role) for role in ROLES}
        classes = np.unique(self.tables[0][y]).tolist()
        if len(self.tables) == 1:
            own = [n for n in kinds if n in ROLES] or list(kinds)
            if len(own) == 2 and len({kinds[n] for n in own}) == 1:
                # Those called champion and challenger in the order of the roles.
                own = [*ROLES] if set(own) == set(ROLES) else own
                return dict(zip(ROLES, own))
            raise ValueError(
                f"{self.sources[0].text} must have two columns of predictions, the "
                f"champion's and the challenger's. Got {_listed(own)}. Name them by "
                "--champion and --challenger."
                f"{_left_out(self.sources[0], self.tables[0])}"
            )
        per_file = [{n: k for n, k in kinds.items() if n in t} for t in self.tables]
        parts = [
            _by_kind(own, classes, source)
            for own, source in zip(per_file, self.sources, strict=True)
        ]
        if parts[0] == parts[1]:
            return parts[0]
        by_role = [
            {"labels" if kind == LABEL else kind: names for kind, names in part.items()}
            if len(part) > 1
            else next(iter(part.values()))
            for part in parts
        ]
        return dict(zip(ROLES, by_role))

    def facts(self, used: set[str]) -> tuple[dict[str, list[Any]], list[str]]:
        """Return columns for slices, with their values, and those that may tell groups."""
        roles = {self.id, self.named.groups, self.named.time, *used}
        slices: dict[str, list[Any]] = {}
        groups: list[str] = []
        for name, values in self.tables[0].items():
            if name in roles or values.dtype.kind not in "iubUSO":
                continue
            with suppress(TypeError):
                levels, counts = np.unique(values, return_counts=True)
                if 2 <= len(levels) <= MOST_SLICES and counts.min() >= LEAST_RECORDS:
                    slices[name] = levels.tolist()
                elif MOST_SLICES < len(levels) < len(values):
                    groups.append(name)
        return dict([*slices.items()][:MOST_COLUMNS]), groups[:MOST_COLUMNS]


def _readable(source: Source) -> dict[str, NDArray[Any]]:
    """Read all columns that have no missing values."""
    names = whole_names(source)
    try:
        return source.read(names)
    except ValueError:
        read: dict[str, NDArray[Any]] = {}
        for name in names:
            with suppress(ValueError):
                read |= source.read([name])
        if not read:
            raise
        return read


def _left_out(source: Source, table: Table) -> str:
    """Return a sentence on the columns that were left out, or an empty string."""
    names = [name for name in whole_names(source) if name not in table]
    return f" Left out for missing values: {_listed(names)}." if names else ""


def _check_there(name: str, table: Table, source: Source, option: str) -> None:
    """Raise an error unless a column could be read."""
    if name in table:
        return
    # Raises if it is unknown, or has missing values.
    source.read([name]) if name in source.names else None
    raise ValueError(
        f"{source.text} has no column {name!r}, which {option} names. Got {_listed(table)}."
    )


def _names_in(columns: Columns) -> set[str]:
    """Return the names of all columns of predictions that are named."""
    names: set[str] = set()
    parts = [getattr(columns, key) for key in (LABEL, PROBA, VALUE, *ROLES)]
    while parts:
        part = parts.pop()
        if isinstance(part, str):
            names.add(part)
        elif part is not None:
            parts += part.values() if isinstance(part, Mapping) else part
    return names


def _is_unique(values: NDArray[Any]) -> bool:
    if values.ndim != 1 or is_continuous(values):
        return False
    with suppress(TypeError):
        return len(np.unique(values)) == len(values)
    return False


def _hold_the_same(left: NDArray[Any], right: NDArray[Any]) -> bool:
    with suppress(TypeError):
        return np.array_equal(np.sort(left), np.sort(right))
    return False


def _has_labels(truth: NDArray[Any], table: Table, names: Sequence[str]) -> bool:
    """Whether one of the columns of predictions has the labels of a column."""
    return any(_kind(table[name], truth) == LABEL for name in names)


def _kind(values: NDArray[Any], truth: NDArray[Any]) -> str:
    """Return whether a column has labels or probabilities, or an empty string."""
    with suppress(TypeError):
        classes = set(np.unique(truth).tolist())
        if values.ndim == 1 and set(np.unique(values).tolist()) <= classes:
            return LABEL if len(classes) < len(truth) else ""
        if values.dtype.kind in "iuf" and values.min() >= 0 and values.max() <= 1:
            return PROBA
    return ""


def _are_numbers(truth: NDArray[Any], read: Table) -> bool:
    """Whether the target is a number: it has fractions, or predictions beyond [0, 1]."""
    if truth.dtype.kind not in "iuf":
        return False
    if not integral(truth):
        return True
    numbers = [v for v in read.values() if v.dtype.kind == "f" and not integral(v)]
    return any(values.min() < 0 or values.max() > 1 for values in numbers)


def _by_kind(
    kinds: Mapping[str, str], classes: Sequence[Any], source: Source
) -> dict[str, Any]:
    """Return the columns of predictions of one file, by the keys of a policy."""
    chosen: dict[str, Any] = {}
    for kind in (LABEL, PROBA, VALUE):
        names = [name for name, own in kinds.items() if own == kind]
        if kind == PROBA and 1 < len(names) == len(classes):
            ordered = _in_order(names, classes)
            if ordered is not None:
                chosen[kind] = ordered
                continue
        if len(names) > 1:
            raise ValueError(
                f"{source.text} must have one column of predictions of each kind. Got "
                f"{_listed(names)}. Name it by --{kind}."
            )
        if names:
            chosen[kind] = names[0]
    if not chosen:
        raise ValueError(
            f"{source.text} must have a column of predictions: labels as the true ones, "
            "probabilities, or numbers. Got none. Name it by --label, --proba or --value."
        )
    return chosen


def _in_order(names: Sequence[str], classes: Sequence[Any]) -> tuple[str, ...] | None:
    """Return columns of probabilities in the order of the classes that their names have."""
    ordered = [
        [name for name in names if name.lower().endswith(str(label).lower())]
        for label in classes
    ]
    if all(ordered) and len({own[-1] for own in ordered}) == len(names):
        return tuple(own[-1] for own in ordered)
    return None


def _single_shares(named: Mapping[str, Any]) -> list[str]:
    """Return the columns that alone have the probabilities of a classifier."""
    parts = [named.get(PROBA), *(named.get(role) for role in ROLES)]
    parts = [part.get(PROBA) if isinstance(part, Mapping) else part for part in parts]
    return [part for part in parts if isinstance(part, str)]


def _positive(classes: Sequence[Any], shares: Sequence[str], text: str | None) -> Any:
    """Return the positive class of two, or None if it need not be named.

    Labels that are numbers need none, and otherwise the columns of probabilities name it.
    """
    if text is not None:
        return {str(label): label for label in classes}.get(text, text)
    are_plain = all(isinstance(label, bool | int | float) for label in classes)
    if len(classes) != 2 or not shares or are_plain:
        return None
    # The longer one first: "not spam" has "spam" in it.
    for label in sorted(classes, key=lambda label: -len(str(label))):
        if all(str(label).lower() in name.lower() for name in shares):
            return label
    raise ValueError(
        f"Columns {_listed(dict.fromkeys(shares))} have probabilities of one of the "
        f"classes {_listed(classes)}. Got no name that says of which. Name it by "
        "--pos-label."
    )


def _proposed(
    kinds: set[str], truth: NDArray[Any], classes: Sequence[Any]
) -> list[Condition]:
    """Return conditions for the kinds of predictions."""
    if VALUE in kinds:
        measures = ["neg_mean_absolute_error", "neg_mean_squared_error"]
    else:
        measures = ["accuracy"] if LABEL in kinds or len(classes) > 2 else ["roc_auc"]
        if LABEL in kinds and len(classes) == 2:
            labels, counts = np.unique(truth, return_counts=True)
            measures.append(f"recall[{labels[counts.argmin()]}]")
        elif LABEL in kinds:
            measures.append("balanced_accuracy")
        if PROBA in kinds:
            binary = len(classes) == 2
            measures.append("binary_brier_loss" if binary else "multiclass_brier_loss")
    return [Superior(measures[0]), *map(non_inferior, measures[1:])]


def non_inferior(measure: str, **options: Any) -> NonInferior:
    """Return the condition of non-inferiority with the proposed margin of a measure."""
    margin: float | str | None = MARGINS.get(measure.partition("[")[0])
    if margin is None:
        condition = NonInferior(measure, OF_SHARES)
        is_loss = condition.scored is not None and loss_of(condition.scored.metric)
        margin = OF_LOSSES if is_loss else OF_SHARES
    return NonInferior(measure, margin, **options)


def _listed(names: Any) -> str:
    """Return the first names as text."""
    listed = [repr(name) for name in names]
    return ", ".join(listed[:10]) + (", ..." if len(listed) > 10 else "") or "none"
