"""Subjects of a gate: predictions, scores or counts of two classifiers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from skcompare._analysis import (
    CountedSchema,
    PairEngine,
    PreparedTest,
    Selection,
    default_test,
    needs_records,
    pair_of_tally,
    predictions_required,
    requested_by,
)
from skcompare._core.design import Design
from skcompare._core.times import check_horizon
from skcompare._core.validation import as_array, check_same_length
from skcompare._io.columns import source_of
from skcompare._registry.metrics import FORECASTS, NUMBERS
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.comparators import (
    MEAN_SCORE,
    PairedComparator,
    check_collected,
    checked_names,
    collected_arrays,
    is_table,
    numbers_on_engine,
    pair_on_engine,
    prepared_scores,
    size_in_time,
    size_text,
)
from skcompare.evidence import (
    ContingencyTable,
    JointCounts,
    PairedLosses,
    Tally,
    TallyRequest,
)
from skcompare.gate._conditions import Condition, target_of, with_options
from skcompare.gate._training import Training
from skcompare.metrics import Measure
from skcompare.predictions import (
    DECISION,
    LABELS,
    ROLES,
    SCORES,
    ColumnRoles,
    ColumnValues,
    EngineColumns,
    ItemScores,
    PairedPredictions,
    Predictions,
    in_time,
    part_of,
    predictions_of_fitted,
)
from skcompare.stats.margins import is_of_means

AT_MARGIN = {"precision_both_scores": "precision_difference"}
"""Tests whose interval is not an inversion of them beyond equality, and the tests that
replace them where a condition has a margin."""


LEVEL = 0.05
"""Level of an engine whose rows have the limits of the condition, of another level."""


SHOWN_VALUES = 5


class Unsuited(ValueError):
    """Exception raised if records give no evidence for a condition, with the reason."""


@contextmanager
def refused_as_unsuited() -> Iterator[None]:
    """Raise any ValueError of the block as `Unsuited`."""
    try:
        yield
    except ValueError as error:
        raise Unsuited(str(error)) from error


def check_test(condition: Condition, entry: PairedTestEntry, design: Design) -> None:
    """Check that a test is valid for the design, and exact if that is requested."""
    if not entry.valid_for(design):
        raise Unsuited(f"{entry.name} is not valid for {design}")
    if condition.share is not None and not is_of_means(entry):
        raise Unsuited(
            f"a relative margin is of the mean losses of records, and the test of these is "
            f"{entry.name}: name the margin in units of the measure"
        )
    if condition.exact and entry.needs is not ContingencyTable:
        raise Unsuited(
            f"an exact test was requested, and these records have none: their test is "
            f"{entry.name}"
        )


@dataclass(frozen=True, eq=False)
class PairSubject:
    """Predictions of two classifiers, with the columns that define slices.

    Parameters
    ----------
    pair : PairedPredictions
        The predictions.
    columns : mapping of str to ndarray of shape (n_samples,)
        Columns by name.
    pos_label : label, optional
        The positive class of two.
    ids : ndarray of shape (n_samples,), optional
        Ids of the records, by which a ledger recognises them.
    unseen : str
        Text on the comparison of the records with those of the training.
    """

    pair: PairedPredictions
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    pos_label: Any = None
    engines: dict[str, PairEngine] = field(default_factory=dict, repr=False)
    ids: NDArray[Any] | None = field(default=None, repr=False)
    unseen: str = ""

    @property
    def data(self) -> Predictions:
        """The predictions, with their names, design, digest and flags."""
        return self.pair.predictions

    @property
    def n_records(self) -> int:
        """Number of records."""
        return self.data.n_records

    @property
    def size(self) -> str:
        """Description of records and groups, or an empty string for records alone."""
        groups = self.data.groups
        if self.data.time is not None:
            text = size_in_time(self.data)
            return f"{text}, {self.unseen}" if self.unseen else text
        if groups is None:
            return self.unseen and f"{self.n_records:,} records, {self.unseen}"
        n_groups = int(np.count_nonzero(np.bincount(groups)))
        text = grouped_text(self.n_records, n_groups)
        return f"{text}, {self.unseen}" if self.unseen else text

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of caveats about the data."""
        return self.data.flags

    @property
    def same_predictions(self) -> bool:
        """Whether both classifiers predict the same labels and scores for every record."""
        compared = []
        for name in (LABELS, "proba", DECISION, *FORECASTS):
            champion, challenger = (getattr(role, name) for role in self.pair.roles)
            if champion is not None or challenger is not None:
                # One that is None is equal to no array.
                compared.append(np.array_equal(champion, challenger))
        return bool(compared) and all(compared)

    def part(self, where: Mapping[str, Any]) -> "PairSubject":
        """Return the subject restricted to a slice."""
        keep = in_slice(self.columns, where, self.n_records, "record")
        columns = {name: column[keep] for name, column in self.columns.items()}
        return PairSubject(part_of(self.pair, keep), columns, self.pos_label)

    def ready(self, condition: Condition) -> PreparedTest:
        """Return the test of a condition."""
        tests = None
        if condition.test_name is not None:
            tests = {condition.test_name: dict(condition.options)}
        if repr(tests) not in self.engines:
            self.engines[repr(tests)] = PairEngine(
                self.pair, tests, "greater", LEVEL, self.pos_label
            )
        engine, measure, entry = chosen_test(condition, self.engines[repr(tests)])
        with refused_as_unsuited():
            test = engine.prepared(entry, measure, measure.name)
        return with_options(test, condition)


def checked_measure(condition: Condition, selection: Selection) -> Measure:
    """Return the measure of a condition, which must suit classes and predictions."""
    measure, predictions = condition.scored, selection.predictions
    if measure is None:
        raise ValueError(
            f"{condition.measure!r} is a measure of items that come scored, and these "
            "are predictions for records. Choose a measure of `skcompare list-metrics`."
        )
    measure.check_classes(predictions.classes)
    if measure.is_numeric and len(predictions.classes):
        raise ValueError(
            f"{measure.subject!r} is a measure of numbers, and the predictions are of "
            "classes. Choose a measure of classes, such as 'accuracy'."
        )
    for role in predictions.estimators:
        has = {LABELS: role.has_labels, SCORES: role.has_proba or role.has_decision}
        missing = [name for name in has if name in measure.required and not has[name]]
        if missing:
            kind = {LABELS: "labels", SCORES: "probabilities"}[missing[0]]
            raise ValueError(
                f"{measure.subject} needs {kind}, and {role.name} gives none. Pass "
                "them, or choose another measure. A comparator collects what its "
                "`scoring` needs."
            )
    name = str(measure.metric)
    is_average = name == "balanced_accuracy" or name.endswith(("_macro", "_weighted"))
    if is_average and np.count_nonzero(predictions.class_counts()) < 2:
        raise Unsuited(
            f"all records are of one class, and {measure.subject} is an average over "
            "classes"
        )
    return measure


def chosen_test(
    condition: Condition, selection: Selection
) -> tuple[Any, Measure, PairedTestEntry]:
    """Return the selection for the classes of a condition, its measure, and its test.

    The test must be valid, and suit the predictions.
    """
    measure = checked_measure(condition, selection)
    selection = selection.about(measure)
    design = selection.predictions.design
    if condition.test_name is None:
        entry = selection.fitting_test(measure)
        if entry is not None and condition.margin and entry.name in AT_MARGIN:
            replacement = get_test(AT_MARGIN[entry.name])
            entry = replacement if replacement.valid_for(design) else entry
    else:
        entry = get_test(condition.test_name)
    if entry is None:
        default = default_test(measure, design)
        raise Unsuited(selection.why_untested(default, measure, measure.name))
    check_test(condition, entry, design)
    why = selection.why_unsuited(entry, measure)
    if why:
        raise Unsuited(why)
    return selection, measure, entry


def grouped_text(n_records: int, n_groups: int) -> str:
    """Format the numbers of records and of groups."""
    return f"{n_records:,} records, in {n_groups:,} group{'s' * (n_groups != 1)}"


def in_slice(
    columns: Mapping[str, NDArray[Any]], where: Mapping[str, Any], n_records: int, unit: str
) -> NDArray[np.bool_]:
    """Mask of the records, or items, that have the values of a slice, at least of one."""
    keep, reason = np.ones(n_records, dtype=bool), ""
    for name, value in where.items():
        if name not in columns:
            names = ", ".join(columns) or "none"
            raise ValueError(
                f"A slice needs column {name!r}. Got columns: {names}. Pass it, or leave "
                "the slice out."
            )
        values = value if isinstance(value, list) else [value]
        matches = [_equal(columns[name], element) for element in values]
        if len(values) > 1:
            check_all_there(name, values, [bool(match.any()) for match in matches])
        matching = np.logical_or.reduce(matches)
        if not reason and not matching.any():
            reason = f": {name} has {_values_text(columns[name])}"
        keep &= matching
    if not keep.any():
        raise Unsuited(f"no {unit} is in the slice{reason}")
    return keep


def check_all_there(name: str, required: Sequence[Any], are_there: Sequence[bool]) -> None:
    """Raise an error if only some of the values of a slice occur."""
    missing = [value for value, is_there in zip(required, are_there) if not is_there]
    if missing and any(are_there):
        raise ValueError(
            f"No record has {', '.join(map(repr, missing[:SHOWN_VALUES]))} in column "
            f"{name!r}, of the values that `where` names. Correct them, or leave them out."
        )


def _values_text(column: NDArray[Any]) -> str:
    """Format the first values of a column."""
    present = np.unique(column.astype(str) if column.dtype.kind == "O" else column)
    more = ", ..." if len(present) > SHOWN_VALUES else ""
    return f"{', '.join(map(str, present[:SHOWN_VALUES]))}{more}"


def _equal(column: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    """Mask of the entries equal to a value, compared as text in columns of text."""
    if column.dtype.kind in "OUS":
        texts = column.astype(str)
        are_equal: NDArray[np.bool_] = texts == str(value)
        return are_equal
    if isinstance(value, str) or isinstance(value, bool) != (column.dtype.kind == "b"):
        return np.zeros(len(column), dtype=bool)
    are_equal = column == value
    return are_equal


def fitted_subject(
    conditions: Sequence[Condition],
    roles: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any,
    pos_label: Any,
    columns: Mapping[str, Any] | None,
    time: Any = None,
    horizon: int = 1,
) -> PairSubject:
    """Collect the predictions of fitted classifiers that the conditions need."""
    measures = [leaf.scored for leaf in conditions if leaf.scored is not None]
    target = target_of(conditions)
    is_numeric = target == NUMBERS
    if is_numeric and pos_label is not None:
        raise ValueError(
            f"`pos_label` is about classes, and the conditions are of numbers. Got "
            f"{pos_label!r}. Leave it out."
        )
    tests: Any = {leaf.test_name: {} for leaf in conditions if leaf.test_name is not None}
    predictions = predictions_of_fitted(
        roles,
        X,
        y,
        required=predictions_required(measures, tests or None),
        groups=groups,
        why=f"A gate judges trained {'regressors' if is_numeric else 'classifiers'}.",
    )
    horizon = check_horizon(horizon, time)
    if time is not None:
        predictions = in_time(predictions, time, horizon)
    subject = PairSubject(predictions.pair(*roles), pos_label=pos_label)
    return _with_columns(subject, columns or {})


TIMES = 10
"""Ratio of largest scores from which their scales are taken to differ."""


def check_scale(scores: ItemScores) -> None:
    """Raise an error if the scores of the two systems seem to be on different scales.

    Only the least and the greatest possible score could tell.
    """
    if scores.bounds is not None:
        return
    both = scores.champion, scores.challenger
    largest = [float(np.abs(array).max()) for array in both]
    are_shares = [bool(((array >= 0) & (array <= 1)).all()) for array in both]
    is_unlike = max(largest) >= TIMES * min(largest) and min(largest) > 0
    if is_unlike or are_shares[0] != are_shares[1]:
        name, other = scores.names
        raise ValueError(
            "Scores must be on one scale. Got scores of a size of up to "
            f"{largest[0]:g} for {name} and {largest[1]:g} for {other}. Pass `bounds`, the "
            "least and the greatest score that there can be, if they are right."
        )


@dataclass(frozen=True, eq=False)
class ItemSubject:
    """Scores of two systems on the same items.

    Parameters
    ----------
    data : ItemScores
        The scores, with the columns that define slices.
    unseen : str
        Text on the comparison of the items with those of the training.
    """

    data: ItemScores
    unseen: str = ""

    flags: ClassVar[tuple[str, ...]] = ()
    """Codes of caveats about the data, of which items have none."""

    def __post_init__(self) -> None:
        if not self.data.greater_is_better:
            raise ValueError(
                f"{MEAN_SCORE!r} of a gate is a score, where greater is better. Got "
                "losses. Negate them, or pass predictions with a measure such as "
                "'neg_mean_absolute_error'."
            )
        check_scale(self.data)

    @property
    def n_records(self) -> int:
        """Number of items."""
        return self.data.n

    @property
    def size(self) -> str:
        """Description of the items, their attempts and their groups."""
        text = size_text(self.data)
        return f"{text}, {self.unseen}" if self.unseen else text

    @property
    def same_predictions(self) -> bool:
        """Whether both systems have the same score on every item."""
        return np.array_equal(self.data.champion, self.data.challenger)

    def part(self, where: Mapping[str, Any]) -> "ItemSubject":
        """Return the subject restricted to a slice."""
        keep = in_slice(self.data.columns, where, self.n_records, "item")
        return ItemSubject(self.data.subset(keep))

    def ready(self, condition: Condition) -> PreparedTest:
        """Return the test of a condition."""
        if condition.scored is not None:
            raise ValueError(
                f"{condition.measure!r} is a measure of predictions for records, and these "
                f"are items that come scored. Choose {MEAN_SCORE!r}, the mean of the "
                "scores."
            )
        counted = condition.anytime and self.data.right_or_wrong
        name = "anytime_mcnemar" if counted else condition.test_name
        with refused_as_unsuited():
            test = prepared_scores(self.data, name, condition.options)
        check_test(condition, test.entry, self.data.design)
        return with_options(test, condition)


@dataclass(frozen=True, eq=False)
class TalliedSubject(PairSubject):
    """Predictions of which only counts and sums are known.

    What a :class:`PairSubject` computes from records is computed from the counts here.

    Parameters
    ----------
    source : EngineColumns, optional
        The columns on a query engine, which counts each slice.
    conditions : sequence of Condition
        All conditions of the gate, which determine what is counted.
    """

    source: EngineColumns | None = None
    conditions: Sequence[Condition] = ()

    @classmethod
    def counted(
        cls,
        source: EngineColumns,
        conditions: Sequence[Condition],
        labels: Any,
        pos_label: Any,
        where: Mapping[str, Any] | None = None,
    ) -> "TalliedSubject":
        """Count the records of a table, which are all records or those of a slice."""
        own = [condition for condition in conditions if condition.where == where]
        needed = partial(required, own, pos_label)
        if target_of(conditions) == NUMBERS:
            pair = numbers_on_engine(source, needed)
        else:
            pair = pair_on_engine(source, needed, labels, pos_label)
        return cls(pair, pos_label=pos_label, source=source, conditions=conditions)

    @property
    def size(self) -> str:
        """Description of records and groups, or an empty string without groups."""
        groups = self.data.tally.groups
        return "" if groups is None else grouped_text(self.n_records, len(groups))

    @property
    def same_predictions(self) -> bool:
        """Whether both predict the same labels, with equal losses if known."""
        tally: Tally = self.data.tally
        if self.data.is_numeric:
            # Without the numbers, those whose losses are equal in all records.
            named = (PairedLosses.from_tally(tally, loss=n) for n in tally.plan.losses)
            return all(own.moments.extremes == (0, 0) for own in named)
        cells = JointCounts.from_tally(tally).cells
        same = np.array_equal(cells[:, 1], cells[:, 2])
        for loss in tally.plan.losses:
            losses = PairedLosses.from_tally(tally, loss=loss)
            same = same and losses.moments.gain_squares == 0
        scored = any(role.has_proba for role in self.pair.roles)
        return same and (not scored or bool(tally.plan.losses))

    def part(self, where: Mapping[str, Any]) -> PairSubject:
        """Count the records of a slice, or raise an error if there are counts alone."""
        if self.source is None:
            raise ValueError(
                f"A slice ({', '.join(where)}) is taken of records, and these were "
                "counted. Count those of the slice, or pass the frame."
            )
        table, others = self.source.table, self.source.others
        filters = {
            others[name]: value if isinstance(value, list) else [value]
            for name, value in where.items()
        }
        for (column, values), name in zip(filters.items(), where):
            if len(values) > 1:
                counts = [table.only({column: [value]}).n_records() for value in values]
                check_all_there(name, values, [count > 0 for count in counts])
        table = table.only(filters)
        if not table.n_records():
            raise Unsuited("no record is in the slice")
        # A slice may lack a class that other records have.
        source, classes = replace(self.source, table=table), self.data.classes
        return self.counted(source, self.conditions, classes, self.pos_label, where)


Subject = PairSubject | ItemSubject
"""Data that a gate judges."""


def required(
    conditions: Sequence[Condition], pos_label: Any, schema: CountedSchema
) -> TallyRequest:
    """Return the request of counts that conditions on the same records need."""
    tests = []
    for condition in conditions:
        measure, name = condition.scored, condition.test_name
        if measure is not None and measure.label and measure.required != {LABELS}:
            raise needs_records(measure)
        named = None if name is None else {name: dict(condition.options)}
        selection = Selection(schema, named, "greater", pos_label)
        try:
            selection, measure, entry = chosen_test(condition, selection)
        except Unsuited:
            # Reported when the counts are judged.
            continue
        tests.append((entry, selection.evidence_options(entry, measure)))
    return requested_by(Selection(schema, None, "greater", pos_label), tests=tests)


class Inputs(NamedTuple):
    """Values that a gate takes beside the data, see :meth:`Gate.decide`."""

    predictions: Mapping[str, Any] | None
    y_true: Any
    id: str | None
    groups: Any
    labels: Any
    columns: Mapping[str, Any] | None
    train: Any
    time: Any = None
    horizon: int = 1


def subject_of(
    data: Any,
    inputs: Inputs,
    conditions: Sequence[Condition],
    *,
    pos_label: Any,
    collect: int,
    features: Sequence[str],
    keep_ids: bool,
) -> Subject:
    """Create the subject of a gate from data of any supported kind.

    `conditions` are all conditions of the gate; `keep_ids` is for a ledger, which needs
    the ids of all records.
    """
    features = _checked_features(features, inputs.train)
    if isinstance(data, PairedComparator | ItemScores | Tally):
        check_alone(data, inputs._replace(horizon=None)._asdict())  # type: ignore[arg-type]
    if isinstance(data, ItemScores):
        return ItemSubject(data)
    if isinstance(data, PairedComparator):
        check_is_fitted(data)
        pair = data.predictions_.pair("champion", "challenger")
        return PairSubject(pair, pos_label=data.pos_label)
    target = target_of(conditions)
    if isinstance(data, Tally):
        unsliced = [condition for condition in conditions if condition.where is None]
        pair = pair_of_tally(data, partial(required, unsliced, pos_label))
        return TalliedSubject(pair, pos_label=pos_label)
    named, y_true, id, groups, labels, columns, train, time, horizon = inputs
    predictions = checked_names(named)
    if len(predictions) != 2:
        raise ValueError(
            f"A gate compares two, the champion first. Got {len(predictions)} predictions."
        )
    slice_columns = dict(columns or {})
    if is_table(data, predictions) and y_true is not None:
        names = dict.fromkeys(n for condition in conditions for n in condition.where or ())
        others = {name: name for name in names if name not in slice_columns}
        training = None
        if train is not None:
            training = Training(source_of(train, "`train`"), id, None, features)
        order = {"time": time, "horizon": horizon}
        roles = ColumnRoles(data, y_true, predictions, id, groups, others, **order)
        check_slices(roles)
        columns_there = None if slice_columns else roles.on_engine()
        if columns_there is not None and time is not None:
            check_collected(columns_there, collect)
        if columns_there is not None and columns_there.table.n_records() > collect:
            if training is not None:
                raise ValueError(
                    "Records are held against the training data one by one, which are "
                    "counted on the engine. Pass a greater `collect`, or leave `train` "
                    "out."
                )
            return TalliedSubject.counted(columns_there, conditions, labels, pos_label)
        subject = subject_of_roles(
            roles,
            labels,
            lambda values: pos_label,
            training,
            keep_ids=keep_ids,
            target=target,
        )
    else:
        subject = _subject_of_arrays(data, inputs, target, pos_label)
    return _with_columns(subject, slice_columns)


def _subject_of_arrays(
    data: Any, inputs: Inputs, target: str, pos_label: Any
) -> PairSubject:
    """Create the subject of a gate from arrays of predictions."""
    named, y_true, id, groups, labels, _, train, time, horizon = inputs
    if train is not None:
        raise ValueError(
            "Training records are recognised by columns of a frame or a file. Got arrays "
            "of predictions. Pass a frame with `id` or `features`, or leave `train` out."
        )
    options = {"labels": labels, "pos_label": pos_label, "groups": groups}
    options |= {"time": time, "horizon": horizon}
    predictions = checked_names(named)
    collected = collected_arrays(data, predictions, y_true, id, target=target, **options)
    if collected.y is None:
        raise ValueError(
            "A gate needs true labels: without them it is unknown which classifier is "
            "better. Pass `y_true`."
        )
    return PairSubject(collected.pair(*predictions), pos_label=pos_label)


def _with_columns(subject: PairSubject, columns: Mapping[str, Any]) -> PairSubject:
    """Add columns that define slices."""
    arrays = {name: as_array(column) for name, column in columns.items()}
    check_same_length({"y_true": subject.pair.predictions.y}, arrays)
    return replace(subject, columns={**subject.columns, **arrays})


def check_slices(roles: ColumnRoles) -> None:
    """Raise an error if slices, groups or times are predictions of a classifier."""
    groups = [name for name in (roles.groups, roles.time) if isinstance(name, str)]
    places = replace(roles, y_true=None, groups=None, time=None, horizon=1).places()
    for role, prediction in zip(ROLES, roles.predictions):
        own = [name for p in places if p.name == prediction for name in p.columns]
        for name in (*roles.others, *groups):
            if name in own or (name.endswith("]") and name.rpartition("[")[0] in own):
                raise ValueError(
                    f"Column {name!r} has the {role}'s predictions, and records are not "
                    "sliced or grouped by predictions, because each classifier would "
                    "choose the records on which it is evaluated. Name a column that is "
                    "known beforehand."
                )


def subject_of_roles(
    roles: ColumnRoles,
    labels: Any,
    positive: Callable[[ColumnValues], Any],
    training: Training | None,
    *,
    keep_ids: bool,
    target: str,
    text: str = "the records to evaluate",
) -> PairSubject:
    """Read the records into memory, and check them against the training data.

    Slices are defined by `roles.others`; the records are called `text` in messages.
    `positive` returns the positive label of the values that were read, or raises an error
    if they are not what they should be.
    """
    needed = [] if training is None else training.needed
    kept = [roles.id] if keep_ids and roles.id is not None else []
    extra = [*needed, *kept]
    values = replace(roles, others=dict(zip(extra, extra)) | dict(roles.others)).read()
    pos_label = positive(values)
    predictions = values.collected(labels, pos_label, target)
    return PairSubject(
        predictions.pair(*roles.predictions),
        {name: values.others[name] for name in roles.others},
        pos_label,
        ids=values.others[kept[0]] if kept else None,
        unseen="" if training is None else training.check(values.others, text),
    )


def _checked_features(features: Any, train: Any) -> tuple[str, ...]:
    """Check the columns by which training records are recognised."""
    if isinstance(features, str):
        raise TypeError(
            f"`features` must be a sequence of names of columns. Got {features!r}. Pass "
            f"[{features!r}]."
        )
    names = tuple(features)
    if names and train is None:
        raise ValueError(
            "`features` are columns by which records of the training data are recognised, "
            f"and no training data is given. Got features={list(names)!r}. Pass `train`, "
            "or leave `features` out."
        )
    return names


def check_alone(data: Any, arguments: Mapping[str, Any]) -> None:
    """Raise an error if an argument is passed that the data already hold."""
    names = [name for name, value in arguments.items() if value is not None]
    if names:
        raise ValueError(
            f"{type(data).__name__} has all predictions in it. Got {', '.join(names)} as "
            "well. Pass it alone."
        )
