"""Relative reduction of a mean loss, by the jackknife or with Fieller's interval."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from skcompare._core.formatting import format_interval
from skcompare._core.validation import is_number
from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import PairedLosses, degrees_of_freedom
from skcompare.stats.core._limits import (
    RATIO,
    Limits,
    Pair,
    SkewedWald,
    Wald,
    any_ratio,
    critical_value,
    one_sided,
    ratio_of,
    studentised,
)
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import UNDEFINED, PairedResult, Tested, few_groups
from skcompare.stats.losses._paired_t import (
    check_records,
    gain_of_groups,
    gain_of_records,
    loss_result,
    loss_title,
)

Method = Literal["auto", "jackknife", "fieller"]

FEWEST_LEFT_OUT, MOST_LEFT_OUT = 10, 100_000
"""Fewest records or groups that are left out one by one, and most by "auto"."""

SAME_RATIO = 1e-12
"""Standard error of the logarithm of a ratio that is only rounding."""

ZERO_LOSS, NEGATIVE_LOSS = "zero-loss", "negative-loss"


@dataclass(frozen=True, slots=True)
class MeanLosses:
    """Two mean losses, and the variances and covariance of these means.

    The ratio is that of the champion's mean loss to the challenger's, r; the relative
    reduction is 1 - 1 / r.

    Attributes
    ----------
    champion, challenger, gain : float
        The mean losses, and the first minus the second.
    of_champion, of_challenger, of_gain, shared : float
        Variances of the three, and the covariance of the gain with the challenger's loss.
    df : int
        Degrees of freedom of the variances.
    """

    champion: float
    challenger: float
    gain: float
    of_champion: float
    of_challenger: float
    of_gain: float
    shared: float
    df: int

    @classmethod
    def of_records(cls, losses: PairedLosses) -> "MeanLosses":
        """Compute the moments of losses of independent records."""
        moments, n, gain = losses.moments, losses.n, gain_of_records(losses)
        scale = n * (n - 1)
        shared = (moments.products - moments.challenger_squares) / scale
        return cls(
            *losses.means,
            gain.estimate,
            moments.champion_squares / scale,
            moments.challenger_squares / scale,
            gain.error**2,
            shared,
            n - 1,
        )

    @classmethod
    def of_groups(cls, losses: PairedLosses) -> "MeanLosses":
        """Compute the moments of sums of losses in groups of records."""
        groups = losses.groups
        assert groups is not None
        assert groups.codes is not None
        k, n = groups.n_groups, losses.n
        first, second = (
            np.bincount(groups.codes, own, k) - groups.sizes * mean
            for own, mean in zip(losses.values, losses.means, strict=True)  # type: ignore[arg-type]
        )
        scale = k / (k - 1) / n**2
        gain = gain_of_groups(losses)
        return cls(
            *losses.means,
            gain.estimate,
            scale * float(first @ first),
            scale * float(second @ second),
            gain.error**2,
            scale * float((first - second) @ second),
            k - 1,
        )

    @property
    def ratio(self) -> float:
        """Champion's mean loss over the challenger's: infinite, 0, or NaN for 0 / 0."""
        return ratio_of(self.champion, self.challenger)

    def tested(self, null: float, alternative: str) -> Tested:
        """Test that the ratio is `null`."""
        beyond = null - 1
        variance = self.of_gain - 2 * beyond * self.shared + beyond**2 * self.of_challenger
        distance = self.gain - beyond * self.challenger
        return studentised(distance, math.sqrt(max(0.0, variance)), self.df, alternative)

    def fieller_limits(self, confidence_level: float, alternative: str) -> Pair:
        """Ratios that the t test of champion - ratio * challenger does not reject.

        With the ratio 1 + d they are the solutions of a d² - 2 b d + c <= 0 (Fieller 1954).
        """
        square = critical_value(confidence_level, alternative, self.df) ** 2
        a = self.challenger**2 - square * self.of_challenger
        b = self.gain * self.challenger - square * self.shared
        c = self.gain**2 - square * self.of_gain
        root = b * b - a * c
        if root <= 0 and a <= 0:
            return RATIO
        # The two solutions without cancellation; c / a is their product.
        larger = b + math.copysign(math.sqrt(max(0.0, root)), b)
        solutions = [c / larger if larger else 0.0, larger / a if a else math.inf]
        low, high = (1 + d for d in sorted(solutions))
        if a <= 0:
            # All but what is between them; the part with the estimate is the interval.
            low, high = (high, math.inf) if self.ratio >= high else (0.0, low)
        return one_sided(low, high, alternative, RATIO)


def left_out(losses: PairedLosses) -> SkewedWald | None:
    """Logarithm of the ratio by leaving out one record or group at a time.

    None without the losses of all records, or where the ratio is undefined without one of
    them or does not vary.

    With k units and the logarithm l, and l_i without unit i, the bias-corrected estimate is
    k l - (k - 1) mean(l_i) and its variance (k - 1) / k sum((l_i - mean(l_i))²).
    """
    if losses.values is None or (losses.groups is not None and losses.groups.codes is None):
        return None
    sums: FloatArray = losses.values
    if losses.groups is not None:
        codes, k = losses.groups.codes, losses.groups.n_groups
        of_groups = [np.bincount(codes, own, k) for own in losses.values]  # type: ignore[arg-type]
        sums = np.stack(of_groups).astype(np.float64)
    shares = sums / sums.sum(axis=1, keepdims=True)
    if not shares.max() < 1:
        return None
    moves = np.log1p(-shares[0]) - np.log1p(-shares[1])
    k, mean = len(moves), float(moves.mean())
    deviations = mean - moves
    squares = deviations**2
    total = float(squares.sum())
    error = math.sqrt((k - 1) / k * total)
    if error <= SAME_RATIO:
        return None
    champion, challenger = losses.means
    estimate = math.log(champion / challenger) - (k - 1) * mean
    df = degrees_of_freedom(total, float((squares**2).sum()), k)
    skewness = float((squares * deviations).sum()) / total**1.5
    return SkewedWald(Wald(estimate, error, df), skewness)


def reduction_of(champion: float, challenger: float) -> float:
    """Relative reduction of a loss: minus infinity from 0, and NaN for 0 / 0."""
    return 1 - ratio_of(challenger, champion)


def reductions(limits: Limits, confidence_level: float, alternative: str) -> Pair:
    """Limits of the reduction from those of the ratio."""
    low, high = (reduction_of(each, 1) for each in limits(confidence_level, alternative))
    return low, high


def exponentials(limits: Limits, confidence_level: float, alternative: str) -> Pair:
    """Limits of a ratio from those of its logarithm."""
    with np.errstate(over="ignore"):
        low, high = np.exp(limits(confidence_level, alternative)).tolist()
    return low, high


def _by_sign(statistic: float, df: int, confidence_level: float, alternative: str) -> Pair:
    """Limits where a mean loss is 0: which one is greater, if that is significant."""
    critical = critical_value(confidence_level, alternative, df)
    low = 1.0 if statistic > critical and alternative != "less" else 0.0
    high = 1.0 if statistic < -critical and alternative != "greater" else math.inf
    return low, high


def _remark(losses: PairedLosses, reduction: float, limits: Limits) -> str:
    """Change of the challenger's loss in percent, with its 95 % interval."""
    if not -math.inf < reduction < 1:
        return ""
    low, high = limits(0.95, "two-sided")
    word, sign = ("lower", 1) if reduction >= 0 else ("higher", -1)
    low, high = sorted([sign * low, sign * high])
    change = 100 * sign * reduction
    return (
        f"the challenger's mean {loss_title(losses.loss)} is {change:.1f} % {word}, 95 % "
        f"interval {format_interval((100 * low, 100 * high), 1, ' %')}"
    )


def check_reduction(null_value: object) -> float:
    """Validate the reduction under the null hypothesis and return it as a float."""
    if is_number(null_value) and -math.inf < null_value < 1:
        return float(null_value)
    raise ValueError(
        "`null_value` of a relative reduction must be a number below 1. Got "
        f"{null_value!r} instead. 0 means no difference, and -0.02 a loss that is 2 % "
        "larger."
    )


def _result(
    losses: PairedLosses,
    means: MeanLosses,
    null: float,
    alternative: str,
    method: Method,
    flags: tuple[str, ...] = (),
) -> PairedResult:
    reduction, ratios, df = reduction_of(*losses.means), any_ratio, float(means.df)
    at, named = 1 / (1 - null), "Fieller's t"
    tested: Tested = math.nan, UNDEFINED, ()
    if min(losses.means) < 0 or (losses.values is not None and (losses.values < 0).any()):
        reduction, flags = math.nan, (*flags, NEGATIVE_LOSS)
    elif min(losses.means) == 0:
        flags = (*flags, ZERO_LOSS)
        tested = means.tested(at, alternative)
        if null == 0 and not math.isnan(reduction):
            ratios = partial(_by_sign, tested[0], means.df)
    else:
        tested = means.tested(at, alternative)
        skewed = None
        most = MOST_LEFT_OUT if method == "auto" else math.inf
        suited = FEWEST_LEFT_OUT <= means.df + 1 <= most
        if means.of_gain > 0 and method != "fieller" and suited:
            skewed = left_out(losses)
        if skewed is not None:
            tested, named = skewed.tested(alternative, math.log(at)), "jackknife t"
            ratios = partial(exponentials, skewed.limits)
            df = float(skewed.wald.df or df)
        elif math.isfinite(tested[0]):
            ratios = means.fieller_limits
    limits = partial(reductions, ratios)
    return loss_result(
        losses,
        tested=tested,
        df=df,
        estimate=reduction,
        estimate_name=f"relative reduction of mean {loss_title(losses.loss)}",
        method=named,
        limits=limits,
        flags=flags,
        remark=_remark(losses, reduction, limits),
    )


@paired_test(
    title="Relative reduction of a mean loss",
    kind="reduction",
    measures=ANY_LOSS,
    references=("Quenouille1956", "Tukey1958", "Hall1992", "Fieller1954"),
    sample_size=planned(gain_of_records),
)
def relative_loss(
    losses: PairedLosses,
    *,
    method: Method = "auto",
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Estimate the relative reduction of a mean loss from champion to challenger.

    The null hypothesis is that the relative reduction of the expected loss of the two
    trained models, 1 - challenger / champion, is `null_value`, by default 0. A reduction
    above 0 favours the challenger: at 0.2 its loss is 20 % lower.

    Parameters
    ----------
    losses : PairedLosses
        Losses of independent records of a hold-out set, or their moments.
    method : {"auto", "jackknife", "fieller"}, default="auto"
        "jackknife" leaves out one record at a time to estimate the logarithm of the ratio
        of both losses with its standard error [1]_ [2]_, and takes the larger p-value of
        t and of t transformed for skewness [3]_. "fieller" tests the mean of the
        challenger's loss minus ``1 - null_value`` times the champion's by the t test, and
        has the reductions that are not rejected as interval [4]_: for a reduction of 0 it
        is :func:`paired_t`. It is also used for moments, which do not have all records, and
        for fewer than 10 records, among which the jackknife's correction for bias may be
        larger than the reduction. "auto" is "jackknife", but "fieller" for more than
        100 000 records, where both agree.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the reduction is above the null value, so that by default the
        challenger is better.
    null_value : float, default=0.0
        The reduction under the null hypothesis, below 1; for example -0.02 with
        ``alternative="greater"`` to show that the challenger's loss is at most 2 % larger.

    Returns
    -------
    result : PairedResult
        `estimate` is 1 minus the challenger's mean loss over the champion's, and `remark`
        has it in percent. `statistic` is the distance from the null value in standard
        errors, of "jackknife" on the logarithmic scale.

    Raises
    ------
    ValueError
        If there are fewer than 2 records, or `null_value` is not a number below 1.

    Notes
    -----
    With means A and B of the losses, k records, and l the logarithm of A / B, l_i without
    record i, the jackknife has::

        estimate = k l - (k - 1) mean(l_i)
        variance = (k - 1) / k  sum (l_i - mean(l_i))²

    Its degrees of freedom are Satterthwaite's, from the fourth powers of the deviations:
    few where few records decide. Fieller's interval has all ratios r of at least 0 with::

        (A - r B)² <= t² (var(A) - 2 r cov(A, B) + r² var(B))

    It has no end where B is not significantly above 0, which takes very few records or
    losses of a few of them only. It is also used where all losses of one model but one are
    0, or losses are proportional.

    ``python -m benchmarks.validity.regressors.number_scores --only reduction`` measures how
    often the 95 % interval of squared errors holds the true reduction, of exchangeable and
    unlike models and of normal and skewed targets (2000 draws, Monte-Carlo error 0.005): by
    "jackknife" in 0.95 to 0.97 with 50 records, and in 0.94 to 0.96 with 200 and 1000; by
    "fieller" in 0.91 to 0.97.

    If all losses of the challenger are 0 the reduction is 1, if all of the champion are it
    is minus infinity, if those of both are it is NaN, each flagged "zero-loss"; the p-value
    is that of the difference, and the limits show only which model is better. If a loss is
    below 0 a reduction has no meaning: it is NaN and p undefined, flagged "negative-loss".
    If the losses are equal, the reduction is 0, the statistic 0 and p 1, flagged
    "degenerate"; if only the difference is constant, p is undefined, flagged
    "zero-variance".

    References
    ----------
    .. [1] Quenouille, M. H. (1956). "Notes on bias in estimation." Biometrika 43(3/4),
       353-360.
    .. [2] Tukey, J. W. (1958). "Bias and confidence in not quite large samples." Annals of
       Mathematical Statistics 29(2), 614.
    .. [3] Hall, P. (1992). "On the removal of skewness by transformation." Journal of the
       Royal Statistical Society B 54(1), 221-228.
    .. [4] Fieller, E. C. (1954). "Some problems in interval estimation." Journal of the
       Royal Statistical Society B 16(2), 175-185.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import relative_loss
    >>> errors = np.random.default_rng(0).normal(size=(2, 400)) * [[1.0], [0.8]]
    >>> result = relative_loss(PairedLosses.from_losses(*errors**2))
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.estimate:.2f} [{low:.2f}, {high:.2f}], p = {result.pvalue:.4f}")
    0.35 [0.19, 0.48], p = 0.0003
    >>> print(result.remark)
    the challenger's mean loss is 34.7 % lower, 95 % interval [18.8, 47.7] %
    """
    null = check_reduction(null_value)
    check_records(losses, "relative_loss")
    means = MeanLosses.of_records(losses)
    return _result(losses, means, null, alternative, method)


@paired_test(
    title="Relative reduction of a mean loss of grouped records",
    kind="reduction",
    measures=ANY_LOSS,
    designs=("grouped holdout",),
    references=("Quenouille1956", "Tukey1958", "Hall1992", "Fieller1954", "Liang1986"),
    sample_size=planned(gain_of_groups),
    of_records=True,
)
def clustered_relative_loss(
    losses: PairedLosses,
    *,
    method: Method = "auto",
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Estimate the relative reduction of a mean loss, for grouped records.

    The null hypothesis is that of :func:`relative_loss`, for the records of new groups.
    Records of one group may depend on each other in any way; groups are independent. Whole
    groups are left out, and variances are those between groups [1]_.

    Parameters
    ----------
    losses : PairedLosses
        Losses of a hold-out set with the groups of its records; moments are not enough.
    method : {"auto", "jackknife", "fieller"}, default="auto"
        As for :func:`relative_loss`; for a reduction of 0 "fieller" is :func:`clustered_t`
        with its method "t".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the reduction is above the null value, so that by default the
        challenger is better.
    null_value : float, default=0.0
        The reduction under the null hypothesis, below 1.

    Returns
    -------
    result : PairedResult
        As of :func:`relative_loss`, with G - 1 degrees of freedom at most for G groups.

    Raises
    ------
    ValueError
        If there are fewer than two groups, the losses were reduced to their moments, or
        `null_value` is not a number below 1.

    Notes
    -----
    Edges and flags are those of :func:`relative_loss`. With fewer than 10 groups the result
    is flagged "few-groups": t rejects too often for few groups of unequal size.

    References
    ----------
    .. [1] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import clustered_relative_loss
    >>> losses = PairedLosses.from_losses(
    ...     champion=[0.3, 0.5, 0.2, 0.6, 0.4, 0.7],
    ...     challenger=[0.2, 0.3, 0.3, 0.2, 0.3, 0.5],
    ...     groups=["ann", "ann", "bob", "cid", "cid", "dan"],
    ... )
    >>> result = clustered_relative_loss(losses, method="fieller")
    >>> print(f"{result.estimate:.2f}, t = {result.statistic:.2f}, p = {result.pvalue:.3f}")
    0.33, t = 2.41, p = 0.095
    """
    null = check_reduction(null_value)
    groups = losses.groups
    if groups is None or groups.n_groups < 2:
        raise ValueError(
            "clustered_relative_loss needs records of at least 2 groups. Got "
            f"{'no groups' if groups is None else '1 group'}. Pass `groups`, the group of "
            "each record, or use relative_loss for independent records."
        )
    if losses.values is None or groups.codes is None:
        raise ValueError(
            "clustered_relative_loss needs the losses of all records with their groups, "
            "and these were reduced to their moments. Keep them by keep_values=True, or "
            "use clustered_t."
        )
    means, flags = MeanLosses.of_groups(losses), few_groups(groups.n_groups)
    return _result(losses, means, null, alternative, method, flags)
