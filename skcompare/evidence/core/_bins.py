"""Bins of probabilities, the bin of each record, and the sums over joint cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import are_equal, is_foreign
from skcompare._core.validation import (
    check_choice,
    check_count,
    check_groups,
    check_same_length,
    group_codes,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence.core._device import Space, space_at

EPS = float(np.finfo(np.float64).eps)
"""Probabilities below it count as this much in the log loss, as in scikit-learn."""

KINDS = ("auto", "binary", "top_label", "classwise")
"""Kinds of events that probabilities are about."""


STRATEGIES = ("uniform", "equal_mass", "quantile")
"""Ways to place the edges of bins."""


def bin_edges(p: FloatArray, n_bins: int, strategy: str) -> FloatArray:
    """Compute the edges of probability bins, from 0 to 1.

    Bin b holds ``edges[b] <= p < edges[b + 1]``; the last bin is closed at 1.

    Parameters
    ----------
    p : ndarray of shape (n_samples,)
        Probabilities.
    n_bins : int
        Requested number of bins, at least 1.
    strategy : {"uniform", "equal_mass", "quantile"}
        "uniform": bins of equal width, edges b / n_bins. "equal_mass": the sorted
        probabilities are cut into groups whose sizes differ by at most one, midway
        between neighbours. "quantile": edges at the interpolated quantiles, as many
        published values have it.

    Returns
    -------
    edges : ndarray of shape (n_used + 1,)
        There are fewer bins than requested where equal probabilities, which no strategy
        separates, take the place of several. The last two edges are both 1 where records
        with probability 1 have a bin of their own.
    """
    check_count("n_bins", n_bins)
    check_choice("strategy", strategy, STRATEGIES)
    if strategy == "uniform":
        return _uniform(n_bins)
    if strategy == "equal_mass":
        return _around(_equal_mass_cuts(p, n_bins))
    # Edges at the least and the greatest probability would hold the same records as 0
    # and 1 do, which also take the records of another shard.
    return _around(np.unique(np.quantile(p, np.arange(n_bins + 1) / n_bins))[1:-1])


def bin_codes(p: FloatArray, edges: FloatArray) -> IntArray:
    """Return the bin of each probability, of shape (n_samples,)."""
    last = len(edges) - 2
    if not np.array_equal(edges, _uniform(last + 1)):
        return np.clip(np.searchsorted(edges, p, side="right") - 1, 0, last)
    # The product is off by rounding only, so the bin is correct or next to it. Checking
    # its two edges costs less than a search.
    codes = np.minimum((p * (last + 1)).astype(np.intp), last)
    codes -= p < edges[codes]
    above = edges[1:].copy()
    above[-1] = np.inf
    codes += p >= above[codes]
    return codes


def check_edges(edges: Any) -> FloatArray:
    """Check that edges increase from 0 to 1, and return them as a read-only array."""
    array = np.array(edges, dtype=np.float64)
    if array.ndim != 1 or len(array) < 2:
        raise ValueError(
            f"`edges` must have shape (n_bins + 1,), at least two numbers. Got shape "
            f"{array.shape}. One bin of all records is [0, 1]."
        )
    steps = np.diff(array)
    # Two last edges of 1 make a bin of the records with probability 1.
    rising = (steps[:-1] > 0).all() and (steps[-1] > 0 or (array[-2:] == 1).all())
    if not (array[0] == 0 and array[-1] == 1 and rising):
        raise ValueError(
            f"`edges` must increase from 0 to 1. Got {array.tolist()}. Add 0 and 1, sort "
            "the edges, and leave out those that occur twice."
        )
    array.setflags(write=False)
    return array


def _uniform(n_bins: int) -> FloatArray:
    # Unlike linspace, quotients are the doubles nearest to the edges: 3 / 10 is 0.3.
    return np.arange(n_bins + 1) / n_bins


def _around(cuts: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], cuts, [1.0]])


def equal_mass_starts(ordered: FloatArray, n_bins: int) -> IntArray:
    """Return the start of each equal-mass bin after the first, in sorted probabilities.

    Sizes differ by at most one, the first bins being larger, except that equal
    probabilities stay together in the bin above.
    """
    n_groups = min(n_bins, len(ordered))
    base, longer = divmod(len(ordered), n_groups)
    g = np.arange(1, n_groups)
    starts = g * base + np.minimum(g, longer)
    starts = np.unique(np.searchsorted(ordered, ordered[starts]))
    return starts[starts > 0]


def _equal_mass_cuts(p: FloatArray, n_bins: int) -> FloatArray:
    ordered = np.sort(p)
    starts = equal_mass_starts(ordered, n_bins)
    below, above = ordered[starts - 1], ordered[starts]
    middle = below + (above - below) / 2
    # Between two neighbouring doubles there is no third one.
    return np.where(middle > below, middle, above)


ROLES = ("champion", "challenger")

Layout = tuple[FloatArray, ...]
"""Edges of one classifier's bins: of each class for classwise events, else one array."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Specification of bins; `columns` is the number of classes or 1."""

    n_bins: int
    strategy: str
    edges: Any
    columns: int

    def layout(self, proba: FloatArray, role: int) -> Layout:
        """Return the bin edges of the champion (0) or challenger (1)."""
        check_count("n_bins", self.n_bins)
        check_choice("strategy", self.strategy, STRATEGIES)
        if self.edges is not None:
            return self._from_edges(role)
        return tuple(
            bin_edges(proba[k :: self.columns], self.n_bins, self.strategy)
            for k in range(self.columns)
        )

    def is_short(self, layout: Layout) -> bool:
        """Whether there are fewer bins than requested."""
        return self.edges is None and any(len(e) - 1 < self.n_bins for e in layout)

    def _from_edges(self, role: int) -> Layout:
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
    """Whether edges are one array of numbers; raises an error for invalid edges."""
    if not hasattr(edges, "__len__") or isinstance(edges, str):
        raise ValueError(
            f"`edges` must be an array of shape (n_bins + 1,). Got {edges!r}. Pass "
            "`n_bins` for a number of bins."
        )
    return all(np.ndim(edge) == 0 for edge in edges)


def check_layout(edges: Any, kind: str) -> Layout:
    """Check the edges of one role: an array, or one for each class of classwise events."""
    if kind == "classwise":
        return tuple(check_edges(each) for each in edges)
    return (check_edges(edges),)


def check_same_bins(left: Any, right: Any) -> None:
    """Check that evidence to be merged has the same events and bins."""
    if left.kind != right.kind:
        raise ValueError(
            f"Only evidence of one kind of event can be merged. Got {left.kind!r} and "
            f"{right.kind!r}. Pass `kind`."
        )
    for role in (0, 1):
        first, second = (
            check_layout(each.edges[role], left.kind) for each in (left, right)
        )
        if not are_equal(first, second):
            raise ValueError(
                "Only evidence with the same bins can be merged. Got other edges for the "
                f"{ROLES[role]}. Bins of equal mass and of quantiles depend on the "
                "records: pass `edges` of one shard to the others, or use "
                "strategy='uniform'."
            )


def codes_in(proba: FloatArray, layout: Layout) -> IntArray:
    """Return the bin of each row; bins are numbered class by class."""
    if is_foreign(proba):
        return _codes_on_device(space_at(proba), proba, layout)
    if len(layout) == 1:
        return bin_codes(proba, layout[0])
    codes = np.empty(len(proba), dtype=np.intp)
    offset = 0
    for k, edges in enumerate(layout):
        codes[k :: len(layout)] = bin_codes(proba[k :: len(layout)], edges) + offset
        offset += len(edges) - 1
    return codes


def _codes_on_device(space: Space, proba: Any, layout: Layout) -> Any:
    xp, offset, codes = space.xp, 0, []
    for k, edges in enumerate(layout):
        # All probabilities are at the first edge, 0, or above it.
        inner = space.own(edges[:-1], "float64")
        position = space.place(inner, proba[k :: len(layout)], "right")
        codes.append(xp.astype(position, xp.int64) + (offset - 1))
        offset += len(edges) - 1
    return xp.reshape(xp.stack(codes, axis=1), (-1,))


def coded_groups(groups: Any, n: int) -> tuple[NDArray[Any] | None, IntArray | None]:
    """Return sorted group labels, and the position of each record's group among them."""
    if groups is None:
        return None, None
    values = check_groups(groups)
    check_same_length(records=range(n), groups=values)
    return np.unique(values), group_codes(values)


def role_of(role: int | str) -> int:
    """Return 0 for the champion or 1 for the challenger, from a number or name."""
    if isinstance(role, str):
        return ROLES.index(check_choice("role", role, ROLES))
    if role in (0, 1):
        return int(role)
    raise ValueError(f"`role` must be one of {', '.join(ROLES)}. Got {role!r} instead.")


DEGREES = (4, 8)
"""Total powers of the sums that are needed, and of those that also give exact degrees of
freedom."""


POWERS = {
    f"m{total - j}d{j}": (total - j, j)
    for total in range(1, DEGREES[1] + 1)
    for j in range(total + 1)
    if (total - j, j) != (1, 0)
}
"""Sums of ``m**i * d**j`` for m = (p_a + p_b) / 2, d = p_b - p_a, by name: i and j.

Powers of p_a and p_b would lose the digits of d where two classifiers are nearly the same.
"""

SUMS = (
    # p_a and p_b, the probabilities of champion and challenger.
    "champion_proba",
    "challenger_proba",
    # Records of probability 0 whose event happened, or 1 whose event did not:
    # p_a == 1 - event_a, and p_b == 1 - event_b, as 0 or 1.
    "champion_refuted",
    "challenger_refuted",
    *(name for name, (i, j) in POWERS.items() if i + j <= DEGREES[0]),
)
"""Names of the sums that every cell has besides its number of records.

A cell is (bin of champion, bin of challenger, event of champion, event of challenger).
"""

ALL_SUMS = SUMS + tuple(name for name, (i, j) in POWERS.items() if i + j > DEGREES[0])
"""`SUMS` and those of higher powers, from which the degrees of freedom are exact."""


def cell_sums(
    proba: tuple[Any, Any], events: tuple[Any, Any], degree: int = DEGREES[1]
) -> dict[str, Any]:
    """Compute the terms to be summed over the records of each cell, by name.

    Works on anything with arithmetic: arrays, and the expressions of an engine. The two
    `refuted` are booleans; an engine that does not sum them needs them cast.

    Parameters
    ----------
    proba : pair
        Probabilities by champion and challenger.
    events : pair
        Whether the events happened, as 0 and 1, not booleans.
    degree : {4, 8}, default=8
        4 for `SUMS` alone, 8 for `ALL_SUMS`.
    """
    champion, challenger = proba
    terms = {
        "champion_proba": champion,
        "challenger_proba": challenger,
        "champion_refuted": champion == 1 - events[0],
        "challenger_refuted": challenger == 1 - events[1],
    }
    middle, gap = (champion + challenger) / 2, challenger - champion
    powers: dict[tuple[int, int], Any] = {(1, 0): middle, (0, 1): gap}
    for name, (i, j) in POWERS.items():
        if i + j > degree:
            break
        if i + j > 1:
            less, factor = ((i - 1, j), middle) if i else ((i, j - 1), gap)
            powers[i, j] = powers[less] * factor
        terms[name] = powers[i, j]
    return terms


def resolve_kind(kind: object, n_classes: int) -> str:
    """Resolve the kind of event, and check that binary events have two classes."""
    chosen = check_choice("kind", kind, KINDS)
    if chosen == "auto":
        return "binary" if n_classes == 2 else "top_label"
    if chosen == "binary" and n_classes != 2:
        raise ValueError(
            f"kind='binary' needs two classes. Got {n_classes}. Pass kind='top_label' for "
            "the predicted class, or 'classwise' for all classes."
        )
    return chosen


def of_class(ops: Any, codes: Any, proba: Sequence[Any]) -> Any:
    """Return the probability of the class at `codes`."""
    chosen = proba[0]
    for position, column in enumerate(proba[1:], start=1):
        chosen = ops.where(codes == position, column, chosen)
    return chosen
