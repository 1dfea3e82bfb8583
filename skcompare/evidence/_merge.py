"""Evidence of shards that adds up."""

from collections.abc import Iterable
from typing import TypeVar

from skcompare.evidence._storage import Storable

E = TypeVar("E", bound="Mergeable")


class Mergeable(Storable):
    """Evidence with `+`, so that `sum(shards)` is the evidence of all records.

    It can be saved, so that a sum can be gone on with later.
    """

    __slots__ = ()

    def __radd__(self: E, other: object) -> E:
        # sum() starts with the number 0.
        if isinstance(other, int) and other == 0:
            return self
        return NotImplemented


def merge_evidence(shards: Iterable[E]) -> E:
    """The evidence of all records, from that of shards.

    It is the sum of the shards. Evidence that keeps its records copies them for each `+`,
    so that ``sum(shards)`` of many shards takes time that grows with the square of their
    number. Here shards of like size are added first, and no record is copied more than
    log2(n_shards) times.

    Parameters
    ----------
    shards : iterable of evidence
        Evidence of one class and of disjoint records. Of a generator one shard is taken
        after the other, and the sums so far are kept.

    Returns
    -------
    evidence : object
        Of the class of the shards, with records in the order of the shards. Sums of floats
        are those of `sum` up to rounding.

    Raises
    ------
    ValueError
        If there is no shard, or shards do not go together.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses, merge_evidence
    >>> shards = [
    ...     PairedLosses.from_losses(champion=[k, 3], challenger=[2, k]) for k in range(5)
    ... ]
    >>> merge_evidence(shards)
    PairedLosses(n=10, loss='losses', champion=2.5, challenger=2, design='holdout')

    .. versionadded:: 0.1
    """
    # Sums of shards, each of half as many as the one before it or fewer.
    sums: list[tuple[int, E]] = []
    for shard in shards:
        number, merged = 1, shard
        while sums and sums[-1][0] == number:
            _, before = sums.pop()
            number, merged = 2 * number, before + merged  # type: ignore[operator]
        sums.append((number, merged))
    if not sums:
        raise ValueError("There is no evidence to merge. Pass at least one shard.")
    _, total = sums.pop()
    while sums:
        total = sums.pop()[1] + total  # type: ignore[operator]
    return total
