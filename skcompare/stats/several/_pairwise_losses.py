"""Tests of all pairs of several mean losses, and of all of them together."""

import math
from functools import partial
from typing import Any

import numpy as np
from scipy.special import fdtrc

from skcompare._registry.tests import takes_evidence
from skcompare._typing import Alternative
from skcompare.evidence import JointLosses
from skcompare.stats.core._limits import Pair
from skcompare.stats.core._result import UNDEFINED, PairedResult
from skcompare.stats.core._tails import SMALLEST
from skcompare.stats.losses._paired_t import loss_title, paired_t
from skcompare.stats.several._pairwise import (
    Draws,
    Family,
    Pairs,
    PairTests,
    PairwiseAdjustment,
    PairwiseResult,
    flags_of,
    normal_draws,
    pairwise,
)

ROUNDING = 1e-12
"""Share of the largest variance of differences below which another is rounding error."""


@takes_evidence
def pairwise_losses(
    losses: JointLosses,
    *,
    adjust: PairwiseAdjustment = "holm",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseResult:
    """Compare the mean losses of all pairs of several models on one test set.

    The paired t test of every pair, or of each model with a control, and p-values adjusted
    for their number. The null hypothesis of a pair is that the two models have the same
    expected loss.

    Parameters
    ----------
    losses : JointLosses
        Losses of independent records of a hold-out set.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"}, \
default="holm"
        How p-values are adjusted, as for :func:`~skcompare.stats.adjust_pvalues`. "max-t"
        makes use of the dependence of pairs that share their records, and so rejects more.
    control : str, optional
        Name of the model that each other one is compared with. It is the champion of every
        pair. By default all pairs are compared, and the model that is named first is the
        champion.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger's loss is lower. One-sided tests need a control,
        because all pairs have no direction of their own.
    confidence_level : float, default=0.95
        Level at which the intervals of all gains hold together.
    n_resamples : int, default=9999
        Draws of "max-t".
    random_state : int, RandomState instance or None, default=0
        Seed of "max-t".

    Returns
    -------
    result : PairwiseResult
        One row per pair, with the gain, the champion's mean loss minus the challenger's,
        and its interval. `omnibus` is Hotelling's test of all models together.

    Raises
    ------
    ValueError
        If there are fewer than 2 records, or a one-sided alternative is requested without
        a control.

    Notes
    -----
    "max-t" is step-down: each statistic is compared with the greatest of all that are not
    yet rejected, over draws of a multivariate t distribution with n - 1 degrees of freedom
    and the covariances of the mean losses, as in [1]_. An adjusted p is never smaller than
    that of the pair alone. Intervals are those of the paired t test at the level 1 - alpha
    / n_pairs.

    Hotelling's T² of the k - 1 differences [2]_, times (n - r) / ((n - 1) r) for rank r of
    their covariances, is compared with the F distribution with r and n - r degrees of
    freedom. Models with the same losses share one place in the rank. It is exact for normal
    losses only, as the t test is: heavy tails are flagged "decided-by-few-records".

    References
    ----------
    .. [1] Hothorn, T., Bretz, F. and Westfall, P. (2008). "Simultaneous inference in
       general parametric models." Biometrical Journal 50(3), 346-363.
    .. [2] Hotelling, H. (1931). "The generalization of Student's ratio." Annals of
       Mathematical Statistics 2(3), 360-378.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import JointLosses
    >>> from skcompare.stats import pairwise_losses
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=150)
    >>> models = [y + spread * rng.normal(size=150) for spread in (1.0, 0.9, 0.85)]
    >>> losses = JointLosses.from_predictions(y, *models, names=["ridge", "forest", "net"])
    >>> result = pairwise_losses(losses, adjust="max-t")
    >>> for row in result.to_dict()["pairs"]:
    ...     print(f"{row['champion']} to {row['challenger']}: {row['estimate']:+.3f}, "
    ...           f"adjusted p = {row['adjusted_pvalue']:.3f}")
    ridge to forest: +0.143, adjusted p = 0.061
    ridge to net: +0.206, adjusted p = 0.007
    forest to net: +0.062, adjusted p = 0.318
    """
    return pairwise(
        losses,
        partial(_loss_tests, losses, alternative),
        Family(adjust, control, alternative, confidence_level, n_resamples, random_state),
    )


def _loss_tests(losses: JointLosses, alternative: Alternative, pairs: Pairs) -> PairTests:
    results = [
        paired_t(losses.pair(i, j), alternative=alternative)
        for i, j in zip(*pairs, strict=True)
    ]
    omnibus = hotelling(losses)
    fields = {
        "test": "pairwise_losses",
        "title": "pairwise t tests",
        "measure": f"mean {loss_title(losses.loss)}",
        "estimate": np.array([result.estimate for result in results]),
        "estimate_name": "gain",
        "statistic": np.array([result.statistic for result in results]),
        "pvalue": np.array([result.pvalue for result in results]),
        "details": {"standard_error": np.array([r.details["se"] for r in results])},
        "settings": {"method": results[0].method},
        "omnibus": omnibus,
        "flags": flags_of((result.flags for result in results), omnibus),
    }
    draws = partial(_t_draws, losses, pairs, results)
    return PairTests(fields, partial(_limits, results), draws)


def _limits(results: list[PairedResult], level: float) -> list[Pair]:
    return [result.confidence_interval(level) for result in results]


def _t_draws(
    losses: JointLosses,
    pairs: Pairs,
    results: list[PairedResult],
    n_resamples: int,
    rng: Any,
) -> Draws:
    """Draw multivariate t statistics with the covariances of the mean losses."""
    champion, challenger = pairs
    errors = np.array([result.details["se"] for result in results])
    statistic = np.array([result.statistic for result in results])
    # Of losses of size 1, so that no variance underflows.
    size = float(np.abs(losses.values).max()) or 1.0
    scaled = losses.values / size
    covariance = np.cov(scaled) / losses.n
    means = normal_draws(covariance, losses.names, n_resamples, rng)
    df = losses.n - 1
    spread = np.sqrt(rng.chisquare(df, size=n_resamples) / df)
    scale = np.where(errors > 0, errors / size, np.inf)[:, np.newaxis]
    observed = np.where(np.isfinite(statistic), statistic, np.nan)
    return Draws(observed, [(means[champion] - means[challenger]) / scale / spread])


def hotelling(losses: JointLosses) -> PairedResult:
    """Test that the expected losses of all models are equal, by Hotelling's T²."""
    statistic, pvalue, rank, flags = _tested(losses)
    n = losses.n
    log = math.log(pvalue) if pvalue > 0 else math.nan
    return PairedResult(
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=log,
        df=float(rank) if rank else None,
        estimate=float(np.ptp(losses.means)),
        estimate_name=f"range of mean {loss_title(losses.loss)}",
        method="F",
        n=n,
        flags=flags,
        details={"denominator_df": float(n - rank)},
        parts=tuple(
            {"name": name, "loss": float(mean)}
            for name, mean in zip(losses.names, losses.means)
        ),
        greater_is_better=False,
        test="hotelling",
        design=losses.design.name,
    )


def _tested(losses: JointLosses) -> tuple[float, float, int, tuple[str, ...]]:
    """F statistic, p-value, rank and flags of Hotelling's test."""
    values = losses.values
    size = float(np.abs(values).max()) or 1.0
    differences = (values[1:] - values[0]) / size
    differences[np.abs(differences) <= ROUNDING] = 0.0
    gains = differences.mean(axis=1)
    variances, axes = np.linalg.eigh(np.atleast_2d(np.cov(differences)))
    kept = variances > max(ROUNDING * variances.max(), ROUNDING**2)
    rank, along = int(kept.sum()), axes.T @ gains
    if np.abs(along[~kept]).max(initial=0.0) > ROUNDING:
        return math.inf, UNDEFINED[0], rank, ("zero-variance",)
    if not rank:
        return 0.0, 1.0, 0, ("degenerate",)
    n = losses.n
    if n <= rank:
        return math.nan, UNDEFINED[0], rank, ()
    square = n * float((along[kept] ** 2 / variances[kept]).sum())
    statistic = square * (n - rank) / ((n - 1) * rank)
    return statistic, max(SMALLEST, float(fdtrc(rank, n - rank, statistic))), rank, ()
