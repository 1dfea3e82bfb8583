"""ROC curves of two classifiers, and the band of their difference."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from skcompare._core.arrays import plain_values
from skcompare._core.formatting import format_confidence, format_number
from skcompare._core.validation import check_confidence_level, check_count
from skcompare._io.columns import frame_from_columns
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence import PlacementValues, combined_cells, same_ranking
from skcompare.stats.core._result import Flagged, few_groups
from skcompare.stats.core._tails import blocks_of
from skcompare.stats.ranking._delong import check_two, score_flags
from skcompare.stats.scores._resampling import counted_units, generator

SNAP = 1e-12
"""A rate this close to a whole number of records, as a share of them, is that number."""


class RocCurve:
    """ROC curve of one score at any false positive rate, for any weights of the records.

    The curve goes from threshold to threshold; records with tied scores pass a threshold
    together, along a straight line. At a false positive rate with several sensitivities
    the value is the greatest, which is reached without a further false positive.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        Greater for the positive class.
    positive : ndarray of shape (n_rows,), dtype bool
        True for rows of the positive class.
    """

    def __init__(self, score: FloatArray, positive: NDArray[np.bool_]) -> None:
        positives, negatives = -score[positive], -score[~positive]
        self._positives: IntArray = np.argsort(positives, kind="stable")
        self._negatives: IntArray = np.argsort(negatives, kind="stable")
        positives, negatives = positives[self._positives], negatives[self._negatives]
        # Runs of negative records with tied scores; they alone change the rate.
        last = np.flatnonzero(np.append(negatives[1:] != negatives[:-1], True))
        values = negatives[last]
        # Rows above the threshold: at the end of a run, and before the next run begins.
        self._passed: IntArray = np.append(0, last + 1)
        self._at_run_end: IntArray = np.append(
            0, np.searchsorted(positives, values, "right")
        )
        above = np.searchsorted(positives, values, "left")
        self._before_next_run: IntArray = np.append(above, len(positives))

    def sensitivities(
        self,
        positives: IntArray,
        negatives: IntArray,
        rates: FloatArray,
        *,
        before: bool = False,
    ) -> FloatArray:
        """Return sensitivities at false positive rates, one row per row of weights.

        Parameters
        ----------
        positives, negatives : ndarray of shape (n_resamples, n_positive_rows) or \
                (n_resamples, n_negative_rows), of whole numbers
            Weight of each row of a class; each class has a positive one.
        rates : ndarray of shape (n_rates,)
            False positive rates between 0 and 1.
        before : bool, default=False
            Return the sensitivity just before a rate instead of that at it.
        """
        passed = _cumulative(negatives, self._negatives)[:, self._passed]
        true_positives = _cumulative(positives, self._positives)
        totals, n_vertices = passed[:, -1:], passed.shape[1]
        n_false = _without_rounding(totals * rates, totals)
        n_whole = np.ceil(n_false).astype(np.int64) if before else n_false.astype(np.int64)
        # One search for all rows: the offsets keep the values of the rows apart.
        offset = np.arange(len(passed))[:, np.newaxis] * (int(totals.max()) + 1)
        position = np.searchsorted(
            (passed + offset).reshape(-1),
            (n_whole + offset).reshape(-1),
            "left" if before else "right",
        ).reshape(n_whole.shape)
        position -= np.arange(len(passed))[:, np.newaxis] * n_vertices
        start = np.maximum(position - 1, 0)
        end = np.minimum(start + 1, n_vertices - 1)
        rows = np.arange(len(passed))[:, np.newaxis]
        low, high = passed[rows, start], passed[rows, end]
        share = np.divide(
            n_false - low, high - low, out=np.zeros(n_false.shape), where=high > low
        )
        base = true_positives[rows, self._before_next_run[start]]
        if before:
            base = np.where(position == 0, true_positives[rows, self._at_run_end[0]], base)
        n_true = base + share * (true_positives[rows, self._at_run_end[end]] - base)
        return np.asarray(n_true / true_positives[:, -1:], dtype=np.float64)


def _cumulative(weights: IntArray, order: IntArray) -> IntArray:
    """Cumulative sums of the weights in a given order, starting from 0."""
    sums = np.zeros((len(weights), weights.shape[1] + 1), dtype=np.int64)
    np.cumsum(weights[:, order], axis=1, out=sums[:, 1:])
    return sums


def _without_rounding(numbers: FloatArray, totals: IntArray) -> FloatArray:
    """Numbers of records, without the rounding errors of the rates."""
    nearest = np.rint(numbers)
    return np.where(np.abs(numbers - nearest) <= SNAP * totals, nearest, numbers)


MOST_ROWS = 200_000
"""Largest number of rows to resample one by one; more are counted in cells first."""

NODES = 150
"""Number of quantiles of each class at which scores are cut, into 300 bins in total."""

CHUNK = 1 << 20
"""Largest number of weights in memory at a time."""

RESAMPLES, QUICK = (2000, 1000, 400), (20_000, MOST_ROWS)
"""Default numbers of resamples, and most rows for each of them but the last."""

TRIES = 20
"""Largest number of resamples to draw per resample in which both classes occur."""


class Rows(NamedTuple):
    """Rows to resample: records, or cells of records with their counts."""

    positive: NDArray[np.bool_]
    scores: FloatArray
    repeats: IntArray | None
    groups: IntArray | None

    @property
    def counted(self) -> tuple[IntArray, IntArray]:
        """Numbers of records of the positive and of the negative rows, of shape (1, n)."""
        counts = self.counts[np.newaxis]
        return counts[:, self.positive], counts[:, ~self.positive]

    @property
    def counts(self) -> IntArray:
        """Number of records of each row."""
        ones = np.ones(len(self.positive), np.int64)
        return ones if self.repeats is None else self.repeats


def curves_at(
    placements: PlacementValues, rates: FloatArray, *, before: bool = False
) -> FloatArray:
    """Sensitivities of each classifier at false positive rates, or just before them."""
    rows = Rows(placements.positive, placements.scores, placements.repeats, None)
    curves = (RocCurve(score, rows.positive) for score in rows.scores)
    return np.array(
        [curve.sensitivities(*rows.counted, rates, before=before)[0] for curve in curves]
    )


def rows_of(placements: PlacementValues) -> Rows:
    """Rows to resample, merged into cells if there are many."""
    groups = None if placements.groups is None else placements.group_codes()
    rows = Rows(placements.positive, placements.scores, placements.repeats, groups)
    if groups is not None or len(rows.positive) <= MOST_ROWS:
        return rows
    weights = rows.counts
    codes = np.array(
        [_bins(score, rows.positive, weights) for score in rows.scores], np.float64
    )
    return Rows(*combined_cells(rows.positive, codes, weights), None)


def default_resamples(rows: Rows) -> int:
    """Default number of resamples, which takes a few seconds."""
    return RESAMPLES[bisect_left(QUICK, len(rows.positive))]


def resampled(
    rows: Rows, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield weights of the positive and negative rows, in batches of resamples."""
    if rows.groups is not None:
        yield from _resampled_groups(rows, rows.groups, n_resamples, rng)
        return
    step = max(1, CHUNK // len(rows.positive))
    for size in blocks_of(n_resamples, step):
        positives, negatives = (
            _drawn_rows(len(counts[0]), size, rng)
            if rows.repeats is None
            else rng.multinomial(counts[0].sum(), counts[0] / counts[0].sum(), size)
            for counts in rows.counted
        )
        yield positives, negatives


def _drawn_rows(n: int, size: int, rng: np.random.Generator) -> IntArray:
    """Counts of n rows in n draws with replacement, one row per resample."""
    return counted_units(rng.integers(n, size=(size, n)), n)


def _resampled_groups(
    rows: Rows, groups: IntArray, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield weights of resampled groups; resamples without a class are drawn again."""
    n_groups = int(groups.max()) + 1
    positive_groups, negative_groups = groups[rows.positive], groups[~rows.positive]
    step = max(1, CHUNK // len(groups))
    n_done = n_drawn = 0
    while n_done < n_resamples:
        weights = _drawn_rows(n_groups, min(step, n_resamples), rng)
        positives, negatives = weights[:, positive_groups], weights[:, negative_groups]
        usable = np.flatnonzero(positives.any(axis=1) & negatives.any(axis=1))
        usable = usable[: n_resamples - n_done]
        n_done, n_drawn = n_done + len(usable), n_drawn + len(weights)
        if n_done < n_resamples and n_drawn > TRIES * n_resamples:
            raise ValueError(
                "Resamples of the groups need records of both classes. Got one class only "
                f"in {100 * (1 - n_done / n_drawn):.0f} % of them, because few groups have "
                "the other. Collect more groups."
            )
        if len(usable):
            yield positives[usable], negatives[usable]


def _bins(score: FloatArray, positive: NDArray[np.bool_], weights: IntArray) -> IntArray:
    """Bins of a score, cut at quantiles of both classes with levels denser near 0 and 1.

    Between two cuts a curve is taken as straight. Its variation there beyond the cuts is
    about one hundredth of its variance, the same at all rates.
    """
    order = np.argsort(score, kind="stable")
    ordered = score[order]
    cuts = []
    for members in (positive, ~positive):
        cumulative = np.cumsum(np.where(members[order], weights[order], 0))
        log_odds = np.log(2.0 * cumulative[-1])
        shares = expit(np.linspace(-log_odds, log_odds, NODES)) * cumulative[-1]
        cuts.append(
            ordered[np.minimum(np.searchsorted(cumulative, shares), len(cumulative) - 1)]
        )
    return np.searchsorted(np.unique(np.concatenate(cuts)), score, "left")


@dataclass(frozen=True, slots=True, eq=False)
class RocDifferenceBand(Flagged):
    """Difference of two ROC curves, with pointwise and simultaneous bands.

    Attributes
    ----------
    fpr : ndarray of shape (n_rates,)
        False positive rates.
    champion, challenger : ndarray of shape (n_rates,)
        Sensitivity of each at these rates.
    difference : ndarray of shape (n_rates,)
        Sensitivity of the challenger minus that of the champion.
    standard_error : ndarray of shape (n_rates,)
        Standard error of the difference; 0 at rate 1, where all records are predicted
        positive.
    low, high : ndarray of shape (n_rates,)
        Pointwise band: limits for a rate that was chosen beforehand.
    simultaneous_low, simultaneous_high : ndarray of shape (n_rates,)
        Simultaneous band: limits that hold at all rates together.
    critical_value : float
        Standard errors from the difference to the simultaneous band.
    confidence_level : float
    n_resamples, n_positives, n_negatives : int
    names : tuple of str
        Champion and challenger.
    flags : tuple of str
        Codes of caveats; `caveats` has their texts.
    """

    fpr: FloatArray
    champion: FloatArray
    challenger: FloatArray
    difference: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray
    simultaneous_low: FloatArray
    simultaneous_high: FloatArray
    critical_value: float
    confidence_level: float
    n_resamples: int
    n_positives: int
    n_negatives: int
    names: tuple[str, ...]
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in COLUMNS:
            getattr(self, name).setflags(write=False)

    @property
    def ranges(self) -> tuple[tuple[float, float, str], ...]:
        """Ranges of rates between 0 and 1 at which the simultaneous band excludes 0.

        Each range is (from, to, role of the more sensitive classifier).
        """
        sides = (self.simultaneous_low > 0).astype(int)
        sides -= self.simultaneous_high < 0
        sides[(self.fpr == 0) | (self.fpr == 1)] = 0
        starts = np.flatnonzero(np.diff(sides, prepend=0))
        ends = [*starts[1:], len(sides)] if len(starts) else []
        return tuple(
            (
                float(self.fpr[start]),
                float(self.fpr[end - 1]),
                "challenger" if sides[start] > 0 else "champion",
            )
            for start, end in zip(starts, ends, strict=True)
            if sides[start]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the band as a dictionary of lists, numbers and strings."""
        return plain_values(self)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the band as a data frame with one row per false positive rate.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.
        """
        columns = {name: getattr(self, name).tolist() for name in COLUMNS}
        return frame_from_columns(columns, backend)

    def __str__(self) -> str:
        level = format_confidence(1 - self.confidence_level)
        lines = [
            f"difference of ROC curves, {self.n_positives} positive and "
            f"{self.n_negatives} negative records, {self.n_resamples} resamples",
            f"{level} band at all rates: {range_text(self.ranges)}",
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])


COLUMNS = tuple(field.name for field in fields(RocDifferenceBand))[:9]
"""Attributes that are arrays with one element per false positive rate."""


def range_text(ranges: tuple[tuple[float, float, str], ...]) -> str:
    """Format the two widest ranges where a band excludes 0, and the number of others."""
    if not ranges:
        return "no difference of the sensitivities is found"
    widest = sorted(sorted(ranges, key=lambda limits: limits[0] - limits[1])[:2])
    texts = []
    for role in dict.fromkeys(role for *_, role in widest):
        # Rates have three decimals, enough for one false positive among MOST_RATES.
        rates = [
            f"from {format_number(low)} to {format_number(high)}"
            if high > low
            else f"of {format_number(low)}"
            for low, high, range_role in widest
            if range_role == role
        ]
        texts.append(
            f"the {role} is more sensitive at false positive rates {' and '.join(rates)}"
        )
    n_others = len(ranges) - len(widest)
    if n_others:
        texts.append(f"{n_others} shorter range{'s' if n_others > 1 else ''} more")
    return ", ".join(texts)


MOST_RATES = 500
"""Negative records up to which every possible rate is used."""

ALONE = 200
"""Resamples without the groups, for the dependence of the records of a group."""


def roc_difference_band(
    placements: PlacementValues,
    *,
    fpr: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    random_state: Any = 0,
) -> RocDifferenceBand:
    """Estimate the difference of two ROC curves, with pointwise and simultaneous bands.

    Curves that cross may have equal areas. This is the difference of the sensitivities at
    each false positive rate, with a band for a rate that was chosen beforehand and a wider
    one that holds at all rates together.

    Parameters
    ----------
    placements : PlacementValues
        Scores of two classifiers for the records of a hold-out set, the champion first.
    fpr : array-like of shape (n_rates,), optional
        False positive rates, increasing, between 0 and 1. By default all rates that the
        negative records can have, or, for more than 500 of them, 0, 0.002 and so on to 1.
    confidence_level : float, default=0.95
        Confidence level of either band.
    n_resamples : int, optional
        Number of bootstrap resamples, at least 50; by default 2000, or 1000 for more than
        20,000 records, and 400 for more than 200,000 that come in groups.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the resamples.

    Returns
    -------
    band : RocDifferenceBand
        `difference` is sensitivity(challenger) - sensitivity(champion) at each rate.

    Raises
    ------
    ValueError
        If there are not two classifiers, a class is missing, the records were not those of
        one hold-out set, or there is one group only. Models of
        different training sets have no common threshold, and so no common curve.

    Notes
    -----
    At each rate either classifier has a threshold of its own, so that both have the same
    number of false positives. Records with tied scores pass a threshold together, along a
    straight line, as in :func:`sklearn.metrics.roc_curve`; the integral of the difference
    is the difference of the AUCs.

    Positive and negative records are resampled apart, both classifiers on the same
    records [1]_, or whole groups where there are any. The standard error at a rate is the
    standard deviation of the differences of the resamples, to whose square 2 / (m + 2)² is
    added, m being the number of positive records: as if one more of them had been detected
    by either classifier alone, as Bonett and Price do for two proportions [2]_. Without it
    the variance would be 0 where all observed sensitivities are 1, however few the records.
    For records in groups, m is divided by the ratio of the variances of resampled groups
    and of resampled records, and is at least the number of groups.

    The pointwise band is the difference minus and plus normal quantiles of standard errors.
    The simultaneous band uses instead the quantile, over the resamples, of the greatest
    distance from the difference over all rates between 0 and 1, in standard errors.

    ``benchmarks/validity/ranking/roc_band.py`` measures how often the bands contain the
    true difference: with 20 to 200 positive records the simultaneous one in 94 to 99.9 % of
    samples, the pointwise one in 96 to 99.8 % on average over the rates, and in 87 to 97 %
    at the rate with the lowest coverage. Limits at rates of one or two negative records are
    rough, because they rest on so few.

    For more than 200,000 rows the curves are those of all records; their variances are
    estimated from counts of the records in 300 bins of each score, which are closest where
    the records of a class are fewest. Classifiers that rank all records identically have a
    band of no width, flagged "equal-rankings". Other flags are "few-records-of-a-class"
    (fewer than 10), "few-groups" (fewer than 10), "few-distinct-scores" and
    "binned-scores".

    References
    ----------
    .. [1] Pepe, M. S. (2003). "The statistical evaluation of medical tests for
       classification and prediction." Oxford University Press, chapter 5.
    .. [2] Bonett, D. G. and Price, R. M. (2012). "Adjusted Wald confidence interval for a
       difference of binomial proportions based on paired data." Journal of Educational
       and Behavioral Statistics 37(4), 479-488.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import roc_difference_band
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> champion = y + rng.normal(size=400)
    >>> challenger = 2 * y + rng.normal(size=400)
    >>> placements = PlacementValues.from_predictions(y, champion, challenger)
    >>> band = roc_difference_band(placements, fpr=[0.05, 0.1, 0.2, 0.5])
    >>> band.difference.round(2).tolist()
    [0.4, 0.44, 0.36, 0.18]
    >>> band.low.round(2).tolist()
    [0.22, 0.31, 0.23, 0.08]
    """
    check_two(placements, "roc_difference_band")
    level = check_confidence_level(confidence_level)
    _check_hold_out(placements)
    # Raises an error if a class is missing.
    flags = score_flags(placements)
    rates = usual_rates(placements.n_negatives) if fpr is None else _check_rates(fpr)
    drawn = rows_of(placements)
    if n_resamples is None:
        n_resamples = default_resamples(drawn)
    check_count("n_resamples", n_resamples, least=50)
    champion, challenger = curves_at(placements, rates)
    difference = challenger - champion
    z = float(ndtri((1 + level) / 2))
    if same_ranking(placements.scores[0], placements.scores[1]):
        errors, critical = np.zeros(len(rates)), z
        flags = ("equal-rankings", *flags)
    else:
        rng = generator(random_state)
        errors, critical = _spread(drawn, rates, n_resamples, level, rng)
    if placements.n_groups is not None:
        flags = few_groups(placements.n_groups) + flags
    return RocDifferenceBand(
        rates,
        champion,
        challenger,
        difference,
        errors,
        *_limits(difference, z * errors),
        *_limits(difference, critical * errors),
        critical,
        level,
        n_resamples,
        placements.n_positives,
        placements.n_negatives,
        placements.names,
        flags,
    )


def usual_rates(n_negatives: int) -> FloatArray:
    """Default false positive rates: all that `n_negatives` records allow, at most 501."""
    n = min(n_negatives, MOST_RATES)
    return np.arange(n + 1) / n


def _check_rates(fpr: ArrayLike) -> FloatArray:
    rates = np.array(fpr, dtype=np.float64)
    if (
        rates.ndim != 1
        or not len(rates)
        or not ((rates >= 0) & (rates <= 1)).all()
        or (np.diff(rates) <= 0).any()
    ):
        raise ValueError(
            "`fpr` must be false positive rates between 0 and 1, increasing, of shape "
            f"(n_rates,). Got {fpr!r:.80}. Leave it out for all of them."
        )
    return rates


def _check_hold_out(placements: PlacementValues) -> None:
    if placements.design.kind != "holdout":
        raise ValueError(
            "roc_difference_band needs the records of one hold-out set. Got "
            f"{placements.design}. Scores of models of different training sets have no "
            "common threshold: compare trained models on a hold-out set, or average the "
            "curves of the splits by RocComparisonDisplay, which have no band."
        )
    if placements.groups is not None and placements.n_groups == 1:
        raise ValueError(
            "roc_difference_band needs records of at least 2 groups. Got 1 group, which "
            "says nothing about new ones. Collect more, or leave `groups` out if the "
            "records are independent after all."
        )


def _spread(
    rows: Rows, rates: FloatArray, n_resamples: int, level: float, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """Standard error at each rate, and the simultaneous critical value."""
    champion, challenger = (RocCurve(score, rows.positive) for score in rows.scores)

    def differences(resamples: Iterable[tuple[IntArray, IntArray]]) -> FloatArray:
        return np.concatenate(
            [
                challenger.sensitivities(*weights, rates)
                - champion.sensitivities(*weights, rates)
                for weights in resamples
            ]
        )

    centre = differences([rows.counted])
    resampled_differences = differences(resampled(rows, n_resamples, rng))
    variances = resampled_differences.var(axis=0, ddof=1)
    n_effective = float(rows.counted[0].sum())
    if rows.groups is not None:
        ungrouped = differences(resampled(rows._replace(groups=None), ALONE, rng))
        n_effective = _effective(
            rows, float(variances.sum()), float(ungrouped.var(axis=0).sum())
        )
    variances += 2 / (n_effective + 2) ** 2
    # At rate 1 all records of both classes are predicted positive, at any threshold.
    errors = np.where(rates == 1, 0.0, np.sqrt(variances))
    inside = (rates > 0) & (rates < 1)
    critical = float(ndtri((1 + level) / 2))
    if inside.any():
        distances = np.abs(resampled_differences - centre)[:, inside] / errors[inside]
        quantile = np.quantile(distances.max(axis=1), level, method="higher")
        critical = max(critical, float(quantile))
    return errors, critical


def _effective(rows: Rows, grouped_variance: float, ungrouped_variance: float) -> float:
    """Effective number of positive records, from the variances with and without groups.

    It is at least the number of groups.
    """
    assert rows.groups is not None
    n_positives = float(rows.counted[0].sum())
    n_groups = float(len(np.unique(rows.groups[rows.positive])))
    if ungrouped_variance == 0:
        return n_groups
    share = ungrouped_variance / max(grouped_variance, ungrouped_variance)
    return min(n_positives, max(n_groups, n_positives * share))


def _limits(difference: FloatArray, half: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limits, clipped to [-1, 1]."""
    return np.maximum(difference - half, -1.0), np.minimum(difference + half, 1.0)
