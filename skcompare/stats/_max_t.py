"""Adjustment of several comparisons by the resampled greatest statistic."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import CorrectnessPatterns

MOST_DRAWS = 1 << 24
"""Random numbers, a second's worth, above which normal ones are drawn instead."""

AT_ONCE = 1 << 20
"""Numbers of a kind that are held at a time."""

SLACK = 1e-12
"""Statistics this close are equal, for those above 1 relative to them."""

MAX_T_NORMAL = "max-t-normal"


def max_t_pvalues(
    patterns: CorrectnessPatterns,
    first: IntArray,
    second: IntArray,
    *,
    alternative: str = "two-sided",
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Adjusted p-values of pairs of classifiers by Westfall and Young's step-down max-T.

    Comparisons that share their records are dependent, and Holm's adjustment of exact
    p-values, which allows for any dependence, mostly asks more than it need. (Of mid-p
    ones, which are smaller, it may ask less.) Here each statistic is compared
    with the greatest of all that are still in question [1]_, over resamples in which no
    classifier is better than another: for each record a fair coin says whether right and
    wrong are exchanged, for all classifiers at once [3]_. For one pair these are the
    exchanges of the exact McNemar test, and between pairs they keep the dependence.

    The family-wise error rate is held exactly where each pattern of right and wrong is as
    likely as its opposite, which is more than equal accuracies. Otherwise it is held for
    many records, whichever classifiers differ: the exchanges give the differences of
    equally accurate classifiers their true covariances whatever the others do (subset
    pivotality [1]_, in the limit), and the greatest of fewer statistics is never greater,
    which is what stepping down needs [2]_.

    Parameters
    ----------
    patterns : CorrectnessPatterns
        Who was right on each record.
    first, second : ndarray of shape (n_pairs,)
        Positions of champion and challenger of each pair.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    n_resamples : int, default=9999
        Resamples.
    random_state : int, RandomState instance or None, default=0
        Seed.

    Returns
    -------
    adjusted : ndarray of shape (n_pairs,)
        (1 + resamples whose greatest statistic is as extreme) / (1 + resamples), no
        smaller for a pair with a smaller statistic. The statistic is the root of
        McNemar's chi-squared without correction.
    flags : tuple of str
        "max-t-normal" where patterns are so many that a resample would take a random
        number for nearly every record. The greatest statistic of normal differences with
        the same covariances is drawn then.

    Notes
    -----
    One-sided, each resample counts with its opposite, so that exchanged roles give
    exactly the opposite. The resamples do not depend on the order of the records, nor on
    that of classifiers with names.

    References
    ----------
    .. [1] Westfall, P. H. and Young, S. S. (1993). Resampling-Based Multiple Testing.
       Wiley.
    .. [2] Romano, J. P. and Wolf, M. (2005). "Exact and approximate stepdown methods for
       multiple hypothesis testing." Journal of the American Statistical Association
       100(469), 94-108.
    .. [3] Klingenberg, B. and Agresti, A. (2006). "Multivariate extensions of McNemar's
       test." Biometrics 62(3), 921-928.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import CorrectnessPatterns
    >>> from skcompare.stats._max_t import max_t_pvalues
    >>> patterns = CorrectnessPatterns.from_counts(
    ...     {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3}
    ... )
    >>> adjusted, _ = max_t_pvalues(patterns, np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> adjusted.round(2).tolist()
    [0.08, 0.1, 1.0]

    .. versionadded:: 0.1
    """
    rng = check_random_state(random_state)
    discordant = patterns.discordant
    spread = (discordant + discordant.T)[first, second]
    # Without discordant records the statistic is 0, here and in each resample.
    root = np.sqrt(np.maximum(spread, 1))[:, np.newaxis]
    correct = patterns.n_correct[:, np.newaxis]
    sign = -1.0 if alternative == "less" else 1.0
    two_sided = alternative == "two-sided"

    def statistics(counts: FloatArray | IntArray) -> FloatArray:
        values = sign * (counts[second] - counts[first]) / root
        return np.abs(values) if two_sided else values

    observed = statistics(correct)
    order = np.argsort(-observed[:, 0], kind="stable")
    bars = (observed - SLACK * np.maximum(1, np.abs(observed)))[order]
    draws, flags = _exchanged(patterns, len(first), n_resamples, rng)
    extreme = np.ones(len(order))
    if not two_sided:
        extreme += _at_least(-observed[order], bars)
    for counts in draws:
        drawn = statistics(counts)[order]
        extreme += _at_least(drawn, bars)
        if not two_sided:
            extreme += _at_least(-drawn, bars)
    adjusted = np.empty(len(order))
    ways = 1 if two_sided else 2
    adjusted[order] = np.maximum.accumulate(extreme / (ways * (n_resamples + 1)))
    return adjusted, flags


def _at_least(drawn: FloatArray, bars: FloatArray) -> IntArray:
    """Draws in which the greatest of a statistic and those after it reaches its bar."""
    greatest = np.maximum.accumulate(drawn[::-1], axis=0)[::-1]
    return np.count_nonzero(greatest >= bars, axis=1)


def _exchanged(
    patterns: CorrectnessPatterns, n_pairs: int, n_resamples: int, rng: Any
) -> tuple[Iterator[FloatArray], tuple[str, ...]]:
    """Right answers of each classifier, up to a number that is common to all.

    Arrays of shape (n_classifiers, some of the resamples), where exchanged records count
    as -1 and others as 1, and flags.
    """
    # By name, so that the order of the classifiers changes no resample.
    by_name = np.argsort(patterns.names)
    marks, counts = _opposites_together(patterns, by_name)
    normal = len(counts) * n_resamples > MOST_DRAWS
    width = max(n_pairs, 1 if normal else len(counts))
    sizes = _parts(n_resamples, max(1, AT_ONCE // width))

    def draws() -> Iterator[FloatArray]:
        root = _root(patterns.both_correct[np.ix_(by_name, by_name)]) if normal else None
        for size in sizes:
            if root is None:
                heads = rng.binomial(counts, 0.5, size=(size, len(counts)))
                drawn = (2.0 * heads - counts) @ marks
            else:
                drawn = rng.standard_normal((size, len(root))) @ root
            sums = np.empty((patterns.n_classifiers, size))
            sums[by_name] = drawn.T
            yield sums

    return draws(), (MAX_T_NORMAL,) if normal else ()


def _opposites_together(
    patterns: CorrectnessPatterns, order: IntArray
) -> tuple[FloatArray, IntArray]:
    """Patterns that are not alike for all, each with its opposite, and their records.

    An exchange turns a pattern into its opposite, so that resamples do not tell them
    apart.
    """
    marks, counts = patterns.distinct()
    marks = marks[:, order]
    marks = marks ^ marks[:, :1]
    together, where = np.unique(marks, axis=0, return_inverse=True)
    sums = np.zeros(len(together), dtype=np.int64)
    np.add.at(sums, where.ravel(), counts)
    kept = together.any(axis=1)
    return together[kept].astype(float), sums[kept]


def _root(covariance: IntArray) -> FloatArray:
    """The symmetric root of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(covariance.astype(float))
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def _parts(total: int, most: int) -> list[int]:
    """Sizes of parts of at most `most` that add to the total."""
    return [min(most, total - start) for start in range(0, total, most)]
