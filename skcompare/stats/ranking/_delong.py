"""DeLong's test of two AUCs on one test set, and the interval of one AUC."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal

from skcompare._core.design import HOLDOUT
from skcompare._core.flags import explain
from skcompare._core.validation import (
    alpha_of,
    check_choice,
    check_confidence_level,
    is_number,
)
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, ArrayLike
from skcompare.evidence import PlacementValues
from skcompare.stats.core._limits import DIFFERENCE
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import reference_quantile
from skcompare.stats.core._wald import Wald, studentised
from skcompare.stats.ranking._placement_moments import (
    FEW_OF_A_CLASS,
    arctanh_limits,
    check_members,
    contrast,
    level_details,
    logit_limits,
    mover_limits,
    newcombe_limits,
    role_parts,
    score_flags,
    variance_flags,
    wald_auc_limits,
)

Interval = Literal["agreeing", "arctanh"]


def check_auc_difference(null_value: object) -> float:
    """Check the hypothesized difference of AUCs."""
    if is_number(null_value) and -1 < null_value < 1:
        return float(null_value)
    raise ValueError(
        f"`null_value` must be a difference of AUCs between -1 and 1. Got {null_value!r} "
        "instead. A margin of 0.05 is null_value=-0.05 with alternative='greater'."
    )


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
    placements: PlacementValues, *, null_value: float = 0.0, **options: object
) -> Wald:
    estimate, variance = contrast(placements, (-1, 1))
    return auc_effect(float(estimate) - null_value, float(variance))


@paired_test(
    "delong",
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
        Interval of the difference. "agreeing" is normal, cut off at -1 and 1, and goes with
        the p-value; "arctanh" is normal on Fisher's scale, as is usual for Somers' D
        [3]_, which keeps its limits between -1 and 1. It need not go with the p-value.
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
    Ranking takes one sort per score [2]_. Counts and their products are added in whole
    numbers, so that increasing functions of one score differ by exactly 0, in any order of
    the records.

    Equal rankings leave no difference and no variance: the statistic is 0 and p is 1,
    flagged "degenerate". So do two classifiers that rank every record correctly. A
    difference that does not vary, such as that of a perfect ranking from a constant score,
    has no p-value (NaN, flagged "zero-variance"); a permutation test has one. The same
    holds for equal rankings and another null value. Such perfect rankings and constant
    differences of few records say little, so their interval squares and adds the distances
    of both AUCs from their limits (:func:`~skcompare.stats.auc_interval`), as of unrelated
    AUCs [5]_.

    Fewer than 10 records of a class are flagged "few-records-of-a-class". With 2 to 5
    positive records, equal classifiers differ in 8 to 10 % of samples at a level of 5 %,
    and 95 % intervals contain a difference of 0.1 in no more than 84 to 87 %, by either
    formula. With 20 or more, scores of equal spread differ in about 5 % of samples, and
    intervals contain the true difference in about 95 %. Scores of unequal spread, or that
    are highly correlated, differ in 6 to 9 % with 20 to 50: then the variance rests on few
    records. Where it has fewer than 30 degrees of freedom, by Satterthwaite's rule for the
    two classes and the fourth moments of their placement values, the result is flagged
    "variance-of-few-records". Where both AUCs are near 1 and records few, the test rejects
    less often than its level.

    Records that were counted by levels of their scores are flagged "binned-scores". A level
    is a score of its own, and the rule that makes it knows no labels, so that the test is
    as valid for the levels as for scores: what is compared are the AUCs of the levels.
    The difference by the scores is no farther from theirs than `auc_error_bound` in
    `details`, and its standard error than `standard_error_bound`, whatever the order within
    levels; `auc_error_expected` is the error to expect where that order is random.

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
    statistic, tail, flags = studentised(
        estimate - Fraction(null), math.sqrt(variance), None, alternative
    )
    covariance = placements.covariance
    champion, challenger = placements.aucs.tolist()
    details = auc_details(placements, float(variance), covariance.tolist())
    details |= level_details(placements, (-1, 1))
    limits = paired_limits(
        placements,
        interval,
        float(estimate),
        float(variance),
        covariance.diagonal().tolist(),
    )
    return PairedResult(
        statistic=statistic,
        pvalue=tail[0],
        log_pvalue=tail[1],
        estimate=float(estimate),
        estimate_name="difference of AUCs",
        champion=champion,
        challenger=challenger,
        method="normal",
        limits=limits,
        null_value=null,
        flags=flags + score_flags(placements) + variance_flags(placements, (-1, 1)),
        details=details,
        parts=role_parts(placements, covariance.diagonal().tolist()),
    )


def auc_details(
    placements: PlacementValues, variance: float, covariance: list[list[float]]
) -> dict[str, float]:
    """Class sizes, standard error, covariance of both AUCs, and correlation if defined."""
    details = {
        "n_positives": placements.n_positives,
        "n_negatives": placements.n_negatives,
        "standard_error": math.sqrt(max(0.0, variance)),
        "covariance": covariance[0][1],
    }
    product = covariance[0][0] * covariance[1][1]
    if product > 0:
        correlation = covariance[0][1] / math.sqrt(product)
        details["correlation"] = min(1.0, max(-1.0, correlation))
    return details


def paired_limits(
    placements: PlacementValues,
    interval: str,
    estimate: float,
    variance: float,
    variances: list[float],
    df: float | None = None,
) -> Callable[[float, str], tuple[float, float]]:
    """Return a function that computes the named interval of a difference of two AUCs.

    Where the difference does not vary, a normal interval would have no width: correct for
    equal rankings, but not where both are perfect or the difference is not 0.
    """
    aucs = placements.aucs.tolist()
    no_width = estimate == 0 and 0 < aucs[0] < 1
    if variance > 0 or no_width:
        error = math.sqrt(max(0.0, variance))
        if interval == "arctanh":
            return partial(arctanh_limits, estimate, error, df)
        return Wald(estimate, error, df, DIFFERENCE).limits
    return partial(
        mover_limits,
        (aucs[0], aucs[1]),
        (variances[0], variances[1]),
        placements.n_positives,
        placements.n_negatives,
    )


METHODS = ("logit", "wald", "newcombe")

ONE_OF_A_CLASS = "one-record-of-a-class"


@dataclass(frozen=True, slots=True)
class AUCInterval:
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

    @property
    def caveats(self) -> list[str]:
        """Flags with their text."""
        return explain(self.flags)


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
        "wald" is the AUC plus and minus quantiles of DeLong's standard error [1]_, cut off
        at 0 and 1; "logit" the same on the scale of log odds, which keeps it inside and
        covers better near 1. "newcombe" contains the AUCs whose own standard error, from
        the number of records alone, allows for the observed one [2]_. It is used in place
        of "logit" where DeLong's standard error is 0, as for a perfect ranking.
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
    "logit" contains it in 94 to 96 %, "wald" in 86 to 96 %. Records that come in groups
    vary more than any of them allows for, which is flagged "invalid-design".

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
    flags = score_flags(placements)
    if placements.design != HOLDOUT:
        flags = ("invalid-design", *flags)
    if method == "logit" and deviation == 0:
        method = "newcombe"
    if method == "newcombe" or math.isnan(deviation):
        flags = tuple(flag for flag in flags if flag != FEW_OF_A_CLASS)
    if method == "newcombe":
        low, high = newcombe_limits(auc, m, n, z)
    elif math.isnan(deviation):
        low = high = math.nan
        flags = (ONE_OF_A_CLASS, *flags)
    elif method == "wald":
        low, high = wald_auc_limits(auc, deviation, z)
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
