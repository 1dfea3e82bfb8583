"""Yule's Q of the errors of two classifiers, and rates of their disagreement."""

import math
from functools import partial
from typing import Any

from scipy.special import ndtri

from skcompare._core.validation import alpha_of
from skcompare._registry.tests import paired_test
from skcompare.evidence import AgreementMatrix, ContingencyTable
from skcompare.stats.accuracy._proportional_z import (
    SMALL_EXPECTED,
    FixedMargins,
    is_exact,
    is_sparse,
)
from skcompare.stats.core._effect_size_wording import (
    DISAGREEMENT,
    NEVER_ALONE,
    NEVER_BOTH,
    YULE_Q,
    reading,
)
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import normal_pvalue

UNDEFINED = "undefined-q"
ZERO_CELL = "zero-cell"


@paired_test(
    "yule_q",
    title="Yule's Q",
    kind="association",
    measures="error agreement",
    references=("Yule1900", "Kuncheva2003", "Fisher1935"),
    preferred=True,
)
def yule_q(table: ContingencyTable, *, method: str = "auto") -> PairedResult:
    """Do the errors of two classifiers fall on the same records?

    Q = (ad - bc) / (ad + bc), where a records are predicted correctly by both, b and c by
    one of the two, and d by neither [1]_. It is (r - 1) / (r + 1) of the odds ratio r = ad
    / bc. The null hypothesis is that errors are independent, Q = 0. Low values are
    desirable in an ensemble [2]_.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by which classifiers were correct, from a hold-out set.
    method : {"auto", "asymptotic", "exact"}, default="auto"
        How the p-value is computed: by the logarithm of the odds ratio, which is about
        normal, or exactly, given both accuracies. "auto" is exact where independent errors
        would give a cell fewer than 5 records. With a count of 0 there is no standard
        error, and all are exact.

    Returns
    -------
    result : PairedResult
        `estimate` is Q. `statistic` is the logarithm of the odds ratio over its standard
        error, or in the exact test the number of records that both predict correctly. The
        interval is mapped from that of the odds ratio. `details` holds the odds ratio, and
        the standard error of Q (`se`) where there is one. `remark` describes Q.

    Raises
    ------
    ValueError
        If counts are fractional, and the exact test is requested or a count is 0: it needs
        whole counts.

    Notes
    -----
    Q = 1 says that one of the two is never right alone, but the other may be; Q = -1 that
    they are never both wrong, or never both right. Both take no more than one empty cell,
    so look at the interval. A count of 0 is flagged "zero-cell".

    The exact p-value is twice the smaller tail of Fisher's test [3]_, at most 1, and the
    interval has the limits of his conditional odds ratio, so that 0 is outside exactly when
    p is small. It is made to hold Q, which is that of the sample and not the conditional
    one. An asymptotic p-value where independent errors would give a cell fewer than 5
    records is flagged "small-expected-counts".

    If a classifier is always right, or always wrong, both products are 0 and Q is NaN,
    flagged "undefined-q".

    References
    ----------
    .. [1] Yule, G. U. (1900). "On the association of attributes in statistics."
       Philosophical Transactions of the Royal Society A 194, 257-319.
    .. [2] Kuncheva, L. I. and Whitaker, C. J. (2003). "Measures of diversity in
       classifier ensembles and their relationship with the ensemble accuracy." Machine
       Learning 51(2), 181-207.
    .. [3] Fisher, R. A. (1935). "The logic of inductive inference." Journal of the Royal
       Statistical Society 98(1), 39-82.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import yule_q
    >>> result = yule_q(ContingencyTable(150, 25, 15, 10))
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.estimate:.1f} [{low:.3f}, {high:.3f}]: {result.remark}")
    0.6 [0.175, 0.829]: errors tend to fall on the same records
    """
    together = table.both_correct * table.both_wrong
    apart = table.only_champion * table.only_challenger
    exact = is_exact(table, method)
    if together == apart == 0:
        undefined = (math.nan,) * 3
        limits = partial(_constant_limits, math.nan)
        return _result(table, math.nan, undefined, limits, flags=(UNDEFINED,))
    if together == 0 or apart == 0:
        return _zero_cell_result(table, together > 0)
    q = (together - apart) / (together + apart)
    cells = (
        table.both_correct,
        table.only_champion,
        table.only_challenger,
        table.both_wrong,
    )
    se = math.sqrt(math.fsum(1 / cell for cell in cells))
    fields = {
        "details": {"odds_ratio": together / apart, "se": (1 - q * q) / 2 * se},
        "remark": reading(YULE_Q, q),
    }
    if exact:
        return _exact_result(table, q, **fields)
    # Either way round the quotient is at least 1, so that swapped cells only change sign.
    if together >= apart:
        log_odds = math.log1p((together - apart) / apart)
    else:
        log_odds = -math.log1p((apart - together) / together)
    z = log_odds / se
    return _result(
        table,
        q,
        (z, *normal_pvalue(z, "two-sided")),
        partial(_normal_limits, log_odds, se),
        flags=(SMALL_EXPECTED,) if is_sparse(table) else (),
        **fields,
    )


def _result(
    table: ContingencyTable, q: float, test: tuple[float, ...], limits: Any, **more: Any
) -> PairedResult:
    statistic, pvalue, log_pvalue = test
    fields = {"method": "asymptotic"} | more
    return PairedResult(
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        estimate=q,
        estimate_name="Yule's Q",
        limits=limits,
        **fields,
    )


def _zero_cell_result(table: ContingencyTable, positive: bool) -> PairedResult:
    """Create the result of a table with an empty cell, or with two on one diagonal."""
    if table.fractional:
        raise ValueError(
            "Yule's Q of a table with a count of 0 needs whole counts, because its test is "
            f"exact. Got the fractional table {table}. Pass integers."
        )
    return _exact_result(
        table,
        1.0 if positive else -1.0,
        flags=(ZERO_CELL,),
        details={"odds_ratio": math.inf if positive else 0.0},
        remark=NEVER_ALONE if positive else NEVER_BOTH,
    )


def _exact_result(table: ContingencyTable, q: float, **more: Any) -> PairedResult:
    tables = FixedMargins.of(table)
    test = float(table.both_correct), *tables.pvalue()
    return _result(
        table, q, test, partial(_exact_limits, tables, q), method="exact", **more
    )


def _constant_limits(
    value: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    return value, value


def _normal_limits(
    log_odds: float, se: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    reach = -float(ndtri(alpha_of(confidence_level) / 2)) * se
    return math.tanh((log_odds - reach) / 2), math.tanh((log_odds + reach) / 2)


def _exact_limits(
    tables: FixedMargins, q: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Limits of Q from those of the odds ratio, widened to include Q despite rounding."""
    low, high = tables.log_odds_limits(confidence_level)
    return min(math.tanh(low / 2), q), max(math.tanh(high / 2), q)


DESCRIPTIVE = "descriptive"


@paired_test(
    "disagreement",
    title="Disagreement",
    kind="association",
    measures="error disagreement",
    references=("Skalak1996", "Wilson1927"),
)
def disagreement(table: ContingencyTable) -> PairedResult:
    """How often is exactly one of two classifiers right?

    The share of records that one classifier predicts correctly and the other wrongly [1]_.
    Two that never differ in this way cannot correct each other. It describes the two and
    tests no hypothesis: which of them is more accurate is tested by
    :func:`~skcompare.stats.mcnemar`.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by which classifiers were correct, from a hold-out set.

    Returns
    -------
    result : PairedResult
        `estimate` is the share, and the interval is Wilson's [2]_. Statistic and p-value
        are NaN, flagged "descriptive". `remark` describes the share.

    Notes
    -----
    With more than two classes, records on which both are wrong with different labels do not
    count here, but do in :func:`~skcompare.stats.label_disagreement`. Identical predictions
    give 0 with an interval from 0 to z² / (n + z²).

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
    """
    return _share(table.n_discordant, table.n, "disagreement")


@paired_test(
    "label_disagreement",
    title="Label disagreement",
    kind="association",
    measures="label disagreement",
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
        are NaN, flagged "descriptive". `remark` describes the share.

    Notes
    -----
    It is at least the :func:`~skcompare.stats.disagreement` of correct and wrong
    predictions, and equal to it for two classes. Identical predictions give 0 with an
    interval from 0 to z² / (n + z²).

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
    """
    return _share(matrix.n - matrix.n_agreed, matrix.n, "label disagreement")


def _share(differing: float, n: float, name: str) -> PairedResult:
    share = differing / n
    return PairedResult(
        statistic=math.nan,
        pvalue=math.nan,
        log_pvalue=math.nan,
        estimate=share,
        estimate_name=name,
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
    """Wilson score interval of a share, always two-sided."""
    z = -float(ndtri(alpha_of(confidence_level) / 2))
    return _lower_limit(count, n, z), 1 - _lower_limit(n - count, n, z)


def _lower_limit(count: float, n: float, z: float) -> float:
    # The smaller root of (n + z²) p² - (2 count + z²) p + count² / n, divided by the
    # larger one so that no digits cancel and no record gives exactly 0.
    larger = count + z * z / 2 + z * math.sqrt(count * (n - count) / n + z * z / 4)
    return count * count / n / larger
