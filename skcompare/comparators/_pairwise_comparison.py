"""From the answers of several classifiers to the tests of all, and of all pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from skcompare._core.validation import check_pos_label
from skcompare._registry.tests import PairedTestEntry, get_test, tests_for
from skcompare._typing import IntArray
from skcompare.comparators._engine import PairEngine
from skcompare.comparators._joint_pairwise_tests import (
    MAX_T,
    Family,
    family_of,
    max_t_family,
    options_of_several,
)
from skcompare.comparators._result_row import (
    LABEL,
    POS_LABEL,
    SCORE,
    is_about,
    with_classes,
)
from skcompare.comparators._settings import installed_versions
from skcompare.comparators._test_selection import (
    ALL,
    Asked,
    NamedTests,
    default_test,
    named_for,
    named_tests,
    no_test_note,
    why_unsuited,
)
from skcompare.evidence import mean_defined
from skcompare.metrics import Measure
from skcompare.predictions import Predictions, one_class_of
from skcompare.reports import (
    ClassifierRow,
    ComparisonRow,
    MultipleComparison,
    PairRow,
    PairwiseComparison,
    decide_among,
)
from skcompare.stats import PairedResult, adjust_pvalues
from skcompare.stats.core import interval_level
from skcompare.stats.several import pairs_of

WITH_LIMITS = ("accuracy", "auc")
"""Values in the parts of a test of all together that `low` and `high` are limits of; beside
a share they are those of an odds ratio."""


def values_of(omnibus: PairedResult) -> dict[str, float]:
    """What each classifier has of the measure, as the test of all together says."""
    kinds = (*WITH_LIMITS, "share")
    return {
        part["name"]: next(part[kind] for kind in kinds if kind in part)
        for part in omnibus.parts
    }


def limits_of(omnibus: PairedResult) -> dict[str, tuple[float, float]]:
    """Intervals of the values themselves, where the test of all together has them."""
    if "invalid-design" in omnibus.flags:
        return {}
    return {
        part["name"]: (part["low"], part["high"])
        for part in omnibus.parts
        if any(kind in part for kind in WITH_LIMITS)
    }


def rank(value: float) -> tuple[bool, float]:
    """Smallest first, and what is undefined last."""
    return (value != value, value)


def by_pvalue(row: PairRow) -> tuple[Any, ...]:
    """Smallest adjusted p-value first, then raw one; undefined and untested ones last."""
    if row.pvalue is None or row.adjusted_pvalue is None:
        return (2.0, 2.0)
    return (row.adjusted_pvalue, 1.5 if row.pvalue != row.pvalue else row.pvalue)


OMNIBUS = "omnibus"


def named_of_several(tests: Any, adjust: Any) -> Asked:
    """The tests asked for with their options, among them those of the adjustment."""
    return named_tests(tests, options_of_several(adjust))


def check_named(asked: Asked, measures: Sequence[Measure], adjust: str) -> None:
    """Refuse a test that was asked for and cannot say which of several differ."""
    if adjust == MAX_T:
        _check_max_t(asked, measures)
        return
    if not asked or isinstance(asked, str):
        return
    for name in asked:
        entry = get_test(name)
        _check_about(entry, measures, asked)
        if entry.kind != "difference" and not is_omnibus(entry):
            raise ValueError(
                f"{name} is no test of a difference, which says who is better. Several "
                "classifiers need one for their pairs, such as mcnemar, or a test of all "
                "together, such as cochran_q. Compare two at a time."
            )


def is_omnibus(entry: PairedTestEntry) -> bool:
    """Whether a test is one of all classifiers together."""
    return entry.kind == OMNIBUS and hasattr(entry.needs, "from_predictions_of")


def _check_about(
    entry: PairedTestEntry,
    measures: Sequence[Measure],
    asked: Mapping[str, Mapping[str, Any]],
) -> None:
    """Refuse a test of something that is not measured."""
    if not any(is_about(entry, measure, asked) for measure in measures):
        subjects = ", ".join(measure.subject for measure in measures)
        raise ValueError(
            f"{entry.name} measures {', '.join(entry.measures)}, and several classifiers "
            f"are compared by {subjects}. Add it to `scoring`, or compare two at a time."
        )


def _check_max_t(asked: Asked, measures: Sequence[Measure]) -> None:
    """Refuse tests that "max-t" would not run: it has one for each measure."""
    families = {max_t_family(measure).test: max_t_family(measure) for measure in measures}
    given = {"all": {}} if isinstance(asked, str) else (asked or {})
    for name, options in given.items():
        if name != "all" and is_omnibus(get_test(name)):
            _check_about(get_test(name), measures, given)
        elif name not in families:
            raise ValueError(
                f"With adjust='max-t' the pairs are tested by {', '.join(families)}. Got "
                f"tests={name!r}. Leave it out, or choose adjust='holm', which is for "
                "every test."
            )
        elif others := sorted(set(options) - {*families[name].free_options}):
            raise ValueError(
                f"With adjust='max-t' {name} takes "
                f"{', '.join(families[name].free_options)}. Got {', '.join(others)}. Leave "
                "it out, or choose adjust='holm'."
            )


def compare_several(
    predictions: Predictions,
    measures: Sequence[Measure],
    asked: Asked,
    *,
    control: str | None,
    alternative: str,
    alpha: float,
    adjust: str,
    pos_label: Any = None,
    n_fits: int = 0,
    start: float,
    random_state: int | None = None,
) -> MultipleComparison:
    """Test all classifiers together and in pairs by every measure, and say who wins."""
    if predictions.y is None:
        raise ValueError(
            "Three or more classifiers are compared by who is right, which needs true "
            "labels. Got none. Pass `y_true`, or two answers at a time."
        )
    check_pos_label(pos_label, predictions.classes)
    asked = with_classes(asked, predictions.classes)
    engine = _Engine(
        predictions,
        None if isinstance(asked, str) else asked,
        asked == ALL,
        control,
        alternative,
        alpha,
        adjust,
        pos_label,
        pairs_of(predictions.names, control, alternative),
        known={},
    )
    comparisons = tuple(
        one for k, measure in enumerate(measures) for one in engine.about(measure, k == 0)
    )
    primary = comparisons[0]
    inference = None if primary.test is None else get_test(primary.test).inference
    if "mixed-frozen" in predictions.flags:
        # About trained models and learning algorithms, as the caveat says.
        inference = None
    return MultipleComparison(
        comparisons=comparisons,
        conclusion=decide_among(primary, inference),
        descriptions={one.name: one.description for one in predictions.answers},
        design=predictions.design,
        n_records=predictions.n_records,
        n_tested=predictions.n_tested,
        n_fits=n_fits,
        alpha=alpha,
        alternative=alternative,
        adjust=adjust,
        control=control,
        seconds=perf_counter() - start,
        random_state=random_state,
        flags=predictions.flags,
        fingerprint=predictions.fingerprint,
        versions=installed_versions(),
    )


@dataclass(frozen=True, slots=True)
class _Engine:
    """What is asked of every measure, and of whom."""

    predictions: Predictions
    asked: NamedTests | None
    every: bool
    control: str | None
    alternative: str
    alpha: float
    adjust: str
    pos_label: Any
    pairs: tuple[IntArray, IntArray]
    known: dict[Any, Any]

    def about(self, measure: Measure, primary: bool) -> list[PairwiseComparison]:
        """One comparison a test of the measure, or one without test.

        The primary one is that of the design's default test, as for two classifiers.
        """
        answers = self._answers(measure)
        if self.every:
            # Which tests these are depends on what the measure is about.
            asked = named_for(ALL, answers)
            return replace(self, asked=asked, every=False).about(measure, primary)
        if self.adjust == MAX_T:
            family = max_t_family(measure, answers.design)
            return [self._of_family(family, measure, answers)]
        default = self._default(measure, answers)
        named = [get_test(name) for name in self.asked or ()]
        tests = [entry for entry in named if entry.kind == "difference"]
        tests = [entry for entry in tests if is_about(entry, measure, self.asked)]
        if default is not None and (self.asked is None or primary):
            tests = [default, *(entry for entry in tests if entry is not default)]
        found = []
        if not tests or (primary and default is None):
            found.append(self._untested(measure, answers, default))
        for entry in tests:
            at_once = family_of(entry, answers, self._asked_of(entry))
            found.append(
                self._of_pairs(entry, measure, answers)
                if at_once is None
                else self._of_family(at_once, measure, answers)
            )
        return found

    def _answers(self, measure: Measure) -> Predictions:
        """The answers that a measure is about: all, or those about one class."""
        if measure.label is None:
            return self.predictions
        return one_class_of(self.predictions, measure.position(self.predictions.classes))

    def _asked_of(self, entry: PairedTestEntry) -> Mapping[str, Any]:
        return (self.asked or {}).get(entry.name, {})

    def _default(self, measure: Measure, answers: Predictions) -> PairedTestEntry | None:
        """The first test of a difference that the design and all answers suit."""
        valid = tests_for(measure.metric, answers.design)
        valid = [entry for entry in valid if entry.kind == "difference"]
        if self.alternative != "two-sided":
            valid = [entry for entry in valid if "alternative" in entry.options]
        return next((e for e in valid if not why_unsuited(e, answers)), None)

    def _omnibus(self, measure: Measure, answers: Predictions) -> PairedResult | None:
        """The test of all together: one that was asked for, or the design's first."""
        asked = self._asked_omnibus(measure, answers)
        if asked is not None:
            return asked
        valid = [e for e in tests_for(measure.metric, answers.design) if is_omnibus(e)]
        entry = next((e for e in valid if not why_unsuited(e, answers)), None)
        return None if entry is None else self._together(entry, measure, answers)

    def _asked_omnibus(self, measure: Measure, answers: Predictions) -> PairedResult | None:
        """The test of all together that was asked for by name."""
        named = [get_test(name) for name in self.asked or ()]
        named = [e for e in named if is_omnibus(e) and is_about(e, measure, self.asked)]
        return self._together(named[0], measure, answers) if named else None

    def _together(
        self, entry: PairedTestEntry, measure: Measure, answers: Predictions
    ) -> PairedResult:
        options, needs = dict(self._asked_of(entry)), entry.needs
        if SCORE in entry.options:
            options[SCORE] = measure.metric
        of_class = True if measure.label is not None else self.pos_label
        for_evidence = {}
        if of_class is not None and LABEL in entry.options:
            options[LABEL] = of_class
        if of_class is not None and POS_LABEL in entry.evidence_options:
            for_evidence[POS_LABEL] = of_class
        evidence = needs.from_predictions_of(answers, **for_evidence)  # type: ignore[attr-defined]
        result: PairedResult = entry.function(evidence, **options)
        return result

    def _of_family(
        self,
        family: Family,
        measure: Measure,
        answers: Predictions,
    ) -> PairwiseComparison:
        """All pairs by a function that tests them at once."""
        options = dict(self._asked_of(family.entry))
        of_class = True if measure.label is not None else self.pos_label
        if of_class is not None and POS_LABEL in family.options:
            options.setdefault(POS_LABEL, of_class)
        rows = family.run(
            answers,
            measure,
            adjust=self.adjust,
            control=self.control,
            alternative=self.alternative,
            confidence_level=1 - self.alpha,
            **options,
        )
        columns = rows.to_dict()["pairs"]
        pairs = [
            PairRow(
                row["champion"],
                row["challenger"],
                row.get("difference", row.get("estimate")),
                row["low"],
                row["high"],
                row["pvalue"],
                row["adjusted_pvalue"],
            )
            for row in columns
        ]
        return self._comparison(
            measure,
            family.test,
            values_of(rows.omnibus),
            pairs,
            omnibus=self._asked_omnibus(measure, answers) or rows.omnibus,
            interval_level=rows.interval_level,
            method=getattr(rows, "method", ""),
            flags=rows.flags,
        )

    def _of_pairs(
        self, entry: PairedTestEntry, measure: Measure, answers: Predictions
    ) -> PairwiseComparison:
        """One pair after the other by its own test, and p-values adjusted."""
        level = interval_level(1 - self.alpha, self.adjust, len(self.pairs[0]))
        tested: list[ComparisonRow] = []
        shown: dict[str, float | None] = {}
        for champion, challenger in self._named_pairs():
            engine = self._pair_engine(champion, challenger, level).about(measure)
            row = engine.tested(entry, measure.name, measure)
            tested.append(row)
            shown |= {champion: row.champion, challenger: row.challenger}
        pvalues = [np.nan if row.pvalue is None else row.pvalue for row in tested]
        adjusted = np.asarray(adjust_pvalues(pvalues, self.adjust)).tolist()
        pairs = [
            PairRow(
                *names,
                row.difference,
                row.low,
                row.high,
                row.pvalue,
                None if row.pvalue is None else value,
                row.flags,
            )
            for names, row, value in zip(self._named_pairs(), tested, adjusted)
        ]
        first = tested[0].result
        return self._comparison(
            measure,
            entry.name,
            self._scores(measure)
            if None in shown.values()
            else self._shared(measure, shown),
            pairs,
            omnibus=self._omnibus(measure, answers),
            interval_level=level,
            method="" if first is None else first.method,
            flags=tuple(dict.fromkeys(flag for row in tested for flag in row.flags)),
        )

    def _untested(
        self, measure: Measure, answers: Predictions, default: PairedTestEntry | None
    ) -> PairwiseComparison:
        """The values and their differences, with the reason why nothing was tested."""
        values = self._scores(measure)
        sign = 1 if measure.greater_is_better else -1
        pairs = [
            PairRow(one, other, sign * (values[other] - values[one]))
            for one, other in self._named_pairs()
        ]
        first = default or default_test(measure, answers.design)
        unsuited = "" if first is None else why_unsuited(first, answers)
        note = unsuited or f"no test of {measure.subject} was asked for"
        if first is None:
            note = no_test_note(measure, answers.design)
        omnibus = self._asked_omnibus(measure, answers)
        return self._comparison(measure, None, values, pairs, note=note, omnibus=omnibus)

    def _comparison(
        self,
        measure: Measure,
        test: str | None,
        values: Mapping[str, float],
        pairs: Sequence[PairRow],
        *,
        interval_level: float = 0.95,
        omnibus: PairedResult | None = None,
        **words: Any,
    ) -> PairwiseComparison:
        sign = -1 if measure.greater_is_better else 1
        limits = {} if omnibus is None else limits_of(omnibus)
        rows = [
            ClassifierRow(name, value, *limits.get(name, (None, None)))
            for name, value in values.items()
        ]
        return PairwiseComparison(
            measure=measure.name,
            label=self._label(measure),
            test=test,
            classifiers=tuple(sorted(rows, key=lambda row: rank(sign * row.value))),
            pairs=tuple(sorted(pairs, key=by_pvalue)),
            alpha=self.alpha,
            interval_level=interval_level,
            alternative=self.alternative,
            adjust=self.adjust,
            control=self.control,
            omnibus=omnibus,
            greater_is_better=measure.greater_is_better,
            **words,
        )

    def _label(self, measure: Measure) -> Any:
        classes = self.predictions.classes
        return None if measure.label is None else classes[measure.position(classes)].item()

    def _scores(self, measure: Measure) -> dict[str, float]:
        """The measure of each classifier, where no test says it."""
        first, *others = self.predictions.names
        found: dict[str, Any] = {}
        for other in others:
            row = self._pair_engine(first, other, 0.95).about(measure).untested(measure)
            found |= {first: row.champion, other: row.challenger}
        return self._shared(measure, found)

    def _shared(self, measure: Measure, found: Mapping[str, Any]) -> dict[str, Any]:
        """The values, where a split has none of some classifier those of the others.

        A pair has means of its own splits. A ranking is one of all classifiers, so that
        nobody is first for having answered easy splits only.
        """
        names = self.predictions.names
        known = [self.known.get((name, measure.subject)) for name in names]
        scores = np.array([one[0] for one in known if one is not None])
        undefined = ~np.isfinite(scores).all(axis=0)
        if len(scores) < len(names) or not undefined.any():
            return {**found}
        shared = scores[:, ~undefined] if not undefined.all() else scores
        return dict(zip(names, map(mean_defined, shared)))

    def _pair_engine(self, champion: str, challenger: str, level: float) -> PairEngine:
        pair = self.predictions.pair(champion, challenger)
        return PairEngine(
            pair,
            self.asked,
            self.alternative,
            1 - level,
            self.pos_label,
            known=self.known,
        )

    def _named_pairs(self) -> list[tuple[str, str]]:
        names = self.predictions.names
        return [(names[i], names[j]) for i, j in zip(*map(np.ndarray.tolist, self.pairs))]
