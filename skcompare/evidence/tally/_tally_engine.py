"""One group-by: what an engine is asked, and what its answer says."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, and_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.labels import check_groups, check_labels, class_codes, encode_labels
from skcompare._core.score_bins import Levels
from skcompare._core.validation import PROBABILITY_TOLERANCE, positive_class, some_of
from skcompare._io.engine import Program, Table
from skcompare._typing import ArrayLike, IntArray
from skcompare.evidence.tally._tally import Cells, Tally, TallyPlan, decoded, merged
from skcompare.evidence.tally._tally_expressions import (
    Derived,
    Given,
    class_code,
    derived,
    parts_of,
)
from skcompare.evidence.tally._tally_request import Asked
from skcompare.predictions import EngineColumns

LARGEST = float(np.finfo(np.float64).max)

BUCKETS = 1 << 16
"""Parts of the range of scores that are counted to see how they lie."""

SAMPLE = 20_000
"""Values that stand for all when levels are fitted to them."""


def finite_score(score: Any, is_proba: bool) -> Any:
    """The condition that a score can be ranked; a missing value or NaN cannot."""
    if is_proba:
        return (score >= 0.0) & (score <= 1.0)
    return (score >= -LARGEST) & (score <= LARGEST)


def chosen_levels(table: Table, name: str, n_levels: int, is_proba: bool) -> Levels:
    """Levels of a column of scores.

    The scores themselves where all of them have at most `n_levels` values, else uniform
    levels where these suit the first records, else levels fitted to all.

    Parameters
    ----------
    table : Table
        The frame.
    name : str
        The column.
    n_levels : int
        Number of levels.
    is_proba : bool
        Whether scores are probabilities.
    """
    head = table.head([name])[name].astype(np.float64)
    low, high = (0.0, 1.0) if is_proba else (-LARGEST, LARGEST)
    head = head[(head >= low) & (head <= high)]
    plain = Levels.uniform(n_levels)
    # Without any good value the count of all says what is wrong.
    first = Levels.choose(head, n_levels) if len(head) else plain
    if len(np.unique(head)) <= n_levels and table.few_values(name, n_levels) is not None:
        return Levels.distinct()
    if is_proba and first == plain:
        return plain
    # The first records may be no fair sample: a file may be sorted.
    counts, least, greatest = _spans(table, name, is_proba)
    if not len(counts):
        return plain
    if len(counts) <= n_levels and np.array_equal(least, greatest):
        return Levels.distinct()
    sample = _spread(counts, least, greatest)
    levels = Levels.choose(sample, n_levels)
    return Levels.fitted(sample, n_levels) if levels.is_distinct else levels


def _spans(table: Table, name: str, is_proba: bool) -> tuple[NDArray[Any], ...]:
    """Records, least and greatest score of equal parts of the range."""
    program = table.program({name: (name, "fraction")})
    score = program.column(name)
    good = finite_score(score, is_proba)
    low, high = 0.0, 1.0
    if not is_proba:
        low, high = table.range(program, program.where(good, score, 0.0))
    # Halves, so that the distance of the greatest numbers is finite.
    width = high / 2 - low / 2
    scale = BUCKETS / 2 / width if width > 0 else 0.0
    scale = scale if np.isfinite(scale) else 0.0
    (clean,) = program.let(program.where(good, score, low))
    part = program.whole(program.floor((clean / 2.0 - low / 2.0) * (2.0 * scale)))
    key = program.where(good, part, -1)
    keys, counts, least, greatest = table.spans(program, key, clean)
    order = np.argsort(keys)
    order = order[keys[order] >= 0]
    return counts[order], least[order], greatest[order]


def _spread(
    counts: NDArray[Any], least: NDArray[Any], greatest: NDArray[Any]
) -> NDArray[np.float64]:
    """A sample with about as many values in each part as there are."""
    shares = np.ceil(counts * (SAMPLE / counts.sum())).astype(np.int64)
    position = np.arange(shares.sum()) - np.repeat(np.cumsum(shares) - shares, shares)
    steps = np.repeat(np.maximum(shares - 1, 1), shares)
    along = position / steps
    low, high = np.repeat(least, shares), np.repeat(greatest, shares)
    spread: NDArray[np.float64] = low * (1 - along) + high * along
    return spread


LABELS, PROBA, SCORES = "labels", "probabilities", "scores"
"""What the columns of a classifier are."""

GROUP = "the group"
"""What the program calls the column of groups."""

MOST_CELLS = float(1 << 53)
"""Whole numbers up to it are exact in floating point."""

MOST_CODES = 200
"""Classes that are no whole numbers in a row and are still told apart by an engine."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Records that must not be there: the condition of good ones, and what is expected."""

    good: Any
    name: str
    expected: str


class Query:
    """Keys and sums of a plan as columns of an engine, and the cells that come back.

    Parameters
    ----------
    columns : EngineColumns
        Which columns are what.
    kinds : mapping of str to {"labels", "probabilities", "scores"}
        What the columns of each classifier are.
    plan : TallyPlan
        What is counted.
    """

    def __init__(
        self, columns: EngineColumns, kinds: Mapping[str, str], plan: TallyPlan
    ) -> None:
        self.columns = columns
        self.kinds = kinds
        self.plan = plan
        self._faults: list[Fault] = []
        table = columns.table
        label_like = [columns.y_true, *self._columns_of(LABELS), *columns.labels.values()]
        used = {name: (name, table.kind(name)) for name in label_like if name is not None}
        numbers = [*self._columns_of(PROBA), *self._columns_of(SCORES)]
        used |= {f"{name}, a number": (name, "fraction") for name in numbers}
        if columns.groups is not None:
            group = columns.groups
            used[GROUP] = (group, table.kind(group))
        self._program: Program = table.program(used)

    def run(self) -> tuple[tuple[Cells, ...], NDArray[Any] | None]:
        """The tables of cells, and the labels of groups."""
        program, table = self._program, self.columns.table
        truth = self.columns.y_true or ""
        y = self._codes(truth)
        answers = [self._given(name) for name in self.columns.answers]
        parts = parts_of(self.plan, derived(program, self.plan, y, answers))
        for part in parts:
            self._check_size(part.sizes)
        group = self.columns.groups
        own = [] if group is None else [program.column(GROUP)]
        known = [] if group is None else [self.columns.known_as[group]]
        found = [
            table.grouped(
                program,
                [self._key(part), *part.raw.values(), *own],
                list(part.sums.values()),
                ["its key", *part.raw, *known],
            )
            for part in parts
        ]
        self._check_faults(found[0].keys[0], found[0].counts)
        labels, cells = None, []
        for part, groups in zip(parts, found, strict=True):
            columns = decoded(groups.keys[0].astype(np.int64), part.sizes)
            columns |= dict(zip(part.raw, groups.keys[1:]))
            if group is not None:
                labels, columns["group"] = np.unique(
                    check_groups(groups.keys[-1]), return_inverse=True
                )
            sums = dict(zip(part.sums, groups.sums, strict=True))
            whole = Cells(columns, groups.counts, sums)
            cells.append(merged([whole], list(columns), list(sums)))
        return tuple(cells), labels

    def _key(self, part: Derived) -> Any:
        """One number for all digits; a negative one for records that must not be there."""
        program = self._program
        key: Any = None
        for code, size in part.digits.values():
            key = code if key is None else key * float(size) + code
        for number, fault in reversed([*enumerate(self._faults, start=1)]):
            key = program.where(fault.good, key, -float(number))
        return program.whole(key)

    def _columns_of(self, kind: str) -> list[str]:
        own = (name for name, found in self.kinds.items() if found == kind)
        return [column for name in own for column in self.columns.answers[name]]

    def _codes(self, column: str) -> Any:
        """Positions of labels among the classes; others are faults."""
        program, kind = self._program, self.columns.table.kind(column)
        label = program.column(column)
        classes = self.plan.classes
        good, code = class_code(program, label, classes, kind)
        self._add(good, column, f"one of the classes {some_of(classes)} in each record")
        return program.let(code)[0]

    def _given(self, name: str) -> Given:
        own, kind = self.columns.answers[name], self.kinds[name]
        if kind == LABELS:
            return Given(label=self._codes(own[0]))
        program = self._program
        values = [program.column(f"{column}, a number") for column in own]
        if kind == SCORES:
            (value,) = values
            good = finite_score(value, False)
            self._add(good, own[0], "a finite score in each record")
            return Given(score=program.let(program.where(good, value, 0.0))[0])
        beside = self.columns.labels.get(name)
        return Given(
            label=None if beside is None else self._codes(beside),
            proba=self._probabilities(own, values),
        )

    def _probabilities(self, own: tuple[str, ...], values: list[Any]) -> list[Any]:
        """Probabilities, a column a class; 1 in place of others, which are faults."""
        program = self._program
        each = [finite_score(value, True) for value in values]
        for column, good in zip(own, each, strict=True):
            self._add(good, column, "a probability in [0, 1] in each record")
        good = reduce(and_, each)
        clean = program.let(*(program.where(good, value, 1.0) for value in values))
        if len(clean) == 1:
            (value,) = clean
            (other,) = program.let(1.0 - value)
            return [value, other] if self.plan.ranked == 0 else [other, value]
        tolerance = PROBABILITY_TOLERANCE * max(1.0, len(clean) / 2)
        (total,) = program.let(reduce(add, clean) - 1.0)
        near = (total <= tolerance) & (total >= -tolerance)
        self._add(near, own[0], "with the columns of the other classes a sum of 1")
        return list(clean)

    def _add(self, good: Any, column: str, expected: str) -> None:
        name = self.columns.known_as[column]
        self._faults.append(Fault(good, name, expected))

    def _check_size(self, sizes: Mapping[str, int]) -> None:
        if np.prod([float(size) for size in sizes.values()]) > MOST_CELLS:
            raise ValueError(
                f"There are too many cells to number: {dict(sizes)}. Ask for fewer bins or "
                "levels, or for labels in a tally of their own."
            )
        classes = self.plan.classes
        apart = len(classes) > MOST_CODES
        if apart and classes.tolist() != [*range(classes[0], classes[-1] + 1)]:
            raise ValueError(
                f"Engines tell at most {MOST_CODES} classes apart unless they are whole "
                f"numbers in a row. Got {len(classes)}. Replace them by such numbers."
            )

    def _check_faults(self, key: IntArray, counts: IntArray) -> None:
        """Refuse all records if some must not be there."""
        n = int(counts.sum())
        found = []
        for number, fault in enumerate(self._faults, start=1):
            bad = int(counts[key == -number].sum())
            if bad:
                found.append(
                    f"Column {fault.name!r} must hold {fault.expected}. Got {bad:,} of "
                    f"{n:,} records with a missing or another value."
                )
        if found:
            raise ValueError(
                f"{' '.join(found)} Find them in {self.columns.table.words}, and drop or "
                "repair them."
            )


class EngineTally:
    """The tally of a table on an engine.

    Parameters
    ----------
    columns : EngineColumns
        Which columns are what.
    asked : Asked
        What is needed.
    labels : array-like of shape (n_classes,) or None
        All class labels, where they are known.
    kind : {"labels", "scores"}, optional
        What all columns are, where it is known: labels, or scores of any range that are
        greater for the positive class. By default labels and probabilities are told apart
        as those in arrays.
    """

    def __init__(
        self,
        columns: EngineColumns,
        asked: Asked,
        labels: ArrayLike | None = None,
        *,
        kind: str | None = None,
    ) -> None:
        self.columns = columns
        self.table = columns.table
        self.asked = asked
        self.labels = None if labels is None else np.unique(check_labels("labels", labels))
        self.names = tuple(columns.answers)
        self._known = kind
        self._kinds = {name: self._kind_of(name) for name in self.names}

    @property
    def kinds(self) -> dict[str, str]:
        """What the columns of each classifier are."""
        return dict(self._kinds)

    def asking(self, asked: Asked, labels: ArrayLike | None) -> "EngineTally":
        """The same for something else that is needed, with all class labels."""
        other = copy(self)
        other.asked = asked
        other.labels = None if labels is None else np.unique(check_labels("labels", labels))
        return other

    def classes(self) -> NDArray[Any]:
        """All classes: those that were named, or those that occur."""
        return self._classes() if self.labels is None else self.labels

    def tally(self) -> Tally:
        """The tally, by one group-by after small looks."""
        self._check_kinds()
        if all(kind == LABELS for kind in self._kinds.values()):
            return self._of_labels()
        classes = self.classes()
        self._check_columns(classes)
        grouped = self.columns.groups is not None
        plan = self.asked.plan(classes, None, grouped)
        if self._known == SCORES:
            label = positive_class(classes, self.asked.pos_label)
            plan = replace(plan, ranked=int(np.flatnonzero(classes == label)[0]))
        if self.asked.ranking:
            plan = replace(plan, levels=self._levels(classes, plan.ranked))
        tables, groups = Query(self.columns, self._kinds, plan).run()
        return Tally(plan, tables, groups, self.names)

    def _said(self, name: str) -> str:
        """What messages call a column."""
        return f"Column {self.columns.known_as[name]!r} of {self.table.words}"

    # What the columns are ---------------------------------------------------------------

    def _kind_of(self, name: str) -> str:
        own = self.columns.answers[name]
        if self._known == SCORES or name in self.columns.proba:
            for column in own:
                if self.table.kind(column) not in ("whole", "fraction", "boolean"):
                    raise ValueError(
                        f"{self._said(column)} must hold numbers, as it is of scores or "
                        f"probabilities. Got {self.table.kind(column)}."
                    )
            return SCORES if self._known == SCORES else PROBA
        (column,) = own
        kind = self.table.kind(column)
        if kind == "date":
            raise ValueError(f"{self._said(column)} must hold labels. Got dates.")
        truth = self.columns.y_true
        if kind != "fraction" or self._known == LABELS:
            return LABELS
        if truth is not None and self.table.kind(truth) == "text":
            return PROBA
        return PROBA if self._has_fractions(column) else LABELS

    def _has_fractions(self, column: str) -> bool:
        """Whether numbers are probabilities and no labels, as for arrays."""
        head = self.table.head([column])[column]
        if (head != np.trunc(head)).any():
            return True
        program = self.table.program({column: (column, "fraction")})
        value = program.column(column)
        unlike = program.floor(value) == value
        key = program.where(unlike, 1, program.where((value < 0.0) | (value > 0.0), 0, 1))
        (whole,), _, _ = self.table.grouped(program, [key], [], [column])
        if 0 in whole:
            return True
        (values,), _ = self.table.counted([column])
        if not np.isin(values, (0, 1)).all():
            return False
        known = self.labels
        if known is None:
            (known,), _ = self.table.counted([self.columns.y_true or column])
        # Zeros and ones beside other labels can only be probabilities.
        return not np.isin(values, known).all()

    def _check_kinds(self) -> None:
        wanting = [name for name, kind in self._kinds.items() if kind == LABELS]
        if wanting and (self.asked.needs_proba or self.asked.ranking):
            raise ValueError(
                f"{wanting[0]} has no probabilities, and losses, calibration and ranking "
                "are made of them. Name columns of probabilities, or ask for labels only."
            )

    def _check_columns(self, classes: NDArray[Any]) -> None:
        """Refuse columns of probabilities that do not go with the classes."""
        for name, kind in self._kinds.items():
            n = len(self.columns.answers[name])
            if kind == PROBA and n > 1 and n != len(classes):
                raise ValueError(
                    f"`{name}` has probabilities of {n} classes, but the labels have "
                    f"{len(classes)}: {classes.tolist()[:10]}. Pass all class labels as "
                    "`labels`."
                )
            if kind == PROBA and n == 1 and len(classes) != 2:
                raise ValueError(
                    f"`{name}` has one column of probabilities, which needs two classes. "
                    f"Got {len(classes)}. Pass a column a class, or all class labels as "
                    "`labels`."
                )
            unnamed = self.asked.pos_label is None and classes.dtype.kind in "US"
            if kind == PROBA and n == 1 and unnamed:
                raise ValueError(
                    f"`{name}` has probabilities of one of {classes.tolist()}. Say of "
                    "which: pass `pos_label`."
                )

    # Looks ------------------------------------------------------------------------------

    def _label_columns(self) -> dict[str, str]:
        """Columns of labels by what messages call them."""
        named = {"y_true": self.columns.y_true}
        for name, kind in self._kinds.items():
            if kind == LABELS:
                named[name] = self.columns.answers[name][0]
            elif name in self.columns.labels:
                named[f"labels of {name}"] = self.columns.labels[name]
        return {name: column for name, column in named.items() if column is not None}

    def _check_head(self, named: dict[str, str]) -> None:
        """Refuse what is no labels before an engine counts millions of values of it."""
        fractions = {n: c for n, c in named.items() if self.table.kind(c) == "fraction"}
        for name, column in fractions.items():
            check_labels(name, self.table.head([column])[column])

    def _classes(self) -> NDArray[Any]:
        """All labels that occur."""
        named = self._label_columns()
        self._check_head(named)
        values, _ = self._counts(list(named.values()))
        found = {
            name: np.unique(check_labels(name, value))
            for name, value in zip(named, values, strict=True)
        }
        return encode_labels(found.pop("y_true"), found, closed=True)[0]

    def _counts(self, columns: Sequence[str]) -> tuple[list[NDArray[Any]], IntArray]:
        program = self.table.program(
            {name: (name, self.table.kind(name)) for name in columns}
        )
        said = [self.columns.known_as[name] for name in columns]
        keys = [program.column(name) for name in columns]
        values, counts, _ = self.table.grouped(program, keys, [], said)
        return values, counts

    def _of_labels(self) -> Tally:
        """The tally of labels only: one group-by of the columns as they are."""
        named = self._label_columns()
        self._check_head(named)
        columns = list(named.values())
        if self.columns.groups is not None:
            columns.append(self.columns.groups)
        values, counts = self._counts(columns)
        labels = {
            name: check_labels(name, value)
            for name, value in zip(named, values, strict=False)
        }
        truth = labels.pop("y_true")
        classes, codes = encode_labels(truth, labels, closed=self.labels is None)
        if self.labels is not None:
            classes, codes = _among(self.labels, truth, labels)
        keys = dict(zip(("y", "label_0", "label_1"), codes, strict=True))
        keys = {name: code.astype(np.int64) for name, code in keys.items()}
        groups = None
        if self.columns.groups is not None:
            groups, keys["group"] = np.unique(check_groups(values[-1]), return_inverse=True)
        plan = self.asked.plan(classes, None, groups is not None)
        cells = merged([Cells(keys, counts)], list(keys), [])
        return Tally(plan, (cells,), groups, self.names)

    def _levels(self, classes: NDArray[Any], ranked: int) -> tuple[Levels, Levels]:
        fixed = self.asked.fixed_levels()
        if fixed is not None:
            return fixed
        first, second = (
            chosen_levels(
                self.table,
                self._ranked_column(name, ranked),
                self.asked.n_levels,
                self._kinds[name] == PROBA,
            )
            for name in self.names
        )
        return first, second

    def _ranked_column(self, name: str, ranked: int) -> str:
        own = self.columns.answers[name]
        # A single column is that of the class that is ranked.
        return own[ranked] if len(own) > 1 else own[0]


def _among(
    classes: NDArray[Any], truth: NDArray[Any], labels: dict[str, NDArray[Any]]
) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Classes that were named, and labels as positions among them."""
    codes = [class_codes("y_true", truth, classes)]
    codes += [class_codes(name, own, classes) for name, own in labels.items()]
    return classes, codes
