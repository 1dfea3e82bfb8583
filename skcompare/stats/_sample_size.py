"""How many records a paired comparison of accuracies needs."""

import math

from scipy.special import ndtri

from skcompare._validation import check_alpha, check_alternative

__all__ = ["bcv_mcnemar_sample_size", "mcnemar_sample_size"]


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
        True difference of the accuracies, not 0.
    disagreement : float
        Probability that exactly one of the two answers a record rightly, at least
        the absolute difference.
    alpha : float, default=0.05
        Level of the test.
    power : float, default=0.8
        Wanted probability of a significant result.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        As for the test; a one-sided test needs fewer records.

    Returns
    -------
    n : float
        Number of records, not rounded. It holds for the asymptotic and the mid-p test;
        the exact and the corrected one fall up to 0.04 short of the power.

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
        As for :func:`mcnemar_sample_size`; both probabilities are those of classifiers
        trained on half of the records, and are taken to stay as they are while
        records are added.
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
    reach = _reach(difference, disagreement, alpha, power, alternative)
    distance = abs(difference)
    root = (reach + math.sqrt(reach**2 + 4 * distance)) / (2 * distance)
    inflation = (1 + rho1 + 2 * (n_repeats - 1) * rho2) / n_repeats
    return inflation * root**2


def _reach(
    difference: float, disagreement: float, alpha: float, power: float, alternative: str
) -> float:
    """Null and alternative standard deviations, weighted by their quantiles."""
    check_alternative(alternative)
    if not 0 < power < 1:
        raise ValueError(f"`power` must be between 0 and 1. Got {power!r}. 0.8 is usual.")
    if not 0 < abs(difference) <= disagreement <= 1:
        raise ValueError(
            "The difference must not be 0 and at most the disagreement, which is at most "
            f"1. Got difference={difference!r} and disagreement={disagreement!r}."
        )
    tail = check_alpha(alpha) / (2 if alternative == "two-sided" else 1)
    spread = math.sqrt(disagreement - difference**2)
    return float(-ndtri(tail) * math.sqrt(disagreement) + ndtri(power) * spread)
