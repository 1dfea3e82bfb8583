"""Numbers of records to show that a difference is beyond its boundaries."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from skcompare._typing import IntArray
from skcompare.evidence import ContingencyTable, JointCounts, PairedCalibration
from skcompare.stats.accuracy._limits import record_variance, score_root
from skcompare.stats.accuracy._unconditional import fewest_in_favour, most_in_favour, worst
from skcompare.stats.calibration._squared_errors import (
    RoleSums,
    row_sums,
    squared_errors,
    variance_of,
)
from skcompare.stats.core._power import nearest_tried, smallest
from skcompare.stats.core._tails import outward, reference_quantile
from skcompare.stats.margins._margin_test import (
    FLOORS,
    ConstantDifferences,
    MarginResult,
    MarginTest,
    SkewnessAdjusted,
    moments_of_counts,
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


MOST_CELLS = 2_000_000
"""Largest number of counts of all simulated data sets together."""

FEWEST_SETS, MOST_SETS = 200, 4_000
NEAR_ENOUGH = 0.01

MOST_CALIBRATION_SETS, MOST_ROWS = 600, 1_500_000
"""Largest numbers of resamples, and of records of all of them together."""

MOST_DRAWN = 5_000
"""Number of records above which difference and standard error hardly vary together."""

LEAST = 0.5
"""Least spread of a limit, whatever few records suggest."""


class Sides(NamedTuple):
    """Sides to be shown at a level, with a power, by more records."""

    sides: Sequence[MarginResult]
    alpha: float
    power: float

    def records(self, test: MarginTest) -> float | None:
        """Number of records that a test other than of counts requires; None if unknown."""
        evidence, basis = test.evidence, self.sides[0].basis
        if test.entry.name.startswith("anytime"):
            return max(self._by_own_plan(test, side) for side in self.sides)
        if isinstance(basis, ConstantDifferences):
            return max(self._without_variation(side, basis) for side in self.sides)
        if isinstance(basis, SkewnessAdjusted):
            if basis.moments.error == 0:
                return None
        elif any(math.isnan(side.pvalue) for side in self.sides):
            return None
        needed = self.of_means()
        if isinstance(evidence, JointCounts) and isinstance(basis, SkewnessAdjusted):
            return self.of_scores(evidence, test.options, needed)
        if isinstance(evidence, PairedCalibration) and _can_resample(test):
            return self.of_calibration(evidence, needed)
        return needed

    def _by_own_plan(self, test: MarginTest, side: MarginResult) -> float:
        """Number of records by the sample size function of the test."""
        assert test.entry.sample_size is not None
        options = test.options | {
            "alternative": side.alternative,
            "null_value": side.null_value,
        }
        return test.entry.sample_size(
            test.evidence, alpha=self.alpha, power=self.power, **options
        )

    def _without_variation(self, side: MarginResult, basis: ConstantDifferences) -> float:
        """Number of records at which constant differences exclude the boundary."""
        single = basis._replace(n=1).pvalue(side.null_value, side.alternative)
        if single >= 1:
            return math.inf
        return float(side.result.n) * math.log(self.alpha) / math.log(single) / basis.n

    def of_means(self, spreads: Sequence[float] | None = None, times: float = 1.0) -> float:
        """Number of records by an approximation that allows for skewness.

        The estimate is taken to be true; infinite where it is beyond a boundary. `spreads`
        are those of the sides' limits, where they do not vary as the difference does, and
        `times` is the standard error as a share of the one expected from the sides.
        """
        growing = [
            Growing(side, self.alpha, spread, times)
            for side, spread in zip(self.sides, spreads or [1.0] * len(self.sides))
        ]
        if any(not side.distance > 0 for side in self.sides):
            return math.inf

        def enough(n: float) -> bool:
            # At most one side is not shown, because the sides contradict each other.
            shown = sum(side.power(n) for side in growing) - (len(growing) - 1)
            return shown >= self.power

        return smallest(enough, max(2.0, self.sides[0].result.n), low=1.0, precision=1e-6)

    def of_scores(
        self, counts: JointCounts, options: Mapping[str, Any], near: float
    ) -> float:
        """Number of records with the required power, if the observed cell shares are true.

        Data sets with these shares are drawn and decided as the gate decides them, because
        the normal approximation is poor where few records have different predictions. The
        search starts from its number, `near`.
        """
        if not math.isfinite(near):
            return near
        shares = counts.counts / counts.counts.sum()
        n_sets = int(min(MOST_SETS, max(FEWEST_SETS, MOST_CELLS // len(shares))))

        def power_at(n: int) -> float:
            drawn = np.random.default_rng(0).multinomial(n, shares, size=n_sets)
            return self._share_shown(counts, drawn, options)

        def following(n: int, reached: float) -> int:
            # The distance from the boundary in standard errors grows with the root.
            needed = float(ndtri(self.power) - ndtri(self.alpha))
            distance = float(ndtri(min(max(reached, 0.01), 0.999)) - ndtri(self.alpha))
            return max(2, math.ceil(n * min(4.0, (needed / max(distance, 0.3)) ** 2)))

        start = max(2, math.ceil(near))
        return nearest_tried(power_at, following, start, self.power, NEAR_ENOUGH)

    def _share_shown(
        self, counts: JointCounts, drawn: Any, options: Mapping[str, Any]
    ) -> float:
        """Share of simulated data sets in which all sides are shown."""
        scored = moments_of_counts(counts.classes, counts.cells, drawn, options)
        if scored is None:
            return math.nan
        difference, error, skewness, units = scored
        shown = np.ones(len(drawn), dtype=bool)
        for side in self.sides:
            shown &= skewness_adjusted_passes(
                side.sign * (difference - side.null_value),
                error,
                side.sign * skewness,
                units,
                FLOORS["records with different predictions"],
                float(-ndtri(self.alpha)),
            )
        return float(shown.mean())

    def of_calibration(self, calibration: PairedCalibration, near: float) -> float:
        """Number of records with the required power, if the observed records are typical.

        A squared error that comes out large has a large standard error, too, so that limits
        vary less than the difference does. The reduction is estimated from resamples of
        `near` records, the number without it, which is accurate enough.
        """
        if not near <= MOST_DRAWN:
            return near
        n = max(2, math.ceil(near))
        spreads, error = self._resampled(calibration, n)
        # The standard error of n records is not the one expected from all records, where
        # the errors of both seem equal for so few.
        side = self.sides[0]
        expected = Growing(side, self.alpha).error(side.result.n / n)
        return self.of_means(spreads, min(1.0, error / expected) if expected else 1.0)

    def _resampled(
        self, calibration: PairedCalibration, n: int
    ) -> tuple[list[float], float]:
        """Spread of each limit relative to that of the difference, and mean error."""
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
            return [1.0] * len(self.sides), math.inf
        spreads = []
        for side in self.sides:
            critical = Growing(side, self.alpha).critical(side.result.n / n)
            limits = side.sign * differences - critical * errors
            spreads.append(max(LEAST, float(limits.std()) / spread))
        return spreads, float(errors.mean())


def _can_resample(test: MarginTest) -> bool:
    """Whether ungrouped records with one row each were kept, for the analytic test."""
    calibration = test.evidence
    return (
        calibration.cells is None
        and calibration.groups is None
        and calibration.rows_per_record == 1
        and test.options.get("method", "analytic") == "analytic"
    )


def _of_rows(sums: RoleSums, rows: IntArray) -> RoleSums:
    """Sums of selected rows, each of which is a record."""
    unit, count = np.arange(len(rows)), np.ones(len(rows))
    bins, happened = sums.codes[rows], sums.happened[rows]
    parts = bins, count, sums.events[rows], sums.excess[rows], sums.n_bins
    return RoleSums(unit, *parts, len(rows), 1, bins, happened)


MOST_SUMMED = 20_000
"""Number of records above which a gate takes the difference for normal."""

NEGLIGIBLE = 1e-14
CERTAIN = 1e-12
"""Smallest variance of a record; below it the outcome is certain."""
ROWS, WIDEST = 3, 0.8
"""Range of numbers against, and of scores, that includes the critical one."""
NEAREST_OF_COUNTS = 0.005
"""Distance from the required power at which the search stops."""


class Boundary(NamedTuple):
    """Difference to be excluded, with the direction to be shown."""

    difference: float
    direction: str

    def distance(self, difference: float) -> float:
        """Distance of a difference from the boundary, in the direction to be shown."""
        return outward(difference - self.difference, self.direction)


class CountPower(NamedTuple):
    """Power to exclude all boundaries of a difference of accuracies, by a method.

    `shares` are the probabilities that the champion alone, and that the challenger alone,
    predicts a record correctly.
    """

    shares: tuple[float, float]
    boundaries: Sequence[Boundary]
    alpha: float
    method: str = "asymptotic"

    def at(self, n: int) -> float:
        """Probability that all boundaries are excluded with n records.

        The probabilities of all tables that do are added.
        """
        against, favour = self.shares
        likely = binom.ppf(NEGLIGIBLE, n, against), binom.isf(NEGLIGIBLE, n, against)
        b = np.arange(int(max(0, likely[0])), int(likely[1]) + 1)
        least, most = np.zeros(len(b), np.int64), n - b
        for boundary in self.boundaries:
            score = self._critical(n, boundary)
            if boundary.direction == "greater":
                fewest = fewest_in_favour(n, boundary.difference, score, b)
                least = np.maximum(least, fewest + self._correction)
            else:
                largest = most_in_favour(n, boundary.difference, -score, b)
                most = np.minimum(most, largest - self._correction)
        share = favour / (1 - against) if against < 1 else 0.0
        inside = binom.cdf(most, n - b, share) - binom.cdf(least - 1, n - b, share)
        power = binom.pmf(b, n, against) @ np.where(least <= most, inside, 0.0)
        return min(1.0, float(power))

    def by_formula(self, n: float) -> float:
        """Power by a normal approximation, as in Nam (1997), Biometrics 53, 1422-1430."""
        against, favour = self.shares
        difference = favour - against
        deviation = math.sqrt(max(against + favour - difference**2, CERTAIN))
        z, powers = float(-ndtri(self.alpha)), []
        for boundary in self.boundaries:
            null = math.sqrt(record_variance(boundary.difference, against, favour, 1.0))
            distance = boundary.distance(difference) - self._correction / n
            powers.append(float(ndtr((math.sqrt(n) * distance - z * null) / deviation)))
        return max(0.0, sum(powers) - (len(powers) - 1))

    @property
    def _correction(self) -> int:
        """Additional number in favour required by tests conditional on discordant pairs."""
        return 1 if self.method in ("exact", "corrected") else 0

    def _critical(self, n: int, boundary: Boundary) -> float:
        """Smallest Tango score with which the test excludes the boundary."""
        if self.method != "exact-unconditional":
            return float(-ndtri(self.alpha))
        against, delta = self.shares[0], boundary.difference
        if boundary.direction == "less":
            against, delta = self.shares[1], -delta
        return _unconditional_critical(n, against, delta, self.alpha)


def records_of_counts(
    table: ContingencyTable,
    boundaries: Sequence[Boundary],
    method: str | None,
    exact: bool,
    alpha: float,
    power: float,
) -> float:
    """Number of records with the power to exclude all boundaries, if the table is typical.

    `method` is the requested one; by default it follows from the number of records.
    """
    shares = table.only_champion / table.n, table.only_challenger / table.n
    if any(boundary.distance(shares[1] - shares[0]) <= 0 for boundary in boundaries):
        return math.inf
    margin = abs(boundaries[0].difference)

    def power_with(n: float) -> CountPower:
        name = method or method_for(n, margin, exact)
        return CountPower(shares, boundaries, alpha, name)

    def by_formula(required: float) -> int:
        def enough(n: float) -> bool:
            return power_with(n).by_formula(n) >= required

        return max(2, math.ceil(smallest(enough, 10.0, low=1.0, precision=1e-6)))

    # The power of all tables goes up and down a little from record to record: the number
    # is found on the normal scale, where it grows with the root of n.
    target = float(ndtri(power))

    def following(n: int, reached: float) -> int:
        nonlocal target
        target += float(ndtri(power) - ndtri(min(max(reached, 1e-6), 1 - 1e-6)))
        return by_formula(min(float(ndtr(target)), 1 - 1e-9))

    return nearest_tried(
        lambda n: power if n > MOST_SUMMED else power_with(n).at(n),
        following,
        by_formula(power),
        power,
        NEAREST_OF_COUNTS,
    )


def _unconditional_critical(n: int, against: float, delta: float, alpha: float) -> float:
    """Critical score of the exact unconditional test, among likely outcomes."""
    z = float(-ndtri(alpha))
    rows = range(max(0, round(n * against) - ROWS), min(n, round(n * against) + ROWS) + 1)
    outcomes = {}
    for b in rows:
        start = b + math.ceil(n * delta)
        for c in range(max(0, start), n - b + 1):
            score = score_root(b, c, n, 0.0, delta)
            if score > z + WIDEST:
                break
            if score > z - WIDEST / 2:
                outcomes[round(score, 9)] = (b, c)

    def rejected(score: float) -> bool:
        return worst(*outcomes[score], n, delta, False).log_probability < math.log(alpha)

    scores = sorted(outcomes)
    first = bisect_left(scores, True, key=rejected)
    return scores[first] - 1e-9 if first < len(scores) else z + WIDEST


MOST_EXACT = 5_000
"""Number of records up to which the unconditional test takes less than a second."""


FEW_RECORDS = 100
"""Records below which mid-p passes with a probability of up to 0.073 at a level of 0.05."""


ENOUGH_AT_MARGIN = 100
"""Margin times records from which on Tango's score keeps its level.

At a margin the least number of discordant pairs has this mean. Where it is small, the score
passes with a probability of up to 0.09 at a level of 0.05, whatever the number of records;
from 100 on with 0.06 at most.
"""


def method_for(n: float, margin: float, exact: bool) -> str:
    """Choose the method of McNemar's test for `n` records."""
    if not (margin or exact or n < FEW_RECORDS):
        return "mid-p"
    if n <= MOST_EXACT:
        return "exact-unconditional"
    if exact or margin * n < ENOUGH_AT_MARGIN:
        return "exact"
    return "asymptotic"


def records_beyond_boundaries(
    test: MarginTest,
    sides: Sequence[MarginResult],
    alpha: float,
    power: float,
    *,
    method: str | None = None,
    exact: bool = False,
) -> float | None:
    """Number of records with the power to show all sides, if the estimate is true.

    Of McNemar's test the probabilities of all tables are added, by `method` or the one
    chosen for that number of records. None where nothing is known.
    """
    if test.entry.name == "mcnemar" and isinstance(test.evidence, ContingencyTable):
        boundaries = [Boundary(side.null_value, side.alternative) for side in sides]
        return records_of_counts(test.evidence, boundaries, method, exact, alpha, power)
    return Sides(sides, alpha, power).records(test)
