"""What rows of several classifiers say, and their order."""

from typing import Any

from skcompare.reports import PairRow
from skcompare.stats import PairedResult

WITH_LIMITS = ("accuracy", "auc")
"""Values in the parts of a test of all together that `low` and `high` are limits of; beside
a share they are those of an odds ratio."""


def values_of(omnibus: PairedResult) -> dict[str, float]:
    """What each classifier has of the measure, as the test of all together says."""
    kinds = (*WITH_LIMITS, "share")
    return {
        part["name"]: next(part[kind] for kind in kinds if kind in part)
        for part in omnibus.parts
    }


def limits_of(omnibus: PairedResult) -> dict[str, tuple[float, float]]:
    """Intervals of the values themselves, where the test of all together has them."""
    if "invalid-design" in omnibus.flags:
        return {}
    return {
        part["name"]: (part["low"], part["high"])
        for part in omnibus.parts
        if any(kind in part for kind in WITH_LIMITS)
    }


def rank(value: float) -> tuple[bool, float]:
    """Smallest first, and what is undefined last."""
    return (value != value, value)


def by_pvalue(row: PairRow) -> tuple[Any, ...]:
    """Smallest adjusted p-value first, then raw one; undefined and untested ones last."""
    if row.pvalue is None or row.adjusted_pvalue is None:
        return (2.0, 2.0)
    return (row.adjusted_pvalue, 1.5 if row.pvalue != row.pvalue else row.pvalue)
