"""Snedecor's F distribution, far into its upper tail."""

import math

from scipy.special import betainc, betaincinv, betaln

from skcompare.stats._tails import MOST_TERMS, SMALLEST, TRUSTED

CONVERGED = 1e-17


def f_pvalue(statistic: float, df1: float, df2: float) -> tuple[float, float]:
    """Probability of at least this statistic, and its logarithm.

    It is the regularised incomplete beta function I_x(df2 / 2, df1 / 2) at
    x = df2 / (df2 + df1 F).
    """
    if statistic <= 0:
        return 1.0, 0.0
    a, b = df2 / 2, df1 / 2
    ratio = df1 * statistic / df2
    pvalue = float(betainc(a, b, 1 / (1 + ratio)))
    if pvalue > TRUSTED:
        return min(1.0, pvalue), min(0.0, math.log(pvalue))
    log_pvalue = _log_lower_beta(a, b, ratio)
    return max(SMALLEST, math.exp(log_pvalue)), log_pvalue


def f_quantile(tail: float, df1: float, df2: float) -> float:
    """The value that is exceeded with probability `tail`."""
    x = float(betaincinv(df2 / 2, df1 / 2, tail))
    return df2 * (1 - x) / (df1 * x)


def _log_lower_beta(a: float, b: float, ratio: float) -> float:
    """Logarithm of I_x(a, b) at x = 1 / (1 + ratio), for small x.

    By the power series 26.5.4 of Abramowitz and Stegun (1964).
    """
    x = 1 / (1 + ratio)
    term = total = 1.0
    for k in range(MOST_TERMS):
        term *= (a + b + k) / (a + 1 + k) * x
        total += term
        if term <= CONVERGED * total:
            break
    log_front = a * -math.log1p(ratio) - b * math.log1p(1 / ratio)
    return log_front - math.log(a) - float(betaln(a, b)) + math.log(total)
