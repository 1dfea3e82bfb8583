"""The sums over cells that calibration needs of large data, by name and formula."""

from typing import Any

DEGREES = (4, 8)
"""Total powers of the sums that are needed, and of those that also give exact degrees of
freedom."""


def _name(i: int, j: int) -> str:
    return f"m{i}d{j}"


POWERS = {
    _name(total - j, j): (total - j, j)
    for total in range(1, DEGREES[1] + 1)
    for j in range(total + 1)
    if (total - j, j) != (1, 0)
}
"""Sums of ``m**i * d**j`` for m = (p_a + p_b) / 2, d = p_b - p_a, by name: i and j.

These and not powers of p_a and p_b, because of two classifiers that are nearly the same
d keeps the digits.
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
"""The sums that every cell has beside its number of records.

A cell is (bin of champion, bin of challenger, event of champion, event of challenger).
"""

ALL_SUMS = SUMS + tuple(name for name, (i, j) in POWERS.items() if i + j > DEGREES[0])
"""These and the ones of higher powers, from which the degrees of freedom are exact."""


def cell_sums(
    proba: tuple[Any, Any], events: tuple[Any, Any], degree: int = DEGREES[1]
) -> dict[str, Any]:
    """What is summed over the records of each cell, by name.

    Works on all that has arithmetic: arrays, and the expressions of an engine. The two
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
