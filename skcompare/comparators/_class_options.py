"""Which class a row is about: the measure's, or the one that a test was asked for."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.comparators._tests import Asked, NamedTests
from skcompare.metrics import Measure
from skcompare.stats import PairedResult
from skcompare.stats._class_label import class_label, class_words

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
