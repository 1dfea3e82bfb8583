"""Anytime-valid tests of accuracies and of mean losses on a stream, and their monitor."""

import math
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from skcompare._core.design import HOLDOUT, TIME_ORDERED_HOLDOUT
from skcompare._core.formatting import (
    decimals_for,
    format_interval,
    format_number,
    format_pvalue,
)
from skcompare._core.store import FileFormat
from skcompare._core.validation import (
    alpha_of,
    check_alternative,
    check_choice,
    check_confidence_level,
    is_number,
)
from skcompare._io.columns import frame_from_columns
from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ContingencyTable, PairedLosses
from skcompare.stats.accuracy._mcnemar import (
    accuracy_result,
    check_difference,
    discordant_counts,
)
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import (
    ConfidenceInterval,
    PairedResult,
    agreeing,
    check_null,
)
from skcompare.stats.losses._paired_t import loss_result
from skcompare.stats.sequential._e_values import (
    SHARES,
    BetsAgainst,
    CountBets,
    GridBets,
    anytime_limits,
    anytime_tail,
    bound_of,
    loss_bets,
    planned_bets,
)

LEAST_PRIOR, MOST_PRIOR = 0.2, 1e6
"""Range of the prior; outside, the integral and numbers of records lose digits."""


def _effect(
    table: ContingencyTable, *, null_value: float = 0.0, prior: float = 1.0
) -> BetsAgainst:
    return BetsAgainst(count_bets(table, prior), check_difference(null_value))


@paired_test(
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
    """Compare two accuracies on a stream, with any number of interim analyses.

    The null hypothesis is that of :func:`mcnemar`: a record that exactly one of the two
    trained classifiers predicts correctly is equally likely to favour either. But the table
    may grow between looks, with any number of looks and at any stopping time: the
    probability that p is *ever* below alpha is at most alpha if the null hypothesis is true
    [1]_, and that the interval *ever* misses the difference is at most 1 minus its level.
    For a single look it needs about twice the records of :func:`mcnemar`, which is
    preferable then.

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

    Records must come in an order that does not depend on the predictions. They may depend
    on earlier ones, if the expected difference of each record, given all before it, is that
    of the null hypothesis; the share of discordant records may thus drift. The difference
    itself may change with time: the interval at every interim analysis then covers the mean
    of the differences of the records so far, given what came before them [3]_, and a small
    p says that at one of them this mean was not that of the null hypothesis. So classifiers
    that are equally accurate in the long run, but take turns to be better for a while, are
    rejected: in 31 % of streams of 5000 records where the one that is better has an
    autocorrelation of 0.8, and in 89 % with one of 0.95
    (``benchmarks/validity/time/streams.py``). If that is not the question, take batches as
    the unit of :class:`AnytimeMonitor`. The test is not valid for classifiers that are
    trained on the records and tested on them again.

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
    against = _effect(table, null_value=null_value, prior=prior)
    nothing = table.n_discordant == 0 == against.null
    tested, limits, details = against.outcome(alternative, nothing)
    return accuracy_result(
        table,
        tested,
        method="beta mixture of bets",
        null=against.null,
        limits=limits,
        details=discordant_counts(table) | details,
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
        "1 bets on all shares equally."
    )


def _effect_on_losses(
    losses: PairedLosses, *, bound: float | None = None, null_value: float = 0.0
) -> BetsAgainst:
    bound = bound_of(losses.loss, bound)
    null = check_gain(null_value, bound)
    return BetsAgainst(planned_bets(losses, bound, null), null)


@paired_test(
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
    """Compare two mean losses on a stream, with any number of interim analyses.

    The null hypothesis is that both trained classifiers have the same expected loss. The
    number of losses may grow between looks, with any number of looks and at any stopping
    time: the probability that p is *ever* below alpha is at most alpha if the null
    hypothesis is true [1]_, for any number of records and any distribution within the
    bound. For a single look it needs about twice the records of :func:`paired_t`, or more,
    which is preferable then.

    Parameters
    ----------
    losses : PairedLosses
        Losses of all records so far. Moments are accepted too, but give less evidence, so
        that a comparison of counted records leaves this test out.
    bound : float, optional
        The most by which the two losses of a record can differ, either way, fixed before
        the records are seen. By default that of the loss: 1 for "binary_brier_loss",
        "spherical_loss", "cost_weighted_loss" without a matrix and "miscoverage_loss", and
        2 for "multiclass_brier_loss" and "brier_score". The log loss, errors of predicted
        numbers and losses of your own have none. Where targets and predictions are always
        within a range of width w, absolute errors differ by at most w, squared ones by w²,
        and pinball losses by w times the greater of their `alpha` and ``1 - alpha``.
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
        `null_value` is not within it; or if the loss is relative to the targets, as that of
        R² is, which changes as records come.

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

    Records must come in an order that does not depend on the losses. They may depend on
    earlier ones, if the expected gain of each record, given all before it, is that of the
    null hypothesis. The gain may change with time: the interval at every interim analysis
    then covers the mean of the gains of the records so far, given what came before them,
    and a small p says that at one of them this mean was not that of the null hypothesis.
    Models that are equally good in the long run, and take turns to be better, are rejected
    in up to most streams, see :func:`anytime_mcnemar`: take batches as the unit of
    :class:`AnytimeMonitor` then.

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
    nothing = losses.moments.no_gain and not bets.growth.any() and null == 0
    tested, limits, details = BetsAgainst(bets, null).outcome(alternative, nothing)
    return loss_result(
        losses,
        tested=tested,
        method=f"bets on {'moments' if losses.values is None else 'records'}",
        limits=limits,
        details=details | {"bound": bound},
    )


check_gain = partial(check_null, what="a gain in mean loss", margin=0.01)


TOO_MUCH = 1e-9
"""Tolerance of the logarithm of gains beyond what is possible, per record."""


def stored_looks(rows: Any) -> list[list[Any]]:
    """Validate and return interim analyses read from a file."""
    looks, previous = [_numbers(row, len(AnytimeLook._fields)) for row in rows], 0
    for n, _, low, high, pvalue, log_pvalue in looks:
        if not (previous < n and low <= high and 0 < pvalue <= 1 and log_pvalue <= 0):
            raise ValueError("no stream has its looks")
        previous = n
    return looks


def stored_bets(values: Any, prior: float | None, bound: float | None) -> Any:
    """Validate and return stored bets, on counts if there is a prior, else on losses."""
    if prior is not None:
        _numbers(values.values(), 4)
        counts = CountBets(**values)
        b, c = counts.only_champion, counts.only_challenger
        possible = min(b, c) >= 0 and b + c <= counts.n and counts.prior == prior
        bets: CountBets | GridBets = counts
    else:
        growth = np.array(_numbers(values.pop("growth"), len(SHARES)))
        _numbers(values.values(), 4)
        bets = grid = GridBets(**values, growth=growth)
        share = grid.mean / grid.bound
        possible = grid.n > 0 and grid.bound == bound and abs(share) <= 1 + TOO_MUCH
        # By Jensen's inequality no records with this mean gain more.
        most = grid.n * np.log1p(SHARES * max(-1.0, min(1.0, share)))
        possible = possible and bool((growth <= most + TOO_MUCH * (1 + grid.n)).all())
    if not possible:
        raise ValueError("no stream has its records")
    return bets


def stored_names(values: Any, count: int) -> tuple[str | None, ...]:
    """Validate and return the names of batches read from a file."""
    names = [name for name in values if name is not None]
    repeated = len(set(names)) < len(names)
    if len(values) != count or repeated or not all(isinstance(n, str) for n in names):
        raise ValueError("no stream has the names of its batches")
    return tuple(values)


def mean_of_batch(batch: ContingencyTable | PairedLosses) -> PairedLosses:
    """Return the mean losses of a batch as those of one record.

    Those of a table are the shares of incorrect predictions.
    """
    if isinstance(batch, ContingencyTable):
        wrong = np.array([batch.only_challenger, batch.only_champion]) + batch.both_wrong
        return PairedLosses.from_losses(*wrong[:, np.newaxis] / batch.n, loss=ZERO_ONE)
    means = np.array(batch.means)[:, np.newaxis]
    return PairedLosses.from_losses(*means, loss=batch.loss)


def _numbers(values: Any, count: int) -> list[Any]:
    """Return the values as a list; check for `count` finite numbers."""
    numbers = list(values)
    if len(numbers) != count or not all(is_number(v) and math.isfinite(v) for v in numbers):
        raise ValueError(f"it has {numbers!r:.60} where {count} numbers are")
    return numbers


ZERO_ONE = "zero_one_loss"
"""Name of the loss of batches of tables."""

RECORD, BATCH = UNITS = "record", "batch"
"""Units of a stream."""

HOLDOUTS = (HOLDOUT.kind, TIME_ORDERED_HOLDOUT.kind)
"""Kinds of designs of records that no model was trained on."""

NEEDS: dict[str, type] = {
    "anytime_mcnemar": ContingencyTable,
    "anytime_losses": PairedLosses,
}
FILE = FileFormat("skcompare.anytime_monitor", "an AnytimeMonitor", "`save` writes")


class AnytimeLook(NamedTuple):
    """Result of a single interim analysis of a stream.

    Parameters
    ----------
    n : int
        Number of records, or of batches if these are the units, up to this look.
    estimate, low, high : float
        Their mean difference, and its interval.
    pvalue, log_pvalue : float
        P-value of this look; a later one may be larger.
    """

    n: int
    estimate: float
    low: float
    high: float
    pvalue: float
    log_pvalue: float


class AnytimeMonitor:
    """Monitor of a stream of records, tested until the evidence is sufficient.

    Each batch of new records is an interim analysis, or look. The smallest p-value of all
    looks so far is valid, and so is the intersection of their intervals, for any number of
    looks and any time of stopping. Records are not kept, only the gains of bets on them: a
    few numbers, which :meth:`save` writes to a file, so that a later job can continue.

    Parameters
    ----------
    test : {"anytime_mcnemar", "anytime_losses"}, default="anytime_mcnemar"
        Accuracy, from batches of ContingencyTable, or losses, from those of PairedLosses.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    null_value : float, default=0
        Difference, or gain, under the null hypothesis.
    confidence_level : float, default=0.95
        Level of all intervals; `decided` says whether p is below 1 minus this level.
    prior : float, optional
        As for :func:`anytime_mcnemar`; 1 by default.
    bound : float, optional
        As for :func:`anytime_losses`; by default that of the loss of the first batch. With
        batches as units it is the most by which the two mean losses of a batch can differ.
    unit : {"record", "batch"}, default="record"
        Whether each record is a step of the test, or the mean of each batch. "batch" needs
        ``test="anytime_losses"``, which then takes batches of ContingencyTable too.

    Attributes
    ----------
    history : tuple of AnytimeLook
        All looks, each by itself.
    names : tuple of str or None
        Names of their batches.

    Raises
    ------
    ValueError
        If an option does not belong to the test.

    See Also
    --------
    anytime_mcnemar, anytime_losses : The tests, with their assumptions.

    Notes
    -----
    The intersection of the intervals assumes that the difference stays the same. If it
    changes, the interval of each look still covers the mean of the differences of the
    records so far, at all looks together, and the intersection may become empty: it is
    (NaN, NaN) then, and `flags` has "empty-intersection".

    Records of one day are often alike: the model that was better in the last hundred
    records is likely to be so in the next ones, even if both are equally good in the long
    run. A test of records then rejects too often. With ``unit="batch"`` only the mean gains
    of batches, such as days, need be unpredictable, and records of a batch may depend on
    each other, or come in groups or in the order of time. All batches count alike, whatever
    their sizes. With a fifth of discordant records whose sign has an autocorrelation of
    0.95, single records reject equal models in 89 % of streams of 5000 records, batches of
    20 in 2.4 %, and of 100 in 0.1 %; with 0.99 all, 41 %, and 8 %: a batch must be longer
    than the dependence. It costs records, the more the further the bound is beyond what a
    batch gains: a difference of 0.04 is found in 1300 records one by one, in 61 batches of
    100 with a bound of 0.3, and in 190 with a bound of 1
    (``benchmarks/validity/time/streams.py``).

    References
    ----------
    Howard, S. R., Ramdas, A., McAuliffe, J. and Sekhon, J. (2021). "Time-uniform,
    nonparametric, nonasymptotic confidence sequences." Annals of Statistics 49(2),
    1055-1080.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import AnytimeMonitor
    >>> monitor = AnytimeMonitor(alternative="greater")
    >>> for counts in [(80, 3, 9, 8), (84, 2, 10, 4), (79, 4, 12, 5)]:
    ...     look = monitor.update(ContingencyTable(*counts))
    ...     print(f"{look.n} records, {look.estimate:+.3f}, p = {monitor.pvalue:.4f}")
    100 records, +0.060, p = 0.3660
    200 records, +0.070, p = 0.0317
    300 records, +0.073, p = 0.0051
    >>> monitor.decided
    True
    """

    def __init__(
        self,
        test: str = "anytime_mcnemar",
        *,
        alternative: str = "two-sided",
        null_value: float = 0.0,
        confidence_level: float = 0.95,
        prior: float | None = None,
        bound: float | None = None,
        unit: str = RECORD,
    ) -> None:
        self.unit = check_choice("unit", unit, UNITS)
        if unit == BATCH and test == "anytime_mcnemar":
            raise ValueError(
                "anytime_mcnemar counts records. Got unit='batch'. Pass "
                "test='anytime_losses', which takes batches of ContingencyTable too."
            )
        self.test = check_choice("test", test, list(NEEDS))
        self.alternative = check_alternative(alternative)
        self.confidence_level = check_confidence_level(confidence_level)
        of_counts = test == "anytime_mcnemar"
        foreign = ("bound", bound) if of_counts else ("prior", prior)
        if foreign[1] is not None:
            raise ValueError(
                f"{test} takes no `{foreign[0]}`. Got {foreign[1]!r}. Leave it out."
            )
        if of_counts:
            prior = check_prior(1.0 if prior is None else prior)
            null_value = check_difference(null_value)
        else:
            bound = None if bound is None else bound_of("", bound)
            null_value = check_gain(null_value, math.inf if bound is None else bound)
        self.null_value, self.prior, self.bound = null_value, prior, bound
        self.loss: str | None = None
        self.history: tuple[AnytimeLook, ...] = ()
        self.names: tuple[str | None, ...] = ()
        self._bets: CountBets | GridBets | None = None

    def __repr__(self) -> str:
        return f"AnytimeMonitor({self.test!r}, n={self.n}, looks={len(self.history)})"

    def __str__(self) -> str:
        if not self.history:
            return f"{self.test}, no records yet"
        low, high = self.confidence_interval()
        reached = "decided" if self.decided else "not decided"
        # As many decimals as the unit of the loss needs.
        decimals = decimals_for(self.estimate, low, high, least=4)
        estimate = format_number(self.estimate, decimals, signed=True)
        limits = format_interval((low, high), decimals)
        lines = [
            f"{self.test}, {self.alternative}, {self._units}, "
            f"{len(self.history)} looks: {reached}",
            f"estimate {estimate}, {100 * self.confidence_level:g} % interval "
            f"of all looks {limits}",
            f"p {format_pvalue(self.pvalue)} for a null value of {self.null_value:g}, "
            "at any time",
        ]
        return "\n".join(lines + [f"flag {flag}" for flag in self.flags])

    @property
    def _units(self) -> str:
        of_one = {RECORD: "records", BATCH: "batches"}
        return f"{self.n} {self.unit if self.n == 1 else of_one[self.unit]}"

    @property
    def n(self) -> int:
        """Number of records, or of batches if these are the units, so far."""
        return self.history[-1].n if self.history else 0

    @property
    def estimate(self) -> float:
        """Mean difference of all records so far.

        Raises
        ------
        ValueError
            Before the first batch.
        """
        return self._last.estimate

    @property
    def pvalue(self) -> float:
        """Smallest p-value of all looks; 1 before the first look."""
        return min((look.pvalue for look in self.history), default=1.0)

    @property
    def log_pvalue(self) -> float:
        """Logarithm of the smallest p-value; 0 before the first look."""
        return min((look.log_pvalue for look in self.history), default=0.0)

    @property
    def decided(self) -> bool:
        """Whether the null value is rejected at 1 minus the confidence level."""
        return self.pvalue < alpha_of(self.confidence_level)

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of caveats."""
        low, high = self._intersection()
        return ("empty-intersection",) if low > high else ()

    def confidence_interval(self) -> ConfidenceInterval:
        """Return the intersection of the intervals of all looks.

        Raises
        ------
        ValueError
            Before the first batch.
        """
        self._last  # noqa: B018 - raises an error without records
        low, high = self._intersection()
        if low > high:
            return ConfidenceInterval(math.nan, math.nan)
        return ConfidenceInterval(low, high)

    def update(
        self, batch: ContingencyTable | PairedLosses, *, name: str | None = None
    ) -> AnytimeLook:
        """Add new records and analyse all records so far.

        Parameters
        ----------
        batch : ContingencyTable or PairedLosses
            Evidence of records that were not in an earlier batch.
        name : str, optional
            Name of the batch, such as its day. A name is taken once, so that a job which is
            repeated by mistake counts no records twice.

        Returns
        -------
        look : AnytimeLook
            Result for all records so far, by itself.

        Raises
        ------
        TypeError
            If the evidence is not what the test needs.
        ValueError
            If it is not of a hold-out, of another loss than before, or beyond its bound, or
            if a batch of this name was added before. The monitor then stays as it was.
        """
        batch = self._checked(batch, name)
        bets, settled = self._bets_on(batch)
        total: Any = bets if self._bets is None else self._bets + bets  # type: ignore[operator]
        look = self._look(total, settled.get("null_value", self.null_value))
        for setting, value in settled.items():
            setattr(self, setting, value)
        self._bets = total
        self.history = (*self.history, look)
        self.names = (*self.names, name)
        return look

    def _checked(self, batch: Any, name: Any) -> ContingencyTable | PairedLosses:
        """Check a batch and its name, and return it, or its mean if it is the unit."""
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be text. Got {type(name).__name__}.")
        if name is not None and name in self.names:
            look = self.history[self.names.index(name)]
            raise ValueError(
                f"The batch {name!r} was added before, up to {look.n} {self.unit}s. Add "
                "each one once, or give another one its own name."
            )
        of_batch = self.unit == BATCH
        needs: Any = NEEDS[self.test]
        if not isinstance(batch, (needs, ContingencyTable) if of_batch else needs):
            raise TypeError(
                f"{self.test} needs batches of {needs.__name__}. Got "
                f"{type(batch).__name__}."
            )
        if batch.design.kind not in HOLDOUTS or (
            not of_batch and batch.design.name != HOLDOUT.name
        ):
            raise ValueError(
                "A stream must be of independent records that no classifier was trained "
                f"on, of the design 'holdout'. Got {batch.design.name!r}. Dependent "
                "records of a hold-out may be in one batch, with unit='batch'."
            )
        return mean_of_batch(batch) if of_batch else batch

    def _bets_on(self, batch: Any) -> tuple[CountBets | GridBets, dict[str, Any]]:
        """Return the bets on a batch, and the settings implied by its loss."""
        if isinstance(batch, ContingencyTable):
            return count_bets(batch, float(self.prior or 1.0)), {}
        if self.loss not in (None, batch.loss):
            raise ValueError(
                f"The records so far have the loss {self.loss!r}. Got {batch.loss!r}. "
                "Monitor one loss at a time."
            )
        is_share = self.unit == BATCH and batch.loss == ZERO_ONE and self.bound is None
        bound = 1.0 if is_share else bound_of(batch.loss, self.bound)
        null = check_gain(self.null_value, bound)
        settled = {"loss": batch.loss, "bound": bound, "null_value": null}
        return loss_bets(batch, bound), settled

    def _look(self, bets: CountBets | GridBets, null: float) -> AnytimeLook:
        pvalue, log_pvalue = anytime_tail(bets.log_wealth(null, self.alternative))
        level = self.confidence_level
        limits = anytime_limits(bets, level, self.alternative)
        # Rounding only could have the null value on the other side of a limit.
        limits = agreeing(*limits, null, pvalue < alpha_of(level), bets.mean > null)
        return AnytimeLook(int(bets.n), bets.mean, *limits, pvalue, log_pvalue)

    @property
    def _last(self) -> AnytimeLook:
        if not self.history:
            raise ValueError(
                "The monitor has seen no records, so there is no estimate and no "
                "interval. Call `update` with the first batch."
            )
        return self.history[-1]

    def _intersection(self) -> tuple[float, float]:
        low = max((look.low for look in self.history), default=-math.inf)
        return low, min((look.high for look in self.history), default=math.inf)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return a data frame with one row per look and the fields of `AnytimeLook`."""
        columns = zip(*self.history, strict=True) if self.history else [()] * 6
        fields = zip(AnytimeLook._fields, columns, strict=True)
        return frame_from_columns({name: list(values) for name, values in fields}, backend)

    def save(self, path: Any) -> None:
        """Save the monitor to a file atomically.

        Parameters
        ----------
        path : str or path-like
            A file that ends in ``.npz``, or in ``.json`` to be read by people and other
            programs. One that exists is replaced when the new one is complete and on disk.

        Raises
        ------
        ValueError
            If the path has another ending.
        OSError
            If the file cannot be written; an existing one is kept.
        """
        bets = None if self._bets is None else asdict(self._bets)
        if bets is not None and "growth" in bets:
            del bets["swings"]  # used for planning only
        content = {
            "settings": {name: getattr(self, name) for name in _SETTINGS},
            "loss": self.loss,
            "bets": bets,
            "names": list(self.names),
            "history": [[*look] for look in self.history],
        }
        FILE.write(path, content)

    @classmethod
    def load(cls, path: Any) -> Self:
        """Read a monitor written by :meth:`save`, to be continued unchanged.

        Raises
        ------
        ValueError
            If the file is damaged, of a later version, or not a file of a monitor.
        FileNotFoundError
            If there is no such file.
        """
        return FILE.read(path, cls._restored)

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> Self:
        monitor = cls(**stored["settings"])
        looks = stored_looks(stored["history"])
        monitor.history = tuple(AnytimeLook(*look) for look in looks)
        monitor.loss, bets = stored["loss"], stored["bets"]
        # Older files have no names.
        monitor.names = stored_names(stored.get("names", [None] * len(looks)), len(looks))
        if (bets is None) != (not monitor.history):
            raise ValueError("its looks and its records are not of one stream")
        if bets is not None:
            monitor._bets = restored = stored_bets(bets, monitor.prior, monitor.bound)
            if (restored.n, restored.mean) != (monitor.n, monitor.estimate):
                raise ValueError("its looks and its records are not of one stream")
        return monitor


_SETTINGS = (
    "test",
    "alternative",
    "null_value",
    "confidence_level",
    "prior",
    "bound",
    "unit",
)
