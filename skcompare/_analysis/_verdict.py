"""Verdict of a comparison, from its primary row."""

import math
from dataclasses import dataclass

from skcompare._analysis._rows import ComparisonRow, decimals_of
from skcompare._core.formatting import INFERENCE_TEXT, format_number, format_pvalue

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
