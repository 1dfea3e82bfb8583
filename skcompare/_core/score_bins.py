"""Score bins, which map scores to a few ordered integers."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import ArrayOperations
from skcompare._core.validation import check_count
from skcompare._typing import ArrayLike

MOST_LEVELS = 1 << 24

LARGEST = float(np.finfo(np.float64).max) / 4
"""Greatest end of bins, so that the distance between any two ends is finite."""

NARROWEST = 1e-290
"""Half the width of bins around one value; no finite slope divides denormal widths."""

SEGMENTS = 12
"""Largest number of segments of fitted bins; engines evaluate each for every record."""


@dataclass(frozen=True, slots=True)
class ScoreBins:
    """Bins of scores, in the order of the scores.

    Scores of 10^8 records are mostly different, and ranking them takes a sort. With a few
    hundred bins, records can be counted by the bins of their scores, on any machine and
    in any order, and the counts add up. Records in one bin are then tied: see
    :class:`~skcompare.evidence.PlacementValues` for how much that may matter.

    The rule is fixed before the records are seen, or fitted to a sample of scores, never
    to labels: then the bins are scores of their own, and every test of them is as valid
    as one of the scores.

    Between two knots all bins have the same width. The bin of a float64 score `x` is
    found in exactly these steps, so that every engine that computes with float64 finds the
    same::

        x = low if x < low else x               # low, high: the first and last knot
        x = high if x > high else x
        k = number of inner knots that are <= x
        level = floor((x - knots[k]) * slopes[k]) + firsts[k]
        level = n_score_bins - 1 if level >= n_score_bins else level

    Each step keeps the order of scores when it is rounded, so that no two scores are ever
    reversed.

    Parameters
    ----------
    knots : tuple of float of length n_segments + 1
        Ends of the segments, increasing. Scores beyond the ends are in the first and the
        last bin. Empty for bins that are the scores themselves.
    slopes : tuple of float of length n_segments
        Number of bins per unit of the score in each segment.
    firsts : tuple of int of length n_segments + 1
        First bin of each segment, beginning with 0, and the number of bins.

    Raises
    ------
    ValueError
        If knots or firsts do not increase, or a slope leads out of its segment.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ScoreBins
    >>> levels = ScoreBins.uniform(4)
    >>> levels.codes(np.array([0.0, 0.2, 0.25, 0.9, 1.0])).tolist()
    [0, 0, 1, 3, 3]

    Most scores near 0 get narrow bins there when bins are fitted to a sample:

    >>> sample = np.random.default_rng(0).random(1000) ** 8
    >>> fitted = ScoreBins.fitted(sample, 64)
    >>> np.unique(fitted.codes(sample[sample < 0.01])).size
    23
    >>> np.unique(ScoreBins.uniform(64).codes(sample[sample < 0.01])).size
    1
    """

    knots: tuple[float, ...] = ()
    slopes: tuple[float, ...] = ()
    firsts: tuple[int, ...] = ()

    default: ClassVar[int] = 512

    def __post_init__(self) -> None:
        object.__setattr__(self, "knots", tuple(float(knot) for knot in self.knots))
        object.__setattr__(self, "slopes", tuple(float(slope) for slope in self.slopes))
        object.__setattr__(self, "firsts", tuple(int(first) for first in self.firsts))
        if self.knots or self.slopes or self.firsts:
            _check_segments(self.knots, self.slopes, self.firsts)

    @classmethod
    def distinct(cls) -> "ScoreBins":
        """Create bins that are the scores themselves, one for each distinct value."""
        return cls()

    @classmethod
    def uniform(
        cls, n_score_bins: int = default, low: float = 0.0, high: float = 1.0
    ) -> "ScoreBins":
        """Create bins of equal width between two scores.

        Parameters
        ----------
        n_score_bins : int, default=512
            Number of bins. A power of 2 of them between 0 and 1 are exact: no step of
            the rule is rounded.
        low, high : float, default=0 and 1
            Ends of the bins. Scores beyond them are in the first or the last.
        """
        n_score_bins = _check_number(n_score_bins)
        low, high = float(low), float(high)
        if not -LARGEST <= low < high <= LARGEST:
            raise ValueError(
                f"`low` must be below `high`, and both finite. Got {low} and {high}. "
                "Probabilities are between 0 and 1."
            )
        return cls((low, high), (_slope(low, high, n_score_bins),), (0, n_score_bins))

    @classmethod
    def fitted(cls, sample: ArrayLike, n_score_bins: int = default) -> "ScoreBins":
        """Fit bins to a sample of scores.

        Half of the bins are spread evenly over the range of the sample, half over its
        values, in 12 segments at most.

        Parameters
        ----------
        sample : array-like of shape (n_samples,)
            Scores of some records, whatever their labels: tens of thousands are plenty.
        n_score_bins : int, default=512
            Number of bins.
        """
        n_score_bins = _check_number(n_score_bins)
        values, counts = _distinct_values(sample)
        if len(values) == 1:
            # No range to divide: other scores are below or above the only one of the
            # sample.
            value = float(values[0])
            step = max(float(np.spacing(abs(value))), NARROWEST)
            return cls.uniform(n_score_bins, value - step, value + step)
        # A single value cannot be divided, however frequent it is: it needs one bin.
        weights = np.minimum(counts, max(counts.sum() / n_score_bins, 1.0))
        below = np.cumsum(weights) - weights
        # Old numpy warns of quotients of denormal numbers, which are correct.
        with np.errstate(over="ignore"):
            x = (values - values[0]) / (values[-1] - values[0])
        y = (x + below / below[-1]) / 2
        at_knots = _knots(x, y, min(SEGMENTS, n_score_bins))
        sizes = _apportion(np.diff(y[at_knots]), n_score_bins)
        knots = values[at_knots].tolist()
        segments = zip(pairwise(knots), sizes.tolist(), strict=True)
        slopes = tuple(_slope(*ends, size) for ends, size in segments)
        return cls(tuple(knots), slopes, (0, *np.cumsum(sizes).tolist()))

    @classmethod
    def quantised(cls, sample: ArrayLike, n_score_bins: int = default) -> "ScoreBins":
        """Create uniform bins if they suit a sample, and fitted bins otherwise.

        Uniform bins from 0 to 1 suit a sample of probabilities that they separate
        nearly as well as bins that are fitted to it.

        Parameters
        ----------
        sample : array-like of shape (n_samples,)
            Scores of some records, whatever their labels.
        n_score_bins : int, default=512
            Number of bins.
        """
        values, counts = _distinct_values(sample)
        fitted, plain = cls.fitted(sample, n_score_bins), cls.uniform(n_score_bins)
        if values[0] < 0 or values[-1] > 1:
            return fitted
        suits = _tied(plain, values, counts) <= 1.25 * _tied(fitted, values, counts)
        return plain if suits else fitted

    @classmethod
    def choose(cls, sample: ArrayLike, n_score_bins: int = default) -> "ScoreBins":
        """Choose bins that suit a sample of scores.

        The scores themselves where the sample repeats at most `n_score_bins` values, else
        :meth:`quantised` ones.

        Parameters
        ----------
        sample : array-like of shape (n_samples,)
            Scores of some records, whatever their labels.
        n_score_bins : int, default=512
            Number of bins.
        """
        values, counts = _distinct_values(sample)
        if len(values) <= _check_number(n_score_bins) and 2 * len(values) <= counts.sum():
            return cls.distinct()
        return cls.quantised(sample, n_score_bins)

    @property
    def is_distinct(self) -> bool:
        """Whether the bins are the scores themselves."""
        return not self.knots

    @property
    def n_score_bins(self) -> int | None:
        """Number of bins, or None if the bins are the scores themselves."""
        return self.firsts[-1] if self.knots else None

    def codes(self, score: Any, operations: Any = None) -> Any:
        """Return the bin of each score, counted from 0.

        Parameters
        ----------
        score : array-like of numbers, or the float64 expression of an engine
            Scores without missing values and NaN: check them before, because engines
            order NaN differently. Other numbers than float64 are converted.
        operations : namespace, optional
            `floor(value)` and `where(condition, value, otherwise)`, if scores are not
            arrays. Values and `otherwise` may be Python numbers.

        Returns
        -------
        codes : ndarray of int32, or an expression of whole floats
            The scores as they are for bins that are the scores themselves.
        """
        if self.is_distinct:
            return score
        if operations is None:
            # float32 would round the steps differently.
            values = np.asarray(score, dtype=np.float64)
            return self.codes(values, ArrayOperations()).astype(np.int32)
        low, high = self.knots[0], self.knots[-1]
        score = operations.where(score < low, low, score)
        score = operations.where(score > high, high, score)
        knot: Any = self.knots[0]
        slope: Any = self.slopes[0]
        first: Any = float(self.firsts[0])
        inner = zip(self.knots[1:-1], self.slopes[1:], self.firsts[1:-1], strict=True)
        for next_knot, next_slope, next_first in inner:
            beyond = score >= next_knot
            knot = operations.where(beyond, next_knot, knot)
            slope = operations.where(beyond, next_slope, slope)
            first = operations.where(beyond, float(next_first), first)
        level = operations.floor((score - knot) * slope) + first
        last = float(self.firsts[-1] - 1)
        return operations.where(level > last, last, level)


def _check_number(n_score_bins: object) -> int:
    n_score_bins = check_count("n_score_bins", n_score_bins)
    if n_score_bins > MOST_LEVELS:
        raise ValueError(
            f"`n_score_bins` must be at most {MOST_LEVELS}. Got {n_score_bins}. A few bins "
            f"are enough; the default is {ScoreBins.default}."
        )
    return n_score_bins


def _check_segments(
    knots: tuple[float, ...], slopes: tuple[float, ...], firsts: tuple[int, ...]
) -> None:
    if not len(knots) == len(firsts) == len(slopes) + 1 or len(knots) < 2:
        raise ValueError(
            "Bins need one slope per segment and one more knot and first bin. Got "
            f"{len(knots)} knots, {len(slopes)} slopes and {len(firsts)} firsts. Use "
            "ScoreBins.uniform or ScoreBins.fitted."
        )
    rising = all(a < b for a, b in pairwise(knots))
    counted = all(a < b for a, b in pairwise(firsts))
    if not rising or not counted or firsts[0] or max(map(abs, knots)) > LARGEST:
        raise ValueError(
            "Knots of bins must be finite and increase, and so must the first bins, "
            f"from 0. Got {knots} and {firsts}. Use ScoreBins.uniform or ScoreBins.fitted."
        )
    sizes = np.diff(firsts).tolist()
    segments = zip(pairwise(knots), slopes, sizes, strict=True)
    if not all(slope > 0 and _within(*ends, slope, size) for ends, slope, size in segments):
        raise ValueError(
            "Slopes of bins must be above 0 and stay within the bins of their segment. "
            f"Got {slopes}. Use ScoreBins.uniform or ScoreBins.fitted."
        )


def _within(low: float, high: float, slope: float, size: int) -> bool:
    # Rounding may move the greatest scores of a segment to the first bin of the next,
    # which keeps the order.
    return (high - low) * slope < size + 1


def _slope(low: float, high: float, size: int) -> float:
    return min(size / (high - low), LARGEST)


def _distinct_values(sample: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    array = np.asarray(sample, dtype=np.float64)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise ValueError(
            "`sample` must be finite scores of shape (n_samples,), one at least. Got shape "
            f"{array.shape}. Leave out records without a score."
        )
    return np.unique(np.clip(array, -LARGEST / 2, LARGEST / 2), return_counts=True)


def _knots(x: NDArray[np.float64], y: NDArray[np.float64], most: int) -> list[int]:
    """Indices of the knots of a piecewise linear approximation of a rising curve.

    The segment that is farthest from the curve is divided at its farthest point, until
    there are `most` segments.
    """
    indices = [0, len(x) - 1]
    while len(indices) <= most:
        farthest = [_farthest(x, y, *ends) for ends in pairwise(indices)]
        gap, new = max(farthest)
        if gap <= 0:
            break
        indices = sorted([*indices, new])
    return indices


def _farthest(
    x: NDArray[np.float64], y: NDArray[np.float64], start: int, stop: int
) -> tuple[float, int]:
    segment = slice(start, stop + 1)
    # Tiny widths may be 0 relative to a wide range; their values then stay together.
    width = x[stop] - x[start]
    rise = (x[segment] - x[start]) / width if width else np.zeros(stop - start + 1)
    gaps = np.abs(y[segment] - y[start] - rise * (y[stop] - y[start]))
    gaps[[0, -1]] = 0.0
    farthest = int(gaps.argmax())
    return float(gaps[farthest]), start + farthest


def _apportion(shares: NDArray[np.float64], n_score_bins: int) -> NDArray[np.int64]:
    """Divide `n_score_bins` into positive integers that are close to given shares."""
    quotas = shares * (n_score_bins - len(shares))
    sizes = np.floor(quotas).astype(np.int64)
    remaining = n_score_bins - len(shares) - int(sizes.sum())
    sizes[np.argsort(sizes - quotas, kind="stable")[:remaining]] += 1
    return sizes + 1


def _tied(
    score_bins: ScoreBins, values: NDArray[np.float64], counts: NDArray[np.int64]
) -> float:
    """Sum of squared counts of the bins, a measure of tied pairs of records."""
    return float((np.bincount(score_bins.codes(values), counts) ** 2).sum())
