"""Adjustment of tests on the same records by the joint distribution of their statistics."""

import math
from collections.abc import Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from skcompare._core.design import FIXED_TRAININGS
from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray
from skcompare.evidence import CrossedDifferences, PairedLosses, ScoredPair
from skcompare.stats.core._limits import normal_critical
from skcompare.stats.core._result import PairedResult
from skcompare.stats.scores._resampling import generator, influences
from skcompare.stats.several._pairwise import Draws, normal_draws, single_step

N_DRAWS = 9999
"""Number of draws of the greatest statistic."""


class Simultaneous(NamedTuple):
    """Adjusted p-values of several tests, and the level of each of their intervals."""

    pvalues: FloatArray
    level: float


@singledispatch
def unit_influences(evidence: Any) -> FloatArray | None:
    """Return what each record, or group, contributes to a difference; None if unknown.

    In the order of the records, or of the sorted groups, so that those of different
    evidence of the same predictions can be correlated.
    """
    return None


@unit_influences.register
def _of_losses(losses: PairedLosses) -> FloatArray | None:
    if losses.groups is not None:
        return losses.groups.gains - losses.groups.sizes * losses.gain
    return None if losses.values is None else losses.differences - losses.gain


@unit_influences.register
def _of_scored(scored: ScoredPair) -> FloatArray | None:
    own = influences(scored, generator(0))
    if len(own) != scored.n_units:
        # Those of random parts of the records.
        return None
    if scored.groups is not None:
        return own
    in_order = np.empty_like(own)
    in_order[np.argsort(np.argsort(scored.rows))] = own  # type: ignore[arg-type]
    return in_order


@unit_influences.register
def _of_trainings(crossed: CrossedDifferences) -> FloatArray | None:
    return units_of_trainings(crossed, (0, 1), crossed.n_trainings)


def units_of_trainings(
    crossed: CrossedDifferences, roles: tuple[int, int], counts: Sequence[int]
) -> FloatArray:
    """Return what each record, and each training, contributes to a difference.

    Those of several pairs have the sum of the covariances over records and over trainings
    for products: the interaction is in both, which hardly changes a correlation. Over
    trainings all recipes are taken to vary alike, independently of each other.

    Parameters
    ----------
    crossed : CrossedDifferences
        Values of a pair.
    roles : pair of int
        Positions of its champion and challenger among all recipes.
    counts : sequence of int
        Number of trainings of each recipe.
    """
    gains, parts = crossed.mean_gains, []
    parts.append((gains - gains.mean()) / math.sqrt(crossed.n * max(1, crossed.n - 1)))
    if crossed.design.kind == FIXED_TRAININGS.kind:
        return parts[0]
    if crossed.paired:
        variances = [_squares_per_root(crossed.gains)]
    else:
        variances = [
            _squares_per_root(own) for own in (crossed.champion, crossed.challenger)
        ]
    # Correlations of few trainings are near 1 or -1 by chance, as if there were fewer
    # tests, so that they are those of recipes that vary alike.
    trainings = np.zeros(len(counts))
    for position, sign in zip(roles, (-1, 1), strict=True):
        trainings[position] = sign * (counts[position] > 1)
    size = math.sqrt(sum(variances) / max(1.0, float(trainings @ trainings)))
    return np.concatenate([*parts, crossed.sign * size * trainings])


def _squares_per_root(values: FloatArray) -> float:
    """Variance of the mean over trainings, of one training 0."""
    means, s = values.mean(axis=1), len(values)
    return float(((means - means.mean()) ** 2).sum()) / (s * max(1, s - 1))


def max_t(
    results: Sequence[PairedResult],
    units: Sequence[FloatArray],
    names: Sequence[str],
    *,
    alternative: str,
    confidence_level: float,
) -> Simultaneous:
    """Adjust tests on the same records by the greatest of their statistics (single-step).

    Each p-value becomes a normal deviate, and is compared with the greatest of normal draws
    that have the correlations of the records' influences [1]_: a null hypothesis is
    rejected with a probability of at most the level if any of them hold, in large samples.
    One test alone is not changed.

    Parameters
    ----------
    results : sequence of PairedResult
        Results of tests of differences.
    units : sequence of ndarray of shape (n_units,)
        Contributions of the records, or groups, to each difference.
    names : sequence of str
        Names of the tests, by which values are drawn, so that their order changes nothing.
    alternative : {"two-sided", "less", "greater"}
        Direction of all tests.
    confidence_level : float
        Level at which the intervals hold together.

    Returns
    -------
    simultaneous : Simultaneous
        P-values no smaller than before, and the level of each interval, which excludes the
        null value exactly when the adjusted p-value is below 1 - `confidence_level`.

    References
    ----------
    .. [1] Hothorn, T., Bretz, F. and Westfall, P. (2008). "Simultaneous inference in
       general parametric models." Biometrical Journal 50(3), 346-363.
    """
    pvalues = np.array([result.pvalue for result in results])
    if len(pvalues) == 1:
        return Simultaneous(pvalues, confidence_level)
    # By the p-value, so that tests by t of any degrees of freedom are on one scale.
    if alternative == "two-sided":
        estimates = np.array([result.estimate for result in results])
        observed = np.copysign(-ndtri(pvalues / 2), estimates)
    else:
        observed = ndtri(pvalues) if alternative == "less" else -ndtri(pvalues)
    correlation, rng = correlations(np.stack(units)), np.random.RandomState(0)
    # Nothing is known of a statistic without variation, unless the models are equal there.
    constant = (np.diag(correlation) == 0) & (pvalues < 1)
    np.fill_diagonal(correlation, np.where(constant, 1.0, np.diag(correlation)))
    draws = Draws(observed, [normal_draws(correlation, names, N_DRAWS, rng)])
    share = alpha_of(confidence_level)
    adjusted, critical, _ = single_step(draws, alternative, share)
    # No smaller than without adjustment, and limits no nearer.
    critical = max(critical, normal_critical(share, alternative))
    tails = 2 if alternative == "two-sided" else 1
    adjusted = np.where(np.isnan(pvalues), np.nan, np.fmax(adjusted, pvalues))
    return Simultaneous(adjusted, 1 - tails * float(ndtr(-critical)))


def correlations(units: FloatArray) -> FloatArray:
    """Return the correlations of rows; those of a row without variation are 0."""
    largest = np.abs(units).max(axis=1, keepdims=True)
    scaled = units / np.where(largest > 0, largest, 1.0)
    lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    directions = scaled / np.where(lengths > 0, lengths, math.inf)[:, np.newaxis]
    return np.asarray(directions @ directions.T)
