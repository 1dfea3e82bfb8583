"""Groups of classifiers that the evidence does not tell apart."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase


@dataclass(frozen=True, slots=True)
class NamedPair:
    """A difference of two classifiers, challenger less champion, and what is said of it."""

    champion: str
    challenger: str
    difference: float
    low: float | None = None
    high: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    flags: tuple[str, ...] = ()

    def beats(self, alpha: float) -> tuple[str, str] | None:
        """The better and the worse classifier, if the adjusted p-value tells them apart."""
        if self.adjusted_pvalue is None or not self.adjusted_pvalue < alpha:
            return None
        if not self.difference or math.isnan(self.difference):
            return None
        pair = (self.challenger, self.champion)
        return pair if self.difference > 0 else pair[::-1]


def groups_of(
    names: Sequence[str], told_apart: Iterable[tuple[str, str]]
) -> tuple[tuple[str, ...], ...]:
    """The largest sets of names in which no two are told apart.

    By inserting one difference after the other and absorbing what lies within another set
    (Piepho 2004, "An algorithm for a letter-based representation of all-pairwise
    comparisons", Journal of Computational and Graphical Statistics 13(2), 456-466).

    Parameters
    ----------
    names : sequence of str
        The best first; groups and the names in them come in this order.
    told_apart : iterable of pairs of str
        Which two differ.
    """
    order = {name: position for position, name in enumerate(names)}
    sets = [frozenset(names)] if names else []
    for one, other in told_apart:
        both = [held for held in sets if one in held and other in held]
        others = [held for held in sets if not (one in held and other in held)]
        halves = dict.fromkeys(held - {name} for held in both for name in (one, other))
        # Only a half can lie within another set: those that stay were the largest already.
        rivals = [*others, *halves]
        sets = others + [
            half
            for half in halves
            if half not in others and not any(half < held for held in rivals)
        ]
    ordered = [tuple(sorted(held, key=order.__getitem__)) for held in sets]
    return tuple(sorted(ordered, key=lambda group: [order[name] for name in group]))


def letters_of(groups: Sequence[Sequence[str]]) -> Mapping[str, str]:
    """The groups of each name as letters, or as numbers where there are too many."""
    many = len(groups) > len(ascii_lowercase)
    marks = [str(k + 1) if many else ascii_lowercase[k] for k in range(len(groups))]
    found: dict[str, list[str]] = {}
    for mark, group in zip(marks, groups, strict=True):
        for name in group:
            found.setdefault(name, []).append(mark)
    return {name: ("," if many else "").join(own) for name, own in found.items()}
