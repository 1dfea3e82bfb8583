"""The row of a report that shows the result of a test."""

import math
from typing import Any

from skcompare._registry.tests import PairedTestEntry
from skcompare.reports import ComparisonRow
from skcompare.stats import PairedResult


def result_row(
    entry: PairedTestEntry,
    result: PairedResult,
    *,
    measure: str,
    greater_is_better: bool,
    alpha: float,
    label: Any = None,
    flags: tuple[str, ...] = (),
    note: str = "",
) -> ComparisonRow:
    """The row of a result.

    Parameters
    ----------
    entry : PairedTestEntry
        The test.
    result : PairedResult
        Its result.
    measure : str
        What the row is about.
    greater_is_better : bool
        Whether the measure is a score. That of a negated loss is one, and then the mean
        loss of the result stands in the row with its sign.
    alpha : float
        Intervals have level 1 - alpha.
    label : object, optional
        The class that it is about.
    flags : tuple of str
        Caveats beside those of the result.
    note : str
        The estimate in words.
    """
    low, high = None, None
    if result.has_interval:
        low, high = result.confidence_interval(1 - alpha)
    flags = (*result.flags, *flags)
    describes = "descriptive" in flags
    if math.isnan(result.pvalue) and not describes:
        flags = (*flags, "undefined-pvalue")
    sign = 1 if greater_is_better == result.greater_is_better else -1
    return ComparisonRow(
        measure=measure,
        label=label,
        test=entry.name,
        champion=None if result.champion is None else sign * result.champion,
        challenger=None if result.challenger is None else sign * result.challenger,
        difference=result.estimate if entry.kind == "difference" else math.nan,
        low=low,
        high=high,
        pvalue=None if describes else result.pvalue,
        greater_is_better=greater_is_better,
        kind=entry.kind,
        flags=flags,
        note=note,
        result=result,
    )
