"""The numbers of a report's row, in the picture of what the row is about."""

from collections.abc import Iterable
from typing import Any

from skcompare._registry.tests import paired_tests
from skcompare.plots._tested import Finding

NOT_VALID = "invalid-design"


def show_row(
    display: Any,
    rows: Iterable[Any],
    measures: Iterable[str],
    test: str | None,
    alpha: float,
) -> None:
    """Let a picture say what the table says, where a row is about the same.

    A display that is made of evidence knows the usual test of it. In a report the test may
    have been run by another method, or be the one that is valid for the design. The row of
    a test that is not valid is not repeated.

    Parameters
    ----------
    display : Display
        With a `finding`; or with `df` and `pvalue`, where it shows one test only.
    rows : iterable of ComparisonRow
        Those of the report.
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
            display.finding = _finding(row, alpha)
            return
        if test is not None and row.test == test:
            display.df, display.pvalue = float(row.result.df or 0), float(row.pvalue)
            return


def _is_difference_of_roles(row: Any) -> bool:
    """Whether a row is about the measure itself, and not about a median or a rank."""
    known = None not in (row.champion, row.challenger, row.low, row.high, row.pvalue)
    return bool(known and row.kind == "difference")


def _finding(row: Any, alpha: float) -> Finding:
    """What a row says, as a picture says it."""
    entry = paired_tests().get(row.test)
    return Finding(
        row.difference,
        row.low,
        row.high,
        row.pvalue,
        row.test if entry is None else entry.title,
        1 - alpha,
        row.result.alternative,
        row.result.design,
        tuple(row.result.flags),
    )
