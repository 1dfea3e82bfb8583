"""Correlation of the losses of two classifiers."""

import math
from functools import partial
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln

from skcompare._core.validation import alpha_of
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PairedLosses, rounded
from skcompare.stats.agreement._association import PEARSON, SPEARMAN, reading
from skcompare.stats.core._limits import (
    Limits,
    Pair,
    Wald,
    critical_value,
    fixed_limits,
    tanh_limits,
)
from skcompare.stats.core._result import UNDEFINED, PairedResult, result_of
from skcompare.stats.core._tails import bounded, student_pvalue

ROUNDING = 1e-12
"""Distance up to which a squared correlation is 1, or a share of a sum is 0."""


def agreeing_limits(
    r: float, n: int, of_ranks: bool, confidence_level: float, alternative: str
) -> Pair:
    """Fisher's interval, with the exact critical value of a zero correlation.

    The test of t rejects where |r| is above r_c = t_c / sqrt(t_c² + n - 2). A correlation
    rho is held where atanh(rho) is within atanh(r_c) of atanh(r). For ranks this distance
    grows with rho as the standard error of Bonett and Wright (2000) does, by
    sqrt(1 + rho² / 2).
    """
    t = critical_value(confidence_level, "two-sided", n - 2)
    # atanh(t / sqrt(t² + n - 2)), also where the quotient is 1 in floating point.
    reach = math.asinh(t / math.sqrt(n - 2))
    z = math.atanh(r)
    if of_ranks:
        return _least_of_ranks(z, reach), -_least_of_ranks(-z, reach)
    return math.tanh(z - reach), math.tanh(z + reach)


def _least_of_ranks(z: float, reach: float) -> float:
    def beyond(at: float) -> float:
        return z - at - reach * math.sqrt(1 + math.tanh(at) ** 2 / 2)

    # The factor of the distance is between 1 and sqrt(1.5).
    return math.tanh(brentq(beyond, z - 1.25 * reach, z - 0.99 * reach, xtol=1e-15))


def robust_error(first: FloatArray, second: FloatArray) -> float:
    """Jackknife standard error of Fisher's z (Miller 1974, section 2.4).

    Without one record the sums of squares and products are less by the squares and products
    of its distances from the means, times n / (n - 1). Infinite where a correlation is
    perfect or undefined without some record.
    """
    n = len(first)
    u, v = (values - values.mean() for values in (first, second))
    u /= math.sqrt(float(u @ u))
    v /= math.sqrt(float(v @ v))
    without = n / (n - 1)
    left = 1 - without * np.square(np.stack([u, v]))
    squares = left[0] * left[1]
    products = float(u @ v) - without * u * v
    if (left < ROUNDING).any() or (products**2 > (1 - ROUNDING) * squares).any():
        return math.inf
    z = np.arctanh(products / np.sqrt(squares))
    return math.sqrt((n - 1) / n * float(np.square(z - z.mean()).sum()))


def perfect_limits(
    r: float, pvalue: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Limits of a perfect correlation: the estimate if significant, else -1 and 1."""
    return (r, r) if pvalue < alpha_of(confidence_level) else (-1.0, 1.0)


Method = Literal["auto", "pearson", "spearman"]
Interval = Literal["agreeing", "fisher", "robust"]
NAMES = {
    "pearson": "Pearson correlation of the losses",
    "spearman": "Spearman rank correlation of the losses",
}

CONSTANT = "constant-losses"
PERFECT = "perfect-correlation"
FEW_RECORDS = "too-few-records"

LEAST = 3


@paired_test(
    title="error correlation",
    kind="association",
    measures="error correlation",
    references=("Pearson1896", "Spearman1904", "Fisher1921", "Bonett2000"),
)
def error_correlation(
    losses: PairedLosses, *, method: Method = "auto", interval: Interval = "agreeing"
) -> PairedResult:
    """Do two classifiers have their large losses on the same records?

    The null hypothesis is that the losses are uncorrelated. Low correlations are desirable
    in an ensemble. High ones may come from shared bias, and from records that are hard or
    wrongly labelled for any classifier.

    Parameters
    ----------
    losses : PairedLosses
        Losses of a hold-out set; moments are enough for "pearson".
    method : {"auto", "spearman", "pearson"}, default="auto"
        "pearson" is the linear correlation [1]_. "spearman" is that of the ranks, with mean
        ranks for ties [2]_; it is less influenced by a few large losses, and its interval
        holds where that of "pearson" supposes a normal distribution that losses do not
        have. Losses are rounded to 12 decimals before they are ranked. "auto" is
        "spearman", but "pearson" for moments and for the "robust" interval.
    interval : {"agreeing", "fisher", "robust"}, default="agreeing"
        "agreeing" goes with the p-value: Fisher's interval with the critical value of t in
        the place of the normal one. "fisher" is the published interval [3]_, with the
        standard error of Bonett and Wright for ranks [4]_. "robust", for "pearson" and
        losses that were kept, supposes no normal distribution: its standard error, of
        Fisher's z, is that of the jackknife [5]_.

    Returns
    -------
    result : PairedResult
        `estimate` is the correlation r, the same for exchanged roles. `statistic` is r
        sqrt((n - 2) / (1 - r²)), compared with t of n - 2 degrees of freedom. `remark`
        describes the correlation.

    Raises
    ------
    ValueError
        If "robust" is requested with "spearman"; if losses were reduced to their moments
        and "spearman" or "robust" needs them.

    Notes
    -----
    Of "pearson", p and the first two intervals suppose losses that are about normal, which
    Brier and log losses are not: of 95 % intervals of a high correlation only 45 to 90 %
    held it in simulations, whatever the number of records. "robust" ones did in 89 to
    95 % with 50 records and in 94 to 96 % with 1000, and those of "spearman" in 94 to 97 %.

    With constant losses of one classifier the correlation is NaN, flagged
    "constant-losses". With fewer than 3 records p is undefined, flagged "too-few-records".

    For r = 1 or -1 the statistic is infinite, and p is twice the share of orders of the
    records that give it, 2 prod(g!) / n! with g the sizes of groups of tied losses, flagged
    "perfect-correlation". The interval is then r itself, or all from -1 to 1 where p is not
    small. Without the losses themselves p is undefined.

    References
    ----------
    .. [1] Pearson, K. (1896). "Mathematical contributions to the theory of evolution. III.
       Regression, heredity, and panmixia." Philosophical Transactions of the Royal Society
       A 187, 253-318.
    .. [2] Spearman, C. (1904). "The proof and measurement of association between two
       things." American Journal of Psychology 15(1), 72-101.
    .. [3] Fisher, R. A. (1921). "On the 'probable error' of a coefficient of correlation
       deduced from a small sample." Metron 1, 3-32.
    .. [4] Bonett, D. G. and Wright, T. A. (2000). "Sample size requirements for estimating
       Pearson, Kendall and Spearman correlations." Psychometrika 65(1), 23-28.
    .. [5] Miller, R. G. (1974). "The jackknife -- a review." Biometrika 61(1), 1-15.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import error_correlation
    >>> losses = PairedLosses.from_losses(
    ...     [0.01, 0.04, 0.09, 0.09, 0.16, 0.02], [0.06, 0.01, 0.02, 0.16, 0.04, 0.06]
    ... )
    >>> result = error_correlation(losses, method="spearman")
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.3f}")
    -0.176, p = 0.738
    """
    if method == "auto":
        ranked = losses.values is not None and interval != "robust"
        method = "spearman" if ranked else "pearson"
    if interval == "robust" and method == "spearman":
        raise ValueError(
            'interval="robust" is for method="pearson". Got method="spearman", whose own '
            "intervals do not suppose normal losses. Leave it out."
        )
    r, ties = _correlation(losses, method)
    n, of_ranks, flags = losses.n, method == "spearman", list[str]()
    statistic, tail = math.nan, UNDEFINED
    limits: Limits
    if n < LEAST or math.isnan(r):
        flags = [CONSTANT] * math.isnan(r) + [FEW_RECORDS] * (n < LEAST)
        limit = math.nan if math.isnan(r) else 1.0
        limits = partial(fixed_limits, (-limit, limit))
    elif abs(r) == 1:
        flags = [PERFECT]
        statistic, tail = math.copysign(math.inf, r), _perfect_pvalue(ties, n)
        limits = partial(fixed_limits, (r, r))
        if interval == "agreeing":
            limits = partial(perfect_limits, r, tail[0])
    else:
        statistic = r * math.sqrt((n - 2) / ((1 - r) * (1 + r)))
        tail = student_pvalue(statistic, n - 2, "two-sided")
        if interval == "agreeing":
            limits = partial(agreeing_limits, r, n, of_ranks)
        elif interval == "robust":
            error = robust_error(losses.champion, losses.challenger)
            limits = partial(tanh_limits, Wald(math.atanh(r), error, n - 2))
        else:
            # The variance of ranks is that of Bonett and Wright (2000).
            variance = 1 + r * r / 2 if of_ranks else 1.0
            error = math.sqrt(variance / (n - 3)) if n > 3 else math.inf
            limits = partial(tanh_limits, Wald(math.atanh(r), error))
    return result_of(
        statistic,
        tail,
        df=max(0, n - 2),
        estimate=r,
        estimate_name=NAMES[method],
        method=method,
        limits=limits,
        flags=(*flags, *losses.flags),
        remark=reading(SPEARMAN if of_ranks else PEARSON, r),
    )


def _correlation(losses: PairedLosses, method: str) -> tuple[float, IntArray | None]:
    """Correlation of the losses and, where known, the sizes of groups of ties."""
    ties = None
    if method == "pearson":
        r = losses.moments.correlation
    else:
        champion, ties = _centred_ranks(rounded(losses.champion))
        challenger, _ = _centred_ranks(rounded(losses.challenger))
        squares = float(champion @ champion) * float(challenger @ challenger)
        r = float(champion @ challenger) / math.sqrt(squares) if squares else math.nan
    if 1 - abs(r) < ROUNDING:
        if ties is None and losses.values is not None:
            ties = _centred_ranks(rounded(losses.champion))[1]
        return math.copysign(1.0, r), ties
    return r, ties


def _centred_ranks(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Doubled and centred mean ranks, and the sizes of groups of tied values.

    Doubled, they are whole, so that sums of them are the same in any order.
    """
    n = len(values)
    order = np.argsort(values)
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sizes = np.diff(starts, append=n)
    ranks = np.empty(n)
    ranks[order] = np.repeat(2.0 * starts + sizes - n, sizes)
    return ranks, sizes


def _perfect_pvalue(ties: IntArray | None, n: int) -> tuple[float, float]:
    """Exact two-sided permutation p-value of a perfect correlation, and its logarithm."""
    if ties is None:
        return UNDEFINED
    log_pvalue = math.log(2) + float(gammaln(ties + 1.0).sum() - gammaln(n + 1.0))
    return bounded(math.exp(log_pvalue), log_pvalue)
