"""Compare answers that exist already."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

from skcompare._typing import ArrayLike
from skcompare.comparators._engine import check_settings, compare_pair
from skcompare.comparators._tests import named_tests
from skcompare.metrics import resolve_scoring
from skcompare.predictions import predictions_from_arrays
from skcompare.reports import Comparison

__all__ = ["compare"]


def compare(
    y_true: ArrayLike,
    answers: Mapping[str, ArrayLike],
    *,
    tests: Any = "auto",
    scoring: Any = "accuracy",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    adjust: str | None = "holm",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Comparison:
    """Compare the answers of two trained classifiers on one hold-out set.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    answers : mapping of str to array-like
        Two entries, the champion first: predicted labels of shape (n_samples,),
        probabilities of shape (n_samples, n_classes), or for two classes probabilities
        of `pos_label`, of shape (n_samples,).
    tests : "auto", str, list of str, or dict of str to dict, default="auto"
        Names of tests, with options in a dict. "auto" takes the design's default test
        of every measure; the primary measure always has it.
    scoring : str, callable, list of str, or dict, default="accuracy"
        What is compared, as in scikit-learn; the verdict comes from the first.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    alpha : float, default=0.05
        Level of the verdict; intervals have level 1 - `alpha`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"} or None
        How the p-values of all rows but the primary one are adjusted.
    pos_label : label, optional
        The positive class of two.
    labels : array-like of shape (n_classes,), optional
        All class labels, where `y_true` lacks some of them.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user). Tests that take records for independent
        do not run by default then.

    Returns
    -------
    comparison : Comparison
        Rows, verdict, and the report in many forms.

    See Also
    --------
    PairedComparator : Fits and compares two estimators.

    Examples
    --------
    >>> from skcompare import compare
    >>> y = [0, 1, 1, 0, 1, 1, 0, 1]
    >>> answers = {"old": [0, 1, 0, 1, 1, 0, 0, 1], "new": [0, 1, 1, 0, 1, 1, 0, 1]}
    >>> comparison = compare(y, answers)
    >>> comparison.verdict, round(comparison.results["mcnemar"].difference, 3)
    ('inconclusive', 0.375)

    .. versionadded:: 0.1
    """
    start = perf_counter()
    if not isinstance(answers, Mapping) or len(answers) != 2:
        count = len(answers) if isinstance(answers, Mapping) else type(answers).__name__
        raise ValueError(
            "`answers` must be a dict of two entries, the champion's and the challenger's, "
            f"in this order. Got {count}."
        )
    alternative, alpha, adjust = check_settings(alternative, alpha, adjust)
    asked, measures = named_tests(tests), resolve_scoring(scoring)
    predictions = predictions_from_arrays(
        y_true, answers, labels=labels, pos_label=pos_label, groups=groups
    )
    return compare_pair(
        predictions.pair(*answers),
        measures,
        asked,
        alternative=alternative,
        alpha=alpha,
        adjust=adjust,
        pos_label=pos_label,
        seconds=perf_counter() - start,
    )
