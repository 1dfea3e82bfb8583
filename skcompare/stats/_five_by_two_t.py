"""Student's t tests for 5×2 cross-validation with random halves."""

import math
from typing import Any

from skcompare._core.validation import check_alternative
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare._typing import FloatArray
from skcompare.evidence import ScoreDifferences
from skcompare.stats._five_by_two_f import N_REPEATS
from skcompare.stats._result import PairedResult
from skcompare.stats._score_result import (
    LIBERAL,
    check_halves,
    mean_of,
    score_limits,
    score_result,
    studentised_scores,
    within_repetitions,
    without_rounding,
)

ALPHA = 0.05

FOLD_ORDER = "depends-on-fold-order"


@paired_test(
    "paired_5x2_t",
    title="5×2 CV paired t test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=("random 5x2",),
    references=("Dietterich1998", "Yang2023"),
    n_repeats=N_REPEATS,
    caution=LIBERAL,
)
def paired_5x2_t(
    scores: ScoreDifferences, *, alternative: str = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the 5×2 cross-validated paired t test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It speaks of the algorithms, over new training and new test
    records. The difference of one half, the first, is taken in standard errors that are
    made of all ten [1]_. Where training varies, equal learners are told apart more often
    than the level says: it is there to reproduce published results. Split with
    :class:`~skcompare.BlockRegularized5x2CV` instead.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on both halves of five random bisections, of any score, in the shape
        (5, 2): of ``RepeatedStratifiedKFold(n_splits=2, n_repeats=5)``.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the difference of the first half of the first repetition, challenger
        less champion, in the direction of better scores; `champion` and `challenger` are
        the scores there. `statistic` is the estimate over its standard error, with 5
        degrees of freedom, and the interval is the estimate plus and minus quantiles of t.
        `parts` has the ten variants of the test, one for each half that could have come
        first, and `details` the standard error and the mean of the ten differences. Every
        result is flagged "liberal".

    Raises
    ------
    ValueError
        If the differences are not those of both halves of five repetitions.

    See Also
    --------
    combined_5x2_f : Uses all ten differences, and does not depend on their order.

    Notes
    -----
    With the differences p1 and p2 of the two halves of each repetition, of which the
    variance is s² = (p1 - p2)² / 2::

        statistic = first p1 / sqrt(mean of the five s²)

    Which half comes first is a matter of chance, fixed by the seed of the splitter. Where
    some of the ten variants reject at the level 0.05 and others do not, the result is
    flagged "depends-on-fold-order". To choose among them after seeing them is no test.

    If all s² are 0, the statistic is 0 and p is 1 where the first difference is 0, flagged
    "degenerate"; otherwise the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on any of the ten test sets, so are statistic and p,
    flagged "undefined-in-split".

    References
    ----------
    .. [1] Dietterich, T. G. (1998). "Approximate statistical tests for comparing supervised
       classification learning algorithms." Neural Computation 10(7), 1895-1923.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import paired_5x2_t
    >>> scores = ScoreDifferences(
    ...     [[0.04, 0.06], [0.05, 0.02], [0.03, 0.07], [0.01, 0.05], [0.06, 0.04]],
    ...     n_train=100,
    ...     n_test=100,
    ...     design="random 5x2",
    ... )
    >>> result = paired_5x2_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.040, t = 1.807, p = 0.1306
    >>> print(" ".join(f"{part['pvalue']:.3f}" for part in result.parts))
    0.131 0.042 0.073 0.408 0.233 0.025 0.670 0.073 0.042 0.131
    >>> result.flags
    ('depends-on-fold-order', 'liberal')

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    check_halves(scores, "paired_5x2_t", N_REPEATS)
    values, noise = without_rounding(scores)
    first = float(values[0])
    error = math.sqrt(within_repetitions(values, noise) / N_REPEATS)
    statistic, tail, flags = studentised_scores(first, error, N_REPEATS, alternative)
    parts = _variants(values, error, alternative)
    if len({part["pvalue"] < ALPHA for part in parts}) == 2:
        flags = (*flags, FOLD_ORDER)
    return score_result(
        scores,
        statistic,
        tail,
        df=N_REPEATS,
        estimate=first,
        means=_first_scores(scores),
        alternative=alternative,
        method="Student's t of the first half",
        limits=score_limits(scores, first, error, N_REPEATS),
        flags=flags,
        details={"se": error, "mean": mean_of(values, noise)},
        parts=parts,
    )


@paired_test(
    "combined_5x2_t",
    title="combined 5×2 CV t test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=("random 5x2",),
    references=("Yildiz2013", "Yang2023"),
    n_repeats=N_REPEATS,
    caution=LIBERAL,
)
def combined_5x2_t(
    scores: ScoreDifferences, *, alternative: str = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the combined 5×2 cross-validated t test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. The mean of the ten differences is taken in standard errors as if
    they were independent [1]_, which those of different repetitions are not: they share
    half of their test records, and the type I error is far above the level. It is
    there to reproduce published results; use :func:`combined_5x2_f`.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on both halves of five random bisections, of any score, in the shape
        (5, 2): of ``RepeatedStratifiedKFold(n_splits=2, n_repeats=5)``.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger less champion, in the direction of
        better scores. `statistic` is that over its standard error, with 5 degrees of
        freedom, and the interval, too short as well, is the mean plus and minus quantiles
        of t. `details` has the standard error. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If the differences are not those of both halves of five repetitions.

    Notes
    -----
    With the differences p1 and p2 of the two halves of each repetition, of which the
    variance is s² = (p1 - p2)² / 2::

        statistic = sqrt(10) mean of the ten / sqrt(mean of the five s²)

    Where only the test records vary, the differences of two repetitions have a correlation
    of 1/2, and the variance of the mean is five times as large as it is taken to be.

    If all s² are 0, the statistic is 0 and p is 1 where the mean is 0, flagged
    "degenerate"; otherwise the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on a test set, so are statistic and p, flagged
    "undefined-in-split"; the estimate is then the mean of the other splits.

    References
    ----------
    .. [1] Yildiz, O. T. (2013). "Omnivariate rule induction using a novel pairwise
       statistical test." IEEE Transactions on Knowledge and Data Engineering 25(9),
       2105-2118.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import combined_5x2_t
    >>> scores = ScoreDifferences(
    ...     [[0.04, 0.06], [0.05, 0.02], [0.03, 0.07], [0.01, 0.05], [0.06, 0.04]],
    ...     n_train=100,
    ...     n_test=100,
    ...     design="random 5x2",
    ... )
    >>> result = combined_5x2_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.043, t = 6.143, p = 0.0017

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    check_halves(scores, "combined_5x2_t", N_REPEATS)
    values, noise = without_rounding(scores)
    mean = mean_of(values, noise)
    error = math.sqrt(within_repetitions(values, noise) / N_REPEATS / len(values))
    statistic, tail, flags = studentised_scores(mean, error, N_REPEATS, alternative)
    return score_result(
        scores,
        statistic,
        tail,
        df=N_REPEATS,
        estimate=mean,
        alternative=alternative,
        method="Student's t",
        limits=score_limits(scores, mean, error, N_REPEATS),
        flags=flags,
        details={"se": error},
    )


def _variants(
    values: FloatArray, error: float, alternative: str
) -> tuple[dict[str, Any], ...]:
    """The test for every half that could have come first."""
    parts = []
    for k, value in enumerate(values.tolist()):
        statistic, (pvalue, _), _ = studentised_scores(value, error, N_REPEATS, alternative)
        parts.append(
            {
                "repetition": k // 2 + 1,
                "half": k % 2 + 1,
                "difference": value,
                "statistic": statistic,
                "pvalue": pvalue,
            }
        )
    return tuple(parts)


def _first_scores(scores: ScoreDifferences) -> tuple[float, float]:
    """The scores of both roles on the first half; NaN where they are not known."""
    if scores.champion is None or scores.challenger is None:
        return math.nan, math.nan
    return float(scores.champion[0, 0]), float(scores.challenger[0, 0])
