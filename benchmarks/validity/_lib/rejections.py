"""Decisions of McNemar's tests for arrays of tables, and probabilities of tables."""

import numpy as np
from scipy.special import gammaln, xlogy
from scipy.stats import binom

from skcompare.evidence import PairedBlocks
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.stats import bcv_mcnemar
from skcompare.stats.accuracy import mcnemar_pvalues

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
    counts = scale * only_champion, scale * only_challenger
    return mcnemar_pvalues(*counts, "corrected", "two-sided")[1]


def mid_pvalue(only_champion, only_challenger):
    """Two-sided p-values of McNemar's mid-p test."""
    return mcnemar_pvalues(only_champion, only_challenger, "mid-p", "two-sided")[1]


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

    Entry [b, c] is that of b records that only the champion classifies correctly and c that
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


def drawn_tables(n, shares, n_draws, rng):
    """Different tables among draws of n records, and which part of the draws each is."""
    drawn = rng.multinomial(n, shares.ravel() / shares.sum(), size=n_draws)
    tables, often = np.unique(drawn, axis=0, return_counts=True)
    return tables.reshape(-1, *shares.shape), often / n_draws


def exact_rejection(probabilities, pvalue, alpha=ALPHA):
    """Probability that a test with these p-values rejects."""
    b, c = np.indices(probabilities.shape)
    likely = probabilities > 1e-18
    rejected = pvalue(b[likely], c[likely]) < alpha
    return float(probabilities[likely][rejected].sum())
