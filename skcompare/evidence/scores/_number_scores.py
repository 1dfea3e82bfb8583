"""Scores of predicted numbers that are not means of a loss, such as R² or a correlation.

A score is a smooth function of a few statistics of the weighted records: means of columns,
moments of ranks, or counts of pairs. Its derivatives by the weights are those of the
function times those of the statistics (chain rule).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.special import xlogy

from skcompare._typing import FloatArray, IntArray

Bounds = tuple[float, float]

SLACK = 1e-12
"""A share this close below a level reaches it."""

NO_SPREAD = 1e-13
"""A variance up to this share of the mean square about a fixed centre is rounding."""

CONSTANT_TARGET = "the target is constant, so that there is no variation to explain"
NO_CORRELATION = "a correlation needs a target and predictions that are not constant"
NO_PAIRS = "all targets are equal, or all predictions are, so that no pair is in order"


class Statistics(Protocol):
    """Statistics of some records as functions of their weights."""

    @property
    def n(self) -> int:
        """Number of records."""

    def values(self, weights: IntArray) -> FloatArray:
        """Return the statistics, of shape (n_statistics, n_weightings)."""

    def slopes(self, weights: IntArray, gradient: FloatArray) -> FloatArray:
        """Return derivatives by the weights of a sum of the statistics.

        `gradient` of shape (n_statistics, n_weightings) has the factors of the sum.
        """


@dataclass(frozen=True, slots=True)
class NumberScore:
    """Smooth function of statistics of a target and of predictions, greater is better.

    Parameters
    ----------
    name : str
        Name of the score.
    about : str
        What the score is, in one line.
    statistics : callable
        `statistics(y, predictions)` returns the statistics of records.
    function : callable
        `function(statistics)` returns the score of each weighting, NaN if undefined, and
        its derivatives by the statistics, of their shape.
    bounds : pair of float
        Least and greatest value.
    undefined : str
        Reason why the score is undefined where it is NaN.
    domain : callable, optional
        `domain(y, predictions)` returns why these have no score, or an empty string.
    looped : bool, default=False
        Whether the score is slow, so that there are fewer resamples.
    """

    name: str
    about: str
    statistics: Callable[[FloatArray, FloatArray], Statistics]
    function: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    bounds: Bounds = (-np.inf, 1.0)
    undefined: str = CONSTANT_TARGET
    domain: Callable[[FloatArray, FloatArray], str] | None = None
    looped: bool = False

    studentised: ClassVar[bool] = True

    def on_one_scale(self, predictions: FloatArray) -> FloatArray:
        """Return the predictions unchanged: they are on the scale of the target."""
        return predictions

    def prepared(
        self, y: FloatArray, predictions: FloatArray, rows: IntArray
    ) -> "PreparedNumberScore":
        """Return the score of these records as a function of their weights."""
        y, predictions = (np.asarray(a, dtype=np.float64) for a in (y, predictions))
        reason = self.domain(y, predictions) if self.domain is not None else ""
        statistics = None if reason else self.statistics(y, predictions)
        return PreparedNumberScore(self, statistics, reason)


@dataclass(frozen=True, slots=True)
class PreparedNumberScore:
    """Score of some records as a function of their weights."""

    score: NumberScore
    statistics: Statistics | None
    reason: str

    def values(self, weights: IntArray) -> FloatArray:
        """Return the score for each row of weights; NaN if undefined."""
        if self.statistics is None:
            return np.full(len(weights), np.nan)
        return self._scored(weights)[0]

    def slopes(self, weights: IntArray) -> FloatArray:
        """Return the derivatives of the score by each weight, for each row of weights."""
        if self.statistics is None:
            return np.full(weights.shape, np.nan)
        return self.statistics.slopes(weights, self._scored(weights)[1])

    def _scored(self, weights: IntArray) -> tuple[FloatArray, FloatArray]:
        assert self.statistics is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.score.function(self.statistics.values(weights))

    def why_undefined(self) -> str:
        """Return the reason why the score is undefined, or an empty string."""
        if self.statistics is None:
            return self.reason
        ones = np.ones((1, self.statistics.n), dtype=np.int32)
        return "" if np.isfinite(self.values(ones)[0]) else self.score.undefined


@dataclass(frozen=True, slots=True)
class OutputsScore:
    """Weighted mean over several outputs of a score of numbers.

    Parameters
    ----------
    score : NumberScore
        The score of one output.
    weights : tuple of float
        A weight for each output, with a sum of 1.
    """

    score: NumberScore
    weights: tuple[float, ...]

    studentised: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Name of the score."""
        return self.score.name

    @property
    def bounds(self) -> Bounds:
        """Least and greatest value."""
        return self.score.bounds

    @property
    def looped(self) -> bool:
        """Whether the score is slow, so that there are fewer resamples."""
        return self.score.looped

    def on_one_scale(self, predictions: FloatArray) -> FloatArray:
        """Return the predictions unchanged: they are on the scale of the targets."""
        return predictions

    def prepared(
        self, y: FloatArray, predictions: FloatArray, rows: IntArray
    ) -> "PreparedOutputs":
        """Return the score of these records as a function of their weights."""
        columns = zip(self.weights, y.T, predictions.T, strict=True)
        # An output without weight may lie outside the domain of the score.
        scores = [
            self.score.prepared(of_output, predicted, rows)
            for weight, of_output, predicted in columns
            if weight
        ]
        return PreparedOutputs(tuple(filter(None, self.weights)), scores)


@dataclass(frozen=True, slots=True)
class PreparedOutputs:
    """Weighted mean over outputs of the scores of some records."""

    weights: tuple[float, ...]
    scores: list[PreparedNumberScore]

    def values(self, weights: IntArray) -> FloatArray:
        """Return the mean score for each row of weights; NaN if one is undefined."""
        return self._mean([score.values(weights) for score in self.scores])

    def slopes(self, weights: IntArray) -> FloatArray:
        """Return the derivatives of the mean score by each weight of a record."""
        return self._mean([score.slopes(weights) for score in self.scores])

    def _mean(self, parts: list[FloatArray]) -> FloatArray:
        return np.asarray(np.tensordot(self.weights, np.stack(parts), 1))

    def why_undefined(self) -> str:
        """Return the reason why the score is undefined, or an empty string."""
        return next(filter(None, (score.why_undefined() for score in self.scores)), "")


@dataclass(frozen=True, slots=True)
class WeightedMeans:
    """Weighted means of columns of records.

    Attributes
    ----------
    columns : ndarray of shape (n_columns, n_samples)
        The columns; what is squared is centred first, because the difference of two large
        means would lose its digits.
    """

    columns: FloatArray

    @property
    def n(self) -> int:
        """Number of records."""
        return self.columns.shape[1]

    def values(self, weights: IntArray) -> FloatArray:
        """Return the means for each row of weights."""
        with np.errstate(invalid="ignore"):
            means: FloatArray = (self.columns @ weights.T) / weights.sum(axis=1)
        return means

    def slopes(self, weights: IntArray, gradient: FloatArray) -> FloatArray:
        """Return derivatives by the weights: a record's value minus the mean, over all."""
        centre = np.einsum("mk,mk->k", gradient, self.values(weights))
        total = weights.sum(axis=1, keepdims=True)
        slopes: FloatArray = (gradient.T @ self.columns - centre[:, np.newaxis]) / total
        return slopes


def centre_of(values: FloatArray) -> float:
    """Return the mean, exactly the common value if all are equal."""
    if not len(values) or (values == values[0]).all():
        return float(values[0]) if len(values) else 0.0
    return float(values.mean())


def centred(values: FloatArray) -> FloatArray:
    """Return the distances from the mean, exactly 0 if all are equal."""
    return values - centre_of(values)


def spread(mean: FloatArray, square: FloatArray) -> FloatArray:
    """Variances from means and mean squares; 0 where only rounding is left."""
    variance = square - mean**2
    return np.where(variance > NO_SPREAD * square, variance, 0.0)


Scored = tuple[FloatArray, FloatArray]


# Errors of the predictions.


def squared_errors(y: FloatArray, predictions: FloatArray) -> WeightedMeans:
    return WeightedMeans((y - predictions)[np.newaxis] ** 2)


def squared_log_errors(y: FloatArray, predictions: FloatArray) -> WeightedMeans:
    return WeightedMeans((np.log1p(y) - np.log1p(predictions))[np.newaxis] ** 2)


def minus_root(means: FloatArray) -> Scored:
    """Minus the root of one mean; at 0, where no record has an error, slopes are 0."""
    root = np.sqrt(means)
    return -root[0], np.where(root > 0, -0.5 / root, 0.0)


def above_minus_one(y: FloatArray, predictions: FloatArray) -> str:
    if min(y.min(), predictions.min()) > -1:
        return ""
    return "a logarithmic error needs numbers above -1"


# Shares of the variation of the target.


def errors_and_target(y: FloatArray, predictions: FloatArray) -> WeightedMeans:
    own = centred(y)
    return WeightedMeans(np.stack([(y - predictions) ** 2, own, own**2]))


def share_of_variance(means: FloatArray) -> Scored:
    """R² = 1 - mse / variance, with the derivatives by mse, mean and mean square."""
    error, mean, square = means
    variance = spread(mean, square)
    by_variance = error / variance**2
    value = np.where(variance > 0, 1 - error / variance, np.nan)
    return value, np.stack([-1 / variance, -2 * mean * by_variance, by_variance])


def residuals_and_target(y: FloatArray, predictions: FloatArray) -> WeightedMeans:
    rest, own = centred(y - predictions), centred(y)
    return WeightedMeans(np.stack([rest, rest**2, own, own**2]))


def explained_share(means: FloatArray) -> Scored:
    """1 - variance of the residuals / variance of the target."""
    rest, rest_square, mean, square = means
    # Residuals may all be equal, with a variance of 0 that is exact.
    unexplained = np.maximum(rest_square - rest**2, 0.0)
    variance = spread(mean, square)
    by_variance = unexplained / variance**2
    value = np.where(variance > 0, 1 - unexplained / variance, np.nan)
    by_rest = np.stack([2 * rest / variance, -1 / variance])
    return value, np.concatenate(
        [by_rest, np.stack([-2 * mean * by_variance, by_variance])]
    )


# Shares of a deviance.


def deviances(y: FloatArray, predictions: FloatArray, power: float) -> FloatArray:
    """Tweedie deviance of each record (Jorgensen 1987), for powers of 1, 2 and between."""
    if power == 1:
        half = xlogy(y, y / predictions) - y + predictions
    elif power == 2:
        half = np.log(predictions / y) + y / predictions - 1
    else:
        first, second = 1 - power, 2 - power
        half = y**second / (first * second) - y * predictions**first / first
        half += predictions**second / second
    # That of a prediction that is true may be negative by rounding.
    return 2 * np.maximum(half, 0.0)


def deviances_and_target(
    y: FloatArray, predictions: FloatArray, power: float
) -> WeightedMeans:
    # The share is that of any unit, and in units of the mean the null deviance has digits.
    unit = y.mean()
    own = y / unit
    if power == 1:
        part = xlogy(own, own)
    else:
        part = np.log(own) if power == 2 else own ** (2 - power)
    return WeightedMeans(np.stack([deviances(own, predictions / unit, power), own, part]))


def share_of_deviance(means: FloatArray, power: float) -> Scored:
    """1 - deviance / deviance of the mean of the target (Cameron and Windmeijer 1996).

    The latter is a function of the mean and of the mean of y log y (power 1), log y
    (power 2) or y to the power 2 - power.
    """
    deviance, mean, part = means
    if power == 1:
        null, by_mean, by_part = part - xlogy(mean, mean), -np.log(mean) - 1, 1.0
    elif power == 2:
        null, by_mean, by_part = np.log(mean) - part, 1 / mean, -1.0
    else:
        factor = 1 / ((1 - power) * (2 - power))
        null = (part - mean ** (2 - power)) * factor
        by_mean, by_part = -(mean ** (1 - power)) / (1 - power), factor
    null, by_mean, by_part = 2 * null, 2 * by_mean, 2 * by_part
    # Squared distances of numbers near 1, so that rounding is relative to 1.
    null = np.where(null > NO_SPREAD, null, 0.0)
    by_null = deviance / null**2
    value = np.where(null > 0, 1 - deviance / null, np.nan)
    return value, np.stack([-1 / null, by_null * by_mean, by_null * by_part])


def in_domain(y: FloatArray, predictions: FloatArray, power: float) -> str:
    if predictions.min() <= 0:
        return "a deviance of this kind needs predictions above 0"
    if y.min() < 0 or (power == 2 and y.min() == 0):
        least = "above 0" if power == 2 else "of at least 0"
        return f"a deviance of this kind needs a target {least}"
    return "" if y.any() else CONSTANT_TARGET


# Shares of a pinball loss.


@dataclass(frozen=True, slots=True)
class PinballLosses:
    """Mean pinball losses of predictions, and of the weighted quantile of the target.

    The quantile minimises the mean loss, so that the derivative of the least loss by a
    weight is that of the mean at this quantile: that of the quantile itself is multiplied
    by 0 (envelope theorem). Where several targets minimise it, the derivative at the middle
    of them is the mean of those from both sides.
    """

    losses: FloatArray
    y: FloatArray
    order: IntArray
    level: float

    @classmethod
    def of(cls, y: FloatArray, predictions: FloatArray, level: float) -> "PinballLosses":
        """Return the losses of some records at a level between 0 and 1."""
        return cls(pinball(y - predictions, level), y, np.argsort(y, kind="stable"), level)

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.y)

    def _quantiles(self, weights: IntArray) -> FloatArray:
        """Return the middle of the targets that minimise the loss."""
        reached = np.cumsum(weights.take(self.order, axis=1), axis=1)
        total = reached[:, -1:]
        first = np.argmax(reached >= (self.level - SLACK) * total, axis=1)
        last = np.argmax(reached > (self.level + SLACK) * total, axis=1)
        return (self.y[self.order[first]] + self.y[self.order[last]]) / 2

    def values(self, weights: IntArray) -> FloatArray:
        """Return both mean losses for each row of weights."""
        total = weights.sum(axis=1)
        distances = self.y - self._quantiles(weights)[:, np.newaxis]
        null = np.einsum("kn,kn->k", weights, pinball(distances, self.level))
        with np.errstate(invalid="ignore"):
            means: FloatArray = np.stack([weights @ self.losses, null]) / total
        return means

    def slopes(self, weights: IntArray, gradient: FloatArray) -> FloatArray:
        """Return derivatives by the weights of a sum of both losses."""
        distances = self.y - self._quantiles(weights)[:, np.newaxis]
        null = pinball(distances, self.level)
        own, of_null = gradient[:, :, np.newaxis]
        centre = np.einsum("mk,mk->k", gradient, self.values(weights))
        total = weights.sum(axis=1, keepdims=True)
        slopes: FloatArray = (
            own * self.losses + of_null * null - centre[:, np.newaxis]
        ) / total
        return slopes


def pinball(distances: FloatArray, level: float) -> FloatArray:
    """Pinball losses of targets minus predictions (Koenker and Bassett 1978)."""
    return np.where(distances >= 0, level, level - 1) * distances


def share_of_loss(means: FloatArray) -> Scored:
    """1 - loss / loss of the best constant."""
    loss, null = means
    value = np.where(null > 0, 1 - loss / null, np.nan)
    return value, np.stack([-1 / null, loss / null**2])


# Correlations with the target.


def products(y: FloatArray, predictions: FloatArray) -> WeightedMeans:
    a, b = scaled(y), scaled(predictions)
    return WeightedMeans(np.stack([a, b, a**2, b**2, a * b]))


def scaled(values: FloatArray) -> FloatArray:
    """Return the distances from the mean in units of the largest one."""
    own = centred(values)
    return own / max(np.abs(own).max(initial=0.0), np.finfo(float).tiny)


def pearson(means: FloatArray) -> Scored:
    """Linear correlation from means, mean squares and mean product."""
    a, b, square_a, square_b, product = means
    value, (by_a, by_b, by_product) = correlation(
        spread(a, square_a), spread(b, square_b), product - a * b
    )
    return value, np.stack(
        [
            -2 * a * by_a - b * by_product,
            -2 * b * by_b - a * by_product,
            by_a,
            by_b,
            by_product,
        ]
    )


def correlation(first: FloatArray, second: FloatArray, joint: FloatArray) -> Scored:
    """Correlation from variances and covariance, with its derivatives by these three."""
    defined = (first > 0) & (second > 0)
    size = np.sqrt(np.where(defined, first, np.nan) * second)
    value = np.clip(joint / size, -1.0, 1.0)
    return value, np.stack([-value / (2 * first), -value / (2 * second), 1 / size])


def about_one_centre(y: FloatArray, predictions: FloatArray) -> WeightedMeans:
    centre = centre_of(y)
    a, b = y - centre, predictions - centre
    return WeightedMeans(np.stack([a, b, a**2, b**2, a * b]))


def concordance(means: FloatArray) -> Scored:
    """Concordance correlation (Lin 1989): 2 covariance over the mean squared distances.

    The denominator, variances plus squared distance of the means, is the mean square of
    both less twice the product of the means.
    """
    a, b, square_a, square_b, product = means
    size = square_a + square_b - 2 * a * b
    defined = size > NO_SPREAD * (square_a + square_b)
    size = np.where(defined, size, np.nan)
    value = 2 * (product - a * b) / size
    by_size = -value / size
    return value, np.stack(
        [
            -2 * b / size - 2 * b * by_size,
            -2 * a / size - 2 * a * by_size,
            by_size,
            by_size,
            2 / size,
        ]
    )


# Ranks.


@dataclass(frozen=True, slots=True)
class Sorted:
    """Order of numbers, with the range of equal ones for each.

    Attributes
    ----------
    order : ndarray of shape (n_samples,)
        Positions of the numbers in increasing order.
    below, upto : ndarray of shape (n_samples,)
        How many numbers are less than each, and how many at most as great.
    """

    order: IntArray
    below: IntArray
    upto: IntArray

    @classmethod
    def of(cls, numbers: FloatArray) -> "Sorted":
        """Sort the numbers."""
        order = np.argsort(numbers, kind="stable")
        ordered = numbers[order]
        return cls(
            order,
            np.searchsorted(ordered, numbers, side="left"),
            np.searchsorted(ordered, numbers, side="right"),
        )

    def sums(self, columns: Any) -> FloatArray:
        """Return cumulative sums along the order, starting with 0."""
        sums = np.zeros((len(columns), len(self.order) + 1), dtype=columns.dtype)
        np.cumsum(columns.take(self.order, axis=1), axis=1, out=sums[:, 1:])
        return sums

    def middle(self, columns: Any) -> FloatArray:
        """Return sums over the lesser numbers, plus half of those over the equal ones."""
        sums = self.sums(columns)
        return (sums.take(self.below, axis=1) + sums.take(self.upto, axis=1)) / 2

    def equal(self, columns: FloatArray) -> FloatArray:
        """Return sums over the equal numbers, the own one included."""
        sums = self.sums(columns)
        return sums.take(self.upto, axis=1) - sums.take(self.below, axis=1)


@dataclass(frozen=True, slots=True)
class RankMoments:
    """Variances and covariance of weighted midranks, as shares of all records.

    Notes
    -----
    With h(s, t) = 1 for s < t, 1/2 for s = t and else 0, the midrank of record i is
    F_i = sum_j w_j h(x_j, x_i) / W, for whole weights that of repeated records less half a
    record, which matters to no correlation. Its weighted mean is 1/2; a = F - 1/2. By the
    weight of record k it changes by (h(x_k, x_i) - F_i) / W, so that with b of the other
    ranks and A = sum w a b / W the ranks contribute U_k - A to W dA/dw_k, where
    U_k = sum_i w_i b_i h(x_k, x_i) / W, and V_k - A with x and y exchanged::

        W dA/dw_k = a_k b_k + U_k + V_k - 3 A
    """

    first: Sorted
    second: Sorted

    @classmethod
    def of(cls, y: FloatArray, predictions: FloatArray) -> "RankMoments":
        """Rank the target and the predictions."""
        return cls(Sorted.of(y), Sorted.of(predictions))

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.first.order)

    def _ranks(self, weights: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return both midranks minus 1/2, and the shares of the records."""
        total = weights.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            a, b = (own.middle(weights) / total for own in (self.first, self.second))
            return a - 0.5, b - 0.5, weights / total

    def values(self, weights: IntArray) -> FloatArray:
        """Return variances and covariance of the midranks for each row of weights."""
        a, b, shares = self._ranks(weights)
        moments = [np.einsum("kn,kn,kn->k", shares, *pair) for pair in ((a, a), (b, b))]
        # Ranks of equal numbers only are all 1/2, up to rounding.
        moments = [np.where(own > NO_SPREAD, own, 0.0) for own in moments]
        return np.stack([*moments, np.einsum("kn,kn,kn->k", shares, a, b)])

    def slopes(self, weights: IntArray, gradient: FloatArray) -> FloatArray:
        """Return derivatives by the weights of a sum of the three."""
        a, b, shares = self._ranks(weights)
        of_a, of_b, of_both = gradient[:, :, np.newaxis]
        centre = 3 * np.einsum("mk,mk->k", gradient, self.values(weights))
        by_first = _above(self.first, shares * (2 * of_a * a + of_both * b))
        by_second = _above(self.second, shares * (2 * of_b * b + of_both * a))
        direct = of_a * a**2 + of_b * b**2 + of_both * a * b
        total = weights.sum(axis=1, keepdims=True)
        slopes: FloatArray = (direct + by_first + by_second - centre[:, np.newaxis]) / total
        return slopes


def _above(own: Sorted, columns: FloatArray) -> FloatArray:
    """Sums over the greater numbers, plus half of those over the equal ones."""
    return columns.sum(axis=1, keepdims=True) - own.middle(columns)


def of_three(statistics: FloatArray) -> Scored:
    """Correlation of variances and covariance, or tau-b of such counts of pairs."""
    first, second, joint = statistics
    return correlation(first, second, joint)


# Pairs of records.


@dataclass(frozen=True, slots=True)
class _Merge:
    """Merge of the halves of blocks of records.

    Attributes
    ----------
    left, right : ndarray of shape (n_left,), (n_right,)
        Records of the left halves and of the right ones, by block and then by target.
    start, less : ndarray of shape (n_right,)
        For each right record the range of the left ones of its block with lesser targets.
    upto, end : ndarray of shape (n_left,)
        For each left record the range of the right ones of its block with greater targets.
    """

    left: IntArray
    right: IntArray
    start: IntArray
    less: IntArray
    upto: IntArray
    end: IntArray

    def before(self, weights: FloatArray) -> FloatArray:
        """Weight of the left records with lesser targets than each right one."""
        sums = _cumulative(weights.take(self.left, axis=1))
        return sums.take(self.less, axis=1) - sums.take(self.start, axis=1)

    def after(self, weights: FloatArray) -> FloatArray:
        """Weight of the right records with greater targets than each left one."""
        sums = _cumulative(weights.take(self.right, axis=1))
        return sums.take(self.end, axis=1) - sums.take(self.upto, axis=1)


def _merges(position: IntArray, rank: IntArray) -> list[_Merge]:
    """Return the merges of blocks of 2, 4, 8, ... records at these positions."""
    n, merges, size = len(position), [], 1
    while size < n:
        block = position // (2 * size)
        order = np.lexsort((rank, block))
        is_left = position[order] % (2 * size) < size
        left, right = order[is_left], order[~is_left]
        # Targets within blocks, as one increasing number.
        of_left, of_right = (block[own] * n + rank[own] for own in (left, right))
        starts, ends = block[right] * n, (block[left] + 1) * n
        merges.append(
            _Merge(
                left,
                right,
                np.searchsorted(of_left, starts),
                np.searchsorted(of_left, of_right),
                np.searchsorted(of_right, of_left, side="right"),
                np.searchsorted(of_right, ends),
            )
        )
        size *= 2
    return merges


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Weights of pairs of records: of unequal numbers, and in order less out of order.

    Pairs are counted in merges of sorted records (Knight 1966), for all weightings at once.

    Notes
    -----
    The first two statistics, for the target and for the predictions, are (W² - sum of
    squared weights of equal numbers) / 2, with the derivatives W less the weight of the
    numbers equal to that of record k. The third one is S = sum over pairs i < j of w_i w_j
    sign(x_i - x_j) sign(y_i - y_j). Its derivative is the weight of the records in order
    with record k, less that of those out of order. Copies of a record are pairs of equal
    numbers, in no order.
    """

    first: Sorted
    second: Sorted
    same: Sorted
    merges: list[_Merge]

    @classmethod
    def of(cls, y: FloatArray, predictions: FloatArray) -> "PairCounts":
        """Sort the records."""
        rank = np.unique(y, return_inverse=True)[1].reshape(-1)
        other = np.unique(predictions, return_inverse=True)[1].reshape(-1)
        # Equal predictions by decreasing targets, so that no pair of them is in order.
        position = np.empty(len(y), dtype=np.intp)
        position[np.lexsort((-rank, other))] = np.arange(len(y))
        both = rank * (other.max(initial=0) + 1) + other
        return cls(
            Sorted.of(y), Sorted.of(predictions), Sorted.of(both), _merges(position, rank)
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.first.order)

    def _equal(self, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights of the records with equal target, equal prediction, and both."""
        return (
            self.first.equal(weights),
            self.second.equal(weights),
            self.same.equal(weights),
        )

    def values(self, weights: IntArray) -> FloatArray:
        """Return the three weights of pairs for each row of weights."""
        w = weights.astype(np.float64)
        total = w.sum(axis=1)
        of_first, of_second, of_both = (
            np.einsum("kn,kn->k", w, own) for own in self._equal(w)
        )
        in_order = np.zeros(len(w))
        for merge in self.merges:
            of_right = w.take(merge.right, axis=1)
            in_order += np.einsum("kn,kn->k", of_right, merge.before(w))
        untied = (total**2 - of_first - of_second + of_both) / 2
        unequal = (total**2 - of_first) / 2, (total**2 - of_second) / 2
        return np.stack([*unequal, 2 * in_order - untied])

    def slopes(self, weights: IntArray, gradient: FloatArray) -> FloatArray:
        """Return derivatives by the weights of a sum of the three."""
        w = weights.astype(np.float64)
        total = w.sum(axis=1, keepdims=True)
        of_first, of_second, of_both = self._equal(w)
        in_order = np.zeros(w.shape)
        for merge in self.merges:
            in_order[:, merge.right] += merge.before(w)
            in_order[:, merge.left] += merge.after(w)
        order = 2 * in_order - (total - of_first - of_second + of_both)
        by_first, by_second, by_order = gradient[:, :, np.newaxis]
        slopes: FloatArray = (
            by_order * order
            + by_first * (total - of_first)
            + by_second * (total - of_second)
        )
        return slopes


def _cumulative(columns: FloatArray) -> FloatArray:
    sums = np.zeros((len(columns), columns.shape[1] + 1))
    np.cumsum(columns, axis=1, out=sums[:, 1:])
    return sums


def share_in_order(pairs: FloatArray) -> Scored:
    """Share of pairs with unequal targets that are in order; equal predictions count half.

    It is 1/2 + S / (2 N) with N such pairs.
    """
    of_target, _, order = pairs
    value = np.where(of_target > 0, 0.5 + order / (2 * of_target), np.nan)
    by_target = -order / (2 * of_target**2)
    return value, np.stack([by_target, np.zeros_like(order), 0.5 / of_target])


CORRELATION: Bounds = (-1.0, 1.0)
ERROR: Bounds = (-np.inf, 0.0)
"""Bounds of a negated error."""


def d2_tweedie(power: float, name: str = "d2_tweedie_score") -> NumberScore:
    """Share of a Tweedie deviance explained, of a power of at least 1 and at most 2."""
    kinds = {1: "Poisson", 2: "gamma"}
    kind = kinds.get(power, f"Tweedie (power {power:g})")  # type: ignore[call-overload]
    return NumberScore(
        name,
        f"share of the {kind} deviance of the mean that the predictions explain",
        partial(deviances_and_target, power=power),
        partial(share_of_deviance, power=power),
        domain=partial(in_domain, power=power),
    )


def d2_pinball(level: float, name: str = "d2_pinball_score") -> NumberScore:
    """Share of the pinball loss of the target's quantile explained, at a level."""
    return NumberScore(
        name,
        f"share of the pinball loss of the {level:g} quantile that the predictions explain",
        partial(PinballLosses.of, level=level),
        share_of_loss,
    )


_scores = (
    NumberScore(
        "neg_root_mean_squared_error",
        "minus the root of the mean squared error, in the unit of the target",
        squared_errors,
        minus_root,
        ERROR,
        "",
    ),
    NumberScore(
        "neg_root_mean_squared_log_error",
        "minus the root of the mean squared difference of log(1 + number)",
        squared_log_errors,
        minus_root,
        ERROR,
        "",
        above_minus_one,
    ),
    NumberScore(
        "r2",
        "share of the variance of the target that the predictions explain",
        errors_and_target,
        share_of_variance,
    ),
    NumberScore(
        "explained_variance",
        "share of the variance of the target that is not left in the residuals",
        residuals_and_target,
        explained_share,
    ),
    NumberScore(
        "d2_absolute_error_score",
        "share of the absolute error of the median that the predictions explain",
        partial(PinballLosses.of, level=0.5),
        share_of_loss,
    ),
    d2_tweedie(1, "d2_poisson_score"),
    d2_tweedie(2, "d2_gamma_score"),
    NumberScore(
        "pearson_correlation",
        "linear correlation of predictions and target",
        products,
        pearson,
        CORRELATION,
        NO_CORRELATION,
    ),
    NumberScore(
        "concordance_correlation",
        "agreement of predictions and target: correlation less bias and unequal spread",
        about_one_centre,
        concordance,
        CORRELATION,
        "target and predictions are one constant",
    ),
    NumberScore(
        "spearman_correlation",
        "linear correlation of the ranks of predictions and target",
        RankMoments.of,
        of_three,
        CORRELATION,
        NO_CORRELATION,
    ),
    NumberScore(
        "kendall_tau",
        "pairs in order minus those out of order, over pairs without ties (tau-b)",
        PairCounts.of,
        of_three,
        CORRELATION,
        NO_PAIRS,
        looped=True,
    ),
    NumberScore(
        "concordance_index",
        "share of pairs with unequal targets whose predictions are in the same order",
        PairCounts.of,
        share_in_order,
        (0.0, 1.0),
        NO_PAIRS,
        looped=True,
    ),
)
NUMBER_SCORES: dict[str, NumberScore] = {score.name: score for score in _scores}
"""Scores of numbers that are not means of a loss, by the name of the measure."""

SCORE_FAMILIES: dict[str, Callable[[float], NumberScore]] = {
    "d2_pinball_score": d2_pinball,
    "d2_tweedie_score": d2_tweedie,
}
"""Scores of numbers with an option, by the name of scikit-learn's function."""


def number_score(name: str | None, options: Iterable[float] = ()) -> NumberScore | None:
    """Return a score of numbers by the name of the measure, or None if there is none.

    That of a family has one option.
    """
    if name in SCORE_FAMILIES:
        return SCORE_FAMILIES[name](*options)
    return NUMBER_SCORES.get(name or "")


def score_of_outputs(
    score: NumberScore, weights: FloatArray | None
) -> NumberScore | OutputsScore:
    """Return a score of numbers, or its mean over outputs with these weights."""
    return score if weights is None else OutputsScore(score, tuple(weights.tolist()))
