"""Ratios of two accuracies: relative accuracy, and the odds ratio of discordant pairs."""

import math
from functools import partial
from typing import Literal

from scipy.special import betainc, betaincinv

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ContingencyTable
from skcompare.stats.accuracy._limits import pvalue_of_tails
from skcompare.stats.accuracy._mcnemar import FEW_DISCORDANT
from skcompare.stats.core._limits import (
    RATIO,
    ZERO_VARIANCE,
    Pair,
    critical_value,
    increasing_root,
    log_wald_limits,
    one_sided,
    ratio_of,
    tail_of,
    wilson_limits,
)
from skcompare.stats.core._result import (
    UNDEFINED,
    PairedResult,
    Tested,
    check_ratio,
    tested_result,
)
from skcompare.stats.core._tails import binomial_pvalue, log_at_least, normal_pvalue

PRECISION = 1e-15
"""Precision of the logarithm of a limit."""


@paired_test(
    title="Score test of the ratio of accuracies",
    kind="ratio",
    measures="accuracy",
    references=("Tang2003", "Bonett2006"),
)
def relative_accuracy(
    table: ContingencyTable,
    *,
    method: Literal["score", "log-wald"] = "score",
    interval: Literal["agreeing", "score", "bonett-price", "log-wald"] = "agreeing",
    alternative: Alternative = "two-sided",
    null_value: float = 1.0,
) -> PairedResult:
    """Compare two accuracies on one test set by their ratio.

    The null hypothesis is that the ratio of the two accuracies, challenger over champion,
    is `null_value`, by default 1 [1]_. It is about these two trained models, over new
    records. For a ratio of 1 the score test is the asymptotic McNemar test, so the p-value
    is the same and only the scale of the estimate differs.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by which classifiers were correct, from a hold-out set. Fractional
        counts are allowed.
    method : {"score", "log-wald"}, default="score"
        How the p-value is computed: by the score with shares estimated under the null
        hypothesis [1]_, or from the logarithm of the ratio and its standard error, which
        has no p-value where a classifier is never correct.
    interval : {"agreeing", "score", "bonett-price", "log-wald"}, default="agreeing"
        Interval of the ratio. "agreeing" inverts the test of `method`: Tang's score
        interval [1]_ or the one of the logarithm. "score" and "log-wald" are these whatever
        the method, and "bonett-price" is a quotient of Wilson's limits of both accuracies,
        with a quantile made smaller by their correlation [2]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the ratio is above the null value.
    null_value : float, default=1.0
        The ratio under the null hypothesis, above 0; for example 0.95 with
        ``alternative="greater"`` to show that the challenger is at most a twentieth worse.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) / accuracy(champion), and `statistic` is
        chi-squared with one degree of freedom.

    Raises
    ------
    ValueError
        If `null_value` is not a positive number.

    Notes
    -----
    With n1 and n2 records that champion and challenger predict correctly, b and c of them
    alone, N records that either does, and a ratio r of at least 1, the score is::

        (n2 - r n1) / sqrt(N ((1 + r) q + r - 1))

    where q, the most likely share of the champion's own among the N, is the positive root
    of (1 + r) N q² + ((r² - 1) n1 - b - c) q - b (r - 1); for a ratio below 1 the roles are
    exchanged. The variance of the logarithm is (b + c) / (n1 n2).

    Without discordant records the ratio is 1, its statistic 0 and p 1, flagged
    "degenerate"; the score interval is then [1 / (1 + z² / n1), 1 + z² / n1], and the one
    of the logarithm has no width. If the champion is never correct the ratio is infinite,
    if the challenger never is it is 0, and if neither is it is NaN, with p = 1 and an
    interval from 0 to infinity; each is flagged "no-correct-predictions". A p-value from
    fewer than 25 discordant pairs is flagged "approximate-ratio".

    References
    ----------
    .. [1] Tang, N.-S., Tang, M.-L. and Chan, I. S. F. (2003). "On tests of equivalence via
       non-unity relative risk for matched-pair design." Statistics in Medicine 22(8),
       1217-1233.
    .. [2] Bonett, D. G. and Price, R. M. (2006). "Confidence intervals for a ratio of
       binomial proportions based on paired data." Statistics in Medicine 25(17), 3039-3047.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import relative_accuracy
    >>> result = relative_accuracy(ContingencyTable(150, 25, 15, 10))
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}")
    0.943, p = 0.1138
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.4f}, {high:.4f}]")
    [0.8721, 1.0148]
    """
    null = check_ratio(null_value)
    both, against, favour = table.both_correct, table.only_champion, table.only_challenger
    score = ratio_score if method == "score" else log_wald_score
    root = score(both, against, favour, null)
    flags = _flags(table, root, null)
    tested: Tested = root**2, UNDEFINED, flags
    if "degenerate" in flags:
        tested = 0.0, (1.0, 0.0), flags
    elif math.isfinite(root):
        tested = root**2, normal_pvalue(root, alternative), flags
    limits_of = {
        "score": score_ratio_limits,
        "bonett-price": bonett_price_ratio_limits,
        "log-wald": log_wald_ratio_limits,
    }[method if interval == "agreeing" else interval]
    return tested_result(
        tested,
        roles=table.accuracies,
        df=1,
        estimate=ratio_of(both + favour, both + against),
        estimate_name="ratio of accuracies",
        method=method,
        limits=partial(limits_of, both, against, favour),
        details={"only_champion": against, "only_challenger": favour},
    )


def _flags(table: ContingencyTable, root: float, null: float) -> tuple[str, ...]:
    both, against, favour = table.both_correct, table.only_champion, table.only_challenger
    discordant = against + favour
    causes = {
        # Where no prediction is correct the data say nothing of any ratio.
        "degenerate": discordant == 0 and (null == 1 or both == 0),
        "no-discordant-pairs": discordant == 0,
        "approximate-ratio": 0 < discordant < FEW_DISCORDANT,
        "no-correct-predictions": both == 0 in (against, favour),
        ZERO_VARIANCE: math.isinf(root),
    }
    return tuple(flag for flag, holds in causes.items() if holds)


def ratio_score(both: float, against: float, favour: float, ratio: float) -> float:
    """Signed root of the score statistic of a ratio (Tang, Tang and Chan 2003).

    The share of records that neither predicts correctly does not matter to the ratio, and
    its most likely value is the observed one, so only the others count.
    """
    if ratio < 1:
        return -ratio_score(both, favour, against, 1 / ratio)
    champion, challenger = both + against, both + favour
    a = (1 + ratio) * (both + against + favour)
    b = (ratio - 1) * (ratio + 1) * champion - against - favour
    c = -against * (ratio - 1)
    root = math.sqrt(b * b - 4 * a * c)
    share = -2 * c / (b + root) if b > 0 else (root - b) / (2 * a) if a > 0 else 0.0
    variance = a / (1 + ratio) * ((1 + ratio) * share + ratio - 1)
    return (challenger - ratio * champion) / math.sqrt(variance) if variance > 0 else 0.0


def score_ratio_limits(
    both: float, against: float, favour: float, confidence_level: float, alternative: str
) -> Pair:
    """Tang's score interval: the ratios that the score test does not reject."""
    z = critical_value(confidence_level, alternative)
    mirrored = _upper_score_ratio(both, favour, against, z)
    high = _upper_score_ratio(both, against, favour, z)
    return one_sided(ratio_of(1, mirrored), high, alternative, RATIO)


def _upper_score_ratio(both: float, against: float, favour: float, z: float) -> float:
    """Upper score limit: the ratio whose score is -z."""
    champion, challenger = both + against, both + favour
    if champion == 0:
        return math.inf
    if challenger == 0:
        # The score is then - sqrt(b r).
        return max(0.0, z) ** 2 / against

    def excess(logarithm: float) -> float:
        return -ratio_score(both, against, favour, math.exp(logarithm)) - z

    start = math.log(challenger / champion)
    step = math.sqrt((against + favour + 1) / (champion * challenger))
    return math.exp(increasing_root(excess, start, step, precision=PRECISION))


def bonett_price_ratio_limits(
    both: float, against: float, favour: float, confidence_level: float, alternative: str
) -> Pair:
    """Bonett and Price's ratio of Wilson limits among records with a correct prediction.

    The quantile is multiplied by the standard error of the logarithm of the ratio over the
    sum of those of both logarithms, with a record added to each discordant count.
    """
    n = both + against + favour
    champion, challenger = both + against, both + favour
    if n == 0:
        return RATIO
    joint = math.sqrt((against + favour + 2) / ((champion + 1) * (challenger + 1)))
    alone = [math.sqrt((1 - (k + 1) / (n + 2)) / (k + 1)) for k in (champion, challenger)]
    z = critical_value(confidence_level, alternative) * joint / sum(alone)
    champion_low, champion_high = wilson_limits(champion, n, z)
    challenger_low, challenger_high = wilson_limits(challenger, n, z)
    return one_sided(
        challenger_low / champion_high if champion_high else math.inf,
        challenger_high / champion_low if champion_low else math.inf,
        alternative,
        RATIO,
    )


def log_wald_score(both: float, against: float, favour: float, ratio: float) -> float:
    """Wald statistic of the logarithm of the ratio; NaN if an accuracy is 0."""
    champion, challenger = both + against, both + favour
    if champion == 0 or challenger == 0:
        return math.nan
    distance = math.log(challenger / champion / ratio)
    error = math.sqrt((against + favour) / (champion * challenger))
    if error == 0:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / error


def log_wald_ratio_limits(
    both: float, against: float, favour: float, confidence_level: float, alternative: str
) -> Pair:
    """Wald interval of the ratio on the log scale; unbounded if an accuracy is 0."""
    champion, challenger = both + against, both + favour
    if champion == 0 or challenger == 0:
        return RATIO
    error = math.sqrt((against + favour) / (champion * challenger))
    return log_wald_limits(challenger / champion, error, confidence_level, alternative)


@paired_test(
    title="Odds ratio of discordant pairs",
    kind="ratio",
    measures="accuracy",
    references=("Breslow1980", "Fagerland2014"),
)
def discordant_odds_ratio(
    table: ContingencyTable,
    *,
    method: Literal["mid-p", "exact"] = "mid-p",
    interval: Literal["agreeing", "wilson", "wald"] = "agreeing",
    alternative: Alternative = "two-sided",
    null_value: float = 1.0,
) -> PairedResult:
    """Compare how often only the challenger and only the champion is correct.

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
    limits = {
        "agreeing": partial(odds_limits, against, favour, mid),
        "wilson": partial(wilson_odds_limits, against, favour),
        "wald": partial(wald_odds_limits, against, favour),
    }[interval]
    tail = odds_pvalue(against, favour, mid, null, alternative)
    none = ("degenerate", "no-discordant-pairs") if against + favour == 0 else ()
    return tested_result(
        (float(min(against, favour)), tail, none),
        estimate=ratio_of(favour, against),
        estimate_name="odds ratio of discordant pairs",
        method=method,
        limits=limits,
        details={"only_champion": against, "only_challenger": favour},
    )


def odds_pvalue(
    against: int, favour: int, mid: bool, odds: float, alternative: str
) -> tuple[float, float]:
    """Binomial p-value given the number of discordant records, and its logarithm."""
    if against + favour == 0:
        return 1.0, 0.0
    if odds == 1:
        return binomial_pvalue(favour, against + favour, alternative, mid=mid)
    n = against + favour
    greater = log_at_least(favour, n, odds / (1 + odds), mid=mid)
    less = log_at_least(against, n, 1 / (1 + odds), mid=mid)
    return pvalue_of_tails(greater, less, alternative)


def odds_limits(
    against: int, favour: int, mid: bool, confidence_level: float, alternative: str
) -> Pair:
    """Exact or mid-p confidence limits of the odds in favour of the challenger."""
    tail = tail_of(confidence_level, alternative)
    if against + favour == 0:
        return RATIO
    upper = _upper_mid_odds if mid else _upper_exact_odds
    low = ratio_of(1, upper(favour, against, tail))
    return one_sided(low, upper(against, favour, tail), alternative, RATIO)


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
        if tail <= 0.5:
            return math.inf
        return 1 / math.expm1(-math.log(2 * (1 - tail)) / discordant)
    if favour == 0:
        # Half of (1 - share)**n.
        return max(0.0, math.expm1(-math.log(2 * tail) / discordant))

    def excess(logarithm: float) -> float:
        rest = 1 / (1 + math.exp(logarithm))
        at_most = betainc(against, favour + 1, rest)
        return float(tail - (at_most + betainc(against + 1, favour, rest)) / 2)

    high = math.log(_upper_exact_odds(against, favour, tail))
    step = math.sqrt(1 / against + 1 / favour)
    return math.exp(increasing_root(excess, high, step, precision=PRECISION))


def wilson_odds_limits(
    against: int, favour: int, confidence_level: float, alternative: str
) -> Pair:
    """Wilson limits of the challenger's share, converted to odds."""
    discordant = against + favour
    if discordant == 0:
        return RATIO
    z = critical_value(confidence_level, alternative)
    low, high = wilson_limits(favour, discordant, z)
    rest_low, rest_high = wilson_limits(against, discordant, z)
    low = low / rest_high if rest_high else math.inf
    return one_sided(low, high / rest_low if rest_low else math.inf, alternative, RATIO)


def wald_odds_limits(
    against: int, favour: int, confidence_level: float, alternative: str
) -> Pair:
    """Wald limits of the odds on the log scale; unbounded if either count is 0."""
    if against == 0 or favour == 0:
        return RATIO
    error = math.sqrt(1 / against + 1 / favour)
    return log_wald_limits(favour / against, error, confidence_level, alternative)
