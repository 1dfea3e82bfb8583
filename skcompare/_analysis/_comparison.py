"""Comparison of two classifiers: tests with their evidence, rows and the verdict."""

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self, TypeVar

from skcompare._analysis._counted import pair_of_class, tallied_scores
from skcompare._analysis._evidence_cache import EvidenceBehind
from skcompare._analysis._record_order import flagged_by_order
from skcompare._analysis._test_selection import (
    LABEL,
    SCORE,
    RequestedTests,
    Selection,
    check_suited,
    default_test,
    is_by_influence,
    named_tests,
    predictions_required,
    tests_without_truth,
)
from skcompare._analysis.measures import (
    BY_INFLUENCE,
    WORSE_THAN_NO_SKILL,
    Measure,
    NoInfluenceError,
    are_worse_than_no_skill,
    block_differences,
    means_of_trainings,
    resolve_scoring,
    score_differences,
    scored_pair,
)
from skcompare._core.design import TRAININGS
from skcompare._core.flags import explain
from skcompare._core.formatting import (
    IN_TIME,
    ONE_TRAINING,
    decimals_for,
    format_number,
    format_pvalue,
    inference_text,
)
from skcompare._core.validation import check_alpha, check_alternative, check_choice
from skcompare._registry.metrics import (
    CLASSES,
    NUMBERS,
    record_losses,
    tested_instead,
    tested_loss,
)
from skcompare._registry.tests import ANY_LOSS, PairedTestEntry
from skcompare._typing import Kind
from skcompare.evidence import BlockDifferences, ScoreDifferences, ScoredPair
from skcompare.predictions import PairedPredictions
from skcompare.stats import ConfidenceInterval, PairedResult, adjust_pvalues
from skcompare.stats.core import ADJUSTMENTS, class_text
from skcompare.stats.margins import MarginTest

Row = TypeVar("Row", bound=Any)

RowKey = tuple[str, Any, str | None]
"""Measure, class or None, test or None."""

MAX_T = "max-t"
"""Adjustment by the joint distribution of all pairs of three or more classifiers, or of all
rows after the first of two."""

FAMILY_WISE = ("holm", "hochberg", "bonferroni", MAX_T)
"""Adjustments that control the probability of any false finding."""


def check_settings(
    alternative: Any, alpha: Any, adjust: Any, adjustments: Sequence[str] = ADJUSTMENTS
) -> tuple[str, float, str]:
    """Check the direction, the level and the adjustment of a comparison."""
    if isinstance(adjust, str) and adjust == MAX_T and MAX_T not in adjustments:
        raise ValueError(
            "adjust='max-t' is for three or more classifiers, and for a measure of each of "
            f"several outputs. Got two. Choose among {', '.join(adjustments)}."
        )
    adjustment = "none" if adjust is None else adjust
    return (
        check_alternative(alternative),
        check_alpha(alpha),
        check_choice("adjustment", adjustment, adjustments),
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """Checked settings of a comparison, with its measures and its requested tests."""

    measures: tuple[Measure, ...]
    requested: RequestedTests
    alternative: str
    alpha: float
    adjust: str
    pos_label: Any
    control: str | None = None

    @property
    def target(self) -> str:
        """Target of the measures: "classes" or "numbers"."""
        return NUMBERS if self.measures[0].is_numeric else CLASSES

    @property
    def required(self) -> frozenset[str]:
        """Kinds of predictions that the measures and the tests need."""
        return predictions_required(self.measures, self.requested)

    @classmethod
    def parse(
        cls,
        scoring: Any,
        tests: Any,
        alternative: Any,
        alpha: Any,
        adjust: Any,
        pos_label: Any,
        adjustments: Sequence[str] = ADJUSTMENTS,
        more: Mapping[str, tuple[str, ...]] = {},
        target: str = CLASSES,
    ) -> Self:
        """Check settings; `more` has options that tests take beside their own.

        `target` is that of `scoring` where it names no measure.
        """
        measures = resolve_scoring(scoring, target)
        if any(measure.is_of_each for measure in measures):
            adjustments = (*adjustments, MAX_T)
        checked = check_settings(alternative, alpha, adjust, adjustments)
        requested = named_tests(tests, more)
        first = measures[0]
        if first.is_numeric and pos_label is not None:
            raise ValueError(
                f"`pos_label` is about classes, and {first.subject} is of numbers. Got "
                f"{pos_label!r}. Leave it out."
            )
        check_suited(requested, measures)
        return cls(measures, requested, *checked, pos_label)


UNSTABLE = "unstable-training"
"""Flag of chance in the training, which not all learners have."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Values of a measure for both classifiers, with their difference and its test, if any.

    Attributes
    ----------
    measure : str
        Name of the measure.
    label : object
        The class that the measure is of, or None.
    test : str or None
        Name of the test; None where none ran.
    champion, challenger : float or None
        The measure of each role; None if the test has no value of each role.
    difference : float
        Challenger minus champion on a greater-is-better scale, so that positive favours
        the challenger; NaN if the test estimates no difference.
    low, high : float or None
        Interval at the comparison's level.
    pvalue, adjusted_pvalue : float or None
        Raw and adjusted p-value; the primary row's own test is not adjusted.
    greater_is_better : bool
        Whether the measure is a score; the difference of a loss is a gain.
    kind : {"difference", "ratio", "reduction", "association", "omnibus", "combination"}
        What the test estimates.
    primary : bool
        Whether the verdict comes from this row.
    flags : tuple of str
        Codes of caveats.
    note : str
        Reason why there is no p-value, and what would give one; or a description of the
        estimate.
    result : PairedResult or None
        The test's full result.
    """

    measure: str
    label: Any
    test: str | None
    champion: float | None
    challenger: float | None
    difference: float
    low: float | None = None
    high: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    greater_is_better: bool = True
    kind: Kind = "difference"
    primary: bool = False
    flags: tuple[str, ...] = ()
    note: str = ""
    result: PairedResult | None = None

    @property
    def key(self) -> RowKey:
        """Key of the row: measure, class or None, test or None."""
        return self.measure, self.label, self.test

    @property
    def subject(self) -> str:
        """Name of the measure, followed by the class in brackets if there is one."""
        return self.measure if self.label is None else f"{self.measure}[{self.label}]"

    @property
    def estimate(self) -> float:
        """Estimate of the row's test, or the difference if there is no test."""
        return self.difference if self.result is None else self.result.estimate

    @property
    def statistic(self) -> float:
        """Statistic of the row's test, or NaN if there is no test."""
        return math.nan if self.result is None else self.result.statistic

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags."""
        return explain(self.flags)

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Compute the confidence interval of the row's test."""
        if self.result is None:
            raise ValueError(
                f"No test of {self.measure} ran, so it has no interval. {self.note}"
            )
        return self.result.confidence_interval(confidence_level)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a dict of plain values, without the full result."""
        values = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        return values | {"flags": list(self.flags)}


_PLAIN_FIELDS = tuple(
    name for name in ComparisonRow.__dataclass_fields__ if name not in ("flags", "result")
)


def decimals_of(row: ComparisonRow) -> int:
    """Return the decimals of the estimate, enough to show the side of the limits."""
    null_value = 1.0 if row.kind == "ratio" else 0.0
    return decimals_for(row.difference, row.low, row.high, beside=(null_value,))


class Keyed(Mapping[RowKey, Row]):
    """Mapping of rows by (measure, class or None, test), or by a unique measure or test.

    `noun` is what a row is called.
    """

    noun: ClassVar[str] = "row"

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = tuple(rows)

    def __getitem__(self, key: Any) -> Row:
        matches = [row for row in self._rows if row.key == key]
        matches = matches or [row for row in self._rows if key in (row.test, row.subject)]
        if len(matches) == 1:
            return matches[0]
        keys = ", ".join(map(str, self))
        reason = f"{len(matches)} {self.noun}s" if matches else f"No {self.noun}"
        raise KeyError(f"{reason} for {key!r}. Keys are (measure, class, test): {keys}.")

    def __iter__(self) -> Iterator[RowKey]:
        return (row.key for row in self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self))})"


class Results(Keyed[ComparisonRow]):
    """Mapping of rows by (measure, class or None, test), or by a unique measure or test.

    A measure of one class is written with it, such as "precision[malignant]".

    Examples
    --------
    >>> from skcompare import compare
    >>> results = compare([0, 1, 1], {"old": [0, 1, 0], "new": [0, 1, 1]}).results
    >>> results["accuracy", None, "mcnemar"] is results["mcnemar"] is results["accuracy"]
    True
    """

    def __init__(self, rows: Sequence[ComparisonRow]) -> None:
        super().__init__(rows)


def with_adjusted(rows: list[Row], adjust: str) -> list[Row]:
    """Adjust the p-values of all rows but the primary one, which is tested at alpha.

    Those by "max-t" are adjusted already.
    """
    others = [k for k, row in enumerate(rows) if not row.primary and row.pvalue is not None]
    if adjust in ("none", MAX_T) or not others:
        return rows
    adjusted = adjust_pvalues([rows[k].pvalue for k in others], adjust)
    for k, pvalue in zip(others, adjusted, strict=True):
        rows[k] = replace(rows[k], adjusted_pvalue=float(pvalue))
    return rows


RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Classifier favoured by the evidence, with the reason.

    Attributes
    ----------
    winner : {"challenger", "champion", "inconclusive"}
        From the primary row alone; of several classifiers a name, or "inconclusive".
    alpha : float
        Level of its test.
    sentence : str
        The verdict in words.
    records_needed : float or None
        Number of records at which a difference as large as the observed one is detected
        with 80 % probability; None if the verdict is not inconclusive or nothing differs.
    least_records : float or None
        The same for the largest difference in the interval; None if that has no limit.
    """

    winner: str
    alpha: float
    sentence: str
    records_needed: float | None = None
    least_records: float | None = None

    def __str__(self) -> str:
        return self.sentence


def decide(
    row: ComparisonRow,
    *,
    alpha: float,
    alternative: str,
    records_needed: float | None,
    flags: tuple[str, ...] = (),
    unit: str = RECORDS,
) -> Verdict:
    """Derive the verdict from the primary row.

    The challenger wins when the test rejects in its favour, the champion when it rejects
    in the champion's. An undefined or missing p-value is inconclusive. `unit` is the unit
    of the evidence, such as "items".
    """
    if row.pvalue is None:
        note = row.note.replace(row.measure, row.subject)
        return Verdict("inconclusive", alpha, f"inconclusive: {note}")
    finding, level = _finding(row, alpha, unit), level_text(alpha, alternative)
    if row.kind != "difference":
        sentence = f"no winner can be named without true labels: {finding}"
        return Verdict("inconclusive", alpha, sentence)
    # Only a test with an estimate of direction can name a winner.
    if row.pvalue < alpha and row.difference != 0 and not math.isnan(row.difference):
        winner = "challenger" if row.difference > 0 else "champion"
        sentence = f"the {winner} is better at {level}: {finding}{_about(row, flags, unit)}"
        return Verdict(winner, alpha, sentence)
    sentence = f"inconclusive at {level}: {finding}"
    if records_needed is None and is_against(row, alternative):
        sentence += (
            f"; the difference is not in the direction of alternative={alternative!r}"
        )
    # Records do not reduce the variance over trainings.
    least, about = None, row.result.inference if row.result else ""
    if records_needed is not None and alternative == "two-sided" and about != "recipes":
        far = far_end(row)
        least = None if far is None else records_needed * (row.difference / far) ** 2
    return Verdict("inconclusive", alpha, sentence, records_needed, least)


def level_text(alpha: float, alternative: str) -> str:
    """Format the level of the verdict and the direction of the test."""
    side = "" if alternative == "two-sided" else f", one-sided ({alternative})"
    return f"alpha {alpha:g}{side}"


def _about(row: ComparisonRow, flags: tuple[str, ...], unit: str) -> str:
    if "mixed-frozen" in flags:
        return "; about one trained model and one learning algorithm"
    design = row.result.design if row.result else ""
    in_time, in_series = design.startswith(IN_TIME), design.endswith("by groups")
    where = " on these series" if in_time and in_series else ""
    if unit != RECORDS:
        when = "at times like these" if in_time else f"over new {unit}"
        return f"; about these two systems{where}, {when}"
    if row.result is None:
        return ""
    about = inference_text(row.result.inference, design)
    about = ONE_TRAINING if "one-training" in row.flags else about
    return f"; about {about.replace(',', f'{where},', 1)}"


def _finding(row: ComparisonRow, alpha: float, unit: str) -> str:
    if row.pvalue is None or math.isnan(row.pvalue):
        return f"the p-value of {row.test} is undefined for these data"
    p = format_pvalue(row.pvalue, alpha)
    p = f"p {p}" if p.startswith("<") else f"p = {p}"
    if row.kind != "difference":
        verb = "differ" if row.pvalue < alpha else "do not differ significantly"
        return f"{row.subject} {verb} at alpha {alpha:g}, {p} ({row.test})"
    if "no-discordant-pairs" in row.flags:
        return f"both are correct on the same {unit}, {p} ({row.test})"
    if math.isnan(row.difference):
        return f"{p} ({row.test})"
    gain = "" if row.greater_is_better else " (as a gain)"
    decimals = decimals_of(row)
    difference = format_number(row.difference, decimals, signed=True)
    return f"{row.subject} differs by {difference}{gain}, {p} ({row.test})"


def far_end(row: ComparisonRow) -> float | None:
    """Return the confidence limit on the side of the difference."""
    return row.high if row.difference > 0 else row.low


def is_against(row: ComparisonRow, alternative: str) -> bool:
    """Whether the difference is opposite to the direction of a one-sided test."""
    return {"greater": -1, "less": 1}.get(alternative, 0) * row.difference > 0


POWER = 0.8
WITHOUT_SPREAD = {
    "zero-variance": "its estimated variance is 0",
    "undefined-left-out": "the measure is undefined without some record",
}
"""Flags of results without a usable variance of the difference, with the reasons."""

ROUGH = {*WITHOUT_SPREAD, "few-of-a-class", "resamples-left-out"}
"""Flags of results that are no better in such a case."""

BIASED = "biased-measure"

BY_MEASURE: dict[type, Callable[..., Any]] = {
    BlockDifferences: block_differences,
    ScoreDifferences: score_differences,
    ScoredPair: scored_pair,
}
"""Evidence that is made by scoring the predictions, with the functions that do so."""


ORDER = ("time", "horizon")
"""Options of evidence in the order of time, which are by default those of predictions."""


SHARED_SCORES = (BlockDifferences, ScoreDifferences)
"""Evidence whose scores of a classifier are shared by all its pairs."""


class PreparedTest(MarginTest):
    """Test with its evidence and options, that runs and makes the rows of its results.

    Parameters
    ----------
    entry : PairedTestEntry
        The test.
    evidence : object
        Its evidence.
    options : dict
        Its options.
    row : callable
        `row(result, **details)` makes the row of a report; `details` are those of
        :func:`result_row`.
    bound : float or None, default=None
        Largest difference of one unit, where it is not that of a known loss.
    """

    def __init__(
        self,
        entry: PairedTestEntry,
        evidence: Any,
        options: Mapping[str, Any],
        row: Callable[..., ComparisonRow],
        bound: float | None = None,
    ) -> None:
        super().__init__(evidence, entry, options, bound)
        self.row = row

    def units_needed(
        self, row: ComparisonRow, *, alpha: float, alternative: str
    ) -> float | None:
        """Number of units needed to detect a difference of the observed size.

        None if the row is significant, has no difference or an undefined p-value, if the
        difference is against the direction of the test, or if its variance is unknown.
        """
        sample_size = self.entry.sample_size
        if sample_size is None or row.pvalue is None or not row.pvalue >= alpha:
            return None
        has_difference = row.difference != 0 and not math.isnan(row.difference)
        if not has_difference or is_against(row, alternative):
            return None
        options = {"alternative": alternative} | self.options
        needed = sample_size(self.evidence, alpha=alpha, power=POWER, **options)
        return needed if math.isfinite(needed) else None


class PairEngine(Selection):
    """Engine that computes the rows of one pair, with evidence shared between tests."""

    def __init__(
        self,
        pair: PairedPredictions,
        requested: RequestedTests,
        alternative: str,
        alpha: float,
        pos_label: Any,
        of_class: Any = None,
        known: dict[Any, Any] | None = None,
    ) -> None:
        super().__init__(pair.alone, requested, alternative, pos_label)
        self.pair, self.alpha, self.of_class = pair, alpha, of_class
        # Scores that are shared with other pairs of the same classifiers.
        self._known = {} if known is None else known
        self.evidence = EvidenceBehind(pair)
        self._scores: dict[Any, Any] = {}
        self._of_classes: dict[int, PairEngine] = {}
        self._of_outputs: dict[str, PairEngine] = {}

    def about(self, measure: Measure) -> "PairEngine":
        """Return the engine for the classes of a measure: all, or one against the rest.

        Of predicted numbers it is that of the measure's output, or of its weights.
        """
        if measure.label is None:
            return self
        if measure.is_numeric:
            return self._about_outputs(measure)
        classes = self.pair.predictions.classes
        position = measure.position(classes)
        if position not in self._of_classes:
            self._of_classes[position] = PairEngine(
                pair_of_class(self.pair, position),
                self._declared,
                self.alternative,
                self.alpha,
                pos_label=True,
                of_class=classes[position].item(),
                known=self._known,
            )
        return self._of_classes[position]

    def _about_outputs(self, measure: Measure) -> "PairEngine":
        """Return the engine for an output, or for a weighted mean of outputs."""
        if measure.subject not in self._of_outputs:
            predictions = replace(self.pair.predictions, estimators=tuple(self.pair.roles))
            of_outputs = measure.of_outputs(predictions)
            self._of_outputs[measure.subject] = PairEngine(
                PairedPredictions(of_outputs, *of_outputs.estimators),
                self._declared,
                self.alternative,
                self.alpha,
                pos_label=None,
                of_class=measure.label,
                known=self._known,
            )
        return self._of_outputs[measure.subject]

    def rows(self, measure: Measure, primary: bool) -> list[ComparisonRow]:
        """Return one row per test of the measure, or a single row without test."""
        default = self.fitting_test(measure)
        rows: list[ComparisonRow] = []
        for k, entry in enumerate(self.tests_of(measure, primary)):
            is_primary = primary and k == 0
            of_any = entry and entry.needs in BY_INFLUENCE
            reason = self.why_unsuited(entry, measure) if entry and of_any else ""
            if reason and any(row.test is None for row in rows):
                continue
            if entry is None or reason:
                row = self.untested(measure, is_primary)
                row = replace(row, note=reason) if reason else row
            elif entry is default:
                row = self._tested_or_else(entry, measure, is_primary)
            else:
                row = self.tested(entry, measure.name, measure, primary=is_primary)
            rows.append(self._flagged(row, entry, measure))
        return rows

    def _tested_or_else(
        self, entry: PairedTestEntry, measure: Measure, primary: bool
    ) -> ComparisonRow:
        """Return the row of the default test, or of a fallback if the variance is unusable.

        A difference of zero estimated variance, such as that of a perfect and a constant
        ranking, has a p-value by permutation.
        """
        row = self.tested(entry, measure.name, measure, primary=primary)
        reasons = [WITHOUT_SPREAD[flag] for flag in row.flags if flag in WITHOUT_SPREAD]
        if not reasons:
            return row
        note = f"{entry.name} has no p-value here, because {reasons[0]}"
        for candidate in self._fitting_tests(measure):
            if candidate is not entry and candidate.kind == "difference":
                fallback = self.tested(candidate, measure.name, measure, primary=primary)
                has_pvalue = fallback.pvalue is not None and not math.isnan(fallback.pvalue)
                if has_pvalue and ROUGH.isdisjoint(fallback.flags):
                    return replace(fallback, note=note)
        return row

    def _flagged(self, row: ComparisonRow, entry: Any, measure: Measure) -> ComparisonRow:
        """Flag the row if both are worse than no skill, or if neighbours are alike."""
        about = measure, self.pair, (row.champion, row.challenger)
        if all(are_worse_than_no_skill(*about, measure.greater_is_better, self.pos_label)):
            row = replace(row, flags=(*row.flags, WORSE_THAN_NO_SKILL))
        return flagged_by_order(row, self.pair, partial(self._of, entry, measure))

    def why_unsuited(self, entry: PairedTestEntry, measure: Measure | None) -> str:
        """Return the reason why a test does not suit a measure, or an empty string.

        In the order of time, and of several trainings, it may be that the influences of the
        records are unknown.
        """
        reason = super().why_unsuited(entry, measure)
        if reason or measure is None or not is_by_influence(entry, measure):
            return reason
        try:
            self._of(entry, measure)
        except NoInfluenceError as error:
            return str(error)
        return ""

    def rows_of_other_tests(self, measures: Sequence[Measure]) -> list[ComparisonRow]:
        """Return the rows of the requested tests of other measures."""
        return [
            self.tested(entry, self._subject(entry), label=label)
            for entry in self.other_tests(measures)
            for label in self._labels(entry)
        ]

    def _labels(self, entry: PairedTestEntry) -> list[Any]:
        """Return the requested class of a test of one class, or all classes."""
        if LABEL not in entry.options:
            return [None]
        options = (self.requested or {}).get(entry.name, {})
        classes = self.pair.predictions.classes
        return [options[LABEL]] if LABEL in options else classes.tolist()

    def rows_without_truth(self) -> list[ComparisonRow]:
        """Return the rows of the tests without true labels, the primary one first."""
        tests = tests_without_truth(self.requested, self.pair.design)
        return [
            self.tested(entry, self._subject(entry), primary=k == 0)
            for k, entry in enumerate(tests)
        ]

    def _subject(self, entry: PairedTestEntry) -> str:
        """Return the subject of a test that belongs to none of the compared measures."""
        subject = (self.requested or {}).get(entry.name, {}).get(SCORE)
        if subject is None and SCORE in entry.options:
            subject = inspect.signature(entry.function).parameters[SCORE].default
        if subject is None and entry.needs is ScoredPair:
            # Predictions of a pair are scored by accuracy, or by R² if they are numbers.
            return str(self._of(entry, None).score.name)
        if subject is None and entry.needs in SHARED_SCORES:
            return str(self._of(entry, None).score)
        if subject is None and ANY_LOSS in entry.measures:
            evidence = self._of(entry, None)
            subject = getattr(evidence, "measure", None) or evidence.loss
            loss = record_losses().get(subject)
            return subject if loss is None else next(iter(loss.measures), subject)
        if subject is None:
            return entry.measures[0]
        return subject if isinstance(subject, str) else getattr(subject, "__name__", SCORE)

    def records_needed(self, row: ComparisonRow, measure: Measure) -> float | None:
        """Number of records needed to detect a difference of the observed size.

        None if :meth:`PreparedTest.units_needed` is, or if the row is not of the default
        test.
        """
        default = self.fitting_test(measure)
        if default is None or row.test != default.name:
            return None
        test = self.prepared(default, measure, row.measure)
        needed = test.units_needed(row, alpha=self.alpha, alternative=self.alternative)
        if needed is not None and isinstance(test.evidence, ScoreDifferences):
            # A split may leave records out, but they have to be collected.
            needed *= self.pair.predictions.n_records / test.evidence.n_records
        return needed

    def tested(
        self,
        entry: PairedTestEntry,
        name: str,
        measure: Measure | None = None,
        label: Any = None,
        primary: bool = False,
    ) -> ComparisonRow:
        """Run a test and return its row."""
        test = self.prepared(entry, measure, name, label)
        return test.row(test.run(), primary=primary)

    def prepared(
        self,
        entry: PairedTestEntry,
        measure: Measure | None,
        name: str,
        label: Any = None,
    ) -> PreparedTest:
        """Prepare a test of a measure, or of a class."""
        options = self._options(entry, measure)
        if label is not None:
            options[LABEL] = label
        row = partial(self._row_of, entry, name=name, measure=measure, label=label)
        return PreparedTest(entry, self._of(entry, measure), options, row)

    def _row_of(
        self,
        entry: PairedTestEntry,
        result: PairedResult,
        *,
        name: str,
        measure: Measure | None,
        label: Any,
        **details: Any,
    ) -> ComparisonRow:
        """Return the row of a result."""
        if not any(role.chance for role in self.pair.roles):
            result = replace(result, flags=tuple(f for f in result.flags if f != UNSTABLE))
        result = said_of(result, self.of_class)
        class_label = self.of_class if label is None else label
        flags: tuple[str, ...] = ()
        if measure is not None and entry.match(measure.metric) == 1:
            flags = (BIASED,) if tested_instead(measure.metric) else ()
        greater = result.greater_is_better if measure is None else measure.greater_is_better
        note, best = _without_class(result.remark, class_label), 0.0
        loss = None if measure is None else tested_loss(measure.metric)
        if loss is not None and loss.relative and not result.greater_is_better:
            note = f"tests the mean {loss.title}, which are taken as given"
            best = 1.0
        return result_row(
            entry,
            result,
            measure=name,
            greater_is_better=greater,
            alpha=self.alpha,
            label=class_label,
            flags=flags,
            note=note,
            best=best,
            **details,
        )

    def untested(self, measure: Measure, primary: bool = False) -> ComparisonRow:
        """Return the row of a measure that has no test."""
        scores = self._scored(ScoreDifferences, measure)
        (champion, challenger), difference = scores.means, scores.mean
        if self.pair.design.kind in TRAININGS:
            champion, challenger = means_of_trainings(self.pair, scores)
            difference = (challenger - champion) * (1 if scores.greater_is_better else -1)
        default = default_test(measure, self.pair.design)
        return ComparisonRow(
            measure=measure.name,
            label=self.of_class,
            test=None,
            champion=champion,
            challenger=challenger,
            difference=difference,
            greater_is_better=measure.greater_is_better,
            primary=primary,
            flags=scores.flags,
            note=self.why_untested(default, measure, measure.name),
        )

    def _scored(self, needs: type, measure: Measure) -> Any:
        """Return evidence of a type that consists of scores by a measure."""
        key = (needs, measure.name)
        if key not in self._scores and self.pair.predictions.tally is not None:
            self._scores[key] = tallied_scores(self.pair, measure, self.pos_label, needs)
        if key not in self._scores:
            make, arguments = BY_MEASURE[needs], (self.pair, measure, self.pos_label)
            shared = {"known": self._known} if needs in SHARED_SCORES else {}
            self._scores[key] = make(*arguments, **shared)
        return self._scores[key]

    def _of(self, entry: PairedTestEntry, measure: Measure | None) -> Any:
        """Return the evidence of a test, computed once and shared between tests."""
        needs, options = entry.needs, self.evidence_options(entry, measure)
        if needs in BY_MEASURE and measure is not None:
            return self._scored(needs, measure)
        if measure is not None and is_by_influence(entry, measure):
            own = {name: options[name] for name in ORDER if name in options}
            key = (entry.name, measure.name)
            if key not in self._scores:
                make, about = BY_INFLUENCE[entry.needs], (self.pair, measure)
                self._scores[key] = make(*about, self.pos_label, **own)
            return self._scores[key]
        return self.evidence(needs, **options)


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
    best: float = 0.0,
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
    best : float, default=0.0
        The measure where the mean loss is 0: 1 for R².
    """
    low, high = limits or (None, None)
    if limits is None and result.has_interval:
        low, high = result.confidence_interval(1 - alpha)
    flags = (*result.flags, *flags)
    describes = "descriptive" in flags
    if math.isnan(result.pvalue) and not describes:
        flags = (*flags, "undefined-pvalue")
    kind: Kind = "difference" if entry is None else entry.kind
    values = [result.champion, result.challenger]
    # A ratio or reduction is that of the losses themselves.
    of_losses = kind in ("ratio", "reduction")
    if greater_is_better != result.greater_is_better and not of_losses:
        values = [None if value is None else best - value for value in values]
    return ComparisonRow(
        measure=measure,
        label=label,
        test=result.test or None if entry is None else entry.name,
        champion=values[0],
        challenger=values[1],
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


def _without_class(remark: str, label: Any) -> str:
    """Return a remark without the class, which the row names."""
    if label is None:
        return remark
    text = class_text(label)
    return remark.removeprefix(f"{text}, ").removesuffix(text)


OF_TRUE = ("positive class", class_text(True), class_text(1))
"""Remarks about the class True, which stands for one class against the rest."""


def said_of(result: PairedResult, label: Any) -> PairedResult:
    """Replace the class True in the remark of a result by the actual label."""
    if label is None or not result.remark.startswith(OF_TRUE):
        return result
    return replace(result, remark=class_text(label))
