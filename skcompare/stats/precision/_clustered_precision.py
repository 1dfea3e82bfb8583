"""Tests of the difference, ratio and odds ratio of two clustered precisions."""

import math
from functools import partial
from typing import Any, Literal

import numpy as np

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ClassMoments, ClassScore, ClusterSums
from skcompare.stats.core._limits import (
    DIFFERENCE,
    any_difference,
    any_ratio,
    one_sided_ratio,
)
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import normal_pvalue, reference_pvalue
from skcompare.stats.core._target_class import SCORE_TEXT, class_text
from skcompare.stats.core._wald import Wald, critical_value
from skcompare.stats.precision._gee_model import (
    ONE_CLUSTER,
    ClassFit,
    check_two_classifiers,
    class_fit,
    difference_score_limits,
    ratio_score_limits,
    undecided,
)
from skcompare.stats.precision._precision_limits import log_wald_limits
from skcompare.stats.precision._precision_statistics import (
    Contrast,
    generalized_score,
    log_odds_contrast,
    log_ratio_contrast,
    share_contrast,
)

DifferenceMethod = Literal["score", "wald"]
Distribution = Literal["t", "normal"]

ROUNDING = 1e-12
"""Relative tolerance at which a score equals its greatest value."""


@paired_test(
    "clustered_precision",
    title="Score test of precision for grouped records",
    measures="precision",
    designs=("grouped holdout",),
    references=("Leisenring2000", "LiangZeger1986", "ManclDeRouen2001", "Guo2005"),
)
def clustered_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    method: DifferenceMethod = "score",
    correction: str = "none",
    distribution: Distribution = "t",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two precisions on one test set whose records come in groups.

    The null hypothesis is that predictions that name the class are right as often for both
    trained classifiers, over the records of new groups. Records of one group may depend on
    each other in any way; groups are independent, and say themselves how much their sums
    vary: the marginal model with identity link and independence as working correlation.

    Parameters
    ----------
    sums : ClusterSums
        Predictions of two classifiers by group. Without groups every record is one, and the
        test, requested by name, is flagged "invalid-design"; for a plain hold-out use
        :func:`~skcompare.stats.precision_score`, the same score.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    method : {"score", "wald"}, default="score"
        The generalized score test [1]_, with residuals from the share of all predictions of
        both, or Wald's, with residuals from the share of each classifier [2]_.
    correction : {"none", "small-sample", "mancl-derouen"}, default="none"
        Correction of the variance for few groups: none; a factor N / (N - 1), of N groups
        with a prediction that counts [4]_; or residuals of a group over 1 minus its share
        of the predictions of the classifier [3]_.
    distribution : {"t", "normal"}, default="t"
        Reference distribution: Student's t with N - 1 degrees of freedom, or the normal
        distribution.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is precision(challenger) - precision(champion), over all predictions that
        count. `details` has their numbers, and `n_clusters`, the N above.

    Raises
    ------
    ValueError
        If there are not two classifiers, or no such class.

    Notes
    -----
    With the residuals e of a group over all predictions of the classifier, the variance is
    the sum over the groups of (e2 - e1)². For residuals from a common share the root S of
    the score test is at most √N, and S √((N - 1) / (N - S²)), which takes the mean out of
    the variance, is compared with t. The interval holds the differences that the test does
    not reject; for "score" with shares that have this difference and solve the estimating
    equation of their common level.

    For two equally precise classifiers, and groups of equal or unequal size whose records
    are correlated or not, ``benchmarks/validity/precision/precision_groups.py`` prints how
    often a level of 0.05 rejects. These are the means of its 8 designs, of 4,000 data sets
    each, and in brackets the greatest of them:

    ======================= =========== =========== =========== ===========
    groups                  10          20          50          100
    ======================= =========== =========== =========== ===========
    score, t                .042 (.053) .052 (.062) .051 (.055) .051 (.057)
    score, normal           .028 (.043) .046 (.058) .049 (.054) .050 (.056)
    wald, mancl-derouen, t  .051 (.067) .051 (.062) .050 (.059) .050 (.060)
    ======================= =========== =========== =========== ===========

    The bound of "score" makes it reject less with "normal" where groups are few. The
    corrections are meant for "wald"; N / (N - 1) lowers a score that is not too large.

    Fewer than 40 groups with a prediction that counts are flagged
    "few-informative-clusters". A classifier without one is flagged "no-predictions"; p is
    undefined then, and the interval from -1 to 1. Without difference and variance, as where
    all predictions are correct, the statistic is 0 and p is 1, flagged "degenerate". A
    difference without variance is flagged "zero-variance". Where a correction or a t
    distribution leaves no degree of freedom, because all predictions of a classifier are in
    one group, p is undefined, flagged "one-cluster".

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
    """
    check_two_classifiers(sums, "clustered_precision")
    fit = class_fit(sums, label, score, correction)
    statistic, df, flags = _difference_statistic(fit, method, distribution)
    tail = (math.nan, math.nan)
    if "degenerate" in flags:
        statistic, tail = 0.0, (1.0, 0.0)
    elif math.isfinite(statistic):
        tail = reference_pvalue(statistic, df, alternative)
    shares = fit.raw.shares
    estimate = 0.0 if fit.alike else float(shares[1] - shares[0])
    if math.isnan(tail[0]) or not fit.known:
        limits: Any = any_difference
    elif method == "score":
        moments = fit.raw if "degenerate" in flags else fit.moments
        limits = partial(_difference_score_limits, moments, df, fit.n_clusters)
    else:
        variance = float(share_contrast(fit.moments).variance)
        error = 0.0 if "degenerate" in flags else math.sqrt(variance)
        limits = Wald(estimate, error, df, DIFFERENCE).limits
    champion, challenger = role_shares(fit)
    return PairedResult(
        statistic=statistic,
        pvalue=tail[0],
        log_pvalue=tail[1],
        df=df,
        estimate=estimate,
        estimate_name=f"difference of {SCORE_TEXT[score]}",
        champion=champion,
        challenger=challenger,
        method=method,
        limits=limits,
        flags=flags,
        details=fit_details(fit),
        remark=class_text(fit.label),
    )


def role_shares(fit: ClassFit) -> tuple[float, float]:
    """Scores of champion and challenger; NaN where the denominator is 0."""
    champion, challenger = fit.raw.shares.tolist()
    return champion, challenger


def fit_details(fit: ClassFit) -> dict[str, float]:
    """Denominators of both scores, and number of informative clusters."""
    champion, challenger = fit.raw.rows.tolist()
    return {
        "champion_predictions": champion,
        "challenger_predictions": challenger,
        "n_clusters": fit.n_clusters,
    }


def _difference_statistic(
    fit: ClassFit, method: str, distribution: str
) -> tuple[float, float | None, tuple[str, ...]]:
    """Return the statistic, its degrees of freedom and flags."""
    contrast = generalized_score if method == "score" else share_contrast
    plain = contrast(fit.raw)
    root = float(contrast(fit.moments).root)
    df = float(max(1, fit.n_clusters - 1)) if distribution == "t" else None
    if fit.alike or float(plain.root) == 0 == float(plain.variance):
        return 0.0, df, ("degenerate", *fit.caveats)
    if df is not None and fit.n_clusters < 2 and fit.known:
        return math.nan, df, (ONE_CLUSTER, *fit.caveats)
    if df is not None and method == "score" and not math.isnan(root):
        remainder = fit.n_clusters - root**2
        bounded = remainder <= ROUNDING * fit.n_clusters
        factor = math.inf if bounded else math.sqrt((fit.n_clusters - 1) / remainder)
        root = root * factor if root else 0.0
    return root, df, (*undecided(fit, root), *fit.caveats)


def _difference_score_limits(
    moments: ClassMoments,
    df: float | None,
    n_clusters: int,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Limits of the differences that the score test does not reject."""
    critical = critical_value(confidence_level, alternative, df)
    if df is not None and math.isfinite(critical):
        # The critical value of the statistic that has the mean in its variance.
        critical *= math.sqrt(n_clusters / (df + critical**2))
    return difference_score_limits(moments, n_clusters, critical, alternative)


Method = Literal["wald", "score"]
RatioLink = Literal["logit", "log"]
RATIO_NAMES = {"logit": "odds ratio", "log": "ratio"}


@paired_test(
    "gee_precision",
    title="Marginal logistic model (GEE) of precision",
    kind="ratio",
    measures="precision",
    designs=("holdout", "grouped holdout"),
    references=(
        "Leisenring2000",
        "LiangZeger1986",
        "MoskowitzPepe2006",
        "ManclDeRouen2001",
        "Guo2005",
    ),
)
def gee_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    link: RatioLink = "logit",
    method: Method = "wald",
    correction: str = "none",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """How many times the odds of the champion's being right are the challenger's?

    The null hypothesis is that predictions that name the class are right as often for both
    classifiers [1]_. The model is ``logit P = a + b [challenger]`` for the predictions that
    name the class, fitted by generalized estimating equations with independence as working
    correlation; predictions of one cluster may depend on each other in any way, and the
    sandwich covariance allows for it [2]_. Here it is computed in closed form.

    Parameters
    ----------
    sums : ClusterSums
        Predictions of two classifiers, cluster by cluster.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    link : {"logit", "log"}, default="logit"
        "logit" estimates the odds ratio ``exp(b)``, "log" the ratio of the precisions
        [3]_.
    method : {"wald", "score"}, default="wald"
        Wald's test of b, or the generalized score test, which needs no logarithm of a
        precision and so holds where one is 0 or 1. Its p-value is the same for both links.
    correction : {"none", "small-sample", "mancl-derouen"}, default="none"
        Correction of the sandwich for few clusters: none; a factor N / (N - 1), of N
        clusters with a prediction that counts [5]_; or residuals of a cluster over 1 minus
        its share of the predictions of the classifier [4]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is challenger over champion, `statistic` standard normal under the null
        hypothesis. `details` has the numbers of predictions and clusters, and for "wald"
        the standard error of the logarithm.

    Raises
    ------
    ValueError
        If there are not two classifiers, or no such class.

    Notes
    -----
    The clusters depend on the sums: groups of records; records with all their predictions,
    where they have more than one; otherwise records. Requested by name, the test runs on
    predictions of cross-validation, flagged "invalid-design". Clusters then make sure that
    a record that is predicted in ten repetitions does not count as ten. They do not account
    for classifiers of different folds being trained on shared records, nor for those of one
    fold predicting all its records: the conclusion is about these fitted models, and a test
    of learning algorithms needs a design made for it, such as 5x2 block-regularised
    cross-validation.

    An odds ratio is no ratio of probabilities: precisions of 0.8 and 0.9 have an odds ratio
    of 2.25 and a ratio of 1.125.

    The interval of "score" holds the ratios that the test does not reject. Its restricted
    precisions solve the estimating equation of the common level, for "log" with the working
    variance of counts. With few clusters use it, or a correction: of two equally precise
    classifiers "wald" rejects 13 % at a level of 5 % with 10 groups, 10 % with 20 and 6 %
    with 100, "mancl-derouen" 6 % with each of these, and "score" 3, 5 and 5 % (means of the
    designs that ``benchmarks/validity/precision/precision_groups.py`` prints; the p-value
    of "score" is that of :func:`~skcompare.stats.clustered_precision` with "normal").

    A classifier without predictions that count is flagged "no-predictions", and with
    precision 0 or 1 under "wald" "share-of-0-or-1"; p is undefined then, and the interval
    from 0 to infinity. Two classifiers with the same predictions have p = 1, flagged
    "degenerate", as have those without an error in a score test. Fewer than 40 clusters
    with a prediction that counts are flagged "few-informative-clusters", and a correction
    where all predictions of a classifier are in one cluster "one-cluster".

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    .. [3] Moskowitz, C. S. and Pepe, M. S. (2006). "Comparing the predictive values of
       diagnostic tests: sample size and analysis for paired study designs." Clinical
       Trials 3(3), 272-279.
    .. [4] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.
    .. [5] Guo, X., Pan, W., Connett, J. E., Hannan, P. J. and French, S. A. (2005).
       "Small-sample performance of the robust score test and its modifications in
       generalized estimating equations." Statistics in Medicine 24(22), 3479-3495.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import gee_precision
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> repeats = [
    ...     [np.where(rng.random(200) < accuracy, y, 1 - y) for accuracy in (0.75, 0.85)]
    ...     for _ in range(3)
    ... ]
    >>> sums = ClusterSums.from_repeats(y, repeats)
    >>> result = gee_precision(sums)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.2g}")
    2.211, p = 2.7e-05
    >>> result.flags
    ('invalid-design',)
    """
    check_two_classifiers(sums, "gee_precision")
    fit = class_fit(sums, label, score, correction)
    statistic, flags = _statistic(fit, link, method)
    tail = (math.nan, math.nan)
    if "degenerate" in flags:
        tail = (1.0, 0.0)
    elif math.isfinite(statistic):
        tail = normal_pvalue(statistic, alternative)
    estimate = ratio_of_shares(fit, link)
    details = fit_details(fit)
    moments = fit.raw if "degenerate" in flags else fit.moments
    if math.isnan(tail[0]) or math.isnan(estimate):
        limits: Any = any_ratio
    elif "degenerate" in flags:
        limits = only_ratio
    elif method == "score":
        limits = partial(_score_limits, moments, link, estimate)
    else:
        error = math.sqrt(float(log_contrast(moments, link).variance))
        limits = partial(log_wald_limits, estimate, error)
        details["standard_error"] = error
    champion, challenger = role_shares(fit)
    return PairedResult(
        statistic=statistic,
        pvalue=tail[0],
        log_pvalue=tail[1],
        estimate=estimate,
        estimate_name=f"{RATIO_NAMES[link]} of {SCORE_TEXT[score]}",
        champion=champion,
        challenger=challenger,
        method=method,
        null_value=1.0,
        limits=limits,
        flags=flags,
        details=details,
        remark=class_text(fit.label),
    )


def log_contrast(moments: ClassMoments, link: str) -> Contrast:
    """Return the Wald contrast of the logarithms of odds or of shares."""
    # A share of 0 has no finite logarithm, and the contrast is undefined.
    with np.errstate(divide="ignore", invalid="ignore"):
        return (log_odds_contrast if link == "logit" else log_ratio_contrast)(moments)


def ratio_of_shares(fit: ClassFit, link: str) -> float:
    """Odds ratio or ratio of the scores, challenger over champion; NaN if undefined."""
    if not fit.known:
        return math.nan
    (champion_hits, challenger_hits), (champion_rows, challenger_rows) = (
        fit.raw.hits.tolist(),
        fit.raw.rows.tolist(),
    )
    if fit.alike and (link == "logit" or champion_hits):
        return 1.0
    if link == "logit":
        numerator, denominator = (
            challenger_hits * (champion_rows - champion_hits),
            champion_hits * (challenger_rows - challenger_hits),
        )
    else:
        numerator, denominator = (
            challenger_hits * champion_rows,
            champion_hits * challenger_rows,
        )
    if denominator == 0:
        return math.inf if numerator else math.nan
    return numerator / denominator


def only_ratio(confidence_level: float, alternative: str) -> tuple[float, float]:
    """Return limits of zero width at a ratio of 1."""
    return one_sided_ratio(1.0, 1.0, alternative)


def _statistic(fit: ClassFit, link: str, method: str) -> tuple[float, tuple[str, ...]]:
    """Return the signed root of the statistic, and flags."""

    def contrast(moments: ClassMoments) -> Contrast:
        if method == "score":
            return generalized_score(moments)
        return log_contrast(moments, link)

    plain, root = contrast(fit.raw), float(contrast(fit.moments).root)
    if fit.alike or (float(plain.root) == 0 and not float(plain.variance) > 0):
        return 0.0, ("degenerate", *fit.caveats)
    return root, (*undecided(fit, root), *fit.caveats)


def _score_limits(
    moments: ClassMoments,
    link: str,
    estimate: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Limits of the ratios that the score test does not reject."""
    z = critical_value(confidence_level, alternative)
    return ratio_score_limits(moments, link, estimate, z, alternative)
