"""What differences that are all alike say about a boundary, without any approximation.

A standard error of 0 is no evidence that nothing can vary. But where every one of n
independent differences is the same, and none can be beyond a known bound, it is unlikely
that their mean is far away.

A standard error that is nearly 0 is no better: whatever n records show, n others like them
lack every rare large error as often. So the same bound limits what any n records conclude.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from skcompare._registry.losses import record_losses
from skcompare.evidence import PairedLosses, PlacementValues, ScoredPair

SMALLEST = float(np.finfo(float).tiny)


class Still(NamedTuple):
    """Independent differences that are all alike.

    Attributes
    ----------
    n : int
        How many there are.
    value : float
        What each of them is.
    bound : float
        None can be farther from 0.
    """

    n: int
    value: float
    bound: float

    def pvalue(self, boundary: float, direction: str) -> float:
        """Of the null hypothesis that their mean is at the boundary or beyond it.

        The mean of differences of at least -R is at most b. By Markov's inequality the
        probability that one is v or more is then at most (b + R) / (v + R), and that all
        n are, the n-th power of it.
        """
        value, boundary = self._towards(direction, boundary)
        if boundary >= value:
            return 1.0
        if boundary <= -self.bound:
            return SMALLEST
        share = (boundary + self.bound) / (value + self.bound)
        return max(SMALLEST, share**self.n)

    def limit(self, alpha: float, direction: str) -> float:
        """The boundary whose p-value is `alpha`."""
        value, _ = self._towards(direction, 0.0)
        limit = (value + self.bound) * alpha ** (1 / self.n) - self.bound
        return limit if direction == "greater" else -limit

    def _towards(self, direction: str, boundary: float) -> tuple[float, float]:
        """Value and boundary where more is in the direction."""
        if direction == "greater":
            return self.value, boundary
        return -self.value, -boundary


def still(evidence: Any, bound: float | None = None) -> Still | None:
    """The differences of the evidence, if they are all alike and have a known bound.

    `bound` is that of differences of which the loss says none.
    """
    if isinstance(evidence, PlacementValues):
        return _of_placements(evidence)
    if isinstance(evidence, PairedLosses):
        return _of_losses(evidence, bound)
    return None


def unseen(evidence: Any, estimate: float, bound: float | None = None) -> Still | None:
    """What rare errors that none of the records has could be, in differences with a bound.

    If the records are typical but for a share q of others, which are as bad as can be, the
    mean is at the boundary for q = (v - b) / (v + R), and (1 - q)^n is the probability that
    n records have none of these. A smaller p-value would not hold for such a truth.
    """
    if isinstance(evidence, PlacementValues):
        if evidence.groups is not None or evidence.n_scores != 2:
            return None
        pairs = min(evidence.n_positives, evidence.n_negatives)
        return Still(pairs, estimate, 1.0)
    if isinstance(evidence, ScoredPair) and evidence.groups is None:
        low, high = evidence.score.bounds
        sizes = np.unique(evidence.y, return_counts=True)[1]
        units = int(sizes.min()) if len(sizes) == 2 else evidence.n
        return Still(units, estimate, high - low) if math.isfinite(high - low) else None
    if isinstance(evidence, PairedLosses) and evidence.groups is None:
        bound = _bound_of(evidence, bound)
        if bound is not None and abs(estimate) <= bound:
            return Still(evidence.n, estimate, bound)
    return None


def _bound_of(losses: PairedLosses, known: float | None) -> float | None:
    """The largest loss of a record; None where that is not known."""
    if known is not None:
        return known
    entry = record_losses().get(losses.loss)
    return None if entry is None or entry.bound is None else float(entry.bound)


def _of_placements(placements: PlacementValues) -> Still | None:
    """Pairs of a positive and a negative record that both classifiers order alike.

    The classes make so many disjoint pairs, which are independent, as the smaller one has
    records; the difference of the AUCs is the mean difference of a pair.
    """
    if placements.groups is not None or placements.n_scores != 2:
        return None
    pairs = min(placements.n_positives, placements.n_negatives)
    first, second = placements.aucs.tolist()
    ranked_rightly = first == second and first in (0.0, 1.0)
    if ranked_rightly or _same_order(*placements.scores):
        return Still(pairs, 0.0, 1.0)
    return None


def _same_order(first: Any, second: Any) -> bool:
    """Whether two scores order all records alike, ties included."""
    order = np.lexsort((second, first))
    up, other = np.diff(first[order]) > 0, np.diff(second[order])
    return bool(((other > 0) == up).all() and (other >= 0).all())


def _of_losses(losses: PairedLosses, bound: float | None) -> Still | None:
    """Losses of each record that differ by the same, with a bound of such a loss."""
    bound = _bound_of(losses, bound)
    if losses.groups is not None or bound is None or losses.moments.gain_deviation > 0:
        return None
    gain = 0.0 if losses.moments.no_gain else losses.gain
    return Still(losses.n, gain, bound) if abs(gain) <= bound else None


def is_still(result: Any, limit: float) -> bool:
    """Whether an interval has no width, so that it says nothing of what could vary."""
    errors = [result.details.get(name) for name in ("standard_error", "se")]
    no_error = any(error == 0 for error in errors)
    return no_error or (math.isfinite(limit) and limit == result.estimate)
