"""What the usual test says of the evidence that a picture shows."""

import textwrap
from dataclasses import dataclass
from typing import Any

from skcompare._core.flags import explain
from skcompare._core.formatting import (
    decimals_beside,
    decimals_for,
    format_number,
    format_pvalue,
)
from skcompare._core.validation import alpha_of, check_alternative, check_confidence_level
from skcompare._registry.tests import get_test
from skcompare.plots._style import percent


@dataclass(frozen=True, slots=True)
class Finding:
    """Estimate, interval and p-value as plain numbers.

    `low`, `high` and `pvalue` are None where no test of the evidence is valid for the way
    in which the records were collected; `title` is that of the test. A one-sided interval
    has one limit that counts, whatever the other one is.
    """

    estimate: float
    low: float | None = None
    high: float | None = None
    pvalue: float | None = None
    title: str = ""
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    design: str = ""
    flags: tuple[str, ...] = ()

    @property
    def estimate_words(self) -> str:
        """The estimate, with a sign."""
        return format_number(self.estimate, self._decimals, signed=True)

    @property
    def interval_words(self) -> str:
        """The interval with its level, such as "95 % interval +0.012 to +0.188"."""
        if self.low is None or self.high is None:
            return ""
        level = percent(self.confidence_level)
        low, high = (
            format_number(limit, self._decimals, signed=True)
            for limit in (self.low, self.high)
        )
        if self.alternative == "greater":
            return f"{level} lower limit {low}"
        if self.alternative == "less":
            return f"{level} upper limit {high}"
        return f"{level} interval {low} to {high}"

    @property
    def pvalue_words(self) -> str:
        """The p-value with its test; why there is none otherwise."""
        if self.pvalue is None:
            return f"no p-value for {self.design}"
        words = format_pvalue(self.pvalue, alpha_of(self.confidence_level))
        sign = "" if words.startswith(("<", "u")) else "= "
        side = "" if self.alternative == "two-sided" else ", one-sided"
        return f"{self.title}: p {sign}{words}{side}"

    @property
    def caveats(self) -> list[str]:
        """The flags of the test with their words."""
        return explain(self.flags)

    def caveat_lines(self, letters: int) -> list[str]:
        """The caveats in lines of so many letters."""
        return caveat_lines(self.flags, letters)

    @property
    def _decimals(self) -> int:
        decimals = decimals_for(self.estimate, self.low, self.high)
        return decimals_beside(0.0, decimals, (self.low, self.high))


def caveat_lines(flags: tuple[str, ...], letters: int) -> list[str]:
    """Flags with their words, in lines of so many letters."""
    return [line for words in explain(flags) for line in textwrap.wrap(words, letters)]


def finding_of(
    evidence: Any,
    estimate: float,
    tests: tuple[str, ...],
    *,
    confidence_level: float,
    alternative: str,
    **options: Any,
) -> Finding:
    """The finding of the first of these tests that is valid for the evidence's design."""
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    for entry in map(get_test, tests):
        if entry.valid_for(evidence.design):
            result = entry.function(evidence, alternative=alternative, **options)
            low, high = result.confidence_interval(level)
            return Finding(
                result.estimate,
                float(low),
                float(high),
                float(result.pvalue),
                entry.title,
                level,
                alternative,
                str(evidence.design),
                tuple(result.flags),
            )
    design = str(evidence.design)
    return Finding(estimate, confidence_level=level, alternative=alternative, design=design)
