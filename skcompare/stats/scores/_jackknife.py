"""Jackknife t test of the difference of two scores."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import ScoredPair, degrees_of_freedom
from skcompare.stats.core._limits import fixed_limits, score_range, studentised
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import UNDEFINED, PairedResult
from skcompare.stats.core._tails import each_tail, student_pvalue, student_quantile
from skcompare.stats.scores._confusion_scores import COUNT_SCORES
from skcompare.stats.scores._resampling import (
    check_scored,
    generator,
    left_out,
    n_groups,
    rounding_of,
    scored_effect_of,
    scored_flags,
    scored_result,
)


class _Scale(NamedTuple):
    """Bias-corrected difference with its standard error, on one scale of the score."""

    difference: float
    error: float
    df: float

    @property
    def log_pvalue(self) -> float:
        """Logarithm of the two-sided p-value."""
        if not self.error > 0:
            return -math.inf
        return student_pvalue(self.difference / self.error, self.df, "two-sided")[1]

    def critical(self, alpha: float, alternative: str) -> float:
        """Critical value of the statistic; infinite without a standard error."""
        if self.error == 0:
            return math.inf
        return student_quantile(each_tail(alpha, alternative), self.df)


@paired_test(
    title="Jackknife t test of a score",
    measures=("average_precision", *COUNT_SCORES),
    designs=("holdout", "grouped holdout"),
    references=("Quenouille1956", "Tukey1958", "Satterthwaite1946"),
    sample_size=planned(scored_effect_of),
)
def jackknife_difference(
    scored: ScoredPair, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two classifiers by a smooth score, leaving out one record at a time.

    The null hypothesis is that the scores of the two trained classifiers are equal, over
    new records. Leaving out one record, or one group, at a time estimates the influence of
    each on the difference, and the bias of the difference [1]_ [2]_: a score such as
    average precision is biased in small samples, and differently for classifiers whose
    scores have different distributions.

    Parameters
    ----------
    scored : ScoredPair
        Predictions of both classifiers with the score, from a hold-out set.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is score(challenger) - score(champion), or the reverse of a loss, as
        observed. `statistic` is the difference minus its bias in standard errors, and the
        interval is that difference plus and minus quantiles of t. `details` has the
        `bias`, the `standard_error`, and the number of units that were left out, one at a
        time or in parts (`left_out`).

    Raises
    ------
    ValueError
        If the score is undefined for the observed records, or there is one group only.

    Notes
    -----
    With n units, the score without unit i and its mean over the units::

        bias = (n - 1) (mean of D(-i) - D)
        variance = (n - 1) / n  sum of (D(-i) - mean)²

    where D is the difference of the scores on a scale. A bias larger than the difference
    makes the corrected difference 0, so that no correction changes its sign. There are two
    scales: that of the score itself, and its log-odds within its range. On the first the
    standard error is too small where a score is near the upper end, because the sample does
    not show how much a few records would lower it, and on the second where it is near the
    lower end. A difference of log-odds is rescaled by the slope between the two scores, so
    that its interval is one of the score itself. The scale with the larger two-sided
    p-value is used, for any alternative. A score whose range is unknown has only the first
    scale. Log-odds of a score at an end of its range are those of a quarter of a record.

    The degrees of freedom are Satterthwaite's [3]_, from the fourth powers of the units'
    deviations: they are few if few units have a large influence.

    Above 2000 units, random parts of them are left out, 200 or 50 of more than 10 000
    records, with at most that number of degrees of freedom minus one. They depend neither
    on the order of the records nor on the roles.

    A score that jumps, such as a sensitivity at a fixed specificity, has no jackknife
    variance: see :func:`bootstrap_difference`.

    Without any difference the statistic is 0 and p is 1, flagged "degenerate". If the
    difference is not 0 and does not vary, p is undefined and the interval contains every
    difference, flagged "zero-variance"; if the score is undefined without some unit, as
    without the only positive one, p is undefined, flagged "undefined-left-out".
    :func:`permutation_difference` has a p-value for both.

    References
    ----------
    .. [1] Quenouille, M. H. (1956). "Notes on bias in estimation." Biometrika 43(3/4),
       353-360.
    .. [2] Tukey, J. W. (1958). "Bias and confidence in not quite large samples." Annals of
       Mathematical Statistics 29(2), 614.
    .. [3] Satterthwaite, F. E. (1946). "An approximate distribution of estimates of
       variance components." Biometrics Bulletin 2(6), 110-114.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ScoredPair
    >>> from skcompare.stats import jackknife_difference
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(2, size=300)
    >>> champion = y_true + rng.normal(0, 1.5, 300)
    >>> challenger = (champion + y_true + rng.normal(0, 0.5, 300)) / 2
    >>> pair = ScoredPair.from_predictions(
    ...     y_true, champion, challenger, score="average_precision"
    ... )
    >>> result = jackknife_difference(pair)
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.estimate:.3f} [{low:.3f}, {high:.3f}], p = {result.pvalue:.1e}")
    0.127 [0.103, 0.156], p = 1.1e-08
    """
    champion, challenger = check_scored(scored)
    rounding = rounding_of(champion, challenger)
    observed = scored.sign * (challenger - champion)
    observed = 0.0 if abs(observed) <= rounding else observed
    without = left_out(scored, generator(0))
    chosen = None
    is_defined = np.isfinite(without).all(axis=0)
    if is_defined.all():
        scales = _scales(scored, (champion, challenger), without, rounding)
        chosen = max(scales, key=lambda scale: scale.log_pvalue)
        if chosen.error == 0:
            chosen = chosen._replace(difference=observed)
        tested = studentised(chosen.difference, chosen.error, chosen.df, alternative)
    elif observed == 0 and _are_equal(without[:, is_defined], rounding):
        tested = 0.0, (1.0, 0.0), ("degenerate",)
    else:
        tested = math.nan, UNDEFINED, ("undefined-left-out",)
    details = {"left_out": float(without.shape[1])}
    if chosen is not None:
        details["standard_error"] = chosen.error
        details["bias"] = observed - chosen.difference
    return scored_result(
        scored,
        (champion, challenger),
        tested,
        df=None if chosen is None else chosen.df,
        estimate=observed,
        method="Student's t, jackknife",
        limits=partial(fixed_limits, scored.bounds)
        if chosen is None
        else partial(
            score_range, chosen.difference, chosen.error, chosen.critical, scored.bounds
        ),
        flags=scored_flags(scored),
        details=details | n_groups(scored),
    )


def _are_equal(without: FloatArray, rounding: float) -> bool:
    """Whether both scores are equal whichever unit is left out."""
    return bool((np.abs(without[1] - without[0]) <= rounding).all())


def _scales(
    scored: ScoredPair, values: tuple[float, float], without: FloatArray, rounding: float
) -> list[_Scale]:
    """Jackknife results on the scale of the score and, if defined, of its log-odds."""
    low, high = scored.score.bounds
    plain = _jackknife(scored.sign * (values[1] - values[0]),
                       scored.sign * (without[1] - without[0]), rounding)  # fmt: skip
    if not (math.isfinite(low) and math.isfinite(high)) or plain.error == 0:
        return [plain]
    smallest = 1 / (4 * scored.n)

    def log_odds(scores: FloatArray) -> FloatArray:
        share = np.clip((scores - low) / (high - low), smallest, 1 - smallest)
        odds: FloatArray = np.log(share / (1 - share))
        return odds

    scores = np.array(values)
    odds, odds_without = log_odds(scores), log_odds(without)
    odds_difference = odds[1] - odds[0]
    differences = scored.sign * (odds_without[1] - odds_without[0])
    scale = _jackknife(scored.sign * odds_difference, differences, rounding)
    if abs(odds_difference) > rounding:
        slope = (values[1] - values[0]) / odds_difference
    else:
        share = (scores.mean() - low) / (high - low)
        slope = (high - low) * share * (1 - share)
    rescaled = _Scale(slope * scale.difference, slope * scale.error, scale.df)
    return [plain, rescaled] if rescaled.error > 0 else [plain]


def _jackknife(difference: float, without: FloatArray, rounding: float) -> _Scale:
    """Bias-corrected difference, with standard error and degrees of freedom."""
    k = len(without)
    deviations = without - without.mean()
    deviations = np.where(np.abs(deviations) <= rounding, 0.0, deviations)
    squares = deviations**2
    total, fourth = float(squares.sum()), float((squares**2).sum())
    corrected = difference - (k - 1) * (float(without.mean()) - difference)
    if total == 0:
        corrected = difference
    elif corrected * difference <= 0:
        corrected = 0.0
    error = math.sqrt((k - 1) / k * total)
    return _Scale(corrected, error, degrees_of_freedom(total, fourth, k))
