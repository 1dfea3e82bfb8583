"""Bowker's test of symmetry, with the pairs of classes that it is made of."""

import math
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv

from skcompare._core.validation import alpha_of, check_choice, check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray
from skcompare.evidence import AgreementMatrix
from skcompare.stats._adjust import adjust_pvalues
from skcompare.stats._marginal_homogeneity import FEW_DISAGREEMENTS
from skcompare.stats._result import PairedResult
from skcompare.stats._symmetry_null import LabelPairs, label_pairs, log_tail_of_bowker
from skcompare.stats._tails import SMALLEST, binomial_pvalue, chi2_pvalue

METHODS = ("asymptotic", "exact")
DEGREES = ("informative", "full")
LEVEL = 0.95


@paired_test(
    "bowker",
    title="Bowker's test",
    needs=AgreementMatrix,
    kind="omnibus",
    measures="label symmetry",
    designs=("holdout",),
    references=("Bowker1948", "Clopper1934"),
)
def bowker(
    matrix: AgreementMatrix,
    *,
    method: str = "asymptotic",
    df: str = "informative",
    max_pairs: int = 10,
) -> PairedResult:
    """Do two classifiers confuse classes with each other the same way round?

    The null hypothesis is symmetry [1]_: for each two classes, a record which the two
    classifiers give one each is as likely to be one way round as the other. It speaks of
    labels, not of who is right. Even for two classes it is not McNemar's test: classifiers
    that give both classes equally often are symmetric whatever their accuracies.

    Parameters
    ----------
    matrix : AgreementMatrix
        Counts of records by the two labels, from a hold-out set.
    method : {"asymptotic", "exact"}, default="asymptotic"
        How the p-value of the statistic is computed: chi-squared, or exact given the
        number of records of each pair of classes.
    df : {"informative", "full"}, default="informative"
        Degrees of freedom of chi-squared: the pairs of classes that any record has as its
        two labels, or all pairs of the classes of `matrix`. Pairs without records add
        nothing to the statistic, so counting them hides asymmetry.
    max_pairs : int, default=10
        How many pairs `parts` has at most, those that contribute most first.

    Returns
    -------
    result : PairedResult
        `estimate` is the asymmetry: the share of records in excess one way round, summed
        over all pairs; it has no interval. `parts` has a mapping for each pair: the label
        of `champion` and that of `challenger`, the records with these (`count`) and with
        the reverse (`reverse_count`), the `contribution` to the statistic, the exact
        binomial `pvalue` and its Holm-adjusted value over all informative pairs
        (`adjusted_pvalue`), and the `odds_ratio` count / reverse_count with its exact
        95 % interval (`low`, `high`) [2]_.

    Raises
    ------
    ValueError
        If the exact p-value takes too long; symmetry_permutation approximates it.

    Notes
    -----
    Without records that have different labels the statistic is 0 and p is 1, flagged
    "degenerate". "few-disagreements" flags a chi-squared p-value where more than a fifth of
    the informative pairs have fewer than 10 records, or any has 1 (Cochran's rule for
    expected counts).

    References
    ----------
    .. [1] Bowker, A. H. (1948). "A test for symmetry in contingency tables." JASA 43(244),
       572-574.
    .. [2] Clopper, C. J. and Pearson, E. S. (1934). "The use of confidence or fiducial
       limits illustrated in the case of the binomial." Biometrika 26(4), 404-413.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> from skcompare.stats import bowker
    >>> matrix = AgreementMatrix([[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"])
    >>> result = bowker(matrix)
    >>> print(f"{result.statistic:.4f}, df {result.df}, p = {result.pvalue:.4f}")
    2.6667, df 3, p = 0.4459
    >>> most = result.parts[0]
    >>> most["champion"], most["challenger"], most["count"], most["reverse_count"]
    ('a', 'c', 4, 8)

    .. versionadded:: 0.1
    """
    check_choice("method", method, METHODS)
    check_choice("df", df, DEGREES)
    check_count("max_pairs", max_pairs, least=0)
    pairs = label_pairs(matrix)
    n_pairs, n_classes = len(pairs.totals), len(matrix.classes)
    statistic = float(pairs.contributions.sum())
    degrees = n_pairs if df == "informative" else n_classes * (n_classes - 1) // 2
    if method == "exact":
        pvalue, log_pvalue = _exact_pvalue(pairs)
    else:
        pvalue, log_pvalue = chi2_pvalue(statistic, degrees)
    return PairedResult(
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=degrees,
        estimate=asymmetry(matrix, pairs),
        estimate_name="asymmetry",
        champion=None,
        challenger=None,
        alternative="two-sided",
        method=method,
        n=matrix.n,
        limits=None,
        flags=_flags(pairs, method),
        details={"disagreements": int(pairs.totals.sum()), "informative_pairs": n_pairs},
        parts=_pair_parts(matrix, pairs, max_pairs),
    )


def asymmetry(matrix: AgreementMatrix, pairs: LabelPairs) -> float:
    """The share of records in excess one way round."""
    return int(np.abs(pairs.differences).sum()) / matrix.n


def _exact_pvalue(pairs: LabelPairs) -> tuple[float, float]:
    log_pvalue = log_tail_of_bowker(pairs)
    if log_pvalue is None:
        raise ValueError(
            "method='exact' of bowker goes through the values of the statistic, which are "
            f"too many for {int(pairs.totals.sum())} records in {len(pairs.totals)} pairs "
            "of classes. Use symmetry_permutation(matrix, statistic='bowker')."
        )
    return max(SMALLEST, math.exp(log_pvalue)), log_pvalue


def _flags(pairs: LabelPairs, method: str) -> tuple[str, ...]:
    totals = pairs.totals
    if len(totals) == 0:
        return ("degenerate",)
    # Half of the records of a pair are expected either way round.
    too_few = np.mean(totals < 10) > 0.2 or (totals == 1).any()
    return (FEW_DISAGREEMENTS,) if method == "asymptotic" and too_few else ()


def _pair_parts(
    matrix: AgreementMatrix, pairs: LabelPairs, most: int
) -> tuple[dict[str, Any], ...]:
    """The pairs of classes, the one that contributes most first."""
    contributions = pairs.contributions
    shown = np.argsort(-contributions, kind="stable")[:most]
    if len(shown) == 0:
        return ()
    adjusted = adjust_pvalues(_binomial_pvalues(pairs), "holm")  # type: ignore[arg-type]
    parts = []
    for at in shown.tolist():
        count, reverse = int(pairs.forward[at]), int(pairs.backward[at])
        pvalue, _ = binomial_pvalue(count, count + reverse, "two-sided", mid=False)
        low, high = odds_limits(count, reverse, LEVEL)
        parts.append(
            {
                "champion": matrix.classes[pairs.first[at]].item(),
                "challenger": matrix.classes[pairs.second[at]].item(),
                "count": count,
                "reverse_count": reverse,
                "contribution": float(contributions[at]),
                "pvalue": pvalue,
                "adjusted_pvalue": max(pvalue, float(adjusted[at])),
                "odds_ratio": count / reverse if reverse else math.inf,
                "low": low,
                "high": high,
            }
        )
    return tuple(parts)


def _binomial_pvalues(pairs: LabelPairs) -> FloatArray:
    """Exact two-sided p-values of Binomial(t, 1/2), of all pairs at once."""
    fewer = np.minimum(pairs.forward, pairs.backward)
    tails = betainc(pairs.totals - fewer, fewer + 1, 0.5)
    return np.clip(2 * tails, SMALLEST, 1.0)


def odds_limits(count: int, reverse: int, level: float) -> tuple[float, float]:
    """Exact limits of the odds that a record of a pair is one way round.

    Those of Clopper and Pearson for its share, as share / (1 - share).
    """
    tail = alpha_of(level) / 2
    low, inverse = _least_odds(count, reverse, tail), _least_odds(reverse, count, tail)
    return low, 1 / inverse if inverse else math.inf


def _least_odds(count: int, reverse: int, tail: float) -> float:
    if count == 0:
        return 0.0
    share = float(betaincinv(count, reverse + 1, tail))
    # The complement is found for itself, so that no digits cancel.
    return share / float(betaincinv(reverse + 1, count, 1 - tail))
