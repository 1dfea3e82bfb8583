"""Answers that were counted where they are, as a gate judges them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from skcompare._core.design import HOLDOUT, Design
from skcompare._io.engine import Table
from skcompare.comparators._counting import asked_by_tests, check_holds
from skcompare.comparators._large import pair_of_tally, pair_on_engine
from skcompare.evidence import Asked, JointCounts, PairedLosses, Tally
from skcompare.evidence._tally_engine import EngineTally
from skcompare.gate._conditions import Condition
from skcompare.gate._subjects import (
    PairSubject,
    ReadyTest,
    Unsuited,
    check_all_there,
    grouped_words,
)
from skcompare.predictions import LABELS, EngineColumns, PairedPredictions

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
