"""Means and centred sums of squares of paired losses, merged without cancellation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from skcompare._core.arrays import on_host, slices_of
from skcompare._core.validation import is_number, is_whole
from skcompare._typing import FloatArray
from skcompare.evidence.core._device import space_at

CHUNK = 1 << 14
"""Records that are copied, or whose moments are computed, at a time in one thread."""

NOISE = 1e-13
"""A standard deviation up to this share of the losses' size is rounding error."""

VANISHED = 1e-150
"""Smaller numbers count as 0: their squares underflow."""

MODERATE = 1e60
"""Root mean square of losses of which none can be too large."""

LARGE = 0.8
"""Share of the mean square above which a squared mean is subtracted before squaring."""

UNKNOWN = (math.nan, math.nan)
"""Smallest and largest difference where only sums of them are known."""

Row = tuple[float, ...]
"""Number of records, means, their rounding errors, sums of squares and of products, and
the smallest and the largest difference; NaN where these are unknown."""

ROUNDED = 1e-6
"""Published moments are rounded, so that they may be a little beyond what is possible."""


@dataclass(frozen=True, slots=True)
class LossMoments:
    """Moments of paired losses, for tests of means and linear correlations.

    Differences have moments of their own, because those computed from two large, highly
    correlated losses would have no correct digits.

    Attributes
    ----------
    n : int
        Records.
    champion, challenger : float
        Mean losses.
    gain : float
        Mean of the champion's loss minus the challenger's.
    champion_squares, challenger_squares, gain_squares : float
        Sums of squared distances from the means.
    products : float
        Sum of the products of both losses' distances from their means.
    rests : tuple of three floats
        Rounding errors of the three means, so that merged sums of squares keep the digits
        of losses that are large relative to their variation.
    extremes : tuple of two floats, or None
        Smallest and largest difference of a record; None where only sums are known.
    """

    n: int
    champion: float
    challenger: float
    gain: float
    champion_squares: float
    challenger_squares: float
    gain_squares: float
    products: float
    rests: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0), kw_only=True)
    extremes: tuple[float, float] | None = field(default=None, kw_only=True)

    @classmethod
    def on_device(
        cls, champion: Any, challenger: Any, largest: float
    ) -> "LossMoments | None":
        """Compute the moments of losses in one part, or return None if one is too large.

        NaN is too large, too.
        """
        xp, n = space_at(champion).xp, champion.shape[0]
        for losses in (champion, challenger):
            if not bool(xp.max(xp.abs(losses)) <= largest):
                return None
        rest = xp.stack([champion, challenger, champion - challenger])
        extremes = float(xp.min(rest[2, :])), float(xp.max(rest[2, :]))
        means = xp.sum(rest, axis=1) / n
        rest = rest - means[:, None]
        corrections = xp.sum(rest, axis=1) / n
        rest = rest - corrections[:, None]
        rows = [rest[row, :] for row in range(3)]
        row = _row(n, on_host(means), on_host(corrections), rows, extremes)
        return merged_rows([row])

    @classmethod
    def from_variances(
        cls,
        n: int,
        means: Sequence[float],
        variances: Sequence[float],
        covariance: float | None,
        difference_variance: float | None,
    ) -> "LossMoments":
        """Construct from means, variances and a covariance with divisor n - 1."""
        if (covariance is None) == (difference_variance is None):
            raise ValueError(
                "Pass `covariance` or `difference_variance`, one of them. Got "
                f"{covariance!r} and {difference_variance!r}. One gives the other."
            )
        if not is_whole(n) or n < 2:
            raise ValueError(
                f"`n` must be an integer of at least 2. Got {n!r} instead. Moments of "
                "fewer records say nothing about how they vary."
            )
        joint = covariance if difference_variance is None else difference_variance
        first, second, champion, challenger, joint = _numbers(means, variances, joint)
        # The two variances and either of the others give the last one.
        if difference_variance is None:
            cov, gain_variance = joint, champion + challenger - 2 * joint
        else:
            cov, gain_variance = (champion + challenger - joint) / 2, joint
        _check_variances(champion, challenger, cov)
        moments = [first, second, first - second]
        moments += [(n - 1) * each for each in (champion, challenger, gain_variance, cov)]
        return cls(int(n), *moments)

    @property
    def size(self) -> float:
        """Root mean square of all losses."""
        squares = (self.champion_squares + self.challenger_squares) / self.n
        # Powers of floats raise an error where products overflow.
        means = self.champion * self.champion + self.challenger * self.challenger
        return math.sqrt(squares + means)

    @property
    def are_moderate(self) -> bool:
        """Whether all losses are finite, and their squares far below the largest float."""
        return self.size <= MODERATE

    @property
    def noise(self) -> float:
        """Magnitude up to which differences are rounding errors."""
        return max(NOISE * self.size, VANISHED)

    @property
    def gain_deviation(self) -> float:
        """Standard deviation of the differences; 0 if within rounding error."""
        deviation = math.sqrt(max(0.0, self.gain_squares) / (self.n - 1))
        return deviation if deviation > self.noise else 0.0

    @property
    def correlation(self) -> float:
        """Linear correlation of the losses; NaN if the losses of a role are constant."""
        squares = self._squares
        for own, mean in zip(squares[:2], self._means[:2], strict=True):
            size = math.sqrt(own / self.n + mean**2)
            if math.sqrt(own / self.n) <= max(NOISE * size, VANISHED):
                return math.nan
        r = self.products / (math.sqrt(squares[0]) * math.sqrt(squares[1]))
        return min(1.0, max(-1.0, r))

    @property
    def largest_share(self) -> float:
        """Largest record's share of the sum of squared distances from the mean gain.

        NaN where the differences do not vary, or only sums of them are known.
        """
        if self.extremes is None or self.n < 2 or self.gain_deviation == 0:
            return math.nan
        distance = max(abs(extreme - self.gain) for extreme in self.extremes)
        # A rounded mean can leave a little more than there is.
        return min(1.0, distance / self.gain_squares * distance)

    @property
    def no_gain(self) -> bool:
        """Whether the means are equal up to rounding."""
        return abs(self.gain) <= self.noise

    def swap(self) -> "LossMoments":
        """Return the moments with the roles exchanged."""
        return replace(
            self,
            champion=self.challenger,
            challenger=self.champion,
            gain=-self.gain,
            champion_squares=self.challenger_squares,
            challenger_squares=self.champion_squares,
            rests=(self.rests[1], self.rests[0], -self.rests[2]),
            extremes=self.extremes and (-self.extremes[1], -self.extremes[0]),
        )

    def weighted(self, first: float, second: float) -> "LossMoments":
        """Return the moments of losses that are multiplied by a weight of each role.

        The weighted gain is b g + (a - b) c, with g the gain, c the champion's loss and the
        weights a and b. It is computed from these, because nearly equal weights of nearly
        equal losses would cancel in sums of either loss.
        """
        apart, of_gain = first - second, self.rests[2]
        common = self.champion_squares - self.products
        squares = second**2 * self.gain_squares + apart**2 * self.champion_squares
        return LossMoments(
            self.n,
            first * self.champion,
            second * self.challenger,
            second * self.gain + apart * self.champion,
            first**2 * self.champion_squares,
            second**2 * self.challenger_squares,
            max(0.0, squares + 2 * second * apart * common),
            first * second * self.products,
            rests=(
                first * self.rests[0],
                second * self.rests[1],
                second * of_gain + apart * self.rests[0],
            ),
        )

    def __add__(self, other: "LossMoments") -> "LossMoments":
        """Merge the moments of two shards."""
        return merged_rows([self._row, other._row])

    @property
    def _row(self) -> Row:
        extremes = self.extremes or UNKNOWN
        sums = *self._means, *self.rests, *self._squares, self.products
        return self.n, *sums, *extremes

    @property
    def _means(self) -> tuple[float, float, float]:
        return self.champion, self.challenger, self.gain

    @property
    def _squares(self) -> tuple[float, float, float]:
        return self.champion_squares, self.challenger_squares, self.gain_squares


def moment_rows(
    champion: FloatArray,
    challenger: FloatArray,
    kept: FloatArray | None,
    n_all: int | None = None,
) -> list[Row]:
    """Return the moments of successive chunks of losses, which fit the cache.

    The losses are copied to the two rows of `kept` on the way. One chunk of all `n_all`
    takes two passes.
    """
    n, rows = len(champion), []
    space = np.empty((3, min(CHUNK, n)))
    # Losses that are infinite or too large are refused when their moments show it.
    with np.errstate(over="ignore", invalid="ignore"):
        for part in slices_of(n, CHUNK):
            first, second = champion[part], challenger[part]
            if kept is not None:
                kept[0, part], kept[1, part] = first, second
            row = None if (n_all or n) <= CHUNK else _plain_row(first, second, space)
            rows.append(row or _centred_row(first, second, space))
    return rows


def _plain_row(
    champion: FloatArray, challenger: FloatArray, space: FloatArray
) -> Row | None:
    """Return the moments of losses in one pass, or None where means are too large."""
    n = len(champion)
    columns = champion, challenger, np.subtract(champion, challenger, out=space[0, :n])
    means = [float(np.add.reduce(column)) / n for column in columns]
    squares = [float(column @ column) for column in columns]
    of_means = [n * mean * mean for mean in means]
    if not all(own <= LARGE * total for own, total in zip(of_means, squares)):
        return None
    centred = [total - own for own, total in zip(of_means, squares)]
    products = float(champion @ challenger) - n * means[0] * means[1]
    return n, *means, 0.0, 0.0, 0.0, *centred, products, *_extremes(columns[2])


def _centred_row(champion: FloatArray, challenger: FloatArray, space: FloatArray) -> Row:
    """Return the moments of a few losses, in two passes."""
    n = len(champion)
    rest = space[:, :n]
    rest[0], rest[1] = champion, challenger
    np.subtract(champion, challenger, out=rest[2])
    extremes = _extremes(rest[2])
    # As `rest.mean(axis=1)`, which takes longer for few values.
    means = np.add.reduce(rest, axis=1) / n
    rest -= means[:, None]
    # The mean of large values is rounded; the mean of the deviations corrects it.
    corrections = np.add.reduce(rest, axis=1) / n
    rest -= corrections[:, None]
    return _row(n, means, corrections, rest, extremes)


def _extremes(gains: FloatArray) -> tuple[float, float]:
    """Smallest and largest difference of a few records."""
    return float(np.minimum.reduce(gains)), float(np.maximum.reduce(gains))


def _row(
    n: int,
    means: FloatArray,
    corrections: FloatArray,
    rest: Any,
    extremes: tuple[float, float],
) -> Row:
    """Moments of three means, their corrections, and deviations on any device."""
    first, second, gain = rest
    squares = float(first @ first), float(second @ second), float(gain @ gain)
    products = float(first @ second)
    return n, *means.tolist(), *corrections.tolist(), *squares, products, *extremes


def merged_rows(rows: Sequence[Row] | FloatArray) -> LossMoments:
    """Merge the moments of shards without cancellation (Chan, Golub and LeVeque 1983)."""
    table = np.asarray(rows)
    n, means, rests, squares = table[:, 0], table[:, 1:4], table[:, 4:7], table[:, 7:11]
    extremes = float(table[:, 11].min()), float(table[:, 12].max())
    with np.errstate(over="ignore", invalid="ignore"):
        # Differences from the means of the first shard are exact where those vary little.
        steps = (means - means[0]) + (rests - rests[0])
        shift = n @ steps / n.sum() + rests[0]
        centres = means[0] + shift
        # The rounding error of a sum (Dekker 1971).
        rounding = (means[0] - centres) + shift
        steps -= shift - rests[0]
        between = n @ np.column_stack([steps * steps, steps[:, 0] * steps[:, 1]])
    total = squares.sum(axis=0) + between
    moments = [*centres.tolist(), *total.tolist()]
    return LossMoments(
        int(n.sum()),
        *moments,
        rests=tuple(rounding.tolist()),
        extremes=None if math.isnan(sum(extremes)) else extremes,
    )


def _numbers(
    means: Sequence[float], variances: Sequence[float], joint: float | None
) -> list[float]:
    numbers = [*means, *variances, joint]
    finite = all(is_number(value) and math.isfinite(value) for value in numbers)
    if len(means) != 2 or len(variances) != 2 or not finite:
        raise ValueError(
            "`means` and `variances` must each hold two finite numbers, and the covariance "
            f"or variance of the differences be one. Got {numbers!r}."
        )
    return [float(value) for value in numbers]  # type: ignore[arg-type]


def _check_variances(champion: float, challenger: float, covariance: float) -> None:
    """Check that the variances and the covariance are possible for losses."""
    if min(champion, challenger) < 0:
        raise ValueError(
            f"A variance must not be negative. Got {champion!r} and {challenger!r}."
        )
    # A variance of the differences is negative, or too large, exactly then as well.
    if abs(covariance) > (1 + ROUNDED) * math.sqrt(champion * challenger):
        raise ValueError(
            "The covariance must not be more than the product of the standard deviations. "
            f"Got {covariance!r} with variances {champion!r} and {challenger!r}."
        )
