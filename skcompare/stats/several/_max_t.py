"""Adjustment of p-values by the greatest of several dependent statistics."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from skcompare._typing import FloatArray, IntArray

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
