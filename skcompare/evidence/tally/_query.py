"""Queries of a plan on an engine: keys and sums as columns, aggregated into cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import add, and_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.validation import PROBABILITY_TOLERANCE, check_groups, some_of
from skcompare._io.engine import LARGEST, Program
from skcompare._registry.metrics import STD, VALUES
from skcompare._typing import IntArray
from skcompare.evidence.tally._number_tally import (
    Checking,
    NumberPlan,
    centre_of,
    number_terms,
)
from skcompare.evidence.tally._tally import (
    Cells,
    Derived,
    Given,
    Tally,
    TallyPlan,
    TallyRequest,
    class_code,
    decoded,
    derived,
    merged,
    parts_of,
)
from skcompare.predictions import EngineColumns, EstimatorPredictions


def finite_score(score: Any, is_proba: bool) -> Any:
    """Return the condition that a score is finite, and in [0, 1] for probabilities."""
    if is_proba:
        return (score >= 0.0) & (score <= 1.0)
    return (score >= -LARGEST) & (score <= LARGEST)


LABELS, PROBA, SCORES = "labels", "probabilities", "scores"
"""Kinds of columns of a classifier."""

GROUP = "the group"
"""Name of the column of groups in a program."""

MOST_CELLS = float(1 << 53)
"""Whole numbers up to it are exact in floating point."""

MOST_CODES = 200
"""Most classes that an engine distinguishes, unless they are consecutive integers."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Check of a column: the condition of valid records, and the expected values.

    Without a name of a column `expected` is a sentence, and `advice` another one.
    """

    good: Any
    name: str
    expected: str
    advice: str = ""

    def message(self, bad: int, n: int) -> str:
        """Return the message on the number of records that are invalid."""
        if self.advice:
            return f"{self.expected}. Got {bad:,} of {n:,} records with others."
        return (
            f"Column {self.name!r} must hold {self.expected}. Got {bad:,} of {n:,} records "
            "with a missing or another value."
        )


class Query:
    """Query of a plan on an engine: keys and sums as columns, aggregated into cells.

    Parameters
    ----------
    columns : EngineColumns
        Roles of the columns.
    kinds : mapping of str to {"labels", "probabilities", "scores"}
        Kind of the columns of each classifier.
    plan : TallyPlan
        Plan of what is counted.
    """

    def __init__(
        self, columns: EngineColumns, kinds: Mapping[str, str], plan: TallyPlan
    ) -> None:
        self.columns = columns
        self.kinds = kinds
        self.plan = plan
        self._faults: list[Fault] = []
        table = columns.table
        label_like = [*self._columns_of(LABELS), *columns.labels.values()]
        if not isinstance(plan, NumberPlan):
            label_like.insert(0, columns.y_true or "")
        used = {name: (name, table.kind(name)) for name in label_like}
        numbers = [*self._columns_of(PROBA), *self._columns_of(SCORES)]
        used |= {f"{name}, a number": (name, "fraction") for name in numbers}
        if columns.groups is not None:
            group = columns.groups
            used[GROUP] = (group, table.kind(group))
        self._program: Program = table.program(used)

    def run(self) -> tuple[tuple[Cells, ...], NDArray[Any] | None]:
        """Run the query; return the tables of cells and the labels of groups."""
        program, table = self._program, self.columns.table
        parts = self._parts()
        for part in parts:
            self._check_size(part.sizes)
        group = self.columns.groups
        group_columns = [] if group is None else [program.column(GROUP)]
        group_names = [] if group is None else [self.columns.known_as[group]]
        results = [
            table.grouped(
                program,
                [self._key(part), *part.raw.values(), *group_columns],
                list(part.sums.values()),
                ["its key", *part.raw, *group_names],
                list(part.maxima.values()),
            )
            for part in parts
        ]
        self._check_faults(results[0].keys[0], results[0].counts)
        labels, cells = None, []
        for part, result in zip(parts, results, strict=True):
            columns = decoded(result.keys[0].astype(np.int64), part.sizes)
            columns |= dict(zip(part.raw, result.keys[1:]))
            if group is not None:
                labels, columns["group"] = np.unique(
                    check_groups(result.keys[-1]), return_inverse=True
                )
            sums = dict(zip(part.sums, result.sums, strict=True))
            maxima = dict(zip(part.maxima, result.maxima, strict=True))
            cells.append(merged([Cells(columns, result.counts, sums, maxima)]))
        return tuple(cells), labels

    def _parts(self) -> list[Derived]:
        """Compute the keys and sums, table by table, and note what must hold."""
        y = self._codes(self.columns.y_true or "")
        predictions = [self._predictions_of(name) for name in self.columns.predictions]
        return parts_of(self.plan, derived(self._program, self.plan, y, predictions))

    def _key(self, part: Derived) -> Any:
        """Combine all digits into one number, negative for invalid records."""
        program = self._program
        key: Any = None
        for code, size in part.digits.values():
            key = code if key is None else key * float(size) + code
        key = 0.0 if key is None else key
        for number, fault in reversed([*enumerate(self._faults, start=1)]):
            key = program.where(fault.good, key, -float(number))
        return program.whole(key)

    def _columns_of(self, kind: str) -> list[str]:
        names = (name for name, column_kind in self.kinds.items() if column_kind == kind)
        return [column for name in names for column in self.columns.predictions[name]]

    def _codes(self, column: str) -> Any:
        """Encode labels as positions among the classes; other labels are faults."""
        program, kind = self._program, self.columns.table.kind(column)
        label = program.column(column)
        classes = self.plan.classes
        good, code = class_code(program, label, classes, kind)
        self._add(good, column, f"one of the classes {some_of(classes)} in each record")
        return program.let(code)[0]

    def _predictions_of(self, name: str) -> Given:
        columns, kind = self.columns.predictions[name], self.kinds[name]
        if kind == LABELS:
            return Given(label=self._codes(columns[0]))
        program = self._program
        values = [program.column(f"{column}, a number") for column in columns]
        if kind == SCORES:
            (value,) = values
            good = finite_score(value, False)
            self._add(good, columns[0], "a finite score in each record")
            return Given(score=program.let(program.where(good, value, 0.0))[0])
        label_column = self.columns.labels.get(name)
        return Given(
            label=None if label_column is None else self._codes(label_column),
            proba=self._probabilities(columns, values),
        )

    def _probabilities(self, columns: tuple[str, ...], values: list[Any]) -> list[Any]:
        """Return probabilities, one column per class, with 1 for invalid values."""
        program = self._program
        valid = [finite_score(value, True) for value in values]
        for column, good in zip(columns, valid, strict=True):
            self._add(good, column, "a probability in [0, 1] in each record")
        good = reduce(and_, valid)
        clean = program.let(*(program.where(good, value, 1.0) for value in values))
        if len(clean) == 1:
            (value,) = clean
            (complement,) = program.let(1.0 - value)
            return [value, complement] if self.plan.ranked == 0 else [complement, value]
        tolerance = PROBABILITY_TOLERANCE * max(1.0, len(clean) / 2)
        (total,) = program.let(reduce(add, clean) - 1.0)
        near = (total <= tolerance) & (total >= -tolerance)
        self._add(near, columns[0], "with the columns of the other classes a sum of 1")
        return list(clean)

    def _add(self, good: Any, column: str, expected: str) -> None:
        name = self.columns.known_as[column]
        self._faults.append(Fault(good, name, expected))

    def _check_size(self, sizes: Mapping[str, int]) -> None:
        if np.prod([float(size) for size in sizes.values()]) > MOST_CELLS:
            raise ValueError(
                f"There are too many cells to number: {dict(sizes)}. Request fewer "
                "bins, or labels in a tally of their own."
            )
        classes = self.plan.classes
        many = len(classes) > MOST_CODES
        if many and classes.tolist() != [*range(classes[0], classes[-1] + 1)]:
            raise ValueError(
                f"Engines distinguish at most {MOST_CODES} classes unless they are "
                f"consecutive integers. Got {len(classes)}. Replace them by such numbers."
            )

    def _check_faults(self, key: IntArray, counts: IntArray) -> None:
        """Raise an error if there are invalid records."""
        n = int(counts.sum())
        messages, advice = [], ""
        for number, fault in enumerate(self._faults, start=1):
            bad = int(counts[key == -number].sum())
            if bad:
                messages.append(fault.message(bad, n))
                advice = advice or fault.advice
        if messages:
            advice = advice or (
                f"Find them in {self.columns.table.text}, and drop or repair them."
            )
            raise ValueError(f"{' '.join(messages)} {advice}")


class NumberQuery(Query):
    """Query of a plan of numbers on an engine."""

    plan: NumberPlan

    def _parts(self) -> list[Derived]:
        """Compute the sums, and note what must hold."""
        columns = self.columns
        y = self._number(columns.y_true or "")
        roles = [self._forecast(name) for name in columns.predictions]
        ops = Checking(self._program, self._note)
        return [number_terms(ops, self.plan, y, roles)]

    def _forecast(self, name: str) -> EstimatorPredictions:
        """Return what is predicted of a role, as columns."""
        columns: dict[Any, Any] = dict(self.columns.forecasts.get(name, {}))
        if not columns:
            columns = {VALUES: self.columns.predictions[name][0]}
        levels = tuple(sorted(level for level in columns if not isinstance(level, str)))
        quantiles = [self._number(columns[level]) for level in levels]
        for low, high in pairwise(quantiles):
            self._note(
                low <= high,
                f"Quantiles of `{name}` must not fall as their level rises",
                "Sort them for each record.",
            )
        fields: dict[str, Any] = {"quantiles": quantiles or None, "levels": levels}
        if VALUES in columns:
            fields[VALUES] = self._number(columns[VALUES])
        elif 0.5 in levels:
            fields[VALUES] = quantiles[levels.index(0.5)]
        if STD in columns:
            std = self._number(columns[STD])
            self._add(std > 0.0, columns[STD], "positive standard deviations")
            fields[STD] = self._program.let(self._program.where(std > 0.0, std, 1.0))[0]
        return EstimatorPredictions(name, name, **fields)

    def _number(self, column: str) -> Any:
        """Return a column of numbers, with 1 for what is missing or not finite."""
        program = self._program
        value = program.column(f"{column}, a number")
        good = finite_score(value, False)
        self._add(good, column, "finite numbers")
        return program.let(program.where(good, value, 1.0))[0]

    def _columns_of(self, kind: str) -> list[str]:
        return number_columns(self.columns) if kind == SCORES else []

    def _note(self, good: Any, expected: str, advice: str) -> None:
        self._faults.append(Fault(good, "", expected, advice))


def number_columns(columns: EngineColumns) -> list[str]:
    """Columns of true and predicted numbers."""
    names = [columns.y_true or ""]
    for name, own in columns.predictions.items():
        names += columns.forecasts.get(name, {}).values() or own
    return list(dict.fromkeys(names))


class EngineNumbers:
    """Tally of a table of numbers, computed by its data frame engine.

    Parameters
    ----------
    columns : EngineColumns
        Roles of the columns.
    requested : TallyRequest
        The request.
    """

    def __init__(self, columns: EngineColumns, requested: TallyRequest) -> None:
        self.columns, self.requested = columns, requested
        for name in number_columns(columns):
            kind = columns.table.kind(name)
            if kind not in ("whole", "fraction", "boolean"):
                raise ValueError(
                    f"Column {columns.known_as[name]!r} of {columns.table.text} must hold "
                    f"numbers. Got {kind}. Convert it, or name another column."
                )

    def tally(self) -> Tally:
        """Compute the tally by one group-by, after a look at the first records."""
        columns, truth = self.columns, self.columns.y_true or ""
        head = columns.table.head([truth])[truth].astype(np.float64)
        grouped = columns.groups is not None
        centre = centre_of(head[np.isfinite(head)])
        first = columns.forecasts.get(next(iter(columns.predictions)), {})
        levels = tuple(sorted(key for key in first if not isinstance(key, str)))
        plan = NumberPlan.of(self.requested, grouped, centre, levels)
        tables, groups = NumberQuery(columns, {}, plan).run()
        return Tally(plan, tables, groups, tuple(columns.predictions))
