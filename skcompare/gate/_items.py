"""Systems that were scored item by item, as a gate judges them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skcompare._core.design import Design
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
