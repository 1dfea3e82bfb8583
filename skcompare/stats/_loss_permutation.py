"""The permutation test of two mean losses: the roles are exchanged record by record."""

import math
from typing import Any

from skcompare._core.validation import check_alternative, check_count
from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare.evidence import PairedLosses
from skcompare.stats._loss_results import check_records, loss_result, without_noise
from skcompare.stats._loss_signs import FlippedSums, flipped_sums, limits_of
from skcompare.stats._paired_t import sample_size
from skcompare.stats._result import PairedResult


@paired_test(
    "loss_permutation",
    title="permutation test of losses",
    needs=PairedLosses,
    kind="difference",
    measures=ANY_LOSS,
    designs=("holdout",),
    references=("Fisher1935", "Phipson2010"),
    sample_size=sample_size,
    of_records=True,
)
def loss_permutation(
    losses: PairedLosses,
    *,
    alternative: str = "two-sided",
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairedResult:
    """Compare two mean losses on one test set by exchanging them within records.

    The null hypothesis is that exchanging the two losses of a record changes nothing: their
    difference is as likely to have one sign as the other [1]_. Under it p is valid for any
    number of records and any distribution. As a test of equal mean losses it is about as
    good as :func:`paired_t`: where the differences are skewed it rejects too often with few
    records, because their signs cannot be exchanged.

    Parameters
    ----------
    losses : PairedLosses
        Losses of unrelated records of a hold-out set; moments are not enough.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better: its losses are lower.
    n_resamples : int, default=9999
        Random choices of signs, where there are more than 20 records. Of up to 20 all
        choices are looked at, and p is exact.
    random_state : int, RandomState instance or None, default=0
        Seed of these choices.

    Returns
    -------
    result : PairedResult
        `estimate` and `statistic` are the gain, the champion's mean loss less the
        challenger's. `details` has the standard error of a p-value from random choices
        (`monte_carlo_error`).

    Raises
    ------
    ValueError
        If there are fewer than 2 records, or the losses were reduced to their moments.

    Notes
    -----
    The p-value of R random choices is (1 + choices as extreme) / (1 + R), which is never
    too small [2]_. A choice and its opposite go together, so that one-sided p-values are
    those of 2 R choices.

    The interval holds the differences that the test does not reject with the same choices
    of signs, so that 0 lies outside exactly when p is small. Few records leave it infinite:
    two-sided, of n records no p-value is below 2 / 2^n.

    If all differences are 0, or nothing but rounding beside the losses, p is 1, flagged
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

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    n_resamples = check_count("n_resamples", n_resamples)
    check_records(losses, "loss_permutation")
    differences = without_noise(losses.differences, losses.moments.noise)
    flipped = flipped_sums(differences, n_resamples=n_resamples, random_state=random_state)
    pvalue, log_pvalue = flipped.pvalue(alternative)
    return loss_result(
        losses,
        losses.gain if flipped.size else 0.0,
        (pvalue, log_pvalue),
        df=None,
        alternative=alternative,
        method=method_words(flipped, "signs"),
        limits=limits_of(flipped, differences),
        flags=() if flipped.size else ("degenerate",),
        details=draws_error(flipped, pvalue, alternative),
    )


def method_words(flipped: FlippedSums, what: str) -> str:
    """How the choices of signs were made."""
    if flipped.complete:
        return f"all {what}"
    return f"{len(flipped.sums)} Monte-Carlo {what}"


def draws_error(flipped: FlippedSums, pvalue: float, alternative: str) -> dict[str, float]:
    """Standard error of a p-value from random choices, by its name."""
    if flipped.complete:
        return {}
    n = flipped.n_choices
    if alternative == "two-sided":
        return {"monte_carlo_error": math.sqrt(pvalue * (1 - pvalue) / n)}
    # Of a choice and its opposite at most one is beyond, so that both tails are one share.
    share = min(1.0, 2 * min(pvalue, 1 - pvalue))
    return {"monte_carlo_error": math.sqrt(share * (1 - share) / n) / 2}
