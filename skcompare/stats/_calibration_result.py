"""What a test of one classifier's calibration returns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from skcompare._core.flags import explain
from skcompare._core.formatting import format_pvalue


@dataclass(frozen=True, slots=True)
class CalibrationTestResult:
    """Result of a test of one classifier's calibration; unpacks to `(statistic, pvalue)`.

    Attributes
    ----------
    name : str
        The test.
    statistic, pvalue, log_pvalue : float
        The natural logarithm stays exact where the p-value is below the smallest double.
    method : str
        How the p-value was computed.
    kind : str
        The events that the probabilities are about: "binary", "top_label" or "classwise".
    n : int
        Records behind it.
    flags : tuple of str
        Codes of caveats; `caveats` has their words.
    details : mapping of str to float
        Further numbers.

    .. versionadded:: 0.1
    """

    name: str
    statistic: float
    pvalue: float
    log_pvalue: float
    method: str
    kind: str
    n: int
    flags: tuple[str, ...] = ()
    details: Mapping[str, float] = field(default_factory=dict)

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    @property
    def degenerate(self) -> bool:
        """Whether the data had nothing to test."""
        return "degenerate" in self.flags

    @property
    def caveats(self) -> list[str]:
        """The flags with their words."""
        return explain(self.flags)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        return {
            "name": self.name,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "log_pvalue": self.log_pvalue,
            "method": self.method,
            "kind": self.kind,
            "n": self.n,
            "flags": list(self.flags),
            "details": dict(self.details),
        }

    def __str__(self) -> str:
        lines = [
            f"{self.name} ({self.method}), {self.kind.replace('_', '-')} probabilities, "
            f"n = {self.n}",
            f"statistic {self.statistic:.4g}, p {format_pvalue(self.pvalue)} for the "
            "hypothesis that events happen as often as their probabilities say",
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])
