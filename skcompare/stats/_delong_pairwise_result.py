"""What is said of the AUCs of several pairs of classifiers: a row a pair, and a text."""

from dataclasses import dataclass, fields
from typing import Any

from skcompare._design import Design
from skcompare._flags import explain
from skcompare._frames import frame_from_columns
from skcompare._typing import FloatArray
from skcompare._wording import format_pvalue
from skcompare.stats._result import PairedResult

__all__ = ["PairwiseAUCResult", "interval_level"]

COLUMNS = (
    "difference",
    "standard_error",
    "statistic",
    "pvalue",
    "adjusted_pvalue",
    "low",
    "high",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseAUCResult:
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

    def __post_init__(self) -> None:
        for name in (*COLUMNS, "monte_carlo_error"):
            if getattr(self, name) is not None:
                getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.champion)

    def __repr__(self) -> str:
        return (
            f"PairwiseAUCResult({len(self)} pairs, adjust={self.adjust!r}, "
            f"control={self.control!r}, n={self.n})"
        )

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        return PairwiseAUCResult, tuple(getattr(self, f.name) for f in fields(self))

    @property
    def interval_level(self) -> float:
        """Confidence level of each interval.

        All hold together at `confidence_level` by Bonferroni's inequality, but for
        adjust="none", where each holds by itself.
        """
        return interval_level(self.confidence_level, self.adjust, len(self))

    @property
    def caveats(self) -> list[str]:
        """The flags with their words."""
        return explain(self.flags)

    def to_dict(self) -> dict[str, Any]:
        """All values as plain ones; a pair is a dict."""
        columns = self._columns()
        pairs = zip(*columns.values(), strict=True)
        return {
            "adjust": self.adjust,
            "alternative": self.alternative,
            "control": self.control,
            "confidence_level": self.confidence_level,
            "interval_level": self.interval_level,
            "n": self.n,
            "design": str(self.design),
            "flags": list(self.flags),
            "pairs": [dict(zip(columns, pair, strict=True)) for pair in pairs],
            "omnibus": self.omnibus.to_dict(),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """The pairs as a frame, a row a pair.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.
        """
        return frame_from_columns(self._columns(), backend)

    def __str__(self) -> str:
        rows = [("champion", "challenger", "difference", "interval", "p", "adjusted p")]
        rows += [
            (
                row["champion"],
                row["challenger"],
                f"{row['difference']:+.4f}",
                f"[{row['low']:.4f}, {row['high']:.4f}]",
                format_pvalue(row["pvalue"]),
                format_pvalue(row["adjusted_pvalue"]),
            )
            for row in self.to_dict()["pairs"]
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = [
            "  ".join(
                cell.ljust(width) if i < 2 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        omnibus = self.omnibus
        lines = [
            f"pairwise DeLong, {self.alternative}, n = {self.n}, p adjusted by "
            f"{self.adjust}, intervals at {100 * self.interval_level:.6g} %",
            f"{omnibus.test} ({omnibus.method}): statistic {omnibus.statistic:.4g}, "
            f"df {omnibus.df:g}, p {format_pvalue(omnibus.pvalue)}",
            *table,
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])

    def _columns(self) -> dict[str, list[Any]]:
        roles = {"champion": list(self.champion), "challenger": list(self.challenger)}
        columns = roles | {name: getattr(self, name).tolist() for name in COLUMNS}
        if self.monte_carlo_error is not None:
            columns["monte_carlo_error"] = self.monte_carlo_error.tolist()
        return columns


def interval_level(confidence_level: float, adjust: str, n_pairs: int) -> float:
    """Confidence level of each interval, so that all hold together unless unadjusted."""
    if adjust == "none":
        return confidence_level
    return 1 - (1 - confidence_level) / n_pairs
