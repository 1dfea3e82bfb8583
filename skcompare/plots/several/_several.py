"""Comparisons of several classifiers by one measure, for displays."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skcompare._core.validation import (
    alpha_of,
    check_alpha,
    check_alternative,
    check_choice,
    unknown_name,
)
from skcompare._registry.losses import loss_of, record_losses
from skcompare._registry.metrics import metrics
from skcompare._registry.tests import PairedTestEntry, paired_tests
from skcompare.evidence import CorrectnessPatterns, PlacementValues
from skcompare.plots._base import comparison_behind
from skcompare.plots._run_tests import ACCURACY, LOSS, default_test_of
from skcompare.predictions import Predictions
from skcompare.stats import (
    PairedResult,
    PairwiseResult,
    adjust_pvalues,
    pairwise_delong,
    pairwise_mcnemar,
)
from skcompare.stats.core import interval_level
from skcompare.stats.several import PAIRWISE_ADJUSTMENTS, NamedPair, groups_of, pairs_of

VALUES = ("accuracy", "auc", "share")
"""Keys of the measure of each classifier in the results of omnibus tests."""


@dataclass(frozen=True, slots=True)
class Pair(NamedPair):
    """Pair of classifiers whose roles can be swapped."""

    def seen_from(self, champion: str) -> "Pair":
        """Return the pair with `champion` as the champion, swapping the roles if needed."""
        if champion == self.champion:
            return self
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return Pair(
            self.challenger,
            self.champion,
            -self.difference,
            low,
            high,
            self.pvalue,
            self.adjusted_pvalue,
            self.flags,
        )


@dataclass(frozen=True, slots=True)
class Several:
    """Classifiers ranked by one measure, the best first, with their pairs.

    `values` are those of the measure itself, so that the smallest loss is first;
    differences are on a greater-is-better scale.
    """

    subject: str
    measure: str
    test: str | None
    names: tuple[str, ...]
    values: tuple[float, ...]
    pairs: tuple[Pair, ...]
    alpha: float
    interval_level: float
    alternative: str
    adjust: str
    control: str | None = None
    greater_is_better: bool = True
    note: str = ""
    flags: tuple[str, ...] = ()
    n_records: int | None = None
    design: str = ""

    @property
    def leader(self) -> str:
        """Best classifier that is not significantly worse than any other."""
        worse = {verdict[1] for pair in self.pairs if (verdict := pair.beats(self.alpha))}
        return next((name for name in self.names if name not in worse), self.names[0])

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Maximal sets without significant differences; empty unless all pairs were tested.

        Classifiers without a value are in no set.
        """
        if self.test is None or self.control is not None:
            return ()
        values = zip(self.names, self.values)
        defined = [name for name, value in values if not math.isnan(value)]
        verdicts = (pair.beats(self.alpha) for pair in self.pairs)
        return groups_of(defined, [pair for pair in verdicts if pair is not None])

    @property
    def of_control(self) -> Mapping[str, str]:
        """Result of the comparison of each classifier with the control."""
        verdicts = {pair.beats(self.alpha) for pair in self.pairs}
        labels = {}
        for name in self.names:
            if name == self.control:
                continue
            labels[name] = self._undecided(name)
            if (name, self.control) in verdicts:
                labels[name] = "better"
            elif (self.control, name) in verdicts:
                labels[name] = "worse"
        return labels

    def _undecided(self, name: str) -> str:
        """Return the label of a classifier neither better nor worse than the control."""
        if self.test is None:
            return "not tested"
        pair = self.between(name, self.control or "")
        has_pvalue = pair is not None and pair.adjusted_pvalue is not None
        if not has_pvalue or math.isnan(pair.adjusted_pvalue):  # type: ignore
            return "undefined"
        return "not distinguished"

    @property
    def has_undefined(self) -> bool:
        """Whether any tested pair has an undefined p-value."""
        pvalues = (pair.adjusted_pvalue for pair in self.pairs)
        return any(p is not None and math.isnan(p) for p in pvalues)

    def between(self, left: str, right: str) -> Pair | None:
        """Return the pair with `right` as its champion; None if it was not compared."""
        for pair in self.pairs:
            if {pair.champion, pair.challenger} == {left, right}:
                return pair.seen_from(right)
        return None


def several_of(result: Any, measure: Any = None) -> Several:
    """Convert a result to ranked classifiers and their pairs.

    Parameters
    ----------
    result : MultipleComparison, fitted MultipleComparator, PairwiseComparison, or result
            of pairwise_mcnemar or pairwise_delong
        Source of the numbers.
    measure : str or tuple, optional
        Key of the comparison in the `results` of a MultipleComparison; by default the
        primary one.
    """
    if isinstance(result, Several):
        return result
    holder = comparison_behind(result)
    if hasattr(holder, "comparisons"):
        comparison = holder.comparisons[0] if measure is None else holder.results[measure]
        return _of_comparison(comparison, holder.n_tested, str(holder.design))
    if measure is not None:
        raise ValueError(
            "`measure` chooses among the comparisons of a MultipleComparison. Got "
            f"measure={measure!r} and {type(result).__name__}, which is about one. Leave "
            "it out."
        )
    if isinstance(holder, PairwiseResult):
        return _of_rows(holder)
    if hasattr(holder, "classifiers") and hasattr(holder, "pairs"):
        return _of_comparison(holder)
    raise TypeError(
        "`result` must be a MultipleComparison, a fitted MultipleComparator, a "
        "PairwiseComparison, or what pairwise_mcnemar or pairwise_delong gave. Got "
        f"{type(result).__name__}. Two classifiers have a ForestDisplay."
    )


def _of_comparison(
    comparison: Any, n_records: int | None = None, design: str = ""
) -> Several:
    return Several(
        subject=comparison.subject,
        measure=comparison.measure,
        test=comparison.test,
        names=tuple(row.name for row in comparison.classifiers),
        values=tuple(row.value for row in comparison.classifiers),
        pairs=tuple(
            Pair(**{name: getattr(row, name) for name in Pair.__dataclass_fields__})
            for row in comparison.pairs
        ),
        alpha=comparison.alpha,
        interval_level=comparison.interval_level,
        alternative=comparison.alternative,
        adjust=comparison.adjust,
        control=comparison.control,
        greater_is_better=comparison.greater_is_better,
        note=comparison.note,
        flags=comparison.flags,
        n_records=n_records,
        design=design,
    )


def _of_rows(rows: PairwiseResult) -> Several:
    """Convert the result of a function that tests all pairs at once."""
    if rows.test == "pairwise_precision":
        raise TypeError(
            f"The result of {rows.test} has no differences on the scale of the measure. "
            "Pass what pairwise_mcnemar or pairwise_delong gave, or a MultipleComparison."
        )
    values = values_of(rows.omnibus.parts)
    names = sorted(values, key=lambda name: -values[name])
    columns = rows.to_dict()["pairs"]
    keys = ("champion", "challenger", "low", "high", "pvalue", "adjusted_pvalue")
    return Several(
        subject=rows.measure,
        measure=rows.measure,
        test=rows.test.removeprefix("pairwise_"),
        names=tuple(names),
        values=tuple(values[name] for name in names),
        pairs=tuple(
            Pair(difference=row["estimate"], **{key: row[key] for key in keys})
            for row in columns
        ),
        alpha=alpha_of(rows.confidence_level),
        interval_level=rows.interval_level,
        alternative=rows.alternative,
        adjust=rows.adjust,
        control=rows.control,
        flags=rows.flags,
        n_records=rows.n,
        design=str(rows.design),
    )


def values_of(parts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the measure of each classifier from the parts of an omnibus test."""
    return {
        part["name"]: float(next(part[kind] for kind in VALUES if kind in part))
        for part in parts
    }


AUTO, MAX_T, HOLM = "auto", "max-t", "holm"
ROC_AUC = "roc_auc"


def several_of_predictions(
    predictions: Predictions,
    *,
    measure: str = ACCURACY,
    adjust: str = AUTO,
    control: str | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    pos_label: Any = None,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> Several:
    """Compare all pairs by the default test of the measure for the design."""
    _check_measure(measure)
    alpha = check_alpha(alpha)
    check_choice("adjust", adjust, (AUTO, *PAIRWISE_ADJUSTMENTS))
    check_alternative(alternative)
    if len(predictions.names) < 2:
        raise ValueError(
            f"At least two classifiers are needed. Got {', '.join(predictions.names)}."
        )
    at_once = predictions.design.name == "holdout" and measure in (ACCURACY, ROC_AUC)
    if not at_once:
        return _pair_by_pair(
            predictions, measure, adjust, control, alternative, alpha, pos_label
        )
    options: dict[str, Any] = {
        "adjust": MAX_T if adjust == AUTO else adjust,
        "control": control,
        "alternative": alternative,
        "confidence_level": 1 - alpha,
        "n_resamples": n_resamples,
        "random_state": random_state,
    }
    if measure == ACCURACY:
        patterns = CorrectnessPatterns.from_predictions_of(predictions)
        return several_of(pairwise_mcnemar(patterns, **options))
    placements = PlacementValues.from_predictions_of(predictions, pos_label=pos_label)
    return several_of(pairwise_delong(placements, **options))


def _check_measure(measure: str) -> None:
    """Raise an error unless `measure` is a measure of a test, a loss or a metric."""
    names = {*metrics()}
    names |= {name for test in paired_tests().values() for name in test.measures}
    names |= {name for loss in record_losses().values() for name in loss.measures}
    if measure not in names and loss_of(measure) is None:
        # Names with spaces describe groups of measures.
        raise unknown_name("measure", measure, (name for name in names if " " not in name))


def _pair_by_pair(
    predictions: Predictions,
    measure: str,
    adjust: str,
    control: str | None,
    alternative: str,
    alpha: float,
    pos_label: Any,
) -> Several:
    """Compare each pair by the default test for the design, if there is one."""
    if adjust == MAX_T:
        raise ValueError(
            "adjust='max-t' is for the accuracy and the AUC on a hold-out. Got "
            f"measure={measure!r} and {predictions.design}. Choose 'holm', which is valid "
            "for every test."
        )
    adjust = HOLM if adjust == AUTO else adjust
    indices = pairs_of(predictions.names, control, alternative)
    names = [(predictions.names[i], predictions.names[j]) for i, j in zip(*indices)]
    entry = default_test_of(measure, predictions, alternative)
    level = interval_level(1 - alpha, adjust, len(names))
    if entry is None:
        return _untested(predictions, measure, names, adjust, control, alternative, alpha)
    results = [
        _tested(predictions, pair, entry, measure, alternative, pos_label) for pair in names
    ]
    adjusted = np.asarray(adjust_pvalues([result.pvalue for result in results], adjust))
    values, greater = _values(names, results, measure)
    pairs = tuple(
        Pair(
            *pair,
            result.estimate,
            *result.confidence_interval(level),
            result.pvalue,
            float(p),
            result.flags,
        )
        for pair, result, p in zip(names, results, adjusted)
    )
    sign = -1 if greater else 1
    ranked = sorted(values, key=lambda name: _rank(sign * values[name]))
    return Several(
        subject=measure,
        measure=measure,
        test=entry.name,
        names=tuple(ranked),
        values=tuple(values[name] for name in ranked),
        pairs=pairs,
        alpha=alpha,
        interval_level=level,
        alternative=alternative,
        adjust=adjust,
        control=control,
        greater_is_better=greater,
        flags=tuple(dict.fromkeys(flag for pair in pairs for flag in pair.flags)),
        n_records=predictions.n_tested,
        design=str(predictions.design),
    )


def _values(
    names: list[tuple[str, str]], results: list[PairedResult], measure: str
) -> tuple[dict[str, float], bool]:
    """Return the measure of each classifier, and whether greater is better."""
    values: dict[str, float] = {}
    for (champion, challenger), result in zip(names, results):
        for name, value in ((champion, result.champion), (challenger, result.challenger)):
            values[name] = math.nan if value is None else value
    greater_is_better = results[0].greater_is_better
    if not greater_is_better and measure.startswith("neg_"):
        # Results of tests have the loss, and the measure is its negative.
        return {name: -value for name, value in values.items()}, True
    return values, greater_is_better


def _tested(
    predictions: Predictions,
    names: tuple[str, str],
    entry: PairedTestEntry,
    measure: str,
    alternative: str,
    pos_label: Any,
) -> PairedResult:
    evidence_options, options = {}, {}
    loss = loss_of(measure)
    if loss is not None and LOSS in entry.evidence_options:
        evidence_options[LOSS] = loss.name
    if "score" in entry.options:
        options["score"] = measure
    for target, accepted in (
        (evidence_options, entry.evidence_options),
        (options, entry.options),
    ):
        if pos_label is not None and "pos_label" in accepted:
            target["pos_label"] = pos_label
    if "alternative" in entry.options:
        options["alternative"] = alternative
    evidence = entry.needs.from_pair(predictions.pair(*names), **evidence_options)  # type: ignore[attr-defined]
    result: PairedResult = entry.function(evidence, **options)
    return result


def _untested(
    predictions: Predictions,
    measure: str,
    names: list[tuple[str, str]],
    adjust: str,
    control: str | None,
    alternative: str,
    alpha: float,
) -> Several:
    """Compare accuracies without a test, because none is valid for the design."""
    note = f"no test of {measure} is valid for {predictions.design}"
    if measure != ACCURACY:
        raise ValueError(
            f"{note[:1].upper()}{note[1:]}, or these predictions do not suit it. Compare "
            "them by MultipleComparator, or take predictions for a hold-out set."
        )
    truth = predictions.y_predicted()
    values = {
        role.name: float(np.mean(role.known_labels() == truth))
        for role in predictions.estimators
    }
    ranked = sorted(values, key=lambda name: -values[name])
    return Several(
        subject=measure,
        measure=measure,
        test=None,
        names=tuple(ranked),
        values=tuple(values[name] for name in ranked),
        pairs=tuple(Pair(a, b, values[b] - values[a]) for a, b in names),
        alpha=alpha,
        interval_level=1 - alpha,
        alternative=alternative,
        adjust=adjust,
        control=control,
        note=note,
        n_records=predictions.n_tested,
        design=str(predictions.design),
    )


def _rank(value: float) -> tuple[bool, float]:
    """Return a sort key that places the smallest value first and NaN last."""
    return (value != value, value)
