"""Test of the difference of any score that is a function of a confusion matrix."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from skcompare._core.validation import check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative
from skcompare.evidence import JointCounts
from skcompare.stats.core._limits import (
    ZERO_VARIANCE,
    Wald,
    no_critical,
    normal_critical,
    score_range,
)
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import UNDEFINED, PairedResult, result_of
from skcompare.stats.core._tails import error_of_draws, normal_pvalue
from skcompare.stats.scores._confusion_scores import (
    BINARY_SCORES,
    COUNT_SCORES,
    CountScore,
    OwnScore,
    Score,
    count_score,
)
from skcompare.stats.scores._permutation import (
    FEW_DIFFERENT_PREDICTIONS,
    MOST_OUTCOMES,
    SIGN_ONLY,
    UNDEFINED_RESAMPLES,
    Exchange,
    ScorePair,
    score_pair,
)
from skcompare.stats.scores._resampling import FEW_DIFFERENT

Method = Literal["auto", "delta", "permutation"]
MANY_DIFFERENT, MOST_CELLS = 1000, 2000
MEASURES = tuple(name for name in COUNT_SCORES if name != "accuracy")
"""Measures; accuracies are compared by McNemar's test unless this one is requested."""


def _effect(
    counts: JointCounts,
    *,
    score: Any = "balanced_accuracy",
    pos_label: Any = None,
    **options: object,
) -> Wald:
    observed = _observed(_resolved(score, counts, pos_label), counts)
    return Wald(float(observed.statistic), 1.0)


@paired_test(
    title="Difference of a score of the counts",
    measures=MEASURES,
    references=(
        "Bishop1975",
        "Chung2013",
        "Konietschke2014",
        "Phipson2010",
        "Takahashi2022",
        "Yeh2000",
    ),
    sample_size=planned(_effect),
)
def score_difference(
    counts: JointCounts,
    *,
    score: str | Callable[..., float] = "balanced_accuracy",
    pos_label: Any = None,
    method: Method = "auto",
    n_resamples: int = 9999,
    random_state: Any = 0,
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two classifiers by F1 or any other score that the counts give.

    The null hypothesis is that the scores of the two trained classifiers are equal, over
    new records. Both methods allow for the dependence of the two predictions for a
    record, and for all counts in the score being random.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and the two predictions, from a hold-out set.
    score : str or callable, default="balanced_accuracy"
        Name of a score: "balanced_accuracy", "matthews_corrcoef", "accuracy"; "f1",
        "precision", "recall" or "jaccard" with "_macro", "_micro" or "_weighted"; for two
        classes also these without suffix, "sensitivity" (recall) and "specificity" (recall
        of the other class). The values are those of scikit-learn's scorers, with 0 for 0 /
        0. Or a function of a confusion matrix, an array of floats of shape (n_classes,
        n_classes) with one row per true class in the order of `counts.classes`, that
        returns a number and is smooth in the counts.
    pos_label : int, float, bool or str, optional
        The positive class of a score of two classes; 1 or True by default, as in
        scikit-learn.
    method : {"auto", "delta", "permutation"}, default="auto"
        "delta" takes the difference in standard errors as normal; the standard error is
        that of the delta method for multinomial counts [1]_ [2]_. "permutation" compares
        the same statistic with its values when the two predictions for records are
        exchanged [3]_. It is exact if the predictions are exchangeable, and, because the
        statistic is studentised, approximately valid if only the scores are equal [4]_
        [5]_. "auto" is "permutation" where fewer than 1,000 records have different
        predictions, and "delta" for more of them and for a user-defined function.
    n_resamples : int, default=9999
        Number of random exchanges for "permutation", where it is not exact.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the random exchanges.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better, if greater scores are better.

    Returns
    -------
    result : PairedResult
        `estimate` is score(challenger) - score(champion) and `statistic` the same in
        standard errors. The interval is the estimate minus and plus a multiple of the
        standard error, that of the normal or of the permutation distribution, and excludes
        0 exactly when the test rejects. `details` has the standard error, the number of
        records with different predictions and, for "permutation", the number of outcomes or
        resamples behind p, and for resamples its standard error (`monte_carlo_error`).

    Raises
    ------
    ValueError
        If the score is not defined for the classes, or is not finite for these counts.

    Notes
    -----
    The variance is that of the multinomial distribution with the observed shares, with the
    divisor n. For "accuracy" it is ``(b + c - (b - c)**2 / n) / n**2`` with the discordant
    counts b and c. A macro average is taken over the classes that occur in truth or in the
    predictions of that classifier, as in scikit-learn, and these are taken as fixed. The
    slopes of a user-defined function are central differences, precise to 1e-7 for a smooth
    one.

    "delta" rejects too often where few records have different predictions or a class is
    rare, and "permutation" much less so, except for a rare class in which the classifiers
    make different errors; ``benchmarks/validity/agreement/label_tests.py`` measures both.

    "permutation" evaluates all outcomes if there are no more than 100 000 of them (for a
    user-defined function, no more than twice `n_resamples`). Otherwise ``p = (1 + k) / (R +
    1)``, with k of R random exchanges at least as extreme [6]_; each counts with both
    signs, so that swapped roles mirror the result, and a one-sided p is half as large. An
    exchange for which a user-defined function is not finite counts as extreme and is
    flagged.

    Without any difference and variance the statistic is 0, p is 1 and the interval is
    [0, 0], flagged "degenerate". A difference without variance (a perfect classifier
    against one without correct positive predictions) has an infinite statistic: the p-value
    of "delta" is undefined and its interval contains every difference; "permutation" has a
    p-value, and its interval excludes at most one sign of the difference.

    Only the p-value of "permutation" is valid where few records have different predictions.
    Its interval has all differences within the critical number of standard errors, the
    whole range of the score where nothing could be rejected, but the standard error is
    itself estimated from these records: for a perfect or nearly unanimous pair, and for a
    class with few records, the interval can be too short, down to [0, 0] for identical
    predictions. Fewer than 25 such records are flagged "few-different-predictions", and by
    "delta" "few-discordant-pairs".

    References
    ----------
    .. [1] Bishop, Y. M. M., Fienberg, S. E. and Holland, P. W. (1975). "Discrete
       multivariate analysis: theory and practice." MIT Press, chapter 14.
    .. [2] Takahashi, K., Yamamoto, K., Kuchiba, A. and Koyama, T. (2022). "Confidence
       interval for micro-averaged F1 and macro-averaged F1 scores." Applied Intelligence
       52, 4961-4972.
    .. [3] Yeh, A. (2000). "More accurate tests for the statistical significance of result
       differences." Proceedings of COLING 2000, 947-953.
    .. [4] Chung, E. and Romano, J. P. (2013). "Exact and asymptotically robust permutation
       tests." Annals of Statistics 41(2), 484-507.
    .. [5] Konietschke, F. and Pauly, M. (2014). "Bootstrapping and permuting paired t-test
       type statistics." Statistics and Computing 24(3), 283-296.
    .. [6] Phipson, B. and Smyth, G. K. (2010). "Permutation p-values should never be zero."
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import score_difference
    >>> counts = JointCounts([[[60, 9], [3, 8]], [[5, 16], [4, 45]]], classes=[0, 1])
    >>> result = score_difference(counts, score="f1")
    >>> print(f"{result.champion:.3f} to {result.challenger:.3f}, p = {result.pvalue:.4f}")
    0.754 to 0.824, p = 0.0984
    >>> print(result.method)
    permutation, exact
    >>> print(f"{score_difference(counts, score='f1', method='delta').pvalue:.4f}")
    0.1049
    """
    n_resamples = check_count("n_resamples", n_resamples)
    resolved = _resolved(score, counts, pos_label)
    observed = _observed(resolved, counts)
    statistic = float(observed.statistic)
    if statistic == 0 and observed.variance == 0:
        name = "delta" if method == "auto" else method
        tail = _Tail((1.0, 0.0), name, normal_critical, ("degenerate",))
    elif method == "delta" or (method == "auto" and not _is_small(resolved, counts)):
        tail = _delta(statistic, alternative, counts)
    else:
        tail = _permutation(
            resolved, statistic, alternative, counts, n_resamples, random_state
        )
    error = math.sqrt(float(observed.variance))
    estimate = float(observed.difference)
    return result_of(
        statistic,
        tail.pvalues,
        roles=(float(observed.champion), float(observed.challenger)),
        estimate=estimate,
        estimate_name=f"difference of {resolved.name}",
        method=tail.method,
        limits=partial(score_range, estimate, error, tail.critical, resolved.bounds),
        flags=tail.flags + (("undefined-score",) if observed.undefined else ()),
        details={
            "different_predictions": _n_different(counts),
            "standard_error": error,
            **tail.details,
        },
        remark=_remark(resolved, counts),
    )


class _Tail(NamedTuple):
    """P-value of one method, with the critical values of its distribution."""

    pvalues: tuple[float, float]
    method: str
    critical: Callable[[float, str], float]
    flags: tuple[str, ...] = ()
    details: Mapping[str, float] = MappingProxyType({})


def _delta(statistic: float, alternative: str, counts: JointCounts) -> _Tail:
    if math.isinf(statistic):
        return _Tail(UNDEFINED, "delta", no_critical, (ZERO_VARIANCE, SIGN_ONLY))
    flags = ("few-discordant-pairs",) * (_n_different(counts) < FEW_DIFFERENT)
    return _Tail(normal_pvalue(statistic, alternative), "delta", normal_critical, flags)


def _permutation(
    score: Score,
    statistic: float,
    alternative: str,
    counts: JointCounts,
    n_resamples: int,
    random_state: Any,
) -> _Tail:
    exchange = Exchange.from_counts(counts)
    # A user-defined function is slow: its exact distribution must not take longer.
    max_outcomes = MOST_OUTCOMES if isinstance(score, CountScore) else 2 * n_resamples
    if exchange.n_outcomes <= max_outcomes:
        distribution = exchange.enumerated(score)
        method = "permutation, exact"
        details = {"outcomes": exchange.n_outcomes}
        pvalues = distribution.pvalue(statistic, alternative)
    else:
        distribution = exchange.drawn(score, statistic, n_resamples, random_state)
        method = f"permutation, {n_resamples} Monte-Carlo resamples"
        pvalues = distribution.pvalue(statistic, alternative)
        details = {
            "resamples": float(n_resamples),
            "monte_carlo_error": error_of_draws(pvalues[0], n_resamples, alternative),
        }
    flags = (FEW_DIFFERENT_PREDICTIONS,) * (_n_different(counts) < FEW_DIFFERENT)
    if math.isinf(statistic):
        flags = (*flags, SIGN_ONLY)
    if distribution.n_undefined:
        flags = (*flags, UNDEFINED_RESAMPLES)
    return _Tail(pvalues, method, distribution.critical, flags, details)


def _resolved(score: Any, counts: JointCounts, pos_label: Any) -> Score:
    """Return the score given by a name or a user-defined function."""
    if isinstance(score, str):
        return count_score(score, counts.classes, pos_label)
    if not callable(score):
        raise TypeError(
            "`score` must be the name of a score or a function of a confusion matrix. Got "
            f"{score!r}. Known names: {', '.join(COUNT_SCORES)}."
        )
    if pos_label is not None:
        raise ValueError(
            f"`pos_label` goes with the name of a score. Got {pos_label!r} and an own "
            "function. Let the function choose its row and column."
        )
    own_score = OwnScore(score)
    own_score.check(*counts.confusion_matrices())
    return own_score


def _observed(score: Score, counts: JointCounts) -> ScorePair:
    """Scores of the observed counts, with the variance of their difference."""
    weights = counts.counts.astype(np.float64)
    pair = score_pair(score, counts.cells, weights, counts.n_classes)
    if not np.isfinite(pair.variance):
        raise ValueError(
            f"The score {score.name!r} must have finite slopes. Got values that are not "
            "finite beside these counts. Return a smooth function of the counts."
        )
    return pair


def _n_different(counts: JointCounts) -> int:
    """Number of records with two different predictions."""
    _, champion, challenger = counts.cells.T
    return int(counts.counts[champion != challenger].sum())


def _is_small(score: Score, counts: JointCounts) -> bool:
    """Whether the permutation distribution is needed and fast to compute."""
    few = _n_different(counts) < MANY_DIFFERENT and len(counts.counts) < MOST_CELLS
    return few and isinstance(score, CountScore)


def _remark(score: Score, counts: JointCounts) -> str:
    if isinstance(score, CountScore) and score.name in BINARY_SCORES:
        return f"positive class {counts.classes[score.positive].item()!r}"
    return ""
