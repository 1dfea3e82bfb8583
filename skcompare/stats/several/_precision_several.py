"""Tests of equal precision of several classifiers, for clustered predictions."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from skcompare._core.validation import check_choice
from skcompare._registry.tests import paired_test
from skcompare.evidence import ClassMoments, ClassScore, ClusterSums
from skcompare.stats.core._result import UNDEFINED, PairedResult, result_of
from skcompare.stats.core._tails import chi2_pvalue
from skcompare.stats.core._target_class import (
    BOUNDARY,
    NO_PREDICTIONS,
    SCORE_TEXT,
    class_text,
)
from skcompare.stats.core._wald import ZERO_VARIANCE, critical_value
from skcompare.stats.precision._clustered_precision import (
    ClassFit,
    Method,
    class_fit,
    joint_covariance,
    link_values,
)
from skcompare.stats.precision._precision_statistics import has_predictions, predicted_alike
from skcompare.stats.ranking._delong_joint import differenced, quadratic_form

LEVEL = 0.95


@paired_test(
    "precision_several",
    title="Score test of several precisions",
    kind="omnibus",
    measures=("precision", "recall", "specificity", "negative_predictive_value"),
    designs=("holdout", "grouped holdout"),
    references=("Leisenring2000", "LiangZeger1986"),
)
def precision_several(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    method: Method = "score",
    reference: str | None = None,
) -> PairedResult:
    """Are the precisions of two or more classifiers on one test set equal?

    The null hypothesis is that predictions that name the class are right as often for every
    classifier. The statistic is d' V⁻ d, with differences d of classifiers and their
    covariances V between clusters; any differences that span the same give the same value.

    Parameters
    ----------
    sums : ClusterSums
        Predictions of two or more classifiers, cluster by cluster.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    method : {"score", "wald"}, default="score"
        The generalized score test, with residuals from the share of all predictions [1]_,
        or Wald's test that the log odds of a marginal logistic model are equal [2]_, which
        needs precisions other than 0 and 1.
    reference : str, optional
        Name of the classifier that odds ratios in `parts` are relative to; by default the
        first. The test does not depend on it.

    Returns
    -------
    result : PairedResult
        `estimate` is the greatest precision minus the least, and `statistic` chi-squared
        with `df` degrees of freedom: the rank of V, one less than the number of classifiers
        unless their predictions depend on each other. `parts` has each classifier with its
        share, its predictions that count, its hits, and its odds ratio to the reference
        with Wald's interval, which is not adjusted for their number;
        :func:`~skcompare.stats.pairwise_precision` does.

    Raises
    ------
    ValueError
        If there is no such class or classifier.

    Notes
    -----
    The covariances are computed in whole numbers, and their rank by elimination, without a
    tolerance. Classifiers with the same predictions add nothing to it. Where nothing
    differs and nothing varies the statistic is 0 and p is 1, flagged "degenerate";
    differences that do not vary leave p undefined (NaN), flagged "zero-variance".

    A classifier without predictions that count is left out, flagged "no-predictions"; with
    fewer than two others p is undefined. For "wald" a precision of 0 or 1 leaves p
    undefined, flagged "share-of-0-or-1". Fewer than 40 clusters with a prediction that
    counts are flagged "few-informative-clusters"; the score statistic is at most their
    number.

    For two classifiers the statistic is the square of that of
    :func:`~skcompare.stats.gee_precision` with the same method.

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import precision_several
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=300)
    >>> predictions = [
    ...     np.where(rng.random(300) < accuracy, y, 1 - y) for accuracy in (0.7, 0.72, 0.78)
    ... ]
    >>> sums = ClusterSums.from_predictions(y, *predictions, names=["A", "B", "C"])
    >>> result = precision_several(sums)
    >>> print(f"{result.statistic:.3f}, df {result.df}, p = {result.pvalue:.4f}")
    15.297, df 2, p = 0.0005
    >>> [round(part["odds_ratio"], 2) for part in result.parts]
    [1.0, 1.63, 2.47]
    """
    if reference is not None:
        check_choice("reference", reference, sums.names)
    fit = class_fit(sums, label, score)
    defined = np.flatnonzero(fit.raw.rows > 0)
    joint = _joint_test(fit, defined, method)
    tail = UNDEFINED
    if math.isfinite(joint.statistic):
        tail = chi2_pvalue(joint.statistic, joint.rank)
    shares = fit.raw.shares[defined]
    spread = float(shares.max() - shares.min()) if len(defined) else math.nan
    position = 0 if reference is None else sums.names.index(reference)
    return result_of(
        joint.statistic,
        tail,
        df=joint.rank,
        estimate=0.0 if _all_alike(fit.raw) else spread,
        estimate_name=f"greatest difference of {SCORE_TEXT[score]}",
        method=method,
        flags=(*joint.flags, *_caveats(fit)),
        details={"n_clusters": fit.n_clusters},
        parts=_parts(fit, sums.names, position),
        remark=class_text(fit.label),
    )


class _Joint(NamedTuple):
    """Statistic with its degrees of freedom, and flags."""

    statistic: float
    rank: int
    flags: tuple[str, ...]


def _joint_test(fit: ClassFit, defined: Any, method: str) -> _Joint:
    if _all_alike(fit.raw):
        return _Joint(0.0, 0, ("degenerate",))
    if len(defined) < 2:
        return _Joint(math.nan, 0, ())
    moments = fit.raw.chosen(defined)
    if _all_alike(moments):
        return _Joint(0.0, 0, ("degenerate",))
    slopes = [Fraction(1)] * len(defined)
    hits, rows = moments.hits.tolist(), moments.rows.tolist()
    values = [Fraction(hit, n) for hit, n in zip(hits, rows, strict=True)]
    at = list(values)
    if method == "score":
        at = [Fraction(sum(hits), sum(rows))] * len(defined)
    elif any(share in (0, 1) for share in values):
        return _Joint(math.nan, 0, (BOUNDARY,))
    else:
        slopes = [1 / (share * (1 - share)) for share in values]
        values = [Fraction(value) for value in link_values(moments, "logit")[0].tolist()]
    covariance = _exact_covariance(moments, at, slopes)
    return _chi_squared(differenced(differenced(covariance)), values)


def _exact_covariance(
    moments: ClassMoments, at: Sequence[Fraction], slopes: Sequence[Fraction]
) -> list[list[Fraction]]:
    """Sandwich covariance of functions of the shares, without rounding."""
    rows = moments.rows.tolist()
    rr, rh, hh = (part.tolist() for part in (moments.rr, moments.rh, moments.hh))
    k = len(rows)
    return [
        [
            (hh[i][j] - at[i] * rh[i][j] - at[j] * rh[j][i] + at[i] * at[j] * rr[i][j])
            * (slopes[i] * slopes[j] / (rows[i] * rows[j]))
            for j in range(k)
        ]
        for i in range(k)
    ]


def _chi_squared(
    covariance: Sequence[Sequence[Fraction]], values: Sequence[Fraction]
) -> _Joint:
    """Compute the chi-squared statistic of differences of neighbours, exactly."""
    steps = [b - a for a, b in pairwise(values)]
    scale = math.lcm(*(entry.denominator for row in covariance for entry in row))
    unit = math.lcm(*(step.denominator for step in steps))
    whole = [[int(entry * scale) for entry in row] for row in covariance]
    value, rank, consistent = quadratic_form(whole, [int(step * unit) for step in steps])
    if not consistent:
        return _Joint(math.inf, rank, (ZERO_VARIANCE,))
    statistic = float(value * scale / unit**2)
    return _Joint(statistic, rank, () if rank else ("degenerate",))


def _all_alike(moments: ClassMoments) -> bool:
    """Whether all classifiers have the same rows and hits in every cluster."""
    return all(
        bool((part == part.flat[0]).all()) for part in (moments.rr, moments.rh, moments.hh)
    )


def _caveats(fit: ClassFit) -> tuple[str, ...]:
    """Flags that do not depend on the test, such as for classifiers left out."""
    left_out = (NO_PREDICTIONS,) * bool((fit.raw.rows == 0).any())
    return tuple(dict.fromkeys((*left_out, *fit.caveats)))


def _parts(fit: ClassFit, names: Sequence[str], at: int) -> tuple[dict[str, Any], ...]:
    """Results by classifier, with odds ratios to the reference."""
    with np.errstate(invalid="ignore"):
        values, _ = link_values(fit.raw, "logit")
        covariance = joint_covariance(fit.raw, "logit")
        variances = covariance.diagonal() + covariance[at, at] - 2 * covariance[at]
        distance = values - values[at]
    errors = np.sqrt(np.maximum(variances, 0))
    reach = critical_value(LEVEL, "two-sided") * errors
    parts = []
    for i, name in enumerate(names):
        pair = fit.raw.chosen([at, i])
        same = i == at or bool(has_predictions(pair) and predicted_alike(pair))
        defined = math.isfinite(errors[i]) and not same
        ratio = math.exp(distance[i]) if defined else (1.0 if same else math.nan)
        limits = (0.0, math.inf) if not same else (1.0, 1.0)
        if defined:
            limits = (ratio * math.exp(-reach[i]), ratio * math.exp(reach[i]))
        parts.append(
            {
                "name": name,
                "share": float(fit.raw.shares[i]),
                "predictions": int(fit.raw.rows[i]),
                "hits": int(fit.raw.hits[i]),
                "odds_ratio": ratio,
                "low": limits[0],
                "high": limits[1],
                "confidence_level": LEVEL,
            }
        )
    return tuple(parts)
