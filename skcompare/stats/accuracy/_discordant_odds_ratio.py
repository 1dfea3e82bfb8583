"""Odds ratio of the discordant pairs of two classifiers."""

import math
from functools import partial
from typing import Literal

from scipy.optimize import brentq
from scipy.special import betainc, betaincinv

from skcompare._core.validation import alpha_of
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ContingencyTable
from skcompare.stats.accuracy._limits import wilson_limits
from skcompare.stats.accuracy._relative_accuracy import check_ratio
from skcompare.stats.core._limits import one_sided_ratio
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import (
    SMALLEST,
    binomial_pvalue,
    log_binomial_mass,
    log_more,
)
from skcompare.stats.core._wald import critical_value

Method = Literal["mid-p", "exact"]
Interval = Literal["agreeing", "wilson", "wald"]

PRECISION = 1e-14
"""Precision of the logarithm of a limit."""


@paired_test(
    "discordant_odds_ratio",
    title="Odds ratio of discordant pairs",
    kind="ratio",
    measures="accuracy",
    references=("Breslow1980", "Fagerland2014"),
)
def discordant_odds_ratio(
    table: ContingencyTable,
    *,
    method: Method = "mid-p",
    interval: Interval = "agreeing",
    alternative: Alternative = "two-sided",
    null_value: float = 1.0,
) -> PairedResult:
    """Where exactly one classifier is right, how much more often is it the challenger?

    Of the records that exactly one of the two trained classifiers predicts correctly, the
    odds that it is the challenger estimate the ratio of the two probabilities. The null
    hypothesis is that this ratio is `null_value`, by default 1, and the number that favours
    the challenger is then binomial given the number of discordant records [1]_. For a ratio
    of 1 it is McNemar's test, with the same p-value.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by which classifiers were correct, from a hold-out set.
    method : {"mid-p", "exact"}, default="mid-p"
        How the p-value is computed, as for :func:`mcnemar`: "exact" is never too small,
        "mid-p" counts half the probability of what was observed.
    interval : {"agreeing", "wilson", "wald"}, default="agreeing"
        Interval of the ratio. "agreeing" maps the exact (Clopper-Pearson) or mid-p limits
        of the challenger's share of the discordant records, share / (1 - share), and
        "wilson" does so with Wilson's score limits [2]_. "wald" is symmetric about the
        logarithm and too short for few discordant records.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the ratio is above the null value. The two-sided p-value is
        twice the smaller one-sided one, and at most 1. Only for equal counts and a null
        value of 1, mid-p is McNemar's: 1 minus half the probability of these counts, 0.8125
        for two and two, where either one-sided mid-p is 0.5.
    null_value : float, default=1.0
        The ratio under the null hypothesis, above 0.

    Returns
    -------
    result : PairedResult
        `estimate` is only_challenger / only_champion, and `statistic` the smaller of the
        two counts.

    Raises
    ------
    ValueError
        If the table holds fractional counts, or `null_value` is not a positive number.

    Notes
    -----
    Where no discordant record favours the champion the estimate is infinite and the
    interval has no upper end; where none favours the challenger the estimate is 0 and the
    interval starts there. Wald's interval then says nothing and reaches from 0 to infinity.
    Without discordant records the estimate is NaN, the interval reaches from 0 to infinity
    and p is 1, flagged "degenerate".

    References
    ----------
    .. [1] Breslow, N. E. and Day, N. E. (1980). "Statistical methods in cancer research,
       volume 1: The analysis of case-control studies." IARC, Lyon, section 5.2.
    .. [2] Fagerland, M. W., Lydersen, S. and Laake, P. (2014). "Recommended tests and
       confidence intervals for paired binomial proportions." Statistics in Medicine
       33(16), 2850-2875.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import discordant_odds_ratio
    >>> result = discordant_odds_ratio(ContingencyTable(150, 15, 25, 10), method="exact")
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}")
    1.667, p = 0.1539
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.4f}, {high:.4f}]")
    [0.8451, 3.4002]
    """
    null = check_ratio(null_value)
    if table.fractional:
        raise ValueError(
            f"discordant_odds_ratio needs whole counts. Got the fractional table {table}. "
            "Pass integers, or use relative_accuracy."
        )
    against, favour = int(table.only_champion), int(table.only_challenger)
    mid = method == "mid-p"
    pvalue, log_pvalue = odds_pvalue(against, favour, mid, null, alternative)
    limits = {
        "agreeing": partial(odds_limits, against, favour, mid),
        "wilson": partial(wilson_odds_limits, against, favour),
        "wald": partial(wald_odds_limits, against, favour),
    }[interval]
    none_discordant = against + favour == 0
    return PairedResult(
        statistic=float(min(against, favour)),
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        estimate=_odds(against, favour),
        estimate_name="odds ratio of discordant pairs",
        method=method,
        null_value=null,
        limits=limits,
        flags=("degenerate", "no-discordant-pairs") if none_discordant else (),
        details={"only_champion": against, "only_challenger": favour},
    )


def _odds(against: int, favour: int) -> float:
    if against == 0:
        return math.inf if favour else math.nan
    return favour / against


def odds_pvalue(
    against: int, favour: int, mid: bool, odds: float, alternative: str
) -> tuple[float, float]:
    """Binomial p-value given the number of discordant records, and its logarithm."""
    if against + favour == 0:
        return 1.0, 0.0
    if odds == 1:
        return binomial_pvalue(favour, against + favour, alternative, mid=mid)
    greater = _log_tail(favour, against, mid, odds / (1 + odds))
    less = _log_tail(against, favour, mid, 1 / (1 + odds))
    log_pvalue = {
        "two-sided": min(0.0, math.log(2) + min(greater, less)),
        "greater": greater,
        "less": less,
    }[alternative]
    return max(math.exp(log_pvalue), SMALLEST), log_pvalue


def _log_tail(count: int, rest: int, mid: bool, share: float) -> float:
    """Logarithm of the exact or mid-p probability of at least `count` successes."""
    n = count + rest
    beyond = float(log_more(count, n, share))
    equal = float(log_binomial_mass(count, n, share)) - math.log(2) * mid
    larger, smaller = max(beyond, equal), min(beyond, equal)
    return min(0.0, larger + math.log1p(math.exp(smaller - larger)))


def odds_limits(
    against: int, favour: int, mid: bool, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Exact or mid-p confidence limits of the odds in favour of the challenger."""
    tail = alpha_of(confidence_level)
    if alternative == "two-sided":
        tail /= 2
    if against + favour == 0:
        return one_sided_ratio(0.0, math.inf, alternative)
    upper = _upper_mid_odds if mid else _upper_exact_odds
    mirrored = upper(favour, against, tail)
    low = 1 / mirrored if mirrored else math.inf
    return one_sided_ratio(low, upper(against, favour, tail), alternative)


def _upper_exact_odds(against: int, favour: int, tail: float) -> float:
    """Upper exact limit of the odds, at which P(at most `favour` in favour) is `tail`."""
    if against == 0:
        return math.inf
    rest = betaincinv(against, favour + 1, tail)
    # The smaller part of the odds is taken from its own tail, so that it keeps its digits.
    share = 1 - rest if rest < 0.5 else betaincinv(favour + 1, against, 1 - tail)
    return float(share / rest)


def _upper_mid_odds(against: int, favour: int, tail: float) -> float:
    """Upper mid-p limit of the odds, counting half the probability of `favour` itself."""
    discordant = against + favour
    if against == 0:
        # 1 minus half of share**n is at least 1/2.
        if tail < 0.5:
            return math.inf
        return (
            1 / math.expm1(-math.log(2 * (1 - tail)) / discordant)
            if tail > 0.5
            else math.inf
        )
    if favour == 0:
        # Half of (1 - share)**n.
        return max(0.0, math.expm1(-math.log(2 * tail) / discordant))

    def excess(logarithm: float) -> float:
        rest = 1 / (1 + math.exp(logarithm))
        at_most = betainc(against, favour + 1, rest)
        return float((at_most + betainc(against + 1, favour, rest)) / 2 - tail)

    high = math.log(_upper_exact_odds(against, favour, tail))
    step = math.sqrt(1 / against + 1 / favour)
    low = high - step
    while excess(low) < 0:
        low -= step
    return math.exp(brentq(excess, low, high, xtol=PRECISION, rtol=4 * PRECISION))


def wilson_odds_limits(
    against: int, favour: int, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Wilson limits of the challenger's share, converted to odds."""
    discordant = against + favour
    if discordant == 0:
        return one_sided_ratio(0.0, math.inf, alternative)
    z = critical_value(confidence_level, alternative)
    low, high = wilson_limits(favour, discordant, z)
    rest_low, rest_high = wilson_limits(against, discordant, z)
    low = low / rest_high if rest_high else math.inf
    return one_sided_ratio(low, high / rest_low if rest_low else math.inf, alternative)


def wald_odds_limits(
    against: int, favour: int, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Wald limits of the odds on the log scale; unbounded if either count is 0."""
    if against == 0 or favour == 0:
        return one_sided_ratio(0.0, math.inf, alternative)
    error = math.sqrt(1 / against + 1 / favour)
    factor = math.exp(critical_value(confidence_level, alternative) * error)
    return one_sided_ratio(
        favour / against / factor, favour / against * factor, alternative
    )
