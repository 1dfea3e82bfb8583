"""Permutation test of two mean losses, and tests of losses of grouped records."""

import math
from typing import Any, Literal

import numpy as np

from skcompare._core.validation import check_count
from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare._typing import Alternative
from skcompare.evidence import PairedLosses
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import FEW, FEW_GROUPS, PairedResult
from skcompare.stats.core._sign_flip import FlippedSums, flipped_sums, limits_of
from skcompare.stats.core._wald import Wald
from skcompare.stats.losses._paired_t import (
    check_records,
    gain_of,
    gain_of_records,
    loss_result,
    without_noise,
)


@paired_test(
    "loss_permutation",
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
    to :func:`paired_t`: where the differences are skewed it rejects too often with few
    records, because their signs cannot be exchanged.

    Parameters
    ----------
    losses : PairedLosses
        Losses of unrelated records of a hold-out set; moments are not enough.
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
    .. [1] Fisher, R. A. (1935). "The Design of Experiments", section 21. Oliver and Boyd.
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
    pvalue, log_pvalue = flipped.pvalue(alternative)
    return loss_result(
        losses,
        statistic=losses.gain if flipped.size else 0.0,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=None,
        method=method_text(flipped, "signs"),
        limits=limits_of(flipped, differences),
        flags=() if flipped.size else ("degenerate",),
        details=draws_error(flipped, pvalue, alternative),
    )


def method_text(flipped: FlippedSums, what: str) -> str:
    """Format the method: all signs, or a number of Monte Carlo draws."""
    if flipped.complete:
        return f"all {what}"
    return f"{len(flipped.sums)} Monte-Carlo {what}"


def draws_error(flipped: FlippedSums, pvalue: float, alternative: str) -> dict[str, float]:
    """Monte Carlo error of a p-value as details of a result; empty if exact."""
    if flipped.complete:
        return {}
    n = flipped.n_choices
    if alternative == "two-sided":
        return {"monte_carlo_error": math.sqrt(pvalue * (1 - pvalue) / n)}
    # At most one of a choice and its opposite is extreme, so both tails form one share.
    share = min(1.0, 2 * min(pvalue, 1 - pvalue))
    return {"monte_carlo_error": math.sqrt(share * (1 - share) / n) / 2}


Method = Literal["auto", "t", "sign-flip"]
MANY = 50
"""Smallest number of groups for which "auto" is "t"."""


def _of_groups(losses: PairedLosses, **options: object) -> Wald:
    """Gain with its standard error between groups; an error of only rounding is 0."""
    groups = losses.groups
    if groups is None or groups.n_groups < 2:
        return gain_of(losses, math.nan, math.nan)
    residuals = groups.gains - groups.sizes * losses.gain
    k = groups.n_groups
    error = math.sqrt(k / (k - 1) * float(residuals @ residuals)) / losses.n
    return gain_of(losses, error if error > losses.moments.noise else 0.0, k - 1)


@paired_test(
    "clustered_t",
    title="t test of losses for grouped records",
    measures=ANY_LOSS,
    designs=("grouped holdout",),
    references=("Liang1986", "Fisher1935"),
    sample_size=planned(_of_groups),
)
def clustered_t(
    losses: PairedLosses,
    *,
    method: Method = "auto",
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
    differences of groups as limits; it is infinite for few groups.

    If all groups have d = 0, p is 1, flagged "degenerate"; if none varies around a gain
    other than 0, "t" is infinite and its p undefined, flagged "zero-variance".

    References
    ----------
    .. [1] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    .. [2] Fisher, R. A. (1935). "The Design of Experiments", section 21. Oliver and Boyd.

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
            "each record, or use paired_t for unrelated records."
        )
    gain = _of_groups(losses)
    flags = (FEW_GROUPS,) if groups.n_groups < FEW else ()
    details = {"n_groups": float(groups.n_groups), "se": gain.error}
    if method == "t" or (method == "auto" and groups.n_groups >= MANY):
        return loss_result(
            losses,
            **gain.fields(alternative, flags),
            method="t, standard error between groups",
            details=details,
        )
    sizes = groups.sizes.astype(np.float64)
    gains = without_noise(groups.gains, losses.moments.noise * sizes)
    flipped = flipped_sums(gains, sizes, n_resamples=n_resamples, random_state=random_state)
    pvalue, log_pvalue = flipped.pvalue(alternative)
    return loss_result(
        losses,
        statistic=losses.gain if flipped.size else 0.0,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=None,
        method=method_text(flipped, "signs of groups"),
        limits=limits_of(flipped, gains, sizes),
        flags=(*(() if flipped.size else ("degenerate",)), *flags),
        details=details | draws_error(flipped, pvalue, alternative),
    )
