"""Bootstrap and jackknife of the difference of any score, and influences of the records."""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.utils import check_random_state

from skcompare._core.arrays import slices_of
from skcompare._core.validation import alpha_of, check_count, check_switches
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import (
    NumberScore,
    RecordMean,
    RootErrors,
    ScoredPair,
    degrees_of_freedom,
)
from skcompare.stats.core._limits import (
    Limits,
    Pair,
    Wald,
    fixed_limits,
    no_critical,
    normal_critical,
    score_range,
    studentised,
)
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import (
    UNDEFINED,
    PairedResult,
    Tested,
    few_groups,
    tested_result,
)
from skcompare.stats.core._tails import (
    blocks_of,
    each_tail,
    student_pvalue,
    student_quantile,
)
from skcompare.stats.scores._confusion_scores import COUNT_SCORES, CellScores, CountScore

CHUNK = 1 << 19
"""Largest number of weights in memory at a time."""

BLOCK = 1 << 14
"""Number of units to draw at a time, so that their counts stay in the first cache."""

RESAMPLES = (9999, 999, 199, 99)
"""Default numbers of resamples, decreasing with the number of records."""

QUICK = (50_000, 500_000, 5_000_000)
STUDENTISED = (2000, 20_000, 100_000)
LOOPED = (0, 10_000, 100_000)
"""Most records for each number but the last, so that a test takes about 20 seconds."""

PARTS, MANY_PARTS = 50, 200
"""Numbers of parts to leave out, one at a time, for a score without derivatives."""

WHOLE = 2000
"""Largest number of units to leave out one by one in a jackknife test."""

FEW_DIFFERENT = 25
"""Number of records with different predictions below which tests are flagged."""

MOST_PARTED = 10_000
"""Number of records above which there are fewer parts."""


def default_resamples(pair: ScoredPair, studentised: bool = False) -> int:
    """Default number of resamples for a score."""
    limits = LOOPED if pair.score.looped else STUDENTISED if studentised else QUICK
    return RESAMPLES[bisect_left(limits, pair.n)]


def generator(random_state: Any) -> np.random.Generator:
    """Return a fast random number generator, seeded like scikit-learn's."""
    seed = check_random_state(random_state).randint(2**32, size=4, dtype=np.uint32)
    return np.random.default_rng(seed)


def most_weighed(n: int) -> int:
    """Largest number of resamples of `n` records whose weights fit into memory."""
    return max(1, CHUNK // max(1, n))


Scored = ScoredPair | RootErrors
"""Predictions with a score, or sums over the records for one."""


def check_scored(pair: Scored) -> tuple[float, float]:
    """Return both scores; raise an error if undefined, or for fewer than two groups."""
    if pair.groups is not None and pair.n_units < 2:
        raise ValueError(
            "Resampling whole groups needs at least 2 of them. Got 1 group. One group "
            "says nothing about new ones: collect more, or leave `groups` out if the "
            "records are independent after all."
        )
    values = pair.values
    if not np.isfinite(values).all():
        text = pair.why_undefined.rstrip(".")
        reason = f"Reason: {text}." if text else "It may need a class that is not there."
        raise ValueError(
            f"The score {pair.score.name!r} must be a finite number for both models. "
            f"Got {values[0]} and {values[1]}. {reason} Choose another score, or a "
            "hold-out set that it is defined for."
        )
    return values


def difference_of(pair: Scored) -> tuple[tuple[float, float], float, float]:
    """Return both scores, their difference, and what counts as rounding error of it."""
    values = check_scored(pair)
    rounding = rounding_of(pair, *values)
    difference = pair.sign * (values[1] - values[0])
    return values, 0.0 if abs(difference) <= rounding else difference, rounding


def scored_limits(
    estimate: float, error: float, critical: Callable[[float, str], float], bounds: Pair
) -> Limits:
    """Limits of a difference from :func:`difference_of`, whose rounding errors are 0."""
    return partial(score_range, estimate, error, critical, bounds, rounding=0.0)


def scored_result(
    scored: Scored,
    values: tuple[float, float],
    tested: Tested,
    *,
    flags: tuple[str, ...],
    **fields: Any,
) -> PairedResult:
    """Return the result of a test of a score, with the fields that all such tests share."""
    statistic, tail, own_flags = tested
    return tested_result(
        (statistic, tail, (*flags, *own_flags)),
        roles=values,
        estimate_name=f"difference of {scored.score.name}",
        greater_is_better=scored.greater_is_better,
        **fields,
    )


def n_groups(scored: Scored) -> dict[str, float]:
    """Number of groups, as a detail of a result, if there are any."""
    return {} if scored.groups is None else {"groups": float(scored.n_units)}


def resampled_differences(
    pair: ScoredPair, n_resamples: int, stratify: bool, rng: np.random.Generator
) -> FloatArray:
    """Score differences on resamples, with replacement, of records or whole groups.

    They are NaN where the score is undefined.
    """
    champion, challenger = pair.prepared()
    units, n_units = pair.units, pair.n_units
    strata: Sequence[IntArray] = [np.arange(n_units)]
    if stratify:
        strata = [np.flatnonzero(pair.y == code) for code in np.unique(pair.y)]
    differences = []
    for size in blocks_of(n_resamples, most_weighed(pair.n)):
        weights = _drawn_counts(strata, n_units, size, rng)
        if pair.groups is not None:
            weights = weights.take(units, axis=1)
        differences.append(challenger.values(weights) - champion.values(weights))
    return pair.sign * np.concatenate(differences)


def _drawn_counts(
    strata: Sequence[IntArray], n_units: int, size: int, rng: np.random.Generator
) -> IntArray:
    """Counts of the units in resamples, drawn within strata of fixed size."""
    if n_units > BLOCK:
        return np.stack([_one_resample(strata, n_units, rng) for _ in range(size)])
    if len(strata) == 1:
        units = rng.integers(n_units, size=(size, n_units))
    else:
        units = np.concatenate(
            [s[rng.integers(len(s), size=(size, len(s)))] for s in strata], axis=1
        )
    return counted_units(units, n_units).astype(np.int32)


def counted_units(drawn: IntArray, n: int) -> IntArray:
    """Count each of `n` units in every row of drawn ones, which are changed."""
    drawn += n * np.arange(len(drawn))[:, np.newaxis]
    return np.bincount(drawn.reshape(-1), minlength=len(drawn) * n).reshape(-1, n)


def _one_resample(
    strata: Sequence[IntArray], n_units: int, rng: np.random.Generator
) -> IntArray:
    """Counts of many units in one resample, drawn block by block."""
    counts = np.empty(n_units, dtype=np.int32)
    for stratum in strata:
        n = len(stratum)
        starts = np.arange(0, n, BLOCK)
        lengths = np.diff(starts, append=n)
        blocks = [
            np.bincount(rng.integers(length, size=size, dtype=np.uint16), minlength=length)
            for length, size in zip(lengths, rng.multinomial(n, lengths / n))
        ]
        counts[stratum if len(strata) > 1 else slice(None)] = np.concatenate(blocks)
    return counts


def left_out(pair: ScoredPair, rng: np.random.Generator, whole: int = WHOLE) -> FloatArray:
    """Leave-one-out scores of both roles, by unit or, for many units, by part.

    The shape is (2, n_parts), with NaN where a score is undefined. Up to `whole` units are
    left out one by one; for more there are up to 200 random parts, and 50 for many records.
    """
    champion, challenger = pair.prepared()
    n_parts = pair.n_units
    if n_parts == 1:
        return np.full((2, 1), np.nan)
    if n_parts > whole:
        n_parts = min(n_parts, PARTS if pair.n > MOST_PARTED else MANY_PARTS)
    part = pair.units
    if n_parts < pair.n_units:
        part = rng.permutation(np.arange(pair.n_units) % n_parts)[part]
    scores = []
    for rows in slices_of(n_parts, most_weighed(pair.n)):
        is_left_out = np.arange(rows.start, rows.stop)[:, np.newaxis] == part
        weights = (~is_left_out).astype(np.int32)
        scores.append([champion.values(weights), challenger.values(weights)])
    return np.concatenate(scores, axis=1)


class InfluencePowers(NamedTuple):
    """Sums of powers of the influences of units on a difference, in units of a size.

    Attributes
    ----------
    n : int
        Number of influences.
    size : float
        Power of two near the largest influence, which changes no digit and keeps fourth
        powers from being 0 or infinite; NaN for influences that are not finite.
    square, third, fourth : float
        Sums of powers of the influences over the size.
    """

    n: int
    size: float
    square: float
    third: float
    fourth: float


def influence_powers(scored: Scored) -> InfluencePowers:
    """Return the sums of powers of the influences of records or groups."""
    if isinstance(scored, RootErrors):
        _, *powers = scored.powers
        return InfluencePowers(scored.n_units, 1.0, *powers)
    influence = influences(scored, generator(0))
    n = len(influence)
    if not np.isfinite(influence).all():
        # The unit of the target is so small, or so large, that squares have no digits.
        return InfluencePowers(n, math.nan, 0.0, 0.0, 0.0)
    size = 2.0 ** math.frexp(float(np.abs(influence).max()))[1]
    scaled = influence / size
    squares = scaled**2
    sums = squares, squares * scaled, squares**2
    return InfluencePowers(n, size, *(float(each.sum()) for each in sums))


def influences(pair: ScoredPair, rng: np.random.Generator) -> FloatArray:
    """Influence of each unit on the difference, whose variance is the sum of squares.

    Influences are derivatives by the weights of the records (the infinitesimal jackknife).
    A score without these is computed again without each of up to 200 random parts of the
    units (the delete-a-group jackknife), 50 for many records; the influences are then those
    of the parts.
    """
    champion, challenger = pair.prepared()
    ones = np.ones((1, pair.n), dtype=np.int32)
    slopes = champion.slopes(ones), challenger.slopes(ones)
    if slopes[0] is not None and slopes[1] is not None:
        influence = pair.sign * (slopes[1] - slopes[0])[0]
        return np.bincount(pair.units, influence, pair.n_units).astype(np.float64)
    if pair.n_units < 2:
        return np.zeros(1)
    champion_scores, challenger_scores = left_out(pair, rng, whole=0)
    without = pair.sign * (challenger_scores - champion_scores)
    without = without[np.isfinite(without)]
    if len(without) < 2:
        return np.zeros(1)
    k = len(without)
    return (without.mean() - without) * np.sqrt((k - 1) / k)


@dataclass(frozen=True, slots=True)
class ResampledCounts:
    """Score of predicted labels, such as F1, with 0 / 0 counted as 0.

    Parameters
    ----------
    score : CountScore
        The score.
    n_classes : int
        Number of classes; predictions are codes below it.
    """

    score: CountScore
    n_classes: int

    looped: ClassVar[bool] = False
    studentised: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Name of the score."""
        return self.score.name

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest value of the score."""
        greatest = self.score.bounds[1]
        return 1 - greatest, 1.0

    def on_one_scale(self, predictions: IntArray) -> IntArray:
        """Return the labels unchanged."""
        return predictions

    def prepared(self, y: IntArray, predictions: IntArray, rows: IntArray) -> "_Cells":
        """Return the score of the records as a function of their weights."""
        codes = y.astype(np.int64) * self.n_classes + predictions
        cells, where = np.unique(codes, return_inverse=True)
        where = where.reshape(-1)
        order = np.argsort(where, kind="stable")
        starts = np.searchsorted(where[order], np.arange(len(cells)))
        return _Cells(self, cells, where, order, starts)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Records grouped into cells of true class and prediction."""

    kind: ResampledCounts
    cells: IntArray
    where: IntArray
    order: IntArray
    starts: IntArray

    def _scored(self, weights: IntArray) -> CellScores:
        counts = np.add.reduceat(weights.take(self.order, axis=1), self.starts, axis=1)
        truth, prediction = np.divmod(self.cells, self.kind.n_classes)
        n_classes = self.kind.n_classes
        records = counts.astype(np.float64)
        return self.kind.score.of_cells(truth, prediction, records, n_classes)

    def values(self, weights: IntArray) -> FloatArray:
        """Return the score for each row of weights."""
        return self._scored(weights).values

    def slopes(self, weights: IntArray) -> FloatArray:
        """Return derivatives with respect to each weight, one row per row of weights."""
        return self._scored(weights).slopes.take(self.where, axis=1)


NOISE = 1e-12


def rounding_of(pair: Scored, *values: float) -> float:
    """Largest difference of the given values that counts as rounding error.

    Scores without a unit that are below 1 are taken as 1. Of those of numbers, losses and
    scores of at most 0, such as a root mean squared error with its sign changed, have the
    unit of the target; so may any function of numbers.
    """
    bounded = isinstance(pair.score, NumberScore) and pair.score.bounds[1] != 0
    of_labels = isinstance(pair, ScoredPair) and pair.y.dtype.kind != "f"
    return NOISE * max(1.0 if bounded or of_labels else 0.0, *map(abs, values))


@dataclass(frozen=True, slots=True, eq=False)
class ResampledDifferences:
    """Sorted differences of resamples, with the corrections of Efron's BCa method.

    A true difference of theta is rejected in favour of larger ones where p(k) < alpha, with
    k the number of resampled differences up to theta. Without correction p(k) is
    (1 + k) / (R + 1). The limit is the least theta that is not rejected, one of the
    resampled differences, so that limits and p-values agree.

    Parameters
    ----------
    values : ndarray of shape (n_resamples,)
        Sorted differences.
    shift : float, default=0
        Efron's z0: the normal quantile of the share of resamples below the estimate.
    acceleration : float, default=0
        Rate at which the standard error changes with the difference, on the normal scale.
    """

    values: FloatArray
    shift: float = 0.0
    acceleration: float = 0.0

    @property
    def mirrored(self) -> "ResampledDifferences":
        """Resampled differences with the roles exchanged."""
        return ResampledDifferences(-self.values[::-1], -self.shift, -self.acceleration)

    def tails(self) -> FloatArray:
        """Return the upper-tailed p-values for k = 0, ..., R resamples up to the null.

        Efron (1987), equation 2.3, solved for the level. It is never below 1 / (R + 1).
        """
        R = len(self.values)
        shares = np.arange(1, R + 2) / (R + 1)
        if not (self.shift or self.acceleration):
            # Exact, so that p = 0.05 is not a number just below it.
            return shares
        distance = ndtri(shares[:-1]) - self.shift
        scale = 1 + self.acceleration * distance
        with np.errstate(invalid="ignore", divide="ignore"):
            corrected = distance / scale - self.shift
        # Beyond the pole no level has a limit there, or all levels have.
        corrected[scale <= 0] = np.where(distance < 0, -np.inf, np.inf)[scale <= 0]
        return np.append(np.maximum(ndtr(corrected), 1 / (R + 1)), 1.0)

    def pvalue(self, alternative: str, null: float = 0.0) -> float:
        """Return the least level at which the limits exclude the null value."""
        if alternative == "less":
            return self.mirrored.pvalue("greater", -null)
        up_to = int(np.searchsorted(self.values, null, side="right"))
        pvalue = float(self.tails()[up_to])
        if alternative == "greater":
            return pvalue
        return min(1.0, 2 * pvalue, 2 * self.mirrored.pvalue("greater", -null))

    def limits(self, bounds: Pair, confidence_level: float, alternative: str) -> Pair:
        """Return the limits of the differences that are not rejected."""
        alpha, sides = alpha_of(confidence_level), 2 if alternative == "two-sided" else 1
        low = -math.inf if alternative == "less" else self._lower_limit(alpha, sides)
        high = (
            math.inf
            if alternative == "greater"
            else -self.mirrored._lower_limit(alpha, sides)
        )
        return max(low, bounds[0]), min(high, bounds[1])

    def _lower_limit(self, alpha: float, sides: int) -> float:
        n_rejected = int(np.searchsorted(np.minimum(1.0, sides * self.tails()), alpha))
        if n_rejected == 0:
            return -math.inf
        return float(self.values[min(n_rejected, len(self.values)) - 1])

    def error_of(self, pvalue: float, alternative: str, null: float = 0.0) -> float:
        """Return the Monte Carlo error of the p-value, by the delta method for two shares.

        These are the shares of resamples up to the null and below the estimate; the
        acceleration is taken as fixed.
        """
        if alternative == "two-sided":
            smaller = min(("greater", "less"), key=lambda way: self.pvalue(way, null))
            return 2 * self.error_of(pvalue / 2, smaller, null)
        if alternative == "less":
            return self.mirrored.error_of(pvalue, "greater", -null)
        R = len(self.values)
        share = (1 + np.searchsorted(self.values, null, side="right")) / (R + 2)
        below = float(ndtr(self.shift))
        covariance = min(share, below) - share * below
        by_share, by_below = 1 / _density(ndtri(share)), -2 / _density(self.shift)
        variance = share * (1 - share) * by_share**2
        if self.shift or self.acceleration:
            variance += below * (1 - below) * by_below**2
            variance += 2 * covariance * by_share * by_below
        density = _density(ndtri(min(max(pvalue, NOISE), 1 - NOISE)))
        return float(density * math.sqrt(max(0.0, variance) / R))


def _density(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


Method = Literal["percentile", "bca", "basic", "normal"]

LARGE_SHIFT = float(ndtri(0.75))
LEAST_OF_CLASS = 15
MOST_LEFT_OUT = 0.5
TOO_FEW = "too-few-resamples"


def scored_effect_of(pair: Scored, **options: object) -> Wald:
    """Difference of the scores, with a standard error from influence values."""
    champion, challenger = check_scored(pair)
    if isinstance(pair, RootErrors):
        return Wald(challenger - champion, math.sqrt(pair.powers[1]) or math.inf)
    influence = influences(pair, generator(0))
    error = math.sqrt(influence @ influence) if influence.any() else math.inf
    return Wald(challenger - champion, error)


@paired_test(
    title="Paired bootstrap of a score",
    measures=ANY_SCORE,
    designs=("holdout", "grouped holdout"),
    references=("Efron1987", "DiCiccio1996", "Field2007"),
    sample_size=planned(scored_effect_of),
    of_records=True,
)
def bootstrap_difference(
    scored: ScoredPair,
    *,
    method: Method = "percentile",
    n_resamples: int | None = None,
    stratify: bool = False,
    random_state: Any = 0,
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two classifiers by any score, by resampling the records of a test set.

    The null hypothesis is that the scores of the two trained classifiers are equal, over
    new records. Records are drawn with replacement together with both predictions, which
    keeps the dependence of these; whole groups of grouped records are drawn [3]_.

    Parameters
    ----------
    scored : ScoredPair
        Predictions of both classifiers with the score, from a hold-out set.
    method : {"percentile", "bca", "basic", "normal"}, default="percentile"
        Method for the interval. "percentile" takes percentiles of the resampled differences
        as limits, "bca" corrects these for bias and for a standard error that changes with
        the difference [1]_ [2]_, "basic" reflects them at the estimate, and "normal" uses
        only their standard deviation.
    n_resamples : int or None, default=None
        Number of resamples. None is 9999, but fewer where they take long: 999 above
        50 000 records, 199 above 500 000 and 99 above five million; for a score that is
        computed for one resample after the other 999, 199 above 10 000 records and 99
        above 100 000. Few resamples make p and limits imprecise (`monte_carlo_error`), and
        the smallest two-sided p of 99 is 0.02.
    stratify : bool, default=False
        Whether each class keeps its number of records. The result is then about test sets
        with these shares of the classes. Not for grouped records.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the resamples.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is score(challenger) - score(champion), or the reverse of a loss, and
        `statistic` the same in standard deviations of the resampled differences. The
        p-value is the least level at which the interval excludes 0. `details` has the
        standard error, the bias (mean of the resampled differences minus the estimate),
        the same on the normal scale (`shift`, Efron's z0), the acceleration of "bca", the
        numbers of resamples and, except for "normal", the standard error of the p-value
        (`monte_carlo_error`).

    Raises
    ------
    ValueError
        If the score is undefined for the observed records, there is one group only, or
        groups are to be stratified.

    Notes
    -----
    The share of resampled differences beyond 0 is not itself a p-value, because the
    resamples are spread around the estimate and not around 0. The p-value is the level at
    which the limits reach 0, one-sided, doubled for both sides: the test that corresponds
    to the interval. It has the stated level for many records and a difference
    that varies smoothly. In 500 simulated test sets each of 50 and 200 records, with two
    equally good classifiers, "percentile" rejected at the level 0.05 in 0.03 to 0.07 for
    accuracy, average precision, and the area under the curve where each class had 20
    records; with 5 of one class in 0.09. A sensitivity at a fixed specificity takes few
    values, and equality was rejected in less than 0.02. "normal" rejected in up to 0.08,
    "bca" in up to 0.12, because its corrections are themselves estimates, and "basic" in up
    to 0.13. The 95 % interval of "percentile" missed a true difference in no more than 0.08
    with 20 records of each class, and 0.17 with 5 of one. With ten to 50 groups of unequal
    size it rejected in up to 0.08. Where a class has fewer than 15 records or groups
    ("few-of-a-class"), prefer ``permutation_difference``; where the predictions differ for
    fewer than 25 records ("few-different-resampled"), also ``mcnemar`` for accuracy. No
    p-value is below ``1 / (R + 1)`` on one side with R resamples.

    The acceleration of "bca" is computed from the derivatives of the score by the weights
    of the records where these are known (accuracy, record losses, the area under the ROC
    curve, average precision), and from leaving out up to 200 random parts of the records
    otherwise (50 of more than 10 000 records); without any variation it is 0.

    A score that is biased in small samples, such as a maximum or a binned calibration
    error, has most resampled differences on one side of the observed one; this is flagged
    "shifted-resamples", and no method is valid then.

    A score of the counts, such as macro F1, keeps all classes in every resample, with 0
    for 0 / 0. Resamples for which any other score is undefined are left out and
    flagged "resamples-left-out"; if they are half of them or more, p is undefined.
    Without any difference, in the records and all resamples, the statistic is 0 and p is
    1, flagged "degenerate". If the difference is not 0 and all resamples have the same
    one, p is undefined and the interval contains every difference, flagged "zero-variance".

    Resamples depend neither on the order of the records nor on the roles; the result of
    swapped roles is the mirror image.

    References
    ----------
    .. [1] Efron, B. (1987). "Better bootstrap confidence intervals." Journal of the
       American Statistical Association 82(397), 171-185.
    .. [2] DiCiccio, T. J. and Efron, B. (1996). "Bootstrap confidence intervals."
       Statistical Science 11(3), 189-228.
    .. [3] Field, C. A. and Welsh, A. H. (2007). "Bootstrapping clustered data." Journal of
       the Royal Statistical Society B 69(3), 369-390.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ScoredPair
    >>> from skcompare.stats import bootstrap_difference
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(2, size=300)
    >>> champion = y_true + rng.normal(0, 1.5, 300)
    >>> challenger = (champion + y_true + rng.normal(0, 0.5, 300)) / 2
    >>> pair = ScoredPair.from_predictions(
    ...     y_true, champion, challenger, score="average_precision"
    ... )
    >>> result = bootstrap_difference(pair)
    >>> print(f"{result.champion:.3f} to {result.challenger:.3f}")
    0.739 to 0.865
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.2f}, {high:.2f}], p = {result.pvalue:.4f}")
    [0.09, 0.15], p = 0.0002
    """
    check_switches(stratify=stratify)
    if stratify and scored.y.ndim == 2:
        raise ValueError(
            "stratify=True draws within classes. Got numbers of several outputs, which "
            "have none. Leave it out."
        )
    if stratify and scored.groups is not None:
        raise ValueError(
            "stratify=True does not go with groups, which may hold records of several "
            "classes. Leave it out."
        )
    if n_resamples is None:
        n_resamples = default_resamples(scored)
    n_resamples = check_count("n_resamples", n_resamples, least=99)
    values, estimate, rounding = difference_of(scored)
    rng = generator(random_state)
    resamples = resampled_differences(scored, n_resamples, stratify, rng)
    resamples = without_rounding(
        resamples[np.isfinite(resamples)], (0.0, estimate), rounding
    )
    flags = scored_flags(scored)
    if len(resamples) < n_resamples:
        flags = (*flags, "resamples-left-out")
    limits: Limits = scored_limits(estimate, 0.0, no_critical, scored.bounds)
    details: dict[str, float] = {}
    if len(resamples) <= MOST_LEFT_OUT * n_resamples:
        tested: Tested = math.nan, UNDEFINED, (TOO_FEW,)
        limits = partial(fixed_limits, scored.bounds)
    elif (resamples == estimate).all():
        tested = studentised(estimate, 0.0, None, alternative)
    else:
        details = _spread(scored, estimate, resamples)
        tested, limits = _tested(
            scored, estimate, resamples, details, method, alternative, rng
        )
    if abs(details.get("shift", 0.0)) > LARGE_SHIFT:
        tested = *tested[:2], ("shifted-resamples",)
    return scored_result(
        scored,
        values,
        tested,
        estimate=estimate,
        method=f"{method}, {n_resamples} resamples",
        limits=limits,
        flags=flags,
        details={
            "resamples": float(n_resamples),
            "undefined_resamples": float(n_resamples - len(resamples)),
            **n_groups(scored),
            **details,
        },
    )


def _spread(pair: ScoredPair, estimate: float, resamples: FloatArray) -> dict[str, float]:
    """Standard error, bias, and the bias on the normal scale (Efron's z0)."""
    R = len(resamples)
    # Resamples equal to the estimate count one half on either side.
    below = (np.mean(resamples < estimate) + np.mean(resamples <= estimate)) / 2
    shift = float(ndtri(min(max(below, 1 / (R + 1)), R / (R + 1))))
    return {
        "standard_error": float(resamples.std(ddof=1)),
        "bias": float(resamples.mean()) - estimate,
        "shift": 0.0 if pair.symmetric else shift,
    }


def _tested(
    pair: ScoredPair,
    estimate: float,
    resamples: FloatArray,
    details: dict[str, float],
    method: str,
    alternative: str,
    rng: np.random.Generator,
) -> tuple[Tested, Limits]:
    """Test and limits by a method; what it estimates besides is added to the details."""
    error = details["standard_error"]
    if method == "normal":
        limits = scored_limits(estimate, error, normal_critical, pair.bounds)
        return studentised(estimate, error, None, alternative), limits
    if pair.symmetric:
        # Each resample has an equally likely mirror image, so the result is symmetric.
        resamples = np.concatenate([resamples, -resamples])
    resampled = ResampledDifferences(np.sort(resamples))
    if method == "basic":
        resampled = ResampledDifferences(np.sort(2 * estimate - resamples))
    elif method == "bca":
        details["acceleration"] = acceleration = _acceleration(pair, estimate, rng)
        resampled = ResampledDifferences(resampled.values, details["shift"], acceleration)
    pvalue = resampled.pvalue(alternative)
    details["monte_carlo_error"] = resampled.error_of(pvalue, alternative)
    tested = estimate / error, (pvalue, math.log(pvalue)), ()
    return tested, partial(resampled.limits, pair.bounds)


def _acceleration(pair: ScoredPair, estimate: float, rng: np.random.Generator) -> float:
    """Acceleration of Efron (1987, equation 6.6)."""
    if pair.symmetric:
        return 0.0
    influence = influences(pair, rng)
    # A power of two changes no digit, and keeps cubes from being 0 or infinite.
    size = 2.0 ** math.frexp(float(np.abs(influence).max()))[1]
    influence = influence / size
    variance = float(influence @ influence)
    if size * math.sqrt(variance) <= rounding_of(pair, estimate):
        return 0.0
    return float((influence**3).sum() / (6 * variance**1.5))


def without_rounding(
    values: Any, numbers: tuple[float, ...], rounding: float
) -> FloatArray:
    """Replace values by exact numbers if equal up to rounding."""
    for number in numbers:
        values = np.where(np.abs(values - number) <= rounding, number, values)
    return np.asarray(values, dtype=np.float64)


def scored_flags(pair: Scored) -> tuple[str, ...]:
    """Flags for few groups, few differing predictions and few records of a class."""
    flags = group_flags(pair)
    # Equal predictions need no resampling: p is 1.
    if 0 < pair.n_differing < FEW_DIFFERENT:
        flags += ("few-different-resampled",)
    if isinstance(pair, RootErrors) or isinstance(pair.score, RecordMean | NumberScore):
        return flags
    few = _least_of_class(pair) < LEAST_OF_CLASS
    return (*flags, "few-of-a-class") if few else flags


def group_flags(pair: Scored) -> tuple[str, ...]:
    """Flags of the evidence, and one for few groups."""
    return pair.flags if pair.groups is None else pair.flags + few_groups(pair.n_units)


def _least_of_class(pair: ScoredPair) -> float:
    """Number of units of the rarer class; infinite unless there are two classes."""
    classes = pair.codes
    if len(classes) != 2:
        return math.inf
    return float(min(len(np.unique(pair.units[pair.y == code])) for code in classes))


class _Scale(NamedTuple):
    """Bias-corrected difference with its standard error, on one scale of the score."""

    difference: float
    error: float
    df: float

    @property
    def log_pvalue(self) -> float:
        """Logarithm of the two-sided p-value."""
        if not self.error > 0:
            return -math.inf
        return student_pvalue(self.difference / self.error, self.df, "two-sided")[1]

    def critical(self, alpha: float, alternative: str) -> float:
        """Critical value of the statistic; infinite without a standard error."""
        if self.error == 0:
            return math.inf
        return student_quantile(each_tail(alpha, alternative), self.df)


@paired_test(
    title="Jackknife t test of a score",
    measures=("average_precision", *COUNT_SCORES),
    designs=("holdout", "grouped holdout"),
    references=("Quenouille1956", "Tukey1958", "Satterthwaite1946"),
    sample_size=planned(scored_effect_of),
    of_records=True,
)
def jackknife_difference(
    scored: ScoredPair, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two classifiers by a smooth score, leaving out one record at a time.

    The null hypothesis is that the scores of the two trained classifiers are equal, over
    new records. Leaving out one record, or one group, at a time estimates the influence of
    each on the difference, and the bias of the difference [1]_ [2]_: a score such as
    average precision is biased in small samples, and differently for classifiers whose
    scores have different distributions.

    Parameters
    ----------
    scored : ScoredPair
        Predictions of both classifiers with the score, from a hold-out set.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is score(challenger) - score(champion), or the reverse of a loss, as
        observed. `statistic` is the difference minus its bias in standard errors, and the
        interval is that difference plus and minus quantiles of t. `details` has the
        `bias`, the `standard_error`, and the number of units that were left out, one at a
        time or in parts (`left_out`).

    Raises
    ------
    ValueError
        If the score is undefined for the observed records, or there is one group only.

    Notes
    -----
    With n units, the score without unit i and its mean over the units::

        bias = (n - 1) (mean of D(-i) - D)
        variance = (n - 1) / n  sum of (D(-i) - mean)²

    where D is the difference of the scores on a scale. A bias larger than the difference
    makes the corrected difference 0, so that no correction changes its sign. There are two
    scales: that of the score itself, and its log-odds within its range. On the first the
    standard error is too small where a score is near the upper end, because the sample does
    not show how much a few records would lower it, and on the second where it is near the
    lower end. A difference of log-odds is rescaled by the slope between the two scores, so
    that its interval is one of the score itself. The scale with the larger two-sided
    p-value is used, for any alternative. A score whose range is unknown has only the first
    scale. Log-odds of a score at an end of its range are those of a quarter of a record.

    The degrees of freedom are Satterthwaite's [3]_, from the fourth powers of the units'
    deviations: they are few if few units have a large influence.

    Above 2000 units, random parts of them are left out, 200 or 50 of more than 10 000
    records, with at most that number of degrees of freedom minus one. They depend neither
    on the order of the records nor on the roles.

    A score that jumps, such as a sensitivity at a fixed specificity, has no jackknife
    variance: see :func:`bootstrap_difference`.

    Without any difference the statistic is 0 and p is 1, flagged "degenerate". If the
    difference is not 0 and does not vary, p is undefined and the interval contains every
    difference, flagged "zero-variance"; if the score is undefined without some unit, as
    without the only positive one, p is undefined, flagged "undefined-left-out".
    :func:`permutation_difference` has a p-value for both.

    References
    ----------
    .. [1] Quenouille, M. H. (1956). "Notes on bias in estimation." Biometrika 43(3/4),
       353-360.
    .. [2] Tukey, J. W. (1958). "Bias and confidence in not quite large samples." Annals of
       Mathematical Statistics 29(2), 614.
    .. [3] Satterthwaite, F. E. (1946). "An approximate distribution of estimates of
       variance components." Biometrics Bulletin 2(6), 110-114.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ScoredPair
    >>> from skcompare.stats import jackknife_difference
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(2, size=300)
    >>> champion = y_true + rng.normal(0, 1.5, 300)
    >>> challenger = (champion + y_true + rng.normal(0, 0.5, 300)) / 2
    >>> pair = ScoredPair.from_predictions(
    ...     y_true, champion, challenger, score="average_precision"
    ... )
    >>> result = jackknife_difference(pair)
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.estimate:.3f} [{low:.3f}, {high:.3f}], p = {result.pvalue:.1e}")
    0.127 [0.103, 0.156], p = 1.1e-08
    """
    values, observed, rounding = difference_of(scored)
    without = left_out(scored, generator(0))
    details, df = {"left_out": float(without.shape[1])}, None
    limits: Limits = partial(fixed_limits, scored.bounds)
    is_defined = np.isfinite(without).all(axis=0)
    differences = np.diff(without[:, is_defined], axis=0)
    if is_defined.all():
        scales = _scales(scored, values, without, rounding)
        chosen = max(scales, key=lambda scale: scale.log_pvalue)
        if chosen.error == 0:
            chosen = chosen._replace(difference=observed)
        shift, error, df = chosen
        tested = studentised(shift, error, df, alternative)
        limits = scored_limits(shift, error, chosen.critical, scored.bounds)
        details |= {"standard_error": error, "bias": observed - shift}
    elif observed == 0 and (np.abs(differences) <= rounding).all():
        tested = 0.0, (1.0, 0.0), ("degenerate",)
    else:
        tested = math.nan, UNDEFINED, ("undefined-left-out",)
    return scored_result(
        scored,
        values,
        tested,
        df=df,
        estimate=observed,
        method="Student's t, jackknife",
        limits=limits,
        flags=scored_flags(scored),
        details=details | n_groups(scored),
    )


def _scales(
    scored: ScoredPair, values: tuple[float, float], without: FloatArray, rounding: float
) -> list[_Scale]:
    """Jackknife results on the scale of the score and, if defined, of its log-odds."""
    low, high = scored.score.bounds
    plain = _jackknife(scored.sign * (values[1] - values[0]),
                       scored.sign * (without[1] - without[0]), rounding)  # fmt: skip
    if not (math.isfinite(low) and math.isfinite(high)) or plain.error == 0:
        return [plain]
    smallest = 1 / (4 * scored.n)

    def log_odds(scores: FloatArray) -> FloatArray:
        share = np.clip((scores - low) / (high - low), smallest, 1 - smallest)
        odds: FloatArray = np.log(share / (1 - share))
        return odds

    scores = np.array(values)
    odds, odds_without = log_odds(scores), log_odds(without)
    odds_difference = odds[1] - odds[0]
    differences = scored.sign * (odds_without[1] - odds_without[0])
    scale = _jackknife(scored.sign * odds_difference, differences, rounding)
    if abs(odds_difference) > rounding:
        slope = (values[1] - values[0]) / odds_difference
    else:
        share = (scores.mean() - low) / (high - low)
        slope = (high - low) * share * (1 - share)
    rescaled = _Scale(slope * scale.difference, slope * scale.error, scale.df)
    return [plain, rescaled] if rescaled.error > 0 else [plain]


def _jackknife(difference: float, without: FloatArray, rounding: float) -> _Scale:
    """Bias-corrected difference, with standard error and degrees of freedom."""
    k = len(without)
    deviations = without - without.mean()
    deviations = np.where(np.abs(deviations) <= rounding, 0.0, deviations)
    squares = deviations**2
    total, fourth = float(squares.sum()), float((squares**2).sum())
    corrected = difference - (k - 1) * (float(without.mean()) - difference)
    if total == 0:
        corrected = difference
    elif corrected * difference <= 0:
        corrected = 0.0
    error = math.sqrt((k - 1) / k * total)
    return _Scale(corrected, error, degrees_of_freedom(total, fourth, k))
