"""Pseudo bootstrap tests of a replicated hold-out, whose definition is a reconstruction."""

import math

import numpy as np

from skcompare._core.validation import check_alternative, check_switches
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare.evidence import ScoreDifferences
from skcompare.evidence._scores import mean_defined
from skcompare.stats._resampled_t import sizes_ratio
from skcompare.stats._result import PairedResult
from skcompare.stats._score_result import (
    LIBERAL,
    mean_of,
    score_limits,
    score_result,
    studentised_scores,
    variance_of,
    without_rounding,
)

LEAST_ROWS = 3

EXPERIMENTAL = "experimental"


@paired_test(
    "pseudo_bootstrap_t",
    title="pseudo bootstrap t test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=("replicated holdout",),
    references=("Nadeau2003", "Yang2023"),
    caution=LIBERAL,
)
def pseudo_bootstrap_t(
    scores: ScoreDifferences,
    *,
    alternative: str = "two-sided",
    experimental: bool = False,
) -> PairedResult:
    """Compare two learning algorithms by the pseudo bootstrap, as far as it is known.

    The null hypothesis is that the two algorithms, trained on as many records as each
    training set has, have equal expected scores. A repeated hold-out is repeated on the
    same records, and the mean difference compared with how much such means vary. They vary
    by the splits alone, not by the records, so that the test rejects far too often, like
    :func:`repeated_holdout_t`.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences of any score on replicated hold-outs, of shape (1 + R, J): the estimate
        in the first row, R replicates of it in the others, as
        :class:`~skcompare.model_selection.ReplicatedShuffleSplit` makes them. J = 15 [2]_;
        R is not known.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    experimental : bool, default=False
        Must be True: you know that the test is a reconstruction.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the first row, challenger less champion, in the direction
        of better scores. `statistic` is that over the standard deviation of the means of
        the other rows, with R - 1 degrees of freedom, and the interval, too short as well,
        is the mean plus and minus quantiles of t. `details` has the standard deviation of
        the means, the standard error, J and R. Every result is flagged "liberal" and
        "experimental".

    Raises
    ------
    ValueError
        If `experimental` is not True, or the differences do not come in at least 3 rows.

    See Also
    --------
    corrected_repeated_holdout_t : A test with a known definition that needs J splits only.

    Notes
    -----
    Section 5 of [2]_ names the test and leaves it out of the experiments, as less powerful
    and more expensive than the corrected t test. What is done here is derived from the name
    and not verified::

        statistic = mean of row 0 / S,  S² = sample variance of the means of rows 1 to R

    and compared with Student's t with R - 1 degrees of freedom; S² has the divisor R - 1.
    Given the records, the means of the rows are independent, so that S² estimates
    sigma² (1 - rho) / J, for differences of variance sigma² and correlation rho. The
    variance of the mean over data sets is sigma² (rho + (1 - rho) / J).

    If all of these means are 0, the statistic is 0 and p is 1, flagged "degenerate". If the
    replicates do not vary and the estimate is not 0, the statistic is infinite and p
    undefined, flagged "zero-variance". If the score is undefined on a test set, so are
    statistic and p, flagged "undefined-in-split".

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). "Inference for the generalization error."
       Machine Learning 52(3), 239-281.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import pseudo_bootstrap_t
    >>> scores = ScoreDifferences(
    ...     [[0.02, 0.04], [0.01, 0.03], [0.02, 0.00], [0.04, 0.02], [0.03, 0.03]],
    ...     n_train=90,
    ...     n_test=10,
    ...     design="replicated holdout",
    ... )
    >>> result = pseudo_bootstrap_t(scores, experimental=True)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.030, t = 3.133, p = 0.0519

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    return _of_means(scores, "pseudo_bootstrap_t", alternative, experimental, False)


@paired_test(
    "corrected_pseudo_bootstrap_t",
    title="corrected pseudo bootstrap t test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=("replicated holdout",),
    references=("Nadeau2003", "Yang2023"),
    caution=EXPERIMENTAL,
)
def corrected_pseudo_bootstrap_t(
    scores: ScoreDifferences,
    *,
    alternative: str = "two-sided",
    experimental: bool = False,
) -> PairedResult:
    """Compare two learning algorithms by the corrected pseudo bootstrap, if reconstructed.

    The null hypothesis is that the two algorithms, trained on as many records as each
    training set has, have equal expected scores. A repeated hold-out is repeated on the
    same records. How much its mean varies by the splits is measured, and multiplied to
    make up for the records, which stay the same.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences of any score on replicated hold-outs, of shape (1 + R, J): the estimate
        in the first row, R replicates of it in the others, as
        :class:`~skcompare.model_selection.ReplicatedShuffleSplit` makes them. J = 15 with
        n1 = 9n/10 training records [2]_; R is not known.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    experimental : bool, default=False
        Must be True: you know that the test is a reconstruction.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the first row, challenger less champion, in the direction
        of better scores. `statistic` is that over its standard error, with R - 1 degrees of
        freedom, and the interval is the mean plus and minus quantiles of t. `details` has
        the standard deviation of the means of the other rows, the standard error, J, R, the
        ratio of the sizes and the variance factor. Every result is flagged "experimental".

    Raises
    ------
    ValueError
        If `experimental` is not True, the differences do not come in at least 3 rows, or
        the size of a training set is not known.

    See Also
    --------
    corrected_repeated_holdout_t : A test with a known definition that needs J splits only.

    Notes
    -----
    With S² as in :func:`pseudo_bootstrap_t`, and n1 training and n2 test records (the mean
    of n2 / n1 where sizes differ)::

        statistic = mean of row 0 / sqrt((1 + J n2 / n1) S²)

    The factor is the variance of the mean over data sets, sigma² (rho + (1 - rho) / J),
    over sigma² (1 - rho) / J, for a correlation rho = n2 / (n1 + n2) of the differences
    [1]_. Neither R nor the degrees of freedom could be verified.

    Edge cases are those of :func:`pseudo_bootstrap_t`.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). "Inference for the generalization error."
       Machine Learning 52(3), 239-281.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import corrected_pseudo_bootstrap_t
    >>> scores = ScoreDifferences(
    ...     [[0.02, 0.04], [0.01, 0.03], [0.02, 0.00], [0.04, 0.02], [0.03, 0.03]],
    ...     n_train=90,
    ...     n_test=10,
    ...     design="replicated holdout",
    ... )
    >>> result = corrected_pseudo_bootstrap_t(scores, experimental=True)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.030, t = 2.834, p = 0.0660

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    name = "corrected_pseudo_bootstrap_t"
    return _of_means(scores, name, alternative, experimental, True)


def _of_means(
    scores: ScoreDifferences,
    test: str,
    alternative: str,
    experimental: bool,
    corrected: bool,
) -> PairedResult:
    """The mean of the first row against the spread of the means of the others."""
    _check_known(test, experimental)
    _check_rows(scores, test)
    values, noise = without_rounding(scores)
    rows = values.reshape(scores.values.shape)
    n_replicates, n_splits = len(rows) - 1, len(rows[0])
    ratio = sizes_ratio(scores, test) if corrected else 0.0
    variance = variance_of(rows[1:].mean(axis=1), noise)
    estimate = mean_of(rows[0], noise)
    # A mean without the splits on which it is undefined is another one.
    factor = math.nan if np.isnan(rows).any() else 1 + n_splits * ratio
    error, df = math.sqrt(factor * variance), n_replicates - 1
    statistic, tail, flags = studentised_scores(estimate, error, df, alternative)
    details = {
        "deviation_of_means": math.sqrt(variance),
        "se": error,
        "n_splits": float(n_splits),
        "n_replicates": float(n_replicates),
    }
    if corrected:
        details |= {"test_train_ratio": ratio, "variance_factor": factor}
    return score_result(
        scores,
        statistic,
        tail,
        df=df,
        estimate=estimate,
        means=means_of_first_row(scores),
        alternative=alternative,
        method="Student's t, corrected" if corrected else "Student's t",
        limits=score_limits(scores, estimate, error, df),
        flags=(*flags, EXPERIMENTAL) if not corrected else flags,
        details=details,
    )


def means_of_first_row(scores: ScoreDifferences) -> tuple[float, float]:
    """Mean score of champion and challenger on the splits of the estimate."""
    if scores.champion is None or scores.challenger is None:
        return math.nan, math.nan
    return mean_defined(scores.champion[0]), mean_defined(scores.challenger[0])


def _check_known(test: str, experimental: object) -> None:
    check_switches(experimental=experimental)
    if not experimental:
        raise ValueError(
            f"{test} needs experimental=True. Got {experimental!r}. Its definition is "
            "known by name only, and what is done here is a reconstruction that nobody "
            "has verified. Pass experimental=True if you know this, or use "
            "corrected_repeated_holdout_t."
        )


def _check_rows(scores: ScoreDifferences, test: str) -> None:
    shape = scores.values.shape
    if scores.values.ndim != 2 or shape[0] < LEAST_ROWS:
        raise ValueError(
            f"{test} needs the differences of an estimate and of at least 2 replicates, "
            f"shape (1 + n_replicates, n_splits). Got {shape}. Split with "
            "ReplicatedShuffleSplit."
        )
