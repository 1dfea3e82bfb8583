"""DeLong's tests of multiclass AUCs: one-vs-rest, one-vs-one, all classes jointly."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from skcompare._core.validation import check_count, some_of
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ClassPlacementValues, degrees_of_freedom
from skcompare.stats.core._adjust import Adjustment, adjust_pvalues
from skcompare.stats.core._limits import (
    DIFFERENCE,
    NO_DIFFERENCE,
    Limits,
    Wald,
    chi2_tested,
    no_critical,
    normal_critical,
    score_range,
    studentised,
)
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult, Tested, few_groups, tested_result
from skcompare.stats.core._tails import chi2_pvalue
from skcompare.stats.ranking._delong import (
    FEW_DEGREES,
    FEW_DISTINCT,
    VARIANCE_OF_FEW,
    check_auc_difference,
)

Rare = Literal["raise", "drop"]
EQUAL_DIGITS = 12
EXTRACTIONS = 2
PART_LEVEL = 0.95

ROUNDING = 1e-12
"""A sum of squared deviations below this share, squared, of its terms is 0."""

INDEPENDENT = 1e-12
"""Eigenvalues of a correlation matrix up to this times its size are 0."""

INCONSISTENT = 1e-6
"""Standard errors above which a difference along a direction without variance counts."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Difference of weighted means of AUCs, with the contribution of each unit.

    Attributes
    ----------
    champion, challenger : float
        The means.
    deviations : ndarray of shape (n_units,)
        Their squares add up to the variance of the difference.
    variance : float
        Sum of squares of `deviations`; 0 where it is only rounding error.
    null_value : float
        The difference under the null hypothesis.
    """

    champion: float
    challenger: float
    deviations: FloatArray
    variance: float
    null_value: float = 0.0

    @property
    def difference(self) -> float:
        """Mean area of the challenger minus that of the champion."""
        return self.challenger - self.champion

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return math.sqrt(self.variance)

    @property
    def statistic(self) -> float:
        """Distance from the null value in standard errors; infinite without variance."""
        return self.tested("two-sided")[0]

    def tested(self, alternative: str) -> Tested:
        """Test the difference, without a result if there is one and no variance."""
        distance = self.difference - self.null_value
        if self.variance == 0 and abs(distance) <= NO_DIFFERENCE:
            distance = 0.0
        return studentised(distance, self.error, None, alternative)

    @property
    def has_few_degrees(self) -> bool:
        """Whether the variance has few degrees of freedom."""
        squares = np.square(self.deviations)
        fourth = float((squares**2).sum())
        degrees = degrees_of_freedom(self.variance, fourth, len(squares))
        return self.variance > 0 and degrees < FEW_DEGREES

    @property
    def limits(self) -> Limits:
        """Limits of the difference as a function of confidence level and alternative."""
        critical = no_critical if math.isinf(self.statistic) else normal_critical
        return partial(score_range, self.difference, self.error, critical, DIFFERENCE)


def contrast(roles: Iterable[tuple[float, FloatArray]], null: float) -> Contrast:
    """Contrast of the areas, or means of areas, of both roles, with influences of units."""
    (champion, first), (challenger, second) = roles
    deviations = second - first
    variance = _sum_of_squares(deviations)
    size = _sum_of_squares(first) + _sum_of_squares(second)
    if variance <= ROUNDING**2 * size:
        variance = 0.0
    return Contrast(float(champion), float(challenger), deviations, variance, null)


def _sum_of_squares(values: FloatArray) -> float:
    """Sum of squares, identical to the last bit for any order of the values.

    Adding and subtracting a power of two above the sum rounds each square to a grid on
    which every sum is exact; the remainders are added up in the same way (Rump, Ogita
    and Oishi 2008, SIAM Journal on Scientific Computing 31(1), algorithm 3.2).
    """
    remainders, total = np.square(values), 0.0
    for _ in range(EXTRACTIONS):
        bound = len(remainders) * float(np.abs(remainders).max(initial=0.0))
        if not math.isfinite(bound) or bound == 0:
            return total + bound
        unit = 2.0 ** math.frexp(bound)[1]
        on_grid = (remainders + unit) - unit
        total += float(on_grid.sum())
        remainders -= on_grid
    return total


def kept_classes(values: ClassPlacementValues, rare: str, others: bool) -> IntArray:
    """Positions of the classes with enough records for a variance.

    With `others`, the rest of a class must have two records, or groups, as well.
    """
    sides = np.column_stack([values.counts, values.n - values.counts, values.units])
    required = sides if others else sides[:, [0, 2]]
    enough = np.asarray((required >= 2).all(axis=1))
    if not enough.all() and rare == "raise":
        groups = ", and records in two groups" if values.is_grouped else ""
        raise ValueError(
            f"Every class and its rest must have two records{groups}. Got "
            f"{_listed(values, ~enough)}. Pass rare='drop' to leave such classes out, or "
            "collect records of them."
        )
    least = 1 if others else 2
    if enough.sum() < least:
        raise ValueError(
            f"The test needs {least} class{'es' * (least > 1)} with enough records. Got "
            f"{_listed(values, values.counts >= 0)}. Collect more records of each class."
        )
    return np.flatnonzero(enough)


def _listed(values: ClassPlacementValues, chosen: np.ndarray) -> str:
    """Text that lists classes with their numbers of records."""
    pairs = zip(values.classes[chosen].tolist(), values.counts[chosen].tolist())
    texts = [f"{n} of class {label!r}" for label, n in pairs]
    return ", ".join(texts[:5]) + (", ..." if len(texts) > 5 else "")


def joint_statistic(parts: Sequence[Contrast]) -> tuple[float, int]:
    """Joint chi-squared statistic of all differences, and its degrees of freedom.

    The statistic is ``d' S^- d`` with the joint covariance S and its rank; infinite where a
    combination of the differences is not 0 but cannot vary.
    """
    active = [part for part in parts if part.variance > 0]
    fixed = (part.difference for part in parts if not part.variance > 0)
    if any(abs(difference) > NO_DIFFERENCE for difference in fixed):
        return math.inf, len(active)
    if not active:
        return 0.0, 0
    scaled = np.stack([part.deviations / part.error for part in active])
    values, vectors = np.linalg.eigh(scaled @ scaled.T)
    components = vectors.T @ [part.statistic for part in active]
    free = values > INDEPENDENT * len(values)
    if (np.abs(components[~free]) > INCONSISTENT).any():
        return math.inf, int(free.sum())
    return float((components[free] ** 2 / values[free]).sum()), int(free.sum())


def joint_details(parts: Sequence[Contrast]) -> dict[str, float]:
    """Joint statistic, degrees of freedom and p-value; empty if undefined."""
    statistic, df = joint_statistic(parts)
    if math.isinf(statistic):
        return {}
    return {
        "joint_statistic": statistic,
        "joint_df": df,
        "joint_pvalue": chi2_pvalue(statistic, df)[0],
    }


def part_of(contrast: Contrast, alternative: str) -> dict[str, Any]:
    """AUCs, difference, interval and p-value (None if undefined) of a class or a pair."""
    _, (pvalue, _), _ = contrast.tested(alternative)
    low, high = contrast.limits(PART_LEVEL, alternative)
    return {
        "champion": contrast.champion,
        "challenger": contrast.challenger,
        "difference": contrast.difference,
        "standard_error": contrast.error,
        "low": low,
        "high": high,
        "pvalue": None if math.isnan(pvalue) else pvalue,
    }


def with_adjusted(
    parts: Sequence[Mapping[str, Any]], adjust: str
) -> tuple[dict[str, Any], ...]:
    """Return the parts in order of p-value, with adjusted p-values."""
    raw = [math.nan if part["pvalue"] is None else part["pvalue"] for part in parts]
    adjusted = adjust_pvalues(raw, adjust)
    # Undefined p-values come last, and equal ones keep the order of the classes.
    order = np.argsort(np.round(raw, EQUAL_DIGITS), kind="stable").tolist()
    return tuple(
        {
            **parts[i],
            "adjusted_pvalue": None if np.isnan(adjusted[i]) else float(adjusted[i]),
        }
        for i in order
    )


def _mean_name(score: str) -> str:
    return "prevalence-weighted" if score.endswith("weighted") else "mean"


def _mean_result(
    values: ClassPlacementValues,
    mean: Contrast,
    kept: IntArray,
    alternative: str,
    *,
    flags: tuple[str, ...],
    details: Mapping[str, float],
    **fields: Any,
) -> PairedResult:
    """Result of a test of a difference of mean AUCs."""
    return tested_result(
        mean.tested(alternative),
        roles=(mean.champion, mean.challenger),
        estimate=mean.difference,
        limits=mean.limits,
        flags=(VARIANCE_OF_FEW,) * mean.has_few_degrees
        + evidence_flags(values, kept)
        + flags,
        details={"standard_error": mean.error, "n_classes": len(kept), **details},
        remark=left_out(values, kept),
        **fields,
    )


def evidence_flags(values: ClassPlacementValues, kept: IntArray) -> tuple[str, ...]:
    """Caveats about classes left out, and about groups."""
    dropped = len(kept) < values.n_classes
    unknown = values.design.grouped and values.groups is None
    flags = ("classes-left-out",) * dropped + ("unknown-groups",) * unknown
    return flags + few_groups(values.n_units) * values.is_grouped


def left_out(values: ClassPlacementValues, kept: IntArray) -> str:
    """Text that lists the classes left out; empty if there are none."""
    dropped = np.delete(values.classes, kept)
    return f"without the classes {some_of(dropped)}" if len(dropped) else ""


OneVsRest = Literal["roc_auc_ovr", "roc_auc_ovr_weighted"]
OneVsOne = Literal["roc_auc_ovo", "roc_auc_ovo_weighted"]


def _effect(
    values: ClassPlacementValues,
    *,
    score: str,
    rare: str = "raise",
    null_value: float = 0.0,
    **options: object,
) -> Wald:
    return Wald(_tested_mean(values, score, rare, null_value)[1].statistic, 1.0)


def _tested_mean(
    values: ClassPlacementValues, score: str, rare: str, null: float
) -> tuple[IntArray, Contrast]:
    """Classes that are not left out, and the contrast of the mean AUC of a score."""
    of_rest = score.startswith("roc_auc_ovr")
    kept = kept_classes(values, rare, others=of_rest)
    roles_of = _mean_one_vs_rest if of_rest else _mean_one_vs_one
    return kept, contrast(roles_of(values, kept, score.endswith("weighted")), null)


@paired_test(
    title="DeLong's test of one-vs-rest AUCs",
    measures=get_args(OneVsRest),
    designs=("holdout", "grouped holdout"),
    references=("DeLong1988", "Obuchowski1997"),
    sample_size=planned(partial(_effect, score="roc_auc_ovr")),
)
def delong_ovr(
    values: ClassPlacementValues,
    *,
    score: OneVsRest = "roc_auc_ovr",
    rare: Rare = "raise",
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
    kept, mean = _tested_mean(values, score, rare, null)
    contrasts = class_contrasts(values, kept, null)
    return _mean_result(
        values,
        mean,
        kept,
        alternative,
        estimate_name=f"difference of {_mean_name(score)} one-vs-rest AUC",
        method="DeLong, joint over classes",
        flags=_distinct_flags(values.one_vs_rest),
        details=joint_details(contrasts),
        parts=with_adjusted(_class_parts(values, kept, contrasts, alternative), adjust),
    )


@paired_test(
    title="DeLong's joint test of the AUCs of all classes",
    kind="omnibus",
    measures="AUC of every class",
    designs=("holdout", "grouped holdout"),
    references=("DeLong1988", "Obuchowski1997"),
)
def delong_classes(
    values: ClassPlacementValues, *, rare: Rare = "raise", adjust: Adjustment = "holm"
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
    statistic, df = joint_statistic(contrasts)
    return tested_result(
        chi2_tested(statistic, df),
        df=df,
        estimate=max(abs(part.difference) for part in contrasts),
        estimate_name="largest difference of a class's AUC",
        method="DeLong, chi-squared",
        flags=evidence_flags(values, kept) + _distinct_flags(values.one_vs_rest),
        details={"n_classes": len(kept)},
        parts=with_adjusted(_class_parts(values, kept, contrasts, "two-sided"), adjust),
        remark=left_out(values, kept),
    )


def _class_parts(
    values: ClassPlacementValues,
    kept: IntArray,
    contrasts: list[Contrast],
    alternative: str,
) -> list[dict[str, Any]]:
    """Results of every class against the rest."""
    return [
        {
            "label": values.classes[k].item(),
            "n": int(values.counts[k]),
            **part_of(class_contrast, alternative),
        }
        for k, class_contrast in zip(kept, contrasts)
    ]


def _mean_one_vs_rest(
    values: ClassPlacementValues, kept: IntArray, weighted: bool
) -> Iterator[tuple[float, FloatArray]]:
    """Mean one-vs-rest AUC of each role, weighted by the records of the classes."""
    weights: FloatArray = np.full(len(kept), 1 / len(kept))
    if weighted:
        weights = values.counts[kept] / values.counts[kept].sum()
    for role in (0, 1):
        one_vs_rest = values.one_vs_rest(role)
        influence = one_vs_rest.influence[:, kept] @ weights
        yield float(one_vs_rest.aucs[kept] @ weights), values.sums_by_unit(influence)


def class_contrasts(
    values: ClassPlacementValues, kept: IntArray, null: float = 0.0
) -> list[Contrast]:
    """Contrast of the one-vs-rest AUC of each class."""
    roles = [values.one_vs_rest(role) for role in (0, 1)]
    return [
        contrast(
            [(role.aucs[k], values.sums_by_unit(role.influence[:, k])) for role in roles],
            null,
        )
        for k in kept
    ]


def _distinct_flags(areas_of: Callable[[int], Any]) -> tuple[str, ...]:
    """Caveat about a class with few distinct scores of a role."""
    return (FEW_DISTINCT,) * (min(areas_of(role).distinct for role in (0, 1)) < 3)


@paired_test(
    title="DeLong's test of one-vs-one AUCs",
    measures=get_args(OneVsOne),
    designs=("holdout", "grouped holdout"),
    references=("Hand2001", "DeLong1988", "Obuchowski1997"),
    sample_size=planned(partial(_effect, score="roc_auc_ovo")),
)
def delong_ovo(
    values: ClassPlacementValues,
    *,
    score: OneVsOne = "roc_auc_ovo",
    rare: Rare = "raise",
    adjust: Adjustment = "holm",
    max_pairs: int = 10,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Compare two one-vs-one AUCs of many classes: Hand and Till's M.

    The null hypothesis is that both trained classifiers have the same mean, over all pairs
    of classes, of the areas under the curves of either class against the other [1]_, over
    new records; or, with another `null_value`, that the means differ by that much. Unlike
    the one-vs-rest areas these do not depend on how often classes occur. M is a mean of
    two-sample statistics that share records; its variance adds, class by class, the
    variance over the class's records of their mean placement value [2]_.

    Parameters
    ----------
    values : ClassPlacementValues
        Scores of each class from a hold-out set.
    score : {"roc_auc_ovo", "roc_auc_ovo_weighted"}, default="roc_auc_ovo"
        The mean over the pairs, each counting the same, or as often as its two classes
        occur; these weights are taken as fixed. The values are those of scikit-learn's
        ``roc_auc_score(multi_class="ovo")``.
    rare : {"raise", "drop"}, default="raise"
        What to do about classes that have no variance, having fewer than two records (of
        grouped records, fewer than two groups): refuse them, or leave out all their pairs.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of all pairs are adjusted.
    max_pairs : int, default=10
        Largest number of pairs in `parts`; those with the smallest p-values are kept.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better; the pairs are tested in the same
        direction.
    null_value : float, default=0.0
        Difference of the mean areas under the null hypothesis, challenger minus champion,
        between -1 and 1, and of the areas in `parts`. A margin below which the challenger
        must not fall is tested by ``null_value=-margin, alternative="greater"``.

    Returns
    -------
    result : PairedResult
        `estimate` is the challenger's mean area minus the champion's and `statistic` the
        same in standard errors. `parts` has a mapping for each pair of classes: their
        labels (`first_class`, `second_class`), records of both (`n`), the mean of their two
        areas for `champion` and `challenger`, the `difference`, its `standard_error` and
        95 % interval (`low`, `high`), `pvalue` and `adjusted_pvalue`, None where undefined.

    Raises
    ------
    ValueError
        If a class has no variance and is not left out, or fewer than two are left.

    Notes
    -----
    For two classes M is the area under the curve of the second column, and the test is
    DeLong's. Grouped records, edge cases and the conditions of the approximation are as
    for :func:`delong_ovr`.

    References
    ----------
    .. [1] Hand, D. J. and Till, R. J. (2001). "A simple generalisation of the area under
       the ROC curve for multiple class classification problems." Machine Learning 45(2),
       171-186.
    .. [2] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClassPlacementValues
    >>> from skcompare.stats import delong_ovo
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=300)
    >>> def proba(strength):
    ...     scores = np.exp(rng.normal(size=(300, 3)) + strength * np.eye(3)[y])
    ...     return scores / scores.sum(axis=1, keepdims=True)
    >>> values = ClassPlacementValues.from_predictions(y, proba(1.0), proba(1.2))
    >>> result = delong_ovo(values)
    >>> print(f"{result.champion:.3f} to {result.challenger:.3f}, p = {result.pvalue:.4f}")
    0.776 to 0.847, p = 0.0121
    >>> part = result.parts[0]
    >>> part["first_class"], part["second_class"], round(part["adjusted_pvalue"], 4)
    (0, 1, 0.0498)
    """
    check_count("max_pairs", max_pairs, least=0)
    null = check_auc_difference(null_value)
    kept, mean = _tested_mean(values, score, rare, null)
    parts = _pair_parts(values, kept, alternative, null)
    return _mean_result(
        values,
        mean,
        kept,
        alternative,
        estimate_name=f"difference of {_mean_name(score)} one-vs-one AUC",
        method="DeLong, joint over pairs of classes",
        flags=_distinct_flags(values.one_vs_one),
        details={"n_pairs": len(parts)},
        parts=with_adjusted(parts, adjust)[:max_pairs],
    )


def _pair_weights(
    values: ClassPlacementValues, kept: IntArray, weighted: bool
) -> FloatArray:
    """Symmetric matrix of the weights of pairs of classes; each triangle sums to 1.

    Classes that are left out have weight 0.
    """
    weights = np.zeros((values.n_classes, values.n_classes))
    counts = values.counts[kept].astype(np.float64)
    pair_counts = counts + counts[:, None] if weighted else 1.0
    weights[np.ix_(kept, kept)] = pair_counts
    np.fill_diagonal(weights, 0.0)
    return weights / (weights.sum() / 2)


def _mean_one_vs_one(
    values: ClassPlacementValues, kept: IntArray, weighted: bool
) -> Iterator[tuple[float, FloatArray]]:
    """Weighted mean AUC of each role over pairs of classes."""
    weights = _pair_weights(values, kept, weighted)
    pairs = np.triu(weights)[np.ix_(kept, kept)]
    used = np.isin(values.codes, kept)
    for role in (0, 1):
        one_vs_one = values.one_vs_one(role)
        areas = np.where(pairs > 0, one_vs_one.pair_aucs[np.ix_(kept, kept)], 0.0)
        influence = np.zeros(values.n)
        for k in kept.tolist():
            # Records of classes that are left out may have no scale.
            influence[used] += (weights[k][values.codes] * one_vs_one.influence[:, k])[used]
        yield (pairs * areas).sum(), values.sums_by_unit(influence)


def _pair_parts(
    values: ClassPlacementValues, kept: IntArray, alternative: str, null: float
) -> list[dict[str, Any]]:
    """Results of every pair of classes."""
    members = {k: np.flatnonzero(values.codes == k) for k in kept.tolist()}
    roles = [values.one_vs_one(role) for role in (0, 1)]
    parts = []
    for j, k in combinations(members, 2):
        rows = np.concatenate([members[j], members[k]])
        areas = []
        for role in roles:
            sides = role.influence[members[j], k], role.influence[members[k], j]
            influence = _sums_of_units(values, rows, np.concatenate(sides))
            areas.append((role.pair_aucs[j, k], influence))
        parts.append(
            {
                "first_class": values.classes[j].item(),
                "second_class": values.classes[k].item(),
                "n": len(rows),
                **part_of(contrast(areas, null), alternative),
            }
        )
    return parts


def _sums_of_units(
    values: ClassPlacementValues, rows: IntArray, influence: FloatArray
) -> FloatArray:
    """Influences of some records, summed within groups if there are groups."""
    if not values.is_grouped:
        return influence
    sums = np.bincount(values.unit_codes[rows], influence, values.n_units)
    return sums.astype(np.float64)
