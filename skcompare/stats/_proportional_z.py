"""The proportional test: two accuracies as if of different records."""

import math
from functools import partial

from scipy.special import ndtri

from skcompare._core.validation import alpha_of, check_alternative, check_choice
from skcompare._registry.tests import paired_test
from skcompare.evidence import ContingencyTable
from skcompare.stats._mcnemar import accuracy_result
from skcompare.stats._result import PairedResult
from skcompare.stats._sample_size import tail_of
from skcompare.stats._tails import normal_pvalue

INTERVALS = ("pooled", "unpooled")

IGNORES_PAIRING = "ignores-pairing"


@paired_test(
    "proportional_z",
    title="proportional test",
    needs=ContingencyTable,
    kind="difference",
    measures="accuracy",
    designs=("holdout",),
    references=("Dietterich1998", "Yang2023"),
    caution=IGNORES_PAIRING,
)
def proportional_z(
    table: ContingencyTable,
    *,
    interval: str = "pooled",
    alternative: str = "two-sided",
) -> PairedResult:
    """Compare two accuracies on one test set as if each had its own test records.

    The null hypothesis is that both trained classifiers have the same accuracy over new
    records. The two numbers of errors are taken as independent [1]_, which they are not on
    one test set. Classifiers usually err on the same records: the difference then varies
    less than the test allows for, and it rejects too seldom and finds less than
    :func:`mcnemar`, which is the test to use. Where they err on different records it
    rejects too often.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by who was right, from a hold-out set. The literature trains on n1
        = 2n/3 of the records [2]_.
    interval : {"pooled", "unpooled"}, default="pooled"
        Interval of the difference. "pooled" is made with the standard error of the test, so
        that it goes with the p-value; "unpooled" with that of two accuracies that differ,
        so that it may disagree with the p-value, and has no width if each classifier is
        always right or always wrong.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion). `statistic` is that over
        its standard error, compared with the standard normal distribution; the interval is
        the difference plus and minus quantiles of it, within -1 and 1. `details` has the
        pooled error and both standard errors. Every result is flagged "ignores-pairing".

    See Also
    --------
    mcnemar : The test of these counts.

    Notes
    -----
    With the shares of errors p of n records, pB of the champion and pA of the challenger,
    and their mean p::

        statistic = (pB - pA) / sqrt(2 p (1 - p) / n)

    and the interval "unpooled" has sqrt(pA (1 - pA) / n + pB (1 - pB) / n) instead.

    If both classifiers are right on all records, or wrong on all, the statistic is 0 and p
    is 1, flagged "degenerate"; so are answers that are right and wrong on the same records.

    References
    ----------
    .. [1] Dietterich, T. G. (1998). "Approximate statistical tests for comparing supervised
       classification learning algorithms." Neural Computation 10(7), 1895-1923, section
       3.2.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import mcnemar, proportional_z
    >>> table = ContingencyTable(150, 25, 15, 10)
    >>> result = proportional_z(table)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    -0.050, z = -1.400, p = 0.1614
    >>> print(f"{mcnemar(table).pvalue:.4f}")
    0.1173

    .. versionadded:: 0.1
    """
    check_choice("interval", interval, INTERVALS)
    check_alternative(alternative)
    errors = table.n_discordant + 2 * table.both_wrong
    share = errors / (2 * table.n)
    pooled = math.sqrt(2 * share * (1 - share) / table.n)
    unpooled = math.sqrt(sum(p * (1 - p) for p in table.accuracies) / table.n)
    error = pooled if interval == "pooled" else unpooled
    statistic = table.difference / pooled if pooled > 0 else 0.0
    none = table.n_discordant == 0
    return accuracy_result(
        table,
        statistic,
        normal_pvalue(statistic, alternative),
        df=None,
        alternative=alternative,
        method="normal, pooled variance",
        n=table.n,
        limits=partial(_limits, table.difference, error),
        flags=("degenerate", "no-discordant-pairs") if none else (),
        details={
            "pooled_error": share,
            "se": pooled,
            "se_unpooled": unpooled,
        },
    )


def _limits(
    estimate: float, error: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Estimate plus and minus quantiles times the standard error, within -1 and 1."""
    reach = -float(ndtri(tail_of(alpha_of(confidence_level), alternative))) * error
    low = -1.0 if alternative == "less" else max(-1.0, estimate - reach)
    high = 1.0 if alternative == "greater" else min(1.0, estimate + reach)
    return min(low, 1.0), max(high, -1.0)
