"""Decisions of McNemar's tests for arrays of counts, and their exact probabilities.

`skcompare.stats` takes one table at a time. A million tables are decided here by the same
formulas in numpy; the scripts check on a part of the tables that both agree.
"""

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from skcompare.evidence import PairedBlocks
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.stats import bcv_mcnemar

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


def exact_rejection(probabilities, pvalue, alpha=ALPHA):
    """Probability that a test with these p-values rejects."""
    b, c = np.indices(probabilities.shape)
    likely = probabilities > 1e-18
    rejected = pvalue(b[likely], c[likely]) < alpha
    return float(probabilities[likely][rejected].sum())
