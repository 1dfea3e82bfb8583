"""McNemar's statistics and p-values of many tables at once."""

import numpy as np
from scipy.special import betainc, entr, gammaln, ndtr

from skcompare._typing import FloatArray, IntArray
from skcompare.stats._tails import SMALLEST, TRUSTED

LEAST_LOG = float(np.log(SMALLEST)) - 2
"""A tail whose logarithm is below it is no more than the smallest double, even twice."""


def mcnemar_pvalues(
    against: IntArray, favour: IntArray, method: str, alternative: str
) -> tuple[FloatArray, FloatArray]:
    """Statistics and p-values of McNemar's test of every pair, as of `mcnemar`.

    Parameters
    ----------
    against, favour : ndarray of shape (n_pairs,)
        Records that only the champion, or only the challenger, answered rightly.
    """
    discordant = against + favour
    if method in ("asymptotic", "corrected"):
        distance = np.maximum(0, np.abs(favour - against) - (method == "corrected"))
        some = np.maximum(discordant, 1)
        root = np.where(favour > against, 1, -1) * distance / np.sqrt(some)
        if alternative == "two-sided":
            pvalue = 2 * ndtr(-np.abs(root))
        else:
            pvalue = ndtr(-root if alternative == "greater" else root)
        statistic = distance**2 / some
    else:
        pvalue = _binomial_pvalues(favour, discordant, alternative, mid=method == "mid-p")
        statistic = np.minimum(against, favour).astype(float)
    return statistic, np.where(discordant == 0, 1.0, np.clip(pvalue, SMALLEST, 1.0))


def _binomial_pvalues(
    successes: IntArray, trials: IntArray, alternative: str, *, mid: bool
) -> FloatArray:
    """`binomial_pvalue` of many, but for the bounds of a p-value."""
    if alternative == "two-sided":
        tail = np.minimum(successes, trials - successes)
    else:
        tail = trials - successes if alternative == "greater" else successes
    upto, below = _cdf(np.stack([tail, tail - mid]), trials)
    one_sided = (upto + below) / 2
    pvalue = one_sided.copy()
    if alternative == "two-sided":
        # Both tails meet at equal numbers, which then count once.
        tied = mid & (2 * successes == trials)
        pvalue = np.where(tied, (1 + below + 1 - upto) / 2, 2 * one_sided)
    far = np.flatnonzero(one_sided <= TRUSTED)
    if len(far):
        sides = 2 if alternative == "two-sided" else 1
        pvalue[far] = sides * _far_tails(tail[far], trials[far], mid=mid)
    return pvalue


def _far_tails(k: IntArray, trials: IntArray, *, mid: bool) -> FloatArray:
    """Tails that are too small for the special function, by their terms.

    Each term is at most k / (trials - k + 1) times the one above it, and terms below 1e-20
    of the first no longer count.
    """
    tails = np.zeros(len(k))
    # Chernoff's bound of a tail's logarithm tells which are 0 to any double.
    share = k / trials
    bound = trials * (entr(share) + entr(1 - share) - np.log(2))
    for i in np.flatnonzero(bound > LEAST_LOG):
        ratio = k[i] / (trials[i] - k[i] + 1)
        n_terms = int(min(k[i] + 1, -46 / np.log(ratio) + 2 if ratio > 0 else 1))
        j = k[i] - np.arange(n_terms)
        logs = gammaln(trials[i] + 1) - gammaln(j + 1) - gammaln(trials[i] - j + 1)
        terms = np.exp(logs - logs[0])
        terms[0] = 0.5 if mid else 1.0
        # In this order rounding is that of `binomial_pvalue`.
        tails[i] = np.exp(logs[0] + np.log(terms.sum()) - trials[i] * np.log(2))
    return tails


def _cdf(k: IntArray, trials: IntArray) -> FloatArray:
    """P(Binomial(trials, 1/2) <= k)."""
    inside = betainc(np.maximum(trials - k, 1), np.maximum(k + 1, 1), 0.5)
    return np.where(k < 0, 0.0, np.where(k >= trials, 1.0, inside))
