"""The difference of two precisions on records that come in groups."""

import math
from functools import partial
from typing import Any

from skcompare._core.validation import alpha_of, check_alternative, check_choice
from skcompare._registry.tests import paired_test
from skcompare.evidence import ClusterSums
from skcompare.evidence._class_rows import CLASS_SCORES, ClassMoments
from skcompare.stats._auc_tails import reference_pvalue, reference_quantile
from skcompare.stats._class_label import SCORE_WORDS, class_words
from skcompare.stats._difference_limits import one_sided
from skcompare.stats._gee import (
    ONE_CLUSTER,
    ClassFit,
    check_two_classifiers,
    class_fit,
    undecided,
)
from skcompare.stats._gee_limits import difference_score_limits
from skcompare.stats._precision_limits import difference_range
from skcompare.stats._precision_statistics import generalized_score, share_contrast
from skcompare.stats._result import PairedResult

METHODS = ("score", "wald")
DISTRIBUTIONS = ("t", "normal")

ROUNDING = 1e-12
"""A score this close to its greatest value has it."""


@paired_test(
    "clustered_precision",
    title="Score test of precision for grouped records",
    needs=ClusterSums,
    kind="difference",
    measures="precision",
    designs=("grouped holdout",),
    references=("Leisenring2000", "LiangZeger1986", "ManclDeRouen2001", "Guo2005"),
)
def clustered_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: str = "precision",
    method: str = "score",
    correction: str = "none",
    distribution: str = "t",
    alternative: str = "two-sided",
) -> PairedResult:
    """Compare two precisions on one test set whose records come in groups.

    The null hypothesis is that answers that name the class are right as often for both
    trained classifiers, over the records of new groups. Records of one group may depend on
    each other in any way; groups are independent, and say themselves how much their sums
    vary: the marginal model with identity link and independence as working correlation.

    Parameters
    ----------
    sums : ClusterSums
        Answers of two classifiers by group. Without groups every record is one, and the
        test, asked for by name, is flagged "invalid-design"; of a plain hold-out use
        :func:`~skcompare.stats.precision_score`, the same score.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    method : {"score", "wald"}, default="score"
        The generalized score test [1]_, with residuals from the share of all answers of
        both, or Wald's, with residuals from the share of each classifier [2]_.
    correction : {"none", "small-sample", "mancl-derouen"}, default="none"
        What is done to the variance for few groups: nothing; N / (N - 1) times it, of N
        groups with an answer that counts [4]_; or the residuals of a group over 1 less its
        part of the answers of the classifier [3]_.
    distribution : {"t", "normal"}, default="t"
        What the statistic is compared with: Student's t with N - 1 degrees of freedom, or
        the normal distribution.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is precision(challenger) - precision(champion), over all answers that
        count. `details` has their numbers, and `n_clusters`, the N above.

    Raises
    ------
    ValueError
        If there are not two classifiers, or no such class.

    Notes
    -----
    With the residuals e of a group over all answers of the classifier, the variance is the
    sum over the groups of (e2 - e1)². For residuals from a common share the root S of the
    score test is at most √N, and S √((N - 1) / (N - S²)), which takes the mean out of the
    variance, is compared with t. The interval holds the differences that the test does not
    reject; for "score" with shares that differ by so much and solve the estimating equation
    of their common level.

    For two equally precise classifiers, and groups of equal or unequal size whose records
    are alike or not, ``benchmarks/validity/precision_groups.py`` prints how often a level
    of 0.05 rejects. These are the means of its 8 designs, of 4,000 data sets each, and in
    brackets the greatest of them:

    ======================= =========== =========== =========== ===========
    groups                  10          20          50          100
    ======================= =========== =========== =========== ===========
    score, t                .042 (.053) .052 (.062) .051 (.055) .051 (.057)
    score, normal           .028 (.043) .046 (.058) .049 (.054) .050 (.056)
    wald, mancl-derouen, t  .051 (.067) .051 (.062) .050 (.059) .050 (.060)
    ======================= =========== =========== =========== ===========

    The bound of "score" makes it reject less with "normal" where groups are few. The
    corrections are meant for "wald"; N / (N - 1) lowers a score that needs no lowering.

    Fewer than 40 groups with an answer that counts are flagged "few-informative-clusters".
    A classifier without one is flagged "no-answers"; p is undefined then, and the interval
    from -1 to 1. Without difference and variance, as where all answers are right, the
    statistic is 0 and p is 1, flagged "degenerate". A difference without variance is
    flagged "zero-variance". Where a correction or a t distribution leaves no degree of
    freedom, because all answers of a classifier are in one group, p is undefined, flagged
    "one-cluster".

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    .. [3] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.
    .. [4] Guo, X., Pan, W., Connett, J. E., Hannan, P. J. and French, S. A. (2005).
       "Small-sample performance of the robust score test and its modifications in
       generalized estimating equations." Statistics in Medicine 24(22), 3479-3495.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import clustered_precision
    >>> rng = np.random.default_rng(0)
    >>> patients = np.repeat(np.arange(60), 4)
    >>> y = rng.integers(2, size=240)
    >>> champion, challenger = (
    ...     np.where(rng.random(240) < accuracy, y, 1 - y) for accuracy in (0.7, 0.85)
    ... )
    >>> sums = ClusterSums.from_predictions(y, champion, challenger, groups=patients)
    >>> result = clustered_precision(sums)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.2g}")
    0.200, p = 7.1e-07

    .. versionadded:: 0.1
    """
    check_choice("score", score, CLASS_SCORES)
    check_choice("method", method, METHODS)
    check_choice("distribution", distribution, DISTRIBUTIONS)
    check_alternative(alternative)
    check_two_classifiers(sums, "clustered_precision")
    fit = class_fit(sums, label, score, correction)
    statistic, df, flags = _statistic(fit, method, distribution)
    tail = (math.nan, math.nan)
    if "degenerate" in flags:
        statistic, tail = 0.0, (1.0, 0.0)
    elif math.isfinite(statistic):
        tail = reference_pvalue(statistic, df, alternative)
    shares = fit.raw.shares
    estimate = 0.0 if fit.alike else float(shares[1] - shares[0])
    if math.isnan(tail[0]) or not fit.known:
        limits: Any = difference_range
    elif method == "score":
        moments = fit.raw if "degenerate" in flags else fit.moments
        limits = partial(_score_limits, moments, df, fit.n_clusters)
    else:
        variance = float(share_contrast(fit.moments).variance)
        error = 0.0 if "degenerate" in flags else math.sqrt(variance)
        limits = partial(_wald_limits, estimate, error, df)
    champion, challenger = role_shares(fit)
    return PairedResult(
        statistic=statistic,
        pvalue=tail[0],
        log_pvalue=tail[1],
        df=df,
        estimate=estimate,
        estimate_name=f"difference of {SCORE_WORDS[score]}",
        champion=champion,
        challenger=challenger,
        alternative=alternative,
        method=method,
        n=sums.n,
        limits=limits,
        flags=flags,
        details=fit_details(fit),
        remark=class_words(fit.label),
    )


def role_shares(fit: ClassFit) -> tuple[float, float]:
    """The score of champion and challenger; NaN without answers that count."""
    champion, challenger = fit.raw.shares.tolist()
    return champion, challenger


def fit_details(fit: ClassFit) -> dict[str, float]:
    """Answers that count, and clusters that have one."""
    champion, challenger = fit.raw.rows.tolist()
    return {
        "champion_answers": champion,
        "challenger_answers": challenger,
        "n_clusters": fit.n_clusters,
    }


def _statistic(
    fit: ClassFit, method: str, distribution: str
) -> tuple[float, float | None, tuple[str, ...]]:
    """Statistic, degrees of freedom and flags."""
    contrast = generalized_score if method == "score" else share_contrast
    plain = contrast(fit.raw)
    root = float(contrast(fit.moments).root)
    df = float(max(1, fit.n_clusters - 1)) if distribution == "t" else None
    if fit.alike or float(plain.root) == 0 == float(plain.variance):
        return 0.0, df, ("degenerate", *fit.caveats)
    if df is not None and fit.n_clusters < 2 and fit.known:
        return math.nan, df, (ONE_CLUSTER, *fit.caveats)
    if df is not None and method == "score" and not math.isnan(root):
        left = fit.n_clusters - root**2
        bounded = left <= ROUNDING * fit.n_clusters
        factor = math.inf if bounded else math.sqrt((fit.n_clusters - 1) / left)
        root = root * factor if root else 0.0
    return root, df, (*undecided(fit, root), *fit.caveats)


def _score_limits(
    moments: ClassMoments,
    df: float | None,
    n_clusters: int,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """The differences that the score test does not reject."""
    critical = _quantile(df, confidence_level, alternative)
    if df is not None and math.isfinite(critical):
        # What a statistic with the mean in its variance must be.
        critical *= math.sqrt(n_clusters / (df + critical**2))
    return difference_score_limits(moments, n_clusters, critical, alternative)


def _wald_limits(
    estimate: float,
    error: float,
    df: float | None,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """The estimate less and plus a multiple of its standard error, cut at -1 and 1."""
    reach = _quantile(df, confidence_level, alternative) * error
    low, high = (min(1.0, max(-1.0, estimate + by)) for by in (-reach, reach))
    return one_sided(low, high, alternative)


def _quantile(df: float | None, confidence_level: float, alternative: str) -> float:
    tail = alpha_of(confidence_level) / (2 if alternative == "two-sided" else 1)
    return reference_quantile(tail, df)
