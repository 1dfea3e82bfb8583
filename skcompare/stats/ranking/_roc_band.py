"""Difference of two ROC curves by false positive rate, with confidence bands."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from skcompare._core.flags import explain
from skcompare._core.formatting import format_confidence, format_number
from skcompare._core.validation import check_confidence_level, check_count
from skcompare._io.columns import frame_from_columns
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence import PlacementValues
from skcompare.stats.calibration._calibration_difference import FEW_GROUPS, GROUPS_ARE_FEW
from skcompare.stats.ranking._delong import check_two
from skcompare.stats.ranking._placement_moments import score_flags
from skcompare.stats.ranking._roc_curves import (
    RocCurve,
    Rows,
    default_resamples,
    resampled,
    rows_of,
    same_ranking,
)
from skcompare.stats.scores._resampling import generator

COLUMNS = (
    "fpr",
    "champion",
    "challenger",
    "difference",
    "standard_error",
    "low",
    "high",
    "simultaneous_low",
    "simultaneous_high",
)


@dataclass(frozen=True, slots=True, eq=False)
class RocDifferenceBand:
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
    def caveats(self) -> list[str]:
        """Flags with their text."""
        return explain(self.flags)

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
        return {name: getattr(self, name).tolist() for name in COLUMNS} | {
            "critical_value": self.critical_value,
            "confidence_level": self.confidence_level,
            "n_resamples": self.n_resamples,
            "n_positives": self.n_positives,
            "n_negatives": self.n_negatives,
            "names": list(self.names),
            "flags": list(self.flags),
        }

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

EQUAL_RANKINGS = "equal-rankings"


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
    .. [1] Pepe, M. S. (2003). The Statistical Evaluation of Medical Tests for
       Classification and Prediction. Oxford University Press, chapter 5.
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
    rows, drawn = rows_of(placements)
    if n_resamples is None:
        n_resamples = default_resamples(drawn)
    check_count("n_resamples", n_resamples, least=50)
    champion, challenger = _curves(rows, rates)
    difference = challenger - champion
    if same_ranking(placements.scores[0], placements.scores[1]):
        spread = Spread(np.zeros(len(rates)), float(ndtri((1 + level) / 2)))
        flags = (EQUAL_RANKINGS, *flags)
    else:
        spread = _spread(drawn, rates, n_resamples, level, generator(random_state))
    if placements.groups is not None and (placements.n_groups or 0) < FEW_GROUPS:
        flags = (GROUPS_ARE_FEW, *flags)
    z = float(ndtri((1 + level) / 2))
    return RocDifferenceBand(
        rates,
        champion,
        challenger,
        difference,
        spread.errors,
        *_limits(difference, z * spread.errors),
        *_limits(difference, spread.critical * spread.errors),
        spread.critical,
        level,
        n_resamples,
        placements.n_positives,
        placements.n_negatives,
        placements.names,
        flags,
    )


class Spread(NamedTuple):
    """Standard error at each rate, and the simultaneous critical value."""

    errors: FloatArray
    critical: float


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
            "says nothing of new ones. Collect more, or leave `groups` out if the records "
            "are unrelated after all."
        )


def _curves(rows: Rows, rates: FloatArray) -> list[FloatArray]:
    """Observed sensitivities of champion and challenger."""
    return [
        RocCurve(score, rows.positive).sensitivities(*rows.counted, rates)[0]
        for score in rows.scores
    ]


def _spread(
    rows: Rows,
    rates: FloatArray,
    n_resamples: int,
    level: float,
    rng: np.random.Generator,
) -> Spread:
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
    return Spread(errors, critical)


def _effective(rows: Rows, grouped_variance: float, ungrouped_variance: float) -> float:
    """Effective number of positive records, from the variances with and without groups.

    It is at least the number of groups.
    """
    assert rows.groups is not None
    n_positives = float(rows.counted[0].sum())
    n_groups = float(len(np.unique(rows.groups[rows.positive])))
    if ungrouped_variance == 0:
        return n_groups
    return min(
        n_positives,
        max(
            n_groups,
            n_positives * ungrouped_variance / max(grouped_variance, ungrouped_variance),
        ),
    )


def _limits(difference: FloatArray, half: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limits, clipped to [-1, 1]."""
    return np.maximum(difference - half, -1.0), np.minimum(difference + half, 1.0)
