"""One answer for all classes: do two classifiers differ in the precision of any?"""

import math
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skcompare._core.validation import check_choice, check_count
from skcompare._registry.tests import paired_test
from skcompare.evidence import JointCounts
from skcompare.stats._combine_pvalues import CombinedPvalue, lancaster_correlated, simes
from skcompare.stats._precision_all_classes import AllClasses, quadratic_form
from skcompare.stats._precision_exchange import exchanged_pvalues
from skcompare.stats._result import PairedResult
from skcompare.stats._score_difference import ZERO_VARIANCE
from skcompare.stats._tails import chi2_pvalue

MEASURE = "precision_by_class"
METHODS = ("influence", "permutation")
SCALES = {
    "both scores": ("both scores", "joint both scores"),
    "difference": ("difference", "joint Wald, difference"),
    "log-odds": ("wald", "joint Wald, log-odds"),
}
"""The test of each class, and what the joint one is called."""

UNDEFINED_ODDS = "undefined-odds"


@paired_test(
    "precision_simes",
    title="Simes' test of the precisions of all classes",
    needs=JointCounts,
    kind="combination",
    measures=MEASURE,
    designs=("holdout",),
    references=("Simes1986", "Kosinski2013"),
    preferred=True,
)
def precision_simes(
    counts: JointCounts,
    *,
    score: str = "precision",
    test: str = "auto",
    adjust: str = "holm",
) -> PairedResult:
    """Do two classifiers differ in the precision of any class? The strongest class decides.

    The null hypothesis is that for each class both trained classifiers have the same
    precision, over new records. The p-values of all L classes are combined by Simes'
    method [1]_: the least of ``L p(i) / i``, which finds a difference of a few classes
    among many.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and the two answers, from a hold-out set.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of each class against the rest.
    test : {"auto", "both scores", "weighted score", "score", "wald", "difference", \
"relative"}, default="auto"
        The test of each class [2]_, as of :func:`precision_by_class`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of the classes in `parts` are adjusted.

    Returns
    -------
    result : PairedResult
        `statistic` is the combined p-value. `estimate` is the greatest difference of a
        class, without its sign; it has no interval. `parts` has a mapping for each class,
        that with the smallest p first: `label`, answers that count (`n_champion`,
        `n_challenger`), scores of `champion` and `challenger`, their `difference`,
        `pvalue` and `adjusted_pvalue`, None where undefined. `details` has the number of
        classes (`n_classes`), of those that a classifier never gives (`n_left_out`), and of
        those of which all answers are alike (`n_alike`).

    Notes
    -----
    Simes' method is exact for independent p-values and not too small for positively
    dependent ones; two-sided p-values of normal statistics nearly always are, however the
    classes depend on each other.

    A class that a classifier never gives has no p-value and counts as p = 1, so that it
    weakens no correction; `details` says how many there are. Where nothing differs and
    nothing varies, as for equal answers, p is 1, flagged "degenerate".

    References
    ----------
    .. [1] Simes, R. J. (1986). "An improved Bonferroni procedure for multiple tests of
       significance." Biometrika 73(3), 751-754.
    .. [2] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison of
       predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_simes
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=800)
    >>> def answers(accuracy):
    ...     return np.where(rng.random(800) < accuracy, y, rng.integers(4, size=800))
    >>> counts = JointCounts.from_predictions(y, answers(0.6), answers(0.7))
    >>> result = precision_simes(counts)
    >>> print(f"p = {result.pvalue:.4f}, most of class {result.parts[0]['label']}")
    p = 0.0004, most of class 3

    .. versionadded:: 0.1
    """
    classes = AllClasses(counts, score, test, adjust)
    if not classes.known.any():
        return classes.unknown("Simes")
    return classes.combined(simes(classes.found.pvalue.tolist()))


@paired_test(
    "precision_lancaster",
    title="Lancaster's test of the precisions of all classes",
    needs=JointCounts,
    kind="combination",
    measures=MEASURE,
    designs=("holdout",),
    references=("Lancaster1961", "Dai2014", "Kosinski2013"),
)
def precision_lancaster(
    counts: JointCounts,
    *,
    score: str = "precision",
    test: str = "auto",
    method: str = "influence",
    adjust: str = "holm",
    n_resamples: int = 2000,
    random_state: Any = 0,
) -> PairedResult:
    """Do two classifiers differ in the precision of any class? All classes add up.

    The null hypothesis is that for each class both trained classifiers have the same
    precision, over new records. The p-values of all classes are combined by the sum of
    Lancaster [1]_ with the correction of Dai, Leeder and Cui for correlated tests [2]_,
    which finds small differences of many classes.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and the two answers, from a hold-out set.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of each class against the rest.
    test : {"auto", "both scores", "weighted score", "score", "wald", "difference", \
"relative"}, default="auto"
        The test of each class [3]_, as of :func:`precision_by_class`.
    method : {"influence", "permutation"}, default="influence"
        How the covariance of the p-values is found. "influence" takes the correlations of
        the classes' statistics from what each record adds to each of them; "permutation"
        exchanges the two answers to records at random, which makes the classifiers equal,
        and computes the p-values of all classes anew.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of the classes in `parts` are adjusted.
    n_resamples : int, default=2000
        Random exchanges for "permutation"; 1,000 or more are advised.
    random_state : int, RandomState instance or None, default=0
        Makes these exchanges.

    Returns
    -------
    result : PairedResult
        `statistic` is the scaled sum, chi-squared with `df` degrees of freedom. `estimate`
        and `parts` are those of :func:`precision_simes`. `details` has also the `sum`, its
        `variance` under the null hypothesis and the `scale`.

    Notes
    -----
    Each class has weight 2, as in Fisher's method. A class that a classifier never gives is
    left out, and so is a class of which all answers are alike, for which nothing can be
    found out; `details` counts both. Where no class is left p is 1, flagged "degenerate".

    A class whose p-value is undefined for another reason, or which does not vary because
    all its answers are right, counts as p = 1.

    References
    ----------
    .. [1] Lancaster, H. O. (1961). "The combination of probabilities: an application of
       orthonormal functions." Australian Journal of Statistics 3(1), 20-33.
    .. [2] Dai, H., Leeder, J. S. and Cui, Y. (2014). "A modified generalized Fisher method
       for combining probabilities from dependent tests." Frontiers in Genetics 5, 32.
    .. [3] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison of
       predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_lancaster
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=800)
    >>> def answers(accuracy):
    ...     return np.where(rng.random(800) < accuracy, y, rng.integers(4, size=800))
    >>> counts = JointCounts.from_predictions(y, answers(0.6), answers(0.7))
    >>> result = precision_lancaster(counts)
    >>> print(f"{result.statistic:.2f}, df {result.df:.2f}, p = {result.pvalue:.5f}")
    37.56, df 7.67, p = 0.00001

    .. versionadded:: 0.1
    """
    check_choice("method", method, METHODS)
    n_resamples = check_count("n_resamples", n_resamples, least=2)
    rng = check_random_state(random_state)
    classes = AllClasses(counts, score, test, adjust)
    if not classes.known.any():
        return classes.unknown("Lancaster")
    kept = classes.known & ~classes.alike
    if not kept.any():
        return classes.combined(CombinedPvalue(0.0, 1.0, 0.0, 0.0, "Lancaster", 0))
    pvalues = classes.found.pvalue[kept].tolist()
    if method == "influence":
        correlation = classes.correlation()[np.ix_(kept, kept)]
        return classes.combined(lancaster_correlated(pvalues, correlation=correlation))
    draws = exchanged_pvalues(counts, score, classes.test, n_resamples, rng)[:, kept]
    combined = lancaster_correlated(pvalues, null_draws=draws)
    return classes.combined(combined, {"resamples": float(n_resamples)})


@paired_test(
    "precision_joint",
    title="Joint test of the precisions of all classes",
    needs=JointCounts,
    kind="omnibus",
    measures=MEASURE,
    designs=("holdout",),
    references=("Leisenring2000", "Kosinski2013"),
)
def precision_joint(
    counts: JointCounts,
    *,
    score: str = "precision",
    scale: str = "both scores",
    adjust: str = "holm",
) -> PairedResult:
    """Do two classifiers differ in the precision of any class? All are tested jointly.

    The null hypothesis is that for each class both trained classifiers have the same
    precision, over new records. The statistic is the quadratic form of the differences of
    all classes with their joint covariance, in which a record counts for every class that
    is its answer [1]_ [2]_; under the null hypothesis it is chi-squared with the rank of
    the covariance. By default the variance of a class is at least that of both score tests
    of it, which small classes need.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and the two answers, from a hold-out set.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of each class against the rest.
    scale : {"both scores", "difference", "log-odds"}, default="both scores"
        "difference" is Wald's test of the differences and "log-odds" that of the log odds
        of a marginal logistic model, which do not exist for a score of 0 or 1. "both
        scores" compares the differences too, with the larger variance of each class: of
        "difference", or of :func:`precision_both_scores`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of the classes in `parts` are adjusted.

    Returns
    -------
    result : PairedResult
        `statistic` is chi-squared with `df` degrees of freedom. `estimate` is the greatest
        difference of a class, without its sign; it has no interval. `parts` is as of
        :func:`precision_simes`, with the test of each class that `scale` names: both score
        tests, or Wald's test of the difference or of the log odds.

    Notes
    -----
    A class that a classifier never gives is left out, and so is one whose log odds are
    undefined; `details` has their number. Classes whose differences depend on others add
    nothing: the covariance is inverted where its correlation matrix has eigenvalues above
    1e-9 of the largest one, and their number is `df`. Where all answers are alike the
    statistic is 0 and p is 1, flagged "degenerate". If a combination of the differences is
    not 0 but cannot vary, as for a class that is right once for one classifier and wrong
    once for the other, the Wald statistics are infinite and p undefined, flagged
    "zero-variance"; "both scores" has a variance for each class that differs.

    The two Wald tests need records: "difference" rejects equal precisions too often where
    classes are small, and far too often where one classifier also gives them less often
    than the other, and "log-odds" where hardly an answer is wrong and one classifier's
    answers are nearly all among the other's. "both scores" has a statistic of at most that
    of "difference", and rejects too rarely where records are few
    (``benchmarks/validity/precision_global.py``).

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison of
       predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_joint
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=800)
    >>> def answers(accuracy):
    ...     return np.where(rng.random(800) < accuracy, y, rng.integers(4, size=800))
    >>> counts = JointCounts.from_predictions(y, answers(0.6), answers(0.7))
    >>> result = precision_joint(counts)
    >>> print(f"{result.statistic:.2f}, df {result.df}, p = {result.pvalue:.5f}")
    23.66, df 4, p = 0.00009

    .. versionadded:: 0.1
    """
    check_choice("scale", scale, tuple(SCALES))
    test, method = SCALES[scale]
    classes = AllClasses(counts, score, test, adjust)
    if not classes.known.any():
        return classes.unknown(method)
    contrast = classes.found.contrast
    defined = classes.known & np.isfinite(contrast.estimate)
    flags = () if (defined == classes.known).all() else (UNDEFINED_ODDS,)
    if not defined.any():
        return classes.result(method, math.nan, (math.nan, math.nan), None, flags)
    covariance = classes.covariance()
    if scale == "both scores":
        # More variance of a class makes every quadratic form smaller.
        own = np.maximum(covariance.diagonal(), contrast.variance)
        np.fill_diagonal(covariance, own)
    value, rank, consistent = quadratic_form(
        covariance[np.ix_(defined, defined)], contrast.estimate[defined]
    )
    details = {"n_undefined": int((classes.known & ~defined).sum())}
    if not consistent and scale != "both scores":
        flags = (ZERO_VARIANCE, *flags)
        tail = (math.nan, math.nan)
        return classes.result(method, math.inf, tail, rank, flags, details)
    if rank == 0:
        flags = ("degenerate", *flags)
    return classes.result(method, value, chi2_pvalue(value, rank), rank, flags, details)
