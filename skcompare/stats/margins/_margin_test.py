"""One-sided tests of a difference at a margin, and the influence of each unit on it.

The difference in standard errors is about normal for many records. Where its distribution
has a long tail on the side of the null hypothesis, samples without that tail look better
than the truth and vary too little, so that the normal or t approximation passes too often:
twice as often as its level for AUCs near 1 and for log losses. The skewness-adjusted test
corrects for a skewness, by Hall's transformation [1]_, that is twice the observed one and
not less than that of few units, on the side that counts against what is to be shown.

A standard error of 0 is no evidence that nothing can vary. But where n independent
differences are identical, and none can be beyond a known bound, their mean is unlikely to
be far away.

A standard error that is nearly 0 is no better: n records lack every rare large error with
the same probability, whatever they show. So the same bound limits the conclusion from any n
records.

References
----------
.. [1] Hall, P. (1992). "On the removal of skewness by transformation." Journal of the Royal
   Statistical Society B 54(1), 221-228.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.flags import explain
from skcompare._core.validation import check_alpha, check_choice, is_number
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import (
    ClusterSums,
    JointCounts,
    OrderedDifferences,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    RootErrors,
    ScoredPair,
)
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import TINY, outward, reference_pvalue, reference_quantile
from skcompare.stats.losses._paired_t import ONE_SIDED_DEGREES, even_groups, few_records_df
from skcompare.stats.scores._confusion_scores import (
    BINARY_SCORES,
    COUNT_SCORES,
    count_score,
)
from skcompare.stats.scores._permutation import scored_cells
from skcompare.stats.scores._resampling import generator, influence_powers, influences
from skcompare.stats.time._diebold_mariano import mean_in_time

MOST_ROWS = 2_000_000
"""Number of records above which the skewness is assumed, not estimated."""

SUPPOSED = 10.0
"""Supposed skewness of differences that were not kept one by one."""


ROUNDING = 1e-9
"""Share of the largest influence below which an influence is rounding."""

UNEVEN = 2.0
"""Ratio of groups to groups of even size from which on the latter are counted."""

EVEN = "groups of equal size with as much information"

UNRELATED = "times that would be unrelated"

FEW_OF_A_CLASS = 20
"""Records of a class below which nothing is concluded, if classes have equal weight."""

FEW_GROUPS = 20
"""Number of groups below which nothing is concluded, whatever their sizes."""

SCORE, LABEL, POS_LABEL = "score", "label", "pos_label"
"""Options of tests that name the score and the class."""


class InfluenceMoments(NamedTuple):
    """Standard error and skewness of a difference, from the influence of each unit.

    Attributes
    ----------
    error : float
        Standard error of the difference; NaN where the test has a better one.
    skewness : float
        Skewness of the difference, positive where its long tail favours the challenger.
    units : int
        Independent units: records, groups, or members of the rarer class.
    name : str
        Name of the units.
    observed : bool
        Whether the skewness was observed; where it is assumed, it counts on both sides.
    df : float
        Most degrees of freedom where a few records decide; infinite where none do, or it is
        unknown.
    """

    error: float
    skewness: float
    units: int
    name: str
    observed: bool = True
    df: float = math.inf


@singledispatch
def influence_moments(evidence: Any, **options: Any) -> InfluenceMoments | None:
    """Estimate standard error and skewness of a difference from influence values.

    The influence of a unit, a record or a group, is the derivative of the difference with
    respect to its weight; the difference is about the sum of them.

    Parameters
    ----------
    evidence : object
        Losses, placement values, counts of labels, sums of groups, any score of pairs,
        calibration errors, or evidence with an attribute `influence_values`: the influence
        of each record.
    **options
        Options of the test that name the score and the class: `score`, `label` or
        `pos_label`.

    Returns
    -------
    moments : InfluenceMoments or None
        None for evidence whose influence values are unknown.

    Notes
    -----
    Records that were not kept one by one, or more than two million of them, are taken to
    have a skewness of 10, which is then not `observed`.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import influence_moments
    >>> rng = np.random.default_rng(0)
    >>> losses = PairedLosses.from_losses(*rng.exponential(size=(2, 200)))
    >>> moments = influence_moments(losses)
    >>> print(f"{moments.error:.4f}, skewness {moments.skewness:+.3f}, {moments.units}")
    0.1056, skewness -0.038, 200
    """
    values = getattr(evidence, "influence_values", None)
    return None if values is None else _spread(values, len(values), "records")


def _spread(
    influence: FloatArray, units: int, name: str, counts: Any = 1.0
) -> InfluenceMoments:
    """Moments from the influence of each unit; `counts` are numbers of identical units."""
    size = float(np.abs(influence).max(initial=0.0))
    if size == 0 or units < 2:
        return InfluenceMoments(0.0, 0.0, units, name)
    scaled = influence / size
    square = float((counts * scaled**2).sum())
    third = float((counts * scaled**3).sum())
    error = size * math.sqrt(square * units / (units - 1))
    return InfluenceMoments(error, third / square**1.5, units, name)


def _even(spread: InfluenceMoments, sizes: Any) -> InfluenceMoments:
    """Reduce the number of groups to Kish's effective number if their sizes are uneven."""
    weights = np.asarray(sizes, dtype=np.float64)
    even = float(weights.sum() ** 2 / (weights**2).sum())
    if even > spread.units / UNEVEN:
        return spread
    return spread._replace(units=max(1, int(even)), name=EVEN)


@influence_moments.register
def _of_losses(losses: PairedLosses, **_: Any) -> InfluenceMoments:
    groups = losses.groups
    if groups is not None:
        influence = (groups.gains - groups.sizes * losses.gain) / losses.n
        moments = _even(_spread(influence, groups.n_groups, "groups"), groups.sizes)
        share, units = _largest_share(influence), even_groups(groups.sizes)
        return moments._replace(df=allowed_df(losses, share, units))
    deviation = losses.moments.gain_deviation
    if losses.values is None or losses.n > MOST_ROWS:
        df = allowed_df(losses, losses.moments.largest_share, losses.n)
        error = deviation / math.sqrt(losses.n)
        skewness = SUPPOSED / math.sqrt(losses.n)
        return InfluenceMoments(error, skewness, losses.n, "records", observed=False, df=df)
    if deviation == 0:
        return InfluenceMoments(0.0, 0.0, losses.n, "records")
    influence = (losses.differences - losses.differences.mean()) / losses.n
    df = allowed_df(losses, _largest_share(influence), losses.n)
    return _spread(influence, losses.n, "records")._replace(df=df)


def _largest_share(influence: FloatArray) -> float:
    """Largest share of the sum of squares; NaN if all are 0."""
    size = float(np.abs(influence).max(initial=0.0))
    return 1 / float(((influence / size) ** 2).sum()) if size else math.nan


def allowed_df(losses: PairedLosses, share: float, units: float) -> float:
    """Most degrees of freedom for losses of numbers, which a few records may decide."""
    known = losses.of_numbers and not math.isnan(share)
    return few_records_df(share, units, ONE_SIDED_DEGREES) if known else math.inf


@influence_moments.register
def _of_placements(placements: PlacementValues, **_: Any) -> InfluenceMoments:
    positive = placements.positive
    m, n = placements.n_positives, placements.n_negatives
    if placements.groups is not None:
        return _of_grouped_placements(placements)
    fewer, name = min(m, n), "records of the rarer class"
    if min(m, n) < 2:
        return InfluenceMoments(0.0, 0.0, fewer, name)
    if len(positive) > MOST_ROWS:
        variance = placements.covariance
        error = math.sqrt(max(0.0, float(np.array([-1, 1]) @ variance @ [-1, 1])))
        return InfluenceMoments(
            error, SUPPOSED / math.sqrt(fewer), fewer, name, observed=False
        )
    counts = np.ones(len(positive)) if placements.repeats is None else placements.repeats
    influence = _placement_influence(placements, counts)
    # Both classes have their own degree of freedom.
    influence *= np.where(positive, math.sqrt(m / (m - 1)), math.sqrt(n / (n - 1)))
    spread = _spread(influence, fewer, name, counts)
    return spread._replace(error=spread.error * math.sqrt((fewer - 1) / fewer))


def _placement_influence(placements: PlacementValues, counts: Any) -> FloatArray:
    """Influence of each record on the difference of two AUCs."""
    positive = placements.positive
    m, n = placements.n_positives, placements.n_negatives
    champion, challenger = placements.counts
    change = (challenger - champion) / (2.0 * m * n)
    influence: FloatArray = np.empty(len(change))
    for members, size in ((positive, m), (~positive, n)):
        mean = float((counts[members] * change[members]).sum()) / size
        influence[members] = change[members] - mean
    return influence


def _of_grouped_placements(placements: PlacementValues) -> InfluenceMoments:
    codes, positive = placements.group_codes(), placements.positive
    of_records = _placement_influence(placements, np.ones(len(positive)))
    influence = np.bincount(codes, of_records).astype(np.float64)
    fewer = min(len(np.unique(codes[positive])), len(np.unique(codes[~positive])))
    spread = _spread(influence, fewer, "groups with records of the rarer class")
    return spread if fewer < FEW_GROUPS else _even(spread, np.bincount(codes))


@influence_moments.register
def _of_clusters(sums: ClusterSums, **options: Any) -> InfluenceMoments | None:
    """Moments for groups: of accuracies by differences, of other scores by derivatives."""
    if SCORE not in options and LABEL not in options:
        sizes, total = sums.sizes, float(sums.n)
        difference = float(sums.differences.sum()) / total
        influence = (sums.differences - difference * sizes) / total
        return _even(_spread(influence, sums.n_groups, "groups"), sizes)
    if sums.cells is None or sums.groups is None:
        return None
    group, *cells = sums.cells.T
    scored = _scored(sums.classes, np.stack(cells, 1), sums.counts, options)
    if scored is None:
        return None
    influence = np.zeros(sums.n_groups)
    np.add.at(influence, group, sums.counts * scored[1])
    nonzero = np.abs(influence) > ROUNDING * np.abs(influence).max(initial=0.0)
    spread = _spread(influence, int(np.count_nonzero(nonzero)), "groups that differ")
    return spread if spread.units < FEW_GROUPS else _even(spread, sums.sizes)


@influence_moments.register
def _of_counts(counts: JointCounts, **options: Any) -> InfluenceMoments | None:
    """Moments of the difference of a score of counts, by its derivatives."""
    scored = _scored(counts.classes, counts.cells, counts.counts, options)
    if scored is None:
        return None
    _, champion, challenger = counts.cells.T
    differ = int(counts.counts[champion != challenger].sum())
    name = "records with different predictions"
    spread = _spread(scored[1], differ, name, counts.counts)
    if _weighs_classes_alike(options):
        rarest = int(_of_rarest_class(counts.cells, counts.counts))
        if rarest < FEW_OF_A_CLASS:
            spread = spread._replace(units=rarest, name="records of the rarest class")
    return spread


def _weighs_classes_alike(options: Mapping[str, Any]) -> bool:
    """Whether the score gives rare and common classes equal weight."""
    name = str(options.get(SCORE, ""))
    return name == "balanced_accuracy" or name.endswith("_macro")


def _of_rarest_class(cells: IntArray, counts: Any) -> Any:
    """Number of records of the rarest class present."""
    truth, records = cells[:, 0], np.asarray(counts)
    sizes = np.stack(
        [records[..., truth == code].sum(axis=-1) for code in np.unique(truth)], axis=-1
    )
    return np.where(sizes > 0, sizes, records.sum(axis=-1, keepdims=True)).min(axis=-1)


def moments_of_counts(
    classes: Any, cells: IntArray, counts: Any, options: Mapping[str, Any]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray] | None:
    """Difference, standard error, skewness and units of a score for many sets of counts.

    No unit counts where a class is too rare for the score. The counts have the shape
    (n_sets, n_cells). None where the score is unknown.
    """
    scored = _scored(classes, cells, counts, options)
    if scored is None:
        return None
    difference, influence = scored
    _, champion, challenger = cells.T
    units = counts[:, champion != challenger].sum(axis=1).astype(np.float64)
    square = (counts * influence**2).sum(axis=1)
    third = (counts * influence**3).sum(axis=1)
    with np.errstate(all="ignore"):
        error = np.sqrt(square * units / np.maximum(units - 1, 1))
        skewness = third / square**1.5
    if _weighs_classes_alike(options):
        units = np.where(_of_rarest_class(cells, counts) < FEW_OF_A_CLASS, 0.0, units)
    return difference, error, skewness, units


def _scored(
    classes: Any, cells: IntArray, counts: Any, options: Mapping[str, Any]
) -> tuple[Any, FloatArray] | None:
    """Difference of a score, with the centred influence of a record of each cell."""
    name = options.get(SCORE, "precision")
    if not isinstance(name, str) or name not in COUNT_SCORES:
        return None
    binary = name in BINARY_SCORES
    if binary and len(classes) != 2:
        return None
    label = options.get(LABEL, options.get(POS_LABEL)) if binary else None
    if binary and label is None:
        label = classes[-1].item()
    records = np.asarray(counts, dtype=np.float64)
    champion, challenger, influence = scored_cells(
        count_score(name, classes, label), cells, records, len(classes)
    )
    return challenger.values - champion.values, influence


@influence_moments.register
def _of_ordered(ordered: OrderedDifferences, **_: Any) -> InfluenceMoments:
    """Moments of a difference in the order of time, of as many independent times.

    With a variance of the mean that is v times that of independent times, n of them tell as
    much as n / v, as if v in succession were alike.
    """
    wald = mean_in_time(ordered)
    influence = ordered.centred / ordered.n
    own = _spread(influence, ordered.n_times, UNRELATED)
    if own.error == 0 or wald.error == 0:
        return own
    units = max(1, int(ordered.n_times * min(1.0, (own.error / wald.error) ** 2)))
    skewness = own.skewness * math.sqrt(ordered.n_times / units)
    return InfluenceMoments(wald.error, skewness, units, UNRELATED)


@influence_moments.register
def _of_roots(roots: RootErrors, **_: Any) -> InfluenceMoments:
    """Moments of the difference of two roots, by sums of powers of the influences."""
    own, name = influence_powers(roots), "groups" if roots.groups else "records"
    if not own.square > 0 or own.n < 2:
        return InfluenceMoments(0.0, 0.0, own.n, name)
    error = math.sqrt(own.square * own.n / (own.n - 1))
    return InfluenceMoments(error, own.third / own.square**1.5, own.n, name)


@influence_moments.register
def _of_scored(pair: ScoredPair, **_: Any) -> InfluenceMoments | None:
    """Moments of the difference of any score, by derivatives or by leaving parts out."""
    if pair.n > MOST_ROWS:
        return None
    influence = influences(pair, generator(0))
    units, name = pair.n_units, "records" if pair.groups is None else "groups"
    classes = pair.codes
    if len(classes) == 2:
        units = min(len(np.unique(pair.units[pair.y == code])) for code in classes)
        name = f"{name} of the rarer class"
    return _spread(influence, units, name)


@influence_moments.register
def _of_calibration(calibration: PairedCalibration, **_: Any) -> InfluenceMoments:
    """Moments of calibration errors, with an undefined standard error and no skewness."""
    if calibration.groups is None:
        return InfluenceMoments(math.nan, 0.0, int(calibration.n), "records in bins")
    n_groups = len(np.unique(calibration.groups))
    return InfluenceMoments(math.nan, 0.0, n_groups, "groups in bins")


TIMES = 2.0
"""Ratio of the skewness that is allowed for to the observed one."""


class Floor(NamedTuple):
    """Minimum skewness and minimum number of units, for one kind of unit.

    Attributes
    ----------
    skewness : float
        Least skewness of a unit.
    units : int
        Number of units below which nothing is concluded.
    """

    skewness: float
    units: int


FLOORS = {
    "records": Floor(2.0, 30),
    UNRELATED: Floor(2.0, 30),
    "records with different predictions": Floor(0.5, 15),
    "groups": Floor(2.0, 20),
    "groups that differ": Floor(2.0, 20),
    EVEN: Floor(2.0, 10),
    "records in bins": Floor(4.0, 100),
    "groups in bins": Floor(4.0, 20),
}
OTHER = Floor(2.0, 20)
"""Floor of units of the rarer class."""

NOT_SKEWED = ("mcnemar", "anytime_mcnemar", "anytime_losses", "wilcoxon")
"""Tests that need no correction: of counts, of ranks, or valid for any losses."""


class SkewnessAdjusted(NamedTuple):
    """Skewness-adjusted test of a mean difference, by Hall's transformation.

    The skewness that is allowed for is twice the observed one, and not less than that of
    few units, on the side that counts against the alternative. For 1,000 symmetric losses
    it moves a 95 % limit by 0.07 standard errors.

    Attributes
    ----------
    estimate : float
        The difference.
    moments : InfluenceMoments
        Its standard error, skewness and number of units.
    df : float or None
        Degrees of freedom of the standard error; None for the normal distribution.

    References
    ----------
    Hall, P. (1992). "On the removal of skewness by transformation." Journal of the Royal
    Statistical Society B 54(1), 221-228.

    Examples
    --------
    >>> from skcompare.stats import InfluenceMoments, SkewnessAdjusted
    >>> moments = InfluenceMoments(error=0.01, skewness=-0.1, units=400, name="records")
    >>> test = SkewnessAdjusted(0.02, moments, df=None)
    >>> print(f"p = {test.pvalue(0.0, 'greater'):.4f}")
    p = 0.0435
    """

    estimate: float
    moments: InfluenceMoments
    df: float | None

    def pvalue(self, null_value: float, alternative: str) -> float:
        """P-value of the null hypothesis that the mean is not beyond the null value."""
        distance = outward(self.estimate - null_value, alternative)
        if distance <= 0:
            return 1.0
        skewness = self._adverse_skewness(alternative)
        # Beyond its turning point the transformation stays where it is.
        shrunk = max(0.0, 1 - skewness * distance / self.moments.error / 3)
        statistic = (1 - shrunk**3) / skewness - skewness / 6
        return reference_pvalue(statistic, self.df, "greater")[0]

    def limit(self, alpha: float, alternative: str) -> float:
        """One-sided limit whose p-value is `alpha`; infinite if there is none."""
        skewness = self._adverse_skewness(alternative)
        rest = 1 - skewness * (reference_quantile(alpha, self.df) + skewness / 6)
        if rest <= 0:
            return outward(-math.inf, alternative)
        reach = 3 / skewness * (1 - rest ** (1 / 3))
        return self.estimate - outward(reach, alternative) * self.moments.error

    def _adverse_skewness(self, alternative: str) -> float:
        """Skewness to adjust for, as a positive number."""
        skewness = self.moments.skewness
        against = outward(-skewness, alternative)
        if not self.moments.observed:
            against = abs(skewness)
        return max(TIMES * against, self.floor.skewness / math.sqrt(self.moments.units))

    def too_few(self) -> str:
        """Reason why the number of units is too small; empty if there are enough units."""
        if self.moments.units >= self.floor.units:
            return ""
        return (
            f"{self.moments.units:,} {self.moments.name}, and the approximation of this "
            f"test needs {self.floor.units}"
        )

    @property
    def floor(self) -> Floor:
        """Minimum skewness and minimum number of units for this kind of unit."""
        return FLOORS.get(self.moments.name, OTHER)


def skewness_adjusted_passes(
    distance: FloatArray,
    error: FloatArray,
    skewness: FloatArray,
    units: FloatArray,
    floor: Floor,
    quantile: float,
) -> NDArray[np.bool_]:
    """Whether each of many data sets is beyond a margin by :class:`SkewnessAdjusted`.

    `distance` and `skewness` are positive towards what is to be shown.
    """
    with np.errstate(all="ignore"):
        statistic = distance / error
        allowed = np.maximum(-TIMES * skewness, floor.skewness / np.sqrt(units))
        shrunk = np.maximum(0, 1 - allowed * statistic / 3)
        corrected = (1 - shrunk**3) / allowed - allowed / 6
    enough = (error > 0) & (units >= floor.units)
    return enough & (statistic > 0) & (corrected > quantile)


def skewness_adjusted(
    name: str, moments: InfluenceMoments | None, result: PairedResult
) -> SkewnessAdjusted | None:
    """Return the skewness-adjusted version of a test; None if not needed or unknown."""
    if name in NOT_SKEWED or moments is None:
        return None
    if math.isnan(moments.error):
        moments = moments._replace(error=float(result.details.get("standard_error", 0.0)))
    # One degree of freedom is that of a chi-squared statistic, whose root is normal.
    df = None if result.df == 1 else result.df
    if math.isfinite(moments.df):
        df = moments.df if df is None else min(df, moments.df)
    adjusted = SkewnessAdjusted(result.estimate, moments, df)
    return None if moments.error == 0 and not adjusted.too_few() else adjusted


class ConstantDifferences(NamedTuple):
    """Exact test of the mean of bounded, independent differences that are all equal.

    Attributes
    ----------
    n : int
        Number of differences.
    value : float
        Value of each difference.
    bound : float
        Largest possible distance of a difference from 0.

    Notes
    -----
    A gate takes the observed difference v as the value, for records that may have rare
    errors. If they are representative except for a share q of others, each as bad as
    possible, the mean is at the boundary b for q = (v - b) / (v + R), where R is the bound.
    The p-value is (1 - q)^n, the probability that none of n records is one of those, and no
    test that holds for such a distribution has a smaller one. At 0.05 it is no larger than
    that of a t-test from about 3.3 / s² records on, if a difference has a standard
    deviation of s R. A challenger with a large error in one of n records, on average, has
    none in a sample of n with the probability (1 - 1/n)^n, 0.37 for large n.

    Examples
    --------
    >>> from skcompare.stats import ConstantDifferences
    >>> same = ConstantDifferences(n=100, value=0.0, bound=1.0)
    >>> print(f"p = {same.pvalue(-0.05, 'greater'):.4f}")
    p = 0.0059
    """

    n: int
    value: float
    bound: float

    def pvalue(self, null_value: float, alternative: str) -> float:
        """P-value of the null hypothesis that the mean is not beyond the null value.

        The mean of differences of at least -R is at most b. By Markov's inequality the
        probability that one is v or more is then at most (b + R) / (v + R), and that all
        n are, the n-th power of it.
        """
        value, null_value = (outward(x, alternative) for x in (self.value, null_value))
        if null_value >= value:
            return 1.0
        if null_value <= -self.bound:
            return TINY
        share = (null_value + self.bound) / (value + self.bound)
        return max(TINY, share**self.n)

    def limit(self, alpha: float, alternative: str) -> float:
        """One-sided limit: the null value whose p-value is `alpha`."""
        value = outward(self.value, alternative)
        limit = (value + self.bound) * alpha ** (1 / self.n) - self.bound
        return outward(limit, alternative)


def constant_differences(
    evidence: Any, bound: float | None = None
) -> ConstantDifferences | None:
    """Return the constant differences of the evidence; None unless identical and bounded.

    `bound` is that of differences of a loss that declares none.
    """
    value = getattr(evidence, "constant_difference", None)
    return None if value is None else rare_errors(evidence, value, bound)


def rare_errors(
    evidence: Any, estimate: float, bound: float | None = None
) -> ConstantDifferences | None:
    """Return the bound for rare errors that no record shows; None if there is none.

    If the records are typical except for a share q, which are as bad as possible, the mean
    is at the boundary for q = (v - b) / (v + R), and (1 - q)^n is the probability that n
    records have none of these. A smaller p-value would not hold for such a truth.
    """
    names = "groups", "n_independent", "difference_bound"
    groups, n, own_bound = (getattr(evidence, name, None) for name in names)
    if isinstance(evidence, OrderedDifferences):
        # Records of one time may be alike, and so may times that follow each other.
        groups, n = None, influence_moments(evidence).units  # type: ignore[union-attr]
    bound = bound if own_bound is None else own_bound
    if groups is not None or n is None or bound is None or not abs(estimate) <= bound:
        return None
    return ConstantDifferences(n, estimate, bound)


def has_zero_variation(result: Any, limit: float) -> bool:
    """Whether a result has a standard error of 0 or an interval without width."""
    errors = [result.details.get(name) for name in ("standard_error", "se")]
    no_error = any(error == 0 for error in errors)
    return no_error or (math.isfinite(limit) and limit == result.estimate)


SMALLEST = 1e-15
"""Smallest p-value from an interval, whose level is a double below 1."""
UNDERMINED = (
    "calibration-of-few-records",
    "too-few-independent-times",
    "correlated-beyond-horizon",
)
"""Flags of tests whose p-value cannot be trusted."""
HALF = 0.5
"""Largest p-value with which intervals agree."""
STEPS = 60
SIDES = ("greater", "less")


class MarginTest:
    """Registered test bound to its evidence, with cached results.

    Parameters
    ----------
    evidence : object
        The evidence that the test needs.
    entry : PairedTestEntry
        The test.
    options : mapping
        Options of the test.
    bound : float or None, default=None
        Largest possible difference of one record, where its loss declares none.
    """

    def __init__(
        self,
        evidence: Any,
        entry: PairedTestEntry,
        options: Mapping[str, Any],
        bound: float | None = None,
    ) -> None:
        self.evidence, self.entry, self.bound = evidence, entry, bound
        self.options = dict(options)
        self._results: dict[Any, PairedResult] = {}

    def run(self, **options: Any) -> PairedResult:
        """Return the result with additional options, cached after the first run."""
        key = tuple(sorted(options.items()))
        if key not in self._results:
            self._results[key] = self.entry.function(
                self.evidence, **(self.options | options)
            )
        return self._results[key]

    def result_at(self, null_value: float, alternative: str) -> PairedResult:
        """Return the result at a null value, or one whose interval can be inverted there.

        The interval of a result has both directions, so that a test which takes long runs
        once for all null values but that of equal classifiers.
        """
        if "null_value" in self.entry.options:
            return self.run(alternative=alternative, null_value=null_value)
        if null_value == 0 or not self._results:
            return self.run(alternative=alternative)
        return replace(next(iter(self._results.values())), alternative=alternative)

    @cached_property
    def moments(self) -> InfluenceMoments | None:
        """Moments of the difference, from the influence of each unit."""
        return influence_moments(self.evidence, **self.options)


class MarginResult(NamedTuple):
    """Result of a one-sided test of whether a difference is beyond a margin.

    Attributes
    ----------
    null_value : float
        Difference at the margin, challenger minus champion.
    alternative : {"greater", "less"}
        Side of the margin on which the difference is to be shown.
    pvalue : float
        P-value of the null hypothesis that the difference is on the other side or at the
        margin; NaN where it is undefined, with a `reason`.
    limit : float
        One-sided confidence limit of the difference: it is beyond the margin exactly when
        the p-value is below the level. Infinite where nothing is excluded.
    result : PairedResult
        Result of the registered test alone.
    basis : ConstantDifferences, SkewnessAdjusted or None
        Source of p-value and limit, where that is not the registered test alone.
    reason : str
        Reason why the p-value is undefined; empty where it is defined.
    rare_errors : ConstantDifferences or None
        Bound of p-value and limit for rare errors that may be in no record.
    """

    null_value: float
    alternative: str
    pvalue: float
    limit: float
    result: PairedResult
    basis: ConstantDifferences | SkewnessAdjusted | None = None
    reason: str = ""
    rare_errors: ConstantDifferences | None = None

    @property
    def sign(self) -> int:
        """1 if the difference is to be shown to be above the margin, and -1 if below."""
        return 1 if self.alternative == "greater" else -1

    @property
    def distance(self) -> float:
        """Distance of the difference from the margin; positive on the required side."""
        return self.sign * (self.result.estimate - self.null_value)

    def _undefined(self, reason: str, **changes: Any) -> "MarginResult":
        """Return the result without a p-value and a limit, for a reason."""
        changes |= {"pvalue": math.nan, "limit": -self.sign * math.inf}
        return self._replace(reason=reason, **changes)


def margin_test(
    evidence: Any,
    test: str,
    null_value: float = 0.0,
    *,
    alternative: str = "greater",
    alpha: float = 0.05,
    bound: float | None = None,
    **options: Any,
) -> MarginResult:
    """Test one-sidedly whether a difference is beyond a margin.

    The null hypothesis is that the difference, challenger minus champion, is at the margin
    or on its other side. With a `null_value` of -0.02 and the alternative "greater" this is
    the test of noninferiority with a margin of 0.02; with 0, of superiority.

    The p-value is that of a registered test, or the smallest level at which its one-sided
    interval excludes the margin. Tests of means and of scores with standard errors are
    joined by two others, and the largest p-value counts: one that allows for skewness
    (:class:`SkewnessAdjusted`), and one that allows for rare errors that no record shows
    (:class:`ConstantDifferences`). A :class:`~skcompare.gate.Gate` decides by this test.

    Parameters
    ----------
    evidence : object
        The evidence that the test needs.
    test : str
        Name of a registered test of a difference.
    null_value : float, default=0.0
        Difference at the margin.
    alternative : {"greater", "less"}, default="greater"
        Side of the margin on which the difference is to be shown.
    alpha : float, default=0.05
        Level of the limit; 1 - alpha is its confidence level.
    bound : float or None, default=None
        Largest possible difference of one record, for losses that declare no bound.
    **options
        Options of the test, such as `method`.

    Returns
    -------
    result : MarginResult
        `pvalue`, `limit` and, where p is undefined, the `reason`.

    Raises
    ------
    ValueError
        If the test is not of a difference, or an option is out of its range.
    TypeError
        If the test needs other evidence.

    Notes
    -----
    Fewer than 30 records, or 20 of a class or groups, have no p-value from a standard
    error, whatever they show. Where nothing varies in the records, an exact bound takes the
    place of the standard error if one is known, and p is undefined otherwise.

    In the order of time as many records count as would be independent, and the flag
    "too-few-independent-times" leaves no p-value. At the boundary 1 to 6 % of series of 60
    to 2000 records pass at alpha 0.05 (standard error 0.5 %), by
    ``benchmarks/validity/time/gates.py``.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import margin_test
    >>> table = ContingencyTable(160, 9, 11, 20)
    >>> result = margin_test(table, "mcnemar", -0.05, method="exact-unconditional")
    >>> print(f"p = {result.pvalue:.4f}, at least {result.limit:.4f}")
    p = 0.0073, at least -0.0293
    """
    entry = get_test(test)
    if entry.kind != "difference" or "alternative" not in entry.options:
        raise ValueError(
            "A margin needs a test of kind difference with an alternative. Got "
            f"{test!r} of kind {entry.kind}. Choose another one of `skcompare list-tests`, "
            "such as mcnemar."
        )
    if not (is_number(null_value) and math.isfinite(null_value)):
        raise ValueError(
            f"null_value must be a finite difference. Got {null_value!r}. It is minus the "
            "margin for noninferiority, and 0 for superiority."
        )
    check_choice("alternative", alternative, SIDES)
    check_alpha(alpha)
    prepared = MarginTest(evidence, entry, options, bound)
    return margin_result(prepared, null_value, alternative, alpha)


def margin_result(
    test: MarginTest, null_value: float, alternative: str, alpha: float
) -> MarginResult:
    """Run a prepared test at a margin, as :func:`margin_test` does."""
    result = test.result_at(null_value, alternative)
    low, high = result.confidence_interval(1 - alpha)
    limit = low if alternative == "greater" else high
    side = MarginResult(null_value, alternative, result.pvalue, limit, result)
    if has_zero_variation(result, limit):
        basis = constant_differences(test.evidence, test.bound)
        return _without_variation(side, basis, alpha)
    undermined = [flag for flag in result.flags if flag in UNDERMINED]
    if undermined:
        return side._undefined(explain(undermined)[0])
    if null_value != result.null_value and not math.isnan(side.pvalue):
        side = side._replace(pvalue=_inverted(result, null_value, alternative, alpha))
    adjusted = skewness_adjusted(test.entry.name, test.moments, result)
    if adjusted is not None:
        rare = rare_errors(test.evidence, result.estimate, test.bound)
        side = _adjusted(side, adjusted, rare, alpha)
    return _agreeing(side, alpha)


def _without_variation(
    side: MarginResult, basis: ConstantDifferences | None, alpha: float
) -> MarginResult:
    """Return the result of records without variation: by an exact bound, or undefined."""
    if basis is None:
        if side.null_value == side.result.null_value == side.result.estimate:
            return side._replace(pvalue=1.0, limit=-side.sign * math.inf)
        return side._undefined(
            "nothing varies in these records, so that they do not say how much other "
            "records could"
        )
    pvalue = basis.pvalue(side.null_value, side.alternative)
    limit = basis.limit(alpha, side.alternative)
    return _agreeing(side._replace(pvalue=pvalue, limit=limit, basis=basis), alpha)


def _adjusted(
    side: MarginResult,
    adjusted: SkewnessAdjusted,
    rare: ConstantDifferences | None,
    alpha: float,
) -> MarginResult:
    """Return the result with the largest p-value and the widest limit of all tests."""
    if reason := adjusted.too_few():
        return side._undefined(reason, basis=adjusted)
    wider = min if side.alternative == "greater" else max
    pvalue, limit = side.pvalue, side.limit
    for other in (adjusted, rare):
        if other is None:
            continue
        limit = wider(limit, other.limit(alpha, side.alternative))
        # NaN stays NaN.
        if not math.isnan(pvalue):
            pvalue = max(pvalue, other.pvalue(side.null_value, side.alternative))
    return side._replace(pvalue=pvalue, limit=limit, basis=adjusted, rare_errors=rare)


def _agreeing(side: MarginResult, alpha: float) -> MarginResult:
    """Make the p-value and the limit of a result agree despite rounding.

    Where they disagree, the test does not pass.
    """
    if math.isnan(side.pvalue):
        return side._undefined(
            side.reason or f"the p-value of {side.result.test} is undefined"
        )
    pvalue = min(1.0, max(side.pvalue, math.ulp(0.0)))
    beyond = side.sign * side.limit > side.sign * side.null_value
    if pvalue < alpha and not beyond:
        return side._replace(pvalue=alpha)
    if beyond and not pvalue < alpha:
        return side._replace(pvalue=pvalue, limit=side.null_value)
    return side._replace(pvalue=pvalue)


def _inverted(
    result: PairedResult, null_value: float, alternative: str, alpha: float
) -> float:
    """P-value by inversion: smallest level at which the interval excludes the null value.

    Above 1/2 intervals need not go with p-values, so that such a p-value counts as 1.
    """
    if result.estimate == null_value or (result.estimate > null_value) != (
        alternative == "greater"
    ):
        return 1.0

    def excludes(level: float) -> bool:
        low, high = result.confidence_interval(1 - level)
        return low > null_value if alternative == "greater" else high < null_value

    inside, outside = math.log(SMALLEST), math.log(HALF)
    if not excludes(HALF):
        return 1.0
    if excludes(SMALLEST):
        return SMALLEST
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        if excludes(math.exp(middle)):
            outside = middle
        else:
            inside = middle
    pvalue = math.exp(outside)
    # The interval of the level itself decides, also where rounding would not.
    if excludes(alpha):
        return min(pvalue, math.nextafter(alpha, 0.0))
    return max(pvalue, alpha)
