"""What is said of the precisions of several pairs of classifiers."""

from dataclasses import dataclass
from typing import ClassVar

from scipy.special import ndtr

from skcompare._core.design import Design
from skcompare._core.formatting import format_pvalue
from skcompare._typing import FloatArray
from skcompare.stats._pairwise_rows import SETTINGS, PairwiseRows
from skcompare.stats._result import PairedResult
from skcompare.stats._score_limits import interval_level


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwisePrecisionResult(PairwiseRows):
    """Tests of the precisions of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    estimate : ndarray of shape (n_pairs,)
        Challenger less champion, or over champion, as `scale` says.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        Signed roots, standard normal if two classifiers are equal, p-values, and those
        adjusted for the number of pairs.
    low, high : ndarray of shape (n_pairs,)
        Limits of the estimates, at `interval_level`.
    n : int
        Answers of each classifier.
    label : object
        The class.
    score, scale, method, adjust, alternative : str
        As they were asked for.
    control : str or None
        The classifier that the others are compared with.
    confidence_level : float
        At which the intervals hold together.
    omnibus : PairedResult
        :func:`~skcompare.stats.precision_several` of all classifiers.
    critical : float
        How many standard errors, or how large a score, the limits are away.
    flags : tuple of str
        Codes of caveats; `caveats` has their words.
    monte_carlo_error : ndarray of shape (n_pairs,) or None
        Standard errors of adjusted p-values that are drawn, as by "max-t".

    .. versionadded:: 0.1
    """

    columns: ClassVar[tuple[str, ...]] = (
        "estimate",
        "statistic",
        "pvalue",
        "adjusted_pvalue",
        "low",
        "high",
    )
    settings: ClassVar[tuple[str, ...]] = ("label", "score", "scale", "method", *SETTINGS)

    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    n: int
    label: object
    score: str
    scale: str
    method: str
    adjust: str
    alternative: str
    control: str | None
    confidence_level: float
    omnibus: PairedResult
    design: Design
    critical: float
    flags: tuple[str, ...] = ()
    monte_carlo_error: FloatArray | None = None

    def __repr__(self) -> str:
        return (
            f"PairwisePrecisionResult({len(self)} pairs, scale={self.scale!r}, "
            f"adjust={self.adjust!r}, control={self.control!r}, n={self.n})"
        )

    def __str__(self) -> str:
        return self._text(
            f"pairwise {self.score} of class {self.label!r} ({self.method}, {self.scale})"
        )

    @property
    def interval_level(self) -> float:
        """Confidence level of each interval.

        All hold together at `confidence_level`: by the distribution of the greatest
        statistic for adjust="max-t", and by Bonferroni's inequality otherwise, but for
        adjust="none", where each holds by itself.
        """
        if self.adjust != "max-t":
            return interval_level(self.confidence_level, self.adjust, len(self))
        beyond = float(ndtr(-self.critical))
        return 1 - (2 if self.alternative == "two-sided" else 1) * beyond

    def _table(self) -> list[str]:
        rows = [("champion", "challenger", self.scale, "interval", "p", "adjusted p")]
        sign = "+" if self.scale == "difference" else ""
        rows += [
            (
                row["champion"],
                row["challenger"],
                f"{row['estimate']:{sign}.4f}",
                f"[{row['low']:.4f}, {row['high']:.4f}]",
                format_pvalue(row["pvalue"]),
                format_pvalue(row["adjusted_pvalue"]),
            )
            for row in self.to_dict()["pairs"]
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [
            "  ".join(
                cell.ljust(width) if i < 2 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
