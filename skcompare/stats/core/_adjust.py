"""Adjusted p-values for several tests."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from skcompare._core.validation import check_choice
from skcompare._typing import FloatArray

Adjustment = Literal["holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"]
ADJUSTMENTS: tuple[str, ...] = get_args(Adjustment)

ADJUSTMENT_REFERENCES = {
    "holm": ("Holm1979",),
    "hochberg": ("Hochberg1988",),
    "bonferroni": ("Dunn1961",),
    "benjamini-hochberg": ("Benjamini1995",),
    "max-t": ("Westfall1993", "Hothorn2008"),
}
"""Keys of the sources of adjustments, also of that by a joint distribution."""


def adjust_pvalues(pvalues: Sequence[float], method: str = "holm") -> FloatArray:
    """Adjust p-values for the number of tests.

    Parameters
    ----------
    pvalues : array-like of shape (n_tests,)
        Raw p-values. An undefined one (NaN) counts as a test with p = 1, so that it
        weakens no correction, and stays undefined.
    method : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}
        "holm" (default) [1]_ and "bonferroni" [2]_ hold the family-wise error rate under
        any dependence, "hochberg" [3]_ under independence or positive dependence;
        "benjamini-hochberg" [4]_ holds, under the same, the false discovery rate only.

    Returns
    -------
    adjusted : ndarray of shape (n_tests,)
        At most 1, in the order given.

    References
    ----------
    .. [1] Holm, S. (1979). "A simple sequentially rejective multiple test procedure."
       Scandinavian Journal of Statistics 6(2), 65-70.
    .. [2] Dunn, O. J. (1961). "Multiple comparisons among means." Journal of the American
       Statistical Association 56(293), 52-64.
    .. [3] Hochberg, Y. (1988). "A sharper Bonferroni procedure for multiple tests of
       significance." Biometrika 75(4), 800-802.
    .. [4] Benjamini, Y. and Hochberg, Y. (1995). "Controlling the false discovery rate: a
       practical and powerful approach to multiple testing." Journal of the Royal
       Statistical Society B 57(1), 289-300.

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
