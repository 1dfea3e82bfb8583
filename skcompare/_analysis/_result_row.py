"""Report rows of test results, and the options that select a class or a score."""

import math
from dataclasses import replace
from typing import Any

from skcompare._analysis._rows import ComparisonRow
from skcompare._registry.tests import PairedTestEntry
from skcompare._typing import Kind
from skcompare.stats import PairedResult
from skcompare.stats.core import class_text


def result_row(
    entry: PairedTestEntry | None,
    result: PairedResult,
    *,
    measure: str,
    greater_is_better: bool,
    alpha: float,
    label: Any = None,
    flags: tuple[str, ...] = (),
    note: str = "",
    limits: tuple[float, float] | None = None,
    pvalue: float | None = None,
    primary: bool = False,
) -> ComparisonRow:
    """Return the report row of a result.

    Parameters
    ----------
    entry : PairedTestEntry or None
        The test; None for a difference by a test that is not registered.
    result : PairedResult
        Its result.
    measure : str
        Name of the measure.
    greater_is_better : bool
        Whether the measure is a score. A negated loss is one, and then the row has the
        mean loss of the result with its sign changed.
    alpha : float
        Intervals have level 1 - alpha.
    label : object, optional
        The class that the measure is of.
    flags : tuple of str
        Caveats beside those of the result.
    note : str
        Description of the estimate.
    limits : tuple of two floats, optional
        Limits of the row; by default those of the result, at the level 1 - alpha.
    pvalue : float, optional
        P-value of the row; by default that of the result.
    primary : bool, default=False
        Whether the verdict comes from the row.
    """
    low, high = limits or (None, None)
    if limits is None and result.has_interval:
        low, high = result.confidence_interval(1 - alpha)
    flags = (*result.flags, *flags)
    describes = "descriptive" in flags
    if math.isnan(result.pvalue) and not describes:
        flags = (*flags, "undefined-pvalue")
    sign = 1 if greater_is_better == result.greater_is_better else -1
    kind: Kind = "difference" if entry is None else entry.kind
    return ComparisonRow(
        measure=measure,
        label=label,
        test=result.test or None if entry is None else entry.name,
        champion=None if result.champion is None else sign * result.champion,
        challenger=None if result.challenger is None else sign * result.challenger,
        difference=result.estimate if kind == "difference" else math.nan,
        low=low,
        high=high,
        pvalue=None if describes else result.pvalue if pvalue is None else pvalue,
        greater_is_better=greater_is_better,
        kind=kind,
        primary=primary,
        flags=flags,
        note=note,
        result=result,
    )


OF_TRUE = ("positive class", class_text(True), class_text(1))
"""Remarks about the class True, which stands for one class against the rest."""


def said_of(result: PairedResult, label: Any) -> PairedResult:
    """Replace the class True in the remark of a result by the actual label."""
    if label is None or not result.remark.startswith(OF_TRUE):
        return result
    return replace(result, remark=class_text(label))
