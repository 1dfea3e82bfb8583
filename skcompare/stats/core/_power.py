"""Power and sample size of McNemar's test, and searches for numbers of records."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import binom, nct

from skcompare._core.validation import (
    check_alpha,
    check_alternative,
    check_choice,
    check_count,
    is_number,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._tails import each_tail

MANY = 1e6
"""Degrees of freedom above which the noncentral t distribution is normal to 6 digits."""


def mcnemar_sample_size(
    difference: float,
    disagreement: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
) -> float:
    """Number of hold-out records required by McNemar's test to detect a difference.

    Parameters
    ----------
    difference : float
        True difference of the accuracies, challenger minus champion; not 0, and in the
        direction of a one-sided alternative.
    disagreement : float
        Probability that exactly one of the two predicts a record correctly, at least the
        absolute difference.
    alpha : float, default=0.05
        Level of the test.
    power : float, default=0.8
        Required probability of a significant result, more than alpha.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        As for the test; a one-sided test needs fewer records.

    Returns
    -------
    n : float
        Number of records, not rounded.

    See Also
    --------
    mcnemar_power : Power of each method at a number of records, without approximation.

    Notes
    -----
    The formula is that of a normal approximation, whatever the method of the test. It fits
    the asymptotic and the mid-p test best. The exact and the corrected one need up to about
    ``2 / abs(difference)`` records more. Where nearly all disagreement favours one
    classifier it is rough for every method: discordant pairs are then so few that the test
    may be unable to reject, or that its power is well above the required one.

    References
    ----------
    Connor, R. J. (1987). "Sample size for testing differences in proportions for the
    paired-sample design." Biometrics 43(1), 207-211.

    Examples
    --------
    >>> from skcompare.stats import mcnemar_sample_size
    >>> round(mcnemar_sample_size(0.05, 0.15), 2)
    468.57
    """
    aim = Aim(alpha, power, alternative)
    return (_reach(difference, disagreement, aim) / abs(difference)) ** 2


def _corrected_sample_size(difference: float, disagreement: float, aim: "Aim") -> float:
    """Number of independent records required by the corrected McNemar test.

    It rejects when ``n |d| - 1`` exceeds ``z sqrt(n e)``, with d the estimated difference
    and e the disagreement, and d is about normal with variance (e - d²) / n. Writing s
    for the root of n, power asks for::

        |d| s² - (z_alpha sqrt(e) + z_power sqrt(e - d²)) s - 1 = 0

    which is Connor's formula with the continuity correction carried through.
    """
    reach, distance = _reach(difference, disagreement, aim), abs(difference)
    root = (reach + math.sqrt(reach**2 + 4 * distance)) / (2 * distance)
    return root**2


def bcv_mcnemar_sample_size(
    difference: float,
    disagreement: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
    rho1: float = 0.5,
    rho2: float = 0.5,
    n_repeats: int = 5,
) -> float:
    """Number of records required by the BCV McNemar test to detect a difference.

    The test works on the effective table of n_e records and rejects when
    ``n_e |d| - 1`` exceeds ``z sqrt(n_e e)``, with d the estimated difference and e the
    disagreement. Under its own model d is normal with variance (e - d²) / n_e. Writing
    s for the root of n_e, power asks for::

        |d| s² - (z_alpha sqrt(e) + z_power sqrt(e - d²)) s - 1 = 0

    whose positive root gives n_e, and n = n_e (1 + rho1 + 2 (M - 1) rho2) / M. This is
    Connor's formula with the continuity correction carried through.

    Parameters
    ----------
    difference, disagreement, alpha, power, alternative
        As for :func:`mcnemar_sample_size`; difference and disagreement are those of
        classifiers trained on half of the records, and are taken to stay as they are
        while records are added.
    rho1, rho2 : float, default=0.5
        The correlations that the test is run with.
    n_repeats : int, default=5
        Repetitions M of the cross-validation.

    Returns
    -------
    n : float
        Number of records in all, not rounded. Where the training sets hardly change the
        classifiers the true power is above the required one, because the test is
        conservative there; ``benchmarks/validity/planning/sample_size.py`` measures both
        cases.

    Examples
    --------
    >>> from skcompare.stats import bcv_mcnemar_sample_size
    >>> round(bcv_mcnemar_sample_size(0.05, 0.15), 1)
    558.6
    """
    aim = Aim(alpha, power, alternative)
    n_effective = _corrected_sample_size(difference, disagreement, aim)
    return n_effective * (1 + rho1 + 2 * (n_repeats - 1) * rho2) / n_repeats


class Aim(NamedTuple):
    """Level, power and direction with which an effect is to be found."""

    alpha: float
    power: float
    alternative: str

    @property
    def tail(self) -> float:
        """Probability of each significant tail."""
        return each_tail(self.alpha, self.alternative)

    @property
    def reach(self) -> float:
        """Distance of the effect from the null value that is needed, in standard errors."""
        return float(ndtri(self.power) - ndtri(self.tail))

    def check(self) -> None:
        """Raise an error unless power is possible at a level, in some direction."""
        check_alternative(self.alternative)
        check_power(self.power, check_alpha(self.alpha))


class Effect(Protocol):
    """Observed effect, of which the number of records that would show it is known."""

    def sample_size(self, n: float, aim: Aim) -> float:
        """Return the number of records required, if `n` records had this effect."""


def planned(effect_of: Callable[..., Effect]) -> Callable[..., float]:
    """Return the `sample_size` of a registered test, from the rule for its effect.

    `effect_of` takes the evidence and the options of the test.
    """
    # No nested function, because scorers with a test are pickled.
    return partial(_records_for, effect_of)


def _records_for(
    effect_of: Callable[..., Effect],
    evidence: Any,
    *,
    alpha: float,
    power: float,
    alternative: str,
    **options: Any,
) -> float:
    aim = Aim(alpha, power, alternative)
    aim.check()
    n = getattr(evidence, "n", None) or evidence.n_records
    needed = effect_of(evidence, **options).sample_size(n, aim)
    # These records were not enough, so more of them are needed in any case.
    return max(needed, math.floor(n) + 1.0)


def _reach(difference: float, disagreement: float, aim: Aim) -> float:
    """Sum of null and alternative standard deviations, weighted by their quantiles."""
    aim.check()
    _check_difference(difference, disagreement, aim.alternative)
    spread = math.sqrt(disagreement - difference**2)
    return float(-ndtri(aim.tail) * math.sqrt(disagreement) + ndtri(aim.power) * spread)


def check_power(power: float, alpha: float) -> None:
    """Check that a power is below 1 and above the level."""
    if not 0 < power < 1:
        raise ValueError(f"`power` must be between 0 and 1. Got {power!r}. 0.8 is usual.")
    if power <= alpha:
        raise ValueError(
            f"`power` must be more than `alpha`. Got power={power!r} and alpha={alpha!r}. "
            "Without any difference the test is significant that often; 0.8 is usual."
        )


def _check_difference(difference: float, disagreement: float, alternative: str) -> None:
    if not 0 < abs(difference) <= disagreement <= 1:
        raise ValueError(
            "The difference must not be 0, and must be at most the disagreement, which is "
            f"at most 1. Got difference={difference!r} and disagreement={disagreement!r}."
        )
    if (difference < 0 and alternative == "greater") or (
        difference > 0 and alternative == "less"
    ):
        raise ValueError(
            f"alternative={alternative!r} never finds a difference of this sign. Got "
            f"difference={difference!r}, challenger minus champion. Reverse one of them."
        )


METHODS = ("mid-p", "exact", "asymptotic", "corrected")
LARGER = ("exact", "corrected")
"""Methods with nearly equal p-values, larger than those of the other two."""

NEGLIGIBLE = 1e-16
"""Tail probability beyond which numbers of discordant pairs are left out."""

BLOCK = 64
"""Number of numbers of records whose power is computed together."""

MOST_SUMMED = 20_000
"""Variance of the number of discordant pairs above which these are too many to sum over,
and the normal approximation is near enough."""

MOST_COUNTED = 10**9
"""Number of records above which binomial probabilities are slow and lose digits."""

DECIDED = 1e-300
"""Smallest variance; below it the outcome is certain."""


def mcnemar_power(
    n: int,
    difference: float,
    disagreement: float,
    *,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    method: str = "mid-p",
) -> float:
    """Power of McNemar's test to detect a difference on a hold-out set.

    The number of discordant pairs is binomial, and so is, given it, the number of those
    that favour the challenger. The probabilities of all outcomes that are significant are
    added, so nothing is approximated but the test itself where its method does so. Where
    the number of discordant pairs has a standard deviation above 141, about the root of
    their number, the difference is treated as normal, which changes the power by less than
    0.0005.

    Parameters
    ----------
    n : int
        Number of records.
    difference : float
        True difference of the accuracies, challenger minus champion. At 0 the result is the
        type I error of the test.
    disagreement : float
        Probability that exactly one of the two predicts a record correctly; more than 0 and
        at least the absolute difference.
    alpha : float, default=0.05
        Level of the test, which is significant where p < alpha.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        As for :func:`mcnemar`. A two-sided test finds a difference of either sign, the
        wrong one included.
    method : {"mid-p", "exact", "asymptotic", "corrected"}, default="mid-p"
        As for :func:`mcnemar`.

    Returns
    -------
    power : float
        Probability of a significant result.

    See Also
    --------
    mcnemar_sample_size : Number of records for a power, by a formula.

    Examples
    --------
    >>> from skcompare.stats import mcnemar_power
    >>> print(f"{mcnemar_power(469, 0.05, 0.15):.4f}")
    0.8066
    >>> print(f"{mcnemar_power(469, 0.05, 0.15, method='exact'):.4f}")
    0.7756
    """
    n = check_count("n", n)
    check_choice("method", method, METHODS)
    check_alternative(alternative)
    _check_shares(difference, disagreement)
    tail = each_tail(check_alpha(alpha), alternative)
    return Discordance(difference, disagreement, method).power(n, tail, alternative)


@dataclass(frozen=True, slots=True)
class Discordance:
    """Effect of two accuracies: their difference and their disagreement.

    `method` is that of McNemar's test, and `design_effect` the number of records of groups
    that are worth an independent one.
    """

    difference: float
    disagreement: float
    method: str
    design_effect: float = 1.0

    def sample_size(self, n: float, aim: Aim) -> float:
        """Return the number of records at which McNemar's test shows the difference."""
        return self.records(aim) * self.design_effect

    def records(self, aim: Aim) -> float:
        """Smallest number of records that sustains the power, or the formula's if large.

        The test need not be able to reject at the formula's number, which comes from a
        normal approximation.
        """
        shares = self.difference, self.disagreement
        if self.method in LARGER:
            formula = _corrected_sample_size(*shares, aim)
        else:
            formula = mcnemar_sample_size(*shares, **aim._asdict())
        if formula > SEARCHED:
            return formula
        start = max(1, int(formula / 4))
        return first_lasting(
            self._powers(start, aim.tail, aim.alternative), start, aim.power
        )

    def _powers(self, start: int, tail: float, alternative: str) -> Iterator[float]:
        """Powers of ever more records, from `start` on."""
        # In blocks, which share the likely numbers of discordant pairs.
        for first in itertools.count(start, BLOCK):
            n = np.arange(first, first + BLOCK)
            discordant = likely_discordant(first, n[-1], self.disagreement)
            rejected = self._rejection(discordant, tail, alternative)
            yield from binom.pmf(discordant, n[:, np.newaxis], self.disagreement) @ rejected

    def power(self, n: int, tail: float, alternative: str) -> float:
        """Power of `n` records at a probability of each significant tail."""
        if by_formula(n, self.disagreement):
            return self._normal_power(n, tail, alternative)
        discordant = likely_discordant(n, n, self.disagreement)
        rejected = self._rejection(discordant, tail, alternative)
        return min(1.0, float(binom.pmf(discordant, n, self.disagreement) @ rejected))

    def _normal_power(self, n: int, tail: float, alternative: str) -> float:
        """Power by a normal approximation, as in Connor's formula.

        The exact and the corrected test find a difference where it is 1 further from 0.
        """
        difference, disagreement = self.difference, self.disagreement
        distance = -ndtri(tail) * math.sqrt(n * disagreement) + (self.method in LARGER)
        deviation = math.sqrt(n * max(disagreement - difference**2, DECIDED))
        below, above = ((-distance - n * difference), (n * difference - distance))
        power = 0.0 if alternative == "greater" else float(ndtr(below / deviation))
        if alternative != "less":
            power += float(ndtr(above / deviation))
        return min(1.0, power)

    def _rejection(self, discordant: IntArray, tail: float, alternative: str) -> FloatArray:
        """Probability of a significant result for each number of discordant pairs."""
        # Share of the discordant pairs that favours the challenger.
        share = (1 + self.difference / self.disagreement) / 2
        fewest = _largest_significant(discordant, tail, self.method)
        rejected = np.zeros(len(discordant))
        if alternative != "greater":
            rejected += binom.cdf(fewest, discordant, share)
        if alternative != "less":
            rejected += binom.cdf(fewest, discordant, 1 - share)
        return rejected


def by_formula(n: int, disagreement: float) -> bool:
    """Whether there are too many possible numbers of discordant pairs to sum over."""
    # Discordant pairs that are nearly certain vary little, and the sum has few terms: it
    # is needed there, because it is not smooth.
    too_many = n * disagreement * (1 - disagreement) > MOST_SUMMED
    return too_many or n * disagreement > MOST_COUNTED


def likely_discordant(least: int, most: int, disagreement: float) -> IntArray:
    """Likely numbers of discordant pairs among `least` to `most` records."""
    low = max(0, int(binom.ppf(NEGLIGIBLE, least, disagreement)))
    return np.arange(low, int(binom.isf(NEGLIGIBLE, most, disagreement)) + 1)


def _largest_significant(discordant: IntArray, tail: float, method: str) -> IntArray:
    """Largest significant value of the smaller discordant count; -1 if there is none.

    The p-value is below the level where its smaller tail is below `tail`.
    """
    m = discordant
    if method in ("asymptotic", "corrected"):
        distance = -ndtri(tail) * np.sqrt(m) + (method == "corrected")
        # The largest k with m - 2 k above the distance.
        return np.maximum(np.ceil((m - distance) / 2) - 1, -1).astype(np.int64)
    at_level = binom.ppf(tail, m, 0.5)
    if method == "mid-p":
        middle = (binom.cdf(at_level, m, 0.5) + binom.cdf(at_level - 1, m, 0.5)) / 2
        at_level = np.where(middle < tail, at_level, at_level - 1)
    else:
        at_level = at_level - 1
    return np.where(m > 0, at_level, -1).astype(np.int64)


def _check_shares(difference: float, disagreement: float) -> None:
    numbers = is_number(difference) and is_number(disagreement)
    if not (numbers and abs(difference) <= disagreement and 0 < disagreement <= 1):
        raise ValueError(
            "The disagreement must be more than 0, at most 1, and at least the absolute "
            f"difference. Got difference={difference!r} and disagreement={disagreement!r}."
        )


MOST = 1e15
"""Number of records above which no number is taken to be enough."""

SEARCHED = 2000
"""Number of records up to which numbers are searched one by one."""

STEPS = 1000
"""Inverse precision of larger numbers of records."""

LASTING = 10
"""Number of further records that must keep the power, which is not monotonic."""

TRIES = 8
"""Largest number of numbers of records whose power takes long to compute."""


def t_power(effect: float, df: float, tail: float) -> float:
    """Probability that a t statistic exceeds its critical value of a tail.

    `effect` is the true mean in its standard errors: the statistic has a noncentral t
    distribution.
    """
    critical = float(stdtrit(df, 1 - tail))
    if df > MANY:
        return float(ndtr((effect - critical) / math.sqrt(1 + critical**2 / (2 * df))))
    # Some releases divide by 0 far in the tail, where the probability is 0.
    with np.errstate(divide="ignore"):
        return float(nct.sf(critical, df, effect))


def smallest(
    enough: Callable[[float], bool],
    high: float,
    *,
    low: float = 0,
    most: float = MOST,
    whole: bool = True,
    precision: float = 0.0,
) -> float:
    """Smallest number above `low` that is enough, by doubling of `high` and bisection.

    For power that increases with the number. It is infinite if `most` is not enough, and a
    whole number if the bounds are and it is to be `whole`. `precision` is relative.
    """
    while not enough(high):
        if high >= most:
            return math.inf
        low, high = high, min(2 * high, most)
    while high - low > max(float(whole), precision * high):
        middle = (low + high) // 2 if whole else (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def first_lasting(powers: Iterable[float], start: int, power: float) -> float:
    """First number of records, from `start` on, whose power lasts for the next ten."""
    n_kept = 0
    for n, reached in enumerate(powers, start):
        n_kept = n_kept + 1 if reached >= power else 0
        if n_kept > LASTING:
            return float(n - LASTING)
    return math.inf


def fewest_near(power_at: Callable[[int], float], near: int, power: float) -> float:
    """Smallest number of records with the power, searched near the number of a formula.

    Power goes up and down a little from record to record: up to 2000 records the next ten
    must have it too. Above that, the number is accurate to a thousandth.
    """
    if near > SEARCHED:
        step = max(1, near // STEPS)
        while power_at(near) < power:
            near += step
        while near > step and power_at(near - step) >= power:
            near -= step
        return float(near)
    start = max(1, int(near * 0.8))
    while start > 1 and all(power_at(start + i) >= power for i in range(LASTING + 1)):
        start = max(1, int(start * 0.8))
    return first_lasting(map(power_at, itertools.count(start)), start, power)


def nearest_tried(
    power_at: Callable[[int], float],
    following: Callable[[int, float], int],
    n: int,
    power: float,
    near_enough: float,
) -> float:
    """Number of records, of a few that are tried, with the power nearest to the required.

    `following` returns the number to try next, from the last one and its power.
    """
    tried: list[tuple[float, int]] = []
    for _ in range(TRIES):
        reached = power_at(n)
        tried.append((abs(reached - power), n))
        if tried[-1][0] < near_enough:
            break
        n = following(n, reached)
    return float(min(tried)[1])
