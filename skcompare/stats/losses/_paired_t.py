"""T tests and permutation tests of paired losses, of records and of groups."""

import math
from typing import Any, Literal

import numpy as np

from skcompare._core.validation import check_count
from skcompare._registry.metrics import record_losses
from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import PairedLosses
from skcompare.stats.core._limits import Limits, Wald
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult, few_groups, tested_result
from skcompare.stats.core._sign_flip import FlippedSums, flipped_sums, limits_of
from skcompare.stats.core._tails import error_of_draws


def check_records(losses: PairedLosses, test: str) -> None:
    """Raise an error if there are too few records."""
    if losses.n < 2:
        raise ValueError(
            f"{test} needs at least 2 records. Got {losses.n}. One record says nothing "
            "about how others vary: collect more."
        )


def gain_of(losses: PairedLosses, error: float, df: float) -> Wald:
    """Gain with its standard error; a gain of only rounding error is 0."""
    no_gain = losses.moments.no_gain and error == 0
    return Wald(0.0 if no_gain else losses.gain, error, df)


def gain_of_records(losses: PairedLosses, **options: object) -> Wald:
    """Gain with its standard error for independent records."""
    error = losses.moments.gain_deviation / math.sqrt(losses.n)
    return gain_of(losses, error, losses.n - 1)


FEW_DEGREES = 0.4
"""Degrees of freedom of a sum of squares that one record makes alone.

Chosen by `benchmarks/validity/regressors/holdout.py`, so that of data sets with equal mean
losses about 6 % have a two-sided p-value below 0.05 by t with these degrees of freedom,
whatever the tails.
"""

ONE_SIDED_DEGREES = 0.25
"""The same for one-sided tests of a gate, whose errors are all on one side."""

LEVEL = 0.05
"""Level at which a result is flagged that is significant only without the allowance."""


def few_records_df(share: float, units: float, of_one: float = FEW_DEGREES) -> float:
    """Degrees of freedom that allow for a few records or groups which decide.

    Where one of n units has much of the sum of squares, a sample without it, or with two
    of them, would have another mean and another variance: t needs fewer degrees of freedom.
    They are those of one record (`of_one`) over the largest share less 2 log(n) / n, which
    is about that of the largest of n normal differences; infinite for shares up to that.
    """
    beyond = share - 2 * math.log(units) / units
    return max(1.0, of_one / beyond) if beyond > 0 else math.inf


def largest_share(
    losses: PairedLosses,
    share: float,
    units: float,
    gain: Wald,
    pvalue: float,
    alternative: str,
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Share of the largest record or group, the p-value that allows for it, and a flag.

    The flag shows that the p-value is significant without that allowance only. Other losses
    than those of predicted numbers have a bound, or a name that says how they are
    distributed, and no such detail; nor have sums without their extremes.
    """
    if not losses.of_numbers or math.isnan(share):
        return {}, ()
    few = gain.with_df(few_records_df(share, units))
    allowed = max(pvalue, few.fields(alternative)["tested"][1][0])
    details = {"largest_share": share, "few_records_pvalue": allowed}
    return details, ("decided-by-few-records",) * (pvalue < LEVEL <= allowed)


def without_noise(values: FloatArray, noise: FloatArray | float) -> FloatArray:
    """Return the values, or zeros if all of them are only rounding errors."""
    return np.zeros_like(values) if (np.abs(values) <= noise).all() else values


def loss_result(
    losses: PairedLosses, *, flags: tuple[str, ...] = (), **fields: Any
) -> PairedResult:
    """Return the result of a test of two mean losses, with `fields` as its other fields."""
    name = f"gain in mean {loss_title(losses.loss)}"
    own: dict[str, Any] = {"estimate": losses.gain, "estimate_name": name}
    return tested_result(
        **own | fields,
        roles=losses.means,
        greater_is_better=False,
        flags=(*flags, *losses.flags),
    )


def loss_title(loss: str) -> str:
    """Title of a loss, with its options."""
    name, bracket, options = loss.partition("(")
    entry = record_losses().get(name)
    if entry is not None:
        return f"{entry.title} {bracket}{options}".rstrip()
    if loss == "losses":
        return "loss"
    return loss if loss.endswith(("loss", "cost", "error")) else f"{loss} loss"


@paired_test(
    title="paired t test",
    measures=ANY_LOSS,
    references=("Student1908",),
    sample_size=planned(gain_of_records),
    preferred=True,
)
def paired_t(
    losses: PairedLosses, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two mean losses on one test set by the paired t test.

    The null hypothesis is that both trained classifiers have the same expected loss over
    new records. The differences of the losses of a record are assumed to be approximately
    normal, or the number of records to be large [1]_. Only means and variances are used, so
    the moments of the losses are sufficient.

    Parameters
    ----------
    losses : PairedLosses
        Losses of independent records of a hold-out set, or their moments.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better: its losses are lower.

    Returns
    -------
    result : PairedResult
        `estimate` is the gain, the champion's mean loss minus the challenger's. `statistic`
        is the gain over its standard error, with n - 1 degrees of freedom. The interval is
        the gain plus and minus quantiles of t. `details` has the standard deviation of
        the differences, the standard error, and the effect size d_z: gain over standard
        deviation.

    Raises
    ------
    ValueError
        If there are fewer than 2 records.

    Notes
    -----
    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If all
    are equal but not 0, the statistic is infinite and p undefined, flagged
    "zero-variance"; :func:`loss_permutation` has a p-value for them.

    Losses of predicted numbers have heavy tails, and no test of a mean holds for all of
    them. `details` then has `largest_share`, the largest share of one record in the sum of
    squared distances from the gain, and `few_records_pvalue`, by t with at most
    ``0.4 / (largest_share - 2 log(n) / n)`` degrees of freedom, which allows for a few
    records that decide. A result that is significant at 0.05 only without this allowance is
    flagged "decided-by-few-records". A :class:`~skcompare.gate.Gate`, whose tests are
    one-sided, always allows for them, with 0.25 in place of 0.4.

    Measured at alpha 0.05 with 20 to 2000 records, for 12 losses and 6 distributions of
    errors: equal mean losses of exchangeable regressors are rejected in at most 6 % of data
    sets. If one regressor has errors with heavy tails and the other does not, it is 5 % in
    the median, and up to 16 % (squared errors of 200 records, of which 1 % are ten times as
    large). Without the flag it is at most 5.5 % (Monte-Carlo error 0.4 %, and 0.2 % with
    2000 records), one-sidedly 10 %, in favour of the regressor with light tails. The flag
    marks 2 to 5 % of equal losses, and up to 11 % if one regressor has heavy tails. The
    price is power: a gain that t detects with a power of 80 % is flagged in 17 % for
    squared normal errors of 200 records, in 30 % if some records are far from all others,
    and in 1 % for absolute errors. A flag based on the largest share alone would mark a
    third of all comparisons of squared errors for the same error rates: samples that lack
    rare large errors cannot be recognised.

    Corrections for skewness (Johnson's and Hall's t, bootstrap-t, BCa) reject more often
    than t, because samples without a rare large loss do not show how skewed losses are.
    Sums without their extremes, such as published moments, have no largest share.

    A few records with extreme losses, as of the log loss, skew the differences, and the
    test then rejects too often. At alpha 0.05, for log-normal differences of mean 0, it
    rejects 15 % of the time with 15 records, 9 % with 100 and 7 % with 400, nearly always
    in favour of the classifier whose extreme losses the sample happens to lack. So does
    :func:`loss_permutation`. Use more records or a bounded loss; :func:`wilcoxon` is less
    sensitive to such records, but tests another hypothesis.

    References
    ----------
    .. [1] Student (1908). "The probable error of a mean." Biometrika 6(1), 1-25.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import paired_t
    >>> losses = PairedLosses.from_predictions(
    ...     y_true=[1, 0, 1, 0, 1],
    ...     champion_proba=[0.6, 0.4, 0.7, 0.2, 0.5],
    ...     challenger_proba=[0.8, 0.3, 0.9, 0.3, 0.7],
    ... )
    >>> result = paired_t(losses)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.076, t = 2.153, p = 0.0976
    """
    check_records(losses, "paired_t")
    deviation, gain = losses.moments.gain_deviation, gain_of_records(losses)
    details = {"deviation": deviation, "se": gain.error}
    if deviation > 0:
        details["d_z"] = losses.gain / deviation
    fields = gain.fields(alternative)
    pvalue = fields["tested"][1][0]
    share, flags = _share_of_record(losses, gain, pvalue, alternative)
    return loss_result(
        losses, **fields, method="Student's t", flags=flags, details=details | share
    )


def _share_of_record(
    losses: PairedLosses, gain: Wald, pvalue: float, alternative: str
) -> tuple[dict[str, float], tuple[str, ...]]:
    share = losses.moments.largest_share
    return largest_share(losses, share, losses.n, gain, pvalue, alternative)


@paired_test(
    title="permutation test of losses",
    measures=ANY_LOSS,
    references=("Fisher1935", "Phipson2010"),
    sample_size=planned(gain_of_records),
    of_records=True,
)
def loss_permutation(
    losses: PairedLosses,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairedResult:
    """Compare two mean losses on one test set by exchanging them within records.

    The null hypothesis is that the two losses of a record are exchangeable: their
    difference is as likely to have one sign as the other [1]_. Under it p is valid for any
    number of records and any distribution. As a test of equal mean losses it is similar
    to :func:`paired_t`, with the same flag: where the differences are skewed it rejects too
    often with few records, because their signs cannot be exchanged.

    Parameters
    ----------
    losses : PairedLosses
        Losses of independent records of a hold-out set; moments are not enough.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better: its losses are lower.
    n_resamples : int, default=9999
        Number of random choices of signs for more than 20 records. For up to 20, all
        choices are evaluated, and p is exact.
    random_state : int, RandomState instance or None, default=0
        Seed of these choices.

    Returns
    -------
    result : PairedResult
        `estimate` and `statistic` are the gain, the champion's mean loss minus the
        challenger's. `details` has the standard error of a p-value from random choices
        (`monte_carlo_error`).

    Raises
    ------
    ValueError
        If there are fewer than 2 records, or the losses were reduced to their moments.

    Notes
    -----
    The p-value of R random choices is (1 + choices as extreme) / (1 + R), which is never
    too small [2]_. A choice and its opposite are counted together, so that one-sided
    p-values are those of 2 R choices.

    The interval contains the differences that the test does not reject with the same
    choices of signs, so that 0 lies outside exactly when p is small. It is infinite for few
    records: no two-sided p-value of n records is below 2 / 2^n.

    If all differences are 0, or only rounding errors of the losses, p is 1, flagged
    "degenerate".

    References
    ----------
    .. [1] Fisher, R. A. (1935). "The design of experiments." Oliver and Boyd, Edinburgh,
       section 21.
    .. [2] Phipson, B. and Smyth, G. K. (2010). "Permutation p-values should never be zero:
       calculating exact p-values when permutations are randomly drawn." Statistical
       Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import loss_permutation
    >>> losses = PairedLosses.from_losses([5, 4, 6, 3, 7, 5, 8], [3, 3, 2, 4, 4, 4, 2])
    >>> result = loss_permutation(losses)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}, {result.method}")
    2.286, p = 0.0625, all signs
    """
    n_resamples = check_count("n_resamples", n_resamples)
    check_records(losses, "loss_permutation")
    differences = without_noise(losses.differences, losses.moments.noise)
    flipped = flipped_sums(differences, n_resamples=n_resamples, random_state=random_state)
    limits = limits_of(flipped, differences)
    pvalue, gain = flipped.pvalue(alternative)[0], gain_of_records(losses)
    share, flags = _share_of_record(losses, gain, pvalue, alternative)
    return _flipped_result(losses, flipped, alternative, "signs", limits, share, flags)


def _flipped_result(
    losses: PairedLosses,
    flipped: FlippedSums,
    alternative: str,
    what: str,
    limits: Limits,
    details: dict[str, float],
    flags: tuple[str, ...] = (),
) -> PairedResult:
    """Result of flipping the signs of the gains of records or groups."""
    tail, method = flipped.pvalue(alternative), f"all {what}"
    tested = (losses.gain, tail, ()) if flipped.size else (0.0, tail, ("degenerate",))
    if not flipped.complete:
        n_drawn = len(flipped.sums)
        method = f"{n_drawn} Monte-Carlo {what}"
        error = error_of_draws(tail[0], n_drawn, alternative)
        details = details | {"monte_carlo_error": error}
    return loss_result(
        losses, tested=tested, method=method, flags=flags, limits=limits, details=details
    )


MANY = 50
"""Smallest number of groups for which "auto" is "t"."""


def gain_of_groups(losses: PairedLosses, **options: object) -> Wald:
    """Gain with its standard error between groups; an error of only rounding is 0."""
    groups = losses.groups
    if groups is None or groups.n_groups < 2:
        return gain_of(losses, math.nan, math.nan)
    residuals = groups.gains - groups.sizes * losses.gain
    k = groups.n_groups
    error = math.sqrt(k / (k - 1) * float(residuals @ residuals)) / losses.n
    return gain_of(losses, error if error > losses.moments.noise else 0.0, k - 1)


def even_groups(sizes: IntArray) -> float:
    """Kish's number of groups of equal size with as much information."""
    weights = sizes.astype(np.float64)
    return float(weights.sum() ** 2 / (weights @ weights))


def _share_of_group(
    losses: PairedLosses, gain: Wald, pvalue: float, alternative: str
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Details and flag of the largest group; none if groups do not vary."""
    groups = losses.groups
    if groups is None or gain.error == 0:
        return {}, ()
    squares = (groups.gains - groups.sizes * gain.estimate) ** 2
    share, units = float(squares.max() / squares.sum()), even_groups(groups.sizes)
    return largest_share(losses, share, units, gain, pvalue, alternative)


@paired_test(
    title="t test of losses for grouped records",
    measures=ANY_LOSS,
    designs=("grouped holdout",),
    references=("Liang1986", "Fisher1935"),
    sample_size=planned(gain_of_groups),
)
def clustered_t(
    losses: PairedLosses,
    *,
    method: Literal["auto", "t", "sign-flip"] = "auto",
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairedResult:
    """Compare two mean losses on one test set whose records come in groups.

    The null hypothesis is that both trained classifiers have the same expected loss for
    the records of new groups. Records of one group may depend on each other in any way;
    groups are independent. The variance of the sum of the differences is that between
    groups [1]_.

    Parameters
    ----------
    losses : PairedLosses
        Losses of a hold-out set with the groups of its records; sums of groups are enough.
    method : {"auto", "t", "sign-flip"}, default="auto"
        "t" divides the gain by its standard error between groups. "sign-flip" exchanges the
        roles in whole groups: all choices of signs for up to 20 groups, and random ones for
        more [2]_. "auto" is "sign-flip" for fewer than 50 groups, for which "t"
        rejects too often, and "t" for more.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better: its losses are lower.
    n_resamples : int, default=9999
        Number of random choices of signs for "sign-flip".
    random_state : int, RandomState instance or None, default=0
        Seed of these choices.

    Returns
    -------
    result : PairedResult
        `estimate` is the gain, the champion's mean loss minus the challenger's over all
        records. `statistic` is t with G - 1 degrees of freedom for G groups,
        or for "sign-flip" the gain. The interval inverts the test. `details` has the number
        of groups and the standard error.

    Raises
    ------
    ValueError
        If there are no groups, or fewer than two.

    Notes
    -----
    With d the sum of a group's differences, m its size, D the gain, G groups and n records,
    the squared standard error is G / (G - 1) · sum((d - m D)²) / n². Groups of one record
    each give :func:`paired_t`, or :func:`loss_permutation`.

    With fewer than 10 groups the result is flagged "few-groups": "t" needs many groups, or
    groups of similar size. For groups of 1 to 13 records with correlated losses it rejected
    equal losses 11 % of the time at alpha 0.05 with 10 groups, and 7 % with 20 or 50;
    "sign-flip" 5 to 6 %. It tests a
    difference delta by flipping the signs of d - m delta, so that the interval has pooled
    differences of groups as limits; it is infinite for few groups. For losses of predicted
    numbers `details` has the `largest_share` of a group in that sum of squares and the
    `few_records_pvalue`, flagged "decided-by-few-records" as in :func:`paired_t`, for a
    number of groups of even size: the square of the sum of all m over the sum of their
    squares. Measured with 20, 50 and 200 groups of 1 to 13 records: "auto" rejects equal
    mean losses of exchangeable regressors in 3 to 7 % of data sets, and in up to 13 % where
    only one has errors with heavy tails, but in at most 7 % without the flag, which marks 1
    to 9 % of equal losses.

    If all groups have d = 0, p is 1, flagged "degenerate"; if none varies around a gain
    other than 0, "t" is infinite and its p undefined, flagged "zero-variance".

    References
    ----------
    .. [1] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    .. [2] Fisher, R. A. (1935). "The design of experiments." Oliver and Boyd, Edinburgh,
       section 21.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import clustered_t
    >>> losses = PairedLosses.from_losses(
    ...     champion=[0.3, 0.5, 0.2, 0.6, 0.4, 0.7],
    ...     challenger=[0.2, 0.3, 0.3, 0.2, 0.3, 0.5],
    ...     groups=["ann", "ann", "bob", "cid", "cid", "dan"],
    ... )
    >>> result = clustered_t(losses, method="t")
    >>> print(f"{result.estimate:.2f}, t = {result.statistic:.2f}, p = {result.pvalue:.3f}")
    0.15, t = 2.41, p = 0.095
    """
    n_resamples = check_count("n_resamples", n_resamples)
    groups = losses.groups
    if groups is None or groups.n_groups < 2:
        raise ValueError(
            "clustered_t needs records of at least 2 groups. Got "
            f"{'no groups' if groups is None else '1 group'}. Pass `groups`, the group of "
            "each record, or use paired_t for independent records."
        )
    gain, flags = gain_of_groups(losses), few_groups(groups.n_groups)
    details = {"n_groups": float(groups.n_groups), "se": gain.error}
    if method == "t" or (method == "auto" and groups.n_groups >= MANY):
        fields = gain.fields(alternative)
        pvalue = fields["tested"][1][0]
        share, decided = _share_of_group(losses, gain, pvalue, alternative)
        return loss_result(
            losses,
            **fields,
            flags=flags + decided,
            method="t, standard error between groups",
            details=details | share,
        )
    sizes = groups.sizes.astype(np.float64)
    gains = without_noise(groups.gains, losses.moments.noise * sizes)
    flipped = flipped_sums(gains, sizes, n_resamples=n_resamples, random_state=random_state)
    limits, what = limits_of(flipped, gains, sizes), "signs of groups"
    pvalue = flipped.pvalue(alternative)[0]
    share, decided = _share_of_group(losses, gain, pvalue, alternative)
    return _flipped_result(
        losses, flipped, alternative, what, limits, details | share, flags + decided
    )
