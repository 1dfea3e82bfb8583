"""A t test of the difference of two scores, leaving out one record or group at a time."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from skcompare._core.satterthwaite import degrees_of_freedom
from skcompare._core.validation import check_alternative
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray
from skcompare.evidence import ScoredPair
from skcompare.stats.core._limits import no_critical, score_range
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import student_pvalue, student_quantile
from skcompare.stats.scores._bootstrap import rounding_of, scored_flags, scored_sample_size
from skcompare.stats.scores._confusion_scores import COUNT_SCORES
from skcompare.stats.scores._resampling import check_scored, generator, left_out
from skcompare.stats.scores._score_difference import ZERO_VARIANCE

ONE_OF_A_CLASS = "undefined-left-out"


class _Scale(NamedTuple):
    """The corrected difference with its error, as found on one scale of the score."""

    difference: float
    error: float
    df: float

    @property
    def log_pvalue(self) -> float:
        """Logarithm of the two-sided p-value."""
        if not self.error > 0:
            return -math.inf
        return student_pvalue(self.difference / self.error, self.df, "two-sided")[1]


@paired_test(
    "jackknife_difference",
    title="Jackknife t test of a score",
    needs=ScoredPair,
    kind="difference",
    measures=("average_precision", *COUNT_SCORES),
    designs=("holdout", "grouped holdout"),
    references=("Quenouille1956", "Tukey1958", "Satterthwaite1946"),
    sample_size=scored_sample_size,
)
def jackknife_difference(
    scored: ScoredPair, *, alternative: str = "two-sided"
) -> PairedResult:
    """Compare two classifiers by a smooth score, leaving out one record at a time.

    The null hypothesis is that the scores of the two trained classifiers are equal, over
    new records. Leaving out one record after the other, or one group, shows how much each
    of them moves the difference, and how far the difference is biased [1]_ [2]_: a score
    such as average precision is biased in small samples, and differently for classifiers
    whose scores have unlike shapes.

    Parameters
    ----------
    scored : ScoredPair
        The answers of both classifiers with the score, from a hold-out set.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is score(challenger) - score(champion), or the reverse of a loss, as
        observed. `statistic` is the difference less its bias in standard errors, and the
        interval is that difference plus and minus quantiles of t. `details` has the
        `bias`, the `standard_error`, and how many units were left out, one at a time or
        in parts (`left_out`).

    Raises
    ------
    ValueError
        If the score is undefined for the records as they are, or there is one group only.

    Notes
    -----
    With n units, the score without unit i and its mean over the units::

        bias = (n - 1) (mean of D(-i) - D)
        variance = (n - 1) / n  sum of (D(-i) - mean)²

    where D is the difference of the scores on a scale. A bias larger than the difference
    is taken for all of it, so that no correction turns its sign. There are two scales: that
    of the score itself, and its log-odds within its range. On the first the standard error
    is too small where a score is near the upper end, because nothing in the sample shows
    how far few records would lower it, and on the second where it is near the lower end.
    A difference of log-odds is brought back by the slope between the two scores, so that
    its interval is one of the score itself. The scale with the larger two-sided p-value is
    taken, whatever the alternative. A score whose range is unknown has the first scale
    only. Log-odds of a score at an end of its range are those of a quarter of a record.

    The degrees of freedom are Satterthwaite's [3]_, from the fourth powers of the units'
    deviations: few units that move the score by much are worth few degrees.

    Above 2000 units, random parts of them are left out, 200 or 50 of more than 10 000
    records, which are worth as many degrees of freedom less one. They depend neither on
    the order of the records nor on the roles.

    A score that jumps, such as a sensitivity at a fixed specificity, has no jackknife
    variance: see :func:`bootstrap_difference`.

    Without any difference the statistic is 0 and p is 1, flagged "degenerate". If the
    difference is not 0 and does not vary, p is undefined and the interval has every
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
    check_alternative(alternative)
    champion, challenger = check_scored(scored)
    rounding = rounding_of(champion, challenger)
    observed = scored.sign * (challenger - champion)
    observed = 0.0 if abs(observed) <= rounding else observed
    without = left_out(scored, generator(0))
    flags = scored_flags(scored)
    found, statistic, tail = None, math.nan, (math.nan, math.nan)
    is_known = np.isfinite(without).all(axis=0)
    if not is_known.all() and observed == 0 and _are_alike(without[:, is_known], rounding):
        statistic, tail = 0.0, (1.0, 0.0)
        flags = (*flags, "degenerate")
    elif not is_known.all():
        flags = (*flags, ONE_OF_A_CLASS)
    else:
        scales = _scales(scored, (champion, challenger), without, rounding)
        found = max(scales, key=lambda scale: scale.log_pvalue)
        if found.error > 0:
            statistic = found.difference / found.error
            tail = student_pvalue(statistic, found.df, alternative)
        elif observed == 0:
            statistic, tail = 0.0, (1.0, 0.0)
            flags = (*flags, "degenerate")
        else:
            statistic = math.copysign(math.inf, observed)
            flags = (*flags, ZERO_VARIANCE)
    return PairedResult(
        statistic=statistic,
        pvalue=tail[0],
        log_pvalue=tail[1],
        df=None if found is None else found.df,
        estimate=observed,
        estimate_name=f"difference of {scored.score.name}",
        champion=champion,
        challenger=challenger,
        alternative=alternative,
        method="Student's t, jackknife",
        n=scored.n,
        limits=partial(_limits, found, observed, scored.bounds),
        greater_is_better=scored.greater_is_better,
        flags=flags,
        details=_details(scored, observed, found, without),
    )


def _are_alike(without: FloatArray, rounding: float) -> bool:
    """Whether no unit that can be left out makes a difference."""
    return bool((np.abs(without[1] - without[0]) <= rounding).all())


def _scales(
    scored: ScoredPair,
    values: tuple[float, float],
    without: FloatArray,
    rounding: float,
) -> list[_Scale]:
    """What the score itself and its log-odds say, where these are known."""
    low, high = scored.score.bounds
    as_it_is = _jackknife(scored.sign * (values[1] - values[0]),
                          scored.sign * (without[1] - without[0]), rounding)  # fmt: skip
    if not (math.isfinite(low) and math.isfinite(high)) or as_it_is.error == 0:
        return [as_it_is]
    least = 1 / (4 * scored.n)

    def log_odds(scores: FloatArray) -> FloatArray:
        share = np.clip((scores - low) / (high - low), least, 1 - least)
        odds: FloatArray = np.log(share / (1 - share))
        return odds

    both = np.array(values)
    odds, apart = log_odds(both), log_odds(without)
    scale = _jackknife(scored.sign * (odds[1] - odds[0]),
                       scored.sign * (apart[1] - apart[0]), rounding)  # fmt: skip
    step = odds[1] - odds[0]
    if abs(step) > rounding:
        slope = (values[1] - values[0]) / step
    else:
        share = (both.mean() - low) / (high - low)
        slope = (high - low) * share * (1 - share)
    back = _Scale(slope * scale.difference, slope * scale.error, scale.df)
    return [as_it_is, back] if back.error > 0 else [as_it_is]


def _jackknife(difference: float, without: FloatArray, rounding: float) -> _Scale:
    """The difference less its bias, its standard error and degrees of freedom."""
    k = len(without)
    moves = without - without.mean()
    moves = np.where(np.abs(moves) <= rounding, 0.0, moves)
    squares = moves**2
    total, fourth = float(squares.sum()), float((squares**2).sum())
    corrected = difference - (k - 1) * (float(without.mean()) - difference)
    if total == 0:
        corrected = difference
    elif corrected * difference <= 0:
        corrected = 0.0
    error = math.sqrt((k - 1) / k * total)
    return _Scale(corrected, error, degrees_of_freedom(total, fourth, k))


def _limits(
    found: _Scale | None,
    observed: float,
    bounds: tuple[float, float],
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    if found is None:
        return bounds
    if found.error == 0:
        return score_range(
            observed, 0.0, no_critical, bounds, confidence_level, alternative
        )

    def critical(alpha: float, alternative: str) -> float:
        return student_quantile(alpha / (2 if alternative == "two-sided" else 1), found.df)

    return score_range(
        found.difference, found.error, critical, bounds, confidence_level, alternative
    )


def _details(
    scored: ScoredPair, observed: float, found: _Scale | None, without: FloatArray
) -> dict[str, float]:
    details = {"left_out": float(without.shape[1])}
    if found is not None:
        details["standard_error"] = found.error
        details["bias"] = observed - found.difference
    if scored.groups is not None:
        details["groups"] = float(scored.n_units)
    return details
