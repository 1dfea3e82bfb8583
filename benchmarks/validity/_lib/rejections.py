"""Decisions of tests for arrays of tables, and probabilities of tables.

`skcompare.stats` takes one table at a time. A million tables are decided here by the same
formulas in numpy; the scripts check on a part of the tables that both agree.
"""

import numpy as np
from scipy.special import chdtrc, gammaln, ndtr, xlogy
from scipy.stats import binom

from skcompare.evidence import PairedBlocks
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.stats import bcv_mcnemar
from skcompare.stats.scores._confusion_scores import count_score
from skcompare.stats.scores._permutation_null import score_pair

ALPHA = 0.05
N_SPLITS = 10
EFFECTIVE_SHARE = 10 / 11
"""Effective records a record, for five repetitions and rho1 = rho2 = 1/2."""


def corrected_pvalue(only_champion, only_challenger, scale=1.0):
    """Two-sided p-values of McNemar's corrected test of scaled counts.

    With fixed losses every repetition of the cross-validation counts every record once, so
    the counts averaged over its ten test sets are half of the counts of the whole data
    set, however it is split. `scale=EFFECTIVE_SHARE` then gives the 5×2 BCV test.
    """
    discordant = scale * (only_champion + only_challenger)
    distance = np.maximum(0, scale * np.abs(only_challenger - only_champion) - 1)
    root = distance / np.sqrt(np.maximum(discordant, 1e-300))
    return 2 * ndtr(-root)


def mid_pvalue(only_champion, only_challenger):
    """Two-sided p-values of McNemar's mid-p test."""
    discordant = only_champion + only_challenger
    smaller = np.minimum(only_champion, only_challenger)
    observed = binom.pmf(smaller, discordant, 0.5)
    # At equal counts both tails hold the observed number, which then counts once.
    equal = np.where(discordant == 0, 1.0, 1 - observed / 2)
    unequal = 2 * binom.cdf(smaller, discordant, 0.5) - observed
    return np.where(only_champion == only_challenger, equal, unequal)


def result_by_splitting(champion_loss, challenger_loss, random_state):
    """Result of one data set with given losses, through the splitter and the library.

    Losses are of shape (n,), or (10, n) where they depend on the split.
    """
    n = np.shape(champion_loss)[-1]
    y = np.zeros(n, dtype=np.int64)
    losses = [
        np.broadcast_to(loss, (N_SPLITS, n)) for loss in (champion_loss, challenger_loss)
    ]
    tests = [
        test for _, test in BlockRegularized5x2CV(random_state=random_state).split(y, y)
    ]
    blocks = PairedBlocks.from_predictions(
        [y[test] for test in tests],
        *([loss[k, test] for k, test in enumerate(tests)] for loss in losses),
        design="bcv",
    )
    return bcv_mcnemar(blocks)


def count_probabilities(n, p_champion, p_challenger):
    """Probabilities of all pairs of discordant counts of n records.

    Entry [b, c] is that of b records that only the champion answers rightly and c that
    only the challenger does.
    """
    b = np.arange(n + 1)[:, np.newaxis]
    c = np.arange(n + 1)[np.newaxis, :]
    # Binomial for b, and binomial for c among the other records.
    rest = n - b
    share = p_challenger / (1 - p_champion)
    inside = c <= rest
    return np.where(
        inside,
        binom.pmf(b, n, p_champion) * binom.pmf(np.minimum(c, rest), rest, share),
        0.0,
    )


def likely_tables(n, shares, rare=1e-5):
    """Tables of n records by four shares, the likeliest first, and their probabilities.

    The rarest ones are left out, with a probability of `rare` in all.
    """
    first, second, third = (axis.ravel() for axis in np.indices((n + 1,) * 3, np.int16))
    inside = first + second + third <= n
    counts = np.stack([first[inside], second[inside], third[inside]], axis=1).astype(int)
    counts = np.column_stack([counts, n - counts.sum(axis=1)])
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    chances = np.exp(ways + xlogy(counts, shares).sum(axis=1))
    order = np.argsort(-chances)
    kept = order[: np.searchsorted(np.cumsum(chances[order]), 1 - rare) + 1]
    return counts[kept], chances[kept]


def kappa_pvalues(tables):
    """P-values of the kappa of right and wrong answers; 1 where it is undefined.

    Over its standard error at kappa = 0 it is the root of Pearson's chi-squared.
    """
    both, first, second, neither = np.asarray(tables, dtype=float).T
    spread = (both + first) * (second + neither) * (both + second) * (first + neither)
    distance = (both * neither - first * second) * np.sqrt(both + first + second + neither)
    return 2 * ndtr(-np.abs(distance) / np.sqrt(np.maximum(spread, 1e-300)))


def drawn_tables(n, shares, n_draws, rng):
    """Different tables among draws of n records, and which part of the draws each is."""
    drawn = rng.multinomial(n, shares.ravel() / shares.sum(), size=n_draws)
    tables, often = np.unique(drawn, axis=0, return_counts=True)
    return tables.reshape(-1, *shares.shape), often / n_draws


def bowker_pvalues(tables):
    """P-values of Bowker's test, with the pairs that occur counted in `df`, or all."""
    first, second = np.triu_indices(tables.shape[-1], 1)
    forward, backward = tables[:, first, second], tables[:, second, first]
    totals = forward + backward
    statistic = ((forward - backward) ** 2 / np.maximum(totals, 1)).sum(axis=1)
    informative = (totals > 0).sum(axis=1)
    return tuple(
        np.where(informative > 0, chdtrc(np.maximum(df, 1), statistic), 1.0)
        for df in (informative, np.full_like(informative, len(first)))
    )


def rates_pvalues(tables):
    """P-values of the tests of Stuart and Maxwell and of Bhapkar; 1 where undefined."""
    n = tables.sum(axis=(1, 2))
    edges = (tables + tables.transpose(0, 2, 1)).astype(float)
    edges[:, *np.diag_indices(tables.shape[-1])] = 0
    variance = np.eye(tables.shape[-1]) * edges.sum(axis=2)[:, np.newaxis] - edges
    values, vectors = np.linalg.eigh(variance)
    kept = values > 1e-9 * np.maximum(values[:, -1:], 1)
    difference = tables.sum(axis=1) - tables.sum(axis=2)
    along = (difference[:, np.newaxis] @ vectors)[:, 0]
    score = (along**2 / np.where(kept, values, np.inf)).sum(axis=1)
    df = kept.sum(axis=1)
    room = 1 - score / n
    wald = np.where(room > 1e-12, score / np.where(room > 1e-12, room, 1), 0.0)
    return tuple(
        np.where(df > 0, chdtrc(np.maximum(df, 1), statistic), 1.0)
        for statistic in (score, wald)
    )


def score_deltas(name, tables):
    """Difference of scores, its standard error, and the p-value of the delta method."""
    k = tables.shape[-1]
    cells = np.argwhere(np.ones((k, k, k)))
    counts = tables.reshape(len(tables), -1).astype(float)
    found = score_pair(count_score(name, np.arange(k)), cells, counts, k)
    statistic = found.statistic
    pvalues = np.where(np.isinf(statistic), np.nan, 2 * ndtr(-np.abs(statistic)))
    return found.difference, np.sqrt(found.variance), pvalues


def exact_rejection(probabilities, pvalue, alpha=ALPHA):
    """Probability that a test with these p-values rejects."""
    b, c = np.indices(probabilities.shape)
    likely = probabilities > 1e-18
    rejected = pvalue(b[likely], c[likely]) < alpha
    return float(probabilities[likely][rejected].sum())
