"""DeLong's test of two AUCs, on one test set, by groups or on two; interval of one AUC."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from skcompare._core.design import HOLDOUT
from skcompare._core.validation import (
    alpha_of,
    check_alternative,
    check_choice,
    check_confidence_level,
)
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, ArrayLike, FloatArray, IntArray
from skcompare.evidence import PlacementValues, degrees_of_freedom
from skcompare.stats.core._limits import (
    DIFFERENCE,
    Limits,
    Wald,
    any_difference,
    critical_value,
    one_sided,
    studentised,
    tanh_limits,
)
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import (
    UNDEFINED,
    Flagged,
    PairedResult,
    Tested,
    check_null,
    few_groups,
    tested_result,
)
from skcompare.stats.core._tails import reference_quantile

NEAREST = 1e-15
"""Absolute accuracy of a root of Newcombe's equation."""


def logit_limits(auc: float, deviation: float, z: float) -> tuple[float, float]:
    """Limits of an AUC strictly between 0 and 1, at `z` standard errors of its log odds."""
    centre, reach = float(logit(auc)), z * deviation / (auc * (1 - auc))
    return float(expit(centre - reach)), float(expit(centre + reach))


def newcombe_limits(
    auc: float, n_positives: int, n_negatives: int, z: float
) -> tuple[float, float]:
    """Newcombe's limits: AUCs `z` of their own standard errors from the observed AUC.

    The variance of an AUC of t is Newcombe's (method 5 of [1]_), in which the mean class
    size replaces both sizes. It depends on the number of records only, so the interval has
    a width where all placement values are equal.

    References
    ----------
    .. [1] Newcombe, R. G. (2006). "Confidence intervals for an effect size measure based
       on the Mann-Whitney statistic. Part 2: asymptotic methods and evaluation."
       Statistics in Medicine 25(4), 559-573.
    """
    if z <= 0:
        return auc, auc
    low = _newcombe_low(auc, n_positives, n_negatives, z)
    # The variances of t and of 1 - t are equal.
    return low, 1 - _newcombe_low(1 - auc, n_positives, n_negatives, z)


def _newcombe_low(auc: float, m: int, n: int, z: float) -> float:
    if auc == 0:
        return 0.0
    factor = (m + n) / 2 - 1

    def distance(t: float) -> float:
        variance = t * (1 - t) / (m * n)
        variance *= 1 + factor * (1 - t) / (2 - t) + factor * t / (1 + t)
        return auc - t - z * math.sqrt(max(0.0, variance))

    # At an AUC of 1 the equation has a root there, which is no limit.
    top = min(auc, 1 - NEAREST)
    if distance(top) >= 0:
        return top
    return float(brentq(distance, 0.0, top, xtol=NEAREST))


def role_limits(
    auc: float, variance: float, n_positives: int, n_negatives: int, z: float
) -> tuple[float, float]:
    """Logit limits of an AUC, or Newcombe's where the placement values do not vary."""
    if 0 < auc < 1 and variance > 0:
        return logit_limits(auc, math.sqrt(variance), z)
    return newcombe_limits(auc, n_positives, n_negatives, z)


def mover_limits(
    aucs: Sequence[float],
    variances: Sequence[float],
    n_positives: int,
    n_negatives: int,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """MOVER limits of a difference, from the limits of both AUCs [1]_.

    The AUCs are treated as uncorrelated. With their correlation, differences are
    significant too often, because logit limits are skewed. These limits are for differences
    that do not vary, which have no others.

    References
    ----------
    .. [1] Zou, G. Y. and Donner, A. (2008). "Construction of confidence limits about
       effect measures: a general approach." Statistics in Medicine 27(10), 1693-1702.
    """
    z = max(0.0, critical_value(confidence_level, alternative))
    sizes = n_positives, n_negatives
    (low1, high1), (low2, high2) = (
        role_limits(auc, variance, *sizes, z)
        for auc, variance in zip(aucs, variances, strict=True)
    )
    auc1, auc2 = aucs
    down = math.hypot(auc2 - low2, high1 - auc1)
    up = math.hypot(high2 - auc2, auc1 - low1)
    return one_sided(auc2 - auc1 - down, auc2 - auc1 + up, alternative)


FEW_OF_A_CLASS = "few-records-of-a-class"
FEW_DISTINCT = "few-distinct-scores"

VARIANCE_OF_FEW = "variance-of-few-records"
BINNED = "binned-scores"

FEW_RECORDS = 10
"""Records of a class below which DeLong's test was measured to be liberal."""

FEW_DEGREES = 30
"""Degrees of freedom of the variance below which Student's t and the normal distribution
differ so much that a level of 0.05 becomes 0.06."""

LEVEL = 0.95
"""Confidence level of the interval of each AUC in the parts of a result."""


def class_sizes(placements: PlacementValues) -> dict[str, int]:
    """Numbers of positive and of negative records, as details of a result."""
    return {name: getattr(placements, name) for name in ("n_positives", "n_negatives")}


def check_members(placements: PlacementValues, name: str) -> None:
    """Raise an error if a class has only one record and therefore no variance."""
    m, n = placements.n_positives, placements.n_negatives
    if m and n and min(m, n) < 2:
        raise ValueError(
            f"{name} needs at least two records of each class. Got {m} positive and {n} "
            "negative. The AUC is defined (`placements.aucs`), its variance is not: "
            "collect records."
        )


def contrast(
    placements: PlacementValues, weights: Sequence[int | Fraction]
) -> tuple[Fraction, Fraction]:
    """Weighted sum of AUCs and its variance, w' S w."""
    sums = placements.sums
    # A pair among many classifiers has two weights that are not 0.
    nonzero = [(i, Fraction(w)) for i, w in enumerate(weights) if w]
    total = sum((w * sums.totals[i] for i, w in nonzero), Fraction(0))
    products = (w * v * sums.covariance[i][j] for i, w in nonzero for j, v in nonzero)
    return total / sums.total_of_one, sum(products, Fraction(0)) / sums.scale


def design_flags(*placements: PlacementValues) -> tuple[str, ...]:
    """Flag for records that are not those of one hold-out set without groups."""
    return ("invalid-design",) * any(
        each.design.name != HOLDOUT.name for each in placements
    )


def score_flags(placements: PlacementValues) -> tuple[str, ...]:
    """Flags for few records of a class, few distinct scores and binned scores."""
    few = min(placements.n_positives, placements.n_negatives) < FEW_RECORDS
    distinct = min(placements.n_distinct) < 3
    binned = not placements.is_exact
    return (FEW_OF_A_CLASS,) * few + (FEW_DISTINCT,) * distinct + (BINNED,) * binned


def variance_flags(
    placements: PlacementValues, weights: Sequence[int | Fraction]
) -> tuple[str, ...]:
    """Flag for a weighted sum of AUCs whose variance has few degrees of freedom.

    The variances of the two classes add up, with degrees of freedom by Welch's rule.
    """
    nonzero = [i for i, weight in enumerate(weights) if weight]
    influence = np.array([float(weights[i]) for i in nonzero]) @ placements.counts[nonzero]
    repeats = placements.repeats
    variances, degrees = [], []
    for members in (placements.positive, ~placements.positive):
        times = np.ones(members.sum()) if repeats is None else repeats[members]
        n = int(times.sum())
        deviations = influence[members] - np.average(influence[members], weights=times)
        squares, fourth = (float(times @ deviations**power) for power in (2, 4))
        # Counts of one class are in records of the other.
        variances.append(squares / (n - 1) / n / (placements.n - n) ** 2)
        degrees.append(degrees_of_freedom(squares, fourth, n))
    by_degree = sum(v**2 / df for v, df in zip(variances, degrees))
    few = sum(variances) ** 2 < FEW_DEGREES * by_degree
    return (VARIANCE_OF_FEW,) * few


def level_details(
    placements: PlacementValues, weights: Sequence[int | Fraction]
) -> dict[str, float]:
    """Error bounds of a weighted sum of AUCs of binned scores; empty for exact scores."""
    if placements.is_exact:
        return {}
    values = [float(weight) for weight in weights]
    bounds = placements.contrast_bounds(values)
    return {
        "auc_error_bound": bounds.estimate,
        "auc_error_expected": bounds.expected,
        "standard_error_bound": bounds.standard_error,
    }


def role_parts(
    placements: PlacementValues, variances: Sequence[float]
) -> tuple[dict[str, Any], ...]:
    """AUC of each classifier with its variance and its logit interval."""
    sizes = placements.n_positives, placements.n_negatives
    z = reference_quantile((1 - LEVEL) / 2, None)
    parts = []
    for name, auc, variance in zip(
        placements.names, placements.aucs.tolist(), variances, strict=True
    ):
        low, high = role_limits(auc, variance, *sizes, z)
        parts.append(
            {
                "name": name,
                "auc": auc,
                "variance": variance,
                "low": low,
                "high": high,
                "confidence_level": LEVEL,
            }
        )
    return tuple(parts)


Interval = Literal["agreeing", "arctanh"]


check_auc_difference = partial(check_null, what="a difference of AUCs")


def check_two(placements: PlacementValues, name: str) -> None:
    """Raise an error unless there are placement values of two classifiers."""
    if placements.n_scores != 2:
        raise ValueError(
            f"{name} compares two classifiers. Got {placements.n_scores}: "
            f"{', '.join(placements.names)}. Use delong_joint or pairwise_delong for "
            "several, and auc_interval for one."
        )


def auc_effect(distance: float, variance: float) -> Wald:
    """Distance of a difference of AUCs from the null value, with its standard error.

    That shrinks as records of both classes are added in the same proportion; without
    variance no number of records is known to be enough.
    """
    return Wald(distance, math.sqrt(variance) if variance > 0 else math.inf)


def _effect(
    placements: PlacementValues,
    *,
    null_value: float = 0.0,
    of_groups: bool = False,
    **options: object,
) -> Wald:
    estimate, plain = contrast(placements, (-1, 1))
    variance = auc_spread(placements).covariance[2, 2] if of_groups else plain
    return auc_effect(float(estimate) - null_value, float(variance))


@paired_test(
    title="DeLong's test",
    measures="roc_auc",
    references=("DeLong1988", "Sun2014"),
    sample_size=planned(_effect),
    preferred=True,
)
def delong(
    placements: PlacementValues,
    *,
    interval: Interval = "agreeing",
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Compare two areas under the ROC curve on one test set by DeLong's test.

    The null hypothesis is that both trained classifiers rank a random positive record
    above a random negative one with the same probability, so that their AUCs are equal
    [1]_; or, with another `null_value`, that they differ by that much. It is about
    these two trained models, over new records, and not about two whole curves: curves that
    cross may have equal areas.

    Parameters
    ----------
    placements : PlacementValues
        Scores of two classifiers for the records of a hold-out set, the champion first.
    interval : {"agreeing", "arctanh"}, default="agreeing"
        Interval of the difference. "agreeing" is normal, truncated at -1 and 1, and agrees
        with the p-value; "arctanh" is normal on Fisher's scale, as is usual for Somers' D
        [3]_, which keeps its limits between -1 and 1. It may disagree with the p-value.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the difference is above the null value.
    null_value : float, default=0.0
        Difference of the AUCs under the null hypothesis, challenger minus champion, between
        -1 and 1. A margin below which the challenger must not fall is tested by
        ``null_value=-margin, alternative="greater"`` (non-inferiority).

    Returns
    -------
    result : PairedResult
        `estimate` is AUC(challenger) - AUC(champion), and `statistic` is standard normal
        under the null hypothesis. `details` has the covariance and the correlation of the
        AUCs, and `parts` each AUC with its variance and its logit interval
        (:func:`~skcompare.stats.auc_interval`).

    Raises
    ------
    ValueError
        If there are not two classifiers, or fewer than two records of a class.

    Notes
    -----
    Ranking takes one sort per score [2]_. Counts and their products are added as integers,
    so that increasing functions of one score differ by exactly 0, in any order of the
    records.

    Equal rankings leave no difference and no variance: the statistic is 0 and p is 1,
    flagged "degenerate". So do two classifiers that rank every record correctly. A
    difference that does not vary, such as that of a perfect ranking from a constant score,
    has no p-value (NaN, flagged "zero-variance"); a permutation test has one. The same
    holds for equal rankings and another null value. Such perfect rankings and constant
    differences of few records carry little information, so their interval squares and adds
    the distances of both AUCs from their limits (:func:`~skcompare.stats.auc_interval`), as
    for uncorrelated AUCs [5]_.

    Fewer than 10 records of a class are flagged "few-records-of-a-class". With 2 to 5
    positive records, equal classifiers are rejected in 8 to 10 % of samples at a level of 5
    %, and 95 % intervals contain a difference of 0.1 in no more than 84 to 87 %, by either
    formula. With 20 or more, equal AUCs of scores of equal spread are rejected in about 5 %
    of samples, and intervals contain the true difference in about 95 %. For scores of
    unequal spread, or highly correlated ones, it is 6 to 9 % with 20 to 50: the variance
    then depends on few records. Where it has fewer than 30 degrees of freedom, by
    Satterthwaite's rule for the two classes and the fourth moments of their placement
    values, the result is flagged "variance-of-few-records". Where both AUCs are near 1 and
    records few, the test rejects less often than its level.

    Records that were counted by bins of their scores are flagged "binned-scores". Binned
    scores are scores too, and the binning does not use labels, so the test is as valid for
    them: it compares the AUCs of the binned scores. The difference by the scores is within
    `auc_error_bound` in `details` of theirs, and its standard error within
    `standard_error_bound`, whatever the order within bins; `auc_error_expected` is the
    error to expect where that order is random.

    The test is not valid for the nested models of a regression that were fitted to the
    same records [4]_, nor for AUCs that were averaged over cross-validation.

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.
    .. [2] Sun, X. and Xu, W. (2014). "Fast implementation of DeLong's algorithm for
       comparing the areas under correlated receiver operating characteristic curves."
       IEEE Signal Processing Letters 21(11), 1389-1393.
    .. [3] Newson, R. (2002). "Parameters behind 'nonparametric' statistics: Kendall's
       tau, Somers' D and median differences." The Stata Journal 2(1), 45-64.
    .. [4] Demler, O. V., Pencina, M. J. and D'Agostino, R. B. (2012). "Misuse of DeLong
       test to compare AUCs for nested models." Statistics in Medicine 31(23), 2577-2587.
    .. [5] Zou, G. Y. and Donner, A. (2008). "Construction of confidence limits about
       effect measures: a general approach." Statistics in Medicine 27(10), 1693-1702.

    Examples
    --------
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import delong
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> champion = [0.1, 0.6, 0.3, 0.8, 0.4, 0.5, 0.2, 0.7, 0.9, 0.6]
    >>> challenger = [0.2, 0.1, 0.4, 0.6, 0.3, 0.7, 0.5, 0.8, 0.9, 0.6]
    >>> result = delong(PlacementValues.from_predictions(y, champion, challenger))
    >>> print(f"{result.estimate:.2f}, p = {result.pvalue:.4f}")
    0.28, p = 0.0466
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.2f}, {high:.2f}]")
    [0.00, 0.56]
    """
    null = check_auc_difference(null_value)
    check_two(placements, "delong")
    check_members(placements, "delong")
    estimate, variance = contrast(placements, (-1, 1))
    wald = Wald(float(estimate), math.sqrt(variance), None, DIFFERENCE)
    return auc_result(
        placements,
        studentised(estimate - Fraction(null), wald.error, None, alternative),
        wald,
        placements.covariance,
        interval,
        method="normal",
        flags=score_flags(placements) + variance_flags(placements, (-1, 1)),
        details=level_details(placements, (-1, 1)),
    )


def auc_result(
    placements: PlacementValues,
    tested: Tested,
    wald: Wald,
    covariance: FloatArray,
    interval: str,
    *,
    details: dict[str, float],
    **fields: Any,
) -> PairedResult:
    """Result of a test of two AUCs on one test set.

    Limits are those of the named interval, unless `fields` has others; `covariance` is that
    of both AUCs.
    """
    variances = covariance.diagonal()[:2].tolist()
    return tested_result(
        tested,
        roles=placements.aucs.tolist(),
        df=wald.df,
        estimate=wald.estimate,
        estimate_name="difference of AUCs",
        details=auc_details(placements, wald.error, covariance.tolist()) | details,
        parts=role_parts(placements, variances),
        **{"limits": paired_limits(placements, interval, wald, variances)} | fields,
    )


def auc_details(
    placements: PlacementValues, error: float, covariance: list[list[float]]
) -> dict[str, float]:
    """Class sizes, standard error, covariance of both AUCs, and correlation if defined."""
    details = class_sizes(placements) | {
        "standard_error": error,
        "covariance": covariance[0][1],
    }
    product = covariance[0][0] * covariance[1][1]
    if product > 0:
        correlation = covariance[0][1] / math.sqrt(product)
        details["correlation"] = min(1.0, max(-1.0, correlation))
    return details


def paired_limits(
    placements: PlacementValues, interval: str, wald: Wald, variances: list[float]
) -> Limits:
    """Return a function that computes the named interval of a difference of two AUCs.

    Where the difference does not vary, a normal interval would have no width: correct for
    equal rankings, but not where both are perfect or the difference is not 0. Limits on
    Fisher's arctanh scale are Newson's of differences of Somers' D = 2 AUC - 1 [1]_.

    References
    ----------
    .. [1] Newson, R. (2002). "Parameters behind "nonparametric" statistics: Kendall's
       tau, Somers' D and median differences." The Stata Journal 2(1), 45-64.
    """
    aucs = placements.aucs.tolist()
    sizes = placements.n_positives, placements.n_negatives
    no_width = wald.estimate == 0 and 0 < aucs[0] < 1
    if wald.error > 0 or no_width:
        if interval == "agreeing":
            return wald.limits
        centre, scale = math.atanh(wald.estimate), 1 - wald.estimate**2
        return partial(tanh_limits, Wald(centre, wald.error / scale, wald.df))
    return partial(mover_limits, aucs, variances, *sizes)


METHODS = ("logit", "wald", "newcombe")


@dataclass(frozen=True, slots=True)
class AUCInterval(Flagged):
    """AUC with its confidence interval; unpacks to `(low, high)`.

    Attributes
    ----------
    auc, low, high : float
        The estimate and its limits.
    standard_error : float
        DeLong's; NaN where a class has one record.
    confidence_level : float
    method : {"logit", "wald", "newcombe"}
        Method that was used.
    n_positives, n_negatives : int
        Records of each class.
    flags : tuple of str
        Codes of caveats; `caveats` has their texts.
    """

    auc: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: str
    n_positives: int
    n_negatives: int
    flags: tuple[str, ...] = ()

    def __iter__(self) -> Any:
        return iter((self.low, self.high))


def auc_interval(
    y_true: ArrayLike | PlacementValues,
    y_score: ArrayLike | None = None,
    *,
    method: str = "logit",
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> AUCInterval:
    """Estimate the area under the ROC curve of a classifier, with a confidence interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or PlacementValues
        True labels, of two classes; or placement values of one classifier.
    y_score : array-like of shape (n_samples,), optional
        Scores, greater for the positive class, if `y_true` has labels.
    method : {"logit", "wald", "newcombe"}, default="logit"
        "wald" is the AUC plus and minus quantiles of DeLong's standard error [1]_,
        truncated at 0 and 1; "logit" the same on the scale of log odds, which keeps it
        inside and covers better near 1. "newcombe" contains the AUCs whose own standard
        error, from the number of records alone, allows for the observed one [2]_. It is
        used in place of "logit" where DeLong's standard error is 0, as for a perfect
        ranking.
    confidence_level : float, default=0.95
        Level of the two-sided interval.
    pos_label : label, optional
        The positive class; 1 or True by default.

    Returns
    -------
    interval : AUCInterval
        `method` is the one that was used.

    Raises
    ------
    ValueError
        If a class is missing, or placement values are of several classifiers.

    Notes
    -----
    Fewer than 10 records of a class are flagged "few-records-of-a-class", but for
    "newcombe". With 5 positive records of 100, 95 % intervals contain an AUC of 0.6 to 0.95
    in 87 to 91 % of samples by "logit", in 67 to 84 % by "wald", and in 94 to 96 % by
    "newcombe"; with 25 of 500, an AUC of 0.95 in 90, 85 and 98 %. With 20 of 100 or more
    "logit" contains it in 94 to 96 %, "wald" in 86 to 96 %. Grouped records vary more than
    any of them allows for, which is flagged "invalid-design".

    "wald" has no width for a perfect ranking, however few the records. With one record of a
    class DeLong's standard error is undefined, and so are the limits of "logit" and "wald":
    they are NaN, flagged "one-record-of-a-class".

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.
    .. [2] Newcombe, R. G. (2006). "Confidence intervals for an effect size measure based
       on the Mann-Whitney statistic. Part 2: asymptotic methods and evaluation."
       Statistics in Medicine 25(4), 559-573.

    Examples
    --------
    >>> from skcompare.stats import auc_interval
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> score = [0.2, 0.1, 0.4, 0.6, 0.3, 0.7, 0.5, 0.8, 0.9, 0.6]
    >>> interval = auc_interval(y, score)
    >>> print(f"{interval.auc:.2f} [{interval.low:.2f}, {interval.high:.2f}]")
    0.94 [0.56, 0.99]
    >>> low, high = auc_interval([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6])
    >>> print(f"[{low:.2f}, {high:.2f}]")
    [0.50, 1.00]
    """
    check_choice("method", method, METHODS)
    level = check_confidence_level(confidence_level)
    placements = _one_classifier(y_true, y_score, pos_label)
    m, n = placements.n_positives, placements.n_negatives
    auc = float(placements.aucs[0])
    deviation = math.sqrt(placements.covariance[0, 0])
    z = reference_quantile(alpha_of(level) / 2, None)
    flags = design_flags(placements) + score_flags(placements)
    if method == "logit" and deviation == 0:
        method = "newcombe"
    if method == "newcombe" or math.isnan(deviation):
        flags = tuple(flag for flag in flags if flag != FEW_OF_A_CLASS)
    if method == "newcombe":
        low, high = newcombe_limits(auc, m, n, z)
    elif math.isnan(deviation):
        low = high = math.nan
        flags = ("one-record-of-a-class", *flags)
    elif method == "wald":
        low, high = max(0.0, auc - z * deviation), min(1.0, auc + z * deviation)
    else:
        low, high = logit_limits(auc, deviation, z)
    return AUCInterval(auc, low, high, deviation, level, method, m, n, flags)


def _one_classifier(y_true: Any, y_score: Any, pos_label: Any) -> PlacementValues:
    if not isinstance(y_true, PlacementValues):
        if y_score is None:
            raise ValueError(
                "auc_interval needs scores. Got none. Pass `y_score`, or placement values "
                "of one classifier."
            )
        return PlacementValues.from_predictions(y_true, y_score, pos_label=pos_label)
    if y_score is not None or pos_label is not None:
        raise ValueError(
            "Placement values hold scores and positive class already. Got `y_score` or "
            "`pos_label` as well. Leave them out."
        )
    if y_true.n_scores != 1:
        raise ValueError(
            f"auc_interval is about one classifier. Got {y_true.n_scores}: "
            f"{', '.join(y_true.names)}. The parts of delong_joint have one of each."
        )
    return y_true


def unpaired_delong(
    champion: PlacementValues,
    challenger: PlacementValues,
    *,
    df: str = "welch",
    alternative: str = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Compare two AUCs on independent test sets by DeLong's test.

    The null hypothesis is that the two trained classifiers, each with a test set of its
    own, have the same area under the ROC curve; or, with another `null_value`, that they
    differ by that much. The test sets are independent, as those of two hospitals are;
    scores for the same records are compared by :func:`~skcompare.stats.delong`, which has
    more power.

    Parameters
    ----------
    champion, challenger : PlacementValues
        Scores of one classifier each, for the records of its own hold-out set.
    df : {"welch", "normal"}, default="welch"
        Student's t with the degrees of freedom of Welch and Satterthwaite, as the package
        pROC for R does, or the normal distribution [1]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the difference is above the null value.
    null_value : float, default=0.0
        Difference of the AUCs under the null hypothesis, challenger minus champion.

    Returns
    -------
    result : PairedResult
        `estimate` is AUC(challenger) - AUC(champion), `n` the records of both test sets,
        and the interval agrees with the p-value. `parts` has each AUC with its variance and
        its logit interval.

    Raises
    ------
    ValueError
        If placement values are of several classifiers, or a class has fewer than two
        records in a test set.

    Notes
    -----
    Two perfect rankings leave no difference and no variance: the statistic is 0, p is 1,
    flagged "degenerate". A difference without variance has no p-value (NaN, flagged
    "zero-variance") and an interval from -1 to 1.

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.

    Examples
    --------
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import unpaired_delong
    >>> champion = PlacementValues.from_predictions(
    ...     [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
    ...     [0.1, 0.6, 0.3, 0.8, 0.4, 0.5, 0.2, 0.7, 0.9, 0.6],
    ... )
    >>> challenger = PlacementValues.from_predictions(
    ...     [0, 0, 0, 0, 1, 1, 1, 1],
    ...     [0.2, 0.1, 0.4, 0.6, 0.7, 0.5, 0.8, 0.9],
    ... )
    >>> result = unpaired_delong(champion, challenger)
    >>> print(f"{result.estimate:.3f}, df {result.df:.2f}, p = {result.pvalue:.3f}")
    0.278, df 12.47, p = 0.214
    """
    check_choice("df", df, ("welch", "normal"))
    check_alternative(alternative)
    null = check_auc_difference(null_value)
    roles = {"champion": champion, "challenger": challenger}
    (auc1, variance1), (auc2, variance2) = map(_auc_and_variance, roles, roles.values())
    estimate, variance = auc2 - auc1, variance1 + variance2
    error = math.sqrt(variance)
    degrees = None
    if df == "welch" and variance:
        shares = variance1**2 / (champion.n - 1) + variance2**2 / (challenger.n - 1)
        degrees = float(variance**2 / shares)
    sizes = {
        f"{name}_{role}": size
        for role, placements in roles.items()
        for name, size in class_sizes(placements).items()
    }
    # Two perfect rankings differ by 0 without variance, which is no evidence of equality.
    wald = Wald(float(estimate), error, degrees, DIFFERENCE)
    return tested_result(
        studentised(estimate - Fraction(null), error, degrees, alternative),
        roles=(float(auc1), float(auc2)),
        df=degrees,
        estimate=float(estimate),
        estimate_name="difference of AUCs",
        alternative=alternative,
        method=df,
        n=champion.n + challenger.n,
        limits=wald.limits if variance else any_difference,
        null_value=null,
        flags=design_flags(champion, challenger)
        + score_flags(champion)
        + score_flags(challenger),
        details=sizes | {"standard_error": error},
        parts=role_parts(champion, [float(variance1)])
        + role_parts(challenger, [float(variance2)]),
        test="unpaired_delong",
        design=str(champion.design),
    )


def _auc_and_variance(role: str, placements: PlacementValues) -> tuple[Fraction, Fraction]:
    """AUC and its variance, from placement values of a single classifier."""
    if not isinstance(placements, PlacementValues):
        raise TypeError(
            f"unpaired_delong needs PlacementValues. Got {type(placements).__name__} for "
            f"`{role}`. Make them by PlacementValues.from_predictions(y_true, y_score)."
        )
    if placements.n_scores != 1:
        raise ValueError(
            f"`{role}` must have the scores of one classifier. Got {placements.n_scores}: "
            f"{', '.join(placements.names)}. Scores for the same records are compared by "
            "delong."
        )
    check_members(placements, "unpaired_delong")
    return contrast(placements, (1,))


Method = Literal["t", "normal"]

ROUNDING = 1e-12
"""Share of the terms of a variance below which their sum is rounding error, and 0."""

LIBERAL = 30


@paired_test(
    title="DeLong's test for grouped records",
    measures="roc_auc",
    designs=("grouped holdout",),
    references=("Obuchowski1997", "DeLong1988"),
    inference="models",
    sample_size=planned(partial(_effect, of_groups=True)),
    of_records=True,
)
def clustered_delong(
    placements: PlacementValues,
    *,
    method: Method = "t",
    interval: Interval = "agreeing",
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Compare two AUCs on one test set whose records come in groups.

    The null hypothesis is that both trained classifiers have the same area under the ROC
    curve for the records of new groups; or, with another `null_value`, that they differ by
    that much. Records of one group may depend on each other in any way, also those of
    different classes; groups are independent. The placement values of
    :func:`~skcompare.stats.delong` are added up group by group, and the variance is that of
    these sums between groups [1]_.

    Parameters
    ----------
    placements : PlacementValues
        Scores of two classifiers for the records of a hold-out set, the champion first,
        with `groups`.
    method : {"t", "normal"}, default="t"
        Reference distribution of the statistic: Student's t with k - 1 degrees of freedom,
        for k groups of the class that has fewer, or the normal distribution, as
        published [1]_. The latter is liberal for few groups: equal classifiers differ
        significantly in 7 to 11 % of samples of 10 groups and in 6 to 8 % of 20 at a
        level of 5 %, where "t" does in 3 to 6 %.
    interval : {"agreeing", "arctanh"}, default="agreeing"
        Interval of the difference: the one that agrees with the p-value, or the one on
        Fisher's scale, as for :func:`~skcompare.stats.delong`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the difference is above the null value.
    null_value : float, default=0.0
        Difference of the AUCs under the null hypothesis, challenger minus champion.

    Returns
    -------
    result : PairedResult
        `estimate` is AUC(challenger) - AUC(champion), over all pairs of records whatever
        their groups. `details` has the numbers of groups, covariance and correlation of the
        AUCs, and `design_effect`, the variance of the difference over that of independent
        records; `parts` has each AUC with its variance and logit interval.

    Raises
    ------
    ValueError
        If there are no groups or only one, not two classifiers, or fewer than two records
        of a class.

    Notes
    -----
    Groups of one record each give the variance of DeLong's test exactly, and its p-value
    under method="normal". Fewer than 30
    groups of a class are flagged "few-groups-for-normal" under method="normal", and fewer
    than 10 groups "few-groups" as well. Where all records of a class are in one group, or
    the variance comes out negative, p is undefined (NaN, flagged "one-group-of-a-class"),
    and the interval is from -1 to 1. Equal rankings still have p = 1. The other
    rules for differences without variance are those of :func:`~skcompare.stats.delong`.

    References
    ----------
    .. [1] Obuchowski, N. A. (1997). "Nonparametric analysis of clustered ROC curve data."
       Biometrics 53(2), 567-578.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import clustered_delong
    >>> rng = np.random.default_rng(0)
    >>> patients = np.repeat(np.arange(60), 4)
    >>> y = rng.integers(2, size=240)
    >>> effect = rng.normal(size=60)[patients]
    >>> champion, challenger = (gain * y + effect + rng.normal(size=240) for gain in (1, 2))
    >>> placements = PlacementValues.from_predictions(
    ...     y, champion, challenger, groups=patients
    ... )
    >>> result = clustered_delong(placements)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}")
    0.089, p = 0.0059
    """
    null = check_auc_difference(null_value)
    check_two(placements, "clustered_delong")
    check_members(placements, "clustered_delong")
    spread = auc_spread(placements)
    if spread.n_groups < 2:
        raise ValueError(
            "clustered_delong needs records of at least 2 groups. Got 1 group. One group "
            "says nothing about new ones: collect more, or use delong if the records are "
            "independent after all."
        )
    estimate, unrelated = contrast(placements, (-1, 1))
    variance = float(spread.covariance[2, 2])
    # One group of a class has no degree of freedom and no p either, unless nothing differs.
    df = float(max(1, spread.fewest - 1)) if method == "t" else None
    tested: Tested = math.nan, UNDEFINED, ("one-group-of-a-class",)
    other_limits = {"limits": any_difference}
    if spread.defined or (estimate == 0 == variance and null == 0):
        distance, other_limits = estimate - Fraction(null), {}
        tested = studentised(distance, math.sqrt(variance), df, alternative)
    liberal = method == "normal" and spread.fewest < LIBERAL
    flags = few_groups(spread.n_groups) + ("few-groups-for-normal",) * liberal
    return auc_result(
        placements,
        tested,
        Wald(float(estimate), math.sqrt(max(0.0, variance)), df, DIFFERENCE),
        spread.covariance,
        interval,
        method=method,
        flags=flags + score_flags(placements),
        details=_group_details(spread, float(unrelated)),
        **other_limits,
    )


class Spread(NamedTuple):
    """Covariances of both AUCs and their difference, and numbers of groups."""

    covariance: FloatArray
    n_groups: int
    with_positives: int
    with_negatives: int

    @property
    def fewest(self) -> int:
        """Smaller of the numbers of groups with positives and with negatives."""
        return min(self.with_positives, self.with_negatives)

    @property
    def defined(self) -> bool:
        """Whether the variance of the difference is defined and not negative."""
        return self.fewest > 1 and self.covariance[2, 2] >= 0


def auc_spread(placements: PlacementValues) -> Spread:
    """Covariances of both AUCs and their difference, from sums over groups.

    They are made of the sums X and Y of V10 - A and of V01 - A over the positive and the
    negative records of a group, with Obuchowski's corrections for the numbers of groups.
    """
    codes = placements.group_codes()
    n_groups = int(codes.max()) + 1
    positive, (champion, challenger) = placements.positive, placements.counts
    totals = placements.sums.totals
    rows = (
        (champion, totals[0]),
        (challenger, totals[1]),
        # Whole numbers, so that the difference of equal rankings is exactly 0.
        (challenger - champion, totals[1] - totals[0]),
    )
    m, n = placements.n_positives, placements.n_negatives
    positive_sums, i10 = _group_sums(rows, codes, positive, m, n_groups)
    negative_sums, i01 = _group_sums(rows, codes, ~positive, n, n_groups)
    positive_sums /= 2.0 * m * m * n
    negative_sums /= 2.0 * m * n * n
    if min(i10, i01) < 2:
        return Spread(np.zeros((3, 3)), n_groups, i10, i01)
    cross = positive_sums @ negative_sums.T
    covariance = i10 / (i10 - 1) * (positive_sums @ positive_sums.T)
    covariance += i01 / (i01 - 1) * (negative_sums @ negative_sums.T)
    within_class = covariance.diagonal().copy()
    covariance += n_groups / (n_groups - 1) * (cross + cross.T)
    # The terms of both classes may cancel, up to rounding.
    total = covariance.diagonal()
    np.fill_diagonal(
        covariance, np.where(np.abs(total) > ROUNDING * within_class, total, 0.0)
    )
    return Spread(covariance, n_groups, i10, i01)


def _group_sums(
    rows: tuple[tuple[IntArray, int], ...],
    codes: IntArray,
    chosen: np.ndarray,
    size: int,
    n_groups: int,
) -> tuple[FloatArray, int]:
    """Sums of centred counts over the records of one class by group, and number of groups.

    They are multiplied by the number of these records, so that they are whole, and 0 where
    nothing varies.
    """
    member_codes = codes[chosen]
    members = np.bincount(member_codes, minlength=n_groups)
    # Counts are at most twice the records.
    bound = 4 * size * len(codes) * int(members.max())
    dtype: Any = np.int64 if bound < 1 << 63 else object
    sums = np.empty((len(rows), n_groups))
    for row, (counts, total) in zip(sums, rows, strict=True):
        weighted = np.bincount(member_codes, weights=counts[chosen], minlength=n_groups)
        sums_of_counts = weighted.astype(np.int64).astype(dtype)
        row[:] = size * sums_of_counts - members.astype(dtype) * total
    return sums, int(np.count_nonzero(members))


def _group_details(spread: Spread, unrelated: float) -> dict[str, float]:
    """Numbers of groups, and the ratio of the variance to that of independent records."""
    details: dict[str, float] = {
        "n_groups": spread.n_groups,
        "n_groups_with_positives": spread.with_positives,
        "n_groups_with_negatives": spread.with_negatives,
    }
    if unrelated > 0 and spread.defined:
        return details | {"design_effect": float(spread.covariance[2, 2]) / unrelated}
    return details
