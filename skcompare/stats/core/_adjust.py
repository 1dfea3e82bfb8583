"""Adjusted p-values for several tests."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from skcompare._core.validation import check_choice
from skcompare._typing import FloatArray

Adjustment = Literal["holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"]
ADJUSTMENTS: tuple[str, ...] = get_args(Adjustment)


def adjust_pvalues(pvalues: Sequence[float], method: str = "holm") -> FloatArray:
    """Adjust p-values for the number of tests.

    Parameters
    ----------
    pvalues : array-like of shape (n_tests,)
        Raw p-values. An undefined one (NaN) counts as a test with p = 1, so that it
        weakens no correction, and stays undefined.
    method : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}
        "holm" (default) and "bonferroni" hold the family-wise error rate under any
        dependence, "hochberg" under independence or positive dependence;
        "benjamini-hochberg" holds, under the same, the false discovery rate only.

    Returns
    -------
    adjusted : ndarray of shape (n_tests,)
        At most 1, in the order given.

    Examples
    --------
    >>> from skcompare.stats import adjust_pvalues
    >>> adjust_pvalues([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    check_choice("adjustment", method, ADJUSTMENTS)
    raw = np.asarray(pvalues, dtype=np.float64)
    if raw.ndim != 1:
        raise ValueError(
            f"`pvalues` must be of shape (n_tests,). Got shape {raw.shape}. Flatten them, "
            "or adjust each family of tests by itself."
        )
    defined = defined_pvalues("pvalues", raw)
    # Ties are adjusted alike, whatever their order.
    order = np.argsort(defined)
    n = len(raw)
    rank = np.arange(1, n + 1)
    ordered = defined[order]
    if method == "holm":
        ordered = np.maximum.accumulate((n - rank + 1) * ordered)
    elif method == "hochberg":
        ordered = np.minimum.accumulate(((n - rank + 1) * ordered)[::-1])[::-1]
    elif method == "bonferroni":
        ordered = n * ordered
    elif method == "benjamini-hochberg":
        ordered = np.minimum.accumulate((n * ordered / rank)[::-1])[::-1]
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(ordered, 1.0)
    return np.where(np.isnan(raw), np.nan, adjusted)


def defined_pvalues(name: str, values: FloatArray) -> FloatArray:
    """Check that p-values are probabilities, and replace undefined ones by 1."""
    defined = np.where(np.isnan(values), 1.0, values)
    outside = defined[(defined < 0) | (defined > 1)]
    if len(outside):
        raise ValueError(
            f"`{name}` must be in [0, 1], or NaN where undefined. Got {outside[0]}."
        )
    return defined
