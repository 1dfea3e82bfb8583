"""DeLong's tests of one-vs-rest AUCs: of their mean, and of all classes jointly."""

import math
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ClassPlacementValues
from skcompare.stats.core._adjust import Adjustment
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import chi2_pvalue
from skcompare.stats.core._wald import ZERO_VARIANCE, Wald
from skcompare.stats.ranking._delong import check_auc_difference
from skcompare.stats.ranking._multiclass_auc import (
    Contrast,
    area_result,
    contrast,
    evidence_flags,
    joint_details,
    joint_statistic,
    kept_classes,
    left_out,
    part_of,
    with_adjusted,
)

Score = Literal["roc_auc_ovr", "roc_auc_ovr_weighted"]
SCORES: tuple[str, ...] = get_args(Score)
NAMES = {
    "roc_auc_ovr": "mean one-vs-rest AUC",
    "roc_auc_ovr_weighted": "prevalence-weighted one-vs-rest AUC",
}


def _effect(
    values: ClassPlacementValues,
    *,
    score: str = "roc_auc_ovr",
    rare: str = "raise",
    null_value: float = 0.0,
    **options: object,
) -> Wald:
    kept = kept_classes(values, rare, others=True)
    mean = _mean_contrast(values, kept, _weights(values, kept, score))
    return Wald(replace(mean, null_value=null_value).statistic, 1.0)


@paired_test(
    "delong_ovr",
    title="DeLong's test of one-vs-rest AUCs",
    measures=SCORES,
    designs=("holdout", "grouped holdout"),
    references=("DeLong1988", "Obuchowski1997"),
    sample_size=planned(_effect),
)
def delong_ovr(
    values: ClassPlacementValues,
    *,
    score: Score = "roc_auc_ovr",
    rare: str = "raise",
    adjust: Adjustment = "holm",
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Compare two one-vs-rest AUCs of many classes by DeLong's method.

    The null hypothesis is that both trained classifiers have the same mean of the areas
    under the curves of each class against all others, over new records; or, with another
    `null_value`, that the means differ by that much. The variance is
    that of DeLong, DeLong and Clarke-Pearson [1]_ for all areas jointly: a record is a
    positive of its own class and a negative of all others, so that the areas are
    correlated, and the standard error of their mean is too small if this is ignored.

    Parameters
    ----------
    values : ClassPlacementValues
        Scores of each class from a hold-out set.
    score : {"roc_auc_ovr", "roc_auc_ovr_weighted"}, default="roc_auc_ovr"
        The mean over the classes, each counting the same, or each as often as it occurs;
        these weights are taken as fixed. The values are those of scikit-learn's
        ``roc_auc_score(multi_class="ovr")``.
    rare : {"raise", "drop"}, default="raise"
        What to do about classes that have no variance, having fewer than two records (of
        grouped records, fewer than two groups): refuse them or leave them out of the mean.
        Their records remain negatives of the other classes.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of the classes in `parts` are adjusted.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better; the classes are tested in the same
        direction.
    null_value : float, default=0.0
        Difference of the mean areas under the null hypothesis, challenger minus champion,
        between -1 and 1, and of the areas in `parts`. A margin below which the challenger
        must not fall is tested by ``null_value=-margin, alternative="greater"``.

    Returns
    -------
    result : PairedResult
        `estimate` is the challenger's mean area minus the champion's and `statistic` the
        same in standard errors. `parts` has a mapping for each class, ordered by
        p-value: `label`, records (`n`), areas of `champion` and `challenger`,
        their `difference`, its `standard_error` and 95 % interval (`low`, `high`),
        `pvalue` and `adjusted_pvalue`, None where undefined. `details` has the
        `standard_error` of the mean and the joint test of all classes (`joint_statistic`,
        `joint_df`, `joint_pvalue`), which is that of :func:`delong_classes`.

    Raises
    ------
    ValueError
        If a class has no variance and is not left out, or none is left.

    Notes
    -----
    For two classes both areas are that of the second column, and the test is DeLong's.

    The influence of grouped records is added up in each group first [2]_, with the number
    of groups in place of that of records in the divisor; groups of one record give the
    ungrouped test.

    Without difference and variance the statistic is 0 and p is 1, flagged "degenerate", as
    for scores that rank the records identically. A difference without variance (every
    record on the correct side for one classifier, and all scores equal for the other) has
    an infinite statistic and no p-value, flagged "zero-variance".

    The normal approximation needs about ten records on each side of a class; it is not
    valid for nested models that were fitted on the same records.

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.
    .. [2] Obuchowski, N. A. (1997). "Nonparametric analysis of clustered ROC curve data."
       Biometrics 53(2), 567-578.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClassPlacementValues
    >>> from skcompare.stats import delong_ovr
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=300)
    >>> def proba(strength):
    ...     scores = np.exp(rng.normal(size=(300, 3)) + strength * np.eye(3)[y])
    ...     return scores / scores.sum(axis=1, keepdims=True)
    >>> values = ClassPlacementValues.from_predictions(y, proba(1.0), proba(1.2))
    >>> result = delong_ovr(values)
    >>> print(f"{result.champion:.3f} to {result.challenger:.3f}, p = {result.pvalue:.4f}")
    0.778 to 0.847, p = 0.0135
    >>> for part in result.parts:
    ...     print(part["label"], f"{part['difference']:.3f} {part['adjusted_pvalue']:.4f}")
    1 0.074 0.1100
    0 0.076 0.1100
    2 0.057 0.1100
    """
    null = check_auc_difference(null_value)
    kept = kept_classes(values, rare, others=True)
    mean = _mean_contrast(values, kept, _weights(values, kept, score))
    contrasts = class_contrasts(values, kept)
    counts = values.counts
    parts = [
        {
            "label": values.classes[k].item(),
            "n": int(counts[k]),
            **part_of(replace(class_contrast, null_value=null), alternative),
        }
        for k, class_contrast in zip(kept, contrasts)
    ]
    return area_result(
        values,
        replace(mean, null_value=null),
        kept,
        name=NAMES[score],
        alternative=alternative,
        method="DeLong, joint over classes",
        distinct=_distinct(values),
        details=joint_details(_differences(contrasts), contrasts),
        parts=with_adjusted(parts, adjust),
    )


@paired_test(
    "delong_classes",
    title="DeLong's joint test of the AUCs of all classes",
    kind="omnibus",
    measures="AUC of every class",
    designs=("holdout", "grouped holdout"),
    references=("DeLong1988", "Obuchowski1997"),
)
def delong_classes(
    values: ClassPlacementValues, *, rare: str = "raise", adjust: Adjustment = "holm"
) -> PairedResult:
    """Do two classifiers differ in the AUC of any class?

    The null hypothesis is that for each class the areas under both classifiers' curves of
    that class against all others are equal, over new records. Gains in some classes and
    losses in others, which cancel in a mean, are detected. The statistic is the quadratic
    form of all differences with their joint covariance [1]_, chi-squared with its rank.

    Parameters
    ----------
    values : ClassPlacementValues
        Scores of each class from a hold-out set.
    rare : {"raise", "drop"}, default="raise"
        What to do about classes that have no variance, as for :func:`delong_ovr`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of the classes in `parts` are adjusted.

    Returns
    -------
    result : PairedResult
        `estimate` is the largest difference of a class, without its sign; it has no
        interval. `parts` is that of :func:`delong_ovr`, two-sided.

    Raises
    ------
    ValueError
        If a class has no variance and is not left out, or none is left.

    Notes
    -----
    For two classes both areas are the same, and the statistic is the square of DeLong's
    with one degree of freedom. Without difference and variance it is 0 and p is 1, flagged
    "degenerate". If some combination of the areas differs but cannot vary it is infinite
    and p undefined, flagged "zero-variance". Groups are treated as by :func:`delong_ovr`;
    there must be many more of them than classes.

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClassPlacementValues
    >>> from skcompare.stats import delong_classes
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=300)
    >>> def proba(*strengths):
    ...     scores = np.exp(rng.normal(size=(300, 3)) + np.diag(strengths)[y])
    ...     return scores / scores.sum(axis=1, keepdims=True)
    >>> values = ClassPlacementValues.from_predictions(y, proba(1, 2, 1), proba(2, 1, 1))
    >>> result = delong_classes(values)
    >>> print(f"{result.statistic:.2f}, df {result.df}, p = {result.pvalue:.1e}")
    20.66, df 3, p = 1.2e-04
    """
    kept = kept_classes(values, rare, others=True)
    contrasts = class_contrasts(values, kept)
    differences = _differences(contrasts)
    statistic, df = joint_statistic(differences, contrasts)
    flags: tuple[str, ...] = ()
    if math.isinf(statistic):
        pvalue, log_pvalue, flags = math.nan, math.nan, (ZERO_VARIANCE,)
    else:
        pvalue, log_pvalue = chi2_pvalue(statistic, df)
        flags = ("degenerate",) if df == 0 else ()
    counts = values.counts
    parts = [
        {
            "label": values.classes[k].item(),
            "n": int(counts[k]),
            **part_of(class_contrast, "two-sided"),
        }
        for k, class_contrast in zip(kept, contrasts)
    ]
    return PairedResult(
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=df,
        estimate=float(np.abs(differences).max()),
        estimate_name="largest difference of a class's AUC",
        method="DeLong, chi-squared",
        flags=flags + evidence_flags(values, kept, _distinct(values)),
        details={"n_classes": len(kept)},
        parts=with_adjusted(parts, adjust),
        remark=left_out(values, kept),
    )


def _weights(values: ClassPlacementValues, kept: IntArray, score: str) -> FloatArray:
    """Weight of each class; the weights sum to 1."""
    if score == "roc_auc_ovr":
        return np.full(len(kept), 1 / len(kept))
    counts = values.counts[kept]
    weights: FloatArray = counts / counts.sum()
    return weights


def _mean_contrast(
    values: ClassPlacementValues, kept: IntArray, weights: FloatArray
) -> Contrast:
    """Contrast of the weighted mean one-vs-rest AUC."""
    areas, influences = [], []
    for role in (0, 1):
        one_vs_rest = values.one_vs_rest(role)
        areas.append(float(one_vs_rest.aucs[kept] @ weights))
        influences.append(values.sums_by_unit(one_vs_rest.influence[:, kept] @ weights))
    return contrast((areas[0], areas[1]), *influences)


def class_contrasts(values: ClassPlacementValues, kept: IntArray) -> list[Contrast]:
    """Contrast of the one-vs-rest AUC of each class."""
    champion, challenger = values.one_vs_rest(0), values.one_vs_rest(1)
    return [
        contrast(
            (float(champion.aucs[k]), float(challenger.aucs[k])),
            values.sums_by_unit(champion.influence[:, k]),
            values.sums_by_unit(challenger.influence[:, k]),
        )
        for k in kept
    ]


def _distinct(values: ClassPlacementValues) -> int:
    """Smallest number of distinct scores of a class."""
    return min(values.one_vs_rest(role).distinct for role in (0, 1))


def _differences(contrasts: list[Contrast]) -> FloatArray:
    return np.array([class_contrast.difference for class_contrast in contrasts])
