"""McNemar's question of a stream: a test that may be looked at after every record."""

from functools import partial

from skcompare._core.validation import check_alternative, is_number
from skcompare._registry.tests import paired_test
from skcompare.evidence import ContingencyTable
from skcompare.stats._anytime import (
    anytime_limits,
    anytime_tail,
    evidence_details,
    signed_evidence,
)
from skcompare.stats._anytime_counts import CountBets
from skcompare.stats._anytime_plan import anytime_records
from skcompare.stats._mcnemar import accuracy_result
from skcompare.stats._mcnemar_methods import check_difference
from skcompare.stats._result import PairedResult

LEAST_PRIOR, MOST_PRIOR = 0.2, 1e6
"""Beyond them the integral and numbers of records would lose digits."""


def _sample_size(
    table: ContingencyTable,
    *,
    alpha: float,
    power: float,
    alternative: str,
    null_value: float = 0.0,
    prior: float = 1.0,
) -> float:
    return anytime_records(
        count_bets(table, prior),
        null=check_difference(null_value),
        alpha=alpha,
        power=power,
        alternative=alternative,
    )


@paired_test(
    "anytime_mcnemar",
    title="anytime-valid McNemar test",
    needs=ContingencyTable,
    kind="difference",
    measures="accuracy",
    designs=("holdout",),
    references=("Ville1939", "Robbins1970", "Howard2021", "WaudbySmith2024"),
    sample_size=_sample_size,
)
def anytime_mcnemar(
    table: ContingencyTable,
    *,
    alternative: str = "two-sided",
    null_value: float = 0.0,
    prior: float = 1.0,
) -> PairedResult:
    """Compare two accuracies on a stream that is looked at as often as one likes.

    The null hypothesis is that of :func:`mcnemar`: a record which exactly one of the two
    trained classifiers answers rightly is as likely to favour either. But the table may
    grow between looks, one may look after every record, and stop when one likes: the
    probability that p is *ever* below alpha is at most alpha if the null hypothesis is
    true [1]_, and that the interval *ever* misses the difference is at most 1 less its
    level. That is paid for with about twice the records, if one looks once only;
    :func:`mcnemar` is for that.

    Parameters
    ----------
    table : ContingencyTable
        Counts of all records so far by who was right; whole numbers.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better. A one-sided test is valid for all
        differences on the other side of `null_value` too.
    null_value : float, default=0
        Difference of the accuracies under the null hypothesis. For a margin m of
        non-inferiority it is -m, with ``alternative="greater"``.
    prior : float, default=1
        Both parameters of the beta distribution of the bets, fixed before the records are
        seen, from 0.2 to 1e6. More finds small differences a little sooner and large ones
        later.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion). `statistic` is the
        logarithm of the e-value, or 0 for one below 1, with the sign of the estimate less
        the null value; `details` has the logarithm as it is (`log_e_value`), and the
        e-value where a double can hold it. p is 1 / e, at most 1. The interval is one of
        the confidence sequence, the differences with an e-value of at most 1 / alpha.

    Raises
    ------
    ValueError
        If the table has fractional counts, `null_value` is not between -1 and 1, or
        `prior` is not within its range.

    See Also
    --------
    AnytimeMonitor : Keeps what the looks at a stream have shown so far.
    anytime_losses : The same for losses.

    Notes
    -----
    Each record multiplies the wealth of somebody who bets a share kappa on the challenger
    by (1 + kappa x) / (1 + kappa d), with x = 1 if only the challenger is right, -1 if only
    the champion is, and else 0, and d the null value. This is a martingale where the
    difference is d, and for kappa > 0 a supermartingale where it is less. The e-value is
    the mean wealth for kappa = 2u - 1, with u from a beta distribution [2]_ [4]_. For equal
    accuracies it is that of the beta-binomial mixture, ::

        e = 2^(b + c) B(prior + b, prior + c) / B(prior, prior)

    of b and c discordant records, and concordant ones change nothing. A one-sided test
    takes the half of the distribution that bets on its side. The integral is found to 1e-12
    of its size, or with many records or a large prior to 1e-15 of their number. e is convex
    in d, so that the differences that are not rejected are an interval, which holds the
    estimate and leaves out `null_value` exactly where p < alpha.

    Records must come in an order that does not depend on the answers. The difference may
    change with time: the interval of every look then covers the mean of the differences
    of the records so far, given what came before them [3]_, and a small p says that at
    some look this mean was not what the null hypothesis says. It does not cover what a team
    finds that trains on the records and is tested on them again.

    Without discordant pairs p is 1 for equal accuracies, flagged "degenerate"; of another
    null value there is evidence even then.

    References
    ----------
    .. [1] Ville, J. (1939). "Étude critique de la notion de collectif." Gauthier-Villars.
    .. [2] Robbins, H. (1970). "Statistical methods related to the law of the iterated
       logarithm." Annals of Mathematical Statistics 41(5), 1397-1409.
    .. [3] Howard, S. R., Ramdas, A., McAuliffe, J. and Sekhon, J. (2021). "Time-uniform,
       nonparametric, nonasymptotic confidence sequences." Annals of Statistics 49(2),
       1055-1080.
    .. [4] Waudby-Smith, I. and Ramdas, A. (2024). "Estimating means of bounded random
       variables by betting." Journal of the Royal Statistical Society B 86(1), 1-27.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import anytime_mcnemar
    >>> result = anytime_mcnemar(ContingencyTable(150, 7, 33, 10))
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.5f}")
    0.130, p = 0.00070
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.4f}, {high:.4f}]")
    [0.0389, 0.2321]

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    null = check_difference(null_value)
    bets = count_bets(table, prior)
    none = table.n_discordant == 0
    # Nothing was won or lost, whatever rounding says.
    log_wealth = 0.0 if none and null == 0 else bets.log_wealth(null, alternative)
    counts = {
        "only_champion": table.only_champion,
        "only_challenger": table.only_challenger,
    }
    return accuracy_result(
        table,
        signed_evidence(bets, log_wealth, null),
        anytime_tail(log_wealth),
        df=None,
        alternative=alternative,
        method="beta mixture of bets",
        n=table.n,
        null_value=null,
        limits=partial(anytime_limits, bets),
        flags=("degenerate",) * (none and null == 0) + ("no-discordant-pairs",) * none,
        details=counts | evidence_details(log_wealth),
    )


def count_bets(table: ContingencyTable, prior: float) -> CountBets:
    """What bets have gained on the records of a table."""
    if table.fractional:
        raise ValueError(
            f"anytime_mcnemar needs whole counts. Got the fractional table {table}. Pass "
            "integers, counts of records of one test set."
        )
    counts = table.only_champion, table.only_challenger, table.n
    return CountBets(*counts, check_prior(prior))


def check_prior(prior: object) -> float:
    """Parameters of the beta distribution of bets."""
    if is_number(prior) and LEAST_PRIOR <= prior <= MOST_PRIOR:
        return float(prior)
    raise ValueError(
        f"`prior` must be a number from {LEAST_PRIOR:g} to {MOST_PRIOR:g}. Got {prior!r}. "
        "1 bets all shares alike."
    )
