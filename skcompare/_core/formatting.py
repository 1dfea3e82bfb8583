"""Formatting of numbers and text in reports."""

import math
import re
from collections.abc import Container, Iterable, Sequence

INFERENCE_TEXT = {
    "models": "two trained models, over new records",
    "algorithms": "two learning algorithms, over new training and test records",
    "methods": "two forecasting methods, as trained along this series",
    "recipes": (
        "two recipes with these training records, over new records and new trainings"
    ),
}
ONE_TRAINING = (
    "one trained model and one recipe with these training records, over new records and "
    "new trainings"
)
"""Subject of a conclusion about recipes, of which one is a trained model."""

IN_TIME = "time-ordered hold-out"
"""Title of the design of records of which the conclusion is about the time they cover."""
FIXED = "fixed trainings"
"""End of the title of the design of several trained models that are taken as they are."""


def inference_text(inference: str, design: str) -> str:
    """Format the subject of a conclusion, by the title of the design of its evidence."""
    if design.startswith(IN_TIME):
        return "two trained models, at times like these"
    if design.endswith(FIXED) and inference == "models":
        return "these trained models, over new records"
    return INFERENCE_TEXT[inference]


def format_pvalue(pvalue: float | None, alpha: float | None = None) -> str:
    """Format a p-value with two significant digits, never as 0; None is an empty string.

    More digits are shown where two would put it on the wrong side of `alpha`.
    """
    if pvalue is None:
        return ""
    if math.isnan(pvalue):
        return "undefined"
    if pvalue < 1e-300:
        return "< 1e-300"
    if pvalue >= 0.995:
        return "1"
    for digits in range(2, 9):
        text = f"{pvalue:.{digits}g}" if pvalue >= 1e-4 else f"{pvalue:.{digits - 1}e}"
        if alpha is None or (float(text) < alpha) is (pvalue < alpha):
            break
    return text


def format_confidence(alpha: float) -> str:
    """Format the confidence level 1 - alpha in percent, never rounded to 100."""
    digits = max(4, 1 + math.ceil(-math.log10(alpha)))
    return f"{100 * (1 - alpha):.{min(digits, 15)}g} %"


MOST_DECIMALS = 9
"""Largest number of decimals of a difference."""

NOISE, SMALLEST, LARGEST = 1e-15, 1e-7, 1e8
"""Numbers between the first two, and from the third on, are written with an exponent;
smaller ones are rounding errors."""


def decimals_for(
    difference: float,
    low: float | None = None,
    high: float | None = None,
    *,
    beside: Iterable[float] = (),
    least: int = 3,
    most: int = MOST_DECIMALS,
) -> int:
    """Number of decimals for a difference and its interval.

    A difference that would round to 0 gets two significant digits, and an interval with
    limits that would round to the same number two digits of its length. Numbers from 1000
    on have one decimal less for each digit. The decimals show on which side of the values
    in `beside` the limits are.
    """
    ends = [abs(end) for end in (difference, low, high) if end is not None]
    largest = max((end for end in ends if math.isfinite(end)), default=0.0)
    if largest >= 1000:
        least = max(0, least - math.floor(math.log10(largest)) + 2)
    decimals = least
    if math.isfinite(difference) and 0 < abs(difference) < 10**-least:
        decimals = 1 - math.floor(math.log10(abs(difference)))
    width = math.nan if low is None or high is None else high - low
    if math.isfinite(width) and 0 < width < 2 * 10**-least:
        decimals = max(decimals, 1 - math.floor(math.log10(width)))
    decimals = min(most, decimals)
    limits = [x for x in (low, high) if x is not None and math.isfinite(x)]
    for value in beside:
        near = [limit for limit in limits if round(limit, most) != round(value, most)]
        while any(round(limit, decimals) == round(value, decimals) for limit in near):
            decimals += 1
    return decimals


TINY = 0.01
"""Size of the largest of some numbers of one unit below which three decimals are few."""


def shared_decimals(values: Iterable[float | None], least: int = 3) -> int:
    """Number of decimals for numbers of one unit, such as a measure of several models.

    `least`, or as many as show three digits of the largest where that is tiny.
    """
    sizes = [abs(v) for v in values if v is not None and math.isfinite(v)]
    largest = max(sizes, default=0.0)
    if 0 < largest < TINY:
        digits = 2 - math.floor(math.log10(largest))
        return min(MOST_DECIMALS, max(least, digits))
    return decimals_for(largest, least=least)


def format_number(value: float | None, decimals: int = 3, *, signed: bool = False) -> str:
    """Format a number; zero has no sign, and None is an empty string.

    Numbers of more than nine decimals, or eight digits before the point, have an exponent.
    """
    if value is None:
        return ""
    if math.isnan(value):
        return "undefined"
    is_tiny = decimals >= MOST_DECIMALS and NOISE < abs(value) < SMALLEST
    if is_tiny or LARGEST <= abs(value) < math.inf:
        return f"{value:{'+' if signed else ''}.3e}"
    text = f"{value:{'+' if signed else ''}.{decimals}f}"
    return text.lstrip("+-") if math.isfinite(value) and float(text) == 0 else text


def format_interval(limits: Iterable[float], decimals: int = 3, unit: str = "") -> str:
    """Format an interval as everywhere in reports and plots: [low, high]."""
    low, high = (format_number(limit, decimals) for limit in limits)
    return f"[{low}, {high}]{unit}"


def named_limits(
    alternative: str, limits: Iterable[float], decimals: int = 3
) -> tuple[str, str]:
    """Name an interval, or the limit of a one-sided one, and format its limits."""
    low, high = limits
    if alternative == "two-sided":
        return "interval", format_interval((low, high), decimals)
    if alternative == "greater":
        return "lower limit", format_number(low, decimals)
    return "upper limit", format_number(high, decimals)


COMMAND = re.compile(r":(?=:)|#(?=#\w*\[)")
"""Starts of a command in a log, to the service that runs the job: ::error::, ##[x]."""


def without_commands(text: str) -> str:
    """Escape commands in a text to a CI service that reads the log.

    A name of a column or a file could set variables of a job, or end its annotations.
    """
    return COMMAND.sub(lambda match: f"{match[0]} ", text)


def printable(text: str) -> str:
    """Replace line breaks and control characters, which would break a table, by spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def in_one_line(text: str) -> str:
    """Format a text in one line, without commands to a CI service."""
    return without_commands(printable(text))


def shortened(text: str, longest: int) -> str:
    """Format a text in one line, and truncate it where it is too long."""
    line = in_one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def without_empty_columns(
    header: Sequence[str], cells: Sequence[Sequence[str]]
) -> tuple[list[str], list[list[str]]]:
    """Return the header and the lines of a table without columns that are empty."""
    used = [k for k in range(len(header)) if any(line[k] for line in cells)]
    return [header[k] for k in used], [[line[k] for k in used] for line in cells]


def aligned(
    header: Sequence[str], cells: Iterable[Sequence[str]], text_columns: Container[str]
) -> list[str]:
    """Format a table as lines, with text aligned left and numbers right."""
    lines = [header, *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if name in text_columns else cell.rjust(width)
            for name, cell, width in zip(header, line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]


def round_up(n: float) -> int:
    """Round up to two significant digits; numbers of records are no more precise."""
    if n <= 100:
        return math.ceil(n)
    unit = 10 ** (math.floor(math.log10(n)) - 1)
    return math.ceil(n / unit) * unit
