"""Student's t distribution, far into its tails."""

import numpy as np
from scipy.special import betaln, stdtr, stdtrit

from skcompare._core.validation import alpha_of
from skcompare.stats._tails import MOST_TERMS, SMALLEST, TRUSTED

CONVERGED = 1e-15


def student_pvalue(t: float, df: float, alternative: str) -> tuple[float, float]:
    """P-value and its logarithm of Student's t; positive `t` favours the challenger."""
    if alternative == "two-sided":
        pvalue, log_pvalue = _upper_tail(abs(t), df)
        pvalue, log_pvalue = 2 * pvalue, float(np.log(2)) + log_pvalue
    else:
        pvalue, log_pvalue = _upper_tail(t if alternative == "greater" else -t, df)
    return min(1.0, max(pvalue, SMALLEST)), min(0.0, log_pvalue)


def student_quantile(tail: float, df: float) -> float:
    """The value that is exceeded with probability `tail`, at most 1/2."""
    t = -float(stdtrit(df, tail))
    # SciPy before 1.12 has eight digits of it. Newton's method doubles them.
    log_density = (
        -(df + 1) / 2 * np.log1p(t / df * t) - np.log(df) / 2 - betaln(df / 2, 0.5)
    )
    return t + (float(stdtr(df, -t)) - tail) / float(np.exp(log_density))


def student_limits(
    estimate: float, error: float, df: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Estimate plus and minus quantiles of t times the standard error."""
    sides = 2 if alternative == "two-sided" else 1
    reach = student_quantile(alpha_of(confidence_level) / sides, df) * error
    low = -np.inf if alternative == "less" else estimate - reach
    high = np.inf if alternative == "greater" else estimate + reach
    return float(low), float(high)


def _upper_tail(t: float, df: float) -> tuple[float, float]:
    pvalue = float(stdtr(df, -t))
    if pvalue > TRUSTED:
        return pvalue, float(np.log(pvalue))
    log_pvalue = _log_far_tail(t, df)
    return float(np.exp(log_pvalue)), log_pvalue


def _log_far_tail(t: float, df: float) -> float:
    """Logarithm of the tail: half of the incomplete beta function I_x(df / 2, 1 / 2).

    x = df / (df + t²), by the continued fraction 26.5.8 of Abramowitz and Stegun (1964)
    and Lentz's method.
    """
    a, b = df / 2, 0.5
    square = t / df * t
    x = 1 / (1 + square)
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            step = c * d
            fraction *= step
        if abs(step - 1) < CONVERGED:
            break
    log_front = -a * np.log1p(square) + b * np.log(square / (1 + square)) - np.log(a)
    return float(log_front - betaln(a, b) + np.log(fraction) - np.log(2))
