"""Adjustment of several comparisons of AUCs by the greatest statistic."""

from typing import Any

import numpy as np

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PlacementValues

SLACK = 1e-12
"""Statistics this close are equal, for those above 1 relative to them."""


def max_t_auc_pvalues(
    placements: PlacementValues,
    pairs: tuple[IntArray, IntArray],
    statistic: FloatArray,
    deviation: FloatArray,
    alternative: str,
    n_resamples: int,
    rng: Any,
) -> FloatArray:
    """Step-down adjusted p-values from normal draws with the covariances of the AUCs."""
    # By name, so that the order of the classifiers changes no draw.
    by_name = np.argsort(placements.names)
    values, vectors = np.linalg.eigh(placements.covariance[np.ix_(by_name, by_name)])
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    drawn = np.empty((placements.n_scores, n_resamples))
    drawn[by_name] = (rng.standard_normal((n_resamples, len(root))) @ root).T
    first, second = pairs
    defined = np.isfinite(statistic)
    scale = np.where(deviation > 0, deviation, np.inf)[:, np.newaxis]
    draws = (drawn[second] - drawn[first]) / scale
    sign, two_sided = (-1.0 if alternative == "less" else 1.0), alternative == "two-sided"
    draws, observed = sign * draws, sign * np.where(defined, statistic, -np.inf)
    if two_sided:
        draws, observed = np.abs(draws), np.where(defined, np.abs(observed), -np.inf)
    order = np.argsort(-observed, kind="stable")
    bars = observed - SLACK * np.maximum(1, np.abs(observed))
    extreme = 1.0 + _at_least(draws[order], bars[order])
    ways = 1
    if not two_sided:
        ways = 2
        extreme += _at_least(-observed[order][:, np.newaxis], bars[order])
        extreme += _at_least(-draws[order], bars[order])
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(extreme / (ways * (n_resamples + 1)))
    return np.where(defined, np.minimum(adjusted, 1.0), np.nan)


def _at_least(drawn: FloatArray, bars: FloatArray) -> IntArray:
    """Draws in which the greatest of a statistic and those after it reaches its bar."""
    greatest = np.maximum.accumulate(drawn[::-1], axis=0)[::-1]
    return np.count_nonzero(greatest >= bars[:, np.newaxis], axis=1)
