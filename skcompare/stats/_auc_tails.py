"""Tails of what a statistic is compared with: normal, or Student's t."""

from scipy.special import ndtri

from skcompare.stats._student import student_pvalue, student_quantile
from skcompare.stats._tails import normal_pvalue


def reference_pvalue(
    statistic: float, df: float | None, alternative: str
) -> tuple[float, float]:
    """P-value and its logarithm of a t statistic; of a normal one where df is None."""
    if df is None:
        return normal_pvalue(statistic, alternative)
    return student_pvalue(statistic, df, alternative)


def reference_quantile(tail: float, df: float | None) -> float:
    """The value that a t (or normal) statistic exceeds with this probability."""
    if df is None:
        return float(-ndtri(tail))
    return float(student_quantile(tail, df))
