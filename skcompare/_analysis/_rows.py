"""Rows of a comparison, one per measure and test, and the verdict from the first."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from skcompare._core.flags import explain
from skcompare._core.formatting import (
    INFERENCE_TEXT,
    decimals_beside,
    decimals_for,
    format_number,
    format_pvalue,
)
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


RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Classifier favoured by the evidence, with the reason.

    Attributes
    ----------
    winner : {"challenger", "champion", "inconclusive"}
        From the primary row alone; of several classifiers a name, or "inconclusive".
    alpha : float
        Level of its test.
    sentence : str
        The verdict in words.
    records_needed : float or None
        Number of records at which a difference as large as the observed one is detected
        with 80 % probability; None if the verdict is not inconclusive or nothing differs.
    least_records : float or None
        The same for the largest difference in the interval; None if that has no limit.
    """

    winner: str
    alpha: float
    sentence: str
    records_needed: float | None = None
    least_records: float | None = None

    def __str__(self) -> str:
        return self.sentence


def decide(
    row: ComparisonRow,
    *,
    alpha: float,
    alternative: str,
    records_needed: float | None,
    flags: tuple[str, ...] = (),
    unit: str = RECORDS,
) -> Verdict:
    """Derive the verdict from the primary row.

    The challenger wins when the test rejects in its favour, the champion when it rejects
    in the champion's. An undefined or missing p-value is inconclusive. `unit` is the unit
    of the evidence, such as "items".
    """
    if row.pvalue is None:
        note = row.note.replace(row.measure, row.subject)
        return Verdict("inconclusive", alpha, f"inconclusive: {note}")
    if row.kind != "difference":
        return Verdict("inconclusive", alpha, _without_winner(row, alpha))
    finding, level = _finding(row, alpha, unit), level_text(alpha, alternative)
    # Only a test with an estimate of direction can name a winner.
    if row.pvalue < alpha and row.difference != 0 and not math.isnan(row.difference):
        winner = "challenger" if row.difference > 0 else "champion"
        sentence = f"the {winner} is better at {level}: {finding}{_about(row, flags, unit)}"
        return Verdict(winner, alpha, sentence)
    sentence = f"inconclusive at {level}: {finding}"
    if records_needed is None and is_against(row, alternative):
        sentence += (
            f"; the difference is not in the direction of alternative={alternative!r}"
        )
    least = None
    if records_needed is not None and alternative == "two-sided":
        far = far_end(row)
        least = None if far is None else records_needed * (row.difference / far) ** 2
    return Verdict("inconclusive", alpha, sentence, records_needed, least)


def level_text(alpha: float, alternative: str) -> str:
    """Format the level of the verdict and the direction of the test."""
    side = "" if alternative == "two-sided" else f", one-sided ({alternative})"
    return f"alpha {alpha:g}{side}"


def _without_winner(row: ComparisonRow, alpha: float) -> str:
    """Describe the result of a test without true labels."""
    if row.pvalue is None or math.isnan(row.pvalue):
        finding = f"the p-value of {row.test} is undefined for these data"
    else:
        p = format_pvalue(row.pvalue, alpha)
        verb = "differ" if row.pvalue < alpha else "do not differ significantly"
        p = f"p {p}" if p.startswith("<") else f"p = {p}"
        finding = f"{row.subject} {verb} at alpha {alpha:g}, {p} ({row.test})"
    return f"no winner can be named without true labels: {finding}"


def _about(row: ComparisonRow, flags: tuple[str, ...], unit: str) -> str:
    if "mixed-frozen" in flags:
        return "; about one trained model and one learning algorithm"
    if unit != RECORDS:
        return f"; about these two systems, over new {unit}"
    return f"; about {INFERENCE_TEXT[row.result.inference]}" if row.result else ""


def _finding(row: ComparisonRow, alpha: float, unit: str) -> str:
    if row.pvalue is None or math.isnan(row.pvalue):
        return f"the p-value of {row.test} is undefined for these data"
    p = format_pvalue(row.pvalue, alpha)
    p = f"p {p}" if p.startswith("<") else f"p = {p}"
    if "no-discordant-pairs" in row.flags:
        return f"no {unit.removesuffix('s')} tells the two apart, {p} ({row.test})"
    if math.isnan(row.difference):
        return f"{p} ({row.test})"
    gain = "" if row.greater_is_better else " (as a gain)"
    decimals = decimals_of(row)
    difference = format_number(row.difference, decimals, signed=True)
    return f"{row.subject} differs by {difference}{gain}, {p} ({row.test})"


def far_end(row: ComparisonRow) -> float | None:
    """Return the confidence limit on the side of the difference."""
    return row.high if row.difference > 0 else row.low


def is_against(row: ComparisonRow, alternative: str) -> bool:
    """Whether the difference is opposite to the direction of a one-sided test."""
    return {"greater": -1, "less": 1}.get(alternative, 0) * row.difference > 0


def round_up(n: float) -> int:
    """Round up to two significant digits; numbers of records are no more precise."""
    if n <= 100:
        return math.ceil(n)
    unit = 10 ** (math.floor(math.log10(n)) - 1)
    return math.ceil(n / unit) * unit
