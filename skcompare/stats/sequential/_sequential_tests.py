"""Anytime-valid tests of two accuracies and of two mean losses on a stream."""

import math
from functools import partial

from skcompare._core.validation import is_number
from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ContingencyTable, PairedLosses
from skcompare.stats.accuracy._mcnemar import accuracy_result, check_difference
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.losses._paired_t import loss_result
from skcompare.stats.sequential._e_values import (
    BetsAgainst,
    CountBets,
    anytime_limits,
    anytime_tail,
    bound_of,
    evidence_details,
    loss_bets,
    planned_bets,
    signed_evidence,
)

LEAST_PRIOR, MOST_PRIOR = 0.2, 1e6
"""Range of the prior; outside, the integral and numbers of records lose digits."""


def _effect(
    table: ContingencyTable, *, null_value: float = 0.0, prior: float = 1.0
) -> BetsAgainst:
    return BetsAgainst(count_bets(table, prior), check_difference(null_value))


@paired_test(
    "anytime_mcnemar",
    title="anytime-valid McNemar test",
    measures="accuracy",
    references=("Ville1939", "Robbins1970", "Howard2021", "WaudbySmith2024"),
    sample_size=planned(_effect),
)
def anytime_mcnemar(
    table: ContingencyTable,
    *,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
    prior: float = 1.0,
) -> PairedResult:
    """Compare two accuracies on a stream that is looked at as often as one likes.

    The null hypothesis is that of :func:`mcnemar`: a record which exactly one of the two
    trained classifiers predicts correctly is as likely to favour either. But the table may
    grow between looks, one may look after every record, and stop when one likes: the
    probability that p is *ever* below alpha is at most alpha if the null hypothesis is
    true [1]_, and that the interval *ever* misses the difference is at most 1 less its
    level. That is paid for with about twice the records, if one looks once only;
    :func:`mcnemar` is for that.

    Parameters
    ----------
    table : ContingencyTable
        Counts of all records so far by correctness; whole numbers.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better. A one-sided test is valid for all
        differences on the other side of `null_value` too.
    null_value : float, default=0
        Difference of the accuracies under the null hypothesis. For a margin m of
        non-inferiority it is -m, with ``alternative="greater"``.
    prior : float, default=1
        Both parameters of the beta distribution of the bets, fixed before the records are
        seen, from 0.2 to 1e6. A larger value finds small differences a little sooner and
        large ones later.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion). `statistic` is the
        logarithm of the e-value, or 0 for one below 1, with the sign of the estimate minus
        the null value; `details` has the logarithm itself (`log_e_value`), and the e-value
        where a double can hold it. p is 1 / e, at most 1. The interval is one of the
        confidence sequence, the differences with an e-value of at most 1 / alpha.

    Raises
    ------
    ValueError
        If the table has fractional counts, `null_value` is not between -1 and 1, or
        `prior` is not within its range.

    See Also
    --------
    AnytimeMonitor : Keeps the results of interim analyses of a stream.
    anytime_losses : The same for losses.

    Notes
    -----
    Each record multiplies the wealth of a bettor with a share kappa on the challenger by (1
    + kappa x) / (1 + kappa d), with x = 1 if only the challenger is correct, -1 if only the
    champion is, and otherwise 0, and d the null value. This is a martingale where the
    difference is d, and for kappa > 0 a supermartingale where it is less. The e-value is
    the mean wealth for kappa = 2u - 1, with u from a beta distribution [2]_ [4]_. For equal
    accuracies it is that of the beta-binomial mixture, ::

        e = 2^(b + c) B(prior + b, prior + c) / B(prior, prior)

    for b and c discordant records, and concordant ones change nothing. A one-sided test
    takes the half of the distribution that bets on its side. The integral is computed to
    1e-12 of its size, or with many records or a large prior to 1e-15 of their number. e is
    convex in d, so that the differences that are not rejected are an interval, which holds
    the estimate and leaves out `null_value` exactly where p < alpha.

    Records must come in an order that does not depend on the predictions. The difference
    may change with time: the interval at every interim analysis then covers the mean of the
    differences of the records so far, given what came before them [3]_, and a small p says
    that at one of them this mean was not that of the null hypothesis. It is not valid for
    classifiers that are trained on the records and tested on them again.

    Without discordant pairs p is 1 for equal accuracies, flagged "degenerate"; against
    another null value there is evidence even then.

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
    """
    bets, null = _effect(table, null_value=null_value, prior=prior)
    concordant = table.n_discordant == 0
    # Nothing was won or lost; the logarithm is 0 without rounding.
    log_wealth = 0.0 if concordant and null == 0 else bets.log_wealth(null, alternative)
    names = "only_champion", "only_challenger"
    counts = {name: getattr(table, name) for name in names}
    return accuracy_result(
        table,
        signed_evidence(bets, log_wealth, null),
        anytime_tail(log_wealth),
        df=None,
        method="beta mixture of bets",
        null_value=null,
        limits=partial(anytime_limits, bets),
        flags=("degenerate",) * (concordant and null == 0)
        + ("no-discordant-pairs",) * concordant,
        details=counts | evidence_details(log_wealth),
    )


def count_bets(table: ContingencyTable, prior: float) -> CountBets:
    """Return the bets on the records of a table."""
    if table.fractional:
        raise ValueError(
            f"anytime_mcnemar needs whole counts. Got the fractional table {table}. Pass "
            "integers, counts of records of one test set."
        )
    counts = table.only_champion, table.only_challenger, table.n
    return CountBets(*counts, check_prior(prior))


def check_prior(prior: object) -> float:
    """Check the parameter of the beta distribution of bets."""
    if is_number(prior) and LEAST_PRIOR <= prior <= MOST_PRIOR:
        return float(prior)
    raise ValueError(
        f"`prior` must be a number from {LEAST_PRIOR:g} to {MOST_PRIOR:g}. Got {prior!r}. "
        "1 bets all shares alike."
    )


def _effect_on_losses(
    losses: PairedLosses, *, bound: float | None = None, null_value: float = 0.0
) -> BetsAgainst:
    bound = bound_of(losses.loss, bound)
    null = check_gain(null_value, bound)
    return BetsAgainst(planned_bets(losses, bound, null), null)


@paired_test(
    "anytime_losses",
    title="anytime-valid test of bounded losses",
    measures=ANY_LOSS,
    references=("Ville1939", "Robbins1970", "WaudbySmith2024", "Ramdas2023"),
    sample_size=planned(_effect_on_losses),
    of_records=True,
    bounded=True,
)
def anytime_losses(
    losses: PairedLosses,
    *,
    bound: float | None = None,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Compare two mean losses on a stream that is looked at as often as one likes.

    The null hypothesis is that both trained classifiers have the same expected loss. The
    losses may grow in number between looks, one may look after every record, and stop when
    one likes: the probability that p is *ever* below alpha is at most alpha if the null
    hypothesis is true [1]_, for any number of records and any distribution within the
    bound. That is paid for with about twice the records, or more, if one looks once only;
    :func:`paired_t` is for that.

    Parameters
    ----------
    losses : PairedLosses
        Losses of all records so far. Moments are accepted too, but give less evidence, so
        that a comparison of counted records leaves this test out.
    bound : float, optional
        The most by which the two losses of a record can differ, either way, fixed before
        the records are seen. By default that of the loss: 1 for "binary_brier_loss",
        "spherical_loss" and "cost" without a matrix, and 2 for "multiclass_brier_loss" and
        "brier_score". The log loss and losses of your own have none.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better: its losses are lower. A one-sided
        test is valid for all gains on the other side of `null_value` too.
    null_value : float, default=0
        Gain under the null hypothesis, the champion's expected loss minus the challenger's.
        For a margin m of non-inferiority it is -m, with ``alternative="greater"``.

    Returns
    -------
    result : PairedResult
        `estimate` is the gain, the champion's mean loss minus the challenger's. `statistic`
        is the logarithm of the e-value, or 0 for one below 1, with the sign of the gain
        minus the null value; `details` has the logarithm itself (`log_e_value`), the
        e-value where a double can hold it, and the bound. p is 1 / e, at most 1. The
        interval is one of the confidence sequence, the gains with an e-value of at most 1 /
        alpha.

    Raises
    ------
    ValueError
        If the loss has no known bound and none is passed, a difference is beyond it, or
        `null_value` is not within it.

    See Also
    --------
    AnytimeMonitor : Keeps the results of interim analyses of a stream.
    anytime_mcnemar : The same for correct and incorrect predictions.

    Notes
    -----
    With x the champion's loss of a record minus the challenger's, R the bound and d the
    null value, each record multiplies the wealth of a bettor with a share kappa on the
    challenger by (1 + kappa x) / (1 + kappa d). This is a martingale where the gain is d,
    and for kappa > 0 a supermartingale where it is less [3]_. The e-value [4]_ is the mean
    wealth over a fixed grid of shares [2]_: plus and minus 2^(-j/4) / R for j = 1 to 64,
    with probabilities that fall as 1 / (8 + j). A one-sided test takes the half of the grid
    on its side. Any fixed grid is valid. This one loses about 1 % of the best share's
    growth, and as it is uniform in the logarithm, its cost hardly grows with the records.

    The wealth does not depend on the order of the records, and its logarithm adds up over
    shards. For moments it is the lower bound from the sums of x and of x², ::

        kappa sum(x) + (log(1 - |kappa R|) + |kappa R|) sum(x²) / R²

    which is valid too, and the closer the smaller the share of the bound that is bet [5]_:
    a small difference of many records loses a few percent of its logarithm, and a large one
    half.

    The e-value is convex in d, so that the gains that are not rejected are an interval,
    which holds the estimate and leaves out `null_value` exactly where p < alpha.

    Records must come in an order that does not depend on the losses. The gain may change
    with time: the interval at every interim analysis then covers the mean of the gains of
    the records so far, given what came before them, and a small p says that at one of them
    this mean was not that of the null hypothesis.

    Moments do not show whether every record was within the bound: this is assumed.

    The number of records that a report states has its power within 3 points where the
    records are kept, or up to ten more where a few dozen records decide. For moments it
    takes the differences as normal; for skewed ones it may be off by more.

    If all differences are 0, p is 1 for equal losses, flagged "degenerate"; against another
    null value there is evidence even then.

    References
    ----------
    .. [1] Ville, J. (1939). "Étude critique de la notion de collectif." Gauthier-Villars.
    .. [2] Robbins, H. (1970). "Statistical methods related to the law of the iterated
       logarithm." Annals of Mathematical Statistics 41(5), 1397-1409.
    .. [3] Waudby-Smith, I. and Ramdas, A. (2024). "Estimating means of bounded random
       variables by betting." Journal of the Royal Statistical Society B 86(1), 1-27.
    .. [4] Ramdas, A., Grünwald, P., Vovk, V. and Shafer, G. (2023). "Game-theoretic
       statistics and safe anytime-valid inference." Statistical Science 38(4), 576-601.
    .. [5] Fan, X., Grama, I. and Liu, Q. (2015). "Exponential inequalities for martingales
       with applications." Electronic Journal of Probability 20(1), 1-22.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import anytime_losses
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=500)
    >>> old = np.clip(0.3 + 0.4 * y + 0.2 * rng.normal(size=500), 0, 1)
    >>> new = np.clip(0.2 + 0.6 * y + 0.2 * rng.normal(size=500), 0, 1)
    >>> result = anytime_losses(PairedLosses.from_predictions(y, old, new))
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.1e}")
    0.063, p = 2.9e-08
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.3f}, {high:.3f}]")
    [0.037, 0.090]
    """
    bound = bound_of(losses.loss, bound)
    null = check_gain(null_value, bound)
    bets = loss_bets(losses, bound)
    no_gain = losses.moments.no_gain and not bets.growth.any()
    log_wealth = 0.0 if no_gain and null == 0 else bets.log_wealth(null, alternative)
    pvalue, log_pvalue = anytime_tail(log_wealth)
    return loss_result(
        losses,
        statistic=signed_evidence(bets, log_wealth, null),
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=None,
        method=f"bets on {'moments' if losses.values is None else 'records'}",
        null_value=null,
        limits=partial(anytime_limits, bets),
        flags=("degenerate",) * (no_gain and null == 0),
        details=evidence_details(log_wealth) | {"bound": bound},
    )


def check_gain(null_value: object, bound: float) -> float:
    """Check that the hypothesized gain is within the bound."""
    if is_number(null_value) and math.isfinite(null_value) and abs(null_value) < bound:
        return float(null_value)
    raise ValueError(
        f"`null_value` must be a gain in mean loss between -{bound:g} and {bound:g}. Got "
        f"{null_value!r} instead. A margin of 0.01 is null_value=-0.01 with "
        "alternative='greater'."
    )
