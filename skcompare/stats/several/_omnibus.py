"""Tests that several classifiers are equally accurate, or equally precise."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy.special import chdtrc, chdtri, logsumexp, ndtri
from sklearn.utils import check_random_state

from skcompare._core.validation import check_choice, check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ClassMoments, ClassScore, ClusterSums, CorrectnessPatterns
from skcompare.stats.core._limits import chi2_tested, critical_value
from skcompare.stats.core._result import UNDEFINED, PairedResult, Tested, tested_result
from skcompare.stats.core._tails import (
    SMALLEST,
    TRUSTED,
    binomial_pvalue,
    blocks_of,
    chi2_pvalue,
)
from skcompare.stats.core._target_class import BOUNDARY, SCORE_TEXT, class_text
from skcompare.stats.precision._precision_statistics import ClassFit, class_fit, link_values
from skcompare.stats.precision._precision_tests import ClassTests, Method
from skcompare.stats.ranking._delong_joint import exact_chi2

MOST_STATES = 1 << 24
MOST_SUMS = 1 << 30
"""Largest exact distribution, and number of additions to compute it: some seconds."""

AT_ONCE = 1 << 20
"""Largest number of values that are drawn at a time."""

FEW_PREDICTIONS, FEW_RECORDS = 24, 4

ROUNDING = 1e-12
CONFIDENCE = 0.95
LEVEL, MOST = 0.05, 0.06
"""Level, and highest estimated type I error at it that is not flagged."""


@paired_test(
    title="Cochran's Q test",
    kind="omnibus",
    measures="accuracy",
    references=("Cochran1950", "Tate1970", "Patil1975"),
)
def cochran_q(
    patterns: CorrectnessPatterns,
    *,
    method: Literal["asymptotic", "exact", "permutation"] = "asymptotic",
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairedResult:
    """Are several classifiers equally accurate on one test set?

    The null hypothesis is that the classifiers are equally accurate [1]_; more strictly,
    and so for "exact" and "permutation", that on each record every classifier is as likely
    as any other to be among those that predict correctly. It is about these trained models,
    over new records. Records that all or none predict correctly carry no information.

    Parameters
    ----------
    patterns : CorrectnessPatterns
        Which classifiers are correct on each record of a hold-out set.
    method : {"asymptotic", "exact", "permutation"}, default="asymptotic"
        How the p-value is computed. "asymptotic" is chi-squared with one degree of freedom
        less than there are classifiers. "exact" adds the probabilities of all ways to
        exchange correct and incorrect within records [3]_; it needs few classifiers and not
        too many records that they disagree on. "permutation" draws some of these ways at
        random, in a time that does not depend on the number of records.
    n_resamples : int, default=9999
        Draws of "permutation".
    random_state : int, RandomState instance or None, default=0
        Seed of "permutation".

    Returns
    -------
    result : PairedResult
        `estimate` is the range of the accuracies, the greatest minus the smallest, and has
        no interval. `parts` has each classifier's accuracy with Wilson's 95 % limits.
        `statistic` is Q whatever the method. For "permutation", `method` has the number of
        draws, and `details` the standard error of p (`monte_carlo_error`).

    Raises
    ------
    ValueError
        If "exact" would take too long or too much memory.

    Notes
    -----
    With two classifiers Q is McNemar's chi-squared without correction and "exact" is the
    exact McNemar test. If all classifiers are correct on the same records, Q is 0 and p is
    1, flagged "degenerate". The chi-squared approximation is flagged
    "few-informative-records" where the classifiers disagree on fewer than 4 records, or
    make fewer than 24 predictions for these [2]_.

    For equally accurate classifiers of which some agree more than others Q rejects too
    often by each method: at the level 0.05 in up to 0.08 of the cases for three, 0.11 for
    four and 0.21 for twenty, where all but one are nearly the same. Q is then a sum of
    squares with unequal variances, the eigenvalues of the covariance of the correct
    predictions minus their means. Box's approximation [4]_ of its distribution, with Huynh
    and Feldt's estimate [5]_, says how often that is; more than 0.06 at the level 0.05 is
    flagged "not-exchangeable". The adjustments of :func:`~skcompare.stats.pairwise_mcnemar`
    do not assume equal agreement.

    A significant Q says that some classifiers differ, but not which ones:
    :func:`~skcompare.stats.pairwise_mcnemar` does.

    References
    ----------
    .. [1] Cochran, W. G. (1950). "The comparison of percentages in matched samples."
       Biometrika 37(3/4), 256-266.
    .. [2] Tate, M. W. and Brown, S. M. (1970). "Note on the Cochran Q test." Journal of
       the American Statistical Association 65(329), 155-160.
    .. [3] Patil, K. D. (1975). "Cochran's Q test: exact distribution." Journal of the
       American Statistical Association 70(349), 186-189.
    .. [4] Box, G. E. P. (1954). "Some theorems on quadratic forms applied in the study of
       analysis of variance problems, I." Annals of Mathematical Statistics 25(2), 290-302.
    .. [5] Huynh, H. and Feldt, L. S. (1976). "Estimation of the Box correction for degrees
       of freedom from sample data in randomized block and split-plot designs." Journal of
       Educational Statistics 1(1), 69-82.

    Examples
    --------
    >>> from skcompare.evidence import CorrectnessPatterns
    >>> from skcompare.stats import cochran_q
    >>> patterns = CorrectnessPatterns.from_counts(
    ...     {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3}
    ... )
    >>> result = cochran_q(patterns)
    >>> print(f"Q = {result.statistic:.4f}, df = {result.df}, p = {result.pvalue:.4f}")
    Q = 7.5294, df = 2, p = 0.0232
    >>> print(f"{cochran_q(patterns, method='exact').pvalue:.4f}")
    0.0242
    """
    n_resamples = check_count("n_resamples", n_resamples)
    k, informative = patterns.n_classifiers, patterns.n_informative
    statistic = q_statistic(patterns.both_correct)
    flags: tuple[str, ...] = ()
    details: dict[str, float] = {"n_classifiers": k, "n_informative": informative}
    df, method_text = k - 1 if method == "asymptotic" else None, str(method)
    if informative == 0:
        tail, flags = (1.0, 0.0), ("degenerate",)
    elif method == "asymptotic":
        tail = chi2_pvalue(statistic, k - 1)
        few = informative < FEW_RECORDS or informative * k < FEW_PREDICTIONS
        flags = ("few-informative-records",) if few else ()
    elif method == "exact":
        tail = _exact_tail(patterns)
    else:
        tail = _drawn_tail(patterns, n_resamples, check_random_state(random_state))
        spread = math.sqrt(tail[0] * (1 - tail[0]) / (1 + n_resamples))
        details["monte_carlo_error"] = spread
        method_text = f"permutation, monte-carlo, {n_resamples} resamples"
    if informative and _true_level(patterns) > MOST:
        flags = (*flags, "not-exchangeable")
    accuracies, names = patterns.accuracies, patterns.names
    worst, best = int(np.argmin(accuracies)), int(np.argmax(accuracies))
    return tested_result(
        (statistic, tail, flags),
        df=df,
        estimate=float(accuracies[best] - accuracies[worst]),
        estimate_name="range of accuracies",
        method=method_text,
        details=details,
        parts=_accuracy_parts(patterns),
        remark=(
            f"accuracies from {accuracies[worst]:.4f} ({names[worst]}) to "
            f"{accuracies[best]:.4f} ({names[best]})"
        ),
    )


def q_statistic(both_correct: IntArray) -> float:
    """Compute Q from the counts of records that each pair has correct; 0 if undefined.

    The squares of the numbers of correct predictions of each record, which Q has in its
    denominator, add up to the sum of these counts.
    """
    k = len(both_correct)
    correct = [int(count) for count in np.diagonal(both_correct)]
    total = sum(correct)
    numerator = (k - 1) * (k * sum(count**2 for count in correct) - total**2)
    denominator = k * total - int(both_correct.sum())
    return numerator / denominator if denominator else 0.0


def _true_level(patterns: CorrectnessPatterns) -> float:
    """Estimated type I error of Q at the asymptotic 5 % quantile.

    Box's epsilon is the share of degrees of freedom that are left; by Huynh and Feldt's
    estimate, because few records make eigenvalues unequal by chance.
    """
    df, informative = patterns.n_classifiers - 1, patterns.n_informative
    accuracies = patterns.accuracies
    covariance = patterns.both_correct / patterns.n - np.outer(accuracies, accuracies)
    centre = np.eye(df + 1) - 1 / (df + 1)
    weights = np.linalg.eigvalsh(centre @ covariance @ centre)
    if weights[-1] <= ROUNDING:
        return LEVEL  # each classifier is correct on all records, or on none
    epsilon = float(weights.sum() ** 2 / (df * (weights @ weights)))
    below = df * (informative - 1 - df * epsilon)
    if below <= 0:
        return LEVEL
    epsilon = min(1.0, max(epsilon, (informative * df * epsilon - 2) / below))
    return float(chdtrc(df * epsilon, chdtri(df, LEVEL) * epsilon))


def _accuracy_parts(patterns: CorrectnessPatterns) -> tuple[dict[str, Any], ...]:
    """Accuracy of each classifier with Wilson's limits."""
    n, share = patterns.n, patterns.accuracies
    z = -float(ndtri(0.025))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # Exactly 0 and 1, without rounding.
    low = np.where(share == 0, 0.0, centre - half)
    high = np.where(share == 1, 1.0, centre + half)
    columns = (patterns.names, share.tolist(), low.tolist(), high.tolist())
    return tuple(
        {"name": name, "accuracy": accuracy, "low": lowest, "high": highest}
        for name, accuracy, lowest, highest in zip(*columns, strict=True)
    )


def _exact_tail(patterns: CorrectnessPatterns) -> tuple[float, float]:
    """Exact p-value and its logarithm."""
    totals = patterns.row_totals
    k = patterns.n_classifiers
    if k == 2:
        table = patterns.contingency_table(0, 1)
        favour, discordant = int(table.only_challenger), int(table.n_discordant)
        return binomial_pvalue(favour, discordant, "two-sided", mid=False)
    # Records with many possible sets of correct classifiers come first, while the array is
    # small.
    by_sets = sorted(range(1, k), key=lambda count: -math.comb(k, count))
    n_correct = [count for count in by_sets for _ in range(totals[count])]
    _check_feasible(k, n_correct)
    least = int(((patterns.n_correct - totals[k]) ** 2).sum())
    # Probabilities below the smallest double are lost, which matters only if p is as small.
    pvalue = float(_distribution(k, n_correct, least, log=False).sum())
    if pvalue > TRUSTED:
        return min(1.0, pvalue), min(0.0, math.log(pvalue))
    log_pvalue = float(logsumexp(_distribution(k, n_correct, least, log=True)))
    return max(SMALLEST, math.exp(log_pvalue)), log_pvalue


def _check_feasible(k: int, n_correct: list[int]) -> None:
    states = (len(n_correct) + 1) ** (k - 1)
    sums = sum(
        math.comb(k, count) * (i + 1) ** (k - 1) for i, count in enumerate(n_correct)
    )
    if states > MOST_STATES or sums > MOST_SUMS:
        raise ValueError(
            f"method='exact' would take too long: {len(n_correct)} records that {k} "
            "classifiers disagree on. Use method='permutation', which draws from the same "
            "distribution, or 'asymptotic'."
        )


def _distribution(k: int, n_correct: list[int], least: int, *, log: bool) -> FloatArray:
    """Probabilities of counts of correct predictions with squares summing to >= `least`.

    Each record adds 1 to the counts of a random set of classifiers of its size [3]_. The
    array has an axis for each classifier but the last, whose count follows from the others.
    """
    nothing = -math.inf if log else 0.0
    add = np.logaddexp if log else np.add
    weights = np.full((1,) * (k - 1), 0.0 if log else 1.0)
    for i, subset_size in enumerate(n_correct):
        extended = np.full((i + 2,) * (k - 1), nothing)
        for subset in combinations(range(k), subset_size):
            part = tuple(
                slice(1, None) if axis in subset else slice(None, -1)
                for axis in range(k - 1)
            )
            add(extended[part], weights, out=extended[part])
        sets = math.comb(k, subset_size)
        weights = extended - math.log(sets) if log else extended / sets
    counts = np.ix_(*[np.arange(len(n_correct) + 1)] * (k - 1))
    last = np.asarray(sum(n_correct) - sum(counts))
    squares = np.asarray(last**2 + sum(count**2 for count in counts))
    return weights[squares >= least]


def _drawn_tail(
    patterns: CorrectnessPatterns, n_resamples: int, rng: Any
) -> tuple[float, float]:
    """Monte Carlo p-value by exchanges within records, and its logarithm."""
    totals, k = patterns.row_totals, patterns.n_classifiers
    # Records that all predict correctly do not change; whole numbers have no rounding.
    least = int(((patterns.n_correct - totals[k]) ** 2).sum())
    batch = max(1, AT_ONCE // k)
    extreme = 0
    for size in blocks_of(n_resamples, batch):
        counts = drawn_counts(totals, size, rng)
        extreme += int(np.count_nonzero((counts**2).sum(axis=0) >= least))
    pvalue = (1 + extreme) / (n_resamples + 1)
    return pvalue, math.log(pvalue)


def drawn_counts(totals: IntArray, n_draws: int, rng: Any) -> IntArray:
    """Draw numbers of correct predictions of each classifier, exchanged within records.

    Classifier after classifier, given the number of correct predictions that each record
    has left for the following classifiers. Records with the same number left are identical,
    so that a draw takes a binomial number for each such group and not one for each record.

    Returns
    -------
    counts : ndarray of shape (n_classifiers, n_draws)
        Without the records that all predict correctly.
    """
    k = len(totals) - 1
    counts = np.empty((k, n_draws), dtype=np.int64)
    # Row r holds the records with r correct predictions left.
    left = np.zeros((k + 1, n_draws), dtype=np.int64)
    left[1:k] = np.asarray(totals)[1:k, np.newaxis]
    for i in range(k):
        n_left = k - i
        correct = left.copy()
        share = np.arange(1, n_left)[:, np.newaxis] / n_left
        correct[1:n_left] = rng.binomial(left[1:n_left], share)
        counts[i] = correct[1 : n_left + 1].sum(axis=0)
        left -= correct
        left[:-1] += correct[1:]
        left[0] = 0
    return counts


@paired_test(
    title="Score test of several precisions",
    kind="omnibus",
    measures=("precision", "recall", "specificity", "negative_predictive_value"),
    designs=("holdout", "grouped holdout"),
    references=("Leisenring2000", "Liang1986"),
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

    The null hypothesis is that predictions of the class are correct equally often for every
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
    tested, rank = _joint_test(fit, defined, method)
    shares = fit.raw.shares[defined]
    spread = float(shares.max() - shares.min()) if len(defined) else math.nan
    position = 0 if reference is None else sums.names.index(reference)
    return tested_result(
        tested,
        df=rank,
        estimate=0.0 if _all_alike(fit.raw) else spread,
        estimate_name=f"greatest difference of {SCORE_TEXT[score]}",
        method=method,
        flags=fit.caveats,
        details={"n_clusters": fit.n_clusters},
        parts=_parts(fit, sums.names, position),
        remark=class_text(fit.label),
    )


def _joint_test(fit: ClassFit, defined: Any, method: str) -> tuple[Tested, int]:
    """Test the joint hypothesis, and return the degrees of freedom."""
    if _all_alike(fit.raw):
        return chi2_tested(0.0, 0), 0
    if len(defined) < 2:
        return (math.nan, UNDEFINED, ()), 0
    moments = fit.raw.chosen(defined)
    if _all_alike(moments):
        return chi2_tested(0.0, 0), 0
    slopes = [Fraction(1)] * len(defined)
    hits, rows = moments.hits.tolist(), moments.rows.tolist()
    values = [Fraction(hit, n) for hit, n in zip(hits, rows, strict=True)]
    at = list(values)
    if method == "score":
        at = [Fraction(sum(hits), sum(rows))] * len(defined)
    elif any(share in (0, 1) for share in values):
        return (math.nan, UNDEFINED, (BOUNDARY,)), 0
    else:
        slopes = [1 / (share * (1 - share)) for share in values]
        values = [Fraction(value) for value in link_values(moments, "logit")[0].tolist()]
    covariance = _exact_covariance(moments, at, slopes)
    return exact_chi2(covariance, values)


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


def _all_alike(moments: ClassMoments) -> bool:
    """Whether all classifiers have the same rows and hits in every cluster."""
    return all(
        bool((part == part.flat[0]).all()) for part in (moments.rr, moments.rh, moments.hh)
    )


def _parts(fit: ClassFit, names: Sequence[str], at: int) -> tuple[dict[str, Any], ...]:
    """Results by classifier, with odds ratios to the reference."""
    pairs = fit.raw.chosen([(at, i) for i in range(len(names))])
    tests = ClassTests(pairs, "wald", n_clusters=[fit.n_clusters] * len(names))
    is_ratio = np.isfinite(tests.estimate) & (tests.estimate > 0)
    ratios = np.where(is_ratio, tests.estimate, math.nan).tolist()
    limits = tests.limits(critical_value(CONFIDENCE, "two-sided"), "two-sided")
    # Also where the reference has no predictions.
    ratios[at], limits[at] = 1.0, (1.0, 1.0)
    return tuple(
        {
            "name": name,
            "share": float(fit.raw.shares[i]),
            "predictions": int(fit.raw.rows[i]),
            "hits": int(fit.raw.hits[i]),
            "odds_ratio": ratios[i],
            "low": limits[i][0],
            "high": limits[i][1],
            "confidence_level": CONFIDENCE,
        }
        for i, name in enumerate(names)
    )
