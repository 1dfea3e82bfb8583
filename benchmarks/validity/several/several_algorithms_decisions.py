"""P-values of all pairs of classifiers, and what follows from them, for many data sets.

Pairs are those of `pairs_of(k)`, the first classifier as champion, as in
`MultipleComparator`. P-values are of shape (draws, pairs).
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as t_distribution

from benchmarks.validity._lib.rejections import ALPHA, corrected_pvalue
from benchmarks.validity.several.several_algorithms_worlds import BETTER, N_CLASSIFIERS
from benchmarks.validity.splits.bcv_catalogue_rules import PUBLISHED, jackknife, sides_of
from benchmarks.validity.splits.bcv_measures import MEASURES
from skcompare.stats import adjust_pvalues

SIZES = (3, 5, 10)
"""Numbers of classifiers: of the ten of a data set, the first of them."""

N_SPLITS = 10
N_REPEATS = 5
EFFECTIVE_TABLES = 20 / 11
"""Averaged tables that the effective table of `bcv_mcnemar` is worth."""


def pairs_of(k):
    return np.triu_indices(k, 1)


def bcv_decisions(tables):
    """P-values and flags by measure, from the tables of all pairs.

    The flag is "unstable-training" of `bcv_jackknife_t`.
    """
    pvalues, flags = {}, {}
    for table in tables:
        variance = jackknife(table, sides_of(N_REPEATS))
        of_pair = t_pvalues(table.mean, np.sqrt(variance.total), variance.df)
        unstable = 2 * variance.chance > table.variance
        discordant, balance = table.counts.T
        alone = (discordant - balance) / 2, (discordant + balance) / 2
        published = corrected_pvalue(*alone, EFFECTIVE_TABLES)
        for i, name in enumerate(MEASURES):
            pvalues.setdefault(name, []).append(of_pair[:, i])
            flags.setdefault(name, []).append(unstable[:, i])
        pvalues.setdefault(PUBLISHED, []).append(published)
    return (
        {name: np.stack(columns, axis=1) for name, columns in held.items()}
        for held in (pvalues, flags)
    )


def t_pvalues(mean, error, df):
    """Two-sided p-values of a mean over its standard error; 1 where nothing differs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(mean == 0, 0.0, np.abs(mean) / error)
    # A difference that does not vary at all has no p-value.
    statistic = np.where(np.isinf(statistic), np.nan, statistic)
    return 2 * t_distribution.sf(statistic, df)


def holm(pvalues):
    """Adjusted p-values of every data set; an undefined one rejects nothing."""
    return np.apply_along_axis(adjust_pvalues, 1, pvalues)


@dataclass(frozen=True)
class Outcome:
    """What was found among the first k classifiers, an entry a data set.

    `false` and `false_control` say whether any two equal ones were rejected, among all
    pairs and among those with a control; `single` and `strict` are the shares of the pairs
    of equal ones with p below alpha, and below alpha over the number of all pairs. `wins`
    says whether the better one was found better than every other one, `lost` whether
    another one was, and `shares` which share of its pairs was rejected. `flagged` is the
    share of all pairs that are flagged.
    """

    false: np.ndarray
    false_control: np.ndarray
    single: np.ndarray
    strict: np.ndarray
    wins: np.ndarray
    lost: np.ndarray
    shares: np.ndarray
    flagged: np.ndarray

    @classmethod
    def of(cls, pvalues, differences, flags, k, one_better):
        """From p-values, mean differences and flags of all pairs of the ten."""
        first, second = pairs_of(N_CLASSIFIERS)
        kept = second < k
        pvalues, differences, flags = (
            part[:, kept] for part in (pvalues, differences, flags)
        )
        first, second = first[kept], second[kept]
        better = (first == BETTER) & one_better
        rejected = holm(pvalues) < ALPHA
        control = first == (BETTER + 1 if one_better else BETTER)
        with_control = holm(pvalues[:, control]) < ALPHA
        equal = pvalues[:, ~better]
        beaten = np.stack(
            [
                (rejected & (first == i) & (differences < 0)).sum(axis=1)
                + (rejected & (second == i) & (differences > 0)).sum(axis=1)
                for i in range(k)
            ],
            axis=1,
        )
        winners = beaten == k - 1
        return cls(
            false=(rejected & ~better).any(axis=1),
            false_control=with_control.any(axis=1),
            single=(equal < ALPHA).mean(axis=1),
            strict=(equal < ALPHA / len(first)).mean(axis=1),
            wins=winners[:, BETTER],
            lost=np.delete(winners, BETTER, axis=1).any(axis=1),
            shares=rejected[:, first == BETTER].mean(axis=1),
            flagged=flags.mean(axis=1),
        )
