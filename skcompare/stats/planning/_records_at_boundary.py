"""Numbers of records to show that a difference is beyond its boundaries."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from skcompare._typing import IntArray
from skcompare.evidence import JointCounts, PairedCalibration
from skcompare.stats.calibration._squared_errors import (
    RoleSums,
    row_sums,
    squared_errors,
    variance_of,
)
from skcompare.stats.core._search import nearest_tried, smallest
from skcompare.stats.core._tails import reference_quantile
from skcompare.stats.margins._influence import moments_of_counts
from skcompare.stats.margins._one_sided import MarginResult
from skcompare.stats.margins._skewness import (
    FLOORS,
    SkewnessAdjusted,
    skewness_adjusted_passes,
)


class Growing(NamedTuple):
    """Result at a boundary as a function of the number of records."""

    side: MarginResult
    alpha: float
    spread: float = 1.0
    """Standard deviation of the limit, as a share of that of the difference."""

    times: float = 1.0
    """Standard error, as a share of the one expected from the side."""

    def power(self, n: float) -> float:
        """Probability that the difference is shown to be on its side with `n` records.

        With Z normal the difference is at Z + a (Z² - 1) / 6 standard errors from the
        truth, and its estimated standard error is about 1 + a Z / 2 times the true one, if
        a is the skewness. The side is shown from some Z on.
        """
        share = self.side.result.n / n
        error = self.error(share)
        if error == 0:
            return 1.0
        needed, skewness = self.critical(share), 0.0
        if isinstance(self.side.basis, SkewnessAdjusted):
            skewness = self.side.sign * self.side.basis.moments.skewness * math.sqrt(share)
        if not math.isfinite(needed):
            return 0.0
        excess = (self.side.distance / error - needed) / self.spread
        slope = 1 - needed * skewness / 2
        if slope <= 0:
            reached = float(ndtr(excess))
        else:
            # One step of Newton's from the root of the linear part is as accurate as the
            # expansion.
            root = -excess / slope
            root -= skewness * (root**2 - 1) / 6 / slope
            reached = float(ndtr(-root))
        # Either is shown from some difference on, so the larger difference decides.
        return min(reached, float(ndtr((self.side.distance - self.rare(share)) / error)))

    def rare(self, share: float) -> float:
        """Required distance to allow for rare errors that no record shows."""
        unseen, side = self.side.rare_errors, self.side
        if unseen is None:
            return 0.0
        grown = unseen._replace(n=max(1, round(unseen.n / share)))
        worst = grown.bound + side.sign * side.null_value
        return worst * (self.alpha ** (-1 / grown.n) - 1)

    def error(self, share: float) -> float:
        """Standard error with `1 / share` times as many records."""
        details = self.side.result.details
        total = self._error()
        pairs = float(details.get("standard_error_of_pairs", 0.0))
        # What pairs of records add falls with the square of their number.
        of_records = max(0.0, total**2 - pairs**2)
        return self.times * math.sqrt(of_records * share + pairs**2 * share**2)

    def _error(self) -> float:
        basis, result = self.side.basis, self.side.result
        if isinstance(basis, SkewnessAdjusted):
            return basis.moments.error
        if "standard_error" in result.details:
            return float(result.details["standard_error"])
        reach = abs(result.estimate - self.side.limit)
        return reach / self._quantile()

    def critical(self, share: float) -> float:
        """Required distance from the boundary in standard errors."""
        basis = self.side.basis
        if not isinstance(basis, SkewnessAdjusted):
            return self._quantile()
        moments = basis.moments
        grown = basis._replace(
            estimate=0.0,
            df=None if basis.df is None else basis.df / share,
            moments=moments._replace(
                error=1.0,
                skewness=moments.skewness * math.sqrt(share),
                units=max(1, round(moments.units / share)),
            ),
        )
        if grown.too_few():
            return math.inf
        return abs(grown.limit(self.alpha, self.side.alternative))

    def _quantile(self) -> float:
        # One degree of freedom is that of a chi-squared statistic, whose root is normal.
        df = self.side.result.df
        return reference_quantile(self.alpha, None if df == 1 else df)


def records_of_means(
    sides: Sequence[MarginResult],
    alpha: float,
    power: float,
    spreads: Sequence[float] | None = None,
    times: float = 1.0,
) -> float:
    """Number of records at which all sides are shown with probability `power`.

    The estimate is taken to be true; infinite where it is beyond a boundary. `spreads` are
    those of the sides' limits, where they do not vary as the difference does, and `times`
    is the standard error as a share of the one expected from the sides.
    """
    shares = [1.0] * len(sides) if spreads is None else spreads
    growing = [
        Growing(side, alpha, spread, times)
        for side, spread in zip(sides, shares, strict=True)
    ]
    if any(not side.distance > 0 for side in sides):
        return math.inf

    def power_at(n: float) -> float:
        # At most one side is not shown, because the sides contradict each other.
        return sum(side.power(n) for side in growing) - (len(growing) - 1)

    return smallest(
        lambda n: power_at(n) >= power,
        max(2.0, sides[0].result.n),
        low=1.0,
        precision=1e-6,
    )


MOST_CELLS = 2_000_000
"""Largest number of counts of all simulated data sets together."""

FEWEST_SETS, MOST_SETS = 200, 4_000
NEAR_ENOUGH = 0.01


def records_of_scores(
    counts: JointCounts,
    options: Mapping[str, Any],
    sides: Sequence[MarginResult],
    near: float,
    alpha: float,
    power: float,
) -> float:
    """Number of records with the required power, if the observed cell shares are true.

    Data sets with these shares are drawn and decided as the gate decides them, because the
    normal approximation is poor where few records have different predictions. The search
    starts from its number, `near`.
    """
    if not math.isfinite(near):
        return near
    shares = counts.counts / counts.counts.sum()
    n_sets = int(min(MOST_SETS, max(FEWEST_SETS, MOST_CELLS // len(shares))))

    def power_at(n: int) -> float:
        drawn = np.random.default_rng(0).multinomial(n, shares, size=n_sets)
        return _power(counts, drawn, options, sides, alpha)

    def following(n: int, reached: float) -> int:
        # The distance from the boundary in standard errors grows with the square root.
        needed = float(ndtri(power) - ndtri(alpha))
        distance = float(ndtri(min(max(reached, 0.01), 0.999)) - ndtri(alpha))
        return max(2, math.ceil(n * min(4.0, (needed / max(distance, 0.3)) ** 2)))

    return nearest_tried(power_at, following, max(2, math.ceil(near)), power, NEAR_ENOUGH)


def _power(
    counts: JointCounts,
    drawn: Any,
    options: Mapping[str, Any],
    sides: Sequence[MarginResult],
    alpha: float,
) -> float:
    """Share of simulated data sets in which all sides are shown."""
    scored = moments_of_counts(counts.classes, counts.cells, drawn, options)
    if scored is None:
        return math.nan
    difference, error, skewness, units = scored
    shown = np.ones(len(drawn), dtype=bool)
    for side in sides:
        basis = side.basis
        assert isinstance(basis, SkewnessAdjusted)
        shown &= skewness_adjusted_passes(
            side.sign * (difference - side.null_value),
            error,
            side.sign * skewness,
            units,
            FLOORS["records with different predictions"],
            float(-ndtri(alpha)),
        )
    return float(shown.mean())


MOST_CALIBRATION_SETS, MOST_ROWS = 600, 1_500_000
"""Largest numbers of resamples, and of records of all of them together."""

MOST_DRAWN = 5_000
"""Number of records above which difference and standard error hardly vary together."""

LEAST = 0.5
"""Least spread of a limit, whatever few records suggest."""


def can_resample(calibration: PairedCalibration, options: Mapping[str, Any]) -> bool:
    """Whether ungrouped records with one row each were kept, for the analytic test."""
    return (
        calibration.cells is None
        and calibration.groups is None
        and calibration.rows_per_record == 1
        and options.get("method", "analytic") == "analytic"
    )


def records_of_calibration(
    calibration: PairedCalibration,
    sides: Sequence[MarginResult],
    near: float,
    alpha: float,
    power: float,
) -> float:
    """Number of records with the required power, if the observed records are typical.

    A squared error that comes out large has a large standard error, too, so that limits
    vary less than the difference does. The reduction is estimated from resamples of `near`
    records, the number without it, which is accurate enough.
    """
    if not near <= MOST_DRAWN:
        return near
    n = max(2, math.ceil(near))
    spreads, error = _resampled(calibration, sides, n, alpha)
    # The standard error of n records is not the one expected from all records, where the
    # errors of both seem equal for so few.
    expected = Growing(sides[0], alpha).error(sides[0].result.n / n)
    times = min(1.0, error / expected) if expected else 1.0
    return records_of_means(sides, alpha, power, spreads, times)


def _resampled(
    calibration: PairedCalibration, sides: Sequence[MarginResult], n: int, alpha: float
) -> tuple[list[float], float]:
    """Spread of each limit relative to that of the difference, and mean standard error."""
    rng = np.random.default_rng(0)
    all_sums = row_sums(calibration, 0), row_sums(calibration, 1)
    n_sets = min(MOST_CALIBRATION_SETS, MOST_ROWS // n)
    differences, errors = np.empty((2, n_sets))
    for k in range(n_sets):
        rows = rng.integers(calibration.n, size=n)
        sums = _of_rows(all_sums[0], rows), _of_rows(all_sums[1], rows)
        champion, challenger = squared_errors(sums)
        differences[k] = champion - challenger
        errors[k] = math.sqrt(variance_of(sums).total)
    spread = float(differences.std())
    if spread == 0:
        return [1.0] * len(sides), math.inf
    spreads = []
    for side in sides:
        critical = Growing(side, alpha).critical(side.result.n / n)
        limits = side.sign * differences - critical * errors
        spreads.append(max(LEAST, float(limits.std()) / spread))
    return spreads, float(errors.mean())


def _of_rows(sums: RoleSums, rows: IntArray) -> RoleSums:
    """Sums of selected rows, each of which is a record."""
    unit, count = np.arange(len(rows)), np.ones(len(rows))
    parts = sums.bin[rows], count, sums.events[rows], sums.excess[rows]
    return RoleSums(unit, *parts, sums.n_bins, len(rows), rows=1)
