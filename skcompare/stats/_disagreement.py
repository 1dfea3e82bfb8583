"""How often two classifiers differ, with Wilson's interval."""

import math
from functools import partial

from scipy.special import ndtri

from skcompare._core.validation import alpha_of
from skcompare._registry.tests import paired_test
from skcompare.evidence import AgreementMatrix, ContingencyTable
from skcompare.stats._result import PairedResult
from skcompare.stats._scales import DISAGREEMENT, reading

DESCRIPTIVE = "descriptive"


@paired_test(
    "disagreement",
    title="Disagreement",
    needs=ContingencyTable,
    kind="association",
    measures="error disagreement",
    designs=("holdout",),
    references=("Skalak1996", "Wilson1927"),
)
def disagreement(table: ContingencyTable) -> PairedResult:
    """How often is exactly one of two classifiers right?

    The share of records that one classifier answers rightly and the other wrongly [1]_.
    Two that never differ in this way cannot correct each other. It describes the two and
    tests no hypothesis: which of them is right more often is what
    :func:`~skcompare.stats.mcnemar` tests.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by who was right, from a hold-out set.

    Returns
    -------
    result : PairedResult
        `estimate` is the share, and the interval is Wilson's [2]_. Statistic and p-value
        are NaN, flagged "descriptive". `remark` has the share in words.

    Notes
    -----
    With more than two classes, records on which both are wrong with different labels do
    not count here, but do in :func:`~skcompare.stats.label_disagreement`. Identical
    answers give 0 with an interval from 0 to z² / (n + z²).

    References
    ----------
    .. [1] Skalak, D. B. (1996). "The sources of increased accuracy for two proposed
       boosting algorithms." AAAI Workshop on Integrating Multiple Learned Models.
    .. [2] Wilson, E. B. (1927). "Probable inference, the law of succession, and
       statistical inference." JASA 22(158), 209-212.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import disagreement
    >>> result = disagreement(ContingencyTable(150, 25, 15, 10))
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.estimate:.2f} [{low:.3f}, {high:.3f}]")
    0.20 [0.150, 0.261]

    .. versionadded:: 0.1
    """
    return _share(table.n_discordant, table.n, "disagreement")


@paired_test(
    "label_disagreement",
    title="Label disagreement",
    needs=AgreementMatrix,
    kind="association",
    measures="label disagreement",
    designs=("holdout",),
    references=("Ho1998", "Wilson1927"),
)
def label_disagreement(matrix: AgreementMatrix) -> PairedResult:
    """How often do two classifiers give different labels?

    The share of records with different labels, whoever is right [1]_; the truth is not
    needed. It describes the two and tests no hypothesis.

    Parameters
    ----------
    matrix : AgreementMatrix
        Counts of records by the two labels, from a hold-out set.

    Returns
    -------
    result : PairedResult
        `estimate` is the share, and the interval is Wilson's [2]_. Statistic and p-value
        are NaN, flagged "descriptive". `remark` has the share in words.

    Notes
    -----
    It is at least the :func:`~skcompare.stats.disagreement` of right and wrong answers,
    and equal to it for two classes. Identical answers give 0 with an interval from 0 to
    z² / (n + z²).

    References
    ----------
    .. [1] Ho, T. K. (1998). "The random subspace method for constructing decision
       forests." IEEE Transactions on Pattern Analysis and Machine Intelligence 20(8),
       832-844.
    .. [2] Wilson, E. B. (1927). "Probable inference, the law of succession, and
       statistical inference." JASA 22(158), 209-212.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> from skcompare.stats import label_disagreement
    >>> matrix = AgreementMatrix([[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"])
    >>> result = label_disagreement(matrix)
    >>> print(f"{result.estimate:.2f}: {result.remark}")
    0.20: the two differ on some of these records

    .. versionadded:: 0.1
    """
    return _share(matrix.n - matrix.n_agreed, matrix.n, "label disagreement")


def _share(differing: float, n: float, name: str) -> PairedResult:
    share = differing / n
    return PairedResult(
        statistic=math.nan,
        pvalue=math.nan,
        log_pvalue=math.nan,
        df=None,
        estimate=share,
        estimate_name=name,
        champion=None,
        challenger=None,
        alternative="two-sided",
        method="Wilson interval",
        n=n,
        limits=partial(wilson_limits, differing, n),
        flags=(DESCRIPTIVE,),
        details={"differing": differing},
        remark=reading(DISAGREEMENT, share),
    )


def wilson_limits(
    count: float, n: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Wilson's score interval of a share; two-sided whatever the alternative."""
    z = -float(ndtri(alpha_of(confidence_level) / 2))
    return _lower_limit(count, n, z), 1 - _lower_limit(n - count, n, z)


def _lower_limit(count: float, n: float, z: float) -> float:
    # The smaller root of (n + z²) p² - (2 count + z²) p + count² / n, divided by the
    # larger one so that no digits cancel and no record gives exactly 0.
    larger = count + z * z / 2 + z * math.sqrt(count * (n - count) / n + z * z / 4)
    return count * count / n / larger
