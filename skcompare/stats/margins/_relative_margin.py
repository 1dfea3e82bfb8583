"""Margin as a share of the champion's loss: one-sided tests, and limits by inversion.

The challenger's mean loss is reduced by more than a share s of the champion's exactly if
the mean of 1 - s times the champion's loss minus the challenger's is above 0. So a margin
relative to the champion's loss is tested as a mean of weighted differences. The reductions
that the t test of this mean does not reject are Fieller's interval [1]_; here they are
those that the test of a gate does not reject, which also allows for skewness, for a few
records that decide and for rare errors.

References
----------
.. [1] Fieller, E. C. (1954). "Some problems in interval estimation." Journal of the Royal
   Statistical Society B 16(2), 175-185.
"""

import math
import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from skcompare._core.arrays import slices_of
from skcompare._typing import FloatArray
from skcompare.evidence import OrderedDifferences, PairedLosses
from skcompare.stats.losses._relative_loss import reduction_of
from skcompare.stats.margins._margin_test import (
    MOST_ROWS,
    InfluenceMoments,
    MarginResult,
    MarginTest,
    allowed_df,
    margin_result,
)

CHUNK = 1 << 13
"""Records that are weighed at a time, few enough for the cache."""

PERCENT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}) ?%")
"""Pattern of a relative margin, such as 2 % or 0.5%."""

NOT_OF_MEANS = ("wilcoxon", "anytime_losses", "two_way_t")
"""Tests of losses that are not about a mean, or not at a ratio of means."""

FIRST_STEP, MOST_STEPS = 0.02, 40
"""Distance from the observed ratio at which a limit is sought first, as a share of it,
where nothing better is known, and how often it is doubled."""

LEAST, MOST = 1e-6, 1e6
"""Ratios beyond which no limit is sought."""

PRECISION = 1e-10
"""Relative precision of a limit."""

ROUNDING = 1e-9
"""Size of a negative loss, over the mean loss, up to which it is a rounding error."""

NOWHERE = -1e300
"""Stands for a limit of minus infinity in the search of a root."""


class LossReduction(NamedTuple):
    """Relative reduction of a mean loss: 1 - challenger / champion.

    Attributes
    ----------
    estimate : float
        The observed reduction; above 0 the challenger is better.
    low, high : float
        One-sided confidence limits; minus infinity and 1 where nothing is excluded.
    """

    estimate: float
    low: float
    high: float


def share_of(text: str) -> float | None:
    """Return the share that a relative margin is, or None for any other text."""
    match = PERCENT.fullmatch(text.strip(" "))
    share = math.nan if match is None else float(match[1]) / 100
    return share if 0 < share < 1 else None


def is_of_means(entry: Any) -> bool:
    """Whether a test is of the difference of two mean losses of records."""
    of_losses = PairedLosses, OrderedDifferences
    return entry.needs in of_losses and entry.name not in NOT_OF_MEANS


def check_positive_losses(losses: PairedLosses | OrderedDifferences) -> None:
    """Raise an error unless a share of the champion's mean loss is a margin."""
    if losses.means is None:
        raise ValueError(
            "a relative margin is a share of the champion's mean loss, and only "
            "differences are known. Name the margin in units of the measure"
        )
    champion, least = losses.means[0], 0.0
    if isinstance(losses, OrderedDifferences):
        of_times = losses.champion_sums, losses.challenger_sums
        least = min(0.0 if sums is None else float(sums.min()) for sums in of_times)
        # The challenger's are by differences.
        least = 0.0 if least > -ROUNDING * abs(champion) else least
    elif losses.values is not None:
        least = float(losses.values.min(initial=0.0))
    if champion > 0 and least >= 0:
        return
    got = f"a mean loss of {champion:.4g}"
    if least < 0:
        got = f"a loss of {least:.4g}"
    raise ValueError(
        "a relative margin is a share of the champion's mean loss, which must be above 0, "
        f"of losses that are not below it, and there is {got}. Name the margin in units "
        "of the measure"
    )


def at_ratio(
    test: MarginTest, ratio: float, sums: "WeightedSums | None" = None
) -> MarginTest:
    """Return the test of losses whose gain is 0 where challenger / champion is a ratio."""
    losses = test.evidence
    bound = test.bound if losses.difference_bound is None else losses.difference_bound
    if bound is not None:
        bound *= max(1.0, ratio)
    weighted = losses.weighted(ratio) if sums is None else sums.losses(ratio)
    other = MarginTest(weighted, test.entry, test.options, bound)
    if sums is not None and losses.groups is None and losses.n <= MOST_ROWS:
        # In place of what the records would show.
        other.__dict__["moments"] = sums.moments(weighted, ratio)
    return other


class WeightedSums(NamedTuple):
    """Sums over records that give tests of weighted losses, at any weight.

    A limit is sought at many ratios, and each of them would weigh all records again. The
    sums are those at one ratio, near which the others are, so that little cancels.

    Attributes
    ----------
    ratio : float
        The ratio.
    base : PairedLosses
        The losses of the records at it.
    thirds : tuple of four floats
        Sums of the products g³, g² c, g c² and c³ of the distances of gain and champion's
        loss from their means.
    champions : ndarray of shape (n_groups,) or None
        Sums of the champion's weighted losses by group.
    """

    ratio: float
    base: PairedLosses
    thirds: tuple[float, ...]
    champions: FloatArray | None

    @classmethod
    def of(cls, unweighted: PairedLosses) -> "WeightedSums":
        """Compute the sums at the observed ratio."""
        champion_mean, challenger_mean = unweighted.means
        ratio = challenger_mean / champion_mean or 1.0
        losses = unweighted.weighted(ratio)
        own, groups = losses.moments, losses.groups
        if groups is not None:
            codes, n = groups.codes, groups.n_groups
            sums = np.bincount(codes, losses.champion, n)  # type: ignore[arg-type]
            return cls(ratio, losses, (0.0,) * 4, sums.astype(np.float64))
        thirds = np.zeros(4)
        for rows in slices_of(losses.n, CHUNK):
            champion = losses.champion[rows]
            gain = champion - losses.challenger[rows] - own.gain
            rest = champion - own.champion
            gains, rests = gain * gain, rest * rest
            thirds += gains @ gain, gains @ rest, rests @ gain, rests @ rest
        return cls(ratio, losses, tuple(thirds.tolist()), None)

    def losses(self, ratio: float) -> PairedLosses:
        """Return the moments of losses with the weights (ratio, 1)."""
        groups, weight = self.base.groups, ratio / self.ratio
        weighted = replace(self.base, values=None, groups=None).weighted(weight)
        moments = replace(weighted.moments, extremes=self._extremes(weight))
        if groups is not None and self.champions is not None:
            gains = groups.gains + (weight - 1) * self.champions
            groups = replace(groups, gains=gains, codes=None)
        return replace(weighted, moments=moments, groups=groups)

    def _extremes(self, weight: float) -> tuple[float, float]:
        """Smallest and largest weighted difference of a record."""
        low, high = math.inf, -math.inf
        for rows in slices_of(self.base.n, CHUNK):
            gain = weight * self.base.champion[rows] - self.base.challenger[rows]
            low, high = min(low, float(gain.min())), max(high, float(gain.max()))
        return low, high

    def moments(self, weighted: PairedLosses, ratio: float) -> InfluenceMoments:
        """Return standard error and skewness of the weighted gain."""
        n, square = weighted.n, weighted.moments.gain_squares
        if weighted.moments.gain_deviation == 0:
            return InfluenceMoments(0.0, 0.0, n, "records")
        apart, own = ratio / self.ratio - 1, self.thirds
        third = own[0] + apart * (3 * own[1] + apart * (3 * own[2] + apart * own[3]))
        error = math.sqrt(square / (n - 1) / n)
        df = allowed_df(weighted, weighted.moments.largest_share, n)
        return InfluenceMoments(error, third / square**1.5, n, "records", df=df)


def reduction_result(
    test: MarginTest, reduction: float, alternative: str, alpha: float
) -> MarginResult:
    """Test one-sidedly whether the relative reduction of a mean loss is beyond another.

    Parameters
    ----------
    test : MarginTest
        A test of the difference of two mean losses.
    reduction : float
        The reduction at the margin, such as -0.02 for a challenger that is 2 % worse.
    alternative : {"greater", "less"}
        "greater" means that the challenger is better: that the reduction is greater.
    alpha : float
        Level of the limit.

    Returns
    -------
    result : MarginResult
        Of the gain of weighted losses, at 0.

    Raises
    ------
    ValueError
        If the champion's mean loss is not above 0, or a loss is below 0.
    """
    check_positive_losses(test.evidence)
    return margin_result(at_ratio(test, 1 - reduction), 0.0, alternative, alpha)


def loss_reduction(test: MarginTest, alpha: float) -> LossReduction:
    """Compute the relative reduction of a mean loss with limits, each of a level.

    A limit is the reduction at which the one-sided p-value of the test is the level. That
    of a t test alone is Fieller's.
    """
    losses = test.evidence
    check_positive_losses(losses)
    # Tests of ranks and signs need all records at each ratio, and those in time order.
    in_time = isinstance(losses, OrderedDifferences)
    is_of_sums = not in_time and losses.values is not None and not test.entry.of_records
    sums = WeightedSums.of(losses) if is_of_sums else None
    low, high = (1 - _limit(test, side, alpha, sums) for side in ("greater", "less"))
    return LossReduction(reduction_of(*losses.means), low, high)


def _limit(
    test: MarginTest, alternative: str, alpha: float, sums: WeightedSums | None
) -> float:
    """Limit of challenger / champion: the ratio at which the limit of the gain is 0."""
    champion, challenger = test.evidence.means
    estimate, sign = challenger / champion, 1 if alternative == "greater" else -1

    def reached(ratio: float) -> float:
        """Return a number above 0 if the ratio is excluded."""
        result = margin_result(at_ratio(test, ratio, sums), 0.0, alternative, alpha)
        is_defined = not math.isnan(result.pvalue) and math.isfinite(result.limit)
        return sign * result.limit / champion if is_defined else NOWHERE

    # The limit of the gain is nearly linear in the ratio, so that its distance from 0 at
    # the observed ratio is nearly that of the limit from it.
    inside = max(estimate, PRECISION)
    scale = estimate or 1.0
    short = -reached(inside) / scale
    if short < 0:
        # A challenger without any loss.
        return inside
    step = 1.1 * short if 0 < short < 1 else FIRST_STEP
    for _ in range(MOST_STEPS):
        outside = estimate + step * scale if sign > 0 else estimate / (1 + step)
        if not LEAST < outside < MOST:
            break
        if reached(outside) > 0:
            return float(brentq(reached, inside, outside, xtol=PRECISION * outside))
        inside, step = outside, 2 * step
    return math.inf if sign > 0 else 0.0
