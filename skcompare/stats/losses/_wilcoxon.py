"""Wilcoxon's signed-rank test: its exact distribution, Walsh averages and limits.

Under the null hypothesis each rank has a positive sign with probability 1/2. Ranks are
doubled, so that the mean of tied ranks is a whole number.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from skcompare._core.validation import alpha_of, check_switches, is_number
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import PairedLosses
from skcompare.stats.core._limits import Wald
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult, tested_result
from skcompare.stats.core._sign_flip import subset_sum_chance
from skcompare.stats.core._tails import bounded, doubled, each_tail, normal_pvalue

MOST_RANKED = 5000
"""Largest number of ranked differences for an exact tail probability, which takes less than
about a second, or a few where nearly all are tied."""

DECIMALS = 12
LARGEST = 1 << 59
"""Largest value whose sums of two, and differences of these, do not overflow."""

MOST_LISTED = 1 << 17
"""Largest number of sums to list, or four per value if more."""

SAMPLED = 4096
MARGIN = 3.0
"""Number of sums in a sample that narrows the range, and its margin in standard errors."""


def in_units(values: FloatArray, unit: float = 1.0) -> tuple[IntArray, float]:
    """Values as integer multiples of 1e-12 of a unit, and the number of these in 1.

    Differences in later decimals are rounding errors, which would make zeros and ties into
    ranks. For values above about 500 000 fewer decimals are kept.
    """
    largest = float(np.abs(values).max(initial=0.0))
    scale = 10.0**DECIMALS / unit
    while largest * scale >= LARGEST:
        scale /= 10
    return np.rint(values * scale).astype(np.int64), scale


@dataclass(frozen=True, eq=False)
class WalshSums:
    """Sums of all pairs i <= j of sorted whole numbers."""

    values: IntArray

    @property
    def number(self) -> int:
        """Number of sums."""
        n = len(self.values)
        return n * (n + 1) // 2

    def count(self, bound: int) -> int:
        """Return the number of sums that are at most `bound`."""
        return self._count_from(bound, self._stops(bound))

    def median(self) -> float:
        """Return the median of the sums."""
        middle = self.at((self.number + 1) // 2)
        if self.number % 2:
            return float(middle)
        stops = self._stops(middle)
        if self._count_from(middle, stops) > self.number // 2:
            return float(middle)
        # The next sum is the least of the next sums of all rows.
        has_next = stops < len(stops)
        next_sum = int((self.values[has_next] + self.values[stops[has_next]]).min())
        return (middle + next_sum) / 2

    def at(self, position: int) -> int:
        """Return the sum at a position, from 1 for the smallest.

        The range (low, high] that contains it is narrowed between sums of a sample of those
        that are left, as in Floyd and Rivest's selection (1975, Communications of the
        ACM 18, 165-172), until few enough are left to be listed. Counting takes
        n searches, because a row of sums is sorted (Johnson and Mizoguchi 1978, SIAM
        Journal on Computing 7, 147-153).
        """
        n = len(self.values)
        low, high = 2 * int(self.values[0]) - 1, 2 * int(self.values[-1])
        below = 0
        after_low: IntArray = np.zeros(n, dtype=np.intp)
        after_high: IntArray = np.full(n, n, dtype=np.intp)
        while high - low > 1:
            starts = np.maximum(after_low, np.arange(n))
            widths = np.maximum(after_high - starts, 0)
            n_left = int(widths.sum())
            if n_left <= max(MOST_LISTED, 4 * n):
                sums = self._list(starts, widths)
                k = position - below - 1
                return int(np.partition(sums, k)[k])
            old_range = low, high
            probes = self._probes(starts, widths, (position - below) / n_left)
            for probe in (*probes, None):
                if probe is None:
                    # If the sample did not narrow the range, halve it.
                    if (low, high) != old_range:
                        break
                    probe = (low + high) // 2
                if not low < probe < high:
                    continue
                stops = self._stops(probe)
                count = self._count_from(probe, stops)
                if count >= position:
                    high, after_high = probe, stops
                else:
                    low, below, after_low = probe, count, stops
        return high

    def _stops(self, bound: int) -> IntArray:
        """Position in each row after the last sum of at most `bound`."""
        return np.searchsorted(self.values, bound - self.values, side="right")

    def _count_from(self, bound: int, stops: IntArray) -> int:
        """Number of sums that are at most `bound`, from their ends in the rows."""
        # All ordered pairs, with the pairs of a number with itself counted twice.
        n_doubles = int(np.searchsorted(self.values, bound // 2, side="right"))
        return (int(stops.sum()) + n_doubles) // 2

    def _list(self, starts: IntArray, widths: IntArray) -> IntArray:
        """All sums in the given parts of the rows."""
        rows = np.repeat(np.arange(len(widths)), widths)
        offsets = np.cumsum(widths) - widths
        columns = np.arange(len(rows)) - np.repeat(offsets - starts, widths)
        return self.values[rows] + self.values[columns]

    def _probes(
        self, starts: IntArray, widths: IntArray, fraction: float
    ) -> tuple[int, int]:
        """Two sums that probably enclose a quantile of the sums in the parts of rows."""
        ends = np.cumsum(widths)
        n_left = int(ends[-1])
        # For many values, sorting a sample is faster than counting the sums up to one.
        size = max(SAMPLED, len(self.values) // 16)
        # A systematic sample, row after row.
        positions = (np.arange(size) * (n_left / size)).astype(np.int64)
        rows = np.searchsorted(ends, positions, side="right")
        columns = starts[rows] + positions - (ends[rows] - widths[rows])
        sample = np.sort(self.values[rows] + self.values[columns])
        reach = MARGIN * math.sqrt(fraction * (1 - fraction) * size) + 1
        upper = min(size - 1, math.ceil(fraction * size + reach))
        lower = max(0, math.floor(fraction * size - reach))
        return int(sample[upper]), int(sample[lower]) - 1


MOST_AIMED = 6
"""Largest number of steps of a search by the slope, before it only bisects."""


@dataclass(frozen=True, eq=False)
class SignedRanks:
    """Ranks of the absolute values of numbers, by sign.

    Zeros have the lowest ranks, which count for neither sign (Pratt 1959). Without zeros
    these are Wilcoxon's ranks. Sums of ranks are doubled, and whole numbers even with ties.

    Attributes
    ----------
    positive, negative : ndarray
        Doubled ranks of the positive and of the negative numbers.
    n_zeros : int
    """

    positive: IntArray
    negative: IntArray
    n_zeros: int

    @classmethod
    def of(cls, values: IntArray) -> "SignedRanks":
        """Return the signed ranks of numbers; ties share the mean of their ranks."""
        # The sign is the last bit of what is sorted.
        keys = np.sort(2 * np.abs(values).astype(np.uint64) + (values > 0))
        sizes, positive = keys >> 1, (keys & 1).astype(bool)
        starts = np.flatnonzero(np.append(True, sizes[1:] != sizes[:-1])[: len(sizes)])
        counts = np.diff(starts, append=len(sizes))
        doubled = np.repeat(2 * starts + counts + 1, counts)
        negative = ~positive & (sizes > 0)
        n_zeros = len(values) - int(np.count_nonzero(sizes))
        return cls(doubled[positive], doubled[negative][::-1], n_zeros)

    @property
    def n_ranked(self) -> int:
        """Number of values other than 0."""
        return len(self.positive) + len(self.negative)

    @cached_property
    def w_plus(self) -> float:
        """Sum of the ranks of positive numbers."""
        return int(self.positive.sum()) / 2

    @cached_property
    def w_minus(self) -> float:
        """Sum of the ranks of negative numbers."""
        return int(self.negative.sum()) / 2

    def swap(self) -> "SignedRanks":
        """Return the signed ranks of the negated numbers."""
        return SignedRanks(self.negative, self.positive, self.n_zeros)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of either sum under random signs.

        It is half the root of the sum of squared ranks, which is Wilcoxon's formula with
        its corrections for ties and, by Pratt, for zeros.
        """
        squares = sum(
            float(np.square(side, dtype=float).sum())
            for side in (self.positive, self.negative)
        )
        return math.sqrt(squares) / 4

    def deviate(self, correction: float) -> float:
        """Distance of the sum of positive ranks from its mean, in standard deviations.

        The distance is shortened by the continuity correction, but not below 0.
        """
        if self.n_ranked == 0:
            return 0.0
        distance = (self.w_plus - self.w_minus) / 2
        corrected = max(0.0, abs(distance) - correction)
        return math.copysign(corrected, distance) / self.spread

    def chance(self, exact: bool, correction: float) -> tuple[float, float]:
        """Upper tail probability of the sum of positive ranks, and its logarithm."""
        if self.n_ranked == 0:
            return 1.0, 0.0
        if exact:
            # It equals that of at most the sum of negative ranks.
            ranks = np.concatenate([self.positive, self.negative])
            return subset_sum_chance(ranks, int(self.negative.sum()))
        return _normal_tail(self.w_plus - self.w_minus, self.spread, correction)

    def pvalue(
        self, alternative: str, exact: bool, correction: float
    ) -> tuple[float, float]:
        """Return the p-value, two-sided twice the smaller tail, and its logarithm."""
        smaller = self.swap()
        if alternative == "greater" or (
            alternative == "two-sided" and self.w_plus >= self.w_minus
        ):
            smaller = self
        tail = smaller.chance(exact, correction)
        return doubled(*tail) if alternative == "two-sided" else bounded(*tail)


def _normal_tail(
    difference: float, spread: float, correction: float
) -> tuple[float, float]:
    """Normal tail probability of a difference of both rank sums, and its logarithm."""
    return normal_pvalue((difference / 2 - correction) / spread, "greater")


def lower_shift(values: IntArray, tail: float, exact: bool, correction: float) -> float:
    """Least shift that the test does not reject as too small.

    The sum of positive ranks of ``values - shift`` is the number of Walsh averages above
    the shift, one that is equal counting half (Tukey 1949). The larger the shift, the
    lower each rank of a positive number and the higher each of a negative one, for the
    same choice of signs: so the probability of a sum as large as the observed one can
    only increase with the shift, also through ties and, with zeros ranked, through zeros.
    Hence the shifts whose probability is at least `tail` are those from one Walsh average
    on, which a bisection determines.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Sorted whole numbers.
    tail : float
    exact : bool
    correction : float

    Returns
    -------
    low : float
        Twice the shift; infinite where no sum is rare enough.
    """
    sums = WalshSums(values)
    spread = _spread(values)
    deviate = float(ndtri(tail))
    position = _first_position(
        _prober(sums, spread, tail, exact, correction),
        tail,
        guess=sums.number / 2 + deviate * spread,
        slope=math.exp(-(deviate**2) / 2) / math.sqrt(2 * math.pi) / spread,
        last=sums.number,
    )
    return float(sums.at(position)) if position else -math.inf


def _spread(values: IntArray) -> float:
    """Standard deviation of a rank sum where only equal numbers are tied, and none is 0."""
    n = len(values)
    _, counts = np.unique(values, return_counts=True)
    cubes = float((counts.astype(float) ** 3 - counts).sum())
    return math.sqrt((n * (n + 1) * (2 * n + 1) - cubes / 2) / 24)


@dataclass(frozen=True)
class _Probe:
    """Probability for shifts between two positions among the Walsh averages."""

    first: int
    last: int
    chance: float


def _probability_or_bound(ranks: SignedRanks, tail: float) -> float:
    """Exact probability, or a bound on the same side of `tail`."""
    deviate = ranks.deviate(0.0)
    if deviate <= 0 and tail <= 0.5:
        # At or below the mean of a symmetric distribution.
        return 0.5
    # Hoeffding (1963), theorem 2
    bound = math.exp(-(max(0.0, deviate) ** 2) / 2)
    return bound if bound < tail else ranks.chance(True, 0.0)[0]


def _prober(
    sums: WalshSums, spread: float, tail: float, exact: bool, correction: float
) -> Callable[[int], _Probe]:
    """Return a function of the probability for a shift just above a Walsh average.

    The function takes the position of the Walsh average. No shifted number is then 0, and
    only equal numbers are tied.
    """
    values, n = sums.values, len(sums.values)
    untied = np.arange(2, 2 * n + 1, 2)
    is_tied = bool((np.diff(values) == 0).any())

    def probe(position: int) -> _Probe:
        if not exact:
            probability = _normal_tail(sums.number - 2 * position, spread, correction)[0]
            return _Probe(position, position, probability)
        if position == 0 or not is_tied:
            probability = subset_sum_chance(untied, 2 * position)[0]
            return _Probe(position, position, probability)
        walsh_sum = sums.at(position)
        # Halfway to the next whole number; quarters of numbers are whole.
        probability = _probability_or_bound(
            SignedRanks.of(4 * values - 2 * walsh_sum - 1), tail
        )
        return _Probe(sums.count(walsh_sum - 1) + 1, sums.count(walsh_sum), probability)

    return probe


def _first_position(
    probe: Callable[[int], _Probe], tail: float, guess: float, slope: float, last: int
) -> int:
    """First position from 0 to `last` at which an increasing probability reaches `tail`.

    Steps by the slope near the guess need two or three probes; bisection of the remaining
    range bounds their number.
    """
    low, high = -1, last
    target = guess
    for steps in itertools.count():
        if high - low <= 1:
            return high
        if steps >= MOST_AIMED or not math.isfinite(target):
            target = (low + high) / 2
        position = min(high - 1, max(low + 1, math.floor(target)))
        result = probe(position)
        gap = (tail - result.chance) / slope if slope else math.inf
        if result.chance >= tail:
            high = result.first
            target = min(high - 1.0, result.last + gap)
        else:
            low = result.last
            target = low + max(1.0, math.ceil(gap))
    raise AssertionError("unreachable")


Method = Literal["auto", "exact", "normal"]
Zeros = Literal["wilcox", "pratt"]

MOST_EXACT = 1000
"""Largest number of ranked differences for which "auto" is "exact"."""

LEAST_RANKED = {"two-sided": 6, "greater": 5, "less": 5}
"""With fewer differences no p-value is below 0.05, even if all signs agree."""


def _effect(
    losses: PairedLosses,
    *,
    zeros: str = "wilcox",
    null_value: float = 0.0,
    **options: object,
) -> Wald:
    """Share of sums of two differences above 0, minus 1/2, with its standard error.

    By Noether (1987), Journal of the American Statistical Association 82, 645-647.
    """
    values, _, _ = _ranked(losses, zeros, null_value)
    n = len(values)
    sums = WalshSums(np.sort(values))
    share = sums.number - (sums.count(0) + sums.count(-1)) / 2
    share -= float((np.sign(values) + 1).sum()) / 2
    # Share of sums of two records above 0, minus that expected of equal classifiers.
    excess = share / max(1, n * (n - 1) // 2) - 0.5
    return Wald(excess, math.sqrt(1 / (3 * n)) if n >= 2 else math.inf)


@paired_test(
    title="Wilcoxon's signed-rank test",
    measures="any loss",
    references=("Wilcoxon1945", "Pratt1959"),
    sample_size=planned(_effect),
    plug_in=False,
    of_records=True,
)
def wilcoxon(
    losses: PairedLosses,
    *,
    method: Method = "auto",
    zeros: Zeros = "wilcox",
    correction: bool = False,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Compare two losses of the same records by Wilcoxon's signed-rank test.

    The null hypothesis is that the differences of the losses of each record are symmetric
    about 0 [1]_. Without symmetry the test is about their pseudo-median, the median of the
    mean of two differences, and not about their median or mean: where the mean loss is
    what matters, use `paired_t`. It is robust to outliers, such as the log loss of a few
    confident errors. It is about these two trained models, over new records.

    Parameters
    ----------
    losses : PairedLosses
        Losses of champion and challenger, record by record, on a hold-out set. The
        differences are rounded to 12 decimals before zeros and ties are determined,
        because equal losses may differ in later decimals.
    method : {"auto", "exact", "normal"}, default="auto"
        Method of the p-value. "exact" is the probability under all choices of the signs,
        given the ties and zeros, for up to 5000 ranked differences.
        "normal" approximates it, with the variance corrected for ties and zeros. "auto" is
        "exact" up to 1000 ranked differences and "normal" beyond.
    zeros : {"wilcox", "pratt"}, default="wilcox"
        Treatment of records without a difference. "wilcox" leaves them out, also from the
        estimate, which is then that of the other records. "pratt" ranks them
        before their ranks are left out [2]_, and keeps them in the estimate.
    correction : bool, default=False
        Whether the distance of the rank sum from its mean is shortened by 1/2 in the
        normal approximation. It is not available with "exact".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger's losses are lower.
    null_value : float, default=0.0
        Gain under the null hypothesis. A margin by which the challenger may be worse is
        tested by ``null_value=-margin, alternative="greater"``.

    Returns
    -------
    result : PairedResult
        `estimate` is the Hodges-Lehmann estimate of the gain, the median of the Walsh
        averages of the champion's losses minus the challenger's [3]_; it has no separate
        values for each role. `statistic` is the smaller rank sum, for any method and
        alternative. `details` has the rank sums of the gains (`w_plus`) and of the losses
        (`w_minus`), their normal deviate `z`, and the rank-biserial correlation
        (w_plus - w_minus) / (w_plus + w_minus) [4]_.

    Raises
    ------
    ValueError
        If the losses were reduced to moments; if "exact" is requested with too many
        records, or with a continuity correction.

    Notes
    -----
    The interval contains the shifts that the same test does not reject, except for shifts
    at which a difference becomes 0 or two of opposite sign become tied; these are single
    points, and limits only. Without ties the limits are the usual order statistics of the
    Walsh averages. With ties the distribution changes with the shift. But the one-sided
    p-value can only increase with the shift, so that limits exist and 0 lies outside
    exactly when p is below alpha. That holds with zeros ranked; if zeros were dropped from
    the ranks but not from the sample, it would not [2]_. A limit is infinite where no
    choice of signs is rare enough, as in a 95 % interval from 5 records.

    The limits are computed by counting Walsh averages without listing all of them: a
    million records take seconds.

    With many zeros ranked by "pratt" the estimate can be 0 for any p-value, and
    an interval that excludes 0 then ends at the adjacent floating-point number.

    Without any difference the statistic is 0 and p is 1, flagged "degenerate".

    References
    ----------
    .. [1] Wilcoxon, F. (1945). "Individual comparisons by ranking methods." Biometrics
       Bulletin 1(6), 80-83.
    .. [2] Pratt, J. W. (1959). "Remarks on zeros and ties in the Wilcoxon signed rank
       procedures." Journal of the American Statistical Association 54, 655-667.
    .. [3] Hodges, J. L. and Lehmann, E. L. (1963). "Estimates of location based on rank
       tests." Annals of Mathematical Statistics 34(2), 598-611.
    .. [4] Kerby, D. S. (2014). "The simple difference formula: an approach to teaching
       nonparametric correlation." Comprehensive Psychology 3, 11.IT.3.1.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import wilcoxon
    >>> losses = PairedLosses.from_losses(
    ...     champion=[0.31, 0.22, 0.09, 0.54, 0.40, 0.12, 0.66, 0.25],
    ...     challenger=[0.20, 0.24, 0.01, 0.30, 0.21, 0.12, 0.50, 0.10],
    ... )
    >>> result = wilcoxon(losses)
    >>> print(f"{result.estimate:.3f}, W = {result.statistic:g}, p = {result.pvalue:.4f}")
    0.135, W = 1, p = 0.0312
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.3f}, {high:.3f}]")
    [0.045, 0.200]
    """
    check_switches(correction=correction)
    null = _checked_null(null_value)
    values, scale, n_zeros = _ranked(losses, zeros, null)
    exact = _is_exact(method, len(values), correction)
    continuity = 0.5 if correction else 0.0
    ranks = SignedRanks.of(values)
    rank_total = ranks.w_plus + ranks.w_minus
    rank_biserial = (ranks.w_plus - ranks.w_minus) / rank_total if rank_total else 0.0
    statistic = min(ranks.w_plus, ranks.w_minus)
    tail = ranks.pvalue(alternative, exact, continuity)
    return tested_result(
        (statistic, tail, (*losses.flags, *_flags(ranks.n_ranked, alternative))),
        estimate=partial(_pseudo_median, values, scale, null),
        estimate_name="gain (pseudo-median)",
        method=_method_text(exact, correction, zeros if n_zeros else ""),
        limits=partial(_limits, values, scale, null, exact, continuity),
        details={
            "w_plus": ranks.w_plus,
            "w_minus": ranks.w_minus,
            "z": ranks.deviate(0.0 if exact else continuity),
            "rank_biserial": rank_biserial,
            "n_zeros": n_zeros,
            "n_ranked": ranks.n_ranked,
        },
        greater_is_better=False,
    )


def _checked_null(null_value: Any) -> float:
    if is_number(null_value) and math.isfinite(null_value):
        return float(null_value)
    raise ValueError(
        f"`null_value` must be a finite number. Got {null_value!r} instead. It is a mean "
        "loss of the champion minus one of the challenger; 0 is usual."
    )


def _ranked(losses: PairedLosses, zeros: str, null: float) -> tuple[IntArray, float, int]:
    """Distances from the null value in units, units per 1, and number of zeros.

    Zeros are left out by "wilcox", unless all values are zeros.
    """
    values, scale = in_units(losses.differences - null, losses.unit)
    n_zeros = len(values) - int(np.count_nonzero(values))
    if zeros == "wilcox" and n_zeros < len(values):
        values = values[values != 0]
    return values, scale, n_zeros


def _pseudo_median(values: IntArray, scale: float, null: float) -> float:
    """Hodges-Lehmann estimate, which takes longer than the test of many records."""
    return WalshSums(np.sort(values)).median() / (2 * scale) + null


def _is_exact(method: str, n: int, correction: bool) -> bool:
    if method == "exact" and correction:
        raise ValueError(
            "A continuity correction is one of the normal approximation. Got "
            'method="exact" and correction=True. Choose method="normal", or leave the '
            "correction out."
        )
    if method == "exact" and n > MOST_RANKED:
        raise ValueError(
            f'method="exact" takes up to {MOST_RANKED} ranked differences. Got {n}. Use '
            '"normal", which is as accurate for that many.'
        )
    return method == "exact" or (method == "auto" and n <= MOST_EXACT)


def _method_text(exact: bool, correction: bool, zeros: str) -> str:
    text = "exact distribution of signed ranks" if exact else "normal approximation"
    if correction and not exact:
        text += " with continuity correction"
    zero_texts = {"wilcox": ", zeros left out", "pratt": ", zeros ranked"}
    return text + zero_texts.get(zeros, "")


def _flags(n_ranked: int, alternative: str) -> tuple[str, ...]:
    if n_ranked == 0:
        return ("degenerate",)
    return ("few-differences",) if n_ranked < LEAST_RANKED[alternative] else ()


def _limits(
    values: IntArray,
    scale: float,
    null: float,
    exact: bool,
    correction: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Limits of the gains that the test does not reject.

    The shifts from a limit on begin just beside it. If a limit is 0 and the test rejects 0
    itself, the limit is moved so that 0 is just outside.
    """
    tail = each_tail(alpha_of(confidence_level), alternative)
    values, ranks = np.sort(values), SignedRanks.of(values)
    low, high = -math.inf, math.inf
    if alternative != "greater":
        mirrored = np.ascontiguousarray(-values[::-1])
        shift = lower_shift(mirrored, tail, exact, correction)
        high = null - shift / (2 * scale)
        if shift == 0 and ranks.swap().chance(exact, correction)[0] < tail:
            high = math.nextafter(null, -math.inf)
    if alternative != "less":
        shift = lower_shift(values, tail, exact, correction)
        low = shift / (2 * scale) + null
        if shift == 0 and ranks.chance(exact, correction)[0] < tail:
            low = math.nextafter(null, math.inf)
    # Where most differences are ranked zeros every shift is rejected: those above 0 in one
    # direction, and 0 and those below it in the other.
    return (low, max(low, high)) if low > null else (min(low, high), high)
