"""McNemar's test of paired predictions, and the z-test that ignores the pairing."""

import math
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import betainc, entr, ndtr, ndtri
from sklearn.utils import check_random_state

from skcompare._core.validation import alpha_of, check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ContingencyTable
from skcompare.stats.accuracy._limits import (
    ADDED,
    conditional_limits,
    melded_limits,
    melded_pvalue,
    newcombe_limits,
    record_variance,
    score_limits,
    score_root,
    wald_limits,
)
from skcompare.stats.accuracy._unconditional import (
    MOST_RECORDS,
    unconditional_limits,
    unconditional_pvalue,
)
from skcompare.stats.core._limits import DIFFERENCE, Limits, Pair, Wald
from skcompare.stats.core._power import Aim, Discordance, Effect, planned
from skcompare.stats.core._result import (
    PairedResult,
    Tested,
    agreeing,
    check_null,
    tested_result,
)
from skcompare.stats.core._tails import (
    SMALLEST,
    TRUSTED,
    binomial_pvalue,
    error_of_draws,
    lower_tail,
    normal_pvalue,
    outward,
)

Method = Literal[
    "mid-p", "exact", "asymptotic", "corrected", "exact-unconditional", "permutation"
]
CHI_SQUARED = ("asymptotic", "corrected")
BINOMIAL = ("mid-p", "exact", "permutation")
Interval = Literal[
    "agreeing", "score", "newcombe", "agresti-min", "bonett-price", "wald", "conditional"
]


check_difference = partial(check_null, what="a difference of accuracies")


def check_together(
    table: ContingencyTable,
    method: str,
    interval: str,
    null: float,
    n_resamples: int | None,
) -> None:
    """Check that options are compatible with each other and with the table."""
    if interval == "conditional" and method not in BINOMIAL:
        raise ValueError(
            "interval='conditional' goes with method='exact' or 'mid-p', or 'permutation'. "
            f"Got method={method!r}. Use interval='score'."
        )
    if method not in CHI_SQUARED and table.fractional:
        raise ValueError(
            f"method={method!r} needs whole counts. Got the fractional table {table}. "
            "Pass integers, or use method='asymptotic' or 'corrected'."
        )
    if method == "exact-unconditional" and table.n > MOST_RECORDS:
        raise ValueError(
            f"method='exact-unconditional' takes at most {MOST_RECORDS} records. Got "
            f"{table.n}. Use method='mid-p', 'exact' or 'asymptotic', which hardly differ "
            "from it then."
        )
    if method == "permutation" and null != 0:
        raise ValueError(
            "method='permutation' tests equal accuracies, under which the classifiers can "
            f"be exchanged. Got null_value={null!r}. Use method='mid-p', 'exact' or "
            "'asymptotic'."
        )
    if n_resamples is not None and method != "permutation":
        raise ValueError(
            f"`n_resamples` goes with method='permutation'. Got method={method!r}. Leave "
            "it out."
        )


def _by_score(
    table: ContingencyTable, method: str, null: float, alternative: str
) -> tuple[Tested, Limits]:
    """Chi-squared test, or Tango's score test for a nonzero null value."""
    against, favour, n = table.only_champion, table.only_challenger, table.n
    correction = float(method == "corrected")
    statistic, root = _score_statistic(against, favour, n, correction, null)
    limits = partial(score_limits, against, favour, n, correction)
    return (statistic, normal_pvalue(root, alternative), ()), limits


def _score_statistic(
    against: float, favour: float, n: float, correction: float, null: float
) -> tuple[float, float]:
    if null == 0:
        return corrected_statistic(against, favour, correction)
    root = score_root(against, favour, n, correction, null)
    return root**2, root


def _by_binomial(
    table: ContingencyTable, method: str, null: float, alternative: str
) -> tuple[Tested, Limits]:
    """Exact or mid-p binomial test, or its melded extension for a nonzero null value."""
    against, favour, n = _whole(table)
    mid = method == "mid-p"
    if null == 0:
        tail = binomial_pvalue(favour, against + favour, alternative, mid=mid)
    else:
        tail = melded_pvalue(against, favour, n, mid, null, alternative)
    limits = partial(melded_limits, against, favour, n, mid)
    return (float(min(against, favour)), tail, ()), limits


def _unconditional(
    table: ContingencyTable, null: float, alternative: str
) -> tuple[Tested, Limits]:
    against, favour, n = _whole(table)
    statistic, _ = _score_statistic(against, favour, n, 0.0, null)
    tail = unconditional_pvalue(against, favour, n, null, alternative)
    return (statistic, tail, ()), partial(unconditional_limits, against, favour, n, null)


def _by_draws(
    table: ContingencyTable, n_resamples: int, alternative: str, random_state: Any
) -> tuple[Tested, Limits]:
    """Monte Carlo permutation test, drawing the number in favour of the challenger."""
    n_resamples = check_count("n_resamples", n_resamples)
    against, favour, n = _whole(table)
    drawn = check_random_state(random_state).binomial(
        against + favour, 0.5, size=n_resamples
    )
    # One-sided draws are counted in the direction of the alternative, so that exchanged
    # roles with the same seed give the same p-value.
    differences = 2 * drawn - against - favour
    if alternative == "two-sided":
        differences = np.abs(differences)
    observed = outward(favour - against, alternative)
    pvalue = (1 + int(np.count_nonzero(differences >= observed))) / (1 + n_resamples)
    exact = partial(melded_limits, against, favour, n, False)
    limits = partial(drawn_limits, exact, favour > against, pvalue)
    return (float(min(against, favour)), (pvalue, math.log(pvalue)), ()), limits


def drawn_limits(
    exact: Limits, above: bool, pvalue: float, confidence_level: float, alternative: str
) -> Pair:
    """Exact interval, adjusted at 0 to agree with a Monte Carlo p-value."""
    limits = exact(confidence_level, alternative)
    above = alternative == "greater" or (alternative == "two-sided" and above)
    return agreeing(*limits, 0.0, pvalue < alpha_of(confidence_level), above)


def limits_by_name(table: ContingencyTable, interval: str, method: str) -> Limits:
    """Return the function that computes the limits of a named interval."""
    against, favour, n = table.only_champion, table.only_challenger, table.n
    if interval == "conditional":
        return partial(conditional_limits, *_whole(table), method == "mid-p")
    if interval == "score":
        return partial(score_limits, against, favour, n, 0.0)
    if interval == "newcombe":
        return partial(newcombe_limits, table)
    added, added_to_all = ADDED[interval]
    return partial(wald_limits, against + added, favour + added, n + added_to_all)


def _whole(table: ContingencyTable) -> tuple[int, int, int]:
    return int(table.only_champion), int(table.only_challenger), int(table.n)


def corrected_statistic(
    against: float, favour: float, correction: float
) -> tuple[float, float]:
    """McNemar's chi-squared statistic and its signed root; 0 without discordant pairs.

    A positive root favours the challenger. The correction takes the distance of the
    counts at most to 0.
    """
    discordant = against + favour
    if discordant == 0:
        return 0.0, 0.0
    distance = max(0.0, abs(favour - against) - correction)
    sign = 1.0 if favour > against else -1.0
    return distance**2 / discordant, sign * distance / discordant**0.5


LEAST_LOG = float(np.log(SMALLEST)) - 2
"""Logarithm below which twice a tail is no more than the smallest double."""


def mcnemar_pvalues(
    against: IntArray, favour: IntArray, method: str, alternative: str
) -> tuple[FloatArray, FloatArray]:
    """Statistics and p-values of :func:`mcnemar` for many pairs of classifiers at once.

    Parameters
    ----------
    against, favour : ndarray of shape (n_pairs,)
        Records that only the champion, or only the challenger, predicted correctly.
    """
    discordant = against + favour
    if method in ("asymptotic", "corrected"):
        distance = np.maximum(0, np.abs(favour - against) - (method == "corrected"))
        divisor = np.maximum(discordant, 1)
        root = np.where(favour > against, 1, -1) * distance / np.sqrt(divisor)
        if alternative == "two-sided":
            pvalue = 2 * ndtr(-np.abs(root))
        else:
            pvalue = ndtr(-root if alternative == "greater" else root)
        statistic = distance**2 / divisor
    else:
        pvalue = _binomial_pvalues(favour, discordant, alternative, mid=method == "mid-p")
        statistic = np.minimum(against, favour).astype(float)
    return statistic, np.where(discordant == 0, 1.0, np.clip(pvalue, SMALLEST, 1.0))


def _binomial_pvalues(
    successes: IntArray, trials: IntArray, alternative: str, *, mid: bool
) -> FloatArray:
    """Vectorized version of `binomial_pvalue`, without clipping the p-values."""
    if alternative == "two-sided":
        tail = np.minimum(successes, trials - successes)
    else:
        tail = trials - successes if alternative == "greater" else successes
    upto, below = _cdf(np.stack([tail, tail - mid]), trials)
    one_sided = (upto + below) / 2
    pvalue = one_sided.copy()
    if alternative == "two-sided":
        # Both tails meet at equal numbers, which then count once.
        tied = mid & (2 * successes == trials)
        pvalue = np.where(tied, (1 + below + 1 - upto) / 2, 2 * one_sided)
    far = np.flatnonzero(one_sided <= TRUSTED)
    if len(far):
        sides = 2 if alternative == "two-sided" else 1
        pvalue[far] = sides * _far_tails(tail[far], trials[far], mid=mid)
    return pvalue


def _far_tails(k: IntArray, trials: IntArray, *, mid: bool) -> FloatArray:
    """Binomial tails that are too small for the special function."""
    tails = np.zeros(len(k))
    # Chernoff's bound of a tail's logarithm shows which are 0 in double precision.
    share = k / trials
    bound = trials * (entr(share) + entr(1 - share) - np.log(2))
    for i in np.flatnonzero(bound > LEAST_LOG):
        tails[i] = lower_tail(int(k[i]), int(trials[i]), mid=mid)[0]
    return tails


def _cdf(k: IntArray, trials: IntArray) -> FloatArray:
    """P(Binomial(trials, 1/2) <= k)."""
    inside = betainc(np.maximum(trials - k, 1), np.maximum(k + 1, 1), 0.5)
    return np.where(k < 0, 0.0, np.where(k >= trials, 1.0, inside))


FEW_DISCORDANT = 25


class _Beyond(NamedTuple):
    """Difference of two accuracies beyond a null value other than 0."""

    table: ContingencyTable
    null: float

    def sample_size(self, n: float, aim: Aim) -> float:
        """Number of records by the normal approximation of Tango's score.

        As Nam (1997), Biometrics 53, 1422-1430, does for non-inferiority. Infinite where
        the difference is on the other side.
        """
        table, difference = self.table, self.table.difference
        distance = difference - self.null
        if outward(distance, aim.alternative) <= 0:
            return math.inf
        counts = table.only_champion, table.only_challenger
        under_null = record_variance(self.null, *counts, n)
        observed = table.n_discordant / n - difference**2
        reach = -ndtri(aim.tail) * math.sqrt(under_null)
        reach += ndtri(aim.power) * math.sqrt(max(0.0, observed))
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

    The null hypothesis is that a record that exactly one of the two trained classifiers
    predicts correctly is equally likely to favour either, so that their accuracies are
    equal [1]_; or, with another `null_value`, that they differ by that much. It is about
    these two trained models, over new records.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by which classifiers were correct, from a hold-out set.
    method : {"mid-p", "exact", "asymptotic", "corrected", "exact-unconditional", \
"permutation"}, default="mid-p"
        How the p-value is computed. "exact" is binomial given the number of discordant
        pairs and never too small; "mid-p" counts the observed outcome with half its
        probability, and has nearly the nominal level and more power [2]_; "asymptotic" is
        chi-squared with one degree of freedom, and "corrected" the same with Edwards'
        continuity correction, which never takes the distance of the counts below 0: the
        hold-out McNemar test of the literature on comparing algorithms.
        "exact-unconditional" is never too small either, over all numbers of discordant
        pairs, and usually more powerful than "exact" [3]_; if nearly all discordant pairs
        favour one classifier its p can be larger. It takes up to 20 000 records.
        "permutation" exchanges correct and incorrect predictions within records, which
        leaves the "exact" p-value, or an estimate of it from `n_resamples` draws.
    interval : {"agreeing", "score", "newcombe", "agresti-min", "bonett-price", "wald", \
"conditional"}, default="agreeing"
        Interval of the difference. "agreeing" agrees with the p-value: Tango's score
        interval [4]_ for "asymptotic", the same with continuity correction for "corrected",
        Fay and Lumbard's interval [5]_ for "exact", "mid-p" and "permutation", and for
        "exact-unconditional" the differences that it does not reject. The others do not
        depend on the method: "score" is Tango's, "newcombe" adds the squares of Wilson's
        limits of both accuracies (method 10), "agresti-min" and "bonett-price" are Wald's
        after half a record is added to each count, or one to each discordant count, and
        "wald" is liberal: too short for few discordant pairs, and without width for none.
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
        If integer counts are needed and the table has fractional ones; if there are too
        many records for "exact-unconditional"; if options are incompatible.

    Notes
    -----
    For a null value other than 0, "asymptotic" and "corrected" use Tango's score, with
    shares estimated under the null hypothesis [4]_, and "exact" and "mid-p" the
    probability that Fay and Lumbard's interval inverts [5]_. "permutation" has none,
    because exchanging the classifiers is a symmetry of equal accuracies only.

    "exact-unconditional" orders all tables by Tango's score (for a null value of 0, by
    McNemar's) and takes the largest probability of those at least as far from 0 as the
    observed one, over all shares of discordant pairs that the null value allows; the
    maximum is found to 1e-9.

    The p-value of R draws is (1 + draws as extreme) / (1 + R). Its interval is the "exact"
    one, except that the limit next to 0 is moved to 0 if the draws and the exact p-value
    disagree about the level.

    Without discordant pairs the statistic is 0 and p is 1, flagged "degenerate"; for
    another null value there is evidence even then. The interval is then Tango's, ±z² / (n +
    z²) without correction, except for "exact" with the "agreeing" interval, for which it is
    that of the discordant share, ±(1 - (alpha/2)^(1/n)), for "exact-unconditional" and for
    the closed formulas. A chi-squared p-value from fewer than 25 discordant pairs is
    flagged "few-discordant-pairs".

    The "agreeing" interval of "exact" has at least its nominal coverage, as does that of
    "exact-unconditional" if all tables were enumerated. The others have it on average:
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
    method_text, details = str(method), discordant_counts(table)
    if method in CHI_SQUARED:
        tested, limits = _by_score(table, method, null, alternative)
    elif method == "exact-unconditional":
        tested, limits = _unconditional(table, null, alternative)
    elif n_resamples is not None:
        tested, limits = _by_draws(table, n_resamples, alternative, random_state)
        method_text = f"permutation, monte-carlo, {n_resamples} resamples"
        error = error_of_draws(tested[1][0], n_resamples, "two-sided")
        details["monte_carlo_error"] = error
    else:
        tested, limits = _by_binomial(table, method, null, alternative)
    if interval != "agreeing":
        limits = limits_by_name(table, interval, method)
    few = method in CHI_SQUARED and table.n_discordant < FEW_DISCORDANT
    degenerate = table.n_discordant == 0 == null
    return accuracy_result(
        table,
        tested,
        df=1 if method in CHI_SQUARED else None,
        method=method_text,
        null=null,
        limits=limits,
        flags=("few-discordant-pairs",) * (few and not degenerate),
        details=details,
    )


def discordant_counts(table: ContingencyTable) -> dict[str, float]:
    """Numbers of records that only one classifier predicted correctly, as details."""
    return {
        "only_champion": table.only_champion,
        "only_challenger": table.only_challenger,
    }


def accuracy_result(
    table: ContingencyTable,
    tested: Tested,
    *,
    null: float = 0.0,
    flags: tuple[str, ...] = (),
    **fields: Any,
) -> PairedResult:
    """Create the result of a test of two accuracies from a contingency table.

    `tail` holds the p-value and its logarithm; without discordant pairs equal accuracies
    have p = 1 whatever the formula gives. `flags` are those of other causes.
    """
    concordant = table.n_discordant == 0
    degenerate = concordant and null == 0
    if degenerate:
        tested = tested[0], (1.0, 0.0), ("degenerate",)
    return tested_result(
        tested,
        roles=table.accuracies,
        estimate=table.difference,
        estimate_name="difference of accuracies",
        flags=("no-discordant-pairs",) * concordant + flags,
        **fields,
    )


@paired_test(
    title="proportional test",
    measures="accuracy",
    references=("Dietterich1998", "Yang2023"),
    caution="ignores-pairing",
)
def proportional_z(
    table: ContingencyTable,
    *,
    interval: Literal["pooled", "unpooled"] = "pooled",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two accuracies on one test set as if each had its own test records.

    The null hypothesis is that both trained classifiers have the same accuracy over new
    records. The two numbers of errors are treated as independent [1]_, which they are not
    on one test set. Classifiers usually make errors on the same records: the difference
    then varies less than the test allows for, so the test is conservative and has less
    power than :func:`mcnemar`, which is the test to use. If they make errors on different
    records it rejects too often.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by which classifiers were correct, from a hold-out set. The
        literature trains on n1 = 2n/3 of the records [2]_.
    interval : {"pooled", "unpooled"}, default="pooled"
        Interval of the difference. "pooled" uses the standard error of the test, so that it
        agrees with the p-value; "unpooled" that of two accuracies that differ, so that it
        may disagree with the p-value, and has no width if each classifier is always correct
        or always wrong.
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

    If both classifiers are correct on all records, or on none, the statistic is 0 and p is
    1, flagged "degenerate"; so are predictions that are correct on the same records.

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
    """
    errors = table.n_discordant + 2 * table.both_wrong
    share = errors / (2 * table.n)
    pooled = math.sqrt(2 * share * (1 - share) / table.n)
    unpooled = math.sqrt(sum(p * (1 - p) for p in table.accuracies) / table.n)
    error = pooled if interval == "pooled" else unpooled
    statistic = table.difference / pooled if pooled > 0 else 0.0
    return accuracy_result(
        table,
        (statistic, normal_pvalue(statistic, alternative), ()),
        method="normal, pooled variance",
        limits=Wald(table.difference, error, bounds=DIFFERENCE).limits,
        details={"pooled_error": share, "se": pooled, "se_unpooled": unpooled},
    )
