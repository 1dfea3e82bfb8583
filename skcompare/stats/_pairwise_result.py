"""What is said of several pairs of classifiers: a row a pair, and a text."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from skcompare._design import Design
from skcompare._flags import explain
from skcompare._frames import frame_from_columns
from skcompare._typing import FloatArray, IntArray
from skcompare._wording import format_pvalue
from skcompare.evidence import ContingencyTable
from skcompare.stats._mcnemar import mcnemar
from skcompare.stats._result import PairedResult

__all__ = ["PairwiseResult"]

COLUMNS = (
    "difference",
    "only_champion",
    "only_challenger",
    "statistic",
    "pvalue",
    "adjusted_pvalue",
    "low",
    "high",
)

ARRAYS = (
    "both_correct",
    "only_champion",
    "only_challenger",
    "statistic",
    "pvalue",
    "adjusted_pvalue",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseResult:
    """McNemar's tests of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    both_correct, only_champion, only_challenger : ndarray of shape (n_pairs,)
        Records that both answered rightly, or one of them.
    difference : ndarray of shape (n_pairs,)
        Accuracy of the challenger less that of the champion.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        As of :func:`~skcompare.stats.mcnemar`, and the p-values adjusted for the number of
        pairs.
    n : int
        Records.
    method, adjust, alternative : str
        As they were asked for.
    control : str or None
        The classifier that the others are compared with.
    confidence_level : float
        At which the intervals hold.
    omnibus : PairedResult
        Cochran's Q of all classifiers.
    flags : tuple of str
        Codes of caveats; `caveats` has their words.
    monte_carlo_error : ndarray of shape (n_pairs,) or None
        Standard errors of adjusted p-values that are drawn, as by "max-t". One-sided they
        are smaller, because each resample counts with its opposite.

    .. versionadded:: 0.1
    """

    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    both_correct: IntArray
    only_champion: IntArray
    only_challenger: IntArray
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    n: int
    method: str
    adjust: str
    alternative: str
    control: str | None
    confidence_level: float
    omnibus: PairedResult
    design: Design
    flags: tuple[str, ...] = ()
    monte_carlo_error: FloatArray | None = None
    # Intervals take longer than all tests together, so they are made when asked for.
    _limits: FloatArray | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        for name in ARRAYS:
            getattr(self, name).setflags(write=False)
        if self.monte_carlo_error is not None:
            self.monte_carlo_error.setflags(write=False)

    def __len__(self) -> int:
        return len(self.champion)

    def __repr__(self) -> str:
        return (
            f"PairwiseResult({len(self)} pairs, method={self.method!r}, "
            f"adjust={self.adjust!r}, control={self.control!r}, n={self.n})"
        )

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        return PairwiseResult, tuple(getattr(self, f.name) for f in fields(self) if f.init)

    @property
    def difference(self) -> FloatArray:
        """Accuracy of the challenger less that of the champion."""
        return (self.only_challenger - self.only_champion) / self.n

    @property
    def interval_level(self) -> float:
        """Confidence level of each interval.

        All hold together at `confidence_level` by Bonferroni's inequality, but for
        adjust="none", where each holds by itself.
        """
        if self.adjust == "none":
            return self.confidence_level
        return 1 - (1 - self.confidence_level) / len(self)

    @property
    def low(self) -> FloatArray:
        """Lower limits of the differences, at `interval_level`."""
        return self._both_limits()[0]

    @property
    def high(self) -> FloatArray:
        """Upper limits of the differences, at `interval_level`."""
        return self._both_limits()[1]

    @property
    def results(self) -> tuple[PairedResult, ...]:
        """The test of each pair by itself, not adjusted, with an interval at any level."""
        return tuple(
            mcnemar(table, method=self.method, alternative=self.alternative)
            for table in self._tables()
        )

    @property
    def caveats(self) -> list[str]:
        """The flags with their words."""
        return explain(self.flags)

    def to_dict(self) -> dict[str, Any]:
        """All values as plain ones; a pair is a dict."""
        columns = self._columns()
        pairs = zip(*columns.values(), strict=True)
        return {
            "method": self.method,
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
        omnibus = self.omnibus
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
        lines = [
            f"pairwise McNemar ({self.method}), {self.alternative}, n = {self.n}, "
            f"p adjusted by {self.adjust}, intervals at {100 * self.interval_level:.6g} %",
            f"{omnibus.test} ({omnibus.method}): statistic {omnibus.statistic:.4g}, "
            f"p {format_pvalue(omnibus.pvalue)}",
            *table,
            *self._contradiction(),
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])

    def _contradiction(self) -> Iterator[str]:
        """A sentence where the omnibus test rejects and no pair does."""
        alpha = 1 - self.confidence_level
        if self.omnibus.pvalue < alpha and not (self.adjusted_pvalue < alpha).any():
            yield (
                f"{self.omnibus.test} rejects equal accuracies at {alpha:.3g}, but no pair "
                "differs after the adjustment: some classifiers differ, and these records "
                "do not show which."
            )

    def _columns(self) -> dict[str, list[Any]]:
        roles = {"champion": list(self.champion), "challenger": list(self.challenger)}
        columns = roles | {name: getattr(self, name).tolist() for name in COLUMNS}
        if self.monte_carlo_error is not None:
            columns["monte_carlo_error"] = self.monte_carlo_error.tolist()
        return columns

    def _tables(self) -> Iterator[ContingencyTable]:
        counts = (self.both_correct, self.only_champion, self.only_challenger)
        for both, one, other in zip(*(count.tolist() for count in counts), strict=True):
            neither = self.n - both - one - other
            yield ContingencyTable(both, one, other, neither, self.design)

    def _both_limits(self) -> FloatArray:
        if self._limits is None:
            level = self.interval_level
            pairs = [result.confidence_interval(level) for result in self.results]
            limits = np.array(pairs).T
            limits.setflags(write=False)
            object.__setattr__(self, "_limits", limits)
        return self._limits  # type: ignore[return-value]
