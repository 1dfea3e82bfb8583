"""Comparison of several classifiers by omnibus tests and tests of all pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from skcompare._analysis import (
    ALL,
    LABEL,
    POS_LABEL,
    SCORE,
    NamedTests,
    PairEngine,
    RequestedTests,
    default_test,
    is_about,
    named_for,
    named_tests,
    no_test_note,
    why_unsuited,
    with_classes,
)
from skcompare._core.validation import check_pos_label
from skcompare._registry.tests import PairedTestEntry, get_test, tests_for
from skcompare._typing import IntArray
from skcompare.comparators._joint_pairwise_tests import (
    MAX_T,
    Family,
    family_of,
    max_t_family,
    options_of_several,
)
from skcompare.comparators._settings import installed_versions
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
"""Values in the parts of an omnibus test that `low` and `high` are limits of; beside a
share they are limits of an odds ratio."""


def values_of(omnibus: PairedResult) -> dict[str, float]:
    """Return the value of each classifier from the result of the omnibus test."""
    kinds = (*WITH_LIMITS, "share")
    return {
        part["name"]: next(part[kind] for kind in kinds if kind in part)
        for part in omnibus.parts
    }


def limits_of(omnibus: PairedResult) -> dict[str, tuple[float, float]]:
    """Return the interval of each classifier's value, if the omnibus test has intervals."""
    if "invalid-design" in omnibus.flags:
        return {}
    return {
        part["name"]: (part["low"], part["high"])
        for part in omnibus.parts
        if any(kind in part for kind in WITH_LIMITS)
    }


def rank(value: float) -> tuple[bool, float]:
    """Sort key that puts the smallest value first and undefined values last."""
    return (value != value, value)


def by_pvalue(row: PairRow) -> tuple[Any, ...]:
    """Sort key by adjusted, then raw p-value, with undefined and missing values last."""
    if row.pvalue is None or row.adjusted_pvalue is None:
        return (2.0, 2.0)
    return (row.adjusted_pvalue, 1.5 if row.pvalue != row.pvalue else row.pvalue)


OMNIBUS = "omnibus"


def named_of_several(tests: Any, adjust: Any) -> RequestedTests:
    """Return the requested tests with their options, including those of the adjustment."""
    return named_tests(tests, options_of_several(adjust))


def check_named(
    requested: RequestedTests, measures: Sequence[Measure], adjust: str
) -> None:
    """Check that the requested tests are suitable for several classifiers."""
    if adjust == MAX_T:
        _check_max_t(requested, measures)
        return
    if not requested or isinstance(requested, str):
        return
    for name in requested:
        entry = get_test(name)
        _check_about(entry, measures, requested)
        if entry.kind != "difference" and not is_omnibus(entry):
            raise ValueError(
                f"{name} is no test of a difference, which says who is better. Several "
                "classifiers need one for their pairs, such as mcnemar, or a test of all "
                "together, such as cochran_q. Compare two at a time."
            )


def is_omnibus(entry: PairedTestEntry) -> bool:
    """Whether a test compares all classifiers together."""
    return entry.kind == OMNIBUS and hasattr(entry.needs, "from_predictions_of")


def _check_about(
    entry: PairedTestEntry,
    measures: Sequence[Measure],
    requested: Mapping[str, Mapping[str, Any]],
) -> None:
    """Check that a test belongs to one of the measures."""
    if not any(is_about(entry, measure, requested) for measure in measures):
        subjects = ", ".join(measure.subject for measure in measures)
        raise ValueError(
            f"{entry.name} measures {', '.join(entry.measures)}, and several classifiers "
            f"are compared by {subjects}. Add it to `scoring`, or compare two at a time."
        )


def _check_max_t(requested: RequestedTests, measures: Sequence[Measure]) -> None:
    """Check that the requested tests are available with "max-t"."""
    families = {max_t_family(measure).test: max_t_family(measure) for measure in measures}
    test_options = {"all": {}} if isinstance(requested, str) else (requested or {})
    for name, options in test_options.items():
        if name != "all" and is_omnibus(get_test(name)):
            _check_about(get_test(name), measures, test_options)
        elif name not in families:
            raise ValueError(
                f"With adjust='max-t' the pairs are tested by {', '.join(families)}. Got "
                f"tests={name!r}. Leave it out, or choose adjust='holm', which is for "
                "every test."
            )
        elif extra := sorted(set(options) - {*families[name].free_options}):
            raise ValueError(
                f"With adjust='max-t' {name} takes "
                f"{', '.join(families[name].free_options)}. Got {', '.join(extra)}. Leave "
                "it out, or choose adjust='holm'."
            )


def compare_several(
    predictions: Predictions,
    measures: Sequence[Measure],
    requested: RequestedTests,
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
    """Test all classifiers together and in pairs by every measure, with a verdict."""
    if predictions.y is None:
        raise ValueError(
            "Three or more classifiers are compared by who is right, which needs true "
            "labels. Got none. Pass `y_true`, or two predictions at a time."
        )
    check_pos_label(pos_label, predictions.classes)
    requested = with_classes(requested, predictions.classes)
    engine = _Engine(
        predictions,
        None if isinstance(requested, str) else requested,
        requested == ALL,
        control,
        alternative,
        alpha,
        adjust,
        pos_label,
        pairs_of(predictions.names, control, alternative),
        known={},
    )
    comparisons = tuple(
        comparison
        for k, measure in enumerate(measures)
        for comparison in engine.about(measure, k == 0)
    )
    primary = comparisons[0]
    inference = None if primary.test is None else get_test(primary.test).inference
    if "mixed-frozen" in predictions.flags:
        # About trained models and learning algorithms, as the caveat says.
        inference = None
    return MultipleComparison(
        comparisons=comparisons,
        conclusion=decide_among(primary, inference),
        descriptions={role.name: role.description for role in predictions.estimators},
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
    """Engine of the comparison of several classifiers, with its settings."""

    predictions: Predictions
    requested: NamedTests | None
    every: bool
    control: str | None
    alternative: str
    alpha: float
    adjust: str
    pos_label: Any
    pairs: tuple[IntArray, IntArray]
    known: dict[Any, Any]

    def about(self, measure: Measure, primary: bool) -> list[PairwiseComparison]:
        """Return one comparison per test of the measure, or a single one without test.

        The primary one is that of the design's default test, as for two classifiers.
        """
        predictions = self._predictions_for(measure)
        if self.every:
            # The tests depend on the class of the measure.
            requested = named_for(ALL, predictions)
            return replace(self, requested=requested, every=False).about(measure, primary)
        if self.adjust == MAX_T:
            max_t = max_t_family(measure, predictions.design)
            return [self._of_family(max_t, measure, predictions)]
        default = self._default(measure, predictions)
        entries = [get_test(name) for name in self.requested or ()]
        tests = [entry for entry in entries if entry.kind == "difference"]
        tests = [entry for entry in tests if is_about(entry, measure, self.requested)]
        if default is not None and (self.requested is None or primary):
            tests = [default, *(entry for entry in tests if entry is not default)]
        comparisons = []
        if not tests or (primary and default is None):
            comparisons.append(self._untested(measure, predictions, default))
        for entry in tests:
            family = family_of(entry, predictions, self._options_of(entry))
            comparisons.append(
                self._of_pairs(entry, measure, predictions)
                if family is None
                else self._of_family(family, measure, predictions)
            )
        return comparisons

    def _predictions_for(self, measure: Measure) -> Predictions:
        """Return the predictions of all classes, or of the class of a measure."""
        if measure.label is None:
            return self.predictions
        return one_class_of(self.predictions, measure.position(self.predictions.classes))

    def _options_of(self, entry: PairedTestEntry) -> Mapping[str, Any]:
        return (self.requested or {}).get(entry.name, {})

    def _default(
        self, measure: Measure, predictions: Predictions
    ) -> PairedTestEntry | None:
        """Return the first test of a difference that suits the design and predictions."""
        valid = tests_for(measure.metric, predictions.design)
        valid = [entry for entry in valid if entry.kind == "difference"]
        if self.alternative != "two-sided":
            valid = [entry for entry in valid if "alternative" in entry.options]
        return next((e for e in valid if not why_unsuited(e, predictions)), None)

    def _omnibus(self, measure: Measure, predictions: Predictions) -> PairedResult | None:
        """Return the result of the omnibus test: the requested or the design's first."""
        requested = self._requested_omnibus(measure, predictions)
        if requested is not None:
            return requested
        valid = [e for e in tests_for(measure.metric, predictions.design) if is_omnibus(e)]
        entry = next((e for e in valid if not why_unsuited(e, predictions)), None)
        return None if entry is None else self._run_omnibus(entry, measure, predictions)

    def _requested_omnibus(
        self, measure: Measure, predictions: Predictions
    ) -> PairedResult | None:
        """Return the result of the omnibus test that was requested by name."""
        entries = [get_test(name) for name in self.requested or ()]
        entries = [
            e for e in entries if is_omnibus(e) and is_about(e, measure, self.requested)
        ]
        return self._run_omnibus(entries[0], measure, predictions) if entries else None

    def _run_omnibus(
        self, entry: PairedTestEntry, measure: Measure, predictions: Predictions
    ) -> PairedResult:
        options, needs = dict(self._options_of(entry)), entry.needs
        if SCORE in entry.options:
            options[SCORE] = measure.metric
        of_class = True if measure.label is not None else self.pos_label
        evidence_options = {}
        if of_class is not None and LABEL in entry.options:
            options[LABEL] = of_class
        if of_class is not None and POS_LABEL in entry.evidence_options:
            evidence_options[POS_LABEL] = of_class
        evidence = needs.from_predictions_of(predictions, **evidence_options)  # type: ignore[attr-defined]
        result: PairedResult = entry.function(evidence, **options)
        return result

    def _of_family(
        self,
        family: Family,
        measure: Measure,
        predictions: Predictions,
    ) -> PairwiseComparison:
        """Compare all pairs by a joint test."""
        options = dict(self._options_of(family.entry))
        of_class = True if measure.label is not None else self.pos_label
        if of_class is not None and POS_LABEL in family.options:
            options.setdefault(POS_LABEL, of_class)
        result = family.run(
            predictions,
            measure,
            adjust=self.adjust,
            control=self.control,
            alternative=self.alternative,
            confidence_level=1 - self.alpha,
            **options,
        )
        records = result.to_dict()["pairs"]
        pairs = [
            PairRow(
                row["champion"],
                row["challenger"],
                row["estimate"],
                row["low"],
                row["high"],
                row["pvalue"],
                row["adjusted_pvalue"],
            )
            for row in records
        ]
        return self._comparison(
            measure,
            family.test,
            values_of(result.omnibus),
            pairs,
            omnibus=self._requested_omnibus(measure, predictions) or result.omnibus,
            interval_level=result.interval_level,
            method=result.settings.get("method", ""),
            flags=result.flags,
        )

    def _of_pairs(
        self, entry: PairedTestEntry, measure: Measure, predictions: Predictions
    ) -> PairwiseComparison:
        """Compare each pair separately, and adjust the p-values."""
        level = interval_level(1 - self.alpha, self.adjust, len(self.pairs[0]))
        tested: list[ComparisonRow] = []
        values: dict[str, float | None] = {}
        for champion, challenger in self._named_pairs():
            engine = self._pair_engine(champion, challenger, level).about(measure)
            row = engine.tested(entry, measure.name, measure)
            tested.append(row)
            values |= {champion: row.champion, challenger: row.challenger}
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
        result = tested[0].result
        return self._comparison(
            measure,
            entry.name,
            self._scores(measure)
            if None in values.values()
            else self._shared(measure, values),
            pairs,
            omnibus=self._omnibus(measure, predictions),
            interval_level=level,
            method="" if result is None else result.method,
            flags=tuple(dict.fromkeys(flag for row in tested for flag in row.flags)),
        )

    def _untested(
        self, measure: Measure, predictions: Predictions, default: PairedTestEntry | None
    ) -> PairwiseComparison:
        """Return a comparison without test, with the reason why there is none."""
        values = self._scores(measure)
        sign = 1 if measure.greater_is_better else -1
        pairs = [
            PairRow(champion, challenger, sign * (values[challenger] - values[champion]))
            for champion, challenger in self._named_pairs()
        ]
        entry = default or default_test(measure, predictions.design)
        unsuited = "" if entry is None else why_unsuited(entry, predictions)
        note = unsuited or f"no test of {measure.subject} was requested"
        if entry is None:
            note = no_test_note(measure, predictions.design)
        omnibus = self._requested_omnibus(measure, predictions)
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
        **details: Any,
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
            **details,
        )

    def _label(self, measure: Measure) -> Any:
        classes = self.predictions.classes
        return None if measure.label is None else classes[measure.position(classes)].item()

    def _scores(self, measure: Measure) -> dict[str, float]:
        """Compute the score of each classifier without a test."""
        reference, *names = self.predictions.names
        values: dict[str, Any] = {}
        for name in names:
            row = self._pair_engine(reference, name, 0.95).about(measure).untested(measure)
            values |= {reference: row.champion, name: row.challenger}
        return self._shared(measure, values)

    def _shared(self, measure: Measure, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return mean scores over the splits on which all classifiers have a score.

        A pair has means of its own splits. A ranking is of all classifiers, and none must
        be first because its score is defined on easy splits only.
        """
        names = self.predictions.names
        stored = [self.known.get((name, measure.subject)) for name in names]
        scores = np.array([entry[0] for entry in stored if entry is not None])
        undefined = ~np.isfinite(scores).all(axis=0)
        if len(scores) < len(names) or not undefined.any():
            return {**values}
        shared = scores[:, ~undefined] if not undefined.all() else scores
        return dict(zip(names, map(mean_defined, shared)))

    def _pair_engine(self, champion: str, challenger: str, level: float) -> PairEngine:
        pair = self.predictions.pair(champion, challenger)
        return PairEngine(
            pair,
            self.requested,
            self.alternative,
            1 - level,
            self.pos_label,
            known=self.known,
        )

    def _named_pairs(self) -> list[tuple[str, str]]:
        names = self.predictions.names
        return [(names[i], names[j]) for i, j in zip(*map(np.ndarray.tolist, self.pairs))]
