"""Tests of equal precision of two classifiers across all classes."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr
from sklearn.utils import check_random_state

from skcompare._core.validation import check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ClassMoments, ClassScore, JointCounts, sums_of
from skcompare.stats.core._adjust import Adjustment, adjust_pvalues
from skcompare.stats.core._limits import chi2_tested
from skcompare.stats.core._result import UNDEFINED, PairedResult, result_of
from skcompare.stats.core._tails import blocks_of
from skcompare.stats.core._target_class import FEW_INFORMATIVE, NO_PREDICTIONS, SCORE_TEXT
from skcompare.stats.precision._combine_pvalues import (
    CombinedPvalue,
    lancaster_correlated,
    simes,
)
from skcompare.stats.precision._precision_classes import LEFT_OUT, class_test
from skcompare.stats.precision._precision_statistics import (
    CLASS_TESTS,
    class_significance,
    share_contrast,
)
from skcompare.stats.scores._permutation import Exchange

RANK_TOLERANCE = 1e-9
"""Eigenvalues of the correlation matrix below this share of the largest one are 0."""

CONSISTENT = 1e-6
"""Share of the standardised differences without variance that counts as rounding."""

FEW_PREDICTIONS = "few-predictions-of-a-class"


class AllClasses:
    """Tests of every class of two classifiers, and their combined results.

    Attributes
    ----------
    moments : ClassMoments
    significance : Significance
        Tests of each class.
    known : ndarray of shape (n_classes,)
        Whether both classifiers have a prediction that counts.
    alike : ndarray of shape (n_classes,)
        Whether both have the same predictions.
    """

    def __init__(self, counts: JointCounts, score: str, test: str, adjust: str) -> None:
        self.counts, self.score, self.adjust = counts, score, adjust
        self.rows = counts.class_rows()
        self.test = test = class_test(test, self.rows)
        self.moments = self.rows.moments(score)
        self.significance = class_significance(self.moments, test, "two-sided")
        self.known, self.alike = self.significance.known, self.significance.alike

    def covariance(self) -> FloatArray:
        """Covariance of the effects of the classes, on the scale of the test.

        Under the null hypothesis the scale of the score tests is that of the difference.
        """
        shares = self.moments.shares
        slopes = np.ones_like(shares)
        if self.test in ("wald", "relative"):
            variances = shares * (1 - shares) if self.test == "wald" else shares
            slopes = np.where(variances > 0, 1 / np.where(variances > 0, variances, 1), 0.0)
        slopes = np.where(self.known[:, np.newaxis], slopes, 0.0)
        covariance = self.rows.influence_covariance(self.score, slopes * (-1.0, 1.0))
        # Exactly 0 where nothing varies, without rounding.
        varies = share_contrast(self.moments).variance > 0
        return np.where(varies[:, np.newaxis] & varies, covariance, 0.0)

    def correlation(self) -> FloatArray:
        """Correlation of the statistics of the classes under the null hypothesis."""
        covariance = self.covariance()
        deviations = np.sqrt(covariance.diagonal())
        deviations = np.where(deviations > 0, deviations, np.inf)
        correlation = covariance / deviations[:, np.newaxis] / deviations
        correlation = np.clip((correlation + correlation.T) / 2, -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        return np.asarray(correlation)

    def combined(
        self, combined: CombinedPvalue, details: Mapping[str, float] | None = None
    ) -> PairedResult:
        """Return the result of a combination of p-values."""
        without_result = self.significance.degenerate | ~self.known
        # Classes without predictions are counted in the details.
        undefined = np.isnan(self.significance.pvalue) & self.known
        flags = combined.flags if undefined.any() else ()
        return self.result(
            combined.method,
            combined.statistic,
            (combined.pvalue, combined.log_pvalue),
            combined.df,
            ("degenerate",) * bool(without_result.all()) + flags,
            {**combined.details, **(details or {})},
        )

    def unknown(self, method: str) -> PairedResult:
        """Return the result if no class has predictions of both classifiers."""
        return self.result(method, math.nan, UNDEFINED, None, (NO_PREDICTIONS,))

    def result(
        self,
        method: str,
        statistic: float,
        tail: tuple[float, float],
        df: float | None,
        flags: tuple[str, ...] = (),
        details: Mapping[str, float] | None = None,
    ) -> PairedResult:
        """Return a result with all classes as its parts."""
        known = self.known
        sizes = np.abs(np.diff(self.moments.shares))[:, 0]
        if not known.all() and known.any():
            flags += (LEFT_OUT,)
        few = self.rows.informative_clusters(self.score) < FEW_INFORMATIVE
        if (few & known & ~self.alike).any():
            flags += (FEW_PREDICTIONS,)
        counts = {
            "n_classes": len(known),
            "n_left_out": int((~known).sum()),
            "n_alike": int((known & self.alike).sum()),
        }
        return result_of(
            statistic,
            tail,
            df=df,
            estimate=float(sizes[known].max()) if known.any() else math.nan,
            estimate_name=f"greatest difference of {SCORE_TEXT[self.score]}",
            method=method,
            flags=flags,
            details={**counts, **(details or {})},
            parts=self.parts(),
        )

    def parts(self) -> tuple[dict[str, Any], ...]:
        """Return a mapping for each class, in order of increasing p-value."""
        shares = self.moments.shares
        pvalue = self.significance.pvalue
        columns = {
            "label": self.rows.classes.tolist(),
            "n_champion": self.moments.rows[:, 0].tolist(),
            "n_challenger": self.moments.rows[:, 1].tolist(),
            "champion": _plain(shares[:, 0]),
            "challenger": _plain(shares[:, 1]),
            "difference": _plain(shares[:, 1] - shares[:, 0]),
            "pvalue": _plain(pvalue),
            "adjusted_pvalue": _plain(adjust_pvalues(pvalue.tolist(), self.adjust)),
        }
        rows = list(zip(*columns.values(), strict=True))
        order = np.argsort(np.nan_to_num(pvalue, nan=2.0), kind="stable")
        return tuple(dict(zip(columns, rows[i], strict=True)) for i in order)


def _plain(values: FloatArray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def quadratic_form(
    covariance: FloatArray, differences: FloatArray
) -> tuple[float, int, bool]:
    """Quadratic form in the inverse of a covariance matrix, with the rank of the matrix.

    Returns
    -------
    value : float
        Quadratic form of the part of the differences that has a variance.
    rank : int
        Number of eigenvalues of the correlation matrix that are not 0.
    consistent : bool
        Whether the other part of the differences is 0.
    """
    deviation = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    varies = deviation > 0
    fixed_zero = not (differences[~varies] != 0).any()
    if not varies.any():
        return 0.0, 0, fixed_zero
    varying = covariance[np.ix_(varies, varies)]
    deviation, differences = deviation[varies], differences[varies]
    standardised = differences / deviation
    correlation = varying / deviation[:, np.newaxis] / deviation
    values, vectors = np.linalg.eigh((correlation + correlation.T) / 2)
    parts = vectors.T @ standardised
    positive = values > RANK_TOLERANCE * values[-1]
    remainder = float(np.linalg.norm(parts[~positive]))
    consistent = remainder <= CONSISTENT * max(1.0, float(np.linalg.norm(standardised)))
    value = float((parts[positive] ** 2 / values[positive]).sum())
    return value, int(positive.sum()), fixed_zero and consistent


VALUES_AT_ONCE = 1 << 21
"""Largest number of values that are drawn at a time."""


def exchanged_pvalues(
    counts: JointCounts, score: str, test: str, n_draws: int, rng: np.random.RandomState
) -> FloatArray:
    """Two-sided p-values of all classes after random exchanges of predictions.

    Returns
    -------
    pvalues : ndarray of shape (n_draws, n_classes)
        1 where undefined.
    """
    parts = []
    for moments in exchanged_moments(counts, score, n_draws, rng):
        root = CLASS_TESTS[test](moments).root
        parts.append(np.where(np.isfinite(root), 2 * ndtr(-np.abs(root)), 1.0))
    return np.concatenate(parts)


def exchanged_moments(
    counts: JointCounts, score: str, n_draws: int, rng: np.random.RandomState
) -> Iterator[ClassMoments]:
    """Yield moments after random exchanges, with draws and classes along the first axes.

    The two predictions of each record are exchanged with probability 1/2, so that of the
    records of one true class with the same two predictions a binomial number is exchanged.
    Sums over both classifiers, and what both have in common, stay the same.
    """
    exchange, k = Exchange.from_counts(counts), counts.n_classes
    size = {"all": counts.n, "truth": sums_of(counts.cells[:, 0], counts.counts, k)}
    base = counts.class_rows().moments(score)
    truth, *predictions = exchange.cells.T
    incidence = [
        (_incidence(label, np.ones(len(label)), k), _incidence(label, label == truth, k))
        for label in predictions
    ]
    batch = max(1, VALUES_AT_ONCE // max(len(truth), 8 * k))
    for n_drawn in blocks_of(n_draws, batch):
        kept = rng.binomial(exchange.totals, 0.5, size=(n_drawn, len(exchange.totals)))
        drawn = exchange.counts_of(kept, np.int64)
        predicted, hits = (
            np.stack([drawn @ parts[i] for parts in incidence], -1) for i in (0, 1)
        )
        yield _moments(score, predicted, hits, size, base)


def _moments(
    score: str,
    predicted: IntArray,
    correct: IntArray,
    size: dict[str, Any],
    base: ClassMoments,
) -> ClassMoments:
    """Moments of each draw, with every record as a cluster."""
    truth = size["truth"][:, np.newaxis]
    of_class = score in ("precision", "recall")
    by_prediction = score in ("precision", "negative_predictive_value")
    counted = predicted if by_prediction else np.broadcast_to(truth, predicted.shape)
    rows = counted if of_class else size["all"] - counted
    hits = correct if of_class else size["all"] - predicted - truth + correct
    both = np.broadcast_to(base.hh[:, 0, 1], rows.shape[:-1])
    shared = np.broadcast_to(base.rr[:, 0, 1], rows.shape[:-1])
    # Where rows are by prediction, a row of both with a hit of one is a hit of both.
    crossed = (both, both) if by_prediction else (hits[..., 1], hits[..., 0])
    return ClassMoments(
        rows,
        hits,
        _square(rows[..., 0], rows[..., 1], shared, shared),
        _square(hits[..., 0], hits[..., 1], *crossed),
        _square(hits[..., 0], hits[..., 1], both, both),
    )


def _square(first: Any, second: Any, upper: Any, lower: Any) -> IntArray:
    rows = np.stack([first, upper], -1), np.stack([lower, second], -1)
    return np.stack(rows, -2)


def _incidence(label: IntArray, kept: Any, k: int) -> Any:
    """Incidence matrix of cells and their classes, 0 for cells that do not count."""
    values = np.asarray(kept).astype(np.int64)
    return csr_array((values, (np.arange(len(label)), label)), shape=(len(label), k))


MEASURE = "precision_by_class"
Method = Literal["influence", "permutation"]
SCALES = {
    "both scores": ("both scores", "joint both scores"),
    "difference": ("difference", "joint Wald, difference"),
    "log-odds": ("wald", "joint Wald, log-odds"),
}
"""Test of each class, and name of the joint test, by scale."""

UNDEFINED_ODDS = "undefined-odds"


@paired_test(
    title="Simes' test of the precisions of all classes",
    kind="combination",
    measures=MEASURE,
    references=("Simes1986", "Kosinski2013"),
    preferred=True,
)
def precision_simes(
    counts: JointCounts,
    *,
    score: ClassScore = "precision",
    test: str = "auto",
    adjust: Adjustment = "holm",
) -> PairedResult:
    """Do two classifiers differ in the precision of any class? The strongest class decides.

    The null hypothesis is that for each class both trained classifiers have the same
    precision, over new records. The p-values of all L classes are combined by Simes'
    method [1]_: the least of ``L p(i) / i``, which finds a difference of a few classes
    among many.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
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
        that with the smallest p first: `label`, predictions that count (`n_champion`,
        `n_challenger`), scores of `champion` and `challenger`, their `difference`, `pvalue`
        and `adjusted_pvalue`, None where undefined. `details` has the number of classes
        (`n_classes`), of those that a classifier never predicts (`n_left_out`), and of
        those with equal predictions of both (`n_alike`).

    Notes
    -----
    Simes' method is exact for independent p-values and not too small for positively
    dependent ones; two-sided p-values of normal statistics nearly always are, however the
    classes depend on each other.

    A class that a classifier never predicts has no p-value and counts as p = 1, so that it
    weakens no correction; `details` has their number. Where nothing differs and nothing
    varies, as for equal predictions, p is 1, flagged "degenerate".

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
    >>> def predict(accuracy):
    ...     return np.where(rng.random(800) < accuracy, y, rng.integers(4, size=800))
    >>> counts = JointCounts.from_predictions(y, predict(0.6), predict(0.7))
    >>> result = precision_simes(counts)
    >>> print(f"p = {result.pvalue:.4f}, most of class {result.parts[0]['label']}")
    p = 0.0004, most of class 3
    """
    classes = AllClasses(counts, score, test, adjust)
    if not classes.known.any():
        return classes.unknown("Simes")
    return classes.combined(simes(classes.significance.pvalue.tolist()))


@paired_test(
    title="Lancaster's test of the precisions of all classes",
    kind="combination",
    measures=MEASURE,
    references=("Lancaster1961", "Dai2014", "Kosinski2013"),
)
def precision_lancaster(
    counts: JointCounts,
    *,
    score: ClassScore = "precision",
    test: str = "auto",
    method: Method = "influence",
    adjust: Adjustment = "holm",
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
        Records by true class and both predictions, from a hold-out set.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of each class against the rest.
    test : {"auto", "both scores", "weighted score", "score", "wald", "difference", \
"relative"}, default="auto"
        The test of each class [3]_, as of :func:`precision_by_class`.
    method : {"influence", "permutation"}, default="influence"
        How the covariance of the p-values is computed. "influence" takes the correlations
        of the classes' statistics from the influence of each record on them; "permutation"
        exchanges the two predictions of records at random, which makes the classifiers
        equal, and computes the p-values of all classes again.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How the p-values of the classes in `parts` are adjusted.
    n_resamples : int, default=2000
        Random exchanges for "permutation"; 1,000 or more are advised.
    random_state : int, RandomState instance or None, default=0
        Seed of these exchanges.

    Returns
    -------
    result : PairedResult
        `statistic` is the scaled sum, chi-squared with `df` degrees of freedom. `estimate`
        and `parts` are those of :func:`precision_simes`. `details` has also the `sum`, its
        `variance` under the null hypothesis and the `scale`.

    Notes
    -----
    Each class has weight 2, as in Fisher's method. A class that a classifier never predicts
    is left out, and so is a class with equal predictions of both, which has no information;
    `details` counts both. Where no class is left p is 1, flagged "degenerate".

    A class whose p-value is undefined for another reason, or which does not vary because
    all its predictions are correct, counts as p = 1.

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
    >>> def predict(accuracy):
    ...     return np.where(rng.random(800) < accuracy, y, rng.integers(4, size=800))
    >>> counts = JointCounts.from_predictions(y, predict(0.6), predict(0.7))
    >>> result = precision_lancaster(counts)
    >>> print(f"{result.statistic:.2f}, df {result.df:.2f}, p = {result.pvalue:.5f}")
    37.56, df 7.67, p = 0.00001
    """
    n_resamples = check_count("n_resamples", n_resamples, least=2)
    rng = check_random_state(random_state)
    classes = AllClasses(counts, score, test, adjust)
    if not classes.known.any():
        return classes.unknown("Lancaster")
    kept = classes.known & ~classes.alike
    if not kept.any():
        return classes.combined(CombinedPvalue(0.0, 1.0, 0.0, 0.0, "Lancaster", 0))
    pvalues = classes.significance.pvalue[kept].tolist()
    if method == "influence":
        correlation = classes.correlation()[np.ix_(kept, kept)]
        return classes.combined(lancaster_correlated(pvalues, correlation=correlation))
    draws = exchanged_pvalues(counts, score, classes.test, n_resamples, rng)[:, kept]
    combined = lancaster_correlated(pvalues, null_draws=draws)
    return classes.combined(combined, {"resamples": float(n_resamples)})


@paired_test(
    title="Joint test of the precisions of all classes",
    kind="omnibus",
    measures=MEASURE,
    references=("Leisenring2000", "Kosinski2013"),
)
def precision_joint(
    counts: JointCounts,
    *,
    score: ClassScore = "precision",
    scale: Literal["both scores", "difference", "log-odds"] = "both scores",
    adjust: Adjustment = "holm",
) -> PairedResult:
    """Do two classifiers differ in the precision of any class? All are tested jointly.

    The null hypothesis is that for each class both trained classifiers have the same
    precision, over new records. The statistic is the quadratic form of the differences of
    all classes with their joint covariance, in which a record counts for every class that
    is its prediction [1]_ [2]_; under the null hypothesis it is chi-squared with the rank
    of the covariance. By default the variance of a class is at least that of both score
    tests of it, which small classes need.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
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
    A class that a classifier never predicts is left out, and so is one whose log odds are
    undefined; `details` has their number. Classes whose differences depend on others add
    nothing: the covariance is inverted where its correlation matrix has eigenvalues above
    1e-9 of the largest one, and their number is `df`. Where all predictions are equal the
    statistic is 0 and p is 1, flagged "degenerate". If a combination of the differences is
    not 0 but cannot vary, as for a class that one classifier predicts once, correctly, and
    the other once, incorrectly, the Wald statistics are infinite and p undefined, flagged
    "zero-variance"; "both scores" has a variance for each class that differs.

    The two Wald tests need records: "difference" rejects equal precisions too often where
    classes are small, and far too often where one classifier also predicts them less often
    than the other, and "log-odds" where hardly a prediction is incorrect and nearly all
    predictions of one classifier are among those of the other. "both scores" has a
    statistic of at most that of "difference", and rejects too rarely where records are few
    (``benchmarks/validity/precision/precision_global.py``).

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
    >>> def predict(accuracy):
    ...     return np.where(rng.random(800) < accuracy, y, rng.integers(4, size=800))
    >>> counts = JointCounts.from_predictions(y, predict(0.6), predict(0.7))
    >>> result = precision_joint(counts)
    >>> print(f"{result.statistic:.2f}, df {result.df}, p = {result.pvalue:.5f}")
    23.66, df 4, p = 0.00009
    """
    test, method = SCALES[scale]
    classes = AllClasses(counts, score, test, adjust)
    if not classes.known.any():
        return classes.unknown(method)
    contrast = classes.significance.contrast
    defined = classes.known & np.isfinite(contrast.estimate)
    flags = () if (defined == classes.known).all() else (UNDEFINED_ODDS,)
    if not defined.any():
        return classes.result(method, math.nan, UNDEFINED, None, flags)
    covariance = classes.covariance()
    if scale == "both scores":
        # A larger variance of a class makes every quadratic form smaller.
        diagonal = np.maximum(covariance.diagonal(), contrast.variance)
        np.fill_diagonal(covariance, diagonal)
    value, rank, consistent = quadratic_form(
        covariance[np.ix_(defined, defined)], contrast.estimate[defined]
    )
    details = {"n_undefined": int((classes.known & ~defined).sum())}
    infinite = not consistent and scale != "both scores"
    statistic, tail, own = chi2_tested(math.inf if infinite else value, rank)
    return classes.result(method, statistic, tail, rank, (*own, *flags), details)
