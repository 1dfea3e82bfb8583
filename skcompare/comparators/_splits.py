"""Splits of a comparison, and the checks of its settings before anything is fitted."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import (
    ShuffleSplit,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.utils import check_random_state

from skcompare._analysis import (
    LABEL,
    MAX_T,
    NamedTests,
    PairEngine,
    Settings,
    default_test,
    max_t_family,
    no_test_note,
    why_unsuited,
)
from skcompare._analysis.measures import Measure, class_order
from skcompare._core.design import (
    HOLDOUT,
    IN_TIME,
    PAIRED_TRAININGS,
    SEPARATE_TRAININGS,
    TRAININGS,
    Design,
    design_of,
)
from skcompare._core.times import time_codes
from skcompare._core.validation import check_count
from skcompare._registry.metrics import CLASSES
from skcompare._registry.tests import get_test, tests_for
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import (
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
    Split,
    disjoint_split,
    encoded_target,
    is_frozen,
    n_rows,
    ordered_by,
    seeded,
    with_windows,
)


@dataclass(frozen=True, slots=True)
class Splits:
    """Train and test indices, their design, caveats about them, and times of records."""

    pairs: list[Split]
    design: Design
    flags: tuple[str, ...]
    times: np.ndarray | None = None
    horizon: int = 1

    def ordered(self, predictions: Predictions) -> Predictions:
        """Return predictions for the splits with the time of their records."""
        return ordered_by(predictions, self.times, self.horizon)


def resolve_cv(
    cv: Any,
    y: Any,
    random_state: Any,
    target: str = CLASSES,
    times: np.ndarray | None = None,
    horizon: int = 1,
) -> Any:
    """Return the splitter of a `cv` argument, seeded if its `random_state` is None."""
    has_classes = target == CLASSES
    if cv is None and times is not None:
        return TimePointSplit(times, gap=horizon - 1)
    if cv is None:
        return BlockRegularized5x2CV(stratify=has_classes, random_state=random_state)
    if isinstance(cv, str):
        raise ValueError(
            f"`cv` must be None, 'prefit', a splitter, a number of folds or an iterable of "
            f"splits. Got {cv!r}."
        )
    if isinstance(cv, int) and not isinstance(cv, bool):
        check_count("cv", cv, least=2)
    splitter = check_cv(cv, y, classifier=has_classes)
    if random_state is not None and getattr(splitter, "random_state", 0) is None:
        return seeded(splitter, check_random_state(random_state))
    return splitter


class TimePointSplit(TimeSeriesSplit):
    """Splits of time points in their order, the default where records have times.

    As :class:`~sklearn.model_selection.TimeSeriesSplit`, of which the training sets
    expand, but of time points: records may be in any order, and those of one time are never
    in training and test set at once.

    Parameters
    ----------
    time : ndarray of shape (n_samples,)
        Time of each record.
    n_splits : int, default=5
        Number of splits. Equal methods that were trained 5 times are rejected in 1.2
        to 4.8 % of series at a level of 5 %, see ``benchmarks/validity/time``.
    gap : int, default=0
        Time points between training and test set, whose true values are not known yet.
    """

    skcompare_design = IN_TIME

    def __init__(self, time: np.ndarray, n_splits: int = 5, *, gap: int = 0) -> None:
        super().__init__(n_splits, gap=gap)
        self.time = time

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Generate the indices of training and test records of each split."""
        codes = time_codes(self.time)
        n_times = int(codes.max()) + 1
        least = self.n_splits + 1
        # The first training set must have a time point before the gap.
        while least - self.n_splits * (least // (self.n_splits + 1)) <= self.gap:
            least += 1
        if n_times < least:
            raise ValueError(
                f"{self.n_splits} splits in time order, the default with `time`, need at "
                f"least {least} time points. Got {n_times}. Collect records over a longer "
                "time, or pass a `cv` with fewer splits, such as TimeSeriesSplit(2)."
            )
        for train, test in super().split(np.arange(n_times)):
            yield (
                np.flatnonzero(np.isin(codes, train)),
                np.flatnonzero(np.isin(codes, test)),
            )


def make_splits(
    splitter: Any,
    X: Any,
    y: np.ndarray,
    groups: Any,
    params: Any,
    times: np.ndarray | None = None,
    horizon: int = 1,
) -> Splits:
    """Make all splits of a splitter once, to be shared by all classifiers."""
    flags: tuple[str, ...] = ()
    if hasattr(splitter, "describe"):
        flags = splitter.describe(X, y, **params).flags
    n = n_rows(X)
    with warnings.catch_warnings():
        if times is not None:
            # The groups are series, which splits in time order need not separate.
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        pairs = [
            disjoint_split(f"Split {k}", train, test, n)
            for k, (train, test) in enumerate(splitter.split(X, y, **params))
        ]
    if not pairs:
        raise ValueError(f"`cv` must give at least one split. Got none from {splitter}.")
    design = design_of(splitter, len(pairs), grouped=groups is not None)
    return Splits(pairs, with_windows(design, pairs, times), flags, times, horizon)


def one_split(target: str) -> Any:
    """Return the default splitter of several trainings: one random hold-out."""
    stratified = target == CLASSES
    kind = StratifiedShuffleSplit if stratified else ShuffleSplit
    return kind(n_splits=1, test_size=TESTED)


TESTED = 0.3
"""Share of the records that the default hold-out of several trainings tests."""


def trained_again(splits: Splits, n_trainings: int) -> Splits:
    """Repeat the only split for a number of trainings, which are paired by their seed."""
    if len(splits.pairs) != 1:
        raise ValueError(
            "`n_trainings` trains repeatedly on one split. Got "
            f"{len(splits.pairs)} splits. Pass a `cv` of one split, such as "
            "ShuffleSplit(n_splits=1, test_size=0.3), or leave it out."
        )
    if splits.design.grouped:
        raise ValueError(
            "No test of several trainings accounts for the dependence within groups. Got "
            "`groups`. Leave `n_trainings` out, or `groups` if records are independent."
        )
    if splits.times is not None:
        raise ValueError(
            "No test of several trainings accounts for the order of time. Got `time`. "
            "Leave `n_trainings` out, or `time` if records are independent."
        )
    design = replace(PAIRED_TRAININGS, n_repeats=n_trainings)
    return Splits(splits.pairs * n_trainings, design, splits.flags)


def trained_once(
    predictions: Predictions, estimators: Sequence[tuple[str, Any]]
) -> Predictions:
    """Return predictions whose frozen estimators count as trained once."""
    frozen = [name for name, estimator in estimators if is_frozen(estimator)]
    if not frozen:
        return predictions
    roles = (
        replace(role, n_trainings=1) if role.name in frozen else role
        for role in predictions.estimators
    )
    design = replace(SEPARATE_TRAININGS, n_repeats=predictions.n_splits)
    return replace(predictions, estimators=tuple(roles), design=design)


LEVEL = 0.05
"""Level of intervals, which a dry run does not compute."""


def rehearse(settings: Settings, splits: Splits, y: np.ndarray) -> None:
    """Detect errors before fitting, and warn if there will be no verdict.

    Measures are computed from correct predictions of some records of the classes in the
    test sets, and the requested tests run on correct predictions of these splits.
    """
    requested, measures = settings.requested, settings.measures
    if settings.adjust == MAX_T and splits.design.kind not in TRAININGS:
        for measure in measures:
            # Each output of two regressors is tested on a hold-out.
            if not (measure.is_of_each and splits.design.kind == HOLDOUT.kind):
                max_t_family(measure, splits.design)
    classes, codes = encoded_target(y)
    if settings.target == CLASSES:
        _check_trained_classes(splits, classes, codes)
        _check_tested_classes(measures, splits, classes, codes, settings.pos_label)
    if isinstance(requested, Mapping):
        _run(requested, measures, _correct_predictions(splits, classes, y.shape[1:]))
    else:
        _check_default_tests(measures, splits, classes, y.shape[1:])


def _run(
    requested: NamedTests, measures: Sequence[Measure], pair: PairedPredictions
) -> None:
    """Run the requested tests as they would run after fitting."""
    engine = PairEngine(pair, requested, "two-sided", LEVEL, None)
    for name, options in requested.items():
        entry = get_test(name)
        of_test = [measure for measure in measures if entry.match(measure.metric)]
        # A test of measures of one class alone runs for each of these classes.
        of_classes = of_test and all(
            measure.label is not None and not measure.is_numeric for measure in of_test
        )
        engines = [engine]
        if of_classes and LABEL not in options:
            engines = [engine.about(measure) for measure in of_test]
        for of_measure in engines:
            of_measure.prepared(entry, None, name).run()


def _check_trained_classes(splits: Splits, classes: np.ndarray, codes: np.ndarray) -> None:
    """Warn about the first training set with a single class."""
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
    """Check that no measure is undefined on every test set."""
    n_classes = len(classes)
    tested = {
        tuple(np.flatnonzero(np.bincount(codes[test], minlength=n_classes)).tolist())
        for _, test in splits.pairs
    }
    if any(len(present) == n_classes for present in tested):
        return
    present_classes = [[*range(n_classes)], *map(list, tested)]
    for measure in measures:
        if measure.metric is None:
            continue
        scored, order = class_order(classes, pos_label)
        if measure.label is not None:
            position = measure.position(classes)
            scored, order = np.array([0, 1]), (np.arange(n_classes) == position).astype(int)
        all_classes, *sets = ({*order[present].tolist()} for present in present_classes)
        if not _is_undefined(measure, scored, all_classes) and all(
            _is_undefined(measure, scored, present) for present in sets
        ):
            rare = classes[np.bincount(codes, minlength=n_classes).argmin()].item()
            raise ValueError(
                f"scoring {measure.subject!r} would be undefined on every test set, which "
                f"has too few classes. The rarest class, {rare!r}, has "
                f"{np.bincount(codes).min()} records. Collect more, choose splits that are "
                "stratified, or a measure such as 'accuracy'."
            )


def _is_undefined(measure: Measure, classes: np.ndarray, present: set[int]) -> bool:
    """Whether a measure is undefined for records of these classes only."""
    try:
        return math.isnan(measure.of_right_predictions(classes, np.array(sorted(present))))
    except ValueError:
        return True


def _check_default_tests(
    measures: Sequence[Measure],
    splits: Splits,
    classes: np.ndarray,
    outputs: tuple[int, ...],
) -> None:
    """Warn if no test is valid for the verdict, or for a measure that has tests."""
    design, made_up = splits.design, None
    if design.kind == IN_TIME:
        made_up = _correct_predictions(splits, classes, outputs).predictions
    for measure in measures:
        is_first = measure is measures[0]
        matters, note = is_first or tests_for(measure.metric), ""
        default = default_test(measure, design)
        if matters and default is None:
            note = no_test_note(measure, design)
        elif matters and default is not None and made_up is not None:
            note = why_unsuited(default, made_up)
        if note:
            lacking = "verdict" if is_first else "p-value"
            warnings.warn(f"There will be no {lacking}: {note}.", stacklevel=6)


def _correct_predictions(
    splits: Splits, classes: np.ndarray, outputs: tuple[int, ...] = ()
) -> PairedPredictions:
    """Return made-up, correct predictions of two classifiers for these splits.

    Of numbers they are of several `outputs`, if there is a number of these.
    """
    tests = [test for _, test in splits.pairs]
    records = np.concatenate(tests)
    n = int(records.max()) + 1 if splits.times is None else len(splits.times)
    y: Any = np.arange(n, dtype=np.float64)
    y = y if not outputs else np.column_stack([y] * outputs[0])
    correct: dict[str, Any] = {"values": y[records], "std": np.ones(len(records))}
    if len(classes):
        y = (np.arange(n) % len(classes)).astype(np.min_scalar_type(-len(classes)))
        labels: Any = y.take(records)
        correct = {"labels": labels, "proba": np.eye(len(classes)).take(labels, axis=0)}
    role = EstimatorPredictions("champion", "champion", **correct)
    made_up = Predictions(
        classes=classes,
        y=y,
        estimators=(role, role),
        design=splits.design,
        records=records,
        bounds=np.cumsum([0, *map(len, tests)]),
        n_train=np.array([len(train) for train, _ in splits.pairs]),
        groups=np.arange(n) if splits.design.grouped else None,
        outputs=tuple(map(str, range(*outputs))) if outputs else (),
    )
    made_up = splits.ordered(made_up)
    return PairedPredictions(made_up, role, role)
