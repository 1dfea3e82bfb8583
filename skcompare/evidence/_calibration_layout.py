"""The bins of two classifiers and, for classwise events, of every class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.labels import check_groups, group_codes
from skcompare._core.validation import check_choice, check_count, check_same_length
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence._calibration_bins import (
    STRATEGIES,
    bin_codes,
    bin_edges,
    check_edges,
)

ROLES = ("champion", "challenger")

Layout = tuple[FloatArray, ...]
"""Edges of one classifier's bins: of each class for classwise events, else one array."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins as they are asked for; `columns` is the number of classes or 1."""

    n_bins: int
    strategy: str
    edges: Any
    columns: int

    def layout(self, proba: FloatArray, role: int) -> Layout:
        """The edges of champion (0) or challenger (1)."""
        check_count("n_bins", self.n_bins)
        check_choice("strategy", self.strategy, STRATEGIES)
        if self.edges is not None:
            return self._given(role)
        return tuple(
            bin_edges(proba[k :: self.columns], self.n_bins, self.strategy)
            for k in range(self.columns)
        )

    def is_short(self, layout: Layout) -> bool:
        """Whether there are fewer bins than were asked for."""
        return self.edges is None and any(len(e) - 1 < self.n_bins for e in layout)

    def _given(self, role: int) -> Layout:
        if _is_vector(self.edges):
            return (check_edges(self.edges),) * self.columns
        if len(self.edges) != 2:
            raise ValueError(
                "`edges` must be one array of edges, or a pair, of champion and "
                f"challenger. Got {len(self.edges)} arrays."
            )
        own = self.edges[role]
        if _is_vector(own):
            return (check_edges(own),) * self.columns
        if len(own) != self.columns:
            raise ValueError(
                f"`edges` of each classifier must be one array, or one for each of "
                f"{self.columns} classes. Got {len(own)} arrays."
            )
        return tuple(check_edges(edges) for edges in own)


def _is_vector(edges: Any) -> bool:
    """Whether edges are one array of numbers; refuses what cannot be edges at all."""
    if not hasattr(edges, "__len__") or isinstance(edges, str):
        raise ValueError(
            f"`edges` must be an array of shape (n_bins + 1,). Got {edges!r}. Pass "
            "`n_bins` for a number of bins."
        )
    return all(np.ndim(edge) == 0 for edge in edges)


def check_layout(edges: Any, kind: str) -> Layout:
    """Edges of one role: an array, or for classwise events one for each class."""
    if kind == "classwise":
        return tuple(check_edges(each) for each in edges)
    return (check_edges(edges),)


def check_same_bins(one: Any, other: Any) -> None:
    """Refuse to merge evidence of different events or bins."""
    if one.kind != other.kind:
        raise ValueError(
            f"Only evidence of one kind of event can be merged. Got {one.kind!r} and "
            f"{other.kind!r}. Pass `kind`."
        )
    for role in (0, 1):
        first, second = (check_layout(each.edges[role], one.kind) for each in (one, other))
        same = len(first) == len(second) and all(map(np.array_equal, first, second))
        if not same:
            raise ValueError(
                "Only evidence with the same bins can be merged. Got other edges for the "
                f"{ROLES[role]}. Bins of equal mass and of quantiles depend on the "
                "records: pass `edges` of one shard to the others, or use "
                "strategy='uniform'."
            )


def codes_in(proba: FloatArray, layout: Layout) -> IntArray:
    """The bin of each row; the bins of a class follow those of the class before it."""
    if len(layout) == 1:
        return bin_codes(proba, layout[0])
    codes = np.empty(len(proba), dtype=np.intp)
    offset = 0
    for k, edges in enumerate(layout):
        codes[k :: len(layout)] = bin_codes(proba[k :: len(layout)], edges) + offset
        offset += len(edges) - 1
    return codes


def coded_groups(groups: Any, n: int) -> tuple[NDArray[Any] | None, IntArray | None]:
    """Sorted labels of groups, and the position of each record's group in them."""
    if groups is None:
        return None, None
    given = check_groups(groups)
    check_same_length(records=range(n), groups=given)
    labels = np.unique(given)
    codes = group_codes(given)
    for array in (labels, codes):
        array.setflags(write=False)
    return labels, codes


def joined_groups(one: Any, other: Any) -> NDArray[Any] | None:
    """The groups of two shards one after the other, by their labels."""
    if one is None and other is None:
        return None
    if one is None or other is None:
        raise ValueError(
            "Only evidence with groups can be merged with evidence with groups. Pass "
            "`groups` for both shards or for none."
        )
    if (one.dtype.kind in "US") != (other.dtype.kind in "US"):
        raise ValueError(
            f"Only groups with labels of one type can be merged. Got {one[0]!r} and "
            f"{other[0]!r}. Convert one of them."
        )
    return np.concatenate([one, other])


def role_of(role: int | str) -> int:
    """0 for the champion and 1 for the challenger, by number or name."""
    if isinstance(role, str):
        return ROLES.index(check_choice("role", role, ROLES))
    if role in (0, 1):
        return int(role)
    raise ValueError(f"`role` must be one of {', '.join(ROLES)}. Got {role!r} instead.")
