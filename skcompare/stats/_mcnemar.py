"""McNemar's test on one test set."""

import math
from functools import partial
from typing import Any

from skcompare._registry import paired_test
from skcompare._validation import check_alternative, check_choice
from skcompare.evidence import ContingencyTable
from skcompare.stats._difference_limits import conditional_limits, score_limits
from skcompare.stats._melded_limits import melded_limits
from skcompare.stats._power import METHODS, mcnemar_records
from skcompare.stats._result import PairedResult
from skcompare.stats._tails import binomial_pvalue, normal_pvalue

__all__ = ["accuracy_result", "corrected_statistic", "mcnemar"]

INTERVALS = ("agreeing", "score", "conditional")
FEW_DISCORDANT = 25


def _sample_size(
    table: ContingencyTable,
    *,
    alpha: float,
    power: float,
    alternative: str,
    method: str = "mid-p",
    **options: object,
) -> float:
    needed = mcnemar_records(
        table.difference,
        table.n_discordant / table.n,
        alpha=alpha,
        power=power,
        alternative=alternative,
        method=method,
    )
    # These records did not settle it, so the answer is never that they are enough.
    return max(needed, math.floor(table.n) + 1.0)


@paired_test(
    "mcnemar",
    title="McNemar's test",
    needs=ContingencyTable,
    kind="difference",
    measures="accuracy",
    designs=("holdout",),
    references=("McNemar1947", "Fagerland2013"),
    sample_size=_sample_size,
)
def mcnemar(
    table: ContingencyTable,
    *,
    method: str = "mid-p",
    interval: str = "agreeing",
    alternative: str = "two-sided",
) -> PairedResult:
    """Compare two accuracies on one test set by McNemar's test.

    The null hypothesis is that a record which exactly one of the two trained
    classifiers answers rightly is as likely to favour either, so that their accuracies
    are equal [1]_. It speaks of these two trained models, over new records.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by who was right, from a hold-out set.
    method : {"mid-p", "exact", "asymptotic", "corrected"}, default="mid-p"
        How the p-value is computed. "exact" is binomial given the number of discordant
        pairs and never too small; "mid-p" counts half the probability of what was
        observed, has nearly the nominal level and more power [2]_; "asymptotic" is
        chi-squared with one degree of freedom, and "corrected" the same with Edwards'
        continuity correction, which never takes the distance of the counts below 0.
    interval : {"agreeing", "score", "conditional"}, default="agreeing"
        Interval of the difference. "agreeing" goes with the p-value: Tango's score
        interval for "asymptotic", the same with correction for "corrected", and Fay and
        Lumbard's interval [3]_ for "exact" and "mid-p". "score" is Tango's whatever the
        method. "conditional" maps the exact or mid-p limits of the discordant share to
        the difference as if the number of discordant pairs were fixed; where nearly all
        of them favour one classifier it is far too short, so prefer the default.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion). `statistic` is
        chi-squared for "asymptotic" and "corrected", and the smaller discordant count
        for "exact" and "mid-p", whatever the alternative. The "agreeing" interval
        excludes 0 exactly when the test rejects, and so does "conditional".

    Raises
    ------
    ValueError
        If exact counts are needed and the table holds fractional ones.

    Notes
    -----
    Without discordant pairs the statistic is 0 and p is 1, flagged "degenerate". The
    interval is then Tango's, ±z² / (n + z²) without correction, but for "exact" with the
    "agreeing" interval, where it is that of the discordant share, ±(1 - (alpha/2)^(1/n)).
    A chi-squared p-value from fewer than 25 discordant pairs is flagged
    "few-discordant-pairs".

    The "agreeing" interval of "exact" covers at least as often as it says. The others do
    so on average: ``benchmarks/validity/coverage.py`` measures how much they vary.

    References
    ----------
    .. [1] McNemar, Q. (1947). "Note on the sampling error of the difference between
       correlated proportions or percentages." Psychometrika 12(2), 153-157.
    .. [2] Fagerland, M. W., Lydersen, S. and Laake, P. (2013). "The McNemar test for
       binary matched-pairs data: mid-p and asymptotic are better than exact
       conditional." BMC Medical Research Methodology 13, 91.
    .. [3] Fay, M. P. and Lumbard, K. (2021). "Confidence intervals for difference in
       proportions for matched pairs compatible with exact McNemar's or sign tests."
       Statistics in Medicine 40(5), 1147-1159.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import mcnemar
    >>> result = mcnemar(ContingencyTable(150, 25, 15, 10))
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}")
    -0.050, p = 0.1173
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.4f}, {high:.4f}]")
    [-0.1118, 0.0125]

    .. versionadded:: 0.1
    """
    check_choice("method", method, METHODS)
    check_choice("interval", interval, INTERVALS)
    check_alternative(alternative)
    by_binomial = method in ("exact", "mid-p")
    if interval == "conditional" and not by_binomial:
        raise ValueError(
            "interval='conditional' goes with method='exact' or 'mid-p'. Got "
            f"method={method!r}. Use interval='score'."
        )
    if by_binomial and table.fractional:
        raise ValueError(
            f"method={method!r} needs whole counts. Got the fractional table {table}. "
            "Pass integers, or use method='asymptotic' or 'corrected'."
        )
    against, favour = table.only_champion, table.only_challenger
    flags = _flags(table, by_binomial)
    if by_binomial:
        statistic, df = float(min(against, favour)), None
        mid = method == "mid-p"
        pvalue, log_pvalue = binomial_pvalue(
            int(favour), int(against + favour), alternative, mid=mid
        )
        limits_of = conditional_limits if interval == "conditional" else melded_limits
        limits = partial(limits_of, int(against), int(favour), int(table.n), mid)
    else:
        correction = float(method == "corrected")
        statistic, root = corrected_statistic(against, favour, correction)
        df = 1
        pvalue, log_pvalue = normal_pvalue(root, alternative)
        limits = partial(score_limits, against, favour, table.n, correction)
    if interval == "score":
        limits = partial(score_limits, against, favour, table.n, 0.0)
    return accuracy_result(
        table,
        statistic,
        (pvalue, log_pvalue),
        df=df,
        alternative=alternative,
        method=method,
        n=table.n,
        limits=limits,
        flags=flags,
        details={"only_champion": against, "only_challenger": favour},
    )


def accuracy_result(
    table: ContingencyTable, statistic: float, tail: tuple[float, float], **words: Any
) -> PairedResult:
    """The result of a test of two accuracies, from the table that it was made of.

    `tail` holds the p-value and its logarithm; without discordant pairs p is 1 whatever
    the formula gives.
    """
    pvalue, log_pvalue = (1.0, 0.0) if table.n_discordant == 0 else tail
    champion, challenger = table.accuracies
    return PairedResult(
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        estimate=table.difference,
        estimate_name="difference of accuracies",
        champion=champion,
        challenger=challenger,
        **words,
    )


def corrected_statistic(
    against: float, favour: float, correction: float
) -> tuple[float, float]:
    """McNemar's chi-squared and its signed root; 0 without discordant pairs.

    A positive root favours the challenger. The correction takes the distance of the
    counts at most to 0.
    """
    discordant = against + favour
    if discordant == 0:
        return 0.0, 0.0
    distance = max(0.0, abs(favour - against) - correction)
    sign = 1.0 if favour > against else -1.0
    return distance**2 / discordant, sign * distance / discordant**0.5


def _flags(table: ContingencyTable, by_binomial: bool) -> tuple[str, ...]:
    if table.n_discordant == 0:
        return "degenerate", "no-discordant-pairs"
    if not by_binomial and table.n_discordant < FEW_DISCORDANT:
        return ("few-discordant-pairs",)
    return ()
