"""What can be refused before anything is fitted, found by trying it on made-up answers."""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skcompare._core.design import Design
from skcompare._core.labels import class_codes
from skcompare._core.validation import check_pos_label
from skcompare._registry.tests import PairedTestEntry, get_test, tests_for
from skcompare.comparators._result_row import LABEL
from skcompare.comparators._splits import Splits
from skcompare.comparators._test_selection import (
    Asked,
    NamedTests,
    default_test,
    no_test_note,
)
from skcompare.metrics import Measure, class_order
from skcompare.predictions import PROBA, Answers, PairedPredictions, Predictions, one_class


def check_scored_classes(
    measures: Iterable[Measure], classes: np.ndarray, pos_label: Any
) -> None:
    """Refuse a positive label that is no class, and measures that cannot score these."""
    named = check_pos_label(pos_label, classes) is not None
    for measure in measures:
        of_all = named and measure.label is None
        measure.check_classes(np.array([0, 1]) if of_all else classes)


def rehearse(
    asked: Asked,
    measures: Sequence[Measure],
    splits: Splits,
    classes: np.ndarray,
    y: np.ndarray,
    pos_label: Any,
) -> frozenset[str]:
    """Refuse what would fail after hours of fitting, and warn of what would decide nothing.

    Measures are scored on right answers to some records of the classes that the test sets
    have, and the tests that were asked for run on right answers of these splits. Returns
    "probabilities" if decision scores would not do.
    """
    codes = class_codes("y", y, classes)
    _check_trained_classes(splits, classes, codes)
    _check_tested_classes(measures, splits, classes, codes, pos_label)
    if not isinstance(asked, Mapping):
        _check_default_tests(measures, splits.design)
    needs_proba = any(measure.needs_proba for measure in measures)
    if isinstance(asked, Mapping):
        pair = _right_answers(splits, classes, with_proba=True)
        _run(asked, measures, pair, classes)
        try:
            pair = _right_answers(splits, classes, with_proba=False)
            _run(asked, measures, pair, classes)
        except ValueError:
            needs_proba = True
    return frozenset({PROBA} if needs_proba else ())


def _run(
    asked: NamedTests,
    measures: Sequence[Measure],
    pair: PairedPredictions,
    classes: np.ndarray,
) -> None:
    """Run the tests that were asked for, as they would be in the end."""
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


def _check_trained_classes(splits: Splits, classes: np.ndarray, codes: np.ndarray) -> None:
    """Warn of a training set of one class, before the first fit on others."""
    for k, (train, _) in enumerate(splits.pairs):
        if len(train) and (codes[train] == codes[train[0]]).all():
            only = classes[codes[train[0]]].item()
            warnings.warn(
                f"The training set of split {k} has class {only!r} alone, and most "
                "classifiers cannot be fitted to one class. Collect more records of the "
                "others, or choose splits that are stratified.",
                stacklevel=6,
            )
            return


def _check_tested_classes(
    measures: Iterable[Measure],
    splits: Splits,
    classes: np.ndarray,
    codes: np.ndarray,
    pos_label: Any,
) -> None:
    """Refuse a measure that every test set lacks a class for."""
    n_classes = len(classes)
    tested = {
        tuple(np.flatnonzero(np.bincount(codes[test], minlength=n_classes)).tolist())
        for _, test in splits.pairs
    }
    if any(len(held) == n_classes for held in tested):
        return
    held_by = [[*range(n_classes)], *map(list, tested)]
    for measure in measures:
        if measure.metric is None:
            continue
        scored, order = class_order(classes, pos_label)
        if measure.label is not None:
            position = measure.position(classes)
            scored, order = np.array([0, 1]), (np.arange(n_classes) == position).astype(int)
        every, *sets = ({*order[held].tolist()} for held in held_by)
        if not _is_undefined(measure, scored, every) and all(
            _is_undefined(measure, scored, held) for held in sets
        ):
            rare = classes[np.bincount(codes, minlength=n_classes).argmin()].item()
            raise ValueError(
                f"scoring {measure.subject!r} would be undefined on every test set, which "
                f"has too few classes. The rarest class, {rare!r}, has "
                f"{np.bincount(codes).min()} records. Collect more, choose splits that are "
                "stratified, or a measure such as 'accuracy'."
            )


def _is_undefined(measure: Measure, classes: np.ndarray, held: set[int]) -> bool:
    """Whether right answers to records of some classes have no score."""
    try:
        return math.isnan(measure.of_right_answers(classes, np.array(sorted(held))))
    except ValueError:
        return True


def _check_default_tests(measures: Sequence[Measure], design: Design) -> None:
    """Warn where the splits leave the verdict, or a measure that has tests, without one."""
    for measure in measures:
        if default_test(measure, design) is not None:
            continue
        if measure is measures[0]:
            note = f"There will be no verdict: {no_test_note(measure, design)}."
        elif tests_for(measure.metric):
            note = f"There will be no p-value: {no_test_note(measure, design)}."
        else:
            continue
        warnings.warn(note, stacklevel=6)


def _right_answers(
    splits: Splits, classes: np.ndarray, *, with_proba: bool
) -> PairedPredictions:
    """Two classifiers that answer these splits alike, with records of every class."""
    tests = [test for _, test in splits.pairs]
    records = np.concatenate(tests)
    n = int(records.max()) + 1
    y = (np.arange(n) % len(classes)).astype(np.min_scalar_type(-len(classes)))
    labels, certain = y[records], np.eye(len(classes))[y[records]]
    scores = certain[:, 1] if len(classes) == 2 else certain
    proba, decision = (certain, None) if with_proba else (None, scores)
    answers = tuple(
        Answers(name, name, labels, proba, decision) for name in ("champion", "challenger")
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
