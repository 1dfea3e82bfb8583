"""DeLong's test of the mean AUC of all pairs of classes (Hand and Till's M)."""

from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from skcompare._core.validation import check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ClassPlacementValues
from skcompare.stats.core._adjust import Adjustment
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald
from skcompare.stats.ranking._delong import check_auc_difference
from skcompare.stats.ranking._multiclass_auc import (
    Contrast,
    area_result,
    contrast,
    kept_classes,
    part_of,
    with_adjusted,
)

Score = Literal["roc_auc_ovo", "roc_auc_ovo_weighted"]
SCORES: tuple[str, ...] = get_args(Score)
NAMES = {
    "roc_auc_ovo": "mean one-vs-one AUC",
    "roc_auc_ovo_weighted": "prevalence-weighted one-vs-one AUC",
}


def _effect(
    values: ClassPlacementValues,
    *,
    score: str = "roc_auc_ovo",
    rare: str = "raise",
    null_value: float = 0.0,
    **options: object,
) -> Wald:
    kept = kept_classes(values, rare, others=False)
    mean = _mean_contrast(values, kept, _weights(values, kept, score))
    return Wald(replace(mean, null_value=null_value).statistic, 1.0)


@paired_test(
    "delong_ovo",
    title="DeLong's test of one-vs-one AUCs",
    measures=SCORES,
    designs=("holdout", "grouped holdout"),
    references=("HandTill2001", "DeLong1988", "Obuchowski1997"),
    sample_size=planned(_effect),
)
def delong_ovo(
    values: ClassPlacementValues,
    *,
    score: Score = "roc_auc_ovo",
    rare: str = "raise",
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
    kept = kept_classes(values, rare, others=False)
    mean = _mean_contrast(values, kept, _weights(values, kept, score))
    parts = _pair_parts(values, kept, alternative, null)
    return area_result(
        values,
        replace(mean, null_value=null),
        kept,
        name=NAMES[score],
        alternative=alternative,
        method="DeLong, joint over pairs of classes",
        distinct=min(values.one_vs_one(role).distinct for role in (0, 1)),
        details={"n_pairs": len(parts)},
        parts=with_adjusted(parts, adjust)[:max_pairs],
    )


def _weights(values: ClassPlacementValues, kept: IntArray, score: str) -> FloatArray:
    """Symmetric matrix of the weights of pairs of classes; each triangle sums to 1.

    Classes that are left out have weight 0.
    """
    weights = np.zeros((values.n_classes, values.n_classes))
    counts = values.counts[kept].astype(np.float64)
    pair_counts = counts + counts[:, None] if score == "roc_auc_ovo_weighted" else 1.0
    weights[np.ix_(kept, kept)] = pair_counts
    np.fill_diagonal(weights, 0.0)
    return weights / (weights.sum() / 2)


def _mean_contrast(
    values: ClassPlacementValues, kept: IntArray, weights: FloatArray
) -> Contrast:
    """Contrast of the weighted mean AUC over pairs of classes."""
    pairs = np.triu(weights)[np.ix_(kept, kept)]
    used = np.isin(values.codes, kept)
    areas, influences = [], []
    for role in (0, 1):
        one_vs_one = values.one_vs_one(role)
        role_areas = np.where(pairs > 0, one_vs_one.pair_aucs[np.ix_(kept, kept)], 0.0)
        areas.append(float((pairs * role_areas).sum()))
        influence = np.zeros(values.n)
        for k in kept.tolist():
            # Records of classes that are left out may have no scale.
            influence[used] += (weights[k][values.codes] * one_vs_one.influence[:, k])[used]
        influences.append(values.sums_by_unit(influence))
    return contrast((areas[0], areas[1]), *influences)


def _pair_parts(
    values: ClassPlacementValues, kept: IntArray, alternative: str, null: float
) -> list[dict[str, Any]]:
    """Results of every pair of classes."""
    members = {k: np.flatnonzero(values.codes == k) for k in kept.tolist()}
    roles = [values.one_vs_one(role) for role in (0, 1)]
    areas = [one_vs_one.pair_aucs for one_vs_one in roles]
    parts = []
    for j, k in combinations(members, 2):
        rows = np.concatenate([members[j], members[k]])
        influences = []
        for one_vs_one in roles:
            influence = np.concatenate(
                [one_vs_one.influence[members[j], k], one_vs_one.influence[members[k], j]]
            )
            influences.append(_sums_of_units(values, rows, influence))
        pair = contrast((float(areas[0][j, k]), float(areas[1][j, k])), *influences)
        parts.append(
            {
                "first_class": values.classes[j].item(),
                "second_class": values.classes[k].item(),
                "n": len(rows),
                **part_of(replace(pair, null_value=null), alternative),
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
