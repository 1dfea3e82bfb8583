"""P-values of all pairs of classifiers, and what follows from them, for many data sets.

Pairs are those of `pairs_of(k)`, the first classifier as champion, as in
`MultipleComparator`. P-values are of shape (draws, pairs).
"""

from dataclasses import dataclass

import numpy as np
from bcv_scores_measures import MEASURES
from bcv_scores_rules import CHOSEN, Summary
from rejections import ALPHA, corrected_pvalue
from scipy.special import ndtr
from scipy.stats import t as t_distribution
from several_algorithms_worlds import BETTER, N_CLASSIFIERS

SIZES = (3, 5, 10)
"""Numbers of classifiers: of the ten of a data set, the first of them."""

N_SPLITS = 10
EFFECTIVE_TABLES = 20 / 11
"""Averaged tables that the effective table of `bcv_mcnemar` is worth."""

ROUNDING = 1e-9
BETWEEN = 2.5
"""Weight of the variance between the splits in the default of `bcv_mcnemar`."""

PUBLISHED = "accuracy, published variance"
BY_T = "accuracy by bcv_score_t"


def pairs_of(k):
    return np.triu_indices(k, 1)


def bcv_pvalues(found, folds):
    """P-values by measure, from what `measure` found of every classifier."""
    pvalues = {
        name: score_pvalues(found, folds, name) for name in MEASURES if name != "accuracy"
    }
    pairs = Discordant.of(found, folds)
    pvalues["accuracy"] = pairs.pvalues(BETWEEN)
    pvalues[PUBLISHED] = pairs.pvalues(0.0)
    pvalues[BY_T] = score_pvalues(found, folds, "accuracy")
    return pvalues


def bcv_flags(found, folds):
    """Where `bcv_mcnemar` says "unstable-training", by measure."""
    return {"accuracy": Discordant.of(found, folds).unstable(BETWEEN)}


@dataclass(frozen=True)
class Discordant:
    """What `bcv_mcnemar` needs of all pairs.

    `only_champion` and `only_challenger` are the records that only one of the two answers
    rightly, averaged over the test sets, (draws, pairs). `gaps` are the differences of
    accuracy on all test sets, (draws, M, 2, pairs), and `size` has their numbers of
    records, (draws, M, 2, 1).
    """

    only_champion: np.ndarray
    only_challenger: np.ndarray
    gaps: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, found, folds):
        i = MEASURES.index("accuracy")
        right = np.stack(
            [
                np.rint(one.influences[i] + folds.spread(one.values[..., i]))
                for one in found
            ],
            axis=1,
        )
        right = right.reshape(*right.shape[:2], -1)
        both = right @ right.swapaxes(1, 2)
        alone = np.diagonal(both, axis1=1, axis2=2)[:, :, np.newaxis] - both
        first, second = pairs_of(len(found))
        return cls(
            alone[:, first, second] / N_SPLITS,
            alone[:, second, first] / N_SPLITS,
            _gaps(found, "accuracy"),
            folds.sizes[..., np.newaxis],
        )

    def pvalues(self, between):
        """P-values with this weight of the variance between the splits; 0 is published."""
        published = corrected_pvalue(
            self.only_champion, self.only_challenger, EFFECTIVE_TABLES
        )
        distance = EFFECTIVE_TABLES * np.abs(self.only_challenger - self.only_champion) - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.maximum(0, distance) / np.sqrt(self._least(between))
        return np.where(self.unstable(between), 2 * ndtr(-root), published)

    def unstable(self, between):
        """Where the variance between the splits decides, "unstable-training"."""
        explained = EFFECTIVE_TABLES * (self.only_champion + self.only_challenger)
        return self._least(between) > explained * (1 + ROUNDING)

    def _least(self, between):
        """The least variance of the difference, in squared effective records."""
        variance = self.gaps.reshape(len(self.gaps), N_SPLITS, -1).var(axis=1, ddof=1)
        effective = EFFECTIVE_TABLES * self.size.mean(axis=(1, 2))
        return effective**2 * between * variance / N_SPLITS


def _gaps(found, measure):
    """Differences of all pairs on all test sets, (draws, M, 2, pairs)."""
    i = MEASURES.index(measure)
    values = np.stack([one.values[..., i] for one in found], axis=-1)
    first, second = pairs_of(len(found))
    return values[..., second] - values[..., first]


def score_pvalues(found, folds, measure):
    """P-values of `bcv_score_t`; NaN where a score is undefined."""
    i = MEASURES.index(measure)
    gaps = _gaps(found, measure)
    influences = np.stack([one.influences[i] for one in found], axis=-1)
    weight = folds.class_weight if measure == "auc" else folds.weight
    weighted = influences * weight[..., np.newaxis]
    in_all = weighted.swapaxes(2, 3) @ influences
    in_first = (weighted * folds.first[..., np.newaxis]).swapaxes(2, 3) @ influences
    products = np.stack([in_all - in_first, in_first], axis=2)
    first, second = pairs_of(len(found))
    own = np.diagonal(products, axis1=3, axis2=4)
    variance = own[..., first] + own[..., second] - 2 * products[..., first, second]
    summary = Summary.of(gaps, np.maximum(variance, 0))
    return t_pvalues(summary.mean, CHOSEN.squared_error(summary), CHOSEN.df)


def t_pvalues(mean, squared_error, df):
    """Two-sided p-values of a mean over its standard error; 1 where nothing differs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(mean == 0, 0.0, np.abs(mean) / np.sqrt(squared_error))
    # A difference that does not vary at all has no p-value.
    statistic = np.where(np.isinf(statistic), np.nan, statistic)
    return 2 * t_distribution.sf(statistic, df)


def holm(pvalues):
    """Adjusted p-values of every data set; an undefined one counts as 1."""
    defined = np.where(np.isnan(pvalues), 1.0, pvalues)
    order = np.argsort(defined, axis=1, kind="stable")
    left = defined.shape[1] - np.arange(defined.shape[1])
    steps = np.take_along_axis(defined, order, axis=1) * left
    adjusted = np.empty_like(defined)
    np.put_along_axis(
        adjusted, order, np.minimum(np.maximum.accumulate(steps, axis=1), 1), axis=1
    )
    return adjusted


@dataclass(frozen=True)
class Outcome:
    """What was found among the first k classifiers, an entry a data set.

    `false` and `false_control` say whether any two equal ones were told apart, among all
    pairs and among those with a control; `single` and `strict` are the shares of the pairs
    of equal ones with p below alpha, and below alpha over the number of all pairs. `wins`
    says whether the better one was found better than every other one, `lost` whether
    another one was, and `shares` which share of its pairs was told apart. `flagged` is the
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
