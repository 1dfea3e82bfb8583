"""Losses of forecasts that state how uncertain they are, record by record.

Forecasts are quantiles, of which an interval has two, normal distributions, or samples. All
losses but that of coverage are proper: no other forecast has a smaller expected loss than
the true distribution, or its quantiles.
"""

import math
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
from scipy.special import erf

from skcompare._core.arrays import slices_of
from skcompare._core.validation import is_number
from skcompare._registry.metrics import NUMBERS, QUANTILES, SAMPLES, STD, record_loss
from skcompare._typing import FloatArray
from skcompare.evidence.losses._number_losses import pinball

DIGITS = 12
"""Decimals to which levels of quantiles are rounded."""

CHUNK = 1 << 16
"""Number of sampled values that are sorted at a time."""


@record_loss("interval_score", target=NUMBERS, needs=QUANTILES, expression=True)
def interval_score(
    ops: Any,
    y: Any,
    quantiles: Sequence[Any],
    levels: tuple[float, ...],
    *,
    coverage: float | None = None,
) -> Any:
    """How wide is the interval, and how far outside of it is the number [1]_?

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y : column
        True numbers.
    quantiles : sequence of columns
        Predicted quantiles, one column per level.
    levels : tuple of float
        The levels, in increasing order.
    coverage : float, optional
        Coverage of a central interval, such as 0.9 for the quantiles of levels 0.05 and
        0.95. By default the interval is between the first and the last quantile.

    Returns
    -------
    losses : column
        The width, plus the distance from the interval over the level that is left out on
        that side: 2 / alpha times the distance for a central interval of coverage
        1 - alpha (section 6.2 of [1]_). In the units of the target, at least 0.

    References
    ----------
    .. [1] Gneiting, T. and Raftery, A. E. (2007). "Strictly proper scoring rules,
       prediction, and estimation." Journal of the American Statistical Association
       102(477), 359-378.
    """
    first, last = _limits("interval_score", levels, coverage)
    low, high = ops.let(quantiles[first], quantiles[last])
    below, above = ops.let(low - y, y - high)
    below, above = (ops.where(miss > 0, miss, 0.0) for miss in (below, above))
    return high - low + below / levels[first] + above / (1.0 - levels[last])


@record_loss("miscoverage_loss", target=NUMBERS, needs=QUANTILES, expression=True, bound=1)
def miscoverage_loss(
    ops: Any,
    y: Any,
    quantiles: Sequence[Any],
    levels: tuple[float, ...],
    *,
    coverage: float | None = None,
) -> Any:
    """Is the number outside the interval?

    Its mean is one minus the coverage. A wide interval is never wrong, so that fewer misses
    are no better forecast: compare the interval score too.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y : column
        True numbers.
    quantiles : sequence of columns
        Predicted quantiles, one column per level.
    levels : tuple of float
        The levels, in increasing order.
    coverage : float, optional
        Coverage of a central interval, such as 0.9 for the quantiles of levels 0.05 and
        0.95. By default the interval is between the first and the last quantile.

    Returns
    -------
    losses : column
        1 outside the interval, and 0 within it and at its limits.
    """
    first, last = _limits("miscoverage_loss", levels, coverage)
    return ops.flag((y < quantiles[first]) | (y > quantiles[last]))


def _limits(
    name: str, levels: tuple[float, ...], coverage: float | None
) -> tuple[int, int]:
    """Return the positions of the limits of an interval among the quantiles."""
    if coverage is None:
        if len(levels) < 2:
            raise ValueError(
                f"{name} needs an interval, or two quantiles. Got the levels {levels}. "
                "Pass 'intervals' by coverage, or the quantiles of two levels."
            )
        return 0, len(levels) - 1
    if not is_number(coverage) or not 0 < coverage < 1:
        raise ValueError(
            f"`coverage` of {name} must be a number between 0 and 1. Got {coverage!r}. It "
            "is the share of the numbers that an interval is to cover."
        )
    sides = tuple(round((1 + sign * coverage) / 2, DIGITS) for sign in (-1, 1))
    known = [round(level, DIGITS) for level in levels]
    if not set(sides) <= set(known):
        raise ValueError(
            f"coverage={coverage!r} of {name} needs quantiles of the levels {sides}. Got "
            f"the levels {levels}. Pass them, or choose another coverage."
        )
    return known.index(sides[0]), known.index(sides[1])


@record_loss("weighted_interval_score", target=NUMBERS, needs=QUANTILES, expression=True)
def weighted_interval_score(
    ops: Any, y: Any, quantiles: Sequence[Any], levels: tuple[float, ...]
) -> Any:
    """How far are the median and central intervals from the number, on average [1]_?

    The mean of the absolute error of the median, halved, and of the interval scores, each
    times alpha / 2 for a coverage of 1 - alpha. This is twice the mean pinball loss of all
    quantiles (equation (1) and section 2.2 of [1]_).

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y : column
        True numbers.
    quantiles : sequence of columns
        Predicted quantiles, one column per level.
    levels : tuple of float
        The levels: 0.5, and pairs that leave out the same on both sides.

    Returns
    -------
    losses : column
        In the units of the target, at least 0.

    References
    ----------
    .. [1] Bracher, J., Ray, E. L., Gneiting, T. and Reich, N. G. (2021). "Evaluating
       epidemic forecasts in an interval format." PLOS Computational Biology 17(2),
       e1008618.
    """
    mirrored = [round(1 - level, DIGITS) for level in reversed(levels)]
    if len(levels) % 2 == 0 or mirrored != [round(level, DIGITS) for level in levels]:
        raise ValueError(
            "weighted_interval_score needs the median, and central intervals. Got the "
            f"levels {levels}. Pass 0.5, and others in pairs, such as 0.05 and 0.95; "
            "crps_quantiles takes any."
        )
    share = 2.0 / len(levels)
    return _pinballs(ops, y, quantiles, levels, [share] * len(levels))


@record_loss(
    "crps_quantiles",
    title="CRPS of quantiles",
    target=NUMBERS,
    needs=QUANTILES,
    expression=True,
)
def crps_quantiles(
    ops: Any, y: Any, quantiles: Sequence[Any], levels: tuple[float, ...]
) -> Any:
    """How far is a distribution from the number, by its quantiles [1]_?

    The continuous ranked probability score is twice the integral of the pinball loss over
    all levels from 0 to 1 [1]_. Here each quantile stands for the levels that are nearer to
    it than to others, so that unequal distances between levels do no harm. Of levels
    (k - 1/2) / K the loss is twice the mean pinball loss.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y : column
        True numbers.
    quantiles : sequence of columns
        Predicted quantiles, one column per level.
    levels : tuple of float
        The levels, in increasing order.

    Returns
    -------
    losses : column
        In the units of the target, at least 0.

    References
    ----------
    .. [1] Gneiting, T. and Ranjan, R. (2011). "Comparing density forecasts using
       threshold- and quantile-weighted scoring rules." Journal of Business & Economic
       Statistics 29(3), 411-422.
    """
    halfway = [(a + b) / 2 for a, b in pairwise(levels)]
    edges = [0.0, *halfway, 1.0]
    weights = [2.0 * (b - a) for a, b in pairwise(edges)]
    return _pinballs(ops, y, quantiles, levels, weights)


def _pinballs(
    ops: Any,
    y: Any,
    quantiles: Sequence[Any],
    levels: Sequence[float],
    weights: Sequence[float],
) -> Any:
    """Return a weighted sum of the pinball losses of all quantiles."""
    terms = zip(quantiles, levels, weights, strict=True)
    return reduce(add, (w * pinball(ops, y, own, level) for own, level, w in terms))


@record_loss("crps_normal", title="CRPS of a normal forecast", target=NUMBERS, needs=STD)
def crps_normal(y: FloatArray, predicted: FloatArray, std: FloatArray) -> FloatArray:
    """How far is a normal distribution from the number [1]_?

    The continuous ranked probability score: the integral of the squared distance between
    the distribution function and that of the number. It is the absolute error where the
    standard deviation tends to 0.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        True numbers.
    predicted, std : ndarray of shape (n_samples,)
        Means and standard deviations.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        In the units of the target, above 0 (equation (5) of [1]_).

    References
    ----------
    .. [1] Gneiting, T., Raftery, A. E., Westveld, A. H. and Goldman, T. (2005).
       "Calibrated probabilistic forecasting using ensemble model output statistics and
       minimum CRPS estimation." Monthly Weather Review 133(5), 1098-1118.
    """
    errors = y - predicted
    with np.errstate(over="ignore"):
        scaled = errors / (math.sqrt(2) * std)
        # The error itself, and not the deviation times a quotient that may overflow; and
        # 2 Phi(z) - 1 as the error function, because a difference from 1 loses digits.
        spread = math.sqrt(2) * np.exp(-scaled * scaled) - 1
    return errors * erf(scaled) + std * (spread / math.sqrt(math.pi))


@record_loss(
    "log_score_normal",
    title="log score of a normal forecast",
    target=NUMBERS,
    needs=STD,
    expression=True,
)
def log_score_normal(ops: Any, y: Any, predicted: Any, std: Any) -> Any:
    """How surprising is the number, if it has the predicted normal distribution [1]_?

    The negative logarithm of its density. Few numbers far from their means decide the
    mean; the CRPS is less sensitive to them.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y : column
        True numbers.
    predicted, std : column
        Means and standard deviations.

    Returns
    -------
    losses : column
        Natural logarithms, of any sign: a density may be above 1. In other units of the
        target all of them change by one number.

    References
    ----------
    .. [1] Good, I. J. (1952). "Rational decisions." Journal of the Royal Statistical
       Society B 14(1), 107-114.
    """
    (scaled,) = ops.let((y - predicted) / std)
    return 0.5 * scaled * scaled + ops.log(std) + 0.5 * math.log(2 * math.pi)


@record_loss("crps_samples", title="CRPS of samples", target=NUMBERS, needs=SAMPLES)
def crps_samples(y: FloatArray, samples: FloatArray, *, fair: bool = False) -> FloatArray:
    """How far is an ensemble of sampled numbers from the number [1]_?

    The mean distance of the draws from the number, less half the mean distance between two
    draws (equation (21) of [1]_). The plain version is the score of the distribution of
    the draws themselves; it favours more draws. The fair one estimates without bias that
    of the distribution which they were drawn from, and may be below 0 [2]_.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        True numbers.
    samples : ndarray of shape (n_samples, n_draws)
        Draws from the predicted distribution of each number, in any order.
    fair : bool, default=False
        Whether distances between a draw and itself are left out, which takes two draws at
        least. Use it where models have different numbers of draws.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        In the units of the target.

    References
    ----------
    .. [1] Gneiting, T. and Raftery, A. E. (2007). "Strictly proper scoring rules,
       prediction, and estimation." Journal of the American Statistical Association
       102(477), 359-378.
    .. [2] Ferro, C. A. T. (2014). "Fair scores for ensemble forecasts." Quarterly Journal
       of the Royal Meteorological Society 140(683), 1917-1923.
    """
    if not isinstance(fair, bool):
        raise ValueError(f"`fair` of crps_samples must be True or False. Got {fair!r}.")
    m = samples.shape[1]
    if fair and m < 2:
        raise ValueError(
            f"The fair crps_samples needs at least 2 draws for each number. Got {m}. Pass "
            "more, or fair=False."
        )
    # The distances between all pairs of draws add up to the sorted draws, each times how
    # many more are below than above it.
    pairs = (2 * np.arange(m) - (m - 1)) / (m * (m - 1) if fair else m * m)
    losses = np.empty(len(y))
    for rows in slices_of(len(y), max(1, CHUNK // m)):
        # Relative to the number, so that digits are not lost to a common offset.
        distances = np.sort(samples[rows] - y[rows, np.newaxis], axis=1)
        losses[rows] = np.abs(distances).mean(axis=1) - (distances * pairs).sum(axis=1)
    return losses
