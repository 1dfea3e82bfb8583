"""Registered tests of a pair of classifiers, run for displays."""

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from skcompare._analysis import with_adjusted
from skcompare._core.validation import check_alpha, check_alternative, check_choice
from skcompare._registry.losses import loss_of, record_losses
from skcompare._registry.tests import ANY_LOSS, PairedTestEntry, get_test, tests_for
from skcompare.evidence import BlockDifferences, ScoreDifferences, ScoredPair
from skcompare.plots._interval_rows import IntervalRow, subject_of, unit_of
from skcompare.predictions import LABELS, SCORES, PairedPredictions, Predictions, what_lacks
from skcompare.stats import PairedResult
from skcompare.stats.core import ADJUSTMENTS

LABEL, LOSS, SCORE = "label", "loss", "score"
ACCURACY = "accuracy"
OF_TESTS = ("tests", "alternative", "adjust", "pos_label")
"""Options of tests that are run for a display, beside the level."""
ROLES = ("champion", "challenger")
RATIO = "relative_precision"
"""Default test of a ratio."""
RATIOS = ("ratio", "odds ratio")
"""Estimates whose value of equal classifiers is 1."""

OF_LABELS_ONLY = (BlockDifferences, ScoreDifferences, ScoredPair)
"""Evidence that is made of a pair only for its accuracy."""


@dataclass(frozen=True, slots=True)
class PairTests:
    """Rows with the test results of a pair of classifiers.

    It is constructed like evidence, so that displays make it from predictions of any
    source.
    """

    rows: tuple[IntervalRow, ...]
    alpha: float
    adjust: str

    required: ClassVar[frozenset[str]] = frozenset({LABELS, SCORES})

    @classmethod
    def from_pair(
        cls,
        pair: PairedPredictions,
        *,
        tests: Any = None,
        kind: str = "difference",
        alternative: str = "two-sided",
        alpha: float = 0.05,
        adjust: str = "holm",
        pos_label: Any = None,
    ) -> "PairTests":
        """Run the requested tests, or by default those suitable for the predictions."""
        alpha = check_alpha(alpha)
        check_alternative(alternative)
        check_choice("adjust", adjust, ADJUSTMENTS)
        runner = _Runner(pair, kind, alternative, alpha, pos_label)
        rows = runner.default() if tests is None else runner.named(tests)
        if tests is None and kind == "difference":
            rows = [replace(rows[0], primary=True), *rows[1:]]
        return cls(tuple(with_adjusted(rows, adjust)), alpha, adjust)


@dataclass(frozen=True, slots=True)
class _Runner:
    pair: PairedPredictions
    kind: str
    alternative: str
    alpha: float
    pos_label: Any

    def default(self) -> list[IntervalRow]:
        """Run the default test of each measure, or of a ratio."""
        if self.kind == "ratio":
            rows = self.named([RATIO])
            return (
                rows if ratios_suit(self.pair.design) else untested(rows, self.pair.design)
            )
        return [self._row_of_measure(measure) for measure in _measures_of(self.pair.alone)]

    def named(self, tests: Any) -> list[IntervalRow]:
        """Run the requested tests; by default, tests of one class run for all classes."""
        rows = []
        for name, options in _tests_with_options(tests).items():
            entry = get_test(name)
            self._check(entry)
            allowed = (*entry.options, *entry.evidence_options)
            for option in options:
                if option not in allowed or option == "alternative":
                    raise ValueError(
                        f"{name} has no option {option!r} here. Its options: "
                        f"{', '.join(key for key in allowed if key != 'alternative')}."
                    )
            labels = [options.get(LABEL)]
            if LABEL in entry.options and LABEL not in options:
                labels = self.pair.predictions.classes.tolist()
            for label in labels:
                rows.append(self._run(entry, dict(options), label, None))
        return rows

    def _check(self, entry: PairedTestEntry) -> None:
        if entry.kind != self.kind:
            displays = {"ratio": "RelativePrecisionDisplay", "difference": "ForestDisplay"}
            display = displays.get(entry.kind)
            hint = f" Use {display}." if display else " Read it from its result."
            raise ValueError(
                f"This picture shows estimates of kind {self.kind!r}. Got {entry.name}, "
                f"which is of kind {entry.kind!r}.{hint}"
            )
        reason = what_lacks(entry, self.pair.alone)
        if reason:
            raise ValueError(
                f"{reason}. Choose another test, or give the predictions it needs."
            )

    def _row_of_measure(self, measure: str) -> IntervalRow:
        entry = default_test_of(measure, self.pair.alone, self.alternative)
        if entry is not None:
            return self._run(entry, {}, None, measure)
        note = f"no test of {measure} is valid for {self.pair.design}"
        estimate = _gain_in_accuracy(self.pair) if measure == ACCURACY else math.nan
        return IntervalRow(measure, None, estimate, note=note, measure=measure)

    def _run(
        self, entry: PairedTestEntry, options: dict[str, Any], label: Any, measure: Any
    ) -> IntervalRow:
        """Run a test on its evidence, and return the row."""
        evidence_options = {
            name: options.pop(name) for name in entry.evidence_options if name in options
        }
        loss = loss_of(measure)
        if loss is not None and LOSS in entry.evidence_options:
            evidence_options.setdefault(LOSS, loss.name)
        for target, names in (
            (evidence_options, entry.evidence_options),
            (options, entry.options),
        ):
            if self.pos_label is not None and "pos_label" in names:
                target.setdefault("pos_label", self.pos_label)
        if label is not None:
            options[LABEL] = label
        if "alternative" in entry.options:
            options["alternative"] = self.alternative
        elif self.alternative != "two-sided":
            raise ValueError(
                f"{entry.name} has no direction. Got alternative={self.alternative!r}. "
                "Choose another test, or leave `alternative` out."
            )
        evidence = entry.needs.from_pair(self.pair, **evidence_options)  # type: ignore[attr-defined]
        result = entry.function(evidence, **options)
        subject = measure or _subject(entry, options, evidence)
        return row_of_result(result, subject, label=label, alpha=self.alpha)


def refuse_options(result: Any, names: Iterable[str], alpha: float | None) -> None:
    """Raise an error for options of tests that have already run."""
    if joined := ", ".join(names):
        raise ValueError(
            f"{joined}: the tests have run already. Leave this out, or pass the "
            "predictions of a pair."
        )
    own = getattr(result, "alpha", alpha)
    if alpha is not None and own != alpha:
        raise ValueError(f"`alpha` of the result is {own:g}. Got {alpha:g}. Leave it out.")


def row_of_result(
    result: PairedResult, measure: str, *, label: Any = None, alpha: float = 0.05
) -> IntervalRow:
    """Convert the result of a test to a row."""
    low, high = None, None
    if result.has_interval:
        low, high = result.confidence_interval(1 - alpha)
    flags = result.flags
    if math.isnan(result.pvalue):
        flags = (*flags, "undefined-pvalue")
    return IntervalRow(
        name=subject_of(measure, label),
        test=result.test or None,
        estimate=result.estimate,
        low=low,
        high=high,
        pvalue=result.pvalue,
        alternative=result.alternative,
        level=1 - alpha,
        unit=ratio_unit(result) or unit_of(measure, result.greater_is_better),
        flags=flags,
        note=_absence_note(result),
        measure=measure,
        champion=result.champion,
        challenger=result.challenger,
    )


def ratios_suit(design: Any) -> bool:
    """Whether the default test of a ratio is valid for a design."""
    return get_test(RATIO).valid_for(design)


def untested(rows: Iterable[IntervalRow], design: Any) -> list[IntervalRow]:
    """Reduce rows to their estimates, because no test is valid for the design."""
    reason = f"no test of a ratio is valid for {design}"
    return [
        replace(
            row,
            test=None,
            low=None,
            high=None,
            pvalue=None,
            adjusted_pvalue=None,
            level=None,
            flags=(),
            note="; ".join(filter(None, (row.note, reason))),
        )
        for row in rows
    ]


def ratio_unit(result: PairedResult) -> str:
    """Return the unit of a ratio or odds ratio; empty for other estimates."""
    quantity, of, _ = result.estimate_name.partition(" of ")
    return quantity if of and quantity in RATIOS else ""


def _absence_note(result: PairedResult) -> str:
    """Return a note on the classifiers that never predict the class of a result."""
    return silence_text([r for r in ROLES if not result.details.get(f"{r}_predictions", 1)])


def silence_text(roles: Sequence[str]) -> str:
    """Return a note on the roles that never predict the class of a row."""
    return f"{' and '.join(roles)} never gave this prediction" if roles else ""


def default_test_of(
    measure: str, predictions: Predictions, alternative: str = "two-sided"
) -> PairedTestEntry | None:
    """Return the default test of a measure for the predictions, or None."""
    for entry in tests_for(measure, predictions.design):
        if entry.kind != "difference" or (
            alternative != "two-sided" and "alternative" not in entry.options
        ):
            continue
        if measure != ACCURACY and entry.needs in OF_LABELS_ONLY:
            continue
        if not what_lacks(entry, predictions):
            return entry
    return None


def _measures_of(predictions: Predictions) -> Iterator[str]:
    """Yield the measures compared by default."""
    yield ACCURACY
    is_binary = len(predictions.classes) == 2
    if is_binary and all(
        role.has_proba or role.has_decision for role in predictions.estimators
    ):
        yield "roc_auc"
    if all(role.has_proba for role in predictions.estimators):
        yield "binary_brier_loss" if is_binary else "multiclass_brier_loss"


def _tests_with_options(tests: Any) -> Mapping[str, Mapping[str, Any]]:
    if isinstance(tests, str):
        return {tests: {}}
    if isinstance(tests, Mapping):
        return tests
    if isinstance(tests, Iterable):
        requested: dict[str, Mapping[str, Any]] = {name: {} for name in tests}
        if requested:
            return requested
    raise ValueError(
        "`tests` must be a name of a registered test, a list of names, or a dict of names "
        f"and options. Got {tests!r}."
    )


def _subject(entry: PairedTestEntry, options: Mapping[str, Any], evidence: Any) -> str:
    """Return the measure of a test that was requested by name."""
    if SCORE in entry.options:
        score = options.get(
            SCORE, inspect.signature(entry.function).parameters[SCORE].default
        )
        return score if isinstance(score, str) else getattr(score, "__name__", SCORE)
    if entry.needs in (BlockDifferences, ScoreDifferences):
        return str(evidence.score)
    if entry.needs is ScoredPair:
        return ACCURACY
    if ANY_LOSS in entry.measures:
        loss = record_losses().get(evidence.loss)
        return evidence.loss if loss is None else next(iter(loss.measures), evidence.loss)
    return entry.measures[0]


def _gain_in_accuracy(pair: PairedPredictions) -> float:
    """Return the difference in accuracy over all test sets."""
    truth = pair.predictions.y_predicted()
    accuracies = [np.mean(role.known_labels() == truth) for role in pair.roles]
    return float(accuracies[1] - accuracies[0])
