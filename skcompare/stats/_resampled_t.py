"""Student's t of score differences of many splits, corrected for shared records or not."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaincinv

from skcompare._core.validation import check_choice
from skcompare.evidence import ScoreDifferences
from skcompare.stats._result import PairedResult
from skcompare.stats._score_result import (
    check_splits,
    mean_of,
    score_limits,
    score_result,
    score_sample_size,
    studentised_scores,
    variance_of,
    without_rounding,
)

TOO_ALIKE = "splits-too-alike"

SELECTION_UNSEEN = "selection-unseen"

HARDLY = 0.001
"""Chance of a variance between splits that small, if only records varied."""

CORRECTIONS = {"doubled": 2.0, "published": 1.0}
"""Weight of n2 / n1 in the variance of the mean of splits that share test records."""


@dataclass(frozen=True, slots=True)
class Resampled:
    """Mean difference of J splits, and what its standard error is made of.

    Attributes
    ----------
    mean, variance : float
        Mean and sample variance of the differences.
    n_splits : int
        Their number J.
    factor : float
        What the variance is multiplied by, 1 / J for independent splits.
    """

    mean: float
    variance: float
    n_splits: int
    factor: float

    @classmethod
    def of(cls, scores: ScoreDifferences, ratio: float) -> "Resampled":
        """From score differences, with a correction that is added to 1 / J."""
        values, noise = without_rounding(scores)
        n_splits = len(values)
        variance = variance_of(values, noise)
        return cls(mean_of(values, noise), variance, n_splits, 1 / n_splits + ratio)

    @property
    def error(self) -> float:
        """The standard error; NaN where a split is undefined."""
        return math.sqrt(self.factor * self.variance)


def corrected_t(
    scores: ScoreDifferences, test: str, alternative: str, correction: str
) -> PairedResult:
    """Student's t with the variance (1 / J + c n2 / n1) s² of the mean of J splits."""
    check_choice("correction", correction, tuple(CORRECTIONS))
    check_splits(scores, test)
    ratio, weight = sizes_ratio(scores, test), _weight(scores, correction)
    found = Resampled.of(scores, weight * ratio)
    more = {"test_train_ratio": ratio, "variance_factor": found.factor}
    said = next(name for name, known in CORRECTIONS.items() if known == weight)
    method = f"Student's t, {said} correction"
    result = _result(scores, found, alternative, method, more)
    return replace(result, flags=(*result.flags, SELECTION_UNSEEN))


def resampled_t(scores: ScoreDifferences, test: str, alternative: str) -> PairedResult:
    """Student's t of the mean of J splits, as if they were independent."""
    check_splits(scores, test)
    found = Resampled.of(scores, 0.0)
    return _result(scores, found, alternative, "Student's t", {})


def _result(
    scores: ScoreDifferences,
    found: Resampled,
    alternative: str,
    method: str,
    details: dict[str, float],
) -> PairedResult:
    error, df = found.error, found.n_splits - 1
    statistic, tail, flags = studentised_scores(found.mean, error, df, alternative)
    if error > 0 and _too_alike(scores, found):
        flags = (*flags, TOO_ALIKE)
    return score_result(
        scores,
        statistic,
        tail,
        df=df,
        estimate=found.mean,
        alternative=alternative,
        method=method,
        limits=score_limits(scores, found.mean, error, df),
        flags=flags,
        details={
            "deviation": math.sqrt(found.variance),
            "se": error,
            "n_splits": float(found.n_splits),
        }
        | details,
    )


def _too_alike(scores: ScoreDifferences, found: Resampled) -> bool:
    """Whether the splits differ less than their test records explain.

    s² over the variance within the test sets is then about chi-squared over its degrees of
    freedom, or greater where training varies too.
    """
    if scores.variances is None:
        return False
    df = found.n_splits - 1
    least = 2 * float(gammaincinv(df / 2, HARDLY)) / df
    # Not so where a variance within a test set is unknown, which is NaN.
    return found.variance < least * float(np.mean(scores.variances))


def sizes_ratio(scores: ScoreDifferences, test: str) -> float:
    """Test records to training records, the mean over all splits."""
    if (scores.n_train == 0).any():
        raise ValueError(
            f"{test} needs to know how many records the classifiers were trained on. Got "
            "n_train=0. Pass n_train to ScoreDifferences; for classifiers that came "
            "trained, test their answers to one test set."
        )
    return float((scores.n_test / scores.n_train).mean())


def _weight(scores: ScoreDifferences, correction: str) -> float:
    """The weight of a correction; no two test sets of a single K-fold share records."""
    values = scores.values
    if scores.design.kind == "kfold" or (values.ndim == 2 and len(values) == 1):
        return CORRECTIONS["published"]
    return CORRECTIONS[correction]


def resampled_sample_size(
    scores: ScoreDifferences,
    test: str,
    *,
    alpha: float,
    power: float,
    alternative: str,
    correction: str,
) -> float:
    """Records at which the corrected test finds a difference of the observed size."""
    check_splits(scores, test)
    weight = _weight(scores, correction)
    found = Resampled.of(scores, weight * sizes_ratio(scores, test))
    return score_sample_size(
        scores, found.mean, found.error, alpha=alpha, power=power, alternative=alternative
    )
