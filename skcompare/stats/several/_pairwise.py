"""Tests of all pairs of several classifiers, with adjusted p-values."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy.special import ndtr
from sklearn.utils import check_random_state

from skcompare._core.validation import (
    alpha_of,
    check_choice,
    check_confidence_level,
    check_count,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._adjust import Adjustment, adjust_pvalues
from skcompare.stats.core._limits import interval_level
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import normal_critical
from skcompare.stats.several._pairwise_result import PairwiseResult

PairwiseAdjustment = Literal[Adjustment, "max-t"]
PAIRWISE_ADJUSTMENTS: tuple[str, ...] = get_args(PairwiseAdjustment)

SLACK = 1e-12
"""Tolerance of equal statistics, relative for those above 1."""


class Draws(NamedTuple):
    """Statistics of pairs that are observed, and drawn as if no classifier was better.

    Attributes
    ----------
    observed : ndarray of shape (n_pairs,)
        Signed roots, positive for the challenger; NaN where undefined.
    batches : iterable of ndarray of shape (n_pairs, some of the draws)
        Statistics that are drawn together.
    flags : tuple of str
        Caveats of the draws.
    """

    observed: FloatArray
    batches: Iterable[FloatArray]
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTests:
    """Tests of pairs before any adjustment.

    Attributes
    ----------
    test, title, measure, estimate_name, settings, details, omnibus, flags
        As of the result.
    estimate, statistic, pvalue : ndarray of shape (n_pairs,)
        Of each pair.
    limits : callable
        `limits(level)`, or `limits(level, critical=...)` if adjusted in a single step,
        returns the limits of all pairs.
    draws : callable
        `draws(n, rng)` returns the :class:`Draws` of "max-t".
    in_steps : bool
        Whether "max-t" is step-down. In a single step p-values go with the intervals.
    """

    test: str
    title: str
    measure: str
    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    omnibus: PairedResult
    limits: Callable[..., tuple[FloatArray, FloatArray]]
    draws: Callable[[int, Any], Draws]
    in_steps: bool = True
    estimate_name: str = "difference"
    details: Mapping[str, FloatArray | IntArray] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def pairwise(
    evidence: Any,
    tests_of: Callable[[IntArray, IntArray], PairTests],
    *,
    adjust: str,
    control: str | None,
    alternative: str,
    confidence_level: float,
    n_resamples: int,
    random_state: Any,
) -> PairwiseResult:
    """Test pairs of classifiers and adjust the p-values and intervals.

    `evidence` has the names of several classifiers. `tests_of` runs the tests of pairs,
    from the positions of the champion and the challenger of each.
    """
    level = check_confidence_level(confidence_level)
    n_resamples = check_count("n_resamples", n_resamples)
    champion, challenger = pairs_of(evidence.names, control, alternative)
    tests = tests_of(champion, challenger)
    each_level = interval_level(level, adjust, len(champion))
    limits, flags, error = tests.limits, tests.flags, None
    if adjust == "max-t":
        draws = tests.draws(n_resamples, check_random_state(random_state))
        n_draws, flags = n_resamples, (*flags, *draws.flags)
        if tests.in_steps:
            adjusted = step_down(draws, alternative)
        else:
            share = alpha_of(level)
            adjusted, critical, n_draws = single_step(draws, alternative, share)
            # The limits are no nearer than without adjustment.
            critical = max(critical, normal_critical(share, alternative))
            limits = partial(limits, critical=critical)
            each_level = 1 - (2 if alternative == "two-sided" else 1) * float(
                ndtr(-critical)
            )
        error = np.sqrt(adjusted * (1 - adjusted) / (1 + n_draws))
        # No smaller than without adjustment.
        adjusted = np.fmax(adjusted, tests.pvalue)
        adjusted = np.where(np.isnan(tests.pvalue), np.nan, adjusted)
    else:
        adjusted = adjust_pvalues(tests.pvalue, adjust)  # type: ignore[arg-type]
    names = np.array(evidence.names, dtype=object)
    return PairwiseResult(
        test=tests.test,
        title=tests.title,
        measure=tests.measure,
        champion=tuple(names[champion]),
        challenger=tuple(names[challenger]),
        estimate=tests.estimate,
        estimate_name=tests.estimate_name,
        statistic=tests.statistic,
        pvalue=tests.pvalue,
        adjusted_pvalue=adjusted,
        details=tests.details,
        n=evidence.n,
        settings=tests.settings,
        adjust=adjust,
        alternative=alternative,
        control=control,
        confidence_level=level,
        interval_level=each_level,
        omnibus=tests.omnibus,
        design=evidence.design,
        limits=limits,
        flags=flags,
        monte_carlo_error=error,
    )


def pairs_of(
    names: Sequence[str], control: str | None, alternative: str
) -> tuple[IntArray, IntArray]:
    """Return the positions of the champion and of the challenger of each pair."""
    k = len(names)
    if control is None:
        if alternative != "two-sided":
            raise ValueError(
                f"alternative={alternative!r} needs a control that the others are compared "
                "with, because all pairs have no direction of their own. Pass `control`, "
                "or use alternative='two-sided'."
            )
        return _all_pairs(k)
    check_choice("control", control, names)
    at = list(names).index(control)
    return np.full(k - 1, at), np.delete(np.arange(k), at)


@lru_cache(maxsize=8)
def _all_pairs(k: int) -> tuple[IntArray, IntArray]:
    first, second = np.triu_indices(k, 1)
    first.setflags(write=False)
    second.setflags(write=False)
    return first, second


def step_down(draws: Draws, alternative: str) -> FloatArray:
    """Adjust p-values by Westfall and Young's step-down max-T.

    Each statistic is compared with the greatest of all that are not yet rejected. Draws
    as extreme count, with the observed statistics themselves as one draw. One-sided, each
    draw counts with its opposite, so that exchanged roles give exactly the opposite.
    """
    observed, two_sided = _directed(draws.observed, alternative), alternative == "two-sided"
    order = np.argsort(-observed, kind="stable")
    bars = _bars(observed)[order]
    extreme, n_draws = np.ones(len(order)), 0
    if not two_sided:
        extreme += _at_least(-observed[order][:, np.newaxis], bars)
    for batch in draws.batches:
        drawn = _directed(batch, alternative)[order]
        n_draws += drawn.shape[1]
        extreme += _at_least(drawn, bars)
        if not two_sided:
            extreme += _at_least(-drawn, bars)
    adjusted = np.empty(len(order))
    n_signs = 1 if two_sided else 2
    adjusted[order] = np.maximum.accumulate(extreme / (n_signs * (n_draws + 1)))
    return np.where(np.isnan(draws.observed), np.nan, np.minimum(adjusted, 1.0))


def single_step(
    draws: Draws, alternative: str, share: float
) -> tuple[FloatArray, float, int]:
    """Adjust p-values by the greatest of all statistics.

    Returns
    -------
    adjusted : ndarray of shape (n_pairs,)
        Adjusted p-values.
    critical : float
        Critical value at the level `share`, which goes with them.
    n_draws : int
        Number of draws, twice as many one-sided because each counts with its opposite.
    """
    batches = list(draws.batches)
    if alternative != "two-sided":
        batches += [-batch for batch in batches]
    greatest = [_directed(batch, alternative).max(axis=0) for batch in batches]
    ordered = np.sort(np.concatenate(greatest))
    bars = _bars(_directed(draws.observed, alternative))
    beyond = len(ordered) - np.searchsorted(ordered, bars, side="left")
    adjusted = (1 + beyond) / (1 + len(ordered))
    # Largest number of draws that may be as great for a p-value below the level.
    allowed = math.ceil(share * (1 + len(ordered)) - SLACK) - 2
    critical = float(ordered[-1 - allowed]) if allowed >= 0 else math.inf
    return adjusted, critical, len(ordered)


def _directed(values: FloatArray, alternative: str) -> FloatArray:
    """Statistics of which large ones are significant; undefined ones are least."""
    directed = -values if alternative == "less" else values
    if alternative == "two-sided":
        directed = np.abs(directed)
    return np.where(np.isnan(directed), -np.inf, directed)


def _bars(observed: FloatArray) -> FloatArray:
    """Statistics from which on a drawn one is as extreme."""
    size = np.where(np.isfinite(observed), np.abs(observed), 0)
    return observed - SLACK * np.maximum(1, size)


def _at_least(drawn: FloatArray, bars: FloatArray) -> IntArray:
    """Count draws in which the running maximum of each statistic reaches its threshold."""
    greatest = np.maximum.accumulate(drawn[::-1], axis=0)[::-1]
    return np.count_nonzero(greatest >= bars[:, np.newaxis], axis=1)


def normal_draws(
    covariance: FloatArray | IntArray, names: Sequence[str], size: int, rng: Any
) -> FloatArray:
    """Draw normal values of each classifier, of shape (n_classifiers, size).

    By name, so that the order of the classifiers changes no draw.
    """
    by_name = np.argsort(names)
    values, vectors = np.linalg.eigh(covariance[np.ix_(by_name, by_name)].astype(float))
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    drawn = np.empty((len(root), size))
    drawn[by_name] = (rng.standard_normal((size, len(root))) @ root).T
    return drawn
