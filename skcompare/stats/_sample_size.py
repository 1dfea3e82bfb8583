"""How many records a paired comparison of accuracies needs, by formulas."""

import math

from scipy.special import ndtri

from skcompare._core.validation import check_alpha, check_alternative


def mcnemar_sample_size(
    difference: float,
    disagreement: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
) -> float:
    """Number of hold-out records at which McNemar's test finds a difference.

    Parameters
    ----------
    difference : float
        True difference of the accuracies, challenger less champion; not 0, and in the
        direction of a one-sided alternative.
    disagreement : float
        Probability that exactly one of the two answers a record rightly, at least
        the absolute difference.
    alpha : float, default=0.05
        Level of the test.
    power : float, default=0.8
        Wanted probability of a significant result, more than alpha.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        As for the test; a one-sided test needs fewer records.

    Returns
    -------
    n : float
        Number of records, not rounded.

    See Also
    --------
    mcnemar_power : Power of each method at a number of records, without approximation.

    Notes
    -----
    The formula is that of a normal approximation and knows no method of the test. It fits
    the asymptotic and the mid-p test best. The exact and the corrected one need up to
    about ``2 / abs(difference)`` records more. Where nearly all disagreement favours one
    classifier it is rough for every method: discordant pairs are then so few that the test
    may be unable to reject, or that its power is well above the wanted one.

    References
    ----------
    Connor, R. J. (1987). "Sample size for testing differences in proportions for the
    paired-sample design." Biometrics 43(1), 207-211.

    Examples
    --------
    >>> from skcompare.stats import mcnemar_sample_size
    >>> round(mcnemar_sample_size(0.05, 0.15), 2)
    468.57

    .. versionadded:: 0.1
    """
    reach = _reach(difference, disagreement, alpha, power, alternative)
    return (reach / abs(difference)) ** 2


def corrected_sample_size(
    difference: float,
    disagreement: float,
    *,
    alpha: float,
    power: float,
    alternative: str,
) -> float:
    """Number of independent records for McNemar's corrected test.

    It rejects when ``n |d| - 1`` exceeds ``z sqrt(n e)``, with d the estimated difference
    and e the disagreement, and d is about normal with variance (e - d²) / n. Writing s
    for the root of n, power asks for::

        |d| s² - (z_alpha sqrt(e) + z_power sqrt(e - d²)) s - 1 = 0

    which is Connor's formula with the continuity correction carried through.
    """
    reach = _reach(difference, disagreement, alpha, power, alternative)
    distance = abs(difference)
    root = (reach + math.sqrt(reach**2 + 4 * distance)) / (2 * distance)
    return root**2


def bcv_mcnemar_sample_size(
    difference: float,
    disagreement: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
    rho1: float = 0.5,
    rho2: float = 0.5,
    n_repeats: int = 5,
) -> float:
    """Number of records at which the BCV McNemar test finds a difference.

    The test works on the effective table of n_e records and rejects when
    ``n_e |d| - 1`` exceeds ``z sqrt(n_e e)``, with d the estimated difference and e the
    disagreement. Under its own model d is normal with variance (e - d²) / n_e. Writing
    s for the root of n_e, power asks for::

        |d| s² - (z_alpha sqrt(e) + z_power sqrt(e - d²)) s - 1 = 0

    whose positive root gives n_e, and n = n_e (1 + rho1 + 2 (M - 1) rho2) / M. This is
    Connor's formula with the continuity correction carried through.

    Parameters
    ----------
    difference, disagreement, alpha, power, alternative
        As for :func:`mcnemar_sample_size`; difference and disagreement are those of
        classifiers trained on half of the records, and are taken to stay as they are
        while records are added.
    rho1, rho2 : float, default=0.5
        The correlations that the test is run with.
    n_repeats : int, default=5
        Repetitions M of the cross-validation.

    Returns
    -------
    n : float
        Number of records in all, not rounded. Where the training sets hardly move the
        classifiers the true power is above the wanted one, because the test is
        conservative there; ``benchmarks/validity/sample_size.py`` measures both cases.

    Examples
    --------
    >>> from skcompare.stats import bcv_mcnemar_sample_size
    >>> round(bcv_mcnemar_sample_size(0.05, 0.15), 1)
    558.6

    .. versionadded:: 0.1
    """
    n_effective = corrected_sample_size(
        difference, disagreement, alpha=alpha, power=power, alternative=alternative
    )
    return n_effective * (1 + rho1 + 2 * (n_repeats - 1) * rho2) / n_repeats


def records_at(
    n: float,
    distance: float,
    error: float,
    *,
    alpha: float,
    power: float,
    alternative: str,
) -> float:
    """Records at which a difference as large as that of `n` records is found.

    By the normal approximation, for a standard error that falls with the square root of
    the records: n times the square of (quantile of alpha + quantile of power) · error /
    distance. Infinite without a distance from the null value, or where it is in the other
    direction; NaN where it is undefined.
    """
    check_power(power, alpha)
    outward = {"greater": distance, "less": -distance}.get(alternative, abs(distance))
    if outward <= 0:
        return math.inf
    quantiles = float(ndtri(power) - ndtri(tail_of(alpha, alternative)))
    # These records did not settle it, so the answer is never that they are enough.
    return max(n * (quantiles * error / outward) ** 2, n + 1.0)


def tail_of(alpha: float, alternative: str) -> float:
    """Probability of the tail, or of each of two, that is significant."""
    return check_alpha(alpha) / (2 if alternative == "two-sided" else 1)


def _reach(
    difference: float, disagreement: float, alpha: float, power: float, alternative: str
) -> float:
    """Null and alternative standard deviations, weighted by their quantiles."""
    check_alternative(alternative)
    tail = tail_of(alpha, alternative)
    check_power(power, alpha)
    _check_difference(difference, disagreement, alternative)
    spread = math.sqrt(disagreement - difference**2)
    return float(-ndtri(tail) * math.sqrt(disagreement) + ndtri(power) * spread)


def check_power(power: float, alpha: float) -> None:
    """Refuse a power that no test has, or that every test has."""
    if not 0 < power < 1:
        raise ValueError(f"`power` must be between 0 and 1. Got {power!r}. 0.8 is usual.")
    if power <= alpha:
        raise ValueError(
            f"`power` must be more than `alpha`. Got power={power!r} and alpha={alpha!r}. "
            "Without any difference the test is significant that often; 0.8 is usual."
        )


def _check_difference(difference: float, disagreement: float, alternative: str) -> None:
    if not 0 < abs(difference) <= disagreement <= 1:
        raise ValueError(
            "The difference must not be 0 and at most the disagreement, which is at most "
            f"1. Got difference={difference!r} and disagreement={disagreement!r}."
        )
    if (difference < 0 and alternative == "greater") or (
        difference > 0 and alternative == "less"
    ):
        raise ValueError(
            f"alternative={alternative!r} never finds a difference of this sign. Got "
            f"difference={difference!r}, challenger less champion. Turn one of them round."
        )
