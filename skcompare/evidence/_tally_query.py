"""The one group-by of a tally: what an engine is asked, and what its answer says."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add, and_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.labels import check_groups
from skcompare._core.validation import PROBABILITY_TOLERANCE, some_of
from skcompare._io.engine import Program
from skcompare._typing import IntArray
from skcompare.evidence._tally import Cells, TallyPlan, decoded, merged
from skcompare.evidence._tally_columns import class_code
from skcompare.evidence._tally_keys import Derived, Given, derived, parts_of
from skcompare.evidence._tally_levels import finite_score
from skcompare.predictions import EngineColumns

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
