"""Estimate, interval and p-value that annotate a plot."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from skcompare._core.flags import explain
from skcompare._core.formatting import (
    decimals_for,
    format_number,
    format_pvalue,
    named_limits,
)
from skcompare._core.validation import alpha_of, check_alternative, check_confidence_level
from skcompare._registry.tests import get_test, paired_tests
from skcompare.plots.drawing._style import percent
from skcompare.stats import PairedResult


@dataclass(frozen=True, slots=True)
class Finding:
    """Estimate, interval and p-value as plain numbers.

    `low`, `high` and `pvalue` are None where no test of the evidence is valid for the
    design; `title` is that of the test. Only one limit of a one-sided interval is used.
    Numbers are shown with at least `least_decimals` decimals.
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
    least_decimals: int = 3

    def lines(self, quantity: str) -> list[str]:
        """Lines of text on the estimate of a quantity, its interval and its test."""
        estimate = format_number(self.estimate, self._decimals, signed=True)
        lines = (f"{quantity} {estimate}", self.interval_text, self.pvalue_text)
        return [line for line in lines if line]

    @property
    def interval_text(self) -> str:
        """Interval with its level as text, such as "95 % interval [0.012, 0.188]"."""
        if self.low is None or self.high is None:
            return ""
        ends = self.low, self.high
        name, limits = named_limits(self.alternative, ends, self._decimals)
        return f"{percent(self.confidence_level)} {name} {limits}"

    @property
    def pvalue_text(self) -> str:
        """Test and p-value as text, or the reason why there is no p-value."""
        if self.pvalue is None:
            return f"no p-value for {self.design}"
        text = format_pvalue(self.pvalue, alpha_of(self.confidence_level))
        sign = "" if text.startswith(("<", "u")) else "= "
        side = "" if self.alternative == "two-sided" else ", one-sided"
        return f"{self.title}: p {sign}{text}{side}"

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags of the test."""
        return explain(self.flags)

    @property
    def _decimals(self) -> int:
        numbers = self.estimate, self.low, self.high
        return decimals_for(*numbers, beside=(0.0,), least=self.least_decimals)


def finding_of(
    evidence: Any,
    estimate: float,
    tests: tuple[str, ...],
    confidence_level: float,
    alternative: str = "two-sided",
    **options: Any,
) -> Finding:
    """Return the result of the first test that is valid for the design of the evidence."""
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    for entry in map(get_test, tests):
        if entry.valid_for(evidence.design):
            result = entry.function(evidence, alternative=alternative, **options)
            return finding_from(result, entry.title, level)
    design = str(evidence.design)
    return Finding(estimate, confidence_level=level, alternative=alternative, design=design)


NOT_VALID = "invalid-design"


def show_row(
    display: Any,
    rows: Iterable[Any],
    measures: Iterable[str],
    test: str | None,
    alpha: float,
) -> None:
    """Replace the numbers of a display by those of a report row on the same quantity.

    A display that is made of evidence has the default test of it. In a report the test may
    have been run by another method, or be another one that is valid for the design. The row
    of a test that is not valid is not repeated.

    Parameters
    ----------
    display : Display
        Display with a `finding`; or with `df` and `pvalue`, where it shows one test only.
    rows : iterable of ComparisonRow
        Rows of the report.
    measures : iterable of str
        The measures whose difference is that of the picture.
    test : str or None
        The only test that the picture shows, if there is one.
    alpha : float
        The intervals of the rows have level 1 - alpha.
    """
    names = tuple(measures)
    for row in rows:
        if row.result is None or row.label is not None or NOT_VALID in row.flags:
            continue
        if row.measure in names and _is_difference_of_roles(row):
            entry = paired_tests().get(row.test)
            title = row.test if entry is None else entry.title
            limits = row.low, row.high
            display.finding = finding_from(row.result, title, 1 - alpha, limits, row.pvalue)
            return
        if test is not None and row.test == test:
            display.df, display.pvalue = float(row.result.df or 0), float(row.pvalue)
            return


def _is_difference_of_roles(row: Any) -> bool:
    """Whether a row is about the measure itself, rather than a median or a rank."""
    is_complete = None not in (row.champion, row.challenger, row.low, row.high, row.pvalue)
    return bool(is_complete and row.kind == "difference")


def finding_from(
    result: PairedResult,
    title: str,
    level: float,
    limits: Iterable[float] | None = None,
    pvalue: float | None = None,
) -> Finding:
    """Return the numbers of a result, by default its own limits and p-value."""
    low, high = map(float, limits or result.confidence_interval(level))
    p = float(result.pvalue if pvalue is None else pvalue)
    about = result.alternative, str(result.design), tuple(result.flags)
    return Finding(result.estimate, low, high, p, title, level, *about)
