"""Systems that were scored item by item, as a gate judges them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skcompare._design import Design
from skcompare.comparators._compare_scores import size_words
from skcompare.comparators._scored_items import MEAN_SCORE, item_row, prepared_scores
from skcompare.gate._conditions import Condition
from skcompare.gate._defaults import options_of
from skcompare.gate._subjects import (
    ReadyTest,
    Unsuited,
    check_exact_test,
    in_slice,
    refused_as_unsuited,
)
from skcompare.predictions import ItemScores

__all__ = ["ItemSubject"]


@dataclass(frozen=True, eq=False)
class ItemSubject:
    """Scores of two systems on the same items.

    Parameters
    ----------
    scores : ItemScores
        The scores, with the columns that slices are cut by.
    """

    scores: ItemScores

    @property
    def n_records(self) -> int:
        """Items."""
        return self.scores.n

    @property
    def size(self) -> str:
        """Items, their attempts and their groups, in words."""
        return size_words(self.scores)

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
