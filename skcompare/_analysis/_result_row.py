"""Report rows of test results, and the options that select a class or a score."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from skcompare._analysis._rows import ComparisonRow
from skcompare._analysis._test_selection import NamedTests, RequestedTests
from skcompare._analysis.measures import Measure
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare._typing import Kind
from skcompare.stats import PairedResult
from skcompare.stats.core import class_label, class_text


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


LABEL: Final = "label"
"""Option that selects the class of a test of one class against the rest."""
POS_LABEL: Final = "pos_label"
"""Option of tests and of evidence that selects the positive class."""

SCORE: Final = "score"
"""Option that selects the score of a test of several scores."""

OF_TRUE = ("positive class", class_text(True), class_text(1))
"""Remarks about the class True, which stands for one class against the rest."""


def check_positive(requested: RequestedTests, measures: Iterable[Measure]) -> None:
    """Check that tests of a measure that names its class have no `pos_label` option."""
    if not requested or isinstance(requested, str):
        return
    for measure in measures:
        for name, options in requested.items():
            names_class = measure.label is not None and get_test(name).match(measure.metric)
            if names_class and POS_LABEL in options:
                raise ValueError(
                    f"scoring {measure.subject!r} says which class is positive. Got "
                    f"pos_label={options[POS_LABEL]!r} among the options of {name}. Leave "
                    "it out, or name that class in brackets."
                )


def is_about(
    entry: PairedTestEntry, measure: Measure, requested: NamedTests | None
) -> bool:
    """Whether a requested test belongs to a measure.

    A test of several scores that is requested with one of them is of that one, and a test
    that is requested with a class is of measures of that class only.
    """
    options = (requested or {}).get(entry.name, {})
    if LABEL in options and str(options[LABEL]) != measure.label:
        return False
    chosen = options.get(SCORE)
    if chosen is not None:
        return bool(chosen == measure.metric and entry.match(measure.metric))
    return entry.match(measure.metric) > 0


def with_classes(requested: RequestedTests, classes: np.ndarray) -> RequestedTests:
    """Replace labels in the options of tests by the equal elements of `classes`."""
    if not requested or isinstance(requested, str):
        return requested
    return {
        name: {**options, LABEL: class_label(classes, options[LABEL])}
        if LABEL in options
        else options
        for name, options in requested.items()
    }


def said_of(result: PairedResult, label: Any) -> PairedResult:
    """Replace the class True in the remark of a result by the actual label."""
    if label is None or not result.remark.startswith(OF_TRUE):
        return result
    return replace(result, remark=class_text(label))
