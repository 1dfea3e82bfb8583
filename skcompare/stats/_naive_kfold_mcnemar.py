"""McNemar statistics of the folds of a cross-validation, added as if independent."""

import numpy as np

from skcompare._registry.tests import paired_test
from skcompare._typing import IntArray
from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.stats._mcnemar import accuracy_result
from skcompare.stats._mcnemar_methods import corrected_statistic
from skcompare.stats._result import PairedResult
from skcompare.stats._tails import chi2_pvalue

NAIVE = "naive"


@paired_test(
    "naive_kfold_mcnemar",
    title="naive K-fold McNemar's test",
    needs=PairedBlocks,
    kind="difference",
    measures="accuracy",
    designs=("kfold",),
    references=("Yang2023",),
    caution=NAIVE,
)
def naive_kfold_mcnemar(blocks: PairedBlocks) -> PairedResult:
    """Compare two learning algorithms by adding McNemar's statistics of K folds.

    The null hypothesis is that the two algorithms, trained on (K - 1)/K of the records,
    have equal accuracy. The corrected statistics of the K test sets are added, and the sum
    compared with chi-squared with K degrees of freedom, as if the folds were independent
    [1]_. They share training records, so that nothing guarantees the level; the authors
    advise against it and propose :func:`bcv_mcnemar`.

    Parameters
    ----------
    blocks : PairedBlocks
        Tables of the K test sets of one cross-validation, of shape (K, 4) or (1, K, 4): of
        ``KFold`` or ``StratifiedKFold``. K = 10 [1]_.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion) over all records.
        `statistic` is the sum, with K degrees of freedom. It has no direction: folds that
        favour different classifiers add up, so that there is no one-sided test and no
        interval. `parts` has the statistic of each fold, the largest first, and `details`
        the number of folds and the discordant counts. Every result is flagged "naive".

    Raises
    ------
    ValueError
        If the tables are those of several repetitions.

    Notes
    -----
    With b_k records of fold k that only the champion answers rightly, and c_k that only the
    challenger does::

        statistic = sum over k of max(0, |c_k - b_k| - 1)² / (b_k + c_k)

    A fold without discordant pairs adds 0, and there are K degrees of freedom even so. Each
    term is the statistic of ``mcnemar(method="corrected")``. Equation 5 of [1]_ lacks the
    maximum: without it, a fold in which as many discordant pairs favour either classifier
    would add to the evidence for a difference. The correction is made K times, so that few
    records a fold leave the test hardly any power, and leave-one-out none.

    Without discordant pairs the statistic is 0 and p is 1, flagged "degenerate".

    References
    ----------
    .. [1] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 3.

    Examples
    --------
    >>> from skcompare.evidence import PairedBlocks
    >>> from skcompare.stats import naive_kfold_mcnemar
    >>> blocks = PairedBlocks(
    ...     [[40, 2, 9, 4], [41, 3, 8, 3], [39, 4, 7, 5]], design="kfold"
    ... )
    >>> result = naive_kfold_mcnemar(blocks)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}")
    0.091, p = 0.1653

    .. versionadded:: 0.1
    """
    folds = _folds_of(blocks)
    against, favour = folds[:, 1].tolist(), folds[:, 2].tolist()
    terms = [
        corrected_statistic(b, c, 1.0)[0] for b, c in zip(against, favour, strict=True)
    ]
    statistic = sum(sorted(terms))
    both, only_champion, only_challenger, neither = folds.sum(axis=0).tolist()
    table = ContingencyTable(both, only_champion, only_challenger, neither)
    none = table.n_discordant == 0
    return accuracy_result(
        table,
        statistic,
        chi2_pvalue(statistic, len(folds)),
        df=len(folds),
        alternative="two-sided",
        method="sum of corrected chi-squared",
        n=blocks.n_records,
        limits=None,
        flags=("degenerate", "no-discordant-pairs") if none else (),
        details={
            "n_folds": float(len(folds)),
            "only_champion": table.only_champion,
            "only_challenger": table.only_challenger,
        },
        parts=_parts(against, favour, terms),
    )


def _folds_of(blocks: PairedBlocks) -> IntArray:
    """The tables of one cross-validation, a fold a row."""
    tables = blocks.tables
    if tables.ndim == 3 and len(tables) == 1:
        return tables[0]
    if tables.ndim == 3:
        raise ValueError(
            "naive_kfold_mcnemar needs the tables of one cross-validation, shape "
            f"(n_folds, 4) or (1, n_folds, 4). Got {tables.shape}. Pass one repetition, or "
            "use bcv_mcnemar for halves."
        )
    return tables


def _parts(
    against: list[int], favour: list[int], terms: list[float]
) -> tuple[dict[str, float], ...]:
    """What each fold adds, the largest first."""
    order = np.argsort([-term for term in terms], kind="stable").tolist()
    return tuple(
        {
            "fold": k,
            "only_champion": against[k],
            "only_challenger": favour[k],
            "statistic": terms[k],
        }
        for k in order
    )
