"""What a gate judges: the answers of two classifiers to the records of a slice."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from skcompare._core.design import Design
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.comparators._engine import PairEngine, Prepared
from skcompare.comparators._tests import no_test_note, why_unsuited
from skcompare.evidence import ContingencyTable
from skcompare.gate._conditions import Condition
from skcompare.gate._defaults import options_of, test_at_margin
from skcompare.metrics import Measure
from skcompare.predictions import LABELS, SCORES, PairedPredictions, part_of
from skcompare.reports import ComparisonRow
from skcompare.stats import PairedResult

SHOWN_VALUES = 5


class Unsuited(ValueError):
    """These records give no evidence for a condition; the message says why."""


@contextmanager
def refused_as_unsuited() -> Iterator[None]:
    """What evidence and tests refuse in the records of a slice is no evidence."""
    try:
        yield
    except ValueError as error:
        raise Unsuited(str(error)) from error


def check_exact_test(condition: Condition, entry: PairedTestEntry) -> None:
    """Nothing is concluded by another test where an exact one was asked for."""
    if condition.exact and entry.needs is not ContingencyTable:
        raise Unsuited(
            f"an exact test was asked for, and these records have none: their test is "
            f"{entry.name}"
        )


class ReadyTest(NamedTuple):
    """The test of a condition with its evidence, ready to run."""

    prepared: Prepared
    options: dict[str, Any]
    make_row: Any
    bound: float | None = None
    """The largest difference of one unit, where it is not that of a known loss."""

    @property
    def takes_null_value(self) -> bool:
        """Whether the test has other null values than that of equal classifiers."""
        return "null_value" in self.prepared.entry.options

    def run(self, **options: Any) -> PairedResult:
        """The result; Unsuited where the evidence is none for the test."""
        with refused_as_unsuited():
            return self.prepared.run(**{**self.options, **options})

    def row(self, result: PairedResult) -> ComparisonRow:
        """The row of a report that shows a result."""
        row: ComparisonRow = self.make_row(result)
        return row


class Subject(Protocol):
    """What a gate judges."""

    @property
    def n_records(self) -> int:
        """Records, or items."""

    @property
    def size(self) -> str:
        """What is judged, in words, where it is not records alone."""

    @property
    def design(self) -> Design:
        """How the evidence was collected."""

    @property
    def names(self) -> tuple[str, str]:
        """What champion and challenger are called."""

    @property
    def fingerprint(self) -> str:
        """Digest of the true labels, or of the items."""

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of caveats about the data."""

    @property
    def same_answers(self) -> bool:
        """Whether both gave the same answers throughout."""

    def part(self, where: Mapping[str, Any]) -> "Subject":
        """The records of a slice."""

    def ready(self, condition: Condition, alpha: float) -> ReadyTest:
        """The test of a condition; Unsuited where these records have none."""


@dataclass(frozen=True, eq=False)
class PairSubject:
    """Answers of two classifiers, with the columns that slices are cut by.

    Parameters
    ----------
    pair : PairedPredictions
        The answers.
    columns : mapping of str to ndarray of shape (n_samples,)
        Columns by name.
    pos_label : label, optional
        The positive one of two classes.
    ids : ndarray of shape (n_samples,), optional
        What tells records apart, by which a ledger knows them again.
    unseen : str
        How the records were held against those of the training, in words.
    """

    pair: PairedPredictions
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    pos_label: Any = None
    engines: dict[str, PairEngine] = field(default_factory=dict, repr=False)
    ids: NDArray[Any] | None = field(default=None, repr=False)
    unseen: str = ""

    @property
    def n_records(self) -> int:
        """Records."""
        return self.pair.predictions.n_records

    @property
    def size(self) -> str:
        """Records and their groups, in words; empty where nothing is to be said of them."""
        groups = self.pair.predictions.groups
        if groups is None:
            return self.unseen and f"{self.n_records:,} records, {self.unseen}"
        n_groups = int(np.count_nonzero(np.bincount(groups)))
        words = grouped_words(self.n_records, n_groups)
        return f"{words}, {self.unseen}" if self.unseen else words

    @property
    def design(self) -> Design:
        """How the records were split."""
        return self.pair.design

    @property
    def names(self) -> tuple[str, str]:
        """What champion and challenger are called."""
        return self.pair.champion.name, self.pair.challenger.name

    @property
    def fingerprint(self) -> str:
        """Digest of the true labels."""
        return self.pair.predictions.fingerprint

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of caveats about the data."""
        return self.pair.predictions.flags

    @property
    def same_answers(self) -> bool:
        """Whether both gave the same labels and the same scores to every record."""
        compared = []
        for name in ("labels", "proba", "decision"):
            ours, theirs = (getattr(role, name) for role in self.pair.roles)
            if ours is None and theirs is None:
                continue
            if ours is None or theirs is None:
                return False
            compared.append(np.array_equal(ours, theirs))
        return bool(compared) and all(compared)

    def part(self, where: Mapping[str, Any]) -> "PairSubject":
        """The records of a slice."""
        keep = in_slice(self.columns, where, self.n_records)
        if not keep.any():
            raise Unsuited(
                f"no record is in the slice{_what_there_is(self.columns, where)}"
            )
        columns = {name: column[keep] for name, column in self.columns.items()}
        return PairSubject(part_of(self.pair, keep), columns, self.pos_label)

    def ready(self, condition: Condition, alpha: float) -> ReadyTest:
        """The test of a condition."""
        engine, measure, entry = self.chosen(condition, alpha)
        with refused_as_unsuited():
            prepared = engine.prepared(entry, measure)
        return ReadyTest(
            prepared,
            options_of(condition, entry, prepared.evidence),
            lambda result: engine.row_of(entry, result, measure.name, measure),
        )

    def chosen(
        self, condition: Condition, alpha: float
    ) -> tuple[PairEngine, Measure, PairedTestEntry]:
        """The test of a condition, with the measure and what makes its evidence."""
        measure = condition.scored
        if measure is None:
            raise ValueError(
                f"{condition.measure!r} is a measure of items that come scored, and these "
                "are answers to records. Choose a measure of `skcompare list-metrics`."
            )
        measure.check_classes(self.pair.predictions.classes)
        self._check_answers(measure)
        self._check_averaged(measure)
        engine = self._engine(condition, alpha).about(measure)
        name = condition.test_name
        if name is None:
            entry = test_at_margin(condition, engine.fitting_test(measure), self.design)
        else:
            entry = get_test(name)
        if entry is None:
            raise Unsuited(no_test_note(measure, self.design))
        if not entry.valid_for(self.design):
            raise Unsuited(f"{entry.name} is not valid for {self.design}")
        check_exact_test(condition, entry)
        why = why_unsuited(entry, engine.pair.alone)
        if why:
            raise Unsuited(why)
        return engine, measure, entry

    def _check_answers(self, measure: Measure) -> None:
        """Refuse a measure of answers that nobody gave: no other records would help."""
        for role in self.pair.roles:
            known = {LABELS: role.has_labels, SCORES: role.has_proba or role.has_decision}
            lacking = [name for name in known if name in measure.wanted and not known[name]]
            if lacking:
                what = {LABELS: "labels", SCORES: "probabilities"}[lacking[0]]
                raise ValueError(
                    f"{measure.subject} needs {what}, and {role.name} gives none. Pass "
                    "them, or choose another measure. A comparator collects what its "
                    "`scoring` needs."
                )

    def _check_averaged(self, measure: Measure) -> None:
        """Nothing is concluded from an average over classes of which there is one."""
        name = str(measure.metric)
        is_average = name == "balanced_accuracy" or name.endswith(("_macro", "_weighted"))
        if is_average and np.count_nonzero(self.pair.predictions.class_counts()) < 2:
            raise Unsuited(
                f"all records are of one class, and {measure.subject} is an average over "
                "classes"
            )

    def _engine(self, condition: Condition, alpha: float) -> PairEngine:
        """The engine of the test that was asked for; evidence is made once."""
        name = condition.test_name
        asked = None if name is None else {name: dict(condition.options)}
        key = repr(asked)
        if key not in self.engines:
            self.engines[key] = PairEngine(
                self.pair, asked, "greater", alpha, self.pos_label
            )
        return self.engines[key]


def grouped_words(n_records: int, n_groups: int) -> str:
    """How many records there are, in how many groups."""
    return f"{n_records:,} records, in {n_groups:,} group{'s' * (n_groups != 1)}"


def in_slice(
    columns: Mapping[str, NDArray[Any]], where: Mapping[str, Any], n_records: int
) -> NDArray[np.bool_]:
    """Which records have the values of a slice."""
    keep = np.ones(n_records, dtype=bool)
    for name, value in where.items():
        if name not in columns:
            known = ", ".join(columns) or "none"
            raise ValueError(
                f"A slice needs column {name!r}. Got columns: {known}. Pass it, or leave "
                "the slice out."
            )
        wanted = value if isinstance(value, list) else [value]
        each = [_equal(columns[name], one) for one in wanted]
        if len(wanted) > 1:
            check_all_there(name, wanted, [bool(own.any()) for own in each])
        keep &= np.logical_or.reduce(each)
    return keep


def check_all_there(name: str, wanted: Sequence[Any], are_there: Sequence[bool]) -> None:
    """Refuse values of a slice that no record has, which nobody would miss."""
    lacking = [value for value, is_there in zip(wanted, are_there) if not is_there]
    if lacking and any(are_there):
        raise ValueError(
            f"No record has {', '.join(map(repr, lacking[:SHOWN_VALUES]))} in column "
            f"{name!r}, of the values that `where` names. Correct them, or leave them out."
        )


def _what_there_is(columns: Mapping[str, NDArray[Any]], where: Mapping[str, Any]) -> str:
    """Values of the column that no record of the slice has, for messages."""
    for name, value in where.items():
        column = columns[name]
        wanted = value if isinstance(value, list) else [value]
        if any(_equal(column, one).any() for one in wanted):
            continue
        known = np.unique(column.astype(str) if column.dtype.kind == "O" else column)
        more = ", ..." if len(known) > SHOWN_VALUES else ""
        return f": {name} has {', '.join(map(str, known[:SHOWN_VALUES]))}{more}"
    return ""


def _equal(column: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    """Which entries are a value; texts are compared with it as it is written."""
    if column.dtype.kind in "OUS":
        texts = column.astype(str)
        same: NDArray[np.bool_] = texts == str(value)
        return same
    if isinstance(value, str) or isinstance(value, bool) != (column.dtype.kind == "b"):
        return np.zeros(len(column), dtype=bool)
    found: NDArray[np.bool_] = column == value
    return found
