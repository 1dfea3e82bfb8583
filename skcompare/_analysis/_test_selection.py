"""Selection of the tests of each measure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

import numpy as np

from skcompare._analysis.measures import BY_INFLUENCE, RANKING_SCORES, Measure
from skcompare._core.design import HOLDOUT, IN_TIME, TIME_ORDERED_HOLDOUT, Design, remedy
from skcompare._registry.metrics import (
    record_losses,
    tested_instead,
    tested_loss,
    why_untestable,
)
from skcompare._registry.tests import PairedTestEntry, get_test, paired_tests, tests_for
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ROOTS, OrderedDifferences, ScoredPair, Tally
from skcompare.predictions import (
    LABELS,
    PROBA,
    RANKS,
    SCORES,
    EstimatorPredictions,
    Predictions,
    least_horizon,
    what_lacks,
    why_no_series,
)
from skcompare.stats.core import class_label
from skcompare.stats.scores import BINARY_SCORES

CALIBRATION: dict[str, dict[str, Any]] = {
    "expected_calibration_error": {"norm": "l1"},
    "maximum_calibration_error": {"norm": "max"},
    "squared_calibration_error": {"norm": "l2", "squared": True, "debiased": True},
}
"""Metrics that are calibration errors of bins, with the options of the error."""

NOT_READ: Any = np.empty(0, dtype=np.int64)
"""Stands for predictions and true labels that exist and are not read."""


@dataclass(frozen=True, eq=False, slots=True)
class CountedSchema:
    """Classes and kinds of predictions of records that are to be counted in place.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, sorted.
    scored : mapping of str to bool
        Whether each of the two classifiers has probabilities.
    grouped : bool, default=False
        Whether the records come in groups.
    """

    classes: np.ndarray
    scored: Mapping[str, bool]
    grouped: bool = False
    y: ClassVar[Any] = NOT_READ

    @property
    def estimators(self) -> tuple[EstimatorPredictions, ...]:
        """Kinds of predictions of each classifier: labels, and perhaps probabilities."""
        return tuple(
            EstimatorPredictions(name, name, NOT_READ, NOT_READ if has_proba else None)
            for name, has_proba in self.scored.items()
        )

    @property
    def design(self) -> Design:
        """Design of the collection of the records."""
        return Design(HOLDOUT.kind, grouped=self.grouped)

    def class_counts(self) -> FloatArray:
        """Number of records of each class: not known, and taken to be enough."""
        return np.full(len(self.classes), np.inf)

    def of_one_class(self, position: int) -> "CountedSchema":
        """Return the schema of one class against the rest, of which labels are counted."""
        labels_only = dict.fromkeys(self.scored, False)
        return CountedSchema(np.array([False, True]), labels_only, self.grouped)


@dataclass(frozen=True, eq=False, slots=True)
class TalliedPredictions(Predictions):
    """Predictions known only by counts and sums, without individual records."""

    tally: Tally = field(kw_only=True)

    @property
    def n_records(self) -> int:
        """Number of records."""
        return self.tally.n

    def class_counts(self) -> IntArray:
        """Number of records of each true class, of shape (n_classes,)."""
        if self.is_numeric:
            return np.zeros(0, dtype=np.int64)
        cells = self.tally.cells(["y"])
        counts = np.zeros(len(self.classes), dtype=np.int64)
        counts[cells.keys["y"]] = cells.counts
        return counts


NamedTests = Mapping[str, Mapping[str, Any]]
"""Options of the requested tests, by name."""

ALL: Final = "all"
RequestedTests = NamedTests | Literal["all"] | None
"""Requested tests: by name, all that are valid, or None for the default ones."""

Schema = Predictions | CountedSchema
"""Classes, design and kinds of predictions."""

LABEL: Final = "label"
"""Option that selects the class of a test of one class against the rest."""
POS_LABEL: Final = "pos_label"
"""Option of tests and of evidence that selects the positive class."""

SCORE: Final = "score"
"""Option that selects the score of a test of several scores."""

LOSS: Final = "loss"
"""Option of evidence that is determined by the measure."""

SET_ELSEWHERE = "alternative"
NULL_VALUE = "null_value"
FIRST_WITHOUT_TRUTH = "label rates"
CROSS_VALIDATIONS = ("bcv", "kfold")
"""Designs to recommend, the cheapest and most informative one first."""


def named_tests(tests: Any, more: Mapping[str, tuple[str, ...]] = {}) -> RequestedTests:
    """Return the requested tests with their options, or None for "auto".

    `more` has options that tests take here beside their own.
    """
    if isinstance(tests, str):
        if tests == "auto":
            return None
        if tests == ALL:
            return ALL
        tests = [tests]
    requested: dict[str, dict[str, Any]]
    if isinstance(tests, Mapping):
        requested = {name: _options(name, options) for name, options in tests.items()}
    elif isinstance(tests, Iterable):
        requested = {get_test(name).name: {} for name in tests}
    else:
        raise TypeError(
            "`tests` must be 'auto', a name, a list of names, or a dict of names and "
            f"options. Got {type(tests).__name__}."
        )
    if not requested:
        raise ValueError("`tests` must have at least one name, or be 'auto'. Got none.")
    for name, options in requested.items():
        _check_options(get_test(name), options, more.get(name, ()))
    return requested


def named_for(requested: RequestedTests, predictions: Schema) -> NamedTests | None:
    """Return the requested tests, with "all" resolved to those valid for the predictions.

    Tests that call for caution have to be named.
    """
    if not isinstance(requested, str):
        return requested
    valid = [e for e in paired_tests().values() if e.valid_for(predictions.design)]
    valid = [entry for entry in valid if not entry.caution]
    usable = [e for e in valid if predictions.y is not None or not _needs_truth(e)]
    return {entry.name: {} for entry in usable if not why_unsuited(entry, predictions)}


def why_unsuited(
    entry: PairedTestEntry, predictions: Schema, measure: Measure | None = None
) -> str:
    """Return the reason why a test does not suit these predictions, or an empty string."""
    needs: Any = entry.needs
    is_tallied = isinstance(predictions, TalliedPredictions | CountedSchema)
    of_others = needs is ScoredPair and measure is not None and measure.metric not in ROOTS
    if is_tallied and (entry.of_records or of_others or not hasattr(needs, "from_tally")):
        return f"{entry.name} needs every record, but they were counted on the engine"
    if measure is None or not is_by_influence(entry, measure):
        lacking = what_lacks(entry, predictions)  # type: ignore[arg-type]
    else:
        lacking = _what_score_lacks(entry, measure, predictions)
    return lacking or _what_time_lacks(entry, predictions)


def is_by_influence(entry: PairedTestEntry, measure: Measure) -> bool:
    """Whether such a test is of a score that is not a mean loss of records."""
    return entry.needs in BY_INFLUENCE and tested_loss(measure.metric) is None


def _what_score_lacks(entry: PairedTestEntry, measure: Measure, predictions: Schema) -> str:
    """Return the reason why a test by influences lacks what a score needs, or ""."""
    for role in predictions.estimators if len(predictions.classes) else ():
        if SCORES in measure.required and not (role.has_proba or role.has_decision):
            return f"{entry.name} needs probabilities, and {role.name} gives none"
        if LABELS in measure.required and not role.has_labels:
            return f"{entry.name} needs labels, and {role.name} gives none"
    return ""


def _what_time_lacks(entry: PairedTestEntry, predictions: Schema) -> str:
    """Return the reason why a test cannot use the time of the records, or "" if it can."""
    if entry.needs is not OrderedDifferences or not isinstance(predictions, Predictions):
        return ""
    if predictions.design.kind == IN_TIME:
        return _what_splits_lack(entry, predictions)
    if predictions.time is None:
        return ""
    least = OrderedDifferences.least_records * predictions.horizon
    if has_fewer_times(predictions.time[predictions.tested], least):
        return (
            f"{entry.name} needs {least} time points, {OrderedDifferences.least_records} "
            f"for each step of the horizon of {predictions.horizon}, and there are "
            f"{predictions.n_times}; collect records over a longer time"
        )
    series, only_series = predictions.groups, all("grouped" in d for d in entry.designs)
    if only_series and (series is None or not (series != series[0]).any()):
        count = "these have no `groups`" if series is None else "there is 1"
        return f"{entry.name} needs at least 2 series, and {count}"
    return ""


def _what_splits_lack(entry: PairedTestEntry, predictions: Predictions) -> str:
    """Return the reason why a test cannot use splits in time order, or ""."""
    if predictions.design.grouped and predictions.time is None:
        return (
            f"{entry.name} needs the time of each record where these come in series; pass "
            "`time` beside `groups`"
        )
    least = OrderedDifferences.least_records * least_horizon(predictions)
    n, unit = predictions.n_tested, "test records"
    if predictions.time is not None:
        n, unit = predictions.n_times or 0, "tested time points"
    if n < least:
        return (
            f"{entry.name} needs {least} {unit}, {OrderedDifferences.least_records} for "
            "each step of the horizon, which is at least 1 more than the gap, and there "
            f"are {n}; use longer test sets, or more"
        )
    only_series = all("grouped" in design for design in entry.designs)
    if only_series and predictions.groups is None:
        return f"{entry.name} needs at least 2 series, and these have no `groups`"
    reason = why_no_series(predictions)
    return f"{entry.name} is for records in time order, and {reason}" if reason else ""


SAMPLED_TIMES = 4096
"""Number of records whose times are enough to see that there are many."""


def has_fewer_times(times: np.ndarray, least: int) -> bool:
    """Whether there are fewer distinct times than `least`."""
    step = max(1, len(times) // SAMPLED_TIMES)
    return len(np.unique(times[::step])) < least and len(np.unique(times)) < least


def tests_without_truth(
    requested: NamedTests | None, design: Design
) -> list[PairedTestEntry]:
    """Return the tests to run without true labels: the requested ones, or one per subject.

    The first one is of the rates at which the classes are predicted.
    """
    if not requested:
        entries = [e for e in paired_tests().values() if not _needs_truth(e)]
        entries = [e for e in entries if e.valid_for(design) and not e.caution]
        if not entries:
            raise ValueError(
                f"No test of the predictions alone is valid for {design}. Pass the true "
                "labels, or name a test to run it anyway."
            )
        by_subject = {entry.measures[0]: entry for entry in reversed(entries)}
        return sorted(
            by_subject.values(), key=lambda e: e.measures[0] != FIRST_WITHOUT_TRUTH
        )
    entries = [get_test(name) for name in requested]
    for entry in entries:
        if _needs_truth(entry):
            names = [e.name for e in paired_tests().values() if not _needs_truth(e)]
            raise ValueError(
                f"{entry.name} needs true labels. Got none. Pass `y_true`, or choose among "
                f"the tests of the predictions alone: {', '.join(names)}."
            )
    return entries


def _needs_truth(entry: PairedTestEntry) -> bool:
    return getattr(entry.needs, "needs_truth", True)


def _options(name: Any, options: Any) -> dict[str, Any]:
    if not isinstance(options, Mapping):
        raise TypeError(
            f"The options of test {name!r} must be a dict. Got {options!r}. Pass {{}} for "
            "none."
        )
    return dict(options)


def _check_options(
    entry: PairedTestEntry, options: Mapping[str, Any], more: tuple[str, ...]
) -> None:
    if SET_ELSEWHERE in options:
        raise ValueError(
            f"The direction is one for all tests. Got 'alternative' among the options of "
            f"{entry.name}. Pass `alternative` beside `tests`."
        )
    if NULL_VALUE in options:
        raise ValueError(
            f"A comparison tests whether the classifiers are equal. Got 'null_value' among "
            f"the options of {entry.name}. Call skcompare.stats.{entry.name} for another "
            "null value."
        )
    accepted = dict.fromkeys((*entry.options, *entry.evidence_options, *more))
    allowed = [name for name in accepted if name not in (SET_ELSEWHERE, NULL_VALUE)]
    for name in options:
        if name not in allowed:
            raise ValueError(
                f"{entry.name} has no option {name!r}. Its options: "
                f"{', '.join(allowed) or 'none'}."
            )


def default_test(measure: Measure, design: Design) -> PairedTestEntry | None:
    """Return the default test of a measure, or None if no test is valid."""
    return next(iter(tests_for(measure.metric, design)), None)


def fitting_tests(
    measure: Measure, predictions: Schema, alternative: str = "two-sided"
) -> Iterator[PairedTestEntry]:
    """Yield the tests of a measure that suit the design and the predictions."""
    for entry in tests_for(measure.metric, predictions.design):
        # A test without direction cannot test a one-sided hypothesis.
        is_sided = alternative == "two-sided" or "alternative" in entry.options
        if is_sided and not why_unsuited(entry, predictions, measure):
            yield entry


def tests_to_run(
    default: PairedTestEntry | None, requested: Iterable[PairedTestEntry], primary: bool
) -> list[PairedTestEntry | None]:
    """Return the tests for the rows of a measure, with None for a row without test.

    The primary row is that of the design's default test; if there is none it is the one
    without test, because the verdict cannot come from a test that is not valid.
    """
    tests: list[PairedTestEntry | None] = list(requested)
    if default is not None and primary:
        tests = [default, *(entry for entry in tests if entry is not default)]
    if not tests or (primary and default is None):
        tests.insert(0, None)
    return tests


def predictions_required(
    measures: Iterable[Measure], requested: RequestedTests
) -> frozenset[str]:
    """Return the kinds of predictions that these measures and tests need."""
    measures = list(measures)
    if any(measure.is_numeric for measure in measures):
        named = {} if isinstance(requested, str) else requested or {}
        losses = [own.get(LOSS) for own in named.values()]
        entries = (loss for name, loss in record_losses().items() if name in losses)
        kinds = frozenset[str]().union(*(measure.required for measure in measures))
        return kinds.union(loss.needs for loss in entries)
    responses = frozenset[str]().union(*(measure.required for measure in measures))
    if any(measure.needs_proba for measure in measures):
        responses |= {PROBA}
    if isinstance(requested, str):
        return responses | {LABELS, SCORES}
    scored = [measure for measure in measures if SCORES in measure.required]
    if requested is None and scored and all(m.metric in RANKING_SCORES for m in scored):
        return responses | {RANKS}
    for name, own in (requested or {}).items():
        needs = get_test(name).needs
        if needs in BY_INFLUENCE and LOSS not in own:
            # It is about these measures.
            continue
        declared = getattr(needs, "required", None)
        responses |= {LABELS, SCORES} if declared is None else declared
        if SCORES in (declared or ()) and not getattr(needs, "takes_decision", False):
            responses |= {PROBA}
    return responses


def _nearest(ways: Iterable[str]) -> list[str]:
    """Return the preferred cross-validation and the hold-out if listed, else all names."""
    names = list(ways)
    cross_validation = [name for name in CROSS_VALIDATIONS if name in names][:1]
    return cross_validation + [name for name in names if name == HOLDOUT.name] or names


def no_test_note(measure: Measure, design: Design) -> str:
    """Explain why a measure has no p-value, and name designs that would give one."""
    tests = tests_for(measure.metric)
    instead = tested_instead(measure.metric)
    if instead and not tests:
        return (
            f"no test of {measure.name} is valid, because "
            f"{why_untestable(measure.metric)}; use scoring={instead!r} on a hold-out"
        )
    if not tests:
        return f"no test of {measure.name} is known: the difference is shown alone"
    reason = f"no test of {measure.name} is valid for {design}"
    in_time = (IN_TIME, TIME_ORDERED_HOLDOUT.kind)
    if design.kind in in_time:
        return f"{reason}: none allows for how records depend on each other over time"
    # Records have an order in time or they have not, whatever would be convenient.
    names = [name for entry in tests for name in entry.designs]
    names = [name for name in names if not name.endswith(in_time)]
    if design.grouped:
        ways = [name for name in names if name.startswith("grouped ")]
        if not ways:
            return f"{reason}: none accounts for the dependence within groups"
    else:
        ways = [name for name in names if not name.startswith("grouped ")]
    # Without names of tests, so that measures with one remedy share a note.
    has_classes = not measure.is_numeric
    nearest = _nearest(dict.fromkeys(ways))
    advice = [remedy(name, stratified=has_classes) for name in nearest]
    return f"{reason}; use {', or '.join(advice)}" if advice else reason


def check_suited(requested: RequestedTests, measures: Sequence[Measure]) -> None:
    """Check that tests are for the target, and leave the class to measures that name it."""
    if not requested or isinstance(requested, str):
        return
    for measure in measures:
        for name, options in requested.items():
            if measure.is_numeric and not get_test(name).of_numbers:
                suited = ", ".join(entry.name for entry in tests_for(measure.metric))
                raise ValueError(
                    f"{name} is for classes, and {measure.subject} is of numbers. Choose "
                    f"among {suited}."
                )
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
    that is requested with a class or a loss is of measures of these only.
    """
    options = (requested or {}).get(entry.name, {})
    if LABEL in options and str(options[LABEL]) != measure.label:
        return False
    loss = tested_loss(measure.metric)
    if LOSS in options and (loss is None or loss.name != options[LOSS]):
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


class Selection:
    """Choice of the tests of measures and of their options, without looking at records.

    Parameters
    ----------
    predictions : Predictions or CountedSchema
        Classes, design and kinds of predictions.
    requested : dict, "all" or None
        Options of the requested tests, by name.
    alternative : str
        Direction of all tests.
    pos_label : label, optional
        The positive one of two classes.
    """

    def __init__(
        self,
        predictions: Schema,
        requested: RequestedTests,
        alternative: str,
        pos_label: Any = None,
    ) -> None:
        self.predictions, self._declared = predictions, requested
        self.requested = named_for(requested, predictions)
        self.alternative, self.pos_label = alternative, pos_label
        self._fitting: dict[str | None, list[PairedTestEntry]] = {}

    def about(self, measure: Measure) -> "Selection":
        """Return the selection for the classes of a measure: all, or one against the rest.

        Predictions other than those of a schema are changed by the engine of the pair.
        """
        if measure.label is None or not isinstance(self.predictions, CountedSchema):
            return self
        schema = self.predictions.of_one_class(measure.position(self.predictions.classes))
        return Selection(schema, self._declared, self.alternative, pos_label=True)

    def tests_of(self, measure: Measure, primary: bool) -> list[PairedTestEntry | None]:
        """Return the tests for the rows of a measure, with None for a row without test."""
        is_first = primary or self.requested is None
        tests = self.requested_tests(measure)
        return tests_to_run(self.fitting_test(measure), tests, is_first)

    def requested_tests(self, measure: Measure) -> list[PairedTestEntry]:
        """Return the requested tests of a measure."""
        return [
            entry
            for entry in map(get_test, self.requested or ())
            if is_about(entry, measure, self.requested)
            and not (
                self._declared == ALL
                and (entry.lacks_bound(measure.metric) or self.why_unsuited(entry, measure))
            )
        ]

    def why_unsuited(self, entry: PairedTestEntry, measure: Measure | None) -> str:
        """Return the reason why a test does not suit a measure, or an empty string."""
        return why_unsuited(entry, self.predictions, measure)

    def fitting_test(self, measure: Measure) -> PairedTestEntry | None:
        """Return the first test of a measure that suits the design and the predictions."""
        return next(iter(self._fitting_tests(measure)), None)

    def _fitting_tests(self, measure: Measure) -> list[PairedTestEntry]:
        if measure.metric not in self._fitting:
            self._fitting[measure.metric] = [
                entry
                for entry in fitting_tests(measure, self.predictions, self.alternative)
                if not self.why_unsuited(entry, measure)
            ]
        return self._fitting[measure.metric]

    def other_tests(self, measures: Sequence[Measure]) -> list[PairedTestEntry]:
        """Return the requested tests that belong to none of these measures."""
        return [
            entry
            for entry in map(get_test, self.requested or ())
            if not any(is_about(entry, measure, self.requested) for measure in measures)
            and not (self._declared == ALL and self._lacks_bound(entry))
        ]

    def _lacks_bound(self, entry: PairedTestEntry) -> bool:
        """Whether a test needs a bound, which losses of numbers do not have by default."""
        return entry.bounded and not len(self.predictions.classes)

    def why_untested(
        self, default: PairedTestEntry | None, measure: Measure, name: str
    ) -> str:
        """Return why a measure has no test, where `default` would be its first one."""
        if default is None:
            return no_test_note(measure, self.predictions.design)
        unsuited = self.why_unsuited(default, measure)
        return unsuited or f"no test of {name} was requested"

    def _options(self, entry: PairedTestEntry, measure: Measure | None) -> dict[str, Any]:
        """Return the options of a test: requested, common, or determined by the measure."""
        requested = (self.requested or {}).get(entry.name, {})
        options = {name: requested[name] for name in requested if name in entry.options}
        if "alternative" in entry.options:
            options["alternative"] = self.alternative
        if SCORE in entry.options and measure is not None:
            options[SCORE] = measure.metric
        if measure is not None:
            # The measure determines the class; a requested class has other rows.
            options.pop(LABEL, None)
        if self.pos_label is None:
            return options
        if LABEL in entry.options:
            options.setdefault(LABEL, self.pos_label)
        elif options.get(SCORE) in BINARY_SCORES:
            options.setdefault(POS_LABEL, self.pos_label)
        return options

    def evidence_options(
        self, entry: PairedTestEntry, measure: Measure | None
    ) -> dict[str, Any]:
        """Return the options that are set for the evidence of a test."""
        options: dict[str, Any] = {}
        requested = (self.requested or {}).get(entry.name, {})
        if entry.needs is ScoredPair and measure is not None:
            return {SCORE: measure.metric}
        loss = tested_loss(measure.metric) if measure is not None else None
        if loss is not None:
            options |= {LOSS: loss.name, **dict(measure.options)}  # type: ignore[union-attr]
            # Options of another loss are of a row of its own.
            requested = {} if requested.get(LOSS, loss.name) != loss.name else requested
        if self.pos_label is not None and entry.needs not in BY_INFLUENCE:
            # Losses of a pair are of the probabilities of all classes.
            options[POS_LABEL] = self.pos_label
        options |= requested
        return {name: options[name] for name in entry.evidence_options if name in options}
