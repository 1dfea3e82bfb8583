"""What can be refused before anything is fitted, found by trying it on made-up answers."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from skcompare._registry import get_test
from skcompare._validation import check_pos_label
from skcompare.comparators._splits import Splits
from skcompare.comparators._tests import Asked
from skcompare.evidence import ScoreDifferences
from skcompare.metrics import Measure
from skcompare.predictions import Answers, Predictions

__all__ = ["check_scored_classes", "rehearse"]


def check_scored_classes(
    measures: Iterable[Measure], classes: np.ndarray, pos_label: Any
) -> None:
    """Refuse a positive label that is no class, and measures that cannot score these."""
    named = check_pos_label(pos_label, classes) is not None
    for measure in measures:
        of_all = named and measure.label is None
        measure.check_classes(np.array([0, 1]) if of_all else classes)


def rehearse(asked: Asked, splits: Splits, classes: np.ndarray) -> None:
    """Run the tests that were asked for on right answers of these splits.

    A wrong option, or a test that needs other splits, is refused here rather than after
    hours of fitting.
    """
    if not asked or isinstance(asked, str):
        return
    tests = [test for _, test in splits.pairs]
    n = sum(map(len, tests))
    certain = np.zeros((n, len(classes)))
    certain[:, 0] = 1.0
    answers = tuple(
        Answers(name, name, np.zeros(n, dtype=np.int8), certain)
        for name in ("champion", "challenger")
    )
    made_up = Predictions(
        classes=classes,
        y=np.zeros(n, dtype=np.int8),
        answers=answers,
        design=splits.design,
        records=np.arange(n),
        bounds=np.cumsum([0, *map(len, tests)]),
        groups=np.arange(n) if splits.design.grouped else None,
    )
    pair = made_up.pair("champion", "challenger")
    for name, options in asked.items():
        entry = get_test(name)
        if entry.needs is not ScoreDifferences:
            entry.function(entry.needs.from_pair(pair), **options)  # type: ignore[attr-defined]
