"""Stuart-Maxwell and Bhapkar tests of marginal homogeneity."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from skcompare._core.validation import check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import AgreementMatrix
from skcompare.stats.accuracy._limits import score_limits
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import chi2_pvalue
from skcompare.stats.core._wald import ZERO_VARIANCE

FEW_DISAGREEMENTS = "few-disagreements"

FEW = 25
FEW_EACH = 5
"""Number of disagreements for each degree of freedom."""

ROUNDING = 1e-12
LEVEL = 0.95
"""Simultaneous confidence level of the intervals of all classes."""


@paired_test(
    "stuart_maxwell",
    title="Stuart-Maxwell test",
    kind="omnibus",
    measures="label rates",
    references=("Stuart1955", "Maxwell1970"),
    preferred=True,
)
def stuart_maxwell(matrix: AgreementMatrix, *, max_classes: int = 10) -> PairedResult:
    """Do two classifiers give each class equally often, by the Stuart-Maxwell test?

    The null hypothesis is marginal homogeneity: each class has the same rate among the
    labels of either classifier [1]_ [2]_. It says nothing about which of them is right.
    The statistic is chi-squared.

    Parameters
    ----------
    matrix : AgreementMatrix
        Counts of records by the two labels, from a hold-out set.
    max_classes : int, default=10
        Largest number of classes in `parts`, those with the largest difference first.

    Returns
    -------
    result : PairedResult
        `estimate` is the distance of the two label rates in total variation, half the sum
        of their absolute differences; it has no interval. `parts` has a mapping for each
        class: its `label`, the rates of `champion` and `challenger`, their `difference`
        (challenger - champion), and its Tango interval (`low`, `high`), all classes
        together at 95 % (Bonferroni).

    Notes
    -----
    The variance of the differences is a graph Laplacian: classes are its nodes, and records
    with different labels its edges. Its rank is the number of classes minus that of the
    connected components, which is `df`; leaving out unused classes is not enough. Where two
    groups of classes are never confused with each other, the statistics of the groups add
    up. Classes with equal rates stay in, because they carry disagreements.

    Without records that have different labels, the statistic is 0, p is 1 and df 0,
    flagged "degenerate". Fewer than 25 of them, or fewer than 5 for each degree of freedom,
    are flagged "few-disagreements": a pair of classes with one record adds as much to the
    statistic whichever way round it is, so that the test is conservative there.
    Without symmetry it need not be: of three classes that change places in a circle it
    rejects at 0.05 in 0.056 of the cases of 200 records, of which 5 % have different labels
    (``benchmarks/validity/agreement/label_tests.py``).

    References
    ----------
    .. [1] Stuart, A. (1955). "A test for homogeneity of the marginal distributions in a
       two-way classification." Biometrika 42(3/4), 412-416.
    .. [2] Maxwell, A. E. (1970). "Comparing the classification of subjects by two
       independent judges." British Journal of Psychiatry 116, 651-655.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> from skcompare.stats import stuart_maxwell
    >>> matrix = AgreementMatrix([[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"])
    >>> result = stuart_maxwell(matrix)
    >>> print(f"{result.statistic:.4f}, df {result.df}, p = {result.pvalue:.4f}")
    2.6364, df 2, p = 0.2676
    >>> most = result.parts[0]
    >>> print(f"{most['label']}: {most['difference']:+.2f}")
    a: +0.04
    """
    frame = rate_frame(matrix.counts)
    statistic = float(frame.statistics(_differences(matrix)))
    test = (statistic, *chi2_pvalue(statistic, frame.df))
    return _rates_result(matrix, test, frame.df, (), max_classes)


@paired_test(
    "bhapkar",
    title="Bhapkar's test",
    kind="omnibus",
    measures="label rates",
    references=("Bhapkar1966",),
)
def bhapkar(matrix: AgreementMatrix, *, max_classes: int = 10) -> PairedResult:
    """Do two classifiers give each class equally often, by Bhapkar's test?

    The null hypothesis is that of :func:`~skcompare.stats.stuart_maxwell`: each class has
    the same rate among the labels of either classifier. The variance is estimated without
    it [1]_, which makes the statistic larger: W = S / (1 - S / n), with S that of Stuart
    and Maxwell. For many records per class the two agree.

    Parameters
    ----------
    matrix : AgreementMatrix
        Counts of records by the two labels, from a hold-out set.
    max_classes : int, default=10
        Largest number of classes in `parts`, those with the largest difference first.

    Returns
    -------
    result : PairedResult
        As of :func:`~skcompare.stats.stuart_maxwell`.

    Notes
    -----
    It is liberal where few records have different labels. Of three classes with equal
    rates, and different labels on 30 % of the records, it rejects at 0.05 in up to 0.10 of
    the cases with 20 records, 0.07 with 50 and 0.055 with 200, where the test of Stuart and
    Maxwell does in up to 0.052 (``benchmarks/validity/agreement/label_tests.py``). Prefer
    that one.

    S = n where all records have different labels and go one way, such as when one
    classifier gives one class always and the other another. The statistic is then
    infinite and p NaN, flagged "zero-variance"; the test of Stuart and Maxwell is defined.
    All else is as there.

    With many classes and few records each, W is liberal: S is then about `df`, whichever
    way records differ, and its divisor well below 1. Where 40 % of the labels are redrawn,
    at rates of 1, 1/2, 1/3, ..., the true size at 0.05 is 0.28 for 100 classes and 400
    records, and 0.13 for 50 classes and 300, both flagged "few-disagreements"; for 100
    classes and 2000 records it is still 0.08.

    References
    ----------
    .. [1] Bhapkar, V. P. (1966). "A note on the equivalence of two test criteria for
       hypotheses in categorical data." JASA 61(313), 228-235.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> from skcompare.stats import bhapkar
    >>> matrix = AgreementMatrix([[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"])
    >>> result = bhapkar(matrix)
    >>> print(f"{result.statistic:.4f}, df {result.df}, p = {result.pvalue:.4f}")
    2.6716, df 2, p = 0.2630
    """
    frame = rate_frame(matrix.counts)
    score, n = float(frame.statistics(_differences(matrix))), matrix.n
    # Each record with equal labels leaves the score one farther below n.
    if matrix.n_agreed == 0 and score >= n * (1 - ROUNDING):
        test = math.inf, math.nan, math.nan
        return _rates_result(matrix, test, frame.df, (ZERO_VARIANCE,), max_classes)
    statistic = score / (1 - score / n)
    test = (statistic, *chi2_pvalue(statistic, frame.df))
    return _rates_result(matrix, test, frame.df, (), max_classes)


@dataclass(frozen=True, slots=True)
class RateFrame:
    """Retained classes and variance factor of the Stuart-Maxwell statistic.

    Parameters
    ----------
    kept : ndarray of shape (df,)
        The classes without one of each component, whose counts follow from the others.
    factor : ndarray of shape (df, df)
        Lower Cholesky factor of the variance of their differences.
    """

    kept: IntArray
    factor: FloatArray

    @property
    def df(self) -> int:
        """Degrees of freedom."""
        return len(self.kept)

    def statistics(self, differences: IntArray) -> FloatArray:
        """Stuart-Maxwell statistics of label count differences, shape (..., n_classes)."""
        if self.df == 0:
            return np.zeros(differences.shape[:-1])
        columns = differences[..., self.kept].reshape(-1, self.df).T.astype(np.float64)
        roots = solve_triangular(self.factor, columns, lower=True, check_finite=False)
        return (roots * roots).sum(axis=0).reshape(differences.shape[:-1])


def rate_frame(counts: IntArray) -> RateFrame:
    """Compute the frame of a table of labels, from records with different labels only."""
    edges = counts + counts.T
    np.fill_diagonal(edges, 0)
    component, degree = _components(edges > 0), edges.sum(axis=1)
    # Leaving out the class with most disagreements keeps the rest well conditioned.
    order = np.lexsort((degree, component))
    is_last = np.append(component[order][1:] != component[order][:-1], True)
    kept = np.sort(order[~is_last])
    variance = np.diag(degree) - edges
    # A Laplacian without one node of each component is positive definite.
    submatrix = variance[np.ix_(kept, kept)].astype(np.float64)
    return RateFrame(kept, cholesky(submatrix, lower=True) if len(kept) else submatrix)


def _components(joined: NDArray[np.bool_]) -> IntArray:
    """Connected component of each class, named by its first class."""
    component = np.arange(len(joined))
    while True:
        lowest = np.where(joined, component, len(joined)).min(axis=1)
        if (lowest >= component).all():
            return component
        component = np.minimum(component, lowest)


def _differences(matrix: AgreementMatrix) -> IntArray:
    champion, challenger = matrix.label_counts
    return challenger - champion


def _rates_result(
    matrix: AgreementMatrix,
    test: tuple[float, float, float],
    df: int,
    flags: tuple[str, ...],
    max_classes: int,
) -> PairedResult:
    check_count("max_classes", max_classes, least=0)
    statistic, pvalue, log_pvalue = test
    disagreements = matrix.n - matrix.n_agreed
    if disagreements == 0:
        flags = (*flags, "degenerate")
    elif disagreements < max(FEW, FEW_EACH * df):
        flags = (*flags, FEW_DISAGREEMENTS)
    distance = int(np.abs(_differences(matrix)).sum()) / (2 * matrix.n)
    return PairedResult(
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=df,
        estimate=distance,
        estimate_name="distance of label rates",
        method="asymptotic",
        flags=flags,
        details={"disagreements": disagreements},
        parts=_class_parts(matrix, max_classes),
    )


def _class_parts(matrix: AgreementMatrix, most: int) -> tuple[dict[str, Any], ...]:
    """Describe the label rates of classes with disagreements, largest difference first."""
    champion, challenger = matrix.label_counts
    equal, n = np.diag(matrix.counts), matrix.n
    informative = np.flatnonzero(champion + challenger > 2 * equal)
    size = np.abs(challenger - champion)[informative]
    shown = informative[np.argsort(-size, kind="stable")][:most]
    level = 1 - (1 - LEVEL) / max(1, len(informative))
    parts = []
    for k in shown.tolist():
        against, favour = int(champion[k] - equal[k]), int(challenger[k] - equal[k])
        low, high = score_limits(against, favour, n, 0.0, level, "two-sided")
        parts.append(
            {
                "label": matrix.classes[k].item(),
                "champion": int(champion[k]) / n,
                "challenger": int(challenger[k]) / n,
                "difference": (favour - against) / n,
                "low": low,
                "high": high,
            }
        )
    return tuple(parts)
