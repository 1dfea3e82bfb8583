"""What is said of the AUCs of several pairs of classifiers."""

from dataclasses import dataclass
from typing import ClassVar

from skcompare._core.design import Design
from skcompare._typing import FloatArray
from skcompare.stats._pairwise_rows import PairwiseRows
from skcompare.stats._result import PairedResult


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseAUCResult(PairwiseRows):
    """DeLong's tests of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    difference, standard_error : ndarray of shape (n_pairs,)
        AUC of the challenger less that of the champion, and its standard error.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        As of :func:`~skcompare.stats.delong`, and adjusted for the number of pairs.
    low, high : ndarray of shape (n_pairs,)
        Limits of the differences, at `interval_level`.
    n : int
        Records.
    adjust, alternative : str
        As they were asked for.
    control : str or None
        The classifier that the others are compared with.
    confidence_level : float
        At which the intervals hold.
    omnibus : PairedResult
        :func:`~skcompare.stats.delong_joint` of all classifiers.
    flags : tuple of str
        Codes of caveats; `caveats` has their words.
    monte_carlo_error : ndarray of shape (n_pairs,) or None
        Standard errors of adjusted p-values that are drawn, as by "max-t".

    .. versionadded:: 0.1
    """

    columns: ClassVar[tuple[str, ...]] = (
        "difference",
        "standard_error",
        "statistic",
        "pvalue",
        "adjusted_pvalue",
        "low",
        "high",
    )

    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    difference: FloatArray
    standard_error: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    n: int
    adjust: str
    alternative: str
    control: str | None
    confidence_level: float
    omnibus: PairedResult
    design: Design
    flags: tuple[str, ...] = ()
    monte_carlo_error: FloatArray | None = None

    def __repr__(self) -> str:
        return (
            f"PairwiseAUCResult({len(self)} pairs, adjust={self.adjust!r}, "
            f"control={self.control!r}, n={self.n})"
        )

    def __str__(self) -> str:
        return self._text("pairwise DeLong")
