"""Groups of classifiers that do not differ significantly."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase


@dataclass(frozen=True, slots=True)
class NamedPair:
    """Difference of two classifiers, challenger minus champion, and its test."""

    champion: str
    challenger: str
    difference: float
    low: float | None = None
    high: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    flags: tuple[str, ...] = ()

    def beats(self, alpha: float) -> tuple[str, str] | None:
        """Return the better and the worse classifier if they differ significantly."""
        if self.adjusted_pvalue is None or not self.adjusted_pvalue < alpha:
            return None
        if not self.difference or math.isnan(self.difference):
            return None
        pair = (self.challenger, self.champion)
        return pair if self.difference > 0 else pair[::-1]


def groups_of(
    names: Sequence[str], told_apart: Iterable[tuple[str, str]]
) -> tuple[tuple[str, ...], ...]:
    """Return the largest sets of names without a significantly different pair.

    Differences are inserted one after the other, and sets within another one absorbed
    (Piepho 2004, "An algorithm for a letter-based representation of all-pairwise
    comparisons", Journal of Computational and Graphical Statistics 13(2), 456-466).

    Parameters
    ----------
    names : sequence of str
        The best first; groups and their names are in this order.
    told_apart : iterable of pairs of str
        Pairs that differ significantly.
    """
    order = {name: position for position, name in enumerate(names)}
    sets = [frozenset(names)] if names else []
    for first, second in told_apart:
        split = [members for members in sets if first in members and second in members]
        kept = [members for members in sets if not (first in members and second in members)]
        halves = dict.fromkeys(
            members - {name} for members in split for name in (first, second)
        )
        # Only a half can lie within another set: the other sets were already the largest.
        candidates = [*kept, *halves]
        sets = kept + [
            half
            for half in halves
            if half not in kept and not any(half < members for members in candidates)
        ]
    ordered = [tuple(sorted(members, key=order.__getitem__)) for members in sets]
    return tuple(sorted(ordered, key=lambda group: [order[name] for name in group]))


def letters_of(groups: Sequence[Sequence[str]]) -> Mapping[str, str]:
    """Return the groups of each name as letters, or as numbers if there are too many."""
    many = len(groups) > len(ascii_lowercase)
    marks = [str(k + 1) if many else ascii_lowercase[k] for k in range(len(groups))]
    marks_of: dict[str, list[str]] = {}
    for mark, group in zip(marks, groups, strict=True):
        for name in group:
            marks_of.setdefault(name, []).append(mark)
    return {
        name: ("," if many else "").join(name_marks)
        for name, name_marks in marks_of.items()
    }
