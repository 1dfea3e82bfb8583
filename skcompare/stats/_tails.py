"""Tail probabilities that neither underflow nor exceed 1."""

import numpy as np
from scipy.special import betainc, gammaincc, gammaln, log_ndtr, logsumexp, ndtr

SMALLEST = float(np.finfo(float).tiny)
"""What an underflowing p-value is returned as; its logarithm stays exact."""

TRUSTED = 1e-250
"""Below it the special functions lose digits or underflow, and series are used."""

CONVERGED = 1e-15
MOST_TERMS = 100_000


def normal_pvalue(z: float, alternative: str) -> tuple[float, float]:
    """P-value and its logarithm of a standard normal statistic.

    Positive `z` favours the challenger. Two-sided it is that of chi-squared z² with one
    degree of freedom.
    """
    if alternative == "two-sided":
        pvalue, log_pvalue = 2 * ndtr(-abs(z)), np.log(2) + log_ndtr(-abs(z))
    else:
        outward = z if alternative == "greater" else -z
        pvalue, log_pvalue = ndtr(-outward), log_ndtr(-outward)
    return _bounded(pvalue, log_pvalue)


def chi2_pvalue(statistic: float, df: float) -> tuple[float, float]:
    """P-value and its logarithm of a chi-squared statistic; 1 where it has no df."""
    if df == 0 or statistic <= 0:
        return 1.0, 0.0
    pvalue = float(gammaincc(df / 2, statistic / 2))
    if pvalue > TRUSTED:
        return _bounded(pvalue, np.log(pvalue))
    log_pvalue = _log_upper_gamma(df / 2, statistic / 2)
    return _bounded(np.exp(log_pvalue), log_pvalue)


def _log_upper_gamma(a: float, x: float) -> float:
    """Logarithm of the regularised upper incomplete gamma function, far in its tail.

    Legendre's continued fraction (Abramowitz and Stegun 1964, 6.5.31), by Lentz's method.
    """
    b = x + 1 - a
    c = np.inf
    d = 1 / b
    fraction = d
    for k in range(1, MOST_TERMS):
        step = -k * (k - a)
        b += 2
        d = 1 / (step * d + b)
        c = b + step / c
        fraction *= c * d
        if abs(c * d - 1) < CONVERGED:
            break
    return float(a * np.log(x) - x - gammaln(a) + np.log(fraction))


def binomial_pvalue(
    successes: int, trials: int, alternative: str, *, mid: bool
) -> tuple[float, float]:
    """P-value and its logarithm of Binomial(trials, 1/2), exact or mid-p.

    Mid-p counts half the probability of the observed number.
    """
    if alternative == "greater":
        return _bounded(*_lower_tail(trials - successes, trials, mid=mid))
    if alternative == "less":
        return _bounded(*_lower_tail(successes, trials, mid=mid))
    if mid and 2 * successes == trials:
        # Both tails meet at the observed number, which then counts once (Fagerland,
        # Lydersen and Laake 2013, equation for n12 = n21).
        pvalue = (1 + _cdf(successes - 1, trials) + 1 - _cdf(successes, trials)) / 2
        return _bounded(pvalue, np.log(pvalue))
    pvalue, log_pvalue = _lower_tail(min(successes, trials - successes), trials, mid=mid)
    return _bounded(2 * pvalue, np.log(2) + log_pvalue)


def _lower_tail(k: int, trials: int, *, mid: bool) -> tuple[float, float]:
    pvalue = _cdf(k, trials)
    if mid:
        pvalue = (pvalue + _cdf(k - 1, trials)) / 2
    if pvalue > TRUSTED:
        return pvalue, float(np.log(pvalue))
    log_pvalue = _log_lower_tail(k, trials, mid=mid)
    return float(np.exp(log_pvalue)), log_pvalue


def _cdf(k: int, trials: int) -> float:
    if k < 0:
        return 0.0
    return 1.0 if k >= trials else float(betainc(trials - k, k + 1, 0.5))


def _log_lower_tail(k: int, trials: int, *, mid: bool) -> float:
    # Far in the tail each term is at most k / (trials - k + 1) times the one above it,
    # and terms below 1e-20 of the first no longer count.
    ratio = k / (trials - k + 1)
    n_terms = k + 1 if ratio == 0 else min(k + 1, int(-46 / np.log(ratio)) + 2)
    j = np.arange(k, k - n_terms, -1)
    log_terms = gammaln(trials + 1) - gammaln(j + 1) - gammaln(trials - j + 1)
    weights = np.ones(n_terms)
    weights[0] = 0.5 if mid else 1.0
    return float(logsumexp(log_terms, b=weights) - trials * np.log(2))


def _bounded(pvalue: float, log_pvalue: float) -> tuple[float, float]:
    return min(1.0, max(float(pvalue), SMALLEST)), min(0.0, float(log_pvalue))
