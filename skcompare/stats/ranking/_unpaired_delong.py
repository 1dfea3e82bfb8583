"""DeLong's test of two AUCs on two independent test sets."""

import math
from collections.abc import Callable
from fractions import Fraction

from skcompare._core.validation import check_alternative, check_choice
from skcompare.evidence import PlacementValues
from skcompare.stats.core._limits import DIFFERENCE, any_difference
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald, studentised
from skcompare.stats.ranking._delong import check_auc_difference
from skcompare.stats.ranking._placement_moments import (
    check_members,
    contrast,
    role_parts,
    score_flags,
)

DEGREES = ("welch", "normal")
GROUPED = "invalid-design"


def unpaired_delong(
    champion: PlacementValues,
    challenger: PlacementValues,
    *,
    df: str = "welch",
    alternative: str = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Compare two AUCs on independent test sets by DeLong's test.

    The null hypothesis is that the two trained classifiers, each with a test set of its
    own, have the same area under the ROC curve; or, with another `null_value`, that they
    differ by that much. The test sets are independent, as those of two hospitals are;
    scores for the same records are compared by :func:`~skcompare.stats.delong`, which has
    more power.

    Parameters
    ----------
    champion, challenger : PlacementValues
        Scores of one classifier each, for the records of its own hold-out set.
    df : {"welch", "normal"}, default="welch"
        Student's t with the degrees of freedom of Welch and Satterthwaite, as the package
        pROC for R does, or the normal distribution [1]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the difference is above the null value.
    null_value : float, default=0.0
        Difference of the AUCs under the null hypothesis, challenger minus champion.

    Returns
    -------
    result : PairedResult
        `estimate` is AUC(challenger) - AUC(champion), `n` the records of both test sets,
        and the interval agrees with the p-value. `parts` has each AUC with its variance and
        its logit interval.

    Raises
    ------
    ValueError
        If placement values are of several classifiers, or a class has fewer than two
        records in a test set.

    Notes
    -----
    Two perfect rankings leave no difference and no variance: the statistic is 0, p is 1,
    flagged "degenerate". A difference without variance has no p-value (NaN, flagged
    "zero-variance") and an interval from -1 to 1.

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.

    Examples
    --------
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import unpaired_delong
    >>> champion = PlacementValues.from_predictions(
    ...     [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
    ...     [0.1, 0.6, 0.3, 0.8, 0.4, 0.5, 0.2, 0.7, 0.9, 0.6],
    ... )
    >>> challenger = PlacementValues.from_predictions(
    ...     [0, 0, 0, 0, 1, 1, 1, 1],
    ...     [0.2, 0.1, 0.4, 0.6, 0.7, 0.5, 0.8, 0.9],
    ... )
    >>> result = unpaired_delong(champion, challenger)
    >>> print(f"{result.estimate:.3f}, df {result.df:.2f}, p = {result.pvalue:.3f}")
    0.278, df 12.47, p = 0.214
    """
    check_choice("df", df, DEGREES)
    check_alternative(alternative)
    null = check_auc_difference(null_value)
    (auc1, variance1), (auc2, variance2) = [
        _auc_and_variance(role, placements)
        for role, placements in (("champion", champion), ("challenger", challenger))
    ]
    estimate, variance = auc2 - auc1, variance1 + variance2
    degrees = None
    if df == "welch" and variance:
        shares = variance1**2 / (champion.n - 1) + variance2**2 / (challenger.n - 1)
        degrees = float(variance**2 / shares)
    statistic, tail, flags = studentised(
        estimate - Fraction(null), math.sqrt(variance), degrees, alternative
    )
    if champion.design.name != "holdout" or challenger.design.name != "holdout":
        flags += (GROUPED,)
    flags += tuple(dict.fromkeys(score_flags(champion) + score_flags(challenger)))
    limits: Callable[[float, str], tuple[float, float]] = any_difference
    # Two perfect rankings differ by 0 without variance, which is no evidence of equality.
    if variance:
        error = math.sqrt(variance)
        limits = Wald(float(estimate), error, degrees, DIFFERENCE).limits
    return PairedResult(
        statistic=statistic,
        pvalue=tail[0],
        log_pvalue=tail[1],
        df=degrees,
        estimate=float(estimate),
        estimate_name="difference of AUCs",
        champion=float(auc1),
        challenger=float(auc2),
        alternative=alternative,
        method=df,
        n=champion.n + challenger.n,
        limits=limits,
        null_value=null,
        flags=flags,
        details=_details(champion, challenger) | {"standard_error": math.sqrt(variance)},
        parts=tuple(
            part
            for placements, auc_variance in ((champion, variance1), (challenger, variance2))
            for part in role_parts(placements, [float(auc_variance)])
        ),
        test="unpaired_delong",
        design=str(champion.design),
    )


def _auc_and_variance(role: str, placements: PlacementValues) -> tuple[Fraction, Fraction]:
    """AUC and its variance, from placement values of a single classifier."""
    if not isinstance(placements, PlacementValues):
        raise TypeError(
            f"unpaired_delong needs PlacementValues. Got {type(placements).__name__} for "
            f"`{role}`. Make them by PlacementValues.from_predictions(y_true, y_score)."
        )
    if placements.n_scores != 1:
        raise ValueError(
            f"`{role}` must have the scores of one classifier. Got {placements.n_scores}: "
            f"{', '.join(placements.names)}. Scores for the same records are compared by "
            "delong."
        )
    check_members(placements, "unpaired_delong")
    return contrast(placements, (1,))


def _details(champion: PlacementValues, challenger: PlacementValues) -> dict[str, float]:
    return {
        "n_positives_champion": champion.n_positives,
        "n_negatives_champion": champion.n_negatives,
        "n_positives_challenger": challenger.n_positives,
        "n_negatives_challenger": challenger.n_negatives,
    }
