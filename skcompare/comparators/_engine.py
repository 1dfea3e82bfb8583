"""The rows of a comparison of two classifiers: a test of a measure each."""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from skcompare._registry.losses import loss_of, record_losses
from skcompare._registry.metrics import tested_instead
from skcompare._registry.tests import ANY_LOSS, PairedTestEntry, get_test, tests_for
from skcompare.comparators._evidence_cache import EvidenceBehind
from skcompare.comparators._result_row import (
    LABEL,
    POS_LABEL,
    SCORE,
    is_about,
    result_row,
    said_of,
)
from skcompare.comparators._tally_evidence import pair_of_class, tallied_scores
from skcompare.comparators._test_selection import (
    ALL,
    Asked,
    default_test,
    named_for,
    no_test_note,
    tests_without_truth,
    why_unsuited,
)
from skcompare.evidence import BlockDifferences, ScoreDifferences, ScoredPair
from skcompare.metrics import (
    WORSE_THAN_NO_SKILL,
    Measure,
    are_worse_than_no_skill,
    block_differences,
    score_differences,
    scored_pair,
)
from skcompare.predictions import PairedPredictions
from skcompare.reports import ComparisonRow, is_against
from skcompare.stats import PairedResult
from skcompare.stats.core import class_words
from skcompare.stats.scores import BINARY_SCORES

POWER = 0.8
WITHOUT_SPREAD = {
    "zero-variance": "its estimated variance is 0",
    "undefined-left-out": "the measure is undefined without some record",
}
"""Flags of tests that do not know how much a difference varies, and why."""

ROUGH = {*WITHOUT_SPREAD, "few-of-a-class", "resamples-left-out"}
"""Flags of tests that do no better in such a case."""

LOSS = "loss"
"""The option of evidence that follows from the measure."""

BIASED = "biased-measure"

BY_MEASURE: dict[type, Callable[..., Any]] = {
    BlockDifferences: block_differences,
    ScoreDifferences: score_differences,
    ScoredPair: scored_pair,
}
"""Evidence that is made by scoring the answers, with how it is made."""


SHARED_SCORES = (BlockDifferences, ScoreDifferences)
"""Evidence whose scores of each classifier serve all its pairs."""


class Prepared(NamedTuple):
    """A test of a measure, with the evidence and the options it runs with."""

    entry: PairedTestEntry
    evidence: Any
    options: dict[str, Any]

    def run(self, **options: Any) -> PairedResult:
        """The result, with options beside or instead of those that were prepared."""
        result: PairedResult = self.entry.function(
            self.evidence, **{**self.options, **options}
        )
        return result


class PairEngine:
    """Rows of one pair; evidence is made once and shared by the tests that need it."""

    def __init__(
        self,
        pair: PairedPredictions,
        asked: Asked,
        alternative: str,
        alpha: float,
        pos_label: Any,
        of_class: Any = None,
        known: dict[Any, Any] | None = None,
    ) -> None:
        self.pair, self._all = pair, asked == ALL
        self.asked = named_for(asked, pair.alone)
        self.alternative, self.alpha, self.pos_label = alternative, alpha, pos_label
        self.of_class = of_class
        # Scores of classifiers that are in other pairs too.
        self._known = {} if known is None else known
        self.evidence = EvidenceBehind(pair)
        self._scores: dict[Any, Any] = {}
        self._of_classes: dict[int, PairEngine] = {}

    def about(self, measure: Measure) -> "PairEngine":
        """The engine of the answers that a measure is about: all, or one class's."""
        if measure.label is None:
            return self
        classes = self.pair.predictions.classes
        position = measure.position(classes)
        if position not in self._of_classes:
            self._of_classes[position] = PairEngine(
                pair_of_class(self.pair, position),
                ALL if self._all else self.asked,
                self.alternative,
                self.alpha,
                pos_label=True,
                of_class=classes[position].item(),
                known=self._known,
            )
        return self._of_classes[position]

    def rows(self, measure: Measure, primary: bool) -> list[ComparisonRow]:
        """One row a test of the measure, or one without test.

        The primary row is that of the design's default test; where there is none it is the
        one without test, because a test that is not valid decides nothing.
        """
        default = self.fitting_test(measure)
        rows = [
            self.untested(measure)
            if entry is None
            else self._tested_or_else(entry, measure)
            if entry is default
            else self.tested(entry, measure.name, measure)
            for entry in self.tests_of(measure, primary)
        ]
        rows = [self._beside_no_skill(row, measure) for row in rows]
        return [replace(rows[0], primary=primary), *rows[1:]]

    def _tested_or_else(self, entry: PairedTestEntry, measure: Measure) -> ComparisonRow:
        """The row of the default test, or of one that does without its variance.

        A difference that does not vary, as of a perfect ranking from a constant one, has a
        p-value by permutation.
        """
        row = self.tested(entry, measure.name, measure)
        reasons = [WITHOUT_SPREAD[flag] for flag in row.flags if flag in WITHOUT_SPREAD]
        if not reasons:
            return row
        note = f"{entry.name} has no p-value here, because {reasons[0]}"
        for other in self._fitting_tests(measure):
            if other is not entry and other.kind == "difference":
                found = self.tested(other, measure.name, measure)
                has_pvalue = found.pvalue is not None and not math.isnan(found.pvalue)
                if has_pvalue and ROUGH.isdisjoint(found.flags):
                    return replace(found, note=note)
        return row

    def _beside_no_skill(self, row: ComparisonRow, measure: Measure) -> ComparisonRow:
        """The row, flagged where both are worse than a classifier that looks at nothing."""
        values = row.champion, row.challenger
        greater, label = measure.greater_is_better, self.pos_label
        are_worse = are_worse_than_no_skill(measure, self.pair, values, greater, label)
        more = [WORSE_THAN_NO_SKILL] * all(are_worse)
        return replace(row, flags=(*row.flags, *more))

    def tests_of(self, measure: Measure, primary: bool) -> list[PairedTestEntry | None]:
        """The tests behind the rows of a measure; None is a row without test."""
        default = self.fitting_test(measure)
        named = [get_test(name) for name in self.asked or ()]
        tests: list[PairedTestEntry | None] = [
            entry
            for entry in named
            if is_about(entry, measure, self.asked)
            and not (self._all and entry.lacks_bound(measure.metric))
        ]
        if default is not None and (self.asked is None or primary):
            tests = [default, *(entry for entry in tests if entry is not default)]
        if not tests or (primary and default is None):
            tests.insert(0, None)
        return tests

    def fitting_test(self, measure: Measure) -> PairedTestEntry | None:
        """The first test of a measure that the design and these answers suit."""
        return next(self._fitting_tests(measure), None)

    def _fitting_tests(self, measure: Measure) -> Iterator[PairedTestEntry]:
        for entry in tests_for(measure.metric, self.pair.design):
            # A test without direction cannot answer a question that has one.
            is_sided = self.alternative == "two-sided" or "alternative" in entry.options
            if is_sided and not why_unsuited(entry, self.pair.alone):
                yield entry

    def rows_of_other_tests(self, measures: Sequence[Measure]) -> list[ComparisonRow]:
        """Rows of the tests asked for that measure something else."""
        return [
            self.tested(entry, self._subject(entry), None, label)
            for entry in self.other_tests(measures)
            for label in self._labels(entry)
        ]

    def other_tests(self, measures: Sequence[Measure]) -> list[PairedTestEntry]:
        """The tests asked for that measure none of these."""
        named = [get_test(name) for name in self.asked or ()]
        return [
            entry
            for entry in named
            if not any(is_about(entry, measure, self.asked) for measure in measures)
        ]

    def _labels(self, entry: PairedTestEntry) -> list[Any]:
        """The classes that a test of one class is run for: all, or the one asked for."""
        if LABEL not in entry.options:
            return [None]
        asked = (self.asked or {}).get(entry.name, {})
        return [asked[LABEL]] if LABEL in asked else self.pair.predictions.classes.tolist()

    def rows_without_truth(self) -> list[ComparisonRow]:
        """Rows of the tests of the answers alone, the primary one first."""
        tests = tests_without_truth(self.asked, self.pair.design)
        rows = [self.tested(entry, self._subject(entry), None) for entry in tests]
        return [replace(rows[0], primary=True), *rows[1:]]

    def _subject(self, entry: PairedTestEntry) -> str:
        """What a test measures that belongs to no measure of the comparison."""
        chosen = (self.asked or {}).get(entry.name, {}).get(SCORE)
        if chosen is None and SCORE in entry.options:
            chosen = inspect.signature(entry.function).parameters[SCORE].default
        if chosen is None and entry.needs in SHARED_SCORES:
            return str(self._of(entry, None).score)
        if chosen is None and ANY_LOSS in entry.measures:
            chosen = self._of(entry, None).loss
            known = record_losses().get(chosen)
            return chosen if known is None else next(iter(known.measures), chosen)
        if chosen is None:
            return entry.measures[0]
        return chosen if isinstance(chosen, str) else getattr(chosen, "__name__", SCORE)

    def records_needed(self, row: ComparisonRow, measure: Measure) -> float | None:
        """Records at which a difference of the observed size would be found.

        None where the row decides, has no difference or an undefined p-value, where the
        difference is in the direction that the test does not look in, and where nothing
        is known of how much it varies.
        """
        if row.test is None or row.pvalue is None or not row.pvalue >= self.alpha:
            return None
        entry = get_test(row.test)
        shown = row.difference != 0 and not math.isnan(row.difference)
        if entry.sample_size is None or not shown or is_against(row, self.alternative):
            return None
        if entry is not self.fitting_test(measure):
            return None
        evidence = self._of(entry, measure)
        needed = entry.sample_size(
            evidence,
            alpha=self.alpha,
            power=POWER,
            **{"alternative": self.alternative} | self._options(entry, measure),
        )
        if isinstance(evidence, ScoreDifferences):
            # Each split may leave records out, which are there all the same.
            needed *= self.pair.predictions.n_records / evidence.n_records
        return needed if math.isfinite(needed) else None

    def tested(
        self,
        entry: PairedTestEntry,
        name: str,
        measure: Measure | None,
        label: Any = None,
    ) -> ComparisonRow:
        """The row of one test."""
        prepared = self.prepared(entry, measure)
        options = {} if label is None else {LABEL: label}
        return self.row_of(entry, prepared.run(**options), name, measure, label)

    def prepared(self, entry: PairedTestEntry, measure: Measure | None) -> Prepared:
        """A test of a measure, ready to run."""
        return Prepared(entry, self._of(entry, measure), self._options(entry, measure))

    def row_of(
        self,
        entry: PairedTestEntry,
        result: PairedResult,
        name: str,
        measure: Measure | None,
        label: Any = None,
    ) -> ComparisonRow:
        """The row of a result."""
        result = said_of(result, self.of_class)
        about = self.of_class if label is None else label
        said = class_words(about)
        flags: tuple[str, ...] = ()
        if measure is not None and entry.match(measure.metric) == 1:
            flags = (BIASED,) if tested_instead(measure.metric) else ()
        greater = result.greater_is_better if measure is None else measure.greater_is_better
        return result_row(
            entry,
            result,
            measure=name,
            greater_is_better=greater,
            alpha=self.alpha,
            label=about,
            flags=flags,
            note=result.remark.removeprefix(f"{said}, ").removesuffix(said),
        )

    def _options(self, entry: PairedTestEntry, measure: Measure | None) -> dict[str, Any]:
        """What was asked for, and what is one for all tests or follows from the measure."""
        asked = (self.asked or {}).get(entry.name, {})
        options = {name: asked[name] for name in asked if name in entry.options}
        if "alternative" in entry.options:
            options["alternative"] = self.alternative
        if SCORE in entry.options and measure is not None:
            options[SCORE] = measure.metric
        if measure is not None:
            # A measure says which class it is of; one that is asked for has other rows.
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
        """How the evidence of a test is made, as far as it is not left to its defaults."""
        given: dict[str, Any] = {}
        loss = loss_of(measure.metric) if measure is not None else None
        if loss is not None:
            given[LOSS] = loss.name
        if self.pos_label is not None:
            given[POS_LABEL] = self.pos_label
        given |= (self.asked or {}).get(entry.name, {})
        return {name: given[name] for name in entry.evidence_options if name in given}

    def untested(self, measure: Measure) -> ComparisonRow:
        """The row of a measure without test."""
        scores = self._scored(ScoreDifferences, measure)
        champion, challenger = scores.means
        default = default_test(measure, self.pair.design)
        unsuited = "" if default is None else why_unsuited(default, self.pair.alone)
        note = unsuited or f"no test of {measure.name} was asked for"
        return ComparisonRow(
            measure=measure.name,
            label=self.of_class,
            test=None,
            champion=champion,
            challenger=challenger,
            difference=scores.mean,
            greater_is_better=measure.greater_is_better,
            flags=scores.flags,
            note=no_test_note(measure, self.pair.design) if default is None else note,
        )

    def _scored(self, needs: type, measure: Measure) -> Any:
        """Evidence that scores the answers by a measure."""
        key = (needs, measure.name)
        if key not in self._scores and self.pair.predictions.tally is not None:
            self._scores[key] = tallied_scores(self.pair, measure, self.pos_label)
        if key not in self._scores:
            make, given = BY_MEASURE[needs], (self.pair, measure, self.pos_label)
            shared = {"known": self._known} if needs in SHARED_SCORES else {}
            self._scores[key] = make(*given, **shared)
        return self._scores[key]

    def _of(self, entry: PairedTestEntry, measure: Measure | None) -> Any:
        """Evidence for a test, made once for all tests that need the same."""
        needs = entry.needs
        if needs in BY_MEASURE and measure is not None:
            return self._scored(needs, measure)
        return self.evidence(needs, **self.evidence_options(entry, measure))
