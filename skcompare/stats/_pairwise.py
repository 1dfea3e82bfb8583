"""Which of several classifiers differ: McNemar's test of every pair, adjusted."""

from typing import Any

import numpy as np

from skcompare._core.validation import (
    check_alternative,
    check_choice,
    check_confidence_level,
    check_count,
)
from skcompare._typing import IntArray
from skcompare.evidence import CorrectnessPatterns
from skcompare.stats._adjust import adjust_pvalues
from skcompare.stats._cochran_q import cochran_q
from skcompare.stats._max_t import max_t_pvalues
from skcompare.stats._mcnemar import FEW_DISCORDANT
from skcompare.stats._mcnemar_pvalues import mcnemar_pvalues
from skcompare.stats._pairwise_result import PairwiseResult
from skcompare.stats._pairwise_rows import PAIRWISE_ADJUSTMENTS, pairs_of
from skcompare.stats._power import METHODS
from skcompare.stats._result import PairedResult


def pairwise_mcnemar(
    patterns: CorrectnessPatterns,
    *,
    method: str = "mid-p",
    adjust: str = "holm",
    control: str | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseResult:
    """Which of several classifiers differ in accuracy on one test set?

    McNemar's test of every pair, or of each classifier with a control, and p-values
    adjusted for their number. The null hypothesis of a pair is that the two classifiers
    are equally accurate.

    Parameters
    ----------
    patterns : CorrectnessPatterns
        Who was right on each record of a hold-out set.
    method : {"mid-p", "exact", "asymptotic", "corrected"}, default="mid-p"
        How the p-value of a pair is computed, as for :func:`~skcompare.stats.mcnemar`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"}, \
default="holm"
        How p-values are adjusted, as for :func:`~skcompare.stats.adjust_pvalues`. "max-t"
        is Westfall and Young's step-down adjustment [1]_, which makes use of the dependence
        of pairs that share their records and so mostly finds more than "holm" of "exact"
        p-values, which it resamples. "holm" of "mid-p" ones, which are smaller, may find
        more where few records are discordant.
    control : str, optional
        Name of the classifier that each other one is compared with. It is the champion
        of every pair. By default all pairs are compared, and the classifier that is
        named first is the champion.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better. One-sided tests need a control,
        because all pairs have no direction of their own.
    confidence_level : float, default=0.95
        Level at which the intervals of all differences hold together.
    n_resamples : int, default=9999
        Resamples of "max-t".
    random_state : int, RandomState instance or None, default=0
        Seed of "max-t".

    Returns
    -------
    result : PairwiseResult
        A row a pair, with the difference of accuracies, challenger less champion, and its
        interval. `omnibus` is the asymptotic :func:`~skcompare.stats.cochran_q` of all
        classifiers.

    Raises
    ------
    ValueError
        If a one-sided alternative is asked for without a control.

    Notes
    -----
    Two classifiers that are right on the same records have p = 1. Each interval is the
    one that :func:`~skcompare.stats.mcnemar` gives by the method, at the level
    1 - alpha / n_pairs; with adjust="none" at the level 1 - alpha. Those of "bonferroni"
    and "none" exclude 0 exactly when the adjusted p is below alpha; with another
    adjustment 0 may lie inside although it is.

    The p-value before "max-t" is that of `method`; "exact" is the one that max-t resamples.
    An adjusted p is never smaller than it. `monte_carlo_error` is the standard error of
    what is resampled.

    It can be that Cochran's Q rejects and no pair does: the text of the result says so.

    References
    ----------
    .. [1] Westfall, P. H. and Young, S. S. (1993). Resampling-Based Multiple Testing.
       Wiley.

    Examples
    --------
    >>> from skcompare.evidence import CorrectnessPatterns
    >>> from skcompare.stats import pairwise_mcnemar
    >>> patterns = CorrectnessPatterns.from_counts(
    ...     {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3},
    ...     names=["A", "B", "C"],
    ... )
    >>> result = pairwise_mcnemar(patterns, method="asymptotic")
    >>> result.pvalue.round(4).tolist()
    [0.0209, 0.0455, 1.0]
    >>> result.adjusted_pvalue.round(4).tolist()
    [0.0628, 0.091, 1.0]
    >>> pairwise_mcnemar(patterns, control="A", adjust="max-t").challenger
    ('B', 'C')

    .. versionadded:: 0.1
    """
    if not isinstance(patterns, CorrectnessPatterns):
        raise TypeError(
            "pairwise_mcnemar needs CorrectnessPatterns. Got "
            f"{type(patterns).__name__}. Make them by "
            "CorrectnessPatterns.from_predictions(y_true, *answers)."
        )
    check_choice("method", method, METHODS)
    check_choice("adjust", adjust, PAIRWISE_ADJUSTMENTS)
    check_alternative(alternative)
    confidence_level = check_confidence_level(confidence_level)
    n_resamples = check_count("n_resamples", n_resamples)
    names = np.array(patterns.names, dtype=object)
    first, second = pairs_of(patterns.names, control, alternative)
    both = patterns.both_correct[first, second]
    against, favour = (patterns.n_correct[one] - both for one in (first, second))
    statistic, pvalue = mcnemar_pvalues(against, favour, method, alternative)
    omnibus = cochran_q(patterns)
    flags = _flags(omnibus, against + favour, method)
    error = None
    if adjust == "max-t":
        adjusted, more = max_t_pvalues(
            patterns,
            first,
            second,
            alternative=alternative,
            n_resamples=n_resamples,
            random_state=random_state,
        )
        error = np.sqrt(adjusted * (1 - adjusted) / (1 + n_resamples))
        adjusted, flags = np.maximum(adjusted, pvalue), (*flags, *more)
    else:
        adjusted = adjust_pvalues(pvalue, adjust)  # type: ignore[arg-type]
    return PairwiseResult(
        champion=tuple(names[first]),
        challenger=tuple(names[second]),
        both_correct=both,
        only_champion=against,
        only_challenger=favour,
        statistic=statistic,
        pvalue=pvalue,
        adjusted_pvalue=adjusted,
        n=patterns.n,
        method=method,
        adjust=adjust,
        alternative=alternative,
        control=control,
        confidence_level=confidence_level,
        omnibus=omnibus,
        design=patterns.design,
        flags=flags,
        monte_carlo_error=error,
    )


def _flags(omnibus: PairedResult, discordant: IntArray, method: str) -> tuple[str, ...]:
    flags = [flag for flag in omnibus.flags if flag == "invalid-design"]
    few = (discordant > 0) & (discordant < FEW_DISCORDANT)
    if method in ("asymptotic", "corrected") and few.any():
        flags.append("few-discordant-pairs")
    return tuple(flags)
