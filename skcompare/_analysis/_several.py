"""Comparisons of several classifiers by omnibus tests and all pairs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skcompare._analysis._comparison import MAX_T, ComparisonRow, PairEngine, Settings
from skcompare._analysis._pairwise_comparison import (
    ClassifierRow,
    PairRow,
    PairwiseComparison,
)
from skcompare._analysis._test_selection import (
    POS_LABEL,
    RequestedTests,
    Selection,
    default_test,
    fitting_tests,
    is_about,
    tests_to_run,
    with_classes,
)
from skcompare._analysis.measures import Measure
from skcompare._core.design import HOLDOUT, TRAININGS, Design
from skcompare._core.validation import (
    alpha_of,
    check_alternative,
    check_choice,
    check_pos_label,
)
from skcompare._registry.metrics import tested_loss
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.evidence import (
    ClusterSums,
    CorrectnessPatterns,
    JointLosses,
    OrderedDifferences,
    PlacementValues,
    mean_defined,
    trainings_of,
)
from skcompare.predictions import Predictions, one_class_of
from skcompare.stats import (
    PairedResult,
    PairwiseResult,
    adjust_pvalues,
    pairwise_delong,
    pairwise_losses,
    pairwise_mcnemar,
    pairwise_precision,
)
from skcompare.stats.core import ADJUSTMENTS, interval_level
from skcompare.stats.several import max_t, pairs_of, units_of_trainings

DRAWS = ("n_resamples", "random_state")
"""Options of the resampling of "max-t"."""


@dataclass(frozen=True, slots=True)
class Family:
    """Joint test of all pairs of classifiers by one measure.

    Parameters
    ----------
    test : str
        The registered test whose p-values it gives.
    measures : tuple of str
        The measures that it compares.
    options : tuple of str
        Options of the test that it takes as well.
    run : callable
        `run(predictions, measure, **options)` returns the pairs.
    """

    test: str
    measures: tuple[str, ...]
    options: tuple[str, ...]
    run: Callable[..., PairwiseResult]

    @property
    def free_options(self) -> tuple[str, ...]:
        """Options that can be requested, including those of the resampling for "max-t"."""
        return (*self.options, *DRAWS)


def _mcnemar(predictions: Predictions, measure: Measure, **options: Any) -> PairwiseResult:
    return pairwise_mcnemar(CorrectnessPatterns.from_predictions_of(predictions), **options)


def _delong(
    predictions: Predictions, measure: Measure, *, pos_label: Any = None, **options: Any
) -> PairwiseResult:
    placements = PlacementValues.from_predictions_of(predictions, pos_label=pos_label)
    return pairwise_delong(placements, **options)


def _precision(
    predictions: Predictions, measure: Measure, *, pos_label: Any = None, **options: Any
) -> PairwiseResult:
    # The class is that of the measure or `pos_label`.
    sums = ClusterSums.from_predictions_of(predictions)
    score: Any = measure.metric
    return pairwise_precision(sums, label=pos_label, score=score, **options)


def _losses(predictions: Predictions, measure: Measure, **options: Any) -> PairwiseResult:
    loss = tested_loss(measure.metric)
    assert loss is not None
    own = dict(measure.options)
    losses = JointLosses.from_predictions_of(predictions, loss=loss.name, **own)
    return pairwise_losses(losses, **options)


OF_ONE_CLASS = ("precision", "recall", "specificity", "negative_predictive_value")

_FAMILIES = (
    Family("mcnemar", ("accuracy",), ("method",), _mcnemar),
    Family("delong", ("roc_auc",), (POS_LABEL,), _delong),
)
_FAMILIES_OF_DRAWS = (
    *_FAMILIES,
    Family("gee_precision", OF_ONE_CLASS, (POS_LABEL,), _precision),
)
_OF_LOSSES = Family("paired_t", (), (), _losses)
"""Of the means of losses, whose measures are registered with these."""


def family_of(test: str, design: Design, options: Mapping[str, Any]) -> Family | None:
    """Return the family that runs a test on all pairs, or None if there is none."""
    if design.name != HOLDOUT.name:
        return None
    families = (f for f in _FAMILIES if f.test == test and {*options} <= {*f.free_options})
    return next(families, None)


def max_t_family(measure: Measure, design: Design = HOLDOUT) -> Family:
    """Return the family that adjusts the p-values of a measure by "max-t"."""
    for family in _FAMILIES_OF_DRAWS:
        if measure.metric in family.measures and get_test(family.test).valid_for(design):
            return family
    valid = get_test(_OF_LOSSES.test).valid_for(design)
    if measure.label is None and tested_loss(measure.metric) is not None and valid:
        return _OF_LOSSES
    subjects = [name for family in _FAMILIES_OF_DRAWS for name in family.measures]
    raise ValueError(
        f"adjust='max-t' is for {', '.join(subjects)}, and mean losses, on a hold-out. Got "
        f"{measure.subject} and {design}. Choose 'holm', which is valid for every test."
    )


def settings_of_several(
    names: Sequence[str],
    control: str | None,
    alternative: Any,
    adjust: Any,
    *,
    in_trainings: bool = False,
    **others: Any,
) -> Settings:
    """Check the settings of a comparison of three or more named classifiers.

    With several trainings of each, every measure has a joint distribution for "max-t".
    """
    check_alternative(alternative)
    if control is not None:
        check_choice("control", control, names)
    elif alternative != "two-sided":
        raise ValueError(
            f"alternative={alternative!r} needs a control that the others are compared "
            "with, because all pairs have no direction of their own. Pass `control`, or "
            "use alternative='two-sided'."
        )
    draws = {family.test: DRAWS for family in (*_FAMILIES_OF_DRAWS, _OF_LOSSES)}
    settings = Settings.parse(
        alternative=alternative,
        adjust=adjust,
        adjustments=(*ADJUSTMENTS, MAX_T),
        more=draws if adjust == MAX_T else {},
        **others,
    )
    if adjust != MAX_T or not in_trainings:
        _check_named(settings.requested, settings.measures, settings.adjust)
    return replace(settings, control=control)


def _check_named(
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
                f"{name} is not a test of a difference, which shows who is better. Several "
                "classifiers need one for their pairs, such as mcnemar, or a test of all "
                "together, such as cochran_q. Compare two at a time."
            )


def is_omnibus(entry: PairedTestEntry) -> bool:
    """Whether a test compares all classifiers together."""
    return entry.kind == "omnibus" and hasattr(entry.needs, "from_predictions_of")


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


class SeveralEngine(Selection):
    """Engine that compares several classifiers by one measure.

    Parameters
    ----------
    predictions : Predictions
        Predictions of all classifiers, with true labels.
    measure : Measure
        The measure.
    settings : Settings
        The settings of the comparison.
    """

    predictions: Predictions

    def __init__(
        self, predictions: Predictions, measure: Measure, settings: Settings
    ) -> None:
        if predictions.y is None:
            raise ValueError(
                "Three or more classifiers are compared by their correct predictions, "
                "which needs true labels. Got none. Pass `y_true`, or two predictions."
            )
        pos_label = settings.pos_label
        check_pos_label(pos_label, predictions.classes)
        requested = with_classes(settings.requested, predictions.classes)
        self.measure, self.label = measure, None
        if measure.label is not None and measure.is_numeric:
            self.label, predictions = measure.label, measure.of_outputs(predictions)
        elif measure.label is not None:
            position = measure.position(predictions.classes)
            self.label, pos_label = predictions.classes[position].item(), True
            predictions = one_class_of(predictions, position)
        super().__init__(predictions, requested, settings.alternative, pos_label)
        self.control, self.adjust = settings.control, settings.adjust
        self.alpha, names = settings.alpha, predictions.names
        first, second = pairs_of(names, self.control, self.alternative)
        self.pairs = [(names[i], names[j]) for i, j in zip(first, second)]
        # Scores of each classifier, which its pairs share.
        self._known: dict[Any, Any] = {}

    def comparisons(self, primary: bool = True) -> list[PairwiseComparison]:
        """Return one comparison per test of the measure, or a single one without test.

        The primary one is that of the design's default test, as for two classifiers.
        """
        if self.adjust == MAX_T and self.predictions.design.kind not in TRAININGS:
            return [self._of_family(max_t_family(self.measure, self.predictions.design))]
        tests = tests_to_run(
            self._default(),
            [e for e in self.requested_tests(self.measure) if e.kind == "difference"],
            primary or self.requested is None,
        )
        return [
            self._untested() if entry is None else self._tested(entry) for entry in tests
        ]

    def _default(self) -> PairedTestEntry | None:
        """Return the first test of a difference that suits the design and predictions."""
        tests = self._fitting_tests(self.measure)
        return next((entry for entry in tests if entry.kind == "difference"), None)

    def why_unsuited(self, entry: PairedTestEntry, measure: Measure | None) -> str:
        """Return the reason why a test does not suit a measure, or an empty string."""
        reason = super().why_unsuited(entry, measure)
        if reason or entry.needs is not OrderedDifferences:
            return reason
        engines = (self._pair_engine(*names, 0.95) for names in self.pairs)
        return next(filter(None, (e.why_unsuited(entry, measure) for e in engines)), "")

    def _tested(self, entry: PairedTestEntry) -> PairwiseComparison:
        options = (self.requested or {}).get(entry.name, {})
        family = family_of(entry.name, self.predictions.design, options)
        return self._of_pairs(entry) if family is None else self._of_family(family)

    def _omnibus(self, tests: Iterable[PairedTestEntry]) -> PairedResult | None:
        """Return the result of the first of these tests that is of all classifiers."""
        for entry in filter(is_omnibus, tests):
            needs: Any = entry.needs
            options = self.evidence_options(entry, self.measure)
            evidence = needs.from_predictions_of(self.predictions, **options)
            return entry.function(evidence, **self._options(entry, self.measure))
        return None

    def _requested_omnibus(self) -> PairedResult | None:
        """Return the result of the omnibus test that was requested by name."""
        return self._omnibus(self.requested_tests(self.measure))

    def _of_family(self, family: Family) -> PairwiseComparison:
        """Compare all pairs by a joint test."""
        options = {**(self.requested or {}).get(family.test, {})}
        if self.pos_label is not None and POS_LABEL in family.options:
            options.setdefault(POS_LABEL, self.pos_label)
        result = family.run(
            self.predictions,
            self.measure,
            adjust=self.adjust,
            control=self.control,
            alternative=self.alternative,
            confidence_level=1 - self.alpha,
            **options,
        )
        comparison = comparison_of(result, self._requested_omnibus())
        if family is _OF_LOSSES:
            # The measure is a function of the mean loss: its negative, or 1 minus it.
            greater = self.measure.greater_is_better
            rows = _ranked(self._scores(), None, greater)
            comparison = replace(comparison, classifiers=rows, greater_is_better=greater)
        return replace(
            comparison,
            measure=self.measure.name,
            label=self.label,
            test=family.test,
            alpha=self.alpha,
        )

    def _of_pairs(self, entry: PairedTestEntry) -> PairwiseComparison:
        """Compare each pair separately, and adjust the p-values."""
        level = interval_level(1 - self.alpha, self.adjust, len(self.pairs))
        tested: list[ComparisonRow] = []
        values: dict[str, float | None] = {}
        evidence: list[Any] = []
        for names in self.pairs:
            engine = self._pair_engine(*names, level)
            test = engine.prepared(entry, self.measure, self.measure.name)
            row = test.row(test.run(), primary=False)
            tested.append(row)
            evidence.append(test.evidence)
            values |= zip(names, (row.champion, row.challenger))
        pvalues = [np.nan if row.pvalue is None else row.pvalue for row in tested]
        if self.adjust == MAX_T:
            adjusted, level, tested = self._jointly(tested, evidence)
        else:
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
            for names, row, value in zip(self.pairs, tested, adjusted)
        ]
        result = tested[0].result
        return self._comparison(
            entry.name,
            self._scores() if None in values.values() else self._shared(values),
            pairs,
            omnibus=self._requested_omnibus()
            or self._omnibus(fitting_tests(self.measure, self.predictions)),
            interval_level=level,
            method="" if result is None else result.method,
            flags=tuple(dict.fromkeys(flag for row in tested for flag in row.flags)),
        )

    def _jointly(
        self, rows: Sequence[ComparisonRow], evidence: Sequence[Any]
    ) -> tuple[list[float], float, list[ComparisonRow]]:
        """Adjust the rows of pairs of recipes by the joint distribution of the pairs.

        Returns the adjusted p-values, the level of each interval, and rows with these.
        """
        names, predictions = self.predictions.names, self.predictions
        counts = [trainings_of(role, predictions) for role in predictions.estimators]
        units = [
            units_of_trainings(own, (names.index(first), names.index(second)), counts)
            for own, (first, second) in zip(evidence, self.pairs, strict=True)
        ]
        results = [row.result for row in rows if row.result is not None]
        joint = max_t(
            results,
            units,
            [" ".join(pair) for pair in self.pairs],
            alternative=self.alternative,
            confidence_level=1 - self.alpha,
        )
        limits = [result.confidence_interval(joint.level) for result in results]
        both = zip(rows, limits, strict=True)
        wide = [replace(row, low=low, high=high) for row, (low, high) in both]
        return joint.pvalues.tolist(), joint.level, wide

    def _untested(self) -> PairwiseComparison:
        """Return a comparison without test, with the reason why there is none."""
        measure, values = self.measure, self._scores()
        sign = 1 if measure.greater_is_better else -1
        pairs = [
            PairRow(champion, challenger, sign * (values[challenger] - values[champion]))
            for champion, challenger in self.pairs
        ]
        default = self._default() or default_test(measure, self.predictions.design)
        note = self.why_untested(default, measure, measure.subject)
        omnibus = self._requested_omnibus()
        return self._comparison(None, values, pairs, note=note, omnibus=omnibus)

    def _comparison(
        self,
        test: str | None,
        values: Mapping[str, float],
        pairs: Sequence[PairRow],
        *,
        interval_level: float = 0.95,
        omnibus: PairedResult | None = None,
        **details: Any,
    ) -> PairwiseComparison:
        greater = self.measure.greater_is_better
        return PairwiseComparison(
            measure=self.measure.name,
            label=self.label,
            test=test,
            classifiers=_ranked(values, omnibus, greater),
            pairs=tuple(sorted(pairs, key=_by_pvalue)),
            alpha=self.alpha,
            interval_level=interval_level,
            alternative=self.alternative,
            adjust=self.adjust,
            control=self.control,
            omnibus=omnibus,
            greater_is_better=greater,
            **details,
        )

    def _scores(self) -> dict[str, float]:
        """Compute the score of each classifier without a test."""
        reference, *names = self.predictions.names
        values: dict[str, Any] = {}
        for name in names:
            row = self._pair_engine(reference, name, 0.95).untested(self.measure)
            values |= {reference: row.champion, name: row.challenger}
        return self._shared(values)

    def _shared(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return mean scores over the splits on which all classifiers have a score.

        A pair has means of its own splits. A ranking is of all classifiers, and none must
        be first because its score is defined on easy splits only.
        """
        names = self.predictions.names
        stored = [self._known.get((name, self.measure.subject)) for name in names]
        scores = np.array([entry[0] for entry in stored if entry is not None])
        undefined = ~np.isfinite(scores).all(axis=0)
        if len(scores) < len(names) or not undefined.any():
            return {**values}
        shared = scores[:, ~undefined] if not undefined.all() else scores
        return dict(zip(names, map(mean_defined, shared)))

    def _pair_engine(self, champion: str, challenger: str, level: float) -> PairEngine:
        return PairEngine(
            self.predictions.pair(champion, challenger),
            self.requested,
            self.alternative,
            1 - level,
            self.pos_label,
            of_class=self.label,
            known=self._known,
        )


_TEST_OF = {"pairwise_losses": _OF_LOSSES.test}
"""Registered tests of the pairs whose joint test has another name."""


def comparison_of(
    result: PairwiseResult, omnibus: PairedResult | None = None
) -> PairwiseComparison:
    """Return the comparison by the result of a joint test of all pairs.

    Parameters
    ----------
    result : PairwiseResult
        Differences of all pairs by a measure where greater is better.
    omnibus : PairedResult, optional
        Another test of all classifiers together than that of `result`.
    """
    keys = ("low", "high", "pvalue", "adjusted_pvalue")
    pairs = [
        PairRow(
            row["champion"],
            row["challenger"],
            row["estimate"],
            **{key: row[key] for key in keys},
        )
        for row in result.to_dict()["pairs"]
    ]
    values = _values_of(result.omnibus)
    omnibus = omnibus or result.omnibus
    greater = result.omnibus.greater_is_better
    return PairwiseComparison(
        measure=result.measure,
        label=None,
        test=_TEST_OF.get(result.test, result.test.removeprefix("pairwise_")),
        classifiers=_ranked(values, omnibus, greater),
        pairs=tuple(sorted(pairs, key=_by_pvalue)),
        alpha=alpha_of(result.confidence_level),
        interval_level=result.interval_level,
        alternative=result.alternative,
        adjust=result.adjust,
        control=result.control,
        omnibus=omnibus,
        method=result.settings.get("method", ""),
        flags=result.flags,
        greater_is_better=greater,
    )


LOSS = "loss"
WITH_LIMITS = ("accuracy", "auc")
"""Values in the parts of an omnibus test that `low` and `high` are limits of; beside a
share they are limits of an odds ratio."""


def _ranked(
    values: Mapping[str, float], omnibus: PairedResult | None, greater_is_better: bool
) -> tuple[ClassifierRow, ...]:
    """Return the classifiers with their values and limits, the best first."""
    limits = {}
    if omnibus is not None and "invalid-design" not in omnibus.flags:
        limits = {
            part["name"]: (part["low"], part["high"])
            for part in omnibus.parts
            if any(kind in part for kind in WITH_LIMITS)
        }
    rows = [
        ClassifierRow(name, value, *limits.get(name, (None, None)))
        for name, value in values.items()
    ]
    sign = -1 if greater_is_better else 1
    # Undefined values are last.
    rows.sort(key=lambda row: (row.value != row.value, sign * row.value))
    return tuple(rows)


def _values_of(omnibus: PairedResult) -> dict[str, float]:
    """Return the value of each classifier from the result of the omnibus test."""
    kinds = (*WITH_LIMITS, "share", LOSS)
    return {
        part["name"]: next(part[kind] for kind in kinds if kind in part)
        for part in omnibus.parts
    }


def _by_pvalue(row: PairRow) -> tuple[Any, ...]:
    """Sort key by adjusted, then raw p-value, with undefined and missing values last."""
    if row.pvalue is None or row.adjusted_pvalue is None:
        return (2.0, 2.0)
    return (row.adjusted_pvalue, 1.5 if row.pvalue != row.pvalue else row.pvalue)
