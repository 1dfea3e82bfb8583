"""Z tests of hold-outs of halves and of folds, and pseudo bootstrap t tests."""

import math
from typing import Literal

import numpy as np

from skcompare._core.validation import check_switches
from skcompare._registry.tests import ANY_LOSS, ANY_SCORE, paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ScoreDifferences, mean_defined
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald
from skcompare.stats.splits._resampled_t import sizes_ratio
from skcompare.stats.splits._score_result import (
    LIBERAL,
    mean_of,
    variance_of,
    wald_of,
    wald_result,
    without_rounding,
)

LEAST_ROWS = 3

EXPERIMENTAL = "experimental"


@paired_test(
    "pseudo_bootstrap_t",
    title="pseudo bootstrap t test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=("replicated holdout",),
    references=("Nadeau2003", "Yang2023"),
    caution=LIBERAL,
)
def pseudo_bootstrap_t(
    scores: ScoreDifferences,
    *,
    alternative: Alternative = "two-sided",
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
        R is unknown.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    experimental : bool, default=False
        Must be True, to confirm that you know that the test is a reconstruction.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the first row, challenger minus champion, in the direction
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
    and more expensive than the corrected t test. The statistic here is derived from the
    name and not verified::

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
    """
    return _bootstrap_result(scores, "pseudo_bootstrap_t", alternative, experimental, False)


@paired_test(
    "corrected_pseudo_bootstrap_t",
    title="corrected pseudo bootstrap t test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=("replicated holdout",),
    references=("Nadeau2003", "Yang2023"),
    caution=EXPERIMENTAL,
)
def corrected_pseudo_bootstrap_t(
    scores: ScoreDifferences,
    *,
    alternative: Alternative = "two-sided",
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
        n1 = 9n/10 training records [2]_; R is unknown.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    experimental : bool, default=False
        Must be True, to confirm that you know that the test is a reconstruction.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the first row, challenger minus champion, in the direction
        of better scores. `statistic` is that over its standard error, with R - 1 degrees of
        freedom, and the interval is the mean plus and minus quantiles of t. `details` has
        the standard deviation of the means of the other rows, the standard error, J, R, the
        ratio of the sizes and the variance factor. Every result is flagged "experimental".

    Raises
    ------
    ValueError
        If `experimental` is not True, the differences do not come in at least 3 rows, or
        the size of a training set is unknown.

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
    """
    name = "corrected_pseudo_bootstrap_t"
    return _bootstrap_result(scores, name, alternative, experimental, True)


def _bootstrap_result(
    scores: ScoreDifferences,
    test: str,
    alternative: str,
    experimental: bool,
    corrected: bool,
) -> PairedResult:
    """Return the test of the first row's mean by the variance of the other rows' means."""
    _check_experimental(test, experimental)
    _check_bootstrap_rows(scores, test)
    values, noise = without_rounding(scores)
    rows = values.reshape(scores.values.shape)
    n_replicates, n_splits = len(rows) - 1, len(rows[0])
    ratio = sizes_ratio(scores, test) if corrected else 0.0
    variance = variance_of(rows[1:].mean(axis=1), noise)
    estimate = mean_of(rows[0], noise)
    # The mean of the defined splits alone is another quantity.
    factor = math.nan if np.isnan(rows).any() else 1 + n_splits * ratio
    wald = wald_of(scores, estimate, math.sqrt(factor * variance), n_replicates - 1)
    details = {
        "deviation_of_means": math.sqrt(variance),
        "se": wald.error,
        "n_splits": float(n_splits),
        "n_replicates": float(n_replicates),
    }
    if corrected:
        details |= {"test_train_ratio": ratio, "variance_factor": factor}
    return wald_result(
        scores,
        wald,
        alternative,
        () if corrected else (EXPERIMENTAL,),
        means=means_of_first_row(scores),
        method="Student's t, corrected" if corrected else "Student's t",
        details=details,
    )


def means_of_first_row(scores: ScoreDifferences) -> tuple[float, float]:
    """Mean scores of champion and challenger on the splits of the estimate."""
    if scores.champion is None or scores.challenger is None:
        return math.nan, math.nan
    return mean_defined(scores.champion[0]), mean_defined(scores.challenger[0])


def _check_experimental(test: str, experimental: object) -> None:
    check_switches(experimental=experimental)
    if not experimental:
        raise ValueError(
            f"{test} needs experimental=True. Got {experimental!r}. Its definition is "
            "known by name only, and what is done here is a reconstruction that nobody "
            "has verified. Pass experimental=True if you know this, or use "
            "corrected_repeated_holdout_t."
        )


def _check_bootstrap_rows(scores: ScoreDifferences, test: str) -> None:
    shape = scores.values.shape
    if scores.values.ndim != 2 or shape[0] < LEAST_ROWS:
        raise ValueError(
            f"{test} needs the differences of an estimate and of at least 2 replicates, "
            f"shape (1 + n_replicates, n_splits). Got {shape}. Split with "
            "ReplicatedShuffleSplit."
        )


USUAL_BISECTIONS = 10

FEW_BISECTIONS = "few-bisections"


def _of_halves(scores: ScoreDifferences) -> Wald:
    """Mean of the first row, with the standard error estimated from bisections."""
    _check_rows(scores)
    values, noise = without_rounding(scores)
    rows = values.reshape(scores.values.shape)
    estimate = mean_of(rows[0], noise)
    if np.isnan(rows).any():
        return wald_of(scores, estimate, math.nan, None)
    means = rows[1:].mean(axis=1)
    distances = means[0::2] - means[1::2]
    distances = np.where(np.abs(distances) <= noise, 0.0, distances)
    return wald_of(scores, estimate, math.sqrt(float((distances**2).mean()) / 2), None)


@paired_test(
    "conservative_z",
    title="conservative Z test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=("holdout in halves",),
    references=("Nadeau2003", "Yang2023"),
    sample_size=planned(_of_halves),
)
def conservative_z(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the conservative Z test.

    The null hypothesis is that the two algorithms, trained on as many records as the
    training sets of the first row have, have equal expected scores. It speaks of the
    algorithms, over new training and new test records. The mean difference of a repeated
    hold-out is compared with how far such means of two halves of the records are apart
    [1]_. The halves share no record, but are half as many, so that their means tend to
    vary more than that of all records: the test rejects too seldom, rather than too often,
    and needs many trainings.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences of any score, of shape (1 + 2M, J): J hold-outs of all records in the
        first row, and then, for each of M random bisections, J hold-outs of one half and J
        of the other in two rows, as :class:`~skcompare.model_selection.HalvesShuffleSplit`
        makes them. J = 15 and M = 10 with n1 = 9n/10 training records are usual.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the first row, challenger minus champion, in the direction
        of better scores. `statistic` is that over its standard error, compared with the
        standard normal distribution; the interval is the mean plus and minus quantiles of
        it. `details` has the standard error, J and M.

    Raises
    ------
    ValueError
        If the differences do not come in an odd number of rows, at least 3, or if rows
        after the first have as many training records as the first.

    See Also
    --------
    corrected_repeated_holdout_t : Needs the first row only, and has more power.

    Notes
    -----
    With the means of rows m and m' of the two halves of a bisection::

        sigma² = sum of (mean of m - mean of m')² / (2M)
        statistic = mean of row 0 / sigma

    With n records, hold-outs of n2 of them train on n1 = n - n2 in the first row and on n
    // 2 - n2 in the others [1]_. The M distances come from the same records, so that sigma²
    varies more than M would suggest, which the normal distribution ignores. Where only the
    test records vary, equal learners were found to differ in 24 % of simulated data sets
    with M = 1, in 8 % with 3, 5 % with 5, and 3 % with 10
    (``benchmarks/validity/splits/bisections.py``); fewer than 10 are flagged
    "few-bisections". Section 5 of [2]_ names the test and leaves it out of the experiments,
    as less powerful and more expensive than the corrected t test.

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If the
    two halves of every bisection agree and the estimate is not 0, the statistic is infinite
    and p undefined, flagged "zero-variance". If the score is undefined on a test set, so
    are statistic and p, flagged "undefined-in-split"; the estimate is then the mean of the
    other splits of the first row.

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
    >>> from skcompare.stats import conservative_z
    >>> scores = ScoreDifferences(
    ...     [[0.02, 0.04], [0.00, 0.03], [0.06, 0.00], [0.04, 0.00], [0.03, 0.05]],
    ...     n_train=[90] * 2 + [40] * 8,
    ...     n_test=10,
    ...     design="holdout in halves",
    ... )
    >>> result = conservative_z(scores)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.030, z = 2.400, p = 0.0164
    """
    wald = _of_halves(scores)
    n_rows, n_splits = scores.values.shape
    n_bisections = (n_rows - 1) // 2
    return wald_result(
        scores,
        wald,
        alternative,
        (FEW_BISECTIONS,) * (n_bisections < USUAL_BISECTIONS),
        means=means_of_first_row(scores),
        method="normal, halves",
        details={
            "se": wald.error,
            "n_splits": float(n_splits),
            "n_bisections": float(n_bisections),
        },
    )


def _check_rows(scores: ScoreDifferences) -> None:
    shape = scores.values.shape
    if len(shape) != 2 or shape[0] < LEAST_ROWS or shape[0] % 2 == 0:
        raise ValueError(
            "conservative_z needs the differences of hold-outs of all records and of both "
            f"halves of bisections, shape (1 + 2 * n_bisections, n_splits). Got {shape}. "
            "Split with HalvesShuffleSplit."
        )
    n_train = scores.n_train.reshape(shape)
    most, least = int(n_train[1:].max()), int(n_train[0].min())
    if 0 < least <= most:
        raise ValueError(
            "conservative_z needs hold-outs of halves after the first row, which have "
            f"fewer training records. Got {most} of them there and {least} in the first "
            "row. Split with HalvesShuffleSplit."
        )


Variance = Literal["out", "in"]


@paired_test(
    "cv_ci_z",
    title="K-fold CV-CI Z test",
    needs=ScoreDifferences,
    measures=("accuracy", ANY_LOSS),
    designs=("kfold",),
    references=("Bayle2020", "Yang2023"),
    inference="models",
    caution=LIBERAL,
)
def cv_ci_z(
    scores: ScoreDifferences,
    *,
    variance: Variance = "out",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare the classifiers that a K-fold cross-validation trained, by their mean loss.

    The null hypothesis is that the K classifiers of one algorithm and those of the other,
    as they were trained, have equal expected losses, on average over the folds [1]_. It
    speaks of these trained classifiers and new test records, not of the learning
    algorithms: other training records would give other classifiers, whose spread it leaves
    out. Read as a test of algorithms it rejects too often: on four of five data sets of
    [2]_, and up to twice as often as it should.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences of mean losses, or of accuracies, on the K folds of one
        cross-validation, with their `variances`: of ``KFold`` or ``StratifiedKFold``. K =
        10 [2]_.
    variance : {"out", "in"}, default="out"
        "out" is the variance of the differences of all records about their mean; "in" the
        mean of the variances within the folds, which is smaller where folds differ, and
        needs 2 test records in each fold.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference over the records, challenger minus champion, in
        the direction of better scores: folds of unequal size count by their records.
        `statistic` is that over its standard error, compared with the standard normal
        distribution; the interval is the mean plus and minus quantiles of it. `details` has
        the standard deviation of the differences of a record, the standard error and the
        number of splits. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If there are no variances, one is unknown, or `variance` is "in" and a fold has one
        test record.

    See Also
    --------
    corrected_repeated_kfold_t : A test of the learning algorithms, for any score.

    Notes
    -----
    With the difference h of the losses of each of n records, R their mean, and v the sample
    variance of h within a fold (divisor n_k - 1)::

        out: sigma² = sum of (h - R)² / n
        in:  sigma² = mean of v over the folds
        statistic = R / (sigma / sqrt(n))

    [1]_ shows both to be valid for large n where the algorithms are stable: leaving out a
    record must change their loss little. The sum over records is split into parts within
    and between folds, so that the differences and variances of the folds are enough. In
    leave-one-out cross-validation every fold has one record, and only "out" is defined.

    If all differences are 0 and do not vary, the statistic is 0 and p is 1, flagged
    "degenerate". If they do not vary and are not 0, the statistic is infinite and p
    undefined, flagged "zero-variance". If the score is undefined on a fold, so are
    statistic and p, flagged "undefined-in-split"; the estimate is then the mean of the
    records of the other folds.

    References
    ----------
    .. [1] Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). "Cross-validation
       confidence intervals for test error." Advances in Neural Information Processing
       Systems 33, 16339-16350.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5 and Table V.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import cv_ci_z
    >>> scores = ScoreDifferences(
    ...     [0.05, 0.10, 0.00, 0.05],
    ...     n_train=60,
    ...     n_test=20,
    ...     variances=[0.0050, 0.0074, 0.0026, 0.0050],
    ...     design="kfold",
    ... )
    >>> result = cv_ci_z(scores)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.050, z = 1.441, p = 0.1494
    """
    differences, noise = without_rounding(scores)
    within = _variances_of_records(scores, variance)
    n_test = scores.n_test
    estimate = _weighted(differences, n_test)
    estimate = 0.0 if abs(estimate) <= noise else estimate
    if np.isnan(differences).any():
        deviation = math.nan
    elif variance == "in":
        deviation = math.sqrt(float(within.mean()))
    else:
        squares = (n_test - 1) * within + n_test * (differences - estimate) ** 2
        deviation = math.sqrt(float(squares.sum() / n_test.sum()))
    deviation = 0.0 if deviation <= noise else deviation
    error = deviation / math.sqrt(float(n_test.sum()))
    return wald_result(
        scores,
        wald_of(scores, estimate, error, None),
        alternative,
        means=(_role_mean(scores, "champion"), _role_mean(scores, "challenger")),
        method=f"normal, variance={variance}",
        details={"deviation": deviation, "se": error, "n_splits": float(differences.size)},
    )


def _variances_of_records(scores: ScoreDifferences, variance: str) -> FloatArray:
    """Sample variances of the differences of the records of each fold, as one array.

    0 for a fold of one record, which has no variance within.
    """
    if scores.variances is None:
        raise ValueError(
            "cv_ci_z needs the variances of the differences within the folds. Got none. "
            "Pass `variances` to ScoreDifferences, for each fold the sample variance of "
            "the differences of its records over their number, or use "
            "corrected_repeated_kfold_t."
        )
    single = scores.n_test == 1
    if variance == "in" and single.any():
        raise ValueError(
            "variance='in' needs at least 2 test records in each fold. Got "
            f"{int(single.sum())} folds of one. Use variance='out'."
        )
    within = np.where(single, 0.0, scores.n_test * scores.variances.ravel())
    unknown = np.isnan(within) & ~np.isnan(scores.values.ravel())
    if unknown.any():
        raise ValueError(
            "cv_ci_z needs the variance within every fold of 2 or more records. Got NaN "
            f"for fold {int(unknown.argmax())}. Pass all `variances`."
        )
    return within


def _role_mean(scores: ScoreDifferences, role: str) -> float:
    """Mean score of a role over the records; NaN if unknown."""
    values = getattr(scores, role)
    return math.nan if values is None else _weighted(values.ravel(), scores.n_test)


def _weighted(values: FloatArray, n_test: IntArray) -> float:
    """Mean of the defined values, weighted by the records of each fold."""
    defined = ~np.isnan(values)
    if not defined.any():
        return math.nan
    return float(np.average(values[defined], weights=n_test[defined]))
