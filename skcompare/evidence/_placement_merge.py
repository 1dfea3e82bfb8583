"""Placement values of shards, put together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.score_bins import Levels
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence._contingency import check_same_design
from skcompare.evidence._placement_checks import joined_groups
from skcompare.evidence._placement_tally import plain_levels

if TYPE_CHECKING:
    from skcompare.evidence._placements import PlacementValues


def merged_parts(one: "PlacementValues", other: "PlacementValues") -> tuple[Any, ...]:
    """Arguments of the placement values of all records of both."""
    check_same_design(one, other)
    if one.names != other.names:
        raise ValueError(
            "Only scores of the same classifiers can be merged. Got "
            f"{', '.join(one.names)} and {', '.join(other.names)}."
        )
    if one.pos_label != other.pos_label:
        raise ValueError(
            "Only scores for the same positive class can be merged. Got "
            f"{one.pos_label!r} and {other.pos_label!r}."
        )
    groups = joined_groups(one.groups, other.groups)
    levels, repeats = None, None
    first, second = one.scores, other.scores
    if one.repeats is not None or other.repeats is not None:
        own, others = (plain_levels(s.levels, s.n_scores) for s in (one, other))
        levels = _common_levels(own, others, one.names)
        repeats = np.concatenate([_repeats(one), _repeats(other)])
        first, second = _coded(first, own, levels), _coded(second, others, levels)
    return (
        np.concatenate([one.positive, other.positive]),
        np.concatenate([first, second], axis=1),
        one.names,
        groups,
        one.design,
        one.pos_label,
        repeats,
        levels,
    )


def _repeats(placements: "PlacementValues") -> IntArray:
    if placements.repeats is None:
        return np.ones(len(placements.positive), dtype=np.int64)
    return placements.repeats


def _common_levels(
    own: Sequence[Levels], others: Sequence[Levels], names: Sequence[str]
) -> tuple[Levels, ...]:
    """The levels of both shards; scores themselves can be given those of the others."""
    found = []
    for one, other, name in zip(own, others, names, strict=True):
        if one != other and not one.is_distinct and not other.is_distinct:
            raise ValueError(
                f"Only scores of the same levels can be merged. Got {one.n_levels} and "
                f"{other.n_levels} levels of {name} that differ. Make Levels once and pass "
                "them as `levels` for every shard."
            )
        found.append(other if one.is_distinct else one)
    return tuple(found)


def _coded(
    scores: FloatArray, own: Sequence[Levels], levels: Sequence[Levels]
) -> NDArray[np.float64]:
    rows = [
        # What is in levels already stays as it is.
        score if not known.is_distinct else wanted.codes(score)
        for score, known, wanted in zip(scores, own, levels, strict=True)
    ]
    return np.array(rows, dtype=np.float64)
