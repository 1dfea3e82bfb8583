"""Rows of a comparison, one per measure and test."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from skcompare._core.flags import explain
from skcompare._core.formatting import decimals_beside, decimals_for
from skcompare._typing import Kind
from skcompare.stats import ConfidenceInterval, PairedResult, adjust_pvalues

Row = TypeVar("Row", bound=Any)

RowKey = tuple[str, Any, str | None]
"""Measure, class or None, test or None."""

FAMILY_WISE = ("holm", "hochberg", "bonferroni")
"""Adjustments that control the probability of any false finding."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Values of a measure for both classifiers, with their difference and its test, if any.

    Attributes
    ----------
    measure : str
        Name of the measure.
    label : object
        The class that the measure is of, or None.
    test : str or None
        Name of the test; None where none ran.
    champion, challenger : float or None
        The measure of each role; None if the test has no value of each role.
    difference : float
        Challenger minus champion on a greater-is-better scale, so that positive favours
        the challenger; NaN if the test estimates no difference.
    low, high : float or None
        Interval at the comparison's level.
    pvalue, adjusted_pvalue : float or None
        Raw and adjusted p-value; the primary row's own test is not adjusted.
    greater_is_better : bool
        Whether the measure is a score; the difference of a loss is a gain.
    kind : {"difference", "ratio", "association", "omnibus", "combination"}
        What the test estimates.
    primary : bool
        Whether the verdict comes from this row.
    flags : tuple of str
        Codes of caveats.
    note : str
        Reason why there is no p-value, and what would give one; or a description of the
        estimate.
    result : PairedResult or None
        The test's full result.
    """

    measure: str
    label: Any
    test: str | None
    champion: float | None
    challenger: float | None
    difference: float
    low: float | None = None
    high: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    greater_is_better: bool = True
    kind: Kind = "difference"
    primary: bool = False
    flags: tuple[str, ...] = ()
    note: str = ""
    result: PairedResult | None = None

    @property
    def key(self) -> RowKey:
        """Key of the row: measure, class or None, test or None."""
        return self.measure, self.label, self.test

    @property
    def subject(self) -> str:
        """Name of the measure, followed by the class in brackets if there is one."""
        return self.measure if self.label is None else f"{self.measure}[{self.label}]"

    @property
    def estimate(self) -> float:
        """Estimate of the row's test, or the difference if there is no test."""
        return self.difference if self.result is None else self.result.estimate

    @property
    def statistic(self) -> float:
        """Statistic of the row's test, or NaN if there is no test."""
        return math.nan if self.result is None else self.result.statistic

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags."""
        return explain(self.flags)

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Compute the confidence interval of the row's test."""
        if self.result is None:
            raise ValueError(
                f"No test of {self.measure} ran, so it has no interval. {self.note}"
            )
        return self.result.confidence_interval(confidence_level)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a dict of plain values, without the full result."""
        values = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        return values | {"flags": list(self.flags)}


_PLAIN_FIELDS = tuple(
    name for name in ComparisonRow.__dataclass_fields__ if name not in ("flags", "result")
)


def decimals_of(row: ComparisonRow) -> int:
    """Return the decimals of the estimate, enough to show the side of the limits."""
    decimals = decimals_for(row.difference, row.low, row.high)
    null_value = 1.0 if row.kind == "ratio" else 0.0
    return decimals_beside(null_value, decimals, (row.low, row.high))


class Keyed(Mapping[RowKey, Row]):
    """Rows by (measure, class or None, test), or by a unique measure or test.

    `noun` is what a row is called.
    """

    noun: ClassVar[str] = "row"

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = tuple(rows)

    def __getitem__(self, key: Any) -> Row:
        matches = [row for row in self._rows if row.key == key]
        matches = matches or [row for row in self._rows if key in (row.test, row.subject)]
        if len(matches) == 1:
            return matches[0]
        keys = ", ".join(map(str, self))
        reason = f"{len(matches)} {self.noun}s" if matches else f"No {self.noun}"
        raise KeyError(f"{reason} for {key!r}. Keys are (measure, class, test): {keys}.")

    def __iter__(self) -> Iterator[RowKey]:
        return (row.key for row in self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self))})"


class Results(Keyed[ComparisonRow]):
    """Rows by (measure, class or None, test), or by a unique measure or test.

    A measure of one class is written with it, such as "precision[malignant]".

    Examples
    --------
    >>> from skcompare import compare
    >>> results = compare([0, 1, 1], {"old": [0, 1, 0], "new": [0, 1, 1]}).results
    >>> results["accuracy", None, "mcnemar"] is results["mcnemar"] is results["accuracy"]
    True
    """

    def __init__(self, rows: Sequence[ComparisonRow]) -> None:
        super().__init__(rows)


def with_adjusted(rows: list[Row], adjust: str) -> list[Row]:
    """Adjust the p-values of all rows but the primary one, which is tested at alpha."""
    others = [k for k, row in enumerate(rows) if not row.primary and row.pvalue is not None]
    if adjust == "none" or not others:
        return rows
    adjusted = adjust_pvalues([rows[k].pvalue for k in others], adjust)
    for k, pvalue in zip(others, adjusted, strict=True):
        rows[k] = replace(rows[k], adjusted_pvalue=float(pvalue))
    return rows
