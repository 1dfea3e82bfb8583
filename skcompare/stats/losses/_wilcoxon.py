"""Wilcoxon's signed-rank test of the losses of two classifiers."""

import math
from functools import partial
from typing import Any, Literal

import numpy as np

from skcompare._core.validation import alpha_of, check_switches, is_number
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, IntArray
from skcompare.evidence import PairedLosses
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald
from skcompare.stats.losses._signed_rank import (
    MOST_RANKED,
    SignedRanks,
    WalshSums,
    in_units,
    lower_shift,
)

Method = Literal["auto", "exact", "normal"]
Zeros = Literal["wilcox", "pratt"]

MOST_EXACT = 1000
"""Largest number of ranked differences for which "auto" is "exact"."""

LEAST_RANKED = {"two-sided": 6, "greater": 5, "less": 5}
"""With fewer differences no p-value is below 0.05, even if all signs agree."""

FEW = "few-differences"


def _effect(
    losses: PairedLosses,
    *,
    zeros: str = "wilcox",
    null_value: float = 0.0,
    **options: object,
) -> Wald:
    """Share of sums of two differences above 0, minus 1/2, with its standard error.

    By Noether (1987), Journal of the American Statistical Association 82, 645-647.
    """
    values, _, _ = _ranked(losses, zeros, null_value)
    n = len(values)
    sums = WalshSums(values)
    share = sums.number - (sums.count(0) + sums.count(-1)) / 2
    share -= float((np.sign(values) + 1).sum()) / 2
    # Share of sums of two records above 0, minus that expected of equal classifiers.
    excess = share / max(1, n * (n - 1) // 2) - 0.5
    return Wald(excess, math.sqrt(1 / (3 * n)) if n >= 2 else math.inf)


@paired_test(
    "wilcoxon",
    title="Wilcoxon's signed-rank test",
    measures="any loss",
    references=("Wilcoxon1945", "Pratt1959"),
    sample_size=planned(_effect),
    plug_in=False,
    of_records=True,
)
def wilcoxon(
    losses: PairedLosses,
    *,
    method: Method = "auto",
    zeros: Zeros = "wilcox",
    correction: bool = False,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Is one classifier's loss usually lower on the same records, by signed ranks?

    The null hypothesis is that the differences of the losses of each record are symmetric
    about 0 [1]_. Without symmetry the test is about their pseudo-median, the median of the
    mean of two differences, and not about their median or mean: where the mean loss is
    what matters, use `paired_t`. It is robust to outliers, such as the log loss of a few
    confident errors. It is about these two trained models, over new records.

    Parameters
    ----------
    losses : PairedLosses
        Losses of champion and challenger, record by record, on a hold-out set. The
        differences are rounded to 12 decimals before zeros and ties are determined,
        because equal losses may differ in later decimals.
    method : {"auto", "exact", "normal"}, default="auto"
        Method of the p-value. "exact" is the probability under all choices of the signs,
        given the ties and zeros, for up to 5000 ranked differences.
        "normal" approximates it, with the variance corrected for ties and zeros. "auto" is
        "exact" up to 1000 ranked differences and "normal" beyond.
    zeros : {"wilcox", "pratt"}, default="wilcox"
        Treatment of records without a difference. "wilcox" leaves them out, also from the
        estimate, which is then that of the other records. "pratt" ranks them
        before their ranks are left out [2]_, and keeps them in the estimate.
    correction : bool, default=False
        Whether the distance of the rank sum from its mean is shortened by 1/2 in the
        normal approximation. It is not available with "exact".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger's losses are lower.
    null_value : float, default=0.0
        Gain under the null hypothesis. A margin by which the challenger may be worse is
        tested by ``null_value=-margin, alternative="greater"``.

    Returns
    -------
    result : PairedResult
        `estimate` is the Hodges-Lehmann estimate of the gain, the median of the Walsh
        averages of the champion's losses minus the challenger's [3]_; it has no separate
        values for each role. `statistic` is the smaller rank sum, for any method and
        alternative. `details` has the rank sums of the gains (`w_plus`) and of the losses
        (`w_minus`), their normal deviate `z`, and the rank-biserial correlation
        (w_plus - w_minus) / (w_plus + w_minus) [4]_.

    Raises
    ------
    ValueError
        If the losses were reduced to moments; if "exact" is requested with too many
        records, or with a continuity correction.

    Notes
    -----
    The interval contains the shifts that the same test does not reject, except for shifts
    at which a difference becomes 0 or two of opposite sign become tied; these are single
    points, and limits only. Without ties the limits are the usual order statistics of the
    Walsh averages. With ties the distribution changes with the shift. But the one-sided
    p-value can only increase with the shift, so that limits exist and 0 lies outside
    exactly when p is below alpha. That holds with zeros ranked; if zeros were dropped from
    the ranks but not from the sample, it would not [2]_. A limit is infinite where no
    choice of signs is rare enough, as in a 95 % interval from 5 records.

    The limits are computed by counting Walsh averages without listing all of them: a
    million records take seconds.

    With many zeros ranked by "pratt" the estimate can be 0 for any p-value, and
    an interval that excludes 0 then ends at the adjacent floating-point number.

    Without any difference the statistic is 0 and p is 1, flagged "degenerate".

    References
    ----------
    .. [1] Wilcoxon, F. (1945). "Individual comparisons by ranking methods." Biometrics
       Bulletin 1(6), 80-83.
    .. [2] Pratt, J. W. (1959). "Remarks on zeros and ties in the Wilcoxon signed rank
       procedures." Journal of the American Statistical Association 54, 655-667.
    .. [3] Hodges, J. L. and Lehmann, E. L. (1963). "Estimates of location based on rank
       tests." Annals of Mathematical Statistics 34(2), 598-611.
    .. [4] Kerby, D. S. (2014). "The simple difference formula: an approach to teaching
       nonparametric correlation." Comprehensive Psychology 3, 11.IT.3.1.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import wilcoxon
    >>> losses = PairedLosses.from_losses(
    ...     champion=[0.31, 0.22, 0.09, 0.54, 0.40, 0.12, 0.66, 0.25],
    ...     challenger=[0.20, 0.24, 0.01, 0.30, 0.21, 0.12, 0.50, 0.10],
    ... )
    >>> result = wilcoxon(losses)
    >>> print(f"{result.estimate:.3f}, W = {result.statistic:g}, p = {result.pvalue:.4f}")
    0.135, W = 1, p = 0.0312
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.3f}, {high:.3f}]")
    [0.045, 0.200]
    """
    check_switches(correction=correction)
    null = _checked_null(null_value)
    values, scale, n_zeros = _ranked(losses, zeros, null)
    exact = _is_exact(method, len(values), correction)
    continuity = 0.5 if correction else 0.0
    ranks = SignedRanks.of(values)
    pvalue, log_pvalue = ranks.pvalue(alternative, exact, continuity)
    rank_total = ranks.w_plus + ranks.w_minus
    return PairedResult(
        statistic=min(ranks.w_plus, ranks.w_minus),
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        estimate=WalshSums(values).median() / (2 * scale) + null,
        estimate_name="gain (pseudo-median)",
        method=_method_text(exact, correction, zeros if n_zeros else ""),
        null_value=null,
        limits=partial(_limits, values, scale, null, exact, continuity),
        flags=losses.flags + _flags(ranks.n_ranked, alternative),
        details={
            "w_plus": ranks.w_plus,
            "w_minus": ranks.w_minus,
            "z": ranks.deviate(0.0 if exact else continuity),
            "rank_biserial": (ranks.w_plus - ranks.w_minus) / rank_total
            if rank_total
            else 0.0,
            "n_zeros": n_zeros,
            "n_ranked": ranks.n_ranked,
        },
        greater_is_better=False,
    )


def _checked_null(null_value: Any) -> float:
    if is_number(null_value) and math.isfinite(null_value):
        return float(null_value)
    raise ValueError(
        f"`null_value` must be a finite number. Got {null_value!r} instead. It is a mean "
        "loss of the champion less one of the challenger; 0 is usual."
    )


def _ranked(losses: PairedLosses, zeros: str, null: float) -> tuple[IntArray, float, int]:
    """Sorted distances from the null value in units, units per 1, and number of zeros.

    Zeros are left out by "wilcox", unless all values are zeros.
    """
    values, scale = in_units(losses.differences - null)
    values = np.sort(values)
    n_zeros = int((values == 0).sum())
    if zeros == "wilcox" and n_zeros < len(values):
        values = values[values != 0]
    return values, scale, n_zeros


def _is_exact(method: str, n: int, correction: bool) -> bool:
    if method == "exact" and correction:
        raise ValueError(
            "A continuity correction is one of the normal approximation. Got "
            'method="exact" and correction=True. Choose method="normal", or leave the '
            "correction out."
        )
    if method == "exact" and n > MOST_RANKED:
        raise ValueError(
            f'method="exact" takes up to {MOST_RANKED} ranked differences. Got {n}. Use '
            '"normal", which is as accurate for that many.'
        )
    return method == "exact" or (method == "auto" and n <= MOST_EXACT)


def _method_text(exact: bool, correction: bool, zeros: str) -> str:
    text = "exact distribution of signed ranks" if exact else "normal approximation"
    if correction and not exact:
        text += " with continuity correction"
    zero_texts = {"wilcox": ", zeros left out", "pratt": ", zeros ranked"}
    return text + zero_texts.get(zeros, "")


def _flags(n_ranked: int, alternative: str) -> tuple[str, ...]:
    if n_ranked == 0:
        return ("degenerate",)
    return (FEW,) if n_ranked < LEAST_RANKED[alternative] else ()


def _limits(
    values: IntArray,
    scale: float,
    null: float,
    exact: bool,
    correction: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Limits of the gains that the test does not reject.

    The shifts from a limit on begin just beside it. If a limit is 0 and the test rejects 0
    itself, the limit is moved so that 0 is just outside.
    """
    tail = alpha_of(confidence_level) / (2 if alternative == "two-sided" else 1)
    ranks = SignedRanks.of(values)
    low, high = -math.inf, math.inf
    if alternative != "greater":
        mirrored = np.ascontiguousarray(-values[::-1])
        shift = lower_shift(mirrored, tail, exact, correction)
        high = null - shift / (2 * scale)
        if shift == 0 and ranks.swap().chance(exact, correction)[0] < tail:
            high = math.nextafter(null, -math.inf)
    if alternative != "less":
        shift = lower_shift(values, tail, exact, correction)
        low = shift / (2 * scale) + null
        if shift == 0 and ranks.chance(exact, correction)[0] < tail:
            low = math.nextafter(null, math.inf)
    # Where most differences are ranked zeros every shift is rejected: those above 0 in one
    # direction, and 0 and those below it in the other.
    return (low, max(low, high)) if low > null else (min(low, high), high)
