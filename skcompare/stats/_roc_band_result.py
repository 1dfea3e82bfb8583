"""What the comparison of two ROC curves returns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skcompare._core.flags import explain
from skcompare._core.formatting import format_confidence, format_number
from skcompare._io.columns import frame_from_columns
from skcompare._typing import FloatArray

COLUMNS = (
    "fpr",
    "champion",
    "challenger",
    "difference",
    "standard_error",
    "low",
    "high",
    "simultaneous_low",
    "simultaneous_high",
)


@dataclass(frozen=True, slots=True, eq=False)
class RocDifferenceBand:
    """The difference of two ROC curves with its bands.

    Attributes
    ----------
    fpr : ndarray of shape (n_rates,)
        False positive rates.
    champion, challenger : ndarray of shape (n_rates,)
        Sensitivity of each at these rates.
    difference : ndarray of shape (n_rates,)
        Sensitivity of the challenger less that of the champion.
    standard_error : ndarray of shape (n_rates,)
        Of the difference; 0 at rate 1, where all records are called positive.
    low, high : ndarray of shape (n_rates,)
        Pointwise band: limits for a rate that was chosen beforehand.
    simultaneous_low, simultaneous_high : ndarray of shape (n_rates,)
        Simultaneous band: limits that hold at all rates together.
    critical_value : float
        Standard errors from the difference to the simultaneous band.
    confidence_level : float
    n_resamples, n_positives, n_negatives : int
    names : tuple of str
        Champion and challenger.
    flags : tuple of str
        Codes of caveats; `caveats` has their words.

    .. versionadded:: 0.1
    """

    fpr: FloatArray
    champion: FloatArray
    challenger: FloatArray
    difference: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray
    simultaneous_low: FloatArray
    simultaneous_high: FloatArray
    critical_value: float
    confidence_level: float
    n_resamples: int
    n_positives: int
    n_negatives: int
    names: tuple[str, ...]
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in COLUMNS:
            getattr(self, name).setflags(write=False)

    @property
    def caveats(self) -> list[str]:
        """The flags with their words."""
        return explain(self.flags)

    @property
    def ranges(self) -> tuple[tuple[float, float, str], ...]:
        """False positive rates between 0 and 1 where the simultaneous band excludes 0.

        Each range is (from, to, role of the more sensitive classifier).
        """
        sides = (self.simultaneous_low > 0).astype(int)
        sides -= self.simultaneous_high < 0
        sides[(self.fpr == 0) | (self.fpr == 1)] = 0
        starts = np.flatnonzero(np.diff(sides, prepend=0))
        ends = [*starts[1:], len(sides)] if len(starts) else []
        return tuple(
            (
                float(self.fpr[start]),
                float(self.fpr[end - 1]),
                "challenger" if sides[start] > 0 else "champion",
            )
            for start, end in zip(starts, ends, strict=True)
            if sides[start]
        )

    def to_dict(self) -> dict[str, Any]:
        """The band as plain values."""
        return {name: getattr(self, name).tolist() for name in COLUMNS} | {
            "critical_value": self.critical_value,
            "confidence_level": self.confidence_level,
            "n_resamples": self.n_resamples,
            "n_positives": self.n_positives,
            "n_negatives": self.n_negatives,
            "names": list(self.names),
            "flags": list(self.flags),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """The band as a frame, a row a false positive rate.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.
        """
        columns = {name: getattr(self, name).tolist() for name in COLUMNS}
        return frame_from_columns(columns, backend)

    def __str__(self) -> str:
        level = format_confidence(1 - self.confidence_level)
        lines = [
            f"difference of ROC curves, {self.n_positives} positive and "
            f"{self.n_negatives} negative records, {self.n_resamples} resamples",
            f"{level} band at all rates: {range_words(self.ranges)}",
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])


def range_words(ranges: tuple[tuple[float, float, str], ...]) -> str:
    """Where a band excludes 0, in words: the two widest ranges, and how many others."""
    if not ranges:
        return "no difference of the sensitivities is found"
    widest = sorted(sorted(ranges, key=lambda each: each[0] - each[1])[:2])
    words = []
    for role in dict.fromkeys(role for *_, role in widest):
        # Rates to three decimals; those of one false alarm among many have no more either.
        where = [
            f"from {format_number(first)} to {format_number(last)}"
            if last > first
            else f"of {format_number(first)}"
            for first, last, whose in widest
            if whose == role
        ]
        words.append(
            f"the {role} is more sensitive at false positive rates {' and '.join(where)}"
        )
    n_others = len(ranges) - len(widest)
    if n_others:
        words.append(f"{n_others} shorter range{'s' if n_others > 1 else ''} more")
    return ", ".join(words)
