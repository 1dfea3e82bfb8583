"""Correlations of the disagreement between the halves of 5×2 cross-validation.

With `E[j, k]` the share of discordant records of half k of repetition j, sigma² is its
variance over data sets, rho1 sigma² the covariance of the two halves of a repetition, and
rho2 sigma² that of halves of different repetitions (arXiv:2304.03990, theorem 1).
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from benchmarks.validity.splits.disagreement.disagreement_classifiers import CLASSIFIERS
from benchmarks.validity.splits.disagreement.disagreement_draws import N_RECORDS

ASSUMED = 1 + 0.5 + 8 * 0.5
"""1 + rho1 + 8 rho2 of the test, whose multiplier is 10 over this: 20/11."""


class Rhos(NamedTuple):
    """Correlations, 1 + rho1 + 8 rho2, and the standard error of each."""

    rho1: float
    rho2: float
    total: float
    rho1_error: float
    rho2_error: float
    total_error: float


class Case(NamedTuple):
    """Two classifiers on one data set.

    Parameters
    ----------
    dataset, first, second : str
        Names.
    disagreement : float
        Mean share of discordant records.
    drawn : Rhos
        Over draws from the records of the file, as in the paper.
    independent : Rhos
        The same for draws that have no record in common.
    disagreement_ratio, difference_ratio : tuple of float
        Variance of the averaged disagreement, and of the averaged difference of
        accuracies, over independent draws, by that which the test allows for, and
        standard errors.
    """

    dataset: str
    first: str
    second: str
    disagreement: float
    drawn: Rhos
    independent: Rhos
    disagreement_ratio: tuple[float, float]
    difference_ratio: tuple[float, float]


class Moments(NamedTuple):
    """Variance and covariances: of all repetitions, then with each pair of them left out.

    `shared` is what two independent draws have in common because the file is finite:
    minus the covariance of draws that share no record. A product of the means of two such
    draws has the mean of a product over independent data sets, which the squared mean
    over all draws of a file has not. To add it to all covariances makes them those of
    independent data sets, without bias.
    """

    variance: np.ndarray
    within: np.ndarray
    between: np.ndarray
    shared: np.ndarray

    def independent(self):
        own = [moment + self.shared for moment in self[:3]]
        return Moments(*own, np.zeros_like(self.shared))

    def of_mean(self):
        """Variance of the mean over all ten halves."""
        return (self.variance + self.within + 8 * self.between) / 10


def moments(values):
    """Moments of values of shape (n_repetitions, 10)."""
    pairs = (values - values.mean(axis=0)).reshape(-1, 2, 10)
    draw_means = pairs.mean(axis=2)
    sums = draw_means.sum(axis=1)
    squared_differences = (draw_means[:, 0] - draw_means[:, 1]) ** 2

    products = _left_out(np.swapaxes(pairs, 1, 2) @ pairs)
    totals = _left_out(pairs.sum(axis=1))
    n_pairs = np.r_[len(pairs), np.full(len(pairs), len(pairs) - 1)]
    n = 2 * n_pairs[:, np.newaxis, np.newaxis]
    covariances = products - totals[:, :, np.newaxis] * totals[:, np.newaxis, :] / n
    covariances /= n - 1

    variance = np.trace(covariances, axis1=1, axis2=2) / 10
    first = np.arange(0, 10, 2)
    within = covariances[:, first, first + 1].mean(axis=1)
    between = (covariances.sum(axis=(1, 2)) - 10 * variance - 10 * within) / 80
    # Var(a + b) - Var(a - b) is 4 Cov(a, b); the mean of a - b is known to be 0.
    spread = (_left_out(sums**2) - _left_out(sums) ** 2 / n_pairs) / (n_pairs - 1)
    shared = (_left_out(squared_differences) / n_pairs - spread) / 4
    return Moments(variance, within, between, shared)


def _left_out(terms):
    """The sum of all, then the sums without each."""
    total = terms.sum(axis=0)
    return np.concatenate([total[np.newaxis], total - terms])


def jackknife_error(estimates):
    """Standard error from the estimates with each pair left out, which come second."""
    without = estimates[1:]
    factor = (len(without) - 1) / len(without)
    return float(np.sqrt(factor * ((without - without.mean()) ** 2).sum()))


def rhos(found):
    rho1 = found.within / found.variance
    rho2 = found.between / found.variance
    estimates = rho1, rho2, 1 + rho1 + 8 * rho2
    values = (float(estimate[0]) for estimate in estimates)
    return Rhos(*values, *map(jackknife_error, estimates))


def cases_of(dataset, draws):
    """All pairs of classifiers, and those that never differed: they have no correlation."""
    cases, never = [], []
    for (i, first), (j, second) in combinations(enumerate(CLASSIFIERS), 2):
        only = draws.both_wrong[:, :, [i, j], [i, j]] - draws.both_wrong[:, :, i, j, None]
        only = only / draws.n_test[:, :, np.newaxis]
        if not only.any():
            never.append((dataset, first, second))
            continue
        disagreement, difference = only.sum(axis=2), only[:, :, 0] - only[:, :, 1]
        share = float(disagreement.mean())
        found = moments(disagreement)
        cases.append(
            Case(
                dataset,
                first,
                second,
                share,
                rhos(found),
                rhos(found.independent()),
                variance_ratio(disagreement, share * (1 - share)),
                variance_ratio(difference, share - difference.mean() ** 2),
            )
        )
    return cases, never


def variance_ratio(values, of_a_record):
    """Variance of the mean of all halves by the test's, and its standard error.

    The test has 5 n / 5.5 effective records, each with the variance `of_a_record`.
    """
    by_test = of_a_record * ASSUMED / (5 * N_RECORDS)
    ratio = moments(values).independent().of_mean() / by_test
    return float(ratio[0]), jackknife_error(ratio)
