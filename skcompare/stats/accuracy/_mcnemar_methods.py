"""Methods of McNemar's test and their confidence intervals."""

import math
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import betainc, entr, gammaln, ndtr
from sklearn.utils import check_random_state

from skcompare._core.validation import alpha_of, check_count, is_number
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ContingencyTable
from skcompare.stats.accuracy._limits import (
    agresti_min_limits,
    bonett_price_limits,
    conditional_limits,
    melded_limits,
    melded_pvalue,
    newcombe_limits,
    score_limits,
    score_root,
    wald_limits,
)
from skcompare.stats.accuracy._unconditional import (
    MOST_RECORDS,
    unconditional_limits,
    unconditional_pvalue,
)
from skcompare.stats.core._tails import SMALLEST, TRUSTED, binomial_pvalue, normal_pvalue

Method = Literal[
    "mid-p", "exact", "asymptotic", "corrected", "exact-unconditional", "permutation"
]
CHI_SQUARED = ("asymptotic", "corrected")
BINOMIAL = ("mid-p", "exact", "permutation")
Interval = Literal[
    "agreeing", "score", "newcombe", "agresti-min", "bonett-price", "wald", "conditional"
]


class Finding(NamedTuple):
    """Outcome of a method: statistic, p-value with its logarithm, and interval."""

    statistic: float
    tail: tuple[float, float]
    limits: Any
    how: str
    details: dict[str, float] = {}


def find(
    table: ContingencyTable,
    method: str,
    null: float,
    alternative: str,
    n_resamples: int | None,
    random_state: Any,
) -> Finding:
    """Apply a method of McNemar's test to a contingency table."""
    if method in CHI_SQUARED:
        return _by_score(table, method, null, alternative)
    if method == "exact-unconditional":
        return _unconditional(table, null, alternative)
    if n_resamples is not None:
        return _by_draws(table, n_resamples, alternative, random_state)
    return _by_binomial(table, method, null, alternative)


def check_difference(null_value: object) -> float:
    """Validate the difference under the null hypothesis and return it as a float."""
    if is_number(null_value) and -1 < null_value < 1:
        return float(null_value)
    raise ValueError(
        "`null_value` must be a difference of accuracies between -1 and 1. Got "
        f"{null_value!r} instead. A margin of 0.05 is null_value=-0.05 with "
        "alternative='greater'."
    )


def check_together(
    table: ContingencyTable,
    method: str,
    interval: str,
    null: float,
    n_resamples: int | None,
) -> None:
    """Check that options are compatible with each other and with the table."""
    if interval == "conditional" and method not in BINOMIAL:
        raise ValueError(
            "interval='conditional' goes with method='exact' or 'mid-p', or 'permutation'. "
            f"Got method={method!r}. Use interval='score'."
        )
    if method not in CHI_SQUARED and table.fractional:
        raise ValueError(
            f"method={method!r} needs whole counts. Got the fractional table {table}. "
            "Pass integers, or use method='asymptotic' or 'corrected'."
        )
    if method == "exact-unconditional" and table.n > MOST_RECORDS:
        raise ValueError(
            f"method='exact-unconditional' takes at most {MOST_RECORDS} records. Got "
            f"{table.n}. Use method='mid-p', 'exact' or 'asymptotic', which hardly differ "
            "from it then."
        )
    if method == "permutation" and null != 0:
        raise ValueError(
            "method='permutation' tests equal accuracies, under which the classifiers can "
            f"be exchanged. Got null_value={null!r}. Use method='mid-p', 'exact' or "
            "'asymptotic'."
        )
    if n_resamples is not None and method != "permutation":
        raise ValueError(
            f"`n_resamples` goes with method='permutation'. Got method={method!r}. Leave "
            "it out."
        )


def _by_score(
    table: ContingencyTable, method: str, null: float, alternative: str
) -> Finding:
    """Chi-squared test, or Tango's score test for a nonzero null value."""
    against, favour = table.only_champion, table.only_challenger
    correction = float(method == "corrected")
    statistic, root = corrected_statistic(against, favour, correction)
    if null != 0:
        root = score_root(against, favour, table.n, correction, null)
        statistic = root**2
    return Finding(
        statistic,
        normal_pvalue(root, alternative),
        partial(score_limits, against, favour, table.n, correction),
        method,
    )


def _by_binomial(
    table: ContingencyTable, method: str, null: float, alternative: str
) -> Finding:
    """Exact or mid-p binomial test, or its melded extension for a nonzero null value."""
    against, favour, n = _whole(table)
    mid = method == "mid-p"
    if null == 0:
        tail = binomial_pvalue(favour, against + favour, alternative, mid=mid)
    else:
        tail = melded_pvalue(against, favour, n, mid, null, alternative)
    limits = partial(melded_limits, against, favour, n, mid)
    return Finding(float(min(against, favour)), tail, limits, method)


def _unconditional(table: ContingencyTable, null: float, alternative: str) -> Finding:
    against, favour, n = _whole(table)
    statistic, _ = corrected_statistic(against, favour, 0.0)
    if null != 0:
        statistic = score_root(against, favour, n, 0.0, null) ** 2
    return Finding(
        statistic,
        unconditional_pvalue(against, favour, n, null, alternative),
        partial(unconditional_limits, against, favour, n, null),
        "exact-unconditional",
    )


def _by_draws(
    table: ContingencyTable, n_resamples: int, alternative: str, random_state: Any
) -> Finding:
    """Monte Carlo permutation test, drawing the number in favour of the challenger."""
    n_resamples = check_count("n_resamples", n_resamples)
    against, favour, n = _whole(table)
    drawn = check_random_state(random_state).binomial(
        against + favour, 0.5, size=n_resamples
    )
    differences, observed = 2 * drawn - against - favour, favour - against
    # One-sided draws are counted in the direction of the alternative, so that exchanged
    # roles with the same seed give the same p-value.
    if alternative == "two-sided":
        differences, observed = np.abs(differences), abs(observed)
    elif alternative == "less":
        observed = -observed
    pvalue = (1 + int(np.count_nonzero(differences >= observed))) / (1 + n_resamples)
    return Finding(
        float(min(against, favour)),
        (pvalue, math.log(pvalue)),
        partial(drawn_limits, against, favour, n, pvalue),
        f"permutation, monte-carlo, {n_resamples} resamples",
        {"monte_carlo_error": math.sqrt(pvalue * (1 - pvalue) / (1 + n_resamples))},
    )


def drawn_limits(
    against: int,
    favour: int,
    n: int,
    pvalue: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Exact interval, adjusted at 0 to agree with a Monte Carlo p-value."""
    low, high = melded_limits(against, favour, n, False, confidence_level, alternative)
    if not pvalue < alpha_of(confidence_level):
        return min(low, 0.0), max(high, 0.0)
    if alternative == "greater" or (alternative == "two-sided" and favour > against):
        return max(low, math.ulp(0.0)), high
    return low, min(high, -math.ulp(0.0))


def limits_by_name(table: ContingencyTable, interval: str, method: str) -> Any:
    """Return the function that computes the limits of a named interval."""
    against, favour, n = table.only_champion, table.only_challenger, table.n
    if interval == "conditional":
        return partial(conditional_limits, *_whole(table), method == "mid-p")
    if interval == "score":
        return partial(score_limits, against, favour, n, 0.0)
    if interval == "newcombe":
        both, neither = table.both_correct, table.both_wrong
        return partial(newcombe_limits, both, against, favour, neither)
    limits = {
        "agresti-min": agresti_min_limits,
        "bonett-price": bonett_price_limits,
        "wald": wald_limits,
    }[interval]
    return partial(limits, against, favour, n)


def _whole(table: ContingencyTable) -> tuple[int, int, int]:
    return int(table.only_champion), int(table.only_challenger), int(table.n)


def corrected_statistic(
    against: float, favour: float, correction: float
) -> tuple[float, float]:
    """McNemar's chi-squared statistic and its signed root; 0 without discordant pairs.

    A positive root favours the challenger. The correction takes the distance of the
    counts at most to 0.
    """
    discordant = against + favour
    if discordant == 0:
        return 0.0, 0.0
    distance = max(0.0, abs(favour - against) - correction)
    sign = 1.0 if favour > against else -1.0
    return distance**2 / discordant, sign * distance / discordant**0.5


LEAST_LOG = float(np.log(SMALLEST)) - 2
"""Logarithm below which twice a tail is no more than the smallest double."""


def mcnemar_pvalues(
    against: IntArray, favour: IntArray, method: str, alternative: str
) -> tuple[FloatArray, FloatArray]:
    """Statistics and p-values of :func:`mcnemar` for many pairs of classifiers at once.

    Parameters
    ----------
    against, favour : ndarray of shape (n_pairs,)
        Records that only the champion, or only the challenger, predicted correctly.
    """
    discordant = against + favour
    if method in ("asymptotic", "corrected"):
        distance = np.maximum(0, np.abs(favour - against) - (method == "corrected"))
        divisor = np.maximum(discordant, 1)
        root = np.where(favour > against, 1, -1) * distance / np.sqrt(divisor)
        if alternative == "two-sided":
            pvalue = 2 * ndtr(-np.abs(root))
        else:
            pvalue = ndtr(-root if alternative == "greater" else root)
        statistic = distance**2 / divisor
    else:
        pvalue = _binomial_pvalues(favour, discordant, alternative, mid=method == "mid-p")
        statistic = np.minimum(against, favour).astype(float)
    return statistic, np.where(discordant == 0, 1.0, np.clip(pvalue, SMALLEST, 1.0))


def _binomial_pvalues(
    successes: IntArray, trials: IntArray, alternative: str, *, mid: bool
) -> FloatArray:
    """Vectorized version of `binomial_pvalue`, without clipping the p-values."""
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
    """Binomial tails that are too small for the special function, summed term by term.

    Each term is at most k / (trials - k + 1) times the one above it, and terms below 1e-20
    of the first no longer count.
    """
    tails = np.zeros(len(k))
    # Chernoff's bound of a tail's logarithm shows which are 0 in double precision.
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
