"""Exact tests at a margin where the observed differences have zero variation.

A standard error of 0 is no evidence that nothing can vary. But where n independent
differences are identical, and none can be beyond a known bound, their mean is unlikely to
be far away.

A standard error that is nearly 0 is no better: n records lack every rare large error with
the same probability, whatever they show. So the same bound limits the conclusion from any n
records.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from skcompare._registry.metrics import record_losses
from skcompare.evidence import PairedLosses, PlacementValues, ScoredPair

SMALLEST = float(np.finfo(float).tiny)


class ConstantDifferences(NamedTuple):
    """Exact test of the mean of bounded, independent differences that are all equal.

    Attributes
    ----------
    n : int
        Number of differences.
    value : float
        Value of each difference.
    bound : float
        Largest possible distance of a difference from 0.

    Examples
    --------
    >>> from skcompare.stats import ConstantDifferences
    >>> same = ConstantDifferences(n=100, value=0.0, bound=1.0)
    >>> print(f"p = {same.pvalue(-0.05, 'greater'):.4f}")
    p = 0.0059
    """

    n: int
    value: float
    bound: float

    def pvalue(self, null_value: float, alternative: str) -> float:
        """P-value of the null hypothesis that the mean is not beyond the null value.

        The mean of differences of at least -R is at most b. By Markov's inequality the
        probability that one is v or more is then at most (b + R) / (v + R), and that all
        n are, the n-th power of it.
        """
        value, null_value = self._upwards(alternative, null_value)
        if null_value >= value:
            return 1.0
        if null_value <= -self.bound:
            return SMALLEST
        share = (null_value + self.bound) / (value + self.bound)
        return max(SMALLEST, share**self.n)

    def limit(self, alpha: float, alternative: str) -> float:
        """One-sided limit: the null value whose p-value is `alpha`."""
        value, _ = self._upwards(alternative, 0.0)
        limit = (value + self.bound) * alpha ** (1 / self.n) - self.bound
        return limit if alternative == "greater" else -limit

    def _upwards(self, alternative: str, null_value: float) -> tuple[float, float]:
        """Value and null value on a scale where the alternative is "greater"."""
        if alternative == "greater":
            return self.value, null_value
        return -self.value, -null_value


def constant_differences(
    evidence: Any, bound: float | None = None
) -> ConstantDifferences | None:
    """Return the constant differences of the evidence; None unless identical and bounded.

    `bound` is that of differences of a loss that declares none.
    """
    independent = _independent(evidence, bound)
    if independent is None:
        return None
    n, bound = independent
    if isinstance(evidence, PlacementValues):
        return ConstantDifferences(n, 0.0, bound) if _same_ranking(evidence) else None
    if isinstance(evidence, ScoredPair) or evidence.moments.gain_deviation > 0:
        return None
    gain = 0.0 if evidence.moments.no_gain else evidence.gain
    return ConstantDifferences(n, gain, bound) if abs(gain) <= bound else None


def rare_errors(
    evidence: Any, estimate: float, bound: float | None = None
) -> ConstantDifferences | None:
    """Return the bound for rare errors that no record shows; None if there is none.

    If the records are typical except for a share q, which are as bad as possible, the mean
    is at the boundary for q = (v - b) / (v + R), and (1 - q)^n is the probability that n
    records have none of these. A smaller p-value would not hold for such a truth.
    """
    independent = _independent(evidence, bound)
    if independent is None or not abs(estimate) <= independent[1]:
        return None
    n, bound = independent
    return ConstantDifferences(n, estimate, bound)


def _independent(evidence: Any, bound: float | None) -> tuple[int, float] | None:
    """Number of independent differences, and their bound; None if either is unknown.

    Of rankings it is the number of disjoint pairs of positive and negative records, which
    are independent; the difference of the AUCs is the mean difference of a pair.
    """
    if getattr(evidence, "groups", None) is not None:
        return None
    if isinstance(evidence, PlacementValues) and evidence.n_scores == 2:
        return min(evidence.n_positives, evidence.n_negatives), 1.0
    if isinstance(evidence, ScoredPair):
        low, high = evidence.score.bounds
        sizes = np.unique(evidence.y, return_counts=True)[1]
        n = int(sizes.min()) if len(sizes) == 2 else evidence.n
        return (n, high - low) if math.isfinite(high - low) else None
    if isinstance(evidence, PairedLosses):
        bound = _bound_of(evidence, bound)
        return None if bound is None else (evidence.n, bound)
    return None


def _bound_of(losses: PairedLosses, bound: float | None) -> float | None:
    """Largest possible loss of a record; None if unknown."""
    if bound is not None:
        return bound
    entry = record_losses().get(losses.loss)
    return None if entry is None or entry.bound is None else float(entry.bound)


def _same_ranking(placements: PlacementValues) -> bool:
    """Whether both classifiers order all pairs of positives and negatives equally."""
    champion, challenger = placements.aucs.tolist()
    all_alike = champion == challenger and champion in (0.0, 1.0)
    return all_alike or _same_order(*placements.scores)


def _same_order(champion: Any, challenger: Any) -> bool:
    """Whether two scores rank all records identically, including ties."""
    order = np.lexsort((challenger, champion))
    rises, steps = np.diff(champion[order]) > 0, np.diff(challenger[order])
    return bool(((steps > 0) == rises).all() and (steps >= 0).all())


def has_zero_variation(result: Any, limit: float) -> bool:
    """Whether a result has a standard error of 0 or an interval without width."""
    errors = [result.details.get(name) for name in ("standard_error", "se")]
    no_error = any(error == 0 for error in errors)
    return no_error or (math.isfinite(limit) and limit == result.estimate)
