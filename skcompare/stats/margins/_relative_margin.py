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
from typing import Any, NamedTuple

from scipy.optimize import brentq

from skcompare.evidence import PairedLosses
from skcompare.stats.losses._relative_loss import reduction_of
from skcompare.stats.margins._margin_test import MarginResult, MarginTest, margin_result

PERCENT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}) ?%")
"""Pattern of a relative margin, such as 2 % or 0.5%."""

NOT_OF_MEANS = ("wilcoxon", "anytime_losses")
"""Tests of losses that are not about a mean, or not at a ratio of means."""

FIRST_STEP, MOST_STEPS = 0.02, 40
"""Distance from the observed ratio at which a limit is sought first, as a share of it,
where nothing better is known, and how often it is doubled."""

LEAST, MOST = 1e-6, 1e6
"""Ratios beyond which no limit is sought."""

PRECISION = 1e-10
"""Relative precision of a limit."""

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
    return entry.needs is PairedLosses and entry.name not in NOT_OF_MEANS


def check_positive_losses(losses: PairedLosses) -> None:
    """Raise an error unless a share of the champion's mean loss is a margin."""
    champion = losses.means[0]
    least = 0.0 if losses.values is None else float(losses.values.min(initial=0.0))
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


def at_ratio(test: MarginTest, ratio: float) -> MarginTest:
    """Return the test of losses whose gain is 0 where challenger / champion is a ratio."""
    losses = test.evidence
    bound = test.bound if losses.difference_bound is None else losses.difference_bound
    if bound is not None:
        bound *= max(1.0, ratio)
    return MarginTest(losses.weighted(ratio), test.entry, test.options, bound)


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
    check_positive_losses(test.evidence)
    low, high = (1 - _limit(test, side, alpha) for side in ("greater", "less"))
    return LossReduction(reduction_of(*test.evidence.means), low, high)


def _limit(test: MarginTest, alternative: str, alpha: float) -> float:
    """Limit of challenger / champion: the ratio at which the limit of the gain is 0."""
    champion, challenger = test.evidence.means
    estimate, sign = challenger / champion, 1 if alternative == "greater" else -1

    def reached(ratio: float) -> float:
        """Return a number above 0 if the ratio is excluded."""
        result = margin_result(at_ratio(test, ratio), 0.0, alternative, alpha)
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
