"""Common parts of tests of score differences: rounding, edge cases, limits, results."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray
from skcompare.evidence import BlockDifferences, ScoreDifferences, mean_defined
from skcompare.stats.core._power import records_at, tail_of
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import normal_pvalue, student_limits, student_pvalue
from skcompare.stats.losses._paired_t import ZERO_VARIANCE

LIBERAL = "liberal"
UNDEFINED = "undefined-in-split"

ROUNDING = 1e-12
"""Differences below this share of the scores are rounding."""

SHARES = frozenset(
    {
        "accuracy",
        "average_precision",
        "balanced_accuracy",
        "f1",
        "jaccard",
        "precision",
        "recall",
        "roc_auc",
    }
)
"""Scores between 0 and 1, whose differences are at most 1."""

Scores = BlockDifferences | ScoreDifferences
Tested = tuple[float, tuple[float, float], tuple[str, ...]]
Limits = Callable[[float, str], tuple[float, float]]


def check_splits(scores: ScoreDifferences, test: str, least: int = 2) -> None:
    """Check that there are enough splits for a variance."""
    if scores.values.size < least:
        raise ValueError(
            f"{test} needs the differences of at least {least} splits. Got "
            f"{scores.values.size}. One split says nothing of how others vary: split "
            "again, or test the one on its records by mcnemar or paired_t."
        )


def check_halves(scores: ScoreDifferences, test: str, n_repeats: int | None = None) -> None:
    """Check that differences are those of both halves of a number of repetitions."""
    shape = scores.values.shape
    in_halves = len(shape) == 2 and shape[1] == 2
    if not in_halves or (shape[0] != n_repeats if n_repeats else shape[0] < 2):
        needed = f"({n_repeats or 'n_repeats'}, 2)"
        raise ValueError(
            f"{test} needs the differences of both halves of "
            f"{n_repeats or 'at least 2'} repetitions, shape {needed}. Got {shape}. Train "
            "on each half, test on the other, and give the two differences in one row."
        )


def without_rounding(scores: ScoreDifferences) -> tuple[FloatArray, float]:
    """Flatten the differences of all splits; return them and the size of rounding.

    0.1 + 0.2 differs from 0.3, and such differences are set to 0: those below 1e-12 of the
    scores, or 1e-12 where the scores are unknown and the differences not above 1.
    """
    values = scores.values.ravel()
    if scores.champion is None or scores.challenger is None:
        size = max(1.0, _largest(values))
    else:
        size = max(_largest(scores.champion), _largest(scores.challenger))
    noise = ROUNDING * size
    return np.where(np.abs(values) <= noise, 0.0, values), noise


def _largest(values: FloatArray | float) -> float:
    """Largest absolute value among those that are not NaN."""
    return float(np.fmax.reduce(np.abs(values), axis=None))


def mean_of(values: FloatArray, noise: float) -> float:
    """Mean of the defined values; 0 where it is only rounding."""
    mean = mean_defined(values)
    return 0.0 if abs(mean) <= noise else mean


def variance_of(values: FloatArray, noise: float) -> float:
    """Sample variance (divisor n - 1); 0 where the values are equal up to rounding."""
    if float(values.max() - values.min()) <= noise:
        return 0.0
    return float(values.var(ddof=1))


def within_repetitions(values: FloatArray, noise: float) -> float:
    """Sum of the variances s² within repetitions, from differences in order of halves."""
    differences = values[::2] - values[1::2]
    return (
        float(np.square(np.where(np.abs(differences) <= noise, 0.0, differences)).sum()) / 2
    )


def studentised_scores(
    estimate: float, error: float, df: float | None, alternative: str
) -> Tested:
    """Return the estimate over its standard error, p-value with logarithm, and flags.

    Parameters
    ----------
    estimate, error : float
        The difference and its standard error; NaN where a split is undefined.
    df : float or None
        Degrees of freedom of Student's t; None for the normal distribution.
    alternative : str
        Direction of the test.
    """
    if math.isnan(error):
        return math.nan, (math.nan, math.nan), (UNDEFINED,)
    if error > 0:
        statistic = estimate / error
        if df is None:
            return statistic, normal_pvalue(statistic, alternative), ()
        return statistic, student_pvalue(statistic, df, alternative), ()
    if estimate == 0:
        return 0.0, (1.0, 0.0), ("degenerate",)
    return math.copysign(math.inf, estimate), (math.nan, math.nan), (ZERO_VARIANCE,)


def score_limits(scores: Scores, estimate: float, error: float, df: float | None) -> Limits:
    """Limits of :func:`studentised_scores`, within the range of the difference."""
    return partial(_quantile_limits, estimate, error, df, _range_of(scores))


def limits_within(scores: Scores, limits: Limits) -> Limits:
    """Restrict limits to the range of the difference; NaN stays."""
    return partial(_bounded_limits, limits, _range_of(scores))


def _quantile_limits(
    estimate: float,
    error: float,
    df: float | None,
    largest: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    if math.isnan(error):
        return math.nan, math.nan
    if df is None:
        low, high = _normal_limits(estimate, error, confidence_level, alternative)
    else:
        low, high = student_limits(estimate, error, df, confidence_level, alternative)
    return _bounded(low, high, largest)


def _normal_limits(
    estimate: float, error: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    reach = -float(ndtri(tail_of(alpha_of(confidence_level), alternative))) * error
    low = -math.inf if alternative == "less" else estimate - reach
    high = math.inf if alternative == "greater" else estimate + reach
    return low, high


def _bounded_limits(
    limits: Limits, largest: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    return _bounded(*limits(confidence_level, alternative), largest)


def _bounded(low: float, high: float, largest: float) -> tuple[float, float]:
    if math.isnan(low):
        return low, high
    return min(largest, max(-largest, low)), max(-largest, min(largest, high))


def _range_of(scores: Scores) -> float:
    """Largest difference that the score can have; infinite where that is unknown."""
    champion, challenger = scores.champion, scores.challenger
    if scores.score not in SHARES or champion is None or challenger is None:
        return math.inf
    least = min(float(np.fmin.reduce(role, axis=None)) for role in (champion, challenger))
    most = max(_largest(champion), _largest(challenger))
    return 1.0 if 0 <= least and most <= 1 else math.inf


def score_result(
    scores: Scores, statistic: float, tail: tuple[float, float], **options: Any
) -> PairedResult:
    """Return the result of a test of score differences.

    `options` are the other fields of the result. By default the estimate is the mean
    difference of the splits, and the values of both roles are their means.
    """
    flags = dict.fromkeys((*options.pop("flags", ()), *scores.flags))
    champion, challenger = options.pop("means", None) or scores.means
    defined = not (math.isnan(champion) or math.isnan(challenger))
    kind = "difference" if scores.greater_is_better else "gain"
    if "estimate" not in options:
        options["estimate"] = mean_of(*without_rounding(scores))  # type: ignore[arg-type]
    return PairedResult(
        statistic=statistic,
        pvalue=tail[0],
        log_pvalue=tail[1],
        estimate_name=f"{kind} in {scores.score}",
        champion=champion if defined else None,
        challenger=challenger if defined else None,
        greater_is_better=scores.greater_is_better,
        n=scores.n_records,
        flags=tuple(flags),
        **options,
    )


def score_sample_size(
    scores: Scores,
    estimate: float,
    error: float,
    *,
    alpha: float,
    power: float,
    alternative: str,
) -> float:
    """Number of records at which the observed difference is found, with the same splits.

    NaN where a split is undefined.
    """
    return records_at(
        scores.n_records, estimate, error, alpha=alpha, power=power, alternative=alternative
    )
