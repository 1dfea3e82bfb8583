"""What can be refused before anything is fitted, found by trying it on made-up answers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skcompare._registry import PairedTestEntry, get_test
from skcompare._validation import check_pos_label
from skcompare.comparators._class_options import LABEL
from skcompare.comparators._splits import Splits
from skcompare.comparators._tests import Asked
from skcompare.metrics import Measure
from skcompare.predictions import Answers, PairedPredictions, Predictions, one_class

__all__ = ["check_scored_classes", "rehearse"]


def check_scored_classes(
    measures: Iterable[Measure], classes: np.ndarray, pos_label: Any
) -> None:
    """Refuse a positive label that is no class, and measures that cannot score these."""
    named = check_pos_label(pos_label, classes) is not None
    for measure in measures:
        of_all = named and measure.label is None
        measure.check_classes(np.array([0, 1]) if of_all else classes)


def rehearse(
    asked: Asked, measures: Iterable[Measure], splits: Splits, classes: np.ndarray
) -> None:
    """Run the tests that were asked for on right answers of these splits.

    A wrong option, or a test that needs other splits, is refused here rather than after
    hours of fitting.
    """
    if not asked or isinstance(asked, str):
        return
    measures, pair = tuple(measures), _right_answers(splits, classes)
    for name, options in asked.items():
        entry = get_test(name)
        needs: Any = entry.needs
        for_test, for_evidence = (
            {key: options[key] for key in known if key in options}
            for known in (entry.options, entry.evidence_options)
        )
        for about in _about(entry, options, measures):
            answers = pair if about is None else one_class(pair, about.position(classes))
            entry.function(needs.from_pair(answers, **for_evidence), **for_test)


def _about(
    entry: PairedTestEntry, options: Mapping[str, Any], measures: Sequence[Measure]
) -> list[Measure | None]:
    """Measures of one class that a test is run for; None for the answers as they are."""
    of_test = [measure for measure in measures if entry.match(measure.metric)]
    of_class = [measure for measure in of_test if measure.label is not None]
    if of_class and len(of_class) == len(of_test) and LABEL not in options:
        return [*of_class]
    return [None]


def _right_answers(splits: Splits, classes: np.ndarray) -> PairedPredictions:
    """Two classifiers that answer these splits alike, with records of every class."""
    tests = [test for _, test in splits.pairs]
    records = np.concatenate(tests)
    n = int(records.max()) + 1
    y = (np.arange(n) % len(classes)).astype(np.min_scalar_type(-len(classes)))
    labels, certain = y[records], np.eye(len(classes))[y[records]]
    answers = tuple(
        Answers(name, name, labels, certain) for name in ("champion", "challenger")
    )
    made_up = Predictions(
        classes=classes,
        y=y,
        answers=answers,
        design=splits.design,
        records=records,
        bounds=np.cumsum([0, *map(len, tests)]),
        n_train=np.array([len(train) for train, _ in splits.pairs]),
        groups=np.arange(n) if splits.design.grouped else None,
    )
    return made_up.pair("champion", "challenger")
