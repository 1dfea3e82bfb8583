"""The row of a report that shows the result of a test."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.comparators._test_selection import Asked, NamedTests
from skcompare.metrics import Measure
from skcompare.reports import ComparisonRow
from skcompare.stats import PairedResult
from skcompare.stats.core import class_label, class_words


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


LABEL: Final = "label"
"""The option by which a test of one class against the rest is told which one."""
POS_LABEL: Final = "pos_label"
"""The option of tests and of evidence that names the positive class."""

SCORE: Final = "score"
"""The option by which a test of several scores is told which one."""

OF_TRUE = ("positive class", class_words(True), class_words(1))
"""Remarks about the class True, which stands for one class where there are others."""


def check_positive(asked: Asked, measures: Iterable[Measure]) -> None:
    """Refuse a positive class for a test of a measure that names its class."""
    if not asked or isinstance(asked, str):
        return
    for measure in measures:
        for name, options in asked.items():
            about = measure.label is not None and get_test(name).match(measure.metric)
            if about and POS_LABEL in options:
                raise ValueError(
                    f"scoring {measure.subject!r} says which class is positive. Got "
                    f"pos_label={options[POS_LABEL]!r} among the options of {name}. Leave "
                    "it out, or name that class in brackets."
                )


def is_about(entry: PairedTestEntry, measure: Measure, asked: NamedTests | None) -> bool:
    """Whether a test that was asked for is one of this measure.

    A test of several scores that was asked for with one of them is about that one, and one
    that was asked for with a class is about measures of that class alone.
    """
    options = (asked or {}).get(entry.name, {})
    if LABEL in options and str(options[LABEL]) != measure.label:
        return False
    chosen = options.get(SCORE)
    if chosen is not None:
        return bool(chosen == measure.metric and entry.match(measure.metric))
    return entry.match(measure.metric) > 0


def with_classes(asked: Asked, classes: np.ndarray) -> Asked:
    """What was asked for, with each class as it stands among the classes."""
    if not asked or isinstance(asked, str):
        return asked
    return {
        name: {**options, LABEL: class_label(classes, options[LABEL])}
        if LABEL in options
        else options
        for name, options in asked.items()
    }


def said_of(result: PairedResult, label: Any) -> PairedResult:
    """The result about True, with the class in its words that True stands for."""
    if label is None or not result.remark.startswith(OF_TRUE):
        return result
    return replace(result, remark=class_words(label))
