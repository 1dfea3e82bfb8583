"""T test of series in time order, of which others like them are meant too."""

import math
from typing import Any, NamedTuple

import numpy as np

from skcompare._registry.tests import ANY_LOSS, ANY_SCORE, paired_test
from skcompare._typing import Alternative
from skcompare.evidence import OrderedDifferences
from skcompare.stats.core._limits import Wald
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult, few_groups
from skcompare.stats.time._diebold_mariano import (
    ROUNDING,
    by_cosines,
    centred_or_zero,
    check_length,
    span_of,
    time_flags,
    time_result,
)


class _TwoWay(NamedTuple):
    wald: Wald
    details: dict[str, float]
    flags: tuple[str, ...]


def _two_way(ordered: OrderedDifferences) -> _TwoWay:
    """Mean difference, with the variance between series and that over time."""
    series = ordered.groups
    if series is None or series.n_groups < 2:
        count = "no series" if series is None else "1 series"
        raise ValueError(
            f"two_way_t needs records of at least 2 series. Got {count}. Pass `groups`, "
            "the series of each record, or use diebold_mariano, about these series."
        )
    n, k = ordered.n, series.n_groups
    residuals = series.gains - ordered.estimate * series.sizes
    size = float(np.abs(series.gains).max())
    residuals[np.abs(residuals) <= ROUNDING * size] = 0.0
    between = k / (k - 1) * float(residuals @ residuals) / n**2
    values, over_time, number = centred_or_zero(ordered), 0.0, math.inf
    flags: tuple[str, ...] = ()
    if values.any():
        long_run, smoothing = by_cosines(values, span_of(ordered))
        over_time = long_run.variance * len(values) / n**2
        number, flags = long_run.details["n_cosines"], time_flags(ordered, smoothing)
    total = between + over_time
    details = {
        "n_times": float(ordered.n_times),
        "n_series": float(k),
        "se": math.sqrt(total),
        "se_of_series": math.sqrt(between),
        "se_over_time": math.sqrt(over_time),
    }
    if total == 0:
        return _TwoWay(Wald(ordered.estimate, 0.0), details, flags)
    # Shares, because squares of variances may underflow.
    share = between / total
    df = 1 / (share**2 / (k - 1) + (1 - share) ** 2 / number)
    wald = Wald(ordered.estimate, details["se"], df)
    return _TwoWay(wald, details, flags + few_groups(k))


def mean_of_series(ordered: OrderedDifferences, **options: Any) -> Wald:
    """Mean difference with its standard error over series and times."""
    return _two_way(ordered).wald


@paired_test(
    title="two-way t test of series in time",
    measures=(ANY_LOSS, ANY_SCORE),
    designs=("grouped time-ordered holdout", "grouped time ordered"),
    inference="models",
    references=("Cameron2011", "Thompson2011", "Lazarus2018", "Satterthwaite1946"),
    sample_size=planned(mean_of_series),
)
def two_way_t(
    ordered: OrderedDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two models on series of a population, dependent by series and by time.

    The null hypothesis is that both trained models have the same expected loss over series
    such as these, at times such as these. Records of one series may depend on each other in
    any way, and so may records of one time, with dependence over time that fades.
    :func:`diebold_mariano` is about these series only, and does not allow for differences
    to other series.

    Parameters
    ----------
    ordered : OrderedDifferences
        Differences of a hold-out set in time order, with the series of each record.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference over the records, where positive favours the
        challenger, and `statistic` this over its standard error. `details` has this, its
        parts between series and over time, and the numbers of series and time points.

    Raises
    ------
    ValueError
        If there are fewer than 2 series, or fewer than 8 time points for each step of the
        horizon.

    Notes
    -----
    The variance of the mean is that between the sums of the series plus the long-run
    variance of the sums of the time points, as in :func:`diebold_mariano`. Clustering in
    two ways takes off the variance within the cells that both have in common [1]_ [2]_,
    because it is in both; here it is not, since the difference may be negative, and tests
    with few series reject too often. The degrees of freedom are Satterthwaite's [3]_, of
    both parts. Records without any dependence are thus tested with up to twice their
    variance. ``benchmarks/validity/time/panels.py`` measures both tests: with 5 to
    50 series equal models are rejected in 2 to 6 % of panels (standard error 0.6 %), and in
    1 % where records do not depend on each other, or on those of their series alone.
    :func:`diebold_mariano`, which is about these series, finds models to differ in up to
    24 % where series do, and :func:`clustered_t` in up to 82 % where times do.

    Equal forecasts have the statistic 0 and p = 1, flagged "degenerate". A constant
    difference that is not 0 has no p-value, flagged "zero-variance".

    References
    ----------
    .. [1] Cameron, A. C., Gelbach, J. B. and Miller, D. L. (2011). "Robust inference with
       multiway clustering." Journal of Business & Economic Statistics 29(2), 238-249.
    .. [2] Thompson, S. B. (2011). "Simple formulas for standard errors that cluster by both
       firm and time." Journal of Financial Economics 99(1), 1-10.
    .. [3] Satterthwaite, F. E. (1946). "An approximate distribution of estimates of
       variance components." Biometrics Bulletin 2(6), 110-114.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import OrderedDifferences
    >>> from skcompare.stats import diebold_mariano, two_way_t
    >>> rng = np.random.default_rng(0)
    >>> store, day = np.repeat(np.arange(12), 100), np.tile(np.arange(100), 12)
    >>> gains = 0.1 + 0.5 * rng.normal(size=12)[store] + rng.normal(size=1200)
    >>> ordered = OrderedDifferences.from_differences(gains, time=day, groups=store)
    >>> print(f"these stores: p = {diebold_mariano(ordered).pvalue:.1e}")
    these stores: p = 9.0e-03
    >>> print(f"such stores: p = {two_way_t(ordered).pvalue:.3f}")
    such stores: p = 0.529
    """
    check_length(ordered, "two_way_t")
    wald, details, flags = _two_way(ordered)
    fields = wald.fields(alternative) | {"limits": wald.limits_beyond(0.0)}
    return time_result(
        ordered,
        **fields,
        method="Student's t, between series and over time",
        flags=flags,
        details=details,
    )
