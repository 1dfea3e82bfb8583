"""McNemar's test on one test set."""

import math
from typing import Any, NamedTuple

from scipy.special import ndtri

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ContingencyTable
from skcompare.stats.accuracy._limits import record_variance
from skcompare.stats.accuracy._mcnemar_methods import (
    CHI_SQUARED,
    Interval,
    Method,
    check_difference,
    check_together,
    find,
    limits_by_name,
)
from skcompare.stats.core._limits import outward
from skcompare.stats.core._power import Discordance, Effect, planned, tail_of
from skcompare.stats.core._result import PairedResult

FEW_DISCORDANT = 25


class _Beyond(NamedTuple):
    """Difference of two accuracies beyond a null value other than 0."""

    table: ContingencyTable
    null: float

    def sample_size(
        self, n: float, *, alpha: float, power: float, alternative: str
    ) -> float:
        """Number of records by the normal approximation of Tango's score.

        As Nam (1997), Biometrics 53, 1422-1430, does for non-inferiority. Infinite where
        the difference is on the other side.
        """
        table, difference = self.table, self.table.difference
        distance = difference - self.null
        if outward(distance, alternative) <= 0:
            return math.inf
        counts = table.only_champion, table.only_challenger
        under_null = record_variance(self.null, *counts, n)
        observed = table.n_discordant / n - difference**2
        reach = -ndtri(tail_of(alpha, alternative)) * math.sqrt(under_null)
        reach += ndtri(power) * math.sqrt(max(0.0, observed))
        return float((reach / distance) ** 2)


def _effect(
    table: ContingencyTable,
    *,
    method: str = "mid-p",
    null_value: float = 0.0,
    **options: object,
) -> Effect:
    if null_value:
        return _Beyond(table, null_value)
    # The permutation test is the exact one, and the unconditional test is no less
    # powerful at these levels, so the records of the exact one are enough.
    equivalents = {"permutation": "exact", "exact-unconditional": "exact"}
    return Discordance(
        table.difference, table.n_discordant / table.n, equivalents.get(method, method)
    )


@paired_test(
    "mcnemar",
    title="McNemar's test",
    measures="accuracy",
    references=("McNemar1947", "Fagerland2013"),
    sample_size=planned(_effect),
    preferred=True,
)
def mcnemar(
    table: ContingencyTable,
    *,
    method: Method = "mid-p",
    interval: Interval = "agreeing",
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
    n_resamples: int | None = None,
    random_state: Any = 0,
) -> PairedResult:
    """Compare two accuracies on one test set by McNemar's test.

    The null hypothesis is that a record which exactly one of the two trained classifiers
    predicts correctly is as likely to favour either, so that their accuracies are equal
    [1]_; or, with another `null_value`, that they differ by that much. It is about these
    two trained models, over new records.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by which classifiers were correct, from a hold-out set.
    method : {"mid-p", "exact", "asymptotic", "corrected", "exact-unconditional", \
"permutation"}, default="mid-p"
        How the p-value is computed. "exact" is binomial given the number of discordant
        pairs and never too small; "mid-p" counts half the probability of what was observed,
        has nearly the nominal level and more power [2]_; "asymptotic" is chi-squared with
        one degree of freedom, and "corrected" the same with Edwards' continuity correction,
        which never takes the distance of the counts below 0: the hold-out McNemar test of
        the literature on comparing algorithms. "exact-unconditional" is never too small
        either but for all numbers of discordant pairs together, and usually more powerful
        than "exact" [3]_; where nearly all discordant pairs favour one classifier its p can
        be larger. It takes up to 20 000 records. "permutation" exchanges correct and
        incorrect predictions within records, which leaves the "exact" p-value, or an
        estimate of it from `n_resamples` draws.
    interval : {"agreeing", "score", "newcombe", "agresti-min", "bonett-price", "wald", \
"conditional"}, default="agreeing"
        Interval of the difference. "agreeing" goes with the p-value: Tango's score interval
        [4]_ for "asymptotic", the same with correction for "corrected", Fay and Lumbard's
        interval [5]_ for "exact", "mid-p" and "permutation", and for "exact-unconditional"
        the differences that it does not reject. The others do not depend on the method:
        "score" is Tango's, "newcombe" adds the squares of Wilson's limits of both
        accuracies (method 10), "agresti-min" and "bonett-price" are Wald's after half a
        record is added to each count, or one to each discordant count, and "wald" is
        liberal: too short for few discordant pairs, and without width for none.
        "conditional" maps the exact or mid-p limits of the discordant share to the
        difference as if the number of discordant pairs were fixed; where nearly all of them
        favour one classifier it is far too short, so prefer the default.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the difference is above the null value.
    null_value : float, default=0.0
        Difference of the accuracies under the null hypothesis, challenger minus champion,
        between -1 and 1. A margin below which the challenger must not fall is tested by
        ``null_value=-margin, alternative="greater"`` (non-inferiority).
    n_resamples : int or None, default=None
        Random draws of "permutation"; None for its exact distribution.
    random_state : int, RandomState instance or None, default=0
        Seed of these draws.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion). `statistic` is
        chi-squared for "asymptotic" and "corrected", the square of Tango's score for
        "exact-unconditional", and the smaller discordant count for the others, whatever
        the alternative. The "agreeing" interval excludes the null value exactly when the
        test rejects, and so does "conditional" for a null value of 0.

    Raises
    ------
    ValueError
        If whole counts are needed and the table holds fractional ones; if there are too
        many records for "exact-unconditional"; if options are incompatible.

    Notes
    -----
    Of a null value other than 0, "asymptotic" and "corrected" use Tango's score, with
    shares estimated under the null hypothesis [4]_, and "exact" and "mid-p" the
    probability that Fay and Lumbard's interval inverts [5]_. "permutation" has none,
    because exchanging the classifiers is a symmetry of equal accuracies only.

    "exact-unconditional" orders all tables by Tango's score (for a null value of 0, by
    McNemar's) and takes the largest probability of those at least as far from 0 as the
    observed one, over all shares of discordant pairs that the null value allows; the
    maximum is found to 1e-9.

    The p-value of R draws is (1 + draws as extreme) / (1 + R). Its interval is the "exact"
    one, but for the limit beside 0, which is moved to 0 where draws and exact p-value
    disagree about the level.

    Without discordant pairs the statistic is 0 and p is 1, flagged "degenerate"; of another
    null value there is evidence even then. The interval is then Tango's, ±z² / (n + z²)
    without correction, but for "exact" with the "agreeing" interval, where it is that of
    the discordant share, ±(1 - (alpha/2)^(1/n)), for "exact-unconditional" and for the
    closed formulas. A chi-squared p-value from fewer than 25 discordant pairs is flagged
    "few-discordant-pairs".

    The "agreeing" interval of "exact" has at least its nominal coverage, and so has that of
    "exact-unconditional" where all tables were enumerated. The others have it on average:
    ``benchmarks/validity/accuracy/coverage.py`` measures how much they vary.

    References
    ----------
    .. [1] McNemar, Q. (1947). "Note on the sampling error of the difference between
       correlated proportions or percentages." Psychometrika 12(2), 153-157.
    .. [2] Fagerland, M. W., Lydersen, S. and Laake, P. (2013). "The McNemar test for
       binary matched-pairs data: mid-p and asymptotic are better than exact
       conditional." BMC Medical Research Methodology 13, 91.
    .. [3] Suissa, S. and Shuster, J. J. (1991). "The 2 x 2 matched-pairs trial: exact
       unconditional design and analysis." Biometrics 47(2), 361-372.
    .. [4] Tango, T. (1998). "Equivalence test and confidence interval for the difference in
       proportions for the paired-sample design." Statistics in Medicine 17(8), 891-908.
    .. [5] Fay, M. P. and Lumbard, K. (2021). "Confidence intervals for difference in
       proportions for matched pairs compatible with exact McNemar's or sign tests."
       Statistics in Medicine 40(5), 1147-1159.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import mcnemar
    >>> table = ContingencyTable(150, 25, 15, 10)
    >>> result = mcnemar(table)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}")
    -0.050, p = 0.1173
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.4f}, {high:.4f}]")
    [-0.1118, 0.0125]

    Is the challenger at most 0.1 worse?

    >>> result = mcnemar(
    ...     table, method="asymptotic", null_value=-0.1, alternative="greater"
    ... )
    >>> print(f"p = {result.pvalue:.4f}")
    p = 0.0608
    """
    null = check_difference(null_value)
    check_together(table, method, interval, null, n_resamples)
    finding = find(table, method, null, alternative, n_resamples, random_state)
    limits = finding.limits
    if interval != "agreeing":
        limits = limits_by_name(table, interval, method)
    counts = {
        "only_champion": table.only_champion,
        "only_challenger": table.only_challenger,
    }
    return accuracy_result(
        table,
        finding.statistic,
        finding.tail,
        df=1 if method in CHI_SQUARED else None,
        method=finding.how,
        null_value=null,
        limits=limits,
        flags=_flags(table, method, null),
        details=counts | finding.details,
    )


def accuracy_result(
    table: ContingencyTable, statistic: float, tail: tuple[float, float], **fields: Any
) -> PairedResult:
    """Create the result of a test of two accuracies from a contingency table.

    `tail` holds the p-value and its logarithm; without discordant pairs equal accuracies
    have p = 1 whatever the formula gives.
    """
    if table.n_discordant == 0 == fields.get("null_value", 0.0):
        tail = 1.0, 0.0
    champion, challenger = table.accuracies
    return PairedResult(
        statistic=statistic,
        pvalue=tail[0],
        log_pvalue=tail[1],
        estimate=table.difference,
        estimate_name="difference of accuracies",
        champion=champion,
        challenger=challenger,
        **fields,
    )


def _flags(table: ContingencyTable, method: str, null: float) -> tuple[str, ...]:
    none_discordant = table.n_discordant == 0
    if none_discordant and null == 0:
        return "degenerate", "no-discordant-pairs"
    few = method in CHI_SQUARED and table.n_discordant < FEW_DISCORDANT
    return ("no-discordant-pairs",) * none_discordant + ("few-discordant-pairs",) * few
