"""Replicability of decisions of repeated experiments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from skcompare._core.validation import alpha_of, check_alpha, check_confidence_level
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._result import ConfidenceInterval, PairedResult

ALPHA = 0.05

NUMBERS = (bool, int, float, np.bool_, np.number)
"""Types of decisions in arrays of objects."""

NOISE = 1e-12
"""Sums of probabilities that exceed a level by up to this are rounding."""


@dataclass(frozen=True, slots=True)
class ReplicabilityResult:
    """Share of pairs of experiments that came to the same decision.

    Attributes
    ----------
    value : float
        The replicability, between `least` and 1.
    n : int
        Number of experiments.
    rejections : int
        Number of those that rejected the null hypothesis.
    """

    value: float
    n: int
    rejections: int

    @property
    def least(self) -> float:
        """Least possible value, where half of the experiments reject."""
        return float(_agreement(np.array(self.n // 2), self.n))

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return the percentile bootstrap interval over experiments.

        Experiments are drawn with replacement, which makes the number of rejections
        binomial, so that the percentiles are those of all possible resamples and no random
        numbers are needed. A resample may hold an experiment twice, which agrees with
        itself, so that resampled values are greater by (1 - value) / n on average. Where
        all experiments agree the interval has no width, and says nothing about further
        ones.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Between 0 and 1.

        Returns
        -------
        interval : ConfidenceInterval
        """
        half = alpha_of(check_confidence_level(confidence_level)) / 2
        drawn = np.arange(self.n + 1)
        values = _agreement(drawn, self.n)
        order = np.argsort(values)
        values = values[order]
        weights = binom.pmf(drawn, self.n, self.rejections / self.n)[order]
        return ConfidenceInterval(
            _percentile(values, weights, half),
            -_percentile(-values[::-1], weights[::-1], half),
        )

    def __str__(self) -> str:
        low, high = self.confidence_interval()
        return (
            f"replicability {self.value:.4f}, 95 % interval [{low:.4f}, {high:.4f}]\n"
            f"{self.rejections} of {self.n} experiments rejected"
        )


def replicability(
    decisions: Any, *, alpha: float | None = None
) -> ReplicabilityResult | tuple[ReplicabilityResult, ...]:
    """Estimate how often two repetitions of an experiment come to the same decision.

    An experiment, such as a comparison on a random split or on a sample of the data, is
    repeated n times and either rejects its null hypothesis or does not. Replicability is
    the share of the n (n - 1) / 2 pairs of repetitions with the same decision [1]_. It is 1
    where all are the same, and close to 1/2 where half of them rejected, as by coin tosses.
    It says nothing about which decision is correct: a test without power is perfectly
    replicable.

    Parameters
    ----------
    decisions : array-like of shape (n_experiments,) or (n_experiments, n_tests)
        Whether each experiment rejected: True or 1, False or 0; or the `PairedResult` of
        each. With several columns, one test per column.
    alpha : float, optional
        The level at which results reject, 0.05 by default; for results only. An undefined
        p-value rejects nothing.

    Returns
    -------
    result : ReplicabilityResult, or a tuple of them
        `value`, `n`, `rejections`, and a bootstrap interval over the experiments as
        ``confidence_interval()``; one result per column of several columns.

    Raises
    ------
    ValueError
        If there are fewer than two experiments, or the values are not decisions.

    Notes
    -----
    With p rejections among n and q = n - p others it is ``(p (p - 1) + q (q - 1)) / (n (n -
    1))``, without bias for the probability that two experiments agree. Experiments on
    samples of one data set overlap, and agree more often than those on fresh data would;
    the interval takes them as independent.

    References
    ----------
    .. [1] Bouckaert, R. R. (2004). "Estimating replicability of classifier learning
       experiments." Proceedings of the 21st International Conference on Machine Learning,
       15.

    Examples
    --------
    >>> from skcompare.stats import replicability
    >>> result = replicability([1, 1, 1, 1, 1, 1, 1, 0, 0, 0])
    >>> print(f"{result.value:.4f} of {result.n}")
    0.5333 of 10
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.2f}, {high:.2f}]")
    [0.44, 1.00]
    """
    table = _decisions(decisions, alpha)
    n = len(table)
    counts = table.sum(axis=0)
    values = _agreement(counts, n)
    if table.ndim == 1:
        return ReplicabilityResult(float(values), n, int(counts))
    columns = zip(values.tolist(), counts.tolist(), strict=True)
    return tuple(ReplicabilityResult(value, n, count) for value, count in columns)


def _agreement(rejections: IntArray, n: int) -> FloatArray:
    """Share of pairs that agree: Gondara's equation (30), with its missing parentheses."""
    kept = n - rejections
    pairs = rejections * (rejections - 1) + kept * (kept - 1)
    return np.asarray(pairs / (n * (n - 1)))


def _percentile(values: FloatArray, weights: FloatArray, share: float) -> float:
    """Least of the sorted values at which the cumulative weight exceeds a share."""
    position = int(np.searchsorted(np.cumsum(weights), share + NOISE))
    return float(values[min(position, len(values) - 1)])


def _decisions(decisions: Any, alpha: float | None) -> IntArray:
    """Return the decisions as zeros and ones, with one row per experiment."""
    level = ALPHA if alpha is None else check_alpha(alpha)
    booleans = _decided(decisions, level)
    if booleans is decisions and alpha is not None:
        raise ValueError(
            f"`alpha` is the level at which results reject, and these decisions are made. "
            f"Got alpha={alpha!r}. Leave it out, or pass the results."
        )
    try:
        table = np.asarray(booleans)
    except ValueError:
        table = np.empty(0, dtype=object)
    if table.ndim not in (1, 2) or table.size == 0 or len(table) < 2:
        raise ValueError(
            "`decisions` must be at least 2 experiments, of shape (n_experiments,) or "
            f"(n_experiments, n_tests). Got {_shown(decisions)}. One experiment has none "
            "to agree with."
        )
    if table.dtype.kind == "O" and all(isinstance(item, NUMBERS) for item in table.flat):
        table = table.astype(np.float64)
    binary = table.dtype.kind in "biuf" and bool(((table == 0) | (table == 1)).all())
    if not binary:
        raise ValueError(
            "`decisions` must be True or 1 where an experiment rejected, and False or 0 "
            f"where it did not. Got {_shown(decisions)}. Compare p-values with the level "
            "first, or pass the results."
        )
    return table.astype(np.int64)


def _decided(decisions: Any, alpha: float) -> Any:
    """Replace results by Booleans; return anything else unchanged."""
    if isinstance(decisions, PairedResult):
        # A NaN is not below any level.
        return decisions.pvalue < alpha
    holds_objects = getattr(getattr(decisions, "dtype", None), "kind", "") == "O"
    listed = decisions.tolist() if holds_objects else decisions
    if not isinstance(listed, Sequence) or isinstance(listed, str | bytes):
        return decisions
    decided = [_decided(item, alpha) for item in listed]
    unchanged = all(new is old for new, old in zip(decided, listed, strict=True))
    return decisions if unchanged else decided


def _shown(decisions: Any) -> str:
    shape = np.shape(decisions) if hasattr(decisions, "shape") else ()
    return f"an array of shape {shape}" if shape else f"{decisions!r:.80}"
