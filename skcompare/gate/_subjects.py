"""What a gate judges: the answers of two classifiers to the records of a slice."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from skcompare._core.design import HOLDOUT, Design
from skcompare._core.validation import as_array, check_same_length
from skcompare._io.engine import Table
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.comparators import (
    MEAN_SCORE,
    PairEngine,
    Prepared,
    answers_wanted,
    asked_by_tests,
    check_holds,
    item_row,
    no_test_note,
    pair_of_tally,
    pair_on_engine,
    prepared_scores,
    size_words,
    why_unsuited,
)
from skcompare.evidence import (
    Asked,
    ContingencyTable,
    EngineTally,
    JointCounts,
    PairedLosses,
    Tally,
)
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.metrics import Measure
from skcompare.predictions import (
    LABELS,
    SCORES,
    EngineColumns,
    ItemScores,
    PairedPredictions,
    pair_of_fitted,
    part_of,
)
from skcompare.reports import ComparisonRow
from skcompare.stats import PairedResult
from skcompare.stats.planning import method_for

MANY_RECORDS, LEFT_TO_THE_TEST, RESAMPLES = 1_000, 50_000, 1_999
"""Between so many records a bootstrap takes so many resamples, in a second or two; of
more, the test itself takes fewer."""

AT_MARGIN = {"precision_both_scores": "precision_difference"}
"""Tests whose interval is no inversion of them beyond equality, and what takes their place
where a condition has a margin."""


def options_of(
    condition: Condition, entry: PairedTestEntry, evidence: Any
) -> dict[str, Any]:
    """Options of the test of a condition beside those that were asked for.

    Accuracies are compared by mid-p where there is no margin, which from 100 records on
    passes with a probability of at most 0.059 at a level of 0.05; of fewer records, at a
    margin, and where an exact test is asked for, by the exact test that is unconditional.
    That one takes up to 5,000 records here: of more, Tango's score is near enough at a
    margin that is not small, and the exact test given the discordant pairs takes the place
    of it elsewhere.
    """
    if entry.name == "bootstrap_difference" and "n_resamples" not in condition.options:
        few = MANY_RECORDS < evidence.n <= LEFT_TO_THE_TEST
        return {"n_resamples": RESAMPLES} if few else {}
    if entry.name != "mcnemar" or "method" in condition.options:
        return {}
    if evidence.fractional:
        return {"method": "corrected"}
    return {"method": method_for(evidence.n, condition.margin, condition.exact)}


def test_at_margin(
    condition: Condition, entry: PairedTestEntry | None, design: Design
) -> PairedTestEntry | None:
    """The test of a condition that names none, from the design's default test."""
    if entry is None or not condition.margin or entry.name not in AT_MARGIN:
        return entry
    other = get_test(AT_MARGIN[entry.name])
    return other if other.valid_for(design) else entry


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


def fitted_subject(
    conditions: Sequence[Condition | AnyOf],
    roles: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any,
    pos_label: Any,
    columns: Mapping[str, Any] | None,
) -> PairSubject:
    """What fitted classifiers answer, as far as the conditions need it."""
    pair = pair_of_fitted(
        roles,
        X,
        y,
        wanted=_wanted(conditions),
        groups=groups,
        why="A gate judges trained classifiers.",
    )
    arrays = {name: as_array(column) for name, column in (columns or {}).items()}
    check_same_length({"y_true": pair.predictions.y}, arrays)
    return PairSubject(pair, arrays, pos_label)


def _wanted(conditions: Sequence[Condition | AnyOf]) -> frozenset[str]:
    """What must be answered for the measures and the tests that were asked for."""
    leaves = [
        leaf
        for one in conditions
        for leaf in (one.conditions if isinstance(one, AnyOf) else (one,))
    ]
    measures = [leaf.scored for leaf in leaves if leaf.scored is not None]
    tests: dict[str, dict[str, Any]] = {
        leaf.test_name: {} for leaf in leaves if leaf.test_name is not None
    }
    return answers_wanted(measures, tests or None)


TIMES = 10
"""Largest scores that differ by so many times are of unlike scales."""


def check_scale(scores: ItemScores) -> None:
    """Refuse scores of which one system's may be shares and the other's points.

    Nobody can tell without the least and the greatest score that there can be.
    """
    if scores.bounds is not None:
        return
    both = scores.champion, scores.challenger
    largest = [float(np.abs(each).max()) for each in both]
    are_shares = [bool(((each >= 0) & (each <= 1)).all()) for each in both]
    is_unlike = max(largest) >= TIMES * min(largest) and min(largest) > 0
    if is_unlike or are_shares[0] != are_shares[1]:
        one, two = scores.names
        raise ValueError(
            "Scores must be on one scale. Got scores of a size of up to "
            f"{largest[0]:g} for {one} and {largest[1]:g} for {two}. Pass `bounds`, the "
            "least and the greatest score that there can be, if they are right."
        )


@dataclass(frozen=True, eq=False)
class ItemSubject:
    """Scores of two systems on the same items.

    Parameters
    ----------
    scores : ItemScores
        The scores, with the columns that slices are cut by.
    unseen : str
        How the items were held against those of the training, in words.
    """

    scores: ItemScores
    unseen: str = ""

    def __post_init__(self) -> None:
        check_scale(self.scores)

    @property
    def n_records(self) -> int:
        """Items."""
        return self.scores.n

    @property
    def size(self) -> str:
        """Items, their attempts and their groups, in words."""
        words = size_words(self.scores)
        return f"{words}, {self.unseen}" if self.unseen else words

    @property
    def design(self) -> Design:
        """How the items were collected."""
        return self.scores.design

    @property
    def names(self) -> tuple[str, str]:
        """What champion and challenger are called."""
        return self.scores.names

    @property
    def fingerprint(self) -> str:
        """Digest of the items and their groups."""
        return self.scores.fingerprint

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of caveats about the data; items have none."""
        return ()

    @property
    def same_answers(self) -> bool:
        """Whether both have the same score on every item."""
        return np.array_equal(self.scores.champion, self.scores.challenger)

    def part(self, where: Mapping[str, Any]) -> "ItemSubject":
        """The items of a slice."""
        keep = in_slice(self.scores.columns, where, self.n_records)
        if not keep.any():
            raise Unsuited("no item is in the slice")
        return ItemSubject(self.scores.subset(keep))

    def ready(self, condition: Condition, alpha: float) -> ReadyTest:
        """The test of a condition."""
        if condition.scored is not None:
            raise ValueError(
                f"{condition.measure!r} is a measure of answers to records, and these are "
                f"items that come scored. Choose {MEAN_SCORE!r}, the mean of the scores."
            )
        with refused_as_unsuited():
            prepared = prepared_scores(
                self.scores, self._test(condition), condition.options
            )
        bounds = self.scores.bounds
        if not prepared.entry.valid_for(self.design):
            raise Unsuited(f"{prepared.entry.name} is not valid for {self.design}")
        check_exact_test(condition, prepared.entry)
        return ReadyTest(
            prepared,
            options_of(condition, prepared.entry, prepared.evidence),
            lambda result: item_row(prepared, result, alpha),
            None if bounds is None else bounds[1] - bounds[0],
        )

    def _test(self, condition: Condition) -> str | None:
        """The test that was asked for; where it is to hold at any time, by the scores."""
        if condition.anytime and self.scores.right_or_wrong:
            return "anytime_mcnemar"
        return condition.test_name


LEVEL = 0.05
"""Any level does while it is found out which tests are needed."""


class TalliedSubject(PairSubject):
    """Answers of which counts and sums are known, and no record.

    What a :class:`PairSubject` asks of records is asked of the counts here.
    """

    @property
    def size(self) -> str:
        """Records and their groups, in words; empty where there are no groups."""
        groups = self.pair.predictions.tally.groups
        return "" if groups is None else grouped_words(self.n_records, len(groups))

    @property
    def same_answers(self) -> bool:
        """Whether both gave the same labels, and the same losses where these are known."""
        tally: Tally = self.pair.predictions.tally
        cells = JointCounts.from_tally(tally).cells
        same = np.array_equal(cells[:, 1], cells[:, 2])
        for loss in tally.plan.losses:
            losses = PairedLosses.from_tally(tally, loss=loss)
            same = same and losses.moments.gain_squares == 0
        scored = any(role.has_proba for role in self.pair.roles)
        return same and (not scored or bool(tally.plan.losses))

    def part(self, where: Mapping[str, Any]) -> "PairSubject":
        """Counts have no slices."""
        raise ValueError(
            f"A slice ({', '.join(where)}) is taken of records, and these were counted. "
            "Count those of the slice, or pass the frame."
        )


@dataclass(frozen=True, eq=False)
class CountedSubject:
    """A table on an engine, which counts what the conditions of each slice need.

    Parameters
    ----------
    columns : EngineColumns
        Which columns are what.
    conditions : sequence of Condition
        All that will be asked.
    labels : array-like of shape (n_classes,), optional
        All class labels.
    pos_label : label, optional
        The positive one of two classes.
    """

    columns: EngineColumns
    conditions: Sequence[Condition]
    labels: Any = None
    pos_label: Any = None

    @cached_property
    def n_records(self) -> int:
        """Records."""
        return self.columns.table.n_records()

    @property
    def size(self) -> str:
        """Records and their groups, in words, where groups were counted."""
        return self._whole.size

    @property
    def design(self) -> Design:
        """How the records were collected."""
        return Design(HOLDOUT.kind, grouped=self.columns.groups is not None)

    @property
    def names(self) -> tuple[str, str]:
        """What champion and challenger are called."""
        champion, challenger = self.columns.answers
        return champion, challenger

    @property
    def fingerprint(self) -> str:
        """Digest of the true labels as they were counted."""
        return self._whole.fingerprint

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of caveats about the data."""
        return self._whole.flags

    @property
    def same_answers(self) -> bool:
        """Whether both gave the same answers, as far as the counts tell."""
        return self._whole.same_answers

    def part(self, where: Mapping[str, Any]) -> PairSubject:
        """The records of a slice, counted."""
        values = {k: v if isinstance(v, list) else [v] for k, v in where.items()}
        own = {self.columns.others[name]: each for name, each in values.items()}
        for name, each in values.items():
            if len(each) > 1:
                column, table = self.columns.others[name], self.columns.table
                counts = [table.only({column: [one]}).n_records() for one in each]
                check_all_there(name, each, [count > 0 for count in counts])
        table = self.columns.table.only(own)
        if not table.n_records():
            raise Unsuited("no record is in the slice")
        # A slice may lack a class that other records have.
        asked = [one for one in self.conditions if one.where == where]
        return self._counted(table, asked, self._classes)

    def ready(self, condition: Condition, alpha: float) -> ReadyTest:
        """The test of a condition on all records."""
        return self._whole.ready(condition, alpha)

    @cached_property
    def _whole(self) -> PairSubject:
        own = [one for one in self.conditions if one.where is None]
        return self._counted(self.columns.table, own, self.labels)

    @cached_property
    def _classes(self) -> Any:
        look = EngineTally(self.columns, Asked(labels=True), self.labels)
        return look.classes()

    def _counted(
        self, table: Table, conditions: Sequence[Condition], labels: Any
    ) -> PairSubject:
        columns = self.columns.of_table(table)
        asked = partial(wanted, conditions, self.pos_label)
        pair = pair_on_engine(columns, asked, labels, self.pos_label)
        return TalliedSubject(pair, pos_label=self.pos_label)


def tallied_subject(
    tally: Tally, conditions: Sequence[Condition], pos_label: Any
) -> TalliedSubject:
    """The subject of a tally that holds what the conditions need."""
    pair = pair_of_tally(tally)
    own = [one for one in conditions if one.where is None]
    check_holds(tally, wanted(own, pos_label, pair))
    return TalliedSubject(pair, pos_label=pos_label)


def wanted(
    conditions: Sequence[Condition], pos_label: Any, pair: PairedPredictions
) -> Asked:
    """What is to be counted for conditions on the same records."""
    subject = PairSubject(pair, pos_label=pos_label)
    tests = []
    for condition in conditions:
        measure = condition.scored
        if measure is not None and measure.label and measure.wanted != {LABELS}:
            raise ValueError(
                f"{measure.subject} needs every record, and these are counted where they "
                "are. Pass a greater `collect` where they fit in memory."
            )
        try:
            engine, measure, entry = subject.chosen(condition, LEVEL)
        except Unsuited:
            # It is said of the counts, where it is judged.
            continue
        tests.append((entry, engine.evidence_options(entry, measure)))
    return asked_by_tests(tests, pair.alone, pos_label=pos_label)
